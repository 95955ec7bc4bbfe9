"""`dungeon report`: what a recorded run shows, as a page, as text or as tables."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dungeon.cli.calling import (
    DONE,
    CallError,
    add_data,
    content_in,
    folders_of,
    say,
    up_to,
)
from dungeon.cli.printing import waiting
from dungeon.core.errors import file_errors, printable

if TYPE_CHECKING:
    import argparse

    from dungeon.cli.calling import Commands
    from dungeon.content.library import Content

PAGE = "report.html"
"""The page in the folder of the run, unless the author says where."""

LAST_PORT = 65535


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command."""
    command = commands.add_parser(
        "report",
        help="show findings and statistics of a recorded playtest",
        description="Writes one page of HTML that needs no network, or the same tables as text or CSV.",
    )
    command.add_argument(
        "run_folder", metavar="DIR", help="the folder of the run: see `dungeon playtest --out`"
    )
    command.add_argument("--html", metavar="FILE", help=f"where to write the page (default DIR/{PAGE})")
    command.add_argument(
        "--text",
        metavar="TABLE",
        nargs="?",
        const="",
        help="print the findings and the first rows of every table, or all rows of one table",
    )
    command.add_argument("--csv", metavar="FOLDER", help="write every table into a folder")
    command.add_argument(
        "--serve",
        metavar="PORT",
        type=up_to(LAST_PORT),
        nargs="?",
        const=8000,
        help="show the page at this port of this machine, and draw it again while the run grows (default 8000)",
    )
    add_data(command)
    return command


def run(options: argparse.Namespace) -> int:
    """Write the report."""
    from dungeon.playtest import PlaytestError

    try:
        content = _content(options)
        if options.serve:
            return _serve(options, content)
        return _write(options, content)
    except ImportError as error:
        raise CallError(f"{error.name} is missing: pip install 'tcod-dungeon[lab]'") from None
    except PlaytestError as error:
        raise CallError(str(error)) from None


def _write(options: argparse.Namespace, content: Content | None) -> int:
    from dungeon.playtest.report.report import as_text, report_on, write_csv

    with waiting("looking through the run"):
        report = report_on(options.run_folder, content)
    if options.text is not None:
        for line in as_text(report, shutil.get_terminal_size((100, 24)).columns, options.text):
            print(line)
    if options.csv is not None:
        for file in write_csv(report, options.csv):
            print(printable(str(file)))
    if options.html is not None or (options.text is None and options.csv is None):
        from dungeon.playtest.report.page import as_html

        file = Path(options.html or Path(options.run_folder) / PAGE)
        page = as_html(report)
        with file_errors(CallError, "written", file):
            file.write_text(page, encoding="utf-8")
        found = len(report.findings)
        print(f"{printable(str(file))}: {found or 'no'} finding{'s' * (found != 1)}")
    return DONE


def _serve(options: argparse.Namespace, content: Content | None) -> int:
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
    """Return the content that is named, else that which the run was recorded with; None if that is no longer to be had.

    What the run says is never imported: a run may come from anywhere. It is said what to import.

    Raises:
        ContentError: Something is wrong in the content that is named.
        PlaytestError: There is no run that can be read.
    """
    from dungeon.core.registry import import_installed
    from dungeon.playtest.reading import content_of

    if options.data is not None or options.mod:
        return content_in(folders_of(options))
    recorded = content_of(options.run_folder)
    if not recorded.folders:
        return None
    import_installed()
    if missing := [module for module in recorded.imports if module not in sys.modules]:
        named = " ".join(f"--import {module}" for module in missing)
        say(f"the run was made with {named}; without that, what its content declares is left out")
        return None
    return content_in(recorded.folders)
