"""Whether every lock can be opened, in some order of play and in every one, and how soon.

What is open can only grow, so a state of play is the set of locks that are open, and which of the keys that are used up
have been spent. Locks that lasting keys open, or other locks, are opened as soon as can be: that takes nothing from
anybody. So are those of a word of which as many keys are in hand as locks are still closed, for none of these keys can
be missed any more. What is left to decide is on which lock a key is spent of which there are too few. All such decisions
are looked through, but for those between locks that lead to the same, and to nothing that opens others.

All this holds where nobody drops to somewhere from which no way leads back: else see `drops`.

Sets of locks, and of areas, are masks.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_STATES = 20_000
"""After so many states of play the search is given up."""


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
    """

    words: frozenset[str]
    areas: int
    consumed: bool


Spent = tuple[int, ...]
"""How many keys of each sort have been spent, in the order of `_Play.sorts`."""


class Outcome(NamedTuple):
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

    def solve(self) -> Outcome:
        """Play in every way that makes a difference, or until one gets everywhere and another is stranded."""
        play, hope = _Play(self), self.within_hope() & self.goal
        waiting = [play.begin()]
        seen = set[tuple[int, Spent]]()
        best = worst = None
        while waiting and len(seen) < MOST_STATES and not self._parts(best, worst, hope):
            first = waiting.pop()
            if first[:2] in seen:
                continue
            seen.add(first[:2])
            state = play.rushed(first)
            if state is not first and state[:2] in seen:
                continue
            seen.add(state[:2])
            after = [*play.choices(state)]
            waiting += after
            if not after:
                best = max(best or state, state, key=self._gain)
                worst = min(worst or state, state, key=self._gain)
        order, left = best.order if best else (), None
        strands = self._parts(best, worst, hope)
        if strands and worst is not None:
            left = tuple(lock for lock in order if not worst.opened >> lock & 1)
        return Outcome(order, left, complete=strands or not waiting)

    def _parts(self, best: _State | None, worst: _State | None, hope: int) -> bool:
        """Tell whether who gets farthest gets everywhere, and who gets least far does not, or opens less."""
        if best is None or worst is None or best.reached & self.goal != hope:
            return False
        return self._gain(worst) < self._gain(best)

    @property
    def one_ways(self) -> list[PuzzleDrop]:
        """All drops, those that are locked among them."""
        return [*self.drops, *(PuzzleDrop(each.near, each.beyond) for each in self.locks if each.one_way)]

    def within_hope(self) -> int:
        """Return the areas to which one would get if no key were ever used up."""
        lasting = [key._replace(consumed=False) for key in self.keys]
        play = _Play(replace(self, keys=lasting))
        return play.rushed(play.begin()).reached

    def reached(self, start: int, opened: int, without: int = 0) -> int:
        """Return the areas to which one gets from some through these locks, which are open, and never through others."""
        open_locks = (self.locks[number] for number in members(opened))
        ways = [*self.drops, *((each.near, each.beyond) for each in open_locks)]
        found = start & ~without
        while onward := reduce(or_, (beyond for near, beyond in ways if near & found), 0) & ~found & ~without:
            found |= onward
        return found

    def _gain(self, state: _State) -> tuple[int, int]:
        """Return how far somebody has got."""
        return (state.reached & self.goal).bit_count(), state.opened.bit_count()

    def spheres(self, order: Sequence[int]) -> dict[int, int]:
        """Return lock -> in which round it is opened, from 1, by who opens these, and in each round all that he can.

        Of locks that ask for the same keys, which are used up, those that are earlier in the order come first.
        """
        play = _Play(self)
        spheres: dict[int, int] = {}
        state = play.begin()
        number = 0
        while len(spheres) < len(order):
            number += 1
            before = play.hand(state)
            for lock in order:
                if lock in spheres or not self.locks[lock].near & before.reached:
                    continue
                waiting = [each for each in order[: order.index(lock)] if each not in spheres]
                rivals = [each for each in waiting if self.locks[each].words == self.locks[lock].words]
                free = play.opens_freely(lock, before)
                sort = None if free or rivals else play.sort_for(lock, state, before)
                if free or sort is not None:
                    state = play.after(state, lock, sort)
                    spheres[lock] = number
            if play.hand(state) == before:  # the order is none in which they can be opened
                break
        return spheres


class _State(NamedTuple):
    """A state of play: the open locks and the keys that are spent; the areas that are reached, and how it came to that."""

    opened: int
    spent: Spent
    reached: int
    order: tuple[int, ...]


class _Hand(NamedTuple):
    """What a player has got hold of: the areas, the words of lasting keys and of open locks, and the keys of each sort."""

    reached: int
    lasting: frozenset[str]
    opened: frozenset[str]
    found: Spent


class _Play:
    """The rules of play."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.locks = puzzle.locks
        self.goal = puzzle.goal
        self.puzzle = puzzle
        self.lasting = [key for key in puzzle.keys if not key.consumed]
        self.used_up = [key for key in puzzle.keys if key.consumed]
        self.sorts = sorted({key.words for key in self.used_up}, key=sorted)
        self._hands: dict[tuple[int, int], _Hand] = {}
        self.locked_with: dict[str, int] = {}
        for number, lock in enumerate(self.locks):
            for word in lock.words:
                self.locked_with[word] = self.locked_with.get(word, 0) | 1 << number
        self.leading_on = 0
        for key in puzzle.keys:
            self.leading_on |= key.areas

    def begin(self) -> _State:
        """Return the state in which play begins."""
        return _State(0, (0,) * len(self.sorts), self.puzzle.reached(self.puzzle.start, 0), ())

    def hand(self, state: _State) -> _Hand:
        """Return what a player has got hold of."""
        known = self._hands.get((state.opened, state.reached))
        if known is None:
            known = self._hands[state.opened, state.reached] = self._hand(state)
        return known

    def _hand(self, state: _State) -> _Hand:
        lasting = {word for key in self.lasting if key.areas & state.reached for word in key.words}
        opened = {word for lock in members(state.opened) for word in self.locks[lock].words}
        counts = Counter(key.words for key in self.used_up if key.areas & state.reached)
        found = tuple(counts[sort] for sort in self.sorts)
        return _Hand(state.reached, frozenset(lasting), frozenset(opened), found)

    def within(self, state: _State) -> list[int]:
        """Return the closed locks that are in reach."""
        return [
            number
            for number, lock in enumerate(self.locks)
            if not state.opened >> number & 1 and lock.near & state.reached
        ]

    def opens_freely(self, number: int, hand: _Hand) -> bool:
        """Tell whether a lock opens without using up anything."""
        lock = self.locks[number]
        return bool(lock.follows & hand.opened) or (bool(lock.words) and lock.words <= hand.lasting)

    def sort_for(self, number: int, state: _State, hand: _Hand) -> int | None:
        """Return the first sort of keys in hand that open a lock and are used up."""
        return next(self._sorts_for(number, state, hand), None)

    def _sorts_for(self, number: int, state: _State, hand: _Hand) -> Iterator[int]:
        words = self.locks[number].words - hand.lasting
        for index, sort in enumerate(self.sorts):
            if len(words) == 1 and words <= sort and hand.found[index] > state.spent[index]:
                yield index

    def after(self, state: _State, number: int, sort: int | None) -> _State:
        """Return the state once a lock has been opened, with a key of a sort or without using one up."""
        spent = state.spent
        if sort is not None:
            spent = (*spent[:sort], spent[sort] + 1, *spent[sort + 1 :])
        opened = state.opened | 1 << number
        reached = state.reached | self.locks[number].beyond
        if self.puzzle.drops:
            reached = self.puzzle.reached(reached, 0)
        return _State(opened, spent, reached, (*state.order, number))

    def rushed(self, state: _State) -> _State:
        """Return the state once everything has been opened that nobody can regret."""
        while True:
            hand, before = self.hand(state), state
            for number in self.within(state):
                if self.opens_freely(number, hand):
                    state = self.after(state, number, None)
                    continue
                for sort in self._sorts_for(number, state, hand):
                    words = self.sorts[sort]
                    in_hand = hand.found[sort] - before.spent[sort]
                    closed = self.locked_with.get(min(words), 0) & ~before.opened
                    if len(words) == 1 and in_hand >= closed.bit_count():
                        state = self.after(state, number, sort)
                        break
            if state is before:
                return state

    def choices(self, state: _State) -> Iterator[_State]:
        """Yield the states that one key leads to which is spent on one lock or another."""
        hand = self.hand(state)
        dead_ends = set[tuple[frozenset[str], int, int]]()
        for number in self.within(state):
            lock = self.locks[number]
            new = lock.beyond & self.goal & ~state.reached
            leads_on = self._leads_on(number, state)
            for sort in self._sorts_for(number, state, hand):
                if leads_on or (lock.words, sort, new) not in dead_ends:
                    yield self.after(state, number, sort)
                if not leads_on:
                    dead_ends.add((lock.words, sort, new))

    def _leads_on(self, number: int, state: _State) -> bool:
        """Tell whether there may be anything behind a lock that opens others."""
        lock = self.locks[number]
        new = lock.beyond & ~state.reached
        return bool(
            new & self.leading_on
            or any(other.near & new for other in self.locks if other is not lock)
            or any(other.follows & lock.words for other in self.locks)
        )


def members(mask: int) -> Iterator[int]:
    """Yield the numbers in a mask."""
    number = 0
    while mask:
        if mask & 1:
            yield number
        mask >>= 1
        number += 1
