"""The kinds of objects of a game: the five built-in ones (prop, trap, robot, item, debris), and those of its ``kinds.yaml``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from dungeon.core.frozen import NOTHING, by_fields
from dungeon.core.vocabulary import SPAWN_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.core.vocabulary import SpawnKind


AS_ITS_KIND: SpawnKind = cast("SpawnKind", "")
"""The default of `like`: an object is like its own kind."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of objects.

    Attributes:
        word: Its key in content files: ``robot``, ``npc``.
        called: Its plural. The catalog of its objects is ``objects/<called>.yaml``.
        name: Its name in levels. A synonym of a built-in kind has the built-in kind's name.
        like: The built-in kind as which it is placed, proved, played and drawn.
    """

    word: str
    called: str
    name: str
    like: SpawnKind


def plural(word: str) -> str:
    """Return the default plural of a kind: ``robots`` for ``robot``."""
    return word if word == "debris" else f"{word}s"


BUILT_IN: dict[str, Kind] = {word: Kind(word, plural(word), word, word) for word in SPAWN_KINDS}
"""Word -> built-in kind."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """All kinds of objects of a content.

    Attributes:
        own: Word -> kind, for the kinds of its ``kinds.yaml``.
        unclear: Words of kinds whose entry in ``kinds.yaml`` has errors.
        whole: Whether every ``kinds.yaml`` was read in full. If not, any other word may be a kind, too.
    """

    own: Mapping[str, Kind] = NOTHING
    unclear: frozenset[str] = frozenset()
    whole: bool = True

    __reduce__ = by_fields

    @property
    def are_built_in(self) -> bool:
        """Whether there are only the built-in kinds."""
        return not self.own and not self.any_more

    @property
    def any_more(self) -> bool:
        """Whether there may be further kinds, which could not be read."""
        return bool(self.unclear) or not self.whole

    @property
    def words(self) -> tuple[str, ...]:
        """The words of all kinds, the built-in ones first."""
        return (*SPAWN_KINDS, *self.own)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all kinds, the built-in ones first."""
        return tuple(dict.fromkeys(self[word].name for word in self.words))

    @property
    def declared(self) -> dict[str, str]:
        """Name -> built-in kind that it is like, for each kind that is not built in."""
        return {kind.name: kind.like for kind in self.own.values() if kind.name not in BUILT_IN}

    def __getitem__(self, word: str) -> Kind:
        """Return the kind with this word. KeyError if there is none."""
        return BUILT_IN[word] if word in BUILT_IN else self.own[word]

    def like(self, *built_in: str) -> tuple[str, ...]:
        """Return the names of these built-in kinds and of all kinds that are like them, in the order of `built_in`."""
        return tuple(name for each in built_in for name in self.names if self[name].like == each)
