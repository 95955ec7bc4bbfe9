"""What authors may set on the layout `connected`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import Field

from dungeon.content.models.layouts import Deck
from dungeon.content.values.fields import PrefabOrTag
from dungeon.content.values.grammar import Between, Choice, Constant
from dungeon.content.values.value_fields import IntValue, Probability, WordValue, one_of, within
from dungeon.core.frozen import nothing
from dungeon.generation.layouts.closings import Closing
from dungeon.generation.layouts.connected.piece import piece_of
from dungeon.generation.layouts.dice import RolledParameters
from dungeon.grid.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.registry import Size
    from dungeon.generation.layouts.connected.piece import Piece
    from dungeon.terrain import TerrainSet

    Drawn = Mapping[str, Mapping[str, Sequence[Drawing]]]
    """Name or tag -> prefab -> its drawings."""

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
