"""Rules about zones: the parts of a map, which hang on each other as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.level.proof.fields import Finding
    from dungeon.level.proof.survey import Survey


def zone_order(survey: Survey) -> Iterator[Finding]:
    """Zones are numbered 1, 2, 3... in order, and each has a name of its own."""
    names: set[str] = set()
    for number, zone in enumerate(survey.level.zones, 1):
        if zone.id != number:
            yield f"zone {number} has the id {zone.id}", None, None
        if zone.name in names:
            yield f"another zone is called {zone.name!r}", None, None
        names.add(zone.name)


def zone_parent(survey: Survey) -> Iterator[Finding]:
    """A zone is joined to one before it, or to none."""
    for number, zone in enumerate(survey.level.zones, 1):
        if not 0 <= zone.parent < number:
            yield f"zone {zone.name} is joined to zone {zone.parent}", None, None


def zone_regions(survey: Survey) -> Iterator[Finding]:
    """A zone has regions, which are some of the level, and none belongs to two zones."""
    taken: dict[int, str] = {}
    for zone in survey.level.zones:
        if not zone.regions:
            yield f"zone {zone.name} has no region", None, None
        for number in zone.regions:
            if number not in survey.regions:
                yield f"zone {zone.name} has a region {number}, which there is not", None, None
            elif number in taken:
                bounds = survey.regions[number].bounds
                yield f"zone {zone.name} and zone {taken[number]} share region {number}", bounds.y, bounds.x
            taken[number] = zone.name


def zone_gates(survey: Survey) -> Iterator[Finding]:
    """The gates of zones are connections of the level, or cells where portals begin."""
    ways = {(way.y, way.x) for way in survey.level.connections}
    ways |= {portal.begin for portal in survey.level.portals}
    for zone in survey.level.zones:
        for y, x in zone.gates:
            if (y, x) not in ways:
                yield f"a gate of zone {zone.name} is no connection of the level, nor a portal", y, x
