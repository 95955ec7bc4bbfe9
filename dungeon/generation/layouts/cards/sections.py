"""Pre-built sections: several cells of a grid that are laid at once, in any orientation."""

from __future__ import annotations

from functools import cache

SECTIONS: dict[str, tuple[str, ...]] = {
    "cell": ("#",),
    "domino": ("##",),
    "I": ("####",),
    "O": ("##", "##"),
    "T": ("###", ".#."),
    "S": (".##", "##."),
    "L": ("###", "#.."),
}
"""Name -> what it looks like: a cell, two, and the one-sided tetrominoes, which are mirrored, too."""

Offsets = tuple[tuple[int, int], ...]
"""Cells as (y, x)."""


@cache
def turned(name: str) -> tuple[Offsets, ...]:
    """Return the cells of a section in all orientations that differ, each from every one of its cells as (0, 0)."""
    drawn = SECTIONS[name]
    cells = [(y, x) for y, row in enumerate(drawn) for x, mark in enumerate(row) if mark == "#"]
    found: dict[Offsets, None] = {}
    for mirror in (1, -1):
        lying = [(y, mirror * x) for y, x in cells]
        for _ in range(4):
            lying = [(x, -y) for y, x in lying]
            for top, left in lying:
                found[tuple(sorted((y - top, x - left) for y, x in lying))] = None
    return tuple(found)
