"""A world: the maps of one game for one seed. Any of its levels can be made at any time, in any order."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING

from dungeon.core.errors import counted, meant_or_all, nearest_match
from dungeon.core.frozen import itself
from dungeon.core.lazy import collector_paused
from dungeon.core.streams import seed_of
from dungeon.generation.encounters.shares import WorldMap
from dungeon.generation.stages.brief import finished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import SupportsIndex

    from dungeon.content.library import Content
    from dungeon.generation.atlas import MapNode
    from dungeon.generation.encounters.case import Case
    from dungeon.generation.odds.odds import Odds
    from dungeon.generation.seeding.floors import TowerFloor
    from dungeon.generation.stages.brief import Stage
    from dungeon.generation.world_keys import WorldKey
    from dungeon.level.model import Level
    from dungeon.level.steps import Step


class World:
    """All maps of a game for one seed. Each level can be made at any time, in any order, any number of times.

    A world is immutable; copying it returns the same object. Worlds of equal content, seed and difficulty are equal. A pickle of a world
    contains its content, and can be read by the same version of the library.

    Args:
        content: The game's content.
        seed: The seed of everything random; the default is always 0. A whole number of up to 1024 bits (also negative,
            also numpy's), or text. Text such as ``"7"`` stands for the number; other text is hashed to a number from 0 to
            2**53 - 1, the same on every machine. A bool, a float or None is a TypeError.
        difficulty: One of the difficulties that ``world.yaml`` declares, such as ``"hard"``. It changes how many objects are
            scattered and how often encounters come, but not which maps there are. None changes nothing.

    Raises:
        KeyError: The world declares no such difficulty; the message suggests the nearest one, or lists all.
        TypeError: `content` is not a Content (but, say, its folder), `seed` is no whole number or text, or `difficulty` is
            neither text nor None.
        ValueError: The seed has more than 1024 bits, or is empty text.

    Example:
        >>> world = dungeon.World(content, seed="moss")
        >>> level = world.level(world.start.id)
        >>> level == dungeon.World(content, seed="moss").level(world.start.id)
        True
    """

    __slots__ = ("_content", "_nodes", "_seed", "_towers")

    def __init__(
        self, content: Content, seed: SupportsIndex | str = 0, *, difficulty: str | None = None
    ) -> None:
        from dungeon.content.library import Content  # noqa: PLC0415  # imported already when the content was loaded
        from dungeon.generation.towers import Towers  # noqa: PLC0415  # likewise

        if not isinstance(content, Content):
            raise TypeError(_no_content(content))
        self._content = content = content if difficulty is None else content.at_difficulty(difficulty)
        self._seed = seed = seed_of(seed)
        self._towers = Towers.of_world(content, seed)
        self._nodes = self._towers.nodes

    __copy__ = __deepcopy__ = itself

    def __reduce__(self) -> tuple[type[World], tuple[Content, int]]:
        return type(self), (self._content, self._seed)

    def __repr__(self) -> str:
        at = f", difficulty {self.difficulty}" if self.difficulty else ""
        return f"<World of seed {self._seed}{at}: {counted(len(self._nodes), 'map')} of {self._content.folder!r}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, World):
            return NotImplemented
        return (self._seed, self._content) == (other._seed, other._content)

    def __hash__(self) -> int:
        return hash((self._seed, self._content))

    @property
    def content(self) -> Content:
        """The game's content; for a world with a difficulty, what `Content.at_difficulty` returns."""
        return self._content

    @property
    def difficulty(self) -> str | None:
        """The world's difficulty; None for none."""
        return self._content.difficulty

    @property
    def seed(self) -> int:
        """The seed as a number. If it was given as text, this is the number that the text stands for."""
        return self._seed

    @property
    def _places(self) -> list[WorldMap]:
        """Every map of the world as a `WorldMap` (id, type, depth): the input for assigning encounters to maps."""
        return [WorldMap(node.id, node.name, node.depth) for node in self._nodes.values()]

    @property
    def maps(self) -> tuple[MapNode, ...]:
        """All maps of the world, in order of depth. Worlds of other seeds may have other maps, if the content leaves that to chance."""
        return tuple(self._nodes.values())

    @property
    def keys(self) -> tuple[WorldKey, ...]:
        """The keys that lie on other maps than their locks (`keys_on` in ``locks.yaml``): each with its lock and its map."""
        return self._towers.keys.keys

    def locks_before(self, map_id: str, target: str) -> frozenset[str]:
        """Return the locks with keys on other maps (see `keys`) that may bar the exit of one map to another.

        Args:
            map_id: The id of the map with the exit.
            target: The id of the map to which the exit leads.
        """
        return self._towers.keys.needed.get((map_id, target), frozenset())

    @property
    def start(self) -> MapNode:
        """The map on which the game begins."""
        return self._nodes[self.content.world.start]

    @property
    def starts(self) -> Mapping[str, MapNode]:
        """Name -> another map on which a game may begin: `starts` in ``world.yaml``."""
        return {name: self._nodes[map_id] for name, map_id in self.content.world.starts.items()}

    def __contains__(self, map_id: object) -> bool:
        return map_id in self._nodes

    def node(self, map_id: str) -> MapNode:
        """Return the map with this id.

        Raises:
            KeyError: The world has no such map; the message suggests the nearest id, or lists all.
            TypeError: The id is not text.
        """
        if not isinstance(map_id, str):
            raise TypeError(f"a map's id is text such as {self.start.id!r}, not {reprlib.repr(map_id)}")
        if map_id not in self._nodes:
            hint = meant_or_all(nearest_match(map_id, self._nodes), self._nodes)
            raise KeyError(f"this world has no map {map_id!r} ({hint})")
        return self._nodes[map_id]

    def floors(self, map_id: str) -> tuple[TowerFloor, ...]:
        """Return the floors of towers that lie on a map, in the order of the towers in ``world.yaml``.

        Raises:
            KeyError: The world has no such map.
            GenerationError: A tower with a floor on the map has no place in this world.
        """
        return self._towers.on(self.node(map_id).id)

    def level(self, map_id: str, *, told: Callable[[Step], None] | None = None) -> Level:
        """Make a level.

        Args:
            map_id: Id of the map, such as ``foundry/3``.
            told: Called with each larger step of generation, for a loading screen. `steps` yields the small steps, too.

        Raises:
            KeyError: The world has no such map.
            GenerationError: The map's parameters ask for something impossible.
        """
        making = self._making(map_id, watched=False)
        with collector_paused():
            return finished(making, told)

    def steps(self, map_id: str) -> Iterator[Step]:
        """Make a level and yield a step after every change. The last step's canvas shows the finished level.

        Raises:
            KeyError: The world has no such map.
            GenerationError: The map's parameters ask for something impossible.
        """
        return self._making(map_id, watched=True)

    def why(self, map_id: str, level: Level | None = None) -> tuple[Case, ...]:
        """Return, for every encounter, why it is on a level or why it is not, in the order in which they were tried.

        Args:
            map_id: Id of the map, such as ``foundry/3``.
            level: The level that this world made of the map; if None, it is made again.

        Raises:
            KeyError: The world has no such map.
            TypeError: `level` is not a Level but, say, the name of an encounter.
            ValueError: The level belongs to another map or another seed.
            GenerationError: The map's parameters ask for something impossible.
        """
        from dungeon.generation.encounters.cases import cases  # noqa: PLC0415  # imported when the first level is made
        from dungeon.level.model import Level  # noqa: PLC0415  # likewise

        node = self.node(map_id)
        if level is None:
            level = self.level(map_id)
        if not isinstance(level, Level):
            raise TypeError(self._no_level(node, level))
        if (level.id, level.seed) != (node.id, self._seed):
            message = f"the level must be {node.id} of seed {self._seed}, not {level.id} of seed {level.seed}"
            raise ValueError(message)
        return cases(self.content, level, self._places, self._towers.shares)

    def odds(
        self,
        name: str | None = None,
        *,
        realised: int = 0,
        jobs: int = 1,
        width: float | None = None,
        told: Callable[[int], None] | None = None,
    ) -> Odds:
        """Return how often encounters appear in worlds of this content, over all seeds.

        The expected numbers follow from the weights, limits and groups of encounters, ignoring whether rooms fit. Only an encounter that
        fits on none of 30 ground plans of a map counts as never drawn there. The numbers are computed exactly or, where that takes too
        long, estimated from random worlds; each estimate has a margin of error.

        Args:
            name: A map id, a branch or a map type; None for all maps. It may be a map that only worlds of other seeds have.
            realised: Number of worlds to make, in order to count encounters on real levels, too. The first has this world's seed n,
                the others n + 1, n + 2...
            jobs: Number of processes that make these worlds.
            width: Random worlds are drawn until each probability has at most this margin of error, above 0 and below 0.5; None for 0.05.
                Probabilities on maps that few worlds have keep wider margins.
            told: Called after each world with the number of worlds made.

        Raises:
            KeyError: No world of this content has such a map.
            ValueError: `width` is not above 0 and below 0.5.
            GenerationError: One of the levels can't be made.
        """
        from dungeon.generation.odds.expected import expected  # noqa: PLC0415  # few programs need odds

        spots = self.content.chart.spots.values()
        asked = [each.id for each in spots if name in (None, each.id, each.branch, *each.types)]
        if not asked:
            asked = [self.node(str(name)).id]
        due = expected(self.content, asked, width=width)
        if not realised:
            return due
        from dungeon.generation.odds.realised import realise  # noqa: PLC0415  # imported when the first level is made

        seeds = range(self.seed, self.seed + realised)
        return realise(due, self.content, seeds, jobs=jobs, told=told)

    def _no_level(self, node: MapNode, given: object) -> str:
        """Return the error message of `why` for an argument `level` that is not a Level.

        Args:
            node: The map.
            given: The argument. If it is text, it was probably meant as the name of an encounter.
        """
        shown = reprlib.repr(given)
        if isinstance(given, str) and (removal := self._content.removal("encounter", given)):
            return f"there is no encounter {shown} any more ({removal})"
        one = f"; for one encounter: [case for case in world.why({node.id!r}) if case.encounter == {shown}]"
        hint = one if isinstance(given, str) else ""
        return f"level must be the Level that this world made of {node.id}, not {shown}{hint}"

    def _making(self, map_id: str, *, watched: bool) -> Stage[Level]:
        """Return a generator that has not begun yet. Iterating over it to its end makes the level.

        Args:
            map_id: The id of the map.
            watched: Whether to yield a step after every change, rather than only after larger ones.
        """
        from dungeon.generation.stages.pipeline import make  # noqa: PLC0415  # imported already when the content was loaded: see `reading`

        return make(self._towers.brief(self.node(map_id).id, watched=watched))


def _no_content(given: object) -> str:
    """Return the error message of `World` for an argument `content` that is not a Content."""
    shown = reprlib.repr(given)
    folder = shown if isinstance(given, str) else "FOLDER"
    return f"World() takes content, not {shown}: write World(load_content({folder}))"
