"""The keys that authors may write, grouped in parts. They are read from the JSON Schemas for editors, which come from the models.

A *part* is a mapping with keys of its own: an entry of a file, or the value of a key of another part. Every part is
on the first page with a kind of file that uses it.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import dungeon
from dungeon.authoring.schema import schema_files
from dungeon.core.registry import LAYOUTS, PLACINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Schema = dict[str, Any]

PAGES: dict[str, tuple[str, ...]] = {
    "world": ("world", "terrain", "themes", "weights", "locks", "categories", "accepted"),
    "objects": ("props", "traps", "robots", "items", "debris", "kinds"),
    "prefabs": ("prefabs", "legends", "palette", "palettes"),
    "encounters": ("encounters",),
    "maps": ("maps",),
}
"""Page of the reference -> the kinds of file that it describes, in order."""

VALUE = "value_"
"""The prefix of the names of schemas for values, such as ranges and weighted choices."""


@dataclass(frozen=True, kw_only=True)
class Key:
    """A key of a part.

    Attributes:
        name: The key as written in a file.
        schema: The schema of its value.
        meaning: Its description; empty if it has none.
        required: Whether a part without the key is a mistake.
    """

    name: str
    schema: Schema
    meaning: str
    required: bool


@dataclass(frozen=True, kw_only=True)
class Part:
    """A mapping with keys of its own.

    Attributes:
        name: The name of the definition of the part in the schemas.
        title: Its title in the reference.
        meaning: Its description.
        page: The page of the reference that describes it.
        schema: The definition of the part.
        files: Patterns of the files that consist of the part, or have it as entries.
        stands: (part, key) of each key that takes the part as its value.
    """

    name: str
    title: str
    meaning: str
    page: str
    schema: Schema
    files: tuple[str, ...]
    stands: tuple[tuple[str, str], ...]

    @property
    def keys(self) -> tuple[Key, ...]:
        """The keys of the part, in the order of its model."""
        needed = self.schema.get("required", ())
        return tuple(
            Key(name=name, schema=said, meaning=said.get("description", ""), required=name in needed)
            for name, said in self.schema.get("properties", {}).items()
        )

    @property
    def anchor(self) -> str:
        """The anchor of the part on its page."""
        return slug(self.title)

    def anchor_of(self, key: str) -> str:
        """Return the anchor of one of the part's keys on its page."""
        return f"key-{self.anchor}-{slug(key)}"


def slug(text: str) -> str:
    """Return a text as an anchor: small letters, digits and single dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


@cache
def schemas() -> Mapping[str, Schema]:
    """Return kind of file -> its schema."""
    return dungeon.content_schemas()


@cache
def definitions() -> Mapping[str, Schema]:
    """Return name -> definition, for all definitions in the schemas."""
    return dict(chain.from_iterable(schema["$defs"].items() for schema in schemas().values()))


@cache
def parts() -> Mapping[str, Part]:
    """Return name -> part, in the order of the pages."""
    pages: dict[str, str] = {}
    files: dict[str, list[str]] = {}
    for page, kinds in PAGES.items():
        for kind in kinds:
            files.setdefault(root_of(kind), []).append(schema_files()[kind])
            for name in _led_to_by(root_of(kind)):
                pages.setdefault(name, page)
    stands: dict[str, list[tuple[str, str]]] = {}
    for name in pages:
        for key, said in definitions()[name].get("properties", {}).items():
            for inner in dict.fromkeys(_references(said)):
                stands.setdefault(inner, []).append((name, key))
    algorithms = dict(_algorithms())
    return {
        name: Part(
            name=name,
            title=algorithms[name][0] if name in algorithms else _title(name),
            meaning=algorithms[name][1] if name in algorithms else definitions()[name].get("description", ""),
            page=page,
            schema=definitions()[name],
            files=tuple(files.get(name, ())),
            stands=tuple(stands.get(name, ())),
        )
        for name, page in pages.items()
    }


@cache
def root_of(kind: str) -> str:
    """Return the name of the part that files of a kind, or their entries, consist of."""
    schema = schemas()[kind]
    entry = schema.get("additionalProperties", schema)
    while "$ref" not in entry:
        entry = entry["else"]  # the other branch is for mods
    return name_in(entry)


def is_one_entry(kind: str) -> bool:
    """Return whether a file of this kind is one entry, rather than entries by name."""
    return "additionalProperties" not in schemas()[kind]


def name_in(reference: Schema) -> str:
    """Return the name of the definition that a reference points to."""
    return str(reference["$ref"]).removeprefix("#/$defs/")


def _led_to_by(root: str) -> Iterator[str]:
    """Yield the name of a part and of all parts used inside it, breadth first."""
    waiting, seen = [root], {root}
    for name in waiting:
        yield name
        new = [each for each in _references(definitions()[name]) if each not in seen]
        seen.update(new)
        waiting += dict.fromkeys(new)


def _references(node: object) -> Iterator[str]:
    """Yield the names of the parts that a schema refers to, without the schemas of values."""
    if isinstance(node, dict) and "$ref" in node and not name_in(node).startswith(VALUE):
        yield name_in(node)
    for each in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _references(each)


def _title(name: str) -> str:
    """Return the name of a model in words: ``Card zone`` of CardZone."""
    words = re.findall(r"[A-Z][a-z]*", re.sub(r"(Entry|Params)$", "", name))
    return " ".join(words).capitalize()


def _algorithms() -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield (part, (title, description)) for the parameters of each layout and placing mode."""
    for name, layout in LAYOUTS.items():
        yield layout.params.__name__, (f"Layout {name}", _summary(layout.build))
    for name, placing in PLACINGS.items():
        yield placing.params.__name__, (f"Placing mode {name}", _summary(placing.place))


def _summary(function: object) -> str:
    """Return the first paragraph of the docstring of a function's module."""
    module = inspect.getmodule(function)
    return " ".join((inspect.getdoc(module) or "").split("\n\n")[0].split())
