"""The window: what it makes of the mouse. There is no screen, so SDL plays one that shows nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from demo import DATA
from tcod.cffi import lib
from tcod.console import Console
from tcod.event import KeyDown, KeySym, Modifier, MouseButton, MouseButtonDown, Point, Scancode
from test_game import drawn_content

from game_demo.frontends.frontend import Click
from game_demo.frontends.window import WindowFrontend, key_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HINTS = {b"SDL_VIDEO_DRIVER": b"dummy", b"SDL_RENDER_DRIVER": b"software"}


@pytest.fixture
def no_screen() -> Iterator[None]:
    for name, value in HINTS.items():
        assert lib.SDL_SetHint(name, value)
    yield
    for name in HINTS:
        lib.SDL_ResetHint(name)


@pytest.mark.usefixtures("no_screen")
def test_clicks_tell_where() -> None:
    with WindowFrontend("a test", columns=80, rows=24, scale=1) as window:
        window.present(Console(80, 24, order="C"))
        while window.wait(0) != "tick":
            pass
        for button in (MouseButton.LEFT, MouseButton.X1, MouseButton.RIGHT):
            window._take(MouseButtonDown(position=Point(17.0, 8 * 23.0 + 7), button=button))
        assert [window.wait(0) for _ in range(3)] == [Click(23, 2, 1), Click(23, 2, 3), "tick"]


def test_keys_have_names() -> None:
    def name(sym: KeySym, mod: Modifier = Modifier.NONE) -> str | None:
        return key_name(KeyDown(scancode=Scancode.UNKNOWN, sym=sym, mod=mod, repeat=False))

    assert name(KeySym.UP) == "up"
    assert name(KeySym.UP, Modifier.LSHIFT) == "shift+up"
    assert name(KeySym.KP_7, Modifier.RSHIFT) == "shift+home"
    assert name(KeySym.TAB) == "tab"
    assert name(KeySym.TAB, Modifier.LSHIFT) == "shift+tab"
    assert name(KeySym.C, Modifier.LCTRL) == "ctrl+c"
    assert name(KeySym.C) is None


def test_without_a_display_one_line_says_so(tmp_path: Path) -> None:
    drawn_content(tmp_path, "####\n#<.#\n####")
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "SDL_VIDEO_DRIVER", "SDL_VIDEODRIVER")
    command = [sys.executable, "-m", "game_demo", "--window", "--data", str(tmp_path)]
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    found = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        env={**environment, "PYTHONPATH": str(DATA.parent)},
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("dungeon-demo: no window can be opened: ")
    assert found.stderr.endswith("(without --window, the game is played in the terminal)\n")
    assert found.stderr.count("\n") == 1
