"""The locks and keys of a level as a puzzle: the areas that locks divide, what bars them, and what opens it where.

Areas are the pieces of ground that hang together while every lock is closed, by steps and by portals that lead both ways.
What is locked has an area of its own: the cell of a locked door, or what a locked prop contains. Nobody is in it before it
is opened. That of a portal is in no place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.level.proof.play.parts import Puzzle, PuzzleDrop, PuzzleKey, PuzzleLock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dungeon.level.model import Spawn
    from dungeon.level.proof.flat import FlatLevel, Passage
    from dungeon.level.proof.reach import Pieces


A_MAPPING = (dict, Mapping)
"""What keywords should be; nearly all are found to be dicts, which is quick, before anybody asks what else a mapping is."""


class Locked(NamedTuple):
    """Something on a level that is locked.

    Attributes:
        place: The place of the door, of the prop's first cell, or of where the portal begins.
        what: What it is.
        number: That of the prop among the level's spawns, or of the portal among the passages; 0 for a door.
    """

    place: int
    what: Literal["door", "box", "portal"]
    number: int = 0


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
    return isinstance(spawn.keywords, A_MAPPING) and spawn.keywords.get("consumed") is True


def is_toggle(spawn: Spawn) -> bool:
    """Tell whether something that opens locks shuts them again: a lever, which nothing locks and which is not used up."""
    said = spawn.keywords if spawn.like == "prop" and isinstance(spawn.keywords, A_MAPPING) else {}
    return said.get("toggle") is True and said.get("consumed") is not True and "lock" not in said


def _words(spawn: Spawn, keyword: str) -> tuple[str, ...]:
    word = spawn.keywords.get(keyword) if isinstance(spawn.keywords, A_MAPPING) else None
    if word is None:
        return ()
    words = word if isinstance(word, list | tuple) else (word,)
    return tuple(each for each in words if isinstance(each, str))


def puzzle_of(survey: FlatLevel, clear: NDArray[np.bool_]) -> LevelPuzzle:
    """Return a level's locks and keys.

    Args:
        survey: The level.
        clear: Flat, where a walker can stand while all locked doors are closed.
    """
    words, follows = _locks(survey)
    listed = {*words}
    gates = {each.begin: number for number, each in enumerate(survey.passages) if words.get(each.begin)}
    gates = {place: number for place, number in gates.items() if survey.bases[place] != t.LOCKED_DOOR}
    free = [each for each in survey.passages if each.begin not in gates]
    labels, count = _joined(*_labels(clear, survey.pieces(clear)), [each for each in free if each.both])
    props = {place: index for place, index in _props(survey, words).items() if place not in gates}
    locked = [Locked(place, "door") for place in sorted(words) if survey.bases[place] == t.LOCKED_DOOR]
    locked += [Locked(place, "box", index) for place, index in sorted(props.items())]
    locked += [Locked(place, "portal", number) for place, number in sorted(gates.items())]
    inside = {each.place: number for number, each in enumerate(locked, count + 1) if each.what == "door"}
    boxes = {each.number: number for number, each in enumerate(locked, count + 1) if each.what == "box"}
    ground = (2 << count) - 2
    locks = []
    for number, each in enumerate(locked, count + 1):
        own = 1 << number
        match each.what:
            case "door":
                near = _areas(labels, inside, _beside(survey, each.place)) & ~own
                # Another door beside it is in reach from there, and no more.
                beyond = 0 if survey.stopped[each.place] else near & ground | own
            case "box":
                near = _areas(labels, inside, survey.around(each.number).tolist()) & ~own
                beyond = own
            case "portal":
                near, beyond = _sides(labels, survey.passages[each.number])
                if survey.passages[each.number].both:
                    near = beyond = near | beyond
        one_way = each.what == "portal" and not survey.passages[each.number].both
        lock = frozenset(words[each.place]), frozenset(follows.get(each.place, ())), near, beyond, one_way
        locks.append(PuzzleLock(*lock))
    drops = [PuzzleDrop(*_sides(labels, each)) for each in free if not each.both]
    keys, indices = [], []
    for index, spawn in enumerate(survey.level.spawns):
        opened = opened_by(spawn)
        if opened:
            areas = _areas(labels, inside, survey.around(index).tolist())
            areas = 1 << boxes[index] if index in boxes else areas
            toggles = is_toggle(spawn)
            areas = areas & ground if toggles else areas  # nobody shuts a door while he stands in one
            keys.append(PuzzleKey(frozenset(opened), areas, is_consumed(spawn), toggles))
            indices.append(index)
    start = 0 if survey.entrance is None else 1 << int(labels[survey.entrance])
    goal = ground
    for number, each in enumerate(locked, count + 1):
        if each.what == "box" and each.place in listed:
            goal |= 1 << number
    return LevelPuzzle(Puzzle(start & ~1, goal, locks, keys, drops), tuple(locked), tuple(indices), labels)


def _sides(labels: NDArray[np.int64], passage: Passage) -> tuple[int, int]:
    """Return the areas at the two ends of a portal."""
    return 1 << int(labels[passage.begin]) & ~1, 1 << int(labels[passage.end]) & ~1


def _joined(
    labels: NDArray[np.int64], count: int, passages: Iterable[Passage]
) -> tuple[NDArray[np.int64], int]:
    """Return the numbers of the pieces once portals that lead both ways have joined them, and how many there are."""
    root = np.arange(count + 1)
    for each in passages:
        one, other = root[labels[each.begin]], root[labels[each.end]]
        if one and other:
            root[root == max(one, other)] = min(one, other)
    roots, number = np.unique(root, return_inverse=True)
    return (labels, count) if len(roots) == len(root) else (number[labels], len(roots) - 1)


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


def _props(survey: FlatLevel, words: dict[int, set[str]]) -> dict[int, int]:
    """Return place -> the index of the locked prop whose first cell that is.

    A prop without a lock in the level's list counts only if keys that are used up may be spent on it; the words are added.
    """
    found = {}
    spendable = {word for spawn in survey.level.spawns if is_consumed(spawn) for word in opened_by(spawn)}
    for index, spawn in enumerate(survey.level.spawns):
        said = _words(spawn, "lock") if spawn.like == "prop" else ()
        place = survey.at(spawn.y, spawn.x) if said else None
        if place is None or survey.bases[place] == t.LOCKED_DOOR:
            continue
        if place not in words and spendable.issuperset(said):
            words[place] = set(said)
        if words.get(place) == set(said):
            found[place] = index
    return found


def _labels(clear: NDArray[np.bool_], found: Pieces) -> tuple[NDArray[np.int64], int]:
    """Return the number of the piece of each cell, from 1 on, and how many pieces there are."""
    starts, ends, piece = found
    number = (piece == np.arange(len(piece))).cumsum()  # a piece is known by its first run
    labels = np.zeros(clear.size, np.int64)
    labels[clear] = number.take(piece).repeat(ends - starts)
    return labels, int(number[-1]) if len(number) else 0


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
