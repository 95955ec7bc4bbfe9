"""Writing on a console: text that stays within its field, boxes, bars, and the game's colours."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from game_demo.display.palettes import TEXT, legible
from game_demo.state.geometry import Area

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tcod.console import Console

    from game_demo.state.components import Colour
    from game_demo.state.log import MessageKind

BLACK: Final = (0, 0, 0)
PLAIN: Final = (196, 196, 190)
BRIGHT: Final = (240, 238, 228)
DIM: Final = (142, 144, 152)
GOLD: Final = (240, 200, 110)
GREEN: Final = (126, 214, 140)
RED: Final = (240, 108, 92)
BLUE: Final = (130, 180, 240)
BAR_BG: Final = (30, 34, 48)
"""The background of the status lines."""
BOX_BG: Final = (16, 18, 26)
"""The background of boxes."""
BORDER: Final = (98, 106, 136)
"""The colour of lines around boxes."""
FRAME_ROWS, FRAME_COLUMNS = 2, 4
"""How many rows and columns the frame of a box takes."""

NO_BREAK: Final = "\u00a0"
"""A blank at which lines are not wrapped."""

MESSAGE_COLOURS: Final[dict[MessageKind, Colour]] = {
    "plain": PLAIN,
    "good": GREEN,
    "bad": RED,
    "find": GOLD,
    "aside": DIM,
    "hint": BLUE,
}


def clean(text: str) -> str:
    """Return a text with unprintable characters replaced by blanks, because content may contain any."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def cut(text: str, width: int) -> str:
    """Return as much of a text as fits into `width` columns, with ``..`` at the end if it is cut."""
    if len(text) <= width:
        return text
    return text[: width - 2].rstrip() + ".." if width > 2 else text[: max(width, 0)]


def put(console: Console, y: int, x: int, text: str, fg: Colour = PLAIN, bg: Colour | None = None) -> int:
    """Write a text on a console, cut at its edge; return the column after the text.

    Args:
        console: The console.
        y: The row; nothing is written if the console does not have it.
        x: The first column, not negative.
        text: The text.
        fg: The colour of the text.
        bg: The background; None to keep what is there.
    """
    text = cut(clean(text), console.width - x)
    if not text or not 0 <= y < console.height:
        return x
    field = console.rgb[y, x : x + len(text)]
    field["ch"] = [ord(letter) for letter in text]
    field["fg"] = fg
    if bg is not None:
        field["bg"] = bg
    return x + len(text)


def fill(console: Console, y: int, x: int, height: int, width: int, bg: Colour) -> None:
    """Clear a rectangle to a background colour."""
    field = console.rgb[max(y, 0) : max(y + height, 0), max(x, 0) : max(x + width, 0)]
    field["ch"], field["fg"], field["bg"] = ord(" "), PLAIN, bg


def bar(console: Console, y: int, x: int, width: int, share: float, fg: Colour) -> int:
    """Draw a bar filled to a share of 0 to 1; return the column after it."""
    full = min(max(round(share * width), 1 if share > 0 else 0), width)
    end = put(console, y, x, "█" * full, fg)
    red, green, blue = fg
    return put(console, y, end, "░" * (width - full), (red // 3, green // 3, blue // 3))


def box(console: Console, title: str, height: int, width: int, room: Area) -> tuple[int, int, int, int]:
    """Draw an empty framed box in the middle of a part of the console, or of a cleared console if it does not fit there.

    Args:
        console: The console.
        title: The title on the frame; empty for none.
        height: The rows inside, fewer if the console is too small.
        width: The columns inside, fewer if the console is too small.
        room: The part of the console.

    Returns:
        The (y, x, height, width) of its inside.
    """
    height, width = min(height + FRAME_ROWS, console.height), min(width + FRAME_COLUMNS, console.width)
    if height > room.shape[0] or width > room.shape[1]:
        room = Area(0, 0, console.height, console.width)
        fill(console, 0, 0, console.height, console.width, BLACK)
    y, x = room.top + (room.shape[0] - height) // 2, room.left + (room.shape[1] - width) // 2
    _frame(console, y, x, height, width)
    if title:
        put(console, y, x + 2, f" {cut(clean(title), width - 6)} ", GOLD)
    return y + 1, x + 2, height - FRAME_ROWS, width - FRAME_COLUMNS


def _frame(console: Console, y: int, x: int, height: int, width: int) -> None:
    """Draw an empty frame on these rows and columns."""
    fill(console, y, x, height, width, BOX_BG)
    line = "─" * (width - 2)
    put(console, y, x, f"┌{line}┐", BORDER)
    for row in range(y + 1, y + height - 1):
        put(console, row, x, "│", BORDER)
        put(console, row, x + width - 1, "│", BORDER)
    put(console, y + height - 1, x, f"└{line}┘", BORDER)


def text_box(console: Console, title: str, lines: Sequence[tuple[str, Colour]], room: Area) -> None:
    """Draw coloured lines in a box of their size. The last lines are left out if there is no room."""
    y, x, height, width = box(console, title, len(lines), max(len(text) for text, _ in lines), room)
    for row, (text, colour) in enumerate(lines[:height]):
        put(console, y + row, x, cut(clean(text), width), colour)


def caption(console: Console, y: int, title: str, text: str) -> None:
    """Clear a row, and write a title and a dimmed text on it."""
    fill(console, y, 0, 1, console.width, BAR_BG)
    end = put(console, y, 1, title, GOLD)
    put(console, y, end + 2, text, DIM)


def label(
    console: Console,
    lines: Sequence[tuple[str, Colour]],
    room: Area,
    mark: tuple[int, int],
    shown: Sequence[tuple[int, int]],
) -> None:
    """Write lines in a frame near a spot of the console, where it hides as few as possible of the spots that must be seen.

    Args:
        console: The console.
        lines: The lines with their colours.
        room: The part of the console to use.
        mark: The (y, x) of the spot.
        shown: The (y, x) of the spots that must be seen.
    """
    height = len(lines) + FRAME_ROWS
    width = min(max(len(text) for text, _ in lines) + FRAME_COLUMNS, room.shape[1])
    middle = min(max(mark[1] - width // 2, room.left), room.right - width)

    def cost(corner: tuple[int, int]) -> tuple[int, int]:
        top, left = corner
        hidden = sum(top <= y < top + height and left <= x < left + width for y, x in shown)
        return hidden, 2 * abs(top + height // 2 - mark[0]) + abs(left + width // 2 - mark[1])

    rows = range(room.top, max(room.bottom - height, room.top) + 1)
    y, x = min(product(rows, (middle, room.left, room.right - width)), key=cost)
    _frame(console, y, x, height, width)
    for row, (text, colour) in enumerate(lines, start=y + 1):
        put(console, row, x + 2, cut(clean(text), width - FRAME_COLUMNS), colour)


def centred(console: Console, y: int, text: str, fg: Colour = PLAIN, bg: Colour | None = None) -> None:
    """Write a text in the middle of a row."""
    text = cut(clean(text), console.width)
    put(console, y, (console.width - len(text)) // 2, text, fg, bg)


def faded(colour: Colour, share: float) -> Colour:
    """Return a text colour faded by a share of 0 to 1, but still readable."""
    return readable(blended(colour, BLACK, share), BOX_BG)


@cache
def readable(fg: Colour, bg: Colour) -> Colour:
    """Return a colour, brightened if text in it could not be read on a background."""
    red, green, blue = legible(np.array([fg], np.uint8), np.array([bg], np.uint8), TEXT)[0].tolist()
    return red, green, blue


def blended(one: Sequence[int], other: Sequence[int], share: float) -> Colour:
    """Return the colour `share` of the way from one colour to another."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue
