"""What authors may set on the layout `cards`."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from dungeon.content.models.layouts import Deck, ZoneEntry, joined_zones
from dungeon.content.source.faults import misread
from dungeon.content.source.names import NewName
from dungeon.content.values.fields import Flag, Given, Weight
from dungeon.content.values.grammar import Between, Choice, Constant
from dungeon.content.values.value_fields import (
    IntValue,
    Probability,
    WordValue,
    one_of,
    read_int,
    within,
)
from dungeon.core.frozen import nothing
from dungeon.core.parameters import Entry, Parameters
from dungeon.generation.layouts.closings import Closing
from dungeon.grid.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Mapping

# -- sections ---------------------------------------------------------------------------------------
#
# Pre-built sections: several cells of a grid that are laid at once, in any orientation.


SECTIONS: dict[str, tuple[str, ...]] = {
    "cell": ("#",),
    "domino": ("##",),
    "I": ("####",),
    "O": ("##", "##"),
    "T": ("###", ".#."),
    "S": (".##", "##."),
    "L": ("###", "#.."),
}
"""Name -> what it looks like: a cell, two, and the one-sided tetrominoes, which are mirrored, too."""

Offsets = tuple[tuple[int, int], ...]
"""Cells as (y, x)."""


@cache
def turned(name: str) -> tuple[Offsets, ...]:
    """Return the cells of a section in all orientations that differ, each from every one of its cells as (0, 0)."""
    drawn = SECTIONS[name]
    cells = [(y, x) for y, row in enumerate(drawn) for x, mark in enumerate(row) if mark == "#"]
    found: dict[Offsets, None] = {}
    for mirror in (1, -1):
        lying = [(y, mirror * x) for y, x in cells]
        for _ in range(4):
            lying = [(x, -y) for y, x in lying]
            for top, left in lying:
                found[tuple(sorted((y - top, x - left) for y, x in lying))] = None
    return tuple(found)


# -- parameters ---------------------------------------------------------------------------------------

CELL = re.compile(r"\s*([0-9]{1,3})\s*x\s*([0-9]{1,3})\s*")
LEAST_SIDE, LARGEST_SIDE = 5, 100
MOST_CELLS = 2000

Direction = Literal[
    "centre", "north", "east", "south", "west", "north-east", "south-east", "south-west", "north-west"
]

WORDS: dict[str, dict[int, float]] = {
    "random": {},
    "blob": {4: 1.0, 3: 1.0},
    "filled": {4: 1.0, 3: 1.0, 2: 1.0},
}
"""Ways to grow that have a name -> the chances that they stand for."""


def _read_borders(raw: object) -> int:
    number = read_int(raw)
    if not 1 <= number <= 4:
        raise misread("a cell borders on 1 to 4 rooms", raw)
    return number


Borders = Annotated[int, BeforeValidator(_read_borders), WithJsonSchema({"enum": ["1", "2", "3", "4"]})]


class Growth(Entry):
    """In which order a zone takes the cells beside it; a word will do: `random`, `blob` or `filled`.

    Attributes:
        chances: On how many of its rooms a cell borders -> the chance that such cells come first, those with the most borders
            before the others. Where no chance comes true, any cell may be next.
        toward: Where cells are likelier to be: in a direction, or about the zone's centre.
        pull: How much likelier, by each step that way.
        ageing: How much likelier a cell becomes each time that another one is taken.
        sections: What is laid at a time: a single cell, or several of them in a shape.
    """

    short_form: ClassVar = {"type": "string", "pattern": f"^({'|'.join(WORDS)})$"}

    chances: dict[Borders, Probability] = Field(default_factory=nothing)
    toward: Given[Direction] = None
    pull: Annotated[float, Field(ge=0, le=10)] = 1.0
    ageing: Probability = 0.0
    sections: Annotated[WordValue, one_of(*SECTIONS)] = Constant("cell")

    @model_validator(mode="before")
    @classmethod
    def _named(cls, raw: object) -> object:
        if isinstance(raw, dict | Growth):
            return raw
        if isinstance(raw, str) and raw in WORDS:
            return {"chances": WORDS[raw]}
        raise misread("a way to grow is needed here", raw, allowed=WORDS)


class CellSize(Entry):
    """The size of the grid's cells, columns x rows, the walls of the rooms in them included.

    Attributes:
        width: How many columns of the map a cell has.
        height: How many rows.
    """

    short_form: ClassVar = {"type": "string", "pattern": f"^{CELL.pattern}$"}

    width: Annotated[int, Field(ge=LEAST_SIDE, le=LARGEST_SIDE, strict=True)]
    height: Annotated[int, Field(ge=LEAST_SIDE, le=LARGEST_SIDE, strict=True)]

    @model_validator(mode="before")
    @classmethod
    def _width_x_height(cls, raw: object) -> object:
        if isinstance(raw, dict | CellSize):
            return raw
        if isinstance(raw, str) and (match := CELL.fullmatch(raw)):
            return {"width": int(match[1]), "height": int(match[2])}
        raise misread("a size is written 11x9 (columns x rows), or {width: ..., height: ...}", raw)


class CardZone(ZoneEntry):
    """A zone of cards.

    Attributes:
        count: How many rooms it has.
        deck: What it is made of; the layout's deck, unless it says.
        grow: How it grows; as the layout says, unless it does.
        bridge: The deck from which the bridge that leads to it is drawn; a plain room, if it is empty.
    """

    count: Annotated[IntValue, within(1, MOST_CELLS)] = Between(6, 10)
    deck: Given[Deck] = None
    grow: Given[Growth] = None
    bridge: Deck = Field(default_factory=nothing)

    def asked_for(self) -> tuple[str, ...]:
        """Return the names and tags in the decks of this zone and of its bridge."""
        return (*self.bridge, *(self.deck or ()))


class CardsParams(Parameters):
    """What an author may set.

    Attributes:
        cell: The size of a cell of the grid.
        gap: Rows, or columns, of earth between cells, through which ways are dug.
        count: How many cells there are to be, where there are no zones.
        deck: Prefabs, by name or tag; of one to two cells each way, or less, then they lie in the middle. Turned as they
            need to be, they have openings toward all cells that they are joined to; other openings are walled up.
        rooms: How often a plain room is drawn, beside what the deck says of its prefabs.
        passages: How often a mere passage is drawn, beside what the deck says of its prefabs.
        shapes: What plain rooms look like.
        halls: The share of plain rooms that take two or four cells, where there is space.
        grow: In which order cells are taken.
        loops: The chance that two cells with openings to each other are joined although they hang together without; unless it is 0,
            two in each zone are, if any can be.
        doors: What closes a plain room, and a prefab's `*`: `door`, `doorway`, `secret door`, or `open` for a mere gap. Only a
            single room, and what other ways lead to, lies behind a secret door; others get a door instead.
        apart: Whether zones that may not touch must not do so at their corners either.
        zones: The parts of the map, by name.
    """

    NOT_HERE: ClassVar[dict[str, str]] = {"bridge": "a bridge leads to a zone, and is said there"}

    cell: CellSize = CellSize(width=11, height=9)
    gap: Annotated[int, Field(ge=1, le=9, strict=True)] = 1
    count: Annotated[IntValue, within(1, MOST_CELLS)] = Between(20, 30)
    deck: Deck = Field(default_factory=nothing)
    rooms: Weight = 1.0
    passages: Weight = 0.1
    shapes: Annotated[WordValue, one_of(*SHAPES)] = Choice(
        (
            (Constant("rectangle"), 5),
            *((Constant(each), 1) for each in ("ellipse", "diamond", "triangle", "cross", "ell")),
        )
    )
    halls: Probability = 0.1
    grow: Growth = Growth(chances=WORDS["blob"])
    loops: Probability = 0.25
    doors: Closing = Choice(((Constant("door"), 3), (Constant("doorway"), 1), (Constant("open"), 1)))
    apart: Flag = False
    zones: Annotated[dict[NewName, CardZone], *joined_zones()] = Field(default_factory=nothing)

    def asked_for(self) -> tuple[str, ...]:
        """Return the names and tags in all of its decks."""
        words = [*self.deck, *(word for zone in self.zones.values() for word in zone.asked_for())]
        return tuple(dict.fromkeys(words))

    def most_cells(self) -> int:
        """Return how many cells it may ask for, those of bridges included."""
        zones = list(self.zones.values())
        counts = [zone.count for zone in zones] or [self.count]
        bridges = sum(zone.join == "bridge" for zone in zones[1:])
        return sum(max(number or 0 for number in each.outcomes()) for each in counts) + bridges

    def named_zones(self) -> Mapping[str, CardZone]:
        """Return its zones."""
        return self.zones
