"""Those asleep of whom the player knows, by whom journeys do not lead if there is another way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from game_demo.rules.journeys.watch import known_sleepers
from game_demo.rules.naming import name_of
from game_demo.rules.robots.senses import DEAF
from game_demo.rules.ways import steps_from
from game_demo.state.entities import cell_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

BESIDE: Final = 4
"""What is no more steps away from a sleeping enemy is left alone."""


class Sleepers:
    """Those asleep of whom the player knows, and how near he goes to them.

    Attributes:
        names: What they are called.
    """

    def __init__(self, game: Game) -> None:
        sleepers = known_sleepers(game)
        self.names = [name_of(robot) for robot in sleepers]
        self._steps = steps_from(game, [cell_of(robot) for robot in sleepers])
        heard = 0 if game.body.sneaks else game.body.build.noise // DEAF
        self._woken = min(max(heard, 1), int(self._steps[game.player_cell]) - 1)

    def beside(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return those of some cells that are beside one of them."""
        return [cell for cell in cells if self._steps[cell] <= BESIDE]

    @property
    def around(self) -> NDArray[np.bool_]:
        """The (height, width) bool mask of all that is beside one of them."""
        return self._steps <= BESIDE

    @property
    def within_earshot(self) -> NDArray[np.bool_]:
        """The (height, width) bool mask of where steps wake one of them, but for what is no nearer to it than the player is."""
        return self._steps <= self._woken
