"""The layout `connected`: a map made of prefabs and rooms, each joined to another by a hallway between their connectors.

After "How I Learned to Stop Worrying and Love Prefabs".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.generation.layouts.closings import CLOSINGS, show_ways_on
from dungeon.generation.layouts.connected.ground import Ground
from dungeon.generation.layouts.connected.growth import Growth
from dungeon.generation.layouts.connected.loops import add_loops
from dungeon.generation.layouts.connected.overlays import lay_over
from dungeon.generation.layouts.mouths import wall_up_blind_doors
from dungeon.generation.openings.connectors import joints
from dungeon.grid.bits import Board
from dungeon.grid.outline import stretches
from dungeon.grid.rect import Rect
from dungeon.grid.regions import components
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.registry import Objection, Size
    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.connected.params import ConnectedParams
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas
    from dungeon.level.mouth import Mouth
    from dungeon.terrain import TerrainSet

STRETCH = 16
"""About so many cells long the sides of stretches of earth are."""

FRONT = 3
"""How many more cells are kept free before what was seeded, for the way that is to come."""


ROOM_BESIDE = 14
"""The least map has so many more rows and columns than what it begins with: for a room at one of its sides."""


def connected(canvas: Canvas, params: ConnectedParams, job: LayoutJob) -> Iterator[Step]:
    """Grow a map of prefabs and auto-rooms in the free earth of the canvas, and join what connectors are left over.

    Args:
        canvas: What is on it already is left alone.
        params: What the author set.
        job: Its streams ("layout", "connected", attempt, ...) decide everything; takes the drawings.

    Yields:
        A step after every overlay, and one for the walls; if watched, one after every piece and loop, too.

    Raises:
        GenerationError: There is no space for the first piece.
        HopelessError: Nothing can be joined to whatever might be the first.
    """
    key = ("layout", "connected", job.attempt)
    closing = params.dice("doors", job.streams.stream(*key, "doors"), "doorway")
    seeded = canvas.drawn.copy()
    ground = Ground(
        canvas=canvas,
        close=lambda: CLOSINGS[closing()],
        typed=params.typed,
        kept=_fronts(canvas, job.mouths)
        | _barren(canvas, params.barren, job.streams.stream(*key, "outline")),
    )
    yield from Growth(ground=ground, params=params, job=job, key=key).grow()
    yield from add_loops(ground, params, job.streams.stream(*key, "loops"), watched=job.watched)
    yield from lay_over(ground, params, job.streams.stream(*key, "overlays"))
    wall_up_blind_doors(
        canvas, ground.board.to_array(ground.built) & ~seeded
    )  # ways to the latter come later
    show_ways_on(canvas)
    canvas.build_walls()
    yield Step(Phase.LAYOUT, "walls stand where earth meets open cells", canvas)


def _fronts(canvas: Canvas, mouths: Iterable[Mouth]) -> int:
    """Return the mask of the cells before mouths, with one to either side, that the ways to them need."""
    board, mask = canvas.board, 0
    for mouth in mouths:
        lines = mouth.width - 1
        last = (
            mouth.y + mouth.dy * FRONT + lines * abs(mouth.dx),
            mouth.x + mouth.dx * FRONT + lines * abs(mouth.dy),
        )
        rect = Rect.around([(mouth.y, mouth.x), last]).grown().clipped(canvas.height, canvas.width)
        mask |= board.block(*rect)
    return mask


def _barren(canvas: Canvas, share: float, stream: Stream) -> int:
    """Return the mask of the stretches of earth in which nothing is built, with whatever they cut off from the rest of the map."""
    if not share:
        return 0
    half, board = Board(canvas.height // 2, canvas.width // 2), canvas.board
    coarse = half.to_array(stretches(half, Rect(0, 0, half.height, half.width), share, STRETCH / 2, stream))
    fine = np.pad(coarse.repeat(2, 0).repeat(2, 1), ((0, canvas.height % 2), (0, canvas.width % 2)))
    labels, count = components(~fine)
    if count:
        fine |= labels != np.bincount(labels[labels > 0]).argmax()
    return board.from_array(fine)


def least(params: ConnectedParams, job: LayoutJob) -> Size:
    """Return how many cells each side of the map needs: for what it begins with, and for some hallway."""
    first = job.called.get(params.start, ()) if params.start is not None else ()
    side = max((max(each.height, each.width) for each in first), default=0)
    return side + ROOM_BESIDE, side + ROOM_BESIDE


def largest_room(params: ConnectedParams, size: Size) -> Size:
    """Return the (height, width) that no auto-room is larger than, on a map of that size."""
    if params.auto_share <= 0:
        return 0, 0
    side = max(map(int, params.side.outcomes()))
    return min(side, size[0] - 2), min(side, size[1] - 2)


def objection(params: ConnectedParams, drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:  # noqa: ARG001
    """Return why nothing can be joined to a drawing in any way that it may lie, or not all of it would be reached."""
    return joints(drawing, terrain_set).objection
