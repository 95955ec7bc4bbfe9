"""Gaps in filled prefabs: free cells that nobody can get to, as something that was drawn there has stayed away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from dungeon.content.prefab.drawing import Machine, Reference
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from dungeon.content.catalog.catalog import Thing
    from dungeon.generation.populate.choosing import Chooser
    from dungeon.generation.populate.occupancy import Occupancy
    from dungeon.generation.populate.placed import PlacedDrawing
    from dungeon.level.canvas import Canvas
    from dungeon.level.journal import Journal
    from dungeon.level.model import Spawn


class Filler(Protocol):
    """What has filled a prefab, as far as gaps need it: a `Populator`."""

    canvas: Canvas
    journal: Journal
    occupancy: Occupancy
    spawns: list[Spawn]
    chooser: Chooser

    def put(
        self,
        thing: Thing,
        cells: tuple[Cell, ...],
        keywords: Mapping[str, object],
        source: str,
        placement: int | None,
        machine: Machine | None = None,
    ) -> None:
        """Put a thing on these cells."""

    def take_away(self, index: int, reason: str) -> None:
        """Take a thing away that has been put."""


def fill_gaps(populator: Filler, placed: PlacedDrawing, left_out: AbstractSet[tuple[int, str]]) -> None:
    """See to gaps among what stays: what stayed away comes after all, or a wall does.

    Args:
        populator: What has filled the prefab.
        placed: The prefab.
        left_out: The (part, character) of all that may not come, for another one of their group has.
    """
    for cell in populator.occupancy.holes(placed.drawing, placed.y, placed.x):
        # A machine that has come for another gap may stand there by now.
        if not populator.occupancy.stands[cell] and not _comes_after_all(populator, placed, cell, left_out):
            _wall_up(populator, placed, cell)


def _comes_after_all(
    populator: Filler, placed: PlacedDrawing, cell: Cell, left_out: AbstractSet[tuple[int, str]]
) -> bool:
    """Put what is drawn at a cell there, if that may come and would stay; tell whether it has come."""
    for each in _drawn_at(placed, (cell.y - placed.y, cell.x - placed.x)):
        # What may shift may stand elsewhere by now.
        if each.symbol is None or not each.symbol.is_fixed or (each.part, each.char) in left_out:
            continue
        request = populator.chooser.request(each.symbol)
        source = f"{placed.drawing.parts[each.part]}:{each.char}"
        thing = populator.chooser.choose(request, placed.stream, source, populator.journal)
        places = (each.cell,) if isinstance(each, Reference) else each.cells
        cells = tuple(Cell(placed.y + y, placed.x + x) for y, x in places)
        if thing is not None and thing.stays and not populator.occupancy.objection(cells, thing):
            machine = each if isinstance(each, Machine) else None
            keywords = request.keywords(thing, placed.stream)
            populator.put(thing, cells, keywords, source, placed.index, machine)
            text = "it comes after all: nobody could get to its place without it"
            populator.journal.note("populate", f"{source} ({thing.tag})", "noted", text)
            return True
    return False


def _drawn_at(placed: PlacedDrawing, at: tuple[int, int]) -> Iterator[Reference | Machine]:
    for reference in placed.drawing.references:
        if reference.cell == at:
            yield reference
    for machine in placed.drawing.machines:
        if at in machine.cells:
            yield machine


def _wall_up(populator: Filler, placed: PlacedDrawing, cell: Cell) -> None:
    canvas = populator.canvas
    region = int(canvas.region[cell])
    canvas.wall_up(*cell)
    canvas.settle_bounds(region)
    for index in reversed(range(len(populator.spawns))):
        if cell in populator.spawns[index].cells:
            populator.take_away(index, "nobody could get to it")
    text = f"a gap at y {cell.y}, x {cell.x} that nobody could get to is walled up"
    populator.journal.note("populate", placed.drawing.name, "noted", text)
