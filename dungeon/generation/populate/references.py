"""From the references of placed prefabs to spawns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.catalog.catalog import Thing
from dungeon.content.prefab.drawing import Machine, Reference
from dungeon.content.prefab.locked_ground import LockedGround
from dungeon.content.prefab.locks import Key
from dungeon.content.prefab.sure_keys import words_of
from dungeon.content.values.grammar import roll
from dungeon.core.frozen import Frozen
from dungeon.generation.populate.choosing import Chooser
from dungeon.grid.bits import Board
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import Parts
from dungeon.level.model import Light, Lock, Spawn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.catalog import Catalog
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.values.fields import Weight
    from dungeon.core.streams import Stream
    from dungeon.generation.populate.choosing import Request
    from dungeon.generation.populate.occupancy import Occupancy
    from dungeon.level.canvas import Canvas
    from dungeon.level.journal import Journal

GENERIC_MACHINE = Thing(
    kind="prop",
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
"""What a drawn machine is when its prefab does not name a prop."""

INTEGRITY = 40
"""What a generic machine withstands at depth 0, and how much more at every depth below: not to be broken too easily."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedDrawing:
    """A prefab that lies on the canvas, ready to be filled.

    Attributes:
        index: Its index among the level's placements, or None where the prefab is the map itself.
        stream: Where chance comes from.
    """

    drawing: Drawing
    y: int
    x: int
    index: int | None
    stream: Stream


@dataclass(slots=True)
class Populator:
    """Fills one level.

    Attributes:
        canvas: Where.
        catalog: With what.
        weigh: Tells what a weight word is worth.
        depth: How deep, which decides what members of a class fit.
        journal: Takes note of what is asked for and cannot be.
        occupancy: What is going to stand where; the prefabs to fill are expected there.
        spawns: What has been put so far.
        radii: How far each of them lights its surroundings, 0 for not at all.
        chooser: Finds the objects that symbols ask for.
    """

    canvas: Canvas
    catalog: Catalog
    weigh: Callable[[Weight], float]
    depth: int
    journal: Journal
    occupancy: Occupancy
    spawns: list[Spawn] = field(default_factory=list)
    radii: list[int] = field(default_factory=list)
    chooser: Chooser = field(init=False)

    def __post_init__(self) -> None:
        self.chooser = Chooser.of(self.catalog, self.depth)

    @property
    def _generic(self) -> Mapping[str, object]:
        """What the game is told of a generic machine."""
        return Frozen({"integrity": INTEGRITY * (self.depth + 1)})

    @property
    def lights(self) -> list[Light]:
        """The lights of what has been put so far."""
        return [
            Light(y=spawn.y, x=spawn.x, radius=radius, colour=spawn.fg)
            for spawn, radius in zip(self.spawns, self.radii, strict=True)
            if radius
        ]

    # -- prefabs --------------------------------------------------------------------------------

    def fill(self, placed: PlacedDrawing) -> None:
        """Put everything that a prefab's machines and references ask for."""
        drawing, stream = placed.drawing, placed.stream
        together = chains(drawing.references)
        chosen = self._grouped(placed, together)
        for machine in drawing.machines:
            self._machine(placed, machine, chosen)
        for chain in together:
            first = chain[0]
            symbol = first.symbol
            request = self.chooser.request(symbol)
            source = f"{drawing.parts[first.part]}:{first.char}"
            absent = symbol.group is not None and chosen[first.part, symbol.group] != first.char
            unique = symbol.unique.roll(stream)
            shared: Thing | None = None
            picked = False
            for reference in chain:
                home = Cell(placed.y + reference.y, placed.x + reference.x)
                if drawing.obstacles[reference.y, reference.x]:
                    self.occupancy.release(home)
                if absent or not request.comes(stream):
                    continue
                if unique or not picked:
                    shared, picked = self.chooser.choose(request, stream, source, self.journal), True
                if shared is not None:
                    self._reference(placed, reference, home, shared, request, source)
        for cell in self.occupancy.holes(drawing, placed.y, placed.x):
            self._stop_up(placed, cell, chosen)

    def _stop_up(self, placed: PlacedDrawing, cell: Cell, chosen: Mapping[tuple[int, str], str]) -> None:
        """See to a gap that nobody can get to, among things that stay: what stayed away comes after all, or a wall does."""
        if self.occupancy.stands[cell]:  # a machine has come for another gap
            return
        at = cell.y - placed.y, cell.x - placed.x
        drawn: list[Reference | Machine] = [each for each in placed.drawing.references if each.cell == at]
        drawn += [each for each in placed.drawing.machines if at in each.cells]
        for each in drawn:
            if each.symbol is None or (
                each.symbol.group is not None and chosen[each.part, each.symbol.group] != each.char
            ):
                continue
            request, source = (
                self.chooser.request(each.symbol),
                f"{placed.drawing.parts[each.part]}:{each.char}",
            )
            thing = self.chooser.choose(request, placed.stream, source, self.journal)
            places = (each.cell,) if isinstance(each, Reference) else each.cells
            cells = tuple(Cell(placed.y + y, placed.x + x) for y, x in places)
            if thing is not None and thing.stays and not self._objection(cells, thing):
                machine = each if isinstance(each, Machine) else None
                self.put(thing, cells, request.keywords(thing, placed.stream), source, placed.index, machine)
                text = "it comes after all: nobody could get to its place without it"
                self.journal.note("populate", f"{source} ({thing.tag})", "noted", text)
                return
        region = int(self.canvas.region[cell])
        self.canvas.wall_up(*cell)
        if region:
            self.canvas.settle_bounds(region, self.canvas.regions[region - 1].bounds)
        for index in reversed(range(len(self.spawns))):
            if cell in self.spawns[index].cells:
                self._take_away(index, "nobody could get to it")
        text = f"a gap at y {cell.y}, x {cell.x} that nobody could get to is walled up"
        self.journal.note("populate", placed.drawing.name, "noted", text)

    def _objection(self, cells: Sequence[Cell], thing: Thing) -> str | None:
        """Return why a thing can't stand on all of these cells, or None if it can."""
        for cell in cells:
            objection = self.occupancy.objection(cell, blocks=thing.blocks, stays=thing.stays)
            if objection is not None:
                return objection
        return None

    def _take_away(self, index: int, reason: str) -> None:
        """Take a thing away that has been put."""
        spawn = self.spawns[index]
        del self.spawns[index], self.radii[index]
        self.journal.note("populate", f"{spawn.source} ({spawn.tag})", "refused", reason)

    def _grouped(
        self, placed: PlacedDrawing, together: Sequence[Sequence[Reference]]
    ) -> dict[tuple[int, str], str]:
        """Return, for every group of characters in every part of a drawing, the one character that comes true."""
        weights: dict[tuple[int, str], dict[str, float]] = {}
        drawn: list[Reference | Machine] = [*(chain[0] for chain in together), *placed.drawing.machines]
        for each in drawn:
            if each.symbol is not None and each.symbol.group is not None:
                options = weights.setdefault((each.part, each.symbol.group), {})
                options[each.char] = self.weigh(each.symbol.weight)
        return {
            key: placed.stream.weighted(options.items()) if any(options.values()) else ""
            for key, options in weights.items()
        }

    def _reference(
        self,
        placed: PlacedDrawing,
        reference: Reference,
        home: Cell,
        thing: Thing,
        request: Request,
        source: str,
    ) -> None:
        cell = home if reference.symbol.is_fixed else self._shifted(placed, reference, home, thing)
        objection = self.occupancy.objection(cell, blocks=thing.blocks, stays=thing.stays)
        if objection is None:
            keywords = request.keywords(thing, placed.stream)
            self.put(thing, (cell,), keywords, source, placed.index)
        else:
            self.journal.note("populate", f"{source} ({thing.tag})", "refused", objection)

    def _shifted(self, placed: PlacedDrawing, reference: Reference, home: Cell, thing: Thing) -> Cell:
        """Return where a reference that may shift stands: evenly one of the cells in reach that are free."""
        across, down = (roll(each, placed.stream, 0) for each in reference.symbol.shift)
        if reference.turned:
            across, down = down, across
        if not across and not down:
            return home
        top, left = max(home.y - down, placed.y), max(home.x - across, placed.x)
        bottom = min(home.y + down + 1, placed.y + placed.drawing.height)
        right = min(home.x + across + 1, placed.x + placed.drawing.width)
        reach = Rect(top, left, bottom - top, right - left)
        occupancy = self.occupancy
        ground = self._walked(reach, home)
        free = ground & ~occupancy.taken[reach.slices] & ~occupancy.meant[reach.slices]
        objection = occupancy.objection(home, blocks=thing.blocks, stays=thing.stays)
        free[home.y - top, home.x - left] = objection is None
        return self.free_cell(thing, free, reach, placed.stream, home) or home

    def _walked(self, reach: Rect, home: Cell) -> NDArray[np.bool_]:
        """Return (reach.height, reach.width) bool: plain cells that walkers get to from home, not through doors."""
        board = Board(reach.height, reach.width)
        plain = self.occupancy.plain[reach.slices].copy()
        start = home.y - reach.y, home.x - reach.x
        plain[start] = True
        return board.to_array(board.flood(board.from_array(plain), board.from_cells([start])))

    def _machine(
        self, placed: PlacedDrawing, machine: Machine, chosen: Mapping[tuple[int, str], str]
    ) -> None:
        source = f"{placed.drawing.parts[machine.part]}:{machine.char or 'machine'}"
        cells = tuple(Cell(placed.y + y, placed.x + x) for y, x in machine.cells)
        for cell, (y, x) in zip(cells, machine.cells, strict=True):
            if placed.drawing.obstacles[y, x]:
                self.occupancy.release(cell)
        symbol, thing, request = machine.symbol, GENERIC_MACHINE, None
        if symbol is not None:
            if symbol.group is not None and chosen[machine.part, symbol.group] != machine.char:
                return
            request = self.chooser.request(symbol)
            if not request.comes(placed.stream):
                return
            named = self.chooser.choose(request, placed.stream, source, self.journal)
            if named is None:
                return
            thing = named
        if objection := self._objection(cells, thing):
            self.journal.note("populate", f"{source} ({thing.tag})", "refused", objection)
            return
        keywords = request.keywords(thing, placed.stream) if request else self._generic
        self.put(thing, cells, keywords, source, placed.index, machine)

    def locks(self, drawings: Iterable[PlacedDrawing]) -> Iterator[Lock]:
        """Yield what bars the locked doors that have come with prefabs, prefab by prefab."""
        base, terrain = self.canvas.terrain_set.base, self.canvas.terrain
        for placed in drawings:
            for lock in placed.drawing.locks:
                y, x, word = lock.moved(placed.y, placed.x)
                if base[terrain[y, x]] == t.LOCKED_DOOR:
                    yield Lock(y=y, x=x, word=word)

    def walked(self, start: Cell, drawings: Iterable[PlacedDrawing]) -> NDArray[np.bool_]:
        """Return (height, width) bool: where walkers get from a cell, past all that stands, through what is opened on the way."""
        canvas, board = self.canvas, Board(self.canvas.height, self.canvas.width)
        keys = [
            Key(spawn.cells, word) for spawn in self.spawns for word in words_of(spawn.keywords.get("opens"))
        ]
        locks = [lock.moved(placed.y, placed.x) for placed in drawings for lock in placed.drawing.locks]
        free = canvas.passable() & ~self.occupancy.stands
        locked_ground = LockedGround.on(board, canvas.terrain, free, locks, keys, canvas.terrain_set)
        return board.to_array(locked_ground.reached(board.from_cells([start])))

    def drop_lost_items(self, arrival: Cell) -> None:
        """Take away items that nobody could get to from the arrival: a map drawn by hand may have such.

        What lies in a sealed region stays there.
        """
        ground = self.occupancy.plain
        if all(ground[spawn.y, spawn.x] for spawn in self.spawns if spawn.kind == "item"):
            return
        parts = Parts(self.canvas.passable() & ~self.occupancy.stands)
        walked = np.pad(parts.mask(parts.at(*arrival)), 1)
        beside = walked[:-2, 1:-1] | walked[2:, 1:-1] | walked[1:-1, :-2] | walked[1:-1, 2:]
        sealed = self.canvas.within(region.id for region in self.canvas.regions if region.sealed)
        reached = walked[1:-1, 1:-1] | beside | sealed
        for index in reversed(range(len(self.spawns))):
            spawn = self.spawns[index]
            if spawn.kind == "item" and not reached[spawn.y, spawn.x]:
                self._take_away(index, "no way leads to it")

    def free_cell(
        self, thing: Thing, cells: NDArray[np.bool_], area: Rect, stream: Stream, home: Cell | None = None
    ) -> Cell | None:
        """Pick a cell for a thing, one that walkers can do without.

        Args:
            thing: What is to stand there.
            cells: (area.height, area.width) bool, the cells to pick from.
            area: Where on the map they lie.
            stream: Where chance comes from.
            home: The cell that walkers have been doing without all along.
        """
        left = cells
        while True:
            try:
                y, x = divmod(stream.pick_set(left), area.width)
            except IndexError:
                return None
            cell = Cell(area.y + y, area.x + x)
            if cell == home or not thing.stays or self.occupancy.keeps_whole(*cell):
                return cell
            if left is cells:
                left = cells.copy()
            left[y, x] = False

    # -- both -----------------------------------------------------------------------------------

    def put(
        self,
        thing: Thing,
        cells: tuple[Cell, ...],
        keywords: Mapping[str, object],
        source: str,
        placement: int | None,
        machine: Machine | None = None,
    ) -> None:
        """Put a thing on these cells, which are free for it.

        Args:
            thing: What.
            cells: Where; the first is its own.
            keywords: What the game is told of it.
            source: The prefab and the character, or the map, that asked for it.
            placement: The index of the placement that it comes with.
            machine: What is drawn of it, if that is more than the thing itself.
        """
        glyphs, fgs = (machine.glyphs, machine.fgs) if machine else ((), ())
        self.spawns.append(
            Spawn(
                kind=thing.kind,
                tag=thing.tag,
                name=thing.name,
                y=cells[0].y,
                x=cells[0].x,
                glyph=glyphs[0] if glyphs else thing.glyph,
                fg=fgs[0] if fgs else thing.fg,
                cells=cells,
                glyphs=glyphs,
                fgs=fgs,
                blocks=thing.blocks,
                opaque=thing.opaque,
                keywords=keywords,
                placement=placement,
                source=source,
            )
        )
        self.radii.append(thing.light)
        self.occupancy.add(cells, blocks=thing.blocks, stays=thing.stays)


def chains(references: Sequence[Reference]) -> list[list[Reference]]:
    """Return the references in groups that choose together: equal characters that touch, along any chain."""
    alike: dict[tuple[str, int], dict[tuple[int, int], Reference]] = {}
    for each in references:
        alike.setdefault((each.char, each.part), {})[each.y, each.x] = each
    groups = []
    for first in references:
        left = alike[first.char, first.part]
        if left.pop((first.y, first.x), None) is None:
            continue
        group = [first]
        groups.append(group)
        if not left:
            continue
        for each in group:  # it grows while it is walked through: that is how chains are followed
            y, x = each.y, each.x
            beside = ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x))
            group += [left.pop(near) for near in beside if near in left]
    return groups
