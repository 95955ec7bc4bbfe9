"""The interface of a screen with a keyboard, which a terminal and a window implement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, Self

if TYPE_CHECKING:
    from types import TracebackType

    from tcod.console import Console

MIN_COLUMNS: Final = 80
MIN_ROWS: Final = 24

DIRECTION_KEYS: Final = ("up", "down", "left", "right", "home", "end", "pageup", "pagedown")
"""The keys for which Shift makes a difference."""


class FrontendError(RuntimeError):
    """There is no terminal or window to draw on. The message is one line, for the player."""


class NoTerminalError(FrontendError):
    """Standard input or output is not a terminal that the game can be drawn on."""


class NoWindowError(FrontendError):
    """No window can be opened."""


@dataclass(frozen=True, slots=True)
class Click:
    """A mouse button pressed over a cell of the console.

    Attributes:
        y: The row.
        x: The column.
        button: 1 for the left button, 2 for the middle one, 3 for the right one.
    """

    y: int
    x: int
    button: int


class Frontend(Protocol):
    """A screen of character cells, and a keyboard.

    Use it as a context manager: the screen is taken on entry and given back on exit, also after an exception.

    Keys have names. A printable character is its own name (``"a"``, ``"A"``, ``"?"``, ``" "``). The others are
    ``"up"``, ``"down"``, ``"left"``, ``"right"``, ``"home"``, ``"end"``, ``"pageup"``, ``"pagedown"``,
    ``"enter"``, ``"escape"``, ``"tab"``, ``"backspace"``, ``"delete"``, ``"insert"``, ``"f1"`` to ``"f12"``,
    and ``"ctrl+a"`` to ``"ctrl+z"``. With Shift the eight direction keys are ``"shift+up"``, ``"shift+home"`` and so on
    (`DIRECTION_KEYS`), and Tab is ``"shift+tab"``. Otherwise Shift, Ctrl and Alt don't change keys that are no letters.

    The keypad gives directions with or without Num Lock, if the terminal tells it apart from the digits::

        7 8 9      home  up    pageup
        4 5 6  ->  left  5     right
        1 2 3      end   down  pagedown
    """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...

    @property
    def size(self) -> tuple[int, int]:
        """The columns and rows to draw, never fewer than `MIN_COLUMNS` and `MIN_ROWS`."""

    def present(self, console: Console) -> None:
        """Show a console (in C order) and nothing else. If it is too large it is cut off or scaled down.

        If the screen is smaller than `MIN_COLUMNS` and `MIN_ROWS`, a notice is shown instead. While more input waits, the frame may be
        skipped.
        """

    def wait(self, seconds: float | None = None, /) -> str | Click | None:
        """Block for the next input; return its name, a click, or None for an input without a name.

        Besides keys there are ``"tick"`` when the time is over, ``"resize"`` when the screen must be drawn anew and `size` may have
        changed, and ``"quit"`` when the window was closed, the input ended or the process was told to end. After ``"quit"`` every
        answer is ``"quit"``: a game saves and leaves. While the screen is too small there are only ``"resize"`` and ``"quit"``.

        Args:
            seconds: The longest wait; None for no limit.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed since the last call, or during this one.
        """
