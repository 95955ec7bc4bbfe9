"""A cache of parsed content between runs, so that YAML files need not be parsed again.

Parsing YAML and checking drawings takes most of the loading time. A cache file holds the plain data of every
YAML file of a content folder and its mods, and the place of every entry; .xp drawings are read from their own
files. It is used only for exactly the content it was made from, which had no errors, so each prefab can be
built when it is first asked for.

**The key.** A cache belongs to a key, the SHA-256 digest of everything that loading depends on:

- the layer, the place and the bytes of every file that content is read from (``.md`` and ``.txt`` files don't count),
- the source code of the library that reads them, so that another version checks everything again,
- the versions of PyYAML and of this format,
- the names of the registered layouts and placing modes, and the models of their parameters.

**Safety.** A cache that is missing, damaged, cut off or not writable is ignored. Its first line holds the key
and a digest of the rest, so that damage shows. It is JSON, read into plain data of a fixed shape, so that
reading can't run code. A forged cache does no more than forged YAML files would: a problem is reported, at
the latest when the forged prefab is built. A new cache is written to a temporary file that then replaces the
old one, so that two programs can share a cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ConfigDict, TypeAdapter, ValidationError

from dungeon.content.loading.draft import is_read
from dungeon.content.source.files import digest_of
from dungeon.content.source.marks import Mark, MarkedDict
from dungeon.content.source.reader import Parsed
from dungeon.core.registry import LAYOUTS, PLACINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dungeon.content.source.files import ContentFile


FORMAT = "1"
"""Increase it when the meaning of the data changes."""

MAGIC = b"tcod-dungeon content cache"
"""The first bytes of a cache file."""
MAX_BYTES = 40_000_000
"""The largest cache file; content that would need more, for example with aliases written out, is not cached."""

ENDING = ".json"

Entries = list[tuple[str, int, int, Any]]
"""The entries of a file: (name, line and column of the name, plain data)."""


@cache
def _shape() -> TypeAdapter[dict[str, Entries | None]]:
    """Return the validator of a cache: `ContentFile.key` -> entries of the file, or None for an empty file."""
    return TypeAdapter(dict[str, Entries | None], config=ConfigDict(strict=True))


@dataclass(frozen=True, slots=True)
class Cache:
    """The cache file of one content folder with certain mods.

    Attributes:
        path: The cache file.
        key: The digest that the file must begin with to be used; None if it can't be computed, and then nothing is cached.
    """

    path: Path
    key: str | None

    @classmethod
    def of(
        cls, folder: Path, roots: Iterable[Path], contents: Iterable[tuple[ContentFile, bytes | None]]
    ) -> Cache:
        """Return the cache of a content with its mods. Each sequence of content folders has one cache file.

        Args:
            folder: The folder of the cache files.
            roots: The folders of the content and its mods.
            contents: (file, bytes) for each file in them; None for a file that can't be read.
        """
        rows = b"\0".join(os.fsencode(root.resolve()) for root in roots)
        name = hashlib.sha256(rows).hexdigest()[:24]
        return cls(folder / f"{name}{ENDING}", _key(contents))

    def read(self) -> dict[str, Parsed] | None:
        """Return `ContentFile.key` -> parsed YAML file; None if the content is not cached.

        The parsed files know the line and column of each entry, but not of the values in it.
        """
        data = _bytes_of(self.path)
        if self.key is None or data is None or len(data) > MAX_BYTES:
            return None
        head, _, body = data.partition(b"\n")
        if head != _head(self.key, body):
            return None
        try:
            files = _shape().validate_json(body)
        except ValidationError:
            return None
        return {place: Parsed(_root(entries), [], whole=True) for place, entries in files.items()}

    def write(self, parsed: Mapping[str, Parsed]) -> None:
        """Write the parsed YAML files to the cache, if possible.

        Args:
            parsed: `ContentFile.key` -> the parsed file; all must be valid.
        """
        roots = [each.root for each in parsed.values()]
        if self.key is None or _size(roots, MAX_BYTES) > MAX_BYTES:
            return
        files = {place: _entries(each.root) for place, each in parsed.items()}
        body = json.dumps(files, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        data = _head(self.key, body) + b"\n" + body
        if len(data) <= MAX_BYTES:
            # The folder may be read-only or the disk full; then the next run parses again.
            with suppress(OSError):
                _replace(self.path, data)


def _key(contents: Iterable[tuple[ContentFile, bytes | None]]) -> str | None:
    """Return a digest of these files and of all else that loading depends on; None if a file or the source code can't be read."""
    code = _own_code()
    registered = [each.encode() for each in sorted(_registered())]
    parts = [FORMAT.encode(), yaml.__version__.encode(), *code, *registered]
    parts.append(b"content")
    for file, data in contents:
        if data is not None:
            parts += [os.fsencode(file.key), data]
        elif is_read(file.place):
            return None
    return digest_of(parts) if code else None


def _registered() -> Iterator[str]:
    """Yield a text with the name and parameter model of each registered layout and placing mode."""
    for name, layout in LAYOUTS.items():
        yield f"layout {name} {layout.params.__module__}.{layout.params.__qualname__}"
    for name, placing in PLACINGS.items():
        yield f"placing mode {name} {placing.params.__module__}.{placing.params.__qualname__}"


@cache
def _own_code() -> tuple[bytes, ...]:
    """Return the files of the library's source code that reads content; empty if one can't be read."""
    package = Path(__file__).parents[2]
    rooms = "content", "core", "grid"
    paths = [package / "terrain.py", *(path for room in rooms for path in package.glob(f"{room}/**/*.py"))]
    try:
        return tuple(path.read_bytes() for path in sorted(paths))
    except OSError:
        return ()


def _head(key: str, body: bytes) -> bytes:
    """Return the first line of a cache file: the key, and a digest of the rest of the file (`body`)."""
    return b" ".join((MAGIC, key.encode(), hashlib.sha256(body).hexdigest().encode()))


def _bytes_of(path: Path) -> bytes | None:
    """Return the bytes of a file, at most `MAX_BYTES` + 1; None if it can't be read."""
    try:
        # Opening a pipe would wait for its writer.
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError:
        return None


def _replace(path: Path, data: bytes) -> None:
    """Write a file so that other programs see either the old or the new content, never a part of it.

    Raises:
        OSError: The file can't be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, beside = tempfile.mkstemp(prefix=path.stem, suffix=".new", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        Path(beside).replace(path)
    except OSError:
        Path(beside).unlink(missing_ok=True)
        raise


def _entries(root: object) -> Entries | None:
    """Return the entries of a valid parsed file as plain data; None if the file is empty."""
    if not isinstance(root, MarkedDict):
        return None
    return [(key, *root.marks[key][0][:2], value) for key, value in root.items()]


def _root(entries: Entries | None) -> MarkedDict | None:
    """Return entries read from a cache as a `MarkedDict` that knows the line and column of each; None for an empty file."""
    if entries is None:
        return None
    root = MarkedDict(Mark(1, 1))
    for key, line, column, value in entries:
        root[key] = value
        root.marks[key] = Mark(line, column), Mark(line, column)
    return root


def _size(data: Sequence[object], most: int) -> int:
    """Return roughly how many bytes data takes as JSON; counting stops soon after `most` bytes.

    Data that YAML aliases share counts each time, so the result may be far larger than the file.
    """
    size = 0
    waiting = list(data)
    while waiting and size <= most:
        each = waiting.pop()
        size += 4
        if isinstance(each, str):
            size += len(each)
        elif isinstance(each, dict):
            size += sum(map(len, each))
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return size
