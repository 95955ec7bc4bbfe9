"""Encounters that never come up, and maps that get none: weights, depths, limits, and sizes of rooms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dungeon.authoring.lint.subject import word_at
from dungeon.content.models.encounters import Groups
from dungeon.core.registry import CAVES, LAYOUTS, PLACINGS, ROOMS, layouts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dungeon.authoring.lint.subject import Path, Subject
    from dungeon.content.models.encounters import EncounterEntry, Form
    from dungeon.content.models.entries import MapEntry
    from dungeon.core.parameters import Parameters
    from dungeon.core.registry import Layout, Size

Kinds = tuple[str, ...]
SITES = (*ROOMS, *CAVES)
"""The kinds of region that encounters are placed in."""


def look_over(subject: Subject) -> None:
    """Say what is doubtful about encounters and maps."""
    for name in subject.encounters:
        forms = subject.encounters[name].forms(name)
        if _comes_up(subject, name):
            lying = {tuple(map(form.at, ("prefabs", "placing", "access"))): form for form in forms}
            for form in lying.values():
                _look_for_room(subject, form)
        for form in {form.at("zones"): form for form in forms}.values():
            _look_at_zones(subject, form)
        _look_at_maps_of_zones(subject, name)
        _look_at_variants(subject, name)
        _look_at_limit(subject, name)
        _look_at_company(subject, name)
    _look_at_groups(subject)
    for name in subject.maps:
        _look_at_map(subject, name)
    if subject.depths is not None:
        for name in subject.records["map"]:
            if name not in subject.depths:
                subject.say("unused map", subject.records["map"][name], key=True)


def _comes_up(subject: Subject, name: str) -> bool:
    """Tell whether an encounter is possible anywhere; say so if not."""
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    maps = [each for each, weight in entry.maps.items() if subject.ever(weight)]
    if not maps and any(each.fallback == name for each in subject.encounters.values()):
        return False  # it comes as a stand-in
    if not maps:
        subject.say("weight 0 everywhere", record, "maps", key=True)
        return False
    depths = sorted({depth for each in maps for depth in (subject.depths or {}).get(each, ())})
    if depths and not subject.visits_of(name):
        said = depths_in_words(depths)
        if "depth" in record.fields:
            subject.say("depth of no map", record, "depth", value=record.fields["depth"], depths=said)
        else:  # its weights are 0 at these depths
            subject.say("depth of no map", record, "maps", key=True, depths=said)
        return False
    return True


def _look_at_variants(subject: Subject, name: str) -> None:
    """Say which variants never come up."""
    for variant, said in subject.encounters[name].variants.items():
        if not subject.ever(said.weight):
            record = subject.records["encounter"][name]
            subject.say("variant without weight", record, "variants", variant, "weight", value=said.weight)


def _look_at_zones(subject: Subject, form: Form) -> None:
    """Say which zones none of the encounter's maps has."""
    entry, record = form.entry, subject.records["encounter"][form.encounter]
    if not all(each in subject.maps for each in entry.maps):
        return  # one that is not valid may be meant to have it
    known = {zone for each in entry.maps for zone in _zones_on(subject, each)}
    for zone in entry.zones:
        if zone not in known:
            path = word_at(record, form.at("zones"), zone)
            subject.say("no such zone", record, *path, value=zone, allowed=known)


def _look_at_maps_of_zones(subject: Subject, name: str) -> None:
    """Say which maps of an encounter have none of the zones of any of its forms, if others have."""
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    sets = [{*form.entry.zones} for form in entry.forms(name)]
    if not all(sets) or not all(each in subject.maps for each in entry.maps):
        return
    without = [each for each in entry.maps if all(map(_zones_on(subject, each).keys().isdisjoint, sets))]
    for map_name in without if len(without) < len(entry.maps) else ():
        subject.say("without its zones", record, "maps", map_name, key=True, value=map_name)


def _zones_on(subject: Subject, map_name: str) -> Mapping[str, Any]:
    return subject.maps[map_name].layout.params.named_zones()


def _look_at_limit(subject: Subject, name: str) -> None:
    limit, record = subject.encounters[name].limit, subject.records["encounter"][name]
    most = limit.map if limit.world is None else max(limit.world.outcomes())
    if limit.map is not None and most is not None and limit.map > most:
        subject.say("map limit above world limit", record, "limit", "map", value=limit.map, world=most)


def _look_at_company(subject: Subject, name: str) -> None:
    """Say which others, without which it does not come or that stand in for it, are never where it is."""
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    for other in entry.requires:
        if other in subject.encounters and not _may_meet(subject, entry, subject.encounters[other]):
            subject.say("required elsewhere", record, *word_at(record, ("requires",), other), value=other)
    stand_in = subject.encounters.get(entry.fallback or "")
    if stand_in is not None and entry.maps.keys().isdisjoint(stand_in.maps):
        subject.say("stand-in elsewhere", record, "fallback", value=entry.fallback)


def _may_meet(subject: Subject, entry: EncounterEntry, other: EncounterEntry) -> bool:
    """Tell whether two encounters may be on one map, by the maps that they list and their depths."""
    low, high = max(entry.depth[0], other.depth[0]), min(entry.depth[1], other.depth[1])
    shared = [each for each in entry.maps if each in other.maps]
    if subject.depths is None:
        return bool(shared) and low <= high
    depths = {depth for each in shared for depth in subject.depths.get(each, (low,))}
    return any(low <= depth <= high for depth in depths)


def _look_at_groups(subject: Subject) -> None:
    """Say which groups keep nothing apart, as one encounter is alone in them."""
    if not subject.all_right("encounter"):
        return
    for scope in Groups.model_fields:
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
            subject.say("encounter alone", record, *at, value=group, allowed=groups.keys() - {group})


# -- room ---------------------------------------------------------------------------------------


def _look_for_room(subject: Subject, form: Form) -> None:
    """Say which prefabs of an encounter are larger than any room, and which of its maps have none."""
    entry, record = form.entry, subject.records["encounter"][form.encounter]
    maps = [each for each, weight in entry.maps.items() if subject.ever(weight)]
    mode = PLACINGS[entry.placing.name]
    largest: dict[str, tuple[bool, Size]] = {}
    for each in maps:
        if each not in subject.maps:
            return  # it is not valid: who knows what rooms it is to have
        known, size = largest_space(subject.maps[each], mode.kinds)
        if size != (0, 0) and _may_dig(subject.maps[each], entry):
            known, size = False, _whole(subject.maps[each])
        if known and size == (0, 0):
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
            )
        else:
            largest[each] = known, size
    if not largest:
        return
    for prefab in subject.wanted_in(form):
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
            maps="map " + listed(largest) if len(largest) == 1 else "the maps " + listed(largest),
            largest=f"{space[1]}x{space[0]}",
        )


def _may_dig(entry: MapEntry, encounter: EncounterEntry) -> bool:
    """Tell whether a map may get an annex for an encounter."""
    mode = PLACINGS[encounter.placing.name]
    _, high = encounter.access or mode.access
    return entry.annexes and mode.annex is not None and high > 0


def _whole(entry: MapEntry) -> Size:
    """Return the (height, width) that a map has at most."""
    if LAYOUTS[entry.layout.name].brings_size:
        return 1 << 30, 1 << 30
    return entry.size.most


def largest_space(entry: MapEntry, kinds: Kinds) -> tuple[bool, Size]:
    """Return the (height, width) of the largest space of some kinds that a map can have, or if that is not known of all of it.

    The first of the pair tells which of them it is. A cave is not known: what is placed in it may reach beyond it.
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
    """Return the same of what one layout builds on a map, or part of a map, of at most that (height, width)."""
    if layout.kinds is not None and not set(kinds) & set(layout.kinds):
        return True, (0, 0)
    room = layout.largest_room(params, whole)
    if room is not None and kinds == ROOMS:
        return True, room
    return False, whole


def _places(kinds: Kinds) -> str:
    return " or ".join(f"{kind}s" for kind in kinds)


def fits_into(size: Size, space: Size) -> bool:
    """Tell whether something of a (height, width) fits into a space."""
    return size[0] <= space[0] and size[1] <= space[1]


# -- maps ---------------------------------------------------------------------------------------


def _look_at_map(subject: Subject, name: str) -> None:
    entry, record = subject.maps[name], subject.records["map"][name]
    layout = entry.layout.name
    if "size" in record.fields and LAYOUTS[layout].brings_size:
        subject.say("size not asked", record, "size", key=True, value="size", layout=layout)
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
        )
        return
    for map_id, depth in subject.ids_of(name) if subject.all_right("encounter") else ():
        if not any((name, depth) in subject.visits_of(each) for each in subject.encounters):
            subject.say("no encounter", record, "encounters", key=True, value="encounters", map_id=map_id)


# -- words --------------------------------------------------------------------------------------


def depths_in_words(depths: Iterable[int]) -> str:
    """Return depths as a reader would list them: ``depth 1``, ``depths 1 and 3``."""
    words = [str(depth) for depth in depths]
    return f"depth{'' if len(words) == 1 else 's'} {listed(words)}"


def listed(words: Iterable[str]) -> str:
    """Return words with commas and an `and` between them."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
