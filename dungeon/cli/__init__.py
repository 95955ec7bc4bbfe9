"""The command line: `dungeon COMMAND`. Each command is a module with `add_to(commands)` and `run(options)`.

Only the standard library is imported before a command runs, so that `--help` and a wrong call answer at once.
"""

from __future__ import annotations

import argparse
import io
import sys
import warnings
from functools import cache
from typing import TYPE_CHECKING

from dungeon.cli import (
    check,
    compare,
    completion,
    explain,
    export,
    help,  # noqa: A004  # the module of the command of that name
    odds,
    playtest,
    report,
    schema,
    show,
    tune,
    watch,
    why,
)
from dungeon.cli.calling import (
    DONE,
    INTERRUPTED,
    WRONG_CALL,
    WRONG_CONTENT,
    CallError,
    Parser,
    add_imports,
    import_plugins,
    say,
    say_lines,
    silence,
)
from dungeon.cli.printing import add_colour, problem_text, wants_colour
from dungeon.core.errors import (
    PLUGIN_FAULTS,
    ContentError,
    GenerationError,
    PluginError,
    PluginWarning,
    counted,
    described,
    missing_module,
    printable,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

COMMANDS = (
    show,
    watch,
    why,
    odds,
    playtest,
    report,
    compare,
    tune,
    explain,
    check,
    export,
    schema,
    help,
    completion,
)


LAB = ("altair", "duckdb", "pyarrow", "vl_convert")
"""Modules of the extra `lab`, which some commands import."""


class Version(argparse.Action):
    """The option `--version`: print the installed version and exit. The version is looked up only then, to keep `--help` fast."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print the version and exit."""
        from importlib.metadata import version

        print(f"dungeon {version('tcod-dungeon')}")
        parser.exit()


@cache
def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    top = Parser(
        prog="dungeon",
        description="Generate roguelike maps from prefabs and encounters, check the content, and playtest it.",
        epilog="example: dungeon show foundry/3 --seed 7. `dungeon COMMAND --help` explains a command, `dungeon help` lists the guide.",
    )
    top.add_argument("--version", action=Version, nargs=0, help="print the version")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        added = command.add_to(commands)
        add_imports(added)
        add_colour(added)
        added.set_defaults(run=command.run)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: one of those in `dungeon.cli.calling`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", PluginWarning)
            warnings.showwarning = _warn
            return _run(arguments)
    except (CallError, PluginError) as error:
        say(str(error))
        return WRONG_CALL
    except BrokenPipeError:
        silence(sys.stdout)  # the reader, such as `head`, has closed the pipe
        return DONE
    except OSError as error:
        if error.filename is not None:
            say(f"{error.filename} cannot be used: {error.strerror}")
            return WRONG_CALL
        silence(sys.stdout)
        say(f"the output cannot be written: {error.strerror}")
        return WRONG_CALL
    except KeyboardInterrupt:
        return INTERRUPTED


def _warn(message: Warning | str, *_: Any, **_more: Any) -> None:
    """Print a warning on stderr, in one line."""
    say(str(message))


def _run(arguments: Sequence[str] | None) -> int:
    """Parse the arguments, import plugins and run the command; return its exit code."""
    if sys.stdout is None:
        raise CallError("the output cannot be written: it is closed")
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        # Drawings have characters that the output's encoding may lack.
        sys.stdout.reconfigure(errors="replace")
    try:
        top = parser()
        completion.complete(top)
        options = top.parse_args(arguments)
        import_plugins(options)
        return _code(options)
    finally:
        sys.stdout.flush()


def _code(options: argparse.Namespace) -> int:
    """Run the command and return its exit code. Print content problems, failed generation and failing plugins on stderr."""
    try:
        code: int = options.run(options)
    except ModuleNotFoundError as error:
        if error.name not in LAB:
            raise
        raise CallError(missing_module(error, "lab")) from None
    except ContentError as error:
        colour = wants_colour(options, sys.stderr)
        problems = [f"  {problem_text(each, colour=colour)}" for each in error.problems]
        say_lines([f"{counted(len(problems), 'problem')} in the content", *problems])
        return WRONG_CONTENT
    except GenerationError as error:
        say_lines(map(printable, f"dungeon: {error}".split("\n")))
        return WRONG_CONTENT
    except PLUGIN_FAULTS as error:
        if not hasattr(error, "__notes__"):  # no plugin is to blame: the traceback helps to find the mistake
            raise
        say(described(error))
        return WRONG_CONTENT
    return code
