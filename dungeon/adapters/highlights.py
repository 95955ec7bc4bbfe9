"""The highlights of a drawing: coloured backgrounds (tints) for encounters, regions, zones and so on, with their legends. A hue is a named colour; a placement is an encounter or prefab on the map.

Tints are dark, so that the characters on them stay legible. They can be told apart with each of the three kinds of
colour blindness. A test simulates these after Machado, Oliveira and Fernandes, "A physiologically-based model for
simulation of color vision deficiency" (2009).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.adapters.scene import Placed, in_draw_order
from dungeon.core.errors import counted, unknown
from dungeon.core.vocabulary import CATEGORIES, HIGHLIGHTS, REGION_KINDS
from dungeon.grid.graph import colouring
from dungeon.grid.rect import Cell
from dungeon.level.flow import find_flow
from dungeon.level.model import Exit, Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from dungeon.adapters.scene import Scene
    from dungeon.core.vocabulary import Category, Highlight
    from dungeon.level.model import Placement, Spawn
    from dungeon.terrain import Colour


class Hue(NamedTuple):
    """A colour and its name. A legend prints the name if it can't show the colour."""

    name: str
    colour: Colour


class Tint(NamedTuple):
    """Cells with the same tint and meaning.

    Attributes:
        cells: (height, width) bool, the cells.
        hue: Their colour.
        meaning: The meaning of the tint, for the legend.
    """

    cells: NDArray[np.bool_]
    hue: Hue
    meaning: str


class Meaning(NamedTuple):
    """A line of a legend: a tint and its meaning."""

    hue: Hue
    text: str


BLUE = Hue("blue", (8, 42, 160))
AMBER = Hue("amber", (118, 82, 0))
RED = Hue("red", (90, 14, 0))
GREEN = Hue("green", (27, 101, 57))
VIOLET = Hue("violet", (84, 30, 96))
GREY = Hue("grey", (57, 57, 57))
ORANGE = Hue("orange", (180, 86, 0))
BROWN = Hue("brown", (112, 60, 24))
LILAC = Hue("lilac", (130, 90, 180))
SKY = Hue("sky", (36, 108, 146))

NAMED = {hue.colour: hue for hue in (BLUE, AMBER, RED, GREEN, VIOLET, GREY, ORANGE, BROWN, LILAC, SKY)}

CATEGORY_HUES: dict[Category, Hue] = {"fluff": BLUE, "risk": AMBER, "danger": RED, "reward": GREEN}
CATEGORY_COLOURS: dict[Category, Colour] = {name: hue.colour for name, hue in CATEGORY_HUES.items()}
"""Category -> tint of highlighted encounters."""

FEATURE = VIOLET
"""The tint of prefabs that are features of the map."""

PIECE = BLUE
"""The tint of prefabs that the layout drew as parts of the map."""

SPAWN_HUES: dict[str, Hue] = {
    "debris": GREY,
    "trap": AMBER,
    "item": GREEN,
    "prop": BLUE,
    "robot": RED,
}
REGION_HUES: dict[str, Hue] = {
    "room": BLUE,
    "corridor": GREY,
    "junction": AMBER,
    "hall": LILAC,
    "cave": GREEN,
    "zone": RED,
    "prefab": FEATURE,
}
ZONE_HUES = (BLUE, AMBER, GREEN, VIOLET, GREY, LILAC)
"""The tints of zones, used in turn."""

GATE = RED

OWN_KIND = SKY
"""The tint of regions of a kind that is not built in, but made by a layout of a plugin."""

LIGHTEST, DARKEST = 1.35, 0.4
"""Brightness of the lightest and darkest shade of a tint. Regions of one kind that lie side by side get different shades."""


def tints(scene: Scene, highlight: Highlight) -> list[Tint]:
    """Return the tints of a highlight. Later tints are drawn over earlier ones.

    Args:
        scene: The drawn scene. A scene without the needed data, such as a sample without regions, gets no tints.
        highlight: What to tint.

    Raises:
        ValueError: There is no such highlight.
    """
    if highlight not in HIGHLIGHTS:
        raise ValueError(unknown("highlight", highlight, HIGHLIGHTS))
    return list(VIEWS[highlight](scene))


def legend(scene: Scene, highlight: Highlight) -> tuple[Meaning, ...]:
    """Return the meanings of all visible tints of a scene, each once, the topmost tint first.

    Raises:
        ValueError: There is no such highlight.
    """
    shown: dict[tuple[str, str], Meaning] = {}
    free = np.ones(scene.terrain.shape, np.bool_)
    for tint in reversed(tints(scene, highlight)):
        if (tint.cells & free).any():
            shown.setdefault((tint.hue.name, tint.meaning), Meaning(tint.hue, tint.meaning))
        free &= ~tint.cells
    return tuple(shown.values())


def _encounters(scene: Scene) -> Iterator[Tint]:
    """Yield the tints of the encounters of a level, one for each category.

    Before them comes one tint for the prefabs that the map's `features` place.
    """
    if not isinstance(scene, Placed):
        return
    own = [each for each in scene.placements if not each.encounter and each.mode != "layout"]
    if own:
        yield _features_of(scene, own)
    met = [each for each in scene.placements if each.encounter]
    others = sorted(
        {each.category for each in met}.difference(CATEGORIES)
    )  # categories that the content declares
    for category in (*CATEGORIES, *others):
        found = [each for each in met if each.category == category]
        if found:
            meaning = f"{category}: {counted(len(found), 'encounter')}"
            yield Tint(cells_of(scene, found), _hue_of(found[0]), meaning)


def _hue_of(placement: Placement) -> Hue:
    """Return the hue in which an encounter is tinted: that of its category."""
    if placement.tint is None:
        return CATEGORY_HUES.get(placement.category, OWN_KIND)
    return NAMED.get(placement.tint) or Hue("#{:02x}{:02x}{:02x}".format(*placement.tint), placement.tint)


def _features(scene: Scene) -> Iterator[Tint]:
    """Yield the tints of the prefabs and barriers that the map's `features` place, of the layout's prefabs, and of all stairs."""
    if not isinstance(scene, Placed):
        return
    base = scene.terrain_set.base[scene.terrain]
    barriers = (base == t.BLOCKED) & (scene.terrain != t.KEEP)
    if barriers.any():
        yield Tint(barriers, BROWN, f"barrier, where nothing is dug: {counted(int(barriers.sum()), 'cell')}")
    own = [each for each in scene.placements if not each.encounter and each.mode != "layout"]
    if own:
        yield _features_of(scene, own)
    pieces = [each for each in scene.placements if each.mode == "layout"]
    if pieces:
        yield Tint(cells_of(scene, pieces), PIECE, f"part of the layout: {counted(len(pieces), 'prefab')}")
    stairs = scene.terrain_set.stairs[scene.terrain]
    if stairs.any():
        yield Tint(stairs, SKY, f"stairs, of features or not: {int(stairs.sum())}")


def _features_of(scene: Placed, placements: Iterable[Placement]) -> Tint:
    found = list(placements)
    meaning = f"feature of the map: {counted(len(found), 'prefab')}"
    return Tint(cells_of(scene, found), FEATURE, meaning)


def cells_of(scene: Placed, placements: Iterable[Placement]) -> NDArray[np.bool_]:
    """Return a mask of the cells that placements cover."""
    covered = np.zeros(scene.terrain.shape, np.bool_)
    for placement in placements:
        area = placement.bounds.slices
        covered[area] |= not placement.scattered or scene.region[area] == placement.region
    return covered


def _flow(scene: Scene) -> Iterator[Tint]:
    """Yield the tints of the main way from the entrance to the exits, the regions along it, loops, and side branches."""
    if not isinstance(scene, Placed) or scene.entrance is None:
        return
    goals = [Cell(way.y, way.x) for way in scene.exits]
    leaps = scene.leaps if isinstance(scene, Level) else ()
    passable = scene.terrain_set.passable[scene.terrain]
    flow = find_flow(passable, scene.region, scene.entrance, goals, leaps)
    lengths = ", ".join(
        f"{'no way' if steps is None else counted(steps, 'step')} to {where}"
        for steps, where in zip(flow.steps, _goals(scene), strict=True)
    )
    for cells, hue, meaning in (
        (flow.side, GREY, "side branch, with one way back"),
        (flow.ends, VIOLET, "end of a side branch"),
        (flow.loops, BLUE, f"on a loop beside the main way; {counted(flow.loop_count, 'loop')} in all"),
        (flow.along, BROWN, "on the main way"),
        (flow.way, ORANGE, f"main way: {lengths}"),
    ):
        if cells.any():
            yield Tint(cells, hue, meaning)


def _goals(scene: Placed) -> list[str]:
    """Return words for each place to which the main way leads: the id of the map behind an exit, if it is known already."""
    names = [way.leads_to if isinstance(way, Exit) else "a way on" for way in scene.exits]
    return names or ["the farthest cell, as nothing leads on"]


def _regions(scene: Scene) -> Iterator[Tint]:
    """Yield the tints of all regions, one hue for each kind. Regions of one kind that lie side by side get different shades."""
    if not isinstance(scene, Placed):
        return
    known = scene.kinds
    kinds = {each: known[each] for each in np.unique(scene.region).tolist() if each in known}
    close = [(a, b) for a, b in _close(scene.region) if a in kinds and kinds[a] == kinds.get(b)]
    shades = colouring(kinds, close)
    shade_of = np.full(int(scene.region.max(initial=0)) + 1, -1)
    shade_of[list(shades)] = list(shades.values())
    shown = shade_of[scene.region]
    others = sorted({*kinds.values()} - {*REGION_KINDS})  # kinds of plugins' layouts
    for kind in [*others, *reversed(REGION_KINDS)]:
        alike = [each for each in kinds if kinds[each] == kind]
        if not alike:
            continue
        count = 1 + max(shades[each] for each in alike)
        is_alike = np.isin(scene.region, alike)
        for shade, brightness in enumerate(np.linspace(LIGHTEST, DARKEST, count) if count > 1 else [1.0]):
            cells = is_alike & (shown == shade)
            hue = REGION_HUES.get(kind, OWN_KIND)
            red, green, blue = (round(part * brightness) for part in hue.colour)
            yield Tint(cells, Hue(hue.name, (red, green, blue)), f"{kind}: {counted(len(alike), 'region')}")


def _close(region: NDArray[np.uint16]) -> list[tuple[int, int]]:
    """Return the pairs of ids of regions that touch or have one cell between them, sorted."""
    found: set[tuple[int, int]] = set()
    for dy, dx in ((0, 1), (1, 0), (0, 2), (2, 0), (1, 1), (1, -1)):
        height, width = region.shape
        one = region[: height - dy, max(-dx, 0) : width - max(dx, 0)]
        other = region[dy:, max(dx, 0) : width - max(-dx, 0)]
        differs = (one != other) & (one > 0) & (other > 0)
        found.update(zip(one[differs].tolist(), other[differs].tolist(), strict=True))
    return sorted({(min(pair), max(pair)) for pair in found})


def _spawns(scene: Scene) -> Iterator[Tint]:
    """Yield the tints of the cells of spawns, by kind. A kind of the content has the hue of the built-in kind that it is like."""
    kinds: dict[tuple[str, str], list[Spawn]] = {}
    for spawn in in_draw_order(scene.spawns):
        kinds.setdefault((spawn.like, spawn.kind), []).append(spawn)
    for (like, kind), spawns in kinds.items():
        covered = np.zeros(scene.terrain.shape, np.bool_)
        covered[tuple(np.transpose([cell for spawn in spawns for cell in spawn.cells]))] = True
        yield Tint(covered, SPAWN_HUES[like], f"{kind}: {len(spawns)}")


def _zones(scene: Scene) -> Iterator[Tint]:
    """Yield the tints of each zone's regions, and of the gates: the doors that join a zone to its parent zone."""
    if not isinstance(scene, Level):
        return
    names = {zone.id: zone.name for zone in scene.zones}
    gates = np.zeros(scene.terrain.shape, np.bool_)
    for zone in scene.zones:
        hue = ZONE_HUES[(zone.id - 1) % len(ZONE_HUES)]
        joined = f", {zone.kind} of {names[zone.parent]}" if zone.parent else ""
        yield Tint(np.isin(scene.region, zone.regions), hue, f"{zone.name}{joined}")
        for cell in zone.gates:
            gates[cell] = True
    if gates.any():
        yield Tint(gates, GATE, f"gates: {int(gates.sum())}")


VIEWS: dict[Highlight, Callable[[Scene], Iterator[Tint]]] = {
    "encounters": _encounters,
    "features": _features,
    "flow": _flow,
    "regions": _regions,
    "spawns": _spawns,
    "zones": _zones,
}
"""Highlight -> the function that yields its tints, the lowest first."""
