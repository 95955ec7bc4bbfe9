"""Turn a recording of a level being built into pictures for an animated GIF, with captions and one palette. A frame is the level after one step; a phase is a stage of generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from tcod.console import Console

from dungeon.adapters.console import to_console
from dungeon.adapters.tileset import CELL, square_tileset

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.adapters.recording import Frame, Recording
    from dungeon.core.vocabulary import Highlight


COLOURS = 256
LAYERS = ("fg", "bg")
CAPTION = 3
"""Rows below the map: an empty one, the caption, and a progress bar."""

NARROWEST = 48
"""Minimum number of columns of a picture, so that the caption fits."""

FRESH = (150, 44, 104)
"""The background of cells that have changed since the frame before."""

MOST_FRESH = 0.25
"""If a larger share of the cells has changed, none is tinted."""

PHASE, MESSAGE, DONE, TO_COME = (240, 200, 110), (196, 196, 190), (120, 140, 180), (44, 50, 64)

PHASE_WIDTH = 10

FIRST, PHASE_END, LAST = 700, 500, 3000
"""Milliseconds for which the first frame, the last frame of a phase, and the last frame are shown."""

RUNNING = 5000
"""Milliseconds for all other frames together; each is shown for at least 40 and at most 150."""


class Animation(NamedTuple):
    """The pictures of an animation.

    Attributes:
        palette: (n, 3) uint8 colours, n at most 256.
        size: (height, width) of each picture in pixels.
        pictures: (height, width) uint8 arrays of palette indices, made one by one during iteration.
        durations: Milliseconds for which each picture is shown.
    """

    palette: NDArray[np.uint8]
    size: tuple[int, int]
    pictures: Iterator[NDArray[np.uint8]]
    durations: list[int]


def choose_frames(recording: Recording, most: int) -> list[int]:
    """Return the numbers of the frames to show, at most `most` (2 or more), in order.

    They are the first frame, the last frame of every phase, and others spread evenly between them.
    """
    count = len(recording)
    if count <= most:
        return list(range(count))
    ends = sorted({0, *(frames[-1] for frames in recording.phases.values()), count - 1})
    if len(ends) > most:
        return [0, *_spread(ends[1:-1], most - 2), count - 1]
    others = sorted(set(range(count)) - set(ends))
    return sorted([*ends, *_spread(others, most - len(ends))])


def _spread(numbers: Sequence[int], most: int) -> list[int]:
    """Return `most` of the numbers, spread evenly over them.

    ``[1, 2, 3, 4, 5, 6], 2`` -> ``[2, 5]``.
    """
    return [numbers[(2 * each + 1) * len(numbers) // (2 * most)] for each in range(most)]


def animate(
    recording: Recording, *, most: int = 60, scale: int = 1, highlight: Highlight | None = None
) -> Animation:
    """Return a recording as pictures with captions.

    Args:
        recording: The recording.
        most: Maximum number of pictures, 2 or more.
        scale: Size of the pictures: a cell is 8 * scale pixels wide and high.
        highlight: As for `to_console`.
    """
    chosen = choose_frames(recording, most)
    count = len(recording)
    palette = _palette(captioned(recording[number], count, highlight) for number in chosen)
    painter = _Painter(palette, scale)
    height, width = recording.shape
    pixels = CELL * scale
    return Animation(
        palette=palette,
        size=((height + CAPTION) * pixels, max(width, NARROWEST) * pixels),
        pictures=(painter.paint(captioned(recording[number], count, highlight)) for number in chosen),
        durations=_durations(recording, chosen),
    )


def _durations(recording: Recording, chosen: Sequence[int]) -> list[int]:
    """Return the milliseconds for which each chosen frame is shown: multiples of 10, as a GIF needs."""
    ends = {frames[-1] for frames in recording.phases.values()}
    running = min(max(RUNNING // len(chosen) // 10 * 10, 40), 150)
    durations = [PHASE_END if number in ends else running for number in chosen]
    durations[0], durations[-1] = FIRST, LAST
    return durations


def drawn_frame(frame: Frame, highlight: Highlight | None = None) -> Console:
    """Return a frame as a console, in which cells that have changed since the frame before are tinted.

    If more than `MOST_FRESH` of the cells have changed, none is tinted.

    Args:
        frame: The frame.
        highlight: As for `to_console`; cells that it tints keep their tint.
    """
    console = to_console(frame, highlight)
    if frame.changed.mean() <= MOST_FRESH:
        plain = frame.terrain_set.bg[frame.terrain]
        console.rgb["bg"][frame.changed & (console.rgb["bg"] == plain).all(axis=2)] = FRESH
    return console


def captioned(frame: Frame, count: int, highlight: Highlight | None = None) -> Console:
    """Return a frame as a console, with the phase, the message of the step and a progress bar below the map.

    Args:
        frame: The frame.
        count: Number of frames of the recording, for the progress bar.
        highlight: As for `to_console`.
    """
    drawn = drawn_frame(frame, highlight)
    width = max(drawn.width, NARROWEST)
    console = Console(width, drawn.height + CAPTION, order="C")
    console.rgb[...] = (ord(" "), MESSAGE, (0, 0, 0))
    left = (width - drawn.width) // 2
    console.rgb[: drawn.height, left : left + drawn.width] = drawn.rgb
    _write(console, drawn.height + 1, 1, frame.phase.value, PHASE)
    _write(console, drawn.height + 1, 1 + PHASE_WIDTH, frame.message, MESSAGE)
    number = f"{frame.number + 1}/{count}"
    room = width - 3 - len(number)
    full = round(room * (frame.number + 1) / count)
    _write(console, drawn.height + 2, 1, "▄" * full, DONE)
    _write(console, drawn.height + 2, 1 + full, "▄" * (room - full), TO_COME)
    _write(console, drawn.height + 2, 2 + room, number, MESSAGE)
    return console


def _write(console: Console, y: int, x: int, text: str, fg: tuple[int, int, int]) -> None:
    """Write a text into a row, cut at the right edge."""
    text = text[: console.width - x - 1]
    cells = console.rgb[y, x : x + len(text)]
    cells["ch"] = [ord(char) for char in text]
    cells["fg"] = fg


def _packed(colours: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return (..., 3) colours as (...) numbers 0xRRGGBB."""
    packed: NDArray[np.uint32] = colours.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    return packed


def _palette(consoles: Iterable[Console]) -> NDArray[np.uint8]:
    """Return the colours of all consoles, (n, 3) uint8, n at most 256.

    If there are more colours, low bits of red, green and blue are dropped until 256 colours suffice.
    """
    packed = np.empty(0, np.uint32)
    for console in consoles:
        packed = np.unique(np.concatenate([packed, *(_packed(console.rgb[each]).ravel() for each in LAYERS)]))
    colours = np.stack([packed >> 16, packed >> 8 & 255, packed & 255], axis=1).astype(np.uint8)
    for bits in range(8):
        coarse = np.unique(colours >> bits, axis=0)
        if len(coarse) <= COLOURS:
            break
    middle = (1 << bits) >> 1  # each coarse colour becomes the middle of the range that it replaces
    return ((coarse.astype(np.int64) << bits) + middle).astype(np.uint8)


class _Painter:
    """Turns consoles into pictures whose pixels are indices of a palette."""

    def __init__(self, palette: NDArray[np.uint8], scale: int) -> None:
        self._palette = palette.astype(np.int32)
        self._tileset = square_tileset(scale)
        self._ink: dict[int, NDArray[np.bool_]] = {}
        self._index: dict[int, int] = {}

    def paint(self, console: Console) -> NDArray[np.uint8]:
        """Return a console as a (height, width) uint8 picture of palette indices."""
        cells = console.rgb
        codes, which = np.unique(cells["ch"], return_inverse=True)
        ink = np.stack([self._glyph(code) for code in codes.tolist()])[which.reshape(cells.shape)]
        fg, bg = (self._indices(cells[layer])[..., None, None] for layer in LAYERS)
        tiles = np.where(ink, fg, bg)  # (rows, columns, pixel rows, pixel columns)
        rows, columns, height, width = tiles.shape
        return np.ascontiguousarray(tiles.transpose(0, 2, 1, 3).reshape(rows * height, columns * width))

    def _glyph(self, code: int) -> NDArray[np.bool_]:
        """Return a (8 * scale, 8 * scale) bool mask of the pixels of a character."""
        if code not in self._ink:
            known = code in self._tileset
            self._ink[code] = self._tileset[code if known else ord(" ")][..., 3] > 0
        return self._ink[code]

    def _indices(self, colours: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return, for each colour in an (h, w, 3) array, the index of the nearest colour of the palette: (h, w) uint8."""
        packed, which = np.unique(_packed(colours), return_inverse=True)
        for colour in packed.tolist():
            if colour not in self._index:
                away = self._palette - (colour >> 16, colour >> 8 & 255, colour & 255)
                self._index[colour] = int((away**2).sum(axis=1).argmin())
        indices = np.array([self._index[colour] for colour in packed.tolist()], np.uint8)
        return indices[which.reshape(colours.shape[:2])]
