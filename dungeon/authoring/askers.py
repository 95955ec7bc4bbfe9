"""Who asks for a prefab: encounters, maps, and prefabs that it is fitted into, each with the depths at which it may."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.content.library import Content
    from dungeon.core.errors import Source

AskerKind = Literal["encounter", "map", "prefab"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Something in the content that asks for a prefab.

    Attributes:
        kind: What it is; `name` is its name.
        source: Where its entry stands.
        maps: The maps of the world on which it may come to be, as (depth, map id), in order of depth.
        variants: Of an encounter with variants, those that ask for it.
    """

    kind: AskerKind
    name: str
    source: Source
    maps: tuple[tuple[int, str], ...]
    variants: tuple[str, ...] = ()


def maps_of_world(content: Content) -> list[tuple[int, str, str]]:
    """Return (depth, map id, type of map) of every map that worlds may have, in order of depth."""
    return sorted(
        (spot.depth, spot.id, name)
        for spot in content.chart.spots.values()
        for name, weight in spot.types.items()
        if content.weight_at(weight, spot.depth) > 0
    )


def askers(content: Content, name: str) -> list[Asker]:
    """Return who asks for a prefab: encounters first, then maps, then prefabs that have it fitted in."""
    world = maps_of_world(content)
    hosts = _hosts(content)
    found = [*_encounters(content, name, world), *_maps(content, name, world)]
    known: dict[str, set[tuple[int, str]]] = {}

    def places(asked: str) -> set[tuple[int, str]]:
        """Return the maps on which a prefab may come to be, by itself or within others."""
        if asked not in known:
            own = [*_encounters(content, asked, world), *_maps(content, asked, world)]
            known[asked] = {place for asker in own for place in asker.maps}
            known[asked].update(*(places(host) for host in hosts.get(asked, ())))
        return known[asked]

    nests = hosts.get(name, ())
    return [*found, *(_asker(content, "prefab", host, sorted(places(host))) for host in nests)]


def _hosts(content: Content) -> dict[str, list[str]]:
    """Return prefab -> the prefabs that it may be fitted into, each once."""
    hosts: dict[str, dict[str, None]] = {}
    for host, prefab in content.prefabs.items():
        for name in (name for names in prefab.template.fits.values() for name in names):
            hosts.setdefault(name, {})[host] = None
    return {name: list(found) for name, found in hosts.items()}


def shallowest(content: Content, name: str) -> int | None:
    """Return the least depth at which anything asks for a prefab; None if nothing does."""
    return min((depth for asker in askers(content, name) for depth, _ in asker.maps), default=None)


def _encounters(content: Content, name: str, world: list[tuple[int, str, str]]) -> Iterator[Asker]:
    for encounter in content.encounters:
        forms = [
            form
            for form in content.forms[encounter]
            if any(prefab.name == name for prefab in content.choices[form.label])
        ]
        if forms:
            maps = [
                (depth, map_id)
                for depth, map_id, map_name in world
                if encounter in content.weights_on(map_name, depth)
            ]
            variants = tuple(form.variant for form in forms if form.variant)
            yield replace(_asker(content, "encounter", encounter, maps), variants=variants)


def _maps(content: Content, name: str, world: list[tuple[int, str, str]]) -> Iterator[Asker]:
    for map_name, params in content.layouts.items():
        words = [*params.asked_for(), *(word for word, _ in content.maps[map_name].seeded_words())]
        if any(prefab.name == name for word in words for prefab in content.called[word]):
            maps = [(depth, map_id) for depth, map_id, each in world if each == map_name]
            yield _asker(content, "map", map_name, maps)


def _asker(content: Content, kind: AskerKind, name: str, maps: list[tuple[int, str]]) -> Asker:
    return Asker(kind=kind, name=name, source=content.sources[kind, name], maps=tuple(maps))
