"""How commands are called: reading arguments, naming the content and what is in it, completing words, and exit codes."""

from __future__ import annotations

import argparse
import os
import sys
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dungeon.cli.printing import waiting
from dungeon.core.errors import nearest_match, printable, with_article
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
"""There are errors in the content or in a drawing, or a map could not be made."""

WRONG_CALL = 2
"""The command was called in a way that can't work; argparse uses this number too."""

DOUBTFUL_CONTENT = 3
"""There are no errors, but warnings."""

INTERRUPTED = 130


class CallError(Exception):
    """The command was called in a way that can't work; the message says why."""


def up_to(most: int, *, least: int = 1, what: str = "number") -> Callable[[str], int]:
    """Return what reads a whole number from `least` to `most`, as the type of an argument; `what` is what messages call it."""

    def number(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"a {what} from {least} to {most} is needed, not {text!r}")
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
    from dungeon.content.loading.load import WORLD, as_written, content_around, is_like_content

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
    """Return the error that there is no such thing of that name, with a hint.

    Args:
        what: What there is none of.
        name: The name.
        known: The names that there are: the nearest is told.
        removal: What has removed it (see `Content.removal`), if that is known.
        meant: What is told in place of the nearest name.
        there: What is told where no name is near; by default all names.
        where: What has none.
    """
    if removal:
        return CallError(f"there is no {what} {name!r} any more ({removal})")
    names = list(dict.fromkeys(known))
    nearest = nearest_match(name, names)
    there = there or f"there are {', '.join(names)}"
    return CallError(
        f"{where} no {what} {name!r} ({meant or (f'did you mean {nearest}?' if nearest else there)})"
    )


def check_maps(content: Content, names: Iterable[str]) -> None:
    """Raise a CallError unless each of these is the id of a map, a branch or a type of map of the content."""
    spots = content.chart.spots.values()
    known = [each for spot in spots for each in (spot.id, spot.branch, *spot.types)]
    for name in names:
        if name not in known:
            raise unknown("map", name, known)


def meant_by(name: str, content: Content) -> str:
    """Return what else a name is of that is no prefab's, in words that follow it in brackets; empty if it is nothing's."""
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


class Parser(argparse.ArgumentParser):
    """Reads the arguments of a command, or which command is meant."""

    def error(self, message: str) -> NoReturn:
        """End with a line that says what is wrong. How it is called right is what ``--help`` tells."""
        self.exit(WRONG_CALL, f"{printable(f'{self.prog}: error: {message}')}\n")

    def parse_known_args(self, args: Iterable[str] | None = None, namespace: Any = None) -> Any:
        """Read arguments, and end where there are others: which are no concern of another parser, as argparse thinks."""
        given = list(sys.argv[1:] if args is None else args)
        for each in takewhile(self._comes_first, given):
            name = each.partition("=")[0]
            # Looked for before arguments that are missing: one may be missing because of a slip of the pen.
            if name.startswith("--") and not any(known.startswith(name) for known in self._options):
                self.error(self._no_option(name))
        options, rest = super().parse_known_args(given, namespace)
        if rest:
            extra = rest[0]
            self.error(self._no_option(extra) if extra[:1] == "-" else f"one argument too many: {extra!r}")
        return options, rest

    @property
    def _options(self) -> list[str]:
        """Every option as it is written."""
        return [name for action in self._actions for name in action.option_strings]

    def _comes_first(self, argument: str) -> bool:
        """Tell whether arguments that follow this one may be this parser's options."""
        return argument.startswith("-") if self._subparsers else argument != "--"

    def _no_option(self, name: str) -> str:

        nearest = nearest_match(name, self._options)
        hint = f"did you mean {nearest}?" if nearest else f"{self.prog} --help lists them"
        return f"there is no option {name} ({hint})"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise an ArgumentError if an argument is none of those that there are."""
        if action.choices is not None and value not in action.choices:
            of_whom = action if action.option_strings else None
            raise argparse.ArgumentError(of_whom, no_such(action.dest, value, map(str, action.choices)))


def add_seed(command: argparse.ArgumentParser, what: str) -> None:
    """Add the option that names a seed.

    Args:
        command: The command.
        what: What the seed is of.
    """
    command.add_argument(
        "--seed",
        type=_seed,
        default=0,
        help=f"the seed {what}: a whole number, or any text (default 0)",
    )


MOST_WORLDS = 10_000_000
MOST_JOBS = 64


def add_worlds(command: argparse.ArgumentParser, option: str, default: int, text: str) -> None:
    """Add the options that say which worlds are made, and by how many processes.

    Args:
        command: The command.
        option: What names how many they are.
        default: How many they are where that is not given; 0 for none.
        text: What is told of that option.
    """
    command.add_argument(option, type=up_to(MOST_WORLDS), metavar="N", default=default, help=text)
    add_seed(command, "of the first of them")
    command.add_argument(
        "--jobs",
        type=up_to(MOST_JOBS),
        metavar="N",
        default=1,
        help="how many processes make them (default 1)",
    )


def _seed(text: str) -> int:
    from dungeon.core.streams import seed_of

    try:
        return seed_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


Named = Literal["map", "prefab", "encounter"]
"""What has a name that an argument may want."""


def completes(argument: argparse.Action, *kinds: Named) -> None:
    """Let a shell complete an argument with all names of these kinds.

    Args:
        argument: The argument, of a command that has the options of `add_data`.
        kinds: What it may name.
    """

    def names(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
        return [name for kind in kinds for name in _names_of(kind, parsed_args)]

    argument.completer = names  # type: ignore[attr-defined]  # where argcomplete looks for it


def _names_of(kind: Named, options: argparse.Namespace) -> list[str]:
    """Return all names of a kind; none if the content is wrong, as a shell has nowhere to say so."""
    import dungeon

    try:
        content = dungeon.load_content(*folders_of(options), cache=dungeon.cache_folder())
    except (dungeon.ContentError, CallError):
        return []
    return _listed(kind, content)


def _listed(kind: Named, content: Content) -> list[str]:
    if kind == "map":
        return [*content.chart.spots]
    return [*(content.prefabs if kind == "prefab" else content.encounters)]
