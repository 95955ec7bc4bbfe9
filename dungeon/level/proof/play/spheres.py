"""In which round each lock is opened by who opens, in each, all that he can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.level.proof.play.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.level.proof.play.parts import Puzzle


def spheres_of(puzzle: Puzzle, order: Sequence[int]) -> dict[int, int]:
    """Return lock -> in which round it is opened, from 1, by who opens these, and in each round all that he can.

    Of locks that ask for the same keys, which are used up, those that are earlier in the order come first.
    """
    rules, locks = Rules(puzzle), puzzle.locks
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
