"""The shapes of chasms: jagged lines, widest in the middle."""

from __future__ import annotations

from functools import reduce
from math import cos, pi, sin
from operator import or_
from typing import TYPE_CHECKING

from dungeon.grid.bits import flooded
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.dressing.ground import Ground
    from dungeon.grid.bits import Board

LEAST = 0.6
"""A chasm that has this share of the length that was asked for is long enough."""

JAGGED = 0.5
"""How far it may turn from cell to cell, in radians."""


def chasms(ground: Ground, area: int, seen: int, length: int, width: int, stream: Stream) -> Iterator[int]:
    """Yield chasms of about that length, each of them with its middle elsewhere, until no place is left.

    Args:
        ground: The map.
        area: The cells through which it may go.
        seen: Those of them in which its middle may lie: a chasm within rock would be lost on everybody.
        length: From end to end.
        width: In the middle.
        stream: Where chance comes from.
    """
    board, size = ground.board, (length // 2, width)
    within, left = board.to_flags(area), board.to_array(seen)
    for place in ground.in_random_order(seen, stream):
        y, x = divmod(place, board.stride)
        if not left[y, x]:
            continue
        heading = stream.random() * 2 * pi
        (one, steps), (other, more) = (
            _arm(board, within, (y, x), heading + turn, size, stream) for turn in (0.0, pi)
        )
        if steps + more + 1 >= length * LEAST:
            centre = 1 << place
            torn = reduce(or_, (board.block(*each) for each in (*one, *other)), centre)
            yield flooded(area & torn, centre, board.stride)
        left[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2] = False


def _arm(
    board: Board, area: bytes, start: tuple[int, int], heading: float, size: tuple[int, int], stream: Stream
) -> tuple[list[Rect], int]:
    """Return the blocks of one half of a chasm, which may stick out of the area, and how long it is within."""
    length, width = size
    y, x = start[0] + 0.5, start[1] + 0.5
    blocks: list[Rect] = []
    for step in range(length):
        high = max(round(width * cos(step / (length + 1) * pi / 2)), 1)
        top, left = int(y) - high // 2, int(x) - high // 2
        bottom, right = min(top + high, board.height), min(left + high, board.width)
        top, left = max(top, 0), max(left, 0)
        place = int(y) * board.stride + int(x)
        if not area[place]:
            return blocks, step
        blocks.append(Rect(top, left, bottom - top, right - left))
        heading += (stream.random() - 0.5) * 2 * JAGGED
        # No step is diagonal, so that the line hangs together.
        if stream.random() < abs(sin(heading)) / (abs(sin(heading)) + abs(cos(heading))):
            y += 1 if sin(heading) > 0 else -1
        else:
            x += 1 if cos(heading) > 0 else -1
    return blocks, length
