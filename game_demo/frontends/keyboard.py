"""From the bytes that a terminal sends to keys, clicks and reports.

The grammar of sequences is that of ECMA-48, section 5.4; the keys are those of xterm ("XTerm Control Sequences",
https://invisible-island.net/xterm/ctlseqs/ctlseqs.html), rxvt and the Linux console. No two of them send the same sequence for
different keys, so the kind of terminal does not matter.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from game_demo.frontends.frontend import DIRECTION_KEYS, Click

if TYPE_CHECKING:
    from collections.abc import Iterator

ESC: Final = b"\x1b"
PASTE_END: Final = b"\x1b[201~"
REPLACEMENT: Final = "\ufffd"
"""The character that a decoder yields for invalid bytes."""

SEQUENCE: Final = re.compile(
    rb"\x1b(?:"
    rb"(?P<paste>\[200~)"
    rb"|\[<(?P<mouse>\d{1,9});(?P<x>\d{1,9});(?P<y>\d{1,9})(?P<press>[Mm])"
    rb"|\[\?(?P<mode>\d{1,9});(?P<setting>\d)\$y"
    rb"|\[\[(?P<console>[A-E])"
    rb"|\[(?P<args>[0-?]*)(?P<odd>[ -/]*)(?P<final>[@-Z\\-~])"
    rb"|O(?P<modifier>\d*)(?P<keypad>[@-~])"
    rb")"
)
"""Matches a sequence. Numbers with more digits than any terminal sends match, too, and mean nothing."""
PRIVATE: Final = ("<", "=", ">", "?")
BEGUN: Final = re.compile(rb"\x1b(\[\[|\[[0-?]*[ -/]*|O\d*)?")
"""Matches what may become a sequence when more bytes come."""

CURSOR: Final = {
    "A": "up", "B": "down", "C": "right", "D": "left", "E": "5", "F": "end", "H": "home", "Z": "shift+tab",
    "P": "f1", "Q": "f2", "R": "f3", "S": "f4",
}  # fmt: skip
"""Final letter of a sequence -> its key."""

RXVT: Final = {"a": "up", "b": "down", "c": "right", "d": "left"}
"""Final letter -> the key, for rxvt's sequences with Shift, and after ``ESC O`` with Ctrl."""

NUMBERED: Final = {
    "1": "home", "2": "insert", "3": "delete", "4": "end", "5": "pageup", "6": "pagedown", "7": "home", "8": "end",
    **{
        str(number): f"f{key}"
        for key, number in enumerate((11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24), start=1)
    },
}  # fmt: skip
"""Number of a sequence that ends with a tilde -> its key."""

KEYPAD: Final = {
    **CURSOR, **RXVT,
    "p": "0", "q": "end", "r": "down", "s": "pagedown", "t": "left", "u": "5", "v": "right",
    "w": "home", "x": "up", "y": "pageup",
    "M": "enter", "X": "=", "j": "*", "k": "+", "l": ",", "m": "-", "n": ".", "o": "/",
}  # fmt: skip
"""Letter after ``ESC O`` -> the key of the keypad in application mode."""

CONTROLS: Final = {"\r": "enter", "\n": "enter", "\t": "tab", "\x7f": "backspace", "\b": "backspace"}

BUTTONS: Final = {0: 1, 1: 2, 2: 3}
"""xterm's number of a mouse button, without the bits of modifiers -> the button."""
MODIFIERS: Final = 4 + 8 + 16


@dataclass(frozen=True, slots=True)
class ModeReport:
    """A terminal's report (DECRPM) on one of its private modes.

    Attributes:
        mode: The number of the mode.
        setting: 0 if the terminal doesn't know it, 1 if it is set, 2 if it is reset, 3 if always set, 4 if always reset.
    """

    mode: int
    setting: int


Input = str | Click | ModeReport | None
"""A key's name, a click, a report; None for input without a meaning."""


class Keyboard:
    """Turns the bytes of a terminal into inputs, however they are cut into pieces.

    Pasted text is dropped if the terminal marks it (bracketed paste).

    Args:
        encoding: The codec of text. Invalid bytes are inputs without a meaning.
    """

    def __init__(self, encoding: str) -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._rest = b""
        self._is_pasting = False

    @property
    def is_undecided(self) -> bool:
        """Whether the last byte is an Esc key or the beginning of a sequence; only waiting will tell."""
        return bool(self._rest) and not self._is_pasting

    def feed(self, data: bytes) -> list[Input]:
        """Return the inputs that are complete with some new bytes."""
        self._rest += data
        return list(self._read())

    def settle(self) -> list[Input]:
        """Return the pending input as it is, because no more bytes came."""
        rest, self._rest = self._rest, b""
        return ["escape"] if rest == b"\x1b" else [None] if rest else []

    def _read(self) -> Iterator[Input]:
        while self._rest:
            if self._is_pasting:
                self._skip_paste()
            elif not self._rest.startswith(ESC):
                text, escape, rest = self._rest.partition(ESC)
                self._rest = escape + rest
                yield from map(_key_of_letter, self._decoder.decode(text))
            elif found := SEQUENCE.match(self._rest):
                self._rest = self._rest[found.end() :]
                self._is_pasting = found["paste"] is not None
                if not self._is_pasting:
                    yield _meaning({name: part.decode() for name, part in found.groupdict(b"").items()})
            else:
                broken = BEGUN.match(self._rest)
                assert broken is not None
                if broken.end() == len(self._rest):
                    return
                self._rest = self._rest[broken.end() :]
                yield "escape" if broken[0] == ESC else None
            if self._is_pasting and len(self._rest) < len(PASTE_END):
                return

    def _skip_paste(self) -> None:
        _, end, rest = self._rest.partition(PASTE_END)
        self._is_pasting = not end
        self._rest = rest if end else self._rest[1 - len(PASTE_END) :]


def _key_of_letter(letter: str) -> str | None:
    """Return the name of the key that types a character."""
    if letter in CONTROLS:
        return CONTROLS[letter]
    if 0 < ord(letter) <= 26:
        return f"ctrl+{chr(ord(letter) + 96)}"
    return letter if letter.isprintable() and letter != REPLACEMENT else None


def _meaning(parts: dict[str, str]) -> Input:
    """Return the input that a sequence stands for, given the groups of `SEQUENCE`; a missing group is empty."""
    if parts["mode"]:
        return ModeReport(int(parts["mode"]), int(parts["setting"]))
    if parts["mouse"]:
        button = BUTTONS.get(int(parts["mouse"]) & ~MODIFIERS)
        if button is None or parts["press"] == "m":  # the wheel, or a button let go
            return None
        return Click(int(parts["y"]) - 1, int(parts["x"]) - 1, button)
    return _key(parts)


def _key(parts: dict[str, str]) -> str | None:
    """Return the name of the key that sends a sequence, or None."""
    number, _, modifier = parts["args"].partition(";")
    last = parts["final"]
    if parts["console"]:
        name: str | None = f"f{ord(parts['console']) - ord('A') + 1}"
    elif parts["keypad"]:
        name, modifier = KEYPAD.get(parts["keypad"]), parts["modifier"]
    elif parts["odd"] or number.startswith(PRIVATE):  # an unasked report
        name = None
    elif last in RXVT:
        name, modifier = RXVT[last], "2"
    else:
        name = NUMBERED.get(number) if last == "~" else CURSOR.get(last)
    return _with_shift(name, modifier)


def _with_shift(name: str | None, modifier: str) -> str | None:
    """Return a key's name with Shift if that matters. xterm's modifier number is one more than its bits, so it is even with Shift."""
    if name in DIRECTION_KEYS and modifier.isdecimal() and int(modifier[-1]) % 2 == 0:
        return f"shift+{name}"
    return name
