"""`dungeon playtest`: make worlds by the thousand and record what they hold; and the options of all commands about bots."""

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
    add_worlds,
    check_maps,
    content_in,
    named_folders,
    say,
    up_to,
)
from dungeon.cli.printing import bar_on
from dungeon.core.errors import counted, printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from dungeon.cli.calling import Commands
    from dungeon.playtest import Recorded
    from dungeon.playtest.recording.recorder import Probe


MOST_GAMES = 1000
MOST_ACTIONS = 10_000_000


def add_games(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    games = command.add_argument_group("bots that play")
    games.add_argument(
        "--bots",
        metavar="BOT,...",
        default="",
        help="let bots play in each world, and record how they fare: cautious, greedy, hasty, random, an installed one, or "
        "module:attribute",
    )
    games.add_argument(
        "--game",
        metavar="NAME|MODULE:NAME",
        help="the game that they play: an installed one, or what starts it (default: the only one that is installed)",
    )
    games.add_argument(
        "--games",
        type=up_to(MOST_GAMES),
        metavar="K",
        help="how many games each bot plays in each world (default 1)",
    )
    games.add_argument(
        "--limit",
        type=up_to(MOST_ACTIONS),
        metavar="N",
        help="after how many actions a bot gives up (default 20000)",
    )


def probe_of(options: argparse.Namespace) -> Probe:
    """Return what worlds are to be asked.

    Raises:
        CallError: There is no such bot or game, or none that is meant.
    """
    from dungeon.playtest import Games
    from dungeon.playtest.bots.playing import BOTS, LIMIT, UnknownBotError, find_bot
    from dungeon.playtest.game import UnknownGameError, only_game
    from dungeon.playtest.recording.probes import generation

    bots = tuple(each for each in options.bots.split(",") if each)
    if not bots:
        for name in ("game", "games", "limit"):
            if getattr(options, name) is not None:
                raise CallError(f"--{name} is for bots: say which with --bots {','.join(BOTS)}")
        return generation
    try:
        for bot in bots:
            find_bot(bot)  # before it is asked which game they are to play
        return Games(
            bots=bots,
            game=options.game or only_game(),
            each=options.games or 1,
            limit=options.limit or LIMIT,
        )
    except (UnknownBotError, UnknownGameError) as error:
        raise CallError(str(error)) from None


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
    check_maps(content, maps)
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
