"""The placing mode *free*: an encounter without a prefab, whose objects are scattered over a room or a cave.

A site is a free room or cave. A rule is a phrase about sites that fit badly; a mask is an int with one bit for each
cell of the map.

The site stays as it is. Scattered objects never block a way; the populate stage checks that.
After "Generating and Populating Caves", where such encounters fit into any cave without changing it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.core.parameters import Parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.registry import Shape
    from dungeon.generation.placing.sites import Sites
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas


class FreeParams(Parameters):
    """What an author may set for the mode *free*: nothing. The scattered objects are the encounter's `content`."""


def spots(sites: Sites, shape: Shape, params: FreeParams) -> Iterator[tuple[str, int]]:  # noqa: ARG001
    """Yield ("without free floor", mask of the plain floor of all sites)."""
    yield "without free floor", sites.area


def place(canvas: Canvas, drawing: Drawing, spot: Cell, region: int, params: FreeParams) -> None:
    """Leave the map as it is: this mode places no prefab."""
