"""What robots are about: how their states change, packs and leaders, allies, and robots that make way for the player.

`game_demo.state.minds` has the table of states. A robot in *ambush* seems idle until an item is taken or it is struck. The *leash* of a
robot is how far it follows the player from its *post*, the cell where it belongs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.hearing import hearers
from game_demo.rules.naming import as_sentence, name_of, the
from game_demo.state.components import (
    Ambush,
    Attack,
    Energy,
    Follows,
    Gun,
    Health,
    Leader,
    Mind,
    Patrol,
    Robot,
    cell_of,
)
from game_demo.state.fixtures import Captive
from game_demo.state.geometry import distance
from game_demo.state.minds import AFTER_PLAYER, COMMITTED, INERT, OUT_OF_IT, PRESSING, UNAWARE, WARY

if TYPE_CHECKING:
    from collections.abc import Collection

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell
    from game_demo.state.minds import State


# -- patrols, leaders, packs -----------------------------------------------------------------------

ABSENT: Final[frozenset[State]] = frozenset(("off", "asleep", "with you"))
"""The states in which a robot of a pack is not waited for by the others."""
AT_HEEL: Final = 2
"""A follower moves when its leader is farther away than this."""


def goal_of(robot: int) -> Cell | None:
    """Return the cell that a robot on patrol, or one that follows a leader, should go to; None if it is free to wander."""
    patrol = esper.try_component(robot, Patrol)
    if patrol is not None:
        return _next_place(patrol, cell_of(robot))
    leader = _leader_of(robot)
    if leader is None or distance(cell_of(leader), cell_of(robot)) <= AT_HEEL:
        return None
    return cell_of(leader)


def _next_place(patrol: Patrol, cell: Cell) -> Cell:
    """Return the next place of a patrol, which goes to the end of its list and back again."""
    places = [*patrol.places, *patrol.places[-2:0:-1]]
    if cell == places[patrol.at]:
        patrol.at = (patrol.at + 1) % len(places)
    return places[patrol.at]


def _leader_of(robot: int) -> int | None:
    follows = esper.try_component(robot, Follows)
    if follows is None:
        return None
    leaders = esper.get_component(Leader)
    return next((entity for entity, leader in leaders if leader.group == follows.group), None)


def pack_around(game: Game, *, asleep: bool = False) -> list[int]:
    """Return the pack hunters near the player in order of entity numbers: those awake, or with `asleep` those asleep."""
    return [robot for robot in sorted(game.map.awake) if hunts_in_pack(robot, asleep=asleep)]


def hunts_in_pack(robot: int, *, asleep: bool = False) -> bool:
    """Return whether a robot hunts in a pack and is awake, or with `asleep` is asleep."""
    mind = esper.component_for_entity(robot, Mind)
    return mind.behaviour == "swarm" and (mind.state == "asleep" if asleep else mind.state not in ABSENT)


def is_alone(game: Game, robot: int) -> bool:
    """Return whether no other pack hunter is awake near the player."""
    return all(other == robot for other in pack_around(game))


# -- changes of state ------------------------------------------------------------------------------

PATIENCE: Final[dict[State, int]] = {
    "searching": 10,
    "fleeing": 12,
    "stalking": 6,
    "calling": 3,
    "charging": 3,
    "reeling": 3,
}
"""State -> how many moves a robot stays in it, for states that end by themselves."""

BREATH: Final = PATIENCE["calling"] - 1
"""How many moves the player has after he is told that a robot will call; the robot's own first move is over then."""

TOLD: Final[dict[State, str]] = {
    "alert": "has noticed you",
    "stalking": "has noticed you, and waits for others",
    "charging": "lowers its head to charge",
    "reeling": "runs into something, and reels",
    "calling": f"has noticed you, and draws breath: it calls for help in {BREATH} moves",
    "fleeing": "runs from you",
    "off": "shuts down",
}
"""State -> what the player reads when he sees a robot turn to it."""
KNEW: Final[dict[State, str]] = TOLD | {
    "alert": "comes for you",
    "stalking": "waits for others",
    "calling": f"draws breath: it calls for help in {BREATH} moves",
}
"""The same for a robot that was after the player or called before."""


def is_dangerous(robot: int) -> bool:
    """Return whether a robot can do damage, by blows or shots."""
    return esper.component_for_entity(robot, Attack).power > 0 or esper.has_component(robot, Gun)


def means_harm(robot: int) -> bool:
    """Return whether a robot fights the player, or would if it noticed him, as far as he can tell.

    A robot in ambush looks like a harmless idle one.
    """
    mind = esper.component_for_entity(robot, Mind)
    if mind.state == "calling":
        return True
    if not is_dangerous(robot) or mind.shows in ("off", "with you", "idle"):
        return False
    return mind.state in AFTER_PLAYER or mind.manner.on_sight in AFTER_PLAYER


def may_call(robot: int) -> bool:
    """Return whether a robot calls others as soon as it notices the player, whether or not it fights itself."""
    mind = esper.component_for_entity(robot, Mind)
    return bool(mind.calls) and mind.manner.on_sight is not None and mind.state not in OUT_OF_IT


def is_harmless(robot: int) -> bool:
    """Return whether a robot neither fights nor calls others."""
    return not means_harm(robot) and not may_call(robot)


def is_enemy(robot: int) -> bool:
    """Return whether the player should beware of a robot, because it means harm, or can do damage and is after him or wary of him."""
    state = esper.component_for_entity(robot, Mind).state
    return means_harm(robot) or (is_dangerous(robot) and state in PRESSING | WARY)


def turn_to(game: Game, robot: int, state: State) -> None:
    """Set the state of a robot, and tell the player if he sees the robot."""
    mind = esper.component_for_entity(robot, Mind)
    if mind.state == state:
        return
    told = _describe_state_change(game, robot, mind.state, state)
    mind.was_seen_after &= state != "fleeing"
    mind.state, mind.patience, mind.was_told = state, PATIENCE.get(state, 0), False
    if state in AFTER_PLAYER:
        game.roused.add((game.map.level.id, robot))
    elif state in OUT_OF_IT:
        game.roused.discard((game.map.level.id, robot))
    if told is not None and game.map.sight.visible[cell_of(robot)]:
        is_aside = state == "off" or mind.is_old_news
        text = f"The {name_of(robot)} {told}."
        if mind.manner.on_sight == "fleeing" and state == "fleeing":
            is_aside |= text in game.read  # of another robot of that name, which always runs, too
            game.read.add(text)
        if state in AFTER_PLAYER and game.log.has_said(text):  # of another robot of that name, this turn
            text = f"Another {name_of(robot)} {told}."
        if told != TOLD["alert"] or _is_first(mind, told):
            game.log.say(text, "aside" if is_aside else "find", merged=mind.is_old_news)
        mind.was_seen_off |= state == "fleeing"
        mind.was_seen_after |= state in AFTER_PLAYER
        if state in AFTER_PLAYER and game.body.sneaks:
            game.body.sneaks = False
            game.log.say("You stop sneaking.", "aside")


def _describe_state_change(game: Game, robot: int, before: State, after: State) -> str | None:
    """Return what the player reads of a robot that changes its state, or None for nothing.

    Nothing is told of a robot beside the player that was after him and is still: it has come already.
    """
    if before not in AFTER_PLAYER:
        return TOLD.get(after)
    has_come = after == "alert" and distance(cell_of(robot), game.player_cell) <= 1
    return None if has_come else KNEW.get(after)


def _is_first(mind: Mind, told: str) -> bool:
    """Return whether the player is told this of a robot for the first time since it came in sight, and note that he is."""
    is_first = told not in mind.retold
    mind.retold.add(told)
    return is_first


def settle(game: Game, robot: int) -> None:
    """Return a robot to its resting state. If the player has seen it come after him, he is told that it gives up the chase."""
    mind = esper.component_for_entity(robot, Mind)
    mind.called, mind.aim = False, None
    if mind.was_seen_after:
        mind.was_seen_after, name = False, name_of(robot)
        is_seen = game.map.sight.visible[cell_of(robot)]
        if not is_seen or _is_first(mind, "gives up"):
            where = "" if is_seen else " somewhere"
            game.log.say(f"The {name} gives up the chase{where}.", "aside")
    turn_to(game, robot, mind.manner.rest)


def disturb(game: Game, robot: int, state: State) -> None:
    """Let a robot react to the player: it calls if that would be heard, flees if it is too damaged, else turns to `state`.

    A lone pack hunter does not wait for others. A robot that is disturbed before it has called gives up calling. A robot that
    charges or reels is not disturbed.
    """
    mind = esper.component_for_entity(robot, Mind)
    if mind.state in COMMITTED:
        return
    health = esper.component_for_entity(robot, Health)
    mind.aim = game.player_cell
    if mind.has_loot or health.hp < mind.flees_below * health.max_hp:
        state = "fleeing"
    elif state == "stalking" and is_alone(game, robot):
        state = "alert"
    if mind.state == "calling" and mind.patience > 0 and game.map.sight.visible[cell_of(robot)]:
        game.log.say(f"The {name_of(robot)} is stopped before it can call for help.", "good")
    if mind.calls and not mind.called and {*hearers(game, cell_of(robot), mind.calls)} - {robot}:
        mind.called, state = True, "calling"
    turn_to(game, robot, state)


def provoke(game: Game, robot: int) -> None:
    """Let a robot react to a blow or shot: it forgets its ambush and its leash, and fights or flees."""
    esper.try_remove_component(robot, Ambush)
    mind = esper.component_for_entity(robot, Mind)
    mind.leash = 0
    if mind.state != "off":
        disturb(game, robot, mind.manner.on_harm if is_dangerous(robot) else "fleeing")
    wake(game, robot)


def hear(game: Game, robot: int, cell: Cell) -> None:
    """Let a robot that has heard a noise go to its cell and search there."""
    mind = esper.component_for_entity(robot, Mind)
    if mind.manner.on_noise is not None:
        mind.aim = cell
        is_seen = game.map.sight.visible[cell_of(robot)]
        if mind.state not in PRESSING and is_seen and _is_first(mind, "has heard"):
            game.log.say(f"The {name_of(robot)} has heard something.", "find")
        turn_to(game, robot, mind.manner.on_noise)
        mind.patience = PATIENCE["searching"]
        wake(game, robot)


def wake(game: Game, robot: int) -> None:
    """Let a robot that was too far away to be simulated make moves again."""
    parts = esper.component_for_entity(robot, Energy), esper.component_for_entity(robot, Mind)
    game.map.awake[robot] = parts


def spring(game: Game, item: int) -> None:
    """Provoke the robots in ambush that wait for an item to be taken."""
    waiting = waiting_for(item)
    for robot in waiting:
        provoke(game, robot)
    if waiting:
        game.log.say("Something has been waiting for you to take that.", "bad")


def waiting_for(item: int) -> list[int]:
    """Return the robots in ambush that wait for an item to be taken."""
    bait = esper.try_component(item, Ambush)
    return [robot for robot, (_, ambush) in esper.get_components(Robot, Ambush) if ambush == bait]


def orphan(game: Game, leader: int) -> None:
    """Shut down the robots that obey a destroyed leader."""
    led = esper.try_component(leader, Leader)
    if led is None:
        return
    for robot, (mind, follows) in esper.get_components(Mind, Follows):
        if mind.obeys and follows.group == led.group:
            turn_to(game, robot, "off")


# -- allies ----------------------------------------------------------------------------------------


def is_ally(entity: int) -> bool:
    """Return whether an entity is a robot on the player's side."""
    mind = esper.try_component(entity, Mind)
    return mind is not None and mind.state == "with you"


def is_captive(robot: int) -> bool:
    """Return whether a robot is held fast, and the player can free it."""
    return esper.has_component(robot, Captive) and esper.component_for_entity(robot, Mind).is_unaware


def is_foe(entity: int) -> bool:
    """Return whether an entity is a robot that is after the player."""
    mind = esper.try_component(entity, Mind)
    return mind is not None and mind.state in AFTER_PLAYER


def win_over(game: Game, robot: int) -> None:
    """Make a robot change sides. It leaves its ambush, its leader and its patrol."""
    for kind in (Ambush, Follows, Patrol):
        esper.try_remove_component(robot, kind)
    turn_to(game, robot, "with you")
    game.turned[name_of(robot)] += 1
    wake(game, robot)
    game.log.say(f"The {name_of(robot)} is on your side now.", "good")


def dismiss_allies(game: Game, but: Collection[int]) -> None:
    """Return the player's allies on this level, except some, to their resting states, where they stand."""
    for robot, mind in esper.get_component(Mind):
        if is_ally(robot) and robot not in but:
            mind.post = cell_of(robot)
            told = f"{as_sentence(the(robot))} stays behind, and forgets you."
            settle(game, robot)
            game.log.say(told)


# -- changing places -------------------------------------------------------------------------------


def is_peaceful(entity: int) -> bool:
    """Return whether walking into an entity does not strike it: an ally, or a robot that means no harm and is not aware of the player."""
    mind = esper.try_component(entity, Mind)
    if mind is None:
        return False
    return is_ally(entity) or (mind.state in UNAWARE - PRESSING and not means_harm(entity))


def passes(entity: int) -> bool:
    """Return whether an entity is a robot that changes places with the player, if there is room for it.

    Allies do, and peaceful robots that can walk; captives, sleeping and shut-down robots don't.
    """
    if not is_peaceful(entity) or is_ally(entity):
        return is_ally(entity)
    has_legs = esper.component_for_entity(entity, Energy).speed > 0
    return has_legs and not is_captive(entity) and esper.component_for_entity(entity, Mind).state not in INERT


def gives_way(game: Game, entity: int) -> bool:
    """Return whether an entity is a robot that changes places with the player now."""
    return is_peaceful(entity) and not why_not(game, entity)


def why_not(game: Game, robot: int) -> str:
    """Return why a peaceful robot does not change places with the player; empty if it does.

    A robot is not moved onto a trap, nor into a doorway with a lock, which it would block. Allies are moved into doorways, as they
    follow the player there anyway. The player is not moved onto ground that he can't walk on.
    """
    game_map, name = game.map, the(robot)
    if not passes(robot):
        deed = "frees" if is_captive(robot) else "strikes"
        return f"{as_sentence(name)} means no harm, but does not make way. (w {deed} it)"
    if game.player_cell in game_map.locks.keys() & game_map.doors.keys() and not is_ally(robot):
        return f"{as_sentence(name)} does not change places with you in a doorway: step out, so that it can pass."
    if game_map.armed_trap_at(game.player_cell) is not None:
        return f"{as_sentence(name)} does not change places with you on a trap: step off the trap, so that it can pass."
    if not game_map.walkable[cell_of(robot)]:
        return f"You can't change places with {name}: it stands on ground that you can't walk on."
    return ""


def describe_passing(robot: int) -> str:
    """Return what happens when the player walks into a peaceful robot; empty for other robots."""
    if not is_peaceful(robot):
        return ""
    until = " until it notices you" if may_call(robot) and not is_ally(robot) else ""
    if passes(robot):
        return f"lets you pass{until}"
    return "is held fast: w frees it" if is_captive(robot) else "does not make way: w strikes it"
