"""The lint checks: warnings and notes about content that can be loaded, each at its place.

In the files below, « marks the place of the problem. It is removed before the file is written.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest
from content_files import SMALL, marked, write_content
from damaged import DAMAGED, WHOLE
from hypothesis import HealthCheck, given, settings

import dungeon
from dungeon import XpLayer
from dungeon.authoring.lint import CHECKS
from dungeon.authoring.lint.subject import ROLLS
from dungeon.authoring.uses import uses_of
from dungeon.content.drawing.rexpaint import encode_xp
from dungeon.content.prefab.template import Template
from dungeon.content.source.files import MAX_PROBLEMS
from dungeon.core.registry import LAYOUTS, PLACINGS, Layout, Placing
from dungeon.extend import Parameters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.extend import Drawing

ROOT = Path(__file__).parent.parent

WORLD, WEIGHTS, TERRAIN, THEMES, PALETTE = (
    "world.yaml",
    "weights.yaml",
    "terrain.yaml",
    "themes.yaml",
    "palette.yaml",
)
ROBOTS, ITEMS, PROPS = "objects/robots.yaml", "objects/items.yaml", "objects/props.yaml"
LEGENDS, PREFABS, PALETTES = "legends/boxes.yaml", "prefabs/rooms.yaml", "palettes/more.yaml"
ENCOUNTERS, MAPS = "encounters/rooms.yaml", "maps/cellars.yaml"

LOCKS = "locks.yaml"
CELLARS = """\
cellars:
  name: The Cellars
  theme: garden
  encounters: 2
  layout: {tunnels: {large: 8..13}}
  population:
    - {item: scrap}
    - {robot: sweeper}
    - {trap: snare}
    - {debris: rubble}
"""

CARDS = CELLARS.replace("{tunnels: {large: 8..13}}", "{cards: {zones: {vault: {}}}}")


def featuring(feature: str, size: str = "50x30") -> dict[str, str]:
    """Return the map with one feature, the braces of which are left out."""
    return {MAPS: CELLARS + f"  size: {size}\n  features: [{{{feature}}}]\n"}


def dressed(passing: str, size: str = "50x30") -> dict[str, str]:
    """Return the map with one pass, the braces of which are left out."""
    return {MAPS: CELLARS + f"  size: {size}\n  dressing: [{{{passing}}}]\n"}


def machine(row: str, more: str = "", *, mark: str = "«") -> dict[str, str]:
    """Return the prefab 'press' of one row, marked, which the map wants as a machine."""
    press = f"{mark}press:\n  map: {row!r}\n  legend: {{C: {{prop: crate}}}}\n{more}"
    return {PREFABS: TIDY[PREFABS] + press, MAPS: CELLARS + "  machines: [{prefabs: press}]\n"}


def small(file: str) -> str:
    """Return a file of the small content."""
    return dedent(SMALL[file])


OTHER_HERE = small(ENCOUNTERS).replace("store:", "other:", 1).replace("common", "0")
OTHER_GOODS = OTHER_HERE.replace("0", "1") + "  group: [store, goods]\n"
OTHER_MAP = OTHER_HERE.replace("cellars: 0", "attics: 1")


TIDY = {
    WEIGHTS: "common: 10",
    PREFABS: """\
store:
  map: |
    C..C
    ..B.
    ....
  legend:
    C: {prop: crate}
  legends: boxes
""",
    MAPS: CELLARS,
}
"""What makes the small content one of which there is nothing to say."""

NOWHERE = "warning: map 'cellars': the feature can't be placed: no place on the map (50x30 cells at most) meets all its conditions: {}"

CRATES = "  legend: {C: {prop: [crate, barrel]}}\n"
"""A legend that leaves no object unused."""

ROCKY = "  legend: {C: {prop: [crate, barrel]}, B: blocked}\n"
BOXED = "  legend: {C: {prop: crate}}\n"
KEYED = "  legend: {L: {terrain: locked_door, lock: brass}, k: {item: scrap, opens: brass}}\n"
USED_UP = KEYED.replace("opens: brass", "opens: brass, data: {consumed: true}")
SHUT = "  legend: {L: locked_door, k: {item: scrap}}\n"
EITHER = "  vary: [{substitute: w, with: {C: 1, '.': 1}, once: true}]\n"
POND = "  palette: {glyphs: {'~': lake}}\n"
CASED = "  legend: {C: {prop: crate, lock: brass}, k: {item: scrap, opens: brass}}\n"
"""What a hall may say besides its rows."""

YARD = "start: cellars/1\nleads_to: {cellars/1: [yard/2]}\n"
BRASS = "brass: {name: brass lock, opened_by: {item: scrap}}\n"
CUT_OFF = """\
hall:
  map: |
    ########
    #<L...>#
    ########
  legend: {L: {terrain: locked_door, lock: brass}}
"""
"""A whole map with its one key behind the lock: there is no place before it."""

PORCH = 'porch:\n  map: "....\\n...."\n  links: "\\n 1"\n'
"""A prefab to which a way one cell wide leads, from the south."""

HALL_OF_TWO = 'hall: {map: "....\\n....", links: "\\n 2"}\n'
"""A prefab to which a way two cells wide leads."""

EITHER_OF_TWO = """\
maps: {cellars: [1, 4], attic: {depths: 2, maps: {cellars: 1}}, loft: {depths: 3, maps: {cellars: 1}}}
choose: [{of: [attic, loft]}]
leads_to: {cellars/1: [attic/2, loft/3], attic/2: [loft/3, cellars/4]}
"""
"""A world of the cellars and either the attic or the loft."""

LAKE = "lake: {like: floor, walkable: false}\n"


def hall(rows: str, more: str, static: str = "", **files: str) -> dict[str, str]:
    """Return the prefab 'hall' of these rows: a feature of the map or, with parameters, a static map of its own."""
    text = TIDY[PREFABS] + "hall:\n  map: |\n" + "".join(f"    {row}\n" for row in rows.split("/")) + more
    if not static:
        return {PREFABS: text, MAPS: CELLARS + "  features: [{prefab: hall}]\n", **files}
    world = "start: cellars/1\nleads_to: {cellars/1: [cellars/2], cellars/2: [yard/3]}\n"
    yard = f"yard: {{name: Yard, layout: {{static: {{prefab: hall, {static}}}}}}}\n"
    return {PREFABS: text, MAPS: CELLARS + yard, WORLD: world, **files}


def keyed_cellars(files: dict[str, str]) -> dict[str, str]:
    """Return these files with a key to brass in the cellars."""
    return {**files, MAPS: files[MAPS].replace(CELLARS, CELLARS + "    - {item: scrap, opens: brass}\n")}


def drawn(rows: str, more: str = CRATES) -> dict[str, str]:
    """Return the prefab 'store' of these rows, and no shared legend."""
    text = "store:\n  map: |\n" + "".join(f"    {row}\n" for row in rows.split("/"))
    return {PREFABS: text + more, LEGENDS: ""}


def said(folder: Path, files: Mapping[str, str | bytes | None]) -> list[str]:
    """Return all problems of the tidy content with these files, as printed but without the folder."""
    found = dungeon.examine_content(write_content(folder, {**TIDY, **files}))
    return [str(problem).replace(f"{folder}/", "") for problem in found.problems]


LODGE = "lodge:\n  orientations: r0\n  map: |\n    ##+##\n    #...#\n    #####\n"
"""A prefab with a door that faces north."""


def expect(folder: Path, files: Mapping[str, str], expected: list[str]) -> None:
    """Check that what is said of the files is what is expected, each at its «."""
    written, places = {}, []
    for file, text in files.items():
        written[file], here = marked(dedent(text))
        places += [f"{file}:{place}: " for place in here]
    wanted = [place + message for place, message in zip(places, expected, strict=True)]
    assert sorted(said(folder, written)) == sorted(wanted)


def tower(
    floors: str, world: str = "leads_to: {cellars/1: cellars/2}\n", size: str = "60x30"
) -> dict[str, str]:
    """Return a tower of the prefabs `top`, which has stairs down, and `foot`, whose stairs up match them."""
    drawn = 'top: {map: "#####\\n#>..#\\n##+##"}\nfoot: {map: "#####\\n#<..#\\n##+##"}\n'
    return {
        PREFABS: TIDY[PREFABS] + drawn,
        MAPS: CELLARS + f"  size: {size}\n",
        WORLD: f"start: cellars/1\n{world}towers: {{«keep: {{floors: {floors}}}}}\n",
    }


def met(store: str, other: str = "", third: str | None = None, *, map_more: str = "") -> dict[str, str]:
    """Return the encounters 'store', 'other' and perhaps 'third', alike but for what is said here."""
    each = "category: reward, prefabs: store, maps: {cellars: common}"
    words = {"store": store, "other": other} | ({} if third is None else {"third": third})
    text = "".join(f"{name}: {{{each}{said and ', '}{said}}}\n" for name, said in words.items())
    return {ENCOUNTERS: text, MAPS: CELLARS + map_more}


CASES: list[tuple[str, dict[str, str], str]] = [  # a check, the files, and a line for each «
    # -- what can never come because of limits and company ------------------------------------------
    (
        "required encounter excluded",
        met("group: goods, requires: «other", "group: goods"),
        (
            "warning: encounter 'store': this encounter never appears: because of 'requires', it and other would have to be on the same map, but both are in the group 'goods': other"
        ),
    ),
    (
        "required encounter excluded",
        met("group: {world: [goods]}, requires: [«other]", "group: {world: goods}"),
        (
            "warning: encounter 'store': this encounter never appears: because of 'requires', it and other would have to be on the same map, but both are in the group 'goods': other"
        ),
    ),
    (
        "required encounter excluded",
        met("requires: «other", "conflicts: store"),
        "warning: encounter 'store': this encounter never appears: because of 'requires', it and other would have to be on the same map, but they conflict: other",
    ),
    (
        "required encounter elsewhere",
        met("requires: «other, depth: 1", "depth: 2.."),
        "warning: encounter 'store': this encounter never appears: none of its maps can have the encounter that it requires: other",
    ),
    (
        "near to excluded",
        met("near: {«other: 9}, conflicts: other"),
        "warning: encounter 'store': this encounter never appears: it must be near an encounter of this name, category or group, but 'group' or 'conflicts' keeps each of them off its map: other",
    ),
    (
        "near to no encounter",
        met("near: {«store: 9}"),
        "warning: encounter 'store': this encounter never appears: it must be near an encounter of this name, category or group, but none of its maps has one: store",
    ),
    (
        "near and far",
        met("near: {other: «5}, far_from: {reward: 6}"),
        "warning: encounter 'store': this encounter never appears: 'near' allows at most this number of steps to other, but 'far_from', here or in the entry of the other encounter, demands more: 5",
    ),
    (
        "near and far",
        met("near: {other: «5}", "far_from: {store: 6}"),
        "warning: encounter 'store': this encounter never appears: 'near' allows at most this number of steps to other, but 'far_from', here or in the entry of the other encounter, demands more: 5",
    ),
    (
        "limit of 0",
        met("guaranteed: true, limit: {world: «0}"),
        "warning: encounter 'store': this encounter never appears: its limit is 0: 0",
    ),
    (
        "least above most",
        met("least: {map: «3}"),
        "warning: encounter 'store': this minimum number of copies is too high: at most 2 are possible: 3",
    ),
    (
        "least above most",
        met("least: {world: «5}, limit: {map: 2}"),
        "warning: encounter 'store': this minimum number of copies is too high: at most 4 are possible: 5",
    ),
    (
        "farther than the map",
        met("far_from: {entrance: «533}", map_more="  size: 40x30\n"),
        "warning: encounter 'store': this distance is too long: no two cells of the map (40x30 cells at most) are that many steps apart: 533",
    ),
    (
        "too many doors",
        met("access: «99"),
        "warning: encounter 'store': no room or cave of cellars has as many doors as 'access' asks for: in the sample levels each has at most 3: 99",
    ),
    (
        "fewer rooms than asked",
        {
            MAPS: CELLARS.replace(
                "  layout: {tunnels: {large: 8..13}}", "  size: 50x30\n  «layout: {tunnels: {rooms: 500}}"
            )
        },
        "warning: map 'cellars': the layout asks for 500 rooms, but in 3 tries at most 17 of them found space",
    ),
    (
        "fewer rooms than asked",
        {
            MAPS: CELLARS.replace(
                "  layout: {tunnels: {large: 8..13}}", "  size: 50x30\n  «layout: {connected: {rooms: 500}}"
            )
        },
        "warning: map 'cellars': the layout asks for 500 rooms, but in 3 tries at most 16 of them found space",
    ),
    (
        "feature never placed",
        featuring(
            "stairs: up, name: s, at: [10, 10]}, {«blocked: 5x5, near: {s: 2}, from: east, distance: 3"
        ),
        (
            "warning: map 'cellars': in 8 tries no place was found for this feature: every such place is too near "
            "to other features or too far from them: blocked"
        ),
    ),
    (
        "never on the map",
        featuring("blocked: 50x1, «y: 10"),
        "warning: map 'cellars': the feature can't be placed on any level of this map: wherever there is space it would cut off a part of the map",
    ),
    # -- drawings ---------------------------------------------------------------------------------
    (
        "unused character",
        drawn("C..C", "  legend:\n    C: {prop: [crate, barrel]}\n    «D: {prop: crate}\n"),
        "warning: prefab 'store': this character is never used: neither the drawing nor the steps of 'vary' contain it: D",
    ),
    (
        "unplaceable",
        drawn("C..C/«####"),
        (
            "warning: prefab 'store': this prefab can't be placed in the mode 'enclosed', which encounter 'store' asks for: "
            "no cell of its south edge, where the door is, can be walked on"
        ),
    ),
    (
        "unplaceable",
        drawn("C#«.#/.###/...."),
        (
            "warning: prefab 'store': this prefab can't be placed in the mode 'enclosed', which encounter 'store' asks for: "
            "no way leads to this cell from the rest of it; a part that is closed on purpose needs `sealed: true`"
        ),
    ),
    (
        "unplaceable",
        {
            **drawn("..../«C.../....", "  legend: {C: {prop: [crate, barrel]}}\n"),
            ENCOUNTERS: small(ENCOUNTERS) + "  placing: accessible\n",
        },
        (
            "warning: prefab 'store': this prefab can't be placed in the mode 'accessible', which encounter 'store' asks for: "
            "this cell of its edge, past which walkers must get, has something on it that stays"
        ),
    ),
    (
        "unplaceable",
        {
            **drawn("...../«#.C../....."),
            ENCOUNTERS: small(ENCOUNTERS) + "  placing: accessible\n",
        },
        (
            "warning: prefab 'store': this prefab can't be placed in the mode 'accessible', which encounter 'store' asks for: "
            "this cell of its edge, past which walkers must get, can't be walked on"
        ),
    ),
    (
        "unplaceable variants",
        drawn("C.../..../«wwww", CRATES + '  vary: [{substitute: w, with: {"#": 1, ".": 1}, once: true}]\n'),
        (
            "warning: prefab 'store': in 20 of 50 variants, this prefab can't be placed in the mode 'enclosed', which encounter 'store' asks for: "
            "no cell of its south edge, where the door is, can be walked on"
        ),
    ),
    (
        "covered link",
        drawn("C...", CRATES + "  links: |2\n    «1\n"),
        "warning: prefab 'store': nothing can enter by this link: a permanent obstacle covers it",
    ),
    (
        "sometimes covered link",
        drawn(
            "w...",
            CRATES + "  vary: [{substitute: w, with: {C: 1, '.': 1}, once: true}]\n  links: |2\n    «*\n",
        ),
        (
            "warning: prefab 'store': in 30 of 50 variants, nothing can enter by this link: a permanent obstacle covers it"
        ),
    ),
    (
        "link into rock",
        drawn("B..C", ROCKY + "  links: |2\n    «1\n"),
        "warning: prefab 'store': no corridor can start at this link: it leads into terrain that can't be dug",
    ),
    (
        "sometimes link into rock",
        drawn(
            "w..C",
            ROCKY + "  vary: [{substitute: w, with: {B: 1, '.': 1}, once: true}]\n  links: |2\n    «*\n",
        ),
        (
            "warning: prefab 'store': in 30 of 50 variants, no corridor can start at this link: it leads into terrain that can't be dug"
        ),
    ),
    (
        "never seedable",
        hall("...../.CCC./.C«.C./.CCC./.....", BOXED),
        (
            "warning: prefab 'hall': map cellars can never place this prefab as a feature: the prefab has a cell that can't be reached from outside, even by digging"
        ),
    ),
    (
        "never seedable",
        hall("#######/+..«L.k#/#######", KEYED),
        (
            "warning: prefab 'hall': map cellars can never place this prefab as a feature: the prefab has a locked door whose key is not certain to lie in front of it"
        ),
    ),
    (
        "not always seedable",
        hall("...../.CCC./.C«wC./.CCC./.....", BOXED + EITHER),
        (
            "warning: prefab 'hall': in 25 of 50 variants, map cellars can't place this prefab as a feature: the prefab has a cell that can't be reached from outside, even by digging"
        ),
    ),
    (
        "never closed",
        hall("...../.###./.#«.#./.###./.....", ""),
        (
            "warning: prefab 'hall': no link, door or open edge leads to this cell, so map cellars digs a corridor to it through a wall"
        ),
    ),
    (
        "never closed",
        hall("<>####/..#«..#/..####", "", static="frame: 1"),
        (
            "warning: prefab 'hall': no link, door or open edge leads to this cell, so map yard digs a corridor to it through a wall"
        ),
    ),
    (
        "nothing sealed",
        {
            PREFABS: TIDY[PREFABS] + "hall:\n  map: '#..+'\n  «sealed: true\n",
            MAPS: CELLARS + "  features: [{prefab: hall}]\n",
        },
        (
            "warning: prefab 'hall': `sealed` has no effect: "
            "a link, a door or an open edge leads to every open cell of the drawing"
        ),
    ),
    (
        "not always closed",
        hall("...../.###./.#«.w./.###./.....", BOXED + EITHER),
        (
            "warning: prefab 'hall': in 25 of 50 variants, no link, door or open edge leads to this cell, so map cellars digs a corridor to it through a wall"
        ),
    ),
    (
        "no level if drawn",
        hall("<..«L.k>", KEYED, static="frame: 1"),
        (
            "error: prefab 'hall': no level of map yard can be made with this prefab: the prefab has a locked door whose key is not certain to lie in front of it"
        ),
    ),
    (
        "no level if drawn",  # if the key is spent on the right door nothing opens the left one
        hall("#k«L.<kL..>", USED_UP, static="frame: 1"),
        (
            "error: prefab 'hall': no level of map yard can be made with this prefab: the prefab has a locked door that stays shut if its key is spent on another lock first"
        ),
    ),
    (
        "changed as a map",
        hall("<...#«>", "", static="frame: 1, pockets: seal"),
        (
            "warning: prefab 'hall': map yard will differ from its drawing at this cell: the drawing has "
            "stairs that can't be reached: they are left out, and the level puts stairs elsewhere"
        ),
    ),
    (
        "changed as a map",
        hall("<.>«L.k", KEYED, static="frame: 1, pockets: seal"),
        (
            "warning: prefab 'hall': map yard will differ from its drawing at this cell: the drawing has "
            "a locked door whose key can't be reached, so that it stays shut"
        ),
    ),
    (
        "locked prop",
        hall("<..>#.k/..«C.#..", CASED, static="pockets: seal"),
        "warning: prefab 'hall': this prefab has a locked prop that stays shut: the player may be unable to reach it with its key",
    ),
    (
        "sometimes locked prop",
        hall(
            "w..../..«C../.....",
            CASED + "  vary: [{substitute: w, with: {k: 1, '.': 1}, once: true}]\n",
        ),
        (
            "warning: prefab 'hall': in 25 of 50 variants, this prefab has a locked prop that stays shut: the player may be unable to reach it with its key"
        ),
    ),
    (
        "lock of another map",
        keyed_cellars(hall("<..>/..C.", "  legend: {C: {prop: crate, lock: «brass}}\n", static="frame: 1")),
        "warning: prefab 'hall': this lock can't be opened on yard/3: the objects that open it are only on other maps: brass",
    ),
    (
        "never drawn",
        hall("<..>~/~~~~~/~~«.~~", POND, static="frame: 1", **{TERRAIN: small(TERRAIN) + LAKE}),
        "warning: prefab 'hall': drawn as map yard, this prefab has a cell that no way leads to, and none can be dug to",
    ),
    (
        "not always drawn",
        hall(
            "<w.«L.k>",
            KEYED + "  vary: [{substitute: w, with: {k: 1, '.': 1}, once: true}]\n",
            static="frame: 1",
        ),
        (
            "warning: prefab 'hall': in 25 of 50 variants, this prefab, drawn as map yard, has "
            "a locked door whose key is not certain to lie in front of it"
        ),
    ),
    (
        "in closed terrain",
        drawn("#«T#T#/.....", "  legend: {T: {prop: [crate, barrel], terrain: wall}}\n"),
        "warning: prefab 'store': this object can't stand in wall (2 cells): move it, or draw other terrain: 'T'",
    ),
    (
        "on closed terrain",
        {
            **drawn(
                "..«aa/...C/....", "  legend: {a: {item: scrap, terrain: lake}, C: {prop: [crate, barrel]}}\n"
            ),
            TERRAIN: small(TERRAIN) + LAKE,
        },
        "warning: prefab 'store': this item or trap can't lie on lake (2 cells), which can't be walked on: 'a'",
    ),
    (
        "on a prop",
        drawn(
            "..../..C./....",
            "  references: |1\n\n     «s\n  legend: {s: {robot: sweeper}, C: {prop: [crate, barrel]}}\n",
        ),
        "warning: prefab 'store': this object can't stand on a prop that blocks: only items and debris lie there: 's'",
    ),
    (
        "item out of reach",
        drawn(
            "B..../CCC../C«ACB./CCC..",
            "  legend: {A: [{prop: crate}, {item: scrap}], C: {prop: crate}, B: {prop: barrel}}\n",
        ),
        "warning: prefab 'store': the item on this prop is left out: no cell beside the prop can be walked on: 'A'",
    ),
    (
        "layers of a text",
        drawn("C...", CRATES + "  «layers: [terrain, items]\n"),
        "warning: prefab 'store': 'layers' has no effect: this prefab is drawn as text, which names its layers: layers",
    ),
    (
        "over a machine",
        drawn(
            "..../..../....",
            "  machines: |1\n     ▒▒\n  references: |1\n     «s\n    C\n"
            "  legend: {s: {robot: sweeper}, C: {prop: [crate, barrel]}}\n",
        ),
        "warning: prefab 'store': this object can't stand on a cell of a machine: move it beside the machine: 's'",
    ),
    (
        "door bypassed",
        drawn("C..../..«+../.....", CRATES),
        "warning: prefab 'store': this door can be walked around: no two opposite sides of it are closed by walls or obstacles",
    ),
    (
        "door bypassed",  # three sides
        drawn("C.#../..#../...«+#/....."),
        "warning: prefab 'store': this door can be walked around: no two opposite sides of it are closed by walls or obstacles",
    ),
    (
        "door sometimes bypassed",
        drawn(
            "CCw../..«+../..w../.....",
            "  legend: {C: {prop: [crate, barrel]}}\n  vary: [{optional: w, chance: 50%, become: '#', otherwise: .}]\n",
        ),
        (
            "warning: prefab 'store': in 30 of 50 variants, this door can be walked around: no two opposite sides of it are closed by walls or obstacles"
        ),
    ),
    (
        "chance without effect",
        drawn(
            "«DC.../C..../.....", "  legend: {D: {prop: crate, chance: 90%}, C: {prop: [crate, barrel]}}\n"
        ),
        (
            "note: prefab 'store': this obstacle's chance has no effect: walls or obstacles enclose its cell on all four sides, so it is always placed: 'D'"
        ),
    ),
    (
        "object everywhere",
        drawn("C...", "  legend:\n    C: {prop: [crate, barrel]}\n    «'.': {item: scrap}\n"),
        "warning: prefab 'store': all 3 cells drawn as '.' get this object, although '.' is a character of built-in terrain: .",
    ),
    (
        "unused parameter",
        drawn("C...", CRATES + "  parameters: {«mood: [calm, wild]}\n"),
        "warning: prefab 'store': this parameter is never used: no symbol and no variation step names it under 'switch': mood",
    ),
    (
        "machine without drawing",
        drawn("C...", CRATES + "  «machine: crate\n"),
        "warning: prefab 'store': 'machine' has no effect: the prefab's drawing has no machine: machine",
    ),
    (
        "paints without paint",
        drawn("C.../....", CRATES + "  machines: '  ▒'\n  «paints: {r: '#ff0000'}\n"),
        "warning: prefab 'store': 'paints' has no effect: this prefab has no 'paint' layer, whose characters it would colour: paints",
    ),
    (
        "unused paint",
        drawn(
            "C.../....",
            CRATES + "  machines: '  ▒'\n  paint: '  r'\n  paints: {r: '#ff0000', «g: '#00ff00'}\n",
        ),
        "warning: prefab 'store': this character of 'paints' is never used: 'paint' does not contain it: g",
    ),
    (
        "colours of a text",
        drawn("C...", CRATES + "  palette: {«colours: {'#00ff00': wall}}\n"),
        "warning: prefab 'store': this key of the palette has no effect: a drawing made of text has no colours: colours",
    ),
    (
        "nearest of none",
        {PALETTE: "match: «nearest\nglyphs: {'~': grass}"},
        "warning: palette: 'match: nearest' has no colour to choose from: no palette lists one: nearest",
    ),
    (
        "nothing fits",
        drawn(
            "C.SS/..../«S...",
            CRATES + "  vary: [{fit: S, prefabs: alcove}]\nalcove: {map: '..'}\n",
        ),
        "warning: prefab 'store': no prefab of the 'fit' step for 'S' fits into this group of cells marked 'S'",
    ),
    (
        "nothing ever fits",
        drawn(
            "C..x/..../x...",
            CRATES + "  vary:\n    - {exactly: 1, of: x, become: S, otherwise: '.'}\n"
            "    - {fit: «S, prefabs: alcove}\nalcove: {map: '..'}\n",
        ),
        "warning: prefab 'store': no prefab of this 'fit' step fits into any group of cells that earlier steps mark 'S'",
    ),
    # -- what symbols mean ------------------------------------------------------------------------
    (
        "group of one",
        drawn("C..C", "  legend: {C: {prop: [crate, barrel], group: «one}}\n"),
        (
            "warning: prefab 'store': this group has no effect: no other character of prefab 'store' is in it, so this one is always chosen: one"
        ),
    ),
    (
        "group of one",
        {
            PREFABS: "«store: {map: 'B..', legends: boxes}\nhall: {map: 'BC.', legends: boxes}\n",
            LEGENDS: "boxes: {B: {prop: barrel, group: one}, C: {prop: crate, group: one}}",
            ENCOUNTERS: "store: {category: reward, prefabs: [store, hall], maps: {cellars: common}}",
        },
        (
            "warning: prefab 'store': this group has no effect: no other character of prefab 'store' is in it, so this one is always chosen: one"
        ),
    ),
    (
        "group of one",  # one of the groups that it may be in
        drawn(
            "B..C",
            "  legend: {B: {prop: barrel, group: {one: 1, «two: 3}}, C: {prop: crate, group: {value: one, chance: 9%}}}\n",
        ),
        (
            "warning: prefab 'store': this group has no effect: no other character of prefab 'store' is in it, so this one is always chosen: two"
        ),
    ),
    (
        "group without weight",
        drawn(
            "B..C",
            "  legend: {B: {prop: barrel, group: «one, weight: 0}, C: {prop: crate, group: one, weight: 0}}\n",
        ),
        (
            "warning: prefab 'store': no character of this group is ever chosen: in prefab 'store' each has the weight 0: one"
        ),
    ),
    (
        "stairs to nowhere",
        drawn("C..>", CRATES.replace("{C", "{'>': {terrain: stairs_down, to: «cellars/1}, C")),
        (
            "warning: prefab 'store': stairs to this map are never drawn: no map that may have these stairs leads there: "
            "cellars/1 (did you mean cellars/2?)"
        ),
    ),
    (
        "stairs to nowhere",
        drawn("C..>", CRATES.replace("{C", "{'>': {terrain: stairs_down, to: [cellars, «cellars/1]}, C")),
        (
            "warning: prefab 'store': stairs to this map are never drawn: no map that may have these stairs leads there: "
            "cellars/1 (did you mean cellars/2?)"
        ),
    ),
    (
        "lock without key",
        drawn(
            "C..K",
            "  legend: {C: {prop: [crate, barrel], lock: [«brass, iron]}, K: {item: scrap, opens: iron}}\n",
        ),
        "warning: prefab 'store': this lock can never be opened: no object opens locks of this name: brass (allowed: iron)",
    ),
    (
        "key without lock",
        drawn("C..C", "  legend: {C: {prop: [crate, barrel], opens: «brass}}\n"),
        "warning: prefab 'store': this object opens nothing: no lock has this name: brass",
    ),
    (
        "lock that nothing opens",
        {
            ITEMS: "scrap: {name: scrap, glyph: '!', class: junk}\nbolt: {name: bolt, glyph: '!', category: steel}",
            MAPS: CELLARS + "    - {item: [scrap, bolt]}\n  locks: {vault: 1}\n",
            LOCKS: "vault: {name: vault, opened_by: {item: «{class: junk, category: steel}}}",
        },
        "warning: lock 'vault': this lock can never be opened: no item that it asks for has a weight above 0 in the catalog",
    ),
    (
        "toggle without effect",
        {
            **drawn("C..C", "  legend: {C: {prop: [crate, barrel], lock: brass}}\n"),
            MAPS: CELLARS + "    - {item: scrap, opens: brass, data: {«toggle: true}}\n",
        },
        "warning: map 'cellars': 'toggle' has no effect: only a prop without 'lock' and 'consumed' that opens its lock alone can shut it again",
    ),
    (
        "unknown state",
        {
            **drawn("C..C", "  legend: {C: {prop: [crate, barrel], state: [shut, «brokn]}}\n"),
            PROPS: "crate: {name: c, glyph: c, state: {shut: 1, broken: 0}}\nbarrel: {name: b, glyph: b, like: crate}\n",
        },
        "warning: prefab 'store': this state is never possible: no prop that may be chosen here lists it in the catalog: brokn (did you mean broken?)",
    ),
    (
        "unknown state",
        {
            **drawn("C..C", "  legend: {C: {prop: [crate, barrel], lock: vault}}\n"),
            ITEMS: "scrap: {name: scrap, glyph: '!', state: new}\n",
            LOCKS: "vault: {name: vault, opened_by: {item: scrap, state: «nwe}}",
        },
        "warning: lock 'vault': this state is never possible: no item that may be chosen here lists it in the catalog: nwe (did you mean new?)",
    ),
    (
        "too many around",
        drawn(
            "C..C",
            "  legend: {C: {prop: [crate, barrel], around: [{item: scrap, count: «6..9, within: 1}]}}\n",
        ),
        "warning: prefab 'store': there are never that many cells within 1 step of a cell: 5 at most",
    ),
    (
        "no band",
        {MAPS: CELLARS + "    - {robot: sweeper, «followers: []}\n"},
        "note: map 'cellars': 'followers: []' has no effect: no robot that can be chosen here has a band: followers",
    ),
    (
        "opener never chosen",
        {
            MAPS: CELLARS + "  locks: {vault: 1}\n",
            LOCKS: "vault: {name: vault, opened_by: [{item: scrap}, {prop: crate, weight: «0}]}",
        },
        "warning: lock 'vault': no level has this opener: its weight is 0, and another one is chosen",
    ),
    (
        "all of one opener",
        {
            MAPS: CELLARS + "  locks: {vault: 1}\n",
            LOCKS: "vault: {name: vault, opened_by: {item: scrap, count: 2}, keys: «all}",
        },
        "note: lock 'vault': 'all' has no effect: only one opener is listed",
    ),
    (
        "weight of sure opener",
        {
            MAPS: CELLARS + "  locks: {vault: 1}\n",
            LOCKS: "vault: {name: vault, opened_by: [{item: scrap, «weight: 2}, {prop: crate}], keys: all}",
        },
        "note: lock 'vault': 'weight' has no effect: every level with this lock has this opener",
    ),
    (
        "unused lock",
        {LOCKS: "«vault: {name: vault, opened_by: {item: scrap}}"},
        "note: lock 'vault': this lock is never used: no door, room, object or map uses it",
    ),
    (
        "chance of 0",
        {MAPS: CELLARS + "    - {item: scrap, chance: «0%}\n"},
        "note: map 'cellars': the chance is 0%, so this part of the content never takes effect",
    ),
    (
        "unique of one",
        {LEGENDS: "boxes: {B: {prop: barrel, «unique: true}}"},
        "note: legend 'boxes': 'unique' has no effect: only one object can be chosen here",
    ),
    # -- encounters and maps ----------------------------------------------------------------------
    (
        "weight 0 everywhere",
        {
            WEIGHTS: "common: 10\nnever: 0",
            ENCOUNTERS: small(ENCOUNTERS)
            + "hoard: {category: reward, prefabs: store, «maps: {cellars: never}}\n",
        },
        "warning: encounter 'hoard': this encounter never appears: its weight is 0 on each of its maps",
    ),
    (
        "depth of no map",
        {
            ENCOUNTERS: small(ENCOUNTERS)
            + "hoard: {category: reward, prefabs: store, maps: {cellars: common}, depth: «3..5}\n"
        },
        "warning: encounter 'hoard': this encounter never appears: its maps lie at depths 1 and 2 only, where its 'depth' excludes it or its weight is 0: 3..5",
    ),
    (
        "depth of no map",
        {
            ENCOUNTERS: small(ENCOUNTERS)
            + "hoard: {category: reward, prefabs: store, «maps: {cellars: {by_depth: {2: 0, 4: 1}}}}\n"
        },
        "warning: encounter 'hoard': this encounter never appears: its maps lie at depths 1 and 2 only, where its 'depth' excludes it or its weight is 0",
    ),
    (
        "map limit too high",
        {ENCOUNTERS: small(ENCOUNTERS) + "  limit: {map: «3, world: 2}\n"},
        "note: encounter 'store': this limit for one map has no effect: it is above the limit for the whole world, which is 2: 3",
    ),
    (
        "too large",
        {
            **drawn("C" + "." * 20, CRATES + "  tags: [long]\nhall: {map: '.', tags: [long]}\n"),
            MAPS: CELLARS + "  annexes: false\n",
            ENCOUNTERS: "store: {category: reward, prefabs: [«long], maps: {cellars: common}}",
        },
        (
            "warning: encounter 'store': prefab 'store' (21x1 cells) fits into no room of map cellars: the largest room has 13x13 cells"
        ),
    ),
    (
        "map without sites",
        {
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [vault/2]}",
            MAPS: CELLARS + "vault: {name: The Vault, layout: {static: {prefab: store}}}",
            ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {cellars: 1, «vault: common}}",
        },
        (
            "warning: encounter 'store': the layout static of map vault makes no rooms in which encounters could be placed; "
            "the placing mode 'enclosed' needs them: vault"
        ),
    ),
    (
        "map without sites",
        {
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [vault/2]}",
            MAPS: CELLARS + "vault: {name: The Vault, layout: caves}",
            ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {cellars: 1, «vault: common}, "
            "variants: {built: {placing: enclosed}}}",
        },
        (
            "warning: encounter 'store': the layout caves of map vault makes no rooms in which encounters could be placed; "
            "the placing mode 'enclosed' of variant 'built' needs them: vault"
        ),
    ),
    (
        "map without sites",
        {
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [vault/2]}",
            MAPS: CELLARS + "vault: {name: The Vault, layout: {static: {prefab: store}}, «encounters: 1}",
        },
        "warning: map 'vault': the layout static of map vault makes no rooms or caves in which encounters could be placed: encounters",
    ),
    (
        "no such zone",
        {
            MAPS: CARDS,
            ENCOUNTERS: small(ENCOUNTERS) + "  zones: [vault, «valt]\n",
        },
        "warning: encounter 'store': none of this encounter's maps has a zone of this name: valt (did you mean vault?)",
    ),
    (
        "required encounter elsewhere",
        {
            ENCOUNTERS: small(ENCOUNTERS) + "  requires: «other\n" + OTHER_MAP,
            MAPS: CELLARS + "attics: {name: Attics}",
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [cellars/2, attics/2]}",
        },
        "warning: encounter 'store': this encounter never appears: none of its maps can have the encounter that it requires: other",
    ),
    (
        "fallback elsewhere",
        {
            ENCOUNTERS: small(ENCOUNTERS) + "  fallback: «other\n" + OTHER_MAP,
            MAPS: CELLARS + "attics: {name: Attics}",
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [cellars/2, attics/2]}",
        },
        "warning: encounter 'store': the fallback encounter is never used: it has no map in common with this encounter: other",
    ),
    (
        "ambush without bait",
        drawn(
            "C1.2",
            "  legend: {C: {prop: [crate, barrel]}, 1: {robot: sweeper, ambush: «bel}, 2: {item: scrap}}\n",
        ),
        "warning: prefab 'store': this ambush is never sprung: no item has this name under 'ambush': bel",
    ),
    (
        "ambush without robot",
        drawn(
            "C1.2",
            "  legend: {C: {prop: [crate, barrel]}, 1: {robot: sweeper}, 2: {item: scrap, ambush: «bell}}\n",
        ),
        "warning: prefab 'store': this ambush is empty: no robot has this name under 'ambush': bell",
    ),
    (
        "near to no encounter",
        {ENCOUNTERS: small(ENCOUNTERS) + "  near: {«danger: 9}\n"},
        "warning: encounter 'store': this encounter never appears: it must be near an encounter of this name, category or group, but none of its maps has one: danger",
    ),
    (
        "over every budget",
        {
            MAPS: CELLARS + "  budget: {worth: {by_depth: {1: 4, 2: 5}}}\n",
            **drawn("CB11", "  legend: {C: {prop: crate}, 1: {item: scrap}}\n  legends: boxes\n"),
            LEGENDS: small(LEGENDS),
            ITEMS: "scrap: {name: scrap, glyph: '!', worth: 3}\n",
            ENCOUNTERS: "«" + small(ENCOUNTERS),
        },
        (
            "warning: encounter 'store': this encounter never appears: its average content is over the budget of each of its maps: 6 worth (budget 4)"
        ),
    ),
    (
        "mix without encounters",
        {MAPS: CELLARS + "  mix: {«danger: 1.., risk: 0}\n"},
        (
            "warning: map 'cellars': 'mix' asks for encounters of this category, but none is possible on "
            "cellars/1: danger"
        ),
    ),
    (
        "limits below the mix",
        {
            MAPS: CELLARS + "  mix: {«reward: 2}\n",
            ENCOUNTERS: small(ENCOUNTERS)
            + "  limit: {map: 1}\n"
            + OTHER_HERE.replace("0", "1").replace("reward", "danger"),
        },
        (
            "warning: map 'cellars': 'mix' asks for at least 2 encounters of this category, but their limits allow at most 1 on cellars/1: "
            "reward"
        ),
    ),
    (
        "mix below the map",
        {MAPS: CELLARS + "  «mix: {reward: 0..1, danger: 0}\n"},
        (
            "warning: map 'cellars': 'mix' allows at most 1 encounters on cellars/1, but the map's 'encounters' asks for at least 2: "
            "mix"
        ),
    ),
    (
        "limits below the map",
        {
            MAPS: CELLARS.replace("encounters: 2", "«encounters: 4..6"),
            ENCOUNTERS: small(ENCOUNTERS)
            + "  limit: {map: 2}\n"
            + OTHER_HERE.replace("0", "1")
            + "  limit: {map: 1, world: 4}\n",
        },
        (
            "warning: map 'cellars': this map asks for at least 4 encounters, but the limits of its encounters allow at most 3 on cellars/1: "
            "encounters"
        ),
    ),
    (
        "mix without effect",
        {MAPS: CELLARS.replace("encounters: 2", "encounters: 0") + "  «mix: {reward: 0..1}\n"},
        "note: map 'cellars': 'mix' and 'budget' have no effect on this map, which gets no encounters: mix",
    ),
    (
        "ambiguous word",
        {ENCOUNTERS: small(ENCOUNTERS) + "  far_from: {«store: 9}\n  group: [store, goods]\n" + OTHER_GOODS},
        "warning: encounter 'store': this name is ambiguous: it is the name of an encounter and a group, and means all of them: store",
    ),
    (
        "bright category",
        {"categories.yaml": "reward: {colour: «'#c0c040'}\n"},
        "warning: category 'reward': this colour is too bright: white characters on it are hard to read",
    ),
    (
        "required encounter missing",
        {
            ENCOUNTERS: small(ENCOUNTERS).replace("cellars: common", "cellars: common, «attics: 1")
            + "  requires: other\n"
            + OTHER_HERE.replace("0", "1"),
            MAPS: CELLARS + "attics: {name: Attics}",
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [cellars/2, attics/2]}",
        },
        "note: encounter 'store': the encounter never appears on this map, because other, which it requires or must be near, never appears there: attics",
    ),
    (
        "guaranteed without required",
        {
            ENCOUNTERS: small(ENCOUNTERS).replace("cellars: common", "«cellars: common, attics: 1")
            + "  guaranteed: true\n  near: {danger: 300}\n"
            + "other: {category: danger, prefabs: store, maps: {attics: 1}, guaranteed: true}\n",
            MAPS: CELLARS.replace("layout", "«layout") + "attics: {name: Attics, encounters: 2}",
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [cellars/2, attics/2]}",
        },
        (
            "warning: encounter 'store': no level of this map can be made: the encounter is guaranteed there, but danger, which it requires or must be near, never appears there: cellars\n"
            "error: map 'cellars': in 3 of 3 tries, no level of this map could be made: "
            "store is guaranteed, and can't be placed: it must be near danger, which is not on the map"
        ),
    ),
    (
        "without its zones",
        {
            ENCOUNTERS: small(ENCOUNTERS).replace("cellars: common", "cellars: common, «attics: 1")
            + "  zones: vault\n",
            MAPS: CARDS + "attics: {name: Attics}",
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [cellars/2, attics/2]}",
        },
        "note: encounter 'store': the encounter never appears on this map, because the map has none of the encounter's zones: attics",
    ),
    (
        "far from no encounter",
        {ENCOUNTERS: small(ENCOUNTERS) + "  far_from: {entrance: 3, «danger: 9}\n"},
        "note: encounter 'store': this distance has no effect: none of the encounter's maps has an encounter of this name, category or group: danger",
    ),
    (
        "no stake",
        {
            MAPS: CELLARS + "  budget: {worth: 5}\n",
            ITEMS: "«scrap: {name: scrap, glyph: '!'}\n",
        },
        "note: item 'scrap': budgets count this object as 0, because it has no 'worth'",
    ),
    (
        "density and budget",
        {
            MAPS: CELLARS + "  budget: {worth: 5}\n",
            ITEMS: "scrap: {name: scrap, glyph: '!', worth: 1}\n",
            ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {cellars: common}, content: [{item: scrap}, {item: scrap, «density: 9}]}\n",
        },
        "note: encounter 'store': the budget of map cellars/1 counts this as one object: the number of cells of the encounter's room or cave is not known when the budget is spent",
    ),
    (
        "group of one encounter",
        {
            ENCOUNTERS: small(ENCOUNTERS)
            + "  group: [boxes, «boxs]\n"
            + small(ENCOUNTERS).replace("store:", "other:", 1)
            + "  group: boxes\n",
        },
        (
            "warning: encounter 'store': this group has no effect: it contains no other encounter: "
            "boxs (did you mean boxes?)"
        ),
    ),
    (
        "no encounter",
        {
            ENCOUNTERS: small(ENCOUNTERS) + "  depth: 1\n",
            MAPS: CELLARS.replace("encounters", "«encounters"),
        },
        "warning: map 'cellars': this map asks for encounters, but no encounter is possible on cellars/2: encounters",
    ),
    (
        "unused map",
        {MAPS: CELLARS + "«vault: {name: The Vault}"},
        "warning: map 'vault': this type of map is never used: no map in 'world.yaml' can be of this type",
    ),
    (
        "never allowed",
        {
            PREFABS: TIDY[PREFABS] + "hall:\n  map: '#..+'\n  «only: {depth: 9..}\n",
            MAPS: CELLARS + "  features: [{prefab: hall}]\n",
        },
        "warning: prefab 'hall': this prefab is never used: 'only' excludes each map that asks for it",
    ),
    (
        "dead end",
        {
            WORLD: "start: cellars/1\nmaps: {cellars: 1, attic: {depths: 2, chance: 0.0001%, maps: {cellars: 1}}}\nleads_to: {«cellars/1: attic/2}"
        },
        "warning: world: in 200 of 200 worlds, cellars/1 is a dead end: these worlds have none of the maps that it leads to: cellars/1",
    ),
    (
        "no place for a tower",
        tower("{cellars/1: top, cellars/2: [top, top]}") | {PREFABS: tower("")[PREFABS].partition("foot")[0]},
        "error: world: no level with a floor of this tower can be made: the stairs down of its floor on cellars/1 nowhere match the stairs up of its floor on cellars/2",
    ),
    (
        "tower sometimes lost",
        tower("{cellars/1: top, cellars/2: foot}, orientations: [r0]", size="{width: 60, height: [9, 40]}"),
        "warning: world: in 18 of 20 worlds, no level with a floor of this tower can be made: its floor top has no space on cellars/1, which is 60x9",
    ),
    (
        "tower never there",
        tower("{attic/2: top, loft/3: foot}", EITHER_OF_TWO),
        "warning: world: no world has this tower: this world has no attic/2",
    ),
    (
        "lost by a factor",
        {
            WORLD: small(WORLD) + "difficulties: {calm: {weights: {reward: «0%}}}\n",
            ENCOUNTERS: small(ENCOUNTERS) + "  least: {world: 1}\n",
        },
        "warning: world: with this factor of 0, the encounter 'store' never appears, although its 'least' asks for it",
    ),
    (
        "factor of no population",
        {
            WORLD: small(WORLD) + "«spawns: 50%\n",
            MAPS: CELLARS.partition("  population")[0],
            ENCOUNTERS: small(ENCOUNTERS)
            + "  content: [{item: scrap}, {robot: sweeper}, {trap: snare}, {debris: rubble}]\n",
        },
        "note: world: 'spawns' has no effect: no map has a population",
    ),
    (
        "factor of no encounter",
        {WORLD: small(WORLD) + "difficulties: {hard: {weights: {«danger: 150%}}}\n"},
        "note: world: this factor has no effect: no encounter has this category: danger",
    ),
    (
        "difficulty without effect",
        {
            WORLD: small(WORLD)
            + "difficulties: {«usual: {spawns: 100%, weights: {reward: {by_depth: {1: 1}}}}}\n"
        },
        "note: world: this difficulty changes nothing: each of its factors is 100%",
    ),
    (
        "repeated rule",
        {
            WORLD: "start: cellars/1\nmaps: {cellars: 1..3}\nleads_to: {cellars/*: cellars/+1, cellars/2: «cellars/3}"
        },
        "note: world: this target of 'leads_to' has no effect: other rules already lead there: cellars/3",
    ),
    (
        "size without effect",
        {
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [vault/2]}",
            MAPS: CELLARS + "vault: {name: The Vault, layout: {static: {prefab: store}}, «size: 60x40}",
        },
        "note: map 'vault': 'size' has no effect: the layout static decides the size of the map: size",
    ),
    # -- objects that are asked for ---------------------------------------------------------------
    (
        "no member",
        {ROBOTS: "sweeper: {name: x, glyph: s, class: worker, depth: 2}", **drawn("C..w", "")}
        | {
            PREFABS: "store:\n  map: C..w\n  legend:\n    C: {prop: [crate, barrel]}\n"
            "    w: {robot: «{class: worker}}\n"
        },
        (
            "warning: prefab 'store': no robot of class 'worker' in the catalog fits depth 1 without 'fallback: true', but encounter 'store' on cellars/1 asks for one"
        ),
    ),
    (
        "rating of no map",
        {
            PREFABS: "store:\n  map: C..w\n  legend:\n    C: {prop: [crate, barrel]}\n"
            "    w: {robot: any, rating: «[+1, {as: cellars/9}]}\n",
            LEGENDS: "",
        },
        "warning: prefab 'store': no world has this map, so the object is chosen for depth 9: cellars/9",
    ),
    (
        "no prototype",
        {
            PREFABS: "store:\n  map: C..w\n  legend:\n    C: {prop: [crate, barrel]}\n"
            "    w: {item: {class: junk}, «prototype: true}\n",
            ITEMS: "scrap: {name: x, glyph: '!', class: junk}\n",
            LEGENDS: "",
        },
        "note: prefab 'store': 'prototype' has no effect: no item of class 'junk' that fits depths 1 and 2 is a prototype",
    ),
    (
        "unreachable object",
        {ITEMS: small(ITEMS) + "«gem: {name: gem, glyph: '*'}\n"},
        "note: item 'gem': this object is never used: no part of the content asks for it",
    ),
    # -- what nobody uses -------------------------------------------------------------------------
    (
        "unused prefab",
        {PREFABS: TIDY[PREFABS] + "«hall: {map: '.'}\n"},
        "note: prefab 'hall': this prefab is never used: no encounter, map or 'fit' step asks for it",
    ),
    (
        "unused tag",
        {PREFABS: TIDY[PREFABS] + "  tags: [«big, store_like]\n"}
        | {ENCOUNTERS: "store: {category: reward, prefabs: [store, store_like], maps: {cellars: common}}"},
        "note: prefab 'store': this tag is never used: no encounter, map or 'fit' step asks for it: big",
    ),
    (
        "unused legend",
        {LEGENDS: small(LEGENDS) + "«more: {C: {prop: crate}}\n"},
        "note: legend 'more': this legend is never used: no prefab and no other legend names it",
    ),
    (
        "unused palette",
        {PALETTES: "«more: {glyphs: {'=': grass}}"},
        "note: palette 'more': this palette is never used: no prefab and no other palette names it",
    ),
    (
        "unused theme",
        {THEMES: small(THEMES) + "«desert: {floor: grass}\n"},
        "note: theme 'desert': this theme is never used: no map names it",
    ),
    (
        "unused category",
        {"categories.yaml": "«omen: {colour: '#102030'}\n"},
        "note: category 'omen': this category is never used: no encounter has it",
    ),
    (
        "unused terrain",
        {TERRAIN: small(TERRAIN) + "«moss: {like: floor}\nfloor: {glyph: '.'}\n"},
        "note: terrain 'moss': this kind of terrain is never used: no theme, prefab, legend, palette or map names it",
    ),
    (
        "unused weight word",
        {WEIGHTS: "common: 10\n«rare: 1"},
        "note: weights: this word for a weight is never used: no weight in the content names it: rare",
    ),
    # -- features of maps -------------------------------------------------------------------------
    (
        "variant without weight",
        {MAPS: CELLARS + "  variants: {1: {features: [{stairs: up}]}, «2: {weight: 0}}\n"},
        "warning: map 'cellars': this variant never appears: its weight is 0: 2",
    ),
    (
        "variant without weight",
        {
            PREFABS: TIDY[PREFABS]
            + "hall:\n  map: '#..+'\n  variants: {wide: {}, low: {weight: «0, vary: [{shuffle: '#.'}]}}\n",
            MAPS: CELLARS + "  features: [{prefab: hall}]\n",
        },
        "warning: prefab 'hall': this variant never appears: its weight is 0: 0",
    ),
    (
        "never allowed",
        {
            PREFABS: TIDY[PREFABS]
            + "hall:\n  map: '#..+'\n  variants: {wide: {}, low: {«only: {depth: 9..}}}\n",
            MAPS: CELLARS + "  features: [{prefab: hall}]\n",
        },
        "warning: prefab 'hall/low': this prefab is never used: 'only' excludes each map that asks for it",
    ),
    (
        "unused prefab",
        {PREFABS: TIDY[PREFABS] + "«hall:\n  map: '#..+'\n  variants: {wide: {}, low: {map: '...'}}\n"},
        "note: prefab 'hall': this prefab is never used: no encounter, map or 'fit' step asks for it",
    ),
    (
        "area too large",
        featuring("«quiet: {width: 3, height: 31..40}, at: [10, 2]"),
        "error: map 'cellars': this area is larger than the map, which is at most 50x30 cells: quiet",
    ),
    (
        "off the map",
        featuring("blocked: 3x4, at: [10, «27]"),
        "error: map 'cellars': a feature placed here would reach beyond the map, which is at most 50x30 cells: 27",
    ),
    (
        "off the map",
        featuring("prefab: store, x: «-51..-40"),
        "warning: map 'cellars': a feature placed here would reach beyond the map, which is at most 50x30 cells: -51",
    ),
    (
        "off the map",
        featuring("quiet: 3x4, from: [north, south], distance: «27..30"),
        "warning: map 'cellars': a feature placed here would reach beyond the map, which is at most 50x30 cells: 27",
    ),
    (
        "no such place",
        featuring("prefab: store, «where: north quarter, from: south, required: true"),
        NOWHERE.format("where").replace("warning", "error"),
    ),
    (
        "no such place",
        featuring("blocked: 10x25, «where: [north third, south third]", size="{width: 50, height: 27..30}"),
        NOWHERE.format("where"),
    ),
    (
        "no such place",
        featuring("stairs: down, «from: [east, west], x: 10..20"),
        NOWHERE.format("from"),
    ),
    (
        "no such place",
        featuring("quiet: 70%x3, «where: [east quarter, north-west third]"),
        NOWHERE.format("where"),
    ),
    (
        "never on the map",
        {**featuring("prefab: lodge, «y: 3, required: true"), PREFABS: TIDY[PREFABS] + LODGE},
        (
            "error: map 'cellars': the feature can't be placed on any level of this map: in such a place its doors and links face "
            "an edge of the map: a way needs 5 cells before each"
        ),
    ),
    (
        "never on the map",
        {**featuring("prefab: lodge, «y: 0"), PREFABS: TIDY[PREFABS] + LODGE},
        (
            "warning: map 'cellars': the feature can't be placed on any level of this map: in such a place it would lie on "
            "the map's outermost rows or columns, which stay closed"
        ),
    ),
    (
        "farther than the map",
        featuring("stairs: up, far_from: {exits: «90}"),
        "warning: map 'cellars': this distance is too long: no two cells of the map (50x30 cells at most) are that many steps apart: 90",
    ),
    (
        "no space left",
        {MAPS: featuring("«keep_out: 48x100%")[MAPS].replace("layout", "«layout")},
        (
            "error: map 'cellars': in 3 of 3 tries, no level of this map could be made: no room found space in a map of 50x30\n"
            "warning: map 'cellars': the feature covers the whole map (50x30 cells at most), so that no room or corridor can be dug: keep_out"
        ),
    ),
    (
        "never complete",
        {MAPS: CELLARS.replace("{tunnels: {large: 8..13}}", "«{cards: {count: 90..99}}")},
        "warning: map 'cellars': no level of this map can have everything that its layout asks for: it asks for at least 90 cells of 11x9, but there is space for 40",
    ),
    (
        "never complete",
        {
            MAPS: CELLARS.replace(
                "{tunnels: {large: 8..13}}",
                "«{cards: {zones: {a: {}, b: {count: 5, deck: {store: {copies: 4}}}}, rooms: 0, passages: 0, deck: {store: 1}}}",
            )
        },
        "warning: map 'cellars': no level of this map can have everything that its layout asks for: in zone b its deck has cards for 4 of 5 cells: plain rooms fill the other cells",
    ),
    (
        "never complete",
        {
            MAPS: CELLARS.replace(
                "{tunnels: {large: 8..13}}",
                "«{cards: {zones: {a: {}, b: {grow: {sections: [deck, O]}}}, deck: {store: 1}}}",
            )
        },
        "warning: map 'cellars': no level of this map can have everything that its layout asks for: in zone b it grows by the shapes of its deck, and no card there takes several cells",
    ),
    (
        "never complete",
        {
            MAPS: CELLARS
            + "yard: {name: Yard, layout: «{connected: {prefabs: {hall: {copies: 1}}, typed: true}}}",
            PREFABS: TIDY[PREFABS] + HALL_OF_TWO,
            WORLD: YARD,
        },
        "warning: map 'yard': no level of this map can have everything that its layout asks for: no other piece has a connector that fits one of prefab 'hall'",
    ),
    (
        "never complete",  # halls join halls, but the start has only ways of one cell
        {
            MAPS: CELLARS
            + "yard: {name: Yard, layout: «{connected: {start: porch, prefabs: {hall: 1, porch: 1}, auto: 0%, typed: true, rooms: 2}}}",
            PREFABS: TIDY[PREFABS] + HALL_OF_TWO + PORCH,
            WORLD: YARD,
        },
        "warning: map 'yard': no level of this map can have everything that its layout asks for: no piece that can be reached from its start has a connector that fits one of prefab 'hall'",
    ),
    (
        "never complete",  # all of its ways lead south, and none north
        {
            MAPS: CELLARS
            + "yard: {name: Yard, layout: «{connected: {prefabs: {porch: 1}, auto: 0%, rooms: 1}}}",
            PREFABS: TIDY[PREFABS] + PORCH + "  orientations: r0\n",
            WORLD: YARD,
        },
        "warning: map 'yard': no level of this map can have everything that its layout asks for: no other piece has a connector that fits one of prefab 'porch'",
    ),
    (
        "never complete",
        {
            MAPS: CELLARS
            + "yard: {name: Yard, size: 40x40, layout: «{connected: {prefabs: {store: {copies: 3}}, auto: 0%, rooms: 5}}}",
            WORLD: YARD,
        },
        "warning: map 'yard': no level of this map can have everything that its layout asks for: it asks for at least 5 rooms, but its prefabs make at most 4",
    ),
    (
        "never complete",
        {
            MAPS: CELLARS + "yard: {name: Yard, size: 40x12, «layout: «{connected: {start: hall}}}",
            PREFABS: TIDY[PREFABS] + "hall:\n  map: |\n" + "    .............\n" * 13,
            WORLD: YARD,
        },
        (
            "error: map 'yard': in 3 of 3 tries, no level of this map could be made: no piece can be the first of the map: hall: no connector has the space for it\n"
            "warning: map 'yard': no level of this map can have everything that its layout asks for: prefab 'hall' does not fit into the map: 13x13 cells of it are open"
        ),
    ),
    (
        "nothing to lock",
        {MAPS: CELLARS + "yard: {name: Yard, layout: caves, locks: {«brass: 2}}", WORLD: YARD, LOCKS: BRASS},
        "warning: map 'yard': no room can be locked here: the layout caves of map yard makes no rooms with doors: brass",
    ),
    (
        "nothing to lock",
        {
            MAPS: CELLARS + "yard: {name: Yard, layout: caves}",
            WORLD: YARD,
            LOCKS: BRASS,
            ENCOUNTERS: small(ENCOUNTERS)
            + "strewn: {category: fluff, placing: free, content: [{item: scrap}], maps: {yard: 1}, «lock: brass}",
        },
        "warning: encounter 'strewn': no room can be locked here: the layout caves of map yard makes no rooms with doors: lock",
    ),
    (
        "no level",
        {
            MAPS: CELLARS + "yard: {name: Yard, «layout: {static: {prefab: hall}}}",
            PREFABS: TIDY[PREFABS]
            + "hall:\n  map: |\n    ###\n    #=#\n    ###\n  legend: {'=': {prop: crate}}\n",
            WORLD: YARD,
        },
        "error: map 'yard': in 8 of 8 tries, no level of this map could be made: the map has no cell left for stairs",
    ),
    (
        "no map for keys",
        {
            MAPS: CELLARS + "  locks: {brass: {on: way}}\nyard: {name: Yard}\n",
            WORLD: YARD,
            LOCKS: BRASS.replace("}}", "}, «keys_on: yard/2}"),
        },
        "warning: lock 'brass': in 40 of 40 worlds nothing is locked with this, as no map of 'keys_on' can be reached before it",
    ),
    (
        "never locked",
        {
            MAPS: CELLARS + "yard: {name: Yard, «layout: {static: {prefab: hall}}}",
            PREFABS: TIDY[PREFABS] + CUT_OFF,
            WORLD: YARD,
            LOCKS: BRASS,
        },
        "warning: map 'yard': this lock is never used: in 8 tries no place was found for its keys: brass",
    ),
    (
        "nothing to dress",
        dressed("patches: grass, regions: «[cave, rooms]"),
        "warning: map 'cellars': this dressing has no effect: the layout tunnels of map cellars makes no region of these kinds: cave, rooms (allowed: corridor, hall, junction, prefab, room, zone)",
    ),
    (
        "outside its depths",
        {MAPS: CELLARS + "    - {item: scrap, depth: «3..}\n"},
        "warning: map 'cellars': this entry never takes effect: its maps lie at depths 1 and 2 only, outside its 'depth'",
    ),
    (
        "outside its depths",
        {MAPS: CELLARS + "  machines: [{prefabs: store, depth: «5}]\n", **drawn("C??C")},
        "warning: map 'cellars': this entry never takes effect: its maps lie at depths 1 and 2 only, outside its 'depth'",
    ),
    (
        "outside its depths",
        {ENCOUNTERS: small(ENCOUNTERS) + "  content: [{item: scrap, depth: «0}]\n"},
        "warning: encounter 'store': this entry never takes effect: its maps lie at depths 1 and 2 only, outside its 'depth'",
    ),
    (
        "never a machine",
        machine("C.#"),
        "warning: prefab 'press': map cellars can never use this prefab as a machine: it has wall, and a machine has only floor to walk on",
    ),
    (
        "not always a machine",
        machine("C.w", "  vary: [{substitute: w, with: {'#': 1, '.': 1}, once: true}]\n"),
        "warning: prefab 'press': in 24 of 50 variants, map cellars can't use this prefab as a machine: it has wall, and a machine has only floor to walk on",
    ),
    (
        "no space to dress",
        dressed("lake: grass, cells: «1345..1400"),
        "warning: map 'cellars': this lake or chasm is too large for the map, which is at most 50x30 cells: 1345",
    ),
    (
        "no space to dress",
        dressed("chasm: grass, length: «77"),
        "warning: map 'cellars': this lake or chasm is too large for the map, which is at most 50x30 cells: 77",
    ),
    (
        "crossing without need",
        dressed("river: grass, «crossing: floor"),
        "note: map 'cellars': no crossing is needed here: the terrain of this dressing can be walked on: crossing",
    ),
    (
        "chance of 0",
        dressed("rubble: grass, chance: «0%"),
        "note: map 'cellars': the chance is 0%, so this part of the content never takes effect",
    ),
    (
        "accepted of nothing",
        {
            "accepted.yaml": "missed: {«storee: {most: 1, reason: r}}\n"
            "unused: {store: {most: 1, reason: r, maps: [cellars/*, «cellars/9]}}\nstuck: {«attic/1: {most: 1, reason: r}}\n"
        },
        (
            "warning: accepted: nothing is accepted here: there is no encounter of this name: storee (did you mean store?)\n"
            "warning: accepted: nothing is accepted here: the world has no such map: cellars/9 (did you mean cellars/2?)\n"
            "warning: accepted: nothing is accepted here: there is no map or branch of this name: attic (allowed: cellars)"
        ),
    ),
    (
        "never lies so",
        {
            PREFABS: TIDY[PREFABS] + "  orientations: [r0, m0]\n",
            **featuring("prefab: store, orientations: «[r90]"),
        },
        "warning: map 'cellars': prefab 'store' permits none of the orientations listed here",
    ),
    (
        "no stairs",
        featuring("prefab: store, to: «cellars"),
        "warning: map 'cellars': the feature can't lead to this map: none of its prefabs has stairs down or an exit: cellars",
    ),
    (
        "stairs to nowhere",
        {
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [attic/2]}",
            MAPS: CELLARS + "  features: [{stairs: down, to: «cellars/2}]\nattic: {name: The Attic}\n",
        },
        (
            "warning: map 'cellars': stairs to this map are never drawn: no map that may have these stairs leads there: "
            "cellars/2 (allowed: attic, attic/2)"
        ),
    ),
    (
        "larger than the map",
        {
            PREFABS: TIDY[PREFABS] + "hall: {map: '" + "." * 10 + "'}\n",
            **featuring("prefab: «hall, orientations: r0", "11x20"),
        },
        "warning: map 'cellars': prefab 'hall' (10x1 cells) doesn't fit: the space on map cellars is at most 9x18 cells",
    ),
]


def test_tidy_content_has_no_problems(tmp_path: Path) -> None:
    assert said(tmp_path, {}) == []


@pytest.mark.parametrize(("files", "message"), [pytest.param(*case, id=name) for name, *case in CASES])
def test_every_check_reports_its_case_at_the_right_place(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    expect(tmp_path, files, message.splitlines())


def _unmarked(files: dict[str, str]) -> dict[str, str]:
    return {name: text.replace("«", "") for name, text in files.items()}


FINE: list[tuple[str, dict[str, str]]] = [
    ("required encounter excluded", met("group: goods", "group: goods, requires: third", third="")),
    ("near to excluded", met("near: {reward: 9}, requires: other")),
    ("near and far", met("near: {other: 5}, far_from: {other: 5, exits: 9}")),
    ("limit of 0", met("limit: {world: 0..1}")),
    ("least above most", met("least: {map: 2, world: 4}, limit: {map: 2}")),
    ("too many doors", met("access: 9")),
    (
        "fewer rooms than asked",
        {MAPS: CELLARS.replace("{tunnels: {large: 8..13}}", "{tunnels: {rooms: 20}}") + "  size: 50x30\n"},
    ),
    ("feature never placed", featuring("stairs: up, name: s, at: [10, 10]}, {blocked: 5x5, near: {s: 9}")),
    # -- drawings ---------------------------------------------------------------------------------
    (
        "unused character",  # a step leaves it; a shared legend may say more than one prefab needs
        {
            PREFABS: "store:\n  map: C..C\n  legend: {C: {prop: crate}, D: {prop: crate}}\n  legends: boxes\n"
            "  vary: [{substitute: C, with: [C, D]}]\n",
            LEGENDS: "boxes: {B: {prop: [crate, barrel]}, D: {prop: crate}}",
            MAPS: CELLARS + "    - {prop: barrel}\n",
        },
    ),
    ("unplaceable", drawn("C..C/#..#/....")),
    (
        "unplaceable",  # water can't be walked on, but it is not cut off; `?` is what the room has there
        {
            TERRAIN: "grass: {}\nwater: {like: floor, walkable: false}",
            **drawn("?.~./?.~./C...", CRATES.replace("{C", "{'~': water, C")),
        },
    ),
    (
        "unplaceable",
        {
            **drawn("..../.C../...."),
            ENCOUNTERS: small(ENCOUNTERS) + "  placing: accessible\n",
        },
    ),
    (
        "unplaceable variants",
        drawn("C.../..../.www", CRATES + '  vary: [{substitute: w, with: {"#": 1, ".": 1}, once: true}]\n'),
    ),
    (
        "in closed terrain",  # it shifts to where it can stand; there is not always a wall
        drawn(
            "#T#w#/.....",
            "  references: |1\n      C\n"
            "  legend:\n    T: {prop: [crate, barrel], terrain: wall, shift: [0, 1]}\n    C: {prop: crate}\n"
            "  vary: [{substitute: w, with: ['#', '.']}]\n",
        ),
    ),
    (
        "in closed terrain",  # what is said of a cell alone may be said of any cell
        drawn(
            "#T#C#/s....",
            "  legend:\n    T: {terrain: wall, data: {colour: white}}\n    s: {terrain: stairs_down, marker: way}\n"
            "    C: {prop: [crate, barrel], terrain: floor}\n",
        ),
    ),
    (
        "on closed terrain",  # a robot may; what shifts may come ashore; not everywhere nor always is there water
        {
            **drawn(
                "r.a./..w./C...",
                "  legend:\n    r: {robot: sweeper, terrain: lake}\n    a: {item: scrap, terrain: lake, shift: [1, 1]}\n"
                "    w: {item: scrap}\n    C: {prop: [crate, barrel]}\n"
                "  vary: [{substitute: C, with: {'.': 1, C: 1}}]\n",
            ),
            TERRAIN: small(TERRAIN) + LAKE,
        },
    ),
    (
        "on a prop",  # what lies there, or may stand on something that is not always there
        drawn(
            "C.B./..../....",
            "  legend: {C: [{prop: crate}, {item: scrap}], B: [{prop: barrel, chance: 50%}, {robot: sweeper}]}\n",
        ),
    ),
    (
        "item out of reach",
        drawn(
            "..C../.CA.B/..C../.....",
            "  legend: {A: [{prop: crate}, {item: scrap}], C: {prop: crate}, B: {prop: barrel}}\n",
        ),
    ),
    (
        "item out of reach",  # the map may have ground there, or the case is sealed on purpose
        drawn(
            "#####/#A#.B/###../...?./..?A?/...?.",
            "  legend: {A: [{prop: crate}, {item: scrap}], B: {prop: barrel}}\n  sealed: true\n",
        ),
    ),
    (
        "layers of a text",
        {**drawn("C...", CRATES), "palette.yaml": "layers: [terrain, items]\n"},
    ),
    (
        "over a machine",  # a prop over it names it
        drawn(
            "..../..../....",
            "  machines: |1\n     ▒▒\n  references: |1\n     C\n  legend: {C: {prop: [crate, barrel]}}\n",
        ),
    ),
    (
        "door bypassed",  # between what stays, in a wide gate, at the edge, before what the map has
        drawn(".C+C../....../##++#+/......"),
    ),
    ("door bypassed", drawn("?+?../C#.../.....")),
    (
        "door sometimes bypassed",  # it goes with its wall
        drawn(
            "CCw../..d../..w../.....",
            "  legend: {C: {prop: [crate, barrel]}}\n  parameters: {wall: [there, gone]}\n"
            "  vary:\n    - {substitute: w, switch: wall, cases: {there: '#', gone: .}}\n"
            "    - {substitute: d, switch: wall, cases: {there: '+', gone: .}}\n",
        ),
    ),
    (
        "chance without effect",  # one gets there; around this one may be a room
        drawn("CD.../CC.../.....", "  legend: {D: {prop: crate, chance: 90%}, C: {prop: [crate, barrel]}}\n"),
    ),
    (
        "chance without effect",
        {
            **drawn(
                "DC.../C..../.....", "  legend: {D: {prop: crate, chance: 90%}, C: {prop: [crate, barrel]}}\n"
            ),
            MAPS: CELLARS + "  features: [{prefab: store}]\n",
        },
    ),
    (
        "object everywhere",  # on layer 4 it stands where it is drawn
        drawn(
            "CC../....", "  references: '  #'\n  legend: {C: {prop: [crate, barrel]}, '#': {item: scrap}}\n"
        ),
    ),
    (
        "unused parameter",
        drawn(
            "C..w",
            CRATES + "  parameters: {mood: [calm, wild]}\n"
            "  vary: [{substitute: w, switch: mood, cases: {calm: '.', wild: C}}]\n",
        ),
    ),
    ("covered link", drawn("C...", CRATES + "  links: ' 1'\n")),
    ("covered link", drawn("..../..C.", CRATES + "  links: '  3'\n")),  # it leads to the nearest edge
    ("sometimes covered link", drawn("w.../....", CRATES + EITHER + "  links: '   1'\n")),
    ("link into rock", drawn("B..C", ROCKY + "  links: ' 1'\n")),
    ("sometimes link into rock", drawn("#..C", CRATES + "  links: '1'\n")),  # walls can be dug through
    ("never seedable", hall("...../.CCC./.C.../.CCC./.....", BOXED)),
    ("never closed", hall("...../.#+#./.#.#./.###./.....", "")),
    ("never closed", hall("...../.###./.#.#./.###./.....", "  sealed: true\n")),
    ("nothing sealed", hall("...../.###./.#.#./.###./.....", "  sealed: true\n")),
    ("never closed", hall("<>####/..#..#/..####", "", static="frame: 1, pockets: seal")),
    ("not always closed", hall("...../.###./.#.w./.#+#./.....", BOXED + EITHER)),
    ("never seedable", hall("#######/+k.L..#/#######", KEYED)),
    ("never seedable", hall("#######/+..L.k+/#######", KEYED)),  # another way in
    ("not always seedable", hall("...../.C.C./.C.w./.C.C./.....", BOXED + EITHER)),
    ("never drawn", hall("<.kL..>", KEYED, static="frame: 1")),
    ("no level if drawn", hall("<k.L.kL..>", USED_UP, static="frame: 1")),
    ("never drawn", hall("<..>L.k", SHUT, static="frame: 1, pockets: seal")),
    ("locked prop", hall("<..>..k/..C.#..", CASED, static="pockets: seal")),
    ("sometimes locked prop", hall("...../..C.k/.....", CASED)),
    ("changed as a map", hall("<..>L.k", SHUT, static="frame: 1, pockets: seal")),
    (
        "lock of another map",
        keyed_cellars(
            hall(
                "<..>/..Ck",
                "  legend: {C: {prop: crate, lock: brass}, k: {item: scrap, opens: brass}}\n",
                static="frame: 1",
            )
        ),
    ),
    ("never drawn", hall("<.C.>", BOXED, static="frame: 2")),  # a way can be dug around it
    (
        "never drawn",
        hall("<>~../..~~~/~~~.~/...~~", POND, static="pockets: seal", **{TERRAIN: small(TERRAIN) + LAKE}),
    ),
    ("not always drawn", hall("<wkL..>", KEYED + EITHER.replace("C", "k"), static="frame: 1")),
    ("machine without drawing", drawn("C.../....", CRATES + "  machine: crate\n  machines: '  ▒'\n")),
    (
        "paints without paint",
        drawn("C.../....", CRATES + "  machines: '  ▒'\n  paint: '  r'\n  paints: {r: '#ff0000'}\n"),
    ),
    (
        "unused paint",
        drawn("C.../....", CRATES + "  machines: '  ▒'\n  paint: '  r'\n  paints: {r: '#ff0000'}\n"),
    ),
    ("colours of a text", drawn("C..=", CRATES + "  palette: {glyphs: {'=': wall}}\n")),
    ("nearest of none", {PALETTE: "match: nearest\nglyphs: {'~': grass}\ncolours: {'#ff0000': wall}"}),
    (
        "nothing fits",  # it fits when it is turned
        drawn("C..S/...S", CRATES + "  vary: [{fit: S, prefabs: alcove}]\nalcove: {map: '..'}\n"),
    ),
    (
        "nothing ever fits",
        drawn(
            "C..x/..../xx..",
            CRATES + "  vary:\n    - {optional: x, become: S, otherwise: '.'}\n"
            "    - {fit: S, prefabs: alcove}\nalcove: {map: '..'}\n",
        ),
    ),
    # -- what symbols mean ------------------------------------------------------------------------
    (
        "group of one",
        drawn("B..C", "  legend: {B: {prop: barrel, group: one}, C: {prop: crate, group: one}}\n"),
    ),
    (
        "group without weight",
        drawn(
            "B..C",
            "  legend: {B: {prop: barrel, group: one, weight: [0, 1]}, C: {prop: crate, group: [one], weight: 0}}\n",
        ),
    ),
    (
        "over a machine",  # the machine may shift, or whatever is over it
        drawn(
            "..../..../....",
            "  machines: |1\n     ▒▒\n  references: |1\n     Cs\n"
            "  legend: {s: {robot: sweeper}, C: {prop: [crate, barrel], shift: {value: [1, 0], chance: 1%}}}\n",
        ),
    ),
    (
        "group without weight",
        drawn("B..C", "  legend: {B: {prop: barrel, group: one, weight: 0}, C: {prop: crate, group: one}}\n"),
    ),
    (
        "stairs to nowhere",
        drawn("C.<>", CRATES.replace("{C", "{'>': {terrain: stairs_down, to: cellars}, C")),
    ),
    (
        "lock without key",
        drawn("C..C", "  legend: {C: {prop: [crate, barrel], lock: [brass, iron]}}\n")
        | {MAPS: CELLARS + "    - {item: scrap, opens: [brass, iron]}\n"},
    ),
    (
        "lock without key",  # what keys open may stand with the key itself, or be rolled
        {
            **drawn("C..C", "  legend: {C: {prop: [crate, barrel], lock: [brass, iron, tin]}}\n"),
            ITEMS: "scrap: {name: scrap, glyph: '!', data: {opens: [brass, tin]}}",
            MAPS: CELLARS + "    - {item: scrap, roll: {opens: [iron, 1]}}\n",
        },
    ),
    (
        "key without lock",
        drawn("C..C", "  legend: {C: {prop: [crate, barrel], lock: {value: brass, chance: 10%}}}\n")
        | {MAPS: CELLARS + "    - {item: scrap, opens: brass}\n"},
    ),
    (
        "lock without key",
        drawn("C..C", "  legend: {C: {prop: [crate, barrel], lock: brass}}\n")
        | {LOCKS: "brass: {name: brass lock, opened_by: {item: scrap}}"},
    ),
    (
        "toggle without effect",  # a lever does, and what opens nothing may mean by it what it likes
        {
            **drawn("C..C", "  legend: {C: {prop: [crate, barrel], lock: brass}}\n"),
            MAPS: CELLARS
            + "    - {prop: crate, opens: brass, data: {toggle: true}}\n    - {item: scrap, data: {toggle: true}}\n",
        },
    ),
    (
        "unknown state",  # one is only asked for, and of one the catalog says nothing
        drawn(
            "C..D",
            "  legend: {C: {robot: sweeper, state: broken}, D: {prop: [crate, barrel], state: wet}}\n",
        )
        | {
            ROBOTS: "sweeper: {name: s, glyph: s, state: {asleep: 1, broken: 0}}\n",
            PROPS: "crate: {name: c, glyph: c, state: shut}\nbarrel: {name: b, glyph: b}\n",
        },
    ),
    (
        "lock that nothing opens",
        {MAPS: CELLARS + "  locks: {vault: 0..1}\n", LOCKS: "vault: {name: vault, opened_by: {item: any}}"},
    ),
    (
        "opener never chosen",
        {
            MAPS: CELLARS + "  locks: {vault: 1}\n",
            LOCKS: "vault: {name: vault, opened_by: [{item: scrap, weight: 9}, {prop: crate, weight: 0.1}]}",
        },
    ),
    (
        "all of one opener",
        {
            MAPS: CELLARS + "  locks: {vault: 1}\n",
            LOCKS: "vault: {name: vault, opened_by: [{item: scrap}, {prop: crate}], keys: all}",
        },
    ),
    (
        "weight of sure opener",
        {
            MAPS: CELLARS + "  locks: {vault: 1}\n",
            LOCKS: "vault: {name: vault, opened_by: [{item: scrap, weight: 2}, {prop: crate}], keys: 2}",
        },
    ),
    (
        "unused lock",
        {
            ENCOUNTERS: small(ENCOUNTERS) + "  lock: inner\n",
            LOCKS: "outer: {name: outer, opened_by: {item: scrap}}\n"
            "inner: {name: inner, opened_by: [{lock: outer}, {item: scrap}]}",
        },
    ),
    ("chance of 0", {MAPS: CELLARS + "    - {item: scrap, chance: 1%}\n"}),
    ("unique of one", {LEGENDS: "boxes: {B: {prop: [barrel, crate], unique: true}}"}),
    (
        "too many around",
        drawn(
            "C..C",
            "  legend: {C: {prop: [crate, barrel], around: [{item: scrap, count: 4..9, within: 1}]}}\n",
        ),
    ),
    (
        "no band",
        {
            MAPS: CELLARS + "    - {robot: sweeper, followers: []}\n",
            ROBOTS: "sweeper: {name: s, glyph: s, class: worker, band: [{robot: helper}]}\nhelper: {name: h, glyph: h}\n",
        },
    ),
    # -- encounters and maps ----------------------------------------------------------------------
    (
        "weight 0 everywhere",
        {
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [attic/2]}",
            MAPS: CELLARS + "attic: {name: The Attic}\n",
            ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {cellars: common, attic: 0}}",
        },
    ),
    (
        "depth of no map",
        {
            ENCOUNTERS: small(ENCOUNTERS)
            + "hoard: {category: reward, prefabs: store, maps: {cellars: common}, depth: 2..5}\n"
        },
    ),
    ("map limit too high", {ENCOUNTERS: small(ENCOUNTERS) + "  limit: {map: 2, world: 2}\n"}),
    (
        "too large",  # it fits when it is turned, into the rooms of one of the maps
        {
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [halls/2]}",
            **drawn("C" + "." * 20),
            ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {cellars: common, halls: common}}",
            MAPS: CELLARS
            + "halls: {name: Halls, size: 19x60, layout: {tunnels: {medium: 5..21, sizes: medium}}}\n",
        },
    ),
    (
        "map without sites",
        {
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [vault/2]}",
            MAPS: CELLARS + "vault: {name: The Vault, layout: {static: {prefab: store}}}",
        },
    ),
    (
        "map without sites",  # each map has space for one of the variants
        {
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [grotto/2]}",
            MAPS: CELLARS + "grotto: {name: The Grotto, layout: caves, encounters: 1}",
            ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {cellars: common, grotto: 1}, "
            "variants: {built: {placing: enclosed}, sunken: {placing: centered}}}",
        },
    ),
    ("no such zone", {MAPS: CARDS, ENCOUNTERS: small(ENCOUNTERS) + "  zones: vault\n"}),
    (
        "required encounter elsewhere",
        {ENCOUNTERS: small(ENCOUNTERS) + "  requires: other\n" + OTHER_HERE.replace("0", "1")},
    ),
    ("fallback elsewhere", {ENCOUNTERS: small(ENCOUNTERS) + "  fallback: other\n" + OTHER_HERE}),
    ("weight 0 everywhere", {ENCOUNTERS: small(ENCOUNTERS) + "  fallback: other\n" + OTHER_HERE}),
    (
        "ambush without bait",
        drawn(
            "C1.2",
            "  legend: {C: {prop: [crate, barrel]}, 1: {robot: sweeper, ambush: bell}, 2: {item: scrap, ambush: [bell, {value: bell, chance: 50%}]}}\n",
        ),
    ),
    (
        "ambush without robot",
        drawn(
            "C1.2",
            "  legend: {C: {prop: [crate, barrel]}, 1: {robot: sweeper, ambush: bell}, 2: {item: scrap, ambush: [bell, {value: bell, chance: 50%}]}}\n",
        ),
    ),
    ("near to no encounter", {ENCOUNTERS: small(ENCOUNTERS) + "  near: {entrance: 9}\n"}),
    ("far from no encounter", {ENCOUNTERS: small(ENCOUNTERS) + "  far_from: {exits: 9, reward: 5}\n"}),
    (
        "over every budget",  # at depth 2 it has enough
        {
            MAPS: CELLARS + "  budget: {worth: {by_depth: {1: 4, 2: 6}}}\n",
            **drawn("CB11", "  legend: {C: {prop: crate}, 1: {item: scrap}}\n  legends: boxes\n"),
            LEGENDS: small(LEGENDS),
            ITEMS: "scrap: {name: scrap, glyph: '!', worth: 3}\n",
        },
    ),
    ("mix without encounters", {MAPS: CELLARS + "  mix: {reward: 1.., risk: 0}\n"}),
    (
        "limits below the mix",
        {MAPS: CELLARS + "  mix: {reward: 2}\n", ENCOUNTERS: small(ENCOUNTERS) + "  limit: {map: 2}\n"},
    ),
    ("mix below the map", {MAPS: CELLARS + "  mix: {reward: 0..1}\n  nothing: 3\n"}),
    ("limits below the map", {ENCOUNTERS: small(ENCOUNTERS) + "  limit: {map: 2}\n"}),
    (
        "limits below the map",  # some turns bring no encounter
        {MAPS: CELLARS + "  nothing: 3\n", ENCOUNTERS: small(ENCOUNTERS) + "  limit: {map: 1}\n"},
    ),
    (
        "limits below the map",  # the fallback may come as often as it is needed
        {ENCOUNTERS: small(ENCOUNTERS) + "  limit: {map: 1}\n  fallback: other\n" + OTHER_HERE},
    ),
    (
        "mix without effect",
        {MAPS: CELLARS.replace("encounters: 2", "encounters: 0..1") + "  mix: {reward: 0..1}\n"},
    ),
    (
        "ambiguous word",
        {
            ENCOUNTERS: small(ENCOUNTERS)
            + "  far_from: {store: 9}\n  group: [goods]\n"
            + OTHER_GOODS.replace("store, ", "")
        },
    ),
    ("bright category", {"categories.yaml": "reward: {colour: '#606020'}\n"}),
    (
        "required encounter missing",
        {
            ENCOUNTERS: small(ENCOUNTERS).replace("cellars: common", "cellars: common, attics: 1")
            + "  requires: other\n"
            + OTHER_HERE.replace("cellars: 0", "cellars: 1, attics: 1"),
            MAPS: CELLARS + "attics: {name: Attics}",
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [cellars/2, attics/2]}",
        },
    ),
    (
        "guaranteed without required",
        {
            ENCOUNTERS: small(ENCOUNTERS).replace("cellars: common", "cellars: common, attics: 1")
            + "  guaranteed: true\n  limit: {world: 1}\n  requires: other\n"
            + OTHER_HERE.replace("cellars: 0", "cellars: 1, attics: 1"),
            MAPS: CELLARS + "attics: {name: Attics}",
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [cellars/2, attics/2]}",
        },
    ),
    (
        "without its zones",
        {
            ENCOUNTERS: small(ENCOUNTERS).replace("cellars: common", "cellars: common, attics: 1")
            + "  variants: {deep: {zones: vault}, free: {}}\n",
            MAPS: CARDS + "attics: {name: Attics}",
            WORLD: "start: cellars/1\nleads_to: {cellars/1: [cellars/2, attics/2]}",
        },
    ),
    (
        "no stake",
        {
            MAPS: CELLARS + "  budget: {worth: 5}\n",
            ITEMS: "scrap: {name: scrap, glyph: '!', worth: 0}\n",
        },
    ),
    (
        "density and budget",
        {
            MAPS: CELLARS + "  budget: {worth: 5}\n",
            ITEMS: "scrap: {name: scrap, glyph: '!', worth: 1}\n",
            ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {cellars: common}, content: [{debris: rubble, density: 9}, {item: scrap}]}\n",
        },
    ),
    (
        "group of one encounter",
        {
            ENCOUNTERS: small(ENCOUNTERS)
            + "  group: boxes\n"
            + small(ENCOUNTERS).replace("store:", "other:", 1)
            + "  group: [boxes]\n",
        },
    ),
    ("no encounter", {MAPS: CELLARS.replace("encounters: 2", "encounters: 0..2")}),
    (
        "unused map",
        {WORLD: "start: vault/1\nleads_to: {vault/1: [cellars/2]}", MAPS: CELLARS + "vault: {name: V}"},
    ),
    ("size without effect", {MAPS: CELLARS + "  size: 60x40\n"}),
    (
        "never allowed",
        {
            PREFABS: TIDY[PREFABS] + "hall:\n  map: '#..+'\n  only: {depth: 1..1, layouts: tunnels}\n",
            MAPS: CELLARS + "  features: [{prefab: hall}]\n",
        },
    ),
    (
        "dead end",  # one of two is always there
        {
            WORLD: "start: cellars/1\nchoose: [{of: [attic, loft]}]\n"
            "maps: {cellars: 1, attic: {depths: 2, maps: {cellars: 1}}, loft: {depths: 2, maps: {cellars: common}}}\n"
            "leads_to: {cellars/1: [attic/2, loft/2]}"
        },
    ),
    ("no place for a tower", _unmarked(tower("{cellars/1: [top, foot], cellars/2: foot}, where: centre"))),
    (
        "tower sometimes lost",
        _unmarked(tower("{cellars/1: top, cellars/2: foot}", size="{width: 60, height: [20, 40]}")),
    ),
    ("tower never there", _unmarked(tower("{cellars/1: top, attic/2: foot}", EITHER_OF_TWO))),
    (
        "lost by a factor",  # a small factor, or an encounter that need not come
        {WORLD: small(WORLD) + "weights: {reward: 0}\ndifficulties: {calm: {weights: {reward: 5%}}}\n"},
    ),
    ("factor of no population", {WORLD: small(WORLD) + "spawns: {by_depth: {1: 50%, 9: 2}}\n"}),
    ("factor of no encounter", {WORLD: small(WORLD) + "weights: {reward: 150%}\n"}),
    (
        "difficulty without effect",
        {WORLD: small(WORLD) + "difficulties: {hard: {spawns: {by_depth: {1: 1, 5: 2}}}}\n"},
    ),
    (
        "repeated rule",  # a rule says more than the other
        {
            WORLD: "start: cellars/1\nmaps: {cellars: 1..3}\nleads_to: {cellars/*: cellars/+1, cellars/1: cellars/2..3}"
        },
    ),
    # -- objects that are asked for ---------------------------------------------------------------
    (
        "no member",
        {
            LEGENDS: "",
            ROBOTS: "sweeper: {name: x, glyph: s, class: worker, depth: 2}",
            ITEMS: "scrap: {name: x, glyph: '!', class: [junk, gold], depth: 3, prototype: true}\n"
            "tin: {name: y, glyph: '!', class: junk}\n",
            PREFABS: "store:\n  map: C.stuvwxyz\n  legend:\n    C: {prop: [crate, barrel]}\n"
            "    s: {robot: {class: worker}, strong: true}\n"
            "    t: {robot: {class: worker}, fallback: true}\n"
            "    u: {item: {class: [gold, junk]}}\n"
            "    v: {item: {class: junk}}\n"
            "    w: {item: {class: junk}, prototype: true, rating: 2..3}\n"
            "    x: {item: {class: gold}, prototype: true, rating: 2}\n"
            "    y: {item: {class: gold}, prototype: true, fallback: true}\n"
            "    z: {robot: {class: worker}, fallback: true}\n",
        },
    ),
    (
        "no member",
        {
            **drawn(
                "C.w",
                "  legend:\n    C: {prop: [crate, barrel]}\n    w: {robot: {class: worker}, rating: {depth: 2}}\n",
            ),
            ROBOTS: "sweeper: {name: x, glyph: s, class: worker, depth: 2}",
        },
    ),
    (
        "rating of no map",
        {
            **drawn(
                "C.wx",
                "  legend:\n    C: {prop: [crate, barrel]}\n"
                "    w: {robot: any, rating: {as: [cellars, cellars/2]}}\n    x: {prop: any, rating: -1}\n",
            )
        },
    ),
    (
        "no prototype",  # a rating, or another class, has one
        {
            **drawn(
                "C.wx",
                "  legend:\n    C: {prop: [crate, barrel]}\n"
                "    w: {item: {class: junk}, prototype: {value: true, chance: 50%}, rating: 0..2}\n"
                "    x: {item: {class: [junk, rare]}, prototype: true}\n",
            ),
            ITEMS: "scrap: {name: x, glyph: '!', class: junk}\n"
            "gold: {name: g, glyph: '!', class: junk, prototype: true, depth: 3}\n"
            "gem: {name: g, glyph: '!', class: rare, prototype: true, depth: 1}\n",
        },
    ),
    (
        "unreachable object",  # any will do
        {
            ITEMS: small(ITEMS) + "gem: {name: gem, glyph: '*'}\n",
            MAPS: CELLARS + "    - {item: any}\n",
        },
    ),
    (
        "unreachable object",  # robots carry it; a machine is it
        {
            ITEMS: small(ITEMS) + "gem: {name: gem, glyph: '*'}\n",
            ROBOTS: "sweeper: {name: x, glyph: s, carries: {gem: 1, scrap: 3}}",
            MAPS: CELLARS + "    - {item: {equipped_by: sweeper}}\n",
            PREFABS: TIDY[PREFABS].replace("B", ".") + "  machines: '    ▒'\n  machine: barrel\n",
        }
        | drawn("C.../....", "  legend: {C: {prop: crate}}\n  machines: '   ▒'\n  machine: barrel\n"),
    ),
    (
        "unreachable object",  # robots hold them
        {
            ITEMS: small(ITEMS) + "gem: {name: gem, glyph: '*'}\nring: {name: ring, glyph: '*'}\n",
            ROBOTS: "sweeper: {name: x, glyph: s, class: worker, category: harmless, loadout: [{item: gem}]}",
            MAPS: CELLARS + "    - {robot: sweeper, loadout: [{item: ring}]}\n",
        },
    ),
    # -- what nobody uses -------------------------------------------------------------------------
    (
        "unused prefab",
        {
            PREFABS: TIDY[PREFABS]
            + "hall: {map: '.', tags: [big]}\nroom: {map: S, vary: [{fit: S, prefabs: big}]}\n"
        }
        | {ENCOUNTERS: small(ENCOUNTERS).replace("prefabs: store", "prefabs: [store, room]")},
    ),
    (
        "unused tag",
        {
            PREFABS: TIDY[PREFABS] + "  tags: [big]\n",
            ENCOUNTERS: small(ENCOUNTERS).replace(": store", ": big"),
        },
    ),
    ("unused legend", {LEGENDS: "boxes: {extends: more}\nmore: {B: {prop: barrel}}"}),
    (
        "unused palette",
        {PALETTE: "extends: one", PALETTES: "one: {extends: two}\ntwo: {glyphs: {'~': grass}}\nthree: {}"}
        | drawn("C...", CRATES + "  palette: {extends: three}\n"),
    ),
    ("unused theme", {THEMES: small(THEMES)}),
    (
        "unused category",
        {
            "categories.yaml": "omen: {}",
            ENCOUNTERS: small(ENCOUNTERS).replace("category: reward", "category: omen"),
        },
    ),
    (
        "unused terrain",
        {
            TERRAIN: "grass: {}\nmoss: {}\nmud: {}\nsand: {}\nsnow: {}\nfloor: {glyph: '.'}\n",
            PALETTE: "colours: {'#ff0000': moss}",
            THEMES: "garden: {floor: mud, 1: grass}",
            **drawn(
                "C.,",
                "  legend: {C: {prop: [crate, barrel], terrain: snow}}\n  palette: {glyphs: {',': sand}}\n",
            ),
        },
    ),
    (
        "unused weight word",
        {WEIGHTS: "common: 10\nrare: 1", ROBOTS: "sweeper: {name: x, glyph: s, weight: rare}"},
    ),
    # -- features of maps -------------------------------------------------------------------------
    (
        "variant without weight",
        {
            PREFABS: TIDY[PREFABS]
            + "hall:\n  map: '#..+'\n  variants: {wide: {}, low: {only: {depth: 1}}}\n",
            MAPS: CELLARS + "  features: [{prefab: hall}]\n",
        },
    ),
    ("variant without weight", {MAPS: CELLARS + "  variants: {1: {features: [{stairs: up}]}, 2: {}}\n"}),
    ("area too large", featuring("quiet: {width: 50, height: 30..40}")),
    ("off the map", featuring("blocked: 3x4, at: [-1, 26]")),
    ("off the map", featuring("blocked: 3x4, from: [north, east], distance: 30")),
    (
        "no such place",
        featuring("prefab: store, where: [north quarter, south half], from: south, required: true"),
    ),
    (
        "no such place",
        featuring("blocked: 10x19, where: [north third, south third]", size="{width: 50, height: 27..30}"),
    ),
    (
        "no such place",
        featuring(
            "prefab: store, where: north quarter, from: south, distance: 5..20",
            size="{width: 50, height: 9..30}",
        ),
    ),
    ("no such place", featuring("stairs: down, from: [east, west], x: [20, 46]")),
    ("no such place", featuring("quiet: {width: [50%, 20], height: 3}, where: east quarter")),
    ("no such place", featuring("quiet: 4x3, where: {value: north quarter, chance: 90%}, from: south")),
    (
        "never on the map",
        {**featuring("prefab: lodge, y: 6, required: true"), PREFABS: TIDY[PREFABS] + LODGE},
    ),
    ("farther than the map", featuring("stairs: up, far_from: {exits: 76}")),
    ("no space left", featuring("keep_out: 30x100%")),
    ("no space left", featuring("quiet: 100%x100%")),
    ("never complete", {MAPS: CELLARS.replace("{tunnels: {large: 8..13}}", "{cards: {count: 40..99}}")}),
    (
        "never complete",
        {
            MAPS: CELLARS.replace(
                "{tunnels: {large: 8..13}}", "{cards: {cell: 5x5, deck: {store: 1}, grow: {sections: deck}}}"
            )
        },
    ),
    (
        "never complete",
        {
            MAPS: CELLARS.replace(
                "{tunnels: {large: 8..13}}",
                "{cards: {zones: {a: {}, b: {count: 5, deck: {store: {copies: 4}}}}, rooms: 0, deck: {store: 1}}}",
            )
        },
    ),
    (
        "never complete",
        {
            MAPS: CELLARS + "yard: {name: Yard, layout: {connected: {prefabs: {hall: 1}, typed: true}}}",
            PREFABS: TIDY[PREFABS] + HALL_OF_TWO,
            WORLD: YARD,
        },
    ),
    (
        "never complete",
        {
            MAPS: CELLARS
            + "yard: {name: Yard, layout: {connected: {start: porch, prefabs: {hall: 1, porch: 1}, auto: 0%, rooms: 2}}}",
            PREFABS: TIDY[PREFABS] + HALL_OF_TWO + PORCH,
            WORLD: YARD,
        },
    ),
    (
        "never complete",
        {
            MAPS: CELLARS
            + "yard: {name: Yard, layout: {connected: {prefabs: {porch: 1}, auto: 0%, rooms: 2}}}",
            PREFABS: TIDY[PREFABS] + PORCH,
            WORLD: YARD,
        },
    ),
    (
        "never complete",
        {
            MAPS: CELLARS
            + "yard: {name: Yard, size: 40x40, layout: {connected: {prefabs: {store: {copies: 3}}, auto: 0%, rooms: 4}}}",
            WORLD: YARD,
        },
    ),
    (
        "nothing to lock",
        {
            MAPS: CELLARS + "yard: {name: Yard, layout: caves, locks: {brass: {on: way}}}",
            WORLD: YARD,
            LOCKS: BRASS,
        },
    ),
    (
        "no level",
        {
            MAPS: CELLARS + "yard: {name: Yard, layout: {static: {prefab: hall}}}",
            PREFABS: TIDY[PREFABS]
            + "hall:\n  map: |\n    ####\n    #=.#\n    ####\n  legend: {'=': {prop: crate}}\n",
            WORLD: YARD,
        },
    ),
    (
        "no map for keys",
        {
            MAPS: CELLARS + "  locks: {brass: 1}\nyard: {name: Yard}\n",
            WORLD: YARD,
            LOCKS: BRASS.replace("}}", "}, keys_on: yard/2}"),
        },
    ),
    (
        "never locked",
        {
            MAPS: CELLARS + "yard: {name: Yard, layout: {static: {prefab: hall}}}",
            PREFABS: TIDY[PREFABS] + CUT_OFF.replace("#<L...>#", "#<.L..>#"),
            WORLD: YARD,
            LOCKS: BRASS,
        },
    ),
    ("nothing to dress", dressed("patches: grass, regions: [cave, corridor]")),
    ("outside its depths", {MAPS: CELLARS + "    - {item: scrap, depth: 2..}\n"}),
    ("outside its depths", {MAPS: CELLARS + "    - {item: scrap, depth: 0..1}\n"}),
    ("never a machine", machine("C.?", mark="")),
    (
        "not always a machine",
        machine("C.w", "  vary: [{substitute: w, with: {'?': 1, '.': 1}, once: true}]\n", mark=""),
    ),
    ("no space to dress", dressed("lake: grass, cells: 1344..1400")),
    ("no space to dress", dressed("chasm: grass, length: [76, 77]")),
    (
        "crossing without need",
        dressed("river: {grass: 1, water: 1}, crossing: floor")
        | {TERRAIN: small(TERRAIN) + "water: {walkable: false}\n"},
    ),
    ("chance of 0", dressed("rubble: grass, chance: [0%, 1%]")),
    (
        "never lies so",
        {
            PREFABS: TIDY[PREFABS] + "  orientations: [r0, m0]\n",
            **featuring("prefab: store, orientations: [r90, m0]"),
        },
    ),
    (
        "no stairs",
        drawn("C.../...>", CRATES) | featuring("prefab: store, to: cellars"),
    ),
    (
        "accepted of nothing",
        {
            "accepted.yaml": "missed: {store: {most: 1, reason: r, maps: cellars/*}}\nbeyond: {crate: {most: 1, reason: r}}\n"
            "stuck: {cellars/1: {most: 1, reason: r}}\n"
        },
    ),
    (
        "accepted of nothing",
        {
            **hall("...../..C.k/.....", CASED),
            "accepted.yaml": "farther: {brass: {most: 2, reason: r}}\n",
        },
    ),
    ("unused prefab", {PREFABS: TIDY[PREFABS] + "hall: {map: '.'}\n", **featuring("prefab: {hall: 1}")}),
    (
        "unused tag",
        {
            PREFABS: TIDY[PREFABS] + "hall: {map: '.', tags: [big]}\n",
            MAPS: CELLARS + "  variants: {1: {features: [{prefab: big}]}}\n",
        },
    ),
    (
        "unused weight word",
        {WEIGHTS: "common: 10\nrare: 1", MAPS: CELLARS + "  variants: {1: {weight: rare}}\n"},
    ),
]


@pytest.mark.parametrize("files", [pytest.param(files, id=name) for name, files in FINE])
def test_checks_do_not_report_similar_but_right_content(tmp_path: Path, files: dict[str, str]) -> None:
    assert said(tmp_path, files) == []


def test_every_check_has_a_case_and_a_similar_right_one() -> None:
    elsewhere = {"larger than the map", "changed by two mods", "space too seldom"}
    assert {name for name, _, _ in CASES} | elsewhere == set(CHECKS)
    assert {name for name, _ in FINE} | elsewhere == set(CHECKS)


# -- layouts and placing modes of others --------------------------------------------------------


def test_where_a_layout_tells_nothing_of_its_rooms_the_map_itself_is_the_measure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_field = Layout(name="field", params=Parameters, build=lambda *_: iter(()))
    monkeypatch.setitem(LAYOUTS, "field", open_field)
    maps = CELLARS.replace("layout: {tunnels: {large: 8..13}}", "«layout: field\n  size: {0}")
    no_level = "error: map 'cellars': in 3 of 3 tries, no level of this map could be made: the map has no cell left for stairs"
    wide = drawn("C" + "." * 29) | {ENCOUNTERS: small(ENCOUNTERS).replace("s: store", "s: «store")}
    expect(
        tmp_path,
        wide | {MAPS: maps.replace("{0}", "29x10")},
        [
            "warning: encounter 'store': prefab 'store' (30x1 cells) doesn't fit: the space on map cellars is at most 29x10 cells",
            no_level,
        ],
    )
    expect(tmp_path, drawn("C" + "." * 29) | {MAPS: maps.replace("{0}", "10x30")}, [no_level])


def test_a_placing_mode_that_objects_to_nothing_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hung = Placing(name="hung", params=Parameters, spots=lambda *_: iter(()), place=lambda *_: None)
    monkeypatch.setitem(PLACINGS, "hung", hung)
    files = drawn("C..C/####") | {ENCOUNTERS: small(ENCOUNTERS) + "  placing: hung\n"}
    assert said(tmp_path, files) == []


# -- several at once ----------------------------------------------------------------------------

MANY = {
    TERRAIN: "grass: {}\n«moss: {}",
    THEMES: "garden: {floor: grass}\n«desert: {floor: grass}",
    WEIGHTS: "common: 10\n«rare: 1",
    ITEMS: "scrap: {name: scrap, glyph: '!'}\n«gem: {name: gem, glyph: '*'}",
    LEGENDS: "boxes: {B: {prop: barrel, lock: «brass}}\n«more: {C: {prop: crate}}",
    PREFABS: "store:\n  map: |\n    C#B\n    «###\n  legend: {C: {prop: crate}, «D: {prop: crate}}\n"
    "  legends: boxes\n  «machine: crate\n",
    ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {cellars: common}, limit: {map: «3, world: 2}}",
}
SAID_OF_MANY = [
    "note: terrain 'moss': this kind of terrain is never used: no theme, prefab, legend, palette or map names it",
    "note: theme 'desert': this theme is never used: no map names it",
    "note: weights: this word for a weight is never used: no weight in the content names it: rare",
    "note: item 'gem': this object is never used: no part of the content asks for it",
    "warning: legend 'boxes': this lock can never be opened: no object opens locks of this name: brass",
    "note: legend 'more': this legend is never used: no prefab and no other legend names it",
    (
        "warning: prefab 'store': this prefab can't be placed in the mode 'enclosed', which encounter 'store' asks for: "
        "no cell of its south edge, where the door is, can be walked on"
    ),
    "warning: prefab 'store': this character is never used: neither the drawing nor the steps of 'vary' contain it: D",
    "warning: prefab 'store': 'machine' has no effect: the prefab's drawing has no machine: machine",
    "note: encounter 'store': this limit for one map has no effect: it is above the limit for the whole world, which is 2: 3",
]


def test_ten_problems_at_once_are_all_reported(tmp_path: Path) -> None:
    expect(tmp_path, MANY, SAID_OF_MANY)


def test_errors_suppress_only_what_may_follow_from_them(tmp_path: Path) -> None:
    """The map may mean the other theme, or a word or lock that nothing else names; what a prefab says of itself stays."""
    files = MANY | {
        MAPS: CELLARS.replace("theme: garden", "theme: «gardn"),
        ROBOTS: "sweeper: {name: x, glyph: s}\n«crane: {name: crane}",
        THEMES: MANY[THEMES].replace("«", ""),
        TERRAIN: MANY[TERRAIN].replace("«", ""),
        WEIGHTS: MANY[WEIGHTS].replace("«", ""),
        ITEMS: MANY[ITEMS].replace("«", ""),
        LEGENDS: MANY[LEGENDS].replace("«brass", "brass"),
    }
    wrong = [
        "error: map 'cellars': there is no theme of this name: gardn (did you mean garden?)",
        "error: robot 'crane': 'glyph' is missing",
    ]
    expect(tmp_path, files, [*SAID_OF_MANY[5:], *wrong])


def test_an_examination_has_content_unless_there_are_errors(tmp_path: Path) -> None:
    doubtful = dungeon.examine_content(write_content(tmp_path / "1", {**TIDY, WEIGHTS: "common: 1\nrare: 2"}))
    assert [problem.severity for problem in doubtful.problems] == ["note"]
    assert doubtful.content is not None
    assert doubtful.files == len(SMALL)
    assert dungeon.World(doubtful.content, 1).level("cellars/1").placements
    wrong = dungeon.examine_content(write_content(tmp_path / "2", {WEIGHTS: "common: 1\nrare: many"}))
    assert wrong.content is None
    missing = dungeon.examine_content(tmp_path / "3")
    assert [str(problem) for problem in missing.problems] == [f"{tmp_path}/3: error: there is no such folder"]
    assert (missing.content, missing.files) == (None, 0)


def test_loading_ignores_warnings_and_notes(tmp_path: Path) -> None:
    files = {file: marked(text)[0] for file, text in MANY.items()}
    assert dungeon.load_content(write_content(tmp_path / "1", {**TIDY, **files}))
    files[MAPS] = CELLARS.replace("theme: garden", "theme: gardn")
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(write_content(tmp_path / "2", {**TIDY, **files}))
    assert [problem.severity for problem in caught.value.problems] == ["error"]


def test_problems_beyond_the_limit_are_counted(tmp_path: Path) -> None:
    words = "common: 10\n" + "".join(f"w{number}: 1\n" for number in range(MAX_PROBLEMS - 3))
    unused = "".join(f"t{number}: {{}}\n" for number in range(10))
    found = said(tmp_path, {WEIGHTS: words, TERRAIN: "grass: {}\n" + unused})
    assert len(found) == MAX_PROBLEMS + 1
    assert found[0].endswith(": warning: there are 7 more warnings and notes than those listed here")


# -- what is not known is not judged ------------------------------------------------------------


@pytest.mark.parametrize("place", sorted({*SMALL, PALETTES}))
def test_a_file_that_is_cut_short_is_all_that_is_spoken_of(tmp_path: Path, place: str) -> None:
    text = dedent({**SMALL, **TIDY}.get(place, "more: {}"))
    found = said(tmp_path, {place: text + "\nlast: {half: ["})
    assert found
    assert all(line.startswith(f"{place}:") and " error: " in line for line in found), found


WRONG = {
    WORLD: ("name: A Small World", "name: [1]"),
    WEIGHTS: ("common: 10", "common: many"),
    TERRAIN: ("like: floor", "like: flor"),
    THEMES: ("floor: grass", "flor: grass"),
    PALETTE: ("grass}", "gras}"),
    PROPS: ('name: crate, glyph: "="', "name: crate"),
    ROBOTS: ("glyph: s", "glyph: sss"),
    ITEMS: ("name: scrap metal, ", ""),
    "objects/traps.yaml": ("glyph: ^", "glyf: ^"),
    "objects/debris.yaml": ("name: rubble, ", ""),
    LEGENDS: ("barrel", "barel"),
    PREFABS: ("prop: crate", "prop: crate, chance: often"),
    ENCOUNTERS: ("reward", "gift"),
    MAPS: ("name: The Cellars", "nam: The Cellars"),
}
"""For every file a mistake in an entry of which others rely on."""


@pytest.mark.parametrize("place", sorted(WRONG))
def test_consequences_of_a_wrong_entry_are_not_reported(tmp_path: Path, place: str) -> None:
    good = {**SMALL, **TIDY}
    before, after = WRONG[place]
    assert before in good[place]
    found = said(tmp_path, {place: good[place].replace(before, after, 1)})
    assert found
    assert all(line.startswith(f"{place}:") and " error: " in line for line in found), found


def test_a_pocket_in_terrain_that_is_wrong_itself_is_not_spoken_of(tmp_path: Path) -> None:
    files = {
        TERRAIN: "grass: {}\n«rock: {like: wal}",
        **drawn("C.r./..r.", "  legend: {C: {prop: [crate, barrel]}, r: rock}\n"),
    }
    (problem,) = said(tmp_path, {file: marked(text)[0] for file, text in files.items()})
    assert problem.startswith("terrain.yaml:2:14: error: ")


def test_a_wrong_object_may_be_the_missing_member_of_a_class(tmp_path: Path) -> None:
    robots = "sweeper: {name: x, glyph: s}\nmouser: {name: m, glyf: m, class: hunter}"
    files = {ROBOTS: robots, MAPS: CELLARS + "    - {robot: {class: hunter}}\n"}
    (problem,) = said(tmp_path, files)
    assert problem.startswith("objects/robots.yaml:2:19: error: robot 'mouser'")


def test_prefabs_that_are_fitted_into_each_other_are_an_error_and_nothing_else(tmp_path: Path) -> None:
    text = "store: {map: C.S, legend: {C: {prop: [crate, barrel]}}, vary: [{fit: S, prefabs: hall}]}\n"
    text += "hall: {map: S, vary: [{fit: S, prefabs: store}]}\n"
    found = said(tmp_path, {PREFABS: text, LEGENDS: ""})
    assert len(found) == 2
    assert all("fitted into itself" in line for line in found)


# -- nests ----------------------------------------------------------------------------------------


def nest(depth: int, alternatives: int) -> dict[str, str]:
    """Return content with several prefabs for every level of a nest, any of which has one of the next fitted into it."""
    entries = [
        f"p{level}{letter}:\n  map: |\n    SSS\n    SSS\n  tags: level{level}\n"
        + (
            f"  vary: [{{fit: S, prefabs: level{level + 1}}}]\n"
            if level + 1 < depth
            else "  legend: {S: floor}\n"
        )
        for level in range(depth)
        for letter in "abcdefgh"[:alternatives]
    ]
    return {
        PREFABS: "".join(entries),
        ENCOUNTERS: small(ENCOUNTERS).replace("prefabs: store", "prefabs: level0"),
    }


def test_in_a_nest_every_prefab_is_rolled_as_often_as_if_it_stood_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rolled with all that is in them, and in that, 60 prefabs in 20 levels would be rolled 31,000 times."""
    rolled: Counter[int] = Counter()
    roll = Template.roll

    def counted(template: Template, *rest: Any) -> Drawing:
        rolled[id(template)] += template.varies
        return roll(template, *rest)

    monkeypatch.setattr(Template, "roll", counted)
    dungeon.examine_content(write_content(tmp_path, nest(20, 3)))
    assert len(rolled) >= 57
    assert max(rolled.values()) <= 2 * ROLLS


def test_uses_of_the_innermost_of_thirty_nested_prefabs_are_found_fast(tmp_path: Path) -> None:
    """There are 3**29 ways down to it."""
    content = dungeon.load_content(write_content(tmp_path, nest(30, 3)))
    found = uses_of(content, "p29c")
    assert [(use.kind, use.name) for use in found] == [("prefab", f"p28{letter}") for letter in "abc"]
    assert {use.maps for use in found} == {((1, "cellars/1"), (2, "cellars/2"))}
    level = dungeon.World(content, 3).level("cellars/1")
    assert {placement.prefab[:2] for placement in level.placements} == {"p0"}


# -- drawings of REXPaint, the library's own content, and the manual -----------------------------


def test_places_in_an_xp_drawing_are_its_rows_and_columns(tmp_path: Path) -> None:
    layers = [XpLayer.from_rows(["C#.#.", "#####"])]
    files = {"prefabs/hall.xp": encode_xp(layers), "prefabs/hall.yaml": "hall: {legends: halls}"} | {
        "legends/halls.yaml": "halls: {C: {prop: crate}}",
        ENCOUNTERS: small(ENCOUNTERS).replace("prefabs: store", "prefabs: [store, hall]"),
    }
    assert said(tmp_path, files) == [
        (
            "prefabs/hall.xp:2:1: warning: prefab 'hall': this prefab can't be placed in the mode 'enclosed', which encounter 'store' asks for: no cell of its south edge, where the door is, can be walked on"
        )
    ]


def test_the_manual_lists_every_check_in_its_words() -> None:
    rows = {}
    for line in (ROOT / "docs" / "checks.md").read_text(encoding="utf-8").splitlines():
        if line.startswith(("| error", "| warning", "| note")):
            severity, says, mend = (cell.strip() for cell in line.strip("|").split("|"))
            assert mend.endswith("."), line
            rows[says] = severity
    assert rows == {says: severity for severity, says in CHECKS.values()}


@pytest.mark.usefixtures("few_rolls")
@settings(max_examples=20, suppress_health_check=list(HealthCheck), deadline=None)
@given(files=DAMAGED)
def test_any_content_is_looked_over(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    for place, data in {**WHOLE, **files}.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    found = dungeon.examine_content(folder)
    errors = [problem for problem in found.problems if problem.severity == "error"]
    assert (found.content is None) == bool(errors)
    assert list(found.problems) == sorted(found.problems, key=lambda problem: problem.source)
