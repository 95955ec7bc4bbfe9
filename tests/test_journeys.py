"""Journeys where something is about: quick legs, fuses, sleepers, workers, pursuers; and what they leave, and say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper
import pytest
from test_game import OBJECTS, drawn_content, forget_worlds, said, walk
from test_game_screens import after, shot
from test_works import Sure

from game_demo.rules import actions, journeys
from game_demo.rules.body import changes
from game_demo.rules.destruction import FUSE, set_off
from game_demo.rules.fighting import fire
from game_demo.rules.naming import as_sentence, effect_of
from game_demo.rules.watch import is_in_blast
from game_demo.saving.files import SaveFolder
from game_demo.saving.keeper import Keeper
from game_demo.saving.recording import GameOrigin
from game_demo.screens.body import summary
from game_demo.screens.game_screens import PlayScreen
from game_demo.screens.look import Look
from game_demo.screens.session import Session
from game_demo.state.body import BARE, BodyPart, build_of
from game_demo.state.components import Appearance, Energy, GoalItem, Gun, ItemEffect, Mind, Stack, cell_of
from game_demo.state.digest import digest_of
from game_demo.state.fixtures import Explosive
from game_demo.state.geometry import bearing_of, distance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from game_demo.state.game import Game

    Begin = Callable[..., PlayScreen]

THINGS = OBJECTS | {
    "robots": """
        hound: {name: coal hound, glyph: h, data: {behaviour: hunt, hp: 5, attack: 3, sight: 20}}
        stacker: {name: stacker, glyph: k, data: {behaviour: coward, hp: 5, attack: 1, speed: 0.1}}
        mouser: {name: mouser, glyph: m, data: {behaviour: swarm, hp: 5, attack: 1, sight: 20}}
    """,
    "props": """
        keg: {name: powder keg, glyph: "&", data: {explodes: {radius: 2, damage: 9}}}
        lever: {name: lever, glyph: "/"}
        board: {name: terminal, glyph: "o", data: {terminal: [map]}}
        box: {name: box, glyph: "=", state: shut}
    """,
}
LEGEND = """
    Z: {robot: hound, state: asleep}
    h: {robot: hound}
    k: {robot: stacker}
    m: {robot: mouser}
    B: {prop: keg}
    s: {item: scrap}
    r: {item: patch}
    g: {item: prize}
    n: {trap: needle}
    L: {terrain: locked_door, lock: gate}
    I: {prop: lever, opens: gate}
    T: {prop: board}
    X: {prop: box, lock: till}
"""


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Begin a game on drawn levels, with its screen; the player arrives at ``<``, and has come for nothing there."""

    def make(*drawings: str) -> PlayScreen:
        play = PlayScreen(Session(drawn_content(tmp_path, *drawings, objects=THINGS, legend=LEGEND), 1))
        play.game.resume()
        play.game.map.passed.update(item for item, _ in esper.get_component(GoalItem))
        return play

    yield make
    forget_worlds()


def wear(game: Game, part: BodyPart) -> None:
    """Have a part fitted."""
    game.body.fitted["legs" if part.slot == "legs" else "right arm"] = Stack(
        "part", Appearance("(", (0, 0, 0), "part"), ItemEffect(part=part)
    )
    game.refit()


def robot_and_mind() -> tuple[int, Mind]:
    """Return the only robot."""
    ((robot, mind),) = esper.get_component(Mind)
    return robot, mind


# -- quick legs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [1.6, 2, 0.85])
def test_who_makes_several_steps_in_a_turn_travels_as_far_as_others(begin: Begin, speed: float) -> None:
    game = begin(
        """
        ######################
        #<..................>#
        ######################
    """,
        "###\n#<#\n###",
    ).game
    wear(game, BodyPart(slot="legs", speed=speed))
    game.map.sight.explored[:] = True
    journeys.go_down(game)
    assert game.player_cell == (1, 20)
    journeys.go_up(game)
    assert game.player_cell == (1, 1)
    assert game.clock.ticks == 2 * 19 * round(100 / speed)


def test_steps_a_turn_are_told_in_the_same_way_everywhere() -> None:
    legs = BodyPart(slot="legs", speed=1.6)
    assert effect_of(ItemEffect(part=legs)) == "legs, 1.6 steps a turn"
    assert changes(BARE, build_of([legs])) == [("steps a turn: 1.6 (now 1)", True)]
    assert "1.6 steps a turn" in summary(build_of([legs]))
    assert "1 step a turn" in summary(BARE)


# -- fuses ----------------------------------------------------------------------------------------

KEG = """
    ##############
    #<...s.......#
    #.....B......#
    #............#
    #...........>#
    ##############
"""


def test_no_journey_goes_on_or_begins_in_reach_of_a_fuse(begin: Begin) -> None:
    game = begin(KEG, "###\n#<#\n###").game
    walk(game, "lll")
    ((keg, blast),) = esper.get_component(Explosive)
    set_off(game, keg, 2 * FUSE)
    assert said(game)[-1] == "The powder keg begins to hiss. Get away!"
    turn = game.log.turn
    for act in (
        journeys.explore,
        journeys.rest,
        journeys.go_down,
        lambda game: journeys.travel(game, (4, 1)),
        lambda game: is_in_blast(game, (1, 5)),
    ):
        act(game)
        told = f"Get {blast.radius + 1} cells away from it."
        assert said(game)[-1].startswith(f"Not now: the powder keg hisses and will explode. {told}")
    assert game.log.turn == turn
    journeys.run(game, (0, -1))  # away by hand
    assert game.player_cell == (1, 1)
    journeys.explore(game)
    assert (
        said(game)[-1] == "Not now: the powder keg hisses and will explode. Wait (.) until it has exploded."
    )
    assert game.player_cell[1] <= 3
    hp = game.health.hp
    journeys.rest(game)
    assert "The powder keg explodes!" in said(game)
    assert game.health.hp == hp
    journeys.explore(game)
    assert game.player.haul.counts == {("scrap", 0): 1}


def test_a_fuse_that_comes_in_sight_ends_a_journey(begin: Begin) -> None:
    game = begin("""
        ##########
        #<.......#
        ########.#
        #.......B#
        #........#
        ##########
    """).game
    ((keg, _),) = esper.get_component(Explosive)
    set_off(game, keg, 99)
    assert "hiss" not in " ".join(said(game))
    journeys.explore(game)
    assert said(game)[-1] == "The powder keg hisses."


def test_a_keg_that_is_shot_leaves_no_time_to_get_away(begin: Begin) -> None:
    game = begin("#########\n#<.....B#\n#########").game
    wear(game, BodyPart(slot="arm", gun=Gun(power=3, range=9)))
    ((keg, _),) = esper.get_component(Explosive)
    game.rng = Sure(0)
    fire(game, keg)
    assert said(game)[-2:] == ["The powder keg to the east is about to explode!", "The powder keg explodes!"]


# -- sleepers and workers -------------------------------------------------------------------------

DEN = """
    ######################
    #<......#............#
    #.......+........s.Z.#
    #.......#............#
    #.......#............#
    #.......#...s........#
    ######################
"""


def test_a_sleeping_enemy_ends_a_journey_once_and_what_lies_beside_it_is_left(begin: Begin) -> None:
    game = begin(DEN).game
    journeys.explore(game)
    assert said(game)[-1] == "You see a coal hound, asleep."
    robot, mind = robot_and_mind()
    nearest = 99
    for _ in range(4):
        journeys.explore(game)
        nearest = min(nearest, distance(game.player_cell, cell_of(robot)))
    assert said(game).count("You see a coal hound, asleep.") == 1
    assert (mind.state, game.player.haul.counts) == ("asleep", {("scrap", 0): 1})
    assert "There is still a scrap near a sleeping coal hound: sneak there (t)." in said(game)[-1]
    journeys.travel(game, (1, 1))
    journeys.explore(game)  # out of its sight
    assert "There is still a scrap near a sleeping coal hound: sneak there (t)." in said(game)[-1]
    assert nearest > 1


def test_exploring_does_not_pass_by_a_sleeper_whom_it_would_wake(begin: Begin) -> None:
    game = begin("""
        ##########
        #<.......#
        ####.#####
        ####.#####
        ####..####
        ####.Z####
        ####..####
        ####....s#
        ##########
    """).game
    for _ in range(6):
        journeys.explore(game)
    sleeper, mind = robot_and_mind()
    assert (mind.state, game.player.haul.counts) == ("asleep", {})
    cell, here = cell_of(sleeper), game.player_cell
    where = f"{distance(cell, here)} steps to the {bearing_of(here, cell)}"
    assert said(game)[-1].startswith(f"A coal hound sleeps beside the way on, {where}: sneak there (t).")
    actions.sneak(game)
    journeys.explore(game)
    assert "A coal hound sleeps beside the way on" in said(game)[-1]
    assert ": o keeps away from it, so walk there, or strike it (Tab)." in said(game)[-1]
    actions.sneak(game)
    journeys.travel(game, (7, 4))  # as the player wants it
    assert mind.state != "asleep"


def test_the_first_harmless_robot_of_its_kind_ends_a_journey_and_no_other(begin: Begin) -> None:
    game = begin("""
        ##############
        #<...........#
        ############.#
        #.k..........#
        #............#
        #######.######
        #k...........#
        ##############
    """).game
    journeys.explore(game)
    assert said(game)[-1] == "You see a stacker."
    journeys.explore(game)
    assert game.map.sight.explored.all()
    assert said(game).count("You see a stacker.") == 2
    assert said(game)[-1].startswith("Nothing else to explore here.")


def test_who_was_told_of_is_known_in_a_game_that_is_gone_on_with(tmp_path: Path) -> None:
    content = drawn_content(tmp_path / "content", DEN, objects=THINGS, legend=LEGEND)
    keeper = Keeper(GameOrigin("content", "code", "1.0"), SaveFolder(tmp_path / "saves"))
    session = Session(content, 1, keeper=keeper)
    after(PlayScreen(session), "o", "o", "o", "o")
    keeper.leave(session.game)
    again = Session(content, 1, keeper=keeper)
    assert again.go_on(keeper.saved()[0])
    assert robot_and_mind()[1].was_told
    assert digest_of(again.game) == digest_of(session.game)
    keeper.close()
    forget_worlds()


# -- stairs ---------------------------------------------------------------------------------------


def test_the_way_out_is_travelled_to_before_it_is_refused(begin: Begin) -> None:
    game = begin("#########\n#<......#\n#########").game
    walk(game, "ll")
    journeys.go_up(game)
    assert game.player_cell == (1, 1)
    journeys.go_up(game)
    assert said(game)[-1] == "You will not leave before you have found what you came for."


def test_one_runs_from_a_near_robot_a_step_at_a_press(begin: Begin) -> None:
    game = begin("###############\n#.>....<......#\n#.........h...#\n###############", "###\n#<#\n###").game
    _, mind = robot_and_mind()
    mind.state = "alert"
    for x in (6, 5, 4, 3, 2):
        journeys.go_down(game)
        assert game.player_cell == (1, x)
        assert "You go only one step, because the coal hound is after you." in " ".join(said(game)[-3:])
    journeys.go_down(game)
    assert game.map.level.id == "m2/2"


@pytest.mark.parametrize(("beside", "door"), [(".", False), ("+", True)])
def test_doors_are_advised_where_one_is_in_sight(begin: Begin, beside: str, *, door: bool) -> None:
    game = begin(f"################\n#.>.{beside}..<.....h.#\n################").game
    _, mind = robot_and_mind()
    mind.state = "alert"
    journeys.rest(game)
    told = said(game)[-1]
    assert told.startswith("Not now: the coal hound is after you. Fight the robot, or run")
    assert ("shut a door behind you (c)" in told) == door
    assert "stairs" not in told, "the way out of the world is none"


def test_of_stairs_that_still_go_only_those_are_told_that_were_seen(begin: Begin) -> None:
    game = begin("################\n#.>....<.....h.#\n################", "###\n#<#\n###").game
    _, mind = robot_and_mind()
    mind.state = "alert"
    told = []
    for hidden in (game.map.exits, {game.map.level.entrance}, game.map.stairs):
        game.map.sight.explored[:] = True
        for cell in hidden:
            game.map.sight.explored[cell] = False
        mind.was_told = False
        journeys.rest(game)
        told.append(said(game)[-1].partition("after you. ")[2].removesuffix(" (press again to go on)"))
    assert told == [
        "Fight the robot, or run.",
        "Fight or run. Robots that see you take stairs follow you: press > to go there, one step at a time while it is near.",
        "Fight or run.",
    ]


def test_nobody_runs_through_who_chases_him(begin: Begin) -> None:
    game = begin("########\n#<h...>#\n#......#\n########", "###\n#<#\n###").game
    _, mind = robot_and_mind()
    mind.state = "alert"
    journeys.go_down(game)
    assert (game.player_cell, game.log.turn) == ((2, 2), 1)


# -- what is left ---------------------------------------------------------------------------------


def test_what_one_was_kept_from_taking_is_fetched_later(begin: Begin) -> None:
    game = begin("""
        ########
        #<....r#
        ######.#
        ######.#
        ######.#
        ######h#
        ########
    """).game
    robot, mind = robot_and_mind()
    esper.component_for_entity(robot, Energy).speed = 0
    mind.state = "at work"
    while "You see a coal hound." not in said(game):
        journeys.explore(game)
    assert game.player_cell == (1, 6)
    assert game.player.inventory == []
    walk(game, "h")
    mind.state = "off"
    journeys.explore(game)
    assert [stack.tag for stack in game.player.inventory] == ["patch"]


def test_what_one_has_left_is_told_at_the_end(begin: Begin) -> None:
    game = begin("#########\n#<.r....#\n#########").game
    walk(game, "ll")
    actions.pick_up(game)
    actions.drop(game, 0)
    walk(game, "ll")
    journeys.explore(game)
    assert said(game)[-1] == (
        "Nothing else to explore here. You left a patch behind. Search at dead ends (s): there may be secret doors."
    )


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("", "Tab next thing  < > stairs  Esc back"),
        ("ll", "Enter goes there, 2 steps"),
        ("lllll", "no known way there"),
        ("h", "beside you"),
        ("lllll", "thing 1/1, Tab next"),
        ("llll", "not seen yet"),
    ],
)
def test_looking_promises_no_way_that_is_not_known(begin: Begin, keys: str, told: str) -> None:
    play = begin("########\n#<....>#\n########")
    play.game.map.sight.explored[:] = True
    play.game.map.sight.explored[:, 5] = False
    assert told in shot(after(play, "x", *keys))


def test_a_place_that_is_still_to_be_tried_is_chosen_to_go_to(begin: Begin) -> None:
    play = begin(
        """
        ############
        #<....T...>#
        #..........#
        #..X...I...#
        #####L######
        #..........#
        ############
        """,
        "###\n#<#\n###",
    )
    play.game.map.sight.explored[:] = True
    look = after(play, "_", "tab")
    assert isinstance(look, Look)
    cells = [look.cursor]
    assert "place 1/4, Tab next" in shot(look)
    for _ in range(4):
        after(look, "tab")
        cells.append(look.cursor)
    assert cells == [(1, 6), (3, 7), (3, 3), (4, 5), (1, 6)], "the nearest first, and what is locked last"
    after(look, "tab", "shift+tab", "tab")
    assert "Enter goes beside, 5 steps" in shot(look)
    after(look, "enter")
    assert distance(play.game.player_cell, (3, 7)) == 1
    assert "The lever is beside you, to the southeast. (walk into it)" in said(play.game)
    assert after(play, "_", "_", "_").cursor == (3, 7), "_ chooses on, and never goes"


# -- what is said ---------------------------------------------------------------------------------


def test_who_waits_for_others_comes_with_advice(begin: Begin) -> None:
    game = begin("""
        ####################
        #<.................#
        #..........m....##.#
        ################m###
        ####################
    """).game
    for _ in range(4):
        journeys.explore(game)
    assert "The mouser has noticed you, and waits for others." in said(game)
    advice = "Not now: the mouser waits for others before it attacks. Wait (.) in a corridor"
    assert any(each.startswith(advice) for each in said(game))


def test_what_was_taken_before_is_told_shortly(begin: Begin) -> None:
    game = begin("##############\n#<.s.s.ss....#\n##############").game
    journeys.explore(game)
    told = [text for text in said(game) if "scrap" in text]
    assert told == ["You take the scrap. Rusty.", "You take the scrap. [3 times]"]


def test_what_is_taken_by_turns_is_counted_by_kind(begin: Begin) -> None:
    game = begin("###############\n#<srsrsr......#\n###############").game
    game.read.add("patch")  # which would end the journey, being new
    journeys.explore(game)
    told = [text for text in said(game) if "You take" in text]
    assert told == [
        "You take the scrap. Rusty.",
        "You take the scrap. [2 times]",
        "You take the patch. [3 times]",
    ]
    assert [message.turn for message in game.log.messages] == sorted(each.turn for each in game.log.messages)


def test_a_heap_is_announced_until_it_is_taken(begin: Begin) -> None:
    game = begin("######\n#<s..#\n######").game
    walk(game, "l")
    assert said(game)[-1] == "Here lies a scrap. (g takes it)"
    actions.pick_up(game)
    assert said(game)[-1] == "You take the scrap. Rusty."
    assert "Here lies a scrap. (g takes it)" not in said(game)


def test_what_lies_under_the_player_is_taken_before_he_goes_on_and_what_he_laid_down_is_left(
    tmp_path: Path,
) -> None:
    game = PlayScreen(Session(drawn_content(tmp_path, "########\n#<s...s#\n########"), 1)).game
    walk(game, "l")
    journeys.explore(game)
    journeys.explore(game)
    assert not game.map.items_at((1, 2))
    assert not game.map.items_at((1, 6))
    forget_worlds()


@pytest.mark.parametrize(
    ("text", "told"), [("the Chief Clerk", "The Chief Clerk"), ("a fitter", "A fitter"), ("", "")]
)
def test_a_sentence_leaves_the_capitals_of_names_alone(text: str, told: str) -> None:
    assert as_sentence(text) == told
