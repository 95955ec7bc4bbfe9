"""Reading the file of a run, while it may still grow."""

from __future__ import annotations

import shlex
import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from dungeon.playtest.errors import PlaytestError
from dungeon.playtest.recording.fingerprint import fingerprint
from dungeon.playtest.recording.schema import VERSION
from dungeon.playtest.recording.store import FILE

if TYPE_CHECKING:
    import os


def read_only(folder: str | os.PathLike[str]) -> sqlite3.Connection:
    """Open the run in a folder. All that is read belongs together: what is written later is not seen.

    Raises:
        PlaytestError: There is no run that can be read.
    """
    path = Path(folder) / FILE
    if not path.is_file():
        raise PlaytestError(f"there is no run in {folder}: {path} is missing")
    # DuckDB takes rows in threads of its own, though one after the other.
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        database.execute("PRAGMA query_only = ON")
        database.execute("BEGIN")
        (version,) = database.execute("SELECT version FROM run").fetchone()
    except sqlite3.Error as error:
        database.close()
        raise PlaytestError(f"{path} cannot be read: {error}") from error
    if version != VERSION:
        database.close()
        raise PlaytestError(f"{path} has tables of version {version}; only {VERSION} can be read")
    return database


def content_of(folder: str | os.PathLike[str]) -> tuple[str, list[str]]:
    """Return the fingerprint of the content that a run was recorded with, and its folders; none if they have changed since.

    Raises:
        PlaytestError: There is no run that can be read.
    """
    with closing(read_only(folder)) as database:
        recorded, arguments = database.execute("SELECT content, arguments FROM run").fetchone()
    words = shlex.split(arguments)
    layers = [value for option, value in pairwise(words) if option in ("--data", "--mod")]
    is_there = all(Path(each).is_dir() for each in layers) and fingerprint(layers) == recorded
    return recorded, layers if is_there else []
