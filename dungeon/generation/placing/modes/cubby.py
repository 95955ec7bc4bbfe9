"""The placing mode *cubby*: an enclosed prefab whose whole front wall is taken out, so that it is open to the corridor.

    room             done
    ###########       #######
    #.........#       #ppppp#
    #.........#       #ppppp#
    #####+#####       #.....#
    ,,,,,,,,,,,     ,,,,,,,,,,,

Seen from afar one knows what it is. The corridor must lie directly along all of the prefab's front.
After "Map Prefabs, in Depth", the third variation of an enclosed room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from dungeon.content.values.grammar import Constant, roll
from dungeon.content.values.value_fields import WordValue, one_of
from dungeon.core.parameters import Parameters
from dungeon.generation.placing.modes.enclosed import Enclosure

if TYPE_CHECKING:
    from dungeon.core.streams import Stream


class CubbyParams(Parameters):
    """What an author may set.

    Attributes:
        surplus: What is left of the room: `fill` it with earth, or `keep` it as open space.
    """

    NOT_HERE: ClassVar = dict.fromkeys(
        ("doors", "width"), "a cubby has no door: its whole front wall is taken out"
    )

    surplus: Annotated[WordValue, one_of("fill", "keep")] = Constant("fill")


def settle(params: CubbyParams, stream: Stream) -> Enclosure:
    """Roll the parameters. Everything else is done as for an enclosed prefab."""
    return Enclosure(keeps=roll(params.surplus, stream, "fill") == "keep", doors="cubby")
