"""Why an encounter is on a level, or why it is not: what the level's journal and the content say together."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from dungeon.content.values.fields import DEEPEST
from dungeon.content.values.weights import WeightByDepth
from dungeon.content.values.wording import listed
from dungeon.core.streams import Streams
from dungeon.generation.encounters.case import OUTCOMES, Case, Outcome, Turn
from dungeon.generation.encounters.draw import Draw

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dungeon.content.library import Content
    from dungeon.content.models.encounters import EncounterEntry
    from dungeon.generation.encounters.shares import Shares
    from dungeon.level.model import Level

FULL = "the map had its encounters before its turn came"


def cases(content: Content, level: Level, shared: Shares) -> tuple[Case, ...]:
    """Return the case of every encounter, in the order in which they had turns; those without come last.

    Args:
        content: The content that the level was made from.
        level: The level.
        shared: What the maps have of what is shared out.
    """
    shares = shared.most
    map_name = level.id.rpartition("/")[0]
    possible = content.weights_on(map_name, level.depth)
    weights = {name: possible.get(name, 0.0) for name in content.encounters}
    here, sooner = shared.on(level.id)
    first = Draw(content, map_name, level.depth, here, Streams(level.seed, level.id), sooner).drawn_first()
    turns: defaultdict[str, list[Turn]] = defaultdict(list)
    for turn in _turns(content, level):
        turns[turn.decision.subject].append(turn)
    is_idle = not turns
    found = []
    for name, encounter in content.encounters.items():
        limits = [each for each in (encounter.limit.map, here.get(name)) if each is not None]
        limit = min(limits, default=None)
        outcome, reason = _judge(turns[name], limit)
        if obstacle := _obstacle(content, name, level, shares):
            outcome, reason = "impossible" if map_name in encounter.maps else "elsewhere", obstacle
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
    """Yield every encounter's every turn, as the journal tells them."""
    number = 0
    for decision in level.journal:
        about_it = decision.stage == "place" and decision.subject in content.encounters
        if about_it and decision.verdict in ("chosen", "refused"):
            number += 1
            yield Turn(number, decision)


def _judge(turns: list[Turn], limit: int | None) -> tuple[Outcome, str]:
    """Return what came of an encounter that is possible, and why there was nothing more."""
    chosen = sum(turn.decision.verdict == "chosen" for turn in turns)
    if not turns:
        return "not drawn", FULL
    if turns[-1].decision.verdict == "refused":
        return "chosen" if chosen else "refused", ""
    if chosen == limit:
        return "chosen", "the map may have no more of it"
    return "chosen", "the map had its encounters before the next copy's turn came"


def _obstacle(content: Content, name: str, level: Level, shares: Mapping[tuple[str, str], int]) -> str | None:
    """Return why a level could not have an encounter at all, or None if it could."""
    encounter = content.encounters[name]
    map_name = level.id.rpartition("/")[0]
    if map_name not in encounter.maps:
        return f"only on {listed(sorted(encounter.maps))}"
    by_depth = isinstance(encounter.maps[map_name], WeightByDepth)
    if not content.weight_at(encounter.maps[map_name], level.depth) > 0:
        return f"its weight on {level.id if by_depth else map_name} is 0"
    if not encounter.depth[0] <= level.depth <= encounter.depth[1]:
        return f"only {_depths(encounter)}, and this is depth {level.depth}"
    if shares.get((name, level.id)) == 0:
        if holder := _holder(content, name, level, shares):
            return holder
        winners = [f"{place} ({count})" for (each, place), count in shares.items() if each == name and count]
        where = listed(winners) if winners else "no map"
        count = sum(share for (each, _), share in shares.items() if each == name)
        return f"the world may have {count}, given to {where}" if count else "this world may have none"
    return None


def _holder(content: Content, name: str, level: Level, shares: Mapping[tuple[str, str], int]) -> str | None:
    """Return which group, of the world or the branch, another encounter has; None if none is taken."""
    entry, branch = content.encounters[name], level.id.rpartition("/")[0]
    places = [place.rpartition("/") for each, place in shares if each == name]
    for where, group in [
        *(("of this world", group) for group in entry.group.world),
        *((f"of {branch}", group) for group in entry.group.branch),
    ]:
        for other, rival in content.encounters.items():
            is_in = group in (rival.group.world if where == "of this world" else rival.group.branch)
            if (
                other != name
                and is_in
                and any(
                    other in content.weights_on(map_name, int(depth))
                    and shares.get((other, f"{map_name}/{depth}")) != 0
                    for map_name, _, depth in places
                    if where == "of this world" or map_name == branch
                )
            ):
                return f"its group {group!r} {where} is taken by {other}"
    return None


def _depths(encounter: EncounterEntry) -> str:
    low, high = encounter.depth
    if low == high:
        return f"at depth {low}"
    return f"from depth {low} on" if high >= DEEPEST else f"at depths {low} to {high}"
