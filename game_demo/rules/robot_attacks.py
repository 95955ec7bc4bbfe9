"""How robots do harm: blows, shots, thefts and charges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper
import tcod.los

from game_demo.rules.destruction import damage_robot
from game_demo.rules.moods import is_ally, is_foe, turn_to
from game_demo.rules.naming import as_sentence, name_of, the, with_article
from game_demo.rules.pack import item_of, take_from
from game_demo.rules.senses import make_noise
from game_demo.state.body import HITS
from game_demo.state.components import Attack, Gun, HeldBy, Inventory, Mind, cell_of
from game_demo.state.geometry import distance

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


# -- blows and shots -------------------------------------------------------------------------------

BLOW_NOISE: Final = 6
"""How many steps away blows are heard."""
SHOT_NOISE: Final = 9
"""How many steps away shots are heard."""


def strikes(game: Game, robot: int) -> bool:
    """Let a robot strike an opponent next to it; return whether it did."""
    power = esper.component_for_entity(robot, Attack).power
    victim = _opponent_beside(game, robot) if power else None
    if victim is None:
        return False
    hits(game, robot, victim, "hits", power)
    if victim == game.hero:
        steals(game, robot)
    return True


def hits(game: Game, robot: int, victim: int, does: str, power: int) -> None:
    """Let a robot's blow hit an opponent for 1 to `power` damage. `does` is the verb of the message."""
    cell = cell_of(victim)
    _hurt(game, robot, victim, does, game.rng.randint(1, power))
    make_noise(game, cell, BLOW_NOISE)


def _opponent_beside(game: Game, robot: int) -> int | None:
    """Return the opponent next to a robot that it strikes: the player before his allies; None for none."""
    cell, sides_with_player = cell_of(robot), is_ally(robot)
    if not sides_with_player and distance(cell, game.player_cell) <= 1:
        return game.hero
    is_opponent = is_foe if sides_with_player else is_ally
    blockers = game.map.blockers
    beside = [blockers[near] for near in game.map.neighbours(cell) if near in blockers]
    return next(filter(is_opponent, beside), None)


def shoots(game: Game, robot: int, victim: int) -> bool:
    """Let a robot shoot a victim, if it has a gun, range and a clear line of fire; return whether it did."""
    gun = esper.try_component(robot, Gun)
    cell, aim = cell_of(robot), cell_of(victim)
    if gun is None or not can_shoot(game, robot, victim):
        return False
    if game.rng.random() < HITS:
        _hurt(game, robot, victim, "shoots", game.rng.randint(1, gun.power))
    else:
        missed = "you" if victim == game.hero else the(victim)
        game.log.say(f"{as_sentence(the(robot))} shoots, and misses {missed}.")
    make_noise(game, cell, SHOT_NOISE, aim)
    return True


def can_shoot(game: Game, robot: int, victim: int) -> bool:
    """Return whether a robot has a gun, range and a clear line of fire to a victim that is not beside it."""
    gun, cell, aim = esper.try_component(robot, Gun), cell_of(robot), cell_of(victim)
    in_range = gun is not None and 1 < distance(cell, aim) <= gun.range
    return in_range and is_clear(game, line_of_fire(cell, aim)[:-1])


def _hurt(game: Game, robot: int, victim: int, does: str, damage: int) -> None:
    """Apply the damage of a robot's blow or shot: to the player, less his armour, or to another robot."""
    if victim != game.hero:
        damage_robot(game, victim, damage, the(robot))
        return
    name, armour = name_of(robot), game.body.build.armour
    if armour:
        damage = max(damage - game.rng.randint(0, armour), 0)
    if damage:
        game.log.say(f"The {name} {does} you for {damage}.", "bad")
    else:
        game.log.say(f"The {name} {does} you, but your armour takes all the damage.")
    game.note("hurt", robot, damage)
    esper.component_for_entity(robot, Mind).was_told = False  # so that it prevents the next journey
    game.damage_player(damage, with_article(name))


def line_of_fire(start: Cell, end: Cell) -> list[Cell]:
    """Return the cells that a shot crosses, without `start` and with `end`, on Bresenham's line."""
    return [(y, x) for y, x in tcod.los.bresenham(start, end).tolist()[1:]]


def is_clear(game: Game, cells: list[Cell]) -> bool:
    """Return whether a shot can cross some cells: they are transparent and nothing stands there."""
    return all(game.map.transparent[cell] and cell not in game.map.blockers for cell in cells)


# -- thefts ----------------------------------------------------------------------------------------


def steals(game: Game, robot: int) -> None:
    """Let a thief without loot take one random thing out of the pack and flee with it."""
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


# -- charges ---------------------------------------------------------------------------------------

REACH: Final = 6
"""A robot begins a charge at most this many cells away."""
STRIDE: Final = 3
"""How many cells a charging robot runs in a move."""
FORCE: Final = 2
"""A charging robot hits with this many times its power."""


def lowers_its_head(game: Game, robot: int, mind: Mind) -> bool:
    """Let a robot begin a charge, if it sees the player in a straight free line; return whether it did."""
    if not mind.rams:
        return False
    (y, x), (to_y, to_x) = cell_of(robot), game.player_cell
    dy, dx = to_y - y, to_x - x
    steps = max(abs(dy), abs(dx))
    is_straight = dy == 0 or dx == 0 or abs(dy) == abs(dx)
    if not is_straight or not 1 < steps <= REACH:
        return False
    between = line_of_fire((y, x), (to_y, to_x))[:-1]
    if not all(game.map.is_free_for(robot, cell) for cell in between):
        return False
    mind.heading = dy // steps, dx // steps
    turn_to(game, robot, "charging")
    return True


def charges(game: Game, robot: int, mind: Mind) -> None:
    """Run straight on and ram whoever is in the way; a robot that runs into anything else reels."""
    for _ in range(STRIDE):
        y, x = cell_of(robot)
        ahead = y + mind.heading[0], x + mind.heading[1]
        other = game.map.blockers.get(ahead)
        if other is not None and (other == game.hero or is_ally(other)):
            hits(game, robot, other, "rams", FORCE * esper.component_for_entity(robot, Attack).power)
            turn_to(game, robot, "alert")
            return
        if not game.map.is_free(ahead) or ahead in game.map.stairs:
            turn_to(game, robot, "reeling")
            return
        game.map.move(robot, ahead)
    mind.patience -= 1
    if mind.patience <= 0:
        turn_to(game, robot, "alert")


def reels(game: Game, robot: int, mind: Mind) -> None:
    """Do nothing until the reeling is over."""
    mind.patience -= 1
    if mind.patience <= 0:
        turn_to(game, robot, "alert")
