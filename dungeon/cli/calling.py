"""What all commands of the command line share: the argument parser, the options for content, seed and worlds, and exit codes. A mod is a folder whose entries change the content; the demo is the library's example game."""

from __future__ import annotations

import argparse
import os
import sys
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dungeon.cli.printing import waiting
from dungeon.core.errors import meant_or_all, nearest_match, printable, with_article
from dungeon.core.errors import unknown as no_such

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import NoReturn, TextIO

    from dungeon.content.library import Content
    from dungeon.generation.atlas import MapNode
    from dungeon.world import World

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # argparse has no other name for it


DONE = 0
WRONG_CONTENT = 1
"""The content or a drawing has errors, or a map could not be made."""

WRONG_CALL = 2
"""The arguments are wrong; argparse uses this exit code, too."""

DOUBTFUL_CONTENT = 3
"""`dungeon check` found warnings, but no errors."""

INTERRUPTED = 130


class CallError(Exception):
    """The arguments of a command are wrong; the message says what and why."""


def up_to(most: int, *, least: int = 1, what: str = "number") -> Callable[[str], int]:
    """Return a parser of whole numbers from `least` to `most`, for `add_argument(type=...)`.

    `what`: the word for the number in error messages.
    """

    def number(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"a {what} from {least} to {most} is needed, not {text!r}")
        return int(text)

    return number


def say(message: str) -> None:
    """Print a message on stderr, in one line. Control characters, which quoted arguments and files may have, are escaped."""
    say_lines([printable(f"dungeon: {message}")])


def say_lines(lines: Iterable[str]) -> None:
    """Print lines on stderr."""
    if sys.stderr is None:
        return
    try:
        print(*lines, sep="\n", file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)  # there is nowhere left to say so


def silence(stream: TextIO) -> None:
    """Redirect a broken stream to the null device, so that Python does not complain when it flushes the stream at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def add_data(command: argparse.ArgumentParser, *, or_demo: bool = False) -> None:
    """Add the options `--data` (the content folder) and `--mod` (mods).

    Args:
        command: The command.
        or_demo: Whether the command uses the demo's content if no other content is found.
    """
    demo = ", else the demo's" if or_demo else ""
    command.add_argument(
        "--data",
        metavar="DIR",
        help=f"the content folder (default: the one that contains the current folder, else ./data{demo})",
    )
    command.set_defaults(or_demo=or_demo)
    command.add_argument(
        "--mod",
        metavar="DIR",
        action="append",
        default=[],
        help="a mod: a folder whose entries are added to the content or change it; may be given several times, later mods win",
    )


def folders_from_options(options: argparse.Namespace) -> list[str]:
    """Return the content folder, found as `data_folder` does, and after it the mods of the options.

    Raises:
        CallError: One of them is no folder, or no content is found.
    """
    return [data_folder(options.data, or_demo=options.or_demo), *map(existing_folder, options.mod)]


def load_for_command(folders: Iterable[str]) -> Content:
    """Load the content of a folder and its mods, from the user's cache if possible, and show a progress line meanwhile.

    Raises:
        ContentError: The content has errors.
    """
    import dungeon

    with waiting("reading the content"):
        return dungeon.load_content(*folders, cache=dungeon.cache_folder())


def add_difficulty(command: argparse.ArgumentParser) -> argparse.Action:
    """Add the option `--difficulty`, and return it."""
    return command.add_argument(
        "--difficulty", metavar="NAME", help="a difficulty that world.yaml declares (default: none)"
    )


def at_difficulty(content: Content, options: argparse.Namespace) -> Content:
    """Return the content for worlds of the difficulty that `--difficulty` names; the content itself if none is named.

    Raises:
        CallError: The world declares no such difficulty.
    """
    known = content.world.difficulties
    if options.difficulty is not None and options.difficulty not in known:
        there = "" if known else "world.yaml declares none"
        raise unknown("difficulty", options.difficulty, known, there=there)
    return content.at_difficulty(options.difficulty)


def add_imports(command: argparse.ArgumentParser) -> None:
    """Add the option `--import`, which names plugin modules that are not installed."""
    command.add_argument(
        "--import",
        metavar="MODULE",
        action="append",
        default=[],
        dest="imports",
        help="import a plugin module that registers layouts or placing modes, from the current folder or Python's path",
    )


def import_plugins(options: argparse.Namespace) -> None:
    """Import the plugin modules that `--import` names.

    Raises:
        PluginError: One of them can't be imported.
    """
    if options.imports:
        from dungeon.extend import import_named

        import_named(options.imports)


def add_folders(command: argparse.ArgumentParser) -> None:
    """Add the content folder and mods as positional arguments, besides the options of `add_data`."""
    command.add_argument(
        "folders",
        nargs="*",
        metavar="DATA",
        help="the content folder, instead of --data; any further folders are mods, as with --mod",
    )
    add_data(command)


def folders_from_arguments(options: argparse.Namespace) -> list[str]:
    """Return the content folder and the mods of a command that has the arguments of `add_folders`.

    Raises:
        CallError: Two content folders are named, a name is no folder, or no content is found.
    """
    named: list[str] = options.folders
    if not named:
        return folders_from_options(options)
    if options.data is not None:
        raise CallError(f"two content folders are given, {named[0]} and {options.data}: name only one")
    return [data_folder(named[0]), *map(existing_folder, [*named[1:], *options.mod])]


def data_folder(given: str | None, *, or_demo: bool = False) -> str:
    """Return the content folder to use: `given`, else the one around the current folder, else ``./data``, else the demo's.

    If `given` is a file or folder inside a content folder, the whole content folder is returned: a part can't be
    checked alone. A message on stderr names the folder, unless it is `given` itself or ``./data``.

    Args:
        given: The folder named on the command line; None if none is.
        or_demo: Whether the demo's content may be used.

    Raises:
        CallError: `given` is no folder or holds no content; or no content is found.
    """
    from dungeon.content.loading.load import WORLD, as_written, content_around, is_like_content

    if given is not None:
        around = content_around(Path(given))
        if around is None and not is_like_content(Path(existing_folder(given))):
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


def existing_folder(folder: str) -> str:
    """Return `folder` unchanged if such a folder exists.

    Raises:
        CallError: It does not exist or is a file; the message suggests the nearest name.
    """
    path = Path(folder)
    if folder and path.is_dir():
        return folder
    if folder and path.exists():
        raise CallError(f"{folder} is a file, not a folder of content")

    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    nearest = nearest_match(str(path), sorted(str(each) for each in beside if each.is_dir()))
    raise CallError(f"there is no folder {folder!r}{f' (did you mean {nearest}?)' if nearest else ''}")


def unknown(
    what: str,
    name: str,
    known: Iterable[str],
    removal: str = "",
    *,
    meant: str = "",
    there: str = "",
    where: str = "there is",
) -> CallError:
    """Return the error for an unknown name, with a hint: ``there is no map 'fondry' (did you mean foundry?)``.

    Args:
        what: The kind of the named thing, such as ``map``.
        name: The unknown name.
        known: The names that exist; the nearest one is suggested.
        removal: The mod that has removed the named entry (see `Content.removal`); empty if none has.
        meant: The hint to give instead of the nearest name; empty for the nearest name.
        there: The hint if no known name is similar; by default the list of all names.
        where: The beginning of the message.
    """
    if removal:
        return CallError(f"there is no {what} {name!r} any more ({removal})")
    names = list(dict.fromkeys(known))
    nearest = nearest_match(name, names)
    hint = meant or (there if there and nearest is None else meant_or_all(nearest, names))
    return CallError(f"{where} no {what} {name!r} ({hint})")


def check_maps(content: Content, names: Iterable[str]) -> None:
    """Raise a CallError unless each name is a map id, a branch or a map type of the content."""
    spots = content.chart.spots.values()
    known = [each for spot in spots for each in (spot.id, spot.branch, *spot.types)]
    for name in names:
        if name not in known:
            raise unknown("map", name, known)


def hint_about(name: str, content: Content) -> str:
    """Return a hint about a name that no prefab has, such as ``it is the tag of a robot``. Empty if nothing else has the name."""
    if reason := content.undrawn(name) or content.removal("prefab", name):
        return reason
    if name in content.encounters:
        prefabs = ", ".join(content.encounters[name].prefabs)
        return f"it is an encounter{f' with the prefabs {prefabs}' if prefabs else ''}; see: dungeon why MAP {name}"
    for kind, things in content.catalog.things.items():
        if name in things:
            return f"it is the tag of {with_article(kind)}"
    return "prefabs are called by their names, not by their files" if name.endswith((".yaml", ".yml")) else ""


MOST_SEEDS = 100
"""Number of further seeds that are searched for a world that has the map. Making a world makes no level, so this is fast."""


def find_map(world: World, name: str) -> MapNode | None:
    """Return the map with this id, or the first map of this branch or type; None if no world of the content has one.

    Raises:
        CallError: Only worlds of other seeds have such a map; the message names the nearest higher seed.
    """
    import dungeon

    def found(world: World) -> MapNode | None:
        return next((each for each in world.maps if name in (each.id, each.branch, each.name)), None)

    spots = world.content.chart.spots.values()
    node = found(world)
    if node is None and any(name in (spot.id, spot.branch, *spot.types) for spot in spots):
        seeds = range(world.seed + 1, world.seed + 1 + MOST_SEEDS)
        other = next((seed for seed in seeds if found(dungeon.World(world.content, seed))), None)
        hint = "few worlds have it" if other is None else f"try --seed {other}"
        raise CallError(f"the world of seed {world.seed} has no {name!r} ({hint})")
    return node


def check_file_name(file: str, option: str) -> None:
    """Raise a CallError if `file`, the value of an option, has no name, such as ``""`` or ``.png``."""
    path = Path(file)
    if not path.name or (path.name.startswith(".") and not path.suffix):
        raise CallError(f"the option {option} needs a file name")


class Parser(argparse.ArgumentParser):
    """An argument parser with short error messages that suggest the nearest option or command."""

    def error(self, message: str) -> NoReturn:
        """Exit with a one-line message and without argparse's usage text, which ``--help`` prints."""
        self.exit(WRONG_CALL, f"{printable(f'{self.prog}: error: {message}')}\n")

    def parse_known_args(self, args: Iterable[str] | None = None, namespace: Any = None) -> Any:
        """Parse arguments and exit at unknown ones, instead of returning them as argparse does."""
        given = list(sys.argv[1:] if args is None else args)
        for each in takewhile(self._comes_first, given):
            name = each.partition("=")[0]
            # Reported before missing arguments: a mistyped option is often why an argument is missing.
            if name.startswith("--") and not any(known.startswith(name) for known in self._options):
                self.error(self._no_option(name))
        options, rest = super().parse_known_args(given, namespace)
        if rest:
            extra = rest[0]
            after_option = any(each.startswith("-") for each in takewhile(extra.__ne__, given))
            hint = " (or it must stand beside the other names, not after an option)" if after_option else ""
            self.error(
                self._no_option(extra) if extra[:1] == "-" else f"one argument too many: {extra!r}{hint}"
            )
        return options, rest

    @property
    def _options(self) -> list[str]:
        """Every option string of this parser, such as ``--seed``."""
        return [name for action in self._actions for name in action.option_strings]

    def _comes_first(self, argument: str) -> bool:
        """Tell whether the next argument may still be an option of this parser.

        It may not be after the name of a command, or after ``--``.
        """
        return argument.startswith("-") if self._subparsers else argument != "--"

    def _no_option(self, name: str) -> str:

        nearest = nearest_match(name, self._options)
        hint = f"did you mean {nearest}?" if nearest else f"{self.prog} --help lists them"
        return f"there is no option {name} ({hint})"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise an ArgumentError, which suggests the nearest choice, if `value` is not one of the action's choices."""
        if action.choices is not None and value not in action.choices:
            named = action if action.option_strings else None
            raise argparse.ArgumentError(named, no_such(action.dest, value, map(str, action.choices)))


def add_seed(command: argparse.ArgumentParser, what: str) -> None:
    """Add the option `--seed`.

    Args:
        command: The command.
        what: What the seed belongs to, for the help text, such as ``of the world``.
    """
    command.add_argument(
        "--seed",
        type=_seed,
        default=0,
        help=f"seed {what}: a whole number, or any text (default 0)",
    )


MOST_WORLDS = 10_000_000
MOST_JOBS = 64


def add_worlds(command: argparse.ArgumentParser, option: str, default: int, text: str) -> None:
    """Add the options for making many worlds: their number, the first seed (`--seed`) and the processes (`--jobs`).

    Args:
        command: The command.
        option: The option for the number of worlds, such as ``--worlds``.
        default: Default number of worlds; 0 makes none.
        text: Help text of that option.
    """
    command.add_argument(option, type=up_to(MOST_WORLDS), metavar="N", default=default, help=text)
    add_seed(command, "of the first world (each further world has the next number)")
    command.add_argument(
        "--jobs",
        type=up_to(MOST_JOBS),
        metavar="N",
        default=1,
        help="number of processes that make worlds in parallel (default 1)",
    )


def add_maps(command: argparse.ArgumentParser) -> None:
    """Add the option `--maps`: the maps to make."""
    command.add_argument(
        "--maps",
        type=names_in,
        metavar="MAP,...",
        default="",
        help="maps to make: ids such as foundry/3, branches or map types, separated by commas (default: all)",
    )


def names_in(text: str) -> list[str]:
    """Return the names in a list on the command line: ``"cautious,hasty"`` -> ``["cautious", "hasty"]``."""
    return [name for name in text.split(",") if name]


def _seed(text: str) -> int:
    """Return the seed for a number or text on the command line; an argparse error if it can't be one."""
    from dungeon.core.streams import seed_of

    try:
        return seed_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
