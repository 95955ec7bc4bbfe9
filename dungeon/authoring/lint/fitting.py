"""Prefabs that are to be fitted into others: whether there is a place for any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.prefab.template import spots_within
from dungeon.content.prefab.variation import Fit
from dungeon.core.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dungeon.authoring.lint.subject import Subject
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.grid.rect import Cell

ROLLS = 20
"""How many variants of a prefab are looked at for places that others fit into, at most."""


def look_over(subject: Subject) -> None:
    """Say into which marked cells no prefab fits."""
    for name, prefab in subject.prefabs.items():
        changed: set[str] = set()
        for number, step in enumerate(prefab.template.steps):
            if isinstance(step, Fit) and name in subject.within:
                if step.fit in changed:
                    _look_at_rolls(subject, prefab, number, step)
                else:
                    _look_at_groups(subject, prefab, number, step)
            changed |= {*step.sources, *(char for char, _ in step.results())}


def _look_at_groups(subject: Subject, prefab: Prefab, number: int, step: Fit) -> None:
    """Look at every group of a step's character, which no step before it changes."""
    sheet = prefab.template.begun(Streams(0).stream("begun"), subject.prefabs)
    for group in sheet.groups(step.fit):
        cells = list(group.cells)
        if not _any_fits(subject, prefab.template.fits[number], step, cells):
            record = subject.records["prefab"][prefab.name]
            subject.say_of_cell("nothing fits", record, *min(cells), "", mark=repr(step.fit))


def _look_at_rolls(subject: Subject, prefab: Prefab, number: int, step: Fit) -> None:
    """Look at some of the groups that earlier steps may make of a step's character."""
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


def _any_fits(subject: Subject, names: Collection[str], step: Fit, cells: Sequence[Cell]) -> bool:
    """Tell whether one of the prefabs fits into a group of cells, in one of the orientations of the step."""
    return any(
        spots_within(cells, footprint)
        for name in names
        for footprint in subject.prefabs[name].footprints(step.ways)
    )
