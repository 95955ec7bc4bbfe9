"""References that choose together."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.content.prefab.drawing import Reference


def chains(references: Sequence[Reference]) -> list[list[Reference]]:
    """Return the references in groups that choose together: equal characters that touch, along any chain."""
    alike: dict[tuple[str, int], dict[tuple[int, int], Reference]] = {}
    for each in references:
        alike.setdefault((each.char, each.part), {})[each.y, each.x] = each
    groups = []
    for first in references:
        left = alike[first.char, first.part]
        if left.pop((first.y, first.x), None) is None:
            continue
        group = [first]
        groups.append(group)
        if not left:
            continue
        for each in group:  # it grows while it is walked through: that is how chains are followed
            y, x = each.y, each.x
            beside = ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x))
            group += [left.pop(near) for near in beside if near in left]
    return groups
