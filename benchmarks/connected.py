"""How long a map made of prefabs takes: 25 pieces on 80x50 cells, 200 on 200x200, and a maze.

Run from the checkout's root: `python benchmarks/connected.py`. Every figure is the median of processor time over many seeds in this
process; the goal is what we hold ourselves to for the layout alone.
"""

from __future__ import annotations

import statistics
import sys

from layouts import content_of, measured
from measured import Measured

import dungeon

SEEDS = 60
GOAL = 0.008

FILES = {
    "world.yaml": "start: small/1\nleads_to: {small/1: [large/2], large/2: [maze/3]}\n",
    "prefabs/pieces.yaml": r"""
hall: {map: "#####*#####\n#.........#\n*..#...#..*\n#.........#\n#####*#####"}
bend: {map: "###*#????\n#...#????\n*...*????\n#...#####\n#.......*\n#.......#\n####*####"}
apse: {map: "??###??\n?#...#?\n#.....#\n#.....#\n#.....#\n###+###"}
cell: {map: "#*#\n*.*\n#*#"}
""",
    "maps/all.yaml": """
small: {name: Small, size: 80x50, layout: {connected: {prefabs: {hall: 2, bend: 2, apse: 1}, rooms: 25}}}
large: {name: Large, size: 200x200, layout: {connected: {prefabs: {hall: 2, bend: 2, apse: 1}, rooms: 200}}}
maze:
  name: Maze
  size: 63x41
  layout: {connected: {prefabs: {cell: 1}, auto: 0%, rooms: 2000, hallway: 0, doors: open}}
""",
}


def main() -> None:
    """Measure, and print the table."""
    smallest = sys.argv[1:] == ["--smallest"]
    noted = Measured(checks_goals=not smallest)
    content = content_of(FILES)
    print(f"{'what':44} {'layout':>9} {'level':>9}")
    for map_id, what, seeds in (
        ("small/1", "25 pieces on 80x50 cells", SEEDS),
        ("large/2", "200 pieces on 200x200 cells", SEEDS // 6),
        ("maze/3", "a maze of 63x41 cells", SEEDS // 6),
    ):
        worlds = [dungeon.World(content, seed=seed) for seed in range(2 if smallest else seeds + 1)]
        times = [measured(world, map_id)[:2] for world in worlds][1:]
        layout, level = (1000 * statistics.median(each) for each in zip(*times, strict=True))
        print(f"{what:44} {layout:6.1f} ms {level:6.1f} ms")
        noted.add(
            f"milliseconds for the layout of {what}", layout, 1000 * GOAL if map_id == "small/1" else None
        )
    print(f"goal for the layout of 25 pieces: {1000 * GOAL:.0f} ms")
    noted.exit()


if __name__ == "__main__":
    main()
