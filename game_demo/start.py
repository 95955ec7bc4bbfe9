"""From the command's arguments to a running game."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import dungeon
from dungeon.extend import PluginError, import_named
from game_demo.content import data_folder
from game_demo.frontends.frontend import FrontendError
from game_demo.loop import run
from game_demo.screens.game_screens import Title
from game_demo.screens.session import Session

if TYPE_CHECKING:
    from argparse import Namespace

    from game_demo.frontends.frontend import Frontend

IMPOSSIBLE = 1
WRONG_CALL = 2


def start(options: Namespace) -> int:
    """Play with the options given, and return the exit code."""
    try:
        import_named(options.imports)
        folders = [options.data or data_folder(), *options.mod]
        content = dungeon.load_content(*folders, cache=dungeon.cache_folder())
        seed = None if options.seed is None else dungeon.World(content, options.seed).seed
    except dungeon.ContentError as error:
        return fail(str(error), WRONG_CALL)
    except (PluginError, ValueError) as error:  # a seed that is none is a ValueError
        return fail(f"dungeon-demo: {error}", WRONG_CALL)
    known = [node.id for node in dungeon.World(content).maps]
    if options.map not in (None, *known):
        return fail(f"dungeon-demo: there is no map {options.map!r}, only {', '.join(known)}", WRONG_CALL)
    try:
        frontend = choose_frontend(content.world.name, options)
        session = Session(
            content, seed, start=options.map, crash_at=options.crash_at_turn, palette=options.palette
        )
        with frontend:
            run(frontend, Title(session), recolour=session.recolour, heard=session.heard)
    except FrontendError as error:
        return fail(f"dungeon-demo: {error}", WRONG_CALL)
    except dungeon.GenerationError as error:
        return fail(f"dungeon-demo: {error}", IMPOSSIBLE)
    return 0


def choose_frontend(title: str, options: Namespace) -> Frontend:
    """Return what to play on.

    Raises:
        FrontendError: That is not to be had here.
    """
    # Each is imported only where it is wanted: the terminal needs wcwidth, which is an extra.
    if options.window:
        from game_demo.frontends.window import WindowFrontend  # noqa: PLC0415

        return WindowFrontend(title)
    try:
        from game_demo.frontends.terminal import TerminalFrontend  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise FrontendError(
            f"{error.name} is missing: install tcod-dungeon[demo], or play with --window"
        ) from error
    return TerminalFrontend(
        colours=None if options.colour == "auto" else options.colour,
        charset=None if options.charset == "auto" else options.charset,
        mouse=options.mouse,
    )


def fail(message: str, code: int) -> int:
    """Say what is wrong, and return the exit code."""
    sys.stderr.write(f"{message}\n")
    return code
