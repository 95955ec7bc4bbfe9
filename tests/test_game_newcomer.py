"""What the demo's screen tells a newcomer around the map: messages, who means harm, the goal, where ways lead."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import esper
import pytest
from test_game import drawn_content, forget_worlds, said
from test_game_screens import after, shot

from game_demo.display.descriptions import underfoot
from game_demo.display.drawing import DIM, MESSAGE_COLOURS, PLAIN, RED
from game_demo.display.messages import colour_of, message_rows
from game_demo.display.panels import entries_in_sight
from game_demo.rules import actions, journeys
from game_demo.rules.lessons import LESSONS
from game_demo.screens.game_screens import Play
from game_demo.screens.session import Session
from game_demo.state.components import Appearance, Mind
from game_demo.state.log import Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    MakePlay = Callable[..., Play]

HALL = """
    #######
    #<....#
    #.....#
    #######
"""


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[MakePlay]:
    """Begin a game on drawn levels, with its screen; the player arrives at ``<``."""

    def make(*drawings: str) -> Play:
        return Play(Session(drawn_content(tmp_path, *drawings), 1))

    yield make
    forget_worlds()


def test_messages_of_one_action_begin_whole_and_none_is_lost_unsaid() -> None:
    def rows(log: Log) -> list[str]:
        return [" ".join(words.text for words in row) for row in chain(*message_rows(log, 30, 3))]

    log = Log()
    log.say("An old word, which has to be longer than a line.")
    log.begin_action()
    log.say("You strike.", "good")
    log.say("It strikes.", "bad")
    assert rows(log) == ["You strike.", "It strikes."], "the old one has no room for all of it"
    for number in (1, 2):
        log.say(f"Number {number} falls.")
    assert rows(log) == ["You strike. It strikes. Number", "1 falls. Number 2 falls."]
    colours = dict(message_rows(log, 30, 3)[1][0])
    assert (colours["You"], colours["It"]) == (MESSAGE_COLOURS["good"], MESSAGE_COLOURS["bad"])
    for number in range(3, 8):
        log.say(f"Number {number} falls.")
    assert rows(log) == [
        "(m tells 5 more) Number 4", "falls. Number 5 falls. Number", "6 falls. Number 7 falls.",
    ]  # fmt: skip
    log.begin_action()
    before = log.messages[-1]
    assert colour_of(before, log) != MESSAGE_COLOURS[before.kind]


def test_robots_show_whether_they_mean_harm(begin: MakePlay) -> None:
    play = begin("############\n#<...f...i.#\n############")
    fighter, idler = (entry for entry in entries_in_sight(play.game) if entry.health)
    assert (idler.mark, idler.colour) == ("-", DIM)
    assert (fighter.mark, fighter.colour) == (" ", PLAIN)
    mind = next(mind for _, (mind, look) in esper.get_components(Mind, Appearance) if look.glyph == "f")
    mind.state = "alert"
    assert next(each for each in entries_in_sight(play.game) if each.glyph == "f").colour == RED


def test_what_one_is_after_is_said_at_the_start_and_in_help(begin: MakePlay) -> None:
    play = begin(HALL, HALL)
    told = "You are after the prize, at depth 2: that ends The Test."
    assert told in said(play.game)
    assert told in shot(after(play, "?"))


def test_the_ground_is_told_in_fewer_words_where_there_is_little_room(begin: MakePlay) -> None:
    play = begin(HALL, HALL)
    play.game.map.move(play.game.hero, next(iter(play.game.map.exits)))
    assert [underfoot(play.game, width) for width in (28, 24, 18, 15)] == [
        "stairs down to Hall 2", "stairs down to Hall 2", "down to Hall 2", "down to Hall 2",
    ]  # fmt: skip
    assert underfoot(play.game) == "stairs down to Hall 2, depth 2"


def test_stairs_say_where_they_lead_and_a_fork_is_pointed_out(begin: MakePlay) -> None:
    play = begin(HALL.replace("....#", "..>>#", 1), HALL)
    assert "> down to Hall 2, depth 2" in shot(play)
    assert "fork" not in play.game.taught
    exits = play.game.map.exits
    exits[play.game.map.level.entrance] = "elsewhere"
    assert LESSONS["fork"].matters(play.game)


@pytest.mark.parametrize(("depth", "told"), [(1, "You go down to"), (2, "You come to"), (3, "You go up to")])
def test_ways_go_down_only_where_it_is_deeper(begin: MakePlay, depth: int, told: str) -> None:
    game = begin(HALL.replace("....#", "...>#", 1), HALL).game
    game.map.move(game.hero, next(iter(game.map.exits)))
    game.map.level = replace(game.map.level, depth=depth)
    actions.descend(game)
    assert said(game)[-1] == f"{told} Hall 2, depth 2."


def test_who_is_badly_damaged_is_told_of_what_mends_if_he_has_it(begin: MakePlay) -> None:
    game = begin("#####\n#<r.#\n#####").game
    game.health.hp = game.health.max_hp // 3 - 1
    assert not LESSONS["mend"].matters(game)
    actions.step(game, (0, 1))
    actions.pick_up(game)
    assert LESSONS["mend"].matters(game)
    game.health.hp = game.health.max_hp
    assert not LESSONS["mend"].matters(game)


def test_closing_tells_what_has_a_door(begin: MakePlay) -> None:
    play = begin("######\n#<+..#\n######")
    assert "What is only a doorway has none." in shot(after(play, "c"))
    game = play.game
    for _ in range(2):
        actions.step(game, (0, 1))
    assert "You stand in the door." in shot(after(play, "c"))


def test_a_rest_of_somebody_whole_says_what_it_was(begin: MakePlay) -> None:
    play = begin("#####\n#<..#\n#####")
    journeys.rest(play.game)
    assert said(play.game)[-1] == "There is nothing to mend: you have waited 20 turns."
