"""A world: which map lies at which depth; it makes any of its levels, in any order."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING

from dungeon.core.errors import counted, nearest_match
from dungeon.core.frozen import itself
from dungeon.core.lazy import collector_paused
from dungeon.core.streams import seed_of
from dungeon.generation.atlas import MapNode, maps_of
from dungeon.generation.encounters.shares import WorldMap, share_out
from dungeon.generation.stages.brief import brief_of, finished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import SupportsIndex

    from dungeon.content.library import Content
    from dungeon.generation.encounters.case import Case
    from dungeon.generation.odds.odds import Odds
    from dungeon.generation.stages.brief import Stage
    from dungeon.level.model import Level
    from dungeon.level.steps import Step


class World:
    """All the maps of a game, each of which can be made at any time, in any order, any number of times.

    It can't be changed: a copy of it is the world itself. Worlds of the same content and seed are equal. A pickle of it
    holds its content; it is for another process that runs the same version of the library.

    Args:
        content: The game's content.
        seed: It decides everything. Without one it is 0: `World(content)` is the same world every time. A whole number of
            up to 1024 bits, below 0 too, of numpy too; or text. Text that is a whole number, ``"7"``, stands for that
            number, any other for one from 0 to 2**53 - 1 that it is hashed to, everywhere the same. A bool, a float and
            None are no seeds.

    Raises:
        TypeError: The content is something else, such as the folder that it is in; or the seed is.
        ValueError: The seed is too long, or empty.
    """

    __slots__ = ("_content", "_nodes", "_seed", "_shares")

    def __init__(self, content: Content, seed: SupportsIndex | str = 0) -> None:
        from dungeon.content.library import Content  # noqa: PLC0415  # who has content has it already

        if not isinstance(content, Content):
            raise TypeError(_no_content(content))
        self._content = content
        self._seed = seed = seed_of(seed)
        self._nodes = {node.id: node for node in maps_of(content, seed)}
        self._shares = share_out(content, self._places, seed)

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
        """What decides everything, as a number: of text, that which stands for it."""
        return self._seed

    @property
    def _places(self) -> list[WorldMap]:
        """Every map, as far as encounters care."""
        return [WorldMap(node.id, node.name, node.depth) for node in self._nodes.values()]

    @property
    def maps(self) -> tuple[MapNode, ...]:
        """Every map, in order of depth. Worlds of other seeds may have others, where content leaves that to chance."""
        return tuple(self._nodes.values())

    @property
    def start(self) -> MapNode:
        """The map on which the game begins."""
        return self._nodes[self.content.world.start]

    def __contains__(self, map_id: object) -> bool:
        return map_id in self._nodes

    def node(self, map_id: str) -> MapNode:
        """Return the map with that id.

        Raises:
            KeyError: The world has no such map; the message tells the nearest, or all that there are.
            TypeError: This is no text.
        """
        if not isinstance(map_id, str):
            raise TypeError(f"a map's id is text such as {self.start.id!r}, not {reprlib.repr(map_id)}")
        if map_id not in self._nodes:
            nearest = nearest_match(map_id, self._nodes)
            hint = f"did you mean {nearest}?" if nearest else f"there are {', '.join(self._nodes)}"
            raise KeyError(f"this world has no map {map_id!r} ({hint})")
        return self._nodes[map_id]

    def level(self, map_id: str, *, told: Callable[[Step], None] | None = None) -> Level:
        """Make a level.

        Args:
            map_id: The map.
            told: Called with the larger steps, for a loading screen or a clock; `steps` has the small ones, too.

        Raises:
            KeyError: The world has no such map.
            GenerationError: The map's parameters ask for something impossible.
        """
        making = self._making(map_id, watched=False)
        with collector_paused():
            return finished(making, told)

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
            TypeError: The level is something else, such as the name of an encounter.
            ValueError: The level is that of another map, or of another world.
            GenerationError: The map's parameters ask for something impossible.
        """
        from dungeon.generation.encounters.cases import cases  # noqa: PLC0415  # it comes with the stages
        from dungeon.level.model import Level  # noqa: PLC0415  # likewise

        node = self.node(map_id)
        if level is None:
            level = self.level(map_id)
        if not isinstance(level, Level):
            raise TypeError(self._no_level(node, level))
        if (level.id, level.seed) != (node.id, self._seed):
            message = f"{node.id} of seed {self._seed} is asked about, not {level.id} of seed {level.seed}"
            raise ValueError(message)
        return cases(self.content, level, self._places, self._shares)

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
            name: A map's id, a branch, or a type of map; all maps, if none is named. The world may lack it.
            realised: How many worlds to make to see what levels really have: those of this seed, the next one...
            jobs: How many processes make them.
            told: Called with how many have been made whenever another one is.

        Raises:
            KeyError: No world of this content has such a map.
            GenerationError: A level that is to be made can't be.
        """
        from dungeon.generation.odds.expected import expected  # noqa: PLC0415  # few programs ask

        spots = self.content.chart.spots.values()
        asked = [each.id for each in spots if name in (None, each.id, each.branch, *each.types)]
        if not asked:
            asked = [self.node(str(name)).id]
        due = expected(self.content, asked)
        if not realised:
            return due
        from dungeon.generation.odds.realised import realise  # noqa: PLC0415  # it comes with the stages

        seeds = range(self.seed, self.seed + realised)
        return realise(due, self.content, seeds, jobs=jobs, told=told)

    def _no_level(self, node: MapNode, given: object) -> str:
        """Return what to say to somebody who asks about something else than a level; most likely he names an encounter."""
        shown = reprlib.repr(given)
        if isinstance(given, str) and (removal := self._content.removal("encounter", given)):
            return f"there is no encounter {shown} any more ({removal})"
        one = f"; of one encounter: [case for case in world.why({node.id!r}) if case.encounter == {shown}]"
        hint = one if isinstance(given, str) else ""
        return f"level is what this world made of {node.id}, not {shown}{hint}"

    def _making(self, map_id: str, *, watched: bool) -> Stage[Level]:
        """Return the stages of a level, about to begin."""
        from dungeon.generation.stages.pipeline import make  # noqa: PLC0415  # who has content has it already: see `reading`

        return make(brief_of(self.content, self.seed, self.node(map_id), self._shares, watched=watched))


def _no_content(given: object) -> str:
    """Return what to say to somebody who makes a world of something else than content."""
    shown = reprlib.repr(given)
    folder = shown if isinstance(given, str) else "FOLDER"
    return f"a world is made of content, not of {shown}: write World(load_content({folder}))"
