"""Whether declared odds come true: the encounters of worlds beside those that the same worlds draw with unlimited space.

Run from the checkout's root: `python tests/fuzzing/odds.py [contents] [worlds]`, by default `data/` and 3 random contents with 100 worlds
each. It prints for each map the correlation of both numbers, and the encounters that differ most by more than chance, with reasons.
`--smallest` makes 2 worlds of one random content.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import dungeon
from dungeon.cli.odds import causes_in, correlation

CHECKOUT = Path(__file__).parents[2]
sys.path.insert(0, str(CHECKOUT / "tests"))
sys.path.insert(0, str(CHECKOUT / "benchmarks"))

from contended import game  # noqa: E402  # of the tests
from measured import Measured  # noqa: E402

if TYPE_CHECKING:
    from dungeon.generation.odds.odds import MapOdds

CONTENTS, WORLDS, WORST = 3, 100, 4


def tell(on_map: MapOdds) -> None:
    """Print the line of a map and its worst encounters."""
    rows = [(each.encounter, each.realised) for each in on_map.encounters if each.realised is not None]
    if not rows:
        return
    found = correlation([row for _, row in rows])
    had, due = sum(row.had for _, row in rows), sum(row.due for _, row in rows)
    print(f"  {on_map.id:16} {'-' if found is None else f'{found:.3f}':>6}   had {had:5.2f} of {due:5.2f}")
    far = [(abs(row.had - row.due) / max(row.due, row.had), name, row) for name, row in rows if row.differs]
    for share, name, row in sorted(far, reverse=True, key=lambda each: each[:2])[:WORST]:
        if share > 0.1:
            print(f"      {name:18} {row.had:.2f} of {row.due:.2f}  {causes_in(row.causes, 90)}")


def main(contents: int, worlds: int, *, of_data: bool = True) -> None:
    """Make the worlds and print the results."""
    noted = Measured()
    told = [("data", CHECKOUT / "data")] if of_data else []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(contents):
            root = Path(folder) / f"random {number}"
            for path, text in game(Random(number)).items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            told.append((root.name, root))
        for name, root in told:
            print(f"{name}, {worlds} worlds")
            for on_map in dungeon.World(dungeon.load_content(root)).odds(realised=worlds).maps:
                had = [row.realised.had for row in on_map.encounters if row.realised is not None]
                noted.add(f"encounters had on {on_map.id}", sum(had))
                tell(on_map)
    noted.exit()


if __name__ == "__main__":
    if sys.argv[1:] == ["--smallest"]:
        main(1, 2, of_data=False)
    else:
        main(*(int(each) for each in sys.argv[1:] or (CONTENTS, WORLDS)))
