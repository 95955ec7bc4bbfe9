"""Maps of which no level can be made: some levels, or at least a ground plan, are made of each map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dungeon.core.errors import GenerationError
from dungeon.core.registry import LAYOUTS
from dungeon.generation.stages.brief import Brief, finished
from dungeon.generation.stages.layout import lay_out
from dungeon.generation.stages.pipeline import make
from dungeon.generation.stages.plan import plan
from dungeon.generation.stages.seed import seed

if TYPE_CHECKING:
    from dungeon.authoring.lint.subject import Subject
    from dungeon.content.library import Content
    from dungeon.generation.stages.brief import Stage
    from dungeon.generation.stages.layout import GroundPlan
    from dungeon.generation.stages.seed import SeededMap

TRIES = 8
"""How many levels of a map are tried at most: all of these if it is a single drawing, else until one can be made."""

WHOLE = 6_000
"""Of a map with more cells only a ground plan is made, as a whole level would take too long."""


def look_over(subject: Subject, content: Content) -> None:
    """Say of which maps no level can be made; not where an error about the map says so already."""
    known = {each.entry for each in subject.draft.findings.problems}
    for name in subject.maps:
        for depth in (subject.depths or {}).get(name, ())[:1]:
            if subject.records["map"][name].label not in known:
                _try_out(subject, content, name, depth)


def _try_out(subject: Subject, content: Content, name: str, depth: int) -> None:
    """Put the features of a map on it; if that works always, make levels. Say whatever is never, or not always possible."""
    entry, record = subject.maps[name], subject.records["map"][name]
    draws_all, (height, width) = LAYOUTS[entry.layout.name].draws_all, entry.size.most
    briefs = [_brief(content, name, depth, subject.ids[name, depth][0], number) for number in range(TRIES)]
    featuring = entry.features or entry.variants
    reasons = [_reason(brief, _seeded(brief)) for brief in briefs] if featuring else []
    tried, key = len(reasons), "features" if "features" in record.fields else "variants"
    if not any(reasons):
        tried, key, reasons = 0, "layout", []
        whole = draws_all or height * width <= WHOLE
        for brief in briefs:
            tried += 1
            reasons.append(_reason(brief, make(brief) if whole else _laid_out(brief)))
            if not (reasons[-1] or draws_all):
                break
    said = [each for each in reasons if each]
    if said:
        subject.say("no level", record, key, key=True, some=len(said), all=tried, reason=said[0])


def _brief(content: Content, name: str, depth: int, map_id: str, number: int) -> Brief:
    return Brief(
        content=content,
        seed=number,
        id=map_id,
        name=name,
        depth=depth,
        leads_to=content.chart.may_lead_to(map_id),
        shares={},
        watched=False,
    )


def _seeded(brief: Brief) -> Stage[SeededMap]:
    planned = yield from plan(brief)
    return (yield from seed(brief, planned.canvas))


def _laid_out(brief: Brief) -> Stage[GroundPlan]:
    seeded = yield from _seeded(brief)
    return (yield from lay_out(brief, seeded))


def _reason(brief: Brief, stage: Stage[Any]) -> str:
    """Return why a stage of a level can't be brought to its end; empty if it can."""
    try:
        finished(stage)
    except GenerationError as error:
        lines = str(error).removeprefix(f"{brief.id} of seed {brief.seed}: ").splitlines()
        return " ".join(map(str.strip, lines[:2]))  # which promise is broken stands in the second line
    except Exception as error:  # noqa: BLE001  # a plugin may raise anything, and the rest is to be checked all the same
        return f"{type(error).__name__}: {error}"
    return ""
