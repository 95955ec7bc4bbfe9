"""Random maps for games of any content: every layout with parameters, zones, dressing and locks.

A map uses the names in a `Stock`. Every random map can be loaded. Combinations that make no sense, such as a deck of prefabs that
never fit a cell, are for the layouts to handle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from drawn_people import allowance

if TYPE_CHECKING:
    from random import Random

Yaml = Any
"""What a YAML file holds."""

LAYOUTS = ("tunnels", "caves", "mines", "connected", "cards", "patchwork")
SIDES = ("north", "south", "east", "west", "north-west", "south-east")
PARTS = ("west half", "middle rows", "north-east third", "centre")
CLOSINGS = ("door", "doorway", "secret door", "open")
SHAPES = ("rectangle", "ellipse", "cross", "ell", "notched", "alcoves", "pillared", "diamond", "triangle")
JOINTS = ("bridge", "tumour", "multi-tumour", "island")
SMALLEST, LARGEST = (30, 20), (200, 120)
"""Smallest and largest (columns, rows)."""

WORDS = ("brass", "coin", "crank", "warden", "inner")
"""Words of locks: opened by a key that lasts, by a key that is used up, by a lever, by a robot's death, by opening another lock."""


class Stock(NamedTuple):
    """The names that random maps may use.

    Attributes:
        prefabs: Names of prefabs.
        water: Terrain that can't be walked on.
        planks: Terrain that can be walked on.
        moss: Another terrain that can be walked on.
        key: An item.
        lever: A prop.
        guard: A robot.
        themes: Names of themes.
        words: Words of locks that maps may have.
        rug: A prop that does not block.
    """

    prefabs: tuple[str, ...]
    water: str
    planks: str
    moss: str
    key: str
    lever: str
    guard: str
    themes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    rug: str = "rug"


def locks(luck: Random, stock: Stock) -> dict[str, Yaml]:
    """Return the entries of `locks.yaml` for `WORDS`."""
    openers: dict[str, Yaml] = {
        "brass": {"item": stock.key},
        "coin": {"item": stock.key},
        "crank": {"prop": stock.lever, "state": "up"},
        "warden": {"robot": stock.guard},
        "inner": {"lock": luck.choice(("brass", "crank", "coin"))},
    }
    entries: dict[str, Yaml] = {}
    for word in WORDS:
        entry = entries[word] = {"name": f"{word} lock", "opened_by": openers[word]}
        if word == "inner":
            continue
        if luck.random() < 0.5:
            low = luck.randint(0, 80)
            entry["distance"] = luck.choice((f"{low}%..", f"{low}%..{luck.randint(low, 100)}%"))
        entry["consumed"] = word == "coin"
        entry["keys"] = luck.choice((1, 1, 2))
        if luck.random() < 0.5:
            entry["nested"] = f"{luck.randint(0, 100)}%"
    return entries


def maps(luck: Random, stock: Stock) -> dict[str, Yaml]:
    """Return a map of each layout, by its name."""
    return {layout: _map(luck, stock, layout) for layout in LAYOUTS}


def _map(luck: Random, stock: Stock, layout: str) -> Yaml:
    share = luck.random() ** 2  # most are small
    (width, height), (widest, highest) = SMALLEST, LARGEST
    columns = round(width + (widest - width) * share * luck.uniform(0.8, 1))
    rows = round(height + (highest - height) * share * luck.uniform(0.8, 1))
    told: dict[str, Yaml] = {
        "name": layout,
        "size": _size(luck, columns, rows),
        "layout": {layout: PARAMETERS[layout](luck, stock, columns * rows)},
        "way": f"{luck.choice((0, 40, 60, 90))}%",
        **allowance(luck, 3 + columns * rows // 700),
        "features": [_feature(luck, stock) for _ in range(luck.randint(0, 3))],
        "dressing": [dressing(luck, stock) for _ in range(luck.randint(0, 4))],
    }
    if luck.random() < 0.5:
        told["variants"] = {number: {"features": [_feature(luck, stock)]} for number in (1, 2)}
    if luck.random() < 0.2:
        told["drops"] = {"prop": stock.rug, "count": "1..2"}
    if stock.themes:
        told["theme"] = luck.choice(stock.themes)
    if stock.words:
        words = luck.choices(stock.words, k=luck.randint(1, 8))
        told["locks"] = {
            word: {"count": words.count(word), "on": luck.choice(("room", "room", "way"))}
            for word in dict.fromkeys(words)
        }
    return told


def _size(luck: Random, columns: int, rows: int) -> Yaml:
    """Return a size that is the same at all depths, or what it says at one of them."""
    if luck.random() < 0.5:
        return f"{columns}x{rows}"
    return {"by_depth": {luck.randint(0, 2): "40x30", luck.randint(3, 9): f"{columns}x{rows}"}}


def _feature(luck: Random, stock: Stock) -> Yaml:
    told: dict[str, Yaml] = {"prefab": luck.sample(stock.prefabs, 2), "count": luck.randint(1, 2)}
    match luck.randint(0, 3):
        case 0:
            told |= {"from": luck.choice(SIDES), "distance": luck.randint(1, 6)}
        case 1:
            told |= {"where": luck.choice(PARTS)}
        case 2:
            told |= {"at": [luck.randint(1, 30), luck.randint(1, 20)], "required": False}
    if luck.random() < 0.3:
        told[luck.choice(("far_from", "near"))] = {luck.choice(("entrance", "exits")): luck.randint(5, 40)}
    if stock.words and luck.random() < 0.3:
        told["lock"] = luck.choice(stock.words)
    return told


def dressing(luck: Random, stock: Stock) -> Yaml:
    """Return a random dressing pass."""
    told: dict[str, Yaml] = luck.choice(
        (
            {"lake": stock.water, "cells": luck.randint(4, 60), "count": luck.randint(1, 3)},
            {"river": stock.water, "width": luck.randint(1, 3), "count": luck.randint(1, 2)},
            {"chasm": stock.water, "length": luck.randint(5, 40), "width": luck.randint(1, 5)},
            {"patches": stock.moss, "cover": f"{luck.randint(1, 50)}%"},
            {"rubble": stock.moss, "cover": "10%"},
            {"cracks": stock.planks, "count": 5},
            {"light": "#ffb060", "spacing": luck.randint(3, 15), "ground": stock.moss},
        )
    )
    if told.keys() & {"lake", "river", "chasm"}:
        told |= luck.choice(({}, {"crossing": stock.planks}, {"crossing": stock.planks, "bank": stock.moss}))
    return told


def _weighted(luck: Random, words: tuple[str, ...], most: int = 3) -> dict[str, int]:
    """Return up to `most` of the words with random weights."""
    return {word: luck.randint(1, 5) for word in luck.sample(words, luck.randint(1, most))}


def _deck(luck: Random, stock: Stock, least: int = 1) -> dict[str, Yaml]:
    names = luck.sample(stock.prefabs, min(len(stock.prefabs), luck.randint(least, 8)))
    told: dict[str, Yaml] = {}
    for name in names:
        told[name] = {"weight": luck.randint(1, 5)} | luck.choice(({}, {"copies": luck.randint(1, 4)}))
    return told


def _tunnels(luck: Random, _stock: Stock, _cells: int) -> Yaml:
    return {
        "open": f"{luck.randint(15, 60)}%",
        "main": {"width": luck.choice((1, 2, "1..4")), "turn": f"{luck.randint(0, 80)}%", "hall": "30%"},
        "drift": f"{luck.randint(0, 100)}%",
        "doors": _weighted(luck, CLOSINGS),
        "shapes": _weighted(luck, SHAPES[:7], 5),
        "second_door": f"{luck.randint(0, 100)}%",
        "anteroom": f"{luck.randint(0, 50)}%",
        "dead_ends": f"{luck.randint(0, 100)}%",
    }


def _caves(luck: Random, _stock: Stock, cells: int) -> Yaml:
    least = luck.randint(15, max(20, min(cells // 40, 200)))
    return {
        "cave": f"{least}..{least * luck.randint(2, 4)}",
        "margin": luck.randint(1, 3),
        "barren": f"{luck.randint(0, 60)}%",
        "linearity": f"{luck.randint(0, 100)}%",
        "loops": f"{luck.randint(0, 100)}%",
        "width": luck.choice((1, 2, "1..2")),
        "winding": f"{luck.randint(0, 100)}%",
        "min_caves": 1,
    }


def _mines(luck: Random, stock: Stock, cells: int) -> Yaml:
    return _caves(luck, stock, cells) | {
        "side": f"{luck.randint(20, 40)}..{luck.randint(40, 90)}",
        "rooms": f"{luck.randint(0, 80)}%",
        "doors": _weighted(luck, CLOSINGS[:2], 2),
        "shapes": _weighted(luck, SHAPES[:7], 5),
    }


def _connected(luck: Random, stock: Stock, _cells: int) -> Yaml:
    told: dict[str, Yaml] = {
        "auto": f"{luck.randint(0, 100)}%",
        "shapes": _weighted(luck, SHAPES, 6),
        "side": f"{luck.randint(2, 4)}..{luck.randint(4, 11)}",
        "rooms": luck.randint(3, 40),
        "hallway": f"{luck.randint(0, 2)}..{luck.randint(2, 12)}",
        "doors": _weighted(luck, CLOSINGS),
        "typed": luck.random() < 0.2,
        "loops": f"{luck.randint(0, 100)}%",
        "saves": luck.randint(0, 40),
        "reach": luck.randint(0, 30),
        "overlays": luck.choice((0, 0, luck.randint(1, 6))),
        "barren": luck.choice(("0%", f"{luck.randint(5, 80)}%")),
    }
    if luck.random() < 0.8:
        told["prefabs"] = _deck(luck, stock)
    if luck.random() < 0.3:
        told["start"] = luck.choice(stock.prefabs)
    return told


def _growth(luck: Random) -> Yaml:
    return luck.choice(
        (
            "random",
            "blob",
            "filled",
            {
                "chances": {4: "100%", 3: "80%", 2: "20%"},
                "toward": luck.choice((*SIDES, "centre")),
                "pull": 2,
            },
            {"ageing": "40%", "sections": {"cell": 2, "I": 1, "T": 1, "L": 1}},
        )
    )


def _cards(luck: Random, stock: Stock, _cells: int) -> Yaml:
    told: dict[str, Yaml] = {
        "cell": f"{luck.randint(6, 13)}x{luck.randint(6, 10)}",
        "gap": luck.randint(1, 2),
        "count": luck.randint(3, 30),
        "rooms": luck.randint(1, 4),
        "passages": luck.choice((0, 0.3, 2)),
        "shapes": _weighted(luck, SHAPES, 6),
        "halls": f"{luck.randint(0, 50)}%",
        "loops": f"{luck.randint(0, 100)}%",
        "doors": _weighted(luck, CLOSINGS),
        "grow": _growth(luck),
        "apart": luck.random() < 0.3,
    }
    if luck.random() < 0.8:
        told["deck"] = _deck(luck, stock)
    if luck.random() < 0.6:
        told["zones"] = {f"zone_{number}": _zone(luck, stock, number) for number in range(luck.randint(1, 4))}
        del told["count"]
    return told


def _zone(luck: Random, stock: Stock, number: int) -> Yaml:
    told: dict[str, Yaml] = {"count": luck.randint(1, 9)} | _joint(luck, stock, number)
    if luck.random() < 0.3:
        told["deck"] = _deck(luck, stock)
    if luck.random() < 0.3:
        told["grow"] = _growth(luck)
    if number and luck.random() < 0.3:
        told["bridge"] = _deck(luck, stock)
    return told


def _joint(luck: Random, stock: Stock, number: int) -> Yaml:
    """Return the keys of a patchwork zone that every layout accepts."""
    told: dict[str, Yaml] = {"step": luck.randint(0, 2)}
    if stock.themes and luck.random() < 0.4:
        told["theme"] = luck.choice(stock.themes)
    if number == 0:
        return told
    told |= {
        "join": luck.choice(JOINTS),
        "from": f"zone_{luck.randrange(number)}",
        "doors": luck.randint(1, 2),
    }
    if told["join"] == "island" and luck.random() < 0.6:
        told["port"] = luck.choice((stock.rug, {stock.rug: 1, "tunnel": 1}))
    if stock.words and luck.random() < 0.4:
        told["lock"] = luck.choice(stock.words)
    return told


def _patchwork(luck: Random, stock: Stock, cells: int) -> Yaml:
    zones: dict[str, Yaml] = {}
    number = luck.randint(1, 4)
    for each in range(number):
        layout = luck.choice(LAYOUTS[:-1])
        parameters = PARAMETERS[layout](luck, stock, cells // number)
        if parameters.pop("zones", None):
            parameters["count"] = luck.randint(3, 12)
        zones[f"zone_{each}"] = {
            "layout": {layout: parameters},
            "share": luck.choice((0.5, 1, 1, 3)),
            "parts": luck.randint(2, 3),
        } | _joint(luck, stock, each)
    told: dict[str, Yaml] = {
        "zones": zones,
        "uneven": f"{luck.choice((0, 35, 90))}%",
        "gap": luck.randint(1, 4),
    }
    if luck.random() < 0.4:
        told |= {"between": stock.water, "beach": luck.randint(1, 3)}
        told |= luck.choice(({}, {"shore": stock.moss}))
        if "shore" not in told:
            del told["beach"]
    return told


PARAMETERS = {
    "tunnels": _tunnels,
    "caves": _caves,
    "mines": _mines,
    "connected": _connected,
    "cards": _cards,
    "patchwork": _patchwork,
}
"""Layout -> function that draws its parameters, for a map with this number of cells."""
