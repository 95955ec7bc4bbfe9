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
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` for a module whose names are imported when first used.

    Args:
        module: The module's name. Its stub (.pyi) has a line ``from HOME import NAME as NAME`` for each name.
    """
    spec: Any = sys.modules[module].__spec__
    home_of: dict[str, str] = {}
    for line in spec.loader.get_data(f"{spec.origin}i").decode().splitlines():
        if line.startswith("from "):
            _, home, _, name, *_ = line.split()
            home_of[name] = home

    def get(name: str) -> object:
        """Import what the name stands for, and return it. This is the ``__getattr__`` of the module."""
        if name not in home_of:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        with collector_paused():
            value = getattr(import_module(home_of[name]), name, None)
            if value is None:  # NAME is a submodule of HOME that is not imported yet
                value = import_module(f"{home_of[name]}.{name}")
        setattr(sys.modules[module], name, value)
        return value

    listed = sorted(home_of, key=lambda name: (not name.isupper(), name.islower(), name))
    return listed, get, lambda: sorted(home_of)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Switch the garbage collector off inside the `with` block, for the whole process; then restore its former state.

    Importing, loading content and making a level create some hundred thousand small objects without reference cycles.
    The collector would scan them again and again, find nothing, and add a third to the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
