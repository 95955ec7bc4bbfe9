"""What the characters and colours of a drawing mean, and what its author wants to vary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.content.drawing.planes import BLANK, DONT_CARE, Plane
from dungeon.content.prefab.sure_keys import Opens, opens_nothing
from dungeon.content.prefab.template import Reading
from dungeon.content.values.grammar import Constant, mapped
from dungeon.core.frozen import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.prefab.step import StepEntry
    from dungeon.content.values.grammar import Value

DEFAULT_GLYPHS: dict[str, str] = {
    "#": "wall",
    ".": "floor",
    " ": "earth",
    "+": "door",
    "'": "doorway",
    "<": "stairs_up",
    ">": "stairs_down",
    **{str(digit): f"floor_{digit}" for digit in range(10)},
}
"""What characters mean unless a palette or a legend says otherwise; so too `?`, which leaves the map as it is."""

SETTLED: Mapping[str, str | None] = NOTHING
"""No parameters."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the characters and colours of a drawing may mean.

    Attributes:
        legend: Character -> terrain or object.
        glyphs: Character -> terrain, defaults included.
        colours: ``#rrggbb`` in lower case -> terrain.
        nearest: Whether a colour that is not listed counts as the nearest one that is.
        codes: Name of terrain -> code.
        stops: Tells whether an object of that symbol will stop walkers for good.
        opens: Tells what an object of that symbol is sure to open.
        machine: What drawn machines are; None for generic ones.
        paints: Character of the fifth plane -> colour of the machine under it; None if that could not be read.
        unclear: Characters that mean something, but what it is could not be read.
        whole: Whether all legends and palettes could be read; if not, other characters may mean something too.
        colours_whole: Likewise, for colours.
    """

    legend: Mapping[str, SymbolEntry]
    glyphs: Mapping[str, str]
    colours: Mapping[str, str]
    nearest: bool
    codes: Mapping[str, int]
    stops: Callable[[SymbolEntry], bool]
    opens: Callable[[SymbolEntry], Opens] = opens_nothing
    given: frozenset[str] = frozenset()
    machine: SymbolEntry | None = None
    paints: Mapping[str, t.Colour] | None = field(default_factory=lambda: NOTHING)
    unclear: Collection[str] = ()
    whole: bool = True
    colours_whole: bool = True

    @property
    def explained(self) -> tuple[str, ...]:
        """The characters that the legend explains."""
        return tuple(sorted(self.legend))

    def knows_all_of(self, plane: Plane) -> bool:
        """Tell whether what is not known on a plane means nothing."""
        return self.whole and (self.colours_whole or plane.colour is None)

    def code(self, name: str | None) -> int:
        """Return the code of a kind of terrain; names are checked where they are written."""
        return self.codes.get(name or "floor", t.FLOOR)

    def reading(self, char: str, *, above: bool, parameters: Mapping[str, str | None] = SETTLED) -> Reading:
        """Return what a character means.

        Args:
            char: The character.
            above: Whether it is a reference on the fourth plane, rather than on the map.
            parameters: What the prefab's parameters turned out to be.
        """
        symbol = self.legend[char].settled(parameters) if char in self.legend else None
        if symbol is not None:
            codes = None if above and symbol.terrain is None else self.coded(symbol.terrain)
            if symbol.kind is None:
                return Reading(codes, symbol if symbol.stands else None, to=symbol.to, lock=symbol.lock)
            return Reading(codes, symbol, symbol.to, self.stops(symbol))
        if above:
            return Reading(None)
        if char in self.legend:  # a switch without a case for this
            return Reading(Constant(t.FLOOR))
        if char in self.glyphs:
            return Reading(Constant(self.code(self.glyphs[char])))
        return Reading(Constant(t.KEEP))

    def coded(self, terrain: Value[str] | None) -> Value[int]:
        """Return the code of terrain in the value grammar; floor where none is named."""
        if terrain is None:
            return Constant(t.FLOOR)
        return mapped(terrain, self.code)

    def explains(self, char: str, *, above: bool) -> bool:
        """Tell whether a character means something on the map, or as a reference above it."""
        if char in self.legend or char in self.unclear:
            return True
        return char == " " if above else char in self.glyphs or char in (DONT_CARE, BLANK)


@dataclass(frozen=True, slots=True)
class Variation:
    """What the author wants to vary: the steps, and what is decided once for all of the drawing."""

    steps: tuple[StepEntry, ...] = ()
    parameters: Mapping[str, Value[str]] = field(default_factory=lambda: NOTHING)
    fits: Mapping[int, Mapping[str, float]] = field(default_factory=lambda: NOTHING)
