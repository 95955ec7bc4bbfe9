"""What a character of a drawing stands for: terrain, an object with its keywords, or one of several by a parameter.

A legend says that of all characters of one prefab, or of several.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeVar

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

from dungeon.content.catalog.selector import ANY, Selector, read_selector, selector_of
from dungeon.content.source.names import MAX_LISTED, Names, NewName, reader_of
from dungeon.content.source.problems import (
    UNKNOWN_KEY,
    UNSAID,
    CheckedEntry,
    MisreadError,
    ValueProblem,
    attempt,
    misread,
    problems_of,
    raise_any,
    unknown_key,
)
from dungeon.content.values.fields import (
    DEEPEST,
    HERE,
    DestinationValue,
    Flag,
    Free,
    Given,
    LegendNames,
    NewNameValue,
    Shift,
    TerrainValue,
    WeightValue,
    among,
    given,
)
from dungeon.content.values.grammar import NEVER, Constant
from dungeon.content.values.looks import GLYPH_SCHEMA, Glyph, read_glyph
from dungeon.content.values.value_fields import FlagValue, IntValue, Rolled, ShareValue, WordValue, within
from dungeon.core.errors import nearest_match
from dungeon.core.frozen import Frozen, nothing
from dungeon.core.kinds import BUILT_IN, Kind, plural
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
"""Keyword -> the kinds of objects that can have it; the others suit all kinds."""

OF_CHOICE = ("strong", "fallback", "prototype", "rating")
"""Keywords that say which member of a class or category is chosen, so that none may be named."""

SAID = ("state", "lock", "opens", "ambush", "port", "one_way")
"""Keywords that the game is told as they are rolled."""

TELLING = frozenset({*SAID, "roll", "data"})
"""Keywords that tell the game more of an object than the catalog does."""

PARTICULAR = frozenset({*KINDS_OF, *OF_CHOICE})
"""Keywords that do not suit every object."""


M = TypeVar("M", bound=Entry)

ONE_OBJECT = "one object at most can be named"


class KindEntry(Entry):
    """A kind of objects that the author adds, or another word for a built-in one.

    Attributes:
        like: The built-in kind that it is to all that places, proves, plays and draws.
        alias: Whether it is but another word for that.
        called: What several of them are called: their catalog is the file of that name in `objects`. By default it is
            the word and an s.
    """

    like: Annotated[SpawnKind, *among(*SPAWN_KINDS)]
    alias: Flag = False
    called: Given[NewName] = None

    def kind(self, word: str) -> Kind:
        """Return the kind of that word."""
        return Kind(word, self.called or plural(word), self.like if self.alias else word, self.like)


def read_in_own_words(
    model: type[M], raw: object, read: ModelWrapValidatorHandler[M], info: ValidationInfo
) -> M:
    """Read what is said of an object whose kind may be given in a word of the content's own.

    It is put under the built-in word that the kind is like, so that all that is said of one holds of the other.

    Args:
        model: What it is read as.
        raw: What is said, as written.
        read: Reads it, in built-in words.
        info: The context of validation, which knows the content's own words.

    Raises:
        MisreadError: Something is wrong with it. There is no reason in it where it can't be told what a word means.
        ValidationError: Likewise, where all words are built in.
    """
    names = info.context if isinstance(info.context, Names) else Names({})
    kinds = names.kinds
    if not isinstance(raw, dict) or kinds.are_built_in:
        return read(raw)
    fields, refused = model.__pydantic_fields__, model.NOT_HERE
    if not raw.keys() - fields.keys() - refused.keys():
        return read(raw)
    strange = [key for key in raw if key not in fields and key not in refused]
    if not kinds.unclear.isdisjoint(strange) or not (kinds.whole or kinds.own.keys() >= {*strange}):
        raise MisreadError([])
    said = {key: value for key, value in raw.items() if key not in strange}
    words = {key: key for key in said}
    problems: list[ValueProblem] = []
    for word in strange:
        problem = _misplaced(model, word, names, words)
        if problem is not None:
            problems.append(problem)
        else:
            kind = kinds[word]
            words[kind.like] = word
            said[kind.like] = attempt(problems, partial(_selector, kind, info=info), raw[word], word)
    if not problems:
        return read(said)
    try:
        read(raw)  # to hear what is wrong with the rest
    except ValidationError as error:
        problems += [
            problem
            for problem in problems_of(error, model)
            if problem.path[:1] not in {(word,) for word in strange}
        ]
    raise MisreadError(problems)


def _misplaced(model: type[Entry], word: str, names: Names, words: Mapping[str, str]) -> ValueProblem | None:
    """Return why a word can't be used in a model, beside keys that are said under these words; None if it can."""
    kinds = names.kinds
    if word in names.gone.get("kind", ()) and (problem := names.problem("kind", word)):
        return replace(problem, path=(word,), key=True)
    kind = kinds.own.get(word)
    if kind is None or kind.like not in model.model_fields:
        others = [each for each in kinds.own if kinds[each].like in model.model_fields]
        return unknown_key(model, word, kind and kind.like, others)
    if kind.like in words:
        return ValueProblem(
            message=f"{ONE_OBJECT}, and {words[kind.like]} is", path=(word,), value=word, key=True
        )
    return None


def _selector(kind: Kind, raw: object, info: ValidationInfo) -> Selector:
    return read_selector(kind, given(raw), info)


def written_as(key: str, value: object) -> str:
    """Return the word under which something is said that is kept under a key."""
    return value.own.word if isinstance(value, Selector) and value.own is not None else key


LEADING_ON = ("stairs_down", "exit")
"""Terrain that can say where it leads."""


def read_lock_or_any(raw: object, info: ValidationInfo) -> str:
    """Read the name of a lock of ``locks.yaml``, or `any`."""
    return ANY if raw == ANY else reader_of("lock")(raw, info)


LockOrAny = Annotated[str, BeforeValidator(read_lock_or_any)]


class ObjectEntry(CheckedEntry):
    """What is said of an object, wherever it is asked for.

    A word of the content's own for a kind stands where that of the built-in kind may that it is like.

    Attributes:
        prop: Which prop. One of the kinds of object is named.
        trap: Which trap.
        robot: Which robot.
        item: Which item.
        debris: Which debris.
        chance: How likely it is there at all.
        strong: Whether a robot is to be one level stronger than the depth asks for.
        fallback: Whether the weakest member of the class will do where none fits the depth.
        prototype: Whether an item or trap is taken from among the prototypes, rather than the common ones.
        never_faulty: Whether a prototype is never a faulty one.
        rating: How many levels deeper than here an item or trap may belong: out of depth.
        state: The state that it is in, instead of what the catalog says.
        lock: What a prop, or a locked door, is locked with; what has the same word under `opens` opens it.
        opens: The lock that a prop or item opens.
        ambush: A word that an item and robots of a prefab, or of an encounter, share: when the item is taken, these come.
        roll: Free keywords in the value grammar, rolled for each object.
        data: Free keywords; they reach the game as they are written, lists as tuples.
    """

    NOT_HERE: ClassVar[dict[str, str]] = dict.fromkeys(
        ("name", "glyph", "fg", "blocks", "opaque", "light", "carries", "threat", "worth"),
        "this is said of the object itself, in its catalog in objects/",
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
        """Return what is wrong with it, once each of its keys has been read."""
        return [*self._problems_of_kind(), *self._problems()]

    def written(self, key: str) -> str:
        """Return what authors write for a key."""
        return written_as(key, getattr(self, key))

    def _problems_of_kind(self) -> list[ValueProblem]:
        kinds = [kind for kind in SPAWN_KINDS if getattr(self, kind) is not None]
        if len(kinds) < 2 and self.model_fields_set.isdisjoint(PARTICULAR):
            return []
        problems = self.refused(*kinds[1:], message=f"{ONE_OBJECT}, and {self.word} is")
        if len(kinds) == 1:
            wrong = [key for key, able in KINDS_OF.items() if kinds[0] not in able]
            for key in wrong:
                able = " and ".join(BUILT_IN[kind].called for kind in KINDS_OF[key])
                problems += self.refused(key, message=f"only {able} can have this")
            if self.selector is not None and self.selector.tags is not None:
                message = "this chooses among the members of a class or category, and here a tag is given"
                problems += self.refused(*(key for key in OF_CHOICE if key not in wrong), message=message)
            elif "prototype" not in self.model_fields_set:
                message = "only prototypes can be faulty, and `prototype` does not ask for one"
                problems += self.refused("never_faulty", message=message)
        return problems

    def _problems(self) -> list[ValueProblem]:
        """Return what else is wrong with it."""
        return []

    @cached_property
    def like(self) -> SpawnKind | None:
        """Which built-in kind of object it is, or is like, if any."""
        return next((kind for kind in SPAWN_KINDS if getattr(self, kind) is not None), None)

    @cached_property
    def selector(self) -> Selector | None:
        """Which object it is, if any."""
        return getattr(self, self.like) if self.like else None

    @cached_property
    def kind(self) -> str | None:
        """Which kind of object it is, if any: its name in the catalog and on levels."""
        return self.selector.own.name if self.selector and self.selector.own else self.like

    @cached_property
    def word(self) -> str | None:
        """The key under which it is written which object it is, if any."""
        return written_as(self.like, self.selector) if self.like else None

    @cached_property
    def said(self) -> Mapping[str, Value[Any]]:
        """What it says of the object's state, lock, key, ambush and portal, each under its keyword."""
        values = {name: getattr(self, name, None) for name in SAID}
        return Frozen({name: value for name, value in values.items() if value is not None})

    @cached_property
    def is_plain(self) -> bool:
        """Whether the game is told nothing of the object that the catalog does not say."""
        return self.model_fields_set.isdisjoint(TELLING)

    @cached_property
    def may_stay_away(self) -> bool:
        """Whether it is not there at all, by its chance, some of the time."""
        return any(chance is not None and chance < 1 for chance in self.chance.odds())

    @cached_property
    def is_settled(self) -> bool:
        """Whether it always asks for the same, the depth of the map aside."""
        if self.selector is not None and self.selector.equipped_by is not None:
            return False
        rolled = [getattr(self, key) for key in OF_CHOICE]
        if self.selector is not None:
            rolled.append(self.selector.tags)
        return all(isinstance(value, Constant | None) for value in rolled)


MOST_HELD = 100


class HeldEntry(ObjectEntry):
    """Items that a robot or a prop holds.

    Attributes:
        item: Which item.
        count: How many it holds.
    """

    NOT_HERE: ClassVar = ObjectEntry.NOT_HERE | {"loadout": "what is held holds nothing itself"}

    count: Annotated[IntValue, within(0, MOST_HELD)] = Constant(1)

    @model_validator(mode="before")
    @classmethod
    def _is_mapping(cls, raw: object) -> object:
        if isinstance(raw, str):
            raise misread("a mapping such as {item: scrap, chance: 50%} is needed here", raw)
        return raw

    def _problems(self) -> list[ValueProblem]:
        if self.kind is None:
            return [ValueProblem(message="an item is needed here: 'item'")]
        problems = self.refused("ambush", message="this springs nothing: nobody takes it from the ground")
        problems += self.refused("opens", message="no lock is opened by what a robot holds, but by its death")
        if self.like not in (None, "item"):
            problems += self.refused(self.like, message="only items are held")
        return problems


Loadout = Annotated[tuple[HeldEntry, ...], Field(max_length=MAX_LISTED)]
"""What a robot or a prop holds."""


class StandingEntry(ObjectEntry):
    """What is said of an object that stands on a map, and may hold others.

    Attributes:
        loadout: What a robot or a prop holds, instead of what the catalog says.
    """

    loadout: Given[Loadout] = None


class SymbolEntry(StandingEntry):
    """What one character of a drawing stands for: terrain, an object, or an object on terrain.

    Attributes:
        terrain: The terrain of the cell, decided for each cell anew; `floor` where only an object is named.
        to: Where stairs lead: a map's name or id, decided for each cell anew. Without it they lead wherever the map leads.
        unique: Whether neighbours with the same character choose for themselves.
        shift: How far it may stand from where it is drawn: [columns, rows] either way.
        group: Of a prefab's characters in one group exactly one comes true; which group that is, is decided at each use.
        weight: How likely that is this one; decided likewise.
        key: The lock of `locks.yaml` whose key may lie here, or `any`; with a robot or a prop, which of them may hold it.
        port: A word that two props of a prefab share: who stands on one of them may go to the other.
        one_way: Whether one only leaves by this end, and does not come back.
        switch: The parameter of the prefab that decides which of the `cases` this is.
        cases: What the parameter may be -> what the character then stands for.
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
            problems += self.refused(*self.ONLY_OF_OBJECTS, message="only an object can have this")
        if self.terrain is None or not set(self.terrain.outcomes()) <= set(LEADING_ON):
            problems += self.refused("to", message=f"only {' and '.join(LEADING_ON)} can have this")
        if self.port is None:
            problems += self.refused("one_way", message="no port is named of which this is an end")
        else:
            problems += self.refused("lock", message="a portal can't be locked here; what lies before it can")
        if self.group is None:
            problems += self.refused(
                "weight", message="this weighs the characters of a group, and no group is named"
            )
        return problems

    def _problems_of_switch(self) -> list[ValueProblem]:
        others = sorted(self.model_fields_set - {"switch", "cases"})
        problems = self.refused(*others, message="this belongs into the cases of the switch")
        if self.switch is None:
            problems.append(ValueProblem(message="'switch' is missing: the parameter that decides", key=True))
        if not self.cases:
            problems.append(
                ValueProblem(
                    message="'cases' are missing: what the parameter may be, and what then", key=True
                )
            )
        return problems

    def settled(self, parameters: Mapping[str, str | None]) -> SymbolEntry | None:
        """Return what it stands for with these parameters; None for nothing."""
        symbol: SymbolEntry | None = self
        while symbol is not None and symbol.switch is not None:
            symbol = symbol.cases.get(parameters.get(symbol.switch) or "")
        return symbol

    @cached_property
    def is_fixed(self) -> bool:
        """Whether it always stands where it is drawn."""
        return self.shift == HERE

    @cached_property
    def moves(self) -> bool:
        """Whether it may ever stand elsewhere."""
        return any(reach.moves for reach in self.shift.outcomes())

    @cached_property
    def varies(self) -> bool:
        """Whether it does not always stand for the same."""
        rolled = self.terrain, self.to, self.lock if self.kind is None else None
        return self.switch is not None or any(
            value is not None and type(value) is not Constant for value in rolled
        )

    @property
    def tells_more(self) -> bool:
        """Whether it says more of a cell than what terrain that is."""
        return self.stands or self.to is not None or self.lock is not None

    @cached_property
    def stands(self) -> bool:
        """Whether something may come to be on its cell: an object, or the key of a lock."""
        return self.kind is not None or self.key is not None

    def leaves(self, *path: str) -> Iterator[tuple[SymbolEntry, tuple[str, ...]]]:
        """Yield everything it may stand for, with the path to it: itself, or its cases."""
        if self.switch is None:
            yield self, path
        for name, case in self.cases.items():
            yield from case.leaves(*path, "cases", name)

    def switches(self, *path: str) -> Iterator[tuple[SymbolEntry, tuple[str, ...]]]:
        """Yield it and those of its cases that are switches, with the paths to them."""
        if self.switch is not None:
            yield self, path
            for name, case in self.cases.items():
                yield from case.switches(*path, "cases", name)


MAX_CHARACTERS = 500


def _space_is_empty(legend: dict[str, SymbolEntry]) -> dict[str, SymbolEntry]:
    if " " in legend and any(symbol.kind is not None for symbol, _ in legend[" "].leaves()):
        raise misread("a space is an empty cell; only terrain can be there", UNSAID, " ", key=True)
    return legend


Legend = Annotated[
    dict[Glyph, SymbolEntry], Field(max_length=MAX_CHARACTERS), AfterValidator(_space_is_empty)
]


class LegendEntry(Entry):
    """A legend that several prefabs share: character -> what it stands for.

    Attributes:
        extends: Other legends that it adds to and overrides.
    """

    model_config = ConfigDict(
        extra="allow", json_schema_extra={"propertyNames": {"anyOf": [GLYPH_SCHEMA, {"enum": ["extends"]}]}}
    )
    __pydantic_extra__: dict[str, SymbolEntry]

    extends: LegendNames = ()

    @model_validator(mode="wrap")
    @classmethod
    def _one_character_each(cls, raw: object, read: ModelWrapValidatorHandler[Self]) -> Self:
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
            problems.append(ValueProblem(message=f"at most {MAX_CHARACTERS} may be listed here"))
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
        """What its own characters stand for."""
        return self.__pydantic_extra__
