"""Printing for commands: consoles, legends and problems in colour, and progress lines for long work."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator
    from typing import TextIO

    from tcod.console import Console

    from dungeon.adapters.highlights import Meaning
    from dungeon.core.errors import Problem, Severity
    from dungeon.level.model import Placement
    from dungeon.playtest import Progress


COLOURS: dict[Severity, str] = {"error": "31", "warning": "33", "note": "36"}
"""ANSI codes: red, yellow, cyan."""


def add_colour(command: argparse.ArgumentParser) -> None:
    """Add the option `--color`: whether to print colours."""
    command.add_argument(
        "--color",
        "--colour",
        choices=["auto", "always", "never"],
        default="auto",
        dest="colour",
        help="whether to print colours (default auto: on a terminal, unless NO_COLOR is set or TERM is dumb)",
    )


def wants_colour(options: argparse.Namespace, stream: TextIO | None = None) -> bool:
    """Tell whether to print colours on a stream (default: stdout), by `--color`.

    ``auto`` means: on a terminal, unless NO_COLOR is set (https://no-color.org).
    """
    if options.colour == "auto":
        return is_terminal(stream or sys.stdout) and not os.environ.get("NO_COLOR")
    return bool(options.colour == "always")


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a stream is a terminal with control sequences (TERM is not ``dumb``). None, a closed stream, is not."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def console_text(console: Console, *, colour: bool) -> str:
    """Return a console as text, with a line end after every row, and with ANSI colours if `colour`."""
    from dungeon.adapters.console import console_to_rows, to_ansi

    return to_ansi(console) if colour else "".join(f"{row}\n" for row in console_to_rows(console))


def legend_lines(meanings: Iterable[Meaning], *, colour: bool) -> list[str]:
    """Return a line for each tint of a drawing: a coloured sample if `colour` is True, the colour's name, and the meaning."""
    lines = []
    for (name, (red, green, blue)), text in meanings:
        sample = f"\x1b[48;2;{red};{green};{blue}m  \x1b[0m " if colour else ""
        lines.append(f"  {sample}{name:7} {text}")
    return lines


def problem_text(problem: Problem, *, colour: bool) -> str:
    """Return a problem as one line; if `colour`, with its place in bold and its severity in red, yellow or cyan."""
    text = str(problem)
    if not colour:
        return text
    place, severity = f"{problem.source}:", problem.severity
    rest = text[len(f"{place} {severity}") :]
    return f"\x1b[1m{place}\x1b[0m \x1b[1;{COLOURS[severity]}m{severity}\x1b[0m{rest}"


PATIENCE = 1.0
"""Seconds until the progress line appears, so that short work shows none."""

BEAT = 0.5
"""Seconds between updates of the progress line."""


@dataclass(slots=True)
class ProgressLine:
    """A progress line on a terminal.

    Attributes:
        what: Description of the present work; the worker may change it.
        over: Set when the work is done.
    """

    what: str
    over: Event = field(default_factory=Event)

    def draw_on(self, terminal: TextIO) -> None:
        """Redraw the line until `over` is set, then erase it. Draw nothing if the work ends within `PATIENCE`."""
        start = monotonic()
        if self.over.wait(PATIENCE):
            return
        while True:
            print(f"\r{self.what}, {monotonic() - start:.0f} s\x1b[K", end="", file=terminal, flush=True)
            if self.over.wait(BEAT):
                break
        print("\r\x1b[K", end="", file=terminal, flush=True)


@contextmanager
def waiting(what: str) -> Iterator[ProgressLine]:
    """Show a progress line on stderr during the `with` block, from a thread of its own; without a terminal, show nothing.

    Inside the block nothing else may be printed and no process forked.
    """
    wait = ProgressLine(what)
    terminal = sys.stderr
    if not is_terminal(terminal):
        yield wait
        return
    drawing = Thread(target=wait.draw_on, args=(terminal,), daemon=True)
    drawing.start()
    try:
        yield wait
    finally:
        wait.over.set()
        drawing.join()


CELLS = 24


@contextmanager
def bar_on(terminal: TextIO | None) -> Iterator[Callable[[Progress], None] | None]:
    """Yield a function that draws a progress bar on a terminal; None if `terminal` is no terminal.

    The bar is erased at the end of the `with` block.
    """
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
    """Return the progress bar with the worlds made, the worlds per second and the estimated time left.

    Args:
        progress: Worlds made so far, worlds in all, and worlds that were made before this call.
        seconds: Seconds since the beginning.
    """
    worlds, total, before = progress
    full = CELLS * worlds // max(total, 1)
    line = f"[{'#' * full}{'.' * (CELLS - full)}] {worlds} of {total} worlds"
    made = worlds - before
    if not made or seconds <= 0:
        return line
    return f"{line}, {made / seconds:.3g} a second, {duration((total - worlds) * seconds / made)} left"


def duration(seconds: float) -> str:
    """Return a number of seconds as ``48 s``, ``3 min 05 s`` or ``2 h 10 min``."""
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes_over = divmod(minutes, 60)
    return f"{hours} h {minutes_over:02} min" if hours else f"{minutes} min {rest:02} s"


def placement_line(placement: Placement) -> str:
    """Return a line about a placed encounter or prefab: category, encounter, prefab or mode, and the cells that it covers."""
    bounds = placement.bounds
    where = f"x {bounds.x}..{bounds.right - 1}, y {bounds.y}..{bounds.bottom - 1}"
    how = f"({placement.prefab} {placement.orientation})" if placement.prefab else f"({placement.mode})"
    what = placement.category if placement.encounter else "piece" if placement.mode == "layout" else "feature"
    name = f"{placement.encounter}/{placement.variant}" if placement.variant else placement.encounter
    return f"  {what:7} {name or placement.mode} {how} {where}"
