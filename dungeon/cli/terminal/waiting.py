"""What is being waited for: a line on the terminal, once that takes more than a second."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from dungeon.cli.printing import is_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

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
