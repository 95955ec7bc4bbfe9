"""The layout `cards`: prefabs and plain rooms on a grid of cells, in one zone or several.

After "PGC: Smart Card Layout" (Sean Howard, squidi.net, 2009). First it is decided where zones lie (`ground_plan`), then which card
lies on each cell and what is joined to what (`deal`); only then anything is drawn, so that nothing has to be taken back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.core.errors import CrampedError, GenerationError, counted
from dungeon.generation.layouts.cards import faces
from dungeon.generation.layouts.cards.card import Plain
from dungeon.generation.layouts.cards.deal import Deal
from dungeon.generation.layouts.cards.decks import Table
from dungeon.generation.layouts.cards.ground_plan import GroundPlan
from dungeon.generation.layouts.cards.lattice import Lattice
from dungeon.generation.layouts.cards.ways import Ways, lay_card
from dungeon.generation.layouts.closings import show_ways_on
from dungeon.generation.layouts.mouths import wall_up_blind_doors
from dungeon.generation.openings.landings import landing
from dungeon.generation.openings.openings import openings
from dungeon.grid.bits import runs
from dungeon.grid.rect import Cell, Rect
from dungeon.level.model import Portal
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import Territory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.registry import Objection, Size
    from dungeon.generation.layouts.cards.ground_plan import Plot
    from dungeon.generation.layouts.cards.params import CardsParams
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas
    from dungeon.terrain import TerrainSet


def largest_room(params: CardsParams, size: Size) -> Size:  # noqa: ARG001
    """Return the (height, width) of the largest plain room: a hall, within its walls, or a room where there are no halls."""
    cells = 2 if params.halls > 0 else 1
    height, width = (
        cells * (side + params.gap) - params.gap - 2 for side in (params.cell.height, params.cell.width)
    )
    return height, width


def least(params: CardsParams, job: LayoutJob) -> Size:  # noqa: ARG001
    """Return how many cells the shorter and the longer side of the map need: for two cells of the grid."""
    side = max(params.cell.height, params.cell.width)
    return side + 2, 2 * side + params.gap + 2


def objection(params: CardsParams, drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return why a drawing can never be a card."""
    grid = faces.Grid(params.cell.height, params.cell.width, params.gap)
    return faces.objection(drawing, grid, terrain_set)


def pierced(params: CardsParams, drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:  # noqa: ARG001
    """Return a cell of a card to which a way is dug through a wall, or None."""
    return openings(drawing, terrain_set).pierced


def cards(canvas: Canvas, params: CardsParams, job: LayoutJob) -> Iterator[Step]:
    """Lay cards on the free earth of a canvas, and join them.

    Args:
        canvas: What is on it already is left alone.
        params: What the author set.
        job: Its streams ("layout", "cards", attempt, ...) decide everything; it is told of prefabs and zones.

    Yields:
        A step after the ways; if watched, one after every card, too.

    Raises:
        CrampedError: No cell of the grid is free, wherever on the map it is laid, and nothing else is on the map.
        GenerationError: A zone without which the map must not be made has no place.
    """
    before = canvas.drawn.copy()
    stream = job.streams.stream("layout", "cards", job.attempt, "lattice")
    lattice = Lattice.on(canvas, params, stream)
    plan = GroundPlan.drawn(lattice, params, job)
    if not plan.plots:
        _do_without(canvas, params, job)
    deal = Deal(plan, Table(params, job, canvas.terrain_set))
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
    ways = Ways(canvas, lattice, params)
    gates: dict[tuple[int, int], tuple[int, Cell]] = {}
    for joint in deal.joints:
        place = deal.dealt[joint.one].cells[:2]
        stream = job.streams.stream("layout", "cards", job.attempt, "way", *place, *joint.here)
        region, gate = ways.dig(laid[joint.one], laid[joint.other], joint, stream)
        if joint.gate is not None and gate is not None:
            gates[joint.gate] = region, gate
    for each in laid:
        ways.close_unused(each)
    wall_up_blind_doors(canvas, canvas.drawn & ~before)
    show_ways_on(canvas)
    canvas.build_walls()
    yield Step(Phase.LAYOUT, f"{counted(len(deal.joints), 'way')} between cards", canvas)
    regions = [
        [each.region for each in laid if each.card.plot == number and each.region]
        for number in range(len(plan.plots))
    ]
    ports = {plot.name: _open_port(canvas, job, plan, plot, regions) for plot in plan.plots if plot.port}
    if params.zones:
        job.zones.extend(_territories(plan, gates, ports))


def _do_without(canvas: Canvas, params: CardsParams, job: LayoutJob) -> None:
    """Note that there is no space for any card.

    Raises:
        CrampedError: Nothing else is on the map, or a zone must be.
    """
    cell = f"{params.cell.width}x{params.cell.height}"
    text = f"there is no space for a cell of {cell} on a map of {canvas.width}x{canvas.height}"
    if job.required or all(region.sealed for region in canvas.regions):
        raise CrampedError(text)
    job.journal.note("layout", "cards", "noted", text, (("wanted", 1), ("built", 0)))
    for name in params.zones:
        job.journal.note("layout", f"zone {name}", "refused", text)


def _open_port(
    canvas: Canvas, job: LayoutJob, plan: GroundPlan, plot: Plot, regions: Sequence[Sequence[int]]
) -> Portal:
    """Let the port of a zone lead there from its parent.

    Raises:
        GenerationError: There is no place for it on one of the sides.
    """
    assert plot.parent is not None
    stream = job.streams.stream("layout", "cards", job.attempt, "port", plot.name)
    ends = []
    for number in (plot.parent, plan.plots.index(plot)):
        cell = landing(canvas, canvas.within(regions[number]), job.drawn, job.portals, stream)
        if cell is None:
            raise GenerationError(f"zone {plan.plots[number].name} has no place for a {plot.port}")
        ends.append(cell)
    (y, x), (to_y, to_x) = ends
    job.portals.append(Portal(y=y, x=x, to_y=to_y, to_x=to_x, kind=plot.port))
    return job.portals[-1]


def _territories(
    plan: GroundPlan, gates: Mapping[tuple[int, int], tuple[int, Cell]], ports: Mapping[str, Portal]
) -> Iterator[Territory]:
    """Yield the zones as they lie on the map. The earth between two cells of a zone is its own."""
    lattice = plan.lattice
    for plot in plan.plots:
        if plot.entry is None:
            continue
        parent = plan.plots[plot.parent] if plot.parent is not None else None
        yield Territory(
            name=plot.name,
            kind=plot.entry.join if parent else "first",
            parent=parent.name if parent else "",
            theme=plot.entry.theme or "",
            step=plot.entry.step,
            area=tuple(_area(lattice, plot.cells)),
            gates=(ports[plot.name].begin,) if plot.port else tuple(gates[pair][1] for pair in plot.gates),
            before=tuple(gates[pair][0] for pair in plot.gates),
        )


def _area(lattice: Lattice, cells: int) -> Iterator[Rect]:
    """Yield rectangles that cover some cells, and what lies between those of them that are neighbours."""
    stride = lattice.board.stride
    for height in (1, 2):  # of two rows each: what lies between these
        for place, width in runs(lattice.board.fits(cells, height, 1)):
            yield lattice.on_map(Rect(*divmod(place, stride), height, width))
