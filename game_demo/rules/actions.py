"""What the player can do. Whatever takes a turn lets the turn pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from dungeon import terrain as t
from game_demo.rules.naming import name_of, one_of, sentence, use_of
from game_demo.rules.processors import hidden_around, provoke, reveal
from game_demo.rules.turn import pass_turn
from game_demo.state.components import (
    Appearance,
    Debris,
    Goal,
    Health,
    Position,
    Prop,
    Robot,
    Stack,
    Tag,
    Use,
    Words,
)
from game_demo.state.entities import items_at, place_of, things_at

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Place

PACK_SIZE: Final = 26
RUN_STEPS: Final = 60
WRECK: Final = (120, 112, 104)


def step(game: Game, direction: Place) -> None:
    """Go a step; or strike, open or have a look at what is in the way."""
    floor = game.floor
    place = (game.place[0] + direction[0], game.place[1] + direction[1])
    if not floor.holds(place):
        return
    if (entity := floor.standing.get(place)) is not None:
        _bump(game, entity)
    elif floor.door_at(place):
        floor.set_door(place, is_open=True)
        game.log.say("You open the door.")
        pass_turn(game)
    elif floor.door_at(place, t.LOCKED_DOOR):
        game.log.say("The door is locked.")
    elif floor.door_at(place, t.SECRET_DOOR):
        game.log.say("The wall sounds hollow here.", "find")
        pass_turn(game)
    elif floor.walkable[place]:
        floor.move(game.hero, place)
        _tread(game, place)
        pass_turn(game)


def _tread(game: Game, place: Place) -> None:
    """Tell what is on the cell on which the player steps."""
    for entity in things_at(place):
        if esper.has_component(entity, Prop):
            game.log.say(sentence(entity))
    lying = [name_of(item) for item in items_at(place)]
    if lying:
        game.log.say(f"Here lies {', '.join(lying)}. (g takes it)", "find")


def run(game: Game, direction: Place) -> None:
    """Go on in one direction until something is worth a look."""
    for _ in range(RUN_STEPS):
        before = game.place
        said, foes = game.log.said, robots_in_sight(game)
        step(game, direction)
        passed = game.place not in game.floor.stairs and game.place not in game.floor.doors
        if game.place == before or game.log.said != said or not passed or game.is_over:
            return
        if not robots_in_sight(game) <= foes or _branches(game, before):
            return


def robots_in_sight(game: Game) -> set[int]:
    """Return the robots that the player sees."""
    visible = game.floor.sight.visible
    return {robot for robot, _ in esper.get_component(Robot) if visible[place_of(robot)]}


def _branches(game: Game, before: Place) -> bool:
    """Tell whether a way opens to the side that was not there a step ago."""
    (y, x), (from_y, from_x) = game.place, before
    sides = [(from_x - x, y - from_y), (x - from_x, from_y - y)]
    walkable, doors = game.floor.walkable, game.floor.doors
    for side_y, side_x in sides:
        now, then = (y + side_y, x + side_x), (from_y + side_y, from_x + side_x)
        if not (game.floor.holds(now) and game.floor.holds(then)):
            continue
        if (
            (walkable[now] and not walkable[then])
            or game.floor.door_at(now)
            or (now in doors and walkable[now])
        ):
            return True
    return False


def _bump(game: Game, entity: int) -> None:
    if esper.has_component(entity, Robot):
        _strike(game, entity)
        pass_turn(game)
    else:
        game.log.say(sentence(entity))


def _strike(game: Game, robot: int) -> None:
    name, health = name_of(robot), esper.component_for_entity(robot, Health)
    damage = game.luck.randint(1, max(game.blade.power, 1))
    health.now -= damage
    if health.now > 0:
        game.log.say(f"You hit the {name} for {damage}.")
        provoke(game, robot)
        return
    game.log.say(f"You destroy the {name}.", "good")
    place = place_of(robot)
    game.floor.lift(robot)
    esper.delete_entity(robot, immediate=True)
    esper.create_entity(
        Position(*place), Appearance("%", WRECK, f"wreck of {one_of(name)}"), Tag("debris", "wreck"), Debris()
    )


def wait(game: Game) -> None:
    """Let a turn pass."""
    pass_turn(game)


def search(game: Game) -> None:
    """Find what is hidden next to the player."""
    found = hidden_around(game)
    for place in found:
        reveal(game, place)
    if not found:
        game.log.say("You search, and find nothing.", "aside")
    pass_turn(game)


def shut(game: Game, direction: Place) -> None:
    """Shut the door in that direction."""
    place = (game.place[0] + direction[0], game.place[1] + direction[1])
    door = game.floor.doors.get(place)
    if door is None or not door.is_open:
        game.log.say("There is no open door.", "aside")
    elif place in game.floor.standing:
        game.log.say(f"The {name_of(game.floor.standing[place])} is in the way.")
    else:
        game.floor.set_door(place, is_open=False)
        game.log.say("You close the door.")
        pass_turn(game)


def take(game: Game) -> None:
    """Pick up what lies here."""
    items = items_at(game.place)
    if not items:
        game.log.say("Nothing lies here.", "aside")
        return
    for item in items:
        if esper.has_component(item, Goal):
            words = esper.try_component(item, Words)
            game.log.say(f"You take the {name_of(item)}! {words.text if words else ''}".rstrip(), "good")
            game.ending = "victory"
            return
        if not _put_in_pack(game, item):
            game.log.say("Your pack is full.")
            break
    pass_turn(game)


def _put_in_pack(game: Game, item: int) -> bool:
    pack = game.player.pack
    tag, look = esper.component_for_entity(item, Tag).tag, esper.component_for_entity(item, Appearance)
    use = esper.component_for_entity(item, Use)
    words = esper.try_component(item, Words)
    stack = next((each for each in pack if (each.tag, each.use) == (tag, use)), None)
    if stack is None and len(pack) >= PACK_SIZE:
        return False
    if stack is None:
        pack.append(Stack(tag, look, use))
    else:
        stack.count += 1
    game.log.say(f"You take the {look.name}.{f' {words.text}' if words else ''}", "good")
    esper.delete_entity(item, immediate=True)
    return True


def apply(game: Game, stack: Stack) -> None:
    """Use up an item of the pack."""
    name = stack.look.name
    if not use_of(stack.use):
        game.log.say(f"You can think of no use for the {name}.", "aside")
        return
    if stack.use.repair and not stack.use.power and game.health.now == game.health.full:
        game.log.say("You are not damaged.", "aside")
        return
    game.health.now = min(game.health.now + stack.use.repair, game.health.full)
    game.blade.power += stack.use.power
    game.log.say(f"You use the {name}: {use_of(stack.use)}.", "good")
    stack.count -= 1
    if stack.count == 0:
        game.player.pack = [each for each in game.player.pack if each is not stack]
    pass_turn(game)


def descend(game: Game) -> None:
    """Take the stairs down."""
    target = game.floor.exits.get(game.place)
    if target is None:
        game.log.say("There are no stairs down here.", "aside")
        return
    pass_turn(game)
    if not game.is_over:
        game.enter(target, game.floor.level.id)
        game.log.say(f"You go down to {game.title(target)}.")


def ascend(game: Game) -> None:
    """Take the stairs up."""
    if game.place != game.floor.level.entrance:
        game.log.say("There are no stairs up here.", "aside")
        return
    target = game.way_back()
    if target is None:
        game.log.say("You will not leave before you have found what you came for.")
        return
    pass_turn(game)
    if not game.is_over:
        game.enter(target, game.floor.level.id, going_up=True)
        game.log.say(f"You go up to {game.title(target)}.")
