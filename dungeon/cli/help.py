"""`dungeon help`: show a page or a section of the docs in the terminal, or explain a word and find the sections that mention it."""

from __future__ import annotations

import os
import pydoc
import re
import sys
from dataclasses import dataclass
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
    "changes",
    "gallery",
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

GLOSSARY = re.compile(r"^```\{glossary\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TERM = re.compile(r"^(\S.*)\n +", re.MULTILINE)
"""A term of the glossary, on a line before its meaning."""

MOST_SECTIONS = 20
"""Maximum number of sections that are listed for a word."""

MANY_SECTIONS = 10
"""If more sections mention a word, only those with the word in their heading or as a key are listed."""

MOST_SHOWN = 4
"""Maximum number of sections that are shown because their headings begin with the words asked for."""


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "help",
        help="show a page of the docs in the terminal",
        description="Show a page or a section of the docs, or explain a word and list the sections that mention it. "
        "Without TOPIC: list the pages. "
        "For the options of a command: dungeon COMMAND --help.",
        epilog="example: dungeon help encounters",
    )
    command.add_argument(
        "topic",
        nargs="*",
        metavar="TOPIC",
        help="a page, such as prefabs; a heading or its first words, such as locks and keys; or any words, such as far_from",
    )
    command.set_defaults(commands=commands)
    return command


def run(options: argparse.Namespace) -> int:
    """Print a page, a section, the sections that mention a word, or the list of pages."""
    pages = _pages()
    if not pages:
        raise CallError("the pages of the docs can't be found: they are neither in the package nor beside it")
    topic = " ".join(options.topic)
    if not topic:
        width = max(map(len, pages))
        print("\n".join(f"{topic:{width}}  {_title(text)}" for topic, text in pages.items()))
        return DONE
    if text := pages.get(topic):
        _show(_for_terminal(text), colour=wants_colour(options))
        return DONE
    if command := options.commands.choices.get(topic):
        command.print_help()
        return DONE
    sections = [*_sections(pages)]
    shown = [each for each in sections if each.is_called(topic)]
    if len(shown) > MOST_SHOWN:
        shown = [each for each in shown if each.heading.lower() == topic.lower()]
    if shown:
        _show(_for_terminal("\n".join(each.text for each in shown)), colour=wants_colour(options))
        return DONE
    _list_mentions(pages, sections, topic)
    return DONE


def _list_mentions(pages: dict[str, str], sections: list[PageSection], topic: str) -> None:
    """Print the meaning of a word, and the terms and sections that mention it, those with the word as a heading or key first.

    Raises:
        CallError: No page mentions it.
    """
    meanings = _meanings(pages)
    meaning = meanings.get(topic.lower())
    terms = [term for term, text in meanings.items() if _has_word(text, topic) and text != meaning]
    found = [each for each in sections if each.topic != "glossary" and each.mentions(topic)]
    near = [each for each in found if each.has_key(topic) or _has_word(each.heading, topic)]
    if not found and not meaning and not terms:
        raise CallError(
            f"no page of the docs is called {topic!r}, and none mentions it: `dungeon help` lists the pages"
        )
    print(f"{topic}: {meaning}\n" if meaning else f"No page is called {topic}.")
    if terms:
        print("Terms of the glossary that mention it:")
        print("\n".join(f"  dungeon help {term}" for term in terms))
    ordered = [*near, *(each for each in found if each not in near)]
    listed = near[:MOST_SECTIONS] if near and len(found) > MANY_SECTIONS else ordered[:MOST_SECTIONS]
    if listed:
        print("Sections that mention it:")
        print("\n".join(f"  dungeon help {each.topic}: {each.heading}" for each in listed))
    if more := len(found) - len(listed):
        print(f"  and {more} more")


def _pages() -> dict[str, str]:
    """Return topic -> Markdown text of its page, the pages of the guide first; empty if no page is found."""
    for folder in FOLDERS:
        files = [
            *sorted(folder.glob("guide/*.md")),
            *sorted(folder.glob("*.md")),
            *sorted(folder.glob("language/*.md")),
            *folder.glob("reference/glossary.md"),
        ]
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
    text = GLOSSARY.sub(lambda found: TERM.sub(r"**\1**: ", found[1]), text)
    return LINK.sub(r"\1", LEFT_OUT.sub("", text))


def _meanings(pages: dict[str, str]) -> dict[str, str]:
    """Return term -> meaning, as the glossary has them."""
    found = GLOSSARY.search(pages.get("glossary", ""))
    entries = re.split(r"\n\n", found[1].strip()) if found else []
    split = [entry.partition("\n") for entry in entries]
    return {term: LINK.sub(r"\1", " ".join(text.split())) for term, _, text in split}


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


def _has_word(text: str, word: str) -> bool:
    """Tell whether a text contains a word, or several words, in upper or lower case."""
    return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE))


@dataclass(frozen=True, slots=True)
class PageSection:
    """A section of a page, without the sections below it.

    Attributes:
        topic: The page.
        heading: The heading of the section.
        text: The section with its heading.
    """

    topic: str
    heading: str
    text: str

    def mentions(self, word: str) -> bool:
        """Tell whether the section contains a word, in upper or lower case."""
        return _has_word(self.text, word)

    def is_called(self, words: str) -> bool:
        """Tell whether the heading begins with these words, which may come after the name of the page: ``prefabs: On a map``."""
        words = words.lower().removeprefix(f"{self.topic}: ")
        return bool(re.match(rf"{re.escape(words)}(?!\w)", self.heading.lower()))

    def has_key(self, word: str) -> bool:
        """Tell whether the section has a word as a key of content: `word`, or `word:` with a value."""
        return f"`{word}`" in self.text or bool(re.search(rf"(?<!\w){re.escape(word)}: ", self.text))


def _sections(pages: dict[str, str]) -> Iterator[PageSection]:
    """Yield all sections of all pages."""
    for topic, text in pages.items():
        fences = [each.span() for each in FENCE.finditer(text)]
        headings = [
            each
            for each in HEADING.finditer(text)
            if not any(first < each.start() < end for first, end in fences)
        ]
        ends = [*(each.start() for each in headings[1:]), len(text)]
        for heading, end in zip(headings, ends, strict=True):
            yield PageSection(topic=topic, heading=heading[1], text=text[heading.start() : end])
