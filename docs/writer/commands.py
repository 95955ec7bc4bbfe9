"""The page of the reference that tells of every command and every option, taken from what reads the command line."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from dungeon.cli import parser
from game_demo.__main__ import parser as parser_of_demo
from writer.book import slug
from writer.wording import prose

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDE = 84
"""Columns of the lines that show how a command is called."""

USAGE = "usage: "


def commands() -> Iterator[tuple[argparse.ArgumentParser, str]]:
    """Yield what reads each command, and what it is for: those of ``dungeon``, and the demo."""
    for action in parser()._actions:  # noqa: SLF001  # argparse tells nobody else
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            helps = [each.help or "" for each in action._choices_actions]  # noqa: SLF001
            yield from zip(action.choices.values(), helps, strict=True)
    demo = parser_of_demo()
    yield demo, demo.description or ""


def page() -> str:
    """Return what there is to say of all commands, as Markdown."""
    return "\n\n".join(_command(command, what) for command, what in commands())


def _command(command: argparse.ArgumentParser, what: str) -> str:
    """Return what there is to say of a command that is for something, with a table of its arguments."""
    command.formatter_class = lambda prog: argparse.HelpFormatter(prog, width=WIDE)
    usage = command.format_usage().strip().removeprefix(USAGE).replace("\n" + " " * len(USAGE), "\n")
    told = dict.fromkeys(
        f"{each[:1].upper()}{each[1:].rstrip('.')}." for each in (what, command.description) if each
    )
    rows = [f"| {_called(each)} | {_meaning(command, each)} |" for each in arguments(command)]
    return "\n\n".join(
        [
            f"({slug(command.prog)})=\n## `{command.prog}`",
            *map(prose, told),
            f"```text\n{usage}\n```",
            *([prose(f"{example[:1].upper()}{example[1:]}")] if (example := command.epilog) else []),
            "\n".join(["| argument | meaning |", "| --- | --- |", *rows]),
        ]
    )


def arguments(command: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return the arguments of a command that are for its users, but for the one that prints help."""
    shown = (each for each in command._actions if each.help != argparse.SUPPRESS)  # noqa: SLF001
    return [each for each in shown if not isinstance(each, argparse._HelpAction)]  # noqa: SLF001


def _called(argument: argparse.Action) -> str:
    """Return how an argument is written."""
    name = argument.metavar or "|".join(map(str, argument.choices or ())) or argument.dest.upper()
    name = name if isinstance(name, str) else " ".join(name)
    if not argument.option_strings:
        return f"`{name}`".replace("|", r"\|")
    value = "" if argument.nargs == 0 else f" {name}"
    return ", ".join(f"`{option}{value}`" for option in argument.option_strings).replace("|", r"\|")


def _meaning(command: argparse.ArgumentParser, argument: argparse.Action) -> str:
    """Return what an argument does."""
    return prose(command._get_formatter()._expand_help(argument))  # noqa: SLF001
