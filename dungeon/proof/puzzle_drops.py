"""Search of lock-and-key puzzles with drops (one-way passages) that don't lead back, or with levers that close doors again. Areas, locks and keys are bits of masks.

**Drops.** A drop is harmless if every player who reaches its start has already been at its end, because opened locks stay
open. In terms of flow graphs, its end dominates its start (Lengauer and Tarjan, 1979). With any other drop, it matters where
the player is and which keys he carries. So a state of play is the open locks, the keys taken, the keys spent, and `here`: the
areas between which the player can go back and forth::

    A <-> B --> C <-> D        `here` is {A, B}; after the drop from B to C it is {C, D}

The search looks at all states. Play ends in a state without moves. No player can be stranded if the whole goal is in reach in
every such state. The search gives up after `MOST_STATES` states; `PuzzleOutcome.complete` is then False. For locks and keys as
graphs see van der Linden, Lopes and Bidarra, "Procedural generation of dungeons" (2014).

**Toggles.** A lever that toggles acts on all locks whose words it has, from any distance. If one of them is closed, it opens
all of them; otherwise it closes all. A lock that follows one of them, and has opened, stays open. A player who has closed a
lock still stands at the lever and can open it again, unless he then takes a drop. So levers count as lasting keys
(`_can_undo`) if there are no drops, or if

- every drop ends where play begins, or where the drop begins, and
- each lock that a lever closes is opened by that lever alone.

Proof: order the levers by when the player first pulled them. The first was reached while no lever's lock was open, so it can
always be reached again from the start; the second can be reached with the first one's locks open, and so on.

There is one difference: a lasting key must be carried to its lock, while a lever works from afar, also for locks that others
follow. So if the goal seems out of reach, and some lock follows a lever's lock, or if the conditions above fail, `_LeverPlay`
searches all states, with the locks that are open now. Its states form cycles. No player can be stranded if from every state
another one can be reached in which everything is open and in reach; the search follows the moves backwards from those.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, NamedTuple

from dungeon.proof.puzzle import PuzzleDrop, PuzzleOutcome, members, union
from dungeon.proof.puzzle_moves import PuzzleRules
from dungeon.proof.puzzle_search import Relaxation, play

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dungeon.proof.puzzle import Puzzle, PuzzleKey, PuzzleLock


MOST_STATES = 20_000
"""Number of states of play after which the search gives up; `PuzzleOutcome.complete` is then False."""


def play_with_drops(puzzle: Puzzle) -> PuzzleOutcome:
    """Return the outcome of a puzzle in which levers never close locks again.

    If no drop makes a difference, the quicker search of `puzzle_search` is used; it can't combine keys that last with others.
    """
    if not _mixes_keys(puzzle) and all(_is_harmless(puzzle, each) for each in puzzle.one_ways):
        return play(puzzle)
    return DropPlay(puzzle).outcome()


def _mixes_keys(puzzle: Puzzle) -> bool:
    """Tell whether a lock needs several keys, and has both keys that last and keys that are used up."""
    several = {word for lock in puzzle.locks if lock.needed > 1 for word in lock.words}
    lasting, consumed = (
        {word for key in puzzle.keys if key.consumed is spent for word in key.words}
        for spent in (False, True)
    )
    return bool(several & lasting & consumed)


def _is_harmless(puzzle: Puzzle, drop: PuzzleDrop) -> bool:
    """Tell whether every player who reaches the start of a drop has been at its end before, so that the drop takes nothing away."""
    everything = (1 << len(puzzle.locks)) - 1
    return not puzzle.reached(puzzle.start, everything, drop.beyond) & drop.near


class DropState(NamedTuple):
    """A state of play: where the player is, and what he has opened and taken. All are masks.

    Attributes:
        here: The areas between which the player can go back and forth, and the insides of the locks that he has opened there.
        opened: The open locks.
        taken: The keys that the player has picked up.
        spent: The keys that have been used up.
    """

    here: int
    opened: int
    taken: int
    spent: int


class DropPlay:
    """The moves and the search of a puzzle in which drops matter.

    Attributes:
        puzzle: The puzzle.
        locks: Its locks.
        keys: Its keys.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.locks: Sequence[PuzzleLock] = puzzle.locks
        self.keys: Sequence[PuzzleKey] = puzzle.keys
        self._around = cache(self._find_around)
        self._goal_reached = cache(self._find_goal_reached)

    def first(self) -> DropState:
        """Return the first state of play: nothing opened, no key taken."""
        return DropState(self._around(self.puzzle.start, 0), 0, 0, 0)

    def outcome(self) -> PuzzleOutcome:
        """Return the outcome of the puzzle, from a search of all states of play.

        The search stops early once one play loses areas and another one reaches everything.
        """
        everything = Relaxation(PuzzleRules(self.puzzle)).goal
        best = self.first()
        orders: dict[DropState, tuple[int, ...]] = {best: ()}
        waiting, ends = [best], list[DropState]()
        lost = 0
        while waiting and len(orders) < MOST_STATES:
            state = waiting.pop()
            if self._score(state) > self._score(best):
                best = state
            after = list(self._moves(state))
            if not after:
                ends.append(state)
                lost = lost or everything & ~state.here
            if lost and self._goal_reached(best.opened) == everything:
                return PuzzleOutcome(orders[best], None, complete=True, lost=lost)
            for lock, following in after:
                if following not in orders:
                    orders[following] = orders[state] if lock is None else (*orders[state], lock)
                    waiting.append(following)
        best = max(orders, key=self._score)
        order, stranded = orders[best], None
        if self._goal_reached(best.opened) == everything:
            fewest = min((end.opened for end in ends), key=int.bit_count, default=best.opened)
            if fewest.bit_count() < best.opened.bit_count():
                stranded = tuple(lock for lock in order if not fewest >> lock & 1)
        return PuzzleOutcome(order, stranded, complete=stranded is not None or not waiting)

    def _find_goal_reached(self, opened: int) -> int:
        """Return the mask of the goal areas that a player reaches from the start while the locks in `opened` are open."""
        return self.puzzle.reached(self.puzzle.start, opened) & self.puzzle.goal

    def _score(self, state: DropState) -> tuple[int, int]:
        """Return (number of goal areas reached, number of open locks): the measure by which states are compared."""
        return self._goal_reached(state.opened).bit_count(), state.opened.bit_count()

    def _find_around(self, start: int, opened: int) -> int:
        """Return the mask of the areas that a player can enter from `start` and leave again, with the insides of open locks.

        Args:
            start: The mask of the areas to begin from, which are connected to each other.
            opened: The mask of the open locks.
        """
        here = self._connected(start, opened)
        for number in members(opened):
            lock = self.locks[number]
            if lock.near & here and not lock.one_way:
                here |= lock.beyond
        return here

    def _connected(self, start: int, opened: int) -> int:
        """Return the mask of the areas that a player can enter from `start` and leave again, without the insides of locks.

        Args:
            start: The mask of the areas to begin from.
            opened: The mask of the open locks.
        """
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
        """Yield (opened lock, state after it) for each possible move; the lock is None for a drop."""
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
                for taken in self._pick_up_choices(state):
                    yield None, state._replace(here=here, taken=taken)

    def _ways_to_open(self, lock: PuzzleLock, state: DropState) -> Iterator[tuple[int, int]]:
        """Yield (taken, spent) for each choice of keys that opens a lock; nothing if the lock can't be opened.

        The two are masks: the keys that the player has picked up, and the keys that are used up, after the lock is opened.
        """
        open_words = {word for number in members(state.opened) for word in self.locks[number].words}
        if lock.follows & open_words:
            yield state.taken, state.spent
            return
        # Keys that are alike are interchangeable, so as many of each kind as the lock needs are tried.
        at_hand: dict[tuple[PuzzleKey, int], list[int]] = {}
        for number, key in enumerate(self.keys):
            if self._is_at_hand(number, state):
                at_hand.setdefault((key, state.taken >> number & 1), []).append(number)
        piles = [*at_hand.values()]
        choices = [self._hands(word, lock.needed, piles) for word in sorted(lock.words)]
        for chosen in product(*choices):
            used = union(chosen)
            consumed = sum(1 << number for number in members(used) if self.keys[number].consumed)
            if consumed.bit_count() <= lock.needed or len(lock.words) == 1:
                yield state.taken | used, state.spent | consumed

    def _hands(self, word: str, count: int, piles: Sequence[Sequence[int]]) -> list[int]:
        """Return each choice of `count` keys for a word that differs in its effect, as a mask of keys.

        Args:
            word: The name of a lock.
            count: How many keys the lock needs.
            piles: The keys at hand, in piles of keys that are alike.
        """
        fitting = [pile for pile in piles if word in self.keys[pile[0]].words]
        if count > 1:  # keys that last are used before others
            lasting = [number for pile in fitting for number in pile if not self.keys[number].consumed][
                :count
            ]
            fitting = [pile for pile in fitting if self.keys[pile[0]].consumed]
        else:
            lasting = []
        kept, hands = union(1 << number for number in lasting), []
        for chosen in combinations_with_replacement(range(len(fitting)), count - len(lasting)):
            taken = Counter(chosen)
            if all(number <= len(fitting[pile]) for pile, number in taken.items()):
                hands.append(
                    kept | union(1 << key for pile, number in taken.items() for key in fitting[pile][:number])
                )
        return hands

    def _is_at_hand(self, number: int, state: DropState) -> bool:
        """Tell whether the player can use key `number`: he carries it unspent, or can fetch it in the areas `state.here`."""
        if state.taken >> number & 1:
            return not state.spent >> number & 1
        return bool(self.keys[number].areas & state.here)

    def _pick_up_choices(self, state: DropState) -> Iterator[int]:
        """Yield the mask of taken keys after each choice of keys to pick up before a drop, none included.

        Only keys that open a lock which is still closed are considered; of keys that are alike, only their number matters.
        """
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
    """Return the outcome of any puzzle: the entry point of the solver, which chooses the search that the puzzle needs."""
    words = frozenset(word for key in puzzle.keys if key.toggles for word in key.words)
    if _can_undo(puzzle, words):
        outcome = play_with_drops(puzzle)
        opened = union(1 << lock for lock in outcome.order)
        gets_all = not puzzle.goal & ~puzzle.reached(puzzle.start, opened)
        if gets_all or not any(lock.follows & words for lock in puzzle.locks):
            return outcome
    return _LeverPlay(puzzle).outcome()


def _can_undo(puzzle: Puzzle, words: frozenset[str]) -> bool:
    """Tell whether a player can always open again what levers have closed, so that levers count as keys that are never used up.

    See the proof in the module's docstring. `words`: the names of all locks that levers can close.
    """
    if not words or not puzzle.one_ways:
        return True
    shut = [lock for lock in puzzle.locks if lock.words & words]
    return all(not drop.beyond & ~(puzzle.start | drop.near) for drop in puzzle.one_ways) and all(
        not lock.follows and sum(not key.words.isdisjoint(lock.words) for key in puzzle.keys) == 1
        for lock in shut
    )


class _LeverPlay(DropPlay):
    """The search of a puzzle in which levers close locks again, and drops may matter too."""

    def __init__(self, puzzle: Puzzle) -> None:
        super().__init__(replace(puzzle, keys=[key for key in puzzle.keys if not key.toggles]))
        self._levers = [
            (key.areas, union(1 << at for at, lock in enumerate(puzzle.locks) if lock.words <= key.words))
            for key in puzzle.keys
            if key.toggles
        ]
        self._everything = Relaxation(PuzzleRules(puzzle)).goal

    def outcome(self) -> PuzzleOutcome:
        """Return the outcome of the puzzle, from a search of all states of play, those after closing a lock included."""
        first = self.first()
        orders: dict[DropState, tuple[int, ...]] = {first: ()}
        before: dict[DropState, list[DropState]] = {first: []}
        after: dict[DropState, list[DropState]] = {}
        waiting = [first]
        for state in waiting:  # the list grows during the loop
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
        best = max(waiting, key=self._score)
        gained = self._goal_reached(best.opened)
        if not complete or self._everything & ~gained:
            return PuzzleOutcome(orders[best], None, complete=complete)
        fine = _linked(
            [state for state in waiting if self._reachable_score(state) == self._score(best)], before
        )
        strays = [state for state in waiting if state not in fine]
        if not strays:
            return PuzzleOutcome(orders[best], None, complete=True)
        worst = min(strays, key=self._reachable_score)
        end = max(_linked([worst], after), key=self._reachable_score)
        shut = tuple(lock for lock in orders[best] if not end.opened >> lock & 1)
        lost = gained & ~self.puzzle.reached(end.here, end.opened)
        return PuzzleOutcome(orders[best], None if lost else shut, complete=True, lost=lost)

    def _next_states(self, state: DropState) -> Iterator[DropState]:
        """Yield the state after each possible move: opening a lock, a drop, or pulling a lever."""
        yield from (following for _, following in self._moves(state))
        for areas, locks in self._levers:
            pulled_from = areas & state.here
            if pulled_from and locks & ~state.opened:
                opened = state.opened | locks
                yield state._replace(here=self._around(state.here, opened), opened=opened)
            elif pulled_from and locks:
                opened = state.opened & ~locks
                for here in dict.fromkeys(self._around(1 << area, opened) for area in members(pulled_from)):
                    for taken in self._pick_up_choices(state):
                        yield state._replace(here=here, opened=opened, taken=taken)

    def _pick_up_choices(self, state: DropState) -> Iterator[int]:
        """Yield the mask of taken keys for two choices: the player picks up no key in the areas `state.here`, or all of them.

        Other choices need no search: a player who is stranded with some keys is stranded with none, and no player gets farther
        than with all.
        """
        lying = union(1 << at for at, key in enumerate(self.keys) if key.areas & state.here)
        yield from dict.fromkeys((state.taken, state.taken | lying))

    def _reachable_score(self, state: DropState) -> tuple[int, int]:
        """Return (number of goal areas that the player can still reach from `state.here`, number of open locks)."""
        reached = self.puzzle.reached(state.here, state.opened) & self.puzzle.goal
        return reached.bit_count(), state.opened.bit_count()


def _linked(
    states: Iterable[DropState], links: Mapping[DropState, Iterable[DropState]]
) -> dict[DropState, None]:
    """Return all states that can be reached from `states` by following `links`, in breadth-first order, `states` first.

    Args:
        states: The states to begin from.
        links: State -> the states that it is linked to.
    """
    found = dict.fromkeys(states)
    waiting = list(found)
    for state in waiting:  # the list grows during the loop
        fresh = [each for each in links[state] if each not in found]
        found.update(dict.fromkeys(fresh))
        waiting += dict.fromkeys(fresh)
    return found
