"""Robots that change sides: how they are won over, what they do for the player, and when that ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper
import pytest
from test_game import drawn_content, forget_worlds, said, walk
from test_game_screens import after, shot
from test_robots import named, state
from test_works import BAD_LUCK, LUCK

import dungeon
from dungeon.playtest.game import Action
from game_demo.display.descriptions import describe_entity
from game_demo.playing import DemoPlay
from game_demo.rules import actions, journeys, work
from game_demo.rules.destruction import damage_robot
from game_demo.rules.fighting import targets
from game_demo.rules.leftovers import Leftover, leftovers, places_to_try, ready_places
from game_demo.rules.moods import win_over
from game_demo.rules.work import deal, options_at
from game_demo.screens.game_screens import PlayScreen
from game_demo.screens.session import Session
from game_demo.state.body import BodyPart
from game_demo.state.components import (
    Appearance,
    Energy,
    Gun,
    Health,
    ItemEffect,
    Mind,
    Robot,
    Stack,
    Tag,
    cell_of,
)
from game_demo.state.game import Game
from game_demo.state.geometry import distance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    MakeGame = Callable[..., Game]

OBJECTS = {
    "robots": """
        guard: {name: guard, glyph: g, data: {behaviour: guard, hp: 20, attack: 2, sight: 9}}
        sleeper: {name: sleeper, glyph: s, state: asleep, data: {behaviour: guard, hp: 30, attack: 4}}
        gunner: {name: gunner, glyph: n, state: asleep, data: {behaviour: guard, hp: 30, shoots: {power: 5, range: 6}}}
        hunter: {name: hunter, glyph: h, data: {behaviour: hunt, hp: 9, attack: 2, sight: 20}}
        brute: {name: brute, glyph: b, data: {behaviour: hunt, hp: 90, attack: 90, sight: 20}}
        captive: {name: captive, glyph: c, data: {behaviour: idle, captive: true, hp: 5, attack: 2, text: It holds doors.}}
        porter: {name: porter, glyph: p, data: {behaviour: idle, hp: 5}}
    """,
    "props": """
        board: {name: board, glyph: o, data: {terminal: turn}}
        console: {name: console, glyph: o, data: {terminal: guards}}
    """,
}
LEGEND = """
    g: {robot: guard}
    s: {robot: sleeper}
    n: {robot: gunner}
    h: {robot: hunter}
    b: {robot: brute}
    p: {robot: porter}
    c: {robot: captive}
    C: {robot: captive, data: {text: It is bolted down.}}
    T: {prop: board}
    F: {prop: console}
"""
EAST = (0, 1)


@pytest.fixture
def play(tmp_path: Path) -> Iterator[MakeGame]:
    """Begin a game on drawn levels; the player arrives at ``<``, and takes much damage."""

    def begin(*drawings: str) -> Game:
        content = drawn_content(tmp_path, *drawings, objects=OBJECTS, legend=LEGEND)
        game = Game(dungeon.World(content, 1))
        game.health.hp = game.health.max_hp = 1000
        return game

    yield begin
    forget_worlds()


def wear(game: Game, part: BodyPart) -> None:
    """Fit a part to the player's body."""
    game.body.fitted["head" if part.slot == "head" else "right arm"] = Stack(
        "part", Appearance("(", (0, 0, 0), "part"), ItemEffect(part=part)
    )
    game.refit()


def test_a_terminal_makes_the_nearest_robot_that_fights_change_sides(play: MakeGame) -> None:
    game = play("""
        ##########
        #<T......#
        #.....p.g#
        ##########
    """)
    game.rng = LUCK
    (way,) = options_at(game, (1, 2))
    assert (
        "to make the guard (20 hp, hits for up to 2, 6 steps away) change sides and fight for you on this level"
        in str(way)
    )
    deal(game, EAST, "turn")
    assert (state("guard"), said(game)[-1]) == ("with you", "The guard is on your side now.")
    assert options_at(game, (1, 2)) == []
    walk(game, "." * 8)
    assert distance(cell_of(named("guard")), game.player_cell) <= 2


def test_a_terminal_does_not_offer_a_captive(play: MakeGame) -> None:
    game = play("########\n#<T.c.h#\n########")
    (way,) = options_at(game, (1, 2))
    assert "to make the hunter" in str(way), "the captive is nearer, and can be freed by hand"


def test_a_terminal_does_not_offer_a_robot_that_can_not_come(play: MakeGame) -> None:
    game = play("""
        ##########
        #<T....+g#
        #......###
        #.......h#
        ##########
    """)
    esper.component_for_entity(named("guard"), Mind).opens_doors = False
    (way,) = options_at(game, (1, 2))
    assert "to make the hunter" in str(way)
    esper.component_for_entity(named("hunter"), Energy).speed = 0
    assert options_at(game, (1, 2)) == []


def test_a_boat_is_left_to_take_until_it_was_and_takes_allies_near_the_player_along(play: MakeGame) -> None:
    game = play("""
        ###########
        #.<..#...>#
        #..p.#....#
        #g...#....#
        ###########
    """)
    ferry = dungeon.Portal(y=1, x=4, to_y=3, to_x=8, kind="boat")
    game.map.portals = dict.fromkeys(ferry.entries, ferry)
    game.map.locks[1, 4] = dungeon.Lock(y=1, x=4, word="chain", name="rusty chain")
    for each in ("porter", "guard"):
        win_over(game, named(each))
    assert leftovers(game) == [Leftover("locked boat", (1, 4), "open")]
    game.map.unlocked.add((1, 4))
    assert leftovers(game) == [Leftover("boat", (1, 4), "take")]
    assert ready_places(game) == {(1, 4)}
    game.map.move(game.hero, (1, 4))
    actions.descend(game)
    assert "The boat takes you across, with a porter." in said(game)
    assert distance(cell_of(named("porter")), game.player_cell) == 1
    assert cell_of(named("guard"))[1] < 5
    assert leftovers(game) == []
    walk(game, "l")
    assert (3, 8) in places_to_try(game), "it is listed as stairs are"


def test_the_player_is_told_when_an_ally_is_destroyed_out_of_his_sight(play: MakeGame) -> None:
    game = play("##########\n#<.......#\n########.#\n#p.......#\n##########")
    win_over(game, named("porter"))
    assert not game.map.sight.visible[cell_of(named("porter"))]
    damage_robot(game, named("porter"), 9, "the drop hammer")
    assert said(game)[-1] == "The drop hammer destroys your porter out of your sight."


def test_only_who_has_a_tool_for_it_taps_a_robot_and_only_one_that_is_not_aware_of_him(
    play: MakeGame,
) -> None:
    game = play("""
        ######
        #<s..#
        ######
    """)
    assert options_at(game, (1, 2)) == []
    wear(game, BodyPart(slot="head", hacks=True))
    assert [way.name for way in options_at(game, (1, 2))] == ["tap"]
    for unfit, others in (("alert", []), ("off", ["strike"])):
        esper.component_for_entity(named("sleeper"), Mind).state = unfit
        assert [way.name for way in options_at(game, (1, 2))] == others
    esper.component_for_entity(named("sleeper"), Mind).state = "asleep"
    game.rng = BAD_LUCK
    deal(game, EAST, "tap")
    assert (state("sleeper"), "The sleeper shakes you off, and does not change sides." in said(game)) == (
        "alert",
        True,
    )
    esper.component_for_entity(named("sleeper"), Mind).state = "asleep"
    game.rng = LUCK
    deal(game, EAST, "tap")
    assert state("sleeper") == "with you"
    assert options_at(game, (1, 2)) == []


def test_a_captive_that_notices_the_player_meanwhile_can_not_be_freed_any_more(
    play: MakeGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = play("#####\n#<c.#\n#####")
    mind = esper.component_for_entity(named("captive"), Mind)
    monkeypatch.setattr(work, "pass_turn", lambda _: setattr(mind, "state", "alert"))
    deal(game, EAST, "free")
    assert said(game)[-1] == "That can't be done any more: the captive has noticed you."


def test_a_robot_is_tapped_before_it_moves_on(play: MakeGame) -> None:
    game = play("########\n#<s....#\n########")
    wear(game, BodyPart(slot="head", hacks=True))
    esper.component_for_entity(named("sleeper"), Mind).state = "at work"
    assert "w beside it makes it change sides (60%)" in describe_entity(game, named("sleeper"))
    game.rng = LUCK
    deal(game, EAST, "tap")
    assert (state("sleeper"), game.log.turn) == ("with you", 1)
    assert "w beside it" not in describe_entity(game, named("sleeper"))


def test_nobody_taps_who_does_not_fight(play: MakeGame) -> None:
    game = play("#####\n#<p.#\n#####")
    wear(game, BodyPart(slot="head", hacks=True))
    assert [way.name for way in options_at(game, (1, 2))] == ["strike"]


def test_an_ally_follows_through_doors_and_changes_places_with_the_player(play: MakeGame) -> None:
    game = play("""
        ###########
        #<s.......#
        ######+####
        #.........#
        ###########
    """)
    win_over(game, named("sleeper"))
    walk(game, "llllljjjlll")
    walk(game, "....")
    ally = named("sleeper")
    assert distance(cell_of(ally), game.player_cell) <= 2
    before, (y, x) = game.player_cell, cell_of(ally)
    while distance((y, x), before) > 1:
        walk(game, "h")
        before, (y, x) = game.player_cell, cell_of(ally)
    health = esper.component_for_entity(ally, Health)
    actions.step(game, (y - before[0], x - before[1]))
    assert (game.player_cell, health.hp) == ((y, x), health.max_hp)
    assert game.map.blockers[cell_of(ally)] == ally
    assert game.map.robots == game.map.bit(cell_of(ally))


def test_an_ally_fights_who_is_after_the_player_and_is_fought(play: MakeGame) -> None:
    game = play("""
        ###########
        #<s......h#
        ###########
    """)
    win_over(game, named("sleeper"))
    walk(game, "." * 40)
    told = " ".join(said(game))
    assert "Your sleeper destroys the hunter." in told
    assert "The hunter hits your sleeper for" in told
    assert game.health.hp == game.health.max_hp  # in this passage there is no way past the ally
    assert state("sleeper") == "with you"


def test_an_ally_leaves_alone_whoever_is_not_after_the_player(play: MakeGame) -> None:
    game = play("""
        #######
        #<sp..#
        #######
    """)
    win_over(game, named("sleeper"))
    walk(game, "." * 10)
    health = esper.component_for_entity(named("porter"), Health)
    assert health.hp == health.max_hp


def test_an_ally_that_has_a_gun_shoots(play: MakeGame) -> None:
    game = play("""
        ###########
        #<........#
        #n.......h#
        ###########
    """)
    win_over(game, named("gunner"))
    walk(game, "." * 12)
    assert "Your gunner hits the hunter for" in " ".join(said(game))


def test_an_ally_that_is_destroyed_is_no_more(play: MakeGame) -> None:
    game = play("""
        ##########
        #<s.....b#
        ##########
    """)
    win_over(game, named("sleeper"))
    walk(game, "." * 12)
    assert "The brute destroys your sleeper." in said(game)
    assert not [tag for _, (_, tag) in esper.get_components(Robot, Tag) if tag.tag == "sleeper"]


def test_nobody_aims_at_an_ally_and_none_is_in_the_way_of_a_journey(play: MakeGame) -> None:
    game = play("""
        ##########
        #<s......#
        ##########
    """)
    wear(game, BodyPart(slot="arm", gun=Gun(power=1, range=9)))
    assert targets(game) == [named("sleeper")]
    win_over(game, named("sleeper"))
    assert targets(game) == []
    journeys.travel(game, (1, 8))
    assert game.player_cell == (1, 8)


def test_a_captive_can_be_freed(play: MakeGame) -> None:
    game = play("######\n#<c.s#\n######")
    walk(game, "l")
    assert said(game)[-1] == "The captive means no harm, but does not make way. (w frees it)"
    way = next(each for each in options_at(game, (1, 2)) if each.name == "free")
    assert str(way) == "Free the captive, so that it fights for you (heard 8 steps away, 4 turns)"
    deal(game, EAST, "free")
    assert (state("captive"), game.log.turn) == ("with you", 4)
    assert state("sleeper") == "searching"  # it was heard
    assert [each.name for each in options_at(game, (1, 2))] == []


def test_an_ally_is_mended_with_what_repairs_least(play: MakeGame) -> None:
    game = play("######\n#<s..#\n######")
    win_over(game, named("sleeper"))
    health = esper.component_for_entity(named("sleeper"), Health)
    for name, repair in (("kit", 10), ("solder", 6)):
        look = Appearance("!", (255, 255, 255), name)
        game.player.inventory.append(Stack(name, look, ItemEffect(repair=repair)))
    assert options_at(game, (1, 2)) == []
    assert "mends it" not in describe_entity(game, named("sleeper"))
    health.hp -= 8
    (way,) = options_at(game, (1, 2))
    assert str(way) == "Mend the sleeper with your solder (repairs 6)"
    assert "w beside it mends it with your solder" in describe_entity(game, named("sleeper"))
    deal(game, EAST, "mend")
    assert said(game)[-1] == "You mend the sleeper: it has 28 of 30 hit points."
    deal(game, EAST, "mend")
    assert said(game)[-1] == "You mend the sleeper: it has 30 of 30 hit points."
    assert (game.player.inventory, game.log.turn) == ([], 2)
    deal(game, EAST, "mend")
    assert said(game)[-1] == "That can't be done here."


def test_an_ally_is_offered_no_charge(play: MakeGame) -> None:
    game = play("######\n#<s..#\n######")
    win_over(game, named("sleeper"))
    esper.component_for_entity(named("sleeper"), Health).hp -= 8
    pack = game.player.inventory
    pack.append(Stack("tin", Appearance("!", (255, 255, 255), "tin"), ItemEffect(repair=6, charge=80)))
    assert [*map(str, options_at(game, (1, 2)))] == ["Mend the sleeper with your tin (repairs 6)"]
    pack.append(Stack("solder", Appearance("!", (255, 255, 255), "solder"), ItemEffect(repair=6)))
    assert [*map(str, options_at(game, (1, 2)))] == ["Mend the sleeper with your solder (repairs 6)"]


def test_a_captive_that_was_seen_and_not_freed_is_a_place_to_go(tmp_path: Path) -> None:
    hall = """
        ###########
        #<........#
        #####.##..#
        #####c##..#
        ###########
    """
    play = PlayScreen(Session(drawn_content(tmp_path, hall, objects=OBJECTS, legend=LEGEND), 1))
    game = play.game
    assert not any("Captive" in each for each in places(play)), "not before it is seen"
    for _ in range(9):
        journeys.explore(game)
    assert "Left to do: free a captive." in said(game)[-1]
    journeys.travel(game, (3, 9))
    assert not game.map.sight.visible[3, 5]
    (captive,) = [each for each in places(play) if "Captive" in each]
    after(play, "_", captive[0])
    assert game.player_cell == (2, 5)
    deal(game, (1, 0), "free")
    journeys.explore(game)
    assert "captive to free" not in said(game)[-1]
    assert [each for each in places(play) if "Captive" in each] == []
    forget_worlds()


def places(play: PlayScreen) -> list[str]:
    """Return the rows of the list of places."""
    return [row.split("│")[1].strip() for row in shot(after(play, "_")).splitlines() if row.count("│") == 2]


def test_a_captive_that_was_struck_is_no_friend(play: MakeGame) -> None:
    game = play("#####\n#<c.#\n#####")
    deal(game, EAST, "strike")
    assert "free" not in [each.name for each in options_at(game, (1, 2))]


def test_a_bot_frees_a_captive(play: MakeGame) -> None:
    game = play("#####\n#<c.#\n#####")
    DemoPlay(game).act(Action.EAST)
    assert state("captive") == "with you"


@pytest.mark.parametrize("key", ["<", ">"])
def test_stairs_ask_once_before_an_ally_stays_behind(tmp_path: Path, key: str) -> None:
    hall = """
        ####################
        #<>...............p#
        ####################
    """
    content = drawn_content(tmp_path, hall, hall, hall, objects=OBJECTS, legend=LEGEND)
    screen = PlayScreen(Session(content, 1))
    game = screen.game
    after(screen, "l", ">")
    win_over(game, named("porter"))
    question = after(screen, *(["l"] * (key == ">")), key)
    words = " ".join(shot(question).replace("│", " ").split())
    assert "You would leave behind a porter on your side, which would then forget you." in words
    assert "Allies come along if they are near and can walk." in words
    after(question, "n")
    assert (game.map.level.id, state("porter")) == ("m2/2", "with you")
    after(screen, key, "y")
    assert game.map.level.id == {"<": "m1/1", ">": "m3/3"}[key]
    forget_worlds()


def test_stairs_that_an_ally_takes_too_ask_nothing(tmp_path: Path) -> None:
    hall = "#######\n#<>..p#\n#######"
    screen = PlayScreen(Session(drawn_content(tmp_path, hall, hall, objects=OBJECTS, legend=LEGEND), 1))
    win_over(screen.game, named("porter"))
    assert after(screen, "l", ">") is screen
    assert screen.game.map.level.id == "m2/2"
    forget_worlds()


def test_an_ally_that_does_not_follow_is_what_it_was(play: MakeGame) -> None:
    game = play("######\n#<s.>#\n######", "####\n#<.#\n####")
    win_over(game, named("sleeper"))
    esper.component_for_entity(named("sleeper"), Energy).speed = 0
    walk(game, "lll")
    actions.descend(game)
    assert game.map.level.id == "m2/2"
    assert "Your sleeper stays behind, and forgets you." in said(game)
    actions.ascend(game)
    assert game.map.level.id == "m1/1"
    assert state("sleeper") == "at its post"
    assert esper.component_for_entity(named("sleeper"), Mind).post == cell_of(named("sleeper"))


def test_a_captive_that_was_freed_has_the_text_of_its_kind(play: MakeGame) -> None:
    game = play("######\n#<C..#\n######")
    assert describe_entity(game, named("captive")).endswith("It is bolted down.")
    deal(game, EAST, "free")
    assert describe_entity(game, named("captive")).endswith("It holds doors.")


def test_a_terminal_says_that_a_robot_out_of_sight_is_shut_down(play: MakeGame) -> None:
    game = play("#########\n#<F###.g#\n#.####..#\n#.......#\n#########")
    game.rng = LUCK
    deal(game, EAST, "guards")
    assert said(game)[-1] == "Somewhere to the east the guard shuts down."


def test_a_terminal_shuts_down_another_robot_if_the_first_is_gone(play: MakeGame) -> None:
    game = play("#########\n#<F###gg#\n#.####..#\n#.......#\n#########")
    (way,) = options_at(game, (1, 2))
    game.map.delete(game.map.blockers[1, 6])
    game.rng = LUCK
    way.act()
    assert said(game)[-1] == "Somewhere to the east the guard shuts down."
