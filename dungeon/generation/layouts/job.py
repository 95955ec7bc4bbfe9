"""The job that a layout is given besides the canvas and its parameters, and the retries until a layout succeeds.

*Seeded* prefabs were put on the map before the layout; a *mouth* is a place at a seeded prefab's edge where a corridor can be
joined. A layout draws more prefabs itself. *Stopped* cells are open cells that walkers can't pass. An *attempt* is one run of
the layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dungeon.content.values.prefab_weights import Variants, weigh_prefabs
from dungeon.core.errors import GenerationError, HopelessError, counted
from dungeon.core.frozen import NOTHING, nothing
from dungeon.core.registry import blamed
from dungeon.generation.layouts.seeded import join_seeded
from dungeon.generation.openings.openings import openings
from dungeon.grid.rect import Rect
from dungeon.level.canvas import Mouth, MouthKind
from dungeon.level.steps import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.content.values.fields import Weight
    from dungeon.content.values.prefab_words import PrefabWords
    from dungeon.core.parameters import Parameters
    from dungeon.core.registry import Layout
    from dungeon.core.streams import Streams
    from dungeon.level.canvas import Canvas
    from dungeon.level.journal import Journal
    from dungeon.level.model import Portal
    from dungeon.level.territory import Territory

__all__ = ["LayoutJob", "Mouth", "MouthKind"]

ATTEMPTS = 30
"""How often a layout may fail by bad luck (GenerationError) before that is an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutJob:
    """What a layout is given for one attempt, and the lists to which it adds what it makes.

    Attributes:
        streams: The random streams; a layout names its streams "layout", ...
        journal: Where decisions are noted.
        prefabs: The game's prefabs by name.
        called: Name or tag -> the prefabs with this name or tag.
        weigh: Returns the number that an author's weight stands for.
        variants: The prefabs that are variants of others.
        mouths: The mouths where seeded prefabs can be joined.
        stopped: (height, width) bool, open cells of seeded prefabs that corridors need not lead to and must not lead
            through, because an object blocks walkers there for good or only a locked door leads there. None if there
            are no such cells.
        attempt: The number of this attempt, from 0. A layout makes it a part of its streams' names.
        required: The names of the zones that the map must have. A layout without a place for one of them raises
            GenerationError.
        watched: Whether the steps are shown; if not, steps that are only for show may be skipped.
        drawn: (drawing, y, x) of every prefab that the layout itself draws; objects in them are placed later.
        zones: The zones that the layout makes.
        portals: The portals that the layout makes, each between two cells of floor that then stay as they are. A
            portal counts as a step: cells that a two-way portal leads to need no other way. If a portal
            begins at one of a zone's gates, the zone's lock is on it.
    """

    streams: Streams
    journal: Journal
    prefabs: Mapping[str, Prefab]
    called: Mapping[str, tuple[Prefab, ...]] = field(default_factory=nothing)
    weigh: Callable[[Weight], float] = float
    variants: Variants = NOTHING
    mouths: tuple[Mouth, ...] = ()
    stopped: NDArray[np.bool_] | None = None
    attempt: int = 0
    required: frozenset[str] = frozenset()
    watched: bool = True
    drawn: list[tuple[Drawing, int, int]] = field(default_factory=list)
    zones: list[Territory] = field(default_factory=list)
    portals: list[Portal] = field(default_factory=list)

    def weights_of(self, words: PrefabWords) -> dict[str, float]:
        """Return prefab -> weight, for the prefabs whose name or tag is one of `words` and that may be used on the map."""
        names = {word: [prefab.name for prefab in self.called[word]] for word in words}
        return weigh_prefabs(words, names, self.weigh, self.variants)

    def again(self) -> LayoutJob:
        """Return the job for the next attempt, with other random streams and without results."""
        return replace(self, attempt=self.attempt + 1, drawn=[], zones=[], portals=[])


def build_whole(
    layout: Layout[Any],
    params: Parameters,
    canvas: Canvas,
    job: LayoutJob,
    *,
    is_zone: bool = False,
) -> Generator[Step, None, tuple[Canvas, LayoutJob]]:
    """Run a layout around seeded prefabs and join these to it by corridors; begin again if the layout fails by bad luck.

    Args:
        layout: The layout.
        params: The author's parameters of the layout.
        canvas: The map with nothing but seeded prefabs. It is not changed.
        job: The first attempt.
        is_zone: Whether the canvas is a part of a map. Then corridors to seeded prefabs that can't be dug are skipped,
            since they are dug later on the whole map.

    Returns:
        The map with the layout, and the job of the attempt that succeeded.

    Raises:
        GenerationError: All attempts failed.
        HopelessError: No attempt can succeed.
    """
    regions = range(1, len(canvas.regions) + 1)
    for _ in range(job.attempt, ATTEMPTS):
        built = canvas.copy()
        try:
            yield from _steps(layout, params, built, job)
            _keep(built, job.portals)
            drawn = ((drawing.barriers, y, x) for drawing, y, x in job.drawn)
            locked = (
                (openings(drawing, built.terrain_set).stopped, y, x)
                for drawing, y, x in job.drawn
                if drawing.locks
            )
            barred = all_stopped(built, drawn, job.stopped)
            if regions or barred is not None or canvas.used.any():
                kept = all_stopped(built, locked if regions else ())
                join = join_seeded(built, job.mouths, regions, barred, kept)
                yield from _as_far_as_possible(join) if is_zone else join
        except HopelessError:
            raise
        except GenerationError as error:
            job.journal.note("layout", layout.name, "retried", str(error))
            failed, job = error, job.again()
        else:
            return built, job
    raise failed


def _steps(layout: Layout[Any], params: Parameters, canvas: Canvas, job: LayoutJob) -> Iterator[Step]:
    """Run a layout once, yield its steps, and check its steps, regions and doors; errors in a layout are reported with its name.

    Raises:
        TypeError: The layout yields something else than steps.
        ValueError: A cell or a door belongs to a region that the map does not have.
    """
    with blamed("layout", layout):
        steps = layout.build(canvas, params, job)
        if not isinstance(steps, Iterator):
            raise TypeError(f"a layout yields steps; this one has no 'yield', and has returned {steps!r}")
        for step in steps:
            if not isinstance(step, Step):
                raise TypeError(f"a layout yields steps, Step(Phase.LAYOUT, '...', canvas), not {step!r}")
            yield step
        count = len(canvas.regions)
        there = f"but the map has {counted(count, 'region')}"
        if (last := int(canvas.region.max())) > count:
            y, x = np.argwhere(canvas.region == last)[0]
            raise ValueError(f"the layout carved the cell at y {y}, x {x} for region {last}, {there}")
        for door in canvas.connections:
            one, other = door.between
            if not (0 < one <= count and 0 < other <= count):
                raise ValueError(
                    f"the door at {door.y}, {door.x} leads between regions {door.between}, {there}"
                )


def _as_far_as_possible(ways: Iterator[Step]) -> Iterator[Step]:
    """Yield the steps of digging corridors until one can't be dug (GenerationError); then stop without an error."""
    with suppress(GenerationError):
        yield from ways


def _keep(canvas: Canvas, portals: Sequence[Portal]) -> None:
    """Add the portals of a layout to the map, and reserve the cells where they begin and end."""
    canvas.portals = tuple(portals)
    for portal in portals:
        for cell in (portal.begin, portal.end):
            canvas.claim(Rect(*cell, 1, 1))
            canvas.keep_quiet(Rect(*cell, 1, 1))


def all_stopped(
    canvas: Canvas,
    parts: Iterable[tuple[NDArray[np.bool_], int, int]],
    below: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_] | None:
    """Return (height, width) bool: the cells of the whole map where walkers are stopped; None if there is nothing to combine.

    Args:
        canvas: The map.
        parts: (mask of the stopped cells on a part of the map, row and column of the part's top left cell) for each part.
        below: A mask of cells of the whole map that are stopped, too; None for none.
    """
    whole = None
    for part, y, x in parts:
        if whole is None:
            whole = np.zeros(canvas.terrain.shape, np.bool_) if below is None else below.copy()
        whole[y : y + part.shape[0], x : x + part.shape[1]] |= part
    return below if whole is None else whole
