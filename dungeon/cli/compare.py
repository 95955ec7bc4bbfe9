"""`dungeon compare`: print what has changed between two runs (recorded playtests), two contents, or since a git revision. A change is a measured value that differs; an edit is a changed entry of the content."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from string import ascii_lowercase
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from dungeon.cli.calling import DONE, CallError, add_data, add_maps, add_worlds, data_folder, say, up_to
from dungeon.cli.compare_text import ComparedVersions, as_json, as_markdown, as_text, condition_text
from dungeon.cli.playtest import add_games, probe_of
from dungeon.cli.printing import bar_on
from dungeon.core.errors import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from dungeon.cli.calling import Commands
    from dungeon.cli.compare_text import Compared
    from dungeon.playtest.compare import Revision
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
        "sides",
        metavar="A",
        nargs="*",
        help="the versions, oldest first, each a content folder, a git revision of the content folder, or the folder of a playtest run; "
        "a single one is compared with the content folder as it is now",
    )
    command.add_argument(
        "--since",
        metavar="REVISION",
        help="in place of A: show trends since this git revision, over all later commits that changed the content folder",
    )
    add_data(command)
    add_worlds(command, "--worlds", 100, "number of worlds to make from each content (default 100)")
    add_maps(command)
    add_games(command)
    command.add_argument(
        "--out",
        metavar="DIR",
        help="keep the recorded runs: in DIR/a, DIR/b and so on; with --since in DIR/COMMIT, and record only versions that are not there",
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


class _Version(NamedTuple):
    """A version to compare: where its run is recorded (below ``--out``), what the command line or git calls it, and its commit."""

    key: str
    side: str | None
    revision: Revision


def run(options: argparse.Namespace) -> int:
    """Record the versions if needed, compare them and print the changes or trends."""
    from dungeon.playtest import PlaytestError
    from dungeon.playtest.compare import ConditionError, Pair, condition_in, trends_of

    probe = probe_of(options)
    with TemporaryDirectory(prefix="dungeon-compare-") as folder:
        try:
            runs, left_out = _runs_of(_versions(options), Path(folder), probe, options)
            pair = Pair(*(run for run, _ in (runs[0], runs[-1])))
            conditions = [condition_in(text, pair) for text in options.fail_if]
            if options.since is None and len(runs) == 2:
                found: Compared = pair.compare()
            else:
                trends = trends_of([run for run, _ in runs])
                found = ComparedVersions([version.revision for _, version in runs], trends, left_out)
        except ConditionError as error:
            raise CallError(f"--fail-if, {error}") from None
        except (PlaytestError, KeyError) as error:
            raise CallError(str(error.args[0])) from None
    if options.json:
        print(json.dumps(as_json(found, conditions), ensure_ascii=False, indent=2))
    elif options.markdown:
        print("\n".join(map(printable, as_markdown(found, conditions, options.most))))
    else:
        print("\n".join(map(printable, as_text(found, options.most))))
    failed = [each for each in conditions if each.holds]
    for condition in failed:
        say(f"fails: {condition_text(condition)}")
    return CONDITION_HOLDS if failed else DONE


def _versions(options: argparse.Namespace) -> list[_Version]:
    """Return the versions that the options name, the oldest first; at least two.

    Raises:
        CallError: There are too few or too many.
        PlaytestError: git knows no such revision.
    """
    from dungeon.playtest.compare import Revision, revisions_since

    if options.since is None:
        sides: list[str | None] = [*options.sides, *([None] if len(options.sides) == 1 else [])]
        if not 2 <= len(sides) <= len(ascii_lowercase):
            raise CallError("name the versions to compare, such as HEAD, or all later ones: --since HEAD~3")
        return [
            _Version(key, side, Revision("", side or "now"))
            for key, side in zip(ascii_lowercase, sides, strict=False)
        ]
    if options.sides:
        raise CallError(f"--since already names the versions: what is {options.sides[0]!r}?")
    content = data_folder(options.data)
    revisions = revisions_since(options.since, content)
    if len(revisions) == 1:
        raise CallError(f"{content} has not changed since {options.since}")
    return [_Version(each.commit, each.commit or None, each) for each in revisions]


def _runs_of(
    versions: Sequence[_Version], folder: Path, probe: Probe, options: argparse.Namespace
) -> tuple[list[tuple[Path, _Version]], list[str]]:
    """Return the run of each version, recorded if needed; and for each version without, the reason in words.

    Only `--since` leaves versions out: those whose content this version of the library can't load.

    Args:
        versions: The versions.
        folder: A temporary folder.
        probe: What to measure in each world.
        options: The command's options.

    Raises:
        ContentError: A content has errors.
        PlaytestError: A run can't be recorded; or, of `--since`, fewer than two contents can be loaded.
    """
    from dungeon import ContentError
    from dungeon.playtest import PlaytestError

    runs, left_out = [], []
    for version in versions:
        try:
            runs.append((_run_of(version, folder, probe, options), version))
        except ContentError as error:
            if options.since is None:
                raise
            left_out.append(
                f"left out: {version.revision.name}, whose content has errors: {error.problems[0]}"
            )
    if len(runs) < 2:
        raise PlaytestError(f"there are no two versions to compare: {'; '.join(left_out)}")
    return runs, left_out


def _run_of(version: _Version, folder: Path, probe: Probe, options: argparse.Namespace) -> Path:
    """Return the run folder of a version. For a content or a revision, record the run first."""
    import dungeon
    from dungeon import playtest
    from dungeon.playtest.compare import extract_revision, is_run

    side = version.side
    if side is not None and is_run(side):
        return Path(side)
    if side is None:
        content = data_folder(options.data)
    elif Path(side).is_dir():
        content = side
    else:
        content = str(extract_revision(side, data_folder(options.data), folder / f"content_{version.key}"))
    # The content folder as it is now has no key among commits: its run would be another one after each edit.
    out = Path(options.out or folder) / version.key if version.key else folder / "now"
    with bar_on(sys.stderr) as told:
        playtest.record(
            dungeon.load_content(content, *options.mod),
            range(options.seed, options.seed + options.worlds),
            out=out,
            maps=options.maps,
            jobs=options.jobs,
            told=told,
            probe=probe,
        )
    return out
