"""Fuses: what explodes hisses for a while first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.naming import name_of
from game_demo.state.entities import cell_of, cells_of
from game_demo.state.geometry import bearing_of
from game_demo.state.things.fixtures import Explosive, Fuse

if TYPE_CHECKING:
    from game_demo.state.game import Game

FUSE: Final = 4
"""So many turns after it was struck, something explodes; `CHAIN`: after something else has set it off."""
CHAIN: Final = 1


def set_off(game: Game, entity: int, turns: int = CHAIN) -> None:
    """Let something explode so many turns later, if it explodes at all and does not do so sooner."""
    if not esper.has_component(entity, Explosive):
        return
    turn = game.log.turn + turns
    fuse = esper.try_component(entity, Fuse)
    if fuse is None:
        esper.add_component(entity, Fuse(turn))
        if any(game.map.sight.visible[cell] for cell in cells_of(entity)):
            side = bearing_of(game.player_cell, cell_of(entity))  # empty for a wreck on which he stands
            where = f" to the {side}" if side else ""
            told = " begins to hiss. Get away!" if turns > CHAIN else f"{where} is about to explode!"
            game.log.say(f"The {name_of(entity)}{told}", "bad")
    else:
        fuse.turn = min(fuse.turn, turn)
