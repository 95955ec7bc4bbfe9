"""Locks and keys of whole levels: the solver against a player who tries everything."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import pytest
from player import play
from test_proof import draw, put

from dungeon.level.model import Lock, Spawn
from dungeon.level.proof import prove
from dungeon.level.proof.solver import Puzzle, PuzzleKey, PuzzleLock

if TYPE_CHECKING:
    from dungeon.level.model import Level

SIDE = 3
"""Rooms are so wide and high, within walls."""

SHUT_OUT = {"walk-pocket", "walk-exit", "walk-region", "lock-shut"}


def key(y: int, x: int, word: str, **keywords: object) -> Spawn:
    """Return something that opens a lock: a key or, if it is locked itself, a box."""
    kind = "prop" if "lock" in keywords else "item"
    told = {"opens": word, **keywords}
    return Spawn(
        kind=kind, tag="key", name="", y=y, x=x, glyph="k", fg=(1, 1, 1), blocks=kind == "prop", keywords=told
    )


def box(y: int, x: int, word: str) -> Spawn:
    """Return something locked in which nothing is that opens anything."""
    return Spawn(
        kind="prop",
        tag="box",
        name="",
        y=y,
        x=x,
        glyph="b",
        fg=(1, 1, 1),
        blocks=True,
        keywords={"lock": word},
    )


def puzzle_level(seed: int) -> Level:
    """Return a small level of rooms, with up to six locks and with keys anywhere."""
    rng = random.Random(seed)
    down, across = rng.choice([(1, 4), (2, 2), (2, 3), (1, 5), (3, 2)])
    rows = [["#"] * (across * (SIDE + 1) + 1) for _ in range(down * (SIDE + 1) + 1)]
    middles = {
        (r, c): (r * (SIDE + 1) + 2, c * (SIDE + 1) + 2) for r, c in product(range(down), range(across))
    }
    for y, x in middles.values():
        for dy, dx in product((-1, 0, 1), repeat=2):
            rows[y + dy][x + dx] = "."
    rooms = [*middles]
    joined = {rng.choice(rooms)}
    edges = [(a, b) for a in rooms for b in ((a[0] + 1, a[1]), (a[0], a[1] + 1)) if b in middles]
    rng.shuffle(edges)
    locked = []
    while edges:
        edge = next((each for each in edges if (each[0] in joined) != (each[1] in joined)), edges[0])
        edges.remove(edge)
        spans = (edge[0] in joined) != (edge[1] in joined)
        joined |= set(edge) if spans else set()
        (ay, ax), (by, bx) = (middles[each] for each in edge)
        mark = rng.choice("L+" if spans else "L+##")
        mark = "+" if mark == "L" and len(locked) == 5 else mark
        rows[(ay + by) // 2][(ax + bx) // 2] = mark
        if mark == "L":
            locked.append(((ay + by) // 2, (ax + bx) // 2))
    y, x = middles[rng.choice(rooms)]
    rows[y][x] = "<"
    level = draw("\n".join(map("".join, rows)))
    words = rng.sample(["brass", "iron", "salt"], rng.choice([1, 2, 2, 3]))
    consumed = {word for word in words if rng.random() < 0.6}
    locks = [Lock(y=y, x=x, word=rng.choice(words)) for y, x in locked]
    locks = [
        replace(lock, follows=rng.choice(words), word="last") if rng.random() < 0.1 else lock
        for lock in locks
    ]
    corners = [
        (y + dy, x + dx) for y, x in middles.values() for dy, dx in ((-1, -1), (1, 1), (-1, 1), (1, -1))
    ]
    rng.shuffle(corners)
    spawns = []
    if rng.random() < 0.4:
        (y, x), word = corners.pop(), rng.choice(words)
        inside = rng.choice([*words, None])
        told = {"consumed": True} if inside in consumed else {}
        spawns.append(box(y, x, word) if inside is None else key(y, x, inside, lock=word, **told))
        locks.append(Lock(y=y, x=x, word=word))
    for word in words:
        count = sum(lock.word == word for lock in locks) if word in consumed else 1
        told = {"consumed": True} if word in consumed else {}
        spawns += [key(*corners.pop(), word, **told) for _ in range(count + (rng.random() < 0.2))]
    return put(level, locks=tuple(locks), spawns=tuple(spawns))


def spoilt(level: Level, seed: int) -> Level:
    """Return a level with something wrong with its locks, most likely."""
    rng = random.Random(seed)
    spawns, locks = list(level.spawns), list(level.locks)
    keys = [
        index for index, each in enumerate(spawns) if "opens" in each.keywords and "lock" not in each.keywords
    ]
    what = rng.choice(["moved", "removed", "word"])
    if what == "moved" and keys:
        index, lock = rng.choice(keys), rng.choice(locks or [Lock(y=2, x=2, word="")])
        spawn = spawns[index]
        at = (
            (lock.y + rng.choice((-2, 2)), lock.x)
            if rng.random() < 0.5
            else (lock.y, lock.x + rng.choice((-2, 2)))
        )
        if 0 < at[0] < level.height - 1 and 0 < at[1] < level.width - 1 and level.walkable[at]:
            spawns[index] = replace(spawn, y=at[0], x=at[1], cells=())
    elif what == "removed" and keys:
        del spawns[rng.choice(keys)]
    elif locks:
        index = rng.randrange(len(locks))
        if level.base[locks[index].y, locks[index].x] != 0 and not any(
            (each.y, each.x) == (locks[index].y, locks[index].x) for each in spawns
        ):
            locks[index] = replace(locks[index], word=rng.choice(["brass", "iron", "salt", "tin"]))
    return put(level, spawns=tuple(spawns), locks=tuple(locks))


def agrees(level: Level) -> tuple[bool, bool]:
    """Check that the proof says what the player finds; return whether he gets at everything, and whether anybody is stranded."""
    ends = play(level)
    broken = {violation.rule for violation in prove(level)}
    gets_all = not ends.missed
    assert bool(broken & SHUT_OUT) != gets_all
    if gets_all:
        assert ("lock-order" in broken) == ends.strands
    return gets_all, gets_all and ends.strands


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_the_proof_agrees_with_a_player_who_tries_everything(start: int) -> None:
    found = [agrees(puzzle_level(seed)) for seed in range(start, start + 50)]
    assert {(True, False), (True, True), (False, False)} <= set(found)


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_so_it_does_of_levels_that_were_spoilt(start: int) -> None:
    found = [agrees(spoilt(puzzle_level(seed), seed)) for seed in range(start, start + 50)]
    assert {(True, False), (True, True), (False, False)} <= set(found)


# -- keys that open several words ---------------------------------------------------------------------


def entangled(seed: int) -> Puzzle:
    """Return a puzzle of up to six locks, whose keys open up to three words each and are mostly used up."""
    rng = random.Random(seed)
    count = rng.randint(2, 6)
    words = "abcd"[: rng.randint(1, 4)]
    locks = []
    for number in range(count):
        near = 1 << rng.randint(0, number)
        word = frozenset(rng.choice(words))
        locks.append(PuzzleLock(word, frozenset(), near, near | 2 << number))
    keys = [
        PuzzleKey(
            frozenset(rng.choices(words, k=rng.randint(1, 3))),
            1 << rng.choice((0, rng.randint(0, count))),
            rng.random() < 0.9,
        )
        for _ in range(count + rng.randint(-1, 1))
    ]
    return Puzzle(1, (2 << count) - 1, locks, keys)


def ends(puzzle: Puzzle) -> set[tuple[int, int]]:
    """Return how many areas are reached and how many locks opened wherever play may end."""
    found, seen, waiting = set(), set(), [(frozenset(), frozenset())]
    while waiting:
        opened, spent = state = waiting.pop()
        if state in seen:
            continue
        seen.add(state)
        reached = puzzle.start
        for lock in opened:
            reached |= puzzle.locks[lock].beyond
        moves = []
        for number in set(range(len(puzzle.locks))) - opened:
            lock = puzzle.locks[number]
            fitting = [
                index
                for index, key in enumerate(puzzle.keys)
                if index not in spent
                and lock.near & reached
                and key.areas & reached
                and lock.words <= key.words
            ]
            used_up = {index for index in fitting if puzzle.keys[index].consumed}
            if used_up < set(fitting):  # nobody uses a key up who has one that lasts
                moves.append((opened | {number}, spent))
            else:
                moves += [(opened | {number}, spent | {index}) for index in used_up]
        waiting += moves
        if not moves:
            found.add((reached.bit_count(), len(opened)))
    return found


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_the_solver_agrees_where_keys_open_several_words(start: int) -> None:
    seen = set()
    for seed in range(start, start + 100):
        puzzle = entangled(seed)
        found, outcome = ends(puzzle), puzzle.solve()
        lasting = Puzzle(
            puzzle.start, puzzle.goal, puzzle.locks, [key._replace(consumed=False) for key in puzzle.keys]
        )
        hope = max(ends(lasting))[0]
        strands = max(found)[0] == hope and min(found) < max(found)
        assert outcome.complete
        assert (outcome.stranded is not None) == strands, seed
        assert len(outcome.order) == max(found)[1], seed
        seen.add(strands)
    assert seen == {False, True}


def test_the_right_key_on_the_wrong_lock_strands() -> None:
    """Who opens the first lock with the key that also opens the second has none left for that."""
    locks = [PuzzleLock(frozenset(word), frozenset(), 1, 1 | 2 << at) for at, word in enumerate("ac")]
    keys = [PuzzleKey(frozenset(words), 1, consumed=True) for words in ("a", "ac")]
    assert Puzzle(1, 7, locks, keys).solve().stranded == (1,)
