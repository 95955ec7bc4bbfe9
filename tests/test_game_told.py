"""What the demo tells of things and of what they do: faults, traps, locks, guns, and who has noticed the player."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper
import pytest
from tcod.console import Console
from test_game import drawn_content, forget_worlds, said, walk
from test_game_screens import after, shot

from dungeon.playtest.game import Action
from game_demo.display.descriptions import describe_cell, describe_entity
from game_demo.display.drawing import PLAIN
from game_demo.display.panels import SIDEBAR_WIDTHS, Entry, draw_sidebar, map_room, sidebar_width
from game_demo.playing.play import DemoPlay
from game_demo.rules import actions
from game_demo.rules.lessons import LESSONS
from game_demo.screens.game_screens import Play
from game_demo.screens.session import Session
from game_demo.state.components import Mind
from game_demo.state.entities import cell_of
from game_demo.state.things.parts import POWER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from game_demo.screens.screen import Screen
    from game_demo.state.game import Game

    MakePlay = Callable[..., Play]

OBJECTS = {
    "robots": """
        caller: {name: caller, glyph: h, data: {behaviour: hunt, hp: 9, attack: 1, sight: 20, calls: 9}}
        hound: {name: hound, glyph: w, data: {behaviour: swarm, hp: 9, attack: 1, sight: 20, calls: 9}}
        gunner: {name: gunner, glyph: g, data: {behaviour: idle, shoots: {power: 3, range: 5}}}
        idler: {name: idler, glyph: i, data: {behaviour: idle}}
    """,
    "traps": """
        needle: {name: needle, glyph: ^, data: {damage: 5, hidden: false}}
        shaker: {name: shaker, glyph: ^, data: {damage: 1, charge: 60, noise: 9, effect: It shakes you., hidden: false}}
        bell: {name: bell, glyph: ^, data: {effect: It rings., hidden: false}}
    """,
    "items": """
        blade: {name: blade, glyph: "/", data: {slot: arm, power: 5}}
        gun: {name: gun, glyph: "/", data: {slot: arm, shoots: {power: 4, range: 6, charge: 10}}}
        salve: {name: salve, glyph: "!", data: {repair: 6}}
        whisk: {name: whisk, glyph: "/", prototype: true, faulty: 40%, data: {slot: arm, power: 5}}
        key: {name: till key, glyph: "-"}
    """,
    "props": """
        chest: {name: chest, glyph: "="}
        lever: {name: lever, glyph: "/"}
    """,
}
LEGEND = """
    h: {robot: caller}
    w: {robot: hound}
    G: {robot: gunner}
    i: {robot: idler}
    n: {trap: needle}
    s: {trap: shaker}
    b: {trap: bell}
    x: {trap: needle, data: {faulty: true, prototype: true}}
    a: {item: blade}
    p: {item: blade, data: {prototype: true}}
    f: {item: blade, data: {prototype: true, faulty: true}}
    W: {item: whisk, data: {prototype: true}}
    v: {item: salve, data: {prototype: true, faulty: true}}
    g: {item: gun}
    k: {item: key, opens: pay_till}
    C: {prop: chest, state: shut, lock: pay_till}
    L: {terrain: locked_door, lock: back_way}
    I: {prop: lever, opens: back_way}
"""


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[MakePlay]:
    """Begin a game on a row of cells, with its screen; the player arrives at ``<``."""

    def make(row: str) -> Play:
        wall = "#" * (len(row) + 2)
        content = drawn_content(tmp_path, f"{wall}\n#{row}#\n{wall}", objects=OBJECTS, legend=LEGEND)
        return Play(Session(content, 1))

    yield make
    forget_worlds()


def collect(game: Game, steps: int) -> Game:
    """Go right, and take what lies after each step."""
    for _ in range(steps):
        walk(game, "l")
        actions.pick_up(game)
    return game


def words(screen: Screen) -> str:
    """Return what a screen shows, with one blank between words."""
    return " ".join(shot(screen).split())


# -- faults ---------------------------------------------------------------------------------------


def test_a_faulty_part_shows_once_it_is_fitted(begin: MakePlay) -> None:
    play = begin("<af.")
    game = collect(play.game, 2)
    assert "blade arm, power +5, untried: it may do nothing" in words(after(play, "i"))
    actions.apply(game, 0)
    assert game.attack.power == POWER + 5
    compared = words(after(play, "i", "a"))
    assert "blade: arm, power +5, untried: it may do nothing" in compared
    after(play, "i", "a", "1")
    assert "You fit the blade as your right arm, and nothing comes of it: it is faulty." in said(game)
    assert game.attack.power == POWER
    assert "right arm blade (faulty, does nothing, and can't be mended)" in words(after(play, "e"))
    assert "1 right arm, now blade, faulty" in words(after(play, "i", "a"))
    assert "better: blows do up to 8 damage (now 3)" in words(after(play, "i", "a")), (
        "what does nothing is no loss"
    )
    after(play, "i", "a", "1")
    assert "blade arm, faulty, does nothing, and can't be mended" in words(after(play, "i"))


def test_how_often_prototypes_are_faulty_is_told_until_one_was_tried(begin: MakePlay) -> None:
    play = begin("<W..")
    assert "power +5, untried: 40% of such do nothing" in describe_entity(
        play.game, play.game.map.items_at((1, 2))[0]
    )
    collect(play.game, 1)
    after(play, "i", "a", "1")
    assert "It is sound." in " ".join(said(play.game))
    assert "faulty" not in words(after(play, "e"))


def test_a_prototype_that_works_is_like_others_once_it_is_fitted(begin: MakePlay) -> None:
    play = begin("<p.")
    game = collect(play.game, 1)
    actions.apply(game, 0)
    assert "You fit the blade as your right arm: power +5. It is sound." in said(game)
    assert "right arm blade (power +5)" in words(after(play, "e"))


def test_what_is_faulty_is_used_up_in_vain(begin: MakePlay) -> None:
    game = collect(begin("<v.").game, 1)
    game.health.hp = 9
    actions.apply(game, 0)
    assert "You use the salve, and nothing comes of it: it was faulty." in said(game)
    assert (game.health.hp, game.player.inventory) == (9, [])


def test_a_bot_does_not_fit_again_what_is_faulty(begin: MakePlay) -> None:
    game = collect(begin("<f.").game, 1)
    bot = DemoPlay(game)
    assert bot.observe().strengthening
    bot.act(Action.STRENGTHEN)
    game.player.inventory.append(game.body.fitted.pop("right arm"))
    assert not DemoPlay(game).observe().strengthening


# -- traps ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trap", "sprung", "seen"),
    [
        ("n", "You set off a needle! The needle hits you for 5.", "Needle, hits for 5"),
        (
            "s",
            "It shakes you. The shaker hits you for 1 and takes 60 charge.",
            "Shaker, hits for 1, takes 60 charge, is heard 9 steps away",
        ),
        ("b", "It rings.", "Bell, does no harm"),
        ("x", "It clicks, and that is all.", "Needle, hits for 5, a prototype, which may fail"),
    ],
)
def test_a_trap_tells_its_damage_before_and_after(begin: MakePlay, trap: str, sprung: str, seen: str) -> None:
    game = begin(f"<{trap}.").game
    assert describe_cell(game, (1, 2))[0] == seen
    walk(game, "l")
    assert sprung in said(game)
    assert ", sprung" in describe_cell(game, (1, 2))[1]


def test_a_trap_takes_no_charge_where_none_is_left(begin: MakePlay) -> None:
    game = begin("<s.").game
    game.body.charge = 0
    game.refit()
    walk(game, "l")
    assert "It shakes you. The shaker hits you for 1." in said(game)


# -- locks ----------------------------------------------------------------------------------------


def test_a_lock_says_what_opens_it_and_not_its_word(begin: MakePlay) -> None:
    play = begin("<k.CLI")
    game = play.game
    told = [
        *describe_cell(game, (1, 4)),
        *describe_cell(game, (1, 2)),
        *describe_cell(game, (1, 6), everything=True),
    ]
    assert "Chest, shut, locked: it wants a till key" in told
    assert "Till key, opens a chest" in told
    assert "Lever, opens a door" in told
    door = describe_cell(game, (1, 5), everything=True)[0]
    assert door.startswith("The door is locked; a lever moves it,"), "and then what is for authors"
    assert not any("pay till" in line or "back way" in line for line in told)
    collect(game, 1)
    assert describe_cell(game, (1, 4))[0] == "Chest, shut, locked: you have what opens it"
    walk(game, "ll")
    assert describe_cell(game, (1, 4))[0] == "Chest, open"


# -- guns -----------------------------------------------------------------------------------------


def test_guns_have_a_range_and_parts_are_not_called_arms_twice(begin: MakePlay) -> None:
    play = begin("<g.G")
    game = collect(play.game, 1)
    told = words(after(play, "i")).replace("│ ", "")
    assert "gun arm, shoots for up to 4, hits 75% near or far, range 6, 10 charge a shot" in told
    assert "shoots for up to 3, hits 75% near or far, range 5" in describe_cell(game, (1, 4))[0]
    actions.apply(game, 0)
    assert (
        "You fit the gun as your right arm: shoots for up to 4, hits 75% near or far, range 6, 10 charge a shot."
        in said(game)
    )


def test_aiming_leaves_the_newest_message_in_sight(begin: MakePlay) -> None:
    play = begin("<g.i")
    game = collect(play.game, 1)
    actions.apply(game, 0)
    after(play, *"....")
    for number in range(4):
        game.log.say(f"Something falls for the {number}th time.")
    text = shot(after(play, "f"))
    assert "f shoots" in text
    assert text.splitlines()[23].strip() == "Something falls for the 3th time."


# -- who has noticed the player -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("robot", "told"),
    [
        (
            "h",
            [
                "The caller has noticed you, and draws breath for 2 moves, to call.",
                "The caller calls for help!",
                "Nobody hears.",
                "The caller comes for you.",
            ],
        ),
        (
            "w",
            [
                "The hound has noticed you, and draws breath for 2 moves, to call.",
                "The hound calls for help!",
                "Nobody hears.",
                "The hound comes for you.",
            ],
        ),
    ],
)
def test_a_robot_notices_before_it_calls(begin: MakePlay, robot: str, told: list[str]) -> None:
    game = begin(f"<.......{robot}").game
    for _ in range(3):
        actions.wait(game)
    assert said(game)[-4:] == told


def test_resting_is_taught_when_nobody_is_about_who_fights(begin: MakePlay) -> None:
    game = begin("<....h").game
    game.health.hp = 5
    assert not LESSONS["rest"].matters(game)
    ((robot, mind),) = esper.get_component(Mind)
    mind.state = "with you"
    assert LESSONS["rest"].matters(game)
    assert cell_of(robot) == (1, 6)


# -- room -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "width"), [(80, 0), (103, 0), (104, 30), (132, 37), (160, 44), (300, 44)]
)
def test_the_list_beside_the_map_grows_with_the_screen(columns: int, width: int) -> None:
    console = Console(columns, 50, order="C")
    room = map_room(console)
    assert columns - room.right == width
    if width:
        assert width == sidebar_width(columns)
        draw_sidebar(
            console, "In sight", [Entry("!", PLAIN, "a" * (width - 5)), Entry("!", PLAIN, "b")], room
        )
        rows = ["".join(chr(code or 32) for code in row[room.right :]) for row in console.rgb["ch"].tolist()]
        assert [row[2:].rstrip() for row in rows[3:5]] == [f"! {'a' * (width - 5)}", "! b"]
        assert SIDEBAR_WIDTHS[0] <= width <= SIDEBAR_WIDTHS[1]
