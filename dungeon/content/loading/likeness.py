"""Objects that are like others: what they do not say of themselves they have from those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.loading.check import circles
from dungeon.content.models.entries import ThingEntry
from dungeon.core.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.loading.draft import Draft
    from dungeon.content.source.names import Names

OWN = ("name", "glyph", "like")
"""Fields that each object has for itself."""

MERGED = ("data", "roll")
"""Mappings of which each object has the keys of the other besides its own."""


def fill_in(draft: Draft, names: Names) -> None:
    """Give every valid object what it has from others, and say what is wrong with whom it is like.

    Args:
        draft: Its entries are completed, and its findings take what is wrong.
        names: Every name that content may refer to.
    """
    for kind in draft.kinds.names:
        records, entries = draft.records[kind], draft.all_of(kind, ThingEntry)
        below = {name: [entry.like] for name, entry in entries.items() if entry.like is not None}
        for name, (other,) in below.items():
            if fault := names.fault(kind, other):
                draft.findings.report(records[name], [fault.inside("like")])
        for name, circle in circles(below).items():
            message = f"this {kind} is like itself: {' -> '.join(circle)}"
            draft.findings.add(records[name], message, "like")
        whole: dict[str, ThingEntry] = {}
        for name in entries:
            _fill(name, entries, whole)
        draft.entries[kind].update(whole)


def _fill(name: str, entries: Mapping[str, ThingEntry], whole: dict[str, ThingEntry]) -> None:
    """Complete an object, after all those that it is like."""
    line = [name]
    while (other := entries[line[-1]].like) in entries and other not in line and line[-1] not in whole:
        line.append(str(other))
    for each in reversed(line):
        entry = entries[each]
        base = whole.get(entry.like) if entry.like is not None else None
        whole[each] = entry if base is None else _like(entry, base)


def _like(entry: ThingEntry, base: ThingEntry) -> ThingEntry:
    taken = {
        field: getattr(base, field)
        for field in base.model_fields_set.difference(entry.model_fields_set, OWN, MERGED)
    }
    merged = {field: _merged(getattr(base, field), getattr(entry, field)) for field in MERGED}
    return entry.model_copy(update={**taken, **merged})


def _merged(base: Mapping[str, object], own: Mapping[str, object]) -> Mapping[str, object]:
    """Return the keys of both, in alphabetical order: in that one they are rolled."""
    return Frozen(dict(sorted({**base, **own}.items())))
