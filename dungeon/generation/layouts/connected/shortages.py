"""Why a map of prefabs can never be all that its author asks for: prefabs that nothing can be joined to, or too few of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dungeon.generation.layouts.connected.piece import piece_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.registry import Size
    from dungeon.generation.layouts.connected.params import ConnectedParams
    from dungeon.generation.layouts.connected.piece import Piece
    from dungeon.terrain import TerrainSet

    Drawn = Mapping[str, Mapping[str, Sequence[Drawing]]]
    """Name or tag -> prefab -> its drawings."""

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
