"""The terminal front end: how it takes and gives back a terminal, and what it makes of keys and signals."""

from __future__ import annotations

import os
import pty
import random
import re
import signal
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from terminals import Nursery, Terminal

from game_demo.frontends.frontend import NoTerminalError
from game_demo.frontends.terminal import TerminalFrontend

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with closing(Nursery()) as nursery:
        yield nursery


@pytest.fixture
def terminal(nursery: Nursery) -> Iterator[Terminal]:
    with closing(Terminal(nursery)) as terminal:
        assert terminal.hear() == "ready"
        yield terminal


# -- keys -----------------------------------------------------------------------------------------


def test_keys_have_names(terminal: Terminal) -> None:
    keys = {
        "a": "a", "A": "A", "?": "?", ">": ">", " ": " ", "é": "é",
        "\x1b[A": "up", "\x1bOB": "down", "\x1b[C": "right", "\x1bOD": "left", "\x1b[1;2A": "shift+up",
        "\x1bOH": "home", "\x1b[F": "end", "\x1b[1;2F": "shift+end", "\x1b[5;2~": "shift+pageup", "\x1b[1;5D": "left", "\x1b[5~": "pageup", "\x1b[6~": "pagedown",
        "\x1bOw": "home", "\x1bOx": "up", "\x1bOy": "pageup", "\x1bOs": "pagedown", "\x1bOu": "5",
        "\r": "enter", "\n": "enter", "\t": "tab", "\x1b[Z": "shift+tab", "\x7f": "backspace", "\x1b[3~": "delete",
        "\x1bOP": "f1", "\x1b[24~": "f12", "\x01": "ctrl+a", "\x13": "ctrl+s", "\x1b": "escape",
    }  # fmt: skip
    heard = {}
    for key in keys:
        terminal.type(key)
        heard[key] = terminal.hear()
    assert heard == keys


def test_keys_that_come_at_once_are_told_apart(terminal: Terminal) -> None:
    terminal.type("ab\x1b[A\x1bc\x1b\x1b[B\x1b[99~d\x1b[[Ee")
    names = ["a", "b", "up", "escape", "c", "escape", "down", "None", "d", "f5", "e"]
    assert terminal.hear_all(len(names)) == names


def test_a_stray_byte_is_no_key(terminal: Terminal) -> None:
    terminal.type(b"\xffa\xc3")
    terminal.type(b"b\x00")
    assert terminal.hear_all(5) == ["None", "a", "None", "b", "None"]


def test_a_letter_that_the_locale_lacks_is_no_key(nursery: Nursery) -> None:
    with closing(Terminal(nursery, locale="C")) as terminal:
        terminal.type("éa")
        assert terminal.hear_all(4) == ["ready", "None", "None", "a"]


def test_clicks_tell_where(terminal: Terminal) -> None:
    terminal.type("\x1b[<0;10;5M\x1b[<0;10;5m\x1b[<2;1;1M\x1b[<64;3;3Ma")
    clicks = ["Click(y=4, x=9, button=1)", "None", "Click(y=0, x=0, button=3)", "None", "a"]
    assert terminal.hear_all(5) == clicks


@pytest.mark.parametrize("mouse", [True, False])
def test_the_mouse_is_taken_or_left(nursery: Nursery, *, mouse: bool) -> None:
    with closing(Terminal(nursery, mouse=mouse)) as terminal:
        taken = terminal.see("a game")
        assert ("\x1b[?1000h\x1b[?1006h" in taken) == mouse
        terminal.type("q")
        assert ("\x1b[?1006l\x1b[?1000l" in terminal.see("\x1b[?1049l")) == mouse


def test_time_ticks_where_no_key_comes(terminal: Terminal) -> None:
    terminal.type("T")
    assert terminal.hear_all(2) == ["T", "tick"]
    terminal.type("Tb")
    assert terminal.hear_all(2) == ["T", "b"]


def test_what_is_pasted_is_not_played(terminal: Terminal) -> None:
    terminal.type("a\x1b[200~")
    for _ in range(10):
        terminal.type("hjkl\x1b[A\x03x"[:5] * 100)
    terminal.type("\x1b[20")
    terminal.type("1~b")
    assert terminal.hear_all(2) == ["a", "b"]


def test_frames_are_left_out_while_input_waits(terminal: Terminal) -> None:
    terminal.see("turn 0")
    terminal.type("k" * 1000 + "q")
    heard = terminal.hear_all(1002)
    assert heard == [*"k" * 1000, "q", "left"]
    frames = len(re.findall(r"\x1b\[1;\d+H", terminal.see("goodbye")))
    assert 0 < frames < 500, "a frame for each key"


# -- signals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "heard", "last"),
    [
        ("q", ["q", "left", "exit 0"], "goodbye"),
        ("X", ["left", "exit 1"], "ValueError: a bug"),
        ("\x03", ["left", f"exit {-signal.SIGINT}"], "KeyboardInterrupt"),
        (signal.SIGTERM, ["quit", "left", "exit 0"], "goodbye"),
        (signal.SIGHUP, ["quit", "left", "exit 0"], "goodbye"),
        (signal.SIGQUIT, ["quit", "left", "exit 0"], "goodbye"),
    ],
)
def test_the_terminal_is_given_back(
    terminal: Terminal, end: str | signal.Signals, heard: list[str], last: str
) -> None:
    assert not terminal.is_as_before
    taken = terminal.see("a game")
    if isinstance(end, str):
        terminal.type(end)
    else:
        terminal.kill(end)
    assert terminal.hear_all(len(heard)) == heard
    assert terminal.is_as_before
    given_back, said = terminal.see(f"{last}\r\n").split("\x1b[?1049l")
    for mode in ("?1049h", "?25l", "?7l", "?1h", "?2004h"):
        assert f"\x1b[{mode}" in taken
    for mode in ("?2026l", "?25h", "?7h", "?1l", "?2004l", "0m"):
        assert f"\x1b[{mode}" in given_back
    assert said.endswith(f"{last}\r\n"), "it was said before the terminal was given back"


def test_it_begins_without_an_answer_of_the_terminal(nursery: Nursery) -> None:
    with closing(Terminal(nursery)) as terminal:
        assert terminal.hear(seconds=4) == "ready"
        terminal.see("a game")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_are_caught_before_the_first_byte_is_written(
    nursery: Nursery, number: signal.Signals
) -> None:
    with closing(Terminal(nursery)) as terminal:
        while not terminal.written:
            terminal.pump()
        terminal.kill(number)
        while not terminal.lines or not terminal.lines[-1].startswith("exit"):
            terminal.pump()
        assert terminal.lines[-1] == ("exit -2" if number == signal.SIGINT else "exit 0")
        assert terminal.is_as_before
        terminal.see("\x1b[?1049l")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_terminal_that_takes_nothing_holds_up_no_signal(nursery: Nursery, number: signal.Signals) -> None:
    with closing(Terminal(nursery, size=(240, 90))) as terminal:
        assert terminal.hear() == "ready"
        terminal.see("\u041c")
        terminal.type("N")
        assert os.read(terminal.keyboard, 1) == b"\x1b"  # of more than it can hold
        terminal.sources = [terminal.said]  # nobody reads what it writes from now on
        terminal.kill(number)
        while "left" not in terminal.lines:
            terminal.pump()
        assert terminal.is_as_before


def test_a_terminal_that_takes_nothing_from_the_beginning_holds_up_no_signal(nursery: Nursery) -> None:
    with closing(Terminal(nursery, full=True)) as terminal:
        terminal.sources = [terminal.said]
        while terminal.is_as_before:  # until it is taken
            pass
        terminal.kill(signal.SIGTERM)
        while "left" not in terminal.lines:
            terminal.pump()
        assert terminal.is_as_before


@pytest.mark.parametrize("seed", range(10))
def test_the_terminal_is_given_back_whatever_happened_before(nursery: Nursery, seed: int) -> None:
    rng = random.Random(seed)
    with closing(Terminal(nursery)) as terminal:
        while terminal.is_as_before:  # until it is taken
            terminal.pump()
        for _ in range(12):
            match rng.randrange(4):
                case 0:
                    terminal.resize(rng.choice([1, 60, 80, 240]), rng.choice([1, 20, 24, 90]))
                case 1:
                    terminal.kill(rng.choice([signal.SIGWINCH, signal.SIGCONT]))
                case 2:
                    terminal.type(rng.randbytes(20).translate(None, b"\x03\x1a\x1cqX"))
                case 3:
                    terminal.type("N")
        if rng.random() < 0.5:
            terminal.sources = [terminal.said]  # nobody reads what it writes
        terminal.kill(rng.choice([signal.SIGTERM, signal.SIGHUP, signal.SIGINT]))
        while "left" not in terminal.lines:
            terminal.pump()
        assert terminal.is_as_before


def test_a_second_ctrl_c_ends_what_hangs(terminal: Terminal) -> None:
    terminal.see("turn 0")
    terminal.sources = [terminal.said]
    for _ in range(2):
        terminal.kill(signal.SIGINT)
    assert terminal.hear_all(2) == ["left", "exit -2"]
    assert terminal.is_as_before


def test_it_draws_anew_in_the_new_size(terminal: Terminal) -> None:
    assert "\x1b[25;" not in terminal.see("a game")
    terminal.resize(120, 40)
    assert terminal.hear() == "resize"
    assert "a game in (120, 40)" in terminal.see("turn 1")


def test_nobody_plays_in_a_terminal_that_is_too_small(terminal: Terminal) -> None:
    terminal.see("a game")
    terminal.resize(60, 20)
    assert terminal.hear() == "resize"
    terminal.see("the terminal is 60x20; 80x24 or more is needed")
    terminal.type("abT\x1b[<0;10;5M")
    terminal.resize(3, 1)
    assert terminal.hear() == "resize"
    terminal.resize(80, 24)
    assert terminal.hear() == "resize"
    terminal.type("c")
    assert terminal.hear() == "c"
    terminal.resize(79, 50)
    assert terminal.hear() == "resize"
    terminal.see("Ctrl-C to leave")
    terminal.type("q\x03")
    assert terminal.hear_all(2) == ["left", "exit -2"]


def test_it_can_be_suspended(terminal: Terminal) -> None:
    terminal.see("a game")
    terminal.type("\x1a")
    assert terminal.hear() == "stopped"
    assert terminal.is_as_before
    terminal.see("\x1b[?1049l")
    terminal.type("bg\n")
    assert terminal.hear() == "stopped", "in the background it may not touch the terminal"
    assert terminal.is_as_before
    terminal.type("fg\n")
    assert terminal.hear() == "resize"
    assert "a game" in terminal.see("turn 1").split("\x1b[?1049h")[1]
    terminal.type("\x1a")
    while terminal.hear() == "resize":  # what came in the background is told as well
        pass
    assert terminal.is_as_before
    terminal.type("fg\n")
    terminal.see("a game")
    terminal.type("q")
    while terminal.hear() == "resize":
        pass
    assert terminal.hear_all(2) == ["left", "exit 0"]
    assert terminal.is_as_before


@pytest.mark.parametrize(
    ("deaf", "heard"),
    [
        (False, ["quit"]),  # the shell's own end hangs up on the game once more, and that may end it
        (True, ["quit", "left"]),
    ],
)
def test_it_ends_when_the_terminal_is_gone(nursery: Nursery, *, deaf: bool, heard: list[str]) -> None:
    with closing(Terminal(nursery, deaf=deaf)) as terminal:
        assert terminal.hear() == "ready"
        os.close(terminal.keyboard)
        terminal.sources = [terminal.said]
        terminal.keyboard = os.open(os.devnull, os.O_RDONLY)
        assert terminal.hear_all(len(heard)) == heard


# -- what terminals can do ------------------------------------------------------------------------


def test_frames_are_synchronized_where_the_terminal_says_that_it_can(terminal: Terminal) -> None:
    assert "\x1b[?2026$p" in terminal.see("turn 0")
    terminal.type("a")
    assert "\x1b[?2026h" not in terminal.see("1")
    terminal.type("\x1b[?2026;2$yb")
    assert terminal.hear_all(2) == ["a", "b"]
    assert terminal.see("\x1b[?2026l").startswith("\x1b[?2026h")


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let standard input and output be a terminal."""
    ends = pty.openpty()
    streams = {"__stdin__": os.fdopen(ends[0]), "__stdout__": os.fdopen(ends[1], "w")}
    for name, end in streams.items():
        monkeypatch.setattr(sys, name, end)
    yield
    for end in streams.values():
        end.close()


@pytest.mark.usefixtures("streams")
@pytest.mark.parametrize("stream", ["__stdin__", "__stdout__"])
def test_without_a_terminal_it_says_so(stream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, stream, nothing)
        with pytest.raises(NoTerminalError, match="is not a terminal"):
            TerminalFrontend()


@pytest.mark.usefixtures("streams")
def test_in_a_dumb_terminal_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with pytest.raises(NoTerminalError, match=r"cannot move its cursor \(TERM=dumb\)"):
        TerminalFrontend()
