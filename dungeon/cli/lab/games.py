"""The options that say which bots play which game in the worlds of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.cli.calling import CallError, up_to

if TYPE_CHECKING:
    import argparse

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
    from dungeon.playtest.bots.bot import BOTS, UnknownBotError, find_bot
    from dungeon.playtest.bots.playing import LIMIT
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
