"""The table of ways to solve each encounter of `data/`, read from the copies in worlds made for it.

Run from the checkout's root: `python docs/writer/ways.py [worlds]`, by default 24. It prints the table of `docs/ways-of-the-demo.md`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import dungeon

CHECKOUT = Path(__file__).parents[2]
sys.path.insert(0, str(CHECKOUT / "tests"))
sys.path.insert(0, str(CHECKOUT / "benchmarks"))

from measured import Measured  # noqa: E402
from solved import AVOIDING, solved  # noqa: E402  # of the tests

WORLDS: Final = 24


def main(count: int) -> None:
    """Make worlds and print the table; `count` is their number."""
    noted = Measured()
    content = dungeon.load_content(CHECKOUT / "data")
    worlds = [dungeon.World(content, seed) for seed in range(count)]
    rows = solved(world.level(node.id) for world in worlds for node in world.maps)
    noted.add("encounters", len(rows))
    if not rows:
        noted.exit()
    several, active = (sum(len(each.ways - less) > 1 for each in rows.values()) for less in (set(), AVOIDING))
    none = sum(not each.ways for each in rows.values())
    print(
        f"Of {len(rows)} encounters, {several} ({several / len(rows):.0%}) can be solved in two ways or more,"
    )
    print(f"{active} of them without luring robots away, slipping past them or leaving things alone;")
    print(f"{len(rows) - several - none} in one way; {none} have nothing to solve.\n")
    print("| encounter | category | copies | ways, each with its share of the copies |\n|---|---|--:|---|")
    for name, each in rows.items():
        told = ", ".join(f"{way} {share:.0%}" for way, share in each.shares.items() if way in each.ways)
        print(f"| {name} | {content.encounters[name].category} | {each.copies} | {told or '-'} |")
    noted.exit()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else WORLDS)
