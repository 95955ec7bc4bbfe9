"""Whether every lock can be opened, in some order of play and in every one.

What need not be weighed against anything is done at once (`rules`). What is left to decide is on which lock a key is spent of
which there are too few, and of which sort that is. Such decisions are looked through twice: for who gets farthest, the
most hopeful first, until there is no hope for more (A*, Hart, Nilsson and Raphael, 1968); and then for who gets less far,
leaving out the states from which everybody gets everything, and stopping at the first from which nobody does (`hope`).

To tell that is NP-hard, so that there are puzzles which no search gets through: after `MOST_STATES` states it is given up,
and the outcome says that it is not complete.

All this holds where nobody drops to somewhere from which no way leads back: else see `drops`.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from dungeon.level.proof.play.hope import Hope
from dungeon.level.proof.play.parts import Outcome
from dungeon.level.proof.play.rules import ANY, Choice, Rules

if TYPE_CHECKING:
    from dungeon.level.proof.play.parts import Puzzle
    from dungeon.level.proof.play.rules import State

MOST_STATES = 2_000
"""After so many states of play the search is given up, and the outcome says so."""


def play(puzzle: Puzzle) -> Outcome:
    """Play in every way that makes a difference."""
    rules = Rules(puzzle)
    first = rules.rushed(rules.begin(), careful=True)
    if not any(rules.choices(first, ANY, careful=True)):
        return Outcome(first.order, None, complete=True)
    return _Search(rules).outcome(first)


class _Seen:
    """What has been looked at."""

    def __init__(self) -> None:
        self._states = set[tuple[int, int, int]]()

    def is_new(self, state: State, end: int) -> bool:
        """Tell whether a state has not been asked for before, with that end opened last."""
        asked = state.opened, state.spent, end
        is_new = asked not in self._states
        self._states.add(asked)
        return is_new


class _Search:
    """A search through the states of play.

    Attributes:
        left: How many states may still be looked at.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.hope = Hope(rules)
        self.left = MOST_STATES

    def outcome(self, first: State) -> Outcome:
        """Return what comes of playing on from a state."""
        best = self._farthest()
        order, stranded = best.order, None
        if best.reached & self.rules.puzzle.goal == self.hope.goal:
            worst = self._behind(first, best)
            if worst is not None:
                stranded = tuple(lock for lock in order if not worst.opened >> lock & 1)
        return Outcome(order, stranded, complete=self.left > 0 or stranded is not None)

    def _gain(self, state: State) -> tuple[int, int]:
        """Return how far somebody has got."""
        return (state.reached & self.rules.puzzle.goal).bit_count(), state.opened.bit_count()

    def _farthest(self) -> State:
        """Return the state of who gets farthest, of those at which the search has looked."""
        best = self.rules.rushed(self.rules.begin(), careful=False)
        gain, number = self._gain(best), 0
        areas, locks = self.hope.bound(best)
        waiting = [((-areas, -locks, 0, 0), Choice(best, ANY))]
        seen = _Seen()
        while waiting:
            (areas, locks, _, _), choice = heappop(waiting)
            if (-areas, -locks) <= gain:
                break
            self.left -= 1
            if self.left <= 0:
                break
            for state, end in self.rules.choices(*choice, careful=False):
                if not seen.is_new(state, end):
                    continue
                found = state if end != ANY else self.rules.rushed(state, careful=False)
                if found is not state and not seen.is_new(found, end):
                    continue
                best, gain = max((best, gain), (found, self._gain(found)), key=lambda each: each[1])
                areas, locks = self.hope.bound(found, end)
                if (areas, locks) > gain:
                    number += 1
                    rank = -areas, -locks, -found.opened.bit_count(), -number
                    heappush(waiting, (rank, Choice(found, end)))
        return best

    def _behind(self, first: State, best: State) -> State | None:
        """Return the state of somebody who has got less far than another and can't go on; None if none is found."""
        rules, gain = self.rules, self._gain(best)
        opens_all = not self.hope.locks & ~best.opened
        waiting = [Choice(first, ANY)]
        seen = _Seen()
        while waiting:
            before, end = waiting.pop()
            if not seen.is_new(before, end):
                continue
            state = before if end != ANY else rules.rushed(before, careful=True)
            if state is not before and not seen.is_new(state, end):
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

    def _ended(self, state: State) -> State:
        """Return the state once somebody has gone on, somehow, for as long as he can."""
        while after := next(self.rules.choices(state, ANY, careful=True), None):
            state = self.rules.rushed(after.state, careful=True)
        return state
