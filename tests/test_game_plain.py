"""Texts that explain the demo: what the designer's view spoils, what the haul is for, what parts and stairs do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from demo import demo_content
from test_game import drawn_content, forget_worlds, said
from test_game_screens import after, shot

import dungeon
from dungeon.generation.populate.choosing import spawn_of
from game_demo.display.descriptions import describe_cell, describe_entity
from game_demo.rules import actions, journeys
from game_demo.rules.commands import check
from game_demo.rules.fitting import FITTING
from game_demo.rules.lessons import LESSONS
from game_demo.rules.naming import describe_destination, effect_of
from game_demo.screens.body import Fit, describe_blows
from game_demo.screens.dialogs import Confirm
from game_demo.screens.game_screens import PlayScreen, Title
from game_demo.screens.inventory import _best_of
from game_demo.screens.session import Session
from game_demo.state.body import POWER
from game_demo.state.carried import Find
from game_demo.state.components import Appearance, ItemEffect, Stack
from game_demo.state.log import Command
from game_demo.state.minds import MARKS
from game_demo.state.spawning import components_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    MakePlay = Callable[..., PlayScreen]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[MakePlay]:
    """Begin a game on drawn levels, with its screen; the player arrives at ``<``."""

    def make(*drawings: str) -> PlayScreen:
        return PlayScreen(Session(drawn_content(tmp_path, *drawings), 1))

    yield make
    forget_worlds()


def test_the_designers_view_asks_once_and_escape_closes_it(begin: MakePlay) -> None:
    play = begin("#######\n#<.i..#\n#######")
    question = after(play, "v")
    assert isinstance(question, Confirm)
    assert "The designer's view shows everything hidden on this level. Look?  y / n" in shot(question)
    assert after(question, "n") is play
    assert play.eye is None
    after(play, "v", "y", "v")
    assert play.eye == "features"
    assert "idler 3/3" in shot(play), "who is in sight is told in this view, too"
    assert after(play, "escape") is play
    assert play.eye is None
    after(play, "v")
    assert play.eye == "encounters", "and it is not asked again"


def test_escape_leaves_neither_the_game_nor_the_title(begin: MakePlay) -> None:
    play = begin("####\n#<.#\n####")
    title = Title(play.session)
    assert title.press("escape") is title
    assert title.press("q") is None


# -- the haul, and the body ---------------------------------------------------------------------------


def test_the_haul_is_explained_at_the_first_find_and_hidden_kinds_are_counted(
    begin: MakePlay,
) -> None:
    play = begin("#####\n#<s.#\n#####")
    assert not LESSONS["haul"].matters(play.game)
    after(play, "l", "g")
    assert LESSONS["haul"].matters(play.game)
    assert "buys nothing" in LESSONS["haul"].text
    for value in range(2, 9):
        play.game.player.haul.add(Find(f"thing {value}", value))
    text = shot(after(play, "i"))
    assert "Haul: 8 things, worth 35; it buys nothing and only ranks your game" in text
    assert "thing 8, worth 8" in text
    assert "+3 kinds more" in text
    assert "+6 kinds more" in "".join(line for line, _ in _best_of(play.game.player.haul, 3))
    assert not _best_of(play.game.player.haul, 1)


def test_a_number_on_the_body_page_takes_off_that_part(begin: MakePlay) -> None:
    play = begin("#####\n#<c.#\n#####")
    game = play.game
    after(play, "l", "g", "i", "a", "escape")
    assert isinstance(after(play, "i", "a", "z"), Fit), "a key that means nothing there does nothing"
    after(play, "i", "a", "1")
    assert game.attack.power == POWER + 2
    page = after(play, "e")
    assert "1  right arm  power cell (power +2)" in shot(page)
    assert "Press its number here to take it off again." in shot(page)
    assert after(page, "2") is page, "nothing is fitted there"
    turn = game.log.turn
    assert after(page, "1") is play
    assert (game.body.fitted, game.attack.power, game.log.turn - turn) == ({}, POWER, FITTING)
    assert [stack.look.name for stack in game.player.inventory] == ["power cell"]
    check(Command(game.log.turn, "take_off", ("right arm",)))


def test_the_body_page_explains_power_and_armour(begin: MakePlay) -> None:
    play = begin("######\n#<.f.#\n######")
    game = play.game
    assert "Blows never miss and do 1 to 3 damage; you have no armour." in shot(after(play, "e"))
    fighter = game.map.blockers[1, 3]
    assert "hits for up to 2\n" in describe_entity(game, fighter)
    game.body.build = replace(game.body.build, power=5, armour=3)
    assert (
        describe_blows(game.body.build)
        == "Blows never miss and do 1 to 5 damage; armour reduces hits by up to 3."
    )
    assert "hits for up to 2, your armour reduces its hits by up to 3" in describe_entity(game, fighter)


def test_no_part_of_the_demo_is_cut_where_it_is_listed() -> None:
    play = PlayScreen(Session(demo_content(), 1))
    things = play.session.content.catalog.things["item"].values()
    parts = [thing for thing in things if "slot" in thing.data]
    assert len(parts) > 20
    for thing in parts:
        spawn = spawn_of(thing, ((1, 1),), thing.data | {"prototype": thing.prototype}, "", None)
        effect = next(each for each in components_for(spawn, []) if isinstance(each, ItemEffect))
        stack = Stack(thing.tag, Appearance(thing.glyph, thing.fg, thing.name), effect, letter="a")
        play.game.player.inventory[:] = [stack]
        for keys in ("i", "ia"):
            rows = [row.split("│")[1] for row in shot(after(play, *keys)).splitlines() if row.count("│") == 2]
            assert not any(row.rstrip().endswith("..") for row in rows), thing.tag
            assert all(word in " ".join(rows) for word in effect_of(effect).split()), thing.tag
    forget_worlds()


# -- stairs ---------------------------------------------------------------------------------------------


def test_stairs_describe_their_level_and_how_much_deeper_it_is() -> None:
    game = PlayScreen(Session(demo_content(), 1, start="goods_inwards/1")).game
    texts = [game.foretaste(node.id) for node in game.world.maps]
    assert all(0 < len(text) < 70 for text in texts)
    stairs, target = next(iter(game.map.exits.items()))
    game.map.sight.explored[:] = True
    words = f"{game.world.level(target).name}. {game.foretaste(target)}"
    assert describe_cell(game, stairs)[-1] == f"Stairs on to {words}"
    beside = next(cell for cell in game.map.neighbours(stairs) if game.map.is_free(cell))
    game.map.move(game.hero, beside)
    actions.step(game, (stairs[0] - beside[0], stairs[1] - beside[1]))
    assert f"{words} (> takes you there)" in said(game)
    actions.step(game, (beside[0] - stairs[0], beside[1] - stairs[1]))
    begun = len(game.log.messages)
    journeys.go_down(game)
    assert sum(game.foretaste(target) in each for each in said(game)[begun:]) == 1, (
        "on each way to the stairs"
    )
    deep = next(node.id for node in game.world.maps if node.depth == 3)
    assert describe_destination(game, deep) == f"{game.title(deep)}, 2 levels deeper"
    forget_worlds()


# -- signs ----------------------------------------------------------------------------------------------


def test_item_glyphs_differ_from_robot_marks_and_map_signs_differ() -> None:
    content = demo_content()
    assert not {thing.glyph for thing in content.catalog.things["item"].values()} & {MARKS["with you"]}
    legend = shot(after(PlayScreen(Session(content, 1)), "M")).splitlines()[-1]
    assert "· path" in legend
    assert "░ floor" in legend
    forget_worlds()


def test_strong_rooms_have_different_prizes() -> None:
    content = demo_content()
    prizes = set()
    for seed in range(1, 60):
        if len(prizes) > 1:
            break
        level = dungeon.World(content, seed).level("galleries/2")
        rooms = [number for number, each in enumerate(level.placements) if each.encounter == "strong_room"]
        prizes |= {spawn.tag for spawn in level.spawns if spawn.placement in rooms and ":7" in spawn.source}
    assert len(prizes) > 1
