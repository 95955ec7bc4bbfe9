"""Rules about regions, the connections between them, and doors.

A connection is a door or a gap in a wall. Along the wall, solid cells flank it; across the wall, open ones do::

    . . .        Connections side by side in one wall are a wide one: . . . .
    # + #        its ends are flanked, all its cells are open        # + + #
    . . .        across.                                             . . . .

Doors that a prefab draws within itself are held to less: they lead from somewhere to somewhere.
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


NO_LOCK = (None, "")
"""Word and name of the lock of a door that has none."""


def region_order(survey: Survey) -> Iterator[Finding]:
    """Regions are numbered 1, 2, 3... in order."""
    for number, region in enumerate(survey.level.regions, 1):
        if region.id != number:
            yield f"region {number} has the id {region.id}", region.bounds.y, region.bounds.x


def region_unknown(survey: Survey) -> Iterator[Finding]:
    """Every id on the map is a region's."""
    runs = survey.region_runs
    if survey.regions.keys() >= set(np.bincount(runs.region).nonzero()[0].tolist()):
        return
    numbers, first = np.unique(runs.region, return_index=True)
    for number, run in zip(numbers.tolist(), first.tolist(), strict=True):
        if number not in survey.regions:
            yield f"no region has the id {number}", int(runs.y[run]), int(runs.left[run])


def region_bounds(survey: Survey) -> Iterator[Finding]:
    """A region's bounds are the smallest rectangle around its cells; one that has lost all its cells may have any."""
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
            covered, bounds = _told(Rect(*boxes[number])), _told(region.bounds)
            y, x = _first_outside(runs, number, region.bounds)
            yield f"region {number} covers {covered}, and its bounds are {bounds}", y, x


def _first_outside(runs: RegionRuns, number: int, bounds: Rect) -> Cell:
    """Return the first cell of a region outside its bounds, or else the corner of these, which are too large."""
    top, left, height, width = bounds
    outside = (runs.y < top) | (runs.left < left) | (runs.y >= top + height) | (runs.right > left + width)
    for run in (outside & (runs.region == number)).nonzero()[0][:1].tolist():
        y, x = int(runs.y[run]), int(runs.left[run])
        within = top <= y < top + height and left <= x < left + width
        return Cell(y, left + width if within else x)
    return Cell(top, left)


def _told(bounds: Rect) -> str:
    y, x, height, width = bounds
    return f"{width}x{height} cells at {y}, {x}"


def region_solid(survey: Survey) -> Iterator[Finding]:
    """Only open cells belong to a region."""
    for place in ((survey.region > 0) & ~survey.open).nonzero()[0].tolist():
        yield survey.finding(f"a solid cell belongs to region {survey.region[place]}", place)


def region_sealed(survey: Survey) -> Iterator[Finding]:
    """No walker gets into a sealed region."""
    for number, region in survey.regions.items():
        if region.sealed:
            entered = (survey.walked & (survey.region == number)).nonzero()[0]
            if len(entered):
                yield survey.finding(
                    f"{region.kind} {number} is sealed, and can be walked into", int(entered[0])
                )


def region_connections(survey: Survey) -> Iterator[Finding]:
    """Regions list exactly the connections that have them on a side."""
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
            yield f"region {number} lists a connection between {way.between}", way.y, way.x
        else:
            bounds = survey.regions[number].bounds
            yield f"region {number} lists connection {index} of {len(connections)}", bounds.y, bounds.x
    for number, index in sorted(beside - listed):
        if number in survey.regions:
            yield f"region {number} does not list this connection", connections[index].y, connections[index].x


def connection_terrain(survey: Survey) -> Iterator[Finding]:
    """Every connection lies on the map, on terrain of its kind: a door, or floor."""
    places = survey.connection_cells.place
    kinds = np.array(survey.connections["kind"], np.intp)
    for index in ((survey.base[places] != kinds) | ~survey.connection_cells.on_door).nonzero()[0].tolist():
        way, place = survey.level.connections[index], int(places[index])
        if not place:
            yield "a connection lies outside the map", way.y, way.x
        else:
            yield f"a {base_name(way.kind)} stands on {base_name(survey.bases[place])}", way.y, way.x


def connection_twice(survey: Survey) -> Iterator[Finding]:
    """No cell holds two connections."""
    places = survey.connection_cells.place.tolist()
    if 0 not in places and len(set(places)) == len(places):
        return
    seen: set[tuple[int, int]] = set()
    for connection in survey.level.connections:
        if (connection.y, connection.x) in seen:
            yield "two connections share a cell", connection.y, connection.x
        seen.add((connection.y, connection.x))


def connection_walls(survey: Survey) -> Iterator[Finding]:
    """Every connection has a wall on two opposite sides and open cells on the other two."""
    _, _, on_door, down, right = survey.connection_cells
    for index in (on_door & ~down & ~right).nonzero()[0].tolist():
        way = survey.level.connections[index]
        yield "a connection without walls on two opposite sides and ways on the others", way.y, way.x


def connection_between(survey: Survey) -> Iterator[Finding]:
    """A connection's regions are those of the cells on its two open sides."""
    places, _, _, down, to_right = survey.connection_cells
    ways = np.stack((down, to_right))
    steps = ways * np.array([[survey.stride], [1]])
    low, high = survey.region[places - steps], survey.region[places + steps]
    one, other = np.array(survey.connections["between"], np.intp).reshape(-1, 2).T
    right = ways & (((low == one) & (high == other)) | ((low == other) & (high == one)))
    # A connection without a way is another rule's business.
    for index in (ways.any(axis=0) & ~right.any(axis=0)).nonzero()[0].tolist():
        way, place = survey.level.connections[index], int(places[index])
        step = survey.stride if down[index] else 1
        found = survey.region.item(place - step), survey.region.item(place + step)
        yield f"a connection between {way.between} has the regions {found} on its sides", way.y, way.x


def door_list(survey: Survey) -> Iterator[Finding]:
    """The level's doors are its door cells, each once, with its terrain, its state and its lock."""
    level, columns = survey.level, survey.columns["doors"]
    locks = {(lock.y, lock.x): (lock.word, lock.name) for lock in level.locks}
    missing = dict.fromkeys(survey.doors.tolist())
    places, _ = survey.places(columns["y"], columns["x"])
    kinds = {code: level.terrain_set.kinds[code] for code in set(survey.terrain[survey.doors].tolist())}
    said = zip(*(columns[name] for name in ("terrain", "state", "lock", "lock_name")), strict=True)
    codes = survey.terrain[places].tolist()
    for door, place, code, listed in zip(level.doors, places.tolist(), codes, said, strict=True):
        if place not in missing:
            yield "the list of doors has a door here, or a second one, that the map has not", door.y, door.x
            continue
        del missing[place]
        kind = kinds[code]
        lock = locks.get((door.y, door.x), NO_LOCK) if kind.base == t.LOCKED_DOOR else NO_LOCK
        real = (kind.name, DOOR_STATES[kind.base], *lock)
        if listed != real:
            yield f"the list of doors says {listed} of a door that is {real}", door.y, door.x
    for place in sorted(missing):
        yield survey.finding("the list of doors lacks this door", place)


def door_unknown(survey: Survey) -> Iterator[Finding]:
    """Every door on the map is a connection, or drawn by a prefab."""
    for place in survey.unlisted:
        if place not in survey.drawn_doors:
            yield survey.finding("a door that neither the level nor a prefab knows of", place)


def door_drawn(survey: Survey) -> Iterator[Finding]:
    """A door that only a prefab knows of has two open sides."""
    stride = survey.stride
    for place in sorted(survey.drawn_doors):
        ways = sum(survey.bases[place + step] > t.BLOCKED for step in (-stride, -1, 1, stride))
        if ways < 2:
            yield survey.finding("a drawn door leads nowhere", place)
