"""Whether somebody can be stranded who shuts again what a lever has opened, and then drops to where no way leads back to it.

A lever that *toggles* opens all that bears its words, from afar, if any of that is shut; and else shuts all of it. What
follows such a lock, and has opened with it, stays open.

Who shuts something stands before the lever, and can open it again: so all that he does he can undo, but for a drop. Such levers
count as lasting keys (`_can_undo`) where nobody drops, or where

- all drops end where play begins, or where they begin, and
- nothing but one lever opens each lock that it shuts.

For take the words of levers in the order in which they were first opened. The lever of the first was reached while nothing was
open that a lever shuts, and so can be reached again from where play begins; that of the second with the first open, and so on.

A lasting key must be brought to its lock, though. What follows a lock behind which nobody has been yet would stay shut: so levels that
seem closed for that, and those of which the above does not hold, are played through in all states, with what is open now.
These go round in circles, so that nobody is stranded only if from every state one gets to some in which everything is open and
in reach: the states are followed back from those.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dungeon.level.proof.play import drops
from dungeon.level.proof.play.drops import Play, State
from dungeon.level.proof.play.hope import Hope
from dungeon.level.proof.play.parts import Outcome, members, union
from dungeon.level.proof.play.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dungeon.level.proof.play.parts import Puzzle


def solve(puzzle: Puzzle) -> Outcome:
    """Play a level in every way that makes a difference, levers that shut again what they open among them."""
    words = frozenset(word for key in puzzle.keys if key.toggles for word in key.words)
    if _can_undo(puzzle, words):
        outcome = drops.solve(puzzle)
        opened = union(1 << lock for lock in outcome.order)
        gets_all = not puzzle.goal & ~puzzle.reached(puzzle.start, opened)
        if gets_all or not any(lock.follows & words for lock in puzzle.locks):
            return outcome
    return _Toggling(puzzle).outcome()


def _can_undo(puzzle: Puzzle, words: frozenset[str]) -> bool:
    """Tell whether whatever somebody shuts with levers of some words he can open again, wherever he has gone since."""
    if not words or not puzzle.one_ways:
        return True
    shut = [lock for lock in puzzle.locks if lock.words & words]
    return all(not drop.beyond & ~(puzzle.start | drop.near) for drop in puzzle.one_ways) and all(
        not lock.follows and sum(not key.words.isdisjoint(lock.words) for key in puzzle.keys) == 1
        for lock in shut
    )


class _Toggling(Play):
    """The rules of play, where one may drop, and pull levers that shut what they have opened."""

    def __init__(self, puzzle: Puzzle) -> None:
        super().__init__(replace(puzzle, keys=[key for key in puzzle.keys if not key.toggles]))
        self._levers = [
            (key.areas, union(1 << at for at, lock in enumerate(puzzle.locks) if lock.words <= key.words))
            for key in puzzle.keys
            if key.toggles
        ]
        self._everything = Hope(Rules(puzzle)).goal

    def outcome(self) -> Outcome:
        """Return what comes of playing, in all ways there are."""
        first = self.first()
        orders: dict[State, tuple[int, ...]] = {first: ()}
        before: dict[State, list[State]] = {first: []}
        after: dict[State, list[State]] = {}
        waiting = [first]
        for state in waiting:  # it grows while it is walked through
            if len(waiting) >= drops.MOST_STATES:
                break
            after[state] = []
            for following in self._next_states(state):
                if following not in orders:
                    fresh = following.opened & ~state.opened & ~union(1 << each for each in orders[state])
                    orders[following] = (*orders[state], *members(fresh))
                    before[following] = []
                    waiting.append(following)
                before[following].append(state)
                after[state].append(following)
        complete = len(after) == len(waiting)
        best = max(waiting, key=self._gain)
        gained = self._gained(best.opened)
        if not complete or self._everything & ~gained:
            return Outcome(orders[best], None, complete=complete)
        fine = _followed([state for state in waiting if self._in_reach(state) == self._gain(best)], before)
        strays = [state for state in waiting if state not in fine]
        if not strays:
            return Outcome(orders[best], None, complete=True)
        worst = min(strays, key=self._in_reach)
        end = max(_followed([worst], after), key=self._in_reach)
        shut = tuple(lock for lock in orders[best] if not end.opened >> lock & 1)
        lost = gained & ~self.puzzle.reached(end.here, end.opened)
        return Outcome(orders[best], None if lost else shut, complete=True, lost=lost)

    def _next_states(self, state: State) -> Iterator[State]:
        """Yield what may be next."""
        yield from (following for _, following in self._moves(state))
        for areas, locks in self._levers:
            pulled_from = areas & state.here
            if pulled_from and locks & ~state.opened:
                opened = state.opened | locks
                yield state._replace(here=self._around(state.here, opened), opened=opened)
            elif pulled_from and locks:
                opened = state.opened & ~locks
                for here in dict.fromkeys(self._around(1 << area, opened) for area in members(pulled_from)):
                    for taken in self._taken_along(state):
                        yield state._replace(here=here, opened=opened, taken=taken)

    def _taken_along(self, state: State) -> Iterator[int]:
        """Yield the keys that have been taken by who takes nothing along, and by who takes all there is.

        Whoever is stranded with some of it would be with nothing, and nobody gets farther than with all.
        """
        lying = union(1 << at for at, key in enumerate(self.keys) if key.areas & state.here)
        yield from dict.fromkeys((state.taken, state.taken | lying))

    def _in_reach(self, state: State) -> tuple[int, int]:
        """Return how many areas of the goal are in reach of who is there, and how many locks are open."""
        reached = self.puzzle.reached(state.here, state.opened) & self.puzzle.goal
        return reached.bit_count(), state.opened.bit_count()


def _followed(states: Iterable[State], links: Mapping[State, Iterable[State]]) -> dict[State, None]:
    """Return some states and those to which links lead from them, in the order in which they are come by."""
    found = dict.fromkeys(states)
    waiting = list(found)
    for state in waiting:  # it grows while it is walked through
        fresh = [each for each in links[state] if each not in found]
        found.update(dict.fromkeys(fresh))
        waiting += dict.fromkeys(fresh)
    return found
