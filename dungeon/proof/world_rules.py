"""Rules of the proof that compare a level with its world: is it the world's map of that id, made from the world's content? They read what authors declare, and make no level again.

Each public function is a rule: its docstring states what must hold, and it yields a finding for each violation.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.models.dressing import USUAL_RADIUS, USUAL_SPACING, LightEntry
from dungeon.content.models.locks import ALL
from dungeon.content.models.maps import USUAL_SIZE
from dungeon.core.errors import with_article
from dungeon.core.registry import LAYOUTS
from dungeon.core.vocabulary import STAKES
from dungeon.proof.fields import COLOUR
from dungeon.proof.flat import on_map, placement_name
from dungeon.proof.level_puzzle import opened_by
from dungeon.terrain import CAVE, CORRIDOR, CORRIDOR_KINDS, DOORS, FLOOR, STAIRS, STAIRS_UP

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from numpy.typing import NDArray

    from dungeon.content.models.encounters import EncounterEntry
    from dungeon.level.model import Level, Lock, Placement
    from dungeon.proof.fields import Finding
    from dungeon.terrain import Colour
    from dungeon.world import World


GENERIC_MACHINE = ("prop", "machine")
"""Kind and tag of the spawn for a machine that a prefab draws without naming a prop of the catalog."""

GROUND = {
    "room": (FLOOR,),
    "cave": (CAVE,),
    "corridor": (CORRIDOR, CAVE),
    "junction": (CORRIDOR,),
    "hall": (CORRIDOR,),
    "zone": (FLOOR, CAVE),
}
"""Kind of region -> the built-in terrain that layouts lay in it. Prefabs may draw any terrain, so they are not listed."""


class LevelOrigin:
    """A level, with what its world and content declare about it.

    Attributes:
        level: The level.
        world: The world.
        content: The world's content.
        node: The world's map with the level's id; None if there is none.
        entry: The author's entry for that map, from `maps/*.yaml`; None if there is no such map.
        codes: Name of terrain -> its code on the level.
        spawns: (spawn, its entry in the catalog) of each spawn of the level; the entry is None if the catalog has no such object.
    """

    def __init__(self, level: Level, world: World) -> None:
        self.level = level
        self.world = world
        self.content = world.content
        self.node = world.node(level.id) if level.id in world else None
        self.entry = self.content.maps[self.node.name] if self.node else None
        self.codes = {kind.name: code for code, kind in enumerate(level.terrain_set.kinds)}
        known = self.content.catalog.things
        self.spawns = [(spawn, known.get(spawn.kind, {}).get(spawn.tag)) for spawn in level.spawns]


def world_map(origin: LevelOrigin) -> Iterator[Finding]:
    """The world has a map with the level's id."""
    if origin.node is None:
        yield f"the world has no map {origin.level.id!r}", None, None


def world_seed(origin: LevelOrigin) -> Iterator[Finding]:
    """`Level.seed` is the world's seed."""
    if origin.level.seed != origin.world.seed:
        yield "the level's seed is not the world's seed", None, None


def world_name(origin: LevelOrigin) -> Iterator[Finding]:
    """`Level.name` is the name that the author gave the map."""
    if origin.entry is not None and origin.level.name != origin.entry.name:
        yield f"the level has the name {origin.level.name!r}, and its map {origin.entry.name!r}", None, None


def world_exits(origin: LevelOrigin) -> Iterator[Finding]:
    """The level has exactly one exit for each map to which its map leads in the world, or the stairs of towers, and no other exits."""
    if origin.node is None:
        return
    lacking = Counter(origin.node.leads_to)
    of_towers = {way.leads_to: way for way in origin.level.exits if way.arrives is not None}
    for way in (*of_towers.values(), *(each for each in origin.level.exits if each.arrives is None)):
        if lacking[way.leads_to]:
            lacking[way.leads_to] -= 1
        elif way.leads_to in lacking:
            yield f"a second exit leads to {way.leads_to}", way.y, way.x
        else:
            text = f"an exit leads to {way.leads_to}, and in the world this map does not lead there"
            yield text, way.y, way.x
    for target in lacking.elements():
        yield f"no exit leads to {target}", None, None


def world_entrance(origin: LevelOrigin) -> Iterator[Finding]:
    """The entrance is on stairs up. On a `one_way` map, which the player can't leave by the entrance, it is not."""
    if origin.node is None:
        return
    y, x = origin.level.entrance
    if not (0 <= y < origin.level.height and 0 <= x < origin.level.width):
        return
    is_up = origin.level.base[y, x] == STAIRS_UP
    if is_up == origin.node.one_way:
        text = "is on stairs up, and the map is one-way" if is_up else "is not on stairs up"
        yield f"the entrance {text}", y, x


def world_size(origin: LevelOrigin) -> Iterator[Finding]:
    """Height and width are within what the map's author declares, unless the layout determines the size."""
    if origin.entry is None or LAYOUTS[origin.entry.layout.name].brings_size:
        return
    sides = origin.entry.size.at(origin.node.depth if origin.node else 0)
    for (side, usual), value in zip(USUAL_SIZE.items(), sides, strict=True):
        known = [*value.outcomes(), *([] if value.applies else [usual])]
        found = getattr(origin.level, side)
        if not min(known) <= found <= max(known):
            yield f"the {side} is {found}, and the map declares {min(known)} to {max(known)}", None, None


def world_terrain(origin: LevelOrigin) -> Iterator[Finding]:
    """The level's terrain set is that of the world's content."""
    mine, theirs = origin.level.terrain_set, origin.content.terrain_set
    if mine is not theirs and mine != theirs:
        yield "the level's terrain set is not that of the world's content", None, None


def world_zone(origin: LevelOrigin) -> Iterator[Finding]:
    """Every zone is one that the map declares, with the theme and `step` declared there; each declared zone exists or was refused in the journal."""
    if origin.entry is None:
        return
    declared = origin.entry.layout.params.named_zones()
    found = {zone.name for zone in origin.level.zones}
    for name in declared:
        if name not in found and not _is_refused(origin, f"zone {name}"):
            yield (
                f"the map declares the zone {name}, but the level lacks it, and its journal does not say why",
                None,
                None,
            )
    for zone in origin.level.zones:
        entry = declared.get(zone.name)
        if entry is None:
            yield f"the level has the zone {zone.name!r}, which the map does not declare", None, None
        elif (zone.theme, zone.step) != (entry.theme or "", entry.step):
            yield f"zone {zone.name} does not have the theme and step that its entry declares", None, None


def _is_refused(origin: LevelOrigin, subject: str) -> bool:
    """Tell whether the level's journal has a decision about `subject` with the verdict "refused"."""
    return any(each.subject == subject and each.verdict == "refused" for each in origin.level.journal)


def world_lock(origin: LevelOrigin) -> Iterator[Finding]:
    """Every lock has the name, the `follows` and the `count` that its content entry declares, and its declared number and kind of keys is on the level."""
    by_word = {lock.word: lock for lock in origin.level.locks}
    for lock in origin.level.locks:
        yield from _wrong_names(origin, lock, by_word)
    for word in sorted(by_word.keys() & origin.content.locks.keys()):
        yield from _wrong_keys(origin, by_word[word])


def _wrong_names(origin: LevelOrigin, lock: Lock, words: Container[str]) -> Iterator[Finding]:
    """Yield findings for a lock whose name, or the lock that it follows, is not as its entry in the content declares.

    A lock follows another one if it opens without a key once the other is open. If only locks open it that are not on the
    level, what opens the first of these is expected instead, and so on.

    Args:
        origin: The level and its content.
        lock: The lock.
        words: The names of all locks of the level.
    """
    entries = origin.content.locks
    entry = entries.get(lock.word)
    if lock.name != ("" if entry is None else entry.name):
        yield f"the lock {lock.word!r} has the wrong name {lock.name!r}", lock.y, lock.x
    openers = () if entry is None else entry.opened_by
    while openers and not (here := [each for each in openers if each.lock is None or each.lock in words]):
        openers = entries[openers[0].lock or ""].opened_by
    allowed = [(each.lock or "", each.count) for each in here] if openers else [("", 1)]
    both = entry is not None and entry.keys == ALL
    if (lock.follows, lock.count) not in allowed and not (
        both and {(lock.follows, 1), ("", lock.count)} <= {*allowed}
    ):
        ways = " or ".join(f"{follows!r} with {count}" for follows, count in allowed)
        yield (
            f"the lock {lock.word!r} follows {lock.follows!r} and needs {lock.count}, not {ways}",
            lock.y,
            lock.x,
        )


def _wrong_keys(origin: LevelOrigin, lock: Lock) -> Iterator[Finding]:
    """Yield findings for the keys of a lock: one if there are fewer keys than declared, and one for each key of a wrong kind.

    All keys are for one of the openers of the lock's entry, unless a level has all of these.
    """
    word, spawns = lock.word, origin.level.spawns
    entry = origin.content.locks[word]
    things = [each for each in entry.opened_by if each.lock is None]
    if not things or (lock.follows and entry.keys != ALL):
        return
    keys = sum(opened == word for spawn in spawns for opened in opened_by(spawn))
    declared = entry.keys_of(things) if entry.keys else lock.count
    if keys < declared and not lock.keys_on and not _is_refused(origin, word):
        yield f"only {keys} of the {declared} keys of the lock {word!r} are on the level", None, None
    catalog, kinds = origin.content.catalog, list[set[str]]()
    for asked in (each.asked for each in things if each.count == lock.count):
        if asked is not None and asked.kind is not None and asked.selector is not None:
            kinds.append({each.tag for each in catalog.members(asked.kind, asked.selector)})
    placed = [spawn for spawn in spawns if spawn.source == f"lock {word}"]
    if entry.keys == ALL:
        kinds = [set[str]().union(*kinds)]
    if any(all(spawn.tag in fitting for spawn in placed) for fitting in kinds):
        return
    fitting = max(kinds, key=lambda each: sum(spawn.tag in each for spawn in placed), default=set[str]())
    for spawn in placed:
        if spawn.tag not in fitting:
            yield (
                f"{spawn.tag} was placed as a key of the lock {word!r}, which asks for another kind",
                spawn.y,
                spawn.x,
            )


def world_theme(origin: LevelOrigin) -> Iterator[Finding]:
    """Every cell has terrain that the theme of the map, or of one of its zones, produces."""
    if origin.entry is None or origin.entry.theme is None:
        return
    found = _painted_codes(origin).take(origin.level.terrain)
    if not found.all():
        y, x = divmod(int(found.argmin()), origin.level.width)
        yield f"this terrain is not one that the theme {origin.entry.theme} produces", y, x


def _theme_tables(origin: LevelOrigin) -> list[NDArray[np.uint8]]:
    """Return a (256,) table, terrain code -> painted code, for each theme of the map and its zones.

    Without a theme: one table that paints nothing (each code -> itself).
    """
    mine = [] if origin.entry is None or origin.entry.theme is None else [origin.entry.theme]
    entries = {} if origin.entry is None else origin.entry.layout.params.named_zones()
    names = [
        *mine,
        *(zone.theme for zone in origin.level.zones),
        *(each.way_theme for each in entries.values()),
    ]
    known = origin.content.themes
    return [known[each] for each in names if each in known] or [np.arange(256, dtype=np.uint8)]


def _painted_codes(origin: LevelOrigin) -> NDArray[np.bool_]:
    """Return (256,) bool: the terrain codes that can be on the level after its themes have painted it."""
    painted = np.zeros(256, np.bool_)
    painted[_theme_tables(origin)] = True
    return painted


def world_ground(origin: LevelOrigin) -> Iterator[Finding]:
    """Outside of prefabs, each region has only terrain that the map's layout lays in such a region, or that its dressing or machines lay.

    A map with machines whose drawings vary is not checked.
    """
    level, content = origin.level, origin.content
    laid = None if content.terrain_set != level.terrain_set else _other_ground(origin)
    if laid is None:
        return
    allowed = _allowed_ground(origin, laid)
    kinds = np.zeros(int(level.region.max()) + 1, np.uint8)
    for number, kind in enumerate(GROUND, 1):
        kinds[[each.id for each in level.regions if each.kind == kind and 0 < each.id < len(kinds)]] = number
    wrong = level.terrain_set.walkable.take(level.terrain) & ~np.isin(level.base, (*DOORS, *STAIRS))
    wrong &= _painted_codes(origin).take(level.terrain) & ~allowed[kinds.take(level.region), level.terrain]
    for placement in level.placements:
        if placement.prefab:
            wrong[on_map(level, placement.bounds)] = False
    landings = {cell for portal in level.portals for cell in (portal.begin, portal.end)}
    for y, x in np.argwhere(wrong).tolist():
        if (y, x) not in landings:
            kind = level.terrain_set.kinds[level.terrain[y, x]].name
            where = with_article(level.kinds[int(level.region[y, x])])
            yield f"neither the layout nor the dressing nor a machine of the map lays {kind} in {where}", y, x


def _other_ground(origin: LevelOrigin) -> set[int] | None:
    """Return the terrain codes that the map's dressing, layouts and machines may lay.

    None if the map has no entry, or if the drawing of a machine varies.
    """
    entry = origin.entry
    if entry is None:
        return None
    params = entry.layout.params
    parts = (params, *(part for _, part in params.layouts_of_zones().values()))
    values = [value for each in entry.dressing for _, value, _ in each.terrain()]
    values += [value for each in parts for _, value, _ in each.laid_terrain()]
    codes = origin.codes
    laid = {codes[name] for value in values for name in value.outcomes() if name in codes}
    words = (word for each in entry.machines for word in each.prefabs)
    machines = {prefab.name: prefab for word in words for prefab in origin.content.called[word]}.values()
    if any(prefab.varies for prefab in machines):
        return None
    return laid.union(int(code) for prefab in machines for code in np.unique(prefab.drawing.terrain))


def _allowed_ground(origin: LevelOrigin, laid: set[int]) -> NDArray[np.bool_]:
    """Return (1 + len(GROUND), 256) bool: whether a kind of region (row) may have a terrain code (column).

    Row 0 stands for other kinds of regions, which may have any. `laid`: the codes that dressing, layouts and machines may lay.
    """
    codes, themes = origin.codes, _theme_tables(origin)
    allowed = np.ones((1 + len(GROUND), 256), np.bool_)
    for number, bases in enumerate(GROUND.values(), 1):
        corridors = [codes[name] for name in CORRIDOR_KINDS if name in codes and CORRIDOR in bases]
        allowed[number] = False
        allowed[number, [theme[code] for theme in themes for code in laid.union(bases, corridors)]] = True
    return allowed


def world_encounter(origin: LevelOrigin) -> Iterator[Finding]:
    """Every placed encounter exists in the content, and its map, depth, variant, limit, groups and other encounters on the map fit its entry there."""
    for placement in origin.level.placements:
        if not placement.encounter:
            continue
        wrong = next(_undeclared(origin, placement), None)
        if wrong is not None:
            yield f"{placement_name(placement)} {wrong}", placement.bounds.y, placement.bounds.x


def _undeclared(origin: LevelOrigin, placement: Placement) -> Iterator[str]:
    """Yield everything about a placed encounter that its content entry does not allow, as ends of a sentence.

    Example: ``may not be at depth 7``.
    """
    entry = origin.content.encounters.get(placement.encounter)
    if entry is None:
        yield "is no encounter of the content"
        return
    if origin.node is not None:
        low, high = entry.depth
        if origin.node.name not in entry.maps:
            yield f"may not be on the map {origin.node.name}"
        if not low <= origin.node.depth <= high:
            yield f"may not be at depth {origin.node.depth}"
    yield from _wrong_form(origin, placement)
    yield from _wrong_limit(placement, entry)
    if placement.category != entry.category:
        yield f"has the category {placement.category!r}, not {entry.category!r}"
    if placement.groups != entry.group.map:
        yield f"has the groups {placement.groups!r}, not {entry.group.map!r}"
    yield from _missing_or_conflicting(origin, entry)


def _wrong_form(origin: LevelOrigin, placement: Placement) -> Iterator[str]:
    """Yield what is wrong with the variant, the prefab and the placing mode of a placement, as ends of a sentence."""
    forms = {form.variant: form for form in origin.content.forms[placement.encounter]}
    form = forms.get(placement.variant)
    if form is None:
        yield f"has the unknown variant {placement.variant!r}"
        return
    prefabs = [prefab.name for prefab in origin.content.choices[form.label]] or [""]
    if placement.prefab not in prefabs:
        yield f"has the prefab {placement.prefab!r}, which this variant does not use"
    elif not _may_be_used(origin, placement.prefab):
        yield f"has the prefab {placement.prefab!r}, which may not be used on this map"
    if placement.mode != form.entry.placing.name:
        yield f"has the placing mode {placement.mode!r}, not {form.entry.placing.name!r}"


def _wrong_limit(placement: Placement, entry: EncounterEntry) -> Iterator[str]:
    """Yield what is wrong with `Placement.limit`: it must not exceed the lowest limit of the entry (map, branch, world)."""
    limits = [] if entry.limit.map is None else [entry.limit.map]
    for shared in (entry.limit.branch, entry.limit.world):
        limits += [] if shared is None else [max(shared.outcomes())]
    if placement.limit is None and limits:
        yield f"has no limit of copies here, and its entry has {min(limits)}"
    if placement.limit is not None and (not limits or placement.limit > min(limits)):
        yield f"has a limit of {placement.limit} copies here, and its entry has {min(limits, default='none')}"


def _missing_or_conflicting(origin: LevelOrigin, entry: EncounterEntry) -> Iterator[str]:
    """Yield findings for encounters that `entry` requires and that are missing, and for those on the level that it conflicts with."""
    there = {each.encounter for each in origin.level.placements}
    for name in entry.requires:
        if name not in there:
            yield f"requires {name}, which is not on the level"
    for name in entry.conflicts:
        if name in there:
            yield f"conflicts with {name}, which is on the level"


def world_prefab(origin: LevelOrigin) -> Iterator[Finding]:
    """Every prefab that is placed without an encounter exists in the content, and may be used on the map."""
    for placement in origin.level.placements:
        if not placement.encounter and placement.prefab not in origin.content.prefabs:
            text = f"the content has no prefab {placement.prefab!r}"
            yield text, placement.bounds.y, placement.bounds.x
        elif not placement.encounter and not _may_be_used(origin, placement.prefab):
            text = f"the prefab {placement.prefab!r} may not be used on this map"
            yield text, placement.bounds.y, placement.bounds.x


def _may_be_used(origin: LevelOrigin, prefab: str) -> bool:
    """Tell whether a prefab may be used on the level's map, by its `only`; True if the map is not known."""
    node = origin.node
    return node is None or origin.content.may_use(prefab, node.name, node.depth)


def world_spawn(origin: LevelOrigin) -> Iterator[Finding]:
    """Every spawn is in the catalog, with the same `like`, `blocks` and `opaque`; only a machine drawn without a name may be missing there."""
    for spawn, thing in origin.spawns:
        if thing is None:
            if (spawn.kind, spawn.tag) != GENERIC_MACHINE:
                yield f"no {spawn.kind} of the catalog has the tag {spawn.tag!r}", spawn.y, spawn.x
        elif spawn.like != thing.like:
            text = f"is like {with_article(spawn.like)}, and in the catalog like {with_article(thing.like)}"
            yield f"{spawn.kind} {spawn.tag} {text}", spawn.y, spawn.x
        elif spawn.blocks != thing.blocks:
            text = (
                "does not block, and in the catalog it does"
                if thing.blocks
                else "blocks, and in the catalog it does not"
            )
            yield f"{spawn.tag} {text}", spawn.y, spawn.x
        elif spawn.opaque != thing.opaque:
            text = (
                "is not opaque, and in the catalog it is"
                if thing.opaque
                else "is opaque, and in the catalog it is not"
            )
            yield f"{spawn.tag} {text}", spawn.y, spawn.x


def world_light(origin: LevelOrigin) -> Iterator[Finding]:
    """Every spawn that shines in the catalog has a light on its cell, of its radius and colour.

    The map's dressing must be able to place each other light: of this radius and colour, and at least the `spacing` of its
    `light` entry from props that shine.
    """
    wanted: Counter[tuple[int, int, int, Colour | None]] = Counter()
    for spawn, thing in origin.spawns:
        if thing is not None and thing.light:
            colour = spawn.fg if COLOUR.fits((spawn.fg,)) else None
            wanted[spawn.y, spawn.x, thing.light, colour] += 1
    found: Counter[tuple[int, int, int, Colour | None]] = Counter(
        (light.y, light.x, light.radius, light.colour) for light in origin.level.lights
    )
    if found == wanted:
        return
    torches = [
        (spawn.y, spawn.x)
        for spawn, thing in origin.spawns
        if thing is not None and thing.light and thing.like == "prop"
    ]
    dressing = origin.entry.dressing if origin.entry is not None else ()
    lights = [each for each in dressing if isinstance(each, LightEntry)]
    for y, x, radius, _ in (wanted - found).elements():
        yield f"an object that shines {radius} cells far has no light here", y, x
    for y, x, radius, colour in (found - wanted).elements():
        passes = [each for each in lights if _may_shine(each, radius, colour)]
        if not passes:
            yield (
                f"a light of radius {radius} stands here, but no object here shines so far, and the map's dressing places no such light",
                y,
                x,
            )
            continue
        spacing = min(_least_spacing(each) for each in passes)
        near = [max(abs(y - torch_y), abs(x - torch_x)) for torch_y, torch_x in torches]
        if min(near, default=spacing) < spacing:
            yield (
                f"a light of the map is {min(near)} cells from a prop that shines, not {spacing} or more",
                y,
                x,
            )


def _may_shine(entry: LightEntry, radius: int, colour: Colour | None) -> bool:
    """Tell whether a `light` entry of a map's dressing can place a light of this radius and colour."""
    known = [*entry.radius.outcomes(), *([] if entry.radius.applies else [USUAL_RADIUS])]
    return colour in [*entry.light.outcomes()] and min(known) <= radius <= max(known)


def _least_spacing(entry: LightEntry) -> int:
    """Return the least distance, in cells, that a `light` entry can keep from other lights."""
    known = [*entry.spacing.outcomes(), *([] if entry.spacing.applies else [USUAL_SPACING])]
    return int(min(known))


TINY = 1e-6
"""Tolerance for rounding errors in sums of expected threat or worth."""


def world_mix(origin: LevelOrigin) -> Iterator[Finding]:
    """No category has more encounters than the map's `mix` allows; guaranteed encounters are not counted."""
    if origin.entry is None:
        return
    counts = Counter(each.category for each in _not_guaranteed(origin))
    for category, (_, most) in origin.entry.mix.items():
        if counts[category] > most:
            text = (
                f"{counts[category]} encounters have the category {category}, and the map's mix allows {most}"
            )
            yield text, None, None


def world_budget(origin: LevelOrigin) -> Iterator[Finding]:
    """The expected threat and worth of all encounters is within the map's `budget`; guaranteed encounters are not counted."""
    if origin.entry is None or origin.node is None:
        return
    depth, content = origin.node.depth, origin.content
    for stake in STAKES:
        said = getattr(origin.entry.budget, stake)
        if said is None:
            continue
        amount = content.weight_at(said, depth)
        costs = [
            content.costs.of_encounter(each.encounter, depth).get(stake, 0)
            for each in _not_guaranteed(origin)
        ]
        if sum(costs) > amount + TINY:
            text = f"the encounters have an expected {stake} of {sum(costs):.3g}, and the map's budget is {amount:.3g}"
            yield text, None, None


def world_factor(origin: LevelOrigin) -> Iterator[Finding]:
    """No encounter is placed whose category's weights the world or its difficulty multiplies by 0, unless as a fallback."""
    if origin.node is None:
        return
    content = origin.content
    fallbacks = {entry.fallback for entry in content.encounters.values()}
    for each in origin.level.placements:
        entry = content.encounters.get(each.encounter)
        if entry is None or each.encounter in fallbacks:
            continue
        if not content.weight_factor(entry.category, origin.node.depth) > 0:
            text = f"{placement_name(each)} is of the category {entry.category}, whose weights the world multiplies by 0"
            yield text, each.bounds.y, each.bounds.x


def _not_guaranteed(origin: LevelOrigin) -> list[Placement]:
    """Return the placements of encounters that are not guaranteed.

    Encounters that a guaranteed one requires, or that are its fallback, count as guaranteed.
    """
    entries = origin.content.encounters
    must = {name for name, entry in entries.items() if entry.guaranteed}
    waiting = [*must]
    while waiting:
        entry = entries[waiting.pop()]
        new = {
            each for each in (*entry.requires, entry.fallback) if each is not None and each in entries
        } - must
        must |= new
        waiting += new
    return [
        each for each in origin.level.placements if each.encounter in entries and each.encounter not in must
    ]
