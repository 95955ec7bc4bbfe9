"""The passes by their keys, and how one of them is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dungeon.content.models.dressing import BodyEntry
from dungeon.content.values.grammar import roll
from dungeon.generation.dressing.bodies import chasm, lake, river
from dungeon.generation.dressing.lights import lights
from dungeon.generation.dressing.outcome import Outcome
from dungeon.generation.dressing.strewn import cracks, patches, rubble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dungeon.content.models.dressing import PassEntry
    from dungeon.core.streams import Streams
    from dungeon.generation.dressing.ground import Ground

MAKERS: dict[str, Callable[[Ground, Any, Any], Outcome]] = {
    "lake": lake,
    "river": river,
    "chasm": chasm,
    "patches": patches,
    "rubble": rubble,
    "cracks": cracks,
    "light": lights,
}
"""The key of a pass -> what makes one of it."""


def make(ground: Ground, entry: PassEntry, streams: Streams, *name: str | int) -> Iterator[Outcome]:
    """Make a pass: as many lakes, rivers or chasms as it asks for, or what else it does, once.

    Args:
        ground: The map.
        entry: What its author says.
        streams: Where chance comes from.
        name: What the streams of this pass are called.
    """
    stream = streams.stream(*name)
    if not stream.chance(roll(entry.chance, stream, 0.0)):
        yield Outcome(done=False, text="chance keeps it away")
        return
    count = roll(entry.count, stream, 0) if isinstance(entry, BodyEntry) else 1
    for number in range(1, count + 1):
        yield MAKERS[entry.KEY](ground, entry, streams.mersenne(*name, number))
