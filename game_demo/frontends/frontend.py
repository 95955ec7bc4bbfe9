"""What the game needs of a screen and a keyboard, be they a terminal or a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, Self

if TYPE_CHECKING:
    from types import TracebackType

    from tcod.console import Console

MIN_COLUMNS: Final = 80
MIN_ROWS: Final = 24

DIRECTION_KEYS: Final = ("up", "down", "left", "right", "home", "end", "pageup", "pagedown")
"""The keys that are told from themselves with Shift."""


class FrontendError(RuntimeError):
    """There is nothing to draw on. The message is one line, for the player."""


class NoTerminalError(FrontendError):
    """Standard input or output is no terminal that can be drawn on."""


class NoWindowError(FrontendError):
    """No window can be opened, for want of a display."""


@dataclass(frozen=True, slots=True)
class Click:
    """A button of the mouse, pressed over a cell of the console.

    Attributes:
        y: The row; `x`: the column.
        button: 1 for the left one, 2 for the middle one, 3 for the right one.
    """

    y: int
    x: int
    button: int


class Frontend(Protocol):
    """A screen of character cells, and the keys pressed before it.

    Use it as a context manager: the screen is taken on entry and given back on exit, whatever happened between.

    Keys have names. A printable character is its own name (``"a"``, ``"A"``, ``"?"``, ``" "``). The others are
    ``"up"``, ``"down"``, ``"left"``, ``"right"``, ``"home"``, ``"end"``, ``"pageup"``, ``"pagedown"``,
    ``"enter"``, ``"escape"``, ``"tab"``, ``"backspace"``, ``"delete"``, ``"insert"``, ``"f1"`` to ``"f12"``,
    and ``"ctrl+a"`` to ``"ctrl+z"``. With Shift the eight keys that give directions are ``"shift+up"``,
    ``"shift+home"`` and so on (`DIRECTION_KEYS`), and Tab is ``"shift+tab"``. Beyond that, Shift, Ctrl and Alt make no difference to a key that is no letter.

    The keypad gives directions with or without Num Lock, where the terminal lets us tell it apart::

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
        """The columns and rows that can be drawn on now, never fewer than `MIN_COLUMNS` and `MIN_ROWS`."""

    def present(self, console: Console) -> None:
        """Show `console` (in C order), and nothing besides. What does not fit is cut off or scaled down.

        Where there is no room for `MIN_COLUMNS` and `MIN_ROWS` that is said instead. While more input waits, it may be left
        to a later frame to show this one.
        """

    def wait(self, seconds: float | None = None, /) -> str | Click | None:
        """Block for the next input and return its name, or where the mouse was clicked.

        Args:
            seconds: How long to wait at most; for as long as it takes, if None.

        Besides the keys there are ``"tick"``, when the time is over, ``"resize"``, when the screen must be drawn
        anew and `size` may have changed, and ``"quit"``, when the window was closed, the input ended or the process was told to end. After
        ``"quit"`` there is no other answer any more: a game that gets it saves and leaves. Where there is no room to play there
        are none but ``"resize"`` and ``"quit"``.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed, since the last time or while waiting.

        Returns:
            The name, a click, or None for an input that has no name.
        """
