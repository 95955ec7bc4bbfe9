"""From the references of placed prefabs, and a map's population, to spawns."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.catalog import Thing
from dungeon.content.values import roll
from dungeon.grid.rect import Cell
from dungeon.level.model import Light, Placement, Spawn
from dungeon.populate.occupancy import Occupancy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog import Catalog
    from dungeon.content.models import PopulationEntry, SymbolEntry
    from dungeon.content.prefab import Drawing, Machine, Prefab, Reference
    from dungeon.content.selector import Selector
    from dungeon.level.canvas import Canvas
    from dungeon.level.journal import Journal
    from dungeon.streams import Stream, Streams
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
        journal: Takes note of references that nothing answers.
        spawns: What has been put so far; `lights` likewise.
    """

    canvas: Canvas
    catalog: Catalog
    depth: int
    journal: Journal
    spawns: list[Spawn] = field(default_factory=list)
    lights: list[Light] = field(default_factory=list)
    occupancy: Occupancy = field(init=False)

    def __post_init__(self) -> None:
        shape = self.canvas.terrain.shape
        self.occupancy = Occupancy(self.canvas, np.zeros(shape, np.bool_), np.zeros(shape, np.bool_))

    # -- prefabs --------------------------------------------------------------------------------

    def fill(self, put: Put) -> None:
        """Put everything that a prefab's machines and references ask for."""
        for machine in put.drawing.machines:
            self._machine(put, machine)
        for chain in chains(put.drawing.references, put.prefab.legend):
            symbol = put.prefab.legend[chain[0].char]
            shared: Thing | None = None
            chosen = False
            for reference in chain:
                if symbol.chance < 1 and not put.stream.chance(symbol.chance):
                    continue
                if symbol.unique or not chosen:
                    shared, chosen = (
                        self.choose(symbol, put.stream, f"{put.prefab.name}:{reference.char}"),
                        True,
                    )
                if shared is not None:
                    self._reference(put, symbol, reference, shared)

    def _reference(self, put: Put, symbol: SymbolEntry, reference: Reference, thing: Thing) -> None:
        home = Cell(put.y + reference.y, put.x + reference.x)
        cell = self._shifted(put, symbol, home, thing) if symbol.shift != (0, 0) else home
        source = f"{put.prefab.name}:{reference.char}"
        self._spawn(thing, cell, symbol, put.index, source)

    def _shifted(self, put: Put, symbol: SymbolEntry, home: Cell, thing: Thing) -> Cell:
        """Return where a shifting reference stands: evenly one of the cells in reach that are free."""
        across, down = symbol.shift if put.drawing.orientation.turns % 2 == 0 else symbol.shift[::-1]
        stays = thing.blocks and thing.kind != "robot"
        options = [
            Cell(y, x)
            for y in range(max(home.y - down, put.y), min(home.y + down + 1, put.y + put.drawing.height))
            for x in range(max(home.x - across, put.x), min(home.x + across + 1, put.x + put.drawing.width))
            if self.occupancy.is_free(y, x) and not self._is_meant_for_another(put, home, y, x)
        ]
        if stays:
            options = [cell for cell in options if cell == home or self.occupancy.keeps_whole(*cell)]
        return put.stream.pick(options) if options else home

    @staticmethod
    def _is_meant_for_another(put: Put, home: Cell, y: int, x: int) -> bool:
        """Tell whether another reference of the prefab stands at this cell."""
        return (y, x) != home and any(
            put.y + other.y == y and put.x + other.x == x for other in put.drawing.references
        )

    def _machine(self, put: Put, machine: Machine) -> None:
        tag = put.prefab.machine
        thing = self.catalog["prop", tag] if tag else GENERIC_MACHINE
        cells = tuple(Cell(put.y + y, put.x + x) for y, x in machine.cells)
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
                source=f"{put.prefab.name}:machine",
            )
        )
        self.occupancy.add(cells, blocks=True)

    # -- population -----------------------------------------------------------------------------

    def strew(
        self,
        entries: Sequence[PopulationEntry],
        placements: Sequence[Placement],
        arrival: Cell,
        streams: Streams,
    ) -> None:
        """Put a map's own population on free cells outside of its encounters."""
        outside = self.occupancy.plain.copy()
        sealed = [region.id for region in self.canvas.regions if region.sealed]
        outside &= ~np.isin(
            self.canvas.region, [*sealed, *(each.region for each in placements if each.region)]
        )
        for placement in placements:
            outside[placement.bounds.slices] = False
        rooms = np.array(
            [False, *(region.kind in ("room", "cave", "zone") for region in self.canvas.regions)]
        )
        in_rooms = outside & rooms[self.canvas.region]
        near = np.zeros_like(outside)
        top, left = max(arrival.y - ARRIVAL_QUIET, 0), max(arrival.x - ARRIVAL_QUIET, 0)
        near[top : arrival.y + ARRIVAL_QUIET + 1, left : arrival.x + ARRIVAL_QUIET + 1] = True
        for number, entry in enumerate(entries):
            stream = streams.stream("populate", "population", number)
            cells = outside & ~near if entry.kind == "robot" else in_rooms
            self._strew(entry, np.flatnonzero(cells), stream, f"population {number + 1}")

    def _strew(self, entry: PopulationEntry, cells: NDArray[np.int64], stream: Stream, source: str) -> None:
        for _ in range(roll(entry.count, stream, 0)):
            if not stream.chance(entry.chance):
                continue
            thing = self.choose(entry, stream, source)
            if thing is None:
                continue
            cell = self._free_cell(thing, cells, stream)
            if cell is None:
                self.journal.note("populate", thing.tag, "refused", "no free cell is left")
            else:
                self._spawn(thing, cell, entry, None, source)

    def _free_cell(self, thing: Thing, cells: NDArray[np.int64], stream: Stream) -> Cell | None:
        """Pick one of the cells (flat indices) that is free, and that walkers can do without."""
        stays = thing.blocks and thing.kind != "robot"
        left = cells[~self.occupancy.taken.ravel()[cells]]
        while len(left):
            at = stream.below(len(left))
            cell = Cell(*divmod(int(left[at]), self.canvas.width))
            if not stays or self.occupancy.keeps_whole(*cell):
                return cell
            left = np.delete(left, at)
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
        fitting = [thing for thing in self.catalog.fitting(kind, selector, self.depth) if thing.weight > 0]
        if not fitting:
            wanted = " or ".join([*selector.classes, *selector.categories])
            reason = f"no {kind} of {wanted} fits depth {self.depth}"
            self.journal.note("populate", source, "refused", reason)
            return None
        return stream.weighted((thing, thing.weight) for thing in fitting)

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
        self.occupancy.add([cell], blocks=thing.blocks and thing.kind != "robot")
        if thing.light:
            self.lights.append(Light(y=cell.y, x=cell.x, radius=thing.light, colour=thing.fg))


def chains(references: Sequence[Reference], legend: Mapping[str, SymbolEntry]) -> list[list[Reference]]:
    """Return the references in groups that choose together: equal characters that touch, along any chain.

    Characters whose symbol is unique are groups of one.
    """
    left = {(each.y, each.x): each for each in references}
    groups = []
    for first in references:
        if left.pop((first.y, first.x), None) is None:
            continue
        group = [first]
        if not legend[first.char].unique:
            for y, x, char in group:
                near = ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x))
                # The group grows while it is walked through: that is how chains are followed.
                group.extend(left.pop(cell) for cell in near if cell in left and left[cell].char == char)
        groups.append(group)
    return groups
