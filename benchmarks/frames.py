"""Output of the demo to a terminal: bytes of a frame, and milliseconds from a key press to its frame.

    python benchmarks/frames.py [turns] [--color 24bit|256|16|none] [--seed N]

A player walks, runs, looks around and opens menus for this number of turns, at three sizes of terminal. A frame is *ordinary* if
it is not the first one of a map. Times are CPU time from a key to its bytes: the turn, the drawing and the writing. The exit code is 1
if no frame was drawn, or if the 99th percentile of ordinary frames or of keys misses a goal. Below 300 keys, goals don't count.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import TYPE_CHECKING

import numpy as np
from measured import Measured
from tcod.console import Console

import dungeon
from game_demo.content import data_folder
from game_demo.frontends.capabilities import COLOUR_DEPTHS, Capabilities
from game_demo.frontends.differ import Differ
from game_demo.screens.game_screens import PlayScreen
from game_demo.screens.session import Session

if TYPE_CHECKING:
    from dungeon import Content
    from game_demo.frontends.capabilities import ColourDepth
    from game_demo.screens.screen import Screen

SIZES = ((80, 24), (160, 50), (200, 80))
KEYS = [*"hjklyubn" * 6, *"HJKLYUBN" * 2, *"..s>gx?im", *["escape"] * 6]
PERCENTILES = (50, 90, 99, 100)
GOALS = {"ordinary": 4096, "key to bytes": 16}
"""Maximum 99th percentile: bytes of a frame, milliseconds of a key."""

ENOUGH = 300
"""Number of keys from which on goals count."""


def played(
    content: Content, size: tuple[int, int], turns: int, colours: ColourDepth, seed: int, noted: Measured
) -> None:
    """Play for `turns` keys in a terminal of this size, and print and add the figures."""
    rng = random.Random(seed)
    differ = Differ(Capabilities(colours=colours, erases_in_colour=True))
    session = Session(content, seed)
    screen: Screen | None = PlayScreen(session)
    sizes: dict[str, list[int]] = {"ordinary": [], "a map's first": []}
    parts: dict[str, list[float]] = {"turn": [], "drawing": [], "writing": [], "key to bytes": []}
    shown = ""
    for _ in range(turns):
        begun = time.thread_time()
        screen = screen.press(rng.choice(KEYS)) if screen is not None else None
        if screen is None or session.game.is_over:
            seed += 1
            session.begin(seed)
            screen = PlayScreen(session)
            continue
        done = time.thread_time()
        console = Console(*size, order="C")
        screen.draw(console)
        drawn = time.thread_time()
        frame = differ.frame(console.rgb).encode()
        written = time.thread_time()
        here = session.game.map.level.id
        sizes["ordinary" if here == shown else "a map's first"].append(len(frame))
        shown = here
        for part, seconds in zip(
            parts, (done - begun, drawn - done, written - drawn, written - begun), strict=True
        ):
            parts[part].append(1000 * seconds)
    print(f"{size[0]}x{size[1]}, {colours}, {turns} keys")
    for kind, lengths in sizes.items():
        line(f"bytes, {kind} ({len(lengths)})", lengths, ".0f")
    for part, times in parts.items():
        line(f"ms, {part}", times, ".1f")
    for what, values in (*sizes.items(), *parts.items()):
        if values and what in GOALS:
            noted.add(f"{what} at {size[0]}x{size[1]}", float(np.percentile(values, 99)), GOALS[what])


def line(what: str, values: list[int] | list[float], form: str) -> None:
    """Print the percentiles of some values; nothing without values."""
    if values:
        told = (f"{format(value, form):>8}" for value in np.percentile(values, PERCENTILES))
        print(f"  {what:<28}{''.join(told)}")


def main() -> None:
    """Play at three sizes."""
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("turns", type=int, nargs="?", default=600)
    options.add_argument("--color", choices=COLOUR_DEPTHS, default="24bit")
    options.add_argument("--seed", type=int, default=3)
    chosen = options.parse_args()
    content = dungeon.load_content(data_folder())
    noted = Measured(checks_goals=chosen.turns >= ENOUGH)
    print(" " * 30 + "".join(f"{number:>6} %" for number in PERCENTILES))
    for size in SIZES:
        played(content, size, chosen.turns, chosen.color, chosen.seed, noted)
    noted.exit()


if __name__ == "__main__":
    main()
