"""Lint checks of unused entries, of the ways between maps (repeated rules of `leads_to`, dead ends), of mods that change the same key, and of ``accepted.yaml``."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from pydantic import ValidationError

from dungeon import terrain as t
from dungeon.authoring.lint.subject import word_at, words_within
from dungeon.content.loading.draft import ACCEPTED_FILE, known_names
from dungeon.content.models.accepted import AcceptedEntry
from dungeon.content.models.world import unknown_maps
from dungeon.content.source.names import words_of
from dungeon.content.source.problems import NO_VALUE, ValueProblem, problems_of
from dungeon.content.values.map_names import maps_meant, target_meant
from dungeon.content.values.prefab_weights import counted_as
from dungeon.generation.atlas import is_sure, maps_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.authoring.lint.subject import Rules, Says, Subject
    from dungeon.content.library import Content
    from dungeon.content.models.world import WorldChart, WorldEntry
    from dungeon.content.source.files import Record

SAYS: Says = {
    "warning": {
        "never allowed": "this prefab is never used: 'only' excludes each map that asks for it",
        "accepted of nothing": "nothing is accepted here: {reason}",
        "dead end": "in {some} of {all} worlds, {map_id} is a dead end: these worlds have none of the maps that it leads to",
    },
    "note": {
        "repeated rule": "this target of 'leads_to' has no effect: other rules already lead there",
        "unused prefab": "this prefab is never used: no encounter, map or 'fit' step asks for it",
        "unused tag": "this tag is never used: no encounter, map or 'fit' step asks for it",
        "unused legend": "this legend is never used: no prefab and no other legend names it",
        "unused palette": "this palette is never used: no prefab and no other palette names it",
        "unused theme": "this theme is never used: no map names it",
        "unused terrain": "this kind of terrain is never used: no theme, prefab, legend, palette or map names it",
        "unused category": "this category is never used: no encounter has it",
        "unused weight word": "this word for a weight is never used: no weight in the content names it",
        "changed by two mods": "another mod changes this too, in {other}; the change here wins, because its mod is applied later",
    },
}
"""Severity -> check -> message, with placeholders in braces; `docs/checks.md` tells how to fix each."""


BUILT_IN = frozenset([*(kind.name for kind in t.BUILT_IN_KINDS), *t.CORRIDOR_KINDS])

DRAWN_WITH = ("theme", "prefab", "legend", "palette", "map")
"""Kinds of entries that may name terrain."""

WEIGHED = ("encounter", "map", "prefab", "legend")
"""Kinds of entries that may use words for weights, besides objects."""


def _check_variants(subject: Subject) -> None:
    """Report variants of prefabs that have the weight 0 and so are never drawn."""
    for name, (base, weight) in subject.variants.items():
        if weight <= 0 and subject.all_sound("weight word"):
            record, path = (
                subject.records["prefab"][base],
                ("variants", name.removeprefix(f"{base}/"), "weight"),
            )
            subject.say("variant without weight", record, *path, value=record.part(*path))


def _check_conditions(subject: Subject) -> None:
    """Report prefabs whose conditions (`only`) hold on none of the maps that ask for them."""
    chart = subject.draft.chart
    for name, entry in subject.entries.items():
        asking = subject.appearances.get(name, ()) if entry.only is not None else ()
        if (
            entry.only is None
            or chart is None
            or not asking
            or not subject.all_sound("map", "encounter", "world")
        ):
            continue
        places = {(map_name, each.depth) for each in asking for map_name in chart.spots[each.map_id].types}
        if not any(
            entry.only.hold_on(map_name, depth, subject.maps[map_name].layout.name)
            for map_name, depth in places
        ):
            subject.say("never allowed", subject.records["prefab"][name], "only", key=True)


def check_unused(subject: Subject) -> None:
    """Report unused prefabs, tags, weight words, legends, palettes, themes, terrain and categories."""
    _check_prefabs(subject)
    _check_variants(subject)
    _check_conditions(subject)
    _check_weights(subject)
    for kind, users, key in (
        ("legend", ("prefab", "legend"), "legends"),
        ("palette", ("prefab", "palette"), "palette"),
        ("theme", ("map",), "theme"),
        ("terrain", DRAWN_WITH, ""),
        ("category", ("encounter",), "category"),
    ):
        if not subject.all_sound(kind, *users):
            continue
        used = set(_named(subject, kind, users, key))
        for name in subject.records[kind]:
            if name not in used and not (kind == "terrain" and name in BUILT_IN):
                subject.say(f"unused {kind}", subject.records[kind][name], key=True)


def _named(subject: Subject, kind: str, users: tuple[str, ...], key: str) -> Iterator[str]:
    """Yield all texts in entries of the kinds `users` that may be names of entries of kind `kind`.

    With a `key`, only texts under this YAML key count, and in entries of the same kind those under `extends`.
    """
    for user in users:
        for record in subject.records[user].values():
            if not key:
                yield from words_within(record.data)
            else:
                yield from words_within(record.fields.get("extends" if user == kind else key))
    if kind in ("palette", "terrain") and "palette.yaml" in subject.draft.singles:
        root = subject.draft.singles["palette.yaml"].fields
        yield from words_within(root if kind == "terrain" else root.get("extends"))


def _check_weights(subject: Subject) -> None:
    """Report weight words (such as ``rare``) of ``weights.yaml`` that no entry uses."""
    record = subject.draft.singles.get("weights.yaml")
    if record is None or subject.draft.weights is None:
        return
    weighed = (*WEIGHED, *subject.catalog.things)
    if not subject.all_sound("weight word", "world", *weighed):
        return
    world = subject.draft.singles.get("world.yaml")
    said = [each.data for kind in weighed for each in subject.records[kind].values()]
    used = set(words_within([*said, world.fields.get("maps") if world else None]))
    for word in subject.draft.weights.root:
        if word not in used:
            subject.say("unused weight word", record, word, key=True, value=word)


def _check_prefabs(subject: Subject) -> None:
    """Report unused prefabs, and unused tags of the other prefabs."""
    if not subject.all_sound("encounter", "prefab", "map"):
        return
    under = partial(_words_under, subject)
    asked = {*under("encounter", "prefabs"), *under("encounter", "variants"), *under("prefab", "vary")}
    asked |= {word for key in ("layout", "features", "variants", "machines") for word in under("map", key)}
    world = subject.draft.singles.get("world.yaml")
    asked |= {*words_within(world.fields.get("towers") if world else None)}
    said: set[str] = set()
    for name, record in subject.draft.drawn.items():
        tags = words_of(record.fields.get("tags"))
        names = counted_as(name, subject.variants)
        if asked.isdisjoint({*names, *tags}) and name not in subject.bases:
            subject.say("unused prefab", subject.records["prefab"][names[-1]], key=True)
            continue
        for tag in tags:
            if tag not in asked and tag not in said:
                said.add(tag)
                subject.say("unused tag", record, *word_at(record, ("tags",), tag), value=tag)


def _words_under(subject: Subject, kind: str, key: str) -> Iterator[str]:
    for record in subject.records[kind].values():
        yield from words_within(record.fields.get(key))


WORLDS = 200
"""Number of worlds that are examined for dead ends, if chance decides which maps a world has.

With 200, a dead end in 1 of 50 worlds is missed in 2 % of cases.
"""


def check_world(subject: Subject) -> None:
    """Check ``world.yaml``: chances of 0, repeated rules and, for content without errors, dead ends."""
    world, chart = subject.draft.world, subject.draft.chart
    if world is None or chart is None:
        return
    record = subject.draft.singles["world.yaml"]
    for branch, said in world.maps.items():
        if said.chance <= 0:
            subject.say("chance of 0", record, "maps", branch, "chance")
    _check_repeats(subject, world, chart, record)
    if subject.content is not None and not is_sure(subject.content):
        _check_dead_ends(subject, subject.content, record)


def _check_repeats(subject: Subject, world: WorldEntry, chart: WorldChart, record: Record) -> None:
    """Report each target of a `leads_to` rule if other rules already lead from the same maps to it; of equal targets the later one."""
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
            subject.say("repeated rule", record, "leads_to", rule, number, value=target)


def _ways(chart: WorldChart, rule: str, target: str) -> list[tuple[str, str]]:
    """Return (from map id, to map id) of each way between maps that one target of a `leads_to` rule makes."""
    sources, reached = maps_meant(rule), target_meant(target)
    return [
        (spot.id, map_id)
        for spot in chart.spots.values()
        if spot.branch == sources.name and (sources.depths is None or spot.depth in sources.depths)
        for depth in reached.seen_from(spot.depth)
        for map_id in [f"{reached.name}/{depth}"]
        if map_id in chart.spots
    ]


def _check_dead_ends(subject: Subject, content: Content, record: Record) -> None:
    """Report maps from which no way leads on in some random worlds, although `leads_to` names targets for them."""
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


def check_mods(subject: Subject) -> None:
    """Report keys that two mods change."""
    severity, says = subject.checks["changed by two mods"]
    for each in subject.draft.overlaps:
        problem = ValueProblem(message=says.format(other=each.other), value=each.part or NO_VALUE)
        subject.draft.log.remark(each.source, each.entry, problem, severity)


def check_accepted(subject: Subject) -> None:
    """Report names and maps of ``accepted.yaml`` that the content does not have."""
    record = subject.draft.singles.get(ACCEPTED_FILE)
    if record is None:
        return
    try:
        entry = AcceptedEntry.model_validate(record.data)
    except ValidationError:
        return  # errors report what is wrong
    found = list(unknown_maps(entry.named_maps(), subject.draft.chart)) if subject.draft.chart else []
    try:
        AcceptedEntry.model_validate(record.data, context=known_names(subject.draft))
    except ValidationError as error:
        # The report also names locks that only a drawing has, and that locks.yaml does not tell of.
        drawn = {
            word for asks, *_ in subject.objects() if asks.lock is not None for word in asks.lock.outcomes()
        }
        problems = problems_of(error, AcceptedEntry)
        found += [
            each for each in problems if each.path[0] not in ("far", "farther") or each.value not in drawn
        ]
    for path, each in {each.path: each for each in found}.items():
        subject.say(
            "accepted of nothing",
            record,
            *path,
            value=each.value,
            allowed=each.allowed,
            key=each.key,
            reason=each.message,
        )


RULES: Rules = (check_unused, check_world, check_mods, check_accepted)
