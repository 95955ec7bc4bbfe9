"""Pieces: what the map is made of, as it lies in one orientation, ready to be fitted to what is there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.generation.openings.connectors import Connector, joints
from dungeon.generation.openings.remembered import remembered
from dungeon.grid.bits import row_bits, runs
from dungeon.grid.neighbours import framed, touching
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import bounds_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.streams import Stream
    from dungeon.grid.bits import Board
    from dungeon.terrain import TerrainSet

LONG_SIDE = 9
"""Sides of auto-rooms with this many cells or more have two connectors, shorter ones one."""


class Ending(NamedTuple):
    """A connector of a piece.

    Attributes:
        connector: Where it is.
        reach: How long a hallway from it may be before the piece itself is in its way.
    """

    connector: Connector
    reach: int


class Print(NamedTuple):
    """The masks of a piece on some board, where its top left cell is the board's (1, 1).

    Attributes:
        opened: Its open cells; `near`: with those that touch them; `walked`: those that can be walked on.
        built: The cells that it draws, if it is a prefab; `plain`: of those its mere wall and earth.
    """

    opened: int
    near: int
    walked: int
    built: int
    plain: int


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """The ground of a prefab or an auto-room in one orientation.

    Attributes:
        codes: (height, width) uint8, its terrain while nothing is joined to it; `KEEP` where it has none.
        opened: (height, width) bool, its open cells; `walked`: those that one can walk on and on which nothing stays.
        bounds: The smallest rectangle around its open cells.
        open_blocks: Its open cells; `plain_blocks`: its cells of mere wall or earth; `solid_blocks`: the other ones.
        endings: Where it may be joined.
        is_drawn: Whether it is a prefab.
    """

    codes: NDArray[np.uint8]
    opened: NDArray[np.bool_]
    walked: NDArray[np.bool_]
    endings: tuple[Ending, ...]
    is_drawn: bool
    bounds: Rect = field(init=False)
    open_blocks: tuple[Rect, ...] = field(init=False)
    plain_blocks: tuple[Rect, ...] = field(init=False, default=())
    solid_blocks: tuple[Rect, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        masks = {"open_blocks": self.opened}
        if self.is_drawn:
            plain = (
                self.codes <= t.WALL
            )  # which two pieces may both have in a cell; earth is the only code below
            masks |= {"plain_blocks": plain, "solid_blocks": (self.codes != t.KEEP) & ~self.opened & ~plain}
        for name, cells in masks.items():
            # The largest has the least space, and is looked for first.
            object.__setattr__(self, name, tuple(sorted(blocks_of(cells), key=_size, reverse=True)))
        object.__setattr__(self, "bounds", bounds_of(self.opened))

    @property
    def size(self) -> tuple[int, int]:
        """(height, width)."""
        height, width = self.codes.shape
        return height, width

    def within(self, board: Board) -> int:
        """Return where its top left cell may be so that it lies on a board; off the outermost cells, if it is a prefab."""
        margin, (height, width) = (1 if self.is_drawn else 0), self.size
        rows, columns = board.height - 2 * margin - height + 1, board.width - 2 * margin - width + 1
        return board.block(margin, margin, rows, columns) if rows > 0 and columns > 0 else 0

    def print_on(self, board: Board) -> Print:
        """Return its masks on a board that it lies on."""

        def mask(cells: NDArray[np.bool_]) -> int:
            return board.from_part(cells, 1) << board.stride

        opened = mask(self.opened)
        near = board.around(opened)
        if not self.is_drawn:
            return Print(opened, near, opened, 0, 0)
        built, plain = mask(self.codes != t.KEEP), mask(self.codes <= t.WALL)
        return Print(opened, near, mask(self.walked), built, plain)


def piece_of(drawing: Drawing, terrain_set: TerrainSet) -> Piece | None:
    """Return the piece of a drawing, made once for as long as its ground lasts; None if nothing can be joined to it."""
    return remembered(_piece, drawing, terrain_set)


def _piece(drawing: Drawing, terrain_set: TerrainSet) -> Piece | None:
    found = joints(drawing, terrain_set)
    if found.objection is not None:
        return None
    opened = (found.codes != t.KEEP) & (terrain_set.base[found.codes] > t.BLOCKED)
    walked = opened & terrain_set.passable.take(found.codes) & ~drawing.obstacles
    return Piece(found.codes, opened, walked, _endings(found.codes, opened, found.connectors), True)


def auto_room(shape: NDArray[np.bool_], stream: Stream) -> Piece:
    """Return a room of a shape, (height, width) bool, as a piece: with a cell of nothing around it, where its wall will be.

    Each of its four sides has a connector somewhere, long ones two.
    """
    height, width = shape.shape
    opened = np.zeros((height + 2, width + 2), np.bool_)
    opened[1:-1, 1:-1] = shape
    codes = np.where(opened, np.uint8(t.FLOOR), np.uint8(t.KEEP))
    sides = ((1, 0, shape[-1]), (-1, 0, shape[0]), (0, -1, shape[:, 0]), (0, 1, shape[:, -1]))
    found: list[Ending] = []
    for dy, dx, line in sides:
        places = line.nonzero()[0].tolist()
        count = 1 if len(places) < LONG_SIDE else 2
        for part in range(count):
            low, high = part * len(places) // count, (part + 1) * len(places) // count
            at = places[stream.between(low, high - 1)] + 1
            y, x = ((height + 1) * (dy > 0), at) if dy else (at, (width + 1) * (dx > 0))
            found.append(Ending(Connector(y, x, dy, dx, 1, (Cell(y, x),), None), height + width))
    return Piece(codes, opened, opened, tuple(found), False)


def _endings(
    codes: NDArray[np.uint8], opened: NDArray[np.bool_], connectors: tuple[Connector, ...]
) -> tuple[Ending, ...]:
    """Return connectors, each with how far a hallway from it gets."""
    height, width = codes.shape
    barred = framed((codes != t.KEEP) | touching(opened))
    found = []
    for each in connectors:
        y, x, reach = each.y + each.dy, each.x + each.dx, height + width
        while 0 <= y < height and 0 <= x < width:
            if barred[y + 1, x + 1] and not _is_front(each, y, x):
                reach = abs(y - each.y) + abs(x - each.x) - 1
                break
            y, x = y + each.dy, x + each.dx
        found.append(Ending(each, reach))
    return tuple(found)


def _is_front(connector: Connector, y: int, x: int) -> bool:
    """Tell whether a cell is the first one before a connector that is all open."""
    return not connector.way and (y, x) == (connector.y + connector.dy, connector.x + connector.dx)


def _size(block: Rect) -> int:
    return block.height * block.width


def blocks_of(cells: NDArray[np.bool_]) -> tuple[Rect, ...]:
    """Return the rectangles that set cells are made of: runs in a row, each with those just like it in the rows below."""
    found: list[Rect] = []
    begun: dict[
        tuple[int, int], int
    ] = {}  # the first column of a run, and how many it has -> the first row with it
    for y, row in enumerate((*row_bits(cells), 0)):
        now = runs(row)
        for run in [*begun]:
            if run not in now:
                top, (x, length) = begun.pop(run), run
                found.append(Rect(top, x, y - top, length))
        for run in now:
            begun.setdefault(run, y)
    return tuple(found)
