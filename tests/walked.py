"""A walk through all that can be reached from a value, in search of what could be changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cached_property
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np
from pydantic import BaseModel

from dungeon.core.registry import Layout

ATOMS = (str, int, float, complex, bool, bytes, type(None), Enum, range, type)
CODE = (FunctionType, BuiltinFunctionType, MethodType, Layout)


def changeable(value: object, path: str = "it", seen: dict[int, object] | None = None) -> Iterator[str]:
    """Yield the path of everything that could be changed, by trying to, and of what nobody knows."""
    seen = {} if seen is None else seen
    if isinstance(value, (*ATOMS, *CODE)) or id(value) in seen:
        return
    seen[id(value)] = value
    if isinstance(value, np.ndarray):
        if _writes(value):
            yield f"{path}: an array"
    elif isinstance(value, Mapping):
        if _lets(lambda: value.__setitem__("new", 1)):  # type: ignore[attr-defined]
            yield f"{path}: a mapping"
        for key in value:
            yield from changeable(key, f"{path} key {key!r}", seen)
            yield from changeable(value[key], f"{path}[{key!r}]", seen)
    elif isinstance(value, tuple | frozenset):
        for number, each in enumerate(value):
            yield from changeable(each, f"{path}[{number}]", seen)
    elif is_dataclass(value) or isinstance(value, BaseModel):
        yield from _parts(value, path, seen)
    else:
        yield f"{path}: {type(value).__name__}"


def _parts(value: Any, path: str, seen: dict[int, object]) -> Iterator[str]:
    names = list(
        type(value).model_fields if isinstance(value, BaseModel) else [each.name for each in fields(value)]
    )
    for name in names:
        now = getattr(value, name)
        if _lets(lambda name=name, now=now: setattr(value, name, now)):  # type: ignore[misc]
            yield f"{path}.{name}: an attribute"
        if not name.startswith("_") and name != "notes":  # what has been found out is kept there
            yield from changeable(now, f"{path}.{name}", seen)
    members = {name: member for each in type(value).__mro__ for name, member in vars(each).items()}
    for name, member in members.items():
        # Which fields were given is pydantic's business, and `tables` are what a layout has found out about its parameters.
        if (
            not isinstance(member, property | cached_property)
            or name.startswith(("_", "model_"))
            or name == "tables"
        ):
            continue
        found = getattr(value, name)
        if found is getattr(value, name):  # what is made anew for whoever asks is his own
            yield from changeable(found, f"{path}.{name}", seen)


def _writes(array: np.ndarray[Any, Any]) -> bool:
    """Tell whether an array, or what it lies in, can be written to, even if one asks for that."""
    held: Any = array
    while isinstance(held, np.ndarray):
        if held.flags.writeable or _lets(lambda held=held: held.setflags(write=True)):  # type: ignore[misc]
            return True
        held = held.base
    return False


def _lets(change: Any) -> bool:
    try:
        change()
    except (TypeError, AttributeError, ValueError):
        return False
    return True
