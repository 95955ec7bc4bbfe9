"""The habits of robots in words: what the player can tell of how one moves and fights, before he learns it."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.actions import SNEAKING
from game_demo.rules.naming import pluralized, speed_of
from game_demo.rules.robots.company import hunts_in_pack, is_alone, pack_around
from game_demo.rules.robots.moods import PATIENCE, means_harm
from game_demo.rules.robots.senses import DEAF
from game_demo.rules.robots.striking import BLOW_NOISE, SHOT_NOISE
from game_demo.rules.ways import robots_in_sight
from game_demo.state.components import Energy
from game_demo.state.things.clock import TURN

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
    told = {
        "stays where it is": speed == 0,
        _told_of_speed(game, robot, speed): speed != 0 and (speed != 1 or means_harm(robot)),
        MANNERISMS.get(mind.behaviour, ""): mind.behaviour in MANNERISMS,
        _told_of_pack(game, robot, mind): mind.behaviour == "swarm",
        "fights on sight": mind.manner.on_sight == "alert" and means_harm(robot),
        "charges in a straight line": mind.rams,
        f"steps back if you are nearer than {pluralized(mind.keeps, 'step')}, and shoots from farther away": mind.keeps,
        "steals from your pack and runs; destroy it to get that back": mind.steals,
        f"calls for help if {'struck' if mind.manner.on_sight is None else 'it notices you'} (heard {mind.calls} steps away)": mind.calls
        and mind.state != "calling",
        f"about to call (heard {mind.calls} steps away): a blow or a shot stops it": mind.state == "calling",
        "flees when badly hurt": mind.flees_below,
        "stays near its post unless struck": mind.leash,
        "opens doors" if mind.opens_doors else "opens no doors": speed > 0 and means_harm(robot),
    }
    return [text for text, is_so in told.items() if is_so]


def told_of_waking(game: Game) -> str:
    """Return how near the player's steps and blows wake one who is asleep; doors muffle them."""
    build = game.body.build
    noises = {
        "steps": 0 if game.body.sneaks else build.noise,
        "blows": BLOW_NOISE,
        "shots": SHOT_NOISE if build.gun else 0,
    }
    return f"woken by your {', '.join(f'{what} within {noise // DEAF}' for what, noise in noises.items() if noise >= DEAF)} cells"


def _told_of_pack(game: Game, robot: int, mind: Mind) -> str:
    """Return who else is near of the pack in which a robot hunts, and whether it waits for them, as one does not that fights already."""
    seen = robots_in_sight(game) - {robot}
    awake, asleep = (sum(hunts_in_pack(each, asleep=state) for each in seen) for state in (False, True))
    unseen = {*pack_around(game), *pack_around(game, asleep=True)} - seen - {robot}
    told = {
        f"{awake} more in sight": awake,
        f"{asleep} more asleep in sight": asleep,
        "others near, out of sight": unseen,
    }
    near = " and ".join(text for text, is_so in told.items() if is_so) or "but no other is near"
    waits = (awake or pack_around(game)) and mind.state != "alert" and not is_alone(game, robot)
    moves = f"up to {PATIENCE['stalking']} moves"
    if mind.state == "stalking":
        moves = f"{pluralized(max(mind.patience, 1), 'move')} more at most"
    patience = f"waits {moves} for its pack before it comes"
    return f"{patience if waits else 'hunts in a pack'}, {near}"


def _told_of_speed(game: Game, robot: int, speed: float) -> str:
    """Return how many steps or blows a robot makes in a turn, whether it is quicker on its feet than the player, and of a slow one when it moves next."""
    pace, own, you = round(TURN / (speed or 1)), game.body.build.pace, "you"
    if game.body.sneaks:
        own, you = round(own * SNEAKING), "you sneak"
    if pace == own:
        return f"as fast as {you}: it can't strike you while you walk away"
    number = speed_of(pace)
    moves = "step or blow" if number == "1" else "steps or blows"
    told = f"{'faster' if pace < own else 'slower'} than {you}: {number} {moves} a turn"
    turns = ceil((1 - esper.component_for_entity(robot, Energy).moves) / speed)
    return (
        f"{told}, the next in {pluralized(max(turns, 1), 'turn')}"
        if speed < 1 and means_harm(robot)
        else told
    )
