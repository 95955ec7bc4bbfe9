"""Whether the file of a run is whole: read before anything that it says is used, so that damage is told and nothing is read by half.

Damage that SQLite knows is found by SQLite. It does not know types, nor which numbers stand for rows of other tables: those are
checked here, by one query a table. Texts are checked by reading them.
"""

from __future__ import annotations

import re
from shlex import quote, split
from typing import TYPE_CHECKING, Final, cast

from dungeon.core.errors import printable
from dungeon.playtest.recording.schema import (
    KNOWN_BY,
    NAME,
    RANGES,
    RUN,
    TABLES,
    VERSION,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

    from dungeon.playtest.recording.schema import Column, Ranged, Table

FACTS: Final = ("version", "probe", "content", "package", "maps", "arguments", "games")
"""The columns of the table `run`."""

OPTIONS: Final = {
    "arguments": ("--data", "--mod", "--import"),
    "games": ("--bots", "--game", "--games", "--limit"),
}
"""Fact -> the options that it may have; all take a value."""

MAP_ID = re.compile(r"\w[\w/-]*|")
"""How ids of maps look; empty where a game has ended on none. A shell takes such words as they are."""


def text_of(raw: bytes) -> str:
    """Return a text of a run as it is shown: whatever does not print is escaped, for it may come from anywhere.

    Raises:
        ValueError: It is no UTF-8.
    """
    return printable(raw.decode())


def check_tables(database: sqlite3.Connection) -> None:
    """Check that a file has the tables of a run, and that this version reads them. Other versions have others.

    Raises:
        ValueError: It has not.
        sqlite3.Error: It can't be read.
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
            what = "is not as it was made" if name in there else "is missing"
            raise ValueError(f"it is damaged: its table {name!r} {what}")


def check_rows(database: sqlite3.Connection) -> None:
    """Check everything that a file holds, once its tables are known to be right.

    Raises:
        ValueError: Something in it is wrong.
        sqlite3.Error: It can't be read.
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
    counts = {"name": len(names), **{kind: sizes[kind] for kind in KNOWN_BY}}
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
            raise ValueError(f"it is damaged: {map_id!r} is no id of a map")


def options_in(fact: str, text: str) -> list[tuple[str, str]]:
    """Return the options, with their values, that a fact of a run consists of.

    Raises:
        ValueError: It is written in another way, or has others. So it may be printed as a part of a command.
    """
    words = split(text)
    options = [*zip(words[::2], words[1::2], strict=False)]
    written = "".join(f" {option} {quote(value)}" for option, value in options)
    if written != text or not {option for option, _ in options} <= {*OPTIONS[fact]}:
        raise ValueError(f"it is damaged: {text!r} are no options of a run")
    return options


def _check_facts(database: sqlite3.Connection) -> None:
    """Check what all worlds of a run have in common."""
    (row,) = database.execute(f"SELECT {', '.join(FACTS)} FROM run").fetchall()
    facts = dict(zip(FACTS, row, strict=True))
    if not all(isinstance(value, str) for name, value in facts.items() if name != "version"):
        raise ValueError("it is damaged: it does not say what was recorded")
    for fact in OPTIONS:
        options_in(fact, facts[fact])


def _mistakes(table: Table, counts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield what may be wrong in a table, and a query of the rows in which it is.

    Args:
        table: The table.
        counts: How many names, levels and games there are.
    """
    within = " OR ".join(_wrong(column, counts) for column in table.columns)
    yield "values that can't be", f'SELECT 1 FROM "{table.name}" WHERE {within}'
    if table.name in KNOWN_BY:
        known = ", ".join(f'"{name}"' for name in KNOWN_BY[table.name])
        yield "rows twice", f'SELECT 1 FROM "{table.name}" GROUP BY {known} HAVING count(*) > 1'
        yield "rows of no world", f'SELECT 1 FROM "{table.name}" WHERE seed NOT IN (SELECT seed FROM world)'
        needed = [f'"{column.name}"' for column in table.columns if column.empty and column.name != "error"]
        half = " OR ".join(f"(error IS NULL) = ({name} IS NULL)" for name in needed)
        yield "rows that are half empty", f'SELECT 1 FROM "{table.name}" WHERE {half}'
    if table.owner:
        failed = f'SELECT id FROM "{table.owner}" WHERE error IS NOT NULL'
        yield (
            f"rows of a failed {table.owner}",
            f'SELECT 1 FROM "{table.name}" WHERE {table.owner} IN ({failed})',
        )
    if table.keys == 2 and table.columns[1].name == "n":
        gaps = f"GROUP BY {table.owner} HAVING min(n) <> 0 OR max(n) <> count(*) - 1"
        yield "rows missing", f'SELECT 1 FROM "{table.name}" {gaps}'


def _wrong(column: Column, counts: Mapping[str, int]) -> str:
    """Return the SQL for whether a value of a column can't be right."""
    name, kind = f'"{column.name}"', column.kind
    if kind == "text":
        return f"typeof({name}) NOT IN ('text', 'null')"
    least, most = (0, counts[kind] - 1) if kind in counts else RANGES[cast("Ranged", kind)]
    what = "real" if kind == "real" else "integer"
    wrong = f"typeof({name}) <> '{what}' OR {name} NOT BETWEEN {least} AND {most}"
    return f"({name} IS NOT NULL AND ({wrong}))" if column.empty else f"({wrong})"
