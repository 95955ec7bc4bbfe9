"""Thinking the steps of `vary` through before anything is rolled.

Are there cells enough for them, does everything that they may leave mean something, and do switches ask for
parameters that there are?
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dungeon.content.prefab.tally import Tally
from dungeon.content.prefab.variation import Substitute
from dungeon.content.source.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.drawing.meaning import Meaning, Variation
    from dungeon.content.drawing.planes import Plane
    from dungeon.content.values.grammar import Value
    from dungeon.core.errors import Source


@dataclass
class Foresight:
    """What can be told of a drawing's variants.

    Attributes:
        faults: What is wrong with the entry.
        spare: Cases that never come true: wrong, too, unless they are there for another prefab.
        unused: What stands in it to no purpose.
        drawn: What is wrong with characters that are drawn: (where, message, character).
    """

    planes: Sequence[Plane]
    meaning: Meaning
    variation: Variation
    faults: list[Fault] = field(default_factory=list)
    spare: list[Fault] = field(default_factory=list)
    unused: list[Fault] = field(default_factory=list)
    drawn: list[tuple[Source, str, str]] = field(default_factory=list)

    def look_ahead(self) -> None:
        """Find everything that can be told."""
        if self.variation.steps:
            self.follow_steps()
        for symbol, path in self.switches():
            self.check_switch(symbol.switch or "", symbol.cases, self.variation.parameters, *path)

    def follow_steps(self) -> None:
        """Think the steps through: are there cells enough, and does everything that may be left mean something?"""
        steps, parameters = self.variation.steps, self.variation.parameters
        sources = {char for step in steps for char in step.sources}
        planes = [plane for number, plane in enumerate(self.planes) if number in (0, 3)]
        unsure = [name for name, value in parameters.items() if not value.applies]
        alone = [
            # A space on the references is no character, but an empty cell.
            Tally(
                {
                    char: (n, n)
                    for char in sources
                    if not (above and char == " ") and (n := plane.text.count(char))
                },
                unsure,
                partial=True,
            )
            for above, plane in enumerate(planes)
        ]
        total = {char: sum(tally.counts.get(char, (0, 0))[0] for tally in alone) for char in sources}
        both = Tally({char: (n, n) for char, n in total.items() if n}, unsure)
        left: dict[tuple[str, bool], tuple[str | int, ...]] = {}
        for number, step in enumerate(steps):
            at = len(both.faults), len(both.unused)
            step.tally(both)
            self.faults += [fault.inside("vary", number) for fault in both.faults[at[0] :]]
            self.unused += [fault.inside("vary", number) for fault in both.unused[at[1] :]]
            for above, tally in enumerate(alone):
                step.tally(tally)
                for char, key in step.results():
                    left.setdefault((char, bool(above)), ("vary", number, key))
            if isinstance(step, Substitute) and step.switch is not None:
                self.check_switch(step.switch, step.cases, parameters, "vary", number)
        if not self.meaning.whole:
            return
        for above, tally in enumerate(alone):
            for char, (_, most) in tally.counts.items():
                path = left.get((char, bool(above)))
                if most and path is not None and not self.meaning.explains(char, above=bool(above)):
                    what = "reference" if above else "character"
                    message = f"no legend or palette says what this {what} means, and it may be left"
                    if not any(fault.value == char and fault.path == path for fault in self.faults):
                        self.faults.append(
                            Fault(message=message, path=path, value=char, allowed=self.meaning.explained)
                        )
        self.report_unexplained(planes, alone, left)

    def report_unexplained(
        self,
        planes: Sequence[Plane],
        tallies: Sequence[Tally],
        left: Mapping[tuple[str, bool], tuple[str | int, ...]],
    ) -> None:
        """Report drawn characters that steps may leave as they are, and that mean nothing."""
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
        """Report a switch on a parameter that the prefab does not have, or with other cases than it has values."""
        if name not in parameters:
            message = "this prefab has no parameter of this name"
            self.faults.append(
                Fault(message=message, path=(*path, "switch"), value=name, allowed=tuple(parameters))
            )
            return
        values = list(dict.fromkeys(parameters[name].outcomes()))
        for value in values:
            if value not in cases:
                message = f"there is no case for what the parameter {name!r} may be"
                self.faults.append(Fault(message=message, path=(*path, "cases"), value=value, key=True))
        for case in cases:
            if case not in values:
                message = f"the parameter {name!r} is never this"
                self.spare.append(
                    Fault(
                        message=message,
                        path=(*path, "cases", case),
                        value=case,
                        allowed=tuple(values),
                        key=True,
                    )
                )

    def switches(self) -> Iterator[tuple[SymbolEntry, tuple[str, ...]]]:
        """Yield the switches among the symbols that are drawn, or may be, with the paths to them."""
        chars = {char for step in self.variation.steps for char, _ in step.results()}
        chars = chars.union(*(plane.chars for plane in self.planes[::3]))
        for char, symbol in self.meaning.legend.items():
            if char in chars:
                yield from symbol.switches("legend", char)
