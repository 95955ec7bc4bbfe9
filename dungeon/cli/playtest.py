"""`dungeon playtest`: make thousands of worlds and record them in a folder, a run. Also the options for games that bots play, which other commands share."""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from dungeon.cli.calling import (
    DONE,
    INTERRUPTED,
    CallError,
    add_difficulty,
    add_folders,
    add_maps,
    add_worlds,
    at_difficulty,
    check_maps,
    folders_from_arguments,
    load_for_command,
    names_in,
    say,
    say_lines,
    up_to,
)
from dungeon.cli.completion import complete_with
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
    """Add the options for games that bots play: `--bots`, `--game`, `--games` and `--limit`."""
    games = command.add_argument_group("bots that play")
    games.add_argument(
        "--bots",
        type=names_in,
        metavar="BOT,...",
        default="",
        help="let bots play in each world, and record their games: cautious, greedy, hasty, random, an installed bot, or "
        "module:attribute",
    )
    games.add_argument(
        "--game",
        metavar="NAME|MODULE:NAME",
        help="the game to play: the name of an installed game, or MODULE:NAME of the function that starts one (default: the only "
        "installed game)",
    )
    games.add_argument(
        "--games",
        type=up_to(MOST_GAMES),
        metavar="K",
        help="number of games of each bot in each world (default 1)",
    )
    games.add_argument(
        "--limit",
        type=up_to(MOST_ACTIONS),
        metavar="N",
        help="number of actions after which a bot gives up (default 20000)",
    )


def probe_of(options: argparse.Namespace) -> Probe:
    """Return the probe, the function that measures each world: generation alone, or games of bots if `--bots` is given.

    Raises:
        CallError: There is no such bot or game, or `--game` is needed to choose one.
    """
    from dungeon.playtest import Games
    from dungeon.playtest.bots.playing import BOTS, LIMIT, UnknownBotError, find_bot
    from dungeon.playtest.game import UnknownGameError, only_game
    from dungeon.playtest.recording.probes import generation

    bots = tuple(options.bots)
    if not bots:
        for name in ("game", "games", "limit"):
            if getattr(options, name) is not None:
                raise CallError(f"--{name} needs --bots, such as --bots {','.join(BOTS)}")
        return generation
    try:
        for bot in bots:
            find_bot(bot)  # an unknown bot is reported before a missing game
        return Games(
            bots=bots,
            game=options.game or only_game(),
            each=options.games or 1,
            limit=options.limit or LIMIT,
        )
    except (UnknownBotError, UnknownGameError) as error:
        raise CallError(str(error)) from None


FOLDER = "playtest"
"""Default folder of a run."""


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "playtest",
        help="make many worlds and record everything in them, for report and compare",
        description="Make worlds, and store every level, placement, refusal, spawn, measurement, lock, key and time as Parquet files in one "
        "folder, the run. If the command is stopped, run it again to continue; a larger --worlds adds worlds to the run.",
        epilog="example: dungeon playtest --worlds 1000 --jobs 4",
    )
    add_folders(command)
    add_worlds(command, "--worlds", 0, "number of worlds to make")
    complete_with(add_difficulty(command), "difficulty")
    add_maps(command)
    command.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="address (tcp://HOST:PORT) of a Dask scheduler, whose workers make the worlds",
    )
    command.add_argument(
        "--out",
        metavar="DIR",
        default=FOLDER,
        help=f"the folder into which the run is recorded (default {FOLDER})",
    )
    command.add_argument(
        "--digest",
        action="store_true",
        help="print the number of rows and the SHA-256 checksum of each table",
    )
    add_games(command)
    return command


def run(options: argparse.Namespace) -> int:
    """Record the worlds, then print digests (checksums) if the options ask for it; return the exit code."""
    from dungeon import playtest

    if not (options.worlds or options.digest):
        raise CallError("--worlds N is needed: the number of worlds to make")
    code = DONE
    try:
        if options.worlds:
            code = _record(options)
        if code == DONE and options.digest:
            for table, (rows, digest) in playtest.digests(options.out).items():
                print(f"{digest}  {table} ({counted(rows, 'row')})")
    except playtest.PlaytestError as error:
        raise CallError(str(error)) from None
    return code


def _record(options: argparse.Namespace) -> int:
    """Make and record the worlds, and print a summary; return the exit code."""
    from dungeon import playtest

    probe = probe_of(options)
    content = at_difficulty(load_for_command(folders_from_arguments(options)), options)
    check_maps(content, options.maps)
    worlds = range(options.seed, options.seed + options.worlds)
    try:
        with stopped_by_signals(), bar_on(sys.stderr) as told:
            recorded = playtest.record(
                content,
                worlds,
                out=options.out,
                maps=options.maps,
                jobs=options.jobs,
                told=told,
                probe=probe,
                scheduler=options.scheduler,
            )
    except KeyboardInterrupt:
        say(f"stopped; the worlds in {options.out} are complete, and the same command continues from there")
        return INTERRUPTED
    print(printable(_summary(recorded)))
    if recorded.failed_worlds or recorded.failed_levels or recorded.failed_games:
        say_lines(_failure_lines(options.out))
    return DONE


SHOWN_FAILURES = 3
"""Maximum number of different errors that are printed after a recording."""


def _failure_lines(folder: str) -> Iterator[str]:
    """Yield lines about the most frequent errors of a run, each with a seed and a command that repeats it; none without failures."""
    from dungeon import playtest

    query = """
        SELECT what || coalesce(' ' || map, ''), error, count(*), min(seed), arg_min(command, seed) FROM failures
        GROUP BY what, map, error ORDER BY count(*) DESC, min(seed), what, map LIMIT ?
    """
    with playtest.open(folder) as run:
        for what, error, count, seed, command in run.sql(query, (SHOWN_FAILURES,)).fetchall():
            yield f"failed: {what} in world {seed}{f' and {count - 1} more' if count > 1 else ''}: {error}"
            yield f"  {command}"


def _summary(recorded: Recorded) -> str:
    """Return the summary: ``100 worlds, 1200 levels in playtest``, with the failures if there are any."""
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
    """Treat SIGTERM like Ctrl-C inside the `with` block, so that a run is closed properly."""

    def stop(_number: int, _frame: object) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
