"""From folders of files to `Content`: all of it, or a `ContentError` that lists everything wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dungeon.content.loading.assemble import assemble
from dungeon.content.loading.cache import Cache
from dungeon.content.loading.draft import Draft, Layer, bytes_of
from dungeon.content.loading.folders import mistaken, paths_of
from dungeon.content.loading.layers import lay
from dungeon.content.source.files import File, Findings, content_files
from dungeon.content.source.quoting import printable
from dungeon.core.collector import collector_paused
from dungeon.core.errors import ContentError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from dungeon.content.library import Content
    from dungeon.content.source.reader import Parsed

    Files = Iterable[tuple[File, bytes | None]]
    """Files with what they hold."""


def load_content(*folders: str | os.PathLike[str], cache: str | os.PathLike[str] | None = None) -> Content:
    """Read the content of a game: see `dungeon.authoring.reading.load_content`."""
    roots = paths_of(folders)
    with collector_paused():
        if cache is not None and not _missing(roots).problems:
            return _load_with_cache(roots, Path(cache))
        draft, content, _ = read_folders(roots)
    return _right(draft, content, roots)


def load_draft(*folders: str | os.PathLike[str]) -> tuple[Content, Draft]:
    """Read the content of a game, and return with it what it was made from.

    Raises:
        ContentError: As for `load_content`.
    """
    roots = paths_of(folders)
    with collector_paused():
        draft, content, _ = read_folders(roots)
    return _right(draft, content, roots), draft


def read_folders(roots: Sequence[Path]) -> tuple[Draft, Content | None, int]:
    """Return what folders hold, each laid over those before it, and in how many files.

    It is returned as a draft, and as content if nothing is wrong.
    """
    findings = _missing(roots)
    if findings.problems:
        return Draft(findings), None, 0
    layers = [content_files(root, findings, layer) for layer, root in enumerate(roots)]
    # One after the other, so that no more than one file is held at a time.
    draft = _read((((file, bytes_of(file, findings)) for file in files) for files in layers), findings, {})
    return draft, assemble(draft, roots, trusted=False), sum(map(len, layers))


def _missing(roots: Sequence[Path]) -> Findings:
    """Return what is wrong with the folders themselves: there is none, or but a part of content; one is named twice."""
    findings = Findings()
    seen: set[Path] = set()
    for root in roots:
        if (mistake := mistaken(root)) is not None:
            findings.file(printable(str(root)), mistake)
        elif root.resolve() in seen:
            findings.file(printable(str(root)), "this folder is named twice")
        else:
            seen.add(root.resolve())
    return findings


def _load_with_cache(roots: Sequence[Path], folder: Path) -> Content:
    """Read content from the cache if it holds just these files; else from the files, and remember it.

    The bytes that the cache is asked about are those that are then read: a file that changes meanwhile counts as
    it was.

    Raises:
        ContentError: Something is wrong, as without a cache.
    """
    findings = Findings()
    layers = [
        [(file, bytes_of(file, findings)) for file in content_files(root, findings, layer)]
        for layer, root in enumerate(roots)
    ]
    cache = Cache.of(folder, roots, [each for files in layers for each in files])
    remembered = None if findings.problems else cache.read()
    if remembered is not None:
        content = assemble(_read(layers, Findings(), remembered), roots, trusted=True)
        if content is not None:
            return content
    parsed: dict[str, Parsed] = {}
    draft = _read(layers, findings, parsed)
    content = _right(draft, assemble(draft, roots, trusted=False), roots)
    cache.write(parsed)
    return content


def _read(layers: Iterable[Files], findings: Findings, parsed: dict[str, Parsed]) -> Draft:
    """Return what layers say together.

    Args:
        layers: The files of each.
        findings: Takes what is wrong.
        parsed: What YAML files hold, by `File.key`; it takes what is not in it yet.
    """
    read = []
    for files in layers:
        layer = Layer(findings, parsed)
        for file, data in files:
            layer.read(file, data)
        read.append(layer)
    return lay(read, findings)


def _right(draft: Draft, content: Content | None, roots: Sequence[Path]) -> Content:
    """Return the content, if there is any.

    Raises:
        ContentError: There is none; the error lists what is wrong with the draft.
    """
    if content is None:
        raise ContentError([*draft.findings.problems, *draft.findings.surplus(str(roots[0]))])
    return content
