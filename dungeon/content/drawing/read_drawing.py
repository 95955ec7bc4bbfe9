"""Reading a drawing: from the planes of an .xp file or of texts to a `Template`.

    plane 1  terrain: each cell by the legend, by its colour, or by its character
    plane 2  links: a digit starts a tunneler of that width, which digs toward the nearest edge; `*` is a connector;
             paths dug later may pass through `o`, but not through `x`
    plane 3  machines: each connected group of cells is one prop; a prop reference drawn over it names it
    plane 4  references: characters that the legend explains

In a drawing with a single plane, references are drawn on the map; the legend gives the terrain below them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
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
)
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
    sealed_cells,
)
from dungeon.content.prefab.locked_ground import keys_and_boxes
from dungeon.content.prefab.template import CharacterReading, LooseCell, Template
from dungeon.content.prefab.variation import CellTally, SubstituteEntry
from dungeon.content.source.problems import ValueProblem
from dungeon.core.errors import Problem, Source
from dungeon.grid.rect import Cell
from dungeon.grid.regions import components

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.drawing.meaning import CharacterMeanings, Variation
    from dungeon.content.prefab.drawing import LinkKind
    from dungeon.content.values.grammar import Value


@dataclass
class VariationCheck:
    """Checks that can be made on all variants of a drawing at once, without rolling any.

    Attributes:
        entry_problems: Problems of the prefab's entry.
        spare: Cases of switches that never occur. Each is a problem unless the prefab has it from another one
            by `like`.
        unused: Characters that a step changes although no cell can have them.
        drawn: Problems of drawn characters: (place, message, character).
    """

    planes: Sequence[DrawingPlane]
    meaning: CharacterMeanings
    variation: Variation
    entry_problems: list[ValueProblem] = field(default_factory=list)
    spare: list[ValueProblem] = field(default_factory=list)
    unused: list[ValueProblem] = field(default_factory=list)
    drawn: list[tuple[Source, str, str]] = field(default_factory=list)

    def look_ahead(self) -> None:
        """Run all checks of what may come out of the steps under `vary`; problems are added to the attributes."""
        if self.variation.steps:
            self.follow_steps()
        for symbol, path in self.switches():
            self.check_switch(symbol.switch or "", symbol.cases, self.variation.parameters, *path)

    def follow_steps(self) -> None:
        """Follow the numbers of cells with each character through all steps under `vary`, without rolling.

        Report a step `exactly` for which there may be too few cells, and characters without a meaning that may be left.
        """
        steps, parameters = self.variation.steps, self.variation.parameters
        planes = [plane for number, plane in enumerate(self.planes) if number in (0, 3)]
        alone, both = self.tallies(planes)
        left: dict[tuple[str, bool], tuple[str | int, ...]] = {}
        for number, step in enumerate(steps):
            at = len(both.problems), len(both.unused)
            step.tally(both)
            self.entry_problems += [problem.inside("vary", number) for problem in both.problems[at[0] :]]
            self.unused += [problem.inside("vary", number) for problem in both.unused[at[1] :]]
            for above, tally in enumerate(alone):
                step.tally(tally)
                for char, key in step.results():
                    left.setdefault((char, bool(above)), ("vary", number, key))
            if isinstance(step, SubstituteEntry) and step.switch is not None:
                self.check_switch(step.switch, step.cases, parameters, "vary", number)
        if not self.meaning.whole:
            return
        self.report_left(alone, left)
        self.report_unexplained(planes, alone, left)

    def tallies(self, planes: Sequence[DrawingPlane]) -> tuple[list[CellTally], CellTally]:
        """Return the cell counts of each character that steps replace: one tally per plane, and one for all planes together."""
        steps = self.variation.steps
        sources = {char for step in steps for char in step.sources}
        unsure = [name for name, value in self.variation.parameters.items() if not value.applies]
        counts = [
            # A space on the references is no character, but an empty cell.
            {char: n for char in sources if not (above and char == " ") and (n := plane.text.count(char))}
            for above, plane in enumerate(planes)
        ]
        alone = [
            CellTally({char: (n, n) for char, n in each.items()}, unsure, partial=True) for each in counts
        ]
        total = {char: sum(each.get(char, 0) for each in counts) for char in sources}
        return alone, CellTally({char: (n, n) for char, n in total.items() if n}, unsure)

    def report_left(
        self, tallies: Sequence[CellTally], left: Mapping[tuple[str, bool], tuple[str | int, ...]]
    ) -> None:
        """Report characters without a meaning that steps may leave on a plane."""
        for above, tally in enumerate(tallies):
            for char, (_, most) in tally.counts.items():
                path = left.get((char, bool(above)))
                if not most or path is None or self.meaning.explains(char, above=bool(above)):
                    continue
                what = "reference" if above else "character"
                message = f"no legend or palette says what this {what} means, and this step may leave it"
                if not any(problem.value == char and problem.path == path for problem in self.entry_problems):
                    self.entry_problems.append(
                        ValueProblem(message=message, path=path, value=char, allowed=self.meaning.explained)
                    )

    def report_unexplained(
        self,
        planes: Sequence[DrawingPlane],
        tallies: Sequence[CellTally],
        left: Mapping[tuple[str, bool], tuple[str | int, ...]],
    ) -> None:
        """Report drawn characters without a meaning that the steps may leave unchanged."""
        for above, (plane, tally) in enumerate(zip(planes, tallies, strict=True)):
            for char, (_, most) in tally.counts.items():
                known = (char, bool(above)) in left or self.meaning.explains(char, above=bool(above))
                if most and not known and char in plane.text:
                    y, x = divmod(plane.text.index(char), plane.shape[1])
                    message = "no legend or palette says what this character means, and steps may leave it"
                    self.drawn.append((plane.where(y, x), message, char))

    def check_switch(
        self,
        name: str,
        cases: Collection[str],
        parameters: Mapping[str, Value[str]],
        *path: str | int,
    ) -> None:
        """Report a switch on an unknown parameter, or whose cases differ from the values of the parameter."""
        if name not in parameters:
            message = "this prefab has no parameter of this name"
            self.entry_problems.append(
                ValueProblem(message=message, path=(*path, "switch"), value=name, allowed=tuple(parameters))
            )
            return
        values = list(dict.fromkeys(parameters[name].outcomes()))
        for value in values:
            if value not in cases:
                message = f"there is no case for this value of the parameter {name!r}"
                self.entry_problems.append(
                    ValueProblem(message=message, path=(*path, "cases"), value=value, key=True)
                )
        for case in cases:
            if case not in values:
                message = f"the parameter {name!r} never has this value"
                self.spare.append(
                    ValueProblem(
                        message=message,
                        path=(*path, "cases", case),
                        value=case,
                        allowed=tuple(values),
                        key=True,
                    )
                )

    def switches(self) -> Iterator[tuple[SymbolEntry, tuple[str, ...]]]:
        """Yield (symbol, path) for every switch among the symbols that are drawn, or that steps may produce."""
        chars = {char for step in self.variation.steps for char, _ in step.results()}
        chars = chars.union(*(plane.chars for plane in self.planes[::3]))
        for char, symbol in self.meaning.legend.items():
            if char in chars:
                yield from symbol.switches("legend", char)


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
    """Reads the planes of one drawing to terrain, references, links and machines, and collects problems."""

    planes: Sequence[DrawingPlane]
    meaning: CharacterMeanings
    variation: Variation
    entry: str
    problems: list[Problem] = field(default_factory=list)
    marked: dict[int, list[tuple[int, int, str]]] = field(default_factory=dict)
    stairs: list[Stairs] = field(default_factory=list)
    locks: list[DrawnLock] = field(default_factory=list)

    def problem(
        self, source: Source, message: str, char: str | None = None, allowed: tuple[str, ...] = ()
    ) -> None:
        """Add a problem; if `char` is unknown but its other case is allowed, that one is suggested."""
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
        """The characters that steps may change, or whose meaning varies."""
        changed = {char for step in self.variation.steps for char in step.sources}
        legend = self.meaning.legend
        return frozenset(changed | {char for char in legend if legend[char].varies})

    @cached_property
    def loose(self) -> tuple[LooseCell, ...]:
        """The loose cells: those with a loose character, and references that lie above one."""
        chars, plane = self.loose_chars, self.planes[0]
        if not chars:
            return ()
        found = [LooseCell(y, x, char, above=False) for y, x, char in self.few(plane.cells_of(chars), plane)]
        below = {(loose.y, loose.x) for loose in found}
        found += [
            LooseCell(y, x, char, above=True)
            for y, x, char in self.marks(3)
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
                table[ord(char)] = self.meaning.reading(char, above=False).certain
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
        """Write the codes of cells with a listed colour into `result`.

        Return (height, width) bool, True for these cells.
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
        """Report each character without a meaning once; cells in `seen` are explained by their colour."""
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
        """Return (y, x, character) of the non-empty cells of a plane above the first.

        Empty if there is no such plane.
        """
        if number >= len(self.planes):
            return []
        if number not in self.marked:
            plane = self.planes[number]
            self.marked[number] = self.few(plane.cells(MARK), plane)
        return self.marked[number]

    def few(self, cells: list[tuple[int, int, str]], plane: DrawingPlane) -> list[tuple[int, int, str]]:
        """Return the cells; if there are more than `MAX_MARKS`, report it and return none."""
        if len(cells) <= MAX_MARKS:
            return cells
        self.problem(plane.where(0, 0), f"more than {MAX_MARKS} cells of this layer have something on them")
        return []

    def references(self, terrain: NDArray[np.uint8]) -> list[Reference]:
        """Return the objects of the first and fourth plane, and write the terrain below them into `terrain`.

        Destinations of stairs and locks of doors are collected, too.
        """
        meaning, plane = self.meaning, self.planes[0]
        settled = plane.chars - self.loose_chars
        telling = [char for char in settled & meaning.legend.keys() if meaning.legend[char].tells_more]
        found: list[Reference] = []
        readings = {char: meaning.reading(char, above=False) for char in telling}
        for y, x, char in self.few(plane.cells_of(telling), plane):
            self.take(readings[char], y, x, char, found)
        taken = {(each.y, each.x) for each in found}
        loose = {(each.y, each.x) for each in self.loose if each.above}
        unknown = []
        marks = self.marks(3)
        known = {char for _, _, char in marks} & meaning.legend.keys()
        readings = {char: meaning.reading(char, above=True) for char in known}
        for y, x, char in marks:
            if char not in known:
                if char not in self.loose_chars:
                    unknown.append((y, x, char))
            elif (y, x) not in loose:
                reading = readings[char]
                if reading.codes is not None:
                    terrain[y, x] = reading.certain
                if reading.symbol is not None and (y, x) in taken:
                    message = "this cell has a reference on the map already"
                    self.problem(self.planes[3].where(y, x), message, char)
                self.take(reading, y, x, char, found)
        if meaning.whole:
            self.report_marks(3, unknown, "no legend says what this reference means", self.meaning.explained)
        return found

    def take(self, reading: CharacterReading, y: int, x: int, char: str, found: list[Reference]) -> None:
        """Collect what a character at the cell (y, x) means: its object (into `found`), the destination of its stairs, its lock."""
        if reading.symbol is not None:
            found.append(Reference(y, x, char, reading.symbol))
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
            marks: (y, x, character) of each of these marks.
            message: The message.
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
        message = "a link is the width of a tunneler, 1 to 9, or a mark"
        self.report_marks(1, wrong, message, tuple(LINK_MARKS))
        return tuple(found)

    def machines(self) -> tuple[Machine, ...]:
        """Return the machines on the third plane: each connected group of cells is one."""
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
            message = "`paints` does not say what colour this is"
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

        `paint` is the character above it on the fifth plane, if any.
        """
        if plane.colour is None:
            return (self.meaning.paints or {}).get(paint or "", MACHINE_COLOUR)
        red, green, blue = plane.colour[cell].tolist()
        return (red, green, blue)

    def name_machines(
        self, machines: Sequence[Machine], references: Sequence[Reference]
    ) -> tuple[list[Machine], list[Reference]]:
        """Give machines the props of the references over them, report impossible names, and return machines and other references."""
        names: dict[int, str] = {}
        covered = {cell: number for number, machine in enumerate(machines) for cell in machine.cells}
        for reference in references:
            number = covered.get(Cell(reference.y, reference.x))
            if number is not None and reference.symbol.like == "prop":
                first = names.setdefault(number, reference.char)
                where = self.planes[min(3, len(self.planes) - 1)].where(reference.y, reference.x)
                if first != reference.char:
                    message = f"this machine is named already, by {first!r}"
                    self.problem(where, message, reference.char)
                for key in NOT_OF_MACHINES:
                    if key in reference.symbol.model_fields_set:
                        message = (
                            f"this names a machine, which chooses for itself anyway and can't have {key!r}"
                        )
                        self.problem(where, message, reference.char)
        return name_machines(machines, references)


def _times(count: int) -> str:
    return "" if count == 1 else f" ({count} cells)"


def read_ground(
    planes: Sequence[DrawingPlane], meaning: CharacterMeanings, variation: Variation
) -> tuple[NDArray[np.uint8], frozenset[str]]:
    """Return the terrain codes of a drawing's first plane, (height, width) uint8, and the characters that may change."""
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
        spare: Cases of switches that never occur. Each is a problem unless the prefab has it from another one
            by `like`.
        unused: Characters that a step changes although no cell can have them.
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
        planes: One to five planes of the same size, in the order of `PLANE_NAMES`.
        meaning: What their characters and colours mean.
        variation: What varies.
        name: The name of the prefab.
        entry: What problems call the prefab.
    """
    planes, meaning = with_connectors(planes, meaning, variation)
    draft = _DrawingReader(planes, meaning, variation, entry)
    for plane in planes:
        if len(plane.chars) > MAX_CHARACTERS:
            draft.problem(
                plane.where(0, 0), f"more than {MAX_CHARACTERS} different characters are drawn here"
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
    ground = DrawnGround(
        terrain,
        obstacles_of(terrain.shape, references, machines, meaning.stops),
        tuple(draft.locks),
        keys,
        boxes,
        None if meaning.opened is None else sealed_cells(terrain, links, meaning.opened),
    )
    fixed = Drawing(
        ground,
        tuple(sorted(references, key=in_order)),
        links,
        tuple(machines),
        tuple(draft.stairs),
        (name,),
    )
    template = Template(
        fixed=fixed,
        read=meaning.reading,
        stops=meaning.stops,
        opens=meaning.opens,
        given=meaning.given,
        opened=meaning.opened,
        loose=draft.loose,
        steps=variation.steps,
        fits=variation.fits,
        parameters=variation.parameters,
        chars=(planes[0].chars, planes[3].chars if len(planes) > 3 else frozenset()),
    )
    return Readout(template, draft.problems, ahead.entry_problems, ahead.spare, ahead.unused)
