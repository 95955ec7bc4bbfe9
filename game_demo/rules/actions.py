"""The player's actions: step, search, close a door, pick up, apply, drop, sneak, take stairs. An action that costs time passes the turn.

Each action is a `command`, so it is recorded and can be replayed. Longer things, such as a run, are recorded as the actions
they consist of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from dungeon import terrain as t
from game_demo.rules.fighting import strike
from game_demo.rules.fitting import charge_at, fit, gain
from game_demo.rules.forcing import open_by_hand
from game_demo.rules.leftovers import is_sign
from game_demo.rules.locks import (
    bring_openers,
    cross,
    description_of,
    keys_of_use,
    locked_prop_at,
    open_lock,
    work,
)
from game_demo.rules.moods import dismiss_allies, is_enemy, is_peaceful, why_not
from game_demo.rules.naming import (
    as_sentence,
    describe_destination,
    effect_of,
    is_plural,
    listed,
    name_of,
    terrain_name,
    the,
)
from game_demo.rules.pack import describe_choice, lay_down, take, take_from, use_up
from game_demo.rules.paths import is_seen_trap, new_items_at, robots_in_sight
from game_demo.rules.pursuit import followers_of
from game_demo.rules.senses import make_noise
from game_demo.rules.traps import NOTICE_CHANCE, hidden_cells, is_found_door, reveal
from game_demo.rules.turn import command, pass_turn
from game_demo.state.components import EntityText, GoalItem, Item, Prop, Robot, cell_of, cells_of
from game_demo.state.fixtures import Explosive, Lid, Terminal
from game_demo.state.game import Arrival

if TYPE_CHECKING:
    from collections.abc import Sequence

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction
    from game_demo.state.log import MessageKind

DOOR_NOISE: Final = 4
"""How many steps away a door is heard that the player opens or closes."""
SNEAK_PACE: Final = 1.5
"""How many times as long a step takes while the player sneaks."""
SNEAKING_TIP: Final = (
    "robots don't hear you, and see you from less far away. Each step takes one and a half times as long."
)
SEARCH_TIP: Final = f"A search always finds what is hidden beside you. Without one, you notice it with {NOTICE_CHANCE:.0%} chance a turn."
"""Advice that is printed only the first time; after that a few words do."""


@command
def step(game: Game, direction: Direction) -> None:
    """Step to the next cell in a direction, or deal with what blocks that cell.

    The player changes places with a harmless robot, strikes any other robot, opens a door, and reads the text of a thing.
    """
    _go(game, direction, retells=True)


@command
def stride(game: Game, direction: Direction) -> None:
    """Step in a direction as part of a journey: as `step`, but texts that the player has read before are not printed again."""
    _go(game, direction, retells=False)


def _go(game: Game, direction: Direction, *, retells: bool) -> None:
    game_map = game.map
    cell = (game.player_cell[0] + direction[0], game.player_cell[1] + direction[1])
    if not game_map.in_bounds(cell):
        return
    entity = game_map.blockers.get(cell)
    if entity is not None and is_peaceful(entity):
        _pass(game, entity, retells=retells)
    elif entity is not None:
        _bump(game, entity)
    elif game_map.door_at(cell):
        game_map.set_door(cell, is_open=True)
        game.shut.discard((game_map.level.id, cell))
        _rattle(game, cell)
        pass_turn(game)
    elif game_map.door_at(cell, t.LOCKED_DOOR):
        if open_lock(game, cell):
            pass_turn(game)
    elif game_map.door_at(cell, t.SECRET_DOOR):
        game.log.say("The wall sounds hollow here.", "find")
        pass_turn(game)
    elif game_map.walkable[cell]:
        game_map.move(game.hero, cell)
        _arrive(game, cell, retells=retells)
    elif retells or game_map.transparent[cell]:  # a run into a wall stays silent
        passes = (
            "you can see and shoot through it, but not walk through it"
            if game_map.transparent[cell]
            else "you can't go there"
        )
        game.log.say(f"{as_sentence(terrain_name(game_map, cell))}: {passes}.", "aside")


def _pass(game: Game, robot: int, *, retells: bool) -> None:
    """Change places with a harmless robot, or say why it does not make way."""
    if reason := why_not(game, robot):
        game.log.say(reason)
        return
    cell = cell_of(robot)
    game.map.swap(game.hero, robot)
    if robot not in game.map.passed:  # else an ally that follows him would fill the log
        game.log.say(f"You change places with {the(robot)}.", "aside")
        game.map.passed.add(robot)
    _arrive(game, cell, retells=retells)


def _arrive(game: Game, cell: Cell, *, retells: bool) -> None:
    """Finish a step to a cell: describe the cell, make the noise of the step, and pass the time that the step takes."""
    _describe_cell(game, cell, retells=retells)
    build, sneaks = game.body.build, game.body.sneaks
    make_noise(game, cell, 0 if sneaks else build.noise)
    pass_turn(game, round(build.pace * SNEAK_PACE) if sneaks else build.pace)


def _rattle(game: Game, cell: Cell) -> None:
    """Make the noise of a door, unless the player sneaks."""
    make_noise(game, cell, 0 if game.body.sneaks else DOOR_NOISE)


def _describe_cell(game: Game, cell: Cell, *, retells: bool) -> None:
    """Print what lies on the cell that the player steps on.

    A text that he has read before is printed as a dimmed aside if `retells` is true, and else not at all.
    """
    passed = game.map.passed
    things = game.map.entities_at(cell) if cell in game.map.lying else []
    for entity in things:
        if esper.has_component(entity, Prop):
            text = description_of(game, entity)
            kind: MessageKind = "plain" if is_sign(game, entity) else "aside"
            _tell(game, text, kind, is_old=text in game.read, retells=retells)
            game.read.add(text)
            work(game, entity)
    if cell in game.map.portals:
        portal = game.map.portals[cell].kind.replace("_", " ")
        game.log.say(f"The {portal} leads to another part of the level. (> takes you there)", "find")
    if text := describe_exit(game, cell):
        _tell(game, text, "find" if retells else "aside", is_old=text in game.read, retells=retells)
        game.read.add(text)
    if items := [thing for thing in things if esper.has_component(thing, Item)]:
        _tell(game, _describe_items_here(items), "find", is_old=passed.issuperset(items), retells=retells)
    passed.update(things)


def describe_exit(game: Game, cell: Cell) -> str:
    """Return where the stairs on a cell lead and what is there; empty if there are none, or nothing is told of that level."""
    below = game.map.exits.get(cell)
    foretaste = "" if below is None else game.foretaste(below)
    return (
        f"{describe_destination(game, below)}. {foretaste} (> takes you there)" if below and foretaste else ""
    )


def _tell(game: Game, text: str, kind: MessageKind, *, is_old: bool, retells: bool) -> None:
    """Print a text about something on the player's cell.

    A text that `is_old` (read before) is printed as an aside if `retells` is true, and else not at all.
    """
    if retells or not is_old:
        game.log.say(text, "aside" if is_old else kind)


def _describe_items_here(items: Sequence[int]) -> str:
    """Return the line about items on the player's cell: ``Here lies a spanner. (g takes it)``."""
    names = [name_of(item) for item in items]
    verb, them = ("lie", "them") if len(names) > 1 or is_plural(names[0]) else ("lies", "it")
    choice = describe_choice(items)
    return f"Here {verb} {listed(names)}. (g takes {them}{choice and f'; {choice}'})"


def _bump(game: Game, entity: int) -> None:
    if esper.has_component(entity, Robot):
        strike(game, entity)
    elif items := [item for cell in cells_of(entity) for item in game.map.items_at(cell)]:
        game.log.say(description_of(game, entity))
        _take_all(game, items)
    else:
        game.log.say(description_of(game, entity))
        if esper.has_component(entity, Prop) and not charge_at(game, entity) and _opens(game, entity):
            pass_turn(game)
        elif answers(game, entity):
            told = game.log.advice("(press w to list what you can do with it)", "(w works it)")
            game.log.say(told, "aside")


def _opens(game: Game, prop: int) -> bool:
    """Open or pull a prop that needs no key, or whose key the player has; return whether that did anything."""
    return work(game, prop) or open_by_hand(game, prop)


def answers(game: Game, entity: int) -> bool:
    """Return whether an entity has options under the key `w`: explosives, lids, terminals and locked props."""
    return (
        esper.has_component(entity, Explosive)
        or esper.has_component(entity, Lid)
        or esper.has_component(entity, Terminal)
        or locked_prop_at(game, cell_of(entity)) == entity
    )


@command
def wait(game: Game) -> None:
    """Pass a turn."""
    pass_turn(game)


@command
def search(game: Game) -> None:
    """Find every trap and secret door on the player's cell and the eight cells around it. Takes a turn."""
    found, cell = hidden_cells(game), game.player_cell
    near = (cell, *game.map.neighbours(cell))
    knows_one = any(is_seen_trap(game, each) or is_found_door(game, each) for each in near)
    for each in found:
        reveal(game, each)
    if not found:
        is_clear = knows_one or game.body.build.keen
        tip = "" if is_clear else game.log.advice(f" ({SEARCH_TIP})")
        nothing = "nothing more" if knows_one else "nothing"
        game.log.say(f"You search: {nothing} is hidden beside you.{tip}", "aside")
    pass_turn(game)


@command
def close_door(game: Game, direction: Direction) -> None:
    """Close the open door in a direction, if nothing stands in it."""
    cell = (game.player_cell[0] + direction[0], game.player_cell[1] + direction[1])
    door = game.map.doors.get(cell)
    if door is None or not door.is_open:
        game.log.say("There is no open door in that direction.", "aside")
    elif cell in game.map.blockers:
        game.log.say(
            f"The door can't be closed: the {name_of(game.map.blockers[cell])} stands in the doorway."
        )
    else:
        if any(map(is_enemy, robots_in_sight(game))):
            game.shut.add((game.map.level.id, cell))
        game.map.set_door(cell, is_open=False)
        game.log.say("You close the door.")
        _rattle(game, cell)
        pass_turn(game)


@command
def pick_up(game: Game) -> None:
    """Pick up all items on the player's cell. Items that the pack has no room for stay. Those on a prop are taken by a step into it."""
    items = game.map.items_at(game.player_cell)
    if not items:
        game.log.say(_describe_cell_without_items(game), "aside")
        return
    game.log.unsay(_describe_items_here(items))
    game.log.cut(" (g takes ")  # what a box that was just opened has in it
    _take_all(game, items)


def _take_all(game: Game, items: Sequence[int]) -> None:
    """Take items from the player's cell or from a prop beside it, and pass the turn."""
    is_full = False
    for item in items:
        if not esper.entity_exists(item):  # gone, because another item of its choice was taken
            continue
        if (goal := esper.try_component(item, GoalItem)) is not None:
            words = esper.try_component(item, EntityText)
            game.log.say(f"You take the {name_of(item)}! {words.text if words else ''}".rstrip(), "good")
            game.note("gained", item)
            game.map.delete(item)
            game.ending, game.epilogue = "victory", goal.epilogue
            return
        if not take(game, item):
            is_full = True
            game.map.left.add(item)  # exploring does not come back for it
    if is_full:
        game.log.say("Your pack is full. (d drops something)")
    pass_turn(game)


def _describe_cell_without_items(game: Game) -> str:
    """Return the line about a cell without items: it names the other things that lie there, if there are any."""
    names = [*map(name_of, game.map.entities_at(game.player_cell))]
    if not names:
        return "Nothing lies here."
    verb = "are" if len(names) > 1 or is_plural(names[0]) else "is"
    return f"There {verb} {listed(names)} here, but nothing to take."


@command
def apply(game: Game, number: int) -> None:
    """Use up one item of a stack in the pack, or fit it if it is a part. `number` counts stacks from 0."""
    stack, body = game.player.inventory[number], game.body
    name, effect = stack.look.name, stack.effect
    if effect.trap is not None:
        game.log.say(f"w lays the {name} on the ground next to you.", "aside")
        return
    if effect.part is not None:
        fit(game, number, body.place_for(effect.part))
        return
    if effect.faulty and not effect.untried:
        game.log.say(f"The {name} is faulty: it does nothing.", "aside")
        return
    mends = effect.repair and game.health.hp < game.health.max_hp
    if not (effect.frame or mends or (effect.charge and body.charge < body.capacity)):
        game.log.say("Your battery is full." if effect.charge else "You are not damaged.", "aside")
        return
    effect = use_up(game, number)
    if effect.faulty:
        game.log.say(f"You use the {name}, but it is faulty: nothing happens.", "bad")
    else:
        game.log.say(f"You use the {name}: {effect_of(effect)}.", "good")
    had = game.health.hp
    game.health.max_hp += effect.frame
    game.health.hp = min(game.health.hp + effect.frame + effect.repair, game.health.max_hp)
    game.note("used", amount=game.health.hp - had, tag=stack.tag)
    gain(game, effect.charge)
    pass_turn(game)


@command
def drop(game: Game, number: int) -> None:
    """Lay down one item of a stack in the pack. `number` counts stacks from 0."""
    stack = game.player.inventory[number]
    take_from(game, number)
    lay_down(game, stack)
    game.log.say(f"You lay the {stack.look.name} down.")
    pass_turn(game)


@command
def sneak(game: Game) -> None:
    """Start or stop sneaking. That takes no time."""
    game.body.sneaks = not game.body.sneaks
    if not game.body.sneaks:
        now = "You stop sneaking."
    else:
        now = game.log.advice(f"You sneak: {SNEAKING_TIP}", "You sneak.")
    game.log.say(now, "aside")


@command
def descend(game: Game) -> None:
    """Take the stairs down, the boat, or another way on from the player's cell."""
    target = game.map.exits.get(game.player_cell)
    if target is None and game.player_cell in game.map.portals:
        if cross(game):
            pass_turn(game)
        return
    if target is None:
        game.log.say("No stairs lead down from here.", "aside")
        return
    _leave(game, target)


@command
def ascend(game: Game) -> None:
    """Take the stairs up from the player's cell."""
    target = game.map_above(game.player_cell)
    if game.world.node(game.map.level.id).one_way:
        game.log.say("The way by which you came has closed behind you.")
        return
    if game.player_cell not in game.map.ways_up:
        game.log.say("No stairs lead up from here.", "aside")
        return
    if target is None:
        game.log.say("You will not leave before you have found what you came for.")
        return
    _leave(game, target, going_up=True)


def _leave(game: Game, target: str, *, going_up: bool = False) -> None:
    """Pass a turn, then move the player to another level, unless he is destroyed during that turn."""
    pass_turn(game)
    if not game.is_over:
        if items := new_items_at(game, game.player_cell):
            game.log.say(f"You leave {listed(map(name_of, items))} lying there.")
        if keys := keys_of_use(game):
            game.log.say(f"You leave behind keys that work only on that level: {listed(keys)}.", "aside")
        followers = followers_of(game, target)
        dismiss_allies(game, followers)
        left, arrival = game.map.level, game.map.arrivals.get(game.player_cell)
        game.enter(target, left.id, going_up=going_up, arrival=arrival)
        cell = game.player_cell
        game.arrivals = [Arrival(due, robot, left.id, cell) for robot, due in followers.items()]
        below = game.map.level.depth - left.depth
        way = "go down" if below > 0 else "go up" if below < 0 else "come"
        as_deep = "" if below else ", no deeper than before"
        game.log.say(f"You {way} to {game.title(target)}{as_deep}.")
        bring_openers(game)


@command
def remark(game: Game, text: str, kind: MessageKind = "aside") -> None:
    """Print a text that tells of no event in the game, such as: that key does nothing.

    This is a command, so that a replay prints the text, too.
    """
    game.log.say(text, kind)
