"""Pictures side by side: a block of text in columns, with a label above each.

    room      prefab   → seed 1
    ######    .#.      ######
    #....#    ...      #.#..#

The panels without an arrow are drawn by hand, those with one by our code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ARROW = "→ "
GAP = 3


@dataclass(frozen=True)
class Panel:
    """A column of a scene: what stands above it, and what it shows."""

    label: str
    text: str

    @property
    def is_drawn(self) -> bool:
        """Whether our code draws it."""
        return self.label.startswith(ARROW)

    @property
    def rows(self) -> list[str]:
        """The label and the rows below it."""
        return [self.label, *self.text.split("\n")]


def panels_of(block: str) -> list[Panel]:
    """Return the panels of a block: columns that begin where the labels in its first line do."""
    header, *lines = block.rstrip("\n").split("\n")
    labels = list(re.finditer(r"\S+(?: \S+)*", header))
    starts = [each.start() for each in labels]
    cuts = [slice(start, end) for start, end in zip(starts, [*starts[1:], None], strict=True)]
    return [
        Panel(label[0], "\n".join(line[cut].rstrip() for line in lines).rstrip())
        for label, cut in zip(labels, cuts, strict=True)
    ]


def block_of(panels: Sequence[Panel]) -> str:
    """Return panels side by side."""
    widths = [max(map(len, panel.rows)) + GAP for panel in panels]
    height = max(len(panel.rows) for panel in panels)
    columns = [panel.rows + [""] * (height - len(panel.rows)) for panel in panels]
    lines = [
        "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in zip(*columns, strict=True)
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def even(text: str) -> str:
    """Return a text with blanks up to its widest row, which in a map are earth."""
    rows = text.split("\n")
    width = max(map(len, rows))
    return "\n".join(row.ljust(width) for row in rows)


def lines(rows: Iterable[Iterable[str]]) -> str:
    """Return rows of characters as text."""
    return "\n".join("".join(row).rstrip() for row in rows).rstrip("\n ")


def table(rows: Mapping[str, Sequence[str]], columns: Sequence[str]) -> str:
    """Return a table: the name of each row, and its cells below the columns' names."""
    cells = [["", *columns], *([name, *each] for name, each in rows.items())]
    widths = [max(len(row[place]) for row in cells) + 2 for place in range(len(columns) + 1)]
    return lines([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in cells)
