"""A console as text with 24-bit colour, for terminals that are only printed to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tcod.console import Console

RESET = "\x1b[0m"


def to_ansi(console: Console) -> str:
    """Return the console's rows as lines with escape sequences where colours change."""
    lines = []
    fields = (console.rgb[field].tolist() for field in ("ch", "fg", "bg"))
    for row in zip(*fields, strict=True):
        parts: list[str] = []
        last: tuple[list[int], list[int]] | None = None
        for ch, fg, bg in zip(*row, strict=True):
            if (fg, bg) != last:
                last = fg, bg
                parts.append("\x1b[38;2;{};{};{};48;2;{};{};{}m".format(*fg, *bg))
            parts.append(chr(ch) if ch >= ord(" ") else " ")
        lines.append("".join(parts) + RESET + "\n")
    return "".join(lines)
