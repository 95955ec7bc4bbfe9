"""What a look through content found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.core.errors import counted

if TYPE_CHECKING:
    from dungeon.content.library import Content
    from dungeon.core.errors import Problem


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Examination:
    """What a look through a content folder found.

    Attributes:
        problems: All that is wrong or doubtful, sorted by place.
        content: The content, or None where errors keep it from being loaded.
        files: How many files there are.
    """

    problems: tuple[Problem, ...]
    content: Content | None
    files: int

    def __repr__(self) -> str:
        return f"<Examination of {counted(self.files, 'file')}: {counted(len(self.problems), 'problem')}>"
