"""The base models of everything that authors write: entries of content, and parameters of layouts and placing modes.

They stand apart from the registry of layouts and placing modes, as pydantic takes half as long to import as all else
together, and programs that neither read content nor make levels never need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict

from dungeon.core.frozen import freeze_fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Entry(BaseModel):
    """Base of all entries: frozen, and a key that no one knows is a mistake.

    Attributes:
        NOT_HERE: Keys that similar entries have -> why this one can't.
        short_form: What may be written instead of a mapping, if anything: JSON Schema with a `type`, or several, and
            what applies to each of them alone. Not inherited.
    """

    NOT_HERE: ClassVar[dict[str, str]] = {}

    model_config = ConfigDict(extra="forbid", frozen=True)
    short_form: ClassVar[dict[str, object] | None] = None

    def model_post_init(self, _context: object, /) -> None:
        """Freeze what the entry holds: it is shared by all levels."""
        freeze_fields(self)


class Parameters(Entry):
    """Base of what an author may set on a layout or a placing mode."""

    # What checks parameters is built when there are some: only then pydantic looks for plug-ins, which takes 10 ms.
    model_config = ConfigDict(validate_default=True, defer_build=True)

    def asked_for(self) -> tuple[str, ...]:
        """Return the names and tags of the prefabs that the parameters ask for, so that these count as used."""
        return ()

    def named_zones(self) -> Mapping[str, Any]:
        """Return the zones that its maps may have, by name, each with its `theme`, its `step` and its `lock`, as a `ZoneEntry` has."""
        return {}

    def laid_terrain(self) -> Iterator[tuple[str, Any, bool]]:
        """Yield the terrain that is laid: its key, its value, and whether one must be able to walk on it or must not."""
        return iter(())

    def layouts_of_zones(self) -> Mapping[str, tuple[str, Parameters]]:
        """Return zone -> the name and the parameters of the layout that builds it, if zones have layouts of their own."""
        return {}
