"""Reading the files of a content folder into checked entries, with every problem found on the way."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from dungeon.content.marks import Mark, MarkedDict, locate, read_yaml
from dungeon.errors import Problem, Severity, Source, nearest_match

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pydantic_core import ErrorDetails

M = TypeVar("M", bound=BaseModel)

Path_ = tuple["str | int", ...]

SHOWN = 60
"""How many characters of a bad value a message shows."""


@dataclass(slots=True)
class Record:
    """An entry as written: its kind, name, file, and the marked data to find places in.

    Attributes:
        kind: What authors call such an entry: prefab, encounter...
        path: Where its data begins in the file's root.
    """

    kind: str
    name: str
    file: str
    root: object
    path: Path_

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"{self.kind} {self.name!r}" if self.name else self.kind

    @property
    def data(self) -> object:
        """Its data as written."""
        data: Any = self.root
        for step in self.path:
            data = data[step]
        return data

    def mark(self, *path: str | int, key: bool = False) -> Mark:
        """Return the place of a value of it, or of that value's key."""
        return locate(self.root, (*self.path, *path), key=key)

    def source(self, *path: str | int, key: bool = False) -> Source:
        """Like `mark`, with the file's name."""
        mark = self.mark(*path, key=key)
        return Source(file=self.file, line=mark.line, column=mark.column)


@dataclass(slots=True)
class Findings:
    """All problems found so far."""

    problems: list[Problem] = field(default_factory=list)

    def add(
        self,
        record: Record,
        path: Sequence[str | int],
        message: str,
        *,
        value: str | None = None,
        allowed: Iterable[str] = (),
        key: bool = False,
        severity: Severity = "error",
    ) -> None:
        """Add a problem with a value of an entry, or with its key."""
        names = tuple(allowed)
        self.problems.append(
            Problem(
                source=record.source(*path, key=key),
                entry=record.label,
                message=message,
                value=value,
                allowed=names,
                nearest=nearest_match(value, names) if value is not None else None,
                severity=severity,
            )
        )

    def unknown(
        self,
        record: Record,
        path: Sequence[str | int],
        what: str,
        value: str,
        allowed: Iterable[str],
        *,
        key: bool = False,
    ) -> None:
        """Add the problem that a name is not known."""
        self.add(
            record, path, f"there is no {what} of this name", value=value, allowed=sorted(allowed), key=key
        )


def content_files(folder: Path) -> list[Path]:
    """Return the files of a content folder in a fixed order, hidden ones left out."""
    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        found += [Path(parent, name) for name in sorted(files) if not name.startswith(".")]
    return found


def parse_file(path: Path, file: str, findings: Findings) -> object:
    """Return the marked data of a YAML file; None where nothing could be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        findings.problems.append(Problem(source=Source(file=file), message=f"cannot be read: {reason}"))
        return None
    root, problems = read_yaml(data, file)
    findings.problems += problems
    return root


def entries_of(kind: str, root: object, file: str, findings: Findings) -> list[Record]:
    """Return the entries of a file that maps names to entries."""
    if root is None:
        return []
    if not isinstance(root, MarkedDict):
        source = Source(file=file, line=1, column=1)
        message = f"a mapping of names to {kind} entries is needed here"
        findings.problems.append(Problem(source=source, message=message))
        return []
    return [Record(kind, name, file, root, (name,)) for name in root]


def validate(
    model: type[M], record: Record, findings: Findings, path: Path_ = (), data: object = None
) -> M | None:
    """Return the entry as a model, or None after adding everything that is wrong with it.

    Args:
        model: The model.
        record: The entry.
        findings: Takes the problems.
        path: Where in the entry the data stands, if not at its beginning.
        data: The data, if not the whole entry's.
    """
    try:
        return model.model_validate(record.data if data is None else data)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            _report(model, record, findings, path, details)
        return None


def _report(
    model: type[BaseModel], record: Record, findings: Findings, path: Path_, details: ErrorDetails
) -> None:
    kind = details["type"]
    loc: Path_ = details["loc"]
    at = (*path, *loc)
    context = details.get("ctx", {})
    shown = _shown(details["input"])
    if kind == "missing":
        # The key is not there, so the place is that of the entry which lacks it.
        findings.add(record, (*path, *loc[:-1]), f"{loc[-1]!r} is missing", key=True)
    elif kind == "extra_forbidden":
        allowed = keys_of(model_at(model, loc[:-1]))
        findings.add(record, at, "this key is not known", value=str(loc[-1]), allowed=allowed, key=True)
    elif kind == "among":
        findings.add(record, at, details["msg"], value=shown, allowed=context["allowed"])
    elif kind == "literal_error":
        allowed = re.findall(r"'([^']*)'", str(context["expected"]))
        findings.add(record, at, "this is not one of the words allowed here", value=shown, allowed=allowed)
    elif kind == "value_error":
        findings.add(record, at, str(context["error"]), key=loc[-1:] == ("[key]",))
    else:
        findings.add(record, at, details["msg"][0].lower() + details["msg"][1:], value=shown)


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def keys_of(model: type[BaseModel] | None) -> list[str]:
    """Return the keys that an entry of this model may have, as authors write them."""
    if model is None:
        return []
    return sorted(field.alias or name for name, field in model.model_fields.items())


def model_at(model: type[BaseModel], loc: Path_) -> type[BaseModel] | None:
    """Return the model of the part of an entry that a validation error's path leads to."""
    current: type[BaseModel] | None = model
    for step in loc:
        if current is None or not isinstance(step, str):
            continue
        fields = {each.alias or name: each for name, each in current.model_fields.items()}
        if step in fields:
            current = _model_in(fields[step].annotation)
    return current


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for each in get_args(annotation) if (found := _model_in(each))), None)
