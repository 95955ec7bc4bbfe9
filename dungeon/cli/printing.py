"""What commands print: consoles, problems and counts, with colour where that is wanted."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from typing import TextIO

    from tcod.console import Console

    from dungeon.adapters.highlights import Meaning
    from dungeon.core.errors import Problem, Severity

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


def counted(count: int, what: str) -> str:
    """Return ``1 error`` or ``3 errors``."""
    return f"{count} {what}{'' if count == 1 else 's'}"
