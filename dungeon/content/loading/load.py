"""Loading content from a folder and those of its mods: to `Content`, or a `ContentError` that lists everything wrong.

A *draft* is all entries as written. Some functions find the content folder to which a path belongs.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from dungeon.content.loading.assemble import assemble
from dungeon.content.loading.cache import Cache
from dungeon.content.loading.draft import (
    ENTRY_KINDS,
    KINDS_FILE,
    SINGLE_FILES,
    ContentDraft,
    ContentLayer,
    bytes_of,
    kinds_of,
)
from dungeon.content.loading.layers import lay
from dungeon.content.source.files import ProblemLog, content_files
from dungeon.core.errors import ContentError, printable
from dungeon.core.kinds import Kinds
from dungeon.core.lazy import collector_paused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dungeon.content.library import Content
    from dungeon.content.source.files import ContentFile
    from dungeon.content.source.reader import Parsed


WORLD = "world.yaml"
"""The file that every content has."""

PARTS = frozenset(PurePosixPath(place).parts[0] for place in (*SINGLE_FILES, *ENTRY_KINDS))
"""Names of the files and folders in a content folder."""


def paths_of(folders: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return folders as paths.

    Raises:
        ValueError: A name is empty: it would mean the current working directory.
    """
    named = [os.fspath(each) for each in folders]
    if "" in named:
        raise ValueError("the name of a folder is empty; '.' is the current folder")
    return [Path(each) for each in named]


def content_around(folder: Path) -> Path | None:
    """Return the absolute path of the content folder that is `folder` itself or lies around it; None if there is none.

    A content folder has a ``world.yaml``. A folder inside a content folder counts as a part of the content only if it lies in
    ``prefabs``, ``maps`` or another folder of entries.
    """
    here = folder.resolve()
    for around in (here, *here.parents):
        if (around / WORLD).is_file() and (around == here or here.relative_to(around).parts[0] in PARTS):
            return around
    return None


def is_like_content(folder: Path) -> bool:
    """Tell whether a folder holds any of the files and folders of a content."""
    return any((folder / part).exists() for part in PARTS)


def folder_mistake(folder: Path) -> str | None:
    """Return why a path can't be a content or mod folder, or None if it can."""
    if not folder.exists():
        return "there is no such folder"
    around = content_around(folder)
    if around is not None and around != folder.resolve():
        return (
            f"this folder is a part of the content in {as_written(around, folder)}; name that folder instead"
        )
    return None if folder.is_dir() else "this is a file, not a folder"


def as_written(around: Path, folder: Path) -> Path:
    """Return `around`, a folder that contains `folder`, as it is written in the path `folder` if possible: (/x/a, a/maps) -> a."""
    return next((each for each in folder.parents if each.resolve() == around), around)


def load_content(*folders: str | os.PathLike[str], cache: str | os.PathLike[str] | None = None) -> Content:
    """Read the content of a game from its folder and the folders of mods; `dungeon.load_content` tells more."""
    roots = paths_of(folders)
    with collector_paused():
        if cache is not None and not _missing(roots).problems:
            return _load_with_cache(roots, Path(cache))
        return _load(roots)


def _load(roots: Sequence[Path]) -> Content:
    """Read content from its files, without a cache.

    The draft is freed on return, before the garbage collector, paused until then, would have to scan it.

    Raises:
        ContentError: Something in the files is wrong.
    """
    draft, content, _ = read_folders(roots)
    return _right(draft, content, roots)


def load_draft(*folders: str | os.PathLike[str]) -> tuple[Content, ContentDraft]:
    """Read the content of a game, and return it with the draft that it was made from.

    Raises:
        ContentError: As for `load_content`.
    """
    roots = paths_of(folders)
    draft, content, _ = read_folders(roots)
    return _right(draft, content, roots), draft


@collector_paused()
def read_folders(roots: Sequence[Path]) -> tuple[ContentDraft, Content | None, int]:
    """Read a content and its mods; return (draft, content, number of files). The content is None if it has errors.

    Args:
        roots: The folder of the content, then those of its mods.
    """
    log = _missing(roots)
    if log.problems:
        return ContentDraft(log), None, 0
    layers = [content_files(root, log, layer) for layer, root in enumerate(roots)]
    # Files are read one at a time, so that only one is held in memory.
    draft = _read(layers, partial(bytes_of, log=log), log, {})
    return draft, assemble(draft, roots, trusted=False), sum(map(len, layers))


def kinds_in(folders: Sequence[str | os.PathLike[str]]) -> Kinds:
    """Return the kinds of objects that a content folder and its mods declare, and the built-in ones; invalid ones are left out.

    Raises:
        ContentError: One of them is not a content folder.
    """
    roots = paths_of(folders)
    log = _missing(roots)
    if log.problems:
        raise ContentError(log.problems)
    layers = [content_files(root, log, layer) for layer, root in enumerate(roots)]
    kinds = [[file for file in files if file.place == KINDS_FILE] for files in layers]
    return _read(kinds, partial(bytes_of, log=log), log, {}).kinds if roots else Kinds()


def _missing(roots: Sequence[Path]) -> ProblemLog:
    """Return a log with the problems of the folders themselves: a folder is missing, only a part of a content, or named twice."""
    log = ProblemLog()
    seen: set[Path] = set()
    for root in roots:
        if (mistake := folder_mistake(root)) is not None:
            log.file(printable(str(root)), mistake)
        elif root.resolve() in seen:
            log.file(printable(str(root)), "this folder is named twice")
        else:
            seen.add(root.resolve())
    return log


def _load_with_cache(roots: Sequence[Path], folder: Path) -> Content:
    """Read content from the cache if it holds exactly these files; otherwise read the files, and write the cache.

    Each file is read once, and the same bytes serve for the key and for parsing, in case a file changes
    meanwhile.

    Args:
        roots: The folders of the content and its mods.
        folder: The folder of the cache files.

    Raises:
        ContentError: Something in the files is wrong.
    """
    log = ProblemLog()
    layers = [content_files(root, log, layer) for layer, root in enumerate(roots)]
    held = {file: bytes_of(file, log) for files in layers for file in files}
    cache = Cache.of(folder, roots, held.items())
    remembered = None if log.problems else cache.read()
    if remembered is not None:
        content = assemble(_read(layers, held.get, ProblemLog(), remembered), roots, trusted=True)
        if content is not None:
            return content
    parsed: dict[str, Parsed] = {}
    draft = _read(layers, held.get, log, parsed)
    content = _right(draft, assemble(draft, roots, trusted=False), roots)
    cache.write(parsed)
    return content


def _read(
    layers: Sequence[Sequence[ContentFile]],
    data_of: Callable[[ContentFile], bytes | None],
    log: ProblemLog,
    parsed: dict[str, Parsed],
) -> ContentDraft:
    """Return the draft of all layers.

    ``kinds.yaml`` is read first: the kinds decide which other files there may be, and what words mean in
    them.

    Args:
        layers: The files of each layer.
        data_of: Returns the bytes of a file; None if it can't be read.
        log: The log to which problems are added.
        parsed: `ContentFile.key` -> parsed YAML file; files that are parsed now are added.
    """
    read = [ContentLayer(log, parsed) for _ in layers]
    for layer, files in zip(read, layers, strict=True):
        for file in files:
            if file.place == KINDS_FILE:
                layer.read(file, data_of(file))
    said = lay(read, ProblemLog())  # its problems are logged by the second `lay`, with all files
    kinds = kinds_of(said.records["kind"], log, whole="kind" not in said.damaged)
    for layer, files in zip(read, layers, strict=True):
        layer.kinds = kinds
        for file in files:
            if file.place != KINDS_FILE:
                layer.read(file, data_of(file))
    return lay(read, log)


def _right(draft: ContentDraft, content: Content | None, roots: Sequence[Path]) -> Content:
    """Return `content`, or raise a ContentError with the problems in the draft if it is None.

    Raises:
        ContentError: `content` is None.
    """
    if content is None:
        raise ContentError([*draft.log.problems, *draft.log.surplus(str(roots[0]))])
    return content
