"""The layouts and placing modes that there are; a game may add its own.

Registering is part of starting a program, like importing: do it before content is loaded.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, NoReturn, TypeVar

from dungeon.core.errors import GenerationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dungeon.core.parameters import Parameters

ANY_ACCESS = (0, 1_000)
"""Any number of doors."""

P = TypeVar("P", bound="Parameters")


Size = tuple[int, int]
"""(height, width)."""


def _map_decides(_params: Any, _job: Any) -> None:
    return None


def _any_size(_params: Any, _job: Any) -> Size:
    return 0, 0


def _unknown(_params: Any, _map: Size) -> None:
    return None


def _any_drawing(_sites: Any, _drawing: Any, _options: Any, _spots: int) -> Iterator[tuple[str, int]]:
    return iter(())


def _as_written(params: Any, _stream: Any) -> Any:
    return params


def _top_left(_shape: Any) -> tuple[int, int]:
    return 0, 0


def _walls(_options: Any) -> int:
    return 1


def _none_known(_drawing: Any, _terrain_set: Any) -> None:
    return None


def _draws_none(_params: Any, _drawing: Any, _terrain_set: Any) -> None:
    return None


def _none_lacking(_params: Any, _drawn: Any, _size: Size, _terrain_set: Any) -> Iterator[str]:
    return iter(())


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
    size: Callable[[P, Any], Size | None] = _map_decides
    least: Callable[[P, Any], Size] = _any_size
    largest_room: Callable[[P, Size], Size | None] = _unknown
    kinds: tuple[str, ...] | None = None
    draws_all: bool = False
    objection: Callable[[P, Any, Any], Objection | None] = _draws_none
    pierced: Callable[[P, Any, Any], Objection | None] = _draws_none
    shortages: Callable[[P, Any, Size, Any], Iterator[str]] = _none_lacking

    @property
    def brings_size(self) -> bool:
        """Whether it may decide the size of the map."""
        return self.size is not _map_decides

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
    suits: Callable[[Any, Any, Any, int], Iterator[tuple[str, int]]] = _any_drawing
    settle: Callable[[P, Any], Any] = _as_written
    kinds: tuple[str, ...] = ROOMS
    anchor: Callable[[Shape], tuple[int, int]] = _top_left
    access: tuple[int, int] = ANY_ACCESS
    faces: bool = True
    draws: bool = True
    margin: Callable[[Any], int] = _walls
    shares: bool = False
    objection: Callable[[Any, Any], Objection | None] = _none_known
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
