"""The eight orientations (four quarter turns, each also mirrored) of a drawing and its line characters such as `└` and `║`.

The *arms* of a line character are its lines from the middle up, right, down and left: `└` has the arms up and right.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

S = TypeVar("S", bound=np.generic)


class Orientation(Enum):
    """One of the eight orientations of a drawing: first it may be mirrored left to right, then it is turned clockwise.

    After 1 quarter turn, for example, the drawing's south edge faces west.

    Attributes:
        turns: The number of clockwise quarter turns, 0 to 3.
        mirrored: Whether the drawing is mirrored left to right before it is turned.
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

    # Orientations are often keys of dicts, and the hash of Enum is written in Python, which is slow.
    __hash__ = object.__hash__

    @property
    def label(self) -> str:
        """The orientation's name in content files and reports, such as ``r90`` or ``m180``."""
        return self.name.lower()

    @classmethod
    def named(cls, label: str) -> Orientation:
        """Return the orientation with this label, such as ``r90``.

        Raises:
            KeyError: No orientation has this label.
        """
        return cls[label.upper()]

    def before(self, last: Orientation) -> Orientation:
        """Return the orientation X for which this holds: to lay a drawing in X, then the result in `last`, is to lay it in `self`.

        `R270.before(R90)` is `R180`: half a turn, then a quarter turn, is three quarter turns.
        """
        quarters = self.turns - last.turns
        if last.mirrored:
            quarters = -quarters
        return ALL_ORIENTATIONS[quarters % 4 + 4 * (self.mirrored != last.mirrored)]

    def turn(self, array: NDArray[S]) -> NDArray[S]:
        """Return a (height, width) array in this orientation; its shape is (width, height) after an odd number of turns."""
        if self.mirrored:
            array = array[:, ::-1]
        if self.turns % 2:
            array = array.T
        flipped = array[:: -1 if self.turns > 1 else 1, :: -1 if self.turns in (1, 2) else 1]
        return np.ascontiguousarray(flipped)

    def turn_cell(self, y: int, x: int, height: int, width: int) -> tuple[int, int]:
        """Return where cell (y, x) of a height x width drawing lies after the drawing is laid in this orientation.

        For `R90`, the cell (0, 0) of a drawing with 3 rows goes to (0, 2).
        """
        if self.mirrored:
            x = width - 1 - x
        for _ in range(self.turns):
            y, x = x, height - 1 - y
            height, width = width, height
        return y, x

    def turn_vector(self, dy: int, dx: int) -> tuple[int, int]:
        """Return where the direction (dy, dx) points after the drawing is laid in this orientation: for `R90`, (1, 0) -> (0, -1)."""
        if self.mirrored:
            dx = -dx
        for _ in range(self.turns):
            dy, dx = dx, -dy
        return dy, dx


ALL_ORIENTATIONS: tuple[Orientation, ...] = tuple(Orientation)

# -- characters -------------------------------------------------------------------------------------

Arms = tuple[int, int, int, int]
"""The arms of a line character (up, right, down, left): 0 for none, 1 for a single line, 2 for a double line."""

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
"""Families of characters that turn into each other, each character followed by its arms, such as `┌0110`."""

SLANTS = "/\\"


def arms_of(family: str) -> dict[str, Arms]:
    """Return character -> its arms (lines up, right, down and left), for one of the `FAMILIES`: "┌0110 ┐0011" -> {"┌": (0, 1, 1, 0), "┐": (0, 0, 1, 1)}."""
    result = {}
    for entry in family.split():
        up, right, down, left = map(int, entry[1:])
        result[entry[0]] = up, right, down, left
    return result


def turn_arms(arms: Arms, orientation: Orientation) -> Arms:
    """Return a character's arms (its lines up, right, down and left) after it is laid in this orientation."""
    up, right, down, left = arms
    if orientation.mirrored:
        right, left = left, right
    for _ in range(orientation.turns):
        up, right, down, left = left, up, right, down
    return up, right, down, left


@cache
def turned(orientation: Orientation) -> dict[str, str]:
    """Return, for every line-drawing, arrow or half-block character, its form in this orientation: for `R90`, `┌` -> `┐`."""
    table: dict[str, str] = {}
    for family in map(arms_of, FAMILIES):
        by_arms = {arms: char for char, arms in family.items()}
        table |= {char: by_arms[turn_arms(arms, orientation)] for char, arms in family.items()}
    if (orientation.turns % 2 == 1) != orientation.mirrored:
        table |= dict(zip(SLANTS, reversed(SLANTS), strict=True))
    return table


def turn_glyph(glyph: str, orientation: Orientation) -> str:
    """Return the character that shows `glyph` in this orientation; `glyph` itself if it has no direction."""
    return turned(orientation).get(glyph, glyph)
