"""What the docs tell that is not written by hand: keys, commands and public names, written when the docs are built.

A page asks for it by a line that is a comment elsewhere: ``<!-- written: keys of maps -->``.
"""

from __future__ import annotations

import inspect
import re
from functools import partial
from typing import TYPE_CHECKING

from writer import commands, keys, names
from writer.book import PAGES

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

CODE = re.compile(r"(?<![`:\w])`([^`\n]+)`(?!`)")
TYPE = re.compile(r"^(:vartype \w+: )(.+)$")
"""The type of an attribute, as it is annotated."""

BARS = re.compile(r"\|(\w+)\|")
"""The size of a number, as mathematicians write it."""

LAST = 900
"""After all other extensions have had their say."""

ASKED = re.compile(r"^<!-- written: (.+) -->$", re.MULTILINE)

WRITERS: dict[str, Callable[[], str]] = {
    **{f"keys of {page}": partial(keys.page, page) for page in PAGES},
    "files": keys.files,
    "index of keys": keys.index,
    "commands": commands.page,
    "names": names.page,
}
"""What a page may ask for -> what writes it, in Markdown."""


def filled(text: str) -> str:
    """Return a page with what it asks for.

    Raises:
        KeyError: Nobody writes that.
    """
    return ASKED.sub(lambda asked: WRITERS[asked[1]](), text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Fill in pages when they are read, and let docstrings say code as Markdown does."""
    app.connect("source-read", lambda _app, _name, source: source.__setitem__(0, filled(source[0])))
    app.connect("autodoc-process-docstring", _with_code, priority=LAST)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _with_code(_app: Sphinx, what: str, _name: str, it: object, _options: object, lines: list[str]) -> None:
    """Mark what stands between single backticks as code, also where a letter follows.

    The docstring of a property is taken as it is: what stands before its first colon is no type, as napoleon has it.
    """
    if what == "property":
        lines[:] = [*(inspect.getdoc(it) or "").splitlines(), ""]
    for pattern, marked in ((CODE, r"``\1``\\ "), (TYPE, r"\1``\2``"), (BARS, r"\\|\1\\|")):
        lines[:] = [pattern.sub(marked, line) for line in lines]
