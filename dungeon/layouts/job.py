"""What a layout is given besides the canvas and its parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.laid import Drawing
    from dungeon.content.prefab import Prefab
    from dungeon.level.journal import Journal
    from dungeon.streams import Streams


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutJob:
    """One attempt at a layout.

    Attributes:
        streams: Where randomness comes from; name the streams "layout", ...
        journal: Where decisions are noted.
        prefabs: The game's prefabs by name.
        attempt: 0 at first; higher if an earlier attempt failed. Part of every stream's name.
        drawn: Takes (drawing, y, x) of every prefab that the layout itself draws, so that what stands in it is put
            there later.
    """

    streams: Streams
    journal: Journal
    prefabs: Mapping[str, Prefab]
    attempt: int = 0
    drawn: list[tuple[Drawing, int, int]] = field(default_factory=list)
