"""Everything around the map: the two status lines, the messages, and what is in sight where there is room for it."""

from __future__ import annotations

from collections import Counter
from textwrap import wrap
from typing import TYPE_CHECKING, Final

import esper

from game_demo.display.descriptions import terrain_name, underfoot, way_at
from game_demo.display.drawing import (
    BAR,
    BRIGHT,
    DIM,
    GOLD,
    GREEN,
    MOODS,
    PLAIN,
    RED,
    RULE,
    bar,
    clean,
    cut,
    fill,
    mixed,
    put,
)
from game_demo.display.map_view import Window, draw_map, window_on
from game_demo.state.components import Appearance, Health, Hidden, Tag
from game_demo.state.entities import cells_of, place_of
from game_demo.state.geometry import Area, distance

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tcod.console import Console

    from game_demo.state.components import Colour
    from game_demo.state.game import Game
    from game_demo.state.geometry import Place
    from game_demo.state.log import Message

WIDE: Final = 104
"""From so many columns on, what is in sight is listed beside the map."""
SIDE: Final = 30
TALL: Final = 32
"""From so many rows on, there is room for more messages."""
FADED: Final = 0.45
BAR_WIDTH: Final = 12


def draw_play(
    console: Console, game: Game, *, focus: Place | None = None, rows: int = 0, everything: bool = False
) -> Window:
    """Draw the whole screen of a game in play.

    Args:
        console: Where.
        game: The game.
        focus: The cell to keep in view, by default the player's.
        rows: How many rows at the bottom to keep free for the caller; 0 shows the messages there.
        everything: Whether to show also what the player has not seen.

    Returns:
        The window on the map.
    """
    lines = rows or (6 if console.height >= TALL else 3)
    side = SIDE if console.width >= WIDE else 0
    height, width = console.height - lines - 2, console.width - side
    window = window_on(game.floor.level, focus or game.place, Area(1, 0, 1 + height, width))
    draw_map(console, game, window, everything=everything)
    draw_header(console, game)
    draw_status(console, game, console.height - lines - 1)
    if side:
        draw_sights(console, game, 1, width, height)
    if not rows:
        draw_messages(console, game, console.height - lines, lines)
    return window


def draw_header(console: Console, game: Game) -> None:
    """Draw the first line: where the player is, the turn and the seed."""
    fill(console, 0, 0, 1, console.width, BAR)
    level = game.floor.level
    right = cut(f"turn {game.log.turn}   seed {game.world.seed}", console.width // 2)
    room = console.width - len(right) - 3
    end = put(console, 0, 1, cut(clean(level.name), room - 12), GOLD)
    end = put(console, 0, end, f", depth {level.depth}", GOLD)
    world = clean(game.world.content.world.name)
    if end + len(world) + 3 < room:
        put(console, 0, end, f" · {world}", DIM)
    put(console, 0, console.width - len(right) - 1, right, PLAIN)


def draw_status(console: Console, game: Game, y: int) -> None:
    """Draw the line below the map: how the player is, and what is underfoot."""
    fill(console, y, 0, 1, console.width, BAR)
    health = game.health
    share = health.now / health.full
    colour = mixed(RED, GREEN, share)
    end = put(console, y, 1, "HP ", DIM)
    end = bar(console, y, end, BAR_WIDTH, share, colour)
    end = put(console, y, end, f" {health.now}/{health.full}", colour)
    end = put(console, y, end + 2, "power ", DIM)
    end = put(console, y, end, str(game.blade.power), PLAIN)
    end = put(console, y, end + 2, "│ ", RULE)
    put(console, y, end, underfoot(game), BRIGHT if way_at(game, game.place) else PLAIN)


def draw_messages(console: Console, game: Game, y: int, rows: int) -> None:
    """Draw the last messages, those of earlier turns faded."""
    fill(console, y, 0, rows, console.width, (0, 0, 0))
    lines: list[tuple[str, Colour]] = []
    for message in reversed(game.log.messages):
        text = wrap(clean(str(message)), console.width - 2, max_lines=rows, placeholder="..")
        lines = [(line, colour_of(message, game.log.turn)) for line in text] + lines
        if len(lines) >= rows:
            break
    for row, (line, colour) in enumerate(lines[-rows:]):
        put(console, y + row, 1, line, colour)


def colour_of(message: Message, turn: int) -> Colour:
    """Return a message's colour, faded if it is not of the last turn."""
    colour = MOODS[message.mood]
    return colour if message.turn >= turn - 1 else mixed(colour, (0, 0, 0), FADED)


def draw_sights(console: Console, game: Game, y: int, x: int, rows: int) -> None:
    """List what is in sight, the nearest first: robots with how whole they are, then all else."""
    for row in range(y, y + rows):
        put(console, row, x, "│", RULE)
    put(console, y, x + 2, "In sight", GOLD)
    robots, others = in_sight(game)
    last, y = y + rows, y + 2
    for entity in robots[: max(last - y, 0)]:
        look = esper.component_for_entity(entity, Appearance)
        health = esper.component_for_entity(entity, Health)
        put(console, y, x + 2, look.glyph, look.fg)
        put(console, y, x + 4, cut(clean(look.name), SIDE - 13), PLAIN)
        share = health.now / health.full
        bar(console, y, console.width - 8, 7, share, mixed(RED, GREEN, share))
        y += 1
    y += bool(robots)
    counts = counted_looks(game, others)
    if not robots and not counts:
        put(console, y, x + 2, "nothing in particular", DIM)
    for (glyph, fg, name), count in list(counts.items())[: max(last - y, 0)]:
        put(console, y, x + 2, glyph, fg)
        put(console, y, x + 4, cut(clean(name), SIDE - 9) + (f" x{count}" if count > 1 else ""), DIM)
        y += 1


def counted_looks(game: Game, things: Iterable[int]) -> Counter[tuple[str, Colour, str]]:
    """Return how many there are of each glyph, colour and name among things, and the stairs in sight."""
    looks = [esper.component_for_entity(entity, Appearance) for entity in things]
    counts = Counter((look.glyph, look.fg, look.name) for look in looks)
    for place in sorted(game.floor.stairs):
        if game.floor.sight.visible[place]:
            counts[">" if place in game.floor.exits else "<", BRIGHT, terrain_name(game.floor, place)] += 1
    return counts


def in_sight(game: Game) -> tuple[list[int], list[int]]:
    """Return the robots, and the other things, that the player sees; the nearest first."""
    visible = game.floor.sight.visible
    seen = [
        (distance(place_of(entity), game.place), entity, tag.kind)
        for entity, tag in esper.get_component(Tag)
        if not esper.has_component(entity, Hidden) and any(visible[cell] for cell in cells_of(entity))
    ]
    robots = [entity for _, entity, kind in sorted(seen) if kind == "robot"]
    return robots, [entity for _, entity, kind in sorted(seen) if kind != "robot"]
