"""How far walkers get on foot where doors are locked: each door opens once something that opens it can be reached.

    ######      From the left one gets to the key (k) and, with it, through the door (L); from the right to the door, and
    #k.L.#      no farther. So it matters where one begins.
    ######

What is asked is asked of masks (see `grid.bits`), of a drawing by itself or of a map on which it lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from dungeon import terrain as t

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.prefab.locks import Key, Lock
    from dungeon.grid.bits import Board
    from dungeon.grid.rect import Link
    from dungeon.terrain import TerrainSet

NOT_OPENED = "a locked door that nothing before it is sure to open"
"""What is wrong with a drawing in which somebody may be stopped by one, in words that follow "it has"."""


@dataclass(frozen=True, slots=True)
class LockedGround:
    """Ground with locked doors in it.

    Attributes:
        board: How its masks are laid out.
        free: The mask of the cells that can be walked on, without the locked doors.
        barred: The mask of the locked doors.
        locks: The door (a mask) and the word of each that something may open.
        keys: Where something can be had that opens a word: the mask of the cells that it is on or beside, and the word.
        links: Pairs of masks of cells that count as neighbours.
    """

    board: Board
    free: int
    barred: int
    locks: tuple[tuple[int, str], ...] = ()
    keys: tuple[tuple[int, str], ...] = ()
    links: tuple[tuple[int, int], ...] = ()

    @classmethod
    def on(
        cls,
        board: Board,
        codes: NDArray[np.uint8],
        free: NDArray[np.bool_],
        locks: Iterable[Lock],
        keys: Iterable[Key],
        terrain_set: TerrainSet,
        links: Iterable[Link] = (),
    ) -> LockedGround:
        """Return the ground of a drawing or a map.

        Args:
            board: How its masks are to be laid out.
            codes: (height, width) uint8 terrain codes.
            free: (height, width) bool, where nothing stands in the way of a walker who can open every door.
            locks: What bars locked doors; of other cells it counts for nothing.
            keys: What opens them; one that can't stand where it is drawn counts for nothing.
            terrain_set: What the codes mean.
            links: Pairs of cells that count as neighbours.
        """
        base = terrain_set.base.take(codes)
        locked = base == t.LOCKED_DOOR
        holds = (base > t.BLOCKED) & ~terrain_set.stairs.take(codes)
        walked_on = holds & terrain_set.passable.take(codes)
        return cls(
            board,
            board.from_array(free & ~locked),
            board.from_array(free & locked),
            tuple((board.from_cells([each[:2]]), each.word) for each in locks if locked[each[:2]]),
            tuple(
                (board.beside(board.from_cells(each.cells)) if each.cells else board.full, each.word)
                for each in keys
                if all((walked_on if each.underfoot else holds)[cell] for cell in each.cells)
            ),
            tuple((board.from_cells([one]), board.from_cells([other])) for one, other in links),
        )

    def _flood(self, free: int, start: int) -> int:
        """Return the mask of what can be walked to over some cells."""
        walked = self.board.flood(free, start)
        while onward := self._across(walked) & free & ~walked:
            walked = self.board.flood(free, walked | onward)
        return walked

    def _across(self, walked: int) -> int:
        """Return the cells to which links lead from some."""
        return reduce(or_, (pair[1 - at] for pair in self.links for at in (0, 1) if pair[at] & walked), 0)

    def reached(self, start: int) -> int:
        """Return the mask of what can be walked to from some cells, through what opens on the way."""
        free, closed = self.free, self.locks
        walked = self._flood(free, start)
        while closed and (words := {word for near, word in self.keys if near & walked}):
            opened = reduce(or_, (door for door, word in closed if word in words), 0) & self.barred
            if not opened:
                break
            closed = tuple((door, word) for door, word in closed if word not in words)
            free |= opened
            walked = self._flood(free, walked | start)
        return walked

    @property
    def parts(self) -> list[int]:
        """The masks of the parts into which all that is free falls while every locked door is closed."""
        return parts_of(self.board, self.free)

    def shut(self, starts: Iterable[int]) -> int:
        """Return the doors at which somebody is stopped who comes from one of these starts; none if all get everywhere.

        Whoever can't even get to a door is stopped there, too.
        """
        for start in starts:
            walked = self.reached(start)
            near = self.board.beside(walked)
            lost = self._flood(self.free | self.barred, walked) & self.free & ~walked
            if lost:
                doors = self.barred & ~walked & near
                return doors & self.board.beside(lost) or doors
            if boxed := self.barred & ~near:
                return boxed
        return 0


def parts_of(board: Board, mask: int) -> list[int]:
    """Return the masks of the parts of a mask that hang together by 4-neighbour steps, by their first cells."""
    found = []
    while mask:
        part = board.flood(mask, mask & -mask)
        found.append(part)
        mask ^= part
    return found
