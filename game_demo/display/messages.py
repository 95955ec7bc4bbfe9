"""The message lines below the map."""

from __future__ import annotations

from itertools import islice, takewhile
from textwrap import wrap
from typing import TYPE_CHECKING, Final, NamedTuple

from game_demo.display.drawing import BLACK, DIM, GOLD, MESSAGE_COLOURS, NO_BREAK, clean, faded, fill, put

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tcod.console import Console

    from game_demo.state.components import Colour
    from game_demo.state.geometry import Area
    from game_demo.state.log import Log, Message

FADED: Final = 0.45
"""The share by which messages of earlier actions are faded."""

NEW: Final = "│"
"""Drawn before messages of the last action."""

TEXT: Final = 2
"""The column where messages begin."""

EARLIER: Final = 12
"""How many rows of earlier messages are shown beside the map, at most. Each new message moves them, so more would slow terminals down."""

GOES_ON: Final = " (m shows the rest)"
"""The end of a message that is cut."""


class Words(NamedTuple):
    """Words of a line in one colour."""

    text: str
    colour: Colour


Row = list[Words]


class LogRows(NamedTuple):
    """The rows of the last messages.

    Attributes:
        older: Rows of messages of earlier actions.
        new: Rows of the messages of the last action.
        shown: How many of the last messages they show, or count.
    """

    older: list[Row]
    new: list[Row]
    shown: int


def draw_messages(console: Console, log: Log, y: int, rows: int) -> int:
    """Draw the last messages; return how many. A line marks those of the last action, because not all terminals show faded colours."""
    fill(console, y, 0, rows, console.width, BLACK)
    older, new, shown = message_rows(log, console.width - TEXT - 1, rows)
    for row, line in enumerate([*older, *new]):
        put(console, y + row, 0, NEW if row >= len(older) else "", MESSAGE_COLOURS["plain"])
        x = TEXT
        for words in line:
            x = put(console, y + row, x, words.text, words.colour) + 1
    return shown


def draw_earlier(console: Console, log: Log, shown: int, room: Area) -> None:
    """Draw messages before the last `shown` ones under a heading, if they fit into a part of the console, at most `EARLIER` rows."""
    most, width = min(room.shape[0] - 1, EARLIER), room.shape[1]
    rows: list[Row] = []
    for message in islice(reversed(log.messages), shown, None):
        lines = _alone(message, colour_of(message, log), width, EARLIER)
        if len(lines) + len(rows) > most:
            break
        rows = lines + rows
    if rows:
        put(console, room.top, room.left, "Before", GOLD)
    for y, (words,) in enumerate(rows, start=room.top + 1):
        put(console, y, room.left, words.text, words.colour)


def message_rows(log: Log, width: int, rows: int) -> LogRows:
    """Return the last messages as rows. The first row begins a message.

    New messages get a row each, or are run together if there are too many; a hint keeps its own row. What does not fit even so is
    counted, asides first. Older messages fill the rows that are left.

    Args:
        log: All messages.
        width: The width of a row.
        rows: The number of rows.
    """
    newest_first = list(reversed(log.messages))
    new = list(takewhile(lambda message: message.action == log.action, newest_first))
    count = len(new)
    lines = [
        line for message in reversed(new) for line in _alone(message, colour_of(message, log), width, rows)
    ]
    if len(lines) > rows:
        hint = new.pop(0) if new[0].kind == "hint" and len(new) > 1 else None
        below = _alone(hint, colour_of(hint, log), width, rows - 1) if hint else []
        lines = _together(new[::-1], width, rows - len(below)) + below
    older: list[Row] = []
    for message in newest_first[count:]:
        above = _alone(message, colour_of(message, log), width, rows)
        if len(above) + len(older) + len(lines) > rows:
            break
        older = above + older
        count += 1
    return LogRows(older, lines, count)


def to_wrap(message: Message) -> str:
    """Return a message for wrapping, with its count bound to the last word by no-break spaces."""
    return NO_BREAK.join([clean(message.told), *message.count.split()])


def colour_of(message: Message, log: Log) -> Colour:
    """Return a message's colour, faded if it is not of the last action."""
    colour = MESSAGE_COLOURS[message.kind]
    return colour if message.action == log.action else faded(colour, FADED)


def _alone(message: Message, colour: Colour, width: int, rows: int) -> list[Row]:
    """Return a message in rows of its own, cut with `GOES_ON` if `rows` are too few."""
    text = to_wrap(message)
    return [[Words(line, colour)] for line in wrap(text, width, max_lines=rows, placeholder=GOES_ON)]


def _together(messages: Sequence[Message], width: int, rows: int) -> list[Row]:
    """Return messages as one running text, or the last one alone and cut.

    If they don't all fit, asides are left out first and then others, oldest first, but never the last message.
    """
    places = range(len(messages) - 1)
    least = sorted(places, key=lambda place: (messages[place].kind != "aside", place))
    for left_out in places:
        count = [Words(f"(m shows {left_out} more)", DIM)] if left_out else []
        told = (
            Words(word, MESSAGE_COLOURS[message.kind])
            for place, message in enumerate(messages)
            if place not in least[:left_out]
            for word in to_wrap(message).split(" ")
            if word
        )
        lines = _filled([*count, *told], width)
        if len(lines) <= rows:
            return lines
    return _alone(messages[-1], MESSAGE_COLOURS[messages[-1].kind], width, rows)


def _filled(words: Iterable[Words], width: int) -> list[Row]:
    """Return words in rows, as many in each as fit."""
    lines: list[Row] = []
    room = 0
    for word in words:
        if len(word.text) > room or not lines:
            lines.append([])
            room = width
        lines[-1].append(word)
        room -= len(word.text) + 1
    return lines
