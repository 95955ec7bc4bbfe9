"""Thefts: what robots take out of the player's pack they drop when they are destroyed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from game_demo.rules.body.pack import item_of, take_from
from game_demo.rules.naming import name_of, with_article
from game_demo.rules.robots.moods import turn_to
from game_demo.state.components import HeldBy, Inventory, Mind

if TYPE_CHECKING:
    from game_demo.state.game import Game


def steals(game: Game, robot: int) -> None:
    """Let a robot that steals, and has nothing yet, take one thing out of the player's pack, and run with it."""
    mind, pack = esper.component_for_entity(robot, Mind), game.player.inventory
    if not mind.steals or mind.has_loot or not pack:
        return
    number = game.rng.randrange(len(pack))
    item = item_of(pack[number])
    take_from(game, number)
    esper.add_component(item, HeldBy(robot))
    if (held := esper.try_component(robot, Inventory)) is not None:
        held.items.append(item)
    else:
        esper.add_component(robot, Inventory([item]))
    mind.has_loot = True
    game.log.say(f"The {name_of(robot)} takes {with_article(name_of(item))} out of your pack!", "bad")
    turn_to(game, robot, "fleeing")
