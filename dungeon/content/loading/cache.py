"""Remembering content between runs: what its YAML files say, so that they need not be parsed again.

Parsing YAML and checking every drawing takes most of the time that loading takes. A cache holds, for one content
folder with the mods that are laid over it, the plain data of every YAML file and the place of every entry; .xp drawings are read from their own
files. It is used only for the very content it was made from, which had nothing wrong with it, so prefabs need not
be looked at before somebody asks for them.

**What decides.** A cache belongs to a key: the SHA-256 digest of everything that the result of loading depends on,

- the layer, the place and the bytes of every file that content is read from: a file changed, added, removed, or moved makes
  another key (files for people, ``.md`` and ``.txt``, count for nothing);
- the source code of the library that reads them, so that another version checks everything afresh;
- the versions of PyYAML, and of this format;
- the names of the registered layouts and placing modes, and which models describe their parameters.

**What can go wrong.** Nothing that matters: a cache that is missing, damaged, cut off, made by somebody else, or
that can't be written, is as if there were none. Its first line names the key and the digest of the rest, so that
damage shows. It is JSON, read into plain data of a fixed shape; reading it can't run anything. Whoever forges one
on purpose, digests and all, gets what a forger of the YAML files would get: a problem reported, at the latest when
the forged prefab is asked for. Writing goes to a file beside, which then takes the old one's place in one step;
two programs may share a cache.
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
"""Goes up when what is written changes its meaning."""

MAGIC = b"tcod-dungeon content cache"
MAX_BYTES = 40_000_000
"""The largest cache. Content that would need more (its aliases written out, say) is not remembered."""

ENDING = ".json"

Entries = list[tuple[str, int, int, Any]]
"""The entries of a file: key, line and column of the key, plain data."""


@cache
def _shape() -> TypeAdapter[dict[str, Entries | None]]:
    """Return what reads a cache: `File.key` -> the file's entries, or None for a file with nothing in it."""
    return TypeAdapter(dict[str, Entries | None], config=ConfigDict(strict=True))


@dataclass(frozen=True, slots=True)
class Cache:
    """The cache of one content folder and certain mods, as they are now.

    Attributes:
        path: Its file.
        key: What it must have been made from, or None where that can't be told and there is nothing to remember.
    """

    path: Path
    key: str | None

    @classmethod
    def of(
        cls, folder: Path, roots: Iterable[Path], contents: Iterable[tuple[ContentFile, bytes | None]]
    ) -> Cache:
        """Return the cache, in a folder of caches, of the content folders `roots` with these files.

        Each row of folders has one file there, which is replaced when the content changes.
        """
        rows = b"\0".join(os.fsencode(root.resolve()) for root in roots)
        name = hashlib.sha256(rows).hexdigest()[:24]
        return cls(folder / f"{name}{ENDING}", _key(contents))

    def read(self) -> dict[str, Parsed] | None:
        """Return `File.key` -> what that YAML file holds; None if that is not remembered.

        The entries know where they stand; what is in them is plain data.
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
        """Remember what the YAML files hold, if that is possible.

        Args:
            parsed: `File.key` -> what that file holds; all of them are right.
        """
        roots = [each.root for each in parsed.values()]
        if self.key is None or _size(roots, MAX_BYTES) > MAX_BYTES:
            return
        files = {place: _entries(each.root) for place, each in parsed.items()}
        body = json.dumps(files, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        data = _head(self.key, body) + b"\n" + body
        if len(data) <= MAX_BYTES:
            # It may be forbidden, or the disk may be full. Then the next run parses again, as this one did.
            with suppress(OSError):
                _replace(self.path, data)


def _key(contents: Iterable[tuple[ContentFile, bytes | None]]) -> str | None:
    """Return the digest of all that a cache depends on, or None if that can't be told."""
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
    """Yield which layouts and placing modes there are, and what describes their parameters."""
    for name, layout in LAYOUTS.items():
        yield f"layout {name} {layout.params.__module__}.{layout.params.__qualname__}"
    for name, placing in PLACINGS.items():
        yield f"placing mode {name} {placing.params.__module__}.{placing.params.__qualname__}"


@cache
def _own_code() -> tuple[bytes, ...]:
    """Return the source code of what content is read with; none where it can't be read."""
    package = Path(__file__).parents[2]
    rooms = "content", "core", "grid"
    paths = [package / "terrain.py", *(path for room in rooms for path in package.glob(f"{room}/**/*.py"))]
    try:
        return tuple(path.read_bytes() for path in sorted(paths))
    except OSError:
        return ()


def _head(key: str, body: bytes) -> bytes:
    """Return the first line of a cache."""
    return b" ".join((MAGIC, key.encode(), hashlib.sha256(body).hexdigest().encode()))


def _bytes_of(path: Path) -> bytes | None:
    """Return what a file holds, up to one byte more than `MAX_BYTES`; None where it can't be read."""
    try:
        # Opening a pipe would wait for its writer.
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError:
        return None


def _replace(path: Path, data: bytes) -> None:
    """Write a file at once: whoever reads it finds the old one or the new one.

    Raises:
        OSError: It can't be written.
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
    """Return the entries of a file that has nothing wrong with it: it is a mapping, or empty."""
    if not isinstance(root, MarkedDict):
        return None
    return [(key, *root.marks[key][0][:2], value) for key, value in root.items()]


def _root(entries: Entries | None) -> MarkedDict | None:
    """Return a file's data, in which the places of entries are known."""
    if entries is None:
        return None
    root = MarkedDict(Mark(1, 1))
    for key, line, column, value in entries:
        root[key] = value
        root.marks[key] = Mark(line, column), Mark(line, column)
    return root


def _size(data: Sequence[object], most: int) -> int:
    """Return about how many bytes data takes as JSON, without counting much further than `most`.

    What aliases share is written out, and may be far larger than the file it came from.
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
