"""Rules of the proof about the arrays of a level, the border of the map, the entrance and exits, zones (named parts of a map) and portals (connections that are no steps).

Each public function is a rule: its docstring states what must hold, and it yields a finding for each violation.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.vocabulary import DEEPEST
from dungeon.proof.flat import base_name, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dungeon.level.model import Exit, Level
    from dungeon.proof.fields import Finding
    from dungeon.proof.survey import Survey


SMALLEST = 3
"""Least height and width of a map: a border on each side, and one cell between them."""

MAP_ID = re.compile(r"[^/]+/(0|[1-9][0-9]{0,9})")
"""A map id is `name/depth`, such as `foundry/3`; the depth has no leading zero."""


def array_shape(level: Level) -> Iterator[Finding]:
    """The terrain and region arrays have the same two-dimensional shape (height, width)."""
    if level.terrain.ndim != 2 or level.terrain.shape != level.region.shape:
        yield f"terrain has the shape {level.terrain.shape}, region {level.region.shape}", None, None


def array_type(level: Level) -> Iterator[Finding]:
    """The terrain array is uint8, and the region array is uint16."""
    for name, array, dtype in (("terrain", level.terrain, np.uint8), ("region", level.region, np.uint16)):
        if array.dtype != dtype:
            yield f"{name} is an array of {array.dtype}, not of {np.dtype(dtype)}", None, None


def map_size(level: Level) -> Iterator[Finding]:
    """The map has at least 3 rows and 3 columns."""
    if level.terrain.ndim == 2 and min(level.terrain.shape) < SMALLEST:
        yield f"the map is {level.height}x{level.width}, less than {SMALLEST}x{SMALLEST}", None, None


def terrain_unknown(survey: Survey) -> Iterator[Finding]:
    """Every terrain code is an index into the kinds of the level's terrain set."""
    terrain = survey.level.terrain
    count = len(survey.level.terrain_set.kinds)
    if terrain.max() < count:
        return
    for y, x in np.argwhere(terrain >= count).tolist():
        yield f"no terrain has the code {terrain[y, x]}", y, x


def border_open(survey: Survey) -> Iterator[Finding]:
    """The outermost cells of the map are solid."""
    rows = survey.open.reshape(-1, survey.stride)[1:-1, 1:-1]
    if not (rows[0].any() or rows[-1].any() or rows[:, 0].any() or rows[:, -1].any()):
        return
    ring = rows.copy()
    ring[1:-1, 1:-1] = False
    for y, x in np.argwhere(ring).tolist():
        yield "an outermost cell of the map is open", y, x


def earth_bare(survey: Survey) -> Iterator[Finding]:
    """No earth touches an open cell, corners included: there must be walls between them."""
    stride, is_open = survey.stride, survey.open
    across = is_open.copy()
    across[1:] |= is_open[:-1]
    across[:-1] |= is_open[1:]
    bare = across.copy()
    bare[stride:] |= across[:-stride]
    bare[:-stride] |= across[stride:]
    bare &= survey.base == t.EARTH
    if bare.any():
        for cells in parts_of(bare, stride):
            size = len(cells)
            text = f"{size} cell{'s' if size > 1 else ''} of earth beside an open cell, with no wall between"
            yield survey.finding(text, int(cells[0]))


def _ways(survey: Survey) -> tuple[Exit, ...]:
    """Return the exits of a level and the stairs up of towers."""
    return (*survey.level.exits, *survey.level.ways_back)


def level_id(survey: Survey) -> Iterator[Finding]:
    """`Level.id` is a map id, `name/depth`, such as `foundry/3`, and `Level.depth` is that depth."""
    level = survey.level
    written = MAP_ID.fullmatch(level.id)
    if not written:
        yield f"{level.id!r} is no map id, which is name/depth", None, None
    elif int(written[1]) != level.depth:
        yield f"the level {level.id} has the depth {level.depth}", None, None


def level_depth(survey: Survey) -> Iterator[Finding]:
    """`Level.depth` is from 0 to `DEEPEST`, the deepest that content may declare."""
    depth = survey.level.depth
    if not 0 <= depth <= DEEPEST:
        yield f"the level has the depth {depth}, and depths go from 0 to {DEEPEST}", None, None


def entrance_place(survey: Survey) -> Iterator[Finding]:
    """The entrance lies on a walkable cell of the map."""
    y, x = survey.level.entrance
    place = survey.at(y, x)
    if place is None:
        yield "the entrance lies outside the map", y, x
    elif not survey.walkable[place]:
        yield "the entrance is not on a walkable cell", y, x


def entrance_on_exit(survey: Survey) -> Iterator[Finding]:
    """The entrance does not share its cell with an exit."""
    y, x = survey.level.entrance
    if any((way.y, way.x) == (y, x) for way in survey.level.exits):
        yield "the entrance is also an exit", y, x


def exit_place(survey: Survey) -> Iterator[Finding]:
    """Every exit, and every stairs up of a tower, lies on a walkable cell of the map."""
    for way in _ways(survey):
        place = survey.at(way.y, way.x)
        if place is None:
            yield f"the exit to {way.leads_to} lies outside the map", way.y, way.x
        elif not survey.walkable[place]:
            yield f"the exit to {way.leads_to} is not on a walkable cell", way.y, way.x


def exit_terrain(survey: Survey) -> Iterator[Finding]:
    """Every exit lies on stairs: the terrain of its cell is, or is derived from, stairs or the built-in terrain `exit`.

    Exits that lie on no walkable cell are skipped, since `exit_place` reports them.
    """
    for way in survey.level.exits:
        place = survey.at(way.y, way.x)
        if place is not None and survey.walkable[place] and survey.bases[place] not in t.STAIRS:
            yield f"the exit to {way.leads_to} is not on stairs", way.y, way.x


def stairs_back(survey: Survey) -> Iterator[Finding]:
    """Every way in `Level.ways_back` lies on stairs up, names the cell where the player arrives, and shares its cell with no exit.

    Ways on no walkable cell are skipped, since `exit_place` reports them.
    """
    exits = {(way.y, way.x) for way in survey.level.exits}
    for way in survey.level.ways_back:
        place = survey.at(way.y, way.x)
        if place is None or not survey.walkable[place]:
            continue
        if survey.bases[place] != t.STAIRS_UP:
            yield f"the way back to {way.leads_to} is not on stairs up", way.y, way.x
        if way.arrives is None:
            yield f"the way back to {way.leads_to} does not say where it arrives", way.y, way.x
        if (way.y, way.x) in exits:
            yield f"the way back to {way.leads_to} is also an exit", way.y, way.x


def exit_twice(survey: Survey) -> Iterator[Finding]:
    """No two exits share a cell, nor do two ways back."""
    yield from _on_one_cell(survey.level.exits)
    yield from _on_one_cell(survey.level.ways_back)


def _on_one_cell(ways: Iterable[Exit]) -> Iterator[Finding]:
    """Yield a finding for each way on the cell of an earlier one."""
    seen: dict[tuple[int, int], str] = {}
    for way in ways:
        if (way.y, way.x) in seen:
            yield f"the exits to {seen[way.y, way.x]} and {way.leads_to} share a cell", way.y, way.x
        seen[way.y, way.x] = way.leads_to


def exit_target(survey: Survey) -> Iterator[Finding]:
    """Every exit, and every stairs up of a tower, leads to a valid map id, and not to the level itself."""
    for way in _ways(survey):
        written = MAP_ID.fullmatch(way.leads_to)
        if not written or int(written[1]) > DEEPEST:
            yield f"an exit leads to {way.leads_to!r}, which is no map id", way.y, way.x
        elif way.leads_to == survey.level.id:
            yield f"an exit leads to {way.leads_to}, which is the level itself", way.y, way.x


def stairs_nowhere(survey: Survey) -> Iterator[Finding]:
    """Every cell of stairs or exit terrain is the entrance, or one of `Level.exits` or `Level.ways_back`."""
    known = {survey.at(way.y, way.x) for way in _ways(survey)} | {survey.at(*survey.level.entrance)}
    for place in survey.among(t.STAIRS):
        if place not in known:
            name = base_name(survey.bases[place])
            yield survey.finding(f"{name} on a cell that is neither the entrance nor an exit", place)


def stairs_blocked(survey: Survey) -> Iterator[Finding]:
    """No robot, and no spawn that blocks, stands on the entrance or on an exit."""
    ways = [("the entrance", *survey.level.entrance)]
    ways += [(f"the exit to {way.leads_to}", way.y, way.x) for way in _ways(survey)]
    standing = survey.standing
    barring = (survey.blocking | survey.robots)[standing.owner] & standing.on_map
    places = standing.place[barring].tolist()
    for name, y, x in ways:
        if survey.at(y, x) in places:
            owner = standing.owner[barring][places.index(survey.at(y, x))]
            yield f"{survey.level.spawns[owner].tag} stands on {name}", y, x


def zone_order(survey: Survey) -> Iterator[Finding]:
    """The ids of `Level.zones` are 1, 2, 3... in this order, and no two zones have the same name."""
    names: set[str] = set()
    for number, zone in enumerate(survey.level.zones, 1):
        if zone.id != number:
            yield f"zone {number} has the id {zone.id}, not {number}", None, None
        if zone.name in names:
            yield f"two zones have the name {zone.name!r}", None, None
        names.add(zone.name)


def zone_parent(survey: Survey) -> Iterator[Finding]:
    """The parent of a zone is 0 (none) or the id of a zone before it."""
    for number, zone in enumerate(survey.level.zones, 1):
        if not 0 <= zone.parent < number:
            yield f"zone {zone.name} has the parent {zone.parent}, which is no zone before it", None, None


def zone_regions(survey: Survey) -> Iterator[Finding]:
    """Every zone has at least one region, each of its regions is on the level, and no region belongs to two zones."""
    taken: dict[int, str] = {}
    for zone in survey.level.zones:
        if not zone.regions:
            yield f"zone {zone.name} has no region", None, None
        for number in zone.regions:
            if number not in survey.regions:
                yield f"zone {zone.name} has the region {number}, which does not exist", None, None
            elif number in taken:
                bounds = survey.regions[number].bounds
                yield f"zone {zone.name} and zone {taken[number]} share region {number}", bounds.y, bounds.x
            taken[number] = zone.name


def zone_gates(survey: Survey) -> Iterator[Finding]:
    """Every gate (entrance) of a zone is the cell of a connection, or the cell where a portal begins."""
    if not survey.level.zones:
        return
    ways = {(way.y, way.x) for way in survey.level.connections}
    ways |= {portal.begin for portal in survey.level.portals}
    for zone in survey.level.zones:
        for y, x in zone.gates:
            if (y, x) not in ways:
                yield f"a gate of zone {zone.name} is neither a connection nor the start of a portal", y, x


def portal_place(survey: Survey) -> Iterator[Finding]:
    """The two ends of a portal are different walkable cells, not doors or stairs, and no blocking prop stands on them."""
    for portal in survey.level.portals:
        if portal.begin == portal.end:
            yield f"the {portal.kind} leads to where it begins", portal.y, portal.x
        for cell in (portal.begin, portal.end):
            place = survey.at(*cell)
            if place is None:
                yield f"an end of the {portal.kind} lies outside the map", *cell
            elif not survey.walkable[place]:
                yield f"an end of the {portal.kind} is not on a walkable cell", *cell
            elif survey.stopped[place]:
                yield f"{survey.obstacles[place].tag} stands on an end of the {portal.kind}", *cell
            elif survey.bases[place] in (*t.DOORS, *t.STAIRS):
                yield f"an end of the {portal.kind} is on a door or on stairs", *cell


def portal_twice(survey: Survey) -> Iterator[Finding]:
    """No two portals lead from the same cell; a portal that leads both ways leads from both its ends."""
    entries = Counter(cell for portal in survey.level.portals for cell in portal.entries)
    for cell, count in entries.items():
        if count > 1:
            yield f"{count} portals lead from one cell", *cell


def portal_return(survey: Survey) -> Iterator[Finding]:
    """A player who has taken a one-way portal can still reach everything, and open everything that can be opened."""
    if survey.played is None or not survey.played.outcome.lost:
        return
    level, outcome = survey.played
    lost = [number for number in range(1, outcome.lost.bit_length()) if outcome.lost >> number & 1]
    cells = np.flatnonzero(np.isin(level.labels, lost))
    if len(cells):
        yield survey.finding("after a one-way portal, a player may never reach this again", int(cells[0]))
    else:
        yield "after a one-way portal, a player may never open a locked prop", None, None
