"""The explanation of a prefab, character by character with exact odds, as plain values for a command or a page. A case is what a character means while a parameter has one value."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.authoring.authored import BUILT_IN, read_authored
from dungeon.authoring.step_words import step_in_words
from dungeon.authoring.uses import shallowest, uses_of
from dungeon.content.catalog.catalog import choice_odds, chosen_odds, groups_of, symbol_odds
from dungeon.content.catalog.scattered import STEPS_AROUND, AroundEntry
from dungeon.content.drawing.meaning import (
    is_of_kind,
    listed_colours,
)
from dungeon.content.drawing.planes import (
    BLANK,
    DONT_CARE,
    PLANE_NAMES,
    reference_planes,
)
from dungeon.content.values.grammar import in_words, weight_at
from dungeon.core.errors import written
from dungeon.core.frozen import NOTHING
from dungeon.terrain import BLOCKED, STAIRS

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from dungeon.authoring.authored import AuthoredPrefab, MeaningSource
    from dungeon.authoring.uses import PrefabUse
    from dungeon.content.catalog.scattered import FollowerEntry
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.drawing.planes import (
        DrawingPlane,
    )
    from dungeon.content.library import Change, Content
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.content.values.grammar import Value
    from dungeon.core.errors import Source
    from dungeon.core.vocabulary import Stake
    from dungeon.terrain import Colour


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyword:
    """A keyword of a symbol, with its value as text and its place in a file."""

    name: str
    text: str
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An object that a symbol may become.

    Attributes:
        tag: The object's name in the catalog.
        name: The object's name for the player.
        likely: The probability, in each cell with the symbol.
    """

    tag: str
    name: str
    likely: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TerrainOutcome:
    """A kind of terrain that a cell may become.

    Attributes:
        name: The name of the terrain.
        glyph: The character with which it is drawn.
        fg: The colour of that character.
        likely: The probability.
    """

    name: str
    glyph: str
    fg: Colour
    likely: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyWords:
    """Objects that come with the object of a character, or lie around its cell.

    Attributes:
        where: Where they stand, such as ``following it`` or ``within 3 steps``.
        count: How many there are, in words, such as ``1 to 2``.
        kind: Their kind.
        outcomes: The objects that each may be, likeliest first.
    """

    where: str
    count: str
    kind: str
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningCase:
    """The meaning of a character if the parameter of a `switch` has one of its values (a case).

    Attributes:
        when: The case, such as ``fence is iron``; empty without a switch.
        case: Probability of the case.
        terrain: The kinds of terrain that the cell may become; empty if it keeps the map's terrain.
        to: Where stairs lead, in words; None if they are no stairs with `to`.
        kind: Kind of the object; None for no object. `outcomes`: the objects that it may be, likeliest first.
        nothing: Probability that the cell gets no object.
        company: The followers of the object, or of each object with a band, and what lies around its cell.
        group: The other characters of the groups that the character may be in. Of a group, one character is chosen at random.
        keywords: All other keys of the character's symbol in the legend.
    """

    when: str = ""
    case: float = 1.0
    terrain: tuple[TerrainOutcome, ...] = ()
    to: str | None = None
    kind: str | None = None
    outcomes: tuple[Outcome, ...] = ()
    nothing: float = 0.0
    company: tuple[CompanyWords, ...] = ()
    group: tuple[str, ...] = ()
    keywords: tuple[Keyword, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Character:
    """A character of the drawing, or one that a step of `vary` may put there.

    Attributes:
        char: The character.
        plane: Its plane: map or references.
        colour: The listed colour, ``#rrggbb``, that decides its meaning; None if the character decides.
        cells: Number of cells with it in the drawing.
        origin: The legend or palette that defines it.
        meanings: Its meanings, case by case; empty if it leaves the map unchanged, or only steps give it a meaning.
        varied: Whether a step changes it.
    """

    char: str
    plane: str
    colour: str | None
    cells: int
    origin: MeaningSource
    meanings: tuple[MeaningCase, ...]
    varied: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StepWords:
    """A step of `vary` in words.

    Attributes:
        words: What the step does.
        source: The place of the step in a file.
        prefabs: The prefabs that the step may fit into the drawing.
    """

    words: str
    source: Source
    prefabs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineWords:
    """A machine (prop of several cells) of a drawing.

    Attributes:
        cells: The number of its cells.
        named: The character or key that names it; empty for a machine without a name.
        outcomes: The props that it may be, with their odds.
    """

    cells: int
    named: str
    outcomes: tuple[Outcome, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The explanation of a prefab.

    Attributes:
        changes: The changes that mods make to the prefab's entry.
        bases: The chain of prefabs named by `like`, nearest first: (name, place, changes by mods).
        size: (height, width) in cells.
        planes: (name, rows) of each plane that is not empty.
        parameters: (name, possible values in words) of each parameter.
        links: (kind, width, number of such links).
        orientations: Labels of the permitted orientations; `looks` of them look different.
        brings: Stake -> average threat or worth of its objects; empty if they have none.
        uses: The encounters, maps and prefabs that use it.
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
    uses: tuple[PrefabUse, ...]


MEANING_KEYS = ("terrain", "to", "switch", "cases")
"""Keys of a symbol that are explained by other fields, and so are not listed as keywords."""


def explain_prefab(content: Content, name: str, *, depth: int | None = None) -> Explanation:
    """Explain a prefab.

    Args:
        content: The content. Its files are read again and must not have changed.
        name: The prefab's name.
        depth: Depth of the odds; by default the lowest depth at which the prefab is used, or 1 if it is not used.

    Raises:
        KeyError: There is no such prefab.
        ContentError: The files have changed and now have errors.
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
        uses=tuple(uses_of(content, name)),
    )


@dataclass(slots=True)
class _Reader:
    """Makes the explanation of one prefab at one depth.

    Attributes:
        content: The content.
        prefab: The prefab as loaded.
        authored: The prefab as its author wrote it.
        depth: The depth for which odds are computed.
    """

    content: Content
    prefab: Prefab
    authored: AuthoredPrefab
    depth: int

    def planes(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield (name, rows of text) of each layer of the drawing that is not empty: map, machines and so on.

        In the map, a cell whose terrain is given by its colour shows the glyph of that terrain.
        """
        planes = self.authored.planes
        names = dict(enumerate(PLANE_NAMES))
        names |= dict(zip(reference_planes(planes), self.reference_names(), strict=True))
        for number, plane in enumerate(planes):
            name = names[number]
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

    def reference_names(self) -> list[str]:
        """Return what each layer of references is called: `references`, `references 2`, or the kind that it is for: `items`."""
        planes = [self.authored.planes[number] for number in reference_planes(self.authored.planes)]
        return [
            plane.only.called if plane.only else "references" if number == 1 else f"references {number}"
            for number, plane in enumerate(planes, 1)
        ]

    def characters(self) -> Iterator[Character]:
        """Yield every character that is drawn, or that a step of `vary` may put into the drawing, the most frequent first."""
        changed = {char for step in self.prefab.template.steps for char in step.sources}
        planes = self.authored.planes
        for number, name in zip(
            (0, *reference_planes(planes)), ("map", *self.reference_names()), strict=True
        ):
            only = planes[number].kind
            counts = self.counts(planes[number], above=bool(number))
            left = self.left({char for char, _ in counts}) - ({" "} if number else set())
            counts.update({(char, None): 0 for char in sorted(left) if (char, None) not in counts})
            for (char, colour), cells in sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))):
                yield Character(
                    char=char,
                    plane=name,
                    colour=colour,
                    cells=cells,
                    origin=self.origin(char, colour),
                    meanings=tuple(self.meanings(char, colour, above=bool(number), only=only)),
                    varied=char in changed,
                )

    def left(self, drawn: set[str]) -> set[str]:
        """Return the characters that steps of `vary` may add to a drawing, other than those that it has already (`drawn`)."""
        left = set(drawn)
        for step in self.prefab.template.steps:
            if not left.isdisjoint(step.sources):
                left |= {char for char, _ in step.results()}
        return left - drawn

    def counts(self, plane: DrawingPlane, *, above: bool) -> Counter[tuple[str, str | None]]:
        """Return (character, colour) -> number of cells with them in a plane of the drawing.

        The colour is None where the character decides the meaning. `above`: whether the plane lies above the map.
        """
        text = plane.text
        if above:
            return Counter({(char, None): n for char, n in Counter(text).items() if char not in (" ", BLANK)})
        cells = zip(text, self.colours(plane), strict=True)
        return Counter((char, colour) for char, colour in cells if char != BLANK)

    def colours(self, plane: DrawingPlane) -> list[str | None]:
        """Return for each cell of a prefab's map layer the palette colour ``#rrggbb`` that gives its terrain.

        None: the cell's character decides.
        """
        meaning = self.authored.meaning
        if plane.colour is None or not meaning.colours:
            return [None] * len(plane.text)
        changed = {char for step in self.prefab.template.steps for char in step.sources}
        own = {BLANK, *meaning.legend, *changed}
        unknown = {char for char in plane.chars - own if not meaning.explains(char, above=False)}
        found = listed_colours(plane, plane.colour, meaning, own, unknown).ravel().tolist()
        return [f"#{each:06x}" if each >= 0 else None for each in found]

    def origin(self, char: str, colour: str | None) -> MeaningSource:
        """Return the legend or palette that defines a character, or a colour if that is not None."""
        paper = self.authored
        if colour is not None:
            return paper.colours[colour]
        return paper.legend.get(char) or paper.glyphs.get(char, BUILT_IN)

    def meanings(
        self, char: str, colour: str | None, *, above: bool, only: str = ""
    ) -> Iterator[MeaningCase]:
        """Yield the meanings of a character, or of a colour if that is not None: one for each case of its `switch` keys.

        If the legend lists several symbols for the character, the meanings of each are yielded in turn.

        Args:
            char: The character.
            colour: The listed colour that decides the meaning; None if the character does.
            above: Whether the character is drawn on a layer of references, where it leaves the terrain unchanged.
            only: The name of the kind that the layer is for; empty for any.
        """
        meaning = self.authored.meaning
        if colour is not None:
            yield MeaningCase(terrain=self.grounds({meaning.colours[colour]: 1.0}))
        elif char in meaning.legend:
            origin = self.authored.legend[char]
            for case in _cases(meaning.legend[char], self.prefab):
                if not only or is_of_kind(case.symbol, only):
                    yield self.meant(char, case, origin, above=above)
        elif char in meaning.glyphs and char != DONT_CARE:
            yield MeaningCase(terrain=self.grounds({meaning.glyphs[char]: 1.0}))

    def grounds(self, odds: Mapping[str, float]) -> tuple[TerrainOutcome, ...]:
        """Return the kinds of terrain that a cell may become, given as name -> probability, with their looks."""
        kinds = self.content.terrain_set.kinds
        codes = self.authored.meaning.codes
        return tuple(
            TerrainOutcome(name=name, glyph=kinds[codes[name]].glyph, fg=kinds[codes[name]].fg, likely=likely)
            for name, likely in odds.items()
        )

    def meant(self, char: str, case: _Case, origin: MeaningSource, *, above: bool) -> MeaningCase:
        """Return the meaning of a character in one case of its `switch` keys.

        Args:
            char: The character.
            case: The case.
            origin: The legend that defines the character.
            above: Whether the character is drawn in a plane above the map, where it leaves the terrain unchanged.
        """
        symbol = case.symbol
        chosen, others = self.chosen(char, symbol)
        terrain: dict[str, float] = {}
        if case.ground is not None:
            for each, likely in case.ground.odds().items():
                terrain[each or "floor"] = terrain.get(each or "floor", 0.0) + likely
        elif not above:
            terrain = {"floor": 1.0}
        chosen *= 1 - sum(likely for name, likely in terrain.items() if self.is_closed(name))
        odds = symbol_odds(symbol, self.content.catalog, self.depth, chosen) if symbol.kind else {}
        return MeaningCase(
            when=case.when,
            case=case.likely,
            terrain=self.grounds(terrain),
            to=None if symbol.to is None else in_words(symbol.to, "wherever the map leads"),
            kind=symbol.kind,
            outcomes=self.outcomes(symbol.kind, odds),
            nothing=odds.get(None, 0.0),
            company=tuple(self.company(symbol)),
            group=others,
            keywords=tuple(_keywords(origin, case.path, {*MEANING_KEYS, symbol.word})),
        )

    def company(self, symbol: SymbolEntry) -> Iterator[CompanyWords]:
        """Yield what comes with the object of a symbol, and what lies around its cell, at this depth."""
        kind, catalog = symbol.kind, self.content.catalog
        for follower in symbol.followers or ():
            yield self.member("following it", follower)
        chosen = choice_odds(symbol, catalog, self.depth) if kind and symbol.followers is None else {}
        for tag in sorted(filter(None, chosen)):
            for follower in catalog[str(kind), tag].band:
                yield self.member(f"following {tag}", follower)
        for entry in symbol.around:
            if entry.depth[0] <= self.depth <= entry.depth[1]:
                steps = in_words(entry.within, str(STEPS_AROUND))
                yield self.member(f"within {steps} step{'' if steps == '1' else 's'}", entry)

    def member(self, where: str, entry: FollowerEntry | AroundEntry) -> CompanyWords:
        """Return an entry of a symbol's company in words."""
        kind, count = str(entry.kind), in_words(entry.count, "none")
        if isinstance(entry, AroundEntry) and entry.density is not None:
            count = f"{weight_at(entry.density, self.depth, NOTHING):g} per 100 cells"
        odds = symbol_odds(entry, self.content.catalog, self.depth)
        return CompanyWords(where=where, count=count, kind=kind, outcomes=self.outcomes(kind, odds))

    def is_closed(self, terrain: str) -> bool:
        """Tell whether nothing can stand on a kind of terrain, as on walls and stairs."""
        base = self.content.terrain_set.base[self.authored.meaning.codes[terrain]]
        return bool(base <= BLOCKED or base in STAIRS)

    def outcomes(self, kind: str | None, odds: Mapping[str | None, float]) -> tuple[Outcome, ...]:
        """Return the objects of kind `kind` that `odds` (tag -> probability) lists, likeliest first; impossible ones are left out."""
        if kind is None:
            return ()
        return tuple(
            Outcome(tag=tag, name=self.content.catalog[kind, tag].name, likely=likely)
            for tag, likely in sorted(odds.items(), key=lambda pair: (-pair[1], str(pair[0])))
            if tag is not None and likely > 0
        )

    def chosen(self, char: str, symbol: SymbolEntry) -> tuple[float, tuple[str, ...]]:
        """Return the odds that a character is chosen from its `group`: of all characters in a group, one is chosen at random.

        Returns:
            The probability that `char` is chosen, and the other characters of the group in this prefab's drawing. Without a
            group: 1 and no characters.
        """
        if symbol.group is None:
            return 1.0, ()
        planes = self.authored.planes
        drawn = {char for number in (0, *reference_planes(planes)) for char in planes[number].chars}
        drawn |= {char for step in self.prefab.template.steps for char, _ in step.results()}
        legend = self.authored.meaning.legend
        symbols = {each: legend[each] for each in sorted(drawn) if each in legend} | {char: symbol}
        groups = groups_of(symbol)
        others = [each for each in symbols if each != char and groups & groups_of(symbols[each])]
        fellows = {
            f"{char}{number}": leaf
            for number, (leaf, _) in enumerate(legend[char].leaves())
            if legend[char].is_several and leaf is not symbol
        }
        return chosen_odds(char, symbols | fellows, self.content.weight), tuple(others)

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
        """Yield the machines of the prefab's drawing, each with its odds."""
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
    """A symbol as it is while the parameters of its `switch` keys have certain values.

    Attributes:
        symbol: The symbol that holds then; the whole symbol if it has no `switch`.
        when: The values in words, such as ``fence is iron``.
        likely: Their probability.
        path: The YAML keys that lead to this symbol in the whole one.
        ground: The terrain below the object, which another symbol of the list may name; None if no symbol names it.
    """

    symbol: SymbolEntry
    when: str
    likely: float
    path: tuple[str | int, ...]
    ground: Value[str] | None


def _cases(
    symbol: SymbolEntry,
    prefab: Prefab,
    known: Mapping[str, str] | None = None,
    path: tuple[str | int, ...] = (),
    ground: Value[str] | None = None,
) -> Iterator[_Case]:
    """Yield the possible cases of a symbol, which may have `switch` keys within others; one case if it has none.

    Of a list of symbols, the cases of each are yielded in turn.

    Args:
        symbol: The symbol.
        prefab: The prefab, which has the parameters.
        known: Parameter -> its value in the cases to yield.
        path: The YAML keys that lead to `symbol`.
        ground: The terrain that another symbol of its list names; None if there is none.
    """
    known = known or {}
    if symbol.is_several:
        ground = next((each.terrain for each in symbol.parts if each.terrain is not None), ground)
        for number, part in enumerate(symbol.parts):
            yield from _cases(part, prefab, known, (*path, number), ground)
        return
    if symbol.switch is None:
        when = " and ".join(f"{name} is {value}" for name, value in known.items())
        likely = 1.0
        for name, value in known.items():
            likely *= prefab.template.parameters[name].odds()[value]
        yield _Case(symbol, when, likely, path, symbol.terrain or ground)
        return
    for value, case in symbol.cases.items():
        if known.get(symbol.switch, value) == value:
            yield from _cases(case, prefab, {**known, symbol.switch: value}, (*path, "cases", value), ground)


def _keywords(
    origin: MeaningSource, path: tuple[str | int, ...], but: Container[object]
) -> Iterator[Keyword]:
    """Yield the keys of a symbol as its author wrote them, except the keys in `but`.

    `origin` is the legend that defines the symbol's character, and `path` leads from there to the symbol.
    """
    if origin.record is None:
        return
    data = origin.record.part(*origin.path, *path)
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in but:
                source = origin.record.source(*origin.path, *path, key, key=True)
                yield Keyword(name=key, text=written(value), source=source)
