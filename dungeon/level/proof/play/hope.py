"""What is still to be hoped for, and what is already sure, in a state of play: bounds that cut a search short."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from dungeon.level.proof.play.matching import most_given
from dungeon.level.proof.play.parts import members, union
from dungeon.level.proof.play.rules import ANY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.level.proof.play.rules import Rules, State


class Hope:
    """What would be had if no key were ever used up, and what of that can be had although they are.

    Attributes:
        locks: The locks that would be opened.
        goal: The areas of the goal that would be reached.
    """

    def __init__(self, rules: Rules) -> None:
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

    def bound(self, state: State, end: int = ANY) -> tuple[int, int]:
        """Return of how many areas of the goal, and of how many open locks, nobody gets more who is in that state.

        Args:
            state: The state of play.
            end: The end that was opened last, if nothing but further ends is to be opened.
        """
        ahead = self._ahead(state, end)
        areas = (state.reached & self._rules.puzzle.goal).bit_count() + self._most_areas[ahead]
        return min(areas, self.goal.bit_count()), state.opened.bit_count() + ahead

    def _ahead(self, state: State, end: int) -> int:
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

    def is_sure(self, state: State) -> bool:
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

    def goes_on(self, state: State, end: int) -> bool:
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


def _without_loss(rules: Rules) -> tuple[int, int, int]:
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
