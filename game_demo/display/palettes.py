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
"""The lowest contrast of things that must be seen."""
TEXT: Final = 4.5
"""The lowest contrast of things that must be read."""

_FLARE: Final = 0.05
_WEIGHTS: Final = np.array([0.2126, 0.7152, 0.0722])
_SRGB: Final = np.arange(256) / 255
_LINEAR: Final = np.where(_SRGB <= 0.04045, _SRGB / 12.92, ((_SRGB + 0.055) / 1.055) ** 2.4)
"""The light of each value of an sRGB channel."""


def light(colours: ArrayLike) -> NDArray[np.float64]:
    """Return the linear light, 0 to 1, of the channels of (..., 3) uint8 sRGB colours."""
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
    """Return colours with at least a contrast to their backgrounds, as close to the given ones as possible.

    A colour that falls short is made brighter in its hue and then paler; on a background so bright that white would fall short,
    it is made darker.

    Args:
        fg: (..., 3) uint8, the colours.
        bg: (..., 3) uint8, their backgrounds.
        ratio: (...) or one number, the lowest contrast; at most 4.5, which black or white reach on any grey.

    Returns:
        (..., 3) uint8, unchanged where the contrast suffices.
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
"""The lowest contrast of the palette ``contrast`` (WCAG's level AAA)."""
SHADED: Final = 0.3
"""The share of a background's brightness that this palette keeps."""
BRIGHT_BG: Final = 0.2
"""A background of at least this luminance is a mark, such as a cursor, and is kept."""
SHIFT: Final = 0.8
"""How much of the difference of red and green is moved to blue."""
UNWRITTEN: Final = [ord(glyph) for glyph in " ▀█"]
"""Glyphs that are not text: the blank, and those that pictures are made of."""


def plain(_tiles: NDArray[np.void]) -> None:
    """Leave the colours as they are."""


def high_contrast(tiles: NDArray[np.void]) -> None:
    """Darken backgrounds and brighten text."""
    is_text = _is_written(tiles)
    dark = (luminance(tiles["bg"]) < BRIGHT_BG) & (is_text | (tiles["ch"] == ord(" ")))
    tiles["bg"][dark] = tiles["bg"][dark] * SHADED
    text = dark & is_text
    tiles["fg"][text] = legible(tiles["fg"][text], tiles["bg"][text], HIGH)


def colour_blind(tiles: NDArray[np.void]) -> None:
    """Turn the difference of red and green into one of yellow and blue, which people see who lack either of the two.

    After Fidaner, Lin and Ozguven, "Analysis of Color Blindness" (2005): what such eyes miss of a picture is added to what they see.
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
"""Name -> a function that recolours the (height, width) tiles of a console in place."""
