"""Cellular automata and growth on whole masks held as integers (see `grid.bits`): every cell at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dungeon.core.streams import Stream
    from dungeon.grid.bits import Board


def majority(board: Board, bits: int) -> int:
    """Return the cells of whose 3x3 neighbourhood, themselves included, at least five are set.

    This is the cave rule "born with 5, lives with 4" of J. Babcock's "Cellular Automata Method for Generating
    Random Cave-Like Levels". Cells beyond the map count as unset. The counts are bit-sliced: each integer holds one
    binary digit of the count of every cell, and full adders combine them.
    """
    stride = board.stride
    left, right = bits << 1, bits >> 1
    pair = left ^ right
    ones = pair ^ bits  # the count of a row's three cells: ones + 2 twos
    twos = left & right | pair & bits
    above, below = ones << stride, ones >> stride
    pair = above ^ below
    odd = pair ^ ones
    carried = above & below | pair & ones
    above, below = twos << stride, twos >> stride
    pair = above ^ below
    even = pair ^ twos
    fours = above & below | pair & twos
    # The count of all nine is odd + 2 (carried + even) + 4 fours.
    more = carried & even
    return (more & fours | (more ^ fours) & (odd | carried ^ even)) & board.full


def grow_apart(
    board: Board, masks: Sequence[int], ground: int, draw: Callable[[], int], steps: int
) -> list[int]:
    """Let masks grow over the ground in turns, by random cells at their rims, so that they never touch.

    After M. Eden's growth model ("A two-dimensional growth process", 1961), all rims at once. What of one mask comes
    near itself grows together; different masks keep a cell apart, corners included.

    Args:
        board: How the masks are laid out.
        masks: What grows; apart from the start.
        ground: Where it may grow.
        draw: Returns a mask of random cells: those that may grow in a step.
        steps: How often each grows.
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
# Stretches of a map that are left out, so that no two maps have one outline.
#
# A few blocks of random sizes, spread over the map, grow at random at their rims:
#
#     ############       ##      ######
#     ############        ##  #########
#     ############         ############
#     ############       ##############
#
# They are drawn on a board of half the map's size, which makes them as coarse as they should be.


STRETCH = (0.1, 0.8)
"""How long the sides of the block are at least and at most from which a stretch grows, in spacings."""

STRETCHING = 4
"""How often stretches grow."""

SPREADING = 3
"""Of how many random places for a stretch the one farthest from the others is taken."""


def drawing(stream: Stream, board: Board) -> Callable[[], int]:
    """Return a function that draws half of a board's cells."""
    bits, count = stream.bits, board.height * board.stride
    return lambda: bits(count)


def stretches(half: Board, area: Rect, barren: float, spacing: float, stream: Stream) -> int:
    """Return the mask of some stretches.

    Args:
        half: A board of half the map's size.
        area: The part of it in which they lie.
        barren: At most this share of it, and at least half as much, is in them.
        spacing: How many cells of the board the sides of the blocks are measured by.
        stream: Where chance comes from.
    """
    blocks = np.zeros((half.height, half.width), np.bool_)
    for block in _blocks(area, barren * (0.5 + 0.5 * stream.random()) * area.area, spacing, stream):
        blocks[block.slices] = True
    (grown,) = grow_apart(
        half, [half.from_array(blocks)], half.block(*area), drawing(stream, half), STRETCHING
    )
    return grown


def _blocks(area: Rect, cells: float, spacing: float, stream: Stream) -> Iterator[Rect]:
    """Yield the blocks from which stretches grow until they cover about so many cells, spread over the area."""
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
