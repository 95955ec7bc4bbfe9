"""The uses of a prefab: the encounters, maps, towers and other prefabs that refer to it, with the depths of each. A host is a prefab into which another one is fitted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.content.library import Content
    from dungeon.core.errors import Source

UserKind = Literal["encounter", "map", "tower", "prefab"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefabUse:
    """An encounter, map, tower or prefab that refers to a prefab.

    Attributes:
        kind: Whether it is an encounter, a map, a tower or a prefab; `name`: its name.
        source: The place of its entry.
        maps: The maps on which it may bring the prefab, as (depth, map id), in order of depth.
        variants: The variants that refer to the prefab, for an encounter with variants.
    """

    kind: UserKind
    name: str
    source: Source
    maps: tuple[tuple[int, str], ...]
    variants: tuple[str, ...] = ()


def use_text(use: PrefabUse) -> str:
    """Return a use in words: who uses the prefab, on which maps, and the place of its entry."""
    where = ", ".join(map_id for _, map_id in use.maps) or "no map of this world"
    name = f"{use.name} as {' or '.join(use.variants)}" if use.variants else use.name
    return f"{use.kind} {name}, on {where}  [{use.source}]"


def maps_of_world(content: Content) -> list[tuple[int, str, str]]:
    """Return (depth, map id, map type) of every map that any world may have, in order of depth."""
    return sorted(
        (spot.depth, spot.id, name)
        for spot in content.chart.spots.values()
        for name, weight in spot.types.items()
        if content.weight_at(weight, spot.depth) > 0
    )


def uses_of(content: Content, name: str) -> list[PrefabUse]:
    """Return the uses of a prefab: by encounters first, then by maps, by towers, and by prefabs into which it is fitted."""
    world = maps_of_world(content)
    hosts = _hosts(content)
    found = [*_by_itself(content, name, world)]
    known: dict[str, set[tuple[int, str]]] = {}

    def places(asked: str) -> set[tuple[int, str]]:
        """Return (depth, map id) of the maps on which prefab `asked` may appear, by itself or inside others."""
        if asked not in known:
            known[asked] = {place for use in _by_itself(content, asked, world) for place in use.maps}
            known[asked].update(*(places(host) for host in hosts.get(asked, ())))
        return known[asked]

    nests = hosts.get(name, ())
    return [*found, *(_asker(content, "prefab", host, sorted(places(host))) for host in nests)]


def _by_itself(content: Content, name: str, world: list[tuple[int, str, str]]) -> Iterator[PrefabUse]:
    """Yield the uses of a prefab by encounters, maps and towers; `world`: the maps that `maps_of_world` returns."""
    yield from _encounters(content, name, world)
    yield from _maps(content, name, world)
    for tower, floors in content.chart.towers.items():
        maps = [
            (content.chart.spots[map_id].depth, map_id)
            for map_id, _, value in floors
            if any(prefab.name == name for word in value.outcomes() for prefab in content.called[word])
        ]
        if maps:
            yield _asker(content, "tower", tower, maps)


def _hosts(content: Content) -> dict[str, list[str]]:
    """Return prefab -> the prefabs into which it may be fitted, each once."""
    hosts: dict[str, dict[str, None]] = {}
    for host, prefab in content.prefabs.items():
        for name in (name for names in prefab.template.fits.values() for name in names):
            hosts.setdefault(name, {})[host] = None
    return {name: list(found) for name, found in hosts.items()}


def shallowest(content: Content, name: str) -> int | None:
    """Return the lowest depth at which a prefab is used; None if it is not used."""
    return min((depth for use in uses_of(content, name) for depth, _ in use.maps), default=None)


def _encounters(content: Content, name: str, world: list[tuple[int, str, str]]) -> Iterator[PrefabUse]:
    """Yield the uses of a prefab by encounters, with the maps on which these encounters are possible.

    `world`: the maps that `maps_of_world` returns.
    """
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
                if encounter in content.weights_on(map_name, depth) and content.may_use(name, map_name, depth)
            ]
            variants = tuple(form.variant for form in forms if form.variant)
            yield replace(_asker(content, "encounter", encounter, maps), variants=variants)


def _maps(content: Content, name: str, world: list[tuple[int, str, str]]) -> Iterator[PrefabUse]:
    for map_name, params in content.layouts.items():
        words = [*params.asked_for(), *(word for word, _ in content.maps[map_name].seeded_words())]
        if any(prefab.name == name for word in words for prefab in content.called[word]):
            maps = [
                (depth, map_id)
                for depth, map_id, each in world
                if each == map_name and content.may_use(name, each, depth)
            ]
            yield _asker(content, "map", map_name, maps)


def _asker(content: Content, kind: UserKind, name: str, maps: list[tuple[int, str]]) -> PrefabUse:
    return PrefabUse(kind=kind, name=name, source=content.sources[kind, name], maps=tuple(maps))
