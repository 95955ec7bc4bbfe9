"""The input of every stage: which level of which world to make, from which content."""

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
"""A stage: a generator that yields a `Step` after each change and returns a result for later stages."""


class MapInfo(Protocol):
    """The part of `dungeon.MapNode` that generation needs."""

    @property
    def id(self) -> str:
        """``name/depth``."""

    @property
    def name(self) -> str:
        """The type of map."""

    @property
    def depth(self) -> int:
        """The depth of the map in the world."""

    @property
    def leads_to(self) -> tuple[str, ...]:
        """The ids of the maps that its exits lead to."""

    @property
    def one_way(self) -> bool:
        """Whether no way leads back from it to the map before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """The level to make.

    Attributes:
        content: The content.
        seed: The world seed.
        id: The id of the map.
        name: The type of map.
        depth: Its depth in the world.
        leads_to: The ids of the maps that its exits lead to.
        one_way: Whether no way leads back to the map from which the player came.
        shares: Encounter -> how many copies the limits of world and branch leave to this level.
        first: Encounter -> how many of these copies are promised to this level.
        watched: Whether the steps of generation are shown to a user; else layouts may skip steps.
        streams: The level's random streams; each stage uses its own names.
        journal: The record of all decisions.
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
        """The map's entry in the content."""
        return self.content.maps[self.name]


def brief_of(content: Content, seed: int, node: MapInfo, shares: Shares, *, watched: bool = False) -> Brief:
    """Return the stages' input for one map of a world.

    Args:
        content: The content.
        seed: The world seed.
        node: The map.
        shares: The shares of all maps of the world.
        watched: Whether the steps are shown.
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
    """Run a stage to its end and return its result; call `told` with each step."""
    while True:
        try:
            step = next(stage)
        except StopIteration as end:
            result: Result = end.value
            return result
        if told is not None:
            told(step)
