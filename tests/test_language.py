"""The manual of the prefab language: every row of its tables is run, and does what it says."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn import canvas, mask
from keyed_worlds import Traveller
from manual import (
    ENTRIES,
    MARGIN,
    ROLLS,
    Rolled,
    Row,
    bench,
    level,
    likely,
    manual_text,
    often,
    roll,
    rolls,
    rows,
    shown_files,
)
from placed import settled
from test_schema import faults

import dungeon
from dungeon import Cell, Rect, XpLayer
from dungeon import terrain as t
from dungeon.adapters.highlights import legend
from dungeon.authoring.explain import explain_prefab
from dungeon.content.catalog.requests import ObjectEntry
from dungeon.content.catalog.symbols import LegendEntry, SymbolEntry
from dungeon.content.models.dressing import PASSES, PassEntry
from dungeon.content.models.entries import PaletteEntry, PrefabEntry, ThingEntry
from dungeon.content.models.features import FeatureEntry, VariantEntry
from dungeon.content.prefab.locked_ground import NOT_OPENED
from dungeon.content.prefab.variation import STEPS
from dungeon.core.registry import PLACINGS
from dungeon.core.vocabulary import SPAWN_KINDS
from dungeon.extend import Sites, Stream, Streams
from dungeon.generation.openings.openings import openings
from dungeon.generation.placing.attempt import PlacedRequest, PlacingRequest, attempt
from dungeon.grid.regions import FAR, beside, components, distances, seen_from, touching
from dungeon.proof.solution import solution_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray
    from pydantic import BaseModel

    from dungeon import Canvas, Content, Level

    Check = Callable[[Row, Path], None]

ROOT = Path(__file__).parent.parent
CHECKS: dict[str, Check] = {}
ROWS = rows()
ROWS_OF_CONTENT = [row for row in ROWS if not row.is_of_mod]


def says(feature: str) -> Callable[[Check], Check]:
    """Register the check of a row."""

    def register(check: Check) -> Check:
        assert feature not in CHECKS
        CHECKS[feature] = check
        return check

    return register


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.feature)
def test_every_row_does_what_it_says(row: Row, tmp_path: Path) -> None:
    CHECKS[row.feature](row, tmp_path)


def test_every_row_has_a_check_and_every_check_a_row() -> None:
    assert sorted(row.feature for row in ROWS) == sorted(CHECKS)


def test_every_row_of_a_table_of_features_is_an_example_of_two_lines() -> None:
    tables = re.findall(r"^\| feature \| in \|.*\n(?:\|.*\n)+", manual_text(), re.MULTILINE)
    assert sum(table.count("\n") - 2 for table in tables) == len(ROWS)


def test_the_prefab_shown_at_the_beginning_is_one(tmp_path: Path) -> None:
    (row,) = (row for row in ROWS if row.feature == "Kinds of objects")
    content = row.load(tmp_path)
    found = Counter(tag for each in rolls(content, "tool_store") for tag in each.tags if tag)
    assert found["crate"] == found["barrel"] == 2 * ROLLS
    assert found["railing"] == 4 * found["gate"]
    often(found["gate"], ROLLS, 0.75)
    often(found["wrench"], ROLLS, 0.8)


def xp(*cells: tuple[str, int]) -> list[XpLayer]:
    """Return an .xp drawing of one row: a character in a colour for each cell."""
    points = np.array([[ord(char) for char, _ in cells]], np.uint32)
    fg = np.array([[[*colour.to_bytes(3, "big")] for _, colour in cells]], np.uint8)
    return [XpLayer(glyph=points, fg=fg, bg=np.zeros_like(fg))]


def grounds(content: Content, name: str = "example") -> list[str]:
    """Return the terrain of a prefab that does not vary, `keep` where it leaves the map as it is."""
    names = {code: kind.name for code, kind in enumerate(content.terrain_set.kinds)} | {t.KEEP: "keep"}
    return [names[code] for code in content.prefabs[name].drawing.terrain.ravel().tolist()]


def with_second(row: Row, line: str) -> Row:
    """Return a row with another second line."""
    return replace(row, lines=(row.lines[0], line))


def refusal(row: Row, folder: Path, **changed: str | list[XpLayer]) -> dungeon.Problem:
    """Return the only problem with a row."""
    with pytest.raises(dungeon.ContentError) as caught:
        row.load(folder, **changed)
    (problem,) = caught.value.problems
    return problem


# -- layers, links and cells ----------------------------------------------------------------------


@says("Terrain by character")
def _(row: Row, folder: Path) -> None:
    names = ["wall", "floor", "door", "doorway", "earth", "stairs_up", "stairs_down", "secret_door"]
    assert grounds(row.load(folder)) == names


@says("Terrain by colour")
def _(row: Row, folder: Path) -> None:
    drawn = xp(("x", 0x808080), ("x", 0xC08030), (".", 0x123456))
    assert grounds(row.load(folder, prefabs__hall=drawn), "hall") == ["wall", "door", "floor"]
    problem = refusal(row, folder, prefabs__hall=xp(("x", 0x808080), ("x", 0x818181)))
    assert problem.message == "no legend or palette says what this character or its colour #818181 means"


@says("Nearest colour")
def _(row: Row, folder: Path) -> None:
    (folder / "prefabs").mkdir()
    drawn = xp(("x", 0x7F8185), ("x", 0x111111), ("+", 0x222222))
    (folder / "prefabs" / "example.xp").write_bytes(dungeon.content.drawing.rexpaint.encode_xp(drawn))
    assert grounds(row.load(folder)) == ["wall", "floor", "door"]


def links(content: Content) -> list[tuple[int, ...]]:
    """Return y, x, width and direction of each link."""
    return [tuple(link[:5]) for link in content.prefabs["example"].drawing.links]


def kinds_of_links(content: Content) -> list[tuple[int, str]]:
    return [(link.x, link.kind) for link in content.prefabs["example"].drawing.links]


@says("Tunneler")
def _(row: Row, folder: Path) -> None:
    assert links(row.load(folder)) == [(0, 1, 3, -1, 0)]


@says("Connector")
def _(row: Row, folder: Path) -> None:
    assert kinds_of_links(row.load(folder)) == [(0, "connector"), (4, "connector")]


@says("Diggable and closed")
def _(row: Row, folder: Path) -> None:
    assert kinds_of_links(row.load(folder)) == [(0, "diggable"), (1, "diggable"), (4, "closed")]


@says("References above the map")
def _(row: Row, folder: Path) -> None:
    made = roll(row.load(folder), seed=1)
    assert made.ground == ["wall", "floor_1", "floor", "floor_0", "wall"]
    assert made.tags == [None, "crate", None, "solder", None]


def tags_at(made: Rolled) -> list[list[str]]:
    """Return the sorted tags of all objects of each cell, row by row."""
    found: list[list[str]] = [[] for _ in made.ground]
    for spawn in made.spawns:
        for y, x in spawn.cells:
            found[(y - MARGIN) * made.drawing.width + x - MARGIN].append(spawn.tag)
    return [sorted(tags) for tags in found]


@says("Several layers of references")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    assert all(tags_at(made) == [["porter", "wrench"], [], ["wrench", "wrench"]] for made in rolls(content))
    changed = "map: '.', references: [r, C], legend: {r: {robot: porter}, C: {robot: warden}}"
    problem = refusal(row, folder, prefabs__twice=f"twice: {{{changed}}}")
    assert problem.message.startswith("a cell has one robot at most")


def layered(*rows: str) -> list[XpLayer]:
    """Return an .xp drawing of one row on each layer; the layers but the first are transparent where they have a space."""
    return [XpLayer.from_rows([row], transparent_spaces=bool(number)) for number, row in enumerate(rows)]


LAYERED = {"legends__marks": 'marks: {"1": {item: wrench}, r: {robot: porter}}'}


@says("Layers by role")
def _(row: Row, folder: Path) -> None:
    hall = "hall: {legends: marks}"
    made = {"prefabs__hall": layered("#=.#", " 11 ", "  r ", "zzzz"), "prefabs__halls": hall, **LAYERED}
    content = row.load(folder, **made)
    assert grounds(content, "hall") == ["wall", "grating", "floor", "wall"]
    assert tags_at(roll(content, "hall", seed=1)) == [[], ["wrench"], ["porter", "wrench"], []]
    fewer = row.load(folder, **made, prefabs__one=layered("#=."))
    assert grounds(fewer, "one") == ["wall", "grating", "floor"]
    problem = refusal(row, folder, **{**made, "prefabs__hall": layered("#=.#", " 1r ")})
    assert problem.message == "this is a layer of items, and the legend makes this character no item"
    problem = refusal(row, folder, **{**made, "prefabs__hall": layered(*["....", "    "], *["    "] * 4)})
    assert problem.message.startswith("this drawing has 6 layers, and `layers` lists 4; write `ignore`")
    over = {"palette": 'glyphs: {"=": grating}\nlayers: [terrain, terrain, links]'}
    content = row.load(folder, **{**made, **over, "prefabs__hall": layered("#..#", " = +", " *  ")})
    assert grounds(content, "hall") == ["wall", "grating", "floor", "door"]
    assert [link.kind for link in content.prefabs["hall"].drawing.links] == ["connector"]


@says("Layers of one drawing")
def _(row: Row, folder: Path) -> None:
    drawn = [
        XpLayer.from_rows([" g  "], transparent_spaces=True),
        XpLayer.from_rows(["#..#"]),
        XpLayer.from_rows([" gg "], transparent_spaces=True),
        XpLayer.from_rows([" g  "], transparent_spaces=True),
    ]
    (folder / "prefabs").mkdir()
    (folder / "prefabs" / "example.xp").write_bytes(dungeon.content.drawing.rexpaint.encode_xp(drawn))
    content = row.load(folder)
    assert tags_at(roll(content, seed=1)) == [[], ["porter", "wrench", "wrench"], ["wrench"], []]


@says("Aliases")
def _(row: Row, folder: Path) -> None:
    assert grounds(row.load(folder)) == ["wall", "floor", "keep"]


@says("Blocked and diggable")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    assert grounds(content) == ["blocked", "floor", "earth"]
    codes = content.prefabs["example"].drawing.terrain[0]
    assert content.terrain_set.diggable[codes].tolist() == [False, False, True]


@says("New terrain")
def _(row: Row, folder: Path) -> None:
    kinds = {kind.name: kind for kind in row.load(folder).terrain_set.kinds}
    tar, shutter = kinds["tar"], kinds["shutter"]
    assert (tar.base, tar.glyph, tar.fg, tar.bg) == (t.FLOOR, "~", (0x30, 0x28, 0x20), (0, 0, 0))
    assert (tar.walkable, tar.transparent, tar.diggable) == (False, True, kinds["floor"].diggable)
    assert (shutter.base, shutter.glyph, shutter.fg) == (t.BLOCKED, "#", kinds["wall"].fg)
    assert (shutter.walkable, shutter.transparent, shutter.diggable) == (False, True, False)


@says("Doors")
def _(row: Row, folder: Path) -> None:
    assert grounds(row.load(folder)) == ["wall", "door", "doorway", "secret_door", "locked_door", "wall"]


def exits(row: Row, folder: Path, leads_to: str) -> tuple[dict[str, int], list[str]]:
    """Return where a level of that drawing has its exits (target -> column), and its row of terrain."""
    world = f"start: bench/2\nleads_to: {{bench/2: {leads_to}}}\n"
    made = level(row.load(folder, world=world, maps__bench=bench()))
    names = [made.terrain_set.kinds[code].name for code in made.terrain[1].tolist()]
    return {each.leads_to: each.x - 1 for each in made.exits}, names[1:-1]


@says("Stairs")
def _(row: Row, folder: Path) -> None:
    both, _ = exits(row, folder, "[cellar/3, mines/3]")
    assert both == {"cellar/3": 3, "mines/3": 7}
    one, ground = exits(row, folder, "[mines/3]")
    assert one == {"mines/3": 3}
    assert ground[7] == "floor"


@says("Stairs to a map")
def _(row: Row, folder: Path) -> None:
    stairs_to_one_of_several(row, folder / "several")
    row = with_second(row, row.lines[1].replace("{mines: 3, cellar/3: 1}", "mines"))
    both, _ = exits(row, folder / "one", "[cellar/3, mines/3]")
    assert both == {"cellar/3": 3, "mines/3": 7}
    turned, _ = exits(row, folder / "one", "[mines/3, cellar/3]")
    assert turned == both
    one, ground = exits(row, folder / "one", "[cellar/3]")
    assert one == {"cellar/3": 3}
    assert ground[7] == "floor"


def stairs_to_one_of_several(row: Row, folder: Path) -> None:
    content = row.load(folder)
    rolled = [each.drawing.stairs for each in rolls(content)]
    assert {(stairs.y, stairs.x) for (stairs,) in rolled} == {(0, 7)}
    likely((stairs.to for (stairs,) in rolled), {"mines": 3 / 4, "cellar/3": 1 / 4})
    content = row.load(
        folder, maps__bench=bench(), world="start: bench/2\nleads_to: {bench/2: [cellar/3, mines/3]}\n"
    )
    seen = Counter()
    for seed in range(40):
        made = dungeon.World(content, seed=seed).level("bench/2")
        seen[tuple((each.leads_to, each.x - made.entrance.x) for each in made.exits)] += 1
    to_mines, to_cellar = (("cellar/3", 3), ("mines/3", 7)), (("cellar/3", 7), ("mines/3", 3))
    assert seen.keys() == {to_mines, to_cellar}
    assert seen[to_mines] > seen[to_cellar]


@says("Terrain of the map")
def _(row: Row, folder: Path) -> None:
    assert grounds(row.load(folder)) == ["keep", "pillar", "keep", "keep", "keep", "keep"]


@says("Ten floors")
def _(row: Row, folder: Path) -> None:
    hall = 'hall: {map: "01234.56789"}\n'
    for theme, first, plain in (
        ("works", ["grating", "moss"], "floor"),
        ("yard", ["moss", "floor_1"], "moss"),
    ):
        content = row.load(folder, maps__bench=bench("hall", theme=theme), prefabs__hall=hall)
        made = level(content)
        names = [made.terrain_set.kinds[code].name for code in made.terrain[1].tolist()][1:-1]
        # Stairs take some of the cells.
        wanted = [*first, *(f"floor_{digit}" for digit in range(2, 5)), plain]
        wanted += [f"floor_{digit}" for digit in range(5, 10)]
        assert [
            have for have, want in zip(names, wanted, strict=True) if have != want and "stairs" not in have
        ] == []
        assert sum("stairs" in name for name in names) == 3


TUNNELLED = """
    bench:
      name: Bench
      size: 80x50
      theme: %s
      layout: {tunnels: {main: {junction: 100%%, hall: 50%%}}}
    """


@says("Corridors, junctions, halls")
def _(row: Row, folder: Path) -> None:
    for theme, looks in (
        ("works", {"corridor": "moss", "junction": "moss", "hall": "grating"}),
        ("yard", {"corridor": "corridor", "junction": "grating", "hall": "hall"}),
    ):
        made = level(row.load(folder, maps__bench=TUNNELLED % theme))
        kinds = {region.id: region.kind for region in made.regions}
        seen: dict[str, set[str]] = {}
        for number, code in zip(made.region.ravel().tolist(), made.terrain.ravel().tolist(), strict=True):
            name = made.terrain_set.kinds[code].name
            if kinds.get(number) in looks and "stairs" not in name:
                seen.setdefault(kinds[number], set()).add(name)
        assert seen == {kind: {name} for kind, name in looks.items()}
        text = dungeon.to_json(made)
        assert dungeon.to_json(dungeon.from_json(text)) == text


@says("Floors that layouts dig")
def _(row: Row, folder: Path) -> None:
    plain = ["floor", "corridor", "corridor", "corridor", "cave"]
    assert grounds(row.load(folder))[::2] == plain
    told = row.load(folder, themes="works: {hall: grating, junction: moss}")
    assert grounds(told)[::2] == ["floor", "corridor", "junction", "hall", "cave"]


# -- legends and palettes -------------------------------------------------------------------------


@says("Shared legend, overridden")
def _(row: Row, folder: Path) -> None:
    assert roll(row.load(folder), seed=1).tags == ["crate", "boiler"]


@says("Several legends")
def _(row: Row, folder: Path) -> None:
    assert roll(row.load(folder), seed=1).tags == ["crate", "oil"]


@says("Legend that extends others")
def _(row: Row, folder: Path) -> None:
    hall = 'night_hall: {map: "CB5", legends: night}\nstrike_hall: {map: "CB5", legends: strike}\n'
    content = row.load(folder, prefabs__hall=hall)
    assert roll(content, "night_hall", seed=1).tags == ["crate", "lever", "solder"]
    assert roll(content, "strike_hall", seed=1).tags == ["press", "lever", "solder"]


@says("Palette of a prefab")
def _(row: Row, folder: Path) -> None:
    assert grounds(row.load(folder)) == ["pillar", "grating", "pillar"]
    problem = refusal(row, folder, prefabs__hall='hall: {map: "%"}\n')
    assert problem.message == "no legend or palette says what this character means"


@says("Palette that extends others")
def _(row: Row, folder: Path) -> None:
    halls = 'hall: {map: "%=", palette: {extends: soot}}\nold_hall: {map: "%=", palette: {extends: rust}}\n'
    content = row.load(folder, prefabs__hall=halls)
    assert grounds(content, "hall") == ["earth", "grating"]
    assert grounds(content, "old_hall") == ["pillar", "grating"]
    content = row.load(folder, palette="extends: soot\n", prefabs__drawn=xp(("x", 0x803010), ("%", 0)))
    assert grounds(content, "drawn") == ["wall", "earth"]


# -- references and what is chosen ----------------------------------------------------------------


@says("Kinds of objects")
def _(row: Row, folder: Path) -> None:
    made = roll(row.load(folder), seed=1)
    assert made.ground == ["floor"] * 9
    kinds = {spawn.tag: spawn.kind for spawn in made.spawns}
    stand = ["prop crate", "trap loose_plate", "robot porter", "item wrench", "debris straw"]
    assert [tag and f"{kinds[tag]} {tag}" for tag in made.tags][::2] == stand
    assert not any(made.tags[1::2])


@says("Ground of an object")
def _(row: Row, folder: Path) -> None:
    made = roll(row.load(folder), seed=1)
    assert made.ground == ["floor", "grating", "floor"]
    assert made.tags == [None, "crate", None]


@says("Several at once")
def _(row: Row, folder: Path) -> None:
    made = rolls(row.load(folder))
    assert all(each.ground == ["grating", "floor", "floor"] for each in made)
    assert all(tags_at(each)[0] == ["porter", "wrench"] for each in made)
    likely((len(tags_at(each)[2]) for each in made), {2: 3 / 4, 3: 1 / 4})
    assert {tag for each in made for tag in tags_at(each)[2]} == {"oil", "straw"}


@says("Item on a prop")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    assert tags_at(roll(content, seed=1)) == [["press", "wrench"], [], ["gate", "oil"]]
    drawn = row.text.replace('"p.q"', '"#####\\n#<p.#\\n#..q#\\n#####"')
    made = level(
        row.load(
            folder,
            maps__bench=bench(),
            prefabs__example=f"example: {{{drawn}, orientations: r0}}".replace("\n", ", "),
        )
    )
    assert not dungeon.prove(made)
    assert sorted(spawn.tag for spawn in made.spawns) == ["gate", "oil", "press", "wrench"]


@says("Terrain as a value")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder, prefabs__hall="hall: {map: gg, legend: {g: [grating, moss]}}\n")
    likely((name for each in rolls(content) for name in each.ground), {"grating": 3 / 4, "moss": 1 / 4})
    likely((each.ground == ["grating"] * 2 for each in rolls(content, "hall")), {True: 1 / 4, False: 3 / 4})


CHOSEN: dict[str, dict[str, float]] = {
    "Weighted": {"porter": 3 / 4, "watchman": 1 / 4},
    "Category": {"porter": 3 / 8, "watchman": 3 / 8 + 1 / 8, "warden": 1 / 8},
    "Class and category": {"watchman": 1},
    "Equipment": {"wrench": 1 / 2, "solder": 1 / 4, "oil": 1 / 4},
    "Strong": {"crusher": 1},
    "Fallback": {"stoker": 1},
    "Rating": {"torch": 1},
    "Prototype": {"humming_wrench": 1},
    "Prototype, if there is one": {"solder": 1 / 5, "oil": 4 / 5},
    "Never faulty": {"humming_wrench": 1},
}


def choice(row: Row, folder: Path) -> None:
    likely((spawn.tag for each in rolls(row.load(folder)) for spawn in each.spawns), CHOSEN[row.feature])


def without(row: Row, keyword: str) -> Row:
    """Return a row without one of its keywords."""
    first, second = (re.sub(rf", {keyword}: [^,}}]+", "", line) for line in row.lines)
    assert (first, second) != row.lines
    return Row(row.feature, row.where, (first, second), row.effect)


for choosing in list(CHOSEN)[:4]:
    says(choosing)(choice)


@says("Class")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    assert {tuple(each.tags) for each in rolls(content)} == {("porter", None, "warden")}
    assert {each.tags[0] for each in rolls(content, depth=3)} == {"crusher"}
    either = with_second(row, row.lines[1].replace("[guard, keeper]", "[hauler, guard, keeper]"))
    made = rolls(either.load(folder / "either"))
    likely((each.tags[2] for each in made), {"porter": 1 / 2, "warden": 1 / 2})
    assert roll(content, seed=1, depth=0).tags == [None, None, None]


@says("Strong")
def _(row: Row, folder: Path) -> None:
    choice(row, folder)
    assert roll(without(row, "strong").load(folder), seed=1).tags == ["porter"]


@says("Fallback")
def _(row: Row, folder: Path) -> None:
    choice(row, folder)
    assert roll(without(row, "fallback").load(folder), seed=1).tags == [None]


@says("Rating")
def _(row: Row, folder: Path) -> None:
    choice(row, folder)
    assert roll(without(row, "rating").load(folder), seed=1).tags == ["wrench"]


@says("Rating of a depth")
def _(row: Row, folder: Path) -> None:
    for depth in (2, 9):
        likely(
            (each.tags[0] for each in rolls(row.load(folder), depth=depth)), {"stoker": 1 / 2, None: 1 / 2}
        )
    mixed = "example: {map: k, legend: {k: {robot: {class: keeper}, rating: [+1, {depth: 5}]}}}\n"
    likely(
        (each.tags[0] for each in rolls(row.load(folder, prefabs__example=mixed))),
        {"stoker": 1 / 2, None: 1 / 2},
    )


@says("Rating of a map")
def _(row: Row, folder: Path) -> None:
    assert roll(row.load(folder), seed=1).tags == ["crusher"]
    first, second = row.lines
    of_branch = Row(row.feature, row.where, (first, second.replace("mines/3", "mines")), row.effect)
    assert roll(of_branch.load(folder), seed=1).tags == ["crusher"]


@says("Prototype")
def _(row: Row, folder: Path) -> None:
    choice(row, folder)
    content = row.load(folder)
    assert all(each.keywords()["prototype"] for each in rolls(content))
    likely((each.keywords()["faulty"] for each in rolls(content)), {True: 0.4, False: 0.6})
    assert roll(without(row, "prototype").load(folder), seed=1).tags == ["wrench"]


@says("Prototype, if there is one")
def _(row: Row, folder: Path) -> None:
    choice(row, folder)
    assert not any("prototype" in each.keywords() for each in rolls(row.load(folder)))
    pair = 'hall: {map: "7", legend: {7: {item: {class: [mend, tool]}, prototype: true}}}\n'
    weak = 'attic: {map: "7", legend: {7: {item: {class: tool}, prototype: true, fallback: true}}}\n'
    content = row.load(folder, prefabs__hall=pair, prefabs__attic=weak)
    likely((each.tags[0] for each in rolls(content, "hall")), {"humming_wrench": 1})
    likely(
        (each.tags[0] for each in rolls(content, "hall", depth=1)),
        {"wrench": 1 / 2, "solder": 1 / 10, "oil": 4 / 10},
    )
    likely((each.tags[0] for each in rolls(content, "attic", depth=1)), {"humming_wrench": 1})


@says("Anything")
def _(row: Row, folder: Path) -> None:
    made = rolls(row.load(folder))
    likely(
        (each.tags[0] for each in made), {"oil": 4 / 7, "wrench": 1 / 7, "solder": 1 / 7, "brass_key": 1 / 7}
    )
    likely((each.tags[2] for each in made), {"porter": 1 / 3, "watchman": 1 / 3, "warden": 1 / 3})
    deeper = rolls(row.load(folder), depth=4)
    assert {each.tags[0] for each in deeper} == {"oil", "wrench", "solder", "brass_key", "torch"}
    items = row.files()["objects/items.yaml"]
    rare = row.load(folder, objects__items=items.replace('glyph: "-"', 'glyph: "-", weight: 0'))
    assert {each.tags[0] for each in rolls(rare)} == {"oil", "wrench", "solder"}
    problem = refusal(row, folder, objects__traps='any: {name: any trap, glyph: "^"}')
    assert problem.message == "this word has a meaning of its own and can't be a name"


@says("Never faulty")
def _(row: Row, folder: Path) -> None:
    choice(row, folder)
    likely((each.keywords()["faulty"] for each in rolls(row.load(folder))), {False: 1})


# -- keywords, values, neighbours -----------------------------------------------------------------


@says("Chance")
def _(row: Row, folder: Path) -> None:
    made = rolls(row.load(folder))
    for x in (0, 5):
        often(sum(each.tags[x] == "solder" for each in made), ROLLS, 0.3)
    often(sum(each.tags[0] == each.tags[5] == "solder" for each in made), ROLLS, 0.09)


@says("Shift")
def _(row: Row, folder: Path) -> None:
    columns = [each.tags.index("crate") for each in rolls(row.load(folder / "sometimes"))]
    likely(columns, {x: 0.1 + 0.5 * (x == 3) for x in range(1, 6)})
    row = with_second(row, row.lines[1].replace("{value: [2, 0], chance: 50%}", "[2, 0]"))
    content = row.load(folder / "always")
    likely((each.tags.index("crate") for each in rolls(content)), dict.fromkeys(range(1, 6), 1 / 5))
    # A wall left of it; the cell beyond, between two walls, would close the way that leads past them.
    walled = Row(row.feature, row.where, (row.lines[0].replace("..C.", ".#C."), row.lines[1]), row.effect)
    made = rolls(walled.load(folder / "walled"))
    likely((each.tags.index("crate") for each in made), dict.fromkeys((3, 4, 5), 1 / 3))


@says("Group and weight, rolled")
def _(row: Row, folder: Path) -> None:
    found = [" ".join(tag or "." for tag in each.tags) for each in rolls(row.load(folder))]
    # `a` against 1, 2 or 3 of `b`, with `c` for itself or alone in its group; or against `c`, half of the time.
    alone = (1 / 2 + 1 / 3 + 1 / 4) / 3
    likely(
        found,
        {
            "torch . . . solder": alone / 2,
            ". . oil . solder": (1 - alone) / 2 + 1 / 8,
            "torch . oil . .": 1 / 8,
            "torch . oil . solder": 1 / 4,
        },
    )


@says("Group")
def _(row: Row, folder: Path) -> None:
    likely(
        (" ".join(tag or "." for tag in each.tags) for each in rolls(row.load(folder))),
        {"torch . . . .": 1 / 4, ". . oil . oil": 3 / 4},
    )


@says("State")
def _(row: Row, folder: Path) -> None:
    spawns = [spawn for each in rolls(row.load(folder)) for spawn in each.spawns]
    likely((each.keywords["state"] for each in spawns if each.kind == "prop"), {"lit": 1 / 2, "cold": 1 / 2})
    assert {each.keywords["state"] for each in spawns if each.kind == "robot"} == {"asleep"}


@says("Lock and key")
def _(row: Row, folder: Path) -> None:
    made = roll(row.load(folder), seed=1)
    keywords = {spawn.tag: dict(spawn.keywords) for spawn in made.spawns}
    assert keywords == {"strongbox": {"lock": "brass"}, "brass_key": {"opens": "brass"}}


@says("Ambush")
def _(row: Row, folder: Path) -> None:
    dens = "den: {category: danger, maps: {bench: 1}, prefabs: example, placing: accessible}\n"
    content = row.load(folder, maps__bench=BENCH, encounters__dens=dens)
    made = dungeon.World(content, 1).level("bench/2")
    entities = [dungeon.components_of(spawn) for spawn in made.spawns]
    ambushes = [each for parts in entities for each in parts if isinstance(each, dungeon.Ambush)]
    waiting = Counter((each.placement, each.word) for each in ambushes)
    wanted = {(index, "alarm"): 3 for index in range(len(made.placements))}
    assert waiting == wanted
    assert {spawn.keywords["ambush"] for spawn in made.spawns} == {"alarm"}
    with pytest.raises(dungeon.ContentError, match="only items and robots can have this key: ambush"):
        row.load(folder / "wrong", prefabs__trap='t: {map: "C", legend: {C: {prop: crate, ambush: alarm}}}\n')


@says("Portals")
def _(row: Row, folder: Path) -> None:
    made = level(row.load(folder, maps__bench=bench()))
    (portal,) = made.portals
    assert (portal.kind, portal.both) == ("gate", True)
    ends = {(each.y, each.x) for each in made.spawns if each.keywords.get("port") == "lift"}
    assert ends == {portal.begin, portal.end}
    example = "example:\n" + "\n".join(f"  {line}" for line in row.lines)
    with pytest.raises(dungeon.ContentError, match="players step on a portal"):
        row.load(folder / "crate", prefabs__example=example.replace("gate", "crate"))


@says("Chutes")
def _(row: Row, folder: Path) -> None:
    example = "example:\n" + "\n".join(f"  {line}" for line in row.lines)
    way = ", one_way: true"
    into, to_and_fro = (
        example.replace(way, "").replace("gate, port: lift", f"gate, port: lift{way}"),
        example.replace(way, ""),
    )
    for name, text, leads in (
        ("out", example, [False]),
        ("into", into, []),
        ("to and fro", to_and_fro, [True]),
    ):
        made = level(row.load(folder / name, prefabs__example=text, maps__bench=bench()))
        assert [portal.both for portal in made.portals] == leads


@says("Locked doors")
def _(row: Row, folder: Path) -> None:
    made = level(row.load(folder, maps__bench=bench()))
    assert [(lock.x, lock.word) for lock in made.locks] == [(7, "brass")]
    assert made.base[1, 7] == t.LOCKED_DOOR
    assert made.entrance.x < 7
    grille = row.text.replace("terrain: locked_door", "terrain: grille")
    terrain = shown_files()["terrain.yaml"] + 'grille: {like: locked_door, glyph: "H"}\n'
    example = "example:\n" + "\n".join(f"  {line}" for line in grille.split("\n"))
    made = level(row.load(folder / "own", terrain=terrain, prefabs__example=example, maps__bench=bench()))
    assert [lock.word for lock in made.locks] == ["brass"]


@says("Key before its door")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder, maps__bench=bench())
    said = [str(each) for each in dungeon.examine_content(content.folder).problems]
    assert [each for each in said if "a locked door whose key is not certain to lie in front of it" in each]
    drawn = content.prefabs["example"].drawing
    assert openings(drawn, content.terrain_set).objection == (NOT_OPENED, (1, 3))
    for before, after, objection in (
        (", chance: 90%", "", None),
        (".L.#", ".L.+", (NOT_OPENED, (1, 3))),  # the door stays shut, though walkers get around it
    ):
        example = "example:\n" + "\n".join(
            f"  {line}" for line in row.text.replace(before, after).split("\n")
        )
        changed = row.load(folder / after, prefabs__example=example)
        drawn = changed.prefabs["example"].drawing
        assert openings(drawn, changed.terrain_set).objection == objection


@says("Followers of a drawn robot")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder, maps__bench=bench())
    sizes = set()
    for seed in range(FEW):
        leader, *others = dungeon.World(content, seed).level("bench/2").spawns
        assert (leader.tag, leader.leads) == ("warden", True)
        assert all(each.group == leader.group == 1 for each in others)
        assert all(max(abs(each.y - leader.y), abs(each.x - leader.x)) <= 2 for each in others)
        sizes.add(tuple(sorted(each.tag for each in others)))
    assert sizes == {(*["porter"] * few, *["watchman"] * more) for few in (1, 2) for more in (0, 1)}


@says("Around an object")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder, maps__bench=bench())
    counts = set()
    for seed in range(FEW):
        spawns = dungeon.World(content, seed).level("bench/2").spawns
        counts.add(tuple(sum(each.tag == tag for each in spawns) for tag in ("boiler", "oil", "watchman")))
        for each in spawns[1:]:
            boiler = spawns[0]
            reach = {"oil": 2, "watchman": 5}[each.tag]
            assert 0 < abs(each.y - boiler.y) + abs(each.x - boiler.x) <= reach
    assert counts == {(0, 0, 0), (1, 2, 1), (1, 3, 1), (1, 4, 1)}


@says("Around a cell")
def _(row: Row, folder: Path) -> None:
    made = level(row.load(folder, maps__bench=bench()))
    assert [each.tag for each in made.spawns] == ["straw"] * 6
    moss = [kind.name for kind in made.terrain_set.kinds].index("moss")
    ((y, x),) = np.argwhere(made.terrain == moss).tolist()
    assert all(abs(each.y - y) + abs(each.x - x) <= 3 for each in made.spawns)


@says("Marker")
def _(row: Row, folder: Path) -> None:
    made = level(row.load(folder, maps__bench=bench()))
    marked = [(each.name, each.data["text"], each.placement) for each in made.markers]
    assert marked == [("throne", "It is warm.", None)]  # None: the prefab is the whole map
    assert all(made.terrain_set.kinds[made.terrain[each.y, each.x]].name == "moss" for each in made.markers)
    parts = [dungeon.components_of(each) for each in made.markers]
    assert {part.name for _, part in parts if isinstance(part, dungeon.Marked)} == {"throne"}
    legend = "C: {prop: crate, marker: [left, right], data: {full: true}}"
    of_object = f"example: {{map: '...C...', legend: {{{legend}}}}}\n"
    content = row.load(folder / "object", prefabs__example=of_object, maps__bench=bench())
    names = []
    for seed in range(ROLLS):
        made = dungeon.World(content, seed).level("bench/2")
        (marker,), (crate,) = made.markers, made.spawns
        assert (marker.y, marker.x, dict(marker.data)) == (crate.y, crate.x, {})
        assert crate.keywords["full"] is True
        names.append(marker.name)
    likely(names, {"left": 1 / 2, "right": 1 / 2})


@says("Nothing scattered here")
def _(row: Row, folder: Path) -> None:
    crowd = "population: [{prop: crate, count: 900, at: anywhere}, {item: oil, count: 900, at: anywhere}]"
    made = level(row.load(folder, maps__bench=bench().replace("bench: {", f"bench: {{{crowd}, ")))
    moss = made.terrain == [kind.name for kind in made.terrain_set.kinds].index("moss")
    standing = np.zeros_like(moss)
    standing[[spawn.y for spawn in made.spawns], [spawn.x for spawn in made.spawns]] = True
    assert moss.any()
    assert not (moss & standing).any()
    assert (made.walkable & ~moss & standing).sum() > 1


@says("Nothing of a kind scattered here")
def _(row: Row, folder: Path) -> None:
    crowd = "population: [{prop: crate, count: 900, at: anywhere}, {item: oil, count: 900, at: anywhere}]"
    made = level(row.load(folder, maps__bench=bench().replace("bench: {", f"bench: {{{crowd}, ")))
    moss = made.terrain == [kind.name for kind in made.terrain_set.kinds].index("moss")
    assert {spawn.tag for spawn in made.spawns if moss[spawn.y, spawn.x]} == {"oil"}


@says("Free keywords")
def _(row: Row, folder: Path) -> None:
    made = [each.keywords() for each in rolls(row.load(folder))]
    assert all((each["note"], each["owed"]) == ("2..5", (1, {"to": "Hob"})) for each in made)
    likely((each["hp"] for each in made), dict.fromkeys((3, 4, 5), 1 / 3))
    likely((each["mood"] for each in made), {"calm": 1 / 2, "cross": 1 / 2})


ROLLED: dict[str, dict[str, float]] = {
    "Numbers and words": {"{'a': 40, 'b': 0.5, 'c': 0.001, 'd': 2, 'e': 'red', 'f': True}": 1},
    "Range": {f"{{'charge': {charge}, 'leak': 0.3}}": 1 / 4 for charge in range(2, 6)},
    "One of": {"{'tin': 'red'}": 1 / 2, "{'tin': 'blue'}": 1 / 2},
    "By weight": {"{'tin': 'red'}": 3 / 4, "{'tin': 'blue'}": 1 / 4},
    "Only sometimes": {"{'dented': True}": 1 / 5, "{}": 4 / 5},
    "Nested values": {"{'charge': 0}": 1 / 2, "{'charge': 4}": 1 / 4, "{'charge': 5}": 1 / 4},
}


def value(row: Row, folder: Path) -> None:
    likely((str(dict(each.keywords())) for each in rolls(row.load(folder))), ROLLED[row.feature])


for value_form in ROLLED:
    says(value_form)(value)


@says("On every keyword")
def _(row: Row, folder: Path) -> None:
    made = rolls(row.load(folder))
    columns = [each.tags.index("porter") for each in made if each.spawns]
    often(len(columns), ROLLS, 1 / 2)
    # A reach of 0, 1, 2 or 3 columns, then one of the cells within: 1/4, 1/4 * 1/2, and so on.
    shares = [sum(1 / (reach + 1) for reach in range(x, 4)) / 4 for x in range(4)]
    likely(columns, dict(enumerate(shares)))


@says("Neighbours choose together")
def _(row: Row, folder: Path) -> None:
    made = [each.tags for each in rolls(row.load(folder))]
    assert all(tags[0] == tags[1] == tags[5] for tags in made)
    likely((tags[0] for tags in made), {"porter": 1 / 2, "watchman": 1 / 2})
    often(sum(tags[0] == tags[3] for tags in made), ROLLS, 1 / 2)


@says("Neighbours that differ")
def _(row: Row, folder: Path) -> None:
    made = [each.tags for each in rolls(row.load(folder))]
    often(sum(len(set(tags)) == 1 for tags in made), ROLLS, 1 / 4)


# -- variation ------------------------------------------------------------------------------------


def drawn(row: Row, folder: Path) -> list[str]:
    """Return rolls of a row's terrain as text."""
    chars = {"wall": "#", "floor": ".", "door": "+"}
    return ["".join(chars[name] for name in each.ground) for each in rolls(row.load(folder))]


@says("Substitute each")
def _(row: Row, folder: Path) -> None:
    made = drawn(row, folder)
    likely("".join(made), {".": 3 / 4, "#": 1 / 4})
    often(made.count("...."), ROLLS, (3 / 4) ** 4)


@says("Substitute once")
def _(row: Row, folder: Path) -> None:
    likely(drawn(row, folder), {"....": 1 / 2, "####": 1 / 2})


@says("Exactly this many")
def _(row: Row, folder: Path) -> None:
    made = drawn(row, folder)
    pairs = {"".join(each) for each in permutations("##...")}
    likely(made, dict.fromkeys(pairs, 1 / 10))
    several = Row(row.feature, row.where, (row.lines[0], row.lines[1].replace("2", "1..3")), row.effect)
    likely((each.count("#") for each in drawn(several, folder)), dict.fromkeys((1, 2, 3), 1 / 3))


def standing(row: Row, folder: Path) -> list[str]:
    """Return rolls of what stands on a row's cells, by first letters."""
    return ["".join((tag or ".")[0] for tag in each.tags) for each in rolls(row.load(folder))]


@says("Shuffle characters")
def _(row: Row, folder: Path) -> None:
    likely(standing(row, folder), {f"{a}{b}.{c}": 1 / 6 for a, b, c in permutations("cbs")})


@says("At most this many")
def _(row: Row, folder: Path) -> None:
    made = drawn(row, folder)
    shares = [1 / 32, 5 / 32, 26 / 32]
    likely((each.count("#") for each in made), dict(enumerate(shares)))
    said = explain_prefab(row.load(folder), "example").steps
    assert "at most 2 of the cells" in str(said)
    exact = replace(row, lines=(row.lines[0], row.lines[1].replace("at_most", "exactly")))
    assert refusal(exact, folder).message.startswith("only 0 to 5 cells have this character")


@says("Shuffle by weight")
def _(row: Row, folder: Path) -> None:
    weights = {"c": 3, "b": 1, "s": 1}
    odds = {
        f"{one}.{two}.{three}": weights[one] / 5 * weights[two] / (5 - weights[one])
        for one, two, three in permutations("cbs")
    }
    likely(standing(row, folder), odds)
    blocks = replace(row, lines=('{map: "CB.56", legends: stock,', " vary: [{shuffle: {CB: 3, 56: 1}}]}"))
    likely(standing(blocks, folder), {"cb.sw": 3 / 4, "sw.cb": 1 / 4})


@says("Entrance that varies")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    prefab = content.prefabs["example"]
    made = [prefab.variant(Streams(seed).stream("entrance")).drawing for seed in range(ROLLS)]
    likely((openings(each, content.terrain_set).mouths[0].x for each in made), {1: 1 / 2, 5: 1 / 2})
    assert all(len(openings(each, content.terrain_set).mouths) == 1 for each in made)
    assert all((each.terrain[0] == t.WALL).all() for each in made)


@says("Shuffle blocks")
def _(row: Row, folder: Path) -> None:
    likely(standing(row, folder), {"cb..sw": 1 / 2, "sw..cb": 1 / 2})


@says("Parameter in steps")
def _(row: Row, folder: Path) -> None:
    made = rolls(row.load(folder))
    seen = [("".join((tag or ".")[0] for tag in each.tags), each.ground[0]) for each in made]
    likely(seen, {("rr.r", "floor"): 3 / 4, ("....", "wall"): 1 / 4})
    assert {each.ground[2] for each in made} == {"door"}


@says("Parameter in a legend")
def _(row: Row, folder: Path) -> None:
    made = rolls(row.load(folder))
    seen = [("".join((tag or ".")[0] for tag in each.tags), *each.ground) for each in made]
    iron, brick = ("rrg", "floor", "floor", "floor"), ("...", "wall", "wall", "door")
    likely(seen, {iron: 1 / 2, brick: 1 / 2})


@says("One of numbered")
def _(row: Row, folder: Path) -> None:
    likely(drawn(row, folder), dict.fromkeys(("#+#####", "###+###", "#####+#"), 1 / 3))


@says("All or none")
def _(row: Row, folder: Path) -> None:
    likely(drawn(row, folder), {".#.#.": 1 / 4, ".....": 3 / 4})


def test_steps_are_taken_in_the_order_written(tmp_path: Path) -> None:
    steps = '[{substitute: a, with: b}, {exactly: 1, of: b, become: "#", otherwise: "."}]'
    content = example(tmp_path, example=f'{{map: "aab", vary: {steps}}}')
    made = ["".join(".#"[name == "wall"] for name in each.ground) for each in rolls(content)]
    likely(made, dict.fromkeys(("#..", ".#.", "..#"), 1 / 3))


@says("Sub-prefab by tag")
def _(row: Row, folder: Path) -> None:
    made = rolls(row.load(folder), "gallery", times=300)
    seen = [
        "".join(
            "#" if ground == "wall" else (tag or ".")[0]
            for tag, ground in zip(each.tags, each.ground, strict=True)
        )
        for each in made
    ]
    halves = [half for each in seen for half in (each[:3], each[4:])]
    likely(halves, {"c.s": 0.3, "s.c": 0.3, "###": 0.4})
    assert {each[3] for each in seen} == {"#"}


@says("Sub-prefabs by weight")
def _(row: Row, folder: Path) -> None:
    made = "".join(standing_in(row, folder, "gallery")).replace(".", "")
    likely(made, {"c": 3 / 4, "w": 1 / 4})


@says("Sub-prefab in a sub-prefab")
def _(row: Row, folder: Path) -> None:
    made = standing_in(row, folder, "gallery")
    likely(made, {f"{one}.{other}": 1 / 4 for one in ("w.", ".w") for other in ("w.", ".w")})


def standing_in(row: Row, folder: Path, name: str) -> list[str]:
    """Return rolls of what stands on the cells of a prefab, by first letters."""
    return ["".join((tag or ".")[0] for tag in each.tags) for each in rolls(row.load(folder), name)]


@says("All layers of sub-prefabs")
def _(row: Row, folder: Path) -> None:
    made = roll(row.load(folder), "gallery", seed=1)
    assert [tuple(link[:5]) for link in made.drawing.links] == [(1, 3, 2, 0, 1)]
    assert [spawn.glyphs for spawn in made.spawns] == [("╔", "╗")]
    assert made.tags[4:8] == [None, "machine", "machine", None]


@says("Like another prefab")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    assert "fenced" not in content.prefabs
    fences = ["".join("I" if tag else "." for tag in each.tags) for each in rolls(content, "run")]
    likely(fences, {"I.I": 1 / 2, "...": 1 / 2})


@says("Like another, drawing included")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    assert roll(content, "yard", seed=1).tags == ["crate", None, None, "solder"]
    assert roll(content, "night_yard", seed=1).tags == [None, "barrel", None, "wrench"]


@says("Only on some maps")
def _(row: Row, folder: Path) -> None:
    maps = "attic: {name: Attic, size: 60x40, features: [{prefab: yards, required: true}], encounters: 1}\n"
    world = "start: attic/2\nleads_to: {attic/2: attic/5}\n"
    encounters = (
        "pile: {category: fluff, maps: {attic: 1}, prefabs: day_yard, access: 1..9, guaranteed: true}\n"
    )
    content = row.load(folder, maps__example=maps, world=world, encounters__example=encounters)
    for seed in range(FEW):
        worlds = dungeon.World(content, seed)
        upper, lower = worlds.level("attic/2"), worlds.level("attic/5")
        assert [each.prefab for each in upper.placements] == ["day_yard", "day_yard"]
        assert [each.prefab for each in lower.placements] == ["night_yard"]
    caves = row.load(folder / "caves", maps__example=maps.replace("size", "layout: caves, size"), world=world)
    level = dungeon.World(caves, 1).level("attic/2")
    assert not level.placements
    assert "none of its prefabs may be used on this map, by their 'only'" in {
        each.reason for each in level.journal
    }


@says("Variants of a prefab")
def _(row: Row, folder: Path) -> None:
    maps = "attic: {name: Attic, size: 60x40, features: [{prefab: yard, required: true}]}\n"
    content = row.load(folder, maps__example=maps, world="start: attic/2\nleads_to: {attic/2: attic/5}\n")
    assert [each.name for each in content.called["yard"]] == ["yard/wet", "yard/dry"]
    assert grounds(content, "yard/wet") == ["flue", "flue", "floor", "floor"]
    assert roll(content, "yard/wet", seed=1).tags == [None, None, None, "porter"]
    likely(standing_in(row, folder, "yard/dry"), {f"{one}{two}.c": 1 / 4 for one in "o." for two in "o."})
    found: Counter[tuple[str, str]] = Counter()
    for seed in range(5 * FEW):
        world = dungeon.World(content, seed)
        found += Counter((name, world.level(name).placements[0].prefab) for name in ("attic/2", "attic/5"))
    assert found["attic/2", "yard/dry"] == 5 * FEW
    often(found["attic/5", "yard/wet"], 5 * FEW, 3 / 4)


@says("No prefab within itself")
def _(row: Row, folder: Path) -> None:
    with pytest.raises(dungeon.ContentError) as caught:
        row.load(folder)
    messages = [problem.message for problem in caught.value.problems]
    assert len(messages) == 2
    assert messages[0] in re.findall("`([^`]+)`", row.effect)


# -- orientations and machines --------------------------------------------------------------------


def ways(content: Content) -> list[str]:
    """Return the ways in which a prefab lies."""
    return [drawing.orientation.label for drawing in content.prefabs["example"].drawings]


@says("All eight")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    assert ways(content) == row.data["orientations"]
    shapes = [tuple(map(tuple, each.terrain.tolist())) for each in content.prefabs["example"].drawings]
    assert len(set(shapes)) == 8
    quarter = content.prefabs["example"].drawings[1]
    names = [content.terrain_set.kinds[code].name for code in quarter.terrain.ravel().tolist()]
    assert names == ["floor", "door", "floor", "wall", "floor", "floor"]
    unsaid = Row(row.feature, row.where, (row.lines[0], "tags: halls"), row.effect)
    assert ways(unsaid.load(folder)) == ways(content)
    some = Row(row.feature, row.where, (row.lines[0], "orientations: [r0, m0]"), row.effect)
    assert ways(some.load(folder)) == ["r0", "m0"]


@says("Symmetric drawings")
def _(row: Row, folder: Path) -> None:
    assert ways(row.load(folder)) == ["r0", "r180"]


def machine_in(content: Content, way: str) -> dict[Cell, str]:
    """Return the glyphs of a prefab's only machine when it lies that way."""
    (machine,) = next(
        each for each in content.prefabs["example"].drawings if each.orientation.label == way
    ).machines
    return dict(zip(machine.cells, machine.glyphs, strict=True))


@says("Directional glyphs turn")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    assert machine_in(content, "r90") == {Cell(0, 1): "╗", Cell(1, 1): "║", Cell(2, 1): "↓", Cell(0, 0): "═"}
    assert machine_in(content, "m0") == {Cell(0, 2): "╗", Cell(0, 1): "═", Cell(0, 0): "←", Cell(1, 2): "║"}


def example(folder: Path, **prefabs: str) -> Content:
    """Load the content of the page, with these entries of ``prefabs/``."""
    (row,) = (row for row in ROWS if row.feature == "Kinds of objects")
    return row.load(folder, **{f"prefabs__{name}": f"{name}: {text}\n" for name, text in prefabs.items()})


def test_links_turn(tmp_path: Path) -> None:
    content = example(tmp_path, example=r'{map: "...\n...\n...", links: "\n\n 2"}')
    assert links(content) == [(2, 1, 2, 1, 0)]
    quarter = content.prefabs["example"].drawings[1]
    assert [tuple(link[:5]) for link in quarter.links] == [(1, 0, 2, 0, -1)]


def test_shifts_turn(tmp_path: Path) -> None:
    content = example(tmp_path, example='{map: "C....", legend: {C: {prop: crate, shift: [4, 0]}}}')
    for way, width in (("r0", 5), ("r90", 1)):
        made = rolls(content, way=way)
        assert {each.drawing.width for each in made} == {width}
        likely((each.tags.index("crate") for each in made), dict.fromkeys(range(5), 1 / 5))


def test_fitted_prefabs_turn(tmp_path: Path) -> None:
    niche = '{map: "C5", legends: stock, orientations: r0}'
    content = example(tmp_path, niche=niche, gallery='{map: "SS#", vary: [{fit: S, prefabs: niche}]}')
    assert roll(content, "gallery", seed=1).tags == ["crate", "solder", None]
    assert roll(content, "gallery", seed=1, way="r180").tags == [None, "solder", "crate"]
    assert roll(content, "gallery", seed=1, way="m90").tags == [None, "solder", "crate"]
    assert roll(content, "gallery", seed=1, way="m90").drawing.width == 1


@says("Generic machine")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    made = roll(content, seed=1)
    assert [spawn.glyphs for spawn in made.spawns] == [("╔", "═", "╗"), ("▓",)]
    assert made.tags == [None, "machine", "machine", "machine", None, "machine"]
    integrity = [roll(content, seed=1, depth=depth).spawns[0].keywords["integrity"] for depth in range(4)]
    assert integrity == sorted(set(integrity))


@says("Named machines")
def _(row: Row, folder: Path) -> None:
    made = rolls(row.load(folder))
    assert {len(each.spawns) for each in made} == {2}
    likely((spawn.tag for each in made for spawn in each.spawns), {"boiler": 3 / 4, "press": 1 / 4})
    boiler = next(spawn for each in made for spawn in each.spawns if spawn.tag == "boiler")
    assert boiler.opaque
    assert boiler.keywords == {"explodes": 3, "sound": "hiss"}


@says("Machine named by a reference")
def _(row: Row, folder: Path) -> None:
    made = rolls(row.load(folder))
    whole = ["boiler", "boiler", None, "press", "press", None]
    likely((each.tags == whole for each in made), {True: 1 / 2, False: 1 / 2})
    assert all(each.tags[:2] == ["boiler", "boiler"] for each in made)
    assert all(each.spawns[0].keywords["state"] == "lit" for each in made)
    assert made[0].spawns[0].glyphs == ("╔", "╗")


@says("Machine that shifts")
def _(row: Row, folder: Path) -> None:
    made = rolls(row.load(folder))
    likely((each.tags.index("boiler") for each in made), dict.fromkeys(range(5), 1 / 5))
    assert all(each.tags.count("boiler") == 2 for each in made)
    assert {(spawn.glyphs, len(spawn.cells)) for each in made for spawn in each.spawns} == {(("╔", "╗"), 2)}
    # Turned, its columns are rows; in a wall there is no place for it, nor beyond.
    turned = rolls(row.load(folder), way="r90")
    likely((each.tags.index("boiler") for each in turned), dict.fromkeys(range(5), 1 / 5))
    walled = Row(
        row.feature, row.where, (row.lines[0].replace('".......', '".....#.'), row.lines[1]), row.effect
    )
    likely((each.tags.index("boiler") for each in rolls(walled.load(folder))), dict.fromkeys(range(4), 1 / 4))


@says("Painted machine")
def _(row: Row, folder: Path) -> None:
    (spawn,) = roll(row.load(folder), seed=1).spawns
    assert spawn.fgs == ((0xD0, 0x40, 0x20), (0x40, 0xD0, 0x20))


# -- features of maps -----------------------------------------------------------------------------

ATTIC = "start: attic/2\nleads_to: {attic/2: [cellar/3, mines/3]}\n"
FEW = 8


def attics(row: Row, folder: Path, worlds: int = FEW, **changed: str) -> list[dungeon.Level]:
    """Return the level of the map ``attic`` in some worlds."""
    content = row.load(folder, **{"world": ATTIC, **changed})
    return [dungeon.World(content, seed).level("attic/2") for seed in range(worlds)]


def lies(made: dungeon.Level, kind: str) -> list[Rect]:
    """Return where the journal says that features of a kind lie."""
    found = [re.search(rf"{kind} (\d+)x(\d+) at y (\d+), x (\d+)", each.reason) for each in made.journal]
    return [Rect(int(y), int(x), int(h), int(w)) for w, h, y, x in (each.groups() for each in found if each)]


def apart(one: Rect, other: Rect) -> int:
    """Return how many steps there are between two rectangles."""
    return min(abs(a.y - b.y) + abs(a.x - b.x) for a in one.cells() for b in other.cells())


@says("Text of a map")
def _(row: Row, folder: Path) -> None:
    assert row.load(folder).maps["attic"].text == "Dry, and full of trunks."


@says("Barrier")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder):
        (rect,) = lies(made, "blocked")
        assert (made.base[rect.slices] == t.BLOCKED).all()
        assert (rect.height, rect.width) == (24, 3)
        assert 33 <= rect.x + 1.5 <= 67


@says("Keep-out area")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder):
        (rect,) = lies(made, "keep_out")
        assert (made.base[rect.slices] <= t.WALL).all()
        assert 10 <= rect.width <= 14
        corners = {(rect.y, made.width - rect.right), (made.height - rect.bottom, rect.x)}
        assert (2, 2) in corners


@says("Quiet area")
def _(row: Row, folder: Path) -> None:
    room = "store: {category: reward, prefabs: tool_shelf, maps: {attic: 1}}"
    for made in attics(row, folder, encounters__all=room):
        (rect,) = lies(made, "quiet")
        assert not any(rect.contains(each.y, each.x) for each in made.spawns)
        assert not any(rect.overlaps(each.bounds) for each in made.placements)
        assert len(made.spawns) >= 40


@says("Prefab of a map")
def _(row: Row, folder: Path) -> None:
    text = row.text.replace("Attic", "Attic\n  size: 60x40\n  population: [{item: oil, count: 300}]")

    def quiet_for(kinds: str) -> list[dungeon.Level]:
        return attics(row, folder, maps__example=text.replace("no_spawn: true", f"no_spawn: {kinds}"))

    made = attics(row, folder, maps__example=text)
    placed = [each.placements[0] for each in made]
    assert {each.prefab for each in placed} == {"tool_store", "tool_shelf"}
    assert {each.bounds.y for each in placed} == {2, 3, 4, 5}
    assert {(each.mode, each.encounter, each.category) for each in placed} == {("seeded", "", "reward")}
    assert not any(map(oil_in_prefabs, made))
    assert not any(map(oil_in_prefabs, quiet_for("[items, robots]")))
    for word in ("false", "robots"):
        assert any(map(oil_in_prefabs, quiet_for(word)))


def oil_in_prefabs(made: dungeon.Level) -> int:
    """Return how much oil is scattered in what was seeded."""
    bounds = [each.bounds for each in made.placements]
    return sum(rect.contains(each.y, each.x) for rect in bounds for each in made.spawns if each.tag == "oil")


YARD = "attic: {name: Attic, features: [{prefab: yard, orientations: r0}]}"


@says("Links of a map's prefab")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder, maps__example=YARD):
        ((y, x, height, width),) = [each.bounds for each in made.placements]
        assert (made.base[y + height - 1, x + 2 : x + 5] == t.CORRIDOR).all()
        assert (made.base[y + height, x + 2 : x + 5] > t.BLOCKED).any()
        assert made.base[y + 2, x + width] <= t.WALL


@says("Links under obstacles")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder, maps__example=YARD):
        ((y, x, height, _),) = [each.bounds for each in made.placements]
        beyond = made.base[y + height, x + 2 : x + 5] > t.BLOCKED
        assert beyond.tolist() == [False, True, False]
        assert made.walkable[y + height - 1, x + 3]


@says("Sealed on purpose")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder, maps__example=YARD):
        ((y, x, height, width),) = [each.bounds for each in made.placements]
        case = made.unreachable[y : y + height, x : x + width]
        assert np.argwhere(case).tolist() == [[3, 3]]
        assert (made.base[y + 2 : y + 5, x + 2 : x + 5] == t.WALL).sum() == 8
        assert [spawn.tag for spawn in made.spawns if made.unreachable[spawn.y, spawn.x]] == ["solder"]
        assert not dungeon.prove(made)


@says("No links")
def _(row: Row, folder: Path) -> None:
    joined = 0
    for made in attics(row, folder, maps__example=YARD):
        ((y, x, _, width),) = [each.bounds for each in made.placements]
        door, beyond = made.base[y + 1, x + width - 1 : x + width + 1]
        joined += door == t.DOOR and beyond > t.BLOCKED
    assert (
        joined > 0.8 * FEW
    )  # rarely rooms leave no space for a way from the door: then a wall is broken through
    for made in attics(row, folder, maps__example=YARD.replace("yard", "shed")):
        ((y, x, _, _),) = [each.bounds for each in made.placements]
        middles = [(y - 1, x + 1), (y + 2, x + 1), (y + 1, x - 1), (y + 1, x + 3)]
        assert any(made.base[cell] > t.BLOCKED for cell in middles)


@says("Stairs of a map")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder):
        assert made.entrance.x < 34
        assert made.entrance.y >= 40
        assert [(each.y, each.x) for each in made.exits if each.leads_to == "mines/3"] == [(30, 94)]
    shaft = "shaft: {map: '>.\\n..'}".replace("'", '"')
    changed = row.text.replace("stairs: down", "prefab: shaft")
    for made in attics(row, folder, maps__example=changed, prefabs__shaft=shaft):
        (down,) = [each for each in made.exits if each.leads_to == "mines/3"]
        assert made.placements[0].bounds.contains(down.y, down.x)
    for made in attics(row, folder, world="start: attic/2\nleads_to: {attic/2: [cellar/3]}\n"):
        assert "this level does not lead to mines" in {each.reason for each in made.journal}


@says("Place")
def _(row: Row, folder: Path) -> None:
    made = attics(row, folder)
    quiet = {rect for each in made for rect in lies(each, "quiet")}
    assert quiet == {Rect(57, x, 3, 4) for x in (8, 9, 10, 11, 12)}
    corners = {rect[:2] for each in made for rect in lies(each, "keep_out")}
    assert {x for _, x in corners} == {20, 60}
    assert {y for y, _ in corners} == {3, 4, 5, 6}


@says("Distance")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder):
        shop, shelf = [each.bounds for each in made.placements]
        assert apart(shop, Rect(*made.entrance, 1, 1)) >= 30
        assert apart(shop, shelf) <= 12
        assert all(apart(shelf, Rect(each.y, each.x, 1, 1)) >= 10 for each in made.exits)


@says("Number of copies")
def _(row: Row, folder: Path) -> None:
    # All three at once are there in one case of 24.
    assert {len(each.placements) for each in attics(row, folder, 72)} == {0, 1, 2, 3}


@says("Minimum walk to exits")
def _(row: Row, folder: Path) -> None:
    told = 0
    for made in attics(row, folder):
        notes = [
            each for each in made.journal if "from the entrance" in each.reason or "nearer" in each.reason
        ]
        steps = distances(made.walkable, [made.entrance])
        ends = np.argmax(np.where(made.walkable, steps, -1))
        longest = distances(made.walkable, [divmod(int(ends), made.walkable.shape[1])])[made.walkable].max()
        for end in made.exits:
            far = steps[end.y, end.x] >= 0.7 * longest  # what stands in the way makes walks a little longer
            assert far or notes
        told += bool(notes)
    assert 0 < told < FEW, "stairs in the centre are nearer to everything"


@says("Shapes of rooms")
def _(row: Row, folder: Path) -> None:
    seen = Counter(
        each.reason for made in attics(row, folder) for each in made.journal if each.stage == "shape"
    )
    assert seen.keys() == {"cross", "pillared"}
    assert seen["cross"] > seen["pillared"]


@says("Required")
def _(row: Row, folder: Path) -> None:
    assert all(len(made.placements) == 2 for made in attics(row, folder))
    small = row.text.replace("Attic", "Attic\n  size: 20x15")
    for made in attics(row, folder, maps__example=small):
        assert len(made.placements) == 1
        assert any("no space is left" in each.reason for each in made.journal)
    needed = small.replace(", required: false", "")
    with pytest.raises(dungeon.GenerationError, match="there is no place for feature"):
        attics(row, folder, maps__example=needed)


@says("Variants")
def _(row: Row, folder: Path) -> None:
    often(sum(bool(lies(each, "keep_out")) for each in attics(row, folder)), FEW, 0.75)


# -- maps of cards --------------------------------------------------------------------------------


def kinds(made: dungeon.Level, kind: str) -> list[Rect]:
    """Return the bounds of all regions of a kind."""
    return [region.bounds for region in made.regions if region.kind == kind]


def squares(made: dungeon.Level, side: int = 8) -> set[tuple[int, int]]:
    """Return the cells of a grid in which the rooms of a level lie, from the first on."""
    rooms = kinds(made, "room")
    top, left = min(rect.y for rect in rooms), min(rect.x for rect in rooms)
    # A room may lie two cells higher, or lower, in its cell than another one.
    return {((rect.y - top + side // 2) // side, (rect.x - left + side // 2) // side) for rect in rooms}


@says("Cards")
def _(row: Row, folder: Path) -> None:
    seen = Counter[str]()
    for made in attics(row, folder):
        drawn = kinds(made, "prefab")
        assert sum(rect.area > 1 for rect in drawn) <= 2
        seen.update(each.kind for each in made.regions)
        seen["stores"] += sum(rect.area > 1 for rect in drawn)
    assert seen["prefab"] > seen["stores"] > FEW
    assert seen["room"] > 2 * FEW


@says("Cards that abut")
def _(row: Row, folder: Path) -> None:
    shared = 0
    for made in attics(row, folder):
        sizes = [bounds[2:] for bounds in kinds(made, "room")]
        assert {min(each[0] % 6, 5) for each in sizes} == {5}  # one cell: 5x7; two share a wall: 11, 15
        for door in made.connections:
            shared += len({made.kinds[each] for each in door.between} - {"room", "prefab"}) == 0
            assert door.kind in (t.DOOR, t.FLOOR) or made.kinds[door.between[0]] == "prefab"
    assert shared > 5 * FEW


@says("Large cards")
def _(row: Row, folder: Path) -> None:
    map_of = "attic: {name: Attic, layout: {cards: {cell: 11x8, deck: {court: 1, aisle: 1}, rooms: 0}}}\n"
    sizes = {rect[2:] for made in attics(row, folder, maps__attic=map_of) for rect in kinds(made, "prefab")}
    assert {max(size) for size in sizes} == {7, 19}
    vast = f"vast: {{map: {'.' * 46}}}\n"
    (folder / "prefabs" / "vast.yaml").write_text(vast, encoding="utf-8")
    (folder / "maps" / "attic.yaml").write_text(map_of.replace("court", "vast"), encoding="utf-8")
    said = [str(each) for each in dungeon.examine_content(folder).problems]
    assert sum("more cells than a card can have" in each for each in said) == 1


@says("Cards of any shape")
def _(row: Row, folder: Path) -> None:
    map_of = "attic: {name: Attic, layout: {cards: {cell: 5x5, count: 16, deck: {bend: 1}, rooms: 0, passages: 0}}}\n"
    nested = 0
    for made in attics(row, folder, maps__attic=map_of):
        bends = [bounds for bounds in kinds(made, "prefab") if bounds[2:] == (9, 9)]
        others = [bounds for kind in ("room", "prefab") for bounds in kinds(made, kind)]
        nested += sum(bend.overlaps(each) for bend in bends for each in others if each != bend)
    assert nested > FEW  # a card lies in the free cell of another


@says("Sections of the deck")
def _(row: Row, folder: Path) -> None:
    sides = ["#.............#", "+.............+"]
    rows = ["###+#######+###", *(sides[number in (3, 11)] for number in range(1, 14)), "###+#######+###"]
    hall = "hall:\n  map: |\n" + "".join(f"    {line}\n" for line in rows)
    text = (
        row.text.replace("5x5", "7x7")
        .replace("tool_shelf: 2, tool_store: 1", "hall: 1")
        .replace("cell: 1}", "cell: 0}")
    )
    text = text.replace("halls: 0%", "halls: 0%, rooms: 0, passages: 0")
    for made in attics(row, folder, prefabs__hall=hall, maps__example=text):
        assert len(kinds(made, "prefab")) == 3
        assert not kinds(made, "room")


@says("Plain rooms")
def _(row: Row, folder: Path) -> None:
    sizes, doors = Counter[bool](), Counter[int]()
    for made in attics(row, folder):
        rooms = kinds(made, "room")
        sizes.update(rect.width > 9 or rect.height > 7 for rect in rooms)
        doors.update(door.kind for door in made.connections)
        sizes["ways"] += len(kinds(made, "corridor")) - len(rooms)  # a tree has fewer ways
        cells = [(made.region == region.id).sum() for region in made.regions if region.kind == "room"]
        sizes["shaped"] += sum(count < rect.area for count, rect in zip(cells, rooms, strict=True))  # type: ignore[index]
    assert min(sizes.values()) > 0
    assert doors.keys() == {t.DOOR, t.FLOOR}


@says("Order of growth")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder):
        found = squares(made)
        assert len(found) == 12
        height, width = (1 + max(cell[axis] for cell in found) for axis in (0, 1))
        assert height * width - 12 < max(height, width)
    loose = row.text.replace("filled", "random")
    areas = [
        len({y for y, _ in found}) * len({x for _, x in found})
        for found in map(squares, attics(row, folder, maps__example=loose))
    ]
    assert sum(areas) > 16 * FEW


@says("Chances and pulls")
def _(row: Row, folder: Path) -> None:
    wide = Counter[str]()
    for way in ("east", "south"):
        for made in attics(row, folder, maps__example=row.text.replace("east", way)):
            found = squares(made)
            wide[way] += max(x for _, x in found) - max(y for y, _ in found)
    assert wide["east"] > 0 > wide["south"]


@says("Sections")
def _(row: Row, folder: Path) -> None:
    lines = 0
    for made in attics(row, folder):
        found = squares(made)
        lines += any(
            {(y, x + step) for step in range(4)} <= found or {(y + step, x) for step in range(4)} <= found
            for y, x in found
        )
    assert lines > FEW / 2


@says("Zones")
def _(row: Row, folder: Path) -> None:
    whole = 0
    for made in attics(row, folder):
        names = {zone.id: zone.name for zone in made.zones}
        joined = [(zone.name, zone.kind, names.get(zone.parent)) for zone in made.zones]
        wanted = [("loft", "first", None), ("eaves", "bridge", "loft"), ("nook", "bridge", "loft")]
        assert [each for each in wanted if each in joined] == joined
        assert all(len(zone.gates) == 1 for zone in made.zones[1:])
        assert made.region[made.entrance] in made.zones[0].regions
        whole += len(joined) == 3
        missing = {f"zone {name}" for name, _, _ in wanted} - {f"zone {name}" for name, _, _ in joined}
        assert missing <= {each.subject for each in made.journal if each.verdict == "refused"}
    assert whole > FEW / 2


@says("Required zones")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder):
        assert {"loft", "eaves"} <= {zone.name for zone in made.zones}
    with pytest.raises(dungeon.GenerationError, match="zone eaves must be on the map"):
        attics(row, folder / "small", maps__example=row.text.replace("120x70", "24x20"))


@says("Zones side by side")
def _(row: Row, folder: Path) -> None:
    parts = set()
    for made in attics(row, folder):
        _, *others = made.zones
        for zone in others:
            assert len(zone.gates) <= 2 or zone.name == "nooks"
            parts.add((zone.name, len(zone.gates)))
    assert ("eaves", 2) in parts
    assert max(count for name, count in parts if name == "nooks") > 1


@says("Islands")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder):
        loft, isle = made.zones
        assert (isle.kind, isle.parent, len(isle.gates)) == ("island", loft.id, 1)
        lead_there = [
            each
            for each in made.regions
            if each.kind == "corridor" and each.id not in (*loft.regions, *isle.regions)
        ]
        assert len(lead_there) >= 3


@says("Ports of islands")
def _(row: Row, folder: Path) -> None:
    ported = 0
    for made in attics(row, folder):
        loft, isle = made.zones
        at = {(each.y, each.x) for each in made.spawns if each.tag == "punt"}
        assert at == {cell for portal in made.portals for cell in (portal.begin, portal.end)}
        for portal in made.portals:
            assert (portal.kind, portal.both, isle.gates) == ("punt", True, (portal.begin,))
            assert made.region[portal.begin] in loft.regions
            assert made.region[portal.end] in isle.regions
            labels, _ = components(made.walkable)
            assert labels[portal.begin] != labels[portal.end]
            ported += 1
    assert FEW / 3 < ported < FEW
    with pytest.raises(
        dungeon.ContentError, match="players step on a portal, so this prop needs blocks: false: crate"
    ):
        attics(row, folder, maps__example=row.text.replace("punt", "crate"))


@says("Zones of any layout")
def _(row: Row, folder: Path) -> None:
    whole = 0
    for made in attics(row, folder):
        names = {zone.id: zone.name for zone in made.zones}
        joined = [(zone.name, zone.kind, names.get(zone.parent)) for zone in made.zones]
        wanted = [("loft", "first", None), ("hollow", "bridge", "loft"), ("pit", "bridge", "loft")]
        assert joined == wanted[: len(joined)]
        whole += joined == wanted
        kinds = {zone.name: {made.kinds[each] for each in zone.regions} for zone in made.zones}
        assert "cave" in kinds["hollow"]
        assert "room" not in kinds["hollow"]
        assert "cave" not in kinds["loft"]
        assert "room" in kinds["loft"]
        corridors = [
            each
            for each in made.regions
            if each.kind == "corridor" and not any(each.id in zone.regions for zone in made.zones)
        ]
        assert len(corridors) == len(joined) - 1
        assert all(len(each.connections) == 2 for each in corridors)
    assert whole > FEW / 2


@says("Uneven zones")
def _(row: Row, folder: Path) -> None:
    spread = {}
    for uneven in ("0%", "60%"):
        text, shares = row.text.replace("uneven: 0%", f"uneven: {uneven}"), []
        for made in attics(row, folder / uneven, 12, maps__example=text):
            pit = Rect.around(np.argwhere(np.isin(made.region, made.zones[1].regions)).tolist())
            shares.append(min(pit.height / made.height, pit.width / made.width))
        spread[uneven] = np.ptp(shares)
    assert spread["0%"] < 0.1
    assert spread["60%"] > 0.15


@says("Patches side by side")
def _(row: Row, folder: Path) -> None:
    direct = 0
    for made in attics(row, folder):
        home = {region: zone.name for zone in made.zones for region in zone.regions}
        for zone in made.zones[1:]:
            assert 1 <= len(zone.gates) <= 2
            doors = [door for door in made.connections if (door.y, door.x) in zone.gates]
            assert all(door.kind == t.DOOR for door in doors)
            sides = [{home.get(each) for each in door.between} for door in doors]
            assert all(zone.name in each for each in sides)
            direct += {zone.name, "loft"} in sides
    assert direct > FEW / 2


@says("Sea between cards")
@says("Sea and islands")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder):
        loft, isle = made.zones
        names = np.array([kind.name for kind in made.terrain_set.kinds])[made.terrain]
        assert (names == "flue").mean() > 0.1
        assert (made.region[names == "flue"] == 0).all()
        (portal,) = made.portals
        assert isle.gates == (portal.begin,)
        for cell, zone in ((portal.begin, loft), (portal.end, isle)):
            assert names[cell] in ("moss", "grating")
            assert made.region[cell] in zone.regions
            assert beside(names == "flue")[cell]


@says("Look and depth of a zone")
def _(row: Row, folder: Path) -> None:
    seen = Counter[tuple[str, str]]()
    for made in attics(row, folder, themes="works: {floor: moss}\n"):
        names = [kind.name for kind in made.terrain_set.kinds]
        for spawn in made.spawns:
            for zone in made.zones:
                if made.region[spawn.y, spawn.x] in zone.regions:
                    seen[zone.name, spawn.tag] += 1
        ground = {
            zone.name: {
                names[code] for code in set(made.terrain[np.isin(made.region, zone.regions)].tolist())
            }
            for zone in made.zones
        }
        assert "moss" in ground["works"]
        assert "moss" not in ground["loft"]
        assert "floor" not in ground["works"]
    assert seen["loft", "crusher"] == 0
    assert min(seen["works", "crusher"], seen["loft", "porter"]) > FEW


@says("Theme of a bridge")
def _(row: Row, folder: Path) -> None:
    theme = {"themes": "works: {floor: moss, corridor: moss}\n"}
    patches = row.text.replace("cards", "patchwork").replace("cell: 9x7", "gap: 3").replace("count", "share")
    for text, least in ((row.text, 2), (patches, 1)):  # a room and the corridor behind it, or a corridor
        for made in attics(row, folder / str(least), 4, maps__example=text, **theme):
            mossy = np.array([kind.name == "moss" for kind in made.terrain_set.kinds])[made.terrain]
            home = {region for zone in made.zones for region in zone.regions}
            bridge = [made.region == region.id for region in made.regions if region.id not in home]
            assert len(bridge) >= least
            assert all(mossy[cells].all() for cells in bridge)
            assert not any(
                mossy[made.region == region.id].any()
                for region in made.regions
                if region.kind == "room" and region.id in home
            )


@says("Encounters of a zone")
def _(row: Row, folder: Path) -> None:
    zones = "zones: {attic: {count: 8}, works: {count: 8}}"
    map_of = f"bench: {{name: Bench, encounters: 5, layout: {{cards: {{cell: 13x10, {zones}}}}}}}\n"
    content = row.load(folder, maps__bench=map_of)
    placed = 0
    for seed in range(FEW):
        made = dungeon.World(content, seed).level("bench/2")
        for each in made.placements:
            assert each.region in made.zones[1].regions
            placed += 1
    assert placed > 3
    said = [str(each) for each in dungeon.examine_content(folder).problems]
    assert sum("none of this encounter's maps has a zone of this name: loft" in each for each in said) == 1


# -- locks and keys -------------------------------------------------------------------------------


def locked(row: Row, folder: Path, locks: str, **changed: str) -> list[Level]:
    """Return levels of a map with these locks."""
    maps = f"bench: {{name: Bench, size: 60x40, encounters: 1, locks: {locks}}}\n"
    content = row.load(folder, **({"maps__bench": maps} | changed))
    return [dungeon.World(content, seed).level("bench/2") for seed in range(12)]


def keys_of(made: Level) -> list[tuple[str, object]]:
    """Return what opens something on a level, and what it opens."""
    return [(each.tag, each.keywords["opens"]) for each in made.spawns if "opens" in each.keywords]


@says("Lock of the level")
def _(row: Row, folder: Path) -> None:
    shares = []
    for made in locked(row, folder, "{vault: 1}"):
        assert [lock.word for lock in made.locks] == ["vault"]
        assert keys_of(made) == [("wrench", "vault")]
        told = dungeon.measure(made)
        assert told.locks[0].distance is not None
        shares.append(told.locks[0].distance / told.longest)
        noted = [each.reason for each in made.journal if each.stage == "locks"]
        assert 0.18 < shares[-1] < 0.65 or "too near or far" in noted[-1]
    assert len(set(shares)) > 6


@says("Keys that are used up")
def _(row: Row, folder: Path) -> None:
    for made in locked(row, folder, "{slot: 3}"):
        assert {lock.word for lock in made.locks} == {"slot"}
        assert keys_of(made) == [("oil", "slot")] * len(made.locks)
        assert all(each.keywords.get("consumed") for each in made.spawns if "opens" in each.keywords)
    for made in locked(row, folder / "lasting", "{iron: 3}"):
        assert keys_of(made) == [("brass_key", "iron")]


@says("One of several openers")
def _(row: Row, folder: Path) -> None:
    seen = set()
    for made in locked(row, folder, "{vault: 1, iron: 1}") + locked(row, folder / "alone", "{vault: 1}"):
        (follows,) = (lock.follows for lock in made.locks if lock.word == "vault")
        own = [tag for tag, word in keys_of(made) if word == "vault"]
        assert len(own) == (not follows)
        seen.add((follows, *own))
    assert seen == {("iron",), ("", "brass_key"), ("", "lever")}
    vault = row.load(folder / "odds").locks["vault"]
    for words, odds in ((["iron"], (3 / 5, 1 / 5, 1 / 5)), ([], (3 / 4, 1 / 4))):
        drawn = [str(*vault.openers_on(words, Stream(seed))) for seed in range(400)]
        likely(drawn, dict(zip(("item brass_key", "prop lever", "lock iron"), odds, strict=False)))


@says("Any of several openers")
def _(row: Row, folder: Path) -> None:
    for made in locked(row, folder, "{vault: 2}"):
        assert sorted(keys_of(made)) == [("brass_key", "vault"), ("lever", "vault")]
        assert {lock.count for lock in made.locks} == {1}


@says("Several of one kind")
def _(row: Row, folder: Path) -> None:
    for made in locked(row, folder, "{vault: 2, slot: 2}"):
        slots = sum(lock.word == "slot" for lock in made.locks)
        assert {lock.word: lock.count for lock in made.locks} == {"vault": 3, "slot": 2}
        assert Counter(keys_of(made)) == {("solder", "vault"): 3, ("oil", "slot"): 2 * slots}


@says("N of M")
def _(row: Row, folder: Path) -> None:
    for made in locked(row, folder, "{vault: 1}"):
        assert [lock.count for lock in made.locks] == [2]
        assert keys_of(made) == [("solder", "vault")] * 3


@says("Keys on other maps")
def _(row: Row, folder: Path) -> None:
    maps = "bench: {name: Bench, locks: {vault: 1}}\ntombs: {name: Tombs}\n"
    world = "start: bench/2\nmaps: {bench: 2, mines: 3..4, tombs: 3..6}\n"
    ways = "leads_to: {bench/2: [mines/3, tombs/3], mines/*: mines/+1, tombs/*: tombs/+1}\n"
    content = row.load(folder, maps__bench=maps, world=world + ways)
    found = set()
    for seed in range(24):
        made = dungeon.World(content, seed)
        (key,) = made.keys
        found.add(key.map)
        assert {lock.keys_on for lock in made.level("bench/2").locks} == {(key.map,)}
    assert found == {"mines/3", "mines/4", "tombs/3", "tombs/4", "tombs/5"}
    assert keys_of(made.level(key.map)) == [("brass_key", "vault")]
    assert not [*Traveller(made).objections()]
    three = replace(row, lines=(row.lines[0], row.lines[1].replace("keys_on", "keys: 3, keys_on")))
    content = three.load(folder / "three", maps__bench=maps, world=world + ways)
    assert len({key.map for key in dungeon.World(content, 1).keys}) == 3
    behind = (
        "leads_to: {bench/2: bench/3, bench/3: [mines/3, tombs/3], mines/*: mines/+1, tombs/*: tombs/+1}\n"
    )
    way = maps.replace("{vault: 1}", "{vault: {on: way}}")
    content = row.load(
        folder / "behind", maps__bench=way, world=world.replace("bench: 2", "bench: 2..3") + behind
    )
    made = dungeon.World(content, 1)
    assert not made.keys
    assert not made.level("bench/2").locks


@says("Keys behind locks")
def _(row: Row, folder: Path) -> None:
    for share, after in (("40%", {0, 1}), ("0%", {0})):
        other = replace(row, lines=(row.lines[0], row.lines[1].replace("40%", share)))
        spheres = {
            key.sphere
            for made in locked(other, folder / share, "{vault: 1, iron: 1}")
            for key in solution_of(made).keys
            if "vault" in key.words
        }
        assert spheres == after


@says("Toggling levers")
def _(row: Row, folder: Path) -> None:
    for made in locked(row, folder, "{weir: {count: 1, on: way}, iron: 1}"):
        told = {
            each.keywords["opens"]: each.keywords.get("toggle")
            for each in made.spawns
            if "opens" in each.keywords
        }
        assert told == {lock.word: lock.word == "weir" or None for lock in made.locks}


@says("Codes")
def _(row: Row, folder: Path) -> None:
    for made in locked(row, folder, "{vault: 2}"):
        assert [each.word for each in made.locks].count("vault") >= 1
        assert {each.name for each in made.locks} == {"vault"}
        (note,) = (each.keywords for each in made.spawns if "opens" in each.keywords)
        assert (note["opens"], note["code"], "consumed" in note) == ("vault", 4711, False)


@says("Locks after locks")
def _(row: Row, folder: Path) -> None:
    for made in locked(row, folder, "{inner: 1, outer: 1}"):
        assert {(lock.word, lock.follows) for lock in made.locks} == {("inner", "outer"), ("outer", "")}
        assert keys_of(made) == [("warden", "outer")]
    for made in locked(row, folder / "alone", "{inner: 1}"):
        assert {(lock.word, lock.follows) for lock in made.locks} == {("inner", "")}
        assert keys_of(made) == [("warden", "inner")]


@says("Place for a key")
def _(row: Row, folder: Path) -> None:
    stores = "stores: {category: fluff, maps: {bench: 1}, prefabs: example}\n"
    bare = row.text.replace("C.k", "C..").replace(", k: {key: iron}", "")
    found = set()
    for drawn in (row.text, bare):
        example = "example:\n" + "\n".join(f"  {line}" for line in drawn.split("\n"))
        for made in locked(
            row, folder / str(len(drawn)), "{iron: 1}", encounters__stores=stores, prefabs__example=example
        ):
            (key,) = [each for each in made.spawns if "opens" in each.keywords]
            assert key.placement == (0 if made.placements else None)
            found.add((drawn == bare, key.tag, key.keywords.get("holds"), key.placement))
    assert found >= {(False, "brass_key", None, 0), (True, "crate", "brass_key", 0)}


@says("Locked room")
def _(row: Row, folder: Path) -> None:
    doors = 0
    for made in locked(row, folder, "{}"):
        if made.placements and made.locks:
            own = {door for door in made.connections if made.placements[0].region in door.between}
            assert {(door.y, door.x) for door in own} == {(lock.y, lock.x) for lock in made.locks}
            assert {door.kind for door in own} == {t.LOCKED_DOOR}
            doors += len(own)
    assert doors


@says("Locked prefab of a map")
def _(row: Row, folder: Path) -> None:
    hut = "tool_store:\n  map: |\n    #####\n    #...#\n    ##+##\n"
    locked_in = 0
    for number, changed in enumerate(({}, {"prefabs__tool_store": hut})):
        for made in attics(row, folder / str(number), **changed)[:8]:
            said = [each for each in made.journal if each.stage == "locks" and each.verdict == "refused"]
            assert bool(made.locks) != bool(said)
            locked_in += len(made.locks)
    assert locked_in


@says("Locks of a map")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder, world="start: attic/2\nleads_to: {attic/2: [mines/3]}\n")
    counts = {"iron": 0, "sluice": 0}
    for seed in range(12):
        made = dungeon.World(content, seed).level("attic/2")
        for lock in made.locks:
            counts[lock.word] += 1
        shut = made.walkable & (made.base != t.LOCKED_DOOR)
        apart, _ = components(shut)
        on_way = apart[made.entrance] != apart[made.exits[0].y, made.exits[0].x]
        assert on_way == any(lock.word == "sluice" for lock in made.locks)
        assert on_way or any("every way" in each.reason for each in made.journal)
    assert counts["iron"] >= 12
    assert counts["sluice"] >= 6


@says("Drops of a map")
def _(row: Row, folder: Path) -> None:
    locked_up = 0
    for made in attics(row, folder):
        away = distances(made.walkable | (made.base == dungeon.terrain.LOCKED_DOOR), [made.entrance])
        start, _ = components(made.walkable & (made.base != dungeon.terrain.LOCKED_DOOR))
        assert len(made.portals) == 2
        for portal in made.portals:
            assert (portal.kind, portal.both) == ("punt", False)
            assert away[portal.end] < away[portal.begin] / 2
            assert start[portal.end] == start[made.entrance]
            locked_up += start[portal.begin] != start[made.entrance]
        assert [(each.y, each.x) for each in made.spawns if each.tag == "punt"] == [
            portal.begin for portal in made.portals
        ]
    assert locked_up > 0


@says("Locked zone")
def _(row: Row, folder: Path) -> None:
    locked_up = 0
    for made in attics(row, folder):
        for zone in made.zones[1:]:
            assert {(lock.y, lock.x) for lock in made.locks} == {(gate.y, gate.x) for gate in zone.gates}
            (key,) = [each for each in made.spawns if each.keywords.get("opens") == "iron"]
            assert made.region[key.y, key.x] not in zone.regions
            locked_up += 1
    assert locked_up > FEW / 2


# -- mods -----------------------------------------------------------------------------------------


@says("New entries")
def _(row: Row, folder: Path) -> None:
    items = row.lay(folder).catalog.things["item"]
    assert {"lamp", "whistle"} < set(items)
    assert set(items) - {"lamp", "whistle"} == set(row.load(folder / "alone").catalog.things["item"])


@says("Change")
def _(row: Row, folder: Path) -> None:
    props = row.lay(folder).catalog.things["prop"]
    assert (props["crate"].glyph, props["crate"].classes, props["crate"].name) == (
        "c",
        ("box", "wood"),
        "crate",
    )
    assert props["boiler"].data == {"explodes": 5, "sound": "hiss"}
    assert props["boiler"].opaque


@says("Add")
def _(row: Row, folder: Path) -> None:
    robots = row.lay(folder).catalog.things["robot"]
    assert robots["porter"].categories == ("staff", "trusted")
    assert robots["warden"].data == {"shy": True}


@says("Remove")
def _(row: Row, folder: Path) -> None:
    robots = row.lay(folder).catalog.things["robot"]
    assert (robots["watchman"].categories, robots["watchman"].carries) == (("staff",), None)
    assert "stoker" not in robots


@says("Replace")
def _(row: Row, folder: Path) -> None:
    content = row.lay(folder)
    assert content.prefabs["tool_store"].tags == ()
    assert roll(content, "tool_store", seed=1).tags == ["crate", None, "crate"]
    assert content.weights["common"] == 4


@says("Draw anew")
def _(row: Row, folder: Path) -> None:
    content = row.lay(folder, prefabs__tool_shelf=[XpLayer.from_rows(["6.6"])])
    assert roll(content, "tool_shelf", seed=1).tags == ["wrench", None, "wrench"]
    assert (content.prefabs["tool_store"].template.shape, content.prefabs["tool_store"].tags) == (
        (1, 4),
        ("stores",),
    )


@says("More of the world")
def _(row: Row, folder: Path) -> None:
    world = row.lay(folder).world
    assert (world.name, world.start) == ("The Long Night", "bench/2")
    assert dict(world.leads_to) == {"bench/2": ("cellar/3", "mines/3", "cellar/4"), "cellar/3": ("mines/4",)}


# -- catalogs, mistakes -----------------------------------------------------------------


@says("Looks and properties")
def _(row: Row, folder: Path) -> None:
    content = row.load(
        folder, prefabs__hall='hall: {map: "U.i", legend: {U: {prop: vat}, i: {prop: candle}}}\n'
    )
    made = roll(content, "hall", seed=1)
    vat, candle = made.spawns
    assert (vat.name, vat.glyph, vat.fg, vat.blocks, vat.opaque) == (
        "copper vat",
        "U",
        (0xD0, 0x80, 0x40),
        True,
        True,
    )
    assert (candle.glyph, candle.fg, candle.blocks, candle.opaque) == ("i", (255, 220, 120), False, False)
    assert [(light.x, light.radius) for light in made.populator.lights] == [(candle.x, 3)]


@says("Rating and weight")
def _(row: Row, folder: Path) -> None:
    hall = 'hall: {map: "1", legend: {1: {item: {class: digger}}}}\nold: {map: "1", legend: {1: {item: {category: heavy}}}}\n'
    content = row.load(folder, prefabs__hall=hall)
    likely((each.tags[0] for each in rolls(content, "hall")), {"pick": 3 / 4, "spade": 1 / 4})
    likely((each.tags[0] for each in rolls(content, "old")), {"pick": 1})
    assert roll(content, "hall", seed=1, depth=1).tags == [None]


@says("Weight by depth")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder, prefabs__hall='hall: {map: "1", legend: {1: {item: {class: digger}}}}\n')
    for depth, odds in {1: (1, 1), 2: (3, 1), 3: (5, 0), 9: (5, 0)}.items():
        wanted = {tag: part / sum(odds) for tag, part in zip(("pick", "spade"), odds, strict=True) if part}
        likely((each.tags[0] for each in rolls(content, "hall", depth=depth)), wanted)


@says("Like another")
def _(row: Row, folder: Path) -> None:
    robots = row.load(folder).catalog.things["robot"]
    porter, old, blind = (robots[tag] for tag in ("porter", "old_porter", "blind_porter"))
    assert old.classes == blind.classes == porter.classes
    assert old.carries == blind.carries == porter.carries
    assert (porter.weight, old.weight, blind.weight) == (1, 1, 1)  # `rare` is worth 1
    assert (old.depth, blind.depth) == (porter.depth, 2)
    assert (old.data, blind.data) == ({"hp": 2}, {"hp": 2, "sight": 0})


@says("States")
def _(row: Row, folder: Path) -> None:
    hall = "hall: {map: abc, legend: {a: {robot: dozer}, b: {robot: old_dozer}, c: {robot: dozer, state: broken}}}\n"
    made = [each.spawns for each in rolls(row.load(folder, prefabs__hall=hall), "hall")]
    likely((dozer.keywords["state"] for dozer, _, _ in made), {"asleep": 3 / 4, "awake": 1 / 4})
    assert {(old.keywords["state"], asked.keywords["state"]) for _, old, asked in made} == {
        ("asleep", "broken")
    }


@says("Prototypes")
def _(row: Row, folder: Path) -> None:
    hall = (
        'hall: {map: "1.2", legend: {1: {item: {class: pump}}, 2: {item: {class: pump}, prototype: true}}}\n'
    )
    made = rolls(row.load(folder, prefabs__hall=hall), "hall")
    assert {tuple(each.tags) for each in made} == {("plain_pump", None, "fast_pump")}
    likely((each.spawns[1].keywords["faulty"] for each in made), {True: 1 / 4, False: 3 / 4})


@says("What robots carry")
def _(row: Row, folder: Path) -> None:
    asked = 'hall: {map: "12.f", legend: {1: {item: {equipped_by: fitter}}, 2: {item: {equipped_by: smith}}, f: {robot: fitter}}}\n'
    made = rolls(row.load(folder, prefabs__hall=asked), "hall")
    assert {each.tags[0] for each in made} == {"wrench"}
    likely((each.tags[1] for each in made), {"solder": 3 / 4, "oil": 1 / 4})
    assert {dict(each.spawns[2].keywords) == {} for each in made} == {True}


@says("Loadouts")
def _(row: Row, folder: Path) -> None:
    content = row.load(
        folder, prefabs__hall="hall: {map: f.h, legend: {f: {robot: fitter}, h: {robot: smith}}}\n"
    )
    made = [each.spawns for each in rolls(content, "hall")]
    likely(
        (tuple(item.tag for item in fitter.loadout) for fitter, _ in made),
        {("oil",): 0.5, ("oil", "oil"): 0.5},
    )
    held = {("wrench", "solder"): 0.3, ("wrench",): 0.7}
    likely((tuple(item.tag for item in smith.loadout) for _, smith in made), held)
    assert explain_prefab(content, "hall", depth=2).brings == {}
    items = shown_files()["objects/items.yaml"].replace("category: supply", "category: supply, worth: 10")
    dear = row.load(
        folder / "dear",
        prefabs__hall="hall: {map: f.h, legend: {f: {robot: fitter}, h: {robot: smith}}}\n",
        objects__items=items,
    )
    assert explain_prefab(dear, "hall", depth=2).brings == {"worth": pytest.approx(10 * 1.5 + 10 * 0.3)}


@says("Loadout")
def _(row: Row, folder: Path) -> None:
    robots = shown_files()["objects/robots.yaml"].replace("carries: [solder, oil]", "loadout: [{item: oil}]")
    content = row.load(folder, objects__robots=robots + "mule: {name: mule, glyph: m, like: porter}\n")
    made = [each.spawns for each in rolls(content)]
    likely((len(watchman.loadout) for watchman, _ in made), {1: 0.5, 2: 0.5})
    assert {item.tag for watchman, _ in made for item in watchman.loadout} == {"torch"}
    assert {porter.loadout for _, porter in made} == {()}
    assert [each.item.tags.odds() for each in content.catalog["robot", "mule"].loadout if each.item] == [
        {"oil": 1}
    ]


@says("Bands")
def _(row: Row, folder: Path) -> None:
    hall = "hall: {map: '.......\\n...F...\\n.......', legend: {F: {robot: boss%s}}}\n".replace("'", '"')
    bands = set()
    content = row.load(folder, prefabs__hall=hall % "", maps__bench=bench("hall"))
    for seed in range(3 * FEW):
        spawns = dungeon.World(content, seed).level("bench/2").spawns
        assert all(each.group == 1 for each in spawns)
        bands.add(tuple(sorted(each.tag for each in spawns[1:])))
    assert bands == {(*["hand"] * few, *["porter"] * more) for few in (2, 3) for more in (0, 1)}
    content = row.load(folder, prefabs__hall=hall % ", followers: []", maps__bench=bench("hall"))
    assert [(each.tag, each.group) for each in level(content).spawns] == [("boss", 0)]


@says("Threat")
def _(row: Row, folder: Path) -> None:
    hall = "hall: {map: k, legend: {k: {robot: {lasher: 1, tender: 3}}}}\n"
    content = row.load(folder, prefabs__hall=hall)
    assert explain_prefab(content, "hall", depth=2).brings == {"threat": 4 / 4 + 1.5 * 3 / 4}
    with pytest.raises(dungeon.ContentError, match="only robots and traps can have this key: threat"):
        row.load(
            folder / "wrong",
            objects__items=shown_files()["objects/items.yaml"] + "gem: {name: gem, glyph: '*', threat: 3}\n",
        )


@says("Worth")
def _(row: Row, folder: Path) -> None:
    hall = "hall: {map: ios, legend: {i: {item: ingot}, o: {item: oil}, s: {item: slag, chance: 50%}}}\n"
    content = row.load(folder, prefabs__hall=hall)
    assert explain_prefab(content, "hall", depth=2).brings == {"worth": 8 + 0.5 / 2}


@says("Keywords of the catalog")
def _(row: Row, folder: Path) -> None:
    hall = "hall: {map: fFh, legend: {f: {robot: boss}, F: {robot: boss, data: {mood: mild}, roll: {hp: 1}}, h: {robot: hand}}}\n"
    made = rolls(row.load(folder, prefabs__hall=hall), "hall")
    likely((each.spawns[0].keywords["hp"] for each in made), {5: 1 / 2, 9: 1 / 2})
    assert {each.spawns[0].keywords["mood"] for each in made} == {"stern"}
    assert {str(dict(each.spawns[1].keywords)) for each in made} == {"{'sight': 6, 'mood': 'mild', 'hp': 1}"}
    assert {str(dict(each.spawns[2].keywords)) for each in made} == {"{'sight': 4}"}


def mistake(row: Row, folder: Path) -> None:
    problem = refusal(row, folder)
    assert problem.source.file.endswith("example.yaml")
    assert problem.source.line > 1
    where = f"{problem.source}: error: prefab 'example': "
    assert str(problem) == where + row.effect.strip("`") + str(problem).partition(row.effect.strip("`"))[2]
    assert str(problem).removeprefix(where + row.effect.strip("`")) in (
        "",
        f" (allowed: {', '.join(problem.allowed)})",
    )


# -- population -----------------------------------------------------------------------------------


def counted_tags(made: dungeon.Level) -> Counter[str]:
    """Return how many things of each tag stand on a level."""
    return Counter(each.tag for each in made.spawns)


def regions_below(made: dungeon.Level, tag: str) -> set[str]:
    """Return the kinds of region in which things stand."""
    return {made.kinds[int(made.region[each.y, each.x])] for each in made.spawns if each.tag == tag}


@says("Population")
def _(row: Row, folder: Path) -> None:
    found = attics(row, folder)
    haulers = [counted_tags(made)["porter"] for made in found]
    assert {*haulers} == {2, 3, 4}
    assert {counted_tags(made)["crate"] for made in found} == {0, 1}
    assert all(counted_tags(made)["oil"] + counted_tags(made)["solder"] == 3 for made in found)


@says("Density")
def _(row: Row, folder: Path) -> None:
    found = attics(row, folder)
    for made in found:
        rooms = np.isin(made.region, [each.id for each in made.regions if each.kind == "room"])
        floor = np.count_nonzero(made.walkable & (made.base == t.FLOOR) & rooms)
        everywhere = np.count_nonzero(made.walkable)
        tags = counted_tags(made)
        assert abs(tags["oil"] - 0.02 * floor) < 2
        assert 0 < tags["porter"] <= 0.004 * everywhere + 1
        assert tags["solder"] == 0
    deeper = ATTIC.replace("attic/2", "attic/3").replace("[cellar/3, mines/3]", "cellar/4")
    content = row.load(folder, world=deeper)
    below = [dungeon.World(content, seed).level("attic/3") for seed in range(5)]
    assert {counted_tags(made)["solder"] for made in below} == {1}
    assert sum(counted_tags(made)["porter"] for made in below) > sum(
        counted_tags(made)["porter"] for made in found[:5]
    )


@says("Places of objects")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder):
        for each in made.spawns:
            near = made.base[each.y - 1 : each.y + 2, each.x - 1 : each.x + 2]
            if each.tag == "straw":
                assert (near <= t.BLOCKED).any()
            elif made.kinds[int(made.region[each.y, each.x])] == "room":
                assert np.isin(near, t.DOORS).any()
        assert regions_below(made, "straw") == {"room"}
        assert counted_tags(made) == {"loose_plate": 9, "straw": 9}


@says("Drifts")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder):
        heaps = {int(made.region[each.y, each.x]) for each in made.spawns}
        assert len(made.spawns) == 40
        assert len(heaps) <= 7


@says("Followers")
def _(row: Row, folder: Path) -> None:
    sizes = set()
    for made in attics(row, folder):
        for number in (1, 2):
            leader, *others = [each for each in made.spawns if each.group == number]
            assert (leader.tag, leader.leads) == ("warden", True)
            assert all(abs(each.y - leader.y) + abs(each.x - leader.x) <= 10 for each in others)
            sizes.add(tuple(sorted(each.tag for each in others)))
    assert sizes == {(*["porter"] * few, *["watchman"] * more) for few in (1, 2) for more in (0, 1)}


@says("Around a scattered object")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder):
        boilers, oil = ([each for each in made.spawns if each.tag == tag] for tag in ("boiler", "oil"))
        assert len(boilers) == 2
        assert 4 <= len(oil) <= 6
        assert all(min(abs(one.y - each.y) + abs(one.x - each.x) for one in boilers) <= 2 for each in oil)
        porters = [each for each in made.spawns if each.tag == "porter"]
        assert 0 < len(porters) <= 2  # one has no place out of sight
        assert not any(seen_from(made.transparent, made.entrance)[each.y, each.x] for each in porters)


@says("Patrols")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder):
        for each in made.spawns:
            assert 2 <= len(each.patrol) <= 5
            assert each.patrol[0] == (each.y, each.x)
            regions = [int(made.region[cell]) for cell in each.patrol]
            assert len({*regions}) == len(regions)
            assert not seen_from(made.transparent, made.entrance)[tuple(zip(*each.patrol, strict=True))].any()


@says("Seen on arrival")
def _(row: Row, folder: Path) -> None:
    shown = Counter(
        each.tag
        for made in attics(row, folder, 12, maps__example=row.text.replace("Attic", "Attic\n  layout: caves"))
        for each in made.spawns
        if seen_from(made.transparent, made.entrance)[each.y, each.x]
    )
    assert shown["porter"] == 0
    assert shown["warden"] > 0


@says("Machines of a map")
def _(row: Row, folder: Path) -> None:
    found = attics(row, folder, 12)
    tags = sum(map(counted_tags, found), Counter())
    assert tags.keys() == {"press", "boiler"}
    assert tags["press"] > 2 * tags["boiler"]
    for made in found:
        for each in made.spawns:
            ys, xs = zip(*each.cells, strict=True)
            box = made.base[min(ys) - 1 : max(ys) + 2, min(xs) - 1 : max(xs) + 2]
            assert not np.isin(box, (*t.DOORS, *t.STAIRS)).any()
            rims = box[0, 1:-1], box[-1, 1:-1], box[1:-1, 0], box[1:-1, -1]
            assert any((rim <= t.BLOCKED).all() for rim in rims) or (box > t.BLOCKED).all()


# -- dressing -------------------------------------------------------------------------------------


def dressed_cells(made: dungeon.Level, name: str) -> NDArray[np.bool_]:
    """Return where a level has some terrain."""
    return made.terrain == made.terrain_set.code(name)


def kinds_of(made: dungeon.Level, cells: NDArray[np.bool_]) -> set[str]:
    """Return the kinds of region that some cells are of; what a river has cut through rock is of none."""
    return {made.kinds.get(number, "rock") for number in np.unique(made.region[cells]).tolist()}


@says("Lakes")
def _(row: Row, folder: Path) -> None:
    for made in attics(row, folder):
        flooded, mossy = dressed_cells(made, "flue"), dressed_cells(made, "moss")
        in_caves = np.isin(made.region, [region.id for region in made.regions if region.kind == "cave"])
        assert (flooded & in_caves).sum() > 0.9 * flooded.sum()  # an islet may be of a tunnel
        assert 24 <= flooded.sum() <= 90  # islets in them are flooded, too
        assert mossy.any()
        assert not (mossy & ~touching(flooded)).any()


@says("Rivers")
def _(row: Row, folder: Path) -> None:
    levels = attics(row, folder)
    spans = 0
    for made in levels:
        y, x = (dressed_cells(made, "flue") | dressed_cells(made, "grating")).nonzero()
        assert x.max() < 50
        spans += (x.min(), x.max()) == (1, 49) or (y.min(), y.max()) == (1, 58)
        assert not (dressed_cells(made, "grating") & ~beside(touching(dressed_cells(made, "flue")))).any()
    assert spans == FEW
    assert any(dressed_cells(made, "grating").any() for made in levels)
    assert any("rock" in kinds_of(made, dressed_cells(made, "flue")) for made in levels)


@says("Chasms")
def _(row: Row, folder: Path) -> None:
    levels = attics(row, folder, 50)
    torn = [dressed_cells(made, "flue").sum() for made in levels]
    often(sum(cells > 0 for cells in torn), len(torn), 0.6)
    assert min(cells for cells in torn if cells) >= 6
    assert max(torn) <= 3 * 20 + 6


@says("Patches")
def _(row: Row, folder: Path) -> None:
    moss = gratings = 0
    for made in attics(row, folder):
        laid = dressed_cells(made, "moss") | dressed_cells(made, "grating")
        assert kinds_of(made, laid) == {"room"}
        moss, gratings = (
            moss + dressed_cells(made, "moss").sum(),
            gratings + dressed_cells(made, "grating").sum(),
        )
        (decision,) = [each for each in made.journal if each.stage == "dress"]
        cells, ground = map(int, re.findall(r"(\d+) cell", decision.reason))
        assert cells == round(0.2 * ground)
        assert cells - len(made.exits) - 1 <= laid.sum() <= cells  # stairs may have come since
    assert 0.6 < moss / (moss + gratings) < 0.9


@says("Rubble and cracks")
def _(row: Row, folder: Path) -> None:
    by_walls = anywhere = 0
    for made in attics(row, folder):
        by_wall = touching(made.base <= t.WALL)
        mossy, cracked = dressed_cells(made, "moss"), dressed_cells(made, "grating")
        by_walls, anywhere = by_walls + (mossy & by_wall).sum(), anywhere + mossy.sum()
        assert 4 <= cracked.sum() <= 4 * 9
    assert by_walls > 0.8 * anywhere


@says("Lights of a map")
def _(row: Row, folder: Path) -> None:
    warm = 0
    for made in attics(row, folder):
        places = [(each.y, each.x) for each in made.lights]
        assert all(3 <= each.radius <= 5 for each in made.lights)
        assert min(max(abs(a - c), abs(b - d)) for (a, b), (c, d) in permutations(places, 2)) >= 9
        by_wall = beside(made.base <= t.WALL)
        assert all(by_wall[place] for place in places)
        assert dressed_cells(made, "moss").sum() >= len(places) - len(made.exits) - 1
        warm += sum(each.colour == (0xFF, 0xB0, 0x60) for each in made.lights)
    everywhere = sum(len(made.lights) for made in attics(row, folder))
    often(warm, everywhere, 0.75)


@pytest.mark.parametrize(
    ("legend", "message"),
    [
        (
            "{prop: boiler, unique: true}",
            "this reference says which prop a machine is, and such a reference can't have the key 'unique': 'E'",
        ),
        (
            "{item: oil, roll: {charge: 0.5..1.5}}",
            "a range runs from one whole number to another, as in 2..5: 0.5..1.5",
        ),
        ("{item: oil, chance: 0x1}", "a share from 0% to 100% is needed here: 0x1"),
    ],
)
def test_values_that_are_refused(legend: str, message: str, tmp_path: Path) -> None:
    drawn = 'map: "...", machines: "╔═╗", references: "E"'
    with pytest.raises(dungeon.ContentError) as caught:
        example(tmp_path, example=f"{{{drawn}, legend: {{E: {legend}}}}}")
    (problem,) = caught.value.problems
    assert str(problem).partition("prefab 'example': ")[2].partition(" (allowed")[0] == message


for mistaken in (
    "Ragged rows",
    "Rows stripped by an editor",
    "Undefined character",
    "Misspelt name",
    "Misspelt keyword",
    "Keyword of another kind",
    "Too few cells",
    "Parameter without a case",
    "Two robots in a cell",
    "Machine named twice",
):
    says(mistaken)(mistake)


# -- maps of prefabs ------------------------------------------------------------------------------


def laid(row: Row, folder: Path) -> Iterator[list[str]]:
    """Yield the names of the pieces of an attic, in order, in some worlds."""
    content = row.load(folder, world=ATTIC)
    for seed in range(FEW):
        steps = dungeon.World(content, seed).steps("attic/2")
        messages = [step.message for step in steps if step.phase.value == "layout"]
        yield [each.split()[0] for each in messages if not each.startswith(("a loop", "a room", "walls"))]


@says("Prefabs joined")
def _(row: Row, folder: Path) -> None:
    counts, first = Counter[str](), Counter[str]()
    for pieces in laid(row, folder):
        assert len(pieces) == 14
        assert pieces.count("tool_store") <= 4
        first[pieces[0]] += 1
        counts.update(pieces[1:])
    assert first == {"tool_store": FEW}
    assert 0.4 < counts["auto-room"] / counts.total() < 0.75
    assert counts["tool_shelf"] > 0
    wide = row.text.replace("rooms: 14", "rooms: 400, area: 30%, loops: 0%")
    for made in attics(row, folder, maps__example=wide):
        assert 0.27 < made.terrain_set.open[made.terrain].mean() < 0.4


@says("Placements of the layout")
def _(row: Row, folder: Path) -> None:
    starts = []
    for made in attics(row, folder):
        placed = [each for each in made.placements if each.mode == "layout"]
        assert made.placements == tuple(placed)
        assert {each.prefab for each in placed} <= {"tool_store", "tool_shelf"}
        for number, each in enumerate(placed):
            inside = {(spawn.y, spawn.x) for spawn in made.spawns if spawn.placement == number}
            assert inside
            assert all(each.bounds.contains(*cell) for cell in inside)
            assert made.regions[each.region - 1].kind == "prefab"
        starts.append("tool_shelf" in {each.prefab for each in placed})
        assert any(each.text.startswith("part of the layout") for each in legend(made, "features"))
    often(sum(starts), len(starts), 1 / 2)


@says("Connectors on the map")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder, prefabs__other='other: {map: "*..", legend: {"*": pillar}}\n')
    drawing = content.prefabs["example"].drawing
    assert {(link.y, link.x) for link in drawing.links} == {(0, 2), (1, 4), (2, 0), (3, 2)}
    assert all(drawing.terrain[link.y, link.x] == t.WALL for link in drawing.links)
    mouths = openings(drawing, content.terrain_set).mouths
    assert {(each.y, each.x, each.dy, each.dx) for each in mouths} == {
        (-1, 2, -1, 0),
        (1, 5, 0, 1),
        (2, -1, 0, -1),
        (4, 2, 1, 0),
    }
    assert content.prefabs["other"].drawing.links == ()


@says("Auto-rooms")
def _(row: Row, folder: Path) -> None:
    full = part = 0
    for made in attics(row, folder):
        for region in made.regions:
            if region.kind == "room":
                assert (
                    4 <= min(region.bounds[2:]) <= max(region.bounds[2:]) <= 9
                )  # one with a niche has one more
                cells = int((made.region == region.id).sum())
                full += cells == region.bounds.area
                part += cells < region.bounds.area
        assert not kinds(made, "prefab")
    assert part > full > FEW


@says("Hallways")
def _(row: Row, folder: Path) -> None:
    doors, lengths = Counter[int](), Counter[int]()
    for made in attics(row, folder):
        doors.update(door.kind for door in made.connections)
        hallways = kinds(made, "corridor")
        lengths.update(max(rect[2:]) for rect in hallways)
        lengths[0] += len(kinds(made, "room")) - 1 - len(hallways)
    assert doors.keys() == {t.DOOR, t.SECRET_DOOR, t.FLOOR}
    assert lengths.keys() == {0, 1, 2, 3, 4}
    assert min(lengths.values()) > FEW / 2


@says("Turned maps")
def _(row: Row, folder: Path) -> None:
    sizes = Counter((made.height, made.width) for made in attics(row, folder))
    assert sizes.keys() == {(6 + 4, 9 + 4), (9 + 4, 6 + 4)}
    drawn = attics(row, folder / "drawn", maps__example=row.text.replace(", turn: true", ""))
    assert {(made.height, made.width) for made in drawn} == {(6 + 4, 9 + 4)}


@says("Alternatives")
def _(row: Row, folder: Path) -> None:
    heights = {}
    for number, words in enumerate(("houses", "{court: 3, lane: rare}", "[lane]")):
        maps = f"attic: {{name: Attic, layout: {{static: {{prefab: {words}}}}}}}\n"
        made = attics(row, folder / str(number), 40, maps__attic=maps)
        heights[words] = [each.height for each in made]
        assert set(heights[words]) <= {3, 5}
    often(heights["houses"].count(5), 40, 1 / 2)
    often(heights["{court: 3, lane: rare}"].count(5), 40, 3 / 4)
    assert set(heights["[lane]"]) == {3}


@says("Barren stretches")
def _(row: Row, folder: Path) -> None:
    def earth(text: str, where: Path) -> float:
        return float(np.mean([made.base == t.EARTH for made in attics(row, where, 6, maps__example=text)]))

    assert earth(row.text, folder / "barren") > 0.15 + earth(row.text.replace("40%", "0%"), folder / "full")


@says("Loops of hallways")
def _(row: Row, folder: Path) -> None:
    def ways(text: str) -> int:
        return sum(len(kinds(made, "corridor")) for made in attics(row, folder, maps__example=text))

    none, some, most = (
        ways(row.text.replace("loops: 80%", f"loops: {each}")) for each in ("0%", "80%", "100%")
    )
    assert none < some < most
    assert ways(row.text.replace("saves: 30", "saves: 200")) < some


@says("Typed connectors")
def _(row: Row, folder: Path) -> None:
    """Bars with a `*` at one end, where their floor is 1, and a 2 at the other."""
    bar = 'bar: {map: "#########\\n#1.....2#\\n#########", links: "         \\n*       2\\n         "}\n'
    bars = row.text.replace("tool_shelf: 1", "bar: 1").replace(
        "typed: true", "typed: {}, auto: 0%, hallway: 1..3"
    )
    mixed = Counter[str]()
    for typed in ("true", "false"):
        for made in attics(row, folder, maps__example=bars.replace("{}", typed), prefabs__bar=bar):
            for region in made.regions:
                if region.kind == "corridor":
                    beyond = [made.connections[number] for number in region.connections]
                    floors = {code for door in beyond for code in floors_at(made, door)}
                    assert len(beyond) == 2
                    mixed[typed] += len(floors) == 2
    assert mixed["true"] == 0
    assert mixed["false"] > FEW


def floors_at(made: dungeon.Level, door: dungeon.Connection) -> list[int]:
    """Return which of the floors 1 and 2 are beside a door."""
    sides = ((-1, 0), (1, 0), (0, -1), (0, 1))
    codes = [int(made.terrain[door.y + dy, door.x + dx]) for dy, dx in sides]
    return [code for code in codes if code in (t.FLOOR_0 + 1, t.FLOOR_0 + 2)]


@says("Overlays")
def _(row: Row, folder: Path) -> None:
    assert sum(len(kinds(made, "zone")) for made in attics(row, folder)) > 3 * FEW


# -- placing --------------------------------------------------------------------------------------

HALL = """
    ###############
    #.............#
    #.............#
    #.............#
    #.............#
    #.............#
    #.............#
    #.............#
    #.............#
    #######+#######
    #,,,,,,,,,,,,,#
    ###############
    """
CAVE = """
    #########################
    #########################
    #########################
    #########################
    #########################
    #########################
    ######:::::::::::::######
    ####:::::::::::::::::####
    ###:::::::::::::::::::###
    ###:::::::::::::::::::###
    ####::::::::::::::::#####
    #########################
    """


def placed(row: Row, folder: Path, text: str) -> tuple[PlacedRequest, Canvas]:
    """Place the encounter of a row on a drawn map."""
    return placed_in(row.load(folder), text)


def placed_in(content: Content, text: str, seed: int = 0) -> tuple[PlacedRequest, Canvas]:
    """Place the only encounter of some content on a drawn map."""
    ((name, encounter),) = content.encounters.items()
    made = settled(canvas(text))
    made.terrain_set = content.terrain_set
    mode = PLACINGS[encounter.placing.name]
    request = PlacingRequest(
        name=("place", name, 1),
        mode=mode,
        params=content.placings[name],
        prefabs=content.choices[name],
        access=encounter.access or mode.access,
        weights=content.preferences[name],
    )
    found = attempt(made, Sites.of(made), request, Streams(seed))
    assert isinstance(found, PlacedRequest), found
    return found, made


@says("Enclosed")
def _(row: Row, folder: Path) -> None:
    found, made = placed(row, folder, HALL)
    assert found.drawing is not None
    assert found.drawing.orientation.turns == 0
    assert found.bounds.bottom == 9
    assert not made.open[1].any()


@says("Weights by depth")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    found = [content.weights_on("bench", depth)["stores"] for depth in (0, 1, 2, 3, 4, 5, 6)]
    assert found == [1, 1, 1.75, 2.5, 3.25, 4, 4]
    stepped = row.text.replace("common}", "common}, stepped: true")
    content = row.load(folder, encounters__example=stepped)
    assert [content.weights_on("bench", depth)["stores"] for depth in (0, 1, 4, 5, 6)] == [1, 1, 1, 4, 4]
    assert content.weights_on("cellar", 7)["stores"] == 3


@says("Prefabs by weight")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    names = [placed_in(content, HALL, seed)[0].drawing for seed in range(120)]
    likely([each and each.name for each in names], {"tool_store": 3 / 4, "tool_shelf": 1 / 4})


@says("Surplus")
def _(row: Row, folder: Path) -> None:
    _, made = placed(row, folder, HALL)
    assert made.open[1, 1:14].all()


@says("Doors opened or widened")
def _(row: Row, folder: Path) -> None:
    content, seen = row.load(folder), set()
    for seed in range(40):
        _, made = placed_in(content, HALL, seed)
        seen.add(tuple(door.kind for door in made.connections))
    assert seen == {(t.DOORWAY,), (t.DOOR,) * 2, (t.DOOR,) * 3}


@says("Cubby")
def _(row: Row, folder: Path) -> None:
    found, made = placed(row, folder, HALL)
    assert made.connections == []
    assert made.open[9].sum() == made.open[9, found.bounds.x : found.bounds.right].sum() == 9


@says("Accessible")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    assert PLACINGS[content.encounters["stores"].placing.name].access[1] >= 1000
    found, made = placed(row, folder, HALL)
    assert found.spots == 8 * 13
    assert len(made.connections) == 1


BENCH = "bench: {name: Bench, size: 60x40, encounters: 6}\n"


def met(row: Row, folder: Path, worlds: int = 7, **changed: str) -> list[dict[str, Counter[str]]]:
    """Return, of some worlds, what encounters each level has."""
    content = row.load(folder, **({"maps__bench": BENCH} | changed))
    made = [dungeon.World(content, seed) for seed in range(worlds)]
    return [
        {node.id: Counter(each.encounter for each in world.level(node.id).placements) for node in world.maps}
        for world in made
    ]


BRANCHES = {
    "maps__others": "cellar: {name: Cellar, size: 60x40, encounters: 6}\nmines: {name: Mines}\n",
    "world": "start: bench/1\nleads_to: {bench/1: [bench/2], bench/2: [cellar/3, bench/3]}\n",
}


@says("Limits")
def _(row: Row, folder: Path) -> None:
    worlds = [
        {place: count["stores"] for place, count in world.items()}
        for world in met(row, folder, 30, **BRANCHES)
    ]
    assert {sum(world.values()) for world in worlds} == {2, 3, 4, 5}
    assert max(max(world.values()) for world in worlds) <= 3
    benches = [sum(count for place, count in world.items() if "bench" in place) for world in worlds]
    assert max(benches) == 4


@says("Minimum copies")
def _(row: Row, folder: Path) -> None:
    for world in met(row, folder):
        assert world["bench/2"]["stores"] >= 2
        assert world["bench/2"]["pile"]
    without = row.text.replace(", least: {map: 2}", "")
    rare = met(row, folder, encounters__example=without)
    assert sum(world["bench/2"]["stores"] for world in rare) < 12
    of_world = row.text.replace("{map: 2}", "{world: 2}").replace("bench: 1}", "bench: 1, cellar: 1}")
    for world in met(row, folder, encounters__example=of_world, **BRANCHES):
        assert sum(count["stores"] for count in world.values()) >= 2


@says("Groups")
def _(row: Row, folder: Path) -> None:
    seen = {tuple(sorted(world["bench/2"])) for world in met(row, folder)}
    assert seen == {("stores",), ("pile",)}
    both = row.text.replace("{bench: 1}", "{bench: 1, cellar: 3}")
    both = both.replace("[goods, heaps]", "{world: goods}").replace("group: goods", "group: {world: goods}")
    seen = {
        tuple({each for count in world.values() for each in count})
        for world in met(row, folder / "world", 12, encounters__example=both, **BRANCHES)
    }
    assert seen == {("stores",), ("pile",)}
    of_branch = both.replace("world:", "branch:")
    worlds = met(row, folder / "branch", encounters__example=of_branch, **BRANCHES)
    for world in worlds:
        benches = {each for place, count in world.items() if "bench" in place for each in count}
        assert len(benches) == len(world["cellar/3"]) == 1
    assert any(len({each for count in world.values() for each in count}) == 2 for world in worlds)


@says("Variants of an encounter")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder, maps__bench=BENCH)
    levels = [dungeon.World(content, seed).level("bench/2") for seed in range(40)]
    (seen,) = zip(*(made.placements for made in levels), strict=True)  # one store each
    assert {each.encounter for each in seen} == {"store"}
    names = [each.variant for each in seen]
    often(names.count("quiet"), len(names), 0.75)
    for made, name in zip(levels, names, strict=True):
        guards = [each.tag for each in made.spawns if each.kind == "robot"]
        assert guards == ["watchman", "watchman"] * (name == "held")
    narrow = row.text.replace("quiet: {weight: 3}", "quiet: {weight: 3, access: 99}")
    held = row.load(folder, maps__bench=BENCH, encounters__example=narrow)
    levels = [dungeon.World(held, seed).level("bench/2") for seed in range(10)]
    assert {each.variant for made in levels for each in made.placements} == {"held"}


@says("Requires another")
def _(row: Row, folder: Path) -> None:
    for world in met(row, folder):
        assert [*world["bench/2"]][:2] == ["stores", "guard"]  # in the order in which they came
    alone = row.text.replace("bench: 1}", "cellar: 1}")
    assert all(not world["bench/2"] for world in met(row, folder, encounters__example=alone))


@says("Conflicts")
def _(row: Row, folder: Path) -> None:
    assert {tuple(world["bench/2"]) for world in met(row, folder)} == {("stores",), ("pile",)}


def between(made: Level, one: Rect, other: Rect) -> int:
    """Return how many steps there are between two rectangles, of which the cells themselves need not be walked on."""
    walks = made.terrain_set.passable[made.terrain]
    walks[one.slices] = True
    cells = [(y, x) for y in range(one.y, one.bottom) for x in range(one.x, one.right)]
    around = other.grown()
    steps = distances(walks, cells)[around.slices]
    steps[0, [0, -1]] = steps[-1, [0, -1]] = FAR  # a step leads in from the sides, not from the corners
    return min(int(steps[walks[around.slices]].min(initial=FAR - 1)) + 1, FAR)


@says("Far from")
def _(row: Row, folder: Path) -> None:
    hall = "post: {category: danger, maps: {bench: 1}, prefabs: tool_shelf, placing: accessible}\n"
    content = row.load(folder, maps__bench=BENCH, encounters__posts=hall)
    found: Counter[str] = Counter()
    for seed in range(12):
        made = dungeon.World(content, seed).level("bench/2")
        stores = [each for each in made.placements if each.encounter == "stores"]
        for each in stores:
            assert between(made, each.bounds, Rect(*made.entrance, 1, 1)) >= 20
            assert all(between(made, each.bounds, Rect(way.y, way.x, 1, 1)) >= 8 for way in made.exits)
            for other in made.placements:
                least = 12 if other.encounter == "stores" else 10
                assert other is each or between(made, each.bounds, other.bounds) >= least
                found[other.encounter] += 1
    assert min(found["stores"], found["post"]) > 12
    wrong = row.text.replace("danger: 10", "dangers: 10")
    with pytest.raises(
        dungeon.ContentError, match=r"no encounter or group of this name: dangers .*mean danger"
    ):
        row.load(folder / "wrong", encounters__example=wrong)


@says("Near to")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder, maps__bench=BENCH)
    guards = 0
    for seed in range(6):
        made = dungeon.World(content, seed).level("bench/2")
        stores = [each.bounds for each in made.placements if each.encounter == "stores"]
        for each in made.placements:
            if each.encounter == "guard":
                guards += 1
                assert min(between(made, each.bounds, other) for other in stores) <= 12
    assert guards > 6
    waiting = row.text.replace(", requires: stores", "").replace("{bench: 1}", "{bench: 0.001}")
    for seed in range(6):
        content = row.load(folder / "waiting", maps__bench=BENCH, encounters__example=waiting)
        names = [each.encounter for each in dungeon.World(content, seed).level("bench/2").placements]
        assert names[0] == "stores"
    alone = waiting.replace("0.001", "0")
    refused = [
        decision.reason
        for seed in range(6)
        for decision in dungeon.World(
            row.load(folder / "alone", maps__bench=BENCH, encounters__example=alone), seed
        )
        .level("bench/2")
        .journal
        if (decision.subject, decision.verdict) == ("guard", "refused")
    ]
    assert refused == ["it must be near stores, which is not on the map"] * 6


@says("Guaranteed")
def _(row: Row, folder: Path) -> None:
    none = BENCH.replace("encounters: 6", "encounters: 0")
    assert all(world["bench/2"] == {"stores": 1} for world in met(row, folder, maps__bench=none))
    content = row.load(folder, maps__bench=BENCH.replace("60x40", "9x9"))
    with pytest.raises(
        dungeon.GenerationError, match=r"stores is guaranteed, and can't be placed: (?!stores)"
    ):
        dungeon.World(content, 1).level("bench/2")


@says("Fallback encounter")
def _(row: Row, folder: Path) -> None:
    assert all(set(world["bench/2"]) == {"pile"} for world in met(row, folder))
    circle = row.text.replace("tool_shelf}", "tool_shelf, fallback: hoard}")
    with pytest.raises(dungeon.ContentError, match="is its own fallback: hoard -> pile -> hoard"):
        row.load(folder, encounters__example=circle)


@says("Mix of categories")
def _(row: Row, folder: Path) -> None:
    kinds = ("danger", "reward", "fluff", "risk")
    entry = "{{category: {0}, maps: {{bench: 1}}, prefabs: tool_shelf, placing: accessible}}\n"
    said = "".join(f"{kind}_one: {entry.format(kind)}" for kind in kinds)
    found = [world["bench/2"] for world in met(row, folder, 20, encounters__kinds=said, maps__bench="{}\n")]
    assert {each.total() for each in found} == {6}
    assert {each["danger_one"] for each in found} == {1, 2}
    assert min(each["reward_one"] for each in found) == 2
    assert not any(each["fluff_one"] for each in found)
    assert max(each["risk_one"] for each in found) == 3


@says("New categories")
def _(row: Row, folder: Path) -> None:
    entry = "{{category: {0}, maps: {{bench: 1}}, prefabs: tool_shelf, placing: accessible}}\n"
    said = "".join(f"{kind}_one: {entry.format(kind)}" for kind in ("danger", "lore", "omen"))
    bench = "bench: {name: Bench, size: 60x40, encounters: 6, mix: {lore: 2, omen: 1..}}"
    content = row.load(folder, encounters__kinds=said, maps__bench=bench)
    omen = content.categories["omen"].colour
    assert content.categories["lore"].colour == (8, 0x60, 0x68) != omen
    for seed in range(10):
        level = dungeon.World(content, seed=seed).level("bench/2")
        found = Counter(each.category for each in level.placements)
        assert found["lore"] == 2
        assert found["omen"] >= 1
        tints = {each.category: each.tint for each in level.placements}
        assert tints.items() <= {"lore": (8, 0x60, 0x68), "omen": omen, "danger": None}.items()
        assert dungeon.prove(level) == []
        assert dungeon.from_json(dungeon.to_json(level)) == level


@says("Budget")
def _(row: Row, folder: Path) -> None:
    robots = "imp: {name: imp, glyph: i, threat: 4}\n"
    gems = "gem: {name: gem, glyph: '*', worth: 5}\n"
    den = "den: {map: i1, legend: {i: {robot: imp}, 1: {item: gem}}}\n"
    dens = "dens: {category: danger, maps: {bench: 1}, prefabs: den, placing: accessible}\n"
    files = {
        "objects__robots": shown_files()["objects/robots.yaml"] + robots,
        "objects__items": shown_files()["objects/items.yaml"] + gems,
        "prefabs__den": den,
        "encounters__dens": dens,
        "maps__bench": "{}\n",
        "world": "start: bench/1\nleads_to: {bench/1: [bench/3, cellar/2, mines/2], bench/3: [bench/5]}\n",
    }
    for world in met(row, folder, **files):
        # Of threat 2, 16 and 30 of them 0, 4 and 7 could come; of worth 12 only two.
        assert [world[f"bench/{depth}"]["dens"] for depth in (1, 3, 5)] == [0, 2, 2]
    files["maps__example"] = row.text.replace(", worth: 12", "")
    for world in met(row, folder / "rich", **files):
        assert [world[f"bench/{depth}"]["dens"] for depth in (1, 3, 5)] == [0, 4, 6]


@says("Nothing")
def _(row: Row, folder: Path) -> None:
    stores = "stores: {category: reward, maps: {bench: 1}, prefabs: tool_shelf, placing: accessible}\n"
    content = row.load(folder, encounters__example=stores, maps__bench="{}\n")
    levels = [dungeon.World(content, seed).level("bench/2") for seed in range(30)]
    often(sum(len(each.placements) for each in levels), 8 * len(levels), 1 / 4)
    assert any("a turn without an encounter" in each.reason for each in levels[0].journal)


@says("Centered")
def _(row: Row, folder: Path) -> None:
    content, spaces = row.load(folder), set()
    for seed in range(30):
        found, made = placed_in(content, CAVE, seed)
        around = [space for space in (1, 2) if made.open[_ring(found.bounds, space)].all()]
        spaces.add(len(around))
        assert max(abs(found.bounds.y + found.bounds.height // 2 - 8), 0) <= 3
    assert spaces == {1, 2}


@says("Centered, of any shape")
def _(row: Row, folder: Path) -> None:
    centered = "round: {category: fluff, maps: {bench: 1}, prefabs: example, placing: {centered: {drift: 9, buffer: 1}}}"
    maps = "bench: {name: Bench, encounters: 1, layout: caves, size: 80x40}\n"
    content = row.load(folder, encounters__round=centered, maps__bench=maps)
    assert not [each for each in dungeon.examine_content(folder).problems if "placed" in each.message]
    made = dungeon.World(content, seed=1).level("bench/2")
    (placement,) = made.placements
    assert placement.mode == "centered"
    shape = mask("""
        ..#####..
        ###...###
        #.......#
        ###...###
        ..#####..
        """)
    around = made.terrain_set.open[made.terrain[placement.bounds.grown().slices]]
    assert around[shape].all()


def _ring(rect: Rect, space: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the cells that lie so many cells around a rectangle."""
    cells = [cell for cell in rect.grown(space).cells() if not rect.grown(space - 1).contains(*cell)]
    return np.array([y for y, _ in cells]), np.array([x for _, x in cells])


@says("Embedded")
def _(row: Row, folder: Path) -> None:
    found, made = placed(row, folder, CAVE)
    y, x = found.bounds.bottom - 1, found.bounds.x
    assert made.region[y, x] == found.region
    assert found.bounds.y < 6


@says("Protrusion")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder, prefabs__other='other: {map: "..."}')
    assert [content.prefabs[name].max_protrusion for name in ("example", "other")] == [1, 2]


@says("Free content")
def _(row: Row, folder: Path) -> None:
    maps = "bench: {name: Bench, encounters: 1, size: 40x30}\n"
    content = row.load(folder, maps__bench=maps)
    for seed in range(20):
        made = dungeon.World(content, seed=seed).level("bench/2")
        (placement,) = made.placements
        assert (placement.prefab, placement.mode) == ("", "free")
        tags = [spawn.tag for spawn in made.spawns]
        assert tags.count("oil") == 1
        assert 4 <= len(tags) - 1 <= 9
        for spawn in made.spawns:
            assert spawn.placement == 0
            assert made.region[spawn.y, spawn.x] == placement.region


@says("Population kept out")
def _(row: Row, folder: Path) -> None:
    assert row.load(folder).encounters["stores"].spawns is False


@says("Annexes")
def _(row: Row, folder: Path) -> None:
    hall = "halls: {category: fluff, maps: {attic: 1}, prefabs: hall}\n"
    wide = "\n".join(["    ........"] * 5)
    told = {}
    for said in ("false", "true"):
        made = attics(
            row,
            folder / said,
            worlds=6,
            encounters__halls=hall,
            prefabs__hall=f"hall:\n  map: |\n{wide}\n",
            maps__example=row.text.replace("false", said),
        )
        told[said] = [len(each.placements) for each in made]
    assert told == {"false": [0] * 6, "true": [3] * 6}


# -- worlds ---------------------------------------------------------------------------------------


def leading(content: Content, seed: int = 0) -> dict[str, list[str]]:
    """Return where each map of a world leads."""
    return {node.id: list(node.leads_to) for node in dungeon.World(content, seed).maps}


@says("Branch")
def _(row: Row, folder: Path) -> None:
    assert leading(row.load(folder)) == {
        "bench/2": ["mines/3"],
        "mines/3": ["mines/4"],
        "mines/4": ["mines/5"],
        "mines/5": ["mines/6"],
        "mines/6": [],
    }
    several = Row(
        row.feature, row.where, (row.lines[0].replace("3..6", "[3, 5..6]"), row.lines[1]), row.effect
    )
    with pytest.raises(
        dungeon.ContentError, match="no exits lead from the start of the world to mines/5, mines/6"
    ):
        several.load(folder / "several")


@says("Other starts")
def _(row: Row, folder: Path) -> None:
    world = dungeon.World(row.load(folder))
    assert (world.start.id, world.starts["school"].id) == ("bench/2", "mines/3")
    assert leading(world.content) == {"bench/2": ["mines/4"], "mines/3": ["mines/4"], "mines/4": []}


@says("Rules for some maps")
def _(row: Row, folder: Path) -> None:
    found = leading(row.load(folder))
    assert {each: found[each] for each in found if each.startswith("mines")} == {
        "mines/3": ["mines/4"],
        "mines/4": ["mines/5", "cellar/5"],
        "mines/5": ["mines/6", "cellar/6"],
        "mines/6": [],
    }


@says("Optional branch")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    found = [leading(content, seed) for seed in range(ROLLS)]
    assert all(("mines/3" in each) == ("mines/4" in each) == ("mines/3" in each["bench/2"]) for each in found)
    often(sum("mines/3" in each for each in found), ROLLS, 0.5)


@says("One branch of several")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    likely(
        (tuple(leading(content, seed)["bench/2"]) for seed in range(ROLLS)),
        {("mines/3",): 0.5, ("cellar/3",): 0.5},
    )


@says("Entered from one of several")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    mouths = [
        [each for each, to in leading(content, seed).items() if "cellar/5" in to] for seed in range(ROLLS)
    ]
    likely(map(tuple, mouths), {(f"mines/{depth}",): 1 / 3 for depth in (3, 4, 5)})


@says("Types of map")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder)
    names = [{node.id: node.name for node in dungeon.World(content, seed).maps} for seed in range(ROLLS)]
    assert {each["deep/3"] for each in names} == {"mines"}
    often(sum(each["deep/6"] == "cellar" for each in names), ROLLS, 4 / 7)


@says("Factors of the world")
def _(row: Row, folder: Path) -> None:
    stores = "stores: {category: danger, prefabs: tool_store, maps: {attic: 2}}\n"
    attic = "attic: {name: Attic, size: 60x40, population: [{prop: crate, count: 9}]}\n"
    world = f"{ATTIC}{row.text}"
    counts: Counter[int] = Counter()
    for made in attics(row, folder, world=world, maps__attic=attic, encounters__stores=stores):
        counts[sum(each.tag == "crate" for each in made.spawns)] += 1
    assert set(counts) == {4, 5}
    content = dungeon.load_content(folder)
    assert content.weights_on("attic", 2) == {"stores": 3}
    assert [content.weight_factor("reward", depth) for depth in (1, 6)] == [2, 0.5]


@says("Difficulties")
def _(row: Row, folder: Path) -> None:
    stores = "stores: {category: danger, prefabs: tool_store, maps: {attic: 2}}\n"
    attic = "attic: {name: Attic, size: 60x40, population: [{prop: crate, count: 10}]}\n"
    attics(row, folder, 1, world=f"{ATTIC}{row.text}", maps__attic=attic, encounters__stores=stores)
    content = dungeon.load_content(folder)
    for name, crates, weights in ((None, 5, {"stores": 2}), ("hard", 15, {"stores": 4}), ("calm", 5, {})):
        world = dungeon.World(content, difficulty=name)
        spawns = world.level("attic/2").spawns
        assert sum(each.tag == "crate" for each in spawns) == crates
        assert world.content.weights_on("attic", 2) == weights


STORES = "stores: {category: danger, prefabs: tool_store, maps: {bench: 2}}\n"
IRON = "iron: {name: iron, opened_by: {item: brass_key}}\n"


def sizes(row: Row, folder: Path, *asked: tuple[str, str, str]) -> list[float | None]:
    """Return the accepted size of findings (kind, thing, map) with the row's ``accepted.yaml``; None for those that are not accepted."""
    accepted = row.load(folder, maps__bench=BENCH, encounters__stores=STORES, locks=IRON).accepted
    found = [accepted.acceptance(*each) for each in asked]
    return [each.most if each else None for each in found]


@says("Accepted findings")
def _(row: Row, folder: Path) -> None:
    asked = [("missed", "stores", "bench/2"), ("missed", "stores", "bench/3"), ("deadlier", "stores", "")]
    assert sizes(row, folder, *asked) == [0.6, None, 3]


@says("Accepted objects")
def _(row: Row, folder: Path) -> None:
    asked = [("beyond", "oil", "bench/2"), ("harmful", "warden", ""), ("harmful", "porter", "")]
    assert sizes(row, folder, *asked) == [0.4, 3, None]


@says("Accepted prefabs and locks")
def _(row: Row, folder: Path) -> None:
    asked = [("unused", "tool_store", ""), ("farther", "iron", "bench/2"), ("far", "brass", "bench/2")]
    assert sizes(row, folder, *asked) == [0.95, 2, None]


@says("Accepted maps")
def _(row: Row, folder: Path) -> None:
    asked = [("alike", "encounters", "bench/2"), ("scarce", "charge", "bench/2"), ("stuck", "", "bench/1")]
    assert sizes(row, folder, *asked) == [0.9, 0.9, None]


@says("Tower")
def _(row: Row, folder: Path) -> None:
    world = dungeon.World(row.load(folder))
    upper, lower = world.level("bench/2"), world.level("mines/3")
    assert [(way.y, way.x, way.leads_to) for way in lower.ways_back] == [
        (*way.arrives, "bench/2") for way in upper.exits if way.arrives
    ]
    assert len(upper.exits) == len(lower.ways_back) == 2
    assert all((way.y, way.x) == way.arrives for way in upper.exits)
    (turret,), (vault,) = upper.placements, lower.placements
    assert (turret.prefab, vault.prefab, vault.orientation) == ("turret", "vault", turret.orientation)


@says("Place of a tower")
def _(row: Row, folder: Path) -> None:
    content, places = row.load(folder), []
    for seed in range(ROLLS):
        there = [dungeon.World(content, seed).floors(each) for each in ("bench/2", "mines/3")]
        assert len(there[0]) == len(there[1])
        places += there[0]
    often(len(places), ROLLS, 0.5)
    assert {(each.cell.y + each.drawing.height, each.cell.x) for each in places} == {(60 - 11, 9)}


@says("No way back")
def _(row: Row, folder: Path) -> None:
    world = dungeon.World(row.load(folder))
    up = {each: bool((world.level(each).base == t.STAIRS_UP).any()) for each in ("mines/3", "cellar/3")}
    assert up == {"mines/3": False, "cellar/3": True}


@says("Size by depth")
def _(row: Row, folder: Path) -> None:
    deeper = "start: bench/2\nleads_to: {bench/2: [attic/3, attic/4, attic/6, attic/7]}\n"
    world = dungeon.World(row.load(folder, world=deeper))
    sizes = {each: world.level(each).terrain.shape for each in ("attic/4", "attic/6", "attic/7")}
    assert sizes == {"attic/4": (50, 80), "attic/6": (60, 100), "attic/7": (60, 100)}
    assert [[*each.wanted] for each in world.odds("attic").maps] == [
        [1],
        [1],
        [5, 6, 7, 8, 9],
        [5, 6, 7, 8, 9],
    ]


@says("Once in a world")
def _(row: Row, folder: Path) -> None:
    content = row.load(folder, world="start: bench/2\nleads_to: {bench/2: [mines/3, cellar/3]}\n")
    where = Counter[str]()
    for seed in range(12):
        world = dungeon.World(content, seed)
        levels = [world.level(node.id) for node in world.maps]
        where.update(each.id for each in levels for one in each.placements if one.encounter == "stores")
    assert where.keys() == {"mines/3", "cellar/3"}
    assert where.total() == 12


# -- completeness ---------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.feature)
def test_editors_accept_the_examples(row: Row) -> None:
    if row.where == "prefab":
        underlined = faults("prefabs", row.files()["prefabs/example.yaml"])
    elif row.where == "world.yaml":
        underlined = faults("world", row.files()["world.yaml"])
    else:
        place = ENTRIES[row.where][0] if row.where in ENTRIES else row.where.removeprefix("mod ")
        underlined = faults(Path(place).stem, row.text)
    assert underlined == MARKED.get(row.feature, [])


MARKED = {
    "Misspelt keyword": ["example/legend/C"],
}
"""Mistakes that schemas know, and where; the others need names or the drawing."""


def said(model: type[BaseModel], data: object) -> Iterator[tuple[type[BaseModel], str]]:
    """Yield every keyword that an entry uses, with its model."""
    assert isinstance(data, dict)
    for key, what in data.items():
        if model is LegendEntry and key != "extends":
            yield from said(SymbolEntry, what) if isinstance(what, dict) else ()
            continue
        yield model, key
        if (model is SymbolEntry and key == "cases") or (model is PrefabEntry and key == "legend"):
            for symbol in what.values():
                yield from said(SymbolEntry, symbol) if isinstance(symbol, dict) else ()
        elif model is PrefabEntry and key == "palette":
            yield from said(PaletteEntry, what)
        elif model is PrefabEntry and key == "vary":
            for step in what:
                (kind,) = STEPS.keys() & step.keys()
                yield from said(STEPS[kind], step)


def said_of_features(entry: object) -> Iterator[tuple[type[BaseModel], str]]:
    """Yield every keyword of the features of a map, with its model."""
    assert isinstance(entry, dict)
    variants = entry.get("variants", {}).values()
    for variant in variants:
        yield from said(VariantEntry, variant)
    for features in [entry.get("features", []), *(variant.get("features", []) for variant in variants)]:
        for feature in features:
            yield from said(FeatureEntry, feature)
    for each in entry.get("dressing", []):
        (kind,) = PASSES.keys() & each.keys()
        yield from said(PASSES[kind], each)


def said_in(row: Row) -> Iterator[tuple[type[BaseModel], str]]:
    """Yield every keyword that a row uses, with the model of its entry."""
    if row.where == "prefab":
        yield from said(PrefabEntry, row.data)
    elif row.where == "palette.yaml":
        yield from said(PaletteEntry, row.data)
    elif ENTRIES.get(row.where, (row.where,))[0] == "maps/":
        for entry in row.data.values():
            yield from said_of_features(entry)
    else:
        models = {"prefabs/": PrefabEntry, "legends/": LegendEntry, "palettes/": PaletteEntry}
        model = ThingEntry if row.where.startswith("objects/") else models.get(row.where)
        for entry in row.data.values() if model else ():
            assert model is not None
            yield from said(model, entry)


def test_every_keyword_of_the_language_is_in_an_example() -> None:
    used = {pair for row in ROWS_OF_CONTENT for pair in said_in(row)}
    models = (SymbolEntry, PrefabEntry, ThingEntry, PaletteEntry, FeatureEntry, VariantEntry, *STEPS.values())
    shared = {key for model, key in used if issubclass(model, PassEntry)}
    for model in (*models, *PASSES.values()):
        keywords = {field.alias or name for name, field in model.model_fields.items()}
        if issubclass(model, PassEntry):
            keywords -= shared  # one example of what several passes have says enough
        assert sorted(keywords - {key for each, key in used if each is model}) == [], model.__name__
    assert ObjectEntry.model_fields.keys() < SymbolEntry.model_fields.keys()
    assert (LegendEntry, "extends") in used
    assert set(SPAWN_KINDS) < {key for _, key in used}
