"""Random games whose declared odds are compared with a simulation of the draw, written from the manual.

Run from the checkout's root: `python tests/fuzzing/draws.py [games] [draws]`, by default 200 games with 1000 draws each. It prints the
numbers whose 99.9% intervals do not overlap: by chance hardly any of a thousand.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from random import Random

import dungeon
from dungeon.generation.odds.odds import DrawnOdds

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from lots import Lots, game, parted  # of the tests
from measured import Measured

GAMES, DRAWS = 200, 1000


def main(games: int, draws: int) -> None:
    """Draw from each game and compare."""
    noted = Measured()
    compared = exact = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(games):
            root = Path(folder) / str(number)
            files, said, mine = game(Random(number))
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            (on_map,) = dungeon.World(dungeon.load_content(root)).odds().maps
            odds = {
                each.encounter: DrawnOdds(each.first, each.drawn, each.copies) for each in on_map.encounters
            }
            luck = Random(-1 - number)
            for name, what in parted(odds, [Lots(luck, said, mine).drawn for _ in range(draws)]):
                noted.fail(
                    f"game {number}: {name}, {what}: odds {getattr(odds[name], what)}; {said[name]}, {mine}"
                )
            compared += 3 * len(odds)
            exact += sum(estimate.is_exact for each in odds.values() for estimate in each)
    print(f"{compared} numbers compared, {exact} of them computed")
    noted.add("compared numbers", compared)
    noted.exit()


if __name__ == "__main__":
    main(*(int(each) for each in sys.argv[1:] or (GAMES, DRAWS)))
