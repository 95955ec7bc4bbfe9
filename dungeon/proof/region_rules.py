"""Rules of the proof about regions (rooms, corridors, caves...), the connections between them (doors, and gaps in a wall), and the list of doors.

A connection is a door or a gap in a wall. It has solid cells on two opposite sides (the wall) and open cells on the other two::

    . . .        A wide connection is several side by side in one wall:  . . . .
    # + #        the wall begins at its two ends, and all its cells have # + + #
    . . .        open cells across the wall.                             . . . .

A door that a prefab draws inside itself need only have two open sides, whichever these are (`door_drawn`).

Each public function is a rule: its docstring states what must hold, and it yields a finding for each violation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.grid.rect import Cell, Rect
from dungeon.level.model import DOOR_STATES
from dungeon.proof.flat import base_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.proof.fields import Finding
    from dungeon.proof.survey import RegionRuns, Survey


NO_LOCK = (None, "", 1, ())
"""The fields `lock`, `lock_name`, `lock_count` and `lock_keys_on` of a `Door` without a lock."""


def region_order(survey: Survey) -> Iterator[Finding]:
    """The ids of `Level.regions` are 1, 2, 3... in this order."""
    for number, region in enumerate(survey.level.regions, 1):
        if region.id != number:
            text = f"region {number} has the id {region.id}, not {number}"
            yield text, region.bounds.y, region.bounds.x


def region_unknown(survey: Survey) -> Iterator[Finding]:
    """Every id in the region array, apart from 0, belongs to one of `Level.regions`."""
    runs = survey.region_runs
    if survey.regions.keys() >= set(np.bincount(runs.region).nonzero()[0].tolist()):
        return
    numbers, first = np.unique(runs.region, return_index=True)
    for number, run in zip(numbers.tolist(), first.tolist(), strict=True):
        if number not in survey.regions:
            yield f"no region has the id {number}", int(runs.y[run]), int(runs.left[run])


def region_bounds(survey: Survey) -> Iterator[Finding]:
    """The bounds of a region are the smallest rectangle around the region's cells. A region without cells may have any bounds."""
    runs = survey.region_runs
    count = int(runs.region.max(initial=0)) + 1
    least = np.full((2, count), survey.base.size, np.intp)
    most = np.zeros((2, count), np.intp)
    for side, (low, high) in enumerate(((runs.y, runs.y + 1), (runs.left, runs.right))):
        np.minimum.at(least[side], runs.region, low)
        np.maximum.at(most[side], runs.region, high)
    boxes = np.concatenate((least, most - least)).T.tolist()
    for number, region in survey.regions.items():
        if 0 < number < count and boxes[number][2] > 0 and [*region.bounds] != boxes[number]:
            covered, bounds = _in_words(Rect(*boxes[number])), _in_words(region.bounds)
            y, x = _first_outside(runs, number, region.bounds)
            yield f"region {number} covers {covered}, and its bounds are {bounds}", y, x


def _first_outside(runs: RegionRuns, number: int, bounds: Rect) -> Cell:
    """Return the first cell of a region that lies outside its bounds; if none does, the top left cell of the bounds."""
    top, left, height, width = bounds
    outside = (runs.y < top) | (runs.left < left) | (runs.y >= top + height) | (runs.right > left + width)
    for run in (outside & (runs.region == number)).nonzero()[0][:1].tolist():
        y, x = int(runs.y[run]), int(runs.left[run])
        within = top <= y < top + height and left <= x < left + width
        return Cell(y, left + width if within else x)
    return Cell(top, left)


def _in_words(bounds: Rect) -> str:
    """Return a rectangle in words, such as `7x5 cells at 3, 12` (width x height, row, column)."""
    y, x, height, width = bounds
    return f"{width}x{height} cells at {y}, {x}"


def region_solid(survey: Survey) -> Iterator[Finding]:
    """No solid cell (earth, wall, blocked) belongs to a region."""
    for place in ((survey.region > 0) & ~survey.open).nonzero()[0].tolist():
        yield survey.finding(f"a solid cell belongs to region {survey.region[place]}", place)


def region_sealed(survey: Survey) -> Iterator[Finding]:
    """A player can't walk into a sealed region, which is cut off on purpose."""
    for number, region in survey.regions.items():
        if region.sealed:
            entered = (survey.walked & (survey.region == number)).nonzero()[0]
            if len(entered):
                yield survey.finding(
                    f"{region.kind} {number} is sealed, and a player can walk into it", int(entered[0])
                )


def region_connections(survey: Survey) -> Iterator[Finding]:
    """`Region.connections` lists exactly the connections that name the region in `Connection.between`."""
    level, connections = survey.level, survey.level.connections
    expected: dict[int, list[int]] = {region.id: [] for region in level.regions}
    for index, connection in enumerate(connections):
        one, other = connection.between
        expected.setdefault(one, []).append(index)
        if other != one:
            expected.setdefault(other, []).append(index)
    if all([*region.connections] == expected[region.id] for region in level.regions):
        return
    listed = {(region.id, index) for region in level.regions for index in region.connections}
    beside = {(number, index) for index, each in enumerate(connections) for number in each.between}
    for number, index in sorted(listed - beside):
        if 0 <= index < len(connections):
            way = connections[index]
            yield f"region {number} lists a connection that joins other regions: {way.between}", way.y, way.x
        else:
            bounds = survey.regions[number].bounds
            text = f"region {number} lists connection {index}, but the level has only {len(connections)} connections"
            yield text, bounds.y, bounds.x
    for number, index in sorted(beside - listed):
        if number in survey.regions:
            yield f"region {number} does not list this connection", connections[index].y, connections[index].x


def connection_terrain(survey: Survey) -> Iterator[Finding]:
    """Every connection lies on the map, on a cell whose built-in terrain is `Connection.kind`: a door, or floor for a gap."""
    places = survey.connection_cells.place
    kinds = np.array(survey.connections["kind"], np.intp)
    for index in ((survey.base[places] != kinds) | ~survey.connection_cells.on_door).nonzero()[0].tolist():
        way, place = survey.level.connections[index], int(places[index])
        if not place:
            yield "a connection lies outside the map", way.y, way.x
        else:
            text = f"a connection of the kind {base_name(way.kind)} lies on {base_name(survey.bases[place])}"
            yield text, way.y, way.x


def connection_twice(survey: Survey) -> Iterator[Finding]:
    """No two connections share a cell."""
    places = survey.connection_cells.place.tolist()
    if 0 not in places and len(set(places)) == len(places):
        return
    seen: set[tuple[int, int]] = set()
    for connection in survey.level.connections:
        if (connection.y, connection.x) in seen:
            yield "two connections share a cell", connection.y, connection.x
        seen.add((connection.y, connection.x))


def connection_walls(survey: Survey) -> Iterator[Finding]:
    """Every connection has solid cells on two opposite sides (the wall) and open cells on the other two."""
    _, _, on_door, down, right = survey.connection_cells
    for index in (on_door & ~down & ~right).nonzero()[0].tolist():
        way = survey.level.connections[index]
        yield "a connection needs walls on two opposite sides and open cells on the other two", way.y, way.x


def connection_between(survey: Survey) -> Iterator[Finding]:
    """`Connection.between` names the regions of the cells on the connection's two open sides, in any order."""
    places, _, _, down, to_right = survey.connection_cells
    ways = np.stack((down, to_right))
    steps = ways * np.array([[survey.stride], [1]])
    low, high = survey.region[places - steps], survey.region[places + steps]
    one, other = np.array(survey.connections["between"], np.intp).reshape(-1, 2).T
    right = ways & (((low == one) & (high == other)) | ((low == other) & (high == one)))
    # `connection_walls` reports connections without two open sides.
    for index in (ways.any(axis=0) & ~right.any(axis=0)).nonzero()[0].tolist():
        way, place = survey.level.connections[index], int(places[index])
        step = survey.stride if down[index] else 1
        found = survey.region.item(place - step), survey.region.item(place + step)
        text = f"a connection says that it joins the regions {way.between}, and lies between {found}"
        yield text, way.y, way.x


def door_list(survey: Survey) -> Iterator[Finding]:
    """`Level.doors` lists every door cell once, with the terrain, state and lock that the level has there."""
    level, columns = survey.level, survey.columns["doors"]
    locks = {(lock.y, lock.x): (lock.word, lock.name, lock.count, lock.keys_on) for lock in level.locks}
    missing = dict.fromkeys(survey.doors.tolist())
    places, _ = survey.places(columns["y"], columns["x"])
    kinds = {code: level.terrain_set.kinds[code] for code in set(survey.terrain[survey.doors].tolist())}
    said = zip(
        *(columns[name] for name in ("terrain", "state", "lock", "lock_name", "lock_count", "lock_keys_on")),
        strict=True,
    )
    codes = survey.terrain[places].tolist()
    for door, place, code, listed in zip(level.doors, places.tolist(), codes, said, strict=True):
        if place not in missing:
            yield "the list of doors has a door that is not on the map, or is listed twice", door.y, door.x
            continue
        del missing[place]
        kind = kinds[code]
        lock = locks.get((door.y, door.x), NO_LOCK) if kind.base == t.LOCKED_DOOR else NO_LOCK
        real = (kind.name, DOOR_STATES[kind.base], *lock)
        if listed != real:
            yield f"the list of doors calls this door {listed}, and it is {real}", door.y, door.x
    for place in sorted(missing):
        yield survey.finding("the list of doors lacks this door", place)


def door_unknown(survey: Survey) -> Iterator[Finding]:
    """Every door cell is a connection, or lies in a prefab, which may draw doors inside itself."""
    for place in survey.unlisted:
        if place not in survey.drawn_doors:
            yield survey.finding("a door that is no connection and that no prefab has drawn", place)


def door_drawn(survey: Survey) -> Iterator[Finding]:
    """A door that is drawn by a prefab, and is no connection, has at least two open sides."""
    stride = survey.stride
    for place in sorted(survey.drawn_doors):
        ways = sum(survey.bases[place + step] > t.BLOCKED for step in (-stride, -1, 1, stride))
        if ways < 2:
            yield survey.finding("a door that a prefab has drawn needs at least two open sides", place)
