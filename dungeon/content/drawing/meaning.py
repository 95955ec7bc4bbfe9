"""What the characters and colours of a drawing mean, and what its author wants to vary."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.drawing.planes import BLANK, DONT_CARE, MARK, Plane
from dungeon.content.prefab.locked_ground import Opens, opens_nothing
from dungeon.content.prefab.template import Reading
from dungeon.content.prefab.variation import STEPS
from dungeon.content.source.marks import holds_broken
from dungeon.content.values.grammar import Constant, mapped
from dungeon.core.errors import nearest_match
from dungeon.core.frozen import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.prefab.variation import StepEntry
    from dungeon.content.source.files import Record
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


CONNECTOR = "*"


def with_connectors(
    planes: Sequence[Plane], meaning: Meaning, variation: Variation
) -> tuple[Sequence[Plane], Meaning]:
    """Take connectors that are drawn on the map of a text for walls, and note them on the plane of links.

    Only where nothing else says what their character means.
    """
    ground, *others = planes
    changed = {char for step in variation.steps for char in step.sources}
    if (
        ground.colour is not None
        or CONNECTOR not in ground.chars
        or CONNECTOR in changed
        or meaning.explains(CONNECTOR, above=False)
    ):
        return planes, meaning
    links = others[0].text if others else " " * len(ground.text)
    both = "".join(
        CONNECTOR if below == CONNECTOR and MARK.match(mark) is None else mark
        for below, mark in zip(ground.text, links, strict=True)
    )
    plane = replace(others[0], text=both) if others else Plane(both, ground.shape, ground.where)
    return [ground, plane, *others[1:]], replace(meaning, glyphs={**meaning.glyphs, CONNECTOR: "wall"})


def listed_colours(
    plane: Plane,
    colour: NDArray[np.uint8],
    meaning: Meaning,
    own: Collection[str],
    unknown: Collection[str],
) -> NDArray[np.int32]:
    """Return (height, width): the listed colour, as 0xrrggbb, by which each cell is read; -1 where none is.

    The legend, which is the prefab's own, comes before colours, and colours before other characters. Where the
    nearest colour counts, it does so for cells that nothing else explains.

    Args:
        plane: The map.
        colour: (height, width, 3) uint8, the colour that each cell is seen in.
        meaning: What colours mean; there must be some.
        own: Characters that come before colours.
        unknown: Characters that mean nothing.
    """
    keys = np.array(sorted(int(text[1:], 16) for text in meaning.colours), np.int32)
    seen_as = packed(colour)
    at = np.minimum(np.searchsorted(keys, seen_as), len(keys) - 1)
    seen = ~plane.having(own) & (keys[at] == seen_as)
    result = np.where(seen, seen_as, np.int32(-1))
    if meaning.nearest and unknown:
        guessed = plane.having(unknown) & ~seen
        colours, which = np.unique(seen_as[guessed], return_inverse=True)
        result[guessed] = keys[_nearest(colours, keys)][which]
    return result


def packed(colour: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return (..., 3) bytes as one number each, 0xrrggbb."""
    wide = colour.astype(np.int32)
    return wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]


def _nearest(colours: NDArray[np.int32], listed: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return, for each colour (packed), the index of the listed one that is nearest in RGB."""
    best = np.zeros(colours.shape, np.intp)
    least = np.full(colours.shape, np.iinfo(np.int32).max, np.int32)
    for index, other in enumerate(listed.tolist()):
        unlike = sum(((colours >> shift & 255) - (other >> shift & 255)) ** 2 for shift in (16, 8, 0))
        closer = unlike < least
        best[closer] = index
        least[closer] = unlike[closer]
    return best


PALETTE_KEYS = ("extends", "glyphs", "colours", "match")
EXPLAINING = ("like", "legend", "legends", "palette", "vary", "aliases")
"""Keys of a prefab that say what its characters mean."""


@dataclass
class Unclear:
    """What is known of entries that are not right.

    Attributes:
        chars: Characters that mean something, but what it is could not be read.
        whole: Whether no other character may mean something, too.
    """

    whole: bool
    chars: set[str] = field(default_factory=set)

    def add_legend(self, record: Record | None) -> None:
        """Take in a shared legend that is not right, or that there is not."""
        if record is None or not isinstance(record.data, dict):
            self.whole = False
            return
        self.chars |= set(record.fields)
        self.whole = self.whole and is_legible(record.fields.get("extends"))

    def add_palette(self, raw: object) -> None:
        """Take in a palette as written that is not right, or that there is not (None)."""
        if not isinstance(raw, dict):
            self.whole = False
            return
        glyphs = raw.get("glyphs", {})
        self.chars |= _keys(glyphs)
        self.whole = self.whole and isinstance(glyphs, dict) and is_legible(raw.get("extends"))
        self.whole = self.whole and not _misspells(raw, PALETTE_KEYS, ("glyphs", "extends"))

    def add_prefab(self, record: Record, known: Iterable[str]) -> None:
        """Take in what a prefab that is not right says of its own characters.

        Args:
            record: The prefab.
            known: All keys that a prefab may have.
        """
        raw = record.fields
        legend, steps = raw.get("legend", {}), raw.get("vary", [])
        self.chars |= _keys(legend) | _varied(steps)
        self.add_palette(raw.get("palette", {}))
        legible = (
            isinstance(record.data, dict) and isinstance(legend, dict) and is_legible(raw.get("legends"))
        )
        legible = legible and isinstance(steps, list) and all(isinstance(step, dict) for step in steps)
        legible = legible and not (record.is_lost or holds_broken(steps) or holds_broken(raw.get("aliases")))
        self.whole = self.whole and legible and not _misspells(raw, known, EXPLAINING)


def _misspells(raw: Iterable[str], known: Iterable[str], meant: Iterable[str]) -> bool:
    """Tell whether one of the keys is none that is known, and like one of those that may be meant."""
    keys, wanted = list(known), list(meant)
    return any(nearest_match(key, keys) in wanted for key in raw if key not in keys)


def is_legible(raw: object) -> bool:
    """Tell whether all names in a list of them, or a single one, can be read."""
    listed = raw if isinstance(raw, list) else [] if raw is None else [raw]
    return all(isinstance(word, str | int) for word in listed)


def _varied(raw: object) -> set[str]:
    """Return the characters that steps seem to ask for, as far as they can be read."""
    steps = [step for step in raw if isinstance(step, dict)] if isinstance(raw, list) else []
    said = [
        step[key]
        for step in steps
        for key in step
        if key in (*STEPS, "of") or not any(name in step for name in STEPS)
    ]
    words = [word for each in said for word in (each if isinstance(each, list) else [each])]
    return {char for word in words if isinstance(word, str | int) for char in str(word)}


def _keys(raw: object) -> set[str]:
    return set(raw) if isinstance(raw, dict) else set()
