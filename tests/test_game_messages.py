"""The log: its rows on the screen, counts, hints and lessons."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import esper
import pytest
from test_game import said
from test_game_screens import after, shot
from workshops import cellar, guardroom, hall, storehouse, workshop

from game_demo.display.drawing import MESSAGE_COLOURS, NO_BREAK
from game_demo.display.messages import colour_of, message_rows
from game_demo.rules import journeys
from game_demo.rules.lessons import LESSONS, lesson_due, teach
from game_demo.rules.moods import turn_to
from game_demo.rules.naming import listed
from game_demo.rules.paths import robots_in_sight
from game_demo.rules.watch import is_hindered
from game_demo.screens.dialogs import Confirm, messages_page
from game_demo.state.components import Mind, cell_of
from game_demo.state.game import Game
from game_demo.state.log import HINT, MAX_MESSAGES, Log

if TYPE_CHECKING:
    from workshops import Begin

    from game_demo.screens.screen import Screen
    from game_demo.state.game import Game

__all__ = ["cellar", "guardroom", "hall", "storehouse", "workshop"]

HALL = """
    #######
    #<....#
    #.....#
    #######
"""


def words(screen: Screen) -> str:
    """Return what a screen shows, with one blank between words."""
    return " ".join(shot(screen).split())


def news(game: Game) -> list[str]:
    """Return what was said that was no aside."""
    return [message.text for message in game.log.messages if message.kind != "aside"]


@pytest.mark.parametrize("others", [0, 5])
@pytest.mark.parametrize("width", range(24, 60))
def test_the_count_of_a_message_is_not_wrapped_away_from_its_last_word(others: int, width: int) -> None:
    log = Log()
    for _ in range(12):
        log.say("You see a stacker behind the crates.")
    for number in range(others):
        log.say(f"{number}.")
    lines = [" ".join(words.text for words in row) for row in chain(*message_rows(log, width, 3)[:2])]
    assert any("crates. [12 times]" in line.replace(NO_BREAK, " ") for line in lines)


def test_the_page_of_messages_keeps_counts_with_their_messages(workshop: Begin) -> None:
    play = workshop("####\n#<.#\n####")
    for length in range(20, 74):
        for _ in range(2):
            play.game.log.say(f"{'word ' * (length // 5)}{'x' * (length % 5)}end.")
    lines = [line.replace(NO_BREAK, " ") for line, _ in messages_page(play, play.game.log).lines]
    assert sum("end. [2 times]" in line for line in lines) == 54


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["door"] * 2, "two doors"),
        (
            ["copy in wax", "heap of coal", "heap of coal", "copy in wax"],
            "two copies in wax and two heaps of coal",
        ),
        (["locker to pry open"] * 3, "three lockers to pry open"),
        (["locked box that you can open"] * 2, "two locked boxes that you can open"),
        (["key beside a sleeping guard"] * 2, "two keys beside a sleeping guard"),
        (["chalk marks to be read"], "some chalk marks to be read"),
        (["brass fittings"] * 2, "some brass fittings (x2)"),
        (["Chief Clerk"] * 2, "the Chief Clerk (x2)"),
        (["signalman", "shelf"] * 13, "13 signalmen and 13 shelves"),
    ],
)
def test_listed_counts_equal_names_in_words(names: list[str], told: str) -> None:
    assert listed(names) == told


def test_a_question_stays_open_until_it_is_answered(workshop: Begin) -> None:
    play = workshop("######\n#<.p.#\n######")
    asked = after(play, "l", "l")
    assert isinstance(asked, Confirm)
    for key in ("l", "right", "enter", "x", "tick", ""):
        assert after(asked, key) is asked, f"{key!r} is no answer"
    for key in ("n", "N", "escape"):
        assert after(asked, key) is play
    assert play.game.player_cell == (1, 2)
    after(asked, "y")
    assert play.game.player_cell == (1, 3)


def test_new_messages_are_marked_without_colour(workshop: Begin) -> None:
    play = workshop("######\n#<t..#\n######")
    after(play, "l", "g")
    taken, *_ = (row for row in shot(play).splitlines() if "tin" in row and row.startswith("│ "))
    assert taken.startswith("│ You take")
    shown = shot(after(play, "h")).splitlines()
    assert taken.replace("│", " ", 1) in shown, "and it is old as soon as something else is done"


def test_lessons_wait_while_a_robot_is_after_the_player(workshop: Begin) -> None:
    game = workshop("########\n#<.t..h#\n########").game
    game.taught.add("robot")
    (hound,) = robots_in_sight(game)
    assert lesson_due(game) == "item"
    turn_to(game, hound, "alert")
    assert lesson_due(game) is None


def test_the_lesson_about_a_door_names_its_direction(storehouse: Begin) -> None:
    game = storehouse("#####\n#<..#\n##.L#\n#####").game
    teach(game, "lock")
    assert said(game)[-1] == "Tip: The door to the southeast is locked: walk into it to read what opens it."
    assert "in sight" in LESSONS["lock"].told(storehouse("####\n#<.#\n####").game)


def test_the_lesson_about_resting_waits_until_no_enemy_is_in_sight(guardroom: Begin) -> None:
    game = guardroom("<....h").game
    game.health.hp = 5
    assert not LESSONS["rest"].matters(game)
    ((robot, mind),) = esper.get_component(Mind)
    mind.state = "with you"
    assert LESSONS["rest"].matters(game)
    assert cell_of(robot) == (1, 6)


def test_messages_of_one_action_are_shown_from_the_first_and_the_rest_counted() -> None:
    def rows(log: Log) -> list[str]:
        return [" ".join(words.text for words in row) for row in chain(*message_rows(log, 30, 3)[:2])]

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
        "(m shows 5 more) Number 4", "falls. Number 5 falls. Number", "6 falls. Number 7 falls.",
    ]  # fmt: skip
    log.begin_action()
    before = log.messages[-1]
    assert colour_of(before, log) != MESSAGE_COLOURS[before.kind]


def test_the_errand_is_shown_at_the_start_and_in_help(hall: Begin) -> None:
    play = hall(HALL, HALL)
    told = "Find the prize, at depth 2, and take it: then you have won."
    assert told in said(play.game)
    assert told in shot(after(play, "?"))


def test_resting_with_full_hit_points_says_that_it_only_waited(hall: Begin) -> None:
    play = hall("#####\n#<..#\n#####")
    journeys.rest(play.game)
    assert said(play.game)[-1] == "Your hit points are full: you only waited, for 20 turns."


def test_a_hint_has_a_row_a_mark_and_a_colour_of_its_own() -> None:
    log = Log()
    log.begin_action()
    log.say("Chalk. Walk into whoever is in the ring.", "plain")
    log.say("You see a sweeper.", "find")
    log.say("R rests.", "hint")
    rows = [[*row] for row in chain(*message_rows(log, 34, 3)[:2])]
    assert [" ".join(words.text for words in row) for row in rows] == [
        "Chalk. Walk into whoever is in the", "ring. You see a sweeper.", "Tip: R rests.",
    ]  # fmt: skip
    assert {words.colour for words in rows[-1]} == {MESSAGE_COLOURS["hint"]}
    assert list(MESSAGE_COLOURS.values()).count(MESSAGE_COLOURS["hint"]) == 1
    assert log.news == 2, "a hint is nothing that has happened"


def test_a_hint_is_marked_in_the_log(cellar: Begin) -> None:
    play = cellar("####\n#<r#\n####")
    after(play, ".")
    assert f"{HINT}{LESSONS['item'].text}" in shot(after(play, "m"))


def test_advice_is_given_in_full_once_and_then_in_a_few_words(guardroom: Begin) -> None:
    game = guardroom("<....h").game
    (robot,) = robots_in_sight(game)
    told = {}
    for state in ("alert", "searching", "calling", "stalking", "fleeing"):
        turn_to(game, robot, state)
        for _ in range(2):
            esper.component_for_entity(robot, Mind).was_told = False
            assert is_hindered(game) or state == "fleeing"
            told.setdefault(state, []).append(
                said(game)[-1].partition(". ")[2].removesuffix(" (press again to go on)")
            )
    brief = [told[state][1] for state in ("alert", "searching", "calling", "stalking")]
    assert brief == ["Fight or run.", "Hide or strike.", "Stop its call.", "Wait in corridors."]
    assert all(len(first) > len(second) for first, second in (told[state] for state in told) if second)


def test_a_lesson_that_is_not_urgent_waits_until_the_log_has_room(workshop: Begin) -> None:
    play = workshop("########\n#<.t...#\n########")
    log = play.game.log
    log.begin_action()
    for number in range(2):
        log.say(f"Number {number} falls.")
    play.resume()
    assert "item" not in play.game.taught
    after(play, ".")
    assert "item" in play.game.taught


@pytest.mark.parametrize("size", [(120, 40), (200, 80)], ids=str)
def test_messages_that_no_longer_fit_stand_beside_the_map(hall: Begin, size: tuple[int, int]) -> None:
    play = hall(HALL)
    log = play.game.log
    for number in range(40):
        log.begin_action()
        log.say(f"Message {number}.")
    rows = shot(play, size).splitlines()
    below = [row.strip("│ ") for row in rows[-6:]]
    assert below == [f"Message {number}." for number in range(34, 40)]
    beside = [row.rpartition("│")[2].strip() for row in rows[1:-7]]
    assert [row for row in beside if row.startswith("Message")] == [
        f"Message {number}." for number in range(22, 34)
    ]
    assert "Message" not in shot(play).split("\n", maxsplit=1)[0]
    narrow = shot(play, (80, 24))
    assert narrow.rstrip().endswith("Message 39."), "the smallest screen keeps what happened last"
    assert narrow.count("Message") == 3


def test_every_lesson_has_room_in_a_line_of_the_smallest_screen() -> None:
    told = [
        HINT + lesson.text.format(where="to the southwest", what="deck telegraph")
        for lesson in LESSONS.values()
    ]
    assert not [text for text in told if len(text) > 77]


def test_asides_are_left_out_first_if_messages_do_not_fit() -> None:
    log = Log()
    log.begin_action()
    log.say("It strikes.", "bad")
    for number in range(4):
        log.say(f"What you have read {number}.", "aside")
    log.say("You see a robot.", "find")
    (row,) = chain(*message_rows(log, 50, 1)[:2])
    assert " ".join(words.text for words in row) == "(m shows 4 more) It strikes. You see a robot."


def test_the_log_counts_forgotten_messages(cellar: Begin) -> None:
    play = cellar("####\n#<.#\n####")
    log = play.game.log
    log.messages.clear()
    for number in range(MAX_MESSAGES):
        log.say(f"Number {number}.")
    assert shot(after(messages_page(play, log), "home")).count("Number 0.") == 1
    log.say("One more.")
    log.say("One more.")
    text = shot(after(messages_page(play, log), "home"))
    assert "1 message before these are no longer kept" in text
    assert "Number 0." not in text
