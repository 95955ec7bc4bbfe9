"""`dungeon report`: turn a recorded playtest run into an HTML page, text or CSV tables."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dungeon.cli.calling import (
    DONE,
    CallError,
    add_data,
    folders_from_options,
    load_for_command,
    say,
    up_to,
)
from dungeon.cli.printing import waiting
from dungeon.core.errors import counted, file_errors, printable

if TYPE_CHECKING:
    import argparse

    from dungeon.cli.calling import Commands
    from dungeon.content.library import Content

PAGE = "report.html"
"""Default name of the page, in the folder of the run."""

LAST_PORT = 65535


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "report",
        help="write a report on a playtest run, with everything that looks wrong",
        description="Write one HTML page that needs no network, or the same tables as text or CSV. It begins with the "
        "findings: encounters that are rarer or more frequent than declared, maps that fail, and so on.",
        epilog="example: dungeon report playtest --text",
    )
    command.add_argument(
        "run_folder",
        metavar="DIR",
        help="the folder of the playtest run, as named by `dungeon playtest --out`",
    )
    command.add_argument(
        "--html",
        metavar="FILE",
        nargs="?",
        const="",
        help=f"write the HTML page to this file (default DIR/{PAGE}); without --text or --csv, it is written anyway",
    )
    command.add_argument(
        "--text",
        metavar="TABLE",
        nargs="?",
        const="",
        help="print the findings and the first rows of every table; with TABLE, print only that table, with all rows and the "
        "meaning of its columns, or only the findings (TABLE findings)",
    )
    command.add_argument(
        "--csv", metavar="FOLDER", help="write the findings and every table as CSV files into this folder"
    )
    command.add_argument(
        "--serve",
        metavar="PORT",
        type=up_to(LAST_PORT),
        nargs="?",
        const=8000,
        help="serve the page on this port of localhost, and update it while the run grows (default 8000)",
    )
    add_data(command)
    return command


def run(options: argparse.Namespace) -> int:
    """Write, print or serve the report, as the options ask; return the exit code."""
    from dungeon.playtest import PlaytestError

    try:
        content = _content(options)
        if options.serve:
            return _serve(options, content)
        return _write(options, content)
    except PlaytestError as error:
        raise CallError(str(error)) from None


def _write(options: argparse.Namespace, content: Content | None) -> int:
    """Write or print the report in the forms that the options name; return the exit code."""
    from dungeon.playtest.report.report import as_text, report_on, write_csv

    with waiting("looking through the run"):
        report = report_on(options.run_folder, content)
    if options.text is not None:
        for line in as_text(report, shutil.get_terminal_size((100, 24)).columns, options.text):
            print(printable(line))
    if options.csv is not None:
        for file in write_csv(report, options.csv):
            print(printable(str(file)))
    if options.html is not None or (options.text is None and options.csv is None):
        from dungeon.playtest.report.page import as_html

        file = Path(options.html or Path(options.run_folder) / PAGE)
        page = as_html(report)
        with file_errors(CallError, "written", file):
            file.write_text(page, encoding="utf-8")
        found = counted(len(report.findings), "finding") if report.findings else "no findings"
        besides = f"; {len(report.accepted)} accepted" if report.accepted else ""
        print(f"{printable(str(file))}: {found}{besides}")
    return DONE


def _serve(options: argparse.Namespace, content: Content | None) -> int:
    """Serve the report on a port until Ctrl-C; return the exit code."""
    from dungeon.playtest.report.page import Served

    try:
        server = Served(options.run_folder, content, options.serve)
    except OSError as error:
        raise CallError(f"port {options.serve} cannot be used: {error.strerror}") from None
    with server:
        say(f"the report is at http://127.0.0.1:{server.server_port}/ until you press Ctrl-C")
        server.serve_forever()
    return DONE


def _content(options: argparse.Namespace) -> Content | None:
    """Return the content named by `--data`, else the one the run was recorded with, at the run's difficulty; None if that is not available.

    Plugins that the run names are never imported: the run may come from an untrusted source. A message names them.

    Raises:
        ContentError: The content has errors.
        PlaytestError: The run can't be read.
    """
    from dungeon.core.errors import PlaytestError
    from dungeon.core.registry import import_installed
    from dungeon.playtest.reading import content_of

    recorded = content_of(options.run_folder)
    folders = recorded.folders
    if options.data is not None or options.mod:
        folders = folders_from_options(options)
    elif not folders:
        return None
    else:
        import_installed()
        if missing := [module for module in recorded.imports if module not in sys.modules]:
            named = " ".join(f"--import {module}" for module in missing)
            say(
                f"the run was made with {named}; without that option, the report lacks what the content declares"
            )
            return None
    content = load_for_command(folders)
    if recorded.difficulty is not None and recorded.difficulty not in content.world.difficulties:
        raise PlaytestError(
            f"{options.run_folder} was made at a difficulty that its content does not declare"
        )
    return content.at_difficulty(recorded.difficulty)
