"""Palettes: what is done to the colours of a finished screen, for eyes that need more contrast or see fewer colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from game_demo.display.contrast import SIGN, legible, luminance

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

HIGH: Final = 7.0
"""The least contrast of the palette of that name (WCAG's level AAA)."""
SHADED: Final = 0.3
"""What it leaves of what is behind the glyphs."""
BRIGHT_BG: Final = 0.2
"""Cells whose background has at least this luminance are marked on purpose, as a cursor is."""
SHIFT: Final = 0.8
"""How much of the difference of red and green is moved to blue."""
UNWRITTEN: Final = [ord(glyph) for glyph in " ▀█"]
"""What is no writing: nothing at all, and glyphs of which pictures are made."""


def plain(_tiles: NDArray[np.void]) -> None:
    """Leave the colours as they are."""


def high_contrast(tiles: NDArray[np.void]) -> None:
    """Darken what is behind, and brighten what is before it."""
    is_text = _is_written(tiles)
    dark = (luminance(tiles["bg"]) < BRIGHT_BG) & (is_text | (tiles["ch"] == ord(" ")))
    tiles["bg"][dark] = tiles["bg"][dark] * SHADED
    text = dark & is_text
    tiles["fg"][text] = legible(tiles["fg"][text], tiles["bg"][text], HIGH)


def colour_blind(tiles: NDArray[np.void]) -> None:
    """Turn the difference of red and green into one of yellow and blue, which people see who lack either of the two.

    After Fidaner, Lin and Ozguven, "Analysis of Color Blindness" (2005): what such eyes miss of a picture is added to
    what they do see.
    """
    for layer in ("fg", "bg"):
        red, green, blue = np.moveaxis(tiles[layer].astype(np.float32), -1, 0)
        tiles[layer][..., 2] = (blue - SHIFT * (red - green)).clip(0, 255)
    text = _is_written(tiles)
    tiles["fg"][text] = legible(tiles["fg"][text], tiles["bg"][text], SIGN)


def _is_written(tiles: NDArray[np.void]) -> NDArray[np.bool_]:
    return ~np.isin(tiles["ch"], UNWRITTEN)


PALETTES: Final[dict[str, Callable[[NDArray[np.void]], None]]] = {
    "plain": plain,
    "contrast": high_contrast,
    "colour-blind": colour_blind,
}
"""Each by its name: it changes the (height, width) tiles of a console."""
