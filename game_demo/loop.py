"""The loop that shows one screen after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tcod.console import Console

from game_demo.frontends.frontend import Click

if TYPE_CHECKING:
    from game_demo.frontends.frontend import Frontend
    from game_demo.screens.screen import Screen


def run(frontend: Frontend, screen: Screen | None) -> None:
    """Show one screen after another until the player leaves."""
    while screen is not None:
        columns, rows = frontend.size
        console = Console(columns, rows, order="C")
        screen.draw(console)
        frontend.present(console)
        match frontend.wait(screen.pause):
            case "quit":
                return
            case None | "resize":
                pass
            case Click(y, x, button):
                screen = screen.click(y, x, button)
            case key:
                screen = screen.press(key)
