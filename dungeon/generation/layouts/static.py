"""The layout *static*: one prefab is the whole map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import GenerationError
from dungeon.core.registry import Parameters
from dungeon.generation.layouts.joining import join_parts
from dungeon.grid.rect import Rect
from dungeon.grid.regions import components, parts_of
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from dungeon.generation.layouts.job import LayoutJob
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
    prefab = job.prefabs[params.prefab]
    return prefab.height + 2 * params.frame, prefab.width + 2 * params.frame


def largest_room(params: StaticParams, size: tuple[int, int]) -> tuple[int, int]:  # noqa: ARG001
    """Return the (height, width) of the largest room: what is drawn has no rooms in which to place more."""
    return 0, 0


def static(canvas: Canvas, params: StaticParams, job: LayoutJob) -> Iterator[Step]:
    """Draw the prefab, name its connected parts as regions, and deal with those that cannot be reached.

    Raises:
        GenerationError: The drawing has no open cell.
    """
    stream = job.streams.stream("layout", "variant", params.prefab, job.attempt)
    drawing = job.prefabs[params.prefab].variant(stream).drawing
    canvas.draw_whole(params.frame, drawing.terrain)
    job.drawn.append((drawing, params.frame, params.frame))
    yield Step(Phase.LAYOUT, f"{params.prefab} is the map", canvas)
    walled = wall_up_blind_doors(canvas)
    if walled:
        note = f"{walled} door{'s' if walled > 1 else ''} of the drawing led nowhere: walled up"
        job.journal.note("layout", params.prefab, "noted", note)
    labels, count = components(canvas.open)
    if not count:
        raise GenerationError(f"the drawing of {params.prefab!r} has no open cell")
    main = _main_part(canvas, labels, count)
    if count > 1:
        others = f"{count - 1} part{'s' if count > 2 else ''} of the drawing cannot be reached"
        if params.pockets == "join":
            join_parts(canvas, labels, main)
        elif params.pockets == "fill":
            canvas.close((labels > 0) & (labels != main))
        labels, count = components(canvas.open)
        main = _main_part(canvas, labels, count)
        job.journal.note("layout", params.prefab, "noted", f"{others}: {params.pockets}")
        yield Step(Phase.LAYOUT, f"{others}: {params.pockets}", canvas)
    for part, cells in enumerate(parts_of(labels, count), 1):
        ys, xs = np.divmod(cells, canvas.width)
        top, left = int(ys[0]), int(xs.min())
        bounds = Rect(top, left, int(ys[-1]) - top + 1, int(xs.max()) - left + 1)
        canvas.assign(cells, canvas.add_region("prefab", bounds, sealed=part != main))
    canvas.build_walls(clear=False)
    yield Step(Phase.LAYOUT, "walls stand where earth meets open cells", canvas)


def wall_up_blind_doors(canvas: Canvas) -> int:
    """Turn doors with fewer than two open sides into wall, and return how many there were."""
    base, is_open = canvas.base, canvas.open
    doors = [(y, x) for y, x in np.argwhere(np.isin(base, t.DOORS)).tolist()]
    walled = 0
    for y, x in doors:
        near = [(y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)]
        if is_open[y, x] and sum(bool(is_open[cell]) for cell in near) < 2:
            canvas.put(y, x, t.WALL)
            is_open[y, x] = False
            walled += 1
            # A door beside it has one way fewer now. The list grows while it is walked through.
            doors.extend(cell for cell in near if is_open[cell] and base[cell] in t.DOORS)
    return walled


def _main_part(canvas: Canvas, labels: NDArray[np.int32], count: int) -> int:
    """Return the part with the way in; without one, the largest."""
    base = canvas.base
    for code in (t.STAIRS_UP, t.STAIRS_DOWN, t.EXIT):
        found = labels[base == code]
        if len(found):
            return int(found[0])
    return int(np.bincount(labels[labels > 0], minlength=count + 1).argmax())
