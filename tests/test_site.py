"""The docs as a site: links lead somewhere, everything is near the front page, and what is written from the code is complete."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from writer import WRITERS, filled
from writer.book import PAGES as KINDS_OF
from writer.book import definitions, name_in, parts, schemas
from writer.commands import arguments, commands
from writer.commands import page as page_of_commands
from writer.examples import example_of
from writer.glossary import GLOSSARY, PLAIN, TERM, first_uses, terms
from writer.names import PAGES as PAGES_OF_NAMES
from writer.names import names_in
from writer.names import page as page_of_names
from writer.wording import BY_KEYS

import dungeon
from dungeon.core.registry import LAYOUTS, PLACINGS, is_plugin

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
INDEX = DOCS / "index.md"

FENCE = re.compile(r"^(```+).*?^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXPLAINED_ONCE = {name for names in BY_KEYS for name in names}
"""Keys of the grammar of values, which one page explains for all places in which they may stand."""


@pytest.fixture(autouse=True, scope="module")
def of_the_library_alone() -> Iterator[None]:
    """Forget, for as long as these tests take, which layouts and placing modes other tests have made."""
    with pytest.MonkeyPatch.context() as patch:
        for registry in (LAYOUTS, PLACINGS):
            for name in [name for name, each in registry.items() if is_plugin(each.home)]:
                patch.delitem(registry, name)
        yield


@cache
def text_of(page: Path) -> str:
    """A page with what is written into it, without its code."""
    return filled(page.read_text(encoding="utf-8"))


@cache
def anchors_of(page: Path) -> set[str]:
    """What a link into a page may name: its headings, as forges and the site call them, and its targets."""
    prose = FENCE.sub("", text_of(page))
    found = set(re.findall(r"^\(([^)]+)\)=$", prose, re.MULTILINE))
    for heading in re.findall(r"^#+ (.+)$", prose, re.MULTILINE):
        plain = re.sub(r"\]\([^)]*\)|[^\w\- ]", "", heading.lower())
        found.add(plain.strip().replace(" ", "-"))
    return found


def links_of(page: Path) -> Iterator[tuple[Path, str]]:
    """Yield the file and the anchor of every link within the docs."""
    for link in LINK.findall(FENCE.sub("", text_of(page))):
        if not re.match(r"[a-z]+:", link):
            file, _, anchor = link.partition("#")
            yield (page.parent / file).resolve() if file else page, anchor


def listed_by(page: Path) -> Iterator[Path]:
    """Yield the pages that a page lists for the sidebar."""
    for toctree in TOCTREE.findall(page.read_text(encoding="utf-8")):
        for line in toctree.splitlines():
            if line and not line.startswith(":"):
                yield from page.parent.glob(f"{line}.md")


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    broken = [
        f"{file}#{anchor}"
        for file, anchor in links_of(page)
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors_of(file))
    ]
    assert broken == []


def test_every_page_is_two_clicks_from_the_front_page() -> None:
    near = {INDEX}
    for _ in range(2):
        near |= {file for page in near for file, _ in links_of(page)} & {*PAGES}
    listed = {file for page in PAGES for file in listed_by(page)}
    assert {*PAGES} - (near | {*listed_by(INDEX)}) == set()
    assert {*PAGES} - listed == {INDEX}, "the sidebar lists every page"


def test_everything_that_is_written_is_asked_for_by_one_page() -> None:
    asked = [
        name
        for page in PAGES
        for name in re.findall(r"<!-- written: (.+) -->$", page.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert sorted(asked) == sorted(WRITERS)


def test_only_readers_of_the_repository_see_that_a_part_is_missing() -> None:
    hint = "filled when the docs are built"
    stubs = [page for page in PAGES if text_of(page) != page.read_text(encoding="utf-8")]
    assert all(hint in page.read_text(encoding="utf-8") for page in stubs)
    assert not any(hint in text_of(page) for page in PAGES)


def test_the_reference_tells_of_every_kind_of_file() -> None:
    assert {kind for kinds in KINDS_OF.values() for kind in kinds} == {*schemas()}


def keys_of(node: object) -> Iterator[str]:
    """Yield every key that a schema names, wherever that is."""
    if isinstance(node, dict):
        yield from node.get("properties", {}) if isinstance(node.get("properties"), dict) else ()
        for each in node.values():
            yield from keys_of(each)
    elif isinstance(node, list):
        for each in node:
            yield from keys_of(each)


def test_every_key_of_the_schemas_has_a_meaning_in_the_reference() -> None:
    written = "\n".join(text_of(DOCS / "reference" / f"{page}.md") for page in KINDS_OF)
    told = set()
    for part in parts().values():
        assert part.meaning, part.name
        for key in part.keys:
            told.add(key.name)
            assert len(key.meaning) > 5, (
                f"{part.name}.{key.name} has no description: say in its docstring what it is"
            )
            assert f"({part.anchor_of(key.name)})=\n### `{key.name}`\n\n" in written
    everywhere = {key for schema in (*schemas().values(), *definitions().values()) for key in keys_of(schema)}
    layouts_and_modes = {
        part.title.split()[-1] for part in parts().values() if part.title.startswith(("Layout", "Placing"))
    }
    verbs = {"change", "add", "remove", "replace"}
    assert everywhere - told - EXPLAINED_ONCE - layouts_and_modes - verbs == set()
    page = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    assert [key for key in EXPLAINED_ONCE | verbs if not re.search(rf"\b{key}\b", page)] == []


def test_anchors_are_told_apart() -> None:
    anchors = [part.anchor for part in parts().values()]
    anchors += [part.anchor_of(key.name) for part in parts().values() for key in part.keys]
    assert len(set(anchors)) == len(anchors)


def test_an_example_says_its_key_and_nothing_else() -> None:
    found = [(key.name, example_of(part, key)) for part in parts().values() for key in part.keys]
    assert [
        example
        for name, example in found
        if example and [*yaml.load(example.text, yaml.BaseLoader)] != [name]
    ] == []
    assert len([example for _, example in found if example]) > 0.9 * len(found)


def test_what_is_no_mere_number_or_word_has_an_example() -> None:
    """A mapping or a list is hard to write from a description of its parts."""
    without = [
        f"{part.name}.{key.name}"
        for part in parts().values()
        for key in part.keys
        if ("$ref" in key.schema and name_in(key.schema) in parts())
        or key.schema.get("type") in ("array", "object")
        if example_of(part, key) is None
    ]
    assert without == []


def test_the_reference_tells_of_every_command_and_option() -> None:
    page = page_of_commands()
    for command, what in commands():
        assert what
        assert f"## `{command.prog}`" in page
        for argument in arguments(command):
            assert argument.help, f"{command.prog} {argument.dest} has no help"
            assert all(f"`{option}" in page for option in argument.option_strings)


def test_the_reference_tells_of_every_public_name() -> None:
    page = "\n".join(map(page_of_names, PAGES_OF_NAMES))
    assert [name for name in names_in(dungeon) if page.count(f":: dungeon.{name}\n") != 1] == []


def test_the_first_use_of_a_word_of_the_glossary_is_found() -> None:
    met: set[str] = set()
    first = [*first_uses("Map ids name maps, and placing modes fit prefabs in; Prefab-like things", met)]
    assert [(piece, term) for piece, term in first if term] == [
        ("Map ids", "map id"),
        ("placing modes", "placing mode"),
        ("prefabs", "prefab"),
    ]
    assert (
        "".join(piece for piece, _ in first)
        == "Map ids name maps, and placing modes fit prefabs in; Prefab-like things"
    )
    assert [*first_uses("a prefab and a spawn", met)] == [
        ("a prefab and a ", ""),
        ("spawn", "spawn"),
        ("", ""),
    ]


def test_words_of_the_glossary_are_linked_unless_they_are_plain() -> None:
    listed = GLOSSARY.read_text(encoding="utf-8").partition("```{glossary}")[2].split("\n\n")
    assert {entry.strip().split("\n")[0] for entry in listed} - {"```"} == {*terms(), *PLAIN}
    assert {*TERM.findall(GLOSSARY.read_text(encoding="utf-8"))} > PLAIN
