"""Plugins: modules of others, which register layouts and placing modes when they are imported.

Those that are installed say so by an entry point of the group ``dungeon.plugins``; others are named by whoever wants them.
"""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from dungeon.core.errors import PluginError, PluginWarning, nearest_match
from dungeon.core.registry import LAYOUTS, PLACINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from importlib.metadata import EntryPoint

GROUP: Final = "dungeon.plugins"
"""The group of entry points that name plugins."""


@cache
def import_installed() -> None:
    """Import the plugins that are installed, the first time that it is called.

    A `PluginWarning` tells of each that can't be imported. The others are imported nevertheless.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415  # few programs read content

    for each in sorted(entry_points(group=GROUP), key=lambda each: (each.value, each.name)):
        of = f" of {each.dist.name} {each.dist.version}" if each.dist else ""
        try:
            _load(f"{each.name} ({each.value}{of})", each.load)
        except PluginError as error:
            warnings.warn(str(error), PluginWarning, stacklevel=2)


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


def installed(group: str) -> dict[str, EntryPoint]:
    """Return name -> the entry point, for each of a group that is installed."""
    from importlib.metadata import entry_points  # noqa: PLC0415  # as above

    return {each.name: each for each in entry_points(group=group)}


def find_callable(group: str, what: str, name: str, besides: Iterable[str] = ()) -> Callable[..., Any]:
    """Return what an entry point names, or ``module:attribute``.

    Args:
        group: The group of the entry point.
        what: What it is, in a word, for errors.
        name: The name of the entry point, or the module and the attribute.
        besides: Names that there are without entry points, for errors.

    Raises:
        LookupError: There is no such thing, or it can't be called; the message says which there are, or what is wrong with it.
    """
    known = installed(group)
    module, _, attribute = name.partition(":")
    if name not in known and not attribute:
        names = [*besides, *sorted(known)]
        there = f"there are {', '.join(names)}" if names else "none is installed"
        nearest = nearest_match(name, names)
        hint = f"did you mean {nearest}?" if nearest else f"{there}; or name one as module:attribute"
        raise LookupError(f"there is no {what} {name!r} ({hint})")
    try:
        found = known[name].load() if name in known else getattr(import_module(module), attribute)
    except (Exception, SystemExit) as error:  # the name may be none, and others may do anything wrong
        is_missing = isinstance(error, ImportError | AttributeError)
        why = error if is_missing else f"{type(error).__name__}: {error}"
        raise LookupError(f"the {what} {name!r} can't be loaded: {why}") from error
    if not callable(found):
        raise LookupError(f"the {what} {name!r} is {found!r}, which can't be called")  # noqa: TRY004  # the name is wrong
    return cast("Callable[..., Any]", found)


@contextmanager
def forgotten_afterwards() -> Iterator[None]:
    """Forget at the end of a `with` what has been registered in it: for tests of layouts and placing modes.

    The plugins that are installed are imported before it begins, and stay.
    """
    import_installed()
    registered = _registered()
    try:
        yield
    finally:
        _restore(registered)


def _load(plugin: str, load: Callable[[], Any]) -> None:
    """Import a plugin. Nothing stays registered of one that fails halfway.

    Raises:
        PluginError: It can't be imported.
    """
    registered = _registered()
    try:
        load()
    except (Exception, SystemExit) as error:  # a plugin may do anything wrong: the message names it
        _restore(registered)
        raise PluginError(
            f"the plugin {plugin} can't be imported: {type(error).__name__}: {error}"
        ) from error


def _registered() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return copies of the registries of layouts and placing modes."""
    return dict(LAYOUTS), dict(PLACINGS)


def _restore(registered: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """Give both registries what they had when `_registered` was called, and nothing else."""
    layouts, placings = registered
    LAYOUTS.clear()
    LAYOUTS.update(layouts)
    PLACINGS.clear()
    PLACINGS.update(placings)
