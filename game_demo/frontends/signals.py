"""Signals that wait until somebody asks for them, so that none ever cuts a frame or a turn in half."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType, TracebackType


def signals_named(*names: str) -> tuple[signal.Signals, ...]:
    """Return those of some signals that there are; Windows lacks most of them."""
    return tuple(getattr(signal, name) for name in names if hasattr(signal, name))


QUIT_SIGNALS: Final = signals_named("SIGTERM", "SIGHUP", "SIGQUIT")
HANDLED_SIGNALS: Final = (*QUIT_SIGNALS, *signals_named("SIGINT", "SIGWINCH", "SIGTSTP", "SIGCONT"))


@contextmanager
def handled(
    numbers: Iterable[signal.Signals], handler: Callable[[int, FrameType | None], None]
) -> Iterator[None]:
    """Have signals handled, but for those that are ignored: nohup, for one, has its reasons."""
    with ExitStack() as stack:
        for number in numbers:
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                stack.callback(signal.signal, number, signal.signal(number, handler))
        yield


class Signals:
    """Takes down which signals came, as a context manager; those that were ignored before still are.

    Ctrl-C (SIGINT) is taken down like the others, but raises KeyboardInterrupt where it comes again before anybody
    asked: then the game hangs.
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
            # Not the handlers write to the pipe, for a signal that another thread takes would not wake us.
            stack.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(writer, warn_on_full_buffer=False))
            stack.enter_context(handled(HANDLED_SIGNALS, self._note))
            self._session = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()

    def fileno(self) -> int:
        """Return what can be read from (by `select`) once a signal has come."""
        return self._pipe

    def take(self) -> list[int]:
        """Return the numbers of the signals that came, each once; wait for one if there is none."""
        numbers = list(dict.fromkeys(os.read(self._pipe, 4096)))
        if signal.SIGINT in numbers:
            self._is_interrupted = False
        return numbers

    def _note(self, number: int, _frame: FrameType | None) -> None:
        """Leave a signal alone, for its number is in the pipe already."""
        if number == signal.SIGINT:
            if self._is_interrupted:
                raise KeyboardInterrupt
            self._is_interrupted = True


def stop() -> None:
    """Stop the process, as Ctrl-Z does where nobody minds it; return when it is told to continue."""
    numbers = (signal.SIGTSTP, signal.SIGCONT)
    handlers = [signal.signal(number, signal.SIG_DFL) for number in numbers]
    signal.raise_signal(signal.SIGTSTP)
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Hold back signals: one that came while the terminal's modes are set would have them not set at all."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
