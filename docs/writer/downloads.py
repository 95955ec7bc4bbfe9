"""Folders of the docs to download, as zip files that are made when the site is built."""

from __future__ import annotations

import re
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

DOCS = Path(__file__).parents[1]

ASKED = re.compile(r"^<!-- download: (\w+) -->$", re.MULTILINE)
"""Where a page offers a folder of the docs."""


def files_in(folder: str) -> list[Path]:
    """Return the files of a folder of the docs, without compiled code and saved games."""
    files = sorted(path for path in (DOCS / folder).rglob("*") if path.is_file())
    return [path for path in files if "__pycache__" not in path.parts and path.suffix != ".save"]


def with_downloads(page: str, folder: Path) -> str:
    """Write a zip file of each folder that a page offers, and return the page with links to them.

    Args:
        page: The text of a page in the first folder of the site.
        folder: The folder for the zip files: ``_downloads`` of the site.

    Raises:
        FileNotFoundError: The page offers a folder that does not exist, or is empty.
    """
    for name in ASKED.findall(page):
        files = files_in(name)
        if not files:
            raise FileNotFoundError(f"docs/{name} has no files")
        folder.mkdir(parents=True, exist_ok=True)
        with ZipFile(folder / f"{name}.zip", "w", ZIP_DEFLATED) as written:
            for file in files:
                written.write(file, file.relative_to(DOCS).as_posix())
    return ASKED.sub(r'<p><a download href="_downloads/\1.zip">Download the folder as \1.zip</a></p>', page)
