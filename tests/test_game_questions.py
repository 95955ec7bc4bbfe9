"""What newcomers ask in their first ten minutes of the demo, and where they read the answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import esper
import pytest
from test_game import forget_worlds, own_content, said, walk
from test_game_journeys import spare_the_goal
from test_game_screens import after, beginning, shot

import dungeon
from game_demo.display.descriptions import describe_cell, describe_entity, underfoot
from game_demo.rules import actions, journeys
from game_demo.rules.lessons import LESSONS, teach
from game_demo.rules.works.fuses import set_off
from game_demo.rules.works.leftovers import leftovers, places_to_try
from game_demo.rules.works.ways import deal, refusals_at
from game_demo.screens.body import Fit
from game_demo.screens.dialogs import Confirm
from game_demo.screens.look import Look
from game_demo.screens.works import Works
from game_demo.state.components import Appearance, Charger, Hidden, ItemEffect, Mind, Stack, Trap
from game_demo.state.game import Game
from game_demo.state.geometry import NEIGHBOURS
from game_demo.state.things.clock import TURN
from game_demo.state.things.errand import errand
from game_demo.state.things.fixtures import Explosive
from game_demo.state.things.parts import Part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dungeon import Content
    from game_demo.screens.game_screens import Play

    Begin = Callable[..., Play]

__all__ = ["own_content"]

EAST = (0, 1)
OBJECTS = {
    "robots": """
        sweeper: {name: sweeper, glyph: s, data: {behaviour: wander, hp: 1}}
        guard: {name: guard, glyph: g, data: {behaviour: guard, hp: 9, attack: 1, sight: 1, leash: 4}}
        bomb: {name: bomb, glyph: b, data: {behaviour: idle, hp: 1, explodes: {radius: 1, damage: 2}}}
    """,
    "items": """
        bar: {name: pry bar, glyph: "/", data: {slot: arm, power: 1, pries: true}}
        tin: {name: tin, glyph: "!", data: {value: 3}}
        gun: {name: gun, glyph: "/", data: {slot: arm, shoots: {power: 5, range: 6, charge: 1}}}
        prize: {name: prize, glyph: "*", data: {goal: true}}
    """,
    "traps": """
        vent: {name: vent, glyph: ^, data: {damage: 2, hidden: false}}
        plate: {name: plate, glyph: ^, data: {damage: 2}}
    """,
    "props": """
        crate: {name: crate, glyph: "=", loadout: [{item: tin}], data: {lid: true}}
        locker: {name: locker, glyph: "|", data: {lid: true}}
        cradle: {name: cradle, glyph: U, data: {charges: 1}}
        barrel: {name: barrel, glyph: B, data: {text: It is full.}}
        keg: {name: keg, glyph: K, data: {explodes: {radius: 2, damage: 6}}}
        lamp: {name: lamp, glyph: "o", data: {text: [It burns., It shines., It glows.]}}
        chalk: {name: chalk marks, glyph: "+", blocks: false, data: {text: A tally.}}
        stool: {name: stool, glyph: n, blocks: false, data: {text: Three legs.}}
        board: {name: board, glyph: "o", data: {terminal: [traps]}}
    """,
}
LEGEND = """
    s: {robot: sweeper}
    g: {robot: guard}
    b: {robot: bomb}
    a: {item: bar}
    t: {item: tin}
    u: {item: gun}
    K: {prop: keg}
    P: {item: prize}
    v: {trap: vent}
    p: {trap: plate}
    C: {prop: crate}
    Q: {prop: locker}
    A: {prop: locker, state: ajar}
    U: {prop: cradle, unique: true}
    B: {prop: barrel}
    i: {prop: lamp, unique: true}
    c: {prop: chalk, data: {text: This wall has never been inspected.}}
    n: {prop: stool}
    T: {prop: board}
    L: {terrain: locked_door}
"""


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    yield from beginning(tmp_path, OBJECTS, LEGEND)


def stops(screen: Look) -> list[tuple[int, int]]:
    """Return the cells through which Tab leads, until it comes around."""
    cells: list[tuple[int, int]] = []
    while screen.press("tab") is screen and screen.cursor not in cells:
        cells.append(screen.cursor)
    return cells


# -- who one is, and how deep -------------------------------------------------------------------------


def test_the_author_may_say_who_the_player_is_and_why_he_wants_what_he_is_after(own_content: Content) -> None:
    game = Game(dungeon.World(own_content, 1))
    told = errand(game.world)
    assert told.startswith("You are a repair unit.")
    assert f"at depth {max(node.depth for node in game.world.maps)}" in told
    assert said(game)[0] == told
    forget_worlds()


def test_stairs_that_lead_no_deeper_lead_on_and_back(own_content: Content) -> None:
    game = Game(dungeon.World(own_content, 1))
    (stairs,) = game.map.exits
    game.map.move(game.hero, stairs)
    assert underfoot(game) == "stairs on to The Galleries, depth 1, as deep as here"
    journeys.go_down(game)
    assert underfoot(game) == "stairs back to Goods Inwards, depth 1, as deep as here"
    forget_worlds()


# -- what things are good for ---------------------------------------------------------------------------


def test_a_wreck_says_that_nothing_is_to_be_had_of_it(begin: Begin) -> None:
    game = begin("#####\n#<s.#\n#####").game
    walk(game, "L")
    assert "of no use" in describe_cell(game, (1, 2))[0]
    walk(game, "l")
    actions.pick_up(game)
    assert said(game)[-1] == "Here is only a wreck of a sweeper, not to be taken."


def test_work_beside_a_wreck_says_that_nothing_is_to_be_had_of_it(begin: Begin) -> None:
    play = begin("######\n#<s..#\n######")
    nothing = "There is nothing next to you that you could work on"
    walk(play.game, "L")
    after(play, "w")
    assert said(play.game)[-1] == f"{nothing}: a wreck holds nothing more, what was in it fell out."
    walk(play.game, "lll")
    after(play, "w")
    assert said(play.game)[-1] == f"{nothing}."


def test_e_tells_of_the_body_while_one_looks_and_leads_back(begin: Begin) -> None:
    look = after(begin("####\n#<.#\n####"), "x")
    assert isinstance(look, Look)
    body = look.press("e")
    assert "Your body" in shot(body)
    assert body.press("escape") is look


def test_what_power_and_armour_do_is_told_whole_on_the_smallest_screen(begin: Begin) -> None:
    play = begin("####\n#<.#\n####")
    play.game.body.build = replace(play.game.body.build, power=10, armour=12)
    assert "armour takes 0 to 12 off each hit." in shot(after(play, "e"))


def test_a_wreck_that_explodes_is_not_said_to_be_harmless(begin: Begin) -> None:
    game = begin("#####\n#<b.#\n#####").game
    walk(game, "L")
    assert "of no use" not in describe_cell(game, (1, 2))[0]


def test_disarming_says_what_it_is_good_for(begin: Begin) -> None:
    play = begin("####\n#<v#\n####")
    text = " ".join(shot(after(play, "w")).replace("│", " ").split())
    assert "Disarm the vent, to take it along and lay it for others (55%, or it springs, 4 turns)" in text


def test_what_does_not_open_by_hand_says_which_tool_opens_it_and_where_it_is(begin: Begin) -> None:
    play = begin("#####\n#<C##\n#Q.##\n#####")
    game = play.game
    after(play, "w")
    assert said(game)[-1] == (
        "The crate to the east and the locker to the south do not open by hand: fit a pry bar or the like."
    )
    y, x = game.player_cell
    assert len(refusals_at(game, *((y + down, x + right) for down, right in NEIGHBOURS))) == 1


def test_whoever_fights_on_sight_says_so_and_who_waits_in_ambush_does_not(begin: Begin) -> None:
    game = begin("######\n#<..g#\n######").game
    guard = game.map.blockers[1, 4]
    mind = esper.component_for_entity(guard, Mind)
    told = describe_entity(game, guard)
    assert told.splitlines() == [
        "guard, 9/9 hp, hits for up to 1",
        "At its post, unaware of you: a blow would do 3 to 6",
        "Sees you in the dark, where you are, from 1 step away, 1 if you stand, 1 if you sneak, and then at 50% a move (in the light from 1, 1, 1)",
        "As quick as you: it can't strike you as you walk off, fights on sight, does not go far unless struck, opens doors",
    ]
    for state in ("lurking", "off"):
        mind.state = state
        assert not {"fights on sight", "by surprise"} & set(describe_entity(game, guard).split(", "))


def test_where_both_arms_are_alike_a_part_is_offered_once(begin: Begin) -> None:
    play = begin("#####\n#<a.#\n#..a#\n#####")
    after(play, "l", "g")
    asked = after(play, "i", "a")
    assert isinstance(asked, Fit)
    text = shot(asked)
    assert "1  right arm, now nothing: either arm will do" in text
    assert "left arm" not in text
    assert "1 or Enter fits it" in text
    assert after(asked, "enter") is play
    after(play, "n", "g")
    text = shot(after(play, "i", "a"))
    assert "2  left arm, now nothing" in text, "first where nothing has to go for it"
    assert "1  right arm, now pry bar" in text, "by the numbers of the page of the body"
    assert "either" not in text


# -- where things are -----------------------------------------------------------------------------------


def test_a_tip_about_a_door_says_where_it_is(begin: Begin) -> None:
    game = begin("#####\n#<..#\n##.L#\n#####").game
    teach(game, "lock")
    assert said(game)[-1] == "Tip: The door to the southeast is locked: walk into it to read what it wants."
    assert "in sight" in LESSONS["lock"].told(begin("####\n#<.#\n####").game)


def test_a_terminal_says_where_the_traps_are(begin: Begin) -> None:
    game = begin("#########\n#<T.....#\n##.....p#\n####p####\n#########").game
    game.rng = type("Luck", (), {"random": staticmethod(lambda: 0.0)})()
    deal(game, EAST, "traps")
    assert (
        said(game)[-1]
        == "It marks two plates on your map, the nearest 3 cells to the southeast. (M shows it)"
    )
    assert not [trap for trap, _ in esper.get_components(Trap, Hidden)]


def test_who_has_found_a_trap_beside_him_finds_nothing_more(begin: Begin) -> None:
    game = begin("####\n#<p#\n####").game
    actions.search(game)
    actions.search(game)
    assert said(game)[-2:] == ["You find a plate!", "You search: nothing more is hidden beside you."]


def test_enter_fits_rather_than_going_back_from_the_choice_of_an_arm(begin: Begin) -> None:
    play = begin("#####\n#<au#\n#####")
    after(play, "l", "g", "l", "g", "a", "a", "1")
    asked = after(play, "a", "a")
    assert isinstance(asked, Fit)
    assert after(asked, "enter") is play
    assert len(play.game.body.fitted) == 2


def test_a_thing_to_work_on_has_its_side_and_enter_takes_the_only_way(begin: Begin) -> None:
    play = begin("#####\n#<A##\n#####")
    asked = after(play, "w")
    assert isinstance(asked, Works)
    text = shot(asked)
    assert "East" in text
    assert "a or Enter does it" in text
    assert after(asked, "enter") is play
    assert "It is empty." in said(play.game)


def test_between_several_ways_enter_does_nothing(begin: Begin) -> None:
    play = begin("#####\n#<A##\n#v.##\n#####")
    asked = after(play, "w")
    assert after(asked, "enter") is asked
    assert play.game.log.turn == 0


def test_coordinates_are_for_authors_only(begin: Begin) -> None:
    play = begin("####\n#<.#\n####")
    assert "Look  Tab" in shot(after(play, "x"))
    assert f"Look  {play.game.player_cell[1]},{play.game.player_cell[0]}" in shot(
        Look(play, play.game, eye="encounters")
    )


# -- what is in the way of what matters -------------------------------------------------------------------


def test_tab_leads_to_what_matters_first_and_to_what_is_alike_last(begin: Begin) -> None:
    play = begin("""
        ##########
        #<BBB.B.B#
        #.n...P.c#
        #.v..t.A.#
        #g...t..L#
        ##########
    """)
    game = play.game
    robot, tin, prize, trap, locker = (4, 1), (3, 5), (2, 6), (3, 2), (3, 7)
    stool, chalk, door, barrel, entrance = (2, 2), (2, 8), (4, 8), (1, 2), (1, 1)
    look = Look(play, game)
    found = [look.cursor, *stops(look)]
    assert found[0] == entrance, "looking begins where one stands"
    assert found[1:10] == [robot, tin, prize, trap, locker, stool, chalk, door, barrel]
    assert found[10:] == [(4, 5), entrance], "of scenery there is but the nearest of a kind"


def test_a_place_to_go_to_is_a_cradle_a_shut_lid_and_a_sign_that_was_read(begin: Begin) -> None:
    game = begin("""
        ###########
        #<c.U.U.U.#
        #.n.......#
        #..Q...A..#
        ###########
    """).game
    chalk, shut, ajar = (1, 2), (3, 3), (3, 7)
    cradles = {(1, 4), (1, 6), (1, 8)}
    assert {*places_to_try(game)} == {chalk, ajar} | cradles, "but not what he has no tool for"
    assert [each.name for each in leftovers(game)] == ["chalk marks to be read", "locker to be opened"]
    walk(game, "l")
    assert {*places_to_try(game)} == {ajar} | cradles, "one need not go where one is"
    walk(game, "j")
    assert {*places_to_try(game)} == {chalk, ajar} | cradles, "a sign may be read again"
    game.body.fitted["left arm"] = Stack(
        "bar", Appearance("/", (0, 0, 0), "bar"), ItemEffect(part=Part(slot="arm", pries=True))
    )
    game.refit()
    assert shut in places_to_try(game)


def test_a_stool_is_not_worth_a_long_way_and_a_sign_is(begin: Begin) -> None:
    for thing, reads in (("n", False), ("c", True)):
        hall = f"#<{'.' * 30}{thing}#"
        game = begin("\n".join(["#" * len(hall), hall, "#" * len(hall)])).game
        spare_the_goal(game)
        game.map.sight.explored[:] = True
        journeys.explore(game)
        journeys.explore(game)
        assert (game.log.turn > 0) == reads


def test_a_long_way_is_told_of_before_it_is_gone(begin: Begin) -> None:
    hall = "#<" + "." * 30 + "t#"
    game = begin("\n".join(["#" * len(hall), hall, "#" * len(hall)])).game
    spare_the_goal(game)
    game.map.sight.explored[:] = True
    journeys.explore(game)
    assert said(game)[-1] == "Next: 31 steps to the east, to a tin. (o goes there)"
    assert (game.log.turn, game.player_cell) == (0, (1, 1))
    journeys.explore(game)
    assert game.player_cell == (1, 32)


def test_the_last_charge_is_not_drawn_in_vain_without_a_question(begin: Begin) -> None:
    play = begin("####\n#<U#\n####")
    game = play.game
    (charger,) = [each for _, each in esper.get_component(Charger)]
    game.body.charge = game.body.capacity - 176 * TURN
    asked = after(play, "l")
    assert isinstance(asked, Confirm)
    text = " ".join(shot(asked).replace("│", " ").split())
    assert "The cradle has its last 300 charge, and you have room for 176. Use it up? y / n" in text
    assert (after(asked, "n"), charger.left, game.log.turn) == (play, 1, 0)
    after(play, "l", "y")
    assert charger.left == 0
    assert after(play, "l") is play, "and nothing is asked of a spent one"


def test_charge_is_not_drawn_for_hardly_any_room_without_a_question(begin: Begin) -> None:
    play = begin("####\n#<U#\n####")
    game = play.game
    (charger,) = [each for _, each in esper.get_component(Charger)]
    charger.left = 2
    game.body.charge = game.body.capacity - 3 * TURN
    asked = after(play, "l")
    text = " ".join(shot(asked).replace("│", " ").split())
    assert "The cradle gives 300 charge, and you have room for 3. Take it now? y / n" in text
    assert (after(asked, "n"), charger.left) == (play, 2)
    game.body.charge = game.body.capacity - 300 * TURN
    assert after(play, "l") is play
    assert charger.left == 1


def test_what_explodes_says_so_and_when_and_aiming_says_whom_it_reaches(begin: Begin) -> None:
    play = begin("#########\n#<u..K..#\n#########")
    game = play.game
    (keg,) = [each for each, _ in esper.get_component(Explosive)]
    assert "explodes if struck (w) or shot: 6 damage beside it, less up to 2 cells away" in describe_entity(
        game, keg
    )
    after(play, "l", "g", "a", "a", "1")
    assert "keg: sets it off, hits" in shot(after(play, "f"))
    assert "its blast does" not in shot(after(play, "f"))
    assert "now " not in describe_entity(game, keg)
    walk(game, "l")
    aim = after(play, "f")
    assert "its blast does 3 to you" in shot(aim)
    assert "now 3 to you" in describe_entity(game, keg)
    set_off(game, keg, 3)
    assert "explodes in 3 turns" in describe_entity(game, keg)
    actions.wait(game)
    assert "explodes in 2 turns" in describe_entity(game, keg)


def test_things_of_a_kind_need_not_read_alike(begin: Begin) -> None:
    game = begin("#######\n#<iii.#\n#######").game
    told = [describe_entity(game, game.map.blockers[1, x]) for x in (2, 3, 4)]
    assert sorted(told) == ["lamp. It burns.", "lamp. It glows.", "lamp. It shines."]
    assert not game.map.warnings
