"""What is told of a prefab: plain values, for a command to print or a page to show."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.authoring.askers import askers, shallowest
from dungeon.authoring.authored import BUILT_IN, read_authored
from dungeon.content.catalog.catalog import chosen_odds, groups_of, symbol_odds
from dungeon.content.drawing.meaning import (
    listed_colours,
)
from dungeon.content.drawing.planes import (
    BLANK,
    DONT_CARE,
    PLANE_NAMES,
)
from dungeon.content.prefab.variation import (
    ExactlyEntry,
    FitEntry,
    OneOfEntry,
    OptionalEntry,
    ShuffleEntry,
    SubstituteEntry,
)
from dungeon.content.values.grammar import Constant, in_words, listed, percent, shown
from dungeon.core.errors import written
from dungeon.terrain import BLOCKED, STAIRS

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from dungeon.authoring.askers import Asker
    from dungeon.authoring.authored import AuthoredPrefab, Origin
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.drawing.planes import (
        DrawingPlane,
    )
    from dungeon.content.library import Change, Content
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.content.prefab.variation import StepEntry
    from dungeon.content.values.grammar import Value
    from dungeon.core.errors import Source
    from dungeon.core.vocabulary import Stake
    from dungeon.terrain import Colour


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyword:
    """Something else that is said of a symbol, as written, and where."""

    name: str
    text: str
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An object that a symbol may become, and how likely that is in each cell."""

    tag: str
    name: str
    likely: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A kind of terrain that a cell may be, how it looks, and how likely that is."""

    name: str
    glyph: str
    fg: Colour
    likely: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """What a character stands for, in one case.

    Attributes:
        when: The case of a switch, such as ``fence is iron``; empty where it is no switch.
        case: How likely that is.
        terrain: What terrain the cell may be; none where it keeps its own.
        to: Where stairs lead, in words.
        kind: What sort of object it is, if any; `outcomes` are all that it may be, likeliest first.
        nothing: How likely there is no object.
        group: The other characters of its group, or of those that it may be in.
        keywords: All else that is said of it.
    """

    when: str = ""
    case: float = 1.0
    terrain: tuple[Ground, ...] = ()
    to: str | None = None
    kind: str | None = None
    outcomes: tuple[Outcome, ...] = ()
    nothing: float = 0.0
    group: tuple[str, ...] = ()
    keywords: tuple[Keyword, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Character:
    """A character that is drawn, or that a step may leave.

    Attributes:
        char: The character.
        plane: The plane it is on: map or references.
        colour: The listed colour, ``#rrggbb``, by which its cells are read, where that is what counts.
        cells: How many cells have it, as drawn.
        origin: What says what it means.
        meanings: What it means, case by case; none for what leaves the map as it is, and where only steps give it
            a meaning.
        varied: Whether a step changes it.
    """

    char: str
    plane: str
    colour: str | None
    cells: int
    origin: Origin
    meanings: tuple[Meant, ...]
    varied: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StepWords:
    """A step of `vary` in words, where it stands, and the prefabs that may be fitted in."""

    words: str
    source: Source
    prefabs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineWords:
    """A machine: how many cells it covers, and the character or key that names it, empty for a generic one."""

    cells: int
    named: str
    outcomes: tuple[Outcome, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """All that a prefab says.

    Attributes:
        changes: What mods say of its entry.
        bases: The prefab that it is like, the one that this is like, and so on: name, where it stands, what mods say of it.
        size: (height, width).
        planes: The planes that have anything on them, each with its rows.
        parameters: What is decided once: its name, and what it may be, in words.
        links: (kind, width, how many).
        orientations: The labels of those it permits; `looks` of them look different.
        brings: How much threat and worth it brings on average, if it brings any.
    """

    name: str
    source: Source
    changes: tuple[Change, ...]
    bases: tuple[tuple[str, Source, tuple[Change, ...]], ...]
    depth: int
    size: tuple[int, int]
    planes: tuple[tuple[str, tuple[str, ...]], ...]
    characters: tuple[Character, ...]
    parameters: tuple[tuple[str, str], ...]
    steps: tuple[StepWords, ...]
    links: tuple[tuple[str, int, int], ...]
    machines: tuple[MachineWords, ...]
    orientations: tuple[str, ...]
    looks: int
    brings: Mapping[Stake, float]
    askers: tuple[Asker, ...]


STAYS = "what it was"


def _each(chars: Sequence[str]) -> str:
    return listed([shown(char) for char in chars], "or")


def step_in_words(step: StepEntry) -> str:
    """Return what a step does, as a sentence without a full stop."""
    match step:
        case SubstituteEntry(switch=str(switch)):
            cases = listed([f"{shown(char)} if it is {case}" for case, char in step.cases.items()])
            words = f"{_each(step.substitute)} becomes what the parameter {switch} decides: {cases}"
        case SubstituteEntry():
            how = "all alike become" if step.once else "each becomes"
            words = f"{_each(step.substitute)}: {how} {_result(step.with_)}"
        case ExactlyEntry():
            others = "stay" if step.otherwise is None else f"become {_result(step.otherwise)}"
            verb = "becomes" if step.exactly == Constant(1) else "become"
            words = (
                f"{_count(step.exactly)} of the cells with {_each(step.of)} {verb} "
                f"{_result(step.become)}; the others {others}"
            )
        case ShuffleEntry():
            words = f"{listed([''.join(block) for block in step.shuffle])} change places at random"
        case OneOfEntry():
            words = (
                f"one of {listed(step.one_of)} that are drawn becomes {_result(step.become)}; "
                f"the others become {_result(step.otherwise)}"
            )
        case OptionalEntry():
            words = (
                f"{_each(step.optional)}: with a chance of {_chance(step.chance, 0.5)} all become "
                f"{_result(step.become)}, else {_result(step.otherwise)}"
            )
        case FitEntry():
            words = (
                f"into each connected group of {step.fit} a prefab is fitted, with a chance of "
                f"{_chance(step.chance, 1.0)}; what is left becomes {_result(step.otherwise)}"
            )
        case _:
            raise TypeError(f"there are no words for {type(step).__name__}")
    return words


def _count(count: Value[int]) -> str:
    """Return how many cells become something."""
    return f"exactly {count.value}" if isinstance(count, Constant) else in_words(count, "none")


def _result(value: Value[str] | None) -> str:
    """Return what cells become."""
    return STAYS if value is None else in_words(value, STAYS)


def _chance(value: Value[float], otherwise: float) -> str:
    if isinstance(value, Constant):
        return percent(value.value)
    odds = [(otherwise if each is None else each, likely) for each, likely in value.odds().items()]
    return f"{percent(sum(share * likely for share, likely in odds))} on average"


MEANING_KEYS = ("terrain", "to", "switch", "cases")
"""Keys of a symbol that are explained, not listed."""


def explain_prefab(content: Content, name: str, *, depth: int | None = None) -> Explanation:
    """Explain a prefab.

    Args:
        content: The content, loaded from files that have not changed since.
        name: The prefab.
        depth: For which depth the odds are; by default the least at which anything asks for it, or 1.

    Raises:
        KeyError: There is no such prefab.
        ContentError: The files have changed, and are wrong now.
    """
    if name not in content.prefabs:
        raise content.no_prefab(name)
    if depth is None:
        depth = shallowest(content, name)
    depth = 1 if depth is None else depth
    prefab = content.prefabs[name]
    reader = _Reader(content, prefab, read_authored(content, name), depth)
    return Explanation(
        name=name,
        source=content.sources["prefab", name],
        changes=content.changes.get(("prefab", name), ()),
        bases=tuple(
            (base, content.sources["prefab", base], content.changes.get(("prefab", base), ()))
            for base in content.bases_of(name)
        ),
        depth=depth,
        size=prefab.template.shape,
        planes=tuple(reader.planes()),
        characters=tuple(reader.characters()),
        parameters=tuple((each, in_words(value)) for each, value in prefab.template.parameters.items()),
        steps=tuple(reader.steps()),
        links=tuple(
            (kind, width, count)
            for (kind, width), count in sorted(
                Counter((link.kind, link.width) for link in prefab.template.fixed.links).items()
            )
        ),
        machines=tuple(reader.machines()),
        orientations=tuple(each.label for each in prefab.orientations),
        looks=len(prefab.drawings),
        brings=content.costs.of_prefab(prefab, depth),
        askers=tuple(askers(content, name)),
    )


@dataclass(slots=True)
class _Reader:
    """Reads one prefab at one depth."""

    content: Content
    prefab: Prefab
    authored: AuthoredPrefab
    depth: int

    def planes(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the planes that have anything on them, as text; what is read by colour shows its terrain."""
        for name, plane in zip(PLANE_NAMES, self.authored.planes, strict=False):
            width = plane.shape[1]
            text = plane.text.replace(BLANK, " ")
            if name == "map":
                meaning = self.authored.meaning
                looks = {each: self.grounds({kind: 1.0})[0].glyph for each, kind in meaning.colours.items()}
                colours = self.colours(plane)
                text = "".join(
                    looks[each] if each else char for char, each in zip(text, colours, strict=True)
                )
            if text.strip() or name == "map":
                yield name, tuple(text[start : start + width] for start in range(0, len(text), width))

    def characters(self) -> Iterator[Character]:
        """Yield every character that is drawn, or that a step may leave, the most frequent ones first."""
        changed = {char for step in self.prefab.template.steps for char in step.sources}
        for number, name in ((0, "map"), (3, "references")):
            if number >= len(self.authored.planes):
                continue
            counts = self.counts(self.authored.planes[number], above=bool(number))
            left = self.left({char for char, _ in counts}) - ({" "} if number else set())
            counts.update({(char, None): 0 for char in sorted(left) if (char, None) not in counts})
            for (char, colour), cells in sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))):
                yield Character(
                    char=char,
                    plane=name,
                    colour=colour,
                    cells=cells,
                    origin=self.origin(char, colour),
                    meanings=tuple(self.meanings(char, colour, above=bool(number))),
                    varied=char in changed,
                )

    def left(self, drawn: set[str]) -> set[str]:
        """Return the characters that steps may leave where these are drawn."""
        left = set(drawn)
        for step in self.prefab.template.steps:
            if not left.isdisjoint(step.sources):
                left |= {char for char, _ in step.results()}
        return left - drawn

    def counts(self, plane: DrawingPlane, *, above: bool) -> Counter[tuple[str, str | None]]:
        """Return how many cells have each character, by the colour that counts if one does."""
        text = plane.text
        if above:
            return Counter({(char, None): n for char, n in Counter(text).items() if char not in (" ", BLANK)})
        cells = zip(text, self.colours(plane), strict=True)
        return Counter((char, colour) for char, colour in cells if char != BLANK)

    def colours(self, plane: DrawingPlane) -> list[str | None]:
        """Return, for each cell of the map, the listed colour by which it is read; None where that is its character."""
        meaning = self.authored.meaning
        if plane.colour is None or not meaning.colours:
            return [None] * len(plane.text)
        changed = {char for step in self.prefab.template.steps for char in step.sources}
        own = {BLANK, *meaning.legend, *changed}
        unknown = {char for char in plane.chars - own if not meaning.explains(char, above=False)}
        found = listed_colours(plane, plane.colour, meaning, own, unknown).ravel().tolist()
        return [f"#{each:06x}" if each >= 0 else None for each in found]

    def origin(self, char: str, colour: str | None) -> Origin:
        """Return where it is said what a character or colour means."""
        paper = self.authored
        if colour is not None:
            return paper.colours[colour]
        return paper.legend.get(char) or paper.glyphs.get(char, BUILT_IN)

    def meanings(self, char: str, colour: str | None, *, above: bool) -> Iterator[Meant]:
        """Yield what a character or colour means, case by case."""
        meaning = self.authored.meaning
        if colour is not None:
            yield Meant(terrain=self.grounds({meaning.colours[colour]: 1.0}))
        elif char in meaning.legend:
            origin = self.authored.legend[char]
            for case in _cases(meaning.legend[char], self.prefab):
                yield self.meant(char, case, origin, above=above)
        elif char in meaning.glyphs and char != DONT_CARE:
            yield Meant(terrain=self.grounds({meaning.glyphs[char]: 1.0}))

    def grounds(self, odds: Mapping[str, float]) -> tuple[Ground, ...]:
        """Return the kinds of terrain that these odds are of."""
        kinds = self.content.terrain_set.kinds
        codes = self.authored.meaning.codes
        return tuple(
            Ground(name=name, glyph=kinds[codes[name]].glyph, fg=kinds[codes[name]].fg, likely=likely)
            for name, likely in odds.items()
        )

    def meant(self, char: str, case: _Case, origin: Origin, *, above: bool) -> Meant:
        """Return what a symbol of the legend means."""
        symbol = case.symbol
        chosen, others = self.chosen(char, symbol)
        terrain: dict[str, float] = {}
        if symbol.terrain is not None:
            for each, likely in symbol.terrain.odds().items():
                terrain[each or "floor"] = terrain.get(each or "floor", 0.0) + likely
        elif not above:
            terrain = {"floor": 1.0}
        chosen *= 1 - sum(likely for name, likely in terrain.items() if self.is_closed(name))
        odds = symbol_odds(symbol, self.content.catalog, self.depth, chosen) if symbol.kind else {}
        return Meant(
            when=case.when,
            case=case.likely,
            terrain=self.grounds(terrain),
            to=None if symbol.to is None else in_words(symbol.to, "wherever the map leads"),
            kind=symbol.kind,
            outcomes=self.outcomes(symbol.kind, odds),
            nothing=odds.get(None, 0.0),
            group=others,
            keywords=tuple(_keywords(origin, case.path, {*MEANING_KEYS, symbol.word})),
        )

    def is_closed(self, terrain: str) -> bool:
        """Tell whether nothing can stand on terrain: in walls, and on stairs."""
        base = self.content.terrain_set.base[self.authored.meaning.codes[terrain]]
        return bool(base <= BLOCKED or base in STAIRS)

    def outcomes(self, kind: str | None, odds: Mapping[str | None, float]) -> tuple[Outcome, ...]:
        """Return the objects that these odds are of, likeliest first."""
        if kind is None:
            return ()
        return tuple(
            Outcome(tag=tag, name=self.content.catalog[kind, tag].name, likely=likely)
            for tag, likely in sorted(odds.items(), key=lambda pair: (-pair[1], str(pair[0])))
            if tag is not None and likely > 0
        )

    def chosen(self, char: str, symbol: SymbolEntry) -> tuple[float, tuple[str, ...]]:
        """Return how likely a character is the one of its group, and who else may be, of all that are drawn."""
        if symbol.group is None:
            return 1.0, ()
        drawn = {char for plane in self.authored.planes[::3] for char in plane.chars}
        drawn |= {char for step in self.prefab.template.steps for char, _ in step.results()}
        legend = self.authored.meaning.legend
        symbols = {each: legend[each] for each in sorted(drawn) if each in legend} | {char: symbol}
        groups = groups_of(symbol)
        others = [each for each in symbols if each != char and groups & groups_of(symbols[each])]
        return chosen_odds(char, symbols, self.content.weight), tuple(others)

    def steps(self) -> Iterator[StepWords]:
        """Yield the steps of `vary` in words."""
        template = self.prefab.template
        for number, step in enumerate(template.steps):
            yield StepWords(
                words=step_in_words(step),
                source=self.authored.record.source("vary", number),
                prefabs=tuple(template.fits.get(number, ())),
            )

    def machines(self) -> Iterator[MachineWords]:
        """Yield the machines of one of the drawings it may be, with what each of them is."""
        for machine in self.prefab.drawing.machines:
            if machine.part == 0:
                kind, odds = None, {}
                if machine.symbol is not None:
                    kind = machine.symbol.kind
                    odds = symbol_odds(machine.symbol, self.content.catalog, self.depth)
                named = machine.char or ("its key `machine`" if machine.symbol is not None else "")
                yield MachineWords(cells=len(machine.cells), named=named, outcomes=self.outcomes(kind, odds))


@dataclass(frozen=True, slots=True)
class _Case:
    """One of the cases of a switch, or a symbol that is none."""

    symbol: SymbolEntry
    when: str
    likely: float
    path: tuple[str, ...]


def _cases(
    symbol: SymbolEntry, prefab: Prefab, known: Mapping[str, str] | None = None, path: tuple[str, ...] = ()
) -> Iterator[_Case]:
    """Yield what a symbol may stand for: of a switch, every case that its parameters make possible."""
    known = known or {}
    if symbol.switch is None:
        when = " and ".join(f"{name} is {value}" for name, value in known.items())
        likely = 1.0
        for name, value in known.items():
            likely *= prefab.template.parameters[name].odds()[value]
        yield _Case(symbol, when, likely, path)
        return
    for value, case in symbol.cases.items():
        if known.get(symbol.switch, value) == value:
            yield from _cases(case, prefab, {**known, symbol.switch: value}, (*path, "cases", value))


def _keywords(origin: Origin, path: tuple[str, ...], but: Container[object]) -> Iterator[Keyword]:
    """Yield what is written of a symbol besides what it is, which other keys say."""
    if origin.record is None:
        return
    data = origin.record.part(*origin.path, *path)
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in but:
                source = origin.record.source(*origin.path, *path, key, key=True)
                yield Keyword(name=key, text=written(value), source=source)
