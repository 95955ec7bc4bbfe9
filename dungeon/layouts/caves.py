"""The layout `caves`: natural caves of many shapes, joined by winding tunnels into a linear flow with loops.

After "Generating and Populating Caves"; see `warren` for how.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.layouts.warren import Warren, WarrenParams

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas
    from dungeon.level.steps import Step


class CavesParams(WarrenParams):
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
    warren = Warren(canvas, params, job, "caves")
    yield from warren.hollow_out(warren.places(), warren.ground.diggable)
    yield from warren.join(close=lambda: t.DOORWAY)  # of rooms; there are none
