"""Values that nobody can change, also not what is in them: mappings and arrays; how they are pickled, and what is derived from them.

A level is shared: by the game's systems, by threads, by whoever keeps it for later. What it holds is therefore
*frozen*, down to the last list in the last keyword.
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
    """Results, each made when it is first asked for and kept beside the frozen value that it is derived from.

    Args:
        most: Maximum number of results; the oldest makes way for a new one. None keeps all.
    """

    __slots__ = ("_most",)

    def __init__(self, most: int | None = None) -> None:
        super().__init__()
        self._most = most

    def once(self, key: Hashable, make: Callable[..., T], *args: Any) -> T:
        """Return the result under a key; `make(*args)` if there is none yet."""
        found: T = self.get(key, ABSENT)
        if found is ABSENT:
            if self._most is not None and len(self) >= self._most:
                self.pop(next(iter(self.copy())), None)  # of a copy: another thread may be adding
            found = self[key] = make(*args)
        return found


K = TypeVar("K")
V = TypeVar("V")
S = TypeVar("S", bound=np.generic)
T = TypeVar("T")


class Frozen(dict[K, V]):
    """A dict that can't be changed, and neither can the dicts, lists, sets and arrays that were put into it.

    Lists become tuples, sets frozensets, dicts frozen ones, and arrays read-only copies. It can be hashed if its
    values can. It equals every mapping that would be equal if it were frozen, too; `dict(it)` is a copy of your own.
    """

    __slots__ = ()

    def __new__(cls, *args: Any, **more: Any) -> Self:
        """Return the mapping that `dict` makes of these arguments, frozen."""
        return cls.holding({key: freeze(value) for key, value in dict(*args, **more).items()})

    @classmethod
    def holding(cls, items: Mapping[K, V]) -> Self:
        """Return a mapping of values that are frozen already; none is looked at."""
        mapping = dict.__new__(cls)
        dict.update(mapping, items)
        return mapping

    def __init__(self, *args: Any, **more: Any) -> None:
        pass  # `dict` would take new items whenever it is called

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
"""A mapping with nothing in it, for all who need one."""


def nothing() -> Frozen[Any, Any]:
    """Return a mapping with nothing in it, always the same: the default of fields that hold one."""
    return NOTHING


LOOSE = frozenset({dict, list, set})
"""Types of what validation leaves in a model's fields that could be changed."""


def freeze(value: Any) -> Any:
    """Return a value with every mapping, list, set and array in it frozen; other things stay what they are."""
    frozen = _frozen_as(value.__class__)
    return value if frozen is None else frozen(value)


@lru_cache(maxsize=1024)
def _frozen_as(kind: type) -> Callable[[Any], Any] | None:
    """Return what makes a frozen value of one of that type; None for what stays what it is."""
    if issubclass(kind, Frozen):
        return None
    return next((frozen for loose, frozen in FROZEN_AS if issubclass(kind, loose)), None)


def _frozen_tuple(value: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a tuple, be it one with names, of frozen values: itself if they are that already."""
    parts = list(map(freeze, value))
    if all(new is old for new, old in zip(parts, value, strict=True)):
        return value
    made: tuple[Any, ...] = getattr(value, "_make", tuple)(parts)
    return made


def freeze_fields(model: object) -> None:
    """Freeze the dicts, lists and sets that the fields of a frozen model hold."""
    held = vars(model)
    if LOOSE.isdisjoint(map(type, held.values())):
        return
    for name, value in held.items():
        if type(value) in LOOSE:
            held[name] = freeze(value) if value or type(value) is not dict else NOTHING


def sealed(array: NDArray[S]) -> NDArray[S]:
    """Return an array of the same cells that is read-only for good: the array itself, if it is that already.

    The flag `writeable` of an ordinary array can be set again. This one lies in bytes, of which nobody can.
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
"""What can be changed, and what becomes of it."""


# -- copying and pickling -------------------------------------------------------------------------


def itself(self: T, _memo: object = None) -> T:
    """Return a thing that can't be changed as its own copy: its `__copy__` and `__deepcopy__`."""
    return self


class Packed(NamedTuple):
    """A read-only array on its way through a pickle, which would forget the flag."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


def by_fields(self: Any) -> tuple[Any, ...]:
    """Reduce a dataclass, for `pickle` and `copy`, to the call that makes it: its `__reduce__`.

    What it has found out about itself stays behind. Arrays travel packed, and are sealed again.
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
    """Return the names of what a dataclass is made of."""
    assert is_dataclass(kind)
    return tuple(each.name for each in fields(kind) if each.init)


def _packed(array: NDArray[Any]) -> Packed:
    return Packed(array.dtype.str, array.shape, zlib.compress(array.tobytes(), 1))


def _made(kind: type, names: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    """Make what `by_fields` reduced.

    Raises:
        pickle.UnpicklingError: Another version of the library, whose values are others, has pickled it.
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
    return np.ndarray(packed.shape, packed.dtype, zlib.decompress(packed.data))


# -- short reprs ----------------------------------------------------------------------------------


ROOM = 28
"""How many characters a value may take, `TEXT` if it is a text."""

TEXT = 60

_SHORT = Repr()
_SHORT.maxtuple = _SHORT.maxdict = 3
_SHORT.maxstring = TEXT
_SHORT.maxother = ROOM


def short_repr(self: Any) -> str:
    """Return what a dataclass says of itself without what is as usual, long texts and long lists cut: its `__repr__`."""
    shown = ((each.name, getattr(self, each.name)) for each in fields(self) if not _is_usual(self, each))
    return f"{type(self).__name__}({', '.join(f'{name}={_shown(value)}' for name, value in shown)})"


def _shown(value: object) -> str:
    text, room = _SHORT.repr(value), TEXT if isinstance(value, str) else ROOM
    return text if len(text) <= room else f"{text[: room - 3]}..."


def _is_usual(self: Any, field: Field[Any]) -> bool:
    """Tell whether a field has its default."""
    usual = field.default if field.default_factory is MISSING else field.default_factory()
    return bool(getattr(self, field.name) == usual)
