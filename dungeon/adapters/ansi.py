"""A console as text with 24-bit colour, for terminals that are only printed to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tcod.console import Console

RESET = "\x1b[0m"


def to_ansi(console: Console) -> str:
    """Return the console's rows as lines with escape sequences where colours change."""
    lines = []
    for row in console.rgb:
        parts: list[str] = []
        last: tuple[list[int], list[int]] | None = None
        for ch, fg, bg in row.tolist():
            if (fg, bg) != last:
                last = fg, bg
                parts.append("\x1b[38;2;{};{};{};48;2;{};{};{}m".format(*fg, *bg))
            parts.append(chr(ch) if ch >= ord(" ") else " ")
        lines.append("".join(parts) + RESET + "\n")
    return "".join(lines)
