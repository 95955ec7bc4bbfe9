"""What stands in a drawing: machines by their names, and where objects will stop walkers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.prefab.drawing import Machine, Reference


def name_machines(
    machines: Sequence[Machine], references: Sequence[Reference]
) -> tuple[list[Machine], list[Reference]]:
    """Return machines named by the prop reference that lies over them, and the references that are left."""
    if not machines:
        return [], list(references)
    covered = {cell: number for number, machine in enumerate(machines) for cell in machine.cells}
    named, left = list(machines), []
    for reference in references:
        number = covered.get(Cell(reference.y, reference.x))
        if number is None or reference.symbol.like != "prop" or reference.part != named[number].part:
            left.append(reference)
        else:
            named[number] = replace(named[number], symbol=reference.symbol, char=reference.char)
    return named, left


def obstacles_of(
    shape: tuple[int, ...],
    references: Sequence[Reference],
    machines: Sequence[Machine],
    stops: Callable[[SymbolEntry], bool],
) -> NDArray[np.bool_]:
    """Return (height, width) bool: where an object will stop walkers for good."""
    obstacles = np.zeros(shape, np.bool_)
    for reference in references:
        if stops(reference.symbol):
            obstacles[reference.y, reference.x] = True
    for cell in blocked_by(machines, stops):
        obstacles[cell] = True
    return obstacles


def blocked_by(machines: Sequence[Machine], stops: Callable[[SymbolEntry], bool]) -> Iterator[Cell]:
    """Yield the cells of the machines that will stop walkers for good."""
    for machine in machines:
        if machine.symbol is None or stops(machine.symbol):
            yield from machine.cells
