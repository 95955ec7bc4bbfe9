"""Examples of keys from tested sources: the tables of the manual, the guide and the demo's content."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import dedent, indent
from typing import TYPE_CHECKING, Any

import yaml

from dungeon.authoring.schema import schema_files
from dungeon.content.source.reader import LOADER
from dungeon.core.registry import LAYOUTS
from writer.book import Key, Part, definitions, is_one_entry, name_in, parts, root_of, slug

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Schema = dict[str, Any]
Found = tuple[tuple[str, str], yaml.Node, yaml.Node]
"""(part, key), and the nodes of the key and of its value."""

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
MANUAL = [DOCS / "prefab-language.md", *sorted((DOCS / "language").glob("*.md"))]
"""The pages with an example of two lines for each feature."""

GUIDE = DOCS / "guide"
DATA = ROOT / "data"

ENTRIES = {"prefab": "prefabs/", "map": "maps/", "encounter": "encounters/"}
"""What a row of the manual has keys of -> the folder of such entries."""

HEADING = re.compile(r"^## (.+)$")
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| `([^`]+)`<br>`([^`]+)` \| .+ \|$")
BLOCK = re.compile(r"^```yaml\n(?:# data/(\S+)|(?=  ))(.*?)^```$", re.MULTILINE | re.DOTALL)
TELLING, LONGEST = 40, 200
"""The best length of an example in characters, and the maximum."""


@dataclass(frozen=True)
class Example:
    """An example of a key with its value.

    Attributes:
        text: The YAML of the key and its value.
        where: The source of the example, as Markdown for a page of the reference.
    """

    text: str
    where: str


@cache
def examples() -> Mapping[tuple[str, str], Example]:
    """Return (part, key) -> the best example of the manual, else of the guide, else of the demo."""
    found: dict[tuple[str, str], Example] = {}
    for source in (_of_manual(), _of_guide(), _of_demo()):
        best: dict[tuple[str, str], Example] = {}
        for name, example in source:
            best[name] = min(best.get(name, example), example, key=_far_from_telling)
        found = {**best, **found}
    return found


def _far_from_telling(example: Example) -> int:
    return abs(len(example.text) - TELLING)


def example_of(part: Part, key: Key) -> Example | None:
    """Return an example of a key of a part; if there is none, one of the same key of another part."""
    own = examples().get((part.name, key.name))
    alike = (each.name for each in parts().values() if key in each.keys)
    return own or next((examples()[each, key.name] for each in alike if (each, key.name) in examples()), None)


def _of_manual() -> Iterator[tuple[tuple[str, str], Example]]:
    """Yield (part, key) and an example for all keys in the rows of the manual."""
    chapter = ""
    for page, line in ((each, line) for each in MANUAL for line in each.read_text("utf-8").splitlines()):
        if heading := HEADING.match(line):
            chapter = heading[1]
        elif row := ROW.match(line):
            feature, place, first, second = row.groups()
            text = f"{first.replace('`', '')}\n{second}"
            where = f"[{feature}](../{page.relative_to(DOCS).as_posix()}#{slug(chapter)})"
            if place in LAYOUTS:
                text, place = f"layout:\n  {place}:\n" + indent(text, "    "), "map"
            if place in ENTRIES:
                text, place = "example:\n" + indent(text, "  "), ENTRIES[place]
            if kind := _kind_of(place):
                yield from ((name, Example(text, where)) for name, text in _keys_of(kind, text))


def _of_guide() -> Iterator[tuple[tuple[str, str], Example]]:
    """Yield (part, key) and an example for all keys in the YAML blocks of the guide."""
    for path in sorted(GUIDE.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        where = f"[{page.splitlines()[0].removeprefix('# ')}](../guide/{path.name})"
        for place, text in BLOCK.findall(page):
            kind = _kind_of(place) if place else "maps"
            if kind is not None:
                written = text if place else f"example:\n{text}"
                yield from ((name, Example(each, where)) for name, each in _keys_of(kind, written))


def _of_demo() -> Iterator[tuple[tuple[str, str], Example]]:
    """Yield (part, key) and an example for all keys in the demo's content."""
    for path in sorted(DATA.rglob("*.yaml")):
        place = path.relative_to(DATA).as_posix()
        if kind := _kind_of(place):
            text = path.read_text(encoding="utf-8")
            yield from (
                (name, Example(each, f"`data/{place}` of the demo")) for name, each in _keys_of(kind, text)
            )


def _kind_of(place: str) -> str | None:
    """Return the kind of the file at `place`, or of the files in that folder; None if no kind of file belongs there."""
    kinds = {pattern.removesuffix("**/*.y*ml"): kind for kind, pattern in schema_files().items()}
    return kinds.get(place, kinds.get(f"{place.split('/', maxsplit=1)[0]}/"))


def _keys_of(kind: str, text: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield (part, key) and the YAML of the key and its value, for each key in the text of a file."""
    file = yaml.compose(text, LOADER)
    assert isinstance(file, yaml.MappingNode)
    root = {"$ref": f"#/$defs/{root_of(kind)}"}
    for entry in [file] if is_one_entry(kind) else [each for _, each in file.value]:
        for name, key, value in _walk(root, entry):
            written = _cut(text, key, value)
            if len(written) <= LONGEST:
                yield name, written


def _cut(text: str, key: yaml.Node, value: yaml.Node) -> str:
    """Return the text from a key to the end of its value: on one line, or on lines that start at the key's column."""
    cut = text[key.start_mark.index : value.end_mark.index]
    if isinstance(value, yaml.CollectionNode) and value.flow_style and "#" not in cut:
        return re.sub(r"\s*\n\s*", " ", re.sub(r"(?<=[\[{])\s*\n\s*", "", cut))
    lines = (" " * key.start_mark.column + cut).splitlines()
    return dedent("\n".join(line for line in lines if not line.lstrip().startswith("#"))).strip()


def _walk(schema: Schema, node: yaml.Node, part: str | None = None) -> Iterator[Found]:
    """Yield every key that stands in a node, with its part and its value.

    Args:
        schema: A schema that the node matches.
        node: The node.
        part: The name of the part that the schema defines; None if it defines none.
    """
    if "$ref" in schema:
        part = name_in(schema)
        schema = definitions()[part]
    for option in schema.get("anyOf", ()):
        if _fits(option, node):
            yield from _walk(option, node, part)
    if isinstance(node, yaml.MappingNode):
        yield from _walk_mapping(schema, node, part)
    elif isinstance(node, yaml.SequenceNode) and "items" in schema:
        for each in node.value:
            yield from _walk(schema["items"], each)


def _walk_mapping(schema: Schema, node: yaml.MappingNode, part: str | None) -> Iterator[Found]:
    others = schema.get("additionalProperties")
    for key, value in node.value:
        inner = schema.get("properties", {}).get(key.value)
        if inner is not None and part is not None:
            yield (part, key.value), key, value
        inner = others if inner is None else inner
        if isinstance(inner, dict):
            yield from _walk(inner, value)


def _fits(schema: Schema, node: yaml.Node) -> bool:
    """Return whether a node can match a schema, judged by its type and its keys."""
    if "$ref" in schema:
        return _fits(definitions()[name_in(schema)], node)
    if "anyOf" in schema:
        return any(_fits(option, node) for option in schema["anyOf"])
    types = schema.get("type", "string")
    types = {types} if isinstance(types, str) else set(types)
    if isinstance(node, yaml.SequenceNode):
        return "array" in types
    if not isinstance(node, yaml.MappingNode):
        return bool(types - {"array", "object"})
    keys = {key.value for key, _ in node.value}
    known = schema.get("additionalProperties") is not False or keys <= schema.get("properties", {}).keys()
    return "object" in types and known and keys >= set(schema.get("required", ()))
