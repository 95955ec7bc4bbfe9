"""`dungeon completion`: a script for tab completion in a shell; and the completion of names of maps, prefabs and encounters."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

from dungeon.cli.calling import DONE, CallError, folders_from_options

if TYPE_CHECKING:
    import argparse

    from dungeon.cli.calling import Commands
    from dungeon.content.library import Content

SHELLS = ("bash", "zsh", "fish")

ASKED = "_ARGCOMPLETE"
"""The environment variable that a shell sets when it asks for completions."""


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "completion",
        help="print a script for tab completion in bash, zsh or fish",
        description='For bash, put the line eval "$(dungeon completion bash)" into ~/.bashrc; for zsh put eval "$(dungeon completion zsh)" '
        "into ~/.zshrc; for fish, write the script to ~/.config/fish/completions/dungeon.fish.",
        epilog="example: dungeon completion fish > ~/.config/fish/completions/dungeon.fish",
    )
    command.add_argument("shell", choices=SHELLS, help="the shell that you use")
    return command


def run(options: argparse.Namespace) -> int:
    """Print the completion script."""
    try:
        from argcomplete.shell_integration import shellcode
    except ModuleNotFoundError:
        raise CallError(
            "the command completion needs the library argcomplete: pip install 'tcod-dungeon[cli]'"
        ) from None
    print(shellcode(["dungeon"], shell=options.shell), end="")
    return DONE


def complete(top: argparse.ArgumentParser) -> None:
    """If a shell asks for completions of a half-typed command, print them and exit; else do nothing."""
    if ASKED in os.environ:
        import argcomplete

        argcomplete.autocomplete(top, always_complete_options=False)


Named = Literal["map", "prefab", "encounter", "difficulty"]
"""A kind of thing whose names a shell can complete."""


def complete_with(argument: argparse.Action, *kinds: Named) -> None:
    """Let the shell complete an argument with the names of maps, prefabs, encounters or difficulties.

    Args:
        argument: An argument of a command that has the options of `add_data`.
        kinds: The kinds of names that it completes: maps, prefabs, encounters, difficulties.
    """

    def names(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
        return [name for kind in kinds for name in _names_of(kind, parsed_args)]

    argument.completer = names  # type: ignore[attr-defined]  # where argcomplete looks for it


def _names_of(kind: Named, options: argparse.Namespace) -> list[str]:
    """Return all names of maps, prefabs or encounters; none if the content has errors, which completion can't show."""
    import dungeon

    try:
        content = dungeon.load_content(*folders_from_options(options), cache=dungeon.cache_folder())
    except (dungeon.ContentError, CallError):
        return []
    return _listed(kind, content)


def _listed(kind: Named, content: Content) -> list[str]:
    if kind == "map":
        return [*content.chart.spots]
    if kind == "difficulty":
        return [*content.world.difficulties]
    return [*(content.prefab_names if kind == "prefab" else content.encounters)]
