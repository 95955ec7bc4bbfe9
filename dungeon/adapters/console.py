"""A level as a tcod console."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from tcod.console import Console, rgb_graphic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from dungeon.grid.rect import Cell
    from dungeon.level.model import Level, Spawn
    from dungeon.terrain import Colour, TerrainSet
    from dungeon.vocabulary import Category

Highlight = Literal["encounters"]

CATEGORY_COLOURS: dict[Category, Colour] = {
    "fluff": (46, 62, 92),
    "risk": (104, 84, 18),
    "danger": (112, 28, 28),
    "reward": (24, 86, 46),
}
"""What highlighted encounters are tinted with."""

DRAW_ORDER = ("debris", "trap", "item", "prop", "robot")
"""Kinds of spawns from the bottom of a cell to its top."""


class Figure(NamedTuple):
    """What one spawn shows on one cell."""

    cell: Cell
    glyph: str
    fg: Colour


def figures(level: Level) -> Iterator[Figure]:
    """Yield what spawns show, in the order in which to draw it."""
    rank = {kind: place for place, kind in enumerate(DRAW_ORDER)}
    for spawn in sorted(level.spawns, key=lambda spawn: rank[spawn.kind]):
        yield from figures_of(spawn)


def figures_of(spawn: Spawn) -> Iterator[Figure]:
    """Yield what one spawn shows on each of its cells."""
    glyphs = spawn.glyphs or (spawn.glyph,) * len(spawn.cells)
    for cell, glyph in zip(spawn.cells, glyphs, strict=True):
        yield Figure(cell, glyph, spawn.fg)


def terrain_tiles(terrain: NDArray[np.uint8], terrain_set: TerrainSet) -> NDArray[np.void]:
    """Return how terrain looks.

    Args:
        terrain: (height, width) uint8 codes.
        terrain_set: What they mean.

    Returns:
        (height, width) of tcod's `rgb_graphic`, ready for `console.rgb[...] = tiles`.
    """
    tiles = np.empty(terrain.shape, dtype=rgb_graphic)
    tiles["ch"] = terrain_set.glyph[terrain]
    tiles["fg"] = terrain_set.fg[terrain]
    tiles["bg"] = terrain_set.bg[terrain]
    return tiles


def to_console(level: Level, highlight: Highlight | None = None) -> Console:
    """Return the whole level as a console of its size, in C order.

    Args:
        level: The level.
        highlight: "encounters" tints what each encounter covers by its category.

    Raises:
        ValueError: That is not something to highlight.
    """
    if highlight not in (None, "encounters"):
        raise ValueError(f"there is no highlight {highlight!r}, only 'encounters'")
    console = Console(level.width, level.height, order="C")
    tiles = terrain_tiles(level.terrain, level.terrain_set)
    for figure in figures(level):
        tiles["ch"][figure.cell] = ord(figure.glyph)
        tiles["fg"][figure.cell] = figure.fg
    if highlight == "encounters":
        for placement in level.placements:
            if placement.encounter:
                tiles["bg"][placement.bounds.slices] = CATEGORY_COLOURS[placement.category]
    console.rgb[...] = tiles
    return console
