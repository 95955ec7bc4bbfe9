"""`dungeon check`: print every error, warning and note about a content folder, as text or as JSON for an editor."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dungeon.cli.calling import (
    DONE,
    DOUBTFUL_CONTENT,
    WRONG_CONTENT,
    add_folders,
    folders_from_arguments,
    up_to,
)
from dungeon.cli.printing import problem_text, waiting, wants_colour
from dungeon.core.errors import counted, printable

if TYPE_CHECKING:
    import argparse

    from dungeon.authoring.reading import Examination
    from dungeon.cli.calling import Commands
    from dungeon.content.library import Content
    from dungeon.core.errors import Problem, Severity

MOST_PLANS = 10_000
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "check",
        help="check a content folder and list every error, warning and note",
        description="Print one line for each problem, with its file, line and column. Exit code 1 if there are errors, 3 if there are "
        "warnings but no errors, else 0.",
        epilog="example: dungeon check data --sample 100",
    )
    add_folders(command)
    command.add_argument(
        "--sample",
        type=up_to(MOST_PLANS),
        metavar="N",
        default=0,
        help="make N ground plans of every map, and report encounters that rarely find space on them (default 0)",
    )
    command.add_argument(
        "--json", action="store_true", help="print the problems as one JSON object, for editors and scripts"
    )
    return command


def run(options: argparse.Namespace) -> int:
    """Print the problems of the content and a summary; return the exit code for the worst problem."""
    import dungeon

    folders = folders_from_arguments(options)
    with waiting("looking through the content"):
        found = dungeon.examine_content(*folders, sample=options.sample)
    counts = Counter(problem.severity for problem in found.problems)
    if options.json:
        print(json.dumps(_as_json(folders, found, counts), ensure_ascii=False, indent=2))
    else:
        colour = wants_colour(options)
        for problem in found.problems:
            print(problem_text(problem, colour=colour))
        print(f"{printable(' + '.join(folders))}: {summary(found, counts)}")
    if counts["error"]:
        return WRONG_CONTENT
    return DOUBTFUL_CONTENT if counts["warning"] else DONE


def summary(found: Examination, counts: Counter[Severity]) -> str:
    """Return the last line: ``1 error, 2 warnings in 12 files``; without problems ``no problems in 5 prefabs, ...``."""
    problems = ", ".join(counted(counts[each], each) for each in SEVERITIES if counts[each])
    if problems:
        return f"{problems} in {counted(found.files, 'file')}" if found.files else problems
    assert found.content is not None
    there = (counted(count, what) for what, count in _contents(found.content).items())
    return f"no problems in {', '.join(there)}"


def _contents(content: Content) -> dict[str, int]:
    """Return kind of entry (prefab, encounter, map, object) -> number of such entries in the content."""
    return {
        "prefab": len(content.prefabs),
        "encounter": len(content.encounters),
        "map": len(content.maps),
        "object": sum(len(things) for things in content.catalog.things.values()),
    }


def _as_json(folders: list[str], found: Examination, counts: Counter[Severity]) -> dict[str, Any]:
    """Return what ``--json`` prints; the README documents it."""
    return {
        "folder": folders[0],
        "mods": folders[1:],
        "problems": [_problem(problem) for problem in found.problems],
        "counts": {**{f"{each}s": counts[each] for each in SEVERITIES}, "files": found.files},
    }


def _problem(problem: Problem) -> dict[str, Any]:
    plain = asdict(problem)
    first = {"severity": plain.pop("severity"), **plain.pop("source"), "entry": plain.pop("entry")}
    return {**first, **plain, "allowed": list(problem.allowed)}
