"""Drawings: the same room drawn as text and in REXPaint, with one layer or four."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from content_files import write_content
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dungeon
from dungeon import ContentError, Problem, Source, XpLayer
from dungeon import terrain as t
from dungeon.content.catalog.symbols import SymbolEntry
from dungeon.content.drawing.meaning import (
    DEFAULT_GLYPHS,
    CharacterMeanings,
    Variation,
)
from dungeon.content.drawing.planes import (
    MAX_CHARACTERS,
    MAX_MARKS,
    DrawingPlane,
)
from dungeon.content.drawing.read_drawing import (
    LINK_MARKS,
    MACHINE_COLOUR,
    MAX_UNKNOWN,
    Readout,
    read_drawing,
)
from dungeon.content.drawing.rexpaint import TRANSPARENT
from dungeon.content.prefab.drawing import Link, Machine, Reference

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dungeon.extend import Drawing

CODES = {kind.name: code for code, kind in enumerate(t.BUILT_IN_KINDS)} | {"grass": 23, "water": 24}

CRATE = SymbolEntry(prop="crate")  # type: ignore[arg-type]
ROBOT = SymbolEntry(robot="sweeper")  # type: ignore[arg-type]
PLAIN = CharacterMeanings(
    legend={
        "C": CRATE,
        "r": ROBOT,
        "b": SymbolEntry(terrain="grass", item="scrap"),  # type: ignore[arg-type]
        "w": SymbolEntry(terrain="water"),
    },
    glyphs=DEFAULT_GLYPHS,
    colours={},
    nearest=False,
    codes=CODES,
    stops=lambda symbol: symbol.kind == "prop",
)


def reference(y: int, x: int, char: str) -> Reference:
    return Reference(y, x, char, PLAIN.legend[char])


def where(y: int, x: int) -> Source:
    return Source(file="x", line=y + 1, column=x + 1)


def rows_of(drawn: str) -> list[str]:
    """Return the rows of a picture, which stand between two | each."""
    return [line.strip().strip("|") for line in drawn.strip().splitlines()]


def text_planes(*drawn: str) -> list[DrawingPlane]:
    return [DrawingPlane.of_rows(rows_of(each), where) for each in drawn]


def xp_planes(*drawn: str) -> list[DrawingPlane]:
    """Return what the same pictures are in REXPaint, where the layers above the first are mostly transparent."""
    layers = [
        XpLayer.from_rows(rows_of(each), fg=MACHINE_COLOUR, transparent_spaces=number > 0)
        for number, each in enumerate(drawn)
    ]
    return [DrawingPlane.of_layer(layer, where) for layer in layers]


def read_out(planes: Sequence[DrawingPlane], meaning: CharacterMeanings = PLAIN) -> Readout:
    """Return what comes of reading a drawing that does not vary."""
    readout = read_drawing(planes, meaning, Variation(), "x", "prefab 'x'")
    assert not readout.entry_problems
    assert not readout.unused
    assert not readout.template.varies
    return readout


def read(planes: Sequence[DrawingPlane], meaning: CharacterMeanings = PLAIN) -> Drawing:
    readout = read_out(planes, meaning)
    assert readout.problems == []
    return readout.template.fixed


def problems_of(planes: Sequence[DrawingPlane], meaning: CharacterMeanings = PLAIN) -> list[Problem]:
    return read_out(planes, meaning).problems


def said(planes: Sequence[DrawingPlane], meaning: CharacterMeanings = PLAIN) -> list[str]:
    return [str(problem).removeprefix("x:") for problem in problems_of(planes, meaning)]


def shown(drawing: Drawing) -> list[str]:
    """Return the terrain as characters, . for floor and one letter for each other kind."""
    letters = {code: glyph for glyph, name in reversed(DEFAULT_GLYPHS.items()) for code in [CODES[name]]}
    letters |= {t.KEEP: "?", CODES["grass"]: "g", CODES["water"]: "w"}
    return ["".join(letters[code] for code in row) for row in drawing.terrain.tolist()]


def same(one: Drawing, other: Drawing) -> bool:
    return (
        np.array_equal(one.terrain, other.terrain)
        and np.array_equal(one.obstacles, other.obstacles)
        and (one.references, one.links, one.machines) == (other.references, other.links, other.machines)
    )


MAP = """
    |#####|
    |#...#|
    |+...'|
    |#.<.#|
    |#####|
"""
LINKS = """
    |     |
    |     |
    |2   3|
    |     |
    |  1  |
"""
MACHINES = """
    |     |
    | ##  |
    |  #  |
    |     |
    |     |
"""
REFERENCES = """
    |     |
    |   C |
    |   r |
    | b   |
    |     |
"""


# -- the four planes ----------------------------------------------------------------------------


@pytest.mark.parametrize("planes", [text_planes, xp_planes])
def test_one_plane(planes: type) -> None:
    drawing = read(planes("|#C#|\n|.b.|\n|rw?|"))
    assert shown(drawing) == ["#.#", ".g.", ".w?"]
    assert drawing.references == (reference(0, 1, "C"), reference(1, 1, "b"), reference(2, 0, "r"))
    assert all(each.symbol is PLAIN.legend[each.char] for each in drawing.references)
    assert drawing.obstacles.tolist() == [[False, True, False], [False] * 3, [False] * 3]
    assert not drawing.links
    assert not drawing.machines


@pytest.mark.parametrize("planes", [text_planes, xp_planes])
def test_four_planes(planes: type) -> None:
    drawing = read(planes(MAP, LINKS, MACHINES, REFERENCES))
    assert shown(drawing) == ["#####", "#...#", "+...'", "#g<.#", "#####"]
    assert drawing.links == (Link(2, 0, 2, 0, -1), Link(2, 4, 3, 0, 1), Link(4, 2, 1, 1, 0))
    assert drawing.machines == (Machine(((1, 1), (1, 2), (2, 2)), ("#", "#", "#"), (MACHINE_COLOUR,) * 3),)  # type: ignore[arg-type]
    assert drawing.references == (reference(1, 3, "C"), reference(2, 3, "r"), reference(3, 1, "b"))
    assert [tuple(map(int, cell)) for cell in np.argwhere(drawing.obstacles)] == [
        (1, 1),
        (1, 2),
        (1, 3),
        (2, 2),
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_text_and_rexpaint_give_the_same_drawing(count: int) -> None:
    drawn = (MAP, LINKS, MACHINES, REFERENCES)[:count]
    assert same(read(text_planes(*drawn)), read(xp_planes(*drawn)))


def test_empty_planes_are_as_if_they_were_not_there() -> None:
    empty = "|     |\n" * 5
    assert same(read(text_planes(MAP, empty, empty, empty)), read(text_planes(MAP)))
    assert same(read(xp_planes(MAP, empty, empty, empty)), read(text_planes(MAP)))


def test_references_on_the_first_plane_and_on_the_fourth_are_alike() -> None:
    one = read(text_planes("|#C.|\n|r..|"))
    four = read(text_planes("|#..|\n|...|", "|   |\n|   |", "|   |\n|   |", "| C |\n|r  |"))
    assert same(one, four)


def test_a_reference_stands_on_what_the_map_has_there_unless_its_legend_says() -> None:
    drawing = read(text_planes("|w1>|\n|w1>|", "|   |\n|   |", "|   |\n|   |", "|CCC|\n|bbb|"))
    assert shown(drawing) == ["w1>", "ggg"]


# -- meanings -----------------------------------------------------------------------------------


def test_what_characters_mean_by_default() -> None:
    drawn = read(text_planes("|#. +'<>?|"))
    names = ["wall", "floor", "earth", "door", "doorway", "stairs_up", "stairs_down"]
    assert drawn.terrain[0].tolist() == [*(CODES[name] for name in names), t.KEEP]


def test_digits_are_the_floors_of_themes() -> None:
    assert read(text_planes("|0123456789|")).terrain[0].tolist() == [t.FLOOR_0 + digit for digit in range(10)]


def test_the_legend_comes_before_the_palette_and_both_before_the_defaults() -> None:
    meaning = replace(
        PLAIN,
        glyphs={**DEFAULT_GLYPHS, "#": "grass", "?": "grass", "x": "grass"},
        legend={"#": SymbolEntry(terrain="water"), "?": CRATE},
    )
    assert shown(read(text_planes("|#x.|"), meaning)) == ["wg."]
    assert shown(read(text_planes("|?|"), replace(meaning, legend={}))) == ["g"]
    assert shown(read(text_planes("|?|"), meaning)) == ["."]


def coloured(rows: list[str], colours: list[list[tuple[int, int, int]]]) -> DrawingPlane:
    """Return the plane of a REXPaint layer whose cells have these colours, in front and behind alike."""
    layer = XpLayer.from_rows(rows)
    colour = np.array(colours, np.uint8)
    return DrawingPlane.of_layer(XpLayer(glyph=layer.glyph, fg=colour, bg=colour), where)


RED, GREEN, DARK_RED, BLUE = (255, 0, 0), (0, 255, 0), (180, 20, 10), (0, 0, 255)
COLOURS = replace(PLAIN, colours={"#ff0000": "wall", "#00ff00": "grass"})


def test_a_listed_colour_comes_before_the_character_but_not_before_the_legend() -> None:
    plane = coloured(["█. .C", "#..rC"], [[RED, GREEN, RED, BLUE, RED], [BLUE, BLUE, RED, GREEN, BLUE]])
    drawing = read([plane], COLOURS)
    assert shown(drawing) == ["#g#..", "#.#.."]
    assert [(each.y, each.x) for each in drawing.references] == [(0, 4), (1, 3), (1, 4)]


def test_the_colour_of_an_empty_cell_is_the_one_behind_it() -> None:
    layer = XpLayer.from_rows(["█ ."], fg=RED, bg=GREEN)
    assert shown(read([DrawingPlane.of_layer(layer, where)], COLOURS)) == ["#g#"]


def test_the_nearest_colour_counts_only_where_nothing_else_explains_the_cell() -> None:
    plane = coloured(["█#█w"], [[DARK_RED, DARK_RED, (9, 200, 9), DARK_RED]])
    assert shown(read([plane], replace(COLOURS, nearest=True))) == ["##gw"]
    (problem,) = problems_of([plane], COLOURS)
    assert (
        problem.message
        == "no legend or palette says what this character or its colour #b4140a means (2 cells)"
    )
    assert problem.value == "'█'"
    assert problem.source == where(0, 0)


def test_a_cell_with_no_character_is_like_one_with_a_space() -> None:
    layer = XpLayer.from_rows(["#.#"], bg=GREEN)
    glyph = layer.glyph.copy()
    glyph[0, 1] = 0
    plane = DrawingPlane.of_layer(XpLayer(glyph=glyph, fg=layer.fg, bg=layer.bg), where)
    assert shown(read([plane])) == ["# #"]
    assert shown(read([plane], COLOURS)) == ["#g#"]


def test_transparent_cells_leave_the_map_as_it_is() -> None:
    layer = XpLayer.from_rows(["#.#"], bg=(1, 2, 3))
    bg = layer.bg.copy()
    bg[0, 1] = TRANSPARENT
    see_through = XpLayer(glyph=layer.glyph, fg=layer.fg, bg=bg)
    assert shown(read([DrawingPlane.of_layer(see_through, where)])) == ["#?#"]
    assert shown(read([DrawingPlane.of_layer(see_through, where)], replace(COLOURS, nearest=True))) == ["#?#"]


# -- links and machines -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drawn", "step"),
    [
        ("|    |\n|    |\n|    |\n|1   |", (1, 0)),  # as near to the west: south comes first
        ("|1   |\n|    |\n|    |\n|    |", (-1, 0)),
        ("|    |\n|1   |\n|    |\n|    |", (0, -1)),
        ("|    |\n|   1|\n|    |\n|    |", (0, 1)),
        ("|   |\n| 1 |\n|   |", (1, 0)),
        ("|1|", (1, 0)),
        ("|    |\n|   1|\n|    |", (0, 1)),
    ],
)
def test_a_link_digs_toward_the_nearest_edge(drawn: str, step: tuple[int, int]) -> None:
    floor = drawn.replace(" ", ".").replace("1", ".")
    (link,) = read(text_planes(floor, drawn)).links
    assert (link.dy, link.dx) == step


def test_marks_say_where_corridors_join_and_where_paths_may_come_through() -> None:
    links = read(text_planes("|...|\n|...|\n|...|", "|*o |\n|  x|\n| 2 |")).links
    assert links == (
        Link(0, 0, 1, -1, 0, "connector"),
        Link(0, 1, 1, -1, 0, "diggable"),
        Link(1, 2, 1, 0, 1, "closed"),
        Link(2, 1, 2, 1, 0, "tunneler"),
    )
    assert LINK_MARKS == {"*": "connector", "o": "diggable", "x": "closed"}


@pytest.mark.parametrize(
    ("drawn", "groups"),
    [
        ("|##  |\n|  ##|", [[(0, 0), (0, 1)], [(1, 2), (1, 3)]]),  # corners do not touch
        ("|oXo |\n| o  |", [[(0, 0), (0, 1), (0, 2), (1, 1)]]),  # different characters do
        ("|# # |\n|### |", [[(0, 0), (0, 2), (1, 0), (1, 1), (1, 2)]]),
        ("|#  #|\n|    |", [[(0, 0)], [(0, 3)]]),
    ],
)
def test_connected_cells_are_one_machine(drawn: str, groups: list[list[tuple[int, int]]]) -> None:
    machines = read(text_planes("|....|\n|....|", "|    |\n|    |", drawn)).machines
    assert [list(machine.cells) for machine in machines] == groups
    rows = rows_of(drawn)
    for machine in machines:
        assert list(machine.glyphs) == [rows[y][x] for y, x in machine.cells]


def test_each_cell_of_a_machine_has_its_own_colour() -> None:
    floor = DrawingPlane.of_rows(["..."], where)
    empty = DrawingPlane.of_rows(["   "], where)
    plane = coloured(["ab#"], [[RED, GREEN, BLUE]])
    (machine,) = read([floor, empty, plane]).machines
    assert machine.fgs == (RED, GREEN, BLUE)


def test_machines_of_texts_are_painted_character_by_character() -> None:
    meaning = replace(PLAIN, paints={"r": RED, "g": GREEN})
    floor, empty = "|...|\n|...|", "|   |\n|   |"
    (machine,) = read(text_planes(floor, empty, "|ab |\n| c |", empty, "|rg |\n|   |"), meaning).machines
    assert machine.fgs == (RED, GREEN, MACHINE_COLOUR)
    (machine,) = read(text_planes(floor, empty, "|   |\n| c |"), meaning).machines
    assert machine.fgs == (MACHINE_COLOUR,)
    assert said(text_planes(floor, empty, "|ab |\n| c |", empty, "|rx |\n| x |"), meaning) == [
        "1:2: error: prefab 'x': 'paints' does not say which colour this character means (2 cells): 'x' (allowed: g, r)"
    ]


# -- what is wrong ------------------------------------------------------------------------------


def test_characters_without_a_meaning_are_reported_once_each_where_they_first_stand() -> None:
    assert said(text_planes("|#y.|\n|xyc|")) == [
        "1:2: error: prefab 'x': no legend or palette says what this character means (2 cells): 'y' (allowed: C, b, r, w)",
        "2:1: error: prefab 'x': no legend or palette says what this character means: 'x' (allowed: C, b, r, w)",
        "2:3: error: prefab 'x': no legend or palette says what this character means: 'c' (did you mean C?)",
    ]  # fmt: skip


def test_marks_without_a_meaning_are_reported_once_each() -> None:
    floor, empty = "|....|\n|....|", "|    |\n|    |"
    assert said(text_planes(floor, "|10y |\n|yy 9|")) == [
        "1:2: error: prefab 'x': a link is written as a digit from 1 to 9, the width of a tunneler, or as one of the allowed marks: '0' (allowed: *, o, x)",
        "1:3: error: prefab 'x': a link is written as a digit from 1 to 9, the width of a tunneler, or as one of the allowed marks (3 cells): 'y' (allowed: *, o, x)",
    ]
    assert said(text_planes(floor, empty, empty, "|C c |\n|qq  |")) == [
        "1:3: error: prefab 'x': no legend says what this reference means: 'c' (did you mean C?)",
        "2:1: error: prefab 'x': no legend says what this reference means (2 cells): 'q' (allowed: C, b, r, w)",
    ]


def test_a_cell_has_one_prop_at_most_and_a_robot_besides() -> None:
    floor, empty = "|C.|", "|  |"
    assert said(text_planes(floor, empty, empty, "|C |")) == [
        "1:1: error: prefab 'x': a cell has one prop at most; only items and debris may be several: 'C'"
    ]
    found = read(text_planes(floor, empty, empty, "|r |")).references
    assert found == (reference(0, 0, "C"), reference(0, 0, "r"))


def test_what_could_not_be_read_is_not_reported_again_as_unknown() -> None:
    empty = "|  |"
    assert said(text_planes("|x.|", empty, empty, "|y |"), replace(PLAIN, unclear="xy")) == []
    assert said(text_planes("|x.|", empty, empty, "|y |"), replace(PLAIN, whole=False)) == []
    assert said(xp_planes("|x.|"), replace(PLAIN, colours_whole=False)) == []
    assert len(said(text_planes("|x.|"), replace(PLAIN, colours_whole=False))) == 1


def test_many_unknown_characters_are_counted() -> None:
    row = "".join(chr(0x4E00 + number) for number in range(MAX_UNKNOWN + 5))
    problems = problems_of([DrawingPlane.of_rows([row], where)])
    assert len(problems) == MAX_UNKNOWN + 1
    assert problems[-1].message == "5 more characters have no meaning"


def test_drawings_that_are_too_much() -> None:
    distinct = "".join(chr(0x4E00 + number) for number in range(MAX_CHARACTERS + 1))
    (problem,) = problems_of([DrawingPlane.of_rows([distinct], where)])
    assert problem.message == f"this layer has more than {MAX_CHARACTERS} different characters"
    crowd = DrawingPlane.of_rows(["C" * (MAX_MARKS + 1)], where)
    (problem,) = problems_of([crowd])
    assert problem.message == f"more than {MAX_MARKS} cells of this layer are not empty"


SIZES = st.tuples(st.integers(1, 4), st.integers(1, 5))
GLYPHS = st.sampled_from(
    [0, 32, 35, 46, 219, 177, 255, 256, 0xD800, 0x10FFFF, 0xFFFFFFFF, *b"0123456789CrbwxX?~"]
)
COLOUR_BYTES = st.sampled_from([0, 1, 180, 255])


@st.composite
def any_layers(draw: st.DrawFn) -> list[XpLayer]:
    """Return one to four layers of one size with anything on them."""
    size = draw(SIZES)
    glyphs = hnp.arrays(np.uint32, size, elements=GLYPHS)
    colours = hnp.arrays(np.uint8, (*size, 3), elements=COLOUR_BYTES)
    return draw(
        st.lists(st.builds(lambda g, f, b: XpLayer(glyph=g, fg=f, bg=b), glyphs, colours, colours), min_size=1, max_size=4)
    )  # fmt: skip


@given(any_layers(), st.sampled_from([PLAIN, COLOURS, replace(COLOURS, nearest=True)]))
def test_whatever_is_drawn_gives_a_drawing_of_its_size(
    layers: list[XpLayer], meaning: CharacterMeanings
) -> None:
    readout = read_out([DrawingPlane.of_layer(layer, where) for layer in layers], meaning)
    drawing, problems = readout.template.fixed, readout.problems
    assert (drawing.height, drawing.width) == (layers[0].height, layers[0].width)
    assert drawing.terrain.max() in {*CODES.values(), t.KEEP}
    for reference in drawing.references:
        assert 0 <= reference.y < drawing.height
        assert 0 <= reference.x < drawing.width
        assert reference.symbol is meaning.legend[reference.char]
    assert all(str(problem).isprintable() for problem in problems)
    assert sum(len(machine.cells) for machine in drawing.machines) == len(
        {cell for machine in drawing.machines for cell in machine.cells}
    )


# -- through the loader -------------------------------------------------------------------------

LEGEND = """
          legend:
            C: {prop: crate}
            r: {robot: sweeper}
            b: {terrain: grass, item: scrap}
"""


def entry(name: str, **planes: str) -> str:
    """Return the YAML of a prefab, drawn as text."""
    lines = [f"        {name}:"]
    for plane, drawn in planes.items():
        lines += [f"          {plane}: |2", *(f"            {row}" for row in rows_of(drawn))]
    return "\n".join(lines) + LEGEND


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_files_of_both_kinds_give_the_same_prefab(tmp_path: Path, count: int) -> None:
    drawn = (MAP, LINKS, MACHINES, REFERENCES)[:count]
    layers = [
        XpLayer.from_rows(rows_of(each), fg=MACHINE_COLOUR, transparent_spaces=number > 0)
        for number, each in enumerate(drawn)
    ]
    names = ("map", "links", "machines", "references")[:count]
    files = {
        "prefabs/painted.xp": layers,
        "prefabs/halls.yaml": entry("typed", **dict(zip(names, drawn, strict=True)))
        + f"        painted:{LEGEND}",
    }
    prefabs = dungeon.load_content(write_content(tmp_path, files)).prefabs
    assert same(prefabs["painted"].drawing, prefabs["typed"].drawing)
    assert prefabs["painted"].orientations == prefabs["typed"].orientations


def test_planes_above_the_map_may_end_where_nothing_more_is_drawn(tmp_path: Path) -> None:
    brief = entry("brief", map="|...|\n|...|\n|...|", links="| 2|", references="||\n|C|")
    full = entry(
        "full", map="|...|\n|...|\n|...|", links="| 2 |\n|   |\n|   |", references="|   |\n|C  |\n|   |"
    )
    content = dungeon.load_content(write_content(tmp_path, {"prefabs/halls.yaml": brief + full}))
    assert same(content.prefabs["full"].drawing, content.prefabs["brief"].drawing)
    assert content.prefabs["brief"].drawing.links == (Link(0, 1, 2, -1, 0),)


def test_what_is_wrong_with_a_drawing_stands_in_its_cell(tmp_path: Path) -> None:
    files = {
        "prefabs/painted.xp": [XpLayer.from_rows(["...", "..x", "..."])],
        "prefabs/halls.yaml": "typed:\n  tags: [x1]\n  map: |\n      ...\n      ..x\n      ...\n",
    }
    with pytest.raises(ContentError) as caught:
        dungeon.load_content(write_content(tmp_path, files))
    assert [(str(problem.source), problem.entry) for problem in caught.value.problems] == [
        (f"{tmp_path}/prefabs/halls.yaml:5:9", "prefab 'typed'"),
        (f"{tmp_path}/prefabs/painted.xp:2:3", "prefab 'painted'"),
    ]
