"""Characters that point somewhere, and what becomes of them when a drawing is turned or mirrored."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dungeon.grid.symmetry import Orientation

Arms = tuple[int, int, int, int]
"""How strongly a character reaches up, right, down and left: 0 not at all, 1 singly, 2 doubly."""

LINES = (
    "│1010 ─0101 ┌0110 ┐0011 └1100 ┘1001 ├1110 ┤1011 ┬0111 ┴1101 ┼1111 "
    "║2020 ═0202 ╔0220 ╗0022 ╚2200 ╝2002 ╠2220 ╣2022 ╦0222 ╩2202 ╬2222 "
    "╒0210 ╕0012 ╘1200 ╛1002 ╞1210 ╡1012 ╤0212 ╧1202 ╪1212 "
    "╓0120 ╖0021 ╙2100 ╜2001 ╟2120 ╢2021 ╥0121 ╨2101 ╫2121"
)
FAMILIES = (
    LINES,
    "↑1000 →0100 ↓0010 ←0001 ↔0101 ↕1010",
    "▲1000 ►0100 ▼0010 ◄0001",
    "▀1000 ▐0100 ▄0010 ▌0001",
    "|1010 -0101",
)
"""Characters that turn into each other, with their arms."""

SLANTS = "/\\"


def arms_of(family: str) -> dict[str, Arms]:
    """Return character -> arms for one of the families."""
    result = {}
    for entry in family.split():
        up, right, down, left = map(int, entry[1:])
        result[entry[0]] = up, right, down, left
    return result


def turn_arms(arms: Arms, orientation: Orientation) -> Arms:
    """Return where the arms point in that orientation."""
    up, right, down, left = arms
    if orientation.mirrored:
        right, left = left, right
    for _ in range(orientation.turns):
        up, right, down, left = left, up, right, down
    return up, right, down, left


@cache
def turned(orientation: Orientation) -> dict[str, str]:
    """Return, for every character that points somewhere, the one that shows the same in that orientation."""
    table: dict[str, str] = {}
    for family in map(arms_of, FAMILIES):
        by_arms = {arms: char for char, arms in family.items()}
        table |= {char: by_arms[turn_arms(arms, orientation)] for char, arms in family.items()}
    if (orientation.turns % 2 == 1) != orientation.mirrored:
        table |= dict(zip(SLANTS, reversed(SLANTS), strict=True))
    return table


def turn_glyph(glyph: str, orientation: Orientation) -> str:
    """Return the character that shows in that orientation what `glyph` shows as drawn."""
    return turned(orientation).get(glyph, glyph)
