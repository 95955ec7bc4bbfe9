"""Where the zones of a map of cards lie on its grid, and how they are joined.

After "PGC: Smart Card Layout" (Sean Howard, squidi.net, 2009): each zone, once it is finished, keeps the set of the cells beside
it, in which others may not build. What kinds of zones there are is all a matter of where the first cell of one lies, and of
whose set it does not care about.

    AAA..        a bridge: b has one border, the cells at its sides (x) and beside A become
    AAxxBB       invalid, and B begins opposite
    AAbBBB
    AAxxB.       so that a gap of a cell remains between A and B

A zone that grows could close in another one to which more zones are to be joined. So it takes no cell after which these zones
would no longer find a place (`_Waiting`). Where the zones of a plan do not all find one, the plan is begun again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from dungeon.content.models.layouts import TUNNEL, origins
from dungeon.content.values.grammar import roll
from dungeon.core.errors import GenerationError, counted
from dungeon.generation.layouts.cards_grid import SIDES, Grower, by_borders, first_of
from dungeon.grid.bits import places
from dungeon.grid.ways import find_way

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.cards_grid import CardsParams, CardZone, Growth, Lattice
    from dungeon.generation.layouts.job import LayoutJob

PLANS = 6
"""Maximum number of plans that are tried for a map before one that lacks a zone is taken."""


@dataclass(slots=True, kw_only=True)
class Plot:
    """A zone on the grid.

    Attributes:
        name: Its name; empty for that of a map without zones.
        entry: What its author says of it; None likewise.
        parent: The index of the zone that it is joined to, or None for the first.
        cells: The mask of its cells.
        beside: The set of the cells beside it, in which others may not build.
        bridge: The cell of the bridge that leads to it.
        tunnel: The cells of the tunnel that leads to it, in order.
        port: What leads to it instead, from one of the other zone's cards to one of its own; empty if nothing does.
        gates: The sides through which it is entered from the other zone, or from its bridge or tunnel: (from, to).
    """

    name: str
    entry: CardZone | None
    parent: int | None
    cells: int = 0
    beside: int = 0
    bridge: int | None = None
    tunnel: list[int] = field(default_factory=list)
    port: str = ""
    gates: list[tuple[int, int]] = field(default_factory=list)


class _Start(NamedTuple):
    """Where a zone begins.

    Attributes:
        first: Its first cell.
        bridge: The cell of the bridge that leads there.
        before: The cell of the other zone from which that leads; -1 where there is none.
    """

    first: int
    bridge: int | None = None
    before: int = -1

    @property
    def cells(self) -> int:
        """The mask of its first cell."""
        return 1 << self.first

    def shuts(self, lattice: Lattice) -> int:
        """Return the cells at the sides of its bridge, where nothing may be built."""
        return 0 if self.bridge is None else lattice.beside(1 << self.bridge) & ~self.cells


@dataclass(slots=True)
class GroundPlan:
    """Zones on a grid, as they are built.

    Attributes:
        number: Which of the plans for this map it is, from 0. Part of the name of every stream, but for the first.
        plots: The zones in the order in which they are built.
        missing: Name of a zone that found no place -> the reason.
        notes: (subject, reason) of each zone that has fewer cells than its author asked for.
        joined: Pairs of cells, of different zones or of what leads to one, that ways are to join.
        taken: The mask of all cells that something lies on.
        shut: The mask of the cells at the sides of bridges, where nothing may be built.
    """

    lattice: Lattice
    params: CardsParams
    job: LayoutJob
    number: int = 0
    plots: list[Plot] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    notes: list[tuple[str, str]] = field(default_factory=list)
    joined: list[tuple[int, int]] = field(default_factory=list)
    taken: int = 0
    shut: int = 0

    @classmethod
    def drawn(cls, lattice: Lattice, params: CardsParams, job: LayoutJob) -> GroundPlan:
        """Return a plan with all zones; where several tries bring none, that which lacks the fewest.

        Raises:
            GenerationError: It lacks one without which the map must not be made.
        """
        best: GroundPlan | None = None
        for number in range(PLANS):
            plan = cls(lattice, params, job, number)
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
        """Return how many zones it lacks: of those without which the map must not be made, and of all."""
        return len(self.job.required.intersection(self.missing)), len(self.missing)

    def build(self) -> None:
        """Build all zones, each joined to the one that it is to be joined to; note those that have no place."""
        if not self.params.zones:
            self._add_first("", None)
            return
        for (name, origin), entry in zip(self._origins.items(), self.params.zones.values(), strict=True):
            parent = next((number for number, plot in enumerate(self.plots) if plot.name == origin), None)
            if origin is None:
                self._add_first(name, entry)
            elif parent is None:
                self.missing[name] = f"zone {origin} is not there"
            elif not self._add(name, entry, parent):
                self.missing[name] = f"it has no place beside zone {origin}"

    # -- asking ---------------------------------------------------------------------------------

    @property
    def _origins(self) -> dict[str, str | None]:
        return origins(self.params.zones)

    def _stream(self, *name: str | int) -> Stream:
        again = ("plan", self.number) if self.number else ()
        return self.job.streams.stream("layout", "cards", self.job.attempt, *again, *name)

    def _count(self, name: str) -> int:
        """Return how many cells a zone is to have."""
        value = self.params.zones[name].count if name else self.params.count
        return roll(value, self._stream("count", name), 1)

    def _may_build(self, but: Plot | None = None) -> int:
        """Return the cells in which a zone may be built, that may touch one of the zones."""
        found = self.lattice.free & ~(self.taken | self.shut)
        for plot in self.plots:
            if plot is not but:
                found &= ~plot.beside
        return found

    # -- building -------------------------------------------------------------------------------

    def _add_first(self, name: str, entry: CardZone | None) -> None:
        """Build the first zone: where there is most space, and at its edge, so that others may follow."""
        plot = Plot(name=name, entry=entry, parent=None)
        space = max(_parts(self.lattice, self.lattice.free), key=int.bit_count, default=0)
        if not space:
            return
        outer = space & ~_inner(self.lattice, space) if self.params.zones else space
        growth, stride, stream = self._growth(plot), self.lattice.board.stride, self._stream("start", name)
        start = self._start(
            plot,
            [_Start(place) for place in places(outer)],
            lambda left: _Start(first_of([each.first for each in left], growth, stride, stream)),
        )
        self._grow(plot, start, space)

    def _growth(self, plot: Plot) -> Growth:
        """Return how a zone grows."""
        return (plot.entry.grow if plot.entry else None) or self.params.grow

    def _add(self, name: str, entry: CardZone, parent: int) -> bool:
        """Build a zone beside another one; tell whether it has a place."""
        plot = Plot(name=name, entry=entry, parent=parent)
        match entry.join:
            case "bridge":
                return self._add_bridged(plot, self.plots[parent])
            case "island":
                return self._add_island(plot, self.plots[parent])
            case _:
                return self._add_tumour(plot, self.plots[parent])

    def _grow(self, plot: Plot, start: _Start, allowed: int, beside: int = 0) -> None:
        """Let a zone grow, and keep the cells beside it."""
        count, stream = self._count(plot.name), self._stream("grow", plot.name)
        waiting = self._waiting(plot)
        waiting.begin(start)
        grower = Grower(self.lattice, self._growth(plot), stream)
        plot.cells = grower.grow(start.cells, allowed, count, beside=beside, leaves_room=waiting.have_room)
        self.taken |= plot.cells
        plot.beside = self.beside_of(plot.cells)
        self.plots.append(plot)
        if (size := plot.cells.bit_count()) < count:
            subject = f"zone {plot.name}" if plot.name else "cards"
            reason = f"there is no space for more than {counted(size, 'cell')} of {count}"
            self.notes.append((subject, reason))

    def beside_of(self, cells: int) -> int:
        """Return the cells about a zone in which others may not build."""
        return self.lattice.around(cells) if self.params.apart else self.lattice.beside(cells)

    def _waiting(self, plot: Plot) -> _Waiting:
        """Return the zones that are still to be built after one that is about to be."""
        names = [other.name for other in self.plots] + [plot.name]
        zones: list[tuple[int, CardZone]] = []
        for name, origin in self._origins.items():
            if origin in names and name not in names and name not in self.missing:
                zones.append((names.index(origin), self.params.zones[name]))
                names.append(name)
        return _Waiting(plan=self, zones=zones, count=self._count(plot.name))

    def _start(self, plot: Plot, options: list[_Start], pick: Callable[[list[_Start]], _Start]) -> _Start:
        """Return where a zone begins: so that those which are yet to come find a place, too, if it can be so.

        Args:
            plot: The zone.
            options: Where it may begin. Those that are tried are removed.
            pick: Picks one of these by chance.
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
        """Return in which of some cells a zone begins."""
        return self._start(
            plot, [_Start(place) for place in places(cells)], self._stream("start", plot.name).pick
        )

    def _add_bridged(self, plot: Plot, other: Plot) -> bool:
        """Build a bridge that juts out of a zone, and the zone opposite."""
        lattice, allowed = self.lattice, self._may_build()
        options: list[tuple[int, _Start]] = []
        spaces = _parts(lattice, allowed)
        for place in places(other.beside & self._may_build(other)):
            begun = [each for each in _around(lattice, place) if self.taken >> each & 1]
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
        self.shut |= start.shuts(lattice) & ~self.taken
        self._grow(plot, start, allowed & ~self.shut)
        self._join(start.before, start.bridge)
        self._gate(plot, start.bridge, start.first)
        return True

    def _add_tumour(self, plot: Plot, other: Plot) -> bool:
        """Build a zone that grows on the cells beside another one."""
        several = plot.entry is not None and plot.entry.join == "multi-tumour"
        allowed = self._may_build(other)
        begin = self.lattice.beside(other.cells) & allowed
        if not begin:
            return False
        if several:
            self._grow(plot, self._start_in(plot, begin), allowed, beside=other.cells)
        else:
            spaces = [(space.bit_count(), space) for space in _parts(self.lattice, allowed)]
            most = min(self._count(plot.name), max(size for size, space in spaces if space & begin))
            for size, space in spaces:
                if size < most:
                    begin &= ~space
            self._grow(plot, self._start_in(plot, begin), allowed)
        stream = self._stream("gates", plot.name)
        for part in _parts(self.lattice, plot.cells):
            borders = [
                (near, place)
                for place in places(part & self.lattice.board.beside(other.cells))
                for near in _around(self.lattice, place)
                if other.cells >> near & 1
            ]
            stream.shuffle(borders)
            for before, place in borders[: roll(plot.entry.doors, stream, 1) if plot.entry else 1]:
                self._gate(plot, before, place)
        return True

    def _add_island(self, plot: Plot, other: Plot) -> bool:
        """Build a zone that touches no other, and a tunnel to it through cells that are left, unless it has a port."""
        assert plot.entry is not None
        port = roll(plot.entry.port, self._stream("port", plot.name), TUNNEL)
        if port != TUNNEL:
            plot.port = port
            return self._add_apart(plot)
        lattice, allowed = self.lattice, self._may_build()
        ways = lattice.board.flood(
            lattice.free & ~self.taken, lattice.beside(other.cells) & lattice.free & ~self.taken
        )
        spaces = [(space.bit_count(), space) for space in _parts(lattice, allowed) if space & ways]
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
        self._join(stream.pick([each for each in _around(lattice, first) if other.cells >> each & 1]), first)
        for before, place in zip(plot.tunnel, plot.tunnel[1:], strict=False):
            self._join(before, place)
        self._gate(plot, last, stream.pick([at for at in _around(lattice, last) if plot.cells >> at & 1]))
        return True

    def _add_apart(self, plot: Plot) -> bool:
        """Build a zone that touches no other wherever there is enough space."""
        spaces = [(space.bit_count(), space) for space in _parts(self.lattice, self._may_build())]
        if not spaces:
            return False
        enough = min(self._count(plot.name), max(size for size, _ in spaces))
        begin = reduce(or_, (space for size, space in spaces if size >= enough))
        self._grow(plot, self._start_in(plot, begin), self._may_build())
        return True

    def _join(self, before: int, place: int) -> None:
        self.joined.append((before, place))

    def _gate(self, plot: Plot, before: int, place: int) -> None:
        plot.gates.append((before, place))
        self.joined.append((before, place))


@dataclass(slots=True, kw_only=True)
class _Waiting:
    """Zones that are still to be built, and the cells that are kept for them while another one grows.

    To tell whether they all have room, one cell of each is put down, one after the other. These cells are kept: as long as a
    growing zone does not touch any of them, all have room, and nothing need be looked for anew. Only one cell of each is kept,
    so that a zone which an author adds seldom moves those before it.

    Attributes:
        plan: The plan.
        zones: For each of these zones: the index of the zone that it is joined to, and what its author says. Indices count the
            zones of the plan, then the zone which grows, then these.
        count: How many cells the zone that grows is to have.
        kept: The mask of the cells that are kept; None if not all zones had room when the zone began, so that none are kept.
        start: Where the zone that grows has begun.
    """

    plan: GroundPlan
    zones: list[tuple[int, CardZone]]
    count: int
    kept: int | None = None
    start: _Start = field(init=False)

    @property
    def _has_own(self) -> bool:
        """Whether any of them is to be joined to the zone that grows."""
        return any(parent == len(self.plan.plots) for parent, _ in self.zones)

    def begin(self, start: _Start) -> bool:
        """Keep cells for all where a zone begins; return False if not all have room then."""
        self.start = start
        self.kept = self._put_down(start.cells)
        return self.kept is not None

    def have_room(self, cells: int) -> bool:
        """Tell whether all still have room if the zone that grows takes some cells."""
        if self.kept is None or not (self._has_own or self.kept & (cells | self.plan.lattice.around(cells))):
            return True
        kept = self._put_down(cells)
        if kept is not None:
            self.kept = kept
        return kept is not None

    def _put_down(self, grown: int) -> int | None:
        """Return the cells that these zones take if the one that grows has some cells; None if they do not all find a place.

        What is to be joined to that one itself is put down beside all that it is yet to be, as compact as it can be.
        """
        plan, lattice = self.plan, self.plan.lattice
        bridge = 0 if self.start.bridge is None else 1 << self.start.bridge
        taken = plan.taken | grown | bridge
        shut = plan.shut | self.start.shuts(lattice)
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
        """Return the first cell that a zone could have, and that of its bridge, as masks; None if there is no place for it.

        Args:
            entry: What its author says of it.
            parent: The cells of the zone that it is joined to.
            taken: All cells that something lies on.
            free: The cells where it may be built beside its parent.
            apart: Those of them where it would not touch its parent.
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
            near = [each for each in _around(lattice, place) if taken >> each & 1]
            opposite = 2 * place - near[0]
            if len(near) == 1 and opposite >= 0 and apart >> opposite & 1:
                return 1 << opposite, 1 << place
        return None


def _compact(lattice: Lattice, begin: int, allowed: int, count: int) -> int:
    """Return a zone of a number of cells, or as many as there are: next is always the first cell of those with most borders."""
    cells = begin
    for _ in range(count - begin.bit_count()):
        best = next(
            filter(None, reversed(by_borders(lattice, lattice.beside(cells) & allowed, cells)[1:])), 0
        )
        if not best:
            break
        cells |= best & -best
    return cells


def _around(lattice: Lattice, place: int) -> Iterator[int]:
    """Yield the cells beside one."""
    for side in SIDES:
        there = lattice.step(place, side)
        if there is not None:
            yield there


def _parts(lattice: Lattice, cells: int) -> list[int]:
    """Return the parts of a mask that hang together, in the order of their first cells."""
    found = []
    while cells:
        part = lattice.board.flood(cells, cells & -cells)
        found.append(part)
        cells ^= part
    return found


def _inner(lattice: Lattice, cells: int) -> int:
    """Return the cells of a mask all of whose four neighbours are of it, too."""
    return (
        cells
        & ~lattice.board.beside(lattice.board.full & ~cells)
        & lattice.board.block(1, 1, lattice.board.height - 2, lattice.board.width - 2)
        if min(lattice.board.height, lattice.board.width) > 2
        else 0
    )


def _winding_way(lattice: Lattice, begin: int, end: int, ground: int, stream: Stream) -> list[int]:
    """Return the cells of a way from beside one mask to beside another, over some ground on which there is one.

    Each cell costs what chance says, so that the way winds.
    """
    costs = dict.fromkeys(range(1, 5), 0)
    for place in places(ground):
        costs[stream.between(1, 4)] |= 1 << place
    way = find_way(lattice.board, costs, lattice.beside(begin), lattice.beside(end))
    return [y * lattice.board.stride + x for y, x in way]
