"""Names of entries: how they are written, and which exist. A *kind* is what a name stands for: "prefab", "class of robots".

A *reference* is the name of an entry where an author uses it, such as the `prefabs` of an encounter. A *tag*, *class* or *group* is a
word that an author makes up.

A name has at most 60 letters (of any language), digits, ``_`` and ``-``, at least one of them a letter, and
does not begin with ``_`` or ``-``. Spaces, dots and slashes are not allowed, and a name is never a number:
names are also parts of map ids (``foundry/3``), of .xp file names and of the value grammar (``2..5``). Two
names of one kind must differ in more than case. Words with a meaning of their own (``true``, ``null``; for
objects also ``value``, ``class``, ``any``) can't be names. The same rules hold for words that an author makes
up: tags, classes, groups.
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
"""Maximum length of a name."""
MAX_LISTED = 1000
"""Maximum number of names in one list or mapping."""

NAME = re.compile(rf"(?=.*[^\W\d_])[^\W_][\w-]{{0,{MAX_LENGTH - 1}}}")
NAME_PATTERN = rf"^(?=.*[^0-9_-])[^\s!-/:-@\[-`{{-~][^\s!-,./:-@\[-^`{{-~]{{0,{MAX_LENGTH - 1}}}$"
"""Nearly `NAME`, for JSON Schema, whose patterns can't tell letters of other languages: it excludes ASCII signs but ``_``, ``-``."""

RESERVED = ("true", "false", "null")
RESERVED_FOR_OPTIONS = (*RESERVED, "value", "chance", "class", "category")
"""Words that can't be options of a choice, because the value grammar gives them a meaning."""

RESERVED_FOR_OBJECTS = (*RESERVED_FOR_OPTIONS, "any")
"""Words that can't be tags of objects, because references give them a meaning."""

MAX_COMPARED = 10_000
"""If there are more names of a kind than this, no similar name is offered for a misspelt one."""

HAS_A_MEANING = "this word has a meaning of its own and can't be a name"

CLOSEST = 20
"""How many names are compared letter by letter with a misspelt one: those sharing most pairs of letters with it."""


def read_word(raw: object) -> str:
    """Return a name as text; a whole number, which is how YAML reads a name of digits alone, is accepted.

    Raises:
        MisreadError: `raw` is neither text nor a whole number, or it is empty.
    """
    if isinstance(raw, int) and not isinstance(raw, bool):
        return str(raw)
    if not isinstance(raw, str):
        raise misread("a name is needed here", raw)
    if not raw:
        raise misread("a name is needed here, not empty quotes")
    return raw


def name_problem(name: str, reserved: Collection[str] = RESERVED) -> ValueProblem | None:
    """Return what is wrong with the name of a new entry; None if nothing is. Words in `reserved` can't be names."""
    if NAME.fullmatch(name) is None:
        message = f"a name consists of letters, digits, _ and - (at least one letter, not _ or - first, at most {MAX_LENGTH} characters)"
    elif name in reserved:
        message = HAS_A_MEANING
    else:
        return None
    return ValueProblem(message=message, value=name)


def read_new_name(raw: object) -> str:
    """Return a word that the author makes up, such as a tag, a class or a group.

    Raises:
        MisreadError: `raw` breaks the rules for names.
    """
    name = read_word(raw)
    if problem := name_problem(name):
        raise MisreadError([problem])
    return name


class NameList:
    """All names of one kind; `nearest` finds the one that a misspelt name was meant to be.

    Args:
        names: The names.
        is_open: Whether plugins may add names that are not listed. `nearest` then returns a name only if it
            differs from the misspelt one by at most one typing error in four letters.
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
        """The names in alphabetical order, without those that a message can't show: unprintable or too long ones."""
        shown = (name for name in self._known if name.isprintable() and 0 < len(name) <= MAX_LENGTH)
        return tuple(sorted(shown))

    @cached_property
    def _pairs(self) -> dict[str, frozenset[str]]:
        return {name: _pairs_of(name) for name in self.listed}

    def nearest(self, word: str) -> str | None:
        """Return the name that the misspelt `word` was most likely meant to be; None if no name is similar to it."""
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
    """Return how many single-letter edits turn `typed` into `meant`: insert, delete, replace, or swap two neighbours.

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
    """All names that content may refer to, including those of invalid entries.

    pydantic passes this object to every validator as the context, so that a wrong name is found where it is read.

    Attributes:
        known: Kind of names -> all names of that kind. A kind is missing if a file with its entries could not be
            read; then any name is accepted.
        gone: Kind of names -> name of an entry that a mod removed -> where the mod removes it.
        kinds: The kinds of objects: item, robot, ... and those that the content declares.
        undrawn: Prefabs without a drawing; only other prefabs can name them, under `like`.
        partly: Kind that is missing in `known` -> the names of that kind that could be read.
        unread: Names that were accepted although no entry of that name could be read. Empty it before you
            validate an entry; afterwards it lists the names in that entry that could not be checked.
    """

    known: Mapping[str, NameList]
    gone: Mapping[str, Mapping[str, Source]] = field(default_factory=dict)
    kinds: Kinds = field(default_factory=Kinds)
    undrawn: Collection[str] = ()
    partly: Mapping[str, Collection[str]] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list, compare=False)

    def problem(self, kind: str, name: str) -> ValueProblem | None:
        """Return what is wrong with a reference to an entry by its kind and name; None if the entry exists or can't be checked."""
        names = self.known.get(kind)
        if names is None:
            if name not in self.partly.get(kind, ()):
                self.unread.append(name)
            return None
        if name in names:
            return None
        called = "type of map" if kind == "map" else kind  # a map is what has an id: `mines/3`
        message = f"there is no {called} of this name"
        if name in self.gone.get(kind, ()):
            return ValueProblem(message=f"{message} any more; {self.gone[kind][name]} removes it", value=name)
        if kind == "prefab or tag" and name in self.undrawn:
            return ValueProblem(
                message="this prefab has no drawing: it exists only for others to be 'like' it", value=name
            )
        for other, written in _mistaken(kind, self.kinds):
            if name in self.known.get(other, ()):
                how = f", which is written {{{written}: {name}}}" if written else ""
                return ValueProblem(
                    message=f"{message}, but {with_article(written or other)}{how}", value=name
                )
        return ValueProblem(message=message, value=name, allowed=names)


def _mistaken(kind: str, kinds: Kinds) -> Iterator[tuple[str, str]]:
    """Yield (other kind of names, YAML key) for each kind that authors often write where a name of `kind` is needed.

    The key is the one under which the author could write such a name; empty if there is none. Example: for `robot`, whose tag
    is needed, ("class of robots", "class"), since an author may write the name of a class.
    """
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
    """Check that an entry of that kind and name exists. Every name passes if the context of validation is no `Names`.

    Raises:
        MisreadError: The entry does not exist.
    """
    if isinstance(info.context, Names) and (problem := info.context.problem(kind, name)):
        raise MisreadError([problem])


def reader_of(kind: str) -> Callable[[object, ValidationInfo], str]:
    """Return a pydantic validator that reads the name of an existing entry of that kind, such as "prefab"."""

    def read(raw: object, info: ValidationInfo) -> str:
        name = read_word(raw)
        check_name(kind, name, info)
        return name

    return read


def named(kind: str) -> BeforeValidator:
    """Return the pydantic annotation of a field that holds the name of an existing entry of that kind, such as "prefab"."""
    return BeforeValidator(reader_of(kind))


def read_several(
    read: Callable[[object], str], raw: object, least: int = 0, most: int = MAX_LISTED
) -> tuple[str, ...]:
    """Return a list of names as a tuple, each at most once; a single name counts as a list of one.

    Args:
        read: Reads one name.
        raw: The list as written.
        least: The minimum number of names.
        most: The maximum number of names.

    Raises:
        MisreadError: `raw` is no list of names, has too few or too many, or one of them is wrong or listed twice.
    """
    if raw is None or isinstance(raw, dict):
        raise misread("a name, or a list of names, is needed here", raw)
    is_list = isinstance(raw, list | tuple)
    items = raw if isinstance(raw, list | tuple) else [raw]
    if len(items) < least:
        raise misread("a list must not be empty here: nothing could be chosen from it")
    if len(items) > most:
        raise misread(f"at most {most} items may be listed here", raw)
    problems: list[ValueProblem] = []
    found: dict[str, None] = {}
    for number, each in enumerate(items):
        path = (number,) if is_list else ()
        name = attempt(problems, read, each, *path)
        if name in found:
            problems.append(ValueProblem(message="this word is listed twice", path=path, value=name))
        elif name is not None:
            found[name] = None
    raise_any(problems)
    return tuple(found)


NEW_NAME: dict[str, object] = {"type": "string", "pattern": NAME_PATTERN}
NewName = Annotated[str, BeforeValidator(read_new_name), WithJsonSchema(NEW_NAME)]
"""A word that the author makes up."""


def words_of(raw: object) -> list[str]:
    """Return names as texts: the items of a list, the keys of a mapping, or a single name. What is no word is left out."""
    listed = raw if isinstance(raw, list | dict) else [raw]
    return [str(word) for word in listed if isinstance(word, str | int)]


def groups_declared(said: object) -> list[str]:
    """Return the groups that an encounter declares under `group`.

    Args:
        said: The value of that key as written: names, or a mapping scope (`map`, `world`, ...) -> names.
    """
    scopes = said.values() if isinstance(said, dict) else [said]
    return [word for each in scopes for word in words_of(each)]
