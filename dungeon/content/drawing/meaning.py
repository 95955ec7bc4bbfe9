"""What the characters and colours of a drawing mean, in the map or *above* it, where a *reference* names an object; and what varies.

A drawing has several planes, which lie above each other. The first is the map, the fourth has the references.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.drawing.planes import (
    BLANK,
    DONT_CARE,
    MARK,
    DrawingPlane,
)
from dungeon.content.prefab.locked_ground import OpenedWords, opens_nothing
from dungeon.content.prefab.template import CharacterReading
from dungeon.content.prefab.variation import STEPS
from dungeon.content.source.marks import holds_broken
from dungeon.content.values.grammar import Constant, mapped
from dungeon.core.errors import nearest_match
from dungeon.core.frozen import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.drawing.layer_roles import LayerRole
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
"""Character -> terrain, unless a palette or legend says otherwise. `?` leaves the map unchanged."""

SETTLED: Mapping[str, str | None] = NOTHING
"""No parameters."""


@dataclass(frozen=True, slots=True)
class CharacterMeanings:
    """What the characters and colours of a drawing mean.

    Attributes:
        legend: Character -> terrain or object, from the legends.
        glyphs: Character -> name of terrain, from the palettes and `DEFAULT_GLYPHS`.
        colours: ``#rrggbb`` in lower case -> name of terrain, from the palettes.
        nearest: Whether a colour that no palette lists has the meaning of the listed colour most similar to it.
        codes: Name of terrain -> terrain code.
        stops: Tells whether the object of a symbol blocks walkers permanently.
        opens: Returns the names of the locks that the object of a symbol certainly opens.
        given: The lock names in `locks.yaml`, for which the level itself places keys.
        sealing: The meaning of the terrain codes if closed parts of the drawing are sealed, else None.
        machine: The prop that drawn machines are, from the key `machine`; None for generic ones.
        paints: Character of the plane `paint` -> colour of the machine under it; None if `paints` could not be
            read.
        unclear: Characters that have a meaning which could not be read.
        whole: Whether all legends and palettes could be read. If not, an unknown character may have a
            meaning.
        colours_whole: Whether the colours of all palettes could be read.
        connectors: Whether `*` on the map is a wall with a connector.
        roles: What the layers of an .xp drawing hold, lowest first; None for the usual order.
    """

    legend: Mapping[str, SymbolEntry]
    glyphs: Mapping[str, str]
    colours: Mapping[str, str]
    nearest: bool
    codes: Mapping[str, int]
    stops: Callable[[SymbolEntry], bool]
    opens: Callable[[SymbolEntry], OpenedWords] = opens_nothing
    given: frozenset[str] = frozenset()
    sealing: t.TerrainSet | None = None
    machine: SymbolEntry | None = None
    paints: Mapping[str, t.Colour] | None = field(default_factory=lambda: NOTHING)
    unclear: Collection[str] = ()
    whole: bool = True
    colours_whole: bool = True
    connectors: bool = False
    roles: tuple[LayerRole, ...] | None = None

    @property
    def explained(self) -> tuple[str, ...]:
        """The characters that the prefab's legend lists, sorted."""
        return tuple(sorted(self.legend))

    def explained_for(self, kind: str) -> tuple[str, ...]:
        """Return the characters that the legend gives an object of this kind, sorted; all that it lists if `kind` is empty."""
        return tuple(char for char in self.explained if self.explains(char, above=True, only=kind))

    def lock_names(self, chars: Collection[str] | None) -> frozenset[str]:
        """Return the names of the locks that characters of the legend may give to doors and objects; None for all characters."""
        known = self.legend.keys() if chars is None else self.legend.keys() & chars
        return frozenset().union(*(self.legend[char].lock_names for char in known))

    def knows_all_of(self, plane: DrawingPlane) -> bool:
        """Tell whether every legend and palette that gives meanings on a plane could be read, so that none is missing here."""
        return self.whole and (self.colours_whole or plane.colour is None)

    def code(self, name: str | None) -> int:
        """Return the code of the terrain with this name; the code of floor for None, and for an unknown name (reported elsewhere)."""
        return self.codes.get(name or "floor", t.FLOOR)

    def reading(
        self, char: str, *, above: bool, parameters: Mapping[str, str | None] = SETTLED, only: str = ""
    ) -> CharacterReading:
        """Return what a character means: terrain, an object, or both; or several objects together.

        Args:
            char: The character.
            above: Whether the character is drawn in `references`, where it names an object, rather than in the map.
            parameters: Parameter of the prefab -> its rolled value.
            only: The name of the kind that the layer is for; empty for any. Objects of other kinds are left out.
        """
        settled = self.legend[char].settled(parameters) if char in self.legend else ()
        numbered = tuple(enumerate(settled))
        if only:
            numbered = tuple(pair for pair in numbered if is_of_kind(pair[1], only))
        if numbered:
            terrain, to, lock, standing, stops = None, None, None, [], False
            # Of several symbols, the first that gives terrain counts; likewise for a destination and a lock.
            for pair in numbered:
                symbol = pair[1]
                terrain = symbol.terrain if terrain is None else terrain
                to = symbol.to if to is None else to
                lock = symbol.lock if lock is None and symbol.kind is None else lock
                if symbol.stands:
                    standing.append(pair)
                    stops = stops or self.stops(symbol)
            codes = None if above and terrain is None else self.coded(terrain)
            return CharacterReading(codes, tuple(standing), to, stops, lock)
        if above:
            return CharacterReading(None)
        if char in self.legend:  # a switch that has no case for the parameter's value
            return CharacterReading(Constant(t.FLOOR))
        if char in self.glyphs:
            is_connector = self.connectors and char == CONNECTOR
            return CharacterReading(Constant(self.code(self.glyphs[char])), is_connector=is_connector)
        return CharacterReading(Constant(t.KEEP))

    def coded(self, terrain: Value[str] | None) -> Value[int]:
        """Return names of terrain in the value grammar (`[floor, water]`) as terrain codes; the code of floor for None."""
        if terrain is None:
            return Constant(t.FLOOR)
        return mapped(terrain, self.code)

    def explains(self, char: str, *, above: bool, only: str = "") -> bool:
        """Tell whether the author, or a default, gives a character a meaning.

        Args:
            char: The character.
            above: Whether the character is drawn in `references`, where it names an object, rather than in the map.
            only: The name of the kind that the layer is for; empty for any. Objects of other kinds do not count.
        """
        if char in self.unclear:
            return True
        if char in self.legend:
            return not only or any(is_of_kind(leaf, only) for leaf, _ in self.legend[char].leaves())
        return char == " " if above else char in self.glyphs or char in (DONT_CARE, BLANK)


def is_of_kind(symbol: SymbolEntry, kind: str) -> bool:
    """Tell whether a symbol names an object of this kind, or of one that is like it; `kind` is a name as in levels."""
    return kind in (symbol.kind, symbol.like)


@dataclass(frozen=True, slots=True)
class Variation:
    """What varies in a drawing each time its prefab is used.

    Attributes:
        steps: The steps under `vary`.
        parameters: Parameter of the prefab -> its value, rolled once for the whole drawing.
        fits: Index in `steps` of a `fit` step -> name of a prefab that it may fit in -> weight.
    """

    steps: tuple[StepEntry, ...] = ()
    parameters: Mapping[str, Value[str]] = field(default_factory=lambda: NOTHING)
    fits: Mapping[int, Mapping[str, float]] = field(default_factory=lambda: NOTHING)


CONNECTOR = "*"


def with_connectors(
    planes: Sequence[DrawingPlane], meaning: CharacterMeanings, variation: Variation
) -> tuple[Sequence[DrawingPlane], CharacterMeanings]:
    """Turn each `*` in the map into a wall in the map and a `*` (a connector) in the links; return the new planes and meanings.

    This is done for text drawings only, and only if nothing else says what `*` means. A `*` that steps may change, or
    leave, is read when a variant is rolled.
    """
    ground, *others = planes
    changed = {char for step in variation.steps for char in step.sources}
    left = {char for step in variation.steps for char, _ in step.results()}
    if (
        ground.colour is not None
        or CONNECTOR not in ground.chars | left
        or meaning.explains(CONNECTOR, above=False)
    ):
        return planes, meaning
    meaning = replace(meaning, glyphs={**meaning.glyphs, CONNECTOR: "wall"}, connectors=True)
    if CONNECTOR in changed or CONNECTOR not in ground.chars:
        return planes, meaning
    links = others[0].text if others else " " * len(ground.text)
    both = "".join(
        CONNECTOR if below == CONNECTOR and MARK.match(mark) is None else mark
        for below, mark in zip(ground.text, links, strict=True)
    )
    plane = replace(others[0], text=both) if others else DrawingPlane(both, ground.shape, ground.where)
    return [ground, plane, *others[1:]], meaning


def listed_colours(
    plane: DrawingPlane,
    colour: NDArray[np.uint8],
    meaning: CharacterMeanings,
    own: Collection[str],
    unknown: Collection[str],
) -> NDArray[np.int32]:
    """Return (height, width) int32: for each cell the listed colour (0xrrggbb) that gives its terrain, or -1.

    -1 is for cells whose terrain is given by their character. A cell is read by the first of these that applies: a
    character of the legend, its exact colour, another character with a meaning, the listed colour nearest to its own.

    Args:
        plane: The map.
        colour: (height, width, 3) uint8, the visible colour of each cell.
        meaning: What characters and colours mean; at least one colour must be listed.
        own: Characters that count before colours: those of the legend.
        unknown: Characters without a meaning.
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
    """Return colours of shape (..., 3) as one number each, 0xrrggbb."""
    wide = colour.astype(np.int32)
    return wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]


def _nearest(colours: NDArray[np.int32], listed: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return, for each of the colours (0xrrggbb), the index of the nearest colour in `listed`, by distance in RGB."""
    best = np.zeros(colours.shape, np.intp)
    least = np.full(colours.shape, np.iinfo(np.int32).max, np.int32)
    for index, other in enumerate(listed.tolist()):
        unlike = sum(((colours >> shift & 255) - (other >> shift & 255)) ** 2 for shift in (16, 8, 0))
        closer = unlike < least
        best[closer] = index
        least[closer] = unlike[closer]
    return best


PALETTE_KEYS = ("extends", "glyphs", "colours", "match", "layers")
EXPLAINING = ("like", "legend", "legends", "palette", "vary", "aliases")
"""Keys of a prefab that say what its characters mean."""


@dataclass
class UnreadCharacters:
    """The characters whose meaning could not be read, gathered from invalid legends, palettes and prefabs.

    Attributes:
        chars: These characters.
        whole: Whether `chars` has all such characters. If not, any other character may have a meaning that could not be read.
    """

    whole: bool
    chars: set[str] = field(default_factory=set)

    def add_legend(self, record: Record | None) -> None:
        """Add the characters of a shared legend that is invalid; None stands for a missing legend."""
        if record is None or not isinstance(record.data, dict):
            self.whole = False
            return
        self.chars |= set(record.fields)
        self.whole = self.whole and is_legible(record.fields.get("extends"))

    def add_palette(self, raw: object) -> None:
        """Add the characters of an invalid palette, given as written; None stands for a missing palette."""
        if not isinstance(raw, dict):
            self.whole = False
            return
        glyphs = raw.get("glyphs", {})
        self.chars |= _keys(glyphs)
        self.whole = self.whole and isinstance(glyphs, dict) and is_legible(raw.get("extends"))
        self.whole = self.whole and not _misspells(raw, PALETTE_KEYS, ("glyphs", "extends"))

    def add_prefab(self, record: Record, known: Iterable[str]) -> None:
        """Add the characters to which an invalid prefab itself gives a meaning, in its legend, palette or steps.

        Args:
            record: The entry of the prefab as written.
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
    """Tell whether an entry has a misspelt key that probably should be one of `meant`.

    Args:
        raw: The keys of the entry as written.
        known: All keys that such an entry may have.
        meant: The keys in question.
    """
    keys, wanted = list(known), list(meant)
    return any(nearest_match(key, keys) in wanted for key in raw if key not in keys)


def is_legible(raw: object) -> bool:
    """Tell whether a list of names, or a single name, can be read: every item is a word or number."""
    listed = raw if isinstance(raw, list) else [] if raw is None else [raw]
    return all(isinstance(word, str | int) for word in listed)


def _varied(raw: object) -> set[str]:
    """Return the characters that the steps under `vary` seem to change, as far as they can be read."""
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
