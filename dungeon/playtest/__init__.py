"""The playtest lab: statistics of a content over thousands of worlds.

    from dungeon import playtest

    playtest.record("data", range(1000), out="run", jobs=2)
    with playtest.open("run") as run:
        print(run.placements.filter("map = 'foundry/3'").aggregate("encounter, count(*) AS copies", "encounter"))

Reading a run takes the extra `lab`, recording one does not. `import dungeon` does not import this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.core.errors import PlaytestError
from dungeon.playtest.reading import Digest, digests
from dungeon.playtest.recording.probes import Games
from dungeon.playtest.recording.recorder import Progress, Recorded, record, record_parts
from dungeon.playtest.tuning import Tuned, tune

if TYPE_CHECKING:
    import os
    from pathlib import Path
    from types import ModuleType

    from dungeon.playtest.run import Run

__all__ = [
    "Digest",
    "Games",
    "PlaytestError",
    "Progress",
    "Recorded",
    "Tuned",
    "digests",
    "export_parquet",
    "open",
    "record",
    "record_parts",
    "tune",
]


def open(folder: str | os.PathLike[str]) -> Run:  # noqa: A001  # `playtest.open` says what it does
    """Open a recorded run, to query it in SQL.

    Raises:
        PlaytestError: There is no readable run, or the extra `lab` is not installed.
    """
    run: Run = _lab().Run(folder)
    return run


def export_parquet(folder: str | os.PathLike[str]) -> list[Path]:
    """Write every view of a run as a Parquet file into ``parquet/`` of its folder, and return the files.

    Raises:
        PlaytestError: There is no readable run, a file can't be written, or the extra `lab` is not installed.
    """
    files: list[Path] = _lab().export_parquet(folder)
    return files


def _lab() -> ModuleType:
    """Return the module that reads runs. It is imported late because it needs DuckDB, and recording does not."""
    try:
        from dungeon.playtest import run  # noqa: PLC0415
    except ImportError as error:
        raise PlaytestError(f"{error.name} is missing: pip install 'tcod-dungeon[lab]'") from error
    return run
