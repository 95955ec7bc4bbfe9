"""Random games whose encounters compete for space: for the tests and for `tests/fuzzing/odds.py`.

Sizes, weights, limits, groups, placing modes and the number of doors are left to chance, and so are layouts and how large their
rooms are, from half as large as what is to stand in them to twice that.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

Yaml = Any
"""What a YAML file holds."""

MAPS = ("halls", "cells", "rooms", "pits", "caverns")
OF_ROOMS = ("halls", "cells", "rooms", "pits")
OF_CAVES = ("pits", "caverns")
MODES = {
    "enclosed": OF_ROOMS,
    "cubby": ("halls",),
    "accessible": OF_ROOMS,
    "centered": OF_CAVES,
    "embedded": OF_CAVES,
}
ACCESS = ("1", "1..2", "2..3", "2..4", "1..9")


def drawing(luck: Random) -> str:
    """Return a floor with some pillars, none of which cuts anything off."""
    height, width = luck.randint(2, 8), luck.randint(3, 12)
    rows = [["."] * width for _ in range(height)]
    for y in range(1, height - 1, 2):
        for x in range(1, width - 1, 2):
            if luck.random() < 0.3:
                rows[y][x] = "#"
    return "\n".join(map("".join, rows))


def encounter(luck: Random, prefabs: list[str]) -> Yaml:
    """Return an encounter."""
    mode = luck.choice([*MODES])
    entry: Yaml = {
        "category": luck.choice(("fluff", "risk", "danger", "reward")),
        "prefabs": luck.sample(prefabs, luck.randint(1, 3)),
        "placing": mode,
        "maps": {name: luck.choice((1, 2, 4, 10, 20)) for name in MODES[mode] if luck.random() < 0.8},
    }
    entry["maps"] = entry["maps"] or {luck.choice(MODES[mode]): 5}
    if luck.random() < 0.8:
        entry["limit"] = {"map": luck.randint(1, 3)}
        if luck.random() < 0.3:
            entry["limit"]["world"] = luck.choice((1, 2, "1..3"))
    if luck.random() < 0.3:
        entry["group"] = luck.choice("abc")
    if mode in ("enclosed", "accessible") and luck.random() < 0.4:
        entry["access"] = luck.choice(ACCESS)
    return entry


def maps(luck: Random) -> Yaml:
    """Return the maps."""
    small, large = luck.choice(("3..5", "4..6")), luck.choice(("6..10", "8..13"))
    layouts: Yaml = {
        "halls": {
            "tunnels": {
                "rooms": "14..20",
                "medium": small,
                "large": large,
                "open": f"{luck.randint(35, 60)}%",
            }
        },
        "cells": {
            "cards": {"cell": luck.choice(("9x7", "11x9", "13x11")), "count": "12..18", "loops": "40%"}
        },
        "rooms": {
            "connected": {
                "auto": "100%",
                "rooms": "14..25",
                "side": luck.choice(("4..8", "5..11")),
                "hallway": luck.choice(("0", "0..3", "2..6")),
            }
        },
        "pits": {"mines": {"room": large, "rooms": "50%"}},
        "caverns": {"caves": {}},
    }
    return {
        name: {
            "name": name,
            "size": f"{luck.randint(64, 110)}x{luck.randint(44, 66)}",
            "encounters": f"{(most := luck.randint(5, 12)) - 2}..{most}",
            "layout": layout,
        }
        for name, layout in layouts.items()
    }


def game(luck: Random) -> dict[str, str]:
    """Return the files of a game: path -> YAML."""
    prefabs = {f"p{number}": {"map": drawing(luck)} for number in range(luck.randint(10, 18))}
    encounters = {f"e{number}": encounter(luck, [*prefabs]) for number in range(luck.randint(25, 45))}
    ids = [f"{name}/{depth}" for depth, name in enumerate(MAPS, 1)]
    files: Yaml = {
        "prefabs/all.yaml": prefabs,
        "encounters/all.yaml": encounters,
        "maps/all.yaml": maps(luck),
        "world.yaml": {"start": ids[0], "leads_to": {one: [other] for one, other in pairwise(ids)}},
    }
    return {path: json.dumps(held) for path, held in files.items()}
