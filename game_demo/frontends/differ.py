"""What to write to a terminal so that it shows the next frame: only cells that changed, in few bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from game_demo.frontends.capabilities import glyph
from game_demo.frontends.colours import colours_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from game_demo.frontends.capabilities import Capabilities

ERASED_BLANKS: Final = 8
"""From this many blanks in a row on, erasing them (ECH) is shorter than writing them."""

LONG: Final = 3500
"""A frame of more characters than this uses coarser shades, unless the whole screen is drawn."""
MOVE, CHANGE = 6, 15
"""About how many characters it takes to move the cursor, and to change the colour of one layer."""


class _News(NamedTuple):
    """The cells of a frame that have changed, sorted by colour and place: flat indices, characters and colours, each (n,).

    A run is a stretch of neighbours in one row with one pair of colours::

        ....####..@.      a run of 4, then a move over 2 cells, then a run of 1

    Runs are sorted by colour, because changing a colour takes more bytes than moving the cursor.

    Attributes:
        starts: Where in the arrays the runs begin, (runs,).
    """

    places: NDArray[np.intp]
    text: NDArray[np.str_]
    fg: NDArray[np.int32]
    bg: NDArray[np.int32]
    starts: NDArray[np.intp]

    @property
    def length(self) -> int:
        """About how many characters it takes to write the changed cells in 24-bit colour."""
        changes = sum(int((np.diff(layer[self.starts]) != 0).sum()) for layer in (self.fg, self.bg))
        return self.text.size + MOVE * self.starts.size + CHANGE * changes


def _in_order(
    places: NDArray[np.intp],
    text: NDArray[np.str_],
    fg: NDArray[np.int32],
    bg: NDArray[np.int32],
    columns: int,
) -> _News:
    """Return cells sorted by colour and place. Blanks take the text colour of the cell before them."""
    if not places.size:
        return _News(places, text, fg, bg, places)
    fg = fg[np.maximum.accumulate(np.where(text != " ", np.arange(fg.size), 0))]
    order = np.lexsort((places, fg, bg))
    places, text, fg, bg = places[order], text[order], fg[order], bg[order]
    breaks = (np.diff(places) != 1) | (places[1:] % columns == 0) | (np.diff(fg) != 0) | (np.diff(bg) != 0)
    return _News(places, text, fg, bg, np.concatenate([[0], np.flatnonzero(breaks) + 1]))


class Differ:
    """Turns each frame into the text that brings the terminal from the frame before to it.

    Args:
        terminal: What the terminal can do.
    """

    def __init__(self, terminal: Capabilities) -> None:
        self._terminal = terminal
        self._colours = colours_of(terminal)
        self._frame: NDArray[Any] | None = None
        self._text = np.zeros(0, dtype="U1")
        self._fg = self._bg = np.zeros(0, np.int32)
        self._pen = -1, -1  # the codes of the colours that are written in
        self._columns = 0

    def forget(self) -> None:
        """Assume nothing about what the terminal shows: the next frame is drawn in full."""
        self._frame = None

    def frame(self, cells: NDArray[Any]) -> str:
        """Return what to write so that the terminal shows `cells`; empty if nothing has changed.

        Args:
            cells: The frame, (rows, columns) of tcod's ``rgb_graphic``.
        """
        before, self._frame = self._frame, cells.copy()
        if before is None or before.shape != cells.shape:
            self._columns = cells.shape[1]
            start, changed = self._clear(cells.size), np.ones(cells.size, np.bool_)
        else:
            raw = [frame.view(np.uint16).reshape(cells.size, -1) for frame in (before, self._frame)]
            start, changed = "", (raw[0] != raw[1]).any(axis=1)
        places = np.flatnonzero(changed)
        if not places.size:
            return start
        picked = cells.reshape(-1)[places]
        text = np.array([glyph(code, self._terminal.charset) for code in picked["ch"].tolist()])
        for grain in self._colours.grains:
            news = self._news(places, text, picked, grain)
            if start or news.length <= LONG:
                break
        self._text[news.places], self._fg[news.places], self._bg[news.places] = news.text, news.fg, news.bg
        return start + self._written(news)

    def _news(
        self, places: NDArray[np.intp], text: NDArray[np.str_], cells: NDArray[Any], grain: int
    ) -> _News:
        """Return the cells that the terminal does not show as they should be."""
        fg, bg = self._colours.codes(cells["fg"], cells["bg"], grain)
        stale = text != self._text[places]
        stale |= self._colours.differ(bg, self._bg[places], "bg", grain)
        stale |= self._colours.differ(fg, self._fg[places], "fg", grain) & (text != " ")
        # It takes more to move over a blank between two words than to write it.
        stale[1:-1] |= stale[:-2] & stale[2:] & (text[1:-1] == " ") & (places[2:] - places[:-2] == 2)
        return _in_order(places[stale], text[stale], fg[stale], bg[stale], self._columns)

    def _clear(self, size: int) -> str:
        """Return the text that clears the terminal, and note what it shows then."""
        black = np.zeros((1, 3), np.uint8)
        code = int(self._colours.codes(black, black, 1)[1][0])
        is_known = self._terminal.erases_in_colour or self._terminal.colours == "none"
        self._text = np.full(size, " " if is_known else "", dtype="U1")
        self._fg, self._bg = np.full(size, -1, np.int32), np.full(size, code, np.int32)
        self._pen = -1, code
        return f"\x1b[0;{self._colours.sgr(code, 'bg')}m\x1b[2J"

    def _written(self, news: _News) -> str:
        """Return the text that writes some cells."""
        if not news.places.size:
            return ""
        letters = "".join(news.text.tolist())
        ends = [*news.starts[1:].tolist(), news.places.size]
        layers = (layer[news.starts].tolist() for layer in (news.places, news.fg, news.bg))
        out: list[str] = []
        cursor = -1
        for start, end, place, fg, bg in zip(news.starts.tolist(), ends, *layers, strict=True):
            run = letters[start:end]
            out += _move(cursor, place, self._columns), self._change(fg, bg)
            cursor = place + len(run)
            if self._terminal.erases_in_colour and len(run) >= ERASED_BLANKS and run.isspace():
                run, cursor = f"\x1b[{len(run)}X", place
            out.append(run)
        return "".join(out)

    def _change(self, fg: int, bg: int) -> str:
        """Return the text that changes the colours for writing."""
        parameters = []
        if fg != self._pen[0]:
            parameters.append(self._colours.sgr(fg, "fg"))
        if bg != self._pen[1]:
            parameters.append(self._colours.sgr(bg, "bg"))
        self._pen = fg, bg
        return f"\x1b[{';'.join(parameters)}m" if parameters else ""


def _move(cursor: int, place: int, columns: int) -> str:
    """Return the text that moves the cursor. After the last cell of a row the cursor has no known place."""
    if cursor == place and place % columns:
        return ""
    ahead = place - cursor
    if cursor // columns == place // columns and cursor % columns and ahead > 0:
        return "\x1b[C" if ahead == 1 else f"\x1b[{ahead}C"
    return f"\x1b[{place // columns + 1};{place % columns + 1}H"
