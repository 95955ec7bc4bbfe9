"""The layout `patchwork`: zones side by side, each built by a layout of its own, and ways between them.

A zone is joined to an earlier zone, its parent, by a way (a door or corridor) or, for an island, by a portal such as a
boat. A zone lies in one or more rectangles, its parts. A patch is a zone with a place on the map. Seeded prefabs were
put on the map before the layout.

The zones are those of "PGC: Smart Card Layout" (Sean Howard, squidi.net, 2009), for any layout. Bridges, tumours,
multi-tumours and islands differ in where the zones lie and how they are joined (`patchwork_areas`,
`patchwork_ways`). Each zone is built on a canvas of its own, with the prefabs seeded there, as if it were a whole map.
A zone that fails by bad luck is retried alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.models.layouts import TUNNEL, origins
from dungeon.content.values.grammar import roll
from dungeon.core.errors import CrampedError, GenerationError
from dungeon.core.registry import LAYOUTS
from dungeon.generation.layouts.coast import Land, lay_coast, open_port, reach_of, shores_of
from dungeon.generation.layouts.doorways import CLOSINGS
from dungeon.generation.layouts.exits_pools import cells_reaching_all
from dungeon.generation.layouts.job import LayoutJob, all_stopped, build_whole
from dungeon.generation.layouts.patchwork_areas import LEAST, Claim, cut
from dungeon.generation.layouts.patchwork_ways import join_zones
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import bounds_of, components
from dungeon.level.part import crop, paste
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import Territory

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.patchwork_params import PatchworkParams, PatchZone
    from dungeon.level.canvas import Canvas, Mouth
    from dungeon.level.part import CanvasPart

    WaysIn = dict[str, list[tuple[int, Cell]]]
    "Name of a zone -> (id of the corridor or 0, cell of the door or portal) for each way into the zone."


def patchwork(canvas: Canvas, params: PatchworkParams, job: LayoutJob) -> Iterator[Step]:
    """Build zones in the free earth of a canvas, and join them.

    Args:
        canvas: The map. Everything on it stays.
        params: The author's parameters.
        job: Its random streams ("layout", "patchwork", attempt, ...) decide everything; those of a zone's layout depend
            on the zone's name. Drawn prefabs, portals and zones are added to the job.

    Yields:
        A step after every zone and every way, and one for the coast; if the job is watched, those of the zones'
        layouts, too.

    Raises:
        GenerationError: The first zone or a required zone can't be built, or a zone can't be joined to its parent.
        HopelessError: No attempt can build the first zone.
    """
    streams = job.streams.under("layout", "patchwork", job.attempt)
    closing = params.dice("doors", streams.stream("doors"), "door")

    def close() -> int:
        """Return the rolled terrain of a door between zones, such as a door or a doorway."""
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
    ways: WaysIn = {patch.name: [] for patch in patches}
    yield from _join(canvas, job, patches, ways, close)
    canvas.build_walls()
    if params.between is not None:
        blocks = [[canvas.board.block(*rect) for rect in patch.area] for patch in patches]
        lands = [[Land(block, block) for block in each] for each in blocks]
        lay_coast(canvas, params, lands, _corridors(ways), streams, close)
        yield Step(Phase.LAYOUT, f"{params.between} lies between zones", canvas)
    yield from _open_ports(canvas, job, patches, ways)
    inside = Rect(0, 0, canvas.height, canvas.width)
    if params.between is not None:
        inside = inside.grown(-1)  # the outermost cells belong to the sea
    job.zones.extend(_territory(patch, inside, ways[patch.name]) for patch in patches)


def _build_all(
    canvas: Canvas, params: PatchworkParams, job: LayoutJob, patch: Patch
) -> Generator[Step, None, tuple[Rect, ...]]:
    """Build all parts of a zone; return the rectangles of the parts that could be built.

    Only a multi-tumour has more than one part. Parts that can't be built are noted in the journal.

    Raises:
        GenerationError: The zone is the first one or required, and no part of it can be built.
    """
    area = []
    for number, rect in enumerate(patch.area):
        try:
            yield from _build(canvas, params, job, patch, number, rect)
        except GenerationError as error:
            if isinstance(error, CrampedError) and not patch.parent:
                # Not hopeless: the next attempt cuts the map elsewhere.
                raise GenerationError(str(error)) from error
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
    """Build one part of a zone with the zone's layout on a canvas of its own, and paste the result onto the map.

    Args:
        canvas: The map.
        params: The author's parameters.
        job: What the layout of the map was given; the portals and drawn prefabs of the part are added to it.
        patch: The zone.
        number: The number of the part, from 0; it chooses the random streams.
        rect: The rectangle of the part.

    Yields:
        A step when the part is built; if the job is watched, the steps of the zone's layout before, too.
    """
    layout = patch.entry.layout
    part = crop(canvas, rect.grown(-reach_of(params)))
    area = part.rect.slices
    own = LayoutJob(
        streams=job.streams.under("layout", "patchwork", job.attempt, "zone", patch.name, number),
        journal=job.journal,
        prefabs=job.prefabs,
        called=job.called,
        weigh=job.weigh,
        variants=job.variants,
        mouths=tuple(_mouths(job, canvas, part)),
        stopped=None if job.stopped is None else job.stopped[area],
        watched=job.watched,
    )
    steps = build_whole(LAYOUTS[layout.name], layout.params, part.canvas, own, is_zone=True)
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
    canvas: Canvas, job: LayoutJob, patches: Sequence[Patch], ways: WaysIn, close: Callable[[], int]
) -> Iterator[Step]:
    """Dig a way to each part of each zone, except the first zone and islands that get a portal; yield a step for each way.

    The line of walls that two zones share belongs to neither zone, even where a prefab has floor on it.

    Args:
        canvas: The map, with all zones built.
        job: Its random streams decide everything.
        patches: The zones.
        ways: The ways into each zone so far; the new ways are added.
        close: Rolls the terrain of a door.
    """
    areas = {patch.name: _cells(canvas, patch.area) for patch in patches}
    inner = {patch.name: _cells(canvas, [rect.grown(-1) for rect in patch.area]) for patch in patches}

    def enter(part: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the cells of `part` from which a player can reach all of `part`, opening locked doors of prefabs with keys."""
        return cells_reaching_all(canvas, canvas.base, [part], job.drawn, part)[0]

    rest = ~np.logical_or.reduce(list(areas.values()))
    for patch in patches:
        for number, rect in enumerate(patch.area if patch.parent and patch.port == TUNNEL else ()):
            stream = job.streams.stream("layout", "patchwork", job.attempt, "way", patch.name, number)
            ground = _ground(canvas, job, ways)
            others = {each.name: ways[each.name] for each in patches if each.parent == patch.parent}
            ways[patch.name] += join_zones(
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


def _open_ports(canvas: Canvas, job: LayoutJob, patches: Sequence[Patch], ways: WaysIn) -> Iterator[Step]:
    """Add a portal, such as a boat, to each island that no way is dug to, from the island's parent; yield a step for each.

    Args:
        canvas: The map, with ways dug and the coast laid.
        job: The portals are added to it.
        patches: The zones.
        ways: The ways into each zone. The start of each portal is added to the ways into its island.
    """
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


def _mouths(job: LayoutJob, canvas: Canvas, part: CanvasPart) -> Iterator[Mouth]:
    """Yield the mouths (openings) of seeded prefabs that lie wholly inside of a part of the map, in coordinates of the part."""
    y, x = part.rect[:2]
    inside = part.rect.grown(-1)
    for mouth in job.mouths:
        bounds = canvas.regions[mouth.region - 1].bounds
        if inside.encloses(bounds) and inside.contains(mouth.y, mouth.x):
            yield mouth._replace(y=mouth.y - y, x=mouth.x - x, region=part.here(mouth.region))


def _cells(canvas: Canvas, area: Iterable[Rect]) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells of the map that lie in the rectangles `area`."""
    found = np.zeros(canvas.terrain.shape, np.bool_)
    for rect in area:
        found[rect.slices] = True
    return found


def _corridors(ways: WaysIn) -> list[int]:
    """Return the ids of the regions of all corridors between zones."""
    return [corridor for each in ways.values() for corridor, _ in each if corridor]


def _ground(canvas: Canvas, job: LayoutJob, ways: WaysIn) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells where a way between zones may begin.

    These cells can be walked on, are in no sealed region and in no corridor between zones, and no object stops walkers
    there.
    """
    corridors = _corridors(ways)
    left_out = (region.sealed or region.id in corridors for region in canvas.regions)
    ground: NDArray[np.bool_] = canvas.passable() & ~np.array([True, *left_out]).take(canvas.region)
    stopped = all_stopped(canvas, ((drawing.barriers, y, x) for drawing, y, x in job.drawn), job.stopped)
    if stopped is not None:
        ground &= ~stopped
    return ground


def _territory(patch: Patch, inside: Rect, ways: Iterable[tuple[int, Cell]]) -> Territory:
    """Return the record of a zone for the finished level.

    Args:
        patch: The zone and its rectangles.
        inside: The rectangle of the map to which the zone's rectangles are cut.
        ways: The ways into the zone, as (id of the corridor or 0, cell of the door or portal).
    """
    ways = list(ways)
    return Territory(
        name=patch.name,
        kind=patch.entry.join if patch.parent else "first",
        parent=patch.parent,
        theme=patch.entry.theme or "",
        step=patch.entry.step,
        area=tuple(rect.common(inside) for rect in patch.area),
        gates=tuple(door for _, door in ways),
        before=(before := tuple(corridor for corridor, _ in ways if corridor)),
        way=before,
        way_theme=patch.entry.way_theme or "",
    )


# -- patches ----------------------------------------------------------------------------------------
#
# Which zones find a place on the map, where it is, and how each is reached.


TOUCHING = ("tumour", "multi-tumour")
"""The kinds of zones (the values of the key `join`) that share walls with their parents."""

DRIFT = 0.4
"""The largest share of the rows or columns a zone has to spare that is given to the terrain `between`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A zone with a place on the map.

    Attributes:
        name: The name of the zone.
        entry: The author's parameters of the zone.
        parent: The name of the zone that it is joined to; empty for the first zone.
        port: How the zone is reached: `TUNNEL` for a dug way, else the kind of the portal to an island, such as "boat".
        area: The rectangles of the zone's parts.
    """

    name: str
    entry: PatchZone
    parent: str
    port: str
    area: tuple[Rect, ...]

    @property
    def touches(self) -> bool:
        """Whether the zone may share walls with its parent, the zone that it is joined to."""
        return self.entry.join in TOUCHING


def place(canvas: Canvas, params: PatchworkParams, job: LayoutJob) -> list[Patch]:
    """Return the zones of the map with their rectangles.

    If there is no space for all zones, the last ones are left out, with a note in the journal. The list is empty if
    not even the first zone has space, but the map has other regions.

    Raises:
        CrampedError: There is no space for the first zone alone, and all regions on the map, if any, are sealed.
        GenerationError: There is no space for a required zone.
    """
    stream = job.streams.stream("layout", "patchwork", job.attempt, "areas")
    parents = origins(params.zones)
    names, gap = list(params.zones), roll(params.gap, stream, 2)
    claims = []
    for name, zone in params.zones.items():
        parent = parents[name]
        short, long = LAYOUTS[zone.layout.name].least(zone.layout.params, job)
        coast = 2 * reach_of(params)
        several = zone.join == "multi-tumour" and parent is not None
        claims.append(
            Claim(
                parent=names.index(parent) if parent is not None else None,
                share=zone.share,
                touches=parent is not None and zone.join in TOUCHING,
                parts=roll(zone.parts, stream, 2) if several else 1,
                least=(max(short, LEAST) + coast, max(long, LEAST) + coast),
                free=(max(short, 1) + coast, max(long, 1) + coast),
            )
        )
    labels, count = components(canvas.used)
    seeded = [bounds_of(labels == number) for number in range(1, count + 1)]
    areas = None
    while claims and areas is None:
        size = canvas.height, canvas.width
        areas = cut(size, claims, gap, seeded, stream, params.uneven)
        if areas is None:
            needs = _needs(names, claims)
            claims.pop()
            lost = names[len(claims)]
            if lost in job.required:
                raise GenerationError(
                    f"zone {lost} must be on the map, and there is no space for it: {needs}"
                )
            job.journal.note("layout", f"zone {lost}", "refused", "there is no space for it")
    if areas is None:
        if all(region.sealed for region in canvas.regions):
            raise CrampedError(
                f"there is no space for a zone on a map of {canvas.width}x{canvas.height}: {needs}"
            )
        return []
    return [
        Patch(
            name=name,
            entry=params.zones[name],
            parent=parents[name] or "",
            port=_port(
                params.zones[name], job.streams.stream("layout", "patchwork", job.attempt, "to", name)
            ),
            area=tuple(_shrunk_at_random(rect, claim, stream) for rect in area) if params.between else area,
        )
        for name, claim, area in zip(names, claims, areas, strict=False)
    ]


def _needs(names: Sequence[str], claims: Sequence[Claim]) -> str:
    """Return, for a message, how many cells the zones of `claims` need at least; `names` has their names first, then others."""
    sizes = [f"{name} {claim.least[1]}x{claim.least[0]}" for name, claim in zip(names, claims, strict=False)]
    return f"zones need, at least, in cells: {', '.join(sizes)}"


def _shrunk_at_random(rect: Rect, claim: Claim, stream: Stream) -> Rect:
    """Return a random rectangle within `rect` that is large enough for the zone `claim`, so that islands do not lie in rows."""
    short, long = claim.least if rect.height <= rect.width else claim.least[::-1]
    height = rect.height - stream.below(1 + int(DRIFT * max(rect.height - short, 0)))
    width = rect.width - stream.below(1 + int(DRIFT * max(rect.width - long, 0)))
    y, x = stream.between(0, rect.height - height), stream.between(0, rect.width - width)
    return Rect(rect.y + y, rect.x + x, height, width)


def _port(zone: PatchZone, stream: Stream) -> str:
    """Return how a zone is reached: an island by the rolled kind of portal or by `TUNNEL`, every other zone by `TUNNEL`."""
    return roll(zone.port, stream, TUNNEL) if zone.join == "island" else TUNNEL
