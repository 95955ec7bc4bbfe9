"""The layout `tunnels`: rooms of many sizes along corridors that tunnelers (agents that dig) dig, everything connected.

Before anything is carved on the map, all pieces (corridors, junctions, halls and rooms) are put into a plan.

The `TunnelPlan` is made first. It gets a network of main corridors, rooms along them, side passages into empty parts,
and then rooms where most space is left, until the share `open` of the map is open. Dead ends of corridors are cut
off. Only then the plan is carved, piece by piece.

Every piece is joined to the piece that it is begun from, so the whole map is connected. A corridor or a door that
closes a loop must save a long walk.

After the tunneler idea of the DungeonMaker (dungeonmaker.sourceforge.net); own design, see `tunnels_network`.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.core.errors import CrampedError
from dungeon.generation.layouts.doorways import CLOSINGS
from dungeon.generation.layouts.tunnels_network import TunnelNetwork, trim
from dungeon.generation.layouts.tunnels_plan import TunnelPlan
from dungeon.generation.layouts.tunnels_rooms import RoomBuilder
from dungeon.grid.regions import Parts
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.generation.layouts.tunnels_params import TunnelsParams
    from dungeon.generation.layouts.tunnels_pieces import TunnelPiece
    from dungeon.level.canvas import Canvas

SIDE_START = 5
"""A tunneler for a side passage starts only with this many free cells ahead: a corridor (`SHORTEST`) and its end wall."""

FIRST_SHARE = 0.5
"""The share of the cells still to be opened after the main corridors are dug that rooms along these corridors open."""

SIDE_SHARE = 0.5
"""The share of the cells still to be opened after `FIRST_SHARE` that side passages and the rooms along them open."""

HALF_EMPTY = 0.85
"""Side passages are dug a second time if less than this share of the wanted open cells is open after the first time."""

MOST_NETWORKS = 16
"""Largest number of additional networks of main corridors, in parts of the map that no tunneler has reached."""

BACK_DOORS = 0.3
"""The share of the rooms from whose walls side passages may start."""

SUITES = 0.6
"""The share of the rooms from which a door may lead on to another room behind."""

VOID = 12
"""Rooms in the gaps between passages are built beside free squares of this many cells each way: a large room and its walls."""


def least(params: TunnelsParams, _job: LayoutJob) -> tuple[int, int]:
    """Return the smallest map for this layout, as (shorter side, longer side) in cells: the smallest room and its walls."""
    return params.narrowest + 2, params.narrowest + 2


def largest_room(params: TunnelsParams, size: tuple[int, int]) -> tuple[int, int]:
    """Return the largest (height, width) that a room may have on a map of `size`, a (height, width) in cells."""
    spans = {"small": params.small, "medium": params.medium, "large": params.large}
    classes = {name or "medium" for name in params.sizes.odds()}
    longest = max(max(spans[name].outcomes()) for name in classes)
    return min(longest, size[0] - 2), min(longest, size[1] - 2)


def tunnels(canvas: Canvas, params: TunnelsParams, job: LayoutJob) -> Iterator[Step]:
    """Dig corridors with rooms along them into the free earth of the canvas, and build the walls.

    Args:
        canvas: The map. Everything on it stays; new corridors and rooms keep one cell away from it.
        params: The author's parameters.
        job: Its random streams ("layout", "tunnels", attempt, ...) decide everything.

    Yields:
        If the job is watched, a step after every corridor, junction, room and door that closes a loop.

    Raises:
        CrampedError: There is no space for a single room, and all regions on the map, if any, are sealed.
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
    """Return (height, width) bool: the cells of a canvas where nothing may be dug.

    These are the used cells (carved, drawn or reserved before). If there are any, all ground that blocked terrain
    separates from the largest part of the map is added.
    """
    if not canvas.used.any():
        return canvas.used
    ground = canvas.base != t.BLOCKED
    ground[[0, -1]] = ground[:, [0, -1]] = False
    parts = Parts(ground)
    apart: NDArray[np.bool_] = ground & (parts.labels != parts.sizes.argmax())
    return canvas.used | apart


def _plan(plan: TunnelPlan, standing: int, params: TunnelsParams, job: LayoutJob) -> int:
    """Put all corridors, rooms and doors of a map into the plan, before anything is carved; return the number of rooms.

    Args:
        plan: The plan; it is changed.
        standing: The number of regions that are on the map already and are not sealed. If it is 0, and no corridor has
            a room, all corridors are removed and one room is built alone.
        params: The author's parameters.
        job: Its random streams decide everything.
    """
    key = ("layout", "tunnels", job.attempt)
    network = TunnelNetwork(plan, params, job.streams.mersenne(*key, "network"))
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
    """Note in the job's journal how many rooms were wanted and how many were built, if fewer were built."""
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


def _dig_network(network: TunnelNetwork, job: LayoutJob) -> TunnelPiece | None:
    """Dig corridors from the tunneler mouths (openings drawn for corridors) of prefabs on the map, then the main corridors.

    Prefabs on the map may cut it into parts. Then further networks of corridors begin in large empty parts; the module
    `seeded` joins the networks later.

    Returns:
        The first main corridor; None if there was no space for one.
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


def _fill_gaps(network: TunnelNetwork, builder: RoomBuilder, share: float) -> None:
    """Fill the gaps between main corridors: dig side passages with rooms along them, then build rooms in the largest gaps.

    Args:
        network: Digs the side passages.
        builder: Builds the rooms.
        share: Which share (0 to 1) of the cells still to be opened is opened by side passages and the rooms along them.
    """
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
    """Carve the planned corridors, junctions, halls and rooms in the order in which they were begun, then doors that close loops.

    Yields:
        After each one, what has been carved: "corridor", "junction", "hall" or "room", or "door" for a loop's door.
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
            if door == t.SECRET_DOOR and piece.holds:  # other pieces are joined to this one
                door = t.DOOR
            canvas.add_planned_door(y - 1, x - 1, (number, numbers[piece.parent.index]), door)
        yield kind
    for y, x, a, b in plan.loops:
        canvas.add_planned_door(y - 1, x - 1, (numbers[a.index], numbers[b.index]), CLOSINGS[closing()])
        yield "door"
