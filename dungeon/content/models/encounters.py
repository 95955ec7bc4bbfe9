"""Encounters as authors write them: what they bring, where and how often; a *form* is an encounter with one of its *variants*.

A *copy* of an encounter is one that is placed on a map. A *group* is a word that several encounters share, to exclude each other. An
author names distances to other encounters under `near` and `far_from`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from dungeon.content.catalog.scattered import PopulationEntry
from dungeon.content.models.features import VariantName
from dungeon.content.models.layouts import PlacingField
from dungeon.content.models.locks import LockValue
from dungeon.content.models.rules import Entries, find_circles
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
"""The largest distance, in steps, under `far_from` and `near`."""

MOST_COPIES = 100_000
"""The largest number of copies of an encounter in a world."""


class CategoryEntry(Entry):
    """A category of encounters that the author adds, or a new look for a built-in one: fluff, risk, danger, reward.

    Attributes:
        colour: The tint of the category's encounters in pictures of a level. Characters must stay legible on it, so
            choose a dark one.
    """

    colour: Colour = (130, 90, 180)


class LimitEntry(Entry):
    """The maximum number of copies of an encounter; without a number there is no limit.

    Attributes:
        map: The maximum on each map.
        branch: The maximum on all maps of the same name together, whatever their depths. As with `world`, the copies are
            shared out among the maps beforehand.
        world: The maximum in the whole world. The copies are shared out among the maps before any map is made, and are
            placed first there.
    """

    map: Given[Count] = None
    branch: Given[Annotated[IntValue, within(0, MOST_COPIES)]] = None
    world: Given[Annotated[IntValue, within(0, MOST_COPIES)]] = None


class LeastEntry(Entry):
    """The minimum number of copies of an encounter: these are placed before all encounters drawn at random.

    Attributes:
        map: The minimum on each map on which the encounter may appear.
        world: The minimum in the whole world. The copies are shared out among the maps before any map is made.
    """

    map: Annotated[int, Field(ge=0, le=MOST_COPIES, strict=True)] = 0
    world: Given[Annotated[int, Field(ge=1, le=MOST_COPIES, strict=True)]] = None


class GroupsEntry(Entry):
    """The exclusivity groups to which an encounter belongs; a plain list of names means groups under `map`.

    Attributes:
        map: Groups of which no two encounters are on the same map.
        branch: Groups of which no two encounters are on maps of the same name.
        world: Groups of which no two encounters are in the same world.
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
"""Kind of the names under `far_from` and `near`: encounters, groups, categories, and the words for stairs."""

Distances = Annotated[
    dict[Annotated[str, named(NEIGHBOUR)], Annotated[int, Field(ge=1, le=FARTHEST, strict=True)]],
    Field(max_length=MAX_LISTED),
]
"""Encounter, group, category or landmark -> distance in steps."""


class PlacementEntry(Entry):
    """How an encounter is placed and what it brings; each variant of the encounter may have these keys, too.

    Attributes:
        prefabs: The prefabs to choose from, by name or tag: equally likely among those that fit, or by
            weight. None for a placing mode without prefabs.
        content: Objects scattered over the encounter's room or cave, in addition to prefabs or in place of them.
        placing: The placing mode: a name, or `{name: {its parameters}}`.
        access: How many doors the room may have, or how many ways may lead into the cave.
        zones: The zones of a map in which the encounter may be placed; anywhere by default.
        spawns: Whether the map's own population may be scattered over the rest of the encounter's room or cave. By
            default only in a cave with a prefab in it.
        lock: The lock of `locks.yaml` on all doors of the encounter's room, if no path to an exit leads through the room.
    """

    prefabs: PrefabsByWeight = ()
    content: Annotated[tuple[PopulationEntry, ...], Field(max_length=MAX_LISTED)] = ()
    placing: PlacingField = Field(default="enclosed", validate_default=True)
    access: Given[Doors] = None
    zones: NewNames = ()
    spawns: Given[Flag] = None
    lock: Given[LockValue] = None


class OccurrenceEntry(CheckedEntry):
    """Where and how often an encounter appears, and with or without which others. This is the same for all its variants.

    Attributes:
        category: fluff, risk, danger or reward, or a word of `categories.yaml`.
        maps: Map -> how common the encounter is there: a weight word, a number, or weights by depth.
        depth: The depths at which the encounter may appear.
        limit: The maximum number of copies on a map, in a branch and in the world.
        least: The minimum number of copies, placed before all encounters drawn at random.
        group: Exclusivity groups: no two encounters of a group are on the same map, branch or world.
        requires: Encounters that must be on the map, too. A copy that is drawn at random waits until they are placed. A copy
            that the map must have brings them along: one that is `guaranteed`, counts for `least`, or is assigned by the world.
        conflicts: Encounters that are never on the same map.
        guaranteed: Whether the encounter must be on every map on which it may appear, or to which the world assigns it.
        fallback: The encounter that is tried in place of this one if this one is refused, for example because it fits nowhere.
        far_from: `entrance`, `exits`, an encounter, a group or a category -> the minimum distance in steps.
            The encounter's own name means other copies of it.
        near: The same names -> the maximum distance in steps to one of them. A copy waits until one of them is placed.
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
    """One variant of an encounter. Keys that it does not have are taken from the encounter.

    Attributes:
        weight: How common this variant is among the variants of the encounter: a weight word, a number, or weights by
            depth.
    """

    NOT_HERE: ClassVar[dict[str, str]] = dict.fromkeys(
        OccurrenceEntry.model_fields,
        "this key belongs to the encounter itself: its variants have it in common",
    )

    weight: WeightHere = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EncounterForm:
    """An encounter in one of its variants, or the encounter itself if it has none.

    Attributes:
        encounter: The name of the encounter.
        variant: The name of the variant; empty if the encounter has none.
        entry: The entry of the encounter, with the keys of the variant in place of its own.
        weight: How common this form is among the forms of the encounter.
        own: The keys that the author wrote in the variant.
    """

    encounter: str
    variant: str
    entry: EncounterEntry
    weight: DepthWeight
    own: frozenset[str]

    __reduce__ = by_fields

    @property
    def label(self) -> str:
        """The name of the form in messages: ``encounter/variant``, or only the encounter's name."""
        return f"{self.encounter}/{self.variant}" if self.variant else self.encounter

    def at(self, key: str) -> tuple[str, ...]:
        """Return the path in the encounter's entry to the place where the author wrote `key` for this form.

        If the variant has the key, that is ("variants", name of the variant, key), else (key,).
        """
        return ("variants", self.variant, key) if key in self.own else (key,)


class EncounterEntry(PlacementEntry, OccurrenceEntry):
    """Something to meet on a map: prefabs, objects, or both.

    Attributes:
        variants: Name -> a variant of the encounter. Each copy is one of them, drawn by weight; if that one
            fits nowhere, the next one is tried.
    """

    NOT_HERE: ClassVar = {
        "like": "an encounter can't be like another: write its keys here, or make both of them 'variants' of one encounter",
        "weight": "how common an encounter is, is written under 'maps', as in maps: {cellars: 3}",
        "once": "an encounter that comes once in a world is written with guaranteed: true and limit: {world: 1}",
        "spacing": "this distance is written under 'far_from', with the encounter's own name for its other copies",
    }

    variants: Annotated[dict[VariantName, EncounterVariant], Field(max_length=MAX_LISTED)] = Field(
        default_factory=nothing
    )

    def forms(self, name: str) -> list[EncounterForm]:
        """Return the encounter in each of its variants; if it has none, a single form.

        Args:
            name: The name of the encounter.
        """
        if not self.variants:
            return [EncounterForm(encounter=name, variant="", entry=self, weight=1.0, own=frozenset())]
        found = []
        for variant, said in self.variants.items():
            own = frozenset(said.model_fields_set - {"weight"})
            changed = {key: getattr(said, key) for key in own}
            if "placing" in own and not PLACINGS[said.placing.name].draws:
                changed.setdefault(
                    "prefabs", ()
                )  # this form places none; the encounter's are for other forms
            entry = self.model_copy(update=changed)
            found.append(
                EncounterForm(encounter=name, variant=variant, entry=entry, weight=said.weight, own=own)
            )
        return found

    def problems(self) -> Iterator[ValueProblem]:
        """Yield the problems that show when the keys of this entry are compared with each other."""
        for form in self.forms(""):
            yield from _problems_of_form(form)
        if self.variants and not any(each.weight for each in self.variants.values()):
            message = "at least one weight must be above zero"
            yield ValueProblem(message=message, path=("variants",), value="variants", key=True)
        for scope, least in (("map", self.least.map), ("world", self.least.world)):
            limit = getattr(self.limit, scope)
            most = max(limit.outcomes()) if isinstance(limit, Value) else limit
            if most is not None and least is not None and least > most:
                message = f"this minimum is above the limit, which is {most}"
                yield ValueProblem(message=message, path=("least", scope), value=least)
        for name, steps in self.near.items():
            if self.far_from.get(name, 0) > steps:
                message = "this distance under 'near' is below the one under 'far_from'"
                yield ValueProblem(message=message, path=("near", name), value=name)
        for name in self.requires:
            if name in self.conflicts:
                yield ValueProblem(
                    message="this encounter is listed under 'requires' and 'conflicts' at once",
                    path=("conflicts",),
                    value=name,
                )

    def goes_by(self, name: str, word: str) -> bool:
        """Tell whether a word under `near` or `far_from` means this encounter.

        Args:
            name: The name of this encounter.
            word: The name of an encounter, a group or a category.
        """
        groups = (*self.group.map, *self.group.branch, *self.group.world)
        return word not in LANDMARKS and word in (name, self.category, *groups)


def _problems_of_form(form: EncounterForm) -> Iterator[ValueProblem]:
    """Yield the problems that show when the keys of one form of an encounter are compared with each other."""
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
    """Check that every word under `near` and `far_from` means just one thing.

    No category or encounter may be called `entrance` or `exits`. No category may have a name that differs from that of a
    built-in category only in case.
    """
    for kind in ("category", "encounter"):
        for name, record in entries.records[kind].items():
            if name in LANDMARKS:
                message = "this word means stairs in 'far_from' and 'near', and can't be a name"
                entries.log.add(record, message, value=name, key=True)
    usual = {name.casefold(): name for name in CATEGORIES}
    for name, record in entries.records["category"].items():
        if usual.get(name.casefold(), name) != name:
            message = f"this name differs only in case from that of category '{usual[name.casefold()]}', which is always there"
            entries.log.add(record, message, value=name, key=True)


def check_company(entries: Entries) -> None:
    """Check that no encounter requires, conflicts with or has as its fallback itself, directly or through others."""
    records, log = entries.records["encounter"], entries.log
    for key, says in (
        ("requires", "this encounter requires itself"),
        ("fallback", "this encounter is its own fallback"),
    ):
        below = {name: words_of(record.fields.get(key)) for name, record in records.items()}
        for name, circle in find_circles(below).items():
            log.add(records[name], f"{says}: {' -> '.join(circle)}", key)
    for name, record in records.items():
        if name in words_of(record.fields.get("conflicts")):
            log.add(record, "an encounter can't conflict with itself", "conflicts", value=name)
