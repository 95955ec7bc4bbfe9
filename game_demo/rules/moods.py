"""What robots are about: how their states change, packs and leaders, allies, and robots that make way for the player.

`game_demo.state.minds` has the table of states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.naming import name_of
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
from game_demo.state.geometry import distance
from game_demo.state.minds import AFTER_PLAYER, COMMITTED, OUT_OF_IT, PRESSING, STANDING, UNAWARE, WARY

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell
    from game_demo.state.minds import State


# -- patrols, leaders, packs -----------------------------------------------------------------------

ABSENT: Final[frozenset[State]] = frozenset(("off", "asleep", "with you"))
"""The states of robots for whom no pack waits."""
AT_HEEL: Final = 2
"""Whoever follows a leader goes after it when it is farther away than this."""


def goal_of(robot: int) -> Cell | None:
    """Return where a robot is to go now; None if it may do as it likes."""
    patrol = esper.try_component(robot, Patrol)
    if patrol is not None:
        return _next_place(patrol, cell_of(robot))
    leader = _leader_of(robot)
    if leader is None or distance(cell_of(leader), cell_of(robot)) <= AT_HEEL:
        return None
    return cell_of(leader)


def _next_place(patrol: Patrol, cell: Cell) -> Cell:
    """Return the place to which a patrol goes from a cell: there and back again."""
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
    """Return the robots near the player that hunt in packs, and are about, or those that are asleep instead, in order."""
    return [robot for robot in sorted(game.map.awake) if hunts_in_pack(robot, asleep=asleep)]


def hunts_in_pack(robot: int, *, asleep: bool = False) -> bool:
    """Tell whether a robot is one that hunts in packs, and about, or asleep instead."""
    mind = esper.component_for_entity(robot, Mind)
    return mind.behaviour == "swarm" and (mind.state == "asleep" if asleep else mind.state not in ABSENT)


def is_alone(game: Game, robot: int) -> bool:
    """Tell whether there is nobody near for whom a robot of a pack could wait."""
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
"""For how many moves robots are about what does not last."""

BREATH: Final = PATIENCE["calling"] - 1
"""So many moves the player has, once he is told that a robot is about to call: the first of its own is over then."""

TOLD: Final[dict[State, str]] = {
    "alert": "has noticed you",
    "stalking": "has noticed you, and waits for others",
    "charging": "lowers its head to charge",
    "reeling": "runs into something, and reels",
    "calling": f"has noticed you, and draws breath: it calls for help in {BREATH} moves",
    "fleeing": "runs from you",
    "off": "shuts down",
}
"""What the player reads when he sees a robot turn to a state; `KNEW`: of one that was after him, or called for help, before."""
KNEW: Final[dict[State, str]] = TOLD | {
    "alert": "comes for you",
    "stalking": "waits for others",
    "calling": f"draws breath: it calls for help in {BREATH} moves",
}


def is_dangerous(robot: int) -> bool:
    """Tell whether a robot can do damage."""
    return esper.component_for_entity(robot, Attack).power > 0 or esper.has_component(robot, Gun)


def means_harm(robot: int) -> bool:
    """Tell whether a robot fights the player, or would if it noticed him, as far as he can see that.

    One in ambush looks as harmless as those that stand about.
    """
    mind = esper.component_for_entity(robot, Mind)
    if mind.state == "calling":
        return True
    if not is_dangerous(robot) or mind.shows in ("off", "with you", "idle"):
        return False
    return mind.state in AFTER_PLAYER or mind.manner.on_sight in AFTER_PLAYER


def may_call(robot: int) -> bool:
    """Tell whether a robot calls others to the player as soon as it notices him, whether or not it fights itself."""
    mind = esper.component_for_entity(robot, Mind)
    return bool(mind.calls) and mind.manner.on_sight is not None and mind.state not in OUT_OF_IT


def is_harmless(robot: int) -> bool:
    """Tell whether a robot neither fights nor calls others who do."""
    return not means_harm(robot) and not may_call(robot)


def is_enemy(robot: int) -> bool:
    """Tell whether a robot is one to beware of: it means harm, or could do some, and knows of the player or looks for him."""
    state = esper.component_for_entity(robot, Mind).state
    return means_harm(robot) or (is_dangerous(robot) and state in PRESSING | WARY)


def turn_to(game: Game, robot: int, state: State) -> None:
    """Let a robot be about something else; the player is told if he sees it."""
    mind = esper.component_for_entity(robot, Mind)
    if mind.state == state:
        return
    told = _told_of_turn(game, robot, mind.state, state)
    mind.state, mind.patience = state, PATIENCE.get(state, 0)
    if state in AFTER_PLAYER:
        game.roused.add((game.map.level.id, robot))
    elif state in OUT_OF_IT:
        game.roused.discard((game.map.level.id, robot))
    if told is not None and game.map.sight.visible[cell_of(robot)]:
        is_aside = state == "off" or mind.is_old_news
        text = f"The {name_of(robot)} {told}."
        if state in AFTER_PLAYER and game.log.has_said(text):  # now, of one that is called the same
            text = f"Another {name_of(robot)} {told}."
        game.log.say(text, "aside" if is_aside else "find", merged=mind.is_old_news)
        mind.was_seen_off |= state == "fleeing"
        mind.was_seen_after |= state in AFTER_PLAYER
        if state in AFTER_PLAYER and game.body.sneaks:
            game.body.sneaks = False
            game.log.say("You stop sneaking.", "aside")


def _told_of_turn(game: Game, robot: int, before: State, after: State) -> str | None:
    """Return what the player reads of a robot that turns from one state to another, None for nothing.

    Who was after him, and stands beside him, does not come for him any more.
    """
    if before not in AFTER_PLAYER:
        return TOLD.get(after)
    has_come = after == "alert" and distance(cell_of(robot), game.player_cell) <= 1
    return None if has_come else KNEW.get(after)


def settle(game: Game, robot: int) -> None:
    """Let a robot go back to what it is about while nothing disturbs it; who knew it to be after him is told."""
    mind = esper.component_for_entity(robot, Mind)
    mind.called, mind.aim = False, None
    if mind.was_seen_after:
        mind.was_seen_after, name = False, name_of(robot)
        is_seen = game.map.sight.visible[cell_of(robot)]
        game.log.say(f"The {name} gives up." if is_seen else f"You hear no more of the {name}.", "aside")
    turn_to(game, robot, mind.manner.rest)


def disturb(game: Game, robot: int, state: State) -> None:
    """Let a robot turn to what it does about the player: it calls first if it can, and runs if it is no match for him.

    One of a pack that is the last of it, or alone, waits for nobody. Who is disturbed again before it has called forgets to. Who
    charges, or reels, sees that through.
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
        game.log.say(f"The {name_of(robot)} is stopped before it can call.", "good")
    if mind.calls and not mind.called:
        mind.called, state = True, "calling"
    turn_to(game, robot, state)


def provoke(game: Game, robot: int) -> None:
    """Let a robot answer whoever has struck it: it comes as far as it takes."""
    esper.try_remove_component(robot, Ambush)
    mind = esper.component_for_entity(robot, Mind)
    mind.leash = 0
    if mind.state != "off":
        disturb(game, robot, mind.manner.on_harm if is_dangerous(robot) else "fleeing")
    wake(game, robot)


def hear(game: Game, robot: int, cell: Cell) -> None:
    """Let a robot that has heard something go and see what there is at a cell."""
    mind = esper.component_for_entity(robot, Mind)
    if mind.manner.on_noise is not None:
        mind.aim = cell
        if mind.state not in PRESSING and game.map.sight.visible[cell_of(robot)]:
            game.log.say(f"The {name_of(robot)} has heard something.", "find")
        turn_to(game, robot, mind.manner.on_noise)
        mind.patience = PATIENCE["searching"]
        wake(game, robot)


def wake(game: Game, robot: int) -> None:
    """Let a robot that was too far away to count make moves again."""
    parts = esper.component_for_entity(robot, Energy), esper.component_for_entity(robot, Mind)
    game.map.awake[robot] = parts


def spring(game: Game, item: int) -> None:
    """Let the robots come that wait for an item to be taken."""
    bait = esper.try_component(item, Ambush)
    waiting = [robot for robot, (_, ambush) in esper.get_components(Robot, Ambush) if ambush == bait]
    for robot in waiting:
        provoke(game, robot)
    if waiting:
        game.log.say("Something has been waiting for that.", "bad")


def orphan(game: Game, leader: int) -> None:
    """Let those shut down that only obey a leader who is no more."""
    led = esper.try_component(leader, Leader)
    if led is None:
        return
    for robot, (mind, follows) in esper.get_components(Mind, Follows):
        if mind.obeys and follows.group == led.group:
            turn_to(game, robot, "off")


# -- allies ----------------------------------------------------------------------------------------


def is_ally(entity: int) -> bool:
    """Tell whether an entity is a robot on the player's side."""
    mind = esper.try_component(entity, Mind)
    return mind is not None and mind.state == "with you"


def is_foe(entity: int) -> bool:
    """Tell whether an entity is a robot that is after the player."""
    mind = esper.try_component(entity, Mind)
    return mind is not None and mind.state in AFTER_PLAYER


def win_over(game: Game, robot: int) -> None:
    """Let a robot change sides: what it waited for, whom it followed and its rounds are nothing to it any more."""
    for kind in (Ambush, Follows, Patrol):
        esper.try_remove_component(robot, kind)
    turn_to(game, robot, "with you")
    game.turned[name_of(robot)] += 1
    wake(game, robot)
    game.log.say(f"The {name_of(robot)} is on your side now.", "good")


def dismiss_allies(game: Game) -> None:
    """Let the player's allies on this level be what they were, and where they are."""
    for robot, mind in esper.get_component(Mind):
        if is_ally(robot):
            mind.post = cell_of(robot)
            settle(game, robot)
            game.log.say(f"The {name_of(robot)} stays behind, and forgets you.")


# -- changing places -------------------------------------------------------------------------------


def is_peaceful(entity: int) -> bool:
    """Tell whether an entity is a robot that is not struck by walking into it: it means no harm, and does not know of the player."""
    mind = esper.try_component(entity, Mind)
    if mind is None:
        return False
    return is_ally(entity) or (mind.state in UNAWARE - PRESSING and not means_harm(entity))


def passes(entity: int) -> bool:
    """Tell whether an entity is a robot that changes places with the player where there is room for it.

    An ally does; others not if they have no legs, or are about nothing for which they need them.
    """
    if not is_peaceful(entity) or is_ally(entity):
        return is_ally(entity)
    has_legs = esper.component_for_entity(entity, Energy).speed > 0
    return has_legs and esper.component_for_entity(entity, Mind).state not in STANDING


def gives_way(game: Game, entity: int) -> bool:
    """Tell whether an entity is a robot that changes places with the player next to it."""
    return is_peaceful(entity) and not why_not(game, entity)


def why_not(game: Game, robot: int) -> str:
    """Return why a peaceful robot next to the player does not change places with him, as he reads it; empty if it does.

    It is not pushed onto a trap, nor into a door that a lever might shut, which it would keep open unless it is an ally, that
    follows him there anyway; nor is the player onto ground that he could not walk on.
    """
    game_map, name = game.map, name_of(robot)
    if not passes(robot):
        return f"The {name} means no harm, but does not make way. (w strikes it)"
    if game.player_cell in game_map.locks.keys() & game_map.doors.keys() and not is_ally(robot):
        return f"The {name} does not come into this doorway: step out of it, and let it by."
    if game_map.armed_trap_at(game.player_cell) is not None:
        return f"The {name} does not step onto the trap: step off it, and let it by."
    if not game_map.walkable[cell_of(robot)]:
        return f"You can't go where the {name} is."
    return ""


def told_of_passing(robot: int) -> str:
    """Return what walking into a robot does, if that does not strike it; else an empty text."""
    if not is_peaceful(robot):
        return ""
    until = " until it notices you" if may_call(robot) and not is_ally(robot) else ""
    return f"lets you pass{until}" if passes(robot) else "does not make way: w strikes it"
