"""A recorded run, to be asked in SQL, and to be written out as Parquet.

DuckDB's own reader of SQLite is an extension that it loads from the network; Arrow is at hand offline.
"""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from dungeon.core.errors import PlaytestError
from dungeon.playtest.reading import read_only
from dungeon.playtest.recording.schema import FAILING, TABLE_OF_VIEW, TABLES, VIEWS

if TYPE_CHECKING:
    import os
    import sqlite3
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

    from dungeon.playtest.recording.schema import Kind


ROWS = 50_000
"""How many rows are held at a time."""

TYPES: dict[Kind, pa.DataType] = {
    "level": pa.int32(),
    "play": pa.int32(),
    "name": pa.int32(),
    "seed": pa.int64(),
    "integer": pa.int32(),
    "cell": pa.int32(),
    "flag": pa.int32(),
    "real": pa.float64(),
    "text": pa.string(),
}

SCHEMAS = {
    "run": pa.schema(
        [
            ("version", pa.int32()),
            *((name, pa.string()) for name in ("probe", "content", "package", "maps", "arguments", "games")),
        ]
    ),
    "name": pa.schema([("id", pa.int32()), ("text", pa.string())]),
    **{
        table.name: pa.schema([(column.name, TYPES[column.kind]) for column in table.columns])
        for table in TABLES
    },
}
"""Table -> what its columns hold."""


def rows_of(database: sqlite3.Connection, table: str) -> pa.RecordBatchReader:
    """Return what reads a table, so many rows at a time; once."""
    schema = SCHEMAS[table]

    def batches() -> Iterator[pa.RecordBatch]:
        cursor = database.execute(f'SELECT * FROM "{table}"')
        while rows := cursor.fetchmany(ROWS):
            columns = zip(*rows, strict=True)
            arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
            yield pa.record_batch(arrays, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


SMALL = ("run", "name", *(TABLE_OF_VIEW[view].name for view in FAILING))
"""Tables to which the views of all others refer."""


class Run:
    """A recorded run. Its tables are read when they are first asked for; what is recorded later is not seen.

    Each view is an attribute, a DuckDB relation: `run.placements`, `run.spawns`, `run.failures`...

    Args:
        folder: The folder of the run.

    Raises:
        PlaytestError: There is no run that can be read.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._source = read_only(folder)
        self._database = duckdb.connect()
        self._there: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the run, and of all relations."""
        with closing(self._source), closing(self._database):
            pass

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *VIEWS])

    def __getattr__(self, name: str) -> duckdb.DuckDBPyRelation:
        if name not in VIEWS:
            raise AttributeError(f"a run has no {name!r}, only {', '.join(VIEWS)}")
        self._read_for([name])
        return self._database.view(name)

    def sql(self, query: str) -> duckdb.DuckDBPyRelation:
        """Return what answers a query, which may name views and tables: see `dungeon.playtest.recording.schema`.

        Raises:
            duckdb.Error: DuckDB does not understand it.
        """
        # DuckDB's own `get_table_names` stumbles over `USING`, for it has no columns to look up yet.
        self._read_for(re.findall(r"\w+", query))
        return self._database.sql(query)

    def in_sqlite(self, query: str) -> Iterator[tuple[Any, ...]]:
        """Return what SQLite answers, row by row: where a table is large and the answer small, the table need not be read.

        Raises:
            sqlite3.Error: SQLite does not understand the query.
        """
        return self._source.execute(query)

    def add(self, table: str, rows: pa.Table) -> None:
        """Add a table of one's own, to be asked together with the others.

        Args:
            table: What it is called; no view nor table of a run may be called so.
            rows: Its rows.

        Raises:
            ValueError: The name is taken.
        """
        if table in SCHEMAS or table in VIEWS:
            raise ValueError(f"every run has {table!r} of its own")
        load(self._database, table, rows)

    def _read_for(self, names: Any) -> None:
        """Read the tables that views, or tables, of these names need."""
        views = [name for name in names if name in VIEWS]
        tables = [table.name for name in views for table in [TABLE_OF_VIEW.get(name)] if table]
        for table in dict.fromkeys([*SMALL, *tables, *(name for name in names if name in SCHEMAS)]):
            if table not in self._there:
                load(self._database, table, rows_of(self._source, table))
                self._there.add(table)
        for view in dict.fromkeys([*FAILING, *views]):
            self._database.execute(f"CREATE VIEW IF NOT EXISTS {view} AS {VIEWS[view]}")


def load(database: duckdb.DuckDBPyConnection, table: str, rows: Any) -> None:
    """Read rows into a table of DuckDB."""
    database.register("rows_to_read", rows)
    database.execute(f'CREATE TABLE "{table}" AS SELECT * FROM rows_to_read')
    database.unregister("rows_to_read")


def export_parquet(folder: str | os.PathLike[str]) -> list[Path]:
    """Write every view of a run as a Parquet file into ``parquet/`` of its folder, and return the files.

    A file is replaced as a whole, when its successor is complete. No table is held in memory but the levels, games and names.

    Raises:
        PlaytestError: There is no run that can be read, or a file can't be written.
    """
    target = Path(folder) / "parquet"
    with closing(read_only(folder)) as source, closing(duckdb.connect()) as database:
        target.mkdir(exist_ok=True)
        for table in SMALL:
            load(database, table, rows_of(source, table))
        for view in FAILING:
            database.execute(f"CREATE VIEW {view} AS {VIEWS[view]}")
        return [_write(view, target, source, database) for view in VIEWS]


def _write(view: str, folder: Path, source: Any, database: duckdb.DuckDBPyConnection) -> Path:
    """Write a view, whose rows pass through."""
    file, draft = folder / f"{view}.parquet", folder / f"{view}.parquet.part"
    table = TABLE_OF_VIEW.get(view)
    if table is not None and table.name not in SMALL:
        database.register(table.name, rows_of(source, table.name))
    try:
        quoted = str(draft).replace("'", "''")
        database.execute(f"COPY ({VIEWS[view]}) TO '{quoted}' (FORMAT parquet, COMPRESSION zstd)")
        draft.replace(file)
    except (duckdb.IOException, OSError) as error:
        raise PlaytestError(f"{file} cannot be written: {error}") from error
    return file
