"""From the command's arguments to a running game, and the loop that shows one screen after another."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tcod.console import Console

import dungeon
from dungeon.extend import PluginError, import_named
from dungeon.playtest.bots.playing import UnknownBotError
from game_demo.bot_games import command_at, record_bot
from game_demo.content import data_folder
from game_demo.display.drawing import clean
from game_demo.frontends.frontend import Click, FrontendError
from game_demo.saving.files import RecordingFile, SaveFolder, user_folder
from game_demo.saving.keeper import Keeper
from game_demo.saving.morgue import ending
from game_demo.saving.recording import SaveError, origin_of, read_recording, replay
from game_demo.screens.game_screens import Title
from game_demo.screens.replay import Replay
from game_demo.screens.session import Session, any_seed
from game_demo.state.digest import digest_of

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from dungeon import Content
    from game_demo.frontends.frontend import Frontend
    from game_demo.saving.recording import GameOrigin, GameRecording
    from game_demo.screens.screen import Screen


# -- the loop --------------------------------------------------------------------------------------


def run(
    frontend: Frontend,
    screen: Screen | None,
    *,
    recolour: Callable[[Console], None] | None = None,
    heard: Callable[[str], None] | None = None,
) -> None:
    """Show screens until the player leaves.

    Args:
        frontend: The terminal or window to show them on.
        screen: The first screen.
        recolour: Recolours each finished console; None for no change.
        heard: Called with every input; None for none.
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


# -- the start -------------------------------------------------------------------------------------

IMPOSSIBLE = 1
WRONG_CALL = 2

TRIES = 50
"""How many random worlds are tried for one that has the map of `--map`."""


def start(options: Namespace) -> int:
    """Play, or show a replay, by the command's options; return the exit code."""
    try:
        import_named(options.imports)
        folders = [options.data or data_folder(), *options.mod]
        content = dungeon.load_content(*folders, cache=dungeon.cache_folder())
        content = content.at_difficulty(options.difficulty)
        seed: int | str | None = options.seed
        if seed is not None:
            dungeon.World(content, seed)
    except dungeon.ContentError as error:
        return fail(str(error), WRONG_CALL)
    except (PluginError, ValueError, KeyError) as error:  # an invalid seed, an unknown difficulty
        return fail(f"dungeon-demo: {error.args[0] if isinstance(error, KeyError) else error}", WRONG_CALL)
    if options.map is not None:  # not every world has every map
        seeds = [seed] if seed is not None else [any_seed() for _ in range(TRIES)]
        worlds = [dungeon.World(content, each) for each in seeds]
        seed = next((each for each, world in zip(seeds, worlds, strict=True) if options.map in world), None)
        if seed is None:
            known = ", ".join(dict.fromkeys(node.id for world in worlds for node in world.maps))
            return fail(f"dungeon-demo: there is no map {options.map!r}, only {known}", WRONG_CALL)
    try:
        show(options, content, seed) if options.replay else play(options, content, seed)
    except (FrontendError, SaveError) as error:
        return fail(f"dungeon-demo: {error}", WRONG_CALL)
    except dungeon.GenerationError as error:
        return fail(f"dungeon-demo: {error}", IMPOSSIBLE)
    return 0


def play(options: Namespace, content: Content, seed: int | str | None) -> None:
    """Play games in the terminal or a window until the player leaves.

    Raises:
        FrontendError: There is no terminal or window to play on.
        GenerationError: A level could not be made.
    """
    frontend = choose_frontend(content.world.name, options)
    folder = options.save_dir or user_folder()
    keeper = Keeper(origin_of(content), SaveFolder(folder) if folder else None, options.record)
    if folder is None:
        keeper.trouble = "no folder"
        keeper.notices.append("There is no folder to save games in: give one with --save-dir DIR.")
    session = Session(
        content,
        seed,
        start=options.map,
        crash_at=options.crash_at_turn,
        palette=options.palette,
        keeper=keeper,
    )
    with closing(keeper), frontend:
        run(frontend, Title(session), recolour=session.recolour, heard=session.heard)
        keeper.leave(session.game)


def show(options: Namespace, content: Content, seed: int | str | None) -> None:
    """Show a recorded game or that of a bot, or with `--headless` print how it ends.

    Raises:
        FrontendError: There is no terminal or window to show it on.
        SaveError: The recording can't be read or replayed, there is neither a file nor a bot of this name, or `--record` can't be written.
    """
    path, begin_at = Path(options.replay), None
    if path.exists():
        recording = recording_in(path, origin_of(content))
    else:
        recording, begin_at = bot_recording(options, content, seed)
    if options.headless:
        game = replay(recording, content)
        told = f"{ending(game)} on turn {game.log.turn} in {game.title(game.map.level.id)}"
        sys.stdout.write(f"{told}\n{digest_of(game)}\n")
    else:
        with choose_frontend(content.world.name, options) as frontend:
            run(frontend, Replay(recording, content, begin_at=begin_at))


def bot_recording(
    options: Namespace, content: Content, seed: int | str | None
) -> tuple[GameRecording, int | None]:
    """Let the bot of `--replay` play; return the recording, and the number of commands before the place of `--map` and `--mark`.

    Raises:
        SaveError: There is no such bot, or the file of `--record` can't be written.
    """
    world = dungeon.World(content, any_seed() if seed is None else seed)
    if sys.stderr.isatty():
        sys.stderr.write(f"{clean(options.replay)} plays world {world.seed}...\n")
    try:
        played = record_bot(options.replay, world, options.game_seed, options.limit)
        if options.record is not None:
            with closing(RecordingFile(options.record, played.recording.header)) as file:
                file.write(*played.recording.entries)
    except UnknownBotError as error:
        raise SaveError(f"there is no file {options.replay}, and {error}") from error
    except OSError as error:
        raise SaveError(f"{options.record} can't be written: {error.strerror}") from error
    return played.recording, command_at(played, options.map, options.mark) if options.map else None


def recording_in(path: Path, origin: GameOrigin) -> GameRecording:
    """Return the recording in a file.

    Raises:
        SaveError: It can't be read, or not be replayed with this content or code.
    """
    try:
        recording = read_recording(path.read_bytes())
        origin.check(recording.header)
    except OSError as error:
        raise SaveError(f"{path} can't be read: {error.strerror}") from error
    except SaveError as error:
        raise SaveError(f"{path} can't be replayed: {error}") from error
    return recording


def choose_frontend(title: str, options: Namespace) -> Frontend:
    """Return the terminal or window to play on.

    Raises:
        FrontendError: It is not available.
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
    """Print an error message without control characters, and return the exit code."""
    sys.stderr.writelines(f"{clean(line)}\n" for line in message.split("\n"))
    return code
