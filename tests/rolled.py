"""What is checked of rolls of a prefab: rules that each roll keeps, and shares that all of them together have.

The method for shares. Every share that content declares is a claim: so many of n independent draws come true, each
with probability p. A count k is beyond belief if it is less likely than a limit by the Chernoff bound for the
binomial distribution: P(count as far out as k) <= 2 exp(-n KL(k/n || p)). It holds for every n and p, so honest code
passes at least as often as the limit says; p of 0 or 1 allows of no exception. All claims about all prefabs share the
limit of 0.1 % (Bonferroni): with 1,000 claims each gets 0.0001 %. So the 99.9 % are those of the whole test, for any
seed, not those of each count, of which one in a thousand would fail.

What counts as one draw: each drawn cell, for `chance`; each chain of neighbours that share a pick, or each object
where they do not, for the choice; each roll for which character of a group it is.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from dungeon import terrain as t
from dungeon.content.catalog.catalog import choice_odds, presence
from dungeon.content.values.grammar import NEVER
from dungeon.extend import Constant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dungeon import Cell, Content, Sample, Spawn
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.extend import Drawing, Value

T = TypeVar("T")

FAMILY = 0.001
"""How likely honest code may fail, all claims taken together."""


class Claim(NamedTuple):
    """What is declared: of a source (prefab and character), with a symbol, at a depth; `what` is declared of it."""

    source: str
    symbol: int
    depth: int
    what: str


def surprise(count: int, of: int, probability: float) -> float:
    """Return n KL(k/n || p), the exponent of the Chernoff bound; infinite where the count is impossible."""
    total = 0.0
    for part, likely in ((count / of, probability), (1 - count / of, 1 - probability)):
        if part > 0:
            if likely <= 0:
                return math.inf
            total += part * math.log(part / likely)
    return of * total


@dataclass
class Asks:
    """What a drawing asks for under one source, all with one symbol.

    Attributes:
        chains: The cells of each chain of references, or of each machine.
    """

    symbol: SymbolEntry
    part: int
    char: str
    chains: list[list[Cell]]

    @property
    def cells(self) -> int:
        """How many objects there may be."""
        return sum(map(len, self.chains))


@dataclass
class Survey:
    """What a drawing asks for, found without the code that fills it.

    Attributes:
        asks: Source -> what is asked for under it; not where two parts of the drawing have the same name.
        walled: Sources of references and machines that stand in something closed.
    """

    asks: dict[str, Asks]
    walled: list[str]
    groups: dict[tuple[int, str], list[str]]

    @classmethod
    def of(cls, drawing: Drawing, base: Sequence[int]) -> Survey:
        """Look at a drawing.

        Args:
            drawing: The drawing.
            base: Code -> built-in code.
        """
        places: dict[tuple[int, str, bool], set[Cell]] = defaultdict(set)
        symbols: dict[tuple[int, str, bool], SymbolEntry] = {}
        chains: dict[tuple[int, str, bool], list[list[Cell]]] = defaultdict(list)
        for each in drawing.references:
            places[each.part, each.char, False].add((each.y, each.x))
            symbols[each.part, each.char, False] = each.symbol
        for machine in drawing.machines:
            if machine.symbol is not None:
                places[machine.part, machine.char or "machine", True] |= set(machine.cells)
                symbols[machine.part, machine.char or "machine", True] = machine.symbol
                chains[machine.part, machine.char or "machine", True].append([machine.cells[0]])
        for key, cells in places.items():
            if not key[2]:
                chains[key] = list(pieces(cells))
        sources = Counter((drawing.parts[part], char) for part, char, _ in places)
        asks, groups = {}, defaultdict(list)
        for (part, char, is_machine), symbol in symbols.items():
            if sources[drawing.parts[part], char] == 1:
                source = f"{drawing.parts[part]}:{char}"
                asks[source] = Asks(symbol, part, char, chains[part, char, is_machine])
        for (part, char, _), symbol in symbols.items():
            if symbol.group is not None and drawing.parts.count(drawing.parts[part]) == 1:
                groups[part, settled(symbol.group)].append(f"{drawing.parts[part]}:{char}")
        terrain = drawing.terrain.tolist()
        walled = [
            f"{drawing.parts[part]}:{char} at {cell}"
            for (part, char, _), cells in places.items()
            for cell in cells
            if terrain[cell[0]][cell[1]] != t.KEEP and base[terrain[cell[0]][cell[1]]] <= t.BLOCKED
        ]
        return cls(asks, walled, {group: sorted(listed) for group, listed in groups.items()})


def settled(value: Value[T]) -> T:
    """Return a value that is not left to chance: of groups that are, nothing is claimed here (`test_explain` does)."""
    assert isinstance(value, Constant)
    return value.value


def pieces(cells: set[Cell]) -> Iterator[list[Cell]]:
    """Yield the connected pieces of some cells."""
    left = set(cells)
    while left:
        piece = [min(left)]
        left.remove(piece[0])
        for y, x in piece:
            for near in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if near in left:
                    left.remove(near)
                    piece.append(near)
        yield piece


@dataclass
class Judge:
    """Looks at rolls and takes notes.

    Attributes:
        broken: Rules that a roll broke.
        counts: Claim -> how often it came true, of how many draws.
        declared: Claim -> how likely it is by what is written.
    """

    content: Content
    broken: list[str] = field(default_factory=list)
    counts: dict[Claim, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    declared: dict[Claim, float] = field(default_factory=dict)
    surveys: dict[int, Survey] = field(default_factory=dict)
    claims: dict[tuple[str, int], tuple[float, dict[str | None, float]]] = field(default_factory=dict)
    seen: list[object] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.base = self.content.terrain_set.base.tolist()

    def look(self, sample: Sample) -> None:
        """Check a roll, and count what came of chance."""
        survey = self.survey(sample)
        where = f"{sample.name} {sample.orientation.label} {sample.number}"
        self.broken += [f"{where}: {each} stands in a wall" for each in survey.walled]
        self.broken += [f"{where}: {each}" for each in sample.journal if "would stand in" in each.reason]
        came: dict[str, list[Spawn]] = defaultdict(list)
        for spawn in sample.spawns:
            came[spawn.source].append(spawn)
        refused = Counter(each.subject.rsplit(" (", 1)[0] for each in sample.journal)
        absent = set()
        for (_, group), sources in survey.groups.items():
            absent |= self.look_at_group(f"{where}: group {group}", sample, survey, sources, came, refused)
        for source, asks in survey.asks.items():
            if source not in absent:
                self.look_at(where, sample, source, asks, came.get(source, []), refused[source])

    def survey(self, sample: Sample) -> Survey:
        """Return what the roll's drawing asks for; drawings that never vary are looked at once."""
        key = id(sample.drawing)
        if self.content.prefabs[sample.name].varies:
            return Survey.of(sample.drawing, self.base)
        if key not in self.surveys:
            self.surveys[key] = Survey.of(sample.drawing, self.base)
            self.seen.append(sample.drawing)  # so that no other drawing gets its id
        return self.surveys[key]

    def look_at(
        self, where: str, sample: Sample, source: str, asks: Asks, came: list[Spawn], refused: int
    ) -> None:
        """Check what came under a source that a group has not kept away."""
        if asks.symbol.kind is None:
            return  # a place for a key, which a sample has none of
        likely, odds = self.odds(source, asks.symbol, sample.depth)
        if None not in odds:
            self.count(source, asks.symbol, sample.depth, "is there", len(came) + refused, asks.cells, likely)
        if asks.symbol.unique == NEVER:
            came = list(self.one_of_each(where, source, asks, came))
        if refused:
            return  # which chains have lost one is not known
        tags = Counter(spawn.tag for spawn in came)
        sure = 1 - odds.get(None, 0.0)
        for tag in {*odds, *tags} - {None}:
            share = odds.get(tag, 0.0) / sure if sure else 0.0
            self.count(source, asks.symbol, sample.depth, f"is {tag}", tags[tag], len(came), share)

    def one_of_each(self, where: str, source: str, asks: Asks, came: list[Spawn]) -> Iterator[Spawn]:
        """Yield one object of each chain, after checking that all of the chain are alike.

        An object that may have shifted is only known to be of its chain where there is just one.
        """
        if len(asks.chains) == 1:
            found: Iterable[list[Spawn]] = [came]
        elif "shift" in asks.symbol.model_fields_set:
            return
        else:
            at = {(spawn.y, spawn.x): spawn for spawn in came}
            found = [[at[cell] for cell in chain if cell in at] for chain in asks.chains]
        for alike in found:
            if len({spawn.tag for spawn in alike}) > 1:
                self.broken.append(
                    f"{where}: {source} is {sorted({spawn.tag for spawn in alike})} in one chain"
                )
            yield from alike[:1]

    def look_at_group(
        self,
        where: str,
        sample: Sample,
        survey: Survey,
        sources: list[str],
        came: dict[str, list[Spawn]],
        refused: Counter[str],
    ) -> set[str]:
        """Check that one at most of a group has come, count which, and return those that were not chosen.

        Where none came, all but the sure ones may have been chosen; then all count as not chosen, and none is
        counted if that could happen at all.
        """
        there = [source for source in sources if came.get(source) or refused[source]]
        if len(there) > 1:
            self.broken.append(f"{where}: both {' and '.join(there)} came true")
        asks = [survey.asks[source] for source in sources if source in survey.asks]
        if len(asks) < len(sources):
            return set(sources)
        weights = [self.content.weight(settled(each.symbol.weight)) for each in asks]
        sure = True
        for source, each in zip(sources, asks, strict=True):
            likely, odds = self.odds(source, each.symbol, sample.depth)
            sure &= likely >= 1 and None not in odds
        if not sure or not sum(weights):
            return set(sources)
        if not there:
            self.broken.append(f"{where}: none of {', '.join(sources)} came true")
        for source, each, weight in zip(sources, asks, weights, strict=True):
            what = f"is chosen from {' '.join(sources)}"
            self.count(source, each.symbol, sample.depth, what, source in there, 1, weight / sum(weights))
        return {source for source in sources if source not in there}

    def odds(self, source: str, symbol: SymbolEntry, depth: int) -> tuple[float, dict[str | None, float]]:
        """Return how likely an object is there, and what it then is; what is impossible is left out."""
        key = source, id(symbol)
        if key not in self.claims:
            odds = choice_odds(symbol, self.content.catalog, depth)
            self.claims[key] = presence(symbol), {tag: each for tag, each in odds.items() if each > 1e-12}
            self.seen.append(symbol)
        return self.claims[key]

    def count(
        self, source: str, symbol: SymbolEntry, depth: int, what: str, count: int, of: int, likely: float
    ) -> None:
        """Count draws."""
        if of:
            claim = Claim(source, id(symbol), depth, what)
            both = self.counts[claim]
            both[0] += count
            both[1] += of
            self.declared[claim] = min(likely, 1.0) if likely < 1 - 1e-12 else 1.0

    def doubts(self, prefabs: int = 1) -> list[str]:
        """Return the claims that can't be believed; `prefabs` is on how many judges the limit is divided."""
        limit = math.log(2 * max(len(self.counts), 1) * prefabs / FAMILY)
        return sorted(
            f"{claim.source} {claim.what}: {count} of {of}, declared {self.declared[claim]:.2%}"
            for claim, (count, of) in self.counts.items()
            if surprise(count, of, self.declared[claim]) > limit
        )
