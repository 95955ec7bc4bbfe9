"""How values of many parts show themselves: in a line or two, however much they hold."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from reprlib import Repr
from typing import Any

ROOM = 28
"""How many characters a value may take, `TEXT` if it is a text."""

TEXT = 60

_SHORT = Repr()
_SHORT.maxtuple = _SHORT.maxdict = 3
_SHORT.maxstring = TEXT
_SHORT.maxother = ROOM


def short_repr(self: Any) -> str:
    """Return what a dataclass says of itself without what is as usual, long texts and long lists cut: its `__repr__`."""
    shown = ((each.name, getattr(self, each.name)) for each in fields(self) if not _is_usual(self, each))
    return f"{type(self).__name__}({', '.join(f'{name}={_shown(value)}' for name, value in shown)})"


def _shown(value: object) -> str:
    text, room = _SHORT.repr(value), TEXT if isinstance(value, str) else ROOM
    return text if len(text) <= room else f"{text[: room - 3]}..."


def _is_usual(self: Any, field: Field[Any]) -> bool:
    """Tell whether a field has its default."""
    usual = field.default if field.default_factory is MISSING else field.default_factory()
    return bool(getattr(self, field.name) == usual)
