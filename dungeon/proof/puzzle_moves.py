"""The moves of a lock-and-key puzzle. A word is the name of a lock; consumed keys for the same words are one sort; a tally is an integer that counts keys by sort; an end is a lock that can be left for last.

Every drop (one-way passage) leads back here, and locks never close again. So a state of play is the set of open locks and the
number of consumed keys that were spent. Words, locks and areas are bits of masks. A *tally* has a few bits for each sort, which
count the keys of that sort (found, or spent). An *end* can be left for last without loss, because nothing depends on it
(`PuzzleRules.ends`). A *payment* is the sorts of the consumed keys that are spent on a lock, one entry for each key:
(0,), or (0, 0, 2) for a lock that needs three keys.

A word whose locks need different numbers of keys counts as several words, one for each number.

Some moves are safe, and are made at once without trying alternatives (`PuzzleRules.make_safe_moves`):

- A lock that opens without spending a key, by lasting keys or because it follows an open lock.
- A lock for whose word there is *plenty* of keys (`is_plenty`): however they are spent, each lock of that word still gets one.
- Only when looking for the best player: a lock that costs a key of one word and has another such key behind it, which can't be
  reached otherwise, if the lock can never be opened for free.

The search for a stranded player can't always make the first two at once. If the opened lock makes other locks free for which a
key could have been spent (`frees`), the player may have spent that key earlier; both orders must be tried.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, NamedTuple

from dungeon.proof.puzzle import members, union

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dungeon.proof.puzzle import Puzzle


ANY = -1
"""`PuzzleMove.end` if the opened lock was no end: the next move may open any lock."""


class PuzzleState(NamedTuple):
    """A state of play.

    Attributes:
        opened: The mask of the open locks.
        spent: The tally of the consumed keys that have been spent: an integer with a few bits for each sort of key.
        reached: The mask of the areas that the player can reach.
        words: The mask of the words (names) of the open locks.
        order: The open locks in the order in which they were opened.
    """

    opened: int
    spent: int
    reached: int
    words: int
    order: tuple[int, ...]


class PuzzleMove(NamedTuple):
    """A possible move: opening a lock.

    Attributes:
        state: The state after the move.
        end: The number of the opened lock if it is an end (a lock that can be left for last), else `ANY`.
    """

    state: PuzzleState
    end: int


class KeysInReach(NamedTuple):
    """The keys and locks that a player finds in a set of areas.

    Attributes:
        lasting: The mask of the words (lock names) that lasting keys there open: keys that are never used up.
        found: The tally of the consumed keys there.
        locks: The mask of the locks that can be opened from there, open ones included.
        paid: For each lock of the puzzle, the sorts of consumed keys that open it beside the lasting keys.
    """

    lasting: int
    found: int
    locks: int
    paid: Sequence[Sequence[int]]


class PuzzleRules:
    """The possible moves of a puzzle, with its locks and keys as masks.

    Attributes:
        puzzle: The puzzle.
        locks: The mask of all locks.
        needs: For each lock, the mask of its words: a key for each of them is needed.
        follows: For each lock, the mask of words; once a lock with one of these is open, this lock opens without a key.
        near: For each lock, the mask of the areas from which it can be opened.
        beyond: For each lock, the mask of the areas behind it.
        locked_with: For each word, the mask of its locks.
        costs: For each word, how many keys one of its locks needs.
        sorts: For each sort of consumed keys, the mask of the words that a key opens; sorts with few words come first.
        sorts_with: For each word, the sorts that open it.
        rivals: For each word, the mask of all words that the consumed keys for this word open, the word itself included.
        ends: The mask of the locks that can be left for last without loss: only consumed keys open them, no lock follows them,
            and no key, lock or drop lies behind them. The order among them makes no difference.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        words = sorted({(word, lock.needed) for lock in puzzle.locks for word in lock.words})
        bits: dict[str, int] = {}
        for number, (word, _) in enumerate(words):
            bits[word] = bits.get(word, 0) | 1 << number

        def mask(some: Iterable[str]) -> int:
            """Return the mask of words; words that no lock has are left out."""
            return union(bits.get(word, 0) for word in some)

        self.locks = (1 << len(puzzle.locks)) - 1
        self.costs = [count for _, count in words]
        self._several = union(1 << word for word, count in enumerate(self.costs) if count > 1)
        self.needs = [
            union(1 << words.index((word, lock.needed)) for word in lock.words) for lock in puzzle.locks
        ]
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
        """Sort the keys into lasting ones (never used up) and sorts of consumed ones, and set all attributes about keys.

        Args:
            keys: For each key (areas from which it can be taken, words that it opens, whether it is consumed).
        """
        self._keys = [(areas, opened) for areas, opened, _ in keys if opened]
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
        """Return the mask of the ends: the locks that can be left for last without loss (see the attribute `ends`)."""
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
        """Return, for each lock, the tally of the consumed keys that lie behind this lock and can't be reached otherwise."""
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
        """Return the first state of play: nothing opened, nothing spent."""
        return PuzzleState(0, 0, self.puzzle.reached(self.puzzle.start, 0), 0, ())

    def hand(self, reached: int) -> KeysInReach:
        """Return the keys and locks within reach of a player who can reach the areas of the mask `reached`. Results are cached."""
        known = self._hands.get(reached)
        if known is None:
            lasting = self._enough([opened for areas, opened in self._lasting if areas & reached])
            found = sum(unit for areas, unit in self._used_up if areas & reached)
            locks = sum(1 << lock for lock, near in enumerate(self.near) if near & reached)
            if lasting not in self._paid:
                lacking = [self.lacking(lock, lasting) for lock in range(len(self.near))]
                self._paid[lasting] = [[] if word is None else self.sorts_with[word] for word in lacking]
            known = self._hands[reached] = KeysInReach(lasting, found, locks, self._paid[lasting])
        return known

    def _enough(self, keys: Sequence[int]) -> int:
        """Return the mask of the words that some keys open if none is used up: those of which there are as many as a lock needs.

        Args:
            keys: For each key, the mask of its words.
        """
        opened = union(keys)
        for word in members(opened & self._several):
            if sum(key >> word & 1 for key in keys) < self.costs[word]:
                opened &= ~(1 << word)
        return opened

    def opened_without_spending(self, reached: int) -> int:
        """Return the mask of the words that the keys in the areas of the mask `reached` open if no key is ever used up."""
        return self._enough([opened for areas, opened in self._keys if areas & reached])

    def price(self, locks: int) -> int:
        """Return how many keys it takes to open all locks of a mask, if none of them lasts."""
        if not self._several:
            return locks.bit_count()
        return sum(self.puzzle.locks[lock].needed for lock in members(locks))

    def count(self, tally: int, sort: int) -> int:
        """Return how many keys of one sort a tally counts.

        Args:
            tally: An integer that has a few bits for each sort of keys, which count them.
            sort: The index of the sort; keys that open the same words are one sort.
        """
        return (tally & self._fields[sort]) >> self._width * sort

    def after(self, state: PuzzleState, lock: int, payment: Sequence[int] = ()) -> PuzzleState:
        """Return the state after `lock` is opened from `state`.

        `payment`: the sorts of the consumed keys spent on it; empty if none is spent.
        """
        opened, spent, reached, words, order = state
        beyond = reached | self.beyond[lock]
        if self.puzzle.drops and beyond != reached:
            beyond = self.puzzle.reached(beyond, 0)
        for sort in payment:
            spent += self._units[sort]
        return PuzzleState(opened | 1 << lock, spent, beyond, words | self.needs[lock], (*order, lock))

    def is_free(self, lock: int, words: int, lasting: int) -> bool:
        """Tell whether a lock opens without spending a key.

        Args:
            lock: The lock.
            words: The mask of the words of the open locks.
            lasting: The mask of the words that the player's lasting keys open.
        """
        return bool(self.follows[lock] & words) or not self.needs[lock] & ~lasting

    def lacking(self, lock: int, lasting: int) -> int | None:
        """Return the number of the one word of a lock that no lasting key opens.

        A lock with several such words stays closed: no player is assumed to spend keys for two words on one lock.

        Args:
            lock: The lock.
            lasting: The mask of the words that the player's lasting keys open.

        Returns:
            -1 if lasting keys open all of its words, None if two or more words are left.
        """
        need = self.needs[lock] & ~lasting
        return None if need & (need - 1) else need.bit_length() - 1

    def payments(self, lock: int, hand: KeysInReach, spent: int) -> list[tuple[int, ...]]:
        """Return the payments for a lock with the unspent keys of `hand`; `spent` is the tally of spent keys."""
        left, fields, price = hand.found - spent, self._fields, self.puzzle.locks[lock].needed
        sorts = [sort for sort in hand.paid[lock] if left & fields[sort]]
        if price == 1:
            return [(sort,) for sort in sorts]
        counts = {sort: self.count(left, sort) for sort in sorts}
        if sum(counts.values()) < price:
            return []
        return [
            chosen
            for chosen in combinations_with_replacement(sorts, price)
            if all(chosen.count(sort) <= counts[sort] for sort in {*chosen})
        ]

    # -- what need not be weighed ---------------------------------------------------------------

    def is_plenty(self, word: int, opened: int, left: int) -> bool:
        """Tell whether there are plenty of keys for a word: however they are spent, each closed lock of that word gets one.

        A key may open locks of other words, too (its rivals). So the test is made for each of these words with a closed lock:
        count the unspent keys that open the word, and the keys that the closed locks need which any of these keys could open.
        There must be at least as many keys as these locks need.

        Args:
            word: The number of the word.
            opened: The mask of the open locks.
            left: The tally of the player's unspent keys.
        """
        for rival in members(self.rivals[word]):
            if not self.locked_with[rival] & ~opened:
                continue
            count = locks = 0
            for sort in self.sorts_with[rival]:
                if of_it := self.count(left, sort):
                    count += of_it
                    locks |= self._opened_by[sort]
            if not 0 < self.price(locks & ~opened) <= count:
                return False
        return True

    def frees(self, state: PuzzleState, lock: int) -> bool:
        """Tell whether opening `lock` frees other locks, for which a player could have spent a key before.

        A lock is freed, so that it opens without a key, if it follows `lock` or if a lasting key for it lies behind `lock`.
        """
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

    def make_safe_moves(self, state: PuzzleState, *, careful: bool) -> PuzzleState:
        """Return the state after all safe moves (see the module), repeated until there are none.

        Args:
            state: The state of play.
            careful: True to look for a stranded player, False to look for the best player. Fewer moves are safe for the former.
        """
        while True:
            before, hand = state, self.hand(state.reached)
            is_plenty = cache(partial(self.is_plenty, opened=state.opened, left=hand.found - state.spent))
            for lock in members(hand.locks & ~state.opened):
                is_free = self.is_free(lock, before.words, hand.lasting)
                payments = [] if is_free else self.payments(lock, hand, state.spent)
                if is_free or (payments and is_plenty(self._word(lock, hand))):
                    if not (careful and self.frees(state, lock)):
                        state = self.after(state, lock, *payments[:1])
                elif payments and not careful:
                    state = self._get_key_back(state, lock, hand)
            if state is before:
                return state

    def _word(self, lock: int, hand: KeysInReach) -> int:
        """Return the number of the one word of a lock that no lasting key in hand opens: a key must be spent on this word."""
        return (self.needs[lock] & ~hand.lasting).bit_length() - 1

    def _get_key_back(self, state: PuzzleState, lock: int, hand: KeysInReach) -> PuzzleState:
        """Return the state after opening a lock that gives back the key spent on it; the state unchanged if the lock gives none back.

        A lock gives a key back if it is opened with a key that opens only the lock's word, and another such key lies behind this
        lock and can't be reached otherwise. A lock that needs several keys, or may open without a key later (it follows others, or a
        lasting key exists), is left closed.

        Args:
            state: The state of play.
            lock: The lock.
            hand: The keys in the player's reach.
        """
        word = 1 << self._word(lock, hand)
        if self.follows[lock] or (self._kept | self._several) & word or word not in self.sorts:
            return state
        sort = self.sorts.index(word)
        held = self.hand(state.reached).found - state.spent
        is_repaid = held & self._fields[sort] and self._behind[lock] & self._fields[sort]
        return self.after(state, lock, (sort,)) if is_repaid else state

    # -- what must be weighed -------------------------------------------------------------------

    def later(self, end: int) -> int:
        """Return the mask of the locks that may be opened after the lock `end`; all locks if that is `ANY`.

        After an end (a lock that can be left for last) only ends with higher numbers may follow: their order makes no difference,
        so one order is tried.
        """
        return self.locks if end == ANY else self.ends & ~((2 << end) - 1)

    def choices(self, state: PuzzleState, end: int, *, careful: bool) -> Iterator[PuzzleMove]:
        """Yield the possible moves from a state; of moves that are known to have the same effect, only one.

        Args:
            state: The state of play.
            end: The end that was opened last, or `ANY`: see `later`.
            careful: True to look for a stranded player, False for the best player. For the latter, a key is skipped if another key
                that opens only some of its words fits too.
        """
        hand = self.hand(state.reached)
        alike = set[tuple[int, tuple[int, ...], int]]()
        for lock in members(hand.locks & self.later(end) & ~state.opened):
            if careful and self.is_free(lock, state.words, hand.lasting):
                yield PuzzleMove(self.after(state, lock), ANY)
                continue
            is_end = bool(self.ends >> lock & 1)
            payments = self.payments(lock, hand, state.spent)
            if not careful and len(payments) > 1 and len(payments[0]) == 1:
                payments = self._narrowest(payments, state.opened)
            for payment in payments:
                if is_end:
                    new = self.needs[lock], payment, self.beyond[lock] & self.puzzle.goal & ~state.reached
                    if new in alike:
                        continue
                    alike.add(new)
                yield PuzzleMove(self.after(state, lock, payment), lock if is_end else ANY)

    def _narrowest(self, payments: Sequence[tuple[int, ...]], opened: int) -> list[tuple[int, ...]]:
        """Return the payments worth trying for the best player: a key that opens more than another one is kept for later.

        A sort is dropped if another one opens the same words of closed locks, or only some of these.

        Args:
            payments: The payments that are possible, of one key each.
            opened: The mask of the open locks.
        """
        closed = union(self.needs[lock] for lock in members(self.locks & ~opened))
        kept: dict[int, int] = {}
        for (sort,) in payments:
            kept.setdefault(self.sorts[sort] & closed, sort)
        return [
            (sort,)
            for opened, sort in kept.items()
            if not any(other & ~opened == 0 and other != opened for other in kept)
        ]


def spheres_of(puzzle: Puzzle, order: Sequence[int]) -> dict[int, int]:
    """Return lock -> its sphere: the round, from 1, in which it opens if each round opens every lock that it can.

    A lock opens in a round if the rounds before have brought its keys in reach. Where locks compete for the same consumed
    keys, the locks that come first in `order` get them. Locks that never open are missing.

    Args:
        puzzle: The puzzle.
        order: The locks to open, in an order in which a player can open them.
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
            payments = [] if is_free or rivals else rules.payments(lock, hand, state.spent)
            if is_free or payments:
                state = rules.after(state, lock, *payments[:1])
                spheres[lock] = number
        if state is before:  # no lock can be opened: `order` is not a possible order
            break
    return spheres
