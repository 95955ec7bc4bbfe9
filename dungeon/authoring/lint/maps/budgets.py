"""What maps ask of their encounters together and can't have, and what encounters ask of each other: budgets, mixes, company, distances."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dungeon.content.values.grammar import number_at
from dungeon.core.vocabulary import CATEGORIES, LANDMARKS, STAKES
from dungeon.generation.encounters.budget import TINY, budget_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dungeon.authoring.lint.subject import Subject
    from dungeon.content.library import Content
    from dungeon.core.vocabulary import SpawnKind, Stake
    from dungeon.terrain import Colour

LEGIBLE = 3.0
"""The contrast that large letters need at least to be read, by the Web Content Accessibility Guidelines 2.1, 1.4.3."""

COUNTED: dict[Stake, tuple[SpawnKind, ...]] = {"threat": ("robot", "trap"), "worth": ("item",)}
"""What objects have some of that, and what is like them."""


def look_over(subject: Subject, content: Content | None) -> None:
    """Say which mixes and distances ask for nobody; and, of content without errors, for whom budgets have too little."""
    if subject.all_right("encounter"):
        for name in subject.maps:
            _look_at_mix(subject, name)
            _look_at_limits(subject, name)
        for name in subject.encounters:
            _look_at_distances(subject, name)
            _look_at_company(subject, name)
    for name, category in subject.categories.items():
        if contrast_to_white(category.colour) < LEGIBLE:
            subject.say("bright category", subject.records["category"][name], "colour")
    _look_at_objects(subject)
    if content is not None:
        for name in subject.encounters:
            _look_at_cost(subject, name, content)


def _look_at_mix(subject: Subject, name: str) -> None:
    """Say of which category the map is to have encounters, and there are none."""
    for category, (least, _) in subject.maps[name].mix.items():
        for depth in (subject.depths or {}).get(name, ()) if least else ():
            there = [each for each, entry in subject.encounters.items() if entry.category == category]
            if not any((name, depth) in subject.visits_of(each) for each in there):
                record = subject.records["map"][name]
                subject.say(
                    "nothing for the mix",
                    record,
                    "mix",
                    category,
                    key=True,
                    value=category,
                    map_id=f"{name}/{depth}",
                )
                break


def _look_at_limits(subject: Subject, name: str) -> None:
    """Say where a mix asks for more encounters than their limits allow, or allows fewer than the map is to have."""
    entry, record = subject.maps[name], subject.records["map"][name]
    if not any(entry.encounters.outcomes()):
        for key in ("mix", "budget"):
            if key in record.fields:
                subject.say("mix of nothing", record, key, key=True, value=key)
        return
    short: dict[str, tuple[int, float, str]] = {}
    few: tuple[int, float, str] | None = None
    for depth in (subject.depths or {}).get(name, ()) if entry.mix else ():
        there = [each for each in subject.encounters if (name, depth) in subject.visits_of(each)]
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


def _most_of_each(subject: Subject, names: Iterable[str]) -> dict[str, float]:
    """Return category -> how many of these encounters a map may have of it by their limits."""
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


def _look_at_company(subject: Subject, name: str) -> None:
    """Say to which of its maps an encounter never comes, as nobody is there whom it requires or is to be near."""
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    words = [*entry.requires, *(word for word in entry.near if word not in LANDMARKS)]
    lacking: dict[str, list[list[str]]] = {}
    for map_name, depth in subject.visits_of(name) if words else ():
        lacks = [word for word in words if not _is_possible(subject, word, map_name, depth)]
        lacking.setdefault(map_name, []).append(lacks)
    never = {map_name: lacks[0][0] for map_name, lacks in lacking.items() if all(lacks)}
    must_come = entry.guaranteed and entry.limit.world is None
    if must_come or len(never) < len(lacking):  # where it never comes at all others tell
        check = "guaranteed alone" if must_come else "alone on this map"
        for map_name, word in never.items():
            subject.say(check, record, "maps", map_name, key=True, value=map_name, lacking=word)


def _is_possible(subject: Subject, word: str, map_name: str, depth: int) -> bool:
    """Tell whether an encounter that goes by a word can be on a map, by its own weight or as a stand-in."""
    for name, entry in subject.encounters.items():
        low, high = entry.depth
        if entry.goes_by(name, word) and map_name in entry.maps and low <= depth <= high:
            return True
    return False


def _things_called(subject: Subject, word: str) -> list[str]:
    """Return what there is that has a name, in words: stairs, an encounter, a category, a group."""
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


def _look_at_distances(subject: Subject, name: str) -> None:
    """Say who is never where an encounter is that is to be far from it, or near to it, and what word means several things."""
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    for key, check in (("far_from", "far from nobody"), ("near", "near to nobody")):
        for word in getattr(entry, key):
            those = [each for each, other in subject.encounters.items() if other.goes_by(each, word)]
            maps = {each for other in those for each in subject.encounters[other].maps}
            alone = those == [name] and (key == "near" or entry.limit.map == 1)
            things = _things_called(subject, word)
            if len(things) > 1 and word not in LANDMARKS:
                subject.say(
                    "word for several", record, key, word, key=True, value=word, things=" and ".join(things)
                )
            if word not in LANDMARKS and (alone or maps.isdisjoint(entry.maps)):
                subject.say(check, record, key, word, key=True, value=word)


def contrast_to_white(colour: Colour) -> float:
    """Return the contrast of white letters on a colour, 1 to 21, by the definition of those guidelines."""
    parts = [part / 255 for part in colour]
    red, green, blue = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def _look_at_objects(subject: Subject) -> None:
    """Say which objects do not say what budgets count."""
    for stake in STAKES:
        if not any(getattr(entry.budget, stake) is not None for entry in subject.maps.values()):
            continue
        for kind in subject.draft.kinds.like(*COUNTED[stake]):
            for record in subject.records[kind].values():
                if stake not in record.fields:
                    subject.say("counts for nothing", record, key=True, stake=stake)


def _look_at_cost(subject: Subject, name: str, content: Content) -> None:
    """Say that an encounter brings more than any of its maps may expect."""
    visits = [(budget_of(content, *visit), visit) for visit in subject.visits_of(name)]
    dear: list[str] = []
    for budget, (_, depth) in visits:
        cost = content.costs.of_encounter(name, depth)
        over = [stake for stake, most in budget.items() if cost.get(stake, 0) > most + TINY]
        if not over:
            return
        dear += [f"{cost[stake]:.3g} {stake} of {budget[stake]:.3g}" for stake in over]
    if dear:
        subject.say("over every budget", subject.records["encounter"][name], key=True, dear=dear[0])
