"""Everything around the map: the status lines, the messages, and the list of what is in sight."""

from __future__ import annotations

from collections import Counter
from textwrap import wrap
from typing import TYPE_CHECKING, Final, NamedTuple

import esper

from dungeon.adapters.highlights import legend
from game_demo.display.descriptions import stairs_at, underfoot, way_by
from game_demo.display.drawing import (
    BAR_BG,
    BLACK,
    BORDER,
    BRIGHT,
    DIM,
    GOLD,
    GREEN,
    PLAIN,
    RED,
    bar,
    blended,
    clean,
    cut,
    fill,
    put,
    readable,
)
from game_demo.display.map_view import Viewport, draw_map, focus_of, viewport_on
from game_demo.display.messages import draw_earlier, draw_messages
from game_demo.rules.moods import is_harmless
from game_demo.rules.naming import counted, states_of
from game_demo.state.body import TURN
from game_demo.state.components import (
    Appearance,
    Blocks,
    Charger,
    EntityText,
    Health,
    Hidden,
    Item,
    Mind,
    Position,
    Prop,
    Tag,
    Trap,
    cell_of,
    cells_of,
)
from game_demo.state.fixtures import Explosive, Lid, Terminal
from game_demo.state.geometry import Area, distance
from game_demo.state.minds import AFTER_PLAYER, HARMLESS, MARKS, PRESSING
from game_demo.state.tiles import figure_of, is_sprung

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tcod.console import Console

    from dungeon import Level
    from dungeon.core.vocabulary import Highlight
    from game_demo.state.body import Build
    from game_demo.state.components import Colour
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

SIDEBAR_MIN_COLUMNS: Final = 104
"""From this console width on, what is in sight is listed beside the map."""
SIDEBAR_WIDTHS: Final = (30, 44)
"""The lowest and highest width of that list."""
AROUND_BARS: Final = 8
"""How many of its columns are not a name, hit points or the bar: the frame, the glyph, blanks."""
LONGEST_BAR: Final = 7
"""The highest length of that bar; it is shorter, or left out, where names need the room."""
SIDEBAR_SHARE: Final = 4
"""Of this many extra columns, the list gets one and the map the others."""
MESSAGES: Final = (3, 6)
"""The lowest and highest number of message rows. From `LOW` console rows on, every second extra row is theirs."""
LOW: Final = 24
PLAINEST: Final = 4
"""The rank of things that do nothing."""
USUAL: Final = 80
"""From this console width on, the capacity of the battery is shown."""
UNSAVED: Final = 30
"""The greatest width of the warning that the game is not saved."""
BAR_WIDTHS: Final = (6, 12)
"""The lengths of the bars in the status line on narrow and on wide consoles."""


def draw_game(
    console: Console, game: Game, *, focus: Cell | None = None, eye: Highlight | None = None
) -> Viewport:
    """Draw the whole screen of a game in play.

    Args:
        console: The console.
        game: The game.
        focus: The cell in the middle of the view; by default see `focus_of`.
        eye: What the designer's view tints; None for the player's view: see `draw_map`.

    Returns:
        The viewport on the map.
    """
    game.resume()  # what is drawn is read from its esper world
    room = map_room(console)
    viewport = viewport_on(game.map.level, focus or focus_of(game, room), room)
    draw_map(console, game, viewport, eye)
    draw_header(console, game)
    draw_status(console, game, room.bottom)
    title, entries = "In sight", entries_in_sight(game)
    if eye is not None:
        robots = [entry for entry in entries if entry.health is not None]
        title, entries = f"Tints: {eye}", robots + entries_of_tints(game.map.level, eye)
    below = messages_top(console)
    shown = draw_messages(console, game.log, below, console.height - below)
    if room.right == console.width:
        draw_row(console, entries, room.bottom + 1)
        return viewport
    free = Area(
        draw_sidebar(console, title, entries, room) + 1, room.right + 2, room.bottom, console.width - 1
    )
    if eye is None:
        draw_earlier(console, game.log, shown, free)
    return viewport


def messages_top(console: Console) -> int:
    """Return the first row of messages, below the status line and, on narrow consoles, the row of what is in sight."""
    room = map_room(console)
    return room.bottom + (1 if room.right < console.width else 2)


def map_room(console: Console) -> Area:
    """Return the part of the console for the map."""
    least, most = MESSAGES
    lines = min(max(least + (console.height - LOW) // 2, least), most)
    if console.width >= SIDEBAR_MIN_COLUMNS:
        return Area(1, 0, console.height - lines - 1, console.width - sidebar_width(console.width))
    return Area(1, 0, console.height - lines - 2, console.width)


def room_beside_player(console: Console, game: Game) -> Area:
    """Return the part of the map's room above or below the player and his neighbours, whichever is larger."""
    room = map_room(console)
    spot = viewport_on(game.map.level, focus_of(game, room), room).on_console(game.player_cell)
    assert spot is not None, "the player is on the visible part of the map"
    above, below = room._replace(bottom=spot[0] - 1), room._replace(top=spot[0] + 2)
    return max(above, below, key=lambda part: part.shape[0])


def sidebar_width(columns: int) -> int:
    """Return the width of the list beside the map on a console of that width."""
    least, most = SIDEBAR_WIDTHS
    return min(least + max(columns - SIDEBAR_MIN_COLUMNS, 0) // SIDEBAR_SHARE, most)


def draw_header(console: Console, game: Game) -> None:
    """Draw the first line: level, depth, turn and seed."""
    fill(console, 0, 0, 1, console.width, BAR_BG)
    level = game.map.level
    right = cut(f"turn {game.log.turn}   {clean(game.seed_words)}", console.width // 2)
    warning = cut(clean(f"not saved: {game.unsaved}"), UNSAVED) if game.unsaved else ""
    room = console.width - len(right) - len(warning) - 3
    end = put(console, 0, 1, cut(clean(level.name), room - 12), GOLD)
    end = put(console, 0, end, f", depth {level.depth}", GOLD)
    world = clean(game.world.content.world.name)
    if end + len(world) + 3 < room:
        put(console, 0, end, f" · {world}", DIM)
    put(console, 0, console.width - len(right) - len(warning) - 3, warning, RED)
    put(console, 0, console.width - len(right) - 1, right, PLAIN)


def draw_status(console: Console, game: Game, y: int) -> None:
    """Draw the line below the map: the player's condition, and what is under him."""
    fill(console, y, 0, 1, console.width, BAR_BG)
    health, body = game.health, game.body
    end = draw_gauge(console, y, 1, "HP", health.hp / health.max_hp, f"{health.hp}/{health.max_hp}")
    charge = f"{body.charge // TURN}"
    if console.width >= USUAL:
        charge = f"{charge}/{body.capacity // TURN}"
    end = draw_gauge(console, y, end + 2, "charge", body.charge / body.capacity, charge)
    end = put(console, y, end + 2, "power ", DIM)
    end = put(console, y, end, str(game.attack.power), PLAIN)
    if console.width >= SIDEBAR_MIN_COLUMNS:
        for name, number in _other_strengths(body.build):
            end = put(console, y, end + 2, f"{name} ", DIM)
            end = put(console, y, end, str(number), PLAIN)
    if body.sneaks:
        end = put(console, y, end + 2, "sneaking", GOLD)
    end = put(console, y, end + 2, "│ ", BORDER)
    ground = underfoot(game, console.width - end - 1)
    put(console, y, end, ground, BRIGHT if stairs_at(game, game.player_cell) else PLAIN)


def _other_strengths(build: Build) -> list[tuple[str, int]]:
    """Return (name, number) of the player's armour and gun, for those that he has."""
    numbers = ("armour", build.armour), ("gun", build.gun.power if build.gun else 0)
    return [each for each in numbers if each[1]]


def draw_gauge(console: Console, y: int, x: int, name: str, share: float, number: str) -> int:
    """Draw a named bar with a number, red if little is left; return the column after it."""
    width = BAR_WIDTHS[console.width >= SIDEBAR_MIN_COLUMNS]
    colour = blended(RED, GREEN, share)
    end = put(console, y, x, f"{name} ", DIM)
    end = bar(console, y, end, width, share, colour)
    return put(console, y, end + 1, number, colour)


class SightEntry(NamedTuple):
    """A line of the list of what is in sight.

    Attributes:
        glyph: The glyph on the map.
        fg: The glyph's colour.
        text: The name.
        copies: How many there are.
        health: Hit points and their highest number; None for things without.
        mark: The mark of the robot's state; empty for none.
        bg: The glyph's background; None for that of the list.
        colour: The colour of the name.
    """

    glyph: str
    fg: Colour
    text: str
    copies: int = 1
    health: tuple[int, int] | None = None
    mark: str = ""
    bg: Colour | None = None
    colour: Colour = DIM

    @property
    def label(self) -> str:
        """The name with its count, with a blank before it if there is a mark."""
        name = counted(self.text, self.copies)
        return f" {name}" if self.mark else name

    @property
    def numbers(self) -> str:
        """The hit points as text; empty for things without."""
        return "{}/{}".format(*self.health) if self.health else ""


def draw_sidebar(console: Console, title: str, entries: Sequence[SightEntry], room: Area) -> int:
    """List entries to the right of the map, as many as fit; robots get a row each with a bar of hit points. Return the first free row."""
    y, x = room.top, room.right
    width = console.width - x
    for row in range(room.top, room.bottom):
        put(console, row, x, "│", BORDER)
    put(console, y, x + 2, title, GOLD)
    if not entries:
        put(console, y + 2, x + 2, "nothing in particular", DIM)
    y += 2
    names = [f"{counted(entry.text, entry.copies)}{entry.numbers}" for entry in entries if entry.health]
    longest = max(map(len, names), default=0)
    bars = min(max(width - AROUND_BARS - longest, 0), LONGEST_BAR)
    for number, entry in enumerate(entries):
        left = len(entries) - number
        lines = [""] if entry.health else wrap(entry.label, width - 5)
        if y + len(lines) > room.bottom - (left > 1):
            put(console, y, x + 4, f"+{left} more", DIM)
            return y + 1
        put(console, y, x + 2, entry.glyph, readable(entry.fg, entry.bg or BLACK), entry.bg)
        put(console, y, x + 3, entry.mark, GOLD)
        if entry.health:
            _draw_robot(console, entry, y, x + 5, bars)
        for row, line in enumerate(lines, start=y):
            put(console, row, x + 4, line, entry.colour)
        y += len(lines)
    return y if entries else y + 1


def _draw_robot(console: Console, entry: SightEntry, y: int, x: int, bars: int) -> None:
    """Write a robot's name and hit points on row y from column x on, with a bar of `bars` columns at the end."""
    assert entry.health is not None
    share = entry.health[0] / entry.health[1]
    colour = blended(RED, GREEN, share)
    end = console.width - 1 - bars
    start = end - 1 - len(entry.numbers)
    put(console, y, x, cut(counted(entry.text, entry.copies), start - 1 - x), entry.colour)
    put(console, y, start, entry.numbers, PLAIN if bars else colour)
    bar(console, y, end, bars, share, colour)


def draw_row(console: Console, entries: Sequence[SightEntry], y: int) -> None:
    """List entries on one row, as many as fit, and how many more there are."""
    fill(console, y, 0, 1, console.width, BAR_BG)
    if not entries:
        put(console, y, 1, "nothing in sight", DIM)
    x = 1
    for number, entry in enumerate(entries):
        left = len(entries) - number
        rest = f"+{left} more"
        text = f"{entry.label} {entry.numbers}" if entry.health else entry.label
        if x + 2 + len(text) + (len(rest) + 2 if left > 1 else 0) > console.width - 1:
            put(console, y, x, rest, DIM)
            return
        put(console, y, x, entry.glyph, readable(entry.fg, entry.bg or BAR_BG), entry.bg)
        put(console, y, x + 1, entry.mark, GOLD)
        x = put(console, y, x + 2, text, entry.colour) + 2


def entries_in_sight(game: Game) -> list[SightEntry]:
    """Return the entries: robots in sight, pursuers out of sight, stairs on, things by importance, stairs back."""
    robots, others = visible_entities(game)
    alike = Counter([*map(_entry_of, robots), *map(_unseen_entry_of, _hunters_out_of_sight(robots))])
    found = [entry._replace(copies=count) for entry, count in alike.items()]
    for (glyph, fg, name), count in counted_looks(game, others).items():
        found.append(SightEntry(glyph, fg, clean(name), count))
    return found


def _entry_of(robot: int) -> SightEntry:
    """Return the entry of a robot."""
    look, health = esper.component_for_entity(robot, Appearance), esper.component_for_entity(robot, Health)
    return SightEntry(
        look.glyph,
        look.fg,
        clean(look.name),
        health=(health.hp, health.max_hp),
        mark=mark_of(robot),
        colour=threat_of(robot),
    )


def _unseen_entry_of(robot: int) -> SightEntry:
    """Return the entry of a pursuer that is out of sight."""
    entry = _entry_of(robot)
    return entry._replace(text=f"{entry.text}, out of sight", health=None, mark=MARKS["alert"])


def _hunters_out_of_sight(seen: Sequence[int]) -> list[int]:
    """Return the robots that the player has seen come after him, that have not given up and that he does not see now."""
    return sorted(
        robot
        for robot, mind in esper.get_component(Mind)
        if mind.was_seen_after and mind.state in PRESSING and robot not in seen
    )


def entries_of_tints(level: Level, eye: Highlight) -> list[SightEntry]:
    """Return the legend of the designer's view."""
    return [SightEntry(" ", PLAIN, clean(each.text), bg=each.hue.colour) for each in legend(level, eye)]


def mark_of(robot: int) -> str:
    """Return the mark of a robot's state, or of a harmless robot; a blank for others."""
    mark = MARKS.get(esper.component_for_entity(robot, Mind).state)
    return mark or (HARMLESS if is_harmless(robot) else " ")


def threat_of(robot: int) -> Colour:
    """Return the colour of a robot's name: pursuer, enemy, or harmless."""
    if is_harmless(robot):
        return DIM
    return RED if esper.component_for_entity(robot, Mind).state in AFTER_PLAYER else PLAIN


def counted_looks(game: Game, things: Iterable[int]) -> Counter[tuple[str, Colour, str]]:
    """Return (glyph, colour, name) -> count of the stairs on, the things, and the stairs back in sight."""
    counts: Counter[tuple[str, Colour, str]] = Counter()
    stairs = [cell for cell in sorted(game.map.stairs) if game.map.sight.visible[cell]]
    counts.update((">", BRIGHT, way_by(game, cell)) for cell in stairs if cell in game.map.exits)
    looks = [(entity, esper.component_for_entity(entity, Appearance)) for entity in things]
    counts.update((*figure_of(entity, look), _describe_thing(entity, look)) for entity, look in looks)
    counts.update(("<", BRIGHT, way_by(game, cell)) for cell in stairs if cell not in game.map.exits)
    return counts


def _describe_thing(entity: int, look: Appearance) -> str:
    """Return the name of a thing in sight, with ``sprung`` or the state of its lid."""
    states = states_of(entity) if esper.has_component(entity, Lid) else ["sprung"] * is_sprung(entity)
    return ", ".join([look.name, *states])


def rank_of(entity: int) -> int:
    """Return how important a thing is: 0 items, 1 armed traps, 2 things that do something, 3 signs, `PLAINEST` the rest."""
    if esper.has_component(entity, Item):
        return 0
    if (trap := esper.try_component(entity, Trap)) is not None:
        return 1 if trap.armed else PLAINEST
    keywords = esper.component_for_entity(entity, Tag).keywords
    does = any(esper.has_component(entity, kind) for kind in (Charger, Explosive, Lid, Terminal))
    if does or not keywords.keys().isdisjoint(("lock", "opens")):
        return 2
    is_read = esper.has_component(entity, Prop) and not esper.has_component(entity, Blocks)
    return 3 if is_read and esper.has_component(entity, EntityText) else PLAINEST


def visible_entities(game: Game) -> tuple[list[int], list[int]]:
    """Return the robots in sight, nearest first, and the other things in sight by `rank_of` and then distance."""
    mask, bit = game.map.sight.mask, game.map.bit
    seen = [
        (distance(cell_of(entity), game.player_cell), entity, tag.like)
        for entity, (tag, _) in esper.get_components(Tag, Position)
        if any(mask & bit(cell) for cell in cells_of(entity)) and not esper.has_component(entity, Hidden)
    ]
    robots = [entity for _, entity, like in sorted(seen) if like == "robot"]
    others = [entity for _, entity, like in sorted(seen) if like != "robot"]
    return robots, sorted(others, key=rank_of)
