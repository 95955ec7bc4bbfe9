"""Colours that can be read: the contrast of two colours, and palettes that recolour a finished screen.

Contrast follows the rules for web pages (WCAG 2.2). Relative luminance runs from 0 for black to 1 for white; the contrast of
two colours is ``(L1 + 0.05) / (L2 + 0.05)``, from 1 to 21. See https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray


# -- contrast --------------------------------------------------------------------------------------

SIGN: Final = 3.0
"""The least contrast of whatever one must see."""
TEXT: Final = 4.5
"""The least contrast of whatever one must read."""

_FLARE: Final = 0.05
_WEIGHTS: Final = np.array([0.2126, 0.7152, 0.0722])
_SRGB: Final = np.arange(256) / 255
_LINEAR: Final = np.where(_SRGB <= 0.04045, _SRGB / 12.92, ((_SRGB + 0.055) / 1.055) ** 2.4)
"""How much light each value of a channel is."""


def light(colours: ArrayLike) -> NDArray[np.float64]:
    """Return how much light the channels of (..., 3) uint8 colours are, each from 0 to 1."""
    channels: NDArray[np.float64] = _LINEAR[np.asarray(colours, np.uint8)]
    return channels


def luminance(colours: ArrayLike) -> NDArray[np.float64]:
    """Return the relative luminance of (..., 3) uint8 colours, (...)."""
    relative: NDArray[np.float64] = light(colours) @ _WEIGHTS
    return relative


def contrast(one: ArrayLike, other: ArrayLike) -> NDArray[np.float64]:
    """Return the contrast between (..., 3) uint8 colours, (...)."""
    high, low = luminance(one) + _FLARE, luminance(other) + _FLARE
    return np.maximum(high, low) / np.minimum(high, low)


def legible(fg: NDArray[np.uint8], bg: NDArray[np.uint8], ratio: ArrayLike) -> NDArray[np.uint8]:
    """Return colours that stand out from what is behind them, as near to the given ones as that allows.

    Those that fall short are made brighter in their own hue and then paler; darker, where what is behind them is so bright
    that white would not stand out.

    Args:
        fg: (..., 3) the colours.
        bg: (..., 3) what is behind them.
        ratio: (...) or one number, the least contrast; no more than 4.5, as a medium grey stands out no better from
            black than from white.

    Returns:
        (..., 3) uint8, where contrast already suffices the given ones.
    """
    found = fg.copy()
    ratio = np.broadcast_to(np.asarray(ratio, np.float64), fg.shape[:-1])
    weak = contrast(fg, bg) < ratio
    behind, ratio = luminance(bg[weak]) + _FLARE, ratio[weak]
    wanted = ratio * behind - _FLARE
    is_dark = wanted > 1
    wanted[is_dark] = np.maximum(behind / ratio - _FLARE, 0)[is_dark]
    lit = light(fg[weak])
    now, most = np.maximum(lit @ _WEIGHTS, 1e-9), np.maximum(lit.max(axis=-1), 1e-9)
    lit *= np.minimum(wanted / now, 1 / most)[..., None]
    now = lit @ _WEIGHTS
    lit += ((wanted - now).clip(0) / np.maximum(1 - now, 1e-9))[..., None] * (1 - lit)
    srgb = 255 * np.where(lit <= 0.0031308, lit * 12.92, 1.055 * lit ** (1 / 2.4) - 0.055)
    srgb = np.where(is_dark[..., None], np.floor(srgb + 1e-6), np.ceil(srgb - 1e-6))
    found[weak] = srgb.clip(0, 255)
    return found


# -- palettes --------------------------------------------------------------------------------------

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
