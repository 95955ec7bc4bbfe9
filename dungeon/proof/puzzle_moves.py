"""The rules of play where no drop leads to a place without a way back, and in which round each lock opens.

What is open can only grow. So a state of play is the set of open locks, and which of the consumed keys have been spent. Words,
locks and areas are bits of masks. Consumed keys that open the same words are one *sort*. A *tally* is a number that has a few
bits for each sort: how many of it are found, or spent.

Some moves need not be weighed against others (`PuzzleRules.rushed`):

- What lasting keys or other locks open costs nothing.
- A lock for which *plenty* of keys are in hand: as many as they could open locks, and so for each word that those open. On
  whatever they are spent, each of these locks still gets one.
- For the player who gets farthest: a lock behind which, and nowhere else, lies another key like the one spent on it, if this opens
  nothing else, and the lock never opens for less.

The search for a stranded player must weigh the first two as well where a lock opens others for which a key could have been spent,
or leads to a lasting key which does so: the player may have done that before.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from dungeon.proof.puzzle import members, union

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dungeon.proof.puzzle import Puzzle


ANY = -1
"""No lock from which on others are to be opened in order of their numbers."""


class PuzzleState(NamedTuple):
    """A state of play.

    Attributes:
        opened: The locks that are open; `words`: their words.
        spent: The tally of keys that have been spent.
        reached: The areas.
        order: In which order the locks were opened.
    """

    opened: int
    spent: int
    reached: int
    words: int
    order: tuple[int, ...]


class PuzzleMove(NamedTuple):
    """What may be done next: the state to which that leads, and the end that was opened, `ANY` for any other lock."""

    state: PuzzleState
    end: int


class KeysInReach(NamedTuple):
    """What there is in some areas.

    Attributes:
        lasting: The words that lasting keys open.
        found: The tally of the other keys.
        locks: What is locked there, open or not.
        paid: Of each lock the sorts of which a key opens it, given the lasting ones.
    """

    lasting: int
    found: int
    locks: int
    paid: Sequence[Sequence[int]]


class PuzzleRules:
    """The rules of play of a puzzle.

    Attributes:
        puzzle: The puzzle.
        locks: All locks.
        needs: Of each lock the words that bar it; `follows`, `near` and `beyond`: likewise, as masks.
        locked_with: Of each word the locks.
        sorts: The words that keys of each sort open; those that open few words come first.
        sorts_with: Of each word the sorts that open it.
        rivals: Of each word those that the same keys open, itself among them.
        ends: The locks with which one may as well wait until nothing else is to be opened: they lead to nothing that
            opens others, and nothing but keys that are used up opens them. In which order these are opened makes no difference.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        words = sorted({word for lock in puzzle.locks for word in lock.words})
        bits = {word: 1 << number for number, word in enumerate(words)}

        def mask(some: Iterable[str]) -> int:
            return union(bits.get(word, 0) for word in some)

        self.locks = (1 << len(puzzle.locks)) - 1
        self.needs = [mask(lock.words) for lock in puzzle.locks]
        self.follows = [mask(lock.follows) for lock in puzzle.locks]
        self.near = [lock.near for lock in puzzle.locks]
        self.beyond = [lock.beyond for lock in puzzle.locks]
        self.locked_with = [
            union(1 << lock for lock, need in enumerate(self.needs) if need >> word & 1)
            for word in range(len(words))
        ]
        self._sort_keys([(key.areas, mask(key.words), key.consumed) for key in puzzle.keys])
        self._inside = [
            beyond if near & (near - 1) else beyond & ~near
            for near, beyond in zip(self.near, self.beyond, strict=True)
        ]
        self.ends = self._find_ends()
        self._behind = self._find_behind()
        self._hands: dict[int, KeysInReach] = {}
        self._paid: dict[int, list[Sequence[int]]] = {}

    def _sort_keys(self, keys: Sequence[tuple[int, int, bool]]) -> None:
        """Set what is known of keys, each given as its areas, the words that it opens, and whether it is consumed."""
        self._lasting = [(areas, opened) for areas, opened, consumed in keys if opened and not consumed]
        used_up = [(areas, opened) for areas, opened, consumed in keys if opened and consumed]
        self.sorts = sorted(
            {opened for _, opened in used_up}, key=lambda opened: (opened.bit_count(), opened)
        )
        self._width = len(used_up).bit_length()
        self._units = [1 << self._width * sort for sort in range(len(self.sorts))]
        self._fields = [((1 << self._width) - 1) * unit for unit in self._units]
        unit_of = dict(zip(self.sorts, self._units, strict=True))
        self._used_up = [(areas, unit_of[opened]) for areas, opened in used_up]
        self.sorts_with = [
            [sort for sort, opened in enumerate(self.sorts) if opened >> word & 1]
            for word in range(len(self.locked_with))
        ]
        self.rivals = [union(self.sorts[sort] for sort in sorts) for sorts in self.sorts_with]
        self._opened_by = [union(self.locked_with[word] for word in members(sort)) for sort in self.sorts]
        self._kept = union(opened for _, opened in self._lasting)
        self._payable = union(self.sorts)
        self._mixed = self._kept & union(sort for sort in self.sorts if sort & (sort - 1))
        self._followed = union(
            follows for follows, need in zip(self.follows, self.needs, strict=True) if need & self._payable
        )

    def _find_ends(self) -> int:
        """Return the locks with which one may wait to the end."""
        puzzle, found = self.puzzle, 0
        leading = union(areas for areas, _ in (*self._lasting, *self._used_up)) | union(
            drop.near for drop in puzzle.drops
        )
        followed = union(self.follows)
        for lock, (need, inside) in enumerate(zip(self.needs, self._inside, strict=True)):
            others = union(other for number, other in enumerate(self.near) if number != lock)
            is_paid = not self.follows[lock] and not need & self._mixed and not need & (need - 1)
            if is_paid and not inside & (leading | others) and not need & followed:
                found |= 1 << lock
        return found

    def _find_behind(self) -> list[int]:
        """Return of each lock the tally of keys that are used up and lie where one gets only through it."""
        known = self.puzzle.start | union(drop.beyond for drop in self.puzzle.drops)
        tallies = []
        for lock, inside in enumerate(self._inside):
            others = known | union(other for number, other in enumerate(self._inside) if number != lock)
            tallies.append(
                sum(unit for areas, unit in self._used_up if areas and not areas & (others | ~inside))
            )
        return tallies

    # -- states and moves -----------------------------------------------------------------------

    def begin(self) -> PuzzleState:
        """Return the state in which play begins."""
        return PuzzleState(0, 0, self.puzzle.reached(self.puzzle.start, 0), 0, ())

    def hand(self, reached: int) -> KeysInReach:
        """Return what there is in some areas."""
        known = self._hands.get(reached)
        if known is None:
            lasting = union(opened for areas, opened in self._lasting if areas & reached)
            found = sum(unit for areas, unit in self._used_up if areas & reached)
            locks = sum(1 << lock for lock, near in enumerate(self.near) if near & reached)
            if lasting not in self._paid:
                lacking = [self.lacking(lock, lasting) for lock in range(len(self.near))]
                self._paid[lasting] = [[] if word is None else self.sorts_with[word] for word in lacking]
            known = self._hands[reached] = KeysInReach(lasting, found, locks, self._paid[lasting])
        return known

    def count(self, tally: int, sort: int) -> int:
        """Return how many keys of a sort a tally has."""
        return (tally & self._fields[sort]) >> self._width * sort

    def after(self, state: PuzzleState, lock: int, sort: int | None = None) -> PuzzleState:
        """Return the state once a lock has been opened, with a key of a sort or without using one up."""
        opened, spent, reached, words, order = state
        beyond = reached | self.beyond[lock]
        if self.puzzle.drops and beyond != reached:
            beyond = self.puzzle.reached(beyond, 0)
        if sort is not None:
            spent += self._units[sort]
        return PuzzleState(opened | 1 << lock, spent, beyond, words | self.needs[lock], (*order, lock))

    def is_free(self, lock: int, words: int, lasting: int) -> bool:
        """Tell whether a lock opens without using up anything, given the words of open locks and of lasting keys."""
        return bool(self.follows[lock] & words) or not self.needs[lock] & ~lasting

    def lacking(self, lock: int, lasting: int) -> int | None:
        """Return the one word of a lock that no lasting key opens; None if there are several, for which nobody pays."""
        need = self.needs[lock] & ~lasting
        return None if need & (need - 1) else need.bit_length() - 1

    def fitting(self, lock: int, hand: KeysInReach, spent: int) -> list[int]:
        """Return the sorts that open a lock, of what is in hand once some have been spent."""
        left, fields = hand.found - spent, self._fields
        return [sort for sort in hand.paid[lock] if left & fields[sort]]

    # -- what need not be weighed ---------------------------------------------------------------

    def is_plenty(self, word: int, opened: int, left: int) -> bool:
        """Tell whether each lock of a word gets a key, on whatever keys are spent that open it, now or later.

        So it is if of every word that these keys open there are as many in hand as closed locks that those could open.
        """
        for rival in members(self.rivals[word]):
            if not self.locked_with[rival] & ~opened:
                continue
            count = locks = 0
            for sort in self.sorts_with[rival]:
                if of_it := self.count(left, sort):
                    count += of_it
                    locks |= self._opened_by[sort]
            if not 0 < (locks & ~opened).bit_count() <= count:
                return False
        return True

    def frees(self, state: PuzzleState, lock: int) -> bool:
        """Tell whether others open once a lock is open, or with what it leads to, for which a key could have been spent."""
        new = self.needs[lock] & self._followed & ~state.words
        if new and any(
            self.follows[other] & new
            and not self.follows[other] & state.words
            and self.needs[other] & self._payable
            for other in members(self.locks & ~state.opened & ~(1 << lock))
        ):
            return True
        if not self._mixed:
            return False
        before, after = (self.hand(each.reached).lasting for each in (state, self.after(state, lock)))
        return bool(after & ~before & self._mixed)

    def rushed(self, state: PuzzleState, *, careful: bool) -> PuzzleState:
        """Return the state once everything has been opened that need not be weighed.

        Args:
            state: The state of play.
            careful: Whether somebody is to be found who is stranded, and not who gets farthest.
        """
        while True:
            before, hand = state, self.hand(state.reached)
            is_plenty = cache(partial(self.is_plenty, opened=state.opened, left=hand.found - state.spent))
            for lock in members(hand.locks & ~state.opened):
                is_free = self.is_free(lock, before.words, hand.lasting)
                sorts = [] if is_free else self.fitting(lock, hand, state.spent)
                if is_free or (sorts and is_plenty(self._word(lock, hand))):
                    if not (careful and self.frees(state, lock)):
                        state = self.after(state, lock, *sorts[:1])
                elif sorts and not careful:
                    state = self._repaid(state, lock, hand)
            if state is before:
                return state

    def _word(self, lock: int, hand: KeysInReach) -> int:
        """Return the word for which a key is spent that opens a lock."""
        return (self.needs[lock] & ~hand.lasting).bit_length() - 1

    def _repaid(self, state: PuzzleState, lock: int, hand: KeysInReach) -> PuzzleState:
        """Return the state once a lock has been opened with a key to nothing but its word, and only behind it lies another.

        That is the state as it is if none does, or if the lock may be had for nothing some day.
        """
        word = 1 << self._word(lock, hand)
        if self.follows[lock] or self._kept & word or word not in self.sorts:
            return state
        sort = self.sorts.index(word)
        held = self.hand(state.reached).found - state.spent
        is_repaid = held & self._fields[sort] and self._behind[lock] & self._fields[sort]
        return self.after(state, lock, sort) if is_repaid else state

    # -- what must be weighed -------------------------------------------------------------------

    def later(self, end: int) -> int:
        """Return the locks that may be opened after an end."""
        return self.locks if end == ANY else self.ends & ~((2 << end) - 1)

    def choices(self, state: PuzzleState, end: int, *, careful: bool) -> Iterator[PuzzleMove]:
        """Yield what may be next.

        Args:
            state: The state of play.
            end: The end that was opened last, after which only others of higher numbers are opened; `ANY` if it was none.
            careful: As for `rushed`. Who is not spends the key that opens least, of those of which one opens all that others do.
        """
        hand = self.hand(state.reached)
        alike = set[tuple[int, int, int]]()
        for lock in members(hand.locks & self.later(end) & ~state.opened):
            if careful and self.is_free(lock, state.words, hand.lasting):
                yield PuzzleMove(self.after(state, lock), ANY)
                continue
            is_end = bool(self.ends >> lock & 1)
            sorts = self.fitting(lock, hand, state.spent)
            for sort in sorts if careful or len(sorts) < 2 else self._narrowest(sorts, state.opened):
                if is_end:
                    new = self.needs[lock], sort, self.beyond[lock] & self.puzzle.goal & ~state.reached
                    if new in alike:
                        continue
                    alike.add(new)
                yield PuzzleMove(self.after(state, lock, sort), lock if is_end else ANY)

    def _narrowest(self, sorts: Sequence[int], opened: int) -> list[int]:
        """Return the sorts of which none other opens only a part of what they do, or the same, of what is closed."""
        closed = union(self.needs[lock] for lock in members(self.locks & ~opened))
        kept: dict[int, int] = {}
        for sort in sorts:
            kept.setdefault(self.sorts[sort] & closed, sort)
        return [
            sort
            for opened, sort in kept.items()
            if not any(other & ~opened == 0 and other != opened for other in kept)
        ]


def spheres_of(puzzle: Puzzle, order: Sequence[int]) -> dict[int, int]:
    """Return lock -> in which round it is opened, from 1, by who opens these, and in each round all that he can.

    Of locks that ask for the same keys, which are used up, those that are earlier in the order come first.
    """
    rules, locks = PuzzleRules(puzzle), puzzle.locks
    spheres: dict[int, int] = {}
    state = rules.begin()
    number = 0
    while len(spheres) < len(order):
        number += 1
        before = state
        hand = rules.hand(before.reached)
        for lock in order:
            if lock in spheres or not locks[lock].near & before.reached:
                continue
            waiting = [each for each in order[: order.index(lock)] if each not in spheres]
            rivals = any(locks[each].words == locks[lock].words for each in waiting)
            is_free = rules.is_free(lock, before.words, hand.lasting)
            sorts = [] if is_free or rivals else rules.fitting(lock, hand, state.spent)
            if is_free or sorts:
                state = rules.after(state, lock, *sorts[:1])
                spheres[lock] = number
        if state is before:  # the order is none in which they can be opened
            break
    return spheres
