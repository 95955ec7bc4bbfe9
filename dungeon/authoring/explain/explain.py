"""What a prefab says, resolved: each character's meaning, where that is said, and its exact odds at a depth."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.authoring.askers import askers, shallowest
from dungeon.authoring.explain.authored import BUILT_IN, read_authored
from dungeon.authoring.explain.explanation import (
    Character,
    Explanation,
    Ground,
    Keyword,
    MachineWords,
    Meant,
    Outcome,
    StepWords,
)
from dungeon.authoring.explain.step_words import step_in_words
from dungeon.content.catalog.catalog import chosen_odds, groups_of, symbol_odds
from dungeon.content.drawing.meaning import listed_colours
from dungeon.content.drawing.planes import BLANK, DONT_CARE, PLANE_NAMES
from dungeon.content.values.grammar import in_words
from dungeon.core.quoting import written
from dungeon.terrain import BLOCKED, STAIRS

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from dungeon.authoring.explain.authored import AuthoredPrefab, Origin
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.drawing.planes import Plane
    from dungeon.content.library import Content
    from dungeon.content.prefab.prefab import Prefab

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

    def counts(self, plane: Plane, *, above: bool) -> Counter[tuple[str, str | None]]:
        """Return how many cells have each character, by the colour that counts if one does."""
        text = plane.text
        if above:
            return Counter({(char, None): n for char, n in Counter(text).items() if char not in (" ", BLANK)})
        cells = zip(text, self.colours(plane), strict=True)
        return Counter((char, colour) for char, colour in cells if char != BLANK)

    def colours(self, plane: Plane) -> list[str | None]:
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
