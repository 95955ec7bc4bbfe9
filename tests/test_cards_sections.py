"""Cards of several grid cells in any shape, and zones that grow by the shapes of their decks."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import TYPE_CHECKING

from drawn import KINDS, OBJECTS, prefab, write

import dungeon
from dungeon.generation.layouts.cards_faces import Border, Grid, try_face
from dungeon.grid.bits import Board

if TYPE_CHECKING:
    from pathlib import Path

TETROMINOES = {
    "I": ("####",),
    "O": ("##", "##"),
    "T": ("###", ".#."),
    "S": (".##", "##."),
    "L": ("###", "#.."),
}
SIDE = 7
"""Rows and columns of a grid cell."""

BEND = """
    ##+##??????
    #...#??????
    +...+??????
    #...#??????
    #...#??????
    #...#??????
    #...###+###
    #.........#
    +.........+
    #.........#
    ##+#####+##
    """


def section(shape: tuple[str, ...], gap: int = 1) -> str:
    """Return a hall over square grid cells of this shape, with a door in the middle of each of its borders."""
    pitch = SIDE + gap
    board = Board(len(shape) * pitch - gap, max(map(len, shape)) * pitch - gap)
    taken = [(y, x) for y, row in enumerate(shape) for x, char in enumerate(row) if char == "#"]
    hall = 0
    for y, x in taken:
        right, down = (y, x + 1) in taken, (y + 1, x) in taken
        hall |= board.block(y * pitch, x * pitch, SIDE, SIDE + gap * right)
        hall |= board.block(y * pitch, x * pitch, SIDE + gap * down, SIDE)
        if right and down and (y + 1, x + 1) in taken:
            hall |= board.block(y * pitch, x * pitch, SIDE + gap, SIDE + gap)
    inner = hall & ~board.around(board.full & ~hall)
    inner &= board.block(1, 1, board.height - 2, board.width - 2)
    rows = [["?"] * board.width for _ in range(board.height)]
    for cells, char in ((hall, "#"), (inner, ".")):
        for y, x in board.cells(cells):
            rows[y][x] = char
    for y, x in taken:
        for dy, dx in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            if (y + dy, x + dx) not in taken:
                half = SIDE // 2
                rows[y * pitch + half + dy * half][x * pitch + half + dx * half] = "+"
    return "\n".join("".join(row) for row in rows)


def game(tmp_path: Path, cards: str, *, size: str = "110x90", **sections: str) -> dungeon.Content:
    """Return content with a map of cards, and prefabs from drawings."""
    drawn = {name: indent(dedent(text).strip("\n"), "    ") for name, text in sections.items()}
    texts = [f"{name}:\n  tags: [hall]\n  map: |\n{text}\n" for name, text in drawn.items()]
    files = {
        **OBJECTS,
        "prefabs/halls.yaml": "".join(texts),
        "maps/m.yaml": f"m: {{name: M, size: {size}, layout: {{cards: {cards}}}}}\n",
        "world.yaml": "start: m/1\n",
    }
    return dungeon.load_content(write(tmp_path, files))


HALLS = {f"hall_{name}": section(shape) for name, shape in TETROMINOES.items()}


# -- shapes -----------------------------------------------------------------------------------------


def test_a_card_takes_the_grid_cells_in_which_something_is_drawn_and_opens_toward_the_others() -> None:
    face = try_face(prefab(BEND).drawing, Grid(5, 5, 1), KINDS)
    assert face is not None
    assert face.is_walled
    assert face.cells == ((0, 0), (1, 0), (1, 1))
    assert {*face.openings} == {
        Border(*each)
        for each in (
            (-1, 0, 0, 0), (0, -1, 0, 0), (0, 1, 0, 0),
            (0, -1, 1, 0), (1, 0, 1, 0),
            (-1, 0, 1, 1), (1, 0, 1, 1), (0, 1, 1, 1),
        )
    }  # fmt: skip


def test_ways_into_the_notch_of_a_card_end_where_its_grid_cells_end() -> None:
    face = try_face(prefab(BEND).drawing, Grid(5, 5, 1), KINDS)
    assert face is not None
    assert face.entries.dug == ()
    fronts = {(mouth.y, mouth.x) for mouth in face.entries.mouths}
    assert {(2, 5), (5, 7)} < fronts


def test_a_card_that_reaches_beyond_its_grid_cells_has_no_shape() -> None:
    """Drawn earth takes the fourth grid cell; a wall in the earth between grid cells makes the drawing one without walls."""
    earth = try_face(prefab(BEND.replace("?", " ")).drawing, Grid(5, 5, 1), KINDS)
    assert earth is not None
    assert len(earth.cells) == 4
    wide = BEND.replace("##+##??????\n    #...#??????", "##+##??????\n    #...##?????")
    assert try_face(prefab(wide).drawing, Grid(5, 5, 1), KINDS) is None


def test_a_card_of_more_than_two_grid_cells_each_way_fills_them() -> None:
    fits = [
        try_face(prefab("." * width).drawing, Grid(5, 5, 1), KINDS) is not None
        for width in (9, 13, 14, 15, 19, 20, 21, 25, 27)
    ]
    assert fits == [True, False, True, True, False, True, True, False, False]


def test_a_card_without_walls_takes_a_shape_with_the_walls_around_it() -> None:
    text = "...??????\n" * 6 + ".........\n" * 3
    face = try_face(prefab(text).drawing, Grid(5, 5, 1), KINDS)
    assert face is not None
    assert (face.is_walled, face.cells) == (False, ((0, 0), (1, 0), (1, 1)))
    wide = try_face(prefab(text.replace("...??????", "....?????")).drawing, Grid(5, 5, 1), KINDS)
    assert wide is not None
    assert len(wide.cells) == 4


# -- zones that grow by them --------------------------------------------------------------------------


def test_the_cards_of_a_deck_tile_the_zone_that_grows_by_their_shapes(tmp_path: Path) -> None:
    layout = "{cell: 7x7, count: 24, grow: {sections: deck}, rooms: 0, passages: 0, deck: {hall: 1}}"
    content = game(tmp_path, layout, **HALLS)
    for seed in range(10):
        world = dungeon.World(content, seed)
        level = world.level("m/1")
        assert dungeon.prove(level, world) == []
        kinds = [region.kind for region in level.regions]
        assert (kinds.count("prefab"), kinds.count("room")) == (6, 0)


def test_single_cells_and_named_sections_may_come_between_shapes_of_the_deck(tmp_path: Path) -> None:
    layout = "{cell: 7x7, count: 24, grow: {sections: {deck: 1, domino: 1}}, halls: 0%, deck: {hall: 1}}"
    content = game(tmp_path, layout, **HALLS)
    for seed in range(4):
        kinds = [region.kind for region in dungeon.World(content, seed).level("m/1").regions]
        assert 0 < kinds.count("prefab") < 6
        assert kinds.count("room") + 4 * kinds.count("prefab") >= 20


def test_no_more_shapes_are_taken_than_a_card_has_copies(tmp_path: Path) -> None:
    layout = "{cell: 7x7, count: 24, grow: {sections: deck}, halls: 0%, passages: 0, deck: {hall: {weight: 90, copies: 1}}}"
    content = game(tmp_path, layout, **HALLS)
    for seed in range(4):
        level = dungeon.World(content, seed).level("m/1")
        kinds = [region.kind for region in level.regions]
        assert (kinds.count("prefab"), kinds.count("room")) == (5, 4)


def test_zones_of_sections_have_bridges_islands_and_tumours(tmp_path: Path) -> None:
    grow = "grow: {sections: deck}"
    zones = ", ".join(
        f"{name}: {{count: 8, {join}{grow}}}"
        for name, join in (("a", ""), ("b", ""), ("c", "join: tumour, "), ("d", "from: a, join: island, "))
    )
    content = game(tmp_path, f"{{cell: 7x7, rooms: 0, deck: {{hall: 1}}, zones: {{{zones}}}}}", **HALLS)
    halls = 0
    for seed in range(6):
        world = dungeon.World(content, seed)
        level = world.level("m/1")
        assert dungeon.prove(level, world) == []
        assert len(level.zones) == 4
        halls += sum(region.kind == "prefab" for region in level.regions)
    assert halls > 6 * 7


def test_a_section_for_which_no_card_will_do_is_noted(tmp_path: Path) -> None:
    """The only door of these cards is at one end, so that no more than two of them can be joined."""
    layout = "{cell: 7x7, count: 12, grow: {sections: deck}, rooms: 0, passages: 0, deck: {hall: 1}}"
    shut = section(TETROMINOES["I"]).replace("+", "#")
    content = game(tmp_path, layout, hall_I=shut[: 3 * 32] + "+" + shut[3 * 32 + 1 :])
    level = dungeon.World(content, 1).level("m/1")
    notes = [each for each in level.journal if each.subject.startswith("section at")]
    assert notes
    assert {each.reason for each in notes} == {
        "no card that is left has its shape and the openings that are needed"
    }
