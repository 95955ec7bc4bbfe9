"""What a prefab's drawing is made from, and how chance makes one of it.

Most of a drawing never changes; it was read once, when the content was loaded. The rest are cells whose
characters `vary` may change, or whose symbols a parameter decides. They are read anew each time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from dungeon import terrain as t
from dungeon.content.laid import Drawing, Machine, Reference, Stairs, in_order, nearest_edge
from dungeon.content.values import roll
from dungeon.grid.bits import Board
from dungeon.grid.rect import Cell
from dungeon.grid.regions import components
from dungeon.grid.symmetry import Orientation
from dungeon.streams import UNIT, Streams

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.laid import Link
    from dungeon.content.prefab import Footprint, Prefab
    from dungeon.content.symbols import SymbolEntry
    from dungeon.content.values import Value
    from dungeon.content.variation import Fit, StepEntry
    from dungeon.streams import Stream


NO_CHARACTER = ""
"""The character of a cell that another prefab has been fitted into."""


class Loose(NamedTuple):
    """A cell whose character may change.

    Attributes:
        above: Whether it is a reference that lies above the map, rather than a cell of the map.
    """

    y: int
    x: int
    char: str
    above: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """What a character means.

    Attributes:
        codes: Terrain, decided for each cell; None leaves it as it is.
        symbol: An object.
        to: Where stairs lead.
    """

    codes: Value[int] | None
    symbol: SymbolEntry | None = None
    to: str | None = None

    @property
    def certain(self) -> int:
        """The code of terrain that leaves nothing to chance."""
        return t.KEEP if self.codes is None else next(iter(self.codes.outcomes()))


class Reader(Protocol):
    """Tells what characters mean."""

    def __call__(self, char: str, *, above: bool, parameters: Mapping[str, str | None]) -> Reading:
        """Return what a character of the map, or of the references above it, means with these parameters."""


@dataclass(frozen=True, slots=True)
class Inset:
    """A drawing that was fitted into another, with its top-left cell at (y, x)."""

    drawing: Drawing
    y: int
    x: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """What a prefab's drawing is made from.

    Attributes:
        fixed: The drawing without the cells that may change, which are `KEEP` in it. Its machines have no symbols but
            the one that the prefab names.
        loose: The cells that may change, row by row.
        steps: What is done to their characters.
        fits: Step of `steps` -> the names of the prefabs that it may fit in.
        parameters: What is decided once.
        chars: The characters that are drawn on the map, and those of the references above it.
        read: Tells what characters mean.
        stops: Tells whether an object of that symbol will stop walkers for good.
    """

    fixed: Drawing
    read: Reader
    stops: Callable[[SymbolEntry], bool]
    loose: tuple[Loose, ...] = ()
    steps: tuple[StepEntry, ...] = ()
    fits: Mapping[int, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    parameters: Mapping[str, Value[str]] = field(default_factory=lambda: MappingProxyType({}))
    chars: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())

    @property
    def shape(self) -> tuple[int, int]:
        """(height, width)."""
        return self.fixed.height, self.fixed.width

    @property
    def varies(self) -> bool:
        """Whether its drawing is not always the same."""
        return bool(self.loose)

    @property
    def ink(self) -> frozenset[tuple[int, int]]:
        """The cells (y, x) on which there is anything, or may be."""
        return self.fixed.ink | {(loose.y, loose.x) for loose in self.loose}

    def roll(self, stream: Stream, shelf: Mapping[str, Prefab]) -> Drawing:
        """Return a drawing.

        Args:
            stream: Where chance comes from.
            shelf: All prefabs by name.
        """
        if not self.varies:
            return self.fixed
        sheet = self.begun(stream, shelf)
        for number, step in enumerate(self.steps):
            sheet.step = number
            step.apply(sheet, stream)
        return self._drawn(sheet, stream)

    def begun(self, stream: Stream, shelf: Mapping[str, Prefab]) -> LooseCells:
        """Return the loose cells before the first step."""
        parameters = {name: value.roll(stream) for name, value in self.parameters.items()}
        return LooseCells(self, parameters, shelf)

    def _drawn(self, sheet: LooseCells, stream: Stream) -> Drawing:
        """Put the loose cells as they are now, and what was fitted in, into the fixed drawing."""
        terrain = self.fixed.terrain.copy()
        references, stairs = list(self.fixed.references), list(self.fixed.stairs)
        readings: dict[tuple[str, bool], Reading] = {}
        for (y, x, _, above), char in zip(self.loose, sheet.chars, strict=True):
            if char == NO_CHARACTER:
                continue
            reading = readings.get((char, above))
            if reading is None:
                reading = readings[char, above] = self.read(char, above=above, parameters=sheet.parameters)
            if reading.codes is not None:
                terrain[y, x] = roll(reading.codes, stream, t.FLOOR)
            if reading.symbol is not None:
                references.append(Reference(y, x, char, reading.symbol))
            if reading.to is not None:
                stairs.append(Stairs(y, x, reading.to))
        machines, links, parts = list(self.fixed.machines), list(self.fixed.links), self.fixed.parts
        for inset in sheet.insets:
            parts = _join(inset, parts, terrain, references, machines, stairs, links)
        machines, references = name_machines(machines, references)
        return Drawing(
            Orientation.R0,
            terrain,
            obstacles_of(terrain.shape, references, machines, self.stops),
            tuple(sorted(references, key=in_order)),
            tuple(links),
            tuple(machines),
            tuple(stairs),
            parts,
        )


def _join(
    inset: Inset,
    parts: tuple[str, ...],
    terrain: NDArray[np.uint8],
    references: list[Reference],
    machines: list[Machine],
    stairs: list[Stairs],
    links: list[Link],
) -> tuple[str, ...]:
    """Put a drawing that was fitted in where it belongs, and return the parts with its own.

    Its tunnelers dig toward the nearest edge of the whole.
    """
    drawing, first = inset.drawing, len(parts)
    for y, x in np.argwhere(drawing.terrain != t.KEEP).tolist():  # its `?` cells may lie outside
        terrain[inset.y + y, inset.x + x] = drawing.terrain[y, x]
    references += [
        Reference(inset.y + each.y, inset.x + each.x, each.char, each.symbol, first + each.part, each.turned)
        for each in drawing.references
    ]
    machines += [
        replace(
            machine,
            cells=tuple(Cell(inset.y + y, inset.x + x) for y, x in machine.cells),
            part=first + machine.part,
        )
        for machine in drawing.machines
    ]
    stairs += [Stairs(inset.y + y, inset.x + x, to) for y, x, to in drawing.stairs]
    for link in drawing.links:
        y, x = inset.y + link.y, inset.x + link.x
        dy, dx = nearest_edge(y, x, *terrain.shape)
        links.append(link._replace(y=y, x=x, dy=dy, dx=dx))
    return parts + drawing.parts


def name_machines(
    machines: Sequence[Machine], references: Sequence[Reference]
) -> tuple[list[Machine], list[Reference]]:
    """Return machines named by the prop reference that lies over them, and the references that are left."""
    if not machines:
        return [], list(references)
    covered = {cell: number for number, machine in enumerate(machines) for cell in machine.cells}
    named, left = list(machines), []
    for reference in references:
        number = covered.get(Cell(reference.y, reference.x))
        if number is None or reference.symbol.kind != "prop" or reference.part != named[number].part:
            left.append(reference)
        else:
            named[number] = replace(named[number], symbol=reference.symbol, char=reference.char)
    return named, left


def obstacles_of(
    shape: tuple[int, ...],
    references: Sequence[Reference],
    machines: Sequence[Machine],
    stops: Callable[[SymbolEntry], bool],
) -> NDArray[np.bool_]:
    """Return (height, width) bool: where an object will stop walkers for good."""
    obstacles = np.zeros(shape, np.bool_)
    for reference in references:
        if stops(reference.symbol):
            obstacles[reference.y, reference.x] = True
    for machine in machines:
        if machine.symbol is None or stops(machine.symbol):
            for cell in machine.cells:
                obstacles[cell] = True
    return obstacles


class LooseCells:
    """The loose cells of a template while it is rolled.

    Attributes:
        chars: Their characters.
        parameters: What the parameters turned out to be.
        insets: What has been fitted in.
        step: Which step is being done.
    """

    def __init__(
        self, template: Template, parameters: Mapping[str, str | None], shelf: Mapping[str, Prefab]
    ) -> None:
        self.template = template
        self.parameters = parameters
        self.shelf = shelf
        self.chars = [loose.char for loose in template.loose]
        self.insets: list[Inset] = []
        self.step = 0

    def fit(self, step: Fit, stream: Stream) -> None:
        """Fit prefabs into the connected groups of a step's character, and take the character off their cells."""
        names = self.template.fits.get(self.step, ())
        orientations = frozenset(map(Orientation.named, step.orientations))
        for group in self.groups(step.fit):
            luck = Streams(int(stream.random() / UNIT))
            if not luck.stream("chance").chance(roll(step.chance, luck.stream("share"), 1.0)):
                continue
            cells = {
                Cell(self.template.loose[index].y, self.template.loose[index].x): index for index in group
            }
            for name in luck.race(dict.fromkeys(names, 1.0)):
                inset = place_within(cells, self.shelf[name], orientations, luck.stream("spot", name))
                if inset is not None:
                    self.insets.append(inset)
                    for cell in _covered(inset):
                        self.chars[cells[cell]] = NO_CHARACTER
                    break

    def groups(self, char: str) -> Iterator[list[int]]:
        """Yield the connected cells of the map that have a character, as indices of `chars`."""
        mask = np.zeros(self.template.shape, np.bool_)
        here: dict[Cell, int] = {}
        for index, (loose, now) in enumerate(zip(self.template.loose, self.chars, strict=True)):
            if now == char and not loose.above:
                mask[loose.y, loose.x] = True
                here[Cell(loose.y, loose.x)] = index
        labels, count = components(mask)
        found: list[list[int]] = [[] for _ in range(count)]
        for cell, index in here.items():
            found[labels[cell] - 1].append(index)
        yield from found


def place_within(
    cells: Mapping[Cell, int], prefab: Prefab, orientations: frozenset[Orientation], stream: Stream
) -> Inset | None:
    """Return a variant of a prefab where all of it lies on these cells; None if it fits nowhere.

    Every way to lie and every spot is as likely as any other. The variant is made once its place is known: what varies
    in a prefab counts as drawn.
    """
    prints = prefab.footprints(orientations)
    spots = [(each.orientation, cell) for each in prints for cell in spots_within(cells, each)]
    if not spots:
        return None
    orientation, cell = stream.pick(spots)
    return Inset(prefab.variant(stream).drawing.laid(orientation), *cell)


def spots_within(cells: Collection[Cell], footprint: Footprint) -> list[Cell]:
    """Return every place of a footprint's top-left cell at which all of it lies on these cells."""
    _, high, wide, ink = footprint
    if len(ink) > len(cells):
        return []
    top, left = min(y for y, _ in cells), min(x for _, x in cells)
    height = max(y for y, _ in cells) - top + 1
    width = max(x for _, x in cells) - left + 1
    # `?` cells may lie outside: the board has space for all of the drawing on every side.
    board = Board(height + 2 * high, width + 2 * wide)
    mask = board.from_cells(Cell(y - top + high, x - left + wide) for y, x in cells)
    found = -1
    for y, x in ink:
        found &= mask >> (y * board.stride + x)
    if found == -1:
        return []
    return [Cell(y + top - high, x + left - wide) for y, x in board.cells(found)]


def _covered(inset: Inset) -> Iterator[Cell]:
    for y, x in inset.drawing.ink:
        yield Cell(inset.y + y, inset.x + x)
