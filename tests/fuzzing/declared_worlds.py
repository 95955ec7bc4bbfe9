"""Random games whose worlds are compared with what their encounters declare, read from the YAML alone.

Run from the checkout's root: `python tests/fuzzing/declared_worlds.py [games] [worlds] [first]`, by default 100 games and 5 worlds of each.
It prints every contradiction, how often a guaranteed encounter had no place, and how often each key occurred.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

import dungeon

sys.path.insert(0, str(Path(__file__).parents[1]))

from declared import game, objections  # of the tests

GAMES, WORLDS = 100, 5


def main(games: int, worlds: int, first: int = 0) -> int:
    """Make the worlds and print contradictions; return 1 if there are any or no level was made."""
    met: Counter[str] = Counter()
    levels = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + games):
            root = Path(folder) / str(number)
            files, said, maps = game(Random(number))
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            content = dungeon.load_content(root)
            for seed in range(worlds):
                world = dungeon.World(content, seed)
                try:
                    made = {node.id: (node.name, world.level(node.id)) for node in world.maps}
                except dungeon.GenerationError as error:
                    met[str(error).partition(": ")[2].partition(" ")[2][:40]] += 1
                    continue
                levels += len(made)
                there = [each for _, level in made.values() for each in level.placements]
                met.update(key for each in there for key in said[each.encounter])
                for told in objections(said, maps, made):
                    print(f"game {number}, seed {seed}, {told}")
                    wrong += 1
    print(f"{levels} levels of {games} games: {wrong} things are wrong")
    print(", ".join(f"{key} {count}" for key, count in met.most_common()))
    return int(wrong > 0 or levels == 0)


if __name__ == "__main__":
    sys.exit(main(*(int(each) for each in sys.argv[1:] or (GAMES, WORLDS))))
