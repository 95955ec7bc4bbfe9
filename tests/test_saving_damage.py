"""Saved games that are damaged, foreign, or can't be written: told in a sentence, kept aside, and never more than that."""

from __future__ import annotations

import os
import re
import resource
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from sittings import damaged
from test_game import drawn_content, forget_worlds

import dungeon
from game_demo.rules import actions
from game_demo.saving.files import SaveFolder, user_folder
from game_demo.saving.keeper import Keeper
from game_demo.saving.morgue import Score, add_score, read_scores
from game_demo.saving.recording import (
    GameOrigin,
    Header,
    SaveError,
    entry_line,
    header_line,
    read_recording,
    replay,
)
from game_demo.state.digest import digest_of
from game_demo.state.game import Game
from game_demo.state.log import Command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dungeon import Content

ORIGIN = GameOrigin("content", "code", "1.0")
NEWLINE = b"\n"

HALL = """
    #########
    #<......#
    #....m..#
    #########
"""


@pytest.fixture(autouse=True)
def _unhurried_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk, hundreds of times."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Content]:
    yield drawn_content(tmp_path / "content", HALL)
    forget_worlds()


@pytest.fixture
def saves(hall: Content, tmp_path: Path) -> Path:
    """Play six turns; return the folder of the saved game."""
    folder = tmp_path / "saves"
    keeper = Keeper(ORIGIN, SaveFolder(folder))
    game = Game(dungeon.World(hall, 7))
    keeper.follow(game)
    for _ in range(3):
        actions.step(game, (0, 1))
        actions.search(game)
    keeper.leave(game)
    return folder


def the_game(folder: Path) -> Path:
    (path,) = folder.glob("*.game")
    return path


def outcome(folder: Path, content: Content, origin: GameOrigin = ORIGIN) -> tuple[Game | None, list[str]]:
    """Go on with what is in the folder as the title screen does; return the game, and what the player is told."""
    keeper = Keeper(origin, SaveFolder(folder))
    found = keeper.saved()
    game = keeper.try_resume(found[0].path, content) if found else None
    keeper.close()
    return game, keeper.notices


def is_sentence(notice: str) -> bool:
    return bool(re.fullmatch(r"[^\n]{20,300}\.", notice))


WHERE_IT_ENDS = r"\S+ can't be continued: (?P<why>.+)\. It is kept as (?P<name>\S+)\."


def why_aside(folder: Path, content: Content, origin: GameOrigin = ORIGIN) -> str:
    """Return why what is in the folder is set aside, as the player is told."""
    kept = the_game(folder)
    before = kept.read_bytes() if kept.is_file() else b""
    game, notices = outcome(folder, content, origin)
    assert game is None
    (notice,) = notices
    told = re.fullmatch(WHERE_IT_ENDS, notice)
    assert told, notice
    assert not [*folder.glob("*.game")]
    aside = folder / told["name"]
    assert aside.is_dir() or aside.read_bytes() == before
    assert outcome(folder, content) == (None, []), "what was set aside is told of once"
    return told["why"]


def test_a_save_that_is_cut_off_anywhere_goes_on_from_there_or_is_set_aside(
    hall: Content, saves: Path
) -> None:
    path = the_game(saves)
    data = path.read_bytes()
    header = data.index(b"\n") + 1
    ends = {place + more for place, byte in enumerate(data) if byte == ord("\n") for more in (0, 1)}
    for size in sorted({*range(1, len(data), 5), *ends} - {len(data)}):
        path.write_bytes(data[:size])
        if size < header:
            assert why_aside(saves, hall) in ("it is damaged in line 1", "it is not a saved game")
            continue
        game, notices = outcome(saves, hall)
        assert game is not None
        assert notices == []
        assert game.log.turn == min(data[:size].count(b"\n") - 1, 6)
        is_whole = data[size - 1 : size] == b"\n"
        assert ("is missing" in str(game.log.messages[-1])) != is_whole
        path.unlink()


def mended(folder: Path, content: Content, data: bytes) -> Game:
    """Go on with a damaged game; return it, after a look at what is kept and what the player is told."""
    path = the_game(folder)
    path.write_bytes(data)
    for old in folder.glob("*.aside"):
        old.unlink()
    number = read_recording(data, mends=True).damaged
    game, notices = outcome(folder, content)
    assert game is not None
    assert notices == []
    assert str(game.log.messages[-1]).startswith(f"Line {number} of the saved game was damaged:")
    (aside,) = folder.glob("*.aside")
    assert aside.read_bytes() == data
    entries = path.read_bytes().splitlines()[: number - 1]
    assert entries == data.splitlines()[: number - 1]
    assert read_recording(path.read_bytes()).damaged == 0
    return game


def test_a_save_with_one_wrong_bit_goes_on_from_the_line_before(hall: Content, saves: Path) -> None:
    path = the_game(saves)
    data = path.read_bytes()
    rng = Random(1)
    for place in (*range(0, len(data) - 1, 5), len(data) - 1):
        spoilt = bytearray(data)
        spoilt[place] ^= 1 << rng.randrange(8)
        path.write_bytes(spoilt)
        if place < data.index(b"\n") + 1:
            assert re.fullmatch(r"it is (damaged in line 1|not a saved game)", why_aside(saves, hall))
        elif place < len(data) - 1:
            game = mended(saves, hall, bytes(spoilt))
            assert game.log.turn == min(data[:place].count(b"\n") - 1, 6)
    game, notices = outcome(saves, hall)
    assert game is not None
    assert (game.log.turn, notices) == (6, [])


@pytest.mark.parametrize("seed", range(20))
def test_whatever_befalls_a_save_the_game_begins(seed: int, hall: Content, saves: Path) -> None:
    path = the_game(saves)
    path.write_bytes(damaged(path.read_bytes(), Random(seed)))
    game, notices = outcome(saves, hall)
    assert game is not None or len(notices) == 1
    assert all(map(is_sentence, notices))


def line(text: bytes) -> bytes:
    from zlib import crc32  # noqa: PLC0415

    return b"%08x %b\n" % (crc32(text), text)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is empty"),
        (b"\n\n", "it is not a saved game"),
        (b"\x89PNG\r\n\x1a\n" * 100, "it is not a saved game"),
        (line(b'{"game":"another","format":1}'), "it is not a saved game"),
        (line(b'{"game":"dungeon-demo","format":9}'), "it has format 9, and this game reads only format 1"),
        (line(b'{"game":"dungeon-demo","format":1,"seed":"x"}'), "it is damaged in line 1"),
        (line(b"[1]"), "it is not a saved game"),
        (line(b"[" * 100_000), "it is not a saved game"),
    ],
    ids=["empty", "blank", "binary", "another game", "format", "header", "list", "nested"],
)
def test_what_is_no_saved_game_is_set_aside(data: bytes, why: str, hall: Content, saves: Path) -> None:
    the_game(saves).write_bytes(data)
    assert why_aside(saves, hall) == why


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (Command(7, "step", ((5, 5),)), "in 'step', that is none of the eight directions"),
        (Command(7, "step", ((0, 0),)), "in 'step', that is none of the eight directions"),
        (Command(7, "step", (1,)), "in 'step', input should be a valid tuple"),
        (Command(7, "deal", ((9, 0), "force")), "in 'deal', that is none of the eight directions"),
        (Command(7, "apply", (-1,)), "in 'apply', input should be greater than or equal to 0"),
        (Command(7, "apply", (True,)), "in 'apply', input should be a valid integer"),
        (Command(7, "remark", ("Hm.", "loud")), "in 'remark', tuple should have at most 1 item after"),
        (Command(7, "fly"), "there is no command 'fly'"),
        (Command("7", "wait"), "'7' is no turn"),  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_a_command_that_nobody_can_have_given_is_damage(
    command: Command, why: str, hall: Content, saves: Path
) -> None:
    path = the_game(saves)
    recording = read_recording(path.read_bytes())
    crafted, _ = entry_line(command, recording.checksum)
    data = path.read_bytes() + crafted
    with pytest.raises(SaveError, match=re.escape(f"it is damaged in line {data.count(NEWLINE)}: {why}")):
        read_recording(data)
    assert mended(saves, hall, data).log.turn == 6


@pytest.mark.parametrize(
    "changed", [{"start": "nowhere/9"}, {"seed": 1 << 2000}, {"difficulty": "nightmare"}]
)
def test_a_save_that_begins_nowhere_is_set_aside(changed: dict[str, Any], hall: Content, saves: Path) -> None:
    header = read_recording(the_game(saves).read_bytes()).header
    the_game(saves).write_bytes(header_line(replace(header, **changed))[0])
    assert (
        why_aside(saves, hall) == "it begins in a world, at a difficulty or on a map that does not exist here"
    )


def test_a_pipe_is_no_saved_game_to_wait_for(hall: Content, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.game")
    assert outcome(tmp_path, hall) == (None, [])


def test_a_folder_for_a_saved_game_is_set_aside(hall: Content, saves: Path) -> None:
    path = the_game(saves)
    path.unlink()
    path.mkdir()
    assert why_aside(saves, hall) == "Is a directory"


def test_what_may_not_be_read_is_set_aside(
    hall: Content, saves: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    the_game(saves).chmod(0)
    if os.geteuid() == 0:  # whom nothing is forbidden

        def refuse(self: Path) -> bytes:
            raise PermissionError(13, "Permission denied", str(self))

        monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    game, (notice,) = outcome(saves, hall)
    assert game is None
    assert "Permission denied. It is kept as " in notice


def test_a_folder_that_is_none_is_told_of(hall: Content, tmp_path: Path) -> None:
    (tmp_path / "saves").write_text("a file")
    assert outcome(tmp_path / "saves", hall) == (
        None,
        ["Saved games can't be listed: Not a directory."],
    )


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000])
def test_where_no_folder_can_be_the_game_is_played_all_the_same(
    name: str, hall: Content, tmp_path: Path
) -> None:
    keeper = Keeper(ORIGIN, SaveFolder(tmp_path / name))
    game = Game(dungeon.World(hall, 7))
    keeper.follow(game)
    actions.step(game, (0, 1))
    assert str(game.log.messages[-1]) == "The game can't be saved: File name too long."


def test_games_that_begin_at_once_are_kept_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    header = Header(seed=7, start=None, content="", code="", version="", began="2026-01-01T00:00:00")
    paths = set()
    for process in (7, 8):
        monkeypatch.setattr(os, "getpid", lambda number=process: number)
        paths.add(SaveFolder(tmp_path).new_game(header))
    assert len(paths) == 2


def test_a_save_of_other_rules_is_set_aside_and_one_of_other_content_left_alone(
    hall: Content, saves: Path
) -> None:
    path = the_game(saves)
    game, notices = outcome(saves, hall, ORIGIN._replace(content="other"))
    told = "1 saved game left alone, the last one because "
    changed = "the files of its content (the game's own data) have changed since; restore them to go on."
    assert (game, notices) == (None, [told + changed])
    elsewhere = ORIGIN._replace(content="other", options="--data there")
    other = "it was made with other content; dungeon-demo goes on with it."
    assert outcome(saves, hall, elsewhere) == (None, [told + other])
    assert the_game(saves) == path
    older = ORIGIN._replace(code="other", version="2.0")
    assert why_aside(saves, hall, older) == "it was made with version 1.0"


def test_a_save_that_takes_another_course_is_set_aside(
    hall: Content, saves: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("game_demo.rules.traps.NOTICE_CHANCE", 2)  # chance is drawn as before
        assert outcome(saves, hall)[0] is not None
        patch.setattr("game_demo.state.game.HP", 31)
        assert why_aside(saves, hall) == "the game goes differently here before turn 6"


@pytest.mark.parametrize("name", ["fly", "step"])
def test_a_command_that_can_not_be_done_ends_a_replay(name: str, hall: Content, saves: Path) -> None:
    recording = read_recording(the_game(saves).read_bytes())
    command = recording.entries[0]._replace(name=name, arguments=(1, 2, 3))  # type: ignore[call-arg]
    with pytest.raises(SaveError, match=f"its command 1, '{name}', can't be done here"):
        replay(replace(recording, entries=(command,)), hall)


# -- disks and folders ----------------------------------------------------------------------------


@pytest.fixture
def small_disk() -> Iterator[Callable[[int], None]]:
    """Let the system refuse files beyond a size, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [0, 100, 215, 250, 300])
def test_a_full_disk_is_told_once_and_nothing_is_lost_when_there_is_space_again(
    size: int, hall: Content, tmp_path: Path, small_disk: Callable[[int], None]
) -> None:
    keeper = Keeper(ORIGIN, SaveFolder(tmp_path / "saves"))
    game = Game(dungeon.World(hall, 7))
    keeper.follow(game)
    small_disk(size)
    for _ in range(10):
        actions.wait(game)
    told = [str(message) for message in game.log.messages if "can't be saved" in str(message)]
    assert told == ["The game can't be saved: File too large."]
    small_disk(resource.RLIM_INFINITY)
    actions.wait(game)
    keeper.leave(game)
    resumed, notices = outcome(tmp_path / "saves", hall)
    assert notices == []
    assert resumed is not None
    assert digest_of(resumed) == digest_of(game)
    assert not [*(tmp_path / "saves").glob("*.new")]


def test_a_full_disk_leaves_what_could_be_written(
    hall: Content, saves: Path, small_disk: Callable[[int], None]
) -> None:
    keeper = Keeper(ORIGIN, SaveFolder(saves))
    game = keeper.try_resume(the_game(saves), hall)
    assert game is not None
    small_disk(the_game(saves).stat().st_size + 30)
    for _ in range(5):
        actions.wait(game)
    keeper.leave(game)
    small_disk(resource.RLIM_INFINITY)
    resumed, notices = outcome(saves, hall)
    assert resumed is not None
    assert resumed.log.turn == 7
    assert notices == []


def test_saved_games_lie_in_the_folder_for_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert user_folder({"XDG_DATA_HOME": str(tmp_path)}) == tmp_path / "tcod-dungeon" / "demo"
    monkeypatch.setattr("pathlib.Path.home", lambda: tmp_path)
    for odd in ({}, {"XDG_DATA_HOME": "relative"}):
        assert user_folder(odd) == tmp_path / ".local" / "share" / "tcod-dungeon" / "demo"

    def nowhere() -> Path:
        raise RuntimeError

    monkeypatch.setattr("pathlib.Path.home", nowhere)
    assert user_folder({}) is None


def test_scores_are_in_order_and_damaged_lines_left_out(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "scores.jsonl"
    assert read_scores(path) == []
    score = Score(
        name="a", began="2026", seed=1, won=False, ending="Destroyed by a mole", place="Hall", depth=3, turn=90, destroyed=2
    )  # fmt: skip
    for each in (
        score,
        replace(score, name="b", depth=1, won=True),
        replace(score, name="c", depth=4),
        replace(score, name="d", turn=80),
        replace(score, name="e", turn=99, destroyed=0, worth=5),
        score,
    ):
        add_score(path, each)
    path.write_bytes(path.read_bytes() + b'{"name": "f", "won": "maybe"}\n\xff\n[[[\n')
    assert [each.name for each in read_scores(path)] == ["b", "c", "e", "d", "a"]


def test_scores_of_before_there_were_hauls_are_read(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(
        '{"name":"a","began":"2026","seed":1,"won":true,"ending":"Won","place":"Hall","depth":3,"turn":90,"destroyed":2}'
    )
    assert [(each.name, each.worth) for each in read_scores(path)] == [("a", 0)]
