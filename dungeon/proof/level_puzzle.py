"""Converts the locks, keys and portals of a level to a `Puzzle`: a graph of areas (ground that stays connected while all locks are closed) with locks between them.

The areas of the puzzle are the pieces of ground that stay connected, by steps and two-way portals, while every lock is closed.
Each lock also has an area of its own, which can be entered only once it is open: the cell of a locked door, or the inside of a
locked prop. The own area of a locked portal has no cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.proof.puzzle import Puzzle, PuzzleDrop, PuzzleKey, PuzzleLock

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from dungeon.level.model import Level, Spawn
    from dungeon.proof.flat import FlatLevel, Passage, Pieces


A_MAPPING = (dict, Mapping)
"""Classes for `isinstance` tests of keywords. `dict` comes first, as nearly all are dicts and that test is quick."""


class LockedFeature(NamedTuple):
    """A locked door, locked prop ("box") or locked portal of a level.

    Attributes:
        place: The index in the flat arrays of its cell: the door, the prop's own cell, or where the portal begins.
        word: The name of its lock; the first in alphabetical order if it has several.
        what: Which of the three it is; ``box`` is a prop.
        number: The index of the prop in `Level.spawns`, or of the portal in `FlatLevel.passages`; 0 for a door.
    """

    place: int
    word: str
    what: Literal["door", "box", "portal"]
    number: int = 0


class LevelPuzzle(NamedTuple):
    """The puzzle of a level, and which features of the level are its locks, keys and areas.

    Attributes:
        puzzle: The puzzle.
        locked: For each lock of the puzzle, what is locked.
        keys: For each key of the level, its index in `Level.spawns`. They are the first keys of the puzzle; those after them are
            from other maps.
        labels: Flat int64: the number of the area of each cell, from 1; 0 for cells outside all areas.
    """

    puzzle: Puzzle
    locked: tuple[LockedFeature, ...]
    keys: tuple[int, ...]
    labels: NDArray[np.int64]


def opened_by(spawn: Spawn) -> tuple[str, ...]:
    """Return the names of the locks that a spawn opens: its keyword `opens`, a text or a list of texts; empty if it has none."""
    return _words(spawn, "opens")


def is_consumed(spawn: Spawn) -> bool:
    """Tell whether a spawn that opens locks is used up by the first one (keyword `consumed: true`)."""
    return isinstance(spawn.keywords, A_MAPPING) and spawn.keywords.get("consumed") is True


def is_toggle(spawn: Spawn) -> bool:
    """Tell whether a spawn is a lever that closes its locks again: a prop with `toggle: true` that is neither locked nor used up."""
    said = spawn.keywords if spawn.like == "prop" and isinstance(spawn.keywords, A_MAPPING) else {}
    return said.get("toggle") is True and said.get("consumed") is not True and "lock" not in said


def _words(spawn: Spawn, keyword: str) -> tuple[str, ...]:
    """Return the texts under a keyword of a spawn, one text or a list of texts; values of other types are left out."""
    word = spawn.keywords.get(keyword) if isinstance(spawn.keywords, A_MAPPING) else None
    if word is None:
        return ()
    words = word if isinstance(word, list | tuple) else (word,)
    return tuple(each for each in words if isinstance(each, str))


def puzzle_of(
    survey: FlatLevel, clear: NDArray[np.bool_], given: Collection[str] | None = None
) -> LevelPuzzle:
    """Return the puzzle of a level.

    Args:
        survey: The level as flat arrays.
        clear: Flat bool: the cells where a player can stand while all locked doors are closed.
        given: The names of the locks with keys on other maps (`Lock.keys_on`) whose keys the player has from the start; None for
            all of them.
    """
    words, follows = locks_at(survey)
    counts = counts_at(survey)
    several = {word for place, count in counts.items() if count > 1 for word in words[place]}
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
        *(
            LockedFeature(place, min(names), "door")
            for place, names in sorted(words.items())
            if survey.bases[place] == t.LOCKED_DOOR
        ),
        *(
            LockedFeature(place, min(words[place]), "box", index)
            for place, index in sorted(props.items())
            if place not in gates
        ),
        *(
            LockedFeature(place, min(words[place]), "portal", number)
            for place, number in sorted(gates.items())
        ),
    )
    areas = _Areas(survey, labels, count, locked)
    locks = [
        PuzzleLock(
            frozenset(words[each.place]),
            frozenset(follows.get(each.place, ())),
            *areas.lock_sides(number),
            counts.get(each.place, 1),
        )
        for number, each in enumerate(locked)
    ]
    keys = [areas.key(index, spawn, several) for index, spawn in openers]
    drops = [PuzzleDrop(*areas.portal_sides(each)) for each in free if not each.both]
    start = 0 if survey.entrance is None else 1 << int(labels[survey.entrance])
    keys += [
        PuzzleKey(frozenset((word,)), start & ~1, consumed=False)
        for word, count in _from_other_maps(survey.level, given).items()
        for _ in range(count)
    ]
    goal = areas.ground
    for number, each in enumerate(locked, count + 1):
        if each.what == "box" and each.place in listed:
            goal |= 1 << number
    puzzle = Puzzle(start & ~1, goal, locks, keys, drops)
    return LevelPuzzle(puzzle, locked, tuple(index for index, _ in openers), labels)


def _from_other_maps(level: Level, given: Collection[str] | None) -> dict[str, int]:
    """Return name of a lock -> how many keys from other maps the player has from the start; see `puzzle_of` for `given`."""
    needed: dict[str, int] = {}
    for lock in level.locks:
        if lock.keys_on and (given is None or lock.word in given):
            needed[lock.word] = max(lock.count, needed.get(lock.word, 0))
    return needed


class _Areas:
    """The areas of a level by number: the pieces of ground from 1 to `count`, then one area for each lock.

    Sets of areas are bitmasks, in which bit n stands for area n.

    Attributes:
        survey: The level as flat arrays.
        labels: Flat int64: the number of the piece of ground of each cell; 0 for none.
        locked: For each lock, what is locked.
        first: The number of the area of the first lock.
        ground: The mask of all pieces of ground.
        doors: Place of a locked door -> the number of its area.
        boxes: Index of a locked prop in `Level.spawns` -> the number of its area.
    """

    def __init__(
        self, survey: FlatLevel, labels: NDArray[np.int64], count: int, locked: Sequence[LockedFeature]
    ) -> None:
        self.survey, self.labels, self.locked, self.first = survey, labels, locked, count + 1
        numbered = [*enumerate(locked, count + 1)]
        self.ground = (2 << count) - 2
        self.doors = {each.place: number for number, each in numbered if each.what == "door"}
        self.boxes = {each.number: number for number, each in numbered if each.what == "box"}

    def at(self, places: Iterable[int]) -> int:
        """Return the mask of the areas in which the cells at these places lie. The cell of a locked door is an area of its own."""
        found = 0
        for place in places:
            found |= 1 << int(self.labels[place])
            if place in self.doors:
                found |= 1 << self.doors[place]
        return found & ~1

    def portal_sides(self, passage: Passage) -> tuple[int, int]:
        """Return the masks of the areas at the beginning and the end of a portal."""
        return 1 << int(self.labels[passage.begin]) & ~1, 1 << int(self.labels[passage.end]) & ~1

    def lock_sides(self, number: int) -> tuple[int, int, bool]:
        """Return (areas before the lock, areas behind it, whether it leads only one way); the areas are masks.

        They become `near`, `beyond` and `one_way` of a `PuzzleLock`.

        Args:
            number: The index of the lock in `locked`.
        """
        survey, locked, own = self.survey, self.locked[number], 1 << self.first + number
        if locked.what == "portal":
            passage = survey.passages[locked.number]
            near, beyond = self.portal_sides(passage)
            return (near | beyond, near | beyond, False) if passage.both else (near, beyond, True)
        if locked.what == "box":
            return self.at(survey.around(locked.number)) & ~own, own, False
        steps = (-survey.stride, -1, 1, survey.stride)
        near = self.at(locked.place + step for step in steps) & ~own
        # Of the areas around an open door only ground can be entered from it: a locked door beside it still needs its key.
        return near, 0 if survey.stopped[locked.place] else near & self.ground | own, False

    def key(self, index: int, spawn: Spawn, several: Collection[str]) -> PuzzleKey:
        """Return a spawn that opens locks as a `PuzzleKey`.

        Args:
            index: Its index in `Level.spawns`.
            spawn: The spawn.
            several: The names of locks that need several keys. A lever can't close these.
        """
        areas = 1 << self.boxes[index] if index in self.boxes else self.at(self.survey.around(index))
        words = frozenset(opened_by(spawn))
        toggles = is_toggle(spawn) and words.isdisjoint(several)
        if toggles:
            areas &= self.ground  # a player standing in a door can't pull a lever that would close it
        return PuzzleKey(words, areas, is_consumed(spawn), toggles)


def _joined(
    labels: NDArray[np.int64], count: int, passages: Iterable[Passage]
) -> tuple[NDArray[np.int64], int]:
    """Unite the pieces of ground at both ends of each two-way portal; return (new flat labels, number of pieces).

    Args:
        labels: Flat: the number of each cell's piece, from 1 to `count`; 0 for none.
        count: The number of pieces.
        passages: The two-way portals.
    """
    root = np.arange(count + 1)
    for each in passages:
        one, other = root[labels[each.begin]], root[labels[each.end]]
        if one and other:
            root[root == max(one, other)] = min(one, other)
    roots, number = np.unique(root, return_inverse=True)
    return (labels, count) if len(roots) == len(root) else (number[labels], len(roots) - 1)


def locks_at(survey: FlatLevel) -> tuple[dict[int, set[str]], dict[int, set[str]]]:
    """Return the locks of a level by their places in the flat arrays, as two dicts.

    Returns:
        Two dicts. The first maps a place to the names of the locks there. The second maps a place to the names of the locks that
        those locks follow: once a lock of that name is open, they open without a key. Places whose locks follow none are missing.
    """
    words: dict[int, set[str]] = {}
    follows: dict[int, set[str]] = {}
    for lock in survey.level.locks:
        place = survey.at(lock.y, lock.x)
        if place is not None:
            words.setdefault(place, set()).add(lock.word)
            if lock.follows:
                follows.setdefault(place, set()).add(lock.follows)
    return words, follows


def counts_at(survey: FlatLevel) -> dict[int, int]:
    """Return place in the flat arrays -> how many keys the lock there needs; the largest number if there are several locks."""
    counts: dict[int, int] = {}
    for lock in survey.level.locks:
        place = survey.at(lock.y, lock.x)
        if place is not None:
            counts[place] = max(lock.count, counts.get(place, 1))
    return counts


def _props(survey: FlatLevel, words: dict[int, set[str]], openers: Sequence[Spawn]) -> dict[int, int]:
    """Return place in the flat arrays -> index of the locked prop in `Level.spawns` that stands there.

    A locked prop that is missing in `Level.locks` counts only if consumed keys open all of its locks, since a player may
    waste keys on it. The names of its locks are then added to `words`.

    Args:
        survey: The level as flat arrays.
        words: Place -> the names of the locks there; changed.
        openers: The spawns that open locks.
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
    """Return (flat int64 array with the number of each cell's component, number of components).

    Components are numbered from 1; the number is 0 for cells outside `clear`.

    Args:
        clear: A flat mask.
        found: Its components.
    """
    starts, ends, piece = found
    number = (piece == np.arange(len(piece))).cumsum()  # the first run of each component counts up
    labels = np.zeros(clear.size, np.int64)
    labels[clear] = number.take(piece).repeat(ends - starts)
    return labels, int(number[-1]) if len(number) else 0
