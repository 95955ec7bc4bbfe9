"""Saved games: what is written, what comes back, and what becomes of damaged ones."""

from __future__ import annotations

import ast
import gc
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import esper
import pytest
from sittings import Sitting
from test_game import drawn_content, forget_worlds

import dungeon
from game_demo.content import data_folder
from game_demo.rules import actions
from game_demo.rules.commands import COMMANDS, perform
from game_demo.rules.turn import pass_turn
from game_demo.saving.files import SaveFolder
from game_demo.saving.keeper import Keeper
from game_demo.saving.morgue import read_scores
from game_demo.saving.recording import GameOrigin, read_recording, replay
from game_demo.screens.game_screens import PlayScreen
from game_demo.screens.session import Session
from game_demo.state.digest import digest_of
from game_demo.state.game import Game
from game_demo.state.log import Command
from game_demo.state.tiles import tiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon import Content

ROOT = Path(__file__).parent.parent
ORIGIN = GameOrigin("content", "code", "1.0")

HALL = """
    ###############
    #<...n.m.r..sg#
    #.............#
    #####+#########
    #C...........>#
    ###############
"""
CELLAR = """
    #########
    #<......#
    #....h..#
    #########
"""


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Content]:
    yield drawn_content(tmp_path / "content", HALL, CELLAR)
    forget_worlds()


@pytest.fixture(scope="module")
def own() -> Content:
    return dungeon.load_content(data_folder(), cache=dungeon.cache_folder())


def keeper_in(folder: Path, origin: GameOrigin = ORIGIN) -> Keeper:
    return Keeper(origin, SaveFolder(folder))


def begun(content: Content, keeper: Keeper, *, seed: int = 7) -> Game:
    game = Game(dungeon.World(content, seed))
    keeper.follow(game)
    return game


def walk(game: Game, ways: str) -> None:
    steps = {"h": (0, -1), "j": (1, 0), "k": (-1, 0), "l": (0, 1), "n": (1, 1)}
    for way in ways:
        actions.step(game, steps[way])


def only_file(folder: Path) -> Path:
    (path,) = [each for each in folder.iterdir() if each.is_file()]
    return path


# -- the same commands make the same game ---------------------------------------------------------


@pytest.fixture(scope="module")
def played(own: Content, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, str, Game]]:
    """Play some games by keys at random; return their files, and the digests and games they have come to."""
    found = []
    for seed in (1, 2):
        sitting = Sitting(own, seed, Random(seed), tmp_path_factory.mktemp("saves"))
        while sitting.pressed < 350:
            sitting.press()
        game = sitting.game
        digest = digest_of(game)
        if not game.is_over:
            sitting.leave_and_return()
        sitting.session.keeper.leave(sitting.game)
        path = max(sitting.folder.path.rglob("*.game"), key=lambda each: each.stat().st_mtime_ns)
        found.append((path, digest, game))
    return found


def test_a_replay_comes_to_the_same_end(own: Content, played: list[tuple[Path, str, Game]]) -> None:
    for path, digest, game in played:
        again = replay(read_recording(path.read_bytes()), own)
        assert digest_of(again) == digest
        assert (again.map.sight.memory == game.map.sight.memory).all()
        assert [str(each) for each in again.log.messages] == [str(each) for each in game.log.messages]
    assert sum(game.log.turn for _, _, game in played) > 80  # who dies early begins another game


def test_another_process_comes_to_the_same_end(played: list[tuple[Path, str, Game]]) -> None:
    code = "import sys\nfrom game_demo.__main__ import main\nfor file in sys.argv[1:]: main(['--replay', file, '--headless'])"
    done = subprocess.run(
        [sys.executable, "-c", code, *(str(path) for path, _, _ in played)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "1"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[1::2] == [digest for _, digest, _ in played]
    assert all(
        f" on turn {game.log.turn} in " in line for line, (_, _, game) in zip(lines[::2], played, strict=True)
    )


def test_chance_and_world_are_the_commands_only_company(hall: Content) -> None:
    commands: list[Command] = []
    session = Session(hall, 7)
    one = session.game
    one.recorder = lambda _, command: commands.append(command)
    walk(one, "llljl")
    PlayScreen(session).press("L")
    actions.remark(one, "Enough.")
    other = Game(dungeon.World(hall, 7))
    for command in commands:
        perform(other, command)
    assert digest_of(one) == digest_of(other)
    assert commands[-1] == Command(one.log.turn, "remark", ("Enough.",))
    assert {command.name for command in commands} == {"step", "stride", "teach", "remark"}, (
        "a run is recorded step by step"
    )


def test_every_command_can_be_done_by_its_name() -> None:
    declared = {
        node.name
        for path in (ROOT / "game_demo" / "rules").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(each, ast.Name) and each.id == "command" for each in node.decorator_list)
    }
    assert declared == COMMANDS.keys()


def test_only_rules_and_state_let_the_game_say_something() -> None:
    """What screens let it say would be missing from recordings."""
    others = ("display", "frontends", "playing", "saving", "screens")
    paths = [path for room in others for path in (ROOT / "game_demo" / room).glob("*.py")]
    assert [path.name for path in paths if ".say(" in path.read_text(encoding="utf-8")] == []


def test_no_turn_passes_but_by_a_command(hall: Content) -> None:
    game = Game(dungeon.World(hall, 7))
    with pytest.raises(RuntimeError, match="only while a command runs"):
        pass_turn(game)
    actions.wait(game)
    assert game.log.turn == 1


def test_the_digest_tells_state_that_later_rules_bring(hall: Content) -> None:
    game = Game(dungeon.World(hall, 7))
    before = digest_of(game)
    game.noise = {"bell": {(1, 2), (3, 4)}}  # type: ignore[attr-defined]
    after = digest_of(game)
    assert after != before
    game.noise["bell"].remove((1, 2))  # type: ignore[attr-defined]
    assert digest_of(game) not in (before, after)
    game.noise = object()  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="object"):
        digest_of(game)


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_seen_is_remembered_as_it_looks(seed: int, own: Content) -> None:
    game, rng = Game(dungeon.World(own, 4)), Random(seed)
    looked = game.map.sight.memory.copy()
    for _ in range(150):
        actions.step(game, rng.choice([(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (-1, -1)]))
        game.health.hp = game.health.max_hp
        sight = game.map.sight
        looked[sight.area.slices][sight.visible[sight.area.slices]] = tiles(
            game.map, sight.area, robots=False
        )[sight.visible[sight.area.slices]]
        assert (sight.memory[sight.explored] == looked[sight.explored]).all()


# -- saving and going on --------------------------------------------------------------------------


def test_a_game_goes_on_where_it_was(hall: Content, tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path / "saves")
    game = begun(hall, keeper)
    assert not (tmp_path / "saves").exists(), "nothing has been done yet"
    walk(game, "ll")
    keeper.leave(game)
    for turns in (2, 4):
        later = keeper_in(tmp_path / "saves")
        (saved,) = later.saved()
        assert (saved.recording.turn, saved.recording.header.seed) == (turns, 7)
        resumed = later.try_resume(saved.path, hall)
        assert resumed is not None
        assert digest_of(resumed) == digest_of(game)
        assert later.notices == []
        walk(game, "jl")
        walk(resumed, "jl")
        later.leave(resumed)


def test_without_warning_nothing_but_the_command_under_way_is_lost(
    hall: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = keeper_in(tmp_path / "saves")
    game = begun(hall, keeper)
    walk(game, "ll")
    before = digest_of(game)
    monkeypatch.setattr(game, "crash_at", 3)
    with pytest.raises(RuntimeError, match="crash on turn"):
        walk(game, "l")
    keeper.close()
    later = keeper_in(tmp_path / "saves")
    resumed = later.try_resume(later.saved()[0].path, hall)
    assert resumed is not None
    assert digest_of(resumed) == before
    later.close()


def test_the_game_that_was_played_last_is_the_first(hall: Content, tmp_path: Path) -> None:
    for seed, played_at in ((1, 1), (2, 9), (3, 5)):
        keeper = keeper_in(tmp_path)
        game = begun(hall, keeper, seed=seed)
        walk(game, "l")
        keeper.leave(game)
        (path,) = tmp_path.glob(f"*-{seed}.game")
        os.utime(path, (played_at, played_at))
    assert [saved.recording.header.seed for saved in keeper_in(tmp_path).saved()] == [2, 3, 1]


def test_a_game_is_played_in_one_place_at_a_time(hall: Content, tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    walk(begun(hall, keeper), "l")
    other = keeper_in(tmp_path)
    (saved,) = other.saved()
    assert other.try_resume(saved.path, hall) is None
    assert "another window" in other.notices[0]
    keeper.close()
    assert other.try_resume(saved.path, hall) is not None
    other.close()


def test_a_hundred_games_one_after_the_other_leave_nothing(
    hall: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # what matters here is left in memory
    keeper = keeper_in(tmp_path)
    gc.collect()
    before = len(esper.list_worlds())
    for seed in range(100):
        game = begun(hall, keeper, seed=seed)
        walk(game, "l")
        keeper.leave(game)
        assert len(esper.list_worlds()) <= before + 2
    assert len(keeper.saved()) == 100


def test_a_recording_has_all_of_a_game_that_was_gone_on_with(hall: Content, tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path / "saves")
    game = begun(hall, keeper)
    walk(game, "lj")
    keeper.leave(game)
    later = Keeper(ORIGIN, SaveFolder(tmp_path / "saves"), tmp_path / "recording")
    resumed = later.try_resume(later.saved()[0].path, hall)
    assert resumed is not None
    walk(resumed, "ll")
    later.leave(resumed)
    assert digest_of(replay(read_recording((tmp_path / "recording").read_bytes()), hall)) == digest_of(
        resumed
    )


# -- the end --------------------------------------------------------------------------------------


def test_a_game_that_ends_is_told_and_counted(hall: Content, tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    game = begun(hall, keeper)
    walk(game, "llj" + "l" * 9)
    game.map.move(game.hero, (1, 12))
    walk(game, "l")
    actions.pick_up(game)
    assert game.ending == "victory"
    assert keeper.story is not None
    text = keeper.story.read_text(encoding="utf-8")
    for words in (
        "The Test, seed 7",
        "Won on turn 13, in Hall 1, depth 1.",
        "You take the prize!",
        "Hit points",
    ):
        assert words in text
    assert any(row.rstrip().endswith("@#") for row in text.splitlines())
    (score,) = read_scores(tmp_path / "scores.jsonl")
    assert (score.won, score.depth, score.turn, score.place) == (True, 1, 13, "Hall 1")
    assert keeper.saved() == []
    assert {path.suffix for path in (tmp_path / "morgue").iterdir()} == {".txt", ".game"}


def test_an_end_that_could_not_be_told_is_told_later_and_counted_once(
    hall: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = keeper_in(tmp_path)
    game = begun(hall, keeper)
    with monkeypatch.context() as patch:
        patch.setattr(
            SaveFolder, "bury", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
        )
        monkeypatch.setattr(game.health, "hp", 1)
        walk(game, "l" * 4)
        assert game.ending == "death"
    assert keeper.notices == ["How the game ended can't be saved: No space left on device."]
    later = keeper_in(tmp_path)
    (saved,) = later.saved()
    assert saved.recording.turn == game.log.turn
    assert len(read_scores(tmp_path / "scores.jsonl")) == 1


# -- difficulties -----------------------------------------------------------------------------------


def test_a_game_of_a_difficulty_goes_on_at_it(own: Content, tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    game = Game(dungeon.World(own, 7, difficulty="harsh"))
    keeper.follow(game)
    walk(game, "hljk")
    keeper.leave(game)
    (saved,) = keeper_in(tmp_path).saved()
    assert saved.recording.header.difficulty == "harsh"
    for played_as in (own, own.at_difficulty("calm")):  # the session's difficulty is that of new games
        again = replay(saved.recording, played_as)
        assert (again.world.difficulty, again.seed_words) == ("harsh", "seed 7, harsh")
        assert digest_of(again) == digest_of(game)


def test_a_header_without_a_difficulty_does_not_name_it(own: Content, tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    game = begun(own, keeper)
    walk(game, "h")
    keeper.leave(game)
    assert b"difficulty" not in only_file(tmp_path).read_bytes()
    assert keeper_in(tmp_path).saved()[0].recording.header.difficulty is None
