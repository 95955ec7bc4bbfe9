"""`dungeon playtest`: make worlds by the thousand and record what they hold."""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from dungeon.cli.calling import (
    DONE,
    INTERRUPTED,
    CallError,
    add_folders,
    content_in,
    named_folders,
    say,
    unknown,
)
from dungeon.cli.lab.bar import bar_on
from dungeon.cli.lab.games import add_games, probe_of
from dungeon.cli.printing import counted
from dungeon.cli.terminal.parsing import add_worlds
from dungeon.core.quoting import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from dungeon.cli.calling import Commands
    from dungeon.content.library import Content
    from dungeon.playtest import Recorded

FOLDER = "playtest"
"""Where a run is kept, unless the author says where."""


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command."""
    command = commands.add_parser(
        "playtest",
        help="make many worlds and record what is in them",
        description="Every level, placement, refusal, spawn, measurement, lock, key and time goes into one SQLite "
        "file. The same command goes on where it was stopped; more worlds are added to those that are there.",
    )
    add_folders(command)
    add_worlds(command, "--worlds", 0, "how many worlds to make")
    command.add_argument(
        "--maps",
        metavar="MAP,...",
        default="",
        help="map ids such as foundry/3, branches or types of map, with commas between them (default: all)",
    )
    command.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="let the workers of a Dask scheduler make them: tcp://HOST:PORT",
    )
    command.add_argument(
        "--out", metavar="DIR", default=FOLDER, help=f"the folder of the run (default {FOLDER})"
    )
    command.add_argument(
        "--parts",
        metavar="DIR",
        help="let those who make worlds write them, as Parquet files in parts, into a folder that all share; no --out",
    )
    command.add_argument("--parquet", action="store_true", help="write every table into DIR/parquet, too")
    command.add_argument(
        "--digest", action="store_true", help="print how many rows each table has, and their SHA-256"
    )
    add_games(command)
    return command


def run(options: argparse.Namespace) -> int:
    """Record a run, write it out, tell its digests."""
    from dungeon import playtest

    if not (options.worlds or options.parquet or options.digest):
        raise CallError("say how many worlds to make with --worlds N")
    if options.parts and (options.parquet or options.digest):
        raise CallError(
            "--parts writes Parquet files and no run that could be exported or told the digest of"
        )
    code = DONE
    try:
        if options.worlds:
            code = _record(options)
        if code == DONE and options.parquet:
            for file in playtest.export_parquet(options.out):
                print(printable(str(file)))
        if code == DONE and options.digest:
            for table, (rows, digest) in playtest.digests(options.out).items():
                print(f"{digest}  {table} ({counted(rows, 'row')})")
    except playtest.PlaytestError as error:
        raise CallError(str(error)) from None
    return code


def _record(options: argparse.Namespace) -> int:
    """Make the worlds, and tell what has been recorded."""
    from dungeon import playtest

    maps = [each for each in options.maps.split(",") if each]
    probe = probe_of(options)
    content = content_in(named_folders(options))
    _check_maps(content, maps)
    worlds = range(options.seed, options.seed + options.worlds)
    try:
        with stopped_by_signals(), bar_on(sys.stderr) as told:
            make = playtest.record_parts if options.parts else playtest.record
            recorded = make(
                content,
                worlds,
                out=options.parts or options.out,
                maps=maps,
                jobs=options.jobs,
                told=told,
                probe=probe,
                scheduler=options.scheduler,
            )
    except KeyboardInterrupt:
        say(
            f"stopped; what is in {options.parts or options.out} is whole, and the same command goes on from there"
        )
        return INTERRUPTED
    print(printable(_told(recorded)))
    return DONE


def _told(recorded: Recorded) -> str:
    """Return what has been recorded, in words."""
    parts = [counted(recorded.worlds, "world"), counted(recorded.levels, "level")]
    if recorded.games:
        parts.append(counted(recorded.games, "game"))
    text = f"{', '.join(parts)} in {recorded.path}"
    failed = [
        counted(count, what)
        for count, what in (
            (recorded.failed_worlds, "world"),
            (recorded.failed_levels, "level"),
            (recorded.failed_games, "game"),
        )
        if count
    ]
    if failed:
        text += f"; {' and '.join(failed)} failed: see its view 'failures'"
    return text


def _check_maps(content: Content, maps: list[str]) -> None:
    """Raise a CallError if a map is asked for that there is not."""
    spots = content.chart.spots.values()
    known = [each for spot in spots for each in (spot.id, spot.branch, *spot.types)]
    for name in maps:
        if name not in known:
            raise unknown("map", name, known)


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does."""

    def stop(_number: int, _frame: object) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
