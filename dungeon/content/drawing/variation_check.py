"""What the steps under `vary` can leave in any variant of a drawing, checked by counting cells, without rolling a variant.

A *tally* bounds how many cells can have each character. A drawing has several *planes*; the first is the map, the fourth and those
after the fifth have the references, characters that name objects.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dungeon.content.drawing.planes import reference_planes
from dungeon.content.prefab.variation import CellTally, SubstituteEntry
from dungeon.content.source.problems import ValueProblem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.drawing.meaning import CharacterMeanings, Variation
    from dungeon.content.drawing.planes import DrawingPlane
    from dungeon.content.values.grammar import Value
    from dungeon.core.errors import Source


@dataclass
class VariationCheck:
    """Checks of what the steps under `vary` can leave in any variant of a drawing, made without rolling a variant.

    Attributes:
        planes: The planes of the drawing.
        meaning: What characters and colours mean.
        variation: The steps and the prefab's parameters.
        entry_problems: Problems of the prefab's entry.
        spare: Problems of `switch` cases that can never be chosen, since the parameter never has their value. Such a problem
            counts only if the prefab itself has the case, and did not take it from another prefab by `like`.
        unused: Problems of characters that a step changes although no cell can have them.
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
        """Run all checks; the problems that they find are added to the attributes."""
        if self.variation.steps:
            self.follow_steps()
        for symbol, path in self.switches():
            self.check_switch(symbol.switch or "", symbol.cases, self.variation.parameters, *path)

    def follow_steps(self) -> None:
        """Follow through all steps how many cells can have each character, and report what is wrong.

        Wrong are an `exactly` step for which there may be too few cells, and a character without a meaning that may still be in
        the drawing after all steps.
        """
        steps, parameters = self.variation.steps, self.variation.parameters
        planes = [self.planes[0], *(self.planes[number] for number in reference_planes(self.planes))]
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
        self.report_unexplained(planes, alone, left)

    def tallies(self, planes: Sequence[DrawingPlane]) -> tuple[list[CellTally], CellTally]:
        """Return how many cells have each character that steps replace: (one tally for each plane, one for all planes together)."""
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

    def report_unexplained(
        self,
        planes: Sequence[DrawingPlane],
        tallies: Sequence[CellTally],
        left: Mapping[tuple[str, bool], tuple[str | int, ...]],
    ) -> None:
        """Report characters without a meaning that may be in the drawing after all steps.

        A step puts such a character on a cell where no later step replaces it, or the steps leave a drawn one unchanged.

        Args:
            planes: The map, then each plane of references.
            tallies: For each of these planes, the counts of cells after all steps.
            left: (character, whether it is a reference) -> path of the step that puts it there.
        """
        for above, (plane, tally) in enumerate(zip(planes, tallies, strict=True)):
            for char, (_, most) in tally.counts.items():
                if not most or self.meaning.explains(char, above=bool(above), only=plane.kind):
                    continue
                path = left.get((char, bool(above)))
                if path is not None:
                    self.report_put(char, path, plane, above=bool(above))
                elif char in plane.text:
                    y, x = divmod(plane.text.index(char), plane.shape[1])
                    message = "no legend or palette says what this character means, but it may remain after the steps"
                    self.drawn.append((plane.where(y, x), message, char))

    def report_put(self, char: str, path: tuple[str | int, ...], plane: DrawingPlane, *, above: bool) -> None:
        """Report a character without a meaning that a step may leave on a plane, unless that is reported for another plane.

        Args:
            char: The character.
            path: The keys and indices of the entry that lead to the character in the step.
            plane: The plane.
            above: Whether it is a plane of references.
        """
        if any(problem.value == char and problem.path == path for problem in self.entry_problems):
            return
        what = "reference" if above else "character"
        what += f" on a layer of {plane.only.called}" if plane.only else ""
        message = (
            f"no legend or palette says what this {what} means, but this step may put it into the drawing"
        )
        allowed = self.meaning.explained_for(plane.kind)
        self.entry_problems.append(ValueProblem(message=message, path=path, value=char, allowed=allowed))

    def check_switch(
        self,
        name: str,
        cases: Collection[str],
        parameters: Mapping[str, Value[str]],
        *path: str | int,
    ) -> None:
        """Report a `switch` on an unknown parameter, or one whose cases are not exactly the values of the parameter.

        Args:
            name: The parameter that the switch names.
            cases: The values for which it has a case.
            parameters: Parameter of the prefab -> its value.
            *path: The keys and indices of the entry that lead to the switch.
        """
        if name not in parameters:
            message = "this prefab has no parameter of this name"
            self.entry_problems.append(
                ValueProblem(message=message, path=(*path, "switch"), value=name, allowed=tuple(parameters))
            )
            return
        values = list(dict.fromkeys(parameters[name].outcomes()))
        for value in values:
            if value not in cases:
                message = f"'cases' has no case for this value of the parameter {name!r}"
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

    def switches(self) -> Iterator[tuple[SymbolEntry, tuple[str | int, ...]]]:
        """Yield (symbol, path in the entry) for each symbol with a `switch` whose character is drawn, or left by a step."""
        chars = {char for step in self.variation.steps for char, _ in step.results()}
        chars = chars.union(*(self.planes[number].chars for number in (0, *reference_planes(self.planes))))
        for char, symbol in self.meaning.legend.items():
            if char in chars:
                yield from symbol.switches("legend", char)
