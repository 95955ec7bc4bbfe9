"""The loop that shows one screen after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tcod.console import Console

from game_demo.frontends.frontend import MIN_COLUMNS, MIN_ROWS, Click

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

    Where there is no room for a screen nothing is played: there is only a notice, until there is room.

    Args:
        frontend: What to show them on.
        screen: The first one.
        recolour: Changes the colours of what a screen has drawn.
        heard: Is told every input that a screen gets.
    """
    while screen is not None:
        columns, rows = frontend.size
        has_room = columns >= MIN_COLUMNS and rows >= MIN_ROWS
        console = Console(columns, rows, order="C")
        if has_room:
            screen.draw(console)
            if recolour is not None:
                recolour(console)
        else:
            notice = f"the screen is {columns}x{rows}; {MIN_COLUMNS}x{MIN_ROWS} or more is needed"
            console.print(0, 0, notice, width=columns, height=rows)
        frontend.present(console)
        match frontend.wait(screen.pause if has_room else None):
            case "quit":
                return
            case key if not has_room or key in (None, "resize"):
                pass
            case Click(y, x, button):
                if heard is not None:
                    heard(f"click({y},{x},{button})")
                screen = screen.click(y, x, button)
            case str() as key:
                if heard is not None and key != "tick":
                    heard(key)
                screen = screen.press(key)
