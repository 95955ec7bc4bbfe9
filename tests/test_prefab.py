"""A prefab in all its orientations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from content_files import write_content
from drawn import flat, prefab
from drawn import picture as picture_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dungeon
from dungeon import Cell, Orientation, Source
from dungeon import terrain as t
from dungeon.content.catalog.symbols import SymbolEntry
from dungeon.content.drawing.meaning import (
    DEFAULT_GLYPHS,
    CharacterMeanings,
    Variation,
)
from dungeon.content.drawing.planes import (
    DrawingPlane,
)
from dungeon.content.drawing.read_drawing import read_drawing
from dungeon.content.prefab.drawing import DrawnGround, Link, Machine, Reference, Stairs, in_order
from dungeon.extend import Drawing
from dungeon.grid.symmetry import ALL_ORIENTATIONS

if TYPE_CHECKING:
    from pathlib import Path

CODES = {kind.name: code for code, kind in enumerate(t.BUILT_IN_KINDS)}
LEGEND = {
    "C": SymbolEntry(prop="crate"),  # type: ignore[arg-type]
    "r": SymbolEntry(robot="sweeper"),  # type: ignore[arg-type]
}


def draw(*planes: list[str]) -> Drawing:
    """Return the drawing of up to four planes of rows."""
    meaning = CharacterMeanings(
        LEGEND, DEFAULT_GLYPHS, {}, False, CODES, lambda symbol: symbol.kind == "prop"
    )
    readout = read_drawing(
        [DrawingPlane.of_rows(rows, lambda _y, _x: Source(file="x")) for rows in planes],
        meaning,
        Variation(),
        "x",
        "prefab 'x'",
    )
    assert readout.problems == []
    return readout.template.fixed


def picture(drawing: Drawing) -> list[str]:
    """Return the drawing as text: its terrain, obstacles, machines and references, and arrows for links."""
    letters = {CODES[name]: glyph for glyph, name in DEFAULT_GLYPHS.items()} | {t.KEEP: "?"}
    cells = [[letters[code] for code in row] for row in drawing.terrain.tolist()]
    for machine in drawing.machines:
        for (y, x), glyph in zip(machine.cells, machine.glyphs, strict=True):
            assert drawing.obstacles[y, x]
            cells[y][x] = glyph
    for each in drawing.references:
        assert drawing.obstacles[each.y, each.x] == (each.char == "C")
        cells[each.y][each.x] = each.char
    for y, x, _, dy, dx, _ in drawing.links:
        cells[y][x] = {(1, 0): "v", (-1, 0): "^", (0, 1): ">", (0, -1): "<"}[dy, dx]
    return ["".join(row) for row in cells]


HALL = draw(
    ["#####", "#C..#", "#...#", "##.r#"],
    ["     ", "     ", "2    ", "  1  "],
    ["     ", "  oo ", "     ", "     "],
)


@pytest.mark.parametrize(
    ("orientation", "drawn"),
    [
        (Orientation.R0, """
            #####
            #Coo#
            <...#
            ##vr#
        """),
        (Orientation.R90, """
            #^##
            #.C#
            <.o#
            r.o#
            ####
        """),
        (Orientation.R180, """
            #r^##
            #...>
            #ooC#
            #####
        """),
        (Orientation.R270, """
            ####
            #o.r
            #o.>
            #C.#
            ##v#
        """),
        (Orientation.M0, """
            #####
            #ooC#
            #...>
            #rv##
        """),
        (Orientation.M90, """
            ####
            r.o#
            <.o#
            #.C#
            #v##
        """),
        (Orientation.M180, """
            ##^r#
            <...#
            #Coo#
            #####
        """),
        (Orientation.M270, """
            ##^#
            #C.#
            #o.>
            #o.r
            ####
        """),
    ],
)  # fmt: skip
def test_every_orientation(orientation: Orientation, drawn: str) -> None:
    laid = HALL.turned(orientation)
    assert picture(laid) == [line.strip() for line in drawn.strip().splitlines()]
    assert laid.orientation is orientation
    assert (laid.height, laid.width) == laid.terrain.shape == laid.obstacles.shape


def as_drawn(drawing: Drawing) -> Drawing:
    """Return the drawing as if it had been drawn the way it lies."""
    return Drawing(
        DrawnGround(drawing.terrain, drawing.obstacles),
        drawing.references,
        drawing.links,
        drawing.machines,
        drawing.stairs,
        drawing.parts,
    )


def lay(drawing: Drawing, *orientations: Orientation) -> list[str]:
    for orientation in orientations:
        drawing = as_drawn(drawing.turned(orientation))
    return picture(drawing)


def test_four_quarter_turns_and_two_mirrorings_change_nothing() -> None:
    r90, m0 = Orientation.R90, Orientation.M0
    assert lay(HALL, r90, r90, r90, r90) == lay(HALL)
    assert lay(HALL, m0, m0) == lay(HALL)
    assert lay(HALL, r90, r90) == lay(HALL, Orientation.R180)
    assert lay(HALL, r90, r90, r90) == lay(HALL, Orientation.R270)


@pytest.mark.parametrize("turns", range(4))
def test_a_mirrored_orientation_is_mirrored_first_and_turned_then(turns: int) -> None:
    mirrored = Orientation((turns, True))
    assert lay(HALL, mirrored) == lay(HALL, Orientation.M0, *[Orientation.R90] * turns)


@pytest.mark.parametrize("first", ALL_ORIENTATIONS)
@pytest.mark.parametrize("second", ALL_ORIENTATIONS)
def test_two_orientations_in_a_row_are_a_third(first: Orientation, second: Orientation) -> None:
    assert lay(HALL, first, second) in [lay(HALL, each) for each in ALL_ORIENTATIONS]


@pytest.mark.parametrize("orientation", ALL_ORIENTATIONS)
def test_every_orientation_can_be_undone(orientation: Orientation) -> None:
    assert any(lay(HALL, orientation, each) == lay(HALL) for each in ALL_ORIENTATIONS)


DRAWINGS = hnp.array_shapes(min_dims=2, max_dims=2, max_side=5).flatmap(
    lambda shape: st.builds(
        lambda terrain, obstacles, cells: Drawing(
            DrawnGround(terrain, obstacles),
            tuple(Reference(y, x, "C", LEGEND["C"]) for y, x in sorted(cells)),
            tuple(Link(y, x, 1, dy, dx) for (y, x), (dy, dx) in zip(sorted(cells), STEPS, strict=False)),
            (
                Machine(
                    tuple(Cell(y, x) for y, x in sorted(cells)),
                    ("o",) * len(cells),
                    ((1, 2, 3),) * len(cells),
                ),
            ),
            tuple(Stairs(y, x, "mines") for y, x in sorted(cells)),
        ),
        hnp.arrays(np.uint8, shape),
        hnp.arrays(np.bool_, shape),
        st.sets(st.tuples(st.integers(0, shape[0] - 1), st.integers(0, shape[1] - 1)), max_size=4),
    )
)
STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def cells_of(drawing: Drawing) -> list[list[tuple[int, int]]]:
    """Return the cells of its references, links, stairs and its first machine."""
    return [
        [(each.y, each.x) for each in drawing.references],
        [(each.y, each.x) for each in drawing.links],
        [(each.y, each.x) for each in drawing.stairs],
        [(y, x) for y, x in drawing.machines[0].cells],
    ]


@given(DRAWINGS, st.sampled_from(ALL_ORIENTATIONS))
def test_everything_in_a_drawing_turns_with_its_terrain(drawing: Drawing, orientation: Orientation) -> None:
    laid = drawing.turned(orientation)
    for before, after in zip(cells_of(drawing), cells_of(laid), strict=True):
        assert len(before) == len(after)
        old = sorted((int(drawing.terrain[cell]), bool(drawing.obstacles[cell])) for cell in before)
        new = sorted((int(laid.terrain[cell]), bool(laid.obstacles[cell])) for cell in after)
        assert old == new
    assert list(laid.references) == sorted(laid.references, key=in_order)
    # A link that points at a cell of the drawing points at the same cell afterwards.
    for link, turned in zip(drawing.links, laid.links, strict=True):
        ahead = (link.y + link.dy, link.x + link.dx)
        inside = 0 <= ahead[0] < drawing.height and 0 <= ahead[1] < drawing.width
        after = (turned.y + turned.dy, turned.x + turned.dx)
        assert inside == (0 <= after[0] < laid.height and 0 <= after[1] < laid.width)
        if inside:
            assert after == orientation.turn_cell(*ahead, drawing.height, drawing.width)


def test_a_drawing_cannot_be_changed() -> None:
    laid = HALL.turned(Orientation.R90)
    for array in (laid.terrain, laid.obstacles, HALL.terrain):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1


# -- which orientations there are ---------------------------------------------------------------


def labels(drawing: Drawing, *orientations: Orientation) -> list[str]:
    """Return the orientations in which a prefab lies, with a * where it looks like one before."""
    return [
        each.orientation.label + ("*" if each.repeats else "")
        for each in prefab(drawing, "x", orientations or ALL_ORIENTATIONS).drawings
    ]


def test_a_drawing_without_symmetry_lies_in_eight_ways() -> None:
    assert labels(HALL) == ["r0", "r90", "r180", "r270", "m0", "m90", "m180", "m270"]


@pytest.mark.parametrize(
    ("rows", "ways"),
    [
        (["#.#", "#.#"], ["r0", "r90", "r180*", "r270*"]),
        (["###", "#.#"], ["r0", "r90", "r180", "r270"]),
        (["#..", "..#"], ["r0", "r90", "r180*", "r270*", "m0", "m90", "m180*", "m270*"]),
        (["#.#", "...", "#.#"], ["r0", "r90*", "r180*", "r270*"]),
        (["#..", "...", "..#"], ["r0", "r90", "r180*", "r270*", "m0*", "m90*", "m180*", "m270*"]),
        (["."], ["r0", "r90*", "r180*", "r270*"]),
    ],
)
def test_of_orientations_that_look_and_face_alike_there_is_one(rows: list[str], ways: list[str]) -> None:
    assert labels(draw(rows)) == ways


@pytest.mark.parametrize(
    "planes",
    [
        [["...", "...", "C.."]],
        [["...", "...", "..."], ["   ", "   ", "  1"]],
        [["...", "...", "..."], ["   "] * 3, ["o  ", "   ", "   "]],
    ],
    ids=["reference", "link", "machine"],
)
def test_what_stands_in_a_symmetric_room_tells_its_orientations_apart(planes: list[list[str]]) -> None:
    looks = [each for each in labels(draw(*planes)) if not each.endswith("*")]
    assert len(looks) in (4, 8)
    assert looks[:4] == ["r0", "r90", "r180", "r270"]


def test_only_what_is_permitted() -> None:
    assert labels(HALL, Orientation.M90) == ["m90"]
    assert labels(draw(["..", ".."]), Orientation.R180, Orientation.M180, Orientation.R0) == ["r180", "r0*"]


def test_a_part_may_reach_out_of_a_drawing_with_cells_on_which_nothing_is_drawn(tmp_path: Path) -> None:
    prefabs = """
        store:
          map: |
            .ss
            .ss
          vary: [{fit: s, prefabs: corner, orientations: r0}]
        corner:
          map: |
            ##?
            #.?
            ???
    """
    content = dungeon.load_content(write_content(tmp_path, {"prefabs/rooms.yaml": prefabs}))
    assert picture_of(content.prefabs["store"].drawing.terrain) == flat("""
        .##
        .#.
    """)


def test_the_ways_to_lie_may_be_limited_to_those_that_repeat_another(tmp_path: Path) -> None:
    """A part that looks the same mirrored fits in where only mirrored ones may."""
    prefabs = """
        store:
          map: ss
          vary: [{fit: s, prefabs: pair, orientations: m0}]
        pair: {map: "##"}
    """
    content = dungeon.load_content(write_content(tmp_path, {"prefabs/rooms.yaml": prefabs}))
    assert picture_of(content.prefabs["store"].drawing.terrain) == "##"
