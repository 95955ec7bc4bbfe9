"""Reading the file of a run, also while it grows, and digests of its rows. No code named in a file is imported or run."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dungeon.content.loading.draft import ACCEPTED_FILE
from dungeon.content.source.files import ProblemLog, content_files, digest_of
from dungeon.core.errors import PlaytestError, file_errors, printable
from dungeon.playtest.recording.schema import TABLES, view_sql
from dungeon.playtest.recording.store import FILE, check_rows, check_tables, parsed_options, printable_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dungeon.playtest.recording.schema import RunTable


def fingerprint(layers: Iterable[str | os.PathLike[str]]) -> str:
    """Return a digest of all files of some content folders that matter for levels. It does not depend on where the folders are.

    Args:
        layers: The content folder and its mods, in order.

    Raises:
        PlaytestError: A file can't be read, or a folder holds none.
    """
    parts: list[bytes] = []
    for number, layer in enumerate(map(Path, layers)):
        files = content_files(layer, ProblemLog(), number)
        if not files:
            raise PlaytestError(f"the content folder {layer} is gone or empty")
        for file in (each for each in files if each.place != ACCEPTED_FILE):
            with file_errors(PlaytestError, "read", file.path):
                parts += [os.fsencode(file.key), file.path.read_bytes()]
    return digest_of(parts)


def read_only(folder: str | os.PathLike[str], *, known: bool = False) -> sqlite3.Connection:
    """Open the run in a folder as one snapshot: rows that are written later are not seen.

    Args:
        folder: The folder of the run.
        known: Whether the caller has opened this run before; then its rows are not checked again.

    Raises:
        PlaytestError: There is no readable run, or it is damaged.
    """
    path = Path(folder) / FILE
    with _read_errors_explained(path):
        if not path.is_file():
            raise PlaytestError(f"there is no run in {folder}: {path} is missing")
        # DuckDB fetches rows from its own threads, one at a time.
        database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            database.execute("PRAGMA query_only = ON")
            database.execute("BEGIN")
            check_tables(database)
            database.text_factory = printable_text
            if not known:
                check_rows(database)
        except BaseException:
            database.close()
            raise
    return database


@contextmanager
def _read_errors_explained(path: Path) -> Iterator[None]:
    """Raise errors of SQLite and of checks as a PlaytestError that names the file."""
    try:
        with file_errors(PlaytestError, "read", path):
            yield
    except (sqlite3.Error, ValueError) as error:
        raise PlaytestError(f"{path} cannot be read: {printable(str(error))}") from error


class RecordedContent(NamedTuple):
    """The content that a run was recorded with.

    Attributes:
        content: Its fingerprint.
        folders: Its folders, the base first, then mods; empty if they are gone or have changed since.
        imports: The modules to import before the content can be loaded.
        difficulty: The difficulty of the worlds; None for none.
    """

    content: str
    folders: list[str]
    imports: list[str]
    difficulty: str | None = None


def content_of(folder: str | os.PathLike[str]) -> RecordedContent:
    """Return the content that a run was recorded with. Its folders are compared by fingerprint; nothing is imported.

    Raises:
        PlaytestError: There is no readable run.
    """
    with _read_errors_explained(Path(folder) / FILE), closing(read_only(folder, known=True)) as database:
        content, arguments = database.execute("SELECT content, arguments FROM run").fetchone()
        options = parsed_options("arguments", arguments)
    layers = [value for option, value in options if option in ("--data", "--mod")]
    imports = [value for option, value in options if option == "--import"]
    try:
        is_there = bool(layers) and all(Path(each).is_dir() for each in layers)
        is_same = is_there and fingerprint(layers) == content
    except (PlaytestError, OSError, ValueError):
        is_same = False
    difficulty = dict(options).get("--difficulty")
    return RecordedContent(content, layers if is_same else [], imports, difficulty)


class Digest(NamedTuple):
    """Number of rows of a view, and the SHA-256 of all of them in order."""

    rows: int
    digest: str


def digests(folder: str | os.PathLike[str]) -> dict[str, Digest]:
    """Return view -> digest of its rows.

    Rows are sorted by seeds, maps, bots and keys, never by ids, so equal runs have equal digests. Timings are left out.

    Raises:
        PlaytestError: There is no readable run.
    """
    with closing(read_only(folder)) as database:
        database.text_factory = str  # digests take texts as recorded, without escapes
        return {table.view: _digest(database, table) for table in TABLES if table.is_deterministic}


def _digest(database: sqlite3.Connection, table: RunTable) -> Digest:
    ordered = ", ".join(f'"{name}"' for name in table.order)
    digest, count = hashlib.sha256(), 0
    for row in database.execute(f"SELECT * FROM ({view_sql(table)}) ORDER BY {ordered}"):
        digest.update(repr(row).encode())
        count += 1
    return Digest(count, digest.hexdigest())
