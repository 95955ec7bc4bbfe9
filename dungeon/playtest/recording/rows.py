"""The rows of worlds, as a probe collects them on a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dungeon.playtest.recording.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.playtest.recording.schema import Owner

Value = int | float | str | None

Row = tuple[Value, ...]


class Batch(NamedTuple):
    """The rows of some seeds' worlds.

    Attributes:
        seeds: The seeds.
        names: The names in the rows; rows hold indices into this list.
        rows: Table -> its rows. Levels and games are numbered from 0, in the order of their rows.
        seconds: Time to make the worlds and to run the probe on them (to make levels, play games); writing is not included.
    """

    seeds: range
    names: tuple[str, ...]
    rows: Mapping[str, list[Row]]
    seconds: float = 0.0


class RowCollector:
    """Collects rows and the names in them.

    Attributes:
        tables: Table -> its rows.
    """

    def __init__(self) -> None:
        self.tables: dict[str, list[Row]] = {table.name: [] for table in TABLES}
        self._names: dict[str, int] = {}

    def name(self, text: str) -> int:
        """Return the id of a name in these rows; a new name gets the next id."""
        return self._names.setdefault(text, len(self._names))

    def add(self, table: str, *values: Value) -> None:
        """Add a row to a table: its values in the order of the table's columns."""
        self.tables[table].append(values)

    def number(self, table: Owner, *values: Value) -> int:
        """Add a row to the table `level` or `play`, and return the number that it got as its first column."""
        number = len(self.tables[table])
        self.add(table, number, *values)
        return number

    def batch(self, seeds: range, seconds: float) -> Batch:
        """Return the collected rows as a `Batch` of these seeds; `seconds` is the time that it took to make them."""
        return Batch(seeds, tuple(self._names), self.tables, seconds)
