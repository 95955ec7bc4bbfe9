"""Recorded runs damaged at random, in the bytes of a file or by SQL, and what every command must do with them."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from random import Random
from shutil import copytree, rmtree
from typing import TYPE_CHECKING

import duckdb
from changed_runs import change, change_facts

from dungeon import playtest
from dungeon.cli import main
from dungeon.playtest import PlaytestError
from dungeon.playtest.reading import content_of
from dungeon.playtest.recording.schema import TABLES

if TYPE_CHECKING:
    from pathlib import Path

ODD = (None, -1, 0, 1, 2, 7, 2**31 - 1, 2**62, 1.5, 1e308, "", "a", "\x1b[31mred", "' OR 1", "/1", "--data /")
SHORT = 200
"""How many bytes are overwritten at once, at most."""


def damage(whole: Path, into: Path, seed: int) -> str:
    """Write a damaged copy of a run, and return what was done to it."""
    dice = Random(seed)
    rmtree(into, ignore_errors=True)
    copytree(whole, into)
    kind = dice.choice(
        ("bytes", "bytes", "block", "cut", "grown", "gone", "facts", "sql", "sql", "sql", "sql")
    )
    if kind == "sql":
        return _by_sql(into, dice)
    if kind == "facts":
        fact = dice.choice(("version", "probe", "content", "package", "maps", "arguments", "games"))
        change_facts(into, **{fact: dice.choice(ODD)})
        return f"facts {fact}"
    path = dice.choice(sorted(file for file in into.rglob("*") if file.suffix in (".json", ".parquet")))
    data = bytearray(path.read_bytes())
    if kind == "bytes":
        for _ in range(dice.choice((1, 1, 3, 30, 300))):
            data[dice.randrange(len(data))] = dice.randrange(256)
    elif kind == "block":
        at = dice.randrange(len(data))
        size = min(dice.randrange(1, SHORT), len(data) - at)
        data[at : at + size] = dice.choice((bytes(size), dice.randbytes(size)))
    elif kind == "cut":
        del data[dice.randrange(len(data)) :]
    elif kind == "grown":
        data += dice.randbytes(dice.randrange(1, 9000))
    path.write_bytes(data)
    if kind == "gone":
        path.unlink()
    return f"{kind} {path.name}"


def _by_sql(run: Path, dice: Random) -> str:
    """Change a view of a run by SQL: values, rows, columns, the whole view."""
    table = dice.choice(TABLES)
    column = dice.choice(table.shown).name
    row = f"(SELECT {column} FROM {table.view} LIMIT 1 OFFSET {dice.randrange(9)})"
    value = dice.choice(ODD)
    written = (
        "NULL"
        if value is None
        else repr(value)
        if not isinstance(value, str)
        else "'" + value.replace("'", "''") + "'"
    )
    done = dice.choice(
        (
            *4 * [f"UPDATE {table.view} SET {column} = {written} WHERE {column} = {row}"],
            *2 * [f"DELETE FROM {table.view} WHERE {column} = {row}"],
            f"ALTER TABLE {table.view} DROP COLUMN {column}",
            f"ALTER TABLE {table.view} RENAME COLUMN {column} TO other",
            f"ALTER TABLE {table.view} ALTER COLUMN {column} TYPE VARCHAR",
        )
    )
    try:
        change(run, done)
    except (duckdb.Error, TypeError):
        done += " (refused)"
    return done


def is_read(run: Path) -> bool:
    """Read everything that commands read of a run, and return whether that was possible.

    Raises:
        AssertionError: The run is refused with something else than one printable line.
    """
    why = ""
    try:
        with playtest.open(run) as opened:
            opened.check()
        playtest.digests(run)
        content_of(run)
    except PlaytestError as error:
        why = str(error)
    assert why.isprintable(), why
    return not why


def judge(run: Path, other: Path) -> int:
    """Give a damaged run to the commands that open runs; return how many of them have read it.

    Raises:
        AssertionError: One ended otherwise than with its output, or with one line that says what is wrong.
    """
    read = 0
    for call in (
        ["report", str(run), "--text"],
        ["compare", str(other), str(run)],
        ["playtest", "--digest", "--out", str(run)],
    ):
        with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
            code = main(call)
        said = err.getvalue()
        assert code in (0, 2), (call, code)
        assert out.getvalue().replace("\n", "").isprintable(), call
        if code == 2:
            assert said.startswith("dungeon: "), said
            assert said.count("\n") == 1, said
            assert said[:-1].isprintable(), said
            assert out.getvalue() == "", call
        read += not code
    return read
