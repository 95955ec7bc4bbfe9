"""Which character shows a console's code point: one that takes exactly one cell and that the terminal can show."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache
from typing import Final

from wcwidth import wcwidth

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
