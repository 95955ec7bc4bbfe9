"""The layout `cards`: *cards* (prefabs and plain rooms) lie on a coarse grid, joined by corridors, in one zone or several.

A grid cell is many map cells large; a card takes one or more of them. A *border* is one outer side of one grid cell of a card.
A *joint* says which two cards a *way* (a corridor) must join, and at which borders. An *opening* is a place where a card can be
entered. A joint with a *gate* leads into another zone, and gets a door.

After "PGC: Smart Card Layout" (Sean Howard, squidi.net, 2009). First the zones get their grid cells (`cards_zones`), then
each grid cell its card and each card its joints (`cards_deal`). Only then is anything drawn, so nothing has to be undone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.content.values.grammar import roll
from dungeon.core.errors import CrampedError, GenerationError, counted
from dungeon.generation.layouts.cards_deal import Deal, DealtCopies
from dungeon.generation.layouts.cards_faces import Grid, Plain, try_face
from dungeon.generation.layouts.cards_faces import objection as objection_on_grid
from dungeon.generation.layouts.cards_grid import Lattice, grid_size
from dungeon.generation.layouts.cards_zones import ZonePlan
from dungeon.generation.layouts.doorways import (
    CLOSINGS,
    dig_in,
    is_open,
    reveal_needed_doors,
    wall_up_blind_doors,
)
from dungeon.generation.openings.landings import landing, lay
from dungeon.generation.openings.openings import openings
from dungeon.grid.bits import runs
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import components
from dungeon.level.model import Portal
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import Territory

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from dungeon.content.models.layouts import DeckEntry
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.values.grammar import Value
    from dungeon.core.registry import Objection, Size
    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.cards_deal import CardJoint
    from dungeon.generation.layouts.cards_faces import Border, Card, CardOpening, Face
    from dungeon.generation.layouts.cards_grid import CardsParams
    from dungeon.generation.layouts.cards_zones import Plot
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas, Mouth
    from dungeon.terrain import TerrainSet

    Drawn = Mapping[str, Mapping[str, Sequence[Drawing]]]
    "Name or tag in a deck -> name of a prefab -> the prefab's drawings."

# -- ways -------------------------------------------------------------------------------------------
#
# A way leads straight out of one card, along the earth between two cells, and straight into the other card.
#
#     #####     #####
#     #...#  ,,,+...#      + a door of the plain room on the right
#     #...,,,,  #...#      the prefab on the left has an opening of its own
#     #####     #####
#
# Only one way is dug between two cells, and it never reaches the crossings of the grid's lines, so no two ways meet.


SHORT = 3
"""A way of at most this many cells between two rooms has a door at one end only, and a gap at the other."""

BEYOND_ALL = 1 << 30
"""A distance greater than any on a map."""


@dataclass(slots=True)
class LaidCard:
    """A card (prefab, plain room or passage) that has been drawn on the map.

    Attributes:
        card: The card.
        region: The id of the card's region on the map, 0 for none.
        mouths: The places at a prefab's edge where it can be entered, in cells of the map; empty for other cards.
        used: (border of the card, opening) of each corridor that ends at the card.
        has_lost: Whether cells may have been taken from the region, so that its bounds must be measured again.
    """

    card: Card
    region: int
    mouths: Sequence[Mouth] = ()
    used: set[tuple[Border, CardOpening]] = field(default_factory=set)
    has_lost: bool = False


def lay_card(canvas: Canvas, card: Card) -> LaidCard:
    """Draw a card (a prefab, a plain room or a passage) on the map, and return it with its region and mouths."""
    if not isinstance(card.look, Plain):
        region, mouths = lay(canvas, card.look.entries, Cell(card.box.y, card.box.x))
        return LaidCard(card, region, mouths)
    if card.look.kind == "passage":
        region = canvas.add_region("corridor", card.box)
        canvas.carve(card.box, t.CORRIDOR, region)
    elif card.look.cells.all():
        region = canvas.carve_room(card.box)
    else:
        region = canvas.add_region("room", card.box)
        ys, xs = card.look.cells.nonzero()
        cells = zip((ys + card.box.y).tolist(), (xs + card.box.x).tolist(), strict=True)
        canvas.carve_cells(cells, t.FLOOR, region)
    return LaidCard(card, region)


@dataclass(frozen=True, slots=True)
class CardWays:
    """Digs the corridors (*ways*) between the cards of a map.

    Attributes:
        canvas: The map.
        lattice: The coarse grid on which the cards lie.
        params: The author's parameters of the layout.
    """

    canvas: Canvas
    lattice: Lattice
    params: CardsParams

    def dig(
        self, one: LaidCard, other: LaidCard, joint: CardJoint, stream: Stream
    ) -> tuple[int, Cell | None]:
        """Dig the corridor between two cards, with its doors, and note at both cards which openings it uses.

        Args:
            one: The card where the corridor begins.
            other: The card where it ends.
            joint: The borders at which the two cards are joined, and whether the corridor leads into another zone.
            stream: The random stream.

        Returns:
            The id of the corridor's region, and the cell of the door into another zone; None if the joint has no gate.
        """
        start, end = self._nearest(one, other, joint, stream)
        one.used.add((joint.here, start))
        other.used.add((joint.there, end))
        self._dig_in(one, start)
        self._dig_in(other, end)
        first, last = (
            one.card.first_beyond(joint.here, start.at),
            other.card.first_beyond(joint.there, end.at),
        )
        way = self._way(one.card, first, last, joint)
        doors = self._doors(one, other, way, joint, stream)
        corridor = [cell for cell in way if cell not in doors]
        region = self.canvas.add_region("corridor", Rect.around(corridor))
        self.canvas.carve_cells(corridor, t.CORRIDOR, region)
        for cell, (kind, laid) in doors.items():
            # The door takes a cell of a prefab's wall.
            laid.has_lost |= not isinstance(laid.card.look, Plain)
            self.canvas.add_door(*cell, (laid.region, region), kind)
        return region, next(iter(doors), None) if joint.gate else None

    def _nearest(
        self, one: LaidCard, other: LaidCard, joint: CardJoint, stream: Stream
    ) -> tuple[CardOpening, CardOpening]:
        """Return one opening of each card: the pair between which a corridor has the shortest bend.

        The bend is the difference of the openings' columns (or rows, for cards side by side). Of several such pairs one is
        drawn at random.
        """
        here = one.card.openings(joint.here, self.lattice)
        there = other.card.openings(joint.there, self.lattice)
        pairs: list[tuple[CardOpening, CardOpening]] = []
        least = BEYOND_ALL
        for start in here:
            for end in there:
                off = abs(start.at - end.at)
                if off < least:
                    least, pairs = off, []
                if off == least:
                    pairs.append((start, end))
        return stream.pick(pairs)

    def _way(self, one: Card, first: Cell, last: Cell, joint: CardJoint) -> list[Cell]:
        """Return the cells of the corridor between two cards, in order. It turns halfway between their grid cells.

        Args:
            one: The first card.
            first: The first cell of the corridor, just outside of this card.
            last: The last cell of the corridor, just outside of the second card.
            joint: The borders at which the cards are joined.
        """
        dy, dx, _ = joint.here
        block = self.lattice.on_map(one.cells)
        middle = (self.lattice.gap - 1) // 2
        if dy:
            line = (block.bottom if dy > 0 else block.y - self.lattice.gap) + middle
            turns = Cell(line, first.x), Cell(line, last.x)
        else:
            line = (block.right if dx > 0 else block.x - self.lattice.gap) + middle
            turns = Cell(first.y, line), Cell(last.y, line)
        way = [first]
        for goal in (*turns, last):
            while way[-1] != goal:
                y, x = way[-1]
                way.append(Cell(y + (goal.y > y) - (goal.y < y), x + (goal.x > x) - (goal.x < x)))
        return way

    # -- doors ----------------------------------------------------------------------------------

    def _doors(
        self, one: LaidCard, other: LaidCard, way: Sequence[Cell], joint: CardJoint, stream: Stream
    ) -> dict[Cell, tuple[int, LaidCard]]:
        """Choose the doors of a corridor, at most one at each end: return cell -> (terrain of the door, the card that it closes).

        Args:
            one: The card where the corridor begins.
            other: The card where it ends.
            way: The cells of the corridor, in order.
            joint: How the two cards are joined; at a gate, a door closes the zone's end.
            stream: The random stream of the kinds of doors.
        """
        ends: dict[Cell, LaidCard] = {}
        for laid, first, border in ((other, way[-1], joint.there), (one, way[0], joint.here)):
            cell = self._end(laid, first, border, gate=joint.gate is not None and not ends)
            if cell is not None:
                ends[cell] = laid
        kinds = [CLOSINGS[roll(self.params.doors, stream, "door")] for _ in ends]
        if len(kinds) > 1 and len(way) <= SHORT:
            kinds[1 if joint.gate else stream.below(2)] = t.FLOOR
        if joint.gate:
            drawn = int(self.canvas.terrain_set.base[self.canvas.terrain[next(iter(ends))]])
            kinds[0] = drawn if drawn in t.DOORS else t.DOOR
        return {cell: (kind, laid) for (cell, laid), kind in zip(ends.items(), kinds, strict=True)}

    def _end(self, laid: LaidCard, first: Cell, border: Border, *, gate: bool) -> Cell | None:
        """Return the cell for a door at one end of a corridor; None if no door is put there.

        A plain room gets its door just outside. A prefab draws its own doors. So a door is added only where the prefab's wall was dug open
        for a drawn connector, or where no wall is drawn.

        Args:
            laid: The card at this end.
            first: The first cell of the corridor outside of it.
            border: The border of the card on which that cell lies.
            gate: Whether a door must be there.
        """
        if isinstance(laid.card.look, Plain):
            return first if gate or laid.card.look.kind == "room" else None
        if not laid.card.look.is_walled:
            return first
        last = Cell(first.y - border.dy, first.x - border.dx)
        beside = [Cell(last.y + sign * border.dx, last.x + sign * border.dy) for sign in (-1, 1)]
        if is_open(self.canvas, *last) and any(is_open(self.canvas, *cell) for cell in beside):
            return first if gate else None  # a door would lack a wall on one side
        within = Cell(last.y - laid.card.box.y, last.x - laid.card.box.x)
        return last if gate or within in laid.card.look.entries.dug else None

    def _dig_in(self, laid: LaidCard, opening: CardOpening) -> None:
        """Dig from a prefab's opening through the earth at its edge to its open cells, if that edge is diggable (`o`)."""
        if laid.mouths and laid.mouths[opening.mouth].kind == "diggable":
            dig_in(self.canvas, laid.mouths[opening.mouth])

    # -- unused openings --------------------------------------------------------------------------

    def close_unused(self, laid: LaidCard) -> None:
        """Wall up the openings of a prefab at which no corridor ends, with the cells that were dug for them.

        A cell that connects two parts of the prefab stays open.
        """
        card, canvas = laid.card, self.canvas
        if isinstance(card.look, Plain):
            return
        used = {(border.dy, border.dx, opening.at) for border, opening in laid.used}
        dug = {(y + card.box.y, x + card.box.x) for y, x in card.look.entries.dug}
        for mouth in laid.mouths:
            for line in range(mouth.width):
                y, x = mouth.y + line * abs(mouth.dx), mouth.x + line * abs(mouth.dy)
                if (mouth.dy, mouth.dx, x if mouth.dy else y) in used:
                    continue
                cell, is_edge = Cell(y - mouth.dy, x - mouth.dx), card.look.is_walled
                while is_open(canvas, *cell) and (is_edge or self._leads_nowhere(cell, dug)):
                    is_passage = self._open_beside(cell) > 1
                    if is_passage and self._parts(card.box, cell) > self._parts(card.box):
                        break  # the cell connects two parts of the prefab
                    canvas.wall_up(*cell)
                    laid.has_lost = True
                    cell, is_edge = Cell(cell.y - mouth.dy, cell.x - mouth.dx), False
        if laid.has_lost:
            canvas.settle_bounds(laid.region)

    def _parts(self, box: Rect, but: Cell | None = None) -> int:
        """Return the number of connected components of the open cells in a rectangle of the map, without the cell `but`."""
        opened = self.canvas.terrain_set.open.take(self.canvas.terrain[box.slices])
        if but is not None:
            opened[but.y - box.y, but.x - box.x] = False
        return components(opened)[1]

    def _leads_nowhere(self, cell: Cell, dug: Collection[tuple[int, int]]) -> bool:
        """Tell whether a cell is a useless opening: a door or a cell dug for a connector, with fewer than two open neighbours.

        Args:
            cell: The cell of the map.
            dug: The cells that were dug for the connectors of a prefab.
        """
        base = int(self.canvas.terrain_set.base[self.canvas.terrain[cell]])
        return self._open_beside(cell) < 2 and (cell in dug or base in t.DOORS)

    def _open_beside(self, cell: Cell) -> int:
        """Return how many of a cell's four neighbours are open."""
        y, x = cell
        return sum(is_open(self.canvas, *each) for each in ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)))


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
    if params.rooms != 0 or params.passages != 0:
        return
    grid = Grid(params.cell.height, params.cell.width, params.gap)
    for name, count in wanted.items():
        zone = params.zones.get(name)
        deck = params.deck if zone is None or zone.deck is None else zone.deck
        reason = _reason(deck, count, _faces(deck, drawn, grid, terrain_set))
        if reason:
            yield f"{f'in zone {name} ' if name else ''}{reason}: plain rooms fill the other cells"


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
        cells += copies * max(face.rows * face.columns for face in each)
    return f"its deck has cards for {cells} of {count} cells" if cells < count else ""


# -- the layout -------------------------------------------------------------------------------------


def largest_room(params: CardsParams, size: Size) -> Size:  # noqa: ARG001
    """Return the (height, width), without walls, of the largest room that a map of this layout can have, prefabs aside.

    If the parameter `halls` is above 0, that is a room on 2 x 2 cells of the grid; otherwise a room on one cell.
    """
    cells = 2 if params.halls > 0 else 1
    height, width = (
        cells * (side + params.gap) - params.gap - 2 for side in (params.cell.height, params.cell.width)
    )
    return height, width


def least(params: CardsParams, job: LayoutJob) -> Size:  # noqa: ARG001
    """Return the smallest map for this layout, as (shorter side, longer side): two cells of the grid have space on it."""
    side = max(params.cell.height, params.cell.width)
    return side + 2, 2 * side + params.gap + 2


def objection(params: CardsParams, drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return why a prefab's drawing can never be laid on the grid as a card, or None if it can."""
    grid = Grid(params.cell.height, params.cell.width, params.gap)
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
    plan = ZonePlan.drawn(lattice, params, job)
    if not plan.plots:
        _note_no_space(canvas, params, job)
    deal = Deal(plan, DealtCopies(params, job, canvas.terrain_set))
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
        place = deal.dealt[joint.one].cells[:2]
        stream = job.streams.stream("layout", "cards", job.attempt, "way", *place, *joint.here)
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
    yield Step(Phase.LAYOUT, f"{counted(len(deal.joints), 'way')} between cards", canvas)
    regions = [
        [each.region for each in laid if each.card.plot == number and each.region]
        for number in range(len(plan.plots))
    ]
    ports = {plot.name: _open_port(canvas, job, plan, plot, regions) for plot in plan.plots if plot.port}
    if params.zones:
        between = {place: [laid[card].region, *corridors[card]] for place, card in deal.lies.items()}
        job.zones.extend(_territories(plan, gates, ports, between))


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


def _open_port(
    canvas: Canvas, job: LayoutJob, plan: ZonePlan, plot: Plot, regions: Sequence[Sequence[int]]
) -> Portal:
    """Add a portal (such as a boat) from a zone's parent to the zone, and return it. The parent is the zone that it is joined to.

    Args:
        canvas: The map.
        job: The job of the layout, to which the portal is added.
        plan: All zones of the map.
        plot: The zone, with its grid cells.
        regions: For each zone of `plan`, the ids of the regions of its cards.

    Raises:
        GenerationError: Either zone has no cell for its end.
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
    plan: ZonePlan,
    gates: Mapping[tuple[int, int], tuple[int, Cell]],
    ports: Mapping[str, Portal],
    between: Mapping[int, Sequence[int]],
) -> Iterator[Territory]:
    """Yield the zones of the finished map. The earth between two grid cells of a zone belongs to the zone.

    Args:
        plan: The zones on the grid.
        gates: (grid cell outside a zone, grid cell in it), as bit numbers -> (region of the corridor between, cell of its
            door).
        ports: Name of a zone -> the portal that leads to it.
        between: Grid cell, as a bit number -> the region of the card there, and those of the corridors to its neighbours.
    """
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
            way=tuple(region for place in plot.way for region in between[place] if region),
            way_theme=plot.entry.way_theme or "",
        )


def _area(lattice: Lattice, cells: int) -> Iterator[Rect]:
    """Yield rectangles of the map that cover a zone: its grid cells, and the earth between neighbouring ones.

    Args:
        lattice: The grid.
        cells: The mask of the zone's grid cells.
    """
    stride = lattice.board.stride
    for height in (1, 2):  # blocks of two rows cover the earth between rows
        for place, width in runs(lattice.board.fits(cells, height, 1)):
            yield lattice.on_map(Rect(*divmod(place, stride), height, width))
