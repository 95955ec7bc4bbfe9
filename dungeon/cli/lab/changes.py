"""What has changed between two runs, as a table for the terminal, for Markdown, and as plain data."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

from dungeon.core.errors import counted
from dungeon.playtest.compare.comparison import RATE
from dungeon.playtest.compare.measures import MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dungeon.playtest.compare import Comparison, Condition, MeasuredChange

HEAD = ("what", "measured", "where", "before", "after", "change", "effect", "worlds", "seeds")
LEFT = ("what", "measured", "where", "seeds")
GAP = "  "


def as_text(comparison: Comparison, most: int) -> Iterator[str]:
    """Yield the lines of a table for the terminal, with the most important rows."""
    yield summary(comparison)
    yield from edited(comparison, most)
    rows = [HEAD, *(_cells(change) for change in comparison.changes[:most])]
    if len(rows) == 1:
        return
    yield ""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if name in LEFT else cell.rjust(width)
            for name, cell, width in zip(HEAD, row, widths, strict=True)
        ]
        yield GAP.join(cells).rstrip()
    yield from _rest(comparison, most)


def as_markdown(comparison: Comparison, conditions: Sequence[Condition], most: int) -> Iterator[str]:
    """Yield the lines of a table in Markdown, and of what was asked to fail."""
    yield summary(comparison)
    lines = list(edited(comparison, most))
    yield from ("", *(f"- {line}" for line in lines)) if lines else ()
    if comparison.changes:
        yield from ("", _barred(HEAD), _barred(["---" if name in LEFT else "---:" for name in HEAD]))
        yield from (_barred(_cells(change)) for change in comparison.changes[:most])
        yield from _rest(comparison, most)
    for condition in conditions:
        yield from ("", f"- {'**fails**' if condition.holds else 'passes'}: {said(condition, '`')}")


def as_json(comparison: Comparison, conditions: Sequence[Condition]) -> dict[str, Any]:
    """Return all that has changed as plain data, the most important first."""
    return {
        "worlds": len(comparison.seeds),
        "paired": comparison.paired,
        "edits": None
        if comparison.edits is None
        else [
            {"kind": each.kind, "name": each.name, "text": each.text, "source": str(each.source)}
            for each in comparison.edits
        ],
        "questions": comparison.questions,
        "false_discovery_rate": RATE,
        "changes": [plain(change) for change in comparison.changes],
        "all_changes": [plain(change) for change in comparison.all_changes],
        "conditions": [
            {"condition": each.text, "fails": each.holds, **plain(each.change)} for each in conditions
        ],
    }


def plain(change: MeasuredChange) -> dict[str, Any]:
    """Return a change as plain data; an interval that has no end has None for it."""
    ends = (change.difference - change.margin, change.difference + change.margin)
    values = asdict(change) | {
        "subject": change.subject,
        "difference": change.difference,
        "interval": [end if isfinite(end) else None for end in ends],
    }
    return {
        name: None if isinstance(value, float) and not isfinite(value) else value
        for name, value in values.items()
    }


def said(condition: Condition, quote: str = "") -> str:
    """Return a condition and what was measured, in words."""
    change = condition.change
    before, after = (_number(change, value) for value in (change.before, change.after))
    return f"{quote}{condition.text}{quote}: {before} before, {after} after ({_difference(change)})"


def summary(comparison: Comparison) -> str:
    """Return what was done and how much was found, in words."""
    worlds = counted(len(comparison.seeds), "world")
    worlds = f"{worlds} in both" if comparison.paired else f"{worlds} of each, none of the same seed"
    questions = counted(comparison.questions, "question")
    found = counted(len(comparison.changes), "thing")
    return f"{worlds}, {questions}: {found} changed by more than chance (false discovery rate {RATE:.0%})"


def edited(comparison: Comparison, most: int) -> Iterator[str]:
    """Yield what has been changed in the content, a line each."""
    if comparison.edits is None:
        yield "the contents differ, but are no longer at hand: what was edited is not told"
        return
    for edit in comparison.edits[:most]:
        yield f"edited: {edit.subject}, {edit.text} ({edit.source})"
    rest = len(comparison.edits) - most
    if rest > 0:
        yield f"and {counted(rest, 'edit')} more"


def _rest(comparison: Comparison, most: int) -> Iterator[str]:
    """Yield what is left unsaid."""
    rest = len(comparison.changes) - most
    if rest > 0:
        yield from ("", f"and {counted(rest, 'thing')} of less importance: --most N shows more, --json all")


def _barred(cells: Sequence[str]) -> str:
    """Return a row of a table in Markdown."""
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _cells(change: MeasuredChange) -> tuple[str, ...]:
    """Return what stands in the columns of a change."""
    return (
        change.subject,
        change.measure,
        change.scope,
        _number(change, change.before),
        _number(change, change.after),
        _difference(change),
        f"{change.effect:+.2f}",
        f"+{change.more} -{change.less}",
        ", ".join(map(str, change.seeds)),
    )


def _number(change: MeasuredChange, value: float) -> str:
    """Return a number as it is measured: ``12.5%`` for a share, else three digits."""
    return f"{value:.1%}" if MEASURES[change.measure].is_share else f"{value:.4g}"


def _difference(change: MeasuredChange) -> str:
    """Return a change with its margin: ``+2.0 ±0.5 points`` for a share, else ``+0.31 ±0.05``."""
    difference, margin = change.difference, change.margin
    if MEASURES[change.measure].is_share:
        return f"{100 * difference:+.1f} ±{100 * margin:.1f} points"
    return f"{difference:+.3g} ±{margin:.2g}"
