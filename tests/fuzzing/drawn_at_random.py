"""Random small games of cluttered drawings, and of the demo's prefabs on maps that they were not made for.

Drawings have walls or none, partitions with doors of every kind, crates, water, robots, lamps, and links in random places, even under
crates. Locked doors have keys near, far or nowhere. Drawings serve as features, cards and pieces of maps of every layout (see
`drawn_maps`), as whole maps, and as encounters of every placing mode. `drawn_people` adds populations and conditions of encounters;
`drawn_worlds` joins the maps to a world.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from drawn_maps import LAYOUTS, WORDS, Stock, locks, maps
from drawn_people import CATEGORIES, Crowd, company, content, machines, population
from drawn_worlds import branched, chain

if TYPE_CHECKING:
    from drawn_maps import Yaml

DATA = Path(__file__).parents[2] / "data"

OBJECTS: dict[str, Yaml] = {
    "terrain.yaml": {
        "water": {"like": "floor", "glyph": "~", "walkable": False},
        "planks": {"like": "floor", "glyph": "="},
        "moss": {"like": "floor", "glyph": ";"},
    },
    "objects/props.yaml": {
        "crate": {"name": "crate", "glyph": "c"},
        "rug": {"name": "rug", "glyph": "r", "blocks": False},
        "lever": {"name": "lever", "glyph": "v"},
        "lamp": {"name": "lamp", "glyph": "l", "light": 4},
    },
    "objects/items.yaml": {
        "coin": {"name": "coin", "glyph": "$", "worth": 2},
        "key": {"name": "key", "glyph": "k"},
    },
    "objects/robots.yaml": {
        "guard": {"name": "guard", "glyph": "g", "threat": 3},
        "mole": {"name": "mole", "glyph": "m", "threat": 1, "depth": 3},
    },
    "objects/traps.yaml": {"snare": {"name": "snare", "glyph": "^", "threat": 1}},
    "objects/debris.yaml": {"straw": {"name": "straw", "glyph": ","}},
}

CROWD = Crowd(
    robots=("guard", "mole"),
    traps=("snare",),
    items=("coin",),
    debris=("straw",),
    props=("crate", "rug", "lamp"),
    machines=("bench", "press", "rack"),
)

MACHINES = """\
bench: {map: "??", machines: "╔╗", machine: crate}
press: {map: "????\\n????", machines: "╔══╗\\n╚══╝", machine: crate}
rack: {map: "?.?", references: "C C", legends: shared}
"""
"""The prefabs of the crowd's machines."""

LEGEND: dict[str, Yaml] = {
    "C": {"prop": "crate"},
    "c": {"prop": "crate", "chance": "60%"},
    "m": {"prop": "crate", "shift": [1, 1]},
    "R": {"prop": "rug"},
    "I": {"prop": "lamp"},
    "$": {"item": "coin"},
    "r": {"robot": "guard"},
    "a": {"robot": "guard", "ambush": "alarm"},
    "A": {"item": "coin", "ambush": "alarm"},
    "h": {"prop": "crate", "key": "any"},
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
"""The legend of all drawings, besides walls, floor and doors."""

MODES = ("enclosed", "cubby", "accessible", "centered", "embedded")
DRAWN = "hall"
"""The name of the drawn map and of its prefab."""
KEYS = ("gold", "iron")
"""Words of locked doors in drawings. Drawings and scattered objects provide the keys; the level does not add any."""


class Sketch:
    """A drawing in progress.

    Attributes:
        cells: Rows of characters.
        links: Rows of characters of the links.
    """

    def __init__(self, luck: random.Random, height: int, width: int) -> None:
        self.luck = luck
        self.height, self.width = height, width
        self.cells = [["."] * width for _ in range(height)]
        self.links = [[" "] * width for _ in range(height)]

    def scatter(self, marks: str, most: int, among: str = ".") -> None:
        """Put each of `marks` on up to `most` random cells that hold one of the characters `among`."""
        for mark in marks:
            for _ in range(self.luck.randint(0, most)):
                y, x = self.luck.randrange(self.height), self.luck.randrange(self.width)
                if self.cells[y][x] in among:
                    self.cells[y][x] = mark

    def wall(self, y: int, x: int, height: int, width: int) -> None:
        """Draw a rectangle of walls, one cell thick, with up to two doors."""
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
        """Draw links: digits and connectors at the edge or one cell inside it, diggable and closed edges."""
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
        """Return the drawing as YAML of a prefab with this name."""
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
    sketch.scatter(luck.choice(["", "", "aaA", "h"]), 1)
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


def scattered(luck: random.Random) -> list[Yaml]:
    """Return the population of a map of drawings, with keys for some of the locks."""
    return population(luck, CROWD) + [{"item": "key", "opens": word} for word in KEYS if luck.random() < 0.4]


def write_game(number: int, folder: Path) -> None:
    """Write the files of a game; games with odd numbers use the demo's content."""
    luck = random.Random(number)
    words = WORDS if luck.random() < 0.5 else ()
    files = _of_data(luck, words, folder) if number % 2 else _of_drawings(luck, words)
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _of_drawings(luck: random.Random, words: tuple[str, ...]) -> dict[str, str]:
    """Return path -> YAML of a game with a map of each layout and one drawn map."""
    prefabs = {f"prefab_{each}": drawing(luck) for each in range(luck.randint(2, 5))}
    stock = Stock(tuple(prefabs), "water", "planks", "moss", "key", "lever", "guard", words=words)
    told = maps(luck, stock)
    pockets = luck.choice(["join", "fill", "seal"])
    halls = luck.choice((DRAWN, {DRAWN: 3, f"{DRAWN}_2": 1}))
    static = {"prefab": halls, "pockets": pockets, "turn": luck.random() < 0.5}
    told[DRAWN] = {"name": DRAWN, "layout": {"static": static}}
    for entry in told.values():
        entry["population"] = scattered(luck)
        entry["machines"] = machines(luck, CROWD)
    encounters = {
        f"{mode}_{name}": {
            "category": luck.choice(CATEGORIES),
            "placing": mode,
            "prefabs": name,
            "maps": dict.fromkeys(LAYOUTS, 1),
        }
        for mode, name in zip(luck.sample(MODES, 3), luck.choices(stock.prefabs, k=3), strict=True)
    }
    mess = {"category": "risk", "placing": "free", "content": content(luck, CROWD)}
    encounters["mess"] = mess | {"maps": dict.fromkeys(LAYOUTS, 1)}
    company(luck, encounters, CROWD)
    files = {
        **OBJECTS,
        "legends/all.yaml": {"shared": LEGEND},
        **_world(luck, told),
        "encounters/all.yaml": encounters,
    }
    files["locks.yaml"] = locks(luck, stock)
    _lock(luck, encounters, words)
    drawn = {**prefabs, DRAWN: hall(luck), f"{DRAWN}_2": hall(luck)}
    texts = {path: json.dumps(held) for path, held in files.items()}  # which is YAML, too
    return (
        texts
        | {"prefabs/all.yaml": "".join(sketch.text(name) for name, sketch in drawn.items())}
        | {"prefabs/machines.yaml": MACHINES}
    )


def _of_data(luck: random.Random, words: tuple[str, ...], folder: Path) -> dict[str, str]:
    """Copy the demo's content without maps, and return path -> YAML of random maps for it."""
    unlike = shutil.ignore_patterns("maps", "encounters", "world.yaml")
    shutil.copytree(DATA, folder, dirs_exist_ok=True, ignore=unlike)
    for file in (folder / "prefabs").glob("*.yaml"):  # drawn stairs name maps of the demo, which are not here
        file.write_text(re.sub(r", to: \w+", "", file.read_text(encoding="utf-8")), encoding="utf-8")
    entries = [each for file in sorted((DATA / "prefabs").glob("*.yaml")) for each in _entries(file).items()]
    models = {
        entry["like"] for _, entry in entries if "like" in entry
    }  # these may have no drawing of their own
    names = [name for name, _ in entries if name not in models]
    stock = Stock(
        tuple(luck.sample(names, 20)),
        "deep_water",
        "planks",
        "moss",
        "key",
        "lever",
        "gatekeeper",
        tuple(_entries(DATA / "themes.yaml")),
        words,
        "boat",
    )
    told = maps(luck, stock)
    crowd = Crowd(
        robots=tuple({"class": word} for word in ("worker", "heavy", "hunter")),
        traps=tuple({"class": word} for word in ("footing", "steam", "snare")),
        items=({"category": "supply"},),
        debris=({"class": "hot"},),
        props=("junk",),
        machines=tuple(_entries(DATA / "prefabs" / "machines.yaml")),
    )
    for entry in told.values():
        entry["population"] = population(luck, crowd)
        entry["machines"] = machines(luck, crowd)
    encounters: dict[str, Yaml] = {}
    for file in sorted((DATA / "encounters").glob("*.yaml")):
        encounters |= _entries(file)
    for entry in encounters.values():
        entry["maps"] = dict.fromkeys(LAYOUTS, 1)
        entry.pop("depth", None)
        entry.pop("zones", None)
    company(luck, encounters, crowd)
    _lock(luck, encounters, words)
    files = {**_world(luck, told), "encounters/all.yaml": encounters}
    files["locks.yaml"] = _entries(DATA / "locks.yaml") | locks(luck, stock)
    return {path: json.dumps(held) for path, held in files.items()}


def _entries(file: Path) -> dict[str, Yaml]:
    held: dict[str, Yaml] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return held


def _world(luck: random.Random, told: dict[str, Yaml]) -> dict[str, Yaml]:
    """Return the files of the maps and of a world that joins them."""
    world = chain(tuple(told)) if luck.random() < 0.5 else branched(luck, tuple(told))
    return {"maps/all.yaml": told, "world.yaml": world}


def _lock(luck: random.Random, encounters: dict[str, Yaml], words: tuple[str, ...]) -> None:
    """Lock some encounters."""
    for entry in encounters.values():
        if words and luck.random() < 0.2:
            entry["lock"] = luck.choice(words)
