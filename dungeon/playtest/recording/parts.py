"""A run in parts: folders of Parquet files on a path that all workers share, for runs too large for one file.

A worker writes a part into a draft folder. The process that records then renames the folder to the part's seeds. Renaming is
atomic, so each part is there whole and once, even if processes die.

    DIR/facts.json                  facts that all worlds share
    DIR/drafts/1f0c…/               being written, or left behind
    DIR/parts/0_99/spawns.parquet   a view of the worlds 0 to 99
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import duckdb

from dungeon.core.errors import PlaytestError, file_errors
from dungeon.playtest.recording.schema import VERSION, VIEWS
from dungeon.playtest.recording.store import (
    LOCK,
    Batch,
    Facts,
    check_facts,
    gaps_in,
    open_store,
    sqlite_errors_explained,
)
from dungeon.playtest.run import export_parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dungeon.playtest.recording.store import Counted


PART = re.compile(r"-?\d+_-?\d+")
"""The name of a part's folder: its first and last seed."""


class PartDraft(NamedTuple):
    """A part written by a worker: the seeds, the name of its draft folder, and the time to make its worlds (`Batch.seconds`)."""

    seeds: range
    folder: str
    seconds: float


def write_draft(work: Callable[[range], Batch], facts: Facts, folder: Path, seeds: range) -> PartDraft:
    """Make the worlds of some seeds and write them as a draft.

    Args:
        work: Makes the worlds of some seeds.
        facts: The facts that all worlds of the run share.
        folder: The folder of the run.
        seeds: The seeds.

    Raises:
        PlaytestError: The draft can't be written.
    """
    return _write(work(seeds), facts, folder)


def _write(batch: Batch, facts: Facts, folder: Path) -> PartDraft:
    """Write a batch as a draft and flush its files to disk."""
    draft = folder / "drafts" / uuid4().hex
    with TemporaryDirectory(prefix="dungeon-part-") as own:
        with open_store(Path(own), facts) as store:
            store.write(batch)
        with file_errors(PlaytestError, "written", draft):
            draft.mkdir()
            for file in export_parquet(own):
                with (draft / file.name).open("wb") as copy:
                    copy.write(file.read_bytes())
                    copy.flush()
                    os.fsync(copy.fileno())
    return PartDraft(batch.seeds, draft.name, batch.seconds)


@contextmanager
def open_parts(folder: Path, facts: Facts) -> Iterator[PartStore]:
    """Open a run in parts for writing; it is begun if there is none.

    Raises:
        PlaytestError: The folder holds a different run, another process is writing it, or it can't be written.
    """
    with file_errors(PlaytestError, "written", folder), ExitStack() as stack:
        for name in ("drafts", "parts"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        stack.enter_context(sqlite_errors_explained(folder))
        lock = stack.enter_context(closing(sqlite3.connect(folder / LOCK, isolation_level=None, timeout=0)))
        lock.execute("BEGIN EXCLUSIVE")
        yield PartStore(folder, facts)


class PartStore:
    """A run in parts, open for writing: see `open_parts`."""

    def __init__(self, folder: Path, facts: Facts) -> None:
        self.path = folder / "parts"
        self._drafts = folder / "drafts"
        self._facts = facts
        self._delete_drafts()
        file, said = folder / "facts.json", asdict(facts) | {"version": VERSION}
        if not file.exists():
            draft = self._drafts / file.name
            draft.write_text(json.dumps(said, indent=2), encoding="utf-8")
            draft.replace(file)
        check_facts(_read_facts(file), facts, folder)
        self._check_parts()

    def missing(self, seeds: range) -> list[range]:
        """Return the ranges of `seeds` that have not been recorded, in order."""
        return gaps_in(seeds, self._recorded_parts())

    def write(self, part: PartDraft | Batch) -> None:
        """Move a draft to the parts. A batch that is not a draft yet is written first.

        Raises:
            PlaytestError: The draft is not in the folder.
        """
        if isinstance(part, Batch):
            part = _write(part, self._facts, self._drafts.parent)
        draft = self._drafts / part.folder
        if not draft.is_dir():
            raise PlaytestError(
                f"worlds recorded by a worker are missing in {draft}: do all workers share {self._drafts.parent}?"
            )
        draft.rename(self.path / f"{part.seeds[0]}_{part.seeds[-1]}")

    def finish(self) -> None:
        """End the recording: delete drafts of parts that dead workers left behind."""
        self._delete_drafts()

    def counted(self, table: Counted, seeds: range, *, failed: bool = False) -> int:
        """Return the number of worlds, levels or games of some seeds; if `failed`, count only those that could not be made or played."""
        if not self._recorded_parts():
            return 0
        files = str(self.path / "*" / f"{table}s.parquet").replace("'", "''")
        query = f"SELECT count(*) FROM read_parquet('{files}') WHERE seed >= ? AND seed < ? AND (error IS NOT NULL OR ?)"
        try:
            with closing(duckdb.connect()) as database:
                found = database.execute(query, (seeds.start, seeds.stop, not failed)).fetchone()
        except duckdb.Error as error:
            raise PlaytestError(f"{self.path} cannot be read: {_first_line(error)}") from error
        assert found is not None
        return int(found[0])

    def _recorded_parts(self) -> list[range]:
        """Return the seeds of each part, in order.

        Raises:
            ValueError: The folder of the parts holds something that is not named like a part.
        """
        parts = [part.name for part in self.path.iterdir()]
        if other := sorted(name for name in parts if not PART.fullmatch(name)):
            raise ValueError(f"{other[0]!r} in {self.path} is not a part of the run")
        ends = sorted(tuple(map(int, name.split("_"))) for name in parts)
        for first, last in ends:
            if first > last:
                raise ValueError(f"'{first}_{last}' in {self.path} is not a part of the run")
        return [range(first, last + 1) for first, last in ends]

    def _check_parts(self) -> None:
        """Check that each part has all its files, that they can be read, and that it holds the worlds of its seeds.

        Raises:
            PlaytestError: A file is missing or damaged.
            ValueError: The folder holds something that is not named like a part, or a part holds other worlds than its name says.
        """
        with closing(duckdb.connect()) as database:
            for seeds in self._recorded_parts():
                part = self.path / f"{seeds[0]}_{seeds[-1]}"
                for view in VIEWS:
                    file = part / f"{view}.parquet"
                    quoted = str(file).replace("'", "''")
                    columns = "min(seed), max(seed), count(DISTINCT seed)" if view == "worlds" else "count(*)"
                    try:
                        found = database.execute(f"SELECT {columns} FROM read_parquet('{quoted}')").fetchone()
                    except duckdb.Error as error:
                        raise PlaytestError(f"{file} cannot be read: {_first_line(error)}") from error
                    if view == "worlds" and found != (seeds[0], seeds[-1], len(seeds)):
                        raise ValueError(f"{part} does not hold the worlds {seeds[0]} to {seeds[-1]}")

    def _delete_drafts(self) -> None:
        """Delete all drafts. If a worker is still writing one for a recording that has ended, it fails, without harm to the run."""
        for draft in self._drafts.iterdir():
            shutil.rmtree(draft, ignore_errors=True)


def _read_facts(file: Path) -> dict[str, Any]:
    """Return the facts that all worlds of a run in parts share, from its ``facts.json``.

    Raises:
        PlaytestError: The file is damaged or can't be read.
    """
    try:
        with file_errors(PlaytestError, "read", file):
            told = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise PlaytestError(f"{file} cannot be read: it is not JSON") from error
    names = [each.name for each in fields(Facts)]
    if (
        not isinstance(told, dict)
        or not isinstance(told.get("version"), int)
        or not all(isinstance(told.get(name), str) for name in names)
    ):
        raise PlaytestError(f"{file} cannot be read: it does not say what was recorded")
    return told


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
