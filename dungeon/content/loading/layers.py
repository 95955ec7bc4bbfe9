"""Laying folders of content over each other: what each says that is new, and what it says of entries below it.

The first folder is a whole content; each after it is a mod, and names every entry of the content below that it means to
alter. A mod is read as it is, whatever the order of its files and entries; only the order of the folders counts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dungeon.content.drawing.meaning import PLANE_NAMES
from dungeon.content.library import Change
from dungeon.content.loading.draft import SINGLE_FILES, ContentDraft, Overlap
from dungeon.content.models.rules import circles
from dungeon.content.source.edits import (
    GONE,
    REMOVE,
    REPLACE,
    Path,
    Touch,
    copy_of,
    edited,
    is_edit,
    keys_of,
    with_data,
    without,
)
from dungeon.content.source.files import Record
from dungeon.content.source.marks import BROKEN, MarkedDict, marks_in_file, stamped
from dungeon.content.source.names import NameList, Names
from dungeon.content.source.problems import UNSAID, ValueProblem
from dungeon.content.source.reader import MAX_NODES

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from dungeon.content.loading.draft import ContentLayer, XpFile
    from dungeon.content.source.files import ProblemLog

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


def fill_in(draft: ContentDraft) -> None:
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
            if problem := names.problem(kind, other):
                draft.log.report(records[name], [problem.inside("like")])
        for name, circle in circles({name: [other] for name, other in below.items()}).items():
            message = f"this {kind} is like itself: {' -> '.join(circle)}"
            draft.log.add(records[name], message, "like")
        filler = _LikeResolver(draft, records)
        for name in below:
            filler.fill(name)
    _find_undrawn(draft)


def _find_undrawn(draft: ContentDraft) -> None:
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
                draft.log.add(record, message, plane, value=plane, key=True)
    for name in () if certain else undrawn - bases:
        records[name] = _lost(records[name])


def like_of(record: Record) -> str | None:
    """Return the name of the entry that an entry is like, if any."""
    like = record.fields.get("like")
    return like if isinstance(like, str) else None


class _LikeResolver:
    """Completes the entries of a kind.

    Attributes:
        taken: File -> how many keys and values its entries have from others.
        whole: The entries that are complete.
    """

    def __init__(self, draft: ContentDraft, records: dict[str, Record]) -> None:
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
            self.draft.log.add(record, message, "like", value=other)
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


PLANES = ("map", "links", "machines", "references", "paint", "paints")
"""Keys of a prefab that draw it."""

REDRAW = "drawing"
"""What a mod says it replaces where it has a new .xp drawing, and leaves the rest of the prefab as it is."""

ALTER = "to alter that, say remove, change, add or replace"


def lay(layers: Sequence[ContentLayer], log: ProblemLog) -> ContentDraft:
    """Return what layers say together, each laid over those before it, with entries completed that are like others.

    Args:
        layers: The content, and mods in the order in which they count.
        log: Takes what is wrong with what they say of each other.
    """
    stack = _Stack(ContentDraft(log, layers[0].kinds))
    for number, layer in enumerate(layers):
        stack.number = number
        stack.lay(layer)
    fill_in(stack.draft)
    return stack.draft


class _Stack:
    """Layers that are laid over each other.

    Attributes:
        number: How many layers there are below the one that is being laid.
        draft: What those that have been laid say together.
        touched: (kind, name) -> what mods have touched of that entry.
    """

    def __init__(self, draft: ContentDraft) -> None:
        self.number = 0
        self.draft = draft
        self.touched: dict[tuple[str, str], list[Touch]] = {}

    @property
    def is_mod(self) -> bool:
        """Whether the layer that is being laid is a mod: there are others below it."""
        return self.number > 0

    def lay(self, layer: ContentLayer) -> None:
        """Lay a layer over the others."""
        draft = self.draft
        draft.damaged |= layer.damaged
        draft.kind_in |= layer.kind_in
        for kind, records in layer.records.items():
            for record in records.values():
                drawn = layer.drawings.get(record.name) if kind == "prefab" else None
                self.entry(kind, draft.records[kind], record.name, record, drawn)
        for name, drawn in layer.drawings.items():
            if name not in layer.records["prefab"]:
                self.drawing(name, drawn)
        for place, record in layer.singles.items():
            self.entry(SINGLE_FILES[place], draft.singles, place, record)

    def drawing(self, name: str, drawn: XpFile) -> None:
        """Take in a drawing without a word about it: a prefab with all defaults."""
        records = self.draft.records["prefab"]
        below = records.get(name)
        if below is None:
            self.entry("prefab", records, name, Record("prefab", name, drawn.file, {}, ()), drawn)
        else:
            self.refuse_drawing(name, drawn, below)

    def refuse_drawing(self, name: str, drawn: XpFile, below: Record) -> None:
        """Report a drawing of a prefab that is there already, and that nobody wants to be drawn anew."""
        message = (
            f"a prefab of this name is there already, in {below.source(key=True)}; "
            f"to draw that anew, say {name}: {{replace: drawing}} in a file of prefabs/"
        )
        self.draft.log.file(drawn.file, message)

    def entry(
        self,
        kind: str,
        records: dict[str, Record],
        name: str,
        record: Record,
        drawn: XpFile | None = None,
    ) -> None:
        """Take in what a layer says under the name of an entry.

        Args:
            kind: Its kind.
            records: Those of the layers below.
            name: Its name among them.
            record: What is said.
            drawn: Its .xp drawing in this layer, if there is one.
        """
        below = records.get(name)
        # A file that is one entry can't be removed.
        edits = is_edit(record.data) and bool(record.name or record.fields)
        if edits and not self.is_mod:
            self.report_alone(record)
        elif edits and below is None:
            self.report_missing(kind, records, record)
        elif below is None:
            records[name] = record
            self.put_drawing(record, drawn)
        elif not edits:
            self.report_taken(record, below)
        elif record.data == REMOVE:
            del records[name]
            self.removed(kind, below, record)
            if drawn is not None:
                self.refuse_drawing(name, drawn, below)
        elif isinstance(record.fields.get(REPLACE), dict):
            records[name] = self.replaced(kind, below, record)
            self.put_drawing(record, drawn)
        else:
            records[name] = self.altered(kind, below, record, drawn)

    def report_alone(self, record: Record) -> None:
        """Report an edit that has nothing below it; of the names in what it is for nothing is known."""
        message = (
            "there is no content below this that it could alter; a mod is laid over one, which is named first"
        )
        self.draft.log.add(record, message, key=True)
        self.draft.damaged |= {*self.draft.records, *SINGLE_FILES.values()}

    def report_missing(self, kind: str, records: dict[str, Record], record: Record) -> None:
        """Report an edit of what is not there; nothing if it may be in a file that could not be read."""
        if kind in self.draft.damaged:
            return
        message = f"there is no {kind} of this name below" if record.name else "there is no such file below"
        gone = self.draft.gone[kind].get(record.name) if record.name else None
        if gone is not None:
            message += f" any more; {gone} removes it"
        problem = ValueProblem(
            message=message,
            value=record.name or UNSAID,
            key=True,
            allowed=NameList(records) if record.name else (),
        )
        self.draft.log.report(record, [problem])

    def report_taken(self, record: Record, below: Record) -> None:
        """Report an entry of a name that is taken."""
        if record.name and record.data is not BROKEN:
            message = f"this name is taken already, in {below.source(key=True)}; {ALTER} below the name"
            self.draft.log.add(record, message, value=record.name, key=True)
        elif not record.name and record.data is not None:
            self.draft.log.add(record, f"{below.file} is there already; {ALTER} in here")

    def removed(self, kind: str, below: Record, edit: Record) -> None:
        """Remember that an entry is no more."""
        self.put_drawing(below, None)
        self.draft.gone[kind][below.name] = edit.source(key=True)
        self.touch(kind, below, [_all_of(edit, GONE)])
        self.touched.pop((kind, below.name))
        self.draft.changes.pop((kind, below.name), None)

    def replaced(self, kind: str, below: Record, edit: Record) -> Record:
        """Return the entry that an edit puts in the place of another one."""
        for verb in edit.fields:
            if verb != REPLACE:
                message = "'replace' says all of the entry, so nothing else can stand beside it"
                self.draft.log.add(edit, message, verb, value=verb, key=True)
        data = edit.fields[REPLACE]
        self.touch(kind, below, [_all_of(edit, data)])
        self.draft.changes[kind, below.name] = (Change(source=below.source(key=True)),)
        return with_data(edit, data, edit.mark(REPLACE))

    def altered(self, kind: str, below: Record, edit: Record, drawn: XpFile | None) -> Record:
        """Return the entry as an edit leaves it."""
        if not isinstance(below.data, dict | None):
            return below  # which is reported as such
        log = self.draft.log
        redraws = edit.fields.get(REPLACE) == REDRAW and kind == "prefab"
        if REPLACE in edit.fields and not redraws:
            allowed = [REDRAW] if kind == "prefab" else []
            message = "the keys of an entry are needed here, as a mapping"
            problem = ValueProblem(
                message=message, path=(REPLACE,), value=edit.fields[REPLACE], allowed=allowed
            )
            log.report(edit, [problem])
        after, touches = edited(below, edit, log)
        if redraws and drawn is None:
            log.add(edit, f"there is no prefabs/{edit.name}.xp in this folder", REPLACE, value=REDRAW)
        elif redraws:
            after = without(after, PLANES)
            self.put_drawing(edit, drawn)
            touches.append(Touch(path=(REDRAW,), source=edit.source(REPLACE), value=drawn))
        elif drawn is not None:
            self.refuse_drawing(edit.name, drawn, below)
        elif kind == "prefab" and any(touch.path == ("map",) for touch in touches):
            self.put_drawing(edit, None)  # who draws it as a text draws it anew
        self.touch(kind, below, touches)
        change = Change(source=edit.source(key=True), keys=tuple(keys_of(touches)))
        if touches:
            self.draft.changes[kind, below.name] = (*self.draft.changes.get((kind, below.name), ()), change)
        return after

    def put_drawing(self, record: Record, drawn: XpFile | None) -> None:
        """Let a prefab have an .xp drawing, or none."""
        if record.kind == "prefab":
            self.draft.drawings.pop(record.name, None)
            if drawn is not None:
                self.draft.drawings[record.name] = drawn

    def touch(self, kind: str, below: Record, touches: Iterable[Touch]) -> None:
        """Remember what a mod touches of an entry, and note what another one has touched before."""
        before = self.touched.setdefault((kind, below.name), [])
        found: dict[tuple[object, object], Overlap] = {}
        new = list(touches)
        for touch in new:
            for other in before:
                if touch.undoes(other):
                    overlap = Overlap(
                        source=touch.source, entry=below.label, part=".".join(touch.path), other=other.source
                    )
                    found.setdefault((touch.source, other.source), overlap)
        self.draft.overlaps += found.values()
        before += new


def _all_of(edit: Record, value: object) -> Touch:
    return Touch(path=(), source=edit.source(key=True), value=value)
