"""The player's body: parts, charge, time and shots, on small drawn levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper
import pytest
from test_game import drawn_content, forget_worlds, said, walk

import dungeon
from dungeon.playtest.bots.playing import bot_named
from dungeon.playtest.game import Action
from game_demo.display.descriptions import describe_cell
from game_demo.playing import DemoPlay
from game_demo.rules import actions
from game_demo.rules.body import LOW, MENDING, MENDING_TURNS, WEAR_TURNS, changes
from game_demo.rules.fighting import NOBODY, fire, targets
from game_demo.rules.fitting import CHARGE, CHARGING, FITTING, fit
from game_demo.rules.naming import describe_gun, effect_of
from game_demo.rules.pack import INVENTORY_SIZE
from game_demo.screens.body import summary
from game_demo.screens.game_screens import PlayScreen
from game_demo.screens.session import Session
from game_demo.state.body import BARE, PLACES, TURN, BodyPart, Clock, Gun, build_of
from game_demo.state.components import Appearance, Charger, Health, ItemEffect, Mind, Robot, Stack, cell_of
from game_demo.state.game import Game

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    MakeGame = Callable[..., Game]

OBJECTS = {
    "robots": """
        post: {name: post, glyph: i, data: {behaviour: idle, hp: 60, speed: 0}}
        runner: {name: runner, glyph: h, data: {behaviour: hunt, hp: 60, attack: 4, sight: 30}}
    """,
    "items": """
        bar: {name: bar, glyph: "!", data: {slot: arm, power: 2}}
        plate: {name: plate, glyph: "!", data: {slot: arm, armour: 4}}
        gun: {name: gun, glyph: "!", data: {slot: arm, shoots: {power: 5, range: 4, charge: 10}}}
        legs: {name: pair of legs, glyph: "!", data: {slot: legs, speed: 2, noise: 9, drain: 100}}
        rods: {name: rods, glyph: "!", data: {slot: head, keen: true, sight: 3}}
        rack: {name: rack, glyph: "!", data: {slot: back, capacity: 300}}
        cell: {name: cell, glyph: "!", data: {charge: 50}}
        stay: {name: stay, glyph: "!", data: {frame: 4}}
    """,
    "traps": """
        needle: {name: needle, glyph: ^, data: {damage: 5}}
        leech: {name: leech, glyph: ^, data: {damage: 0, charge: 60}}
    """,
    "props": """
        cradle: {name: cradle, glyph: U, data: {charges: 1}}
        crate: {name: crate, glyph: "="}
    """,
}
PLATE = Stack("plate", Appearance("!", (0, 0, 0), "plate"), ItemEffect(part=BodyPart(slot="arm", armour=4)))
LEGEND = """
    i: {robot: post}
    h: {robot: runner}
    b: {item: bar}
    p: {item: plate}
    g: {item: gun}
    l: {item: legs}
    r: {item: rods}
    k: {item: rack}
    c: {item: cell}
    s: {item: stay}
    n: {trap: needle}
    e: {trap: leech}
    U: {prop: cradle}
    C: {prop: crate}
"""


@pytest.fixture
def play(tmp_path: Path) -> Iterator[MakeGame]:
    """Begin a game on drawn levels; the player arrives at ``<``."""
    yield lambda *drawings: Game(
        dungeon.World(drawn_content(tmp_path, *drawings, objects=OBJECTS, legend=LEGEND), 1)
    )
    forget_worlds()


def collect(game: Game, steps: str) -> Game:
    """Walk, and take what lies after each step."""
    for key in steps:
        walk(game, key)
        if game.map.items_at(game.player_cell):
            actions.pick_up(game)
    return game


def the_robot(game: Game) -> int:
    ((robot, _),) = esper.get_component(Robot)
    game.resume()
    return robot


# -- time -----------------------------------------------------------------------------------------


def test_a_clock_tells_how_often_so_many_turns_were_full() -> None:
    clock, eights = Clock(), 0
    for _ in range(100):
        clock.advance(60)
        eights += clock.times(8)
    assert (clock.turn, eights) == (60, 7)
    clock.advance(20 * TURN)
    assert clock.times(8) == 3


def test_quick_legs_make_two_steps_while_others_make_one(play: MakeGame) -> None:
    game = collect(
        play("""
        ##############
        #<l.........h#
        ##############
    """),
        "l",
    )
    game.body.fitted["legs"] = game.player.inventory.pop()
    game.refit()
    there, turn = cell_of(the_robot(game)), game.log.turn
    walk(game, "llll")
    assert (game.player_cell, game.log.turn - turn) == ((1, 6), 2)
    assert cell_of(the_robot(game))[1] == there[1] - 2


def test_who_sneaks_takes_longer(play: MakeGame) -> None:
    game = play("""
        ########
        #<.....#
        ########
    """)
    actions.sneak(game)
    assert game.log.turn == 0
    walk(game, "llll")
    assert game.log.turn == 6


def test_a_trap_springs_also_for_who_is_quick(play: MakeGame) -> None:
    game = collect(
        play("""
        #######
        #<l.n.#
        #######
    """),
        "l",
    )
    game.body.fitted["legs"] = game.player.inventory.pop()
    game.refit()
    walk(game, "ll")
    assert game.health.hp == game.health.max_hp - 5


# -- parts ----------------------------------------------------------------------------------------


def test_parts_are_fitted_and_taken_off_again(play: MakeGame) -> None:
    game = collect(
        play("""
        #######
        #<bpg.#
        #######
    """),
        "lll",
    )
    turn = game.log.turn
    fit(game, 0, "right arm")
    assert (game.attack.power, game.log.turn - turn) == (5, FITTING)
    fit(game, 0, "left arm")
    assert (game.body.build.power, game.body.build.armour) == (5, 4)
    fit(game, 0, "right arm")
    assert "You put the bar into your pack." in said(game)
    assert [stack.tag for stack in game.player.inventory] == ["bar"]
    assert (game.attack.power, game.body.build.gun is None) == (3, False)
    fit(game, 0, "head")
    assert said(game)[-1] == "That does not fit."


def test_what_is_applied_goes_to_the_place_that_is_worth_least(play: MakeGame) -> None:
    game = collect(
        play("""
        #######
        #<bpbb#
        #######
    """),
        "llll",
    )
    actions.apply(game, 0)
    actions.apply(game, 1)
    assert [stack.tag for stack in game.body.fitted.values()] == ["bar", "plate"]
    actions.apply(game, 0)
    assert game.body.fitted["right arm"].tag == "bar"
    assert game.body.fitted["left arm"].tag == "plate"


def test_a_second_gun_goes_where_the_first_one_is_for_two_serve_no_better(play: MakeGame) -> None:
    game = collect(
        play("""
        #######
        #<bgg.#
        #######
    """),
        "lll",
    )
    for _ in range(3):
        actions.apply(game, 0)
    assert [game.body.fitted[arm].tag for arm in ("right arm", "left arm")] == ["bar", "gun"]


def test_what_does_not_go_into_the_pack_is_laid_down(play: MakeGame) -> None:
    game = collect(
        play("""
        #######
        #<bg..#
        #######
    """),
        "ll",
    )
    fit(game, 0, "right arm")
    bar = game.body.fitted["right arm"]
    game.player.inventory += [
        Stack(f"thing {number}", bar.look, bar.effect) for number in range(INVENTORY_SIZE - 1)
    ]
    game.player.inventory[0].count = 2  # so that fitting one leaves no room
    fit(game, 0, "right arm")
    assert len(game.player.inventory) == INVENTORY_SIZE
    assert "You lay the bar down: your pack is full." in said(game)
    game.player.inventory.pop()
    actions.pick_up(game)
    assert game.player.inventory[-1].tag == "bar"


def test_plates_take_off_from_blows(play: MakeGame) -> None:
    drawing = """
        #######
        #<ph..#
        #######
    """

    def lost(*, plate: bool) -> int:
        game = play(drawing)
        game.health.hp = game.health.max_hp = 10_000
        if plate:
            game.body.fitted["left arm"] = PLATE
            game.refit()
        walk(game, "." * 200)
        return 10_000 - game.health.hp

    assert 0 < lost(plate=True) < 0.6 * lost(plate=False)


def test_keen_eyes_find_at_once_what_is_hidden(play: MakeGame) -> None:
    game = collect(
        play("""
        ########
        #<r....#
        #....n.#
        ########
    """),
        "l",
    )
    radius = game.map.sight.radius
    actions.apply(game, 0)
    walk(game, "ll")
    assert "You notice a needle!" in said(game)
    assert game.map.sight.radius == radius + 3


def test_what_a_part_changes_is_told() -> None:
    legs = BodyPart(slot="legs", speed=2, noise=9)
    assert changes(BARE, build_of([legs])) == [
        ("steps a turn: 2 (now 1)", True), ("your steps are heard 9 cells away (now 3)", False)
    ]  # fmt: skip
    assert changes(BARE, build_of([BodyPart(slot="arm", digs=True)])) == [
        ("lets you dig through earth and soft walls", True)
    ]  # fmt: skip
    plated = build_of([BodyPart(slot="back", armour=2)])
    assert changes(BARE, plated) == [("your armour reduces each hit by up to 2 (now 0)", True)]
    assert changes(plated, BARE) == [("you have no armour (now 2)", False)]
    gun = BodyPart(slot="arm", gun=Gun(power=6, range=7, charge=3))
    assert gun.gun is not None
    assert changes(build_of([gun]), BARE) == [("you can no longer shoot (f)", False)]
    assert changes(BARE, build_of([gun])) == [("lets you shoot (f)", True)], "how, is told of the part itself"
    better = BodyPart(slot="arm", gun=Gun(power=8, range=7, charge=3))
    assert changes(build_of([gun]), build_of([better])) == [
        (f"gun: {describe_gun(better.gun)} (now {describe_gun(gun.gun)})", True)
    ]
    spring = BodyPart(slot="back", drain=-60, capacity=400, lit=True)
    assert changes(BARE, build_of([spring])) == [
        ("you shine, so robots see you from farther away", False),
        ("the battery holds up to 1600 charge (now 1200)", True),
        ("each turn uses 0.4 charge (now 1)", True),
    ]
    assert effect_of(ItemEffect(part=spring)) == "back, shines, battery +400, 60% less charge a turn"
    rods = BodyPart(slot="head", keen=True)
    assert effect_of(ItemEffect(part=rods)) == "head, finds hidden traps and doors, disarms better (w)"
    assert not changes(build_of([legs]), build_of([legs]))
    assert summary(build_of([legs])) == "power 3, armour 0, 2 steps a turn, heard 9 steps away"


# -- charge ---------------------------------------------------------------------------------------


def test_a_turn_takes_charge_and_mending_takes_more(play: MakeGame) -> None:
    game = play("""
        ####
        #<.#
        ####
    """)
    full = game.body.charge
    walk(game, "." * MENDING_TURNS)
    assert full - game.body.charge == MENDING_TURNS * TURN
    game.health.hp = 10
    walk(game, "." * MENDING_TURNS * 2)
    assert game.health.hp == 12
    assert full - game.body.charge == (3 * MENDING_TURNS + 2 * MENDING) * TURN


def test_parts_that_drain_take_more(play: MakeGame) -> None:
    game = collect(
        play("""
        #####
        #<l.#
        #####
    """),
        "l",
    )
    actions.apply(game, 0)
    before = game.body.charge
    walk(game, "..")
    assert before - game.body.charge == 2 * 2 * TURN


def test_without_charge_one_is_slow_and_wears_out_and_no_part_works(play: MakeGame) -> None:
    game = collect(
        play("""
        ######
        #<bc.#
        ######
    """),
        "ll",
    )
    actions.apply(game, 0)
    game.body.charge = 2 * TURN
    walk(game, "..")
    told = "Your battery is empty! No part works, you are slow, and you lose hit points."
    assert any(each.startswith(told) for each in said(game))
    assert game.attack.power == 3
    turn, hp = game.log.turn, game.health.hp
    walk(game, "." * WEAR_TURNS)
    assert game.log.turn == turn + 2 * WEAR_TURNS
    assert game.health.hp == hp - 2
    actions.apply(game, 0)
    assert game.attack.power == 5
    assert 0 < game.body.charge <= 50 * TURN


def test_who_wears_out_is_destroyed_by_an_empty_battery(play: MakeGame) -> None:
    game = play("""
        ####
        #<.#
        ####
    """)
    game.body.charge, game.health.hp = TURN, 1
    walk(game, "." * WEAR_TURNS)
    assert (game.ending, game.cause) == ("death", "an empty battery")


def test_low_charge_is_told_once(play: MakeGame) -> None:
    game = play("""
        ####
        #<.#
        ####
    """)
    game.body.charge = round(game.body.capacity * LOW) + TURN
    walk(game, "....")
    assert said(game).count("Your battery is low. Find a battery cell, or walk into a charging cradle.") == 1


@pytest.mark.parametrize(
    ("left", "told"),
    [(1, "you can use it no more"), (2, "you can use it 1 more time"), (4, "you can use it 3 more times")],
)
def test_a_charger_tells_how_often_it_can_charge(play: MakeGame, left: int, told: str) -> None:
    game = play("#####\n#<U.#\n#...#\n#####")
    ((_, charger),) = esper.get_component(Charger)
    charger.left, game.body.charge = left, 100 * TURN
    walk(game, "l")
    assert said(game)[-1] == f"You charge yourself at the cradle; {told}."


def test_a_charger_gives_charge_until_it_is_used_up(play: MakeGame) -> None:
    game = play("""
        #####
        #<U.#
        #####
    """)
    walk(game, "l")
    assert said(game)[-1] == "Your battery is full: you don't need the cradle now."
    assert (
        f"Cradle, gives {CHARGE} charge at a time, and you can use it 1 more time"
        in describe_cell(game, (1, 2))[0]
    )
    game.body.charge = 100 * TURN
    turn = game.log.turn
    walk(game, "l")
    assert (game.body.charge, game.log.turn - turn) == ((100 + CHARGE - CHARGING) * TURN, CHARGING)
    walk(game, "l")
    assert said(game)[-1] == "Spent cradle. No lamp on this charger is lit: it is used up."


def test_a_rack_makes_room_for_more_charge(play: MakeGame) -> None:
    game = collect(
        play("""
        #######
        #<kc..#
        #######
    """),
        "ll",
    )
    before = game.body.capacity
    actions.apply(game, 0)
    assert game.body.capacity == before + 300 * TURN
    assert game.body.charge < before
    actions.apply(game, 0)
    assert game.body.charge > before


def test_a_trap_may_take_charge_until_there_is_none(play: MakeGame) -> None:
    game = play("""
        ######
        #<e.e#
        ######
    """)
    before = game.body.charge
    walk(game, "l")
    assert before - game.body.charge == (60 + 1) * TURN
    assert game.health.hp == game.health.max_hp
    game.body.charge = 30 * TURN
    walk(game, "ll")
    assert game.body.has_failed


def test_what_only_mends_lights_no_lamps(play: MakeGame) -> None:
    game = play("#####\n#<..#\n#####")
    look = esper.component_for_entity(game.hero, Appearance)
    game.player.inventory.append(Stack("patch", look, ItemEffect(repair=6)))
    game.body.charge, game.health.hp = 0, 10
    actions.apply(game, len(game.player.inventory) - 1)
    assert game.health.hp > 10
    assert not any("lamps" in line for line in said(game))


def test_what_an_empty_battery_holds_cannot_be_taken(play: MakeGame) -> None:
    game = play("""
        #####
        #<e.#
        #####
    """)
    game.body.charge = 0
    game.refit()
    walk(game, "l")
    assert not any("Your battery is empty!" in each for each in said(game))


# -- growth ---------------------------------------------------------------------------------------


def test_a_stay_raises_hit_points_and_the_most_of_them_for_good(play: MakeGame) -> None:
    game = collect(
        play("""
        #######
        #<ssn.#
        #######
    """),
        "ll",
    )
    most = game.health.max_hp
    actions.apply(game, 0)
    assert said(game)[-1] == "You use the stay: maximum hit points +4."
    assert (game.health.hp, game.health.max_hp) == (most + 4, most + 4)
    walk(game, "l")
    actions.apply(game, 0)
    assert (game.health.hp, game.health.max_hp) == (most + 8 - 5, most + 8)
    assert game.player.inventory == []


# -- shots ----------------------------------------------------------------------------------------


def armed(game: Game, steps: str) -> Game:
    """Fetch a gun, and fit it."""
    collect(game, steps)
    actions.apply(game, 0)
    return game


def test_a_shot_takes_charge_and_does_damage_from_afar(play: MakeGame) -> None:
    game = armed(
        play("""
        #########
        #<g...i.#
        #########
    """),
        "l",
    )
    robot = the_robot(game)
    assert targets(game) == [robot]
    before = game.body.charge
    for _ in range(5):
        fire(game, robot)
    assert before - game.body.charge == 5 * (10 + 1) * TURN
    health = esper.component_for_entity(robot, Health)
    assert health.max_hp - 25 <= health.hp < health.max_hp


def test_a_shot_gains_nothing_by_surprise(play: MakeGame) -> None:
    game = armed(play("#########\n#<g...i.#\n#########"), "l")
    robot, dealt = the_robot(game), set()
    health = esper.component_for_entity(robot, Health)
    health.hp = health.max_hp = 999
    game.body.charge = game.body.capacity = 9999 * TURN
    for _ in range(80):
        before, esper.component_for_entity(robot, Mind).state = health.hp, "asleep"
        fire(game, robot)
        dealt.add(before - health.hp)
    assert dealt == {0, 1, 2, 3, 4, 5}
    assert not any("which was not aware of you" in each for each in said(game))


def test_what_stands_in_the_way_and_what_is_too_far_can_not_be_hit(play: MakeGame) -> None:
    game = armed(
        play("""
        #########
        #<gC..i.#
        #.......#
        #........
        #########
    """),
        "l",
    )
    assert targets(game) == []
    walk(game, "j")
    assert targets(game) == [the_robot(game)]
    walk(game, "bh")
    assert targets(game) == []
    fire(game, the_robot(game))
    assert said(game)[-1] == "The post is too far away: the range of your gun is 4."


def test_without_a_gun_or_charge_nobody_shoots(play: MakeGame) -> None:
    game = play("""
        #######
        #<g.i.#
        #######
    """)
    fire(game, NOBODY)
    assert said(game)[-1] == "You have no gun."
    armed(game, "l")
    assert targets(game)
    game.body.charge = 5 * TURN
    assert targets(game) == []


# -- bots -----------------------------------------------------------------------------------------


def test_bots_may_do_what_does_something(play: MakeGame) -> None:
    bot = DemoPlay(
        play("""
        ############
        #<cg...h...#
        #.........U#
        ############
    """)
    )
    robot = the_robot(bot.game)
    esper.component_for_entity(robot, Mind).state = "off"
    for action in (Action.EAST, Action.TAKE, Action.EAST, Action.TAKE):
        bot.act(action)
    seen = bot.observe()
    assert (seen.charge, seen.max_charge, seen.recharging) == (1196, 1200, {50: 1})
    assert [thing.tag for thing in seen.things if thing.charger] == ["cradle"]
    assert list(seen.strengthening) == [5]
    assert Action.STRENGTHEN in bot.legal()
    assert Action.FIRE not in bot.legal()
    bot.act(Action.STRENGTHEN)
    assert Action.STRENGTHEN not in bot.legal()
    assert Action.FIRE in bot.legal()
    assert bot.observe().shot == 0  # it means no harm
    esper.component_for_entity(robot, Mind).state = "alert"
    assert bot.observe().shot == 5
    bot.game.rng.seed(1)
    assert [event.kind for event in bot.act(Action.FIRE)] == ["dealt"]
    bot.game.body.charge = 100 * TURN
    assert Action.RECHARGE in bot.legal()
    bot.act(Action.RECHARGE)
    assert bot.observe().charge in (148, 149)
    assert Action.RECHARGE not in bot.legal()


def test_a_bot_knows_what_makes_stronger_for_good_and_uses_it(play: MakeGame) -> None:
    played = DemoPlay(
        play("""
        ##########
        #.s<.+...#
        ##########
    """)
    )
    assert [thing.power for thing in played.observe().things if thing.tag == "stay"] == [4]
    bot, most = bot_named("greedy", 1), played.game.health.max_hp
    for _ in range(8):
        played.act(bot.choose(played))
    assert played.game.health.max_hp == most + 4


def test_a_bot_shoots_whoever_is_beside_it_if_its_blows_are_weaker(play: MakeGame) -> None:
    game = collect(
        play("""
        ########
        #<bg..h#
        ########
    """),
        "ll",
    )
    game.health.hp = game.health.max_hp = 1000
    fit(game, 1, "right arm")
    walk(game, "..")
    assert bot_named("greedy").choose(DemoPlay(game)) == Action.FIRE
    fit(game, 0, "left arm")
    assert bot_named("greedy").choose(DemoPlay(game)) == Action.EAST


def test_who_dies_for_want_of_charge_is_told_so(play: MakeGame) -> None:
    bot = DemoPlay(
        play("""
        ####
        #<.#
        ####
    """)
    )
    bot.game.body.charge, bot.game.health.hp = TURN, 1
    events = []
    while not bot.over:
        events += bot.act(Action.WAIT)
    assert [event.kind for event in events[-2:]] == ["worn", "died"]


@pytest.mark.parametrize("bot_name", ["cautious", "hasty"])
def test_bots_charge_themselves_before_they_go_on(play: MakeGame, bot_name: str) -> None:
    bot = DemoPlay(
        play(
            """
            ################
            #<>............#
            #............U.#
            ################
            """,
            """
            ####
            #<.#
            ####
            """,
        )
    )
    bot.game.body.charge = 100 * TURN
    player = bot_named(bot_name, 1)
    while bot.observe().map_id == "m1/1":
        bot.act(player.choose(bot))
    assert bot.observe().charge > 300


# -- screens --------------------------------------------------------------------------------------


def test_a_gun_is_fitted_aimed_and_fired_by_keys(tmp_path: Path) -> None:
    content = drawn_content(
        tmp_path,
        """
        #########
        #<g...i.#
        #########
    """,
        objects=OBJECTS,
        legend=LEGEND,
    )
    screen = PlayScreen(Session(content, 1))
    game = screen.game

    def pressed(*keys: str) -> str:
        """Press keys one after the other, and return the name of the screen that is next."""
        now = screen
        for key in keys:
            now = now.press(key)
        return type(now).__name__

    assert pressed("f") == "PlayScreen"
    assert said(game)[-1] == "You have no gun."
    assert pressed("l", "g", "i", "a") == "Fit"
    assert pressed("f") == "PlayScreen"
    assert said(game)[-1].startswith("You have no gun fitted: i fits the ")
    assert pressed("i", "a", "escape") == "PackScreen"
    assert pressed("i", "a", "escape", "escape") == "PlayScreen"
    assert not game.body.fitted
    assert pressed("i", "a", "2") == "PlayScreen"
    assert list(game.body.fitted) == ["left arm"]
    assert pressed("f") == "Aim"
    assert pressed("f", "tab") == "Aim"
    assert pressed("f", "shift+tab") == "Aim"
    before = game.body.charge
    assert pressed("f", "f") == "Confirm"
    assert pressed("f", "f", "y") == "PlayScreen"
    assert before - game.body.charge == 11 * TURN
    assert pressed("e") == "BodyPage"
    assert set(PLACES) >= set(game.body.fitted)
    pressed("t")
    assert game.body.sneaks
    forget_worlds()
