"""A recorded run of many worlds, to query in SQL. DuckDB reads only the files and columns that a query needs."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import asdict
from itertools import accumulate
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import duckdb
import pyarrow as pa

from dungeon.core.errors import PlaytestError, printable
from dungeon.core.frozen import Derived
from dungeon.playtest.recording.manifest import PARTS, part_name, read_facts, recorded_parts
from dungeon.playtest.recording.schema import FAILING, FAILURES, RANGES, SQL_TYPES, TABLE_OF_VIEW, VIEWS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from dungeon.playtest.recording.schema import Ranged, RunTable

MEMORY = "4GB"
"""What a run may take of memory. Beyond that, DuckDB puts intermediate results on disk."""

MAP_ID = r"(\w[\w/-]*)?"
"""The form of a map id, which a shell needs no quotes for; empty for a game that ended on no map."""

WRONG_QUERY = (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException)
"""What DuckDB raises if a query is wrong; anything else is damage."""

ROWS = 50_000
"""Number of rows fetched at a time."""


UNREADABLE = (duckdb.Error, UnicodeDecodeError)
"""What DuckDB raises for a damaged file; a message that quotes damaged bytes can't be decoded."""


class Run:
    """A recorded run as it is now; parts recorded later are not seen. Files are checked when a query first needs them.

    Each view is an attribute, a DuckDB relation: `run.placements`, `run.spawns`, `run.failures`... In a ``with`` statement,
    damage that a query comes upon is raised as a PlaytestError.

    Args:
        folder: The folder of the run.
        most: Maximum number of worlds, by whole parts in the order of seeds: the first part is always there. None for all worlds.

    Attributes:
        facts: The facts that all worlds of the run share.
        notes: Cache of results computed from the run, which does not change.

    Raises:
        PlaytestError: There is no readable run.
    """

    def __init__(self, folder: str | os.PathLike[str], *, most: int | None = None) -> None:
        self.folder = Path(folder)
        self.facts = read_facts(folder)
        self._seeds = recorded_parts(folder)
        if most is not None:
            sums = accumulate(map(len, self._seeds))
            self._seeds = self._seeds[: max(1, sum(worlds <= most for worlds in sums))]
        self._parts = [self.folder / PARTS / part_name(seeds) for seeds in self._seeds]
        self._database = duckdb.connect()
        spilled = f"{gettempdir()}/dungeon-{os.getpid()}"
        self._database.execute("SET memory_limit = ?", [MEMORY])
        self._database.execute("SET temp_directory = ?", [spilled])
        facts = asdict(self.facts)
        columns = ", ".join(f"? AS {name}" for name in facts)
        self._database.execute(f"CREATE TABLE run AS SELECT {columns}", [*facts.values()])
        self._there: set[str] = set()
        self.notes = Derived()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if isinstance(error, UNREADABLE) and not isinstance(error, WRONG_QUERY):
            raise self._unreadable(error) from error

    def close(self) -> None:
        """Close the run and all its relations."""
        self._database.close()

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *VIEWS])

    def __getattr__(self, name: str) -> duckdb.DuckDBPyRelation:
        if name not in VIEWS:
            raise AttributeError(f"a run has no {name!r}, only {', '.join(VIEWS)}")
        self._prepare([name])
        return self._database.view(name)

    def sql(self, query: str, values: Sequence[object] = ()) -> duckdb.DuckDBPyRelation:
        """Return the result of a query over the views and the table `run`; `values` stand for its question marks.

        Raises:
            duckdb.Error: DuckDB does not understand the query.
        """
        self._prepare_for(query)
        return self._database.sql(query, params=values or None)

    def rows(self, query: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query; only some thousands of them are in memory at a time."""
        self._prepare_for(query)
        result = self._database.cursor().execute(query)
        while rows := result.fetchmany(ROWS):
            yield from rows

    def arrow(self, query: str) -> pa.Table:
        """Return the rows of a query as an Arrow table.

        Raises:
            PlaytestError: The run is damaged.
        """
        self._prepare_for(query)
        try:
            return self._database.sql(query).to_arrow_table()
        except UNREADABLE as error:
            raise self._unreadable(error) from error

    def add(self, table: str, rows: pa.Table | str) -> None:
        """Add a table of your own, to query together with the others.

        Args:
            table: Its name, which no view of a run has.
            rows: Its rows, or a query that selects them.

        Raises:
            ValueError: The name is taken.
        """
        if table == "run" or table in VIEWS:
            raise ValueError(f"every run has a table or view {table!r}: choose another name")
        if isinstance(rows, str):
            self._prepare_for(rows)
            self._database.execute(f'CREATE TABLE "{table}" AS {rows}')
            return
        self._database.register("rows_to_read", rows)
        self._database.execute(f'CREATE TABLE "{table}" AS SELECT * FROM rows_to_read')
        self._database.unregister("rows_to_read")

    def check(self) -> None:
        """Check all parts.

        Raises:
            PlaytestError: The run is damaged.
        """
        self._prepare(VIEWS)

    def _prepare_for(self, query: str) -> None:
        """Check and create the views that a query names."""
        self._prepare(re.findall(r"\w+", query))

    def _prepare(self, names: Iterable[str]) -> None:
        """Check and create these views, and those that they refer to; names of no view are ignored.

        Raises:
            PlaytestError: The run is damaged.
        """
        wanted = {*names} - self._there
        if "failures" in wanted:
            wanted |= {*FAILING} - self._there
        try:
            for view in (view for view in VIEWS if view in wanted):
                self._there.add(view)
                select = FAILURES if view == "failures" else self._checked(TABLE_OF_VIEW[view])
                self._database.execute(f"CREATE OR REPLACE VIEW {view} AS {select}")
                if view in FAILING:
                    self._check_rows(TABLE_OF_VIEW[view])
        except (*UNREADABLE, _DamageError) as error:
            self._there -= wanted
            raise self._unreadable(error) from error

    def _checked(self, table: RunTable) -> str:
        """Return the SELECT of a view over the files of all parts, after checking what the files state about their columns.

        Raises:
            duckdb.Error: A file is missing or damaged.
            _DamageError: A file holds other columns, or values that recording does not write.
        """
        if not self._parts:
            columns = ", ".join(f'NULL::{SQL_TYPES[each.kind]} AS "{each.name}"' for each in table.shown)
            return f"SELECT {columns} WHERE false"
        listed = self._files_of(table)
        if wrong := self._database.execute(_wrong_columns(table, listed)).fetchone():
            raise _DamageError("{}: the column '{}' has another type or impossible values".format(*wrong))
        columns = ", ".join(f'"{each.name}"' for each in table.shown)
        return f"SELECT {columns} FROM read_parquet({listed})"

    def _files_of(self, table: RunTable) -> str:
        """Return the files of a view as a list in SQL."""
        files = [f"{part}/{table.view}.parquet".replace("'", "''") for part in self._parts]
        listed = "', '".join(files)
        return f"['{listed}']"

    def _check_rows(self, table: RunTable) -> None:
        """Check that parts hold the worlds of their names, or that levels or games are complete.

        Raises:
            duckdb.Error: A file is damaged.
            _DamageError: Something is wrong.
        """
        if table.view == "worlds":
            query = "SELECT filename, min(seed), max(seed), count(DISTINCT seed) FROM read_parquet({}, filename = true) GROUP BY ALL"
            files = (
                self._database.execute(query.format(self._files_of(table))).fetchall() if self._parts else []
            )
            there = {Path(name).parent.name: found for name, *found in files}
            for seeds in self._seeds:
                if there.get(part_name(seeds)) != [seeds[0], seeds[-1], len(seeds)]:
                    raise _DamageError(
                        f"the part {part_name(seeds)} does not hold the worlds {seeds[0]} to {seeds[-1]}"
                    )
            return
        needed = [each.name for each in table.columns if each.empty and each.name != "error"]
        half = " OR ".join(f'(error IS NULL) = ("{name}" IS NULL)' for name in needed)
        if self._database.execute(f"SELECT 1 FROM {table.view} WHERE {half} LIMIT 1").fetchone():
            raise _DamageError(f"{table.view} has incomplete rows")
        query = f"SELECT map FROM {table.view} WHERE NOT regexp_full_match(map, '{MAP_ID}') LIMIT 1"
        if wrong := self._database.execute(query).fetchone():
            raise _DamageError(f"{wrong[0]!r} is not a map id")

    def _unreadable(self, error: Exception) -> PlaytestError:
        """Return an error that says in one line why the run can't be read."""
        said = f"it is damaged: {error}" if isinstance(error, _DamageError) else str(error)
        return PlaytestError(f"{self.folder} cannot be read: {printable(said.partition(chr(10))[0])}")


def arrow_table(columns: Mapping[str, pa.DataType], rows: Iterable[tuple[Any, ...]]) -> pa.Table:
    """Return an Arrow table of some rows, which may be none; `columns` has the name and the type of each column."""
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    arrays = [pa.array(each, kind) for each, kind in zip(values, columns.values(), strict=True)]
    return pa.table(arrays, list(columns))


class _DamageError(Exception):
    """A run holds something that recording does not write."""


PHYSICAL_TYPES = {"VARCHAR": "BYTE_ARRAY", "BIGINT": "INT64", "INTEGER": "INT32", "DOUBLE": "DOUBLE"}
"""Type in SQL -> type in Parquet files."""


def _wrong_columns(table: RunTable, listed: str) -> str:
    """Return a query for (file, column) of a column that is of a wrong type or states a wrong smallest or largest value.

    Args:
        table: The table of the view.
        listed: The files of the view, as a list in SQL.
    """
    expected = []
    for column in table.shown:
        least, most = RANGES.get(cast("Ranged", column.kind), ("NULL", "NULL"))
        kind = PHYSICAL_TYPES[SQL_TYPES[column.kind]]
        expected.append(f"('{column.name}', '{kind}', {column.empty}, {least}::DOUBLE, {most}::DOUBLE)")
    return f"""
        SELECT file_name, path_in_schema FROM parquet_metadata({listed}) AS told
        LEFT JOIN (VALUES {", ".join(expected)}) AS meant(name, type, may_be_empty, least, most) ON name = path_in_schema
        WHERE meant.type IS DISTINCT FROM told.type OR (stats_null_count > 0 AND NOT may_be_empty)
            OR TRY_CAST(stats_min_value AS DOUBLE) < least OR TRY_CAST(stats_max_value AS DOUBLE) > most
        LIMIT 1
    """


class Digest(NamedTuple):
    """Number of rows of a view, and the SHA-256 of all of them in order."""

    rows: int
    digest: str


def digests(folder: str | os.PathLike[str]) -> dict[str, Digest]:
    """Return view -> digest of its rows.

    Rows are sorted by seeds, maps, bots and keys, so equal runs have equal digests. Timings are left out.

    Raises:
        PlaytestError: There is no readable run.

    Example:
        >>> from dungeon.playtest import digests, record
        >>> recorded = record(content, range(2), out="one", maps=["foundry/3"])
        >>> again = record(content, range(2), out="two", maps=["foundry/3"])
        >>> digests("one") == digests("two")
        True
    """
    with Run(folder) as run:
        return {view: _digest(run, table) for view, table in TABLE_OF_VIEW.items() if table.is_deterministic}


def _digest(run: Run, table: RunTable) -> Digest:
    ordered = ", ".join(f'"{name}"' for name in table.order)
    digest, count = hashlib.sha256(), 0
    for row in run.rows(f"SELECT * FROM {table.view} ORDER BY {ordered}"):
        digest.update(repr(row).encode())
        count += 1
    return Digest(count, digest.hexdigest())
