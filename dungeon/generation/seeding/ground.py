"""Where there is space for features on a map before its rooms are dug, and whether corridors can still reach the prefabs among them.

A mouth is a place where a corridor joins a prefab; its front is the cells that the corridor needs before it. A group is
a part of a prefab's inside: one corridor to each group is enough. A mask is an int with one bit for each cell of the
map.
"""

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
"""Length in cells of the space kept free in front of a mouth: enough for the shortest corridor and the wall at its end."""

MOST_LOST = 0.05
"""Maximum share of the diggable earth that a barrier or area may cut off from the rest: small pockets beside it are no harm."""


@dataclass(frozen=True, slots=True)
class Front:
    """The cells that a corridor needs in front of a mouth, or beside a wall to be dug through; relative to the prefab's top left cell.

    A mouth that opens to the east::

        ###           +  the mouth: the first cell outside of the prefab
        ..#ccccc      -  together with +: the cells that a corridor needs, `REACH` of them
        ...+----      c  together with + and -: the cells that are kept clear
        ..#ccccc
        ###

    Attributes:
        must: Whether a corridor must come here even if the prefab has other mouths: true for a tunneler (a digit in the drawing).
        group: The number of the part of the prefab that it leads into, -1 for none. A corridor must reach one front of each group.
        rect: The cells that a corridor needs.
        clear: The cells of `rect`, and a line of cells on each side of them.
    """

    must: bool
    group: int
    rect: Rect
    clear: Rect

    @classmethod
    def of(cls, mouth: Mouth, group: int = 0) -> Front:
        """Return the front of a mouth that leads into part `group` of its prefab."""
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
        """Return the front that is only `cell`, beside the prefab: a corridor may be dug from there into part `group` of the prefab."""
        rect = Rect(*cell, 1, 1)
        return cls(must=False, group=group, rect=rect, clear=rect)


@dataclass(frozen=True, slots=True)
class SeededSite:
    """A prefab on the map: its bounds and the fronts of its mouths, in coordinates of the map."""

    rect: Rect
    fronts: tuple[Front, ...]


class FeatureSpace:
    """The space on a map while features are put on it.

    Attributes:
        board: Converts between cells and masks.
        inside: Mask of all cells but the outermost rows and columns.
        areas: Mask of barriers and of areas in which nothing may be dug.
        prefabs: Mask of the bounds of all prefabs.
        fronts: Mask of the cells kept clear for corridors (`Front.clear`).
        sites: The prefabs on the map.
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
        """Return the mask of top left cells for a barrier or area of `height` x `width` cells: it covers no front and touches no prefab."""
        board = self.board
        return board.fits(board.full & ~board.around(self.prefabs) & ~self.fronts, height, width)

    def space_for_prefab(self, height: int, width: int, fronts: Sequence[Front]) -> int:
        """Return the mask of top left cells at which a prefab touches no other feature and corridors have space to reach it.

        Space is needed at every front that must have a corridor, and at one front or more of each group.

        Args:
            height: The height of the prefab in cells.
            width: Its width in cells.
            fronts: The fronts of its mouths.
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
        """Return two masks of top left cells on an empty map: where a prefab is off the edges, and where corridors also reach `fronts`."""
        bare = FeatureSpace(self.board.height, self.board.width)
        return bare.space_for_prefab(height, width, ()), bare.space_for_prefab(height, width, fronts)

    def _fits(self, mask: int, block: Rect) -> int:
        """Return the mask of cells (y, x) for which the block, moved by (y, x), lies wholly within `mask`."""
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
        """Mark the cells of a barrier or area as taken and return True; return False if it would divide the map or cut a prefab off."""
        before = self.areas
        self.areas |= self.board.block(*rect)
        if self._is_whole(MOST_LOST):
            return True
        self.areas = before
        return False

    def take_prefab(self, rect: Rect, fronts: Iterable[Front]) -> bool:
        """Mark the cells of a prefab and its fronts as taken and return True; return False if that would cut any prefab off."""
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
        """Return whether the diggable earth is connected, and corridors can reach every prefab from it.

        Args:
            most_lost: The share of the earth, 0 to 1, that may be cut off from its largest connected part.
        """
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
        """Return whether a rectangle covers no cell of the map's outermost rows and columns."""
        return Rect(1, 1, self.board.height - 2, self.board.width - 2).encloses(rect)


def _moved(rect: Rect, by: Rect | Cell) -> Rect:
    return Rect(rect.y + by.y, rect.x + by.x, rect.height, rect.width)
