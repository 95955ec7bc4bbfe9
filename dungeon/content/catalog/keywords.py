"""The keywords of objects: which kinds of objects can have them, and which of them the game is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dungeon.core.vocabulary import SpawnKind

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
