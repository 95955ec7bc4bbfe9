"""Cellular automata and growth on whole masks held as integers (see `grid.bits`): every cell at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
