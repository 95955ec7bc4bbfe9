"""How far a long piece of work has come, on a line of the terminal that is drawn again and again."""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from dungeon.cli.printing import is_terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from dungeon.playtest import Progress

CELLS = 24


@contextmanager
def bar_on(terminal: TextIO | None) -> Iterator[Callable[[Progress], None] | None]:
    """Give what draws the line, on a terminal; None where there is none. It is wiped off in the end."""
    if terminal is None or not is_terminal(terminal):
        yield None
        return
    start = monotonic()

    def tell(progress: Progress) -> None:
        print(f"\r{bar_line(progress, monotonic() - start)}\x1b[K", end="", file=terminal, flush=True)

    try:
        yield tell
    finally:
        print("\r\x1b[K", end="", file=terminal, flush=True)


def bar_line(progress: Progress, seconds: float) -> str:
    """Return the line: a bar, how many worlds there are, how fast they come and how long the rest will take.

    Args:
        progress: How far it has come.
        seconds: How long it has taken.
    """
    worlds, total, before = progress
    full = CELLS * worlds // max(total, 1)
    line = f"[{'#' * full}{'.' * (CELLS - full)}] {worlds} of {total} worlds"
    made = worlds - before
    if not made or seconds <= 0:
        return line
    return f"{line}, {made / seconds:.3g} a second, {duration((total - worlds) * seconds / made)} left"


def duration(seconds: float) -> str:
    """Return a time as ``48 s``, ``3 min 05 s`` or ``2 h 10 min``."""
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes_over = divmod(minutes, 60)
    return f"{hours} h {minutes_over:02} min" if hours else f"{minutes} min {rest:02} s"
