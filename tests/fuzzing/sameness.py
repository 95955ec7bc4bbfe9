"""How similar the levels of a map are: the walkable cells that two seeds share, beside what chance alone gives.

Run from the checkout's root: `python tests/fuzzing/sameness.py [levels] [maps...]`, by default 100 levels of each map of `data/`.
Of maps that only some worlds have, the same number of levels is made. `tests/alike.py` explains the measure.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import dungeon

CHECKOUT = Path(__file__).parents[2]
sys.path.insert(0, str(CHECKOUT / "tests"))
sys.path.insert(0, str(CHECKOUT / "benchmarks"))

from alike import sameness  # noqa: E402  # of the tests
from measured import Measured  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEVELS = 100
ABOVE = 0.05
"""Maximum overlap above chance; with fewer than `LEVELS` levels the figure means little."""


def main(count: int, names: Sequence[str]) -> None:
    """Measure and print the table."""
    noted = Measured(checks_goals=count >= LEVELS)
    content = dungeon.load_content(CHECKOUT / "data")
    print(f"{'map':16} {'overlap':>8} {'chance':>8} {'above':>8} {'commonest cell':>15}")
    for spot in content.chart.spots.values():
        if not names or spot.branch in names:
            found = sameness(
                [world.level(spot.id).walkable for world in worlds_with(content, spot.id, count)]
            )
            above = found.overlap - found.chance
            noted.add(spot.id, found.commonest)
            noted.add(f"{spot.id}: overlap above chance", above, ABOVE)
            print(
                f"{spot.id:16} {found.overlap:8.3f} {found.chance:8.3f} {above:8.3f} {found.commonest:15.0%}"
            )
    noted.exit()


def worlds_with(content: dungeon.Content, map_id: str, count: int) -> Iterator[dungeon.World]:
    """Yield the first worlds that have a map."""
    worlds = (dungeon.World(content, seed=seed) for seed in itertools.count())
    return itertools.islice((world for world in worlds if map_id in world), count)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else LEVELS, sys.argv[2:])
