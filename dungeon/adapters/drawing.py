"""A REXPaint drawing as a tcod console, its layers laid over each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from tcod.console import Console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.content.rexpaint import XpLayer


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


def to_rows(console: Console) -> list[str]:
    """Return the characters of a console, a string a row; what cannot be printed is a space."""
    printable = np.where(console.ch >= ord(" "), console.ch, ord(" "))
    return ["".join(map(chr, row)) for row in printable.tolist()]
