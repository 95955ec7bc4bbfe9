"""The terminal front end: what it writes, and how it takes and gives back a terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import unicodedata
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tcod.console import Console, rgb_graphic

from game_demo.frontends.differ import Differ, glyph
from game_demo.frontends.frontend import NoTerminalError
from game_demo.frontends.terminal import TerminalFrontend

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

WHITE, RED, BLACK = (255, 255, 255), (255, 0, 0), (0, 0, 0)


class Screen:
    """A strict little terminal: any sequence but those a frame is made of is an error, and so is wrapping."""

    TOKEN = re.compile(
        r"\x1b\[(?P<mode>\?2026[hl])|\x1b\[(?P<args>[\d;]*)(?P<verb>[HCJm])|(?P<letter>[^\x1b])"
    )

    def __init__(self, columns: int, rows: int) -> None:
        self.cells = np.zeros((rows, columns), dtype=rgb_graphic)
        self.cells["ch"] = ord("~")
        self.x = self.y = 0
        self.fg: tuple[int, ...] | None = None
        self.bg: tuple[int, ...] | None = None

    def feed(self, text: str) -> None:
        at = 0
        while at < len(text):
            token = self.TOKEN.match(text, at)
            assert token, f"unknown sequence: {text[at : at + 20]!r}"
            at = token.end()
            if letter := token["letter"]:
                self.write(letter)
            elif verb := token["verb"]:
                self.obey(verb, [int(word) for word in token["args"].split(";") if word])

    def write(self, letter: str) -> None:
        assert letter.isprintable()
        assert unicodedata.east_asian_width(letter) not in "WF"
        assert not unicodedata.combining(letter)
        self.cells[self.y, self.x] = ord(letter), self.fg, self.bg  # beyond the last column: IndexError
        self.x += 1

    def obey(self, verb: str, args: list[int]) -> None:
        if verb == "H":
            self.y, self.x = args[0] - 1, args[1] - 1
        elif verb == "C":
            assert args[0] > 0
            self.x += args[0]
        elif verb == "J":
            assert args == [2]
            self.cells[:] = ord(" "), BLACK, BLACK
        elif args == [0]:
            self.fg = self.bg = None
        else:
            while args:
                layer, two, *colour = args[:5]
                assert (layer, two, len(colour)) in {(38, 2, 3), (48, 2, 3)}
                self.fg, self.bg = (tuple(colour), self.bg) if layer == 38 else (self.fg, tuple(colour))
                args = args[5:]


def expected(cells: NDArray[Any]) -> NDArray[Any]:
    shown = cells.astype(rgb_graphic)
    shown["ch"] = np.vectorize(lambda code: ord(glyph(code)))(cells["ch"])
    return shown


def scribble(rng: np.random.Generator, cells: NDArray[Any], share: float) -> None:
    """Change about `share` of the cells, to plain letters and to code points that a terminal would trip over."""
    codes = np.array(
        [0, 32, *map(ord, "#@äЖ♠╬█"), *b"\t\x1b\x7f", 0x301, 0x1100, 0x4E2D, 0x1F600, 0xD800, -1, 2**30]
    )
    colours = np.array([BLACK, WHITE, RED])
    picked = rng.random(cells.shape) < share
    for layer, palette in (("ch", codes), ("fg", colours), ("bg", colours)):
        cells[layer][picked] = rng.choice(palette, size=int(picked.sum()))


@pytest.mark.parametrize("seed", range(200))
def test_the_screen_shows_each_frame(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns, rows = rng.integers(1, 16, size=2).tolist()
    differ, screen, console = Differ(), Screen(columns, rows), Console(columns, rows)
    for share in (rng.random(), 0.05, 0.3, 0.0, 1.0):
        scribble(rng, console.rgb, share)
        screen.feed(differ.frame(console.rgb))
        np.testing.assert_array_equal(screen.cells, expected(console.rgb))


def test_a_frame_says_only_what_changed() -> None:
    differ, console = Differ(), Console(20, 5)
    console.print(0, 2, "....#..@", fg=WHITE, bg=BLACK)
    differ.frame(console.rgb)
    assert differ.frame(console.rgb) == ""
    console.print(1, 2, "@", fg=RED, bg=BLACK)
    console.print(2, 2, "!", fg=RED, bg=BLACK)
    console.print(7, 2, ".", fg=RED, bg=BLACK)
    frame = "\x1b[3;2H\x1b[38;2;255;0;0;48;2;0;0;0m@!\x1b[4C."
    assert differ.frame(console.rgb) == f"\x1b[?2026h{frame}\x1b[?2026l"


def test_a_frame_is_whole_after_forgetting() -> None:
    differ, screen, console = Differ(), Screen(20, 5), Console(20, 5)
    differ.frame(console.rgb)
    differ.forget()
    screen.feed(differ.frame(console.rgb))
    np.testing.assert_array_equal(screen.cells, expected(console.rgb))


def test_a_frame_is_whole_in_another_size() -> None:
    differ, screen = Differ(), Screen(20, 9)
    differ.frame(Console(20, 5).rgb)
    screen.feed(differ.frame(Console(6, 9).rgb))
    assert (screen.cells["ch"] == ord(" ")).all()


def test_a_glyph_takes_one_cell() -> None:
    assert "".join(map(glyph, [0, 0x20, 0xA0, 0x3000])) == "    "
    assert "".join(map(glyph, map(ord, "aé♠☺╬█中\t"))) == "aé♠☺╬█??"


GAME = """
import os, sys
from tcod.console import Console
from game_demo.frontends.terminal import TerminalFrontend

def say(word):
    os.write(int(sys.argv[1]), f"{word}\\n".encode())

with TerminalFrontend() as frontend:
    key = "ready"
    while True:
        console = Console(200, 60)
        console.print(0, 0, f"a game in {frontend.size}")
        frontend.present(console)
        say(key)
        if key in ("q", "quit"):
            break
        key = frontend.wait(0.01 if key == "T" else None)
        if key == "X":
            raise ValueError("a bug")
say("left")
print("goodbye")
"""

# Runs the game as a shell would: in a process group of its own, which has the terminal while it runs.
SHELL = """
import fcntl, os, signal, subprocess, sys, termios

fcntl.ioctl(0, termios.TIOCSCTTY, 0)

def take_terminal(group):
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, group)
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)

if sys.argv[3:] == ["deaf"]:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
said = int(sys.argv[1])
command = [sys.executable, "-X", "dev", "-W", "error", "-c", sys.argv[2], str(said)]
game = subprocess.Popen(
    command, pass_fds=[said], process_group=0, preexec_fn=lambda: take_terminal(os.getpgrp())
)
os.write(said, b"%d\\n" % game.pid)
while os.WIFSTOPPED(status := os.waitpid(game.pid, os.WUNTRACED)[1]):
    take_terminal(os.getpgrp())
    os.write(said, b"stopped\\n")
    if input() == "fg":
        take_terminal(game.pid)
    os.killpg(game.pid, signal.SIGCONT)
take_terminal(os.getpgrp())
os.write(said, b"exit %d\\n" % os.waitstatus_to_exitcode(status))
"""


class Session:
    """A game on a pseudo-terminal. What it says over a pipe tells when it has come to where."""

    def __init__(self, *how: str) -> None:
        self.keyboard, self.terminal = pty.openpty()
        self.resize(80, 24)
        self.modes = termios.tcgetattr(self.terminal)
        self.said, saying = os.pipe()
        self.sources = [self.keyboard, self.said]
        self.lines: list[str] = []
        self.rest = self.written = ""
        self.shell = subprocess.Popen(
            [sys.executable, "-c", SHELL, str(saying), GAME, *how],
            stdin=self.terminal,
            stdout=self.terminal,
            stderr=self.terminal,
            pass_fds=[saying],
            start_new_session=True,
            env={
                **os.environ,
                "TERM": "xterm-256color",
                "NO_COLOR": "1",
                "OPENBLAS_NUM_THREADS": "1",  # numpy's idle threads would take some of the signals
                "BLESSED_QUERY_TIMEOUT_SECONDS": "0",  # nobody here answers what blessed asks a terminal
            },
        )
        os.close(saying)
        try:
            self.game = int(self.hear())
            assert self.hear() == "ready", self.written
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self.shell.kill()
        self.shell.wait()
        for end in (self.keyboard, self.terminal, self.said):
            os.close(end)

    def resize(self, columns: int, rows: int) -> None:
        termios.tcsetwinsize(self.terminal, (rows, columns))

    def type(self, keys: str) -> None:
        os.write(self.keyboard, keys.encode())

    def pump(self) -> None:
        """Wait for more from the terminal or from the pipe, and take it."""
        ready, _, _ = select.select(self.sources, [], [], 20)
        assert ready, f"nothing more; on the terminal: {self.written[-500:]!r}"
        if self.keyboard in ready:
            self.written += os.read(self.keyboard, 65536).decode(errors="replace")
        if self.said in ready:
            said = os.read(self.said, 65536).decode()
            if not said:  # the game and the shell are gone
                self.sources.remove(self.said)
            *lines, self.rest = (self.rest + said).split("\n")
            self.lines += lines

    def hear(self) -> str:
        """Return the next line the game or the shell says."""
        while not self.lines:
            self.pump()
        return self.lines.pop(0)

    def see(self, mark: str) -> str:
        """Return what was written to the terminal since this was last asked, once `mark` is there."""
        while mark not in self.written:
            self.pump()
        written, self.written = self.written, ""
        return written


@pytest.fixture
def session() -> Iterator[Session]:
    with closing(Session()) as session:
        yield session


def test_keys_have_names(session: Session) -> None:
    keys = {
        "a": "a", "A": "A", "?": "?", ">": ">", " ": " ", "é": "é",
        "\x1b[A": "up", "\x1bOB": "down", "\x1b[C": "right", "\x1bOD": "left", "\x1b[1;2A": "shift+up",
        "\x1bOH": "home", "\x1b[F": "end", "\x1b[1;2F": "shift+end", "\x1b[5;2~": "shift+pageup", "\x1b[1;5D": "left", "\x1b[5~": "pageup", "\x1b[6~": "pagedown",
        "\x1bOw": "home", "\x1bOx": "up", "\x1bOy": "pageup", "\x1bOs": "pagedown", "\x1bOu": "5",
        "\r": "enter", "\n": "enter", "\t": "tab", "\x1b[Z": "tab", "\x7f": "backspace", "\x1b[3~": "delete",
        "\x1bOP": "f1", "\x1b[24~": "f12", "\x01": "ctrl+a", "\x1b": "escape",
    }  # fmt: skip
    heard = {}
    for key in keys:
        session.type(key)
        heard[key] = session.hear()
    assert heard == keys


def test_keys_that_come_at_once_are_told_apart(session: Session) -> None:
    session.type("ab\x1b[A\x1bc\x1b\x1b[B\x1b[99~d\x1b[[Ee")
    names = ["a", "b", "up", "escape", "c", "escape", "down", "None", "d", "None", "e"]
    assert [session.hear() for _ in names] == names


def test_time_ticks_where_no_key_comes(session: Session) -> None:
    session.type("T")
    assert [session.hear(), session.hear()] == ["T", "tick"]
    session.type("Tb")
    assert [session.hear(), session.hear()] == ["T", "b"]


@pytest.mark.parametrize(
    ("end", "heard", "last"),
    [
        ("q", ["q", "left", "exit 0"], "goodbye"),
        ("X", ["exit 1"], "ValueError: a bug"),
        ("\x03", [f"exit {-signal.SIGINT}"], "KeyboardInterrupt"),
        (signal.SIGTERM, ["quit", "left", "exit 0"], "goodbye"),
        (signal.SIGHUP, ["quit", "left", "exit 0"], "goodbye"),
        (signal.SIGQUIT, ["quit", "left", "exit 0"], "goodbye"),
    ],
)
def test_the_terminal_is_given_back(
    session: Session, end: str | signal.Signals, heard: list[str], last: str
) -> None:
    assert termios.tcgetattr(session.terminal) != session.modes
    taken = session.see("a game")
    if isinstance(end, str):
        session.type(end)
    else:
        os.kill(session.game, end)
    assert [session.hear() for _ in heard] == heard
    assert termios.tcgetattr(session.terminal) == session.modes
    given_back, said = session.see(f"{last}\r\n").split("\x1b[?1049l")
    for mode in ("?1049h", "?25l", "?7l", "?1h"):
        assert f"\x1b[{mode}" in taken
    for mode in ("?2026l", "?25h", "?7h", "?1l", "0m"):
        assert f"\x1b[{mode}" in given_back
    assert said.endswith(f"{last}\r\n"), "it was said before the terminal was given back"


def test_it_draws_anew_in_the_new_size(session: Session) -> None:
    assert "\x1b[25;1H" not in session.see("\x1b[24;1H")
    session.resize(60, 20)
    assert session.hear() == "resize"
    session.see("the terminal is 60x20; 80x24 or more is needed")
    session.resize(120, 40)
    assert session.hear() == "resize"
    drawn = session.see("\x1b[40;1H")
    assert "a game in (120, 40)" in drawn
    assert "\x1b[41;1H" not in drawn


def test_it_can_be_suspended(session: Session) -> None:
    session.see("\x1b[24;1H")
    session.type("\x1a")
    assert session.hear() == "stopped"
    assert termios.tcgetattr(session.terminal) == session.modes
    session.see("\x1b[?1049l")
    session.type("bg\n")
    assert session.hear() == "stopped", "in the background it may not touch the terminal"
    assert termios.tcgetattr(session.terminal) == session.modes
    session.type("fg\n")
    assert session.hear() == "resize"
    assert "a game" in session.see("\x1b[24;1H").split("\x1b[?1049h")[1]
    session.type(".")
    while session.hear() == "resize":  # what came in the background is told as well
        pass
    session.type("\x1a")
    assert session.hear() == "stopped"
    session.type("fg\n")
    assert session.hear() == "resize"
    session.type("q")
    assert [session.hear() for _ in range(3)] == ["q", "left", "exit 0"]
    assert termios.tcgetattr(session.terminal) == session.modes


@pytest.mark.parametrize(
    ("how", "heard"),
    [
        ("hearing", ["quit"]),  # the shell's own end hangs up on the game once more, and that may end it
        ("deaf", ["quit", "left"]),
    ],
)
def test_it_ends_when_the_terminal_is_gone(how: str, heard: list[str]) -> None:
    with closing(Session(how)) as session:
        os.close(session.keyboard)
        session.sources = [session.said]
        session.keyboard = os.open(os.devnull, os.O_RDONLY)
        assert [session.hear() for _ in heard] == heard


@pytest.mark.parametrize("stream", ["__stdin__", "__stdout__"])
def test_without_a_terminal_it_says_so(stream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = pty.openpty()
    streams = {"__stdin__": os.fdopen(ends[0]), "__stdout__": os.fdopen(ends[1], "w")}
    for name, end in streams.items():
        monkeypatch.setattr(sys, name, end)
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, stream, nothing)
        with pytest.raises(NoTerminalError, match="is not a terminal"):
            TerminalFrontend()
    for end in streams.values():
        end.close()
