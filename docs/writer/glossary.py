"""Links to the glossary: on each page, the first use of each of its words."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

GLOSSARY = Path(__file__).parents[1] / "reference" / "glossary.md"
TERM = re.compile(r"^(\S.*)\n  \S", re.MULTILINE)
"""A word of the glossary, on the line before its meaning."""

PLAIN = {
    "card",
    "feature",
    "kind",
    "layer",
    "link",
    "parameter",
    "port",
    "reference",
    "static",
    "tag",
    "value",
}
"""Words that pages use in their everyday sense, too. They are linked by no page."""


@cache
def terms() -> frozenset[str]:
    """Return the words of the glossary that are linked."""
    return frozenset(TERM.findall(GLOSSARY.read_text(encoding="utf-8"))) - PLAIN


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(terms(), key=lambda term: (-len(term), term))
    return re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, longest_first))})(s?)(?![\w-])", re.IGNORECASE)


def first_uses(text: str, met: set[str]) -> Iterator[tuple[str, str]]:
    """Yield a text in pieces, each with the word of the glossary that it is; an empty word for the text between.

    Args:
        text: A text of a page, without code.
        met: The words that the page has used before. The words found are added.
    """
    end = 0
    for found in _pattern().finditer(text):
        term = found[1].lower()
        if term in met:
            continue
        met.add(term)
        yield text[end : found.start()], ""
        yield found[0], term
        end = found.end()
    yield text[end:], ""
