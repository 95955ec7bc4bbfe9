"""The stage that places *features* (prefabs, stairs, barriers) on the empty map, before the layout is made around them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from dungeon.core.errors import CrampedError, GenerationError, HopelessError
from dungeon.core.frozen import NOTHING
from dungeon.generation.layouts.job import ATTEMPTS, all_stopped
from dungeon.generation.populate.placed_drawings import PlacedDrawing
from dungeon.generation.seeding.candidates import SeedJob
from dungeon.generation.seeding.seed import seed as seed_features

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.values.grammar import Value
    from dungeon.generation.seeding.candidates import SeededDrawing
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas, Mouth
    from dungeon.level.model import Placement

Result = TypeVar("Result")

SEED_ATTEMPTS = 30
"""Maximum number of times that the features of a map are placed before an error names the feature that does not fit."""

MOST_SEEDINGS = 10
"""Maximum number of placements, the first included, if the features leave too little space for later stages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeededMap:
    """A map with its features (prefabs, stairs, barriers), before its layout.

    Attributes:
        canvas: The map: only the features, in earth.
        placements: The prefabs among the features.
        drawings: All drawings to fill with objects later: these prefabs, and stairs.
        mouths: Where corridors must or may join the features.
        stopped: (height, width) bool: the open cells of features that corridors need not reach and may not cross; None for no
            such cells.
        locks: Index of a placement -> the name of the lock on its outer doors.
        bound: Cell of stairs -> the map to which a feature says that these stairs lead.
        lacking: "entrance" or "exits" -> (height, width) int32: for each cell, by how many steps such stairs would be too near a
            feature there, or too far from it; 0 if they would be neither.
        attempt: How many times the features were placed, and removed again, before.
    """

    canvas: Canvas
    placements: tuple[Placement, ...]
    drawings: tuple[PlacedDrawing, ...]
    mouths: tuple[Mouth, ...]
    stopped: NDArray[np.bool_] | None
    bound: Mapping[Cell, str]
    lacking: Mapping[str, NDArray[np.int32]]
    locks: Mapping[int, Value[str]] = field(default_factory=lambda: NOTHING)
    attempt: int = 0


def seed_for(
    brief: Brief, bare: Canvas, follow: Callable[[SeededMap, int], Stage[Result]]
) -> Stage[tuple[SeededMap, Result]]:
    """Place the map's features on a copy of an empty canvas, then run the later stages.

    If the features leave too little space for those stages, they are placed again, elsewhere.

    Args:
        brief: The level to make.
        bare: The empty canvas, all earth.
        follow: Runs the later stages, from the layout on. Called with (map with its features, number of layout attempts to skip).
            It skips none the first time. After the features were placed again, it skips all but the last.

    Returns:
        The map with its features, and the result of `follow`.

    Raises:
        GenerationError: The features could not be placed; or `follow` failed after `MOST_SEEDINGS` placements of them; or it failed
            for a reason that more space would not change.
    """
    for name, reason in brief.absent.items():
        brief.journal.note("seed", f"tower {name}", "refused", reason)
    noted, attempt, failed = len(brief.journal.decisions), 0, 0
    while True:
        seeded = yield from seed(brief, bare, attempt)
        attempt = seeded.attempt + 1
        try:
            return seeded, (yield from follow(seeded, ATTEMPTS - 1 if failed else 0))
        except GenerationError as error:
            failed += 1
            is_hopeless = isinstance(error, HopelessError) and not isinstance(error, CrampedError)
            if is_hopeless or not _has_features(brief) or failed == MOST_SEEDINGS or attempt == SEED_ATTEMPTS:
                raise
            del brief.journal.decisions[noted:]
            brief.journal.note("seed", brief.id, "retried", str(error))
            noted += 1


def seed(brief: Brief, bare: Canvas, attempt: int = 0) -> Stage[SeededMap]:
    """Place the map's features on a copy of an empty canvas; place them again, elsewhere, if a required one does not fit.

    Args:
        brief: The level to make.
        bare: The empty canvas, all earth.
        attempt: The number of earlier placements.

    Raises:
        GenerationError: A required feature has no place in the last of `SEED_ATTEMPTS` attempts.
    """
    while True:
        job, canvas = _job(brief, attempt), bare.copy()
        try:
            if brief.floors or _has_features(brief):
                yield from seed_features(canvas, job)
        except GenerationError as error:
            brief.journal.note("seed", brief.id, "retried", str(error))
            attempt += 1
            if attempt >= SEED_ATTEMPTS:
                raise
        else:
            break
    return SeededMap(
        canvas=canvas,
        placements=tuple(job.placements),
        drawings=tuple(_to_be_filled(brief, each) for each in job.drawn),
        mouths=tuple(job.mouths),
        stopped=all_stopped(canvas, ((each.stopped, each.y, each.x) for each in job.drawn)),
        bound=job.bound,
        lacking=job.lacking,
        locks={
            each.index: each.lock for each in job.drawn if each.index is not None and each.lock is not None
        },
        attempt=attempt,
    )


def _has_features(brief: Brief) -> bool:
    """Tell whether the map's entry asks for features."""
    return bool(brief.entry.features or brief.entry.variants)


def _job(brief: Brief, number: int) -> SeedJob:
    """Return the input of the seeding package for one attempt; `number` is the number of attempts before."""
    return SeedJob(
        entry=brief.entry,
        called=brief.called,
        weigh=brief.content.weight,
        variants=brief.content.variants,
        tint=brief.content.tint,
        leads_to=brief.leads_to,
        streams=brief.streams,
        journal=brief.journal,
        attempt=number,
        floors=brief.floors,
    )


def _to_be_filled(brief: Brief, seeded: SeededDrawing) -> PlacedDrawing:
    """Return the drawing of a feature, with the random stream that will choose its objects."""
    stream = brief.streams.stream("populate", "feature", seeded.label, seeded.copy)
    return PlacedDrawing(
        drawing=seeded.drawing,
        y=seeded.y,
        x=seeded.x,
        index=seeded.index,
        stream=stream,
        kept_off=seeded.kept_off,
    )
