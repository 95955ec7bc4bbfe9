"""What closes a room where a way meets it, by the words that authors use."""

from __future__ import annotations

from typing import Annotated

from dungeon import terrain as t
from dungeon.content.values.value_fields import WordValue, one_of

CLOSINGS = {"door": t.DOOR, "doorway": t.DOORWAY, "secret door": t.SECRET_DOOR, "open": t.FLOOR}
"""The word, and the terrain that it stands for; open is a mere gap."""

Closing = Annotated[WordValue, one_of(*CLOSINGS)]
