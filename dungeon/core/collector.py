"""Work during which Python's garbage collector would only be in the way."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector from looking, again and again, through a growing heap without garbage.

    Loading content and making a level leave some hundred thousand small values that never refer back, and importing leaves
    what stays for good. Looking through them all the while would take as much time as a third of the rest, and find
    nothing. It pauses for the whole process, other threads included, and goes on afterwards if it was on before.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
