"""Drawings: whether a prefab can be placed at all, and whether what stands in it can stand there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dungeon import terrain as t
from dungeon.content.drawing.planes import PLANE_NAMES
from dungeon.core.registry import PLACINGS
from dungeon.core.vocabulary import UNDERFOOT
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.authoring.lint.subject import Subject
    from dungeon.content.models.entries import PaletteEntry
    from dungeon.content.prefab.drawing import Drawing, Machine, Reference


def look_over(subject: Subject) -> None:
    """Say what is doubtful about drawings."""
    for (name, mode), encounter in _wanted(subject).items():
        _look_at_place(subject, name, mode, encounter)
    for name in subject.prefabs:
        _look_at_references(subject, name)
        _look_at_planes(subject, name)
    _look_at_nearest(subject)


# -- placing ------------------------------------------------------------------------------------


def _wanted(subject: Subject) -> dict[tuple[str, str], str]:
    """Return (prefab, placing mode) -> the first encounter that wants it so."""
    wanted: dict[tuple[str, str], str] = {}
    for form in subject.forms:
        for name in subject.wanted_in(form):
            wanted.setdefault((name, form.entry.placing.name), form.label)
    return wanted


def _look_at_place(subject: Subject, name: str, mode: str, encounter: str) -> None:
    drawings = subject.rolled(name)
    known: dict[tuple[object, ...], tuple[str, tuple[int, int] | None] | None] = {}
    objections = []
    for drawing in drawings:
        ground = drawing.terrain.tobytes() + drawing.obstacles.tobytes()
        key = ground, drawing.locks, drawing.keys, drawing.boxes
        if key not in known:
            known[key] = PLACINGS[mode].objection(drawing, subject.terrain_set)
        objection = known[key]
        if objection is not None:
            objections.append(objection)
    if not objections:
        return
    reason, cell = objections[0]
    record = subject.records["prefab"][name]
    words: dict[str, Any] = {"mode": mode, "encounter": repr(encounter), "reason": reason}
    words |= {"some": str(len(objections)), "all": str(len(drawings))}
    check = "unplaceable" if len(objections) == len(drawings) else "unplaceable variants"
    if cell is None:
        subject.say(check, record, key=True, **words)
    else:
        subject.say_of_cell(check, record, cell[0], cell[1], "", **words)


# -- what stands where --------------------------------------------------------------------------


def _look_at_references(subject: Subject, name: str) -> None:
    """Say which references can't stand where they are drawn, whatever the variant: a character once."""
    bad: dict[tuple[Cell, str], tuple[str, str]] = {}
    good: set[tuple[Cell, str]] = set()
    for drawing in subject.rolled(name):
        machines = {cell for each in drawing.machines if _stays(subject, each) for cell in each.cells}
        for reference in drawing.references:
            at = Cell(reference.y, reference.x)
            if reference.part or (at, reference.char) in good:
                continue
            objection = _objection(subject, drawing, reference, at in machines)
            if objection is None:
                good.add((at, reference.char))
            else:
                bad.setdefault((at, reference.char), objection)
    found: dict[tuple[str, tuple[str, str]], list[Cell]] = {}
    for (at, char), objection in bad.items():
        if (at, char) not in good:
            found.setdefault((char, objection), []).append(at)
    for (char, (check, terrain)), cells in found.items():
        more = f" ({len(cells)} cells)" if len(cells) > 1 else ""
        record = subject.records["prefab"][name]
        subject.say_of_cell(check, record, *min(cells), char, terrain=terrain, cells=more)


def _objection(
    subject: Subject,
    drawing: Drawing,
    reference: Reference,
    over_machine: bool,  # noqa: FBT001
) -> tuple[str, str] | None:
    """Return the check that finds a reference to stand where it can't, and the terrain there."""
    code = int(drawing.terrain[reference.y, reference.x])
    base = int(subject.terrain_set.base[code])
    if reference.symbol.moves:
        return None  # it may move to where it can stand
    if code != t.KEEP and (base <= t.BLOCKED or base in t.STAIRS):
        return "in closed terrain", subject.terrain_set.kinds[code].name
    if over_machine:
        return "over a machine", ""
    if reference.symbol.like in UNDERFOOT and code != t.KEEP and not subject.terrain_set.passable[code]:
        return "where nobody walks", subject.terrain_set.kinds[code].name
    return None


def _stays(subject: Subject, machine: Machine) -> bool:
    """Tell whether a machine is sure to be there, and to let nothing else stand there."""
    symbol = machine.symbol
    if symbol is None:
        return True
    selector = symbol.selector
    if selector is None or selector.tags is None or symbol.group is not None or symbol.moves:
        return False
    sure = symbol.chance.odds() == {1.0: 1.0} and None not in selector.tags.odds()
    return sure and all(thing.blocks for thing in subject.catalog.members(str(symbol.kind), selector))


# -- what is said of planes ---------------------------------------------------------------------


def _look_at_planes(subject: Subject, name: str) -> None:
    record, entry = subject.records["prefab"][name], subject.entries[name]
    names_machine = entry.machine is not None and record.is_own("machine")
    if names_machine and not subject.prefabs[name].template.fixed.machines:
        subject.say("machine without drawing", record, "machine", key=True, value="machine")
    if entry.paints and entry.paint is None and record.is_own("paints"):
        subject.say("paints without paint", record, "paints", key=True, value="paints")
    elif entry.paint is not None:
        for char in entry.paints:
            if char not in entry.paint and record.is_own("paints", char):
                subject.say("unused paint", record, "paints", char, value=char, key=True)
    if any(plane in record.fields for plane in PLANE_NAMES):
        for key in ("colours", "match"):
            if key in entry.palette.model_fields_set and record.is_own("palette", key):
                subject.say("colours of a text", record, "palette", key, value=key, key=True)


def _look_at_nearest(subject: Subject) -> None:
    """Say where the nearest colour is asked for although there are no colours in any palette."""
    palettes = list(_palettes(subject))
    if any(palette.colours for palette, _ in palettes) or not subject.all_right("palette", "prefab"):
        return
    if subject.draft.palette is None or len(subject.palettes) < len(subject.records["palette"]):
        return
    for palette, (kind, name) in palettes:
        if palette.match == "nearest":
            record = subject.draft.singles["palette.yaml"] if kind == "" else subject.records[kind][name]
            path = ("palette", "match") if kind == "prefab" else ("match",)
            subject.say("nearest of none", record, *path, value="nearest")


def _palettes(subject: Subject) -> Iterator[tuple[PaletteEntry, tuple[str, str]]]:
    """Yield every valid palette, and the kind and name of the entry that it is, or is in."""
    if subject.draft.palette is not None:
        yield subject.draft.palette, ("", "")
    yield from ((palette, ("palette", name)) for name, palette in subject.palettes.items())
    for name, entry in subject.entries.items():
        if not any(plane in subject.records["prefab"][name].fields for plane in PLANE_NAMES):
            yield entry.palette, ("prefab", name)
