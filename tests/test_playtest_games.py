"""Recording with bots: rows equal the games, and neither processes nor kills change a run."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import re
import signal
import sys
import time
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, ClassVar, NoReturn

import numpy as np
import pytest
import strolling
from changed_runs import rows
from content_files import write_content

import dungeon
from dungeon import playtest
from dungeon.cli import main
from dungeon.playtest.bots.playing import UnknownBotError, meetings_of, play_out, visits_of
from dungeon.playtest.game import GROUP, Event
from dungeon.playtest.recording import probes, recorder
from dungeon.playtest.recording.probes import generation

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from dungeon.playtest.game import Action, Observation, Play
    from dungeon.playtest.recording.rows import RowCollector

WORLDS = range(3)
STROLL = playtest.Games(bots=("random", "hasty"), game="strolling:start", each=2, limit=150)


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> dungeon.Content:
    maps = {"maps/cellars.yaml": "cellars: {name: C, size: 30x20, layout: tunnels, encounters: 2}\n"}
    return dungeon.load_content(write_content(tmp_path_factory.mktemp("content"), maps))


@pytest.fixture(scope="module")
def whole(content: dungeon.Content, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing disturbed, made by one process."""
    out = tmp_path_factory.mktemp("whole")
    playtest.record(content, WORLDS, out=out, probe=STROLL)
    return out


# -- what is recorded ------------------------------------------------------------------------------


def test_rows_equal_the_games(content: dungeon.Content, whole: Path) -> None:
    plays, visits, meetings = [], [], []
    for seed in WORLDS:
        world = dungeon.World(content, seed)
        for bot in ("hasty", "random"):
            for n in range(2):
                outcome = play_out(strolling.start, world, bot, n, limit=150)
                which = seed, bot, n
                depth = world.node(outcome.map_id).depth
                end = outcome.actions, outcome.turns, outcome.map_id, "cellars", depth, *outcome.cell
                plays.append((*which, outcome.ending or "gave up", *end))
                visits += [
                    (
                        *(*which, at, each.map_id, each.turn, each.turns, each.hp, each.hp_lost),
                        *(each.gained, each.used, each.charge, each.charged, each.spent, each.died),
                    )
                    for at, each in enumerate(visits_of(outcome))
                ]
                meetings += [
                    (*which, at, each.map_id, each.placement, each.encounter, each.seen, each.met, each.turns)
                    for at, each in enumerate(meetings_of(outcome, lambda *_: 0))
                ]
    assert (
        rows(
            whole,
            "SELECT seed, bot, n, ending, actions, turns, map, type, depth, y, x FROM plays ORDER BY seed, bot, n",
        )
        == plays
    )
    assert {row[3] for row in plays} == {"victory", "death", "gave up"}
    told = "map, turn, turns, hp, hp_lost, gained, used, charge, charged, spent, died FROM visits ORDER BY seed, bot, game, n"
    assert rows(whole, f"SELECT seed, bot, game, n, {told}") == visits
    told = "map, placement, encounter, seen, met, turns FROM meetings ORDER BY seed, bot, game, n"
    assert rows(whole, f"SELECT seed, bot, game, n, {told}") == meetings != []


def test_deaths_are_recorded_with_their_cause(whole: Path) -> None:
    of = "SELECT DISTINCT ending, killer, killer_tag FROM plays ORDER BY 2"
    assert rows(whole, of)[-1] == ("death", "store", "nettle")
    assert {row[1:] for row in rows(whole, of) if row[0] != "death"} == {("", "")}
    died = "SELECT count(*) FROM meetings WHERE died = 1"
    assert rows(whole, died) == rows(whole, "SELECT count(*) FROM plays WHERE ending = 'death'") != [(0,)]


def test_meetings_belong_to_placements(whole: Path) -> None:
    strays = """
        SELECT * FROM meetings AS m LEFT JOIN placements AS p
        ON p.seed = m.seed AND p.map = m.map AND p.n = m.placement AND p.encounter = m.encounter WHERE p.n IS NULL
    """
    assert rows(whole, strays) == []


def test_robots_of_encounters_are_counted(tmp_path: Path) -> None:
    posts = {
        "prefabs/posts.yaml": "post:\n  map: |\n    s..\n    ..s\n  legend: {s: {robot: sweeper}}\n",
        "encounters/posts.yaml": "post: {category: danger, prefabs: post, maps: {cellars: 1000000}}\n",
        "maps/cellars.yaml": "cellars: {name: C, size: 30x20, layout: tunnels, encounters: 2}\n",
    }
    games = playtest.Games(bots=("random",), game="strolling:start", limit=300)
    playtest.record(write_content(tmp_path / "data", posts), range(2), out=tmp_path / "run", probe=games)
    met = set(rows(tmp_path / "run", "SELECT DISTINCT encounter, robots FROM meetings"))
    assert ("post", 2) in met
    assert met <= {("post", 2), ("store", 0)}


def test_levels_are_recorded_the_same_with_games(
    content: dungeon.Content, whole: Path, tmp_path: Path
) -> None:
    playtest.record(content, WORLDS, out=tmp_path)
    alone, beside = playtest.digests(tmp_path), playtest.digests(whole)
    games = {"plays", "visits", "events", "meetings"}
    assert {view for view in alone if alone[view] != beside[view]} == games
    assert {view for view in alone if not alone[view].rows} >= games


def test_a_level_is_made_once_for_all_games(
    content: dungeon.Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    real = dungeon.World.level

    def level(world: dungeon.World, map_id: str, **options: object) -> dungeon.Level:
        made.append(map_id)
        return real(world, map_id, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(dungeon.World, "level", level)
    collected = recorder.RowCollector()
    STROLL(dungeon.World(content, 0), ["cellars/1"], collected)
    assert len(collected.tables["level"]) == 1  # games go on beyond what is asked for
    assert sorted(made) == ["cellars/1", "cellars/2"]
    assert len(collected.tables["play"]) == 4


def test_a_game_that_fails_is_recorded_and_the_rest_goes_on(
    content: dungeon.Content, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = playtest.Games(bots=("hasty",), game="strolling:start_badly", each=2, limit=9)
    found = playtest.record(content, WORLDS, out=tmp_path / "run", probe=games)
    assert (found.games, found.failed_games, found.failed_levels) == (6, 1, 0)
    ((seed, map_id, what, error, command),) = rows(tmp_path / "run", "SELECT * FROM failures")
    assert (seed, map_id, what) == (2, None, "game")
    trace = r"\(start_badly, strolling.py, line \d+; called by play_out, playing.py, line \d+\)"
    assert re.fullmatch(rf"ArithmeticError: one game too many {trace}", str(error))
    assert rows(tmp_path / "run", "SELECT seed, bot, n, map FROM plays WHERE ending = 'failed'") == [
        (2, "hasty", 1, "")
    ]
    name, *arguments = str(command).split()
    again = [str(tmp_path / each) if each == "world2" else each for each in arguments]
    capsys.readouterr()
    assert (name, main(again)) == ("dungeon", 0)
    assert rows(tmp_path / "world2", "SELECT seed, error FROM failures") == [(2, error)]
    assert capsys.readouterr().err == f"failed: game in world 2: {error}\n  {command}\n"


class Told(strolling.Stroll):
    """A game whose observation and events have some values of another game's in their places."""

    seen: ClassVar[dict[str, object]] = {}
    told: ClassVar[object] = None
    ends: ClassVar[str] = ""

    def observe(self) -> Observation:
        return replace(super().observe(), **self.seen)  # type: ignore[arg-type]

    def act(self, action: Action) -> list[Event]:
        if self.ends:
            self.over = self.ends
        return super().act(action) if self.told is None else [self.told]  # type: ignore[list-item]


def start_told(world: dungeon.World, seed: int = 0, *, make: Callable[[str], dungeon.Level]) -> Told:
    if world.seed != 1:
        return strolling.start(world, seed, make=make)
    return Told(world, seed, make)


def leave(_self: object, _action: object = None) -> NoReturn:
    sys.exit("the game is over")


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"seen": {"hp": 2.5}}, "TypeError: the game reports 2.5 as the player's hit points at the first arrival: no whole"),
        ({"seen": {"hp": None}}, "TypeError: the game reports None as the player's hit points"),
        ({"seen": {"turn": 2**40}}, "ValueError: the game reports 1099511627776 as number of turns: not from -2147483648"),
        ({"seen": {"map_id": "attic"}}, "KeyError: "),
        ({"ends": "won"}, "ValueError: the game is over by 'won', not by 'victory' or 'death'"),
        ({"told": "died"}, "TypeError: the game reports a str, not an Event"),
        ({"told": Event("diet", "cellars/1")}, "ValueError: there is no event 'diet', only "),  # type: ignore[arg-type]
        ({"told": Event("died", "cellars/1", encounter=None)}, "the game reports an event 'died' with None in place"),  # type: ignore[arg-type]
        ({"told": Event("hurt", "cellars/1", amount=0.5)}, "TypeError: the game reports "),  # type: ignore[arg-type]
        ({"act": leave}, "SystemExit: the game is over (leave, test_playtest_games.py, line "),
    ],
)  # fmt: skip
def test_a_game_that_reports_nonsense_fails_alone(
    content: dungeon.Content,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wrong: dict[str, object],
    error: str,
) -> None:
    for name, value in wrong.items():
        monkeypatch.setattr(Told, name, value)
    games = playtest.Games(bots=("random",), game="test_playtest_games:start_told", limit=20)
    found = playtest.record(content, WORLDS, out=tmp_path, probe=games)
    assert (found.games, found.failed_games) == (3, 1)
    ((seed, message),) = rows(tmp_path, "SELECT seed, error FROM failures")
    assert seed == 1
    assert error in str(message)


def hang(_self: object, _action: object) -> NoReturn:
    while True:
        with suppress(Exception):  # the first time, the plugin takes the alarm for its own error
            time.sleep(60)
            continue
        time.sleep(60)


def test_a_game_that_hangs_fails_alone(
    content: dungeon.Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Told, "act", hang)
    monkeypatch.setattr(probes, "MOST_SECONDS", 0.2)
    games = playtest.Games(bots=("random",), game="test_playtest_games:start_told", limit=20)
    assert playtest.record(content, WORLDS, out=tmp_path, probe=games).failed_games == 1
    ((seed, message),) = rows(tmp_path, "SELECT seed, error FROM failures")
    assert seed == 1
    assert "TimeoutError: the game takes more than 0.2 seconds (stop" in str(message)
    assert "called by hang, test_playtest_games.py, line " in str(message)


def test_numbers_of_numpy_are_recorded(
    content: dungeon.Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Told, "seen", {"hp": np.int16(7), "cell": (np.int64(1), np.int64(2))})
    games = playtest.Games(bots=("random",), game="test_playtest_games:start_told", limit=1)
    assert playtest.record(content, range(1, 2), out=tmp_path, probe=games).failed_games == 0
    assert rows(
        tmp_path, "SELECT hp FROM visits UNION SELECT y FROM plays UNION SELECT x FROM plays ORDER BY 1"
    ) == [
        (1,),
        (2,),
        (7,),
    ]


# -- what happens to a run -------------------------------------------------------------------------


def test_a_run_with_games_does_not_depend_on_processes(
    content: dungeon.Content, whole: Path, tmp_path: Path
) -> None:
    same = playtest.Games(bots=("hasty", "random", "hasty"), game="strolling:start", each=2, limit=150)
    playtest.record(content, range(2, 3), out=tmp_path, probe=same)
    playtest.record(content, WORLDS, out=tmp_path, jobs=2, probe=STROLL)
    assert playtest.digests(tmp_path) == playtest.digests(whole)


def test_a_killed_run_with_games_continues_to_the_same_rows(
    content: dungeon.Content, whole: Path, tmp_path: Path
) -> None:
    def record() -> None:
        def told(progress: playtest.Progress) -> None:
            if progress.worlds:
                os.kill(os.getpid(), signal.SIGKILL)

        playtest.record(content, WORLDS, out=tmp_path, jobs=2, told=told, probe=STROLL)

    process = multiprocessing.get_context("fork").Process(target=record)
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert 0 < len(rows(tmp_path, "SELECT seed FROM worlds")) < len(WORLDS)
    playtest.record(content, WORLDS, out=tmp_path, probe=STROLL)
    assert playtest.digests(tmp_path) == playtest.digests(whole)


class Unlucky:
    """A probe that dies once, when it is half through with a world."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __call__(self, world: dungeon.World, asked: Collection[str], found: RowCollector) -> None:
        STROLL(world, asked, found)
        if world.seed == 1 and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_dies_changes_nothing(content: dungeon.Content, whole: Path, tmp_path: Path) -> None:
    playtest.record(content, WORLDS, out=tmp_path / "run", jobs=2, probe=Unlucky(tmp_path / "died"))
    assert (tmp_path / "died").exists()
    assert playtest.digests(tmp_path / "run") == playtest.digests(whole)


@pytest.mark.parametrize(
    "other",
    [
        generation,
        playtest.Games(bots=("random",), game="strolling:start", each=2, limit=150),
        playtest.Games(bots=("random", "hasty"), game="strolling:start_badly", each=2, limit=150),
        playtest.Games(bots=("random", "hasty"), game="strolling:start", each=3, limit=150),
        playtest.Games(bots=("random", "hasty"), game="strolling:start", each=2, limit=151),
    ],
)
def test_other_games_are_refused(content: dungeon.Content, whole: Path, other: recorder.Probe) -> None:
    before = playtest.digests(whole)
    told = "was recorded with games (--bots hasty,random --game strolling:start --games 2 --limit 150) other than"
    with pytest.raises(playtest.PlaytestError, match=re.escape(told)):
        playtest.record(content, range(9), out=whole, probe=other)
    assert playtest.digests(whole) == before


def test_a_probe_is_pickled_with_the_names_of_game_and_bots(
    content: dungeon.Content, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = pickle.dumps(STROLL)
    assert b"Stroll" not in packed
    monkeypatch.delattr(strolling, "start")
    with pytest.raises(playtest.PlaytestError, match="the game 'strolling:start' can't be loaded"):
        pickle.loads(packed)(dungeon.World(content, 0), [], recorder.RowCollector())


# -- the command -----------------------------------------------------------------------------------


def command(content: dungeon.Content, out: Path, *arguments: str) -> int:
    return main(["playtest", str(content.folder), "--worlds", "2", "--out", str(out), *arguments])


def test_the_command_lets_bots_play_the_only_game(
    content: dungeon.Content,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    entry = EntryPoint("stroll", "strolling:start", GROUP)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [entry] * (group == GROUP))
    assert command(content, tmp_path, "--bots", "random,hasty", "--limit", "30", "--games", "2") == 0
    assert capsys.readouterr().out == f"2 worlds, 4 levels, 8 games in {tmp_path}\n"
    assert rows(tmp_path, "SELECT games FROM run") == [
        (" --bots hasty,random --game stroll --games 2 --limit 30",)
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--bots", "brave"],
            "there is no bot 'brave' (there are cautious, greedy, hasty, random; or name one as module:attribute)",
        ),
        (
            ["--bots", "hasty", "--game", "ludo"],
            "there is no game 'ludo' (there are chess, go; or name one as module:attribute)",
        ),
        (["--bots", "hasty", "--game", "no.such:thing"], "can't be loaded: No module named 'no'"),
        (["--bots", "hasty"], "several games are installed: name one of chess, go"),
        (["--game", "chess"], "--game needs --bots, such as --bots"),
        (["--games", "2"], "--games needs --bots"),
        (["--limit", "2"], "--limit needs --bots"),
    ],
)
def test_unknown_bots_and_games_are_refused_before_anything_starts(
    content: dungeon.Content,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    entries = [EntryPoint(name, "strolling:start", GROUP) for name in ("go", "chess")]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: entries * (group == GROUP))
    assert command(content, tmp_path / "run", *arguments) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_probe_checks_the_names_of_bots_and_games() -> None:
    with pytest.raises(UnknownBotError, match="there is no bot 'brave'"):
        playtest.Games(bots=("brave",), game="strolling:start")


class Leaver:
    """A third-party bot that takes the last legal action."""

    def __init__(self, _seed: int) -> None:
        pass

    def choose(self, play: Play) -> Action:
        """Return it."""
        return play.legal()[-1]


def test_an_own_bot_is_recorded_by_its_name(content: dungeon.Content, tmp_path: Path) -> None:
    own = "test_playtest_games:Leaver"
    options = ["--game", "strolling:start", "--limit", "20"]
    assert command(content, tmp_path, "--bots", f"{own},hasty", *options) == 0
    assert rows(tmp_path, "SELECT DISTINCT bot FROM plays WHERE ending != 'failed' ORDER BY 1") == [
        ("hasty",),
        (own,),
    ]
    assert rows(tmp_path, "SELECT games FROM run") == [
        (f" --bots hasty,{own} --game strolling:start --games 1 --limit 20",)
    ]
