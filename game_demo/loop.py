"""The loop that shows one screen after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tcod.console import Console

from game_demo.frontends.frontend import Click

if TYPE_CHECKING:
    from collections.abc import Callable

    from game_demo.frontends.frontend import Frontend
    from game_demo.screens.screen import Screen


def run(
    frontend: Frontend,
    screen: Screen | None,
    *,
    recolour: Callable[[Console], None] | None = None,
    heard: Callable[[str], None] | None = None,
) -> None:
    """Show one screen after another until the player leaves.

    Args:
        frontend: What to show them on.
        screen: The first one.
        recolour: Changes the colours of what a screen has drawn.
        heard: Is told every input that a screen gets.
    """
    while screen is not None:
        columns, rows = frontend.size
        console = Console(columns, rows, order="C")
        screen.draw(console)
        if recolour is not None:
            recolour(console)
        frontend.present(console)
        match frontend.wait(screen.pause):
            case "quit":
                return
            case None | "resize":
                pass
            case Click(y, x, button):
                if heard is not None:
                    heard(f"click({y},{x},{button})")
                screen = screen.click(y, x, button)
            case key:
                if heard is not None and key != "tick":
                    heard(key)
                screen = screen.press(key)
