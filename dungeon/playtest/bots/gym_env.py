"""A game as a Gymnasium environment, for your own agents. It takes the extra `gym`.

import gymnasium, dungeon
from dungeon.playtest.bots.gym_env import DungeonEnv

env = DungeonEnv(dungeon.load_content("data"), game="demo")
seen, info = env.reset(seed=1)
seen, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces

import dungeon
from dungeon.playtest.game import Action, Ground, find_game

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from dungeon import Content
    from dungeon.playtest.game import Event, Observation, Play, Start

    Seen = dict[str, Any]

RADIUS: Final = 16
"""The agent sees a square window of cells that reaches this far from the player."""
SIZE: Final = 2 * RADIUS + 1
"""Height and width of that window."""
SEEDS: Final = 2**31
"""World seeds are drawn below this number."""
MOST: Final = 255
"""Upper limit of numbers in windows, the largest uint8."""
HIGHEST: Final = 9999.0
"""Upper limit of the player's numbers."""

REWARDS: Final[Mapping[str, float]] = {
    "won": 100.0,
    "died": -10.0,
    "gained": 0.1,
    "destroyed": 0.1,
    "met": 0.2,
}
"""Event kind -> reward. The first arrival on a map adds `DEEPER`."""
DEEPER: Final = 5.0
"""Reward for the first arrival on a map."""


def usual_reward(events: Iterable[Event]) -> float:
    """Return the sum of the events' rewards in `REWARDS`."""
    return sum(REWARDS.get(event.kind, 0.0) for event in events)


class DungeonEnv(gymnasium.Env["Seen", np.int64]):
    """An environment that plays worlds of some content, a new world after each reset.

    An observation has a fixed shape for maps of any size:

    - ``ground``: (33, 33) uint8 of `dungeon.playtest.game.Ground`, with the player in the middle;
    - ``visible``: (33, 33) uint8, 1 for cells in sight;
    - ``robots``: (33, 33) uint8, hit points of the robot in sight on each cell;
    - ``danger``: (33, 33) uint8, maximum damage of that robot's blows;
    - ``things``: (33, 33) uint8, 1 for an item, 2 for a key, 3 for the goal of the game, 4 for a prop that works;
    - ``player``: (9,) float32: share of hit points left, hit points, power, depth, keys, healing items, strengthening items,
      charging items, turns of charge left.

    Actions are the numbers of `dungeon.playtest.game.Action`. ``info["action_mask"]`` is (18,) int8, 1 for legal actions;
    ``info["events"]`` lists the events of the last step.

    Args:
        content: The content of the worlds.
        game: The name of a game or the function that starts it: see `dungeon.playtest.game.find_game`.
        limit: Number of steps after which an episode is truncated.
        reward: Replaces `usual_reward` and `DEEPER`.

    Raises:
        UnknownGameError: There is no such game.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  # Gymnasium declares it so

    def __init__(
        self,
        content: Content,
        game: str | Start,
        *,
        limit: int = 10_000,
        reward: Callable[[Iterable[Event]], float] | None = None,
    ) -> None:
        self._content = content
        self._start = find_game(game) if isinstance(game, str) else game
        self._limit = limit
        self._reward = reward
        self._play: Play
        self._maps: set[str] = set()
        self._steps = 0
        window = functools.partial(spaces.Box, low=0, shape=(SIZE, SIZE), dtype=np.uint8)
        self.action_space = spaces.Discrete(len(Action))
        self.observation_space = spaces.Dict(
            {
                "ground": window(high=len(Ground) - 1),
                "visible": window(high=1),
                "robots": window(high=MOST),
                "danger": window(high=MOST),
                "things": window(high=4),
                "player": spaces.Box(0.0, HIGHEST, (9,), np.float32),
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Begin a game in a new random world; ``options["world"]`` sets the world's seed. Return observation and info."""
        super().reset(seed=seed)
        chosen = int(self.np_random.integers(SEEDS))
        world = dungeon.World(self._content, (options or {}).get("world", chosen))
        self._play = self._start(world, chosen)
        seen = self._play.observe()
        self._maps, self._steps = {seen.map_id}, 0
        return seen_from(seen), self._info(seen, [])

    def step(self, action: np.int64) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Take an action; return observation, reward, whether the game is over, whether the limit was reached, and info."""
        self._steps += 1
        events = list(self._play.act(Action(int(action))))
        seen = self._play.observe()
        reward = self._reward(events) if self._reward else usual_reward(events)
        if self._reward is None and seen.map_id not in self._maps:
            reward += DEEPER
        self._maps.add(seen.map_id)
        over = self._play.over is not None
        return (
            seen_from(seen),
            reward,
            over,
            self._steps >= self._limit and not over,
            self._info(seen, events),
        )

    def _info(self, seen: Observation, events: list[Event]) -> dict[str, Any]:
        mask = np.zeros(len(Action), np.int8)
        if self._play.over is None:
            mask[self._play.legal()] = 1
        return {"action_mask": mask, "events": events, "map_id": seen.map_id, "turn": seen.turn}


def seen_from(seen: Observation) -> Seen:
    """Convert an observation of the game to the arrays that `DungeonEnv` describes."""
    robots, danger, things = (np.zeros(seen.ground.shape, np.uint8) for _ in range(3))
    for robot in seen.robots:
        robots[robot.cell], danger[robot.cell] = min(robot.hp, MOST), min(robot.power, MOST)
    for thing in seen.things:
        things[thing.cell] = 3 if thing.goal else 4 if thing.works else 2 if thing.key else 1
    numbers = (
        seen.hp / seen.max_hp,
        seen.hp,
        seen.power,
        seen.depth,
        seen.keys,
        sum(seen.mending.values()),
        sum(seen.strengthening.values()),
        sum(seen.recharging.values()),
        seen.charge,
    )
    layers = {
        "ground": seen.ground,
        "visible": seen.visible,
        "robots": robots,
        "danger": danger,
        "things": things,
    }
    found: Seen = {name: window_of(layer, seen.cell) for name, layer in layers.items()}
    return found | {"player": np.array(numbers, np.float32).clip(0, HIGHEST)}


def window_of(layer: NDArray[Any], cell: tuple[int, int]) -> NDArray[np.uint8]:
    """Return the (33, 33) uint8 part of a map layer around `cell`; cells beyond the map are 0."""
    window = np.zeros((SIZE, SIZE), np.uint8)
    (y, x), (height, width) = cell, layer.shape
    top, left = max(y - RADIUS, 0), max(x - RADIUS, 0)
    part = layer[top : min(y + RADIUS + 1, height), left : min(x + RADIUS + 1, width)]
    down, right = top - y + RADIUS, left - x + RADIUS
    window[down : down + part.shape[0], right : right + part.shape[1]] = part
    return window
