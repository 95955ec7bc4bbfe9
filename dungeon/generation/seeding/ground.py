"""Where on a map there is still space for features, and whether the ways to those that lie there stay open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from dungeon.grid.bits import Board, without
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import Parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dungeon.level.canvas import Mouth

REACH = 5
"""How many cells before a mouth are kept free for the way that is to come: the shortest corridor, and its wall."""

MOST_LOST = 0.05
"""Barriers and areas may cut off this share of the earth that is left, at most."""


@dataclass(frozen=True, slots=True)
class Front:
    """The cells before a mouth, or before a wall that is to be broken through, from the top left cell of its prefab.

    Attributes:
        must: Whether it is needed even if there are other mouths: a tunneler's is.
        group: Which part of the prefab it leads into: one of those is needed that lead into the same; -1 for none.
        rect: The cells that a way needs; `clear`: those and the cells beside them.
    """

    must: bool
    group: int
    rect: Rect
    clear: Rect

    @classmethod
    def of(cls, mouth: Mouth, group: int = 0) -> Front:
        """Return what lies before a mouth that leads into that part of its prefab."""
        y, x = min(mouth.y, mouth.y + mouth.dy * (REACH - 1)), min(mouth.x, mouth.x + mouth.dx * (REACH - 1))
        if mouth.dy:
            rect = Rect(y, x, REACH, mouth.width)
            clear = Rect(y, x - 1, REACH, mouth.width + 2)
        else:
            rect = Rect(y, x, mouth.width, REACH)
            clear = Rect(y - 1, x, mouth.width + 2, REACH)
        return cls(mouth.kind == "tunneler", group, rect, clear)

    @classmethod
    def beside(cls, cell: Cell, group: int) -> Front:
        """Return a cell by which a way may come that is dug to that part of its prefab."""
        rect = Rect(*cell, 1, 1)
        return cls(must=False, group=group, rect=rect, clear=rect)


@dataclass(frozen=True, slots=True)
class SeededSite:
    """A prefab on the map: where it lies, and what lies before its mouths, in cells of the map."""

    rect: Rect
    fronts: tuple[Front, ...]


class FeatureSpace:
    """The space on a map while features are put on it.

    Attributes:
        board: The layout of all masks here.
        areas: The mask of barriers and of areas in which nothing is dug.
        sites: The prefabs.
    """

    def __init__(self, height: int, width: int) -> None:
        self.board = Board(height, width)
        self.inside = self.board.block(1, 1, height - 2, width - 2)
        self.areas = 0
        self.prefabs = 0
        self.fronts = 0
        self.sites: list[SeededSite] = []

    # -- space ----------------------------------------------------------------------------------

    def space_for_area(self, height: int, width: int) -> int:
        """Return the top left cells at which a barrier or an area leaves prefabs and their fronts alone."""
        board = self.board
        return board.fits(board.full & ~board.around(self.prefabs) & ~self.fronts, height, width)

    def space_for_prefab(self, height: int, width: int, fronts: Sequence[Front]) -> int:
        """Return the top left cells at which a prefab touches nothing and has space before its mouths.

        Before all of those at which a way must start, and before one at least of those that lead into the same part of it.
        """
        free = self.board.full & ~self.areas & ~self.prefabs
        apart = free & ~self.fronts
        found = self._fits(self.inside, Rect(0, 0, height, width)) & self._fits(
            apart, Rect(0, 0, height, width).grown()
        )
        some = {front.group: 0 for front in fronts if front.group >= 0}
        for front in fronts:
            fits = self._fits(free & self.inside, front.rect) & self._fits(free, front.clear)
            if front.group >= 0:
                some[front.group] |= fits
            if front.must:
                found &= fits
        return reduce(and_, some.values(), found)

    def space_on_a_bare_map(self, height: int, width: int, fronts: Sequence[Front]) -> tuple[int, int]:
        """Return the top left cells at which a prefab lies inside of a map without anything else, and at which it can be entered."""
        bare = FeatureSpace(self.board.height, self.board.width)
        return bare.space_for_prefab(height, width, ()), bare.space_for_prefab(height, width, fronts)

    def _fits(self, mask: int, block: Rect) -> int:
        """Return the cells from which a block, at its offset from them, lies wholly in the mask."""
        board = self.board
        by = block.y * board.stride + block.x
        corners = board.fits(mask, block.height, block.width)
        corners = corners >> by if by >= 0 else corners << -by
        # A block that begins left of the map would be taken for one at the end of the row above.
        top, left = max(-block.y, 0), max(-block.x, 0)
        height, width = board.height - max(block.y, 0) - top, board.width - max(block.x, 0) - left
        return corners & board.block(top, left, max(height, 0), max(width, 0))

    # -- taking it ------------------------------------------------------------------------------

    def take_area(self, rect: Rect) -> bool:
        """Put a barrier or an area somewhere, unless that would cut the map in two or a prefab off from it."""
        before = self.areas
        self.areas |= self.board.block(*rect)
        if self._is_whole(MOST_LOST):
            return True
        self.areas = before
        return False

    def take_prefab(self, rect: Rect, fronts: Iterable[Front]) -> bool:
        """Put a prefab somewhere, unless that would cut it, or another one, off."""
        block = self.board.block(*rect)
        site = SeededSite(
            rect,
            tuple(
                replace(each, rect=_moved(each.rect, rect), clear=_moved(each.clear, rect)) for each in fronts
            ),
        )
        self.prefabs |= block
        self.sites.append(site)
        if not self._is_whole(1.0):
            self.sites.pop()
            self.prefabs &= ~block
            return False
        for front in site.fronts:
            clipped = front.clear.clipped(self.board.height, self.board.width)
            if clipped.height > 0 and clipped.width > 0:
                self.fronts |= self.board.block(*clipped)
        return True

    def _is_whole(self, most_lost: float) -> bool:
        """Tell whether the earth hangs together, but for that share of it, and reaches every prefab."""
        board = self.board
        main = earth = without(self.inside, self.areas | self.prefabs)
        parts = Parts(board.to_array(earth))
        if not parts.count:
            return False
        if parts.count > 1:
            sizes = parts.sizes
            largest = int(sizes.argmax())
            if sizes.sum() - sizes[largest] > most_lost * sizes.sum():
                return False
            main = board.from_array(parts.mask(largest))
        for site in self.sites:
            groups: dict[int, bool] = {}
            for front in site.fronts:
                reached = self._holds(front.rect) and not without(board.block(*front.rect), main)
                if front.must and not reached:
                    return False
                if front.group >= 0:
                    groups[front.group] = groups.get(front.group, False) or reached
            if not all(groups.values()):
                return False
        return True

    def _holds(self, rect: Rect) -> bool:
        return Rect(1, 1, self.board.height - 2, self.board.width - 2).encloses(rect)


def _moved(rect: Rect, by: Rect | Cell) -> Rect:
    return Rect(rect.y + by.y, rect.x + by.x, rect.height, rect.width)
