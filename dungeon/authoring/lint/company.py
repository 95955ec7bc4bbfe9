"""Encounters that can never come: their limits allow no copy, or what they need on their map can't be there with them."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

from dungeon.authoring.lint.subject import word_at
from dungeon.content.models.encounters import Groups
from dungeon.content.values.grammar import number_at
from dungeon.core.registry import LAYOUTS
from dungeon.core.vocabulary import LANDMARKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.authoring.lint.subject import Subject
    from dungeon.content.models.encounters import EncounterEntry

BORDER = 2
"""Rows, and columns, of a map that stay closed."""


def look_over(subject: Subject) -> None:
    """Say which encounters can never come because of their limits, their distances or other encounters."""
    for name in subject.encounters:
        _look_at_exclusion(subject, name)
        _look_at_limits(subject, name)
        _look_at_far(subject, name)
        if subject.all_right("encounter"):
            _look_at_near(subject, name)


def _look_at_exclusion(subject: Subject, name: str) -> None:
    """Say that an encounter never comes, as two that would have to be on its map exclude each other."""
    entry = subject.encounters[name]
    needed = {word: _with_required(subject, word) for word in entry.requires}
    for one, other in combinations(
        dict.fromkeys([name, *(each for all_ in needed.values() for each in all_)]), 2
    ):
        if any(one in each and other in each for each in needed.values()):
            continue  # this is said of the required one
        reason = _exclusion(subject, one, other)
        if reason:
            record = subject.records["encounter"][name]
            word = next(word for word, each in needed.items() if other in each)
            first = "it" if one == name else one
            at = word_at(record, ("requires",), word)
            subject.say("company excluded", record, *at, value=word, one=first, other=other, reason=reason)
            return


def _with_required(subject: Subject, name: str) -> list[str]:
    """Return an encounter and all that it requires, directly or not, as far as they are valid."""
    found = [name] if name in subject.encounters else []
    for each in found:  # it grows while it is walked through
        required = subject.encounters[each].requires
        found += [other for other in required if other in subject.encounters and other not in found]
    return found


def _exclusion(subject: Subject, one: str, other: str) -> str:
    """Return why two encounters never share a map; empty if they may."""
    first, second = subject.encounters[one], subject.encounters[other]
    if other in first.conflicts or one in second.conflicts:
        return "they conflict"
    for scope in Groups.model_fields:
        for group in getattr(first.group, scope):
            if group in getattr(second.group, scope):
                return f"both are in the group {group!r}"
    return ""


def _look_at_limits(subject: Subject, name: str) -> None:
    """Say that limits allow no copy of an encounter, or fewer copies than it is to have at least."""
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    for scope in ("branch", "world"):
        limit = getattr(entry.limit, scope)
        if limit is not None and max(limit.outcomes()) == 0:
            subject.say("limit of 0", record, "limit", scope, value=0)
            return
    places = subject.visits_of(name)
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
    """Return how many copies of an encounter a map can have, by its own number, its mix and the encounter's limits."""
    limits: list[float] = [
        max(each.outcomes()) for each in (entry.limit.branch, entry.limit.world) if each is not None
    ]
    if map_name in subject.maps:
        there = subject.maps[map_name]
        limits.append(max(number_at(there.encounters, depth).outcomes()))
        limits.append(there.mix.get(entry.category, (0, math.inf))[1])
    return min(limits, default=math.inf)


def _look_at_far(subject: Subject, name: str) -> None:
    """Say that an encounter is to lie farther from something than any two cells of its maps are apart.

    A way has walls beside it, so that it takes up at most half of the cells of a map.
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


def _look_at_near(subject: Subject, name: str) -> None:
    """Say that an encounter never comes, as all that it may be near to exclude it or have to be farther away."""
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    needed = _with_required(subject, name)
    for word, steps in entry.near.items():
        those = [
            each
            for each, other in subject.encounters.items()
            if other.goes_by(each, word) and not entry.maps.keys().isdisjoint(other.maps)
        ]
        if word in LANDMARKS or not [each for each in those if each != name]:
            continue  # others tell of the latter
        able = [
            each
            for each in those
            if each != name and not any(_exclusion(subject, each, one) for one in needed)
        ]
        if not able:
            subject.say("near to excluded", record, "near", word, key=True, value=word)
        elif all(steps < max(_distances(subject, name, each), default=0) for each in able):
            subject.say("near and far", record, "near", word, value=steps)


def _distances(subject: Subject, one: str, other: str) -> Iterator[int]:
    """Yield how many steps two encounters are to be apart at least, by what each of them says."""
    first, second = subject.encounters[one], subject.encounters[other]
    yield from (steps for word, steps in first.far_from.items() if second.goes_by(other, word))
    yield from (steps for word, steps in second.far_from.items() if first.goes_by(one, word))
