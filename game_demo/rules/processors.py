"""What is hidden, and how it is found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import esper

from dungeon import terrain as t
from game_demo.rules.naming import name_of, with_article
from game_demo.state.components import Hidden

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

NOTICE_CHANCE: Final = 1 / 8
"""The chance to notice something hidden that is next to one; keen eyes always do."""


class NoticeProcessor(esper.Processor):
    """Gives the player a chance to notice what is hidden nearby."""

    def process(self, game: Game) -> None:
        """Let it happen."""
        for cell in hidden_cells(game):
            if game.body.build.keen or game.rng.random() < NOTICE_CHANCE:
                reveal(game, cell, by="notice")


def hidden_cells(game: Game) -> list[Cell]:
    """Return the cells next to the player, and the player's own, that hide a trap or a secret door."""
    cell = game.player_cell
    if cell not in game.map.secretive:
        return []
    return [each for each in (cell, *game.map.neighbours(cell)) if _hides(game, each)]


def _hides(game: Game, cell: Cell) -> bool:
    trap = game.map.traps.get(cell)
    hidden_trap = trap is not None and esper.has_component(trap, Hidden)
    return hidden_trap or game.map.door_at(cell, t.SECRET_DOOR) is not None


def reveal(game: Game, cell: Cell, *, told: bool = True, by: Literal["find", "notice"] = "find") -> None:
    """Let the player find what a cell hides; `told`: whether he reads so, of a trap; `by`: whether he looks for it or happens to see it."""
    if game.map.door_at(cell, t.SECRET_DOOR) is not None:
        game.map.set_door(cell, is_open=False)
        game.log.say(f"You {by} a secret door!", "find")
    trap = game.map.traps.get(cell)
    if trap is not None and esper.try_remove_component(trap, Hidden) is not None:
        if told:
            game.log.say(f"You {by} {with_article(name_of(trap))}!", "find")
        game.map.changed_cells.append(cell)
