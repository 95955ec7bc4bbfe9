"""A level, or a sample of a prefab, as a tcod console."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from tcod.console import Console, rgb_graphic

from dungeon import terrain as t

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.core.vocabulary import Category
    from dungeon.grid.rect import Cell
    from dungeon.level.model import Placement, Spawn
    from dungeon.terrain import Colour, TerrainSet

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


KEPT = (72, 72, 80)
"""The colour of the `?` that stands for whatever a map would have, in a prefab without a map."""


class Scene(Protocol):
    """What can be drawn: terrain with things on it, such as a `Level`, a `Frame` or a `Sample`."""

    @property
    def terrain(self) -> NDArray[np.uint8]:
        """(height, width) uint8 codes of `terrain_set`, or `KEEP`."""

    @property
    def terrain_set(self) -> TerrainSet:
        """What the codes mean."""

    @property
    def spawns(self) -> Sequence[Spawn]:
        """What stands on it."""


@runtime_checkable
class Placed(Scene, Protocol):
    """A scene that tells which encounters it has and where, such as a `Level` or a `Frame`."""

    @property
    def region(self) -> NDArray[np.uint16]:
        """(height, width) uint16 region ids."""

    @property
    def placements(self) -> Sequence[Placement]:
        """What has been placed."""


class Figure(NamedTuple):
    """What one spawn shows on one cell."""

    cell: Cell
    glyph: str
    fg: Colour


def figures(spawns: Iterable[Spawn]) -> Iterator[Figure]:
    """Yield what spawns show, in the order in which to draw it."""
    rank = {kind: place for place, kind in enumerate(DRAW_ORDER)}
    for spawn in sorted(spawns, key=lambda spawn: rank[spawn.kind]):
        yield from figures_of(spawn)


def figures_of(spawn: Spawn) -> Iterator[Figure]:
    """Yield what one spawn shows on each of its cells."""
    glyphs = spawn.glyphs or (spawn.glyph,) * len(spawn.cells)
    fgs = spawn.fgs or (spawn.fg,) * len(spawn.cells)
    for figure in zip(spawn.cells, glyphs, fgs, strict=True):
        yield Figure(*figure)


def terrain_tiles(terrain: NDArray[np.uint8], terrain_set: TerrainSet) -> NDArray[np.void]:
    """Return how terrain looks.

    Args:
        terrain: (height, width) uint8 codes, or `KEEP`, which looks like a faint `?`.
        terrain_set: What they mean.

    Returns:
        (height, width) of tcod's `rgb_graphic`, ready for `console.rgb[...] = tiles`.
    """
    tiles = np.empty(terrain.shape, dtype=rgb_graphic)
    tiles["ch"] = terrain_set.glyph[terrain]
    tiles["fg"] = terrain_set.fg[terrain]
    tiles["bg"] = terrain_set.bg[terrain]
    tiles["fg"][terrain == t.KEEP] = KEPT
    return tiles


def to_console(level: Scene, highlight: Highlight | None = None) -> Console:
    """Return the whole level, or a sample of a prefab, as a console of its size, in C order.

    Args:
        level: The level, or whatever else has terrain and spawns.
        highlight: "encounters" tints what each encounter of a level covers by its category.

    Raises:
        ValueError: That is not something to highlight.
    """
    if highlight not in (None, "encounters"):
        raise ValueError(f"there is no highlight {highlight!r}, only 'encounters'")
    height, width = level.terrain.shape
    console = Console(width, height, order="C")
    tiles = terrain_tiles(level.terrain, level.terrain_set)
    for figure in figures(level.spawns):
        tiles["ch"][figure.cell] = ord(figure.glyph)
        tiles["fg"][figure.cell] = figure.fg
    if highlight == "encounters" and isinstance(level, Placed):
        for placement in level.placements:
            if placement.encounter:
                area = placement.bounds.slices
                own = not placement.scattered or level.region[area] == placement.region
                tint = np.array(CATEGORY_COLOURS[placement.category], np.uint8)
                np.copyto(tiles["bg"][area], tint, where=np.expand_dims(own, -1))
    console.rgb[...] = tiles
    return console
