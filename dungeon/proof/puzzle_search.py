"""Search of a lock-and-key puzzle: how far the best player gets, and whether a careless player can be stranded by spending keys on the wrong locks. Areas and locks are bits of masks; a tally counts keys by sort.

`PuzzleRules.make_safe_moves` makes all moves that can't be mistakes. What remains to decide is on which lock to spend a scarce
key. Two searches try these decisions:

1. Best-first search for the best player, ordered by an upper bound on what a state can reach, until no state promises more (A*,
   Hart, Nilsson and Raphael, 1968).
2. Depth-first search for a player who gets less far. It prunes states from which every player gets everything, and stops at
   the first state whose upper bound is below the best player's result (`Relaxation`).

The problem is NP-hard, so both searches together give up after `MOST_STATES` states, and `PuzzleOutcome.complete` is then False.
This module assumes that every drop leads back; `puzzle_drops` handles the other puzzles.
"""

from __future__ import annotations

from functools import cache
from heapq import heappop, heappush
from operator import floordiv
from typing import TYPE_CHECKING

from dungeon.proof.puzzle import PuzzleOutcome, members, union
from dungeon.proof.puzzle_moves import ANY, PuzzleMove, PuzzleRules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dungeon.proof.puzzle import Puzzle
    from dungeon.proof.puzzle_moves import PuzzleState


class Relaxation:
    """Upper bounds on what a player can reach, from an easier (relaxed) puzzle in which keys are never used up.

    Attributes:
        locks: The mask of the locks that a player opens in the relaxed puzzle.
        goal: The mask of the goal areas that a player reaches in it: no player of the real puzzle reaches others.
    """

    def __init__(self, rules: PuzzleRules) -> None:
        self._rules = rules
        opened, reached, words = _play_without_spending(rules)
        lasting = rules.hand(reached).lasting
        self.locks = opened
        self.goal = reached & rules.puzzle.goal
        self._found = rules.hand(reached).found
        paid = [lock for lock in members(opened) if not rules.is_free(lock, words, lasting)]
        # No player spends keys for several words on one lock. Counting such a lock as free only makes the bound looser.
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
        """Return an upper bound on (goal areas reached, locks opened) for any play from this state.

        Args:
            state: The state of play.
            end: The end (lock that can be left for last) that was opened last, if only further ends may be opened; else `ANY`.
        """
        ahead = self._ahead(state, end)
        areas = (state.reached & self._rules.puzzle.goal).bit_count() + self._most_areas[ahead]
        return min(areas, self.goal.bit_count()), state.opened.bit_count() + ahead

    def _ahead(self, state: PuzzleState, end: int) -> int:
        """Return an upper bound on the number of locks that can still be opened from a state.

        It counts the locks that open without a key, and the locks that can get a key each, wherever the keys lie.

        Args:
            state: The state of play.
            end: As for `bound`.
        """
        closed, found = self.locks & ~state.opened, self._found
        if end != ANY:
            hand = self._rules.hand(state.reached)
            closed, found = closed & hand.locks & self._rules.later(end), hand.found
        wanted = tuple([(locks & closed).bit_count() for locks in self._paid])
        if max(self._rules.costs, default=1) > 1:
            left = [self._keys_for(word, found - state.spent) for word in range(len(wanted))]
            wanted = tuple(map(min, wanted, map(floordiv, left, self._rules.costs)))
        return (self._free & closed).bit_count() + self._payable(wanted, found - state.spent)

    def _keys_for(self, word: int, left: int) -> int:
        """Return the number of keys that open locks of a word, in a tally."""
        return sum(self._rules.count(left, sort) for sort in self._rules.sorts_with[word])

    def _count_payable(self, wanted: tuple[int, ...], left: int) -> int:
        """Return how many locks can get a key each at the same time.

        Args:
            wanted: For each word (lock name), the number of its locks.
            left: The tally of the keys (an integer that counts the keys of each sort).
        """
        keys = [self._rules.count(left, sort) for sort in range(len(self._rules.sorts))]
        return maximum_matching(self._rules.sorts, keys, wanted)

    def opens_everything(self, state: PuzzleState) -> bool:
        """Tell whether every play from this state opens all locks that can be opened at all (`locks`) in the end.

        A lock in reach is sure to be opened if more of its keys are in reach than can be spent on other locks. Then the areas
        behind it, and the keys there, are sure to be reached too; repeat until all locks are sure or none is added.
        """
        rules = self._rules
        closed = self.locks & ~state.opened
        wanted = [rules.price(locks & closed) for locks in rules.locked_with]
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
                    sure[word] = self._spare_keys(word, wanted, left, self._found - state.spent) >= 0
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

    def can_open_more(self, state: PuzzleState, end: int) -> bool:
        """Tell whether a player can certainly still open another lock after all ends that he may open now.

        An end is a lock that can be left for last.

        Args:
            state: The state of play.
            end: The end that was opened last, or `ANY`.
        """
        rules, hand = self._rules, self._rules.hand(state.reached)
        closed, left = hand.locks & ~state.opened, hand.found - state.spent
        ends = closed & rules.later(end) & rules.ends
        wanted = [rules.price(locks & ends) for locks in rules.locked_with]
        for lock in members(closed & ~rules.ends):
            if rules.is_free(lock, state.words, hand.lasting):
                return True
            word = rules.lacking(lock, hand.lasting)
            if word is not None and self._spare_keys(word, wanted, left, left) >= rules.costs[word]:
                return True
        return False

    def _spare_keys(self, word: int, wanted: Sequence[int], left: int, ever: int) -> int:
        """Return a lower bound on the number of spare keys of a word: those left when each of its closed locks has what it needs.

        The bound holds however keys are spent on locks of other words. It is negative if there may be too few keys.

        Args:
            word: The word.
            wanted: For each word, the number of keys that its closed locks need.
            left: The tally of the keys in reach.
            ever: The tally of all keys that may ever come in reach.
        """
        rules = self._rules
        spare = self._keys_for(word, left) - wanted[word]
        for other in members(rules.rivals[word] & ~(1 << word)):
            both = sum(
                rules.count(ever, sort) for sort in rules.sorts_with[word] if rules.sorts[sort] >> other & 1
            )
            spare -= min(wanted[other], both)
        return spare


def _play_without_spending(rules: PuzzleRules) -> tuple[int, int, int]:
    """Play the puzzle as if no key were ever used up.

    Returns:
        Three masks: the locks opened, the areas reached, and the words (names) of these locks.
    """
    opened, reached, words = 0, rules.begin().reached, 0
    while True:
        held = rules.opened_without_spending(reached)
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


def maximum_matching(sorts: Sequence[int], keys: Sequence[int], wanted: Sequence[int]) -> int:
    """Return the largest number of locks that can get a key each: a maximum matching by augmenting paths (Kuhn, 1955).

    Args:
        sorts: For each sort of keys, the mask of the words (lock names) that it opens. Fastest if sorts with few words come first.
        keys: The number of keys of each sort.
        wanted: The number of locks of each word.
    """
    given = _KeyMatching(sorts, keys, wanted)
    for word in range(len(wanted)):
        while given.missing[word] and given.give(word, set()):
            given.missing[word] -= 1
    return sum(wanted) - sum(given.missing)


class _KeyMatching:
    """An assignment of keys to locks. It begins greedily, in the order of the sorts of keys, and `give` improves it.

    Attributes:
        keys: The number of keys of each sort that are not given yet.
        missing: The number of locks of each word (lock name) without a key.
        given: `given[sort][word]` is the number of keys of a sort that locks of a word have.
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
        """Give a key to one more lock of a word, along an augmenting path; return whether that was possible.

        A key may be taken from a lock of another word, if that lock gets a key of another sort instead.

        Args:
            word: The word.
            tried: The sorts of keys visited so far; changed.
        """
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
"""Number of states of play after which both searches together give up; `PuzzleOutcome.complete` is then False."""


def play(puzzle: Puzzle) -> PuzzleOutcome:
    """Return the outcome of a puzzle in which every drop leads back: how far the best player gets, and whether a player can be stranded."""
    rules = PuzzleRules(puzzle)
    first = rules.make_safe_moves(rules.begin(), careful=True)
    if not any(rules.choices(first, ANY, careful=True)):
        return PuzzleOutcome(first.order, None, complete=True)
    return _PuzzleSearch(rules).outcome(first)


def _first_time() -> Callable[[PuzzleState, int], bool]:
    """Return a function that tells whether it is called for the first time with a state of play and the end opened last.

    An end is a lock that can be left for last.
    """
    asked = set[tuple[int, int, int]]()

    def is_new(state: PuzzleState, end: int) -> bool:
        count = len(asked)
        asked.add((state.opened, state.spent, end))
        return len(asked) > count

    return is_new


class _PuzzleSearch:
    """The two searches through the states of play of one puzzle: for the best player, and for a stranded one.

    Attributes:
        rules: The moves of the puzzle.
        relaxation: Upper bounds on what a player can reach.
        left: The number of states that may still be looked at.
    """

    def __init__(self, rules: PuzzleRules) -> None:
        self.rules = rules
        self.relaxation = Relaxation(rules)
        self.left = MOST_STATES

    def outcome(self, first: PuzzleState) -> PuzzleOutcome:
        """Return the outcome of the puzzle. `first` is the state in which the search for a stranded player begins."""
        best = self._best_play()
        order, stranded = best.order, None
        if best.reached & self.rules.puzzle.goal == self.relaxation.goal:
            worst = self._stranded_play(first, best)
            if worst is not None:
                stranded = tuple(lock for lock in order if not worst.opened >> lock & 1)
        return PuzzleOutcome(order, stranded, complete=self.left > 0 or stranded is not None)

    def _score(self, state: PuzzleState) -> tuple[int, int]:
        """Return (number of goal areas reached, number of locks opened): the measure by which states are compared."""
        return (state.reached & self.rules.puzzle.goal).bit_count(), state.opened.bit_count()

    def _best_play(self) -> PuzzleState:
        """Return the best state that the best-first search finds within the number of states left."""
        best = self.rules.make_safe_moves(self.rules.begin(), careful=False)
        gain, number = self._score(best), 0
        areas, locks = self.relaxation.bound(best)
        waiting = [((-areas, -locks, 0, 0), PuzzleMove(best, ANY))]
        is_new = _first_time()
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
                found = state if end != ANY else self.rules.make_safe_moves(state, careful=False)
                if found is not state and not is_new(found, end):
                    continue
                best, gain = max((best, gain), (found, self._score(found)), key=lambda each: each[1])
                areas, locks = self.relaxation.bound(found, end)
                if (areas, locks) > gain:
                    number += 1
                    rank = -areas, -locks, -found.opened.bit_count(), -number
                    heappush(waiting, (rank, PuzzleMove(found, end)))
        return best

    def _stranded_play(self, first: PuzzleState, best: PuzzleState) -> PuzzleState | None:
        """Return a state in which a player is stuck and has less than `best`; None if the search finds none.

        Args:
            first: The state to begin from.
            best: The best player's last state.
        """
        rules, gain = self.rules, self._score(best)
        opens_all = not self.relaxation.locks & ~best.opened
        waiting = [PuzzleMove(first, ANY)]
        is_new = _first_time()
        while waiting:
            before, end = waiting.pop()
            if not is_new(before, end):
                continue
            state = before if end != ANY else rules.make_safe_moves(before, careful=True)
            if state is not before and not is_new(state, end):
                continue
            self.left -= 1
            if self.left <= 0:
                break
            if self.relaxation.bound(state) < gain:
                return self._played_on(state)
            if opens_all and self.relaxation.opens_everything(state):
                continue
            choices = [*rules.choices(state, end, careful=True)]
            # If other locks can still be opened, the ends may as well come after them.
            if self.relaxation.can_open_more(state, end):
                if end != ANY:
                    continue
                choices = [each for each in choices if each.end == ANY]
            if not choices and not any(rules.choices(state, ANY, careful=True)) and self._score(state) < gain:
                return state
            # A player who reaches little is stranded soonest, so that state goes to the end of the list, where it is taken first.
            waiting += sorted(choices, key=lambda each: each.state.reached.bit_count(), reverse=True)
        return None

    def _played_on(self, state: PuzzleState) -> PuzzleState:
        """Play on from a state with the first possible move each time, until no move is left; return the last state."""
        while after := next(self.rules.choices(state, ANY, careful=True), None):
            state = self.rules.make_safe_moves(after.state, careful=True)
        return state
