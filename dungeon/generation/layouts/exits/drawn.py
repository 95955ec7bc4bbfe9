"""Stairs that drawings have, and which of them lead where."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from dungeon.core.streams import Streams
    from dungeon.grid.rect import Cell


def drawn_exits(
    stairs: Sequence[Cell],
    leads_to: Sequence[str],
    bound: Mapping[Cell, str],
    first: Container[Cell],
    streams: Streams,
) -> list[Cell | None]:
    """Return, for each map that the level leads to, the drawn stairs that go there, or None; some of them come `first`."""
    exits: dict[str, Cell] = {}
    if not stairs:
        return [None] * len(leads_to)
    for name in (*dict.fromkeys(target.rsplit("/", 1)[0] for target in leads_to), None):
        ways = [each for each in leads_to if each not in exits and name in (None, each.rsplit("/", 1)[0])]
        cells = [cell for cell in stairs if bound.get(cell) == name or bound.get(cell) in ways]
        picked = _fitting(cells, ways, bound)
        if len(picked) < len(cells):
            streams.stream("exits", "drawn", "down", name or "").shuffle(cells)
            cells.sort(key=lambda cell: cell not in first)
            picked = sorted(_fitting(cells, ways, bound))
        exits |= {bound[cell]: cell for cell in picked if bound.get(cell) in ways}
        rest = [each for each in ways if each not in exits]
        exits |= zip(rest, [cell for cell in picked if bound.get(cell) == name], strict=False)
    return [exits.get(each) for each in leads_to]


def _fitting(stairs: Sequence[Cell], ways: Sequence[str], bound: Mapping[Cell, str]) -> list[Cell]:
    """Return the stairs that can lead to different ones of these maps: each of them unless those before it leave none."""
    kept: list[Cell] = []
    taken: set[str] = set()
    for cell in stairs:
        word = bound.get(cell)
        if len(kept) < len(ways) and word not in taken:
            kept.append(cell)
            if word is not None and word in ways:
                taken.add(word)
    return kept
