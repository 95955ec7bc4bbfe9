"""The pieces of a tunnelled map's plan: rectangles that hang together like a tree, and their walls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Iterable

SHORTEST = 4
"""The fewest cells that are worth a corridor."""

PieceKind = Literal["corridor", "junction", "hall", "room"]

Side = tuple[int, int, int, int, int]
"""One wall of a piece: (axis, wall, sign, low, high).

The wall is line `wall` of `axis`; what lies outside is beyond it in the direction of `sign`, +1 or -1; and it faces
the piece from the cell `low` to before the cell `high`.
"""


@dataclass(slots=True, eq=False)
class Piece:
    """A straight length of corridor, a junction, a hall or a room: a rectangle, joined to the piece it was begun from.

    Attributes:
        index: Its place in `TunnelPlan.pieces`.
        axis: The way it runs; `across` is its first line, `along` its first cell; then its size.
        sign: The direction in which it was dug, +1 or -1.
        parent: The piece it was begun from; `entry` is the (y, x) cell where one comes in from there.
        hold: The (first, last) cells along its parent that it needs; `holds` are what its own children need.
        door: The (y, x) wall cell of the door to the parent, if there is one.
        taste: Whether rooms beside it are smaller (down to -1) or larger (up to 1) than elsewhere.
        depth: How many pieces it is away from the one that has no parent.
        gone: Whether it has been taken back.
    """

    index: int
    kind: PieceKind
    axis: int
    across: int
    along: int
    thick: int
    length: int
    sign: int
    parent: Piece | None
    entry: tuple[int, int]
    hold: tuple[int, int] = (0, 0)
    door: tuple[int, int] | None = None
    taste: float = 0.0
    depth: int = 0
    gone: bool = False
    holds: list[tuple[int, int]] = field(default_factory=list)

    def rect(self) -> Rect:
        """Return where it lies on the canvas."""
        if self.axis:
            return Rect(self.along - 1, self.across - 1, self.length, self.thick)
        return Rect(self.across - 1, self.along - 1, self.thick, self.length)

    def framed(self) -> Rect:
        """Return where it lies in a framed mask, as a `TunnelPlan` has them."""
        if self.axis:
            return Rect(self.along, self.across, self.length, self.thick)
        return Rect(self.across, self.along, self.thick, self.length)

    def held_by(self, y: int, x: int) -> tuple[int, int]:
        """Return which cells along it are needed by what joins it at one of its own cells, or one just beyond its end."""
        at = min(max(y if self.axis else x, self.along), self.along + self.length - 1)
        return at, at

    def sides(self) -> tuple[Side, ...]:
        """Return its four walls: the two along it, then those at its ends."""
        axis, across, along = self.axis, self.across, self.along
        below, end = across + self.thick, along + self.length
        return (
            (axis, across - 1, -1, along, end),
            (axis, below, 1, along, end),
            (1 - axis, along - 1, -1, across, below),
            (1 - axis, end, 1, across, below),
        )

    def needed(self) -> tuple[int, int]:
        """Return the part of its length that is needed: from the first cell to before the last."""
        low, high = self.along + self.length, self.along
        if self.parent is not None:
            low = high = self.along if self.sign > 0 else self.along + self.length
        for first, last in self.holds:
            low = min(low, first)
            if last >= high:
                high = last + 1
        return low, high

    def held_at(self, axis: int, sign: int, first: int, last: int) -> tuple[int, int]:
        """Return which cells along it are needed by what joins it through these cells of a wall of that axis and sign."""
        if axis == self.axis:
            return first, last
        end = self.along if sign < 0 else self.along + self.length - 1
        return end, end


def cell(axis: int, across: int, along: int) -> tuple[int, int]:
    """Return the (y, x) of a cell."""
    return (along, across) if axis else (across, along)


# -- trees --------------------------------------------------------------------------------------


def hang(piece: Piece, at: tuple[int, int], onto: Piece) -> bool:
    """Let a piece, and with it the whole tree that it is part of, hang on a piece; tell whether that was another tree's.

    Args:
        piece: The piece; what it was begun from hangs on it from now on, and so on up to its tree's root.
        at: The (y, x) of its cell where one comes in.
        onto: What that cell touches.
    """
    if root_of(piece) is root_of(onto):
        return False
    child: Piece | None = piece
    parent, entry, hold, door = onto, at, onto.held_by(*at), None
    while child is not None:
        above, come_from, hung = child.parent, child.entry, child.door
        child.parent, child.entry, child.hold, child.door = parent, entry, hold, door
        parent.holds.append(hold)
        parent, entry, hold, door = child, come_from, child.held_by(*come_from), hung
        child = above
    return True


def sound(pieces: Iterable[Piece]) -> None:
    """Find out anew how deep all pieces are."""
    waiting = list(pieces)
    for piece in waiting:
        piece.depth = 0 if piece.parent is None else -1
    for piece in waiting:
        chain = []
        above: Piece | None = piece
        while above is not None and above.depth < 0:
            chain.append(above)
            above = above.parent
        depth = above.depth if above is not None else -1
        for each in reversed(chain):
            depth += 1
            each.depth = depth


def root_of(piece: Piece) -> Piece:
    """Return the piece of its tree that was begun from no other."""
    while piece.parent is not None:
        piece = piece.parent
    return piece
