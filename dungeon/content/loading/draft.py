"""*Drafts*: all entries (prefabs, maps, ...) as written, by kind and name, first of one folder (a *layer*), then of all together.

A *single* file is one entry, such as ``world.yaml``; others map names to entries. A *record* is an entry as written. A *catalog* is the
file with all objects of one kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from dungeon import terrain as t
from dungeon.content.catalog.own_words import KindEntry
from dungeon.content.catalog.requests import HeldEntry
from dungeon.content.catalog.scattered import AroundEntry, FollowerEntry, PopulationEntry
from dungeon.content.catalog.selector import CARRIER, QUESTIONS
from dungeon.content.catalog.symbols import LegendEntry, SymbolEntry
from dungeon.content.drawing.planes import (
    XpDrawing,
)
from dungeon.content.drawing.rexpaint import MAX_FILE_BYTES, parse_xp
from dungeon.content.loading.build import PAINTABLE
from dungeon.content.models import entries as models
from dungeon.content.models.accepted import AcceptedEntry
from dungeon.content.models.encounters import (
    NEIGHBOUR,
    CategoryEntry,
    EncounterEntry,
    check_company,
    check_words_of_distances,
)
from dungeon.content.models.entries import BUILT_IN_NAMES
from dungeon.content.models.locks import LockEntry, OpenerEntry, check_followed_locks
from dungeon.content.models.maps import MapEntry, MapPopulationEntry, check_dressing, check_ports
from dungeon.content.models.rules import Entries
from dungeon.content.models.world import WorldEntry
from dungeon.content.source.files import (
    ContentFile,
    ProblemLog,
    Record,
    parse_file,
    read_bytes,
    records_of,
    validate,
)
from dungeon.content.source.marks import holds_broken
from dungeon.content.source.names import (
    HAS_A_MEANING,
    RESERVED,
    RESERVED_FOR_OBJECTS,
    NameList,
    Names,
    groups_declared,
    name_problem,
    words_of,
)
from dungeon.content.source.reader import MAX_BYTES, Parsed
from dungeon.content.values.fields import PLACE
from dungeon.core.errors import ContentError, Problem, Source, printable
from dungeon.core.frozen import Frozen
from dungeon.core.kinds import BUILT_IN, Kind, Kinds
from dungeon.core.vocabulary import CATEGORIES, LANDMARKS, OTHER_ENTITIES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from dungeon.content.library import Change
    from dungeon.content.loading.build import BuildContext
    from dungeon.content.models.world import WorldChart
    from dungeon.content.prefab.prefab import Prefab

M = TypeVar("M", bound=BaseModel)

KINDS_FILE = "kinds.yaml"
"""Read before all other files, because it declares the kinds of objects that decide what other files hold."""

ACCEPTED_FILE = "accepted.yaml"
"""The only file that has no effect on levels."""

OBJECTS = "objects"
"""The folder of the catalogs, one file per kind."""


def catalog_file(kind: Kind) -> str:
    """Return the path, within a content folder, of the catalog of a kind of objects: robot -> ``objects/robots.yaml``."""
    return f"{OBJECTS}/{kind.called}.yaml"


class EntryType(NamedTuple):
    """A type of entry that authors write.

    Attributes:
        kind: What authors call such an entry, such as "prefab".
        place: The file, or the folder of YAML files, with entries of this type, within the content folder.
        model: The pydantic model; it defines the keys, their checks, their documentation and their JSON schema.
        rules: Checks that compare entries with each other, run after all are read; they stand in the module
            of the model.
        is_single: Whether the file is one entry, rather than a mapping name -> entry.
    """

    kind: str
    place: str
    model: type[BaseModel]
    rules: tuple[Callable[[Entries], None], ...] = ()
    is_single: bool = False


ENTRY_TYPES = (
    EntryType("palette", "palette.yaml", models.PaletteEntry, is_single=True),
    EntryType("weight word", "weights.yaml", models.WeightsEntry, is_single=True),
    EntryType("world", "world.yaml", WorldEntry, is_single=True),
    EntryType("acceptance", ACCEPTED_FILE, AcceptedEntry, is_single=True),
    EntryType("kind", KINDS_FILE, KindEntry, (models.check_things,)),
    EntryType("terrain", "terrain.yaml", models.TerrainEntry, (models.check_terrain,)),
    EntryType("theme", "themes.yaml", models.ThemeEntry, (models.check_themes,)),
    EntryType("lock", "locks.yaml", LockEntry, (check_followed_locks,)),
    EntryType("category", "categories.yaml", CategoryEntry),
    EntryType("prefab", "prefabs", models.PrefabEntry, (models.check_tags, models.check_fitting)),
    EntryType("legend", "legends", LegendEntry, (models.check_symbols, models.check_extending)),
    EntryType("palette", "palettes", models.PaletteEntry),
    EntryType("encounter", "encounters", EncounterEntry, (check_words_of_distances, check_company)),
    EntryType("map", "maps", MapEntry, (check_dressing, check_ports)),
    *(EntryType(kind.name, catalog_file(kind), models.ThingEntry) for kind in BUILT_IN.values()),
)
"""Everything that an author may write.

All code that reads, checks, documents or edits content uses this list.
"""

SINGLE_FILES = {sort.place: sort.kind for sort in ENTRY_TYPES if sort.is_single}
"""Place -> kind, for the files that are one entry each."""

ENTRY_KINDS = {sort.place: sort.kind for sort in ENTRY_TYPES if not sort.is_single}
"""Place -> kind, for the files and folders with several entries; content may add kinds of objects."""

MODELS = {sort.kind: sort.model for sort in ENTRY_TYPES if not sort.is_single}
"""Kind -> model, for kinds with several entries. Kinds that the content adds use the model of objects."""

SINGLE_MODELS = {sort.place: sort.model for sort in ENTRY_TYPES if sort.is_single}

NO_OTHERS = Kinds()
DRAWING = "drawing"

PLAIN_FILES = (".md", ".txt")
"""Endings of files for human readers; they are ignored."""


@dataclass(frozen=True, slots=True)
class XpFile:
    """An .xp file that has not been parsed yet: its name in messages, and its bytes or, if it could not be read, None."""

    file: str
    data: bytes | None

    def layers(self, log: ProblemLog) -> XpDrawing:
        """Return the parsed drawing; if the file is damaged, log why and return one without layers."""
        layers = []
        if self.data is not None:
            try:
                layers = parse_xp(self.data, self.file)
            except ContentError as error:
                log.take(error.problems)
        return XpDrawing(layers=layers, file=self.file)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """A case in which two mods change the same part of an entry.

    Attributes:
        source: The place of the change in the later mod, whose value is used.
        entry: What messages call the entry.
        part: The part that both change, such as ``limit.map``; empty for the whole entry.
        other: The place of the change in the earlier mod.
    """

    source: Source
    entry: str
    part: str
    other: Source


@dataclass(slots=True)
class ContentLayer:
    """The entries of one folder: the base content or a mod.

    Attributes:
        log: The log to which problems are added.
        parsed: `ContentFile.key` -> the parsed YAML file. Files that are in it from the start are not parsed again.
        kinds: The kinds of objects, with those that the content declares.
        records: Kind of entry -> name -> entry as written, valid or not.
        singles: Path of a file that is one entry, such as ``world.yaml`` -> that entry as written.
        drawings: Prefab -> its .xp file.
        damaged: Kinds of entry with a file that could not be read completely.
        kind_in: File as messages call it -> the kind of the entries in it; "prefab" for drawings, empty for other files.
    """

    log: ProblemLog
    parsed: dict[str, Parsed]
    kinds: Kinds = field(default_factory=Kinds)
    records: dict[str, dict[str, Record]] = field(default_factory=lambda: {kind: {} for kind in MODELS})
    singles: dict[str, Record] = field(default_factory=dict)
    drawings: dict[str, XpFile] = field(default_factory=dict)
    damaged: set[str] = field(default_factory=set)
    kind_in: dict[str, str] = field(default_factory=dict)

    def read(self, file: ContentFile, data: bytes | None) -> None:
        """Read one file of the folder, whatever it holds, into the attributes. Report a file whose name has no meaning in content.

        Args:
            file: The file.
            data: Its bytes; None if it could not be read, which has been reported.
        """
        place = PurePosixPath(file.place)
        what = held_in(file.place, self.kinds)
        self.kind_in[file.shown] = "prefab" if what == DRAWING else what or ""
        if what is None:
            if place.suffix not in PLAIN_FILES and not (self.kinds.any_more and is_catalog(file.place)):
                self.log.take([_unread(file, self.kinds)])
        elif what == DRAWING:
            self.read_drawing(place.stem, file, data)
        elif file.place in SINGLE_FILES:
            self.read_single(what, file, data)
        else:
            self.read_entries(what, file, data)

    def parse(self, file: ContentFile, data: bytes | None) -> Parsed:
        """Return the parsed YAML file; a file that was parsed before is taken from the attribute `parsed`."""
        if file.key not in self.parsed:
            self.parsed[file.key] = parse_file(file, data, self.log)
        return self.parsed[file.key]

    def read_single(self, what: str, file: ContentFile, data: bytes | None) -> None:
        """Read a file that is one entry, such as ``world.yaml``; `what` is the kind of entry."""
        parsed = self.parse(file, data)
        if parsed.whole:
            self.singles[file.place] = Record(PurePosixPath(file.place).stem, "", file.shown, parsed.root, ())
        if not parsed.whole or not isinstance(parsed.root, dict | None):
            self.damaged.add(what)

    def read_entries(self, kind: str, file: ContentFile, data: bytes | None) -> None:
        """Read a file that maps names to entries of a kind into `records`; report a name that another file has already."""
        parsed = self.parse(file, data)
        if not parsed.whole or not isinstance(parsed.root, dict | None):
            self.damaged.add(kind)
        for record in records_of(kind, parsed, file, self.log):
            first = self.records.setdefault(kind, {}).setdefault(record.name, record)
            if first is not record:
                message = f"this name is taken already, in {first.source(key=True)}"
                self.log.add(record, message, value=record.name, key=True)

    def read_drawing(self, name: str, file: ContentFile, data: bytes | None) -> None:
        """Keep the bytes of an .xp file, the drawing of the prefab `name`, until that prefab is built."""
        if name in self.drawings:
            message = f"there is a drawing of this name already: {self.drawings[name].file}"
            self.log.file(file.shown, message)
        else:
            self.drawings[name] = XpFile(file.shown, data)


@dataclass(slots=True)
class ContentDraft(Entries):
    """The entries of all layers (the base content and its mods) together, while they are being checked.

    Attributes:
        unsure: Kind of entry -> names of valid entries with a reference that could not be checked, because a file
            could not be read completely. The name is empty for files that are one entry.
        singles: Path of a file that is one entry, such as ``world.yaml`` -> that entry as written.
        drawings: Prefab -> its .xp file.
        damaged: Kinds of entry with a file that could not be read completely.
        kind_in: File as messages call it -> the kind of the entries in it; "prefab" for drawings, empty for other files.
        changes: (kind, name) -> the changes that mods make to an entry of another layer.
        gone: Kind of entry -> name -> the place where a mod removes that entry.
        overlaps: Cases in which two mods change the same part of an entry.
        prefabs: The valid prefabs.
        palette: The entry of ``palette.yaml``, or None if it is not valid.
        weights: The entry of ``weights.yaml``, or None if it is not valid.
        world: The entry of ``world.yaml``, or None if it is not valid.
        chart: All maps that worlds may have, or None if the world is not valid.
        context: The palettes, legends and so on with which drawings are read; set when all other entries have been checked.
    """

    unsure: dict[str, set[str]] = field(default_factory=dict)
    singles: dict[str, Record] = field(default_factory=dict)
    drawings: dict[str, XpFile] = field(default_factory=dict)
    damaged: set[str] = field(default_factory=set)
    kind_in: dict[str, str] = field(default_factory=dict)
    changes: dict[tuple[str, str], tuple[Change, ...]] = field(default_factory=dict)
    gone: dict[str, dict[str, Source]] = field(init=False)
    overlaps: list[Overlap] = field(default_factory=list)
    prefabs: Mapping[str, Prefab] = field(default_factory=dict)
    palette: models.PaletteEntry | None = None
    weights: models.WeightsEntry | None = None
    world: WorldEntry | None = None
    chart: WorldChart | None = None
    context: BuildContext | None = None

    def __post_init__(self) -> None:
        kinds = dict.fromkeys((*MODELS, *self.kinds.names))
        self.records = {kind: {} for kind in kinds}
        self.entries = {kind: {} for kind in kinds}
        self.gone = {kind: {} for kind in kinds}

    def sound(self, kind: str, model: type[M]) -> dict[str, M]:
        """Return name -> entry for those valid entries of a kind whose references to other entries could all be checked.

        Args:
            kind: The kind of entry.
            model: The model of such entries.
        """
        unsure = self.unsure.get(kind, ())
        return {name: entry for name, entry in self.all_of(kind, model).items() if name not in unsure}

    def has_variants(self, name: str) -> bool:
        """Tell whether a prefab has variants that are drawn in its place; they may be invalid."""
        said = self.records["prefab"][name].fields.get("variants")
        return bool(said) and (self.draws(name) or name in self.variants.values())

    def draws(self, name: str) -> bool:
        """Tell whether a prefab has a drawing: an .xp file or the key `map`."""
        return name in self.drawings or "map" in self.records["prefab"][name].fields

    @property
    def things(self) -> dict[str, dict[str, models.ThingEntry]]:
        """Kind of object -> tag -> entry of the object, for all objects whose entries are valid."""
        return {kind: self.all_of(kind, models.ThingEntry) for kind in self.kinds.names}

    def single(self, place: str, model: type[M], names: Names) -> M | None:
        """Return the entry of a file that is one entry, such as ``world.yaml``; None if it is not valid.

        If there is no such file, an entry with all defaults is returned.

        Args:
            place: The path of the file within the content folder.
            model: The model of the entry.
            names: All names to which the entry may refer.
        """
        record = self.singles.get(place)
        if record is None:
            return None if SINGLE_FILES[place] in self.damaged else model.model_validate({})
        data: dict[str, object] | None = {} if record.root is None else None
        return self.validated(SINGLE_FILES[place], model, record, names, data)

    def validated(
        self, kind: str, model: type[M], record: Record, names: Names, data: object = None
    ) -> M | None:
        """Return an entry as a model, or None after logging its problems.

        An entry with a reference that could not be checked is added to `unsure`.

        Args:
            kind: The kind of entry.
            model: The model.
            record: The entry as written.
            names: All names to which the entry may refer.
            data: Data to validate in place of the record's own.
        """
        names.unread.clear()
        entry = validate(model, record, names, self.log, data)
        if entry is not None and names.unread:
            self.unsure.setdefault(kind, set()).add(record.name)
        return entry


def held_in(place: str, kinds: Kinds = NO_OTHERS) -> str | None:
    """Return what a file of a content folder holds: a kind of entry, or `DRAWING`; None if content has no such file.

    Args:
        place: The path of the file within the content folder.
        kinds: The kinds of objects, which have catalogs.
    """
    path = PurePosixPath(place)
    folder = path.parts[0] if len(path.parts) > 1 else ""
    if place in SINGLE_FILES:
        return SINGLE_FILES[place]
    if path.suffix == ".xp" and folder == "prefabs":
        return DRAWING
    if path.suffix in (".yaml", ".yml"):
        return entry_kinds(kinds).get(place) or ENTRY_KINDS.get(folder)
    return None


def entry_kinds(kinds: Kinds) -> dict[str, str]:
    """Return file or folder -> kind of entry, as `ENTRY_KINDS`, with the catalogs of the content's own kinds of objects added."""
    return ENTRY_KINDS | {catalog_file(kind): kind.name for kind in kinds.own.values()}


def model_of(kind: str) -> type[BaseModel]:
    """Return the pydantic model of the entries of a kind, such as "prefab"."""
    return MODELS.get(kind, models.ThingEntry)


def is_catalog(place: str) -> bool:
    """Tell whether the file at a place in the content folder would be a catalog, if the content declared a kind of that name."""
    path = PurePosixPath(place)
    return str(path.parent) == OBJECTS and path.suffix in (".yaml", ".yml")


def is_read(place: str) -> bool:
    """Tell whether content may be read from the file at a place in a content folder; the kinds of objects need not be known."""
    return held_in(place) is not None or is_catalog(place)


def bytes_of(file: ContentFile, log: ProblemLog) -> bytes | None:
    """Return the bytes of a file; None if content has no such file, or if it can't be read, which is logged."""
    if not is_read(file.place):
        return None
    return read_bytes(file, MAX_FILE_BYTES if held_in(file.place) == DRAWING else MAX_BYTES, log)


def _unread(file: ContentFile, kinds: Kinds) -> Problem:
    """Return the problem that a file is not read because of its name, with the most similar name that would be read."""
    known = [*SINGLE_FILES, *entry_kinds(kinds)]
    # What is meant may be a file in another folder, with another ending, or in another case.
    stem = PurePosixPath(file.place).stem
    places = [f"{each}/{stem}.yaml" for each in known if not each.endswith(".yaml")]
    places += [each for each in known if each.endswith(".yaml")]
    return Problem(
        source=Source(file=file.shown),
        message="this file is not read, since content has no file of this name",
        value=printable(file.place),
        allowed=tuple(known),
        nearest=NameList([*places, f"prefabs/{stem}.xp"]).nearest(file.place),
    )


MAX_KINDS = 100
"""Maximum number of entries in ``kinds.yaml``."""

OBJECT_MODELS = (
    *(SymbolEntry, PopulationEntry, MapPopulationEntry, AroundEntry),
    *(FollowerEntry, HeldEntry, OpenerEntry),
)
"""The models that have kinds of objects as keys."""

RESERVED_FOR_KINDS = frozenset(
    key for model in OBJECT_MODELS for key in (*model.model_fields, *model.NOT_HERE)
).union(MODELS, SINGLE_FILES.values(), [DRAWING], OTHER_ENTITIES)
"""Words that can't be kinds, in any case, because they mean something else: as key, as kind of entry, or as entity."""


def kinds_of(records: Mapping[str, Record], log: ProblemLog, *, whole: bool) -> Kinds:
    """Return the kinds of objects: the built-in ones, and those that ``kinds.yaml`` declares.

    A word whose entry is not valid is listed as unclear, except for the word of a built-in kind, which keeps
    its meaning.

    Args:
        records: Word for a kind -> the entry as written.
        log: The log of problems. This function adds a problem for a word or plural that is taken already. Other mistakes in
            these entries are reported later, with those of all other entries.
        whole: Whether the file could be read completely.
    """
    own: dict[str, Kind] = {}
    places = {PurePosixPath(place).stem.casefold(): place for place in (*SINGLE_FILES, *ENTRY_KINDS)}
    for word, record in islice(records.items(), MAX_KINDS):
        try:
            kind = KindEntry.model_validate(record.data).kind(word)
        except ValidationError:
            continue
        if name_problem(word, RESERVED_FOR_OBJECTS):
            continue
        file = catalog_file(kind)
        if word.casefold() in RESERVED_FOR_KINDS:
            log.add(record, HAS_A_MEANING, value=word, key=True)
        elif (other := places.setdefault(kind.called.casefold(), file)) is not file:
            path = ("called",) if "called" in record.fields else ()
            message = f"this plural is taken: it belongs to {other}"
            log.add(record, message, *path, value=kind.called, key=not path)
        else:
            own[word] = kind
    for record in islice(records.values(), MAX_KINDS, MAX_KINDS + 1):
        log.add(record, f"a content can declare at most {MAX_KINDS} kinds", key=True)
    return Kinds(Frozen(own), frozenset(records.keys() - own.keys() - BUILT_IN.keys()), whole)


def known_names(draft: ContentDraft) -> Names:
    """Return all names that content may refer to."""
    records, weights = draft.records, draft.singles.get("weights.yaml")
    known: dict[str, Iterable[str]] = {**records}
    known["terrain"] = [*BUILT_IN_NAMES, *records["terrain"]]
    known["built-in terrain or digit"] = [*PAINTABLE, *t.CORRIDOR_KINDS]
    known["weight word"] = weights.fields if weights else ()
    varied = filter(draft.has_variants, records["prefab"])
    known["prefab or tag"] = [*draft.drawn, *varied, *_declared(draft.drawn, "tags")]
    known["palette"] = records["palette"]
    groups = [
        word
        for record in records["encounter"].values()
        for word in groups_declared(record.fields.get("group"))
    ]
    known["category"] = [*CATEGORIES, *records["category"]]
    known[NEIGHBOUR] = [*records["encounter"], *groups, *known["category"], *LANDMARKS]
    world = draft.singles.get("world.yaml")
    branches = world.fields.get("maps") if world else None
    known[PLACE] = [*records["map"], *(branches if isinstance(branches, dict) else ())]
    robots = draft.kinds.like("robot")
    known[CARRIER] = [
        name for kind in robots for name, record in records[kind].items() if "carries" in record.fields
    ]
    declared = {
        "prefab or tag": (("prefab",), "tags"),
        CARRIER: (robots, "carries"),
        NEIGHBOUR: (("encounter",), "group"),
    }
    unclear = {CARRIER} if draft.kinds.any_more else set()
    for word in draft.kinds.words:
        kind = draft.kinds[word]
        known[word] = records[kind.name]
        if kind.name in draft.damaged:
            unclear.add(word)
        for question in QUESTIONS:
            what = f"{question} of {kind.called}"
            declared[what] = (kind.name,), question
            known[what] = _declared(records[kind.name], question)
    for what, (kinds, key) in declared.items():
        if not draft.damaged.isdisjoint(kinds) or any(
            _may_declare_more(records[each], key) for each in kinds
        ):
            unclear.add(what)
    if "world" in draft.damaged:
        unclear.add(PLACE)
    if "category" in draft.damaged:
        unclear.add(NEIGHBOUR)
    certain = {
        what: NameList(names)
        for what, names in known.items()
        if what not in unclear and not _is_touched(what, draft.damaged)
    }
    gone = {**draft.gone, "prefab or tag": draft.gone["prefab"], PLACE: draft.gone["map"]}
    gone[NEIGHBOUR] = draft.gone["category"] | draft.gone["encounter"]
    gone |= {word: draft.gone[kind.name] for word, kind in draft.kinds.own.items()}
    partly = {what: frozenset(names) for what, names in known.items() if what not in certain}
    return Names(certain, gone, draft.kinds, draft.undrawn, partly)


def _declared(records: Mapping[str, Record], key: str) -> list[str]:
    """Return all words under a key, such as `tags`, of all entries; each has a list there or a single word. Repetitions stay."""
    return [word for record in records.values() for word in words_of(record.fields.get(key))]


def _may_declare_more(records: Mapping[str, Record], key: str) -> bool:
    """Tell whether one of the entries may declare further words under a key, because its value there could not be read."""
    return any(
        not isinstance(record.data, dict) or record.is_lost or holds_broken(record.fields.get(key))
        for record in records.values()
    )


def _is_touched(what: str, damaged: Collection[str]) -> bool:
    """Tell whether names may be missing because a file could not be read.

    Args:
        what: The kind of names, such as "class of robots".
        damaged: The kinds of entry with such a file.
    """
    return any(what == kind or what.startswith(f"{kind} ") for kind in damaged)


def new_names(kind: str, records: Mapping[str, Record], kinds: Kinds, log: ProblemLog) -> None:
    """Check the names of the entries of a kind: the rules for names, and that no two differ only in case."""
    reserved = RESERVED_FOR_OBJECTS if kind in (*kinds.names, "lock", "kind") else RESERVED
    seen: dict[str, Record] = {}
    for name, record in records.items():
        if problem := name_problem(name, reserved):
            log.report(record, [replace(problem, key=True)])
        first = seen.setdefault(name.casefold(), record)
        if first is not record:
            message = f"this name differs only in case from that of {first.label} in {first.source(key=True)}"
            log.add(record, message, value=name, key=True)
