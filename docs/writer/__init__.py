"""The generated parts of the docs: keys, commands, public names, pictures and downloads. They are written when the docs are built.

A page includes a part by a comment at the end of a line: ``<!-- written: keys of maps -->``. The part replaces the whole line, so
text before the comment is only for readers of the repository.
"""

from __future__ import annotations

import inspect
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from writer import commands, keys, names
from writer.book import PAGES
from writer.downloads import with_downloads
from writer.gallery import with_pictures

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

CODE = re.compile(r"(?<![`:\w])`([^`\n]+)`(?!`)")
TYPE = re.compile(r"^(:vartype \w+: )(.+)$")
"""The type of an attribute, as it is annotated."""

BARS = re.compile(r"\|(\w+)\|")
"""An absolute value in mathematical notation."""

LAST = 900
"""Priority of the handler: after those of all other extensions."""

ASKED = re.compile(r"^.*<!-- written: (.+) -->$", re.MULTILINE)

WRITERS: dict[str, Callable[[], str]] = {
    **{f"keys of {page}": partial(keys.page, page) for page in PAGES},
    "files": keys.files,
    "index of keys": keys.index,
    "commands": commands.page,
    **{f"names of {page}": partial(names.page, page) for page in names.PAGES},
    "index of names": names.index,
}
"""Name of a generated part -> the function that writes it, in Markdown."""


def filled(text: str) -> str:
    """Return a page with its generated parts filled in.

    Raises:
        KeyError: There is no part of that name.
    """
    return ASKED.sub(lambda asked: WRITERS[asked[1]](), text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Fill in pages when they are read, link them to the glossary, and turn Markdown code in docstrings into code."""
    from writer.glossary_links import GlossaryLinks  # noqa: PLC0415  # tests import this package without Sphinx

    app.add_transform(GlossaryLinks)
    app.connect("source-read", _fill)
    app.connect("autodoc-process-docstring", _with_code, priority=LAST)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _fill(app: Sphinx, name: str, source: list[str]) -> None:
    """Write the generated parts of a page, its downloads, and the pictures of the gallery."""
    source[0] = with_downloads(filled(source[0]), Path(app.outdir) / "_downloads")
    if name == "gallery":
        source[0] = with_pictures(source[0], Path(app.outdir) / "_images")


def _with_code(_app: Sphinx, what: str, _name: str, it: object, _options: object, lines: list[str]) -> None:
    """Mark text between single backticks as code, also where a letter follows.

    The docstring of a property is taken as it is: napoleon would read the text before its first colon as a type.
    """
    if what == "property":
        lines[:] = [*(inspect.getdoc(it) or "").splitlines(), ""]
    for pattern, marked in ((CODE, r"``\1``\\ "), (TYPE, r"\1``\2``"), (BARS, r"\\|\1\\|")):
        lines[:] = [pattern.sub(marked, line) for line in lines]
