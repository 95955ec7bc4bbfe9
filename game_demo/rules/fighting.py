"""The player's blows and shots."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.body import spend
from game_demo.rules.destruction import destroy, set_off
from game_demo.rules.moods import is_ally, is_peaceful, means_harm, provoke
from game_demo.rules.naming import name_of, terrain_name, with_article
from game_demo.rules.options import WorkOption, noise_of
from game_demo.rules.pack import spare_for
from game_demo.rules.robot_attacks import BLOW_NOISE, SHOT_NOISE, is_clear, line_of_fire
from game_demo.rules.senses import make_noise
from game_demo.rules.turn import command, pass_turn
from game_demo.state.body import HITS, TURN
from game_demo.state.components import Health, Mind, Robot, cells_of
from game_demo.state.fixtures import Explosive
from game_demo.state.geometry import NEIGHBOURS, cells_in, distance, side_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


# -- blows and shots -------------------------------------------------------------------------------

SURPRISE: Final = 2
"""The damage of a blow is multiplied by this if the robot does not know where the player is."""
ANYWHERE: Final = 9999
"""A range longer than any map, in cells."""
NOBODY: Final = -1
"""A target number that stands for no robot."""
SHOT: Final = "shot"
"""The note in `Mind.retold` that the player has shot at a robot since it came in sight."""


def strike(game: Game, robot: int) -> None:
    """Strike a robot next to the player. Takes a turn."""
    hit(game, robot)
    pass_turn(game)


def hit(game: Game, robot: int) -> None:
    """Deal the damage and make the noise of a blow at a robot next to the player."""
    power = max(game.attack.power, 1)
    damage, surprises = game.rng.randint(1, power), is_unaware(robot)
    if surprises:
        damage = max(SURPRISE * damage, power)
    _damage(game, robot, damage, "hit", surprises=surprises)
    make_noise(game, game.player_cell, BLOW_NOISE)


def targets(game: Game) -> list[int]:
    """Return the robots that the player can shoot now, nearest first, without allies; empty without a gun or its charge."""
    game_map, gun = game.map, game.body.build.gun
    in_sight = game_map.robots & game_map.sight.mask
    if gun is None or not in_sight or not _can_shoot(game):
        return []
    game.resume()
    robots = [game_map.blockers[cell] for cell in cells_in(in_sight, game_map.width)]
    return _within_reach(game, [robot for robot in robots if not is_ally(robot)], gun.range)


def marks(game: Game) -> list[int]:
    """Return everything that the player can shoot now: robots first, then explosives, each nearest first."""
    game.resume()
    gun = game.body.build.gun
    if gun is None or not _can_shoot(game):
        return []
    props = [prop for prop, _ in esper.get_component(Explosive)]
    return targets(game) + _within_reach(game, props, gun.range)


def aim_of(game: Game, entity: int) -> Cell:
    """Return the cell at which the player aims to hit an entity: of all cells that it covers the one nearest to him."""
    return min(cells_of(entity), key=lambda cell: distance(cell, game.player_cell))


def _can_shoot(game: Game) -> bool:
    gun = game.body.build.gun
    return gun is not None and game.body.charge >= gun.charge * TURN


def _why_not(game: Game, target: int) -> str:
    """Return why the player can't shoot a target. `NOBODY` stands for the nearest robot."""
    gun = game.body.build.gun
    if gun is None:
        spare = spare_for(game, "gun")
        return f"You have no gun fitted: i fits the {spare}." if spare else "You have no gun."
    if not _can_shoot(game):
        return f"A shot takes {gun.charge} charge, and you don't have that much."
    robots = [robot for robot, _ in esper.get_component(Robot) if not is_ally(robot)]
    meant = robots if target == NOBODY else [target]
    if near := _within_reach(game, meant, ANYWHERE):
        nearer = " (Tab goes nearer)" if near[0] in robots and means_harm(near[0]) else ""
        return f"The {name_of(near[0])} is too far away: the range of your gun is {gun.range}.{nearer}"
    seen = [robot for robot in meant if game.map.sight.visible[aim_of(game, robot)]]
    if not seen:
        return "There is nothing in sight to shoot at."
    nearest = min(seen, key=lambda robot: (distance(aim_of(game, robot), game.player_cell), robot))
    hindrance = hindrance_of_shot(game, nearest)
    return f"No clear shot at the {name_of(nearest)}: {hindrance} is in the way. {_way_around(game, nearest)}"


def _way_around(game: Game, target: int) -> str:
    """Return the advice to which side the player can step for a clear shot at a target, or that no step gives one."""
    y, x = game.player_cell
    sides = sorted(NEIGHBOURS, key=lambda side: abs(side[0]) + abs(side[1]))
    free = [side for side in sides if game.map.is_free((y + side[0], x + side[1]))]
    lines = {side: line_of_fire((y + side[0], x + side[1]), aim_of(game, target))[:-1] for side in free}
    clear = next((side for side in free if is_clear(game, lines[side])), None)
    return "Go around it, or move closer." if clear is None else f"Step to the {side_of(clear)}."


def hindrance_of_shot(game: Game, target: int) -> str:
    """Return the name of the first thing in the way of a shot at a target; empty if the line is clear."""
    crossed = line_of_fire(game.player_cell, aim_of(game, target))[:-1]
    cell = next((each for each in crossed if not is_clear(game, [each])), None)
    if cell is None:
        return ""
    stander = game.map.blockers.get(cell)
    if stander is None:
        return with_article(terrain_name(game.map, cell))
    if not game.map.sight.visible[cell]:
        return "something"
    if is_ally(stander):
        return f"your {name_of(stander)}"
    is_alike = name_of(stander) == name_of(target)
    return f"another {name_of(stander)}" if is_alike else with_article(name_of(stander))


def _within_reach(game: Game, entities: list[int], reach: int) -> list[int]:
    """Return the entities in sight within `reach` cells and with a clear line of fire, nearest first."""
    aims = {each: aim_of(game, each) for each in entities}
    seen = sorted(
        (distance(aim, game.player_cell), each) for each, aim in aims.items() if game.map.sight.visible[aim]
    )
    return [
        each
        for steps, each in seen
        if steps <= reach and is_clear(game, line_of_fire(game.player_cell, aims[each])[:-1])
    ]


@command
def fire(game: Game, target: int) -> None:
    """Shoot a target if it is one of `marks`; else say why that can't be done. `NOBODY` stands for the nearest robot."""
    gun = game.body.build.gun
    if gun is None or target not in marks(game):
        game.log.say(_why_not(game, target), "aside")
        return
    spend(game, gun.charge * TURN)
    is_robot = esper.has_component(target, Robot)
    if is_robot:
        esper.component_for_entity(target, Mind).retold.add(SHOT)
    if game.rng.random() >= HITS:
        game.log.say(f"You shoot at the {name_of(target)}, and miss.")
        # Only a hit stops a call.
        if is_robot and esper.component_for_entity(target, Mind).state != "calling":
            provoke(game, target)
    elif is_robot:
        _damage(game, target, game.rng.randint(1, gun.power), "shoot")
    else:
        set_off(game, target)
    make_noise(game, game.player_cell, SHOT_NOISE)
    pass_turn(game)


def by_surprise(power: int) -> tuple[int, int]:
    """Return the least and the most damage of a blow at an unaware robot: ``3 -> (3, 6)`` for power 3."""
    return power, SURPRISE * power


def is_unaware(robot: int) -> bool:
    """Return whether a robot does not know where the player is, so that a blow surprises it."""
    return esper.component_for_entity(robot, Mind).is_unaware


def _damage(game: Game, robot: int, damage: int, verb: str, *, surprises: bool = False) -> None:
    """Damage a robot by a blow or shot of the player's, and tell him.

    Args:
        game: The game.
        robot: The robot.
        damage: How many hit points.
        verb: What the player does, for the message: ``hit`` or ``shoot``.
        surprises: Whether the message says that the robot was not aware of the player.
    """
    name, health = name_of(robot), esper.component_for_entity(robot, Health)
    health.hp -= damage
    game.note("dealt", robot, damage)
    if health.hp > 0:
        told = f"You {verb} the {name} for {damage}."
        if surprises:
            told = f"You {verb} the {name}, which was not aware of you, for {damage}."
        game.log.say(told)
        provoke(game, robot)
    else:
        told = f"You destroy the {name}."
        destroy(game, robot, f"You destroy the {name}, which was not aware of you." if surprises else told)


# -- blows at harmless robots ----------------------------------------------------------------------


def blow_options(game: Game, cell: Cell) -> Iterator[WorkOption]:
    """Yield the option to strike the harmless robot at a cell, because walking into that robot would not strike it.

    There is no such option for a robot on the player's side.
    """
    robot = game.map.blockers.get(cell)
    if robot is not None and is_peaceful(robot) and not is_ally(robot):
        yield WorkOption(
            "strike",
            f"Strike the {name_of(robot)}, which means you no harm",
            partial(hit, game, robot),
            noise_of(BLOW_NOISE),
        )
