"""How far a walker gets from the entrance, and which locked doors open on the way.

Steps lead to the four sides, over walkable terrain, around whatever stops walkers for good; robots step aside. Doors
open, secret ones too, but for locked ones: such a door is closed unless it has a lock, and something that `opens` its
word can be got at without going through it. In which order that is best done, `solver` finds out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.level.proof.puzzle import puzzle_of
from dungeon.level.proof.reach import flood

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.level.proof.flat import FlatLevel
    from dungeon.level.proof.puzzle import LevelPuzzle
    from dungeon.level.proof.solver import Outcome


class Played(NamedTuple):
    """What comes of a level's locks and keys."""

    level: LevelPuzzle
    outcome: Outcome


class Walk(NamedTuple):
    """What comes of a walk: flat arrays as the survey's.

    Attributes:
        clear: bool, where a walker can stand, closed doors left out.
        walked: bool, where a walker gets: `clear` itself if that is all of it.
        reached: bool, the open cells that 4-neighbour steps reach, water, obstacles and locked doors notwithstanding.
        closed: The places of the locked doors that stay closed.
        played: What comes of the locks and keys; None where nothing is locked.
    """

    clear: NDArray[np.bool_]
    walked: NDArray[np.bool_]
    reached: NDArray[np.bool_]
    closed: list[int]
    played: Played | None = None


def walk(survey: FlatLevel) -> Walk:
    """Walk from the entrance; without one nothing is reached."""
    closed = survey.among((t.LOCKED_DOOR,))
    if survey.entrance is None:
        nothing = np.zeros_like(survey.open)
        return Walk(nothing, nothing, nothing, closed)
    clear = survey.walkable & ~survey.stopped
    if closed:
        clear[closed] = False
    clear[survey.entrance] = True
    played = None
    if survey.level.locks:
        level = puzzle_of(survey, clear)
        played = Played(level, level.puzzle.solve())
        doors = [level.locked[lock].place for lock in played.outcome.order if level.locked[lock].prop is None]
        closed = [place for place in closed if place not in doors]
        clear[doors] = ~survey.stopped[doors]
    walked = flood(clear, np.array([survey.entrance]), survey.stride)
    # What is left is mostly the obstacles themselves, which are beside what is walked.
    rest = survey.open & ~walked
    left, stride = rest.nonzero()[0], survey.stride
    near = walked[left - stride] | walked[left - 1] | walked[left + 1] | walked[left + stride]
    if near.all():
        return Walk(clear, walked, survey.open, closed, played)
    return Walk(clear, walked, walked | flood(rest, left[near], stride), closed, played)


def words_of(survey: FlatLevel) -> dict[int, set[str]]:
    """Return the words of the locks of each locked door, by its place."""
    words: dict[int, set[str]] = {}
    for lock in survey.level.locks:
        place = survey.at(lock.y, lock.x)
        if place is not None and survey.bases[place] == t.LOCKED_DOOR:
            words.setdefault(place, set()).add(lock.word)
    return words
