"""Taking back what tunnelers dug in vain."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.tunnels.piece import Piece
    from dungeon.generation.layouts.tunnels.plan import TunnelPlan

STUB = 3
"""A dead end shorter than this would look like a mistake."""


def trim(plan: TunnelPlan, first: Piece | None, dead_ends: float, stream: Stream) -> None:
    """Take back what leads nowhere: junctions without exits and the ends of corridors.

    Going from the farthest pieces to those that they hang on, each knows what is left of its children.

    Args:
        plan: The plan.
        first: The piece whose both ends may lead nowhere, if there is one.
        dead_ends: The share of the dead ends that stay.
        stream: What decides which.
    """
    random = stream.random
    pieces = plan.pieces[::-1]
    if plan.grafted:
        pieces.sort(key=lambda piece: -piece.depth)
    for piece in pieces:
        if piece.kind == "room" or piece is first or piece.gone:
            continue
        low, high = piece.needed()
        if piece.kind == "corridor" and piece.length - (high - low) >= STUB and random() < dead_ends:
            continue
        if not piece.holds:
            plan.remove(piece)
        elif piece.kind == "corridor":
            plan.cut(piece, low, high)
    if first is not None and first.parent is None and not first.gone:
        _trim_first(plan, first)


def _trim_first(plan: TunnelPlan, first: Piece) -> None:
    """Trim the first piece: both its ends may lead nowhere, and where only one thing was begun from it, it does."""
    while len(first.holds) == 1:
        children = [p for p in plan.pieces if p.parent is first and not p.gone and p.door is None]
        if not children:
            break
        plan.remove(first)
        first = children[0]
        first.parent = None
    if not first.holds:
        plan.remove(first)
    elif first.kind == "corridor":
        low, high = first.needed()
        least = STUB if len(first.holds) == 1 else first.thick
        high = min(max(high, low + least), first.along + first.length)
        plan.cut(first, max(min(low, high - least), first.along), high)
