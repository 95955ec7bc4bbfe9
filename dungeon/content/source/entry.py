"""The base of everything that YAML becomes."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from dungeon.core.frozen import freeze_fields


class Entry(BaseModel):
    """Base of all entries: frozen, and a key that no one knows is a mistake.

    Attributes:
        NOT_HERE: Keys that similar entries have -> why this one can't.
        short_form: What may be written instead of a mapping, if anything: JSON Schema with a `type`, or several, and
            what applies to those alone. Not inherited.
    """

    NOT_HERE: ClassVar[dict[str, str]] = {}

    model_config = ConfigDict(extra="forbid", frozen=True)
    short_form: ClassVar[dict[str, object] | None] = None

    def model_post_init(self, _context: object, /) -> None:
        """Freeze what the entry holds: it is shared by all levels."""
        freeze_fields(self)
