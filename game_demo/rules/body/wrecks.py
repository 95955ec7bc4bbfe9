"""Damage to robots that is not the player's own blow, and what is left of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.locks import obtain
from game_demo.rules.naming import listed, name_of, with_article
from game_demo.rules.robots.moods import orphan
from game_demo.rules.works.contents import spill
from game_demo.rules.works.fuses import FUSE, set_off
from game_demo.state.components import Appearance, Debris, Description, Energy, Health, Position, Tag
from game_demo.state.entities import cell_of
from game_demo.state.things.fixtures import Volatile

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

WRECK: Final = (120, 112, 104)
USELESS: Final = "What it held has fallen out. The rest is useless, and you can walk over it."
"""What is read of a wreck that does not explode."""


def damage_robot(game: Game, robot: int, damage: int, cause: str) -> None:
    """Take hit points from a robot that something else than the player's own blow has hit.

    Args:
        game: The game.
        robot: The robot.
        damage: How many.
        cause: What it was, as the player reads it if he sees it.
    """
    health = esper.component_for_entity(robot, Health)
    health.hp -= damage
    game.note("dealt", robot, damage)
    is_seen = game.map.sight.visible[cell_of(robot)]
    if health.hp <= 0:
        destroy(game, robot, f"The {cause} destroys the {name_of(robot)}." if is_seen else "")
    elif is_seen:
        game.log.say(f"The {cause} hits the {name_of(robot)} for {damage}.")


def is_beside_wreck(game: Game) -> bool:
    """Tell whether a wreck that is good for nothing lies where the player is, or next to that."""
    here = game.player_cell
    things = (thing for cell in (here, *game.map.neighbours(here)) for thing in game.map.entities_at(cell))
    told = (esper.try_component(thing, Description) for thing in things)
    return any(each is not None and each.text == USELESS for each in told)


def destroy(game: Game, robot: int, told: str) -> None:
    """Let a robot be no more: it leaves a wreck, which may explode, and what it held, and opens what it was to open.

    Args:
        game: The game.
        robot: The robot.
        told: What the player reads of it; empty for nothing.
    """
    name, cell = name_of(robot), cell_of(robot)
    volatile = esper.try_component(robot, Volatile)
    if told:
        game.log.say(told, "good")
    game.note("destroyed", robot)
    obtain(game, robot)
    orphan(game, robot)
    _drop(game, robot, cell)
    esper.component_for_entity(robot, Energy).moves = 0  # it may have been about to make some
    game.map.delete(robot)
    wreck = esper.create_entity(
        Position(*cell),
        Appearance("%", WRECK, f"wreck of {with_article(name)}"),
        Tag("debris", "wreck"),
        Debris(),
    )
    game.map.lay(wreck, [cell])
    if volatile is None:
        esper.add_component(wreck, Description(USELESS))
    else:
        esper.add_component(wreck, volatile.blast)
        set_off(game, wreck, FUSE)


def _drop(game: Game, robot: int, cell: Cell) -> None:
    """Let everything fall that a robot holds."""
    items = spill(game, robot, cell)
    if items and game.map.sight.visible[cell]:
        game.log.say(f"It drops {listed(map(name_of, items))}.", "find")
