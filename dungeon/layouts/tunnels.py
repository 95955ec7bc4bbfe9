"""The layout `tunnels`: rooms of many sizes along corridors that tunnelers dig, everything connected.

The plan comes first, in a `Burrow`: a network of main corridors, some rooms along them, side passages into
what is still empty, and then rooms wherever there is most space, until the map is as full as its author wants;
corridors that lead nowhere are taken back. Only then is it carved, piece by piece. Every piece is begun from one
that exists and is joined to it at once, so all are connected. Where a corridor or a door closes a loop, it must save
a long walk.

After the tunneler idea of the DungeonMaker; own design, see `tunneler`, `lining`, `trimming` and `burrow`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from dungeon import terrain as t
from dungeon.content.value_fields import IntValue, Probability, WordValue, one_of, within
from dungeon.content.values import Between, Choice, Constant
from dungeon.errors import GenerationError
from dungeon.grid.rect import Rect
from dungeon.layouts.burrow import Burrow, Piece
from dungeon.layouts.dice import dice
from dungeon.layouts.lining import Lining
from dungeon.layouts.trimming import trim
from dungeon.layouts.tunneler import SHORTEST, Network
from dungeon.level.steps import Phase, Step
from dungeon.registry import Parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas

SIDE_START = 5
"""The fewest cells a side tunneler must have ahead to be started."""

FIRST_SHARE = 0.5
"""How much of the floor that is missing after the main corridors is to come from rooms along them."""

SIDE_SHARE = 0.5
"""How much of what is missing then is to come from side passages and rooms along them."""

HALF_EMPTY = 0.85
"""With less than this share of the floor that is wanted, side passages are dug once more."""

NEARLY_FULL = 0.97
"""With less than this share in the end, rooms are built wherever there is space."""

VOID = 12
"""Other rooms are first put where so many cells each way are still free."""


def _weights(*pairs: tuple[int | Between, float]) -> Choice[int]:
    """Return the choice of one of these values, each with its weight."""
    options = ((Constant(value) if isinstance(value, int) else value, weight) for value, weight in pairs)
    return Choice(tuple(options))


class TunnelerParams(Parameters):
    """What one kind of tunneler is like.

    Attributes:
        width: How many cells wide they dig.
        run: How many cells they dig before they may turn, branch or open a junction.
        life: How many cells they dig in all; children less and less.
        turn: The chance of a turn at the end of a run.
        branch: The chance of a child to either side there; `narrow` and `widen`: that it digs narrower or wider.
        junction: The chance that a hall is opened where they turn or branch.
        spacing: How far they keep from corridors beside them, and from the map's edge.
        join: The chance that they open into a corridor ahead, where that saves a long walk.
    """

    width: Annotated[IntValue, within(1, 9)] = _weights((1, 5), (2, 3), (3, 1))
    run: Annotated[IntValue, within(SHORTEST, 200)] = Between(7, 20)
    life: Annotated[IntValue, within(SHORTEST, 2000)] = Between(60, 160)
    turn: Probability = 0.35
    branch: Probability = 0.35
    narrow: Probability = 0.5
    widen: Probability = 0.1
    junction: Probability = 0.3
    spacing: Annotated[IntValue, within(1, 60)] = Between(12, 18)
    join: Probability = 0.7


class SideParams(TunnelerParams):
    """Side passages: narrow, short and winding, dug into what the main corridors left empty."""

    width: Annotated[IntValue, within(1, 9)] = Constant(1)
    run: Annotated[IntValue, within(SHORTEST, 200)] = Between(4, 8)
    life: Annotated[IntValue, within(SHORTEST, 2000)] = Between(10, 30)
    turn: Probability = 0.6
    branch: Probability = 0.1
    junction: Probability = 0.1
    spacing: Annotated[IntValue, within(1, 60)] = Between(5, 7)


class TunnelsParams(Parameters):
    """What an author may set.

    Attributes:
        main: The tunnelers that dig first; `side`: those that fill gaps.
        drift: How far a child's chances to turn and branch may be from its parent's, as a share of them.
        loop: How many cells of walk a join or a second door must save.
        dead_ends: The share of corridor ends leading nowhere that stay.
        open: The share of the map that is to be open; digging ends there or when there is no space.
        rooms: How many rooms there are to be, if there is space for them within `open`.
        min_rooms: With fewer rooms the map is not usable.
        sizes: Which of the size classes a room is; `small`, `medium`, `large`: the sides of such rooms.
        wide: The chance that a room higher than wide is laid down.
        gap: Earth besides the wall between neighbouring rooms, at least.
        doors: What closes a room.
        second_door: The share of rooms that look for a second door, which closes a loop.
        back_doors: The share of rooms from which side passages may start.
        suites: The share of rooms behind which other rooms may be built.
    """

    main: TunnelerParams = TunnelerParams()
    side: SideParams = SideParams()
    drift: Probability = 0.5
    loop: Annotated[int, Field(ge=0)] = 30
    dead_ends: Probability = 0.05
    open: Probability = 0.42
    rooms: Annotated[IntValue, within(1, 60_000)] | None = None
    min_rooms: Annotated[int, Field(ge=1)] = 1
    sizes: Annotated[WordValue, one_of("small", "medium", "large")] = Choice(
        ((Constant("small"), 3), (Constant("medium"), 5), (Constant("large"), 2))
    )
    small: Annotated[IntValue, within(2, 100)] = Between(3, 5)
    medium: Annotated[IntValue, within(2, 100)] = Between(5, 9)
    large: Annotated[IntValue, within(2, 100)] = Between(8, 13)
    wide: Probability = 0.5
    gap: Annotated[IntValue, within(0, 100)] = _weights((0, 3), (1, 2), (2, 2), (Between(3, 6), 2))
    doors: Annotated[WordValue, one_of("door", "doorway")] = Choice(
        ((Constant("door"), 4), (Constant("doorway"), 1))
    )
    second_door: Probability = 0.25
    back_doors: Probability = 0.3
    suites: Probability = 0.6

    @cached_property
    def narrowest(self) -> int:
        """The shortest side a room may have."""
        return min(min(value.outcomes()) for value in (self.small, self.medium, self.large))


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
        A step after every corridor, junction and room.

    Raises:
        GenerationError: There is no space for `min_rooms` rooms.
    """
    burrow = Burrow(canvas.used)
    rooms = _plan(burrow, params, job)
    if rooms < params.min_rooms:
        raise GenerationError(
            f"only {rooms} of at least {params.min_rooms} rooms found space in a map of {canvas.height}x{canvas.width}"
        )
    yield from _carve(canvas, burrow, params, job)
    canvas.build_walls()


def _plan(burrow: Burrow, params: TunnelsParams, job: LayoutJob) -> int:
    """Plan all corridors, rooms and doors; return how many rooms there are."""
    key = ("layout", "tunnels", job.attempt)
    network = Network(burrow, params, job.streams.stream(*key, "network"))
    lining = Lining(burrow, params, job.streams.stream(*key, "rooms"))
    if network.begin():
        for _ in network.fill(network.main, burrow.pieces.copy(), network.around_corner):
            pass
        lining.aim(FIRST_SHARE)
        lining.line(burrow.pieces)
        _fill_gaps(network, lining, params, SIDE_SHARE)
        if burrow.open < HALF_EMPTY * lining.full:
            _fill_gaps(network, lining, params, 1)
        trim(burrow, params.dead_ends, network.stream)
        if burrow.open < NEARLY_FULL * lining.full:
            lining.line(burrow.pieces, void=params.narrowest + 2)
        lining.add_second_doors()
    if not lining.count:  # no corridor has space for rooms beside it
        for piece in reversed(burrow.pieces):
            if not piece.gone:
                burrow.remove(piece)
        lining.build_alone()
    if params.rooms is not None and lining.count < lining.wanted:
        counts = (("wanted", lining.wanted), ("built", lining.count))
        job.journal.note(
            "layout", "tunnels", "noted", "there was no space for as many rooms as wanted", counts
        )
    return lining.count


def _fill_gaps(network: Network, lining: Lining, params: TunnelsParams, share: float) -> None:
    """Dig side passages with rooms for a share of what is missing; put the other rooms where most space is left."""
    pieces, random = network.burrow.pieces, lining.stream.random
    lining.aim(share)
    if lining.done():
        return
    hosts = [piece for piece in pieces if piece.kind != "room" or random() < params.back_doors]
    for dug in network.fill(network.side, hosts, SIDE_START):
        lining.line(dug, rounds=1)
        if lining.done():
            break
    lining.aim(1)
    hosts = [piece for piece in pieces if piece.kind != "room" or random() < params.suites]
    lining.line(hosts, void=min(VOID, network.farthest))


def _carve(canvas: Canvas, burrow: Burrow, params: TunnelsParams, job: LayoutJob) -> Iterator[Step]:
    """Carve the plan's pieces in the order in which they were begun, each with its door, then the other doors."""
    closing = dice(params.doors, job.streams.stream("layout", "tunnels", job.attempt, "doors"), "door")
    codes = {"door": t.DOOR, "doorway": t.DOORWAY}
    numbers: dict[int, int] = {}
    for piece in burrow.pieces:
        if piece.gone:
            continue
        rect = _rect(piece)
        code = t.FLOOR if piece.kind == "room" else t.CORRIDOR
        numbers[piece.index] = number = canvas.carve_room(rect, piece.kind, code)
        if piece.door is not None and piece.parent is not None:
            y, x = piece.door
            canvas.add_door(y - 1, x - 1, (number, numbers[piece.parent.index]), codes[closing()])
        yield Step(Phase.LAYOUT, f"{piece.kind} of {rect.height}x{rect.width}", canvas)
    for y, x, a, b in burrow.loops:
        canvas.add_door(y - 1, x - 1, (numbers[a.index], numbers[b.index]), codes[closing()])
        yield Step(Phase.LAYOUT, "second door", canvas)


def _rect(piece: Piece) -> Rect:
    """Return where a piece lies on the canvas."""
    if piece.axis:
        return Rect(piece.along - 1, piece.across - 1, piece.length, piece.thick)
    return Rect(piece.across - 1, piece.along - 1, piece.thick, piece.length)
