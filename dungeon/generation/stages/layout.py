"""Two early stages: the plan (map size, number of encounters) and the layout (rooms, corridors and caves: the *ground plan*).

Between them, the stage `seed` puts *features* on the map: prefabs and stairs around which the layout is made.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.models.layouts import origins
from dungeon.content.models.maps import USUAL_SIZE
from dungeon.content.values.grammar import roll
from dungeon.core.errors import counted
from dungeon.core.registry import LAYOUTS
from dungeon.generation.encounters.draw import guaranteed, wanted_on
from dungeon.generation.layouts.doorways import count_narrow_mouths
from dungeon.generation.layouts.job import LayoutJob, build_whole
from dungeon.generation.populate.placed_drawings import PlacedDrawing
from dungeon.grid.rect import Rect
from dungeon.level.canvas import Canvas
from dungeon.level.model import Placement
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.seed import SeededMap
    from dungeon.level.territory import Territory
    from dungeon.terrain import TerrainSet


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidOutMap:
    """A map with its ground plan (rooms, corridors, caves), before encounters are placed.

    Attributes:
        canvas: The map.
        drawings: The prefabs that the layout itself drew; later they are filled with objects.
        zones: The zones that the layout made.
        retries: The number of attempts in which the layout failed before.
        pieces: The entries of these drawings for `Level.placements`; empty if one of them is the whole map.
    """

    canvas: Canvas
    drawings: tuple[PlacedDrawing, ...]
    zones: tuple[Territory, ...]
    retries: int
    pieces: tuple[Placement, ...] = ()


def lay_out(brief: Brief, seeded: SeededMap, attempt: int = 0) -> Stage[LaidOutMap]:
    """Make the ground plan; retry with other random numbers if the layout fails by bad luck.

    Args:
        brief: The level to make.
        seeded: The map with its features.
        attempt: The number of earlier attempts to make the ground plan of this level.
    """
    layout = LAYOUTS[brief.entry.layout.name]
    params = brief.content.layouts[brief.name]
    job = LayoutJob(
        streams=brief.streams,
        journal=brief.journal,
        prefabs=brief.content.prefabs,
        called=brief.called,
        weigh=brief.content.weight,
        variants=brief.content.variants,
        mouths=seeded.mouths,
        stopped=seeded.stopped,
        attempt=attempt,
        required=required_zones(brief),
        watched=brief.watched,
    )
    canvas, job = yield from build_whole(layout, params, seeded.canvas, job)
    if narrow := count_narrow_mouths(canvas, seeded.mouths):
        text = "there was no space for a way as wide as a prefab's mouth"
        brief.journal.note("layout", layout.name, "noted", text, (("mouths", narrow),))
    for placement in seeded.placements:
        canvas.claim(placement.bounds)
        _settle_around(canvas, placement.bounds)
    drawings = []
    for number, (drawing, y, x) in enumerate(job.drawn):
        stream = brief.streams.stream("populate", "map", number)
        drawings.append(PlacedDrawing(drawing=drawing, y=y, x=x, index=None, stream=stream))
    if not brief.watched:  # a watched layout has yielded its own steps
        yield Step(Phase.LAYOUT, f"laid out by {layout.name}", canvas)
    return LaidOutMap(
        canvas=canvas,
        drawings=tuple(drawings),
        pieces=() if layout.draws_all else tuple(_pieces(canvas, drawings)),
        zones=tuple(job.zones),
        retries=job.attempt,
    )


def _pieces(canvas: Canvas, drawings: Iterable[PlacedDrawing]) -> Iterator[Placement]:
    """Yield an entry for `Level.placements` for each prefab that the layout itself drew."""
    copies: Counter[str] = Counter()
    for placed in drawings:
        drawing = placed.drawing
        bounds = Rect(placed.y, placed.x, drawing.height, drawing.width)
        copies[drawing.name] += 1
        regions = canvas.region[bounds.slices]
        cells = drawing.ground.notes.once(
            ("open cells", drawing.orientation), _open_cells, drawing, canvas.terrain_set
        )
        yield Placement(
            encounter="",
            category="fluff",
            prefab=drawing.name,
            mode="layout",
            orientation=drawing.orientation.label,
            region=next((region for cell in cells if (region := int(regions[cell])) > 0), 0),
            bounds=bounds,
            copy=copies[drawing.name],
        )


def _open_cells(drawing: Drawing, terrain_set: TerrainSet) -> list[tuple[int, int]]:
    """Return the cells (y, x) of a drawing with open terrain on which no object blocks walkers and that are not sealed."""
    terrain = drawing.terrain
    is_open = terrain_set.open.take(terrain) & (terrain != t.KEEP) & ~drawing.barriers
    ys, xs = is_open.nonzero()
    return list(zip(ys.tolist(), xs.tolist(), strict=True))


def required_zones(brief: Brief) -> frozenset[str]:
    """Return the names of the required zones of a level, and of the zones that these are joined to, up to the first zone.

    Without a required zone, the level must not be made. The key `required` of a zone decides. Without that key, a zone is required in three
    cases: it has a lock; one of its prefabs draws stairs down or an exit; an encounter that the level must have fits in no other zone.
    """
    content = brief.content
    zones = content.layouts[brief.name].named_zones()
    if not zones:
        return frozenset()
    needed = {zone for name in _sure_encounters(brief) if (zone := _only_zone(brief, name))}
    parents = origins(zones)
    found: set[str] = set()
    for name, zone in zones.items():
        asked = (prefab for word in zone.asked_for() for prefab in brief.called.get(word, ()))
        leads_on = any(np.isin(prefab.drawing.terrain, (t.STAIRS_DOWN, t.EXIT)).any() for prefab in asked)
        by_default = zone.lock is not None or leads_on or name in needed
        is_required = by_default if zone.required is None else zone.required
        above: str | None = name if is_required else None
        while above is not None:
            found.add(above)
            above = parents[above]
    return frozenset(found)


def must_be_there(brief: Brief) -> frozenset[str]:
    """Return the names of the required encounters and zones: a level that lacks one of them is not made."""
    return required_zones(brief) | frozenset(_sure_encounters(brief))


def _sure_encounters(brief: Brief) -> Iterable[str]:
    """Return the names of the encounters that a level must have: guaranteed ones, and those that the world has set aside for it."""
    content = brief.content
    able = content.weights_on(brief.name, brief.depth)
    limits = {name: brief.shares.get(name, content.encounters[name].limit.map) for name in able}
    return {**dict.fromkeys(sorted(guaranteed(content, limits))), **dict.fromkeys(brief.first)}


def _only_zone(brief: Brief, encounter: str) -> str | None:
    """Return the only zone of a level in which an encounter may be placed; None if it may be placed in several or anywhere."""
    zones = brief.content.layouts[brief.name].named_zones()
    forms = brief.content.forms_on(encounter, brief.name, brief.depth)
    if not forms or not all(form.entry.zones for form, _ in forms):
        return None
    named = {zone for form, _ in forms for zone in form.entry.zones if zone in zones}
    return named.pop() if len(named) == 1 else None


def _settle_around(canvas: Canvas, rect: Rect) -> None:
    """Shrink the bounds of the regions at a prefab to the cells they still have, after corridors were dug into the prefab."""
    near = rect.grown()
    for region in canvas.regions.copy():
        if region.bounds.overlaps(near):
            canvas.settle_bounds(region.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelPlan:
    """The decisions before anything is drawn on the map.

    Attributes:
        canvas: The empty canvas, all earth, of the size of the map.
        wanted: The number of encounters that the level is to have.
    """

    canvas: Canvas
    wanted: int


def map_size(brief: Brief) -> tuple[int, int]:
    """Return the (height, width) of the map of a level; the layout decides it, or the map's `size`."""
    content, entry, streams = brief.content, brief.entry, brief.streams
    job = LayoutJob(
        streams=streams,
        journal=brief.journal,
        prefabs=content.prefabs,
        called=brief.called,
        weigh=content.weight,
        variants=content.variants,
        watched=brief.watched,
    )
    size = LAYOUTS[entry.layout.name].size(content.layouts[brief.name], job)
    if size is None:
        stream = streams.stream("plan", "size")
        height, width = entry.size.at(brief.depth)
        size = roll(height, stream, USUAL_SIZE["height"]), roll(width, stream, USUAL_SIZE["width"])
    return size


def plan(brief: Brief) -> Stage[LevelPlan]:
    """Decide the size of the map and the number of encounters."""
    content, size = brief.content, map_size(brief)
    canvas = Canvas(*size, content.terrain_set)
    wanted = wanted_on(content, brief.name, brief.depth, brief.streams)
    message = f"{size[1]}x{size[0]} cells, {counted(wanted, 'encounter')} wanted"
    brief.journal.note("plan", brief.id, "noted", message)
    yield Step(Phase.PLAN, message, canvas)
    return LevelPlan(canvas=canvas, wanted=wanted)
