"""Where the zones of a map of cards lie on a coarse grid, and how they are joined: by bridges, tunnels, shared walls or portals.

A mask is an int with one bit per cell of the grid; a *place* is the number of a cell's bit. A zone's *parent* is the earlier
zone that it is joined to; a *plot* is a zone with its cells. A *gate* is a corridor into a zone. A *port* is a portal, such as
a boat, in place of a corridor.

After "PGC: Smart Card Layout" (Sean Howard, squidi.net, 2009). Each finished zone keeps the set of the cells beside
it, where other zones may not build. The kinds of zones differ in where their first cell lies, and in which set they
ignore:

    AAA..        a bridge: b borders on one cell of A; the cells at its sides (x)
    AAxxBB       and beside A become invalid, and B begins opposite,
    AAbBBB
    AAxxB.       so a gap of one cell remains between A and B

    AAAttt       a tumour: t grows on the cells beside A, and shares walls with it
    AAAAtt

    AAA~~~II     an island: I touches no zone; a winding tunnel (~) or a port leads to it

A growing zone could enclose another zone that still needs neighbours. So it takes no cell after which the zones to
come would find no place (`_ZonesToCome`). If a zone finds no place nevertheless, the whole plan is begun again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from dungeon.content.models.layouts import TUNNEL, origins
from dungeon.content.values.grammar import roll
from dungeon.core.errors import GenerationError, counted
from dungeon.generation.layouts.cards_decks import DeckShapes, deck_of
from dungeon.generation.layouts.cards_growth import Grower, by_borders, first_of
from dungeon.generation.layouts.cards_params import DECK
from dungeon.grid.bits import places
from dungeon.grid.ways import find_way

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.cards_decks import DealtCopies
    from dungeon.generation.layouts.cards_grid import Lattice
    from dungeon.generation.layouts.cards_params import CardsParams, CardZone, Growth
    from dungeon.generation.layouts.job import LayoutJob

PLANS = 6
"""Number of plans that are tried before one without all zones is taken."""


@dataclass(slots=True, kw_only=True)
class Plot:
    """A zone with its cells on the grid. Masks have a bit for each grid cell; places are the numbers of these bits.

    Attributes:
        name: The zone's name; empty for the only zone of a map without zones.
        entry: The author's parameters of the zone; None for a map without zones.
        parent: The index of the zone that it is joined to; None for the first zone.
        cells: The mask of its grid cells.
        beside: The mask of the grid cells beside it, where other zones may not build.
        bridge: The place of the bridge that leads to it; None without a bridge.
        tunnel: The places of the tunnel that leads to it, in order; empty without a tunnel.
        port: The kind of the portal that leads to it; empty if a corridor does.
        sections: The masks of the sections of several grid cells that it took by the shape of a card in its deck.
        gates: The corridors into it from its parent, bridge or tunnel, each as (place outside the zone, place in it).
    """

    name: str
    entry: CardZone | None
    parent: int | None
    cells: int = 0
    beside: int = 0
    bridge: int | None = None
    tunnel: list[int] = field(default_factory=list)
    port: str = ""
    sections: list[int] = field(default_factory=list)
    gates: list[tuple[int, int]] = field(default_factory=list)

    @property
    def way(self) -> list[int]:
        """The places of the bridge or tunnel that leads to the zone; empty without one."""
        return self.tunnel if self.bridge is None else [self.bridge]


class _Start(NamedTuple):
    """A possible first cell of a zone, with the bridge to it if the zone needs one.

    Attributes:
        first: The place of the zone's first cell.
        bridge: The place of the bridge that leads there; None without a bridge.
        before: The place of the parent's cell where the bridge begins; -1 without a bridge.
    """

    first: int
    bridge: int | None = None
    before: int = -1

    @property
    def cells(self) -> int:
        """The mask with only the zone's first cell."""
        return 1 << self.first

    def closed_beside_bridge(self, lattice: Lattice) -> int:
        """Return the mask of the cells beside the bridge where nothing may be built (not the zone's first); 0 without a bridge."""
        return 0 if self.bridge is None else lattice.beside(1 << self.bridge) & ~self.cells


@dataclass(slots=True)
class ZonePlan:
    """The zones of a map on its grid, while they are built one by one.

    Attributes:
        lattice: The grid.
        params: The author's parameters of the layout.
        job: The job of the layout.
        table: The faces of the prefabs in decks; None if no zone grows by the shapes of its deck.
        number: The number of this plan for the map, from 0; above 0 a part of the name of every stream.
        plots: The zones built so far, in order.
        missing: Name of a zone that found no place -> the reason.
        notes: (subject, reason) for each zone with fewer cells than wanted.
        joined: Pairs of neighbouring places between which a corridor must be dug: in different zones, or on bridges and
            tunnels.
        taken: The mask of all cells in use.
        shut: The mask of the cells at the sides of bridges, where nothing may be built.
    """

    lattice: Lattice
    params: CardsParams
    job: LayoutJob
    table: DealtCopies | None = None
    number: int = 0
    plots: list[Plot] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    notes: list[tuple[str, str]] = field(default_factory=list)
    joined: list[tuple[int, int]] = field(default_factory=list)
    taken: int = 0
    shut: int = 0
    _shapes_drawn: dict[str, int] = field(default_factory=dict)

    @classmethod
    def drawn(
        cls, lattice: Lattice, params: CardsParams, job: LayoutJob, table: DealtCopies | None = None
    ) -> ZonePlan:
        """Draw up to `PLANS` plans at random; return the first that has all zones, or else the plan that lacks the fewest.

        Raises:
            GenerationError: It lacks a required zone.
        """
        best: ZonePlan | None = None
        for number in range(PLANS):
            plan = cls(lattice, params, job, table, number)
            plan.build()
            if best is None or plan.lacks() < best.lacks():
                best = plan
            if not best.missing:
                break
        assert best is not None
        for name, reason in best.missing.items():
            if name in job.required:
                raise GenerationError(f"zone {name} must be on the map, and {reason}")
            job.journal.note("layout", f"zone {name}", "refused", reason)
        for subject, reason in best.notes:
            job.journal.note("layout", subject, "noted", reason)
        return best

    def lacks(self) -> tuple[int, int]:
        """Return (number of required zones, number of all zones) that have no place in this plan."""
        return len(self.job.required.intersection(self.missing)), len(self.missing)

    def build(self) -> None:
        """Build all zones in the author's order, each joined to its parent; note zones without a place in `missing`."""
        if not self.params.zones:
            self._add_first("", None)
            return
        for (name, origin), entry in zip(self._origins.items(), self.params.zones.values(), strict=True):
            parent = next((number for number, plot in enumerate(self.plots) if plot.name == origin), None)
            if origin is None:
                self._add_first(name, entry)
            elif parent is None:
                self.missing[name] = f"zone {origin} is not on the map"
            elif not self._add(name, entry, parent):
                self.missing[name] = f"it has no place beside zone {origin}"

    # -- asking ---------------------------------------------------------------------------------

    @property
    def _origins(self) -> dict[str, str | None]:
        """Zone -> the name of the zone that it is joined to, None for the first; in the order in which they are built."""
        return origins(self.params.zones)

    def _stream(self, *name: str | int) -> Stream:
        """Return a random stream of this plan; each attempt at the map and each plan has other streams.

        Args:
            *name: The last words of the stream's name.
        """
        again = ("plan", self.number) if self.number else ()
        return self.job.streams.stream("layout", "cards", self.job.attempt, *again, *name)

    def _count(self, name: str) -> int:
        """Return the number of grid cells that the zone `name` should have; each call returns the same number."""
        value = self.params.zones[name].count if name else self.params.count
        return roll(value, self._stream("count", name), 1)

    def _may_build(self, but: Plot | None = None) -> int:
        """Return the mask of the free cells that touch no zone built so far; those that touch only the zone `but` are included."""
        found = self.lattice.free & ~(self.taken | self.shut)
        for plot in self.plots:
            if plot is not but:
                found &= ~plot.beside
        return found

    # -- building -------------------------------------------------------------------------------

    def _add_first(self, name: str, entry: CardZone | None) -> None:
        """Build the first zone in the largest connected space of the grid, and begin at the space's edge if other zones follow.

        Args:
            name: The zone's name; empty for the only zone of a map without zones.
            entry: The author's parameters of the zone; None for a map without zones.
        """
        plot = Plot(name=name, entry=entry, parent=None)
        space = max(self.lattice.parts(self.lattice.free), key=int.bit_count, default=0)
        if not space:
            return
        outer = space & ~self.lattice.inner(space) if self.params.zones else space
        growth, stride, stream = self._growth(plot), self.lattice.board.stride, self._stream("start", name)
        start = self._start(
            plot,
            [_Start(place) for place in places(outer)],
            lambda left: _Start(first_of([each.first for each in left], growth, stride, stream)),
        )
        self._grow(plot, start, space)

    def _growth(self, plot: Plot) -> Growth:
        """Return the order in which a zone takes cells: its own `grow`, or else that of the layout."""
        return (plot.entry.grow if plot.entry else None) or self.params.grow

    def _add(self, name: str, entry: CardZone, parent: int) -> bool:
        """Build a zone that is joined to another zone; return False if there is no space for it.

        Args:
            name: The zone's name.
            entry: The author's parameters of it.
            parent: The index in `plots` of the zone that it is joined to.
        """
        plot = Plot(name=name, entry=entry, parent=parent)
        match entry.join:
            case "bridge":
                return self._add_bridged(plot, self.plots[parent])
            case "island":
                return self._add_island(plot, self.plots[parent])
            case _:
                return self._add_tumour(plot, self.plots[parent])

    def _grow(self, plot: Plot, start: _Start, allowed: int, beside: int = 0) -> None:
        """Let a zone grow from its first cell, add it to the plan, and reserve the cells beside it.

        Args:
            plot: The zone.
            start: Where it begins.
            allowed: The mask of the cells that it may take.
            beside: The mask of another zone beside which it may take cells apart from its own cells; 0 for none.
        """
        count, stream = self._count(plot.name), self._stream("grow", plot.name)
        waiting = self._waiting(plot)
        waiting.begin(start)
        shapes = None
        if self.table is not None and DECK in self._growth(plot).sections.outcomes():
            shapes = DeckShapes(deck_of(plot.entry, self.table), self.table, self._shapes_drawn)
        grower = Grower(self.lattice, self._growth(plot), stream, shapes)
        plot.cells = grower.grow(start.cells, allowed, count, beside=beside, leaves_room=waiting.have_room)
        plot.sections = grower.sections
        self.taken |= plot.cells
        plot.beside = self.beside_of(plot.cells)
        self.plots.append(plot)
        if (size := plot.cells.bit_count()) < count:
            subject = f"zone {plot.name}" if plot.name else "cards"
            reason = f"there is no space for more than {counted(size, 'cell')} of {count}"
            self.notes.append((subject, reason))

    def beside_of(self, cells: int) -> int:
        """Return the mask of the cells beside a zone where others may not build; with `apart`, also those at its corners.

        Args:
            cells: The mask of the zone's cells.
        """
        return self.lattice.around(cells) if self.params.apart else self.lattice.beside(cells)

    def _waiting(self, plot: Plot) -> _ZonesToCome:
        """Return the zones that are built after `plot`, without those whose parent has no place."""
        names = [other.name for other in self.plots] + [plot.name]
        zones: list[tuple[int, CardZone]] = []
        for name, origin in self._origins.items():
            if origin in names and name not in names and name not in self.missing:
                zones.append((names.index(origin), self.params.zones[name]))
                names.append(name)
        return _ZonesToCome(plan=self, zones=zones, count=self._count(plot.name))

    def _start(self, plot: Plot, options: list[_Start], pick: Callable[[list[_Start]], _Start]) -> _Start:
        """Pick first cells for a zone until one leaves space for all zones that are built later, and return it.

        If none does, return the one that was picked first.

        Args:
            plot: The zone.
            options: The possible first cells; each one that is tried is removed from the list.
            pick: Returns a random one of the options.
        """
        waiting, first = self._waiting(plot), None
        while options:
            option = pick(options)
            if waiting.begin(option):
                return option
            first = first or option
            options.remove(option)
        assert first is not None
        return first

    def _start_in(self, plot: Plot, cells: int) -> _Start:
        """Return a random first cell for a zone from the mask `cells`, if possible one that leaves space for all later zones."""
        return self._start(
            plot, [_Start(place) for place in places(cells)], self._stream("start", plot.name).pick
        )

    def _add_bridged(self, plot: Plot, other: Plot) -> bool:
        """Build a bridge beside the zone `other`, and the zone `plot` at the bridge's end; return False if there is no space."""
        lattice, allowed = self.lattice, self._may_build()
        options: list[tuple[int, _Start]] = []
        spaces = lattice.parts(allowed)
        for place in places(other.beside & self._may_build(other)):
            begun = [each for each in lattice.neighbours(place) if self.taken >> each & 1]
            if len(begun) != 1 or not other.cells >> begun[0] & 1:
                continue
            opposite = 2 * place - begun[0]
            space = next((each for each in spaces if opposite >= 0 and each >> opposite & 1), 0)
            if space:
                options.append((space.bit_count(), _Start(opposite, place, begun[0])))
        if not options:
            return False
        enough = min(self._count(plot.name), max(size for size, _ in options))
        large = [start for size, start in options if size >= enough]
        start = self._start(plot, large, self._stream("start", plot.name).pick)
        assert start.bridge is not None
        plot.bridge = start.bridge
        self.taken |= 1 << start.bridge
        self.shut |= start.closed_beside_bridge(lattice) & ~self.taken
        self._grow(plot, start, allowed & ~self.shut)
        self._join(start.before, start.bridge)
        self._gate(plot, start.bridge, start.first)
        return True

    def _add_tumour(self, plot: Plot, other: Plot) -> bool:
        """Build the zone `plot` beside the zone `other`, so that they share walls; return False if there is no space."""
        several = plot.entry is not None and plot.entry.join == "multi-tumour"
        allowed = self._may_build(other)
        begin = self.lattice.beside(other.cells) & allowed
        if not begin:
            return False
        if several:
            self._grow(plot, self._start_in(plot, begin), allowed, beside=other.cells)
        else:
            spaces = [(space.bit_count(), space) for space in self.lattice.parts(allowed)]
            most = min(self._count(plot.name), max(size for size, space in spaces if space & begin))
            for size, space in spaces:
                if size < most:
                    begin &= ~space
            self._grow(plot, self._start_in(plot, begin), allowed)
        stream = self._stream("gates", plot.name)
        for part in self.lattice.parts(plot.cells):
            borders = [
                (near, place)
                for place in places(part & self.lattice.board.beside(other.cells))
                for near in self.lattice.neighbours(place)
                if other.cells >> near & 1
            ]
            stream.shuffle(borders)
            for before, place in borders[: roll(plot.entry.doors, stream, 1) if plot.entry else 1]:
                self._gate(plot, before, place)
        return True

    def _add_island(self, plot: Plot, other: Plot) -> bool:
        """Build the zone `plot` where it touches no zone, and a tunnel of free grid cells from the zone `other` to it.

        If a portal is rolled instead, no tunnel is built. Return False if there is no space.
        """
        assert plot.entry is not None
        port = roll(plot.entry.port, self._stream("port", plot.name), TUNNEL)
        if port != TUNNEL:
            plot.port = port
            return self._add_apart(plot)
        lattice, allowed = self.lattice, self._may_build()
        ways = lattice.board.flood(
            lattice.free & ~self.taken, lattice.beside(other.cells) & lattice.free & ~self.taken
        )
        spaces = [(space.bit_count(), space) for space in lattice.parts(allowed) if space & ways]
        if not spaces:
            return False
        enough = min(self._count(plot.name), max(size for size, _ in spaces))
        begin = 0
        for size, space in spaces:
            begin |= space & ways if size >= enough else 0
        self._grow(plot, self._start_in(plot, begin), allowed)
        ways &= ~self.taken
        plot.tunnel = _winding_way(lattice, other.cells, plot.cells, ways, self._stream("tunnel", plot.name))
        for place in plot.tunnel:
            self.taken |= 1 << place
        first, last = plot.tunnel[0], plot.tunnel[-1]
        stream = self._stream("ports", plot.name)
        self._join(
            stream.pick([each for each in lattice.neighbours(first) if other.cells >> each & 1]), first
        )
        for before, place in zip(plot.tunnel, plot.tunnel[1:], strict=False):
            self._join(before, place)
        self._gate(plot, last, stream.pick([at for at in lattice.neighbours(last) if plot.cells >> at & 1]))
        return True

    def _add_apart(self, plot: Plot) -> bool:
        """Build the zone `plot` where it touches no zone, if possible in a large enough space; return False without any."""
        spaces = [(space.bit_count(), space) for space in self.lattice.parts(self._may_build())]
        if not spaces:
            return False
        enough = min(self._count(plot.name), max(size for size, _ in spaces))
        begin = reduce(or_, (space for size, space in spaces if size >= enough))
        self._grow(plot, self._start_in(plot, begin), self._may_build())
        return True

    def _join(self, before: int, place: int) -> None:
        """Note that a corridor must be dug between two neighbouring cells of the grid, given by their places."""
        self.joined.append((before, place))

    def _gate(self, plot: Plot, before: int, place: int) -> None:
        """Note that a corridor must be dug between two neighbouring cells of the grid, and that it leads into a zone.

        Args:
            plot: The zone.
            before: The place of the cell outside the zone.
            place: The place of the cell in the zone.
        """
        plot.gates.append((before, place))
        self.joined.append((before, place))


@dataclass(slots=True, kw_only=True)
class _ZonesToCome:
    """The zones that are built after the zone that grows now, and a cell that is kept free for each of them.

    To test whether they all have space, the first cell of each is put down, one after another. As long as the growing
    zone stays clear of these cells, all have space, and no new test is needed. Only one cell is kept per zone, so
    that adding a zone seldom moves the zones before it.

    Attributes:
        plan: The plan.
        zones: (index of the parent, the author's parameters) of each zone to come. Indices count the plan's zones,
            then the growing zone, then these.
        count: The number of cells that the growing zone should have.
        kept: The mask of the cells kept free; None if not all zones had space at the beginning, so that no cells are kept.
        start: The first cell of the growing zone, with its bridge.
    """

    plan: ZonePlan
    zones: list[tuple[int, CardZone]]
    count: int
    kept: int | None = None
    start: _Start = field(init=False)

    @property
    def _has_own(self) -> bool:
        """Whether any zone that is built later is joined to the zone that grows now."""
        return any(parent == len(self.plan.plots) for parent, _ in self.zones)

    def begin(self, start: _Start) -> bool:
        """Keep a cell free for each zone that is built later, if the zone that grows now begins at `start`.

        Return False, and keep no cells free, if some later zone has no space.
        """
        self.start = start
        self.kept = self._put_down(start.cells)
        return self.kept is not None

    def have_room(self, cells: int) -> bool:
        """Tell whether all zones that are built later still have space if the growing zone has the cells of the mask `cells`.

        The cells that are kept free are moved where that helps. True also if not all zones had space at the beginning.
        """
        if self.kept is None or not (self._has_own or self.kept & (cells | self.plan.lattice.around(cells))):
            return True
        kept = self._put_down(cells)
        if kept is not None:
            self.kept = kept
        return kept is not None

    def _put_down(self, grown: int) -> int | None:
        """Choose a first cell, and a bridge if needed, for each zone that is built later; return their mask.

        A zone that is joined to the growing zone is put beside the likely final shape of that zone: the most compact one. The
        result is None if some zone has no space.

        Args:
            grown: The mask of the cells that the growing zone has.
        """
        plan, lattice = self.plan, self.plan.lattice
        bridge = 0 if self.start.bridge is None else 1 << self.start.bridge
        taken = plan.taken | grown | bridge
        shut = plan.shut | self.start.closed_beside_bridge(lattice)
        if self._has_own:
            free = lattice.free & ~(taken | shut)
            for plot in plan.plots:
                free &= ~plot.beside
            grown = _compact(lattice, grown, free, self.count)
            taken |= grown
        zones = [*(plot.cells for plot in plan.plots), grown]
        kept = 0
        for parent, entry in self.zones:
            free = lattice.free & ~(taken | shut)
            for number, cells in enumerate(zones):
                free &= ~plan.beside_of(cells) if number != parent else ~0
            apart = free & ~plan.beside_of(zones[parent])
            found = self._place(entry, zones[parent], taken, free, apart)
            if found is None:
                return None
            first, bridge = found
            taken |= first | bridge
            shut |= lattice.beside(bridge) & ~taken
            kept |= first | bridge
            zones.append(first)
        return kept

    def _place(
        self, entry: CardZone, parent: int, taken: int, free: int, apart: int
    ) -> tuple[int, int] | None:
        """Return (mask of a possible first cell of a zone, mask of its bridge or 0); None if the zone has no place.

        Args:
            entry: The author's parameters of the zone.
            parent: The mask of its parent's cells.
            taken: The mask of all cells in use.
            free: The mask of the cells where it may be built, beside its parent or elsewhere.
            apart: Of these, the cells where it would not touch its parent.
        """
        lattice = self.plan.lattice
        if entry.join == "island":
            ways = lattice.board.flood(lattice.free & ~taken, lattice.beside(parent) & lattice.free & ~taken)
            begin = apart & ways
            return (begin & -begin, 0) if begin else None
        beside = lattice.beside(parent) & free
        if entry.join != "bridge":
            return (beside & -beside, 0) if beside else None
        for place in places(beside):
            near = [each for each in lattice.neighbours(place) if taken >> each & 1]
            opposite = 2 * place - near[0]
            if len(near) == 1 and opposite >= 0 and apart >> opposite & 1:
                return 1 << opposite, 1 << place
        return None


def _compact(lattice: Lattice, begin: int, allowed: int, count: int) -> int:
    """Return the mask of a zone that grows compactly: it always takes one of the cells that share the most sides with it.

    Args:
        lattice: The grid.
        begin: The mask of its first cells.
        allowed: The mask of the cells that it may take.
        count: The number of cells at which it stops; it has fewer if there is no space.
    """
    cells = begin
    for _ in range(count - begin.bit_count()):
        best = next(
            filter(None, reversed(by_borders(lattice, lattice.beside(cells) & allowed, cells)[1:])), 0
        )
        if not best:
            break
        cells |= best & -best
    return cells


def _winding_way(lattice: Lattice, begin: int, end: int, ground: int, stream: Stream) -> list[int]:
    """Return the places of a tunnel, in order, from a cell beside one zone to a cell beside another; random costs make it wind.

    Args:
        lattice: The grid.
        begin: The mask of the zone where the tunnel begins.
        end: The mask of the zone where it ends.
        ground: The mask of the cells that it may use.
        stream: The random stream of the costs.
    """
    costs = dict.fromkeys(range(1, 5), 0)
    for place in places(ground):
        costs[stream.between(1, 4)] |= 1 << place
    way = find_way(lattice.board, costs, lattice.beside(begin), lattice.beside(end))
    return [y * lattice.board.stride + x for y, x in way]
