"""The registries of layouts and placing modes, and the import of plugins that add their own.

A plugin is a module that registers layouts or placing modes when it is imported. Installed plugins are found by their
entry points of the group ``dungeon.plugins``; others are imported by name. Import them before content is loaded.
"""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, NoReturn, TypeVar, cast

from dungeon.core.errors import (
    PLUGIN_FAULTS,
    GenerationError,
    PluginError,
    PluginWarning,
    described,
    meant_or_all,
    nearest_match,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from importlib.metadata import EntryPoint

    from dungeon.core.parameters import Parameters


ANY_ACCESS = (0, 1_000)
"""Any number of doors."""

P = TypeVar("P", bound="Parameters")


Size = tuple[int, int]
"""(height, width)."""


# The defaults of the functions that a layout or a placing mode may register.


def _none(*_: Any) -> None:
    return None


def _empty(*_: Any) -> Iterator[Any]:
    return iter(())


def _any_size(_params: Any, _job: Any) -> Size:
    return 0, 0


def _as_written(params: Any, _stream: Any) -> Any:
    return params


def _top_left(_shape: Any) -> tuple[int, int]:
    return 0, 0


def _walls(_options: Any) -> int:
    return 1


Objection = tuple[str, tuple[int, int] | None]
"""What is wrong with a drawing, and the (y, x) cell at fault; None if no single cell is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout(Generic[P]):
    """A registered algorithm for ground plans. `register_layout` documents the functions that are not listed here.

    Attributes:
        name: The layout's name in content files.
        params: The pydantic model of the layout's parameters.
        home: The name of the module that registered the layout.
    """

    name: str
    params: type[P]
    build: Callable[[Any, P, Any], Iterator[Any]]
    home: str = ""
    size: Callable[[P, Any], Size | None] = _none
    least: Callable[[P, Any], Size] = _any_size
    largest_room: Callable[[P, Size], Size | None] = _none
    kinds: tuple[str, ...] | None = None
    draws_all: bool = False
    objection: Callable[[P, Any, Any], Objection | None] = _none
    pierced: Callable[[P, Any, Any], Objection | None] = _none
    shortages: Callable[[P, Any, Size, Any], Iterator[str]] = _empty

    @property
    def brings_size(self) -> bool:
        """Whether the layout may decide the size of the map itself."""
        return self.size is not _none

    @property
    def fits_zones(self) -> bool:
        """Whether the layout can build a single zone of a map: it fills any given space, or declares how much space it needs."""
        return not self.brings_size or self.least is not _any_size


ROOMS = ("room",)
CAVES = ("cave",)
"""Values of `Placing.kinds`: the kinds of region in which a mode places."""


class Shape(NamedTuple):
    """The size and front of a prefab in one orientation; all random variants of the prefab share them.

    Attributes:
        height: Number of rows in this orientation.
        width: Number of columns in this orientation.
        front: The direction that the south side of the drawing faces now: 0 to 3 for south, west, north and east.
        max_protrusion: Number of cells by which the prefab may protrude into a cave from the wall in which it is embedded.
    """

    height: int
    width: int
    front: int
    max_protrusion: int


class Annex(NamedTuple):
    """A request to dig a room or cave for a prefab that fits no free one: see `Placing.annex`.

    Attributes:
        kind: Kind of region to dig: room or cave.
        height: Rows of the block to dig.
        width: Columns of the block to dig.
        sides: Sides of the block at which its entrance may be: 0 to 3 for south, west, north and east.
        back: The side of the block behind which earth must remain.
        depth: Number of cells of earth that must remain behind the side `back`.
        facing: 0 if a corridor may be dug to the entrance. Otherwise no corridor is dug: an existing passage must run along the
            entrance side for at least this many cells.
        spare: How much an existing room or cave may be enlarged for the prefab, instead of digging a new one: by at most this
            many cells at each side.
    """

    kind: str
    height: int
    width: int
    sides: tuple[int, ...] = (0, 1, 2, 3)
    back: int = 0
    depth: int = 0
    facing: int = 0
    spare: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing(Generic[P]):
    """A registered placing mode: how a prefab is put on a finished ground plan.

    `register_placing` documents the functions and options that are not listed here.

    Attributes:
        name: The mode's name in content files.
        params: The pydantic model of the mode's parameters.
        home: The name of the module that registered the mode.
    """

    name: str
    params: type[P]
    spots: Callable[[Any, Shape, Any], Iterator[tuple[str, int]]]
    place: Callable[[Any, Any, Any, int, Any], None]
    home: str = ""
    suits: Callable[[Any, Any, Any, int], Iterator[tuple[str, int]]] = _empty
    on_site: Callable[[Any, Any, Any, int], Iterator[tuple[str, int]]] = _empty
    settle: Callable[[P, Any], Any] = _as_written
    kinds: tuple[str, ...] = ROOMS
    anchor: Callable[[Shape], tuple[int, int]] = _top_left
    access: tuple[int, int] = ANY_ACCESS
    faces: bool = True
    draws: bool = True
    margin: Callable[[Any], int] = _walls
    shares: bool = False
    objection: Callable[[Any, Any], Objection | None] = _none
    annex: Callable[[Shape, Any], Annex] | None = None


A = TypeVar("A", "Layout[Any]", "Placing[Any]")


class Registry(dict[str, A]):
    """A dict of all registered layouts, or of all registered placing modes, by name.

    Args:
        sort: What error messages call an item: ``layout`` or ``placing mode``.
    """

    def __init__(self, sort: str) -> None:
        super().__init__()
        self.sort = sort

    def enter(self, new: A) -> None:
        """Register a layout or placing mode under its name.

        Raises:
            TypeError: The model of its parameters is not a subclass of `Parameters`.
            ValueError: The name is taken; the message names the module that registered it first.
        """
        if new.name in self:
            there = self[new.name].home
            raise ValueError(
                f"{new.home} can't register the {self.sort} {new.name!r}: {there} has one of this name"
            )
        # Imported late as it imports pydantic. A module that registers something has imported it already.
        from dungeon.core.parameters import Parameters  # noqa: PLC0415

        if not (isinstance(new.params, type) and issubclass(new.params, Parameters)):
            raise TypeError(
                f"{new.home} can't register the {self.sort} {new.name!r}: the class of its parameters must be a "
                f"subclass of Parameters, and {new.params!r} is not"
            )
        self[new.name] = new

    def __missing__(self, name: str) -> NoReturn:
        raise LookupError(
            f"no {self.sort} {name!r} is registered: import the plugin that registers it before you load content"
        )


LAYOUTS: Registry[Layout[Any]] = Registry("layout")
PLACINGS: Registry[Placing[Any]] = Registry("placing mode")


@contextmanager
def blamed(sort: str, what: Layout[Any] | Placing[Any]) -> Iterator[None]:
    """Add a note to each exception in the `with` block that names the layout or placing mode that raised it.

    A GenerationError gets no note.

    Args:
        sort: ``layout`` or ``placing mode``.
        what: The layout or placing mode whose function is called in the block.
    """
    try:
        yield
    except GenerationError:
        raise
    except Exception as error:
        error.add_note(f"This was in the {sort} {what.name!r} of {what.home}.")
        raise


def is_plugin(home: str) -> bool:
    """Tell whether a module is neither part of this library nor the running script, which can't be imported by name."""
    return home.partition(".")[0] not in (__name__.partition(".")[0], "__main__")


def layouts_of(name: str, params: Parameters) -> list[tuple[Layout[Any], Parameters]]:
    """Return (layout, parameters) for each layout that builds rooms on a map: the layouts of its zones, or else the map's own.

    Args:
        name: The name of the map's layout.
        params: The parameters of the map's layout; those of `patchwork`, for example, name other layouts for zones.
    """
    found = [*params.layouts_of_zones().values()] or [(name, params)]
    return [(LAYOUTS[each], its) for each, its in found]


GROUP: Final = "dungeon.plugins"
"""The group of entry points that name plugins."""


@cache
def import_installed() -> None:
    """Import all installed plugins at the first call; later calls do nothing.

    For each plugin that can't be imported, issue a `PluginWarning` and go on with the others.
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
        PluginError: The plugin can't be imported.

    Example:
        >>> from dungeon.extend import import_plugin
        >>> import_plugin("dungeon_halls")
    """
    _load(module, lambda: import_module(module))


def import_named(modules: Iterable[str]) -> None:
    """Import plugins by module name, from Python's path or the current folder.

    Raises:
        PluginError: One of them can't be imported.

    Example:
        >>> from dungeon.extend import import_named
        >>> import_named(["dungeon_halls"])
    """
    here = str(Path.cwd())
    for module in modules:
        if here not in sys.path:
            sys.path.append(here)  # last, so that files in the current folder replace no other module
        import_plugin(module)


def installed(group: str) -> dict[str, EntryPoint]:
    """Return name -> entry point, for the installed entry points of a group."""
    from importlib.metadata import entry_points  # noqa: PLC0415  # few programs need plugins

    return {each.name: each for each in entry_points(group=group)}


def find_callable(group: str, what: str, name: str, besides: Iterable[str] = ()) -> Callable[..., Any]:
    """Return the callable that an entry point or ``module:attribute`` names.

    Args:
        group: The group of the entry point.
        what: Kind of thing, for messages, such as ``bot``.
        name: Name of an entry point, or ``module:attribute``.
        besides: Further known names, for messages.

    Raises:
        LookupError: The name is unknown, can't be imported or is not callable; the message lists the known names.
    """
    known = installed(group)
    module, _, attribute = name.partition(":")
    if name not in known and not attribute:
        names = [*besides, *sorted(known)]
        nearest = nearest_match(name, names)
        hint = meant_or_all(nearest, names) or "none is installed"
        hint += "" if nearest else "; or name one as module:attribute"
        raise LookupError(f"there is no {what} {name!r} ({hint})")
    try:
        found = known[name].load() if name in known else getattr(import_module(module), attribute)
    except PLUGIN_FAULTS as error:  # the name may be wrong, and a plugin may raise anything
        is_missing = isinstance(error, ImportError | AttributeError)
        why = error if is_missing else described(error, 1)
        raise LookupError(f"the {what} {name!r} can't be loaded: {why}") from error
    if not callable(found):
        raise LookupError(f"the {what} {name!r} is {found!r}, which can't be called")  # noqa: TRY004  # the name is wrong
    return cast("Callable[..., Any]", found)


@contextmanager
def forgotten_afterwards() -> Iterator[None]:
    """After the `with` block, unregister all layouts and placing modes that were registered in it. For tests of plugins.

    Installed plugins are imported first and stay registered.

    Example:
        >>> from dungeon.extend import forgotten_afterwards, import_plugin
        >>> with forgotten_afterwards():
        ...     import_plugin("dungeon_halls")
    """
    import_installed()
    registered = _registered()
    try:
        yield
    finally:
        _restore(registered)


def _load(plugin: str, load: Callable[[], Any]) -> None:
    """Import a plugin by calling `load`. If that fails, unregister what the plugin has registered so far.

    Args:
        plugin: The plugin's name, for the message.
        load: A function that imports the plugin.

    Raises:
        PluginError: The plugin can't be imported.
    """
    registered = _registered()
    try:
        load()
    except PLUGIN_FAULTS as error:  # a plugin may do anything wrong: the message names it
        _restore(registered)
        raise PluginError(f"the plugin {plugin} can't be imported: {described(error, 1)}") from error


def _registered() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return copies of the registries of layouts and placing modes."""
    return dict(LAYOUTS), dict(PLACINGS)


def _restore(registered: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """Reset both registries to the copies that `_registered` returned."""
    layouts, placings = registered
    LAYOUTS.clear()
    LAYOUTS.update(layouts)
    PLACINGS.clear()
    PLACINGS.update(placings)
