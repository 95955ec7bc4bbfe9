"""Prefabs: drawings with what stands in them, in every way they may lie."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.grid.glyphs import turn_glyph
from dungeon.grid.rect import Cell
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from dungeon.content.models import SymbolEntry
    from dungeon.terrain import Colour


class Reference(NamedTuple):
    """A character at a cell of a drawing that stands for an object."""

    y: int
    x: int
    char: str


class Link(NamedTuple):
    """Where a prefab joins the rest: a tunneler as wide as `width` starts here and digs along (dy, dx)."""

    y: int
    x: int
    width: int
    dy: int
    dx: int


@dataclass(frozen=True, slots=True)
class Machine:
    """One prop over several connected cells, shown as drawn."""

    cells: tuple[Cell, ...]
    glyphs: tuple[str, ...]
    fg: Colour


@dataclass(frozen=True)
class Drawing:
    """A prefab as it lies in one orientation.

    Attributes:
        terrain: (height, width) uint8 codes; `KEEP` where the map shows through.
        obstacles: (height, width) bool: where an object will stop walkers for good.
        repeats: Whether its prefab has a drawing that looks the same but whose front faces another side.
    """

    orientation: Orientation
    terrain: NDArray[np.uint8]
    obstacles: NDArray[np.bool_]
    references: tuple[Reference, ...] = ()
    links: tuple[Link, ...] = ()
    machines: tuple[Machine, ...] = ()
    repeats: bool = False

    def __post_init__(self) -> None:
        self.terrain.flags.writeable = False
        self.obstacles.flags.writeable = False

    @property
    def height(self) -> int:
        """Rows."""
        return int(self.terrain.shape[0])

    @property
    def width(self) -> int:
        """Columns."""
        return int(self.terrain.shape[1])

    def laid(self, orientation: Orientation) -> Drawing:
        """Return this drawing, which must lie as it was drawn, in another orientation."""
        if orientation is Orientation.R0:
            return self
        size = self.terrain.shape

        def cell(y: int, x: int) -> Cell:
            return Cell(*orientation.turn_cell(y, x, *size))

        return Drawing(
            orientation,
            orientation.turn(self.terrain),
            orientation.turn(self.obstacles),
            tuple(sorted(Reference(*cell(y, x), char) for y, x, char in self.references)),
            tuple(
                Link(*cell(y, x), width, *orientation.turn_vector(dy, dx))
                for y, x, width, dy, dx in self.links
            ),
            tuple(
                Machine(
                    tuple(cell(y, x) for y, x in machine.cells),
                    tuple(turn_glyph(glyph, orientation) for glyph in machine.glyphs),
                    machine.fg,
                )
                for machine in self.machines
            ),
        )

    def looks_like(self, other: Drawing) -> bool:
        """Tell whether a player could not tell the two apart."""
        return (
            np.array_equal(self.terrain, other.terrain)
            and self.references == other.references
            and sorted(self.links) == sorted(other.links)
            and _shown(self.machines) == _shown(other.machines)
        )


def _shown(machines: tuple[Machine, ...]) -> list[tuple[Cell, str]]:
    return sorted(pair for machine in machines for pair in zip(machine.cells, machine.glyphs, strict=True))


@dataclass(frozen=True)
class Prefab:
    """A drawing, what its characters mean, and the ways it may lie.

    Attributes:
        name: Its name in the content.
        drawing: As the author drew it, facing south.
        legend: Character -> object, for every reference character in the drawing.
        orientations: The permitted ways to lie.
        machine: The tag of the prop that its machines are, or None for generic ones.
        tags: Names under which it can be asked for.
    """

    name: str
    drawing: Drawing
    legend: Mapping[str, SymbolEntry]
    orientations: tuple[Orientation, ...]
    machine: str | None = None
    tags: tuple[str, ...] = field(default=())

    @cached_property
    def drawings(self) -> tuple[Drawing, ...]:
        """The drawing in every permitted orientation that looks, or faces, different from those before it."""
        result: list[Drawing] = []
        for orientation in self.orientations:
            laid = self.drawing.laid(orientation)
            alike = [other for other in result if laid.looks_like(other)]
            if all(other.orientation.turns != orientation.turns for other in alike):
                result.append(replace(laid, repeats=bool(alike)))
        return tuple(result)
