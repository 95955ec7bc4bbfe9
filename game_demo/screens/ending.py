"""The box over the map at the end of a game: how it ended, advice, and the keys."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

import esper

from game_demo.display.drawing import BRIGHT, DIM, FRAME_COLUMNS, GREEN, PLAIN, RED, box, clean, cut, put
from game_demo.display.panels import draw_game, map_room, room_beside_player
from game_demo.rules.fighting import aim_of
from game_demo.rules.watch import fighters_in_sight
from game_demo.saving.morgue import tale
from game_demo.state.components import Gun
from game_demo.state.game import goal_of
from game_demo.state.geometry import distance

if TYPE_CHECKING:
    from tcod.console import Console

    from dungeon.core.vocabulary import Highlight
    from game_demo.screens.dialogs import Line
    from game_demo.state.game import Game

LATELY: Final = 60
"""For this many turns an alarm counts as what brought the robots."""
WIDTH: Final = 72
"""The highest inner width of the box."""
NEXT: Final = "Enter  a new world     r  this world again     q  leave"
BACK: Final = " m messages   M map   x look around   s games that have ended "
"""What can still be looked at, written on the frame."""
AROUND: Final = 3
"""How many rows the box takes besides its text: the frame and the keys."""


def last_blows(game: Game) -> str:
    """Return the last damage that the player took, by cause, oldest first; empty for none."""
    blows: dict[str, list[int]] = {}
    for blow in game.blows:
        blows.setdefault(blow.cause, []).append(blow.damage)
    told = ", ".join(f"{cause} {'+'.join(map(str, damages))}" for cause, damages in blows.items())
    count = game.log.turn - game.blows[0].turn + 1 if game.blows else 0
    turns = "turn" if count == 1 else f"{count} turns"
    return f"Hit points lost in the last {turns}: {told}." if told else ""


def lesson_of_death(game: Game) -> str:
    """Return one line of advice about how the player was destroyed."""
    if game.body.has_failed:
        return "Without charge you lose hit points: use battery cells and cradles in time."
    robots = fighters_in_sight(game)
    if not robots:
        return "Search (s) for traps. Get away from what hisses: it will explode."
    if game.last_alarm is not None and game.log.turn - game.last_alarm <= LATELY:
        return "Alarms bring guards: get away before they come, or leave terminals alone."
    beside = sum(distance(aim_of(game, robot), game.player_cell) <= 1 for robot in robots)
    if not beside and any(esper.has_component(robot, Gun) for robot in robots):
        return "Against robots that shoot, wait around a corner until they come close."
    if beside > 1:
        return "Don't fight several robots at once: one step behind a doorway they come one by one."
    return "Run from strong robots early, and shut a door behind you (c)."


def describe_end(game: Game, story: str, rows: int, width: int = WIDTH) -> list[Line]:
    """Return the sentences about a finished game, the most important first. Sentences that don't fit are left out.

    Args:
        game: The game.
        story: Where to read more; empty for nowhere.
        rows: The number of lines there is room for.
        width: Their width.
    """
    here, done = game.title(game.map.level.id), [(line, PLAIN) for line in tale(game)]
    if game.ending == "victory":
        won = [("You have won!", GREEN), (f"The {goal_of(game.world)} is yours.", BRIGHT)]
        told: list[Line] = [*won, *done, (story, DIM)]
    else:
        lost = (f"You were destroyed by {game.cause}. ({here})", RED)
        told = [lost, (last_blows(game), PLAIN), (lesson_of_death(game), PLAIN), (story, DIM), *done]
    told.append((f"{here}, turn {game.log.turn}, seed {game.world.seed}", DIM))
    lines: list[Line] = []
    for text, colour in told:
        wrapped = wrap(clean(text), width)
        if len(lines) + len(wrapped) <= rows:
            lines += [(line, colour) for line in wrapped]
    return lines


def draw_end(console: Console, game: Game, story: str, eye: Highlight | None) -> None:
    """Draw the map where the game ended, and over it a box with sentences about the game, and the keys.

    After a defeat the box lies above or below the player, so that he sees what is next to him. Small consoles show fewer sentences.

    Args:
        console: The console.
        game: The game.
        story: Where to read more; empty for nowhere.
        eye: What the designer's view tints; None for the player's view.
    """
    draw_game(console, game, eye=eye)
    won = game.ending == "victory"
    room = map_room(console) if won else room_beside_player(console, game)
    rows, columns = room.shape
    told = describe_end(game, story, rows - AROUND, min(WIDTH, columns - FRAME_COLUMNS))
    lines = [*told, (NEXT, BRIGHT)]
    width = max(len(BACK), *(len(text) for text, _ in lines))
    y, x, height, width = box(console, "Victory" if won else "The end", len(lines), width, room)
    for row, (text, colour) in enumerate(lines[:height]):
        put(console, y + row, x, cut(text, width), colour)
    put(console, y + height, x + (width - len(BACK)) // 2, BACK, DIM)
