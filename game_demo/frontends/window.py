"""The game in a window of tcod's, with a square pixel font."""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

import tcod.context
import tcod.event
from tcod.event import KeySym, Modifier, MouseButton

from dungeon.adapters.tileset import square_tileset
from game_demo.frontends.frontend import DIRECTION_KEYS, MIN_COLUMNS, MIN_ROWS, Click, NoWindowError
from game_demo.frontends.signals import handled, signals_named

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType

    from tcod.console import Console

STDERR: Final = 2
"""The file descriptor of standard error."""
SIGNAL_SECONDS: Final = 0.25
"""How often waiting pauses for signals: SDL waits in C, and Python runs its handlers only between two waits."""

NAMES: Final = {
    KeySym.UP: "up", KeySym.DOWN: "down", KeySym.LEFT: "left", KeySym.RIGHT: "right",
    KeySym.HOME: "home", KeySym.END: "end", KeySym.PAGEUP: "pageup", KeySym.PAGEDOWN: "pagedown",
    KeySym.RETURN: "enter", KeySym.ESCAPE: "escape", KeySym.TAB: "tab",
    KeySym.BACKSPACE: "backspace", KeySym.DELETE: "delete", KeySym.INSERT: "insert",
    KeySym.KP_7: "home", KeySym.KP_8: "up", KeySym.KP_9: "pageup",
    KeySym.KP_4: "left", KeySym.KP_5: "5", KeySym.KP_6: "right",
    KeySym.KP_1: "end", KeySym.KP_2: "down", KeySym.KP_3: "pagedown",
    KeySym.KP_ENTER: "enter",
    **{KeySym[f"F{number}"]: f"f{number}" for number in range(1, 13)},
}  # fmt: skip

SHIFTED: Final = {*DIRECTION_KEYS, "tab"}
"""The keys for which Shift makes a difference."""

BUTTONS: Final = {MouseButton.LEFT: 1, MouseButton.MIDDLE: 2, MouseButton.RIGHT: 3}


def key_name(event: tcod.event.KeyDown) -> str | None:
    """Return the name of a key that types no text, or None."""
    if KeySym.A <= event.sym <= KeySym.Z and event.mod & Modifier.CTRL:
        # Windows reports AltGr as Ctrl and Alt, and it is there to type text with.
        return None if event.mod & (Modifier.ALT | Modifier.MODE) else f"ctrl+{chr(event.sym)}"
    name = NAMES.get(event.sym)
    return f"shift+{name}" if name in SHIFTED and event.mod & Modifier.SHIFT else name


@contextmanager
def _quiet_libraries() -> Iterator[None]:
    """Drop what libraries in C write to standard error meanwhile; errors are raised, too."""
    kept = os.dup(STDERR)
    try:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), STDERR)
        yield
    finally:
        os.dup2(kept, STDERR)
        os.close(kept)


class WindowFrontend:
    """A resizable window; see `game_demo.frontends.frontend.Frontend`.

    Printable characters come from SDL's text input, so they are right on every keyboard layout.

    Args:
        title: The window's title.
        columns: The width in cells at first.
        rows: The height in cells at first.
        scale: Screen pixels to a pixel of the font, which is 8 pixels square.
    """

    def __init__(self, title: str, *, columns: int = MIN_COLUMNS, rows: int = 40, scale: int = 2) -> None:
        self._title = title
        self._columns = columns
        self._rows = rows
        self._scale = scale
        self._keys: deque[str | Click] = deque()
        self._over = False
        self._text_is_known = False
        self._context: tcod.context.Context | None = None
        self._session = ExitStack()

    def __enter__(self) -> Self:
        """Open the window.

        Raises:
            NoWindowError: There is no display.
        """
        with ExitStack() as stack:
            # Before SDL does the same, in a way that Python would not notice.
            stack.enter_context(handled(signals_named("SIGTERM", "SIGHUP"), self._quit))
            self._context = stack.enter_context(self._open())
            if self._context.sdl_window is not None:
                self._context.sdl_window.start_text_input(autocorrect=False)
            self._session = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()
        self._context = None

    @property
    def size(self) -> tuple[int, int]:
        """The columns and rows that fill the window at the font's own size."""
        assert self._context is not None, "the window is not open"
        return self._context.recommended_console_size(MIN_COLUMNS, MIN_ROWS)

    def present(self, console: Console) -> None:
        """Show a console, centred, and scaled down if the window is too small."""
        assert self._context is not None, "the window is not open"
        self._context.present(console, keep_aspect=True, integer_scaling=True)

    def wait(self, seconds: float | None = None, /) -> str | Click | None:
        """Block for the next key or click, for an event of the window, or until the time is over."""
        end = None if seconds is None else time.monotonic() + seconds
        while not self._over:
            if self._keys:
                return self._keys.popleft()
            left = SIGNAL_SECONDS if end is None else end - time.monotonic()
            if left <= 0:
                return "tick"
            for event in tcod.event.wait(min(left, SIGNAL_SECONDS)):
                self._take(event)
        return "quit"

    def _open(self) -> tcod.context.Context:
        # tcod 21 passes SDL's messages on one level too high: what it calls warnings is SDL's small talk.
        logging.getLogger("tcod.sdl").setLevel(logging.ERROR)
        try:
            with _quiet_libraries():
                return tcod.context.new(
                    columns=self._columns,
                    rows=self._rows,
                    tileset=square_tileset(self._scale),
                    title=self._title,
                    vsync=True,
                    argv=(),  # the game's arguments are not libtcod's
                )
        except RuntimeError as error:
            reason = str(error).splitlines()[-1]
            told = f"no window can be opened: {reason} (without --window, the game is played in the terminal)"
            raise NoWindowError(told) from error

    def _take(self, event: tcod.event.Event) -> None:
        """Queue the input of an SDL event, if it has one."""
        match event:
            case tcod.event.Quit() | tcod.event.WindowEvent(type="WindowClose"):
                self._over = True
            case tcod.event.WindowEvent(type="WindowResized" | "PixelSizeChanged" | "WindowExposed"):
                if "resize" not in self._keys:
                    self._keys.append("resize")
            case tcod.event.MouseButtonDown(button=button) if button in BUTTONS and self._context is not None:
                x, y = self._context.convert_event(event).integer_position
                self._keys.append(Click(y, x, BUTTONS[button]))
            case tcod.event.KeyDown():
                name = key_name(event)
                self._text_is_known = name is not None
                if name is not None:
                    self._keys.append(name)
            case tcod.event.TextInput(text=text) if not self._text_is_known:  # else it is the 7 of "home"
                self._keys.extend(letter for letter in text if letter.isprintable())

    def _quit(self, _number: int, _frame: FrameType | None) -> None:
        self._over = True
