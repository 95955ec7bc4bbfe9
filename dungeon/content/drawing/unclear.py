"""What characters may be meant to mean although what says so is not right, so that nobody is told that they mean nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dungeon.content.prefab.variation import STEPS
from dungeon.content.source.marks import holds_broken
from dungeon.core.errors import nearest_match

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dungeon.content.source.files import Record

PALETTE_KEYS = ("extends", "glyphs", "colours", "match")
EXPLAINING = ("like", "legend", "legends", "palette", "vary", "aliases")
"""Keys of a prefab that say what its characters mean."""


@dataclass
class Unclear:
    """What is known of entries that are not right.

    Attributes:
        chars: Characters that mean something, but what it is could not be read.
        whole: Whether no other character may mean something, too.
    """

    whole: bool
    chars: set[str] = field(default_factory=set)

    def add_legend(self, record: Record | None) -> None:
        """Take in a shared legend that is not right, or that there is not."""
        if record is None or not isinstance(record.data, dict):
            self.whole = False
            return
        self.chars |= set(record.fields)
        self.whole = self.whole and is_legible(record.fields.get("extends"))

    def add_palette(self, raw: object) -> None:
        """Take in a palette as written that is not right, or that there is not (None)."""
        if not isinstance(raw, dict):
            self.whole = False
            return
        glyphs = raw.get("glyphs", {})
        self.chars |= _keys(glyphs)
        self.whole = self.whole and isinstance(glyphs, dict) and is_legible(raw.get("extends"))
        self.whole = self.whole and not _misspells(raw, PALETTE_KEYS, ("glyphs", "extends"))

    def add_prefab(self, record: Record, known: Iterable[str]) -> None:
        """Take in what a prefab that is not right says of its own characters.

        Args:
            record: The prefab.
            known: All keys that a prefab may have.
        """
        raw = record.fields
        legend, steps = raw.get("legend", {}), raw.get("vary", [])
        self.chars |= _keys(legend) | _varied(steps)
        self.add_palette(raw.get("palette", {}))
        legible = (
            isinstance(record.data, dict) and isinstance(legend, dict) and is_legible(raw.get("legends"))
        )
        legible = legible and isinstance(steps, list) and all(isinstance(step, dict) for step in steps)
        legible = legible and not (record.is_lost or holds_broken(steps) or holds_broken(raw.get("aliases")))
        self.whole = self.whole and legible and not _misspells(raw, known, EXPLAINING)


def _misspells(raw: Iterable[str], known: Iterable[str], meant: Iterable[str]) -> bool:
    """Tell whether one of the keys is none that is known, and like one of those that may be meant."""
    keys, wanted = list(known), list(meant)
    return any(nearest_match(key, keys) in wanted for key in raw if key not in keys)


def is_legible(raw: object) -> bool:
    """Tell whether all names in a list of them, or a single one, can be read."""
    listed = raw if isinstance(raw, list) else [] if raw is None else [raw]
    return all(isinstance(word, str | int) for word in listed)


def _varied(raw: object) -> set[str]:
    """Return the characters that steps seem to ask for, as far as they can be read."""
    steps = [step for step in raw if isinstance(step, dict)] if isinstance(raw, list) else []
    said = [
        step[key]
        for step in steps
        for key in step
        if key in (*STEPS, "of") or not any(name in step for name in STEPS)
    ]
    words = [word for each in said for word in (each if isinstance(each, list) else [each])]
    return {char for word in words if isinstance(word, str | int) for char in str(word)}


def _keys(raw: object) -> set[str]:
    return set(raw) if isinstance(raw, dict) else set()
