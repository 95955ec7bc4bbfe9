"""The game in a terminal of any kind and speed."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections import deque
from contextlib import ExitStack, suppress
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from tcod.console import rgb_graphic

from game_demo.frontends.capabilities import capabilities_of
from game_demo.frontends.differ import Differ
from game_demo.frontends.frontend import MIN_COLUMNS, MIN_ROWS, NoTerminalError
from game_demo.frontends.keyboard import Keyboard, ModeReport
from game_demo.frontends.signals import HANDLED_SIGNALS, QUIT_SIGNALS, Signals, signals_blocked, stop

if sys.platform != "win32":
    import termios

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray
    from tcod.console import Console

    from game_demo.frontends.capabilities import Charset, ColourDepth
    from game_demo.frontends.frontend import Click
    from game_demo.frontends.keyboard import Input

ESCAPE_SECONDS: Final = 0.05
"""How long to wait after an Esc for the rest of a sequence."""
FRAME_SECONDS: Final = 0.05
"""How long frames are skipped at most while more input waits."""
LEAVE_SECONDS: Final = 0.3
"""How long leaving waits for a terminal that accepts no output."""

SYNCHRONIZED: Final = 2026
"""The private mode in which a terminal shows all output between its setting and resetting at once."""
SYNC_BEGIN, SYNC_END = f"\x1b[?{SYNCHRONIZED}h", f"\x1b[?{SYNCHRONIZED}l"
CANCEL: Final = "\x18"
"""The character that ends an incomplete sequence."""

ENTER: Final = (
    "\x1b[?1049h"  # the alternate screen
    "\x1b[?25l"  # no cursor
    "\x1b[?7l"  # no wrapping: writing the bottom right cell must not scroll the screen
    "\x1b[?1h\x1b="  # cursor keys and keypad in application mode
    "\x1b[?2004h"  # pasted text in brackets
    f"\x1b[?{SYNCHRONIZED}$p"  # is there synchronized output? The answer comes among the keys, or never
)
LEAVE: Final = (
    f"{SYNC_END}\x1b[?2004l\x1b[?1l\x1b>\x1b[?7h"
    "\x1b[0m\x1b[2J\x1b[H"  # a terminal without an alternate screen has at least to be cleared
    "\x1b[?25h\x1b[?1049l"
)
MOUSE_ON, MOUSE_OFF = "\x1b[?1000h\x1b[?1006h", "\x1b[?1006l\x1b[?1000l"
"""Sequences that make the terminal report clicks, in SGR's format, and that end that."""


class TerminalFrontend:
    """The front end for the terminal on standard input and output; see `game_demo.frontends.frontend.Frontend`.

    It needs only what a VT220 can do. Newer features are used by sequences that other terminals ignore, and it never waits for an
    answer. Frames are skipped while input waits.

    Ctrl-C is not a key: it raises KeyboardInterrupt from the next `wait`, or at once if pressed a second time before that.
    Ctrl-Z suspends the game at its next `wait`.

    Args:
        colours: How many colours to use; None for all.
        charset: Which characters to use; None for those of the locale.
        mouse: Whether to use the mouse; then selecting text in the terminal needs Shift.

    Raises:
        NoTerminalError: There is no terminal to draw on.
    """

    def __init__(
        self, *, colours: ColourDepth | None = None, charset: Charset | None = None, mouse: bool = True
    ) -> None:
        if sys.platform == "win32":
            raise NoTerminalError("the terminal front end does not run on Windows")
        for stream, name in ((sys.__stdin__, "input"), (sys.__stdout__, "output")):
            if stream is None or stream.closed or not stream.isatty():
                raise NoTerminalError(f"standard {name} is not a terminal")
        assert sys.__stdin__ is not None
        assert sys.__stdout__ is not None
        self._input = sys.__stdin__.fileno()
        self._output = sys.__stdout__.fileno()
        self._terminal = capabilities_of(self._output, colours=colours, charset=charset)
        self._enter_text = ENTER + MOUSE_ON * mouse
        self._leave_text = MOUSE_OFF * mouse + LEAVE
        self._differ = Differ(self._terminal)
        self._keyboard = Keyboard(self._terminal.encoding)
        self._inputs: deque[Input] = deque()
        self._signals = Signals()
        self._due: NDArray[Any] | None = None
        self._shown_at = 0.0
        self._is_synchronized = False
        self._is_cut = False
        self._is_over = False
        self._modes_before: list[Any] | None = None
        self._session = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._output = _opened_again(self._output)
            stack.callback(os.close, self._output)
            stack.enter_context(self._signals)
            stack.callback(self._drop_input)
            stack.callback(self._leave)
            self._take()
            self._session = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()

    # -- frames -----------------------------------------------------------------------------------

    @property
    def size(self) -> tuple[int, int]:
        """The columns and rows to draw. A terminal that is too small shows a notice instead."""
        columns, rows = self._measure()
        return max(columns, MIN_COLUMNS), max(rows, MIN_ROWS)

    def present(self, console: Console) -> None:
        """Show a console by writing the cells that changed; skip the frame while more input waits."""
        columns, rows = self._measure()
        self._due = _notice(columns, rows) if self._is_too_small() else console.rgb[:rows, :columns].copy()
        if not self._is_input_waiting() or time.monotonic() - self._shown_at >= FRAME_SECONDS:
            self._show()

    def _show(self) -> None:
        """Write the pending frame, if there is one."""
        if self._due is None or self._is_over:
            return
        text = self._differ.frame(self._due)
        self._due = None
        if text:
            self._write(f"{SYNC_BEGIN}{text}{SYNC_END}" if self._is_synchronized else text)
        self._shown_at = time.monotonic()

    def _measure(self) -> tuple[int, int]:
        try:
            size = os.get_terminal_size(self._output)
        except OSError:  # the terminal is gone
            return MIN_COLUMNS, MIN_ROWS
        return size.columns or MIN_COLUMNS, size.lines or MIN_ROWS  # a serial line may not know its size

    def _is_too_small(self) -> bool:
        columns, rows = self._measure()
        return columns < MIN_COLUMNS or rows < MIN_ROWS

    def _write(self, text: str, seconds: float | None = None) -> None:
        """Write to the terminal, until a signal comes or the time is over if it accepts no output."""
        data = (CANCEL * self._is_cut + text).encode(self._terminal.encoding, "replace")
        end = None if seconds is None else time.monotonic() + seconds
        heard = [] if seconds is not None else [self._signals.fileno()]
        self._is_cut = False
        try:
            while data:
                _, ready, _ = select.select(heard, [self._output], [], _left(end))
                if not ready:
                    self._is_cut = True
                    self._differ.forget()
                    return
                data = data[_written(self._output, data) :]
        except OSError:
            self._is_over = True

    # -- input ------------------------------------------------------------------------------------

    def wait(self, seconds: float | None = None, /) -> str | Click | None:
        """Block for the next key or click, for a signal, or until the time is over."""
        end = None if seconds is None else time.monotonic() + seconds
        while not self._is_over:
            while self._inputs:
                found = self._inputs.popleft()
                if isinstance(found, ModeReport):
                    self._is_synchronized = found in (
                        ModeReport(SYNCHRONIZED, 1),
                        ModeReport(SYNCHRONIZED, 2),
                    )
                elif found == "resize" or not self._is_too_small():  # the screen is too small to play
                    return found
            if not self._listen(end):
                return "tick"
        return "quit"

    def _listen(self, end: float | None) -> bool:
        """Wait for input or signals and take them; return False if only the time is over."""
        if not self._is_input_waiting():
            self._show()
        is_undecided = self._keyboard.is_undecided
        left = ESCAPE_SECONDS if is_undecided else None if self._is_too_small() else _left(end)
        signals = self._signals.fileno()
        ready, _, _ = select.select([signals, self._input], [], [], left)
        if self._input in ready:  # first what was typed before the signal came
            self._read()
        if signals in ready:
            for number in self._signals.take():
                self._obey(number)
        if is_undecided and not ready:
            self._inputs += self._keyboard.settle()
        return is_undecided or bool(ready)

    def _is_input_waiting(self) -> bool:
        return bool(self._inputs) or bool(select.select([self._input], [], [], 0)[0])

    def _read(self) -> None:
        """Read the bytes that have arrived, and queue their inputs."""
        try:
            data = os.read(self._input, 4096)
        except OSError:
            data = b""
        self._is_over |= not data
        self._inputs += self._keyboard.feed(data)

    def _obey(self, number: int) -> None:
        """Act on a signal."""
        if number in QUIT_SIGNALS:
            self._is_over = True
        elif number == signal.SIGINT:
            raise KeyboardInterrupt
        elif number in HANDLED_SIGNALS:
            if number == signal.SIGTSTP:
                self._stop()
            elif number == signal.SIGCONT:
                self._take_again()
            self._differ.forget()
            if "resize" not in self._inputs:
                self._inputs.append("resize")

    # -- the terminal's modes ---------------------------------------------------------------------

    def _stop(self) -> None:
        """Restore the terminal, stop the process, and take the terminal again when it is continued."""
        self._leave()
        stop()
        self._take_again()

    def _take_again(self) -> None:
        """Take the terminal after the shell has used it."""
        try:
            self._take()
        except termios.error:  # a terminal that hangs up tells its stopped processes to continue, too
            self._is_over = True

    def _take(self) -> None:
        """Set the terminal's modes, then write to it. In the background, setting the modes stops the process first."""
        with signals_blocked():
            modes = termios.tcgetattr(self._input)
            if self._modes_before is None:
                self._modes_before = termios.tcgetattr(self._input)
            modes[0] &= ~(termios.IXON | termios.IXOFF)  # Ctrl-S is a key like others
            # ISIG stays: Ctrl-C and Ctrl-Z are signals.
            modes[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
            modes[6][termios.VMIN], modes[6][termios.VTIME] = 1, 0
            termios.tcsetattr(self._input, termios.TCSANOW, modes)
        self._write(self._enter_text)

    @signals_blocked()
    def _leave(self) -> None:
        """Restore the terminal, if it has been taken."""
        before, self._modes_before = self._modes_before, None
        if before is None:
            return
        self._write(self._leave_text, LEAVE_SECONDS)
        with suppress(termios.error):  # the terminal may be gone
            termios.tcsetattr(self._input, termios.TCSANOW, before)

    def _drop_input(self) -> None:
        """Discard input that was typed but not read, so that the shell does not get it."""
        with suppress(termios.error):  # the terminal may be gone
            termios.tcflush(self._input, termios.TCIFLUSH)


def _left(end: float | None) -> float | None:
    """Return the seconds left until a time of the monotonic clock; None for no end."""
    return None if end is None else max(end - time.monotonic(), 0)


def _written(stream: int, data: bytes) -> int:
    """Write as many bytes as the terminal accepts at once; return how many."""
    try:
        return os.write(stream, data)
    except BlockingIOError:  # there was room, but not for a single character with all that goes with it
        return 0


def _opened_again(stream: int) -> int:
    """Open a stream's terminal a second time, so that non-blocking writes affect only this process.

    Raises:
        NoTerminalError: It can't be opened.
    """
    flags = os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK
    with suppress(OSError):  # after su, the terminal may belong to another user
        return os.open(os.ttyname(stream), flags)
    try:
        return os.open("/dev/tty", flags)
    except OSError as error:
        raise NoTerminalError(f"the terminal can't be opened: {error.strerror}") from error


def _notice(columns: int, rows: int) -> NDArray[Any]:
    """Return the (rows, columns) frame that says that the terminal is too small."""
    cells = np.zeros((rows, columns), dtype=rgb_graphic)
    cells["fg"] = 255
    needed = f"{MIN_COLUMNS}x{MIN_ROWS} or more is needed"
    notice = f"the terminal is {columns}x{rows}; {needed}. Make it larger to go on, or press Ctrl-C to leave."
    for row, line in zip(cells["ch"], wrap(notice, columns), strict=False):
        row[: len(line)] = [ord(letter) for letter in line]
    return cells
