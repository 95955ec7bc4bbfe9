"""The playtest lab: statistics of a content over thousands of worlds.

    from dungeon import playtest

    playtest.record("data", range(1000), out="run", jobs=2)
    with playtest.open("run") as run:
        print(run.placements.filter("map = 'foundry/3'").aggregate("encounter, count(*) AS copies", "encounter"))

Recording and reading runs take the extra `lab`. `import dungeon` does not import this package.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dungeon.core.errors import PlaytestError, missing_module
from dungeon.playtest.recording.probes import Games
from dungeon.playtest.recording.recorder import Progress, Recorded, record

if TYPE_CHECKING:
    from dungeon.playtest.run import Digest, digests
    from dungeon.playtest.run import Run as open  # noqa: A004, N813  # `playtest.open` says what it does
    from dungeon.playtest.tuning import Tuned, tune

__all__ = [
    "Digest",
    "Games",
    "PlaytestError",
    "Progress",
    "Recorded",
    "Tuned",
    "digests",
    "open",
    "record",
    "tune",
]

LATE = {
    "Digest": ("run", "Digest"),
    "Tuned": ("tuning", "Tuned"),
    "digests": ("run", "digests"),
    "open": ("run", "Run"),
    "tune": ("tuning", "tune"),
}
"""Name -> (module, name there) that is imported at its first use, because it needs DuckDB. Games and bots don't."""


def __getattr__(name: str) -> Any:
    if name not in LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = LATE[name]
    try:
        return getattr(import_module(f"{__name__}.{module}"), attribute)
    except ImportError as error:
        raise PlaytestError(missing_module(error, "lab")) from error
