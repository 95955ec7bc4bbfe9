"""The pictures of the pages of techniques: levels, and how often what is on them."""

from __future__ import annotations

import re
import shlex
import string
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
from panels import lines, table
from pictures import draws, marked, number, picture

import dungeon
from dungeon import Phase
from dungeon import terrain as t
from dungeon.adapters.highlights import BLUE, CATEGORY_COLOURS, GREY, ORANGE, VIOLET, tints
from dungeon.cli import main
from dungeon.core.vocabulary import SPACES
from dungeon.extend import Streams
from dungeon.generation.encounters.draw import Draw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scenes import Scene

    from dungeon import Level, Step

LETTERS = string.ascii_lowercase
CATEGORY_MARKS = {"fluff": "f", "risk": "?", "danger": "!", "reward": "$"}
FLOW_MARKS = {ORANGE: "*", BLUE: "o", GREY: "-", VIOLET: "e"}


@draws("level")
def _(scene: Scene, label: str) -> str:
    """Draw a level: "seed 3", of the first map or of "foundry/3"; "after layout": before its other stages; or a view of it.

    Views: what was "seeded", its "regions", "encounters", "flow" and "exits".
    """
    world = dungeon.World(scene.content, seed=number(label, "seed", 1))
    words = label.replace(",", "").split()
    map_id = next((node.id for node in world.maps if node.id in words), world.start.id)
    if "seeded" in words:
        return cut(scene, sown(world.steps(map_id)))
    if "after" in words:
        return cut(scene, after(world.steps(map_id), words[words.index("after") + 1 :]))
    level = world.level(map_id)
    for word, view in VIEWS.items():
        if word in words:
            return cut(scene, view(level))
    return cut(scene, picture(level.terrain, level.terrain_set, level.spawns))


def after(steps: Iterable[Step], when: Sequence[str]) -> str:
    """Return the map after a stage, "layout", or after some of its steps, "layout step 2"."""
    phase, count = Phase(when[0]), int(when[2]) if when[1:2] == ["step"] else None
    frames = [frame for frame in dungeon.Recording(steps) if frame.phase is phase]
    frame = frames[-1 if count is None else count - 1]
    return picture(frame.terrain, frame.terrain_set, frame.spawns)


def cut(scene: Scene, drawn: str) -> str:
    """Return the part of a picture that lies in the scene's window, if it has one."""
    window = scene.settings.get("window")
    if window is None:
        return drawn
    rows = drawn.split("\n")[window["y"] : window["y"] + window["height"]]
    return lines(row[window["x"] : window["x"] + window["width"]] for row in rows)


def sown(steps: Iterable[Step]) -> str:
    """Return what is on the map before its layout: earth that is not to be dug as `x`, where nothing is scattered as `q`."""
    drawn = ""
    for step in steps:
        if step.phase is Phase.LAYOUT:
            break
        made = step.canvas
        earth = made.terrain == t.EARTH
        drawn = marked(made, (made.quiet & earth, "q"), (made.used & earth, "x"))
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


def flow(level: Level) -> str:
    """Return the level with marks on the main way, on loops beside it, on what has one way back, and where that ends."""
    return marked(
        level,
        *((tint.cells, FLOW_MARKS[tint.hue]) for tint in tints(level, "flow") if tint.hue in FLOW_MARKS),
    )


def exits(level: Level) -> str:
    """Return where the ways out of a level lead."""
    return "\n".join(f"> x {each.x}, y {each.y}: {each.leads_to}" for each in level.exits)


def lights(level: Level) -> str:
    """Return the level with a mark on the cell of every light, an object's or the map's own."""
    shining = np.zeros((level.height, level.width), np.bool_)
    for light in level.lights:
        shining[light.y, light.x] = True
    return marked(level, (shining, "*"))


def overview(level: Level) -> str:
    """Return the level in small, a character for 2x3 cells: `<` where one comes in, `:` or `.` a place, `,` a way."""
    ways = np.array([0, *(2 if region.kind in SPACES else 1 for region in level.regions)])[level.region]
    ways[level.entrance] = 3
    blocks = np.pad(ways, ((0, -level.height % 3), (0, -level.width % 2)))
    small = blocks.reshape(blocks.shape[0] // 3, 3, blocks.shape[1] // 2, 2).max(axis=(1, 3))
    return lines([" ,:<"[what] for what in row] for row in small.tolist())


def measured(level: Level) -> str:
    """Return what is measured of a level."""
    found = dungeon.measure(level)
    numbers = {
        "open": f"{found.open:.0%}",
        "rooms": found.rooms,
        "with one way in": found.dead_end_rooms,
        "dead ends": found.dead_ends,
        "loops": found.loops,
        "choke points": len(found.chokes),
        "longest way": found.longest,
        "linearity": f"{found.linearity:.0%}",
    }
    return "\n".join(f"{name:<15} {number}" for name, number in numbers.items())


VIEWS: dict[str, Callable[[Level], str]] = {
    "regions": regions,
    "encounters": highlighted,
    "flow": flow,
    "exits": exits,
    "lights": lights,
    "metrics": measured,
    "overview": overview,
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


@draws("command")
def _(scene: Scene, label: str) -> str:
    """Return what a command prints: "dungeon why bench"."""
    printed = StringIO()
    with TemporaryDirectory() as folder, redirect_stdout(printed), patch.dict("os.environ", COLUMNS="76"):
        code = main([*shlex.split(label)[1:], "--data", str(scene.write(Path(folder)))])
    assert code == 0
    return lines(printed.getvalue().split("\n"))
