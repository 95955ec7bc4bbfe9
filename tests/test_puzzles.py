"""Locks and keys of whole levels: the solver against a player who tries everything."""

from __future__ import annotations

import random
from dataclasses import asdict, replace
from itertools import product
from typing import TYPE_CHECKING

import pytest
from player import play, wander
from test_proof import draw, put, swap

from dungeon.level.model import Lock, Portal, Spawn
from dungeon.level.proof import prove

if TYPE_CHECKING:
    from dungeon.level.model import Level

SIDE = 3
"""Rooms are so wide and high, within walls."""

SHUT_OUT = {"walk-pocket", "walk-exit", "walk-region", "lock-shut", "unreachable"}

STRANDED = {"lock-order", "portal-return"}


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


def puzzle_level(seed: int, *, portals: bool = False) -> Level:
    """Return a small level of rooms, with up to six locks and with keys anywhere; or with portals and fewer of these."""
    rng = random.Random(seed)
    down, across = rng.choice([(1, 4), (2, 2), (2, 3), (1, 5), (3, 2)])
    most = 3 if portals else 5
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
        mark = rng.choice(("L+#" if portals else "L+") if spans else "L+##")
        mark = "+" if mark == "L" and len(locked) == most else mark
        rows[(ay + by) // 2][(ax + bx) // 2] = mark
        if mark == "L":
            locked.append(((ay + by) // 2, (ax + bx) // 2))
    y, x = middles[rng.choice(rooms)]
    rows[y][x] = "<"
    level = draw("\n".join(map("".join, rows)))
    words = rng.sample(["brass", "iron", "salt"], rng.choice([1, 2] if portals else [1, 2, 2, 3]))
    consumed = {word for word in words if rng.random() < 0.6}
    locks = [Lock(y=y, x=x, word=rng.choice(words)) for y, x in locked]
    locks = [
        replace(lock, follows=rng.choice(words), word="last") if rng.random() < 0.1 else lock
        for lock in locks
    ]
    ways = _portals(rng, list(middles.values())) if portals else []
    locks += [Lock(y=way.y, x=way.x, word=rng.choice(words)) for way in ways if rng.random() < 0.3]
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
    return put(level, locks=tuple(locks), spawns=tuple(spawns), portals=tuple(ways))


def _portals(rng: random.Random, middles: list[tuple[int, int]]) -> list[Portal]:
    """Return one to three portals between rooms."""
    ends = [(y + dy, x + dx) for y, x in middles for dy, dx in ((-1, 0), (0, -1), (0, 1), (1, 0))]
    rng.shuffle(ends)
    pairs = [(ends.pop(), ends.pop()) for _ in range(rng.choice([1, 2, 2, 3]))]
    return [
        Portal(y=y, x=x, to_y=to_y, to_x=to_x, kind="boat", both=rng.random() < 0.4)
        for (y, x), (to_y, to_x) in pairs
    ]


def spoilt(level: Level, seed: int) -> Level:
    """Return a level with something wrong with its locks, most likely."""
    rng = random.Random(seed)
    spawns, locks = list(level.spawns), list(level.locks)
    keys = [
        index for index, each in enumerate(spawns) if "opens" in each.keywords and "lock" not in each.keywords
    ]
    what = rng.choice(["moved", "removed", "word", *(["portal"] * 2 if level.portals else [])])
    if what == "portal":
        return _with_a_spoilt_portal(rng, level)
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


def _with_a_spoilt_portal(rng: random.Random, level: Level) -> Level:
    """Return a level one of whose portals leads another way, with its lock, or one way only."""
    index = rng.randrange(len(level.portals))
    old = level.portals[index]
    turned = replace(old, y=old.to_y, x=old.to_x, to_y=old.y, to_x=old.x)
    new = rng.choice([turned, replace(old, both=False), replace(turned, both=False)])
    locks = [
        replace(lock, y=new.y, x=new.x) if (lock.y, lock.x) == old.begin else lock for lock in level.locks
    ]
    return put(level, portals=swap(level.portals, index, **asdict(new)), locks=tuple(locks))


def agrees(level: Level) -> tuple[bool, bool]:
    """Check that the proof says what the player finds; return whether he gets at everything, and whether anybody is stranded."""
    ends = wander(level) if level.portals else play(level)
    broken = {violation.rule for violation in prove(level)}
    gets_all = not ends.missed
    assert bool(broken & SHUT_OUT) != gets_all
    if gets_all:
        assert bool(broken & STRANDED) == ends.strands
    return gets_all, gets_all and ends.strands


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_the_proof_agrees_with_a_player_who_tries_everything(start: int) -> None:
    found = [agrees(puzzle_level(seed)) for seed in range(start, start + 50)]
    assert {(True, False), (True, True), (False, False)} <= set(found)


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_so_it_does_of_levels_that_were_spoilt(start: int) -> None:
    found = [agrees(spoilt(puzzle_level(seed), seed)) for seed in range(start, start + 50)]
    assert {(True, False), (True, True), (False, False)} <= set(found)


@pytest.mark.parametrize("start", range(0, 150, 50))
def test_they_agree_about_portals_that_lead_both_ways_and_one_way(start: int) -> None:
    found = [agrees(puzzle_level(seed, portals=True)) for seed in range(start, start + 50)]
    assert {(True, False), (True, True), (False, False)} <= set(found)


@pytest.mark.parametrize("start", range(0, 150, 50))
def test_and_about_portals_of_levels_that_were_spoilt(start: int) -> None:
    found = [agrees(spoilt(puzzle_level(seed, portals=True), seed)) for seed in range(start, start + 50)]
    assert {(True, False), (True, True), (False, False)} <= set(found)


@pytest.mark.parametrize("start", range(0, 100, 50))
def test_who_knows_portals_plays_no_other_way_where_there_are_none(start: int) -> None:
    for seed in range(start, start + 50):
        level = puzzle_level(seed)
        if len(level.spawns) < 6:
            assert wander(level) == play(level)
