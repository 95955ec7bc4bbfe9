"""Rules of the proof about a level's contents: spawns (robots, items, props...), groups of robots, patrols, loadouts, lights, and placements (encounters and prefabs on the map).

Each public function is a rule: its docstring states what must hold, and it yields a finding for each violation.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import with_article
from dungeon.core.vocabulary import CATEGORIES, LYING, SPAWN_KINDS
from dungeon.grid.rect import Rect
from dungeon.proof.flat import base_name, on_map, rects

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.level.model import Level, Placement, Spawn
    from dungeon.proof.fields import Finding
    from dungeon.proof.survey import Survey


FEW = 60
"""Up to 60 placements, comparing all pairs is quicker than drawing all bounds on a map."""

WAYS_TO_LIE = tuple(f"{turn}{angle}" for turn in "rm" for angle in (0, 90, 180, 270))
"""The orientations that `Placement.orientation` may name: `r90` is turned, `m90` is mirrored and then turned."""


def spawn_kind(survey: Survey) -> Iterator[Finding]:
    """Every spawn has a built-in kind (robot, item, prop...), or a kind of the content that `Level.own_kinds` maps to a built-in one."""
    own = survey.level.own_kinds
    found = {*zip(survey.spawns.kind, survey.spawns.like, strict=True)}
    wrong = {(kind, like) for kind, like in found if like not in SPAWN_KINDS or own.get(kind, kind) != like}
    for spawn in survey.level.spawns if wrong else ():
        if (spawn.kind, spawn.like) in wrong:
            like = f" (like {with_article(spawn.like)})" if spawn.like != spawn.kind else ""
            yield f"{spawn.tag} has the unknown kind {spawn.kind!r}{like}", spawn.y, spawn.x


def spawn_outside(survey: Survey) -> Iterator[Finding]:
    """Every cell of a spawn lies on the map."""
    for index in survey.standing.owners(~survey.standing.on_map):
        spawn = survey.level.spawns[index]
        y, x = next(cell for cell in spawn.cells if survey.at(*cell) is None)
        yield f"{spawn.kind} {spawn.tag} reaches outside the map", y, x


def spawn_solid(survey: Survey) -> Iterator[Finding]:
    """No spawn stands in a solid cell."""
    standing = survey.standing
    for each in (~survey.open[standing.place] & standing.on_map).nonzero()[0].tolist():
        spawn, place = survey.level.spawns[standing.owner[each]], int(standing.place[each])
        yield survey.finding(f"{spawn.kind} {spawn.tag} stands in {base_name(survey.bases[place])}", place)


def spawn_cells(survey: Survey) -> Iterator[Finding]:
    """The cells that a spawn covers include the spawn's own cell (y, x), and no cell is listed twice."""
    for spawn in survey.level.spawns:
        if (spawn.y, spawn.x) not in spawn.cells:
            yield f"{spawn.kind} {spawn.tag} does not cover its own cell", spawn.y, spawn.x
        elif len(spawn.cells) > 1 and len(set(spawn.cells)) < len(spawn.cells):
            yield f"{spawn.kind} {spawn.tag} covers a cell twice", spawn.y, spawn.x


def spawn_glyphs(survey: Survey) -> Iterator[Finding]:
    """A machine (a spawn with `glyphs`) has exactly one glyph for each of its cells."""
    for spawn in [spawn for spawn in survey.level.spawns if spawn.glyphs]:
        count = len(spawn.glyphs) if isinstance(spawn.glyphs, tuple) else None
        if count != len(spawn.cells):
            text = f"{spawn.kind} {spawn.tag} has {count} glyphs for {len(spawn.cells)} cells"
            yield text, spawn.y, spawn.x


def spawn_shared(survey: Survey) -> Iterator[Finding]:
    """No two blocking spawns share a cell."""
    spawns, standing = survey.level.spawns, survey.standing
    which = survey.blocking[standing.owner] & standing.on_map
    places, owners = standing.place[which].tolist(), standing.owner[which].tolist()
    if len(set(places)) == len(places):
        return
    seen: dict[int, int] = {}
    for place, owner in zip(places, owners, strict=True):
        other = seen.setdefault(place, owner)
        if other != owner:
            yield survey.finding(f"{spawns[other].tag} and {spawns[owner].tag} block the same cell", place)


def spawn_buried(survey: Survey) -> Iterator[Finding]:
    """No spawn shares a cell with a prop that blocks and never moves, except items and debris that are drawn on it."""
    standing = survey.standing
    for each in (survey.stopped[standing.place] & ~survey.blocking[standing.owner]).nonzero()[0].tolist():
        spawn, place = survey.level.spawns[standing.owner[each]], int(standing.place[each])
        holder = survey.obstacles[place]
        if spawn.like != "prop" and not _is_drawn_on(spawn, holder):
            text = f"{spawn.kind} {spawn.tag} shares its cell with {holder.tag}, which blocks"
            yield survey.finding(text, place)


def _is_drawn_on(spawn: Spawn, holder: Spawn) -> bool:
    """Tell whether a drawing puts an item or debris on a prop: the same prefab draws both, or a key lies on a mark of its placement."""
    prefab, drawn, _ = holder.source.partition(":")
    own = spawn.source.partition(":")[0]
    is_together = bool(drawn) and spawn.placement == holder.placement
    return is_together and spawn.like in LYING and (own == prefab or own.startswith("lock "))


def spawn_placement(survey: Survey) -> Iterator[Finding]:
    """Every spawn of a placement lies in the placement's bounds, or elsewhere in the placement's region, as scattered content may."""
    spawns, placements = survey.level.spawns, survey.level.placements
    for index in _outside_placements(survey):
        spawn, number = spawns[index], survey.spawns.placement[index]
        if number is None or not 0 <= number < len(placements):
            text = f"{spawn.kind} {spawn.tag} names placement {number}, but the level has only {len(placements)} placements"
            yield text, spawn.y, spawn.x
            continue
        placement = placements[number]
        for y, x in spawn.cells:
            place = survey.at(y, x)
            is_inside = place is not None and 0 < placement.region == survey.region.item(place)
            if not is_inside and not placement.bounds.contains(y, x):
                yield f"{spawn.kind} {spawn.tag} lies outside its placement ({_name(placement)})", y, x


def _outside_placements(survey: Survey) -> list[int]:
    """Return the indices of the spawns with a placement that does not exist, or that does not have all their cells in its bounds."""
    standing, numbers, count = survey.standing, survey.spawns.placement, len(survey.level.placements)
    is_named = np.array([number is not None for number in numbers], np.bool_)
    named = np.array([count if number is None else number for number in numbers], np.intp)
    known = np.where((named >= 0) & (named < count), named, count)
    bounds = rects([*(placement.bounds for placement in survey.level.placements), Rect(0, 0, 0, 0)])
    top, left, height, width = bounds[known[standing.owner]].T
    y, x = standing.y - top, standing.x - left
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    return standing.owners(is_named[standing.owner] & ~inside)


def placement_bounds(survey: Survey) -> Iterator[Finding]:
    """The bounds of a placement hold at least one cell and lie inside the border of the map."""
    for placement in survey.level.placements:
        y, x, height, width = placement.bounds
        if height < 1 or width < 1:
            yield f"{_name(placement)} covers {height}x{width} cells", y, x
        elif y < 1 or x < 1 or y + height >= survey.height or x + width >= survey.width:
            yield f"{_name(placement)} does not lie inside the border", y, x


def placement_overlap(survey: Survey) -> Iterator[Finding]:
    """No two placements share a cell.

    A placement of an encounter with a prefab owns all cells of its bounds. A placement without a prefab, or of a prefab that the
    map or its layout asked for, owns only the cells of its region, if it has one: other things may lie in the corners of its bounds.
    """
    level = survey.level
    if _bounds_are_disjoint(level.placements):
        return
    if _most_owners(level) < 2:
        return
    areas = [on_map(level, placement.bounds) for placement in level.placements]
    owners = np.zeros(level.region.shape, np.int32)
    for number, (placement, area) in enumerate(zip(level.placements, areas, strict=True), 1):
        cells, own = owners[area], _owned_cells(survey, placement, area)
        if (cells * own).any():
            other = level.placements[int((cells * own).max()) - 1]
            text = f"{_name(placement)} overlaps {_name(other)} at {other.bounds.y}, {other.bounds.x}"
            yield text, placement.bounds.y, placement.bounds.x
        np.copyto(cells, number, where=own)


def _bounds_are_disjoint(placements: Sequence[Placement]) -> bool:
    """Tell whether no two placements have overlapping bounds.

    More than `FEW` placements are not compared: the result is False, and the caller looks at their cells instead.
    """
    if len(placements) < 2 or len(placements) > FEW:
        return len(placements) < 2
    top, left, height, width = rects([placement.bounds for placement in placements]).T
    over = (top < (top + height)[:, None]) & (left < (left + width)[:, None])
    return int((over & over.T).sum()) <= len(placements)


def _most_owners(level: Level) -> int:
    """Return a number of placements that is at least that of the owners of any cell.

    It may be larger, because a placement that owns cells of its region is taken to own the whole region, beyond its bounds, too.
    """
    whole, regions = [], Counter[int]()
    for each in level.placements:
        if _owns_bounds(each):
            whole.append(each)
        else:
            regions[each.region] += 1
    counts = np.zeros(int(level.region.max()) + 1, np.int32)
    for region, count in regions.items():
        if 0 <= region < counts.size:
            counts[region] = count
    layers = counts[level.region]
    for each in whole:
        layers[on_map(level, each.bounds)] += 1
    return int(layers.max())


def _owns_bounds(placement: Placement) -> bool:
    """Tell whether a placement owns all cells of its bounds; else it owns those of its region (see `placement_overlap`)."""
    return not placement.scattered and (placement.encounter != "" or not placement.region)


def _owned_cells(survey: Survey, placement: Placement, area: tuple[slice, slice]) -> bool | NDArray[np.bool_]:
    """Return which cells of `area` a placement owns: True for all of them, else a bool array of the shape of `area`.

    Args:
        survey: The level.
        placement: The placement.
        area: The slices of the map that its bounds cover.
    """
    if _owns_bounds(placement):
        return True
    own: NDArray[np.bool_] = survey.level.region[area] == placement.region
    return own


def placement_copies(survey: Survey) -> Iterator[Finding]:
    """The n copies of an encounter have the numbers 1 to n, each once, in any order."""
    for name, copies in _encounters(survey).items():
        seen: set[int] = set()
        for placement in copies:
            if placement.copy in seen or not 1 <= placement.copy <= len(copies):
                text = f"copy number {placement.copy} of {name} is wrong or used twice: the level has {len(copies)} copies"
                yield text, placement.bounds.y, placement.bounds.x
            seen.add(placement.copy)


def placement_limit(survey: Survey) -> Iterator[Finding]:
    """No encounter has more copies than its limit."""
    for name, copies in _encounters(survey).items():
        for count, placement in enumerate(copies, 1):
            if placement.limit is not None and count > placement.limit:
                text = f"{name} has {len(copies)} copies, and its limit is {placement.limit}"
                yield text, placement.bounds.y, placement.bounds.x


def placement_group(survey: Survey) -> Iterator[Finding]:
    """At most one encounter of each exclusivity group is on the level."""
    holders: dict[str, str] = {}
    for name, copies in _encounters(survey).items():
        for group in {group: None for placement in copies for group in placement.groups}:
            holder = holders.setdefault(group, name)
            if holder != name:
                first = next(placement for placement in copies if group in placement.groups)
                text = f"{name} and {holder} are both on the level, and both in the group {group}"
                yield text, first.bounds.y, first.bounds.x


def placement_category(survey: Survey) -> Iterator[Finding]:
    """Every placement has a built-in category, or any other category together with a `tint` (every category of content has one)."""
    for placement in survey.level.placements:
        if placement.category not in CATEGORIES and not (placement.category and placement.tint):
            text = f"{_name(placement)} has the unknown category {placement.category!r}"
            yield text, placement.bounds.y, placement.bounds.x


def placement_region(survey: Survey) -> Iterator[Finding]:
    """Every placement names a region of the level, or 0 for none."""
    for placement in survey.level.placements:
        if placement.region and placement.region not in survey.regions:
            text = f"{_name(placement)} is in region {placement.region}, which does not exist"
            yield text, placement.bounds.y, placement.bounds.x


def placement_orientation(survey: Survey) -> Iterator[Finding]:
    """Every placement has one of the eight orientations; it is empty for a placement without a drawing."""
    for placement in survey.level.placements:
        if placement.orientation not in WAYS_TO_LIE and (placement.orientation or placement.prefab):
            text = f"{_name(placement)} has the unknown orientation {placement.orientation!r}"
            yield text, placement.bounds.y, placement.bounds.x


def marker_place(survey: Survey) -> Iterator[Finding]:
    """Every marker lies on the map, has a name or data, and names a placement of the level in whose bounds it lies, or none."""
    placements = survey.level.placements
    for marker in survey.level.markers:
        what = f"the marker {marker.name!r}"
        if survey.at(marker.y, marker.x) is None:
            yield f"{what} lies outside the map", marker.y, marker.x
        elif not marker.name and not marker.data:
            yield "a marker has neither a name nor data", marker.y, marker.x
        if marker.placement is None:
            continue
        if not 0 <= marker.placement < len(placements):
            text = f"{what} names placement {marker.placement}, and the level has {len(placements)}"
            yield text, marker.y, marker.x
        elif not placements[marker.placement].bounds.contains(marker.y, marker.x):
            yield (
                f"{what} lies outside its placement ({_name(placements[marker.placement])})",
                marker.y,
                marker.x,
            )


def light_outside(survey: Survey) -> Iterator[Finding]:
    """Every light lies on the map."""
    for light in survey.level.lights:
        if survey.at(light.y, light.x) is None:
            yield "a light lies outside the map", light.y, light.x


def light_radius(survey: Survey) -> Iterator[Finding]:
    """Every light has a radius of at least 1 cell."""
    for light in survey.level.lights:
        if light.radius < 1:
            yield f"a light has a radius of {light.radius} cells, and the least is 1", light.y, light.x


def _name(placement: Placement) -> str:
    """Return the name of a placement for messages: its encounter, else its prefab."""
    return placement.encounter or placement.prefab or "a placement"


def _encounters(survey: Survey) -> dict[str, list[Placement]]:
    """Return encounter name -> its placements; prefabs that the map itself asked for are left out."""
    found: dict[str, list[Placement]] = {}
    for placement in survey.level.placements:
        if placement.encounter:
            found.setdefault(placement.encounter, []).append(placement)
    return found


NEAR = 5
"""A follower stands at most this many rows and columns from its leader."""


def group_leader(survey: Survey) -> Iterator[Finding]:
    """Only robots belong to groups, and each group has exactly one leader."""
    for number, group in _groups(survey).items():
        for spawn in group:
            if spawn.like != "robot":
                yield f"{spawn.kind} {spawn.tag} belongs to group {number}, and is no robot", spawn.y, spawn.x
        leaders = [spawn for spawn in group if spawn.leads]
        if len(leaders) != 1:
            spawn = (*leaders, *group)[-1]
            yield f"group {number} has {len(leaders)} leaders, not one", spawn.y, spawn.x
    if any(survey.spawns.leads):
        for spawn in survey.level.spawns:
            if spawn.leads and not spawn.group:
                yield f"{spawn.tag} is a leader, and belongs to no group", spawn.y, spawn.x


def group_near(survey: Survey) -> Iterator[Finding]:
    """Every member of a group stands at most `NEAR` (5) rows and columns from the group's leader."""
    for group in _groups(survey).values():
        for leader in [spawn for spawn in group if spawn.leads][:1]:
            for spawn in group:
                if max(abs(spawn.y - leader.y), abs(spawn.x - leader.x)) > NEAR:
                    text = f"{spawn.tag} is more than {NEAR} cells from its leader {leader.tag}"
                    yield text, spawn.y, spawn.x


def patrol_walk(survey: Survey) -> Iterator[Finding]:
    """A patrol begins on its robot's cell, and steps lead from each of its cells to the next, through no locked door."""
    if not any(survey.spawns.patrol):
        return
    ground = survey.walkable & ~survey.stopped & (survey.base != t.LOCKED_DOOR)
    starts, _, piece = survey.pieces(ground)
    for spawn in survey.level.spawns:
        if not spawn.patrol:
            continue
        if spawn.like != "robot":
            yield f"{spawn.kind} {spawn.tag} has a patrol, and is no robot", spawn.y, spawn.x
        if tuple(spawn.patrol[0]) != (spawn.y, spawn.x):
            yield f"the patrol of {spawn.tag} does not begin on its own cell", spawn.y, spawn.x
        places = [survey.at(*cell) for cell in spawn.patrol]
        known = [place for place in places if place is not None and ground[place]]
        parts = piece[np.searchsorted(starts, known, side="right") - 1] if known else ()
        if len(known) < len(places) or len(set(map(int, parts))) > 1:
            yield f"{spawn.tag} can't reach all cells of its patrol", spawn.y, spawn.x


def spawn_loadout(survey: Survey) -> Iterator[Finding]:
    """Only robots and props have a loadout. A loadout consists of items on the holder's cell, and these items have no loadout."""
    if not any(survey.spawns.loadout):
        return
    for spawn in survey.level.spawns:
        if spawn.loadout and spawn.like not in ("robot", "prop"):
            yield f"{spawn.kind} {spawn.tag} has a loadout, and is no robot or prop", spawn.y, spawn.x
        for each in spawn.loadout:
            if each.like != "item":
                yield f"{spawn.tag} holds the {each.kind} {each.tag}, which is no item", spawn.y, spawn.x
            if each.loadout:
                yield f"{spawn.tag} holds {each.tag}, which has a loadout of its own", spawn.y, spawn.x
            if each.cells != ((spawn.y, spawn.x),) or (each.y, each.x) != (spawn.y, spawn.x):
                yield f"{spawn.tag} holds {each.tag}, which is on another cell", spawn.y, spawn.x


def _groups(survey: Survey) -> dict[int, list[Spawn]]:
    """Return group number -> the spawns of that group, in the order of `Level.spawns`."""
    found: dict[int, list[Spawn]] = {}
    if any(survey.spawns.group):
        for spawn in survey.level.spawns:
            if spawn.group:
                found.setdefault(spawn.group, []).append(spawn)
    return found
