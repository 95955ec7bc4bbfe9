"""What is wrong with a value of an *entry* (a prefab, a map, ...) as an author wrote it, before its file and line are known.

A *path* is the keys and list indices that lead to a value within
its entry: `("rooms", "count")`. A *model* is the pydantic class that an entry is read as.

pydantic's own errors become `ValueProblem`s here. `files.ProblemLog` adds the place in the file and makes
`Problem`s of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, RootModel, model_validator
from pydantic_core import PydanticCustomError

from dungeon.content.source.marks import holds_broken
from dungeon.core.errors import counted, nearest_match
from dungeon.core.parameters import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

T = TypeVar("T")

MAX_ENTRY_PROBLEMS = 200
"""Maximum number of problems listed for one entry; the others are only counted."""

NO_VALUE = object()
"""Marks "no value given" where None is itself a possible value."""

NOT_ALLOWED = "this value is not allowed here"
UNKNOWN_KEY = "this key is not known"
FREE = f"{UNKNOWN_KEY}; keys that only your game understands belong under 'data'"

WORD = re.compile(r"[\w/-]{1,60}")
"""Values that can be repeated in an example within a message: words of at most 60 characters."""

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
"""First word of a pydantic error type (`int_parsing`, `list_type`) -> our message."""

BOUNDS = {
    "greater_than_equal": ("ge", "a number of at least {} is needed here"),
    "greater_than": ("gt", "a number above {} is needed here"),
    "less_than_equal": ("le", "a number of at most {} is needed here"),
    "less_than": ("lt", "a number below {} is needed here"),
    "too_short": ("min_length", "at least {} must be listed here"),
    "too_long": ("max_length", "at most {} may be listed here"),
}
"""pydantic error type -> (key of the bound in the error's context, our message with a gap for the bound)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueProblem:
    """One problem with a value.

    Attributes:
        message: What is wrong, in one sentence without a full stop.
        path: Keys and list indices that lead to the wrong part, outermost first; empty for the whole value.
        value: The wrong part as it was read; `NO_VALUE` if messages should not show it.
        allowed: The values that would have been accepted, if they can be listed.
        key: Whether the last key of `path` is wrong, rather than the value under it.
    """

    message: str
    path: tuple[str | int, ...] = ()
    value: object = NO_VALUE
    allowed: Iterable[str] = ()
    key: bool = False

    def inside(self, *path: str | int, key: bool = False) -> ValueProblem:
        """Return a copy of the problem whose path begins with `path`, for the value in which the wrong value was found.

        Example: a problem at `("count",)`, inside `"rooms"`, is one at `("rooms", "count")`.

        Args:
            *path: The keys and indices to put before the problem's path.
            key: Whether the last key of `path` is wrong itself; used only if the problem's own path is empty.
        """
        return replace(self, path=(*path, *self.path), key=self.key or (key and not self.path))


class MisreadError(PydanticCustomError):
    """Raised for a value that can't be read; `problems` lists every reason. It is a ValueError.

    `problems` is empty if all reasons were reported already while the YAML file was parsed. The class derives from
    pydantic's own error, of which pydantic keeps only the message. Other exceptions are kept with their traceback, which
    takes kilobytes.
    """

    problems: tuple[ValueProblem, ...]

    def __new__(cls, problems: Iterable[ValueProblem]) -> Self:
        """Return the error for these problems."""
        listed = tuple(problems)
        reason = "; ".join(problem.message for problem in listed)
        self = super().__new__(cls, "misread", "{reason}", {"reason": reason, "problems": listed})
        self.problems = listed
        return self


def raise_any(problems: Iterable[ValueProblem]) -> None:
    """Raise a MisreadError with these problems, if there are any."""
    if found := list(problems):
        raise MisreadError(found)


class CheckedEntry(Entry):
    """Base class of models with rules about several keys at once, such as "`least` must not be above `most`"."""

    def problems(self) -> Iterable[ValueProblem]:
        """Return the problems that show only when several keys are compared; called when each key is valid by itself."""
        return ()

    def refused(self, *keys: str, message: str) -> list[ValueProblem]:
        """Return one problem for each of `keys` that the author wrote in this entry, all with the same message."""
        words = [self.written(key) for key in keys if key in self.model_fields_set]
        return [ValueProblem(message=message, path=(word,), value=word, key=True) for word in words]

    def written(self, key: str) -> str:
        """Return the key under which authors write the field `key` of this model: its alias (`with` for `with_`), or its name."""
        return type(self).model_fields[key].alias or key

    @model_validator(mode="after")
    def _is_right(self) -> Self:
        raise_any(self.problems())
        return self


def misread(
    message: str, value: object = NO_VALUE, *path: str | int, allowed: Iterable[str] = (), key: bool = False
) -> MisreadError:
    """Return a MisreadError with a single problem.

    Args:
        message: What is wrong.
        value: The wrong part as read.
        *path: The keys and indices that lead to that part within the value that is being read.
        allowed: The values that would have been accepted.
        key: Whether the last key of `path` is wrong, rather than its value.
    """
    return MisreadError([ValueProblem(message=message, path=path, value=value, allowed=allowed, key=key)])


def attempt(
    problems: list[ValueProblem], read: Callable[..., T], raw: object, *path: str | int, key: bool = False
) -> T | None:
    """Return `read(raw)`, or None if that raises a MisreadError, whose problems are then added to `problems`.

    Args:
        problems: The list to add problems to.
        read: Reads a part of a value.
        raw: That part as written.
        *path: The keys and indices that lead to the part within the whole value; put before the path of each problem.
        key: Whether the part is a key rather than a value.
    """
    try:
        return read(raw)
    except MisreadError as error:
        problems += [problem.inside(*path, key=key) for problem in error.problems]
        return None


def problems_of(error: ValidationError, model: type[BaseModel]) -> list[ValueProblem]:
    """Return pydantic's errors about data read as `model`, as problems with our own messages."""
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
            # A missing key has no place of its own: the place is the entry's. A key that is only misspelt
            # has been reported as an unknown key already.
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
    """Return the problem that a model has no such key.

    Args:
        model: The model; None if it is not known.
        key: The unknown key, as written.
        like: If `key` is a kind of object that the content declares, the built-in kind whose rules it follows: `item`.
        besides: Keys that the entry may have in addition to those of the model.
    """
    if reason := getattr(model, "NOT_HERE", {}).get(like or key):
        return ValueProblem(message=reason, path=(key,), value=key, key=True)
    allowed = sorted([*keys_of(model), *besides])
    is_free = "data" in allowed and nearest_match(str(key), allowed) in (None, "data")
    return ValueProblem(
        message=FREE if is_free else UNKNOWN_KEY, path=(key,), value=key, allowed=allowed, key=True
    )


def _problems(details: ErrorDetails, model: type[BaseModel]) -> Iterator[ValueProblem]:
    """Yield our problems for one error of pydantic's; none if the YAML reader has reported its value as unreadable."""
    value, context = details["input"], details.get("ctx", {})
    path = details["loc"]
    key = path[-1:] == ("[key]",)
    if key:
        path = path[:-1]
    if details["type"] == "misread":
        problems: tuple[ValueProblem, ...] = context["problems"]
        yield from (problem.inside(*path, key=key) for problem in problems if not holds_broken(problem.value))
    elif not holds_broken(value):  # a value that could not be read has been reported by the YAML reader
        message, allowed = _in_plain_words(details, context)
        if message == NEEDED["mapping"] and path:
            is_entry = details["type"].startswith("model")
            message += _such_as(value, model_at(model, path) if is_entry else None)
        yield ValueProblem(message=message, path=path, value=value, allowed=allowed, key=key)


def _in_plain_words(details: ErrorDetails, context: dict[str, Any]) -> tuple[str, list[str]]:
    """Return our message for a pydantic error, and the allowed values (empty if they can't be listed)."""
    kind = details["type"]
    needed = NEEDED.get(kind.split("_", maxsplit=1)[0])
    if kind in BOUNDS:
        name, message = BOUNDS[kind]
        bound = counted(context[name], "item") if kind.startswith("too_") else context[name]
        return message.format(bound), []
    if kind in ("literal_error", "enum"):
        words = str(context["expected"]).replace(" or ", ", ").split(", ")
        return NOT_ALLOWED, [word.strip("'") for word in words]
    if needed and kind.endswith(("_type", "_parsing", "_from_float", "_number")):
        return needed, ["false", "true"] if kind.startswith("bool") else []
    if "error" in context:
        return str(context["error"]), []
    return details["msg"][0].lower() + details["msg"][1:], []


def _such_as(value: object, model: type[BaseModel] | None) -> str:
    """Return the end of a message that shows the mapping which the author likely meant; empty text if that can't be guessed.

    Example: for the value 3 and a model whose first key is `count`, ", such as {count: 3}".

    Args:
        value: The value as written; of a list its first item is used.
        model: The model of the missing mapping; None if it has none.
    """
    fields = model.model_fields if model and model.model_config.get("extra") != "allow" else {}
    known = [field.alias or name for name, field in fields.items()]
    first = value[0] if isinstance(value, list) and value else value
    if first is None or not WORD.fullmatch(str(first)):
        return ""
    if known:
        return f", such as {{{known[0]}: {first}}}"
    return f", such as {{{first}: ...}}" if isinstance(first, str) else f", such as {{...: {first}}}"


def keys_of(model: type[BaseModel] | None) -> list[str]:
    """Return the keys of a model as authors write them, in alphabetical order."""
    if model is None:
        return []
    return sorted(field.alias or name for name, field in model.model_fields.items())


def model_at(model: type[BaseModel], path: tuple[str | int, ...]) -> type[BaseModel] | None:
    """Return the model of the part of an entry at `path`; None if that part has no model.

    Args:
        model: The model of the entry.
        path: The keys and indices that lead to the part.
    """
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
