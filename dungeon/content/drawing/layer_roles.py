"""What the layers of a drawing hold: the roles that `layers` lists for .xp drawings, and the texts under `references`."""

from __future__ import annotations

from typing import Annotated

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema

from dungeon.content.drawing.rexpaint import MAX_LAYERS
from dungeon.content.source.names import Names
from dungeon.content.source.problems import ValueProblem, attempt, misread, raise_any
from dungeon.core.kinds import BUILT_IN, Kind, Kinds

TERRAIN, REFERENCES, IGNORED = "terrain", "references", "ignore"
FIXED_ROLES = (TERRAIN, "links", "machines", REFERENCES, IGNORED)
"""The words under `layers` that name no kind of object."""

LayerRole = str | Kind
"""What a layer of an .xp drawing holds: one of `FIXED_ROLES`, or references to objects of one kind."""


def read_roles(raw: object, info: ValidationInfo) -> tuple[LayerRole, ...]:
    """Read the roles of a drawing's layers, lowest first; a single word counts as a list of one.

    Raises:
        MisreadError: A word is no role, there are none or too many, or none of them is terrain.
    """
    names = info.context if isinstance(info.context, Names) else Names({})
    listed = raw if isinstance(raw, list | tuple) else [raw]
    problems: list[ValueProblem] = []
    roles = [
        attempt(problems, lambda each: _read_role(each, names.kinds), each, n)
        for n, each in enumerate(listed)
    ]
    raise_any(problems)
    if not 1 <= len(listed) <= MAX_LAYERS:
        raise misread(f"a drawing has 1 to {MAX_LAYERS} layers", raw)
    if TERRAIN not in roles:
        raise misread(f"one of the layers must be {TERRAIN!r}", raw)
    return tuple(role for role in roles if role is not None)


def _read_role(raw: object, kinds: Kinds) -> LayerRole:
    """Read the role of one layer."""
    if isinstance(raw, Kind) or raw in FIXED_ROLES:
        return raw
    known = {kinds[word].called: kinds[word] for word in kinds.words}
    if raw not in known:
        if kinds.any_more:
            return IGNORED  # it may be a kind whose entry could not be read, which is reported
        raise misread("this is no role of a layer", raw, allowed=(*FIXED_ROLES, *known))
    return known[str(raw)]


def read_references(raw: object) -> tuple[str, ...]:
    """Read the references of a text drawing: one text, or a list of texts, one a layer.

    Raises:
        MisreadError: It is neither, or there are too many texts.
    """
    listed = raw if isinstance(raw, list | tuple) else [raw]
    problems = [
        ValueProblem(
            message="text is needed here", value=each, path=(number,) if isinstance(raw, list) else ()
        )
        for number, each in enumerate(listed)
        if not isinstance(each, str)
    ]
    raise_any(problems)
    if not 1 <= len(listed) <= MAX_LAYERS:
        raise misread(f"a drawing has 1 to {MAX_LAYERS} layers of references", raw)
    return tuple(listed)


_ROLE = {
    "anyOf": [{"enum": [*FIXED_ROLES, *(kind.called for kind in BUILT_IN.values())]}, {"type": "string"}]
}
LayerRoles = Annotated[
    tuple[LayerRole, ...],
    PlainValidator(read_roles),
    WithJsonSchema(
        {"anyOf": [*_ROLE["anyOf"], {"type": "array", "items": _ROLE, "minItems": 1, "maxItems": MAX_LAYERS}]}
    ),
]
"""The roles of the layers of an .xp drawing, lowest first."""

ReferenceTexts = Annotated[
    tuple[str, ...],
    PlainValidator(read_references),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MAX_LAYERS},
            ]
        }
    ),
]
"""The layers of references of a text drawing."""
