"""*Symbols*, the meanings of a drawing's characters: terrain, an object of a *kind* (item, robot, ...), or a choice by a parameter.

A legend maps characters to symbols, for one prefab or for several. The kinds are prop, trap, robot, item, debris, and kinds that the
content declares, each `like` one of these. A *keyword* is a key beside the object, such as `chance`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from dungeon.content.catalog.own_words import ONE_OBJECT, read_in_own_words, written_as
from dungeon.content.catalog.selector import ANY, Selector, selector_of
from dungeon.content.source.names import MAX_LISTED, NewName, reader_of
from dungeon.content.source.problems import (
    NO_VALUE,
    UNKNOWN_KEY,
    CheckedEntry,
    MisreadError,
    ValueProblem,
    attempt,
    misread,
    problems_of,
    raise_any,
)
from dungeon.content.values.fields import (
    DEEPEST,
    HERE,
    DestinationValue,
    Free,
    Given,
    LegendNames,
    NewNameValue,
    Shift,
    TerrainValue,
    WeightValue,
)
from dungeon.content.values.grammar import NEVER, Constant
from dungeon.content.values.looks import GLYPH_SCHEMA, Glyph, read_glyph
from dungeon.content.values.value_fields import FlagValue, IntValue, Rolled, ShareValue, WordValue, within
from dungeon.core.errors import nearest_match
from dungeon.core.frozen import Frozen, nothing
from dungeon.core.kinds import BUILT_IN
from dungeon.core.parameters import Entry
from dungeon.core.vocabulary import SPAWN_KINDS, SpawnKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dungeon.content.values.grammar import Value


KINDS_OF: dict[str, tuple[SpawnKind, ...]] = {
    "strong": ("robot",),
    "prototype": ("item", "trap"),
    "never_faulty": ("item", "trap"),
    "rating": ("item", "trap"),
    "lock": ("prop",),
    "opens": ("prop", "item"),
    "ambush": ("item", "robot"),
    "key": ("prop", "robot"),
    "loadout": ("robot", "prop"),
    "port": ("prop",),
    "one_way": ("prop",),
}
"""Keyword -> the built-in kinds of objects that can have it; other keywords fit all kinds."""

CHOOSING_KEYWORDS = ("strong", "fallback", "prototype", "rating")
"""Keywords that choose among the members of a class or category; with a tag they have no meaning."""

GAME_KEYWORDS = ("state", "lock", "opens", "ambush", "port", "one_way")
"""Keywords whose rolled values are passed on to the game."""

INFORMING_KEYWORDS = frozenset({*GAME_KEYWORDS, "roll", "data"})
"""Keywords that tell the game more about an object than the catalog does."""

KIND_CHECKED_KEYWORDS = frozenset({*KINDS_OF, *CHOOSING_KEYWORDS})
"""Keywords that need a check because they do not fit every object."""

LEADING_TERRAIN = ("stairs_down", "exit")
"""Terrain that can have `to`."""


def read_lock_or_any(raw: object, info: ValidationInfo) -> str:
    """Read the name of a lock of ``locks.yaml``, or `any`."""
    return ANY if raw == ANY else reader_of("lock")(raw, info)


LockOrAny = Annotated[str, BeforeValidator(read_lock_or_any)]


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
        rating: By how many levels the item or trap may be too strong for the map's depth (out of depth).
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
    rating: Annotated[IntValue, within(-DEEPEST, DEEPEST)] = Constant(0)
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
            wrong = [key for key, able in KINDS_OF.items() if kinds[0] not in able]
            for key in wrong:
                able = " and ".join(BUILT_IN[kind].called for kind in KINDS_OF[key])
                problems += self.refused(key, message=f"only {able} can have this key")
            if self.selector is not None and self.selector.tags is not None:
                message = "this key chooses among the members of a class or category, but here a tag is given"
                problems += self.refused(
                    *(key for key in CHOOSING_KEYWORDS if key not in wrong), message=message
                )
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
        problems += self.refused(
            "opens", message="an item that is held opens no lock; but the death of a robot can open one"
        )
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


class SymbolEntry(StandingEntry):
    """The meaning of one character of a drawing: terrain, an object, or an object on terrain.

    Attributes:
        terrain: The terrain, rolled for each cell; `floor` if only an object is named.
        to: Where stairs lead: the name of a map or branch, or a map id, rolled for each cell. Without it they
            lead wherever the map leads.
        unique: Whether each cell chooses its own object; otherwise equal characters that touch choose the
            same one.
        shift: How far the object may be moved from its cell: [columns, rows], in either direction.
        group: The name of a group of characters. Of all characters of the prefab in the same group, exactly one is used.
            Rolled at each use of the prefab.
        weight: How likely this character is the one that its group uses, relative to the others; rolled at each use.
        key: The lock of `locks.yaml` whose key may be placed here, or `any`. With a robot or a prop, the
            object may hold the key.
        port: A word shared by two props of a prefab: a player on one of them may go to the other.
        one_way: Whether the player can only leave from this prop: the other prop of the `port` does not lead back here.
        switch: The parameter of the prefab that chooses one of the `cases`.
        cases: Value of the parameter -> the meaning of the character.
    """

    short_form: ClassVar = {"type": "string"}
    ONLY_OF_OBJECTS: ClassVar = (
        *("chance", "fallback", *(key for key in KINDS_OF if key not in ("lock", "key"))),
        *("state", "roll", "data"),
        *("unique", "shift", "group", "weight"),
    )

    terrain: Given[TerrainValue] = None
    to: Given[DestinationValue] = None
    unique: FlagValue = NEVER
    shift: Shift = HERE
    group: Given[NewNameValue] = None
    weight: WeightValue = Constant(1.0)
    key: Given[LockOrAny] = None
    port: Given[NewNameValue] = None
    one_way: Given[FlagValue] = None
    switch: Given[NewName] = None
    cases: Annotated[dict[NewName, SymbolEntry], Field(max_length=MAX_LISTED)] = Field(
        default_factory=nothing
    )

    @model_validator(mode="before")
    @classmethod
    def _bare_word_is_terrain(cls, raw: object) -> object:
        return {"terrain": raw} if isinstance(raw, str | list) else raw

    def _problems(self) -> list[ValueProblem]:
        if self.model_fields_set & {"switch", "cases"}:
            return self._problems_of_switch()
        problems = []
        if self.kind is None:
            if self.terrain is None and self.key is None:
                return [
                    ValueProblem(message=f"an object ({', '.join(SPAWN_KINDS)}) or terrain is needed here")
                ]
            problems += self.refused(*self.ONLY_OF_OBJECTS, message="only an object can have this key")
        if self.terrain is None or not set(self.terrain.outcomes()) <= set(LEADING_TERRAIN):
            problems += self.refused("to", message=f"only {' and '.join(LEADING_TERRAIN)} can have this key")
        if self.port is None:
            problems += self.refused("one_way", message="'one_way' needs a 'port' beside it")
        else:
            problems += self.refused("lock", message="a portal can't be locked; a door in front of it can")
        if self.group is None:
            problems += self.refused(
                "weight", message="'weight' needs a 'group' of characters to choose from"
            )
        return problems

    def _problems_of_switch(self) -> list[ValueProblem]:
        """Return the problems of a symbol with `switch` or `cases`."""
        others = sorted(self.model_fields_set - {"switch", "cases"})
        problems = self.refused(*others, message="with a 'switch', this key belongs into each of the 'cases'")
        if self.switch is None:
            problems.append(
                ValueProblem(
                    message="the key 'switch' is missing, which names the parameter that chooses a case",
                    key=True,
                )
            )
        if not self.cases:
            problems.append(
                ValueProblem(
                    message="the key 'cases' is missing, which gives the meaning for each value of the parameter",
                    key=True,
                )
            )
        return problems

    def settled(self, parameters: Mapping[str, str | None]) -> SymbolEntry | None:
        """Return the meaning of the character when the prefab's parameters have these values; None if no case matches."""
        symbol: SymbolEntry | None = self
        while symbol is not None and symbol.switch is not None:
            symbol = symbol.cases.get(parameters.get(symbol.switch) or "")
        return symbol

    @cached_property
    def is_fixed(self) -> bool:
        """Whether the object always stands on the cell where it is drawn."""
        return self.shift == HERE

    @cached_property
    def moves(self) -> bool:
        """Whether the object may stand on another cell than where it is drawn."""
        return any(reach.moves for reach in self.shift.outcomes())

    @cached_property
    def varies(self) -> bool:
        """Whether the symbol's terrain, stairs' destination or lock is rolled, or decided by a parameter of the prefab."""
        rolled = self.terrain, self.to, self.lock if self.kind is None else None
        return self.switch is not None or any(
            value is not None and type(value) is not Constant for value in rolled
        )

    @property
    def tells_more(self) -> bool:
        """Whether the symbol says more about a cell than its terrain: an object, a key, a destination of stairs or a lock."""
        return self.stands or self.to is not None or self.lock is not None

    @cached_property
    def stands(self) -> bool:
        """Whether something may be put on a cell with this symbol: an object, or the key of a lock."""
        return self.kind is not None or self.key is not None

    def leaves(self, *path: str) -> Iterator[tuple[SymbolEntry, tuple[str, ...]]]:
        """Yield (symbol, path) for each meaning of the character: this symbol itself or, if it has a `switch`, its cases.

        Args:
            *path: The keys that lead to this symbol. A yielded path begins with them; that of a case goes on with further
                keys, such as "cases", "open".
        """
        if self.switch is None:
            yield self, path
        for name, case in self.cases.items():
            yield from case.leaves(*path, "cases", name)

    def switches(self, *path: str) -> Iterator[tuple[SymbolEntry, tuple[str, ...]]]:
        """Yield (symbol, path) for each symbol with a `switch`: this symbol, its cases, their cases and so on.

        Args:
            *path: The keys that lead to this symbol. A yielded path begins with them; that of a case goes on with further
                keys, such as "cases", "open".
        """
        if self.switch is not None:
            yield self, path
            for name, case in self.cases.items():
                yield from case.switches(*path, "cases", name)


MAX_CHARACTERS = 500
"""Maximum number of characters in a legend, a palette or the aliases of a prefab."""


def _space_is_empty(legend: dict[str, SymbolEntry]) -> dict[str, SymbolEntry]:
    if " " in legend and any(symbol.kind is not None for symbol, _ in legend[" "].leaves()):
        raise misread(
            "a space is an empty cell, so it can stand for terrain, but not for an object",
            NO_VALUE,
            " ",
            key=True,
        )
    return legend


Legend = Annotated[
    dict[Glyph, SymbolEntry], Field(max_length=MAX_CHARACTERS), AfterValidator(_space_is_empty)
]


class LegendEntry(Entry):
    """A legend that several prefabs share: character -> its meaning.

    Attributes:
        extends: Other legends. Their characters have the same meaning in this legend, unless it lists them itself.
    """

    model_config = ConfigDict(
        extra="allow", json_schema_extra={"propertyNames": {"anyOf": [GLYPH_SCHEMA, {"enum": ["extends"]}]}}
    )
    __pydantic_extra__: dict[str, SymbolEntry]

    extends: LegendNames = ()

    @model_validator(mode="wrap")
    @classmethod
    def _one_character_each(cls, raw: object, read: ModelWrapValidatorHandler[Self]) -> Self:
        """Read the legend; each key is checked by itself, so that a wrong one does not hide the problems of the others."""
        if not isinstance(raw, dict):
            return read(raw)
        problems: list[ValueProblem] = []
        for char in raw:
            if char != "extends" and nearest_match(str(char), ["extends"]):
                problems.append(
                    ValueProblem(message=UNKNOWN_KEY, path=(char,), value=char, allowed=["extends"], key=True)
                )
            elif char != "extends":
                attempt(problems, read_glyph, char, char, key=True)
        if len(raw) > MAX_CHARACTERS:
            problems.append(ValueProblem(message=f"at most {MAX_CHARACTERS} characters may be listed here"))
        wrong = {problem.path[0] for problem in problems if problem.path}
        try:
            legend = read({key: value for key, value in raw.items() if key not in wrong} if wrong else raw)
            _space_is_empty(legend.symbols)
        except ValidationError as error:
            raise MisreadError([*problems, *problems_of(error, cls)]) from None
        except MisreadError as error:
            raise MisreadError([*problems, *error.problems]) from None
        raise_any(problems)
        return legend

    @property
    def symbols(self) -> dict[str, SymbolEntry]:
        """Character -> its meaning, without the characters of the legends that this legend extends."""
        return self.__pydantic_extra__
