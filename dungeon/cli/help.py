"""`dungeon help`: show a page of the docs in the terminal, or find the sections that mention a word."""

from __future__ import annotations

import os
import pydoc
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dungeon.cli.calling import DONE, CallError
from dungeon.cli.printing import is_terminal, wants_colour

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from dungeon.cli.calling import Commands

PACKAGE = Path(__file__).parent.parent

FOLDERS = (PACKAGE / "pages", PACKAGE.parent / "docs")
"""Where the pages are: in an installed package, or in a checkout."""

NO_TOPICS = (
    "index",
    "house",
    "techniques",
    "balance-of-the-demo",
    "bots-of-the-demo",
    "odds-of-the-demo",
    "ways-of-the-demo",
)
"""Pages that are not listed: the front page of the site, and what is for those who work on the library itself."""

HEADING = re.compile(r"^#{1,4} (.+)$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LEFT_OUT = re.compile(
    r"^(?:!\[[^\]]*\]\([^)]*\)|<!--.*?-->|:?```\{toctree\}.*?^```)\n*", re.MULTILINE | re.DOTALL
)
"""What a terminal can't show: pictures, comments, the lists of pages for a sidebar."""

LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)[^)]*\)")
"""A link to another page or section."""

MOST_SECTIONS = 20
"""Maximum number of sections that are listed for a word."""


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "help",
        help="show a page of the docs in the terminal",
        description="Show a page of the docs, or list the sections that mention a word. Without TOPIC: list the pages. "
        "For the options of a command: dungeon COMMAND --help.",
        epilog="example: dungeon help encounters",
    )
    command.add_argument(
        "topic", nargs="?", metavar="TOPIC", help="a page, such as prefabs, or any word, such as far_from"
    )
    command.set_defaults(commands=commands)
    return command


def run(options: argparse.Namespace) -> int:
    """Print a page, the sections that mention a word, or the list of pages."""
    pages = _pages()
    if not pages:
        raise CallError("the pages of the docs can't be found: they are neither in the package nor beside it")
    if options.topic is None:
        width = max(map(len, pages))
        print("\n".join(f"{topic:{width}}  {_title(text)}" for topic, text in pages.items()))
        return DONE
    if text := pages.get(options.topic):
        _show(_for_terminal(text), colour=wants_colour(options))
        return DONE
    if command := options.commands.choices.get(options.topic):
        command.print_help()
        return DONE
    found = [*_sections_with(options.topic, pages)]
    if not found:
        raise CallError(
            f"no page of the docs is called {options.topic!r}, and none mentions it: `dungeon help` lists the pages"
        )
    print(f"No page is called {options.topic}. Sections that mention it:")
    print("\n".join(f"  dungeon help {topic}: {heading}" for topic, heading in found[:MOST_SECTIONS]))
    if len(found) > MOST_SECTIONS:
        print(f"  and {len(found) - MOST_SECTIONS} more")
    return DONE


def _pages() -> dict[str, str]:
    """Return topic -> Markdown text of its page, the pages of the guide first; empty if no page is found."""
    for folder in FOLDERS:
        files = [*sorted(folder.glob("guide/*.md")), *sorted(folder.glob("*.md"))]
        if found := {
            file.stem: file.read_text(encoding="utf-8") for file in files if file.stem not in NO_TOPICS
        }:
            return found
    return {}


def _title(text: str) -> str:
    """Return the first heading of a page."""
    heading = HEADING.search(text)
    return heading[1] if heading else ""


def _for_terminal(text: str) -> str:
    """Return the text of a page without pictures and links to other pages."""
    return LINK.sub(r"\1", LEFT_OUT.sub("", text))


def _show(text: str, *, colour: bool) -> None:
    """Print Markdown, with a pager on a terminal; formatted if rich is installed and `colour` is True."""
    if colour:
        try:
            from rich.console import Console
            from rich.markdown import Markdown
        except ModuleNotFoundError:
            pass  # the text is readable as it is
        else:
            console = Console(force_terminal=True)
            with console.capture() as shown:
                console.print(Markdown(text, code_theme="ansi_dark"))
            text = shown.get()
    if is_terminal(sys.stdout):
        os.environ.setdefault(
            "LESS", "FRX"
        )  # so that `less` lets colours through, and ends at once after a short page
        pydoc.pager(text)
    else:
        print(text, end="")


def _sections_with(word: str, pages: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (topic, heading) of each section that mentions a word, in upper or lower case."""
    whole = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
    for topic, text in pages.items():
        fences = [each.span() for each in FENCE.finditer(text)]
        headings = [
            each
            for each in HEADING.finditer(text)
            if not any(first < each.start() < end for first, end in fences)
        ]
        ends = [*(each.start() for each in headings[1:]), len(text)]
        for heading, end in zip(headings, ends, strict=True):
            if whole.search(text, heading.start(), end):
                yield topic, heading[1]
