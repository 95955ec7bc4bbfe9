"""The limits that docs/guarantees.md names are those of the code, and whatever is above one is an error that says so."""

from __future__ import annotations

import gzip
import re
import struct
from pathlib import Path

import pytest
from content_files import write_content

import dungeon
from dungeon import terrain as t
from dungeon.content.catalog import symbols
from dungeon.content.drawing import planes, rexpaint
from dungeon.content.loading import draft
from dungeon.content.models import entries, maps, world
from dungeon.content.models import entries as models
from dungeon.content.models.dressing import MAX_PASSES
from dungeon.content.prefab.variation import MAX_STEPS
from dungeon.content.source import files, names, reader
from dungeon.content.values import fields, value_fields
from dungeon.content.values.by_depth import MOST_DEPTHS

GUARANTEES = Path(__file__).parent.parent / "docs" / "guarantees.md"

LIMITS = {
    "cells of a layer of a drawing, in text or `.xp`": rexpaint.MAX_CELLS,
    "cells of all layers of an `.xp` file": rexpaint.MAX_CELLS_IN_ALL,
    "layers of an `.xp` drawing without `layers`": planes.XP_LAYERS,
    "layers of an `.xp` drawing; texts under `references`": rexpaint.MAX_LAYERS,
    "objects of a character at once": symbols.MAX_TOGETHER,
    "different characters in a layer": planes.MAX_CHARACTERS,
    "cells with links, machines or references on a layer; cells that vary": planes.MAX_MARKS,
    "bytes of a YAML file": reader.MAX_BYTES,
    "bytes of an `.xp` file": rexpaint.MAX_FILE_BYTES,
    "keys and values of a YAML file, its aliases written out": reader.MAX_NODES,
    "brackets and indentation within each other": reader.MAX_NESTING,
    "values within values": value_fields.MAX_DEPTH,
    "columns, and rows, of a map": maps.MAX_MAP_SIDE,
    f"kinds of terrain, {t.BUILT_IN + len(t.CORRIDOR_KINDS)} built-in ones included": t.MAX_KINDS,
    "kinds of objects that a content declares": draft.MAX_KINDS,
    "characters in a legend, or in `glyphs` of a palette": symbols.MAX_CHARACTERS,
    "colours in a palette": models.MAX_COLOURS,
    "steps of `vary`": MAX_STEPS,
    "passes of `dressing`": MAX_PASSES,
    "prefabs fitted into each other": entries.MOST_NESTED,
    "names in a list or mapping": names.MAX_LISTED,
    "rules for what leads where, in the world": world.MAX_RULES,
    "maps of the world": world.MOST_MAPS,
    "ways between maps of the world": world.MOST_WAYS,
    "depth of a map": fields.DEEPEST,
    "depths of a weight by depth": MOST_DEPTHS,
    "columns, and rows, of `shift`": fields.MAX_SHIFT,
    "a weight": fields.MAX_WEIGHT,
    "any other number": value_fields.LARGEST,
    "characters of a name": names.MAX_LENGTH,
    "characters of a text that players read": fields.MAX_LINE,
    "errors listed": files.MAX_PROBLEMS,
}
"""What the page calls each limit -> the code's."""


def test_the_page_names_the_limits_of_the_code() -> None:
    _, _, chapter = GUARANTEES.read_text(encoding="utf-8").partition("\n## Limits\n")
    rows = re.findall(r"^\| (.+) \| ([0-9,]+) \|$", chapter.partition("\n## ")[0], re.MULTILINE)
    assert {what: int(most.replace(",", "")) for what, most in rows} == LIMITS


CHARS = [chr(0x4E00 + number) for number in range(planes.MAX_CHARACTERS + 1)]
NARROW = [char for char in map(chr, range(0x100, 0x1000)) if char.isalpha() and char.isprintable()]


def drawn(*rows: str) -> str:
    return "store:\n  map: |\n" + "".join(f"    {row}\n" for row in rows)


def listed(count: int) -> str:
    return ", ".join(f"t{number}" for number in range(count))


def nested(prefabs: int) -> str:
    """Return prefabs each of which is fitted into the one before it."""
    lines = [f"p{n}: {{map: S, vary: [{{fit: S, prefabs: p{n + 1}}}]}}" for n in range(prefabs - 1)]
    return "\n".join(["store: {map: '.'}", *lines, f"p{prefabs - 1}: {{map: '.'}}"])


def xp(width: int, height: int, layers: int) -> bytes:
    """Return a drawing of floor."""
    cells = struct.pack("<I6B", ord("."), *(200, 200, 200, 0, 0, 0)) * (width * height)
    layer = struct.pack("<ii", width, height) + cells
    return gzip.compress(struct.pack("<ii", -1, layers) + layer * layers, 1, mtime=0)


ROOMS, LEGENDS, TERRAIN = "prefabs/rooms.yaml", "legends/boxes.yaml", "terrain.yaml"
TOO_MUCH = [
    ({ROOMS: drawn(*["." * 1001] * 1000)}, "this drawing has 1,001,000 cells, but at most 1,000,000 are possible"),
    ({"prefabs/hall.xp": xp(1001, 1000, 1)}, "a drawing must have layers of at most 1,000,000 cells, not 1 of 1001x1000"),
    ({"prefabs/hall.xp": xp(1000, 700, 3)}, "a drawing must have at most 2,000,000 cells in its layers, not 3 of 1000x700"),
    ({"prefabs/hall.xp": xp(3, 3, 5)}, "without the key 'layers', the drawing of a prefab has at most 4 layers, but this one has 5"),
    ({ROOMS: drawn("".join(CHARS))}, "this layer has more than 4000 different characters"),
    ({ROOMS: drawn("C" * 50_001) + "  legend: {C: {prop: crate}}"}, "more than 50000 cells of this layer are not empty"),
    ({ROOMS: "store: {map: '.'}\n" + "#" * 4_000_000}, "the file is larger than 4,000,000 bytes"),
    ({"objects/items.yaml": "scrap: {name: s, glyph: s, data: {x: [" + "1," * 60_000 + "]}}"}, "with its aliases written out this file has more than 60000 keys and values"),
    ({ROOMS: "store: " + "[" * 40 + "]" * 40}, "mappings and lists are nested more than 40 deep here"),
    ({ROOMS: drawn("C") + "  legend: {C: {prop: " + "[" * 9 + "crate" + "]" * 9 + "}}"}, "values are nested more than 8 deep here"),
    ({"maps/cellars.yaml": "cellars: {name: Cellars, size: 4001x30}"}, "this number must lie between 9 and 4000"),
    ({TERRAIN: "grass: {}\n" + "".join(f"k{n}: {{}}\n" for n in range(250 - 25))}, "there can be at most 225 kinds of terrain besides the built-in ones"),
    ({"kinds.yaml": "".join(f"k{n}: {{like: prop}}\n" for n in range(101))}, "a content can declare at most 100 kinds"),
    ({LEGENDS: "boxes: {B: {prop: barrel}, " + ", ".join(f"{char}: wall" for char in NARROW[:500]) + "}"}, "at most 500 characters may be listed here"),
    ({"palette.yaml": "colours: {" + ", ".join(f'"#0000{n:02x}": wall' for n in range(101)) + "}"}, "at most 100 items may be listed here"),
    ({ROOMS: drawn(".") + "  vary: [" + "{substitute: x, with: y}, " * 101 + "]"}, "at most 100 items may be listed here"),
    ({ROOMS: nested(52)}, "prefabs are fitted into each other more than 50 deep, down to p51"),
    ({ROOMS: drawn(".") + f"  tags: [{listed(1001)}]"}, "at most 1000 items may be listed here"),
    ({"world.yaml": "start: cellars/1\nleads_to: {" + ", ".join(f"{name}/{n}: []" for name in ("cellars", "vaults", "attics") for n in range(700)) + "}", "maps/more.yaml": "vaults: {name: V}\nattics: {name: A}"}, "at most 2000 items may be listed here"),
    ({"world.yaml": "start: cellars/1001"}, "a map lies at a depth of 1000 at most"),
    ({ROOMS: drawn("C") + "  legend: {C: {prop: crate, shift: [51, 0]}}"}, "a whole number from 0 to 50 is needed here"),
    ({"weights.yaml": "common: 10\nrare: 1000001"}, "a weight is a number from 0 to 1,000,000"),
    ({"maps/cellars.yaml": "cellars: {name: C, population: [{item: scrap, data: {}, roll: {x: {a: 1000000001}}}]}"}, "no number can be larger than 1,000,000,000 here"),
    ({ROOMS: f"store: {{map: '.'}}\n{'x' * 61}: {{map: '.'}}"}, "a name consists of letters, digits, _ and - (at least one letter, not _ or - first, at most 60 characters)"),
    ({"maps/cellars.yaml": f"cellars: {{name: {'x' * 201}}}"}, "one line of text is needed here, of 1 to 200 printable characters"),
]  # fmt: skip


@pytest.mark.parametrize(("changed", "message"), TOO_MUCH, ids=[message for _, message in TOO_MUCH])
def test_what_is_above_a_limit_is_an_error_that_names_it(
    tmp_path: Path, changed: dict[str, str | bytes], message: str
) -> None:
    write_content(tmp_path, changed)
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(tmp_path)
    assert message in [problem.message for problem in caught.value.problems]


JUST_RIGHT = [
    {ROOMS: drawn(*["." * 1000] * 1000)},
    {"prefabs/hall.xp": xp(1000, 1000, 1)},
    {ROOMS: drawn("C" * 50_000) + "  legend: {C: {prop: crate}}"},
    {ROOMS: "store: {map: '.'}\n" + "#" * (4_000_000 - 18)},
    {ROOMS: drawn("C") + "  legend: {C: {prop: " + "[" * 8 + "crate" + "]" * 8 + "}}"},
    {TERRAIN: "grass: {}\n" + "".join(f"k{n}: {{}}\n" for n in range(249 - 25))},
    {"kinds.yaml": "".join(f"k{n}: {{like: prop}}\n" for n in range(100))},
    {ROOMS: nested(51)},
    {ROOMS: drawn(".") + f"  tags: [{listed(1000)}]"},
    {"world.yaml": "start: cellars/1000", "encounters/rooms.yaml": ""},
    {ROOMS: drawn("C") + "  legend: {C: {prop: crate, shift: [50, 50]}}"},
]


@pytest.mark.parametrize("changed", JUST_RIGHT, ids=range(len(JUST_RIGHT)))
def test_what_is_at_a_limit_is_read(tmp_path: Path, changed: dict[str, str | bytes]) -> None:
    dungeon.load_content(write_content(tmp_path, changed))
