"""`dungeon compare`: what has changed between two runs, two contents, or since a revision."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from dungeon.cli.calling import DONE, CallError, add_data, add_worlds, data_folder, say, up_to
from dungeon.cli.lab.playtest import add_games, probe_of
from dungeon.cli.printing import bar_on

if TYPE_CHECKING:
    import argparse

    from dungeon.cli.calling import Commands
    from dungeon.playtest.recording.recorder import Probe

CONDITION_HOLDS = 1
"""What `--fail-if` was told to look for is so."""


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command."""
    command = commands.add_parser(
        "compare",
        help="tell what has changed between two runs, two contents, or since a revision",
        description="Each side is the folder of a run, a content folder, or a git revision of the content folder. "
        "Of contents the same worlds are made and recorded first. Exit code 1 if something is so that --fail-if names.",
    )
    command.add_argument("before", metavar="A", help="what it was")
    command.add_argument("after", metavar="B", nargs="?", help="what it is (default: the content folder)")
    add_data(command)
    add_worlds(command, "--worlds", 100, "how many worlds to make of a content (default 100)")
    command.add_argument(
        "--maps",
        metavar="MAP,...",
        default="",
        help="maps to make of a content: ids, branches or types (default: all)",
    )
    add_games(command)
    command.add_argument("--out", metavar="DIR", help="keep the runs that are recorded, in DIR/a and DIR/b")
    command.add_argument(
        "--fail-if",
        metavar="CONDITION",
        action="append",
        default=[],
        help='such as "share(foundry, engine_house) > +5%%" or, of games, "deaths@depth3 > +5%%"; may be given several times',
    )
    command.add_argument(
        "--most", type=up_to(100_000), metavar="N", default=20, help="how many rows to print (default 20)"
    )
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object, with all that has changed")
    form.add_argument("--markdown", action="store_true", help="print a table in Markdown")
    return command


def run(options: argparse.Namespace) -> int:
    """Compare."""
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
    from dungeon.cli.lab.changes import as_json, as_markdown, as_text, said

    if options.json:
        print(json.dumps(as_json(comparison, conditions), ensure_ascii=False, indent=2))
    elif options.markdown:
        print("\n".join(as_markdown(comparison, conditions, options.most)))
    else:
        print("\n".join(as_text(comparison, options.most)))
    failed = [each for each in conditions if each.holds]
    for condition in failed:
        say(f"fails: {said(condition)}")
    return CONDITION_HOLDS if failed else DONE


def _run_of(name: str, side: str | None, folder: Path, probe: Probe, options: argparse.Namespace) -> Path:
    """Return the folder of a side's run, which is recorded if the side is none.

    Args:
        name: What to call it in the folder for what is recorded.
        side: What was named; None for the content folder.
        folder: Where to record.
        probe: What worlds are asked.
        options: How.
    """
    import dungeon
    from dungeon import playtest
    from dungeon.playtest.compare import is_run, unpacked

    if side is not None and is_run(side):
        return Path(side)
    if side is None:
        content = data_folder(options.data)
    elif Path(side).is_dir():
        content = side
    else:
        content = str(unpacked(side, data_folder(options.data), folder / f"content_{name}"))
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
