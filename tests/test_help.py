"""`dungeon help`: pages of the docs in the terminal."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from dungeon import cli
from dungeon.cli.help import NO_TOPICS

ROOT = Path(__file__).parent.parent


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what `dungeon help` prints."""
    assert cli.main(["help", *arguments]) == 0
    return capsys.readouterr().out


def test_pages_are_listed_by_topic_and_title(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys).splitlines()
    assert "guarantees       Guarantees" in lines
    assert lines[0].split() == ["encounters", "Encounters"], "the guide comes first"


def test_a_page_is_shown_without_pictures_comments_and_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "maps")
    assert text.startswith("# Maps\n")
    for sign in ("](", "![", "<!--", "{toctree}"):
        assert sign not in text, sign


def test_a_page_is_laid_out_where_colours_are_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b[" in said(capsys, "odds", "--color", "always")


def test_sections_that_mention_a_word_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "far_from")
    assert "  dungeon help placing: How often encounters appear\n" in text
    assert ".yaml" not in text, "lines of examples are no headings"


def test_sections_that_have_a_word_as_a_key_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "only").splitlines()
    found = [line.strip() for line in lines if line.startswith("  dungeon help ")]
    assert "dungeon help prefabs: Sharing between prefabs" in found
    assert "dungeon help drawings: Variation" in found
    assert "dungeon help encounters: Encounters" not in found, "it has the word, but no such key"
    assert lines[-1].startswith("  and ")


def test_a_section_is_shown_alone(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "dressing")
    assert text.startswith("## Dressing\n")
    assert "| Lakes |" in text
    assert text.count("\n## ") == 0


def test_a_heading_is_found_by_its_first_words_and_beside_its_page(
    capsys: pytest.CaptureFixture[str],
) -> None:
    closed = said(capsys, "Closed", "parts")
    assert closed.startswith("## Closed parts, and cells for your game\n")
    assert said(capsys, "prefabs: Closed parts, and cells for your game") == closed
    assert said(capsys, "stairs", "back", "up").startswith("## Stairs back up\n")
    locks = said(capsys, "locks")
    assert locks.startswith("## Locks and keys\n"), "the guide comes first"
    assert "\n### Locks\n" in locks


def test_every_section_that_is_listed_can_be_asked_for_as_it_is_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    listed = [
        line.split()[2:] for line in said(capsys, "holds").splitlines() if line.startswith("  dungeon help")
    ]
    assert 1 < len(listed) <= 10, (
        "with so many sections, those that use it only as an English word are counted"
    )
    for words in listed:
        assert not said(capsys, *words).startswith("No page is called")


@pytest.mark.parametrize(("word", "term"), [("container", "lock"), ("force", "sealed"), ("break", "sealed")])
def test_terms_of_the_glossary_that_mention_a_word_are_listed(
    capsys: pytest.CaptureFixture[str], word: str, term: str
) -> None:
    assert f"  dungeon help {term}\n" in said(capsys, word)
    assert said(capsys, term).startswith(f"{term}: ")


def test_a_word_of_the_glossary_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "annex")
    assert text.startswith("annex: A room or cave that the library digs")
    assert "  dungeon help encounters: Placing modes\n" in text
    assert "\n**annex**: A room or cave" in said(capsys, "glossary")


def test_a_command_that_has_no_page_shows_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "show").startswith("usage: dungeon show")


def test_an_unknown_word_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["help", "xyzzy"]) == 2
    assert "no page of the docs is called 'xyzzy'" in capsys.readouterr().err


def test_the_wheel_has_every_page() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    pages = {f"docs/{file.name}" for file in (ROOT / "docs").glob("*.md") if file.stem not in NO_TOPICS}
    pages.add("docs/reference/glossary.md")
    assert {each for each in included if each.endswith(".md")} == pages
    assert {"docs/guide", "docs/language"} <= {*included}
