"""Where boxes lie on screens of every size, and how text that does not fit is wrapped, counted or scrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tcod.console import Console
from test_game import drawn_content, forget_worlds
from test_game_screens import after, shot

from game_demo.display.drawing import PLAIN
from game_demo.display.map_view import viewport_on
from game_demo.display.overview import itinerary
from game_demo.display.panels import SightEntry, draw_game, draw_sidebar, map_room
from game_demo.screens import look
from game_demo.screens.dialogs import AskText, Confirm, TextPage
from game_demo.screens.game_screens import Ending, PlayScreen, Title
from game_demo.screens.look import Look, Overview
from game_demo.screens.session import Session
from game_demo.state.body import BodyPart
from game_demo.state.components import Appearance, ItemEffect, Stack
from game_demo.state.geometry import Area

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from game_demo.screens.screen import Screen

SIZES = [(80, 24), (104, 30), (120, 33), (160, 50)]
HALL = """
    ########
    #<...sg#
    ########
"""


@pytest.fixture
def play(tmp_path: Path) -> Iterator[PlayScreen]:
    yield PlayScreen(Session(drawn_content(tmp_path, HALL, HALL), 7))
    forget_worlds()


def letters(screen: Screen, size: tuple[int, int]) -> NDArray[np.int32]:
    """Return the (rows, columns) code points of a screen; blanks are all alike."""
    console = Console(*size, order="C")
    screen.draw(console)
    return np.where(console.rgb["ch"] == 0, ord(" "), console.rgb["ch"])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("keys", ["i", "d", "e", "m", "?", "q", "v", ["ctrl+g"], ["M", "tab"]])
def test_a_box_covers_only_the_map_or_clears_the_screen(
    play: PlayScreen, size: tuple[int, int], keys: list[str] | str
) -> None:
    play.game.log.begin_action()  # as any key does: what was said before that is old
    behind, over = letters(play, size), letters(after(play, *keys), size)
    outside = np.ones(over.shape, np.bool_)
    outside[map_room(Console(*size, order="C")).slices] = False
    ys, xs = np.isin(over, [ord(corner) for corner in "┌┐└┘"]).nonzero()
    is_alone = bool(ys.size)
    if is_alone:
        around = over.copy()
        around[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1] = ord(" ")
        is_alone = bool((around == ord(" ")).all())
    assert is_alone or (behind == over)[outside].all()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("ending", ["victory", "death"])
def test_the_end_box_lies_within_the_map(play: PlayScreen, size: tuple[int, int], ending: str) -> None:
    game = play.game
    game.ending, game.cause = ending, "a fighter"
    console, room = Console(*size, order="C"), map_room(Console(*size, order="C"))
    draw_game(console, game)
    before = console.rgb["ch"].copy()
    Ending(play).draw(console)
    beside = np.ones(before.shape, np.bool_)
    beside[room.slices] = False
    assert (console.rgb["ch"] == before)[beside].all()
    spot = viewport_on(game.map.level, game.player_cell, room).on_console(game.player_cell)
    assert spot is not None
    assert ending == "victory" or console.rgb["ch"][spot] == ord("@"), "what did it is seen"


def test_a_question_wider_than_the_map_is_wrapped(play: PlayScreen) -> None:
    text = shot(Confirm(play, " ".join(["question"] * 20), lambda: play), (104, 30))
    inside = " ".join(row.split("│")[1] for row in text.splitlines() if row.count("│") == 3)
    assert inside.split() == [*["question"] * 20, "y", "/", "n"]


# -- the levels -----------------------------------------------------------------------------------


def test_the_list_of_levels_is_scrolled_to_the_players_level(
    play: PlayScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [(f"level {number}.", PLAIN) for number in range(60)]
    monkeypatch.setattr(look, "itinerary", lambda _: (lines, 33))
    text = shot(after(play, "M", "tab"))
    assert "level 30." in text
    assert "level 33." in text
    assert "level 0." not in text


def test_the_itinerary_returns_the_line_of_the_players_level(play: PlayScreen) -> None:
    play.game.enter("m2/2")
    lines, here = itinerary(play.game)
    assert lines[here][0] == "Hall 2, depth 2 (stairs in Hall 1, depth 1), you are here"


def test_tab_changes_between_the_levels_and_the_map(play: PlayScreen) -> None:
    levels = after(play, "M", "tab")
    assert "Tab shows the map" in shot(levels)
    assert "robot, trap" not in shot(levels), "nothing of the map is left"
    assert isinstance(after(levels, "tab"), Overview)
    assert isinstance(after(levels, "tab", "tab"), TextPage)
    assert after(levels, "escape") is play


# -- what has no room -----------------------------------------------------------------------------


@pytest.mark.parametrize(("entries", "last"), [(5, "! thing 4"), (6, "+2 more"), (20, "+16 more")])
def test_entries_without_room_beside_the_map_are_counted(entries: int, last: str) -> None:
    console = Console(40, 8, order="C")
    things = [SightEntry("!", PLAIN, f"thing {number}") for number in range(entries)]
    draw_sidebar(console, "In sight", things, Area(1, 10, 8, 10))
    assert "".join(map(chr, console.rgb["ch"][7][12:])).replace("\0", " ").strip() == last


def test_lines_without_room_in_look_mode_are_counted(
    play: PlayScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = [f"line {number}" for number in range(30)]
    monkeypatch.setattr(look, "describe_cell", lambda *_, **__: told)
    text = shot(Look(play, play.game))
    assert "line 10" in text
    assert "line 11" not in text
    assert "+19 more lines" in text


def test_a_long_pack_scrolls(play: PlayScreen) -> None:
    look_of_one = Appearance("&", PLAIN, "odd")
    play.game.player.inventory[:] = [Stack("odd", look_of_one, ItemEffect())] * 26
    pack = after(play, "i")
    assert " 1 to " in shot(pack)
    assert " to 26 of 26" in shot(after(pack, "pagedown", "pagedown"))
    assert " 1 to " in shot(after(pack, "pageup", "pageup"))


# -- the mouse ------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["i", "e", "q", "M", "m"])
def test_a_click_closes_an_overlay(play: PlayScreen, key: str) -> None:
    over = after(play, key)
    assert over is not play
    assert over.click(0, 0, 1) is play


def test_a_click_on_the_title_begins(play: PlayScreen) -> None:
    assert isinstance(Title(play.session).click(3, 3, 1), PlayScreen)


def test_a_second_box_clears_the_first(play: PlayScreen) -> None:
    for screen in (Title(play.session), Ending(play)):
        assert "┌─ Games that have ended" in (text := shot(after(screen, "s"), (160, 50)))
        assert text.count("┌") == 1


def test_the_smallest_screen_says_how_to_watch_a_level_being_built(play: PlayScreen) -> None:
    rows = shot(after(Title(play.session), "w")).splitlines()
    assert rows[-2].endswith(f"playing 8/s, space stops  step 1 of {rows[-2].split()[-1]}")
    assert not any(".." in row for row in rows[-3:])


def test_a_refused_answer_shows_the_whole_reason(play: PlayScreen) -> None:
    def refuse(_: str) -> PlayScreen:
        raise ValueError(", ".join(f"not-{number}/1" for number in range(40)))

    asked = after(AskText(play, "Go to", "a map", refuse), *"x", "enter")
    for size in SIZES:
        text = shot(asked, size)
        assert all(f"not-{number}/1" in text for number in range(40))
        assert "x_" in text
        assert "Esc goes back" in text


@pytest.mark.parametrize("size", SIZES)
def test_the_keys_of_look_mode_fit_also_in_the_designers_view(
    play: PlayScreen, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    view = Look(play, play.game, eye="encounters")
    console = Console(*size, order="C")
    told: list[str] = []
    monkeypatch.setattr(look, "caption", lambda _, __, ___, keys: told.append(keys))
    monkeypatch.setattr(Look, "_describe_stop", lambda _: "thing 10/12, Tab next")
    monkeypatch.setattr(look, "marks", lambda _: [play.game.hero])  # it can be aimed at
    view.draw(console)
    assert len(f" Look  100,100  {told[0]}") <= size[0]


@pytest.mark.parametrize("size", SIZES)
def test_the_keys_of_look_mode_fit(
    play: PlayScreen, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Look, "_describe_stop", lambda _: "thing 10/12, Tab next")
    monkeypatch.setattr(look, "is_taken", lambda _, __: True)
    monkeypatch.setattr(look, "way_beside", lambda _, __: [(1, 1)] * 100)
    y, x = play.game.player_cell
    text = shot(Look(play, play.game, cursor=(y, x + 1)), size)
    assert "Enter goes beside, 100 steps  Esc back" in text


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", ["q", "v"])
def test_a_question_hides_nothing_next_to_the_player(
    play: PlayScreen, size: tuple[int, int], key: str
) -> None:
    behind, over = letters(play, size), letters(after(play, key), size)
    ((y, x),) = np.argwhere(behind == ord("@")).tolist()
    around = slice(y - 1, y + 2), slice(x - 1, x + 2)
    assert (behind[around] == over[around]).all()
    assert (behind != over).any()


def test_the_sums_on_the_body_page_wrap_if_they_are_long(tmp_path: Path) -> None:
    play = PlayScreen(Session(drawn_content(tmp_path, HALL), 1))
    fleet = BodyPart(slot="legs", speed=1.6, noise=25)
    play.game.body.fitted["legs"] = Stack(
        "legs", Appearance("]", (0, 0, 0), "hound's legs"), ItemEffect(part=fleet)
    )
    play.game.refit()
    assert f"heard {play.game.body.build.noise} steps away" in " ".join(
        shot(after(play, "e")).replace("│", " ").split()
    )
    forget_worlds()


@pytest.mark.parametrize("size", SIZES)
def test_look_mode_hides_messages_wholly_or_not_at_all(tmp_path: Path, size: tuple[int, int]) -> None:
    play = PlayScreen(Session(drawn_content(tmp_path, HALL), 1))
    play.game.log.say("It has been told. " * 30)
    told = shot(play, size).count("It has been told.")
    assert told
    assert shot(after(play, "x"), size).count("It has been told.") in (0, told)
    forget_worlds()
