"""A square 8x8 pixel font for maps, as a tcod tileset.

tcod ships no tileset, and a system's fonts differ or are absent. Letters and symbols are drawn in
``font.txt`` beside this module. Lines, blocks and shades are computed, so that they reach the edges of their
cell and meet their neighbours exactly. Together they cover Code Page 437.
"""

from __future__ import annotations

import functools
import re
from importlib import resources
from typing import TYPE_CHECKING, Final

import numpy as np
import tcod.tileset

from dungeon.grid.symmetry import LINES, arms_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

CELL: Final = 8  # Pixels along the side of a drawn glyph.
INK: Final = 255
MAX_SCALE: Final = 8

_HEADER: Final = re.compile(r"U\+([0-9A-F]{4,6}) (\S+)")
_ROW: Final = re.compile(rf"[.#]{{{CELL}}}")

# Characters that a header cannot show as themselves.
_NAMED: Final = {"space": 0x20, "no-break-space": 0xA0}


def square_tileset(scale: int = 2) -> tcod.tileset.Tileset:
    """Return a new tileset of square cells, with a tile for every code point of Code Page 437.

    Tiles are white, and their alpha is 0 or 255: pixels stay crisp at every scale.

    Args:
        scale: Screen pixels along the side of a drawn pixel, 1 to 8. A cell is ``8 * scale`` square.

    Raises:
        ValueError: If `scale` is out of range.

    Example::

        >>> square_tileset(3).tile_shape
        (24, 24)
    """
    if not 1 <= scale <= MAX_SCALE:
        raise ValueError(f"the scale of a tileset must be 1 to {MAX_SCALE}, not {scale}")
    tileset = tcod.tileset.Tileset(CELL * scale, CELL * scale)
    put = (
        getattr(tcod.tileset.Tileset, "__setitem__", None) or tcod.tileset.Tileset.set_tile
    )  # before tcod 20.1
    blank = np.zeros(
        (CELL, CELL), np.uint8
    )  # For NUL, the code point of a console cell that is never written.
    for code, glyph in {0: blank, **_drawn(), **_lines(), **_blocks()}.items():
        tile = np.full((*tileset.tile_shape, 4), INK, np.uint8)
        tile[..., 3] = glyph.repeat(scale, axis=0).repeat(scale, axis=1)
        put(tileset, code, tile)
    return tileset


def parse_font(text: str) -> dict[int, NDArray[np.uint8]]:
    """Return the glyphs drawn in `text`: code point -> (8, 8) array, 255 for ink and 0 elsewhere.

    The format is described at the top of ``font.txt``.

    Raises:
        ValueError: A line breaks the format. The message begins with its number.
    """
    font: dict[int, NDArray[np.uint8]] = {}
    lines = enumerate(text.splitlines(), start=1)
    for number, line in lines:
        if not line or line.startswith(";"):
            continue
        code = _parse_header(number, line)
        if code in font:
            raise ValueError(f"line {number}: U+{code:04X} is drawn twice")
        font[code] = _parse_rows(number, code, lines)
    return font


def _parse_header(number: int, line: str) -> int:
    """Return the code point of a header such as ``U+0041 A``. ValueError if the number and the character differ."""
    match = _HEADER.fullmatch(line)
    if match is None:
        raise ValueError(f"line {number}: expected a header such as 'U+0041 A', got {line!r}")
    digits, name = match.groups()
    code = int(digits, 16)
    if code != (ord(name) if len(name) == 1 else _NAMED.get(name)):
        raise ValueError(
            f"line {number}: the header names U+{digits} and {name!r}, which are different characters"
        )
    return code


def _parse_rows(number: int, code: int, lines: Iterator[tuple[int, str]]) -> NDArray[np.uint8]:
    """Read the 8 rows of the glyph whose header is on line `number`."""
    glyph = np.zeros((CELL, CELL), np.uint8)
    for y in range(CELL):
        number, row = next(lines, (number + 1, ""))
        if not _ROW.fullmatch(row):
            raise ValueError(
                f"line {number}: row {y + 1} of U+{code:04X} must be {CELL} of '.' and '#', got {row!r}"
            )
        glyph[y] = [INK * (pixel == "#") for pixel in row]
    return glyph


@functools.cache
def _drawn() -> Mapping[int, NDArray[np.uint8]]:
    """Return the glyphs of ``font.txt``. The arrays are shared and read-only."""
    font = parse_font(resources.files(__package__).joinpath("font.txt").read_text(encoding="utf-8"))
    for glyph in font.values():
        glyph.setflags(write=False)
    return font


def _lines() -> dict[int, NDArray[np.uint8]]:
    """Return the box-drawing glyphs, single, double and mixed."""
    return {ord(char): _line_glyph(arms) for char, arms in arms_of(LINES).items()}


def _line_glyph(arms: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return the glyph of a box-drawing character, in which lines of up to four directions (arms) meet in the middle.

    `arms`: weight of the line up, right, down, left (0 none, 1 single, 2 double). ``(0, 1, 0, 1)`` is a horizontal line.

    A single line is two pixels wide; a double line is two rails of one pixel with a channel of two between
    them, so both are centred::

        single ...##...    double ..#..#..

    Each arm is turned to the top by quarter turns of the cell, and painted there from row 0 down.
    """
    glyph = np.zeros((CELL, CELL), np.uint8)
    turned = [np.rot90(glyph, turn) for turn in range(4)]  # Views: painting them paints the glyph.
    reaches = [_reach(*arms[turn:], *arms[:turn]) for turn in range(4)]
    doubles = [turn for turn in range(4) if arms[turn] == 2]
    for turn in doubles:
        turned[turn][: reaches[turn], 2:6] = INK
    for turn in doubles:
        turned[turn][:5, 3:5] = 0
    for turn in range(4):
        if arms[turn] == 1:
            turned[turn][: reaches[turn], 3:5] = INK
    return glyph


def _reach(up: int, right: int, down: int, left: int) -> int:
    """Return how many pixels the line from the top edge (the arm `up`) reaches down, given the weights of all four arms.

    Weights are 0 for no line, 1 for a single and 2 for a double one. The arm ends flush with the far side of the line that it
    meets. But a single line stops at the near rail of a double line that crosses its end.

    Each example names a character, one of its arms, and how many pixels this arm reaches from its edge::

         ╔ down: 6   ╓ down: 5   ╓ right: 6  ╟ right: 3  ╫ right: 5
         ........    ........    ........    ..#..#..    ..#..#..
         ........    ........    ........    ..#..#..    ..#..#..
         ..######    ........    ........    ..#..#..    ..#..#..
         ..#.....    ..######    ..######    ..#..###    ########
         ..#.....    ..######    ..######    ..#..###    ########
         ..#..###    ..#..#..    ..#..#..    ..#..#..    ..#..#..
         ..#..#..    ..#..#..    ..#..#..    ..#..#..    ..#..#..
         ..#..#..    ..#..#..    ..#..#..    ..#..#..    ..#..#..
    """
    if up == 1 and right == left == 2 and not down:
        return 3
    return 6 if 2 in {right, left} else 5


def _blocks() -> dict[int, NDArray[np.uint8]]:
    """Return the full and half blocks and the three shades. The pattern of a shade continues across cell borders."""
    y, x = np.indices((CELL, CELL))
    half = CELL // 2
    quarter = (x + 2 * y) % 4 == 0
    ink = {
        "█": x >= 0,
        "▀": y < half,
        "▄": y >= half,
        "▌": x < half,
        "▐": x >= half,
        "░": quarter,
        "▒": (x + y) % 2 == 0,
        "▓": ~quarter,
    }
    return {ord(char): (INK * mask).astype(np.uint8) for char, mask in ink.items()}
