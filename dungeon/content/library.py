"""Loaded content: all *entries* (prefabs, encounters, maps, ...) that the authors wrote, checked and ready for generating levels.

A *form* is an encounter with one of its variants. A prefab *goes by* its name and its tags. *Layers* are the base content and the mods
over it.
"""

from __future__ import annotations

import math
import pickle
import reprlib
import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from dungeon.content.values.grammar import weight_at
from dungeon.content.values.prefab_weights import counted_as, parts_of
from dungeon.core.errors import meant_or_all, nearest_match
from dungeon.core.frozen import Derived, Frozen, by_fields, itself
from dungeon.core.registry import LAYOUTS, PLACINGS, is_plugin, layouts_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.catalog.catalog import Catalog, CatalogObject
    from dungeon.content.costs import Costs
    from dungeon.content.models.accepted import AcceptedEntry
    from dungeon.content.models.encounters import CategoryEntry, EncounterEntry, EncounterForm
    from dungeon.content.models.entries import PrefabConditions
    from dungeon.content.models.factors import FactorsEntry
    from dungeon.content.models.locks import LockEntry
    from dungeon.content.models.maps import MapEntry
    from dungeon.content.models.world import WorldChart, WorldEntry
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.content.values.fields import Weight
    from dungeon.content.values.grammar import DepthWeight
    from dungeon.content.values.prefab_weights import VariantOf
    from dungeon.core.errors import Source
    from dungeon.core.kinds import Kinds
    from dungeon.core.parameters import Parameters
    from dungeon.core.vocabulary import Category
    from dungeon.terrain import Colour, TerrainSet

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


class LazyMapping(Mapping[K, V]):
    """A mapping whose keys are known, and whose values are each made when first asked for, then kept.

    Args:
        keys: The keys, in order.
        make: Makes the value of a key. If it raises an exception, each access to the key does. A pickle of the mapping
            has this function, but not the values made so far.
    """

    __slots__ = ("_keys", "_made", "_make")

    def __init__(self, keys: Iterable[K], make: Callable[[K], V]) -> None:
        self._keys = dict.fromkeys(keys)
        self._make = make
        self._made: dict[K, V] = {}

    def __getitem__(self, key: K) -> V:
        if key not in self._made:
            if key not in self._keys:
                raise KeyError(key)
            # If two threads make it at once, both get the value that was stored first.
            self._made.setdefault(key, self._make(key))
        return self._made[key]

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[K]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        return f"<Lazy mapping of {len(self)} keys>"

    def __getstate__(self) -> tuple[list[K], Callable[[K], V]]:
        return list(self._keys), self._make

    def __setstate__(self, state: tuple[list[K], Callable[[K], V]]) -> None:
        self._keys, self._make, self._made = dict.fromkeys(state[0]), state[1], {}


class GrowingView(Mapping[K, V]):
    """A read-only view of a dict that is still being filled."""

    __slots__ = ("_shown",)

    def __init__(self, shown: dict[K, V]) -> None:
        self._shown = shown

    def __getitem__(self, key: K) -> V:
        return self._shown[key]

    def __contains__(self, key: object) -> bool:
        return key in self._shown

    def __iter__(self) -> Iterator[K]:
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)

    def __repr__(self) -> str:
        return f"<View of {len(self)} keys>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How a mod changes an entry of the content below it.

    Attributes:
        source: The place of the change in the mod's file. If the mod replaces the whole entry: the place of the replaced one.
        keys: The parts that the mod changes, such as ``limit.map``; empty if it replaces the whole entry.
    """

    source: Source
    keys: tuple[str, ...] = ()

    def __str__(self) -> str:
        return (
            f"changed in {self.source}: {', '.join(self.keys)}" if self.keys else f"in place of {self.source}"
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Content:
    """The content of one game. It is immutable: a copy of it is the content itself.

    A pickle holds everything except the .xp and YAML files, for another process that runs the same version of
    the library. A process that receives the same pickle again reuses the content. Layouts and placing modes
    of plugins are pickled by name; their modules (`plugins`) are imported first when unpickling.

    Attributes:
        folder: The folder of the base content, which is the lowest layer.
        layers: All folders from which the content was read; each is laid over those before it.
        terrain_set: All kinds of terrain.
        themes: Theme -> (256,) uint8: terrain code -> the code it is painted as.
        weights: Weight word -> number.
        kinds: The kinds of objects, by all words that an author may use for them.
        catalog: The objects, for choosing among them; `objects` lists them.
        prefabs: Name -> prefab.
        encounters: Name -> encounter.
        maps: Name -> type of map.
        locks: Name -> lock.
        categories: Name -> category of encounters; only the author's own.
        accepted: The entry of ``accepted.yaml``: findings of reports that are meant.
        world: The entry of ``world.yaml``.
        chart: All maps that worlds may have, and which of them their exits lead to.
        layouts: Map -> the parameters of its layout.
        forms: Encounter -> its forms: one for each variant of the encounter, or a single one.
        placings: Label of a form -> the parameters of its placing mode.
        choices: Label of a form -> the prefabs with which it may be placed.
        preferences: Label of a form -> prefab name -> weight with which this prefab is tried first.
        called: Name or tag -> the prefabs that go by it.
        variants: Prefab -> the prefab whose variant it is, and its weight; prefabs that are no variants are missing.
        conditions: Prefab -> where it may be used; prefabs that may be used everywhere are missing.
        bases: Prefab -> the prefab under its `like`, or whose variant it is; others are missing.
        sources: (kind, name) -> the place of the entry.
        changes: (kind, name) -> the changes that mods make to the entry. The name of a file that is one
            entry, such as ``world.yaml``, is empty.
        removed: (kind, name) -> where a mod removes the entry.
        difficulty: The difficulty of the worlds made from it; None for none: see `at_difficulty`.
    """

    folder: str
    layers: tuple[str, ...]
    terrain_set: TerrainSet
    themes: Mapping[str, NDArray[np.uint8]]
    weights: Mapping[str, float]
    kinds: Kinds
    catalog: Catalog
    prefabs: Mapping[str, Prefab]
    encounters: Mapping[str, EncounterEntry]
    maps: Mapping[str, MapEntry]
    locks: Mapping[str, LockEntry]
    categories: Mapping[str, CategoryEntry]
    accepted: AcceptedEntry
    world: WorldEntry
    chart: WorldChart
    layouts: Mapping[str, Parameters]
    forms: Mapping[str, tuple[EncounterForm, ...]]
    placings: Mapping[str, Parameters]
    choices: Mapping[str, tuple[Prefab, ...]]
    preferences: Mapping[str, Mapping[str, float]]
    called: Mapping[str, tuple[Prefab, ...]]
    variants: Mapping[str, VariantOf]
    conditions: Mapping[str, PrefabConditions]
    bases: Mapping[str, str]
    sources: Mapping[tuple[str, str], Source]
    changes: Mapping[tuple[str, str], tuple[Change, ...]]
    removed: Mapping[tuple[str, str], Source]
    difficulty: str | None = None

    def __repr__(self) -> str:
        counted = {"prefabs": self.prefabs, "encounters": self.encounters, "maps": self.maps}
        return f"<Content of {' + '.join(map(repr, self.layers))}: {', '.join(f'{len(each)} {what}' for what, each in counted.items())}>"

    __copy__ = __deepcopy__ = itself

    def __reduce__(self) -> tuple[Callable[[tuple[str, ...], bytes], Content], tuple[tuple[str, ...], bytes]]:
        return _unpacked, (self.plugins, self._packed)

    @cached_property
    def _packed(self) -> bytes:
        """The compressed pickle of the content's fields, made once."""
        made, call = by_fields(self)
        return zlib.compress(pickle.dumps((made, call), pickle.HIGHEST_PROTOCOL))

    @cached_property
    def plugins(self) -> tuple[str, ...]:
        """The modules of the layouts and placing modes in use that come from plugins, in alphabetical order."""
        layouts = {entry.layout.name for entry in self.maps.values()}
        for entry in self.maps.values():
            layouts |= {name for name, _ in entry.layout.params.layouts_of_zones().values()}
        placings = {form.entry.placing.name for forms in self.forms.values() for form in forms}
        homes = {*(LAYOUTS[name].home for name in layouts), *(PLACINGS[name].home for name in placings)}
        return tuple(sorted(home for home in homes if is_plugin(home)))

    def at_difficulty(self, name: str | None) -> Content:
        """Return the content for worlds of a difficulty of ``world.yaml``; None for worlds of no difficulty.

        The content itself is returned if it is for that difficulty already.

        Raises:
            KeyError: The world declares no such difficulty; the message suggests the nearest one, or lists all.
            TypeError: `name` is neither text nor None.
        """
        if name == self.difficulty:
            return self
        known = self.world.difficulties
        if name is not None and not isinstance(name, str):
            raise TypeError(f"a difficulty is a name of world.yaml, or None, not {reprlib.repr(name)}")
        if name is not None and name not in known:
            hint = meant_or_all(nearest_match(name, known), known) or "world.yaml declares no difficulties"
            raise KeyError(f"this world has no difficulty {name!r} ({hint})")
        return self.derive(("difficulty", name), partial(replace, self, difficulty=name))

    def spawn_factor(self, depth: int) -> float:
        """Return the factor for the population of a map at a depth: that of the world times that of the difficulty."""
        return math.prod(each.spawns_at(depth) for each in self._factors)

    def weight_factor(self, category: Category, depth: int) -> float:
        """Return the factor for weights of a category's encounters at a depth: that of the world times that of the difficulty."""
        return math.prod(each.weight_at(category, depth) for each in self._factors)

    @property
    def _factors(self) -> tuple[FactorsEntry, ...]:
        """The factors of the world and, if there is one, of its difficulty."""
        world = self.world
        return (world,) if self.difficulty is None else (world, world.difficulties[self.difficulty])

    def bases_of(self, prefab: str) -> tuple[str, ...]:
        """Return the names of the prefabs from which a prefab takes keys by `like`: its own base, the base of that, and so on."""
        line = [prefab]
        while line[-1] in self.bases:
            line.append(self.bases[line[-1]])
        return tuple(line[1:])

    def variants_of(self, name: str) -> tuple[str, ...]:
        """Return the names of the prefabs that are variants of the prefab `name`; empty if it has none."""
        return tuple(each for each, (base, _) in self.variants.items() if base == name)

    @property
    def prefab_names(self) -> list[str]:
        """The names of all prefabs that can be drawn, those with variants last."""
        return [*self.prefabs, *dict.fromkeys(base for base, _ in self.variants.values())]

    def has_prefab(self, name: str) -> bool:
        """Tell whether there is a prefab of this name that can be drawn: by itself, or in one of its variants."""
        return name in self.prefabs or bool(self.variants_of(name))

    def undrawn(self, name: str) -> str:
        """Return why the prefab `name` can't be used, if it has no drawing and exists only for others to be `like` it; else ""."""
        if variants := self.variants_of(name):
            return f"it has variants: {', '.join(variants)}"
        likes = [each for each, base in self.bases.items() if base == name and name not in self.prefabs]
        return (
            f"it has no drawing: it exists only for these to be 'like' it: {', '.join(likes)}"
            if likes
            else ""
        )

    def removal(self, kind: str, name: str) -> str:
        """Return, as text, where a mod removes the entry of this kind and name; empty if none does."""
        return f"{self.removed[kind, name]} removes it" if (kind, name) in self.removed else ""

    def no_prefab(self, name: str) -> KeyError:
        """Return a KeyError that says there is no prefab of this name, with the reason or a similar name."""
        hint = (
            self.undrawn(name)
            or self.removal("prefab", name)
            or meant_or_all(nearest_match(name, self.prefabs), ())
        )
        return KeyError(f"there is no prefab {name!r}{f' ({hint})' if hint else ''}")

    def weight(self, weight: Weight) -> float:
        """Return a weight as a number; a weight word, such as `rare`, stands for the number in ``weights.yaml``."""
        return self.weights[weight] if isinstance(weight, str) else weight

    def weight_at(self, weight: DepthWeight, depth: int) -> float:
        """Return a weight, which may be a word or be given by depth, as a number at one depth."""
        return weight_at(weight, depth, self.weights)

    def tint(self, category: Category) -> Colour | None:
        """Return the colour that the author gives to a category of encounters; None for a built-in category without an entry."""
        entry = self.categories.get(category)
        return entry.colour if entry else None

    def forms_at(self, encounter: str, depth: int) -> list[tuple[EncounterForm, float]]:
        """Return (form, weight) for each form of an encounter whose weight at a depth is above 0."""
        weighed = [(form, self.weight_at(form.weight, depth)) for form in self.forms[encounter]]
        return [(form, weight) for form, weight in weighed if weight > 0]

    def forms_on(self, encounter: str, map_name: str, depth: int) -> list[tuple[EncounterForm, float]]:
        """Return (form, weight) for each form of an encounter that may appear on a map at a depth.

        A form that names `zones` may appear only if the map has one of them. A form whose placing mode finds no room or cave
        on the map is left out if another form is left.

        Args:
            encounter: The encounter.
            map_name: The name of the type of map.
            depth: The depth of the map.
        """
        layout = self.maps[map_name].layout
        zones, makers = layout.params.named_zones(), layouts_of(layout.name, layout.params)
        found = [
            (form, weight)
            for form, weight in self.forms_at(encounter, depth)
            if (not form.entry.zones or any(zone in zones for zone in form.entry.zones))
            and (not self.choices[form.label] or self.choices_on(form.label, map_name, depth))
        ]
        if len(found) == 1:
            return found
        able = [
            (form, weight)
            for form, weight in found
            if any(
                maker.kinds is None or {*maker.kinds} & {*PLACINGS[form.entry.placing.name].kinds}
                for maker, _ in makers
            )
        ]
        return able or found

    def may_use(self, prefab: str, map_name: str, depth: int) -> bool:
        """Tell whether a prefab may be used on maps of a type at a depth, by the prefab's `only`."""
        conditions = self.conditions.get(prefab)
        return conditions is None or conditions.hold_on(map_name, depth, self.maps[map_name].layout.name)

    def choices_on(self, label: str, map_name: str, depth: int) -> tuple[Prefab, ...]:
        """Return the prefabs that a form of an encounter may take on maps of a type at a depth."""
        if not self.conditions:
            return self.choices[label]
        return tuple(each for each in self.choices[label] if self.may_use(each.name, map_name, depth))

    def preferences_on(self, label: str, map_name: str, depth: int) -> Mapping[str, float]:
        """Return prefab -> weight for a form of an encounter on maps of a type at a depth.

        Variants of a prefab that may not be used there leave their parts to its other variants.
        """
        if not self.variants:
            return self.preferences[label]
        return self.derive(
            ("preferences", label, map_name, depth), self._preferences_on, label, map_name, depth
        )

    def _preferences_on(self, label: str, map_name: str, depth: int) -> Mapping[str, float]:
        weights = self.preferences[label]
        wholes: dict[str, float] = {}
        for name, weight in weights.items():
            base = counted_as(name, self.variants)[-1]
            wholes[base] = wholes.get(base, 0.0) + weight
        usable = [name for name in weights if self.may_use(name, map_name, depth)]
        return Frozen(
            {
                name: part * wholes[counted_as(name, self.variants)[-1]]
                for name, part in parts_of(usable, self.variants).items()
            }
        )

    def called_on(self, map_name: str, depth: int) -> Mapping[str, tuple[Prefab, ...]]:
        """Return name or tag -> the prefabs that go by it and may be used on maps of a type at a depth."""
        if not self.conditions:
            return self.called
        return self.derive(("called", map_name, depth), self._called_on, map_name, depth)

    def _called_on(self, map_name: str, depth: int) -> Mapping[str, tuple[Prefab, ...]]:
        def made(word: str) -> tuple[Prefab, ...]:
            return tuple(each for each in self.called[word] if self.may_use(each.name, map_name, depth))

        return LazyMapping(self.called, made)

    @property
    def objects(self) -> tuple[CatalogObject, ...]:
        """Every object of the catalogs, by kind and then in the order of the files.

        Each has `kind`, `tag`, `name`, `glyph`, `fg`, `classes`, `categories`, `depth` and `data`, the free
        keywords that spawns have as `keywords`.

        Example::

            robots = {each.tag: each.name for each in content.objects if each.like == "robot"}
        """
        return tuple(thing for things in self.catalog.things.values() for thing in things.values())

    @cached_property
    def costs(self) -> Costs:
        """The expected costs (threat and worth of the objects) of all encounters and prefabs, computed on first use."""
        from dungeon.content.costs import Costs  # noqa: PLC0415  # slow to import, and few maps ask

        return Costs(self.catalog, self.forms, self.choices, self.preferences, self.weights)

    def weights_on(self, map_name: str, depth: int) -> Mapping[str, float]:
        """Return encounter -> its weight on a map at a depth, in the order of `encounters`, without weights of 0.

        The factors of the world and its difficulty are multiplied in.
        """
        return self.derive(("weights", map_name, depth), self._weights_on, map_name, depth)

    def _weights_on(self, map_name: str, depth: int) -> Mapping[str, float]:
        weights = {
            name: self.weight_at(encounter.maps[map_name], depth)
            * self.weight_factor(encounter.category, depth)
            for name, encounter in self.encounters.items()
            if map_name in encounter.maps
            and encounter.depth[0] <= depth <= encounter.depth[1]
            and self.forms_on(name, map_name, depth)
        }
        return Frozen({name: weight for name, weight in weights.items() if weight > 0})

    def derive(self, key: Hashable, make: Callable[..., T], *args: Any) -> T:
        """Return `make(*args)`, computed on the first call with this key and then cached.

        Args:
            key: The cache key: a word, or a tuple that begins with one. The result must depend only on the
                content and the key.
            make: Makes the result. The result must be immutable, since all users of the content share it.
            *args: The arguments of `make`.
        """
        return self._derived.once(key, make, *args)

    @cached_property
    def _derived(self) -> Derived:
        return Derived()


@lru_cache(maxsize=4)
def _unpacked(plugins: tuple[str, ...], packed: bytes) -> Content:
    """Return the content of a pickle; a process that receives the same pickle again gets the same object."""
    for plugin in plugins:
        import_module(plugin)
    make, call = pickle.loads(zlib.decompress(packed))  # noqa: S301  # part of a pickle that is being read
    content: Content = make(*call)
    return content
