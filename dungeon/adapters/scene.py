"""What can be drawn, and what things show of themselves on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from dungeon.level.model import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.grid.rect import Cell
    from dungeon.level.model import Exit, Placement, Spawn
    from dungeon.terrain import Colour, TerrainSet

DRAW_ORDER: tuple[str, ...] = ("debris", "trap", "item", "prop", "robot")
"""What spawns are like, from the bottom of a cell to its top."""


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
    """A scene that tells what has been put where on a map, such as a `Level` or a `Frame`."""

    @property
    def region(self) -> NDArray[np.uint16]:
        """(height, width) uint16 region ids."""

    @property
    def kinds(self) -> Mapping[int, str]:
        """Region id -> what kind of region it is."""

    @property
    def placements(self) -> Sequence[Placement]:
        """What has been placed."""

    @property
    def entrance(self) -> Cell | None:
        """Where the player arrives, if that is known."""

    @property
    def exits(self) -> Sequence[Exit | Cell]:
        """Where the ways on are."""


class Figure(NamedTuple):
    """What one spawn shows on one cell."""

    cell: Cell
    glyph: str
    fg: Colour


PORTAL_GLYPH, PORTAL_COLOUR = "○", (120, 200, 220)
"""How the ends of portals look on which nothing stands."""


def figures(scene: Scene) -> Iterator[Figure]:
    """Yield what stands on a scene shows, and the ends of portals under that, in the order in which to draw it."""
    if isinstance(scene, Level):
        ends = dict.fromkeys(cell for portal in scene.portals for cell in portal.entries)
        yield from (Figure(cell, PORTAL_GLYPH, PORTAL_COLOUR) for cell in ends)
    for spawn in in_draw_order(scene.spawns):
        yield from figures_of(spawn)


def in_draw_order(spawns: Iterable[Spawn]) -> list[Spawn]:
    """Return spawns in the order in which to draw them."""
    rank = {kind: place for place, kind in enumerate(DRAW_ORDER)}
    return sorted(spawns, key=lambda spawn: rank[spawn.like])


def figures_of(spawn: Spawn) -> Iterator[Figure]:
    """Yield what one spawn shows on each of its cells."""
    glyphs = spawn.glyphs or (spawn.glyph,) * len(spawn.cells)
    fgs = spawn.fgs or (spawn.fg,) * len(spawn.cells)
    for figure in zip(spawn.cells, glyphs, fgs, strict=True):
        yield Figure(*figure)
