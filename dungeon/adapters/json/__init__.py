"""A level as JSON, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dungeon.level.model import Level


def to_json(level: Level) -> str:
    """Return the level as JSON; equal levels give equal text."""
    from dungeon.adapters.json import level_json  # noqa: PLC0415 - few programs keep levels so

    return level_json.written(level)


def from_json(text: str) -> Level:
    """Return the level that `to_json` wrote, in this version of the library or any before.

    Raises:
        ValueError: The text is not such a level, or a newer version wrote it; the message says where it departs from one.
    """
    from dungeon.adapters.json import level_json  # noqa: PLC0415

    return level_json.read(text)
