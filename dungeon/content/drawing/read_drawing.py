"""Reading a drawing: from its *planes* (layers of an .xp file, or texts, one above the other) to a `Template`.

A *mark* is a character on a plane above the map. A *reference* is a mark on plane 4, which names an object. *Loose* cells are those
that the steps under `vary` may change.

    plane 1  terrain: each cell by the legend, by its colour, or by its character
    plane 2  links: a digit starts a tunneler of that width, which digs toward the nearest edge; `*` is a connector;
             paths dug later may pass through `o`, but not through `x`
    plane 3  machines: each connected group of cells is one prop; a prop reference drawn over it names it
    plane 4  references: characters that the legend explains; all planes after the fifth are further references

In a drawing with a single plane, references are drawn on the map; the legend gives the terrain below them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.catalog.symbols import only_one
from dungeon.content.drawing.meaning import (
    CONNECTOR,
    listed_colours,
    packed,
    with_connectors,
)
from dungeon.content.drawing.planes import (
    BLANK,
    MARK,
    MAX_CHARACTERS,
    MAX_MARKS,
    DrawingPlane,
    reference_planes,
)
from dungeon.content.drawing.variation_check import VariationCheck
from dungeon.content.prefab.drawing import (
    Drawing,
    DrawnGround,
    DrawnLock,
    Link,
    Machine,
    Reference,
    Stairs,
    in_order,
    name_machines,
    nearest_edge,
    obstacles_of,
)
from dungeon.content.prefab.locked_ground import keys_and_boxes, sealed_cells
from dungeon.content.prefab.template import CharacterReading, LooseCell, Template
from dungeon.core.errors import Problem, Source
from dungeon.core.vocabulary import LYING
from dungeon.grid.rect import Cell
from dungeon.grid.regions import components

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from dungeon.content.drawing.meaning import CharacterMeanings, Variation
    from dungeon.content.prefab.drawing import LinkKind
    from dungeon.content.source.problems import ValueProblem


MAX_UNKNOWN = 20
"""Maximum number of characters without a meaning reported for one drawing."""

MACHINE_COLOUR = (150, 150, 150)
"""The colour of machines drawn as text without paint."""

LINK_MARKS: dict[str, LinkKind] = {CONNECTOR: "connector", "o": "diggable", "x": "closed"}
"""Character of the second plane, other than a digit -> kind of link."""

NOT_OF_MACHINES = ("unique",)
"""Keywords that a reference which names a machine can't have."""


@dataclass
class _DrawingReader:
    """Reads the planes of one drawing as terrain, references, links and machines, and collects problems.

    A *loose* cell or character is one that the steps under `vary` may change, or whose meaning depends on a parameter.

    Attributes:
        planes: The planes of the drawing.
        meaning: What characters and colours mean.
        variation: The steps and the prefab's parameters.
        entry: What problems call the prefab.
        problems: The problems found so far.
        marked: Number of a plane -> (y, x, character) of its non-empty cells.
        readings: Character of the first plane -> what it means there, for those that have a meaning and are not loose.
        stairs: The stairs found that lead to a certain map.
        locks: The locks found on terrain.
    """

    planes: Sequence[DrawingPlane]
    meaning: CharacterMeanings
    variation: Variation
    entry: str
    problems: list[Problem] = field(default_factory=list)
    marked: dict[int, list[tuple[int, int, str]]] = field(default_factory=dict)
    readings: dict[str, CharacterReading] = field(default_factory=dict)
    stairs: list[Stairs] = field(default_factory=list)
    locks: list[DrawnLock] = field(default_factory=list)

    def problem(
        self, source: Source, message: str, char: str | None = None, allowed: tuple[str, ...] = ()
    ) -> None:
        """Add a problem with a drawn character.

        Args:
            source: The place of the character.
            message: What is wrong.
            char: The character; None if it should not be shown.
            allowed: The characters that would be right. If they include `char` in the other case (`A` for `a`), the problem
                suggests it.
        """
        other_case = char.swapcase() if char else ""
        self.problems.append(
            Problem(
                source=source,
                entry=self.entry,
                message=message,
                value=None if char is None else repr(char),
                allowed=allowed,
                nearest=other_case if other_case in allowed else None,
            )
        )

    @cached_property
    def loose_chars(self) -> frozenset[str]:
        """The characters of the drawing that steps may change, or whose meaning varies."""
        changed = {char for step in self.variation.steps for char in step.sources}
        legend = self.meaning.legend
        return frozenset(changed | {char for char in legend if legend[char].varies})

    @cached_property
    def loose(self) -> tuple[LooseCell, ...]:
        """The loose cells of the drawing: those with a loose character, and references drawn above such a cell."""
        chars, plane = self.loose_chars, self.planes[0]
        if not chars:
            return ()
        found = [LooseCell(y, x, char, above=False) for y, x, char in self.few(plane.cells_of(chars), plane)]
        below = {(loose.y, loose.x) for loose in found}
        found += [
            LooseCell(y, x, char, above=True, only=self.planes[number].kind)
            for number in reference_planes(self.planes)
            for y, x, char in self.marks(number)
            if char in self.loose_chars or (y, x) in below
        ]
        return tuple(sorted(found, key=lambda loose: (loose.y, loose.x, loose.above)))

    # -- plane 1 --------------------------------------------------------------------------------

    def terrain(self) -> NDArray[np.uint8]:
        """Return (height, width) uint8: the terrain codes of the first plane, `KEEP` for loose cells."""
        plane = self.planes[0]
        table, unknown = {}, []
        for char in sorted(plane.chars):
            if char in self.loose_chars:
                table[ord(char)] = t.KEEP
            elif self.meaning.explains(char, above=False):
                self.readings[char] = self.meaning.reading(char, above=False)
                table[ord(char)] = self.readings[char].certain
            else:
                table[ord(char)] = t.FLOOR
                unknown.append(char)
        result = plane.looked_up(table)
        seen = np.zeros(plane.shape, np.bool_)
        if plane.colour is not None and self.meaning.colours:
            seen = self.by_colour(plane, plane.colour, set(unknown), result)
        if unknown and self.meaning.knows_all_of(plane):
            self.report_unknown(plane, set(unknown), seen)
        return result

    def by_colour(
        self,
        plane: DrawingPlane,
        colour: NDArray[np.uint8],
        unknown: Collection[str],
        result: NDArray[np.uint8],
    ) -> NDArray[np.bool_]:
        """Write the terrain codes of cells that are read by their colour into `result`; return which cells these are.

        Args:
            plane: The first plane.
            colour: (height, width, 3) uint8, the visible colour of each cell.
            unknown: Characters without a meaning.
            result: (height, width) uint8 terrain codes; changed.

        Returns:
            (height, width) bool, True for the cells read by colour.
        """
        own = {BLANK, *self.meaning.legend, *self.meaning.unclear, *self.loose_chars}
        colours = listed_colours(plane, colour, self.meaning, own, unknown)
        listed = {int(text[1:], 16): self.meaning.code(name) for text, name in self.meaning.colours.items()}
        keys = sorted(listed)
        codes = np.array([listed[key] for key in keys], np.uint8)
        seen: NDArray[np.bool_] = colours >= 0
        result[seen] = codes[np.searchsorted(keys, colours[seen])]
        return seen

    def report_unknown(self, plane: DrawingPlane, unknown: Collection[str], seen: NDArray[np.bool_]) -> None:
        """Report each character without a meaning once.

        Args:
            plane: The first plane.
            unknown: The characters without a meaning.
            seen: (height, width) bool: True for cells that are read by their colour, which are not reported.
        """
        cells = np.flatnonzero(plane.having(unknown) & ~seen)
        points = np.frombuffer(plane.text.encode("utf-32-le", "surrogatepass"), np.uint32)[cells]
        chars, first, counts = np.unique(points, return_index=True, return_counts=True)
        for number in np.argsort(first)[:MAX_UNKNOWN].tolist():
            y, x = divmod(int(cells[first[number]]), plane.shape[1])
            what = "character"
            if plane.colour is not None:
                what = f"character or its colour #{packed(plane.colour[y, x]):06x}"
            message = f"no legend or palette says what this {what} means{_times(int(counts[number]))}"
            self.problem(plane.where(y, x), message, chr(chars[number]), self.meaning.explained)
        if len(chars) > MAX_UNKNOWN:
            message = f"{len(chars) - MAX_UNKNOWN} more characters have no meaning"
            self.problem(plane.where(0, 0), message)

    # -- planes 2 to 4 --------------------------------------------------------------------------

    def marks(self, number: int) -> list[tuple[int, int, str]]:
        """Return (y, x, character) of the non-empty cells of plane `number` (from 0); empty if there is no such plane."""
        if number >= len(self.planes):
            return []
        if number not in self.marked:
            plane = self.planes[number]
            self.marked[number] = self.few(plane.cells(MARK), plane)
        return self.marked[number]

    def few(self, cells: list[tuple[int, int, str]], plane: DrawingPlane) -> list[tuple[int, int, str]]:
        """Return `cells` unchanged if they are at most `MAX_MARKS`. If they are more, report it and return an empty list."""
        if len(cells) <= MAX_MARKS:
            return cells
        self.problem(plane.where(0, 0), f"more than {MAX_MARKS} cells of this layer are not empty")
        return []

    def references(self, terrain: NDArray[np.uint8]) -> list[Reference]:
        """Return the characters of the first plane and of all planes of references that stand for objects.

        Destinations of stairs and locks of doors are collected, too.

        Args:
            terrain: (height, width) uint8 terrain codes; where a reference names terrain, it is written here.
        """
        meaning, plane = self.meaning, self.planes[0]
        settled = plane.chars - self.loose_chars
        telling = [char for char in settled & meaning.legend.keys() if meaning.legend[char].tells_more]
        found: list[Reference] = []
        for y, x, char in self.few(plane.cells_of(telling), plane):
            self.take(self.readings[char], y, x, char, found)
        below = {(each.y, each.x) for each in self.loose if not each.above}
        for number in reference_planes(self.planes):
            fixed = [
                mark
                for mark in self.marks(number)
                if mark[2] not in self.loose_chars and mark[:2] not in below
            ]
            self.references_of(number, fixed, terrain, found)
        return found

    def references_of(
        self,
        number: int,
        marks: Sequence[tuple[int, int, str]],
        terrain: NDArray[np.uint8],
        found: list[Reference],
    ) -> None:
        """Add the objects of one plane of references to `found`, and write the terrain below them into `terrain`.

        Args:
            number: The index of the plane.
            marks: (y, x, character) of its cells that do not vary.
            terrain: (height, width) uint8, the terrain codes.
            found: The references of the planes below.
        """
        meaning, plane = self.meaning, self.planes[number]
        single = {(each.y, each.x, each.symbol.like) for each in found if each.symbol.like not in LYING}
        known = {
            char: meaning.reading(char, above=True, only=plane.kind)
            for char in {char for _, _, char in marks}
            if meaning.explains(char, above=True, only=plane.kind) and char in meaning.legend
        }
        for y, x, char in marks:
            if char not in known:
                continue
            reading = known[char]
            if reading.codes is not None:
                terrain[y, x] = reading.certain
            for _, symbol in reading.symbols:
                if symbol.kind is not None and (y, x, symbol.like) in single:
                    self.problem(plane.where(y, x), only_one(str(symbol.like)), char)
            self.take(reading, y, x, char, found)
        self.report_strange(number, known)

    def report_strange(self, number: int, known: Collection[str]) -> None:
        """Report the characters of a plane of references that have no meaning, or that stand for another kind of object."""
        meaning, plane = self.meaning, self.planes[number]
        strange = [
            mark for mark in self.marks(number) if mark[2] not in known and mark[2] not in self.loose_chars
        ]
        if meaning.whole:
            unknown = [mark for mark in strange if mark[2] not in meaning.legend]
            self.report_marks(number, unknown, "no legend says what this reference means", meaning.explained)
        if plane.only:
            others = [
                mark for mark in strange if mark[2] in meaning.legend and mark[2] not in meaning.unclear
            ]
            message = f"this is a layer of {plane.only.called}, and the legend makes this character no {plane.only.word}"
            self.report_marks(number, others, message, meaning.explained_for(plane.kind))

    def take(self, reading: CharacterReading, y: int, x: int, char: str, found: list[Reference]) -> None:
        """Collect what a character at the cell (y, x) means: its objects (into `found`), the destination of its stairs, its lock."""
        for nth, symbol in reading.symbols:
            found.append(Reference(y, x, char, symbol, nth=nth))
        way = reading.certain_destination
        if way is not None:
            self.stairs.append(Stairs(y, x, way))
        if reading.lock is not None:
            self.locks.append(DrawnLock(y, x, next(reading.lock.outcomes())))

    def report_marks(
        self, number: int, marks: Sequence[tuple[int, int, str]], message: str, allowed: tuple[str, ...]
    ) -> None:
        """Report marks (characters on a plane above the first) that have no meaning, each character once.

        Args:
            number: The number of the plane, from 0.
            marks: (y, x, character) of each mark.
            message: What is wrong with them.
            allowed: The characters that have a meaning there.
        """
        counts = Counter(char for _, _, char in marks)
        first = {char: (y, x) for y, x, char in reversed(marks)}
        for char in list(counts)[:MAX_UNKNOWN]:
            if char not in self.meaning.unclear:
                source = self.planes[number].where(*first[char])
                self.problem(source, f"{message}{_times(counts[char])}", char, allowed)

    def links(self) -> tuple[Link, ...]:
        """Return the links (places where the prefab is joined to the map) drawn on the second plane."""
        found, wrong = [], []
        for y, x, char in self.marks(1):
            if char not in "123456789" and char not in LINK_MARKS:
                wrong.append((y, x, char))
                continue
            kind = LINK_MARKS.get(char, "tunneler")
            width = int(char) if kind == "tunneler" else 1
            found.append(Link(y, x, width, *nearest_edge(y, x, *self.planes[1].shape), kind))
        message = "a link is written as a digit from 1 to 9, the width of a tunneler, or as one of the allowed marks"
        self.report_marks(1, wrong, message, tuple(LINK_MARKS))
        return tuple(found)

    def machines(self) -> tuple[Machine, ...]:
        """Return the machines (props over several cells) on the third plane, one for each connected group of non-empty cells."""
        chars = {(y, x): char for y, x, char in self.marks(2)}
        if not chars:
            return ()
        plane = self.planes[2]
        mask = np.zeros(plane.shape, np.bool_)
        for cell in chars:
            mask[cell] = True
        labels, count = components(mask)
        groups: list[list[Cell]] = [[] for _ in range(count)]
        for y, x in chars:
            groups[labels[y, x] - 1].append(Cell(y, x))
        painted = {(y, x): char for y, x, char in self.marks(4)}
        if self.meaning.paints is not None:
            wrong = [(y, x, char) for (y, x), char in painted.items() if char not in self.meaning.paints]
            message = "'paints' does not say which colour this character means"
            self.report_marks(4, wrong, message, tuple(sorted(self.meaning.paints)))
        return tuple(
            Machine(
                tuple(cells),
                tuple(chars[cell] for cell in cells),
                tuple(self.machine_colour(plane, cell, painted.get(cell)) for cell in cells),
                self.meaning.machine,
            )
            for cells in groups
        )

    def machine_colour(self, plane: DrawingPlane, cell: Cell, paint: str | None) -> t.Colour:
        """Return the colour of one cell of a machine.

        Args:
            plane: The plane of the machines.
            cell: The cell.
            paint: The character above the cell in `paint`, which stands for a colour; None if there is none.
        """
        if plane.colour is None:
            return (self.meaning.paints or {}).get(paint or "", MACHINE_COLOUR)
        red, green, blue = plane.colour[cell].tolist()
        return (red, green, blue)

    def name_machines(
        self, machines: Sequence[Machine], references: Sequence[Reference]
    ) -> tuple[list[Machine], list[Reference]]:
        """Return (machines, other references): a machine becomes the prop whose reference is drawn over it; report wrong references."""
        names: dict[int, str] = {}
        covered = {cell: number for number, machine in enumerate(machines) for cell in machine.cells}
        for reference in references:
            number = covered.get(Cell(reference.y, reference.x))
            if number is not None and reference.symbol.like == "prop":
                first = names.setdefault(number, reference.char)
                where = self.planes[min(3, len(self.planes) - 1)].where(reference.y, reference.x)
                if first != reference.char:
                    message = f"the reference {first!r} says already which prop this machine is"
                    self.problem(where, message, reference.char)
                for key in NOT_OF_MACHINES:
                    if key in reference.symbol.model_fields_set:
                        message = f"this reference says which prop a machine is, and such a reference can't have the key {key!r}"
                        self.problem(where, message, reference.char)
        return name_machines(machines, references)


def _times(count: int) -> str:
    return "" if count == 1 else f" ({count} cells)"


def read_ground(
    planes: Sequence[DrawingPlane], meaning: CharacterMeanings, variation: Variation
) -> tuple[NDArray[np.uint8], frozenset[str]]:
    """Read only the map of a drawing: return its terrain codes, (height, width) uint8, and the characters that may change."""
    planes, meaning = with_connectors(planes, meaning, variation)
    draft = _DrawingReader(planes, meaning, variation, "")
    return draft.terrain(), draft.loose_chars


@dataclass(frozen=True, slots=True)
class Readout:
    """The result of reading a drawing.

    Attributes:
        template: The template, as far as the drawing could be read.
        problems: Problems of the drawing.
        entry_problems: Problems of the prefab's entry.
        spare: Problems of `switch` cases that can never be chosen, since the parameter never has their value. Such a problem
            counts only if the prefab itself has the case, and did not take it from another prefab by `like`.
        unused: Problems of characters that a step changes although no cell can have them.
    """

    template: Template
    problems: list[Problem]
    entry_problems: list[ValueProblem]
    spare: list[ValueProblem]
    unused: list[ValueProblem]


def read_drawing(
    planes: Sequence[DrawingPlane], meaning: CharacterMeanings, variation: Variation, name: str, entry: str
) -> Readout:
    """Return the template of a drawing, and its problems.

    Args:
        planes: One or more planes of the same size, in the order of `PLANE_NAMES`; further ones are references.
        meaning: What the characters and colours mean.
        variation: The steps under `vary` and the prefab's parameters.
        name: The name of the prefab.
        entry: What problems call the prefab.
    """
    planes, meaning = with_connectors(planes, meaning, variation)
    draft = _DrawingReader(planes, meaning, variation, entry)
    for plane in planes:
        if len(plane.chars) > MAX_CHARACTERS:
            draft.problem(
                plane.where(0, 0), f"this layer has more than {MAX_CHARACTERS} different characters"
            )
            draft.planes = [DrawingPlane("?", (1, 1), plane.where)]
    terrain = draft.terrain()
    references = draft.references(terrain)
    machines, references = draft.name_machines(draft.machines(), references)
    ahead = VariationCheck(draft.planes, meaning, variation)
    ahead.look_ahead()
    for where, message, char in ahead.drawn:
        draft.problem(where, message, char, meaning.explained)
    keys, boxes = keys_and_boxes(
        references, machines, draft.locks, meaning.opens, meaning.stops, meaning.given
    )
    links = draft.links()
    obstacles = obstacles_of(terrain.shape, references, machines, meaning.stops)
    ground = DrawnGround(
        terrain,
        obstacles,
        tuple(draft.locks),
        keys,
        boxes,
        None if meaning.sealing is None else sealed_cells(terrain, obstacles, links, meaning.sealing),
    )
    fixed = Drawing(
        ground,
        tuple(sorted(references, key=in_order)),
        links,
        tuple(machines),
        tuple(draft.stairs),
        (name,),
    )
    chars = planes[0].chars, frozenset[str]().union(*(planes[at].chars for at in reference_planes(planes)))
    template = Template(
        fixed=fixed,
        read=meaning.reading,
        stops=meaning.stops,
        opens=meaning.opens,
        given=meaning.given,
        lock_names=meaning.lock_names(None if draft.loose else chars[0] | chars[1]),
        sealing=meaning.sealing,
        loose=draft.loose,
        steps=variation.steps,
        fits=variation.fits,
        parameters=variation.parameters,
        chars=chars,
    )
    return Readout(template, draft.problems, ahead.entry_problems, ahead.spare, ahead.unused)
