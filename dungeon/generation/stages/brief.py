"""The *brief*, which is the input of every stage of generation: which level of which world to make, from which content."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from dungeon.core.frozen import NOTHING
from dungeon.core.streams import Streams
from dungeon.generation.world_keys import NO_KEYS, MapKeys
from dungeon.level.journal import Journal
from dungeon.level.steps import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dungeon.content.library import Content
    from dungeon.content.models.maps import MapEntry
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.generation.encounters.shares import Shares
    from dungeon.generation.seeding.floors import TowerFloor
    from dungeon.generation.world_keys import WorldKeys

Result = TypeVar("Result")
Stage = Generator[Step, None, Result]
"""A stage of generation: a generator that yields a `Step` after each change and returns a result for later stages."""


class MapInfo(Protocol):
    """The facts about a map of a world that generation needs; `dungeon.MapNode` has them."""

    @property
    def id(self) -> str:
        """The id of the map, ``name/depth``."""

    @property
    def name(self) -> str:
        """The type of the map: the name of its entry in the content."""

    @property
    def depth(self) -> int:
        """The depth of the map in the world."""

    @property
    def leads_to(self) -> tuple[str, ...]:
        """The ids of the maps that the map's exits lead to."""

    @property
    def one_way(self) -> bool:
        """Whether the player can't go back from the map to the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """All that the stages need to know about the level to make.

    Attributes:
        content: The content.
        seed: The world seed.
        id: The id of the map.
        name: The type of the map: the name of its entry in the content.
        depth: The depth of the map in the world.
        leads_to: The ids of the maps that the map's exits lead to.
        one_way: Whether the player can't go back from the map to the one before.
        shares: Encounter -> the most copies that this level may have, if the world or the branch limits the encounter.
        first: Encounter -> how many of these copies the level should get before encounters are drawn by chance.
        floors: The floors of towers that lie on the map.
        absent: Name of a tower that has a floor on the map in other worlds -> why this world lacks the tower.
        keys: The keys of locks on other maps that lie here, and what the locks of this map may bar.
        watched: Whether the steps of generation are shown to a user; if not, layouts may skip steps.
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
    floors: tuple[TowerFloor, ...] = ()
    absent: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    keys: MapKeys = NO_KEYS
    watched: bool
    streams: Streams = field(init=False)
    journal: Journal = field(init=False, default_factory=Journal)

    def __post_init__(self) -> None:
        object.__setattr__(self, "streams", Streams(self.seed, self.id))

    @property
    def called(self) -> Mapping[str, tuple[Prefab, ...]]:
        """Name or tag -> the prefabs that go by it and may be used on the level."""
        return self.content.called_on(self.name, self.depth)

    @property
    def entry(self) -> MapEntry:
        """The map's entry in the content."""
        return self.content.maps[self.name]


def brief_of(
    content: Content,
    seed: int,
    node: MapInfo,
    shares: Shares,
    keys: WorldKeys,
    *,
    floors: tuple[TowerFloor, ...] = (),
    absent: Mapping[str, str] = NOTHING,
    watched: bool = False,
) -> Brief:
    """Return the input of the stages for one map of a world.

    Args:
        content: The content.
        seed: The world seed.
        node: The map.
        shares: How many copies of each encounter with a world limit each map of the world gets.
        keys: The keys of the world's locks that lie on other maps than their locks.
        floors: The floors of towers that lie on the map.
        absent: Name of a tower that this world lacks -> the reason.
        watched: Whether the steps of generation are shown to a user.
    """
    most, first = shares.on(node.id, content.weights_on(node.name, node.depth))
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
        floors=floors,
        absent=absent,
        keys=keys.on(node.id, node.leads_to),
        watched=watched,
    )


def finished(stage: Stage[Result], told: Callable[[Step], None] | None = None) -> Result:
    """Run a stage to its end and return the stage's result; call `told` with each step that it yields."""
    while True:
        try:
            step = next(stage)
        except StopIteration as end:
            result: Result = end.value
            return result
        if told is not None:
            told(step)
