"""Random lock-and-key puzzles without a level, of every kind and difficulty, and a brute-force player for them."""

from __future__ import annotations

import random
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from dungeon.proof.puzzle import Puzzle, PuzzleDrop, PuzzleKey, PuzzleLock

if TYPE_CHECKING:
    from collections.abc import Iterator

START = 1 << 1
"""The mask of area 1, where play begins; areas are numbered from 1."""


def network(locks: int, seed: int, *, drops: bool = False, counts: bool = False) -> Puzzle:
    """Return a random puzzle: rooms behind rooms, boxes in boxes, rooms with two doors, and locks that follow others.

    Keys may be consumed or lasting, and open one to three words. There may be too few keys, just enough, or some to spare.

    Args:
        locks: The number of locks.
        seed: The random seed.
        drops: Whether some passages are one-way.
        counts: Whether the locks of some words need two or three keys.
    """
    rng = random.Random(f"{locks} {seed} {drops}")
    names = [
        f"word {number}"
        for number in range(rng.choice((1, 2, 3, max(1, locks // 4), max(1, locks // 2), locks)))
    ]
    shape = rng.choice(("bush", "tree", "chain"))
    boxed, second, follows, lasting = (rng.choice((0, 0, 0.1, 0.3)) for _ in range(4))
    several = rng.choice((1, 1, 2, 3))
    barred = []
    for number in range(locks):
        own = 2 << number + 1
        near = 1 << _parent(shape, number, rng)
        beyond = own if rng.random() < boxed else own | near
        if rng.random() < second:
            beyond = near = near | 1 << rng.randrange(1, number + 2)
        after = frozenset([rng.choice(names)] if rng.random() < follows else [])
        way = drops and rng.random() < 0.2 and beyond & ~near != 0
        barred.append(
            PuzzleLock(
                frozenset([rng.choice(names)]), after, near, beyond & ~near if way else beyond, one_way=way
            )
        )
    if counts:
        needed = {name: rng.choice((1, 2, 2, 3)) for name in names}
        barred = [lock._replace(needed=needed[min(lock.words)]) for lock in barred]
    asked = [min(lock.words) for lock in barred for _ in range(lock.needed)]
    rng.shuffle(asked)
    number = max(1, len(asked) + rng.choice((-1, 0, 0, 0, 1, 2, locks // 2)))
    asked = (asked + rng.choices(names, k=locks))[:number]
    spread = rng.choice((0.2, 0.5, 1))
    keys = []
    for word in asked:
        opened = frozenset([word, *rng.choices(names, k=rng.randint(1, several) - 1)])
        area = rng.randint(1, 1 + int(locks * spread))
        keys.append(PuzzleKey(opened, 1 << area, consumed=rng.random() >= lasting))
    count = rng.choice((1, 1, 2)) if drops else 0
    fallen = [
        PuzzleDrop(1 << rng.randint(1, locks + 1), 1 << rng.randint(1, locks + 1)) for _ in range(count)
    ]
    return Puzzle(START, (4 << locks) - 2, barred, keys, fallen)


def _parent(shape: str, number: int, rng: random.Random) -> int:
    """Return the area that the next lock is in: mostly the first (bush), any so far (tree), or one of the last two (chain)."""
    if shape == "bush" and rng.random() < 0.7:
        return 1
    return rng.randint(max(1, number - 1) if shape == "chain" else 1, number + 1)


class Ends(NamedTuple):
    """The ways in which a play of a puzzle can end.

    Attributes:
        most: (areas reached, locks opened) of the best player.
        strands: Whether the best player reaches everything, and another player ends with less.
    """

    most: tuple[int, int]
    strands: bool


def try_everything(puzzle: Puzzle) -> Ends:
    """Return the ends of all plays of a puzzle without drops, by brute force."""
    found = _ends(puzzle)
    lasting = [key._replace(consumed=False) for key in puzzle.keys]
    hope = max(_ends(Puzzle(puzzle.start, puzzle.goal, puzzle.locks, lasting)))[0]
    most = max(found)
    return Ends(most, most[0] == hope and min(found) < most)


def _ends(puzzle: Puzzle) -> set[tuple[int, int]]:
    """Return (goal areas reached, locks opened) for every state in which no move is left."""
    # States that differ only by which of keys that are alike are spent are one.
    kinds = [puzzle.keys.index(key) for key in puzzle.keys]
    found, seen, waiting = set(), set(), [(frozenset[int](), frozenset[int]())]
    while waiting:
        opened, spent = waiting.pop()
        state = opened, tuple(sorted(kinds[key] for key in spent))
        if state in seen:
            continue
        seen.add(state)
        reached = puzzle.start
        for lock in opened:
            reached |= puzzle.locks[lock].beyond
        moves = [*_moves(puzzle, reached, opened, spent)]
        waiting += moves
        if not moves:
            found.add(((reached & puzzle.goal).bit_count(), len(opened)))
    return found


def _moves(
    puzzle: Puzzle, reached: int, opened: frozenset[int], spent: frozenset[int]
) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
    """Yield (opened locks, spent keys) after each possible move, which opens one lock and may spend as many keys as it needs."""
    open_words = {word for lock in opened for word in puzzle.locks[lock].words}
    for number in set(range(len(puzzle.locks))) - opened:
        lock = puzzle.locks[number]
        if not lock.near & reached:
            continue
        fitting = [
            index
            for index, key in enumerate(puzzle.keys)
            if index not in spent and key.areas & reached and lock.words <= key.words
        ]
        used_up = [index for index in fitting if puzzle.keys[index].consumed]
        lacking = lock.needed - (len(fitting) - len(used_up))
        if lock.follows & open_words or lacking <= 0:  # no key is spent if none needs to be
            yield opened | {number}, spent
        else:
            for indices in combinations(used_up, lacking):
                yield opened | {number}, spent.union(indices)
