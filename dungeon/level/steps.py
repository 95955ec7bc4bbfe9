"""The moments of building a level at which someone may want to look."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Placement, Spawn


class Phase(Enum):
    """The stages of building a level, in order."""

    PLAN = "plan"
    SEED = "seed"
    LAYOUT = "layout"
    PLACE = "place"
    DRESS = "dress"
    EXITS = "exits"
    LOCKS = "locks"
    POPULATE = "populate"
    PAINT = "paint"
    PROVE = "prove"


@dataclass(frozen=True, slots=True, repr=False)
class Step:
    """Something has just been done.

    Attributes:
        phase: In which stage.
        message: What, in words.
        canvas: The canvas as it is now: look, copy what you need, do not change it.
        placements: What has been placed by now, and `spawns` what stands by now, where `World.steps` yields the step;
            both go on growing, as the canvas goes on changing.
    """

    phase: Phase
    message: str
    canvas: Canvas
    placements: Sequence[Placement] = ()
    spawns: Sequence[Spawn] = ()

    def __repr__(self) -> str:
        return f"<Step {self.phase.value}: {self.message}>"
