"""A recorded run of many worlds, to query in SQL, and its export to Parquet.

Rows go from SQLite to DuckDB through Arrow: DuckDB's own SQLite reader is an extension that has to be downloaded.
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
"""Number of rows held in memory at a time."""

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
"""Kind of column -> Arrow type."""

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
"""Table -> Arrow schema."""


def rows_of(database: sqlite3.Connection, table: str) -> pa.RecordBatchReader:
    """Return a reader of a table's rows, `ROWS` at a time; it can be read once."""
    schema = SCHEMAS[table]

    def batches() -> Iterator[pa.RecordBatch]:
        cursor = database.execute(f'SELECT * FROM "{table}"')
        while rows := cursor.fetchmany(ROWS):
            columns = zip(*rows, strict=True)
            arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
            yield pa.record_batch(arrays, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


SMALL = ("run", "name", *(TABLE_OF_VIEW[view].name for view in FAILING))
"""Tables that the views of all other tables refer to."""


class Run:
    """A recorded run. Each table is read at its first use; rows recorded later are not seen.

    Each view is an attribute, a DuckDB relation: `run.placements`, `run.spawns`, `run.failures`...

    Args:
        folder: The folder of the run.

    Raises:
        PlaytestError: There is no readable run.
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
        """Close the run and all its relations."""
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
        """Return the result of a query over views and tables: see `dungeon.playtest.recording.schema`.

        Raises:
            duckdb.Error: DuckDB does not understand the query.
        """
        # DuckDB's own `get_table_names` fails on `USING`: the tables are not loaded yet, so it can't look up columns.
        self._read_for(re.findall(r"\w+", query))
        return self._database.sql(query)

    def in_sqlite(self, query: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query that SQLite answers. Use it for a small result of a large table: DuckDB would load the table.

        Raises:
            sqlite3.Error: SQLite does not understand the query.
        """
        return self._source.execute(query)

    def add(self, table: str, rows: pa.Table) -> None:
        """Add a table of your own, to query together with the others.

        Args:
            table: Its name, which no view or table of a run has.
            rows: Its rows.

        Raises:
            ValueError: The name is taken.
        """
        if table in SCHEMAS or table in VIEWS:
            raise ValueError(f"every run has a table or view {table!r}: choose another name")
        load(self._database, table, rows)

    def _read_for(self, names: Any) -> None:
        """Load the tables that these names need, and create their views. Names that are neither table nor view are ignored."""
        views = [name for name in names if name in VIEWS]
        tables = [table.name for name in views for table in [TABLE_OF_VIEW.get(name)] if table]
        for table in dict.fromkeys([*SMALL, *tables, *(name for name in names if name in SCHEMAS)]):
            if table not in self._there:
                load(self._database, table, rows_of(self._source, table))
                self._there.add(table)
        for view in dict.fromkeys([*FAILING, *views]):
            self._database.execute(f"CREATE VIEW IF NOT EXISTS {view} AS {VIEWS[view]}")


def load(database: duckdb.DuckDBPyConnection, table: str, rows: Any) -> None:
    """Copy Arrow rows into a new table of DuckDB."""
    database.register("rows_to_read", rows)
    database.execute(f'CREATE TABLE "{table}" AS SELECT * FROM rows_to_read')
    database.unregister("rows_to_read")


def export_parquet(folder: str | os.PathLike[str]) -> list[Path]:
    """Write every view of a run as a Parquet file into ``parquet/`` of its folder, and return the files.

    Each file is replaced only when its successor is complete. Only the tables of levels, games and names are held in memory.

    Raises:
        PlaytestError: There is no readable run, or a file can't be written.
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
    """Write one view, streaming its rows."""
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
