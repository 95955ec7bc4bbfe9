"""The scenes of the pages of techniques: what stands beside their pictures, as content that can be loaded."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from drawn import write
from panels import even

import dungeon
from dungeon import XpLayer
from dungeon.content.drawing.rexpaint import encode_xp
from dungeon.content.models.encounters import EncounterEntry
from dungeon.content.models.entries import PrefabEntry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from panels import Panel

    from dungeon import Content

WORLD = {"world.yaml": "start: bench/1\n"}
MAP = {"maps/bench.yaml": "bench: {name: Bench}\n"}
"""What a game needs, where the page shows nothing else."""


@dataclass(frozen=True)
class Scene:
    """A block with what belongs to it.

    Attributes:
        kind: How it is drawn.
        files: The content files that the page shows for it.
        settings: What else is said of it.
        given: The panels drawn by hand, label -> text, also those of earlier blocks of the section.
        panels: Its panels in order.
    """

    kind: str
    files: Mapping[str, str]
    settings: Mapping[str, Any]
    given: Mapping[str, str]
    panels: tuple[Panel, ...]

    @cached_property
    def prefabs(self) -> dict[str, dict[str, object]]:
        """The prefabs that are drawn in the panels: the one called `example`, or those of panels "prefab NAME"."""
        fields = {label: text for label, text in self.given.items() if label in PrefabEntry.model_fields}
        if self.kind == "place":
            fields = {}
        drawn: dict[str, dict[str, str]] = {"example": fields} if fields or self.layers else {}
        for label, text in self.given.items():
            name = re.fullmatch(r"prefab(?: (\w+))?", label)
            if name:
                drawn[name[1] or "example"] = {"map": text}
        said = {key: each for key, each in self.settings.items() if key in PrefabEntry.model_fields}
        return {
            name: {**{key: even(text) for key, text in each.items()}, **said} for name, each in drawn.items()
        }

    @property
    def layers(self) -> list[XpLayer]:
        """The layers of an .xp drawing; on the first one letters stand for cells filled with `colours`."""
        colours = self.settings.get("colours", {})
        drawn = [even(text).split("\n") for label, text in self.given.items() if label.startswith("layer ")]
        if not drawn:
            return []
        height, width = max(map(len, drawn)), max(len(each[0]) for each in drawn)
        layers = []
        for number, rows in enumerate(drawn):
            padded = [row.ljust(width) for row in [*rows, *[""] * (height - len(rows))]]
            if number:
                layers.append(XpLayer.from_rows(padded, transparent_spaces=True))
            else:
                layer = XpLayer.from_rows(["█" * width] * height)
                paints = [[int(colours[char][1:], 16).to_bytes(3, "big") for char in row] for row in padded]
                fg = np.array([[[*paint] for paint in row] for row in paints], np.uint8)
                layers.append(XpLayer(glyph=layer.glyph, fg=fg, bg=layer.bg))
        return layers

    @cached_property
    def content(self) -> Content:
        """The game: what the page shows, and the prefabs that are drawn in the panels."""
        with TemporaryDirectory() as folder:
            return dungeon.load_content(self.write(Path(folder)))

    def write(self, folder: Path) -> Path:
        """Write the game into a folder and return the folder."""
        maps = {} if any(file.startswith("maps/") for file in self.files) else MAP
        files = {**WORLD, **maps, **self.files, "prefabs/scene.yaml": json.dumps(self.prefabs)}
        if self.kind == "place":
            said = {key: each for key, each in self.settings.items() if key in EncounterEntry.model_fields}
            encounter = {"category": "fluff", "maps": {"scene": 1}, **said}
            if self.prefabs:
                encounter["prefabs"] = [*self.prefabs]
            files["maps/scene.yaml"] = "scene: {name: Scene}\n"
            files["encounters/scene.yaml"] = json.dumps({"scene": encounter})
        write(folder, files)
        if self.layers:
            (folder / "prefabs" / "example.xp").write_bytes(encode_xp(self.layers))
        return folder
