"""Encounters for which a map has space less often than they are drawn: ground plans are made, and nothing is placed but one at a time."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from dungeon.authoring.askers import maps_of_world
from dungeon.content.values.fields import DEEPEST
from dungeon.core.errors import GenerationError
from dungeon.core.registry import PLACINGS
from dungeon.generation.encounters.draw import Arrival
from dungeon.generation.encounters.shares import Place
from dungeon.generation.odds.expected import expected
from dungeon.generation.odds.odds import Z
from dungeon.generation.placing.attempt import Refused
from dungeon.generation.stages.brief import Brief, finished
from dungeon.generation.stages.furnish.asking import place_in_a_form, placer_of, spacing_of
from dungeon.generation.stages.layout import lay_out
from dungeon.generation.stages.plan import plan
from dungeon.generation.stages.seed import seed

if TYPE_CHECKING:
    from dungeon.authoring.lint.subject import Subject
    from dungeon.content.library import Content

RULES = 2
"""So many of the reasons are told."""


def look_over(subject: Subject, content: Content, count: int) -> None:
    """Say which encounters find space on fewer maps than their weights ask for.

    Args:
        subject: What is looked over.
        content: What has become of it.
        count: How many ground plans are made of every map.
    """
    places = [Place(map_id, name, depth) for depth, map_id, name in maps_of_world(content)]
    odds = {(each.id, each.name): each for each in expected(content, {place.map_id for place in places}).maps}
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
                rules=", ".join(rule for rule, _ in rules[name].most_common(RULES)),
            )


def _held(
    content: Content, place: Place, names: dict[str, float], count: int
) -> tuple[Counter[str], dict[str, Counter[str]]]:
    """Return on how many ground plans of a map each encounter finds space, and the reasons why others have none."""
    held: Counter[str] = Counter()
    rules: dict[str, Counter[str]] = {name: Counter() for name in names}
    for number in range(count if names else 0):
        brief = Brief(
            content=content,
            seed=number,
            id=place.map_id,
            name=place.name,
            depth=place.depth,
            leads_to=content.chart.leads_to.get(place.map_id, ()),
            shares={},
            watched=False,
        )
        try:
            seeded = finished(seed(brief, finished(plan(brief)).canvas))
            ground = finished(lay_out(brief, seeded))
        except GenerationError:
            continue  # of which making a level tells
        for name in names:
            canvas = ground.canvas.copy()
            placer = placer_of(brief, seeded, replace(ground, canvas=canvas))
            spacing = spacing_of(brief, canvas, ground.zones)
            found = place_in_a_form(brief, placer, Arrival(name, 1), canvas, ground.zones, spacing)
            if isinstance(found, Refused):
                rules[name].update(dict(found.counts) or {found.reason: 1})
            else:
                held[name] += 1
    return held, rules


def _needs(content: Content, name: str) -> str:
    """Return what an encounter asks of a room or cave at least, in words: ``14x11 cells, with 1 door``."""
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
