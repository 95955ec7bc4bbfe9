"""Rules about what was put into the level: spawns, groups, patrols and loadouts, placements and lights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import with_article
from dungeon.core.vocabulary import CATEGORIES, SPAWN_KINDS
from dungeon.proof.flat import base_name, on_map, rects

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.level.model import Placement, Spawn
    from dungeon.proof.fields import Finding
    from dungeon.proof.survey import Survey


FEW = 60
"""Of so many placements each is compared with each."""

WAYS_TO_LIE = tuple(f"{turn}{angle}" for turn in "rm" for angle in (0, 90, 180, 270))
"""Turned, or mirrored first and then turned."""


def spawn_kind(survey: Survey) -> Iterator[Finding]:
    """Every spawn is of one of the five kinds, or of one that the level knows to be like one of them."""
    own = survey.level.own_kinds
    found = {*zip(survey.spawns.kind, survey.spawns.like, strict=True)}
    wrong = {(kind, like) for kind, like in found if like not in SPAWN_KINDS or own.get(kind, kind) != like}
    for spawn in survey.level.spawns if wrong else ():
        if (spawn.kind, spawn.like) in wrong:
            like = f", and like {with_article(spawn.like)}" if spawn.like != spawn.kind else ""
            yield f"{spawn.tag} is of the kind {spawn.kind!r}{like}, which there is not", spawn.y, spawn.x


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
    """A spawn's own cell is among the cells it covers, and it covers each once."""
    for spawn in survey.level.spawns:
        if (spawn.y, spawn.x) not in spawn.cells:
            yield f"{spawn.kind} {spawn.tag} does not cover its own cell", spawn.y, spawn.x
        elif len(spawn.cells) > 1 and len(set(spawn.cells)) < len(spawn.cells):
            yield f"{spawn.kind} {spawn.tag} covers a cell twice", spawn.y, spawn.x


def spawn_glyphs(survey: Survey) -> Iterator[Finding]:
    """A machine has a glyph for each of its cells; anything else has none."""
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
    """No item, trap, debris or robot is under something that blocks and never moves."""
    standing = survey.standing
    for each in (survey.stopped[standing.place] & ~survey.blocking[standing.owner]).nonzero()[0].tolist():
        spawn, place = survey.level.spawns[standing.owner[each]], int(standing.place[each])
        if spawn.like != "prop":
            yield survey.finding(f"{spawn.kind} {spawn.tag} is under {survey.obstacles[place].tag}", place)


def spawn_placement(survey: Survey) -> Iterator[Finding]:
    """A spawn lies within the placement that it came with, or elsewhere in its region: content is scattered there."""
    spawns, placements = survey.level.spawns, survey.level.placements
    edges = [(y, x, y + height, x + width) for y, x, height, width in (each.bounds for each in placements)]
    for index, number in enumerate(survey.spawns.placement):
        if number is None:
            continue
        spawn = spawns[index]
        if not 0 <= number < len(edges):
            text = f"{spawn.kind} {spawn.tag} came with placement {number} of {len(edges)}"
            yield text, spawn.y, spawn.x
            continue
        top, left, bottom, right = edges[number]
        for y, x in spawn.cells:
            if top <= y < bottom and left <= x < right:
                continue
            place, placement = survey.at(y, x), placements[number]
            if place is None or not 0 < placement.region == survey.region.item(place):
                yield f"{spawn.kind} {spawn.tag} lies outside its placement ({_name(placement)})", y, x


def placement_bounds(survey: Survey) -> Iterator[Finding]:
    """A placement covers something, inside the border of the map."""
    for placement in survey.level.placements:
        y, x, height, width = placement.bounds
        if height < 1 or width < 1:
            yield f"{_name(placement)} covers {height}x{width} cells", y, x
        elif y < 1 or x < 1 or y + height >= survey.height or x + width >= survey.width:
            yield f"{_name(placement)} does not lie inside the border", y, x


def placement_overlap(survey: Survey) -> Iterator[Finding]:
    """No two placements share a cell; one without a prefab, and one of the map's own, has the cells of its region.

    A prefab that the map has grown around may be of any shape, and leave the corners of its bounds to the map.
    """
    level = survey.level
    if _are_apart(level.placements):
        return
    areas = [on_map(level, placement.bounds) for placement in level.placements]
    layers = np.zeros(level.region.shape, np.int32)
    for placement, area in zip(level.placements, areas, strict=True):
        layers[area] += _own(survey, placement, area)
    if layers.max() < 2:
        return
    owners = np.zeros(level.region.shape, np.int32)
    for number, (placement, area) in enumerate(zip(level.placements, areas, strict=True), 1):
        cells, own = owners[area], _own(survey, placement, area)
        if (cells * own).any():
            other = level.placements[int((cells * own).max()) - 1]
            text = f"{_name(placement)} overlaps {_name(other)} at {other.bounds.y}, {other.bounds.x}"
            yield text, placement.bounds.y, placement.bounds.x
        np.copyto(cells, number, where=own)


def _are_apart(placements: Sequence[Placement]) -> bool:
    """Tell whether the bounds of placements, if they are few, do not overlap; of many it is quicker to draw them."""
    if len(placements) < 2 or len(placements) > FEW:
        return len(placements) < 2
    top, left, height, width = rects([placement.bounds for placement in placements]).T
    over = (top < (top + height)[:, None]) & (left < (left + width)[:, None])
    return int((over & over.T).sum()) <= len(placements)


def _own(survey: Survey, placement: Placement, area: tuple[slice, slice]) -> bool | NDArray[np.bool_]:
    """Return which cells of its bounds a placement has."""
    if not placement.scattered and (placement.encounter != "" or not placement.region):
        return True
    own: NDArray[np.bool_] = survey.level.region[area] == placement.region
    return own


def placement_copies(survey: Survey) -> Iterator[Finding]:
    """The copies of an encounter are numbered 1..n, in any order."""
    for name, copies in _encounters(survey).items():
        seen: set[int] = set()
        for placement in copies:
            if placement.copy in seen or not 1 <= placement.copy <= len(copies):
                text = f"{name} has a copy {placement.copy} among {len(copies)}"
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
    """One encounter at most of each exclusivity group is on the level."""
    holders: dict[str, str] = {}
    for name, copies in _encounters(survey).items():
        for group in {group: None for placement in copies for group in placement.groups}:
            holder = holders.setdefault(group, name)
            if holder != name:
                first = next(placement for placement in copies if group in placement.groups)
                text = f"{name} shares the level with {holder} of the group {group}"
                yield text, first.bounds.y, first.bounds.x


def placement_category(survey: Survey) -> Iterator[Finding]:
    """Every placement has one of the four categories, or one to which the content gives a colour."""
    for placement in survey.level.placements:
        if placement.category not in CATEGORIES and not (placement.category and placement.tint):
            text = f"{_name(placement)} has the category {placement.category!r}"
            yield text, placement.bounds.y, placement.bounds.x


def placement_region(survey: Survey) -> Iterator[Finding]:
    """Every placement names a region of the level, or 0 for none."""
    for placement in survey.level.placements:
        if placement.region and placement.region not in survey.regions:
            text = f"{_name(placement)} is in region {placement.region}, which there is not"
            yield text, placement.bounds.y, placement.bounds.x


def placement_orientation(survey: Survey) -> Iterator[Finding]:
    """Every placement lies in one of the eight ways; without a drawing it may lie in none."""
    for placement in survey.level.placements:
        if placement.orientation not in WAYS_TO_LIE and (placement.orientation or placement.prefab):
            text = f"{_name(placement)} has the orientation {placement.orientation!r}"
            yield text, placement.bounds.y, placement.bounds.x


def light_outside(survey: Survey) -> Iterator[Finding]:
    """Every light lies on the map."""
    for light in survey.level.lights:
        if survey.at(light.y, light.x) is None:
            yield "a light lies outside the map", light.y, light.x


def light_radius(survey: Survey) -> Iterator[Finding]:
    """Every light reaches somewhere."""
    for light in survey.level.lights:
        if light.radius < 1:
            yield f"a light reaches {light.radius} cells", light.y, light.x


def _name(placement: Placement) -> str:
    return placement.encounter or placement.prefab or "a placement"


def _encounters(survey: Survey) -> dict[str, list[Placement]]:
    """Return the placements of each encounter; what the map itself asked for is none."""
    found: dict[str, list[Placement]] = {}
    for placement in survey.level.placements:
        if placement.encounter:
            found.setdefault(placement.encounter, []).append(placement)
    return found


NEAR = 5
"""So many rows and columns at most lie between a leader and who follows it."""


def group_leader(survey: Survey) -> Iterator[Finding]:
    """Who belongs to a group is a robot, and each group has one leader."""
    for number, group in _groups(survey).items():
        for spawn in group:
            if spawn.like != "robot":
                yield f"{spawn.kind} {spawn.tag} belongs to group {number}", spawn.y, spawn.x
        leaders = [spawn for spawn in group if spawn.leads]
        if len(leaders) != 1:
            spawn = (*leaders, *group)[-1]
            yield f"group {number} has {len(leaders)} leaders", spawn.y, spawn.x
    if any(survey.spawns.leads):
        for spawn in survey.level.spawns:
            if spawn.leads and not spawn.group:
                yield f"{spawn.tag} leads no group", spawn.y, spawn.x


def group_near(survey: Survey) -> Iterator[Finding]:
    """Whoever follows a leader stands near it, five rows or columns off at most."""
    for group in _groups(survey).values():
        for leader in [spawn for spawn in group if spawn.leads][:1]:
            for spawn in group:
                if max(abs(spawn.y - leader.y), abs(spawn.x - leader.x)) > NEAR:
                    yield f"{spawn.tag} follows {leader.tag} from afar", spawn.y, spawn.x


def patrol_walk(survey: Survey) -> Iterator[Finding]:
    """A patrol begins where its robot stands, and leads on foot from place to place, through no locked door."""
    if not any(survey.spawns.patrol):
        return
    ground = survey.walkable & ~survey.stopped & (survey.base != t.LOCKED_DOOR)
    starts, _, piece = survey.pieces(ground)
    for spawn in survey.level.spawns:
        if not spawn.patrol:
            continue
        if spawn.like != "robot":
            yield f"{spawn.kind} {spawn.tag} is on patrol", spawn.y, spawn.x
        if tuple(spawn.patrol[0]) != (spawn.y, spawn.x):
            yield f"the patrol of {spawn.tag} begins elsewhere", spawn.y, spawn.x
        places = [survey.at(*cell) for cell in spawn.patrol]
        known = [place for place in places if place is not None and ground[place]]
        parts = piece[np.searchsorted(starts, known, side="right") - 1] if known else ()
        if len(known) < len(places) or len(set(map(int, parts))) > 1:
            yield f"{spawn.tag} can't go where its patrol leads", spawn.y, spawn.x


def spawn_loadout(survey: Survey) -> Iterator[Finding]:
    """Only robots and props hold anything, and that is items, on their own cell, which hold nothing themselves."""
    if not any(survey.spawns.loadout):
        return
    for spawn in survey.level.spawns:
        if spawn.loadout and spawn.like not in ("robot", "prop"):
            yield f"{spawn.kind} {spawn.tag} holds something", spawn.y, spawn.x
        for each in spawn.loadout:
            if each.like != "item":
                yield f"{spawn.tag} holds the {each.kind} {each.tag}", spawn.y, spawn.x
            if each.loadout:
                yield f"{spawn.tag} holds {each.tag}, which holds something", spawn.y, spawn.x
            if each.cells != ((spawn.y, spawn.x),) or (each.y, each.x) != (spawn.y, spawn.x):
                yield f"{spawn.tag} holds {each.tag}, which is elsewhere", spawn.y, spawn.x


def _groups(survey: Survey) -> dict[int, list[Spawn]]:
    """Return the groups of spawns by their numbers."""
    found: dict[int, list[Spawn]] = {}
    if any(survey.spawns.group):
        for spawn in survey.level.spawns:
            if spawn.group:
                found.setdefault(spawn.group, []).append(spawn)
    return found
