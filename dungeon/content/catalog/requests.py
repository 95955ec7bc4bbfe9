"""Requests for objects: which object an author asks for, and how it differs from its entry in the catalog.

A *kind* is what sort of object it is: prop, trap, robot, item, debris, or a kind that the content declares and that is `like` one
of these.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field, ModelWrapValidatorHandler, ValidationInfo, model_validator

from dungeon.content.catalog.own_words import ONE_OBJECT, read_in_own_words, written_as
from dungeon.content.catalog.selector import Selector, selector_of
from dungeon.content.source.names import MAX_LISTED
from dungeon.content.source.problems import CheckedEntry, ValueProblem, misread
from dungeon.content.values.fields import DEEPEST, Free, Given
from dungeon.content.values.grammar import NEVER, Constant
from dungeon.content.values.ratings import RatingValue
from dungeon.content.values.value_fields import FlagValue, IntValue, Rolled, ShareValue, WordValue, within
from dungeon.core.frozen import Frozen, nothing
from dungeon.core.kinds import BUILT_IN
from dungeon.core.vocabulary import SPAWN_KINDS, SpawnKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dungeon.content.values.grammar import Value


KINDS_OF: dict[str, tuple[SpawnKind, ...]] = {
    "strong": ("robot",),
    "prototype": ("item", "trap"),
    "never_faulty": ("item", "trap"),
    "lock": ("prop",),
    "opens": ("prop", "item"),
    "ambush": ("item", "robot"),
    "key": ("prop", "robot"),
    "loadout": ("robot", "prop"),
    "followers": ("robot",),
    "port": ("prop",),
    "one_way": ("prop",),
}
"""Keyword -> the built-in kinds of objects that can have it; other keywords fit all kinds."""

HOLDS_KEY = "to let a robot or prop hold the key of a lock, write `key:` with the lock's name beside it"
"""What an author does instead of giving `opens` to a held item, or to a robot."""

CHOOSING_KEYWORDS = ("strong", "fallback", "prototype", "rating")
"""Keywords that choose among the members of a class or category; with a tag they have no meaning."""

GAME_KEYWORDS = ("state", "lock", "opens", "ambush", "port", "one_way")
"""Keywords whose rolled values are passed on to the game."""

INFORMING_KEYWORDS = frozenset({*GAME_KEYWORDS, "roll", "data"})
"""Keywords that tell the game more about an object than the catalog does."""

KIND_CHECKED_KEYWORDS = frozenset({*KINDS_OF, *CHOOSING_KEYWORDS})
"""Keywords that need a check because they do not fit every object."""


class ObjectEntry(CheckedEntry):
    """An author's request for one object: which object, and how it differs from its entry in the catalog.

    If the content declares its own word for a kind, that word can be used in place of the built-in one.

    Attributes:
        prop: Which prop: a tag, several, a class or category, or `any`. Only one of the keys prop to debris can be used.
        trap: Which trap, likewise.
        robot: Which robot, likewise.
        item: Which item, likewise.
        debris: Which debris, likewise.
        chance: The probability that the object is put there at all.
        strong: Whether the robot is chosen as if the map were one level deeper.
        fallback: Whether the weakest member of the class is taken if no member fits the depth.
        prototype: Whether the item or trap is chosen among the prototypes rather than the common ones.
        never_faulty: Whether the prototype is never a faulty one.
        rating: For which depth the object is chosen (out of depth): a number of levels deeper than the map, a
            depth, `{depth: 7}`, or that of another map, `{as: mines/4}`.
        state: The object's state, in place of the one in the catalog.
        lock: The name of the lock of a prop or a locked door. An object with the same name under `opens` opens
            it.
        opens: The name of the lock that this prop or item opens.
        ambush: A word shared by an item and some robots of a prefab or encounter. When the item is taken,
            these robots come.
        roll: Free keywords in the value grammar, rolled for each object.
        data: Free keywords, passed to the game as they are written; lists become tuples.
    """

    NOT_HERE: ClassVar[dict[str, str]] = dict.fromkeys(
        ("name", "glyph", "fg", "blocks", "opaque", "light", "carries", "threat", "worth"),
        "this key belongs to the object itself, in its catalog in objects/",
    )

    prop: Given[Annotated[Selector, *selector_of("prop")]] = None
    trap: Given[Annotated[Selector, *selector_of("trap")]] = None
    robot: Given[Annotated[Selector, *selector_of("robot")]] = None
    item: Given[Annotated[Selector, *selector_of("item")]] = None
    debris: Given[Annotated[Selector, *selector_of("debris")]] = None
    chance: ShareValue = Constant(1.0)
    strong: FlagValue = NEVER
    fallback: FlagValue = NEVER
    prototype: FlagValue = NEVER
    never_faulty: FlagValue = NEVER
    rating: RatingValue = Constant(0)
    state: Given[WordValue] = None
    lock: Given[WordValue] = None
    opens: Given[WordValue] = None
    ambush: Given[WordValue] = None
    roll: Rolled = Field(default_factory=nothing)
    data: Free = Field(default_factory=nothing)

    @model_validator(mode="wrap")
    @classmethod
    def _in_own_words(cls, raw: object, read: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        return read_in_own_words(cls, raw, read, info)

    def problems(self) -> list[ValueProblem]:
        """Return the problems that show when the keys of this entry are compared with each other."""
        return [*self._problems_of_kind(), *self._problems()]

    def written(self, key: str) -> str:
        """Return a key of the entry as the author wrote it: instead of `item` it may be a word of the content's own, `fungus`."""
        return written_as(key, getattr(self, key))

    def _problems_of_kind(self) -> list[ValueProblem]:
        """Return the problems with kinds: the entry names objects of two kinds, or has a keyword that does not fit the kind."""
        kinds = [kind for kind in SPAWN_KINDS if getattr(self, kind) is not None]
        if len(kinds) < 2 and self.model_fields_set.isdisjoint(KIND_CHECKED_KEYWORDS):
            return []
        problems = self.refused(*kinds[1:], message=ONE_OBJECT.format(self.word))
        if len(kinds) == 1:
            written = self.model_fields_set
            wrong = [key for key, able in KINDS_OF.items() if key in written and kinds[0] not in able]
            for key in wrong:
                able = " and ".join(BUILT_IN[kind].called for kind in KINDS_OF[key])
                instead = f"; {HOLDS_KEY}" if (key, kinds[0]) == ("opens", "robot") else ""
                problems += self.refused(key, message=f"only {able} can have this key{instead}")
            if self.selector is not None and self.selector.tags is not None:
                message = "this key chooses among the members of a class or category, but here a tag is given"
                wasted = written.intersection(CHOOSING_KEYWORDS).difference(wrong)
                problems += self.refused(*sorted(wasted), message=message)
            elif "prototype" not in self.model_fields_set:
                message = "only prototypes can be faulty, so 'never_faulty' needs 'prototype', too"
                problems += self.refused("never_faulty", message=message)
        return problems

    def _problems(self) -> list[ValueProblem]:
        """Return the problems that only a subclass checks."""
        return []

    @cached_property
    def like(self) -> SpawnKind | None:
        """The built-in kind whose rules the object follows; None if the entry names no object.

        That is the object's own kind, or, for a kind that the content declares, the built-in kind that it is `like`.
        """
        return next((kind for kind in SPAWN_KINDS if getattr(self, kind) is not None), None)

    @cached_property
    def selector(self) -> Selector | None:
        """The selector (tag, class, category, ...) by which the entry chooses an object; None if it names none."""
        return getattr(self, self.like) if self.like else None

    @cached_property
    def kind(self) -> str | None:
        """The object's kind by its name in catalogs and on levels, such as `item` or `fungus`; None if no object is named."""
        return self.selector.own.name if self.selector and self.selector.own else self.like

    @cached_property
    def word(self) -> str | None:
        """The key under which the author wrote the object, such as `item` or the content's own `fungus`; None without an object."""
        return written_as(self.like, self.selector) if self.like else None

    @cached_property
    def said(self) -> Mapping[str, Value[Any]]:
        """Keyword -> value, for those keywords of the entry whose values are passed on to the game (`GAME_KEYWORDS`)."""
        values = {name: getattr(self, name, None) for name in GAME_KEYWORDS}
        return Frozen({name: value for name, value in values.items() if value is not None})

    @cached_property
    def is_plain(self) -> bool:
        """Whether the entry has no keyword that tells the game something about the object, such as `state` or `data`."""
        return self.model_fields_set.isdisjoint(INFORMING_KEYWORDS)

    @cached_property
    def may_be_absent(self) -> bool:
        """Whether the object may be missing: its `chance` is, or may be rolled, below 100%."""
        return any(chance is not None and chance < 1 for chance in self.chance.odds())

    @cached_property
    def is_settled(self) -> bool:
        """Whether nothing is rolled to choose the object: its tag and the `CHOOSING_KEYWORDS` are constants, without `equipped_by`."""
        if self.selector is not None and self.selector.equipped_by is not None:
            return False
        rolled = [getattr(self, key) for key in CHOOSING_KEYWORDS]
        if self.selector is not None:
            rolled.append(self.selector.tags)
        return all(isinstance(value, Constant | None) for value in rolled)


MOST_HELD = 100
"""The largest `count` of an item that a robot or prop holds."""


class HeldEntry(ObjectEntry):
    """An item that a robot or a prop holds.

    Attributes:
        item: Which item.
        count: How many copies of the item are held.
    """

    NOT_HERE: ClassVar = ObjectEntry.NOT_HERE | {"loadout": "an item that is held can't hold others"}

    count: Annotated[IntValue, within(0, MOST_HELD)] = Constant(1)

    @model_validator(mode="before")
    @classmethod
    def _is_mapping(cls, raw: object) -> object:
        if isinstance(raw, str):
            raise misread("a mapping such as {item: scrap, chance: 50%} is needed here", raw)
        return raw

    def _problems(self) -> list[ValueProblem]:
        if self.kind is None:
            return [ValueProblem(message="an item is needed here, under the key 'item'")]
        problems = self.refused("ambush", message="only items that lie on the ground can spring an ambush")
        no_lock = f"an item of a loadout opens no lock; {HOLDS_KEY}"
        problems += self.refused("opens", message=no_lock)
        if "opens" in self.data:
            problems.append(ValueProblem(message=no_lock, path=("data", "opens"), value="opens", key=True))
        if self.like not in (None, "item"):
            problems += self.refused(self.like, message="only items can be held")
        return problems


Loadout = Annotated[tuple[HeldEntry, ...], Field(max_length=MAX_LISTED)]
"""The items that a robot or a prop holds."""


class StandingEntry(ObjectEntry):
    """An object that stands on a map, and may hold items.

    Attributes:
        loadout: The items that the robot or prop holds, in place of those in the catalog.
    """

    loadout: Given[Loadout] = None

    @property
    def used_at(self) -> tuple[int, int]:
        """The lowest and the highest depth at which the entry is used."""
        return 0, DEEPEST

    def asked(
        self, low: int = 0, high: int = DEEPEST
    ) -> Iterator[tuple[StandingEntry, tuple[str | int, ...], range]]:
        """Yield (entry, path in this entry, depths) of each request for an object: the entry itself, its followers, and what is around it.

        Args:
            low: The lowest depth at which the entry is used.
            high: The highest depth.
        """
        first, last = self.used_at
        low, high = max(low, first), min(high, last)
        yield self, (), range(low, high + 1)
        for key in ("followers", "around"):
            company: Sequence[StandingEntry] = getattr(self, key, None) or ()
            for number, entry in enumerate(company):
                for asks, path, depths in entry.asked(low, high):
                    yield asks, (key, number, *path), depths
