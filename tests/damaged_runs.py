"""Recorded runs damaged at random, in the bytes of the file or by SQL, and what every command must do with them."""

from __future__ import annotations

import sqlite3
from contextlib import closing, redirect_stderr, redirect_stdout
from io import StringIO
from random import Random
from typing import TYPE_CHECKING

from dungeon.cli import main
from dungeon.playtest import PlaytestError, digests
from dungeon.playtest.reading import content_of, read_only
from dungeon.playtest.run import SCHEMAS, rows_of

if TYPE_CHECKING:
    from pathlib import Path

FILE = "run.sqlite"
ODD = (
    None,
    -1,
    0,
    1,
    2,
    7,
    2**31,
    2**62,
    1.5,
    1e308,
    "",
    "a",
    "\x1b[31mred",
    "' OR 1",
    b"\xff\x00",
    "/1",
    "--data /",
)
SHORT = 200
"""How many bytes are overwritten at once, at most."""


def damage(whole: bytes, path: Path, seed: int) -> str:
    """Write a damaged copy of a run's file, and return what was done to it."""
    dice = Random(seed)
    for name in (f"{FILE}-wal", f"{FILE}-shm"):
        (path.parent / name).unlink(missing_ok=True)
    kind = dice.choice(("bytes", "bytes", "block", "cut", "grown", "log", "sql", "sql", "sql", "sql"))
    data = bytearray(whole)
    if kind == "log":
        path.write_bytes(data)
        _damage_log(path, dice)
    elif kind == "bytes":
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
    return _by_sql(path, dice) if kind == "sql" else kind


def _damage_log(path: Path, dice: Random) -> None:
    """Put a damaged write-ahead log beside a run: SQLite reads what is whole of it in place of pages of the file."""
    log = path.with_name(f"{FILE}-wal")
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("UPDATE name SET text = text || '!' WHERE id % 7 = 0")
        data = bytearray(log.read_bytes())
    for _ in range(dice.choice((0, 1, 30))):
        data[dice.randrange(len(data))] = dice.randrange(256)
    log.write_bytes(data[: dice.randrange(len(data) + 1)])


def _by_sql(path: Path, dice: Random) -> str:
    """Change a run by SQL: values, rows, columns, tables, the version."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        tables = database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        ).fetchall()
        (table,) = dice.choice(tables)
        column = dice.choice([row[1] for row in database.execute(f'PRAGMA table_info("{table}")')])
        where = f'WHERE "{column}" IN (SELECT "{column}" FROM "{table}" LIMIT 1 OFFSET {dice.randrange(9)})'
        value = dice.choice(ODD)
        done = dice.choice((
            "UPDATE", "UPDATE", "UPDATE", "UPDATE", "DELETE", "DELETE", "DROP TABLE", "DROP COLUMN", "RENAME", "VIEW", "VERSION",
        ))  # fmt: skip
        changes = {
            "UPDATE": [f'UPDATE OR REPLACE "{table}" SET "{column}" = ? {where}'],
            "DELETE": [f'DELETE FROM "{table}" {where}'],
            "DROP TABLE": [f'DROP TABLE "{table}"'],
            "DROP COLUMN": [f'ALTER TABLE "{table}" DROP COLUMN "{column}"'],
            "RENAME": [f'ALTER TABLE "{table}" RENAME TO other'],
            "VIEW": [
                f'DROP TABLE "{table}"',
                f'CREATE VIEW "{table}" AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i AS "{column}" FROM n',
            ],
            "VERSION": [f"UPDATE run SET version = {dice.choice((0, 2, 3, 99, -1))}"],
        }
        # So that even what the tables forbid gets in, as damage does.
        database.execute("PRAGMA writable_schema = ON")
        loose = "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE name = ?"
        kept = database.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        database.execute(loose, (table,))
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        try:
            for change in changes[done]:
                database.execute(change, (value,) if "?" in change else ())
        except sqlite3.Error:
            done += " (refused)"
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET sql = ? WHERE name = ? AND type = 'table'", (*kept, table))
    return f"{done} {table}.{column} {value!r}"


def is_read(run: Path) -> bool:
    """Read everything that commands read of a run, and return whether that was possible.

    Raises:
        AssertionError: The run is refused with something else than one printable line.
    """
    why = ""
    try:
        with closing(read_only(run)) as database:
            for table in SCHEMAS:
                rows_of(database, table).read_all()
        digests(run)
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
