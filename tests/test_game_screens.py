"""The demo game's screens, drawn without a terminal, and its command line."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Self

import numpy as np
import pytest
from demo import demo_content
from tcod.console import Console
from test_game import drawn_content, forget_worlds

import dungeon
from dungeon import terrain as t
from game_demo.__main__ import main
from game_demo.content import data_folder
from game_demo.display import drawing
from game_demo.display.descriptions import describe_cell
from game_demo.display.explanations import plain_step
from game_demo.display.map_view import viewport_on
from game_demo.display.overview import cells_per_point, minimap
from game_demo.display.panels import sidebar_width
from game_demo.rules.pack import stow
from game_demo.screens.build_viewer import BuildViewer
from game_demo.screens.dialogs import TextPage
from game_demo.screens.game_screens import Ending, PlayScreen, Title, help_page
from game_demo.screens.keys import BODY_HELP, HELP, WATCH_HELP
from game_demo.screens.look import Look
from game_demo.screens.session import Session
from game_demo.start import run
from game_demo.state.body import TURN
from game_demo.state.components import Appearance, ItemEffect, Stack
from game_demo.state.geometry import Area
from game_demo.state.log import Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from game_demo.screens.screen import Screen

ROOT = Path(__file__).parent.parent
SIZES = [(80, 24), (120, 40), (81, 25), (103, 31), (104, 32), (240, 90), (80, 70), (300, 24)]

HALL = """
    ###############
    #<...n.m.i..sg#
    #.............#
    #####+#########
    #C............#
    ###############
"""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    yield Session(drawn_content(tmp_path, HALL), 7)
    forget_worlds()


def beginning(folder: Path, objects: Mapping[str, str], legend: str) -> Iterator[Callable[..., PlayScreen]]:
    """Yield what begins a game on drawn levels, with its screen; the player arrives at ``<``."""

    def begin(*drawings: str) -> PlayScreen:
        return PlayScreen(Session(drawn_content(folder, *drawings, objects=objects, legend=legend), 1))

    yield begin
    forget_worlds()


class Script:
    """A front end that presses keys from a list and keeps what is shown."""

    def __init__(self, *keys: str | None, size: tuple[int, int] = (80, 24)) -> None:
        self.keys = list(keys)
        self.size = size
        self.shown: list[str] = []
        self.pauses: list[float | None] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def present(self, console: Console) -> None:
        assert (console.width, console.height) == self.size
        self.shown.append(text_of(console))

    def wait(self, seconds: float | None = None, /) -> str | None:
        self.pauses.append(seconds)
        return self.keys.pop(0) if self.keys else "quit"


def text_of(console: Console) -> str:
    return "\n".join("".join(chr(code or 32) for code in row).rstrip() for row in console.rgb["ch"].tolist())


def shot(screen: Screen, size: tuple[int, int] = (80, 24)) -> str:
    console = Console(*size, order="C")
    screen.draw(console)
    return text_of(console)


def after(screen: Screen | None, *keys: str) -> Screen:
    for key in keys:
        assert screen is not None
        screen = screen.press(key)
    assert screen is not None
    return screen


# -- screens --------------------------------------------------------------------------------------


def test_the_title_shows_world_seed_and_keys(session: Session) -> None:
    text = shot(Title(session))
    for words in ("T H E   T E S T", "seed 7", "Hall 1", "press any key", "hjklyubn"):
        assert words in text
    assert ".." not in text, "no line is cut"


def test_the_prompt_for_a_map_suggests_one_of_this_world(session: Session) -> None:
    assert f"for example: {session.world.maps[-1].id} 7" in shot(after(Title(session), " ", "ctrl+g"))


def test_the_titles_of_the_shipped_worlds_are_not_cut() -> None:
    rows = shot(Title(Session(demo_content(), 7))).splitlines()
    inside = [row.split("│")[1] for row in rows if row.count("│") == 2]
    assert len(inside) > 12
    assert [row for row in inside if ".." in row] == []
    forget_worlds()


def test_a_scripted_game_from_title_to_farewell(session: Session) -> None:
    script = Script(
        " ", "l", None, "resize", "?", "escape", "i", "escape", "m", "escape", "q", "n", "q", "y", "l"
    )
    run(script, Title(session))
    assert script.keys == ["l"]  # the game had been left by then
    assert "press any key" in script.shown[0]
    assert "Hall 1, depth 1" in script.shown[1]
    assert script.shown[2] == script.shown[3]
    assert "to the stairs, on or down" in script.shown[5]
    assert "It is empty." in script.shown[7]
    assert "You have come to Hall 1." in script.shown[9]
    assert "Leave The Test? Your game is not saved.  y / n" in script.shown[11]
    assert session.game.log.turn == 1


def test_the_game_ends_when_the_front_end_quits(session: Session) -> None:
    run(Script("x", "quit"), Title(session))


def test_the_map_shows_only_explored_cells(session: Session) -> None:
    rows = shot(PlayScreen(session)).splitlines()
    assert rows[0].split() == ["Hall", "1,", "depth", "1", "·", "The", "Test", "turn", "0", "seed", "7"]
    top = next(number for number, row in enumerate(rows) if "@" in row)
    assert [row[32:47] for row in rows[top - 1 : top + 4]] == [
        "###############",
        "#@.....m.i..!*#",
        "#.............#",
        "#####+#########",
        "",
    ]
    assert rows[19].startswith(
        " HP ██████ 30/30  charge ██████ 1200/1200  power 3  │ the way out of this world"
    )


def test_remembered_ground_is_dim_and_robots_are_not_remembered(session: Session) -> None:
    game = session.game
    screen = after(PlayScreen(session), "j", *"lll", "n", "n", "j", *"lll")
    console = Console(80, 24, order="C")
    screen.draw(console)
    assert "m" not in "".join(text_of(console).splitlines()[2:19])
    seen, visible = game.map.sight.explored, game.map.sight.visible
    assert seen[1, 7]
    assert not visible[1, 7]
    top = viewport_on(game.map.level, game.player_cell, Area(1, 0, 20, 80))
    dim, bright = top.on_console((0, 1)), top.on_console((5, 8))
    assert dim is not None
    assert bright is not None
    assert console.rgb["fg"][dim].sum() < console.rgb["fg"][bright].sum()


def test_the_designers_view_shows_everything(session: Session) -> None:
    text = shot(after(PlayScreen(session), "v", "y"))
    assert "#....^.m.i..!*#".replace("....", "@...", 1) in text.replace("<", ".")
    assert "#.............#" in text


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_screen_fits_every_size(session: Session, size: tuple[int, int]) -> None:
    play = PlayScreen(session)
    session.game.log.say("long " * 100)
    session.game.log.say("odd\x00\n\x1b[31m\t\U0001f600 ÿ")
    play.press("l")
    screens = [Title(session), play, *(after(play, key) for key in "x?imacqv"), Ending(play)]
    screens += [after(Title(session), "w", *keys) for keys in ("", "z", ("end",), "?", "vjjl ")]
    for screen in screens:
        rows = shot(screen, size).splitlines()
        assert len(rows) <= size[1]
        assert all(len(row) <= size[0] for row in rows)
        assert all(letter.isprintable() for row in rows for letter in row)


def test_the_shipped_worlds_fit_every_size() -> None:
    session = Session(demo_content(), 3)
    screen: Screen = Title(session)
    watching = [
        "w",
        *"lj",
        "pagedown",
        "z",
        "end",
        "L",
        "K",
        "up",
        "h",
        "tab",
        "v",
        "end",
        "W",
        "?",
        "q",
        "q",
    ]
    for key in [*watching, " ", *"LJHKlx", "L", "J", "tab", "escape", "v", "x", *"YYYYY"]:
        for size in SIZES:
            shot(screen, size)
        screen = after(screen, key)
    forget_worlds()


def test_long_messages_wrap_and_are_cut_at_the_last_row(session: Session) -> None:
    session.game.log.begin_action()
    session.game.log.say("one " * 30)
    session.game.log.say("two")
    assert [row.split()[:2] for row in shot(PlayScreen(session)).splitlines()[21:]] == [
        ["│", "one"],
        ["│", "one"],
        ["│", "two"],
    ]
    session.game.log.say("word " * 80)
    rows = shot(PlayScreen(session)).splitlines()[21:]
    assert all(row.startswith("│ word word") and len(row) <= 80 for row in rows)
    assert rows[-1].endswith("word (m shows the rest)")
    session.game.log.say("Word. " * 80)
    assert shot(PlayScreen(session)).splitlines()[-1].endswith(" Word. (m shows the rest)")


def test_more_room_shows_more_of_the_map(session: Session) -> None:
    level = session.game.map.level
    assert viewport_on(level, (1, 1), Area(1, 0, 20, 80)).on_console((0, 0)) == (7, 32)
    assert viewport_on(level, (1, 1), Area(1, 0, 33, 90)).on_console((0, 0)) == (14, 37)
    assert "In sight" in shot(PlayScreen(session), (120, 40))
    assert "mole" in shot(PlayScreen(session), (120, 40))
    assert "In sight" not in shot(PlayScreen(session))


def test_the_window_scrolls_with_the_player_and_stops_at_the_edges() -> None:
    class Wide:
        height, width = 50, 200

    starts = [viewport_on(Wide, (25, x), Area(0, 0, 20, 80)).area.left for x in (0, 39, 40, 100, 159, 199)]  # type: ignore[arg-type]
    assert starts == [0, 0, 0, 60, 119, 120]


def test_help_fits_the_smallest_screen(session: Session) -> None:
    assert len(HELP) <= 22
    text = shot(help_page(PlayScreen(session)))
    assert all(line.strip() in text for line in HELP)
    assert max(map(len, BODY_HELP)) <= 76
    text = shot(after(PlayScreen(session), "e"), size=(80, 40))
    assert all(line.strip().format(turn=1, blow=6, shot=9) in text for line in BODY_HELP)
    assert len(WATCH_HELP) <= 22
    text = shot(after(Title(session), "w", "?"))
    assert all(line.strip() in text for line in WATCH_HELP)


def test_the_pack_lists_items_and_a_letter_applies_one(session: Session) -> None:
    game = session.game
    patch = ItemEffect(repair=6)
    stow(game, Stack("patch", Appearance("!", (9, 9, 9), "patch"), patch))
    screen = after(PlayScreen(session), "i")
    assert "a ! patch" in shot(screen)
    assert "You are not damaged." in shot(after(screen, "a"))
    assert len(game.player.inventory) == 1


def test_closing_asks_which_door_only_if_there_are_several(tmp_path: Path) -> None:
    halls = drawn_content(
        tmp_path,
        """
        #######
        #..<..#
        #+#+###
        #.#.###
        #######
    """,
    )
    play = PlayScreen(Session(halls, 7))
    assert "There is no open door next to you." in shot(after(play, "c"))
    screen = after(play, "j", "c")
    assert screen is play
    assert "You close the door." in shot(screen)
    screen = after(play, "j", "h", "b", "c")
    assert "Close which door?" in shot(screen)
    assert play.game.map.doors[2, 3].is_open
    after(screen, "n")
    assert not play.game.map.doors[2, 3].is_open
    assert play.game.map.doors[2, 1].is_open
    forget_worlds()


def test_messages_scroll(session: Session) -> None:
    log = session.game.log
    for number in range(60):
        log.say(f"message {number}")
    page = after(PlayScreen(session), "m")
    assert "message 59" in shot(page)
    assert "message 20" not in shot(page)
    page = after(page, "home")
    assert "You have come to" in shot(page)
    assert "message 30" in shot(after(page, "pagedown"))
    assert isinstance(after(page, "escape"), PlayScreen)


def test_a_page_shows_all_its_lines_in_turn(session: Session) -> None:
    page = TextPage(PlayScreen(session), "Lines", [(f"<{number}>", drawing.PLAIN) for number in range(50)])
    seen = shot(page)
    for _ in range(60):
        page.press("down")
        seen += shot(page)
    assert all(f"<{number}>" in seen for number in range(50))


def test_repeated_messages_are_counted() -> None:
    log = Log()
    for _ in range(3):
        log.say("Thud.")
    assert [str(message) for message in log.messages] == ["Thud. [3 times]"]


def test_victory_and_a_new_world(session: Session) -> None:
    session.game.map.move(session.game.hero, (1, 12))
    screen = after(PlayScreen(session), "l", "g")
    assert isinstance(screen, Ending)
    text = shot(screen)
    assert "You have won!" in text
    assert "seed 7" in text
    assert isinstance(after(screen, *"hjklyubn"), Ending)
    again = after(screen, "r")
    assert isinstance(again, PlayScreen)
    assert (session.seed, again.game.log.turn) == (7, 0)
    assert isinstance(after(screen, "enter"), Title)
    assert screen.press("q") is None


def test_death_is_shown(session: Session) -> None:
    session.game.health.hp = 1
    screen = after(PlayScreen(session), "l", "l", "l", "l")
    text = shot(screen)
    assert "You were destroyed by a needle. (Hall 1, depth 1)" in text
    assert "Hit points lost in the last turn: a needle 5." in text
    assert "No robot has taken notice of you." in text
    assert "Search (s) for traps" in text


ALLEY = """
    #######
    #.f...#
    #.<...#
    #.f...#
    #######
"""


@pytest.mark.parametrize(
    ("drawing", "charge", "alarm", "lesson"),
    [
        (ALLEY, 9, None, "Don't fight several robots at once"),
        (ALLEY, 9, 0, "Alarms bring guards"),
        (ALLEY, 0, 0, "Without charge you lose hit points"),
        (ALLEY.replace("f", ".", 1), 9, None, "shut a door behind you (c)"),
    ],
)
def test_the_end_shows_the_last_damage_and_a_fitting_tip(
    drawing: str, charge: int, alarm: int | None, lesson: str, tmp_path: Path
) -> None:
    session = Session(drawn_content(tmp_path, drawing), 7)
    game = session.game
    game.health.hp, game.body.charge, game.last_alarm = 3, charge * TURN, alarm
    screen: Screen = PlayScreen(session)
    while not isinstance(screen, Ending):
        screen = after(screen, ".")
    text = shot(screen)
    assert "You were destroyed by a fighter." in text
    assert ": a fighter " in text
    assert f"a fighter {'+'.join(str(blow.damage) for blow in game.blows)}." in text
    assert sum(blow.damage for blow in game.blows) >= 3
    assert lesson in text
    assert ".." not in "".join(row.split("│")[1] for row in text.splitlines() if row.count("│") == 2)
    forget_worlds()


def test_the_body_page_and_the_header_fit_the_smallest_screen(session: Session) -> None:
    page = shot(after(PlayScreen(session), "e"))
    assert all(line.format(turn=1, blow=6, shot=9) in page for line in BODY_HELP)
    assert "any other key goes back\n" in shot(after(PlayScreen(session), "M"))


def test_a_page_that_is_longer_than_the_screen_says_how_to_scroll_it(session: Session) -> None:
    page = TextPage(PlayScreen(session), "Lines", [("line", drawing.PLAIN)] * 50)
    assert " 1 to 22 of 50, j and k scroll, Esc goes back " in shot(page)
    assert " 1 to 28 of 50, j and k scroll, Esc goes back " in shot(page, (160, 50)), (
        "so that frames stay small"
    )


# -- look mode ------------------------------------------------------------------------------------


def test_look_mode_describes_the_cell_under_the_cursor(session: Session) -> None:
    screen = after(PlayScreen(session), "x", *"llllll")
    text = shot(screen)
    rows = " ".join(text.split())
    assert "Mole, 5/5 hp, does not fight, rusty At work, lets you pass It digs." in rows
    assert "prefab" not in text
    assert "Robot 'mole'" not in text
    text = shot(after(PlayScreen(session), "v", "y", *"llllll"))
    assert "Floor, in a drawing of 13x4 cells" in text
    assert "The mole: the m in the drawing of the p1" in text
    assert isinstance(after(screen, "escape"), PlayScreen)
    assert session.game.log.turn == 0


def test_the_designers_view_tells_the_region_of_the_way_out_before_the_sentence_about_it(
    session: Session,
) -> None:
    assert describe_cell(session.game, session.game.player_cell, everything=True)[1] == (
        "The way out of this world, in a drawing of 13x4 cells. "
        "You will not leave before you have found what you came for."
    )


def test_the_keys_on_the_right_of_the_help_page_are_in_one_column() -> None:
    assert [line for line in HELP[1:6] + HELP[8:12] if line[39] != " " or line[40] == " "] == []


def test_look_mode_hides_secrets_except_in_the_designers_view(session: Session) -> None:
    game = session.game
    assert describe_cell(game, (4, 2)) == ["You have not seen this yet."]
    assert describe_cell(game, (4, 2), everything=True) == ["Floor, in a drawing of 13x4 cells"]
    assert describe_cell(game, (1, 5)) == ["Floor"]
    assert describe_cell(game, (1, 5), everything=True) == [
        "Needle, hits for 5",
        "Floor, in a drawing of 13x4 cells",
        "The needle: the n in the drawing of the p1",
    ]
    assert describe_cell(game, game.player_cell)[0].startswith(
        "You, in the dark, 30/30 hp, your blows do 1 to 3 damage"
    )


def test_look_mode_names_the_encounter_and_its_prefab() -> None:
    session = Session(demo_content(), 3, start="galleries/1")
    game = session.game
    placement = next(each for each in game.map.level.placements if each.encounter)
    y, x = placement.bounds.y, placement.bounds.x
    lines = describe_cell(game, (y, x), everything=True)
    told = " ".join(lines)
    assert placement.encounter.replace("_", " ") in told
    assert placement.prefab.replace("_", " ") in told
    assert "_" not in told
    forget_worlds()


def test_the_cursor_stays_on_the_map_and_finds_things_by_tab(session: Session) -> None:
    look = after(PlayScreen(session), "x", *"KKHH")
    assert look.cursor == (0, 0)  # type: ignore[attr-defined]
    assert "Wall" in shot(look)
    seen = set()
    for _ in range(8):
        seen |= {*shot(after(look, "tab")).splitlines()[18:]}
    assert {line.split(",")[0].strip() for line in seen} >= {"Mole", "Idler", "You"}


def test_tab_in_look_mode_visits_robots_items_working_things_and_the_rest(tmp_path: Path) -> None:
    props = """
        crate: {name: crate, glyph: "=", blocks: false}
        lever: {name: lever, glyph: "/", blocks: false}
    """
    legend = """
        c: {prop: crate}
        v: {prop: lever, opens: gate}
        G: {terrain: locked_door, lock: gate}
        k: {item: key}
        m: {robot: mole}
    """
    objects = {
        "robots": "mole: {name: mole, glyph: m, data: {hp: 5}}",
        "items": "key: {name: key, glyph: '-'}",
        "props": props,
    }
    content = drawn_content(tmp_path, "#######\n#<cvkm#\n####G##", objects=objects, legend=legend)
    play = PlayScreen(Session(content, 7))
    look = Look(play, play.game)
    seen = [after(look, "tab").cursor for _ in range(6)]  # type: ignore[attr-defined]
    assert seen == [(1, 5), (1, 4), (1, 3), (1, 2), (1, 1), (1, 5)], "that on which one stands comes last"
    back = [after(look, "shift+tab").cursor for _ in range(3)]  # type: ignore[attr-defined]
    assert back == [(1, 1), (1, 2), (1, 3)], "and with Shift it goes the other way"
    assert after(look, "k", "shift+tab").cursor == (1, 1), "from elsewhere to the last"  # type: ignore[attr-defined]
    forget_worlds()


# -- watching a level being built -----------------------------------------------------------------


@pytest.fixture(scope="module")
def galleries() -> Iterator[Session]:
    yield Session(demo_content(), 7, start="galleries/2")
    forget_worlds()


def watch(session: Session, *keys: str) -> BuildViewer:
    """Watch the level on which the session's game begins, stopped at its first step."""
    screen = after(Title(session), "w", "W", " ", *keys)
    assert isinstance(screen, BuildViewer)
    return screen


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
def test_a_level_is_watched_forward_and_back(galleries: Session, size: tuple[int, int]) -> None:
    screen = watch(galleries)
    forward = [shot(screen, size)]
    while screen.number < screen.last:
        forward.append(shot(after(screen, "l"), size))
    assert len(forward) == len(list(galleries.world.steps("galleries/2")))
    assert shot(after(screen, "l"), size) == forward[-1]
    backward = [forward[-1], *(shot(after(screen, "left"), size) for _ in forward[1:])]
    assert backward[::-1] == forward
    assert "step 1 of" in shot(after(screen, "h"), size)
    assert "proved playable" in forward[-1]


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "arrival: returns_arrival r90 at y 10, x 29",
            "arrival: returns arrival, turned, at row 10, column 29",
        ),
        ("returns_bay m180 at y 12, x 27", "returns bay, mirrored and turned, at row 12, column 27"),
        ("pay_office: pay_office r0 at y 4, x 32, dug for it", "pay office at row 4, column 32, dug for it"),
        ("variant 2, feature 1: packing_hall m0 at y 1, x 2", "packing hall, mirrored, at row 1, column 2"),
        ("hall is laid: r90", "hall is laid, turned"),
        ("tool_crib: in_order: tool_crib m0 at y 1, x 2", "tool crib, mirrored, at row 1, column 2"),
        ("room 3 at y 18, x 41: cross", "room 3 at row 18, column 41: cross"),
        ("proved playable", "proved playable"),
    ],
)
def test_a_step_is_told_in_plain_words(message: str, told: str) -> None:
    assert plain_step(message) == told


def test_no_step_is_told_in_the_names_of_files_or_cut(galleries: Session) -> None:
    screen = watch(galleries)
    assert screen.recording is not None
    for _ in screen.recording.messages:
        told = shot(screen).splitlines()[-1]
        assert "_" not in told
        assert not re.search(r"\b[rm]\d+|\by \d", told)
        assert not told.endswith("..")
        after(screen, "l")


def test_the_last_step_is_the_level_itself(galleries: Session) -> None:
    level = galleries.world.level("galleries/2")
    width, height = level.width + 60, level.height + 10
    rows = shot(watch(galleries, "end", "v"), (width, height)).splitlines()
    top, left = 1 + 3, (width - sidebar_width(width) - level.width) // 2
    shown = [row.ljust(width)[left : left + level.width] for row in rows[top : top + level.height]]
    assert "".join(f"{row}\n" for row in shown) == dungeon.to_text(level)


def test_tab_shows_the_next_map_and_with_shift_the_one_before(galleries: Session) -> None:
    screen = watch(galleries)
    ids = [node.id for node in screen.world.maps]
    at = ids.index(screen.map_id)
    seen = [after(screen, key).map_id for key in ("tab", "shift+tab", "shift+tab")]  # type: ignore[attr-defined]
    assert seen == [ids[at + 1], ids[at], ids[at - 1]]
    assert len(set(seen)) == 3


def test_stages_are_jumped_to(galleries: Session) -> None:
    stages = list(dict.fromkeys(step.phase for step in galleries.world.steps("galleries/2")))
    screen = watch(galleries)
    assert screen.recording is not None
    jumped = []
    for _ in range(len(stages) + 2):
        jumped.append(screen.recording[screen.number].phase)
        after(screen, "down")
    assert jumped == [*stages, *stages[-1:] * 2]
    after(screen, "up", "k")
    assert screen.number == screen.recording.phases[stages[-3]][0]
    assert watch(galleries, "pagedown", "l", "pageup").number == 1


def test_steps_play_by_themselves_and_stop_at_the_end(galleries: Session) -> None:
    script = Script("w", "W", "tick", "tick", "+", "tick", "?", "escape", "tick", "enter", *["tick"] * 200)
    run(script, Title(galleries))
    pauses = script.pauses[2:]
    assert pauses[:3] == [0.125] * 3
    assert pauses[3:5] == [0.0625] * 2
    assert pauses[5:8] == [None] * 3  # nothing moves behind the help, nor after it
    playing = [pause for pause in pauses[8:] if pause]
    steps = len(list(galleries.world.steps("galleries/2")))
    assert playing == [0.0625] * (steps - 4)
    assert f"step {steps} of {steps}" in script.shown[-1]
    assert watch(galleries, "end", " ").number == 0
    slow = watch(galleries, *"-----", " ")
    assert slow.pause == 1.0
    assert after(slow, *"++++++++").pause == 0.03125
    assert after(slow, " ").pause is None


def test_other_maps_and_worlds_are_watched(galleries: Session) -> None:
    screen = watch(galleries)
    names = [f"{galleries.content.maps[node.name].name}, depth {node.depth}" for node in galleries.world.maps]
    first = next(at for at, node in enumerate(galleries.world.maps) if node.id == "galleries/2")
    for name in [*names[first:], *names[: first + 1]]:
        assert shot(screen).splitlines()[0].strip().startswith(f"{name} · how the level is built")
        after(screen, "tab")
    screen = watch(galleries)
    assert "seed 8" in shot(after(screen, "w"))
    assert "seed 8" in shot(after(Title(galleries), "w")), (
        "the title gives nothing away of the player's world"
    )
    one, other = shot(after(screen, "end")), shot(after(screen, "W", "end"))
    assert one != other
    assert other == shot(watch(galleries, "end"))
    assert isinstance(after(screen, "q"), Title)


def test_a_map_that_another_world_lacks_gives_way_to_one_as_deep() -> None:
    session = Session(demo_content(), 8, start="drifts/2")
    assert "drifts/2" not in dungeon.World(session.content, 7)
    screen = watch(session, "W")
    assert screen.seed == 7
    assert screen.world.node(screen.map_id).depth == 2
    assert ", depth 2 · how the level is built" in shot(screen)
    forget_worlds()


def test_the_near_view_follows_new_cells_or_stays(galleries: Session) -> None:
    size = (80, 24)
    screen = watch(galleries)
    shot(screen, size)
    shot(after(screen, "z"), size)
    seen = []
    for _ in range(20):
        shot(after(screen, "l"), size)
        seen.append(screen.focus)
    assert len(set(seen)) > 3
    shot(after(screen, "f"), size)
    stays = screen.focus
    for _ in range(20):
        shot(after(screen, "l"), size)
        assert screen.focus == stays
    shot(after(screen, "H", "K"), size)
    assert screen.focus == (max(stays[0] - 10, 0), max(stays[1] - 20, 0))


def test_an_overview_shows_all_of_the_map_in_points(galleries: Session) -> None:
    screen = watch(galleries, "end")
    far, near, again = shot(screen), shot(after(screen, "z")), shot(after(screen, "z"))
    assert far == again
    assert "▀" not in near
    rows = [row.ljust(80)[17:63] for row in far.splitlines()[4:18]]  # 54x92 cells, two by two to a point
    base = np.pad(galleries.world.level("galleries/2").base, [(0, 2), (0, 0)])
    is_open = base.reshape(14, 4, 46, 2).max(axis=(1, 3)) > t.BLOCKED
    assert all((char != " ") >= opened for row, cells in zip(rows, is_open, strict=True)
               for char, opened in zip(row, cells.tolist(), strict=True))  # fmt: skip
    assert sum(row.count(" ") for row in rows) > 100


@cache
def whole_galleries() -> dungeon.Frame:
    """Return the last frame of a recording, with the whole level."""
    return dungeon.Recording(dungeon.World(demo_content(), 7).steps("galleries/2"))[-1]


@pytest.mark.parametrize(
    ("height", "width", "size"), [(54, 92, 1), (27, 92, 1), (26, 92, 2), (54, 91, 2), (9, 30, 4)]
)
def test_a_point_stands_for_a_square_of_cells(height: int, width: int, size: int) -> None:
    frame = whole_galleries()
    tiles = minimap(frame, dungeon.to_console(frame), height, width)
    assert cells_per_point((54, 92), height, width) == size
    assert tiles.shape == (-(-54 // (2 * size)), -(-92 // size))
    points = np.stack([tiles["fg"], tiles["bg"]], axis=1).reshape(-1, tiles.shape[1], 3)
    base = frame.terrain_set.base[frame.terrain]
    dark = (points == 0).all(axis=2)
    for y, x in np.argwhere(np.ones_like(dark)).tolist():
        square = base[y * size : (y + 1) * size, x * size : (x + 1) * size]
        assert dark[y, x] == (not (square > t.EARTH).any()), (y, x)


def test_the_build_viewer_reports_a_level_that_can_not_be_made(
    galleries: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> NoReturn:
        raise dungeon.GenerationError("no space for anything")

    monkeypatch.setattr(dungeon.World, "steps", fails)
    screen = watch(galleries)
    for key in ["l", "j", "k", "end", " ", "tick", "L", "z", "v", "f", "+"]:
        assert "This level can't be made: no space for anything" in shot(after(screen, key))
    monkeypatch.undo()
    assert "92x54 cells" in shot(after(screen, "w"))


# -- painting -------------------------------------------------------------------------------------


def test_put_never_leaves_the_console() -> None:
    console = Console(10, 3, order="C")
    for y in range(-2, 5):
        for x in range(14):
            drawing.put(console, y, x, "abcdefghijklmnop")
    drawing.fill(console, -2, -2, 9, 99, (1, 2, 3))
    assert (console.rgb["bg"] == (1, 2, 3)).all()
    assert drawing.box(console, "A title much too long", 50, 50, Area(0, 0, 3, 10))[2:] == (1, 6)


@pytest.mark.parametrize(("share", "full"), [(0, 0), (0.01, 1), (0.5, 5), (1, 10)])
def test_a_bar_is_empty_only_at_0(share: float, full: int) -> None:
    console = Console(10, 1, order="C")
    drawing.bar(console, 0, 0, 10, share, (255, 0, 0))
    assert np.count_nonzero(console.rgb["ch"] == ord("█")) == full


@pytest.mark.parametrize(
    ("text", "width", "wanted"),
    [("abc", 3, "abc"), ("abcd", 3, "a.."), ("ab cd", 5, "ab cd"), ("ab cde", 5, "ab.."), ("abc", 0, "")],
)
def test_cut_shortens_text_to_a_width(text: str, width: int, wanted: str) -> None:
    assert drawing.cut(text, width) == wanted


# -- the command line -----------------------------------------------------------------------------


def demo(*arguments: str, code: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *(["-c", code] if code else ["-m", "game_demo"]), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SDL_VIDEODRIVER": "nonsense"}
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=60,
    )


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from game_demo.__main__ import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit(','.join({'tcod', 'numpy', 'esper', 'yaml', 'pydantic', 'curses'} & set(sys.modules)) or 0)"
    )
    done = demo(code=code)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--seed" in done.stdout
    assert "crash" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--seed", ""], "a seed can't be empty text"),
        (["--map", "nowhere/9"], "nowhere/9"),
        (["--difficulty", "harhs"], "no difficulty 'harhs' (did you mean harsh?)"),
    ],
)
def test_unplayable_content_is_reported_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "said"), [([], "is not a terminal"), (["--window"], "no window can be opened")]
)
def test_without_a_terminal_it_prints_one_line_and_exits_2(arguments: list[str], said: str) -> None:
    done = demo(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_mistakes_in_the_content_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawn_content(tmp_path, HALL)
    (tmp_path / "weights.yaml").write_text("often: much\n")
    (tmp_path / "objects" / "items.yaml").write_text("scrap: {glyph: long}\n")
    assert main(["--data", str(tmp_path)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].endswith("problems in the content")
    assert any("weights.yaml:1" in line for line in lines)
    assert any("items.yaml:1" in line for line in lines)


def test_data_lies_in_the_package_or_beside_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("game_demo.content.__file__", str(tmp_path / "game_demo" / "data.py"))
    assert data_folder() == tmp_path / "data"
    (tmp_path / "game_demo" / "data").mkdir(parents=True)
    assert data_folder() == tmp_path / "game_demo" / "data"


def test_the_option_crash_at_turn_raises_on_that_turn(tmp_path: Path) -> None:
    session = Session(drawn_content(tmp_path, HALL), crash_at=2)
    with pytest.raises(RuntimeError, match="crash on turn 2"):
        run(Script(" ", "l", "l", "l"), Title(session))
    forget_worlds()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("keys", "options", "code"),
    [
        (b" lqy", [], 0),
        (b" l\x03", [], 130),
        (b" lll", ["--crash-at-turn", "2"], 1),
    ],
    ids=["quit", "ctrl-c", "exception"],
)
def test_the_terminal_is_restored_after(keys: bytes, options: list[str], code: int, tmp_path: Path) -> None:
    import pty  # noqa: PLC0415  # these three are not on Windows
    import termios  # noqa: PLC0415

    drawn_content(tmp_path, HALL)
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    before = termios.tcgetattr(theirs)
    game = subprocess.Popen(
        [sys.executable, "-m", "game_demo", "--data", str(tmp_path), *options],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # Opening it makes it the controlling terminal, from which Ctrl-C comes.
        preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),  # noqa: PLW1509
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
        },
    )
    shown = b""
    while b"press any key" not in shown:
        assert select.select([ours], [], [], 30)[0], game.communicate(timeout=1)
        shown += os.read(ours, 65536)
    os.write(ours, keys)
    while game.poll() is None:
        if select.select([ours], [], [], 0.05)[0]:
            shown += os.read(ours, 65536)
    assert game.returncode == code
    assert termios.tcgetattr(theirs) == before
    assert shown.count(b"\x1b[?1049h") == 1  # into the alternate screen
    shown += os.read(ours, 65536) if select.select([ours], [], [], 0)[0] else b""
    assert shown.count(b"\x1b[?1049l") == 1  # and out of it
    _, errors = game.communicate()
    assert (b"crash on turn 2" in errors) == (code == 1)
    assert (errors == b"") == (code != 1)
    os.close(ours)
    os.close(theirs)
