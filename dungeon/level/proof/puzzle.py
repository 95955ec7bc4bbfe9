"""The locks and keys of a level as a puzzle: the areas that locks divide, what bars them, and what opens it where.

Areas are the pieces of ground that hang together while every lock is closed. What is locked has an area of its own: the
cell of a locked door, or what a locked prop contains. Nobody is in it before it is opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.level.proof.reach import pieces
from dungeon.level.proof.solver import Puzzle, PuzzleKey, PuzzleLock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dungeon.level.model import Spawn
    from dungeon.level.proof.flat import FlatLevel


class Locked(NamedTuple):
    """Something on a level that is locked.

    Attributes:
        place: The place of the door, or of the prop's first cell.
        prop: The index of the prop among the level's spawns; None for a door.
    """

    place: int
    prop: int | None


class LevelPuzzle(NamedTuple):
    """A level's locks and keys.

    Attributes:
        puzzle: The same as areas, locks and keys.
        locked: What each of its locks is.
        keys: The indices, among the level's spawns, of what each of its keys is.
        labels: int, flat: the number of the area of each cell, from 1 on, 0 for none.
    """

    puzzle: Puzzle
    locked: tuple[Locked, ...]
    keys: tuple[int, ...]
    labels: NDArray[np.int64]


def opened_by(spawn: Spawn) -> tuple[str, ...]:
    """Return the words of the locks that something opens."""
    return _words(spawn, "opens")


def is_consumed(spawn: Spawn) -> bool:
    """Tell whether something that opens locks is used up by that."""
    return isinstance(spawn.keywords, Mapping) and spawn.keywords.get("consumed") is True


def _words(spawn: Spawn, keyword: str) -> tuple[str, ...]:
    word = spawn.keywords.get(keyword) if isinstance(spawn.keywords, Mapping) else None
    words = word if isinstance(word, list | tuple) else (word,)
    return tuple(each for each in words if isinstance(each, str))


def puzzle_of(survey: FlatLevel, clear: NDArray[np.bool_]) -> LevelPuzzle:
    """Return a level's locks and keys.

    Args:
        survey: The level.
        clear: Flat, where a walker can stand while all locked doors are closed.
    """
    labels, count = _labels(clear, survey.stride)
    words, follows = _locks(survey)
    props = _props(survey, words)
    locked = [Locked(place, None) for place in sorted(words) if survey.bases[place] == t.LOCKED_DOOR]
    locked += [Locked(place, index) for place, index in sorted(props.items())]
    inside = {each.place: count + number for number, each in enumerate(locked, 1) if each.prop is None}
    boxes = {each.prop: count + number for number, each in enumerate(locked, 1) if each.prop is not None}
    ground = (2 << count) - 2
    locks = []
    for number, (place, prop) in enumerate(locked, count + 1):
        places = _beside(survey, place) if prop is None else survey.around(prop).tolist()
        near = _areas(labels, inside, places) & ~(1 << number)
        leads_through = prop is not None or not survey.stopped[place]
        # Another door beside it is in reach from there, and no more.
        beyond = (near & ground if prop is None else 0) | 1 << number if leads_through else 0
        locks.append(PuzzleLock(frozenset(words[place]), frozenset(follows.get(place, ())), near, beyond))
    keys, indices = [], []
    for index, spawn in enumerate(survey.level.spawns):
        opened = opened_by(spawn)
        if opened:
            areas = _areas(labels, inside, survey.around(index).tolist())
            areas = 1 << boxes[index] if index in boxes else areas
            keys.append(PuzzleKey(frozenset(opened), areas, is_consumed(spawn)))
            indices.append(index)
    start = 0 if survey.entrance is None else 1 << int(labels[survey.entrance])
    goal = ground
    for number in boxes.values():
        goal |= 1 << number
    return LevelPuzzle(Puzzle(start & ~1, goal, locks, keys), tuple(locked), tuple(indices), labels)


def _locks(survey: FlatLevel) -> tuple[dict[int, set[str]], dict[int, set[str]]]:
    """Return the words that bar each place, and those of the locks that it follows."""
    words: dict[int, set[str]] = {}
    follows: dict[int, set[str]] = {}
    for lock in survey.level.locks:
        place = survey.at(lock.y, lock.x)
        if place is not None:
            words.setdefault(place, set()).add(lock.word)
            if lock.follows:
                follows.setdefault(place, set()).add(lock.follows)
    return words, follows


def _props(survey: FlatLevel, words: Mapping[int, set[str]]) -> dict[int, int]:
    """Return place -> the index of the locked prop whose first cell that is."""
    found = {}
    for index, spawn in enumerate(survey.level.spawns):
        said = _words(spawn, "lock") if spawn.kind == "prop" else ()
        place = survey.at(spawn.y, spawn.x) if said else None
        if place is not None and survey.bases[place] != t.LOCKED_DOOR and words.get(place) == set(said):
            found[place] = index
    return found


def _labels(clear: NDArray[np.bool_], stride: int) -> tuple[NDArray[np.int64], int]:
    """Return the number of the piece of each cell, from 1 on, and how many pieces there are."""
    starts, ends, piece = pieces(clear, stride)
    labels = np.zeros(clear.size, np.int64)
    roots, number = np.unique(piece, return_inverse=True)
    labels[np.flatnonzero(clear)] = (number + 1).repeat(ends - starts)
    return labels, len(roots)


def _beside(survey: FlatLevel, place: int) -> list[int]:
    return [place - survey.stride, place - 1, place + 1, place + survey.stride]


def _areas(labels: NDArray[np.int64], inside: Mapping[int, int], places: Iterable[int]) -> int:
    """Return the areas of some places, and of the locked doors among them."""
    found = 0
    for place in places:
        found |= 1 << int(labels[place])
        if place in inside:
            found |= 1 << inside[place]
    return found & ~1
