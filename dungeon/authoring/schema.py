"""JSON Schemas of all kinds of content files, also for mods, with which editors complete keys and mark mistakes. They are generated from the models.

The schemas can't check names (does this prefab exist?) or relations between
entries; `examine_content` does. All valid content is valid by its schema.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from dungeon.content.catalog.selector import selector_schema
from dungeon.content.loading.draft import (
    MODELS,
    NO_OTHERS,
    OBJECT_MODELS,
    SINGLE_FILES,
    SINGLE_MODELS,
    entry_kinds,
    model_of,
)
from dungeon.content.models.entries import ThingEntry
from dungeon.content.models.layouts import ALGORITHM
from dungeon.content.source.edits import REMOVE, REPLACE, VERBS
from dungeon.content.source.names import NAME_PATTERN, RESERVED, RESERVED_FOR_OBJECTS
from dungeon.content.values.value_fields import VALUE, spelled, value_schema
from dungeon.core.registry import LAYOUTS, PLACINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import BaseModel
    from pydantic_core import core_schema

    from dungeon.core.kinds import Kinds
    from dungeon.core.registry import Layout, Placing

ATTRIBUTES = re.compile(r"^Attributes:\n((?:(?: .*)?\n?)*)", re.MULTILINE)
ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)


class ModelDocs(NamedTuple):
    """The docstring of a model, in parts.

    Attributes:
        summary: The text without its attributes, in one line.
        attributes: Name of an attribute -> its description in one line; those of base classes included.
    """

    summary: str
    attributes: dict[str, str]


@cache
def description_of(model: type) -> ModelDocs:
    """Return the summary of a class's docstring, and the attributes of it and its bases."""
    attributes: dict[str, str] = {}
    for each in reversed(model.__mro__):
        if section := ATTRIBUTES.search(_docstring(each)):
            attributes |= {name: _joined(text) for name, text in ATTRIBUTE.findall(section[1])}
    return ModelDocs(_joined(ATTRIBUTES.sub("", _docstring(model))), attributes)


def _docstring(of: type) -> str:
    return inspect.cleandoc(of.__dict__.get("__doc__") or "")


def _joined(text: str) -> str:
    """Return a text in one line, without backquotes."""
    return " ".join(text.replace("``", "").replace("`", "").split())


Schema = dict[str, Any]

MUST = ("required", "minProperties", "minItems", "default")
"""JSON Schema keywords that hold for a whole entry, but not for an edit of parts of it."""

IS_EDIT: Schema = {
    "type": "object",
    "anyOf": [{"required": [verb], "properties": {verb: {"not": {"type": "number"}}}} for verb in VERBS],
}
"""The schema that only edits of entries meet, not entries. Numbers are excluded, as ``add: 3`` may be a weight."""


def or_edit(whole: Schema, definitions: Schema, *, named: bool, redraws: bool = False) -> Schema:
    """Return a schema that accepts an entry, or an edit of an entry: the verbs `change`, `add`, `remove`... of a mod.

    Args:
        whole: Schema of the entry: a reference to its definition.
        definitions: Name -> schema; the definitions for edits are added.
        named: Whether the entry has a name, so that a mod can remove it.
        redraws: Whether a mod may replace its drawing.
    """
    keys = _keys_of(definitions[_name_in(whole)])
    replaced: Schema = {"anyOf": [{"const": "drawing"}, whole]} if redraws else whole
    edit: Schema = {
        "description": "An edit of an entry below this mod.",
        "type": "object",
        "properties": {
            REMOVE: _removed(keys),
            "change": _parts(whole, definitions, "changed"),
            "add": _parts(whole, definitions, "added"),
            REPLACE: replaced,
        },
        "additionalProperties": False,
    }
    removed: Schema = {"if": {"const": REMOVE}, "then": {"const": REMOVE}}
    either: Schema = {"if": IS_EDIT, "then": edit, "else": whole}
    return {**removed, "else": either} if named else either


def _keys_of(definition: Schema) -> list[str] | None:
    """Return the keys that an entry may have; None if any key is allowed."""
    return list(definition["properties"]) if definition.get("additionalProperties") is False else None


def _removed(keys: list[str] | None) -> Schema:
    """Return the schema of the value of `remove`: a key, a mapping that removes parts of values, or a list of these."""
    key: Schema = {"type": ["string", "number"]} if keys is None else {"enum": keys}
    below: Schema = {"type": "object", **({} if keys is None else {"propertyNames": key})}
    one = [key, below]
    return {"anyOf": [*one, {"type": "array", "items": {"anyOf": one}}]}


def _parts(node: Any, definitions: Schema, verb: str) -> Any:
    """Return a copy of a schema for an edit of parts of a value: nothing in it is required, as only the changed keys are written.

    Args:
        node: The schema, or a part of it.
        definitions: Name -> schema; the definitions for edits are added.
        verb: ``changed`` or ``added``. For ``added``, one item may stand for a list.
    """
    if isinstance(node, list):
        return [_parts(each, definitions, verb) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = f"{_name_in(node)} {verb}".replace(" ", "_")
        if name not in definitions:
            definitions[name] = {}  # set before the recursion, as a definition may refer to itself
            definitions[name] = _parts(definitions[_name_in(node)], definitions, verb)
        rest = {
            key: _parts(each, definitions, verb) for key, each in node.items() if key not in ("$ref", *MUST)
        }
        return {"$ref": f"#/$defs/{name}", **rest}
    done = {key: _parts(each, definitions, verb) for key, each in node.items() if key not in MUST}
    if "properties" in node:  # its keys are keys of entries, which may be called like those in MUST
        done["properties"] = {
            key: _parts(each, definitions, verb) for key, each in node["properties"].items()
        }
    if verb == "added" and node.get("type") == "array" and "items" in node:
        return {"anyOf": [done, done["items"]]}
    return done


Named = dict[Any, Schema]
"""Model -> the reference to its definition."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REGISTRIES: dict[str, Mapping[str, Layout[Any]] | Mapping[str, Placing[Any]]] = {
    "layouts": LAYOUTS,
    "placing modes": PLACINGS,
}
MAY_BE_EMPTY = ("prefab",)
"""Kinds of entries whose value may be empty: an .xp drawing may need no other keys."""


def schema_files(kinds: Kinds = NO_OTHERS) -> dict[str, str]:
    """Return kind -> glob pattern, below the content folder, of the files that its schema is for."""
    places = [*SINGLE_FILES, *entry_kinds(kinds)]
    return {
        PurePosixPath(place).stem: place if place.endswith(".yaml") else f"{place}/**/*.y*ml"
        for place in places
    }


def content_schemas(kinds: Kinds = NO_OTHERS) -> dict[str, Schema]:
    """Return kind -> the JSON Schema (draft 2020-12) of its files.

    The schemas include the layouts and placing modes that are registered now.

    Args:
        kinds: The kinds of objects of the content.
    """
    parameters = [each.params for registry in REGISTRIES.values() for each in registry.values()]
    models: dict[Any, None] = dict.fromkeys(
        [*SINGLE_MODELS.values(), *MODELS.values(), *OBJECT_MODELS, *parameters]
    )
    refs, written = models_json_schema([(model, "validation") for model in models], schema_generator=_Writer)
    named: Named = {model: ref for (model, _), ref in refs.items()}
    definitions: Schema = {}
    for name, definition in written["$defs"].items():
        definitions[name] = _complete(definition, named, definitions)
    for kind in MAY_BE_EMPTY:
        definitions[_name_in(named[MODELS[kind]])]["type"] = ["object", "null"]
    for model in OBJECT_MODELS:
        _add_own_words(kinds, definitions[_name_in(named[model])], named, definitions)
    wholes = [or_edit(named[SINGLE_MODELS[place]], definitions, named=False) for place in SINGLE_FILES]
    wholes += [_entries(kind, named, definitions) for kind in entry_kinds(kinds).values()]
    files = schema_files(kinds).items()
    return {
        name: _file(place, whole, definitions) for (name, place), whole in zip(files, wholes, strict=True)
    }


class _Writer(GenerateJsonSchema):
    """pydantic's schema generator, changed: no nulls and titles, descriptions from docstrings, and defaults as written in YAML."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> Schema:
        # A key without a value is an error in content files.
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Schema:
        inner = self.generate_inner(schema["schema"])
        default = spelled(schema.get("default"))
        return inner if default is None else {**inner, "default": default}

    def dict_schema(self, schema: core_schema.DictSchema) -> Schema:
        written: Schema = {"type": "object"}
        if keys := schema.get("keys_schema"):
            written["propertyNames"] = self.generate_inner(keys)
        if values := schema.get("values_schema"):
            written["additionalProperties"] = self.generate_inner(values)
        if "min_length" in schema:
            written["minProperties"] = schema["min_length"]
        if "max_length" in schema:
            written["maxProperties"] = schema["max_length"]
        return written

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> Schema:
        written = super().model_schema(schema)
        written.pop("title", None)
        model: type[BaseModel] = schema["cls"]
        summary, attributes = description_of(model)
        for name, field in model.model_fields.items():
            part = written.get("properties", {}).get(field.alias or name)
            if part is not None and name in attributes:
                part["description"] = attributes[name]
        written["description"] = summary
        if short := model.__dict__.get("short_form"):
            # Keywords for texts, numbers or lists don't apply to mappings, so one schema can have both.
            types = short["type"]
            written |= {**short, "type": [*([types] if isinstance(types, str) else types), "object"]}
        return written


def _complete(node: object, named: Named, definitions: Schema) -> Any:
    """Return a copy of a schema in which placeholders are replaced.

    Placeholders stand for random values, and for layouts and placing modes with their parameters.

    Args:
        node: The schema, or a part of it.
        named: Model -> the reference to its definition.
        definitions: Name -> schema; the definitions of random values are added.
    """
    if isinstance(node, list):
        return [_complete(each, named, definitions) for each in node]
    if not isinstance(node, dict):
        return node
    done = {
        key: _complete(each, named, definitions)
        for key, each in node.items()
        if key not in (VALUE, ALGORITHM)
    }
    if VALUE in node:
        name = "value " + " ".join(_words(node[VALUE]))
        name = re.sub(r"[^\w.]+", "_", name.replace("-", "minus "))
        definitions[name] = value_schema(_complete(node[VALUE], named, definitions), f"#/$defs/{name}")
        return {"$ref": f"#/$defs/{name}", **done}
    if ALGORITHM in node:
        return {"anyOf": _algorithms(REGISTRIES[node[ALGORITHM]], named), **done}
    return done


def _words(node: object) -> Iterator[str]:
    """Yield the values in a schema as words, from which the name of its definition is made.

    ``{"type": "integer", "minimum": 1}`` -> ``integer``, ``1``.
    """
    if isinstance(node, dict):
        node = [node[key] for key in sorted(node, reverse=True)]
    for each in node if isinstance(node, list) else []:
        yield from _words(each) if isinstance(each, list | dict) else [str(each)]


def _algorithms(
    registry: Mapping[str, Layout[Any]] | Mapping[str, Placing[Any]],
    named: Named,
) -> list[Schema]:
    """Return the schemas of the two ways to write a layout or placing mode in YAML.

    One is its name alone, if none of its parameters is required. The other is ``{name: parameters}``.
    """
    bare = [
        name
        for name, each in registry.items()
        if not any(field.is_required() for field in each.params.model_fields.values())
    ]
    return [
        {"enum": bare},
        {
            "type": "object",
            "properties": {name: named[each.params] for name, each in registry.items()},
            "additionalProperties": False,
            "minProperties": 1,
            "maxProperties": 1,
        },
    ]


def _add_own_words(kinds: Kinds, part: Schema, named: Named, definitions: Schema) -> None:
    """Add a key to a schema for each kind of object that the content declares, if the schema has a key for the built-in kind it is like.

    Example: if the content declares ``vehicle`` as like a prop, ``vehicle:`` may be written wherever ``prop:`` may.

    Args:
        kinds: The kinds of objects of the content.
        part: The schema; changed.
        named: Model -> the reference to its definition.
        definitions: Name -> schema.
    """
    for kind in kinds.own.values():
        if kind.like in part["properties"]:
            asked = _complete(selector_schema(kind), named, definitions)
            part["properties"][kind.word] = {**asked, "description": f"Which {kind.word}."}


def _entries(kind: str, named: Named, definitions: Schema) -> Schema:
    """Return the schema of a file that maps names to entries."""
    model = model_of(kind)
    reserved = RESERVED_FOR_OBJECTS if model is ThingEntry else RESERVED
    return {
        "description": f"Names of {kind} entries, each with what it is.",
        "type": "object",
        "propertyNames": {"pattern": NAME_PATTERN, "not": {"enum": list(reserved)}},
        "additionalProperties": or_edit(named[model], definitions, named=True, redraws=kind == "prefab"),
    }


def _file(files: str, whole: Schema, definitions: Schema) -> Schema:
    """Return the schema of a file, with all definitions that it refers to."""
    schema = {"$schema": DIALECT, "title": files, **whole}
    needed: Schema = {}
    waiting = [schema]
    while waiting:
        for name in _references(waiting.pop()):
            if name not in needed:
                needed[name] = definitions[name]
                waiting.append(definitions[name])
    return {**schema, "$defs": dict(sorted(needed.items()))}


def _references(node: object) -> Iterator[str]:
    """Yield the names of the definitions that a schema refers to."""
    if isinstance(node, dict) and "$ref" in node:
        yield _name_in(node)
    for each in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _references(each)


def _name_in(reference: Schema) -> str:
    return str(reference["$ref"]).removeprefix("#/$defs/")
