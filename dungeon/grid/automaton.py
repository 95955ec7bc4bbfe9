"""Cellular automata and random growth on bitmasks (sets of cells in one integer, see `grid.bits`), all cells at once.

A *rim* is the cells beside a mask. A *stretch* is a part of a map that stays earth, so that maps have different outlines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dungeon.core.streams import Stream
    from dungeon.grid.bits import Board


def majority(board: Board, bits: int) -> int:
    """Return the mask of the cells with at least five set cells in their 3x3 neighbourhood, themselves included.

    This is the cave rule "born with 5 neighbours, lives with 4" of J. Babcock, "Cellular Automata Method for Generating
    Random Cave-Like Levels". Cells beyond the map count as unset. The counts are bit-sliced: each integer holds one
    binary digit of every cell's count, and full adders combine them.
    """
    stride = board.stride
    left, right = bits << 1, bits >> 1
    pair = left ^ right
    ones = pair ^ bits  # set cells among the three in a row: ones + 2 * twos
    twos = left & right | pair & bits
    above, below = ones << stride, ones >> stride
    pair = above ^ below
    odd = pair ^ ones
    carried = above & below | pair & ones
    above, below = twos << stride, twos >> stride
    pair = above ^ below
    even = pair ^ twos
    fours = above & below | pair & twos
    # The count of all nine cells is odd + 2 * (carried + even) + 4 * fours.
    more = carried & even
    return (more & fours | (more ^ fours) & (odd | carried ^ even)) & board.full


def grow_apart(
    board: Board, masks: Sequence[int], ground: int, draw: Callable[[], int], steps: int
) -> list[int]:
    """Let several masks grow by random cells beside them, and return the grown masks. Different masks never touch.

    After the growth model of M. Eden, "A two-dimensional growth process" (1961), applied to whole rims. At least one free cell
    stays between different masks, diagonally too; two branches of one mask may meet. In each step the masks grow in order.

    Args:
        board: The layout of the bitmasks.
        masks: The masks to grow, which do not touch each other.
        ground: The mask of the cells that may be added.
        draw: Returns a mask of random cells. It is called once in each step; only cells of its result are added in that step.
        steps: The number of steps.
    """
    stride = board.stride
    grown = list(masks)
    wide = [mask | mask << 1 | mask >> 1 for mask in grown]
    near = [each | each << stride | each >> stride for each in wide]
    for _ in range(steps):
        free = draw() & ground
        for index, mask in enumerate(grown):
            rim = (wide[index] | mask << stride | mask >> stride) & free
            for other, each in enumerate(near):
                if other != index:
                    rim &= ~each
            more = mask | rim
            grown[index] = more
            wide[index] = across = more | more << 1 | more >> 1
            near[index] = across | across << stride | across >> stride
    return grown


# -- outline ----------------------------------------------------------------------------------------
#
# Stretches are areas of a map that are left empty, so that maps have different outlines.
#
# A few blocks of random sizes, spread over the map, grow by random cells at their rims:
#
#     ############       ##      ######
#     ############        ##  #########
#     ############         ############
#     ############       ##############
#
# They are drawn on a board of half the map's size, which makes their outlines suitably coarse.


STRETCH = (0.1, 0.8)
"""Least and greatest side of the block that a stretch grows from, in units of `spacing`."""

STRETCHING = 4
"""The number of growth steps of a stretch."""

SPREADING = 3
"""The number of random positions tried for each block; the one farthest from the other blocks wins."""


def drawing(stream: Stream, board: Board) -> Callable[[], int]:
    """Return a function without parameters that draws a random mask of a board: each cell is set with probability 1/2."""
    bits, count = stream.bits, board.height * board.stride
    return lambda: bits(count)


def stretches(half: Board, area: Rect, barren: float, spacing: float, stream: Stream) -> int:
    """Return the mask of the stretches of a map that stay earth: random blocks with ragged edges.

    Args:
        half: The board of the result, which has half the map's height and width.
        area: The rectangle of the board `half` in which all stretches lie.
        barren: The greatest share of the area that the stretches cover, 0 to 1. The actual share is drawn from half of `barren`
            to `barren`.
        spacing: Sets the size of the blocks from which the stretches grow: each side has 0.1 to 0.8 times `spacing` cells of
            the board.
        stream: The random stream.
    """
    blocks = np.zeros((half.height, half.width), np.bool_)
    for block in _blocks(area, barren * (0.5 + 0.5 * stream.random()) * area.area, spacing, stream):
        blocks[block.slices] = True
    (grown,) = grow_apart(
        half, [half.from_array(blocks)], half.block(*area), drawing(stream, half), STRETCHING
    )
    return grown


def _blocks(area: Rect, cells: float, spacing: float, stream: Stream) -> Iterator[Rect]:
    """Yield the rectangles from which the stretches grow, spread over `area`.

    Args:
        area: The rectangle in which they must lie.
        cells: About how many cells all stretches cover after their growth.
        spacing: Sets the size of the rectangles: each side has 0.1 to 0.8 times `spacing` cells.
        stream: The random stream.
    """
    random, (least, most) = stream.random, STRETCH
    most_blocks = int(cells) // (1 + STRETCHING) ** 2 + 1
    middles = np.empty(most_blocks, np.complex128)  # each is y + xi
    for count in range(most_blocks):
        height = int(spacing * (least + (most - least) * random())) + 1
        width = int(spacing * (least + (most - least) * random())) + 1
        cells -= (height + STRETCHING) * (width + STRETCHING)
        if cells < 0:
            return
        tried = np.array(
            [
                [complex(area.y + random() * area.height, area.x + random() * area.width)]
                for _ in range(SPREADING)
            ]
        )
        apart = np.abs(tried - middles[:count]).min(axis=1, initial=area.height + area.width)
        middles[count] = middle = tried.item(int(apart.argmax()))
        block = Rect(int(middle.real - height / 2), int(middle.imag - width / 2), height, width)
        top, left = max(block.y, area.y), max(block.x, area.x)
        yield Rect(top, left, min(block.bottom, area.bottom) - top, min(block.right, area.right) - left)
