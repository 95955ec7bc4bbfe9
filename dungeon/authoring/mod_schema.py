"""What mods may say of entries below them, as JSON Schema: `remove`, and mappings of verbs, beside whole entries.

What a verb says of an entry is a part of one, so its schema is that of the entry without what must be there.
"""

from __future__ import annotations

from typing import Any

from dungeon.content.source.edits import REMOVE, REPLACE, VERBS

Schema = dict[str, Any]

MUST = ("required", "minProperties", "minItems", "default")
"""What is said of wholes and not of parts."""

IS_EDIT: Schema = {
    "type": "object",
    "anyOf": [{"required": [verb], "properties": {verb: {"not": {"type": "number"}}}} for verb in VERBS],
}
"""What holds for the edits of entries and for nothing else. No edit is a number: ``add: 3`` may be a weight."""


def or_edit(whole: Schema, definitions: Schema, *, named: bool, redraws: bool = False) -> Schema:
    """Return the schema of an entry, or of an edit of one.

    Args:
        whole: That of the entry: a reference to its definition.
        definitions: Name -> schema; takes what edits need.
        named: Whether the entry has a name, so that it can be removed.
        redraws: Whether it may be drawn anew.
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
    """Return the keys that an entry may have; None if its author makes them up."""
    return list(definition["properties"]) if definition.get("additionalProperties") is False else None


def _removed(keys: list[str] | None) -> Schema:
    """Return the schema of what is removed: a key, or what is removed from the value of a key, or several of these."""
    key: Schema = {"type": ["string", "number"]} if keys is None else {"enum": keys}
    below: Schema = {"type": "object", **({} if keys is None else {"propertyNames": key})}
    one = [key, below]
    return {"anyOf": [*one, {"type": "array", "items": {"anyOf": one}}]}


def _parts(node: Any, definitions: Schema, verb: str) -> Any:
    """Return the schema of a part of what a schema says; where something is added, an item of a list stands for the list."""
    if isinstance(node, list):
        return [_parts(each, definitions, verb) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = f"{_name_in(node)} {verb}".replace(" ", "_")
        if name not in definitions:
            definitions[name] = {}  # which may refer to itself
            definitions[name] = _parts(definitions[_name_in(node)], definitions, verb)
        rest = {
            key: _parts(each, definitions, verb) for key, each in node.items() if key not in ("$ref", *MUST)
        }
        return {"$ref": f"#/$defs/{name}", **rest}
    done = {key: _parts(each, definitions, verb) for key, each in node.items() if key not in MUST}
    if "properties" in node:  # whose keys are those of entries
        done["properties"] = {
            key: _parts(each, definitions, verb) for key, each in node["properties"].items()
        }
    if verb == "added" and node.get("type") == "array" and "items" in node:
        return {"anyOf": [done, done["items"]]}
    return done


def _name_in(reference: Schema) -> str:
    return str(reference["$ref"]).removeprefix("#/$defs/")
