"""What the player reads of a way before he goes it: it takes no time, and he goes when he presses the same key again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game_demo.rules.recorded import command
from game_demo.state.geometry import bearing_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


@command
def tell_ahead(game: Game, goal: Cell, text: str) -> None:
    """Let the player read where going on takes him, that he may think better of it; that takes no time."""
    game.ahead = game.map.level.id, goal
    game.log.say(text, "aside")


def is_agreed(game: Game, goal: Cell) -> bool:
    """Tell whether that is the way of which the player was told last."""
    return game.ahead == (game.map.level.id, goal)


def doors_shut_on_somebody(game: Game) -> set[Cell]:
    """Return the doors that the player has shut before the eyes of somebody who means harm, and that are shut still."""
    doors = (cell for map_id, cell in game.shut if map_id == game.map.level.id)
    return {cell for cell in doors if game.map.door_at(cell)}


def told_of_shut_door(game: Game, way: Iterable[Cell]) -> str:
    """Return by which of these doors a way leads first, as a part of a sentence; empty if by none."""
    shut = doors_shut_on_somebody(game)
    door = next((cell for cell in way if cell in shut), None)
    where = "" if door is None else bearing_of(game.player_cell, door)
    return f", through the door to the {where} that you shut against a robot" if where else ""
