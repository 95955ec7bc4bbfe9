"""Portals that authors ask for: what leads to islands, and drops by which one is soon back where one began."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import PlainValidator, WithJsonSchema

from dungeon.content.source.entry import Entry
from dungeon.content.values.grammar import Constant, Value
from dungeon.content.values.value_fields import VALUE, IntValue, read_names, within

if TYPE_CHECKING:
    from pydantic import ValidationInfo

TUNNEL = "tunnel"
"""What leads to an island unless its author names a prop: then that stands on both sides, and takes one across."""

MOST_DROPS = 20


def _read_port(raw: object, info: ValidationInfo) -> Value[str]:
    return read_names("prop", raw, info, besides=(TUNNEL,))


def _read_props(raw: object, info: ValidationInfo) -> Value[str]:
    return read_names("prop", raw, info)


PortValue = Annotated[Value[str], PlainValidator(_read_port), WithJsonSchema({VALUE: {"type": "string"}})]
"""A prop, or a tunnel, in the value grammar."""

PropValue = Annotated[Value[str], PlainValidator(_read_props), WithJsonSchema({VALUE: {"type": "string"}})]


class MapDrops(Entry):
    """Ways that lead one way, from far off back to near where the player has come from.

    Attributes:
        prop: What is seen where one begins, a prop of the catalog that does not block: a chute. Its tag is the portal's kind.
        count: How many there are.
    """

    prop: PropValue
    count: Annotated[IntValue, within(0, MOST_DROPS)] = Constant(1)
