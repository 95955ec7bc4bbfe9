"""Names: how they are written, and which of them exist.

An entry's name is made of letters (of any language), digits, ``_`` and ``-``, 60 at most; there is a letter in it,
and it does not begin with ``_`` or ``-``. It has no spaces, dots or slashes and is no number, because a name is also
part of a map id (``foundry/3``), of an .xp file's name, and of the value grammar (``2..5``). Two names of one kind must
not differ in case alone. Words with a meaning of their own (``true``, ``null``; among objects also ``value``,
``class``, ``any``...) can't be names. Words that an author makes up (tags, classes, groups...) are written likewise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, ValidationInfo, WithJsonSchema

from dungeon.content.source.problems import MisreadError, ValueProblem, attempt, misread, raise_any
from dungeon.core.errors import with_article
from dungeon.core.kinds import Kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from dungeon.core.errors import Source

MAX_LENGTH = 60
MAX_LISTED = 1000
"""How many names may stand in one list, or mapping."""

NAME = re.compile(rf"(?=.*[^\W\d_])[^\W_][\w-]{{0,{MAX_LENGTH - 1}}}")
NAME_PATTERN = rf"^(?=.*[^0-9_-])[^\s!-/:-@\[-`{{-~][^\s!-,./:-@\[-^`{{-~]{{0,{MAX_LENGTH - 1}}}$"
"""Nearly the same for JSON Schema, whose patterns know letters of English only: no signs of ASCII but _ and -."""

RESERVED = ("true", "false", "null")
RESERVED_FOR_OPTIONS = (*RESERVED, "value", "chance", "class", "category")
"""Words that are no options of a choice."""

RESERVED_FOR_OBJECTS = (*RESERVED_FOR_OPTIONS, "any")
"""Words that a choice of objects reads as something else than a tag."""

MAX_COMPARED = 10_000
"""With more names than that, a misspelt one is not compared to them."""

HAS_A_MEANING = "this word has a meaning of its own and can't be a name"

CLOSEST = 20
"""How many names, those that share most pairs of letters with a misspelt one, are compared in earnest."""


def read_word(raw: object) -> str:
    """Read a name, as the reference to an entry or as a word of the author's own.

    Raises:
        MisreadError: It is none. (A name of digits alone is read as a number, and accepted.)
    """
    if isinstance(raw, int) and not isinstance(raw, bool):
        return str(raw)
    if not isinstance(raw, str):
        raise misread("a name is needed here", raw)
    if not raw:
        raise misread("a name is needed here, not empty quotes")
    return raw


def name_problem(name: str, reserved: Collection[str] = RESERVED) -> ValueProblem | None:
    """Return what is wrong with the name of a new entry, or None; `reserved` words can't be names."""
    if NAME.fullmatch(name) is None:
        message = (
            f"a name is letters, digits, _ and - (a letter at least, not _ or - first, {MAX_LENGTH} at most)"
        )
    elif name in reserved:
        message = HAS_A_MEANING
    else:
        return None
    return ValueProblem(message=message, value=name)


def read_new_name(raw: object) -> str:
    """Read a word that the author makes up: a tag, a class, a group.

    Raises:
        MisreadError: It is not written as names are.
    """
    name = read_word(raw)
    if problem := name_problem(name):
        raise MisreadError([problem])
    return name


class NameList:
    """Names that exist, ready to find the one that a misspelt name was meant to be.

    Args:
        names: The names.
        is_open: Whether there may be others, from plugins. Then a name must differ by a typing error alone to be
            taken for one of these.
    """

    def __init__(self, names: Iterable[str], *, is_open: bool = False) -> None:
        self._known = frozenset(names)
        self._is_open = is_open

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed)

    @cached_property
    def listed(self) -> tuple[str, ...]:
        """The names that a message can show, in alphabetical order."""
        shown = (name for name in self._known if name.isprintable() and 0 < len(name) <= MAX_LENGTH)
        return tuple(sorted(shown))

    @cached_property
    def _pairs(self) -> dict[str, frozenset[str]]:
        return {name: _pairs_of(name) for name in self.listed}

    def nearest(self, word: str) -> str | None:
        """Return the name that `word` was most likely meant to be, or None."""
        if len(word) > 2 * MAX_LENGTH or len(self._known) > MAX_COMPARED:
            return None
        if len(self._known) <= CLOSEST:
            near = list(self.listed)
        else:
            pairs = _pairs_of(word)
            common = sorted((-len(pairs & own), name) for name, own in self._pairs.items())
            near = [name for _, name in common[:CLOSEST]]
        folded = {name.casefold(): name for name in near}
        matches = get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
        if not matches or (self._is_open and _typing_errors(word.casefold(), matches[0]) > len(word) // 4):
            return None
        return folded[matches[0]]


def _typing_errors(typed: str, meant: str) -> int:
    """Return the fewest letters to add, drop, replace or swap with the next one that make one word of another.

    This is the optimal string alignment distance, after F. J. Damerau (1964).
    """
    last: list[int] = []
    before: list[int] = []
    row: list[int] = [*range(len(meant) + 1)]
    for y, letter in enumerate(typed, 1):
        last, before, row = before, row, [y]
        for x, other in enumerate(meant, 1):
            least = min(before[x] + 1, row[x - 1] + 1, before[x - 1] + (letter != other))
            if y > 1 and x > 1 and (letter, typed[y - 2]) == (meant[x - 2], other):
                least = min(least, last[x - 2] + 1)
            row.append(least)
    return row[-1]


def _pairs_of(word: str) -> frozenset[str]:
    framed = f" {word.casefold()} "
    return frozenset(framed[i : i + 2] for i in range(len(framed) - 1))


@dataclass(frozen=True, slots=True)
class Names:
    """Every name that content may refer to, also of entries that are not valid themselves.

    It travels as the context of validation, so that a wrong name is found where it is read.

    Attributes:
        known: Kind -> names. A kind that is not in it is not known in full, because a file with some of its
            entries could not be read; then any name passes.
        gone: Kind -> names that are no more -> where a mod removes them.
        kinds: The kinds of objects.
        undrawn: The prefabs without a drawing, which nothing but other prefabs can name.
        partly: Kind that is not known in full -> the names of it that could be read.
        unread: Names that passed though no entry with them could be read. Whoever validates an entry may empty the
            list before, and finds in it afterwards which of the entry's references lead to nothing that is known.
    """

    known: Mapping[str, NameList]
    gone: Mapping[str, Mapping[str, Source]] = field(default_factory=dict)
    kinds: Kinds = field(default_factory=Kinds)
    undrawn: Collection[str] = ()
    partly: Mapping[str, Collection[str]] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list, compare=False)

    def problem(self, kind: str, name: str) -> ValueProblem | None:
        """Return what is wrong with a reference, or None."""
        names = self.known.get(kind)
        if names is None:
            if name not in self.partly.get(kind, ()):
                self.unread.append(name)
            return None
        if name in names:
            return None
        message = f"there is no {kind} of this name"
        if name in self.gone.get(kind, ()):
            return ValueProblem(message=f"{message} any more; {self.gone[kind][name]} removes it", value=name)
        if kind == "prefab or tag" and name in self.undrawn:
            return ValueProblem(
                message="this prefab has no drawing, and is there only for others to be like it", value=name
            )
        for other, written in _mistaken(kind, self.kinds):
            if name in self.known.get(other, ()):
                how = f", which is written {{{written}: {name}}}" if written else ""
                return ValueProblem(
                    message=f"{message}, but {with_article(written or other)}{how}", value=name
                )
        return ValueProblem(message=message, value=name, allowed=names)


def _mistaken(kind: str, kinds: Kinds) -> Iterator[tuple[str, str]]:
    """Yield what names of a kind may be mistaken for, and the key that asks for that in its place, if one does."""
    for word in kinds.words:
        asked = [(f"{question} of {kinds[word].called}", question) for question in ("class", "category")]
        if kind in (word, *(what for what, _ in asked)):
            yield from asked
            yield word, ""
    if kind == "terrain":
        yield from ((word, word) for word in kinds.names)
    elif kind in kinds.words:
        yield from ((word, "") for word in kinds.names)


def check_name(kind: str, name: str, info: ValidationInfo) -> None:
    """Check that something of that kind and name exists, if the context of validation tells.

    Raises:
        MisreadError: It does not.
    """
    if isinstance(info.context, Names) and (problem := info.context.problem(kind, name)):
        raise MisreadError([problem])


def reader_of(kind: str) -> Callable[[object, ValidationInfo], str]:
    """Return what reads a reference to something of that kind."""

    def read(raw: object, info: ValidationInfo) -> str:
        name = read_word(raw)
        check_name(kind, name, info)
        return name

    return read


def named(kind: str) -> BeforeValidator:
    """Return the annotation of a name that something of that kind must have."""
    return BeforeValidator(reader_of(kind))


def read_several(
    read: Callable[[object], str], raw: object, least: int = 0, most: int = MAX_LISTED
) -> tuple[str, ...]:
    """Read a list of names without repetitions; a single name is a list of one.

    Raises:
        MisreadError: It is none, or too short or long, or something is wrong with a name.
    """
    if raw is None or isinstance(raw, dict):
        raise misread("a name, or a list of names, is needed here", raw)
    is_list = isinstance(raw, list | tuple)
    items = raw if isinstance(raw, list | tuple) else [raw]
    if len(items) < least:
        raise misread("an empty list leaves nothing to choose from")
    if len(items) > most:
        raise misread(f"at most {most} may be listed here", raw)
    problems: list[ValueProblem] = []
    found: dict[str, None] = {}
    for number, each in enumerate(items):
        path = (number,) if is_list else ()
        name = attempt(problems, read, each, *path)
        if name in found:
            problems.append(ValueProblem(message="this is listed twice", path=path, value=name))
        elif name is not None:
            found[name] = None
    raise_any(problems)
    return tuple(found)


NEW_NAME: dict[str, object] = {"type": "string", "pattern": NAME_PATTERN}
NewName = Annotated[str, BeforeValidator(read_new_name), WithJsonSchema(NEW_NAME)]
"""A word that the author makes up."""


def words_of(raw: object) -> list[str]:
    """Return the names in a list of them, or in a mapping to weights, or a single one, as far as they can be read."""
    listed = raw if isinstance(raw, list | dict) else [raw]
    return [str(word) for word in listed if isinstance(word, str | int)]


def groups_in(said: object) -> list[str]:
    """Return the groups that an encounter declares: of the map, or under each scope."""
    scopes = said.values() if isinstance(said, dict) else [said]
    return [word for each in scopes for word in words_of(each)]
