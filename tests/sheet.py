"""The contact sheet docs/maps.png: levels of every map type side by side, small, with what each encounter covers tinted.

Run as a script, it draws the sheet anew: for when maps have changed on purpose.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from demo import demo_content
from PIL import Image
from tcod.console import Console

import dungeon
from dungeon import terrain as t
from dungeon.adapters.console import render
from dungeon.adapters.scene import figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon import Level

ROOT = Path(__file__).parent.parent
SHEET = ROOT / "docs" / "maps.png"

SEEDS, ACROSS = range(1, 31), 3
"""The worlds of which levels are shown, and how many of each map: of the first worlds that have it."""
PIXELS = 3
"""The side of a cell."""

GAP = 12
CAPTION_HEIGHT = 12
CAPTION = (190, 186, 176)
GROUND_INK = 0.3
"""How much of its character's colour ground to walk on has; all else has all of it."""


def tile(level: Level) -> NDArray[np.uint8]:
    """Return a level as a picture of (height * PIXELS, width * PIXELS, 3): one colour a cell."""
    console = dungeon.to_console(level, highlight="encounters")
    base = level.terrain_set.base[level.terrain]
    drawn_cells = np.where((base >= t.FLOOR) & (base <= t.CAVE), GROUND_INK, 1.0)
    for figure in figures(level):
        drawn_cells[figure.cell] = 1.0
    drawn_cells[console.ch == ord(" ")] = 0.0
    bg, fg = console.bg.astype(np.float64), console.fg.astype(np.float64)
    colours = (bg + (fg - bg) * drawn_cells[..., None]).round().astype(np.uint8)
    return colours.repeat(PIXELS, axis=0).repeat(PIXELS, axis=1)


def caption(text: str) -> NDArray[np.uint8]:
    """Return a line of text as a picture."""
    console = Console(len(text), 1, order="C")
    console.print(0, 0, text, fg=CAPTION)
    return render(console)[..., :3]


def first_levels(worlds: Sequence[dungeon.World]) -> dict[str, str]:
    """Return the name of each map type -> the id of its first level, in the order in which worlds have them."""
    nodes = [node for world in worlds for node in world.maps]
    first = {node.name: node.id for node in sorted(nodes, key=lambda node: node.depth, reverse=True)}
    return {name: first[name] for name in dict.fromkeys(node.name for node in nodes)}


def sheet() -> NDArray[np.uint8]:
    """Return the whole sheet, a row for each map type."""
    content = demo_content()
    worlds = [dungeon.World(content, seed) for seed in SEEDS]
    rows = []
    for name, map_id in first_levels(worlds).items():
        having = [world for world in worlds if map_id in world and world.node(map_id).name == name]
        row = [world.level(map_id) for world in having[:ACROSS]]
        pictures = [(tile(each), caption(f"{each.name}, {each.id}, seed {each.seed}")) for each in row]
        height = max(len(drawn) for drawn, _ in pictures)
        width = max(max(drawn.shape[1], text.shape[1]) for drawn, text in pictures)
        rows.append((pictures, height, width))
    across = max(width for _, _, width in rows) + GAP
    result = np.zeros(
        (GAP + sum(height + CAPTION_HEIGHT + GAP for _, height, _ in rows), GAP + across * ACROSS, 3),
        np.uint8,
    )
    y = GAP
    for pictures, height, _ in rows:
        for number, (drawn, text) in enumerate(pictures):
            x = GAP + number * across
            result[y : y + text.shape[0], x : x + text.shape[1]] = text
            top = y + CAPTION_HEIGHT
            result[top : top + drawn.shape[0], x : x + drawn.shape[1]] = drawn
        y += height + CAPTION_HEIGHT + GAP
    return result


if __name__ == "__main__":
    Image.fromarray(sheet()).save(SHEET, optimize=True)
