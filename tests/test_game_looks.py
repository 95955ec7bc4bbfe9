"""Contrast, palettes and glyphs: everything drawn can be read on every screen, also by colour-blind players."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING

import esper
import numpy as np
import pytest
from demo import demo_content
from tcod.console import Console, rgb_graphic
from test_game_screens import after

from dungeon import terrain as t
from dungeon.adapters.highlights import BLUE, GREEN, RED, VIOLET
from dungeon.adapters.tileset import square_tileset
from game_demo.__main__ import parser
from game_demo.display import drawing
from game_demo.display.map_view import Viewport, draw_map, make_legible, seen_tiles
from game_demo.display.palettes import PALETTES, SIGN, TEXT, contrast, legible, luminance
from game_demo.display.panels import SIDEBAR_WIDTHS, SightEntry, draw_sidebar
from game_demo.frontends.capabilities import Capabilities, glyph
from game_demo.frontends.colours import PaletteOf16, PaletteOf256, colours_of
from game_demo.screens.game_screens import Ending, PlayScreen, Title, help_page
from game_demo.screens.session import Session
from game_demo.state.components import Appearance, Tag
from game_demo.state.geometry import Area
from game_demo.state.tiles import tiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon import Content
    from game_demo.screens.screen import Screen

FIGURES = ("prop", "trap", "robot", "item", "debris")

MACHADO = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}  # fmt: skip
"""What is left of linear RGB for such eyes: Machado, Oliveira and Fernandes, "A Physiologically-based Model" (2009)."""


TERMINALS = [
    Capabilities(colours="24bit"),
    Capabilities(colours="256"),
    Capabilities(colours="16"),
    Capabilities(colours="16", bright_is_bold=True),
]


def shown_by(terminal: Capabilities, cells: NDArray[np.void]) -> tuple[NDArray[np.uint8], ...]:
    """Return the (n, 3) colours of text and of backgrounds in which a terminal shows (n,) cells."""
    colours = colours_of(terminal)
    codes = colours.codes(cells["fg"], cells["bg"], 1)
    if isinstance(colours, PaletteOf256 | PaletteOf16):
        return colours.fg[codes[0]], colours.bg[codes[1]]
    return tuple(np.stack([code >> 16, code >> 8 & 255, code & 255], -1).astype(np.uint8) for code in codes)


@pytest.fixture(scope="module")
def content() -> Content:
    return demo_content()


@pytest.fixture(scope="module", params=["galleries/2", "cisterns/3", "foundry/3"])
def play(content: Content, request: pytest.FixtureRequest) -> PlayScreen:
    """A game on a level in the middle of which the player has walked about."""
    return PlayScreen(Session(content, 7, start=request.param))


def drawn(screen: Screen, size: tuple[int, int] = (80, 24)) -> NDArray[np.void]:
    console = Console(*size, order="C")
    screen.draw(console)
    return console.rgb


# -- what is listed beside the map ---------------------------------------------------------------


def listed(*entries: SightEntry) -> list[str]:
    """Return the rows of a list of entries beside a map, as far as it reaches."""
    console, room = Console(40, 8, order="C"), Area(0, 10, 8, 10)
    draw_sidebar(console, "In sight", entries, room)
    rows = ["".join(map(chr, row[11:])).rstrip() for row in console.rgb["ch"].tolist()]
    assert all(row[:1] in "\0 " for row in rows)
    return [row.replace("\0", " ").strip() for row in rows[2:]]


def test_names_in_the_list_use_its_whole_width() -> None:
    thing = SightEntry("!", (200, 200, 200), "feature of the map: 1 prefab")
    assert listed(thing)[:2] == ["! feature of the map: 1", "prefab"]
    widest = "a" * (SIDEBAR_WIDTHS[0] - 5)
    assert listed(SightEntry("!", (200, 200, 200), widest), thing)[:2] == [
        f"! {widest}",
        "! feature of the map: 1",
    ]
    assert listed(*[thing] * 3)[-1] == "prefab"
    assert listed(*[thing] * 4)[-2:] == ["+2 more", ""], "no half of a thing is listed"
    assert listed(SightEntry("!", (200, 200, 200), "brass fittings", 12))[0] == "! brass fittings x12"


@pytest.mark.parametrize(
    ("name", "hp", "shown"),
    [
        ("steward", 9, "M! steward      9/9 ███████"),
        ("master of house", 9, "M! master of house 9/9 ████"),
        ("master of the house", 9, "M! master of the house 9/9"),
        ("master of the houses", 100, "M! master of the.. 100/100"),
    ],
)
def test_a_robots_name_is_cut_only_if_there_is_no_room_without_its_bar(
    name: str, hp: int, shown: str
) -> None:
    assert listed(SightEntry("M", (200, 200, 200), name, health=(hp, hp), mark="!"))[0] == shown


# -- contrast -------------------------------------------------------------------------------------


def test_contrast_follows_wcag() -> None:
    black, white, grey, red = (0, 0, 0), (255, 255, 255), (119, 119, 119), (255, 0, 0)
    assert contrast(black, white) == pytest.approx(21)
    assert contrast(white, grey) == pytest.approx(4.48, abs=0.01)  # the best-known failure of the standard
    assert contrast(red, white) == pytest.approx(4.0, abs=0.01)
    assert luminance([black, white]).tolist() == pytest.approx([0, 1])


def test_legible_raises_contrast_only_where_it_is_too_low() -> None:
    levels = np.array([0, 1, 40, 90, 120, 180, 255], np.uint8)
    colours = np.stack(np.meshgrid(levels, levels, levels), axis=-1).reshape(-1, 3)
    fg, bg = (each.reshape(-1, 3) for each in np.broadcast_arrays(colours[:, None], colours[None]))
    for ratio in (SIGN, TEXT):
        found = legible(fg, bg, ratio)
        assert contrast(found, bg).min() >= ratio
        was = contrast(fg, bg) >= ratio
        assert (found[was] == fg[was]).all()


@pytest.mark.parametrize("name", ["PLAIN", "BRIGHT", "DIM", "GOLD", "GREEN", "RED", "BLUE"])
@pytest.mark.parametrize("behind", ["BLACK", "BAR_BG", "BOX_BG"])
def test_text_has_enough_contrast(name: str, behind: str) -> None:
    assert contrast(getattr(drawing, name), getattr(drawing, behind)) >= TEXT


@pytest.mark.parametrize("kind", ["plain", "good", "bad", "find", "aside"])
def test_messages_of_earlier_turns_have_enough_contrast(kind: str) -> None:
    faded = drawing.faded(drawing.MESSAGE_COLOURS[kind], 0.45)  # type: ignore[index]
    assert contrast(faded, drawing.BLACK) > contrast(faded, drawing.BOX_BG) >= TEXT


@pytest.mark.parametrize("keys", ["", "vy", "vyv", "oooooo"])
def test_the_map_has_enough_contrast(play: PlayScreen, keys: str) -> None:
    session = Session(play.session.content, 7, start=play.game.map.level.id)
    rows = drawn(after(PlayScreen(session), *keys), (100, 40))[1:30, :]
    shown = rows["ch"] != ord(" ")
    assert shown.sum() > 30
    found = contrast(rows["fg"][shown], rows["bg"][shown])
    assert found.min() >= SIGN
    letters = np.vectorize(lambda code: chr(code).isascii() and chr(code).isalpha())(rows["ch"][shown])
    assert letters.any() or "v" not in keys, "the author's eye sees robots everywhere"
    assert found[letters].min(initial=TEXT) >= TEXT


@pytest.mark.parametrize("is_lit", [True, False])
def test_every_terrain_and_thing_of_the_demo_has_enough_contrast(content: Content, *, is_lit: bool) -> None:
    game = Session(content, 7, start="galleries/2").game
    game_map, sight = game.map, game.map.sight
    game_map.codes.flat = np.arange(game_map.codes.size) % len(game_map.level.terrain_set.kinds)
    things = cycle([thing for kind in FIGURES for thing in content.catalog.things[kind].values()])
    for (entity, (look, _)), thing in zip(esper.get_components(Appearance, Tag), things, strict=False):
        esper.add_component(entity, replace(look, glyph=thing.glyph, fg=thing.fg))
    everywhere = Area(0, 0, game_map.height, game_map.width)
    sight.explored[:] = True
    sight.visible = np.full(sight.explored.shape, is_lit)
    sight.memory[:] = tiles(game_map, everywhere, robots=True)
    console = Console(game_map.width, game_map.height, order="C")
    draw_map(console, game, Viewport(0, 0, everywhere))
    cells = console.rgb
    kinds = game_map.level.terrain_set
    bare = (kinds.base[game_map.codes] == t.DOORWAY) & (cells["ch"] == ord("."))
    ground = bare | (cells["ch"] == kinds.glyph[game_map.codes])
    found, shown = contrast(cells["fg"], cells["bg"]), cells["ch"] != ord(" ")
    assert {*np.unique(game_map.codes[shown & ground]).tolist()} >= {
        code for code, kind in enumerate(game_map.level.terrain_set.kinds) if kind.glyph != " "
    }
    assert found[shown].min() >= SIGN
    assert found[shown & ~ground].min() >= TEXT
    for terminal in TERMINALS:
        assert contrast(*shown_by(terminal, cells[shown])).min() >= SIGN


@pytest.mark.parametrize("terminal", TERMINALS, ids=lambda each: f"{each.colours}-{each.bright_is_bold}")
def test_remembered_walls_stand_out_and_differ_from_walls_in_sight(
    play: PlayScreen, terminal: Capabilities
) -> None:
    game, cells = after(play, *"oooooo").game, {}
    area = Area(0, 0, game.map.height, game.map.width)
    walls = game.map.sight.explored & (game.map.level.base[area.slices] == t.WALL)
    for kind, where in (
        ("seen", walls & game.map.sight.visible),
        ("kept", walls & ~game.map.sight.visible),
    ):
        picture = seen_tiles(game, area)
        make_legible(picture, game.map, area)
        cells[kind] = shown_by(terminal, picture[where])
    assert contrast(*cells["kept"]).min() >= SIGN
    hue = {kind: {*map(tuple, fg.tolist())} for kind, (fg, _) in cells.items()}
    assert hue["kept"].isdisjoint(hue["seen"])


def test_lit_cells_look_different_from_remembered_cells(play: PlayScreen) -> None:
    after(play, *"oooooo")
    game = play.game
    area = Area(0, 0, game.map.height, game.map.width)
    seen, sight = seen_tiles(game, area), game.map.sight
    dark = sight.explored & ~sight.visible
    assert luminance(seen["bg"][sight.visible]).mean() > 2 * luminance(seen["bg"][dark]).mean()


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
def test_every_written_text_has_enough_contrast(play: PlayScreen, size: tuple[int, int]) -> None:
    title = Title(play.session)
    screens = [help_page(play), Ending(play), *(after(play, key) for key in "ixmqcM"), after(play, "ctrl+g")]
    for screen in [*screens, after(title, "w"), after(title, "w", "end")]:
        cells = drawn(screen, size)
        letters = np.vectorize(lambda code: chr(code).isalnum())(cells["ch"])
        weak = letters & (contrast(cells["fg"], cells["bg"]) < TEXT)
        assert not weak.any()


# -- palettes -------------------------------------------------------------------------------------


def seen_by(eyes: str, colours: list[tuple[int, int, int]]) -> NDArray[np.float64]:
    """Return CIELAB colours (D65) as such eyes see them."""
    srgb = np.array(colours) / 255
    light = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    light = (light @ np.array(MACHADO[eyes]).T).clip(0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(light @ np.array(to_xyz).T / [0.9505, 1, 1.089] + 1e-9).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def recoloured(palette: str, colours: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    cells = np.zeros(len(colours), rgb_graphic)
    cells["ch"], cells["fg"] = ord("x"), colours
    PALETTES[palette](cells)
    return [tuple(colour) for colour in cells["fg"].tolist()]


@pytest.mark.parametrize("eyes", MACHADO)
def test_the_palette_for_the_colour_blind_tells_good_from_bad(eyes: str) -> None:
    def apart(palette: str, *colours: tuple[int, int, int]) -> float:
        one, other = seen_by(eyes, recoloured(palette, [*colours]))
        return float(np.hypot(one[1] - other[1], one[2] - other[2]))  # by hue alone, however bright they are

    assert (
        apart("plain", drawing.GREEN, drawing.RED) < 40 <= apart("colour-blind", drawing.GREEN, drawing.RED)
    )


@pytest.mark.parametrize("eyes", MACHADO)
def test_the_palette_for_the_colour_blind_tells_tints_apart(eyes: str) -> None:
    cells = np.zeros(4, rgb_graphic)
    cells["ch"], cells["bg"] = ord("x"), [hue.colour for hue in (BLUE, RED, GREEN, VIOLET)]
    PALETTES["colour-blind"](cells)
    found = seen_by(eyes, cells["bg"].tolist())
    apart = np.linalg.norm(found[:, None] - found[None], axis=2)[np.triu_indices(4, 1)]
    assert apart.min() > 10


def test_the_palette_high_contrast_raises_contrast(play: PlayScreen) -> None:
    cells = drawn(after(play, "o", "o"), (120, 40))
    PALETTES["contrast"](cells)
    shown = (cells["ch"] != ord(" ")) & ~np.isin(cells["ch"], [ord(glyph) for glyph in "█▀"])
    assert contrast(cells["fg"][shown], cells["bg"][shown]).min() >= 7


def test_the_key_p_changes_the_palette_that_the_option_sets_first(content: Content) -> None:
    session = Session(content, 7, palette="contrast")
    play = PlayScreen(session)
    shown = []
    for _ in range(4):
        console = Console(80, 24, order="C")
        play.draw(console)
        session.recolour(console)
        shown.append(console.rgb[:20].tobytes())
        play.press("P")
    assert "palette" in str(session.game.log.messages[-1])
    assert len({*shown}) == 3
    assert shown[0] == shown[3]
    assert [*parser().parse_args(["--palette", "contrast"]).palette] == [*"contrast"]
    with pytest.raises(ValueError, match="sepia"):
        Session(content, 7, palette="sepia")


# -- glyphs ---------------------------------------------------------------------------------------


def test_only_robots_are_drawn_as_letters(content: Content) -> None:
    things = content.catalog.things

    def is_letter(glyph: str) -> bool:
        return glyph.isascii() and glyph.isalpha()

    assert [thing.tag for thing in things["robot"].values() if not is_letter(thing.glyph)] == []
    others = [thing for kind in FIGURES if kind != "robot" for thing in things[kind].values()]
    assert [thing.tag for thing in others if is_letter(thing.glyph)] == []
    machines = {
        name: [glyph for each in content.prefabs[name].drawing.machines for glyph in each.glyphs]
        for name in content.prefabs
    }
    assert [name for name, glyphs in machines.items() if any(map(is_letter, glyphs))] == []
    assert [kind.name for kind in content.terrain_set.kinds if is_letter(kind.glyph)] == []


def test_no_item_is_drawn_like_ground(content: Content) -> None:
    terrain = content.terrain_set
    ground = {
        chr(glyph) for glyph in terrain.glyph[: len(terrain.kinds)][terrain.walkable[: len(terrain.kinds)]]
    }
    assert "." in ground
    things = [thing for kind in FIGURES for thing in content.catalog.things[kind].values()]
    assert [thing.tag for thing in things if thing.glyph in ground] == []


@pytest.mark.parametrize("charset", ["ascii", "cp437", "latin-1"])
def test_glyphs_missing_in_a_charset_have_telling_replacements(content: Content, charset: str) -> None:
    kinds = content.terrain_set.kinds
    ground = {kind.glyph for kind in kinds if kind.walkable} | {*"@<>+"}
    things = {thing.glyph for kind in FIGURES for thing in content.catalog.things[kind].values()}
    drawn = {chr(code) for code in content.terrain_set.glyph.tolist() if code}
    for name in content.prefabs:
        drawn.update(glyph for each in content.prefabs[name].drawing.machines for glyph in each.glyphs)
    shown = {each: glyph(ord(each), charset) for each in things | drawn}
    assert [each for each, plain in shown.items() if plain == "?" != each] == []
    assert [each for each, plain in shown.items() if plain != each and plain.isalpha()] == []
    assert [each for each in things if shown[each] in ground] == []
    if charset == "ascii":
        assert {glyph(ord(each), charset) for each in "╬╫╪╥╨├┴"} == {"0"}, "doors are +"


def test_every_glyph_has_a_tile(content: Content) -> None:
    tileset = square_tileset(1)
    glyphs = {thing.glyph for kind in FIGURES for thing in content.catalog.things[kind].values()}
    glyphs |= {kind.glyph for kind in content.terrain_set.kinds}
    assert [glyph for glyph in sorted(glyphs) if ord(glyph) not in tileset] == []
