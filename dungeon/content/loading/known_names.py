"""The names that content may refer to, so that references can be checked and the nearest match be offered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.content.catalog.selector import CARRIER, QUESTIONS
from dungeon.content.loading.build import PAINTABLE, groups_in, words_of
from dungeon.content.loading.worlds import branches
from dungeon.content.models.encounters import NEIGHBOUR
from dungeon.content.source.marks import holds_broken
from dungeon.content.source.names import NameList, Names
from dungeon.content.values.fields import PLACE
from dungeon.core.vocabulary import CATEGORIES, LANDMARKS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from dungeon.content.loading.draft import Draft
    from dungeon.content.source.files import Record

BUILT_IN_NAMES = frozenset([*(kind.name for kind in t.BUILT_IN_KINDS), *t.CORRIDOR_KINDS])


def known_names(draft: Draft) -> Names:
    """Return every name that content may refer to."""
    records, weights = draft.records, draft.singles.get("weights.yaml")
    known: dict[str, Iterable[str]] = {**records}
    known["terrain"] = [*BUILT_IN_NAMES, *records["terrain"]]
    known["built-in terrain or digit"] = [*PAINTABLE, *t.CORRIDOR_KINDS]
    known["weight word"] = weights.fields if weights else ()
    known["prefab or tag"] = [*draft.drawn, *_declared(draft.drawn, "tags")]
    known["palette"] = records["palette"]
    groups = [
        word for record in records["encounter"].values() for word in groups_in(record.fields.get("group"))
    ]
    known["category"] = [*CATEGORIES, *records["category"]]
    known[NEIGHBOUR] = [*records["encounter"], *groups, *known["category"], *LANDMARKS]
    known[PLACE] = [*records["map"], *branches.declared(draft)]
    robots = draft.kinds.like("robot")
    known[CARRIER] = [
        name for kind in robots for name, record in records[kind].items() if "carries" in record.fields
    ]
    declared = {
        "prefab or tag": (("prefab",), "tags"),
        CARRIER: (robots, "carries"),
        NEIGHBOUR: (("encounter",), "group"),
    }
    unclear = {CARRIER} if draft.kinds.any_more else set()
    for word in draft.kinds.words:
        kind = draft.kinds[word]
        known[word] = records[kind.name]
        if kind.name in draft.damaged:
            unclear.add(word)
        for question in QUESTIONS:
            what = f"{question} of {kind.called}"
            declared[what] = (kind.name,), question
            known[what] = _declared(records[kind.name], question)
    for what, (kinds, key) in declared.items():
        if not draft.damaged.isdisjoint(kinds) or any(
            _may_declare_more(records[each], key) for each in kinds
        ):
            unclear.add(what)
    if "world" in draft.damaged:
        unclear.add(PLACE)
    if "category" in draft.damaged:
        unclear.add(NEIGHBOUR)
    certain = {
        what: NameList(names)
        for what, names in known.items()
        if what not in unclear and not _is_touched(what, draft.damaged)
    }
    gone = {**draft.gone, "prefab or tag": draft.gone["prefab"], PLACE: draft.gone["map"]}
    gone[NEIGHBOUR] = draft.gone["category"] | draft.gone["encounter"]
    gone |= {word: draft.gone[kind.name] for word, kind in draft.kinds.own.items()}
    partly = {what: frozenset(names) for what, names in known.items() if what not in certain}
    return Names(certain, gone, draft.kinds, draft.undrawn, partly)


def _declared(records: Mapping[str, Record], key: str) -> list[str]:
    """Return the words that entries declare under a key, as a list or singly."""
    return [word for record in records.values() for word in words_of(record.fields.get(key))]


def _may_declare_more(records: Mapping[str, Record], key: str) -> bool:
    """Tell whether entries may be meant to declare more words under a key than can be read."""
    return any(
        not isinstance(record.data, dict) or record.is_lost or holds_broken(record.fields.get(key))
        for record in records.values()
    )


def _is_touched(what: str, damaged: Collection[str]) -> bool:
    """Tell whether names of that sort may be missing because files with entries of these kinds are damaged."""
    return any(what == kind or what.startswith(f"{kind} ") for kind in damaged)
