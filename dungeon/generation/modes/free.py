"""The placing mode *free*: an encounter without a prefab; its content is scattered over a room or a cave.

The site stays as it is. What is scattered never blocks a way: `populate` sees to that.
After "Generating and Populating Caves", where such encounters fit into any cave without disturbing it.
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
    """What an author may set: nothing. What is scattered is the encounter's `content`."""


def spots(sites: Sites, shape: Shape, params: FreeParams) -> Iterator[tuple[str, int]]:  # noqa: ARG001
    """Yield all free floor."""
    yield "without free floor", sites.area


def place(canvas: Canvas, drawing: Drawing, spot: Cell, region: int, params: FreeParams) -> None:
    """Leave the map as it is."""
