"""Small games drawn at random, with much in the way: what stands on links, locked doors with keys near, far or nowhere.

Drawings have walls or none, partitions with doors of every kind, crates, water, robots, lamps and links of every sort, which lie
wherever they come to lie: under crates, too. They are features from all sides of tunnels, caves and mines,
maps of their own, and encounters of every placing mode.
"""

from __future__ import annotations

import json
import random
from itertools import pairwise
from typing import Any

Yaml = Any
"""What a YAML file holds."""

OBJECTS: dict[str, Yaml] = {
    "terrain.yaml": {"water": {"like": "floor", "glyph": "~", "walkable": False}},
    "objects/props.yaml": {
        "crate": {"name": "crate", "glyph": "c"},
        "rug": {"name": "rug", "glyph": "r", "blocks": False},
        "lever": {"name": "lever", "glyph": "v"},
        "lamp": {"name": "lamp", "glyph": "l", "light": 4},
    },
    "objects/items.yaml": {"coin": {"name": "coin", "glyph": "$"}, "key": {"name": "key", "glyph": "k"}},
    "objects/robots.yaml": {"guard": {"name": "guard", "glyph": "g"}},
}

LEGEND: dict[str, Yaml] = {
    "C": {"prop": "crate"},
    "c": {"prop": "crate", "chance": "60%"},
    "m": {"prop": "crate", "shift": [1, 1]},
    "R": {"prop": "rug"},
    "I": {"prop": "lamp"},
    "$": {"item": "coin"},
    "r": {"robot": "guard"},
    "W": "water",
    "E": "blocked",
    "S": "secret_door",
    "L": "locked_door",
    "G": {"terrain": "locked_door", "lock": "gold"},
    "K": {"terrain": "locked_door", "lock": "iron"},
    "g": {"item": "key", "opens": "gold"},
    "k": {"item": "key", "opens": "iron"},
    "v": {"prop": "lever", "opens": "gold"},
    "<": "stairs_up",
    ">": "stairs_down",
}
"""What the characters of all drawings stand for, beyond walls, floor and doors."""

MODES = ("enclosed", "cubby", "accessible", "centered", "embedded")
SIDES = ("north", "south", "east", "west", "north-west", "south-east")
LAYOUTS = ("tunnels", "caves", "mines")
DRAWN = "hall"
"""The map that is drawn, and its prefab."""
WORDS = ("gold", "iron")


class Sketch:
    """A drawing in the making.

    Attributes:
        cells: Rows of characters; `links`: likewise, those of the links.
    """

    def __init__(self, luck: random.Random, height: int, width: int) -> None:
        self.luck = luck
        self.height, self.width = height, width
        self.cells = [["."] * width for _ in range(height)]
        self.links = [[" "] * width for _ in range(height)]

    def scatter(self, marks: str, most: int, among: str = ".") -> None:
        """Put each of the characters on up to so many cells that hold one of `among`."""
        for mark in marks:
            for _ in range(self.luck.randint(0, most)):
                y, x = self.luck.randrange(self.height), self.luck.randrange(self.width)
                if self.cells[y][x] in among:
                    self.cells[y][x] = mark

    def wall(self, y: int, x: int, height: int, width: int) -> None:
        """Draw a rectangle of walls, one cell thick, with no, one or two doors."""
        edge = [
            (j, i)
            for j in range(y, y + height)
            for i in range(x, x + width)
            if j in (y, y + height - 1) or i in (x, x + width - 1)
        ]
        for j, i in edge:
            self.cells[j][i] = "#"
        for j, i in self.luck.sample(edge, min(self.luck.randint(0, 2), len(edge))):
            self.cells[j][i] = self.luck.choice("++'SLGK.")

    def link(self) -> None:
        """Draw links: digits and connectors at the edge or behind it, diggable and closed edges."""
        for _ in range(self.luck.randint(0, 4)):
            depth = self.luck.randint(0, 1)
            y, x = self.luck.randrange(self.height), self.luck.randrange(self.width)
            if self.luck.random() < 0.5:
                y = self.luck.choice([depth, self.height - 1 - depth])
            else:
                x = self.luck.choice([depth, self.width - 1 - depth])
            self.links[y][x] = self.luck.choice("11123*ox")
            if self.luck.random() < 0.4:
                self.cells[y][x] = self.luck.choice("CCcm")

    def text(self, name: str) -> str:
        """Return it as a prefab of that name, in YAML."""
        lines = [f"{name}:", "  legends: shared", "  map: |2"]
        lines += ["    " + "".join(row) for row in self.cells]
        if any(link != " " for row in self.links for link in row):
            lines += ["  links: |2", *("    " + "".join(row) for row in self.links)]
        return "\n".join(lines) + "\n"


def drawing(luck: random.Random) -> Sketch:
    """Return a prefab of some rooms, or of none."""
    sketch = Sketch(luck, luck.randint(4, 10), luck.randint(4, 13))
    if luck.random() < 0.7:
        sketch.wall(0, 0, sketch.height, sketch.width)
    for _ in range(luck.randint(0, 2)):
        height, width = luck.randint(1, sketch.height), luck.randint(1, sketch.width)
        sketch.wall(
            luck.randint(0, sketch.height - height), luck.randint(0, sketch.width - width), height, width
        )
    sketch.scatter("W", luck.choice([0, 0, 6]))
    sketch.scatter("Ccm", luck.choice([0, 2, 6]))
    sketch.scatter("R$rI", 2)
    sketch.scatter(luck.choice(["", "g", "k", "gk", "v"]), 1)
    sketch.scatter("E", 1, " #")
    sketch.link()
    return sketch


def hall(luck: random.Random) -> Sketch:
    """Return a prefab that can be a whole map."""
    sketch = Sketch(luck, luck.randint(9, 16), luck.randint(14, 30))
    sketch.wall(0, 0, sketch.height, sketch.width)
    for _ in range(luck.randint(1, 4)):
        height, width = luck.randint(3, sketch.height), luck.randint(3, sketch.width)
        sketch.wall(
            luck.randint(0, sketch.height - height), luck.randint(0, sketch.width - width), height, width
        )
    sketch.scatter("W", luck.choice([0, 12]))
    sketch.scatter("Ccm", luck.choice([0, 5]))
    sketch.scatter("$rRgkvI", 2)
    sketch.scatter(luck.choice(["", "<", "<>"]), 1)
    return sketch


def feature(luck: random.Random, prefabs: list[str]) -> dict[str, Yaml]:
    """Return a feature with one of the prefabs, from some side or anywhere."""
    told: dict[str, Yaml] = {
        "prefab": luck.sample(prefabs, min(2, len(prefabs))),
        "count": luck.randint(1, 2),
    }
    match luck.randint(0, 3):
        case 0:
            told |= {"from": luck.choice(SIDES), "distance": luck.randint(1, 6)}
        case 1:
            told |= {"where": luck.choice(["west half", "middle rows", "north-east third"])}
        case 2:
            told |= {"at": [luck.randint(1, 30), luck.randint(1, 20)], "required": False}
    return told


def population(luck: random.Random) -> list[Yaml]:
    """Return what is scattered over a map: keys too, for some of the locks."""
    scattered: list[Yaml] = [{"prop": "crate", "count": luck.randint(0, 12)}, {"item": "coin", "count": 5}]
    scattered += [{"robot": "guard", "count": 3}, {"prop": "lamp", "count": luck.randint(0, 3)}]
    return scattered + [{"item": "key", "opens": word} for word in WORDS if luck.random() < 0.4]


def game(number: int) -> dict[str, str]:
    """Return the files of a game, path -> YAML: a map of each layout, and one that is drawn."""
    luck = random.Random(number)
    prefabs = {f"prefab_{each}": drawing(luck) for each in range(luck.randint(2, 5))}
    names = list(prefabs)
    maps: dict[str, Yaml] = {
        layout: {
            "name": layout,
            "size": f"{luck.randint(40, 70)}x{luck.randint(30, 50)}",
            "layout": layout,
            "encounters": luck.randint(0, 5),
            "population": population(luck),
            "features": [feature(luck, names) for _ in range(luck.randint(1, 3))],
        }
        for layout in LAYOUTS
    }
    pockets = luck.choice(["join", "fill", "seal"])
    maps[DRAWN] = {
        "name": DRAWN,
        "layout": {"static": {"prefab": DRAWN, "pockets": pockets}},
        "population": population(luck),
    }
    encounters = {
        f"{mode}_{name}": {
            "category": "fluff",
            "placing": mode,
            "prefabs": name,
            "maps": dict.fromkeys(LAYOUTS, 1),
        }
        for mode, name in zip(luck.sample(MODES, 3), luck.choices(names, k=3), strict=True)
    }
    ids = [f"{name}/{depth}" for depth, name in enumerate(maps, 1)]
    leads_to = {one: [other] for one, other in pairwise(ids)}
    files = {
        **OBJECTS,
        "legends/all.yaml": {"shared": LEGEND},
        "encounters/all.yaml": encounters,
        "maps/all.yaml": maps,
        "world.yaml": {"start": ids[0], "leads_to": leads_to},
    }
    drawn = {**prefabs, DRAWN: hall(luck)}
    texts = {path: json.dumps(held) for path, held in files.items()}  # which is YAML, too
    return texts | {"prefabs/all.yaml": "".join(sketch.text(name) for name, sketch in drawn.items())}
