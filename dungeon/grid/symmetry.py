"""The eight orientations of a drawing (four quarter turns, each also mirrored), for arrays and for characters."""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

S = TypeVar("S", bound=np.generic)


class Orientation(Enum):
    """A quarter turn count (clockwise), after a mirroring left to right if `mirrored`.

    The drawing's south edge faces south, west, north, east after 0, 1, 2, 3 turns.

    Attributes:
        turns: Quarter turns clockwise.
        mirrored: Whether it is mirrored left to right before it is turned.
    """

    R0 = (0, False)
    R90 = (1, False)
    R180 = (2, False)
    R270 = (3, False)
    M0 = (0, True)
    M90 = (1, True)
    M180 = (2, True)
    M270 = (3, True)

    def __init__(self, turns: int, mirrored: bool) -> None:  # noqa: FBT001
        self.turns = turns
        self.mirrored = mirrored

    __hash__ = object.__hash__  # that of an enumeration is written in Python, and these are looked up often

    @property
    def label(self) -> str:
        """Its name as content files and reports write it: ``r90``."""
        return self.name.lower()

    @classmethod
    def named(cls, label: str) -> Orientation:
        """Return the orientation with that label. KeyError if there is none."""
        return cls[label.upper()]

    def before(self, last: Orientation) -> Orientation:
        """Return the orientation that, with `last` after it, is this one."""
        quarters = self.turns - last.turns
        if last.mirrored:
            quarters = -quarters
        return ALL_ORIENTATIONS[quarters % 4 + 4 * (self.mirrored != last.mirrored)]

    def turn(self, array: NDArray[S]) -> NDArray[S]:
        """Return a (height, width, ...) array laid this way: (width, height, ...) after an odd number of quarter turns."""
        if self.mirrored:
            array = array[:, ::-1]
        if self.turns % 2:
            array = array.T
        flipped = array[:: -1 if self.turns > 1 else 1, :: -1 if self.turns in (1, 2) else 1]
        return np.ascontiguousarray(flipped)

    def turn_cell(self, y: int, x: int, height: int, width: int) -> tuple[int, int]:
        """Return where the cell of a height x width drawing comes to lie."""
        if self.mirrored:
            x = width - 1 - x
        for _ in range(self.turns):
            y, x = x, height - 1 - y
            height, width = width, height
        return y, x

    def turn_vector(self, dy: int, dx: int) -> tuple[int, int]:
        """Return where a step (dy, dx) of the drawing points to."""
        if self.mirrored:
            dx = -dx
        for _ in range(self.turns):
            dy, dx = dx, -dy
        return dy, dx


ALL_ORIENTATIONS: tuple[Orientation, ...] = tuple(Orientation)

# -- characters -------------------------------------------------------------------------------------

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
