"""The kinds of objects of a game: the five that all games have, and what a content declares besides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from dungeon.core.frozen import NOTHING, by_fields
from dungeon.core.vocabulary import SPAWN_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.core.vocabulary import SpawnKind


AS_ITS_KIND: SpawnKind = cast("SpawnKind", "")
"""What an object is like if nobody says: its kind itself."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of objects, under a word for it.

    Attributes:
        word: What content calls one of them, as a key: ``robot``, ``npc``.
        called: What several of them are called; their catalog is ``objects/<called>.yaml``.
        name: What levels call the kind: another word for a built-in kind has that one's name.
        like: The built-in kind that it is to whatever places, proves, plays and draws.
    """

    word: str
    called: str
    name: str
    like: SpawnKind


def plural(word: str) -> str:
    """Return what several objects of a kind are called if nobody says."""
    return word if word == "debris" else f"{word}s"


BUILT_IN: dict[str, Kind] = {word: Kind(word, plural(word), word, word) for word in SPAWN_KINDS}
"""Word -> the kind that all games have."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """All kinds of objects of a content.

    Attributes:
        own: Word -> what its ``kinds.yaml`` says of it.
        unclear: Words that are kinds, but what is said of them is not right.
        whole: Whether no other word may be one, because a ``kinds.yaml`` could not be read in full.
    """

    own: Mapping[str, Kind] = NOTHING
    unclear: frozenset[str] = frozenset()
    whole: bool = True

    __reduce__ = by_fields

    @property
    def are_built_in(self) -> bool:
        """Whether there are none but those that all games have."""
        return not self.own and not self.any_more

    @property
    def any_more(self) -> bool:
        """Whether there may be others, of which it can't be told what they are."""
        return bool(self.unclear) or not self.whole

    @property
    def words(self) -> tuple[str, ...]:
        """Every word for a kind, the built-in ones first."""
        return (*SPAWN_KINDS, *self.own)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all kinds, the built-in ones first."""
        return tuple(dict.fromkeys(self[word].name for word in self.words))

    @property
    def declared(self) -> dict[str, str]:
        """Name of a kind of the content's own -> the built-in kind that it is like."""
        return {kind.name: kind.like for kind in self.own.values() if kind.name not in BUILT_IN}

    def __getitem__(self, word: str) -> Kind:
        """Return the kind of a word. KeyError if it is none."""
        return BUILT_IN[word] if word in BUILT_IN else self.own[word]

    def like(self, *built_in: str) -> tuple[str, ...]:
        """Return the names of the kinds that are like these built-in ones, or are these, in the order of these."""
        return tuple(name for each in built_in for name in self.names if self[name].like == each)
