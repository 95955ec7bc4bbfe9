"""The size of a map: the same at all depths, or growing with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import BeforeValidator, model_validator

from dungeon.content.source.entry import Entry
from dungeon.content.source.faults import misread
from dungeon.content.values.by_depth import points_schema, read_points
from dungeon.content.values.depth_number import DepthNumber, NumberByDepth, number_at
from dungeon.content.values.grammar import Constant, Value
from dungeon.content.values.numbers_by_depth import number_here

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic_core import CoreSchema

LEAST_MAP_SIDE, MAX_MAP_SIDE = 9, 4000
SIZE = re.compile(r"\s*([0-9]{1,6})\s*x\s*([0-9]{1,6})\s*")
SPELLING = "a size is written 100x60 (columns x rows), or {width: ..., height: ...}"
BY_DEPTH = "a size by depth is written {by_depth: {1: 60x40, 5: 100x60}}, with or without stepped: true"

Side = Annotated[DepthNumber, *number_here(LEAST_MAP_SIDE, MAX_MAP_SIDE)]


class Size(Entry):
    """The size of a map in cells; rolled per level.

    Attributes:
        width: How many columns it has, at any depth or by depth.
        height: How many rows, at any depth or by depth.
    """

    short_form: ClassVar = {"type": "string", "pattern": f"^{SIZE.pattern}$"}

    width: Side = Constant(100)
    height: Side = Constant(60)

    @model_validator(mode="before")
    @classmethod
    def _width_x_height(cls, raw: object) -> object:
        if isinstance(raw, dict | Size):
            return raw
        width, height = read_size(raw)
        return {"width": width, "height": height}

    def at(self, depth: int) -> tuple[Value[int], Value[int]]:
        """Return the height and the width at a depth."""
        return number_at(self.height, depth), number_at(self.width, depth)

    @property
    def most(self) -> tuple[int, int]:
        """The greatest height and the greatest width that are possible at any depth."""
        return max(self.height.outcomes()), max(self.width.outcomes())


def read_size(raw: object) -> tuple[int, int]:
    """Read columns x rows. MisreadError if it is not written so."""
    match = SIZE.fullmatch(raw) if isinstance(raw, str) else None
    if match is None:
        raise misread(SPELLING, raw)
    return int(match[1]), int(match[2])


def _read_point(raw: object) -> tuple[int, int]:
    """Read what is said at one depth: a size that is possible."""
    size = read_size(raw)
    if not all(LEAST_MAP_SIDE <= side <= MAX_MAP_SIDE for side in size):
        raise misread(f"both sides must lie between {LEAST_MAP_SIDE} and {MAX_MAP_SIDE}", raw)
    return size


def _by_depth(raw: object) -> object:
    """Let each side depend on the depth where the size does."""
    if not (isinstance(raw, dict) and "by_depth" in raw):
        return raw
    points, stepped = read_points(raw, _read_point, BY_DEPTH)
    return {
        side: NumberByDepth(
            points=tuple((depth, Constant(size[number])) for depth, size in points), stepped=stepped
        )
        for number, side in enumerate(("width", "height"))
    }


class _ByDepth(BeforeValidator):
    """The annotation that lets a size depend on the depth."""

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, object]:
        one: dict[str, object] = {"type": "string", "pattern": f"^{SIZE.pattern}$"}
        described = "by depth: {by_depth: {1: 60x40, 5: 100x60}}, evenly between these depths or stepped"
        return {"anyOf": [handler(core), points_schema(one, described)]}


SizeHere = Annotated[Size, _ByDepth(_by_depth)]
"""The size of a map, which may depend on the depth."""
