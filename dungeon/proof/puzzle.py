"""The locks and keys of a level as an abstract puzzle of areas (ground that stays connected while all locks are closed), locks, keys and drops (one-way passages). Sets of areas or locks are bitmasks; a word is the name of a lock.

In a bitmask, bit n stands for area (or lock) number n.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class PuzzleLock(NamedTuple):
    """A lock, with the areas that it separates. Areas are bitmasks.

    Attributes:
        words: The names of the lock, mostly one; the player needs a key for each of them.
        follows: Names of other locks. Once a lock with one of these names is open, this lock can be opened without a key.
        near: The areas from which a player can open the lock.
        beyond: The areas that a player can enter once the lock is open.
        one_way: Whether it leads only from `near` to `beyond` and not back, because it bars a drop.
        needed: How many keys the player needs for each of its words. Keys that last count first, then consumed keys are spent.
    """

    words: frozenset[str]
    follows: frozenset[str]
    near: int
    beyond: int
    one_way: bool = False
    needed: int = 1


class PuzzleDrop(NamedTuple):
    """An open one-way passage (a chute): from the areas of the mask `near` to those of `beyond`, and not back."""

    near: int
    beyond: int


class PuzzleKey(NamedTuple):
    """A key, lever or other object that opens locks.

    Attributes:
        words: The names of the locks that it opens.
        areas: The mask of the areas from which a player can take or use it.
        consumed: Whether it is used up when it opens a lock, so that it opens only one.
        toggles: Whether it is a lever that closes its locks again when it is pulled once more.
    """

    words: frozenset[str]
    areas: int
    consumed: bool
    toggles: bool = False


class PuzzleOutcome(NamedTuple):
    """The result of searching all ways to play a puzzle.

    Attributes:
        order: The locks that the best player opens, in a possible order. The best player reaches the most areas of the goal.
        stranded: The locks in `order` that a careless player can no longer open after spending keys badly. None if no player can
            be stranded so, or if there are too few keys even for the best player to reach everything.
        complete: Whether the search looked at all orders of play; False if it gave up.
        lost: The mask of the areas that a player can never reach (again) after a drop; 0 if there are none.
    """

    order: tuple[int, ...]
    stranded: tuple[int, ...] | None
    complete: bool
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Puzzle:
    """The locks, keys and drops of a level.

    Attributes:
        start: The mask of the areas where a player begins.
        goal: The mask of the areas that a player should be able to reach.
        locks: The locks; bit n of a mask of locks stands for lock n of this list.
        keys: Everything that opens locks.
        drops: The one-way passages without a lock.
    """

    start: int
    goal: int
    locks: Sequence[PuzzleLock]
    keys: Sequence[PuzzleKey]
    drops: Sequence[PuzzleDrop] = ()

    @property
    def one_ways(self) -> list[PuzzleDrop]:
        """All one-way passages: the open drops, then the locked ones (`PuzzleLock.one_way`)."""
        return [*self.drops, *(PuzzleDrop(each.near, each.beyond) for each in self.locks if each.one_way)]

    def reached(self, start: int, opened: int, without: int = 0) -> int:
        """Return the mask of the areas that a player can reach from `start` (included), by drops and by the locks in `opened`.

        Args:
            start: The mask of the areas to begin from.
            opened: The mask of the locks that are open; all others are closed.
            without: The mask of the areas that may not be entered.
        """
        open_locks = (self.locks[number] for number in members(opened))
        ways = [*self.drops, *((each.near, each.beyond) for each in open_locks)]
        found = start & ~without
        while onward := union(beyond for near, beyond in ways if near & found) & ~found & ~without:
            found |= onward
        return found


def members(mask: int) -> Iterator[int]:
    """Yield the indices of the set bits of a mask, lowest first: 0b1010 -> 1, 3."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def union(masks: Iterable[int]) -> int:
    """Return the union (bitwise OR) of masks; 0 for none."""
    return reduce(or_, masks, 0)
