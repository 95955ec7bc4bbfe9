"""The manual of the prefab language: its rows as content that can be loaded, and prefabs rolled in a bare room."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import yaml
from writer.examples import MANUAL

import dungeon
from dungeon import Canvas, Orientation, Rect
from dungeon.content.drawing.rexpaint import encode_xp
from dungeon.extend import Journal, Stream, Streams
from dungeon.generation.populate.occupancy import Occupancy
from dungeon.generation.populate.placed_drawings import PlacedDrawing
from dungeon.generation.populate.populator import Populator
from dungeon.generation.stages.populate import give_loadouts
from dungeon.grid.regions import components

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence
    from pathlib import Path

    from dungeon import Content, Level, Spawn, XpLayer
    from dungeon.extend import Drawing

ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| `([^`]+)`<br>`([^`]+)` \| (.+) \|$", re.MULTILINE)
FILE = re.compile(r"^```yaml\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

GAME = {
    "world.yaml": "start: bench/2\nleads_to: {bench/2: [cellar/3, mines/3]}\n",
    "maps/others.yaml": "cellar: {name: Cellar}\nmines: {name: Mines}\n",
    "maps/bench.yaml": "bench: {name: Bench}\n",
    "prefabs/shelf.yaml": 'tool_shelf: {map: "6", legends: stock}\n',
}
"""What a game needs besides what the manual shows."""

ATTIC = {"name": "Attic"}
STORES = {"category": "reward", "maps": "{bench: 1}", "prefabs": "tool_store"}
LAYOUT = "attic:\n  name: Attic\n  size: {}\n  layout:\n    {}:"

ENTRIES: dict[str, tuple[str, str, dict[str, str]]] = {
    "map": ("maps/", "attic:", ATTIC),
    "encounter": ("encounters/", "stores:", STORES),
    "connected": ("maps/", LAYOUT.format("80x50", "connected"), {}),
    "cards": ("maps/", LAYOUT.format("120x70", "cards"), {}),
    "patchwork": ("maps/", LAYOUT.format("110x64", "patchwork"), {}),
}
"""Where a row has only some keys of an entry -> the entry's folder, the lines before them, and the other keys beside them."""

ROLLS = 100
DEPTH = 2
MARGIN = 2
SURE = 3.29
"""So many standard deviations hold 99.9 % of all cases."""


@dataclass(frozen=True)
class Row:
    """A feature: what it is called, where its two lines stand, and what they do."""

    feature: str
    where: str
    lines: tuple[str, str]
    effect: str

    @property
    def text(self) -> str:
        """The two lines as a file has them; for keys of a map or an encounter, with the rest of the entry."""
        if self.where not in ENTRIES:
            return "\n".join(self.lines)
        _, before, others = ENTRIES[self.where]
        first, second = self.lines
        own = yaml.safe_load(f"{first}\n{second}")
        added = [f"{key}: {value}" for key, value in others.items() if key not in own]
        if first.startswith("{"):
            lines = ["{" + ", ".join([*added, first[1:]]), second]
        else:
            lines = [*added, first, second]
        last = before.splitlines()[-1]
        spaces = " " * (len(last) - len(last.lstrip()) + 2)
        return "\n".join([before, *(spaces + line for line in lines), ""])

    @property
    def data(self) -> dict[str, object]:
        """What they say."""
        data = yaml.safe_load(self.text)
        assert isinstance(data, dict)
        return data

    @property
    def is_of_mod(self) -> bool:
        """Whether its lines stand in a mod."""
        return self.where.startswith("mod ")

    def files(self) -> dict[str, str]:
        """Return the content folder: what the manual shows, with these lines where they belong unless that is a mod."""
        files = {**GAME, **shown_files()}
        if self.is_of_mod:
            return files
        if self.where == "prefab":
            files["prefabs/example.yaml"] = "example:\n" + "\n".join(f"  {line}" for line in self.lines)
        elif self.where == "world.yaml":
            files[self.where] = f"start: bench/2\n{self.text}"
        elif self.where in ENTRIES:
            files[f"{ENTRIES[self.where][0]}example.yaml"] = self.text
        elif self.where.endswith("/"):
            files[f"{self.where}example.yaml"] = self.text
        else:
            files[self.where] = files.get(self.where, "") + self.text
        return files

    def load(self, folder: Path, **changed: str | Sequence[XpLayer]) -> Content:
        """Load that folder; files may be replaced or added: `prefabs__hall` is ``prefabs/hall.yaml``."""
        files = {
            **self.files(),
            **{f"{name.replace('__', '/')}.yaml": text for name, text in changed.items()},
        }
        _write(folder, files)
        return dungeon.load_content(folder)

    def lay(self, folder: Path, **files: Sequence[XpLayer]) -> Content:
        """Load that folder with its lines laid over it as a mod, in which there are these files, too."""
        place = self.where.removeprefix("mod ")
        place = f"{place}example.yaml" if place.endswith("/") else place
        named = {f"{name.replace('__', '/')}.yaml": what for name, what in files.items()}
        _write(folder / "game", self.files())
        _write(folder / "mod", {place: self.text, **named})
        return dungeon.load_content(folder / "game", folder / "mod")


def _write(folder: Path, files: Mapping[str, str | Sequence[XpLayer]]) -> None:
    """Write files: text, or layers, which go into an .xp file of that name."""
    for place, what in files.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(what, str):
            path.write_text(what, encoding="utf-8")
        else:
            path.with_suffix(".xp").write_bytes(encode_xp(what))


def rows() -> list[Row]:
    """Return every row of the tables that has an example."""
    found = ROW.findall(manual_text())
    return [
        Row(feature, where, (first.replace("`", ""), second), effect)
        for feature, where, first, second, effect in found
    ]


def shown_files() -> dict[str, str]:
    """Return the files that the pages show in full."""
    return dict(FILE.findall(manual_text()))


def manual_text() -> str:
    """Return the pages of the manual, one after the other."""
    return "\n".join(page.read_text(encoding="utf-8") for page in MANUAL)


@dataclass(frozen=True)
class Rolled:
    """A prefab as it came to lie and stand in a room of floor."""

    drawing: Drawing
    populator: Populator

    @property
    def spawns(self) -> list[Spawn]:
        """What stands in it."""
        return self.populator.spawns

    @cached_property
    def ground(self) -> list[str]:
        """Its terrain, row by row."""
        canvas = self.populator.canvas
        area = Rect(MARGIN, MARGIN, self.drawing.height, self.drawing.width).slices
        return [canvas.terrain_set.kinds[code].name for code in canvas.terrain[area].ravel().tolist()]

    @cached_property
    def tags(self) -> list[str | None]:
        """What stands on each of its cells, row by row."""
        found: list[str | None] = [None] * self.drawing.terrain.size
        for spawn in self.spawns:
            for y, x in spawn.cells:
                found[(y - MARGIN) * self.drawing.width + x - MARGIN] = spawn.tag
        return found

    def keywords(self) -> Mapping[str, object]:
        """Return those of the only thing that stands in it."""
        (spawn,) = self.spawns
        return spawn.keywords


def roll(
    content: Content, name: str = "example", *, seed: int, way: str = "r0", depth: int = DEPTH
) -> Rolled:
    """Roll a prefab, lay it that way into a room with floor all around, and fill it."""
    stream = Stream(seed)
    drawing = content.prefabs[name].variant(stream).drawing.turned(Orientation.named(way))
    canvas = Canvas(drawing.height + 2 * MARGIN, drawing.width + 2 * MARGIN, content.terrain_set)
    room = canvas.carve_room(Rect(1, 1, canvas.height - 2, canvas.width - 2))
    canvas.build_walls()
    canvas.stamp(MARGIN, MARGIN, drawing.terrain, room)
    occupancy = Occupancy(canvas)
    occupancy.expect(drawing, MARGIN, MARGIN)
    labels, _ = components(canvas.passable() & ~occupancy.obstacles)
    occupancy.set_reachable(labels == labels[1, 1])
    populator = Populator(
        canvas=canvas,
        catalog=content.catalog,
        weigh=content.weight,
        depth=depth,
        journal=Journal(),
        occupancy=occupancy,
    )
    populator.fill(PlacedDrawing(drawing=drawing, y=MARGIN, x=MARGIN, index=0, stream=stream))
    give_loadouts(populator, Streams(seed))
    return Rolled(drawing, populator)


def rolls(
    content: Content, name: str = "example", *, way: str = "r0", depth: int = DEPTH, times: int = ROLLS
) -> list[Rolled]:
    """Roll it many times."""
    return [roll(content, name, seed=seed, way=way, depth=depth) for seed in range(times)]


def level(content: Content) -> Level:
    """Return the level on which the map ``bench`` begins."""
    return dungeon.World(content, seed=1).level("bench/2")


def bench(prefab: str = "example", theme: str = "") -> str:
    """Return the map ``bench`` as that prefab, lying as it is drawn."""
    painted = f", theme: {theme}" if theme else ""
    return f"bench: {{name: Bench, layout: {{static: {{prefab: {prefab}}}}}{painted}}}\n"


def likely(outcomes: Iterable[Hashable], odds: Mapping[Any, float]) -> None:
    """Assert that each outcome is as frequent as it should be, and that there is no other."""
    found = list(outcomes)
    assert set(found) == set(odds)
    for name, share in odds.items():
        often(found.count(name), len(found), share)


def often(count: int, of: int, share: float) -> None:
    """Assert that something came true as often as it should have, as far as chance lets one tell."""
    assert abs(count - of * share) <= SURE * sqrt(of * share * (1 - share)), (
        f"{count} of {of}, not {share:.0%}"
    )
