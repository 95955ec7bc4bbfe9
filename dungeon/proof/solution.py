"""How the locks of a level are opened: the areas that they divide, what opens each of them, and in which round.

In each round every lock is opened that can be opened with what the rounds before have brought in reach. What is open from the
beginning is sphere 0, what the first round opens sphere 1, and so on.
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
    """A part of a level that hangs together while all its locks are closed.

    Attributes:
        number: What it is called, from 1 in order of their first cells.
        cells: How many cells it has, and `regions` of which regions they are.
        sphere: The round in which it is reached; None if it never is.
    """

    number: int
    cells: int
    regions: tuple[int, ...]
    sphere: int | None


class SolvedKey(NamedTuple):
    """What opens a lock.

    Attributes:
        spawn: Its index in `Level.spawns`.
        words: What it opens.
        consumed: Whether it opens just one lock; `toggles`: whether it shuts again what it opens.
        areas: The areas from which it can be had; none for what is in a locked prop.
        sphere: The round after which it is in reach; None if it never is.
    """

    spawn: int
    words: tuple[str, ...]
    consumed: bool
    toggles: bool
    areas: tuple[int, ...]
    sphere: int | None


class SolvedLock(NamedTuple):
    """Something that is locked.

    Attributes:
        cell: Where it is.
        word: What it is locked with.
        what: Whether it is a door, a box or a portal.
        areas: The areas beside it.
        sphere: The round in which it is opened; None if it never is.
        distance: The steps to the nearest of what opens it, all doors being open; None without any.
    """

    cell: Cell
    word: str
    what: str
    areas: tuple[int, ...]
    sphere: int | None
    distance: int | None


class Solution(NamedTuple):
    """How the locks of a level are opened.

    Attributes:
        rounds: How many rounds it takes.
    """

    areas: tuple[SolvedArea, ...]
    locks: tuple[SolvedLock, ...]
    keys: tuple[SolvedKey, ...]
    rounds: int


def solution_of(level: Level) -> Solution:
    """Return how the locks of a level are opened; of one without locks, one that is empty."""
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
            tuple(_numbers(key.areas, count)),
            min((spheres[area] for area in _numbers(key.areas) if area in spheres), default=None),
        )
        for index, key in zip(played.level.keys, puzzle.keys, strict=True)
    )
    locks = []
    for number, (locked, lock) in enumerate(zip(played.level.locked, puzzle.locks, strict=True)):
        y, x = divmod(locked.place, survey.stride)
        fitting = [key for key, each in zip(keys, puzzle.keys, strict=True) if each.words & lock.words]
        locks.append(
            SolvedLock(
                Cell(y - 1, x - 1),
                min(lock.words),
                locked.what,
                tuple(_numbers(lock.near, count)),
                opened.get(number),
                _steps(survey, locked.place, [key.spawn for key in fitting]),
            )
        )
    return Solution(tuple(areas), tuple(locks), keys, max(opened.values(), default=0))


def _spheres(played: SolvedPuzzle, opened: Mapping[int, int]) -> dict[int, int]:
    """Return area -> the round in which it is reached, the insides of what is locked among them."""
    puzzle = played.level.puzzle
    spheres = dict.fromkeys(_numbers(puzzle.start), 0)
    for lock in sorted(opened, key=lambda each: (opened[each], each)):
        for area in _numbers(puzzle.locks[lock].beyond):
            spheres.setdefault(area, opened[lock])
    return spheres


def _numbers(mask: int, most: int | None = None) -> list[int]:
    """Return the areas of a mask, up to a number."""
    last = mask.bit_length() - 1 if most is None else min(mask.bit_length() - 1, most)
    return [number for number in range(1, last + 1) if mask >> number & 1]


def _steps(survey: Survey, start: int, spawns: Sequence[int]) -> int | None:
    """Return the steps from a place to the nearest of some spawns, through every door."""
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
