"""Reports as text for terminals, and as tables for spreadsheets."""

from __future__ import annotations

import csv
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from dungeon.core.errors import PlaytestError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from dungeon.playtest.report.report import Report
    from dungeon.playtest.report.sheet import Form, Sheet

FIRST_ROWS = 10
"""So many rows of a sheet are printed, unless it is asked for by its name."""

SEEDS = 3
"""So many seeds are printed behind a row."""

SETTINGS: dict[Form, str] = {"count": ",", "number": ",.2f", "share": ".1%", "milliseconds": ",.0f"}
"""How values are written; text as it is."""


def written(value: Any, form: Form) -> str:
    """Return a value as readers see it."""
    if value is None:
        return ""
    return str(value) if form == "text" else format(value, SETTINGS[form])


def as_text(report: Report, width: int, asked: str = "") -> Iterator[str]:
    """Yield the lines of a report.

    Args:
        report: The report.
        width: The width that sentences are wrapped at, in characters. Tables are as wide as they need.
        asked: The name of the one sheet to print, whole; if it is empty, all findings and the first rows of every sheet.

    Raises:
        PlaytestError: There is no sheet of that name.
    """
    if asked:
        named = {sheet.name: sheet for sheet in report.sheets}
        if asked not in named:
            raise PlaytestError(f"there is no table {asked!r}, only {', '.join(named)}")
        yield from _sheet_lines(named[asked], width, len(named[asked].rows))
        return
    for line in report.about:
        yield from wrap(line, width)
    yield ""
    yield from _findings(report, width)
    for sheet in report.sheets:
        yield ""
        yield from _sheet_lines(sheet, width, FIRST_ROWS)


def _findings(report: Report, width: int) -> Iterator[str]:
    """Yield what is out of line."""
    if not report.findings:
        yield "Nothing is out of line."
        return
    yield "Out of line, the worst first"
    for number, finding in enumerate(report.findings, 1):
        text = f"{finding.text} {finding.cases:,.0f} cases in 100 worlds."
        yield from wrap(text, width, initial_indent=f"{number:3}. ", subsequent_indent="     ")
        for spot in finding.shown[:SEEDS]:
            yield f"     {report.command(spot)}"


def _sheet_lines(sheet: Sheet, width: int, most: int) -> Iterator[str]:
    """Yield a sheet: what it is, its headings, and so many of its rows at most."""
    yield f"{sheet.title} ({sheet.name})"
    yield from wrap(sheet.text, width, initial_indent="  ", subsequent_indent="  ")
    table = [[*(column.name for column in sheet.columns), "seeds"]]
    for row, shown in zip(sheet.rows[:most], sheet.shown, strict=False):
        values = [written(value, column.form) for value, column in zip(row, sheet.columns, strict=True)]
        table.append([*values, " ".join(str(spot.seed) for spot in shown[:SEEDS])])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    left = [column.form == "text" for column in sheet.columns] + [True]
    for line in table:
        cells = (
            text.ljust(wide) if to_left else text.rjust(wide)
            for text, wide, to_left in zip(line, widths, left, strict=True)
        )
        yield f"  {'  '.join(cells)}".rstrip()
    if len(sheet.rows) > most:
        yield f"  ... and {len(sheet.rows) - most:,} more: --text {sheet.name}"


def write_csv(report: Report, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the findings and every sheet as a CSV file into a folder, and return the files.

    Figures have all their digits. The last column has the levels that show a row, as ``seed map`` with semicolons between.

    Raises:
        PlaytestError: A file can't be written.
    """
    target = Path(folder)
    tables: dict[str, list[list[Any]]] = {
        "findings": [
            ["kind", "maps", "thing", "category", "text", "cases", "chance", "shown"],
            *(
                [
                    *(each.kind, " ".join(each.maps), each.thing, each.category),
                    *(each.text, each.cases, each.chance, _cited(each.shown)),
                ]
                for each in report.findings
            ),
        ]
    }
    for sheet in report.sheets:
        headings = [*(column.name for column in sheet.columns), "shown"]
        tables[sheet.name] = [
            headings,
            *([*row, _cited(spots)] for row, spots in zip(sheet.rows, sheet.shown, strict=True)),
        ]
    files = []
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, rows in tables.items():
            files.append(target / f"{name}.csv")
            with files[-1].open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(rows)
    except OSError as error:
        raise PlaytestError(f"{error.filename or target} cannot be written: {error.strerror}") from error
    return files


def _cited(spots: tuple[tuple[int, str], ...]) -> str:
    return "; ".join(f"{seed} {name}" for seed, name in spots)
