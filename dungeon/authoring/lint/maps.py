"""Lint checks of maps: dressing (water and rubble on finished ground), locks, population, machines (props of several cells), budgets, mixes (encounters by category), and space for encounters."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from dungeon.authoring.lint.encounters import depths_in_words
from dungeon.authoring.uses import maps_of_world
from dungeon.content.models.dressing import BodyEntry, ChasmEntry, LakeEntry
from dungeon.content.values.fields import DEEPEST
from dungeon.content.values.grammar import number_at
from dungeon.core.registry import LAYOUTS, PLACINGS, ROOMS, layouts_of
from dungeon.core.vocabulary import STAKES
from dungeon.generation.encounters.draw import ROUNDING, budget_of
from dungeon.generation.encounters.shares import WorldMap
from dungeon.generation.odds.expected import expected
from dungeon.generation.odds.odds import Z
from dungeon.generation.odds.plans import ground_plans
from dungeon.generation.placing.refusals import SpaceRefusal
from dungeon.generation.populate.machines import objection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dungeon.authoring.lint.subject import Path, Rules, Says, Subject
    from dungeon.content.library import Content
    from dungeon.content.models.dressing import PassEntry
    from dungeon.content.source.files import Record
    from dungeon.core.vocabulary import SpawnKind, Stake
    from dungeon.terrain import Colour

SAYS: Says = {
    "warning": {
        "outside its depths": "this entry never takes effect: its maps lie at {depths} only, outside its 'depth'",
        "over every budget": "this encounter never appears: its average content is over the budget of each of its maps: {dear}",
        "mix without encounters": "'mix' asks for encounters of this category, but none is possible on {map_id}",
        "limits below the mix": "'mix' asks for at least {least} encounters of this category, but their limits allow at most {most} on {map_id}",
        "mix below the map": "'mix' allows at most {most} encounters on {map_id}, but the map's 'encounters' asks for at least {wanted}",
        "limits below the map": "this map asks for at least {wanted} encounters, but the limits of its encounters allow at most {most} on {map_id}",
        "bright category": "this colour is too bright: white characters on it are hard to read",
        "nothing to lock": "no room can be locked here: the layout {layout} of map {map} makes no rooms with doors",
        "space too seldom": "{map_id} has space for this encounter on only {some} of {all} ground plans, even without other encounters, but its weight asks for {asked}. The encounter needs {needs}; reasons against the other plans: {rules}",
        "nothing to dress": "this dressing has no effect: the layout {layout} of map {map} makes no region of these kinds",
        "no space to dress": "this lake or chasm is too large for the map, which is at most {size} cells",
        "never a machine": "map {map} can never use this prefab as a machine: {reason}",
        "not always a machine": "in {some} of {all} variants, map {map} can't use this prefab as a machine: {reason}",
    },
    "note": {
        "mix without effect": "'mix' and 'budget' have no effect on this map, which gets no encounters",
        "density and budget": "the budget of map {map_id} counts this as one object: the number of cells of the encounter's room or cave is not known when the budget is spent",
        "no stake": "budgets count this object as 0, because it has no '{stake}'",
        "crossing without need": "no crossing is needed here: the terrain of this dressing can be walked on",
    },
}
"""Severity -> check -> message, with placeholders in braces; `docs/checks.md` tells how to fix each."""


BORDER = 2
"""Number of rows, and of columns, on the closed border of a map."""

ANYWHERE = ("corridor", "junction", "hall", "zone", "prefab")
"""Kinds of region that any layout may make, besides rooms and caves."""


def check_dressing(subject: Subject) -> None:
    """Check the dressing of all maps."""
    for name, entry in subject.maps.items():
        for number, each in enumerate(entry.dressing):
            _check_pass(subject, name, each, ("dressing", number))


def _check_pass(subject: Subject, name: str, entry: PassEntry, path: Path) -> None:
    """Report a pass (step) of dressing that has chance 0, regions the layout never makes, no space, or a crossing over walkable ground."""
    record, algorithm = subject.records["map"][name], subject.maps[name].layout
    layout = algorithm.name
    makers = [maker for maker, _ in layouts_of(layout, algorithm.params)]
    kinds = {kind for maker in makers for kind in maker.kinds or ()}
    if not any(entry.chance.outcomes()):
        subject.say("chance of 0", record, *path, "chance")
    if entry.regions and all(maker.kinds is not None for maker in makers):
        known = {*kinds, *ANYWHERE}
        if known.isdisjoint(entry.regions):
            said = ", ".join(entry.regions)
            subject.say(
                "nothing to dress",
                record,
                *path,
                "regions",
                value=said,
                allowed=known,
                layout=layout,
                map=name,
            )
    if isinstance(entry, BodyEntry) and entry.crossing is not None and not subject.unclear_codes:
        codes = [subject.codes[each] for each in entry.what.outcomes()]
        if subject.terrain_set.walkable[codes].all():
            subject.say("crossing without need", record, *path, "crossing", key=True, value="crossing")
    if not LAYOUTS[layout].brings_size:
        _check_size(subject, name, entry, path)


def _check_size(subject: Subject, name: str, entry: PassEntry, path: Path) -> None:
    """Report a lake or chasm that is too large for the map `name` even at its smallest size."""
    height, width = subject.maps[name].size.most
    if isinstance(entry, LakeEntry):
        key, least, most = "cells", min(entry.cells.outcomes()), (height - BORDER) * (width - BORDER)
    elif isinstance(entry, ChasmEntry):
        key, least, most = "length", min(entry.length.outcomes()), height + width - 2 * BORDER
    else:
        return
    if least > most:
        record = subject.records["map"][name]
        subject.say("no space to dress", record, *path, key, value=least, size=f"{width}x{height}")


def check_locking(subject: Subject) -> None:
    """Report locks on rooms (a map's `on: room`, an encounter's `lock`) if the maps have no rooms."""
    for name, entry in subject.maps.items():
        for word, wish in entry.locks.items():
            if wish.on == "room" and any(wish.count.outcomes()):
                _check_rooms(subject, "map", name, [name], ("locks", word))
    locking = {(form.encounter, form.at("lock")): form.entry for form in subject.forms}
    for (name, path), encounter in locking.items():
        if encounter.lock is not None:
            _check_rooms(subject, "encounter", name, list(encounter.maps), path)


def _check_rooms(subject: Subject, kind: str, name: str, maps: list[str], path: Path) -> None:
    """Report a lock on rooms if none of the maps has rooms: in caves and single drawings there are no rooms with doors.

    Args:
        subject: The content.
        kind: ``map`` or ``encounter``: the kind of entry with the lock.
        name: The name of the entry.
        maps: The maps of the encounter, or the map itself.
        path: YAML keys that lead to the lock.
    """
    for each in maps:
        kinds = LAYOUTS[subject.maps[each].layout.name].kinds if each in subject.maps else None
        if kinds is None or set(kinds) & set(ROOMS):
            return
    layout = subject.maps[maps[0]].layout.name
    record = subject.records[kind][name]
    subject.say("nothing to lock", record, *path, key=True, value=path[-1], layout=layout, map=maps[0])


def check_population(subject: Subject) -> None:
    """Check the population and machines of maps, and the content of encounters."""
    for name, entry in subject.maps.items():
        record, depths = subject.records["map"][name], (subject.depths or {}).get(name, [])
        for number, each in enumerate(entry.population):
            _check_depth(subject, record, each.depth, depths, ("population", number))
        for number, machines in enumerate(entry.machines):
            _check_depth(subject, record, machines.depth, depths, ("machines", number))
    for name, path, contents in subject.contents():
        depths = sorted({depth for _, depth in subject.places_of(name)})
        for number, content in enumerate(contents):
            record = subject.records["encounter"][name]
            _check_depth(subject, record, content.depth, depths, (*path, number))
    _check_machines(subject)


def _check_depth(
    subject: Subject, record: Record, said: tuple[int, int], depths: list[int], path: Path
) -> None:
    """Report a `depth` range `said` (lowest, highest) that contains none of `depths`, the depths of the maps in question."""
    if depths and not any(said[0] <= depth <= said[1] for depth in depths):
        subject.say("outside its depths", record, *path, "depth", depths=depths_in_words(depths))


def _check_machines(subject: Subject) -> None:
    """Report prefabs that maps name as machines but that can't be machines."""
    wanted: dict[str, str] = {}
    for name, entry in subject.maps.items():
        for word in (word for machines in entry.machines for word in machines.prefabs):
            for prefab in subject.called.get(word, ()):
                wanted.setdefault(prefab, name)
    for prefab, name in wanted.items():
        drawings = subject.rolled(prefab)
        found = [reason for each in drawings if (reason := objection(each, subject.terrain_set)) is not None]
        if found:
            check = "never a machine" if len(found) == len(drawings) else "not always a machine"
            record = subject.records["prefab"][prefab]
            some, whole = len(found), len(drawings)
            subject.say(check, record, key=True, some=some, all=whole, map=name, reason=found[0])


LEGIBLE = 3.0
"""The contrast that large letters need at least to be read, by the Web Content Accessibility Guidelines 2.1, 1.4.3."""

COUNTED: dict[Stake, tuple[SpawnKind, ...]] = {"threat": ("robot", "trap"), "worth": ("item",)}
"""Stake -> the built-in kinds whose objects should declare it."""


def check_budgets(subject: Subject) -> None:
    """Check the `mix` of maps, the colours of categories, and the threat and worth of objects.

    In content without errors, also compare the average content of encounters with the budgets of maps.
    """
    if subject.all_sound("encounter"):
        for name in subject.maps:
            _check_mix(subject, name)
            _check_limits(subject, name)
            _check_number(subject, name)
    for name, category in subject.categories.items():
        if contrast_to_white(category.colour) < LEGIBLE:
            subject.say("bright category", subject.records["category"][name], "colour")
    _check_objects(subject)
    if subject.content is not None:
        for name in subject.encounters:
            _check_cost(subject, name, subject.content)
        _check_densities(subject, subject.content)


def _check_mix(subject: Subject, name: str) -> None:
    """Report each category of which the `mix` of map `name` demands an encounter, but none is possible at some depth of the map."""
    for category, (least, _) in subject.maps[name].mix.items():
        for depth in (subject.depths or {}).get(name, ()) if least else ():
            there = [each for each, entry in subject.encounters.items() if entry.category == category]
            if not any((name, depth) in subject.places_of(each) for each in there):
                record = subject.records["map"][name]
                subject.say(
                    "mix without encounters",
                    record,
                    "mix",
                    category,
                    key=True,
                    value=category,
                    map_id=f"{name}/{depth}",
                )
                break


def _check_limits(subject: Subject, name: str) -> None:
    """Report a map whose `mix` asks for more encounters than their limits allow, or allows fewer than `encounters` asks for.

    Also report `mix` and `budget` of a map whose `encounters` is 0: they have no effect.
    """
    entry, record = subject.maps[name], subject.records["map"][name]
    if not any(entry.encounters.outcomes()):
        for key in ("mix", "budget"):
            if key in record.fields:
                subject.say("mix without effect", record, key, key=True, value=key)
        return
    short: dict[str, tuple[int, float, str]] = {}
    few: tuple[int, float, str] | None = None
    for depth in (subject.depths or {}).get(name, ()) if entry.mix else ():
        there = [each for each in subject.encounters if (name, depth) in subject.places_of(each)]
        most = _most_of_each(subject, there)
        for category, (least, _) in entry.mix.items():
            if 0 < most.get(category, 0) < least:
                short.setdefault(category, (least, most[category], f"{name}/{depth}"))
        allowed = sum(min(limit, entry.mix.get(each, (0, math.inf))[1]) for each, limit in most.items())
        wanted = min(number_at(entry.encounters, depth).outcomes())
        others_come = any(subject.encounters[each].guaranteed for each in there) or subject.ever(
            entry.nothing
        )
        if there and allowed < min(wanted, sum(most.values())) and not others_come:
            few = few or (wanted, allowed, f"{name}/{depth}")
    for category, (least, limit, map_id) in short.items():
        subject.say(
            "limits below the mix",
            record,
            "mix",
            category,
            key=True,
            value=category,
            least=least,
            most=int(limit),
            map_id=map_id,
        )
    if few is not None:
        wanted, allowed, map_id = few
        subject.say(
            "mix below the map",
            record,
            "mix",
            key=True,
            value="mix",
            wanted=wanted,
            most=int(allowed),
            map_id=map_id,
        )


def _check_number(subject: Subject, name: str) -> None:
    """Report a map whose `encounters` asks for more than the limits of all its encounters allow at some depth."""
    entry, record = subject.maps[name], subject.records["map"][name]
    if subject.ever(entry.nothing):
        return  # turns without an encounter count, too
    for depth in (subject.depths or {}).get(name, ()):
        there = [each for each in subject.encounters if (name, depth) in subject.places_of(each)]
        most = sum(_most_of_each(subject, _with_fallbacks(subject, there, name)).values())
        wanted = min(number_at(entry.encounters, depth).outcomes())
        if there and most < wanted:
            map_id = f"{name}/{depth}"
            subject.say(
                "limits below the map",
                record,
                "encounters",
                key=True,
                value="encounters",
                wanted=wanted,
                most=int(most),
                map_id=map_id,
            )
            return


def _with_fallbacks(subject: Subject, names: Iterable[str], map_name: str) -> list[str]:
    """Return encounters with those that may come in their place on a map (`fallback`), directly or not."""
    found = [*names]
    for each in found:  # `found` grows during the iteration
        other = subject.encounters[each].fallback
        if other in subject.encounters and other not in found and map_name in subject.encounters[other].maps:
            found.append(other)
    return found


def _most_of_each(subject: Subject, names: Iterable[str]) -> dict[str, float]:
    """Return category -> the maximum number of its encounters on one map, counting only the encounters in `names`.

    Of each encounter its smallest limit counts (map, branch or world); these are added up. Without limits: infinity.
    """
    most: dict[str, float] = {}
    for name in names:
        entry = subject.encounters[name]
        limits = [entry.limit.map]
        limits += [
            max(each.outcomes()) for each in (entry.limit.branch, entry.limit.world) if each is not None
        ]
        limit = min((each for each in limits if each is not None), default=math.inf)
        most[entry.category] = most.get(entry.category, 0) + limit
    return most


def contrast_to_white(colour: Colour) -> float:
    """Return the contrast ratio of white on a colour, 1 to 21, as the Web Content Accessibility Guidelines define it."""
    parts = [part / 255 for part in colour]
    red, green, blue = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def _check_objects(subject: Subject) -> None:
    """Report objects without `threat` or `worth`, if the budget of a map counts it. Robots and traps need `threat`, items `worth`."""
    for stake in STAKES:
        if not any(getattr(entry.budget, stake) is not None for entry in subject.maps.values()):
            continue
        for kind in subject.draft.kinds.like(*COUNTED[stake]):
            for record in subject.records[kind].values():
                if stake not in record.fields:
                    subject.say("no stake", record, key=True, stake=stake)


def _check_cost(subject: Subject, name: str, content: Content) -> None:
    """Report an encounter whose average threat or worth is over the budget of every map on which it is possible."""
    places = [(budget_of(content, *place), place) for place in subject.places_of(name)]
    dear: list[str] = []
    for budget, (_, depth) in places:
        cost = content.costs.of_encounter(name, depth)
        over = [stake for stake, most in budget.items() if cost.get(stake, 0) > most + ROUNDING]
        if not over:
            return
        dear += [f"{cost[stake]:.3g} {stake} (budget {budget[stake]:.3g})" for stake in over]
    if dear:
        subject.say("over every budget", subject.records["encounter"][name], key=True, dear=dear[0])


def _check_densities(subject: Subject, content: Content) -> None:
    """Report the `density` of an encounter's content on a map whose budget counts the objects."""
    for name, path, entries in subject.contents():
        for number, entry in enumerate(entries):
            if entry.density is None or entry.kind is None or entry.selector is None:
                continue
            things = content.catalog.members(entry.kind, entry.selector)
            for map_name, depth in subject.places_of(name):
                budget = budget_of(content, map_name, depth)
                if any(getattr(thing, stake) for stake in budget for thing in things):
                    record, at = subject.records["encounter"][name], (*path, number, "density")
                    subject.say("density and budget", record, *at, key=True, map_id=f"{map_name}/{depth}")
                    break


SHOWN_RULES = 2
"""Maximum number of reasons in a message."""


def check_space(subject: Subject) -> None:
    """Report encounters that find space on fewer ground plans than their weights ask for, in `sample` ground plans of every map."""
    content, count = subject.content, subject.sample
    if content is None or not count:
        return
    places = [WorldMap(map_id, name, depth) for depth, map_id, name in maps_of_world(content)]
    asked_for = {place.map_id for place in places}
    odds = {(each.id, each.name): each for each in expected(content, asked_for, plans=0).maps}
    for place in places:
        on_map = odds[place.map_id, place.name]
        asked = {each.encounter: each.drawn.value for each in on_map.encounters if each.drawn.value > 0}
        held, rules = _held(content, place, asked, count)
        for name, share in asked.items():
            if held[name] / count + Z * math.sqrt(share * (1 - share) / count) >= share:
                continue
            subject.say(
                "space too seldom",
                subject.records["encounter"][name],
                *("maps", place.name),
                key=True,
                value=place.name,
                map_id=place.map_id,
                needs=_needs(content, name),
                some=held[name],
                all=count,
                asked=round(share * count),
                rules=", ".join(rule for rule, _ in rules[name].most_common(SHOWN_RULES)),
            )


def _held(
    content: Content, place: WorldMap, names: dict[str, float], count: int
) -> tuple[Counter[str], dict[str, Counter[str]]]:
    """Make ground plans of a map, and try to place each encounter alone on each of them.

    Args:
        content: The content.
        place: The map.
        names: The encounters to try; only the keys count.
        count: Number of ground plans.

    Returns:
        Encounter -> number of plans with space for it; and encounter -> the reasons on the other plans, counted.
    """
    held: Counter[str] = Counter()
    rules: dict[str, Counter[str]] = {name: Counter() for name in names}
    for each in ground_plans(content, place, count if names else 0):
        for name in names:
            found = each.place_alone(name)
            if isinstance(found, SpaceRefusal):
                rules[name].update(found.rules)
            else:
                held[name] += 1
    return held, rules


def _needs(content: Content, name: str) -> str:
    """Return the least that an encounter needs of a room or cave, in words: ``14x11 cells, with 1 door``."""
    sizes = [
        (prefab.width * prefab.height, f"{prefab.width}x{prefab.height} cells", form.entry)
        for form in content.forms[name]
        for prefab in content.choices[form.label]
    ]
    sizes += [(0, "a place", form.entry) for form in content.forms[name] if not content.choices[form.label]]
    _, size, entry = min(sizes, key=lambda each: each[0])
    low, high = entry.access or PLACINGS[entry.placing.name].access
    if high >= DEEPEST:
        return size if low <= 1 else f"{size}, with {low} doors and more"
    doors = str(low) if low == high else f"{low} to {high}"
    return f"{size}, with {doors} {'door' if (low, high) == (1, 1) else 'doors'}"


RULES: Rules = (
    check_dressing,
    check_locking,
    check_space,
    check_budgets,
    check_population,
)
