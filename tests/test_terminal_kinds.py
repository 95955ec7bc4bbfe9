"""Terminals of many kinds: what they are taken for, and a game on each of them. None of them answers anything."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from terminals import Nursery, Screen, Terminal

from game_demo.frontends.capabilities import TerminfoEntry, capabilities
from game_demo.frontends.frontend import NoTerminalError
from game_demo.frontends.keyboard import Keyboard, ModeReport
from game_demo.frontends.terminal import ENTER, MOUSE_OFF, MOUSE_ON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_demo.frontends.capabilities import ColourDepth

SGR = {
    "24bit": r"[34]8;2;\d+;\d+;\d+",
    "256": r"[34]8;5;\d+",
    "16": r"[34][0-7]|9[0-7]|1;3[0-7]|22;3[0-7]",
    "none": r"22|22;1|22;2|7|27",
}
"""How each depth tells colours."""

TRUE, SCREEN = {"COLORTERM": "truecolor"}, {"COLORTERM": "truecolor", "STY": "1.a"}
TMUX = {"COLORTERM": "truecolor", "TMUX": "/tmp/tmux"}

KINDS: list[tuple[str, dict[str, str], ColourDepth, tuple[int, int], str]] = [
    ("xterm-256color", TRUE, "24bit", (80, 24), "C.UTF-8"),
    ("xterm-256color", {}, "256", (80, 24), "C.UTF-8"),
    ("xterm-256color", {"COLORTERM": "24bit"}, "24bit", (200, 80), "C"),
    ("xterm-256color", {**TRUE, "NO_COLOR": "1"}, "none", (120, 40), "C.UTF-8"),
    ("xterm", {}, "16", (80, 24), "C.UTF-8"),
    ("xterm", TRUE, "24bit", (81, 25), "C"),
    ("xterm-color", {}, "16", (80, 24), "C"),
    ("xterm-mono", TRUE, "none", (80, 24), "C.UTF-8"),
    ("xterm-kitty", {}, "24bit", (160, 50), "C.UTF-8"),
    ("alacritty", {}, "24bit", (80, 24), "C.UTF-8"),
    ("foot-direct", {}, "24bit", (100, 30), "C.UTF-8"),
    ("tmux-256color", TMUX, "24bit", (80, 24), "C.UTF-8"),
    ("tmux-256color", {}, "256", (60, 20), "C.UTF-8"),
    ("screen", SCREEN, "16", (80, 24), "C.UTF-8"),
    ("screen-256color", SCREEN, "256", (132, 43), "C"),
    ("screen-256color", TMUX, "24bit", (80, 24), "C.UTF-8"),
    ("linux", {}, "16", (80, 25), "C.UTF-8"),
    ("linux", {}, "16", (240, 67), "C"),
    ("vt100", {}, "none", (80, 24), "C"),
    ("vt100", TRUE, "none", (132, 24), "C.UTF-8"),
    ("vt220", {}, "none", (80, 24), "C.UTF-8"),
    ("rxvt", {}, "16", (80, 24), "C.UTF-8"),
    ("rxvt-unicode-256color", {}, "256", (80, 24), "C.UTF-8"),
    ("ansi", {}, "16", (80, 25), "C"),
    ("cons25", {}, "16", (80, 25), "C"),
    ("Eterm", {}, "16", (90, 30), "C.UTF-8"),
    ("never-heard-of", {}, "16", (80, 24), "C.UTF-8"),
    ("never-heard-of-256color", {}, "256", (1, 1), "C.UTF-8"),
]


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with closing(Nursery()) as nursery:
        yield nursery


@pytest.mark.parametrize(("term", "environment", "colours", "size", "locale"), KINDS, ids=str)
def test_it_can_be_played(
    nursery: Nursery,
    term: str,
    environment: dict[str, str],
    colours: ColourDepth,
    size: tuple[int, int],
    locale: str,
) -> None:
    columns, rows = size
    with closing(Terminal(nursery, term=term, environment=environment, size=size, locale=locale)) as terminal:
        assert terminal.hear() == "ready"
        if columns < 80:
            columns, rows = 80, 24
            terminal.resize(columns, rows)
            assert terminal.hear() == "resize"
        terminal.type("q")
        assert terminal.hear_all(2) == ["q", "left"]
        text = terminal.see("goodbye")
        assert terminal.is_as_before
    frames = text.removeprefix(ENTER + MOUSE_ON).split(MOUSE_OFF)[0]
    for sgr in re.findall(r"\x1b\[([\d;]*)m", frames):
        assert re.fullmatch(rf"(0;)?({SGR[colours]})(;({SGR[colours]}))?", sgr)
    screen = Screen(columns, rows, erases=True)
    screen.feed(frames)
    first, second = ("".join(row) for row in screen.letters[:2].tolist())
    assert f"a game in {(columns, rows)}" in first
    assert second.startswith(
        "+-+ #: . ?" if locale == "C" else "┌─┐ █░ · ?" if term == "linux" else "┌─┐ █░ · \u041c"
    )


@pytest.mark.parametrize("colours", SGR)
def test_colours_can_be_told(nursery: Nursery, colours: ColourDepth) -> None:
    with closing(Terminal(nursery, environment={"NO_COLOR": "1"}, colours=colours)) as terminal:
        text = terminal.see("\u041c").split("a game")[0]
        assert re.search(rf"\x1b\[({SGR[colours]})m$", text)


@pytest.mark.parametrize(("charset", "shown"), [("ascii", "+-+"), ("unicode", "┌─┐")])
def test_characters_can_be_told(nursery: Nursery, charset: str, shown: str) -> None:
    with closing(Terminal(nursery, locale="C", charset=charset)) as terminal:
        terminal.see(shown)
        terminal.type("é")
        assert terminal.hear_all(2) == ["ready", "é" if charset == "unicode" else "None"]


@pytest.mark.parametrize(
    ("term", "description", "said"),
    [
        ("dumb", None, "is dumb"),
        ("hardcopy", TerminfoEntry(move=b"", colours=0, erases_in_colour=False), "is dumb"),
        ("vt52", TerminfoEntry(move=b"\x1bY%p1%' '", colours=0, erases_in_colour=False), "TERM=vt52"),
        ("", None, "TERM is not set"),
    ],
)
def test_what_cannot_be_drawn_on_is_told(term: str, description: TerminfoEntry | None, said: str) -> None:
    with pytest.raises(NoTerminalError, match=said):
        capabilities({"TERM": term}, description, "utf-8")


# -- what they send -------------------------------------------------------------------------------


def test_keys_are_the_same_however_they_are_cut() -> None:
    sent = "a\x1b[A\x1b[1;2Dé\x1bOw\x1b[[B\x1b[<0;12;7M\x1b[200~qq\x1b[Aq\x1b[201~\x1b[?2026;1$y\x1b[15~\x1b[?64;1c\x1b[a.".encode()
    whole = Keyboard("utf-8").feed(sent)
    assert [str(each) for each in whole] == [
        "a", "up", "shift+left", "é", "home", "f2", "Click(y=6, x=11, button=1)",
        "ModeReport(mode=2026, setting=1)", "f5", "None", "shift+up", ".",
    ]  # fmt: skip
    assert ModeReport(2026, 1) in whole
    for cut in range(1, len(sent)):
        keyboard = Keyboard("utf-8")
        assert keyboard.feed(sent[:cut]) + keyboard.feed(sent[cut:]) == whole
    keyboard = Keyboard("utf-8")
    assert [key for byte in sent for key in keyboard.feed(bytes([byte]))] == whole
    assert keyboard.settle() == []


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "euc-jp"])
def test_no_bytes_are_too_odd(encoding: str) -> None:
    keyboard = Keyboard(encoding)
    odd = b"\x1b[<1;999999999999M\x1b[<;;M\x1b[99999999999999999999~\x1b[?9;9$y\x1b[1;99A\x1bO9z\x1b[\x1b[\x1bO\x1b\xff\xfe"
    sent = odd + bytes(range(256)) * 3 + odd[::-1]
    for key in [*keyboard.feed(sent), *keyboard.settle()]:
        assert key is None or not isinstance(key, str) or key.isprintable()
    assert not keyboard.is_undecided
    assert keyboard.feed(b"a")[-1] == "a"


def test_no_number_is_too_long() -> None:
    long = b"2" * 5000
    odd = [b"\x1b[<%b;1;1M", b"\x1b[<0;1;%bM", b"\x1b[?%b;1$y", b"\x1b[?2026;%b$y", b"\x1b[%b~"]
    assert Keyboard("utf-8").feed(b"".join(each % long for each in odd)) == [None] * len(odd)
    assert Keyboard("utf-8").feed(b"\x1b[1;%bA\x1bO%bA\x1b[1;10A\x1b[1;9A" % (long, long)) == [
        "shift+up", "shift+up", "shift+up", "up",
    ]  # fmt: skip


def test_a_lone_escape_is_told_only_when_nothing_follows() -> None:
    keyboard = Keyboard("utf-8")
    assert keyboard.feed(b"\x1b") == []
    assert keyboard.is_undecided
    assert keyboard.settle() == ["escape"]
    assert not keyboard.is_undecided
    assert keyboard.feed(b"\x1b[1;") == []
    assert keyboard.settle() == [None]
    assert keyboard.feed(b"2A") == ["2", "A"]
