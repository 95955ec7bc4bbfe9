"""Parameters of the layout `cards`, and the *sections*: shapes of several grid cells that a growing zone takes at once."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from dungeon.content.models.layouts import Deck, ZoneEntry, joined_zones
from dungeon.content.source.names import NewName
from dungeon.content.source.problems import misread
from dungeon.content.values.fields import Flag, Given, Weight
from dungeon.content.values.grammar import Between, Choice, Constant
from dungeon.content.values.value_fields import IntValue, Probability, WordValue, one_of, read_int, within
from dungeon.core.frozen import nothing
from dungeon.core.parameters import Entry
from dungeon.generation.layouts.coast import CoastParams
from dungeon.generation.layouts.dice import Closing
from dungeon.grid.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Mapping


# -- sections ---------------------------------------------------------------------------------------
#
# Shapes of several cells of the grid that a zone takes at once, in any orientation.


SECTIONS: dict[str, tuple[str, ...]] = {
    "cell": ("#",),
    "domino": ("##",),
    "I": ("####",),
    "O": ("##", "##"),
    "T": ("###", ".#."),
    "S": (".##", "##."),
    "L": ("###", "#.."),
}
"""Name -> the shape: one cell, two cells, and the one-sided tetrominoes, which are mirrored, too."""

DECK = "deck"
"""The word for the shape of a random card in the zone's deck, in place of a section's name."""

Offsets = tuple[tuple[int, int], ...]
"""Cells as (y, x)."""


@cache
def turned(name: str) -> tuple[Offsets, ...]:
    """Return a section (a shape of several grid cells) in every position in which it covers the cell (0, 0).

    Each position is a tuple of (y, x) offsets from that cell; the section is turned, mirrored and shifted.
    "domino" -> ((0, 0), (0, 1)), ((0, -1), (0, 0)), ((0, 0), (1, 0)) and ((-1, 0), (0, 0)).
    """
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

# The text of a cell's size, such as "11x9".
CELL = re.compile(r"\s*([0-9]{1,3})\s*x\s*([0-9]{1,3})\s*")
LEAST_SIDE, LARGEST_SIDE = 5, 100
"""Limits of a side of a cell: walls and a room of 3x3 inside need 5 cells."""

MOST_CELLS = 2000
"""The most cells of the grid that a map or zone may ask for."""

Direction = Literal[
    "centre", "north", "east", "south", "west", "north-east", "south-east", "south-west", "north-west"
]

WORDS: dict[str, dict[int, float]] = {
    "random": {},
    "blob": {4: 1.0, 3: 1.0},
    "filled": {4: 1.0, 3: 1.0, 2: 1.0},
}
"""Name of a way to grow -> its `chances`."""


def _read_borders(raw: object) -> int:
    """Return the number of neighbours, 1 to 4, that a key of `chances` stands for, such as "2"."""
    number = read_int(raw)
    if not 1 <= number <= 4:
        raise misread("a cell borders on 1 to 4 rooms", raw)
    return number


Borders = Annotated[int, BeforeValidator(_read_borders), WithJsonSchema({"enum": ["1", "2", "3", "4"]})]


class Growth(Entry):
    """The order in which a zone takes cells beside it; as text: `random`, `blob` or `filled`.

        .1..        A: the zone; digits: how many sides a cell shares with it. With chances {2: 50%},
        1A2.        in half of all turns a cell with two such sides is taken if there is one;
        .2A1        otherwise any cell beside the zone.
        ..1.

    Attributes:
        chances: Number of taken cells that a cell borders on -> the chance that such cells come first in a turn; the
            greatest number is asked first. If no chance comes true, any cell may be next.
        toward: Where cells are more likely: in a direction, or around the zone's centre.
        pull: How much more likely a cell is per step in that direction.
        ageing: How much more likely a cell becomes each time that another one is taken.
        sections: What is taken at a time: a single cell, a shape of several, or with `deck` the shape of a card in the
            zone's deck, on which a card of this shape is laid. The last such shape may take the zone beyond its `count`.
    """

    short_form: ClassVar = {"type": "string", "pattern": f"^({'|'.join(WORDS)})$"}

    chances: dict[Borders, Probability] = Field(default_factory=nothing)
    toward: Given[Direction] = None
    pull: Annotated[float, Field(ge=0, le=10)] = 1.0
    ageing: Probability = 0.0
    sections: Annotated[WordValue, one_of(*SECTIONS, DECK)] = Constant("cell")

    @model_validator(mode="before")
    @classmethod
    def _named(cls, raw: object) -> object:
        """Replace the name of a way to grow, such as "blob", by its `chances`; leave a mapping as it is."""
        if isinstance(raw, dict | Growth):
            return raw
        if isinstance(raw, str) and raw in WORDS:
            return {"chances": WORDS[raw]}
        raise misread("a way to grow is needed here", raw, allowed=WORDS)


class CellSize(Entry):
    """The size of the grid's cells, columns x rows, with the walls of the rooms in them.

    Attributes:
        width: The number of columns of a cell.
        height: The number of rows.
    """

    short_form: ClassVar = {"type": "string", "pattern": f"^{CELL.pattern}$"}

    width: Annotated[int, Field(ge=LEAST_SIDE, le=LARGEST_SIDE, strict=True)]
    height: Annotated[int, Field(ge=LEAST_SIDE, le=LARGEST_SIDE, strict=True)]

    @model_validator(mode="before")
    @classmethod
    def _width_x_height(cls, raw: object) -> object:
        """Read a text such as `11x9` as {"width": 11, "height": 9}; leave a mapping as it is."""
        if isinstance(raw, dict | CellSize):
            return raw
        if isinstance(raw, str) and (match := CELL.fullmatch(raw)):
            return {"width": int(match[1]), "height": int(match[2])}
        raise misread("a size is written 11x9 (columns x rows), or {width: ..., height: ...}", raw)


class CardZone(ZoneEntry):
    """Parameters of a zone of cards.

    Attributes:
        count: The number of grid cells of the zone.
        deck: The prefabs of the zone; without it, those of the layout.
        grow: The order in which the zone takes cells; without it, as the layout says.
        bridge: The prefabs for the bridge that leads to the zone; if empty, the bridge is a plain room.
    """

    count: Annotated[IntValue, within(1, MOST_CELLS)] = Between(6, 10)
    deck: Given[Deck] = None
    grow: Given[Growth] = None
    bridge: Deck = Field(default_factory=nothing)

    def asked_for(self) -> tuple[str, ...]:
        """Return the prefab names and tags listed in the zone's deck, and in that of its bridge: the single card between two zones."""
        return (*self.bridge, *(self.deck or ()))


class CardsParams(CoastParams):
    """Parameters of the layout `cards`.

    Attributes:
        cell: The size of a cell of the grid.
        gap: The number of rows or columns of earth between cells; ways between cards are dug there. With 0, neighbouring
            cells share a row or column of walls: rooms fill their cells, and doors in shared walls join them.
        count: The number of cells, if there are no zones.
        deck: Prefabs by name or tag, of one or two cells each way; smaller ones lie in the middle of their cells.
            They are turned so that they have openings to all cells that they are joined to; other openings are walled
            up.
        rooms: The weight of a plain room among the prefabs of a deck.
        passages: The weight of a passage without a room among the prefabs of a deck.
        shapes: The shapes of plain rooms.
        halls: The share of plain rooms that take two or four cells, where there is space.
        grow: The order in which cells are taken.
        loops: The chance that two neighbouring cells with openings to each other are joined although they are
            connected already. Unless it is 0, at least one such pair is joined in each zone that has any.
        doors: What closes a plain room, and a prefab's `*`: `door`, `doorway`, `secret door`, or `open` for a gap.
            A secret door becomes a plain door if more than one room or corridor lies behind it and no other way leads
            there.
        apart: Whether zones that must not touch must keep apart at their corners, too.
        zones: The parts of the map, by name.
    """

    NOT_HERE: ClassVar[dict[str, str]] = {"bridge": "a bridge leads to a zone, and is said there"}

    cell: CellSize = CellSize(width=11, height=9)
    gap: Annotated[int, Field(ge=0, le=9, strict=True)] = 1
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
        """Return the prefab names and tags listed in the decks of the layout and of its zones, each once."""
        words = [*self.deck, *(word for zone in self.zones.values() for word in zone.asked_for())]
        return tuple(dict.fromkeys(words))

    @property
    def spacing(self) -> int:
        """The number of rows or columns from the end of a cell to the begin of the next; -1 if they share walls (`gap: 0`)."""
        return self.gap or -1

    def most_cells(self) -> int:
        """Return the greatest number of grid cells that a map with these parameters may ask for; each bridge counts as one cell."""
        zones = list(self.zones.values())
        counts = [zone.count for zone in zones] or [self.count]
        bridges = sum(zone.join == "bridge" for zone in zones[1:])
        return sum(max(number or 0 for number in each.outcomes()) for each in counts) + bridges

    def named_zones(self) -> Mapping[str, CardZone]:
        """Return name -> parameters of all zones of the map; empty for a map without zones."""
        return self.zones
