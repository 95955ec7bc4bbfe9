"""The window: arrows walk, the full stop waits, Enter takes the stairs, S saves; `python -m before`."""

from __future__ import annotations

import sys
from pathlib import Path

import tcod.context
import tcod.event
from tcod.console import Console
from tcod.event import KeySym

from .engine import Engine, load

STEPS = {
    KeySym.UP: (0, -1),
    KeySym.DOWN: (0, 1),
    KeySym.LEFT: (-1, 0),
    KeySym.RIGHT: (1, 0),
    KeySym.PERIOD: (0, 0),
}
FILE = Path("cellar.save")


def main() -> None:
    """Run the game until the window is closed or the player dies."""
    engine = load(FILE) if FILE.exists() else Engine(seed=int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    console = Console(100, 60, order="F")
    with tcod.context.new(console=console, title="Cellar") as context:
        while engine.player.hp > 0:
            engine.render(console)
            context.present(console)
            for event in tcod.event.wait():
                match event:
                    case tcod.event.Quit():
                        return
                    case tcod.event.KeyDown(sym=sym) if sym in STEPS:
                        engine.move(*STEPS[sym])
                    case tcod.event.KeyDown(sym=KeySym.RETURN):
                        engine.descend()
                    case tcod.event.KeyDown(sym=KeySym.S):
                        engine.save(FILE)


main()
