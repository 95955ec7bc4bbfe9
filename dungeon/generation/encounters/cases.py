"""Why an encounter is on a level or not, from the level's journal and the content.

A turn is one attempt to place a copy of an encounter. A case is all that happened to one encounter on the level. A
place is a map of the world. The shares of a world are how many copies of encounters with a limit per world or branch
each of its maps may have.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from dungeon.content.values.fields import DEEPEST
from dungeon.content.values.grammar import WeightByDepth, listed
from dungeon.core.streams import Streams
from dungeon.generation.encounters.case import OUTCOMES, Case, CaseOutcome, Turn
from dungeon.generation.encounters.draw import Draw

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dungeon.content.library import Content
    from dungeon.content.models.encounters import EncounterEntry
    from dungeon.generation.encounters.shares import Shares, WorldMap
    from dungeon.level.model import Level

FULL = "the map had enough encounters before its turn came"
"""The reason for an encounter that was possible and had no turn."""


def cases(content: Content, level: Level, places: Sequence[WorldMap], shared: Shares) -> tuple[Case, ...]:
    """Return the case of every encounter, in the order of their first turns; encounters that were not tried come last.

    Args:
        content: The content that the level was made from.
        level: The level.
        places: All maps of the level's world.
        shared: The shares of all maps of the world.
    """
    place = next(each for each in places if each.map_id == level.id)
    possible = content.weights_on(place.name, place.depth)
    weights = {name: possible.get(name, 0.0) for name in content.encounters}
    here, sooner = shared.on(level.id, content.encounters)
    first = Draw(
        content, place.name, place.depth, here, Streams(level.seed, level.id), sooner
    ).first_draw_odds()
    turns: defaultdict[str, list[Turn]] = defaultdict(list)
    for turn in _turns(content, level):
        turns[turn.decision.subject].append(turn)
    is_idle = not turns
    found = []
    for name, encounter in content.encounters.items():
        limits = [each for each in (encounter.limit.map, here.get(name)) if each is not None]
        limit = min(limits, default=None)
        outcome, reason = _judge(turns[name], limit)
        if obstacle := _obstacle(content, name, place, shared):
            outcome, reason = "impossible" if place.name in encounter.maps else "elsewhere", obstacle
        elif is_idle:
            reason = "this level gets no encounters"
        found.append(
            Case(
                encounter=name,
                category=encounter.category,
                source=content.sources["encounter", name],
                outcome=outcome,
                turns=tuple(turns[name]),
                weight=weights[name],
                first=0.0 if obstacle else first.get(name, 0.0),
                limit=limit,
                reason=reason,
            )
        )
    return tuple(
        sorted(found, key=lambda case: (not case.turns, case.turns[:1], OUTCOMES.index(case.outcome)))
    )


def _turns(content: Content, level: Level) -> Iterator[Turn]:
    """Yield every attempt to place an encounter on the level, in the order of the level's journal."""
    number = 0
    for decision in level.journal:
        about_it = decision.stage == "place" and decision.subject in content.encounters
        if about_it and decision.verdict in ("chosen", "refused"):
            number += 1
            yield Turn(number, decision)


def _judge(turns: list[Turn], limit: int | None) -> tuple[CaseOutcome, str]:
    """Return (outcome, reason) for an encounter that the map can have: whether it was placed, and why it got no more copies, or "".

    Args:
        turns: The attempts to place its copies, in order; may be empty.
        limit: The maximum number of copies on the map; None for any number.
    """
    chosen = sum(turn.decision.verdict == "chosen" for turn in turns)
    if not turns:
        return "not drawn", FULL
    if turns[-1].decision.verdict == "refused":
        return "chosen" if chosen else "refused", ""
    if chosen == limit:
        return "chosen", "it may have no more copies here"
    return "chosen", "the map had enough encounters before the next copy's turn came"


def _obstacle(content: Content, name: str, place: WorldMap, shared: Shares) -> str | None:
    """Return in words why a map can't have an encounter, by the content's entries or the world's shares; None if it can."""
    if obstacle := _own_obstacle(content, name, place):
        return obstacle
    if shared.most.get((name, place.map_id)) != 0:
        return None
    if refused := shared.refused.get((name, place.map_id)):
        return refused
    given = {map_id: count for (each, map_id), count in shared.most.items() if each == name and count}
    if not given:
        return "this world may have none"
    winners = listed([f"{map_id} ({count})" for map_id, count in given.items()])
    return f"the world may have {sum(given.values())}, given to {winners}"


def _own_obstacle(content: Content, name: str, place: WorldMap) -> str | None:
    """Return in words why a map can't have an encounter, judged by the content's entries alone; None if it can.

    The reason may be the type of map, a weight of 0, the depth, or the lack of a zone for any variant of the encounter.
    """
    encounter = content.encounters[name]
    if place.name not in encounter.maps:
        return f"only on {listed(sorted(encounter.maps))}"
    by_depth = isinstance(encounter.maps[place.name], WeightByDepth)
    if not content.weight_at(encounter.maps[place.name], place.depth) > 0:
        return f"its weight on {place.map_id if by_depth else place.name} is 0"
    if not content.weight_factor(encounter.category, place.depth) > 0:
        at = f" at difficulty {content.difficulty}" if content.difficulty else ""
        return f"the weights of the category {encounter.category} are multiplied by 0{at}"
    if not encounter.depth[0] <= place.depth <= encounter.depth[1]:
        return f"only {_depths(encounter)}, and this is depth {place.depth}"
    forms = content.forms_at(name, place.depth)
    if forms and not content.forms_on(name, place.name, place.depth):
        zones = {zone for form, _ in forms for zone in form.entry.zones}
        return f"only in {listed(sorted(zones))}, and {place.name} has no such zone"
    return None


def _depths(encounter: EncounterEntry) -> str:
    """Return the depths of an encounter in words: "at depths 2 to 4"."""
    low, high = encounter.depth
    if low == high:
        return f"at depth {low}"
    return f"from depth {low} on" if high >= DEEPEST else f"at depths {low} to {high}"
