"""What authors have edited between two contents, and content in the revisions of a git repository."""

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

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from dungeon.content.loading.draft import ContentDraft


LONGEST = 200
"""Values with more characters in total are not written out."""

Key = tuple[str, ...]


class Edit(NamedTuple):
    """The edits of one entry.

    Attributes:
        kind: The kind of entry: encounter, robot, map..., or the name of a single entry such as ``world``.
        name: The entry's name; empty for single entries.
        text: What was edited, such as ``data.hp: 8 -> 16``.
        source: The position of the first edited value; its old position if it was removed.
    """

    kind: str
    name: str
    text: str
    source: Source

    @property
    def subject(self) -> str:
        """Kind and name in words."""
        return f"{self.kind} {self.name}".rstrip()


class _WrittenValue(NamedTuple):
    """A value as written in a content file, with the file, line and column."""

    value: object
    source: Source


def edits_between(before: Iterable[str], after: Iterable[str]) -> list[Edit]:
    """Return the edits between two contents, sorted by kind and name.

    Args:
        before: The content folder of the first content, then its mods, in the order in which they are applied.
        after: The same for the second content.
    """
    # Only the written values matter here: content is read without validation and without plugins.
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


def _value(said: _WrittenValue | None) -> object:
    return said and said.value


def _change(key: Key, before: _WrittenValue | None, after: _WrittenValue | None) -> str:
    """Return in words how one value was edited: ``data.hp: 8 -> 16``. Of two lists, only the elements that are not in both are named."""
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
        return f"{place} has changed"
    return f"{place}: {' -> '.join(text or 'nothing' for text in texts)}"


def _flow(value: object) -> str:
    """Return a value as one line of YAML."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_flow(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return "nothing" if value is None else str(value)


def _leaves(draft: ContentDraft) -> Iterator[tuple[Key, _WrittenValue]]:
    """Yield ((kind of entry, name of entry, YAML keys...), value) for every value that the content's files state.

    Values that an entry inherits from another entry are left out. A prefab's own drawing counts as the value of ``drawing``.
    """
    records = [
        each
        for kind, named in draft.records.items()
        for name, each in named.items()
        if kind != "prefab" or name not in draft.variants  # its keys are those of its prefab
    ]
    for record in [*records, *draft.singles.values()]:
        waiting: list[tuple[Key, object]] = [((), record.data)]
        while waiting:
            path, value = waiting.pop()
            if not record.is_own(*path):
                continue
            if isinstance(value, MarkedDict) and value:
                waiting += [((*path, key), each) for key, each in value.items()]
            else:
                yield (record.kind, record.name, *path), _WrittenValue(value, record.source(*path))
    for name, drawing in draft.drawings.items():
        if Path(drawing.file).stem != name:
            continue  # inherited from another prefab
        yield (
            ("prefab", name, "drawing"),
            _WrittenValue(drawing.data, Source(file=drawing.file, line=0, column=0)),
        )


def extract_revision(revision: str, folder: str | os.PathLike[str], into: Path) -> Path:
    """Write a content folder as it was in a git revision, and return the folder it was written to.

    Only `into` is written; the repository is not touched, even if the process is killed.

    Args:
        revision: Any name that git knows for a commit.
        folder: The content folder, inside the repository.
        into: The folder to write to; it is created.

    Raises:
        PlaytestError: git is missing, or it knows no such revision or no such folder in it.
    """
    archive = _git(folder, revision, "archive", "--format=tar", revision)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(into, filter="data")
    return into


class Revision(NamedTuple):
    """A commit that has changed a content folder.

    Attributes:
        commit: Its abbreviated hash; empty for the folder as it is now, with edits that are not committed.
        name: Its first tag, else `commit`; ``now`` for the folder as it is now.
        date: Its date, such as ``2026-11-29``; empty for the folder as it is now.
        subject: The first line of its message.
    """

    commit: str
    name: str
    date: str = ""
    subject: str = ""


NOW = Revision("", "now", subject="not committed")


def revisions_since(revision: str, folder: str | os.PathLike[str]) -> list[Revision]:
    """Return a commit, every later commit of the branch that changed a content folder, and the folder as it is now if it has edits.

    The oldest comes first. Of a merged branch, only the merge is returned.

    Args:
        revision: Any name that git knows for the first commit.
        folder: The content folder, inside the repository.

    Raises:
        PlaytestError: git is missing, or it knows no such revision.
    """
    told = ["log", "--first-parent", "--reverse", "--format=%h%x09%D%x09%cs%x09%s"]
    lines = [
        *_git(folder, revision, *told, "-1", revision, "--").decode().splitlines(),
        *_git(folder, revision, *told, f"{revision}..HEAD", "--", ".").decode().splitlines(),
    ]
    found = []
    for commit, names, date, subject in (line.split("\t", 3) for line in lines):
        tags = [each.removeprefix("tag: ") for each in names.split(", ") if each.startswith("tag: ")]
        found.append(Revision(commit, tags[0] if tags else commit, date, subject))
    edited = _git(folder, revision, "status", "--porcelain", "--", ".")
    return [*found, NOW] if edited else found


def _git(folder: str | os.PathLike[str], revision: str, *arguments: str) -> bytes:
    """Return the output of a git command about a revision of a folder; raise the errors of `extract_revision`."""
    if revision.startswith("-"):
        raise PlaytestError(f"{revision} is not the name of a git revision")
    command = ["git", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=True).stdout  # noqa: S603  # git, and no options
    except FileNotFoundError as error:
        raise PlaytestError(f"{revision} is no folder, and there is no git to look for a revision") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise PlaytestError(f"{revision} is neither a folder nor a revision of {folder}: {said}") from error
