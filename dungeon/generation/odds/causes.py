"""Why a level has not got what it was due: who took the place, or which rule left none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.generation.encounters.draw import Arrival
from dungeon.generation.odds.odds import Cause
from dungeon.generation.placing.refusals import SpaceRefusal
from dungeon.generation.stages.brief import finished
from dungeon.generation.stages.layout import lay_out, plan
from dungeon.generation.stages.place import place_alone
from dungeon.generation.stages.seed import seed

if TYPE_CHECKING:
    from collections.abc import Collection

    from dungeon.generation.stages.brief import Brief
    from dungeon.generation.stages.layout import LaidOutMap
    from dungeon.generation.stages.seed import SeededMap
    from dungeon.level.journal import Decision
    from dungeon.level.model import Level

NO_TURN = "the map was full"
"""Others were placed instead of what was refused, before its turn came."""


def causes_of(brief: Brief, level: Level, lost: Collection[str]) -> dict[str, tuple[Cause, ...]]:
    """Return encounter -> why the level has less of it than it was due: of each cause, how much it is to blame.

    Where there was a place for it before anything was placed, whoever has that place now is to blame; where there was none,
    the rules are, each for as many of the rooms as it forbade.

    Args:
        brief: What the level was made from.
        level: The level.
        lost: The encounters.
    """
    refused: dict[str, Decision] = {}
    for decision in level.journal:
        if (decision.stage, decision.verdict) == ("place", "refused") and decision.subject in lost:
            refused.setdefault(decision.subject, decision)
    plans = _plans(brief) if refused else None
    found: dict[str, tuple[Cause, ...]] = {}
    for name in lost:
        if name not in refused or plans is None:
            found[name] = (Cause(NO_TURN, 1.0),)
        elif refused[name].kind != "space" or not (taker := _taker(brief, level, *plans, name)):
            found[name] = _rules(refused[name])
        else:
            found[name] = (Cause("taken by a copy of it" if taker == name else f"taken by {taker}", 1.0),)
    return found


def _rules(decision: Decision) -> tuple[Cause, ...]:
    """Return the rules that a refusal counts, or its reason if it counts none."""
    total = sum(count for _, count in decision.counts)
    if not total:
        return (Cause(decision.reason, 1.0),)
    return tuple(Cause(rule, count / total) for rule, count in decision.counts)


def _plans(brief: Brief) -> tuple[SeededMap, LaidOutMap]:
    """Make the level up to its ground plan, on which nothing has been placed."""
    seeded = finished(seed(brief, finished(plan(brief)).canvas))
    return seeded, finished(lay_out(brief, seeded))


def _taker(brief: Brief, level: Level, seeded: SeededMap, ground: LaidOutMap, name: str) -> str | None:
    """Return which encounter has the place that one would have had, had it come first; None if there is none."""
    copies = sum(placement.encounter == name for placement in level.placements)
    found = place_alone(brief, seeded, ground, Arrival(name, copies + 1))
    if isinstance(found, SpaceRefusal):
        return None
    canvas, placed = found
    around = placed.bounds.joined(canvas.regions[placed.region - 1].bounds).grown()
    for placement in level.placements:
        is_new = placed.dug or placed.altered or placement.region > len(ground.canvas.regions)
        has_it = placement.bounds.overlaps(around) if is_new else placement.region == placed.region
        if placement.encounter and has_it:
            return placement.encounter
    return None
