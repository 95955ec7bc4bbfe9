"""What the player's body does by itself as time passes: it takes charge, mends, and without charge wears out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.state.things.clock import TURN

if TYPE_CHECKING:
    from game_demo.state.game import Game

LOW: Final = 0.2
"""Below this share of what the battery holds, the player is warned; below `LAST` once more."""
LAST: Final = 0.1
WEAR_TURNS: Final = 8
"""With an empty battery, a hit point is lost on one turn in so many."""
MENDING_TURNS: Final = 8
"""A hit point mends on one turn in so many; `MENDING`: how many turns' charge it takes."""
MENDING: Final = 4


def spend(game: Game, ticks: int) -> None:
    """Take charge from the battery, and tell the player when little is left, or nothing."""
    body = game.body
    low, last, had = LOW * body.capacity, LAST * body.capacity, body.charge
    body.charge = max(body.charge - ticks, 0)
    if body.has_failed:
        game.refit()
        game.log.say("Your battery is empty! No part works, you are slow, and you lose hit points.", "bad")
    elif body.charge < last <= had:
        game.log.say(f"Your battery is nearly empty: it lasts {body.charge // TURN} more turns.", "bad")
    elif body.charge < low <= had:
        game.log.say(f"Your battery is low. {_told_of_charge(game)}", "bad")


def _told_of_charge(game: Game) -> str:
    """Return what the player reads of how he comes to charge: by what he carries, if that gives some."""
    cell = next((stack.look.name for stack in game.player.inventory if stack.effect.charge), "")
    return f"Use the {cell} (i)." if cell else "Find a cell, or walk into a cradle."


class ChargeProcessor(esper.Processor):
    """Takes the charge for the time that has passed; without any, the player wears out."""

    def process(self, game: Game) -> None:
        """Let it happen."""
        if not game.body.has_failed:
            spend(game, game.clock.elapsed * (100 + game.body.build.drain) // 100)
        elif worn := game.clock.times(WEAR_TURNS):
            game.note("worn", amount=worn)
            game.damage_player(worn, "an empty battery")


class MendingProcessor(esper.Processor):
    """Mends the player by and by, for charge."""

    def process(self, game: Game) -> None:
        """Let it happen."""
        health = game.health
        if game.is_over or game.body.has_failed or health.hp == health.max_hp:
            return
        if mended := min(game.clock.times(MENDING_TURNS), health.max_hp - health.hp):
            health.hp += mended
            spend(game, mended * MENDING * TURN)
