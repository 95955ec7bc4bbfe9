"""The courses of rivers: they wind around what is hard to get through, from one side to the opposite one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.grid.noise import grain, value_noise
from dungeon.grid.paths.winding import winding_way

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.dressing.ground import Ground
    from dungeon.grid.bits import Board
    from dungeon.grid.rect import Rect

BEND = 9
"""So many cells lie between the hills around which a river winds."""

PEBBLES = 0.8
"""How much single cells count beside the hills."""

HARD, HARDER = 0.42, 0.6
"""From these values of the noise on, ground takes twice as long, and four times."""


def courses(ground: Ground, area: int, part: Rect, width: int, stream: Stream) -> Iterator[int]:
    """Yield the cells of rivers across a part of the map: from side to side, or else from top to bottom.

    A river begins and ends within half of its side, and where no way leads from there, anywhere on it.

    Args:
        ground: The map.
        area: The cells through which it may flow.
        part: What it flows across.
        width: How many cells wide it is.
        stream: Where chance comes from.
    """
    board = ground.board
    speeds = _speeds(ground, area, stream)
    lies_across = part.width * stream.random() > part.height * stream.random()
    for across in (lies_across, not lies_across):
        length = part.height if across else part.width
        half = (length + 1) // 2
        places = [(stream.between(0, length - half), half), (stream.between(0, length - half), half)]
        for one, other in (places, [(0, length), (0, length)]):
            starts = _line(board, part, one, far=False, across=across) & area
            goal = _line(board, part, other, far=True, across=across) & area
            if starts and goal and (way := winding_way(board, speeds, starts, goal)):
                yield _widened(board, way, width) & area


def _speeds(ground: Ground, area: int, stream: Stream) -> dict[int, int]:
    """Return turns -> the cells through which a river takes so many; it keeps out of corridors as far as it can."""
    board = ground.board
    noise = value_noise(stream, board.height, board.width, BEND)
    noise += PEBBLES * (grain(stream, board.height, board.width) - 0.5)
    hard, harder = board.from_array(noise > HARD), board.from_array(noise > HARDER)
    harder |= board.from_array(ground.canvas.base == t.CORRIDOR)
    return {1: area & ~hard & ~harder, 2: area & hard & ~harder, 4: area & harder}


def _line(board: Board, part: Rect, place: tuple[int, int], *, far: bool, across: bool) -> int:
    """Return the cells of one side of a rectangle, from the how-manieth on and how many."""
    first, count = place
    if across:
        return board.block(part.y + first, part.right - 1 if far else part.x, count, 1)
    return board.block(part.bottom - 1 if far else part.y, part.x + first, 1, count)


def _widened(board: Board, way: int, width: int) -> int:
    """Return a way that is 1 to 3 cells wide."""
    if width == 1:
        return way
    return way | board.move(way, 0, 1) | board.move(way, 1, 0) if width == 2 else board.beside(way)
