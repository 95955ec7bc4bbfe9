"""A level as JSON, and back."""

from __future__ import annotations

from dungeon.core.wanted import A_LEVEL, check_type
from dungeon.level.model import Level


def to_json(level: Level) -> str:
    """Return the level as JSON; equal levels give equal text."""
    from dungeon.adapters.json import level_json  # noqa: PLC0415 - few programs keep levels so

    check_type(level, Level, "to_json", A_LEVEL)
    return level_json.written(level)


def from_json(text: str) -> Level:
    """Return the level that `to_json` wrote, in this version of the library or any before.

    Raises:
        ValueError: The text is not such a level, or a newer version wrote it; the message says where it departs from one.
    """
    from dungeon.adapters.json import level_json  # noqa: PLC0415

    check_type(text, (str, bytes), "from_json", "the text that to_json wrote")
    return level_json.read(text)
