"""Insets: prefabs that are fitted into the drawing of another, where a group of its cells has space for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dungeon.grid.bits import Board
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.streams import Stream
    from dungeon.grid.symmetry import Orientation


class Footprint(NamedTuple):
    """The cells that a prefab may draw on in one orientation, whatever varies in it."""

    orientation: Orientation
    height: int
    width: int
    drawn_cells: frozenset[tuple[int, int]]


class Piece(Protocol):
    """What can be fitted in: all that a drawing needs to know of the prefabs that go into it."""

    @property
    def name(self) -> str:
        """What it is called."""

    def footprints(self, orientations: frozenset[Orientation]) -> Iterable[Footprint]:
        """Return where it is drawn in those of these orientations that it permits."""

    def drawn(self, orientation: Orientation, stream: Stream) -> Drawing:
        """Return one of its variants as it lies in an orientation."""


@dataclass(frozen=True, slots=True)
class Inset:
    """A drawing that was fitted into another, with its top-left cell at (y, x)."""

    drawing: Drawing
    y: int
    x: int

    @property
    def drawn_cells(self) -> list[Cell]:
        """The cells of the other on which there is anything of it."""
        return [Cell(self.y + y, self.x + x) for y, x in self.drawing.drawn_cells]


class Group:
    """Connected cells of a drawing for others to be fitted into.

    Attributes:
        cells: The cells -> their numbers among the loose cells of the drawing's template.
    """

    __slots__ = ("_spots", "cells")

    def __init__(self, cells: Mapping[Cell, int]) -> None:
        self.cells = cells
        self._spots: dict[tuple[str, frozenset[Orientation]], list[tuple[Orientation, Cell]]] = {}

    def place_within(
        self, piece: Piece, orientations: frozenset[Orientation], stream: Stream
    ) -> Inset | None:
        """Return a variant of a prefab where all of it lies on these cells; None if it fits nowhere.

        Every way to lie and every spot is as likely as any other. The variant is made once its place is known: what
        varies in a prefab counts as drawn.
        """
        spots = self._spots_of(piece, orientations)
        if not spots:
            return None
        orientation, cell = stream.pick(spots)
        return Inset(piece.drawn(orientation, stream), *cell)

    def _spots_of(self, piece: Piece, orientations: frozenset[Orientation]) -> list[tuple[Orientation, Cell]]:
        """Return the ways to lie and the top-left cells with which a prefab fits: always the same, whatever varies."""
        key = piece.name, orientations
        if key not in self._spots:
            prints = piece.footprints(orientations)
            self._spots[key] = [
                (each.orientation, cell) for each in prints for cell in spots_within(self.cells, each)
            ]
        return self._spots[key]


def spots_within(cells: Collection[Cell], footprint: Footprint) -> list[Cell]:
    """Return every place of a footprint's top-left cell at which all of it lies on these cells."""
    _, high, wide, drawn_cells = footprint
    if len(drawn_cells) > len(cells):
        return []
    top, left = min(y for y, _ in cells), min(x for _, x in cells)
    height = max(y for y, _ in cells) - top + 1
    width = max(x for _, x in cells) - left + 1
    # `?` cells may lie outside: the board has space for all of the drawing on every side.
    board = Board(height + 2 * high, width + 2 * wide)
    mask = board.from_cells(Cell(y - top + high, x - left + wide) for y, x in cells)
    found = -1
    for y, x in drawn_cells:
        found &= mask >> (y * board.stride + x)
    if found == -1:
        return []
    return [Cell(y + top - high, x + left - wide) for y, x in board.cells(found)]
