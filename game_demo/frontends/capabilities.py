"""What a terminal can show, read from its environment and from terminfo: colours, characters, encoding; and glyphs in ASCII."""

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
"""Character -> its substitute on terminals that can show only ASCII. Box drawings and accented letters follow rules instead.

Letters, `@` and `+` are never substitutes, since they mean robots, the player and doors. Furniture is `0`, figures are `8`,
litter is `%`, things to read are `]` and things to turn are `(`.
"""

LINE: Final = re.compile(r"BOX DRAWINGS (LIGHT|HEAVY|DOUBLE)( \w+ DASH)? ")


@cache
def glyph(code: int, charset: str = "utf-8") -> str:
    """Return the character to print for a code point of a console; it takes exactly one terminal cell.

    Glyph 0 and all blanks become a space. Wide, combining, control, private and unassigned code points become ``?``, because a
    terminal would give them two cells or none, and shift the rest of the row.

    Args:
        code: The code point.
        charset: The codec of the characters that the terminal can show; others are replaced by ASCII.
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
    """Return the ASCII character most like a character, ``?`` if there is none.

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
"""How many colours a terminal has: 24-bit, 256, 16 (8 of them as backgrounds), or none but bold, dim and reverse."""
COLOUR_DEPTHS: Final = get_args(ColourDepth)

Charset = Literal["unicode", "ascii"]

TRUE_COLOUR: Final = ("alacritty", "contour", "foot", "iterm2", "wezterm", "xterm-ghostty", "xterm-kitty")
"""Beginnings of TERM for terminals with 24-bit colour, for when COLORTERM is missing, as over ssh."""

ANSI_MOVE: Final = b"\x1b[%i%p1%d;%p2%dH"
"""The terminfo string of ECMA-48's cursor movement (CUP). Some terminals add padding after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a terminal can do.

    Attributes:
        colours: How many colours it has.
        bright_is_bold: Whether the 8 bright colours of 16 are available only as bold text.
        erases_in_colour: Whether erased cells take the background colour (terminfo's ``bce``).
        charset: The codec of the characters it can show.
        encoding: The codec for writing to it and reading from it.
    """

    colours: ColourDepth
    bright_is_bold: bool = False
    erases_in_colour: bool = False
    charset: str = "utf-8"
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminfoEntry:
    """What terminfo says about a terminal.

    Attributes:
        move: The sequence that moves the cursor; empty for none.
        colours: The number of colours.
        erases_in_colour: Whether erased cells take the background colour, also those of the sequence for a number of cells.
    """

    move: bytes
    colours: int
    erases_in_colour: bool


def described(term: str, stream: int) -> TerminfoEntry | None:
    """Return what terminfo says about a terminal, or None if it does not know it. A process can ask about one terminal only.

    Args:
        term: The terminal's name, from TERM.
        stream: The file descriptor of the terminal.
    """
    try:
        curses.setupterm(term, stream)
    except curses.error:
        return None
    return TerminfoEntry(
        move=curses.tigetstr("cup") or b"",
        colours=max(curses.tigetnum("colors"), 0),
        erases_in_colour=curses.tigetflag("bce") == 1 and bool(curses.tigetstr("ech")),
    )


def capabilities(
    environment: Mapping[str, str],
    description: TerminfoEntry | None,
    codeset: str,
    *,
    colours: ColourDepth | None = None,
    charset: Charset | None = None,
) -> Capabilities:
    """Return what a terminal can do.

    A terminal that terminfo doesn't know is treated as a kind of xterm, as new terminals are.

    Args:
        environment: The environment variables.
        description: What terminfo says; None for nothing.
        codeset: The name of the locale's codec.
        colours: How many colours to use; None for all.
        charset: Which characters to use; None for those of the locale.

    Raises:
        NoTerminalError: The game can't be drawn on it.
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
        # The Linux console has fonts of 256 glyphs, mostly those of the IBM PC.
        charset="cp437" if term == "linux" and shown == "utf-8" else shown,
        encoding=codec,
    )


def colour_depth(environment: Mapping[str, str], description: TerminfoEntry | None) -> ColourDepth:
    """Return how many colours a terminal has.

    NO_COLOR (https://no-color.org) and a terminal without colours win over COLORTERM. GNU screen passes COLORTERM on from the
    terminal around it, but misreads 24-bit colours; tmux, which often has the same TERM, understands them.
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
    """Return what the terminal of a file descriptor can do; see `capabilities`.

    Raises:
        NoTerminalError: The game can't be drawn on it.
    """
    description = described(os.environ.get("TERM", ""), stream)
    return capabilities(os.environ, description, locale.getencoding(), colours=colours, charset=charset)
