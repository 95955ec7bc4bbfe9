"""The page of techniques: its sections, with what each of them names and the pictures in it.

Run as a script, it draws all pictures anew, and the table at the top: for when generation has changed on purpose.
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

PAGE = Path(__file__).parent.parent / "docs" / "techniques.md"

ARTICLES = (
    "Map Prefabs, in Depth",
    "Dungeon Prefabs",
    "Generating and Populating Caves",
    "Smart Card Layout",
    "How I Learned to Stop Worrying and Love Prefabs",
)
BEYOND = "Beyond the articles"

PART = re.compile(r"^(?=#{2,3} \w)", re.MULTILINE)
FENCE = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[`([\w.]+(?:\[[^`]+\])?)`\]\(\.\./([\w./]+\.py)\)")
ABOUT = re.compile(r"^\*([^*]+)\* · (.+)$", re.MULTILINE)
INDEX = re.compile(r"^\| technique \|.*\n(?:\|.*\n)+", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """What the page says of one technique.

    Attributes:
        title: Its heading.
        text: All of it, the heading included.
        shown: The content files that the page shows before all sections.
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


def parts_of(page: str) -> list[str | Section]:
    """Return the page in parts: sections, and the text before and between them.

    Files that are shown at the beginning of a chapter are for its sections, those of the first chapter for all.
    """
    general: dict[str, str] = {}
    shown: dict[str, str] = {}
    parts: list[str | Section] = []
    for part in PART.split(page):
        if part.startswith("### "):
            parts.append(Section(part[4:].split("\n", 1)[0], part, dict(shown)))
            continue
        files = {file: body for language, _, body in FENCE.findall(part) if (file := file_of(language, body))}
        general = general or files
        shown = {**general, **files}
        parts.append(part)
    return parts


def file_of(language: str, body: str) -> str | None:
    """Return which content file a block shows, if it does."""
    file = re.match(r"# (\S+)\n", body)
    return file[1] if file and language == "yaml" else None


def sections() -> list[Section]:
    """Return the sections of the page."""
    return [part for part in parts_of(PAGE.read_text(encoding="utf-8")) if isinstance(part, Section)]


def index_of(found: list[Section]) -> str:
    """Return the table of all techniques."""
    rows = ["| technique | article | lives in | shown by |", "|---|---|---|---|"]
    for each in found:
        anchor = re.sub(r"[^\w\- ]", "", each.title.lower()).replace(" ", "-")
        articles = ", ".join(
            str(ARTICLES.index(name) + 1) if name in ARTICLES else "-" for name in each.articles
        )
        homes = ", ".join(dict.fromkeys(f"`{name}`" for name, _ in each.places))
        tests = ", ".join(dict.fromkeys(f"`{file.stem}`" for _, file in each.tests))
        rows.append(f"| [{each.title}](#{anchor}) | {articles} | {homes} | {tests} |")
    return "\n".join(rows) + "\n"


def redrawn(page: str) -> str:
    """Return the page with every picture, and its table, drawn anew."""
    parts = parts_of(page)
    whole = "".join(part.redrawn() if isinstance(part, Section) else part for part in parts)
    return INDEX.sub(lambda _: index_of([part for part in parts if isinstance(part, Section)]), whole)


if __name__ == "__main__":
    before = PAGE.read_text(encoding="utf-8")
    after = redrawn(before)
    PAGE.write_text(after, encoding="utf-8")
    sys.stdout.write(f"{PAGE.name}: {'as it was' if after == before else 'changed'}\n")
