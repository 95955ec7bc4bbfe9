"""Names: how they are written, and which of them exist.

An entry's name begins with a letter or digit and goes on with letters (of any language), digits, ``_`` and ``-``,
60 at most: no spaces, dots or slashes, because a name is also part of a map id (``foundry/3``), of an .xp file's
name, and of the value grammar (``2..5``). Two names of one kind must not differ in case alone. Words with a
meaning of their own (``true``, ``null``; among objects also ``value``, ``class``...) can't be names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BeforeValidator, ValidationInfo

from dungeon.content.faults import Fault, MisreadError, misread
from dungeon.vocabulary import SPAWN_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MAX_LENGTH = 60
NAME = re.compile(rf"[^\W_][\w-]{{0,{MAX_LENGTH - 1}}}")
RESERVED = ("true", "false", "null")
RESERVED_FOR_OBJECTS = (*RESERVED, "value", "chance", "class", "category")
"""Words that a choice of objects reads as something else than a tag."""

MAX_COMPARED = 10_000
"""With more names than that, a misspelt one is not compared to them."""

CLOSEST = 20
"""How many names, those that share most pairs of letters with a misspelt one, are compared in earnest."""


def plural(kind: str) -> str:
    """Return what several objects of a kind are called."""
    return kind if kind == "debris" else f"{kind}s"


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


def name_fault(kind: str, name: str) -> Fault | None:
    """Return what is wrong with the name of a new entry, or None."""
    if NAME.fullmatch(name) is None:
        message = f"a name begins with a letter or digit, has only letters, digits, _ and - in it, and {MAX_LENGTH} at most"
    elif name in (RESERVED_FOR_OBJECTS if kind in SPAWN_KINDS else RESERVED):
        message = "this word has a meaning of its own and can't be a name"
    else:
        return None
    return Fault(message=message, value=name, key=True)


def read_new_name(raw: object) -> str:
    """Read a word that the author makes up: a tag, a class, a group.

    Raises:
        MisreadError: It is not written as names are.
    """
    name = read_word(raw)
    if fault := name_fault("", name):
        raise MisreadError([fault])
    return name


class NameList:
    """Names that exist, ready to find the one that a misspelt name was meant to be."""

    def __init__(self, names: Iterable[str]) -> None:
        self._known = frozenset(names)

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
        return folded[matches[0]] if matches else None


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
    """

    known: Mapping[str, NameList]

    def fault(self, kind: str, name: str) -> Fault | None:
        """Return what is wrong with a reference, or None."""
        names = self.known.get(kind)
        if names is None or name in names:
            return None
        message = f"there is no {kind} of this name"
        if kind in ("terrain", *SPAWN_KINDS):
            others = [other for other in SPAWN_KINDS if name in self.known.get(other, ())]
            if others:
                return Fault(message=f"{message}, but a {others[0]}", value=name)
        return Fault(message=message, value=name, allowed=names)


def check_name(kind: str, name: str, info: ValidationInfo) -> None:
    """Check that something of that kind and name exists, if the context of validation tells.

    Raises:
        MisreadError: It does not.
    """
    if isinstance(info.context, Names) and (fault := info.context.fault(kind, name)):
        raise MisreadError([fault])


def named(kind: str) -> AfterValidator:
    """Return the annotation of a name that something of that kind must have."""

    def check(name: str, info: ValidationInfo) -> str:
        check_name(kind, name, info)
        return name

    return AfterValidator(check)


Name = Annotated[str, BeforeValidator(read_word)]
"""A reference to an entry."""

NewName = Annotated[str, BeforeValidator(read_new_name)]
"""A word that the author makes up."""
