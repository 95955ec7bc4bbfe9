"""In which form a copy of an encounter comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dungeon.content.library import Content
    from dungeon.content.models.encounters import Form
    from dungeon.core.streams import Streams


def forms_in_turn(content: Content, depth: int, streams: Streams, name: str, copy: int) -> list[Form]:
    """Return the forms in which a copy of an encounter may come to a level, in the order in which they are tried.

    Args:
        content: The content.
        depth: How deep the level lies.
        streams: The level's streams.
        name: The encounter.
        copy: Which copy, from 1.
    """
    forms = {form.label: (form, weight) for form, weight in content.forms_at(name, depth)}
    weights = {label: weight for label, (_, weight) in forms.items()}
    return [forms[label][0] for label in streams.race(weights, "place", name, copy, "form")]
