"""`dungeon odds`: how often encounters are met, as the content declares it, and how often they really are."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from typing import TYPE_CHECKING

from dungeon.cli.calling import (
    DONE,
    CallError,
    add_folders,
    add_worlds,
    check_maps,
    completes,
    content_in,
    named_folders,
)
from dungeon.cli.odds.forms import Page, as_json, as_markdown, as_rows
from dungeon.cli.printing import is_terminal, waiting, wants_colour

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from dungeon.cli.calling import Commands
    from dungeon.generation.odds.odds import Odds
    from dungeon.world import World


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command."""
    command = commands.add_parser(
        "odds",
        help="tell how often each encounter is met on each map",
        description="What weights, limits, groups and the world come to where space is endless, computed; "
        "with --realised N beside it what the levels of N worlds really have, and why it is less.",
    )
    add_folders(command)
    maps = "a map id such as foundry/3, or a type of map (default: all)"
    completes(command.add_argument("--map", metavar="MAP", help=maps), "map")
    add_worlds(command, "--realised", 0, "how many worlds to make")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--csv", action="store_true", help="print a table for spreadsheets")
    form.add_argument(
        "--markdown",
        action="store_true",
        help="print a page that compares what is due and what --realised worlds had",
    )
    return command


def run(options: argparse.Namespace) -> int:
    """Tell the odds."""
    import dungeon

    if options.markdown and not options.realised:
        raise CallError("--markdown compares what worlds have had: say how many with --realised N")
    folders = named_folders(options)
    world = dungeon.World(content_in(folders), options.seed)
    check_maps(world.content, filter(None, [options.map]))
    odds = _odds(world, options)
    if options.json:
        print(json.dumps(as_json(odds, options.seed), ensure_ascii=False, indent=2))
    elif options.csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows(as_rows(odds))
    elif options.markdown:
        print("\n".join(as_markdown(odds, _command(options, folders))))
    else:
        names = {name: entry.name for name, entry in world.content.maps.items()}
        page = Page(shutil.get_terminal_size((100, 24)).columns, colour=wants_colour(options))
        for line in page.lines(odds, names):
            print(line)
    return DONE


def _odds(world: World, options: argparse.Namespace) -> Odds:
    """Return the odds, and tell meanwhile how far that is."""
    if not options.realised:
        with waiting("reckoning"):
            return world.odds(options.map)
    told = _progress(options.realised)
    return world.odds(options.map, realised=options.realised, jobs=options.jobs, told=told)


def _command(options: argparse.Namespace, folders: Sequence[str]) -> str:
    """Return the command that was given, without what makes no difference to what is printed."""
    said = ["dungeon odds", *folders, f"--realised {options.realised}"]
    said += [f"--seed {options.seed}"] if options.seed else []
    said += [f"--map {options.map}"] if options.map else []
    return " ".join([*said, "--markdown"])


def _progress(worlds: int) -> Callable[[int], None] | None:
    """Return what tells, on a terminal, how many worlds have been made."""
    terminal = sys.stderr
    if not is_terminal(terminal):
        return None

    def tell(made: int) -> None:
        text = f"made {made} of {worlds} worlds" if made < worlds else ""
        print(f"{text}\x1b[K\r", end="", file=terminal, flush=True)

    return tell
