"""Games as Gymnasium environments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from test_game import drawn_content

from dungeon.playtest.bots.gym_env import DEEPER, REWARDS, DungeonEnv, window_of
from dungeon.playtest.game import Action, Ground
from game_demo.playing import start

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def env(tmp_path: Path) -> DungeonEnv:
    content = drawn_content(
        tmp_path,
        """
        #######
        #<.s.i#
        #>....#
        #######
        """,
        """
        ####
        #<g#
        ####
        """,
    )
    return DungeonEnv(content, start, limit=50)


def test_the_environment_passes_gymnasiums_checks(env: DungeonEnv) -> None:
    check_env(env, skip_render_check=True)


def test_an_agent_sees_what_is_around_it_and_what_it_may_do(env: DungeonEnv) -> None:
    seen, info = env.reset(seed=1)
    assert seen["ground"][15:20, 15:22].tolist() == [
        [Ground.WALL] * 7,
        [Ground.WALL, *[Ground.FLOOR] * 5, Ground.WALL],
        [Ground.WALL, Ground.DOWN, *[Ground.FLOOR] * 4, Ground.WALL],
        [Ground.WALL] * 7,
        [Ground.UNKNOWN] * 7,
    ]
    assert (seen["things"][16, 18], seen["robots"][16, 20], seen["danger"].max()) == (1, 3, 0)
    assert info["action_mask"].tolist() == [0, 0, 0, 0, 1, 0, 1, 1, 1, 1, *[0] * 8]
    assert seen["player"].tolist() == [1, 30, 3, 1, 0, 0, 0, 0, 1200]


def test_an_episode_ends_with_the_game_or_at_its_limit(env: DungeonEnv) -> None:
    env.reset(seed=1)
    env.step(np.int64(Action.SOUTH))
    _, reward, _, _, info = env.step(np.int64(Action.DOWN))
    assert (reward, info["map_id"]) == (DEEPER, "m2/2")
    env.step(np.int64(Action.EAST))
    _, reward, terminated, truncated, info = env.step(np.int64(Action.TAKE))
    assert (terminated, truncated, info["action_mask"].any()) == (True, False, False)
    assert reward == REWARDS["gained"] + REWARDS["won"]
    env.reset(seed=1)
    ends = [env.step(np.int64(Action.WAIT))[2:4] for _ in range(50)]
    assert ends == [(False, False)] * 49 + [(False, True)]


def test_a_window_reaches_beyond_the_map() -> None:
    layer = np.arange(1, 7).reshape(2, 3)
    window = window_of(layer, (1, 2))
    assert window[15:18, 14:18].tolist() == [[1, 2, 3, 0], [4, 5, 6, 0], [0, 0, 0, 0]]
    assert window.sum() == layer.sum()
