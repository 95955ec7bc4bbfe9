"""How far walkers get where doors are locked: each opens once something that opens it can be reached."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from drawn import flat, rows
from walker import walk

from dungeon import Cell
from dungeon import terrain as t
from dungeon.content.prefab.drawing import DrawnKey, DrawnLock
from dungeon.content.prefab.locked_ground import LockedGround
from dungeon.extend import Board

WORDS = {"L": "brass", "K": "iron", "D": ""}
"""Locked doors, and what bars them; nothing is known to open a `D`."""

KEYS = {"b": "brass", "i": "iron", "B": "brass", "I": "iron"}
"""What opens them; nobody walks over those in upper case."""

TERRAIN_SET = t.TerrainSet()


def ground(text: str) -> tuple[LockedGround, list[str]]:
    """Return the ground of a picture, and its rows."""
    lines = rows(text)
    codes = np.full((len(lines), len(lines[0])), t.WALL, np.uint8)
    free = np.zeros(codes.shape, np.bool_)
    locks, keys = [], []
    for y, line in enumerate(lines):
        for x, char in enumerate(line):
            if char in WORDS:
                codes[y, x] = t.LOCKED_DOOR
                free[y, x] = True
                locks += [DrawnLock(y, x, WORDS[char])] if WORDS[char] else []
            elif char != "#":
                codes[y, x] = t.FLOOR
                free[y, x] = not char.isupper()
            if char in KEYS:
                keys.append(DrawnKey((Cell(y, x),), KEYS[char]))
    return LockedGround.on(Board(*codes.shape), codes, free, locks, keys, TERRAIN_SET), lines


def walked(text: str) -> str:
    """Return a picture with `*` wherever one gets from the `@`."""
    locked_ground, lines = ground(text)
    start = next((y, line.index("@")) for y, line in enumerate(lines) if "@" in line)
    reached = locked_ground.board.to_array(locked_ground.reached(locked_ground.board.from_cells([start])))
    return "\n".join(
        "".join("*" if reached[y, x] else char for x, char in enumerate(line)) for y, line in enumerate(lines)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("#@.L.#", "#**L.#", id="no key"),
        pytest.param("#@bL.#", "#****#", id="a key before the door"),
        pytest.param("#@.Lb#", "#**Lb#", id="a key behind the door"),
        pytest.param("#@iL.#", "#**L.#", id="the key of another door"),
        pytest.param("#@bLiK.D.#", "#******D.#", id="one door after the other"),
        pytest.param("#@bKiL.#", "#**KiL.#", id="each behind the other's door"),
        pytest.param(
            """
            ###B###
            #@...L.
            #######
            """,
            """
            ###B###
            #******
            #######
            """,
            id="a lever in the wall",
        ),
        pytest.param(
            """
            #####
            #@L.#
            #.#B#
            #####
            """,
            """
            #####
            #*L.#
            #*#B#
            #####
            """,
            id="a lever on the other side",
        ),
        pytest.param("#@bLL.#", "#*****#", id="two doors with one key"),
    ],
)
def test_a_door_opens_once_its_key_is_reached(text: str, expected: str) -> None:
    assert walked(text) == flat(expected)


def test_a_key_that_could_not_stand_there_is_none() -> None:
    codes = np.array([[t.FLOOR, t.STAIRS_DOWN, t.LOCKED_DOOR, t.FLOOR]], np.uint8)
    board = Board(1, 4)
    locks = [DrawnLock(0, 2, "brass"), DrawnLock(0, 3, "brass")]
    locked_ground = LockedGround.on(
        board, codes, np.ones((1, 4), np.bool_), locks, [DrawnKey((Cell(0, 1),), "brass")], TERRAIN_SET
    )
    assert board.cells(locked_ground.reached(board.from_cells([(0, 0)]))) == [(0, 0), (0, 1)]


@pytest.mark.parametrize(
    ("text", "shut"),
    [
        ("#.bL.#", []),
        ("#..L.#", [(0, 3)]),
        ("#.bL.K.#", [(0, 5)]),
        ("#..LDL.#", [(0, 3)]),
        ("#...#D#", [(0, 5)]),
    ],
)
def test_the_door_at_which_somebody_is_stopped_is_named(text: str, shut: list[tuple[int, int]]) -> None:
    locked_ground, _ = ground(text)
    assert locked_ground.board.cells(locked_ground.shut([locked_ground.board.from_cells([(0, 1)])])) == shut


def test_it_is_where_a_walk_by_hand_gets() -> None:
    opened = 0
    for seed in range(300):
        random = Random(seed)
        width, height = random.randint(2, 12), random.randint(2, 8)
        text = "\n".join("".join(random.choice("....##LKDbiBI") for _ in range(width)) for _ in range(height))
        locked_ground, lines = ground(text)
        cells = {(y, x): char for y, line in enumerate(lines) for x, char in enumerate(line)}
        clear = {cell for cell, char in cells.items() if char in ".bi"}
        locks = {cell: WORDS[char] for cell, char in cells.items() if char in "LK"}
        keys = [({cell}, KEYS[char]) for cell, char in cells.items() if char in KEYS]
        for start in sorted(clear)[:3]:
            found = walk(clear, locks, keys, start)
            assert {
                *locked_ground.board.cells(locked_ground.reached(locked_ground.board.from_cells([start])))
            } == found, text
            opened += len(found - clear)
    assert opened > 100
