"""A REXPaint drawing as a tcod console, its layers laid over each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from tcod.console import Console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.content.drawing.rexpaint import XpLayer


def to_console(layers: Sequence[XpLayer]) -> Console:
    """Return the drawing as its author sees it: transparent cells show the layer below.

    Args:
        layers: One or more layers of one size.
    """
    console = Console(layers[0].width, layers[0].height, order="C")
    for layer in layers:
        shown = ~layer.transparent
        console.rgb["ch"][shown] = layer.codepoints[shown]
        console.rgb["fg"][shown] = layer.fg[shown]
        console.rgb["bg"][shown] = layer.bg[shown]
    return console


SHADES = " ░▒▓█"
"""How bright a full block is, where there is no colour to show it."""


def to_rows(console: Console) -> list[str]:
    """Return the characters of a console, a string a row, for output without colour.

    What cannot be printed is a space. A full block would say nothing, so it is shaded by its brightness.
    """
    ch = np.where(console.ch >= ord(" "), console.ch, ord(" "))
    brightness = console.fg.astype(np.int64).sum(axis=2) * len(SHADES) // (3 * 255 + 1)
    shades = np.array([ord(shade) for shade in SHADES])[brightness]
    return ["".join(map(chr, row)) for row in np.where(ch == ord("█"), shades, ch).tolist()]
