from __future__ import annotations

import itertools
import re
import unicodedata
from typing import TYPE_CHECKING

import numpy as np
import pytest
import tcod.console
from tcod.tileset import CHARMAP_CP437

from dungeon.adapters.tileset import parse_font, square_tileset

if TYPE_CHECKING:
    from numpy.typing import NDArray

ASCII = [chr(code) for code in range(33, 127)]
LINES = [chr(code) for code in CHARMAP_CP437 if "BOX DRAWINGS" in unicodedata.name(chr(code), "")]
ROWS = ["..####..", ".##..##.", ".##..##.", ".##..##.", ".##..##.", ".##..##.", "..####..", "........"]
FONT = "\n".join(["; a font of one letter", "", "U+004F O", *ROWS, ""])

NOTHING, SINGLE, DOUBLE = "........", "...##...", "..#..#.."
SIDES = {
    "UP": np.s_[0, :],
    "DOWN": np.s_[7, :],
    "LEFT": np.s_[:, 0],
    "RIGHT": np.s_[:, 7],
}


@pytest.fixture(scope="module")
def tiles() -> dict[str, NDArray[np.uint8]]:
    """Every character's drawn_cells at scale 1."""
    return {chr(code): tile[..., 3] for code, tile in square_tileset(1).items()}


def draw(drawn_cells: NDArray[np.uint8]) -> str:
    return "\n".join("".join(".#"[bool(pixel)] for pixel in row) for row in np.atleast_2d(drawn_cells))


def printed(*text: str, scale: int = 1) -> str:
    console = tcod.console.Console(len(text[0]), len(text), order="C")
    for y, line in enumerate(text):
        console.print(0, y, line, fg=(255, 255, 255), bg=(0, 0, 0))
    return draw(square_tileset(scale).render(console)[..., 0])


def arms_in_name(char: str) -> dict[str, str]:
    """Read the arms of a line from its Unicode name, BOX DRAWINGS DOWN SINGLE AND RIGHT DOUBLE."""
    arms = dict.fromkeys(SIDES, NOTHING)
    words = unicodedata.name(char).replace("LIGHT", "SINGLE").split()[2:]
    weight = next(word for word in words if word in {"SINGLE", "DOUBLE"})
    axes = {"VERTICAL": ("UP", "DOWN"), "HORIZONTAL": ("LEFT", "RIGHT")}
    for axis, after in itertools.pairwise([*words, "end"]):
        if axis in {"SINGLE", "DOUBLE", "AND"}:
            continue
        stroke = after if after in {"SINGLE", "DOUBLE"} else weight
        arms |= dict.fromkeys(axes.get(axis, (axis,)), {"SINGLE": SINGLE, "DOUBLE": DOUBLE}[stroke])
    return arms


def test_parse_font_reads_drawn_glyphs():
    font = parse_font(FONT)
    assert list(font) == [ord("O")]
    assert font[ord("O")].dtype == np.uint8
    assert set(font[ord("O")].flat) == {0, 255}
    assert draw(font[ord("O")]) == "\n".join(ROWS)


def test_parse_font_reads_named_characters():
    assert list(parse_font("\n".join(["U+0020 space", *ROWS, "U+00A0 no-break-space", *ROWS]))) == [
        0x20,
        0xA0,
    ]


@pytest.mark.parametrize(
    ("was", "now", "message"),
    [
        ("U+004F O", "U+004F P", "line 3: the header names U+004F and 'P', which are different characters"),
        (
            "U+004F O",
            "U+004F space",
            "line 3: the header names U+004F and 'space', which are different characters",
        ),
        ("U+004F O", "U+0020 O", "line 3: the header names U+0020 and 'O', which are different characters"),
        (
            "U+004F O",
            "U+110000 O",
            "line 3: the header names U+110000 and 'O', which are different characters",
        ),
        ("U+004F O", "U+4F O", "line 3: expected a header such as 'U+0041 A', got 'U+4F O'"),
        ("U+004F O", "U+004F O ", "line 3: expected a header"),
        ("U+004F O", "U+004F", "line 3: expected a header"),
        ("U+004F O\n", "", "line 3: expected a header such as 'U+0041 A', got '..####..'"),
        ("..####..\n.", "..####...\n.", "line 4: row 1 of U+004F must be 8 of '.' and '#', got '..####...'"),
        ("..####..\n.", "..####.\n.", "line 4: row 1 of U+004F"),
        ("..####..\n.", "..#### .\n.", "line 4: row 1 of U+004F"),
        ("..####..\n.", "; no comment here\n.", "line 4: row 1 of U+004F"),
        ("\n........\n", "\n", "line 11: row 8 of U+004F must be 8 of '.' and '#', got ''"),
        ("\n........\n", "\n\n........\n", "line 11: row 8 of U+004F"),
        ("\n........\n", "\n........\n........\n", "line 12: expected a header"),
        ("\n........\n", "\nU+0050 P\n", "line 11: row 8 of U+004F must be 8 of '.' and '#', got 'U+0050 P'"),
        ("\n........\n", "\n........\nU+004F O\n", "line 12: U+004F is drawn twice"),
    ],
)
def test_parse_font_says_on_which_line_a_fault_is(was, now, message):
    assert was in FONT
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        parse_font(FONT.replace(was, now, 1))


def test_every_code_point_of_cp437_has_a_tile(tiles):
    assert set(tiles) == {chr(code) for code in CHARMAP_CP437}


def test_only_blanks_are_empty_and_no_two_others_look_alike(tiles):
    assert {char for char, drawn_cells in tiles.items() if not drawn_cells.any()} == {"\0", " ", "\xa0"}
    seen: dict[bytes, str] = {}
    for char, drawn_cells in tiles.items():
        if drawn_cells.any():
            assert seen.setdefault(drawn_cells.tobytes(), char) == char


def test_the_font_has_ascii(tiles):
    assert all(tiles[char].any() for char in ASCII)


def test_letters_and_digits_keep_off_their_neighbours(tiles):
    """Only the wall joins sideways, so words stay words; only tails hang into the last row."""
    assert [char for char in ASCII if tiles[char][:, 7].any()] == ["#"]
    assert [char for char in ASCII if tiles[char][7].any()] == list("#,;Q_gjpqy")
    assert all(tiles[char][0].any() for char in ASCII if char.isupper() or char.isdigit())


@pytest.mark.parametrize("char", LINES)
def test_a_line_reaches_the_sides_its_name_gives(tiles, char):
    assert {side: draw(tiles[char][where]) for side, where in SIDES.items()} == arms_in_name(char)


def test_the_font_has_forty_box_lines():
    assert len(LINES) == 40


def test_lines_of_one_weight_meet():
    assert printed("╔╦╗┌┬┐", "╠╬╣├┼┤", "╚╩╝└┴┘").splitlines() == [
        "................................................",
        "................................................",
        "..####################..........................",
        "..#..................#.....##################...",
        "..#..................#.....##################...",
        "..#..######..######..#.....##......##......##...",
        *["..#..#....#..#....#..#.....##......##......##..."] * 4,
        "..#..######..######..#.....##......##......##...",
        "..#..................#.....##################...",
        "..#..................#.....##################...",
        "..#..######..######..#.....##......##......##...",
        *["..#..#....#..#....#..#.....##......##......##..."] * 4,
        "..#..######..######..#.....##......##......##...",
        "..#..................#.....##################...",
        "..#..................#.....##################...",
        "..####################..........................",
        "................................................",
        "................................................",
    ]


def test_mixed_lines_meet_without_gaps_or_stubs():
    assert printed("╓╥╖╒╤╕", "╟╫╢╞╪╡", "╙╨╜╘╧╛").splitlines() == [
        "................................................",
        "................................................",
        "...........................##################...",
        "..####################.....##..............##...",
        "..####################.....##..............##...",
        "..#..#....#..#....#..#.....##################...",
        *["..#..#....#..#....#..#.....##......##......##..."] * 4,
        "..#..#....#..#....#..#.....##################...",
        "..#..##############..#.....##......##......##...",
        "..#..##############..#.....##......##......##...",
        "..#..#....#..#....#..#.....##################...",
        *["..#..#....#..#....#..#.....##......##......##..."] * 4,
        "..#..#....#..#....#..#.....##################...",
        "..####################.....##..............##...",
        "..####################.....##..............##...",
        "...........................##################...",
        "................................................",
        "................................................",
    ]


@pytest.mark.parametrize(("light", "dark"), [("░", "▓"), ("▀", "▄"), ("▌", "▐")])
def test_blocks_and_shades_make_up_a_full_cell(tiles, light, dark):
    assert not (tiles[light] & tiles[dark]).any()
    assert np.array_equal(tiles[light] | tiles[dark], tiles["█"])


def test_shades_are_a_quarter_a_half_and_three_quarters(tiles):
    assert [int(tiles[char].astype(bool).sum()) for char in "░▒▓█"] == [16, 32, 48, 64]
    assert printed("░▒▓").splitlines() == ["#...#...#.#.#.#..###.###", "..#...#..#.#.#.###.###.#"] * 4


@pytest.mark.parametrize("scale", range(1, 9))
def test_a_scaled_tile_is_the_same_drawing_in_larger_white_pixels(tiles, scale):
    tileset = square_tileset(scale)
    assert tileset.tile_shape == (8 * scale, 8 * scale)
    for char, drawn_cells in tiles.items():
        tile = tileset[ord(char)]
        assert np.array_equal(tile[..., 3], np.kron(drawn_cells, np.ones((scale, scale), np.uint8)))
        assert (tile[..., :3] == 255).all()


@pytest.mark.parametrize("scale", [0, -1, 9])
def test_scale_has_limits(scale):
    with pytest.raises(ValueError, match=f"the scale of a tileset must be 1 to 8, not {scale}"):
        square_tileset(scale)


def test_tilesets_do_not_share_pixels():
    square_tileset(1)[ord("@")] = np.zeros((8, 8, 4), np.uint8)
    assert square_tileset(1)[ord("@")][..., 3].any()


def test_a_console_is_rendered_in_its_colours():
    console = tcod.console.Console(2, 1, order="C")
    console.print(0, 0, "#@", fg=(200, 10, 0), bg=(0, 0, 40))
    image = square_tileset(2).render(console)
    assert image.shape == (16, 32, 4)
    assert {tuple(int(part) for part in pixel) for pixel in image.reshape(-1, 4)} == {
        (200, 10, 0, 255),
        (0, 0, 40, 255),
    }
    assert draw(image[::2, ::2, 0]).splitlines() == [
        ".##..##...####..",
        "########.##..##.",
        "##########.####.",
        ".##..##.##.#.##.",
        ".##..##.##.####.",
        "########.##.....",
        "########..####..",
        ".##..##.........",
    ]


def test_walls_run_on_from_cell_to_cell():
    rows = printed("##", "##").splitlines()
    assert rows == [row[4:8] * 4 for row in rows]
    assert rows == rows[4:8] * 4
