"""Pieces of the layout `connected` (prefabs and auto-rooms in one orientation), their connectors, and the layout's parameters.

A *connector* is a place at a piece's edge where a hallway can be joined; its *edge* is the last cell of the piece there, its
*way* the cells that are opened when it is used. The *kind* of a connector is the width of its link, or 0 where all kinds may be
joined. An *auto-room* is a plain room of random size. The *deck* is the author's list of prefabs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from pydantic import Field

from dungeon import terrain as t
from dungeon.content.models.layouts import Deck
from dungeon.content.values.grammar import Between, Choice, Constant
from dungeon.content.values.prefab_words import PrefabsByWeight
from dungeon.content.values.value_fields import IntValue, Probability, WordValue, one_of, within
from dungeon.core.frozen import nothing
from dungeon.generation.layouts.dice import Closing, RolledParameters
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
    "Name or tag in a deck -> name of a prefab -> the prefab's drawings."

# -- pieces ----------------------------------------------------------------------------------------


LONG_SIDE = 9
"""Sides of auto-rooms with this many cells or more have two connectors, shorter ones have one."""

ConnectorPlace = tuple[int, int, int, int]
"""The edge of a connector and the direction away from its piece: (y, x, dy, dx)."""

ConnectorClass = tuple[int, int, int]
"""The direction of connectors and their kind: (dy, dx, kind)."""


class PieceConnector(NamedTuple):
    """A connector of a piece, with the longest hallway that can lead from it.

    Attributes:
        connector: The connector, in cells of the piece.
        reach: The greatest length of a hallway from it, in cells, before the piece itself is in the way.
    """

    connector: Connector
    reach: int


class OpenConnector(NamedTuple):
    """A connector on the map to which nothing is joined yet.

        ...*:::     *  its edge, the last cell of the piece on the way out
                    :  cells ahead; (dy, dx) = (0, 1)

    Attributes:
        y: The row of its edge.
        x: The column of its edge.
        dy: The direction away from its piece, down or up.
        dx: The direction away from its piece, right or left.
        kind: The kind of connectors that it may be joined to; 0 for all kinds.
        region: The id of its piece's region.
        connector: The same connector in cells of the piece.
    """

    y: int
    x: int
    dy: int
    dx: int
    kind: int
    region: int
    connector: Connector

    @property
    def way(self) -> tuple[Cell, ...]:
        """The cells of the piece that are opened when the connector is used, from the innermost to the edge."""
        down, right = self.y - self.connector.y, self.x - self.connector.x
        return tuple(Cell(y + down, x + right) for y, x in self.connector.way)

    @property
    def is_open(self) -> bool:
        """Whether the connector has no wall, so that no cell has to be opened to use it."""
        return not self.connector.way

    @property
    def place(self) -> ConnectorPlace:
        """The edge and direction of the connector, by which it is found: (y, x, dy, dx)."""
        return self[:4]

    @property
    def facing(self) -> ConnectorPlace:
        """The place of a connector with the same edge that faces the opposite direction."""
        return self.y, self.x, -self.dy, -self.dx

    @property
    def sort(self) -> ConnectorClass:
        """The connector's direction and kind: (dy, dx, kind)."""
        return self[2:5]

    def ahead(self, steps: int) -> Cell:
        """Return the cell that lies `steps` cells beyond the connector's edge, straight ahead."""
        return Cell(self.y + steps * self.dy, self.x + steps * self.dx)


class PieceMasks(NamedTuple):
    """The masks of a piece on a board, with its top left cell at (1, 1) of the board.

    Attributes:
        opened: Its open cells.
        near: Its open cells and all cells that touch them, also diagonally.
        walked: Its cells that can be walked on.
        built: The cells that it draws if it is a prefab; 0 for an auto-room.
        plain: The cells of `built` that are plain wall or earth.
    """

    opened: int
    near: int
    walked: int
    built: int
    plain: int


@dataclass(frozen=True, slots=True, eq=False)
class MapPiece:
    """A prefab or an auto-room in one orientation, ready to be fitted on the map.

    Attributes:
        codes: (height, width) uint8, its terrain while nothing is joined to it; `KEEP` where it draws nothing.
        opened: (height, width) bool, its open cells.
        walked: (height, width) bool, its cells that can be walked on and on which no object stays.
        endings: Its connectors, each with the longest hallway from it.
        is_drawn: Whether it is a prefab.
        sealed: (height, width) bool, its open cells that are cut off on purpose; None if there are none.
        bounds: The smallest rectangle around its open cells.
        open_blocks: Rectangles that cover its open cells, the largest first.
        plain_blocks: Rectangles that cover its cells of plain wall or earth; empty for an auto-room.
        solid_blocks: Rectangles that cover the other cells that it draws; empty for an auto-room.
    """

    codes: NDArray[np.uint8]
    opened: NDArray[np.bool_]
    walked: NDArray[np.bool_]
    endings: tuple[PieceConnector, ...]
    is_drawn: bool
    sealed: NDArray[np.bool_] | None = None
    bounds: Rect = field(init=False)
    open_blocks: tuple[Rect, ...] = field(init=False)
    plain_blocks: tuple[Rect, ...] = field(init=False, default=())
    solid_blocks: tuple[Rect, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        masks = {"open_blocks": self.opened}
        if self.is_drawn:
            plain = self.codes <= t.WALL  # earth or wall: two pieces may share such a cell
            masks |= {"plain_blocks": plain, "solid_blocks": (self.codes != t.KEEP) & ~self.opened & ~plain}
        for name, cells in masks.items():
            # The largest block rules out the most places, so it is tested first.
            object.__setattr__(self, name, tuple(sorted(blocks_of(cells), key=_size, reverse=True)))
        object.__setattr__(self, "bounds", bounds_of(self.opened))

    @property
    def size(self) -> tuple[int, int]:
        """The (height, width) of the piece."""
        height, width = self.codes.shape
        return height, width

    def within(self, board: Board) -> int:
        """Return the mask of the cells of a board where the top left cell of the piece may lie if all of it is on the board.

        A prefab stays off the outermost cells.
        """
        margin, (height, width) = (1 if self.is_drawn else 0), self.size
        rows, columns = board.height - 2 * margin - height + 1, board.width - 2 * margin - width + 1
        return board.block(margin, margin, rows, columns) if rows > 0 and columns > 0 else 0

    def masks_on(self, board: Board) -> PieceMasks:
        """Return the masks of the piece on a board, with its top left cell at (1, 1)."""

        def mask(cells: NDArray[np.bool_]) -> int:
            """Return (height, width) bool cells of the piece as a mask of the board, moved down and right by one."""
            return board.from_part(cells, 1) << board.stride

        opened = mask(self.opened)
        near = board.around(opened)
        if not self.is_drawn:
            return PieceMasks(opened, near, opened, 0, 0)
        built, plain = mask(self.codes != t.KEEP), mask(self.codes <= t.WALL)
        return PieceMasks(opened, near, mask(self.walked), built, plain)


def piece_of(drawing: Drawing, terrain_set: TerrainSet) -> MapPiece | None:
    """Return a prefab's drawing as a piece; None if nothing can be joined to it. The result is cached."""
    return cached_on_ground(_piece, drawing, terrain_set)


def _piece(drawing: Drawing, terrain_set: TerrainSet) -> MapPiece | None:
    """Compute a prefab's drawing as a piece; None if nothing can be joined to it (see `piece_of`, which caches the result)."""
    found = connectors_of(drawing, terrain_set)
    if found.objection is not None:
        return None
    opened = (found.codes != t.KEEP) & (terrain_set.base[found.codes] > t.BLOCKED)
    walked = opened & terrain_set.passable.take(found.codes) & ~drawing.barriers
    endings = _endings(found.codes, opened, found.connectors)
    return MapPiece(found.codes, opened, walked, endings, True, drawing.sealed_cells)


def auto_room(shape: NDArray[np.bool_], stream: Stream) -> MapPiece:
    """Return a plain room of a given shape as a piece, with an empty row or column around it for its walls.

    Each side has a connector at a random cell; sides of `LONG_SIDE` cells or more have two.

    Args:
        shape: (height, width) bool, the cells of the room.
        stream: The random stream.
    """
    height, width = shape.shape
    opened = np.zeros((height + 2, width + 2), np.bool_)
    opened[1:-1, 1:-1] = shape
    codes = np.where(opened, np.uint8(t.FLOOR), np.uint8(t.KEEP))
    sides = ((1, 0, shape[-1]), (-1, 0, shape[0]), (0, -1, shape[:, 0]), (0, 1, shape[:, -1]))
    found: list[PieceConnector] = []
    for dy, dx, line in sides:
        places = line.nonzero()[0].tolist()
        count = 1 if len(places) < LONG_SIDE else 2
        for part in range(count):
            low, high = part * len(places) // count, (part + 1) * len(places) // count
            at = places[stream.between(low, high - 1)] + 1
            y, x = ((height + 1) * (dy > 0), at) if dy else (at, (width + 1) * (dx > 0))
            found.append(PieceConnector(Connector(y, x, dy, dx, 1, (Cell(y, x),), None), height + width))
    return MapPiece(codes, opened, opened, tuple(found), False)


def _endings(
    codes: NDArray[np.uint8], opened: NDArray[np.bool_], connectors: tuple[Connector, ...]
) -> tuple[PieceConnector, ...]:
    """Return the connectors of a piece, each with the greatest length of a hallway from it.

    Args:
        codes: (height, width) uint8, the terrain of the piece.
        opened: (height, width) bool, the open cells of the piece.
        connectors: The connectors, in cells of the piece.
    """
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
        found.append(PieceConnector(each, reach))
    return tuple(found)


def _is_front(connector: Connector, y: int, x: int) -> bool:
    """Tell whether the cell (y, x) of a piece is the one right in front of a connector that has no wall to open."""
    return not connector.way and (y, x) == (connector.y + connector.dy, connector.x + connector.dx)


def _size(block: Rect) -> int:
    """Return the number of cells of a rectangle."""
    return block.height * block.width


def blocks_of(cells: NDArray[np.bool_]) -> tuple[Rect, ...]:
    """Return rectangles that exactly cover the set cells of a mask, without overlaps.

    Each is a run of set cells in a row, extended down over all rows with the very same run:

        ###.         AAA.
        ###.   ->    AAA.
        ####         BBBB
    """
    found: list[Rect] = []
    # (first column, length) of a run -> the first row with it.
    begun: dict[tuple[int, int], int] = {}
    for y, row in enumerate((*row_bits(cells), 0)):
        now = runs(row)
        for run in [*begun]:
            if run not in now:
                top, (x, length) = begun.pop(run), run
                found.append(Rect(top, x, y - top, length))
        for run in now:
            begun.setdefault(run, y)
    return tuple(found)


# -- parameters ------------------------------------------------------------------------------------


MAX_PIECES = 10_000
"""The greatest number of prefabs and rooms of a map."""

MAX_LENGTH = 200
"""The greatest length of a hallway, in cells."""


class ConnectedParams(RolledParameters):
    """Parameters of the layout `connected`.

    Attributes:
        start: The prefab with which the map begins. Of several names or tags, also with weights, one is chosen for each
            level. Without it, the first piece is chosen like any other.
        prefabs: The deck of prefabs that are joined on.
        auto: The share of auto-rooms; 100% if there are no prefabs.
        shapes: The shapes of auto-rooms.
        side: The length of an auto-room's side, in cells.
        rooms: The number of pieces: prefabs and auto-rooms.
        area: The open share of the map at which no more pieces are added, even if `rooms` is not reached.
        barren: The largest share of the map that stays earth in stretches; at least half of this share does. Only hallways
            lead through them. Without them, all maps that fill their space have the same outline.
        hallway: The length of a hallway in cells; with 0, two pieces share a wall with a door in it. Where it does
            not fit it is shorter, but not shorter than the lowest value.
        doors: What is put at the ends of hallways, except where a prefab has a door drawn. A secret door becomes
            a plain door if more than one room or hallway lies behind it and no other way leads there.
        typed: Whether only connectors of the same kind are joined: `*` to `*`, a digit to the same digit.
        loops: The chance that two unused connectors are joined, if that saves enough steps.
        saves: The fewest steps of walk that a loop must save.
        reach: The greatest length of a hallway that closes a loop, in cells.
        overlays: The number of rooms that are laid over rooms and hallways, to open the map up.
    """

    start: PrefabsByWeight | None = None
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
        """The share of auto-rooms among all pieces, 0 to 1: the author's `auto`, or 1 if there are no prefabs."""
        return self.auto if self.prefabs else 1.0

    def asked_for(self) -> tuple[str, ...]:
        """Return the prefab names and tags of the starting prefab and of the deck, the start first."""
        return tuple(dict.fromkeys((*(self.start or ()), *self.prefabs)))


# -- shortages --------------------------------------------------------------------------------------
#
# What makes the author's wishes impossible on every map: prefabs that can't be joined to anything, or too few of them.


AUTO_KIND = 1
"""The kind of an auto-room's connectors: links of width 1."""

SIDES = ((0, 1), (0, -1), (1, 0), (-1, 0))
"""The four directions, as (dy, dx)."""


class ConnectorKind(NamedTuple):
    """The kind of a connector and the direction that it faces.

    Attributes:
        kind: The width of its link; 0 if connectors of all kinds may be joined.
        dy: The direction, down or up.
        dx: The direction, right or left.
    """

    kind: int
    dy: int
    dx: int

    @property
    def partner(self) -> ConnectorKind:
        """The kind and direction of the connectors that can be joined to a connector of this kind."""
        return ConnectorKind(self.kind, -self.dy, -self.dx)


class PrefabPieces(NamedTuple):
    """A summary of a prefab as pieces of the map, over all of its variants and orientations.

    Attributes:
        name: The prefab's name.
        copies: How many copies of it are allowed; None for any number.
        ends: The greatest number of connectors that a variant has.
        kinds: The kinds and directions of all connectors.
        height: The fewest rows that its open cells take, in any variant and orientation.
        width: The fewest columns.
    """

    name: str
    copies: int | None
    ends: int
    kinds: frozenset[ConnectorKind]
    height: int
    width: int


def shortages(params: ConnectedParams, drawn: Drawn, size: Size, terrain_set: TerrainSet) -> Iterator[str]:
    """Yield a sentence for each demand of the author that no map can meet, such as prefabs that nothing can be joined to.

    Args:
        params: The author's parameters of the layout.
        drawn: Name or tag in the deck -> name of a prefab -> the prefab's drawings.
        size: The greatest (height, width) that the map can have.
        terrain_set: The terrain of the game.
    """
    deck = [
        _summary(name, entry.copies, pieces, typed=params.typed)
        for word, entry in params.prefabs.items()
        for name, pieces in _pieces(drawn.get(word, {}), terrain_set)
    ]
    starts = [
        _summary(name, 1, pieces, typed=params.typed)
        for word in params.start or ()
        for name, pieces in _pieces(drawn.get(word, {}), terrain_set)
    ]
    longest, shortest = max(size) - 2, min(size) - 2
    for each in {each.name: each for each in (*starts, *deck)}.values():
        if max(each.height, each.width) > longest or min(each.height, each.width) > shortest:
            yield f"prefab {each.name!r} does not fit into the map: {each.width}x{each.height} cells of it are open"
    rooms = frozenset(
        ConnectorKind(AUTO_KIND * params.typed, *side) for side in SIDES if params.auto_share > 0
    )
    for name in _unreachable(starts, deck, rooms) if starts else _without_partner(deck, rooms):
        pieces = "no piece that can be reached from its start" if starts else "no other piece"
        yield f"{pieces} has a connector that fits one of prefab {name!r}"
    least, most = min(number or 0 for number in params.rooms.outcomes()), _most_pieces(starts, deck)
    if params.auto_share == 0 and most is not None and most < least:
        yield f"it asks for at least {least} rooms, but its prefabs make at most {most}"


def _pieces(
    found: Mapping[str, Sequence[Drawing]], terrain_set: TerrainSet
) -> Iterator[tuple[str, list[MapPiece]]]:
    """Yield (name, pieces) for each prefab that can be a piece, with one piece for each of its usable drawings.

    Args:
        found: Name of a prefab -> the prefab's drawings.
        terrain_set: The terrain of the game.
    """
    for name, drawings in found.items():
        if pieces := [piece for each in drawings if (piece := piece_of(each, terrain_set)) is not None]:
            yield name, pieces


def _summary(name: str, copies: int | None, pieces: Sequence[MapPiece], *, typed: bool) -> PrefabPieces:
    """Return the summary of a prefab over all of its pieces: its connectors and its smallest size.

    Args:
        name: The prefab's name.
        copies: How many copies of it are allowed; None for any number.
        pieces: All of its variants and orientations as pieces.
        typed: Whether only connectors of the same kind are joined.
    """
    return PrefabPieces(
        name,
        copies,
        max(len(piece.endings) for piece in pieces),
        frozenset(
            ConnectorKind(each.width if typed else 0, each.dy, each.dx)
            for piece in pieces
            for each, _ in piece.endings
        ),
        min(piece.bounds.height for piece in pieces),
        min(piece.bounds.width for piece in pieces),
    )


def _joins(ends: frozenset[ConnectorKind], others: frozenset[ConnectorKind]) -> bool:
    """Tell whether any connector of one set can be joined to any of another set."""
    return any(end.partner in others for end in ends)


def _without_partner(deck: Sequence[PrefabPieces], rooms: frozenset[ConnectorKind]) -> Iterator[str]:
    """Yield the names of the prefabs of a deck that can be joined to no other piece, nor to another copy of themselves.

    Args:
        deck: The prefabs of the deck.
        rooms: The kinds and directions of the connectors of auto-rooms; empty without auto-rooms.
    """
    for each in deck:
        others = [other.kinds for other in deck if other.name != each.name or other.copies != 1]
        if not _joins(each.kinds, rooms.union(*others)):
            yield each.name


def _unreachable(
    starts: Sequence[PrefabPieces], deck: Sequence[PrefabPieces], rooms: frozenset[ConnectorKind]
) -> Iterator[str]:
    """Yield the names of the prefabs of a deck that can never be joined to a map that grows from one of the starts.

    Args:
        starts: The prefabs that may come first.
        deck: The prefabs that are joined on.
        rooms: The kinds and directions of the connectors of auto-rooms; empty without auto-rooms.
    """
    reached = frozenset[ConnectorKind]().union(*(each.kinds for each in starts))
    waiting = {each.name: each.kinds for each in deck}
    waiting[""] = rooms
    while found := [name for name, ends in waiting.items() if _joins(ends, reached)]:
        reached = reached.union(*(waiting.pop(name) for name in found))
    yield from (name for name in waiting if name)


def _most_pieces(starts: Sequence[PrefabPieces], deck: Sequence[PrefabPieces]) -> int | None:
    """Return an upper bound of the number of pieces on a map without auto-rooms; None if there is none.

    To join a piece uses up one unused connector of the map and one of the piece. All other connectors of the piece are new unused ones.

    Args:
        starts: The prefabs that may come first; empty if any prefab of the deck may.
        deck: The prefabs that are joined on.
    """
    firsts = starts or deck
    leading = [(each.copies, each.ends) for each in deck if each.ends > 1]
    if not firsts or any(copies is None for copies, _ in leading):
        return None
    ends = [each.copies for each in deck if each.ends <= 1]
    left = max(each.ends for each in firsts) + sum((copies or 0) * (count - 2) for copies, count in leading)
    closing = left if None in ends else min(left, sum(copies or 0 for copies in ends))
    return 1 + sum(copies or 0 for copies, _ in leading) + closing
