"""Chains of drawn characters: equal characters that touch get the same object."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.content.prefab.drawing import Reference


def chains(references: Sequence[Reference]) -> list[list[Reference]]:
    """Group drawn characters: equal characters that touch, not just at a corner, are one chain and get the same object.

    Characters of different parts (a prefab and the prefabs inserted into it) are never in one chain. If a cell has the same
    character several times, on several layers, each is in a chain of its own.
    """
    alike: dict[tuple[str, int, int], dict[tuple[int, int], Reference]] = {}
    copies: list[int] = []
    for each in references:
        copy = 0
        while (each.y, each.x) in alike.setdefault((each.called, each.part, copy), {}):
            copy += 1
        alike[each.called, each.part, copy][each.y, each.x] = each
        copies.append(copy)
    groups = []
    for first, copy in zip(references, copies, strict=True):
        left = alike[first.called, first.part, copy]
        if left.pop((first.y, first.x), None) is None:
            continue
        group = [first]
        groups.append(group)
        if not left:
            continue
        for each in group:  # a flood fill: the group grows while it is iterated
            y, x = each.y, each.x
            beside = ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x))
            group += [left.pop(near) for near in beside if near in left]
    return groups
