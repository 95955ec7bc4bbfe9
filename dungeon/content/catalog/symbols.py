"""*Symbols*, the meanings of a drawing's characters: terrain, an object of a *kind* (item, robot, ...), or a choice by a parameter.

A legend maps characters to symbols, for one prefab or for several. The kinds are prop, trap, robot, item, debris, and kinds that the
content declares, each `like` one of these. A *keyword* is a key beside the object, such as `chance`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, ClassVar, Self, cast

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

from dungeon.content.catalog.kept_off import KEPT_OFF_NEVER, NoSpawnValue
from dungeon.content.catalog.requests import KINDS_OF, StandingEntry
from dungeon.content.catalog.scattered import Around, Followers
from dungeon.content.catalog.selector import ANY
from dungeon.content.source.names import MAX_LISTED, Names, NewName, reader_of
from dungeon.content.source.problems import (
    NO_VALUE,
    UNKNOWN_KEY,
    MisreadError,
    ValueProblem,
    attempt,
    misread,
    problems_of,
    raise_any,
)
from dungeon.content.values.fields import (
    HERE,
    DestinationValue,
    Given,
    LegendNames,
    NewNameValue,
    Shift,
    TerrainValue,
    WeightValue,
)
from dungeon.content.values.grammar import NEVER, Constant
from dungeon.content.values.looks import GLYPH_SCHEMA, Glyph, read_glyph
from dungeon.content.values.value_fields import FlagValue
from dungeon.core.errors import nearest_match
from dungeon.core.frozen import nothing
from dungeon.core.kinds import Kinds
from dungeon.core.parameters import Entry
from dungeon.core.vocabulary import LYING, SPAWN_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


LEADING_TERRAIN = ("stairs_down", "exit")
"""Terrain that can have `to`."""


def read_lock_or_any(raw: object, info: ValidationInfo) -> str:
    """Read the name of a lock of ``locks.yaml``, or `any`."""
    return ANY if raw == ANY else reader_of("lock")(raw, info)


LockOrAny = Annotated[str, BeforeValidator(read_lock_or_any)]


MAX_TOGETHER = 20
"""The most meanings that one character can have at once."""

NAMING = ("terrain", "key", "marker", "no_spawn", "data", "around", "switch")
"""Keys of a symbol, besides the words of objects, which tell a mapping apart from a weighted choice of terrain."""


LOCKING_KEYS = "lock", "followers", "around", "cases", "listed"
"""Without any of these keys, a symbol locks nothing."""


class SymbolEntry(StandingEntry):
    """The meaning of one character of a drawing: terrain, an object, or an object on terrain; or a list of these, all in one cell.

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
        marker: A name of the cell, for the game: it gets the cell with its name, and its `data` if no object is
            named.
        no_spawn: Whether nothing is scattered on the cell, neither by the map nor by encounters; or which kinds of
            objects are not: `robots`, or `[robots, traps]` for both.
        followers: Robots that come with the robot and stand near it, in place of its `band`; `[]` for none.
        around: Objects that lie within a few steps of the cell, if the object on it is there.
        switch: The parameter of the prefab that chooses one of the `cases`.
        cases: Value of the parameter -> the meaning of the character.
    """

    short_form: ClassVar = {
        "type": ["string", "array"],
        "items": {"type": ["string", "object"]},
        "minItems": 2,
    }
    ONLY_OF_OBJECTS: ClassVar = (
        *("chance", "fallback", "rating", *(key for key in KINDS_OF if key not in ("lock", "key"))),
        *("state", "roll"),
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
    marker: Given[NewNameValue] = None
    no_spawn: NoSpawnValue = KEPT_OFF_NEVER
    followers: Given[Followers] = None
    around: Around = ()
    switch: Given[NewName] = None
    cases: Annotated[dict[NewName, SymbolEntry], Field(max_length=MAX_LISTED)] = Field(
        default_factory=nothing
    )

    @model_validator(mode="wrap")
    @classmethod
    def _short_forms(cls, raw: object, read: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        """Read a bare word, or a list that is a choice, as terrain; and a list with objects as several symbols at once."""
        if isinstance(raw, list) and any(_names_object(each, info) for each in raw):
            return cast("Self", SymbolList.model_construct(listed=_all_of(raw, info)))
        return read({"terrain": raw} if isinstance(raw, (str, list)) else raw)

    def _problems(self) -> list[ValueProblem]:
        if self.model_fields_set & {"switch", "cases"}:
            return self._problems_of_switch()
        problems = []
        if self.kind is None:
            if self.terrain is None and not self.stands:
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

    def settled(self, parameters: Mapping[str, str | None]) -> tuple[SymbolEntry, ...]:
        """Return all that the character means when the prefab's parameters have these values; empty if no case matches."""
        if self.switch is not None:
            case = self.cases.get(parameters.get(self.switch) or "")
            return () if case is None else case.settled(parameters)
        if self.members:
            return tuple(each for member in self.members for each in member.settled(parameters))
        return (self,)

    @property
    def members(self) -> tuple[SymbolEntry, ...]:
        """The symbols of the author's list, which stand for the cell together; empty if the author writes no list."""
        return ()

    @property
    def is_several(self) -> bool:
        """Whether the author lists several symbols for the same cell."""
        return bool(self.members)

    @property
    def parts(self) -> tuple[SymbolEntry, ...]:
        """The symbols that stand for the cell together: those of the author's list, or the symbol itself."""
        return self.members or (self,)

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
        if self.members:
            return any(each.varies for each in self.members)
        rolled = self.terrain, self.to, self.lock if self.kind is None else None
        return self.switch is not None or any(
            value is not None and type(value) is not Constant for value in rolled
        )

    @property
    def tells_more(self) -> bool:
        """Whether the symbol says more about a cell than its terrain: an object, a key, a destination of stairs or a lock."""
        return any(each.stands or each.to is not None or each.lock is not None for each in self.parts)

    @cached_property
    def stands(self) -> bool:
        """Whether something may lie on a cell with this symbol or around it, or is told of it: an object, a key, a marker."""
        return self.kind is not None or self.key is not None or bool(self.around) or self.tells_of_cell

    @cached_property
    def tells_of_cell(self) -> bool:
        """Whether the symbol tells the game of its cell, or keeps scattered objects off it."""
        has_data = self.kind is None and bool(self.data)
        return has_data or self.marker is not None or "no_spawn" in self.model_fields_set

    @property
    def lock_names(self) -> frozenset[str]:
        """The names of the locks that the symbol may give to a door, its object, or the objects that come with it."""
        if self.model_fields_set.isdisjoint(LOCKING_KEYS):
            return frozenset()
        asked = (each for leaf, _ in self.leaves() for each, _, _ in leaf.asked())
        locks = (each.lock.outcomes() for each in asked if each.lock is not None)
        return frozenset(word for words in locks for word in words if word is not None)

    def leaves(self, *path: str | int) -> Iterator[tuple[SymbolEntry, tuple[str | int, ...]]]:
        """Yield (symbol, path) for each meaning of the character: this symbol, or its cases, or the symbols of its list.

        Args:
            *path: The keys that lead to this symbol. A yielded path begins with them; that of a case goes on with further
                keys, such as "cases", "open".
        """
        if self.switch is None and not self.members:
            yield self, path
        for number, member in enumerate(self.members):
            yield from member.leaves(*path, number)
        for name, case in self.cases.items():
            yield from case.leaves(*path, "cases", name)

    def switches(self, *path: str | int) -> Iterator[tuple[SymbolEntry, tuple[str | int, ...]]]:
        """Yield (symbol, path) for each symbol with a `switch`: this symbol, those of its list, its cases and so on.

        Args:
            *path: The keys that lead to this symbol. A yielded path begins with them; that of a case goes on with further
                keys, such as "cases", "open".
        """
        for number, member in enumerate(self.members):
            yield from member.switches(*path, number)
        if self.switch is not None:
            yield self, path
            for name, case in self.cases.items():
                yield from case.switches(*path, "cases", name)


class SymbolList(SymbolEntry):
    """The meaning of a character for which an author lists several symbols.

    Attributes:
        listed: The symbols. Authors write the list itself, without a key.
    """

    listed: tuple[SymbolEntry, ...] = ()

    @property
    def members(self) -> tuple[SymbolEntry, ...]:
        """The symbols of the author's list, which stand for the cell together."""
        return self.listed


def _all_of(raw: Sequence[object], info: ValidationInfo) -> tuple[SymbolEntry, ...]:
    """Read a list of symbols, all of which stand for the same cell."""
    problems: list[ValueProblem] = []
    members: list[SymbolEntry] = []
    for number, each in enumerate(raw):
        try:
            members.append(SymbolEntry.model_validate(each, context=info.context))
        except ValidationError as error:
            problems += [problem.inside(number) for problem in problems_of(error, SymbolEntry)]
    if len(raw) > MAX_TOGETHER:
        problems.append(ValueProblem(message=f"at most {MAX_TOGETHER} items may be listed here"))
    raise_any(problems or _problems_together(members))
    return tuple(members)


def _names_object(raw: object, info: ValidationInfo) -> bool:
    """Tell whether an item of a list is a symbol with keys of its own, rather than terrain, or a choice of terrain by weight."""
    if not isinstance(raw, dict):
        return False
    kinds = info.context.kinds if isinstance(info.context, Names) else Kinds()
    return any(not isinstance(raw[word], int | float) for word in (*kinds.words, *NAMING) if word in raw)


def only_one(kind: str) -> str:
    """Return the message for a second robot, prop or trap in a cell, or a second kind of terrain."""
    return f"a cell has one {kind} at most; only items and debris may be several"


def _problems_together(members: Sequence[SymbolEntry]) -> list[ValueProblem]:
    """Return the problems that show when the symbols of a list are compared: a second terrain, robot, prop or trap."""
    problems, seen = [], set[str]()
    for number, member in enumerate(members):
        singles = [] if member.terrain is None else ["terrain"]
        singles += [str(member.like)] if member.like is not None and member.like not in LYING else []
        for kind in singles:
            if kind in seen:
                word = member.written(kind)
                problems.append(
                    ValueProblem(message=only_one(kind), path=(number, word), value=word, key=True)
                )
            seen.add(kind)
    return problems


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
