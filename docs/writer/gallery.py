"""The pictures of the gallery, made from the content that the page shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import dungeon

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dungeon import Level

SECTION = re.compile(r"^### (\w+)\n", re.MULTILINE)
FILE = re.compile(r"^```yaml\n# data/(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"^<!-- picture: seed (\d+) -->$", re.MULTILINE)

MAP = "hall/1"
SCALE = 2
"""Pixels of the picture for each pixel of a glyph."""


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """A section of the gallery.

    Attributes:
        title: Its heading: the name of a layout or placing mode.
        files: The content, file -> text: the files before the first section, and its own.
        seed: The seed of the world.
    """

    title: str
    files: Mapping[str, str]
    seed: int

    def level(self) -> Level:
        """Return the level of the section.

        Raises:
            ContentError: The content of the section has mistakes.
        """
        with TemporaryDirectory() as folder:
            for place, text in self.files.items():
                file = Path(folder, place)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            content = dungeon.load_content(folder)
        return dungeon.World(content, self.seed).level(MAP)


def exhibits(page: str) -> Iterator[Exhibit]:
    """Yield the sections of the page that have a picture."""
    before, *parts = SECTION.split(page)
    shared = dict(FILE.findall(before))
    for title, text in zip(parts[::2], parts[1::2], strict=True):
        (seed,) = PICTURE.findall(text)
        yield Exhibit(title=title, files={**shared, **dict(FILE.findall(text))}, seed=int(seed))


def with_pictures(page: str, folder: Path) -> str:
    """Draw the level of each section into a folder, as ``gallery-TITLE.png``, and return the page with the pictures.

    Args:
        page: The text of the page.
        folder: The folder for the pictures: ``_images`` of the site.
    """
    from PIL import Image  # noqa: PLC0415  # tests read the page without it

    folder.mkdir(parents=True, exist_ok=True)
    for each in exhibits(page):
        name = f"gallery-{each.title}.png"
        Image.fromarray(dungeon.to_image(each.level(), "encounters", scale=SCALE)).save(folder / name)
        shown = f'<img src="_images/{name}" alt="A level: {each.title}, seed {each.seed}">'
        page = PICTURE.sub(shown, page, count=1)
    return page
