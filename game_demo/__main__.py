"""The command `dungeon-demo`, also ``python -m game_demo``.

A hidden option, ``--crash-at-turn N``, raises an exception on turn N, to test that the terminal is restored.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from game_demo.versions import installed_version

if TYPE_CHECKING:
    from collections.abc import Sequence

INTERRUPTED = 130


def parser() -> argparse.ArgumentParser:
    """Return the argument parser of `dungeon-demo`."""
    options = argparse.ArgumentParser(
        prog="dungeon-demo",
        description="Play a roguelike whose levels are grown around hand-drawn rooms, in the terminal or in a window.",
        epilog="Example: dungeon-demo --seed 7 plays world 7; ? in the game lists the keys.",
    )
    options.add_argument(
        "--seed",
        metavar="SEED",
        help="the world to play: a whole number or any text (default: a random world)",
    )
    options.add_argument(
        "--map",
        metavar="ID",
        help="the map to start on, such as galleries/2 (default: the first map of the world); with --replay BOT, where to begin "
        "watching",
    )
    options.add_argument(
        "--difficulty",
        metavar="NAME",
        help="play new games at this difficulty, such as calm or harsh (default: as the world is)",
    )
    options.add_argument(
        "--data", type=Path, metavar="DIR", help="play the content in this folder instead of the game's own"
    )
    options.add_argument(
        "--mod",
        type=Path,
        metavar="DIR",
        action="append",
        default=[],
        help="also load this folder over the content; may be given several times",
    )
    options.add_argument(
        "--import",
        metavar="MODULE",
        action="append",
        default=[],
        dest="imports",
        help="import this Python module first, so that it can register layouts or placing modes",
    )
    options.add_argument(
        "--save-dir",
        type=Path,
        metavar="DIR",
        help="the folder of saved and finished games (default: in your user data folder)",
    )
    options.add_argument("--record", type=Path, metavar="FILE", help="also record the game in this file")
    options.add_argument(
        "--replay",
        metavar="FILE|BOT",
        help="watch a recorded or saved game, or let a bot play the world of --seed and watch that, such as cautious or hasty",
    )
    options.add_argument(
        "--mark",
        metavar="WHAT",
        help="with --replay BOT and --map: begin where the bot dies of this encounter, robot, trap or item on that map, or meets it; "
        "with a cell ROW,COLUMN alone, which the report names for ends: before the end of a game that ends on that map, else at its arrival",
    )
    options.add_argument(
        "--game-seed",
        type=int,
        default=0,
        metavar="N",
        help="with --replay BOT: the number of its game in that world (default 0)",
    )
    options.add_argument(
        "--limit",
        type=int,
        default=20_000,
        metavar="N",
        help="with --replay BOT: the number of actions after which the bot gives up (default 20000)",
    )
    options.add_argument(
        "--headless",
        action="store_true",
        help="with --replay: show nothing; print how the game ends and a digest of its last state",
    )
    options.add_argument("--window", action="store_true", help="play in a window instead of the terminal")
    options.add_argument(
        "--palette",
        choices=("plain", "contrast", "colour-blind"),
        default="plain",
        help="the colours to start with (default plain); P changes them in the game",
    )
    options.add_argument(
        "--color",
        "--colour",
        choices=("auto", "24bit", "256", "16", "none"),
        default="auto",
        dest="colour",
        help="how many colours the terminal has (default auto: read from TERM, COLORTERM and NO_COLOR)",
    )
    options.add_argument(
        "--charset",
        choices=("auto", "unicode", "ascii"),
        default="auto",
        help="which characters the terminal can show (default auto: read from the locale)",
    )
    options.add_argument(
        "--no-mouse",
        action="store_false",
        dest="mouse",
        help="don't use the mouse in the game, so that the terminal can select text with it",
    )
    options.add_argument("--version", action="version", version=f"dungeon-demo {installed_version()}")
    options.add_argument("--crash-at-turn", type=int, metavar="N", help=argparse.SUPPRESS)
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the game.

    Returns:
        The exit code: 0 after a game, 1 if a level could not be made, 130 after Ctrl-C. 2 if the content, a plugin or the
        recording has errors, if there is no such map, or if there is no terminal or window to draw on.
    """
    known = parser()
    options = known.parse_args(arguments)
    if options.headless and options.replay is None:
        known.error("--headless needs --replay FILE or BOT")
    if options.mark is not None and (options.replay is None or options.map is None):
        known.error("--mark needs --replay BOT and --map ID")
    if sys.stderr.isatty():
        sys.stderr.write("Loading...\n")
    try:
        # Imported late, so that --help and wrong arguments answer fast: this import is slow.
        from game_demo.start import start  # noqa: PLC0415

        return start(options)
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
