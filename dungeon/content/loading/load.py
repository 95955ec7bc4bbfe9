"""From a folder of files to `Content`: all of it, or a `ContentError` that lists everything wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dungeon.content.loading.assemble import assemble
from dungeon.content.loading.cache import Cache
from dungeon.content.loading.draft import Draft, bytes_of
from dungeon.content.source.files import File, Findings, content_files
from dungeon.content.source.quoting import printable
from dungeon.core.collector import collector_paused
from dungeon.core.errors import ContentError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from dungeon.content.library import Content


def load_content(folder: str | os.PathLike[str], *, cache: str | os.PathLike[str] | None = None) -> Content:
    """Read the content of a game: see `dungeon.reading.load_content`."""
    root = Path(folder)
    with collector_paused():
        if cache is not None and root.is_dir():
            return _load_with_cache(root, Path(cache))
        draft, content, _ = read_folder(root)
    return _right(draft, content, root)


def load_draft(folder: str | os.PathLike[str]) -> tuple[Content, Draft]:
    """Read the content of a game, and return with it what it was made from.

    Raises:
        ContentError: As for `load_content`.
    """
    root = Path(folder)
    with collector_paused():
        draft, content, _ = read_folder(root)
    return _right(draft, content, root), draft


def read_folder(root: Path) -> tuple[Draft, Content | None, int]:
    """Return what a folder holds: as a draft, as content if nothing is wrong, and in how many files."""
    draft = Draft()
    findings = draft.findings
    if not root.is_dir():
        findings.file(printable(str(root)), "there is no such folder")
        return draft, None, 0
    files = content_files(root, findings)
    # One after the other, so that no more than one file is held at a time.
    _read(draft, ((file, bytes_of(file, findings)) for file in files))
    return draft, assemble(draft, root, trusted=False), len(files)


def _load_with_cache(root: Path, folder: Path) -> Content:
    """Read content from the cache if it holds just these files; else from the files, and remember it.

    The bytes that the cache is asked about are those that are then read: a file that changes meanwhile counts as
    it was.

    Raises:
        ContentError: Something is wrong, as without a cache.
    """
    findings = Findings()
    contents = [(file, bytes_of(file, findings)) for file in content_files(root, findings)]
    cache = Cache.of(folder, root, contents)
    remembered = None if findings.problems else cache.read()
    if remembered is not None:
        draft = Draft(parsed=remembered)
        _read(draft, contents)
        content = assemble(draft, root, trusted=True)
        if content is not None:
            return content
    draft = Draft(findings)
    _read(draft, contents)
    content = _right(draft, assemble(draft, root, trusted=False), root)
    cache.write(draft.parsed)
    return content


def _read(draft: Draft, contents: Iterable[tuple[File, bytes | None]]) -> None:
    """Read files into a draft."""
    for file, data in contents:
        draft.read(file, data)


def _right(draft: Draft, content: Content | None, root: Path) -> Content:
    """Return the content, if there is any.

    Raises:
        ContentError: There is none; the error lists what is wrong with the draft.
    """
    if content is None:
        raise ContentError([*draft.findings.problems, *draft.findings.surplus(str(root))])
    return content
