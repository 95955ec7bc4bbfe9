"""Small odd drawings on maps of every layout: undiggable cells are never dug, and every level is made and proved.

Run from the checkout's root: `python tests/fuzzing/odd_drawings.py [CASES] [SEED]` (by default 200 cases from seed 1 on). A case is a
content of a few drawings, at most 12 cells wide: doors side by side and at corners, links in random places, closed parts, and
undiggable terrain. They serve as features, encounters, pieces, cards and whole maps. The exit code is 1 if a level fails although
`check` finds no error in its map, if an undiggable cell was changed, or if no level was made.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import traceback
from collections import Counter
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import dungeon
from dungeon.generation.stages import pipeline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dungeon.generation.populate.placed_drawings import PlacedDrawing

LAYOUTS = ("tunnels", "caves", "mines", "connected", "cards", "patchwork", "static")
MODES = ("enclosed", "cubby", "accessible", "centered", "embedded")
HARD = ("glass", "bedrock", "blocked", "lava")
"""Terrain that must not be dug."""

TERRAIN: dict[str, Any] = {
    "glass": {"like": "wall", "transparent": True, "glyph": "=", "diggable": False},
    "bedrock": {"like": "earth", "glyph": "%", "diggable": False},
    "brick": {"like": "wall", "glyph": "H"},
    "lava": {"like": "floor", "walkable": False, "glyph": "~", "diggable": False},
    "mosaic": {"like": "floor", "glyph": ","},
}
LEGEND: dict[str, Any] = {
    "=": "glass",
    "%": "bedrock",
    "B": "blocked",
    "H": "brick",
    "~": "lava",
    ",": "mosaic",
    "e": "earth",
    "S": "secret_door",
    "K": {"terrain": "locked_door", "lock": "gold"},
    "k": {"item": "key", "opens": "gold"},
    "C": {"prop": "crate"},
    "$": {"item": "coin"},
}


def drawing(luck: random.Random, largest: int = 12) -> dict[str, Any]:
    """Return a prefab with a few frames of walls, in which doors may lie side by side."""
    height, width = luck.randint(3, largest), luck.randint(3, largest)
    ground = luck.choice("....,ee?")
    cells = [[ground] * width for _ in range(height)]
    frames = [(0, 0, height, width)] if luck.random() < 0.7 else []
    for _ in range(luck.choice((0, 0, 1, 1, 2))):
        high, wide = luck.randint(2, height), luck.randint(2, width)
        frames.append((luck.randint(0, height - high), luck.randint(0, width - wide), high, wide))
    for frame in frames:
        _frame(cells, luck, *frame)
    for mark in luck.sample("=%BH~C$k#.?", luck.randint(0, 3)):
        for _ in range(luck.randint(1, 3)):
            y, x = luck.randrange(height), luck.randrange(width)
            if cells[y][x] in ".,e" or mark in "=%":
                cells[y][x] = mark
    links = [[" "] * width for _ in range(height)]
    for _ in range(luck.choice((0, 0, 1, 2, 3))):
        y, x = luck.randrange(height), luck.randrange(width)
        if luck.random() < 0.6:
            y = luck.choice((0, height - 1))
        else:
            x = luck.choice((0, width - 1))
        links[y][x] = luck.choice("1112**oox")
    told: dict[str, Any] = {"map": "\n".join(map("".join, cells)), "legends": "odd"}
    if any(link != " " for row in links for link in row):
        told["links"] = "\n".join(map("".join, links))
    if luck.random() < 0.3:
        told["orientations"] = "r0"
    return told


def _frame(cells: list[list[str]], luck: random.Random, y: int, x: int, height: int, width: int) -> None:
    """Draw walls around a rectangle, some of them undiggable, with up to two groups of doors side by side."""
    edge = [(y, i) for i in range(x, x + width)] + [(j, x + width - 1) for j in range(y + 1, y + height)]
    edge += [(y + height - 1, i) for i in range(x + width - 2, x - 1, -1)] + [
        (j, x) for j in range(y + height - 2, y, -1)
    ]
    wall, patch = luck.choice("####H=B"), luck.choice("=%BH#")
    share = luck.choice((0, 0, 0.2, 0.8))
    for j, i in edge:
        cells[j][i] = patch if luck.random() < share else wall
    for _ in range(luck.choice((0, 1, 1, 2))):
        first, count = luck.randrange(len(edge)), luck.choice((1, 1, 2, 3))
        mark = luck.choice("++''SK.")
        for j, i in (edge * 2)[first : first + count]:
            cells[j][i] = mark


def content(luck: random.Random) -> dict[str, Any]:
    """Return path -> data of a content's files, with a map of each layout."""
    prefabs = {f"odd_{number}": drawing(luck) for number in range(luck.randint(1, 3))}
    names = [*prefabs]
    prefabs["whole"] = drawing(luck, 24)
    deck = {name: {"weight": 1} for name in names}
    parameters: dict[str, Any] = {
        "tunnels": {},
        "caves": {"cave": "20..60", "min_caves": 1},
        "mines": {"cave": "20..60", "min_caves": 1},
        "connected": {
            "prefabs": deck,
            "rooms": "4..14",
            "auto": luck.choice(("0%", "30%", "70%")),
            "doors": luck.choice(("door", "open", "doorway", "secret door")),
            "hallway": luck.choice(("0..3", "0..8", "2..6")),
            "loops": "60%",
        },
        "cards": {
            "cell": "12x12",
            "deck": deck,
            "count": "3..7",
            "gap": luck.randint(1, 2),
            "doors": luck.choice(("door", "open")),
        },
        "patchwork": {
            "zones": {
                "west": {"layout": {"connected": {"prefabs": deck, "rooms": "3..6", "auto": "50%"}}},
                "east": {"layout": "caves"},
            }
        },
        "static": {"prefab": "whole", "pockets": luck.choice(("join", "join", "fill", "seal")), "frame": 3},
    }
    maps = {}
    for name in LAYOUTS:
        entry: dict[str, Any] = {"name": name, "layout": {name: parameters[name]}, "encounters": "0..3"}
        if name != "static":
            entry["size"] = f"{luck.randint(40, 70)}x{luck.randint(35, 45)}"
            entry["features"] = [
                {"prefab": luck.choice(names), "count": luck.randint(0, 2), "required": False}
            ]
        if luck.random() < 0.4:
            lake = luck.choice(({"river": "lava", "width": 2}, {"chasm": "lava", "length": 20, "width": 2}))
            entry["dressing"] = [lake | luck.choice(({}, {"crossing": "mosaic"}))]
        maps[name] = entry
    encounters = {
        mode: {
            "category": "fluff",
            "placing": mode,
            "prefabs": luck.choice(names),
            "maps": dict.fromkeys(LAYOUTS, 1),
        }
        for mode in luck.sample(MODES, 2)
    }
    ids = [f"{name}/{depth}" for depth, name in enumerate(LAYOUTS, 1)]
    return {
        "terrain.yaml": TERRAIN,
        "legends/odd.yaml": {"odd": LEGEND},
        "objects/props.yaml": {"crate": {"name": "crate", "glyph": "c"}},
        "objects/items.yaml": {
            "coin": {"name": "coin", "glyph": "$"},
            "key": {"name": "key", "glyph": "k"},
        },
        "prefabs/odd.yaml": prefabs,
        "encounters/odd.yaml": encounters,
        "maps/odd.yaml": maps,
        "world.yaml": {
            "start": ids[0],
            "leads_to": {one: [other] for one, other in pairwise(ids)},
        },
    }


class Watch:
    """Remembers the placed drawings of the last level made, by wrapping the dressing stage."""

    def __init__(self) -> None:
        self.drawings: Sequence[PlacedDrawing] = ()
        dress = pipeline.dress

        def watched(brief: Any, state: Any) -> Any:
            self.drawings = state.drawings
            return dress(brief, state)

        pipeline.dress = watched  # type: ignore[assignment]

    def altered(self, level: dungeon.Level, kinds: Sequence[str]) -> Iterator[str]:
        """Yield a text for each cell whose drawn terrain is one of `kinds` and which is now different."""
        names = level.terrain_set.names
        for drawn in self.drawings:
            codes = drawn.drawing.terrain
            for y, x in zip(*codes.nonzero(), strict=True):
                name = names[codes[y, x]] if codes[y, x] < len(names) else ""
                found = names[level.terrain[drawn.y + y, drawn.x + x]]
                if name in kinds and found != name:
                    yield f"{drawn.drawing.name} {drawn.drawing.orientation.label} at {drawn.y}, {drawn.x}: {name} {y}, {x} is {found}"


def main(cases: int, first: int) -> int:
    """Make the levels and print failures; return 1 if there are any."""
    counts: Counter[str] = Counter()
    watch, begun = Watch(), process_time()
    for number in range(first, first + cases):
        files = content(random.Random(number))
        with tempfile.TemporaryDirectory() as name:
            for path, held in files.items():
                file = Path(name, path)
                file.parent.mkdir(exist_ok=True)
                file.write_text(json.dumps(held), encoding="utf-8")
            found = dungeon.examine_content(name)
        if found.content is None:
            counts["refused"] += 1
            continue
        errors = [each for each in found.problems if each.severity == "error"]
        hopeless = {
            name
            for name in LAYOUTS
            for each in errors
            if each.entry == f"map '{name}'" or f"level of map {name} can" in each.message
        }
        world = dungeon.World(found.content, seed=number)
        for node in world.maps:
            try:
                level = world.level(node.id)
            except dungeon.GenerationError as error:
                if node.name in hopeless:
                    counts["known to fail"] += 1
                    continue
                counts["failed"] += 1
                print(f"case {number}: {error}")
                continue
            except Exception:  # noqa: BLE001  # counted as a crash; other cases go on
                counts["crashed"] += 1
                print(f"case {number}: {node.id}")
                traceback.print_exc()
                continue
            counts["made"] += 1
            for each in watch.altered(level, HARD):
                counts["dug"] += 1
                print(f"case {number}: {node.id}: {each}")
    print(f"{dict(counts)} in {process_time() - begun:.0f} s")
    return 1 if counts["failed"] or counts["crashed"] or counts["dug"] or not counts["made"] else 0


if __name__ == "__main__":
    arguments = [*map(int, sys.argv[1:])]
    sys.exit(main(*arguments, *(200, 1)[len(arguments) :]))
