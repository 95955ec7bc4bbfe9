"""What makes robots turn from one state to another. `game_demo.state.things.minds` has the table of who turns to what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.naming import name_of
from game_demo.rules.robots.company import is_alone
from game_demo.state.components import (
    Ambush,
    Attack,
    Energy,
    Follows,
    Gun,
    Health,
    Leader,
    Mind,
    Robot,
)
from game_demo.state.entities import cell_of
from game_demo.state.geometry import distance
from game_demo.state.things.minds import AFTER_PLAYER, COMMITTED, OUT_OF_IT, PRESSING, WARY

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell
    from game_demo.state.things.minds import State

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
