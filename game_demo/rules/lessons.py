"""Lessons: tips about keys, each printed once a game, the first time its key is of use.

A lesson is a command, so that replays and continued games have it at the same place. Bots without a screen get none.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import esper

from dungeon import terrain as t
from game_demo.rules.naming import name_of
from game_demo.rules.paths import is_seen_trap, robots_in_sight, seen_stairs, seen_things
from game_demo.rules.turn import command
from game_demo.rules.watch import fighters_in_sight, is_near, pursuers
from game_demo.state.components import ExclusiveChoice, Gun, Item, Mind, cells_of
from game_demo.state.fixtures import Terminal
from game_demo.state.geometry import bearing_of, distance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

LessonName = Literal[
    "ram",
    "keeps",
    "shot",
    "rest",
    "mend",
    "robot",
    "charge",
    "trap",
    "terminal",
    "lock",
    "pack",
    "choice",
    "haul",
    "item",
    "fork",
    "stairs",
]


class Lesson(NamedTuple):
    """A tip, and when it is printed.

    Attributes:
        text: One line on the smallest screen. ``{where}`` stands for the direction of `place`, ``{what}`` for the thing there.
        matters: Returns whether the tip is of use now.
        place: Returns the cell that the tip is about, or None.
    """

    text: str
    matters: Callable[[Game], bool]
    place: Callable[[Game], Cell | None] = lambda _: None

    def told(self, game: Game) -> str:
        """Return the text with ``{where}`` and ``{what}`` filled in."""
        cell = self.place(game)
        side = "" if cell is None else bearing_of(game.player_cell, cell)
        thing = None if cell is None else game.map.blockers.get(cell)
        what = "" if thing is None else name_of(thing)
        return self.text.format(where=f"to the {side}" if side else "in sight", what=what)


def _locked_door(game: Game) -> Cell | None:
    """Return the nearest locked door in sight that is on the smallest screen, or None."""
    doors = (cell for cell in game.map.doors if game.map.door_at(cell, t.LOCKED_DOOR))
    return _nearest_in_sight(game, doors)


def _terminal(game: Game) -> Cell | None:
    """Return the nearest cell of a terminal in sight that is on the smallest screen, or None."""
    return _nearest_in_sight(game, chain.from_iterable(map(cells_of, seen_things(game, Terminal))))


def _nearest_in_sight(game: Game, cells: Iterable[Cell]) -> Cell | None:
    """Return the nearest cell that the player sees and that the smallest screen shows, or None."""
    shown = [cell for cell in cells if game.map.sight.visible[cell] and is_near(game, cell)]
    return min(shown, key=lambda cell: (distance(cell, game.player_cell), cell), default=None)


def _sees_trap(game: Game) -> bool:
    explored = game.map.sight.explored
    return any(explored[cell] and is_seen_trap(game, cell) for cell in game.map.traps)


def _sees_charge(game: Game) -> bool:
    return any(esper.component_for_entity(robot, Mind).state == "charging" for robot in robots_in_sight(game))


def _shooters(game: Game) -> list[int]:
    """Return the robots that are after the player and can shoot."""
    return [robot for robot in pursuers(game) if esper.has_component(robot, Gun)]


def _keeps_off(robot: int) -> bool:
    return bool(esper.component_for_entity(robot, Mind).keeps)


AMPLE: Final = 0.75
"""The tip about charge is due when less than this share is left."""

LESSONS: Final[dict[LessonName, Lesson]] = {
    "ram": Lesson(
        "A robot is about to charge: step aside, then strike it while it reels.",
        _sees_charge,
    ),
    "keeps": Lesson(
        "A robot shoots and backs off: get out of its sight, or run after it.",
        lambda game: any(map(_keeps_off, _shooters(game))),
    ),
    "shot": Lesson(
        "A robot shoots: step behind a corner, and let it come to you.",
        lambda game: not all(map(_keeps_off, _shooters(game))),
    ),
    "rest": Lesson(
        "R rests until your hit points are full or a robot comes.",
        lambda game: 2 * game.health.hp < game.health.max_hp and not fighters_in_sight(game),
    ),
    "mend": Lesson(
        "You carry something that repairs you: use it (i).",
        lambda game: (
            3 * game.health.hp < game.health.max_hp
            and any(stack.effect.repair for stack in game.player.inventory)
        ),
    ),
    "robot": Lesson(
        "Letters are robots. x tells which are hostile: walk into one to strike.",
        lambda game: bool(robots_in_sight(game)),
    ),
    "charge": Lesson(
        "Turns use charge. Use battery cells (i), or walk into charging cradles.",
        lambda game: game.body.charge < AMPLE * game.body.capacity,
    ),
    "trap": Lesson("^ is a trap: walk around it, or disarm it (w) and take it with you.", _sees_trap),
    "terminal": Lesson(
        "The {what} {where} is a terminal: press w beside it.",
        lambda game: _terminal(game) is not None,
        _terminal,
    ),
    "lock": Lesson(
        "The door {where} is locked: walk into it to read what opens it.",
        lambda game: _locked_door(game) is not None,
        _locked_door,
    ),
    "pack": Lesson(
        "i shows what you carry: press a letter there to use or fit an item.",
        lambda game: bool(game.player.inventory),
    ),
    "choice": Lesson(
        "You may take only one of the things here. Look at them (x) to compare.",
        lambda game: bool(seen_things(game, ExclusiveChoice)),
    ),
    "haul": Lesson(
        "Your haul (i) buys nothing: it only ranks games that got equally deep.",
        lambda game: bool(game.player.haul.counts),
    ),
    "item": Lesson(
        "g takes what you stand on; o walks to things and takes them.",
        lambda game: bool(seen_things(game, Item)),
    ),
    "fork": Lesson(
        "Stairs here lead to different levels: x tells where; M, Tab lists them.",
        lambda game: len({game.map.exits[cell] for cell in seen_stairs(game) & game.map.exits.keys()}) > 1,
    ),
    "stairs": Lesson(
        "> walks to stairs that lead down or onward; press > again to take them.",
        lambda game: bool(seen_stairs(game) & game.map.exits.keys()),
    ),
}
"""Name -> lesson, the most urgent first."""
URGENT: Final[tuple[LessonName, ...]] = ("ram", "keeps", "shot", "mend", "robot")
"""The lessons that are given while a robot is after the player; the others wait."""


def lesson_due(game: Game) -> LessonName | None:
    """Return the first lesson that was not given yet and is of use now; None if there is none."""
    game.resume()
    names = URGENT if pursuers(game) else LESSONS
    due = (name for name in names if name not in game.taught and LESSONS[name].matters(game))
    return next(due, None)


@command
def teach(game: Game, name: LessonName) -> None:
    """Print a lesson. It takes no time."""
    game.taught.add(name)
    game.log.say(LESSONS[name].told(game), "hint")
