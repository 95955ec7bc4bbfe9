"""The pieces of the layout `tunnels` (corridors, junctions, halls and rooms), and the trees that they form.

A piece is a rectangle of a plan, joined to the piece that it was begun from, its parent. A line is a row for axis 0, a
column for axis 1. A side is a wall: (axis, its line, direction away from the piece, first cell, cell after the last).

    ==========.....      one corridor with two rooms behind doors (+) and a corridor that branches off
       +  ||
     +--+ ||             the corridor is the parent of the other three pieces
     |  | ||
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Iterable

# -- piece -----------------------------------------------------------------------------------------


SHORTEST = 4
"""The shortest corridor, in cells: a shorter one looks like a gap between two rooms."""

TunnelPieceKind = Literal["corridor", "junction", "hall", "room"]

Side = tuple[int, int, int, int, int]
"""One wall of a piece: (axis, wall, sign, low, high).

The wall is line `wall` of `axis`. Beyond it, in the direction `sign` (+1 or -1), is outside. The piece touches the
wall's cells from `low` to below `high`:

    axis 0, sign -1:    .........     outside: line wall - 1
                        #########     line `wall`
                        =========     the piece
                        ^low     ^high
"""


@dataclass(slots=True, eq=False)
class TunnelPiece:
    """A straight corridor, a junction, a hall or a room: a rectangle with the piece that it was begun from.

        axis 0, sign 1:     along           axis 1: the same with rows and columns swapped
                            v
            across ->       ==========>     thick = 2 lines, length = 10 cells
                            ==========>

    Attributes:
        index: Its place in `TunnelPlan.pieces`.
        kind: What it is.
        axis: The direction of its length: 0 along a row, 1 along a column.
        across: Its first line (a row for axis 0, a column for axis 1).
        along: Its first cell on these lines.
        thick: How many lines it has.
        length: How many cells it has on each line.
        sign: The direction in which it was dug, +1 or -1.
        parent: The piece from which it was begun; None for the root of a tree.
        entry: The (y, x) of its cell next to the parent.
        hold: The (first, last) cells along the parent's length that must not be cut off, since it is joined there.
        door: The (y, x) of the door in the wall to its parent; None if the two are open to each other.
        size_bias: Whether rooms beside it are smaller (down to -1) or larger (up to 1) than elsewhere.
        depth: The number of its ancestors: parent, parent's parent and so on.
        gone: Whether it has been removed from the plan.
        holds: The `hold` of each of its children, and the cells where other corridors are joined to this piece.
    """

    index: int
    kind: TunnelPieceKind
    axis: int
    across: int
    along: int
    thick: int
    length: int
    sign: int
    parent: TunnelPiece | None
    entry: tuple[int, int]
    hold: tuple[int, int] = (0, 0)
    door: tuple[int, int] | None = None
    size_bias: float = 0.0
    depth: int = 0
    gone: bool = False
    holds: list[tuple[int, int]] = field(default_factory=list)

    def rect(self) -> Rect:
        """Return the rectangle of the piece in coordinates of the canvas, which are those of the plan minus 1."""
        if self.axis:
            return Rect(self.along - 1, self.across - 1, self.length, self.thick)
        return Rect(self.across - 1, self.along - 1, self.thick, self.length)

    def framed(self) -> Rect:
        """Return the rectangle of the piece in coordinates of a `TunnelPlan`, which are those of the canvas plus 1."""
        if self.axis:
            return Rect(self.along, self.across, self.length, self.thick)
        return Rect(self.across, self.along, self.thick, self.length)

    def held_by(self, y: int, x: int) -> tuple[int, int]:
        """Return the (first, last) cells along this piece that must not be cut off, if another piece is joined at (y, x).

        The two are equal: the position of (y, x) along this piece. For a cell just past an end, it is the end cell.
        """
        at = min(max(y if self.axis else x, self.along), self.along + self.length - 1)
        return at, at

    def sides(self) -> tuple[Side, ...]:
        """Return the four walls of the piece: the two beside its length, then those at its ends."""
        axis, across, along = self.axis, self.across, self.along
        below, end = across + self.thick, along + self.length
        return (
            (axis, across - 1, -1, along, end),
            (axis, below, 1, along, end),
            (1 - axis, along - 1, -1, across, below),
            (1 - axis, end, 1, across, below),
        )

    def needed(self) -> tuple[int, int]:
        """Return the part of the piece's length that may not be cut off, as (first cell, cell after the last one).

        It reaches over all cells where other pieces are joined (`holds`) and, if the piece has a parent, to the end at
        the parent.
        """
        low, high = self.along + self.length, self.along
        if self.parent is not None:
            low = high = self.along if self.sign > 0 else self.along + self.length
        for first, last in self.holds:
            low = min(low, first)
            if last >= high:
                high = last + 1
        return low, high

    def held_at(self, axis: int, sign: int, first: int, last: int) -> tuple[int, int]:
        """Return the (first, last) cells along this piece that must not be cut off, if another piece is joined at a wall.

        Args:
            axis: The axis of the wall, as in `Side`: 0 if the wall is a row, 1 if it is a column.
            sign: The side of this piece on which the wall lies, as in `Side`.
            first: The first cell along the wall where the other piece is joined.
            last: The last cell along the wall where the other piece is joined.

        Returns:
            `first` and `last` for a wall beside the length of this piece, the end cell twice for a wall at an end.
        """
        if axis == self.axis:
            return first, last
        end = self.along if sign < 0 else self.along + self.length - 1
        return end, end


def cell(axis: int, across: int, along: int) -> tuple[int, int]:
    """Convert a position along a row or column to (y, x): `cell(0, 3, 8)` and `cell(1, 8, 3)` are both (3, 8).

    Args:
        axis: 0 for a position along a row, 1 for a position along a column.
        across: The number of the row (axis 0) or column (axis 1).
        along: The number of the cell on that row or column.
    """
    return (along, across) if axis else (across, along)


# -- trees --------------------------------------------------------------------------------------


def hang_tree(piece: TunnelPiece, at: tuple[int, int], onto: TunnelPiece) -> bool:
    """Join two trees of pieces: make `piece` a child of `onto`, so that all of its tree hangs below `onto`.

    First `piece` becomes the root of its own tree: parent and child change roles on the path from `piece` up to the
    old root.

    Args:
        piece: The piece that gets a new parent.
        at: The (y, x) of the cell of `piece` next to `onto`.
        onto: The new parent.

    Returns:
        False, with nothing changed, if both are in the same tree already.
    """
    if root_of(piece) is root_of(onto):
        return False
    child: TunnelPiece | None = piece
    parent, entry, hold, door = onto, at, onto.held_by(*at), None
    while child is not None:
        above, come_from, hung = child.parent, child.entry, child.door
        child.parent, child.entry, child.hold, child.door = parent, entry, hold, door
        parent.holds.append(hold)
        parent, entry, hold, door = child, come_from, child.held_by(*come_from), hung
        child = above
    return True


def measure_depths(pieces: Iterable[TunnelPiece]) -> None:
    """Set the `depth` (number of ancestors) of all these pieces again, after parents have changed."""
    waiting = list(pieces)
    for piece in waiting:
        piece.depth = 0 if piece.parent is None else -1
    for piece in waiting:
        chain = []
        above: TunnelPiece | None = piece
        while above is not None and above.depth < 0:
            chain.append(above)
            above = above.parent
        depth = above.depth if above is not None else -1
        for each in reversed(chain):
            depth += 1
            each.depth = depth


def root_of(piece: TunnelPiece) -> TunnelPiece:
    """Return the root of the tree that a piece belongs to: its first ancestor, or itself if it has no parent."""
    while piece.parent is not None:
        piece = piece.parent
    return piece
