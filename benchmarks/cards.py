"""How long a map of cards takes: 60 cards in 4 zones, and the same with growth.

Run from the checkout's root: `python benchmarks/cards.py`. Every figure is the median of processor time over many seeds in this
process; the goal is what we hold ourselves to for the layout alone.
"""

from __future__ import annotations

import statistics
import sys

from layouts import content_of, measured
from measured import Measured

import dungeon

SEEDS = 60
GOAL = 0.010

FILES = {
    "objects/props.yaml": 'crate: {name: crate, glyph: "="}\n',
    "world.yaml": "start: small/1\nleads_to: {small/1: [large/2]}\n",
    "prefabs/cards.yaml": r"""
hub: {map: "####+####\n#.......#\n+..===..+\n#.......#\n####+####", legend: {"=": {prop: crate}}}
bend: {map: "########\n#..#...#\n#......+\n####+###"}
nook: {map: "#####\n#...#\n#...#\n##+##"}
hall: {map: "##################\n#................#\n+................+\n##################"}
""",
    "maps/all.yaml": """
small:
  name: Small
  size: 120x80
  layout:
    cards:
      cell: 11x8
      deck: {hub: 2, bend: 2, nook: 2, hall: {weight: 2, copies: 4}}
      zones:
        a: {count: 15}
        b: {count: 15}
        c: {from: b, join: tumour, count: 15}
        d: {from: a, join: multi-tumour, count: 15}
large:
  name: Large
  size: 200x200
  layout: {cards: {cell: 11x8, count: 240, deck: {hub: 2, bend: 2, nook: 2, hall: {weight: 2, copies: 4}}}}
""",
}


def main() -> None:
    """Measure, and print the table."""
    smallest = sys.argv[1:] == ["--smallest"]
    noted = Measured(checks_goals=not smallest)
    content = content_of(FILES)
    print(f"{'what':44} {'layout':>9} {'level':>9} {'cards':>6}")
    for map_id, what in (("small/1", "60 cards in 4 zones"), ("large/2", "240 cards on 200x200 cells")):
        layouts, levels, counts = [], [], []
        for seed in range(2 if smallest else SEEDS + 1):
            layout, level, count = measured(dungeon.World(content, seed=seed), map_id)
            layouts.append(layout)
            levels.append(level)
            counts.append(count)
        figures = [1000 * statistics.median(times[1:]) for times in (layouts, levels)]
        print(f"{what:44} {figures[0]:6.1f} ms {figures[1]:6.1f} ms {statistics.median(counts):6.0f}")
        noted.add(
            f"milliseconds for the layout of {what}", figures[0], 1000 * GOAL if map_id == "small/1" else None
        )
    print(f"goal for the layout of 60 cards: {1000 * GOAL:.0f} ms")
    noted.exit()


if __name__ == "__main__":
    main()
