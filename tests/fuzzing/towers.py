"""Random worlds with towers: every level is made and proved, and the stairs of neighbouring floors must match.

Run from the checkout's root: `python tests/fuzzing/towers.py [worlds] [first]`, by default 300 worlds from number 0. Each level is also made without the
towers: a level that can't be made with its tower, and can be made without, is listed.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
sys.path.insert(0, str(CHECKOUT / "tests/fuzzing"))

import yaml  # noqa: E402
from drawn_towers import write_game_with_towers  # noqa: E402

import dungeon  # noqa: E402


def main(count: int, first: int) -> int:
    """Try these worlds; print what was found, and return the exit code."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for number in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            write_game_with_towers(number, Path(folder))
            try:
                content = dungeon.load_content(folder)
            except dungeon.ContentError as error:
                counts["not loaded"] += 1
                print(number, str(error)[:1500])
                continue
            world_file = Path(folder) / "world.yaml"
            said = yaml.safe_load(world_file.read_text(encoding="utf-8"))
            del said["towers"]
            world_file.write_text(yaml.safe_dump(said), encoding="utf-8")
            without = dungeon.load_content(folder)
        wrong += try_world(number, dungeon.World(content, number), dungeon.World(without, number), counts)
    for each in wrong:
        print(each)
    print(", ".join(f"{counts[name]} {name}" for name in sorted(counts)))
    return int(bool(wrong) or not counts["stairs of towers"])


def try_world(number: int, world: dungeon.World, bare: dungeon.World, counts: Counter[str]) -> list[str]:
    """Make and prove all levels of a world, and return what is wrong; count in `counts`."""
    levels, wrong = {}, []
    for node in world.maps:
        try:
            levels[node.id] = level = world.level(node.id)
        except dungeon.GenerationError as error:
            reason = str(error).splitlines()[0].split(": ", 1)[1]
            try:
                bare.level(node.id)
            except dungeon.GenerationError:
                counts["levels that can't be made without towers either"] += 1
            else:
                is_said = "no place for the tower" in reason
                counts["levels whose tower has no place" if is_said else "levels lost for their tower"] += 1
                print(number, node.id, node.name, world.content.maps[node.name].layout.name, reason)
            continue
        counts["levels"] += 1
        counts["floors"] += len(world.floors(node.id))
        wrong += [f"{number} {node.id}: {each}" for each in dungeon.prove(level, world)]
    counts["stairs of towers"] += len(ways_of(levels))
    return wrong + [f"{number} {each}" for each in unmatched(levels)]


Stairs = tuple[str, int, int]
"""Stairs: (map id, row, column)."""


def ways_of(levels: dict[str, dungeon.Level]) -> dict[Stairs, Stairs]:
    """Return the stairs of towers on all levels -> the stairs at which they arrive."""
    return {
        (level.id, way.y, way.x): (way.leads_to, *way.arrives)
        for level in levels.values()
        for way in (*level.exits, *level.ways_back)
        if way.arrives is not None
    }


def unmatched(levels: dict[str, dungeon.Level]) -> list[str]:
    """Return the stairs of towers that do not lead to stairs which lead back."""
    ways = ways_of(levels)
    return [
        f"stairs at {begin} lead to {end}, and not back"
        for begin, end in ways.items()
        if end[0] in levels and ways.get(end) != begin
    ]


if __name__ == "__main__":
    numbers = [int(each) for each in sys.argv[1:]]
    raise SystemExit(main(*(numbers + [300, 0][len(numbers) :])))
