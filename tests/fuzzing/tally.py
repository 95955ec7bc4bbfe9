"""Counts over many levels: a table with a row for each layout, and the first few of each mistake."""

from __future__ import annotations

import re
import traceback
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import dungeon
from dungeon.proof.solution import solution_of

if TYPE_CHECKING:
    from dungeon.proof.solution import Solution

BROKEN = "breaks a promise"
"""Text of an error about a level that the proof rejects."""
SHOWN = 3
"""Number of levels named for each mistake."""
HEAD = ("layout", "made", "refused", "retries", "wrong", "with locks", "locks", "rounds", "ms", "slowest ms")


@dataclass(slots=True)
class Row:
    """The counts of one layout.

    Attributes:
        times: Milliseconds of each level.
        locks: Number of locks of each level.
        rounds: Number of spheres needed to open them, of each level.
        refused: Number of refused levels.
        retries: Number of whole-level retries.
        wrong: Number of wrong levels.
    """

    times: list[float] = field(default_factory=list)
    locks: list[int] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    refused: int = 0
    retries: int = 0
    wrong: int = 0

    def cells(self) -> tuple[str, ...]:
        """Return the cells of the table's row, without the layout's name."""
        locked = [count for count in self.locks if count]
        return (
            str(len(self.times)),
            str(self.refused),
            str(self.retries),
            str(self.wrong),
            str(len(locked)),
            f"{min(locked)}..{max(locked)}" if locked else "-",
            f"{sum(self.rounds) / len(locked):.1f}" if locked else "-",
            f"{median(self.times):.1f}" if self.times else "-",
            f"{max(self.times):.0f}" if self.times else "-",
        )


class Tally:
    """Counts levels as they are made."""

    def __init__(self) -> None:
        self.rows: defaultdict[str, Row] = defaultdict(Row)
        self.wrong: defaultdict[str, list[str]] = defaultdict(list)
        self.refused: defaultdict[str, list[str]] = defaultdict(list)
        self.retried: defaultdict[str, list[str]] = defaultdict(list)
        self.slowest: tuple[float, str] = (0.0, "")

    @property
    def count(self) -> int:
        """Number of levels made."""
        return sum(len(row.times) for row in self.rows.values())

    def made(
        self, layout: str, level: dungeon.Level, world: dungeon.World, seconds: float, where: str
    ) -> None:
        """Prove a level, solve its locks, and count it."""
        row = self.rows[layout]
        found = [(each.rule, str(each)) for each in dungeon.prove(level, world)]
        solution = solution_of(level)
        found += [("unsolved", f"area {area} is never reached") for area in unreached(level, solution)]
        for rule, text in found:
            self.wrong[rule].append(f"{where}: {text}")
        row.times.append(seconds * 1000)
        self.slowest = max(self.slowest, (seconds, where))
        row.retries += level.retries
        for each in level.journal:
            if (each.stage, each.verdict) == ("layout", "retried"):
                self.retried[f"{layout}: {_like(each.reason)}"].append(where)
        row.wrong += bool(found)
        row.locks.append(len(level.locks))
        row.rounds.append(solution.rounds)

    def not_made(self, layout: str, error: dungeon.GenerationError, where: str, reason: str = "") -> None:
        """Count a level that was not made: as refused, or once for each promise that it breaks."""
        row, text = self.rows[layout], str(error).split(": ", 1)[1]
        if reason or BROKEN not in text:
            row.refused += 1
            self.refused[reason or _like(text)].append(where)
            return
        row.wrong += 1
        for line in text.splitlines()[1:]:
            self.wrong[line.split()[0].rstrip(":")].append(f"{where}: {line.strip()}")

    def crashed(self, layout: str, error: Exception, where: str) -> None:
        """Count a level that raised an unexpected error."""
        self.rows[layout].wrong += 1
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        self.wrong["crashed"].append(f"{where}: {type(error).__name__}: {error} ({place})")

    def show(self) -> None:
        """Print the table and the mistakes."""
        table = [HEAD, *((name, *row.cells()) for name, row in sorted(self.rows.items()))]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for cells in table:
            print("  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)))
        print("slowest: {1}, {0:.1f} s".format(*self.slowest))
        for verdict, reasons in (("retried", self.retried), ("refused", self.refused)):
            for text, places in sorted(reasons.items(), key=lambda each: -len(each[1])):
                print(f"{verdict} {len(places)} times: {text}")
                print(f"    {'; '.join(list(dict.fromkeys(places))[:SHOWN])}")
        for rule, found in sorted(self.wrong.items()):
            print(f"{rule}: {len(found)}")
            for text in found[:SHOWN]:
                print(f"    {text}")


def _like(reason: str) -> str:
    """Return a text with its numbers replaced by N."""
    return re.sub(r"\d+", "N", reason)


def unreached(level: dungeon.Level, solution: Solution) -> list[int]:
    """Return the numbers of areas that stay unreached although all locks are opened, without sealed ones."""
    sealed = {region.id for region in level.regions if region.sealed}
    return [area.number for area in solution.areas if area.sphere is None and sealed.isdisjoint(area.regions)]
