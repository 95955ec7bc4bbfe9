"""A cheap start: names that are imported when they are first used, and a pause of the garbage collector during heavy work."""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def lazy_names(module: str) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """Return what a module needs to import its names lazily: ``__all__``, ``__getattr__`` and ``__dir__``.

    Args:
        module: Its name. Its stub holds a line ``from HOME import NAME as NAME`` for each of its names.
    """
    spec: Any = sys.modules[module].__spec__
    home_of: dict[str, str] = {}
    for line in spec.loader.get_data(f"{spec.origin}i").decode().splitlines():
        if line.startswith("from "):
            _, home, _, name, *_ = line.split()
            home_of[name] = home

    def get(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        with collector_paused():
            value = getattr(import_module(home_of[name]), name, None)
            if value is None:  # a module, which nothing has imported yet
                value = import_module(f"{home_of[name]}.{name}")
        setattr(sys.modules[module], name, value)
        return value

    listed = sorted(home_of, key=lambda name: (not name.isupper(), name.islower(), name))
    return listed, get, lambda: sorted(home_of)


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
