"""Fights that want different answers, on small drawn levels: who charges, steals, explodes, keeps away, calls, or can be left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper
import pytest
from demo import demo_content
from test_game import drawn_content, forget_worlds, said, walk
from test_robots import named

import dungeon
from dungeon.content.catalog.catalog import ChoiceTerms
from dungeon.content.catalog.selector import Selector
from dungeon.extend import Constant
from game_demo.display.descriptions import describe_entity
from game_demo.rules.destruction import FUSE
from game_demo.rules.lessons import LESSONS, lesson_due
from game_demo.rules.moods import provoke
from game_demo.rules.pack import stow
from game_demo.screens.ending import lesson_of_death
from game_demo.state.components import Appearance, Health, ItemEffect, Mind, Stack, cell_of
from game_demo.state.game import Game
from game_demo.state.geometry import distance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dungeon.content.catalog.catalog import CatalogObject
    from game_demo.state.minds import State

    MakeGame = Callable[[str], Game]

OBJECTS = {
    "robots": """
        bull: {name: bull, glyph: b, data: {behaviour: guard, hp: 40, attack: 3, sight: 20, rams: true}}
        thief: {name: thief, glyph: t, data: {behaviour: guard, hp: 9, attack: 1, sight: 9, steals: true}}
        bomb: {name: bomb, glyph: o, data: {behaviour: idle, hp: 1, attack: 1, explodes: {radius: 2, damage: 9}}}
        post: {name: post, glyph: i, data: {behaviour: idle, hp: 30}}
        gunner: {name: gunner, glyph: n, data: {behaviour: guard, hp: 40, sight: 20, keeps: 4, shoots: {power: 1, range: 9}}}
        tied: {name: tied one, glyph: d, data: {behaviour: guard, hp: 40, attack: 1, sight: 20, leash: 3}}
        hound: {name: hound, glyph: h, data: {behaviour: hunt, hp: 40, attack: 1, sight: 20, doors: false}}
        clerk: {name: clerk, glyph: k, data: {behaviour: caller, hp: 40, attack: 1, calls: 12, sight: 20}}
    """,
}
LEGEND = "\n".join(
    f"    {glyph}: {{robot: {tag}}}"
    for glyph, tag in {
        "b": "bull",
        "t": "thief",
        "o": "bomb",
        "i": "post",
        "n": "gunner",
        "d": "tied",
        "h": "hound",
        "k": "clerk",
    }.items()
)


@pytest.fixture
def play(tmp_path: Path) -> Iterator[MakeGame]:
    """Begin a game on a drawn level; the player arrives at ``<``, and takes much damage."""

    def begin(drawing: str) -> Game:
        game = Game(dungeon.World(drawn_content(tmp_path, drawing, objects=OBJECTS, legend=LEGEND), 1))
        game.health.hp = game.health.max_hp = 1000
        return game

    yield begin
    forget_worlds()


def mind(tag: str) -> Mind:
    return esper.component_for_entity(named(tag), Mind)


def until(game: Game, tag: str, state: State, turns: int = 20) -> None:
    """Wait until a robot is in a state."""
    for _ in range(turns):
        if mind(tag).state == state:
            return
        walk(game, ".")
    pytest.fail(f"it is {mind(tag).state}")


# -- charges --------------------------------------------------------------------------------------

FIELD = """
    ###########
    #<........#
    #....b....#
    #.........#
    ###########
"""


def test_who_steps_aside_lets_a_charge_run_into_the_wall(play: MakeGame) -> None:
    game = play(FIELD)
    game.map.move(game.hero, (2, 2))
    until(game, "bull", "charging")
    assert cell_of(named("bull")) == (2, 5)  # so far it has only lowered its head
    game.map.move(game.hero, (1, 1))
    until(game, "bull", "reeling")
    assert cell_of(named("bull")) == (2, 1)
    assert game.health.hp == 1000
    assert said(game)[-2:] == [
        "The bull lowers its head to charge.",
        "The bull runs into something, and reels.",
    ]
    walk(game, "j")  # which strikes it
    assert mind("bull").state == "reeling"  # a blow does not end that
    until(game, "bull", "alert")


def test_who_stands_still_is_rammed_harder_than_by_any_blow(play: MakeGame) -> None:
    rams = []
    for _ in range(12):
        game = play(FIELD)
        game.rng.seed(len(rams))
        game.map.move(game.hero, (2, 2))
        until(game, "bull", "charging")
        walk(game, ".")
        rams.append(1000 - game.health.hp)
        assert mind("bull").state == "alert"
        forget_worlds()
    assert 3 < max(rams) <= 6


def test_nobody_charges_round_a_corner_or_at_who_is_beside_it(play: MakeGame) -> None:
    game = play(FIELD)
    game.map.move(game.hero, (1, 3))  # neither straight nor diagonal
    walk(game, ".")
    assert mind("bull").state == "alert"
    game.map.move(named("bull"), (1, 4))
    walk(game, ".")
    assert mind("bull").state == "alert"


def test_what_to_do_is_taught_when_the_first_head_goes_down(play: MakeGame) -> None:
    game = play(FIELD)
    game.map.move(game.hero, (2, 2))
    game.taught |= LESSONS.keys() - {"ram"}
    game.update_sight()
    assert lesson_due(game) is None
    until(game, "bull", "charging")
    assert lesson_due(game) == "ram"


# -- shots ----------------------------------------------------------------------------------------


def test_who_is_shot_at_is_told_what_to_do_and_what_would_have_helped(play: MakeGame) -> None:
    game = play("""
        ##############
        #<.....n.....#
        #............#
        ##############
    """)
    game.taught.update(LESSONS.keys() - {"shot", "keeps"})
    assert lesson_due(game) is None
    until(game, "gunner", "alert")
    assert lesson_due(game) == "keeps", "for it would not let him come"
    game.taught.add("keeps")
    assert lesson_due(game) is None
    mind("gunner").keeps = 0
    assert lesson_due(game) == "shot"
    game.damage_player(1000, "a gunner")
    assert "around a corner" in lesson_of_death(game)


# -- thefts ---------------------------------------------------------------------------------------


def test_a_thief_takes_one_thing_and_runs_and_drops_it_when_it_falls(play: MakeGame) -> None:
    game = play("""
        ############
        #<.t.......#
        #..........#
        ############
    """)
    stow(game, Stack("oil", Appearance("!", (0, 0, 0), "oil"), ItemEffect(repair=3), 2))
    before = [stack.count for stack in game.player.inventory]
    until(game, "thief", "fleeing")
    assert sum(stack.count for stack in game.player.inventory) == sum(before) - 1
    assert any("takes" in text and "out of your pack!" in text for text in said(game))
    walk(game, "...")
    assert distance(cell_of(named("thief")), game.player_cell) > 1
    thief = named("thief")
    esper.component_for_entity(thief, Health).hp = 1
    game.map.move(game.hero, (2, 1))
    game.map.move(thief, (2, 2))
    cell = cell_of(thief)
    walk(game, "l")
    assert len(game.map.items_at(cell)) == 1


def test_a_thief_that_finds_nothing_just_fights(play: MakeGame) -> None:
    game = play("""
        #####
        #<.t#
        #####
    """)
    game.player.inventory.clear()
    walk(game, "." * 5)
    assert mind("thief").state == "alert"
    assert game.health.hp < 1000


# -- blasts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("goes", "hurt"), [("h" * FUSE, 0), ("." * FUSE, 9)])
def test_the_wreck_of_who_explodes_hisses_first(play: MakeGame, goes: str, hurt: int) -> None:
    game = play("""
        ###########
        #<......o.#
        ###########
    """)
    game.map.move(game.hero, (1, 7))
    walk(game, "L")
    assert "The wreck of a bomb begins to hiss. Get away!" in said(game)
    walk(game, goes)
    assert "The wreck of a bomb explodes!" in said(game)
    assert 1000 - game.health.hp == hurt


def test_a_wreck_that_explodes_hurts_those_beside_it_and_a_blast_makes_others_fall(play: MakeGame) -> None:
    game = play("""
        ###########
        #<.....oio#
        ###########
    """)
    game.map.move(game.hero, (1, 6))
    walk(game, "L")
    walk(game, "h" * (FUSE + 1))
    assert esper.component_for_entity(named("post"), Health).hp == 21
    walk(game, "." * FUSE)
    assert said(game).count("The wreck of a bomb explodes!") == 2


# -- distance -------------------------------------------------------------------------------------


def test_who_keeps_its_distance_backs_off_every_other_turn(play: MakeGame) -> None:
    game = play("""
        ###############
        #<............#
        #...n.........#
        ###############
    """)
    until(game, "gunner", "alert")
    walk(game, "....")
    assert distance(cell_of(named("gunner")), game.player_cell) >= 4
    begins = cell_of(named("gunner"))
    walk(game, "l" * 6)
    assert distance(cell_of(named("gunner")), game.player_cell) == 1
    assert 2 <= distance(cell_of(named("gunner")), begins) <= 3


# -- calls ----------------------------------------------------------------------------------------


def test_a_blow_keeps_who_draws_breath_from_calling(play: MakeGame) -> None:
    drawing = """
        ############
        #<.k.......#
        ###.########
        ###d########
        ############
    """
    game = play(drawing)
    walk(game, ".")
    assert "The clerk has noticed you, and draws breath: it calls for help in 2 moves." in said(game)
    game.map.move(named("clerk"), (1, 2))
    walk(game, "l")
    walk(game, "....")
    assert "The clerk calls for help!" not in said(game)
    forget_worlds()
    game = play(drawing)
    walk(game, "....")
    assert "The clerk calls for help!" in said(game)


# -- getting away ---------------------------------------------------------------------------------


def test_who_is_on_a_leash_lets_the_player_go_until_it_is_struck(play: MakeGame) -> None:
    game = play("""
        ###################
        #<...............d#
        ###################
    """)
    game.map.move(game.hero, (1, 8))
    walk(game, "." * 9)
    assert mind("tied").state == "alert"
    assert cell_of(named("tied")) == (1, 17)
    game.map.move(game.hero, (1, 14))
    walk(game, "...")
    assert distance(cell_of(named("tied")), game.player_cell) == 1
    game.map.move(game.hero, (1, 8))
    walk(game, "....")
    assert cell_of(named("tied")) == (1, 17)
    provoke(game, named("tied"))
    walk(game, "." * 9)
    assert distance(cell_of(named("tied")), game.player_cell) == 1


def test_a_shut_door_holds_who_opens_none(play: MakeGame) -> None:
    game = play("""
        ###########
        #<...+...h#
        ###########
    """)
    mind("hound").state, mind("hound").aim = "alert", (1, 4)
    walk(game, "." * 12)
    assert not game.map.doors[1, 5].is_open
    assert mind("hound").state == "at work"
    game.map.set_door((1, 5), is_open=True)
    walk(game, "." * 12)
    assert distance(cell_of(named("hound")), game.player_cell) == 1


# -- who is met, and how soon ---------------------------------------------------------------------


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_each_sort_of_fight_is_met_at_the_first_depths(depth: int) -> None:
    data = [each.data for each in fighters_at(depth)]
    for sort in ("rams", "steals", "explodes", "keeps", "calls", "leash"):
        assert any(each.get(sort) for each in data), sort
    assert any(each["behaviour"] == "swarm" for each in data)
    assert any(each.get("speed", 1) <= 0.5 and int(each["attack"]) >= 5 for each in data)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_one_gets_away_from_at_least_half_of_those_who_fight(depth: int) -> None:
    fighters = fighters_at(depth)
    slow = {each.tag for each in fighters if each.data.get("speed", 1) < 1}
    held = {each.tag for each in fighters if each.data.get("leash") or not each.data.get("doors", True)}
    assert 2 * len(slow | held) >= len(fighters)


def fighters_at(depth: int) -> list[CatalogObject]:
    """Return the robots that levels of the demo get at a depth, and that fight or call others."""
    catalog = demo_content().catalog
    classes = ("clerk", "watch", "hunter", "swimmer", "heavy")
    tags = {
        tag
        for each in classes
        for tag in catalog.odds("robot", Selector(classes=Constant(each)), ChoiceTerms(depth))
    }
    fighters = [catalog["robot", tag] for tag in sorted(filter(None, tags))]
    return [each for each in fighters if each.data["behaviour"] not in ("wander", "coward", "mender")]


# -- what the player can tell ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "habit"),
    [
        ("bull", "charges in a straight line"),
        ("thief", "steals from your pack"),
        ("bomb", "explodes when wrecked: 9 damage, reaches 2 cells"),
        ("gunner", "steps back every other turn while you are nearer than 4 steps"),
        ("tied", "stays near its post unless struck"),
        ("hound", "opens no doors"),
        ("gunner", ", opens doors"),
        ("clerk", "calls for help"),
    ],
)
def test_habits_show_in_words(play: MakeGame, tag: str, habit: str) -> None:
    game = play("""
        ############
        #<.btoindhk#
        ############
    """)
    assert habit in describe_entity(game, named(tag))
    assert habit not in describe_entity(game, named("post"))
