"""Random small games of one map each, over all seven layouts, with locks, scattered objects, features and zones.

They resemble the first experiments of an author: odd sizes, features at fixed columns and rows, doors that face the edge, hundreds of
crates, chests and keys, zones on maps too small for them. Layout parameters come from `drawn_maps`, a third of the prefabs from
`drawn_at_random`.
"""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING

from drawn_at_random import CROWD, LEGEND, MACHINES, OBJECTS, Sketch, drawing
from drawn_maps import LAYOUTS, PARAMETERS, PARTS, SIDES, WORDS, Stock, locks
from drawn_people import machines
from drawn_richer import Richness

if TYPE_CHECKING:
    from pathlib import Path

    from drawn_maps import Yaml

ALL_LAYOUTS = (*LAYOUTS, "static")
NAME = "small"
"""The name of the map."""

FACES = ((0, 1), (0, -1), (1, 0), (-1, 0))
OWN_LEGEND: dict[str, Yaml] = LEGEND | {
    "D": {"prop": "chest", "lock": "brass"},
    "N": {"prop": "chest", "lock": "coin"},
    "O": {"prop": "chest"},
    "o": {"prop": "chest", "loadout": [{"item": "coin"}]},
    "B": {"terrain": "locked_door", "lock": "brass"},
    "Y": {"terrain": "locked_door", "lock": "coin"},
    "1": {"item": "key", "opens": "gold", "data": {"consumed": True}},
    "2": {"item": "key", "opens": "iron", "data": {"consumed": True}},
    "V": {"terrain": "blocked"},
    "3": {"item": "key", "opens": ["gold", "iron"], "data": {"consumed": True}},
    "4": {"item": "key", "opens": "gold", "chance": "50%"},
    "5": {"prop": "chest", "lock": "gold", "opens": "iron"},
    "J": {"prop": "chest", "lock": "gold"},
    "Q": {"prop": "chest", "lock": "iron"},
    "i": {"prop": "lever", "opens": "iron"},
    "j": {"prop": "lever", "opens": "gold", "data": {"toggle": True}},
}
"""The legend of `drawn_at_random` with chests, and with doors for which the level must provide keys."""

KEYS_AND_BOXES = "gk12312123gkv455ijJQDN$"
"""The characters in vaults: keys that last or are used up, levers, locked chests, some of which hold a key."""


def write_small_game(number: int, folder: Path) -> None:
    """Write the files of a game. The layouts take turns by the game's number."""
    luck = Random(f"small {number}")
    layout = ALL_LAYOUTS[number % len(ALL_LAYOUTS)]
    large = 0.8 if layout == "static" else 0.15
    sketches = {f"prefab_{each}": _prefab(luck, large) for each in range(luck.randint(2, 4))}
    if Random(f"vaults {number}").random() < 0.4:
        sketches["prefab_0"] = _vault(Random(f"vault {number}"), layout == "static")
    richness = Richness(number)
    richness.draw(sketches)
    words = WORDS if luck.random() < 0.5 else ()
    stock = Stock(tuple(sketches), "water", "planks", "moss", "key", "lever", "guard", words=words)
    files = OBJECTS | {"legends/all.yaml": {"shared": OWN_LEGEND}, "locks.yaml": locks(luck, stock)}
    files["objects/props.yaml"] = files["objects/props.yaml"] | {"chest": {"name": "chest", "glyph": "="}}
    files["maps/all.yaml"] = {NAME: small_map(luck, stock, layout)}
    files["world.yaml"] = {"start": f"{NAME}/1", "leads_to": {f"{NAME}/1": [f"{NAME}/2"]}}
    files["encounters/all.yaml"] = _encounters(luck, stock)
    richness.tell(files, stock, NAME)
    texts = {path: json.dumps(held) for path, held in files.items()}  # which is YAML, too
    texts["prefabs/all.yaml"] = "".join(sketch.text(name) for name, sketch in sketches.items())
    texts["prefabs/machines.yaml"] = MACHINES
    for path, text in texts.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _prefab(luck: Random, large_share: float) -> Sketch:
    """Return a drawing: a walled room with doors and furniture, a large hall with rooms, or a cluttered one of `drawn_at_random`."""
    if luck.random() < 0.3:
        return drawing(luck)
    large = luck.random() < large_share
    sketch = Sketch(luck, luck.randint(4, 14 if large else 8), luck.randint(4, 30 if large else 10))
    for y in range(sketch.height):
        for x in range(sketch.width):
            if y in (0, sketch.height - 1) or x in (0, sketch.width - 1):
                sketch.cells[y][x] = "#"
    if luck.random() < 0.4:
        _partition(luck, sketch)
    for _ in range(luck.choice((1, 1, 1, 2, 3))):
        y, x = _edge_cell(luck, sketch)
        sketch.cells[y][x] = luck.choice("+++'S")
    sketch.scatter(luck.choice(("", "C", "Cc", "$", "$rI", "W", "R")), luck.choice((1, 2, 5)))
    sketch.scatter(luck.choice(("", "", "O", "o", "D", "N", "DN")), 2)
    sketch.scatter(luck.choice(("", "", "g", "k", "1", "12", "1k", "gh")), 2)
    if luck.random() < 0.1:
        sketch.scatter("<>", 1)
    if luck.random() < 0.3:
        for _ in range(luck.randint(1, 3)):
            y, x = _edge_cell(luck, sketch)
            sketch.links[y][x] = luck.choice("1123*")
    return sketch


def _vault(luck: Random, is_map: bool) -> Sketch:  # noqa: FBT001
    """Return a drawing of a hall before one to four locked cells, with keys and chests in all of them.

    #########    The hall is entered from below, or begins with stairs if the drawing is a map.
    #k.#g.#.#
    #.JG..#1#    A cell may lead to the next.
    #L###G###
    #..1.k..#
    ###+#####
    """
    cells = luck.randint(1, 4)
    sketch = Sketch(luck, 7, 4 * cells + 1)
    rows = sketch.cells
    for y in (0, 3, 6):
        rows[y] = ["#"] * sketch.width
    for y in (1, 2, 4, 5):
        rows[y][0] = rows[y][-1] = "#"
    for cell in range(cells):
        if cell:
            rows[1][4 * cell] = rows[2][4 * cell] = "#"
        if cell and luck.random() < 0.4:
            rows[luck.randint(1, 2)][4 * cell] = luck.choice("GKB")
        else:
            rows[3][4 * cell + luck.randint(1, 3)] = luck.choice("GGGKKKBYL+")
        _strew(luck, sketch, 1, 4 * cell + 1, 3, luck.randint(0, 2))
    _strew(luck, sketch, 4, 1, sketch.width - 2, luck.randint(1, 2 + cells))
    for _ in range(1 if is_map else luck.randint(1, 2)):
        rows[6][luck.randint(1, sketch.width - 2)] = "+"
    if is_map:
        rows[luck.randint(4, 5)][luck.randint(1, sketch.width - 2)] = "<"
    elif luck.random() < 0.5:
        for x in (luck.randint(1, sketch.width - 2) for _ in range(luck.randint(1, 2))):
            sketch.links[6][x] = luck.choice("1*")
    return sketch


def _strew(luck: Random, sketch: Sketch, top: int, left: int, width: int, count: int) -> None:
    """Put things on cells of two rows of a drawing."""
    for _ in range(count):
        y, x = luck.randint(top, top + 1), luck.randint(left, left + width - 1)
        sketch.cells[y][x] = luck.choice(KEYS_AND_BOXES)


def _partition(luck: Random, sketch: Sketch) -> None:
    """Draw walls through a room, each with a door."""
    for _ in range(luck.randint(1, 2)):
        if luck.random() < 0.5:
            y = luck.randint(1, sketch.height - 2)
            sketch.cells[y][1:-1] = "#" * (sketch.width - 2)
            sketch.cells[y][luck.randint(1, sketch.width - 2)] = luck.choice("+'LGKBY.")
        else:
            x = luck.randint(1, sketch.width - 2)
            for y in range(1, sketch.height - 1):
                sketch.cells[y][x] = "#"
            sketch.cells[luck.randint(1, sketch.height - 2)][x] = luck.choice("+'LGKBY.")


def _edge_cell(luck: Random, sketch: Sketch) -> tuple[int, int]:
    """Return a cell of a side of a drawing, but no corner."""
    if luck.random() < 0.5:
        return luck.choice((0, sketch.height - 1)), luck.randint(1, sketch.width - 2)
    return luck.randint(1, sketch.height - 2), luck.choice((0, sketch.width - 1))


def small_map(luck: Random, stock: Stock, layout: str, larger: tuple[int, int] = (0, 0)) -> Yaml:
    """Return the entry of a map of a layout, `larger` (columns, rows) larger than usual."""
    columns = luck.choice(
        (luck.randint(9, 30), luck.randint(20, 70), luck.randint(20, 70), luck.randint(60, 120))
    )
    rows = luck.choice(
        (luck.randint(9, 20), luck.randint(15, 45), luck.randint(15, 45), luck.randint(40, 70))
    )
    if layout == "static":
        told: dict[str, Yaml] = {
            "prefab": luck.choice(stock.prefabs),
            "pockets": luck.choice(("join", "fill", "seal")),
            "turn": luck.random() < 0.5,
        }
    else:
        told = PARAMETERS[layout](luck, stock, columns * rows) if luck.random() < 0.7 else {}
    if layout == "patchwork" and not told:
        told = {"zones": {f"zone_{number}": {} for number in range(luck.randint(1, 5))}}
    entry: dict[str, Yaml] = {"name": NAME, "layout": {layout: told}, "population": _population(luck)}
    if layout == "static":
        return entry
    entry["size"] = f"{columns + larger[0]}x{rows + larger[1]}"
    entry["encounters"] = luck.choice((0, 2, "1..6"))
    entry["features"] = [_feature(luck, stock, rows, columns) for _ in range(luck.choice((0, 0, 1, 1, 2, 4)))]
    if luck.random() < 0.2:
        entry["machines"] = machines(luck, CROWD)
    if stock.words and luck.random() < 0.6:
        entry["locks"] = {
            word: {"count": luck.randint(1, 3), "on": luck.choice(("room", "room", "way"))}
            for word in luck.sample(stock.words, luck.randint(1, 3))
        }
    return entry


def _population(luck: Random) -> list[Yaml]:
    """Return a population: few objects or hundreds, blocking or not."""
    entries: list[Yaml] = []
    for _ in range(luck.choice((0, 1, 1, 3))):
        kind, tag = luck.choice(
            (("prop", "crate"), ("prop", "crate"), ("prop", "rug"), ("prop", "chest"), ("robot", "guard"))
        )
        told: dict[str, Yaml] = {kind: tag, "count": luck.choice((2, 5, 10, 20, 40, 150, 300))}
        if tag == "chest":
            told["loadout"] = [{"item": "coin"}]
        if luck.random() < 0.4:
            told["at"] = luck.choice(("anywhere", "rooms", "corridors", "doors", "walls", "middles"))
        if kind == "prop" and luck.random() < 0.2:
            told["drift"] = f"2..{luck.randint(2, 30)}"
        entries.append(told)
    return entries


def _feature(luck: Random, stock: Stock, rows: int, columns: int) -> Yaml:
    told: dict[str, Yaml] = luck.choice(
        (
            {"prefab": luck.choice(stock.prefabs)},
            {"prefab": luck.choice(stock.prefabs)},
            {"prefab": luck.choice(stock.prefabs)},
            {"prefab": luck.sample(stock.prefabs, 2)},
            {"stairs": luck.choice(("up", "down"))},
            {luck.choice(("blocked", "keep_out", "quiet")): f"{luck.randint(1, 12)}x{luck.randint(1, 12)}"},
        )
    )
    match luck.randint(0, 5):
        case 0:
            told |= {"at": [_place(luck, columns), _place(luck, rows)]}
        case 1:
            told |= {"x": _place(luck, columns)}
        case 2:
            told |= {"y": _place(luck, rows)}
        case 3:
            told |= {"from": luck.choice(SIDES), "distance": luck.randint(0, 6)}
        case 4:
            told |= {"where": luck.choice(PARTS)}
    if luck.random() < 0.4:
        told["required"] = luck.random() < 0.7
    if "prefab" in told and luck.random() < 0.2 and stock.words:
        told["lock"] = luck.choice(stock.words)
    if luck.random() < 0.2:
        told["count"] = luck.randint(1, 3)
    return told


def _place(luck: Random, extent: int) -> Yaml:
    """Return a column or row: near an edge, anywhere, or as a percentage."""
    return luck.choice(
        (luck.randint(0, 6), -luck.randint(1, 6), luck.randrange(extent), f"{luck.randint(0, 100)}%")
    )


def _encounters(luck: Random, stock: Stock) -> dict[str, Yaml]:
    """Return encounters of some placing modes, none of them guaranteed."""
    modes = luck.sample(
        ("enclosed", "cubby", "accessible", "centered", "embedded", "free"), luck.randint(0, 3)
    )
    entries: dict[str, Yaml] = {}
    for mode in modes:
        told: dict[str, Yaml] = {"category": "danger", "placing": mode, "maps": {NAME: 1}}
        if mode != "free":
            told["prefabs"] = luck.choice(stock.prefabs)
        if mode == "free" or luck.random() < 0.3:
            told["content"] = _population(luck) or [{"robot": "guard", "count": 2}]
        if stock.words and luck.random() < 0.2:
            told["lock"] = luck.choice(stock.words)
        entries[f"{mode}_one"] = told
    return entries
