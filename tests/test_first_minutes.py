"""What a player learns in his first minutes: hints apart from the story, firsts that end a journey, old news that ends none, choices."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import esper
import pytest
from demo import demo_content
from test_game import OBJECTS, drawn_content, forget_worlds, said, walk
from test_game_journeys import spare_the_goal
from test_game_screens import after, shot

import dungeon
from game_demo.display.descriptions import describe_cell
from game_demo.display.drawing import MESSAGE_COLOURS
from game_demo.display.messages import message_rows
from game_demo.rules import actions, journeys
from game_demo.rules.lessons import LESSONS
from game_demo.rules.robots.moods import PATIENCE
from game_demo.rules.ways import AROUND, known_costs
from game_demo.saving.folder import SaveFolder
from game_demo.saving.keeper import Keeper
from game_demo.saving.origin import Origin
from game_demo.screens.dialogs import messages_page
from game_demo.screens.game_screens import Play
from game_demo.screens.session import Session
from game_demo.state.components import Mind, Perception, Position
from game_demo.state.digest import digest_of
from game_demo.state.log import HINT, MAX_MESSAGES, Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from game_demo.state.game import Game

    Begin = Callable[..., Play]

THINGS = OBJECTS | {
    "robots": """
        clerk: {name: clerk, glyph: c, data: {behaviour: caller, hp: 5, attack: 1, sight: 60, calls: 20}}
        hound: {name: hound, glyph: h, data: {behaviour: hunt, hp: 5, attack: 1, sight: 1}}
    """,
    "props": """
        lever: {name: lever, glyph: "/"}
        box: {name: box, glyph: "="}
        chalk: {name: chalk, glyph: "+", blocks: false, data: {text: Go on.}}
    """,
}
LEGEND = """
    c: {robot: clerk}
    h: {robot: hound}
    l: {prop: lever, opens: gate}
    t: {prop: chalk}
    k: {item: key, opens: brass}
    X: {prop: box, lock: brass}
    G: {terrain: locked_door, lock: gate}
    a: {item: scrap, data: {choice: prize}}
    b: {item: patch, data: {choice: prize}}
    d: {item: patch, data: {choice: another}}
    r: {item: patch}
    p: {item: blade}
    f: {item: bad_blade}
"""


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Begin a game on drawn levels, with its screen; the player arrives at ``<``."""
    items = f"""{OBJECTS["items"]}
        key: {{name: key, glyph: "-"}}
        blade: {{name: blade, glyph: "/", data: {{slot: arm, power: 2}}}}
        bad_blade: {{name: odd blade, glyph: "/", data: {{slot: arm, power: 5, prototype: true}}}}
    """

    def make(*drawings: str) -> Play:
        content = drawn_content(tmp_path, *drawings, objects=THINGS | {"items": items}, legend=LEGEND)
        return Play(Session(content, 1))

    yield make
    forget_worlds()


def news(game: Game) -> list[str]:
    """Return what was said that was no aside."""
    return [message.text for message in game.log.messages if message.kind != "aside"]


# -- hints, and what else is said -----------------------------------------------------------------


def test_a_hint_has_a_row_a_mark_and_a_colour_of_its_own() -> None:
    log = Log()
    log.begin_action()
    log.say("Chalk. Walk into whoever is in the ring.", "plain")
    log.say("You see a sweeper.", "find")
    log.say("R rests.", "hint")
    rows = [[*row] for row in chain(*message_rows(log, 34, 3))]
    assert [" ".join(words.text for words in row) for row in rows] == [
        "Chalk. Walk into whoever is in the", "ring. You see a sweeper.", "Tip: R rests.",
    ]  # fmt: skip
    assert {words.colour for words in rows[-1]} == {MESSAGE_COLOURS["hint"]}
    assert list(MESSAGE_COLOURS.values()).count(MESSAGE_COLOURS["hint"]) == 1
    assert log.news == 2, "a hint is nothing that has happened"


def test_a_hint_is_marked_in_the_log(begin: Begin) -> None:
    play = begin("####\n#<r#\n####")
    after(play, ".")
    assert f"{HINT}{LESSONS['item'].text}" in shot(after(play, "m"))


def test_every_lesson_has_room_in_a_line_of_the_smallest_screen() -> None:
    told = [
        HINT + lesson.text.format(where="to the southwest", what="deck telegraph")
        for lesson in LESSONS.values()
    ]
    assert not [text for text in told if len(text) > 77]


def test_asides_make_room_for_what_matters() -> None:
    log = Log()
    log.begin_action()
    log.say("It strikes.", "bad")
    for number in range(4):
        log.say(f"What you have read {number}.", "aside")
    log.say("You see a robot.", "find")
    (row,) = chain(*message_rows(log, 50, 1))
    assert " ".join(words.text for words in row) == "(m tells 4 more) It strikes. You see a robot."


def test_the_log_says_how_much_it_has_forgotten(begin: Begin) -> None:
    play = begin("####\n#<.#\n####")
    log = play.game.log
    log.messages.clear()
    for number in range(MAX_MESSAGES):
        log.say(f"Number {number}.")
    assert shot(after(messages_page(play, log), "home")).count("Number 0.") == 1
    log.say("One more.")
    log.say("One more.")
    text = shot(after(messages_page(play, log), "home"))
    assert "1 message before that, no longer remembered" in text
    assert "Number 0." not in text


# -- what ends a journey, and what does not again -------------------------------------------------


def test_the_first_thing_of_a_kind_that_can_be_made_use_of_ends_a_journey(begin: Begin) -> None:
    game = begin("""
        ##############
        #<...........#
        ############.#
        #ll..........#
        ############.#
        #####....r.r.#
        ##############
    """).game
    spare_the_goal(game)
    ends = []
    for _ in range(4):
        journeys.explore(game)
        ends.append(said(game)[-1].partition(".")[0])
    assert ends == [
        "You see a lever",
        "You take the patch (i applies it: repairs 6)",
        "The lever is beside you, to the west",
        "It moves, and nothing else does",
    ]
    assert [stack.count for stack in game.player.inventory] == [2], "a second one was no news"


def test_firsts_are_known_in_a_game_that_is_gone_on_with(begin: Begin, tmp_path: Path) -> None:
    content = begin("##########\n#<......l#\n########.#\n#p.....h.#\n##########").session.content
    keeper = Keeper(Origin("content", "code", "1.0"), SaveFolder(tmp_path / "saves"))
    session = Session(content, 1, keeper=keeper)
    after(Play(session), "l", "o", "o", "o")
    keeper.leave(session.game)
    again = Session(content, 1, keeper=keeper)
    assert again.go_on(keeper.saved()[0])
    assert {"a hound"} <= again.game.read
    assert digest_of(again.game) == digest_of(session.game)
    keeper.close()


def test_on_a_journey_nothing_is_told_again_that_was_read_before(begin: Begin) -> None:
    game = begin("########\n#<.t...#\n########").game
    walk(game, "llll")
    assert said(game).count("Chalk. Go on.") == 1
    journeys.travel(game, (1, 1))
    journeys.run(game, (0, 1))
    assert game.player_cell == (1, 6)
    assert said(game).count("Chalk. Go on.") == 1
    walk(game, "hhh")
    last = game.log.messages[-1]
    assert (last.text, last.kind) == ("Chalk. Go on.", "aside"), "whoever steps there means to read it"


CORRIDOR = """
    ####################
    #<......c.........{}#
    ####################
"""


def hear_out(game: Game) -> None:
    """Wait until who has drawn breath has called."""
    for _ in range(PATIENCE["calling"]):
        actions.wait(game)


def test_who_runs_from_one_is_news_once(begin: Begin) -> None:
    game = begin(CORRIDOR.format(".")).game
    hear_out(game)
    assert news(game)[-3:] == ["The clerk calls for help!", "Nobody hears.", "The clerk runs from you."]
    robot, mind = next((entity, mind) for entity, mind in esper.get_component(Mind))
    before = news(game)
    for _ in range(3):  # it settles, sees him, calls and runs again
        mind.state, mind.called = mind.manner.rest, False
        hear_out(game)
        assert mind.state == "fleeing"
    assert news(game) == before
    assert any("calls for help again, and nobody hears" in each for each in said(game))
    mind.state, mind.called = mind.manner.rest, False
    watch = journeys.Watch(game)
    hear_out(game)
    assert watch.is_quiet(), "it interrupts no journey either"
    assert game.map.sight.visible[game.map.level.entrance]
    assert robot in journeys.fighters_in_sight(game)


def test_a_call_that_brings_somebody_is_news_again(begin: Begin) -> None:
    game = begin(CORRIDOR.format("h")).game
    minds = {mind.behaviour: mind for _, mind in esper.get_component(Mind)}
    minds["hunt"].state = "off"
    hear_out(game)
    minds["hunt"].state = "at work"
    minds["caller"].state, minds["caller"].called = "at its post", False
    hear_out(game)
    assert "Somebody comes." in news(game)
    assert news(game).count("The clerk calls for help!") == 2


# -- what parts change, and which keys are of use ----------------------------------------------------


def test_fitting_tells_what_is_better_and_worse_also_if_a_prototype_is_faulty(begin: Begin) -> None:
    play = begin("######\n#<pf.#\n######")
    for _ in range(2):
        walk(play.game, "l")
        actions.pick_up(play.game)
    actions.apply(play.game, 0)
    left, right = shot(after(play, "i", "a")).split("right arm, now")
    assert "better: blows do up to 8 damage (now 5)" in right
    assert "if it is faulty:" in right
    assert "worse: blows do up to 3 damage (now 5)" in right
    assert "better: blows do up to 10 damage (now 5)" in left
    assert "worse" not in left


def test_a_key_is_told_of_while_something_here_wants_it(begin: Begin) -> None:
    play = begin("#######\n#<k.X.#\n#######")
    walk(play.game, "l")
    actions.pick_up(play.game)
    assert "For locks here: key" in shot(after(play, "i"))
    walk(play.game, "ll")
    assert "You unlock the box; the key stays in the lock." in said(play.game)
    assert "For locks here" not in shot(after(play, "i"))


# -- choices --------------------------------------------------------------------------------------


def test_a_choice_is_left_to_the_player_who_may_have_one(begin: Begin) -> None:
    play = begin("##########\n#<.a.b.d.#\n##########")
    game = play.game
    for _ in range(6):
        journeys.explore(game)
    assert "Here lies a scrap. (g takes it instead of a patch)" in said(game)
    assert (game.player.inventory, game.player.haul.counts) == ([], {})
    assert "You left a scrap and two patches" in said(game)[-1]
    assert "on offer instead of a patch: only one can be taken" in describe_cell(game, (1, 3))[0]
    assert f"{HINT}{LESSONS['choice'].text}" in said(after(play, ".").game)
    journeys.travel(game, (1, 5))
    actions.pick_up(game)
    assert said(game)[-1] == "You take the patch (i applies it: repairs 6) instead of a scrap."
    assert [stack.tag for stack in game.player.inventory] == ["patch"]
    assert [bool(game.map.items_at((1, x))) for x in (3, 5, 7)] == [False, False, True]


def test_who_goes_to_one_of_a_choice_does_not_stop_at_another(begin: Begin) -> None:
    game = begin("########\n#<.a.b.#\n#......#\n########").game
    for goal in ((1, 5), (1, 1), (1, 5)):
        journeys.travel(game, goal)
        assert game.player_cell == goal
    assert not any(item in game.map.passed for item in game.map.items_at((1, 3)))


def test_a_heap_of_any_size_to_choose_from_is_still_ground_to_walk_on(begin: Begin) -> None:
    game = begin("##########\n#<.aaaaaa#\n##########").game
    for x in range(4, 9):
        (item,) = game.map.items_at((1, x))
        game.map.lying[1, x].remove(item)
        game.map.lay(item, [(1, 3)])
        esper.component_for_entity(item, Position).x = 3
    assert known_costs(game)[1, 3] == AROUND


def test_of_a_choice_on_one_heap_one_thing_is_taken(begin: Begin) -> None:
    game = begin("######\n#<ab.#\n######").game
    (item,) = game.map.items_at((1, 3))
    game.map.lying[1, 3].remove(item)
    game.map.lay(item, [(1, 2)])
    esper.component_for_entity(item, Position).x = 2
    walk(game, "l")
    actions.pick_up(game)
    assert not game.map.items_at((1, 2))
    assert game.player.haul.counts.total() + len(game.player.inventory) == 1
    assert digest_of(game)


def test_the_first_level_of_the_demo_has_a_choice_in_every_world() -> None:
    content = demo_content()
    for seed in range(4):
        spawns = dungeon.World(content, seed).level("goods_inwards/1").spawns
        offered = [spawn.tag for spawn in spawns if spawn.keywords.get("choice") == "prize"]
        assert len({*offered}) == 3


def test_exploring_leads_from_station_to_station_before_it_leads_out() -> None:
    content = demo_content()
    for seed in range(4):
        game = Session(content, seed).game
        begun = -1
        while begun < game.log.turn:  # until there is somebody to be fought
            begun = game.log.turn
            journeys.explore(game)
        read = [
            text.split(".")[1].split(",")[0].strip() for text in said(game) if text.startswith("Chalk marks.")
        ]
        assert read == ["REPAIR UNITS", *(f"STATION {number}" for number in (1, 2, 3, 4))], seed
    forget_worlds()


def test_who_is_held_where_it_is_keeps_nobody_from_going_on(begin: Begin) -> None:
    game = begin("""
        ####################
        #<........h........#
        ####################
    """).game
    robot, mind = next(iter(esper.get_component(Mind)))
    esper.component_for_entity(robot, Perception).radius = 20
    mind.leash, mind.state, mind.aim = 3, "alert", game.player_cell
    journeys.explore(game)
    assert game.log.turn > 0
    assert not any(text.startswith("Not now") for text in said(game))


def test_what_may_be_beyond_the_screen_is_said_to_be_far_to_a_side(begin: Begin) -> None:
    game = begin("\n".join(["#####", "#<..#", *["###.#"] * 14, "###h#", "#####"])).game
    journeys.explore(game)
    assert "You see a hound far to the south." in said(game)


def test_who_knows_of_stairs_is_told_of_them_when_all_has_been_seen(begin: Begin) -> None:
    game = begin("######\n#<..>#\n######", "###\n#<#\n###").game
    for _ in range(4):
        journeys.explore(game)
    assert said(game)[-1].startswith("Nothing else to explore here. You know of stairs on from here (>).")
