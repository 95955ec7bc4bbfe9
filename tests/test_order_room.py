"""The last level of the demo resists: no way to the seal is open from the start, three can be opened, and somebody waits for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from demo import demo_content

import dungeon
from dungeon.grid.regions import FAR, distances

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from dungeon import Content, Level, Spawn

WAYS = {"clerks_door": "robot", "order_bolts": "prop", "form_one": "item"}
"""The locks of the ways in, and the kind of what opens each."""
LEAST = 80
"""So many steps it takes at least, by whichever way, from the stairs to the seal; who fights, hides or searches needs more turns."""
SEEDS = range(6)


@pytest.fixture(scope="module")
def content() -> Content:
    return demo_content()


@pytest.fixture(scope="module", params=SEEDS)
def level(request: pytest.FixtureRequest, content: Content) -> Level:
    return dungeon.World(content, request.param).level("order_room/12")


def only(spawns: Iterable[Spawn]) -> Spawn:
    (spawn,) = spawns
    return spawn


def opener(level: Level, word: str) -> Spawn:
    """Return the one thing that opens the locks of a word."""
    return only(each for each in level.spawns if each.keywords.get("opens") == word)


def steps(level: Level, opened: Collection[str], start: tuple[int, int], goal: Spawn) -> int:
    """Return how many steps lead from a cell to beside a thing, where the locks of these words are open; robots step aside."""
    ground = level.walkable.copy()
    for each in level.spawns:
        if each.kind == "prop" and each.blocks:
            ground[each.y, each.x] = False
    for lock in level.locks:
        ground[lock.y, lock.x] = lock.word in opened
    ground[start] = True
    near = np.pad(distances(ground, [start]), 1, constant_values=FAR)[
        goal.y : goal.y + 3, goal.x : goal.x + 3
    ]
    return int(min(near[1, 1], near[0, 1], near[1, 0], near[1, 2], near[2, 1]))


def test_no_way_to_the_seal_is_open_from_the_start(level: Level) -> None:
    seal = only(each for each in level.spawns if each.tag == "works_seal")
    assert {lock.word for lock in level.locks} == {*WAYS, "seal_cage"}
    assert steps(level, ["seal_cage"], level.entrance, seal) == FAR
    assert steps(level, WAYS, level.entrance, seal) == FAR


@pytest.mark.parametrize("word", WAYS)
def test_each_way_alone_leads_there_and_takes_a_while(level: Level, word: str) -> None:
    first, key = opener(level, word), opener(level, "seal_cage")
    seal = only(each for each in level.spawns if each.tag == "works_seal")
    assert first.kind == WAYS[word]
    walk = (
        steps(level, [], level.entrance, first)
        + steps(level, [word], (first.y, first.x), key)
        + steps(level, [word, "seal_cage"], (key.y, key.x), seal)
    )
    assert LEAST <= walk < FAR


def test_whoever_takes_the_key_is_awaited_and_guards_call_each_other(level: Level) -> None:
    key = opener(level, "seal_cage")
    waiting = [
        each
        for each in level.spawns
        if each.kind == "robot" and each.keywords.get("ambush") == key.keywords["ambush"]
    ]
    assert len(waiting) == 2
    guards = [each.keywords for each in level.spawns if each.keywords.get("behaviour") == "guard"]
    assert sum(isinstance(calls := each.get("calls"), int) and calls >= 10 for each in guards) >= 3
