"""Register layouts and placing modes, the library's own and those of plugins, with the types of their functions.

A layout is an algorithm that digs the ground plan of a map. A placing mode puts the prefab of an encounter into a
finished ground plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar, Unpack, overload

from dungeon.core.registry import LAYOUTS, PLACINGS, Annex, Layout, Objection, P, Placing, Shape, Size

if TYPE_CHECKING:
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.generation.placing.sites import Site, Sites
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.level.steps import Step
    from dungeon.terrain import TerrainSet

O = TypeVar("O")  # noqa: E741  # options

Rules = Iterator[tuple[str, int]]
"""(rule, mask) pairs. A rule says what is wrong with a site that breaks it, in words that follow "3 rooms" (``too small``).

The mask holds the spots that this rule and all rules before it leave.
"""


class LayoutOptions(TypedDict, Generic[P], total=False):
    """Optional properties of a layout, the keyword arguments of `register_layout`.

    Attributes:
        size: Called with (params, job); returns the (height, width) that the map must have, or None
            if the map's YAML key `size` decides.
        least: Called with (params, job); returns the least numbers of cells along the shorter and the longer side of the map. A zone
            with this layout is made at least that large. A layout that sets `size` can build zones only if it has `least`.
        largest_room: Called with (params, the largest (height, width) of the map); returns a (height, width) that no room
            exceeds: (0, 0) if there are no rooms, None if it is unknown. Content checks call it.
        kinds: The kinds of region for encounters (room, cave) that its maps have; None if unknown.
        draws_all: Whether the layout overwrites everything on the map, so that no feature (such as a prefab) can be put there before.
        objection: Called with (params, drawing, terrain_set) for each drawing of a prefab that the parameters name;
            returns (why the drawing can't be a map or a part of one, in words that follow "it has", cell to blame), or None.
            Content checks call it.
        pierced: Called with the arguments of `objection`; returns ("", the cell of a drawn wall through which a corridor will be
            dug), or None. Content checks call it.
        shortages: Called with (params, drawn, the largest (height, width) of the map, terrain_set). `drawn` maps each name or
            tag in the parameters to its prefabs and their drawings. Yields each reason why no map can satisfy the parameters.
            Content checks call it.
    """

    size: Callable[[P, LayoutJob], Size | None]
    least: Callable[[P, LayoutJob], Size]
    largest_room: Callable[[P, Size], Size | None]
    kinds: tuple[str, ...] | None
    draws_all: bool
    objection: Callable[[P, Drawing, TerrainSet], Objection | None]
    pierced: Callable[[P, Drawing, TerrainSet], Objection | None]
    shortages: Callable[[P, Mapping[str, Mapping[str, list[Drawing]]], Size, TerrainSet], Iterator[str]]


def register_layout(
    name: str,
    params_model: type[P],
    function: Callable[[Canvas, P, LayoutJob], Iterator[Step]],
    **more: Unpack[LayoutOptions[P]],
) -> None:
    """Register a layout, an algorithm for the ground plan of a map, under a name that map files can use.

    Args:
        name: The name for map files.
        params_model: The model of the parameters that an author may set.
        function: Called with (canvas, params, job); digs the map, and yields a `Step` after each notable change. At its end walls
            must stand between earth and all open cells (`canvas.build_walls`), and all open cells must be connected;
            `docs/proof.md` lists what a level must satisfy. Terrain follows the kind of a region: `FLOOR` in a room, `CAVE` in
            a cave, `CORRIDOR` in a corridor, junction or hall. If it raises a GenerationError it is called again, with the canvas
            as before and the next `job.attempt`, up to thirty times. It raises a HopelessError if no attempt can succeed, and
            a CrampedError if none can in the space given.
        **more: See `LayoutOptions`.

    Raises:
        ValueError: The name is taken.

    Example:
        >>> from dungeon.extend import Parameters, Phase, Rect, Step
        >>> class OneHall(Parameters):
        ...     '''The layout has no parameters.'''
        >>> def build(canvas, params, job):
        ...     canvas.carve_room(Rect(1, 1, canvas.height - 2, canvas.width - 2))
        ...     canvas.build_walls()
        ...     yield Step(Phase.LAYOUT, "one hall", canvas)
        >>> dungeon.register_layout("one_hall", OneHall, build)
    """
    LAYOUTS.enter(Layout(name=name, params=params_model, build=function, home=function.__module__, **more))


class PlacingOptions(TypedDict, Generic[O], total=False):
    """Optional properties of a placing mode, the keyword arguments of `register_placing`, which explains site, spot and anchor.

    Attributes:
        suits: Called with (sites, drawing, options, the last mask that `spots` yielded); yields further rules, for that drawing.
        on_site: Called with (site, drawing, options, mask of the spots on that site) when a site is tried; yields rules that look
            at one site alone. Bit 0 of this mask is the bit `site.first` of a mask of the map.
        kinds: The kinds of region that can be a site; rooms by default.
        anchor: Called with a shape; returns the cell (y, x) of a drawing that is its anchor. By default the top-left one.
        access: The (least, greatest) number of doors or other ways into a site, unless the encounter says otherwise.
        faces: Whether it matters which way the prefab's front faces; true by default.
        draws: Whether a prefab is placed, true by default. If false, `spots` is called with a shape of one cell, and only a
            site is chosen.
        margin: Called with the options; returns how many cells around the drawing and around the bounds of the region may
            change. By default 1.
        shares: Whether the map's own robots and items may be scattered over the rest of the site, unless the encounter says otherwise.
        objection: Called with (drawing, terrain_set) for a drawing that faces south; returns why it fits no site in this mode,
            with the cell (y, x) to blame or None; None if it may fit. Content checks call it.
        annex: Called with (shape, options); returns the room or cave (`Annex`) to dig beside a corridor if no site fits. None
            instead of a function: nothing is ever dug.
    """

    suits: Callable[[Sites, Drawing, O, int], Rules]
    on_site: Callable[[Site, Drawing, O, int], Rules]
    kinds: tuple[str, ...]
    anchor: Callable[[Shape], tuple[int, int]]
    access: tuple[int, int]
    faces: bool
    draws: bool
    margin: Callable[[O], int]
    shares: bool
    objection: Callable[[Drawing, TerrainSet], Objection | None]
    annex: Callable[[Shape, O], Annex] | None


@overload
def register_placing(
    name: str,
    params_model: type[P],
    spots: Callable[[Sites, Shape, P], Rules],
    place: Callable[[Canvas, Drawing, Cell, int, P], None],
    **more: Unpack[PlacingOptions[P]],
) -> None: ...


@overload
def register_placing(
    name: str,
    params_model: type[P],
    spots: Callable[[Sites, Shape, O], Rules],
    place: Callable[[Canvas, Drawing, Cell, int, O], None],
    *,
    settle: Callable[[P, Stream], O],
    **more: Unpack[PlacingOptions[O]],
) -> None: ...


def register_placing(
    name: str,
    params_model: type[P],
    spots: Callable[[Sites, Shape, Any], Rules],
    place: Callable[[Canvas, Drawing, Cell, int, Any], None],
    **more: Any,
) -> None:
    """Register a placing mode, a way to put a prefab on a finished ground plan, under a name that encounter files can use.

    A site is a free room or cave. A spot is a possible position of a drawing, named by the cell of the site on which the drawing's
    *anchor* (one of its cells) lies. A mode finds all spots at once, as a mask with one bit a cell (see `Board`). It yields (rule, mask
    of the spots that meet this rule and all before it). No further rule is asked after one that leaves no spot.

    Args:
        name: The name for encounter files.
        params_model: The model of the parameters that an author may set.
        spots: Called with (sites, shape, options); yields the rules for any drawing of that `Shape`.
        place: Called with (canvas, drawing, spot, region, options), where `spot` is the cell for the drawing's top-left cell. It
            draws the drawing there, and changes nothing beyond `margin` cells around the drawing and the bounds of the region.
            If the site is then no longer valid, or another region has changed, the placement is undone and the next spot is
            tried.
        **more: See `PlacingOptions`. Besides, `settle`: called for each request with (params, stream), it rolls the
            parameters and returns the options for the functions above. By default the options are the parameters themselves.

    Raises:
        ValueError: The name is taken.

    Example:
        >>> from dungeon.extend import Parameters
        >>> class Anywhere(Parameters):
        ...     '''The mode has no parameters.'''
        >>> def spots(sites, shape, options):
        ...     yield "no room for it", sites.fits(shape.height, shape.width)
        >>> def place(canvas, drawing, spot, region, options):
        ...     canvas.stamp(spot.y, spot.x, drawing.terrain, region)
        >>> dungeon.register_placing("anywhere", Anywhere, spots, place)
    """
    PLACINGS.enter(
        Placing(name=name, params=params_model, spots=spots, place=place, home=place.__module__, **more)
    )
