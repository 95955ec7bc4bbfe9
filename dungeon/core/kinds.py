"""The kinds of objects of a game: the five built-in ones (prop, trap, robot, item, debris), and those that ``kinds.yaml`` declares.

A kind has a *word* (its key in content files, such as ``npc``) and a *name* (how levels call it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from dungeon.core.frozen import NOTHING, by_fields
from dungeon.core.vocabulary import SPAWN_KINDS, SpawnKind

if TYPE_CHECKING:
    from collections.abc import Mapping


AS_ITS_KIND: SpawnKind = cast("SpawnKind", "")
"""The default of `like`: an object is like its own kind."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of objects.

    Attributes:
        word: The kind's key in content files: ``robot``, ``npc``.
        called: The plural of the word. The catalog of these objects is ``objects/<called>.yaml``.
        name: The kind's name in levels. If the kind is only another word for a built-in kind, it is that kind's name.
        like: The built-in kind that it is treated as when objects are placed, proved, played and drawn.
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
        own: Word -> kind, for the kinds that the content's ``kinds.yaml`` declares.
        unclear: Words of kinds whose entry in ``kinds.yaml`` has errors.
        whole: Whether every ``kinds.yaml`` could be read in full. If not, any unknown word may be a kind, too.
    """

    own: Mapping[str, Kind] = NOTHING
    unclear: frozenset[str] = frozenset()
    whole: bool = True

    __reduce__ = by_fields

    @property
    def are_built_in(self) -> bool:
        """Whether the content has only the built-in kinds, and no declaration of another kind was unreadable."""
        return not self.own and not self.any_more

    @property
    def any_more(self) -> bool:
        """Whether the content may declare further kinds, in a part of ``kinds.yaml`` that has errors or was not read."""
        return bool(self.unclear) or not self.whole

    @property
    def words(self) -> tuple[str, ...]:
        """The words (keys in content files) of all kinds, the built-in ones first."""
        return (*SPAWN_KINDS, *self.own)

    @property
    def names(self) -> tuple[str, ...]:
        """The names (as in levels) of all kinds, each once, the built-in ones first."""
        return tuple(dict.fromkeys(self[word].name for word in self.words))

    @property
    def declared(self) -> dict[str, str]:
        """For each kind that is not built in: its name -> the built-in kind that it is like."""
        return {kind.name: kind.like for kind in self.own.values() if kind.name not in BUILT_IN}

    def __getitem__(self, word: str) -> Kind:
        """Return the kind with this word (key in content files).

        Raises:
            KeyError: No kind has this word.
        """
        return BUILT_IN[word] if word in BUILT_IN else self.own[word]

    def like(self, *built_in: str) -> tuple[str, ...]:
        """Return the names of these built-in kinds and of all kinds that are like one of them.

        ("robot", "item") -> ("robot", "npc", "item") if the content declares the kind ``npc`` as like a robot.
        """
        return tuple(name for each in built_in for name in self.names if self[name].like == each)
