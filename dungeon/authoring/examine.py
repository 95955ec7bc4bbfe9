"""A look through a content folder: every error, warning and note about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dungeon.authoring.lint import look_over
from dungeon.content.loading.load import read_folder
from dungeon.core.collector import collector_paused
from dungeon.core.errors import counted

if TYPE_CHECKING:
    import os

    from dungeon.content.library import Content
    from dungeon.core.errors import Problem


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Examination:
    """What a look through a content folder found.

    Attributes:
        problems: All that is wrong or doubtful, sorted by place.
        content: The content, or None where there are errors.
        files: How many files there are.
    """

    problems: tuple[Problem, ...]
    content: Content | None
    files: int

    def __repr__(self) -> str:
        return f"<Examination of {counted(self.files, 'file')}: {counted(len(self.problems), 'problem')}>"


def examine_content(folder: str | os.PathLike[str]) -> Examination:
    """Read the content of a game, right or wrong, and list every error, warning and note about it.

    Args:
        folder: The folder that holds ``world.yaml``, ``maps/`` and the rest.
    """
    with collector_paused():
        draft, content, files = read_folder(Path(folder))
    if files:
        look_over(draft)
    findings = draft.findings
    problems = [*findings.problems, *findings.remarks, *findings.surplus(str(folder))]
    in_order = sorted(problems, key=lambda problem: problem.source)
    return Examination(problems=tuple(in_order), content=content, files=files)
