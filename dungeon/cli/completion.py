"""`dungeon completion`: print a script that lets a shell complete commands, options, and names of maps, prefabs and encounters."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dungeon.cli.calling import DONE, CallError

if TYPE_CHECKING:
    import argparse

    from dungeon.cli.calling import Commands

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
    command.add_argument("shell", choices=SHELLS, help="your shell")
    return command


def run(options: argparse.Namespace) -> int:
    """Print the completion script."""
    try:
        from argcomplete.shell_integration import shellcode
    except ModuleNotFoundError:
        raise CallError("completion needs argcomplete: pip install 'tcod-dungeon[cli]'") from None
    print(shellcode(["dungeon"], shell=options.shell), end="")
    return DONE


def complete(top: argparse.ArgumentParser) -> None:
    """If a shell asks for completions of a half-typed command, print them and exit; else do nothing."""
    if ASKED in os.environ:
        import argcomplete

        argcomplete.autocomplete(top, always_complete_options=False)
