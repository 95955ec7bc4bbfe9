"""Ways into prefabs that may be, and are opened because a corridor or a room happens to lie close by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.generation.layouts.tunnels.piece import Piece

if TYPE_CHECKING:
    from dungeon.generation.layouts.tunnels.plan import TunnelPlan
    from dungeon.generation.layouts.tunnels.standing import Lane, Standing

CLOSE = 4
"""How many cells of earth there may be between a prefab and what it is opened to."""


def open_lanes(plan: TunnelPlan, standing: Standing) -> None:
    """Open prefabs toward corridors and rooms that lie close beyond their mouths, once at most to each side."""
    opened: set[tuple[int, int, int]] = set()
    for lane in standing.lanes:
        mouth = lane.mouth
        key = (mouth.region, mouth.dy, mouth.dx)
        if key in opened:
            continue
        if _is_joined(plan, standing, lane) or (mouth.kind != "tunneler" and _open(plan, standing, lane)):
            opened.add(key)


def _is_joined(plan: TunnelPlan, standing: Standing, lane: Lane) -> bool:
    """Tell whether a way leads through a lane already."""
    return _is_taken(plan, lane.front) and all(standing.open[cell] for cell in lane.inner)


def _open(plan: TunnelPlan, standing: Standing, lane: Lane) -> bool:
    """Open a lane straight ahead, if that leads to a corridor or through a wall into a room; tell whether it was done."""
    mouth, inner = lane.mouth, lane.inner
    dy, dx = mouth.dy, mouth.dx
    # Its own earth comes first, into which others may have dug.
    for number, (y, x) in enumerate(reversed(inner)):
        piece = plan.piece_at(y, x)
        if piece is not None and piece.kind != "room":
            standing.dig(inner[len(inner) - number :], mouth.region)
            return True
        if any(_is_shut(plan, place) for place in ((y, x), (y + dx, x + dy), (y - dx, x - dy))):
            return False
    y, x = lane.front
    for length in range(CLOSE + 1):
        piece = plan.piece_at(y, x)
        if piece is not None and piece.kind != "room":
            _dig(plan, standing, lane, length, piece)
            return True
        if _is_taken(plan, (y, x)) or _is_taken(plan, (y + dx, x + dy)) or _is_taken(plan, (y - dx, x - dy)):
            return False
        room = plan.piece_at(y + dy, x + dx)
        if room is not None and room.kind == "room":
            return _add_door(plan, standing, lane, length, room)
        y, x = y + dy, x + dx
    return False


def _add_door(plan: TunnelPlan, standing: Standing, lane: Lane, length: int, room: Piece) -> bool:
    """Open a lane of that length into a room, with a door in the room's wall; tell whether a door can stand there."""
    mouth, (y, x) = lane.mouth, lane.front
    y, x = y + length * mouth.dy, x + length * mouth.dx
    axis, across, along = (0, y, x) if mouth.dy else (1, x, y)
    near = plan.doors[axis][across - 1] | plan.doors[axis][across] | plan.doors[axis][across + 1]
    if near >> (along - 1) & 7:
        return False
    piece = _dig(plan, standing, lane, length, None)
    if piece is not None:
        plan.add_loop(y, x, piece, room)
    else:
        plan.add_door(y, x)
        standing.doors.append((y, x, mouth.region, room))
    return True


def _dig(plan: TunnelPlan, standing: Standing, lane: Lane, length: int, target: Piece | None) -> Piece | None:
    """Dig a lane's cells within the prefab and that many beyond; return the piece that these are, if there are any."""
    mouth, (y, x) = lane.mouth, lane.front
    standing.dig(lane.inner, mouth.region)
    if not length:
        return None
    axis, sign = int(mouth.dy != 0), mouth.dy + mouth.dx
    across, along = (x, y) if axis else (y, x)
    end = along + sign * (length - 1)
    entry, hold = (end, across) if axis else (across, end), (0, 0)
    if target is not None:
        hold = target.held_by(*entry)
    low, index = min(along, end), len(plan.pieces)
    return plan.add(Piece(index, "corridor", axis, across, low, 1, length, -sign, target, entry, hold))


def _is_shut(plan: TunnelPlan, place: tuple[int, int]) -> bool:
    """Tell whether a cell is part of a room or is a door, which nothing but doors may open."""
    y, x = place
    piece = plan.piece_at(y, x)
    return bool(plan.doors[0][y] >> x & 1) or (piece is not None and piece.kind == "room")


def _is_taken(plan: TunnelPlan, place: tuple[int, int]) -> bool:
    y, x = place
    return bool(plan.used[0][y] >> x & 1)
