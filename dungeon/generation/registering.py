"""How layouts and placing modes are made known, with the types of all that they are given: the library's own, and others'."""

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
"""Rule by rule: what a site does that breaks it, in words that follow "3 rooms" (``too small``), and the mask of the spots left."""


class LayoutOptions(TypedDict, Generic[P], total=False):
    """What may be said of a layout besides how it is built.

    Attributes:
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
        pierced: Called with the same; returns an empty text and a cell to which a way is dug through a wall of the drawing, or
            None. Checks of content ask for it.
        shortages: Called with (params, drawn, the (height, width) that the map has at most, terrain_set), `drawn` being name or
            tag of what the parameters name -> prefab -> its drawings; yields why no map can ever be all that they ask for.
            Checks of content ask for it.
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
    """Make a layout known, a way to make the ground plan of a map, under a name that map files can use.

    Args:
        name: What authors call it.
        params_model: What they may set.
        function: Called with (canvas, params, job); digs, and yields a Step after each notable change. In the end walls stand
            between earth and all that is open (`canvas.build_walls`), and everything open hangs together; `docs/proof.md`
            lists what levels are promised to be. It raises a GenerationError where its luck was bad: then it is called again,
            with the canvas as it was and another `job.attempt`, up to thirty times. Where no luck would help that is a
            HopelessError, and where none would in the space that there is, a CrampedError.
        **more: See `LayoutOptions`.

    Raises:
        ValueError: The name is taken.
    """
    LAYOUTS.enter(Layout(name=name, params=params_model, build=function, home=function.__module__, **more))


class PlacingOptions(TypedDict, Generic[O], total=False):
    """What may be said of a placing mode besides where it finds spots and how it draws there.

    Attributes:
        suits: Called with (sites, drawing, options, the mask that `spots` has left); yields the rules for that drawing.
        on_site: Called with (site, drawing, options, the mask of the spots on that site, counted from the bit `site.first`) when the
            site is tried; yields the rules that look at each site by itself.
        kinds: The kinds of region that are its sites: rooms, unless this is given.
        anchor: Called with a shape; returns which cell (y, x) of a drawing is its anchor. The first one, unless this is given.
        access: How many ways may lead into a site, from and to, unless the encounter says.
        faces: Whether it matters which side the front faces; it does, unless this is given.
        draws: Whether there is a prefab to be placed; otherwise `spots` is called with a shape of one cell, and the site
            is all that is chosen.
        margin: Called with the options; how many cells around the drawing and the bounds of the region may change. One,
            unless this is given.
        shares: Whether the map's own population may be scattered over what is left of the site, unless the encounter says.
        objection: Called with (drawing, terrain_set), the drawing as it faces south; returns why it can't be placed
            in this mode in any site, with the (y, x) cell to be blamed or None; None if it may be possible. Checks
            of content ask for it.
        annex: Called with (shape, options); returns the `Annex` that is dug beside a way where no site will do. None if
            none is ever dug.
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
    """Make a placing mode known, a way to put a prefab on a finished ground plan, under a name that encounter files can use.

    A site is a room or cave that is free. A spot is where a drawing may lie, told by a cell of its site: that on which the
    *anchor* lies, a certain cell of the drawing. Modes find all spots at once, as masks of these cells (see `Board`), rule
    by rule. After a rule that leaves none, no other is asked.

    Args:
        name: What authors call it.
        params_model: What they may set.
        spots: Called with (sites, shape, options); yields the rules for anything of that `Shape`, whatever is drawn.
        place: Called with (canvas, drawing, spot, region, options), `spot` being where the drawing's top-left cell comes to
            lie; draws it there and changes nothing beyond `margin` cells around the drawing and the bounds of the region.
            If the site is no longer whole afterwards, or another region is not what it was, that is undone and the next
            spot is tried.
        **more: See `PlacingOptions`. And `settle`, called with (params, stream), which returns the options that the functions
            above are given: what is rolled for each encounter. The parameters themselves, unless this is given.

    Raises:
        ValueError: The name is taken.
    """
    PLACINGS.enter(
        Placing(name=name, params=params_model, spots=spots, place=place, home=place.__module__, **more)
    )
