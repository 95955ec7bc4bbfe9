"""Digging through earth and soft rock, with a tool for it. What is dug stays open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from game_demo.rules.body.life import spend
from game_demo.rules.naming import terrain_name
from game_demo.rules.robots.senses import make_noise
from game_demo.rules.works.way import Way, charge_of, noise_of
from game_demo.state.things.clock import TURN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

DIG_TURNS: Final = 8
DIG_CHARGE: Final = 12
"""The turns' charge that it takes, beyond those turns' own."""
DIG_NOISE: Final = 8
"""How many steps away digging is heard."""


def ways(game: Game, cell: Cell) -> Iterator[Way]:
    """Yield the digging of a cell, if that can be dug and lies straight ahead of the player, who has a tool for it."""
    is_ahead = cell[0] == game.player_cell[0] or cell[1] == game.player_cell[1]
    if is_ahead and game.map.may_be_broken(cell) and game.body.build.digs:
        text = f"Dig through the {terrain_name(game.map, cell)}"
        yield Way(
            "dig",
            text,
            lambda: _dig(game, cell),
            f"{charge_of(game, DIG_CHARGE, DIG_TURNS)}, {noise_of(DIG_NOISE)}",
            turns=DIG_TURNS,
        )


def _dig(game: Game, cell: Cell) -> None:
    spend(game, DIG_CHARGE * TURN)
    game.map.break_open(cell)
    game.log.say("You dig through.")
    make_noise(game, cell, DIG_NOISE)
