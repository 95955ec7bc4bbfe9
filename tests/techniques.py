"""The pages of techniques: their sections, what each section names, and its pictures.

Run as a script, it draws all pictures again and writes the table of the front page: run it when levels have changed on purpose.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

# Importing these registers what they draw.
import pictures
import pictures_of_cards  # noqa: F401
import pictures_of_levels  # noqa: F401
import pictures_of_places  # noqa: F401
import yaml
from panels import panels_of
from scenes import Scene

FRONT = Path(__file__).parent.parent / "docs" / "techniques.md"

ARTICLES = (
    "Map Prefabs, in Depth",
    "Dungeon Prefabs",
    "Generating and Populating Caves",
    "Smart Card Layout",
    "How I Learned to Stop Worrying and Love Prefabs",
)
BEYOND = "Beyond the articles"

PART = re.compile(r"^(?=## \w)", re.MULTILINE)
FENCE = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[`([\w.]+(?:\[[^`]+\])?)`\]\(\.\./\.\./([\w./]+\.py)\)")
ABOUT = re.compile(r"^\*([^*]+)\* · (.+)$", re.MULTILINE)
INDEX = re.compile(r"^\| page \|.*\n(?:\|.*\n)+", re.MULTILINE)
PAGE = re.compile(r"^\| \[([^\]]+)\]\(techniques/([\w-]+)\.md\)", re.MULTILINE)
"""A row of the table: the title and the name of a page, in the order of the sidebar."""


@dataclass(frozen=True)
class Section:
    """The section about one technique.

    Attributes:
        title: Its heading.
        text: The section with its heading.
        shown: The content files on the front page, and those before the sections of its page.
    """

    title: str
    text: str
    shown: dict[str, str]

    @property
    def articles(self) -> list[str]:
        """The articles it comes from."""
        found = ABOUT.search(self.text)
        return [each.strip() for each in found[1].split(";")] if found else []

    @property
    def links(self) -> list[tuple[str, Path]]:
        """What it says of where it lives and which test shows it: name and file."""
        found = ABOUT.search(self.text)
        return [(name, Path(file)) for name, file in LINK.findall(found[2])] if found else []

    @property
    def places(self) -> list[tuple[str, Path]]:
        """Where it lives: ``module.name`` and file."""
        return [(name, file) for name, file in self.links if file.parts[0] != "tests"]

    @property
    def tests(self) -> list[tuple[str, Path]]:
        """Which tests show it: name and file."""
        return [(name, file) for name, file in self.links if file.parts[0] == "tests"]

    def redrawn(self) -> str:
        """Return the section with its pictures drawn anew."""
        files, settings, given = dict(self.shown), {}, {}

        def redraw(match: re.Match[str]) -> str:
            language, kind, body = match.groups()
            if file := file_of(language, body):
                files[file] = body
                return match[0]
            if language == "yaml":
                settings.update(yaml.safe_load(body))
                return match[0]
            panels = tuple(panels_of(body))
            given.update({each.label: each.text for each in panels if not each.is_drawn})
            scene = Scene(kind, dict(files), dict(settings), dict(given), panels)
            return f"```{language} {kind}\n{pictures.redrawn(scene)}```"

        return FENCE.sub(redraw, self.text)


def pages() -> list[Path]:
    """Return the pages that the table lists, in its order."""
    return [FRONT.parent / "techniques" / f"{name}.md" for _, name in PAGE.findall(text_of(FRONT))]


def text_of(page: Path) -> str:
    """Return the text of a page."""
    return page.read_text(encoding="utf-8")


def parts_of(page: Path) -> tuple[str, list[Section]]:
    """Return the text before the sections of a page, and the sections."""
    head, *parts = PART.split(text_of(page))
    shown = {**files_in(text_of(FRONT)), **files_in(head)}
    return head, [Section(part[3:].split("\n", 1)[0], part, shown) for part in parts]


def files_in(text: str) -> dict[str, str]:
    """Return place -> text of each content file that a text shows."""
    return {file: body for language, _, body in FENCE.findall(text) if (file := file_of(language, body))}


def file_of(language: str, body: str) -> str | None:
    """Return which content file a block shows, if it does."""
    file = re.match(r"# (\S+)\n", body)
    return file[1] if file and language == "yaml" else None


def sections() -> list[Section]:
    """Return the sections of all pages."""
    return [section for page in pages() for section in parts_of(page)[1]]


def index_of(found: list[Path]) -> str:
    """Return the table of the front page: the pages, with links to their sections."""
    rows = ["| page | techniques |", "|---|---|"]
    for page in found:
        head, listed = parts_of(page)
        link = f"techniques/{page.name}"
        techniques = ", ".join(f"[{each.title}]({link}#{anchor_of(each)})" for each in listed)
        rows.append(f"| [{head[2:].split(chr(10), 1)[0]}]({link}) | {techniques} |")
    return "\n".join(rows) + "\n"


def anchor_of(section: Section) -> str:
    """Return the anchor of a section on its page."""
    return re.sub(r"[^\w\- ]", "", section.title.lower()).replace(" ", "-")


def redrawn(page: Path) -> str:
    """Return a page with its pictures, or for the front page its table, written again."""
    if page == FRONT:
        return INDEX.sub(lambda _: index_of(pages()), text_of(FRONT))
    head, listed = parts_of(page)
    return head + "".join(each.redrawn() for each in listed)


if __name__ == "__main__":
    for page in [*pages(), FRONT]:
        before, after = text_of(page), redrawn(page)
        page.write_text(after, encoding="utf-8")
        sys.stdout.write(f"{page.name}: {'as it was' if after == before else 'changed'}\n")
