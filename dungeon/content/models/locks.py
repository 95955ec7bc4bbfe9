"""Locks of ``locks.yaml``, each under its name, for which the level itself places *keys*: objects that open them."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import (
    Field,
    ModelWrapValidatorHandler,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from dungeon.content.catalog.own_words import read_in_own_words, written_as
from dungeon.content.catalog.requests import ObjectEntry
from dungeon.content.catalog.selector import Selector, selector_of
from dungeon.content.models.rules import Entries, find_circles
from dungeon.content.source.names import named, words_of
from dungeon.content.source.problems import (
    CheckedEntry,
    MisreadError,
    ValueProblem,
    attempt,
    misread,
    problems_of,
    raise_any,
)
from dungeon.content.values.fields import Flag, Free, Given, Line, Share
from dungeon.content.values.grammar import Choice, Constant, Value, in_words
from dungeon.content.values.map_names import SeveralMaps
from dungeon.content.values.ratings import RatingValue
from dungeon.content.values.value_fields import IntValue, Probability, WordValue, names_of, within
from dungeon.core.frozen import nothing
from dungeon.core.parameters import Entry

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from dungeon.content.source.files import Record
    from dungeon.core.streams import Stream
    from dungeon.core.vocabulary import SpawnKind

OPENERS: tuple[SpawnKind, ...] = ("prop", "item", "robot")
"""The kinds of objects that can open locks: a lever, a key or a code, a robot's death."""

MOST_KEYS = 20
"""The largest number of keys of a lock, and of rooms or doors that a map locks with one word."""
MOST_OPENERS = 20
"""The largest number of openers of a lock of which a level has one."""
SHARES = re.compile(r"\s*([0-9]{1,3})\s*%\s*(\.\.\s*(([0-9]{1,3})\s*%\s*)?)?")


def read_shares(raw: object) -> tuple[float, float]:
    """Read a range of shares as two numbers from 0 to 1: ``20%..60%`` -> (0.2, 0.6), ``20%..`` -> (0.2, 1.0).

    Raises:
        MisreadError: `raw` is not written like this, or its ends are in the wrong order.
    """
    if isinstance(raw, tuple):
        return raw[0], raw[1]
    match = SHARES.fullmatch(raw) if isinstance(raw, str) else None
    if match is None or match[2] is None:
        raise misread("a range of shares such as 20%.. or 20%..60% is needed here", raw)
    low, high = int(match[1]), int(match[4] or 100)
    if not low <= high <= 100:
        raise misread("both shares must lie from 0% to 100%, the smaller one first", raw)
    return low / 100, high / 100


Shares = Annotated[
    tuple[float, float],
    PlainValidator(read_shares),
    WithJsonSchema({"type": "string", "pattern": f"^{SHARES.pattern}$"}),
]


LockName = Annotated[str, named("lock")]
LockValue = Annotated[Value[str], *names_of("lock")]
"""The name of a lock in the value grammar."""


class OpenerEntry(CheckedEntry):
    """What opens a lock: an object, several objects, or another lock that is opened.

    If the content declares its own word for a kind, that word can be used in place of the built-in one.

    Attributes:
        item: Which item: a key, or a code. Give exactly one of `item`, `prop`, `robot` and `lock`.
        prop: Which prop: a lever, for example.
        robot: Which robot, whose death opens the lock.
        lock: Another lock; when it is opened, this one opens too.
        count: How many of the objects are needed to open the lock. Those that are used up (`consumed`) are all used up.
        weight: How likely this is chosen among several openers.
        rating: For which depth an object of a class or category is chosen, as in legends.
        state: The state of the object.
        data: Free keywords, passed to the game as they are written; lists become tuples.
    """

    NOT_HERE: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("trap", "debris"), "a lock is opened by a prop, an item, a robot or another lock"),
        "chance": "the object that opens a lock must always be there",
        "opens": "this key is not needed: what is named here opens this lock",
    }

    item: Given[Annotated[Selector, *selector_of("item")]] = None
    prop: Given[Annotated[Selector, *selector_of("prop")]] = None
    robot: Given[Annotated[Selector, *selector_of("robot")]] = None
    lock: Given[LockName] = None
    count: Annotated[int, Field(ge=1, le=MOST_KEYS, strict=True)] = 1
    weight: Share = 1.0
    rating: Given[RatingValue] = None
    state: Given[WordValue] = None
    data: Free = Field(default_factory=nothing)

    @model_validator(mode="wrap")
    @classmethod
    def _in_own_words(cls, raw: object, read: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        return read_in_own_words(cls, raw, read, info)

    def problems(self) -> Iterator[ValueProblem]:
        """Yield the problems that show when the keys of this entry are compared with each other."""
        given = [key for key in (*OPENERS, "lock") if getattr(self, key) is not None]
        if not given:
            yield ValueProblem(message="one of item, prop, robot or lock is needed here", key=True)
            return
        words = [self.written(key) for key in given]
        yield from self.refused(
            *given[1:], message=f"only one thing can open a lock, and here {words[0]!r} says which"
        )
        if given[0] == "lock":
            yield from self.refused("state", "count", "rating", message="only an object can have this key")
        selector = getattr(self, given[0])
        if isinstance(selector, Selector) and selector.tags is not None:
            message = "this works only with a class or category, and here a tag is given"
            yield from self.refused("rating", message=message)
        if isinstance(selector, Selector) and selector.tags is not None and None in selector.tags.odds():
            yield ValueProblem(message="the object that opens a lock must always be there", path=(words[0],))

    def written(self, key: str) -> str:
        """Return a key of the entry as the author wrote it: instead of `item` it may be a word of the content's own, `fungus`."""
        return written_as(key, getattr(self, key))

    def __str__(self) -> str:
        """Return the opener in words: `3 of item fuse`, `prop` (of some class), `lock outer`."""
        key = next(each for each in (*OPENERS, "lock") if getattr(self, each) is not None)
        asked = getattr(self, key)
        name = asked.tags and in_words(asked.tags) if isinstance(asked, Selector) else asked
        count = f"{self.count} of " if self.count > 1 else ""
        return f"{count}{self.written(key)} {name or ''}".rstrip()

    @cached_property
    def asked(self) -> ObjectEntry | None:
        """The request for the object that opens the lock, which is placed on the level; None if another lock opens this one."""
        for kind in OPENERS:
            selector = getattr(self, kind)
            if selector is not None:
                said: dict[str, object] = {kind: selector, "data": dict(self.data)}
                if self.state is not None:
                    said["state"] = self.state
                if self.rating is not None:
                    said["rating"] = self.rating
                if selector.tags is None and selector.equipped_by is None:
                    said["fallback"] = True
                return ObjectEntry.model_validate(said)
        return None


OpenerList = Annotated[list[OpenerEntry], Field(min_length=1, max_length=MOST_OPENERS)]


def read_openers(raw: object, info: ValidationInfo) -> tuple[OpenerEntry, ...]:
    """Read what opens a lock: one `OpenerEntry`, or a list of them, of which a level has one.

    Raises:
        MisreadError: An opener is wrong, the list is empty, or no opener has a weight above 0.
    """
    if isinstance(raw, tuple) and all(isinstance(each, OpenerEntry) for each in raw):
        return raw

    def read(each: object) -> OpenerEntry:
        try:
            return OpenerEntry.model_validate(each, context=info.context)
        except ValidationError as error:
            raise MisreadError(problems_of(error, OpenerEntry)) from None

    if not isinstance(raw, list | tuple):
        opener = read(raw)
        raise_any(opener.refused("weight", message="only one of several openers, in a list, has a weight"))
        return (opener,)
    if not 1 <= len(raw) <= MOST_OPENERS:
        raise misread(f"from 1 to {MOST_OPENERS} openers can be listed here")
    problems: list[ValueProblem] = []
    openers = [attempt(problems, read, each, number) for number, each in enumerate(raw)]
    raise_any(problems)
    found = tuple(opener for opener in openers if opener is not None)
    if not any(opener.weight for opener in found):
        raise misread("at least one weight must be above zero")
    return found


ALL = "all"
"""The value of `keys` with which a level has every listed opener."""


def read_key_count(raw: object) -> int | str:
    """Read how many keys a level has: a number from 1 to `MOST_KEYS`, or `all`."""
    if raw == ALL:
        return ALL
    if isinstance(raw, bool) or not isinstance(raw, int) or not 1 <= raw <= MOST_KEYS:
        raise misread(f"a whole number from 1 to {MOST_KEYS}, or 'all', is needed here", raw)
    return raw


KeyCount = Annotated[
    int | str,
    PlainValidator(read_key_count),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1, "maximum": MOST_KEYS}, {"const": ALL}]}),
]


class LockEntry(CheckedEntry):
    """A lock of doors and containers, and what a level has to open it. Several doors may have the same lock.

    Attributes:
        name: The name that the player reads.
        opened_by: What opens the lock: an item, a prop or a robot, by tag, class or category, or several of these (`count`);
            or another lock. Of a list, each level has one, chosen evenly or by `weight`.
        consumed: Whether the key is used up when it opens a door or container.
        toggle: Whether the prop that opens the lock, such as a lever, shuts the lock again when it is used again.
        keys: How many keys a level has for this lock. If keys are used up, each door and container with the lock gets this
            many keys; otherwise all of them share this many. By default as many as the lock needs: any `count` of them open it.
            `all`: as many of every listed opener; any of them opens the lock.
        distance: How far a key lies from the nearest door or container with this lock, as a share of the longest walk on
            the level: ``20%..``. If no place is that far or near, the place that comes closest is taken.
        nested: The probability that a key lies behind another lock, where that is possible.
        keys_on: Maps on which the keys lie, instead of the map of the lock. Each key lies on one of these maps, drawn for each
            world; a player reaches it, and can come back, before he needs it. One set of keys opens every lock of this name
            in the world.
    """

    name: Line
    opened_by: Annotated[
        tuple[OpenerEntry, ...],
        PlainValidator(read_openers, json_schema_input_type=OpenerEntry | OpenerList),
    ]
    consumed: Flag = False
    toggle: Flag = False
    keys: Given[KeyCount] = None
    distance: Shares = (0.0, 1.0)
    nested: Probability = 0.9
    keys_on: SeveralMaps = ()

    def problems(self) -> Iterator[ValueProblem]:
        """Yield the problems that show when the keys of this entry are compared with each other."""
        things = [opener for opener in self.opened_by if opener.lock is None]
        if self.keys_on:
            message = "this is not possible for keys on other maps ('keys_on')"
            yield from self.refused("consumed", "toggle", "distance", message=message)
            if self.followed and things:
                message = (
                    "of several openers, another lock can't be one if the keys lie on other maps ('keys_on')"
                )
                yield ValueProblem(message=message, path=("opened_by",))
        if not things:
            own = ("consumed", "toggle", "keys", "distance", "nested", "keys_on")
            message = "another lock opens this one, so that it has no key of its own"
            yield from self.refused(*own, message=message)
        elif self.toggle:
            yield from self._problems_of_levers()
        most = max((opener.count for opener in things), default=1)
        if isinstance(self.keys, int) and self.keys < most:
            yield ValueProblem(
                message=f"the lock needs {most} of them to open", path=("keys",), value=self.keys
            )
        if self.keys == ALL and len({opener.count for opener in things}) > 1:
            message = "if a level has all of the openers, the lock must need as many of each: give all the same 'count'"
            yield ValueProblem(message=message, path=("keys",), value=ALL)

    def _problems_of_levers(self) -> Iterator[ValueProblem]:
        """Yield the problems of an entry with `toggle`."""
        levers = [opener for opener in self.opened_by if opener.prop is not None]
        if not levers:
            message = "only a prop, such as a lever, can shut again what it opens"
        elif self.consumed:
            message = "a key that is used up cannot shut again what it opens"
        elif any(opener.count > 1 for opener in levers):
            message = "only a prop that opens the lock alone can shut it again"
        else:
            return
        yield from self.refused("toggle", message=message)

    @property
    def followed(self) -> tuple[str, ...]:
        """The names of the locks that may open this one."""
        return tuple(opener.lock for opener in self.opened_by if opener.lock is not None)

    def openers_on(self, words: Collection[str], stream: Stream) -> tuple[OpenerEntry, ...]:
        """Return the openers that a level has: one, drawn by weight, or every one if the entry says `keys: all`.

        Empty if only locks open this one that are not on the level.

        Args:
            words: The names of the locks on the level.
            stream: The random stream.
        """
        openers = [each for each in self.opened_by if each.lock is None or each.lock in words]
        if self.keys == ALL or len(openers) < 2:
            return tuple(openers)
        options = tuple((Constant(each), each.weight) for each in openers)
        chosen = Choice(options).roll(stream) if any(each.weight for each in openers) else openers[0]
        return () if chosen is None else (chosen,)

    def keys_of(self, openers: Sequence[OpenerEntry]) -> int:
        """Return how many keys a level has if these openers are on it: the number `keys` or, with `keys: all`, all of them.

        The number is for each lock if keys are used up, else for all locks together.
        """
        things = [opener for opener in openers if opener.lock is None]
        return self.keys if isinstance(self.keys, int) else sum(opener.count for opener in things)


class MapLocks(Entry):
    """What a map locks with one lock of `locks.yaml`.

    Attributes:
        count: How many rooms or doors are locked with it.
        on: `room`: all doors of a room through which no path to an exit leads. `way`: a door or narrow passage through
            which every path to an exit leads.
    """

    short_form: ClassVar[dict[str, object] | None] = {
        "type": ["integer", "string"],
        "minimum": 0,
        "maximum": MOST_KEYS,
    }

    count: Annotated[IntValue, within(0, MOST_KEYS)] = Constant(1)
    on: Literal["room", "way"] = "room"

    @model_validator(mode="before")
    @classmethod
    def _bare_number_is_count(cls, raw: object) -> object:
        return {"count": raw} if isinstance(raw, int | str) else raw


def check_followed_locks(entries: Entries) -> None:
    """Check that no lock is opened by opening itself, directly or through other locks."""
    records = entries.records["lock"]
    below = {
        name: [word for _, opener in written_openers(record) for word in words_of(opener.get("lock"))]
        for name, record in records.items()
    }
    for name, circle in find_circles(below).items():
        message = f"this lock is opened by itself: {' -> '.join(circle)}"
        for path, opener in written_openers(records[name]):
            if circle[1] in words_of(opener.get("lock")):
                entries.log.add(records[name], message, *path, "lock")


def written_openers(record: Record) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, object]]]:
    """Yield (path, opener as written) for each opener of a lock; openers that are no mappings are left out."""
    said = record.fields.get("opened_by")
    listed = enumerate(said) if isinstance(said, list) else [(None, said)]
    for number, opener in listed:
        if isinstance(opener, dict):
            yield ("opened_by",) if number is None else ("opened_by", number), opener
