"""Where the zones of a map of cards lie on its grid, and how they are joined.

After "PGC: Smart Card Layout" (Sean Howard, squidi.net, 2009): each zone, once it is finished, keeps the set of the cells beside
it, in which others may not build. What kinds of zones there are is all a matter of where the first cell of one lies, and of
whose set it does not care about.

    AAA..        a bridge: b has one border, the cells at its sides (x) and beside A become
    AAxxBB       invalid, and B begins opposite
    AAbBBB
    AAxxB.       so that a gap of a cell remains between A and B
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from heapq import heappop, heappush
from operator import or_
from typing import TYPE_CHECKING

from dungeon.content.models.layouts.zones import origins
from dungeon.content.models.portals import TUNNEL
from dungeon.content.values.grammar import roll
from dungeon.core.errors import counted
from dungeon.generation.layouts.cards.growth import first_of, grow
from dungeon.generation.layouts.cards.lattice import SIDES
from dungeon.grid.bits import places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.cards.lattice import Lattice
    from dungeon.generation.layouts.cards.params import CardsParams, CardZone, Growth
    from dungeon.generation.layouts.job import LayoutJob

NEIGHBOURS = 4


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


@dataclass(slots=True)
class GroundPlan:
    """Zones on a grid, as they are built.

    Attributes:
        plots: The zones in the order in which they are built.
        joined: Pairs of cells, of different zones or of what leads to one, that ways are to join.
        taken: The mask of all cells that something lies on.
        shut: The mask of the cells at the sides of bridges, where nothing may be built.
    """

    lattice: Lattice
    params: CardsParams
    job: LayoutJob
    plots: list[Plot] = field(default_factory=list)
    joined: list[tuple[int, int]] = field(default_factory=list)
    taken: int = 0
    shut: int = 0

    def build(self) -> None:
        """Build all zones, each joined to the one that it is to be joined to; note those that have no place."""
        params = self.params
        if not params.zones:
            self._add_first("", None)
            return
        built: dict[str, int] = {}
        for (name, origin), entry in zip(origins(params.zones).items(), params.zones.values(), strict=True):
            if origin is None:
                self._add_first(name, entry)
            elif origin not in built or not self._add(name, entry, built[origin]):
                whom = f"zone {origin}"
                reason = f"{whom} is not there" if origin not in built else f"it has no place beside {whom}"
                self.job.journal.note("layout", f"zone {name}", "refused", reason)
                continue
            if self.plots:
                built[name] = len(self.plots) - 1

    # -- asking ---------------------------------------------------------------------------------

    def _stream(self, *name: str | int) -> Stream:
        return self.job.streams.stream("layout", "cards", self.job.attempt, *name)

    def _count(self, plot: Plot) -> int:
        value = self.params.count if plot.entry is None else plot.entry.count
        return roll(value, self._stream("count", plot.name), 1)

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
        start = first_of(outer, self._growth(plot), self.lattice.board.stride, self._stream("start", name))
        self._grow(plot, 1 << start, space)

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

    def _grow(self, plot: Plot, start: int, allowed: int, beside: int = 0) -> None:
        """Let a zone grow, and keep the cells beside it."""
        count, stream = self._count(plot), self._stream("grow", plot.name)
        plot.cells = grow(self.lattice, start, allowed, count, self._growth(plot), stream, beside=beside)
        self.taken |= plot.cells
        around = self.lattice.around if self.params.apart else self.lattice.beside
        plot.beside = around(plot.cells)
        self.plots.append(plot)
        if (size := plot.cells.bit_count()) < count:
            subject = f"zone {plot.name}" if plot.name else "cards"
            reason = f"there is no space for more than {counted(size, 'cell')} of {count}"
            self.job.journal.note("layout", subject, "noted", reason)

    def _add_bridged(self, plot: Plot, other: Plot) -> bool:
        """Build a bridge that juts out of a zone, and the zone opposite."""
        lattice, allowed = self.lattice, self._may_build()
        options: list[tuple[int, int, int, int]] = []
        spaces = _parts(lattice, allowed)
        for place in places(other.beside & self._may_build(other)):
            begun = [each for each in _around(lattice, place) if self.taken >> each & 1]
            if len(begun) != 1 or not other.cells >> begun[0] & 1:
                continue
            opposite = 2 * place - begun[0]
            space = next((each for each in spaces if opposite >= 0 and each >> opposite & 1), 0)
            if space:
                options.append((space.bit_count(), begun[0], place, opposite))
        if not options:
            return False
        enough = min(self._count(plot), max(option[0] for option in options))
        _, before, place, opposite = self._stream("start", plot.name).pick(
            [option for option in options if option[0] >= enough]
        )
        plot.bridge = place
        self.taken |= 1 << place
        self.shut |= lattice.beside(1 << place) & ~(self.taken | 1 << opposite)
        self._grow(plot, 1 << opposite, allowed & ~self.shut)
        self._join(before, place)
        self._gate(plot, place, opposite)
        return True

    def _add_tumour(self, plot: Plot, other: Plot) -> bool:
        """Build a zone that grows on the cells beside another one."""
        several = plot.entry is not None and plot.entry.join == "multi-tumour"
        allowed = self._may_build(other)
        begin = lattice_beside = self.lattice.beside(other.cells) & allowed
        if not begin:
            return False
        if several:
            self._grow(plot, 0, allowed, beside=other.cells)
        else:
            spaces = [(space.bit_count(), space) for space in _parts(self.lattice, allowed)]
            most = min(self._count(plot), max(size for size, space in spaces if space & begin))
            for size, space in spaces:
                if size < most:
                    lattice_beside &= ~space
            start = self._stream("start", plot.name).pick(places(lattice_beside))
            self._grow(plot, 1 << start, allowed)
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
        enough = min(self._count(plot), max(size for size, _ in spaces))
        begin = 0
        for size, space in spaces:
            begin |= space & ways if size >= enough else 0
        self._grow(plot, 1 << self._stream("start", plot.name).pick(places(begin)), allowed)
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
        enough = min(self._count(plot), max(size for size, _ in spaces))
        begin = reduce(or_, (space for size, space in spaces if size >= enough))
        self._grow(plot, 1 << self._stream("start", plot.name).pick(places(begin)), self._may_build())
        return True

    def _join(self, before: int, place: int) -> None:
        self.joined.append((before, place))

    def _gate(self, plot: Plot, before: int, place: int) -> None:
        plot.gates.append((before, place))
        self.joined.append((before, place))


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

    Each cell costs what chance says (Dijkstra), so that the way winds.
    """
    costs = {place: 1 + 3 * stream.random() for place in places(ground)}
    heap: list[tuple[float, int, int]] = []
    for place in places(lattice.beside(begin) & ground):
        heappush(heap, (costs[place], place, place))
    came: dict[int, int] = {}
    goals = lattice.beside(end)
    while heap:
        cost, place, before = heappop(heap)
        if place in came:
            continue
        came[place] = before
        if goals >> place & 1:
            way = [place]
            while came[way[-1]] != way[-1]:
                way.append(came[way[-1]])
            return way[::-1]
        for there in _around(lattice, place):
            if there in costs and there not in came:
                heappush(heap, (cost + costs[there], there, place))
    raise ValueError("there is no way")
