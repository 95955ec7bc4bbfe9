"""What is over leaves no memory taken: searches for ways, and games."""

from __future__ import annotations

import gc
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
