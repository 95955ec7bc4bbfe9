"""Bots, the interface through which they play, and the demo behind it."""

from __future__ import annotations

import functools
import random
import tomllib
from dataclasses import replace
from importlib.metadata import EntryPoint
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from demo import demo_content
from test_game import drawn_content

import dungeon
from dungeon.playtest.bots.explorer import TEMPERS, BotMap, Explorer
from dungeon.playtest.bots.playing import (
    BOTS,
    UnknownBotError,
    bot_named,
    find_bot,
    meetings_of,
    play_out,
    visits_of,
)
from dungeon.playtest.game import GROUP, Action, Event, Ground, Observation, Play, UnknownGameError, find_game
from game_demo.playing import DemoPlay, start
from game_demo.state.digest import digest_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon import Content, Level, Rect

    MakePlay = Callable[..., DemoPlay]

ROOT = Path(__file__).parent.parent


@pytest.fixture
def begin(tmp_path: Path) -> MakePlay:
    """Begin a game on drawn levels; the player arrives at ``<``."""
    return lambda *drawings: start(dungeon.World(drawn_content(tmp_path, *drawings), 1))


def let(play: DemoPlay, bot: str, most: int = 500) -> list[Event]:
    """Let a bot play until the game is over, and return what has happened."""
    player, events = bot_named(bot, 1), []
    for _ in range(most):
        if play.over:
            break
        events += play.act(player.choose(play))
    return events


def test_the_player_dies_for_lack_of_charge(begin: MakePlay) -> None:
    play = begin("#####\n#<..#\n#####")
    play.game.body.charge, play.game.health.hp = 1, 1
    events = [event for _ in range(20) for event in play.act(Action.WAIT)]
    assert play.over == "death"
    assert kinds(events) == ["entered", "worn", "died"]
    assert events[-1] == Event("died", "m1/1")


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events if event.kind != "faced"]


def shown(seen: Observation) -> list[str]:
    """Return the ground as it is known, a letter a cell."""
    return ["".join(" #XL^.+><O"[kind] for kind in row) for row in seen.ground]


# -- what a player is told --------------------------------------------------------------------------


def test_bots_know_only_ground_that_was_seen(begin: MakePlay) -> None:
    play = begin("""
        #######
        #<.+.C#
        #######
    """)
    assert shown(play.observe()) == ["####   ", "#..+   ", "####   "]
    play.act(Action.EAST)
    before = play.observe().version
    play.act(Action.EAST)
    seen = play.observe()
    assert shown(seen) == ["#######", "#....X#", "#######"]
    assert seen.version > before
    assert (seen.cell, seen.turn, seen.explored.all()) == ((1, 2), 2, True)


def test_an_action_that_shows_something_to_decide_about_is_told_once(begin: MakePlay) -> None:
    play = begin("""
        ###############
        #<.+ds.+rr+.f>#
        ###############
    """)
    told = [[each.tag for each in play.act(Action.EAST) if each.kind == "faced"] for _ in range(16)]
    assert told[:5] == [[]] * 5  # dust and scrap are not worth a thought
    assert sorted(filter(None, told)) == [["fighter"], ["patch"]]


def test_hidden_doors_and_traps_appear_when_found(begin: MakePlay) -> None:
    play = begin("""
        #######
        #<n.S.#
        #######
    """)
    assert shown(play.observe())[1] == "#...#  "
    assert {Action.EAST, Action.WAIT} <= {*play.legal()}
    play.act(Action.SEARCH)
    assert shown(play.observe())[1] == "#.^.#  "
    play.act(Action.EAST)
    play.act(Action.EAST)
    assert shown(play.observe())[1] in ("#...#  ", "#...+  ")  # one may notice it in passing
    play.act(Action.SEARCH)
    assert shown(play.observe())[1] == "#...+  "
    assert Action.EAST in play.legal()


def test_things_and_robots_have_their_abilities(begin: MakePlay) -> None:
    play = begin("""
        #######
        #<r.Of#
        #######
    """)
    (patch,) = [thing for thing in play.observe().things if thing.tag == "patch"]
    assert (patch.kind, patch.repair, patch.goal, patch.cell) == ("item", 6, False, (1, 2))
    (screen,) = [thing for thing in play.observe().things if thing.works]
    assert (screen.tag, screen.cell) == ("screen", (1, 4))
    assert play.observe().robots == []  # behind the screen
    play.game.map.move(play.game.map.blockers[1, 5], (1, 3))
    (fighter,) = play.observe().robots
    assert (fighter.tag, fighter.hp, fighter.max_hp, fighter.power, fighter.cell) == (
        "fighter",
        50,
        50,
        2,
        (1, 3),
    )


def test_actions_return_events(begin: MakePlay) -> None:
    play = begin(
        """
        #########
        #<.r.n.a#
        #......>#
        #########
        """,
        """
        ###
        #<#
        ###
        """,
    )
    assert play.act(Action.EAST)[0] == Event("entered", "m1/1")
    play.act(Action.EAST)
    (patch,) = (thing for thing in play.observe().things if thing.tag == "patch")
    assert play.act(Action.TAKE) == [Event("gained", "m1/1", tag="patch", number=patch.number)]
    assert play.observe().mending == {6: 1}
    play.act(Action.EAST)
    (sprung,) = play.act(Action.EAST)
    assert sprung._replace(number=None) == Event("sprung", "m1/1", tag="needle", amount=5)
    assert Action.MEND in play.legal()
    play.act(Action.MEND)
    assert play.observe().mending == {}
    play.act(Action.EAST)
    (robot,) = play.observe().robots
    blows = []
    while not blows or blows[-1].kind != "destroyed":
        blows += play.act(Action.EAST)
    assert {*kinds(blows)} == {"dealt", "destroyed"}
    assert {blow.number for blow in blows} == {robot.number}
    assert sum(blow.amount for blow in blows) >= 3
    play.act(Action.SOUTHEAST)
    assert play.legal()[-1] == Action.DOWN
    assert play.act(Action.DOWN)[-1] == Event("entered", "m2/2")
    assert play.observe().depth == 2


def test_a_death_event_names_the_cause(begin: MakePlay) -> None:
    play = begin("""
        #####
        #<p.#
        #####
    """)
    play.act(Action.WAIT)
    assert kinds(play.act(Action.EAST)) == ["sprung", "died"]
    assert (play.over, play.act(Action.EAST)) == ("death", [])


def test_encounters_are_seen_met_and_fought_once(content: Content, make: Callable[[str], Level]) -> None:
    outcome = play_out(start, dungeon.World(content, 4), "greedy", 4, limit=2500, make=make)
    for kind in ("seen", "met", "fought"):
        told = [moment.event for moment in outcome.moments if moment.event.kind == kind]
        assert len({(event.map_id, event.placement) for event in told}) == len(told) > 2
        for event in told:
            assert event.placement is not None
            placement = make(event.map_id).placements[event.placement]
            assert placement.encounter == event.encounter
    actions = [moment.action for moment in outcome.moments]
    assert actions == sorted(actions)


def test_events_of_the_demo_are_consistent(content: Content, make: Callable[[str], Level]) -> None:
    outcome = play_out(start, dungeon.World(content, 4), "greedy", 1, make=make)
    events = [moment.event for moment in outcome.moments]
    visits, meetings = visits_of(outcome), meetings_of(outcome, lambda *_: 0)
    assert sum(each.turns for each in visits) == outcome.turns
    assert sum(each.gained for each in visits) == kinds(events).count("gained") > 0
    assert sum(each.used for each in visits) == kinds(events).count("used") > 0
    assert sum(each.charged for each in visits) > 0
    assert all(each.spent >= each.turns for each in visits)  # a turn takes 1 charge or more
    of_encounters = kinds([event for event in events if event.encounter])
    assert sum(each.met for each in meetings) == of_encounters.count("met") > 3
    assert sum(each.fought for each in meetings) == of_encounters.count("fought") > 3
    assert any(each.won for each in meetings)
    for each in meetings:
        assert (each.turns > 0) <= each.met
        assert each.met or each.seen is None or each.seen_afar
    assert 20 < sum(each.turns for each in meetings) < outcome.turns


def test_events_tell_when_ground_of_encounters_is_entered_and_left(
    content: Content, make: Callable[[str], Level]
) -> None:
    play, bot, on = start(dungeon.World(content, 4), 1, make=make), bot_named("hasty", 1), None
    came = 0
    for _ in range(800):
        for event in play.act(bot.choose(play)):
            if event.kind in ("entered", "came"):
                assert event.kind == "entered" or event.placement != on
                came, on = came + (event.kind == "came"), event.placement
        seen = play.observe()
        within = {
            n
            for n, each in enumerate(make(seen.map_id).placements)
            if each.encounter and lies_in(seen.cell, each.bounds)
        }
        assert on in within if on is not None else not within
    assert came > 10


def lies_in(cell: tuple[int, int], bounds: Rect) -> bool:
    return bounds.y <= cell[0] < bounds.bottom and bounds.x <= cell[1] < bounds.right


# -- bots -----------------------------------------------------------------------------------------


def test_an_explorer_finds_the_prize_behind_doors_and_stairs(begin: MakePlay) -> None:
    play = begin(
        """
        ########
        #<.+...#
        ####.#.#
        ####.#.#
        ####+###
        ####.>##
        ########
        """,
        """
        ##########
        #<..S..g.#
        ##########
        """,
    )
    assert kinds(let(play, "cautious"))[-2:] == ["gained", "won"]


def test_an_explorer_may_search_along_walls_before_it_goes_down(begin: MakePlay) -> None:
    level = """
        #################
        #<..............#
        ####.############
        #..............##
        #..............##
        #..............##
        #########S#####.#
        #.....g...#####>#
        #################
        """
    searching = Explorer(replace(TEMPERS["greedy"], searches=True), random.Random(1))
    ends = {}
    for name, bot in (("greedy", bot_named("greedy", 1)), ("searching", searching)):
        play, events = begin(level, "####\n#<.#\n####"), []
        while play.over is None and play.observe().depth == 1:
            events += play.act(bot.choose(play))
        ends[name] = kinds(events)[-1]
    assert ends == {"greedy": "entered", "searching": "won"}


@pytest.mark.parametrize("seed", range(5))
def test_an_explorer_without_a_way_on_searches_along_walls(begin: MakePlay, seed: int) -> None:
    hall = "#................................#\n" * 9
    play = begin(
        f"{'#' * 34}\n#<...............................#\n{hall}{'#' * 20}S{'#' * 13}\n#{'.' * 31}g#\n{'#' * 34}"
    )
    bot, places = bot_named("greedy", seed), set()
    while play.over is None:
        action = bot.choose(play)
        if action == Action.SEARCH:
            places.add(play.observe().cell)
        play.act(action)
    assert play.over == "victory"
    assert len(places) <= 2 * (34 + 12), "no wall is searched twice before all were"


def test_an_explorer_fetches_the_key_of_a_door(begin: MakePlay) -> None:
    play = begin(
        """
        ########
        #<...B.#
        #..O...#
        #.....>#
        ########
        """,
        """
        ####
        #<g#
        ####
        """,
    )
    assert kinds(let(play, "greedy")) == ["entered", "opened", "entered", "gained", "won"]


def test_hasty_bots_leave_items_that_greedy_ones_take(begin: MakePlay) -> None:
    drawings = (
        """
        ################
        #>.............#
        #<............s#
        ################
        """,
        """
        ####
        #<g#
        ####
        """,
    )
    gained = {bot: kinds(let(begin(*drawings), bot)).count("gained") for bot in ("hasty", "greedy")}
    assert gained == {"hasty": 1, "greedy": 2}


def test_a_bot_with_little_nerve_goes_down_instead_of_past_a_robot(begin: MakePlay) -> None:
    hall = """
        ###################
        #.................#
        #<........f.....s.#
        #>................#
        ###################
    """
    end = """
        ####
        #<g#
        ####
    """
    told = {}
    for nerve in (0.5, 9.0):
        play, events = begin(hall, end), []
        bot = Explorer(replace(TEMPERS["cautious"], nerve=nerve), random.Random(1))
        for _ in range(500):
            events += play.act(bot.choose(play))
        told[nerve] = kinds(events)
    assert told[0.5] == ["entered", "entered", "gained", "won"]
    assert "dealt" in told[9.0]


@pytest.mark.parametrize("bot", BOTS)
def test_bots_never_get_stuck_and_play_the_same_twice(bot: str, content: Content) -> None:
    world = dungeon.World(content, 5)
    make = functools.cache(world.level)
    outcomes = [play_out(start, world, bot, 2, limit=700, make=make) for _ in range(2)]
    assert outcomes[0] == outcomes[1]
    assert outcomes[0].turns > 600
    places = {(moment.event.map_id, moment.event.kind) for moment in outcomes[0].moments}
    assert len(places) >= 2


@pytest.mark.parametrize(
    ("seed", "bot"), [(24, "hasty"), (20, "greedy")]
)  # one that is won, and one that is lost, when this was written
def test_a_game_of_the_demo_is_played_to_its_end(content: Content, seed: int, bot: str) -> None:
    outcome = play_out(start, dungeon.World(content, seed), bot, seed)
    assert outcome.ending == ("victory" if outcome.moments[-1].event.kind == "won" else "death")
    assert outcome.depth >= 2


def test_games_played_in_turn_do_not_influence_each_other(
    content: Content, make: Callable[[str], Level]
) -> None:
    world = dungeon.World(content, 4)

    def played(plays: list[DemoPlay]) -> list[str]:
        bots = [bot_named("greedy", number) for number in range(len(plays))]
        for _ in range(300):
            for play, bot in zip(plays, bots, strict=True):
                play.act(bot.choose(play))
        return [digest_of(play.game) for play in plays]

    together = played([start(world, seed, make=make) for seed in (1, 2)])
    assert together[0] == played([start(world, 1, make=make)])[0]
    assert together[0] != together[1]


# -- ways -------------------------------------------------------------------------------------------


def test_a_path_is_a_shortest_one_around_barred_cells(begin: MakePlay) -> None:
    play = begin("""
        #######
        #<....#
        #.....#
        #.....#
        #######
    """)
    seen = play.observe()
    seen.ground[2, 2:5] = Ground.WALL
    chart = BotMap(seen)
    chart.update(seen)
    goal = chart.bit((3, 5))
    way = chart.way((1, 1), goal)
    assert len(way) == 5
    assert way[0] == (3, 5)
    assert all(max(abs(y - v), abs(x - u)) == 1 for (y, x), (v, u) in pairwise([*way, (1, 1)]))
    barred = chart.bit((3, 3))
    assert (3, 3) not in chart.way((1, 1), goal, barred=barred)
    assert chart.way((1, 1), goal, barred=barred | chart.bit((1, 3))) == []
    assert chart.way((1, 1), goal, limit=4) == []


# -- how a game is named ----------------------------------------------------------------------------


def test_a_game_is_found_by_its_module_and_the_demo_says_which_that_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert find_game(project["entry-points"][GROUP]["demo"]) is start


def test_a_game_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("mine", "game_demo.playing:start", GROUP)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [entry] * (group == GROUP))
    assert find_game("mine") is start
    with pytest.raises(
        UnknownGameError, match=r"no game 'yours' .there are mine; or name one as module:attribute"
    ):
        find_game("yours")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("ludo", "there is no game 'ludo'"),
        ("no.such:thing", "can't be loaded: No module named 'no'"),
        ("game_demo.playing:nothing", "can't be loaded"),
        ("game_demo.playing:BLOWS", "can't be called"),
    ],
)
def test_a_game_that_cannot_be_loaded_is_reported(name: str, told: str) -> None:
    with pytest.raises(UnknownGameError, match=told):
        find_game(name)


class Waiter:
    """A third-party bot that waits, and remembers its seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def choose(self, play: Play) -> Action:
        """Wait, as long as one may."""
        assert Action.WAIT in play.legal()
        return Action.WAIT


def test_an_own_bot_is_found_by_module_and_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_bot("test_bots:Waiter") is Waiter
    entry = EntryPoint("waiter", "test_bots:Waiter", "dungeon.bots")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [entry] * (group == entry.group))
    bot = bot_named("waiter", 7)
    assert isinstance(bot, Waiter)
    assert bot.seed == 7
    with pytest.raises(UnknownBotError, match=r"no bot 'waitr' \(did you mean waiter\?\)"):
        find_bot("waitr")


def test_an_own_bot_plays(tmp_path: Path) -> None:
    world = dungeon.World(drawn_content(tmp_path, "####\n#<.#\n####"), 1)
    outcome = play_out(start, world, Waiter, limit=9)
    assert (outcome.ending, outcome.turns) == (None, 9)
    assert outcome == play_out(start, world, "test_bots:Waiter", limit=9)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("brave", "there is no bot 'brave' .there are cautious, greedy, hasty, random; or name one as"),
        ("gredy", "there is no bot 'gredy' .did you mean greedy"),
        ("no.such:Bot", "the bot 'no.such:Bot' can't be loaded: No module named 'no'"),
        ("test_bots:Walker", "can't be loaded: module 'test_bots' has no attribute 'Walker'"),
        ("test_bots:ROOT", "which can't be called"),
        ("..no:Bot", "the bot '..no:Bot' can't be loaded: TypeError: "),
        (":Bot", "the bot ':Bot' can't be loaded: ValueError: Empty module name"),
        ("out_of_order:Bot", "can't be loaded: ZeroDivisionError: "),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_reported(
    name: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out_of_order.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UnknownBotError, match=told):
        bot_named(name)


@pytest.fixture(scope="module")
def content() -> Content:
    return demo_content()


@pytest.fixture(scope="module")
def make(content: Content) -> Callable[[str], Level]:
    return functools.cache(dungeon.World(content, 4).level)
