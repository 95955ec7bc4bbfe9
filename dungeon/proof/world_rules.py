"""Rules about a level as one of its world: whether it is the map that the world means, made of the world's content.

They read what authors have declared, and nothing of what generation does with it. The level is not made a second time.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.models.dressing import USUAL_RADIUS, USUAL_SPACING, LightEntry
from dungeon.content.models.maps import USUAL_SIZE
from dungeon.core.errors import with_article
from dungeon.core.registry import LAYOUTS
from dungeon.core.vocabulary import STAKES
from dungeon.grid.rect import Cell, Rect
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
"""The kind and tag of a drawn machine that no prop of the catalog is."""

GROUND = {
    "room": (FLOOR,),
    "cave": (CAVE,),
    "corridor": (CORRIDOR, CAVE),
    "junction": (CORRIDOR,),
    "hall": (CORRIDOR,),
    "zone": (FLOOR, CAVE),
}
"""Kind of region -> the built-in terrain that layouts lay there. A prefab may draw any."""


class LevelOrigin:
    """A level, and what its world says of it.

    Attributes:
        level: The level.
        world: The world.
        content: The world's content.
        node: The map that the level is, or None if the world has none of its id.
        entry: What the author says of that type of map, or None likewise.
        codes: Name of terrain -> its code on the level.
        spawns: The level's spawns, each with what the catalog says of it, or None if it has no such thing.
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
    """The world has a map of the level's id."""
    if origin.node is None:
        yield f"the world has no map {origin.level.id!r}", None, None


def world_seed(origin: LevelOrigin) -> Iterator[Finding]:
    """The level was made from the world's seed."""
    if origin.level.seed != origin.world.seed:
        yield "the level was made from another seed than the world's", None, None


def world_name(origin: LevelOrigin) -> Iterator[Finding]:
    """The level bears the name of its map."""
    if origin.entry is not None and origin.level.name != origin.entry.name:
        yield f"the level is called {origin.level.name!r}, and its map {origin.entry.name!r}", None, None


def world_exits(origin: LevelOrigin) -> Iterator[Finding]:
    """One exit leads to each of the maps that the level's leads to, and none anywhere else."""
    if origin.node is None:
        return
    lacking = Counter(origin.node.leads_to)
    for way in origin.level.exits:
        if lacking[way.leads_to]:
            lacking[way.leads_to] -= 1
        elif way.leads_to in lacking:
            yield f"another exit leads to {way.leads_to}", way.y, way.x
        else:
            yield f"an exit leads to {way.leads_to}, and the map does not", way.y, way.x
    for target in lacking.elements():
        yield f"no exit leads to {target}", None, None


def world_entrance(origin: LevelOrigin) -> Iterator[Finding]:
    """The player arrives on stairs up, unless no way leads back from the map: then on bare ground."""
    if origin.node is None:
        return
    y, x = origin.level.entrance
    if not (0 <= y < origin.level.height and 0 <= x < origin.level.width):
        return
    is_up = origin.level.base[y, x] == STAIRS_UP
    if is_up == origin.node.one_way:
        yield f"{'a' if is_up else 'no'} way leads back from here", y, x


def world_size(origin: LevelOrigin) -> Iterator[Finding]:
    """The level is as large as its author has said, where no layout brings a size of its own."""
    if origin.entry is None or LAYOUTS[origin.entry.layout.name].brings_size:
        return
    sides = origin.entry.size.at(origin.node.depth if origin.node else 0)
    for (side, usual), value in zip(USUAL_SIZE.items(), sides, strict=True):
        known = [*value.outcomes(), *([] if value.applies else [usual])]
        found = getattr(origin.level, side)
        if not min(known) <= found <= max(known):
            yield f"the {side} is {found}, and that of the map {min(known)} to {max(known)}", None, None


def world_terrain(origin: LevelOrigin) -> Iterator[Finding]:
    """The level is made of the world's kinds of terrain."""
    mine, theirs = origin.level.terrain_set, origin.content.terrain_set
    if mine is not theirs and mine != theirs:
        yield "the level has other kinds of terrain than the world", None, None


def world_zone(origin: LevelOrigin) -> Iterator[Finding]:
    """The zones are those that the map's author has named, as declared, but for those that the journal says were refused."""
    if origin.entry is None:
        return
    declared = origin.entry.layout.params.named_zones()
    found = {zone.name for zone in origin.level.zones}
    for name in declared:
        if name not in found and not _is_refused(origin, f"zone {name}"):
            yield f"zone {name} is missing", None, None
    for zone in origin.level.zones:
        entry = declared.get(zone.name)
        if entry is None:
            yield f"the map has no zone {zone.name!r}", None, None
        elif (zone.theme, zone.step) != (entry.theme or "", entry.step):
            yield f"zone {zone.name} has another theme or step than its author has said", None, None


def _is_refused(origin: LevelOrigin, subject: str) -> bool:
    """Tell whether the level's journal says that something was refused."""
    return any(each.subject == subject and each.verdict == "refused" for each in origin.level.journal)


def world_lock(origin: LevelOrigin) -> Iterator[Finding]:
    """Locks have the names and follow the locks that the content says, and as many keys, of its kinds, lie on the level."""
    words = {lock.word for lock in origin.level.locks}
    for lock in origin.level.locks:
        yield from _misnamed(origin, lock, words)
    for word in sorted(words & origin.content.locks.keys()):
        yield from _misopened(origin, word)


def _misnamed(origin: LevelOrigin, lock: Lock, words: Container[str]) -> Iterator[Finding]:
    """Yield what a lock is called that it should not be, and what it follows wrongly; `words`: those of all locks."""
    entries = origin.content.locks
    entry = entries.get(lock.word)
    if lock.name != ("" if entry is None else entry.name):
        yield f"the lock {lock.word!r} is called {lock.name!r}", lock.y, lock.x
    follows = "" if entry is None else entry.opened_by.lock or ""
    while follows in entries and follows not in words:
        follows = entries[follows].opened_by.lock or ""
    if lock.follows not in ("", follows) or (follows in words and not lock.follows):
        yield f"the lock {lock.word!r} follows {lock.follows!r}, not {follows!r}", lock.y, lock.x


def _misopened(origin: LevelOrigin, word: str) -> Iterator[Finding]:
    """Yield that too little opens a lock, and what is put there to open it and is of another kind than asked for."""
    entry, spawns = origin.content.locks[word], origin.level.spawns
    keys = sum(opened == word for spawn in spawns for opened in opened_by(spawn))
    if entry.opened_by.lock is None and keys < entry.keys and not _is_refused(origin, word):
        yield f"{keys} of {entry.keys} things that open the lock {word!r} are there", None, None
    asked = entry.opened_by.asked
    if asked is not None and asked.kind is not None and asked.selector is not None:
        fitting = {each.tag for each in origin.content.catalog.members(asked.kind, asked.selector)}
        for spawn in spawns:
            if spawn.source == f"lock {word}" and spawn.tag not in fitting:
                yield f"{spawn.tag} does not open the lock {word!r}", spawn.y, spawn.x


def world_theme(origin: LevelOrigin) -> Iterator[Finding]:
    """The level is painted as its map's theme says, or that of one of its zones."""
    if origin.entry is None or origin.entry.theme is None:
        return
    found = _painted(origin).take(origin.level.terrain)
    if not found.all():
        y, x = divmod(int(found.argmin()), origin.level.width)
        yield f"this is not painted as {origin.entry.theme}", y, x


def _themes(origin: LevelOrigin) -> list[NDArray[np.uint8]]:
    """Return what each code is painted as by the themes of a level: those of its map and its zones."""
    mine = [] if origin.entry is None or origin.entry.theme is None else [origin.entry.theme]
    names = [*mine, *(zone.theme for zone in origin.level.zones)]
    known = origin.content.themes
    return [known[each] for each in names if each in known] or [np.arange(256, dtype=np.uint8)]


def _painted(origin: LevelOrigin) -> NDArray[np.bool_]:
    """Return (256,) which codes can be on a level that is painted."""
    painted = np.zeros(256, np.bool_)
    painted[_themes(origin)] = True
    return painted


def world_ground(origin: LevelOrigin) -> Iterator[Finding]:
    """Outside of prefabs, regions have the ground that the map's layout lays in such a region, or that its dressing or machines lay.

    Of a map with machines whose drawings vary nothing is said.
    """
    level, content = origin.level, origin.content
    laid = None if content.terrain_set != level.terrain_set else _laid_besides(origin)
    if laid is None:
        return
    allowed = _allowed_ground(origin, laid)
    kinds = np.zeros(int(level.region.max()) + 1, np.uint8)
    for number, kind in enumerate(GROUND, 1):
        kinds[[each.id for each in level.regions if each.kind == kind and 0 < each.id < len(kinds)]] = number
    wrong = level.terrain_set.walkable.take(level.terrain) & ~np.isin(level.base, (*DOORS, *STAIRS))
    wrong &= _painted(origin).take(level.terrain) & ~allowed[kinds.take(level.region), level.terrain]
    for placement in level.placements:
        if placement.prefab:
            wrong[on_map(level, placement.bounds)] = False
    landings = {cell for portal in level.portals for cell in (portal.begin, portal.end)}
    for y, x in np.argwhere(wrong).tolist():
        if (y, x) not in landings:
            kind = level.terrain_set.kinds[level.terrain[y, x]].name
            where = with_article(level.kinds[int(level.region[y, x])])
            yield f"neither the layout nor the dressing lays {kind} in {where}", y, x


def _laid_besides(origin: LevelOrigin) -> set[int] | None:
    """Return the codes that dressing, layouts and machines of the level's map may lay; None if that can't be told."""
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
    """Return (1 + kinds of region in `GROUND`, 256) which codes may be in such a region; row 0 stands for all others."""
    codes, themes = origin.codes, _themes(origin)
    allowed = np.ones((1 + len(GROUND), 256), np.bool_)
    for number, bases in enumerate(GROUND.values(), 1):
        corridors = [codes[name] for name in CORRIDOR_KINDS if name in codes and CORRIDOR in bases]
        allowed[number] = False
        allowed[number, [theme[code] for theme in themes for code in laid.union(bases, corridors)]] = True
    return allowed


def world_encounter(origin: LevelOrigin) -> Iterator[Finding]:
    """Every encounter is one of the content, on a map and at a depth for which it is meant, as its author has said."""
    for placement in origin.level.placements:
        if not placement.encounter:
            continue
        objection = next(_objections(origin, placement), None)
        if objection is not None:
            yield f"{placement_name(placement)} {objection}", placement.bounds.y, placement.bounds.x


def _objections(origin: LevelOrigin, placement: Placement) -> Iterator[str]:
    """Yield what an encounter on a level is, other than its author has said."""
    entry = origin.content.encounters.get(placement.encounter)
    if entry is None:
        yield "is no encounter of the content"
        return
    if origin.node is not None:
        low, high = entry.depth
        if origin.node.name not in entry.maps:
            yield f"is not for {origin.node.name}"
        if not low <= origin.node.depth <= high:
            yield f"is not for depth {origin.node.depth}"
    yield from _other_form(origin, placement)
    yield from _other_limit(placement, entry)
    for said, wanted in ((placement.category, entry.category), (placement.groups, entry.group.map)):
        if said != wanted:
            yield f"is {said!r}, not {wanted!r}"
    yield from _bad_company(origin, entry)


def _other_form(origin: LevelOrigin, placement: Placement) -> Iterator[str]:
    """Yield what is wrong with the variant in which an encounter has come, or with how that lies."""
    forms = {form.variant: form for form in origin.content.forms[placement.encounter]}
    form = forms.get(placement.variant)
    if form is None:
        yield f"has the variant {placement.variant!r}"
        return
    prefabs = [prefab.name for prefab in origin.content.choices[form.label]] or [""]
    if placement.prefab not in prefabs:
        yield f"has the prefab {placement.prefab!r}"
    if placement.mode != form.entry.placing.name:
        yield f"is {placement.mode!r}, not {form.entry.placing.name!r}"


def _other_limit(placement: Placement, entry: EncounterEntry) -> Iterator[str]:
    """Yield what is wrong with the number of copies that an encounter may have on a level."""
    limits = [] if entry.limit.map is None else [entry.limit.map]
    for shared in (entry.limit.branch, entry.limit.world):
        limits += [] if shared is None else [max(shared.outcomes())]
    if placement.limit is None and limits:
        yield f"may have any number of copies here, not {min(limits)}"
    if placement.limit is not None and (not limits or placement.limit > min(limits)):
        yield f"may have {placement.limit} copies here, not {min(limits, default='any number')}"


def _bad_company(origin: LevelOrigin, entry: EncounterEntry) -> Iterator[str]:
    """Yield what an encounter on a level is together with, or without, other than its author has said."""
    there = {each.encounter for each in origin.level.placements}
    for name in entry.requires:
        if name not in there:
            yield f"is not to be without {name}"
    for name in entry.conflicts:
        if name in there:
            yield f"conflicts with {name}"


def world_prefab(origin: LevelOrigin) -> Iterator[Finding]:
    """Every prefab that is on the level without an encounter is one of the content."""
    for placement in origin.level.placements:
        if not placement.encounter and placement.prefab not in origin.content.prefabs:
            text = f"{placement.prefab!r} is no prefab of the content"
            yield text, placement.bounds.y, placement.bounds.x


def world_spawn(origin: LevelOrigin) -> Iterator[Finding]:
    """Every spawn is an object of the catalog, is like what that says, and stops walkers and sight as that says; or a drawn machine of no prop."""
    for spawn, thing in origin.spawns:
        if thing is None:
            if (spawn.kind, spawn.tag) != GENERIC_MACHINE:
                yield f"no {spawn.kind} of the catalog has the tag {spawn.tag!r}", spawn.y, spawn.x
        elif spawn.like != thing.like:
            yield f"{spawn.kind} {spawn.tag} is like {with_article(spawn.like)}", spawn.y, spawn.x
        elif spawn.blocks != thing.blocks:
            yield f"{spawn.tag} {'does not block' if thing.blocks else 'blocks'}", spawn.y, spawn.x
        elif spawn.opaque != thing.opaque:
            yield (
                f"{spawn.tag} {'does not hide' if thing.opaque else 'hides'} what is behind it",
                spawn.y,
                spawn.x,
            )


def world_light(origin: LevelOrigin) -> Iterator[Finding]:
    """Whatever the catalog says shines has its light where it stands, in its colour; else only the map's own lights shine, away from props that do."""
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
        yield f"what shines {radius} cells far has no light", y, x
    for y, x, radius, colour in (found - wanted).elements():
        passes = [each for each in lights if _may_shine(each, radius, colour)]
        if not passes:
            yield f"nothing here shines {radius} cells far", y, x
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
    """Tell whether a pass of a map's dressing may put up such a light."""
    known = [*entry.radius.outcomes(), *([] if entry.radius.applies else [USUAL_RADIUS])]
    return colour in [*entry.light.outcomes()] and min(known) <= radius <= max(known)


def _least_spacing(entry: LightEntry) -> int:
    """Return how many cells a pass of lights keeps from other lights at least."""
    known = [*entry.spacing.outcomes(), *([] if entry.spacing.applies else [USUAL_SPACING])]
    return int(min(known))


def world_sight(origin: LevelOrigin) -> Iterator[Finding]:
    """No robot of the map's own population stands where it is seen from the entrance, unless its author has said so."""
    level = origin.level
    population = origin.entry.population if origin.entry is not None else ()
    hiding = [f"population {number}" for number, each in enumerate(population, 1) if not each.in_sight]
    whole, eye = Rect(0, 0, level.height, level.width), Cell(*level.entrance)
    for spawn in level.spawns if whole.contains(*eye) else ():
        if spawn.like != "robot" or spawn.placement is not None or spawn.source not in hiding:
            continue
        if whole.contains(spawn.y, spawn.x) and _sees(level, eye, Cell(spawn.y, spawn.x)):
            yield f"{spawn.tag} is seen from the entrance", spawn.y, spawn.x


def _sees(level: Level, one: Cell, other: Cell) -> bool:
    """Tell whether sight leads from cell to cell: a straight line from middle to middle, which nothing stops.

    Where it passes right between two cells, both must let it through.
    """
    steps = max(abs(there - here) for here, there in zip(one, other, strict=True))
    return all(
        level.transparent[y, x]
        for step in range(1, steps)
        for y in _at(one[0], other[0], step, steps)
        for x in _at(one[1], other[1], step, steps)
    )


def _at(here: int, there: int, step: int, steps: int) -> tuple[int, ...]:
    """Return the row, or column, of a line after so many of its steps; both where it is right between two."""
    double = 2 * (there - here) * step + steps
    low, rest = divmod(double, 2 * steps)
    return (here + low,) if rest else (here + low - 1, here + low)


TINY = 1e-6
"""Sums of many small numbers are that much off at most."""


def world_mix(origin: LevelOrigin) -> Iterator[Finding]:
    """No more encounters of a category are on the level than its map's mix allows, besides what must be there."""
    if origin.entry is None:
        return
    counts = Counter(each.category for each in _by_choice(origin))
    for category, (_, most) in origin.entry.mix.items():
        if counts[category] > most:
            yield f"the map may have {most} of the category {category}, not {counts[category]}", None, None


def world_budget(origin: LevelOrigin) -> Iterator[Finding]:
    """The encounters are expected to bring no more threat and worth than the map's budget, besides what must be there."""
    if origin.entry is None or origin.node is None:
        return
    depth, content = origin.node.depth, origin.content
    for stake in STAKES:
        said = getattr(origin.entry.budget, stake)
        if said is None:
            continue
        amount = content.weight_at(said, depth)
        costs = [
            content.costs.of_encounter(each.encounter, depth).get(stake, 0) for each in _by_choice(origin)
        ]
        if sum(costs) > amount + TINY:
            text = f"the encounters are expected to bring {sum(costs):.3g} {stake}, and the map may have {amount:.3g}"
            yield text, None, None


def _by_choice(origin: LevelOrigin) -> list[Placement]:
    """Return the placements of encounters, but for what must be there: the guaranteed, and what these require or fall back to."""
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
