"""The eight ways to lay a rectangle: four turns, each also mirrored."""

from __future__ import annotations

from enum import Enum
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
