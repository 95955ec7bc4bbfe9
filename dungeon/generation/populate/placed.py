"""A prefab that lies on the canvas, before anything stands in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.streams import Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedDrawing:
    """A prefab that lies on the canvas, ready to be filled.

    Attributes:
        index: Its index among the level's placements, or None where the prefab is the map itself.
        stream: Where chance comes from.
    """

    drawing: Drawing
    y: int
    x: int
    index: int | None
    stream: Stream
