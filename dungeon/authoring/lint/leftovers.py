"""Entries that nobody uses: prefabs and tags, legends, palettes, themes, terrain, categories, words for weights."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.authoring.lint.subject import word_at, words_within
from dungeon.content.models.world import maps_meant, target_meant
from dungeon.content.source.names import words_of
from dungeon.content.source.problems import NO_VALUE, ValueProblem
from dungeon.generation.atlas import is_sure, maps_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.authoring.lint.subject import Rules, Says, Subject
    from dungeon.content.library import Content
    from dungeon.content.models.world import WorldChart, WorldEntry
    from dungeon.content.source.files import Record

SAYS: Says = {
    "warning": {
        "dead end": "in {some} of {all} worlds {map_id} is a dead end: they have none of the maps that it leads to",
    },
    "note": {
        "way said twice": "this rule has no effect: other rules say the same",
        "unasked prefab": "no encounter, map or 'fit' uses this prefab",
        "unasked tag": "no encounter, map or 'fit' uses this tag",
        "unused legend": "no prefab and no other legend uses this legend",
        "unused palette": "no prefab and no other palette uses this palette",
        "unused theme": "no map uses this theme",
        "unused terrain": "nothing uses this kind of terrain",
        "unused category": "no encounter is of this category",
        "unused weight word": "nothing uses this word",
        "two mods": "another mod changes this too, in {other}; this one wins, as it is applied later",
    },
}
"""Severity -> check -> what the rules here say, with words in braces to be filled in; `docs/checks.md` explains each."""


BUILT_IN = frozenset([*(kind.name for kind in t.BUILT_IN_KINDS), *t.CORRIDOR_KINDS])

DRAWN_WITH = ("theme", "prefab", "legend", "palette", "map")
"""Kinds of entries that may name terrain."""

WEIGHED = ("encounter", "map", "prefab", "legend")
"""Kinds of entries that may name weights, besides objects."""


def look_over(subject: Subject) -> None:
    """Say which entries nobody uses."""
    _look_at_prefabs(subject)
    _look_at_weights(subject)
    for kind, users, key in (
        ("legend", ("prefab", "legend"), "legends"),
        ("palette", ("prefab", "palette"), "palette"),
        ("theme", ("map",), "theme"),
        ("terrain", DRAWN_WITH, ""),
        ("category", ("encounter",), "category"),
    ):
        if not subject.all_right(kind, *users):
            continue
        used = set(_named(subject, kind, users, key))
        for name in subject.records[kind]:
            if name not in used and not (kind == "terrain" and name in BUILT_IN):
                subject.say(f"unused {kind}", subject.records[kind][name], key=True)


def _named(subject: Subject, kind: str, users: tuple[str, ...], key: str) -> Iterator[str]:
    """Yield the words that may name entries of a kind: those that users of it have in their data, or under a key."""
    for user in users:
        for record in subject.records[user].values():
            if not key:
                yield from words_within(record.data)
            else:
                yield from words_within(record.fields.get("extends" if user == kind else key))
    if kind in ("palette", "terrain") and "palette.yaml" in subject.draft.singles:
        root = subject.draft.singles["palette.yaml"].fields
        yield from words_within(root if kind == "terrain" else root.get("extends"))


def _look_at_weights(subject: Subject) -> None:
    record = subject.draft.singles.get("weights.yaml")
    if record is None or subject.draft.weights is None:
        return
    weighed = (*WEIGHED, *subject.catalog.things)
    if not subject.all_right("weight word", "world", *weighed):
        return
    world = subject.draft.singles.get("world.yaml")
    said = [each.data for kind in weighed for each in subject.records[kind].values()]
    used = set(words_within([*said, world.fields.get("maps") if world else None]))
    for word in subject.draft.weights.root:
        if word not in used:
            subject.say("unused weight word", record, word, key=True, value=word)


def _look_at_prefabs(subject: Subject) -> None:
    """Say which prefabs nobody asks for, and which of the tags of others."""
    if not subject.all_right("encounter", "prefab", "map"):
        return
    under = partial(_words_under, subject)
    asked = {*under("encounter", "prefabs"), *under("encounter", "variants"), *under("prefab", "vary")}
    asked |= {word for key in ("layout", "features", "variants", "machines") for word in under("map", key)}
    said: set[str] = set()
    for name, record in subject.draft.drawn.items():
        tags = words_of(record.fields.get("tags"))
        if asked.isdisjoint({name, *tags}) and name not in subject.bases:
            subject.say("unasked prefab", record, key=True)
            continue
        for tag in tags:
            if tag not in asked and tag not in said:
                said.add(tag)
                subject.say("unasked tag", record, *word_at(record, ("tags",), tag), value=tag)


def _words_under(subject: Subject, kind: str, key: str) -> Iterator[str]:
    for record in subject.records[kind].values():
        yield from words_within(record.fields.get(key))


WORLDS = 200
"""How many worlds are looked at where it is left to chance what they have."""


def look_over_world(subject: Subject) -> None:
    """Say what is doubtful about the world; of content without errors, also where some worlds end too early."""
    world, chart = subject.draft.world, subject.draft.chart
    if world is None or chart is None:
        return
    record = subject.draft.singles["world.yaml"]
    for branch, said in world.maps.items():
        if said.chance <= 0:
            subject.say("never comes", record, "maps", branch, "chance")
    _look_for_repeats(subject, world, chart, record)
    if subject.content is not None and not is_sure(subject.content):
        _look_for_dead_ends(subject, subject.content, record)


def _look_for_repeats(subject: Subject, world: WorldEntry, chart: WorldChart, record: Record) -> None:
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


def _ways(chart: WorldChart, rule: str, target: str) -> list[tuple[str, str]]:
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


def look_over_mods(subject: Subject) -> None:
    """Say where two mods differ."""
    severity, says = subject.checks["two mods"]
    for each in subject.draft.overlaps:
        problem = ValueProblem(message=says.format(other=each.other), value=each.part or NO_VALUE)
        subject.draft.log.remark(each.source, each.entry, problem, severity)


RULES: Rules = (look_over, look_over_world, look_over_mods)
