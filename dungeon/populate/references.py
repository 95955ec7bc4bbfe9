"""From the references of placed prefabs, and a map's population, to spawns."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.catalog import Thing
from dungeon.content.prefab import Reference
from dungeon.content.values import roll
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import components
from dungeon.level.model import SPACES, Light, Placement, Spawn
from dungeon.streams import UNIT, Streams

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog import Catalog
    from dungeon.content.models import PopulationEntry, SymbolEntry
    from dungeon.content.prefab import Drawing, Machine, Prefab
    from dungeon.content.selector import Selector
    from dungeon.level.canvas import Canvas
    from dungeon.level.journal import Journal
    from dungeon.populate.occupancy import Occupancy
    from dungeon.streams import Stream
    from dungeon.vocabulary import SpawnKind

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

ARRIVAL_QUIET = 8
"""Population robots keep this many cells away from where the player arrives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """A prefab that lies on the canvas, ready to be filled.

    Attributes:
        index: Its index among the level's placements, or None where the prefab is the map itself.
        stream: Where chance comes from.
    """

    prefab: Prefab
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
        depth: How deep, which decides what members of a class fit.
        journal: Takes note of what is asked for and cannot be.
        occupancy: What is going to stand where; the prefabs to fill are expected there.
        spawns: What has been put so far.
        radii: How far each of them lights its surroundings, 0 for not at all.
        fitting: The weights of what answers each selector that has been asked for.
    """

    canvas: Canvas
    catalog: Catalog
    depth: int
    journal: Journal
    occupancy: Occupancy
    spawns: list[Spawn] = field(default_factory=list)
    radii: list[int] = field(default_factory=list)
    fitting: dict[tuple[SpawnKind, Selector], dict[str, float]] = field(default_factory=dict)

    @property
    def lights(self) -> list[Light]:
        """The lights of what has been put so far."""
        return [
            Light(y=spawn.y, x=spawn.x, radius=radius, colour=spawn.fg)
            for spawn, radius in zip(self.spawns, self.radii, strict=True)
            if radius
        ]

    # -- prefabs --------------------------------------------------------------------------------

    def fill(self, put: Put) -> None:
        """Put everything that a prefab's machines and references ask for."""
        for machine in put.drawing.machines:
            self._machine(put, machine)
        for chain in chains(put.drawing.references, put.prefab.legend):
            symbol = put.prefab.legend[chain[0].char]
            source = f"{put.prefab.name}:{chain[0].char}"
            shared: Thing | None = None
            chosen = False
            for reference in chain:
                home = Cell(put.y + reference.y, put.x + reference.x)
                if put.drawing.obstacles[reference.y, reference.x]:
                    self.occupancy.release(home)
                if symbol.chance < 1 and not put.stream.chance(symbol.chance):
                    continue
                if symbol.unique or not chosen:
                    shared, chosen = self.choose(symbol, put.stream, source), True
                if shared is not None:
                    self._reference(put, symbol, home, shared, source)

    def _reference(self, put: Put, symbol: SymbolEntry, home: Cell, thing: Thing, source: str) -> None:
        cell = self._shifted(put, symbol, home, thing) if symbol.shift != (0, 0) else home
        objection = self.occupancy.objection(cell, blocks=thing.blocks, stays=_stays(thing))
        if objection is None:
            self._spawn(thing, cell, symbol, put.index, source)
        else:
            self.journal.note("populate", f"{source} ({thing.tag})", "refused", objection)

    def _shifted(self, put: Put, symbol: SymbolEntry, home: Cell, thing: Thing) -> Cell:
        """Return where a shifting reference stands: evenly one of the cells in reach that are free."""
        across, down = symbol.shift if put.drawing.orientation.turns % 2 == 0 else symbol.shift[::-1]
        top, left = max(home.y - down, put.y), max(home.x - across, put.x)
        bottom = min(home.y + down + 1, put.y + put.drawing.height)
        right = min(home.x + across + 1, put.x + put.drawing.width)
        reach = Rect(top, left, bottom - top, right - left)
        occupancy = self.occupancy
        free = (occupancy.plain & ~occupancy.taken & ~occupancy.meant)[reach.slices]
        objection = occupancy.objection(home, blocks=thing.blocks, stays=_stays(thing))
        free[home.y - top, home.x - left] = objection is None
        return self._free_cell(thing, free, reach, put.stream, home) or home

    def _machine(self, put: Put, machine: Machine) -> None:
        tag = put.prefab.machine
        thing = self.catalog["prop", tag] if tag else GENERIC_MACHINE
        cells = tuple(Cell(put.y + y, put.x + x) for y, x in machine.cells)
        source = f"{put.prefab.name}:machine"
        for cell in cells:
            self.occupancy.release(cell)
        objections = [self.occupancy.objection(cell, blocks=True, stays=True) for cell in cells]
        if objection := next(filter(None, objections), None):
            self.journal.note("populate", f"{source} ({thing.tag})", "refused", objection)
            return
        self.spawns.append(
            Spawn(
                kind="prop",
                tag=thing.tag,
                name=thing.name,
                y=cells[0].y,
                x=cells[0].x,
                glyph=machine.glyphs[0],
                fg=machine.fg,
                cells=cells,
                glyphs=machine.glyphs,
                blocks=True,
                opaque=thing.opaque,
                keywords=thing.data,
                placement=put.index,
                source=source,
            )
        )
        self.radii.append(thing.light)
        self.occupancy.add(cells, blocks=True, stays=True)

    def drop_lost_items(self, arrival: Cell) -> None:
        """Take away items that nobody could get to from the arrival: a map drawn by hand may have such.

        What lies in a sealed region stays there.
        """
        ground = self.occupancy.plain
        if all(ground[spawn.y, spawn.x] for spawn in self.spawns if spawn.kind == "item"):
            return
        labels, _ = components(self.canvas.passable() & ~self.occupancy.stands)
        walked = np.pad(labels == labels[arrival], 1)
        beside = walked[:-2, 1:-1] | walked[2:, 1:-1] | walked[1:-1, :-2] | walked[1:-1, 2:]
        sealed = np.array([False, *(region.sealed for region in self.canvas.regions)])
        reached = walked[1:-1, 1:-1] | beside | sealed[self.canvas.region]
        for index in reversed(range(len(self.spawns))):
            spawn = self.spawns[index]
            if spawn.kind == "item" and not reached[spawn.y, spawn.x]:
                del self.spawns[index], self.radii[index]
                source = f"{spawn.source} ({spawn.tag})"
                self.journal.note("populate", source, "refused", "no way leads to it")

    # -- population -----------------------------------------------------------------------------

    def strew(
        self,
        entries: Sequence[PopulationEntry],
        placements: Sequence[Placement],
        arrival: Cell,
        streams: Streams,
    ) -> None:
        """Put a map's own population on free cells outside of its encounters."""
        regions = self.canvas.regions
        taken = np.zeros(len(regions) + 1, np.bool_)
        taken[[each.region for each in placements if each.region]] = True
        outside = self.occupancy.plain & ~taken[self.canvas.region]
        for placement in placements:
            outside[placement.bounds.slices] = False
        rooms = np.array([False, *(region.kind in SPACES for region in regions)])
        in_rooms = outside & rooms[self.canvas.region]
        quiet = outside.copy()
        quiet[Rect(*arrival, 1, 1).grown(ARRIVAL_QUIET).clipped(*quiet.shape).slices] = False
        for number, entry in enumerate(entries):
            name = ("populate", "population", number)
            cells = (quiet if entry.kind == "robot" else in_rooms) & ~self.occupancy.taken
            for each in range(roll(entry.count, streams.stream(*name), 0)):
                self._strew(entry, cells, streams.stream(*name, each), f"population {number + 1}")

    def _strew(self, entry: PopulationEntry, cells: NDArray[np.bool_], stream: Stream, source: str) -> None:
        if not stream.chance(entry.chance):
            return
        thing = self.choose(entry, stream, source)
        if thing is None:
            return
        cell = self._free_cell(thing, cells, Rect(0, 0, *cells.shape), stream)
        if cell is None:
            self.journal.note("populate", f"{source} ({thing.tag})", "refused", "no free cell is left")
        else:
            self._spawn(thing, cell, entry, None, source)
            cells[cell] = False

    def _free_cell(
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
        while left.any():
            y, x = divmod(stream.pick_set(left), area.width)
            cell = Cell(area.y + y, area.x + x)
            if cell == home or not _stays(thing) or self.occupancy.keeps_whole(*cell):
                return cell
            if left is cells:
                left = cells.copy()
            left[y, x] = False
        return None

    # -- both -----------------------------------------------------------------------------------

    def choose(self, symbol: SymbolEntry, stream: Stream, source: str) -> Thing | None:
        """Return the object that a symbol asks for, or None where none answers (which is journalled)."""
        kind, selector = symbol.kind, symbol.selector
        if kind is None or selector is None:
            return None
        return self._select(kind, selector, stream, source)

    def _select(self, kind: SpawnKind, selector: Selector, stream: Stream, source: str) -> Thing | None:
        if selector.tags is not None:
            tag = selector.tags.roll(stream)
            return None if tag is None else self.catalog[kind, tag]
        weights = self._weights(kind, selector)
        if not weights:
            wanted = " or ".join([*selector.classes, *selector.categories])
            reason = f"no {kind} of {wanted} fits depth {self.depth}"
            self.journal.note("populate", source, "refused", reason)
            return None
        # A race: another object in the catalog changes only the choices that it wins.
        race = Streams(int(stream.random() / UNIT))
        return self.catalog[kind, race.winner(weights)]

    def _weights(self, kind: SpawnKind, selector: Selector) -> Mapping[str, float]:
        """Return the tags that answer a selector at this depth, with their weights; asked once, then remembered."""
        if (kind, selector) not in self.fitting:
            things = self.catalog.fitting(kind, selector, self.depth)
            self.fitting[kind, selector] = {thing.tag: thing.weight for thing in things if thing.weight > 0}
        return self.fitting[kind, selector]

    def _spawn(
        self, thing: Thing, cell: Cell, symbol: SymbolEntry, placement: int | None, source: str
    ) -> None:
        keywords = MappingProxyType({**thing.data, **symbol.data}) if symbol.data else thing.data
        self.spawns.append(
            Spawn(
                kind=thing.kind,
                tag=thing.tag,
                name=thing.name,
                y=cell.y,
                x=cell.x,
                glyph=thing.glyph,
                fg=thing.fg,
                blocks=thing.blocks,
                opaque=thing.opaque,
                keywords=keywords,
                placement=placement,
                source=source,
            )
        )
        self.radii.append(thing.light)
        self.occupancy.add([cell], blocks=thing.blocks, stays=_stays(thing))


def _stays(thing: Thing) -> bool:
    """Tell whether a thing stops walkers for good: robots step aside."""
    return thing.blocks and thing.kind != "robot"


def chains(references: Sequence[Reference], legend: Mapping[str, SymbolEntry]) -> list[list[Reference]]:
    """Return the references in groups that choose together: equal characters that touch, along any chain.

    Characters whose symbol is unique are groups of one.
    """
    left = dict.fromkeys(references)
    groups = []
    for first in references:
        if first not in left:
            continue
        del left[first]
        group = [first]
        if not legend[first.char].unique:
            for y, x, char in group:
                near = [Reference(*cell, char) for cell in ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x))]
                # The group grows while it is walked through: that is how chains are followed.
                for each in near:
                    if each in left:
                        del left[each]
                        group.append(each)
        groups.append(group)
    return groups
