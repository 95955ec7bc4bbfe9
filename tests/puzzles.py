"""Small random levels with locks and keys, ways to spoil them, and a comparison of the proof with a brute-force player."""

from __future__ import annotations

import random
from dataclasses import asdict, replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from player import play, wander
from test_proof import draw, paint, put, swap

from dungeon import Lock, Portal, Spawn, prove
from dungeon import terrain as t

if TYPE_CHECKING:
    from collections.abc import Callable

    from walker import Cell

    from dungeon import Level

SIDE = 3
"""Width and height of a room without its walls."""

SHUT_OUT = {"walk-pocket", "walk-exit", "walk-region", "lock-shut", "unreachable"}

STRANDED = {"lock-order", "portal-return"}


def key(y: int, x: int, word: str, **keywords: object) -> Spawn:
    """Return a spawn that opens a lock: a key, a lever (with the keyword `toggle`) or a locked box (with `lock`)."""
    kind = "prop" if "lock" in keywords or "toggle" in keywords else "item"
    told = {"opens": word, **keywords}
    return Spawn(
        kind=kind,
        tag="key",
        name="",
        y=y,
        x=x,
        glyph="k",
        fg=(1, 1, 1),
        blocks="lock" in keywords,
        keywords=told,
    )


def box(y: int, x: int, word: str) -> Spawn:
    """Return a locked box without a key in it."""
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


def puzzle_level(seed: int, *, portals: bool = False, levers: bool = False, counts: bool = False) -> Level:
    """Return a small random level of rooms, with up to six locks (fewer with portals) and keys in random places.

    Args:
        seed: The random seed.
        portals: Whether it has portals.
        levers: Whether some keys are levers that toggle.
        counts: Whether the locks of some words need two or three keys.
    """
    rng = random.Random(seed)
    down, across = rng.choice([(1, 4), (2, 2), (2, 3), (1, 5), (3, 2)])
    most = 3 if portals or counts else 5
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
    needed = {word: rng.choice((1, 2, 2, 3)) if counts else 1 for word in [*words, "last"]}
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
        count *= needed[word]
        told = {"consumed": True} if word in consumed else {}
        if levers and rng.random() < 0.7:
            count, told, needed[word] = rng.choice((1, 1, 2)), {"toggle": True}, 1
        spawns += [key(*corners.pop(), word, **told) for _ in range(count + (rng.random() < 0.2))]
    locks = [replace(lock, count=needed[lock.word]) for lock in locks]
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


def spoilt(level: Level, seed: int) -> tuple[Level, str]:
    """Return a level after a random one of `SPOILERS`, and the name of that; the level itself and "" if none applies.

    The result is often unsolvable, but not always: a key may be moved to a place where it does no harm.
    """
    luck = random.Random(seed)
    names = luck.sample(list(SPOILERS), len(SPOILERS))
    for name in names:
        changed = SPOILERS[name](level, luck)
        if changed is not None:
            return changed, name
    return level, ""


def _loose_keys(level: Level, *, consumed: bool = False) -> list[int]:
    """Return the indices of the spawns that open locks and are not locked themselves; only consumed keys if `consumed`."""
    return [
        index
        for index, each in enumerate(level.spawns)
        if "opens" in each.keywords
        and "lock" not in each.keywords
        and (not consumed or each.keywords.get("consumed") is True)
    ]


def _moved(level: Level, index: int, cell: Cell) -> Level:
    """Return the level with the spawn of this index moved to a cell."""
    spawns = list(level.spawns)
    spawns[index] = replace(spawns[index], y=cell[0], x=cell[1], cells=())
    return put(level, spawns=tuple(spawns))


def _floor_beside(level: Level, y: int, x: int) -> list[Cell]:
    """Return the free floor cells two steps away in the four directions, where a key may lie."""
    cells = [(y - 2, x), (y + 2, x), (y, x - 2), (y, x + 2)]
    taken = {cell for each in level.spawns if each.blocks for cell in each.cells}
    return [
        cell
        for cell in cells
        if 0 < cell[0] < level.height - 1
        and 0 < cell[1] < level.width - 1
        and level.walkable[cell]
        and level.base[cell] not in t.DOORS
        and cell not in taken
    ]


def _key_behind_a_lock(level: Level, luck: random.Random) -> Level | None:
    keys = _loose_keys(level)
    if not (keys and level.locks):
        return None
    lock = luck.choice(level.locks)
    cells = _floor_beside(level, lock.y, lock.x)
    return _moved(level, luck.choice(keys), luck.choice(cells)) if cells else None


def _consumed_key_elsewhere(level: Level, luck: random.Random) -> Level | None:
    keys = _loose_keys(level, consumed=True)
    taken = {cell for each in level.spawns for cell in each.cells}
    floor = [
        (y, x)
        for y, x in product(range(level.height), range(level.width))
        if level.base[y, x] == t.FLOOR and (y, x) not in taken
    ]
    return _moved(level, luck.choice(keys), luck.choice(floor)) if keys and floor else None


def _key_gone(level: Level, luck: random.Random) -> Level | None:
    keys = _loose_keys(level)
    if not keys:
        return None
    gone = luck.choice(keys)
    return put(level, spawns=tuple(each for index, each in enumerate(level.spawns) if index != gone))


def _another_word(level: Level, luck: random.Random) -> Level | None:
    doors = [each for each in level.locks if level.base[each.y, each.x] == t.LOCKED_DOOR]
    if not doors:
        return None
    changed = luck.choice(doors)
    words = sorted({each.word for each in level.locks} | {"tin"})
    locks = (replace(each, word=luck.choice(words)) if each is changed else each for each in level.locks)
    return put(level, locks=tuple(locks))


def _door_closed(level: Level, luck: random.Random) -> Level | None:
    """Return the level with a random door locked: with the word of another lock, or without a `Lock`."""
    doors = [each for each in level.connections if level.base[each.y, each.x] in (t.DOOR, t.DOORWAY)]
    if not doors:
        return None
    door, words = luck.choice(doors), sorted({each.word for each in level.locks})
    level = paint(level, door.y, door.x, t.LOCKED_DOOR)
    if words and luck.random() < 0.7:
        level = put(level, locks=(*level.locks, Lock(y=door.y, x=door.x, word=luck.choice(words))))
    return level


def _portal_turned(level: Level, luck: random.Random) -> Level | None:
    """Return the level with a random portal reversed (with its lock), made one-way, or both."""
    if not level.portals:
        return None
    index = luck.randrange(len(level.portals))
    old = level.portals[index]
    turned = replace(old, y=old.to_y, x=old.to_x, to_y=old.y, to_x=old.x)
    new = luck.choice([turned, replace(old, both=False), replace(turned, both=False)])
    locks = [
        replace(lock, y=new.y, x=new.x) if (lock.y, lock.x) == old.begin else lock for lock in level.locks
    ]
    return put(level, portals=swap(level.portals, index, **asdict(new)), locks=tuple(locks))


SPOILERS: dict[str, Callable[[Level, random.Random], Level | None]] = {
    "key behind a lock": _key_behind_a_lock,
    "key gone": _key_gone,
    "another word": _another_word,
    "consumed key elsewhere": _consumed_key_elsewhere,
    "door closed": _door_closed,
    "portal turned": _portal_turned,
}
"""Name -> a function that returns a level with spoilt locks, or None if it does not apply to the level."""


class Verdict(NamedTuple):
    """The results of the proof and of the brute-force player for one level.

    Attributes:
        agreed: Whether both results are the same.
        gets_all: Whether the best player reaches everything.
        strands: Whether the best player reaches everything, and another player may be stranded.
    """

    agreed: bool
    gets_all: bool
    strands: bool


def judged(level: Level) -> Verdict:
    """Return the results of the proof and of the brute-force player for a level."""
    moves = level.portals or any("toggle" in spawn.keywords for spawn in level.spawns)
    ends = wander(level) if moves else play(level)
    broken = {violation.rule for violation in prove(level)}
    gets_all = not ends.missed
    agreed = bool(broken & SHUT_OUT) != gets_all
    if gets_all:
        agreed = agreed and bool(broken & STRANDED) == ends.strands
    return Verdict(agreed, gets_all, gets_all and ends.strands)
