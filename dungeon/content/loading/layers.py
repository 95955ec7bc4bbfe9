"""Laying *layers* (the base content, then its mods) over each other, and filling in the keys that entries take by `like`.

An *edit* is an entry of a mod that changes an entry of the layers below. To *touch* a part of an entry is to change it. A *draft* is
all entries as written. An entry is *lost* if it takes keys by `like` that could not be read.

The first folder is a complete content; each further one is a mod. A mod adds entries, and names every entry
of the content below that it edits. The order of files and entries within a mod does not matter, only the
order of the folders.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dungeon.content.drawing.planes import (
    PLANE_NAMES,
)
from dungeon.content.library import Change
from dungeon.content.loading.draft import SINGLE_FILES, ContentDraft, Overlap
from dungeon.content.models.features import is_variant_name
from dungeon.content.models.rules import find_circles
from dungeon.content.source.edits import (
    GONE,
    REMOVE,
    REPLACE,
    Path,
    Touch,
    copy_of,
    drop,
    edited,
    is_edit,
    keys_of,
    with_data,
    without,
)
from dungeon.content.source.files import Record
from dungeon.content.source.marks import BROKEN, MarkedDict, marks_in_file, stamped
from dungeon.content.source.names import NameList, Names
from dungeon.content.source.problems import NO_VALUE, ValueProblem
from dungeon.content.source.reader import MAX_NODES

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from dungeon.content.loading.draft import ContentLayer, XpFile
    from dungeon.content.source.files import ProblemLog

OWN: frozenset[Path] = frozenset({("name",), ("glyph",), ("like",)})
"""Keys that an entry never takes by `like` from another entry."""

DRAWN: frozenset[Path] = frozenset((plane,) for plane in PLANE_NAMES)
"""Further keys that a prefab with a drawing of its own never takes."""

MERGED: frozenset[Path] = frozenset(
    {
        *(("data",), ("roll",)),
        *(("legend",), ("parameters",), ("aliases",), ("paints",)),
        *(("palette",), ("palette", "glyphs"), ("palette", "colours")),
    }
)
"""Mappings of an entry that are merged, key by key, with those of the entry named by `like`; other values are taken whole or not."""

MERGED_IN_VARIANTS = MERGED | {("only",)}
"""The same for a variant of a prefab, with the prefab."""


def fill_in(draft: ContentDraft) -> None:
    """Complete every entry with a key `like` by the keys of the entry that it names, and log each wrong `like`.

    Then make a prefab of each variant of a prefab.

    If the named entry can't be found, `like` is set to `BROKEN`, and only the entry's own keys are known.

    Args:
        draft: The entries. Records and drawings are completed, `undrawn` and `variants` are set, and problems are added
            to the log.
    """
    known = {kind: NameList(records) for kind, records in draft.records.items() if kind not in draft.damaged}
    names = Names(known, draft.gone, draft.kinds)
    for kind in (*draft.kinds.names, "prefab"):
        records = draft.records[kind]
        below = {name: like for name, record in records.items() if (like := like_of(record)) is not None}
        for name, other in below.items():
            if problem := names.problem(kind, other):
                draft.log.report(records[name], [problem.inside("like")])
        for name, circle in find_circles({name: [other] for name, other in below.items()}).items():
            message = f"this {kind} is like itself: {' -> '.join(circle)}"
            draft.log.add(records[name], message, "like")
        filler = _LikeResolver(draft, records)
        for name in below:
            filler.fill(name)
    _add_variants(draft, filler)
    _find_undrawn(draft)
    varied = filter(draft.has_variants, draft.records["prefab"])
    draft.undrawn = {*draft.undrawn, *varied}


def _add_variants(draft: ContentDraft, filler: _LikeResolver) -> None:
    """Make a prefab of each variant of each prefab, called `prefab/variant` and `like` the prefab; set `variants` of the draft.

    The prefab itself is not drawn any more. One without a drawing passes its variants on to the prefabs that are `like` it. Of its own variants, only those that
    draw a `map` become prefabs.

    Args:
        draft: The entries, in which every `like` is filled in.
        filler: The resolver of the prefabs.
    """
    records = filler.records
    bases = {like_of(record) for record in records.values()}
    for name, record in list(records.items()):
        said = record.fields.get("variants")
        for variant, keys in said.items() if isinstance(said, dict) else ():
            if not isinstance(keys, dict) or not is_variant_name(variant):
                continue  # reported when the prefab is validated
            if name in bases and not draft.draws(name) and "map" not in keys:
                continue
            if f"{name}/{variant}" in records:
                continue  # a prefab with a name that is not allowed
            part = replace(
                record, name=f"{name}/{variant}", path=(*record.path, "variants", variant), taken={}
            )
            data = copy_of(keys)
            data["like"] = name
            drop(data, "weight")
            draft.variants[part.name] = name
            records[part.name] = with_data(part, data, part.mark())
            filler.whole.add(name)
            filler.fill(part.name)


def _find_undrawn(draft: ContentDraft) -> None:
    """Set `undrawn` of the draft: prefabs without a drawing, from which others take keys by `like`.

    A prefab that has no drawing, and from which no other prefab takes keys, is a mistake. But if a file or entry could not be read,
    it may hold a prefab that takes these keys. Then each prefab without a drawing is marked as lost, so that no mistake is
    reported.
    """
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
                message = "without a 'map' this key draws nothing, and prefabs that are 'like' this one don't take it"
                draft.log.add(record, message, plane, value=plane, key=True)
    for name in () if certain else undrawn - bases:
        records[name] = _lost(records[name])


def like_of(record: Record) -> str | None:
    """Return the name under the key `like` of an entry; None if it has no such key, or if the value there is no name."""
    like = record.fields.get("like")
    return like if isinstance(like, str) else None


class _LikeResolver:
    """Completes the entries of one kind by the keys that they take from others by `like`.

    Attributes:
        draft: The entries of all kinds.
        records: Name -> entry of this kind as written; completed entries replace the others.
        taken: File -> how many keys and values its entries have taken from others.
        whole: The names of the entries that are complete.
    """

    def __init__(self, draft: ContentDraft, records: dict[str, Record]) -> None:
        self.draft = draft
        self.records = records
        self.taken = Counter[str]()
        self.whole: set[str] = set()

    def fill(self, name: str) -> None:
        """Complete the entry `name`, after completing those from which it takes keys."""
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
        """Return an entry completed with the keys of the entry named by its `like`, which must be complete itself.

        If the named entry is missing or has lost a part, the returned entry is marked as lost.
        """
        other, drawings = like_of(record), self.draft.drawings
        if other is None:
            return record
        if other not in self.whole or self.taken[record.file] > MAX_NODES:
            return _lost(record)
        base = self.records[other]
        if not isinstance(base.data, dict | None):
            return _lost(record)
        draws = record.kind == "prefab" and self.draft.draws(record.name)
        is_variant = record.kind == "prefab" and record.name in self.draft.variants
        kept = (OWN | DRAWN if draws else OWN) | ({("variants",)} if is_variant else set())
        taken: dict[Path, Record] = {}
        merged = MERGED_IN_VARIANTS if is_variant else MERGED
        data = _filled(record.fields, base, (), kept, taken, merged)
        made = replace(with_data(record, data, record.mark()), taken=taken)
        self.taken[record.file] += sum(_size(made.part(*path)) for path in taken)
        if self.taken[record.file] > MAX_NODES:
            message = f"with all that its entries take from others by 'like', this file has more than {MAX_NODES} keys and values"
            self.draft.log.add(record, message, "like", value=other)
        if record.kind == "prefab" and not draws and other in drawings:
            drawings[record.name] = drawings[other]
        whole = all(isinstance(_part(base.fields, path), dict) for path in MERGED)
        return made if whole and not base.is_lost else _lost(made)


def _filled(
    own: dict[str, Any],
    base: Record,
    path: Path,
    kept: Container[Path],
    taken: dict[Path, Record],
    merged: Container[Path],
) -> dict[str, Any]:
    """Return a mapping of an entry, such as its `legend`, completed with the keys of the same mapping in another entry.

    Args:
        own: The mapping.
        base: The other entry.
        path: The keys that lead to the mapping in both entries; empty for the whole entry.
        kept: Paths of keys that are never taken from the other entry.
        taken: Path of each key that was taken -> `base`; extended here.
        merged: Paths of the mappings that are completed key by key; other values are taken whole or not.
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
        elif here in merged and isinstance(own[key], dict) and isinstance(value, dict):
            made[key] = _filled(own[key], base, here, kept, taken, merged)
    return made


def _part(data: object, path: Path) -> object:
    """Return the part of data to which the keys in `path` lead; an empty mapping if there is none."""
    for step in path:
        if not isinstance(data, dict) or step not in data:
            return {}
        data = data[step]
    return data


def _lost(record: Record) -> Record:
    """Return a copy of the entry marked as lost (`like: BROKEN`): not all keys that it takes by `like` are known."""
    data = copy_of(record.fields)
    data["like"] = BROKEN
    return with_data(record, data, record.mark())


def _size(data: object) -> int:
    """Return how many values there are in data, with all mappings and lists counted, and `data` itself."""
    if isinstance(data, dict):
        return 1 + sum(map(_size, data.values()))
    return 1 + sum(map(_size, data)) if isinstance(data, list) else 1


PLANES = ("map", "links", "machines", "references", "paint", "paints")
"""Keys of a prefab that make up its drawing."""

REDRAW = "drawing"
"""``replace: drawing`` in a mod replaces only the .xp drawing of a prefab, and keeps the other keys."""

ALTER = "to edit it, write remove, change, add or replace"


def lay(layers: Sequence[ContentLayer], log: ProblemLog) -> ContentDraft:
    """Return the draft of all layers, each laid over those before it, with every `like` filled in.

    Args:
        layers: The base content, then the mods in order.
        log: The log to which problems between layers are added.
    """
    stack = _Stack(ContentDraft(log, layers[0].kinds))
    for number, layer in enumerate(layers):
        stack.number = number
        stack.lay(layer)
    fill_in(stack.draft)
    return stack.draft


class _Stack:
    """A draft onto which layers are laid one by one.

    Attributes:
        number: Index of the layer being laid.
        draft: The entries of the layers so far.
        touched: (kind, name) -> the parts of that entry that mods have touched.
    """

    def __init__(self, draft: ContentDraft) -> None:
        self.number = 0
        self.draft = draft
        self.touched: dict[tuple[str, str], list[Touch]] = {}

    @property
    def is_mod(self) -> bool:
        """Whether the layer being laid is a mod, not the base content."""
        return self.number > 0

    def lay(self, layer: ContentLayer) -> None:
        """Lay the next layer (a mod's folder) over the layers laid so far: add its entries, and apply its edits."""
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
        """Add an .xp drawing that has no entry in this layer, as a prefab with all defaults; report it if the prefab exists below."""
        records = self.draft.records["prefab"]
        below = records.get(name)
        if below is None:
            self.entry("prefab", records, name, Record("prefab", name, drawn.file, {}, ()), drawn)
        else:
            self.refuse_drawing(name, drawn, below)

    def refuse_drawing(self, name: str, drawn: XpFile, below: Record) -> None:
        """Report the .xp drawing of a prefab that exists already (`below`), since the mod does not write `replace: drawing`."""
        message = (
            f"a prefab of this name is there already, in {below.source(key=True)}; "
            f"to replace its drawing, write {name}: {{replace: drawing}} in a file of prefabs/"
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
        """Add an entry of the layer to the layers below or, if it is an edit, change the entry of its name there.

        Args:
            kind: The kind of entry.
            records: Name -> entry in the layers below; changed.
            name: The name of the entry; the path of the file for a file that is one entry.
            record: The entry as written.
            drawn: The .xp drawing of the entry in this layer; None if there is none.
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
        """Report an edit in the first layer, below which there is nothing to edit.

        From now on no kind of names counts as completely known, since the content to which the mod belongs is missing.
        """
        message = (
            "this entry edits content below it, but there is none; name the content first, and then the mod"
        )
        self.draft.log.add(record, message, key=True)
        self.draft.damaged |= {*self.draft.records, *SINGLE_FILES.values()}

    def report_missing(self, kind: str, records: dict[str, Record], record: Record) -> None:
        """Report an edit of an entry that does not exist, unless it may be in a file that could not be read."""
        if kind in self.draft.damaged:
            return
        message = (
            f"there is no {kind} of this name in the content below"
            if record.name
            else "there is no such file in the content below"
        )
        gone = self.draft.gone[kind].get(record.name) if record.name else None
        if gone is not None:
            message += f" any more; {gone} removes it"
        problem = ValueProblem(
            message=message,
            value=record.name or NO_VALUE,
            key=True,
            allowed=NameList(records) if record.name else (),
        )
        self.draft.log.report(record, [problem])

    def report_taken(self, record: Record, below: Record) -> None:
        """Report an entry of a mod that is no edit, although the layers below have an entry of that name (`below`)."""
        if record.name and record.data is not BROKEN:
            message = f"this name is taken already, in {below.source(key=True)}; {ALTER} below the name"
            self.draft.log.add(record, message, value=record.name, key=True)
        elif not record.name and record.data is not None:
            self.draft.log.add(
                record, f"the content below has the file {below.file} already; {ALTER} in here"
            )

    def removed(self, kind: str, below: Record, edit: Record) -> None:
        """Record that an edit of this layer removes a whole entry, `below`, which an earlier layer has."""
        self.put_drawing(below, None)
        self.draft.gone[kind][below.name] = edit.source(key=True)
        self.touch(kind, below, [_all_of(edit, GONE)])
        self.touched.pop((kind, below.name))
        self.draft.changes.pop((kind, below.name), None)

    def replaced(self, kind: str, below: Record, edit: Record) -> Record:
        """Return the entry that an edit of this layer puts in place of a whole entry, `below`, of an earlier layer."""
        for verb in edit.fields:
            if verb != REPLACE:
                message = "'replace' gives the whole entry, so no other verb can stand beside it"
                self.draft.log.add(edit, message, verb, value=verb, key=True)
        data = edit.fields[REPLACE]
        self.touch(kind, below, [_all_of(edit, data)])
        self.draft.changes[kind, below.name] = (Change(source=below.source(key=True)),)
        return with_data(edit, data, edit.mark(REPLACE))

    def altered(self, kind: str, below: Record, edit: Record, drawn: XpFile | None) -> Record:
        """Apply the verbs of an edit of this layer, and return the changed entry.

        Args:
            kind: The kind of entry.
            below: The entry of the layers below.
            edit: The edit as written.
            drawn: The .xp drawing of the entry in this layer, if there is one.
        """
        if not isinstance(below.data, dict | None):
            return below  # it is no mapping, which is reported when it is validated
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
            log.add(edit, f"this folder has no file prefabs/{edit.name}.xp", REPLACE, value=REDRAW)
        elif redraws:
            after = without(after, PLANES)
            self.put_drawing(edit, drawn)
            touches.append(Touch(path=(REDRAW,), source=edit.source(REPLACE), value=drawn))
        elif drawn is not None:
            self.refuse_drawing(edit.name, drawn, below)
        elif kind == "prefab" and any(touch.path == ("map",) for touch in touches):
            self.put_drawing(edit, None)  # a new text drawing replaces the .xp drawing
        self.touch(kind, below, touches)
        change = Change(source=edit.source(key=True), keys=tuple(keys_of(touches)))
        if touches:
            self.draft.changes[kind, below.name] = (*self.draft.changes.get((kind, below.name), ()), change)
        return after

    def put_drawing(self, record: Record, drawn: XpFile | None) -> None:
        """Set the .xp drawing of a prefab, or remove it if `drawn` is None; do nothing for entries of other kinds."""
        if record.kind == "prefab":
            self.draft.drawings.pop(record.name, None)
            if drawn is not None:
                self.draft.drawings[record.name] = drawn

    def touch(self, kind: str, below: Record, touches: Iterable[Touch]) -> None:
        """Record the parts of the entry `below` that a mod changes, and the cases in which earlier mods changed the same parts."""
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
