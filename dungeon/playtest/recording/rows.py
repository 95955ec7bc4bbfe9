"""What a process has found out about some worlds, on its way to the one that writes it down."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dungeon.playtest.recording.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.playtest.recording.schema import Owner

Value = int | float | str | None

Row = tuple[Value, ...]


class Batch(NamedTuple):
    """What was found out about the worlds of some seeds.

    Attributes:
        seeds: The seeds.
        names: The names that rows mention, by their index.
        rows: Table -> its rows. Levels and games are numbered from 0, names by `names`.
        seconds: How long it took.
    """

    seeds: range
    names: tuple[str, ...]
    rows: Mapping[str, list[Row]]
    seconds: float = 0.0


class Rows:
    """Rows that are being collected, and the names that they mention.

    Attributes:
        tables: Table -> its rows.
    """

    def __init__(self) -> None:
        self.tables: dict[str, list[Row]] = {table.name: [] for table in TABLES}
        self._names: dict[str, int] = {}

    def name(self, text: str) -> int:
        """Return the number of a name."""
        return self._names.setdefault(text, len(self._names))

    def add(self, table: str, *values: Value) -> None:
        """Add a row."""
        self.tables[table].append(values)

    def number(self, table: Owner, *values: Value) -> int:
        """Add a level or game, and return its number: the first column, which other rows begin with."""
        number = len(self.tables[table])
        self.add(table, number, *values)
        return number

    def batch(self, seeds: range, seconds: float) -> Batch:
        """Return all of it."""
        return Batch(seeds, tuple(self._names), self.tables, seconds)
