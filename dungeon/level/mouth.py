"""Mouths: where a prefab that stands on the map before its layout is to be joined to it, or may be."""

from __future__ import annotations

from typing import Literal, NamedTuple

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
