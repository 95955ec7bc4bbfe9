"""A card as it lies: a prefab, a plain room or a mere passage on one or more cells of the grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from dungeon.content.values.grammar import roll
from dungeon.generation.layouts.cards.faces import Border, Opening
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.cards.faces import Face
    from dungeon.generation.layouts.cards.lattice import Lattice
    from dungeon.generation.layouts.cards.params import CardsParams

LEAST_SHARE = 0.6
"""How much of its cell a plain room takes at least, each way."""

LEAST_SIDE = 3
"""How many cells the sides of a plain room have at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """What no prefab draws.

    Attributes:
        kind: A room, or a mere passage.
        cells: (height, width) bool, its open cells.
    """

    kind: Literal["room", "passage"]
    cells: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card on the grid.

    Attributes:
        plot: Which zone it belongs to; None for a bridge or a piece of a tunnel.
        cells: The rectangle of the grid that it takes.
        box: The rectangle of the map that its drawing covers, or its open cells if it is plain.
        look: What it is.
    """

    plot: int | None
    cells: Rect
    box: Rect
    look: Face | Plain

    def openings(self, border: Border, lattice: Lattice) -> Sequence[Opening]:
        """Return where it can be entered on one side of one of its cells; `at` is a row or column of the map."""
        first = self.box.x if border.dy else self.box.y
        if not isinstance(self.look, Plain):
            return [Opening(first + at, mouth) for at, mouth in self.look.openings.get(border, ())]
        cells = self.look.cells
        edge = (
            cells[-1 if border.dy > 0 else 0] if border.dy else cells[:, -1 if border.dx > 0 else 0]
        ).tolist()
        down, across = (0, border.number) if border.dy else (border.number, 0)
        cell = lattice.on_map(Rect(self.cells.y + down, self.cells.x + across, 1, 1))
        low, high = (cell.x, cell.right) if border.dy else (cell.y, cell.bottom)
        return [
            Opening(first + at, 0) for at, is_open in enumerate(edge) if is_open and low <= first + at < high
        ]

    def can_open(self, border: Border) -> bool:
        """Tell whether it can be entered on one side of one of its cells. All that is plain can be, everywhere."""
        return isinstance(self.look, Plain) or border in self.look.openings

    def first_beyond(self, border: Border, at: int) -> Cell:
        """Return the first cell beyond what it draws, or opens, at a row or column of one side."""
        box = self.box
        if border.dy:
            return Cell(box.bottom if border.dy > 0 else box.y - 1, at)
        return Cell(at, box.right if border.dx > 0 else box.x - 1)


def passage(lattice: Lattice, plot: int | None, cells: Rect, stream: Stream) -> Card:
    """Return a passage: a single cell of floor anywhere in a cell of the grid, where its ways meet."""
    whole = lattice.on_map(cells).grown(-1)
    y, x = whole.y + stream.below(whole.height), whole.x + stream.below(whole.width)
    look = Plain(kind="passage", cells=np.ones((1, 1), np.bool_))
    return Card(plot=plot, cells=cells, box=Rect(y, x, 1, 1), look=look)


def room(lattice: Lattice, plot: int | None, cells: Rect, params: CardsParams, stream: Stream) -> Card:
    """Return a plain room somewhere in some cells of the grid, with its walls."""
    whole = lattice.on_map(cells).grown(-1)
    sides = []
    for length, count, side in (
        (whole.height, cells.height, lattice.height),
        (whole.width, cells.width, lattice.width),
    ):
        # What spans several cells of the grid must be open to all of them.
        least = max(LEAST_SIDE, round(LEAST_SHARE * length)) if count == 1 else length - side // 2
        sides.append(stream.between(min(least, length), length))
    height, width = sides
    y = whole.y + stream.between(0, whole.height - height)
    x = whole.x + stream.between(0, whole.width - width)
    name = roll(params.shapes, stream, "rectangle") if cells.area == 1 else "rectangle"
    mask = SHAPES[name](height, width, stream)
    return Card(plot=plot, cells=cells, box=Rect(y, x, height, width), look=Plain(kind="room", cells=mask))


def prefab(lattice: Lattice, plot: int | None, cells: Rect, face: Face) -> Card:
    """Return a prefab in some cells of the grid."""
    whole = lattice.on_map(cells)
    box = Rect(whole.y + face.y, whole.x + face.x, face.drawing.height, face.drawing.width)
    return Card(plot=plot, cells=cells, box=box, look=face)
