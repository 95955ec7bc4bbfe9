"""What every stage is told: which level of which world is to be made, of which content."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from dungeon.core.frozen import NOTHING
from dungeon.core.streams import Streams
from dungeon.level.journal import Journal
from dungeon.level.steps import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dungeon.content.library import Content
    from dungeon.content.models.maps import MapEntry
    from dungeon.generation.encounters.shares import Shares

Result = TypeVar("Result")
Stage = Generator[Step, None, Result]
"""A stage at work: it yields what it has just done, and returns what those after it need."""


class MapInfo(Protocol):
    """A map of a world, as far as levels care: see `dungeon.MapNode`."""

    @property
    def id(self) -> str:
        """``name/depth``."""

    @property
    def name(self) -> str:
        """The type of map."""

    @property
    def depth(self) -> int:
        """How deep it lies."""

    @property
    def leads_to(self) -> tuple[str, ...]:
        """The ids of the maps that its exits lead to."""

    @property
    def one_way(self) -> bool:
        """Whether no way leads back from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """One level that is to be made.

    Attributes:
        id: The map's id; `name` and `depth` are its parts, `leads_to` the ids of the maps its exits lead to.
        one_way: Whether no way leads back to where the player came from.
        shares: Encounter -> how many copies the limits of world and branch leave to this level.
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
    one_way: bool = False
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


def brief_of(content: Content, seed: int, node: MapInfo, shares: Shares, *, watched: bool = False) -> Brief:
    """Return the brief of one of a world's levels.

    Args:
        content: The content.
        seed: The seed of the world.
        node: Which of its maps.
        shares: What the maps of the world have of what is shared out.
        watched: Whether somebody looks at the steps.
    """
    most, first = shares.on(node.id)
    return Brief(
        content=content,
        seed=seed,
        id=node.id,
        name=node.name,
        depth=node.depth,
        leads_to=node.leads_to,
        one_way=node.one_way,
        shares=most,
        first=first,
        watched=watched,
    )


def finished(stage: Stage[Result], told: Callable[[Step], None] | None = None) -> Result:
    """Run a stage to its end, and return what it gives; `told` is called with each of its steps."""
    while True:
        try:
            step = next(stage)
        except StopIteration as end:
            result: Result = end.value
            return result
        if told is not None:
            told(step)
