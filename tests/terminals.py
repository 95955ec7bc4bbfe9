"""Games on pseudo-terminals of every kind, and a terminal that shows what they write.

A nursery, one process for all of them, has imported what a game needs and forks a shell for each: a process that runs a game as a
shell would, in a process group of its own, which has the terminal while it runs.
"""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import termios
import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

NURSERY = """
import fcntl, json, locale, os, signal, socket, sys, termios
from tcod.console import Console
from game_demo.frontends.terminal import TerminalFrontend

def take_terminal(group):
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, group)
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)

def play(say, options):
    say(f"begun {os.getpid()}")
    try:
        with TerminalFrontend(**options) as frontend:
            turns(say, frontend)
    finally:
        say("left")
    print("goodbye")

def turns(say, frontend):
    key, turn = "ready", 0
    while True:
        console = Console(240, 90)
        console.print(0, 0, f"a game in {frontend.size}, turn {turn}")
        console.print(0, 1, "\u250c\u2500\u2510 \u2588\u2591 \u00b7 \u041c", fg=(240, 100, 60), bg=(20, 30, 40))
        if key == "N":
            console.rgb["ch"] = 33 + turn
        frontend.present(console)
        say(key)
        if key in ("q", "quit"):
            return
        key = frontend.wait(0.01 if key == "T" else None)
        if key == "X":
            raise ValueError("a bug")
        turn += 1

def shell(say, order):
    game = os.fork()
    if not game:
        os.setpgid(0, 0)
        take_terminal(os.getpgrp())
        return play(say, order["options"])
    while os.WIFSTOPPED(status := os.waitpid(game, os.WUNTRACED)[1]):
        take_terminal(os.getpgrp())
        say("stopped")
        if sys.stdin.readline() == "fg\\n":
            take_terminal(game)
        os.killpg(game, signal.SIGCONT)
    take_terminal(os.getpgrp())
    say(f"exit {os.waitstatus_to_exitcode(status)}")

def begin(order, terminal, said):
    os.setsid()
    for stream in (0, 1, 2):
        os.dup2(terminal, stream)
    os.close(terminal)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.environ.update(order["environment"])
    locale.setlocale(locale.LC_CTYPE, order["locale"])
    if order["deaf"]:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    shell(lambda word: os.write(said, f"{word}\\n".encode()), order)

orders = socket.socket(fileno=int(sys.argv[1]))
while True:
    text, streams, _, _ = socket.recv_fds(orders, 65536, 2)
    if not text:
        break
    if not os.fork():
        orders.close()
        begin(json.loads(text), *streams)
        break
    for stream in streams:
        os.close(stream)
orders.close()
"""


class Nursery:
    """The process that games come from."""

    def __init__(self) -> None:
        self.orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        clean = {
            name: value
            for name, value in os.environ.items()
            if name not in ("COLORTERM", "NO_COLOR", "STY", "TMUX")
        }
        self.process = subprocess.Popen(
            [sys.executable, "-X", "dev", "-W", "error", "-c", NURSERY, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            cwd=Path(__file__).parent.parent,
            env={**clean, "OPENBLAS_NUM_THREADS": "1"},  # numpy's idle threads would take some of the signals
        )
        theirs.close()

    def close(self) -> None:
        self.orders.close()
        self.process.wait()


class Terminal:
    """A game on a pseudo-terminal. What it says over a pipe tells when it has come to where.

    Attributes:
        game: The process that plays.
        written: What was written to the terminal and not yet asked for.
    """

    def __init__(
        self,
        nursery: Nursery,
        *,
        term: str = "xterm-256color",
        environment: dict[str, str] | None = None,
        locale: str = "C.UTF-8",
        size: tuple[int, int] = (80, 24),
        deaf: bool = False,
        full: bool = False,
        **options: object,
    ) -> None:
        self.keyboard, self.terminal = pty.openpty()
        self.resize(*size)
        if full:
            self.fill()
        self.modes = termios.tcgetattr(self.terminal)
        self.said, saying = os.pipe()
        self.sources = [self.keyboard, self.said]
        self.lines: list[str] = []
        self.rest = self.written = ""
        order = {
            "environment": {"TERM": term, **(environment or {})},
            "locale": locale,
            "deaf": deaf,
            "options": options,
        }
        socket.send_fds(nursery.orders, [json.dumps(order).encode()], [self.terminal, saying])
        os.close(saying)
        self.game = int(self.hear().removeprefix("begun "))

    def close(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.game, signal.SIGKILL)
        for end in (self.keyboard, self.terminal, self.said):
            os.close(end)

    def fill(self) -> None:
        """Write as much to the terminal as it takes while nobody reads."""
        os.set_blocking(self.terminal, False)
        while select.select([], [self.terminal], [], 0.05)[1]:  # what it takes it first hands on
            with suppress(BlockingIOError):
                os.write(self.terminal, b"." * 4096)
        os.set_blocking(self.terminal, True)

    def resize(self, columns: int, rows: int) -> None:
        termios.tcsetwinsize(self.terminal, (rows, columns))

    def type(self, keys: str | bytes) -> None:
        os.write(self.keyboard, keys.encode() if isinstance(keys, str) else keys)

    def kill(self, number: signal.Signals) -> None:
        os.kill(self.game, number)

    def pump(self, seconds: float = 20) -> None:
        """Wait for more from the terminal or from the pipe, and take it."""
        ready, _, _ = select.select(self.sources, [], [], seconds)
        assert ready, f"nothing more; on the terminal: {self.written[-500:]!r}"
        if self.keyboard in ready:
            self.written += os.read(self.keyboard, 65536).decode(errors="replace")
        if self.said in ready:
            said = os.read(self.said, 65536).decode()
            if not said:  # the game and the shell are gone
                self.sources.remove(self.said)
            *lines, self.rest = (self.rest + said).split("\n")
            self.lines += lines

    def hear(self, seconds: float = 20) -> str:
        """Return the next line the game or the shell says."""
        while not self.lines:
            self.pump(seconds)
        return self.lines.pop(0)

    def hear_all(self, count: int) -> list[str]:
        """Return the next lines."""
        return [self.hear() for _ in range(count)]

    def see(self, mark: str) -> str:
        """Return what was written to the terminal since this was last asked, once `mark` is there."""
        while mark not in self.written:
            self.pump()
        written, self.written = self.written, ""
        return written

    @property
    def is_as_before(self) -> bool:
        """Whether the terminal's modes are those before the game."""
        return termios.tcgetattr(self.terminal) == self.modes


class Screen:
    """A strict little terminal: any sequence but those a frame is made of is an error, and so is wrapping.

    A cell holds its letter and, as text, the parameters that gave it its two colours.
    """

    TOKEN = re.compile(r"\x1b\[(?P<args>[\d;]*)(?P<verb>[HCJXm])|(?P<letter>[^\x1b])")
    FG = re.compile(r"38;2;\d+;\d+;\d+|38;5;\d+|(22;|1;)3[0-7]|[39][0-7]|22;[12](?!\d)|22")
    BG = re.compile(r"48;2;\d+;\d+;\d+|48;5;\d+|4[0-7]|27|7")

    def __init__(self, columns: int, rows: int, *, erases: bool) -> None:
        self.letters = np.full((rows, columns), "~")
        self.fg = np.full((rows, columns), "?", dtype="U16")
        self.bg = np.full((rows, columns), "?", dtype="U16")
        self.erases = erases
        self.x = self.y = 0
        self.pen = ["?", "?"]

    def feed(self, text: str) -> None:
        at = 0
        while at < len(text):
            token = self.TOKEN.match(text, at)
            assert token, f"unknown sequence: {text[at : at + 20]!r}"
            at = token.end()
            if letter := token["letter"]:
                self.write(letter)
            elif verb := token["verb"]:
                self.obey(verb, token["args"])

    def write(self, letter: str) -> None:
        assert letter.isprintable()
        assert unicodedata.east_asian_width(letter) not in "WF"
        assert not unicodedata.combining(letter)
        self.letters[self.y, self.x] = letter  # beyond the last column: IndexError
        self.fg[self.y, self.x], self.bg[self.y, self.x] = self.pen
        self.x += 1

    def erase(self, where: Any) -> None:
        self.letters[where], self.fg[where] = " ", "?"
        self.bg[where] = self.pen[1] if self.erases else "27"

    def obey(self, verb: str, args: str) -> None:
        if verb == "H":
            row, column = args.split(";")
            self.y, self.x = int(row) - 1, int(column) - 1
        elif verb == "C":
            self.x += int(args or 1)
        elif verb == "X":
            assert self.x + int(args) <= self.letters.shape[1]
            self.erase(np.s_[self.y, self.x : self.x + int(args)])
        elif verb == "J":
            self.erase(np.s_[:])
        else:
            while args:
                if args.startswith("0"):
                    self.pen, args = ["?", "?"], args[2:]
                elif found := self.FG.match(args):
                    self.pen[0], args = found[0], args[found.end() + 1 :]
                else:
                    found = self.BG.match(args)
                    assert found, args
                    self.pen[1], args = found[0], args[found.end() + 1 :]

    def colours(self, layer: NDArray[np.str_]) -> NDArray[np.int64]:
        return np.array([[list(map(int, cell.split(";")[2:])) for cell in row] for row in layer.tolist()])
