"""From the keywords of an object to what it answers the player with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from game_demo.state.things.fixtures import MOST, OFFERS, Careless, Explosive, Lid, Offer, Terminal, Volatile

if TYPE_CHECKING:
    from game_demo.state.things.keywords import Keywords


def fixtures_of(keywords: Keywords) -> list[Any]:
    """Return what the keywords of an object make of it, beyond what all of its kind are."""
    parts: list[Any] = []
    kind = keywords.spawn.kind
    if kind == "robot" and keywords.flag("careless", default=False):
        parts.append(Careless())
    if kind == "robot" and (explosive := _explosive(keywords)) is not None:
        parts.append(Volatile(explosive))
    if kind == "prop" and (explosive := _explosive(keywords)) is not None:
        parts.append(explosive)
    if kind == "prop" and (offers := _offers(keywords)):
        parts.append(Terminal(offers))
    if kind == "prop" and keywords.flag("lid"):
        parts.append(Lid())
    return parts


def _explosive(keywords: Keywords) -> Explosive | None:
    value = keywords.spawn.keywords.get("explodes")
    if value is None:
        return None
    radius, damage = (value.get("radius"), value.get("damage")) if isinstance(value, Mapping) else (0, 0)
    if isinstance(radius, int) and isinstance(damage, int) and 0 < radius <= MOST and 0 < damage <= MOST:
        return Explosive(radius, damage)
    keywords.warn("explodes", value, f"{{radius: 2, damage: 8}}, of 1 to {MOST} each")
    return None


def _offers(keywords: Keywords) -> list[Offer]:
    value = keywords.spawn.keywords.get("terminal")
    if value is None:
        return []
    asked = value if isinstance(value, tuple) else (value,)
    if strange := [each for each in asked if each not in OFFERS]:
        keywords.warn("terminal", strange[0], f"any of {', '.join(OFFERS)}")
    return [each for each in OFFERS if each in asked]
