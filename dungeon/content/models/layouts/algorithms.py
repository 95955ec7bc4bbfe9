"""Fields that choose a layout or a placing mode, with its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import PlainValidator, ValidationError, ValidationInfo, WithJsonSchema

from dungeon.content.source.faults import MisreadError, faults_of, misread
from dungeon.content.source.names import NameList
from dungeon.core.parameters import Parameters  # noqa: TC001  # as pydantic reads annotations
from dungeon.core.registry import LAYOUTS, PLACINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.core.registry import Layout, Placing


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A layout or placing mode that an author has chosen, with its parameters."""

    name: str
    params: Parameters


def read_algorithm(
    what: str,
    registry: Mapping[str, Layout[Any]] | Mapping[str, Placing[Any]],
    raw: object,
    info: ValidationInfo,
) -> Algorithm:
    """Read ``tunnels`` or ``{tunnels: {rooms: 20}}``.

    Raises:
        MisreadError: It is neither, no such name is registered, or the parameters are not what it takes.
    """
    if isinstance(raw, Algorithm):
        return raw
    name, params = raw, None
    if isinstance(raw, dict) and len(raw) == 1:
        ((name, params),) = raw.items()
    if not isinstance(name, str) or not (params is None or isinstance(params, dict)):
        raise misread(f"a {what} is needed here: its name, or {{name: {{its parameters}}}}", raw)
    if name not in registry:
        path = (name,) if isinstance(raw, dict) else ()
        message = (
            f"no {what} of this name is registered; it may come from a plugin "
            "that is not installed or not imported (--import NAME)"
        )
        raise misread(message, name, *path, allowed=NameList(registry, is_open=True), key=bool(path))
    model = registry[name].params
    try:
        chosen: Parameters = model.model_validate(params or {}, context=info.context)
    except ValidationError as error:
        raise MisreadError(fault.inside(name) for fault in faults_of(error, model)) from None
    return Algorithm(name, chosen)


def _read_layout(raw: object, info: ValidationInfo) -> Algorithm:
    return read_algorithm("layout", LAYOUTS, raw, info)


def _read_placing(raw: object, info: ValidationInfo) -> Algorithm:
    return read_algorithm("placing mode", PLACINGS, raw, info)


ALGORITHM = "an algorithm of"
"""Key in the JSON Schema of a field that holds an algorithm: its sort. `schema` puts those that are registered there."""

LayoutField = Annotated[Algorithm, PlainValidator(_read_layout), WithJsonSchema({ALGORITHM: "layouts"})]
PlacingField = Annotated[
    Algorithm, PlainValidator(_read_placing), WithJsonSchema({ALGORITHM: "placing modes"})
]
