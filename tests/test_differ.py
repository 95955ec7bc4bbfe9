"""What is written to terminals: frames, colours, characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tcod.console import Console, rgb_graphic
from terminals import Screen

from game_demo.display.palettes import contrast
from game_demo.frontends.capabilities import Capabilities, glyph
from game_demo.frontends.colours import AnyColour, PaletteOf16, PaletteOf256, colours_of
from game_demo.frontends.differ import LONG, Differ

if TYPE_CHECKING:
    from numpy.typing import NDArray

WHITE, RED, BLACK = (255, 255, 255), (255, 0, 0), (0, 0, 0)
ANY = Capabilities(colours="24bit")
KINDS = [
    Capabilities(colours=colours, bright_is_bold=bold, erases_in_colour=erases)
    for colours, bold in (("24bit", False), ("256", False), ("16", False), ("16", True), ("none", False))
    for erases in (False, True)
]


def scribble(rng: np.random.Generator, cells: NDArray[Any], share: float) -> None:
    """Change about `share` of the cells, to plain letters and to code points that a terminal would trip over."""
    codes = np.array(
        [0, 32, *map(ord, "#@äЖ♠╬█"), *b"\t\x1b\x7f", 0x301, 0x1100, 0x4E2D, 0x1F600, 0xD800, -1, 2**30]
    )
    colours = np.array([BLACK, WHITE, RED, (20, 30, 40), (23, 33, 43), (100, 90, 80)])
    picked = rng.random(cells.shape) < share
    for layer, palette in (("ch", codes), ("fg", colours), ("bg", colours)):
        cells[layer][picked] = rng.choice(palette, size=int(picked.sum()))


def drawn_anew(terminal: Capabilities, cells: NDArray[Any]) -> Screen:
    screen = Screen(cells.shape[1], cells.shape[0], erases=terminal.erases_in_colour)
    screen.feed(Differ(terminal).frame(cells))
    return screen


@pytest.mark.parametrize("terminal", KINDS, ids=str)
def test_the_screen_shows_each_frame(terminal: Capabilities) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        columns, rows = rng.integers(1, 24, size=2).tolist()
        differ, console = Differ(terminal), Console(columns, rows)
        screen = Screen(columns, rows, erases=terminal.erases_in_colour)
        for share in (rng.random(), 0.05, 0.3, 0.0, 1.0):
            scribble(rng, console.rgb, share)
            screen.feed(differ.frame(console.rgb))
            anew = drawn_anew(terminal, console.rgb)
            assert screen.letters.tolist() == [
                [glyph(code) for code in row] for row in console.rgb["ch"].tolist()
            ]
            written = screen.letters != " "
            if terminal.colours == "24bit":
                shown, wanted = screen.colours(screen.bg), console.rgb["bg"].astype(int)
                assert abs(shown - wanted).max() <= 2 * AnyColour.STEPS["bg"]
            else:
                assert (screen.bg == anew.bg).all()
                assert (screen.fg == anew.fg)[written].all()


def test_a_frame_says_only_what_changed() -> None:
    differ, console = Differ(ANY), Console(20, 5)
    console.print(0, 2, "....#..@", fg=WHITE, bg=BLACK)
    differ.frame(console.rgb)
    assert differ.frame(console.rgb) == ""
    console.print(1, 2, "@", fg=RED, bg=BLACK)
    console.print(2, 2, "!", fg=RED, bg=BLACK)
    console.print(7, 2, ".", fg=RED, bg=BLACK)
    assert differ.frame(console.rgb) == "\x1b[3;2H\x1b[38;2;255;0;0m@!\x1b[4C."


def test_a_shade_that_nobody_would_tell_from_another_is_left_alone() -> None:
    differ, console = Differ(ANY), Console(20, 5)
    console.rgb["bg"][:] = (40, 40, 40)
    differ.frame(console.rgb)
    console.rgb["bg"][:, 3] = (43, 44, 40)
    assert differ.frame(console.rgb) == ""
    console.rgb["bg"][:, 3] = (52, 40, 40)
    assert "48;2;52;40;40" in differ.frame(console.rgb)


def test_shades_do_not_creep_away() -> None:
    differ, screen, console = Differ(ANY), Screen(1, 1, erases=False), Console(1, 1)
    for shade in range(256):
        console.rgb["bg"][:] = shade
        screen.feed(differ.frame(console.rgb))
        assert abs(screen.colours(screen.bg) - shade).max() <= 2 * AnyColour.STEPS["bg"]


def test_a_long_frame_is_told_in_coarser_shades(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    before, after = Console(80, 24), Console(80, 24)
    after.rgb["ch"][:8, :40] = ord(".")
    after.rgb["bg"][:8, :40] = rng.integers(40, 60, size=(8, 40, 3))
    lengths = []
    for grains in ((1,), AnyColour.grains):
        monkeypatch.setattr(AnyColour, "grains", grains)
        differ = Differ(ANY)
        differ.frame(before.rgb)
        lengths.append(len(differ.frame(after.rgb)))
    assert lengths[0] > LONG >= lengths[1]


def test_blanks_are_erased_where_that_gives_them_their_colour() -> None:
    frames = {}
    for erases in (False, True):
        differ, console = Differ(Capabilities(colours="24bit", erases_in_colour=erases)), Console(60, 2)
        differ.frame(console.rgb)
        console.rgb["bg"][0] = (40, 80, 120)
        frames[erases] = differ.frame(console.rgb)
    assert frames[False].endswith(" " * 60)
    assert frames[True].endswith("\x1b[60X")


@pytest.mark.parametrize("terminal", KINDS, ids=str)
def test_a_frame_is_whole_after_forgetting(terminal: Capabilities) -> None:
    differ, console = Differ(terminal), Console(20, 5)
    console.print(0, 2, "....#..@", fg=WHITE, bg=(60, 60, 60))
    first = differ.frame(console.rgb)
    differ.forget()
    assert differ.frame(console.rgb) == first


def test_a_frame_is_whole_in_another_size() -> None:
    differ, screen = Differ(ANY), Screen(20, 9, erases=False)
    differ.frame(Console(20, 5).rgb)
    screen.feed(differ.frame(Console(6, 9).rgb))
    assert (screen.letters == " ").all()


# -- colours --------------------------------------------------------------------------------------


def cells_of(*pairs: tuple[tuple[int, int, int], tuple[int, int, int]]) -> NDArray[Any]:
    return np.array([[(ord("@"), fg, bg) for fg, bg in pairs]], dtype=rgb_graphic)


@pytest.mark.parametrize(
    ("terminal", "fg", "bg", "sgr"),
    [
        (ANY, (255, 0, 0), (0, 0, 0), ("38;2;255;0;0", "48;2;0;0;0")),
        (Capabilities(colours="256"), (255, 0, 0), (0, 0, 0), ("38;5;196", "48;5;16")),
        (Capabilities(colours="256"), (128, 128, 128), (38, 38, 38), ("38;5;244", "48;5;235")),
        (Capabilities(colours="16"), (255, 80, 80), (0, 0, 0), ("91", "40")),
        (Capabilities(colours="16"), (196, 196, 190), (40, 36, 30), ("37", "40")),
        (Capabilities(colours="16", bright_is_bold=True), (255, 80, 80), (10, 20, 30), ("1;31", "40")),
        (Capabilities(colours="16", bright_is_bold=True), (255, 255, 255), (0, 0, 0), ("1;37", "40")),
        (Capabilities(colours="16", bright_is_bold=True), (85, 85, 85), (0, 0, 0), ("22;33", "40")),
        (Capabilities(colours="16"), (85, 85, 85), (0, 0, 0), ("90", "40")),
        (Capabilities(colours="16", bright_is_bold=True), (180, 180, 180), (0, 0, 0), ("22;37", "40")),
        (Capabilities(colours="none"), (240, 240, 240), (0, 0, 0), ("22;1", "27")),
        (Capabilities(colours="none"), (100, 100, 100), (0, 0, 0), ("22;2", "27")),
        (Capabilities(colours="none"), (0, 0, 0), (180, 180, 180), ("22", "7")),
    ],
)
def test_the_nearest_colours_are_taken(
    terminal: Capabilities, fg: tuple[int, int, int], bg: tuple[int, int, int], sgr: tuple[str, str]
) -> None:
    screen = drawn_anew(terminal, cells_of((fg, bg)))
    assert (screen.fg[0, 0], screen.bg[0, 0]) == sgr


@pytest.mark.parametrize(
    "palette", [PaletteOf256(), PaletteOf16(bright_is_bold=False), PaletteOf16(bright_is_bold=True)]
)
def test_what_can_be_read_can_be_read_in_few_colours_as_well(palette: PaletteOf256 | PaletteOf16) -> None:
    rng = np.random.default_rng(0)
    fg, bg = rng.integers(0, 256, size=(2, 400, 3), dtype=np.uint8)
    bg //= 6
    wanted = contrast(fg, bg)
    front, back = palette.codes(fg, bg, 1)
    got = contrast(palette.fg[front], palette.bg[back])
    assert (wanted >= 4.5).sum() > 100
    assert (wanted < 3).sum() > 50
    assert (got >= np.minimum(wanted, 4.5) - 0.6).all()
    assert got[wanted >= 3].min() >= 3


@pytest.mark.parametrize("grain", AnyColour.grains)
def test_coarse_shades_are_no_harder_to_read(grain: int) -> None:
    rng = np.random.default_rng(0)
    bg = rng.integers(0, 120, size=(400, 3), dtype=np.uint8)
    fg = bg + rng.integers(20, 130, size=(400, 3), dtype=np.uint8)
    told = [
        np.array(
            [list(map(int, palette.sgr(code, layer).split(";")[2:])) for code in codes.tolist()], np.uint8
        )
        for palette in [AnyColour()]
        for layer, codes in zip(("fg", "bg"), palette.codes(fg, bg, grain), strict=True)
    ]
    assert (contrast(*told) >= contrast(fg, bg)).all()


def test_a_colour_is_the_same_wherever_it_is() -> None:
    colours = colours_of(Capabilities(colours="256"))
    rng = np.random.default_rng(1)
    fg, bg = rng.integers(0, 256, size=(2, 300, 3), dtype=np.uint8)
    first = colours.codes(fg, bg, 1)
    again = colours.codes(fg[::-1], bg[::-1], 1)
    np.testing.assert_array_equal(first[0], again[0][::-1])
    np.testing.assert_array_equal(first[1], again[1][::-1])


# -- characters -----------------------------------------------------------------------------------


def test_a_glyph_takes_one_cell() -> None:
    assert "".join(map(glyph, [0, 0x20, 0xA0, 0x3000])) == "    "
    assert "".join(map(glyph, map(ord, "aé♠☺╬█中\t"))) == "aé♠☺╬█??"


@pytest.mark.parametrize(
    ("charset", "shown"),
    [("ascii", "+-0||0#:.0^>~e?"), ("latin-1", "+-0||0#:·0^>~é?"), ("cp437", "┌─╥║│╬█░·0^>≈é?")],
)
def test_a_glyph_that_the_terminal_lacks_is_told_in_ascii(charset: str, shown: str) -> None:
    assert "".join(glyph(ord(letter), charset) for letter in "┌─╥║│╬█░·○▲►≈éЖ") == shown


def test_every_line_of_a_box_is_ascii_or_a_corner() -> None:
    """Or furniture, for which content uses some of them."""
    lines = {glyph(code, "ascii") for code in range(0x2500, 0x2580)}
    assert lines <= set("-|+#?0")
