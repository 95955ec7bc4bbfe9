"""What authors have changed between two contents: read from what they say, and not from what it does."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import dungeon.generation.stages.pipeline  # noqa: F401  # content names the layouts and placing modes that it brings
from dungeon.content.loading.load import load_draft
from dungeon.content.source.marks import MarkedDict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dungeon.content.loading.draft import Draft
    from dungeon.core.errors import Source

LONGEST = 60
"""A value that takes more characters is not written out."""

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

    Raises:
        ContentError: Something is wrong in one of them.
    """
    one, other = (dict(_leaves(load_draft(*folders)[1])) for folders in (before, after))
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
    """Return how a value has changed, in words."""
    place = ".".join(key[2:]) or "it"
    texts = [_shown(before), _shown(after)]
    return f"{place}: {' -> '.join(texts)}" if all(texts) else f"{place} is another"


def _shown(said: _Said | None) -> str:
    """Return a value as it may stand in a line; empty if it is too much for that."""
    if said is None:
        return "nothing"
    text = str(said.value).lower() if isinstance(said.value, bool) else str(said.value)
    return text if len(text) <= LONGEST and "\n" not in text and not isinstance(said.value, bytes) else ""


def _leaves(draft: Draft) -> Iterator[tuple[Key, _Said]]:
    """Yield all values of a content, each with the kind of its entry, its name, and the keys that lead to it."""
    records = [each for named in draft.records.values() for each in named.values()]
    for record in [*records, *draft.singles.values()]:
        waiting: list[tuple[Key, object]] = [((), record.data)]
        while waiting:
            path, value = waiting.pop()
            if isinstance(value, MarkedDict) and value:
                waiting += [((*path, key), each) for key, each in value.items()]
            else:
                yield (record.kind, record.name, *path), _Said(value, record.source(*path))
    for name, drawing in draft.drawings.items():
        record = draft.records["prefab"][name]
        yield ("prefab", name, "drawing"), _Said(drawing.data, record.source())
