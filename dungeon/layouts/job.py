"""What a layout is given besides the canvas and its parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.laid import Drawing
    from dungeon.content.prefab import Prefab
    from dungeon.level.journal import Journal
    from dungeon.streams import Streams


MouthKind = Literal["tunneler", "connector", "diggable"]


class Mouth(NamedTuple):
    """Where a prefab that stands on the map before its layout is to be joined, or may be.

    Lines run along (dy, dx). A mouth two wide that opens to the south, with `o` its (y, x):

        #..#    the prefab's last row, drawn or dug open by whoever seeded it
         o.     the first cells of the way

    Attributes:
        y: The row of the first cell beyond the prefab: of several lines, of the topmost or leftmost one.
        x: Likewise its column.
        dy: With `dx` the direction that leads away from the prefab.
        width: How many lines the way has.
        kind: A way must start here (tunneler); a way that ends here is welcome, and must be there if the prefab would
            be cut off without it (connector); a way may open into the prefab here, through the cell before this
            one, which is still earth (diggable).
        region: The prefab's region.
    """

    y: int
    x: int
    dy: int
    dx: int
    width: int
    kind: MouthKind
    region: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutJob:
    """One attempt at a layout.

    Attributes:
        streams: Where randomness comes from; name the streams "layout", ...
        journal: Where decisions are noted.
        prefabs: The game's prefabs by name.
        mouths: Where what was seeded is to be joined.
        attempt: 0 at first; higher if an earlier attempt failed. Part of every stream's name.
        drawn: Takes (drawing, y, x) of every prefab that the layout itself draws, so that what stands in it is put
            there later.
    """

    streams: Streams
    journal: Journal
    prefabs: Mapping[str, Prefab]
    mouths: tuple[Mouth, ...] = ()
    attempt: int = 0
    drawn: list[tuple[Drawing, int, int]] = field(default_factory=list)
