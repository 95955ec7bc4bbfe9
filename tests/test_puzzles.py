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
