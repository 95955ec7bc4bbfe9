"""The layouts and placing modes that there are; a game may add its own.

Registering is part of starting a program, like importing: do it before content is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict

from dungeon.core.frozen import freeze_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class Parameters(BaseModel):
    """Base of what an author may set on a layout or a placing mode: unknown keys are mistakes.

    Attributes:
        NOT_HERE: Keys that an author may look for here -> why there are none.
    """

    NOT_HERE: ClassVar[dict[str, str]] = {}

    # What checks parameters is built when there are some: only then pydantic looks for plug-ins, which takes 10 ms.
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, defer_build=True)

    def model_post_init(self, _context: object, /) -> None:
        """Freeze what they hold: they are shared by all levels."""
        freeze_fields(self)

    def asked_for(self) -> tuple[str, ...]:
        """Return the names and tags of the prefabs that the parameters ask for, so that these count as used."""
        return ()

    def named_zones(self) -> Mapping[str, Any]:
        """Return the zones that its maps may have, by name, each with its `theme`, its `step` and its `lock`, as a `ZoneEntry` has."""
        return {}

    def laid_terrain(self) -> Iterator[tuple[str, Any, bool]]:
        """Yield the terrain that is laid: its key, its value, and whether one must be able to walk on it or must not."""
        return iter(())

    def layouts_of_zones(self) -> Mapping[str, tuple[str, Parameters]]:
        """Return zone -> the name and the parameters of the layout that builds it, if zones have layouts of their own."""
        return {}


ANY_ACCESS = (0, 1_000)
"""Any number of doors."""

P = TypeVar("P", bound=Parameters)


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
    """A way to make the ground plan of a map.

    Attributes:
        name: What authors call it.
        params: What they may set.
        build: Called with (canvas, params, job); digs, and yields a Step after each notable change. In the end walls stand
            between earth and all that is open (`canvas.build_walls`), and everything open hangs together; `docs/proof.md`
            lists what levels are promised to be.
        size: Called with (params, job); returns the (height, width) that the map must have, or None
            where the map's own `size` decides.
        least: Called with (params, job); returns how many cells the shorter and the longer side of the map need at least. A zone
            that it builds is not made smaller. One that brings a size can build zones only if it has this.
        largest_room: Called with (params, the (height, width) that the map has at most); returns the (height, width)
            that no room is larger than, (0, 0) where there are no rooms, or None where that can't be told. Checks
            of content ask for it.
        kinds: The kinds of region, of those that encounters are placed in, that its maps have; None if that is not known.
        draws_all: Whether it draws over whatever is on the map before it, so that a map can't have features.
        objection: Called with (params, drawing, terrain_set), one of the drawings of a prefab that the parameters name;
            returns what is wrong with it as (part of) a map, in words that follow "it has", or None. Checks of content ask
            for it.
        shortages: Called with (params, drawn, the (height, width) that the map has at most, terrain_set), `drawn` being name or
            tag of what the parameters name -> prefab -> its drawings; yields why no map can ever be all that they ask for.
            Checks of content ask for it.
    """

    name: str
    params: type[P]
    build: Callable[[Any, P, Any], Iterator[Any]]
    size: Callable[[P, Any], Size | None] = _map_decides
    least: Callable[[P, Any], Size] = _any_size
    largest_room: Callable[[P, Size], Size | None] = _unknown
    kinds: tuple[str, ...] | None = None
    draws_all: bool = False
    objection: Callable[[P, Any, Any], Objection | None] = _draws_none
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
    """A way to put a prefab on a finished ground plan.

    A site is a room or cave that is free. A spot is where a drawing may lie, told by a cell of its site: that on which the
    *anchor* lies, a certain cell of the drawing. Modes find all spots at once, as masks of these cells (see `grid.bits`),
    rule by rule: each rule yields what a site does that breaks it, in words that follow "3 rooms" (`too small`), and the
    spots that are left. After a rule that leaves none, no other is asked.

    Attributes:
        name: What authors call it.
        params: What they may set.
        spots: Called with (sites, shape, options); yields the rules for anything of that `Shape`, whatever is drawn.
        place: Called with (canvas, drawing, spot, region, options); draws it there and changes nothing beyond `margin`
            cells around the drawing and the bounds of the region. If the site is no longer whole afterwards, or another
            region is not what it was, that is undone and the next spot is tried.
        suits: Called with (sites, drawing, options, the mask that `spots` has left); yields the rules for that drawing.
        settle: Called with (params, stream); returns the options that the functions above are given: what is rolled
            for each encounter. The parameters themselves, unless this is given.
        kinds: The kinds of region that are its sites.
        anchor: Called with a shape; returns which cell (y, x) of a drawing is its anchor. The first one, unless this is given.
        access: How many ways may lead into a site, from and to, unless the encounter says.
        faces: Whether it matters which side the front faces.
        draws: Whether there is a prefab to be placed; otherwise `spots` is called with a shape of one cell, and the site
            is all that is chosen.
        margin: See `place`.
        shares: Whether the map's own population may be scattered over what is left of the site, unless the encounter says.
        objection: Called with (drawing, terrain_set), the drawing as it faces south; returns why it can't be placed
            in this mode in any site, with the (y, x) cell to be blamed or None; None if it may be possible. Checks
            of content ask for it.
        annex: Called with (shape, options); returns the `Annex` that is dug beside a way where no site will do. None if
            none is ever dug.
    """

    name: str
    params: type[P]
    spots: Callable[[Any, Shape, Any], Iterator[tuple[str, int]]]
    place: Callable[[Any, Any, Any, int, Any], None]
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


LAYOUTS: dict[str, Layout[Any]] = {}
PLACINGS: dict[str, Placing[Any]] = {}


def layouts_of(name: str, params: Parameters) -> list[tuple[Layout[Any], Parameters]]:
    """Return the layouts by which a map is built, with their parameters: those of its zones, if these have their own."""
    found = [*params.layouts_of_zones().values()] or [(name, params)]
    return [(LAYOUTS[each], its) for each, its in found]


def register_layout(
    name: str, params_model: type[P], function: Callable[[Any, P, Any], Iterator[Any]], **more: Any
) -> None:
    """Make a layout known under a name that map files can use; see `Layout`, whose other attributes are `more`.

    Raises:
        ValueError: The name is taken.
    """
    if name in LAYOUTS:
        raise ValueError(f"there is a layout {name!r} already")
    LAYOUTS[name] = Layout(name=name, params=params_model, build=function, **more)


def register_placing(
    name: str,
    params_model: type[P],
    spots: Callable[[Any, Shape, Any], Iterator[tuple[str, int]]],
    place: Callable[[Any, Any, Any, int, Any], None],
    **more: Any,
) -> None:
    """Make a placing mode known under a name that encounter files can use; see `Placing`, whose other attributes are `more`.

    Raises:
        ValueError: The name is taken.
    """
    if name in PLACINGS:
        raise ValueError(f"there is a placing mode {name!r} already")
    PLACINGS[name] = Placing(name=name, params=params_model, spots=spots, place=place, **more)
