"""Edits: entries with *verbs* (`remove`, `change`, `add`, `replace`) by which a mod changes an entry of the content below it.

A *path* is the keys and list indices that lead to a value; a *mark* is the line and column of a value in its file. Example::

    store_room:
      remove: {prefabs: store_niche}      # keys of mappings, items of lists
      change: {limit: {map: 5}}           # mappings are merged, everything else is replaced
      add: {maps: {leaf_house: rare}}     # items to lists, new keys to mappings

The verbs are applied in this order, whatever their order in the file, so that a removed key can be set again.
The edited data is a copy, in which every part remembers the place and the file it was written in.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dungeon.content.source.marks import BROKEN, Mark, MarkedDict, MarkedList, in_file, stamped
from dungeon.content.source.names import NameList
from dungeon.content.source.problems import ValueProblem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dungeon.content.source.files import ProblemLog, Record
    from dungeon.core.errors import Source

REMOVE = "remove"
"""A verb; also, after the name of an entry, the word that removes the whole entry."""

REPLACE = "replace"
"""The verb that replaces a whole entry."""
VERBS = (REMOVE, "change", "add", REPLACE)
"""All verbs of an edit."""

GONE = object()
"""Stands for the value of a key that was removed."""

NOWHERE = Mark(0, 0)
"""The place of something whose place is not known."""

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """One part of an entry that an edit has changed, added or removed.

    Attributes:
        path: The keys that lead to the part within the entry.
        source: File, line and column of the edit that did it.
        value: The new value, or `GONE` if the part was removed; unused if items of a list were added or dropped.
        added: Items that were added to a list.
        dropped: Items that were removed from a list.
    """

    path: tuple[str, ...]
    source: Source
    value: object = None
    added: list[Any] = field(default_factory=list)
    dropped: list[Any] = field(default_factory=list)

    def undoes(self, other: Touch) -> bool:
        """Tell whether this touch, by a later mod, overrides `other`, the touch of the same part by an earlier mod."""
        if self.added or self.dropped:
            said = other.value if isinstance(other.value, list) else other.added
            lost = any(item in said for item in self.dropped) or any(
                item in other.dropped for item in self.added
            )
            return self.path == other.path and lost
        common = min(len(self.path), len(other.path))
        if self.path != other.path:
            return self.path[:common] == other.path[:common]
        return bool(other.added or other.dropped) or self.value != other.value


def is_edit(data: object) -> bool:
    """Tell whether the data of an entry is an edit: the word `remove`, or a mapping with a verb as a key.

    A verb with a number after it does not count: ``add: 3`` may be the weight of something called `add`.
    """
    if isinstance(data, dict):
        return any(verb in data and not isinstance(data[verb], int | float) for verb in VERBS)
    return data == REMOVE


def edited(below: Record, edit: Record, log: ProblemLog) -> tuple[Record, list[Touch]]:
    """Apply an edit: return the changed copy of an entry, and the parts that the edit touched.

    Args:
        below: The entry in the content below the mod; its data is a mapping or None.
        edit: The edit. The verb `replace` is ignored here; the caller handles it.
        log: The log to which problems with the edit are added.
    """
    editor, verbs = _Editor(edit, log), edit.fields
    for key in verbs:
        if key not in VERBS:
            editor.problem(
                "this key is not one of the verbs of an edit", key, key=True, value=key, allowed=VERBS
            )
    data = MarkedDict(below.mark()) if below.data is None else below.data
    if REMOVE in verbs:
        data = editor.remove(data, verbs[REMOVE], (REMOVE,), ())
    for verb, do in (("change", editor.change), ("add", editor.add)):
        if verb in verbs and editor.is_mapping(verbs[verb], verb):
            data = do(data, verbs[verb], (verb,), ())
    record = with_data(below, data, below.mark())
    removed = dict(below.removed)
    removed.update((touch.path, editor.mark(*at)) for touch, at in editor.removed)
    record.removed = {path: mark for path, mark in removed.items() if not _has(data, path)}
    return record, editor.touches


def without(record: Record, keys: Iterable[str]) -> Record:
    """Return a copy of an entry without these keys; the data of the entry must be a mapping."""
    data = copy_of(record.fields)
    for key in keys:
        drop(data, key)
    return with_data(record, data, record.mark())


def with_data(record: Record, data: object, mark: Mark) -> Record:
    """Return a copy of an entry with other data; its name, and the place of the name in the file, stay the same.

    Args:
        record: The entry.
        data: The new data.
        mark: The line and column at which the new data begins.
    """
    if not record.name:
        return replace(record, root=data, path=())
    root = MarkedDict(Mark(1, 1))
    root[record.name] = data
    root.marks[record.name] = record.mark(key=True), mark
    return replace(record, root=root, path=(record.name,))


def _has(data: object, path: Path) -> bool:
    """Tell whether a path of keys leads to a value within some data."""
    for step in path:
        if not isinstance(data, dict) or step not in data:
            return False
        data = data[step]
    return True


class _Editor:
    """Applies the verbs of an edit to the data of one entry.

    In its methods, `old` is the data being edited, `at` the path to the instruction in the edit, and `path`
    the path to `old` in the entry.

    Attributes:
        touches: The parts touched so far.
        removed: The touches that removed a key, each with its path in the edit.
    """

    def __init__(self, edit: Record, log: ProblemLog) -> None:
        self.edit = edit
        self.log = log
        self.touches: list[Touch] = []
        self.removed: list[tuple[Touch, Path]] = []

    def mark(self, *at: str | int, key: bool = False) -> Mark:
        """Return the place in the edit to which the keys `at` lead, as a mark (line and column) that names the file.

        Args:
            *at: The path of keys and indices within the edit.
            key: Whether the place of the last key is meant, rather than that of its value.
        """
        return in_file(self.edit.mark(*at, key=key), self.edit.file)

    def problem(
        self, message: str, *at: str | int, value: object, key: bool = False, allowed: Iterable[str] = ()
    ) -> None:
        """Log a problem with a part of the edit.

        Args:
            message: What is wrong.
            *at: The path of that part within the edit.
            value: The wrong part as written.
            key: Whether the last key of the path is wrong, rather than the value under it.
            allowed: The names that would have been accepted.
        """
        names = NameList(allowed)
        self.log.report(
            self.edit, [ValueProblem(message=message, path=at, value=value, key=key, allowed=names)]
        )

    def is_mapping(self, value: object, *at: str | int) -> bool:
        """Tell whether a value of the edit is a mapping; log a problem at the path `at` within the edit if it is not."""
        if not isinstance(value, dict):
            self.problem("a mapping of keys to values is needed here", *at, value=value)
        return isinstance(value, dict)

    # -- change ---------------------------------------------------------------------------------

    def change(self, old: Any, new: Any, at: Path, path: tuple[str, ...]) -> Any:
        """Apply the verb `change`: return the data `old` with `new` merged into it. Mappings are merged, all else is replaced.

        Args:
            old: The data to change.
            new: The new data, as the edit says.
            at: The path of `new` within the edit.
            path: The path of `old` within the entry.
        """
        if not (isinstance(old, dict) and isinstance(new, dict)):
            self.touch_leaves(new, at, path)
            return stamped(new, self.edit.file)
        made = copy_of(old)
        for key, value in new.items():
            here = (*at, key)
            made[key] = self.change(old.get(key, GONE), value, here, (*path, key))
            if not (isinstance(old.get(key), dict) and isinstance(value, dict)):
                self.place(made, key, here)
        return made

    def touch_leaves(self, new: object, at: Path, path: tuple[str, ...]) -> None:
        """Record that the edit touches each value in `new`: mappings are entered, everything else counts as one value.

        Args:
            new: The new data.
            at: Its path within the edit.
            path: Its path within the entry.
        """
        if isinstance(new, dict) and new:
            for key, value in new.items():
                self.touch_leaves(value, (*at, key), (*path, key))
        else:
            self.touches.append(Touch(path=path, source=self.edit.source(*at, key=True), value=new))

    # -- add ------------------------------------------------------------------------------------

    def add(self, old: Any, new: Any, at: Path, path: tuple[str, ...], stood: Mark = NOWHERE) -> Any:
        """Apply the verb `add`: return the data `old` with the keys and list items of `new` added.

        Args:
            old: The data to change.
            new: What is added, as the edit says.
            at: The path of `new` within the edit.
            path: The path of `old` within the entry.
            stood: The place (line and column) of `old`.
        """
        if not isinstance(old, dict):
            return self.joined(old, new, at, path, stood)
        if not self.is_mapping(new, *at):
            return old
        made = copy_of(old)
        for key, value in new.items():
            here = (*at, key)
            if key not in old:
                self.touch_leaves(value, here, (*path, key))
                made[key] = stamped(value, self.edit.file)
                self.place(made, key, here)
            else:
                made[key] = self.add(old[key], value, here, (*path, key), _place_of(old, key))
                if not isinstance(old[key], dict):
                    self.place(made, key, here, is_key_old=True)
        return made

    def joined(self, old: Any, new: Any, at: Path, path: tuple[str, ...], stood: Mark) -> Any:
        """Return the list `old` with the items of `new` at its end; a word that it already has is not added again.

        Args:
            old: The list; a single value counts as a list of one.
            new: The list, or the single item, to add.
            at: The path of `new` within the edit.
            path: The path of `old` within the entry.
            stood: The place (line and column) of `old`.
        """
        made = self.listed(_items(old, stood), at)
        is_list = isinstance(new, list)
        for number, item in enumerate(new if is_list else [new]):
            here = (*at, number) if is_list else at
            if not (isinstance(item, str) and item in made):
                made.append(stamped(item, self.edit.file))
                made.marks.append(self.mark(*here))
        if added := list(new) if is_list else [new]:
            self.touches.append(Touch(path=path, source=self.edit.source(*at, key=True), added=added))
        return made

    # -- remove ---------------------------------------------------------------------------------

    def remove(self, old: Any, said: Any, at: Path, path: tuple[str, ...], stood: Mark = NOWHERE) -> Any:
        """Apply the verb `remove`: return the data `old` without the keys or list items that `said` names.

        Args:
            old: The data to change.
            said: A key or item, a list of them, or a mapping, which removes parts from the values of its keys.
            at: The path of `said` within the edit.
            path: The path of `old` within the entry.
            stood: The mark of `old`.
        """
        for number, each in enumerate(said if isinstance(said, list) else [said]):
            here = (*at, number) if isinstance(said, list) else at
            if each is BROKEN:
                continue
            if not isinstance(old, dict):
                old = self.without_item(old, each, here, path, stood)
            elif isinstance(each, dict):
                old = self.without_parts(old, each, here, path)
            else:
                old = self.without_key(old, each, here, path)
        return old

    def without_parts(
        self, old: dict[str, Any], said: dict[str, Any], at: Path, path: tuple[str, ...]
    ) -> Any:
        """Return a copy of a mapping in which parts of the values of some keys are removed.

        Args:
            old: The mapping.
            said: Key -> what is removed from its value.
            at: The path of `said` within the edit.
            path: The path of `old` within the entry.
        """
        made = copy_of(old)
        for key, each in said.items():
            here = (*at, key)
            if key not in old:
                self.problem("the edited mapping has no such key", *here, key=True, value=key, allowed=old)
                continue
            made[key] = self.remove(old[key], each, here, (*path, key), _place_of(old, key))
            if not isinstance(old[key], dict):
                self.place(made, key, here, is_key_old=True)
        return made

    def without_key(self, old: dict[str, Any], said: object, at: Path, path: tuple[str, ...]) -> Any:
        """Return a copy of the mapping `old` without the key `said`; log a problem, and return `old`, if it has no such key.

        Args:
            old: The mapping.
            said: The key, as the edit says.
            at: The path of `said` within the edit.
            path: The path of `old` within the entry.
        """
        if not isinstance(said, str | int) or isinstance(said, bool):
            self.problem("a key, a list of keys, or a mapping is needed here", *at, value=said)
            return old
        key = str(said)
        if key not in old:
            self.problem("the edited mapping has no such key", *at, value=key, allowed=old)
            return old
        made = copy_of(old)
        drop(made, key)
        touch = Touch(path=(*path, key), source=self.edit.source(*at), value=GONE)
        self.touches.append(touch)
        self.removed.append((touch, at))
        return made

    def without_item(self, old: Any, said: object, at: Path, path: tuple[str, ...], stood: Mark) -> Any:
        """Return the list `old` without the item `said`; log a problem, and return `old`, if it has no such item.

        Args:
            old: The list; a single value counts as a list of one.
            said: The item, as the edit says.
            at: The path of `said` within the edit.
            path: The path of `old` within the entry.
            stood: The place (line and column) of `old`.
        """
        items = _items(old, stood)
        others = [(item, mark) for item, mark in items if item != said]
        if len(others) == len(items):
            words = [item for item, _ in items if isinstance(item, str)]
            is_named = len(words) == len(items)
            how = "" if is_named else "; write an item that is not a single word exactly as it stands there"
            self.problem(f"the edited list has no such item{how}", *at, value=said, allowed=words)
            return old
        made = self.listed(others, at)
        self.touches.append(Touch(path=path, source=self.edit.source(*at), dropped=[said]))
        return made

    def listed(self, items: Iterable[tuple[Any, Mark]], at: Path) -> MarkedList:
        """Return a list of items, each with its given mark; the mark of the list is that of the path `at` in the edit."""
        made = MarkedList(self.mark(*at))
        for item, mark in items:
            made.append(item)
            made.marks.append(mark)
        return made

    # -- places ---------------------------------------------------------------------------------

    def place(self, made: dict[str, Any], key: str, at: Path, *, is_key_old: bool = False) -> None:
        """Set the place (line and column) of a key and its value in a mapping to where the edit has them.

        Args:
            made: The mapping; changed.
            key: The key.
            at: The path of the key within the edit.
            is_key_old: Whether the key keeps its present place. Then only the place of the value is set.
        """
        if isinstance(made, MarkedDict):
            mark = made.marks[key][0] if is_key_old else self.mark(*at, key=True)
            made.marks[key] = mark, self.mark(*at)


def copy_of(old: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a mapping, with the places of its keys if it has any."""
    if not isinstance(old, MarkedDict):
        return dict(old)
    made = MarkedDict(old.mark)
    made.update(old)
    made.marks.update(old.marks)
    return made


def drop(made: dict[str, Any], key: str) -> None:
    """Remove a key if the mapping has it."""
    if made.pop(key, GONE) is not GONE and isinstance(made, MarkedDict):
        del made.marks[key]


def _place_of(old: dict[str, Any], key: str) -> Mark:
    """Return the place of the value of a key; `NOWHERE` if it is not known."""
    return old.marks[key][1] if isinstance(old, MarkedDict) else NOWHERE


def _items(old: Any, stood: Mark) -> list[tuple[Any, Mark]]:
    """Return (item, place) for each item of a list; a single value counts as a list of one, with the place `stood`."""
    if isinstance(old, MarkedList):
        return list(zip(old, old.marks, strict=True))
    return [(item, stood) for item in (old if isinstance(old, list) else [old])]


def keys_of(touches: Iterable[Touch]) -> Iterator[str]:
    """Yield the touched parts as an author would name them (``limit.map``), each once."""
    yield from dict.fromkeys(".".join(touch.path) for touch in touches)
