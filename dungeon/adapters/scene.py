"""What can be drawn, and what things show of themselves on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np

from dungeon.level.model import Level
from dungeon.terrain import SECRET_DOOR, WALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.grid.rect import Cell
    from dungeon.level.model import Exit, Placement, Spawn
    from dungeon.terrain import Colour, TerrainSet

DRAW_ORDER: tuple[str, ...] = ("debris", "trap", "item", "prop", "robot")
"""What spawns are like, from the bottom of a cell to its top."""


@runtime_checkable
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


def as_seen(terrain: NDArray[np.uint8], terrain_set: TerrainSet) -> NDArray[np.uint8]:
    """Return the terrain that each cell looks like: a secret door looks like the wall beside it.

    A kind of secret door that an author declares has a look of its own, and is left as it is.

    Args:
        terrain: (height, width) uint8 codes of `terrain_set`.
        terrain_set: What they mean.

    Returns:
        (height, width) uint8 codes; the same array where no built-in secret door is on it.
    """
    cells = np.argwhere(terrain == SECRET_DOOR).tolist()
    if not cells:
        return terrain
    seen = terrain.copy()
    for y, x in cells:
        seen[y, x] = wall_beside(terrain, terrain_set, y, x)
    return seen


def wall_beside(terrain: NDArray[np.uint8], terrain_set: TerrainSet, y: int, x: int) -> int:
    """Return the code of a wall on one of the four sides of a cell, or that of the built-in wall if there is none."""
    height, width = terrain.shape
    sides = ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x))
    codes = [int(terrain[side]) for side in sides if 0 <= side[0] < height and 0 <= side[1] < width]
    return next((code for code in codes if terrain_set.base[code] == WALL), WALL)


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
