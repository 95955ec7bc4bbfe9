"""Entries that nobody uses: prefabs and tags, legends, palettes, themes, terrain, categories, words for weights, names in editions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.authoring.lint.subject import word_at, words_within
from dungeon.content.loading.build import words_of
from dungeon.content.source.names import NameList

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.authoring.lint.subject import Subject

BUILT_IN = frozenset([*(kind.name for kind in t.BUILT_IN_KINDS), *t.CORRIDOR_KINDS])

DRAWN_WITH = ("theme", "prefab", "legend", "palette", "map")
"""Kinds of entries that may name terrain."""

WEIGHED = ("encounter", "map", "prefab", "legend")
"""Kinds of entries that may name weights, besides objects."""


def look_over(subject: Subject) -> None:
    """Say which entries nobody uses."""
    _look_at_prefabs(subject)
    _look_at_weights(subject)
    _look_at_editions(subject)
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


def _look_at_editions(subject: Subject) -> None:
    """Say which names stand in editions and are those of no encounter."""
    record, editions = subject.draft.singles.get("editions.yaml"), subject.draft.editions
    if record is None or editions is None or "encounter" in subject.draft.damaged:
        return
    known = subject.records["encounter"]
    for edition, names in editions.root.items():
        for name in names:
            if name not in known and name not in subject.draft.gone["encounter"]:
                path = word_at(record, (str(edition),), name)
                subject.say("edition of nobody", record, *path, value=name, allowed=NameList(known))


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
