"""Seeding: what the map asks for by itself lies on the canvas before its layout grows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dungeon.core.errors import GenerationError
from dungeon.core.frozen import NOTHING
from dungeon.generation.layouts.job import all_stopped
from dungeon.generation.populate.placed import PlacedDrawing
from dungeon.generation.seeding.job import SeedJob
from dungeon.generation.seeding.seed import seed as seed_features

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.values.grammar import Value
    from dungeon.generation.seeding.job import Seeded
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Placement
    from dungeon.level.mouth import Mouth

SEED_ATTEMPTS = 10
"""How often the features of a map are put on it anew before it is said that one of them has no place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeededMap:
    """A map with its features, before its layout.

    Attributes:
        canvas: The features, in earth.
        placements: The prefabs among them.
        drawings: The same, and stairs, to be filled.
        mouths: Where they are to be joined.
        stopped: (height, width) bool, their open cells that no way need lead to, nor may lead through; None for none.
        split: The same, of those whose inside hangs together by open cells but not for walkers.
        locks: Index of a placement -> what its outer doors are to be locked with.
        bound: The cells of stairs -> the map that they lead to, where a feature names one.
        lacking: "entrance" or "exits" -> (height, width) int32, how many steps each cell is too near to a feature, or
            too far from it.
    """

    canvas: Canvas
    placements: tuple[Placement, ...]
    drawings: tuple[PlacedDrawing, ...]
    mouths: tuple[Mouth, ...]
    stopped: NDArray[np.bool_] | None
    split: NDArray[np.bool_] | None
    bound: Mapping[Cell, str]
    lacking: Mapping[str, NDArray[np.int32]]
    locks: Mapping[int, Value[str]] = field(default_factory=lambda: NOTHING)


def seed(brief: Brief, canvas: Canvas) -> Stage[SeededMap]:
    """Put the map's features on the canvas; begin again with other luck if one that is needed finds no place."""
    job = _job(brief, 0)
    if brief.entry.features or brief.entry.variants:
        for number in range(SEED_ATTEMPTS):
            job, bare = _job(brief, number), canvas.copy()
            try:
                yield from seed_features(canvas, job)
            except GenerationError as error:
                brief.journal.note("seed", brief.id, "retried", str(error))
                if number == SEED_ATTEMPTS - 1:
                    raise
                canvas = bare
            else:
                break
    return SeededMap(
        canvas=canvas,
        placements=tuple(job.placements),
        drawings=tuple(_to_be_filled(brief, each) for each in job.drawn),
        mouths=tuple(job.mouths),
        stopped=all_stopped(canvas, ((each.stopped, each.y, each.x) for each in job.drawn)),
        split=all_stopped(canvas, ((each.stopped, each.y, each.x) for each in job.drawn if each.is_split)),
        bound=job.bound,
        lacking=job.lacking,
        locks={
            each.index: each.lock for each in job.drawn if each.index is not None and each.lock is not None
        },
    )


def _job(brief: Brief, number: int) -> SeedJob:
    return SeedJob(
        entry=brief.entry,
        called=brief.content.called,
        weigh=brief.content.weight,
        tint=brief.content.tint,
        leads_to=brief.leads_to,
        streams=brief.streams,
        journal=brief.journal,
        attempt=number,
    )


def _to_be_filled(brief: Brief, seeded: Seeded) -> PlacedDrawing:
    stream = brief.streams.stream("populate", "feature", seeded.label, seeded.copy)
    return PlacedDrawing(drawing=seeded.drawing, y=seeded.y, x=seeded.x, index=seeded.index, stream=stream)
