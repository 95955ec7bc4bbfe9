"""Layouts and placing modes with parameters, as authors write them; *zones* of a map (areas with layouts of their own); *decks*.

A deck lists the prefabs, with weights, from which the layout `cards` draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

from pydantic import (
    AfterValidator,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from dungeon.content.models.locks import LockValue
from dungeon.content.source.names import MAX_LISTED, NameList, NewName
from dungeon.content.source.problems import MisreadError, ValueProblem, misread, problems_of, raise_any
from dungeon.content.values.fields import MAX_WEIGHT, Count, Flag, Given, PrefabOrTag, ThemeName, Weight
from dungeon.content.values.grammar import Constant, Value
from dungeon.content.values.prefab_weights import Variants, share_weights
from dungeon.content.values.value_fields import IntValue, names_of, within
from dungeon.core.frozen import NOTHING
from dungeon.core.parameters import (
    Entry,
    Parameters,  # as pydantic reads annotations
)
from dungeon.core.registry import LAYOUTS, PLACINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dungeon.content.prefab.prefab import Prefab
    from dungeon.core.registry import Layout, Placing


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A layout or placing mode that an author chose, by its name, and its parameters."""

    name: str
    params: Parameters


def read_algorithm(
    what: str,
    registry: Mapping[str, Layout[Any]] | Mapping[str, Placing[Any]],
    raw: object,
    info: ValidationInfo,
) -> Algorithm:
    """Read a layout or placing mode: its name, ``tunnels``, or its name and parameters, ``{tunnels: {rooms: 20}}``.

    Args:
        what: What messages call it: "layout" or "placing mode".
        registry: Name -> registered layout or placing mode.
        raw: The value as written.
        info: The context of validation.

    Raises:
        MisreadError: `raw` is not written like this, no such name is registered, or the parameters are wrong.
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
        raise MisreadError(problem.inside(name) for problem in problems_of(error, model)) from None
    return Algorithm(name, chosen)


def _read_layout(raw: object, info: ValidationInfo) -> Algorithm:
    return read_algorithm("layout", LAYOUTS, raw, info)


def _read_placing(raw: object, info: ValidationInfo) -> Algorithm:
    return read_algorithm("placing mode", PLACINGS, raw, info)


ALGORITHM = "an algorithm of"
"""Key in the JSON Schema of a field that holds an algorithm.

`authoring.schema` replaces it by all registered ones.
"""

LayoutField = Annotated[Algorithm, PlainValidator(_read_layout), WithJsonSchema({ALGORITHM: "layouts"})]
PlacingField = Annotated[
    Algorithm, PlainValidator(_read_placing), WithJsonSchema({ALGORITHM: "placing modes"})
]


TUNNEL = "tunnel"
"""The default `port` of an island: a dug tunnel.

A prop in its place stands on both sides and takes the player across.
"""

MOST_DROPS = 20
"""The largest `count` of one-way portals under `drops`."""


PortValue = Annotated[Value[str], *names_of("prop", besides=(TUNNEL,))]
"""A prop or the word `tunnel`, in the value grammar."""

PropValue = Annotated[Value[str], *names_of("prop")]


class MapDrops(Entry):
    """One-way portals that lead from far away back to near where the player came from.

    Attributes:
        prop: The prop shown where such a portal begins, a chute for example. It must not block walkers; its tag is
            the portal's kind.
        count: How many such portals there are.
    """

    prop: PropValue
    count: Annotated[IntValue, within(0, MOST_DROPS)] = Constant(1)


Joint = Literal["bridge", "tumour", "multi-tumour", "island"]
"""How a zone is joined to another one.

    bridge         a single room or corridor lies between the two; they don't touch anywhere else
    tumour         it grows out of the other zone's side and shares walls with it
    multi-tumour   the same, at several places of the other zone
    island         it lies apart, and its port leads there
"""

JOINTS: tuple[Joint, ...] = get_args(Joint)

DEEPEST_STEP = 100
"""The largest `step` of a zone."""


class ZoneEntry(Entry):
    """A zone of a map.

    Attributes:
        origin: The earlier zone to which this one is joined; by default the one right before it. Written `from`.
        join: How this zone and the earlier one are joined: `bridge`, `tumour`, `multi-tumour` or `island`. A tumour grows out
            of one side of the earlier zone and shares walls with it; a multi-tumour does so at several places.
        doors: How many doors lead from the earlier zone into a tumour, or into each part of a multi-tumour.
        port: What leads to an island: `tunnel`, or a prop that does not block walkers, such as a boat.
        theme: The theme of the zone's terrain; by default that of the map.
        way_theme: The theme of the bridge or tunnel that leads to the zone; by default that of the map.
        step: By how many levels the zone counts as deeper than the map, for its population and for the objects in its
            prefabs.
        lock: The lock of `locks.yaml` on the doors into the zone, or on its port, if no other path leads there.
        required: Whether a level is never made without the zone. By default it is required in three cases: the zone has a lock;
            its prefabs draw stairs down or an exit; an encounter that the map must have can be placed in no other zone.
    """

    origin: Given[NewName] = Field(default=None, alias="from")
    join: Joint = "bridge"
    doors: Annotated[IntValue, within(1, 100)] = Constant(1)
    port: PortValue = Constant(TUNNEL)
    theme: Given[ThemeName] = None
    way_theme: Given[ThemeName] = None
    step: Annotated[int, Field(ge=0, le=DEEPEST_STEP, strict=True)] = 0
    lock: Given[LockValue] = None
    required: Given[Flag] = None

    @property
    def has_way(self) -> bool:
        """Whether a bridge or a tunnel may lead to the zone, instead of a door in a shared wall or a portal."""
        return self.join == "bridge" or (self.join == "island" and TUNNEL in self.port.outcomes())

    def asked_for(self) -> tuple[str, ...]:
        """Return the words (prefab names and tags) under which this zone asks for prefabs."""
        return ()


def _each_joined_to_one_before(zones: dict[str, Any]) -> dict[str, Any]:
    """Return `zones` unchanged if each, except the first, is joined to an earlier one; else raise a MisreadError."""
    problems = []
    before: list[str] = []
    for number, (name, zone) in enumerate(zones.items()):
        if number == 0:
            for key in ("from", "join", "doors", "port", "way_theme", "lock"):
                if (key if key != "from" else "origin") in zone.model_fields_set:
                    message = "the first zone can't be joined to another one"
                    problems.append(ValueProblem(message=message, path=(name, key), value=key, key=True))
        elif zone.origin is not None and zone.origin not in before:
            message = "there is no zone of this name before this one"
            problems.append(
                ValueProblem(message=message, path=(name, "from"), value=zone.origin, allowed=before)
            )
        if number and "port" in zone.model_fields_set and zone.join != "island":
            message = "only a zone with join: island can have a port"
            problems.append(ValueProblem(message=message, path=(name, "port"), value="port", key=True))
        if number and "way_theme" in zone.model_fields_set and not zone.has_way:
            message = "only a zone with a bridge or tunnel can have it, and none leads to this zone"
            problems.append(
                ValueProblem(message=message, path=(name, "way_theme"), value="way_theme", key=True)
            )
        before.append(name)
    raise_any(problems)
    return zones


def joined_zones() -> tuple[Any, ...]:
    """Return the pydantic annotations of a field that maps names to zones."""
    return Field(max_length=MAX_LISTED), AfterValidator(_each_joined_to_one_before)


def origins(found: Mapping[str, ZoneEntry]) -> dict[str, str | None]:
    """Return zone -> the earlier zone to which it is joined; None for the first zone."""
    before: str | None = None
    result: dict[str, str | None] = {}
    for name, zone in found.items():
        result[name] = zone.origin if zone.origin is not None else before
        before = name
    return result


class DeckEntry(Entry):
    """What a deck says about a prefab, or about all prefabs with a tag; a plain weight is enough.

    Attributes:
        weight: How often the prefab is drawn: a weight word or a number. All prefabs with a tag share the tag's
            weight.
        copies: The maximum number of copies of each prefab on a level; its variants count together.
    """

    short_form: ClassVar = {
        "type": ["string", "number"],
        "minLength": 1,
        "minimum": 0,
        "maximum": MAX_WEIGHT,
    }

    weight: Weight = 1.0
    copies: Given[Count] = None

    @model_validator(mode="before")
    @classmethod
    def _mere_weight(cls, raw: object) -> object:
        return raw if isinstance(raw, dict | DeckEntry) else {"weight": raw}


Deck = Annotated[dict[PrefabOrTag, DeckEntry], Field(max_length=MAX_LISTED)]
"""Name or tag of a prefab -> its weight and copies."""


def shares(
    deck: Mapping[str, DeckEntry],
    called: Mapping[str, tuple[Prefab, ...]],
    weigh: Callable[[Weight], float],
    variants: Variants = NOTHING,
) -> tuple[dict[str, float], dict[str, int]]:
    """Return (prefab -> weight, prefab -> maximum number of copies) for a deck.

    Prefabs without a maximum are missing in the second mapping. Variants of a prefab have a maximum together, under the name
    of the prefab, unless the deck names the variant itself.

    Args:
        deck: Name or tag of prefabs -> what the deck says about them.
        called: Name or tag -> the prefabs that go by it.
        weigh: Converts a weight, which may be a word such as `rare`, to a number.
        variants: The prefabs that are variants of others.
    """
    names = {word: [prefab.name for prefab in called.get(word, ())] for word in deck}
    weights = share_weights({word: weigh(entry.weight) for word, entry in deck.items()}, names, variants)
    limits: dict[str, int] = {}
    for word, entry in deck.items():
        bases = (variants[name].base if name in variants and name != word else name for name in names[word])
        for name in dict.fromkeys(bases):
            if entry.copies is not None:
                limits[name] = limits.get(name, 0) + entry.copies
    return weights, limits
