"""The locks and keys of a level as a puzzle: the areas that locks divide, what bars them, and what opens it where.

Areas are the pieces of ground that are connected while every lock is closed, by steps and by portals that lead both ways. What is
locked has an area of its own: the cell of a locked door, or what a locked prop contains. Nobody is in it before it is opened.
That of a portal has no cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.proof.puzzle import Puzzle, PuzzleDrop, PuzzleKey, PuzzleLock

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from dungeon.level.model import Spawn
    from dungeon.proof.flat import FlatLevel, Passage, Pieces


A_MAPPING = (dict, Mapping)
"""What keywords should be; nearly all are found to be dicts, which is quick, before anybody asks what else a mapping is."""


class LockedThing(NamedTuple):
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
    locked: tuple[LockedThing, ...]
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
    words, follows = locks_at(survey)
    listed = {*words}
    gates = {
        each.begin: number
        for number, each in enumerate(survey.passages)
        if each.begin in words and survey.bases[each.begin] != t.LOCKED_DOOR
    }
    free = [each for each in survey.passages if each.begin not in gates]
    labels, count = _joined(*_labels(clear, survey.pieces(clear)), [each for each in free if each.both])
    openers = [(index, spawn) for index, spawn in enumerate(survey.level.spawns) if opened_by(spawn)]
    props = _props(survey, words, [spawn for _, spawn in openers])
    locked = (
        *(LockedThing(place, "door") for place in sorted(words) if survey.bases[place] == t.LOCKED_DOOR),
        *(LockedThing(place, "box", index) for place, index in sorted(props.items()) if place not in gates),
        *(LockedThing(place, "portal", number) for place, number in sorted(gates.items())),
    )
    areas = _Areas(survey, labels, count, locked)
    locks = [
        PuzzleLock(frozenset(words[each.place]), frozenset(follows.get(each.place, ())), *areas.bar(number))
        for number, each in enumerate(locked)
    ]
    keys = [areas.key(index, spawn) for index, spawn in openers]
    drops = [PuzzleDrop(*areas.sides(each)) for each in free if not each.both]
    start = 0 if survey.entrance is None else 1 << int(labels[survey.entrance])
    goal = areas.ground
    for number, each in enumerate(locked, count + 1):
        if each.what == "box" and each.place in listed:
            goal |= 1 << number
    puzzle = Puzzle(start & ~1, goal, locks, keys, drops)
    return LevelPuzzle(puzzle, locked, tuple(index for index, _ in openers), labels)


class _Areas:
    """The areas of a level as bits of masks: the pieces of ground from 1 on, and then what is locked.

    Attributes:
        ground: The pieces of ground.
        doors: Place of a locked door -> the number of its area.
        boxes: Index of a spawn that is a locked prop -> the number of its area.
    """

    def __init__(
        self, survey: FlatLevel, labels: NDArray[np.int64], count: int, locked: Sequence[LockedThing]
    ) -> None:
        self.survey, self.labels, self.locked, self.first = survey, labels, locked, count + 1
        numbered = [*enumerate(locked, count + 1)]
        self.ground = (2 << count) - 2
        self.doors = {each.place: number for number, each in numbered if each.what == "door"}
        self.boxes = {each.number: number for number, each in numbered if each.what == "box"}

    def at(self, places: Iterable[int]) -> int:
        """Return the areas of some places, and of the locked doors among them."""
        found = 0
        for place in places:
            found |= 1 << int(self.labels[place])
            if place in self.doors:
                found |= 1 << self.doors[place]
        return found & ~1

    def sides(self, passage: Passage) -> tuple[int, int]:
        """Return the areas at the two ends of a portal."""
        return 1 << int(self.labels[passage.begin]) & ~1, 1 << int(self.labels[passage.end]) & ~1

    def bar(self, number: int) -> tuple[int, int, bool]:
        """Return from which areas a lock is opened, to which areas it leads, and whether it leads only one way."""
        survey, locked, own = self.survey, self.locked[number], 1 << self.first + number
        if locked.what == "portal":
            passage = survey.passages[locked.number]
            near, beyond = self.sides(passage)
            return (near | beyond, near | beyond, False) if passage.both else (near, beyond, True)
        if locked.what == "box":
            return self.at(survey.around(locked.number)) & ~own, own, False
        steps = (-survey.stride, -1, 1, survey.stride)
        near = self.at(locked.place + step for step in steps) & ~own
        # Another door beside it is in reach from there, and no more.
        return near, 0 if survey.stopped[locked.place] else near & self.ground | own, False

    def key(self, index: int, spawn: Spawn) -> PuzzleKey:
        """Return what opens locks, with the areas from which it can be had."""
        areas = 1 << self.boxes[index] if index in self.boxes else self.at(self.survey.around(index))
        toggles = is_toggle(spawn)
        if toggles:
            areas &= self.ground  # nobody shuts a door while standing in one
        return PuzzleKey(frozenset(opened_by(spawn)), areas, is_consumed(spawn), toggles)


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


def locks_at(survey: FlatLevel) -> tuple[dict[int, set[str]], dict[int, set[str]]]:
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


def _props(survey: FlatLevel, words: dict[int, set[str]], openers: Sequence[Spawn]) -> dict[int, int]:
    """Return place -> the index of the locked prop whose first cell that is.

    A prop without a lock in the level's list counts only if keys that are used up may be spent on it; the words are added.
    """
    found = {}
    spendable = {word for spawn in openers if is_consumed(spawn) for word in opened_by(spawn)}
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
