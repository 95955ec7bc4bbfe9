"""`dungeon tune`: find the smallest content change that brings a metric to its target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.cli.calling import DONE, CallError, add_worlds, data_folder, say
from dungeon.cli.playtest import add_games, probe_of, stopped_by_signals

if TYPE_CHECKING:
    import argparse

    from dungeon.cli.calling import Commands
    from dungeon.playtest import Tuned

NOT_REACHED = 1
"""Exit code if no change reaches the goal."""


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "tune",
        help="find the smallest content change that brings a metric to its target",
        description="The change is printed as a diff of the content files; --write applies it. It is searched in worlds "
        "of the same seeds and verified in other worlds. Exit code 1 if the goal can't be reached.",
        epilog='example: dungeon tune "share(foundry, engine_house) = 5%" --worlds 300',
    )
    command.add_argument(
        "goal",
        metavar="GOAL",
        help='a metric and its target, such as "share(foundry, engine_house) = 5%%" or "survival@4 between 40%% and 60%%"',
    )
    command.add_argument("folder", nargs="?", metavar="DATA", help="the content folder, instead of --data")
    command.add_argument(
        "--data",
        metavar="DIR",
        help="the content folder (default: the one that contains the current folder, else ./data)",
    )
    add_worlds(
        command,
        "--worlds",
        200,
        "number of worlds for the search, and of other worlds in which the change is verified (default 200)",
    )
    command.add_argument(
        "--of",
        metavar="KNOB",
        action="append",
        default=[],
        help="change only this number, such as engine_house.maps.foundry or engine_house.maps.foundry=1..50 (the allowed values), "
        "or only numbers in this file; may be given several times",
    )
    command.add_argument(
        "--write", action="store_true", help="write the change into the content files, if it reaches the goal"
    )
    add_games(command)
    return command


def run(options: argparse.Namespace) -> int:
    """Search for a change, print it, and write it if `--write` is given; return the exit code."""
    from dungeon import playtest
    from dungeon.playtest.compare import ConditionError

    if options.folder is not None and options.data is not None:
        raise CallError(f"two content folders are given, {options.folder} and {options.data}: name only one")
    probe = probe_of(options)
    try:
        with stopped_by_signals():
            tuned = playtest.tune(
                data_folder(options.folder or options.data),
                options.goal,
                worlds=options.worlds,
                seed=options.seed,
                jobs=options.jobs,
                of=options.of,
                games=probe if isinstance(probe, playtest.Games) else None,
                told=say,
            )
        print("\n".join(_lines(tuned)))
        if options.write and tuned.is_reached and tuned.settings:
            for path in tuned.write():
                say(f"wrote {path}")
    except ConditionError as error:
        raise CallError(str(error)) from None
    except playtest.PlaytestError as error:
        raise CallError(str(error)) from None
    return DONE if tuned.is_reached else NOT_REACHED


def _lines(tuned: Tuned) -> list[str]:
    """Return the diff of the content files and the result in words, as lines."""
    goal = tuned.goal
    lines = [tuned.diff] if tuned.diff else []
    lines.append(f"{goal.text}: {_verdict(tuned)}")
    worlds = f"{tuned.after.worlds} worlds"
    if not tuned.settings:
        lines.append(f"  as it is  {goal.told(tuned.after)} in {worlds}")
    else:
        lines += [
            f"  before    {goal.told(tuned.before)}",
            f"  after     {goal.told(tuned.after)} in the same {worlds}",
            f"  change    {goal.told_change(tuned.effect)}",
        ]
    lines.append(f"  verified  {goal.told(tuned.verified)} in {tuned.verified.worlds} other worlds")
    if tuned.second is not None:
        settings, value = tuned.second
        change = " and ".join(f"{each.knob.name}: {each.written}" for each in settings)
        lines.append(
            f"  or else   {change}: {goal.told(value)} in {value.worlds} worlds{'' if goal.has(value) else ', which misses the goal'}"
        )
    if not tuned.is_reached:
        lines.append(f"  tried     {', '.join(tuned.tried)}")
        lines += [f"  refused   {rate:.3g} times a level: {reason}" for reason, rate in tuned.causes]
    return lines


def _verdict(tuned: Tuned) -> str:
    """Return in a few words whether the goal was reached, and whether that is sure."""
    if not tuned.is_reached:
        return (
            "not reached; this change comes nearest"
            if tuned.settings
            else "not reached; no change comes nearer"
        )
    if not tuned.is_sure:
        return "reached, but its interval is wider than the goal: try more --worlds"
    return "reached" if tuned.settings else "already reached without a change"
