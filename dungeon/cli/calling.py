"""What commands share: how they end, and how they are told which content is meant."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dungeon.cli.terminal.waiting import waiting
from dungeon.core.quoting import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TextIO

    from dungeon.content.library import Content
    from dungeon.generation.atlas import MapNode
    from dungeon.world import World

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # argparse has no other name for it

DONE = 0
WRONG_CONTENT = 1
"""There are errors in the content or in a drawing, or a map could not be made."""

WRONG_CALL = 2
"""The command was called in a way that can't work; argparse uses this number too."""

DOUBTFUL_CONTENT = 3
"""There are no errors, but warnings."""

INTERRUPTED = 130


class CallError(Exception):
    """The command was called in a way that can't work; the message says why."""


def up_to(most: int) -> Callable[[str], int]:
    """Return what reads a whole number from 1 to `most`, as the type of an argument."""

    def number(text: str) -> int:
        if not text.isdecimal() or not 1 <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"a number from 1 to {most} is needed, not {text!r}")
        return int(text)

    return number


def say(message: str) -> None:
    """Print a line that is no part of the output. It may quote arguments and files, so control characters are escaped."""
    say_lines([printable(f"dungeon: {message}")])


def say_lines(lines: Iterable[str]) -> None:
    """Print lines that are no part of the output."""
    if sys.stderr is None:
        return
    try:
        print(*lines, sep="\n", file=sys.stderr, flush=True)
    except OSError:
        give_up(sys.stderr)  # there is nowhere left to say so


def give_up(stream: TextIO) -> None:
    """Let a stream go nowhere, to keep Python from complaining when it closes what can't be written to."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def add_data(command: argparse.ArgumentParser, *, or_demo: bool = False) -> None:
    """Add the options that name the content folder, and those that are laid over it.

    Args:
        command: The command.
        or_demo: Whether the command takes the demo's content where there is no other.
    """
    demo = ", else the demo's" if or_demo else ""
    command.add_argument(
        "--data",
        metavar="DIR",
        help=f"the content folder (default: the one you are in, else ./data{demo})",
    )
    command.set_defaults(or_demo=or_demo)
    command.add_argument(
        "--mod",
        metavar="DIR",
        action="append",
        default=[],
        help="a folder that is laid over the content; several are laid in their order",
    )


def folders_of(options: argparse.Namespace) -> list[str]:
    """Return the content folder to use, as `data_folder` does, and the mods that are laid over it.

    Raises:
        CallError: One of them is no folder, or there is no content.
    """
    return [data_folder(options.data, or_demo=options.or_demo), *map(existing, options.mod)]


def content_in(folders: Iterable[str]) -> Content:
    """Read content, from the user's cache if it is there, and tell who waits for it.

    Raises:
        ContentError: Something in it is wrong.
    """
    import dungeon

    with waiting("reading the content"):
        return dungeon.load_content(*folders, cache=dungeon.cache_folder())


def add_imports(command: argparse.ArgumentParser) -> None:
    """Add the option that names plugins which are not installed."""
    command.add_argument(
        "--import",
        metavar="MODULE",
        action="append",
        default=[],
        dest="imports",
        help="import a module that registers layouts or placing modes, from this folder or wherever Python finds it",
    )


def import_plugins(options: argparse.Namespace) -> None:
    """Import the plugins that the options of `add_imports` name.

    Raises:
        PluginError: One of them can't be imported.
    """
    if options.imports:
        from dungeon.extend import import_named

        import_named(options.imports)


def add_folders(command: argparse.ArgumentParser) -> None:
    """Add the content folder and its mods as arguments, which the options of `add_data` may name as well."""
    command.add_argument(
        "folders", nargs="*", metavar="DATA", help="the content folder, as --data DATA; then mods, as --mod"
    )
    add_data(command)


def named_folders(options: argparse.Namespace) -> list[str]:
    """Return what `folders_of` does, for a command that may name its folders in either way.

    Raises:
        CallError: It names two contents, or what is no folder; or there is no content.
    """
    named: list[str] = options.folders
    if not named:
        return folders_of(options)
    if options.data is not None:
        raise CallError(f"only one content can be meant: {named[0]} or {options.data}")
    return [data_folder(named[0]), *map(existing, [*named[1:], *options.mod])]


def data_folder(given: str | None, *, or_demo: bool = False) -> str:
    """Return the content folder to use.

    That is the folder which is given; else the one that the call is made in or below; else ``./data``. It is said
    which it is unless the author has named it, or might have: ``./data``. Who names a part of content, a folder or a
    file, means the whole: what a part of it says is right or wrong only there.

    Args:
        given: The folder that the call names, if it names any.
        or_demo: Whether to return the demo's own content where there is no other.

    Raises:
        CallError: What is given is no folder, or holds nothing of what content has; or there is no content.
    """
    from dungeon.content.loading.folders import WORLD, as_written, content_around, is_like_content

    if given is not None:
        around = content_around(Path(given))
        if around is None and not is_like_content(Path(existing(given))):
            below = sorted(str(each.parent) for each in Path(given).glob(f"*/{WORLD}"))
            raise CallError(
                f"there is no content in {given}{f' (did you mean {below[0]}?)' if below else ''}"
            )
        if around is None or around == Path(given).resolve():
            return given
        whole = str(as_written(around, Path(given)))
        say(f"{given} is a part of the content in {whole}: using all of it")
        return whole
    here = content_around(Path())
    if here is None and not Path("data").is_dir() and is_like_content(Path()):
        here = Path.cwd()
    if here is not None:
        say(f"using the content in {here}")
        return "." if here == Path.cwd() else str(here)
    if Path("data").is_dir():
        return "data"
    if not or_demo:
        raise CallError("there is no content here and no ./data: name the content folder with --data DIR")
    from game_demo.content import data_folder as demo_data

    say("no content here and no ./data: using the demo's content")
    return str(demo_data())


def existing(folder: str) -> str:
    """Return a folder.

    Raises:
        CallError: There is none of that name; it tells the nearest.
    """
    path = Path(folder)
    if folder and path.is_dir():
        return folder
    if folder and path.exists():
        raise CallError(f"{folder} is a file, not a folder of content")
    from dungeon.core.errors import nearest_match

    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    nearest = nearest_match(str(path), sorted(str(each) for each in beside if each.is_dir()))
    raise CallError(f"there is no folder {folder!r}{f' (did you mean {nearest}?)' if nearest else ''}")


def unknown(what: str, name: str, known: Iterable[str], removal: str = "") -> CallError:
    """Return the error that there is no such thing of that name.

    It tells what has removed it (see `Content.removal`), if that is known; else the nearest, or all that there are.
    """
    from dungeon.core.errors import nearest_match

    if removal:
        return CallError(f"there is no {what} {name!r} any more ({removal})")
    names = list(dict.fromkeys(known))
    nearest = nearest_match(name, names)
    hint = f"did you mean {nearest}?" if nearest else f"there are {', '.join(names)}"
    return CallError(f"there is no {what} {name!r} ({hint})")


def meant_by(name: str, content: Content) -> str:
    """Return what else a name is of that is no prefab's, in words that follow it in brackets; empty if it is nothing's."""
    from dungeon.core.errors import with_article

    if reason := content.undrawn(name) or content.removal("prefab", name):
        return reason
    if name in content.encounters:
        prefabs = ", ".join(content.encounters[name].prefabs)
        return f"it is an encounter{f', of {prefabs}' if prefabs else ''}; dungeon why MAP {name} tells of it"
    for kind, things in content.catalog.things.items():
        if name in things:
            return f"it is the tag of {with_article(kind)}"
    return "prefabs are called by their names, not by their files" if name.endswith((".yaml", ".yml")) else ""


MOST_SEEDS = 100
"""So many seeds on are looked at for a world that has a map."""


def map_called(world: World, name: str) -> MapNode | None:
    """Return the map of that id, or the first of that branch or type; None if no world of the content has any.

    Raises:
        CallError: Only other worlds have one; it tells the next seed of such a world.
    """
    import dungeon

    def found(world: World) -> MapNode | None:
        return next((each for each in world.maps if name in (each.id, each.branch, each.name)), None)

    spots = world.content.chart.spots.values()
    node = found(world)
    if node is None and any(name in (spot.id, spot.branch, *spot.types) for spot in spots):
        seeds = range(world.seed + 1, world.seed + 1 + MOST_SEEDS)
        other = next((seed for seed in seeds if found(dungeon.World(world.content, seed))), None)
        hint = "few worlds have" if other is None else f"that of seed {other} has"
        raise CallError(f"the world of seed {world.seed} has no {name!r} ({hint})")
    return node


def needs_name(file: str, option: str) -> None:
    """Raise a CallError unless an option's file has a name; an ending alone is none."""
    path = Path(file)
    if not path.name or (path.name.startswith(".") and not path.suffix):
        raise CallError(f"{option} needs a file name")
