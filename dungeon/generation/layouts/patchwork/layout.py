"""The layout `patchwork`: zones side by side, each with a layout of its own, and ways between them.

The zones of "PGC: Smart Card Layout" (Sean Howard, squidi.net, 2009), for any layout: bridges, tumours, multi-tumours and
islands are a matter of where zones lie (`areas`) and of how they are joined (`crossings`). Each is built on a canvas of its own,
with what was seeded there, as if it were a map; one that has bad luck begins again by itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.models.layouts import TUNNEL
from dungeon.content.values.grammar import roll
from dungeon.core.errors import CrampedError, GenerationError
from dungeon.core.registry import LAYOUTS
from dungeon.generation.layouts.closings import CLOSINGS
from dungeon.generation.layouts.exits.locked import beginnings
from dungeon.generation.layouts.job import LayoutJob, all_stopped, build_whole
from dungeon.generation.layouts.patchwork import crossings
from dungeon.generation.layouts.patchwork.coast import lay_coast, reach_of
from dungeon.generation.layouts.patchwork.patches import place
from dungeon.generation.layouts.patchwork.ports import open_port, shores_of
from dungeon.grid.rect import Rect
from dungeon.level.part import crop, paste
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import Territory

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.generation.layouts.patchwork.params import PatchworkParams
    from dungeon.generation.layouts.patchwork.patches import Patch
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.level.mouth import Mouth
    from dungeon.level.part import Part

    Ways = dict[str, list[tuple[int, Cell]]]
    """Zone -> the ways into it: the id of the corridor of each, 0 for none, and the cell of the door or port."""


def patchwork(canvas: Canvas, params: PatchworkParams, job: LayoutJob) -> Iterator[Step]:
    """Build zones in the free earth of a canvas, and join them.

    Args:
        canvas: What is on it already is left alone.
        params: What the author set.
        job: Its streams ("layout", "patchwork", attempt, ...) decide everything, those of a zone's own layout under the zone's
            name; it is told of prefabs and zones.

    Yields:
        A step after every zone and every way, and one for the coast; if watched, those of the zones' layouts, too.

    Raises:
        GenerationError: The first zone or a required one can't be built, or another one can't be joined.
        HopelessError: There is no space for the first zone, with nothing else on the map, or no luck would help to build it.
    """
    streams = job.streams.under("layout", "patchwork", job.attempt)
    closing = params.dice("doors", streams.stream("doors"), "door")

    def close() -> int:
        return CLOSINGS[closing()]

    patches: list[Patch] = []
    for patch in place(canvas, params, job):
        if not patch.parent or patch.parent in (each.name for each in patches):
            area = yield from _build_all(canvas, params, job, patch)
            patches += [replace(patch, area=area)] if area else []
        else:
            job.journal.note("layout", f"zone {patch.name}", "refused", f"{patch.parent} is not on the map")
    if not patches:
        canvas.build_walls()
        return
    ways: Ways = {patch.name: [] for patch in patches}
    yield from _join(canvas, job, patches, ways, close)
    canvas.build_walls()
    if params.between is not None:
        areas = [patch.area for patch in patches]
        lay_coast(canvas, params, areas, _corridors(ways), streams, close)
        yield Step(Phase.LAYOUT, f"{params.between} lies between zones", canvas)
    yield from _open_ports(canvas, job, patches, ways)
    inside = Rect(0, 0, canvas.height, canvas.width)
    if params.between is not None:
        inside = inside.grown(-1)  # the map's edge is that of the sea
    job.zones.extend(_territory(patch, inside, ways[patch.name]) for patch in patches)


def _build_all(
    canvas: Canvas, params: PatchworkParams, job: LayoutJob, patch: Patch
) -> Generator[Step, None, tuple[Rect, ...]]:
    """Build the parts of a zone, and return those that can be built.

    Raises:
        GenerationError: The first zone can't be, or one without which the map must not be made.
    """
    area = []
    for number, rect in enumerate(patch.area):
        try:
            yield from _build(canvas, params, job, patch, number, rect)
        except GenerationError as error:
            if isinstance(error, CrampedError) and not patch.parent:
                raise GenerationError(str(error)) from error  # the map may be cut otherwise
            if not patch.parent:
                raise
            job.journal.note("layout", f"zone {patch.name}", "refused", str(error))
        else:
            area.append(rect)
    if not area and patch.name in job.required:
        raise GenerationError(f"zone {patch.name} must be on the map, and can't be built")
    return tuple(area)


def _build(
    canvas: Canvas, params: PatchworkParams, job: LayoutJob, patch: Patch, number: int, rect: Rect
) -> Iterator[Step]:
    """Build a part of a zone, by its own layout, on a canvas of its own, and put it on the map."""
    layout = patch.entry.layout
    part = crop(canvas, rect.grown(-reach_of(params)))
    area = part.rect.slices
    own = LayoutJob(
        streams=job.streams.under("layout", "patchwork", job.attempt, "zone", patch.name, number),
        journal=job.journal,
        prefabs=job.prefabs,
        called=job.called,
        weigh=job.weigh,
        mouths=tuple(_mouths(job, canvas, part)),
        stopped=None if job.stopped is None else job.stopped[area],
        watched=job.watched,
    )
    steps = build_whole(LAYOUTS[layout.name], layout.params, part.canvas, own, own.stopped, is_zone=True)
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            built, own = end.value
            break
        if job.watched:
            shown = canvas.copy()
            paste(shown, replace(part, canvas=step.canvas))
            yield Step(step.phase, f"{patch.name}: {step.message}", shown)
    paste(canvas, replace(part, canvas=built))
    job.portals.extend(each.moved(part.rect.y, part.rect.x) for each in own.portals)
    job.drawn.extend((drawing, y + part.rect.y, x + part.rect.x) for drawing, y, x in own.drawn)
    yield Step(Phase.LAYOUT, f"{patch.name} is built: {layout.name}", canvas)


def _join(
    canvas: Canvas, job: LayoutJob, patches: Sequence[Patch], ways: Ways, close: Callable[[], int]
) -> Iterator[Step]:
    """Dig ways to all zones but those that a port leads to.

    The line of walls that two zones share is part of neither, though a prefab may have floor there.
    """
    areas = {patch.name: _cells(canvas, patch.area) for patch in patches}
    inner = {patch.name: _cells(canvas, [rect.grown(-1) for rect in patch.area]) for patch in patches}

    def enter(part: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return where in a part of the ground no locked door stops walkers that a drawing brings."""
        return beginnings(canvas, canvas.base, [part], job.drawn, part)[0]

    rest = ~np.logical_or.reduce(list(areas.values()))
    for patch in patches:
        for number, rect in enumerate(patch.area if patch.parent and patch.port == TUNNEL else ()):
            stream = job.streams.stream("layout", "patchwork", job.attempt, "way", patch.name, number)
            ground = _ground(canvas, job, ways)
            others = {each.name: ways[each.name] for each in patches if each.parent == patch.parent}
            ways[patch.name] += crossings.join(
                canvas,
                [enter(ground & inner[patch.parent]), canvas.within(_corridors(others))],
                enter(ground & _cells(canvas, [rect.grown(-1)])),
                rest | areas[patch.parent] | areas[patch.name],
                close,
                stream,
                count=roll(patch.entry.doors, stream, 1) if patch.touches else 1,
                walls=patch.touches,
            )
            yield Step(Phase.LAYOUT, f"a way leads from {patch.parent} to {patch.name}", canvas)


def _open_ports(canvas: Canvas, job: LayoutJob, patches: Sequence[Patch], ways: Ways) -> Iterator[Step]:
    """Let ports lead to the zones that have one."""
    ported = [patch for patch in patches if patch.port != TUNNEL]
    if not ported:
        return
    areas = {patch.name: _cells(canvas, patch.area) for patch in patches}
    ground, shores = _ground(canvas, job, ways), shores_of(canvas)
    for patch in ported:
        stream = job.streams.stream("layout", "patchwork", job.attempt, "port", patch.name)
        begin, end = ground & areas[patch.parent], ground & areas[patch.name]
        portal = open_port(canvas, begin, end, shores, patch.port, job, stream)
        job.portals.append(portal)
        ways[patch.name].append((0, portal.begin))
        yield Step(Phase.LAYOUT, f"a {patch.port} leads from {patch.parent} to {patch.name}", canvas)


def _mouths(job: LayoutJob, canvas: Canvas, part: Part) -> Iterator[Mouth]:
    """Yield the mouths of what was seeded wholly within a part, as they lie there."""
    y, x = part.rect[:2]
    inside = part.rect.grown(-1)
    for mouth in job.mouths:
        bounds = canvas.regions[mouth.region - 1].bounds
        if inside.encloses(bounds) and inside.contains(mouth.y, mouth.x):
            yield mouth._replace(y=mouth.y - y, x=mouth.x - x, region=part.here(mouth.region))


def _cells(canvas: Canvas, area: Iterable[Rect]) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells of some rectangles."""
    found = np.zeros(canvas.terrain.shape, np.bool_)
    for rect in area:
        found[rect.slices] = True
    return found


def _corridors(ways: Ways) -> list[int]:
    """Return the ids of the corridors between zones."""
    return [corridor for each in ways.values() for corridor, _ in each if corridor]


def _ground(canvas: Canvas, job: LayoutJob, ways: Ways) -> NDArray[np.bool_]:
    """Return (height, width) bool: where a way may begin.

    That is in a region which is not sealed, nor a corridor between zones, where nothing stops walkers.
    """
    corridors = _corridors(ways)
    left_out = (region.sealed or region.id in corridors for region in canvas.regions)
    ground: NDArray[np.bool_] = canvas.passable() & ~np.array([True, *left_out]).take(canvas.region)
    stopped = all_stopped(canvas, ((drawing.obstacles, y, x) for drawing, y, x in job.drawn), job.stopped)
    if stopped is not None:
        ground &= ~stopped
    return ground


def _territory(patch: Patch, inside: Rect, ways: Iterable[tuple[int, Cell]]) -> Territory:
    """Return a zone as it lies inside the map, with the ways into it: the corridor of each, and the door at its end."""
    ways = list(ways)
    return Territory(
        name=patch.name,
        kind=patch.entry.join if patch.parent else "first",
        parent=patch.parent,
        theme=patch.entry.theme or "",
        step=patch.entry.step,
        area=tuple(rect.common(inside) for rect in patch.area),
        gates=tuple(door for _, door in ways),
        before=tuple(corridor for corridor, _ in ways if corridor),
    )
