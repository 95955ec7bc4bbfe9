"""How far a walker gets from the entrance, and which locked doors open on the way.

Steps lead to the four sides, over walkable terrain, around whatever stops walkers for good; robots step aside. Portals
lead to wherever they end. Doors open, secret ones too, but for locked ones: such a door is closed unless it has a lock, and
something that `opens` its word can be got at without going through it; so is a portal that has a lock. In which order that
is best done, `play` finds out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.level.proof.play.toggles import solve
from dungeon.level.proof.puzzle import puzzle_of
from dungeon.level.proof.reach import flood

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.level.proof.flat import FlatLevel, Passage
    from dungeon.level.proof.play.parts import Outcome
    from dungeon.level.proof.puzzle import LevelPuzzle


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
    passages = survey.passages
    if survey.level.locks or any(not each.both for each in passages):
        level = puzzle_of(survey, clear)
        played = Played(level, solve(level.puzzle))
        opened = [level.locked[lock] for lock in played.outcome.order]
        doors = [each.place for each in opened if each.what == "door"]
        closed = [place for place in closed if place not in doors]
        clear[doors] = ~survey.stopped[doors]
        shut = {each.place for each in level.locked if each.what == "portal"}.difference(
            each.place for each in opened
        )
        passages = [each for each in passages if each.begin not in shut]
    walked = _followed(survey, clear, [survey.entrance], passages)
    # What is left is mostly the obstacles themselves, which are beside what is walked.
    rest = survey.open & ~walked
    left, stride = rest.nonzero()[0], survey.stride
    near = walked[left - stride] | walked[left - 1] | walked[left + 1] | walked[left + stride]
    if near.all():
        return Walk(clear, walked, survey.open, closed, played)
    starts = [*left[near].tolist(), *_ends(walked, survey.passages)]
    return Walk(clear, walked, walked | _followed(survey, rest, starts, survey.passages), closed, played)


def _followed(
    survey: FlatLevel, mask: NDArray[np.bool_], starts: Sequence[int], passages: Sequence[Passage]
) -> NDArray[np.bool_]:
    """Return the cells of a flat mask that 4-neighbour steps and some portals reach from some starts, if these are of it."""
    reached = np.zeros_like(mask)
    fresh = [start for start in starts if mask[start]]
    while fresh:
        found = flood(mask, np.array(fresh), survey.pieces(mask))
        reached = found if not reached.any() else reached | found
        fresh = [place for place in _ends(reached, passages) if mask[place] and not reached[place]]
    return reached


def _ends(reached: NDArray[np.bool_], passages: Sequence[Passage]) -> list[int]:
    """Return the places to which portals lead from where one gets."""
    ends = [each.end for each in passages if reached[each.begin]]
    return ends + [each.begin for each in passages if each.both and reached[each.end]]


def words_of(survey: FlatLevel) -> dict[int, set[str]]:
    """Return the words of the locks of each locked door, by its place."""
    words: dict[int, set[str]] = {}
    for lock in survey.level.locks:
        place = survey.at(lock.y, lock.x)
        if place is not None and survey.bases[place] == t.LOCKED_DOOR:
            words.setdefault(place, set()).add(lock.word)
    return words
