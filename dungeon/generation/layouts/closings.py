"""What closes a room where a way meets it, by the words that authors use."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from dungeon import terrain as t
from dungeon.content.values.value_fields import WordValue, one_of

if TYPE_CHECKING:
    from dungeon.level.canvas import Canvas

CLOSINGS = {"door": t.DOOR, "doorway": t.DOORWAY, "secret door": t.SECRET_DOOR, "open": t.FLOOR}
"""The word, and the terrain that it stands for; open is a mere gap."""

Closing = Annotated[WordValue, one_of(*CLOSINGS)]


def show_ways_on(canvas: Canvas) -> None:
    """Turn secret doors that no prefab has drawn into doors, but for those behind which lies a single region, or to which other ways lead."""
    own = [
        number
        for number, door in enumerate(canvas.connections)
        if door.kind == t.SECRET_DOOR and not canvas.drawn[door.y, door.x]
    ]
    if not own:
        return
    part = list(range(len(canvas.regions) + 1))

    def part_of(region: int) -> int:
        while part[region] != region:
            region = part[region]
        return region

    secret = {number for number, door in enumerate(canvas.connections) if door.kind == t.SECRET_DOOR}
    for number, door in enumerate(canvas.connections):
        if number not in secret:
            part[part_of(door.between[0])] = part_of(door.between[1])
    sizes = Counter(map(part_of, range(1, len(part))))
    degrees = Counter(part_of(region) for number in secret for region in canvas.connections[number].between)
    for number in own:
        door = canvas.connections[number]
        one, other = map(part_of, door.between)
        if one == other or any(sizes[each] == degrees[each] == 1 for each in (one, other)):
            continue
        part[one] = other
        sizes[other] += sizes[one]
        degrees[other] += degrees[one] - 2
        canvas.put(door.y, door.x, t.DOOR)
        canvas.connections[number] = replace(door, kind=t.DOOR)
