"""The protocols of what can be drawn (levels, frames of a recording, samples of prefabs), and the figures on it: the character and colour of a spawn on a cell."""

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
"""The built-in kinds in drawing order: later kinds are drawn over earlier ones."""


@runtime_checkable
class Scene(Protocol):
    """Terrain with spawns on it, which can be drawn: a `Level`, a `Frame` or a `Sample`."""

    @property
    def terrain(self) -> NDArray[np.uint8]:
        """(height, width) uint8: the terrain code (see `terrain_set`) of each cell; `KEEP` for cells that a sample leaves open."""

    @property
    def terrain_set(self) -> TerrainSet:
        """The kinds of terrain that the terrain codes stand for."""

    @property
    def spawns(self) -> Sequence[Spawn]:
        """The objects on the terrain."""


@runtime_checkable
class Placed(Scene, Protocol):
    """A scene with regions and placements: a `Level` or a `Frame`."""

    @property
    def region(self) -> NDArray[np.uint16]:
        """(height, width) uint16 region ids."""

    @property
    def kinds(self) -> Mapping[int, str]:
        """Region id -> kind of region."""

    @property
    def placements(self) -> Sequence[Placement]:
        """The prefabs and encounters placed so far."""

    @property
    def entrance(self) -> Cell | None:
        """The cell at which the player arrives; None while it is not decided."""

    @property
    def exits(self) -> Sequence[Exit | Cell]:
        """The exits of the map."""


def as_seen(terrain: NDArray[np.uint8], terrain_set: TerrainSet) -> NDArray[np.uint8]:
    """Return the terrain with built-in secret doors replaced by the wall beside them, as the player sees them.

    Kinds of secret doors that the content declares have a look of their own and are not replaced.

    Args:
        terrain: (height, width) uint8 codes of `terrain_set`.
        terrain_set: The kinds of terrain.

    Returns:
        (height, width) uint8 codes; the same array if there is no built-in secret door.
    """
    cells = np.argwhere(terrain == SECRET_DOOR).tolist()
    if not cells:
        return terrain
    seen = terrain.copy()
    for y, x in cells:
        seen[y, x] = wall_beside(terrain, terrain_set, y, x)
    return seen


def wall_beside(terrain: NDArray[np.uint8], terrain_set: TerrainSet, y: int, x: int) -> int:
    """Return the terrain code of the first wall above, left, right or below a cell; the code of the built-in wall if there is none."""
    height, width = terrain.shape
    sides = ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x))
    codes = [int(terrain[side]) for side in sides if 0 <= side[0] < height and 0 <= side[1] < width]
    return next((code for code in codes if terrain_set.base[code] == WALL), WALL)


class Figure(NamedTuple):
    """The character and colour of one spawn on one cell."""

    cell: Cell
    glyph: str
    fg: Colour


PORTAL_GLYPH, PORTAL_COLOUR = "○", (120, 200, 220)
"""The character and colour of a portal's end without a spawn on it."""


def figures(scene: Scene) -> Iterator[Figure]:
    """Yield the figures of a scene in drawing order: portals' ends first, then spawns by `DRAW_ORDER`."""
    if isinstance(scene, Level):
        ends = dict.fromkeys(cell for portal in scene.portals for cell in portal.entries)
        yield from (Figure(cell, PORTAL_GLYPH, PORTAL_COLOUR) for cell in ends)
    for spawn in in_draw_order(scene.spawns):
        yield from figures_of(spawn)


def in_draw_order(spawns: Iterable[Spawn]) -> list[Spawn]:
    """Return spawns sorted by `DRAW_ORDER`, the top-most last."""
    rank = {kind: place for place, kind in enumerate(DRAW_ORDER)}
    return sorted(spawns, key=lambda spawn: rank[spawn.like])


def figures_of(spawn: Spawn) -> Iterator[Figure]:
    """Yield the character and colour of a spawn on each of its cells."""
    glyphs = spawn.glyphs or (spawn.glyph,) * len(spawn.cells)
    fgs = spawn.fgs or (spawn.fg,) * len(spawn.cells)
    for figure in zip(spawn.cells, glyphs, fgs, strict=True):
        yield Figure(*figure)
