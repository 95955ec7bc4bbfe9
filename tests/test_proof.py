"""The proof: drawn levels that are right, and for every rule levels in which just that one is broken."""

from __future__ import annotations

import ast
from collections import deque
from dataclasses import replace
from functools import reduce
from pathlib import Path
from random import Random
from textwrap import dedent
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dungeon import (
    Cell,
    Connection,
    Exit,
    Level,
    Light,
    Lock,
    Marker,
    Placement,
    Portal,
    Rect,
    Region,
    Spawn,
    Violation,
    Zone,
    proof,
    prove,
)
from dungeon import terrain as t
from dungeon.level.model import doors_of
from dungeon.proof.check import ARRAY_RULES, FIELD_RULES, MOST, RULES
from dungeon.proof.fields import Fields
from dungeon.proof.flat import flood, pieces
from dungeon.proof.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Callable

WATER, ILLUSION = t.BUILT_IN, t.BUILT_IN + 1
KINDS = t.TerrainSet(
    (
        *t.BUILT_IN_KINDS,
        t.TerrainKind(
            name="water",
            base=t.FLOOR,
            walkable=False,
            transparent=True,
            diggable=False,
            glyph="~",
            fg=(0, 0, 255),
        ),
        t.TerrainKind(
            name="illusion",
            base=t.WALL,
            walkable=True,
            transparent=False,
            diggable=False,
            glyph="#",
            fg=(9, 9, 9),
        ),
    )
)

TERRAIN = {
    " ": t.EARTH,
    "#": t.WALL,
    "B": t.BLOCKED,
    ".": t.FLOOR,
    ",": t.CORRIDOR,
    ":": t.CAVE,
    "'": t.DOORWAY,
    "+": t.DOOR,
    "s": t.SECRET_DOOR,
    "L": t.LOCKED_DOOR,
    "G": t.LOCKED_DOOR,
    "I": t.LOCKED_DOOR,
    "<": t.STAIRS_UP,
    ">": t.STAIRS_DOWN,
    "X": t.EXIT,
    "~": WATER,
    "i": ILLUSION,
}
SPAWNS = {
    "O": Spawn(kind="prop", tag="pillar", name="", y=0, x=0, glyph="O", fg=(1, 1, 1), blocks=True),
    "o": Spawn(kind="prop", tag="rug", name="", y=0, x=0, glyph="o", fg=(1, 1, 1)),
    "!": Spawn(kind="item", tag="potion", name="", y=0, x=0, glyph="!", fg=(1, 1, 1)),
    "^": Spawn(kind="trap", tag="snare", name="", y=0, x=0, glyph="^", fg=(1, 1, 1)),
    "*": Spawn(kind="debris", tag="rubble", name="", y=0, x=0, glyph="*", fg=(1, 1, 1)),
    "r": Spawn(kind="robot", tag="sweeper", name="", y=0, x=0, glyph="r", fg=(1, 1, 1), blocks=True),
}
KEYS = {"g": ("item", "gold"), "k": ("item", "iron"), "b": ("item", ["iron", "gold"]), "V": ("prop", "gold")}
SPAWNS |= {
    mark: Spawn(
        kind=kind,
        tag="key" if kind == "item" else "lever",
        name="",
        y=0,
        x=0,
        glyph=mark,
        fg=(1, 1, 1),
        blocks=kind == "prop",
        keywords={"opens": opens},
    )
    for mark, (kind, opens) in KEYS.items()
}
WORDS = {"G": "gold", "I": "iron"}
ZONES = {"cave": (t.CAVE,), "corridor": (t.CORRIDOR,), "room": (t.FLOOR, *t.STAIRS)}


def draw(text: str, *, sealed: tuple[int, ...] = (), drawn: Rect | None = None) -> Level:
    """Turn a drawing into a level.

    Besides the terrain above, ``<`` is the entrance; without it, ``@`` is, a floor cell. ``>`` and ``X`` are exits. ``G`` is a door
    locked with gold and ``I`` one locked with iron; ``L`` is a locked door without a lock. ``g`` and the lever ``V`` open gold, ``k``
    opens iron, ``b`` both. Other spawns stand on the ground of the cell to their left. Regions are connected pieces of one kind of
    ground, numbered by their first cells, row by row. Every door is a connection, except in the rectangle `drawn`, which
    becomes the placement of a prefab.
    """
    rows = dedent(text).strip("\n").splitlines()
    height, width = len(rows), max(map(len, rows))
    cells = {(y, x): mark for y, row in enumerate(rows) for x, mark in enumerate(row)}
    terrain = np.zeros((height, width), np.uint8)
    for (y, x), mark in cells.items():
        terrain[y, x] = TERRAIN[mark] if mark in TERRAIN else ground(rows[y][:x])
    region, regions = regions_of(KINDS.base[terrain])
    doors = tuple(
        Connection(y=y, x=x, kind=TERRAIN[mark], between=sides(terrain, region, y, x))
        for (y, x), mark in cells.items()
        if TERRAIN.get(mark) in t.DOORS and not (drawn and drawn.contains(y, x))
    )
    locks = tuple(Lock(y=y, x=x, word=WORDS[mark]) for (y, x), mark in cells.items() if mark in WORDS)
    entrances = [cell for cell, mark in cells.items() if mark in "<@"]
    prefab = placement("", drawn, prefab="vault") if drawn else None
    return Level(
        id="test/1",
        name="Test",
        depth=1,
        seed=0,
        terrain=terrain,
        region=region,
        terrain_set=KINDS,
        entrance=Cell(*entrances[0]),
        exits=tuple(Exit(y=y, x=x, leads_to="test/2") for (y, x), mark in cells.items() if mark in ">X"),
        regions=tuple(
            replace(
                one,
                connections=tuple(i for i, door in enumerate(doors) if one.id in door.between),
                sealed=one.id in sealed,
            )
            for one in regions
        ),
        connections=doors,
        doors=doors_of(terrain, KINDS, locks),
        placements=(prefab,) if prefab else (),
        spawns=tuple(spawn(mark, *cell) for cell, mark in cells.items() if mark in SPAWNS),
        lights=(),
        journal=(),
        locks=locks,
    )


def ground(left: str) -> int:
    """Return what a spawn stands on: the last piece of ground to its left, or floor."""
    return next((TERRAIN[mark] for mark in reversed(left) if mark in ".,:"), t.FLOOR)


def regions_of(base: np.ndarray) -> tuple[np.ndarray, list[Region]]:
    region = np.zeros(base.shape, np.uint16)
    regions: list[Region] = []
    for y, x in np.argwhere(base > t.BLOCKED).tolist():
        kind = next((kind for kind, codes in ZONES.items() if base[y, x] in codes), None)
        if kind is None or region[y, x]:
            continue
        found = reach_slowly(np.isin(base, ZONES[kind]), (y, x))
        region[found] = len(regions) + 1
        ys, xs = np.nonzero(found)
        bounds = Rect(int(ys.min()), int(xs.min()), int(np.ptp(ys)) + 1, int(np.ptp(xs)) + 1)
        regions.append(Region(id=len(regions) + 1, kind=kind, bounds=bounds))
    return region, regions


def sides(terrain: np.ndarray, region: np.ndarray, y: int, x: int) -> tuple[int, int]:
    framed = np.pad(terrain, 1)
    upright = framed[y, x + 1] > t.BLOCKED and framed[y + 2, x + 1] > t.BLOCKED
    region = np.pad(region, 1)[y : y + 3, x : x + 3]
    return (int(region[0, 1]), int(region[2, 1])) if upright else (int(region[1, 0]), int(region[1, 2]))


def spawn(mark: str, y: int, x: int, **changes: object) -> Spawn:
    return replace(SPAWNS[mark], y=y, x=x, cells=(), **changes)


def holding(level: Level, y: int, x: int) -> Level:
    """Return a level with a chest in which an item is."""
    chest = replace(spawn("O", y, x), tag="chest", loadout=(spawn("!", y, x),))
    return put(level, spawns=(*level.spawns, chest))


def placement(encounter: str, bounds: Rect, **changes: object) -> Placement:
    return replace(
        Placement(
            encounter=encounter,
            category="fluff",
            prefab="",
            mode="accessible",
            orientation="r0",
            region=0,
            bounds=bounds,
        ),
        **changes,
    )


def reach_slowly(mask: np.ndarray, start: tuple[int, int]) -> np.ndarray:
    reached = np.zeros_like(mask)
    queue = deque([start])
    reached[start] = True
    while queue:
        y, x = queue.popleft()
        for cell in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            if (
                all(0 <= i < n for i, n in zip(cell, mask.shape, strict=True))
                and mask[cell]
                and not reached[cell]
            ):
                reached[cell] = True
                queue.append(cell)
    return reached


def faults(level: Level) -> list[tuple[str, int | None, int | None]]:
    return [(violation.rule, violation.y, violation.x) for violation in prove(level)]


def put(level: Level, **changes: object) -> Level:
    """Return a copy of the level with other values; arrays of any shape are let in."""
    arrays = {name: changes.pop(name) for name in ("terrain", "region") if name in changes}
    lists_doors = "doors" in changes
    copy = replace(level, terrain=level.terrain.copy(), region=level.region.copy(), **changes)
    for name, array in arrays.items():
        object.__setattr__(copy, name, array)
    return copy if lists_doors else with_doors(copy)


def with_doors(level: Level) -> Level:
    """Return the level with the doors that it has; as it is where its terrain or its locks are nothing that has any."""
    terrain, locks = level.terrain, level.locks
    if (
        getattr(terrain, "ndim", 0) == 2
        and terrain.dtype == np.uint8
        and isinstance(locks, tuple)
        and all(isinstance(lock, Lock) for lock in locks)
    ):
        object.__setattr__(level, "doors", doors_of(terrain, level.terrain_set, locks))
    return level


def paint(level: Level, y: int, x: int, code: int, region: int | None = None) -> Level:
    terrain, zones = level.terrain.copy(), level.region.copy()
    terrain[y, x] = code
    if region is not None:
        zones[y, x] = region
    return put(level, terrain=terrain, region=zones)


def swap(values: tuple[object, ...], index: int, **changes: object) -> tuple[object, ...]:
    return (*values[:index], replace(values[index], **changes), *values[index + 1 :])


def with_portals(level: Level, *ends: tuple[int, int, int, int], both: bool = True) -> Level:
    """Return a level with portals, each from (y, x) to (y, x)."""
    portals = (Portal(y=y, x=x, to_y=to_y, to_x=to_x, kind="boat", both=both) for y, x, to_y, to_x in ends)
    return put(level, portals=tuple(portals))


def zone(number: int, name: str = "a", **more: object) -> Zone:
    """Return a zone."""
    return Zone(**{"id": number, "name": name, "kind": "first", "regions": (min(number, 2),), **more})


# -- levels that are right ------------------------------------------------------------------------

TWO_ROOMS = """
    ###########
    #....#....#
    #.<..+..>.#
    #....#....#
    ###########
"""
WHOLE = """
    ########################
    #......#   #:::::::#####
    #.<..!.######::::::::###
    #...O..+,,,,'::*:::::::#
    #.o....#,####:::::r::::#
    #......#,#  ##::^:::####
    ##++####,#   ####L###
     #,,# ##s#####......#
     #,,###,,#...#.!..O.#
     #,,,,+,,'...s...O..#
     #######,##..#......#
           #,##########+####
           #,,,,,,,,,,,,,X#
           ################
"""


def whole() -> Level:
    """A level with some of everything."""
    level = draw(WHOLE)
    return put(
        level,
        placements=(
            placement(
                "camp", Rect(1, 1, 3, 6), category="danger", region=1, limit=2, copy=2, groups=("a", "b")
            ),
            placement("nest", Rect(2, 13, 4, 7), category="risk", region=2, limit=1, groups=("c",)),
            placement("camp", Rect(7, 14, 3, 6), category="danger", region=5, limit=2, copy=1, groups=("a",)),
            placement("", Rect(9, 9, 1, 4), prefab="cell"),
            placement("", Rect(5, 1, 1, 2), prefab="cell"),
        ),
        spawns=swap(level.spawns, 0, placement=0),
        lights=(
            Light(y=2, x=2, radius=4, colour=(255, 200, 90)),
            Light(y=0, x=0, radius=1, colour=(1, 1, 1)),
        ),
    )


def gaps(level: Level) -> Level:
    """Take all doors out of their frames."""
    doors = tuple(replace(door, kind=t.FLOOR) for door in level.connections)
    return put(
        reduce(lambda done, door: paint(done, door.y, door.x, t.FLOOR), doors, level), connections=doors
    )


WIDE = draw("""
    #########
    #..<....#
    ##+++####
    #,,,,,,,#
    #####'+##
        #..>#
        #####
""")

RIGHT = {
    "smallest": draw("###\n#@#\n###"),
    "rooms": draw(TWO_ROOMS),
    "everything": whole(),
    "wide doors": WIDE,
    "wide gaps": gaps(WIDE),
    "door behind door": draw("""
        ########
        #<.++.>#
        ########
    """),
    "door of a region to itself": draw("""
        #######
        #<....#
        #.###.#
        #..+..#
        #.###.#
        #######
    """),
    "sealed vault with its door": draw(
        """
        ###########
        #<.>#.....#
        ######+####
            #.!.#
            #####
    """,
        sealed=(2, 3),
    ),
    "doors in a drawing": draw(
        """
        ########
        #<.....#
        #.#+#+.#
        #.#.+..#
        #.###.>#
        ########
    """,
        drawn=Rect(2, 2, 3, 4),
    ),
    "an exit past robots": draw("######\n#<rr>#\n######"),
    "doors in rock": draw("""
        BBBBBBBB
        B<.BB..B
        BB+BB.BB
        B...'..B
        BBBBBBBB
    """),
    "pillars along the edge": draw("""
        #####
        #O.<#
        #O..#
        #####
    """),
    "an item at the entrance": put(draw("###\n#@#\n###"), spawns=(spawn("!", 1, 1),)),
    "items within reach": draw("""
        #######
        #<~~~>#
        #.~!~.#
        #..!..#
        #######
    """),
}


@pytest.mark.parametrize("level", RIGHT.values(), ids=RIGHT.keys())
def test_a_correct_level_has_no_violations(level):
    assert prove(level) == []


# -- levels in which one thing is wrong -----------------------------------------------------------

ROOMS = RIGHT["rooms"]
ALL = RIGHT["everything"]
FURNISHED = draw("""
    #########
    #<..O.!.#
    #...o.r.#
    #...^.*.#
    #########
""")
PILLAR, POTION, RUG, SWEEPER, SNARE, RUBBLE = range(6)
PRESS = spawn("o", 3, 2, tag="press")
PRESS = replace(PRESS, cells=(Cell(3, 2), Cell(3, 3)), glyphs=("[", "]"))
CAMP = placement("camp", Rect(1, 1, 2, 2))
NEST = placement("nest", Rect(1, 6, 2, 2))


BAND = draw(
    """
    ###########
    #<.rr..#..#
    #g.....G..#
    ###########
    """
)
"""A robot at (1, 3) that leads another one, and its follower."""


def band(*changes: dict[str, object]) -> Level:
    """Return the level with a leader and a follower; `changes` are the changed fields of each."""
    group = [{"group": 1, "leads": True}, {"group": 1}]
    changed = [{**own, **more} for own, more in zip(group, (*changes, {}, {}), strict=False)]
    spawns = [replace(spawn, **more) for spawn, more in zip(BAND.spawns, changed, strict=False)]
    return put(BAND, spawns=(*spawns, *BAND.spawns[2:]))


def patrol(*cells: tuple[int, int], **changes: object) -> Level:
    """Return the level with a patrol of its leader by these cells."""
    return band({"patrol": tuple(Cell(*cell) for cell in cells), **changes})


def without_doors(level: Level) -> Level:
    return put(
        level, connections=(), regions=tuple(replace(region, connections=()) for region in level.regions)
    )


def furnished(index: int, **changes: object) -> Level:
    return put(FURNISHED, spawns=swap(FURNISHED.spawns, index, **changes))


def furnished_with(*spawns: Spawn) -> Level:
    return put(FURNISHED, spawns=(*FURNISHED.spawns, *spawns))


def placed(*placements: Placement) -> Level:
    return put(ROOMS, placements=placements)


def boxed(level: Level, y: int, x: int, word: str = "gold", **keywords: object) -> Level:
    """Return the level with something locked in it."""
    box = spawn("o", y, x, keywords={"lock": word, **keywords})
    return put(level, locks=(*level.locks, Lock(y=y, x=x, word=word)), spawns=(*level.spawns, box))


def boxed_in() -> Level:
    """Return a level with a locked door, behind which a crate leaves no ground, and without its key."""
    level = draw("#######\n###,###\n###G###\n#<...>#\n#######")
    return put(level, locks=(Lock(y=2, x=3, word="gold"),), spawns=(spawn("O", 1, 3),))


def used_up(level: Level) -> Level:
    """Return the level with all its keys consumed by the first lock that they open."""
    used = [replace(each, keywords={**each.keywords, "consumed": True}) for each in level.spawns]
    return put(level, spawns=tuple(used))


def enter(level: Level, y: int, x: int) -> Level:
    """Move the entrance and take away the stairs where it was."""
    return put(paint(level, *level.entrance, t.FLOOR), entrance=Cell(y, x))


HUGE = 10**30

WRONG = {
    "field-value": [
        (put(ROOMS, depth=HUGE), None),
        (put(ROOMS, retries=-1), None),
        (put(ROOMS, retries=HUGE), None),
        (put(ROOMS, entrance=Cell(HUGE, 1)), None),
        (put(ROOMS, entrance=(1, 1, 1)), None),
        (put(ROOMS, exits=swap(ROOMS.exits, 0, y=HUGE)), None),
        (put(ROOMS, exits=swap(ROOMS.exits, 0, leads_to=None)), None),
        (put(ROOMS, exits=None), None),
        (put(ROOMS, connections=swap(ROOMS.connections, 0, x=HUGE)), None),
        (put(ROOMS, connections=swap(ROOMS.connections, 0, kind=HUGE)), None),
        (put(ROOMS, connections=swap(ROOMS.connections, 0, between=(1, HUGE))), None),
        (put(ROOMS, regions=swap(ROOMS.regions, 0, id=HUGE)), None),
        (put(ROOMS, regions=swap(ROOMS.regions, 0, bounds=Rect(1, 1, HUGE, 1))), None),
        (put(ROOMS, regions=swap(ROOMS.regions, 0, bounds=Rect(1, 1, float("nan"), 1))), None),
        (put(ROOMS, regions=swap(ROOMS.regions, 0, kind="")), None),
        (put(ROOMS, regions=swap(ROOMS.regions, 0, connections=(0, HUGE))), None),
        (put(ROOMS, regions=(*ROOMS.regions, None)), None),
        (put(ROOMS, spawns=(spawn("!", 1, 1, placement=HUGE),)), None),
        (put(ROOMS, spawns=(spawn("!", 1, 1, placement="0"),)), None),
        (put(ROOMS, spawns=(replace(spawn("!", 1, 1), y=HUGE),)), None),
        (put(ROOMS, spawns=(spawn("!", 1, 1, kind=None),)), None),
        (put(ROOMS, spawns=(replace(spawn("!", 1, 1), cells=(Cell(1, 1), Cell(1, HUGE))),)), None),
        (put(ROOMS, spawns=(replace(spawn("!", 1, 1), cells=((1, 1), (1,))),)), None),
        (put(ROOMS, placements=(placement("camp", Rect(1, 1, 2, 2), copy=HUGE),)), None),
        (put(ROOMS, placements=(placement("camp", Rect(1, 1, 2, 2), limit=-HUGE),)), None),
        (put(ROOMS, placements=(placement("camp", Rect(1, 1, 2, 2), region=HUGE),)), None),
        (put(ROOMS, placements=(placement("camp", Rect(1, 1, 2, 2), mode=""),)), None),
        (put(ROOMS, lights=(Light(y=1, x=1, radius=HUGE, colour=(1, 1, 1)),)), None),
        (put(ROOMS, lights=(Light(y=1, x=1, radius=1, colour=(1, 1, 256)),)), None),
        (put(ROOMS, locks=(Lock(y=1, x=1, word=""),)), None),
        (put(ROOMS, terrain=None), None),
    ],
    "array-shape": [(put(ROOMS, region=np.zeros((3, 3), np.uint16)), None)],
    "array-type": [
        (put(ROOMS, terrain=ROOMS.terrain.astype(np.int64)), None),
        (put(ROOMS, region=ROOMS.region.astype(np.uint8)), None),
    ],
    "map-size": [(draw("###\n#@#"), None)],
    "terrain-unknown": [(paint(ROOMS, 0, 0, len(KINDS.kinds)), [(0, 0)])],
    "border-open": [
        (draw("####\n#<.,\n####"), [(1, 3)]),
        (draw("##.#\n#<.#\n#..#\n##.#"), [(0, 2), (3, 2)]),
        (draw(":###\n:<.#\n####"), [(0, 0), (1, 0)]),
    ],
    "earth-bare": [
        (paint(ROOMS, 0, 3, t.EARTH), [(0, 3)]),
        (paint(ROOMS, 0, 0, t.EARTH), [(0, 0)]),
        (paint(paint(ROOMS, 0, 0, t.EARTH), 3, 5, t.EARTH), [(0, 0), (3, 5)]),
        (draw("##  ##\n#<..##\n######"), [(0, 2)]),
    ],
    "level-id": [
        (put(ROOMS, id="rooms"), None),
        (put(ROOMS, id=""), None),
        (put(ROOMS, id="test/01"), None),
        (put(ROOMS, id="test/7"), None),
    ],
    "level-depth": [(put(ROOMS, id="test/1001", depth=1001), None)],
    "entrance-place": [
        (enter(ROOMS, -1, 3), [(-1, 3)]),
        (enter(ROOMS, 2, 11), [(2, 11)]),
        (enter(ROOMS, 4, 1), [(4, 1)]),
        (enter(ROOMS, 0, 0), [(0, 0)]),
        (paint(ROOMS, 2, 2, WATER), [(2, 2)]),
        (paint(ROOMS, 2, 2, ILLUSION, 0), [(2, 2)]),
    ],
    "entrance-on-exit": [(enter(ROOMS, 2, 8), [(2, 8)])],
    "exit-place": [
        (put(ROOMS, exits=(*ROOMS.exits, Exit(y=2, x=11, leads_to="out/1"))), [(2, 11)]),
        (put(ROOMS, exits=(*ROOMS.exits, Exit(y=0, x=3, leads_to="out/1"))), [(0, 3)]),
        (paint(ROOMS, 2, 8, WATER), [(2, 8)]),
    ],
    "exit-terrain": [(paint(ROOMS, 2, 8, t.FLOOR), [(2, 8)])],
    "exit-twice": [(put(ROOMS, exits=(*ROOMS.exits, Exit(y=2, x=8, leads_to="out/1"))), [(2, 8)])],
    "exit-target": [
        (put(ROOMS, exits=swap(ROOMS.exits, 0, leads_to=leads_to)), [(2, 8)])
        for leads_to in (
            "",
            "test",
            "test/",
            "/1",
            "a/b/1",
            "test/02",
            "test/1001",
            "test/-1",
            "test/1",
            "test/1 ",
        )
    ],
    "stairs-nowhere": [
        (paint(ROOMS, 1, 1, t.STAIRS_UP), [(1, 1)]),
        (put(ROOMS, exits=()), [(2, 8)]),
        (put(ROOMS, entrance=Cell(1, 1)), [(2, 2)]),
    ],
    "stairs-back": [
        (put(ROOMS, ways_back=(Exit(y=2, x=3, leads_to="test/2", arrives=Cell(1, 1)),)), [(2, 3)]),
        (put(ROOMS, ways_back=(Exit(y=2, x=2, leads_to="test/2"),)), [(2, 2)]),
    ],
    "stairs-blocked": [
        (put(ROOMS, spawns=(spawn("O", 2, 2),)), [(2, 2)]),
        (put(ROOMS, spawns=(spawn("*", 2, 8, blocks=True),)), [(2, 8)]),
        (put(ROOMS, spawns=(spawn("r", 2, 2),)), [(2, 2)]),
        (put(ROOMS, spawns=(spawn("r", 2, 8, blocks=False),)), [(2, 8)]),
        (put(ROOMS, spawns=(replace(spawn("r", 2, 7), cells=(Cell(2, 7), Cell(2, 8))),)), [(2, 8)]),
    ],
    "unreachable": [
        (draw("#######\n#<.#.>#\n#######"), [(1, 4)]),
        (draw("#####\n#<#:#\n##:##\n#:::#\n#####"), [(1, 3), (2, 2)]),
        (draw("########\n#<.>#..#\n########\n#......#\n########", sealed=(3,)), [(1, 5)]),
        (paint(without_doors(ROOMS), 2, 5, t.WALL), [(1, 6)]),
        (paint(draw("########\n#<#,##:#\n########", sealed=(2,)), 1, 6, t.FLOOR, 0), [(1, 6)]),
    ],
    "walk-pocket": [
        # The ground of a room behind what fills its door, of whatever kind the region is.
        (draw("#####\n#<..#\n##+##\n#,,,#\n##'##\n##O##\n#OoO#\n#####"), [(6, 2)]),
        (draw("########\n#<,+,O,#\n########"), [(1, 6)]),
        (draw("########\n#<.,O::#\n########"), [(1, 5)]),
        # No item is needed for it to be one.
        (draw("########\n#<..O..#\n#..OO!.#\n#..O.OO#\n########"), [(1, 5), (3, 4)]),
        # An island.
        (draw("#######\n#<.~~~#\n#..~!~#\n#..~~~#\n#######"), [(2, 4)]),
        # A hole in a heap, and a cell of a corridor.
        (draw("#######\n#<..O.#\n#...OO#\n#######"), [(1, 5)]),
        (draw("########\n#<,'O,,#\n########"), [(1, 5)]),
        # Without its region's number.
        (paint(draw("#######\n#<.O.,#\n#######"), 1, 5, t.CORRIDOR, 0), [(1, 4)]),
        # Behind locked doors without a key, with one behind them, with one for another door.
        (draw("######\n#<.L.#\n######"), [(1, 4)]),
        (draw("######\n#<.G.#\n######"), [(1, 4)]),
        (draw("######\n#<.Gg#\n######"), [(1, 4)]),
        (draw("######\n#<kG.#\n######"), [(1, 4)]),
        (draw("##########\n#<.GkgI..#\n##########"), [(1, 4)]),
    ],
    "walk-exit": [
        (draw("#######\n#<.O.>#\n#.!O..#\n###~###\n#######"), [(1, 5)]),
        (draw("#######\n#<.~.>#\n#######"), [(1, 5)]),
    ],
    "walk-region": [
        (draw("#######\n#<..+O#\n#######"), [(1, 5)]),
        (draw("#######\n#<.'OO#\n#######"), [(1, 4)]),
    ],
    "walk-item": [
        (put(draw("#######\n#<.~~~#\n#..~~~#\n#..~~~#\n#######"), spawns=(spawn("!", 2, 4),)), [(2, 4)]),
        (put(draw("######\n#<~~~#\n######"), spawns=(spawn("!", 1, 3),)), [(1, 3)]),
        (put(draw("######\n#<~..#\n#....#\n######"), spawns=(spawn("^", 1, 2),)), [(1, 2)]),
    ],
    "walk-loadout": [
        # A chest in a corner behind pillars; one out in the water.
        (holding(draw("#######\n#.O..<#\n#O....#\n#######"), 1, 1), [(1, 1)]),
        (holding(draw("#######\n#<.~~~#\n#..~~~#\n#..~~~#\n#######"), 2, 4), [(2, 4)]),
    ],
    "lock-place": [
        (put(ROOMS, locks=(Lock(y=2, x=5, word="gold"),)), [(2, 5)]),
        (put(ROOMS, locks=(Lock(y=2, x=50, word="gold"),)), [(2, 50)]),
    ],
    "lock-twice": [
        (put(draw("#######\n#<gG.>#\n#######"), locks=(Lock(y=1, x=3, word="gold"),) * 2), [(1, 3)]),
    ],
    "lock-key": [
        (boxed_in(), [(2, 3)]),
    ],
    "lock-shut": [
        (boxed(ROOMS, 2, 2), [(2, 2)]),
        (boxed(draw("######\n#<.g.#\n######"), 1, 2, "iron"), [(1, 2)]),
        (boxed(draw("######\n#<...#\n######"), 1, 2, opens="gold"), [(1, 2)]),
    ],
    "lock-order": [
        (used_up(draw("###########\n#.G.<gG.g>#\n###########")), [(1, 6)]),
        (boxed(used_up(draw("########\n#<.gG.>#\n########")), 1, 2, opens="gold", consumed=True), [(1, 2)]),
    ],
    "portal-place": [
        (with_portals(ROOMS, (1, 1, 1, 1), both=False), [(1, 1)]),
        (with_portals(ROOMS, (1, 1, 1, 90)), [(1, 90)]),
        (with_portals(ROOMS, (1, 1, 0, 3)), [(0, 3)]),
        (with_portals(put(ROOMS, spawns=(spawn("O", 1, 3),)), (1, 1, 1, 3)), [(1, 3)]),
        (with_portals(ROOMS, (2, 2, 1, 6)), [(2, 2)]),
        (with_portals(ROOMS, (1, 1, 2, 5)), [(2, 5)]),
    ],
    "portal-twice": [(with_portals(ROOMS, (1, 1, 1, 6), (3, 1, 1, 6)), [(1, 6)])],
    "portal-return": [
        (with_portals(draw("########\n#<.>#..#\n########"), (1, 2, 1, 5), both=False), [(1, 1)]),
    ],
    "zone-order": [
        (put(ROOMS, zones=(zone(1), zone(3, "b"))), [(None, None)]),
        (put(ROOMS, zones=(zone(1), zone(2, "a"))), [(None, None)]),
    ],
    "zone-parent": [
        (put(ROOMS, zones=(zone(1, parent=1),)), [(None, None)]),
        (put(ROOMS, zones=(zone(1), zone(2, "b", parent=-1))), [(None, None)]),
    ],
    "zone-regions": [
        (put(ROOMS, zones=(zone(1, regions=()),)), [(None, None)]),
        (put(ROOMS, zones=(zone(1, regions=(1, 9)),)), [(None, None)]),
        (put(ROOMS, zones=(zone(1, regions=(1, 2)), zone(2, "b", regions=(2,)))), [(1, 6)]),
    ],
    "zone-gates": [(put(ROOMS, zones=(zone(1, gates=(Cell(1, 1),)),)), [(1, 1)])],
    "region-order": [
        (put(ROOMS, regions=ROOMS.regions[::-1]), [(1, 6), (1, 1)]),
        (put(ROOMS, regions=(*ROOMS.regions, Region(id=7, kind="zone", bounds=Rect(1, 1, 1, 1)))), [(1, 1)]),
        (put(ROOMS, regions=(*ROOMS.regions, Region(id=0, kind="zone", bounds=Rect(1, 1, 1, 1)))), [(1, 1)]),
    ],
    "region-unknown": [(paint(ROOMS, 3, 7, t.FLOOR, 3), [(3, 7)])],
    "region-bounds": [
        (put(ROOMS, regions=swap(ROOMS.regions, 0, bounds=Rect(1, 1, 2, 4))), [(3, 1)]),
        (put(ROOMS, regions=swap(ROOMS.regions, 0, bounds=Rect(2, 1, 2, 4))), [(1, 1)]),
        (put(ROOMS, regions=swap(ROOMS.regions, 1, bounds=Rect(1, 6, 3, 3))), [(1, 9)]),
        (put(ROOMS, regions=swap(ROOMS.regions, 1, bounds=Rect(1, 6, 4, 4))), [(1, 6)]),
        (put(ROOMS, regions=swap(ROOMS.regions, 1, bounds=Rect(0, 6, 4, 4))), [(0, 6)]),
        (put(ROOMS, regions=swap(ROOMS.regions, 1, bounds=Rect(1, 5, 3, 5))), [(1, 5)]),
        (put(ROOMS, regions=swap(ROOMS.regions, 1, bounds=Rect(1, 6, -3, 4))), [(1, 6)]),
    ],
    "region-solid": [(paint(ROOMS, 1, 1, t.WALL), [(1, 1)])],
    "region-sealed": [
        (draw(TWO_ROOMS, sealed=(2,)), [(1, 6)]),
        (draw("######\n#<gG.#\n######", sealed=(2,)), [(1, 4)]),
    ],
    "region-connections": [
        (put(ROOMS, regions=swap(ROOMS.regions, 0, connections=(0, 1))), [(1, 1)]),
        (put(ROOMS, regions=swap(ROOMS.regions, 0, connections=(0, -1))), [(1, 1)]),
        (put(ROOMS, regions=swap(ROOMS.regions, 0, connections=())), [(2, 5)]),
        (put(ALL, regions=swap(ALL.regions, 1, connections=(*ALL.regions[1].connections, 0))), [(3, 7)]),
    ],
    "connection-terrain": [
        (put(ROOMS, connections=swap(ROOMS.connections, 0, kind=t.SECRET_DOOR)), [(2, 5)]),
        (put(ROOMS, connections=swap(ROOMS.connections, 0, kind=99)), [(2, 5)]),
        (paint(ROOMS, 2, 5, t.CORRIDOR), [(2, 5)]),
        (
            put(ROOMS, connections=(*ROOMS.connections, Connection(y=2, x=11, kind=t.DOOR, between=(0, 0)))),
            [(2, 11)],
        ),
        (
            put(ROOMS, connections=(*ROOMS.connections, Connection(y=1, x=5, kind=t.DOOR, between=(0, 0)))),
            [(1, 5)],
        ),
        (
            put(
                paint(ROOMS, 1, 2, t.CORRIDOR),
                connections=(*ROOMS.connections, Connection(y=1, x=2, kind=t.CORRIDOR, between=(0, 0))),
            ),
            [(1, 2)],
        ),
    ],
    "connection-twice": [
        (
            put(
                ROOMS,
                connections=ROOMS.connections * 2,
                regions=tuple(replace(r, connections=(0, 1)) for r in ROOMS.regions),
            ),
            [(2, 5)],
        ),
    ],
    "connection-walls": [
        (
            put(ROOMS, connections=(*ROOMS.connections, Connection(y=1, x=1, kind=t.FLOOR, between=(0, 0)))),
            [(1, 1)],
        ),
        (draw("#####\n#<..#\n#.+.#\n#...#\n#####"), [(2, 2)]),
        (draw("######\n#<...#\n#.++.#\n#....#\n######"), [(2, 2), (2, 3)]),
        (gaps(draw("######\n#<...#\n#.++.#\n#....#\n######")), [(2, 2), (2, 3)]),
        (draw("####\n#<+#\n#.##\n####"), [(1, 2)]),
        (draw("####\n#<+B\n#.##\n####"), [(1, 2)]),
        (draw("####\n#+<#\n##.#\n####"), [(1, 1)]),
        (draw("#####\n#<..#\n##+##\n##B##"), [(2, 2)]),
        (draw("#####\n##s##\n#.<.#\n#####"), [(1, 2)]),
        (draw("##B##\n##s##\n#.<.#\n#####"), [(1, 2)]),
    ],
    "connection-between": [
        (paint(ROOMS, 2, 4, t.FLOOR, 0), [(2, 5)]),
        (put(without_doors(ROOMS), connections=swap(ROOMS.connections, 0, between=(0, 0))), [(2, 5)]),
        (
            put(
                ROOMS,
                connections=swap(ROOMS.connections, 0, between=(9, 2)),
                regions=swap(ROOMS.regions, 0, connections=()),
            ),
            [(2, 5)],
        ),
    ],
    "door-list": [
        (put(ROOMS, doors=()), [(2, 5)]),
        (put(ROOMS, doors=ROOMS.doors * 2), [(2, 5)]),
        (put(ROOMS, doors=(*ROOMS.doors, replace(ROOMS.doors[0], y=1))), [(1, 5)]),
        (put(ROOMS, doors=(*ROOMS.doors, replace(ROOMS.doors[0], x=-3))), [(2, -3)]),
        (put(ROOMS, doors=swap(ROOMS.doors, 0, terrain="blast_door")), [(2, 5)]),
        (put(ROOMS, doors=swap(ROOMS.doors, 0, state="open")), [(2, 5)]),
        (put(ROOMS, doors=swap(ROOMS.doors, 0, lock="gold")), [(2, 5)]),
        (put(ROOMS, doors=swap(ROOMS.doors, 0, lock_name="a gate")), [(2, 5)]),
        (
            put(draw("######\n#<gG.#\n######"), doors=(replace(ROOMS.doors[0], y=1, x=3, state="locked"),)),
            [(1, 3)],
        ),
        (put(draw("#######\n#<..+.#\n#######", drawn=Rect(1, 2, 1, 4)), doors=()), [(1, 4)]),
    ],
    "door-unknown": [
        (without_doors(ROOMS), [(2, 5)]),
        (without_doors(draw("#####\n#<.+#\n#####")), [(1, 3)]),
    ],
    "door-drawn": [
        (draw("######\n#<..+#\n######", drawn=Rect(1, 2, 1, 3)), [(1, 4)]),
        (draw("#####\n#<..#\n##L##\n#####", drawn=Rect(1, 2, 2, 2)), [(2, 2)]),
        (draw("#####\n#<..#\n#BLB#\n##B##", drawn=Rect(1, 2, 2, 2)), [(2, 2)]),
    ],
    "spawn-kind": [(furnished(RUG, kind="monster"), [(2, 4)]), (furnished(RUG, kind=""), [(2, 4)])],
    "spawn-outside": [
        (furnished_with(spawn("o", 5, 3)), [(5, 3)]),
        (furnished_with(replace(PRESS, cells=(Cell(3, 2), Cell(3, -1)))), [(3, -1)]),
    ],
    "spawn-solid": [
        (furnished_with(spawn("O", 0, 0)), [(0, 0)]),
        (
            put(
                paint(FURNISHED, 0, 2, t.BLOCKED),
                spawns=(spawn("*", 0, 1), spawn("*", 0, 2)),
            ),
            [(0, 1), (0, 2)],
        ),
        (furnished_with(replace(PRESS, cells=(Cell(3, 2), Cell(4, 2)))), [(4, 2)]),
        (put(paint(FURNISHED, 2, 2, ILLUSION, 0), spawns=(spawn("^", 2, 2),)), [(2, 2)]),
    ],
    "spawn-cells": [
        (furnished_with(replace(PRESS, y=2)), [(2, 2)]),
        (furnished_with(replace(PRESS, cells=(Cell(3, 2), Cell(3, 2)))), [(3, 2)]),
        (furnished(PILLAR, cells=(Cell(3, 2), Cell(3, 3))), [(1, 4)]),
    ],
    "spawn-glyphs": [
        (furnished_with(replace(PRESS, glyphs=("[",))), [(3, 2)]),
        (furnished(RUG, glyphs=("a", "b")), [(2, 4)]),
    ],
    "spawn-shared": [
        (furnished_with(spawn("r", 2, 6)), [(2, 6)]),
        (furnished_with(replace(PRESS, blocks=True), spawn("r", 3, 3)), [(3, 3)]),
        (furnished_with(spawn("O", 1, 4)), [(1, 4)]),
    ],
    "spawn-buried": [
        (furnished_with(spawn("!", 1, 4)), [(1, 4)]),
        (furnished_with(spawn("^", 1, 4)), [(1, 4)]),
        (furnished_with(spawn("*", 1, 4)), [(1, 4)]),
        (furnished_with(spawn("r", 1, 4, blocks=False)), [(1, 4)]),
    ],
    "spawn-placement": [
        (furnished(POTION, placement=0), [(1, 6)]),
        (put(furnished(POTION, placement=-1), placements=(CAMP,)), [(1, 6)]),
        (put(furnished(POTION, placement=0), placements=(CAMP,)), [(1, 6)]),
        (put(furnished_with(spawn("o", 3, 2, placement=0)), placements=(CAMP,)), [(3, 2)]),
        (
            put(
                furnished_with(replace(PRESS, placement=0)),
                placements=(replace(CAMP, bounds=Rect(2, 1, 2, 2)),),
            ),
            [(3, 3)],
        ),
    ],
    "group-leader": [
        (band({"leads": False}), [(1, 4)]),
        (band({}, {"leads": True}), [(1, 4)]),
        (band({"group": 2}), [(1, 4)]),
        (band({"group": 0}, {"group": 0}), [(1, 3)]),
        (band({}, {"kind": "trap", "like": "trap", "blocks": False}), [(1, 4)]),
    ],
    "group-near": [(band({}, {"x": 9, "cells": (Cell(1, 9),)}), [(1, 9)])],
    "patrol-walk": [
        (patrol((1, 4), (2, 2)), [(1, 3)]),
        (patrol((1, 3), (1, 8)), [(1, 3)]),
        (patrol((1, 3), (2, 7)), [(1, 3)]),
        (patrol((1, 3), (0, 3)), [(1, 3)]),
        (patrol((1, 3), (9, -9)), [(1, 3)]),
        (furnished(POTION, patrol=(Cell(1, 6),)), [(1, 6)]),
    ],
    "spawn-loadout": [
        (furnished(POTION, loadout=(spawn("!", 1, 6),)), [(1, 6)]),
        (band({"loadout": (spawn("!", 1, 4),)}), [(1, 3)]),
        (band({"loadout": (replace(BAND.spawns[1], y=1, x=3, cells=()),)}), [(1, 3)]),
        (band({"loadout": (spawn("!", 1, 3, loadout=(spawn("!", 1, 3),)),)}), [(1, 3)]),
    ],
    "placement-bounds": [
        (placed(replace(CAMP, bounds=Rect(0, 1, 2, 2))), [(0, 1)]),
        (placed(replace(CAMP, bounds=Rect(1, 0, 2, 2))), [(1, 0)]),
        (placed(replace(CAMP, bounds=Rect(2, 1, 3, 2))), [(2, 1)]),
        (placed(replace(CAMP, bounds=Rect(2, 8, 2, 3))), [(2, 8)]),
        (placed(replace(CAMP, bounds=Rect(2, 2, 0, 3))), [(2, 2)]),
        (placed(replace(CAMP, bounds=Rect(-9, 40, 3, 3))), [(-9, 40)]),
    ],
    "placement-overlap": [
        (placed(CAMP, replace(NEST, bounds=Rect(2, 2, 2, 2))), [(2, 2)]),
        (placed(replace(NEST, bounds=Rect(1, 1, 3, 3)), replace(CAMP, bounds=Rect(2, 2, 1, 1))), [(2, 2)]),
    ],
    "placement-copies": [
        (placed(CAMP, replace(CAMP, bounds=NEST.bounds)), [(1, 6)]),
        (placed(CAMP, replace(CAMP, bounds=NEST.bounds, copy=3)), [(1, 6)]),
        (placed(CAMP, replace(NEST, copy=0)), [(1, 6)]),
    ],
    "placement-limit": [
        (placed(replace(CAMP, limit=1), replace(CAMP, bounds=NEST.bounds, copy=2, limit=1)), [(1, 6)]),
        (placed(replace(CAMP, limit=0)), [(1, 1)]),
    ],
    "placement-group": [(placed(replace(CAMP, groups=("a", "b")), replace(NEST, groups=("b",))), [(1, 6)])],
    "placement-category": [(placed(CAMP, replace(NEST, category="fun")), [(1, 6)])],
    "placement-region": [
        (placed(replace(CAMP, region=3)), [(1, 1)]),
        (placed(replace(CAMP, region=-1)), [(1, 1)]),
    ],
    "placement-orientation": [
        (placed(replace(CAMP, orientation="r45")), [(1, 1)]),
        (placed(replace(CAMP, orientation="", prefab="tent")), [(1, 1)]),
    ],
    "light-outside": [
        (put(ROOMS, lights=(Light(y=5, x=0, radius=3, colour=(1, 1, 1)),)), [(5, 0)]),
        (put(ROOMS, lights=(Light(y=0, x=-1, radius=3, colour=(1, 1, 1)),)), [(0, -1)]),
    ],
    "marker-place": [
        (put(ROOMS, markers=(Marker(y=99, x=2, name="throne"),)), [(99, 2)]),
        (put(ROOMS, markers=(Marker(y=2, x=2),)), [(2, 2)]),
        (put(ROOMS, markers=(Marker(y=2, x=2, name="throne", placement=99),)), [(2, 2)]),
    ],
    "light-radius": [(put(ROOMS, lights=(Light(y=2, x=2, radius=0, colour=(1, 1, 1)),)), [(2, 2)])],
}


@pytest.mark.parametrize(
    ("rule", "level", "places"),
    [
        pytest.param(rule, level, places, id=f"{rule}-{i}")
        for rule, cases in WRONG.items()
        for i, (level, places) in enumerate(cases)
    ],
)
def test_each_mistake_breaks_exactly_its_rule(rule, level, places):
    assert faults(level) == [(rule, *place) for place in places or [(None, None)]]


def test_a_leader_and_its_follower_may_go_wherever_they_walk():
    assert faults(band()) == []
    assert faults(patrol((1, 3), (2, 6), (1, 1))) == []


def test_every_rule_is_broken_somewhere_above():
    rules = [rule.__name__.replace("_", "-") for rule in (*FIELD_RULES, *ARRAY_RULES, *RULES)]
    assert sorted(WRONG) == sorted(rules)


def test_one_cause_can_break_several_rules():
    blocked = put(ROOMS, spawns=(spawn("O", 2, 5),))
    assert faults(blocked) == [("walk-exit", 2, 8)]
    gone = paint(ROOMS, 2, 5, t.WALL)
    assert faults(gone) == [("unreachable", 1, 6), ("connection-terrain", 2, 5)]


def test_a_sealed_region_may_be_cut_off_and_its_items_with_it():
    text = """
        #######
        #<.#~.#
        #.>+~!#
        #######
    """
    assert faults(draw(text)) == [("walk-pocket", 1, 5)]
    assert faults(draw(text, sealed=(2,))) == []
    cut = text.replace("+", "#")
    assert faults(draw(cut)) == [("unreachable", 1, 4)]
    assert faults(draw(cut, sealed=(2,))) == []


def test_robots_step_aside_and_secret_doors_open():
    assert prove(draw("#######\n#<sr+>#\n#######")) == []


OPENED = {
    "a key before the door": """
        #########
        #<.gG..>#
        #########
    """,
    "a lever beside the way": """
        #########
        #<..G..>#
        #..######
        #VV######
        #########
    """,
    "a key on the water's edge": """
        #########
        #<..G..>#
        #~g######
        #########
    """,
    "one key, two doors": """
        #########
        #<gG.G.>#
        #########
    """,
    "a key behind the other's door": """
        ###########
        #<gG.kI..>#
        ###########
    """,
    "keys far apart, one for two": """
        ###########
        #>.I.<.+b.#
        ####G######
        #.........#
        ###########
    """,
    "a way round": """
        #########
        #<..L..>#
        #.#####.#
        #.......#
        #########
    """,
    "nothing but a robot before it": """
        #########
        #<rgG.r>#
        #########
    """,
}


@pytest.mark.parametrize("text", OPENED.values(), ids=OPENED.keys())
def test_a_walker_fetches_keys_as_long_as_they_open_doors(text):
    assert prove(draw(text)) == []


TOLD = {
    "#<..O.!.#": "walk-pocket at 1, 5: a player can't reach 3 cells of room 1, with potion there; in the way: pillar",
    "#<.~,,.>#": "walk-exit at 1, 7: a player can't reach 4 cells of corridor 2 and room 3, with the exit to test/2 there; "
    "in the way: water",
    "#<..L.>#": "walk-exit at 1, 6: a player can't reach 2 cells of room 2, with the exit to test/2 there; "
    "in the way: a locked door that nothing opens",
    "#<.G.#": "walk-pocket at 1, 4: a player can't reach 1 cell of room 2; "
    "in the way: a door locked with 'gold' that nothing opens",
    "#<.Gg#": "walk-pocket at 1, 4: a player can't reach 1 cell of room 2, with key there; "
    "in the way: a door locked with 'gold' whose key can't be reached before it",
}


@pytest.mark.parametrize(("row", "message"), TOLD.items())
def test_a_pocket_is_reported_once_with_region_size_contents_and_cause(row, message):
    level = draw("\n".join(["#" * len(row), row, "#" * len(row)]))
    assert [str(violation) for violation in prove(level)] == [message]


def test_two_keys_behind_each_others_doors_are_out_of_reach():
    crossed = """
        ###########
        #k.G.<.I.g#
        ###########
    """
    assert faults(draw(crossed)) == [("walk-pocket", 1, 1), ("walk-pocket", 1, 8)]
    assert faults(draw(crossed.replace("<.I", "<gI"))) == []


def test_a_pocket_of_several_rooms_behind_one_locked_door_is_one():
    level = draw("""
        ###########
        #<..L..+..#
        #####L#####
            #.....#
            #######
    """)
    assert faults(level) == [("walk-pocket", 1, 5)]


def test_a_pocket_names_what_was_placed_there_and_a_few_of_what_is_in_the_way():
    level = draw("""
        #########
        #<..o*..#
        #..O.O..#
        #...O...#
        #.......#
        #########
    """)
    ring = tuple(
        replace(each, blocks=True, tag=f"{each.tag} {number}") for number, each in enumerate(level.spawns)
    )
    camp = placement("camp", Rect(1, 3, 3, 3), prefab="tent", region=1)
    (found,) = prove(put(level, spawns=ring, placements=(camp,)))
    assert (found.rule, found.y, found.x) == ("walk-pocket", 2, 4)
    assert found.message == (
        "a player can't reach 1 cell of room 1 in camp with tent; in the way: rug 0, pillar 2, pillar 3 and 1 more"
    )


def test_ground_under_a_robot_belongs_to_a_pocket_and_ground_under_a_prop_does_not():
    assert faults(draw("########\n#<.OO.r#\n########")) == [("walk-pocket", 1, 5)]
    assert faults(draw("########\n#<.OOOO#\n########")) == []


def test_a_sealed_vault_may_be_locked_whether_something_opens_it_or_not():
    for door in "LG":
        assert faults(draw(f"######\n#<.{door}.#\n######", sealed=(2,))) == []
    assert faults(draw("######\n#<gG.#\n######", sealed=(2,))) == [("region-sealed", 1, 4)]


def test_a_locked_door_that_is_authored_as_walkable_is_locked_all_the_same():
    shut = replace(t.BUILT_IN_KINDS[t.LOCKED_DOOR], walkable=True)
    kinds = t.TerrainSet((*KINDS.kinds[: t.LOCKED_DOOR], shut, *KINDS.kinds[t.LOCKED_DOOR + 1 :]))
    for text, found in (
        ("#<.G.#", [("walk-pocket", 1, 4)]),
        ("#<gG.#", []),
        ("#<L..#", [("walk-pocket", 1, 3)]),
    ):
        assert faults(put(draw(f"######\n{text}\n######"), terrain_set=kinds)) == found


def test_a_door_with_two_locks_opens_to_both_keys_only():
    level = draw("########\n#<gkG..#\n########")
    both = put(level, locks=(Lock(y=1, x=4, word="gold"), Lock(y=1, x=4, word="iron")))
    assert faults(both) == [("lock-twice", 1, 4)]
    assert faults(put(both, spawns=both.spawns[:1])) == [("walk-pocket", 1, 5), ("lock-twice", 1, 4)]


@pytest.mark.parametrize("opens", [None, 3, "", ("iron", 3), {"gold": 1}, ["gold "], [["gold"]]])
def test_a_key_of_another_word_opens_no_door(opens):
    level = draw("#######\n#<gG.#\n#######")
    wrong = put(level, spawns=swap(level.spawns, 0, keywords={"opens": opens}))
    assert faults(wrong) == [("walk-pocket", 1, 4)]


@pytest.mark.parametrize("seed", range(60))
def test_the_walk_agrees_with_a_slow_one(seed):
    random = Random(seed)
    rows = [["#"] * 16 for _ in range(9)]
    for y in range(1, 8):
        for x in range(1, 15):
            rows[y][x] = random.choices(".#GIgk~OV", (30, 9, 3, 3, 1, 1, 2, 2, 1))[0]
    rows[1][1] = "<"
    level = draw("\n".join(map("".join, rows)))
    lost = {(y, x) for y, x in np.argwhere(walked_slowly(level) == 0).tolist()}
    survey = Survey(Fields(level))
    mine = survey.lost.reshape(11, 18)[1:-1, 1:-1]
    assert {(y, x) for y, x in np.argwhere(mine).tolist()} == lost


def walked_slowly(level: Level) -> np.ndarray:
    """Return 1 where a walker gets, or need not get, and 0 where one should: door by door, cell by cell."""
    words = {(lock.y, lock.x): lock.word for lock in level.locks}
    stopped = {(s.y, s.x) for s in level.spawns if s.blocks and s.kind != "robot"}
    opened: set[tuple[int, int]] = set()
    while True:
        free = level.walkable.copy()
        for cell in words:
            free[cell] = cell in opened
        for cell in stopped:
            free[cell] = False
        reached = reach_slowly(free, level.entrance)
        framed = np.pad(reached, 1)
        near = reached | framed[:-2, 1:-1] | framed[2:, 1:-1] | framed[1:-1, :-2] | framed[1:-1, 2:]
        held = {s.keywords["opens"] for s in level.spawns if "opens" in s.keywords and near[s.y, s.x]}
        more = {cell for cell, word in words.items() if word in held}
        if more == opened:
            break
        opened = more
    needed = level.walkable.copy()
    for cell in words:
        needed[cell] = not near[cell]
    for cell in stopped:
        needed[cell] = False
    return np.where(needed & ~reached, 0, 1)


def test_a_door_in_a_region_that_a_prefab_made_counts_as_drawn():
    level = draw("""
        #######
        #<....#
        ##+##.#
        #....>#
        #######
    """)
    level = paint(without_doors(level), 2, 2, t.DOOR, 1)
    assert faults(level) == [("door-unknown", 2, 2)]
    assert faults(put(level, regions=swap(level.regions, 0, kind="prefab"))) == []


def test_placements_that_the_map_itself_asked_for_are_not_counted_as_copies():
    assert prove(placed(replace(CAMP, encounter="", limit=1), replace(NEST, encounter="", limit=1))) == []


def test_a_region_may_have_lost_all_its_cells():
    assert (
        prove(put(ROOMS, regions=(*ROOMS.regions, Region(id=3, kind="room", bounds=Rect(1, 1, 0, 0))))) == []
    )


def test_a_door_may_name_its_sides_in_any_order():
    assert prove(put(ROOMS, connections=swap(ROOMS.connections, 0, between=(2, 1)))) == []


def test_only_rooms_and_caves_with_ground_to_walk_on_have_to_be_entered():
    assert prove(draw("######\n#<.+~#\n######")) == []
    assert prove(draw("#######\n#<.#~~#\n#######")) == []
    filled = draw("######\n#<.+O#\n######")
    assert faults(filled) == [("walk-region", 1, 4)]
    assert prove(put(filled, regions=swap(filled.regions, 1, kind="zone"))) == []


def test_messages_say_what_and_how_much():
    level = draw("##########\n#<#..#..,#\n##########\n  B")
    level = put(
        level, spawns=(spawn("!", 3, 0),), connections=(Connection(y=1, x=1, kind=99, between=(0, 0)),)
    )
    level = put(level, connections=(*level.connections, Connection(y=0, x=1, kind=t.FLOOR_0, between=(0, 0))))
    assert [violation.message for violation in prove(level)] == [
        "no steps lead to 2 open cells",
        "no steps lead to 3 open cells",
        "a connection of the kind terrain 99 lies on stairs_up",
        "a connection of the kind terrain 13 lies on wall",
        "item potion stands in earth",
    ]
    assert [violation.message for violation in prove(draw("#####\n#<#.#\n#####"))] == [
        "no steps lead to 1 open cell"
    ]


def test_a_placement_is_called_by_its_encounter_or_its_prefab():
    names = [("camp", "tent"), ("", "tent"), ("", "")]
    bad = [placement(name, Rect(0, 2 * i + 1, 1, 1), prefab=prefab) for i, (name, prefab) in enumerate(names)]
    told = [
        violation.message.removesuffix(" does not lie inside the border") for violation in prove(placed(*bad))
    ]
    assert told == ["camp", "tent", "a placement"]


def test_props_may_stand_on_props_that_do_not_block():
    assert prove(furnished_with(spawn("o", 1, 4), spawn("o", 2, 4), spawn("O", 2, 4))) == []


def test_broken_arrays_are_reported_alone():
    level = put(
        ROOMS,
        region=np.zeros((2, 2), np.int64),
        exits=(),
        lights=(Light(y=99, x=0, radius=1, colour=(0, 0, 0)),),
    )
    assert [violation.rule for violation in prove(level)] == ["array-shape", "array-type"]
    for size in (1, 9):
        line = put(ROOMS, terrain=np.zeros(size, np.uint8), region=np.zeros(size, np.uint16))
        assert [violation.rule for violation in prove(line)] == ["array-shape"]


def test_a_rule_broken_often_is_cut_short():
    level = put(ROOMS, spawns=tuple(spawn("o", 0, 0) for _ in range(MOST + 3)))
    violations = prove(level)
    assert [violation.rule for violation in violations] == ["spawn-solid"] * (MOST + 1)
    assert violations[-1] == Violation(rule="spawn-solid", message="and 3 more", y=None, x=None)


def test_a_violation_says_where_and_what():
    level = put(ROOMS, spawns=(spawn("O", 0, 3),))
    assert [str(violation) for violation in prove(level)] == [
        "spawn-solid at 0, 3: prop pillar stands in wall"
    ]
    assert str(Violation(rule="map-size", message="too small", y=None, x=None)) == "map-size: too small"


def test_the_proof_shares_nothing_with_the_code_that_builds_levels():
    allowed = (
        "dungeon.terrain",
        "dungeon.core.vocabulary",
        "dungeon.level.model",
        "dungeon.proof",
        "dungeon.content.models",  # what authors declare, for the rules about a level's world
        "dungeon.content.library.Content",
        "dungeon.world.World",
        "dungeon.generation.seeding.floors.TowerFloor",  # what a world tells of its towers
        "dungeon.grid.rect",
        "dungeon.core.registry.LAYOUTS",  # which says whether a map's size is its own
        "dungeon.core.errors.with_article",  # in messages
        "dungeon.core.errors",  # whether it has been given a level and a world at all
    )
    for path in Path(proof.__file__).parent.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        for node in nodes:
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0
                names += [f"{node.module}.{alias.name}" for alias in node.names]
        ours = [name for name in names if name.split(".")[0] in ("dungeon", "game_demo", "playtest")]
        assert [name for name in ours if not name.startswith(allowed)] == []


# -- floods ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(120))
def test_floods_agree_with_a_walk_cell_by_cell(seed):
    random = np.random.default_rng(seed)
    height, width = random.integers(1, 30, 2).tolist()
    mask = random.random((height, width)) < random.choice([0.3, 0.55, 0.62, 0.8, 1.0])
    framed = np.pad(mask, 1)
    stride = width + 2
    found = pieces(framed.ravel(), stride)
    starts, ends, piece = found
    numbers = np.zeros(framed.size, int)
    for start, end, number in zip(starts, ends, piece, strict=True):
        numbers[start:end] = starts[number] + 1
    numbers = numbers.reshape(framed.shape)
    assert ((numbers > 0) == framed).all()
    for y, x in np.argwhere(framed).tolist():
        if numbers[y, x] == y * stride + x + 1:
            reached = reach_slowly(framed, (y, x))
            assert (reached == (numbers == numbers[y, x])).all()
            flooded = flood(framed.ravel(), np.array([y * stride + x]), found)
            assert (flooded.reshape(framed.shape) == reached).all()
    assert len(np.unique(piece)) == len(set(numbers[framed].tolist()))


def test_a_flood_joins_the_pieces_of_all_its_seeds():
    mask = np.pad(np.array([[1, 0, 1, 0, 1]], np.bool_), 1).ravel()
    assert np.flatnonzero(flood(mask, np.array([8, 12]), pieces(mask, 7))).tolist() == [8, 12]
    assert not flood(mask, np.array([], np.intp), pieces(mask, 7)).any()


def test_a_flood_follows_a_spiral():
    size = 41
    mask = np.zeros((size, size), np.bool_)
    y = x = 1
    dy, dx = 0, 1
    mask[y, x] = True
    while True:
        for _ in range(2):
            if not (0 < y + 2 * dy < size and 0 < x + 2 * dx < size) or mask[y + 2 * dy, x + 2 * dx]:
                dy, dx = dx, -dy
        if mask[y + 2 * dy, x + 2 * dx] or mask[y + dy, x + dx]:
            break
        y, x = y + dy, x + dx
        mask[y, x] = True
    assert mask.sum() > size * size / 3
    assert flood(mask.ravel(), np.array([y * size + x]), pieces(mask.ravel(), size)).sum() == mask.sum()
    mask[1, size // 2] = False
    assert flood(mask.ravel(), np.array([size + 1]), pieces(mask.ravel(), size)).sum() == size // 2 - 1


# -- breaking things at random --------------------------------------------------------------------


def random_level(random: Random) -> Level:
    """Draw a block of rooms whose doors make a tree, with things in them that leave the way free."""
    down, across, tall, wide = (
        random.randint(2, 3),
        random.randint(2, 4),
        random.randint(3, 5),
        random.randint(3, 7),
    )
    marks = [["#"] * (across * (wide + 1) + 1) for _ in range(down * (tall + 1) + 1)]
    rooms = [(i, j) for i in range(down) for j in range(across)]
    joined = {rooms[0]}
    while len(joined) < len(rooms):
        i, j = random.choice(rooms)
        near = [
            (i + di, j + dj) for di, dj in ((0, 1), (0, -1), (1, 0), (-1, 0)) if (i + di, j + dj) in joined
        ]
        if (i, j) in joined or not near:
            continue
        k, m = random.choice(near)
        y = max(i, k) * (tall + 1) if i != k else i * (tall + 1) + random.randint(1, tall)
        x = max(j, m) * (wide + 1) if j != m else j * (wide + 1) + random.randint(1, wide)
        marks[y][x] = random.choice("+'s")
        joined.add((i, j))
    for i, j in rooms:
        top, left = i * (tall + 1) + 1, j * (wide + 1) + 1
        for y in range(top, top + tall):
            for x in range(left, left + wide):
                marks[y][x] = random.choices(".o!^*r", (30, 1, 1, 1, 1, 1))[0]
        for y, x in ((1, 1), (tall - 2, wide - 2)):
            marks[top + y][left + x] = "O"
        marks[top][left] = "!"
    marks[tall - 1][1] = "<"
    marks[-2][-2] = ">"
    level = draw("\n".join(map("".join, marks)))
    camps = [
        replace(CAMP, bounds=region.bounds, region=region.id, copy=region.id) for region in level.regions
    ]
    nest = placement("nest", camps.pop().bounds, limit=1, groups=("lair",))
    held = [next((i for i, c in enumerate(camps) if c.bounds.contains(s.y, s.x)), None) for s in level.spawns]
    return put(
        level,
        placements=(*camps, nest),
        spawns=tuple(replace(s, placement=i) for s, i in zip(level.spawns, held, strict=True)),
        lights=(Light(y=1, x=1, radius=3, colour=(9, 9, 9)),),
    )


Broken = tuple[Level, int | None, int | None]


def pick(random: Random, found: np.ndarray) -> tuple[int, int]:
    return tuple(random.choice(np.argwhere(found).tolist()))


def free(level: Level) -> np.ndarray:
    """Where nothing at all stands, and there are no doors and stairs either."""
    empty = level.base == t.FLOOR
    for one in level.spawns:
        empty[one.y, one.x] = False
    return empty


def any_index(random: Random, values: tuple[object, ...], **matching: object) -> int:
    wanted = [
        i for i, v in enumerate(values) if all(getattr(v, key) == value for key, value in matching.items())
    ]
    return random.choice(wanted)


def break_border(random: Random, level: Level) -> Broken:
    ring = np.ones_like(level.base, np.bool_)
    ring[1:-1, 1:-1] = False
    y, x = pick(random, ring)
    return paint(level, y, x, random.choice([t.FLOOR, t.DOOR, t.CAVE, WATER])), y, x


def break_terrain(random: Random, level: Level) -> Broken:
    y, x = pick(random, level.base == t.WALL)
    return paint(level, y, x, random.randint(len(KINDS.kinds), 255)), y, x


def break_entrance(random: Random, level: Level) -> Broken:
    y, x = pick(random, level.base == t.WALL)
    return put(level, entrance=Cell(y, x)), y, x


def break_exit(random: Random, level: Level) -> Broken:
    y, x = pick(random, level.base == t.WALL)
    return put(level, exits=swap(level.exits, 0, y=y, x=x)), y, x


def break_stairs(random: Random, level: Level) -> Broken:
    y, x = pick(random, level.base == t.FLOOR)
    return paint(level, y, x, random.choice(t.STAIRS)), y, x


def overwrite_stairs(random: Random, level: Level) -> Broken:
    way = random.choice(level.exits)
    return paint(level, way.y, way.x, t.FLOOR), way.y, way.x


def stand_on_stairs(random: Random, level: Level) -> Broken:
    y, x = random.choice([level.entrance, (level.exits[0].y, level.exits[0].x)])
    return put(level, spawns=(*level.spawns, spawn("O", y, x))), y, x


def wall_up(random: Random, level: Level) -> Broken:
    door = random.choice(level.connections)
    return paint(level, door.y, door.x, random.choice([t.WALL, t.EARTH, t.BLOCKED])), None, None


def block_door(random: Random, level: Level) -> Broken:
    door = random.choice(level.connections)
    return put(level, spawns=(*level.spawns, spawn("O", door.y, door.x))), None, None


def block_exit(_: Random, level: Level) -> Broken:
    way = level.exits[0]
    return put(level, spawns=(*level.spawns, *wall_of_props(level, way.y, way.x))), way.y, way.x


def block_item(random: Random, level: Level) -> Broken:
    entered = abs(np.indices(level.base.shape) - np.reshape(level.entrance, (2, 1, 1))).sum(axis=0) <= 1
    items = [s for s in level.spawns if s.kind == "item" and not entered[s.y, s.x]]
    item = random.choice(items)
    return put(level, spawns=(*level.spawns, *wall_of_props(level, item.y, item.x))), item.y, item.x


def wall_of_props(level: Level, y: int, x: int) -> list[Spawn]:
    around = ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1))
    return [spawn("O", *cell) for cell in around if level.base[cell] > t.BLOCKED]


def break_region_order(random: Random, level: Level) -> Broken:
    first, second = random.sample(range(len(level.regions)), 2)
    regions = list(level.regions)
    regions[first], regions[second] = regions[second], regions[first]
    return put(level, regions=tuple(regions)), regions[first].bounds.y, regions[first].bounds.x


def break_region_id(random: Random, level: Level) -> Broken:
    y, x = pick(random, level.base == t.FLOOR)
    return paint(level, y, x, t.FLOOR, random.randint(len(level.regions) + 1, 65535)), y, x


def break_region_cell(random: Random, level: Level) -> Broken:
    region = random.choice(level.regions)
    y, x = pick(random, (level.region > 0) & (level.region != region.id))
    return paint(level, y, x, int(level.terrain[y, x]), region.id), y, x


def break_region_solid(random: Random, level: Level) -> Broken:
    y, x = pick(random, level.region > 0)
    return paint(level, y, x, random.choice([t.WALL, t.EARTH, ILLUSION])), y, x


def forget_region_door(random: Random, level: Level) -> Broken:
    index = random.randrange(len(level.connections))
    number = random.choice(level.connections[index].between)
    doors = tuple(door for door in level.regions[number - 1].connections if door != index)
    door = level.connections[index]
    return put(level, regions=swap(level.regions, number - 1, connections=doors)), door.y, door.x


def break_door_kind(random: Random, level: Level) -> Broken:
    index = random.randrange(len(level.connections))
    door = level.connections[index]
    kind = random.choice([kind for kind in range(t.BUILT_IN) if kind != door.kind])
    return put(level, connections=swap(level.connections, index, kind=kind)), door.y, door.x


def repeat_door(random: Random, level: Level) -> Broken:
    door = random.choice(level.connections)
    return put(level, connections=(*level.connections, door)), door.y, door.x


def forget_door(random: Random, level: Level) -> Broken:
    door = random.choice(level.doors)
    return put(level, doors=tuple(each for each in level.doors if each != door)), door.y, door.x


def tear_down_wall(random: Random, level: Level) -> Broken:
    door = random.choice(level.connections)
    flanks = (
        [(door.y, door.x - 1), (door.y, door.x + 1)]
        if level.base[door.y, door.x - 1] == t.WALL
        else [(door.y - 1, door.x), (door.y + 1, door.x)]
    )
    return paint(level, *random.choice(flanks), t.CORRIDOR), door.y, door.x


def break_door_regions(random: Random, level: Level) -> Broken:
    index = random.randrange(len(level.connections))
    door = level.connections[index]
    wrong = random.choice(
        [(0, 0), (door.between[0], 0), (door.between[0], door.between[0]), (9999, door.between[1])]
    )
    return put(level, connections=swap(level.connections, index, between=wrong)), door.y, door.x


def add_door(random: Random, level: Level) -> Broken:
    y, x = pick(random, level.base == t.WALL)
    return paint(level, y, x, random.choice(t.DOORS)), y, x


def throw_out(random: Random, level: Level) -> Broken:
    index = any_index(random, level.spawns)
    y, x = random.choice([(-1, 2), (2, -1), (level.height, 2), (2, level.width), (-999, 999)])
    return put(level, spawns=swap(level.spawns, index, y=y, x=x, cells=())), y, x


def push_into_wall(random: Random, level: Level) -> Broken:
    y, x = pick(random, level.base == t.WALL)
    return put(level, spawns=swap(level.spawns, any_index(random, level.spawns), y=y, x=x, cells=())), y, x


def leave_own_cell(random: Random, level: Level) -> Broken:
    index = any_index(random, level.spawns)
    one = level.spawns[index]
    return put(level, spawns=swap(level.spawns, index, cells=(Cell(one.y, one.x + 1),))), one.y, one.x


def lose_a_glyph(random: Random, level: Level) -> Broken:
    y, x = pick(random, free(level))
    glyphs = ("[",) * random.choice([1, 3])
    machine = replace(SPAWNS["o"], y=y, x=x, cells=(Cell(y, x), Cell(y, x + 1)), glyphs=glyphs)
    return put(level, spawns=(*level.spawns, machine)), y, x


def stack(random: Random, level: Level) -> Broken:
    one = level.spawns[any_index(random, level.spawns, blocks=True)]
    return put(level, spawns=(spawn(random.choice("Or"), one.y, one.x), *level.spawns)), one.y, one.x


def bury(random: Random, level: Level) -> Broken:
    one = level.spawns[any_index(random, level.spawns, blocks=True, kind="prop")]
    return put(level, spawns=(spawn(random.choice("!^*"), one.y, one.x), *level.spawns)), one.y, one.x


def change_placement(random: Random, level: Level) -> Broken:
    one = random.choice([one for one in level.spawns if one.placement is not None])
    others = [i for i in range(-1, len(level.placements) + 1) if i != one.placement]
    index = level.spawns.index(one)
    return put(level, spawns=swap(level.spawns, index, placement=random.choice(others))), one.y, one.x


def move_placement(random: Random, level: Level) -> Broken:
    index = any_index(random, level.placements)
    y, x, height, width = level.placements[index].bounds
    bounds = random.choice([
        Rect(0, x, height, width), Rect(y, 0, height, width), Rect(y, x, level.height - y, width),
        Rect(y, x, height, level.width - x), Rect(y, x, 0, width), Rect(y, x, height, -1),
    ])  # fmt: skip
    return put(level, placements=swap(level.placements, index, bounds=bounds)), bounds.y, bounds.x


def overlap(random: Random, level: Level) -> Broken:
    y, x = random.choice(list(random.choice(level.placements).bounds.cells()))
    return put(level, placements=(*level.placements, placement("", Rect(y, x, 1, 1)))), y, x


def miscount(random: Random, level: Level) -> Broken:
    index = any_index(random, level.placements)
    bounds = level.placements[index].bounds
    copy = random.choice([0, -1, len(level.placements), 99])
    return put(level, placements=swap(level.placements, index, copy=copy)), bounds.y, bounds.x


def exceed_limit(random: Random, level: Level) -> Broken:
    index = any_index(random, level.placements, encounter="camp")
    bounds = level.placements[index].bounds
    return (
        put(level, placements=swap(level.placements, index, limit=random.randint(0, index))),
        bounds.y,
        bounds.x,
    )


def share_group(random: Random, level: Level) -> Broken:
    index = any_index(random, level.placements, encounter="camp")
    bounds = level.placements[-1].bounds
    return put(level, placements=swap(level.placements, index, groups=("ring", "lair"))), bounds.y, bounds.x


def break_category(random: Random, level: Level) -> Broken:
    index = any_index(random, level.placements)
    bounds = level.placements[index].bounds
    return (
        put(level, placements=swap(level.placements, index, category=random.choice(["", "Fluff"]))),
        bounds.y,
        bounds.x,
    )


def break_placement_region(random: Random, level: Level) -> Broken:
    index = any_index(random, level.placements)
    bounds = level.placements[index].bounds
    number = random.choice([-1, len(level.regions) + 1])
    return put(level, placements=swap(level.placements, index, region=number)), bounds.y, bounds.x


def move_light(random: Random, level: Level) -> Broken:
    y, x = random.choice([(-1, 0), (0, -1), (level.height, 0), (0, level.width)])
    return put(level, lights=swap(level.lights, 0, y=y, x=x)), y, x


BREAKERS: dict[Callable[[Random, Level], Broken], str] = {
    break_border: "border-open",
    break_terrain: "terrain-unknown",
    break_entrance: "entrance-place",
    break_exit: "exit-place",
    break_stairs: "stairs-nowhere",
    overwrite_stairs: "exit-terrain",
    stand_on_stairs: "stairs-blocked",
    wall_up: "unreachable",
    block_door: "walk-pocket or walk-exit",
    block_exit: "walk-exit",
    block_item: "walk-pocket",
    break_region_order: "region-order",
    break_region_id: "region-unknown",
    break_region_cell: "region-bounds",
    break_region_solid: "region-solid",
    forget_region_door: "region-connections",
    break_door_kind: "connection-terrain",
    forget_door: "door-list",
    repeat_door: "connection-twice",
    tear_down_wall: "connection-walls",
    break_door_regions: "connection-between",
    add_door: "door-unknown",
    throw_out: "spawn-outside",
    push_into_wall: "spawn-solid",
    leave_own_cell: "spawn-cells",
    lose_a_glyph: "spawn-glyphs",
    stack: "spawn-shared",
    bury: "spawn-buried",
    change_placement: "spawn-placement",
    move_placement: "placement-bounds",
    overlap: "placement-overlap",
    miscount: "placement-copies",
    exceed_limit: "placement-limit",
    share_group: "placement-group",
    break_category: "placement-category",
    break_placement_region: "placement-region",
    move_light: "light-outside",
}


def test_a_prefab_of_the_map_owns_only_the_cells_of_its_region():
    grown = placement("", Rect(1, 1, 2, 7), prefab="vault", mode="seeded", region=1)
    inside = Rect(*np.argwhere(ROOMS.region == 1)[0].tolist(), 1, 1)
    outside = Rect(*np.argwhere(ROOMS.region[1:3, 1:8] != 1)[0].tolist(), 1, 1)
    outside = outside._replace(y=outside.y + 1, x=outside.x + 1)
    assert "placement-overlap" not in {
        rule for rule, _, _ in faults(placed(grown, replace(CAMP, bounds=outside)))
    }
    assert "placement-overlap" in {rule for rule, _, _ in faults(placed(grown, replace(CAMP, bounds=inside)))}


@pytest.mark.parametrize("seed", range(12))
def test_random_damage_is_always_reported(seed):
    random = Random(seed)
    level = random_level(random)
    assert prove(level) == []
    for breaker, rule in BREAKERS.items():
        broken, y, x = breaker(random, level)
        found = faults(broken)
        assert any(
            found_rule in rule.split(" or ") and y in (None, fy) and x in (None, fx)
            for found_rule, fy, fx in found
        ), (
            breaker.__name__,
            (y, x),
            found,
        )
