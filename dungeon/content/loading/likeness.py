"""Entries that are like others: what they do not say of themselves they have from those.

They are completed as they are written, before anything is checked: whoever reads an entry finds all of it there, and where
each part of it stands. What is wrong with a part is said of the entry that says it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dungeon.content.drawing.planes import PLANE_NAMES
from dungeon.content.loading.check import circles
from dungeon.content.source.edits import Path, copy_of, with_data
from dungeon.content.source.marks import BROKEN, MarkedDict, marks_in_file, stamped
from dungeon.content.source.names import NameList, Names
from dungeon.content.source.reader import MAX_NODES

if TYPE_CHECKING:
    from collections.abc import Container

    from dungeon.content.loading.draft import Draft
    from dungeon.content.source.files import Record

OWN: frozenset[Path] = frozenset({("name",), ("glyph",), ("like",)})
"""Keys that each entry has for itself."""

DRAWN: frozenset[Path] = frozenset((plane,) for plane in PLANE_NAMES)
"""Keys that a prefab which draws its own map has for itself, too."""

MERGED: frozenset[Path] = frozenset(
    {
        *(("data",), ("roll",)),
        *(("legend",), ("parameters",), ("aliases",), ("paints",)),
        *(("palette",), ("palette", "glyphs"), ("palette", "colours")),
    }
)
"""Mappings of which each entry has the keys of the other besides its own."""


def fill_in(draft: Draft) -> None:
    """Give every entry what it has from others, and say what is wrong with whom it is like.

    Of what is like nothing that can be found its own words are known, and that `like` is `BROKEN`.

    Args:
        draft: Its entries as written and its drawings are completed, those without a drawing that others are like are
            `undrawn`, and its findings take what is wrong.
    """
    known = {kind: NameList(records) for kind, records in draft.records.items() if kind not in draft.damaged}
    names = Names(known, draft.gone, draft.kinds)
    for kind in (*draft.kinds.names, "prefab"):
        records = draft.records[kind]
        below = {name: like for name, record in records.items() if (like := like_of(record)) is not None}
        for name, other in below.items():
            if fault := names.fault(kind, other):
                draft.findings.report(records[name], [fault.inside("like")])
        for name, circle in circles({name: [other] for name, other in below.items()}).items():
            message = f"this {kind} is like itself: {' -> '.join(circle)}"
            draft.findings.add(records[name], message, "like")
        filler = _Filler(draft, records)
        for name in below:
            filler.fill(name)
    _find_undrawn(draft)


def _find_undrawn(draft: Draft) -> None:
    """Find the prefabs without a drawing that others are like; where that can't be told, nothing is known of them."""
    records = draft.records["prefab"]
    bases = {like_of(record) for record in records.values()}
    certain = "prefab" not in draft.damaged and not any(
        record.is_lost or record.data is BROKEN for record in records.values()
    )
    undrawn = {
        name
        for name, record in records.items()
        if isinstance(record.data, dict | None) and not (draft.draws(name) or record.is_lost)
    }
    draft.undrawn = undrawn & bases
    for record in (record for name, record in records.items() if name in draft.undrawn):
        for plane in PLANE_NAMES:
            if plane in record.fields and record.is_own(plane):
                message = "without a map this draws nothing, and no other prefab has it"
                draft.findings.add(record, message, plane, value=plane, key=True)
    for name in () if certain else undrawn - bases:
        records[name] = _lost(records[name])


def like_of(record: Record) -> str | None:
    """Return the name of the entry that an entry is like, if any."""
    like = record.fields.get("like")
    return like if isinstance(like, str) else None


class _Filler:
    """Completes the entries of a kind.

    Attributes:
        taken: File -> how many keys and values its entries have from others.
        whole: The entries that are complete.
    """

    def __init__(self, draft: Draft, records: dict[str, Record]) -> None:
        self.draft = draft
        self.records = records
        self.taken = Counter[str]()
        self.whole: set[str] = set()

    def fill(self, name: str) -> None:
        """Complete an entry, after all those that it is like."""
        line = [name]
        while line[-1] not in self.whole:
            other = like_of(self.records[line[-1]])
            if other is None or other not in self.records or other in line:
                break
            line.append(other)
        for each in reversed(line):
            if each not in self.whole:
                self.records[each] = self.completed(self.records[each])
                self.whole.add(each)

    def completed(self, record: Record) -> Record:
        """Return an entry with what it has from the one that it is like, which is complete."""
        other, drawings = like_of(record), self.draft.drawings
        if other is None:
            return record
        if other not in self.whole or self.taken[record.file] > MAX_NODES:
            return _lost(record)
        base = self.records[other]
        if not isinstance(base.data, dict | None):
            return _lost(record)
        draws = record.kind == "prefab" and self.draft.draws(record.name)
        taken: dict[Path, Record] = {}
        data = _filled(record.fields, base, (), OWN | DRAWN if draws else OWN, taken)
        made = replace(with_data(record, data, record.mark()), taken=taken)
        self.taken[record.file] += sum(_size(made.part(*path)) for path in taken)
        if self.taken[record.file] > MAX_NODES:
            message = f"with all that its entries have from others this file has more than {MAX_NODES} parts"
            self.draft.findings.add(record, message, "like", value=other)
        if record.kind == "prefab" and not draws and other in drawings:
            drawings[record.name] = drawings[other]
        whole = all(isinstance(_part(base.fields, path), dict) for path in MERGED)
        return made if whole and not base.is_lost else _lost(made)


def _filled(
    own: dict[str, Any], base: Record, path: Path, kept: Container[Path], taken: dict[Path, Record]
) -> dict[str, Any]:
    """Return a mapping of an entry with what another entry has there besides.

    Args:
        own: The mapping.
        base: The other entry.
        path: Where both have it.
        kept: What no entry has from others.
        taken: Takes what it has from the other one.
    """
    made, given = copy_of(own), base.part(*path)
    for key, value in given.items() if isinstance(given, dict) else ():
        here = (*path, key)
        if here in kept:
            continue
        if key not in own:
            made[key] = stamped(value, base.file)
            if isinstance(made, MarkedDict) and isinstance(given, MarkedDict):
                made.marks[key] = marks_in_file(given, key, base.file)
            taken[here] = base
        elif here in MERGED and isinstance(own[key], dict) and isinstance(value, dict):
            made[key] = _filled(own[key], base, here, kept, taken)
    return made


def _part(data: object, path: Path) -> object:
    """Return the part of data to which a path leads; an empty mapping if there is none."""
    for step in path:
        if not isinstance(data, dict) or step not in data:
            return {}
        data = data[step]
    return data


def _lost(record: Record) -> Record:
    """Return an entry of which nobody can tell all that it is like."""
    data = copy_of(record.fields)
    data["like"] = BROKEN
    return with_data(record, data, record.mark())


def _size(data: object) -> int:
    """Return how many values there are in a value, itself included."""
    if isinstance(data, dict):
        return 1 + sum(map(_size, data.values()))
    return 1 + sum(map(_size, data)) if isinstance(data, list) else 1
