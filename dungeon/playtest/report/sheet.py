"""The tables of a report as plain data, for pages, terminals and spreadsheets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Form = Literal["text", "count", "number", "share", "milliseconds"]
"""How a column's values are written. A share is a number between 0 and 1, shown in percent."""

SHOWN = 5
"""Maximum number of example levels for a row or a finding."""

EXAMPLES = f"min(DISTINCT {{'seed': seed, 'map': map}}, {SHOWN})"
"""SQL for the first levels of a group, by seed and map. The view must have both columns."""


class LevelRef(NamedTuple):
    """A level, by its world's seed and its map's id."""

    seed: int
    map: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetColumn:
    """A column: its name, the form of its values, and an explanation."""

    name: str
    form: Form
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSheet:
    """A table of a report.

    Attributes:
        name: Its name in files and links.
        title: Its heading.
        text: A sentence or two about its rows.
        columns: Its columns.
        rows: Its rows. None stands for a missing value.
        shown: Example levels of each row.
    """

    name: str
    title: str
    text: str
    columns: tuple[SheetColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    shown: tuple[tuple[LevelRef, ...], ...]

    def values(self, *names: str) -> list[tuple[Any, ...]]:
        """Return the named columns of all rows, one tuple for each row."""
        at = [[column.name for column in self.columns].index(name) for name in names]
        return [tuple(row[index] for index in at) for row in self.rows]


def column(name: str, form: Form, text: str) -> SheetColumn:
    """Return a column."""
    return SheetColumn(name=name, form=form, text=text)


def sheet_of(
    name: str, title: str, text: str, columns: Sequence[SheetColumn], answers: Iterable[tuple[Any, ...]]
) -> ReportSheet:
    """Return the sheet of a query's rows, whose last value are examples as `EXAMPLES` selects them."""
    rows, shown = [], []
    for *row, examples in answers:
        rows.append(tuple(row))
        shown.append(levels_in(examples))
    return ReportSheet(
        name=name, title=title, text=text, columns=tuple(columns), rows=tuple(rows), shown=tuple(shown)
    )


def levels_in(examples: Iterable[dict[str, Any]] | None) -> tuple[LevelRef, ...]:
    """Return the levels that `EXAMPLES` selected; None gives none."""
    return tuple(LevelRef(each["seed"], each["map"]) for each in examples or ())
