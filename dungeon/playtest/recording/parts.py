"""Parts of a run: a worker packs its worlds as Parquet files, and the process that records stores them.

Packing takes the time; storing only writes bytes. A part is written into a draft folder, which is then renamed. Renaming is
atomic, so each part is there whole and once, even if the process dies. The folder is laid out in `manifest`.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from dungeon.core.errors import PlaytestError, file_errors
from dungeon.playtest.recording.manifest import PARTS, begin_manifest, part_name, recorded_parts
from dungeon.playtest.recording.rows import Batch
from dungeon.playtest.recording.schema import OWNER_COLUMNS, TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from dungeon.playtest.recording.manifest import Facts
    from dungeon.playtest.recording.schema import Kind

TYPES: dict[Kind, pa.DataType] = {
    "seed": pa.int64(),
    "integer": pa.int32(),
    "cell": pa.int32(),
    "flag": pa.int32(),
    "real": pa.float64(),
    "text": pa.string(),
}
"""Kind of column -> Arrow type; columns of names are dictionaries of strings."""

NUMBERS: dict[Kind, type] = {
    "level": np.int32,
    "play": np.int32,
    "name": np.int32,
    "seed": np.int64,
    "integer": np.int32,
    "cell": np.int32,
    "flag": np.int32,
    "real": np.float64,
    "text": np.object_,
}
"""Kind of column -> type of its array."""

LOCK = "writing"
"""An empty database, locked by the process that writes the run. The lock ends with the process, on every system."""


class Part(NamedTuple):
    """The worlds of some seeds: the bytes of a Parquet file for each view, and the time to make them (`Batch.seconds`)."""

    seeds: range
    files: Mapping[str, bytes]
    seconds: float


def packed(work: Callable[[range], Batch], seeds: range) -> Part:
    """Make the worlds of some seeds with `work`, and return them as a part."""
    return pack(work(seeds))


def pack(batch: Batch) -> Part:
    """Return the rows of a batch as a part."""
    names = np.array(batch.names, object)
    columns: dict[str, dict[str, Any]] = {}
    files = {}
    for table in TABLES:
        values = list(zip(*batch.rows.get(table.name, ()), strict=True)) or [()] * len(table.columns)
        columns[table.name] = {
            column.name: values[n] if column.empty else np.array(values[n], NUMBERS[column.kind])
            for n, column in enumerate(table.columns)
        }
    for table in TABLES:
        row = columns[table.name]
        if table.owner:
            for name, called in OWNER_COLUMNS[table.owner].items():
                row[called] = columns[table.owner][name][row[table.owner]]
        arrays = [_array(row[column.name], column.kind, names) for column in table.shown]
        file = BytesIO()
        parquet.write_table(
            pa.table(arrays, [column.name for column in table.shown]), file, compression="zstd"
        )
        files[table.view] = file.getvalue()
    return Part(batch.seeds, files, batch.seconds)


def _array(values: Any, kind: Kind, names: NDArray[np.object_]) -> pa.Array:
    """Return a column as an Arrow array; `values` of a column of names are indices into `names`."""
    if kind != "name":
        return pa.array(values, TYPES[kind])
    used = np.flatnonzero(np.bincount(values, minlength=len(names)))
    index = np.zeros(len(names), np.int32)
    index[used] = np.arange(len(used))
    return pa.DictionaryArray.from_arrays(pa.array(index[values]), pa.array(names[used], pa.string()))


@contextmanager
def open_store(folder: Path, facts: Facts) -> Iterator[PartStore]:
    """Open the folder of a run for writing; the run is begun if there is none.

    Args:
        folder: The folder of the run.
        facts: The facts that its worlds share.

    Raises:
        PlaytestError: The folder holds a different run, another process is writing it, or it can't be written.
    """
    with file_errors(PlaytestError, "written", folder):
        (folder / PARTS).mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(folder / LOCK, isolation_level=None, timeout=0)) as lock:
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.Error as error:
                is_busy = error.sqlite_errorname == "SQLITE_BUSY"
                why = "another process is writing it" if is_busy else str(error)
                raise PlaytestError(f"{folder} cannot be written: {why}") from error
            begin_manifest(folder, facts)
            yield PartStore(folder)


class PartStore:
    """The folder of a run, open for writing: see `open_store`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._draft = folder / "draft"

    def missing(self, seeds: range) -> list[range]:
        """Return the ranges of `seeds` that have not been recorded, in order."""
        return gaps_in(seeds, recorded_parts(self.folder))

    def write(self, part: Part | Batch) -> None:
        """Store a part: all of it or nothing, whatever happens."""
        part = pack(part) if isinstance(part, Batch) else part
        shutil.rmtree(self._draft, ignore_errors=True)
        self._draft.mkdir()
        for view, data in part.files.items():
            with (self._draft / f"{view}.parquet").open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        self._draft.rename(self.folder / PARTS / part_name(part.seeds))


def gaps_in(seeds: range, there: Iterable[range]) -> list[range]:
    """Return the parts of `seeds` that are in none of the ascending ranges `there`: (0-9, [3-4]) -> [0-2, 5-9]."""
    gaps, first = [], seeds.start
    for part in there:
        if part.start > first:
            gaps.append(range(first, min(part.start, seeds.stop)))
        first = max(first, part.stop)
    gaps.append(range(first, seeds.stop))
    return [gap for gap in gaps if gap]
