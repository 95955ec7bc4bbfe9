"""The layouts and placing modes that there are; a game may add its own.

Registering is part of starting a program, like importing: do it before content is loaded.

Plugins: modules of others, which register layouts and placing modes when they are imported.

Those that are installed say so by an entry point of the group ``dungeon.plugins``; others are named by whoever wants them.
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

from dungeon.core.errors import GenerationError, PluginError, PluginWarning, nearest_match

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from importlib.metadata import EntryPoint

    from dungeon.core.parameters import Parameters


ANY_ACCESS = (0, 1_000)
"""Any number of doors."""

P = TypeVar("P", bound="Parameters")


Size = tuple[int, int]
"""(height, width)."""


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
"""What is wrong with a drawing, and the (y, x) cell to be blamed if it is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout(Generic[P]):
    """A way to make the ground plan of a map; `generation.registering.register_layout` tells what its functions are given.

    Attributes:
        name: What authors call it.
        params: What they may set.
        home: The module that its function comes from.
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
        """Whether it may decide the size of the map."""
        return self.size is not _none

    @property
    def fits_zones(self) -> bool:
        """Whether it may be the layout of a zone: it takes what space there is, or says how much it needs."""
        return not self.brings_size or self.least is not _any_size


ROOMS = ("room",)
CAVES = ("cave",)
"""Kinds of region that a mode may place in."""


class Shape(NamedTuple):
    """What all variants of a prefab have in common in one orientation.

    Attributes:
        height: Rows, as it lies.
        width: Columns, as it lies.
        front: The side that its front faces: 0 to 3 for south, west, north and east.
        max_protrusion: How many cells it may stand out into a cave from the wall that it is embedded in.
    """

    height: int
    width: int
    front: int
    max_protrusion: int


class Annex(NamedTuple):
    """What a mode wants of a site that is dug for something of a shape: see `Placing.annex`.

    Attributes:
        kind: The kind of region, room or cave.
        height: Rows of the block that it fills.
        width: Columns of it.
        sides: The sides at which the way may lead in: 0 to 3 for south, west, north and east.
        back: The side at which earth must be left, and `depth` how many cells of it.
        facing: How many cells in a row at the side where the way leads in must have a way right behind their wall; 0 if
            a hallway may lead there.
        spare: How many cells at each side a site can do without that grows to hold it, and is no block of its own.
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
    """A way to put a prefab on a finished ground plan; `generation.registering.register_placing` tells what its functions are given.

    Attributes:
        name: What authors call it.
        params: What they may set.
        home: The module that its functions come from.
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
    """What is registered of one sort, by name.

    Args:
        sort: What it is called: layout, say.
    """

    def __init__(self, sort: str) -> None:
        super().__init__()
        self.sort = sort

    def enter(self, new: A) -> None:
        """Make something known under its name.

        Raises:
            TypeError: Its parameters are no `Parameters`.
            ValueError: The name is taken; the message says by which module.
        """
        if new.name in self:
            there = self[new.name].home
            raise ValueError(
                f"{new.home} can't register the {self.sort} {new.name!r}: {there} has one of this name"
            )
        # Imported only here, where whoever has parameters of its own has imported it before.
        from dungeon.core.parameters import Parameters  # noqa: PLC0415

        if not (isinstance(new.params, type) and issubclass(new.params, Parameters)):
            raise TypeError(
                f"{new.home} can't register the {self.sort} {new.name!r}: what authors may set is a subclass of Parameters, "
                f"not {new.params!r}"
            )
        self[new.name] = new

    def __missing__(self, name: str) -> NoReturn:
        raise LookupError(
            f"no {self.sort} {name!r} is registered here: import what registers it, before content is loaded"
        )


LAYOUTS: Registry[Layout[Any]] = Registry("layout")
PLACINGS: Registry[Placing[Any]] = Registry("placing mode")


@contextmanager
def blamed(sort: str, what: Layout[Any] | Placing[Any]) -> Iterator[None]:
    """Note on whatever goes wrong in a `with` which layout, or placing mode, it was in; bad luck is nothing wrong."""
    try:
        yield
    except GenerationError:
        raise
    except Exception as error:
        error.add_note(f"This was in the {sort} {what.name!r} of {what.home}.")
        raise


def is_plugin(home: str) -> bool:
    """Tell whether a module is another's than the library's, and can be imported: a script that is run can't."""
    return home.partition(".")[0] not in (__name__.partition(".")[0], "__main__")


def layouts_of(name: str, params: Parameters) -> list[tuple[Layout[Any], Parameters]]:
    """Return the layouts by which a map is built, with their parameters: those of its zones, if these have their own."""
    found = [*params.layouts_of_zones().values()] or [(name, params)]
    return [(LAYOUTS[each], its) for each, its in found]


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
