"""What a puzzle of locks and keys consists of, and the outcome of playing it.

Sets of locks, and of areas, are masks: bit n stands for number n.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class PuzzleLock(NamedTuple):
    """Something that is locked.

    Attributes:
        words: What it is locked with: all of it must be opened.
        follows: The words of locks of which one must be opened for it to open, if it follows any.
        near: The areas from which it can be opened.
        beyond: The areas to which one gets once it is open.
        one_way: Whether no way leads back from there: it is that of a drop.
    """

    words: frozenset[str]
    follows: frozenset[str]
    near: int
    beyond: int
    one_way: bool = False


class PuzzleDrop(NamedTuple):
    """A way that leads from one area to another, and not back; nothing bars it."""

    near: int
    beyond: int


class PuzzleKey(NamedTuple):
    """Something that opens locks.

    Attributes:
        words: What it opens.
        areas: The areas from which it can be had.
        consumed: Whether it opens just one lock.
        toggles: Whether it is a lever that, pulled again, shuts what it opens.
    """

    words: frozenset[str]
    areas: int
    consumed: bool
    toggles: bool = False


class PuzzleOutcome(NamedTuple):
    """What comes of playing.

    Attributes:
        order: The locks that are opened by who gets farthest, in an order that he may follow.
        stranded: The locks that he has opened, and that somebody else can't who gets less far. None if there is nobody,
            or if there are too few keys for anybody to get everywhere.
        complete: Whether all orders of play have been looked at.
        lost: The areas to which somebody can't get any more who has dropped somewhere.
    """

    order: tuple[int, ...]
    stranded: tuple[int, ...] | None
    complete: bool
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Puzzle:
    """The locks and keys of a level.

    Attributes:
        start: The areas in which play begins.
        goal: The areas to which one wants to get.
    """

    start: int
    goal: int
    locks: Sequence[PuzzleLock]
    keys: Sequence[PuzzleKey]
    drops: Sequence[PuzzleDrop] = ()

    @property
    def one_ways(self) -> list[PuzzleDrop]:
        """All drops, those that are locked among them."""
        return [*self.drops, *(PuzzleDrop(each.near, each.beyond) for each in self.locks if each.one_way)]

    def reached(self, start: int, opened: int, without: int = 0) -> int:
        """Return the areas to which one gets from some through these locks, which are open, and never through others."""
        open_locks = (self.locks[number] for number in members(opened))
        ways = [*self.drops, *((each.near, each.beyond) for each in open_locks)]
        found = start & ~without
        while onward := union(beyond for near, beyond in ways if near & found) & ~found & ~without:
            found |= onward
        return found


def members(mask: int) -> Iterator[int]:
    """Yield the numbers in a mask, from the lowest on."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def union(masks: Iterable[int]) -> int:
    """Return the mask of all that is in any of some."""
    return reduce(or_, masks, 0)
