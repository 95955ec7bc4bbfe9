"""A small valid content folder for tests, written from a dict: file -> text."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import yaml

from dungeon.content.drawing.rexpaint import encode_xp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dungeon import XpLayer

SMALL: dict[str, str] = {
    "world.yaml": """\
        name: A Small World
        start: cellars/1
        leads_to:
          cellars/1: [cellars/2]
        """,
    "weights.yaml": """\
        rare: 1
        common: 10
        """,
    "terrain.yaml": """\
        grass: {like: floor, glyph: '"', fg: "#40a040"}
        """,
    "themes.yaml": """\
        garden: {floor: grass, 1: grass}
        """,
    "palette.yaml": """\
        glyphs: {"~": grass}
        colours: {"#ff0000": wall}
        """,
    "objects/props.yaml": """\
        crate: {name: crate, glyph: "=", class: box}
        barrel: {name: barrel, glyph: "0", class: box}
        """,
    "objects/robots.yaml": """\
        sweeper: {name: sweeper, glyph: s, class: worker, category: harmless, depth: 1}
        """,
    "objects/items.yaml": """\
        scrap: {name: scrap metal, glyph: "!"}
        """,
    "objects/traps.yaml": """\
        snare: {name: snare, glyph: ^}
        """,
    "objects/debris.yaml": """\
        rubble: {name: rubble, glyph: ","}
        """,
    "legends/boxes.yaml": """\
        boxes:
          B: {prop: barrel}
        """,
    "prefabs/rooms.yaml": """\
        store:
          map: |
            C..C
            ..B.
            ....
          legend:
            C: {prop: crate}
          legends: boxes
          tags: [rooms]
        """,
    "encounters/rooms.yaml": """\
        store:
          category: reward
          prefabs: store
          maps: {cellars: common}
        """,
    "maps/cellars.yaml": """\
        cellars:
          name: The Cellars
          size: 60x40
          layout: tunnels
          encounters: 2
          population:
            - {item: scrap, count: 1..3}
        """,
}
"""Content of every kind, as little as there can be."""


class _Writer(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # the fast one, where it is there
    """Writes drawings as blocks, and everything in full: nothing stands twice by an alias."""

    def ignore_aliases(self, data: object) -> bool:
        """Say that there is nothing to share."""
        return True


def _text(writer: _Writer, text: str) -> yaml.ScalarNode:
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Writer.add_representer(str, _text)


def yaml_of(data: object) -> str:
    """Return plain data as YAML, keys in the order that they have."""
    return yaml.dump(data, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=1000)


def write_content(
    folder: Path, files: Mapping[str, str | bytes | Sequence[XpLayer] | None] | None = None
) -> Path:
    """Write content into a folder and return the folder.

    Args:
        folder: Where; it is made if it is not there.
        files: What differs from `SMALL`: file -> text (dedented), bytes, layers of an .xp drawing, or None for a file
            that is not to be there.
    """
    for place, what in {**SMALL, **(files or {})}.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(what, str):
            path.write_text(dedent(what), encoding="utf-8", newline="")
        elif isinstance(what, bytes):
            path.write_bytes(what)
        elif what is not None:
            path.write_bytes(encode_xp(what))
    return folder


def marked(text: str) -> tuple[str, list[str]]:
    """Return a text without its «, and the places where they stood, as line:column."""
    places = []
    while "«" in text:
        before = text[: text.index("«")]
        places.append(f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}")
        text = text.replace("«", "", 1)
    return text, places
