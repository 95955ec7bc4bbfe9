"""The command `dungeon-demo`, also ``python -m game_demo``.

There is a hidden option, ``--crash-at-turn N``: on that turn the game raises an exception, to test what is left
of the terminal then.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

INTERRUPTED = 130


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    options = argparse.ArgumentParser(
        prog="dungeon-demo",
        description="Walk a world that is grown around hand-drawn rooms, in the terminal or in a window.",
    )
    options.add_argument(
        "--seed", metavar="SEED", help="which world to play: a whole number, or any text; any, if not given"
    )
    options.add_argument("--map", metavar="ID", help="the map to begin on, such as galleries/2")
    options.add_argument("--data", type=Path, metavar="DIR", help="content to play instead of the game's own")
    options.add_argument(
        "--mod",
        type=Path,
        metavar="DIR",
        action="append",
        default=[],
        help="a folder to lay over the content",
    )
    options.add_argument(
        "--import",
        metavar="MODULE",
        action="append",
        default=[],
        dest="imports",
        help="import a module that registers layouts or placing modes",
    )
    options.add_argument(
        "--save-dir",
        type=Path,
        metavar="DIR",
        help="where saved games lie, and those that have ended, by default in your folder for data",
    )
    options.add_argument("--record", type=Path, metavar="FILE", help="record the game in a file besides")
    options.add_argument(
        "--replay", type=Path, metavar="FILE", help="watch a game that was recorded, or any saved one"
    )
    options.add_argument(
        "--headless",
        action="store_true",
        help="with --replay: show nothing, and print how it ends and the digest of its state",
    )
    options.add_argument("--window", action="store_true", help="play in a window instead of the terminal")
    options.add_argument(
        "--palette",
        choices=("plain", "contrast", "colour-blind"),
        default="plain",
        help="the colours to begin with (default plain); P changes them in the game",
    )
    options.add_argument(
        "--color",
        "--colour",
        choices=("auto", "24bit", "256", "16", "none"),
        default="auto",
        dest="colour",
        help="how many colours the terminal has (default auto: by TERM, COLORTERM and NO_COLOR)",
    )
    options.add_argument(
        "--charset",
        choices=("auto", "unicode", "ascii"),
        default="auto",
        help="which characters the terminal shows (default auto: those of the locale)",
    )
    options.add_argument(
        "--no-mouse",
        action="store_false",
        dest="mouse",
        help="leave the mouse to the terminal, to select text with",
    )
    options.add_argument("--crash-at-turn", type=int, metavar="N", help=argparse.SUPPRESS)
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the game.

    Returns:
        The exit code: 0, or 1 where a level could not be made, 2 where the content, a plugin or the recording is wrong, the
        map unknown or there is nothing to draw on, 130 after Ctrl-C.
    """
    known = parser()
    options = known.parse_args(arguments)
    if options.headless and options.replay is None:
        known.error("--headless goes with --replay FILE")
    try:
        # Not before the arguments are right: this imports all that is heavy.
        from game_demo.start import start  # noqa: PLC0415

        return start(options)
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
