"""Taking back what tunnelers dug in vain."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dungeon.layouts.burrow import Burrow, Piece
    from dungeon.streams import Stream

STUB = 3
"""A dead end shorter than this would look like a mistake."""


def trim(burrow: Burrow, dead_ends: float, stream: Stream) -> None:
    """Take back what leads nowhere: junctions without exits and the ends of corridors.

    Children come after their parents, so going backwards each piece knows what is left of its children.

    Args:
        burrow: The plan; its first piece is the one from which all others were begun.
        dead_ends: The share of the dead ends that stay.
        stream: What decides which.
    """
    random = stream.random
    for piece in burrow.pieces[:0:-1]:
        if piece.kind == "room":
            continue
        low, high = piece.needed()
        if piece.kind == "corridor" and piece.length - (high - low) >= STUB and random() < dead_ends:
            continue
        if not piece.holds:
            burrow.remove(piece)
        elif piece.kind == "corridor":
            burrow.cut(piece, low, high)
    _trim_first(burrow, burrow.pieces[0])


def _trim_first(burrow: Burrow, first: Piece) -> None:
    """Trim the first piece: both its ends may lead nowhere, and where only one thing was begun from it, it does."""
    while len(first.holds) == 1:
        children = [p for p in burrow.pieces if p.parent is first and not p.gone and p.door is None]
        if not children:
            break
        burrow.remove(first)
        first = children[0]
        first.parent = None
    if not first.holds:
        burrow.remove(first)
    elif first.kind == "corridor":
        low, high = first.needed()
        least = STUB if len(first.holds) == 1 else first.thick
        high = min(max(high, low + least), first.along + first.length)
        burrow.cut(first, max(min(low, high - least), first.along), high)
