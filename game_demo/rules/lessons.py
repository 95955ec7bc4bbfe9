"""Lessons: what key is of use, told where the player can use it for the first time in a game.

Each is a command, so that a recorded game has them where they were, and one that is gone on with tells none twice. Who plays
without a screen is told none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import esper

from dungeon import terrain as t
from game_demo.rules.body.life import LOW
from game_demo.rules.journeys import fighters_in_sight
from game_demo.rules.recorded import command
from game_demo.rules.ways import is_seen_trap, robots_in_sight, seen_stairs, seen_things
from game_demo.state.components import Item, Mind
from game_demo.state.things.fixtures import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from game_demo.state.game import Game

LessonName = Literal[
    "ram",
    "rest",
    "mend",
    "robot",
    "charge",
    "trap",
    "terminal",
    "lock",
    "pack",
    "haul",
    "item",
    "fork",
    "stairs",
]


class Lesson(NamedTuple):
    """Something worth knowing: what it is, and whether it is of use now."""

    text: str
    matters: Callable[[Game], bool]


def _sees_lock(game: Game) -> bool:
    explored = game.map.sight.explored
    return any(
        explored[cell] and game.map.door_at(cell, t.LOCKED_DOOR) is not None for cell in game.map.doors
    )


def _sees_trap(game: Game) -> bool:
    explored = game.map.sight.explored
    return any(explored[cell] and is_seen_trap(game, cell) for cell in game.map.traps)


def _sees_charge(game: Game) -> bool:
    return any(esper.component_for_entity(robot, Mind).state == "charging" for robot in robots_in_sight(game))


LESSONS: Final[dict[LessonName, Lesson]] = {
    "ram": Lesson(
        "Its head is down: step out of its line, and strike it while it reels.",
        _sees_charge,
    ),
    "rest": Lesson(
        "You are hurt: R rests until you are whole, unless somebody comes.",
        lambda game: 2 * game.health.hp < game.health.max_hp and not fighters_in_sight(game),
    ),
    "mend": Lesson(
        "You are badly damaged: a applies what mends, and you have something for it.",
        lambda game: (
            3 * game.health.hp < game.health.max_hp
            and any(stack.effect.repair for stack in game.player.inventory)
        ),
    ),
    "robot": Lesson(
        "Letters are robots: x tells what one is and does; walk into it to strike.",
        lambda game: bool(robots_in_sight(game)),
    ),
    "charge": Lesson(
        "Charge is low: a applies a cell of your pack, and cradles give some if you walk into them.",
        lambda game: game.body.charge < LOW * game.body.capacity,
    ),
    "trap": Lesson("That ^ is a trap: walk around it, or w next to it disarms it.", _sees_trap),
    "terminal": Lesson(
        "There is a terminal: w next to it asks it for something, and tells the odds first.",
        lambda game: bool(seen_things(game, Terminal)),
    ),
    "lock": Lesson(
        "There is a locked door: walk into it to read what it wants; w tells whether force will do.",
        _sees_lock,
    ),
    "pack": Lesson(
        "i shows what you carry, and a letter there uses it or fits it to your body.",
        lambda game: bool(game.player.inventory),
    ),
    "haul": Lesson(
        "That goes to your haul, which i tells of: what it is worth counts when the game ends.",
        lambda game: bool(game.player.haul.counts),
    ),
    "item": Lesson(
        "Things lie about: g takes what lies under you, and o goes there and takes it.",
        lambda game: bool(seen_things(game, Item)),
    ),
    "fork": Lesson(
        "Not all stairs here lead to the same place: x on them tells where, and M Tab lists what you have seen.",
        lambda game: len({game.map.exits[cell] for cell in seen_stairs(game) & game.map.exits.keys()}) > 1,
    ),
    "stairs": Lesson(
        "You have seen stairs down: > brings you there, and > again down.",
        lambda game: bool(seen_stairs(game) & game.map.exits.keys()),
    ),
}
"""The most pressing first."""


def lesson_due(game: Game) -> LessonName | None:
    """Return what the player is to be taught now, None for nothing."""
    game.resume()
    due = (name for name, each in LESSONS.items() if name not in game.taught and each.matters(game))
    return next(due, None)


@command
def teach(game: Game, name: LessonName) -> None:
    """Let the player read a lesson; that takes no time."""
    game.taught.add(name)
    game.log.say(LESSONS[name].text, "find")
