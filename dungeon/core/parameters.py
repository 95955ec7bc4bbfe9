"""The base models of what authors write: entries of content, and parameters of layouts and placing modes.

This module is apart from the registry because it imports pydantic, which takes half as long to import as everything else
together. Programs that neither read content nor make levels don't need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict

from dungeon.core.frozen import freeze_fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Entry(BaseModel):
    """Base of all pydantic models of content entries. They are frozen, and unknown keys are errors.

    Attributes:
        NOT_HERE: Key -> why entries of this model can't have it, for the error message. Authors may expect such a key, since
            similar entries have it.
        short_form: JSON Schema of what authors may write instead of a mapping, such as a text; None if only a mapping is
            allowed. Its keyword `type` may list several types. Subclasses don't inherit `short_form`.
    """

    NOT_HERE: ClassVar[dict[str, str]] = {}

    model_config = ConfigDict(extra="forbid", frozen=True)
    short_form: ClassVar[dict[str, object] | None] = None

    def model_post_init(self, _context: object, /) -> None:
        """Freeze the values of the entry's fields, because all levels share them."""
        freeze_fields(self)


class Parameters(Entry):
    """Base of the parameters of a layout or a placing mode."""

    # Build the validator at its first use, as pydantic then looks for its plugins, which takes 10 ms.
    model_config = ConfigDict(validate_default=True, defer_build=True)

    def asked_for(self) -> tuple[str, ...]:
        """Return the names and tags of the prefabs that the parameters name, so that `check` counts them as used."""
        return ()

    def named_zones(self) -> Mapping[str, Any]:
        """Return zone name -> zone, a `ZoneEntry`; empty without zones."""
        return {}

    def laid_terrain(self) -> Iterator[tuple[str, Any, bool]]:
        """Yield (key, value, walkable) for each parameter that names terrain; `walkable` is whether the terrain must be walkable."""
        return iter(())

    def layouts_of_zones(self) -> Mapping[str, tuple[str, Parameters]]:
        """Return zone name -> (name, parameters) of the layout that builds this zone; empty if no zone has a layout of its own."""
        return {}
