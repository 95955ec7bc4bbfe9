"""What is wrong with a value, in an author's words, before anyone knows in which file it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, RootModel, model_validator
from pydantic_core import PydanticCustomError

from dungeon.content.source.marks import holds_broken
from dungeon.core.errors import nearest_match
from dungeon.core.parameters import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

T = TypeVar("T")

MAX_ENTRY_PROBLEMS = 200
"""How many things that are wrong with one entry are listed."""

UNSAID = object()
"""Stands for no value, where None is one."""

NOT_ALLOWED = "this is not allowed here"
UNKNOWN_KEY = "this key is not known"
FREE = f"{UNKNOWN_KEY}; what only your game understands stands under 'data'"

WORD = re.compile(r"[\w/-]{1,60}")
"""What is shown of a value in an example."""

NEEDED = {
    "bool": "true or false is needed here",
    "dict": "a mapping of keys to values is needed here",
    "finite": "a number is needed here",
    "float": "a number is needed here",
    "frozen": "a list is needed here",
    "int": "a whole number is needed here",
    "list": "a list is needed here",
    "mapping": "a mapping of keys to values is needed here",
    "model": "a mapping of keys to values is needed here",
    "set": "a list is needed here",
    "string": "text is needed here",
    "tuple": "a list is needed here",
}
"""The first word of pydantic's names for errors of type -> what to say."""

BOUNDS = {
    "greater_than_equal": ("ge", "at least {} is needed here"),
    "greater_than": ("gt", "more than {} is needed here"),
    "less_than_equal": ("le", "at most {} is allowed here"),
    "less_than": ("lt", "less than {} is needed here"),
    "too_short": ("min_length", "at least {} must be listed here"),
    "too_long": ("max_length", "at most {} may be listed here"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueProblem:
    """One thing that is wrong with a value.

    Attributes:
        message: What it is, in one sentence without a full stop.
        path: Which part of the value is meant, from the outside in.
        value: That part as it was read, if it should be shown.
        allowed: What would have been accepted, where that can be listed.
        key: Whether the key at the end of the path is meant, rather than its value.
    """

    message: str
    path: tuple[str | int, ...] = ()
    value: object = UNSAID
    allowed: Iterable[str] = ()
    key: bool = False

    def inside(self, *path: str | int, key: bool = False) -> ValueProblem:
        """Return the fault as that of the whole whose part at `path` has it."""
        return replace(self, path=(*path, *self.path), key=self.key or (key and not self.path))


class MisreadError(PydanticCustomError):
    """A value is not what it should be; every reason is in `problems`. It is a ValueError.

    There is no reason in it where all that is wrong was reported when the file was read.
    Of its own kind of error pydantic keeps what it says and not the exception, whose traceback takes kilobytes.
    """

    problems: tuple[ValueProblem, ...]

    def __new__(cls, problems: Iterable[ValueProblem]) -> Self:
        """Make the error of these faults."""
        listed = tuple(problems)
        reason = "; ".join(problem.message for problem in listed)
        self = super().__new__(cls, "misread", "{reason}", {"reason": reason, "problems": listed})
        self.problems = listed
        return self


def raise_any(problems: Iterable[ValueProblem]) -> None:
    """Raise a MisreadError of faults, if there are any."""
    if found := list(problems):
        raise MisreadError(found)


class CheckedEntry(Entry):
    """An entry of which more may be wrong than a single key tells."""

    def problems(self) -> Iterable[ValueProblem]:
        """Return what is wrong with it, once each of its keys has been read."""
        return ()

    def refused(self, *keys: str, message: str) -> list[ValueProblem]:
        """Return the fault that it has a key, for those of these that it has."""
        words = [self.written(key) for key in keys if key in self.model_fields_set]
        return [ValueProblem(message=message, path=(word,), value=word, key=True) for word in words]

    def written(self, key: str) -> str:
        """Return what authors write for a key."""
        return type(self).model_fields[key].alias or key

    @model_validator(mode="after")
    def _is_right(self) -> Self:
        raise_any(self.problems())
        return self


def misread(
    message: str, value: object = UNSAID, *path: str | int, allowed: Iterable[str] = (), key: bool = False
) -> MisreadError:
    """Return the error that one thing is wrong."""
    return MisreadError([ValueProblem(message=message, path=path, value=value, allowed=allowed, key=key)])


def attempt(
    problems: list[ValueProblem], read: Callable[..., T], raw: object, *path: str | int, key: bool = False
) -> T | None:
    """Return what `read` makes of a part of a value, or None after adding what is wrong with it."""
    try:
        return read(raw)
    except MisreadError as error:
        problems += [problem.inside(*path, key=key) for problem in error.problems]
        return None


def problems_of(error: ValidationError, model: type[BaseModel]) -> list[ValueProblem]:
    """Return what pydantic found wrong with the data of a model, in our words."""
    errors = error.errors(include_url=False)
    found: list[ValueProblem] = []
    meant = set()
    for details in errors[:MAX_ENTRY_PROBLEMS]:
        if details["type"] == "extra_forbidden":
            *path, key = details["loc"]
            within = model_at(model, tuple(path))
            meant.add((*path, nearest_match(str(key), keys_of(within))))
            found.append(unknown_key(within, key).inside(*path))
    for details in errors[:MAX_ENTRY_PROBLEMS]:
        if details["type"] == "missing":
            # The key is not there, so the place is that of the entry which lacks it. Nor is it missing twice:
            # a key that is only misspelt has been reported.
            *path, key = details["loc"]
            if details["loc"] not in meant:
                found.append(ValueProblem(message=f"{key!r} is missing", path=details["loc"], key=True))
        elif details["type"] != "extra_forbidden":
            found += _problems(details, model)
    if len(errors) > MAX_ENTRY_PROBLEMS:
        found.append(
            ValueProblem(
                message=f"there are {len(errors) - MAX_ENTRY_PROBLEMS} more problems in this entry", key=True
            )
        )
    return found


def unknown_key(
    model: type[BaseModel] | None, key: str | int, like: object = None, besides: Iterable[str] = ()
) -> ValueProblem:
    """Return the fault that entries of a model have no such key.

    Args:
        model: The model.
        key: The key.
        like: The key that it is another word for, if it is.
        besides: Keys that entries may have besides those of the model.
    """
    if reason := getattr(model, "NOT_HERE", {}).get(like or key):
        return ValueProblem(message=reason, path=(key,), value=key, key=True)
    allowed = sorted([*keys_of(model), *besides])
    is_free = "data" in allowed and nearest_match(str(key), allowed) in (None, "data")
    return ValueProblem(
        message=FREE if is_free else UNKNOWN_KEY, path=(key,), value=key, allowed=allowed, key=True
    )


def _problems(details: ErrorDetails, model: type[BaseModel]) -> Iterator[ValueProblem]:
    value, context = details["input"], details.get("ctx", {})
    path = details["loc"]
    key = path[-1:] == ("[key]",)
    if key:
        path = path[:-1]
    if details["type"] == "misread":
        problems: tuple[ValueProblem, ...] = context["problems"]
        yield from (problem.inside(*path, key=key) for problem in problems if not holds_broken(problem.value))
    elif not holds_broken(value):  # what could not be read has been reported where it stands
        message, allowed = _in_plain_words(details, context)
        if message == NEEDED["mapping"] and path:
            is_entry = details["type"].startswith("model")
            message += _such_as(value, model_at(model, path) if is_entry else None)
        yield ValueProblem(message=message, path=path, value=value, allowed=allowed, key=key)


def _in_plain_words(details: ErrorDetails, context: dict[str, Any]) -> tuple[str, list[str]]:
    """Return what is wrong, and what is allowed where that can be listed."""
    kind = details["type"]
    needed = NEEDED.get(kind.split("_", maxsplit=1)[0])
    if kind in BOUNDS:
        name, message = BOUNDS[kind]
        return message.format(context[name]), []
    if kind in ("literal_error", "enum"):
        words = str(context["expected"]).replace(" or ", ", ").split(", ")
        return NOT_ALLOWED, [word.strip("'") for word in words]
    if needed and kind.endswith(("_type", "_parsing", "_from_float", "_number")):
        return needed, ["false", "true"] if kind.startswith("bool") else []
    if "error" in context:
        return str(context["error"]), []
    return details["msg"][0].lower() + details["msg"][1:], []


def _such_as(value: object, model: type[BaseModel] | None) -> str:
    """Return the mapping that was most likely meant by a value that is none, for a message to end with."""
    fields = model.model_fields if model and model.model_config.get("extra") != "allow" else {}
    known = [field.alias or name for name, field in fields.items()]
    first = value[0] if isinstance(value, list) and value else value
    if first is None or not WORD.fullmatch(str(first)):
        return ""
    if known:
        return f", such as {{{known[0]}: {first}}}"
    return f", such as {{{first}: ...}}" if isinstance(first, str) else f", such as {{...: {first}}}"


def keys_of(model: type[BaseModel] | None) -> list[str]:
    """Return the keys that an entry of this model may have, as authors write them."""
    if model is None:
        return []
    return sorted(field.alias or name for name, field in model.model_fields.items())


def model_at(model: type[BaseModel], path: tuple[str | int, ...]) -> type[BaseModel] | None:
    """Return the model of the part of an entry that a path leads to."""
    current: type[BaseModel] | None = model
    for step in path:
        if current is not None and issubclass(current, RootModel):
            current = _model_in(current.model_fields["root"].annotation)
        elif current is not None and isinstance(step, str):
            fields = {each.alias or name: each for name, each in current.model_fields.items()}
            if step in fields:
                current = _model_in(fields[step].annotation)
            elif current.model_config.get("extra") == "allow":
                current = _model_in(get_type_hints(current)["__pydantic_extra__"])
    return current


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for each in get_args(annotation) if (found := _model_in(each))), None)
