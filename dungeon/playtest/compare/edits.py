"""What is compared besides runs: what authors have changed between two contents, and content of another revision."""

from __future__ import annotations

import io
import subprocess
import tarfile
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dungeon.content.loading.load import read_folders
from dungeon.content.source.marks import MarkedDict
from dungeon.core.errors import PlaytestError, Source
from dungeon.playtest.recording.store import FILE

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from dungeon.content.loading.draft import ContentDraft


LONGEST = 200
"""Values that take more characters are not written out."""

Key = tuple[str, ...]


class Edit(NamedTuple):
    """What has been changed of an entry.

    Attributes:
        kind: What it is: encounter, robot, map... or ``world`` and the like.
        name: Its name; empty for what is there but once.
        text: What has been changed, such as ``data.hp: 8 -> 16``.
        source: Where it says so now; where it did, if it is gone.
    """

    kind: str
    name: str
    text: str
    source: Source

    @property
    def subject(self) -> str:
        """What has been changed, in words."""
        return f"{self.kind} {self.name}".rstrip()


class _Said(NamedTuple):
    """A value that authors have written, and where."""

    value: object
    source: Source


def edits_between(before: Iterable[str], after: Iterable[str]) -> list[Edit]:
    """Return what has been changed between two contents, in order of kinds and names.

    Args:
        before: The folders of the first, each laid over those before it.
        after: Those of the second.
    """
    # What is asked is only what they say: whether that is right needs no telling here, nor what plugins would have to say to it.
    one, other = (
        dict(_leaves(read_folders([Path(each) for each in folders])[0])) for folders in (before, after)
    )
    entries = [{key[:2] for key in said} for said in (one, other)]
    changed = sorted(key for key in {*one, *other} if _value(one.get(key)) != _value(other.get(key)))
    edits = []
    for (kind, name), group in groupby(changed, key=lambda key: key[:2]):
        keys, entry = list(group), (kind, name)
        if entry not in entries[0]:
            text = "is new"
        elif entry not in entries[1]:
            text = "is gone"
        else:
            text = ", ".join(_change(key, one.get(key), other.get(key)) for key in keys)
        edits.append(Edit(kind, name, text, (other.get(keys[0]) or one[keys[0]]).source))
    return edits


def _value(said: _Said | None) -> object:
    return said and said.value


def _change(key: Key, before: _Said | None, after: _Said | None) -> str:
    """Return how a value has changed, in words; of two lists, only what is not in both."""
    place = ".".join(key[2:]) or "it"
    one, other = _value(before), _value(after)
    if isinstance(one, list) and isinstance(other, list):
        gone, new = (
            [each for each in some if each not in rest] for some, rest in ((one, other), (other, one))
        )
        texts = [", ".join(map(_flow, gone)), ", ".join(map(_flow, new))] if gone or new else ["", ""]
    else:
        texts = [_flow(one), _flow(other)]
    if any("\n" in text for text in texts) or sum(map(len, texts)) > LONGEST or not any(texts):
        return f"{place} is another"
    return f"{place}: {' -> '.join(text or 'nothing' for text in texts)}"


def _flow(value: object) -> str:
    """Return a value as it might be written in one line of YAML."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_flow(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return "nothing" if value is None else str(value)


def _leaves(draft: ContentDraft) -> Iterator[tuple[Key, _Said]]:
    """Yield all values of a content, each with the kind of its entry, its name, and the keys that lead to it.

    What an entry has from another one is that one's.
    """
    records = [each for named in draft.records.values() for each in named.values()]
    for record in [*records, *draft.singles.values()]:
        waiting: list[tuple[Key, object]] = [((), record.data)]
        while waiting:
            path, value = waiting.pop()
            if not record.is_own(*path):
                continue
            if isinstance(value, MarkedDict) and value:
                waiting += [((*path, key), each) for key, each in value.items()]
            else:
                yield (record.kind, record.name, *path), _Said(value, record.source(*path))
    for name, drawing in draft.drawings.items():
        if Path(drawing.file).stem != name:
            continue  # the drawing of another prefab, which this one is like
        yield ("prefab", name, "drawing"), _Said(drawing.data, Source(file=drawing.file, line=0, column=0))


def is_run(folder: str | os.PathLike[str]) -> bool:
    """Tell whether there is a run in a folder."""
    return (Path(folder) / FILE).is_file()


def unpacked(revision: str, folder: str | os.PathLike[str], into: Path) -> Path:
    """Write a folder as it was in another revision of its git repository, and return where that is.

    Nothing but the folder itself is written, and nothing in the repository, even if this is killed.

    Args:
        revision: Anything that git takes for a commit.
        folder: The folder.
        into: Where it is to be written; it is made.

    Raises:
        PlaytestError: There is no git, no such revision, or no such folder in it.
    """
    if revision.startswith("-"):
        raise PlaytestError(f"{revision} is no revision")
    command = ["git", "-C", str(folder), "archive", "--format=tar", revision]
    try:
        archive = subprocess.run(command, capture_output=True, check=True).stdout  # noqa: S603  # git, and no options
    except FileNotFoundError as error:
        raise PlaytestError(f"{revision} is no folder, and there is no git to look for a revision") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise PlaytestError(f"{revision} is neither a folder nor a revision of {folder}: {said}") from error
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(into, filter="data")
    return into
