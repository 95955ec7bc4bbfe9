"""How much alike the levels of a map are: what two seeds have open in common, beside what chance alone gives.

Run from the checkout's root: `python benchmarks/sameness.py [levels] [maps...]`, by default 100 levels of each map of `data/`.
`tests/alike.py` says how it is measured.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import dungeon

CHECKOUT = Path(__file__).parent.parent
sys.path.insert(0, str(CHECKOUT / "tests"))

from alike import sameness  # noqa: E402  # of the tests

if TYPE_CHECKING:
    from collections.abc import Sequence
LEVELS = 100


def main(count: int, names: Sequence[str]) -> None:
    """Measure, and print the table."""
    content = dungeon.load_content(CHECKOUT / "data")
    worlds = [dungeon.World(content, seed=seed) for seed in range(count)]
    print(f"{'map':16} {'overlap':>8} {'chance':>8} {'above':>8} {'commonest cell':>15}")
    for node in worlds[0].maps:
        if names and node.name not in names:
            continue
        found = sameness([world.level(node.id).walkable for world in worlds])
        above = found.overlap - found.chance
        print(f"{node.id:16} {found.overlap:8.3f} {found.chance:8.3f} {above:8.3f} {found.commonest:15.0%}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else LEVELS, sys.argv[2:])
