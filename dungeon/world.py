"""A world: which map lies at which depth; it makes any of its levels, in any order."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.core.collector import collector_paused
from dungeon.core.errors import counted
from dungeon.core.frozen import itself
from dungeon.core.streams import Streams
from dungeon.generation.encounters.shares import Place, share_out
from dungeon.generation.stages.brief import brief_of, finished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dungeon.content.library import Content
    from dungeon.generation.encounters.case import Case
    from dungeon.generation.odds.odds import Odds
    from dungeon.generation.stages.brief import Stage
    from dungeon.level.model import Level
    from dungeon.level.steps import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class MapNode:
    """A map of the world.

    Attributes:
        id: ``name/depth``.
        name: The type of map; `depth` is how deep it lies.
        leads_to: The ids of the maps that its exits lead to.
    """

    id: str
    name: str
    depth: int
    leads_to: tuple[str, ...]


class World:
    """All the maps of a game, each of which can be made at any time, in any order, any number of times.

    It can't be changed: a copy of it is the world itself. Worlds of the same content and seed are equal. A pickle of it
    holds its content; it is for another process that runs the same version of the library.

    Args:
        content: The game's content.
        seed: Any integer; it decides everything.
    """

    __slots__ = ("_content", "_nodes", "_seed", "_shares")

    def __init__(self, content: Content, seed: int = 0) -> None:
        self._content = content
        self._seed = seed = int(operator.index(seed))  # a numpy integer would name other streams
        ids = dict.fromkeys([content.world.start])
        for source, targets in content.world.leads_to.items():
            ids |= dict.fromkeys([source, *targets])
        nodes = [self._node(map_id) for map_id in ids]
        self._nodes = {node.id: node for node in sorted(nodes, key=lambda node: node.depth)}
        self._shares = share_out(content, self._places, Streams(seed, "world"))

    __copy__ = __deepcopy__ = itself

    def __reduce__(self) -> tuple[type[World], tuple[Content, int]]:
        return type(self), (self._content, self._seed)

    def __repr__(self) -> str:
        return f"<World of seed {self._seed}: {counted(len(self._nodes), 'map')} of {self._content.folder!r}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, World):
            return NotImplemented
        return (self._seed, self._content) == (other._seed, other._content)

    def __hash__(self) -> int:
        return hash((self._seed, self._content))

    @property
    def content(self) -> Content:
        """The game's content."""
        return self._content

    @property
    def seed(self) -> int:
        """What decides everything."""
        return self._seed

    @property
    def _places(self) -> list[Place]:
        """Every map, as far as encounters care."""
        return [Place(node.id, node.name, node.depth) for node in self._nodes.values()]

    def _node(self, map_id: str) -> MapNode:
        name, depth = map_id.rsplit("/", 1)
        leads_to = self.content.world.leads_to.get(map_id, ())
        return MapNode(id=map_id, name=name, depth=int(depth), leads_to=leads_to)

    @property
    def maps(self) -> tuple[MapNode, ...]:
        """Every map, in order of depth."""
        return tuple(self._nodes.values())

    @property
    def start(self) -> MapNode:
        """The map on which the game begins."""
        return self._nodes[self.content.world.start]

    def node(self, map_id: str) -> MapNode:
        """Return the map with that id.

        Raises:
            KeyError: The world has no such map.
        """
        try:
            return self._nodes[map_id]
        except KeyError:
            raise KeyError(f"this world has no map {map_id!r}, only {', '.join(self._nodes)}") from None

    def level(self, map_id: str) -> Level:
        """Make a level.

        Raises:
            KeyError: The world has no such map.
            GenerationError: The map's parameters ask for something impossible.
        """
        making = self._making(map_id, watched=False)
        with collector_paused():
            return finished(making)

    def steps(self, map_id: str) -> Iterator[Step]:
        """Make a level and yield after everything that is done to it; the last step's canvas is the level.

        Raises:
            KeyError: The world has no such map.
            GenerationError: The map's parameters ask for something impossible.
        """
        return self._making(map_id, watched=True)

    def why(self, map_id: str, level: Level | None = None) -> tuple[Case, ...]:
        """Tell of every encounter why it is on a level, or why it is not, in the order in which they had turns.

        Args:
            map_id: The map.
            level: The level that this world made of it, if that is at hand; it is made if not.

        Raises:
            KeyError: The world has no such map.
            GenerationError: The map's parameters ask for something impossible.
        """
        from dungeon.generation.encounters.cases import cases  # noqa: PLC0415  # it comes with the stages

        return cases(self.content, level or self.level(map_id), self._shares)

    def odds(
        self,
        name: str | None = None,
        *,
        realised: int = 0,
        jobs: int = 1,
        told: Callable[[int], None] | None = None,
    ) -> Odds:
        """Tell how often encounters are met in worlds of this content, whatever their seed.

        What is due is what encounters would be met where space is endless: weights, limits, groups and the copies that
        the world gives to its maps decide. It is computed, or else drawn often, and told how well it is known.

        Args:
            name: A map's id, or a type of map; all maps, if none is named.
            realised: How many worlds to make to see what levels really have: those of this seed, the next one...
            jobs: How many processes make them.
            told: Called with how many have been made whenever another one is.

        Raises:
            KeyError: The world has no such map.
            GenerationError: A level that is to be made can't be.
        """
        from dungeon.generation.odds.expected import expected  # noqa: PLC0415  # few programs ask

        asked = [node.id for node in self.maps if name in (None, node.id, node.name)]
        if not asked:
            asked = [self.node(str(name)).id]
        due = expected(self.content, self._places, asked)
        if not realised:
            return due
        from dungeon.generation.odds.realised import realise  # noqa: PLC0415  # it comes with the stages

        seeds = range(self.seed, self.seed + realised)
        return realise(due, self.content, self.maps, seeds, jobs=jobs, told=told)

    def _making(self, map_id: str, *, watched: bool) -> Stage[Level]:
        """Return the stages of a level, about to begin."""
        from dungeon.generation.stages.pipeline import make  # noqa: PLC0415  # who has content has it already: see `reading`

        return make(brief_of(self.content, self.seed, self.node(map_id), self._shares, watched=watched))
