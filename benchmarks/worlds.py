"""Time to make and prove whole worlds, the maps that they have, and any violations.

Run from the checkout's root: `python benchmarks/worlds.py [WORLDS] [DATA] [FIRST]`, by default 1,000 worlds of `data/` with seeds from
FIRST (0) on. The levels of a world are made one after the other in one process. The time of `World` itself, before any level, is
given apart. Times are CPU time.
"""

from __future__ import annotations

import statistics
import sys
from collections import Counter
from pathlib import Path
from time import process_time

from measured import Measured

import dungeon

DATA = Path(__file__).parent.parent / "data"
LEVELS = 12
"""Number of levels that the goal is stated for."""

GOAL = 0.250
"""Maximum seconds for this number of levels."""

ENOUGH = 20
"""Number of worlds from which on the goal counts."""

SHOWN = 20
"""Maximum number of violations printed."""


def main() -> None:
    """Make the worlds, print what was seen, and exit with 1 if anything was wrong, slow or missing."""
    words = sys.argv[1:]
    wanted, folder, first = [*words, *["1000", str(DATA), "0"][len(words) :]]
    noted = Measured(checks_goals=int(wanted) >= ENOUGH)
    content = dungeon.load_content(folder)
    dungeon.World(content, -1).level(content.world.start)  # which imports the stages
    wrong: list[str] = []
    maps: Counter[str] = Counter()
    sizes: Counter[int] = Counter()
    alone, whole, proving = list[float](), list[float](), 0.0
    for seed in range(int(first), int(first) + int(wanted)):
        begin = process_time()
        world = dungeon.World(content, seed)
        alone.append(process_time() - begin)
        levels = [each for node in world.maps if (each := _made(world, node.id, wrong)) is not None]
        whole.append((process_time() - begin) / len(world.maps) * LEVELS)
        begin = process_time()
        wrong += [
            f"{each.id} of seed {seed}: {found}" for each in levels for found in dungeon.prove(each, world)
        ]
        proving += process_time() - begin
        noted.add("levels", len(levels))
        maps.update(
            f"{node.id} as {node.name}" if node.name != node.branch else node.id for node in world.maps
        )
        sizes[len(world.maps)] += 1
    if not whole:
        noted.exit()
    print(f"{wanted} worlds: {', '.join(f'{count} of {size} maps' for size, count in sorted(sizes.items()))}")
    for name, count in maps.items():
        if count < int(wanted):
            print(f"  {name:40} in {count / int(wanted):6.1%} of them")
    print(f"a world alone        {statistics.median(alone) * 1e3:8.2f} ms")
    noted.add(f"seconds for {LEVELS} levels", statistics.median(whole), GOAL)
    print(f"{LEVELS} levels of a world {statistics.median(whole) * 1e3:8.1f} ms (goal {GOAL * 1e3:.0f})")
    print(
        f"proving them again   {proving / sum(sizes.elements()) * LEVELS * 1e3:8.1f} ms, beside their world"
    )
    print(f"wrong: {len(wrong)}", *wrong[:SHOWN], sep="\n  ")
    if wrong:
        noted.fail(f"{len(wrong)} things are wrong")
    noted.exit()


def _made(world: dungeon.World, map_id: str, wrong: list[str]) -> dungeon.Level | None:
    """Return a level; None, with the error added to `wrong`, if it can't be made."""
    try:
        return world.level(map_id)
    except dungeon.GenerationError as error:
        wrong.append(str(error))
        return None


if __name__ == "__main__":
    main()
