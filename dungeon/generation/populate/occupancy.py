"""Which cells of a level objects take or will take, and whether walkers still get everywhere if one more object is put.

An *obstacle* is an object that stops walkers for good, unlike a robot, which moves on. An *expected* object is drawn in a placed
prefab but not put yet: chance may leave it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.vocabulary import UNDERFOOT
from dungeon.grid.rect import Cell, Rect

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.catalog import CatalogObject
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.level.canvas import Canvas


BARRED = (np.arange(256) <= t.BLOCKED) | np.isin(np.arange(256), t.STAIRS)
BARRED.flags.writeable = False
"""(256,) bool, indexed by code of built-in terrain: whether nothing may stand in it."""

RING = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))
"""The eight neighbours of a cell as (y, x) steps, clockwise from the top left."""


class Occupancy:
    """The record of the cells that objects take on a canvas, and that expected objects will take.

    A prefab is placed so that walkers get past everything that may stand in it. So each expected object counts as an obstacle from the
    beginning. If the object is then put on another cell or left out, its first cell gives walkers more space, and only its new cell needs a
    check.

    Attributes:
        canvas: The canvas.
        expected: (height, width) uint8: on each cell, the number of expected objects that may be obstacles.
        meant: (height, width) bool: the cells on which an object is drawn, whether chance puts it or leaves it out.
        stands: (height, width) bool: the cells with an obstacle.
        guarded: (height, width) bool: the cells with any object that stops walkers, robots included.
        taken: (height, width) bool: the cells with any object.
        filled: (height, width) bool: the cells with an object that does not merely lie there, as items and debris do.
        lying: (height, width) bool: the cells with an object that merely lies there.
        plain: (height, width) bool: reachable floor without doors and stairs, where objects may be put freely.
        spared: (height, width) bool: the cells that must stay free of obstacles, because a lock is opened from there or a patrol
            passes.
        sealed: (height, width) bool: the cells of sealed regions.
        goals: Cell of an obstacle -> all cells of this obstacle, for each obstacle beside which walkers must be able to stand: it
            is locked, opens a lock, holds something, or can be picked up.
        laden: The cells on which an item or debris lies on an obstacle.
        bare: Kind of objects -> (height, width) bool: the cells on which none of them is scattered.
        quiet: Kind of objects -> (height, width) bool: the cells on which the map's population puts none of them.
    """

    # Single cells are read through memory views of the arrays: that takes a tenth of the time of indexing an array.

    def __init__(self, canvas: Canvas) -> None:
        shape = canvas.terrain.shape
        self.canvas = canvas
        self.expected: NDArray[np.uint8] = np.zeros(shape, np.uint8)
        self.meant: NDArray[np.bool_] = np.zeros(shape, np.bool_)
        self.stands: NDArray[np.bool_] = np.zeros(shape, np.bool_)
        self.guarded: NDArray[np.bool_] = np.zeros(shape, np.bool_)
        self.taken: NDArray[np.bool_] = np.zeros(shape, np.bool_)
        self.filled: NDArray[np.bool_] = np.zeros(shape, np.bool_)
        self.lying: NDArray[np.bool_] = np.zeros(shape, np.bool_)
        self.plain: NDArray[np.bool_] = np.zeros(shape, np.bool_)
        self.spared: NDArray[np.bool_] = np.zeros(shape, np.bool_)
        self.sealed: NDArray[np.bool_] = np.zeros(shape, np.bool_)
        self.goals: dict[tuple[int, int], Sequence[tuple[int, int]]] = {}
        self.laden: set[tuple[int, int]] = set()
        self.bare: dict[str, NDArray[np.bool_]] = {}
        self.quiet: dict[str, NDArray[np.bool_]] = {}
        self._codes, self._region = canvas.terrain.data, canvas.region.data
        self._expected = self.expected.data
        self._stands, self._guarded, self._taken = self.stands.data, self.guarded.data, self.taken.data
        self._filled, self._lying = self.filled.data, self.lying.data
        self._spared, self._sealed, self._locks = self.spared.data, self.sealed.data, False
        self._base = canvas.terrain_set.base.data
        self._passable = canvas.terrain_set.passable.data
        self._kinds = canvas.terrain_set.kinds
        self._barred = BARRED.take(canvas.terrain_set.base).data
        for portal in canvas.portals:
            self.add((portal.begin, portal.end), blocks=False, stays=False)

    @property
    def obstacles(self) -> NDArray[np.bool_]:
        """(height, width) bool: the cells on which an obstacle stands or is expected."""
        return self.stands | (self.expected > 0)

    def expect(self, drawing: Drawing, y: int, x: int) -> None:
        """Note that objects will be put where a prefab draws them, and keep these cells free for them.

        Args:
            drawing: The prefab's drawing.
            y: The row of its top left cell.
            x: The column of that cell.
        """
        if drawing.is_bare:
            return
        area = Rect(y, x, drawing.height, drawing.width).slices
        self.expected[area] += drawing.obstacles
        self.meant[area] |= drawing.meant
        for key in drawing.keys:
            for down, right in key.cells:
                if drawing.obstacles[down, right]:  # then it is used from the cells beside it
                    self.spared[
                        Rect(y + down, x + right, 1, 1).grown().clipped(*self.spared.shape).slices
                    ] = True

    def set_reachable(self, ground: NDArray[np.bool_]) -> None:
        """Note which floor walkers reach, and thereby where objects may be put. Call this after the stairs have been drawn.

        Args:
            ground: (height, width) bool: the cells that walkers reach.
        """
        base = self.canvas.base
        self.sealed[:] = self.canvas.within(each.id for each in self.canvas.regions if each.sealed)
        self._locks = bool((base == t.LOCKED_DOOR).any())
        floors = (base == t.FLOOR) | (base == t.CORRIDOR) | (base == t.CAVE)
        self.plain[:] = ground & floors & t.looked_up(self.canvas.terrain_set.walkable, self.canvas.terrain)

    def keep_bare(self, cell: Cell) -> None:
        """Note that no object may be scattered on a cell, nor shifted onto it."""
        self.plain[cell] = False

    def keep_off(self, cell: Cell, kinds: Iterable[str]) -> None:
        """Note that no object of these kinds may be scattered on a cell, nor shifted onto it."""
        for kind in kinds:
            self.bare.setdefault(kind, np.zeros(self.plain.shape, np.bool_))[cell] = True

    def keep_population_off(self, area: Rect, kinds: Iterable[str]) -> None:
        """Note that the map's population puts no object of these kinds into a rectangle."""
        for kind in kinds:
            self.quiet.setdefault(kind, np.zeros(self.plain.shape, np.bool_))[area.slices] = True

    def release(self, cell: Cell) -> None:
        """Note that one object fewer is expected on a cell, because chance left the object out or because it is put now."""
        if self._expected[cell]:
            self._expected[cell] -= 1

    def objection(self, cells: Iterable[Cell], thing: CatalogObject, *, drawn: bool = False) -> str | None:
        """Return why an object can't stand on these cells, or None if it can.

        Args:
            cells: The cells.
            thing: The object.
            drawn: Whether a drawing puts it there. Items and debris may lie where another object is drawn, also on an obstacle.
        """
        kinds, blocks, stays = self._kinds, thing.blocks, thing.stays
        full = self._filled if drawn else self._taken
        for cell in cells:
            code = self._codes[cell]
            if self._barred[code]:
                return f"it would stand in {kinds[code].name}"
            if not self._passable[code] and thing.like in UNDERFOOT:
                return f"it would lie in {kinds[code].name}, which can't be walked on"
            stopped = self._stands[cell] and not (drawn and thing.lies)
            if stopped or (blocks and self._guarded[cell]) or (stays and full[cell]):
                return "something else stands there"
        return None

    def add(self, cells: Sequence[Cell], *, blocks: bool, stays: bool, lies: bool = False) -> None:
        """Mark cells as taken by an object.

        Args:
            cells: The cells of the object.
            blocks: Whether the object stops walkers.
            stays: Whether the object stops walkers for good, so that it is an obstacle. A robot does not: it moves on.
            lies: Whether the object merely lies there, as items and debris do.
        """
        marked = self._lying if lies else self._filled
        for cell in cells:
            self._taken[cell] = marked[cell] = True
            if blocks:
                self._guarded[cell] = True
            if stays:
                self._stands[cell] = True
            if self._lying[cell] and self._stands[cell]:
                self.laden.add(cell)

    def beside(self, cells: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the cells on the map that touch one of these cells, not just at a corner."""
        height, width = self.taken.shape
        around = {near for cell in cells for near in _beside(cell)}
        return sorted((y, x) for y, x in around if 0 <= y < height and 0 <= x < width)

    def keep_open(self, cells: Sequence[Cell]) -> None:
        """From now on, keep a free cell beside the obstacle on these cells, so that walkers can get to it."""
        self.goals |= dict.fromkeys(cells, cells)

    def are_obstacles(self, cells: Iterable[tuple[int, int]]) -> bool:
        """Tell whether there is an obstacle on each of these cells."""
        stands = self._stands
        return all(stands[cell] for cell in cells)

    def _is_clear(self, cell: tuple[int, int]) -> bool:
        """Tell whether walkers can stand on a cell now, and still can when all expected objects are put."""
        passable = self._passable[self._codes[cell]]
        return bool(passable) and not self._stands[cell] and not self._expected[cell]

    def _leads_on(self, cell: tuple[int, int]) -> bool:
        """Tell whether walkers can stand on a cell and walk on from there. A locked door doesn't count, as it may stay closed."""
        return self._is_clear(cell) and self._base[self._codes[cell]] != t.LOCKED_DOOR

    def _leads_into(self, cell: tuple[int, int], near: tuple[int, int]) -> bool:
        """Tell whether walkers can walk on from a cell to one beside it; out of a sealed region they can't."""
        return self._leads_on(cell) and self._sealed[cell] <= self._sealed[near]

    def has_access(
        self,
        cells: Sequence[tuple[int, int]],
        without: Container[tuple[int, int]] = (),
        *,
        from_sealed: bool = True,
    ) -> bool:
        """Tell whether walkers can stand on a cell beside an object.

        Args:
            cells: The cells of an object.
            without: Further cells on which obstacles are assumed.
            from_sealed: Whether it is enough that walkers can stand in a sealed region.
        """
        height, width = self.taken.shape
        return any(
            0 <= y < height
            and 0 <= x < width
            and (y, x) not in without
            and (from_sealed or not self._sealed[y, x])
            and self._is_clear((y, x))
            for cell in cells
            for y, x in _beside(cell)
        )

    def unreachable_cells(self, drawing: Drawing, y: int, x: int) -> list[Cell]:
        """Return the cells of a filled prefab that are free because chance left out an object, but that walkers can't reach.

        The prefab was placed so that walkers reach every free cell if no object is left out. So the cell of an absent object is
        reached if it touches such a free cell, directly or by way of other absent objects. Locked doors don't count, as they may
        stay closed; nor do cells of a sealed region for a cell outside it.

        Args:
            drawing: The prefab's drawing.
            y: The row of its top left cell.
            x: The column of that cell.
        """
        area = Rect(y, x, drawing.height, drawing.width).slices
        empty = drawing.obstacles & ~self.stands[area]
        if not empty.any():
            return []
        left = {Cell(y + down, x + right) for down, right in np.argwhere(empty).tolist()}
        left = {cell for cell in left if self._is_clear(cell)}
        waiting = [
            cell for cell in left if any(self._leads_into(near, cell) for near in _beside(cell) - left)
        ]
        while waiting:
            cell = waiting.pop()
            left.discard(cell)
            waiting += [near for near in left & _beside(cell) if self._leads_into(cell, near)]
        return sorted(left)

    def keeps_whole(self, cells: Sequence[tuple[int, int]]) -> bool:
        """Tell whether walkers still get everywhere if an object is put on these cells as an obstacle.

        This holds if the free cells around the object, corners included, are connected with each other: then every path through
        its cells can lead around them instead::

            .#.        Blocking X is allowed: the free cells (.) around it are connected.
            .X.
            ...        With a wall below X it would not be: left and right would be cut off from each other.

        Besides, at least one of the free cells must be in the same region and no door; else the object would fill a room. No
        obstacle may be put beside a locked door. If walkers must get to another object beside the cells, a free cell beside that other
        object must stay.
        """
        spared, base, codes, region = self._spared, self._base, self._codes, self._region
        if any(spared[cell] for cell in cells):
            return False
        height, width = self.taken.shape
        ring = {(y + dy, x + dx) for y, x in cells for dy, dx in RING}
        around = [(y, x) for y, x in ring if 0 <= y < height and 0 <= x < width]
        if self._locks and any(base[codes[cell]] == t.LOCKED_DOOR for cell in around):
            return False
        passable, stands, expected = self._passable, self._stands, self._expected
        free = {
            cell for cell in around if passable[codes[cell]] and not stands[cell] and not expected[cell]
        }.difference(cells)
        goals = self.goals
        for cell in around:
            if cell in goals or expected[cell]:
                own = goals.get(cell, (cell,))
                if self.has_access(own, from_sealed=False) and not self.has_access(
                    own, cells, from_sealed=False
                ):
                    return False
        home = region[cells[0]]
        if not any(region[cell] == home and base[codes[cell]] not in t.DOORS for cell in free):
            return False
        waiting = [free.pop()]
        while waiting and free:
            y, x = waiting.pop()
            for near in ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)):
                if near in free:
                    free.remove(near)
                    waiting.append(near)
        return not free


def _beside(cell: tuple[int, int]) -> set[tuple[int, int]]:
    """Return the four cells beside a cell."""
    y, x = cell
    return {(y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)}
