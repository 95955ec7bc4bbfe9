"""Saved games on the screen and on the command line."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest
from test_game import drawn_content, forget_worlds
from test_game_screens import Script, after, shot

import dungeon
from game_demo.__main__ import main
from game_demo.rules import actions
from game_demo.saving.files import RecordingFile, SaveFolder
from game_demo.saving.keeper import Keeper
from game_demo.saving.recording import Seal, origin_of, read_recording
from game_demo.screens.game_screens import Ending, PlayScreen, Title
from game_demo.screens.replay import Replay
from game_demo.screens.session import Session
from game_demo.state.body import TURN
from game_demo.state.digest import digest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dungeon import Content
    from game_demo.screens.screen import Screen

ROOT = Path(__file__).parent.parent

HALL = """
    #########
    #<....pg#
    #.......#
    #########
"""


@pytest.fixture
def content(tmp_path: Path) -> Iterator[Content]:
    yield drawn_content(tmp_path / "content", HALL)
    forget_worlds()


@pytest.fixture
def sitting(content: Content, tmp_path: Path) -> Iterator[Callable[[int], Session]]:
    """Begin a sitting, with a world of that seed."""
    with ExitStack() as stack:

        def sit(seed: int) -> Session:
            keeper = stack.enter_context(closing(Keeper(origin_of(content), SaveFolder(tmp_path / "saves"))))
            return Session(content, seed, keeper=keeper)

        yield sit


def words(screen: Screen) -> str:
    """Return what the screen says, its frames and lines undone."""
    return " ".join(shot(screen).replace("│", " ").split())


def played(session: Session, *keys: str) -> Session:
    after(PlayScreen(session), *keys)
    session.keeper.leave(session.game)
    return session


# -- the title and the end ------------------------------------------------------------------------


def test_the_title_offers_to_go_on(sitting: Callable[[int], Session], tmp_path: Path) -> None:
    played(sitting(1), *"lll")
    played(sitting(2), *"ll")
    (first,) = (tmp_path / "saves").glob("*-1.game")
    os.utime(first, (1, 1))
    title = Title(sitting(3))
    text = shot(title)
    assert "Enter goes on with your game of seed 2, turn 2, Tab for others (1)" in text
    assert "n begins a new one" in text
    assert "press any key" not in text
    assert after(title, "l", "x") is title, "no other key begins a game"
    assert "your game of seed 1, turn 3" in shot(after(title, "tab"))
    assert "your game of seed 2, turn 2" in shot(after(title, "shift+tab"))
    assert "your game of seed 1, turn 3" in shot(after(title, "shift+tab"))
    screen = after(title, "enter")
    assert isinstance(screen, PlayScreen)
    assert (screen.session.seed, screen.game.log.turn) == (1, 3)
    screen = after(Title(sitting(3)), "n")
    assert isinstance(screen, PlayScreen)
    assert (screen.session.seed, screen.game.log.turn) == (3, 0)


def test_a_new_world_begins_with_enter_although_games_are_saved(sitting: Callable[[int], Session]) -> None:
    played(sitting(1), "l")
    session = sitting(2)
    session.game.ending = "death"
    title = after(PlayScreen(session).resume(), "enter")
    assert f"Enter begins in a new world, seed {session.seed}" in words(title)
    assert "Tab for 1 saved game" in words(title)
    screen = after(title, "enter")
    assert isinstance(screen, PlayScreen)
    assert screen.game.log.turn == 0
    assert "your game of seed 1, turn 1" in words(after(title, "tab"))
    screen = after(title, "enter")
    assert isinstance(screen, PlayScreen)
    assert (screen.session.seed, screen.game.log.turn) == (1, 1)


def test_the_title_names_the_level_that_the_game_begins_in(tmp_path: Path) -> None:
    world = "starts: {lessons: m2/2}\n"
    session = Session(drawn_content(tmp_path, HALL, HALL, world=world), 3)
    assert "A game begins in Hall 2." in words(Title(session))
    session.begin(lessons=False)
    assert "A game begins in Hall 1." in words(Title(session))
    forget_worlds()


def test_only_a_first_game_begins_with_the_lessons(tmp_path: Path) -> None:
    content = drawn_content(tmp_path / "content", HALL, HALL, world="starts: {lessons: m2/2}\n")
    sittings = ExitStack()

    def sit() -> Session:
        keeper = Keeper(origin_of(content), SaveFolder(tmp_path / "saves"))
        return Session(content, 3, keeper=sittings.enter_context(closing(keeper)))

    def begun(session: Session) -> tuple[str, int]:
        return session.game.map.level.id, session.seed

    with sittings:
        title = Title(sit())
        assert begun(title.session) == ("m2/2", 3)
        assert "press any key; l: without lessons" in words(title)
        after(title, "l")
        assert begun(title.session) == ("m1/1", 3)
        first = sit()  # no game was saved, as nothing was done in them
        assert begun(played(first, "l")) == ("m2/2", 3)
        later = sit()
        assert begun(later) == ("m1/1", 3)
        assert "n begins a new one, seed 3; l: with lessons" in words(Title(later))
        after(Title(later), "l")
        assert begun(later) == ("m2/2", 3)
        after(Title(later), "enter")
        assert digest_of(later.game) == digest_of(first.game), "a saved game goes on where it began"
        (saved,) = later.keeper.saved()
        assert saved.recording.header.start == "m2/2"
        later.begin(2**32, lessons=True)
        title = Title(later, is_new=True)
        assert "Enter begins in a new world, seed 4294967296; l: without lessons" in words(title), "not cut"
        unsaved = Session(content, 3)
        after(PlayScreen(unsaved), "l")
        unsaved.begin(3)
        assert begun(unsaved) == ("m1/1", 3)
        assert Session(content, 3, start="m1/1").is_with_lessons is None
    forget_worlds()


def test_a_game_with_a_long_seed_is_told_in_full(sitting: Callable[[int], Session]) -> None:
    played(sitting(10**40), "l")
    played(sitting(10**40 + 1), "l")
    assert f"seed {10**40 + 1}, turn 1, Tab for others (1)" in words(Title(sitting(1)))


def test_the_title_offers_to_go_on_before_a_damaged_line(
    sitting: Callable[[int], Session], tmp_path: Path
) -> None:
    played(sitting(1), *"lll")
    (path,) = (tmp_path / "saves").glob("*.game")
    lines = path.read_bytes().splitlines(keepends=True)
    third = [number for number, line in enumerate(lines) if b"step" in line][2]
    lines[third] = lines[third].replace(b"step", b"stop")
    path.write_bytes(b"".join(lines))
    title = Title(sitting(2))
    assert f"Enter goes on with your game of seed 1, turn 2 (line {third + 1} is damaged)" in words(title)
    asked = after(title, "enter")
    assert (
        f"Line {third + 1} of the saved game is damaged. Go on from the line before it, on turn 2?"
        in words(asked)
    )
    assert after(asked, "n") is title
    play = after(asked, "y")
    assert isinstance(play, PlayScreen)
    assert (play.session.seed, play.game.log.turn) == (1, 2)
    assert [*(tmp_path / "saves").glob("*.aside")] == [path.with_name(f"{path.name}.aside")]


def test_the_title_tells_of_files_of_which_nothing_can_be_read(
    sitting: Callable[[int], Session], tmp_path: Path
) -> None:
    played(sitting(1), "l")
    (path,) = (tmp_path / "saves").glob("*.game")
    path.write_bytes(path.read_bytes()[9:])
    title = Title(sitting(2))
    assert f"{path.name} can't be continued: it is damaged in line 1." in words(title)
    assert "press any key" in words(title)
    assert isinstance(after(title, "l"), PlayScreen)
    assert "can't be continued" not in shot(Title(title.session))


def test_a_seed_of_text_is_shown_as_it_was_typed(content: Content, tmp_path: Path) -> None:
    def sit(seed: str | None = None) -> Session:
        return Session(content, seed, keeper=Keeper(origin_of(content), SaveFolder(tmp_path / "saves")))

    session = sit("kettle works")
    assert session.seed == dungeon.World(content, "kettle works").seed
    assert "seed kettle works" in words(Title(session))
    played(session, *"ll")
    later = sit()
    assert "your game of seed kettle works, turn 2" in words(Title(later))
    play = after(Title(later), "enter")
    assert "seed kettle works" in shot(play).splitlines()[0]
    assert digest_of(later.game) == digest_of(session.game)
    ended = after(play, *"lll")
    assert isinstance(ended, Ending)
    assert "seed kettle works" in words(after(ended, "s"))
    assert "seed kettle works" in shot(after(ended, "r")).splitlines()[0]
    assert "seed 7" in shot(PlayScreen(Session(content, "7"))).splitlines()[0]


def test_the_header_warns_as_long_as_a_game_is_not_saved(
    sitting: Callable[[int], Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    play = PlayScreen(sitting(1))
    assert "not saved" not in shot(after(play, "l"))
    with monkeypatch.context() as patch:
        patch.setattr(RecordingFile, "write", Mock(side_effect=OSError(28, "No space left on device")))
        after(play, "l", *"." * 30)
        for size in ((80, 24), (120, 40)):
            top = shot(play, size).splitlines()[0]
            assert "not saved: No space left on.." in top
            assert top.rstrip().endswith("seed 1")
    assert "not saved" not in shot(after(play, "h"))
    session = Session(play.session.content, 1)
    session.keeper.trouble = "no folder"
    session.begin(1)
    assert "not saved: no folder" in shot(after(PlayScreen(session), "l")).splitlines()[0]


def test_who_leaves_is_told_whether_the_game_is_saved(
    sitting: Callable[[int], Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    play = PlayScreen(sitting(1))
    assert "Leave The Test? Your game is saved. y / n" in words(after(play, "l", "q"))
    with monkeypatch.context() as patch:
        patch.setattr(RecordingFile, "write", Mock(side_effect=OSError(28, "No space left on device")))
        assert "Leave The Test? Your game is not saved. y / n" in words(after(play, "l", "q"))
    assert "Leave The Test? Your game is saved. y / n" in words(after(play, "h", "q"))


def test_a_game_that_is_being_played_elsewhere_is_told_of(sitting: Callable[[int], Session]) -> None:
    one, other = sitting(1), sitting(2)
    after(PlayScreen(one), "l")
    title = after(Title(other), "enter")
    assert isinstance(title, Title)
    assert "it is being played in another window" in words(title)
    one.keeper.leave(one.game)
    assert isinstance(after(title, "enter"), PlayScreen)


def test_the_end_tells_where_it_is_written_and_the_title_lists_it(
    sitting: Callable[[int], Session], tmp_path: Path
) -> None:
    session = sitting(1)
    title = Title(session)
    assert "No game has ended yet." in shot(after(title, "s"))
    screen = after(PlayScreen(session), *"lllll")
    assert isinstance(screen, Ending)
    assert session.keeper.story is not None
    assert f"morgue/{session.keeper.story.name}" in words(screen)
    told = "Destroyed by a pit, Hall 1, depth 1, turn 5, haul worth nothing, 0 robots destroyed, seed 1"
    assert told in words(after(title, "s"))
    assert Title(sitting(2)).saved == []
    (tmp_path / "saves" / "scores.jsonl").unlink()
    (tmp_path / "saves" / "scores.jsonl").mkdir()
    assert "can't be read: Is a directory." in words(after(title, "s"))


# -- watching a recording -------------------------------------------------------------------------


def test_a_recording_is_watched(content: Content, sitting: Callable[[int], Session], tmp_path: Path) -> None:
    session = played(sitting(1), *"lljlhk?", "escape", *"sss.")
    (path,) = (tmp_path / "saves").glob("*.game")
    screen = Replay(read_recording(path.read_bytes()), content)
    assert "command 0  space stops  l one step  n ten  + - pace  v all  q leaves" in shot(screen)
    assert screen.pause
    slow = screen.pause
    after(screen, "tick")
    assert (screen.done, screen.game.log.turn) == (1, 1)
    after(screen, "+")
    assert screen.pause < slow
    after(screen, " ", "tick", "l")
    assert (screen.done, screen.pause) == (2, None)
    assert "command 2  space plays" in shot(screen)
    assert str(screen.game.log.messages[-1]) in shot(screen), "the row with the keys hides no message"
    after(screen, "n", "n", "l")
    assert screen.game.log.turn == session.game.log.turn
    assert digest_of(screen.game) == digest_of(session.game)
    assert shot(screen).splitlines()[-1].endswith("v all  q leaves"), "what else there was does nothing now"
    after(screen, "v", " ")
    assert screen.press("q") is None


def test_a_recording_that_takes_another_course_says_so(
    content: Content, sitting: Callable[[int], Session], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(sitting(1), *"ll")
    (path,) = (tmp_path / "saves").glob("*.game")
    screen = Replay(read_recording(path.read_bytes()), content)
    monkeypatch.setattr(screen.game.clock, "ticks", 5 * TURN)
    assert "The replay ends here: the game goes differently here on turn 1." in shot(after(screen, "tick"))
    assert screen.pause is None


# -- the program ----------------------------------------------------------------------------------


def test_a_recording_is_replayed_without_a_screen(
    sitting: Callable[[int], Session], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = played(sitting(1), *"lljl")
    (path,) = (tmp_path / "saves").glob("*.game")
    data = ["--data", str(tmp_path / "content")]
    assert main([*data, "--replay", str(path), "--headless"]) == 0
    assert capsys.readouterr().out == f"Left on turn 4 in Hall 1, depth 1\n{digest_of(session.game)}\n"
    assert main(["--replay", str(path), "--headless"]) == 2
    assert (
        capsys.readouterr().err
        == f"dungeon-demo: {path} can't be replayed: it was made with other content; dungeon-demo {' '.join(data)} goes on with it\n"
    )
    path.write_bytes(path.read_bytes()[100:])
    assert main([*data, "--replay", str(path), "--headless"]) == 2
    assert capsys.readouterr().err == f"dungeon-demo: {path} can't be replayed: it is not a saved game\n"
    assert path.exists(), "what is replayed is left alone"
    assert main([*data, "--replay", str(tmp_path / "none"), "--headless"]) == 2
    assert f"there is no file {tmp_path / 'none'}, and there is no bot" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["--headless"])


class Program:
    """The game in a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        self.ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 80))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "game_demo", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "TERM": "xterm-256color",
                "BLESSED_QUERY_TIMEOUT_SECONDS": "0",  # nobody here answers what blessed asks a terminal
            },
        )
        os.close(theirs)
        self.shown = b""

    def see(self, words: bytes) -> None:
        self.until(lambda: words in self.shown)

    def until(self, is_so: Callable[[], bool]) -> None:
        """Read what is drawn until something is so."""
        end = time.monotonic() + 60
        while not is_so():
            assert time.monotonic() < end, self.shown[-500:]
            if select.select([self.ours], [], [], 0.02)[0]:
                with suppress(OSError):  # as Linux has it, when the program has left the terminal
                    self.shown += os.read(self.ours, 65536)

    def type(self, keys: str) -> None:
        os.write(self.ours, keys.encode())


@contextmanager
def program(*arguments: str) -> Iterator[Program]:
    game = Program(*arguments)
    try:
        yield game
    finally:
        game.process.kill()
        game.process.communicate()
        os.close(game.ours)


def test_a_game_outlives_its_program(content: Content, tmp_path: Path) -> None:
    folder, recorded = tmp_path / "saves", tmp_path / "recorded"
    options = ["--data", str(tmp_path / "content"), "--save-dir", str(folder)]

    def saved(turn: int) -> bool:
        found = [*folder.glob("*.game")]
        return bool(found) and read_recording(found[0].read_bytes()).turn == turn

    with program(*options, "--seed", "7") as game:
        game.see(b"press any key")
        game.type(" ljl")
        game.until(lambda: saved(3))
        game.process.kill()
    with program(*options, "--record", str(recorded)) as game:
        game.see(b"seed 7, turn 3")
        game.type("\rh")
        game.until(lambda: saved(4))
        game.process.send_signal(signal.SIGTERM)
        game.until(lambda: game.process.poll() is not None)
        assert game.process.returncode == 0
    keeper = Keeper(origin_of(content), SaveFolder(folder))
    (found,) = keeper.saved()
    assert isinstance(found.recording.entries[-1], Seal)
    resumed = keeper.try_resume(found.path, content)
    assert resumed is not None
    assert resumed.player_cell == (2, 2)
    assert read_recording(recorded.read_bytes()).entries == found.recording.entries
    actions.wait(resumed)
    keeper.close()


def test_a_world_without_the_map_to_begin_on_begins_where_it_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = drawn_content(tmp_path / "more", HALL, HALL)
    assert Session(content, 1, start="m2/2").game.map.level.id == "m2/2"
    assert Session(content, 1, start="m9/9").game.map.level.id == "m1/1"
    assert main(["--data", str(tmp_path / "more"), "--map", "m9/9"]) == 2
    assert capsys.readouterr().err == "dungeon-demo: there is no map 'm9/9', only m1/1, m2/2\n"
    forget_worlds()


def test_a_map_to_begin_on_that_few_worlds_have_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = []
    monkeypatch.setattr("game_demo.start.choose_frontend", lambda *_, **__: Script(" "))
    monkeypatch.setattr(
        "game_demo.start.Session", lambda *args, **how: begun.append(Session(*args, **how)) or begun[-1]
    )
    for _ in range(3):
        assert main(["--map", "drifts/2"]) == 0
    assert [session.game.map.level.id for session in begun] == ["drifts/2"] * 3
    without = next(seed for seed in range(99) if "drifts/2" not in dungeon.World(begun[0].content, seed))
    assert main(["--map", "drifts/2", "--seed", str(without)]) == 2
    assert "there is no map 'drifts/2'" in capsys.readouterr().err
