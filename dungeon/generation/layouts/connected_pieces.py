"""Pieces: what the map is made of, as it lies in one orientation, ready to be fitted to what is there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from pydantic import Field

from dungeon import terrain as t
from dungeon.content.models.layouts import Deck
from dungeon.content.values.fields import PrefabOrTag
from dungeon.content.values.grammar import Between, Choice, Constant
from dungeon.content.values.value_fields import IntValue, Probability, WordValue, one_of, within
from dungeon.core.frozen import nothing
from dungeon.generation.layouts.dice import RolledParameters
from dungeon.generation.layouts.doorways import Closing
from dungeon.generation.openings.connectors import Connector, connectors_of
from dungeon.generation.openings.openings import cached_on_ground
from dungeon.grid.bits import row_bits, runs
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import bounds_of, framed, touching
from dungeon.grid.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.registry import Size
    from dungeon.core.streams import Stream
    from dungeon.grid.bits import Board
    from dungeon.terrain import TerrainSet

    Drawn = Mapping[str, Mapping[str, Sequence[Drawing]]]
    "Name or tag -> prefab -> its drawings."

# -- piece -----------------------------------------------------------------------------------------


LONG_SIDE = 9
"""Sides of auto-rooms with this many cells or more have two connectors, shorter ones one."""


class Ending(NamedTuple):
    """A connector of a piece.

    Attributes:
        connector: Where it is.
        reach: How long a hallway from it may be before the piece itself is in its way.
    """

    connector: Connector
    reach: int


class Print(NamedTuple):
    """The masks of a piece on some board, where its top left cell is the board's (1, 1).

    Attributes:
        opened: Its open cells; `near`: with those that touch them; `walked`: those that can be walked on.
        built: The cells that it draws, if it is a prefab; `plain`: of those its mere wall and earth.
    """

    opened: int
    near: int
    walked: int
    built: int
    plain: int


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """The ground of a prefab or an auto-room in one orientation.

    Attributes:
        codes: (height, width) uint8, its terrain while nothing is joined to it; `KEEP` where it has none.
        opened: (height, width) bool, its open cells; `walked`: those that one can walk on and on which nothing stays.
        bounds: The smallest rectangle around its open cells.
        open_blocks: Its open cells; `plain_blocks`: its cells of mere wall or earth; `solid_blocks`: the other ones.
        endings: Where it may be joined.
        is_drawn: Whether it is a prefab.
    """

    codes: NDArray[np.uint8]
    opened: NDArray[np.bool_]
    walked: NDArray[np.bool_]
    endings: tuple[Ending, ...]
    is_drawn: bool
    bounds: Rect = field(init=False)
    open_blocks: tuple[Rect, ...] = field(init=False)
    plain_blocks: tuple[Rect, ...] = field(init=False, default=())
    solid_blocks: tuple[Rect, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        masks = {"open_blocks": self.opened}
        if self.is_drawn:
            plain = (
                self.codes <= t.WALL
            )  # which two pieces may both have in a cell; earth is the only code below
            masks |= {"plain_blocks": plain, "solid_blocks": (self.codes != t.KEEP) & ~self.opened & ~plain}
        for name, cells in masks.items():
            # The largest has the least space, and is looked for first.
            object.__setattr__(self, name, tuple(sorted(blocks_of(cells), key=_size, reverse=True)))
        object.__setattr__(self, "bounds", bounds_of(self.opened))

    @property
    def size(self) -> tuple[int, int]:
        """(height, width)."""
        height, width = self.codes.shape
        return height, width

    def within(self, board: Board) -> int:
        """Return where its top left cell may be so that it lies on a board; off the outermost cells, if it is a prefab."""
        margin, (height, width) = (1 if self.is_drawn else 0), self.size
        rows, columns = board.height - 2 * margin - height + 1, board.width - 2 * margin - width + 1
        return board.block(margin, margin, rows, columns) if rows > 0 and columns > 0 else 0

    def print_on(self, board: Board) -> Print:
        """Return its masks on a board that it lies on."""

        def mask(cells: NDArray[np.bool_]) -> int:
            return board.from_part(cells, 1) << board.stride

        opened = mask(self.opened)
        near = board.around(opened)
        if not self.is_drawn:
            return Print(opened, near, opened, 0, 0)
        built, plain = mask(self.codes != t.KEEP), mask(self.codes <= t.WALL)
        return Print(opened, near, mask(self.walked), built, plain)


def piece_of(drawing: Drawing, terrain_set: TerrainSet) -> Piece | None:
    """Return the piece of a drawing, made once for as long as its ground lasts; None if nothing can be joined to it."""
    return cached_on_ground(_piece, drawing, terrain_set)


def _piece(drawing: Drawing, terrain_set: TerrainSet) -> Piece | None:
    found = connectors_of(drawing, terrain_set)
    if found.objection is not None:
        return None
    opened = (found.codes != t.KEEP) & (terrain_set.base[found.codes] > t.BLOCKED)
    walked = opened & terrain_set.passable.take(found.codes) & ~drawing.obstacles
    return Piece(found.codes, opened, walked, _endings(found.codes, opened, found.connectors), True)


def auto_room(shape: NDArray[np.bool_], stream: Stream) -> Piece:
    """Return a room of a shape, (height, width) bool, as a piece: with a cell of nothing around it, where its wall will be.

    Each of its four sides has a connector somewhere, long ones two.
    """
    height, width = shape.shape
    opened = np.zeros((height + 2, width + 2), np.bool_)
    opened[1:-1, 1:-1] = shape
    codes = np.where(opened, np.uint8(t.FLOOR), np.uint8(t.KEEP))
    sides = ((1, 0, shape[-1]), (-1, 0, shape[0]), (0, -1, shape[:, 0]), (0, 1, shape[:, -1]))
    found: list[Ending] = []
    for dy, dx, line in sides:
        places = line.nonzero()[0].tolist()
        count = 1 if len(places) < LONG_SIDE else 2
        for part in range(count):
            low, high = part * len(places) // count, (part + 1) * len(places) // count
            at = places[stream.between(low, high - 1)] + 1
            y, x = ((height + 1) * (dy > 0), at) if dy else (at, (width + 1) * (dx > 0))
            found.append(Ending(Connector(y, x, dy, dx, 1, (Cell(y, x),), None), height + width))
    return Piece(codes, opened, opened, tuple(found), False)


def _endings(
    codes: NDArray[np.uint8], opened: NDArray[np.bool_], connectors: tuple[Connector, ...]
) -> tuple[Ending, ...]:
    """Return connectors, each with how far a hallway from it gets."""
    height, width = codes.shape
    barred = framed((codes != t.KEEP) | touching(opened))
    found = []
    for each in connectors:
        y, x, reach = each.y + each.dy, each.x + each.dx, height + width
        while 0 <= y < height and 0 <= x < width:
            if barred[y + 1, x + 1] and not _is_front(each, y, x):
                reach = abs(y - each.y) + abs(x - each.x) - 1
                break
            y, x = y + each.dy, x + each.dx
        found.append(Ending(each, reach))
    return tuple(found)


def _is_front(connector: Connector, y: int, x: int) -> bool:
    """Tell whether a cell is the first one before a connector that is all open."""
    return not connector.way and (y, x) == (connector.y + connector.dy, connector.x + connector.dx)


def _size(block: Rect) -> int:
    return block.height * block.width


def blocks_of(cells: NDArray[np.bool_]) -> tuple[Rect, ...]:
    """Return the rectangles that set cells are made of: runs in a row, each with those just like it in the rows below."""
    found: list[Rect] = []
    begun: dict[
        tuple[int, int], int
    ] = {}  # the first column of a run, and how many it has -> the first row with it
    for y, row in enumerate((*row_bits(cells), 0)):
        now = runs(row)
        for run in [*begun]:
            if run not in now:
                top, (x, length) = begun.pop(run), run
                found.append(Rect(top, x, y - top, length))
        for run in now:
            begun.setdefault(run, y)
    return tuple(found)


# -- params ----------------------------------------------------------------------------------------
#
# What authors may set on the layout `connected`.


MAX_PIECES = 10_000
"""How many prefabs and rooms a map may be made of."""

MAX_LENGTH = 200
"""How many cells a hallway may have."""


class ConnectedParams(RolledParameters):
    """What an author may set.

    Attributes:
        start: The prefab, or tag of one, that the map begins with; without one it begins like any other.
        prefabs: The prefabs that it goes on with.
        auto: The share of auto-rooms; all, where there are no prefabs.
        shapes: What auto-rooms look like.
        side: How many cells the sides of auto-rooms have.
        rooms: How many prefabs and auto-rooms there are to be.
        area: The share of the map that is open in the end, at which no more are added, if it comes before `rooms`.
        barren: At most this share of the map, and at least half as much, stays earth in stretches, through which only hallways
            are dug: for maps that would fill all there is, so that no two have one outline.
        hallway: How many cells a hallway has; with 0 two walls are one, with a door in it. Where it does not fit it is shorter,
            but not shorter than the least of these.
        doors: What is put at the ends of hallways, but where a prefab has a door drawn. Only a single room, and what other ways
            lead to, lies behind a secret door; others get a door instead.
        typed: Whether only connectors of one kind join: `*` to `*`, a digit to the same digit.
        loops: The chance that two connectors that are left over are joined, where that saves enough.
        saves: How many steps of a way around a loop saves at least.
        reach: How many cells of a hallway are dug for a loop at most.
        overlays: How many rooms are laid over what is there, to open the map up.
    """

    start: PrefabOrTag | None = None
    prefabs: Deck = Field(default_factory=nothing)
    auto: Probability = 0.5
    shapes: Annotated[WordValue, one_of(*SHAPES)] = Choice(
        (
            (Constant("rectangle"), 5),
            *((Constant(shape), 2) for shape in ("ellipse", "cross", "ell")),
            *((Constant(shape), 1) for shape in ("diamond", "triangle", "notched", "pillared")),
        )
    )
    side: Annotated[IntValue, within(1, 100)] = Between(3, 9)
    rooms: Annotated[IntValue, within(1, MAX_PIECES)] = Between(20, 28)
    area: Probability | None = None
    barren: Probability = 0.0
    hallway: Annotated[IntValue, within(0, MAX_LENGTH)] = Between(1, 7)
    doors: Closing = Choice(((Constant("doorway"), 3), (Constant("door"), 2)))
    typed: Annotated[bool, Field(strict=True)] = False
    loops: Probability = 1.0
    saves: Annotated[int, Field(ge=0, strict=True)] = 20
    reach: Annotated[int, Field(ge=0, le=MAX_LENGTH, strict=True)] = 12
    overlays: Annotated[IntValue, within(0, 1000)] = Constant(0)

    @property
    def auto_share(self) -> float:
        """The share of auto-rooms."""
        return self.auto if self.prefabs else 1.0

    def asked_for(self) -> tuple[str, ...]:
        """Return the names and tags of its prefabs, the first one's first."""
        return (*((self.start,) if self.start else ()), *self.prefabs)


# -- shortages --------------------------------------------------------------------------------------
#
# Why a map of prefabs can never be all that its author asks for: prefabs that nothing can be joined to, or too few of them.


AUTO_KIND = 1
"""The kind of the connectors of auto-rooms."""

SIDES = ((0, 1), (0, -1), (1, 0), (-1, 0))


class End(NamedTuple):
    """A connector: its kind, 0 if any joins any, and the direction in which it faces."""

    kind: int
    dy: int
    dx: int

    @property
    def partner(self) -> End:
        """What joins it."""
        return End(self.kind, -self.dy, -self.dx)


class Sort(NamedTuple):
    """What a prefab may be as a piece, in all of its variants.

    Attributes:
        name: The prefab.
        copies: How many of it there may be; None for any number.
        ends: How many connectors it has at most.
        kinds: What they are, in all the ways in which it may lie.
        height: Rows of what is open in it, at least; `width`: columns.
    """

    name: str
    copies: int | None
    ends: int
    kinds: frozenset[End]
    height: int
    width: int


def shortages(params: ConnectedParams, drawn: Drawn, size: Size, terrain_set: TerrainSet) -> Iterator[str]:
    """Yield what can never be: see `Layout.shortages`."""
    deck = [
        _sort(name, entry.copies, pieces, typed=params.typed)
        for word, entry in params.prefabs.items()
        for name, pieces in _pieces(drawn.get(word, {}), terrain_set)
    ]
    starts = [
        _sort(name, 1, pieces, typed=params.typed)
        for name, pieces in _pieces(drawn.get(params.start or "", {}), terrain_set)
    ]
    longest, shortest = max(size) - 2, min(size) - 2
    for each in {each.name: each for each in (*starts, *deck)}.values():
        if max(each.height, each.width) > longest or min(each.height, each.width) > shortest:
            yield f"there is no space for prefab {each.name!r}, of which {each.width}x{each.height} cells are open"
    rooms = frozenset(End(AUTO_KIND * params.typed, *side) for side in SIDES if params.auto_share > 0)
    for name in _out_of_reach(starts, deck, rooms) if starts else _alone(deck, rooms):
        yield f"nothing {'that its start leads to ' if starts else ''}has a connector that joins one of prefab {name!r}"
    least, most = min(number or 0 for number in params.rooms.outcomes()), _most(starts, deck)
    if params.auto_share == 0 and most is not None and most < least:
        yield f"it asks for {least} rooms at least, and its prefabs make {most} at most"


def _pieces(
    found: Mapping[str, Sequence[Drawing]], terrain_set: TerrainSet
) -> Iterator[tuple[str, list[Piece]]]:
    """Yield prefabs with the pieces that they may be, if they can be any."""
    for name, drawings in found.items():
        if pieces := [piece for each in drawings if (piece := piece_of(each, terrain_set)) is not None]:
            yield name, pieces


def _sort(name: str, copies: int | None, pieces: Sequence[Piece], *, typed: bool) -> Sort:
    return Sort(
        name,
        copies,
        max(len(piece.endings) for piece in pieces),
        frozenset(
            End(each.width if typed else 0, each.dy, each.dx) for piece in pieces for each, _ in piece.endings
        ),
        min(piece.bounds.height for piece in pieces),
        min(piece.bounds.width for piece in pieces),
    )


def _joins(ends: frozenset[End], others: frozenset[End]) -> bool:
    """Tell whether one of these connectors joins one of the others."""
    return any(end.partner in others for end in ends)


def _alone(deck: Sequence[Sort], rooms: frozenset[End]) -> Iterator[str]:
    """Yield which prefabs of the deck have no connector that anything else, or a copy of the prefab, can be joined to."""
    for each in deck:
        others = [other.kinds for other in deck if other.name != each.name or other.copies != 1]
        if not _joins(each.kinds, rooms.union(*others)):
            yield each.name


def _out_of_reach(starts: Sequence[Sort], deck: Sequence[Sort], rooms: frozenset[End]) -> Iterator[str]:
    """Yield which prefabs of the deck can be joined to nothing that the map may be made of, from its start on."""
    reached = frozenset[End]().union(*(each.kinds for each in starts))
    waiting = {each.name: each.kinds for each in deck}
    waiting[""] = rooms
    while found := [name for name, ends in waiting.items() if _joins(ends, reached)]:
        reached = reached.union(*(waiting.pop(name) for name in found))
    yield from (name for name in waiting if name)


def _most(starts: Sequence[Sort], deck: Sequence[Sort]) -> int | None:
    """Return a number of pieces that is surely not passed; None if there may be any number.

    A piece that is joined on uses up one of the open connectors, and brings all but one of its own.
    """
    firsts = starts or deck
    leading = [(each.copies, each.ends) for each in deck if each.ends > 1]
    if not firsts or any(copies is None for copies, _ in leading):
        return None
    ends = [each.copies for each in deck if each.ends <= 1]
    left = max(each.ends for each in firsts) + sum((copies or 0) * (count - 2) for copies, count in leading)
    closing = left if None in ends else min(left, sum(copies or 0 for copies in ends))
    return 1 + sum(copies or 0 for copies, _ in leading) + closing
