"""What gets destroyed: fuses and blasts, damage to robots that is not the player's own, and the wrecks they leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper
import numpy as np

from game_demo.rules.locks import break_lock, obtain, spill
from game_demo.rules.moods import is_ally, orphan
from game_demo.rules.naming import as_sentence, listed, name_of, pluralized, the, with_article
from game_demo.rules.options import WorkOption
from game_demo.rules.senses import make_noise
from game_demo.state.components import (
    Appearance,
    Debris,
    Energy,
    EntityText,
    Health,
    Position,
    Robot,
    Tag,
    cell_of,
    cells_of,
)
from game_demo.state.fixtures import Explosive, Fuse, Volatile
from game_demo.state.geometry import bearing_of, distance
from game_demo.state.sight import field_of_view

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


# -- fuses -----------------------------------------------------------------------------------------

FUSE: Final = 4
"""How many turns after a blow something explodes."""
CHAIN: Final = 1
"""How many turns after another blast has set it off something explodes."""


def set_off(game: Game, entity: int, turns: int = CHAIN) -> None:
    """Make an explosive entity explode in `turns` turns.

    Nothing changes if the entity is not explosive, or will explode sooner already.
    """
    if not esper.has_component(entity, Explosive):
        return
    turn = game.log.turn + turns
    fuse = esper.try_component(entity, Fuse)
    if fuse is None:
        esper.add_component(entity, Fuse(turn))
        if any(game.map.sight.visible[cell] for cell in cells_of(entity)):
            side = bearing_of(game.player_cell, cell_of(entity))  # empty if he stands on it
            where = f" to the {side}" if side else ""
            told = f"The {name_of(entity)}{where} is about to explode!"
            if turns > CHAIN:
                told = f"The {name_of(entity)} begins to hiss. Get away!"
            game.log.say(told, "bad")
    else:
        fuse.turn = min(fuse.turn, turn)


# -- damage and wrecks -----------------------------------------------------------------------------

WRECK: Final = (120, 112, 104)
USELESS: Final = "What the robot carried has fallen out. Its wreck is useless, and you can walk over it."
"""The description of a wreck that does not explode."""


def damage_robot(game: Game, robot: int, damage: int, cause: str) -> None:
    """Take hit points from a robot; destroy it when none are left. The player's own blows and shots don't come here.

    Args:
        game: The game.
        robot: The robot.
        damage: How many hit points.
        cause: What hit the robot, with its article, for the message that the player reads if he sees the robot.
    """
    health = esper.component_for_entity(robot, Health)
    health.hp -= damage
    game.note("dealt", robot, damage)
    is_seen = game.map.sight.visible[cell_of(robot)]
    if health.hp <= 0:
        told = f"{as_sentence(cause)} destroys {the(robot)}." if is_seen else ""
        if is_ally(robot):
            where = "" if is_seen else " out of your sight"
            told = f"{as_sentence(cause)} destroys your {name_of(robot)}{where}."
        destroy(game, robot, told)
    elif is_seen:
        game.log.say(f"{as_sentence(cause)} hits {the(robot)} for {damage}.")


def is_beside_wreck(game: Game) -> bool:
    """Return whether a useless wreck lies on the player's cell or next to it."""
    here = game.player_cell
    things = (thing for cell in (here, *game.map.neighbours(here)) for thing in game.map.entities_at(cell))
    told = (esper.try_component(thing, EntityText) for thing in things)
    return any(each is not None and each.text == USELESS for each in told)


def destroy(game: Game, robot: int, told: str) -> None:
    """Remove a robot. It drops its items, opens the locks that open when it is destroyed, and leaves a wreck, which may explode.

    Args:
        game: The game.
        robot: The robot.
        told: The message for the player; empty for none.
    """
    name, cell = name_of(robot), cell_of(robot)
    volatile = esper.try_component(robot, Volatile)
    if told:
        game.log.say(told, "bad" if is_ally(robot) else "good")
    game.note("destroyed", robot)
    obtain(game, robot)
    orphan(game, robot)
    _drop(game, robot, cell)
    esper.component_for_entity(robot, Energy).moves = 0  # it makes no more moves this turn
    game.map.delete(robot)
    wreck = esper.create_entity(
        Position(*cell),
        Appearance("%", WRECK, f"wreck of {with_article(name)}"),
        Tag("debris", "wreck"),
        Debris(),
    )
    game.map.lay(wreck, [cell])
    if volatile is None:
        esper.add_component(wreck, EntityText(USELESS))
    else:
        esper.add_component(wreck, volatile.blast)
        set_off(game, wreck, FUSE)


def _drop(game: Game, robot: int, cell: Cell) -> None:
    """Drop all items of a robot on a cell, and tell the player if he sees the cell."""
    items = spill(game, robot, cell)
    if items and game.map.sight.visible[cell]:
        game.log.say(f"It drops {listed(map(name_of, items))}.", "find")


# -- blasts ----------------------------------------------------------------------------------------

BLAST_NOISE: Final = 25
"""How many steps away a blast is heard."""


def blast_options(game: Game, cell: Cell) -> Iterator[WorkOption]:
    """Yield the option to strike the explosive prop at a cell; nothing if there is none, or if it is about to explode already."""
    entity = game.map.blockers.get(cell)
    explosive = None if entity is None else esper.try_component(entity, Explosive)
    if entity is None or explosive is None or esper.has_component(entity, Fuse):
        return
    yield WorkOption(
        "strike",
        f"Strike the {name_of(entity)}: it explodes {FUSE} turns later",
        price=f"up to {explosive.damage} damage within {pluralized(explosive.radius, 'cell')}",
        act=lambda: set_off(game, entity, FUSE),
        question=_question(game, entity, explosive),
    )


def _question(game: Game, entity: int, explosive: Explosive) -> str:
    """Return the question before the player strikes an explosive: when it explodes, and what he would lose if he stays."""
    damage = _damage(cells_of(entity), game.player_cell, explosive.damage)
    end = ", which destroys you" if damage >= game.health.hp else ""
    lost, reach = pluralized(damage, "hit point"), pluralized(explosive.radius, "cell")
    return (
        f"If struck, the {name_of(entity)} explodes {FUSE} turns later and reaches {reach}. "
        f"If you are still here then, you lose {lost}{end}. Strike it?"
    )


def describe_blast(game: Game, entity: int) -> str:
    """Return what the blast of an explosive entity would do now: ``3 to you, 6 to a mouser, sets off a barrel``.

    Only robots and explosives that the player sees are named. The text is empty if the blast would do nothing to them and to him.
    """
    explosive, cells = esper.component_for_entity(entity, Explosive), cells_of(entity)
    reach, visible = _reach(game, cells, explosive.radius), game.map.sight.visible
    caught = [each for each in _caught(cells, reach, explosive.damage) if visible[cell_of(each[0])]]
    parts = [f"{damage} to {with_article(name_of(robot))}" for robot, damage in caught]
    if reach[game.player_cell]:
        damage = _damage(cells, game.player_cell, explosive.damage)
        parts.insert(0, f"{damage} to you")
    others = [name_of(other) for other in _explosives_in(reach & visible) if other != entity]
    return ", ".join([*parts, *([f"sets off {listed(others)}"] if others else [])])


def burning(game: Game) -> set[int]:
    """Return the entities in the player's sight that are about to explode."""
    game.resume()
    visible = game.map.sight.visible
    return {each for each, _ in esper.get_component(Fuse) if any(visible[cell] for cell in cells_of(each))}


def burns_at(game: Game, cell: Cell) -> int | None:
    """Return an entity in sight that is about to explode and whose blast reaches a cell, or None."""
    for entity in sorted(burning(game)):
        radius = esper.component_for_entity(entity, Explosive).radius
        if _reach(game, cells_of(entity), radius)[cell]:
            return entity
    return None


class FuseProcessor(esper.Processor):
    """Lets entities explode on the turns of their fuses."""

    def process(self, game: Game) -> None:
        """Let all entities explode whose turn has come, in order of entity numbers, because blasts draw random numbers."""
        for entity in sorted(each for each, fuse in esper.get_component(Fuse) if fuse.turn <= game.log.turn):
            _explode(game, entity)


def _explode(game: Game, entity: int) -> None:
    """Let an entity explode: damage all in reach of its blast, set off other explosives there, and break locks and soft walls beside it."""
    explosive = esper.component_for_entity(entity, Explosive)
    cells, name = cells_of(entity), name_of(entity)
    is_seen = any(game.map.sight.visible[cell] for cell in cells)
    game.log.say(f"The {name} explodes!" if is_seen else "Somewhere something explodes.", "bad")
    reach = _reach(game, cells, explosive.radius)
    hit = _caught(cells, reach, explosive.damage)
    if reach[game.player_cell] and (damage := _damage(cells, game.player_cell, explosive.damage)):
        game.log.say(f"The blast hits you for {damage}.", "bad")
        game.note("hurt", entity, damage)
        game.damage_player(damage, f"the blast of {with_article(name)}")
    esper.remove_component(entity, Explosive)
    for other in _explosives_in(reach):
        set_off(game, other)
    game.map.delete(entity)
    for robot, damage in hit:
        damage_robot(game, robot, damage, "the blast")
    for cell in dict.fromkeys(near for at in cells for near in game.map.neighbours(at)):
        game.map.break_open(cell)
        break_lock(game, cell)
    make_noise(game, cells[0], BLAST_NOISE)


def _explosives_in(area: NDArray[np.bool_]) -> list[int]:
    """Return the explosive entities with a cell in an area, a (height, width) bool mask."""
    return [each for each, _ in esper.get_component(Explosive) if any(area[cell] for cell in cells_of(each))]


def _reach(game: Game, cells: tuple[Cell, ...], radius: int) -> NDArray[np.bool_]:
    """Return the (height, width) bool mask of the cells that the blast of an entity on `cells` reaches in straight lines."""
    seen = radius + 1  # tcod's symmetric shadowcasting stops short of the radius that it is told
    views = [field_of_view(game.map.transparent, cell, seen) for cell in cells]
    reach: NDArray[np.bool_] = np.logical_or.reduce(views)
    return reach


def _damage(cells: tuple[Cell, ...], cell: Cell, damage: int) -> int:
    """Return the damage at a cell of the blast of an entity on `cells`: full next to them, half two cells away, a third three away."""
    return damage // max(min(distance(cell, at) for at in cells), 1)


def _caught(cells: tuple[Cell, ...], reach: NDArray[np.bool_], damage: int) -> list[tuple[int, int]]:
    """Return (robot, damage that it takes) for the robots on cells of `reach`, in order of entity numbers."""
    robots = sorted(robot for robot, _ in esper.get_component(Robot) if reach[cell_of(robot)])
    return [(robot, _damage(cells, cell_of(robot), damage)) for robot in robots]
