"""The SQLite file of a run: writing it, and checking it before it is read.

Write-ahead mode lets others read while the file grows, and keeps committed batches whatever happens. A batch is one transaction.

A file is checked as a whole before any of it is used. SQLite finds damaged pages. It does not check types or ids of rows in other
tables; one query for each table does that here. Texts are checked by reading them.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, astuple, dataclass
from shlex import quote, split
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

from dungeon.core.errors import PlaytestError, file_errors, printable
from dungeon.playtest.recording.schema import (
    NAME,
    NATURAL_KEYS,
    OWNER_COLUMNS,
    RANGES,
    RUN,
    TABLES,
    VERSION,
    VIEWS,
    is_id,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from dungeon.playtest.recording.schema import Owner, Ranged, RunTable, TableColumn

    Counted = Literal["world", "level", "play"]


FACTS: Final = ("version", "probe", "content", "package", "maps", "arguments", "games")
"""The columns of the table `run`."""

OPTIONS: Final = {
    "arguments": ("--data", "--mod", "--import", "--difficulty"),
    "games": ("--bots", "--game", "--games", "--limit"),
}
"""Fact -> the command-line options that it may consist of; all take a value."""

DIFFICULTY = re.compile(r" --difficulty (\S+)$")
"""The option for a difficulty, which is the last one of the fact `arguments`."""

MAP_ID = re.compile(r"\w[\w/-]*|")
"""The form of a map id, which a shell needs no quotes for; empty for a game that ended on no map."""


def printable_text(raw: bytes) -> str:
    """Return a text of a run for display, with unprintable characters escaped: a run may come from anywhere.

    Raises:
        ValueError: The text is not UTF-8.
    """
    return printable(raw.decode())


def check_tables(database: sqlite3.Connection) -> None:
    """Check that a file has the tables of a run in this version.

    Raises:
        ValueError: Tables are missing, damaged or of another version.
        sqlite3.Error: The file can't be read.
    """
    there = dict(database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    if "run" not in there:
        raise ValueError("it holds no run, or only the beginning of one")
    versions = database.execute("SELECT version FROM run LIMIT 2").fetchall()
    if len(versions) != 1:
        raise ValueError("it is damaged: it does not say what was recorded")
    if versions != [(VERSION,)]:
        ((version,),) = versions
        newer = isinstance(version, int) and version > VERSION
        by = " (a newer version of the library wrote it)" if newer else ""
        raise ValueError(f"it has tables of version {version}, not {VERSION}{by}")
    for name, sql in {"run": RUN, "name": NAME, **{table.name: table.sql for table in TABLES}}.items():
        if there.get(name) != sql:
            what = "has a different structure" if name in there else "is missing"
            raise ValueError(f"it is damaged: its table {name!r} {what}")


def check_rows(database: sqlite3.Connection) -> None:
    """Check all rows of a file whose tables are right.

    Raises:
        ValueError: A row is wrong.
        sqlite3.Error: The file can't be read.
    """
    ((said,),) = database.execute("PRAGMA integrity_check(1)").fetchall()
    if said != "ok":
        raise ValueError(f"it is damaged: {' '.join(said.split())}")
    _check_facts(database)
    names = database.execute("SELECT id, text FROM name ORDER BY id").fetchall()
    if [number for number, _ in names] != [*range(len(names))] or not all(
        isinstance(text, str) for _, text in names
    ):
        raise ValueError("it is damaged: names are missing")
    sizes = {
        table.name: int(database.execute(f'SELECT count(*) FROM "{table.name}"').fetchone()[0])
        for table in TABLES
    }
    counts = {"name": len(names), **{kind: sizes[kind] for kind in NATURAL_KEYS}}
    for table in TABLES:
        for what, wrong in _mistakes(table, counts):
            if database.execute(f"SELECT EXISTS ({wrong})").fetchone() != (0,):
                raise ValueError(f"it is damaged: the table {table.name!r} has {what}")
        for column in table.columns:
            if column.kind == "text":
                text = f'"{column.name}"'
                database.execute(f'SELECT {text} FROM "{table.name}" WHERE {text} IS NOT NULL').fetchall()
    of_maps = "SELECT text FROM name WHERE id IN (SELECT map FROM level) OR id IN (SELECT map FROM play)"
    for (map_id,) in database.execute(of_maps):
        if not MAP_ID.fullmatch(map_id):
            raise ValueError(f"it is damaged: {map_id!r} is not a map id")


def parsed_options(fact: str, text: str) -> list[tuple[str, str]]:
    """Return the (option, value) pairs of a fact that holds command-line options. They are safe to print in a command.

    Args:
        fact: The name of the fact, such as ``arguments``.
        text: Its text, such as `` --mod extra``.

    Raises:
        ValueError: The text has other options than this fact may have, or is not written as this version writes it.
    """
    words = split(text)
    options = [*zip(words[::2], words[1::2], strict=False)]
    written = "".join(f" {option} {quote(value)}" for option, value in options)
    if written != text or not {option for option, _ in options} <= {*OPTIONS[fact]}:
        raise ValueError(f"it is damaged: {text!r} are not options of a run")
    return options


def difficulty_in(arguments: str) -> str:
    """Return the difficulty that the options in the fact `arguments` choose; empty for none."""
    found = DIFFICULTY.search(arguments)
    return found[1] if found else ""


def _check_facts(database: sqlite3.Connection) -> None:
    """Check the facts that all worlds of a run share, such as the fingerprint of its content.

    Raises:
        ValueError: A fact is damaged.
    """
    (row,) = database.execute(f"SELECT {', '.join(FACTS)} FROM run").fetchall()
    facts = dict(zip(FACTS, row, strict=True))
    if not all(isinstance(value, str) for name, value in facts.items() if name != "version"):
        raise ValueError("it is damaged: it does not say what was recorded")
    for fact in OPTIONS:
        parsed_options(fact, facts[fact])


def _mistakes(table: RunTable, counts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield (mistake in words, SQL that selects the rows with this mistake), for each mistake that a table might have.

    Args:
        table: The table.
        counts: Number of rows of the tables `name`, `level` and `play`, whose ids other tables refer to.
    """
    within = " OR ".join(_wrong_value_sql(column, counts) for column in table.columns)
    yield "impossible values", f'SELECT 1 FROM "{table.name}" WHERE {within}'
    if table.name in NATURAL_KEYS:
        known = ", ".join(f'"{name}"' for name in NATURAL_KEYS[table.name])
        yield "duplicate rows", f'SELECT 1 FROM "{table.name}" GROUP BY {known} HAVING count(*) > 1'
        yield (
            "rows without a world",
            f'SELECT 1 FROM "{table.name}" WHERE seed NOT IN (SELECT seed FROM world)',
        )
        needed = [f'"{column.name}"' for column in table.columns if column.empty and column.name != "error"]
        half = " OR ".join(f"(error IS NULL) = ({name} IS NULL)" for name in needed)
        yield "incomplete rows", f'SELECT 1 FROM "{table.name}" WHERE {half}'
    if table.owner:
        failed = f'SELECT id FROM "{table.owner}" WHERE error IS NOT NULL'
        yield (
            f"rows of a failed {table.owner}",
            f'SELECT 1 FROM "{table.name}" WHERE {table.owner} IN ({failed})',
        )
    if table.keys == 2 and table.columns[1].name == "n":
        gaps = f"GROUP BY {table.owner} HAVING min(n) <> 0 OR max(n) <> count(*) - 1"
        yield "missing rows", f'SELECT 1 FROM "{table.name}" {gaps}'


def _wrong_value_sql(column: TableColumn, counts: Mapping[str, int]) -> str:
    """Return an SQL condition that is true for rows in which a column's value is wrong.

    `counts` is table -> number of rows, for the tables whose ids other tables refer to.
    """
    name, kind = f'"{column.name}"', column.kind
    if kind == "text":
        return f"typeof({name}) NOT IN ('text', 'null')"
    least, most = (0, counts[kind] - 1) if kind in counts else RANGES[cast("Ranged", kind)]
    what = "real" if kind == "real" else "integer"
    wrong = f"typeof({name}) <> '{what}' OR {name} NOT BETWEEN {least} AND {most}"
    return f"({name} IS NOT NULL AND ({wrong}))" if column.empty else f"({wrong})"


Value = int | float | str | None

Row = tuple[Value, ...]


class Batch(NamedTuple):
    """The rows of some seeds' worlds.

    Attributes:
        seeds: The seeds.
        names: The names in the rows; rows hold indices into this list.
        rows: Table -> its rows. Levels and games are numbered from 0.
        seconds: Time to make the worlds and to run the probe on them (to make levels, play games); writing is not included.
    """

    seeds: range
    names: tuple[str, ...]
    rows: Mapping[str, list[Row]]
    seconds: float = 0.0


class RowCollector:
    """Collects rows and the names in them.

    Attributes:
        tables: Table -> its rows.
    """

    def __init__(self) -> None:
        self.tables: dict[str, list[Row]] = {table.name: [] for table in TABLES}
        self._names: dict[str, int] = {}

    def name(self, text: str) -> int:
        """Return the id of a name in these rows; a new name gets the next id."""
        return self._names.setdefault(text, len(self._names))

    def add(self, table: str, *values: Value) -> None:
        """Add a row to a table: its values in the order of the table's columns."""
        self.tables[table].append(values)

    def number(self, table: Owner, *values: Value) -> int:
        """Add a row to the table `level` or `play`, and return the number that it got as its first column."""
        number = len(self.tables[table])
        self.add(table, number, *values)
        return number

    def batch(self, seeds: range, seconds: float) -> Batch:
        """Return the collected rows as a `Batch` of these seeds; `seconds` is the time that it took to make them."""
        return Batch(seeds, tuple(self._names), self.tables, seconds)


FILE = "run.sqlite"
"""The name of a run's file in its folder."""

LOCK = "writing"
"""An empty database beside it, locked by the process that writes the run. The lock ends with the process."""

INDICES = {
    "level_of": "level(seed, map)",
    "placement_of": "placement(encounter)",
    "refusal_of": "refusal(subject)",
    "spawn_of": "spawn(tag)",
    "play_of": "play(seed, bot, n)",
    "meeting_of": "meeting(encounter)",
}
"""Indices, made after all rows are written: that is faster than updating them."""


DIFFERENCES = {
    "content": "with other content than this",
    "package": "with version {was} of the library, not {now}",
    "maps": "of {was}, not of {now}",
    "games": "with games ({was}) other than these ({now})",
    "probe": "with the probe {was}, not {now}",
    "difficulty": "at the difficulty {was}, not {now}",
}
"""Fact -> message if a run has a different one."""

EMPTY_MEANS = {"maps": "all maps", "games": "none", "difficulty": "none"}
"""Fact -> meaning of an empty value."""

ELSEWHERE = "record into another folder, or delete that one"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts that all worlds of a run share.

    Attributes:
        probe: The name of the probe.
        content: The fingerprint of the content.
        package: The version of the library.
        maps: The ids of the recorded maps, separated by spaces; empty for all.
        arguments: The command-line options that load the content and choose its difficulty.
        games: The command-line options that play the same games; empty for none.
    """

    probe: str
    content: str
    package: str
    maps: str
    arguments: str
    games: str = ""


@contextmanager
def open_store(folder: Path, facts: Facts) -> Iterator[Store]:
    """Open the file of a run for writing; it is created if there is none.

    Args:
        folder: The folder of the run.
        facts: The facts that its worlds share.

    Raises:
        PlaytestError: The folder holds a different run, another process is writing it, or it can't be written.
    """
    path = folder / FILE
    with file_errors(PlaytestError, "written", path):
        folder.mkdir(parents=True, exist_ok=True)
    with sqlite_errors_explained(path), ExitStack() as stack:
        lock = stack.enter_context(closing(sqlite3.connect(folder / LOCK, isolation_level=None, timeout=0)))
        lock.execute("BEGIN EXCLUSIVE")
        database = stack.enter_context(closing(sqlite3.connect(path, isolation_level=None)))
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        yield Store(path, database, facts)


class Store:
    """The file of a run, open for writing: see `open_store`."""

    def __init__(self, path: Path, database: sqlite3.Connection, facts: Facts) -> None:
        self.path = path
        self._database = database
        with self._transaction():
            if not database.execute("SELECT * FROM sqlite_master").fetchone():
                self._begin(facts)
            else:
                check_tables(database)
                check_rows(database)
            self._check(facts)
            for name in INDICES:
                database.execute(f"DROP INDEX IF EXISTS {name}")
        self._names = {text: number for number, text in database.execute("SELECT id, text FROM name")}

    def missing(self, seeds: range) -> list[range]:
        """Return the ranges of `seeds` that have not been recorded, in order."""
        query = "SELECT seed FROM world WHERE seed >= ? AND seed < ? ORDER BY seed"
        there = self._database.execute(query, (seeds.start, seeds.stop))
        return gaps_in(seeds, (range(seed, seed + 1) for (seed,) in there))

    def write(self, batch: Batch) -> None:
        """Write a batch in one transaction."""
        with self._transaction():
            names = self._numbers_of(batch.names)
            first = {
                owner: self._value(f"SELECT coalesce(max(id) + 1, 0) FROM {owner}") for owner in OWNER_COLUMNS
            }
            for table in TABLES:
                rows = _renumbered(table, batch.rows.get(table.name, []), names, first)
                marks = ", ".join("?" * len(table.columns))
                self._database.executemany(f'INSERT INTO "{table.name}" VALUES ({marks})', rows)

    def finish(self) -> None:
        """Create the indices and merge the write-ahead log into the file."""
        with self._transaction():
            for name, on in INDICES.items():
                self._database.execute(f"CREATE INDEX {name} ON {on}")
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def counted(self, table: Counted, seeds: range, *, failed: bool = False) -> int:
        """Return the number of worlds, levels or games of some seeds; if `failed`, count only those that could not be made or played."""
        query = f"SELECT count(*) FROM {table} WHERE seed >= ? AND seed < ? AND (error IS NOT NULL OR ?)"
        return self._value(query, (seeds.start, seeds.stop, not failed))

    def _begin(self, facts: Facts) -> None:
        """Create the tables and views of a new run."""
        for statement in (RUN, NAME, *(table.sql for table in TABLES)):
            self._database.execute(statement)
        for view, select in VIEWS.items():
            self._database.execute(f"CREATE VIEW {view} AS {select}")
        self._database.execute("INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?)", (VERSION, *astuple(facts)))

    def _check(self, facts: Facts) -> None:
        """Raise a PlaytestError if the run has different facts."""
        found = self._database.execute("SELECT * FROM run")
        names = [column for column, *_ in found.description]
        check_facts(dict(zip(names, found.fetchone(), strict=True)), facts, self.path)

    def _numbers_of(self, names: Iterable[str]) -> list[int]:
        """Return the ids that names have in the file; names that it lacks are added."""
        new = [name for name in names if name not in self._names]
        for name in new:
            self._names[name] = len(self._names)
        self._database.executemany(
            "INSERT INTO name VALUES (?, ?)", [(self._names[name], name) for name in new]
        )
        return [self._names[name] for name in names]

    def _value(self, query: str, values: tuple[int, ...] = ()) -> int:
        (value,) = self._database.execute(query, values).fetchone()
        return int(value)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit everything done in the ``with`` block; nothing if the block raises an error."""
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            yield


def check_facts(there: Mapping[str, Any], facts: Facts, path: Path) -> None:
    """Raise a PlaytestError if a run has different facts, or tables of another version.

    Args:
        there: The facts that the run's file holds.
        facts: The facts of the recording.
        path: The file, for messages.
    """
    if there["version"] != VERSION:
        raise PlaytestError(f"{path} has tables of version {there['version']}, not {VERSION}: {ELSEWHERE}")
    both = [{**each, "difficulty": difficulty_in(each["arguments"])} for each in (there, asdict(facts))]
    for name, sentence in DIFFERENCES.items():
        was, now = (each[name] for each in both)
        if was != now:
            was, now = ((value or EMPTY_MEANS.get(name, "")).strip() for value in (was, now))
            said = sentence.format(was=was, now=now)
            raise PlaytestError(f"{path} was recorded {said}: {ELSEWHERE}")


def _renumbered(
    table: RunTable, rows: Sequence[Row], names: Sequence[int], first: Mapping[Owner, int]
) -> Iterator[Row]:
    """Yield the rows of a batch with the ids of the file in place of the batch's own.

    Args:
        table: The table.
        rows: Its rows in the batch.
        names: For each name of the batch, its id in the file.
        first: The ids that the batch's first level and first game get in the file.
    """
    columns: list[Iterable[Any]] = list(zip(*rows, strict=True))
    for index, values in enumerate(columns):
        kind = table.columns[index].kind
        if kind == "name":
            columns[index] = map(names.__getitem__, values)
        elif is_id(kind):
            columns[index] = map(first[kind].__add__, values)
    return zip(*columns, strict=True)


def gaps_in(seeds: range, there: Iterable[range]) -> list[range]:
    """Return the parts of `seeds` that are in none of the ascending ranges `there`: (0-9, [3-4]) -> [0-2, 5-9]."""
    gaps, first = [], seeds.start
    for part in there:
        if part.start > first:
            gaps.append(range(first, min(part.start, seeds.stop)))
        first = max(first, part.stop)
    gaps.append(range(first, seeds.stop))
    return [gap for gap in gaps if gap]


@contextmanager
def sqlite_errors_explained(path: Path) -> Iterator[None]:
    """Raise errors of SQLite and of checks as a PlaytestError that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        is_busy = getattr(error, "sqlite_errorname", "") == "SQLITE_BUSY"
        why = "another process is writing it" if is_busy else str(error)
        raise PlaytestError(f"{path} cannot be written: {why}") from error
    except ValueError as error:
        raise PlaytestError(f"{path} cannot be written: {error}; {ELSEWHERE}") from error
