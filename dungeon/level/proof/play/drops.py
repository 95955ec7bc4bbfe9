"""Whether somebody can be stranded who drops to where no way leads back.

Most drops end where everybody has come by who gets to where they begin. What one has come by once one can come by again, for
what is open stays open: such a drop changes nothing, and `Puzzle.solve` need not know of it. In terms of flow graphs, where it
ends dominates where it begins (Lengauer and Tarjan, 1979).

Where there are others it matters where one is, and what one has taken along; so a state of play is the locks that are open,
the keys that have been taken and spent, and the areas between which one can go back and forth::

    A <-> B --> C <-> D        here is {A, B}, and once one has dropped from B to C it is {C, D}

All states are looked through; van der Linden, Lopes and Bidarra survey graphs of locks and keys in play ("Procedural generation of
dungeons", 2014). Play ends where nothing can be opened and nothing leads on; nobody is stranded if all ends have everything in
reach. It is given up after `MOST_STATES`, and the outcome says so.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from dungeon.level.proof.play.hope import Hope
from dungeon.level.proof.play.parts import Outcome, PuzzleDrop, members, union
from dungeon.level.proof.play.rules import Rules
from dungeon.level.proof.play.solver import play

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dungeon.level.proof.play.parts import Puzzle, PuzzleKey, PuzzleLock

MOST_STATES = 20_000
"""After so many states of play the search is given up, and the outcome says so."""


def solve(puzzle: Puzzle) -> Outcome:
    """Play a level in every way that makes a difference."""
    if all(_leads_back(puzzle, each) for each in puzzle.one_ways):
        return play(puzzle)
    return Play(puzzle).outcome()


def _leads_back(puzzle: Puzzle, drop: PuzzleDrop) -> bool:
    """Tell whether everybody who is where a drop begins has come by where it ends."""
    everything = (1 << len(puzzle.locks)) - 1
    return not puzzle.reached(puzzle.start, everything, drop.beyond) & drop.near


class State(NamedTuple):
    """A state of play.

    Attributes:
        here: The areas between which one can go back and forth, and the insides of what one has opened there.
        opened: The locks that are open; `taken`: the keys that no longer lie where they did; `spent`: those used up.
    """

    here: int
    opened: int
    taken: int
    spent: int


class Play:
    """The rules of play, where one may drop."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.locks: Sequence[PuzzleLock] = puzzle.locks
        self.keys: Sequence[PuzzleKey] = puzzle.keys
        self._around = cache(self._found_around)
        self._gained = cache(self._found_in_all)

    def first(self) -> State:
        """Return the state in which play begins."""
        return State(self._around(self.puzzle.start, 0), 0, 0, 0)

    def outcome(self) -> Outcome:
        """Return what comes of playing: all of it, or until somebody is lost where another has got everywhere."""
        everything = Hope(Rules(self.puzzle)).goal
        best = self.first()
        orders: dict[State, tuple[int, ...]] = {best: ()}
        waiting, ends = [best], list[State]()
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
                return Outcome(orders[best], None, complete=True, lost=lost)
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
        return Outcome(order, stranded, complete=stranded is not None or not waiting)

    def _found_in_all(self, opened: int) -> int:
        """Return the areas of the goal to which one gets from the start through open locks."""
        return self.puzzle.reached(self.puzzle.start, opened) & self.puzzle.goal

    def _gain(self, state: State) -> tuple[int, int]:
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

    def _moves(self, state: State) -> Iterator[tuple[int | None, State]]:
        """Yield what may be next, with the lock that is opened if one is."""
        for number, lock in enumerate(self.locks):
            if state.opened >> number & 1 or not lock.near & state.here:
                continue
            opened = state.opened | 1 << number
            here = state.here if lock.one_way else self._around(state.here | lock.beyond, opened)
            for taken, spent in self._ways_to_open(lock, state):
                yield number, State(self._around(here, opened), opened, taken, spent)
        opened_drops = [self.locks[number] for number in members(state.opened) if self.locks[number].one_way]
        drops = [*self.puzzle.drops, *(PuzzleDrop(each.near, each.beyond) for each in opened_drops)]
        for drop in drops:
            if drop.near & state.here and drop.beyond & ~state.here:
                here = self._around(drop.beyond, state.opened)
                for taken in self._taken_along(state):
                    yield None, state._replace(here=here, taken=taken)

    def _ways_to_open(self, lock: PuzzleLock, state: State) -> Iterator[tuple[int, int]]:
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

    def _is_at_hand(self, number: int, state: State) -> bool:
        """Tell whether one has a key, or can get it and come back."""
        if state.taken >> number & 1:
            return not state.spent >> number & 1
        return bool(self.keys[number].areas & state.here)

    def _taken_along(self, state: State) -> Iterator[int]:
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
