"""The layout `tunnels`: rooms of many sizes along corridors that tunnelers dig, everything connected.

The plan comes first, in a `TunnelPlan`: a network of main corridors, some rooms along them, side passages into
what is still empty, and then rooms wherever there is most space, until the map is as full as its author wants;
corridors that lead nowhere are taken back. Only then is it carved, piece by piece. Every piece is begun from one
that exists and is joined to it at once, so all are connected. Where a corridor or a door closes a loop, it must save
a long walk.

After the tunneler idea of the DungeonMaker; own design, see `tunneler`, `builder`, `trimming` and `plan`.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.core.errors import CrampedError
from dungeon.generation.layouts.closings import CLOSINGS
from dungeon.generation.layouts.tunnels.network import Network, trim
from dungeon.generation.layouts.tunnels.plan import TunnelPlan
from dungeon.generation.layouts.tunnels.rooms import RoomBuilder
from dungeon.grid.regions import Parts
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.generation.layouts.tunnels.params import TunnelsParams
    from dungeon.generation.layouts.tunnels.piece import Piece
    from dungeon.level.canvas import Canvas

SIDE_START = 5
"""The fewest cells a side tunneler must have ahead to be started."""

FIRST_SHARE = 0.5
"""How much of the floor that is missing after the main corridors is to come from rooms along them."""

SIDE_SHARE = 0.5
"""How much of what is missing then is to come from side passages and rooms along them."""

HALF_EMPTY = 0.85
"""With less than this share of the floor that is wanted, side passages are dug once more."""

MOST_NETWORKS = 16
"""How many times tunnelers begin anew in a part of the map that the others did not come to."""

BACK_DOORS = 0.3
"""The share of rooms from which side passages may start."""

SUITES = 0.6
"""The share of rooms behind which other rooms may be built."""

VOID = 12
"""Other rooms are first put where so many cells each way are still free."""


def least(params: TunnelsParams, _job: LayoutJob) -> tuple[int, int]:
    """Return how many cells each side of the map needs: for the smallest room there may be, and its walls."""
    return params.narrowest + 2, params.narrowest + 2


def largest_room(params: TunnelsParams, size: tuple[int, int]) -> tuple[int, int]:
    """Return the (height, width) that no room is larger than, on a map of that (height, width)."""
    spans = {"small": params.small, "medium": params.medium, "large": params.large}
    classes = {name or "medium" for name in params.sizes.odds()}
    longest = max(max(spans[name].outcomes()) for name in classes)
    return min(longest, size[0] - 2), min(longest, size[1] - 2)


def tunnels(canvas: Canvas, params: TunnelsParams, job: LayoutJob) -> Iterator[Step]:
    """Dig corridors with rooms along them into the free earth of the canvas, and build the walls.

    Args:
        canvas: What is on it already is left alone, with a cell's distance.
        params: What the author set.
        job: Its streams ("layout", "tunnels", attempt, ...) decide everything.

    Yields:
        If watched, a step after every corridor, junction and room.

    Raises:
        CrampedError: There is no space for a single room, and nothing else is on the map.
    """
    plan = TunnelPlan(_taken(canvas))
    standing = sum(not region.sealed for region in canvas.regions)
    if not _plan(plan, standing, params, job) + standing:
        raise CrampedError(f"no room found space in a map of {canvas.width}x{canvas.height}")
    for what in _carve(canvas, plan, params, job):
        if job.watched:
            yield Step(Phase.LAYOUT, what, canvas)
    canvas.build_walls()


def _taken(canvas: Canvas) -> NDArray[np.bool_]:
    """Return (height, width) bool: where nothing may be dug, for it is taken, or a barrier parts it from most of the map."""
    if not canvas.used.any():
        return canvas.used
    ground = canvas.base != t.BLOCKED
    ground[[0, -1]] = ground[:, [0, -1]] = False
    parts = Parts(ground)
    apart: NDArray[np.bool_] = ground & (parts.labels != parts.sizes.argmax())
    return canvas.used | apart


def _plan(plan: TunnelPlan, standing: int, params: TunnelsParams, job: LayoutJob) -> int:
    """Plan all corridors, rooms and doors; return how many rooms there are.

    Args:
        plan: The plan.
        standing: The number of regions that were on the map before and are not sealed.
        params: What the author set.
        job: Its streams decide everything.
    """
    key = ("layout", "tunnels", job.attempt)
    network = Network(plan, params, job.streams.mersenne(*key, "network"))
    builder = RoomBuilder(plan, params, job.streams.mersenne(*key, "rooms"))
    first = _dig_network(network, job)
    if any(not piece.gone for piece in plan.pieces):
        builder.aim(FIRST_SHARE)
        builder.line(plan.pieces)
        _fill_gaps(network, builder, SIDE_SHARE)
        if plan.open < HALF_EMPTY * builder.full:
            _fill_gaps(network, builder, 1)
        trim(plan, first, params.dead_ends, network.stream)
        if plan.open < builder.full:
            builder.line(plan.pieces, void=params.narrowest + 2)
        builder.add_second_doors()
    if not builder.count and not standing:  # no corridor has space for rooms beside it
        for piece in reversed(plan.pieces):
            if not piece.gone:
                plan.remove(piece)
        builder.build_alone()
    _tell(builder, params, job)
    return builder.count


def _tell(builder: RoomBuilder, params: TunnelsParams, job: LayoutJob) -> None:
    """Note in the journal what was asked for and could not be."""
    notes: list[tuple[str, tuple[tuple[str, int], ...]]] = []
    if params.rooms is not None and builder.count < builder.wanted:
        counts = (("wanted", builder.wanted), ("built", builder.count))
        notes.append(("there was no space for as many rooms as wanted", counts))
    if builder.sizes.missing:
        wanted, missing = sum(builder.sizes.quotas.values()), builder.sizes.missing
        counts = (("wanted", wanted), ("built", wanted - missing))
        notes.append(("there was no space for as many rooms of the sizes wanted", counts))
    for reason, told in notes:
        job.journal.note("layout", "tunnels", "noted", reason, told)


def _dig_network(network: Network, job: LayoutJob) -> Piece | None:
    """Dig from the mouths of what stands on the map, then the main corridors; return the first of those.

    Where something stands on the map it may be divided, so that no tunneler comes to a large part of it. There
    others begin; `seeded` links what does not hang together then.
    """
    plan, main, length = network.plan, network.main, network.tunnelers.around_corner
    network.enter(job.mouths)
    first = network.begin()
    for _ in network.fill(main, plan.pieces, length):
        pass
    for _ in range(MOST_NETWORKS if plan.is_divided else 0):
        begun = network.begin_elsewhere()
        if begun is None:
            break
        for _ in network.fill(main, plan.pieces[begun.index :], length):
            pass
    return first


def _fill_gaps(network: Network, builder: RoomBuilder, share: float) -> None:
    """Dig side passages with rooms for a share of what is missing; put the other rooms where most space is left."""
    pieces, random = network.plan.pieces, builder.stream.random
    builder.aim(share)
    if builder.done():
        return
    hosts = [piece for piece in pieces if piece.kind != "room" or random() < BACK_DOORS]
    for dug in network.fill(network.side, hosts, SIDE_START, network.pocket):
        builder.line(dug, rounds=1)
        if builder.done():
            break
    builder.aim(1)
    void = min(VOID, network.farthest)
    near = [pieces[at] for at in network.plan.beside_voids(void)]
    hosts = [piece for piece in near if piece.kind != "room" or random() < SUITES]
    builder.line(hosts, void=void)


def _carve(canvas: Canvas, plan: TunnelPlan, params: TunnelsParams, job: LayoutJob) -> Iterator[str]:
    """Carve the plan's pieces in the order in which they were begun, each with its door, then the other doors.

    Yields:
        After each of them what it is.
    """
    closing = params.dice("doors", job.streams.mersenne("layout", "tunnels", job.attempt, "doors"), "door")
    numbers = list(accumulate((not piece.gone for piece in plan.pieces), initial=len(canvas.regions)))[1:]
    canvas.plan(plan.taken()[1:-1, 1:-1])
    for piece in plan.pieces:
        if piece.gone:
            continue
        kind, rect = piece.kind, piece.rect()
        number = canvas.carve_planned(rect, kind, t.FLOOR if kind == "room" else t.CORRIDOR)
        if piece.door is not None and piece.parent is not None:
            y, x = piece.door
            door = CLOSINGS[closing()]
            if door == t.SECRET_DOOR and piece.holds:  # something lies behind it
                door = t.DOOR
            canvas.add_planned_door(y - 1, x - 1, (number, numbers[piece.parent.index]), door)
        yield kind
    for y, x, a, b in plan.loops:
        canvas.add_planned_door(y - 1, x - 1, (numbers[a.index], numbers[b.index]), CLOSINGS[closing()])
        yield "door"
