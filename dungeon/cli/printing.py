"""What commands print: consoles, problems and counts, and how far a long piece of work has come."""

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
    from dungeon.playtest import Progress


COLOURS: dict[Severity, str] = {"error": "31", "warning": "33", "note": "36"}
"""ANSI codes: red, yellow, cyan."""


def add_colour(command: argparse.ArgumentParser) -> None:
    """Add the option that says whether to print colours."""
    command.add_argument(
        "--color",
        "--colour",
        choices=["auto", "always", "never"],
        default="auto",
        dest="colour",
        help="whether to print colours (default auto: on a terminal, unless NO_COLOR is set or TERM is dumb)",
    )


def wants_colour(options: argparse.Namespace, stream: TextIO | None = None) -> bool:
    """Tell whether to print colours on a stream, by default the output.

    As the option says; else on a terminal, unless NO_COLOR is set (https://no-color.org).
    """
    if options.colour == "auto":
        return is_terminal(stream or sys.stdout) and not os.environ.get("NO_COLOR")
    return bool(options.colour == "always")


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a stream is a terminal that understands more than lines; None is a stream that is closed."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def console_text(console: Console, *, colour: bool) -> str:
    """Return a console as text, every row with its line end."""
    from dungeon.adapters.console import console_to_rows, to_ansi

    return to_ansi(console) if colour else "".join(f"{row}\n" for row in console_to_rows(console))


def legend_lines(meanings: Iterable[Meaning], *, colour: bool) -> list[str]:
    """Return what tints mean, a line each: a sample where colours are wanted, the colour's name, the meaning."""
    lines = []
    for (name, (red, green, blue)), text in meanings:
        sample = f"\x1b[48;2;{red};{green};{blue}m  \x1b[0m " if colour else ""
        lines.append(f"  {sample}{name:7} {text}")
    return lines


def problem_text(problem: Problem, *, colour: bool) -> str:
    """Return a problem as one line: its place in bold, its severity in that one's colour."""
    text = str(problem)
    if not colour:
        return text
    place, severity = f"{problem.source}:", problem.severity
    rest = text[len(f"{place} {severity}") :]
    return f"\x1b[1m{place}\x1b[0m \x1b[1;{COLOURS[severity]}m{severity}\x1b[0m{rest}"


PATIENCE = 1.0
"""Seconds until the line is drawn."""

BEAT = 0.5
"""Seconds until it is drawn again."""


@dataclass(slots=True)
class Wait:
    """Somebody waits.

    Attributes:
        what: For what: whoever works may change it.
        over: Set when that is done.
    """

    what: str
    over: Event = field(default_factory=Event)

    def draw_on(self, terminal: TextIO) -> None:
        """Draw the line again and again until it is over, then wipe it off. Nothing is drawn if that is soon."""
        start = monotonic()
        if self.over.wait(PATIENCE):
            return
        while True:
            print(f"\r{self.what}, {monotonic() - start:.0f} s\x1b[K", end="", file=terminal, flush=True)
            if self.over.wait(BEAT):
                break
        print("\r\x1b[K", end="", file=terminal, flush=True)


@contextmanager
def waiting(what: str) -> Iterator[Wait]:
    """Tell on a terminal what is being done, in a thread of its own: what takes long need not know of it.

    Nothing else is to be printed meanwhile, and no process to be forked.
    """
    wait = Wait(what)
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
