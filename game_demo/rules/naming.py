"""What things are called, in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from game_demo.state.components import Appearance, Tag, Words

if TYPE_CHECKING:
    from game_demo.state.components import Use


def name_of(entity: int) -> str:
    """Return what the player reads of an entity."""
    return esper.component_for_entity(entity, Appearance).name


def one_of(name: str) -> str:
    """Return a name with the article that it takes."""
    return f"{'an' if name[:1].lower() in tuple('aeiou') else 'a'} {name}"


def sentence(entity: int) -> str:
    """Return what is read of a prop, or just what it is."""
    words = esper.try_component(entity, Words)
    name = ", ".join([name_of(entity), *condition(entity)])
    return f"{name[:1].upper()}{name[1:]}. {words.text if words else ''}".rstrip()


def condition(entity: int) -> list[str]:
    """Return what state a thing is in, what locks it and what it opens, as far as its author said so."""
    keywords = esper.component_for_entity(entity, Tag).keywords
    told = {"state": "{}", "lock": "locked ({})", "opens": "opens {}"}
    parts = [
        form.format(keywords[name]) for name, form in told.items() if isinstance(keywords.get(name), str)
    ]
    if keywords.get("prototype") is True:
        parts.append("a prototype")
    return [part.replace("_", " ") for part in parts]


def use_of(use: Use | None) -> str:
    """Return what an item does when it is applied, empty if that is nothing."""
    if use is None:
        return ""
    parts = [f"repairs {use.repair}"] if use.repair else []
    return ", ".join(parts + ([f"power +{use.power}"] if use.power else []))
