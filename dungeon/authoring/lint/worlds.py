"""What is doubtful about the world: rules that say nothing new, branches that never come, maps from which nothing leads on."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dungeon.content.values.map_patterns import maps_meant, target_meant
from dungeon.generation.atlas import is_sure, maps_of

if TYPE_CHECKING:
    from dungeon.authoring.lint.subject import Subject
    from dungeon.content.library import Content
    from dungeon.content.models.world import Chart, WorldEntry
    from dungeon.content.source.files import Record

WORLDS = 200
"""How many worlds are looked at where it is left to chance what they have."""


def look_over(subject: Subject, content: Content | None) -> None:
    """Say what is doubtful about the world; of content without errors, also where some worlds end too early."""
    world, chart = subject.draft.world, subject.draft.chart
    if world is None or chart is None:
        return
    record = subject.draft.singles["world.yaml"]
    for branch, said in world.maps.items():
        if said.chance <= 0:
            subject.say("never comes", record, "maps", branch, "chance")
    _look_for_repeats(subject, world, chart, record)
    if content is not None and not is_sure(content):
        _look_for_dead_ends(subject, content, record)


def _look_for_repeats(subject: Subject, world: WorldEntry, chart: Chart, record: Record) -> None:
    """Say which targets of rules are nothing but what other rules say; of two alike the later one."""
    told = {
        (rule, number): _ways(chart, rule, target)
        for rule, targets in world.leads_to.items()
        for number, target in enumerate(targets)
    }
    count = Counter(way for ways in told.values() for way in ways)
    for (rule, number), ways in reversed(told.items()):
        if ways and all(count[way] > 1 for way in ways):
            count.subtract(ways)
            target = world.leads_to[rule][number]
            subject.say("way said twice", record, "leads_to", rule, number, value=target)


def _ways(chart: Chart, rule: str, target: str) -> list[tuple[str, str]]:
    """Return what leads where by one target of a rule."""
    sources, reached = maps_meant(rule), target_meant(target)
    return [
        (spot.id, map_id)
        for spot in chart.spots.values()
        if spot.branch == sources.name and (sources.depths is None or spot.depth in sources.depths)
        for depth in reached.seen_from(spot.depth)
        for map_id in [f"{reached.name}/{depth}"]
        if map_id in chart.spots
    ]


def _look_for_dead_ends(subject: Subject, content: Content, record: Record) -> None:
    """Say from which maps nothing leads on in some worlds, where there are maps to which something may."""
    ends = Counter(
        node.id
        for seed in range(WORLDS)
        for node in maps_of(content, seed)
        if not node.leads_to and content.chart.leads_to.get(node.id)
    )
    for rule in content.world.leads_to:
        meant = maps_meant(rule)
        ids = [each for each in ends if content.chart.spots[each].branch == meant.name]
        for map_id in ids:
            if meant.depths is None or content.chart.spots[map_id].depth in meant.depths:
                subject.say(
                    "dead end",
                    record,
                    "leads_to",
                    rule,
                    key=True,
                    value=rule,
                    map_id=map_id,
                    some=ends[map_id],
                    all=WORLDS,
                )
