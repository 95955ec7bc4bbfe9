"""The solution of a level's locks for reports and pictures: its areas (ground connected while all locks are closed), its keys, and the sphere of each lock: the round in which it opens.

A round opens every lock that can be opened with the keys that the rounds before have brought in reach. The areas that are open
from the beginning have the sphere 0, those that the first round opens the sphere 1, and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.grid.rect import Cell
from dungeon.proof.fields import Fields
from dungeon.proof.level_puzzle import opened_by
from dungeon.proof.puzzle_moves import spheres_of
from dungeon.proof.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dungeon.level.model import Level
    from dungeon.proof.survey import SolvedPuzzle


class SolvedArea(NamedTuple):
    """An area: a piece of a level's ground that stays connected while all locks are closed.

    Attributes:
        number: The number of the area, from 1, in the order of the areas' first cells.
        cells: How many cells it has.
        regions: The ids of the regions that its cells belong to, ascending; 0 for cells without a region.
        sphere: The round in which a player reaches it; None if never.
    """

    number: int
    cells: int
    regions: tuple[int, ...]
    sphere: int | None


class SolvedKey(NamedTuple):
    """A key, lever or other spawn that opens locks.

    Attributes:
        spawn: Its index in `Level.spawns`.
        words: The names of the locks that it opens.
        consumed: Whether it is used up by the first lock that it opens.
        toggles: Whether it is a lever that closes its locks again.
        areas: The numbers of the areas from which a player can take or use it; empty if it is in a locked prop.
        sphere: The round after which it is in reach; None if never.
    """

    spawn: int
    words: tuple[str, ...]
    consumed: bool
    toggles: bool
    areas: tuple[int, ...]
    sphere: int | None


class SolvedLock(NamedTuple):
    """A locked door, prop or portal.

    Attributes:
        cell: The cell of the door, of the prop, or where the portal begins.
        word: The name of the lock.
        what: `door`, `box` (a prop) or `portal`.
        areas: The numbers of the areas from which it can be opened.
        sphere: The round in which it opens; None if never.
        distance: Steps to the nearest of its keys if all doors were open; None if it has no key in walking distance.
        needed: How many keys it needs.
        keys: How many of the keys of the level fit it.
    """

    cell: Cell
    word: str
    what: str
    areas: tuple[int, ...]
    sphere: int | None
    distance: int | None
    needed: int = 1
    keys: int = 1


class Solution(NamedTuple):
    """The order in which the locks of a level open.

    Attributes:
        areas: The areas, by number from 1.
        locks: The locks.
        keys: Everything that opens locks, in the order of `Level.spawns`.
        rounds: The number of rounds until no more locks open.
    """

    areas: tuple[SolvedArea, ...]
    locks: tuple[SolvedLock, ...]
    keys: tuple[SolvedKey, ...]
    rounds: int


def solution_of(level: Level) -> Solution:
    """Return the solution of a level's locks; an empty one (no areas, 0 rounds) if the level has no locks."""
    survey = Survey(Fields(level))
    played = survey.played
    if played is None:
        return Solution((), (), (), 0)
    puzzle = played.level.puzzle
    opened = spheres_of(puzzle, played.outcome.order)
    spheres = _spheres(played, opened)
    count = int(played.level.labels.max())
    areas = []
    for number in range(1, count + 1):
        cells = played.level.labels == number
        regions = tuple(np.unique(survey.region[cells]).tolist())
        areas.append(SolvedArea(number, int(cells.sum()), regions, spheres.get(number)))
    keys = tuple(
        SolvedKey(
            index,
            opened_by(level.spawns[index]),
            key.consumed,
            key.toggles,
            tuple(_areas_of(key.areas, count)),
            min((spheres[area] for area in _areas_of(key.areas) if area in spheres), default=None),
        )
        for index, key in zip(played.level.keys, puzzle.keys, strict=False)
    )
    locks = []
    for number, (locked, lock) in enumerate(zip(played.level.locked, puzzle.locks, strict=True)):
        y, x = divmod(locked.place, survey.stride)
        fitting = [key for key in keys if not lock.words.isdisjoint(key.words)]
        locks.append(
            SolvedLock(
                Cell(y - 1, x - 1),
                locked.word,
                locked.what,
                tuple(_areas_of(lock.near, count)),
                opened.get(number),
                _steps_to_nearest(survey, locked.place, [key.spawn for key in fitting]),
                lock.needed,
                len(fitting),
            )
        )
    return Solution(tuple(areas), tuple(locks), keys, max(opened.values(), default=0))


def _spheres(played: SolvedPuzzle, opened: Mapping[int, int]) -> dict[int, int]:
    """Return area -> the round of play in which a player reaches it; areas that are never reached are missing.

    Args:
        played: The locks and keys of the level, and the outcome of playing them.
        opened: Lock -> the round in which it opens.
    """
    puzzle = played.level.puzzle
    spheres = dict.fromkeys(_areas_of(puzzle.start), 0)
    for lock in sorted(opened, key=lambda each: (opened[each], each)):
        for area in _areas_of(puzzle.locks[lock].beyond):
            spheres.setdefault(area, opened[lock])
    return spheres


def _areas_of(mask: int, most: int | None = None) -> list[int]:
    """Return the numbers of the areas in a bitmask, but none above `most`; all of them if that is None."""
    last = mask.bit_length() - 1 if most is None else min(mask.bit_length() - 1, most)
    return [number for number in range(1, last + 1) if mask >> number & 1]


def _steps_to_nearest(survey: Survey, start: int, spawns: Sequence[int]) -> int | None:
    """Return the number of steps from a place to the nearest cell on or beside one of these spawns; None if none can be reached.

    All doors count as open. `start` is an index in the survey's flat arrays, `spawns` are indices in `Level.spawns`.
    """
    targets = {int(place) for spawn in spawns for place in survey.around(spawn)}
    if not targets:
        return None
    free = (survey.walkable | (survey.base == t.LOCKED_DOOR)) & ~survey.stopped
    passages = [
        *survey.passages,
        *(each._replace(begin=each.end, end=each.begin) for each in survey.passages if each.both),
    ]
    seen, front, steps = {start}, [start], 0
    while front:
        if not targets.isdisjoint(front):
            return steps
        near = [place + step for place in front for step in (-survey.stride, -1, 1, survey.stride)]
        near += [each.end for each in passages if each.begin in front]
        front = [place for place in dict.fromkeys(near) if free[place] and place not in seen]
        seen.update(front)
        steps += 1
    return None
