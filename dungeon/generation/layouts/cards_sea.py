"""The sea around the zones of the layout `cards`: which cells are land, and where shores may be, for `coast.lay_coast`.

The land of a zone is its grid cells with the earth between them. Around it lies its coast. The coasts of different lands stay a cell
apart, so that no shore leads past the gates of a zone:

    ~~~~~~~~~~~~~~
    ~,,,,,,~~~~~~~      A, B  lands
    ~,AAAA,~,,,,,~      ,     coasts, which become shores where they touch no open cell
    ~,AAAA,~,BBB,~      ~     the sea
    ~,,,,,,~,BBB,~
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from dungeon.generation.layouts.coast import Land, lay_coast, reach_of
from dungeon.generation.layouts.doorways import CLOSINGS
from dungeon.generation.layouts.job import all_stopped
from dungeon.generation.openings.openings import openings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from dungeon.generation.layouts.cards_params import CardsParams
    from dungeon.generation.layouts.cards_zones import ZonePlan
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.grid.bits import Board
    from dungeon.level.canvas import Canvas


def lay_sea(
    canvas: Canvas, params: CardsParams, job: LayoutJob, plan: ZonePlan, ways: Collection[int]
) -> list[int]:
    """Lay the shores of all zones, and fill the rest of the map with the terrain `between`; return the mask of each zone's shores.

    Args:
        canvas: The map, with its cards and their ways.
        params: The author's parameters; `between` is set.
        job: The job of the layout.
        plan: The zones.
        ways: The ids of the regions of all corridors and passages between zones.
    """
    board, lattice = canvas.board, plan.lattice
    parts = [lattice.parts(plot.cells) for plot in plan.plots]
    areas = [
        reduce(or_, (board.block(*rect) for rect in lattice.area(part))) for each in parts for part in each
    ]
    lands = iter(_lands(board, areas, reach_of(params)))
    streams = job.streams.under("layout", "cards", job.attempt)
    closing = params.dice("doors", streams.stream("doors"), "door")

    def close() -> int:
        """Return the rolled terrain of a door to a shore; never a secret door, as the only way on may be a port there."""
        kind: str = closing()
        return CLOSINGS["door" if kind == "secret door" else kind]

    laid = [[next(lands) for _ in each] for each in parts]
    return lay_coast(canvas, params, laid, ways, streams, close, _stopped(canvas, job))


def _stopped(canvas: Canvas, job: LayoutJob) -> int:
    """Return the mask of the cells of prefabs that walkers do not reach, or only with a key."""
    drawn = ((openings(drawing, canvas.terrain_set).stopped, y, x) for drawing, y, x in job.drawn)
    found = canvas.within(each.id for each in canvas.regions if each.sealed)
    if (stopped := all_stopped(canvas, drawn, job.stopped)) is not None:
        found |= stopped
    return canvas.board.from_array(found)


def _lands(board: Board, areas: Sequence[int], reach: int) -> Iterator[Land]:
    """Yield the land of each area, with its coast: the cells that are at most `reach` steps away, and nearer to no other area.

    Args:
        board: Turns masks of the map into ints and back.
        areas: The masks of the areas.
        reach: The number of steps, straight or diagonal.
    """
    grown = list(areas)
    for _ in range(reach):
        wider = [board.around(each) for each in grown]
        grown = [
            each | wide & ~_others(board, wider, number)
            for number, (each, wide) in enumerate(zip(grown, wider, strict=True))
        ]
    for number, (area, each) in enumerate(zip(areas, grown, strict=True)):
        yield Land(area, each & ~_others(board, grown, number))


def _others(board: Board, masks: Sequence[int], number: int) -> int:
    """Return the cells of all masks but the one with the index `number`, and the cells that touch them."""
    return board.around(reduce(or_, (each for other, each in enumerate(masks) if other != number), 0))
