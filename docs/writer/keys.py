"""The pages of the reference about every key of every file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.authoring.schema import schema_files
from writer.book import PAGES, Key, Part, parts, root_of
from writer.examples import example_of
from writer.wording import code, listed, prose, said

if TYPE_CHECKING:
    from collections.abc import Iterator

SHORT = ("integer", "number", "string", "array")
"""Schema types of short forms, which may be written in place of a mapping."""


def page(name: str) -> str:
    """Return the text about all parts of a page, as Markdown."""
    return "\n\n".join(_part(part) for part in parts().values() if part.page == name)


def files() -> str:
    """Return a table of all files of a content, each with a link to the part that the file, or each of its entries, is."""
    rows = ["| file | contents |", "| --- | --- |"]
    for page_name, kinds in PAGES.items():
        for kind in kinds:
            part = parts()[root_of(kind)]
            rows.append(
                f"| [`{schema_files()[kind]}`]({page_name}.md#{part.anchor}) | {prose(part.meaning)} |"
            )
    return "\n".join(rows)


def index() -> str:
    """Return an alphabetical list of all keys, each with the parts that have it."""
    found: dict[str, list[str]] = {}
    for part in parts().values():
        for key in part.keys:
            link = f"[{part.title.lower()}]({part.page}.md#{part.anchor_of(key.name)})"
            found.setdefault(key.name, []).append(link)
    return "\n".join(f"- `{name}`: {listed(links, 'and')}" for name, links in sorted(found.items()))


def _part(part: Part) -> str:
    """Return the text about a part and all its keys."""
    blocks = [f"({part.anchor})=\n## {part.title}", prose(part.meaning), *_uses(part)]
    return "\n\n".join([*blocks, *(_key(part, key) for key in part.keys)])


def _uses(part: Part) -> Iterator[str]:
    """Yield sentences: the files of a part, the keys that take it, and its short forms."""
    if part.files:
        yield f"Written in {listed([f'`{place}`' for place in part.files], 'and')}."
    if part.stands:
        yield f"Used under {listed([_link(parts()[name], key) for name, key in part.stands], 'and')}."
    if isinstance(part.schema.get("additionalProperties"), dict):
        yield f"A {said({**part.schema, 'properties': {}})}."
    types = part.schema["type"]
    if forms := [said({**part.schema, "type": each}) for each in SHORT if each in types]:
        yield f"Short form, in place of a mapping: {listed(forms)}."


def _link(part: Part, key: str) -> str:
    return f"[`{key}`]({part.page}.md#{part.anchor_of(key)}) of {part.title.lower()}"


def _key(part: Part, key: Key) -> str:
    """Return the text about a key."""
    facts = [said(key.schema)]
    if key.required:
        facts.append("required")
    elif "default" in key.schema:
        facts.append(f"by default {code(key.schema['default'])}")
    blocks = [
        f"({part.anchor_of(key.name)})=\n### `{key.name}`",
        prose(key.meaning),
        f"*Value:* {'; '.join(facts)}.",
    ]
    if example := example_of(part, key):
        blocks.append(f"```yaml\n{example.text}\n```\n\n*Example: {example.where}.*")
    return "\n\n".join(blocks)
