"""Connectors that are drawn right on the map of a text: `*` in a wall, as on the plane of links."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dungeon.content.drawing.planes import MARK, Plane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.content.drawing.meaning import Meaning, Variation

CONNECTOR = "*"


def with_connectors(
    planes: Sequence[Plane], meaning: Meaning, variation: Variation
) -> tuple[Sequence[Plane], Meaning]:
    """Take connectors that are drawn on the map of a text for walls, and note them on the plane of links.

    Only where nothing else says what their character means.
    """
    ground, *others = planes
    changed = {char for step in variation.steps for char in step.sources}
    if (
        ground.colour is not None
        or CONNECTOR not in ground.chars
        or CONNECTOR in changed
        or meaning.explains(CONNECTOR, above=False)
    ):
        return planes, meaning
    links = others[0].text if others else " " * len(ground.text)
    both = "".join(
        CONNECTOR if below == CONNECTOR and MARK.match(mark) is None else mark
        for below, mark in zip(ground.text, links, strict=True)
    )
    plane = replace(others[0], text=both) if others else Plane(both, ground.shape, ground.where)
    return [ground, plane, *others[1:]], replace(meaning, glyphs={**meaning.glyphs, CONNECTOR: "wall"})
