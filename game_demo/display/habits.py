"""The habits of robots in words: what the player can tell of how one moves and fights, before he learns it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.naming import speed_of
from game_demo.rules.robots.company import pack_around
from game_demo.rules.robots.moods import means_harm
from game_demo.state.components import Energy
from game_demo.state.things.clock import TURN
from game_demo.state.things.fixtures import Volatile

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.things.minds import Behaviour, Mind

MANNERISMS: Final[dict[Behaviour, str]] = {
    "coward": "runs if struck",
    "caller": "runs from you",
    "mender": "mends others",
}
"""What behaviours come to that make a fight another one."""


def habits_of(game: Game, robot: int, mind: Mind) -> list[str]:
    """Return what there is to know of how a robot moves and fights, a text for each thing."""
    speed = esper.component_for_entity(robot, Energy).speed
    volatile = esper.try_component(robot, Volatile)
    told = {
        "stays where it is": speed == 0,
        f"{'slow' if speed < 1 else 'quick'}: {speed_of(round(TURN / (speed or 1)))} steps or blows a turn": speed
        not in (0, 1),
        MANNERISMS.get(mind.behaviour, ""): mind.behaviour in MANNERISMS,
        _told_of_pack(game, robot, mind): mind.behaviour == "swarm",
        "fights on sight": mind.manner.on_sight == "alert" and means_harm(robot),
        "charges in a straight line": mind.rams,
        "keeps its distance": mind.keeps,
        "steals from your pack, and runs; wrecked, it drops that": mind.steals,
        "calls for help if it notices you": mind.calls,
        "flees when badly hurt": mind.flees_below,
        "does not go far unless struck": mind.leash,
        "opens doors" if mind.opens_doors else "opens no doors": speed > 0 and means_harm(robot),
    }
    if volatile is not None:
        told[f"wrecked, it explodes for {volatile.blast.damage}, {volatile.blast.radius} cells away"] = True
    return [text for text, is_so in told.items() if is_so]


def _told_of_pack(game: Game, robot: int, mind: Mind) -> str:
    """Return who else is near of the pack in which a robot hunts, and whether it waits for them, as one does not that fights already."""
    others, asleep = (
        sum(other != robot for other in pack_around(game, asleep=state)) for state in (False, True)
    )
    told = [f"{others} more near here" if others else "", f"{asleep} more asleep near here" if asleep else ""]
    near = " and ".join(filter(None, told)) or "of which no other is near"
    waits = others and mind.state != "alert"
    return f"{'waits a while for its pack before it comes' if waits else 'hunts in a pack'}, {near}"
