"""Robots that mean no harm: the player changes places with them, where neither comes to stand where he can't."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import esper
import pytest
from test_game import drawn_content, forget_worlds, said, walk

import dungeon
from dungeon.playtest.bots.playing import bot_named
from dungeon.playtest.game import Action
from game_demo.display.descriptions import describe_entity
from game_demo.playing import DemoPlay
from game_demo.rules import actions, journeys
from game_demo.rules.moods import win_over
from game_demo.rules.work import options_at
from game_demo.state.components import Energy, Health, Mind, Robot, cell_of, held_by
from game_demo.state.game import Game
from game_demo.state.geometry import NEIGHBOURS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    MakeGame = Callable[..., Game]

OBJECTS = {
    "robots": """
        fitter: {name: fitter, glyph: t, data: {behaviour: mender, hp: 9, attack: 1, sight: 9, calls: 6}}
        clerk: {name: clerk, glyph: k, data: {behaviour: caller, hp: 9, attack: 1, sight: 1}}
        idler: {name: idler, glyph: i, data: {behaviour: idle, hp: 9}}
        bollard: {name: bollard, glyph: b, data: {behaviour: wander, hp: 9, speed: 0}}
        guard: {name: guard, glyph: g, data: {behaviour: guard, hp: 90, attack: 1, sight: 9}}
        bearer: {name: bearer, glyph: e, loadout: [{item: salve}], data: {behaviour: wander, hp: 9}}
    """,
    "traps": "bell: {name: bell, glyph: ^, data: {effect: It rings., hidden: false}}",
    "items": "salve: {name: salve, glyph: '!', data: {repair: 6}}",
    "props": "lever: {name: lever, glyph: /}",
}
LEGEND = """
    t: {robot: fitter}
    k: {robot: clerk}
    i: {robot: idler}
    a: {robot: idler, state: asleep}
    w: {robot: idler, ambush: bait}
    b: {robot: bollard}
    g: {robot: guard}
    e: {robot: bearer}
    n: {trap: bell}
    s: {item: salve, ambush: bait}
    I: {prop: lever, opens: gate}
    G: {terrain: locked_door, lock: gate}
"""


@pytest.fixture
def play(tmp_path: Path) -> Iterator[MakeGame]:
    """Begin a game on a drawn level; the player arrives at ``<``, and robots do nothing of themselves."""

    def begin(drawing: str, *, still: bool = True) -> Game:
        game = Game(dungeon.World(drawn_content(tmp_path, drawing, objects=OBJECTS, legend=LEGEND), 1))
        for _, energy in esper.get_component(Energy) if still else ():
            energy.speed = min(energy.speed, 0.001)
        return game

    yield begin
    forget_worlds()


def robot() -> int:
    """Return the only robot."""
    ((found, _),) = esper.get_component(Robot)
    return found


def state() -> str:
    return esper.component_for_entity(robot(), Mind).state


@pytest.mark.parametrize("who", "teiw")
def test_who_walks_into_a_robot_that_means_no_harm_changes_places_with_it(play: MakeGame, who: str) -> None:
    """One in ambush does as an idle one does, so that it is not told from it."""
    game = play(f"#######\n#<{who}...#\n#######")
    described = describe_entity(game, robot())
    assert "lets you pass" in described
    walk(game, "l")
    assert (game.player_cell, cell_of(robot())) == ((1, 2), (1, 1))
    assert (game.map.blockers[1, 2], game.map.blockers[1, 1]) == (game.hero, robot())
    assert (game.log.turn, game.map.robots) == (1, game.map.bit((1, 1)))
    assert esper.component_for_entity(robot(), Health).hp == 9
    assert said(game)[-1].startswith("You change places with the ")
    assert describe_entity(game, robot()) == described


def test_changing_places_is_told_once_for_each_robot(play: MakeGame) -> None:
    game = play("#######\n#<t...#\n#######")
    win_over(game, robot())
    walk(game, "lhlh")
    assert said(game).count("You change places with your fitter.") == 1


def test_changing_places_is_heard_no_farther_than_a_step(play: MakeGame) -> None:
    game = play(
        "########\n#<t..g.#\n########"
    )  # who sleeps wakes of blows three steps away, and of steps beside it
    guard = next(each for each, mind in esper.get_component(Mind) if mind.behaviour == "guard")
    mind = esper.component_for_entity(guard, Mind)
    mind.state = "asleep"
    walk(game, "l")
    assert (game.player_cell, mind.state) == ((1, 2), "asleep")


def test_a_clerk_lets_one_pass_until_it_knows_of_him(play: MakeGame) -> None:
    game = play("#######\n#<k...#\n#######")
    assert "lets you pass" in describe_entity(game, robot())
    esper.component_for_entity(robot(), Mind).state = "fleeing"
    assert "lets you pass" not in describe_entity(game, robot())
    walk(game, "l")
    assert (game.player_cell, esper.component_for_entity(robot(), Health).hp < 9) == ((1, 1), True)


@pytest.mark.parametrize("who", "ab")
def test_who_stands_fast_says_so_and_what_can_be_done(play: MakeGame, who: str) -> None:
    game = play(f"#######\n#<{who}...#\n#######")
    game.map.sight.explored[:] = True
    assert "does not make way: w strikes it" in describe_entity(game, robot())
    walk(game, "l")
    assert (game.player_cell, game.log.turn, cell_of(robot())) == ((1, 1), 0, (1, 2))
    assert said(game)[-1].endswith("means no harm, but does not make way. (w strikes it)")
    journeys.travel(game, (1, 5))
    assert said(game)[-1].endswith("does not make way. (w strikes it)")
    assert [way.name for way in options_at(game, (1, 2))] == ["strike"]
    walk(game, "L")
    assert esper.component_for_entity(robot(), Health).hp < 9


def test_who_fights_is_struck(play: MakeGame) -> None:
    game = play("#######\n#<g...#\n#######")
    assert options_at(game, (1, 2)) == [], "walking into it strikes it"
    walk(game, "l")
    assert (game.player_cell, esper.component_for_entity(robot(), Health).hp < 90) == ((1, 1), True)


@pytest.mark.parametrize("who", "ti")
def test_journeys_lead_past_robots_that_mean_no_harm(play: MakeGame, who: str) -> None:
    drawing = f"##########\n#<..{who}....#\n##########"
    for journey in (
        journeys.explore,
        lambda game: journeys.travel(game, (1, 8)),
        lambda game: journeys.run(game, (0, 1)),
    ):
        game = play(drawing)
        game.map.sight.explored[:] = True
        game.map.sight.explored[1, 8] = journey is not journeys.explore
        journey(game)
        assert game.player_cell[1] >= 7
        forget_worlds()
    game = play(drawing)
    game.map.sight.explored[:] = True
    journeys.travel(game, (1, 4))
    assert game.player_cell == (1, 4), "where one stands now"


def test_quick_legs_pass_too(play: MakeGame) -> None:
    game = play("##########\n#<..t....#\n##########")
    game.map.sight.explored[:] = True
    game.body.build = game.body.build.__class__(pace=50)
    journeys.travel(game, (1, 8))
    assert (game.player_cell, cell_of(robot())) == ((1, 8), (1, 3))


def test_nobody_is_pushed_into_a_door_that_a_lever_shuts_nor_onto_a_trap(play: MakeGame) -> None:
    game = play("########\n#<.Gt..#\n#I######\n########")
    game.map.set_door((1, 3), is_open=True)
    game.map.move(game.hero, (1, 3))
    walk(game, "l")
    assert (game.player_cell, game.log.turn) == ((1, 3), 0)
    assert (
        said(game)[-1]
        == "The fitter does not change places with you in a doorway: step out, so that it can pass."
    )
    win_over(game, robot())
    walk(game, "l")
    assert game.player_cell == (1, 4), "an ally would come after him anyway"
    esper.component_for_entity(robot(), Mind).state = "at work"
    game.map.move(game.hero, (1, 2))
    game.map.move(robot(), (1, 3))
    walk(game, "l")
    assert game.player_cell == (1, 3), "out of it he may take its place"
    forget_worlds()
    game = play("########\n#<.nt..#\n########")
    game.map.move(game.hero, (1, 3))
    walk(game, "l")
    refused = "The fitter does not change places with you on a trap: step off the trap, so that it can pass."
    assert (game.player_cell, said(game)[-1]) == ((1, 3), refused)


def test_a_bearer_keeps_what_it_has(play: MakeGame) -> None:
    game = play("########\n#<e....#\n########")
    held = [*held_by(robot())]
    walk(game, "l")
    assert (game.player_cell, held_by(robot()), game.map.items_at((1, 2))) == ((1, 2), held, [])
    assert held


@pytest.mark.parametrize("seed", range(3))
def test_whatever_one_does_nobody_stands_where_he_can_not(play: MakeGame, seed: int) -> None:
    game = play(
        """
        ############
        #<t.t.#.t..#
        #.###.#.##.#
        #.t.n.+.t.k#
        #.##.###.#.#
        #t..t.i..te#
        ############
        """,
        still=False,
    )
    rng = Random(seed)
    for _ in range(300):
        before = {cell_of(each) for each, _ in esper.get_component(Robot)}
        actions.step(game, rng.choice(NEIGHBOURS))
        cells = [cell_of(each) for each, _ in esper.get_component(Robot)]
        assert len({*cells, game.player_cell}) == len(cells) + 1 == len(before) + 1
        assert all(game.map.walkable[cell] and game.map.armed_trap_at(cell) is None for cell in cells)
        assert {game.map.blockers[cell] for cell in cells} == {each for each, _ in esper.get_component(Robot)}
    assert any("You change places" in each for each in said(game))


def test_bots_pass_who_lets_them_and_strike_who_stands_fast(play: MakeGame) -> None:
    bot = DemoPlay(play("#######\n#<t.a.#\n#######"))
    bot.act(Action.EAST)
    assert [thing.yields for thing in bot.observe().robots] == [True, False]
    bot.act(Action.EAST)
    events = bot.act(Action.EAST)
    assert [event.kind for event in events if event.kind in ("dealt", "destroyed")]


def test_an_explorer_gets_past_a_fitter_without_a_blow(play: MakeGame) -> None:
    bot, explorer = DemoPlay(play("##########\n#<..t....#\n##########")), bot_named("greedy")
    events = [event for _ in range(12) for event in bot.act(explorer.choose(bot))]
    assert bot.game.map.sight.explored.all()
    assert bot.game.player_cell[1] > 4
    assert not any(event.kind == "dealt" for event in events)
