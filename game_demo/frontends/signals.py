"""Signals that are noted and handled between frames, so that they never interrupt a frame or a turn."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType, TracebackType


def signals_named(*names: str) -> tuple[signal.Signals, ...]:
    """Return the signals of these names that this system has; Windows lacks most."""
    return tuple(getattr(signal, name) for name in names if hasattr(signal, name))


QUIT_SIGNALS: Final = signals_named("SIGTERM", "SIGHUP", "SIGQUIT")
HANDLED_SIGNALS: Final = (*QUIT_SIGNALS, *signals_named("SIGINT", "SIGWINCH", "SIGTSTP", "SIGCONT"))


@contextmanager
def handled(
    numbers: Iterable[signal.Signals], handler: Callable[[int, FrameType | None], None]
) -> Iterator[None]:
    """Install a signal handler while a block runs. Signals that were ignored before, as by nohup, stay ignored."""
    with ExitStack() as stack:
        for number in numbers:
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                stack.callback(signal.signal, number, signal.signal(number, handler))
        yield


class Signals:
    """A context manager that notes which signals came. Signals that were ignored before stay ignored.

    Ctrl-C (SIGINT) is noted, too, but raises KeyboardInterrupt if it comes twice before it was taken: then the game hangs.
    """

    def __init__(self) -> None:
        self._pipe = -1
        self._is_interrupted = False
        self._session = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._pipe, writer = os.pipe()
            stack.callback(os.close, self._pipe)
            stack.callback(os.close, writer)
            os.set_blocking(writer, False)
            # The wakeup fd writes to the pipe, not the handlers: a signal taken by another thread would not wake us.
            stack.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(writer, warn_on_full_buffer=False))
            stack.enter_context(handled(HANDLED_SIGNALS, self._note))
            self._session = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()

    def fileno(self) -> int:
        """Return a file descriptor that becomes readable (for `select`) when a signal has come."""
        return self._pipe

    def take(self) -> list[int]:
        """Return the numbers of the signals that have come, each once; wait for one if there is none."""
        numbers = list(dict.fromkeys(os.read(self._pipe, 4096)))
        if signal.SIGINT in numbers:
            self._is_interrupted = False
        return numbers

    def _note(self, number: int, _frame: FrameType | None) -> None:
        """Do nothing: the signal's number is in the pipe already."""
        if number == signal.SIGINT:
            if self._is_interrupted:
                raise KeyboardInterrupt
            self._is_interrupted = True


def stop() -> None:
    """Stop the process, as Ctrl-Z usually does; return when it is continued."""
    numbers = (signal.SIGTSTP, signal.SIGCONT)
    handlers = [signal.signal(number, signal.SIG_DFL) for number in numbers]
    signal.raise_signal(signal.SIGTSTP)
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Hold back signals while a block runs, so that none interrupts setting the terminal's modes."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
