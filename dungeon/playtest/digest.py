"""What a run says, as one number: runs that say the same have the same, however they came about."""

from __future__ import annotations

import hashlib
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from dungeon.playtest.reading import read_only
from dungeon.playtest.recording.schema import TABLES, view_sql

if TYPE_CHECKING:
    import os
    import sqlite3

    from dungeon.playtest.recording.schema import Table


class Digest(NamedTuple):
    """A table's rows: how many there are, and the SHA-256 of all of them in order."""

    rows: int
    digest: str


def digests(folder: str | os.PathLike[str]) -> dict[str, Digest]:
    """Return view -> the digest of its rows, written out and in the order of seeds, maps or bots, and keys.

    How long stages took is left out, as it is never the same.

    Raises:
        PlaytestError: There is no run that can be read.
    """
    with closing(read_only(folder)) as database:
        database.text_factory = str  # as it was recorded, and not as it is shown
        return {table.view: _digest(database, table) for table in TABLES if table.is_told}


def _digest(database: sqlite3.Connection, table: Table) -> Digest:
    ordered = ", ".join(f'"{name}"' for name in table.order)
    digest, count = hashlib.sha256(), 0
    for row in database.execute(f"SELECT * FROM ({view_sql(table)}) ORDER BY {ordered}"):
        digest.update(repr(row).encode())
        count += 1
    return Digest(count, digest.hexdigest())
