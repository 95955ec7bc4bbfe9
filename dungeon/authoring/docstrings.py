"""What the docstring of a model says, for whoever reads the schema instead."""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import NamedTuple

ATTRIBUTES = re.compile(r"^Attributes:\n((?:(?: .*)?\n?)*)", re.MULTILINE)
ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)


class Description(NamedTuple):
    """What a docstring says.

    Attributes:
        summary: Of the class as a whole, in one line.
        attributes: Name -> what it is, in one line; those of base classes too.
    """

    summary: str
    attributes: dict[str, str]


@cache
def description_of(model: type) -> Description:
    """Return what the docstrings of a class and of its bases say."""
    attributes: dict[str, str] = {}
    for each in reversed(model.__mro__):
        if section := ATTRIBUTES.search(_docstring(each)):
            attributes |= {name: _joined(text) for name, text in ATTRIBUTE.findall(section[1])}
    return Description(_joined(ATTRIBUTES.sub("", _docstring(model))), attributes)


def _docstring(of: type) -> str:
    return inspect.cleandoc(of.__dict__.get("__doc__") or "")


def _joined(text: str) -> str:
    """Return a text in one line, without the quotes around code."""
    return " ".join(text.replace("``", "").replace("`", "").split())
