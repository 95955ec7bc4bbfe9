"""The pictures of the page of techniques: levels, and how often what is on them."""

from __future__ import annotations

import re
import string
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from panels import lines, table
from pictures import draws, marked, number, picture

import dungeon
from dungeon import terrain as t
from dungeon.adapters.console import CATEGORY_COLOURS
from dungeon.encounters.draw import Draw
from dungeon.level.model import SPACES
from dungeon.level.steps import Phase
from dungeon.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scenes import Scene

    from dungeon.level.model import Level
    from dungeon.level.steps import Step

LETTERS = string.ascii_lowercase
CATEGORY_MARKS = {"fluff": "f", "risk": "?", "danger": "!", "reward": "$"}


@draws("level")
def _(scene: Scene, label: str) -> str:
    """Draw a level: "seed 3", of the first map or of "foundry/3"; or its "regions", "encounters", "exits", "journal"."""
    world = dungeon.World(scene.content, seed=number(label, "seed", 1))
    ids = [node.id for node in world.maps if node.id in label.replace(",", "").split()]
    map_id = ids[0] if ids else world.start.id
    if "before the layout" in label:
        return cut(scene, sown(world.steps(map_id)))
    level = world.level(map_id)
    for word, view in VIEWS.items():
        if word in label:
            return cut(scene, view(level))
    return cut(scene, picture(level.terrain, level.terrain_set, level.spawns))


def cut(scene: Scene, drawn: str) -> str:
    """Return the part of a picture that lies in the scene's window, if it has one."""
    window = scene.settings.get("window")
    if window is None:
        return drawn
    rows = drawn.split("\n")[window["y"] : window["y"] + window["height"]]
    return lines(row[window["x"] : window["x"] + window["width"]] for row in rows)


def sown(steps: Iterable[Step]) -> str:
    """Return what is on the map before its layout: earth that is not to be dug as `x`, where nothing is strewn as `q`."""
    drawn = ""
    for step in steps:
        if step.phase is Phase.LAYOUT:
            break
        made = step.canvas
        earth = made.terrain == t.EARTH
        drawn = marked(made, (made.quiet & earth, "q"), (made.used.to_array() & earth, "x"))
    return drawn


def regions(level: Level) -> str:
    """Return the level with a letter on every cell of a room."""
    rooms = [region.id for region in level.regions if region.kind in SPACES]
    return marked(
        level, *((level.region == room, letter) for room, letter in zip(rooms, LETTERS, strict=False))
    )


def highlighted(level: Level) -> str:
    """Return the level with the mark of a category on every cell that is tinted with its colour."""
    tints = dungeon.to_console(level, highlight="encounters").rgb["bg"]
    return marked(
        level,
        *(
            (np.all(tints == colour, axis=2), CATEGORY_MARKS[category])
            for category, colour in CATEGORY_COLOURS.items()
        ),
    )


def exits(level: Level) -> str:
    """Return where the ways out of a level lead."""
    return "\n".join(f"> x {each.x}, y {each.y}: {each.leads_to}" for each in level.exits)


def decisions(level: Level) -> str:
    """Return what was decided about encounters."""
    return "\n".join(str(each) for each in level.journal if each.stage == "place")


VIEWS: dict[str, Callable[[Level], str]] = {
    "regions": regions,
    "encounters": highlighted,
    "exits": exits,
    "decisions": decisions,
}


@draws("tally")
def _(scene: Scene, label: str) -> str:
    """Draw how many of each encounter every map of a world has, a # for each: "seed 3"."""
    world = dungeon.World(scene.content, seed=number(label, "seed", 1))
    counts = [Counter(each.encounter for each in world.level(node.id).placements) for node in world.maps]
    return table(
        {name: ["#" * count[name] or "." for count in counts] for name in scene.content.encounters},
        [node.id for node in world.maps],
    )


@draws("draws")
def _(scene: Scene, label: str) -> str:
    """Draw how often each encounter is the first of a map: "1000 draws of mill/1, kiln/4"."""
    content = scene.content
    times, *asked = re.findall(r"\S+/\d+|\d+", label)
    found = {
        node.id: Counter(
            arrival.encounter
            for seed in range(int(times))
            if (arrival := Draw(content, node.name, node.depth, {}, Streams(seed, node.id)).next())
        )
        for node in dungeon.World(content).maps
        if node.id in asked
    }
    return table(
        {name: [str(count[name]) for count in found.values()] for name in content.encounters}, [*found]
    )
