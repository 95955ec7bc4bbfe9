"""Filling placed prefabs with objects: *references* (characters that stand for objects) and *machines* become spawns.

A machine is one object on several cells. A *symbol* is the meaning of a character in a legend. Symbols may form a group, of which
one is chosen and the others are left out. A *gap* is a free cell among obstacles that walkers can't reach; gaps are closed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.catalog.catalog import CatalogObject
from dungeon.content.catalog.selector import ANY
from dungeon.content.prefab.drawing import Machine, Reference, place_of
from dungeon.content.values.grammar import Constant, roll
from dungeon.core.frozen import NOTHING, Frozen
from dungeon.core.streams import UNIT, Streams
from dungeon.generation.populate.choosing import ObjectChooser, spawn_of
from dungeon.generation.populate.placed_drawings import Company, KeyMark, PlacedDrawing, chains
from dungeon.grid.bits import Board
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import Parts
from dungeon.level.model import Light, Marker, Spawn

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from dungeon.content.catalog.catalog import Catalog
    from dungeon.content.catalog.requests import Loadout
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.values.fields import Weight
    from dungeon.core.streams import Stream
    from dungeon.generation.populate.choosing import ObjectRequest
    from dungeon.generation.populate.occupancy import Occupancy
    from dungeon.level.canvas import Canvas
    from dungeon.level.journal import Journal

GENERIC_MACHINE = CatalogObject(
    kind="prop",
    like="prop",
    tag="machine",
    name="machine",
    glyph="▒",
    fg=(150, 150, 150),
    classes=(),
    categories=(),
    depth=0,
    weight=1.0,
    blocks=True,
    opaque=False,
    light=0,
)
"""The object of a drawn machine whose prefab names no prop for it."""


ONE_CELL = ((0, 0),)
"""The shape of everything that is not a machine."""

ACCESS_KEYWORDS = frozenset(("lock", "opens"))
"""Keywords of objects that walkers must be able to stand beside."""

INTEGRITY = 40
"""Integrity of a generic machine at depth 0, and its growth per depth: high, so that it is not easily broken."""


@dataclass(slots=True)
class Populator:
    """Fills one level with objects.

    Attributes:
        canvas: The canvas.
        catalog: All objects.
        weigh: A function that returns the number for a weight: a number, or a weight word such as ``rare``.
        depth: The depth of the level; it decides which objects of a class suit.
        journal: Gets the objects that were asked for and can't be placed, with the reasons.
        occupancy: The record of the cells that objects take, and will take once the prefabs are filled.
        spawns: The objects put so far.
        marks: The cells and objects that drawings mark for keys.
        markers: The cells that drawings mark for the game.
        companies: The drawn cells with company, which `scattering.scatter_company` puts once all drawings are filled.
        radii: For each spawn, the radius of its light, 0 for none.
        loadouts: For each spawn, the items that it will hold once `give_loadouts` is called.
        below: (height, width): how much deeper than `depth` each cell counts; None if no cell counts as deeper.
        chooser: Chooses objects for symbols.
    """

    canvas: Canvas
    catalog: Catalog
    weigh: Callable[[Weight], float]
    depth: int
    journal: Journal
    occupancy: Occupancy
    spawns: list[Spawn] = field(default_factory=list)
    marks: list[KeyMark] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)
    companies: list[Company] = field(default_factory=list)
    radii: list[int] = field(default_factory=list)
    loadouts: list[Loadout] = field(default_factory=list)
    below: NDArray[np.intp] | None = None
    chooser: ObjectChooser = field(init=False)

    def __post_init__(self) -> None:
        self.chooser = ObjectChooser.of(self.catalog, self.depth)

    @property
    def _generic(self) -> Mapping[str, object]:
        """The keywords of a drawn machine for which the prefab names no prop."""
        return Frozen({"integrity": INTEGRITY * (self.depth + 1)})

    @property
    def lights(self) -> list[Light]:
        """The lights of the objects put so far."""
        return [
            Light(y=spawn.y, x=spawn.x, radius=radius, colour=spawn.fg)
            for spawn, radius in zip(self.spawns, self.radii, strict=True)
            if radius
        ]

    @property
    def shining(self) -> list[Spawn]:
        """The objects put so far that give light."""
        return [spawn for spawn, radius in zip(self.spawns, self.radii, strict=True) if radius]

    # -- prefabs --------------------------------------------------------------------------------

    def fill(self, placed: PlacedDrawing) -> None:
        """Put all objects that a placed prefab asks for with its machines and characters, and close its gaps."""
        drawing, stream, occupancy = placed.drawing, placed.stream, self.occupancy
        top, left = placed.y, placed.x
        together = chains(drawing.references)
        left_out = self._left_out(placed, together)
        awaited = [Cell(top + y, left + x) for machine in drawing.machines for y, x in machine.cells]
        obstacles = drawing.obstacles.data
        waiting = Counter(map(place_of, drawing.references))
        drawn_over = set(waiting)
        self._tell_of_cells(placed)
        for machine in drawing.machines:
            self._machine(
                placed,
                machine,
                drawn_over,
                absent=bool(left_out) and (machine.part, machine.called) in left_out,
            )
        for chain in together:
            first = chain[0]
            symbol = first.symbol
            request = self.chooser.request(symbol)
            source = f"{drawing.parts[first.part]}:{first.char}"
            absent = bool(left_out) and (first.part, first.called) in left_out
            unique = symbol.unique.roll(stream)
            shared: CatalogObject | None = None
            picked = False
            for reference in chain:
                place = y, x = place_of(reference)
                home = Cell(top + y, left + x)
                waiting[place] -= 1
                if obstacles[place] and not waiting[place]:  # of several objects, the obstacle may come last
                    awaited.append(home)
                    occupancy.release(home)
                if absent or not request.comes(stream):
                    continue
                if symbol.kind is None:
                    self._mark(placed, reference, home)
                    self._expect_company(placed, (home,), symbol, None, source)
                    continue
                if unique or not picked:
                    shared, picked = self.chooser.choose(request, stream, source, self.journal), True
                if shared is not None:
                    self._reference(placed, reference, home, shared, request, source)
        if not occupancy.are_obstacles(awaited):
            fill_gaps(self, placed, left_out)

    def take_away(self, index: int, reason: str) -> None:
        """Remove an object, and note the reason in the journal."""
        spawn = self.spawns[index]
        del self.spawns[index], self.radii[index], self.loadouts[index]
        self.journal.note("populate", f"{spawn.source} ({spawn.tag})", "refused", reason)

    def _left_out(
        self, placed: PlacedDrawing, together: Sequence[Sequence[Reference]]
    ) -> set[tuple[int, str]]:
        """Choose one symbol of each group in a prefab, and return (part, `called`) of all other symbols in groups.

        Part 0 is the prefab itself; higher numbers are prefabs that are inserted into it.

        Args:
            placed: The prefab.
            together: The prefab's references, in chains that share one object (see `chains`).
        """
        drawn: list[Reference | Machine] = [
            *[chain[0] for chain in together if chain[0].symbol.group is not None],
            *placed.drawing.machines,
        ]
        grouped = {
            (each.part, each.called): (each.symbol.group, each.symbol.weight)
            for each in drawn
            if each.symbol is not None and each.symbol.group is not None
        }
        if not grouped:
            return set()
        decided = all(isinstance(value, Constant) for values in grouped.values() for value in values)
        luck = Streams() if decided else Streams(int(placed.stream.random() / UNIT))
        weights: dict[tuple[int, str], dict[str, float]] = {}
        for (part, called), (groups, weight) in grouped.items():
            group = groups.roll(luck.stream(part, called, "group"))
            if group is not None:
                rolled = roll(weight, luck.stream(part, called, "weight"), 1.0)
                weights.setdefault((part, group), {})[called] = self.weigh(rolled)
        left_out = set()
        for (part, _), options in weights.items():
            chosen = placed.stream.weighted(options.items()) if any(options.values()) else None
            left_out |= {(part, called) for called in options if called != chosen}
        return left_out

    def _reference(
        self,
        placed: PlacedDrawing,
        reference: Reference,
        home: Cell,
        thing: CatalogObject,
        request: ObjectRequest,
        source: str,
    ) -> None:
        """Put the object of one drawn character, shifted if its symbol says so, and mark the object if it may hold a key.

        Args:
            placed: The prefab.
            reference: The drawn character.
            home: The cell of the map on which it is drawn.
            thing: The object that was chosen.
            request: The request that it was chosen for.
            source: The prefab and the character, for `Spawn.source`.
        """
        symbol = reference.symbol
        cells: tuple[Cell, ...] = (home,)
        if not symbol.is_fixed:
            cells = self._shifted(placed, cells, symbol, thing, turned=reference.turned)
        if self._stand(placed, cells, thing, request, source):
            self._expect_company(placed, cells, symbol, thing, source)
            if symbol.key is not None:
                self._mark(placed, reference, self.spawns[-1])

    def _tell_of_cells(self, placed: PlacedDrawing) -> None:
        """Add the markers of a prefab's characters, and keep scattered objects off their cells, where their symbols say so."""
        drawing, stream = placed.drawing, placed.stream
        drawn: list[Reference | Machine] = [*drawing.references, *drawing.machines]
        for each in drawn:
            symbol = each.symbol
            if symbol is None or not symbol.tells_of_cell:
                continue
            y, x = each.cell if isinstance(each, Reference) else each.cells[0]
            cell = Cell(placed.y + y, placed.x + x)
            kept_off = roll(symbol.no_spawn, stream, False)
            if kept_off is True:
                self.occupancy.keep_bare(cell)
            elif kept_off:
                self.occupancy.keep_off(cell, kept_off)
            name = None if symbol.marker is None else symbol.marker.roll(stream)
            data = symbol.data if symbol.kind is None else NOTHING
            if name is not None or data:
                self.markers.append(
                    Marker(y=cell.y, x=cell.x, name=name or "", data=data, placement=placed.index)
                )

    def _mark(self, placed: PlacedDrawing, reference: Reference, place: Cell | Spawn) -> None:
        """If the symbol of a drawn character has `key`, note that a key may be put at `place`: on a cell, or in an object."""
        word = reference.symbol.key
        if word is not None:
            is_shared = len(placed.drawn_at(reference.cell)) > 1
            self.marks.append(KeyMark(None if word == ANY else word, place, placed.index, is_shared))
            if isinstance(place, Spawn) and self.occupancy.are_obstacles(place.cells):
                self.occupancy.keep_open(place.cells)

    def _stand(
        self,
        placed: PlacedDrawing,
        cells: tuple[Cell, ...],
        thing: CatalogObject,
        request: ObjectRequest | None,
        source: str,
        machine: Machine | None = None,
    ) -> bool:
        """Put an object of a prefab on these cells, if it can stand there; return whether it was put.

        If it can't stand there, the reason is noted in the journal. `request` is None for a machine without a symbol.
        """
        objection = self.occupancy.objection(cells, thing, drawn=True)
        if objection is not None:
            self.journal.note("populate", f"{source} ({thing.tag})", "refused", objection)
            return False
        keywords = request.keywords(thing, placed.stream) if request else self._generic
        loadout = request.loadout if request else None
        self.put(thing, cells, keywords, source, placed.index, machine, loadout)
        return True

    def _expect_company(
        self,
        placed: PlacedDrawing,
        cells: tuple[Cell, ...],
        symbol: SymbolEntry,
        thing: CatalogObject | None,
        source: str,
    ) -> None:
        """Add an entry to `companies` if followers or other objects come with a drawn cell, or with the object on it.

        Args:
            placed: The prefab.
            cells: The cells of the object, or the cell.
            symbol: The meaning of its character.
            thing: The object; None for a cell without one.
            source: The prefab and the character, for `Spawn.source`.
        """
        followers = thing is not None and (symbol.followers if symbol.followers is not None else thing.band)
        if followers or symbol.around:
            self.companies.append(Company(cells, symbol, thing, source, placed.index))

    def _shifted(
        self,
        placed: PlacedDrawing,
        home: tuple[Cell, ...],
        symbol: SymbolEntry,
        thing: CatalogObject,
        *,
        turned: bool,
    ) -> tuple[Cell, ...]:
        """Return the cells of an object after a random shift from where it is drawn; all free positions in reach are equally likely.

        Args:
            placed: The prefab.
            home: The cells on which the object is drawn.
            symbol: The symbol, which says how far the object may shift.
            thing: The object.
            turned: Whether the drawing is turned so that rows and columns are swapped.
        """
        reach = symbol.shift.roll(placed.stream)
        if reach is None:
            return home
        across, down = (roll(each, placed.stream, 0) for each in reach)
        if turned:
            across, down = down, across
        if not across and not down:
            return home
        box = Rect.around(home)
        top, left = max(box.y - down, placed.y), max(box.x - across, placed.x)
        bottom = min(box.bottom + down, placed.y + placed.drawing.height)
        right = min(box.right + across, placed.x + placed.drawing.width)
        free = self._free(Rect(top, left, bottom - top, right - left), home, thing)
        # The corner of the box may lie where all cells of the shape are free.
        corners = Rect(top, left, bottom - top - box.height + 1, right - left - box.width + 1)
        shape = [(y - box.y, x - box.x) for y, x in home]
        fits = np.logical_and.reduce([free[y : y + corners.height, x : x + corners.width] for y, x in shape])
        corner = self.free_cell(thing, fits, corners, placed.stream, Cell(box.y, box.x), shape)
        if corner is None:
            return home
        return tuple(Cell(corner.y + y, corner.x + x) for y, x in shape)

    def _free(self, reach: Rect, home: tuple[Cell, ...], thing: CatalogObject) -> NDArray[np.bool_]:
        """Return (reach.height, reach.width) bool: the free floor to which an object may shift, connected without passing a door.

        Args:
            reach: The rectangle of the map to look at.
            home: The cells on which the object is drawn, from which the floor must be reached.
            thing: The object.
        """
        occupancy = self.occupancy
        board = Board(reach.height, reach.width)
        start = [(y - reach.y, x - reach.x) for y, x in home]
        plain = occupancy.plain[reach.slices].copy()
        if (bare := occupancy.bare.get(thing.kind)) is not None:
            plain &= ~bare[reach.slices]
        for cell in start:
            plain[cell] = True
        ground = board.to_array(board.flood(board.from_array(plain), board.from_cells(start)))
        free: NDArray[np.bool_] = ground & ~occupancy.taken[reach.slices] & ~occupancy.meant[reach.slices]
        for cell, own in zip(start, home, strict=True):
            free[cell] = occupancy.objection([own], thing, drawn=True) is None
        return free

    def _machine(
        self,
        placed: PlacedDrawing,
        machine: Machine,
        drawn_over: Container[tuple[int, int]],
        *,
        absent: bool,
    ) -> None:
        """Put the object of a drawn machine, shifted if its symbol says so.

        Args:
            placed: The prefab.
            machine: The machine.
            drawn_over: The cells of the drawing on which characters are drawn.
            absent: Whether another symbol of its group was chosen, so that the machine is left out.
        """
        source = f"{placed.drawing.parts[machine.part]}:{machine.char or 'machine'}"
        cells = tuple(Cell(placed.y + y, placed.x + x) for y, x in machine.cells)
        obstacles = placed.drawing.obstacles.data
        for cell, home in zip(cells, machine.cells, strict=True):
            if obstacles[home] and home not in drawn_over:  # a reference drawn over it is still expected
                self.occupancy.release(cell)
        symbol = machine.symbol
        if symbol is None:
            self._stand(placed, cells, GENERIC_MACHINE, None, source, machine)
            return
        request = self.chooser.request(symbol)
        if absent or not request.comes(placed.stream):
            return
        thing = self.chooser.choose(request, placed.stream, source, self.journal)
        if thing is not None:
            if not symbol.is_fixed:
                cells = self._shifted(placed, cells, symbol, thing, turned=machine.turned)
            if self._stand(placed, cells, thing, request, source, machine):
                self._expect_company(placed, cells, symbol, thing, source)

    def remove_lost_items(self, arrival: Cell, locked: Container[Cell] = ()) -> None:
        """Remove items that the player can't reach, as a drawn map may have. Sealed regions keep theirs.

        Args:
            arrival: The cell where the player arrives.
            locked: The cells of locked doors whose lock has a name; other locked doors never open.
        """
        ground, laden = self.occupancy.plain.data, self.occupancy.laden
        items = (spawn.cells[0] for spawn in self.spawns if spawn.like == "item")
        if all(ground[cell] and cell not in laden for cell in items):
            return
        free = self.canvas.passable() & ~self.occupancy.stands
        for door in np.argwhere(free & (self.canvas.base == t.LOCKED_DOOR)).tolist():
            free[*door] = Cell(*door) in locked
        parts = Parts(free, self.canvas.leaps)
        sealed = self.canvas.within(region.id for region in self.canvas.regions if region.sealed)
        reached = parts.mask(parts.at(*arrival)) | sealed
        for index in reversed(range(len(self.spawns))):
            spawn = self.spawns[index]
            if spawn.like == "item" and not self._is_in_reach(spawn, reached):
                self.take_away(index, "no way leads to it")

    def free_cell(
        self,
        thing: CatalogObject,
        cells: NDArray[np.bool_],
        area: Rect,
        stream: Stream,
        home: Cell | None = None,
        shape: Sequence[tuple[int, int]] = ONE_CELL,
    ) -> Cell | None:
        """Return a random cell for an object such that walkers still get everywhere; None if there is none.

        Args:
            thing: The object.
            cells: (area.height, area.width) bool: the cells to pick from.
            area: The rectangle of the map that `cells` covers.
            stream: The random stream.
            home: A cell that needs no check, because an obstacle has been expected there from the beginning; None for none.
            shape: The cells that the object covers, as (y, x) offsets from the cell that is picked.
        """
        left = cells
        while True:
            try:
                y, x = divmod(stream.pick_set(left), area.width)
            except IndexError:
                return None
            cell = Cell(area.y + y, area.x + x)
            if (
                cell == home
                or not thing.stays
                or self.occupancy.keeps_whole([(cell.y + down, cell.x + right) for down, right in shape])
            ):
                return cell
            if left is cells:
                left = cells.copy()
            left[y, x] = False

    # -- putting --------------------------------------------------------------------------------

    def put(
        self,
        thing: CatalogObject,
        cells: tuple[Cell, ...],
        keywords: Mapping[str, object],
        source: str,
        placement: int | None,
        machine: Machine | None = None,
        loadout: Loadout | None = None,
    ) -> None:
        """Put an object on cells that are free for it.

        Args:
            thing: The object.
            cells: The cells that the object covers; the first gives `Spawn.y` and `Spawn.x`.
            keywords: The keywords that the game reads from the object.
            source: The prefab and the character, or the map's entry, that asked for the object.
            placement: The index of the placement that the object belongs to; None for the map itself.
            machine: The machine that is drawn over the object's cells, if any.
            loadout: The items that the object holds; None for those that the catalog says.
        """
        self.spawns.append(spawn_of(thing, cells, keywords, source, placement, machine))
        self.radii.append(thing.light)
        self.loadouts.append(thing.loadout if loadout is None else loadout)
        occupancy = self.occupancy
        occupancy.add(cells, blocks=thing.blocks, stays=thing.stays, lies=thing.lies)
        if thing.stays and (
            self.loadouts[-1] or thing.like == "item" or not ACCESS_KEYWORDS.isdisjoint(keywords)
        ):
            occupancy.keep_open(cells)
        if occupancy.laden and not occupancy.laden.isdisjoint(cells):
            holder = self.try_holder(cells[0])
            if holder is not None:
                occupancy.keep_open(holder.cells)

    def reach_of(self, spawn: Spawn) -> tuple[Cell, ...]:
        """Return the cells of an object, or those of the obstacle on which it lies: it is used from there or from beside them."""
        laden = self.occupancy.laden
        if not laden or laden.isdisjoint(spawn.cells):
            return spawn.cells
        return (self.try_holder(spawn.cells[0]) or spawn).cells

    def try_holder(self, cell: tuple[int, int]) -> Spawn | None:
        """Return the obstacle that stands on a cell; None if there is none, or if it was removed, as for a key that takes its place."""
        if not self.occupancy.are_obstacles([cell]):
            return None
        latest = reversed(self.spawns)  # an item is put soon after the obstacle on which it lies
        found = (each for each in latest if each.blocks and each.like != "robot" and cell in each.cells)
        return next(found, None)

    def _is_in_reach(self, item: Spawn, ground: NDArray[np.bool_]) -> bool:
        """Tell whether an item lies on `ground`, or on an obstacle beside which a walker can stand there.

        Args:
            item: The item.
            ground: (height, width) bool: the cells that walkers reach, or would reach if the regions were not sealed.
        """
        if self.occupancy.laden.isdisjoint(item.cells):
            return bool(ground[item.y, item.x])
        beside = self.occupancy.beside(self.reach_of(item))
        return any(ground[cell] and not self.occupancy.stands[cell] for cell in beside)


def fill_gaps(populator: Populator, placed: PlacedDrawing, left_out: AbstractSet[tuple[int, str]]) -> None:
    """Close the gaps of a filled prefab: cells that walkers can't reach, and that are free because chance left out an object.

    If possible, the object that is drawn there is put after all; otherwise the cell becomes wall.

    Args:
        populator: The populator that filled the prefab.
        placed: The prefab.
        left_out: (part, `called`) of all symbols that must not be put, because another symbol of their group was chosen.
    """
    for cell in populator.occupancy.unreachable_cells(placed.drawing, placed.y, placed.x):
        # A machine that was put for an earlier gap may cover this one.
        if not populator.occupancy.stands[cell] and not _put_after_all(populator, placed, cell, left_out):
            _wall_up(populator, placed, cell)


def _put_after_all(
    populator: Populator, placed: PlacedDrawing, cell: Cell, left_out: AbstractSet[tuple[int, str]]
) -> bool:
    """Put the object that is drawn on a cell, if it is an obstacle and not in `left_out`; return whether it was put."""
    for each in placed.drawn_at((cell.y - placed.y, cell.x - placed.x)):
        # An object that may shift may stand elsewhere already.
        if each.symbol is None or not each.symbol.is_fixed or (each.part, each.called) in left_out:
            continue
        request = populator.chooser.request(each.symbol)
        source = f"{placed.drawing.parts[each.part]}:{each.char}"
        thing = populator.chooser.choose(request, placed.stream, source, populator.journal)
        places = (each.cell,) if isinstance(each, Reference) else each.cells
        cells = tuple(Cell(placed.y + y, placed.x + x) for y, x in places)
        if thing is not None and thing.stays and not populator.occupancy.objection(cells, thing, drawn=True):
            machine = each if isinstance(each, Machine) else None
            keywords = request.keywords(thing, placed.stream)
            populator.put(thing, cells, keywords, source, placed.index, machine)
            text = "it is placed after all: without it, its cell could not be reached"
            populator.journal.note("populate", f"{source} ({thing.tag})", "noted", text)
            return True
    return False


def _wall_up(populator: Populator, placed: PlacedDrawing, cell: Cell) -> None:
    """Turn a cell of the map into wall, and remove all objects that cover it. Doors beside it that lead nowhere then become wall, too."""
    canvas = populator.canvas
    region = int(canvas.region[cell])
    canvas.wall_up(*cell)
    canvas.remove_doors([cell])
    canvas.settle_bounds(region)
    for index in reversed(range(len(populator.spawns))):
        if cell in populator.spawns[index].cells:
            populator.take_away(index, "it could not be reached")
    text = f"a gap at y {cell.y}, x {cell.x} that could not be reached is walled up"
    populator.journal.note("populate", placed.drawing.name, "noted", text)
    is_open, is_door = canvas.terrain_set.open, canvas.terrain_set.door
    for door in (each for each in populator.occupancy.beside([cell]) if is_door[canvas.terrain[each]]):
        if sum(is_open[canvas.terrain[near]] for near in populator.occupancy.beside([door])) < 2:
            _wall_up(populator, placed, Cell(*door))
