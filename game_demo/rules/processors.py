"""What is hidden, and traps: one esper processor for each. `turn` says in which order they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from dungeon import terrain as t
from game_demo.rules.naming import name_of, with_article
from game_demo.rules.robots.senses import make_noise
from game_demo.state.components import Hidden, Trap, TrapEffect

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

NOTICE_CHANCE: Final = 1 / 8
"""The chance to notice something hidden that is next to one; keen eyes always do."""


class TrapProcessor(esper.Processor):
    """Springs the trap on which the player stands."""

    def process(self, game: Game) -> None:
        """Let it happen."""
        entity = game.map.armed_trap_at(game.player_cell)
        if entity is None:
            return
        esper.component_for_entity(entity, Trap).armed = False
        esper.try_remove_component(entity, Hidden)
        trap_effect = esper.component_for_entity(entity, TrapEffect)
        name = with_article(name_of(entity))
        game.log.say(trap_effect.message or f"You set off {name}!", "bad")
        game.note("sprung", entity, trap_effect.damage)
        game.map.changed_cells.append(game.player_cell)
        game.damage_player(trap_effect.damage, name)
        make_noise(game, game.player_cell, trap_effect.noise)


class NoticeProcessor(esper.Processor):
    """Gives the player a chance to notice what is hidden nearby."""

    def process(self, game: Game) -> None:
        """Let it happen."""
        for cell in hidden_cells(game):
            if game.body.build.keen or game.rng.random() < NOTICE_CHANCE:
                reveal(game, cell)


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


def reveal(game: Game, cell: Cell) -> None:
    """Let the player find what a cell hides."""
    if game.map.door_at(cell, t.SECRET_DOOR) is not None:
        game.map.set_door(cell, is_open=False)
        game.log.say("You find a secret door!", "find")
    trap = game.map.traps.get(cell)
    if trap is not None and esper.try_remove_component(trap, Hidden) is not None:
        game.log.say(f"You find {with_article(name_of(trap))}!", "find")
        game.map.changed_cells.append(cell)
