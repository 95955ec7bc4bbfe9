"""What a step of `vary` is: what it sees of a drawing, what it must tell of itself, and how it puts characters."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Protocol

from dungeon.content.source.entry import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dungeon.content.prefab.tally import Tally
    from dungeon.content.values.grammar import Value
    from dungeon.core.streams import Stream
    from dungeon.grid.symmetry import Orientation


class Sheet(Protocol):
    """The cells of a drawing that may change, and what has been decided about it.

    Attributes:
        chars: The characters of those cells, to be changed in place.
        parameters: Parameter -> what it turned out to be.
    """

    chars: list[str]
    parameters: Mapping[str, str | None]

    def fit(self, step: Fitting, stream: Stream) -> None:
        """Fit prefabs into the connected groups of a step's character, and take the character off the cells they cover."""


class Fitting(Protocol):
    """What a step says that fits prefabs in."""

    @property
    def fit(self) -> str:
        """The character into whose connected groups they go."""

    @property
    def chance(self) -> Value[float]:
        """How likely each group gets one."""

    @property
    def ways(self) -> frozenset[Orientation]:
        """The ways it may lie, of those that it permits."""


class StepEntry(Entry):
    """Base of the steps. The first key of each says what it does."""

    @property
    @abstractmethod
    def sources(self) -> tuple[str, ...]:
        """The characters that it changes."""

    @abstractmethod
    def results(self) -> Iterator[tuple[str, str]]:
        """Yield the characters that it may leave, each with the key under which it stands."""

    @abstractmethod
    def tally(self, tally: Tally) -> None:
        """Do to the counts what the step does to the cells."""

    @abstractmethod
    def apply(self, sheet: Sheet, stream: Stream) -> None:
        """Do it."""


def cells_of(sheet: Sheet, chars: Sequence[str]) -> list[int]:
    """Return the numbers of the cells that have one of these characters."""
    return [index for index, char in enumerate(sheet.chars) if char in chars]


def results_of(key: str, value: Value[str] | None) -> Iterator[tuple[str, str]]:
    """Yield the characters that a value may put, each with the key under which the value stands."""
    if value is not None:
        for char in dict.fromkeys(value.outcomes()):
            yield char, key


def options_of(value: Value[str] | None) -> list[str | None]:
    """Return what may be put; None where cells keep their characters."""
    return [None] if value is None else list(value.odds())


def put(sheet: Sheet, cells: Iterable[int], value: Value[str] | None, stream: Stream) -> None:
    """Roll the character of each cell."""
    if value is not None:
        chars, draw = sheet.chars, value.roll
        for index in cells:
            rolled = draw(stream)
            if rolled is not None:
                chars[index] = rolled
