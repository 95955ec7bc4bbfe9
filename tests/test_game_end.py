"""The end of a game: the texts shown and written, and the screens that can be opened from there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import esper
import pytest
from test_game import drawn_content, forget_worlds, walk
from test_game_screens import after, shot

import dungeon
from game_demo.content import data_folder
from game_demo.rules import actions
from game_demo.rules.moods import turn_to, win_over
from game_demo.saving.morgue import story, tale
from game_demo.saving.recording import Header
from game_demo.screens.dialogs import TextPage
from game_demo.screens.ending import describe_end
from game_demo.screens.game_screens import PlayScreen
from game_demo.screens.look import Look, Overview
from game_demo.screens.session import Session
from game_demo.state.components import Robot
from game_demo.state.digest import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_demo.screens.screen import Screen
    from game_demo.state.log import Command

OBJECTS = {
    "robots": """
        idler: {name: idler, glyph: i, data: {behaviour: idle, hp: 1}}
        hunter: {name: hunter, glyph: h, data: {behaviour: hunt, attack: 1, speed: 0, sight: 20}}
    """,
    "items": """
        brass_key: {name: brass key, glyph: "-"}
        tin_key: {name: tin key, glyph: "-"}
        blade: {name: blade, glyph: "/", data: {slot: arm, power: 5}}
        salve: {name: salve, glyph: "!", data: {repair: 6}}
        watch: {name: watch, glyph: "&", data: {value: 20}}
        spout: {name: spout, glyph: "&", data: {value: 2}}
        prize: {name: prize, glyph: "*", data: {goal: true, ending: The hammers stop.}}
    """,
    "traps": "pit: {name: pit, glyph: ^, data: {damage: 999}}",
}
LEGEND = """
    i: {robot: idler}
    h: {robot: hunter}
    A: {terrain: locked_door, lock: brass}
    a: {key: brass}
    k: {item: tin_key, opens: nothing_here}
    b: {item: blade}
    s: {item: salve}
    w: {item: watch}
    o: {item: spout}
    g: {item: prize}
    p: {trap: pit}
"""
HEADER = Header(seed=1, start=None, content="", code="", version="1", began="2026-01-01")


def begun(folder: Path, row: str) -> PlayScreen:
    """Begin a game on a row of cells."""
    wall = "#" * (len(row) + 2)
    locks = {
        "../locks": "brass: {name: brass lock, opened_by: {item: brass_key}}"
    }  # beside the folder of objects
    drawing = f"{wall}\n#{row}#\n{wall}"
    return PlayScreen(Session(drawn_content(folder, drawing, objects=OBJECTS | locks, legend=LEGEND), 1))


@pytest.fixture
def play(tmp_path: Path) -> Iterator[PlayScreen]:
    """A game in which the player has taken what lies in his way, fitted a blade, and struck an idler down."""
    play = begun(tmp_path, "<abswoikA.h.hgp")
    game = play.game
    for _ in range(5):
        walk(game, "l")
        actions.pick_up(game)
    actions.apply(game, 0)
    walk(game, "Lll")
    actions.pick_up(game)
    yield play
    forget_worlds()


def won(play: PlayScreen) -> Screen:
    """Open the door, have one of two hunters change sides, and take the prize."""
    game = play.game
    walk(game, "lll")
    first, second = sorted(robot for robot, _ in esper.get_component(Robot))
    win_over(game, first)
    turn_to(game, second, "alert")
    game.map.move(game.hero, (1, 14))
    return after(play, "g")


def words(text: str) -> str:
    """Return a text as it reads without the frame of a box."""
    return " ".join(text.replace("│", " ").split())


def test_the_victory_text_fits_the_smallest_screen(play: PlayScreen) -> None:
    end = won(play)
    told = words(shot(end))
    for line in (
        "You have won! The prize is yours.",
        "On the last level you opened the brass lock.",
        f"Your way led through Hall 1: 1 level, the deepest at depth 1, in {play.game.log.turn} turns.",
        "1 robot lies where you left it, 1 kept you company for a while and 1 that noticed you still stands.",
        "Your haul: 2 things, worth 22, the best of them a watch.",
        "The hammers stop.",
    ):
        assert line in told
    assert ".." not in told


def test_the_defeat_text_names_the_level_and_the_robots_left(play: PlayScreen) -> None:
    game = play.game
    ((first, _), _) = esper.get_component(Robot)
    turn_to(game, first, "alert")
    game.map.move(game.hero, (1, 14))
    end = after(play, "l")
    assert "You were destroyed by a pit. (Hall 1, depth 1)" in shot(end)
    told = words(shot(end, (120, 50)))
    assert "Hit points lost in the last turn: a pit 999." in told
    assert "1 robot lies where you left it and 1 that noticed you still stands." in told
    assert "haul: 2 things, worth 22" in told


def test_the_end_leaves_out_whole_sentences_if_there_is_little_room(play: PlayScreen) -> None:
    play.game.map.move(play.game.hero, (1, 14))
    after(play, "l")
    full = [text for text, _ in describe_end(play.game, "", 99)]
    for rows in range(len(full)):
        some = [text for text, _ in describe_end(play.game, "", rows)]
        assert len(some) <= rows
        assert all(text.endswith((".", ")", f"seed {play.game.world.seed}")) for text in some[-1:])


def test_the_goal_item_is_gone_after_victory(tmp_path: Path) -> None:
    game = begun(tmp_path, "<g").game
    walk(game, "l")
    actions.pick_up(game)
    assert game.ending == "victory"
    assert not game.map.items_at(game.player_cell)
    forget_worlds()


def test_the_end_of_a_game_without_deeds_says_so(tmp_path: Path) -> None:
    game = begun(tmp_path, "<g").game
    walk(game, "l")
    actions.pick_up(game)
    assert tale(game)[-3:] == [
        "No robot has taken notice of you.",
        "You have no haul.",
        "The hammers stop.",
    ]
    forget_worlds()


def test_the_story_lists_body_charge_and_carried_things(play: PlayScreen) -> None:
    game = play.game
    lines = story(game, HEADER, Path("some.game")).splitlines()
    assert lines[lines.index("Keys for this level") + 1 :][:2] == ["  brass key (opens a brass lock)", ""]
    won(play)
    lines = story(game, HEADER, Path("the morgue/some.game")).splitlines()
    assert "On the last level you opened the brass lock." in " ".join(lines)
    assert "To see it again: dungeon-demo --replay 'the morgue/some.game'" in lines
    assert f"power 8, charge {game.body.charge // 100} of 1200." in " ".join(lines)
    body = lines.index("Your body")
    assert lines[body + 1 : body + 6] == [
        "  right arm blade (power +5)",
        "  left arm  nothing",
        "  legs      nothing",
        "  head      nothing",
        "  back      nothing",
    ]
    carried = lines[lines.index("In your pack") :]
    assert carried[1] == "  salve (repairs 6)"
    assert carried[3:5] == ["Keys for this level", "  nothing"]  # but for what would open something still


def test_the_story_wraps_long_lines_and_sorts_robots_ignoring_case(play: PlayScreen) -> None:
    game = play.game
    won(play)
    game.destroyed.update({"Chief Clerk": 1, "ash raker": 8, "sweeper": 2})
    salve = game.player.inventory[0]
    salve.look = replace(salve.look, name=" ".join(["unguent"] * 20))
    lines = story(game, HEADER, Path("some.game")).splitlines()
    assert max(map(len, lines)) <= 78
    at = lines.index("Destroyed")
    assert lines[at + 1 : at + 5] == ["  ash raker x8", "  Chief Clerk", "  idler", "  sweeper x2"]


@pytest.mark.parametrize(
    ("key", "kind", "shown", "back"),
    [
        ("m", TextPage, "You take the prize!", "escape"),
        ("M", Overview, "any other key goes back", "escape"),
        ("x", Look, "Tab next", "escape"),
        ("x", Look, "Tab next", "enter"),
        ("s", TextPage, "No game has ended yet.", "escape"),
    ],
)
def test_the_end_can_be_left_to_look_back_and_come_back_to(
    play: PlayScreen, key: str, kind: type[Screen], shown: str, back: str
) -> None:
    game = play.game
    end = won(play)
    before = digest_of(game)
    commands: list[Command] = []
    game.recorder = lambda _, command: commands.append(command)
    view = after(end, key)
    assert isinstance(view, kind)
    assert shown in shot(view)
    assert "Enter goes there" not in shot(view)
    if key == "x":
        view = after(view, "h")
    assert after(view, back) is end
    assert (commands, digest_of(game)) == ([], before)
    assert "m messages   M map   x look around   s games that have ended" in shot(end)


def test_the_demo_has_an_epilogue() -> None:
    items = dungeon.load_content(data_folder(), cache=dungeon.cache_folder()).catalog.things["item"]
    (goal,) = [each for each in items.values() if each.data.get("goal") is True]
    assert "kettle" in str(goal.data.get("ending"))
