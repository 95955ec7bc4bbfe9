"""The page of the reference about every command and option, taken from the argument parsers."""

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
"""The width of usage lines, in columns."""

USAGE = "usage: "


def commands() -> Iterator[tuple[argparse.ArgumentParser, str]]:
    """Yield (parser, purpose) of each command of ``dungeon``, and of the demo."""
    for action in parser()._actions:  # noqa: SLF001  # argparse has no public access to these
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            helps = [each.help or "" for each in action._choices_actions]  # noqa: SLF001
            yield from zip(action.choices.values(), helps, strict=True)
    demo = parser_of_demo()
    yield demo, demo.description or ""


def page() -> str:
    """Return the text about all commands, as Markdown."""
    return "\n\n".join(_command(command, what) for command, what in commands())


def _command(command: argparse.ArgumentParser, what: str) -> str:
    """Return the text about a command, with a table of its arguments; `what` is its purpose."""
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
    """Return the arguments of a command, without hidden ones and `--help`."""
    shown = (each for each in command._actions if each.help != argparse.SUPPRESS)  # noqa: SLF001
    return [each for each in shown if not isinstance(each, argparse._HelpAction)]  # noqa: SLF001


def _called(argument: argparse.Action) -> str:
    """Return the notation of an argument, such as `--seed SEED`."""
    name = argument.metavar or "|".join(map(str, argument.choices or ())) or argument.dest.upper()
    name = name if isinstance(name, str) else " ".join(name)
    if not argument.option_strings:
        return f"`{name}`".replace("|", r"\|")
    value = "" if argument.nargs == 0 else f" {name}"
    return ", ".join(f"`{option}{value}`" for option in argument.option_strings).replace("|", r"\|")


def _meaning(command: argparse.ArgumentParser, argument: argparse.Action) -> str:
    """Return the help text of an argument."""
    return prose(command._get_formatter()._expand_help(argument))  # noqa: SLF001
