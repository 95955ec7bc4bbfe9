"""The layout *static*: one prefab is the whole map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from dungeon import terrain as t
from dungeon.errors import GenerationError
from dungeon.grid.rect import Rect
from dungeon.grid.regions import components
from dungeon.layouts.joining import join_parts
from dungeon.level.steps import Phase, Step
from dungeon.registry import Parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from dungeon.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas


class StaticParams(Parameters):
    """What an author may set.

    Attributes:
        prefab: The prefab that is the map.
        frame: Closed cells put around the drawing, so that a drawing whose edge is open makes a closed map.
        pockets: What to do with open cells that cannot be reached: dig a way (join), close them (fill), or
            leave them as sealed regions (seal).
    """

    prefab: str
    frame: Literal[0, 1, 2, 3] = 1
    pockets: Literal["join", "fill", "seal"] = "join"

    def prefabs(self) -> dict[str, str]:
        """Return the parameters that name a prefab."""
        return {"prefab": self.prefab}


def size(params: StaticParams, job: LayoutJob) -> tuple[int, int]:
    """Return the (height, width) of the drawing and its frame."""
    drawing = job.prefabs[params.prefab].drawing
    return drawing.height + 2 * params.frame, drawing.width + 2 * params.frame


def static(canvas: Canvas, params: StaticParams, job: LayoutJob) -> Iterator[Step]:
    """Draw the prefab, name its connected parts as regions, and deal with those that cannot be reached.

    Raises:
        GenerationError: The drawing has no open cell.
    """
    prefab = job.prefabs[params.prefab]
    canvas.draw_whole(params.frame, prefab.drawing.terrain)
    job.drawn.append((prefab, params.frame, params.frame))
    yield Step(Phase.LAYOUT, f"{params.prefab} is the map", canvas)
    labels, count = components(canvas.open)
    if not count:
        raise GenerationError(f"the drawing of {params.prefab!r} has no open cell")
    main = _main_part(canvas, labels, count)
    if count > 1:
        others = f"{count - 1} part{'s' if count > 2 else ''} of the drawing cannot be reached"
        if params.pockets == "join":
            join_parts(canvas, labels, main)
            labels, count = components(canvas.open)
            main = _main_part(canvas, labels, count)
        elif params.pockets == "fill":
            canvas.close((labels > 0) & (labels != main))
            labels, count = np.where(labels == main, np.int32(1), np.int32(0)), 1
            main = 1
        job.journal.note("layout", params.prefab, "noted", f"{others}: {params.pockets}")
        yield Step(Phase.LAYOUT, f"{others}: {params.pockets}", canvas)
    for part in range(1, count + 1):
        cells = labels == part
        canvas.assign(cells, canvas.add_region("zone", _bounds(cells), sealed=part != main))
    canvas.build_walls(clear=False)
    yield Step(Phase.LAYOUT, "walls stand where earth meets open cells", canvas)


def _main_part(canvas: Canvas, labels: NDArray[np.int32], count: int) -> int:
    """Return the part with the way in; without one, the largest."""
    base = canvas.terrain_set.base[canvas.terrain]
    for code in (t.STAIRS_UP, t.STAIRS_DOWN, t.EXIT):
        found = labels[base == code]
        if len(found):
            return int(found[0])
    return int(np.bincount(labels[labels > 0], minlength=count + 1).argmax())


def _bounds(cells: NDArray[np.bool_]) -> Rect:
    ys, xs = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
    top, left = int(ys[0]), int(xs[0])
    return Rect(top, left, int(ys[-1]) - top + 1, int(xs[-1]) - left + 1)
