"""Whether every lock can be opened, in some order of play and in every one.

`PuzzleRules.rushed` does at once what need not be weighed. What is left to decide is on which lock a scarce key is spent, and of which
sort that key is. Two searches go through these decisions. The first looks for the player who gets farthest, the most hopeful
states first, until no state promises more (A*, Hart, Nilsson and Raphael, 1968). The second looks for a player who gets less far.
It leaves out the states from which everybody gets everything, and stops at the first from which nobody does (`Relaxation`).

The question is NP-hard, so that there are puzzles which no search gets through. After `MOST_STATES` states it is given up, and the
outcome says that it is not complete. All this holds where every drop leads back; for the others see `drops`.
"""

from __future__ import annotations

from functools import cache
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from dungeon.proof.puzzle import PuzzleOutcome, members, union
from dungeon.proof.puzzle_moves import ANY, PuzzleMove, PuzzleRules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dungeon.proof.puzzle import Puzzle
    from dungeon.proof.puzzle_moves import PuzzleState


class Relaxation:
    """What would be had if no key were ever used up, and what of that can be had although they are.

    Attributes:
        locks: The locks that would be opened.
        goal: The areas of the goal that would be reached.
    """

    def __init__(self, rules: PuzzleRules) -> None:
        self._rules = rules
        opened, reached, words = _without_loss(rules)
        lasting = rules.hand(reached).lasting
        self.locks = opened
        self.goal = reached & rules.puzzle.goal
        self._found = rules.hand(reached).found
        paid = [lock for lock in members(opened) if not rules.is_free(lock, words, lasting)]
        # A lock for which several keys were to be spent is never opened: that it counts as free here does no harm.
        self._paid = [
            union(1 << lock for lock in paid if rules.lacking(lock, lasting) == word)
            for word in range(len(rules.locked_with))
        ]
        self._free = opened & ~union(self._paid)
        new = self.goal & ~rules.begin().reached
        most = sorted(((rules.beyond[lock] & new).bit_count() for lock in members(opened)), reverse=True)
        self._most_areas = [sum(most[:count]) for count in range(len(most) + 1)]
        self._payable = cache(self._count_payable)

    def bound(self, state: PuzzleState, end: int = ANY) -> tuple[int, int]:
        """Return of how many areas of the goal, and of how many open locks, nobody gets more who is in that state.

        Args:
            state: The state of play.
            end: The end that was opened last, if nothing but further ends is to be opened.
        """
        ahead = self._ahead(state, end)
        areas = (state.reached & self._rules.puzzle.goal).bit_count() + self._most_areas[ahead]
        return min(areas, self.goal.bit_count()), state.opened.bit_count() + ahead

    def _ahead(self, state: PuzzleState, end: int) -> int:
        """Return how many locks may still be opened at most: as many as can be given a key each, wherever these lie."""
        closed, found = self.locks & ~state.opened, self._found
        if end != ANY:
            hand = self._rules.hand(state.reached)
            closed, found = closed & hand.locks & self._rules.later(end), hand.found
        wanted = tuple([(locks & closed).bit_count() for locks in self._paid])
        return (self._free & closed).bit_count() + self._payable(wanted, found - state.spent)

    def _count_payable(self, wanted: tuple[int, ...], left: int) -> int:
        """Return to how many locks, so many of each word, a key of a tally can be given."""
        keys = [self._rules.count(left, sort) for sort in range(len(self._rules.sorts))]
        return most_given(self._rules.sorts, keys, wanted)

    def is_sure(self, state: PuzzleState) -> bool:
        """Tell whether everything that is hoped for is opened in the end, whatever is done from here on.

        A lock in reach is sure to be opened if there are more keys in reach than could be spent on other locks. So what is
        behind it is sure to be reached, and the keys there to be found.
        """
        rules = self._rules
        closed = self.locks & ~state.opened
        wanted = [(locks & closed).bit_count() for locks in rules.locked_with]
        reached, words = state.reached, state.words
        while closed:
            hand = rules.hand(reached)
            lasting, left = hand.lasting, hand.found - state.spent
            sure: dict[int | None, bool] = {None: False}
            new = []
            for lock in members(closed & hand.locks):
                if rules.is_free(lock, words, lasting):
                    new.append(lock)
                    continue
                word = rules.lacking(lock, lasting)
                if word is not None and word not in sure:
                    sure[word] = self._spare(word, wanted, left, self._found - state.spent) >= 0
                if sure[word]:
                    new.append(lock)
            if not new:
                return False
            for lock in new:
                closed &= ~(1 << lock)
                words |= rules.needs[lock]
                reached |= rules.beyond[lock]
            reached = rules.puzzle.reached(reached, 0)
        return True

    def goes_on(self, state: PuzzleState, end: int) -> bool:
        """Tell whether somebody who opens nothing but further ends can still open another lock once he is done."""
        rules, hand = self._rules, self._rules.hand(state.reached)
        closed, left = hand.locks & ~state.opened, hand.found - state.spent
        ends = closed & rules.later(end) & rules.ends
        wanted = [(locks & ends).bit_count() for locks in rules.locked_with]
        for lock in members(closed & ~rules.ends):
            if rules.is_free(lock, state.words, hand.lasting):
                return True
            word = rules.lacking(lock, hand.lasting)
            if word is not None and self._spare(word, wanted, left, left) > 0:
                return True
        return False

    def _spare(self, word: int, wanted: Sequence[int], left: int, ever: int) -> int:
        """Return how many keys of a word are left at least once each of its locks has one, on whatever others are spent.

        Args:
            word: The word.
            wanted: How many closed locks there are of each.
            left: The tally of the keys in reach.
            ever: The tally of all that may come to be there.
        """
        rules = self._rules
        spare = sum(rules.count(left, sort) for sort in rules.sorts_with[word]) - wanted[word]
        for other in members(rules.rivals[word] & ~(1 << word)):
            both = sum(
                rules.count(ever, sort) for sort in rules.sorts_with[word] if rules.sorts[sort] >> other & 1
            )
            spare -= min(wanted[other], both)
        return spare


def _without_loss(rules: PuzzleRules) -> tuple[int, int, int]:
    """Return the locks that are opened, the areas reached, and the words of these locks, if no key is ever used up."""
    opened, reached, words = 0, rules.begin().reached, 0
    while True:
        lasting, found, *_ = rules.hand(reached)
        held = lasting | union(sort for number, sort in enumerate(rules.sorts) if rules.count(found, number))
        new = [
            lock
            for lock in members(rules.locks & ~opened)
            if rules.near[lock] & reached and rules.is_free(lock, words, held)
        ]
        if not new:
            return opened, reached, words
        for lock in new:
            opened |= 1 << lock
            words |= rules.needs[lock]
            reached |= rules.beyond[lock]
        reached = rules.puzzle.reached(reached, 0)


def most_given(sorts: Sequence[int], keys: Sequence[int], wanted: Sequence[int]) -> int:
    """Return to how many locks a key can be given: a largest matching, by augmenting paths (Kuhn, 1955).

    Args:
        sorts: The words that keys of each sort open, as masks: best such first that open few.
        keys: How many there are of each sort.
        wanted: How many locks there are of each word.
    """
    given = _KeyMatching(sorts, keys, wanted)
    for word in range(len(wanted)):
        while given.missing[word] and given.give(word, set()):
            given.missing[word] -= 1
    return sum(wanted) - sum(given.missing)


class _KeyMatching:
    """What has been given: first as it comes, in the order of the sorts.

    Attributes:
        keys: How many keys of each sort are left.
        missing: How many locks of each word have none yet.
        given: Sort -> how many keys the locks of each word have.
    """

    def __init__(self, sorts: Sequence[int], keys: Sequence[int], wanted: Sequence[int]) -> None:
        self._sorts = sorts
        self.keys, self.missing = list(keys), list(wanted)
        self.given = [[0] * len(wanted) for _ in sorts]
        for sort, opened in enumerate(sorts):
            for word in members(opened) if keys[sort] else ():
                count = self.given[sort][word] = min(self.keys[sort], self.missing[word])
                self.keys[sort] -= count
                self.missing[word] -= count

    def give(self, word: int, tried: set[int]) -> bool:
        """Give one more key to a word, though others get theirs from elsewhere for that; tell whether that can be done."""
        for sort in range(len(self._sorts)):
            if not self._sorts[sort] >> word & 1 or sort in tried:
                continue
            tried.add(sort)
            if self.keys[sort]:
                self.keys[sort] -= 1
                self.given[sort][word] += 1
                return True
            for other, count in enumerate(self.given[sort]):
                if count and other != word and self.give(other, tried):
                    self.given[sort][other] -= 1
                    self.given[sort][word] += 1
                    return True
        return False


MOST_STATES = 2_000
"""After so many states of play the search is given up, and the outcome says so."""


def play(puzzle: Puzzle) -> PuzzleOutcome:
    """Play in every way that makes a difference."""
    rules = PuzzleRules(puzzle)
    first = rules.rushed(rules.begin(), careful=True)
    if not any(rules.choices(first, ANY, careful=True)):
        return PuzzleOutcome(first.order, None, complete=True)
    return _PuzzleSearch(rules).outcome(first)


def _news() -> Callable[[PuzzleState, int], bool]:
    """Return what tells whether a state is asked for the first time, with that end opened last."""
    asked = set[tuple[int, int, int]]()

    def is_new(state: PuzzleState, end: int) -> bool:
        count = len(asked)
        asked.add((state.opened, state.spent, end))
        return len(asked) > count

    return is_new


class _PuzzleSearch:
    """A search through the states of play.

    Attributes:
        left: How many states may still be looked at.
    """

    def __init__(self, rules: PuzzleRules) -> None:
        self.rules = rules
        self.hope = Relaxation(rules)
        self.left = MOST_STATES

    def outcome(self, first: PuzzleState) -> PuzzleOutcome:
        """Return what comes of playing on from a state."""
        best = self._farthest()
        order, stranded = best.order, None
        if best.reached & self.rules.puzzle.goal == self.hope.goal:
            worst = self._behind(first, best)
            if worst is not None:
                stranded = tuple(lock for lock in order if not worst.opened >> lock & 1)
        return PuzzleOutcome(order, stranded, complete=self.left > 0 or stranded is not None)

    def _gain(self, state: PuzzleState) -> tuple[int, int]:
        """Return how far somebody has got."""
        return (state.reached & self.rules.puzzle.goal).bit_count(), state.opened.bit_count()

    def _farthest(self) -> PuzzleState:
        """Return the state of who gets farthest, of those at which the search has looked."""
        best = self.rules.rushed(self.rules.begin(), careful=False)
        gain, number = self._gain(best), 0
        areas, locks = self.hope.bound(best)
        waiting = [((-areas, -locks, 0, 0), PuzzleMove(best, ANY))]
        is_new = _news()
        while waiting:
            (areas, locks, _, _), choice = heappop(waiting)
            if (-areas, -locks) <= gain:
                break
            self.left -= 1
            if self.left <= 0:
                break
            for state, end in self.rules.choices(*choice, careful=False):
                if not is_new(state, end):
                    continue
                found = state if end != ANY else self.rules.rushed(state, careful=False)
                if found is not state and not is_new(found, end):
                    continue
                best, gain = max((best, gain), (found, self._gain(found)), key=lambda each: each[1])
                areas, locks = self.hope.bound(found, end)
                if (areas, locks) > gain:
                    number += 1
                    rank = -areas, -locks, -found.opened.bit_count(), -number
                    heappush(waiting, (rank, PuzzleMove(found, end)))
        return best

    def _behind(self, first: PuzzleState, best: PuzzleState) -> PuzzleState | None:
        """Return the state of somebody who has got less far than another and can't go on; None if none is found."""
        rules, gain = self.rules, self._gain(best)
        opens_all = not self.hope.locks & ~best.opened
        waiting = [PuzzleMove(first, ANY)]
        is_new = _news()
        while waiting:
            before, end = waiting.pop()
            if not is_new(before, end):
                continue
            state = before if end != ANY else rules.rushed(before, careful=True)
            if state is not before and not is_new(state, end):
                continue
            self.left -= 1
            if self.left <= 0:
                break
            if self.hope.bound(state) < gain:
                return self._ended(state)
            if opens_all and self.hope.is_sure(state):
                continue
            choices = [*rules.choices(state, end, careful=True)]
            if self.hope.goes_on(state, end):  # after whatever ends: so these come later
                if end != ANY:
                    continue
                choices = [each for each in choices if each.end == ANY]
            if not choices and not any(rules.choices(state, ANY, careful=True)) and self._gain(state) < gain:
                return state
            # Who reaches little is soonest stranded, and is looked at first: from the end of the list.
            waiting += sorted(choices, key=lambda each: each.state.reached.bit_count(), reverse=True)
        return None

    def _ended(self, state: PuzzleState) -> PuzzleState:
        """Return the state once somebody has gone on, somehow, for as long as he can."""
        while after := next(self.rules.choices(state, ANY, careful=True), None):
            state = self.rules.rushed(after.state, careful=True)
        return state
