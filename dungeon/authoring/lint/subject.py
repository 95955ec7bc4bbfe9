"""The content that lint checks examine: a draft (content that may have errors) with lookups over its entries. A sound entry is valid; a variant is one random outcome of a prefab."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dungeon.content.catalog.symbols import LegendEntry
from dungeon.content.drawing.planes import (
    PLANE_NAMES,
    cell_of_text,
    cell_of_xp,
    reference_paths,
)
from dungeon.content.loading.build import build_catalog, build_terrain, extended, terrain_codes
from dungeon.content.models.encounters import CategoryEntry, EncounterEntry
from dungeon.content.models.entries import PaletteEntry, PrefabEntry, TerrainEntry, ThingEntry, legends_of
from dungeon.content.models.locks import LockEntry
from dungeon.content.models.maps import MapEntry
from dungeon.content.prefab.prefab import Prefab
from dungeon.content.source.names import words_of
from dungeon.content.source.problems import NO_VALUE, ValueProblem
from dungeon.content.values.grammar import listed_weights, weight_at, weight_of
from dungeon.content.values.prefab_weights import VariantOf, counted_as
from dungeon.core.errors import written
from dungeon.core.frozen import Derived
from dungeon.core.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dungeon.content.catalog.catalog import Catalog
    from dungeon.content.catalog.requests import ObjectEntry
    from dungeon.content.catalog.scattered import PopulationEntry
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.library import Content
    from dungeon.content.loading.draft import ContentDraft
    from dungeon.content.models.encounters import EncounterForm
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.prefab.prefab import Variant
    from dungeon.content.source.files import Record
    from dungeon.content.values.fields import Weight
    from dungeon.content.values.grammar import DepthWeight
    from dungeon.core.errors import Severity
    from dungeon.core.parameters import Parameters
    from dungeon.core.registry import Objection
    from dungeon.core.streams import Stream
    from dungeon.terrain import TerrainSet


@dataclass(frozen=True)
class Sampled(Prefab):
    """A prefab together with a few of its random variants, one of which stands in wherever a variant is asked for.

    Attributes:
        variants_of_it: The variants.
    """

    variants_of_it: tuple[Variant, ...] = ()

    @classmethod
    def of(cls, prefab: Prefab, prefabs: Mapping[str, Prefab], rolls: int) -> Sampled:
        """Make some random variants of a prefab.

        Args:
            prefab: The prefab.
            prefabs: The prefabs that may be fitted into it.
            rolls: Number of variants to make if it varies; otherwise one is made.
        """
        said = {each.name: getattr(prefab, each.name) for each in fields(prefab) if each.init}
        among_others = Prefab(**{**said, "prefabs": prefabs})
        streams = Streams(0, "look over", prefab.name)
        variants = (
            among_others.variant(streams.stream(number)) for number in range(rolls if prefab.varies else 1)
        )
        return cls(**said, variants_of_it=tuple(variants))

    def variant(self, stream: Stream) -> Variant:
        """Return one of the prefab's variants, chosen at random."""
        return stream.pick(self.variants_of_it)


class Samples(Mapping[str, Sampled]):
    """Prefab name -> the prefab with some random variants, made at its first use and reused wherever it is fitted in.

    So if twenty prefabs are nested, the variants of the innermost are made once, not twenty times.

    Args:
        prefabs: The prefabs; none is fitted into itself, directly or not.
        rolls: Number of random variants to make of each prefab that varies.
    """

    def __init__(self, prefabs: Mapping[str, Prefab], rolls: int) -> None:
        self._prefabs = prefabs
        self._rolls = rolls
        self._rolled = Derived()

    def __getitem__(self, name: str) -> Sampled:
        """Return a prefab with its random variants."""
        return self._rolled.once(name, Sampled.of, self._prefabs[name], self, self._rolls)

    def __iter__(self) -> Iterator[str]:
        return iter(self._prefabs)

    def __len__(self) -> int:
        return len(self._prefabs)


ROLLS = 50
"""Number of variants of a prefab that are examined. With 50, a variant of 1 in 20 is missed in 8 % of cases."""

MOST_ROLLS = 4000
"""Maximum number of variants of all prefabs together (50 each for up to 80 prefabs), but at least `FEWEST_ROLLS` of each."""

FEWEST_ROLLS = 5

Path = tuple[str | int, ...]


class MeantSymbol(NamedTuple):
    """What a character of a prefab means: a symbol, and where it is defined.

    Attributes:
        symbol: The terrain and object that the character asks for.
        record: The prefab or legend that defines it.
        path: YAML keys that lead to the definition.
    """

    symbol: SymbolEntry
    record: Record
    path: Path


class EncounterAppearance(NamedTuple):
    """A map on which a prefab may appear.

    Attributes:
        map_id: The map's id, such as ``foundry/3``.
        depth: The map's depth.
        way: The encounter or map whose entry names the prefab, in words for messages.
    """

    map_id: str
    depth: int
    way: str


Says = dict["Severity", dict[str, str]]
Rules = tuple["Callable[[Subject], None]", ...]


class Check(NamedTuple):
    """A lint check: how serious its reports are, and what they say.

    Attributes:
        severity: error, warning or note.
        says: The message, with placeholders in braces.
    """

    severity: Severity
    says: str


class Subject:
    """The valid ("sound") entries of a draft, with lookups for the checks.

    Rules look up entries here, never in `draft.entries`. An entry is sound if it is valid and names only entries
    that were read. So a rule may look up these names: the terrain of a map's lakes is in `codes`. A named entry may itself
    be invalid; then it is in `records`, but not in `maps`, `encounters` and so on. A rule that draws a conclusion from a
    missing entry ("nothing opens this lock") first asks `all_sound` for every kind of entry that could have it.

    Attributes:
        draft: The draft.
        codes: Name of terrain -> code.
        records: Kind -> name -> entry as written, also if it is invalid.
        prefabs: The sound prefabs; likewise `encounters`, `maps`, `legends`, `locks`, `palettes`, `categories`, and
            `entries` of prefabs.
        terrain_set: All terrain; invalid terrain is a floor.
        catalog: The sound objects.
        unmakeable: The maps of which no level can be made because of a prefab, as an error says.
        content: The content built from the draft; None if it has errors.
        sample: Number of ground plans to make of every map; 0 for none.
    """

    def __init__(
        self,
        draft: ContentDraft,
        checks: Mapping[str, Check],
        content: Content | None = None,
        sample: int = 0,
    ) -> None:
        self.draft = draft
        self.checks = checks
        self.content = content
        self.sample = sample
        self.records = draft.records
        self.entries = draft.sound("prefab", PrefabEntry)
        self.prefabs: Mapping[str, Prefab] = {
            name: prefab for name, prefab in draft.prefabs.items() if name in self.entries
        }
        self.encounters = draft.sound("encounter", EncounterEntry)
        self.maps = draft.sound("map", MapEntry)
        self.legends = draft.sound("legend", LegendEntry)
        self.locks = draft.sound("lock", LockEntry)
        self.palettes = draft.sound("palette", PaletteEntry)
        self.categories = draft.sound("category", CategoryEntry)
        codes = terrain_codes(draft.records)
        terrain = draft.sound("terrain", TerrainEntry)
        self.terrain_set: TerrainSet = build_terrain(terrain, codes)
        self.codes = codes
        self.unclear_codes = [codes[name] for name in draft.records["terrain"] if name not in terrain]
        things = {kind: draft.sound(kind, ThingEntry) for kind in draft.kinds.names}
        self.catalog: Catalog = build_catalog(things, draft.kinds, self.weights, draft.chart)
        self.unmakeable: set[str] = set()
        self._known = Derived()
        self.wrong = self._wrong_kinds()  # before the checks add errors of their own

    # -- saying something -----------------------------------------------------------------------

    def say(
        self,
        check: str,
        record: Record,
        *path: str | int,
        value: object = NO_VALUE,
        allowed: Iterable[str] = (),
        key: bool = False,
        breaks: bool = False,
        **words: object,
    ) -> None:
        """Report that content fails a check, at a value of an entry or at a key.

        Args:
            check: Name of the check.
            record: The entry.
            path: Keys and indices that lead to the value.
            value: The value to quote in the message; by default none.
            allowed: Values that would be right, for a suggestion.
            key: Whether to report at the key, not at the value.
            breaks: Whether to report it as an error, because no level of the map can be made.
            words: Values for the placeholders of the message.
        """
        severity, says = self.checks[check]
        severity = "error" if breaks else severity
        problem = ValueProblem(message=says.format(**words), path=path, value=value, allowed=allowed, key=key)
        self.draft.log.report(record, [problem], severity)

    def say_of_cell(
        self, check: str, record: Record, y: int, x: int, char: str, *, plane: str = "", **words: object
    ) -> None:
        """Report that content fails a check at a cell of a drawing.

        Args:
            check: Name of the check.
            record: The prefab.
            y: Row of the cell.
            x: Column of the cell.
            char: The character to quote; empty for none.
            plane: The layer in which the place is shown; by default `references` if it has `char` there, else `map`.
            words: Values for the placeholders of the message.
        """
        severity, says = self.checks[check]
        if record.name in self.draft.drawings:
            source = cell_of_xp(self.draft.drawings[record.name].file, y, x)
        else:
            path = self._above(record, y, x, char) if char and not plane else (plane or PLANE_NAMES[0],)
            source = cell_of_text(record, path, y, x)
        problem = ValueProblem(message=says.format(**words), value=repr(char) if char else NO_VALUE)
        self.draft.log.remark(source, record.label, problem, severity)

    def say_of_drawing(self, check: str, name: str, found: Sequence[Objection], **words: Any) -> None:
        """Report a problem that some variants of a prefab have.

        Args:
            check: The check.
            name: The prefab.
            found: The problem in each variant that has it. The message shows the first one, at its cell if it has a cell.
            words: Values for the placeholders of the check's message.
        """
        (reason, cell), record = found[0], self.records["prefab"][name]
        words |= {"reason": reason, "some": len(found), "all": len(self.rolled(name))}
        if cell is None:
            self.say(check, record, key=True, **words)
        else:
            self.say_of_cell(check, record, *cell, "", **words)

    @staticmethod
    def _above(record: Record, y: int, x: int, char: str) -> Path:
        """Return the path of the text in which a prefab draws `char` at a cell: that of a layer of references, or of the map."""
        for path in reference_paths(record) or [("references",)]:
            rows = str(record.part(*path)).split("\n") if "references" in record.fields else []
            if y < len(rows) and rows[y][x : x + 1] == char:
                return path
        return (PLANE_NAMES[0],)

    # -- what is not known in full --------------------------------------------------------------

    def all_sound(self, *kinds: str) -> bool:
        """Return whether all entries of these kinds are valid and their files free of errors.

        If not, whatever a check finds missing (a key, a prefab...) may be in an entry that could not be read.
        """
        return self.wrong.isdisjoint(kinds)

    def _wrong_kinds(self) -> set[str]:
        """Return the kinds of entries that may be incomplete: some of them are invalid or uncertain, or one of their files could not be read."""
        log = self.draft.log
        if log.unlisted or self.draft.kinds.any_more:
            return {*self.draft.kind_in.values()}
        in_files = (self.draft.kind_in.get(problem.source.file, "") for problem in log.problems)
        return self.draft.damaged.union(self.draft.unsure, in_files)

    # -- weights and depths ---------------------------------------------------------------------

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """Word for a weight -> its number; 1 for every word if ``weights.yaml`` could not be read."""
        if self.draft.weights is not None:
            return self.draft.weights.root
        said = [record.data for records in self.records.values() for record in records.values()]
        said += [record.data for record in self.draft.singles.values()]
        return dict.fromkeys(words_within(said), 1.0)

    def weight(self, weight: Weight) -> float:
        """Return a weight as a number."""
        return weight_of(weight, self.weights)

    def ever(self, weight: DepthWeight) -> bool:
        """Tell whether a weight is above 0 at any depth."""
        return any(self.weight(each) > 0 for each in listed_weights(weight))

    @cached_property
    def depths(self) -> Mapping[str, list[int]] | None:
        """Map type -> the depths at which the world has it, sorted; None if the world could not be read."""
        if self.draft.chart is None:
            return None
        found: dict[str, set[int]] = {}
        for name, depth in self.ids:
            found.setdefault(name, set()).add(depth)
        return {name: sorted(depths) for name, depths in found.items()}

    @cached_property
    def ids(self) -> Mapping[tuple[str, int], list[str]]:
        """(map type, depth) -> the ids of the maps in the world that may be of this type; empty if the world could not be read."""
        found: dict[tuple[str, int], list[str]] = {}
        for spot in self.draft.chart.spots.values() if self.draft.chart else ():
            for name, weight in spot.types.items():
                if weight_at(weight, spot.depth, self.weights) > 0:
                    found.setdefault((name, spot.depth), []).append(spot.id)
        return found

    def ids_of(self, name: str) -> list[tuple[str, int]]:
        """Return (id, depth) of each map of the world that may be of map type `name`."""
        depths = (self.depths or {}).get(name, ())
        return [(map_id, depth) for depth in depths for map_id in self.ids[name, depth]]

    def targets_from(self, ids: Iterable[str]) -> set[str]:
        """Return where the maps with these ids may lead: the ids of maps, and the names of their branches.

        ``{foundry/2}`` -> ``{foundry/3, foundry}``.
        """
        chart = self.draft.chart
        targets = {target for map_id in ids for target in chart.may_lead_to(map_id)} if chart else set()
        return targets | {target.rsplit("/", 1)[0] for target in targets}

    def places_of(self, encounter: str) -> list[tuple[str, int]]:
        """Return the (map type, depth) pairs at which an encounter has a weight above 0."""
        entry = self.encounters[encounter]
        low, high = entry.depth
        return [
            (name, depth)
            for name, weight in entry.maps.items()
            for depth in (self.depths or {}).get(name, ())
            if low <= depth <= high and weight_at(weight, depth, self.weights) > 0
        ]

    @cached_property
    def variants(self) -> Mapping[str, VariantOf]:
        """Name of a variant -> the prefab whose variant it is, and its weight, for the variants of valid prefabs."""
        said = {
            f"{name}/{variant}": VariantOf(name, self.weight(each.weight))
            for name, entry in self.entries.items()
            for variant, each in entry.variants.items()
        }
        return {name: said[name] for name in self.draft.variants if name in said}

    # -- prefabs --------------------------------------------------------------------------------

    @cached_property
    def bases(self) -> frozenset[str]:
        """The prefabs that other prefabs name under `like`."""
        return frozenset(entry.like for entry in self.entries.values() if entry.like is not None)

    @cached_property
    def called(self) -> Mapping[str, list[str]]:
        """Name or tag -> the valid prefabs with this name or tag; variants have those of their base, too."""
        called: dict[str, list[str]] = {}
        for name, prefab in self.prefabs.items():
            for word in (*counted_as(name, self.variants), *prefab.tags):
                called.setdefault(word, []).append(name)
        return called

    @cached_property
    def forms(self) -> list[EncounterForm]:
        """The forms of all valid encounters: each variant of an encounter with what it changes, or the encounter itself."""
        return [form for name, entry in self.encounters.items() for form in entry.forms(name)]

    def contents(self) -> Iterator[tuple[str, Path, tuple[PopulationEntry, ...]]]:
        """Yield (encounter, path of YAML keys, `content` entries) of what each encounter scatters.

        Variants with the same content count once.
        """
        said = {(form.encounter, form.at("content")): form.entry.content for form in self.forms}
        for (name, path), content in said.items():
            yield name, path, content

    def prefabs_of_form(self, form: EncounterForm) -> list[str]:
        """Return the valid prefabs of one variant (form) of an encounter, each once."""
        return list(dict.fromkeys(name for word in form.entry.prefabs for name in self.called.get(word, ())))

    def prefabs_of_encounter(self, encounter: str) -> list[str]:
        """Return the valid prefabs of all variants (forms) of an encounter, each once."""
        forms = self.encounters[encounter].forms(encounter)
        return list(dict.fromkeys(name for form in forms for name in self.prefabs_of_form(form)))

    def prefabs_of_layout(self, params: Parameters) -> list[str]:
        """Return the valid prefabs that the parameters of a layout name, each once."""
        return list(dict.fromkeys(name for word in params.asked_for() for name in self.called.get(word, ())))

    def seeded_on(self, name: str, ids: Iterable[str]) -> list[str]:
        """Return the valid prefabs of the features and machines of map type `name`, on maps with these ids; each prefab once."""
        targets = self.targets_from(ids)
        words = [
            word
            for word, feature in self.maps[name].seeded_words()
            if feature is None or feature.to is None or feature.to in targets
        ]
        return list(dict.fromkeys(name for word in words for name in self.called.get(word, ())))

    @cached_property
    def floors(self) -> list[tuple[str, str]]:
        """(prefab, map id) of each valid prefab that may be a floor of a tower; empty if the world is not valid."""
        towers = self.draft.chart.towers.values() if self.draft.chart else ()
        asked = [
            (map_id, word) for tower in towers for map_id, _, value in tower for word in value.outcomes()
        ]
        return [(name, map_id) for map_id, word in dict.fromkeys(asked) for name in self.called.get(word, ())]

    @cached_property
    def within(self) -> Mapping[str, frozenset[str]]:
        """Prefab -> itself and all prefabs that may be fitted into it, directly or not.

        Prefabs into which an invalid one may be fitted are left out.
        """
        below = {
            name: {each for names in prefab.template.fits.values() for each in names}
            for name, prefab in self.prefabs.items()
        }
        found: dict[str, frozenset[str]] = {}
        waiting = set(below)
        while (
            waiting
        ):  # each round finishes the prefabs whose inner prefabs are finished; circles never finish
            done = [name for name in waiting if below[name] <= found.keys()]
            if not done:
                break
            for name in done:
                found[name] = frozenset({name}).union(*(found[each] for each in below[name]))
            waiting.difference_update(done)
        return {name: found[name] for name in self.prefabs if name in found}

    @cached_property
    def appearances(self) -> Mapping[str, list[EncounterAppearance]]:
        """Name of a prefab -> the maps on which it may appear, by itself or inside another prefab."""
        found: dict[str, dict[EncounterAppearance, None]] = {}
        for encounter in self.encounters:
            for map_name, depth in self.places_of(encounter):
                for name, map_id in product(self.prefabs_of_encounter(encounter), self.ids[map_name, depth]):
                    for each in self.within.get(name, (name,)):
                        appearance = EncounterAppearance(
                            map_id, depth, f"encounter {written(encounter)!r} on {map_id}"
                        )
                        found.setdefault(each, {})[appearance] = None
        asked = [
            (name, map_id)
            for map_name, entry in self.maps.items()
            for map_id, _ in self.ids_of(map_name)
            for name in (*self.prefabs_of_layout(entry.layout.params), *self.seeded_on(map_name, [map_id]))
        ]
        for name, map_id in (*asked, *self.floors):
            appearance = EncounterAppearance(map_id, int(map_id.rsplit("/", 1)[1]), f"map {map_id}")
            for each in self.within.get(name, (name,)):
                found.setdefault(each, {})[appearance] = None
        return {name: list(appearances) for name, appearances in found.items()}

    @cached_property
    def rolls(self) -> int:
        """Number of variants of each prefab that are examined."""
        varying = sum(prefab.varies for prefab in self.prefabs.values())
        return min(ROLLS, max(FEWEST_ROLLS, MOST_ROLLS // max(varying, 1)))

    @cached_property
    def samples(self) -> Samples:
        """The valid prefabs (the keys of `within`), each with a few random variants."""
        whole = {name: prefab for name, prefab in self.prefabs.items() if name in self.within}
        return Samples(whole, self.rolls)

    def rolled(self, name: str) -> tuple[Drawing, ...]:
        """Return the drawings of a few random variants of a prefab; none if a part of the prefab comes from an invalid entry."""
        return self._known.once(("rolled", name), self._roll, name)

    def _roll(self, name: str) -> tuple[Drawing, ...]:
        if name not in self.within or not self.all_sound("palette") or not self._knows_legends(name):
            return ()
        drawings = tuple(variant.drawing for variant in self.samples[name].variants_of_it)
        unclear = self.unclear_codes
        return () if unclear and any(np.isin(each.terrain, unclear).any() for each in drawings) else drawings

    def objections(self, name: str, judge: Callable[[Drawing], Objection | None]) -> list[Objection]:
        """Return what `judge` objects to in the drawings of `rolled(name)`. Drawings with equal ground and links are judged once."""
        known = Derived()
        found = (known.once((each.ground, each.links), judge, each) for each in self.rolled(name))
        return [each for each in found if each is not None]

    def _knows_legends(self, name: str) -> bool:
        """Tell whether all legends of a prefab name only entries that could be read."""
        unsure = self.draft.unsure.get("legend", ())
        return not any(
            each in unsure for each in extended(self.entries[name].legends, self.records["legend"])
        )

    def meanings(self, name: str) -> Mapping[str, MeantSymbol]:
        """Return character -> its symbol and where that is defined, for each character of a prefab that a legend defines."""
        return self._known.once(("meanings", name), self._meanings, name)

    def _meanings(self, name: str) -> Mapping[str, MeantSymbol]:
        """Return character -> symbol for a prefab; see `meanings`."""
        record, entry, template = (
            self.records["prefab"][name],
            self.entries[name],
            self.prefabs[name].template,
        )
        used = template.chars[0] | template.chars[1]
        used |= {char for step in template.steps for char, _ in step.results()}
        found: dict[str, MeantSymbol] = {}
        for legend in extended(entry.legends, self.records["legend"]):
            if legend in self.legends:
                where = self.records["legend"][legend]
                found |= {
                    c: MeantSymbol(symbol, where, (c,)) for c, symbol in self.legends[legend].symbols.items()
                }
        for char, symbol in entry.legend.items():
            found[char] = MeantSymbol(symbol, record.owner("legend", char), ("legend", char))
        return {char: meant for char, meant in found.items() if char in used}

    def objects(self) -> Iterator[tuple[ObjectEntry, Record, Path]]:
        """Yield (symbol, entry, path) of every object and every locked door in legends and scattered content, each once.

        Followers, and objects around a cell, count as objects of their own.
        """
        for record, path, legend in legends_of(self.records, self.legends, self.entries):
            for char, symbol in legend.items():
                for leaf, below in symbol.leaves():
                    for asks, at, _ in leaf.asked():
                        if asks.kind is not None or asks.lock is not None:
                            yield asks, record, (*path, char, *below, *at)
        yield from self.scattered()
        for kind, things in self.catalog.things.items():
            for tag, thing in things.items():
                record = self.records[kind][tag]
                for number, follower in enumerate(thing.band if record.is_own("band") else ()):
                    yield follower, record, ("band", number)

    def scattered(self) -> Iterator[tuple[ObjectEntry, Record, Path]]:
        """Yield (object, entry, path) of everything that maps and encounters scatter, followers included."""
        of_maps = [("map", name, ("population",), entry.population) for name, entry in self.maps.items()]
        of_encounters = [("encounter", *each) for each in self.contents()]
        for kind, name, at, entries in (*of_maps, *of_encounters):
            for number, entry in enumerate(entries):
                for asks, path, _ in entry.asked():
                    yield asks, self.records[kind][name], (*at, number, *path)


def words_within(raw: object) -> Iterator[str]:
    """Yield every text, number and key in YAML data, as text."""
    waiting = [raw]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting += [*each, *each.values()]
        elif isinstance(each, list | tuple):
            waiting += each
        elif isinstance(each, str | int):
            yield str(each)


def word_at(record: Record, path: Path, word: str) -> Path:
    """Return the path of YAML keys to a word, which stands at `path` alone, as an item of a list, or as a key of a mapping.

    ``prefabs: [hall, store]``, word ``store`` -> ``("prefabs", 1)``.
    """
    raw = record.part(*path)
    if isinstance(raw, dict):
        return *path, word
    return (*path, words_of(raw).index(word)) if isinstance(raw, list) else path
