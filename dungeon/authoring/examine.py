"""Looking through content: every error, and whatever else is doubtful."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.authoring.examination import Examination
from dungeon.authoring.lint import look_over
from dungeon.content.loading.load import paths_of, read_folders
from dungeon.core.collector import collector_paused

if TYPE_CHECKING:
    import os


@collector_paused()
def examine_content(*folders: str | os.PathLike[str], sample: int = 0) -> Examination:
    """Look through the content of a game: see `dungeon.authoring.reading.examine_content`."""
    draft, content, files = read_folders(paths_of(folders))
    if files:
        look_over(draft, content, sample)
    log = draft.log
    wrong = {problem.source for problem in log.problems if problem.source.line}
    remarks = [remark for remark in log.remarks if remark.source not in wrong]
    problems = [*log.problems, *remarks, *log.surplus(str(folders[0]))]
    in_order = sorted(problems, key=lambda problem: problem.source)
    return Examination(problems=tuple(in_order), content=content, files=files)
