"""REXPaint drawings: other programs' files, our own, and files that are damaged on purpose."""

from __future__ import annotations

import contextlib
import gc
import gzip
import os
import random
import struct
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import tcod.console
import tcod.tileset
from damaged import mutated
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dungeon import ContentError, Source, XpLayer, read_xp, write_xp
from dungeon.content.drawing.rexpaint import (
    MAX_CELLS,
    MAX_CELLS_IN_ALL,
    MAX_FILE_BYTES,
    MAX_LAYERS,
    encode_xp,
    parse_xp,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

REAL = Path(__file__).parent / "real"
REAL_FILES = sorted(path.name for path in REAL.glob("*.xp"))
ONE_CELL = XpLayer.from_rows(["@"])
MEMORY_CAP = 70_000_000  # bytes; the largest readable file takes 54 million


def pack(*ints: int) -> bytes:
    return struct.pack(f"<{len(ints)}i", *ints)


def squeeze(unpacked: bytes) -> bytes:
    return gzip.compress(unpacked, mtime=0)


def message_of(data: bytes) -> str:
    """Return what is said about damaged bytes, and check that it is said once and about the right file."""
    with pytest.raises(ContentError) as caught:
        parse_xp(data, "hall.xp")
    (problem,) = caught.value.problems
    assert problem.source == Source(file="hall.xp")
    assert problem.severity == "error"
    return problem.message


# --- drawings made by others


def test_real_files_are_here() -> None:
    assert REAL_FILES == [
        "SmallDungeon_80x50.xp",
        "libtcod-test.xp",
        "mltest.xp",
        "wfc-demo2.xp",
        "wfc-populated.xp",
    ]


@pytest.mark.parametrize("name", REAL_FILES)
def test_same_cells_as_tcod_reads(name: str) -> None:
    ours, theirs = read_xp(REAL / name), tcod.console.load_xp(REAL / name)
    assert len(ours) == len(theirs)
    for layer, console in zip(ours, theirs, strict=True):
        assert (layer.height, layer.width) == console.ch.shape
        np.testing.assert_array_equal(layer.glyph, console.ch)
        np.testing.assert_array_equal(layer.fg, console.fg)
        np.testing.assert_array_equal(layer.bg, console.bg)


@pytest.mark.parametrize("name", REAL_FILES)
def test_tcod_reads_what_we_write(name: str, tmp_path: Path) -> None:
    layers = read_xp(REAL / name)
    write_xp(tmp_path / name, layers)
    assert read_xp(tmp_path / name) == layers
    for layer, console in zip(layers, tcod.console.load_xp(tmp_path / name), strict=True):
        np.testing.assert_array_equal(layer.glyph, console.ch)
        np.testing.assert_array_equal(layer.fg, console.fg)
        np.testing.assert_array_equal(layer.bg, console.bg)


def test_the_word_test() -> None:
    (layer,) = read_xp(REAL / "libtcod-test.xp")
    assert layer.rows() == ["Test", "    "]
    assert layer.fg[0, 0].tolist() == [255, 255, 255]
    assert layer.bg[1].tolist() == [[255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 0, 0]]
    assert not layer.transparent.any()


def test_two_layers_with_holes_in_the_upper() -> None:
    lower, upper = read_xp(str(REAL / "mltest.xp"))
    assert lower.rows() == ["AAAAAAAA"] * 4
    assert upper.rows() == ["        ", "  BBBB  ", "  BBBB  ", "        "]
    assert not lower.transparent.any()
    np.testing.assert_array_equal(upper.transparent, upper.codepoints == ord(" "))


def test_a_wall_and_a_hero() -> None:
    (layer,) = read_xp(REAL / "wfc-populated.xp")
    assert (layer.width, layer.height) == (80, 43)
    assert layer.rows()[0] == "#" * 80
    assert layer.rows()[2][5] == "@"
    assert layer.glyph[2, 5] == ord("@")


def test_rooms_drawn_in_a_row() -> None:
    (layer,) = read_xp(REAL / "wfc-demo2.xp")
    assert layer.rows()[:4] == [
        "################# ###### ###",
        "#     ##     ##     ##     #",
        "#     ##     ##     ##     #",
        "      #                     ",
    ]


def test_a_dungeon_told_by_colour_alone() -> None:
    (layer,) = read_xp(REAL / "SmallDungeon_80x50.xp")
    assert layer.rows() == ["█" * 80] * 50
    assert layer.fg[0, 0].tolist() == [0x24, 0x1B, 0x15]
    assert layer.fg[1, 0].tolist() == [0x20, 0x17, 0x10]


# --- layers


def test_code_page_is_tcods() -> None:
    layer = XpLayer(
        glyph=np.arange(256, dtype=np.uint32).reshape(16, 16),
        fg=np.zeros((16, 16, 3), np.uint8),
        bg=np.zeros((16, 16, 3), np.uint8),
    )
    assert layer.codepoints.dtype == np.int32
    assert layer.codepoints.ravel().tolist() == list(tcod.tileset.CHARMAP_CP437)
    rows = layer.rows()
    assert rows[0] == " ☺☻♥♦♣♠•◘○◙♂♀♪♫☼"
    assert rows[11] == "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
    drawn = XpLayer.from_rows(rows)
    np.testing.assert_array_equal(drawn.glyph.ravel()[1:], np.arange(1, 256))


def test_tiles_beyond_the_code_page() -> None:
    glyph = np.array([[256, 0x2603, 0xD800, 0xDFFF, 0x10FFFF, 0x110000, 0x7FFFFFFF, 0xFFFFFFFF]], np.uint32)
    colours = np.zeros((1, 8, 3), np.uint8)
    (layer,) = parse_xp(encode_xp([XpLayer(glyph=glyph, fg=colours, bg=colours)]), "odd.xp")
    np.testing.assert_array_equal(layer.glyph, glyph)
    bad = 0xFFFD
    assert layer.codepoints.tolist() == [[256, 0x2603, bad, bad, 0x10FFFF, bad, bad, bad]]
    assert layer.rows() == ["Ā☃\ufffd\ufffd\U0010ffff\ufffd\ufffd\ufffd"]


def test_transparent_cells_and_tile_0_read_as_spaces() -> None:
    bg = np.zeros((1, 4, 3), np.uint8)
    bg[0, 1] = (255, 0, 255)
    bg[0, 2] = (255, 0, 254)
    layer = XpLayer(glyph=np.array([[64, 64, 64, 0]], np.uint32), fg=np.zeros((1, 4, 3), np.uint8), bg=bg)
    assert layer.transparent.tolist() == [[False, True, False, False]]
    assert layer.rows() == ["@ @ "]


def test_drawing_from_rows() -> None:
    rows = ["┌─┐", "│ │", "└♥┘"]
    layer = XpLayer.from_rows(rows, fg=(1, 2, 3), bg=(4, 5, 6))
    assert layer.rows() == rows
    assert layer.glyph[2, 1] == 3
    assert np.unique(layer.fg.reshape(-1, 3), axis=0).tolist() == [[1, 2, 3]]
    assert np.unique(layer.bg.reshape(-1, 3), axis=0).tolist() == [[4, 5, 6]]
    assert not layer.transparent.any()
    holed = XpLayer.from_rows(rows, transparent_spaces=True)
    assert holed.rows() == rows
    assert np.argwhere(holed.transparent).tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "with one cell or more, not shape"),
        (["", ""], r"with one cell or more, not shape \(2, 0\)"),
        (["###", "##"], "row 1 is 2 wide, but row 0 is 3"),
        (["###", "#☃#"], r"'☃' \(U\+2603\) at x=1, y=1 is not in code page 437"),
        (["#\t#"], r"'\\t' \(U\+0009\) at x=1, y=0"),
        (["\ud800"], r"U\+D800"),
    ],
)
def test_rows_that_cannot_be_drawn(rows: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        XpLayer.from_rows(rows)


@pytest.mark.parametrize("colour", [(256, 0, 0), (-1, 0, 0), (0, 0), (0, 0, 0, 0)])
def test_colours_that_are_none(colour: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match=r"."):
        XpLayer.from_rows(["##"], fg=colour)


@pytest.mark.parametrize(
    ("glyph", "fg", "message"),
    [
        (
            np.zeros((2, 3), np.int64),
            np.zeros((2, 3, 3), np.uint8),
            r"glyph is an array of int64 \(2, 3\), not of uint32",
        ),
        (np.zeros((2, 3), np.uint32), np.zeros((2, 3, 3), np.int16), "fg is an array of int16"),
        (
            np.zeros((2, 3), np.uint32),
            np.zeros((3, 2, 3), np.uint8),
            r"fg is an array of uint8 \(3, 2, 3\), not of uint8 \(2, 3, 3\)",
        ),
        (np.zeros((2, 3), np.uint32), np.zeros((2, 3, 4), np.uint8), r"fg is an array of uint8 \(2, 3, 4\)"),
        (np.zeros(6, np.uint32), np.zeros((6, 3), np.uint8), r"not shape \(6,\)"),
        (np.zeros((0, 3), np.uint32), np.zeros((0, 3, 3), np.uint8), r"not shape \(0, 3\)"),
    ],
)
def test_arrays_that_are_no_layer(glyph: np.ndarray, fg: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        XpLayer(glyph=glyph, fg=fg, bg=np.zeros((2, 3, 3), np.uint8))


def test_a_layer_keeps_its_own_read_only_arrays() -> None:
    glyph = np.full((2, 3), 35, np.uint32, order="F")
    layer = XpLayer(glyph=glyph, fg=np.zeros((2, 3, 3), np.uint8), bg=np.zeros((2, 3, 3), np.uint8))
    glyph[0, 0] = 64
    assert layer.rows() == ["###", "###"]
    for array in (layer.glyph, layer.fg, layer.bg, *(read_xp(REAL / "mltest.xp")[0].glyph,)):
        assert array.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1


def test_layers_compare_by_their_cells() -> None:
    plain, same = XpLayer.from_rows(["#."]), XpLayer.from_rows(["#."])
    others = [
        XpLayer.from_rows([".#"]),
        XpLayer.from_rows(["#", "."]),
        XpLayer.from_rows(["#."], fg=(0, 0, 9)),
        XpLayer.from_rows(["#."], bg=(0, 0, 9)),
    ]
    assert plain == same
    assert hash(plain) == hash(same)
    assert all(plain != other for other in others)
    assert plain != "#."


# --- writing


@st.composite
def drawings(draw: st.DrawFn) -> list[XpLayer]:
    height, width = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    glyphs = hnp.arrays(np.uint32, (height, width))
    colours = hnp.arrays(np.uint8, (height, width, 3))
    layer = st.builds(XpLayer, glyph=glyphs, fg=colours, bg=colours)
    return draw(st.lists(layer, min_size=1, max_size=MAX_LAYERS))


@given(drawings())
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read(layers: list[XpLayer]) -> None:
    data = encode_xp(layers)
    assert parse_xp(data, "any.xp") == layers
    assert encode_xp(layers) == data
    version, count, width, height = struct.unpack_from("<4i", gzip.decompress(data))
    assert (version, count) == (-1, len(layers))
    assert (height, width) == layers[0].glyph.shape


def test_every_tile_survives() -> None:
    glyph = np.arange(65_536, dtype=np.uint32).reshape(256, 256)
    colours = np.zeros((256, 256, 3), np.uint8)
    layers = [XpLayer(glyph=glyph * step, fg=colours, bg=colours) for step in (1, 65_537)]
    assert parse_xp(encode_xp(layers), "all.xp") == layers


def test_the_bytes_say_neither_when_nor_where(tmp_path: Path) -> None:
    layers = read_xp(REAL / "mltest.xp")
    write_xp(tmp_path / "one.xp", layers)
    write_xp(tmp_path / "other.xp", layers)
    data = (tmp_path / "one.xp").read_bytes()
    assert data == (tmp_path / "other.xp").read_bytes() == encode_xp(layers)
    assert data[:4] == b"\x1f\x8b\x08\x00"  # no name
    assert data[4:8] == bytes(4)  # no time


def test_columns_come_first_in_the_file() -> None:
    data = gzip.decompress(encode_xp([XpLayer.from_rows(["ab", "cd"], fg=(1, 2, 3), bg=(4, 5, 6))]))
    assert data[:16] == pack(-1, 1, 2, 2)
    assert data[16:] == b"".join(bytes((ord(tile), 0, 0, 0, 1, 2, 3, 4, 5, 6)) for tile in "acbd")


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([], "1 to 9 layers, not 0"),
        ([ONE_CELL] * 10, "1 to 9 layers, not 10"),
        ([ONE_CELL, XpLayer.from_rows(["ab"])], "layer 2 is 2x1 and layer 1 1x1"),
        ([XpLayer.from_rows(["#" * 1001] * 1000)], "at most 1,000,000 cells, not 1 of 1001x1000"),
        (
            [XpLayer.from_rows(["#" * 834] * 400)] * 6,
            "at most 2,000,000 cells in its layers, not 6 of 834x400",
        ),
    ],
)
def test_drawings_that_cannot_be_written(layers: list[XpLayer], message: str, tmp_path: Path) -> None:
    path = tmp_path / "kept.xp"
    path.write_bytes(b"before")
    with pytest.raises(ValueError, match=message):
        write_xp(path, layers)
    assert path.read_bytes() == b"before"


# --- reading what is unusual, but right


@pytest.mark.parametrize("name", REAL_FILES)
def test_a_file_from_before_version_numbers(name: str) -> None:
    unpacked = gzip.decompress((REAL / name).read_bytes())
    assert parse_xp(squeeze(unpacked[4:]), "old.xp") == read_xp(REAL / name)


def test_another_version_is_read_alike() -> None:
    assert parse_xp(squeeze(pack(-3) + gzip.decompress(encode_xp([ONE_CELL]))[4:]), "new.xp") == [ONE_CELL]


def test_a_gzip_header_with_a_name_and_a_time() -> None:
    body = encode_xp([ONE_CELL])[10:]
    header = b"\x1f\x8b\x08\x08\x01\x02\x03\x04\x00\x03" + b"hall.xp\0"
    assert parse_xp(header + body, "hall.xp") == [ONE_CELL]


def test_the_largest_layer_is_read() -> None:
    data = squeeze(pack(-1, 1, 1000, 1000) + bytes(10 * MAX_CELLS))
    (layer,) = parse_xp(data, "large.xp")
    assert layer.glyph.shape == (1000, 1000)


# --- reading what is damaged

GOOD = (REAL / "mltest.xp").read_bytes()
INSIDE = gzip.decompress(GOOD)
HERO = bytes((64, 0, 0, 0, 255, 255, 255, 0, 0, 0))

DAMAGED = {
    "empty": (b"", "the file is empty"),
    "one byte": (b"\x1f", "the file is no gzip file (it starts with 1f), not a REXPaint drawing"),
    "text": (b"#####\n#...#\n", "the file is plain text, not a REXPaint drawing"),
    "text with accents": ("Größe\r\n".encode(), "the file is plain text, not a REXPaint drawing"),
    "text in code page 437": ("╔══╗\n".encode("cp437"), "the file is plain text, not a REXPaint drawing"),
    "image": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "the file is a PNG image, not a REXPaint drawing"),
    "archive": (b"PK\x03\x04\x14\0", "the file is a zip archive, not a REXPaint drawing"),
    "not compressed": (
        INSIDE,
        "the file is the inside of a drawing without its gzip compression, not a REXPaint drawing",
    ),
    "zlib, not gzip": (
        b"\x78\x9c\xfb\xff\xff\x9f",
        "the file is no gzip file (it starts with 78 9c fb ff), not a REXPaint drawing",
    ),
    "zeros": (bytes(99), "the file is no gzip file (it starts with 00 00 00 00), not a REXPaint drawing"),
    "gzip magic only": (GOOD[:2], "the file is cut off at byte 2: it unpacks to 0 bytes and needs 22"),
    "gzip header only": (GOOD[:10], "the file is cut off at byte 10: it unpacks to 0 bytes and needs 22"),
    "unknown compression": (b"\x1f\x8b\x07" + GOOD[3:], "the file is damaged: unknown compression method"),
    "reserved gzip flags": (b"\x1f\x8b\x08\xe0" + GOOD[4:], "the file is damaged: unknown header flags set"),
    "bad deflate block": (GOOD[:10] + b"\xff" + GOOD[11:], "the file is damaged: invalid block type"),
    "gzip checksum": (
        GOOD[:-8] + bytes((GOOD[-8] ^ 1,)) + GOOD[-7:],
        "the file is damaged: its contents do not match the gzip checksum",
    ),
    "gzip length": (
        GOOD[:-1] + bytes((GOOD[-1] ^ 1,)),
        "the file is damaged: its contents do not match the gzip checksum",
    ),
    "no gzip checksum": (
        GOOD[:-8],
        f"the file is cut off at byte {len(GOOD) - 8}: its gzip checksum is incomplete",
    ),
    "half a gzip checksum": (
        GOOD[:-3],
        f"the file is cut off at byte {len(GOOD) - 3}: its gzip checksum is incomplete",
    ),
    "second drawing": (
        GOOD + GOOD,
        f"the drawing ends at byte {len(GOOD)} of the file, but a second gzip file of {len(GOOD)} bytes follows",
    ),
    "bytes after": (
        GOOD + b"\0\0\0",
        f"the drawing ends at byte {len(GOOD)} of the file, but something else of 3 bytes follows",
    ),
    "nothing inside": (squeeze(b""), "the file is too short: it unpacks to 0 bytes and needs 22"),
    "part of a version": (squeeze(b"\xff\xff"), "the file is too short: it unpacks to 2 bytes and needs 22"),
    "version only": (squeeze(pack(-1)), "the file is too short: it unpacks to 4 bytes and needs 22"),
    "no size": (squeeze(pack(-1, 1)), "the file is too short: it unpacks to 8 bytes and needs 22"),
    "part of a size": (
        squeeze(pack(-1, 1, 4) + b"\1"),
        "the file is too short: it unpacks to 13 bytes and needs 22",
    ),
    "no cells": (squeeze(pack(-1, 1, 4, 2)), "the file is too short: it unpacks to 16 bytes and needs 96"),
    "a byte too few": (squeeze(INSIDE[:-1]), "the file is too short: it unpacks to 663 bytes and needs 664"),
    "one layer too few": (
        squeeze(INSIDE[:336]),
        "the file is too short: it unpacks to 336 bytes and needs 664",
    ),
    "a byte too many": (
        squeeze(INSIDE + b"\0"),
        "the file goes on after its last layer, which ends at unpacked byte 664",
    ),
    "a layer too many": (
        squeeze(pack(-1, 1) + INSIDE[8:]),
        "the file goes on after its last layer, which ends at unpacked byte 336",
    ),
    "no layers": (squeeze(pack(-1, 0)), "a drawing must have 1 to 9 layers, not 0"),
    "no layers, unversioned": (squeeze(pack(0)), "a drawing must have 1 to 9 layers, not 0"),
    "negative layers": (squeeze(pack(-1, -2, 1, 1) + HERO), "a drawing must have 1 to 9 layers, not -2"),
    "ten layers": (
        squeeze(pack(-1, 10) + (pack(1, 1) + HERO) * 10),
        "a drawing must have 1 to 9 layers, not 10",
    ),
    "ten layers, unversioned": (
        squeeze(pack(10) + (pack(1, 1) + HERO) * 10),
        "a drawing must have 1 to 9 layers, not 10",
    ),
    "a million layers": (squeeze(pack(-1, 1_000_000)), "a drawing must have 1 to 9 layers, not 1000000"),
    "compressed text": (
        squeeze(b"#####\n#...#\n"),
        "the file is gzip-compressed, but holds plain text, not a REXPaint drawing",
    ),
    "compressed image": (
        squeeze(b"\x89PNG\r\n\x1a\n"),
        "the file is gzip-compressed, but holds a PNG image, not a REXPaint drawing",
    ),
    "compressed twice": (
        squeeze(GOOD),
        "the file is gzip-compressed, but holds a gzip file, not a REXPaint drawing",
    ),
    "no width": (
        squeeze(pack(-1, 1, 0, 5)),
        "a drawing must have layers at least one cell wide and high, not 1 of 0x5",
    ),
    "no height": (
        squeeze(pack(-1, 1, 5, 0)),
        "a drawing must have layers at least one cell wide and high, not 1 of 5x0",
    ),
    "negative width": (
        squeeze(pack(-1, 1, -4, -4) + HERO * 16),
        "a drawing must have layers at least one cell wide and high, not 1 of -4x-4",
    ),
    "too wide": (
        squeeze(pack(-1, 1, 2_000_000_000, 1)),
        "a drawing must have layers of at most 1,000,000 cells, not 1 of 2000000000x1",
    ),
    "large beyond 64 bits": (
        squeeze(pack(-1, 9, 2**31 - 1, 2**31 - 1)),
        "a drawing must have layers of at most 1,000,000 cells, not 9 of 2147483647x2147483647",
    ),
    "too many cells in all": (
        squeeze(pack(-1, 9, 1000, 1000)),
        "a drawing must have at most 2,000,000 cells in its layers, not 9 of 1000x1000",
    ),
    "layers of two sizes": (
        squeeze(pack(-1, 2, 1, 1) + HERO + pack(1, 2) + HERO * 2),
        "a drawing must have layers of one size, but layer 2 is 1x2 and layer 1 1x1",
    ),
    "rows first": (
        squeeze(pack(-1, 2, 2, 1) + HERO * 2 + pack(1, 2) + HERO * 2),
        "a drawing must have layers of one size, but layer 2 is 1x2 and layer 1 2x1",
    ),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damage_is_named(kind: str) -> None:
    data, message = DAMAGED[kind]
    assert message_of(data) == message


@pytest.mark.parametrize("name", REAL_FILES)
def test_cut_off_anywhere(name: str) -> None:
    data = (REAL / name).read_bytes()
    for length in range(2, len(data), max(1, len(data) // 200)):
        assert message_of(data[:length]).startswith(f"the file is cut off at byte {length}: ")


def test_cut_off_anywhere_inside() -> None:
    for length in range(len(INSIDE)):
        assert message_of(squeeze(INSIDE[:length])).startswith(
            f"the file is too short: it unpacks to {length} bytes"
        )


def test_the_error_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "hall.xp"
    path.write_bytes(squeeze(INSIDE[:-1]))
    with pytest.raises(ContentError) as caught:
        read_xp(path)
    assert str(caught.value) == (
        f"1 problem in the content\n  {path}: error: the file is too short: it unpacks to 663 bytes and needs 664"
    )


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.xp")
    (tmp_path / "round.xp").symlink_to(tmp_path / "round.xp")
    reasons = {
        ".": "Is a directory",
        "a/b\0c.xp": "embedded null byte",
        "\ud800.xp": "surrogates not allowed",
        "n" * 5000: "File name too long",
        "round.xp": "Too many levels of symbolic links",
        "pipe.xp": "it is a pipe or device, not a file",
        "/dev/zero": "it is a pipe or device, not a file",
    }
    for name, reason in reasons.items():
        path = tmp_path / name
        with pytest.raises(ContentError) as caught:
            read_xp(path)
        (problem,) = caught.value.problems
        assert problem.source.file == str(path)
        assert problem.message.startswith("the file cannot be read: ")
        assert problem.message.endswith(reason)


@pytest.mark.parametrize("name", ["absent.xp", "absent/hall.xp"])
def test_a_missing_file_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=f"No such file or directory: '.*/{name}'"):
        read_xp(tmp_path / name)


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The superuser may read everything, so the refusal is staged.
    path = tmp_path / "locked.xp"
    path.write_bytes(GOOD)

    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ContentError, match=r"locked\.xp: error: the file cannot be read: Permission denied"):
        read_xp(path)


# --- nothing but layers or ContentError


def read_or_refuse(data: bytes) -> bool:
    """Return whether the bytes hold a drawing. Anything but layers or a `ContentError` fails the test."""
    try:
        layers = parse_xp(data, "fuzz.xp")
    except ContentError as error:
        (problem,) = error.problems
        assert problem.source == Source(file="fuzz.xp")
        return False
    assert 1 <= len(layers) <= MAX_LAYERS
    assert len({layer.glyph.shape for layer in layers}) == 1
    for layer in layers:
        assert len(layer.rows()) == layer.height
        assert layer.fg.shape == layer.bg.shape == (layer.height, layer.width, 3)
    return True


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_random_bytes(data: bytes) -> None:
    for disguised in (data, GOOD[:10] + data, squeeze(data), squeeze(pack(-1) + data)):
        read_or_refuse(disguised)


@given(mutated(GOOD))
@settings(max_examples=300, deadline=None)
def test_mutated_files(data: bytes) -> None:
    # The checksum does not cover the gzip header, where a few flips (time, system) do no harm.
    if read_or_refuse(data):
        assert parse_xp(data, "fuzz.xp") == read_xp(REAL / "mltest.xp")


@given(mutated(INSIDE) | mutated(INSIDE[4:]) | mutated(pack(-1, 1, 2, 1) + HERO * 2))
@settings(max_examples=300, deadline=None)
def test_mutated_contents(unpacked: bytes) -> None:
    # The contents' length follows from their header, so what is accepted is written back byte for byte.
    data = squeeze(unpacked)
    if read_or_refuse(data):
        again = gzip.decompress(encode_xp(parse_xp(data, "fuzz.xp")))
        versioned = unpacked if struct.unpack_from("<i", unpacked)[0] < 0 else pack(-1) + unpacked
        assert again[4:] == versioned[4:]


# --- memory


def bomb(head: bytes, megabytes: int) -> bytes:
    """Return a gzip file that unpacks to `head` and then zeros, without ever compressing all of them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    start = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    zeros = packer.compress(bytes(1_000_000)) + packer.flush(zlib.Z_FULL_FLUSH)
    return start + zeros * megabytes


def largest() -> bytes:
    noise = random.Random(1).randbytes(10 * MAX_CELLS)
    unpacked = pack(-1, 2) + pack(1000, 1000) + noise + pack(1000, 1000) + noise
    return gzip.compress(unpacked, compresslevel=0, mtime=0)


HUNGRY = {
    "a layer of 2e9x1": (
        lambda: squeeze(pack(-1, 1, 2_000_000_000, 1)),
        "a drawing must have layers of at most 1,000,000 cells, not 1 of 2000000000x1",
    ),
    "a million layers": (
        lambda: squeeze(pack(-1, 1_000_000, 80, 50) + bytes(99)),
        "a drawing must have 1 to 9 layers, not 1000000",
    ),
    "nine layers of 1000x1000": (
        lambda: bomb(pack(-1, 9, 1000, 1000), 90),
        "a drawing must have at most 2,000,000 cells in its layers, not 9 of 1000x1000",
    ),
    "cells the file does not hold": (
        lambda: squeeze(pack(-1, 2, 1000, 1000)),
        "the file is too short: it unpacks to 16 bytes and needs 20000024",
    ),
    "ten gigabytes after one cell": (
        lambda: bomb(pack(-1, 1, 1, 1) + HERO, 10_000),
        "the file goes on after its last layer, which ends at unpacked byte 26",
    ),
    "ten gigabytes of zeros": (lambda: bomb(b"", 10_000), "a drawing must have 1 to 9 layers, not 0"),
    "ten gigabytes of cells": (
        lambda: bomb(pack(-1, 2, 1000, 1000) + bytes(10 * MAX_CELLS) + pack(1000, 1000), 10_000),
        "the file goes on after its last layer, which ends at unpacked byte 20000024",
    ),
    "a name of 24 MB": (
        lambda: b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * (MAX_FILE_BYTES - 10),
        "the file is cut off at byte 24000000: it unpacks to 0 bytes and needs 22",
    ),
    "24 MB of empty blocks": (
        lambda: GOOD[:10] + b"\x00\x00\x00\xff\xff" * (MAX_FILE_BYTES // 5 - 2),
        "the file is cut off at byte 24000000: it unpacks to 0 bytes and needs 22",
    ),
    "too large a file": (
        lambda: GOOD + bytes(MAX_FILE_BYTES),
        "the file is larger than 24,000,000 bytes, the most that a drawing may have",
    ),
    "48 MB of text": (
        lambda: b"#" * 2 * MAX_FILE_BYTES,
        "the file is larger than 24,000,000 bytes, the most that a drawing may have",
    ),
}


@contextlib.contextmanager
def traced() -> Iterator[None]:
    gc.collect()
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", HUNGRY)
def test_a_hostile_file_costs_little(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.xp"
    build, message = HUNGRY[kind]
    path.write_bytes(build())
    with traced():
        with pytest.raises(ContentError) as caught:
            read_xp(path)
        assert caught.value.problems[0].message == message
        assert tracemalloc.get_traced_memory()[1] < MEMORY_CAP


def test_the_largest_file_fits(tmp_path: Path) -> None:
    assert 2 * MAX_CELLS == MAX_CELLS_IN_ALL
    path = tmp_path / "largest.xp"
    path.write_bytes(largest())
    with traced():
        assert len(read_xp(path)) == 2
        assert tracemalloc.get_traced_memory()[1] < MEMORY_CAP


def test_reading_does_not_leak() -> None:
    broken = squeeze(INSIDE[:-1])

    def read_all() -> None:
        for name in REAL_FILES:
            read_xp(REAL / name)
        with contextlib.suppress(ContentError):
            parse_xp(broken, "broken.xp")

    read_all()
    with traced():
        read_all()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(8):
            read_all()
        gc.collect()
        # One SmallDungeon alone is 40 kB of arrays.
        assert tracemalloc.get_traced_memory()[0] - before < 20_000


def test_reading_needs_no_tcod() -> None:
    code = (
        "import sys; from dungeon.content.drawing.rexpaint import read_xp\n"
        "print(*(''.join(layer.rows()) for layer in read_xp(sys.argv[1])))\n"
        "assert 'tcod' not in sys.modules"
    )
    command = [sys.executable, "-c", code, str(REAL / "libtcod-test.xp")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    assert done.stdout.rstrip() == "Test"
