"""Steps of generation: what a viewer or a loading screen is shown while a level is being built."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Placement, Spawn


class Phase(Enum):
    """The stages of generation, in order."""

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
    """A report that generation has just done something; it is yielded before generation goes on.

    Attributes:
        phase: The stage that did it.
        message: What was done, in words.
        canvas: The canvas itself, not a copy, so it goes on changing: read or copy it at once, and do not change it.
        placements: The encounters placed so far. Only steps from `World.steps` have them; the list goes on growing.
        spawns: The objects spawned so far. Only steps from `World.steps` have them; the list goes on growing.
    """

    phase: Phase
    message: str
    canvas: Canvas
    placements: Sequence[Placement] = ()
    spawns: Sequence[Spawn] = ()

    def __repr__(self) -> str:
        return f"<Step {self.phase.value}: {self.message}>"
