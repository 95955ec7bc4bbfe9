"""Parameters of the layout `patchwork`: zones side by side, each built by a layout of its own, and ways between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, model_validator

from dungeon.content.models.layouts import LayoutField, ZoneEntry, joined_zones
from dungeon.content.source.names import NewName
from dungeon.content.source.problems import MisreadError, ValueProblem
from dungeon.content.values.grammar import Between, Choice, Constant
from dungeon.content.values.value_fields import IntValue, Probability, within
from dungeon.core.registry import LAYOUTS
from dungeon.generation.layouts.coast import CoastParams
from dungeon.generation.layouts.dice import Closing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.core.parameters import Parameters

MOST_PARTS = 6
"""The most parts of a multi-tumour: more would hardly fit around one zone."""


class PatchZone(ZoneEntry):
    """Parameters of a zone with a layout of its own.

    Attributes:
        layout: The name of a layout, or `{name: {its parameters}}`.
        share: The relative size of the zone: a zone of share 2 is twice as large as one of share 1.
        parts: The number of parts that a multi-tumour has around the zone that it is joined to.
    """

    layout: LayoutField = Field(default="tunnels", validate_default=True)
    share: Annotated[float, Field(ge=0.1, le=100)] = 1.0
    parts: Annotated[IntValue, within(2, MOST_PARTS)] = Constant(2)

    def asked_for(self) -> tuple[str, ...]:
        """Return the names and tags of the prefabs that the zone's layout asks for."""
        return self.layout.params.asked_for()

    @model_validator(mode="after")
    def _can_be_part_of_a_map(self) -> Self:
        """Reject a layout that sets the size of the map, and a layout that has zones itself."""
        name, params = self.layout.name, self.layout.params
        message = None
        if not LAYOUTS[name].fits_zones:
            message = f"the layout {name} has a size of its own, so a zone can't use it"
        elif params.named_zones() or isinstance(params, PatchworkParams):
            message = "a zone can't have zones of its own: join them to it with 'from'"
        elif isinstance(params, CoastParams) and params.between is not None:
            message = "the whole map has one sea: say 'between' beside 'zones'"
        if message:
            raise MisreadError([ValueProblem(message=message, path=("layout",), value=name)])
        return self


class PatchworkParams(CoastParams):
    """Parameters of the layout `patchwork`.

    Attributes:
        zones: The parts of the map, by name.
        uneven: By how much a zone may be wider or narrower than its share demands: at 35%, 26 to 54 columns instead of
            40. So borders differ from seed to seed.
        gap: The number of rows or columns between zones that share no walls.
        doors: What closes the ways between zones: `door`, `doorway`, `secret door`, or `open` for a gap in the wall.
    """

    zones: Annotated[dict[NewName, PatchZone], Field(min_length=1), *joined_zones()]
    uneven: Probability = 0.35
    gap: Annotated[IntValue, within(1, 50)] = Between(2, 4)
    doors: Closing = Choice(((Constant("door"), 3), (Constant("doorway"), 1)))

    def asked_for(self) -> tuple[str, ...]:
        """Return the names and tags of the prefabs that the layouts of the zones ask for."""
        words = (word for zone in self.zones.values() for word in zone.asked_for())
        return tuple(dict.fromkeys(words))

    def named_zones(self) -> Mapping[str, PatchZone]:
        """Return name of a zone -> parameters of that zone."""
        return self.zones

    def layouts_of_zones(self) -> Mapping[str, tuple[str, Parameters]]:
        """Return name of a zone -> (name, parameters) of the layout of that zone."""
        return {name: (zone.layout.name, zone.layout.params) for name, zone in self.zones.items()}
