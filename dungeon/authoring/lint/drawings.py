"""Lint checks of prefab drawings. A reference is a character that asks for an object, a machine a prop of several cells; a `fit` step of `vary` puts another prefab into a group of marked cells."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.drawing.planes import (
    PLANE_NAMES,
)
from dungeon.content.prefab.template import spots_within
from dungeon.content.prefab.variation import FitEntry
from dungeon.core.registry import PLACINGS
from dungeon.core.streams import Streams
from dungeon.core.vocabulary import LYING, UNDERFOOT
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.authoring.lint.subject import Rules, Says, Subject
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.models.entries import PaletteEntry, PrefabEntry
    from dungeon.content.prefab.drawing import Drawing, DrawnGround, Reference
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.content.source.files import Record
    from dungeon.terrain import TerrainSet

SAYS: Says = {
    "warning": {
        "unplaceable": "this prefab can't be placed in the mode '{mode}', which encounter {encounter} asks for: {reason}",
        "unplaceable variants": "in {some} of {all} variants, this prefab can't be placed in the mode '{mode}', which encounter {encounter} asks for: {reason}",
        "in closed terrain": "this object can't stand in {terrain}{cells}: move it, or draw other terrain",
        "on closed terrain": "this item or trap can't lie on {terrain}{cells}, which can't be walked on",
        "over a machine": "this object can't stand on a cell of a machine{cells}: move it beside the machine",
        "on a prop": "this object can't stand on a prop that blocks{cells}: only items and debris lie there",
        "item out of reach": "the item on this prop is left out{cells}: no cell beside the prop can be walked on",
        "layers of a text": "'layers' has no effect: this prefab is drawn as text, which names its layers",
        "door bypassed": "this door can be walked around: no two opposite sides of it are closed by walls or obstacles",
        "door sometimes bypassed": "in {some} of {all} variants, this door can be walked around: no two opposite sides of it are closed by walls or obstacles",
        "machine without drawing": "'machine' has no effect: the prefab's drawing has no machine",
        "paints without paint": "'paints' has no effect: this prefab has no 'paint' layer, whose characters it would colour",
        "unused paint": "this character of 'paints' is never used: 'paint' does not contain it",
        "colours of a text": "this key of the palette has no effect: a drawing made of text has no colours",
        "nearest of none": "'match: nearest' has no colour to choose from: no palette lists one",
        "nothing fits": "no prefab of the 'fit' step for {mark} fits into this group of cells marked {mark}",
        "nothing ever fits": "no prefab of this 'fit' step fits into any group of cells that earlier steps mark {mark}",
    },
    "note": {
        "chance without effect": "this obstacle's chance has no effect{cells}: walls or obstacles enclose its cell on all four sides, so it is always placed",
    },
}
"""Severity -> check -> message, with placeholders in braces; `docs/checks.md` tells how to fix each."""


def check_drawings(subject: Subject) -> None:
    """Check all prefabs: can encounters place them, can their objects stand, are keys unused; and palettes without colours."""
    for (name, mode), encounter in _wanted(subject).items():
        _check_place(subject, name, mode, encounter)
    for name in subject.prefabs:
        _check_references(subject, name)
        _check_planes(subject, name)
    _check_nearest(subject)


# -- placing ------------------------------------------------------------------------------------


def _wanted(subject: Subject) -> dict[tuple[str, str], str]:
    """Return (prefab, placing mode) -> the first encounter that places the prefab in this mode."""
    wanted: dict[tuple[str, str], str] = {}
    for form in subject.forms:
        for name in subject.prefabs_of_form(form):
            wanted.setdefault((name, form.entry.placing.name), form.label)
    return wanted


def _check_place(subject: Subject, name: str, mode: str, encounter: str) -> None:
    """Report prefab `name`, which `encounter` places in the mode `mode`, if that mode refuses some or all of its variants."""
    found = subject.objections(name, lambda each: PLACINGS[mode].objection(each, subject.terrain_set))
    if found:
        check = "unplaceable" if len(found) == len(subject.rolled(name)) else "unplaceable variants"
        subject.say_of_drawing(check, name, found, mode=mode, encounter=repr(encounter))


# -- what stands where --------------------------------------------------------------------------


def _check_references(subject: Subject, name: str) -> None:
    """Report the objects of a prefab that in no variant can stand where they are drawn. Equal characters are reported once."""
    bad: dict[tuple[int, int, str], tuple[str, str]] = {}
    good: set[tuple[int, int, str]] = set()
    for drawing in subject.rolled(name):
        machines = {cell for each in drawing.machines if _stays(subject, each.symbol) for cell in each.cells}
        props = {
            each.cell
            for each in drawing.references
            if each.symbol.like == "prop" and _stays(subject, each.symbol)
        }
        for reference in drawing.references:
            if reference.part or (at := (*reference[:2], reference.called)) in good:
                continue
            objection = _objection(
                subject, drawing, reference, reference.cell in machines, reference.cell in props
            )
            if objection is None:
                good.add(at)
            else:
                bad.setdefault(at, objection)
    found: dict[tuple[str, tuple[str, str]], list[Cell]] = {}
    for (y, x, called), objection in bad.items():
        if (y, x, called) not in good:
            found.setdefault((called[0], objection), []).append(Cell(y, x))
    for (char, (check, terrain)), cells in found.items():
        more = f" ({len(cells)} cells)" if len(cells) > 1 else ""
        record = subject.records["prefab"][name]
        subject.say_of_cell(check, record, *min(cells), char, terrain=terrain, cells=more)


def _objection(
    subject: Subject,
    drawing: Drawing,
    reference: Reference,
    over_machine: bool,  # noqa: FBT001
    on_prop: bool,  # noqa: FBT001
) -> tuple[str, str] | None:
    """Return (name of a check, name of terrain or "") if an object can't stand on its cell; None if it can.

    Args:
        subject: The content.
        drawing: A variant of the prefab.
        reference: The object, with its cell in the drawing.
        over_machine: Whether a machine takes up the cell.
        on_prop: Whether a prop that blocks is drawn on the cell.
    """
    code = int(drawing.terrain[reference.y, reference.x])
    base = int(subject.terrain_set.base[code])
    if reference.symbol.moves:
        return None  # it may shift to a cell where it can stand
    like = reference.symbol.like
    name = "" if code == t.KEEP else subject.terrain_set.kinds[code].name
    found: dict[tuple[str, str], bool] = {
        ("in closed terrain", name): (like is not None or reference.symbol.key is not None)
        and code != t.KEEP
        and (base <= t.BLOCKED or base in t.STAIRS),
        ("over a machine", ""): over_machine and like not in LYING,
        ("on a prop", ""): on_prop and like not in (*LYING, "prop", None),
        ("item out of reach", ""): on_prop
        and like == "item"
        and _is_shut_in(subject, drawing, reference.cell),
        ("on closed terrain", name): like in UNDERFOOT
        and code != t.KEEP
        and not subject.terrain_set.passable[code],
    }
    return next((check for check, is_so in found.items() if is_so), None)


def _is_shut_in(subject: Subject, drawing: Drawing, cell: Cell) -> bool:
    """Return whether walls, obstacles or impassable terrain of the drawing lie on all four sides of a cell that is not sealed."""
    if drawing.sealed_cells is not None and drawing.sealed_cells[cell]:
        return False
    shown = drawing.terrain != t.KEEP
    closed = np.pad(shown & (~subject.terrain_set.passable[drawing.terrain] | drawing.obstacles), 1)
    y, x = cell
    return bool(closed[y, x + 1] and closed[y + 2, x + 1] and closed[y + 1, x] and closed[y + 1, x + 2])


def _stays(subject: Subject, symbol: SymbolEntry | None) -> bool:
    """Return whether a prop, or a machine without a symbol, certainly stands where it is drawn and blocks its cells."""
    if symbol is None:
        return True
    selector = symbol.selector
    if selector is None or selector.tags is None or symbol.group is not None or symbol.moves:
        return False
    sure = not symbol.may_be_absent and None not in selector.tags.odds()
    return sure and all(thing.blocks for thing in subject.catalog.members(str(symbol.kind), selector))


# -- what is said of planes ---------------------------------------------------------------------


def _check_planes(subject: Subject, name: str) -> None:
    """Report the YAML keys `machine`, `paints` and `palette` of a prefab where they have no effect on its drawing."""
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
        _check_keys_of_text(subject, record, entry)


def _check_keys_of_text(subject: Subject, record: Record, entry: PrefabEntry) -> None:
    """Report the keys of a prefab drawn as text that only an .xp drawing can have."""
    for key in ("colours", "match"):
        if key in entry.palette.model_fields_set and record.is_own("palette", key):
            subject.say("colours of a text", record, "palette", key, value=key, key=True)
    for path, roles in ((("layers",), entry.layers), (("palette", "layers"), entry.palette.layers)):
        if roles is not None and record.is_own(*path):
            subject.say("layers of a text", record, *path, value="layers", key=True)


def _check_nearest(subject: Subject) -> None:
    """Report `match: nearest` (take the nearest colour that a palette lists) if no palette lists a colour."""
    palettes = list(_palettes(subject))
    if any(palette.colours for palette, _ in palettes) or not subject.all_sound("palette", "prefab"):
        return
    if subject.draft.palette is None or len(subject.palettes) < len(subject.records["palette"]):
        return
    for palette, (kind, name) in palettes:
        if palette.match == "nearest":
            record = subject.draft.singles["palette.yaml"] if kind == "" else subject.records[kind][name]
            path = ("palette", "match") if kind == "prefab" else ("match",)
            subject.say("nearest of none", record, *path, value="nearest")


def _palettes(subject: Subject) -> Iterator[tuple[PaletteEntry, tuple[str, str]]]:
    """Yield (palette, (kind, name) of the entry that has it) for every valid palette.

    For ``palette.yaml``, kind and name are empty. Palettes in the entries of prefabs that are drawn as text are left out.
    """
    if subject.draft.palette is not None:
        yield subject.draft.palette, ("", "")
    yield from ((palette, ("palette", name)) for name, palette in subject.palettes.items())
    for name, entry in subject.entries.items():
        if not any(plane in subject.records["prefab"][name].fields for plane in PLANE_NAMES):
            yield entry.palette, ("prefab", name)


ROLLS = 20
"""Maximum number of variants of a prefab that are examined for cells into which others fit."""


def check_fitting(subject: Subject) -> None:
    """Report groups of marked cells into which no prefab of a `fit` step fits."""
    for name, prefab in subject.prefabs.items():
        changed: set[str] = set()
        for number, step in enumerate(prefab.template.steps):
            if isinstance(step, FitEntry) and name in subject.within:
                if step.fit in changed:
                    _check_rolls(subject, prefab, number, step)
                else:
                    _check_fitted_groups(subject, prefab, number, step)
            changed |= {*step.sources, *(char for char, _ in step.results())}


def _check_fitted_groups(subject: Subject, prefab: Prefab, number: int, step: FitEntry) -> None:
    """Report each group of connected cells, marked with the character of a `fit` step, into which no prefab of the step fits.

    Args:
        subject: The content.
        prefab: The prefab with the step. No earlier step changes the marked cells, so the drawing itself shows the groups.
        number: Index of the step under `vary`.
        step: The step.
    """
    sheet = prefab.template.begun(Streams(0).stream("begun"), subject.prefabs)
    for group in sheet.groups(step.fit):
        cells = list(group.cells)
        if not _any_fits(subject, prefab.template.fits[number], step, cells):
            record = subject.records["prefab"][prefab.name]
            subject.say_of_cell("nothing fits", record, *min(cells), "", mark=repr(step.fit))


def _check_rolls(subject: Subject, prefab: Prefab, number: int, step: FitEntry) -> None:
    """Report a `fit` step if none of its prefabs fits into any group of marked cells, in at most `ROLLS` random variants.

    Used where earlier steps change the marked cells, so that the groups differ from variant to variant.

    Args:
        subject: The content.
        prefab: The prefab with the step.
        number: Index of the step under `vary`.
        step: The step.
    """
    template = prefab.template
    seen: dict[tuple[Cell, ...], None] = {}
    for roll in range(min(ROLLS, subject.rolls)):
        stream = Streams(0, "fitting", prefab.name).stream(roll)
        sheet = template.begun(stream, subject.samples)
        for sheet.step in range(number):
            template.steps[sheet.step].apply(sheet, stream)
        for group in sheet.groups(step.fit):
            seen[tuple(group.cells)] = None
    if seen and not any(_any_fits(subject, template.fits[number], step, cells) for cells in seen):
        record = subject.records["prefab"][prefab.name]
        subject.say("nothing ever fits", record, "vary", number, "fit", mark=repr(step.fit))


def _any_fits(subject: Subject, names: Collection[str], step: FitEntry, cells: Sequence[Cell]) -> bool:
    """Tell whether a prefab with one of these names fits into `cells`, in one of the orientations that the step permits."""
    return any(
        spots_within(cells, footprint)
        for name in names
        for footprint in subject.prefabs[name].footprints(step.ways)
    )


ACROSS, DOWN = (0, 1), (1, 0)


def check_surroundings(subject: Subject) -> None:
    """Report doors that can be walked around, and obstacles whose `chance` has no effect as walls enclose their cell."""
    walled_in = _walled_in(subject)
    for name in subject.prefabs:
        _check_doors(subject, name)
        _check_chances(subject, name, edge_is_closed=name in walled_in)


def _walled_in(subject: Subject) -> set[str]:
    """Return the prefabs that have walls around them wherever they appear, since all placing modes that use them ensure it.

    Empty if an encounter, map or prefab is invalid, as it may use a prefab elsewhere.
    """
    if not subject.all_sound("encounter", "map", "prefab"):
        return set()
    inside: set[str] = set()
    elsewhere = {
        name for each in subject.maps for name in subject.seeded_on(each, dict(subject.ids_of(each)))
    }
    elsewhere |= {name for name, _ in subject.floors}
    elsewhere |= {each for name, names in subject.within.items() for each in names if each != name}
    for form in subject.forms:
        faces = PLACINGS[form.entry.placing.name].faces
        (inside if faces else elsewhere).update(subject.prefabs_of_form(form))
    return inside - elsewhere


def _check_doors(subject: Subject, name: str) -> None:
    """Report doors of a prefab that can be walked around, in all or in some variants."""
    drawings, record = subject.rolled(name), subject.records["prefab"][name]
    alike = Counter(drawing.ground for drawing in drawings)
    counts: Counter[Cell] = Counter()
    for ground, count in alike.items():
        counts.update(dict.fromkeys(_doors_in_the_open(ground, subject.terrain_set), count))
    for cell, some in sorted(counts.items()):
        check = "door bypassed" if some == len(drawings) else "door sometimes bypassed"
        subject.say_of_cell(check, record, *cell, "", some=some, all=len(drawings))


def _doors_in_the_open(drawing: DrawnGround, terrain_set: TerrainSet) -> Iterator[Cell]:
    """Yield the doors that can be walked around: no two opposite sides are closed while the other two are open.

    Doors side by side count as one. Cells beyond the drawing, and cells that keep the map's terrain, may be either::

        #+#  fine     .+.  in the open
        ...           ...
    """
    if not (terrain_set.door.take(drawing.terrain) & (drawing.terrain != t.KEEP)).any():
        return
    unknown = np.pad(drawing.terrain == t.KEEP, 1, constant_values=True)
    base = np.pad(terrain_set.base.take(drawing.terrain), 1)
    is_open = (base > t.BLOCKED) & ~np.pad(drawing.obstacles, 1)
    is_door = np.isin(base, t.DOORS) & ~unknown
    closed, is_open = ~is_open & ~unknown, is_open & ~unknown
    for y, x in np.argwhere(is_door).tolist():
        if not any(
            not any(is_open[cell] for cell in _sides(is_door, y, x, along))
            and not any(closed[cell] for cell in ((y - dy, x - dx), (y + dy, x + dx)))
            for along, (dy, dx) in ((ACROSS, DOWN), (DOWN, ACROSS))
        ):
            yield Cell(y - 1, x - 1)


def _sides(is_door: NDArray[np.bool_], y: int, x: int, along: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield two cells: on each side of the door at (y, x), the nearest one that is no door.

    `along` is the direction in which to look: (0, 1) for left and right, (1, 0) for above and below. ``.++.``: for both
    doors the two dots.
    """
    dy, dx = along
    for step in (-1, 1):
        beside = y + step * dy, x + step * dx
        while is_door[beside]:
            beside = beside[0] + step * dy, beside[1] + step * dx
        yield beside


def _check_chances(subject: Subject, name: str, *, edge_is_closed: bool) -> None:
    """Report obstacles of prefab `name` whose `chance` has no effect. Equal characters are reported once.

    `edge_is_closed`: whether the prefab always has walls around it.
    """
    record = subject.records["prefab"][name]
    shut_in: dict[str, set[Cell]] = {}
    for drawing in subject.rolled(name):
        for reference in _shut_in(drawing, subject.terrain_set, edge_is_closed=edge_is_closed):
            shut_in.setdefault(reference.char, set()).add(reference.cell)
    for char, cells in shut_in.items():
        more = f" ({len(cells)} cells)" if len(cells) > 1 else ""
        subject.say_of_cell("chance without effect", record, *min(cells), char, cells=more)


def _shut_in(drawing: Drawing, terrain_set: TerrainSet, *, edge_is_closed: bool) -> Iterator[Reference]:
    """Yield each obstacle of a drawing that has a `chance`, but whose cell is enclosed by walls or obstacles on all four sides.

    `edge_is_closed`: whether cells beyond the drawing count as walls.
    """
    by_chance = [
        each
        for each in drawing.references
        if each.symbol.may_be_absent
        and each.symbol.is_fixed
        and each.symbol.group is None
        and not each.part
        and drawing.obstacles[each.cell]
    ]
    if not by_chance:
        return
    shown = drawing.terrain != t.KEEP
    inside = shown & ((terrain_set.base.take(drawing.terrain) <= t.BLOCKED) | drawing.obstacles)
    closed = np.pad(inside, 1, constant_values=edge_is_closed)
    for reference in by_chance:
        y, x = reference.cell
        if closed[y, x + 1] and closed[y + 2, x + 1] and closed[y + 1, x] and closed[y + 1, x + 2]:
            yield reference


RULES: Rules = (check_drawings, check_surroundings, check_fitting)
