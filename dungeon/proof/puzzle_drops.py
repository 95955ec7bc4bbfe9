"""Whether a player can be stranded by a drop: a way that leads to where no way leads back, or where a lever has shut a door.

**Drops.** Most end where everybody has been who gets to where they begin. Such a drop changes nothing, for what is open stays open.
In terms of flow graphs, its end dominates its beginning (Lengauer and Tarjan, 1979). With others it matters where the player is and
what he has taken along. So a state of play is the locks that are open, the keys that have been taken and spent, and the areas
between which he can go back and forth::

    A <-> B --> C <-> D        here is {A, B}, and after a drop from B to C it is {C, D}

All states are looked through; van der Linden, Lopes and Bidarra survey graphs of locks and keys in play ("Procedural generation of
dungeons", 2014). Play ends where nothing can be opened and nothing leads on. Nobody is stranded if all ends have everything in
reach. The search is given up after `MOST_STATES`, and the outcome says so.

**Toggles.** A lever that *toggles* opens everything that bears its words, from afar, if any of that is shut; else it shuts all of
it. What follows such a lock, and has opened with it, stays open. A player who shuts something stands before the lever and can open
it again, so that only a drop can't be undone. Such levers count as lasting keys (`_can_undo`) where there are no drops, or where

- all drops end where play begins, or where they begin, and
- nothing but one lever opens each lock that it shuts.

For take the words of levers in the order in which they were first opened. The lever of the first was reached while nothing was open
that a lever shuts, and so can be reached again from where play begins; that of the second with the first open, and so on.

A lasting key must be brought to its lock, though. What follows a lock behind which nobody has been yet would stay shut. So levels that
seem closed for that reason, and those for which the above does not hold, are played through in all states, with what is open now.
These go round in circles, so that nobody is stranded only if every state leads to some in which everything is open and in reach:
the states are followed back from those.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from dungeon.proof.puzzle import PuzzleDrop, PuzzleOutcome, members, union
from dungeon.proof.puzzle_moves import PuzzleRules
from dungeon.proof.puzzle_search import Relaxation, play

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dungeon.proof.puzzle import Puzzle, PuzzleKey, PuzzleLock


MOST_STATES = 20_000
"""After so many states of play the search is given up, and the outcome says so."""


def play_with_drops(puzzle: Puzzle) -> PuzzleOutcome:
    """Play a level in every way that makes a difference."""
    if all(_leads_back(puzzle, each) for each in puzzle.one_ways):
        return play(puzzle)
    return DropPlay(puzzle).outcome()


def _leads_back(puzzle: Puzzle, drop: PuzzleDrop) -> bool:
    """Tell whether everybody who is where a drop begins has come by where it ends."""
    everything = (1 << len(puzzle.locks)) - 1
    return not puzzle.reached(puzzle.start, everything, drop.beyond) & drop.near


class DropState(NamedTuple):
    """A state of play.

    Attributes:
        here: The areas between which one can go back and forth, and the insides of what one has opened there.
        opened: The locks that are open; `taken`: the keys that no longer lie where they did; `spent`: those used up.
    """

    here: int
    opened: int
    taken: int
    spent: int


class DropPlay:
    """The rules of play, where one may drop."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.locks: Sequence[PuzzleLock] = puzzle.locks
        self.keys: Sequence[PuzzleKey] = puzzle.keys
        self._around = cache(self._found_around)
        self._gained = cache(self._found_in_all)

    def first(self) -> DropState:
        """Return the state in which play begins."""
        return DropState(self._around(self.puzzle.start, 0), 0, 0, 0)

    def outcome(self) -> PuzzleOutcome:
        """Return what comes of playing: all of it, or until somebody is lost where another has got everywhere."""
        everything = Relaxation(PuzzleRules(self.puzzle)).goal
        best = self.first()
        orders: dict[DropState, tuple[int, ...]] = {best: ()}
        waiting, ends = [best], list[DropState]()
        lost = 0
        while waiting and len(orders) < MOST_STATES:
            state = waiting.pop()
            if self._gain(state) > self._gain(best):
                best = state
            after = list(self._moves(state))
            if not after:
                ends.append(state)
                lost = lost or everything & ~state.here
            if lost and self._gained(best.opened) == everything:
                return PuzzleOutcome(orders[best], None, complete=True, lost=lost)
            for lock, following in after:
                if following not in orders:
                    orders[following] = orders[state] if lock is None else (*orders[state], lock)
                    waiting.append(following)
        best = max(orders, key=self._gain)
        order, stranded = orders[best], None
        if self._gained(best.opened) == everything:
            fewest = min((end.opened for end in ends), key=int.bit_count, default=best.opened)
            if fewest.bit_count() < best.opened.bit_count():
                stranded = tuple(lock for lock in order if not fewest >> lock & 1)
        return PuzzleOutcome(order, stranded, complete=stranded is not None or not waiting)

    def _found_in_all(self, opened: int) -> int:
        """Return the areas of the goal to which one gets from the start through open locks."""
        return self.puzzle.reached(self.puzzle.start, opened) & self.puzzle.goal

    def _gain(self, state: DropState) -> tuple[int, int]:
        """Return how far somebody has got."""
        return self._gained(state.opened).bit_count(), state.opened.bit_count()

    def _found_around(self, start: int, opened: int) -> int:
        """Return the areas to which one gets from some, which hang together, and back; and what one has opened there."""
        here = self._together(start, opened)
        for number in members(opened):
            lock = self.locks[number]
            if lock.near & here and not lock.one_way:
                here |= lock.beyond
        return here

    def _together(self, start: int, opened: int) -> int:
        """Return the areas to which one gets from some, which hang together, and back."""
        there = self.puzzle.reached(start, opened)
        ways = [
            *self.puzzle.drops,
            *((self.locks[each].near, self.locks[each].beyond) for each in members(opened)),
        ]
        back = start
        while more := union(near for near, beyond in ways if beyond & back) & ~back:
            back |= more
        return there & back | start

    # -- moves ----------------------------------------------------------------------------------

    def _moves(self, state: DropState) -> Iterator[tuple[int | None, DropState]]:
        """Yield what may be next, with the lock that is opened if one is."""
        for number, lock in enumerate(self.locks):
            if state.opened >> number & 1 or not lock.near & state.here:
                continue
            opened = state.opened | 1 << number
            here = state.here if lock.one_way else self._around(state.here | lock.beyond, opened)
            for taken, spent in self._ways_to_open(lock, state):
                yield number, DropState(self._around(here, opened), opened, taken, spent)
        opened_drops = [self.locks[number] for number in members(state.opened) if self.locks[number].one_way]
        drops = [*self.puzzle.drops, *(PuzzleDrop(each.near, each.beyond) for each in opened_drops)]
        for drop in drops:
            if drop.near & state.here and drop.beyond & ~state.here:
                here = self._around(drop.beyond, state.opened)
                for taken in self._taken_along(state):
                    yield None, state._replace(here=here, taken=taken)

    def _ways_to_open(self, lock: PuzzleLock, state: DropState) -> Iterator[tuple[int, int]]:
        """Yield the keys that have been taken, and spent, once a lock is opened, for each way to do so."""
        open_words = {word for number in members(state.opened) for word in self.locks[number].words}
        if lock.follows & open_words:
            yield state.taken, state.spent
            return
        # Of keys that are alike, any will do.
        at_hand: dict[tuple[PuzzleKey, int], int] = {}
        for number, key in enumerate(self.keys):
            if self._is_at_hand(number, state):
                at_hand.setdefault((key, state.taken >> number & 1), number)
        choices = [
            [number for number in at_hand.values() if word in self.keys[number].words]
            for word in sorted(lock.words)
        ]
        for chosen in product(*choices):
            used = 0
            for number in chosen:
                used |= 1 << number
            consumed = sum(1 << number for number in members(used) if self.keys[number].consumed)
            if consumed.bit_count() <= 1 or len(lock.words) == 1:
                yield state.taken | used, state.spent | consumed

    def _is_at_hand(self, number: int, state: DropState) -> bool:
        """Tell whether one has a key, or can get it and come back."""
        if state.taken >> number & 1:
            return not state.spent >> number & 1
        return bool(self.keys[number].areas & state.here)

    def _taken_along(self, state: DropState) -> Iterator[int]:
        """Yield the keys that have been taken by who takes some along, or none, of those that open something yet."""
        wanted = {
            word
            for number, lock in enumerate(self.locks)
            if not state.opened >> number & 1
            for word in lock.words
        }
        alike: dict[tuple[frozenset[str], bool, int], list[int]] = {}
        for number, key in enumerate(self.keys):
            if not state.taken >> number & 1 and key.areas & state.here and key.words & wanted:
                alike.setdefault((key.words, key.consumed, key.areas), []).append(number)
        piles = [
            [sum(1 << each for each in pile[:count]) for count in range(len(pile) + 1)]
            for pile in alike.values()
        ]
        for along in product(*piles):
            yield state.taken | sum(along)


def solve(puzzle: Puzzle) -> PuzzleOutcome:
    """Play a level in every way that makes a difference, levers that shut again what they open among them."""
    words = frozenset(word for key in puzzle.keys if key.toggles for word in key.words)
    if _can_undo(puzzle, words):
        outcome = play_with_drops(puzzle)
        opened = union(1 << lock for lock in outcome.order)
        gets_all = not puzzle.goal & ~puzzle.reached(puzzle.start, opened)
        if gets_all or not any(lock.follows & words for lock in puzzle.locks):
            return outcome
    return _LeverPlay(puzzle).outcome()


def _can_undo(puzzle: Puzzle, words: frozenset[str]) -> bool:
    """Tell whether whatever somebody shuts with levers of some words he can open again, wherever he has gone since."""
    if not words or not puzzle.one_ways:
        return True
    shut = [lock for lock in puzzle.locks if lock.words & words]
    return all(not drop.beyond & ~(puzzle.start | drop.near) for drop in puzzle.one_ways) and all(
        not lock.follows and sum(not key.words.isdisjoint(lock.words) for key in puzzle.keys) == 1
        for lock in shut
    )


class _LeverPlay(DropPlay):
    """The rules of play, where one may drop, and pull levers that shut what they have opened."""

    def __init__(self, puzzle: Puzzle) -> None:
        super().__init__(replace(puzzle, keys=[key for key in puzzle.keys if not key.toggles]))
        self._levers = [
            (key.areas, union(1 << at for at, lock in enumerate(puzzle.locks) if lock.words <= key.words))
            for key in puzzle.keys
            if key.toggles
        ]
        self._everything = Relaxation(PuzzleRules(puzzle)).goal

    def outcome(self) -> PuzzleOutcome:
        """Return what comes of playing, in all ways there are."""
        first = self.first()
        orders: dict[DropState, tuple[int, ...]] = {first: ()}
        before: dict[DropState, list[DropState]] = {first: []}
        after: dict[DropState, list[DropState]] = {}
        waiting = [first]
        for state in waiting:  # it grows while it is walked through
            if len(waiting) >= MOST_STATES:
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
            return PuzzleOutcome(orders[best], None, complete=complete)
        fine = _followed([state for state in waiting if self._in_reach(state) == self._gain(best)], before)
        strays = [state for state in waiting if state not in fine]
        if not strays:
            return PuzzleOutcome(orders[best], None, complete=True)
        worst = min(strays, key=self._in_reach)
        end = max(_followed([worst], after), key=self._in_reach)
        shut = tuple(lock for lock in orders[best] if not end.opened >> lock & 1)
        lost = gained & ~self.puzzle.reached(end.here, end.opened)
        return PuzzleOutcome(orders[best], None if lost else shut, complete=True, lost=lost)

    def _next_states(self, state: DropState) -> Iterator[DropState]:
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

    def _taken_along(self, state: DropState) -> Iterator[int]:
        """Yield the keys that have been taken by who takes nothing along, and by who takes all there is.

        Whoever is stranded with some of it would be with nothing, and nobody gets farther than with all.
        """
        lying = union(1 << at for at, key in enumerate(self.keys) if key.areas & state.here)
        yield from dict.fromkeys((state.taken, state.taken | lying))

    def _in_reach(self, state: DropState) -> tuple[int, int]:
        """Return how many areas of the goal are in reach of who is there, and how many locks are open."""
        reached = self.puzzle.reached(state.here, state.opened) & self.puzzle.goal
        return reached.bit_count(), state.opened.bit_count()


def _followed(
    states: Iterable[DropState], links: Mapping[DropState, Iterable[DropState]]
) -> dict[DropState, None]:
    """Return some states and those to which links lead from them, in the order in which they are come by."""
    found = dict.fromkeys(states)
    waiting = list(found)
    for state in waiting:  # it grows while it is walked through
        fresh = [each for each in links[state] if each not in found]
        found.update(dict.fromkeys(fresh))
        waiting += dict.fromkeys(fresh)
    return found
