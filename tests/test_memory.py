"""What is over leaves no memory taken: searches for ways, and games."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from random import Random
from typing import TYPE_CHECKING

import esper
import pytest
from sittings import Sitting
from test_game import drawn_content

from game_demo.state.game import Game
from game_demo.state.game_map import GameMap

if TYPE_CHECKING:
    from pathlib import Path

SEARCHES = """
from resource import RUSAGE_SELF, getrusage
import numpy as np
from dungeon.grid.regions import cheapest

cost = np.ones((200, 200), np.int32)
for times in (3, 60):
    for _ in range(times):
        cheapest(cost, np.zeros_like(cost))
    print(getrusage(RUSAGE_SELF).ru_maxrss)
"""
"""Each queues 40,000 cells, most of a megabyte. Prints the most memory that there has been after a few, and after many."""

START = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]], check=True)"


def test_searches_for_ways_give_back_what_they_took() -> None:
    # The most that a process has had is at first that of whoever started it: here one that is smaller than the tests'.
    command = [sys.executable, "-c", START, SEARCHES]
    few, many = map(int, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert many < 1.2 * few


@pytest.fixture
def born(monkeypatch: pytest.MonkeyPatch) -> weakref.WeakSet[object]:
    """Know every game, and every level of one, that is still there."""
    alive: weakref.WeakSet[object] = weakref.WeakSet()
    for kind in (Game, GameMap):

        def noted(self: object, *args: object, _init: object = kind.__init__, **options: object) -> None:
            alive.add(self)
            _init(self, *args, **options)

        monkeypatch.setattr(kind, "__init__", noted)
    return alive


HALLS = (
    """
    #########
    #<..h..>#
    #.......#
    #########
    """,
    """
    #########
    #<..r..g#
    #########
    """,
)


def test_sittings_leave_no_game_behind(tmp_path: Path, born: weakref.WeakSet[object]) -> None:
    content = drawn_content(tmp_path / "data", *HALLS)
    gc.collect()
    worlds, most = {*esper.list_worlds()}, 0
    for seed in range(3):
        sitting = Sitting(content, seed, Random(seed), tmp_path / f"saves {seed}")
        for _ in range(120):
            sitting.press()
        most = max(most, len(born))
        sitting.session.keeper.close()
        del sitting
        gc.collect()
        assert not born
        assert {*esper.list_worlds()} <= worlds
    assert most
