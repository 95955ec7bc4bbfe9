"""Modules whose names are imported when they are first used: the stub beside such a module is the one list of them."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dungeon.core.collector import collector_paused

if TYPE_CHECKING:
    from collections.abc import Callable


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
