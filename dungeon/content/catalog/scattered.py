"""Objects that no drawing puts on a cell of its own: scattered over a map or a room, following a robot, or lying around a cell.

- {robot: {class: worker}, density: {by_depth: {1: 0.3, 4: 0.8}}}     0.3 to 0.8 on 100 open cells
- {robot: {class: heavy}, followers: [{robot: {class: worker}, count: 2..3}]}
- {robot: {class: watch}, patrol: 3..5}                              walks to and fro through 3 to 5 regions
- {trap: {class: footing}, count: 3, at: {corridors: 2, doors: 1}}
- {debris: {class: hot}, count: 40, drift: 5..9}                     5 to 9 lie together
- {item: coin, count: 2..4, within: 3}                               around a cell, at most 3 steps from it
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field, model_validator

from dungeon.content.catalog.requests import StandingEntry
from dungeon.content.source.names import MAX_LISTED
from dungeon.content.source.problems import ValueProblem, misread
from dungeon.content.values.by_depth import DensityHere
from dungeon.content.values.fields import DEEPEST, Depths, Given
from dungeon.content.values.grammar import Constant
from dungeon.content.values.value_fields import IntValue, WordValue, one_of, within
from dungeon.core.vocabulary import SPAWN_KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.content.catalog.requests import ObjectEntry


PLACES = ("anywhere", "rooms", "corridors", "doors", "walls", "middles")
"""Where scattered objects may lie; `generation.populate.places` says what each word means."""

MOST_FOLLOWERS = 100
"""The largest `count` of one entry under `followers`."""
MOST_IN_DRIFT = 1_000
"""The largest `drift`."""
MOST_ON_ROUND = 100
"""The largest `patrol`, in regions."""
STEPS_AROUND = 3
"""The `within` of objects around a cell, in steps, if it is not said or does not apply."""
MOST_STEPS_AROUND = 50
"""The largest `within`, in steps."""

KEYS_OF_CELLS = (
    *("terrain", "to", "unique", "shift", "group", "weight", "key", "port", "one_way"),
    *("marker", "no_spawn", "around", "switch", "cases"),
)
"""Keys of a `SymbolEntry` that need a drawn cell, so that scattered objects can't have them."""


class ScatteredEntry(StandingEntry):
    """Objects of one kind that are scattered over a map, a room or a cave.

    Attributes:
        count: How many of them are placed.
    """

    NOT_HERE: ClassVar = StandingEntry.NOT_HERE | dict.fromkeys(
        KEYS_OF_CELLS, "objects scattered over a map can't have this key"
    )

    count: Annotated[IntValue, within(0, 10_000)] = Constant(1)

    @model_validator(mode="before")
    @classmethod
    def _is_mapping(cls, raw: object) -> object:
        if isinstance(raw, str):
            raise misread("a mapping such as {robot: sweeper, count: 2..5} is needed here", raw)
        return raw

    @cached_property
    def words(self) -> str:
        """The kind, tags, classes and categories of the scattered objects as one text, equal for entries that ask for the same."""
        selector = self.selector
        asked = (selector.tags, selector.classes, selector.categories) if selector is not None else ()
        words = [word for value in asked if value is not None for word in value.outcomes() if word]
        return " ".join([str(self.kind), *sorted({*words})])

    def _problems(self) -> list[ValueProblem]:
        if self.kind is None:
            return [ValueProblem(message=f"an object is needed here: {', '.join(SPAWN_KINDS)}")]
        return []


class FollowerEntry(ScatteredEntry):
    """Robots that follow another robot and stand near it.

    Attributes:
        count: How many follow each robot.
    """

    followers: ClassVar[tuple[FollowerEntry, ...]] = ()
    """A follower has no followers of its own."""

    count: Annotated[IntValue, within(0, MOST_FOLLOWERS)] = Constant(1)

    def _problems(self) -> list[ValueProblem]:
        problems = super()._problems()
        if not problems and self.like != "robot":
            problems = self.refused(str(self.like), message="only robots can follow others")
        return problems


Followers = Annotated[tuple[FollowerEntry, ...], Field(max_length=MAX_LISTED)]
"""The robots that follow a robot."""


class SpreadEntry(ScatteredEntry):
    """Objects scattered over a map, over the room or cave of an encounter, or around a cell.

    Attributes:
        count: How many objects there are.
        density: How many objects there are per 100 cells on which they may lie, in place of `count`: a number, or numbers
            by depth.
        depth: The depths at which they appear.
        at: Where each may lie. By default robots may be anywhere, other objects in rooms.
        drift: How many lie together in one heap; by default each lies apart.
        followers: Robots that come with each robot and stand near it, in place of its `band`; `[]` for none.
        patrol: Through how many regions (rooms, corridors, ...) each robot walks to and fro, with its followers.
    """

    density: Given[DensityHere] = None
    depth: Depths = (0, DEEPEST)
    at: Given[Annotated[WordValue, one_of(*PLACES)]] = None
    drift: Given[Annotated[IntValue, within(1, MOST_IN_DRIFT)]] = None
    followers: Given[Followers] = None
    patrol: Given[Annotated[IntValue, within(2, MOST_ON_ROUND)]] = None

    @property
    def used_at(self) -> tuple[int, int]:
        """The lowest and the highest depth at which the entry is used: its `depth`."""
        return self.depth

    def _problems(self) -> list[ValueProblem]:
        problems = super()._problems()
        if self.density is not None:
            problems += self.refused("count", message="'density' says already how many objects there are")
        if self.like == "robot":
            problems += self.refused(
                "drift", message="robots can't lie in heaps; they keep together by 'followers'"
            )
        elif self.kind is not None:
            problems += self.refused("patrol", message="only robots can have this key")
        return problems


StepsAround = Annotated[IntValue, within(1, MOST_STEPS_AROUND)]


class AroundEntry(SpreadEntry):
    """Objects around a cell of a drawing, or around another object.

    Attributes:
        count: How many.
        density: How many per 100 cells within reach, in place of `count`: a number, or numbers by depth.
        at: Which of the cells within reach; by default any of them.
        within: Within how many steps of the cell they lie, on free floor and through no locked door.
    """

    within: StepsAround = Constant(STEPS_AROUND)


Around = Annotated[tuple[AroundEntry, ...], Field(max_length=MAX_LISTED)]
"""The objects around a cell or an object."""


class PopulationEntry(SpreadEntry):
    """Objects scattered over a map outside of encounters, or over the room or cave of an encounter.

    Attributes:
        around: Objects that lie within a few steps of each of them.
    """

    NOT_HERE: ClassVar = {key: why for key, why in SpreadEntry.NOT_HERE.items() if key != "around"}

    around: Around = ()


def cells_within(steps: int) -> int:
    """Return the number of cells at most so many steps from a cell, where nothing is in the way: a diamond around it."""
    return 2 * steps * (steps + 1) + 1


def followers_of(entry: ObjectEntry, band: Sequence[FollowerEntry]) -> Sequence[FollowerEntry]:
    """Return the followers that come with an object.

    Args:
        entry: The entry that asks for the object.
        band: The band of the object in the catalog, which counts if the entry has no `followers`.
    """
    own: Sequence[FollowerEntry] | None = getattr(entry, "followers", None)
    return band if own is None else own
