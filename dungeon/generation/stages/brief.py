"""What every stage is told: which level of which world is to be made, of which content."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from dungeon.core.frozen import NOTHING
from dungeon.core.streams import Streams
from dungeon.level.journal import Journal
from dungeon.level.steps import Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.library import Content
    from dungeon.content.models.entries import MapEntry

Result = TypeVar("Result")
Stage = Generator[Step, None, Result]
"""A stage at work: it yields what it has just done, and returns what those after it need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """One level that is to be made.

    Attributes:
        id: The map's id; `name` and `depth` are its parts, `leads_to` the ids of the maps its exits lead to.
        shares: Encounter -> how many of the copies that the world may have this level may have.
        first: Encounter -> how many of them come before all that comes by chance.
        watched: Whether somebody looks at the steps.
        streams: Where each stage's randomness comes from, by names of its own.
        journal: Where decisions are noted.
    """

    content: Content
    seed: int
    id: str
    name: str
    depth: int
    leads_to: tuple[str, ...]
    shares: Mapping[str, int]
    first: Mapping[str, int] = field(default_factory=lambda: NOTHING)
    watched: bool
    streams: Streams = field(init=False)
    journal: Journal = field(init=False, default_factory=Journal)

    def __post_init__(self) -> None:
        object.__setattr__(self, "streams", Streams(self.seed, self.id))

    @property
    def entry(self) -> MapEntry:
        """What the author says of the map."""
        return self.content.maps[self.name]


def finished(stage: Stage[Result]) -> Result:
    """Run a stage to its end, and return what it gives."""
    while True:
        try:
            next(stage)
        except StopIteration as end:
            result: Result = end.value
            return result
