"""What `dungeon compare` prints: comparisons of two runs and trends over many versions, as text, Markdown and JSON."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from dungeon.core.errors import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dungeon.playtest.compare import Comparison, Condition, MeasuredChange, Revision, Trend, Trends


class ComparedVersions(NamedTuple):
    """Trends over many versions.

    Attributes:
        versions: The versions, oldest first.
        found: What moved between them.
        left_out: Why other versions were left out, in words.
    """

    versions: Sequence[Revision]
    found: Trends
    left_out: Sequence[str]


Compared = Union["Comparison", ComparedVersions]

LEFT = ("what", "measured", "where", "seeds", "also", "version", "date", "commit")
"""Columns that are aligned to the left; the others hold numbers."""

HEAD = ("what", "measured", "where", "before", "after", "change", "effect", "worlds", "seeds", "also")
TREND_HEAD = ("version", "date", "value", "change", "commit")
GAP = "  "


def as_text(found: Compared, most: int) -> Iterator[str]:
    """Yield a comparison or trends for the terminal, line by line.

    A comparison has a summary, the content's edits, and a table of the changes; there is no table without changes. Trends have a
    summary, and for each measure that moved a table with a line for each version.

    Args:
        found: The comparison or trends.
        most: Maximum number of edits, and of changes or measures, to list; a line counts the others.
    """
    yield from _introduction(found, most)
    if isinstance(found, ComparedVersions):
        blocks = [_trend_rows(trend, found.versions) for trend in found.found.trends[:most]]
        widths = [
            max(map(len, column)) for column in zip(*(row for rows in blocks for row in rows), strict=True)
        ]
        for trend, rows in zip(found.found.trends, blocks, strict=False):
            yield from ("", f"{trend.most.subject}: {trend.most.measure}, {trend.most.scope}")
            yield from (f"{GAP}{_aligned(TREND_HEAD, row, widths)}" for row in rows)
    elif found.changes:
        rows = [HEAD, *(_cells(change) for change in found.changes[:most])]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        yield from ("", *(_aligned(HEAD, row, widths) for row in rows))
    yield from _rest_line(found, most)


def as_markdown(found: Compared, conditions: Sequence[Condition], most: int) -> Iterator[str]:
    """Yield a comparison or trends as Markdown, line by line.

    The parts are: a summary line, a list of the content's edits or of versions that were left out, a table of the changes (none
    without changes), and for each `--fail-if` condition whether it fails.

    Args:
        found: The comparison or trends.
        conditions: The conditions.
        most: Maximum number of edits, and of changes or measures, to list; a line counts the others.
    """
    summary, *lines = _introduction(found, most)
    yield summary
    yield from ("", *(f"- {line}" for line in lines)) if lines else ()
    if isinstance(found, ComparedVersions):
        head: tuple[str, ...] = (*HEAD[:3], *TREND_HEAD)
        rows = [
            [*((trend.most.subject, trend.most.measure, trend.most.scope) if first else ("", "", "")), *row]
            for trend in found.found.trends[:most]
            for first, row in zip(
                (True, *[False] * len(found.versions)), _trend_rows(trend, found.versions), strict=False
            )
        ]
    else:
        head, rows = HEAD, [[*_cells(change)] for change in found.changes[:most]]
    if rows:
        yield from ("", _barred(head), _barred(["---" if name in LEFT else "---:" for name in head]))
        yield from map(_barred, rows)
        yield from _rest_line(found, most)
    for condition in conditions:
        yield from ("", f"- {'**fails**' if condition.holds else 'passes'}: {condition_text(condition, '`')}")


def as_json(found: Compared, conditions: Sequence[Condition]) -> dict[str, Any]:
    """Return a comparison or trends as JSON data: numbers, edits, every change (the most important first) and conditions."""
    from dungeon.playtest.compare.comparison import RATE

    first = found.found.comparisons[0] if isinstance(found, ComparedVersions) else found
    told: dict[str, Any] = {
        "worlds": len(first.seeds),
        "paired": first.paired,
        "questions": first.questions,
        "false_discovery_rate": RATE,
    }
    if isinstance(found, ComparedVersions):
        told["versions"] = [each._asdict() for each in found.versions]
        told["left_out"] = [*found.left_out]
        told["trends"] = [
            {
                "most": change_as_json(trend.most),
                "values": [None if isnan(value) else value for value in trend.values],
                "steps": [step and change_as_json(step) for step in trend.steps],
            }
            for trend in found.found.trends
        ]
    else:
        told["edits"] = found.edits and [
            {"kind": each.kind, "name": each.name, "text": each.text, "source": str(each.source)}
            for each in found.edits
        ]
        told["changes"] = [change_as_json(change) for change in found.changes]
        told["all_changes"] = [change_as_json(change) for change in found.all_changes]
    told["conditions"] = [
        {"condition": each.text, "fails": each.holds, **change_as_json(each.change)} for each in conditions
    ]
    return told


def change_as_json(change: MeasuredChange) -> dict[str, Any]:
    """Return a change as JSON data. An infinite end of its confidence interval becomes None."""
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


def condition_text(condition: Condition, quote: str = "") -> str:
    """Return a condition with the measured values: ``share(...) > +5%: 12.0% before, 18.5% after (...)``."""
    change = condition.change
    before, after = (_number(change, value) for value in (change.before, change.after))
    return f"{quote}{condition.text}{quote}: {before} before, {after} after ({_difference(change)})"


def _introduction(found: Compared, most: int) -> Iterator[str]:
    """Yield a line with the numbers of worlds and changes; then lines about the content's edits, or about versions left out."""
    from dungeon.playtest.compare.comparison import RATE

    by_chance = f"by more than chance (false discovery rate {RATE:.0%})"
    if isinstance(found, ComparedVersions):
        worlds = counted(len(found.found.comparisons[0].seeds), "world")
        moved = counted(len(found.found.trends), "measure")
        yield f"{len(found.versions)} versions, {worlds} each: {moved} moved {by_chance}"
        yield from found.left_out
        return
    worlds = counted(len(found.seeds), "world")
    worlds = f"{worlds} in both" if found.paired else f"{worlds} on each side, without common seeds"
    values = counted(found.questions, "value")
    yield f"{worlds}, {values} compared: {len(found.changes)} changed {by_chance}"
    if found.edits is None:
        yield "the contents differ, but one of them is no longer available, so the edits can't be listed"
        return
    yield from (f"edited: {edit.subject}, {edit.text} ({edit.source})" for edit in found.edits[:most])
    rest = len(found.edits) - most
    if rest > 0:
        yield f"and {counted(rest, 'edit')} more"


def _rest_line(found: Compared, most: int) -> Iterator[str]:
    """Yield a line that counts what is not shown because there are more than `most`; nothing if all is shown."""
    if isinstance(found, ComparedVersions):
        rest, what = len(found.found.trends) - most, "more measure"
    else:
        rest, what = len(found.changes) - most, "more change"
    if rest > 0:
        yield from ("", f"and {counted(rest, what)}: --most N prints more, --json prints all")


def _aligned(head: Sequence[str], row: Sequence[str], widths: Sequence[int]) -> str:
    """Return a line of a table, with columns of these widths."""
    cells = [
        cell.ljust(width) if name in LEFT else cell.rjust(width)
        for name, cell, width in zip(head, row, widths, strict=True)
    ]
    return GAP.join(cells).rstrip()


def _trend_rows(trend: Trend, versions: Sequence[Revision]) -> list[tuple[str, ...]]:
    """Return the table cells of a measure, a row for each version, with a cell for each column of `TREND_HEAD`."""
    return [
        (
            version.name,
            version.date,
            "-" if isnan(value) else _number(trend.most, value),
            _difference(step) if step else "",
            version.subject,
        )
        for version, value, step in zip(versions, trend.values, (None, *trend.steps), strict=True)
    ]


def _barred(cells: Sequence[str]) -> str:
    """Return a row of a table in Markdown."""
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _cells(change: MeasuredChange) -> tuple[str, ...]:
    """Return the table cells of a change, one for each column of `HEAD`."""
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
        ", ".join(change.also),
    )


def _number(change: MeasuredChange, value: float) -> str:
    """Return a measured value as text: ``12.5%`` for a share, else four significant digits."""
    from dungeon.playtest.compare.measures import MEASURES

    return f"{value:.1%}" if MEASURES[change.measure].is_share else f"{value:.4g}"


def _difference(change: MeasuredChange) -> str:
    """Return the difference of a measured value with its margin: ``+2.0 ±0.5 points`` for a share, else ``+0.31 ±0.05``."""
    from dungeon.playtest.compare.measures import MEASURES

    difference, margin = change.difference, change.margin
    if MEASURES[change.measure].is_share:
        return f"{100 * difference:+.1f} ±{100 * margin:.1f} points"
    return f"{difference:+.3g} ±{margin:.2g}"
