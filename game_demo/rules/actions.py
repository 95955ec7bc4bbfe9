"""What the player can do. Whatever takes a turn lets the turn pass.

Each action resumes its game, so that games can take turns in any order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from dungeon import terrain as t
from game_demo.rules.body.pack import take_from
from game_demo.rules.body.wrecks import destroy
from game_demo.rules.locks import cross, obtain, open_lock, work
from game_demo.rules.naming import description_of, effect_of, name_of
from game_demo.rules.processors import hidden_cells, provoke, reveal, spring
from game_demo.rules.turn import pass_turn
from game_demo.state.components import (
    Appearance,
    Description,
    Goal,
    Health,
    Item,
    ItemEffect,
    Prop,
    Robot,
    Stack,
    Tag,
)
from game_demo.state.entities import cell_of
from game_demo.state.things.fixtures import Explosive, Terminal

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction

INVENTORY_SIZE: Final = 26
RUN_STEPS: Final = 60


def step(game: Game, direction: Direction) -> None:
    """Go a step; or strike, open or have a look at what is in the way."""
    game.resume()
    game_map = game.map
    cell = (game.player_cell[0] + direction[0], game.player_cell[1] + direction[1])
    if not game_map.in_bounds(cell):
        return
    if (entity := game_map.blockers.get(cell)) is not None:
        _bump(game, entity)
    elif game_map.door_at(cell):
        game_map.set_door(cell, is_open=True)
        game.log.say("You open the door.")
        pass_turn(game)
    elif game_map.door_at(cell, t.LOCKED_DOOR):
        if open_lock(game, cell):
            pass_turn(game)
    elif game_map.door_at(cell, t.SECRET_DOOR):
        game.log.say("The wall sounds hollow here.", "find")
        pass_turn(game)
    elif game_map.walkable[cell]:
        game_map.move(game.hero, cell)
        _describe_cell(game, cell)
        pass_turn(game)


def _describe_cell(game: Game, cell: Cell) -> None:
    """Tell what is on the cell on which the player steps."""
    things = game.map.entities_at(cell) if cell in game.map.lying else []
    for entity in things:
        if esper.has_component(entity, Prop):
            game.log.say(description_of(entity))
            work(game, entity)
    if cell in game.map.portals:
        game.log.say("It leads somewhere else. (> goes there)", "find")
    lying = [name_of(thing) for thing in things if esper.has_component(thing, Item)]
    if lying:
        game.log.say(f"Here lies {', '.join(lying)}. (g takes it)", "find")


def run(game: Game, direction: Direction) -> None:
    """Go on in one direction until something is worth a look."""
    game.resume()
    for _ in range(RUN_STEPS):
        before = game.player_cell
        said, foes = game.log.total, robots_in_sight(game)
        step(game, direction)
        passed = game.player_cell not in game.map.stairs and game.player_cell not in game.map.doors
        if game.player_cell == before or game.log.total != said or not passed or game.is_over:
            return
        if not robots_in_sight(game) <= foes or _branches(game, before):
            return


def robots_in_sight(game: Game) -> set[int]:
    """Return the robots that the player sees."""
    game.resume()
    visible = game.map.sight.visible
    return {robot for robot, _ in esper.get_component(Robot) if visible[cell_of(robot)]}


def _branches(game: Game, before: Cell) -> bool:
    """Tell whether a way opens to the side that was not there a step ago."""
    (y, x), (from_y, from_x) = game.player_cell, before
    sides = [(from_x - x, y - from_y), (x - from_x, from_y - y)]
    walkable, doors = game.map.walkable, game.map.doors
    for side_y, side_x in sides:
        now, then = (y + side_y, x + side_x), (from_y + side_y, from_x + side_x)
        if not (game.map.in_bounds(now) and game.map.in_bounds(then)):
            continue
        if (
            (walkable[now] and not walkable[then])
            or game.map.door_at(now)
            or (now in doors and walkable[now])
        ):
            return True
    return False


def _bump(game: Game, entity: int) -> None:
    if esper.has_component(entity, Robot):
        _attack(game, entity)
        pass_turn(game)
    else:
        game.log.say(description_of(entity))
        if esper.has_component(entity, Explosive) or esper.has_component(entity, Terminal):
            game.log.say("(w tells what can be done about it)", "aside")
        if esper.has_component(entity, Prop) and work(game, entity):
            pass_turn(game)


def _attack(game: Game, robot: int) -> None:
    name, health = name_of(robot), esper.component_for_entity(robot, Health)
    damage = game.rng.randint(1, max(game.attack.power, 1))
    health.hp -= damage
    game.note("dealt", robot, damage)
    if health.hp > 0:
        game.log.say(f"You hit the {name} for {damage}.")
        provoke(game, robot)
        return
    destroy(game, robot, f"You destroy the {name}.")


def wait(game: Game) -> None:
    """Let a turn pass."""
    game.resume()
    pass_turn(game)


def search(game: Game) -> None:
    """Find what is hidden next to the player."""
    game.resume()
    found = hidden_cells(game)
    for cell in found:
        reveal(game, cell)
    if not found:
        game.log.say("You search, and find nothing.", "aside")
    pass_turn(game)


def close_door(game: Game, direction: Direction) -> None:
    """Close the door in that direction."""
    game.resume()
    cell = (game.player_cell[0] + direction[0], game.player_cell[1] + direction[1])
    door = game.map.doors.get(cell)
    if door is None or not door.is_open:
        game.log.say("There is no open door.", "aside")
    elif cell in game.map.blockers:
        game.log.say(f"The {name_of(game.map.blockers[cell])} is in the way.")
    else:
        game.map.set_door(cell, is_open=False)
        game.log.say("You close the door.")
        pass_turn(game)


def pick_up(game: Game) -> None:
    """Pick up what lies here."""
    game.resume()
    items = game.map.items_at(game.player_cell)
    if not items:
        game.log.say("Nothing lies here.", "aside")
        return
    for item in items:
        if esper.has_component(item, Goal):
            words = esper.try_component(item, Description)
            game.log.say(f"You take the {name_of(item)}! {words.text if words else ''}".rstrip(), "good")
            game.note("gained", item)
            game.ending = "victory"
            return
        if not _add_to_inventory(game, item):
            game.log.say("Your pack is full.")
            break
    pass_turn(game)


def _add_to_inventory(game: Game, item: int) -> bool:
    inventory = game.player.inventory
    tag, look = esper.component_for_entity(item, Tag).tag, esper.component_for_entity(item, Appearance)
    effect = esper.component_for_entity(item, ItemEffect)
    words = esper.try_component(item, Description)
    stack = next((each for each in inventory if (each.tag, each.effect) == (tag, effect)), None)
    if stack is None and len(inventory) >= INVENTORY_SIZE:
        return False
    if stack is None:
        inventory.append(Stack(tag, look, effect))
    else:
        stack.count += 1
    game.log.say(f"You take the {look.name}.{f' {words.text}' if words else ''}", "good")
    game.note("gained", item)
    obtain(game, item)
    spring(game, item)
    game.map.delete(item)
    return True


def apply(game: Game, stack: Stack) -> None:
    """Use up an item of the inventory."""
    game.resume()
    name = stack.look.name
    if stack.effect.trap is not None:
        game.log.say(f"Lay the {name} next to you. (w works on what is there)", "aside")
        return
    if not effect_of(stack.effect):
        game.log.say(f"You can think of no use for the {name}.", "aside")
        return
    if stack.effect.repair and not stack.effect.power and game.health.hp == game.health.max_hp:
        game.log.say("You are not damaged.", "aside")
        return
    game.health.hp = min(game.health.hp + stack.effect.repair, game.health.max_hp)
    game.attack.power += stack.effect.power
    game.log.say(f"You use the {name}: {effect_of(stack.effect)}.", "good")
    take_from(game, game.player.inventory.index(stack))
    pass_turn(game)


def descend(game: Game) -> None:
    """Take the stairs down, or the boat, or whatever else leads on from here."""
    game.resume()
    target = game.map.exits.get(game.player_cell)
    if target is None and game.player_cell in game.map.portals:
        if cross(game):
            pass_turn(game)
        return
    if target is None:
        game.log.say("There are no stairs down here.", "aside")
        return
    pass_turn(game)
    if not game.is_over:
        game.enter(target, game.map.level.id)
        game.log.say(f"You go down to {game.title(target)}.")


def ascend(game: Game) -> None:
    """Take the stairs up."""
    game.resume()
    if game.player_cell != game.map.level.entrance:
        game.log.say("There are no stairs up here.", "aside")
        return
    target = game.map_above()
    if game.world.node(game.map.level.id).one_way:
        game.log.say("The way by which you came has closed behind you.")
        return
    if target is None:
        game.log.say("You will not leave before you have found what you came for.")
        return
    pass_turn(game)
    if not game.is_over:
        game.enter(target, game.map.level.id, going_up=True)
        game.log.say(f"You go up to {game.title(target)}.")
