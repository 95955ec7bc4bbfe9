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


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout(Generic[P]):
    """A way to make the ground plan of a map.

    Attributes:
        name: What authors call it.
        params: What they may set.
        build: Called with (canvas, params, job); digs, and yields a Step after each notable change.
        size: Called with (params, job); returns the (height, width) that the map must have, or None
            where the map's own `size` decides.
    """

    name: str
    params: type[P]
    build: Callable[[Any, P, Any], Iterator[Any]]
    size: Callable[[P, Any], tuple[int, int] | None] = lambda _params, _job: None


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
    """

    name: str
    params: type[P]
    spots: Callable[[Any, Any, P], int]
    place: Callable[[Any, Any, Any, int, P], None]
    access: tuple[int, int] = ANY_ACCESS


LAYOUTS: dict[str, Layout[Any]] = {}
PLACINGS: dict[str, Placing[Any]] = {}


def register_layout(
    name: str,
    params_model: type[P],
    function: Callable[[Any, P, Any], Iterator[Any]],
    *,
    size: Callable[[P, Any], tuple[int, int] | None] | None = None,
) -> None:
    """Make a layout known under a name that map files can use.

    Raises:
        ValueError: The name is taken.
    """
    if name in LAYOUTS:
        raise ValueError(f"there is a layout {name!r} already")
    if size is None:
        LAYOUTS[name] = Layout(name=name, params=params_model, build=function)
    else:
        LAYOUTS[name] = Layout(name=name, params=params_model, build=function, size=size)


def register_placing(
    name: str,
    params_model: type[P],
    spots: Callable[[Any, Any, P], int],
    place: Callable[[Any, Any, Any, int, P], None],
    *,
    access: tuple[int, int] = ANY_ACCESS,
) -> None:
    """Make a placing mode known under a name that encounter files can use.

    Raises:
        ValueError: The name is taken.
    """
    if name in PLACINGS:
        raise ValueError(f"there is a placing mode {name!r} already")
    PLACINGS[name] = Placing(name=name, params=params_model, spots=spots, place=place, access=access)
