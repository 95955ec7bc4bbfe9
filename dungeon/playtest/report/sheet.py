"""Figures as plain data: what pages, terminals and spreadsheets show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Form = Literal["text", "count", "number", "share", "milliseconds"]
"""How the values of a column are written. A share is a number, 1 for all."""

SHOWN = 5
"""So many levels at most show where a figure comes from."""

EXAMPLES = f"min(DISTINCT {{'seed': seed, 'map': map}}, {SHOWN})"
"""SQL for the first levels of a group, by their seeds; over a view that has them."""


class LevelRef(NamedTuple):
    """A level, by the seed of its world and the id of its map."""

    seed: int
    map: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetColumn:
    """A column: its name, how its values are written, and what they say."""

    name: str
    form: Form
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSheet:
    """A table of figures.

    Attributes:
        name: What files and links call it.
        title: What readers call it.
        text: What its rows are, in a sentence or two.
        columns: Its columns.
        rows: Its rows. None stands for what there is not.
        shown: For each row, levels that show it.
    """

    name: str
    title: str
    text: str
    columns: tuple[SheetColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    shown: tuple[tuple[LevelRef, ...], ...]

    def values(self, *names: str) -> list[tuple[Any, ...]]:
        """Return some columns of all rows."""
        at = [[column.name for column in self.columns].index(name) for name in names]
        return [tuple(row[index] for index in at) for row in self.rows]


def column(name: str, form: Form, text: str) -> SheetColumn:
    """Return a column."""
    return SheetColumn(name=name, form=form, text=text)


def sheet_of(
    name: str, title: str, text: str, columns: Sequence[SheetColumn], answers: Iterable[tuple[Any, ...]]
) -> ReportSheet:
    """Return the sheet of what a query answers: the values of the columns in turn and, last, `EXAMPLES`."""
    rows, shown = [], []
    for *row, examples in answers:
        rows.append(tuple(row))
        shown.append(spots_of(examples))
    return ReportSheet(
        name=name, title=title, text=text, columns=tuple(columns), rows=tuple(rows), shown=tuple(shown)
    )


def spots_of(examples: Iterable[dict[str, Any]] | None) -> tuple[LevelRef, ...]:
    """Return levels that a query has told of as `EXAMPLES` does."""
    return tuple(LevelRef(each["seed"], each["map"]) for each in examples or ())
