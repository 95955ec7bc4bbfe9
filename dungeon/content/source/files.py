"""Reading a content folder into *records*: entries (prefabs, maps, ...) as written, with the line and column of each value.

A `ProblemLog` collects every problem. A *path* is the keys and list indices that lead to a value within the entry; a *mark* is the
line and column of a value. *Layers* are the base content and the mods over it.
"""

from __future__ import annotations

import hashlib
import re
import stat
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path  # noqa: TC003  # a NamedTuple's annotations are read
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from dungeon.content.source.marks import BROKEN, Mark, MarkedDict, holds_broken, locate
from dungeon.content.source.names import NameList, Names
from dungeon.content.source.problems import NO_VALUE, ValueProblem, problems_of
from dungeon.content.source.reader import Parsed, read_yaml
from dungeon.core.errors import Problem, Severity, Source, printable, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

M = TypeVar("M", bound=BaseModel)

FILE_ENDINGS = (".yaml", ".yml", ".xp")

LEFTOVER = re.compile(
    r".*~|#.*#|.*\.(bak|orig|rej|old|save|tmp|sw[opx]|part)|thumbs\.db|desktop\.ini|4913", re.IGNORECASE
)
"""Names of backup, lock and preview files that editors and file managers leave in a folder.

They are not read.
"""

MAX_PROBLEMS = 1000
"""Maximum number of problems listed; more are only counted."""


def digest_of(parts: Iterable[bytes]) -> str:
    """Return the SHA-256 digest of several byte strings; `[b"ab", b"c"]` and `[b"a", b"bc"]` give different digests."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.hexdigest()


class ContentFile(NamedTuple):
    """A file of a content folder.

    Attributes:
        path: Its path, to open it.
        place: Its path within the content folder, with slashes: ``maps/caves.yaml``.
        shown: Its path as messages show it.
        layer: Index of its folder among the layers: 0 for the base content, then the mods.
    """

    path: Path
    place: str
    shown: str
    layer: int = 0

    @property
    def key(self) -> str:
        """A text that identifies the file among those of all layers, wherever the folders lie on the disk: ``1/maps/caves.yaml``."""
        return f"{self.layer}/{self.place}" if self.layer else self.place


@dataclass
class Record:
    """An entry as written: its kind, name and file, and its data with the place of every key and value.

    Attributes:
        kind: What authors call such an entry: prefab, encounter, ...
        name: Its name; empty for a file that is one entry.
        file: The file it is written in, as messages call it.
        root: All data of that file.
        path: Where the entry's data is within `root`.
        removed: Path of each part that a mod removed -> where the mod says so.
        taken: Path of each part that came from another entry by `like` -> that entry.
    """

    kind: str
    name: str
    file: str
    root: object
    path: tuple[str | int, ...]
    removed: Mapping[tuple[str | int, ...], Mark] = field(default_factory=dict)
    taken: Mapping[tuple[str | int, ...], Record] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The name of the entry in messages: ``prefab 'store'``."""
        return f"{self.kind} '{written(self.name)}'" if self.name else self.kind

    @cached_property
    def data(self) -> object:
        """The data of the entry as the author wrote it."""
        return self.part()

    def part(self, *path: str | int) -> object:
        """Return the part of the entry's data to which the keys and indices in `path` lead; it must exist."""
        data: Any = self.root
        for step in (*self.path, *path):
            data = data[step]
        return data

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The keys and values of the entry as written; empty if its data is no mapping."""
        data = self.data
        return data if isinstance(data, dict) else {}

    @property
    def is_lost(self) -> bool:
        """Whether the entry takes keys from another entry (`like`) that can't be found, so that part of its data is unknown."""
        return self.fields.get("like") is BROKEN

    def owner(self, *path: str | int) -> Record:
        """Return the entry in which the part at `path` is written: this one, or one from which it takes keys by `like`."""
        owner, starts = self, [path[:end] for end in range(1, len(path) + 1)]
        while owner.taken:
            giver = next((owner.taken[start] for start in starts if start in owner.taken), None)
            if giver is None:
                break
            owner = giver
        return owner

    def is_own(self, *path: str | int) -> bool:
        """Tell whether the part at `path` is written in this entry itself, rather than taken from another one by `like`."""
        return self.owner(*path) is self

    def mark(self, *path: str | int, key: bool = False) -> Mark:
        """Return the mark (line and column) of the value at `path`, or of its key if `key` is set."""
        if path in self.removed:
            return self.removed[path]
        return locate(self.root, (*self.path, *path), key=key)

    def source(self, *path: str | int, key: bool = False) -> Source:
        """Return the file, line and column of the value at `path`, or of its key if `key` is set."""
        mark = self.mark(*path, key=key)
        return Source(file=mark.file or self.file, line=mark.line, column=mark.column)


@dataclass(slots=True)
class ProblemLog:
    """All problems found so far.

    Attributes:
        problems: The errors.
        remarks: Warnings and notes.
        told: (place, entry if the place has no line, message, value, severity) of each problem. A second one at the same place is not added: a prefab and its
            variants share the same keys.
        unlisted: How many errors were found beyond the first `MAX_PROBLEMS`.
        unlisted_remarks: The same for warnings and notes.
    """

    problems: list[Problem] = field(default_factory=list)
    remarks: list[Problem] = field(default_factory=list)
    told: set[tuple[Source, str, str, str | None, Severity]] = field(default_factory=set)
    unlisted: int = 0
    unlisted_remarks: int = 0

    def take(self, problems: Iterable[Problem]) -> None:
        """Add problems, except those with the same place, message and value as an earlier one.

        Without that, each entry that uses the same drawing would report the same mistake in it.
        """
        told = {(each.source, each.message, each.value) for each in self.problems}
        for problem in problems:
            if (problem.source, problem.message, problem.value) in told:
                continue
            if len(self.problems) < MAX_PROBLEMS:
                self.problems.append(problem)
            else:
                self.unlisted += 1

    def file(self, file: str, message: str) -> None:
        """Add a problem with a whole file or folder; `file` is its path as messages show it."""
        self._add(Source(file=file), "", ValueProblem(message=message))

    def add(
        self, record: Record, message: str, *path: str | int, value: object = NO_VALUE, key: bool = False
    ) -> None:
        """Add a problem with the value at `path` of an entry, or with its key if `key` is set."""
        self.report(record, [ValueProblem(message=message, path=path, value=value, key=key)])

    def report(self, record: Record, problems: Iterable[ValueProblem], severity: Severity = "error") -> None:
        """Add several problems of an entry, each at the place to which its path leads.

        Problems with a value that the YAML reader reported as unreadable are left out.

        Args:
            record: The entry as written.
            problems: The problems.
            severity: "error", "warning" or "note", for all of them.
        """
        for problem in problems:
            if holds_broken(problem.value):
                continue
            self._add(record.source(*problem.path, key=problem.key), record.label, problem, severity)

    def remark(self, source: Source, entry: str, problem: ValueProblem, severity: Severity) -> None:
        """Add a warning or note at a place of a file, given by its line and column rather than by a path within an entry.

        Args:
            source: The file, line and column.
            entry: The label of the entry that is meant; empty for none.
            problem: Its message, value and allowed names are used; its path is ignored.
            severity: "warning" or "note".
        """
        self._add(source, entry, problem, severity)

    def surplus(self, folder: str) -> list[Problem]:
        """Return at most two problems: how many errors are not listed, and how many warnings and notes are not listed.

        They are left out where the number is 0. The path `folder` is shown as the place of both.
        """
        counts: list[tuple[int, str, Severity]] = [
            (self.unlisted, "problems", "error"),
            (self.unlisted_remarks, "warnings and notes", "warning"),
        ]
        return [
            Problem(
                source=Source(file=printable(folder)),
                message=f"there are {count} more {what} than those listed here",
                severity=severity,
            )
            for count, what, severity in counts
            if count
        ]

    def _add(self, source: Source, entry: str, problem: ValueProblem, severity: Severity = "error") -> None:
        """Add a problem with its place in a file, unless it is told already; if `MAX_PROBLEMS` are listed already, only count it.

        Args:
            source: The file, line and column.
            entry: The label of the entry; may be empty.
            problem: Its message, value and allowed names are used.
            severity: "error", "warning" or "note".
        """
        into = self.problems if severity == "error" else self.remarks
        message = problem.message
        value = None
        if problem.value is None:
            message += ", but there is no value"
        elif problem.value is not NO_VALUE:
            value = written(problem.value)
        key = source, "" if source.line else entry, message, value, severity
        if key in self.told:  # in `cell: 3x3` both numbers are too low, and have the same place
            return
        self.told.add(key)
        if len(into) >= MAX_PROBLEMS:
            self.unlisted += severity == "error"
            self.unlisted_remarks += severity != "error"
            return
        names = problem.allowed if isinstance(problem.allowed, NameList) else NameList(problem.allowed)
        into.append(
            Problem(
                source=source,
                entry=entry,
                message=message,
                value=value,
                allowed=names.listed,
                nearest=names.nearest(str(problem.value)) if value else None,
                severity=severity,
            )
        )


def content_files(folder: Path, log: ProblemLog, layer: int = 0) -> list[ContentFile]:
    """Return the files of a content folder in a fixed order, without hidden files and leftovers of editors.

    Links to folders are followed, but no folder is read twice.

    Args:
        folder: The folder.
        log: The log to which problems are added.
        layer: Index of the folder among the layers: 0 for the base content, then the mods.
    """
    found: list[ContentFile] = []
    seen: dict[tuple[int, int], str] = {}
    waiting = [(folder, "")]
    while waiting:
        here, place = waiting.pop()
        shown = printable(str(here))
        try:
            status = here.stat()
            paths = sorted(here.iterdir())
        except OSError as error:
            log.file(shown, f"the folder cannot be read: {error.strerror or error}")
            continue
        first = seen.setdefault((status.st_dev, status.st_ino), shown)
        if first != shown:
            log.file(shown, f"this folder is a link to {first}, which is read already")
            continue
        folders = []
        for path in paths:
            if path.name.startswith((".", "__")) or LEFTOVER.fullmatch(path.name):
                continue
            if path.is_dir() and path.suffix in FILE_ENDINGS:
                log.file(printable(str(path)), "this is a folder, but a file is needed here")
            elif path.is_dir():
                folders.append((path, f"{place}{path.name}/"))
            else:
                found.append(ContentFile(path, place + path.name, printable(str(path)), layer))
        waiting += reversed(folders)
    return found


def read_bytes(file: ContentFile, most: int, log: ProblemLog) -> bytes | None:
    """Return the first bytes of a file, or None if it can't be read, which is logged.

    At most `most` + 1 bytes are read; if there are that many, the caller knows that the file is too large.
    """
    try:
        # Opening a pipe would wait for its writer, and a device may have no end.
        if not stat.S_ISREG(file.path.stat().st_mode):
            log.file(file.shown, "the file cannot be read: it is a pipe or device")
            return None
        with file.path.open("rb") as stream:
            return stream.read(most + 1)
    except OSError as error:
        log.file(file.shown, f"the file cannot be read: {error.strerror or error}")
        return None


def parse_file(file: ContentFile, data: bytes | None, log: ProblemLog) -> Parsed:
    """Parse a YAML file, as far as it can be read, and log its problems.

    Args:
        file: The file.
        data: Its bytes; None if it can't be opened.
        log: The log to which problems are added.
    """
    if data is None:
        return Parsed(None, [], whole=False)
    parsed = read_yaml(data, file.shown)
    log.take(parsed.problems)
    return parsed


def records_of(kind: str, parsed: Parsed, file: ContentFile, log: ProblemLog) -> Iterator[Record]:
    """Yield the entries of a file that maps names to entries of one kind; log a problem if the file holds no mapping.

    Args:
        kind: What authors call such an entry: prefab, encounter, ...
        parsed: The data of the file.
        file: The file.
        log: The log to which the problem is added.
    """
    root = parsed.root
    if isinstance(root, MarkedDict):
        for name in root:
            yield Record(kind, name, file.shown, root, (name,))
    elif root is not None:
        record = Record(kind, "", file.shown, root, ())
        log.add(record, f"a mapping of names to {kind} entries is needed here", value=root)


def validate(model: type[M], record: Record, names: Names, log: ProblemLog, data: object = None) -> M | None:
    """Return an entry as a model; if it is invalid, log every problem and return None.

    Problems in a part that came from another entry by `like` are not logged: they are logged for that other
    entry.

    Args:
        model: The model.
        record: The entry as written.
        names: The names that the entry may refer to.
        log: The log to which problems are added.
        data: Data to validate in place of the record's own.
    """
    try:
        return model.model_validate(record.data if data is None else data, context=names)
    except ValidationError as error:
        problems = problems_of(error, model)
        log.report(record, (problem for problem in problems if record.is_own(*problem.path)))
        return None
