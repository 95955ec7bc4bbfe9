"""The *steps* under `vary`, which change the characters of a drawing's *loose cells* each time its prefab is used, in order.

Loose cells are those whose characters may change, in `map` or in `references`. A *tally* bounds how many cells can have each
character after some steps, without rolling anything.

    - {substitute: x, with: {".": 3, "~": 1}}            each x by itself
    - {substitute: x, with: ["#", "."], once: true}      all x alike
    - {substitute: x, switch: fence, cases: {iron: i, wood: w}}
    - {exactly: 2, of: c, become: C, otherwise: "."}     two of the cells
    - {at_most: 2, of: c, become: C, otherwise: "."}     two of the cells, or as many as there are
    - {shuffle: abc}                                     the characters change places
    - {shuffle: {a: 3, b: 1, c: 1}}                      the place of a is most likely to keep a
    - {shuffle: [ab, cd]}                                a and b change places with c and d
    - {one_of: "123", become: "+", otherwise: "#"}       the cells of one character, drawn at random
    - {optional: w, chance: 50%, become: "#", otherwise: "."}    all or none
    - {fit: S, prefabs: alcove, otherwise: "."}          another prefab into each connected group of S

After the vault languages of DungeonCrawl and Angband.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol

from pydantic import AfterValidator, Field

from dungeon.content.source.names import MAX_LISTED, NewName
from dungeon.content.source.problems import CheckedEntry, ValueProblem, misread
from dungeon.content.values.fields import Flag, Given, by_key, several_of
from dungeon.content.values.grammar import Constant, roll
from dungeon.content.values.looks import Blocks, Glyph, Glyphs, GlyphValue
from dungeon.content.values.prefab_words import PrefabsByWeight
from dungeon.content.values.value_fields import IntValue, ShareValue, within
from dungeon.core.frozen import nothing
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from dungeon.content.values.grammar import Value
    from dungeon.core.streams import Stream


@dataclass(slots=True)
class CellTally:
    """Bounds on how many cells of a drawing can have each character after some steps, whatever the steps roll.

    Attributes:
        counts: Character -> (minimum, maximum) number of cells.
        groups: (characters, n): at least n cells have one of these characters, in addition to each character's own
            minimum.
        unsure: Parameters of the prefab that may not apply; a `switch` on one of them may leave characters unchanged.
        partial: Whether only `map` or only `references` is counted, so that an `exactly` step may find its cells in the other.
        problems: The problems found so far.
        unused: One problem, with its path, for each character that a step changes although no cell can have
            that character.
    """

    counts: dict[str, tuple[int, int]]
    groups: list[tuple[frozenset[str], int]] = field(default_factory=list, kw_only=True)
    unsure: Collection[str] = ()
    partial: bool = False
    problems: list[ValueProblem] = field(default_factory=list)
    unused: list[ValueProblem] = field(default_factory=list)

    def take(self, chars: Iterable[str], *path: str | int) -> tuple[int, int]:
        """Remove characters from the tally, and return the (minimum, maximum) number of cells that had one of them.

        Args:
            chars: The characters.
            *path: The keys and indices of the step that lead to them, for problems.
        """
        fewest = most = 0
        taken = frozenset(chars)
        for char in chars:
            low, high = self.counts.pop(char, (0, 0))
            if high == 0:
                message = "no cell has this character here: it is not drawn, or earlier steps replace it"
                self.unused.append(ValueProblem(message=message, path=path, value=char))
            fewest, most = fewest + low, most + high
        fewest += sum(low for group, low in self.groups if group <= taken)
        self.groups = [(group, low) for group, low in self.groups if group.isdisjoint(taken)]
        return fewest, most

    def give(self, char: str, low: int, high: int) -> None:
        """Add between `low` and `high` cells with the character `char` to the tally."""
        fewest, most = self.counts.get(char, (0, 0))
        self.counts[char] = fewest + low, most + high

    def scatter(self, options: Iterable[str | None], low: int, high: int, keep: Iterable[str] = ()) -> None:
        """Add between `low` and `high` cells to the tally that each get one of `options` as their character.

        Args:
            options: The possible new characters. None means that a cell keeps its character, which is one of `keep`.
            low: The minimum number of cells.
            high: The maximum number of cells.
            keep: The characters that the cells had before.
        """
        chars = dict.fromkeys(char for option in options for char in (keep if option is None else [option]))
        for char in chars:
            self.give(char, low if len(chars) == 1 else 0, high)
        if len(chars) > 1 and low:
            self.groups.append((frozenset(chars), low))


class VariableCells(Protocol):
    """The loose cells of a drawing (those whose characters may change) while the steps under `vary` change them.

    Attributes:
        chars: The present character of each loose cell; steps change this list in place.
        parameters: Parameter of the prefab -> its rolled value.
    """

    chars: list[str]
    parameters: Mapping[str, str | None]

    def fit(self, step: FitRequest, stream: Stream) -> None:
        """Fit a prefab into each connected group of the cells with the step's character, and mark the cells that it covers."""


class FitRequest(Protocol):
    """A `fit` step, which fits another prefab into each connected group of the cells with one character."""

    @property
    def fit(self) -> str:
        """The character; each connected group of the cells that have it may get a prefab."""

    @property
    def chance(self) -> Value[float]:
        """The probability, in the value grammar, that a group gets a prefab; rolled for each group."""

    @property
    def ways(self) -> frozenset[Orientation]:
        """The orientations in which prefabs may be fitted in, if the prefab itself permits them, too."""


class StepEntry(CheckedEntry):
    """Base class of the steps. The first key of each step, such as `shuffle`, says what the step does.

    Attributes:
        CHANGES: The key under which an author lists the characters that the step changes.
        LEAVES: The keys under which an author names the new characters.
    """

    CHANGES: ClassVar[str]
    LEAVES: ClassVar[tuple[str, ...]] = ("become", "otherwise")

    @property
    def sources(self) -> tuple[str, ...]:
        """The characters that the step changes."""
        return tuple(getattr(self, self.CHANGES))

    def results(self) -> Iterator[tuple[str, str]]:
        """Yield (new character, key under which the step names it) for each character that the step may give to a cell."""
        for key in self.LEAVES:
            yield from results_of(key, getattr(self, key))

    def tally(self, tally: CellTally) -> None:
        """Update `tally`, the bounds on the number of cells with each character, as this step would change them."""
        low, high = tally.take(self.sources, self.CHANGES)
        options = [each for key in self.LEAVES for each in options_of(getattr(self, key))]
        tally.scatter(options, low, high, self.sources)

    @abstractmethod
    def apply(self, loose: VariableCells, stream: Stream) -> None:
        """Change the characters of the loose cells as this step says, with random numbers from the stream."""


def cells_of(loose: VariableCells, chars: Sequence[str]) -> list[int]:
    """Return the indices of the loose cells whose present character is one of `chars`."""
    return [index for index, char in enumerate(loose.chars) if char in chars]


def results_of(key: str, value: Value[str] | None) -> Iterator[tuple[str, str]]:
    """Yield (character, `key`) for each character that may be rolled; nothing if `value` is None.

    Args:
        key: The key of the step under which the author wrote the value.
        value: A character in the value grammar, such as `["#", "."]`.
    """
    if value is not None:
        for char in dict.fromkeys(value.outcomes()):
            yield char, key


def options_of(value: Value[str] | None) -> list[str | None]:
    """Return the characters that may be rolled for a cell; None among them means that the cell keeps its character.

    Args:
        value: A character in the value grammar, such as `["#", "."]`; None if the step names none.
    """
    return [None] if value is None else list(value.odds())


def put(loose: VariableCells, cells: Iterable[int], value: Value[str] | None, stream: Stream) -> None:
    """Roll a new character for each of these cells and set it; without a value, nothing changes.

    Args:
        loose: The loose cells of the drawing.
        cells: The indices of the cells to change.
        value: The new character, in the value grammar; None changes nothing.
        stream: The random stream.
    """
    if value is not None:
        chars, draw = loose.chars, value.roll
        for index in cells:
            rolled = draw(stream)
            if rolled is not None:
                chars[index] = rolled


MAX_STEPS = 100
"""Maximum number of steps under `vary`."""
MAX_COUNT = 1_000_000
"""More cells than any drawing has."""


class SubstituteEntry(StepEntry):
    """Replaces characters by others.

    Attributes:
        substitute: The characters that are replaced.
        with_: The new character, rolled for each cell.
        once: Whether the new character is rolled once for all cells.
        switch: The parameter of the prefab that chooses one of the `cases`, in place of `with`.
        cases: Value of the parameter -> the new character.
    """

    CHANGES = "substitute"

    substitute: Glyphs
    with_: Given[GlyphValue] = Field(default=None, alias="with")
    once: Flag = False
    switch: Given[NewName] = None
    cases: Annotated[dict[NewName, Glyph], Field(max_length=MAX_LISTED)] = Field(default_factory=nothing)

    def problems(self) -> Iterator[ValueProblem]:
        """Yield the problems that show when the keys of this step are compared with each other."""
        message = None
        if (self.with_ is None) == (self.switch is None):
            message = "the new character is given by 'with', or by 'switch' and 'cases'"
        elif (self.switch is None) != (not self.cases) or (self.switch is not None and self.once):
            message = "'switch' names a parameter, and 'cases' gives the new character for each of its values"
        if message is not None:
            yield ValueProblem(message=message, key=True)

    def results(self) -> Iterator[tuple[str, str]]:
        """Yield (new character, key under which the step names it) for each character that the step may give to a cell."""
        yield from results_of("with", self.with_)
        yield from ((char, "cases") for char in self.cases.values())

    def tally(self, tally: CellTally) -> None:
        """Update `tally`, the bounds on the number of cells with each character, as this step would change them."""
        low, high = tally.take(self.substitute, "substitute")
        options: list[str | None] = [*self.cases.values()] if self.cases else options_of(self.with_)
        if self.switch in tally.unsure:
            options.append(None)
        tally.scatter(options, low, high, self.substitute)

    def apply(self, loose: VariableCells, stream: Stream) -> None:
        """Replace the characters: by the one that the parameter chooses from `cases` or, without a `switch`, by rolled ones."""
        cells = cells_of(loose, self.substitute)
        if self.switch is not None:
            char = self.cases.get(loose.parameters.get(self.switch) or "")
            put(loose, cells, None if char is None else Constant(char), stream)
        elif self.once and self.with_ is not None:
            rolled = self.with_.roll(stream)
            put(loose, cells, None if rolled is None else Constant(rolled), stream)
        else:
            put(loose, cells, self.with_, stream)


class CountEntry(StepEntry):
    """Base of the steps that change a number of the cells with some characters.

    Attributes:
        COUNT: The key of the number.
        of: The characters whose cells are candidates.
        become: The new character of the chosen cells.
        otherwise: The new character of the other candidates; by default they stay unchanged.
    """

    CHANGES = "of"
    COUNT: ClassVar[str]

    of: Glyphs
    become: GlyphValue
    otherwise: Given[GlyphValue] = None

    def tally(self, tally: CellTally) -> None:
        """Update `tally`, the bounds on the number of cells with each character, as this step would change them."""
        fewest = {char: tally.counts.get(char, (0, 0))[0] for char in self.of}
        low, high = tally.take(self.of, "of")
        least, most = min(self.count.outcomes()), max(self.count.outcomes())
        if tally.partial or not self.count.applies:
            least = 0
        tally.problems += self.shortage(most, low, high)
        least, most = min(least, low), min(most, high)  # a single plane may have fewer cells than asked for
        tally.scatter(options_of(self.become), least, most, self.of)
        left = max(low - most, 0)
        if self.otherwise is None:
            for char, count in fewest.items():  # in the worst case all chosen cells have this character
                kept = max(count - most, 0)
                tally.give(char, kept, 0)
                left -= kept
        tally.scatter(options_of(self.otherwise), left, max(high - least, 0), self.of)

    def apply(self, loose: VariableCells, stream: Stream) -> None:
        """Choose `exactly` cells at random among the candidates, and change them to `become`, the others to `otherwise`."""
        cells = cells_of(loose, self.of)
        stream.shuffle(cells)
        count = roll(self.count, stream, 0)
        put(loose, sorted(cells[:count]), self.become, stream)
        put(loose, sorted(cells[count:]), self.otherwise, stream)

    @property
    def count(self) -> Value[int]:
        """How many of the cells change, in the value grammar."""
        found: Value[int] = getattr(self, self.COUNT)
        return found

    def shortage(self, most: int, low: int, high: int) -> list[ValueProblem]:  # noqa: ARG002
        """Return the problem of a step that may find too few cells, as a list; an empty list if it finds enough.

        Args:
            most: The greatest number of cells that the step may ask for.
            low: The smallest number of candidates that there may be.
            high: The greatest number of candidates that there may be.
        """
        return []


class ExactlyEntry(CountEntry):
    """Changes an exact number of the cells with some characters.

    Attributes:
        exactly: How many of the cells change; there must be as many.
    """

    COUNT = "exactly"

    exactly: Annotated[IntValue, within(0, MAX_COUNT)]

    def shortage(self, most: int, low: int, high: int) -> list[ValueProblem]:
        """Return the problem of a step that may find too few cells, as a list; an empty list if it finds enough."""
        if most <= low:
            return []
        there = str(low) if low == high else f"{low} to {high}"
        cells = "cell has" if high == 1 else "cells have"
        message = f"only {there} {cells} this character, fewer than asked for"
        if low < high:
            message += " (`at_most` allows that)"
        return [ValueProblem(message=message, path=("exactly",), value=most)]


class AtMostEntry(CountEntry):
    """Changes a number of the cells with some characters, or all of them if there are fewer.

    Attributes:
        at_most: How many of the cells change, if there are as many.
    """

    COUNT = "at_most"

    at_most: Annotated[IntValue, within(0, MAX_COUNT)]


class ShuffleEntry(StepEntry):
    """Lets characters, or blocks of equally many characters, change places with each other.

    Attributes:
        shuffle: The characters that change places, or a list of blocks of equal length. With weights, such as `{C: 3, B:
            1}`, the place of the first is filled by one of them by weight, then that of the second by one of the others.
    """

    CHANGES = "shuffle"

    shuffle: Blocks

    @property
    def sources(self) -> tuple[str, ...]:
        """The characters that the step changes."""
        return tuple(char for block in self.shuffle for char in block)

    def results(self) -> Iterator[tuple[str, str]]:
        """Yield (new character, key under which the step names it) for each character that the step may give to a cell."""
        yield from ((char, "shuffle") for char in self.sources)

    def tally(self, tally: CellTally) -> None:
        """Update `tally`, the bounds on the number of cells with each character, as this step would change them."""
        for alike in zip(*self.shuffle, strict=True):
            counts = [tally.take([char], "shuffle") for char in alike]
            low, high = min(low for low, _ in counts), max(high for _, high in counts)
            for char in alike:
                tally.give(char, low, high)

    def apply(self, loose: VariableCells, stream: Stream) -> None:
        """Exchange the characters or blocks at random, alike on all cells."""
        blocks = list(self.shuffle)
        if len(set(self.shuffle.values())) == 1:
            stream.shuffle(blocks)
        else:
            left = dict(self.shuffle)
            blocks.clear()
            while left:
                blocks.append(stream.weighted(left.items()))
                del left[blocks[-1]]
        becomes = {
            char: other
            for block, new in zip(self.shuffle, blocks, strict=True)
            for char, other in zip(block, new, strict=True)
        }
        loose.chars[:] = [becomes.get(char, char) for char in loose.chars]


def _several(chars: tuple[str, ...]) -> tuple[str, ...]:
    if len(chars) < 2:
        raise misread("at least two characters are needed here, one of which is chosen at random", chars[0])
    return chars


class OneOfEntry(StepEntry):
    """Chooses one of several drawn characters at random: of the doors 1, 2 and 3 only one is real.

    Attributes:
        one_of: The characters to choose from.
        become: The new character of the cells with the chosen character.
        otherwise: The new character of the cells with one of the others.
    """

    CHANGES = "one_of"

    one_of: Annotated[Glyphs, AfterValidator(_several)]
    become: GlyphValue
    otherwise: GlyphValue

    def apply(self, loose: VariableCells, stream: Stream) -> None:
        """Choose one of the characters that cells still have: its cells become `become`, the cells of the others `otherwise`."""
        there = [char for char in self.one_of if char in loose.chars]
        if there:
            real = stream.pick(there)
            cells = {char: cells_of(loose, (char,)) for char in there}
            for char in there:
                put(loose, cells[char], self.become if char == real else self.otherwise, stream)


class OptionalEntry(StepEntry):
    """Changes cells all together or not at all: walls that are there or not.

    Attributes:
        optional: The characters whose cells change together.
        chance: The probability that all these cells get the character `become`.
        become: The new character with that probability.
        otherwise: The new character in all other cases.
    """

    CHANGES = "optional"

    optional: Glyphs
    chance: ShareValue = Constant(0.5)
    become: GlyphValue
    otherwise: GlyphValue

    def apply(self, loose: VariableCells, stream: Stream) -> None:
        """Decide once by `chance`, then change all the cells to `become`, or all of them to `otherwise`."""
        comes = stream.chance(roll(self.chance, stream, 0.5))
        put(loose, cells_of(loose, self.optional), self.become if comes else self.otherwise, stream)


class FitEntry(StepEntry):
    """Fits another prefab into each connected group of cells with a character.

    Attributes:
        fit: The character of the cells that are filled.
        prefabs: The prefabs to choose from, by name or tag; equally likely among those that fit, or by
            weight.
        chance: The probability that a group gets a prefab.
        orientations: The orientations allowed here, if the prefab permits them.
        otherwise: The new character of cells that no prefab covers.
    """

    CHANGES = "fit"
    LEAVES = ("otherwise",)

    fit: Glyph
    prefabs: PrefabsByWeight
    chance: ShareValue = Constant(1.0)
    orientations: Annotated[tuple[str, ...], *several_of(*(each.label for each in Orientation))] = tuple(
        each.label for each in Orientation
    )
    otherwise: GlyphValue = Constant(".")

    @cached_property
    def ways(self) -> frozenset[Orientation]:
        """The orientations in which prefabs may be fitted in, from the labels under `orientations`."""
        return frozenset(map(Orientation.named, self.orientations))

    def tally(self, tally: CellTally) -> None:
        """Update `tally`, the bounds on the number of cells with each character, as this step would change them."""
        _, high = tally.take([self.fit], "fit")
        tally.scatter(options_of(self.otherwise), 0, high, [self.fit])

    def apply(self, loose: VariableCells, stream: Stream) -> None:
        """Fit the prefabs in, and change the cells that no prefab covers to `otherwise`."""
        loose.fit(self, stream)
        put(loose, cells_of(loose, (self.fit,)), self.otherwise, stream)


STEPS: dict[str, type[StepEntry]] = {
    "substitute": SubstituteEntry,
    "exactly": ExactlyEntry,
    "at_most": AtMostEntry,
    "shuffle": ShuffleEntry,
    "one_of": OneOfEntry,
    "optional": OptionalEntry,
    "fit": FitEntry,
}
"""Key that says what a step does -> its model."""


Step = Annotated[Any, by_key(STEPS, "step", "steps", "{shuffle: abc}")]
Steps = Annotated[tuple[Step, ...], Field(max_length=MAX_STEPS)]
