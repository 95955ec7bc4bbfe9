"""Shortest ways over a mask, found for all cells of a start at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon.grid.bits import Board
    from dungeon.grid.rect import Cell


def shortest_way(
    board: Board, starts: int, goals: int, ground: int, random: Callable[[], float]
) -> list[Cell]:
    """Return the cells of a shortest way over the ground from any of the starts to any of the goals, ends included.

    A breadth-first search whose every layer is one mask. Of several shortest ways chance picks one, cell by cell, so that
    it does not run straight where it need not.

    Returns:
        The cells from start to goal; none if no way leads there.
    """
    layers = []
    layer = starts & ground
    left = ground & ~layer
    while layer:
        layers.append(layer)
        if layer & goals:
            break
        layer = board.beside(layer) & left
        left &= ~layer
    else:
        return []
    at = _any(board, layer & goals, random)
    way = [at]
    for layer in reversed(layers[:-1]):
        at = _any(board, board.beside(board.from_cells([at])) & layer, random)
        way.append(at)
    way.reverse()
    return way


def _any(board: Board, bits: int, random: Callable[[], float]) -> Cell:
    return board.nth(bits, int(random() * bits.bit_count()))
