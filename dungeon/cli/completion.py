"""`dungeon completion`: what makes a shell complete commands, options, and names of the content."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dungeon.cli.calling import DONE, CallError

if TYPE_CHECKING:
    import argparse

    from dungeon.cli.calling import Commands

SHELLS = ("bash", "zsh", "fish")

ASKED = "_ARGCOMPLETE"
"""The variable of the environment with which a shell asks for completions."""


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command."""
    command = commands.add_parser(
        "completion",
        help="print what makes a shell complete commands, options and names",
        description='For bash, put the line eval "$(dungeon completion bash)" into ~/.bashrc, for zsh likewise into ~/.zshrc; '
        "for fish, write what is printed to ~/.config/fish/completions/dungeon.fish.",
    )
    command.add_argument("shell", choices=SHELLS, help="the shell")
    return command


def run(options: argparse.Namespace) -> int:
    """Print the code for a shell."""
    try:
        from argcomplete.shell_integration import shellcode
    except ModuleNotFoundError:
        raise CallError("completion needs argcomplete: pip install 'tcod-dungeon[cli]'") from None
    print(shellcode(["dungeon"], shell=options.shell), end="")
    return DONE


def complete(top: argparse.ArgumentParser) -> None:
    """Answer a shell that asks how a half-typed call may go on, and end; for all others do nothing."""
    if ASKED in os.environ:
        import argcomplete

        argcomplete.autocomplete(top, always_complete_options=False)
