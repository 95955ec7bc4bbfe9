"""Encounters as authors write them: what may be met, where, how often, and in whose company."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from dungeon.content.models.features import VariantName
from dungeon.content.models.layouts import PlacingField
from dungeon.content.models.locks import LockValue
from dungeon.content.models.population import PopulationEntry
from dungeon.content.models.rules import Entries, circles
from dungeon.content.source.names import (
    MAX_LISTED,
    NAME_PATTERN,
    NEW_NAME,
    named,
    read_new_name,
    read_several,
    words_of,
)
from dungeon.content.source.problems import CheckedEntry, ValueProblem
from dungeon.content.values.by_depth import WeightHere
from dungeon.content.values.fields import (
    DEEPEST,
    CategoryName,
    Count,
    Depths,
    Doors,
    EncounterName,
    EncounterNames,
    Flag,
    Given,
    MapName,
    NewNames,
)
from dungeon.content.values.grammar import Value
from dungeon.content.values.looks import Colour
from dungeon.content.values.prefab_words import PrefabsByWeight
from dungeon.content.values.value_fields import IntValue, within
from dungeon.core.frozen import by_fields, nothing
from dungeon.core.parameters import Entry
from dungeon.core.registry import PLACINGS
from dungeon.core.vocabulary import CATEGORIES, LANDMARKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.content.values.grammar import DepthWeight

FARTHEST = 1000
"""No encounter is farther from anything, or nearer than that, by what authors say."""

MOST_COPIES = 100_000
"""So many copies a world has of an encounter at most."""


class CategoryEntry(Entry):
    """A category of encounters that the author adds, or another look for one that is there: fluff, risk, danger, reward.

    Attributes:
        colour: What its encounters are tinted with where a drawing of the level shows these. Characters must stay legible on
            it, so it is dark.
    """

    colour: Colour = (130, 90, 180)


class LimitEntry(Entry):
    """How many copies of an encounter there may be; any number where it is not said.

    Attributes:
        map: On each map.
        branch: On all maps of the same name, whatever their depths.
        world: In the whole world. They are given to its maps before any is made, and come first on these; those of branches
            likewise.
    """

    map: Given[Count] = None
    branch: Given[Annotated[IntValue, within(0, MOST_COPIES)]] = None
    world: Given[Annotated[IntValue, within(0, MOST_COPIES)]] = None


class LeastEntry(Entry):
    """How many copies of an encounter there should be: these come before all that comes by chance.

    Attributes:
        map: On each map on which it may appear.
        world: In the whole world. They are given to its maps before any is made.
    """

    map: Annotated[int, Field(ge=0, le=MOST_COPIES, strict=True)] = 0
    world: Given[Annotated[int, Field(ge=1, le=MOST_COPIES, strict=True)]] = None


class GroupsEntry(Entry):
    """Exclusivity groups; mere names are groups of the map.

    Attributes:
        map: No two encounters of such a group share a map.
        branch: No two of them share the maps of a name.
        world: No two of them share a world.
    """

    short_form: ClassVar = {
        "type": ["string", "array"],
        "pattern": NAME_PATTERN,
        "items": NEW_NAME,
        "maxItems": MAX_LISTED,
        "uniqueItems": True,
    }

    map: NewNames = ()
    branch: NewNames = ()
    world: NewNames = ()

    @model_validator(mode="wrap")
    @classmethod
    def _mere_names(cls, raw: object, read: ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(raw, dict | GroupsEntry):
            return read(raw)
        return read({"map": read_several(read_new_name, raw)})


NEIGHBOUR = "encounter or group"
"""What names are called that an encounter may be far from, or near to; categories and what has stairs are among them."""

Distances = Annotated[
    dict[Annotated[str, named(NEIGHBOUR)], Annotated[int, Field(ge=1, le=FARTHEST, strict=True)]],
    Field(max_length=MAX_LISTED),
]
"""Neighbour -> steps."""


class PlacementEntry(Entry):
    """How an encounter comes to lie on a map, and what it is then: what each of its variants may say for itself.

    Attributes:
        prefabs: The prefabs it may take, each as likely as any other that fits, or as its weight says; none for a mode
            that places none.
        content: What is scattered over its room or cave besides, or instead.
        placing: The placing mode: a name, or `{name: {its parameters}}`.
        access: How many doors the room may have, or how many ways may lead into the cave.
        zones: The zones of its maps in which it may be placed; anywhere, if none is named.
        spawns: Whether the map's own population may be scattered over the rest of its room or cave; by default
            over that of a cave with a prefab in it.
        lock: The lock of `locks.yaml` that all doors of its room get, if it lies off the way.
    """

    prefabs: PrefabsByWeight = ()
    content: Annotated[tuple[PopulationEntry, ...], Field(max_length=MAX_LISTED)] = ()
    placing: PlacingField = Field(default="enclosed", validate_default=True)
    access: Given[Doors] = None
    zones: NewNames = ()
    spawns: Given[Flag] = None
    lock: Given[LockValue] = None


class OccurrenceEntry(CheckedEntry):
    """Where encounters come, how often, and in whose company: what all variants of one have in common.

    Attributes:
        category: fluff, risk, danger or reward, or a word of `categories.yaml`.
        maps: Map -> how common it is there, as a weight word or a number, or by depth.
        depth: The depths at which it may appear.
        limit: How many copies a map, a branch and the world may have.
        least: How many copies there should be, which come before whatever comes by chance.
        group: Exclusivity groups: no two encounters of a group share a map, a branch or a world.
        requires: Encounters without which it does not come to a map; it waits for them, or brings them if it is promised.
        conflicts: Encounters with which it never shares a map.
        guaranteed: Whether every map on which it may appear, or to which the world gives it, must have it.
        fallback: The encounter that takes its turn where it is refused.
        far_from: `entrance`, `exits`, an encounter, a group or a category -> how many steps it lies from these at least.
            Its own name stands for other copies of it.
        near: What `far_from` may name -> how many steps it lies from one of these at most; it waits until there is one.
    """

    category: CategoryName
    maps: Annotated[dict[MapName, WeightHere], Field(min_length=1, max_length=MAX_LISTED)]
    depth: Depths = (0, DEEPEST)
    limit: LimitEntry = LimitEntry()
    least: LeastEntry = LeastEntry()
    group: GroupsEntry = Field(default_factory=GroupsEntry)
    requires: EncounterNames = ()
    conflicts: EncounterNames = ()
    guaranteed: Flag = False
    fallback: Given[EncounterName] = None
    far_from: Distances = Field(default_factory=nothing)
    near: Distances = Field(default_factory=nothing)


class EncounterVariant(PlacementEntry):
    """One of the forms in which an encounter comes. What it does not say it has from the encounter.

    Attributes:
        weight: How common it is among the variants of the encounter, as a weight word or a number, or by depth.
    """

    NOT_HERE: ClassVar[dict[str, str]] = dict.fromkeys(
        OccurrenceEntry.model_fields, "this is said of the encounter, whose variants have it in common"
    )

    weight: WeightHere = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EncounterForm:
    """An encounter in one of its variants, or as it is if it has none.

    Attributes:
        encounter: The name of the encounter.
        variant: The name of the variant; empty if the encounter has none.
        entry: What is said of the variant, and else of the encounter.
        weight: How common it is among the forms of the encounter.
        own: The keys that the variant says itself.
    """

    encounter: str
    variant: str
    entry: EncounterEntry
    weight: DepthWeight
    own: frozenset[str]

    __reduce__ = by_fields

    @property
    def label(self) -> str:
        """What messages call it: the name of the encounter, and that of the variant."""
        return f"{self.encounter}/{self.variant}" if self.variant else self.encounter

    def at(self, key: str) -> tuple[str, ...]:
        """Return the path to where a key of it is said, in the entry of the encounter."""
        return ("variants", self.variant, key) if key in self.own else (key,)


class EncounterEntry(PlacementEntry, OccurrenceEntry):
    """Content worth meeting.

    Attributes:
        variants: Name -> one of the forms in which it comes. Each copy is one of them: that which chance takes by their
            weights or, if it fits nowhere, the next.
    """

    NOT_HERE: ClassVar = {
        "weight": "how common it is stands under 'maps', as in maps: {cellars: 3}",
        "once": "once in a world is guaranteed: true and limit: {world: 1}",
        "spacing": "'far_from' says that, of other copies by the encounter's own name",
    }

    variants: Annotated[dict[VariantName, EncounterVariant], Field(max_length=MAX_LISTED)] = Field(
        default_factory=nothing
    )

    def forms(self, name: str) -> list[EncounterForm]:
        """Return the forms in which it comes, its name being `name`; just one if it has no variants."""
        if not self.variants:
            return [EncounterForm(encounter=name, variant="", entry=self, weight=1.0, own=frozenset())]
        found = []
        for variant, said in self.variants.items():
            own = frozenset(said.model_fields_set - {"weight"})
            changed = {key: getattr(said, key) for key in own}
            if "placing" in own and not PLACINGS[said.placing.name].draws:
                changed.setdefault("prefabs", ())  # those of the encounter are for its other forms
            entry = self.model_copy(update=changed)
            found.append(
                EncounterForm(encounter=name, variant=variant, entry=entry, weight=said.weight, own=own)
            )
        return found

    def problems(self) -> Iterator[ValueProblem]:
        """Yield what is wrong with it, once each of its keys has been read."""
        for form in self.forms(""):
            yield from _problems_of_form(form)
        if self.variants and not any(each.weight for each in self.variants.values()):
            message = "one weight at least must be above zero"
            yield ValueProblem(message=message, path=("variants",), value="variants", key=True)
        for scope, least in (("map", self.least.map), ("world", self.least.world)):
            limit = getattr(self.limit, scope)
            most = max(limit.outcomes()) if isinstance(limit, Value) else limit
            if most is not None and least is not None and least > most:
                message = f"there can't be so many: its limit is {most}"
                yield ValueProblem(message=message, path=("least", scope), value=least)
        for name, steps in self.near.items():
            if self.far_from.get(name, 0) > steps:
                message = "this can't be as near as that and as far as 'far_from' says"
                yield ValueProblem(message=message, path=("near", name), value=name)
        for name in self.requires:
            if name in self.conflicts:
                yield ValueProblem(
                    message="this can't be required and conflict", path=("conflicts",), value=name
                )

    def goes_by(self, name: str, word: str) -> bool:
        """Tell whether it is meant, its name being `name`, by a word for an encounter, a group or a category."""
        groups = (*self.group.map, *self.group.branch, *self.group.world)
        return word not in LANDMARKS and word in (name, self.category, *groups)


def _problems_of_form(form: EncounterForm) -> Iterator[ValueProblem]:
    """Yield what is wrong with what an encounter is in one of its forms."""
    entry, mode = form.entry, form.entry.placing.name
    what = "a variant" if form.variant else "an encounter"
    path = ("variants", form.variant) if form.variant else ()
    draws = PLACINGS[mode].draws
    if draws and not entry.prefabs:
        yield ValueProblem(message=f"{what} that is placed {mode} needs 'prefabs'", path=path, key=bool(path))
    if not draws and entry.prefabs:
        message = f"{what} that is placed {mode} has no prefabs, only 'content'"
        yield ValueProblem(message=message, path=form.at("prefabs"), key=True)
    if not draws and not entry.content:
        yield ValueProblem(message=f"{what} that is placed {mode} needs 'content'", path=path, key=bool(path))


def check_words_of_distances(entries: Entries) -> None:
    """Check that nothing is called like stairs that others may be far from, and no category nearly like one that always is."""
    for kind in ("category", "encounter"):
        for name, record in entries.records[kind].items():
            if name in LANDMARKS:
                message = "this means stairs where distances are said, and can't be a name"
                entries.log.add(record, message, value=name, key=True)
    usual = {name.casefold(): name for name in CATEGORIES}
    for name, record in entries.records["category"].items():
        if usual.get(name.casefold(), name) != name:
            message = f"this name differs only in case from that of category '{usual[name.casefold()]}', which is always there"
            entries.log.add(record, message, value=name, key=True)


def check_company(entries: Entries) -> None:
    """Check that no encounter waits for itself, stands in for itself or conflicts with itself, directly or through others."""
    records, log = entries.records["encounter"], entries.log
    for key, says in (
        ("requires", "this encounter waits for itself"),
        ("fallback", "this encounter stands in for itself"),
    ):
        below = {name: words_of(record.fields.get(key)) for name, record in records.items()}
        for name, circle in circles(below).items():
            log.add(records[name], f"{says}: {' -> '.join(circle)}", key)
    for name, record in records.items():
        if name in words_of(record.fields.get("conflicts")):
            log.add(record, "an encounter can't conflict with itself", "conflicts", value=name)
