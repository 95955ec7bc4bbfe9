"""Random small worlds with towers: two to four maps of any layouts and sizes, and one or two towers over some of them.

The maps, objects, locks and features are those of `drawn_small`. The floors of a tower are rooms of their own sizes, with one to three
stairs between each two floors, furniture, partitions and doors.
"""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import yaml
from drawn_maps import LAYOUTS, PARTS, SIDES, WORDS, Stock
from drawn_small import small_map, write_small_game

if TYPE_CHECKING:
    from pathlib import Path

    from drawn_maps import Yaml

LARGER = (12, 8)
"""How many (columns, rows) the maps are larger than the smallest ones of `drawn_small`, so that most have space for a tower."""


def write_game_with_towers(number: int, folder: Path) -> None:
    """Write the files of a game. Its maps are `map_1/1`, `map_2/2` and so on, each of a type of its own."""
    write_small_game(number * 7, folder)  # every seventh game is one of `tunnels`
    luck = Random(f"towers {number}")
    prefabs = tuple(yaml.safe_load((folder / "prefabs/all.yaml").read_text(encoding="utf-8")))
    words = WORDS if luck.random() < 0.5 else ()
    stock = Stock(prefabs, "water", "planks", "moss", "key", "lever", "guard", words=words)
    depth = luck.randint(2, 4)
    ids = [f"map_{each}/{each}" for each in range(1, depth + 1)]
    maps = {each.split("/")[0]: small_map(luck, stock, luck.choice(LAYOUTS), LARGER) for each in ids}
    drawings: dict[str, Yaml] = {}
    names = ["tower", "shaft"][: luck.choice((1, 1, 2))]
    towers = {name: _tower(luck, ids, name, drawings) for name in names}
    ways = dict(pairwise(ids))
    if luck.random() < 0.3:  # another way to the last map
        maps["side"] = small_map(luck, stock, luck.choice(LAYOUTS), LARGER)
        ways |= {ids[0]: ["side/2", ids[1]], "side/2": ids[-1]}
    encounters, legends = (_read(folder / f"{name}/all.yaml") for name in ("encounters", "legends"))
    legends["shared"] |= {"~": "water", "^": {"trap": "snare"}}
    for entry in encounters.values():
        entry["maps"] = dict.fromkeys(maps, 1)
        if luck.random() < 0.3:
            entry["far_from"] = {luck.choice(("entrance", "exits")): luck.randint(3, 15)}
    files: dict[str, Yaml] = {
        "maps/all.yaml": maps,
        "world.yaml": {"start": ids[0], "leads_to": ways, "towers": towers},
        "prefabs/towers.yaml": drawings,
        "legends/all.yaml": legends,
        "encounters/all.yaml": encounters,
    }
    for path, held in files.items():
        (folder / path).write_text(json.dumps(held), encoding="utf-8")


def _read(file: Path) -> Yaml:
    return json.loads(file.read_text(encoding="utf-8"))


def _tower(luck: Random, ids: list[str], name: str, drawings: dict[str, Yaml]) -> Yaml:
    """Return a tower over two or more of the maps `ids`; add its prefabs to `drawings`."""
    first = luck.randint(0, len(ids) - 2)
    own = ids[first : luck.randint(first + 2, len(ids))]
    floors: dict[str, str] = {}
    up: set[tuple[int, int]] = set()
    for number, map_id in enumerate(own, 1):
        drawing, up = _floor(luck, up, luck.randint(1, 3) if number < len(own) else 0)
        floors[map_id] = prefab = f"{name}_{number}"
        drawings[prefab] = {"map": drawing, "legends": "shared"}
    told: Yaml = {"floors": floors}
    match luck.randint(0, 4):
        case 0:
            told["where"] = luck.choice(PARTS)
        case 1:
            told |= {"from": luck.choice(SIDES), "distance": luck.randint(1, 8)}
        case 2:
            told["orientations"] = ["r0", "m90"]
    if luck.random() < 0.2:
        told["no_spawn"] = True
    if luck.random() < 0.2:
        told["chance"] = "60%"
    return told


def _floor(luck: Random, up: set[tuple[int, int]], count: int) -> tuple[str, set[tuple[int, int]]]:
    """Return the drawing of a floor, and the cells of its stairs down, seen from the first of them.

    Args:
        luck: The random numbers.
        up: The cells of its stairs up, seen from any cell; empty for none.
        count: The number of its stairs down.
    """
    top, left = (min((cell[axis] for cell in up), default=0) - luck.randint(1, 4) for axis in (0, 1))
    up = {(y - top, x - left) for y, x in up}
    height = max([y for y, _ in up], default=1) + luck.randint(2, 5)
    width = max([x for _, x in up], default=1) + luck.randint(2, 6)
    inside = [(y, x) for y in range(1, height) for x in range(1, width) if (y, x) not in up]
    down = {*luck.sample(inside, min(count, len(inside)))}
    rows = [
        ["#" if y in (0, height) or x in (0, width) else "." for x in range(width + 1)]
        for y in range(height + 1)
    ]
    for y, x in luck.sample(inside, min(len(inside), luck.choice((0, 1, 3)))):
        rows[y][x] = luck.choice("cr$g^~")
    for (y, x), stairs in [*((cell, "<") for cell in up), *((cell, ">") for cell in down)]:
        rows[y][x] = stairs
    for _ in range(luck.choice((1, 2, 4))):
        y, x = luck.choice(((0, luck.randint(1, width - 1)), (luck.randint(1, height - 1), width)))
        rows[y][x] = luck.choice("++'.")
    return "\n".join(map("".join, rows)), down
