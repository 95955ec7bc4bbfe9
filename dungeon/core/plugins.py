"""Plugins: modules of others, which register layouts and placing modes when they are imported.

Those that are installed say so by an entry point of the group ``dungeon.plugins``; others are named by whoever wants them.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dungeon.core.errors import PluginError
from dungeon.core.registry import LAYOUTS, PLACINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

GROUP: Final = "dungeon.plugins"
"""The group of entry points that name plugins."""


@cache
def import_installed() -> None:
    """Import the plugins that are installed, the first time that it is called.

    Raises:
        PluginError: One of them can't be imported.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415  # few programs read content

    for each in sorted(entry_points(group=GROUP), key=lambda each: (each.value, each.name)):
        of = f" of {each.dist.name} {each.dist.version}" if each.dist else ""
        _load(f"{each.name} ({each.value}{of})", each.load)


def import_plugin(module: str) -> None:
    """Import a plugin by the name of its module.

    Raises:
        PluginError: It can't be imported.
    """
    _load(module, lambda: import_module(module))


def import_named(modules: Iterable[str]) -> None:
    """Import the plugins that a command has been told the modules of: these may also lie in the folder that one is in.

    Raises:
        PluginError: One of them can't be imported.
    """
    here = str(Path.cwd())
    for module in modules:
        if here not in sys.path:
            sys.path.append(here)  # behind all else: what lies about there replaces nothing
        import_plugin(module)


@contextmanager
def forgotten_afterwards() -> Iterator[None]:
    """Forget at the end of a `with` what has been registered in it: for tests of layouts and placing modes.

    Raises:
        PluginError: A plugin that is installed can't be imported: they all are before it begins, and stay.
    """
    import_installed()
    layouts, placings = dict(LAYOUTS), dict(PLACINGS)
    try:
        yield
    finally:
        LAYOUTS.clear()
        LAYOUTS.update(layouts)
        PLACINGS.clear()
        PLACINGS.update(placings)


def _load(plugin: str, load: Callable[[], Any]) -> None:
    try:
        load()
    except Exception as error:  # whatever others do wrong, it is told who did
        raise PluginError(
            f"the plugin {plugin} can't be imported: {type(error).__name__}: {error}"
        ) from error
