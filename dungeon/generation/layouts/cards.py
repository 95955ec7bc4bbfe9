"""The layout `cards`: *cards* (prefabs and plain rooms) lie on a coarse grid, joined by corridors, in one zone or several.

A grid cell is many map cells large; a card takes one or more of them. A *border* is one outer side of one grid cell of a card.
A *joint* says which two cards a *way* (a corridor) must join, and at which borders. An *opening* is a place where a card can be
entered. A joint with a *gate* leads into another zone, and gets a door.

After "PGC: Smart Card Layout" (Sean Howard, squidi.net, 2009). First the zones get their grid cells (`cards_zones`), then
each grid cell its card and each card its joints (`cards_deal`). Only then is anything drawn, so nothing has to be undone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.core.errors import CrampedError, counted
from dungeon.generation.layouts.cards_deal import Deal
from dungeon.generation.layouts.cards_decks import DealtCopies
from dungeon.generation.layouts.cards_faces import Grid, Plain, try_face
from dungeon.generation.layouts.cards_faces import objection as objection_on_grid
from dungeon.generation.layouts.cards_grid import Lattice, edge_of, grid_size
from dungeon.generation.layouts.cards_params import DECK
from dungeon.generation.layouts.cards_sea import lay_sea
from dungeon.generation.layouts.cards_ways import CardWays, lay_card
from dungeon.generation.layouts.cards_zones import ZonePlan
from dungeon.generation.layouts.coast import open_port, shores_of
from dungeon.generation.layouts.doorways import (
    reveal_needed_doors,
    wall_up_blind_doors,
)
from dungeon.generation.openings.openings import openings
from dungeon.grid.bits import runs
from dungeon.grid.rect import Cell, Rect
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import Territory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.models.layouts import DeckEntry
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.values.grammar import Value
    from dungeon.core.registry import Objection, Size
    from dungeon.generation.layouts.cards_faces import Face
    from dungeon.generation.layouts.cards_params import CardsParams
    from dungeon.generation.layouts.cards_ways import LaidCard
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Portal
    from dungeon.terrain import TerrainSet

    Drawn = Mapping[str, Mapping[str, Sequence[Drawing]]]
    "Name or tag in a deck -> name of a prefab -> the prefab's drawings."

# -- shortages --------------------------------------------------------------------------------------
#
# What makes the author's wishes impossible on every map: too few cells, or a deck with too few cards or no way on.


def shortages(params: CardsParams, drawn: Drawn, size: Size, terrain_set: TerrainSet) -> Iterator[str]:
    """Yield a sentence for each demand of the author that no map can meet: too many grid cells, or a deck that can't fill a zone.

    Args:
        params: The author's parameters of the layout.
        drawn: Name or tag in a deck -> name of a prefab -> the prefab's drawings.
        size: The greatest (height, width) that the map can have.
        terrain_set: The terrain of the game.
    """
    wanted = {name: _least(zone.count) for name, zone in params.zones.items()} or {"": _least(params.count)}
    rows, columns = grid_size(*size, params)
    said = params.zones or "count" in params.model_fields_set
    if said and sum(wanted.values()) > rows * columns:
        yield (
            f"it asks for at least {sum(wanted.values())} cells of {params.cell.width}x{params.cell.height}, "
            f"but there is space for {rows * columns}"
        )
    grid = Grid(params.cell.height, params.cell.width, params.spacing)
    for name, count in wanted.items():
        zone, where = params.zones.get(name), f"in zone {name} " if name else ""
        deck = params.deck if zone is None or zone.deck is None else zone.deck
        faces = _faces(deck, drawn, grid, terrain_set)
        grow = params.grow if zone is None or zone.grow is None else zone.grow
        sizes = [len(face.cells) for each in faces.values() for found in each.values() for face in found]
        if DECK in grow.sections.outcomes() and max(sizes, default=0) < 2:
            yield f"{where}it grows by the shapes of its deck, and no card there takes several cells"
        if params.rooms == 0 and params.passages == 0:
            reason = _reason(deck, count, faces)
            if reason:
                yield f"{where}{reason}: plain rooms fill the other cells"


def _least(value: Value[int]) -> int:
    """Return the lowest number that an author's value can roll; 0 if the value may not apply: `{value: 3, chance: 30%}`."""
    return min(number or 0 for number in value.outcomes())


def _faces(
    deck: Mapping[str, DeckEntry], drawn: Drawn, grid: Grid, terrain_set: TerrainSet
) -> dict[str, dict[str, list[Face]]]:
    """Return name or tag in a deck -> name of a prefab -> its drawings that can be cards (never empty)."""
    found: dict[str, dict[str, list[Face]]] = {}
    for word in deck:
        for name, drawings in drawn.get(word, {}).items():
            faces = [face for each in drawings if (face := try_face(each, grid, terrain_set)) is not None]
            if faces:
                found.setdefault(word, {})[name] = faces
    return found


def _reason(
    deck: Mapping[str, DeckEntry], count: int, faces: Mapping[str, Mapping[str, Sequence[Face]]]
) -> str:
    """Return why the prefabs of a deck can't fill a zone of `count` cells, as a clause; an empty text if they may.

    Args:
        deck: Name or tag -> its entry in the deck.
        count: The number of grid cells of the zone.
        faces: Name or tag in the deck -> name of a prefab -> its drawings that can be cards.
    """
    if not faces:
        return "no prefab of its deck can be a card"
    cards = [(deck[word].copies, each) for word, prefabs in faces.items() for each in prefabs.values()]
    if count > 2 and all(len(face.openings) < 2 for _, each in cards for face in each):
        return "no card of its deck has openings on two sides, so none leads on"
    cells = 0
    for copies, each in cards:
        if copies is None:
            return ""
        cells += copies * max(len(face.cells) for face in each)
    return f"its deck has cards for {cells} of {count} cells" if cells < count else ""


# -- the layout -------------------------------------------------------------------------------------


def largest_room(params: CardsParams, size: Size) -> Size:  # noqa: ARG001
    """Return the (height, width), without walls, of the largest room that a map of this layout can have, prefabs aside.

    If the parameter `halls` is above 0, that is a room on 2 x 2 cells of the grid; otherwise a room on one cell.
    """
    cells = 2 if params.halls > 0 else 1
    height, width = (
        cells * (side + params.spacing) - params.spacing - 2
        for side in (params.cell.height, params.cell.width)
    )
    return height, width


def least(params: CardsParams, job: LayoutJob) -> Size:  # noqa: ARG001
    """Return the smallest map for this layout, as (shorter side, longer side): two cells of the grid have space on it."""
    side, edges = max(params.cell.height, params.cell.width), 2 * edge_of(params)
    return side + edges, 2 * side + params.spacing + edges


def objection(params: CardsParams, drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return why a prefab's drawing can never be laid on the grid as a card, or None if it can."""
    grid = Grid(params.cell.height, params.cell.width, params.spacing)
    return objection_on_grid(drawing, grid, terrain_set)


def pierced(params: CardsParams, drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:  # noqa: ARG001
    """Return why a drawing is doubtful as a card (a cell is reached only by digging through a wall); None if it is not."""
    return openings(drawing, terrain_set).pierced


def cards(canvas: Canvas, params: CardsParams, job: LayoutJob) -> Iterator[Step]:
    """Lay cards (prefabs and plain rooms) on a grid in the free earth of a canvas, and join them by corridors.

    Args:
        canvas: The map. Everything on it stays.
        params: The author's parameters.
        job: Its streams ("layout", "cards", attempt, ...) decide everything. Prefabs, portals and zones are added to
            it.

    Yields:
        A step after the corridors; if watched, one after every card, too.

    Raises:
        CrampedError: No cell of the grid is free wherever the grid lies, and nothing else is on the map.
        GenerationError: A required zone has no place.
    """
    before = canvas.drawn.copy()
    stream = job.streams.stream("layout", "cards", job.attempt, "lattice")
    lattice = Lattice.on(canvas, params, stream)
    table = DealtCopies(params, job, canvas.terrain_set)
    plan = ZonePlan.drawn(lattice, params, job, table)
    if not plan.plots:
        _note_no_space(canvas, params, job)
    deal = Deal(plan, table)
    deal.run()
    laid = []
    for card in deal.dealt:
        laid.append(lay_card(canvas, card))
        if not isinstance(card.look, Plain):
            job.drawn.append((card.look.drawing, card.box.y, card.box.x))
        if job.watched:
            what = f"a {card.look.kind}" if isinstance(card.look, Plain) else card.look.drawing.name
            yield Step(
                Phase.LAYOUT, f"{what} at column {card.cells.x}, row {card.cells.y} of the grid", canvas
            )
    ways = CardWays(canvas, lattice, params)
    gates: dict[tuple[int, int], tuple[int, Cell]] = {}
    corridors: dict[int, list[int]] = {number: [] for number in range(len(laid))}
    for joint in deal.joints:
        one = deal.dealt[joint.one]
        stream = job.streams.stream(
            "layout", "cards", job.attempt, "way", *one.cells[:2], *one.name_of(joint.here)
        )
        region, gate = ways.dig(laid[joint.one], laid[joint.other], joint, stream)
        corridors[joint.one].append(region)
        corridors[joint.other].append(region)
        if joint.gate is not None and gate is not None:
            gates[joint.gate] = region, gate
    for each in laid:
        ways.close_unused(each)
    wall_up_blind_doors(canvas, canvas.drawn & ~before)
    reveal_needed_doors(canvas)
    canvas.build_walls()
    yield Step(Phase.LAYOUT, f"{counted(len(deal.joints), 'way')} between rooms", canvas)
    between = {place: [laid[card].region, *corridors[card]] for place, card in deal.lies.items()}
    shores = [0] * len(plan.plots)
    if params.between is not None:
        shores = lay_sea(canvas, params, job, plan, _ways_between(laid, corridors, gates))
        yield Step(Phase.LAYOUT, f"{params.between} lies between zones", canvas)
    ports = _open_ports(canvas, job, plan, laid, shores)
    if params.zones:
        job.zones.extend(_territories(canvas, plan, gates, ports, between, shores))


def _ways_between(
    laid: Sequence[LaidCard],
    corridors: Mapping[int, Sequence[int]],
    gates: Mapping[tuple[int, int], tuple[int, Cell]],
) -> set[int]:
    """Return the ids of the regions of all corridors and passages that join two zones; the room of a bridge card is not one of them.

    Args:
        laid: All cards on the map.
        corridors: Index of a card -> the regions of the corridors to its neighbours.
        gates: (grid cell outside a zone, grid cell in it) -> (region of the corridor between, cell of its door).
    """
    found = {region for region, _ in gates.values()}
    for number, each in enumerate(laid):
        if each.card.plot is None:
            found.update(corridors[number])
            if isinstance(each.card.look, Plain) and each.card.look.kind == "passage":
                found.add(each.region)
    return found - {0}


def _open_ports(
    canvas: Canvas, job: LayoutJob, plan: ZonePlan, laid: Sequence[LaidCard], shores: Sequence[int]
) -> dict[str, Portal]:
    """Add a portal, such as a boat, from the parent of each zone that has a port to the zone; return name of a zone -> its portal.

    Args:
        canvas: The map.
        job: The job of the layout, to which the portals are added.
        plan: The zones.
        laid: All cards on the map.
        shores: For each zone the mask of its shores, on which portals stand if both zones have one.

    Raises:
        GenerationError: A zone has no cell for its portal.
    """
    ports: dict[str, Portal] = {}
    for number, plot in enumerate(plan.plots):
        if plot.port and plot.parent is not None:
            begin, end = (_ground(canvas, laid, each, shores[each]) for each in (plot.parent, number))
            sands = shores_of(canvas) if any(shores) else np.zeros_like(begin)
            stream = job.streams.stream("layout", "cards", job.attempt, "port", plot.name)
            ports[plot.name] = open_port(canvas, begin, end, sands, plot.port, job, stream)
            job.portals.append(ports[plot.name])
    return ports


def _ground(canvas: Canvas, laid: Sequence[LaidCard], number: int, shore: int) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells of a zone's cards and of its shore.

    Args:
        canvas: The map.
        laid: All cards on the map.
        number: The index of the zone.
        shore: The mask of its shore.
    """
    regions = [each.region for each in laid if each.card.plot == number and each.region]
    return canvas.within(regions) | canvas.board.to_array(shore)


def _note_no_space(canvas: Canvas, params: CardsParams, job: LayoutJob) -> None:
    """Note in the journal that the map has no space for any card.

    Raises:
        CrampedError: Nothing else is on the map, or a zone is required.
    """
    cell = f"{params.cell.width}x{params.cell.height}"
    text = f"there is no space for a cell of {cell} on a map of {canvas.width}x{canvas.height}"
    if job.required or all(region.sealed for region in canvas.regions):
        raise CrampedError(text)
    job.journal.note("layout", "cards", "noted", text, (("wanted", 1), ("built", 0)))
    for name in params.zones:
        job.journal.note("layout", f"zone {name}", "refused", text)


def _territories(
    canvas: Canvas,
    plan: ZonePlan,
    gates: Mapping[tuple[int, int], tuple[int, Cell]],
    ports: Mapping[str, Portal],
    between: Mapping[int, Sequence[int]],
    shores: Sequence[int],
) -> Iterator[Territory]:
    """Yield the zones of the finished map. The earth between two grid cells of a zone belongs to the zone.

    Args:
        canvas: The map.
        plan: The zones on the grid.
        gates: (grid cell outside a zone, grid cell in it), as bit numbers -> (region of the corridor between, cell of its
            door).
        ports: Name of a zone -> the portal that leads to it.
        between: Grid cell, as a bit number -> the region of the card there, and those of the corridors to its neighbours.
        shores: For each zone the mask of its shores.
    """
    lattice = plan.lattice
    for plot, shore in zip(plan.plots, shores, strict=True):
        if plot.entry is None:
            continue
        parent = plan.plots[plot.parent] if plot.parent is not None else None
        yield Territory(
            name=plot.name,
            kind=plot.entry.join if parent else "first",
            parent=parent.name if parent else "",
            theme=plot.entry.theme or "",
            step=plot.entry.step,
            area=(*lattice.area(plot.cells), *_rows(canvas, shore)),
            gates=(ports[plot.name].begin,) if plot.port else tuple(gates[pair][1] for pair in plot.gates),
            before=tuple(gates[pair][0] for pair in plot.gates if gates[pair][0]),
            way=tuple(region for place in plot.way for region in between[place] if region),
            way_theme=plot.entry.way_theme or "",
        )


def _rows(canvas: Canvas, cells: int) -> Iterator[Rect]:
    """Yield rectangles of one row each that cover a mask of the map."""
    for place, width in runs(cells):
        yield Rect(*divmod(place, canvas.board.stride), 1, width)
