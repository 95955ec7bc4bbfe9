"""The player's blows and shots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.body.life import spend
from game_demo.rules.locks import obtain
from game_demo.rules.naming import listed, name_of, with_article
from game_demo.rules.recorded import command
from game_demo.rules.robots.moods import orphan, provoke
from game_demo.rules.robots.senses import make_noise
from game_demo.rules.robots.striking import BLOW_NOISE, HITS, SHOT_NOISE, is_clear, line_of_fire
from game_demo.rules.turn import pass_turn
from game_demo.state.components import Appearance, Debris, Health, HeldBy, Mind, Position, Robot, Tag
from game_demo.state.entities import cell_of, held_by
from game_demo.state.geometry import distance
from game_demo.state.things.clock import TURN

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

SURPRISE: Final = 2
"""By so much the damage is multiplied that is done to a robot that does not know where the player is."""
NOBODY: Final = -1
"""No robot."""
WRECK: Final = (120, 112, 104)


def strike(game: Game, robot: int) -> None:
    """Strike a robot next to the player."""
    damage = game.rng.randint(1, max(game.attack.power, 1))
    _damage(game, robot, damage, "hit")
    make_noise(game, game.player_cell, BLOW_NOISE)
    pass_turn(game)


def targets(game: Game) -> list[int]:
    """Return the robots at which the player can shoot now, the nearest first; none without a gun, or charge for it."""
    gun, game_map = game.body.build.gun, game.map
    if gun is None or game.body.charge < gun.charge * TURN or not game_map.robots & game_map.sight.mask:
        return []
    game.resume()
    reached = [
        (distance(cell_of(robot), game.player_cell), robot)
        for robot, _ in esper.get_component(Robot)
        if game_map.sight.visible[cell_of(robot)]
    ]
    return [
        robot
        for steps, robot in sorted(reached)
        if steps <= gun.range and is_clear(game, line_of_fire(game.player_cell, cell_of(robot))[:-1])
    ]


@command
def fire(game: Game, robot: int) -> None:
    """Shoot at a robot, if that can be done: see `targets`."""
    gun = game.body.build.gun
    if gun is None or robot not in targets(game):
        game.log.say("You have no clear shot." if gun else "You have nothing to shoot with.", "aside")
        return
    spend(game, gun.charge * TURN)
    if game.rng.random() < HITS:
        _damage(game, robot, game.rng.randint(1, gun.power), "shoot")
    else:
        game.log.say(f"You shoot at the {name_of(robot)}, and miss.")
        provoke(game, robot)
    make_noise(game, game.player_cell, SHOT_NOISE)
    pass_turn(game)


def _damage(game: Game, robot: int, damage: int, verb: str) -> None:
    """Let a blow or a shot of the player's do its damage."""
    name, health = name_of(robot), esper.component_for_entity(robot, Health)
    surprised = esper.component_for_entity(robot, Mind).is_unaware
    damage *= SURPRISE if surprised else 1
    health.hp -= damage
    game.note("dealt", robot, damage)
    if health.hp > 0:
        unawares = ", which was not aware of you," if surprised else ""
        game.log.say(f"You {verb} the {name}{unawares} for {damage}.")
        provoke(game, robot)
    else:
        destroy(game, robot)


def destroy(game: Game, robot: int) -> None:
    """Let a robot be no more: it leaves a wreck and what it held, and opens what it was to open."""
    name, cell = name_of(robot), cell_of(robot)
    game.log.say(f"You destroy the {name}.", "good")
    game.note("destroyed", robot)
    obtain(game, robot)
    orphan(game, robot)
    _drop(game, robot, cell)
    game.map.delete(robot)
    wreck = esper.create_entity(
        Position(*cell),
        Appearance("%", WRECK, f"wreck of {with_article(name)}"),
        Tag("debris", "wreck"),
        Debris(),
    )
    game.map.lay(wreck, [cell])


def _drop(game: Game, robot: int, cell: Cell) -> None:
    """Let everything fall that a robot holds."""
    items = held_by(robot)
    for item in items:
        esper.remove_component(item, HeldBy)
        esper.add_component(item, Position(*cell))
        game.map.lay(item, [cell])
    if items:
        game.log.say(f"It drops {listed(map(name_of, items))}.", "find")
