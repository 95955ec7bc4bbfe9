"""Everything around the map: the two status lines, the messages, and what is in sight where there is room for it."""

from __future__ import annotations

from collections import Counter
from textwrap import wrap
from typing import TYPE_CHECKING, Final

import esper

from game_demo.display.descriptions import stairs_at, terrain_name, underfoot
from game_demo.display.drawing import (
    BAR_BG,
    BORDER,
    BRIGHT,
    DIM,
    GOLD,
    GREEN,
    MESSAGE_COLOURS,
    PLAIN,
    RED,
    bar,
    blended,
    clean,
    cut,
    fill,
    put,
)
from game_demo.display.map_view import Viewport, draw_map, viewport_on
from game_demo.rules.body.life import LOW
from game_demo.state.components import Appearance, Health, Hidden, Mind, Position, Tag
from game_demo.state.entities import cell_of, cells_of
from game_demo.state.geometry import Area, distance
from game_demo.state.things.clock import TURN
from game_demo.state.things.minds import MARKS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tcod.console import Console

    from game_demo.state.components import Colour
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell
    from game_demo.state.log import Message

SIDEBAR_MIN_COLUMNS: Final = 104
"""From so many columns on, what is in sight is listed beside the map."""
SIDEBAR_WIDTH: Final = 30
TALL: Final = 32
"""From so many rows on, there is room for more messages."""
FADED: Final = 0.45
BAR_WIDTH: Final = 12


def draw_game(
    console: Console, game: Game, *, focus: Cell | None = None, rows: int = 0, everything: bool = False
) -> Viewport:
    """Draw the whole screen of a game in play.

    Args:
        console: Where.
        game: The game.
        focus: The cell to keep in view, by default the player's.
        rows: How many rows at the bottom to keep free for the caller; 0 shows the messages there.
        everything: Whether to show also what the player has not seen.

    Returns:
        The viewport on the map.
    """
    lines = rows or (6 if console.height >= TALL else 3)
    side = SIDEBAR_WIDTH if console.width >= SIDEBAR_MIN_COLUMNS else 0
    height, width = console.height - lines - 2, console.width - side
    viewport = viewport_on(game.map.level, focus or game.player_cell, Area(1, 0, 1 + height, width))
    draw_map(console, game, viewport, everything=everything)
    draw_header(console, game)
    draw_status(console, game, console.height - lines - 1)
    if side:
        draw_sidebar(console, game, 1, width, height)
    if not rows:
        draw_messages(console, game, console.height - lines, lines)
    return viewport


def draw_header(console: Console, game: Game) -> None:
    """Draw the first line: where the player is, the turn and the seed."""
    fill(console, 0, 0, 1, console.width, BAR_BG)
    level = game.map.level
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
    fill(console, y, 0, 1, console.width, BAR_BG)
    health = game.health
    share = health.hp / health.max_hp
    colour = blended(RED, GREEN, share)
    end = put(console, y, 1, "HP ", DIM)
    end = bar(console, y, end, BAR_WIDTH, share, colour)
    end = put(console, y, end, f" {health.hp}/{health.max_hp}", colour)
    end = put(console, y, end + 2, "power ", DIM)
    end = put(console, y, end, str(game.attack.power), PLAIN)
    end = draw_charge(console, game, y, end + 2)
    end = put(console, y, end + 2, "│ ", BORDER)
    put(console, y, end, underfoot(game), BRIGHT if stairs_at(game, game.player_cell) else PLAIN)


def draw_charge(console: Console, game: Game, y: int, x: int) -> int:
    """Draw for how many turns there is charge, and whether the player sneaks; return the column after that."""
    body = game.body
    end = put(console, y, x, "charge ", DIM)
    is_low = body.charge < LOW * body.capacity
    end = put(console, y, end, str(body.charge // TURN), RED if is_low else PLAIN)
    return put(console, y, end + 2, "sneaking", GOLD) if body.sneaks else end


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
    colour = MESSAGE_COLOURS[message.kind]
    return colour if message.turn >= turn - 1 else blended(colour, (0, 0, 0), FADED)


def draw_sidebar(console: Console, game: Game, y: int, x: int, rows: int) -> None:
    """List what is in sight, the nearest first: robots with how whole they are, then all else."""
    for row in range(y, y + rows):
        put(console, row, x, "│", BORDER)
    put(console, y, x + 2, "In sight", GOLD)
    robots, others = visible_entities(game)
    last, y = y + rows, y + 2
    for entity in robots[: max(last - y, 0)]:
        look = esper.component_for_entity(entity, Appearance)
        health = esper.component_for_entity(entity, Health)
        put(console, y, x + 2, look.glyph, look.fg)
        put(console, y, x + 3, mark_of(entity), GOLD)
        put(console, y, x + 4, cut(clean(look.name), SIDEBAR_WIDTH - 13), PLAIN)
        share = health.hp / health.max_hp
        bar(console, y, console.width - 8, 7, share, blended(RED, GREEN, share))
        y += 1
    y += bool(robots)
    counts = counted_looks(game, others)
    if not robots and not counts:
        put(console, y, x + 2, "nothing in particular", DIM)
    for (glyph, fg, name), count in list(counts.items())[: max(last - y, 0)]:
        put(console, y, x + 2, glyph, fg)
        put(console, y, x + 4, cut(clean(name), SIDEBAR_WIDTH - 9) + (f" x{count}" if count > 1 else ""), DIM)
        y += 1


def mark_of(robot: int) -> str:
    """Return the mark of what a robot is about, a space for nothing in particular."""
    return MARKS.get(esper.component_for_entity(robot, Mind).state, " ")


def counted_looks(game: Game, things: Iterable[int]) -> Counter[tuple[str, Colour, str]]:
    """Return how many there are of each glyph, colour and name among things, and the stairs in sight."""
    looks = [esper.component_for_entity(entity, Appearance) for entity in things]
    counts = Counter((look.glyph, look.fg, look.name) for look in looks)
    for cell in sorted(game.map.stairs):
        if game.map.sight.visible[cell]:
            counts[">" if cell in game.map.exits else "<", BRIGHT, terrain_name(game.map, cell)] += 1
    return counts


def visible_entities(game: Game) -> tuple[list[int], list[int]]:
    """Return the robots, and the other things, that the player sees; the nearest first."""
    visible = game.map.sight.visible
    seen = [
        (distance(cell_of(entity), game.player_cell), entity, tag.kind)
        for entity, (tag, _) in esper.get_components(Tag, Position)
        if not esper.has_component(entity, Hidden) and any(visible[cell] for cell in cells_of(entity))
    ]
    robots = [entity for _, entity, kind in sorted(seen) if kind == "robot"]
    return robots, [entity for _, entity, kind in sorted(seen) if kind != "robot"]
