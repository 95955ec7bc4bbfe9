"""Checks of what entries say of each other, beyond the names that single values refer to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.content.build import PAINTABLE
from dungeon.content.names import NameList, Names, name_fault, plural
from dungeon.vocabulary import SPAWN_KINDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from dungeon.content.files import Findings, Record
    from dungeon.content.models import WorldEntry

BUILT_IN_NAMES = frozenset(kind.name for kind in t.BUILT_IN_KINDS)

NATURE = ("like", "walkable", "transparent", "diggable")
"""What a built-in kind of terrain can't have changed: algorithms rely on it."""


def known_names(
    records: Mapping[str, Mapping[str, Record]], weights: Iterable[str], damaged: Collection[str]
) -> Names:
    """Return every name that content may refer to.

    Args:
        records: Kind -> name -> entry as written.
        weights: The weight words.
        damaged: Kinds of which a file could not be read in full.
    """
    known: dict[str, Iterable[str]] = {**records}
    known["terrain"] = [*BUILT_IN_NAMES, *records["terrain"]]
    known["built-in terrain or digit"] = PAINTABLE
    known["weight word"] = weights
    known["prefab or tag"] = [*records["prefab"], *_declared(records["prefab"], "tags")]
    for kind in SPAWN_KINDS:
        for question in ("class", "category"):
            known[f"{question} of {plural(kind)}"] = _declared(records[kind], question)
    return Names({what: NameList(names) for what, names in known.items() if not _is_touched(what, damaged)})


def _declared(records: Mapping[str, Record], key: str) -> list[str]:
    """Return the words that entries declare under a key, as a list or singly."""
    found = []
    for record in records.values():
        words = record.fields.get(key)
        listed = words if isinstance(words, list) else [words]
        found += [str(word) for word in listed if isinstance(word, str | int)]
    return found


def _is_touched(what: str, damaged: Collection[str]) -> bool:
    """Tell whether names of that sort may be missing because files with entries of these kinds are damaged."""
    return any(
        what == kind or what.startswith(f"{kind} or ") or what.endswith(f" of {plural(kind)}")
        for kind in damaged
    )


def new_names(kind: str, records: Mapping[str, Record], findings: Findings) -> None:
    """Check how the names of entries are written, and that no two of them differ in case alone."""
    seen: dict[str, Record] = {}
    for name, record in records.items():
        if fault := name_fault(kind, name):
            findings.report(record, [replace(fault, key=True)])
        first = seen.setdefault(name.casefold(), record)
        if first is not record:
            message = f"this name differs only in case from that of {first.label} in {first.source(key=True)}"
            findings.add(record, message, value=name, key=True)


def terrain(records: Mapping[str, Record], findings: Findings) -> None:
    """Check that built-in terrain keeps its nature, and that there are not too many kinds."""
    for name, record in records.items():
        for key in NATURE if name in BUILT_IN_NAMES else ():
            if key in record.fields:
                findings.add(record, "built-in terrain can change its look only", key, value=key, key=True)
    own = [record for name, record in records.items() if name not in BUILT_IN_NAMES]
    if len(own) > t.MAX_KINDS - t.BUILT_IN:
        message = f"there can be {t.MAX_KINDS} kinds of terrain at most"
        findings.add(own[t.MAX_KINDS - t.BUILT_IN], message, key=True)


def tags(prefabs: Mapping[str, Record], findings: Findings) -> None:
    """Check that no tag is the name of a prefab: an encounter that asks for it would mean both."""
    for record in prefabs.values():
        words = record.fields.get("tags")
        for number, word in enumerate(words if isinstance(words, list) else [words]):
            if isinstance(word, str) and word in prefabs:
                other = prefabs[word].source(key=True)
                findings.add(record, f"a prefab has this name, in {other}", "tags", number, value=word)


def world(entry: WorldEntry, record: Record, findings: Findings) -> None:
    """Check that every map can be reached from the start."""
    reached = dict.fromkeys([entry.start])
    waiting = [entry.start]
    while waiting:
        for target in entry.leads_to.get(waiting.pop(), ()):
            if target not in reached:
                reached[target] = None
                waiting.append(target)
    for map_id in entry.leads_to:
        if map_id not in reached:
            findings.add(
                record, "no way leads here from the start", "leads_to", map_id, value=map_id, key=True
            )
