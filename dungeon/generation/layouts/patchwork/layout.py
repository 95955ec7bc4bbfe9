"""The layout `patchwork`: zones side by side, each with a layout of its own, and ways between them.

The zones of "PGC: Smart Card Layout" (Sean Howard, squidi.net, 2009), for any layout: bridges, tumours, multi-tumours and
islands are a matter of where zones lie (`areas`) and of how they are joined (`crossings`). Each is built on a canvas of its own,
with what was seeded there, as if it were a map; one that has bad luck begins again by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.models.zones import TUNNEL, origins
from dungeon.content.values.grammar import roll
from dungeon.core.errors import GenerationError
from dungeon.core.registry import LAYOUTS
from dungeon.generation.layouts.closings import CLOSINGS
from dungeon.generation.layouts.job import LayoutJob, all_stopped, build_whole
from dungeon.generation.layouts.patchwork import crossings
from dungeon.generation.layouts.patchwork.areas import LEAST, Claim, cut
from dungeon.generation.layouts.patchwork.coast import lay_coast, reach_of
from dungeon.generation.layouts.patchwork.ports import open_port
from dungeon.grid.rect import Rect
from dungeon.grid.regions import bounds_of, components
from dungeon.level.part import crop, paste
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import Territory

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.patchwork.params import PatchworkParams, PatchZone
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.level.mouth import Mouth
    from dungeon.level.part import Part

TOUCHING = ("tumour", "multi-tumour")

DRIFT = 0.4
"""How much of the space that a zone does not need is left to what lies between zones, at most, where something does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A zone that has a place.

    Attributes:
        name: Its name, and `entry` what its author says of it.
        parent: The name of the zone that it is joined to; empty for the first.
        port: What leads there: a tunnel, or whatever else leads to an island.
        area: Its rectangles.
    """

    name: str
    entry: PatchZone
    parent: str
    port: str
    area: tuple[Rect, ...]


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
        GenerationError: There is no space for a zone, or one of them can't be built, or not be joined.
    """
    streams = job.streams.under("layout", "patchwork", job.attempt)
    patches = _patches(canvas, params, job)
    for patch in patches:
        for number, rect in enumerate(patch.area):
            yield from _build(canvas, params, job, patch, number, rect)
    closing = params.dice("doors", streams.stream("doors"), "door")

    def close() -> int:
        return CLOSINGS[closing()]

    areas = {patch.name: _cells(canvas, patch.area) for patch in patches}
    rest = ~np.logical_or.reduce(list(areas.values()))
    stopped = all_stopped(canvas, ((drawing.obstacles, y, x) for drawing, y, x in job.drawn), job.stopped)
    ways: dict[str, list[tuple[int, Cell]]] = {patch.name: [] for patch in patches}
    for patch in patches:
        for number, rect in enumerate(patch.area if patch.parent and patch.port == TUNNEL else ()):
            stream = streams.stream("way", patch.name, number)
            ground = _ground(canvas, stopped, _corridors(ways))
            ways[patch.name] += crossings.join(
                canvas,
                ground & areas[patch.parent],
                ground & _cells(canvas, [rect]),
                rest | areas[patch.parent] | areas[patch.name],
                close,
                stream,
                count=roll(patch.entry.doors, stream, 1) if patch.entry.join in TOUCHING else 1,
                walls=patch.entry.join in TOUCHING,
            )
            yield Step(Phase.LAYOUT, f"a way leads from {patch.parent} to {patch.name}", canvas)
    canvas.build_walls()
    if params.between is not None:
        areas_of = [patch.area for patch in patches]
        lay_coast(canvas, params, areas_of, _corridors(ways), streams, close)
        yield Step(Phase.LAYOUT, f"{params.between} lies between zones", canvas)
    for patch in patches:
        if patch.port != TUNNEL:
            stream = streams.stream("port", patch.name)
            ground = _ground(canvas, stopped, _corridors(ways))
            begin, end = ground & areas[patch.parent], ground & areas[patch.name]
            portal = open_port(canvas, begin, end, patch.port, job, stream)
            job.portals.append(portal)
            ways[patch.name].append((0, portal.begin))
            yield Step(Phase.LAYOUT, f"a {patch.port} leads from {patch.parent} to {patch.name}", canvas)
    inside = Rect(0, 0, canvas.height, canvas.width).grown(-1)
    for patch in patches:
        area = patch.area if params.between is None else tuple(rect.common(inside) for rect in patch.area)
        job.zones.append(_territory(patch, area, ways[patch.name]))


def _patches(canvas: Canvas, params: PatchworkParams, job: LayoutJob) -> list[Patch]:
    """Return the zones that have a place, and where; the last ones are left out if there is not space for all.

    Raises:
        GenerationError: There is none for the first.
    """
    stream = job.streams.stream("layout", "patchwork", job.attempt, "areas")
    parents = origins(params.zones)
    names, gap = list(params.zones), roll(params.gap, stream, 2)
    claims = []
    for name, zone in params.zones.items():
        parent = parents[name]
        several = zone.join == "multi-tumour" and parent is not None
        claims.append(
            Claim(
                parent=names.index(parent) if parent is not None else None,
                share=zone.share,
                touches=parent is not None and zone.join in TOUCHING,
                parts=roll(zone.parts, stream, 2) if several else 1,
                least=_least(zone, params, job),
            )
        )
    labels, count = components(canvas.used.to_array())
    seeded = [bounds_of(labels == number) for number in range(1, count + 1)]
    areas = None
    while claims and areas is None:
        size = canvas.height, canvas.width
        areas = cut(size, claims, gap, seeded, stream)
        if areas is None:
            claims.pop()
            job.journal.note("layout", f"zone {names[len(claims)]}", "refused", "there is no space for it")
    if areas is None:
        raise GenerationError(f"there is no space for a zone on a map of {canvas.width}x{canvas.height}")
    return [
        Patch(
            name=name,
            entry=params.zones[name],
            parent=parents[name] or "",
            port=_port(
                params.zones[name], job.streams.stream("layout", "patchwork", job.attempt, "to", name)
            ),
            area=tuple(_adrift(rect, claim, stream) for rect in area) if params.between else area,
        )
        for name, claim, area in zip(names, claims, areas, strict=False)
    ]


def _adrift(rect: Rect, claim: Claim, stream: Stream) -> Rect:
    """Return a part of a rectangle, somewhere in it, that is large enough for its zone: islands do not lie in rows."""
    short, long = claim.least if rect.height <= rect.width else claim.least[::-1]
    height = rect.height - stream.below(1 + int(DRIFT * max(rect.height - short, 0)))
    width = rect.width - stream.below(1 + int(DRIFT * max(rect.width - long, 0)))
    y, x = stream.between(0, rect.height - height), stream.between(0, rect.width - width)
    return Rect(rect.y + y, rect.x + x, height, width)


def _least(zone: PatchZone, params: PatchworkParams, job: LayoutJob) -> tuple[int, int]:
    """Return how many cells the shorter and the longer side of a zone need, with its coast."""
    coast = 2 * reach_of(params)
    short, long = LAYOUTS[zone.layout.name].least(zone.layout.params, job)
    return max(short, LEAST) + coast, max(long, LEAST) + coast


def _port(zone: PatchZone, stream: Stream) -> str:
    """Return what leads to a zone."""
    return roll(zone.port, stream, TUNNEL) if zone.join == "island" else TUNNEL


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
    steps = build_whole(LAYOUTS[layout.name], layout.params, part.canvas, own, own.stopped)
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


def _corridors(ways: Mapping[str, Iterable[tuple[int, Cell]]]) -> list[int]:
    """Return the ids of the corridors between zones."""
    return [corridor for each in ways.values() for corridor, _ in each if corridor]


def _ground(
    canvas: Canvas, stopped: NDArray[np.bool_] | None, corridors: Collection[int]
) -> NDArray[np.bool_]:
    """Return (height, width) bool: where a way may begin.

    That is in a region which is not sealed, nor one of these corridors, where nothing stops walkers.
    """
    left_out = (region.sealed or region.id in corridors for region in canvas.regions)
    ground: NDArray[np.bool_] = canvas.passable() & ~np.array([True, *left_out]).take(canvas.region)
    if stopped is not None:
        ground &= ~stopped
    return ground


def _territory(patch: Patch, area: tuple[Rect, ...], ways: Iterable[tuple[int, Cell]]) -> Territory:
    """Return a zone as it lies on the map, with the ways into it: the corridor of each, and the door at its end."""
    ways = list(ways)
    return Territory(
        name=patch.name,
        kind=patch.entry.join if patch.parent else "first",
        parent=patch.parent,
        theme=patch.entry.theme or "",
        step=patch.entry.step,
        area=area,
        gates=tuple(door for _, door in ways),
        before=tuple(corridor for corridor, _ in ways if corridor),
    )
