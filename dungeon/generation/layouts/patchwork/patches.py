"""The zones of a map of zones: which of them have a place, where that is, and what leads there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.content.models.layouts import TUNNEL, origins
from dungeon.content.values.grammar import roll
from dungeon.core.errors import CrampedError, GenerationError
from dungeon.core.registry import LAYOUTS
from dungeon.generation.layouts.patchwork.areas import LEAST, Claim, cut
from dungeon.generation.layouts.patchwork.coast import reach_of
from dungeon.grid.rect import Rect
from dungeon.grid.regions import bounds_of, components

if TYPE_CHECKING:
    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.generation.layouts.patchwork.params import PatchworkParams, PatchZone
    from dungeon.level.canvas import Canvas

TOUCHING = ("tumour", "multi-tumour")

DRIFT = 0.4
"""How much of the space that a zone does not need is left to what lies between zones, at most, where something does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A zone that has a place.

    Attributes:
        name: Its name, and `entry` what its author says of it.
        parent: The name of the zone that it is joined to; empty for the first.
        port: What leads there: a tunnel, or whatever else leads to an island.
        area: Its rectangles.
    """

    name: str
    entry: PatchZone
    parent: str
    port: str
    area: tuple[Rect, ...]

    @property
    def touches(self) -> bool:
        """Whether it may share walls with the other zone."""
        return self.entry.join in TOUCHING


def place(canvas: Canvas, params: PatchworkParams, job: LayoutJob) -> list[Patch]:
    """Return the zones that have a place, and where; the last ones are left out if there is not space for all.

    Raises:
        CrampedError: There is none for the first, alone, and nothing else is on the map.
        GenerationError: There is none for a zone without which the map must not be made.
    """
    stream = job.streams.stream("layout", "patchwork", job.attempt, "areas")
    parents = origins(params.zones)
    names, gap = list(params.zones), roll(params.gap, stream, 2)
    claims = []
    for name, zone in params.zones.items():
        parent = parents[name]
        short, long = LAYOUTS[zone.layout.name].least(zone.layout.params, job)
        coast = 2 * reach_of(params)
        several = zone.join == "multi-tumour" and parent is not None
        claims.append(
            Claim(
                parent=names.index(parent) if parent is not None else None,
                share=zone.share,
                touches=parent is not None and zone.join in TOUCHING,
                parts=roll(zone.parts, stream, 2) if several else 1,
                least=(max(short, LEAST) + coast, max(long, LEAST) + coast),
                free=(max(short, 1) + coast, max(long, 1) + coast),
            )
        )
    labels, count = components(canvas.used.to_array())
    seeded = [bounds_of(labels == number) for number in range(1, count + 1)]
    areas = None
    while claims and areas is None:
        size = canvas.height, canvas.width
        areas = cut(size, claims, gap, seeded, stream, params.uneven)
        if areas is None:
            claims.pop()
            lost = names[len(claims)]
            if lost in job.required:
                raise GenerationError(f"zone {lost} must be on the map, and there is no space for it")
            job.journal.note("layout", f"zone {lost}", "refused", "there is no space for it")
    if areas is None:
        if all(region.sealed for region in canvas.regions):
            raise CrampedError(f"there is no space for a zone on a map of {canvas.width}x{canvas.height}")
        return []
    return [
        Patch(
            name=name,
            entry=params.zones[name],
            parent=parents[name] or "",
            port=_port(
                params.zones[name], job.streams.stream("layout", "patchwork", job.attempt, "to", name)
            ),
            area=tuple(_adrift(rect, claim, stream) for rect in area) if params.between else area,
        )
        for name, claim, area in zip(names, claims, areas, strict=False)
    ]


def _adrift(rect: Rect, claim: Claim, stream: Stream) -> Rect:
    """Return a part of a rectangle, somewhere in it, that is large enough for its zone: islands do not lie in rows."""
    short, long = claim.least if rect.height <= rect.width else claim.least[::-1]
    height = rect.height - stream.below(1 + int(DRIFT * max(rect.height - short, 0)))
    width = rect.width - stream.below(1 + int(DRIFT * max(rect.width - long, 0)))
    y, x = stream.between(0, rect.height - height), stream.between(0, rect.width - width)
    return Rect(rect.y + y, rect.x + x, height, width)


def _port(zone: PatchZone, stream: Stream) -> str:
    """Return what leads to a zone."""
    return roll(zone.port, stream, TUNNEL) if zone.join == "island" else TUNNEL
