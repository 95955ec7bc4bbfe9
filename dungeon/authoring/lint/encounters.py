"""Lint checks of encounters that never appear, and of maps without encounters. A form is one variant of an encounter; its company are the encounters that it `requires` or must be `near`."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

from dungeon.authoring.lint.subject import word_at
from dungeon.content.models.encounters import GroupsEntry
from dungeon.content.values.grammar import listed, number_at
from dungeon.core.registry import CAVES, LAYOUTS, PLACINGS, ROOMS, layouts_of
from dungeon.core.vocabulary import CATEGORIES, LANDMARKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dungeon.authoring.lint.subject import Path, Rules, Says, Subject
    from dungeon.content.models.encounters import EncounterEntry, EncounterForm
    from dungeon.content.models.maps import MapEntry
    from dungeon.core.parameters import Parameters
    from dungeon.core.registry import Layout, Size

SAYS: Says = {
    "warning": {
        "weight 0 everywhere": "this encounter never appears: its weight is 0 on each of its maps",
        "depth of no map": "this encounter never appears: its maps lie at {depths} only, where its 'depth' excludes it or its weight is 0",
        "too large": "prefab {prefab} ({size} cells) fits into no room of {maps}: the largest room has {largest} cells",
        "larger than the map": "prefab {prefab} ({size} cells) doesn't fit: the space on {maps} is at most {largest} cells",
        "group of one encounter": "this group has no effect: it contains no other encounter",
        "required encounter elsewhere": "this encounter never appears: none of its maps can have the encounter that it requires",
        "required encounter excluded": "this encounter never appears: because of 'requires', {one} and {other} would have to be on the same map, but {reason}",
        "near to excluded": "this encounter never appears: it must be near an encounter of this name, category or group, but 'group' or 'conflicts' keeps each of them off its map",
        "near and far": "this encounter never appears: 'near' allows at most this number of steps to {other}, but 'far_from', here or in the entry of the other encounter, demands more",
        "limit of 0": "this encounter never appears: its limit is 0",
        "least above most": "this minimum number of copies is too high: at most {most} are possible",
        "guaranteed without required": "no level of this map can be made: the encounter is guaranteed there, but {lacking}, which it requires or must be near, never appears there",
        "near to no encounter": "this encounter never appears: it must be near an encounter of this name, category or group, but none of its maps has one",
        "ambiguous word": "this name is ambiguous: it is the name of {things}, and means all of them",
        "fallback elsewhere": "the fallback encounter is never used: it has no map in common with this encounter",
        "no such zone": "none of this encounter's maps has a zone of this name",
        "map without sites": "the layout {layout} of map {map} makes no {places} in which encounters could be placed{needed_by}",
        "no encounter": "this map asks for encounters, but no encounter is possible on {map_id}",
        "unused map": "this type of map is never used: no map in 'world.yaml' can be of this type",
        "variant without weight": "this variant never appears: its weight is 0",
        "farther than the map": "this distance is too long: no two cells of the map ({size} cells at most) are that many steps apart",
    },
    "note": {
        "map limit too high": "this limit for one map has no effect: it is above the limit for the whole world, which is {world}",
        "required encounter missing": "the encounter never appears on this map, because {lacking}, which it requires or must be near, never appears there",
        "without its zones": "the encounter never appears on this map, because the map has none of the encounter's zones",
        "far from no encounter": "this distance has no effect: none of the encounter's maps has an encounter of this name, category or group",
        "size without effect": "'size' has no effect: the layout {layout} decides the size of the map",
    },
}
"""Severity -> check -> message, with placeholders in braces; `docs/checks.md` tells how to fix each."""


Kinds = tuple[str, ...]
SITES = (*ROOMS, *CAVES)
"""The kinds of region that encounters are placed in."""


def check_encounters(subject: Subject) -> None:
    """Check all encounters, and the maps that ask for them."""
    for name in subject.encounters:
        forms = subject.encounters[name].forms(name)
        if _can_appear(subject, name):
            lying = {tuple(map(form.at, ("prefabs", "placing", "access"))): form for form in forms}
            for form in lying.values():
                _check_room(subject, form, forms)
        for form in {form.at("zones"): form for form in forms}.values():
            _check_zones(subject, form)
        _check_maps_of_zones(subject, name)
        _check_variants(subject, name)
        _check_limit(subject, name)
        _check_company(subject, name)
    _check_groups(subject)
    for name in subject.maps:
        _check_map(subject, name)
    if subject.depths is not None:
        for name in subject.records["map"]:
            if name not in subject.depths:
                subject.say("unused map", subject.records["map"][name], key=True)


def _can_appear(subject: Subject, name: str) -> bool:
    """Tell whether an encounter is possible on any map; if not, report why."""
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    maps = [each for each, weight in entry.maps.items() if subject.ever(weight)]
    if not maps and any(each.fallback == name for each in subject.encounters.values()):
        return False  # it appears only as a fallback
    if not maps:
        subject.say("weight 0 everywhere", record, "maps", key=True)
        return False
    depths = sorted({depth for each in maps for depth in (subject.depths or {}).get(each, ())})
    if depths and not subject.places_of(name):
        said = depths_in_words(depths)
        if "depth" in record.fields:
            subject.say("depth of no map", record, "depth", value=record.fields["depth"], depths=said)
        else:  # its weights are 0 at the depths of its maps
            subject.say("depth of no map", record, "maps", key=True, depths=said)
        return False
    return True


def _check_variants(subject: Subject, name: str) -> None:
    """Report variants of an encounter that have the weight 0 and so are never chosen."""
    for variant, said in subject.encounters[name].variants.items():
        if not subject.ever(said.weight):
            record = subject.records["encounter"][name]
            subject.say("variant without weight", record, "variants", variant, "weight", value=said.weight)


def _check_zones(subject: Subject, form: EncounterForm) -> None:
    """Report zones that none of the encounter's maps has."""
    entry, record = form.entry, subject.records["encounter"][form.encounter]
    if not all(each in subject.maps for each in entry.maps):
        return  # an invalid map may be meant to have the zone
    known = {zone for each in entry.maps for zone in _zones_on(subject, each)}
    for zone in entry.zones:
        if zone not in known:
            path = word_at(record, form.at("zones"), zone)
            subject.say("no such zone", record, *path, value=zone, allowed=known)


def _check_maps_of_zones(subject: Subject, name: str) -> None:
    """Report maps that have none of the zones of an encounter, if other maps of it have them."""
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    sets = [{*form.entry.zones} for form in entry.forms(name)]
    if not all(sets) or not all(each in subject.maps for each in entry.maps):
        return
    without = [each for each in entry.maps if all(map(_zones_on(subject, each).keys().isdisjoint, sets))]
    for map_name in without if len(without) < len(entry.maps) else ():
        subject.say("without its zones", record, "maps", map_name, key=True, value=map_name)


def _zones_on(subject: Subject, map_name: str) -> Mapping[str, Any]:
    return subject.maps[map_name].layout.params.named_zones()


def _check_limit(subject: Subject, name: str) -> None:
    limit, record = subject.encounters[name].limit, subject.records["encounter"][name]
    most = limit.map if limit.world is None else max(limit.world.outcomes())
    if limit.map is not None and most is not None and limit.map > most:
        subject.say("map limit too high", record, "limit", "map", value=limit.map, world=most)


def _check_company(subject: Subject, name: str) -> None:
    """Report the `requires` and the `fallback` of an encounter where they name an encounter that never shares a map with it."""
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    for other in entry.requires:
        if other in subject.encounters and not _may_meet(subject, entry, subject.encounters[other]):
            subject.say(
                "required encounter elsewhere", record, *word_at(record, ("requires",), other), value=other
            )
    stand_in = subject.encounters.get(entry.fallback or "")
    if stand_in is not None and entry.maps.keys().isdisjoint(stand_in.maps):
        subject.say("fallback elsewhere", record, "fallback", value=entry.fallback)


def _may_meet(subject: Subject, entry: EncounterEntry, other: EncounterEntry) -> bool:
    """Return whether some map at some depth may have both encounters."""
    low, high = max(entry.depth[0], other.depth[0]), min(entry.depth[1], other.depth[1])
    shared = [each for each in entry.maps if each in other.maps]
    if subject.depths is None:
        return bool(shared) and low <= high
    depths = {depth for each in shared for depth in subject.depths.get(each, (low,))}
    return any(low <= depth <= high for depth in depths)


def _check_groups(subject: Subject) -> None:
    """Report groups with a single encounter."""
    if not subject.all_sound("encounter"):
        return
    for scope in GroupsEntry.model_fields:
        groups: dict[str, list[str]] = {}
        for name, entry in subject.encounters.items():
            for group in getattr(entry.group, scope):
                groups.setdefault(group, []).append(name)
        for group, names in groups.items():
            if len(names) > 1:
                continue
            record = subject.records["encounter"][names[0]]
            said = record.fields["group"]
            path: tuple[str, ...] = ("group", scope) if isinstance(said, dict) else ("group",)
            said = record.part(*path)
            at: Path = (*path, said.index(group)) if isinstance(said, list) else path
            subject.say("group of one encounter", record, *at, value=group, allowed=groups.keys() - {group})


# -- room ---------------------------------------------------------------------------------------


def _check_room(subject: Subject, form: EncounterForm, forms: Iterable[EncounterForm]) -> None:
    """Report prefabs of an encounter that are larger than the largest room of all its maps, and maps without rooms or caves for it.

    A map is not reported if another of the encounter's `forms` finds space there, and this form on another map.
    """
    entry, record = form.entry, subject.records["encounter"][form.encounter]
    maps = [each for each, weight in entry.maps.items() if subject.ever(weight)]
    mode = PLACINGS[entry.placing.name]
    largest: dict[str, tuple[bool, Size]] = {}
    without: list[str] = []
    for each in maps:
        if each not in subject.maps:
            return  # an invalid map may be meant to have larger rooms
        known, size = largest_space(subject.maps[each], mode.kinds)
        if size != (0, 0) and _may_dig(subject.maps[each], entry):
            known, size = False, _whole(subject.maps[each])
        if known and size == (0, 0):
            without.append(each)
        else:
            largest[each] = known, size
    modes = [PLACINGS[other.entry.placing.name] for other in forms if subject.ever(other.weight)]
    for each in without:
        if largest and any(largest_space(subject.maps[each], other.kinds)[1] != (0, 0) for other in modes):
            continue
        layout, places = subject.maps[each].layout.name, _places(mode.kinds)
        subject.say(
            "map without sites",
            record,
            *("maps", each),
            key=True,
            value=each,
            map=each,
            layout=layout,
            places=places,
            needed_by=_needing(form),
        )
    if not largest:
        return
    for prefab in subject.prefabs_of_form(form):
        sizes = subject.prefabs[prefab].sizes
        if any(fits_into(size, space) for size in sizes for _, space in largest.values()):
            continue
        word = next(word for word in entry.prefabs if prefab in subject.called.get(word, ()))
        known = all(known for known, _ in largest.values())
        space = max(space for _, space in largest.values())
        subject.say(
            "too large" if known else "larger than the map",
            record,
            *word_at(record, form.at("prefabs"), word),
            prefab=repr(prefab),
            size=f"{subject.prefabs[prefab].width}x{subject.prefabs[prefab].height}",
            maps=("map " if len(largest) == 1 else "the maps ") + listed([*largest]),
            largest=f"{space[1]}x{space[0]}",
        )


def _may_dig(entry: MapEntry, encounter: EncounterEntry) -> bool:
    """Return whether an annex (a room dug beside a corridor) may be dug on a map for an encounter that fits nowhere else."""
    mode = PLACINGS[encounter.placing.name]
    _, high = encounter.access or mode.access
    return entry.annexes and mode.annex is not None and high > 0


def _whole(entry: MapEntry) -> Size:
    """Return the maximum (height, width) of a map; 2**30 each if its layout decides the size."""
    if LAYOUTS[entry.layout.name].brings_size:
        return 1 << 30, 1 << 30
    return entry.size.most


def largest_space(entry: MapEntry, kinds: Kinds) -> tuple[bool, Size]:
    """Return (known, (height, width)) of the largest space that encounters find in regions of these kinds on a map.

    Args:
        entry: The map.
        kinds: Kinds of regions, such as ``room`` and ``cave``.

    Returns:
        If `known` is False, the size is only an upper bound: the whole map. That is so for caves, as a prefab placed in
        one may reach beyond it. (True, (0, 0)) means that the map has no such region.
    """
    found = [
        _largest_space_of(*each, _whole(entry), kinds)
        for each in layouts_of(entry.layout.name, entry.layout.params)
    ]
    sizes = [size for _, size in found]
    return all(known for known, _ in found), (max(y for y, _ in sizes), max(x for _, x in sizes))


def _largest_space_of(
    layout: Layout[Any], params: Parameters, whole: Size, kinds: Kinds
) -> tuple[bool, Size]:
    """Return what `largest_space` returns, for one layout on an area of at most `whole` (height, width)."""
    if layout.kinds is not None and not set(kinds) & set(layout.kinds):
        return True, (0, 0)
    room = layout.largest_room(params, whole)
    if room is not None and kinds == ROOMS:
        return True, room
    return False, whole


def _places(kinds: Kinds) -> str:
    return " or ".join(f"{kind}s" for kind in kinds)


def _needing(form: EncounterForm) -> str:
    """Return in words which placing mode of an encounter needs a kind of places, and in which variant."""
    mode = f"the placing mode '{form.entry.placing.name}'"
    return f"; {mode} of variant '{form.variant}' needs them" if form.variant else f"; {mode} needs them"


def fits_into(size: Size, space: Size) -> bool:
    """Tell whether a (height, width) fits into a space of this (height, width)."""
    return size[0] <= space[0] and size[1] <= space[1]


# -- maps ---------------------------------------------------------------------------------------


def _check_map(subject: Subject, name: str) -> None:
    """Report a map that asks for encounters but has no place for them, or for which none is possible; and a `size` without effect."""
    entry, record = subject.maps[name], subject.records["map"][name]
    layout = entry.layout.name
    if "size" in record.fields and LAYOUTS[layout].brings_size:
        subject.say("size without effect", record, "size", key=True, value="size", layout=layout)
    if not any(entry.encounters.outcomes()):
        return
    if largest_space(entry, SITES) == (True, (0, 0)):
        subject.say(
            "map without sites",
            record,
            "encounters",
            key=True,
            value="encounters",
            map=name,
            layout=layout,
            places=_places(SITES),
            needed_by="",
        )
        return
    for map_id, depth in subject.ids_of(name) if subject.all_sound("encounter") else ():
        if not any((name, depth) in subject.places_of(each) for each in subject.encounters):
            subject.say("no encounter", record, "encounters", key=True, value="encounters", map_id=map_id)


# -- words --------------------------------------------------------------------------------------


def depths_in_words(depths: Iterable[int]) -> str:
    """Return depths in words: ``depth 1``, ``depths 1 and 3``."""
    words = [str(depth) for depth in depths]
    return f"depth{'' if len(words) == 1 else 's'} {listed(words)}"


BORDER = 2
"""Number of rows, and of columns, on the closed border of a map."""


def check_relations(subject: Subject) -> None:
    """Check the relations of encounters: limits, distances, required and excluded encounters."""
    for name in subject.encounters:
        _check_exclusion(subject, name)
        _check_limits_of_company(subject, name)
        _check_far(subject, name)
        if subject.all_sound("encounter"):
            _check_near(subject, name)
            _check_distances(subject, name)
            _check_missing_company(subject, name)


def _check_exclusion(subject: Subject, name: str) -> None:
    """Report an encounter that can't be on one map with all that it requires, as two of these exclude each other."""
    entry = subject.encounters[name]
    needed = {word: _with_required(subject, word) for word in entry.requires}
    for one, other in combinations(
        dict.fromkeys([name, *(each for all_ in needed.values() for each in all_)]), 2
    ):
        if any(one in each and other in each for each in needed.values()):
            continue  # reported for the required encounter itself
        reason = _exclusion(subject, one, other)
        if reason:
            record = subject.records["encounter"][name]
            word = next(word for word, each in needed.items() if other in each)
            first = "it" if one == name else one
            at = word_at(record, ("requires",), word)
            subject.say(
                "required encounter excluded", record, *at, value=word, one=first, other=other, reason=reason
            )
            return


def _with_required(subject: Subject, name: str) -> list[str]:
    """Return an encounter and all valid encounters that it requires, directly or not."""
    found = [name] if name in subject.encounters else []
    for each in found:  # `found` grows during the iteration
        required = subject.encounters[each].requires
        found += [other for other in required if other in subject.encounters and other not in found]
    return found


def _exclusion(subject: Subject, one: str, other: str) -> str:
    """Return why two encounters can't be on the same map, such as ``they conflict``; an empty text if they can."""
    first, second = subject.encounters[one], subject.encounters[other]
    if other in first.conflicts or one in second.conflicts:
        return "they conflict"
    for scope in GroupsEntry.model_fields:
        for group in getattr(first.group, scope):
            if group in getattr(second.group, scope):
                return f"both are in the group {group!r}"
    return ""


def _check_limits_of_company(subject: Subject, name: str) -> None:
    """Report an encounter whose `limit` is 0, or whose `least` number of copies is above what its limits allow."""
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    for scope in ("branch", "world"):
        limit = getattr(entry.limit, scope)
        if limit is not None and max(limit.outcomes()) == 0:
            subject.say("limit of 0", record, "limit", scope, value=0)
            return
    places = subject.places_of(name)
    if entry.least.map and places and not entry.guaranteed:
        most = max(_most_on(subject, entry, *place) for place in places)
        if most < entry.least.map:
            subject.say("least above most", record, "least", "map", value=entry.least.map, most=int(most))
    if entry.least.world is not None and places:
        ids = [map_id for place in places for map_id in subject.ids[place]]
        most = math.inf if entry.limit.map is None else entry.limit.map * len(ids)
        if entry.limit.branch is not None:
            branches = {map_id.rsplit("/", 1)[0] for map_id in ids}
            most = min(most, max(entry.limit.branch.outcomes()) * len(branches))
        if most < entry.least.world:
            subject.say("least above most", record, "least", "world", value=entry.least.world, most=int(most))


def _most_on(subject: Subject, entry: EncounterEntry, map_name: str, depth: int) -> float:
    """Return the largest number of copies that an encounter may have on one map at a depth; its `limit.map` is not counted.

    It is the smallest of: the encounter's branch and world limits, the map's number of `encounters`, and the maximum of the
    encounter's category in the map's `mix`. Infinity if there is none of them. (The model checks `limit.map` against `least`.)
    """
    limits: list[float] = [
        max(each.outcomes()) for each in (entry.limit.branch, entry.limit.world) if each is not None
    ]
    if map_name in subject.maps:
        there = subject.maps[map_name]
        limits.append(max(number_at(there.encounters, depth).outcomes()))
        limits.append(there.mix.get(entry.category, (0, math.inf))[1])
    return min(limits, default=math.inf)


def _check_far(subject: Subject, name: str) -> None:
    """Report a `far_from` distance that is longer than any path on the encounter's maps.

    A path has walls beside it, so it covers at most half of the cells of a map.
    """
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    if not all(each in subject.maps for each in entry.maps):
        return
    layouts = [LAYOUTS[subject.maps[each].layout.name] for each in entry.maps]
    if any(layout.brings_size for layout in layouts):
        return
    height, width = max((subject.maps[each].size.most for each in entry.maps), key=math.prod)
    most = max(math.prod(side - BORDER for side in subject.maps[each].size.most) for each in entry.maps) // 2
    for word, steps in entry.far_from.items():
        if steps > most:
            size = f"{width}x{height}"
            subject.say("farther than the map", record, "far_from", word, value=steps, size=size)


def _check_near(subject: Subject, name: str) -> None:
    """Report each name under an encounter's `near` whose distance can't be kept.

    A name stands for an encounter, or for all encounters of a category or group. It is reported in two cases: `group` or
    `conflicts` keeps all of these off the map; or `far_from`, of this encounter or of the other one, demands more steps
    between this encounter and each of them than `near` allows.
    """
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    needed = _with_required(subject, name)
    for word, steps in entry.near.items():
        those = [
            each
            for each, other in subject.encounters.items()
            if other.goes_by(each, word) and not entry.maps.keys().isdisjoint(other.maps)
        ]
        if word in LANDMARKS or not [each for each in those if each != name]:
            continue  # no such encounter at all: reported by `_check_distances`
        able = [
            each
            for each in those
            if each != name and not any(_exclusion(subject, each, one) for one in needed)
        ]
        if not able:
            subject.say("near to excluded", record, "near", word, key=True, value=word)
        elif all(steps < max(_distances(subject, name, each), default=0) for each in able):
            subject.say("near and far", record, "near", word, value=steps, other=word)


def _distances(subject: Subject, one: str, other: str) -> Iterator[int]:
    """Yield the numbers of steps that `far_from` demands between two encounters: first by the entry of `one`, then by that of `other`."""
    first, second = subject.encounters[one], subject.encounters[other]
    yield from (steps for word, steps in first.far_from.items() if second.goes_by(other, word))
    yield from (steps for word, steps in second.far_from.items() if first.goes_by(one, word))


def _check_missing_company(subject: Subject, name: str) -> None:
    """Report maps on which an encounter never appears because an encounter that it `requires` or must be `near` never does."""
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    words = [*entry.requires, *(word for word in entry.near if word not in LANDMARKS)]
    lacking: dict[str, list[list[str]]] = {}
    for map_name, depth in subject.places_of(name) if words else ():
        lacks = [word for word in words if not _is_possible(subject, word, map_name, depth)]
        lacking.setdefault(map_name, []).append(lacks)
    never = {map_name: lacks[0][0] for map_name, lacks in lacking.items() if all(lacks)}
    must_come = entry.guaranteed and entry.limit.world is None
    if must_come or len(never) < len(lacking):  # if it is so on all of its maps, other checks report it
        check = "guaranteed without required" if must_come else "required encounter missing"
        for map_name, word in never.items():
            subject.say(check, record, "maps", map_name, key=True, value=map_name, lacking=word)


def _is_possible(subject: Subject, word: str, map_name: str, depth: int) -> bool:
    """Tell whether some encounter with the name, category or group `word` lists this map, with a `depth` range that includes `depth`."""
    for name, entry in subject.encounters.items():
        low, high = entry.depth
        if entry.goes_by(name, word) and map_name in entry.maps and low <= depth <= high:
            return True
    return False


def _things_called(subject: Subject, word: str) -> list[str]:
    """Return what has the name `word`, such as ``['an encounter', 'a group']``: the stairs, an encounter, a category, a group."""
    groups = {
        group
        for entry in subject.encounters.values()
        for scope in (entry.group.map, entry.group.branch, entry.group.world)
        for group in scope
    }
    known = {
        "the stairs": LANDMARKS,
        "an encounter": subject.encounters,
        "a category": (*CATEGORIES, *subject.records["category"]),
        "a group": groups,
    }
    return [what for what, names in known.items() if word in names]


def _check_distances(subject: Subject, name: str) -> None:
    """Report each name under `far_from` and `near` that no encounter on the same maps has, or that names things of two kinds."""
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    for key, check in (("far_from", "far from no encounter"), ("near", "near to no encounter")):
        for word in getattr(entry, key):
            those = [each for each, other in subject.encounters.items() if other.goes_by(each, word)]
            maps = {each for other in those for each in subject.encounters[other].maps}
            alone = those == [name] and (key == "near" or entry.limit.map == 1)
            things = _things_called(subject, word)
            if len(things) > 1 and word not in LANDMARKS:
                subject.say(
                    "ambiguous word", record, key, word, key=True, value=word, things=" and ".join(things)
                )
            if word not in LANDMARKS and (alone or maps.isdisjoint(entry.maps)):
                subject.say(check, record, key, word, key=True, value=word)


RULES: Rules = (check_encounters, check_relations)
