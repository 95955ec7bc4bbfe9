"""What is asked before the player comes to harm, or can't come back; and what he is told when he has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from game_demo.display.drawing import DIM, GREEN, PLAIN, RED
from game_demo.rules.body.fighting import aim_of
from game_demo.rules.journeys import fighters_in_sight
from game_demo.rules.naming import name_of, pluralized, with_article
from game_demo.rules.ways import is_seen_trap
from game_demo.state.geometry import distance
from game_demo.state.things.errand import goal_of

if TYPE_CHECKING:
    from game_demo.screens.dialogs import Line
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

LATELY: Final = 60
"""For so many turns an alarm is taken for what brought somebody."""


def peril(game: Game, cell: Cell) -> str:
    """Return what to ask before the player steps on a cell, empty if he knows of no harm in that."""
    game.resume()
    if cell in game.map.blockers or not is_seen_trap(game, cell):
        return ""
    return f"Step on {with_article(name_of(game.map.traps[cell]))}?"


def parting(game: Game) -> str:
    """Return what to ask before the player goes down from where he is, empty if he can come back."""
    target = game.map.exits.get(game.player_cell)
    if target is None or not game.world.node(target).one_way:
        return ""
    return f"No way leads back from {game.title(target)}. Go there?"


def last_blows(game: Game) -> str:
    """Return what has done the player harm last, and how much, the oldest first; empty for nothing."""
    blows: dict[str, list[int]] = {}
    for blow in game.blows:
        blows.setdefault(blow.cause, []).append(blow.damage)
    told = ", ".join(f"{cause} {'+'.join(map(str, damages))}" for cause, damages in blows.items())
    turns = pluralized(game.log.turn - game.blows[0].turn + 1, "turn") if game.blows else ""
    return f"Last blows, in {turns}: {told}." if told else ""


def lesson_of_death(game: Game) -> str:
    """Return what the player may learn of how he was destroyed, in a line."""
    if game.body.has_failed:
        return "Without charge you wear out: apply cells, find cradles, rest less."
    robots = fighters_in_sight(game)
    if not robots:
        return "Search (s) finds traps, and w disarms them; run from what hisses."
    if game.last_alarm is not None and game.log.turn - game.last_alarm <= LATELY:
        return "Alarms bring guards: be gone before they come, or leave keys alone."
    if sum(distance(aim_of(game, robot), game.player_cell) <= 1 for robot in robots) > 1:
        return "Many at once are too many: stand in a door, and fight one by one."
    return "Sneak (t) up on such, or run early: c shuts a door behind you."


def told_of_end(game: Game, story: str) -> list[Line]:
    """Return what is told of a game that has ended, the weightiest first, as the last has no room on a small screen.

    Args:
        game: The game.
        story: Where there is more to read of it, empty for nowhere.
    """
    if game.ending == "victory":
        first = [("You have won!", GREEN), (f"The {goal_of(game.world)} is yours.", PLAIN)]
    else:
        lessons = filter(None, (last_blows(game), lesson_of_death(game)))
        first = [(f"You were destroyed by {game.cause}.", RED), *((told, PLAIN) for told in lessons)]
    haul, carried = game.player.haul, sum(stack.count for stack in game.player.inventory)
    robots = f"{pluralized(game.destroyed.total(), 'robot')} destroyed"
    rest = (
        f"{robots}, put by: {haul}" if haul.counts else robots,
        story,
        f"{game.title(game.map.level.id)}, turn {game.log.turn}, seed {game.world.seed}",
        f"{pluralized(len(game.maps), 'level')} seen, {pluralized(carried, 'item')} in the pack",
    )
    return [*first, *((told, DIM) for told in rest if told)]
