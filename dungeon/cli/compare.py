"""`dungeon compare`: print what has changed between two runs (recorded playtests), two contents, or since a git revision. A change is a measured value that differs; an edit is a changed entry of the content."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from dungeon.cli.calling import DONE, CallError, add_data, add_worlds, data_folder, say, up_to
from dungeon.cli.playtest import add_games, probe_of
from dungeon.cli.printing import bar_on
from dungeon.core.errors import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from dungeon.cli.calling import Commands
    from dungeon.playtest.compare import Comparison, Condition, MeasuredChange
    from dungeon.playtest.recording.recorder import Probe


CONDITION_HOLDS = 1
"""Exit code if a `--fail-if` condition holds."""


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "compare",
        help="show what changed between two versions of the content, or two playtest runs",
        description="Each side is a content folder, a git revision of the content folder, or the folder of a playtest run. "
        "For contents, worlds of the same seeds are made and recorded first. Only changes larger than chance are listed. "
        "Exit code 1 if a --fail-if condition holds.",
        epilog="example: dungeon compare HEAD~1 --worlds 200 (compares the commit before HEAD with the content folder)",
    )
    command.add_argument(
        "before",
        metavar="A",
        help="the earlier version: a content folder, a git revision of the content folder, or the folder of a playtest run",
    )
    command.add_argument(
        "after",
        metavar="B",
        nargs="?",
        help="the later version, given like A (default: the content folder as it is now)",
    )
    add_data(command)
    add_worlds(command, "--worlds", 100, "number of worlds to make from each content (default 100)")
    command.add_argument(
        "--maps",
        metavar="MAP,...",
        default="",
        help="maps to make: ids such as foundry/3, branches or map types, separated by commas (default: all)",
    )
    add_games(command)
    command.add_argument(
        "--out", metavar="DIR", help="keep the recorded runs: that of A in DIR/a, that of B in DIR/b"
    )
    command.add_argument(
        "--fail-if",
        metavar="CONDITION",
        action="append",
        default=[],
        help='exit with code 1 if this holds: "share(foundry, engine_house) > +5%%" or, for games of bots, '
        '"deaths@depth3 > +5%%"; may be given several times',
    )
    command.add_argument(
        "--most",
        type=up_to(100_000),
        metavar="N",
        default=20,
        help="maximum number of changes to print (default 20)",
    )
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object with every change")
    form.add_argument("--markdown", action="store_true", help="print the changes as a table in Markdown")
    return command


def run(options: argparse.Namespace) -> int:
    """Record both sides if needed, compare them and print the changes."""
    from dungeon.playtest import PlaytestError
    from dungeon.playtest.compare import ConditionError, Pair, condition_in

    probe = probe_of(options)
    with ExitStack() as stack:
        folder = Path(options.out or stack.enter_context(TemporaryDirectory(prefix="dungeon-compare-")))
        try:
            named = {"a": options.before, "b": options.after}
            pair = Pair(*(_run_of(name, side, folder, probe, options) for name, side in named.items()))
            conditions = [condition_in(text, pair) for text in options.fail_if]
            comparison = pair.compare()
        except ConditionError as error:
            raise CallError(f"--fail-if, {error}") from None
        except (PlaytestError, KeyError) as error:
            raise CallError(str(error.args[0])) from None
    if options.json:
        print(json.dumps(as_json(comparison, conditions), ensure_ascii=False, indent=2))
    elif options.markdown:
        print("\n".join(as_markdown(comparison, conditions, options.most)))
    else:
        print("\n".join(as_text(comparison, options.most)))
    failed = [each for each in conditions if each.holds]
    for condition in failed:
        say(f"fails: {condition_text(condition)}")
    return CONDITION_HOLDS if failed else DONE


def _run_of(name: str, side: str | None, folder: Path, probe: Probe, options: argparse.Namespace) -> Path:
    """Return the run folder of one side of the comparison. For a content or a revision, record the run first.

    Args:
        name: Name of the side below `folder`: ``a`` or ``b``.
        side: The folder or revision from the command line; None for the content folder.
        folder: Where new runs are recorded.
        probe: What to measure in each world.
        options: The command's options.
    """
    import dungeon
    from dungeon import playtest
    from dungeon.playtest.compare import extract_revision, is_run

    if side is not None and is_run(side):
        return Path(side)
    if side is None:
        content = data_folder(options.data)
    elif Path(side).is_dir():
        content = side
    else:
        content = str(extract_revision(side, data_folder(options.data), folder / f"content_{name}"))
    with bar_on(sys.stderr) as told:
        playtest.record(
            dungeon.load_content(content, *options.mod),
            range(options.seed, options.seed + options.worlds),
            out=folder / name,
            maps=[each for each in options.maps.split(",") if each],
            jobs=options.jobs,
            told=told,
            probe=probe,
        )
    return folder / name


HEAD = ("what", "measured", "where", "before", "after", "change", "effect", "worlds", "seeds")
LEFT = ("what", "measured", "where", "seeds")
GAP = "  "


def as_text(comparison: Comparison, most: int) -> Iterator[str]:
    """Yield the comparison for the terminal, line by line: a summary, the content's edits, and a table of the changes.

    At most `most` edits and at most `most` changes are listed; a line counts the others. Without changes there is no table.
    """
    yield summary_line(comparison)
    yield from edit_lines(comparison, most)
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
    yield from _rest_line(comparison, most)


def as_markdown(comparison: Comparison, conditions: Sequence[Condition], most: int) -> Iterator[str]:
    """Yield the comparison as Markdown, line by line.

    The parts are: a summary line, a list of the content's edits, a table of the changes (none without changes), and for each
    `--fail-if` condition whether it fails.

    Args:
        comparison: The comparison.
        conditions: The conditions.
        most: Maximum number of edits, and of changes, to list; a line counts the others.
    """
    yield summary_line(comparison)
    lines = list(edit_lines(comparison, most))
    yield from ("", *(f"- {line}" for line in lines)) if lines else ()
    if comparison.changes:
        yield from ("", _barred(HEAD), _barred(["---" if name in LEFT else "---:" for name in HEAD]))
        yield from (_barred(_cells(change)) for change in comparison.changes[:most])
        yield from _rest_line(comparison, most)
    for condition in conditions:
        yield from ("", f"- {'**fails**' if condition.holds else 'passes'}: {condition_text(condition, '`')}")


def as_json(comparison: Comparison, conditions: Sequence[Condition]) -> dict[str, Any]:
    """Return the comparison as JSON data: numbers, edits, every change (the most important first) and conditions."""
    from dungeon.playtest.compare.comparison import RATE

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
        "changes": [change_as_json(change) for change in comparison.changes],
        "all_changes": [change_as_json(change) for change in comparison.all_changes],
        "conditions": [
            {"condition": each.text, "fails": each.holds, **change_as_json(each.change)}
            for each in conditions
        ],
    }


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


def summary_line(comparison: Comparison) -> str:
    """Return the first line: the numbers of worlds, of compared values and of changes found."""
    from dungeon.playtest.compare.comparison import RATE

    worlds = counted(len(comparison.seeds), "world")
    worlds = f"{worlds} in both" if comparison.paired else f"{worlds} on each side, without common seeds"
    values = counted(comparison.questions, "value")
    found = len(comparison.changes)
    return (
        f"{worlds}, {values} compared: {found} changed by more than chance (false discovery rate {RATE:.0%})"
    )


def edit_lines(comparison: Comparison, most: int) -> Iterator[str]:
    """Yield a line for each edit of the content, at most `most`, and a line that counts the others."""
    if comparison.edits is None:
        yield "the contents differ, but one of them is no longer available, so the edits can't be listed"
        return
    for edit in comparison.edits[:most]:
        yield f"edited: {edit.subject}, {edit.text} ({edit.source})"
    rest = len(comparison.edits) - most
    if rest > 0:
        yield f"and {counted(rest, 'edit')} more"


def _rest_line(comparison: Comparison, most: int) -> Iterator[str]:
    """Yield a line that counts the changes that are not shown because there are more than `most`; nothing if all are shown."""
    rest = len(comparison.changes) - most
    if rest > 0:
        yield from ("", f"and {counted(rest, 'more change')}: --most N prints more, --json prints all")


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
