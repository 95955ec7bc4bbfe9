"""The machines of a map: prefabs kept for them, which are set along the walls and in the middle of its rooms.

    - {prefabs: {press_row: 3, boiler_bank: 1}, count: 3..5}
    - {prefabs: engine, at: middle, count: {0: 1, 1: 2}, depth: 2..}

A machine's drawing leaves the map as it is (`?`), or gives it floors to stand on; what is drawn on layer 3, and the props
of its references, stand on that. It faces south: along a wall its north edge lies against the wall.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dungeon.content.source.entry import Entry
from dungeon.content.source.names import MAX_LISTED
from dungeon.content.values.fields import DEEPEST, Depths
from dungeon.content.values.grammar import Constant
from dungeon.content.values.prefab_words import PrefabsByWeight
from dungeon.content.values.value_fields import IntValue, WordValue, one_of, within

STANDS = ("wall", "middle")
"""Where a machine may stand: with its back to a wall, or with a walk all around."""


class MachinesEntry(Entry):
    """Machines of one deck.

    Attributes:
        prefabs: What they are, each as likely as any other, or as its weight says.
        count: How many of them stand on a map.
        at: Whether each stands with its back to a wall, or in the middle of a room with a walk all around.
        depth: The depths at which they come.
    """

    prefabs: PrefabsByWeight
    count: Annotated[IntValue, within(0, 1_000)] = Constant(1)
    at: Annotated[WordValue, one_of(*STANDS)] = Constant("wall")
    depth: Depths = (0, DEEPEST)


Machines = Annotated[tuple[MachinesEntry, ...], Field(max_length=MAX_LISTED)]
