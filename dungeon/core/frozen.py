"""Immutable values: frozen mappings and read-only arrays, their pickling, a cache for derived values, and short reprs.

Levels and content are shared by game systems and threads. So everything in them is *frozen*, down to the last list.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache, lru_cache
from reprlib import Repr
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray


ABSENT = object()


class Derived(dict[Any, Any]):
    """A cache of results that are computed from a frozen (immutable) value and kept with it.

    Args:
        most: Maximum number of results; the oldest is dropped for a new one. None keeps all.
    """

    __slots__ = ("_most",)

    def __init__(self, most: int | None = None) -> None:
        super().__init__()
        self._most = most

    def once(self, key: Hashable, make: Callable[..., T], *args: Any) -> T:
        """Return the cached result under `key`. If there is none yet, call `make(*args)` and cache what it returns."""
        found: T = self.get(key, ABSENT)
        if found is ABSENT:
            if self._most is not None and len(self) >= self._most:
                self.pop(next(iter(self.copy())), None)  # a copy: other threads may add results
            found = self[key] = make(*args)
        return found


K = TypeVar("K")
V = TypeVar("V")
S = TypeVar("S", bound=np.generic)
T = TypeVar("T")


class Frozen(dict[K, V]):
    """An immutable dict whose values are frozen, too.

    Lists in it become tuples, sets frozensets, dicts `Frozen`, and arrays read-only copies. The mapping is hashable if its
    values are. It equals any other mapping that has the same keys and, after `freeze`, the same values. `dict(frozen)` is a
    copy that can be changed.
    """

    __slots__ = ()

    def __new__(cls, *args: Any, **more: Any) -> Self:
        """Return `dict(*args, **more)`, frozen."""
        return cls.holding({key: freeze(value) for key, value in dict(*args, **more).items()})

    @classmethod
    def holding(cls, items: Mapping[K, V]) -> Self:
        """Return a frozen mapping of values that are frozen already. The values are not checked."""
        mapping = dict.__new__(cls)
        dict.update(mapping, items)
        return mapping

    def __init__(self, *args: Any, **more: Any) -> None:
        pass  # `dict.__init__` would add items when it is called again

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this mapping can't be changed; dict(it) is a copy that can")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Frozen):
            return super().__eq__(other)
        if isinstance(other, Mapping):
            return super().__eq__(freeze(other))
        return NotImplemented

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[Frozen[K, V]], tuple[dict[K, V]]]:
        return type(self), (dict(self),)


NOTHING: Frozen[Any, Any] = Frozen()
"""The shared empty mapping."""


def nothing() -> Frozen[Any, Any]:
    """Return the shared empty mapping: the `default_factory` of mapping fields."""
    return NOTHING


LOOSE = frozenset({dict, list, set})
"""The mutable types that pydantic leaves in the fields of a model."""


def freeze(value: Any) -> Any:
    """Return a value with every mapping, list, set and array in it frozen. Other values are returned unchanged."""
    frozen = _frozen_as(value.__class__)
    return value if frozen is None else frozen(value)


@lru_cache(maxsize=1024)
def _frozen_as(kind: type) -> Callable[[Any], Any] | None:
    """Return the function that freezes values of type `kind`; None if such values are immutable already."""
    if issubclass(kind, Frozen):
        return None
    return next((frozen for loose, frozen in FROZEN_AS if issubclass(kind, loose)), None)


def _frozen_tuple(value: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a tuple or named tuple with all its values frozen; the same object if they were frozen already."""
    parts = list(map(freeze, value))
    if all(new is old for new, old in zip(parts, value, strict=True)):
        return value
    made: tuple[Any, ...] = getattr(value, "_make", tuple)(parts)
    return made


def freeze_fields(model: object) -> None:
    """Freeze, in place, every field of a pydantic model that holds a dict, list or set."""
    held = vars(model)
    if LOOSE.isdisjoint(map(type, held.values())):
        return
    for name, value in held.items():
        if type(value) in LOOSE:
            held[name] = freeze(value) if value or type(value) is not dict else NOTHING


def sealed(array: NDArray[S]) -> NDArray[S]:
    """Return a permanently read-only copy of an array; the array itself if it is permanently read-only already.

    The flag `writeable` of an ordinary array can be switched on again. The data of the result is a `bytes` object; numpy refuses
    to make an array with such data writeable.

    Raises:
        TypeError: The array has the data type object.
    """
    below: object = array
    while isinstance(below, np.ndarray):
        below = below.base
    if not array.flags.writeable and isinstance(below, bytes):
        return array
    if array.dtype.hasobject:
        raise TypeError("an array of objects can't be made read-only")
    return np.ndarray(array.shape, array.dtype, array.tobytes())


FROZEN_AS: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (tuple, _frozen_tuple),
    (list, lambda value: tuple(map(freeze, value))),
    (Mapping, Frozen),
    (AbstractSet, lambda value: frozenset(map(freeze, value))),
    (bytearray, bytes),
    (np.ndarray, sealed),
)
"""Mutable type -> the function that freezes its values. The first matching type counts."""


# -- copying and pickling -------------------------------------------------------------------------


def itself(self: T, _memo: object = None) -> T:
    """Return `self`. Immutable classes use this as their methods `__copy__` and `__deepcopy__`."""
    return self


class Packed(NamedTuple):
    """A read-only array in a pickle: data type, shape and compressed bytes. A plain pickle would lose the read-only flag."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


def by_fields(self: Any) -> tuple[Any, ...]:
    """Return what `__reduce__` must return for a dataclass, so that its pickle holds only the fields of its `__init__`.

    Cached properties are left out. Arrays are pickled as `Packed`, and are read-only again after unpickling.
    """
    names = _names(self.__class__)
    values = (getattr(self, name) for name in names)
    return _made, (
        type(self),
        names,
        tuple(_packed(each) if isinstance(each, np.ndarray) else each for each in values),
    )


@cache
def _names(kind: type) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass that its `__init__` takes."""
    assert is_dataclass(kind)
    return tuple(each.name for each in fields(kind) if each.init)


def _packed(array: NDArray[Any]) -> Packed:
    """Return an array in the form that goes into a pickle."""
    return Packed(array.dtype.str, array.shape, zlib.compress(array.tobytes(), 1))


def _made(kind: type, names: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    """Rebuild a dataclass from a pickle that `by_fields` has made.

    Args:
        kind: The dataclass.
        names: The names of its fields when it was pickled.
        values: The values of these fields, arrays as `Packed`.

    Raises:
        pickle.UnpicklingError: The class has other fields now: another version of the library made the pickle.
    """
    if names != _names(kind):
        message = f"this {kind.__name__} was pickled by another version of the library"
        raise pickle.UnpicklingError(f"{message}: it has {', '.join(names)}, not {', '.join(_names(kind))}")
    return kind(
        **{
            name: _unpacked(value) if isinstance(value, Packed) else value
            for name, value in zip(names, values, strict=True)
        }
    )


def _unpacked(packed: Packed) -> NDArray[Any]:
    """Return the read-only array that `_packed` put into a pickle."""
    return np.ndarray(packed.shape, packed.dtype, zlib.decompress(packed.data))


# -- short reprs ----------------------------------------------------------------------------------


ROOM = 28
"""Maximum length of a field's value in a short repr, in characters; of a text, `TEXT`."""

TEXT = 60

_SHORT = Repr()
_SHORT.maxtuple = _SHORT.maxdict = 3
_SHORT.maxstring = TEXT
_SHORT.maxother = ROOM


def short_repr(self: Any) -> str:
    """Return the short `__repr__` of a dataclass: without fields that have their default, and with long values cut."""
    shown = ((each.name, getattr(self, each.name)) for each in fields(self) if not _is_usual(self, each))
    return f"{type(self).__name__}({', '.join(f'{name}={_shown(value)}' for name, value in shown)})"


def _shown(value: object) -> str:
    """Return the repr of a field's value, cut to `TEXT` characters if the value is a text, else to `ROOM` characters."""
    text, room = _SHORT.repr(value), TEXT if isinstance(value, str) else ROOM
    return text if len(text) <= room else f"{text[: room - 3]}..."


def _is_usual(self: Any, field: Field[Any]) -> bool:
    """Tell whether this field of the dataclass `self` has its default value."""
    usual = field.default if field.default_factory is MISSING else field.default_factory()
    return bool(getattr(self, field.name) == usual)
