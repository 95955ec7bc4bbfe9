"""The layouts and placing modes that there are; a game may add its own.

Registering is part of starting a program, like importing: do it before content is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Parameters(BaseModel):
    """Base of what an author may set on a layout or a placing mode: unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    def prefabs(self) -> dict[str, str]:
        """Return the parameters that name a prefab, so that the name is checked when content is loaded."""
        return {}


ANY_ACCESS = (0, 1_000)
"""Any number of doors."""

P = TypeVar("P", bound=Parameters)


Size = tuple[int, int]
"""(height, width)."""


def _map_decides(_params: Any, _job: Any) -> None:
    return None


def _unknown(_params: Any, _map: Size) -> None:
    return None


def _none_known(_drawing: Any, _terrain_set: Any) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout(Generic[P]):
    """A way to make the ground plan of a map.

    Attributes:
        name: What authors call it.
        params: What they may set.
        build: Called with (canvas, params, job); digs, and yields a Step after each notable change.
        size: Called with (params, job); returns the (height, width) that the map must have, or None
            where the map's own `size` decides.
        largest_room: Called with (params, the (height, width) that the map has at most); returns the (height, width)
            that no room is larger than, (0, 0) where there are no rooms, or None where that can't be told. Checks
            of content ask for it.
    """

    name: str
    params: type[P]
    build: Callable[[Any, P, Any], Iterator[Any]]
    size: Callable[[P, Any], Size | None] = _map_decides
    largest_room: Callable[[P, Size], Size | None] = _unknown

    @property
    def brings_size(self) -> bool:
        """Whether it may decide the size of the map."""
        return self.size is not _map_decides


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing(Generic[P]):
    """A way to put a prefab on a finished ground plan.

    Attributes:
        name: What authors call it.
        params: What they may set.
        spots: Called with (sites, drawing, params); returns the mask of every top-left cell at which the
            drawing may lie.
        place: Called with (canvas, drawing, spot, region, params); draws it there and changes nothing beyond the
            room's walls. If the room is no longer whole afterwards, that is undone and the next spot is tried.
        access: How many doors a room may have, from and to, unless the encounter says.
        objection: Called with (drawing, terrain_set), the drawing as it faces south; returns why it can't be placed
            in this mode in any room, with the (y, x) cell to be blamed or None; None if it may be possible. Checks
            of content ask for it.
    """

    name: str
    params: type[P]
    spots: Callable[[Any, Any, P], int]
    place: Callable[[Any, Any, Any, int, P], None]
    access: tuple[int, int] = ANY_ACCESS
    objection: Callable[[Any, Any], tuple[str, tuple[int, int] | None] | None] = _none_known


LAYOUTS: dict[str, Layout[Any]] = {}
PLACINGS: dict[str, Placing[Any]] = {}


def register_layout(
    name: str,
    params_model: type[P],
    function: Callable[[Any, P, Any], Iterator[Any]],
    *,
    size: Callable[[P, Any], Size | None] | None = None,
    largest_room: Callable[[P, Size], Size | None] | None = None,
) -> None:
    """Make a layout known under a name that map files can use; see `Layout`.

    Raises:
        ValueError: The name is taken.
    """
    if name in LAYOUTS:
        raise ValueError(f"there is a layout {name!r} already")
    LAYOUTS[name] = Layout(
        name=name,
        params=params_model,
        build=function,
        size=size or _map_decides,
        largest_room=largest_room or _unknown,
    )


def register_placing(
    name: str,
    params_model: type[P],
    spots: Callable[[Any, Any, P], int],
    place: Callable[[Any, Any, Any, int, P], None],
    *,
    access: tuple[int, int] = ANY_ACCESS,
    objection: Callable[[Any, Any], tuple[str, tuple[int, int] | None] | None] | None = None,
) -> None:
    """Make a placing mode known under a name that encounter files can use; see `Placing`.

    Raises:
        ValueError: The name is taken.
    """
    if name in PLACINGS:
        raise ValueError(f"there is a placing mode {name!r} already")
    PLACINGS[name] = Placing(
        name=name,
        params=params_model,
        spots=spots,
        place=place,
        access=access,
        objection=objection or _none_known,
    )
