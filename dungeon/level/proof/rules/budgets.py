"""Rules about how many encounters of a category a map has, and how much threat and worth they are expected to bring."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dungeon.core.vocabulary import STAKES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.level.model import Placement
    from dungeon.level.proof.fields import Finding
    from dungeon.level.proof.rules.origin import Origin

TINY = 1e-6
"""Sums of many small numbers are that much off at most."""


def world_mix(origin: Origin) -> Iterator[Finding]:
    """No more encounters of a category are on the level than its map's mix allows, besides what must be there."""
    if origin.entry is None:
        return
    counts = Counter(each.category for each in _by_choice(origin))
    for category, (_, most) in origin.entry.mix.items():
        if counts[category] > most:
            yield f"the map may have {most} of the category {category}, not {counts[category]}", None, None


def world_budget(origin: Origin) -> Iterator[Finding]:
    """The encounters are expected to bring no more threat and worth than the map's budget, besides what must be there."""
    if origin.entry is None or origin.node is None:
        return
    depth, content = origin.node.depth, origin.content
    for stake in STAKES:
        said = getattr(origin.entry.budget, stake)
        if said is None:
            continue
        amount = content.weight_at(said, depth)
        costs = [
            content.costs.of_encounter(each.encounter, depth).get(stake, 0) for each in _by_choice(origin)
        ]
        if sum(costs) > amount + TINY:
            text = f"the encounters are expected to bring {sum(costs):.3g} {stake}, and the map may have {amount:.3g}"
            yield text, None, None


def _by_choice(origin: Origin) -> list[Placement]:
    """Return the placements of encounters, but for what must be there: the guaranteed, and what these require or fall back to."""
    entries = origin.content.encounters
    must = {name for name, entry in entries.items() if entry.guaranteed}
    waiting = [*must]
    while waiting:
        entry = entries[waiting.pop()]
        new = {each for each in (*entry.requires, entry.fallback) if each in entries} - must
        must |= new
        waiting += new
    return [
        each for each in origin.level.placements if each.encounter in entries and each.encounter not in must
    ]
