"""What the player can do. Whatever takes a turn lets the turn pass.

Each action is a command: it resumes its game, so that games can take turns in any order, and can be recorded. What is made of
several, such as a run, is recorded as these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from dungeon import terrain as t
from game_demo.rules.locks import cross, obtain, open_lock, work
from game_demo.rules.naming import description_of, effect_of, is_plural, listed, name_of, with_article
from game_demo.rules.processors import hidden_cells, provoke, reveal, spring
from game_demo.rules.recorded import command
from game_demo.rules.turn import pass_turn
from game_demo.state.components import (
    Appearance,
    Debris,
    Description,
    Goal,
    Health,
    HeldBy,
    Item,
    ItemEffect,
    Position,
    Prop,
    Robot,
    Stack,
    Tag,
)
from game_demo.state.entities import cell_of, held_by

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction
    from game_demo.state.log import MessageKind

INVENTORY_SIZE: Final = 26
WRECK: Final = (120, 112, 104)


@command
def step(game: Game, direction: Direction) -> None:
    """Go a step; or strike, open or have a look at what is in the way."""
    game_map = game.map
    cell = (game.player_cell[0] + direction[0], game.player_cell[1] + direction[1])
    if not game_map.in_bounds(cell):
        return
    if (entity := game_map.blockers.get(cell)) is not None:
        _bump(game, entity)
    elif game_map.door_at(cell):
        game_map.set_door(cell, is_open=True)
        game.log.say("You open the door.", "aside")
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
    """Tell what is on the cell on which the player steps; in an aside, if he has stood there before."""
    passed = game.map.passed
    things = game.map.entities_at(cell) if cell in game.map.lying else []
    for entity in things:
        if esper.has_component(entity, Prop):
            game.log.say(description_of(entity), "aside" if entity in passed else "plain")
            work(game, entity)
    if cell in game.map.portals:
        game.log.say("It leads somewhere else. (> goes there)", "find")
    if items := [thing for thing in things if esper.has_component(thing, Item)]:
        names = [name_of(item) for item in items]
        several = len(names) > 1 or is_plural(names[0])
        verb, them = ("lie", "them") if several else ("lies", "it")
        text = f"Here {verb} {listed(names)}. (g takes {them})"
        game.log.say(text, "aside" if passed.issuperset(items) else "find")
    passed.update(things)


def _bump(game: Game, entity: int) -> None:
    if esper.has_component(entity, Robot):
        _attack(game, entity)
        pass_turn(game)
    else:
        game.log.say(description_of(entity))
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
    game.log.say(f"You destroy the {name}.", "good")
    game.note("destroyed", robot)
    obtain(game, robot)
    cell = cell_of(robot)
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


@command
def wait(game: Game) -> None:
    """Let a turn pass."""
    pass_turn(game)


@command
def search(game: Game) -> None:
    """Find what is hidden next to the player."""
    found = hidden_cells(game)
    for cell in found:
        reveal(game, cell)
    if not found:
        game.log.say("You search, and find nothing.", "aside")
    pass_turn(game)


@command
def close_door(game: Game, direction: Direction) -> None:
    """Close the door in that direction."""
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


@command
def pick_up(game: Game) -> None:
    """Pick up what lies here."""
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


@command
def apply(game: Game, number: int) -> None:
    """Use up an item of the inventory: of that stack, the first being 0."""
    stack = game.player.inventory[number]
    name = stack.look.name
    if not effect_of(stack.effect):
        game.log.say(f"You can think of no use for the {name}.", "aside")
        return
    if stack.effect.repair and not stack.effect.power and game.health.hp == game.health.max_hp:
        game.log.say("You are not damaged.", "aside")
        return
    game.health.hp = min(game.health.hp + stack.effect.repair, game.health.max_hp)
    game.attack.power += stack.effect.power
    game.log.say(f"You use the {name}: {effect_of(stack.effect)}.", "good")
    stack.count -= 1
    if stack.count == 0:
        del game.player.inventory[number]
    pass_turn(game)


@command
def descend(game: Game) -> None:
    """Take the stairs down, or the boat, or whatever else leads on from here."""
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


@command
def ascend(game: Game) -> None:
    """Take the stairs up."""
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


@command
def remark(game: Game, text: str, kind: MessageKind = "aside") -> None:
    """Let the player read something about the game that is no part of it, such as that a key means nothing."""
    game.log.say(text, kind)
