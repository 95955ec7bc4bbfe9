"""How calls are read: a wrong one is told in a line, with what was most likely meant."""

from __future__ import annotations

import argparse
import sys
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from dungeon.cli.calling import WRONG_CALL, up_to
from dungeon.core.quoting import printable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn


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
        from dungeon.core.errors import nearest_match

        nearest = nearest_match(name, self._options)
        hint = f"did you mean {nearest}?" if nearest else f"{self.prog} --help lists them"
        return f"there is no option {name} ({hint})"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise an ArgumentError if an argument is none of those that there are."""
        if action.choices is not None and value not in action.choices:
            from dungeon.core.errors import unknown

            of_whom = action if action.option_strings else None
            raise argparse.ArgumentError(of_whom, unknown(action.dest, value, map(str, action.choices)))


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
    from dungeon.core.seeds import seed_of

    try:
        return seed_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
