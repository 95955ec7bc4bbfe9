"""What a terminal can show: its colours, its characters and keys, read from the environment; and glyphs for each."""

from __future__ import annotations

import codecs
import locale
import os
import re
import sys
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, get_args

from wcwidth import wcwidth

from game_demo.frontends.frontend import NoTerminalError

# -- glyphs ----------------------------------------------------------------------------------------

ASCII: Final = {
    letter: plain
    for plain, letters in {
        "#": "█▒▀▄",
        "0": "▓▌▐▉◙◘○●◦◎°■▣▪▬ΩπσφΦΘ∩δ",
        "8": "☺☻♀♂",
        "%": "¬√÷∞⌂¿±♠♣",
        "]": "§¶≡",
        "(": "⌠☼",
        ")": "↔↕",
        ":": "░",
        "-": "…▁▔",
        "|": "▏▎▍▕•¥",
        ".": "·∙",
        "*": "✶★♦◆♥",
        "^": "▲△↑",
        "v": "▼▽↓",
        "<": "◄◀←",
        ">": "►▶→",
        "{": "«",
        "}": "»",
        '"': "“”„",
        "~": "≈",
        "+": "†",
        "!": "¡",
    }.items()
    for letter in letters
}
"""What stands for drawings where there is but ASCII. Box drawings and accents go by rules.

Letters are alive, `@` is the player and `+` a door, and so these stand for nothing else: furniture is `0`, figures are `8`, litter is
`%`, what can be read `]` and what can be turned `(`.
"""

LINE: Final = re.compile(r"BOX DRAWINGS (LIGHT|HEAVY|DOUBLE)( \w+ DASH)? ")


@cache
def glyph(code: int, charset: str = "utf-8") -> str:
    """Return the character to print for a console's code point: one that takes exactly one cell.

    Glyph 0 and the various spaces are a space. Wide, combining, control, private and unassigned code points
    are ``?``, for a terminal would give them two cells or none, and the rest of the row would shift.

    Args:
        code: The code point.
        charset: What the terminal can show, by the name of a codec; the rest comes in ASCII.
    """
    if code == 0:
        return " "
    if not 0 < code <= sys.maxunicode:
        return "?"
    character = chr(code)
    if unicodedata.category(character) == "Zs":
        return " "
    if not character.isprintable() or wcwidth(character) != 1:
        return "?"
    try:
        character.encode(charset)
    except UnicodeEncodeError:
        return _plain(character)
    return character


def _plain(character: str) -> str:
    """Return the ASCII character that is most like another one, ``?`` if none is.

    >>> "".join(map(_plain, "┌─┬┐│é█"))
    '+-0+|e#'
    """
    if character in ASCII:
        return ASCII[character]
    name = unicodedata.name(character, "")
    if name.startswith("BOX DRAWINGS"):
        arms = LINE.sub("", name)
        is_corner = "HORIZONTAL" not in arms and "VERTICAL" not in arms
        return {"HORIZONTAL": "-", "VERTICAL": "|"}.get(arms, "+" if is_corner else "0")
    bare = unicodedata.normalize("NFKD", character)[0]
    return bare if bare.isascii() and bare.isprintable() else "?"


# -- terminals -------------------------------------------------------------------------------------

if sys.platform != "win32":
    import curses

if TYPE_CHECKING:
    from collections.abc import Mapping

ColourDepth = Literal["24bit", "256", "16", "none"]
"""How many colours there are: any, 256, 16 of which 8 can be behind letters, or none but bold, dim and reverse."""
COLOUR_DEPTHS: Final = get_args(ColourDepth)

Charset = Literal["unicode", "ascii"]

TRUE_COLOUR: Final = ("alacritty", "contour", "foot", "iterm2", "wezterm", "xterm-ghostty", "xterm-kitty")
"""Terminals with 24-bit colour, by the beginning of their names, wherever COLORTERM got lost, as it does over ssh."""

ANSI_MOVE: Final = b"\x1b[%i%p1%d;%p2%dH"
"""How terminfo says that the cursor is moved by ECMA-48's CUP. A few names have padding after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a terminal can do.

    Attributes:
        colours: How many colours it shows.
        bright_is_bold: Whether the brighter 8 of 16 colours are to be had by bold type only.
        erases_in_colour: Whether what is erased takes the background's colour (terminfo's ``bce``).
        charset: The codec of the characters it can show.
        encoding: The codec of what is written to it and read from it.
    """

    colours: ColourDepth
    bright_is_bold: bool = False
    erases_in_colour: bool = False
    charset: str = "utf-8"
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What terminfo says of a terminal.

    Attributes:
        move: The sequence that moves the cursor, empty if there is none.
        colours: How many colours there are.
        erases_in_colour: Whether what is erased takes the background's colour, by a sequence for so many cells as well.
    """

    move: bytes
    colours: int
    erases_in_colour: bool


def described(term: str, stream: int) -> Description | None:
    """Return what terminfo says of a terminal, or None if it doesn't know it; for one terminal a process.

    Args:
        term: The terminal's name, as TERM has it.
        stream: The file descriptor of the terminal.
    """
    try:
        curses.setupterm(term, stream)
    except curses.error:
        return None
    return Description(
        move=curses.tigetstr("cup") or b"",
        colours=max(curses.tigetnum("colors"), 0),
        erases_in_colour=curses.tigetflag("bce") == 1 and bool(curses.tigetstr("ech")),
    )


def capabilities(
    environment: Mapping[str, str],
    description: Description | None,
    codeset: str,
    *,
    colours: ColourDepth | None = None,
    charset: Charset | None = None,
) -> Capabilities:
    """Return what a terminal can do.

    One that terminfo doesn't know is taken for a kind of xterm: those are the ones that are new.

    Args:
        environment: The process's environment.
        description: What terminfo says, None if it says nothing.
        codeset: The name of the locale's codec.
        colours: How many colours to use, None for as many as there are.
        charset: Which characters to use, None for those of the locale.

    Raises:
        NoTerminalError: It can't be drawn on.
    """
    term = environment.get("TERM", "")
    if not term:
        raise NoTerminalError("TERM is not set, so the game can't know what the terminal can do")
    if term == "dumb" or (description and not description.move):
        raise NoTerminalError(f"the terminal is dumb: it cannot move its cursor (TERM={term})")
    if description and not description.move.startswith(ANSI_MOVE):
        raise NoTerminalError(f"the terminal does not move its cursor as ANSI says (TERM={term})")
    codec = "utf-8" if charset == "unicode" else codecs.lookup(codeset).name
    shown = charset if charset == "ascii" else codec
    return Capabilities(
        colours=colours or colour_depth(environment, description),
        bright_is_bold=description is not None and description.colours < 16,
        erases_in_colour=description is not None and description.erases_in_colour,
        # The console's fonts have 256 glyphs, by and large those of the IBM PC, whatever may be written to it.
        charset="cp437" if term == "linux" and shown == "utf-8" else shown,
        encoding=codec,
    )


def colour_depth(environment: Mapping[str, str], description: Description | None) -> ColourDepth:
    """Return how many colours a terminal shows.

    NO_COLOR (https://no-color.org) and a terminal without colours go before what COLORTERM says. GNU screen hands
    that on from the terminal around it, but takes 24-bit colours for something else; tmux, which often goes by the
    same name, understands them.
    """
    term = environment["TERM"]
    if environment.get("NO_COLOR") or (description and description.colours < 8):
        return "none"
    is_screen = term.startswith("screen") and ("STY" in environment or "TMUX" not in environment)
    says_so = environment.get("COLORTERM") in ("truecolor", "24bit")
    if not is_screen and (says_so or term.endswith("-direct") or term.startswith(TRUE_COLOUR)):
        return "24bit"
    many = description.colours >= 256 if description else "256" in term
    return "256" if many else "16"


def capabilities_of(
    stream: int, *, colours: ColourDepth | None = None, charset: Charset | None = None
) -> Capabilities:
    """Return what the terminal that is there can do; see `capabilities`.

    Raises:
        NoTerminalError: It can't be drawn on.
    """
    description = described(os.environ.get("TERM", ""), stream)
    return capabilities(os.environ, description, locale.getencoding(), colours=colours, charset=charset)
