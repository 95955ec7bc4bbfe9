"""The layout `caves`: natural caves of many shapes, joined by winding tunnels into a linear flow with loops.

After "Generating and Populating Caves"; see `system` for how.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.generation.layouts.caves.cave_system import CaveSystem
from dungeon.generation.layouts.caves.params import CaveSystemParams

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas
    from dungeon.level.steps import Step


class CavesParams(CaveSystemParams):
    """What an author may set."""


def caves(canvas: Canvas, params: CavesParams, job: LayoutJob) -> Iterator[Step]:
    """Make caves in the free earth of the canvas and join them.

    Args:
        canvas: What is on it already is left alone, with a cell's distance.
        params: What the author set.
        job: Its streams ("layout", "caves", attempt, ...) decide everything.

    Yields:
        A step for the caves and after every tunnel and link; if watched, for the noise and each step of the automaton, too.

    Raises:
        GenerationError: There are too few caves, or something that was seeded can't be joined.
    """
    system = CaveSystem(canvas, params, job, "caves")
    yield from system.hollow_out(system.places(), system.ground.diggable)
    yield from system.join(close=lambda: t.DOORWAY)  # of rooms; there are none
