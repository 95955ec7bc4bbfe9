"""What to write to a terminal so that it shows the next frame: only the cells that changed."""

from __future__ import annotations

import sys
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from wcwidth import wcwidth

if TYPE_CHECKING:
    from numpy.typing import NDArray

SYNC_BEGIN, SYNC_END = "\x1b[?2026h", "\x1b[?2026l"
"""A terminal that knows these shows the frame between them at once; the others pay no heed."""


@cache
def glyph(code: int) -> str:
    """Return the character to print for a console's code point: one that takes exactly one cell.

    Glyph 0 and the various spaces are a space. Wide, combining, control, private and unassigned code points
    are ``?``, for a terminal would give them two cells or none, and the rest of the row would shift.
    """
    if code == 0:
        return " "
    if not 0 < code <= sys.maxunicode:
        return "?"
    character = chr(code)
    if unicodedata.category(character) == "Zs":
        return " "
    return character if character.isprintable() and wcwidth(character) == 1 else "?"


class Differ:
    """Turns one frame after another into the text that brings a terminal from each to the next."""

    def __init__(self) -> None:
        self._shown: NDArray[Any] | None = None

    def forget(self) -> None:
        """Take nothing for granted about what the terminal shows: draw the next frame in full."""
        self._shown = None

    def frame(self, cells: NDArray[Any]) -> str:
        """Return what to write so that the terminal shows `cells`; an empty text where nothing changed.

        Args:
            cells: The frame, with the shape (rows, columns) and tcod's ``rgb_graphic`` dtype.
        """
        shown, self._shown = self._shown, cells.copy()
        if shown is None or shown.shape != cells.shape:
            start, changed = "\x1b[0m\x1b[2J", np.ones(cells.shape, dtype=np.bool_)
        else:
            start, changed = "", cells["ch"] != shown["ch"]
            for layer in ("fg", "bg"):
                changed |= (cells[layer] != shown[layer]).any(axis=2)
        body = _runs(cells, np.flatnonzero(changed))
        return f"{SYNC_BEGIN}{start}{body}{SYNC_END}" if body else ""


def _runs(cells: NDArray[Any], places: NDArray[np.intp]) -> str:
    """Return the text that writes the cells at the flat indices `places`, in ascending order.

    A run is a stretch of neighbours in one row and one pair of colours::

        ....####..@.      a run of 4, then a move over 2 cells, then a run of 1
    """
    if not places.size:
        return ""
    columns = cells.shape[1]
    picked = cells.reshape(-1)[places]
    text = "".join(map(glyph, picked["ch"].tolist()))
    colours = np.hstack([picked["fg"], picked["bg"]])
    breaks = (np.diff(places) != 1) | (places[1:] % columns == 0) | (colours[1:] != colours[:-1]).any(axis=1)
    starts = np.concatenate([[0], np.flatnonzero(breaks) + 1])
    ends = [*starts[1:].tolist(), places.size]
    out: list[str] = []
    after = row = -1  # the place behind the cursor's last run, and the cursor's row
    front: list[int] = []
    back: list[int] = []
    for start, end, place, colour in zip(
        starts.tolist(), ends, places[starts].tolist(), colours[starts].tolist(), strict=True
    ):
        if place // columns != row:
            row = place // columns
            out.append(f"\x1b[{row + 1};{place % columns + 1}H")
        elif place != after:
            out.append(f"\x1b[{place - after}C")
        shades = []
        if colour[:3] != front:
            front = colour[:3]
            shades.append("38;2;{};{};{}".format(*front))
        if colour[3:] != back:
            back = colour[3:]
            shades.append("48;2;{};{};{}".format(*back))
        if shades:
            out.append(f"\x1b[{';'.join(shades)}m")
        out.append(text[start:end])
        after = place + end - start
    return "".join(out)
