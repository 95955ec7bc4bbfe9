"""How far a walker gets from the entrance, and which locked doors open on the way.

Steps lead to the four sides, over walkable terrain, around whatever stops walkers for good; robots step aside. Doors
open, secret ones too, but for locked ones: such a door is closed unless it has a lock, and something that `opens` its
word can be got at without going through it. What is behind one door may open the next, so that is asked in rounds
until no more doors open; a key that lies behind its own door, or two that lie behind each other's, never come to hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.level.proof.reach import flood

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.level.model import Spawn
    from dungeon.level.proof.flat import FlatLevel


class Walk(NamedTuple):
    """What comes of a walk: flat arrays as the survey's.

    Attributes:
        clear: bool, where a walker can stand, closed doors left out.
        walked: bool, where a walker gets: `clear` itself if that is all of it.
        reached: bool, the open cells that 4-neighbour steps reach, water, obstacles and locked doors notwithstanding.
        closed: The places of the locked doors that stay closed.
    """

    clear: NDArray[np.bool_]
    walked: NDArray[np.bool_]
    reached: NDArray[np.bool_]
    closed: list[int]


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
    begin = np.array([survey.entrance])
    walked = flood(clear, begin, survey.stride)
    if closed and survey.level.locks:
        walked, closed = _with_keys(survey, clear, begin, walked, closed)
    # What is left is mostly the obstacles themselves, which are beside what is walked.
    rest = survey.open & ~walked
    left, stride = np.flatnonzero(rest), survey.stride
    near = walked[left - stride] | walked[left - 1] | walked[left + 1] | walked[left + stride]
    if near.all():
        return Walk(clear, walked, survey.open, closed)
    return Walk(clear, walked, walked | flood(rest, left[near], stride), closed)


def opened_by(spawn: Spawn) -> tuple[str, ...]:
    """Return the words of the locks that something opens."""
    word = spawn.keywords.get("opens") if isinstance(spawn.keywords, Mapping) else None
    words = word if isinstance(word, list | tuple) else (word,)
    return tuple(each for each in words if isinstance(each, str))


def words_of(survey: FlatLevel) -> dict[int, set[str]]:
    """Return the words of the locks of each locked door, by its place."""
    words: dict[int, set[str]] = {}
    for lock in survey.level.locks:
        place = survey.at(lock.y, lock.x)
        if place is not None and survey.bases[place] == t.LOCKED_DOOR:
            words.setdefault(place, set()).add(lock.word)
    return words


def _with_keys(
    survey: FlatLevel,
    clear: NDArray[np.bool_],
    begin: NDArray[np.intp],
    walked: NDArray[np.bool_],
    closed: list[int],
) -> tuple[NDArray[np.bool_], list[int]]:
    """Return what is walked, and which doors stay closed, once keys have been fetched as long as that opens doors.

    Args:
        survey: The level.
        clear: Where steps lead; doors that open are added.
        begin: Where they begin.
        walked: What is walked while all are closed.
        closed: The places of all locked doors.
    """
    words = words_of(survey)
    keys = [(spawn, index) for index, spawn in enumerate(survey.level.spawns) if opened_by(spawn)]
    held: set[str] = set()
    while True:
        for spawn, index in keys:
            if not held.issuperset(opened_by(spawn)) and walked[survey.around(index)].any():
                held.update(opened_by(spawn))
        opening = [place for place in closed if place in words and words[place] <= held]
        if not opening:
            return walked, closed
        closed = [place for place in closed if place not in opening]
        clear[opening] = ~survey.stopped[opening]
        walked = flood(clear, begin, survey.stride)
