"""The game in a terminal: 24-bit colour, and only the cells that changed."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import time
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from textwrap import wrap
from typing import TYPE_CHECKING, Final, Self

import blessed
import numpy as np

from game_demo.frontends.differ import SYNC_END, Differ
from game_demo.frontends.frontend import DIRECTION_KEYS, MIN_COLUMNS, MIN_ROWS, NoTerminalError

if sys.platform != "win32":
    import termios

    QUIT_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    HANDLED_SIGNALS: Final = (*QUIT_SIGNALS, signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType

    from blessed.keyboard import Keystroke
    from tcod.console import Console

ESCAPE_SECONDS: Final = 0.05
"""How long a lone Esc may yet turn out to be the beginning of an arrow key."""

WRAP_OFF, WRAP_ON = "\x1b[?7l", "\x1b[?7h"
"""Without wrapping, writing the bottom right cell cannot scroll the screen."""

NAMES: Final = {
    "UP": "up", "DOWN": "down", "LEFT": "left", "RIGHT": "right",
    "HOME": "home", "END": "end", "PGUP": "pageup", "PGDOWN": "pagedown",
    "ENTER": "enter", "ESCAPE": "escape", "TAB": "tab", "BTAB": "tab",
    "BACKSPACE": "backspace", "DELETE": "delete", "INSERT": "insert",
    "UP_LEFT": "home", "UP_RIGHT": "pageup", "DOWN_LEFT": "end", "DOWN_RIGHT": "pagedown",
    "CENTER": "5", "BEGIN": "5",
    "KP_7": "home", "KP_8": "up", "KP_9": "pageup",
    "KP_4": "left", "KP_5": "5", "KP_6": "right",
    "KP_1": "end", "KP_2": "down", "KP_3": "pagedown",
    "KP_0": "0", "KP_DECIMAL": ".", "KP_ENTER": "enter",
    "KP_ADD": "+", "KP_SUBTRACT": "-", "KP_MULTIPLY": "*", "KP_DIVIDE": "/",
    **{f"F{number}": f"f{number}" for number in range(1, 13)},
}  # fmt: skip
"""Our name for each of blessed's, without its ``KEY_`` and modifiers."""

MODIFIERS: Final = re.compile(r"KEY_|(CTRL|ALT|SHIFT)_(?=.)")
SEQUENCE_REST: Final = re.compile(r"^\[?[0-?]*[ -/]*[@-~]?")


def key_name(stroke: Keystroke) -> str | None:
    """Return the game's name for a key that blessed has read, or None if it has none."""
    if len(stroke) == 1 and stroke.isprintable():
        return str(stroke)
    known = stroke.name or ""
    name = NAMES.get(MODIFIERS.sub("", known))
    if "SHIFT_" in known and name in DIRECTION_KEYS:
        return f"shift+{name}"
    if name is None and len(stroke) == 1 and 0 < ord(stroke) <= 26:
        return f"ctrl+{chr(ord(stroke) + 96)}"
    return name


def _ignore_signal(_number: int, _frame: FrameType | None) -> None:
    """Do nothing about a signal: its number is in the pipe already."""


def _stop() -> None:
    """Stop the process, as Ctrl-Z does where nobody minds it; return when it is told to continue."""
    numbers = (signal.SIGTSTP, signal.SIGCONT)
    handlers = [signal.signal(number, signal.SIG_DFL) for number in numbers]
    signal.raise_signal(signal.SIGTSTP)
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Hold back signals: one that came while the terminal's modes are set would have them not set at all."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _ColourTerminal(blessed.Terminal):
    """A terminal that NO_COLOR does not switch off: blessed would take all its other powers as well."""

    @property
    def does_styling(self) -> bool:
        return True


class TerminalFrontend:
    """The front end for the terminal on standard input and output; see `game_demo.frontends.frontend.Frontend`.

    Ctrl-C is no key here: it raises KeyboardInterrupt, wherever the game is. Ctrl-Z suspends the game at its
    next `wait`. Each signal only writes to a pipe that `wait` listens to along with the keyboard, so that
    none ever cuts a frame or a turn in half.

    Raises:
        NoTerminalError: If there is no terminal to draw on.
    """

    def __init__(self) -> None:
        if sys.platform == "win32":
            raise NoTerminalError("the terminal front end does not run on Windows")
        for stream, name in ((sys.__stdin__, "input"), (sys.__stdout__, "output")):
            if stream is None or stream.closed or not stream.isatty():
                raise NoTerminalError(f"standard {name} is not a terminal")
        if os.environ.get("TERM") == "dumb":
            raise NoTerminalError("the terminal is dumb: it cannot move its cursor (TERM=dumb)")
        self._terminal = _ColourTerminal()
        assert sys.__stdin__ is not None
        assert sys.__stdout__ is not None
        self._input = sys.__stdin__.fileno()
        self._output = sys.__stdout__.fileno()
        self._encoding = sys.__stdout__.encoding
        self._differ = Differ()
        self._keys: deque[str | None] = deque()
        self._over = False
        self._wakeup = -1
        self._session = ExitStack()
        self._screen = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._wakeup, wakeup_writer = os.pipe()
            stack.callback(os.close, self._wakeup)
            stack.callback(os.close, wakeup_writer)
            os.set_blocking(wakeup_writer, False)
            # Not the handlers write to the pipe, for a signal that another thread takes would not wake us.
            stack.callback(
                signal.set_wakeup_fd, signal.set_wakeup_fd(wakeup_writer, warn_on_full_buffer=False)
            )
            for number in HANDLED_SIGNALS:
                if signal.getsignal(number) not in (signal.SIG_IGN, None):  # nohup, for one, has its reasons
                    stack.callback(signal.signal, number, signal.signal(number, _ignore_signal))
            stack.callback(self._leave)
            self._enter()
            self._session = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()

    @property
    def size(self) -> tuple[int, int]:
        """The columns and rows to draw; a smaller terminal shows a notice instead."""
        columns, rows = self._measure()
        return max(columns, MIN_COLUMNS), max(rows, MIN_ROWS)

    def present(self, console: Console) -> None:
        """Show `console`, in one write of the cells that changed."""
        columns, rows = self._measure()
        cells = console.rgb[:rows, :columns]
        if columns < MIN_COLUMNS or rows < MIN_ROWS:
            cells = np.zeros((rows, columns), dtype=console.rgb.dtype)
            cells["fg"] = 255
            notice = f"the terminal is {columns}x{rows}; {MIN_COLUMNS}x{MIN_ROWS} or more is needed"
            for row, line in zip(cells["ch"], wrap(notice, columns), strict=False):
                row[: len(line)] = [ord(letter) for letter in line]
        self._write(self._differ.frame(cells))

    def wait(self, seconds: float | None = None, /) -> str | None:
        """Block for the next key, for a signal that concerns the game, or until the time is over."""
        end = None if seconds is None else time.monotonic() + seconds
        while not self._over:
            if self._keys:
                return self._keys.popleft()
            left = None if end is None else max(end - time.monotonic(), 0)
            ready, _, _ = select.select([self._wakeup, self._input], [], [], left)
            if self._wakeup in ready:
                for number in dict.fromkeys(os.read(self._wakeup, 4096)):
                    self._handle_signal(number)
            elif self._input in ready:
                self._read_keys()
            else:
                return "tick"
        return "quit"

    def _measure(self) -> tuple[int, int]:
        try:
            size = os.get_terminal_size(self._output)
        except OSError:  # it is gone, and so is whoever would look
            return MIN_COLUMNS, MIN_ROWS
        return size.columns or MIN_COLUMNS, size.lines or MIN_ROWS  # a serial line may not know its size

    def _write(self, text: str) -> None:
        data = text.encode(self._encoding, "replace")
        try:
            while data:
                data = data[os.write(self._output, data) :]
        except OSError:
            self._over = True

    def _read_keys(self) -> None:
        """Queue all the keys that have arrived."""
        terminal = self._terminal
        try:
            while stroke := terminal.inkey(timeout=0, esc_delay=ESCAPE_SECONDS):
                if stroke in ("\x1b[", "\x1bO"):  # an unknown sequence: its rest would pass for typed letters
                    terminal.ungetch(SEQUENCE_REST.sub("", terminal.flushinp(), count=1))
                    self._keys.append(None)
                elif len(stroke) == 2 and stroke[0] == "\x1b":  # not Alt: Esc and a key on the heels of it
                    terminal.ungetch(stroke[1] + terminal.flushinp())
                    self._keys.append("escape")
                else:
                    self._keys.append(key_name(stroke))
        except (EOFError, OSError):
            self._over = True

    def _handle_signal(self, number: int) -> None:
        if number in QUIT_SIGNALS:
            self._over = True
        elif number in HANDLED_SIGNALS:
            if number != signal.SIGWINCH:
                self._retake_terminal(stop=number == signal.SIGTSTP)
            self._differ.forget()
            self._keys.append("resize")

    def _retake_terminal(self, *, stop: bool) -> None:
        """Take the terminal anew: the shell has had it since, or will while we are stopped."""
        self._leave()
        if stop:
            _stop()
        try:
            self._enter()
        except termios.error:  # a terminal that hangs up tells its stopped processes to continue, too
            self._over = True

    @_signals_blocked()
    def _enter(self) -> None:
        """Take the terminal: its modes first, for in the background that stops us before we write."""
        terminal = self._terminal
        self._screen.enter_context(terminal.cbreak())
        # A terminal without an alternate screen has at least to be cleared.
        leave = [SYNC_END, "\x1b[0m\x1b[2J\x1b[H", WRAP_ON, terminal.rmkx, terminal.normal_cursor]
        self._screen.callback(self._write, "".join([*map(str, leave), str(terminal.exit_fullscreen)]))
        enter = [terminal.enter_fullscreen, terminal.hide_cursor, terminal.smkx]
        self._write("".join([*map(str, enter), WRAP_OFF]))

    @_signals_blocked()
    def _leave(self) -> None:
        with suppress(OSError, termios.error):  # where the terminal is gone, there is nothing to restore
            self._screen.close()
