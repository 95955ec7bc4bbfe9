"""Random games that use the language's rarer words all at once: several things in a cell, sealed parts, followers, ratings, factors.

Each word has characters, locks or prefabs of its own, so that `words.py` can tell on a level whether the word had an effect there.
Drawings come from `drawn_at_random`, maps of every layout from `drawn_maps`, populations and conditions of encounters from
`drawn_people`.
"""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from drawn_at_random import CROWD, LEGEND, MACHINES, MODES, OBJECTS, Sketch, drawing, hall
from drawn_maps import LAYOUTS, WORDS, Stock, locks, maps
from drawn_people import CATEGORIES, company, content, machines, population
from drawn_worlds import branched, chain

import dungeon
from dungeon.content.drawing.rexpaint import encode_xp

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from drawn_maps import Yaml

WHOLE = "hall"
"""The name of the drawn map, and the beginning of the names of its prefabs."""

MORE_OBJECTS: dict[str, Yaml] = {
    "objects/robots.yaml": {
        "drone": {"name": "drone", "glyph": "d", "class": "walker", "depth": 1, "threat": 1},
        "ogre": {"name": "ogre", "glyph": "O", "class": "walker", "depth": 4, "threat": 5},
        "titan": {"name": "titan", "glyph": "T", "class": "walker", "depth": 9, "threat": 9},
        "mate": {"name": "mate", "glyph": "h", "threat": 1},
        "chief": {"name": "chief", "glyph": "H", "band": [{"robot": "mate", "count": "1..3"}]},
    },
    "objects/items.yaml": {
        "cord": {"name": "cord", "glyph": "!", "class": "goods", "depth": 0, "worth": 1},
        "lens": {"name": "lens", "glyph": "!", "class": "goods", "depth": 5, "worth": 5},
        "gem": {"name": "gem", "glyph": "*", "worth": 3},
        "token": {"name": "token", "glyph": "o"},
    },
    "objects/traps.yaml": {
        "pit": {"name": "pit", "glyph": "^", "class": "holes", "depth": 0},
        "shaft": {"name": "shaft", "glyph": "^", "class": "holes", "depth": 5},
    },
    "objects/props.yaml": {
        "vat": {"name": "vat", "glyph": "V", "class": "vats", "depth": 0},
        "kiln": {"name": "kiln", "glyph": "N", "class": "vats", "depth": 5},
        "chest": {"name": "chest", "glyph": "="},
    },
    "objects/debris.yaml": {"dust": {"name": "dust", "glyph": ","}, "ember": {"name": "ember", "glyph": ","}},
}

AROUND = [
    {"item": "gem", "count": "1..4", "within": 2},
    {"robot": "mate", "chance": "40%", "within": 5},
    {"prop": "vat", "count": "0..2", "within": 3},
]

SIGNS: dict[str, tuple[str, Yaml]] = {
    "À": ("list: robot on item", [{"robot": "guard"}, {"item": "coin"}, "planks"]),
    "Á": ("list: items", [{"item": "coin"}, {"item": "gem", "chance": "60%"}, {"debris": "straw"}]),
    "Â": ("list: item on prop", [{"prop": "crate"}, {"item": "coin"}]),
    "Ã": ("list: robot on prop", [{"prop": "rug", "chance": "70%"}, {"robot": "drone"}]),
    "È": ("rating +n", {"robot": {"class": "walker"}, "rating": ["+3", "+8"]}),
    "É": ("rating depth", {"item": {"class": "goods"}, "rating": {"depth": "5..7"}}),
    "Ê": ("rating as", {"trap": {"class": "holes"}, "rating": {"as": "deep"}}),
    "Ë": ("rating of props", {"prop": {"class": "vats"}, "rating": {"value": "+6", "chance": "80%"}}),
    "Ì": ("marker", {"terrain": "moss", "marker": {"throne": 2, "seat": 1}, "data": {"n": 3}}),
    "Í": ("no_spawn", {"terrain": "moss", "no_spawn": True, "marker": "bare"}),
    "Ï": (
        "no_spawn of kinds",
        {"terrain": "moss", "no_spawn": ["props", "robots"], "marker": "half_bare"},
    ),
    "Î": ("marker of an object", {"prop": "rug", "marker": "rugged", "data": {"soft": True}}),
    "Ò": ("data of a cell", {"terrain": "planks", "data": {"text": "It creaks."}}),
    "Ð": (
        "followers",
        {
            "robot": "guard",
            "followers": [{"robot": "mate", "count": "1..2"}, {"robot": "mole", "chance": "50%"}],
        },
    ),
    "Ñ": ("around an object", {"prop": "crate", "chance": "80%", "around": AROUND}),
    "Ó": (
        "around a cell",
        {
            "terrain": "moss",
            "around": [{"debris": "dust", "count": 6, "drift": 3}, {"prop": "vat", "count": 2}],
        },
    ),
    "Ô": ("band", {"robot": "chief"}),
    "Õ": ("at_most", {"item": "gem"}),
    "Ù": ("lock: any of", {"terrain": "locked_door", "lock": "either"}),
    "Ú": ("lock: N of M", {"terrain": "locked_door", "lock": "fuses"}),
    "Û": ("lock: several consumed", {"prop": "chest", "lock": "slots", "loadout": [{"item": "gem"}]}),
    "Ü": ("place for a key on a prop", [{"prop": "crate", "key": "any"}, {"item": "coin", "chance": "50%"}]),
}
"""Character -> (word that it tests, its meaning)."""

UPPER = {"1": {"item": "gem"}, "2": [{"item": "coin"}, {"debris": "dust"}], "3": {"robot": "drone"}}
"""Characters that are drawn on further layers of references only."""

MORE_WORDS = ("either", "fuses", "slots", "chosen", "far")
"""Words of locks: any of two openers, two of three keys, several keys that are used up, one of several openers, keys on other maps."""

MORE_LOCKS: dict[str, Yaml] = {
    "either": {"name": "either", "opened_by": [{"item": "key"}, {"prop": "lever"}], "keys": "all"},
    "fuses": {"name": "fuses", "opened_by": {"item": "token", "count": 2}, "keys": 3},
    "slots": {"name": "slots", "opened_by": {"item": "gem", "count": 2}, "consumed": True},
    "chosen": {
        "name": "chosen",
        "opened_by": [
            {"item": "key", "weight": 3},
            {"prop": "lever"},
            {"robot": "guard"},
            {"lock": "either"},
        ],
    },
}

CONDITIONS: tuple[Yaml, ...] = (
    {"depth": "0..3"},
    {"depth": "3.."},
    {"layouts": ["tunnels", "caves", "cards"]},
    {"layouts": ["connected", "mines", "patchwork"]},
    {"depth": "1..4", "maps": ["tunnels", "connected", "cards"]},
)


class WordedPrefab:
    """A prefab of a random drawing, with words on it.

    Attributes:
        luck: The random stream.
        sketch: The drawing.
        entry: The keys of the prefab besides its drawing.
    """

    def __init__(self, luck: Random, sketch: Sketch, *, plain: bool = False, sealed: bool = False) -> None:
        self.luck, self.sketch = luck, sketch
        self.entry: dict[str, Yaml] = {"legends": "shared"}
        signs = [sign for sign in SIGNS if sign not in ("ÕÙÚ" if plain else "Õ")]
        for sign in luck.sample(signs, luck.randint(1, 5)):
            sketch.scatter(sign, 2, "#" if sign in "ÙÚ" else ".")
        if sealed or luck.random() < 0.4:
            self._case()
        if sealed or luck.random() < 0.5:
            self.entry["sealed"] = True
        steps = [
            step
            for add in (self._at_most, self._shuffle, self._entrance)
            if luck.random() < 0.3
            for step in add()
        ]
        if steps:
            self.entry["vary"] = steps
        if luck.random() < 0.3:
            self._upper_layers()
        if luck.random() < 0.3:
            self._machines()

    def _case(self) -> None:
        """Draw a display case: something valuable with walls around it."""
        luck, sketch = self.luck, self.sketch
        if sketch.height < 5 or sketch.width < 5:
            return
        y, x = luck.randint(0, sketch.height - 3), luck.randint(0, sketch.width - 3)
        for row in range(y, y + 3):
            sketch.cells[row][x : x + 3] = "###"
        sketch.cells[y + 1][x + 1] = luck.choice("$ÂÁ.ÔÍ")

    def _at_most(self) -> list[Yaml]:
        self.sketch.scatter("xxx", 3)
        return [
            {"substitute": "x", "with": {"Õ": 3, ".": 1}},
            {"at_most": self.luck.choice((1, 2)), "of": "Õ", "become": "Õ", "otherwise": "."},
        ]

    def _shuffle(self) -> list[Yaml]:
        marks = self.luck.sample("CÀ$ÌR", 2)
        for mark in marks:
            self.sketch.scatter(mark * 3, 1)
        return [{"shuffle": {mark: self.luck.randint(1, 4) for mark in marks}}]

    def _entrance(self) -> list[Yaml]:
        """Draw an entrance at one or two of several places of the edge."""
        luck, sketch = self.luck, self.sketch
        edge = [(y, x) for y in (0, sketch.height - 1) for x in range(1, sketch.width - 1)]
        edge += [(y, x) for x in (0, sketch.width - 1) for y in range(1, sketch.height - 1)]
        for y, x in luck.sample(edge, 4):
            sketch.cells[y][x] = "z"
        return [{"exactly": luck.choice((1, "1..2")), "of": "z", "become": "+", "otherwise": "#"}]

    def _upper_layers(self) -> None:
        """Draw one to three layers of references above the map."""
        luck, sketch = self.luck, self.sketch
        layers = []
        for _ in range(luck.randint(1, 3)):
            rows = [[" "] * sketch.width for _ in range(sketch.height)]
            for _ in range(luck.randint(1, 4)):
                y, x = luck.randrange(sketch.height), luck.randrange(sketch.width)
                if sketch.cells[y][x] in ".R$":
                    rows[y][x] = luck.choice("12" if layers else "123")
            layers.append("\n".join("".join(row) for row in rows))
        self.entry["references"] = layers

    def _machines(self) -> None:
        """Draw one or two machines over walls, floor and doors; a second prop on a machine would be refused."""
        luck, sketch = self.luck, self.sketch
        rows = [[" "] * sketch.width for _ in range(sketch.height)]
        for _ in range(luck.randint(1, 2)):
            y, x = luck.randrange(sketch.height), luck.randrange(sketch.width)
            for row, cells in list(zip(rows, sketch.cells, strict=True))[y : y + luck.randint(1, 2)]:
                row[x : x + 2] = ["═" if cell in ".#+'SLGK" else " " for cell in cells[x : x + 2]]
        self.entry["machines"] = "\n".join("".join(row) for row in rows)
        if luck.random() < 0.5:
            self.entry["machine"] = luck.choice(("vat", "rug"))

    def told(self) -> Yaml:
        """Return the prefab's entry; a step whose characters are not drawn is left out."""
        cells = {cell for row in self.sketch.cells for cell in row}
        steps = [step for step in self.entry.get("vary", ()) if _drawn_in(step, cells)]
        told = {**self.entry, "map": "\n".join("".join(row) for row in self.sketch.cells), "vary": steps}
        if any(link != " " for row in self.sketch.links for link in row):
            told["links"] = "\n".join("".join(row) for row in self.sketch.links)
        return told


def _drawn_in(step: Yaml, cells: set[str]) -> bool:
    """Tell whether the characters that a step of `vary` needs are drawn."""
    if "shuffle" in step:
        return set(step["shuffle"]) <= cells
    if "exactly" in step:
        return "z" in cells
    return "x" in cells


MOODS: dict[str, tuple[Yaml, ...]] = {
    "C": ({"prop": "chest"}, {"robot": "mole"}, "water", "wall"),
    "m": ({"prop": "crate"}, {"item": "gem"}, "blocked"),
    "R": ({"prop": "vat"}, {"item": "coin"}, "moss"),
    "r": ({"robot": "chief"}, {"prop": "crate"}, "water"),
    "$": ({"item": "gem"}, {"prop": "crate"}, "planks"),
    "W": ("planks", "wall", {"terrain": "water", "debris": "straw"}),
    "S": ("door", "wall"),
    "L": ("door", "doorway"),
}
"""Character -> what it may mean in one variant of a prefab, instead of what `LEGEND` says."""


def _add_variants(luck: Random, told: dict[str, Yaml]) -> None:
    """Give some prefabs two or three variants with another legend, steps, conditions or drawing; any map can use the first one."""
    for entry in [*told.values()]:
        if "map" in entry and luck.random() < 0.3:
            entry["variants"] = {"plain": _variant(luck, entry)}
            for name in luck.sample(("wet", "held"), luck.randint(1, 2)):
                entry["variants"][name] = {**_variant(luck, entry), "only": luck.choice(CONDITIONS)}


def _variant(luck: Random, entry: Yaml) -> Yaml:
    """Return a variant of a prefab."""
    variant: Yaml = {"weight": luck.randint(1, 4)}
    drawn = [char for char in MOODS if char in entry["map"]]
    for char in luck.sample(drawn, min(len(drawn), luck.randint(0, 2))):
        variant.setdefault("legend", {})[char] = luck.choice(MOODS[char])
    if drawn and luck.random() < 0.3:
        step = {"substitute": luck.choice(drawn), "with": {".": 1, "R": 2, "W": 1}}
        variant["vary"] = [*entry.get("vary", ()), step]
    if luck.random() < 0.3:
        variant["sealed"] = luck.random() < 0.7
    if luck.random() < 0.3 and not {"references", "machines", "links"} & {*entry}:
        variant["map"] = "\n".join(row[::-1] for row in reversed(entry["map"].split("\n")))
    return variant


def write_worded_game(number: int, folder: Path) -> dict[str, Yaml]:
    """Write the files of a game, and return its YAML by path."""
    luck = Random(f"words {number}")
    words = (*WORDS, *MORE_WORDS) if luck.random() < 0.7 else ()
    prefabs = {f"prefab_{each}": WordedPrefab(luck, drawing(luck)) for each in range(luck.randint(3, 6))}
    prefabs |= {f"plain_{each}": WordedPrefab(luck, _room(luck), plain=True) for each in range(3)}
    told = {name: prefab.told() for name, prefab in prefabs.items()}
    for name in ("case_0", "case_1"):
        prefabs[name] = WordedPrefab(luck, _room(luck), plain=True, sealed=True)
        told[name] = prefabs[name].told()
    told["display"] = _display(luck)
    told |= _bundle(luck, luck.choice(("prefab_0", "plain_0")), told)
    names = (*prefabs, "display", "bundle", "stacked")
    halls = {name: WordedPrefab(luck, hall(luck)).told() for name in (WHOLE, f"{WHOLE}_2")}
    stock = Stock(names, "water", "planks", "moss", "key", "lever", "guard", words=words)
    on_maps = maps(luck, stock)
    on_maps[WHOLE] = {
        "name": WHOLE,
        "layout": {
            "static": {
                "prefab": luck.choice((WHOLE, {WHOLE: 3, f"{WHOLE}_2": 1})),
                "pockets": luck.choice(("join", "fill", "seal")),
                "turn": luck.random() < 0.5,
            }
        },
    }
    for name, entry in on_maps.items():
        if name != WHOLE:
            entry["size"] = f"{luck.randint(30, 90)}x{luck.randint(24, 60)}"
        entry["population"] = _population(luck)
        entry["machines"] = machines(luck, CROWD)
    _extend_cards(luck, on_maps["cards"]["layout"]["cards"])
    start = luck.choice(names[:-1])
    on_maps["connected"]["layout"]["connected"]["start"] = luck.choice(
        ([start, "stacked"], {start: 3, "stacked": 1}, "stacked")
    )
    encounters = _encounters(luck, names)
    company(luck, encounters, CROWD)
    for entry in encounters.values():
        entry.pop("guaranteed", None)  # most levels would be refused
        if words and luck.random() < 0.2:
            entry["lock"] = luck.choice(words)
    moods = Random(f"variants {number}")  # a stream of its own: games without variants stay as they are
    if moods.random() < 0.5:
        _add_variants(moods, told | halls)
    for entry in encounters.values():
        variants = told.get(entry.get("prefabs"), {}).get("variants", {})
        if variants and moods.random() < 0.6:
            entry["prefabs"] += f"/{moods.choice(tuple(variants))}"
    files: dict[str, Yaml] = {
        path: OBJECTS.get(path, {}) | MORE_OBJECTS.get(path, {}) for path in {**OBJECTS, **MORE_OBJECTS}
    }
    legend = LEGEND | UPPER | {sign: meaning for sign, (_, meaning) in SIGNS.items()}
    world = _world(luck, tuple(on_maps))
    far = {"name": "far", "opened_by": {"item": "token"}, "keys_on": _far_maps(luck, world)}
    files |= {
        "legends/all.yaml": {"shared": legend},
        "locks.yaml": locks(luck, stock) | MORE_LOCKS | {"far": far},
        "maps/all.yaml": on_maps,
        "encounters/all.yaml": encounters,
        "prefabs/all.yaml": {**told, **halls, "stacked": STACKED, **FLOORS},
        "world.yaml": world,
    }
    texts = {path: json.dumps(held) for path, held in files.items()}  # which is YAML, too
    texts["prefabs/machines.yaml"] = MACHINES
    for path, text in texts.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (folder / "prefabs" / "stacked.xp").write_bytes(_stacked(luck))
    return files


def _room(luck: Random) -> Sketch:
    """Return a room without clutter, mostly with walls and a door or two."""
    sketch = Sketch(luck, luck.randint(5, 7), luck.randint(6, 10))
    if luck.random() < 0.6:
        sketch.wall(0, 0, sketch.height, sketch.width)
        for x in luck.sample(range(1, sketch.width - 1), luck.randint(1, 2)):
            sketch.cells[sketch.height - 1][x] = "+"
    return sketch


def _bundle(luck: Random, model: str, told: dict[str, Yaml]) -> dict[str, Yaml]:
    """Return two prefabs like `model` with one tag, used under other conditions; a third without conditions stands in for both."""
    one, other = luck.sample(CONDITIONS, 2)
    return {
        "by_day": {**told[model], "tags": "bundle", "only": one},
        "by_night": {"like": model, "tags": "bundle", "only": other, "sealed": luck.random() < 0.5},
        "by_dusk": {"like": model, "tags": "bundle"},
    }


def _display(luck: Random) -> Yaml:
    """Return a prefab that is open all around, with a sealed display case in its middle."""
    width = luck.randint(5, 8)
    sketch = Sketch(luck, luck.randint(5, 7), width)
    for row in sketch.cells[1:4]:
        row[1:4] = "###"
    sketch.cells[2][2] = luck.choice("$ÂÁÔ")
    sketch.scatter(luck.choice("ÀÈÉÊÌÐÔ"), 2)
    return {"legends": "shared", "sealed": True, "map": "\n".join("".join(row) for row in sketch.cells)}


STACKED: Yaml = {
    "layers": ["terrain", "items", "robots", "ignore", "items"],
    "legend": {
        "x": [{"item": "gem"}, {"robot": "drone"}],
        "y": {"item": "coin"},
        "r": {"robot": "ogre", "chance": "50%"},
    },
}
FLOORS: Yaml = {
    "turret": {"legends": "shared", "map": "#####\n#>Ð>#\n##+##"},
    "cellar": {"legends": "shared", "map": "#######\n#.<.<.#\n#..È..#\n###+###"},
}
"""The floors of towers."""


def _stacked(luck: Random) -> bytes:
    """Return an .xp drawing of five layers: terrain, items, robots, one to ignore, and items."""
    height, width = luck.randint(4, 7), luck.randint(4, 9)
    ground = [
        ["#" if y in (0, height - 1) or x in (0, width - 1) else "." for x in range(width)]
        for y in range(height)
    ]
    for _ in range(luck.randint(1, 2)):
        ground[luck.choice((0, height - 1))][luck.randint(1, width - 2)] = "+"
    layers = [ground]
    for marks in ("xy", "xr", "#", "y"):
        rows = [[" "] * width for _ in range(height)]
        for _ in range(luck.randint(1, 3)):
            rows[luck.randint(1, height - 2)][luck.randint(1, width - 2)] = luck.choice(marks)
        layers.append(rows)
    return encode_xp(
        [
            dungeon.XpLayer.from_rows(["".join(row) for row in rows], transparent_spaces=bool(number))
            for number, rows in enumerate(layers)
        ]
    )


def _population(luck: Random) -> list[Yaml]:
    """Return the population of a map, some of it rated, in a band, or with things around it."""
    entries = population(luck, CROWD)
    entries += [{"item": "key", "opens": word} for word in ("gold", "iron") if luck.random() < 0.4]
    more: Iterable[Yaml] = (
        {"robot": "chief", "count": "0..2"},
        {"robot": {"class": "walker"}, "count": "0..3", "rating": "+4"},
        {"item": {"class": "goods"}, "count": "0..3", "rating": {"depth": 6}},
        {"prop": "chest", "lock": luck.choice(MORE_WORDS), "count": "1..2"},
        {
            "prop": luck.choice(("vat", "rug")),
            "count": "1..3",
            "around": [{"debris": "ember", "count": "1..4", "within": 3}, {"prop": "kiln", "within": 2}],
        },
    )
    return entries + [each for each in more if luck.random() < 0.3]


def _encounters(luck: Random, names: tuple[str, ...]) -> dict[str, dict[str, Yaml]]:
    """Return an encounter of each placing mode, and one that only scatters."""
    everywhere = dict.fromkeys(LAYOUTS, 1)
    encounters: dict[str, dict[str, Yaml]] = {}
    for mode in MODES:
        name = luck.choice((*names, "plain_0", "plain_1", "plain_2", "case_0", "case_1", "display"))
        told = {
            "category": luck.choice(CATEGORIES),
            "placing": mode,
            "prefabs": name,
            "maps": dict(everywhere),
        }
        encounters[f"{mode}_{name}"] = told
    mess = content(luck, CROWD)
    if luck.random() < 0.5:
        mess.append({"item": "token", "around": [{"debris": "ember", "count": 2}]})
    encounters["mess"] = {"category": "risk", "placing": "free", "content": mess, "maps": everywhere}
    return encounters


def _extend_cards(luck: Random, cards: dict[str, Yaml]) -> None:
    """Let cards abut, zones grow by the shapes of their cards, or a sea lie between islands."""
    if luck.random() < 0.5:
        cards["gap"] = 0
    if luck.random() < 0.4 and "deck" in cards:
        cards["grow"] = {"sections": {"deck": 3, "cell": 1}}
    if luck.random() < 0.4 and cards["gap"]:
        cards |= {"between": "water", "shore": "moss", "beach": luck.randint(1, 2)}


def _far_maps(luck: Random, world: Yaml) -> list[str]:
    """Return the maps on which keys for other maps lie: a branch, or some maps of a chain."""
    ids = [*world["leads_to"]]
    return luck.choice((["deep/*"], ids[:1], [luck.choice(ids)]))


def _world(luck: Random, types: tuple[str, ...]) -> Yaml:
    """Return a world of the maps, with factors and difficulties; ratings may name its branch `deep`."""
    told: Yaml = chain(types) if luck.random() < 0.5 else branched(luck, types)
    if "maps" not in told and luck.random() < 0.6:
        upper, lower = luck.choice(list(pairwise(told["leads_to"]))[:3])
        told["towers"] = {"keep": {"floors": {upper: "turret", lower: "cellar"}, "chance": "70%"}}
    start = told["start"]
    told["maps"] = {**told.get("maps", {}), "deep": {"depths": 8, "maps": {types[0]: 1}}}
    told["leads_to"][start] = [*told["leads_to"].get(start, ()), "deep/8"]
    if luck.random() < 0.5:
        told["spawns"] = luck.choice(("50%", "180%", {"by_depth": {"1": "40%", "6": "200%"}}))
    if luck.random() < 0.5:
        told["weights"] = {each: luck.choice(("0%", "50%", "300%")) for each in luck.sample(CATEGORIES, 2)}
    told["difficulties"] = {
        "hard": {"spawns": "200%", "weights": {"danger": "300%"}},
        "calm": {"spawns": "0%", "weights": {"danger": "0%", "risk": "50%"}},
    }
    return told
