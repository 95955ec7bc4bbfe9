"""Checks of what entries say of each other, beyond the names that single values refer to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dungeon import terrain as t
from dungeon.content.loading.build import words_of
from dungeon.content.loading.draft import BUILT_IN_NAMES
from dungeon.content.source.names import RESERVED, RESERVED_FOR_OBJECTS, name_fault
from dungeon.content.values.grammar import leaves
from dungeon.core.kinds import BUILT_IN
from dungeon.core.vocabulary import CATEGORIES, LANDMARKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dungeon.content.catalog.catalog import Catalog
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.models.entries import MapEntry, TerrainEntry, ThemeEntry, ThingEntry
    from dungeon.content.source.files import Findings, Record
    from dungeon.core.kinds import Kinds

NATURE = ("like", "walkable", "transparent", "diggable")
"""What a built-in kind of terrain can't have changed: algorithms rely on it."""


STEPPED_ON = "one must be able to step on this: blocks: false"


def new_names(kind: str, records: Mapping[str, Record], kinds: Kinds, findings: Findings) -> None:
    """Check how the names of entries of a kind are written, and that no two of them differ in case alone."""
    reserved = RESERVED_FOR_OBJECTS if kind in (*kinds.names, "lock", "kind") else RESERVED
    seen: dict[str, Record] = {}
    for name, record in records.items():
        if fault := name_fault(name, reserved):
            findings.report(record, [replace(fault, key=True)])
        first = seen.setdefault(name.casefold(), record)
        if first is not record:
            message = f"this name differs only in case from that of {first.label} in {first.source(key=True)}"
            findings.add(record, message, value=name, key=True)


def words_of_distances(records: Mapping[str, Mapping[str, Record]], findings: Findings) -> None:
    """Check that nothing is called like stairs that others may be far from, and no category nearly like one that always is."""
    for kind in ("category", "encounter"):
        for name, record in records[kind].items():
            if name in LANDMARKS:
                message = "this means stairs where distances are said, and can't be a name"
                findings.add(record, message, value=name, key=True)
    usual = {name.casefold(): name for name in CATEGORIES}
    for name, record in records["category"].items():
        if usual.get(name.casefold(), name) != name:
            message = f"this name differs only in case from that of category '{usual[name.casefold()]}', which is always there"
            findings.add(record, message, value=name, key=True)


def terrain(records: Mapping[str, Record], findings: Findings) -> None:
    """Check that built-in terrain keeps its nature, and that there are not too many kinds."""
    for name, record in records.items():
        for key in NATURE if name in BUILT_IN_NAMES else ():
            if key in record.fields:
                findings.add(record, "built-in terrain can change its look only", key, value=key, key=True)
    own = [record for name, record in records.items() if name not in BUILT_IN_NAMES]
    most = t.MAX_KINDS - len(BUILT_IN_NAMES)
    if len(own) > most:
        findings.add(own[most], f"there can be {most} kinds of terrain besides the built-in ones", key=True)


LOCKED = "locked_door"


def locks(
    entries: Iterable[tuple[Record, tuple[str, ...], Mapping[str, SymbolEntry]]],
    terrain: Mapping[str, Record],
    findings: Findings,
) -> None:
    """Check that only locked doors, and terrain like them, and objects have locks.

    Args:
        entries: Legends, in their records at a path.
        terrain: The author's own terrain, as written.
        findings: Takes what is wrong.
    """
    able = {LOCKED, *(name for name, record in terrain.items() if record.fields.get("like") == LOCKED)}
    for record, path, legend in entries:
        for char, symbol in legend.items():
            for leaf, below in symbol.leaves():
                if leaf.kind is None and leaf.lock is not None and leaf.terrain is not None:
                    found = list(dict.fromkeys(leaf.terrain.outcomes()))
                    if able.isdisjoint(found):
                        message = "only a prop, locked_door and terrain that is like it can have this"
                        at = (*path, char, *below, "lock")
                        findings.add(record, message, *at, value="lock", key=True)


def following(records: Mapping[str, Record], findings: Findings) -> None:
    """Check that no lock is opened by itself, directly or through others."""
    below = {name: words_of(_opener(record).get("lock")) for name, record in records.items()}
    for name, circle in circles(below).items():
        message = f"this lock is opened by itself: {' -> '.join(circle)}"
        findings.add(records[name], message, "opened_by", "lock")


def company(records: Mapping[str, Record], findings: Findings) -> None:
    """Check that no encounter waits for itself, stands in for itself or conflicts with itself, directly or through others."""
    for key, says in (
        ("requires", "this encounter waits for itself"),
        ("fallback", "this encounter stands in for itself"),
    ):
        below = {name: words_of(record.fields.get(key)) for name, record in records.items()}
        for name, circle in circles(below).items():
            findings.add(records[name], f"{says}: {' -> '.join(circle)}", key)
    for name, record in records.items():
        if name in words_of(record.fields.get("conflicts")):
            findings.add(record, "an encounter can't conflict with itself", "conflicts", value=name)


def _opener(record: Record) -> Mapping[str, object]:
    opener = record.fields.get("opened_by")
    return opener if isinstance(opener, dict) else {}


def themes(
    entries: Mapping[str, ThemeEntry], records: Mapping[str, Mapping[str, Record]], findings: Findings
) -> None:
    """Check that no theme locks anything: whatever opens a locked door comes with the drawing of that door."""
    like = {name: str(record.fields.get("like", name)) for name, record in records["terrain"].items()}
    for theme, entry in entries.items():
        for name, becomes in entry.root.items():
            if LOCKED in (becomes, like.get(becomes)) and name != LOCKED:
                message = "a theme can't lock anything: nothing would open it"
                findings.add(records["theme"][theme], message, name, value=becomes)


GROUND = ("floor", "corridor", "cave")
"""What terrain must be like that is laid over the ground."""

GROUND_NAMES = frozenset([*GROUND, *t.CORRIDOR_KINDS, *(f"floor_{digit}" for digit in range(10))])


def dressing(
    maps: Mapping[str, MapEntry],
    terrain: Mapping[str, TerrainEntry],
    records: Mapping[str, Mapping[str, Record]],
    findings: Findings,
) -> None:
    """Check that what maps lay is ground, and that one can walk on it where one must.

    Args:
        maps: The valid maps.
        terrain: The author's own valid terrain.
        records: Kind -> name -> entry as written.
        findings: Takes what is wrong.
    """
    for name, entry in maps.items():
        record = records["map"][name]
        laid: list[tuple[tuple[str | int, ...], Any, bool]] = [
            (("dressing", number, key), value, walked)
            for number, each in enumerate(entry.dressing)
            for key, value, walked in each.terrain()
        ]
        laid += [
            (("layout", entry.layout.name, key), value, walked)
            for key, value, walked in entry.layout.params.laid_terrain()
        ]
        for at, value, walked in laid:
            for leaf, path, is_key in leaves(value, record.part(*at)):
                for one in leaf.outcomes():
                    fault = _fault_of_ground(one, terrain, walked=walked)
                    if fault is None and at[0] == "layout" and not walked and _is_walkable(one, terrain):
                        fault = "one must not be able to walk on this"
                    if fault is not None:
                        findings.add(record, fault, *at, *path, value=one, key=is_key)


def _is_walkable(name: str, terrain: Mapping[str, TerrainEntry]) -> bool:
    """Tell whether one can walk on a kind of ground, if that is known."""
    own = terrain.get(name)
    return name in GROUND_NAMES if own is None else own.walkable is not False


def _fault_of_ground(name: str, terrain: Mapping[str, TerrainEntry], *, walked: bool) -> str | None:
    """Return what is wrong with terrain that is to be laid over the ground."""
    own = None if name in BUILT_IN_NAMES else terrain.get(name)
    if name in GROUND_NAMES or (name not in BUILT_IN_NAMES and own is None):
        return None  # of what is not valid nothing is said
    if own is None or own.like not in GROUND:
        return (
            f"only terrain that is like {', '.join(GROUND[:-1])} or {GROUND[-1]} can be laid over the ground"
        )
    if walked and own.walkable is False:
        return "one must be able to walk on this"
    return None


def drawn_ports(
    entries: Iterable[tuple[Record, tuple[str, ...], Mapping[str, SymbolEntry]]],
    catalog: Catalog,
    findings: Findings,
) -> None:
    """Check that no end of a drawn portal blocks.

    Args:
        entries: Legends, in their records at a path.
        catalog: All objects.
        findings: Takes what is wrong.
    """
    for record, path, legend in entries:
        for char, symbol in legend.items():
            for leaf, below in symbol.leaves():
                if leaf.port is None or leaf.selector is None:
                    continue
                if any(thing.blocks for thing in catalog.members(str(leaf.kind), leaf.selector)):
                    findings.add(record, STEPPED_ON, *path, char, *below, "port", value="port", key=True)


def ports(
    maps: Mapping[str, MapEntry],
    props: Mapping[str, ThingEntry],
    records: Mapping[str, Mapping[str, Record]],
    findings: Findings,
) -> None:
    """Check that no portal blocks: one steps on it.

    Args:
        maps: The valid maps.
        props: The valid props.
        records: Kind -> name -> entry as written.
        findings: Takes what is wrong.
    """
    for name, entry in maps.items():
        record = records["map"][name]
        for value, at in entry.portals():
            for leaf, path, is_key in leaves(value, record.part(*at)):
                for tag in leaf.outcomes():
                    if tag in props and props[tag].blocks is not False:
                        findings.add(record, STEPPED_ON, *at, *path, value=tag, key=is_key)


def tags(prefabs: Mapping[str, Record], findings: Findings) -> None:
    """Check that no tag is the name of a prefab: an encounter that asks for it would mean both."""
    for record in prefabs.values():
        words = record.fields.get("tags") if record.is_own("tags") else []
        for number, word in enumerate(words if isinstance(words, list) else [words]):
            if isinstance(word, str) and word in prefabs:
                other = prefabs[word].source(key=True)
                findings.add(record, f"a prefab has this name, in {other}", "tags", number, value=word)


MOST_NESTED = 50
"""How deep prefabs may be fitted into each other."""

OF_KIND: dict[str, tuple[str, ...]] = {
    "carries": ("robot",),
    "loadout": ("robot", "prop"),
    "threat": ("robot", "trap"),
    "worth": ("item",),
    "prototype": ("item", "trap"),
    "faulty": ("item", "trap"),
}
"""Keys of objects -> the built-in kinds that can have them, and what is like them."""


def things(records: Mapping[str, Mapping[str, Record]], kinds: Kinds, findings: Findings) -> None:
    """Check that objects have only what their kind can have."""
    for kind in kinds.names:
        like = kinds[kind].like
        for record in records[kind].values():
            for key, able in OF_KIND.items():
                if key in record.fields and like not in able and record.is_own(key):
                    called = " and ".join(BUILT_IN[each].called for each in able)
                    findings.add(record, f"only {called} can have this", key, value=key, key=True)
            is_faulty = "faulty" in record.fields and record.is_own("faulty") and not record.is_lost
            if is_faulty and "prototype" not in record.fields and like in OF_KIND["faulty"]:
                findings.add(record, "only a prototype can be faulty", "faulty", value="faulty", key=True)


def extending(records: Mapping[str, Mapping[str, Record]], findings: Findings) -> None:
    """Check that no legend and no palette extends itself, directly or through others."""
    for kind in ("legend", "palette"):
        below = {name: words_of(record.fields.get("extends")) for name, record in records[kind].items()}
        for name, circle in circles(below).items():
            message = f"this {kind} extends itself: {' -> '.join(circle)}"
            findings.add(records[kind][name], message, "extends")


def fitting(records: Mapping[str, Record], called: Mapping[str, Iterable[str]], findings: Findings) -> None:
    """Check that no prefab is fitted into itself, directly or through others, and that nesting has an end.

    Args:
        records: The prefabs as written that are valid for themselves.
        called: Name or tag -> the names of the prefabs that go by it.
        findings: Takes what is wrong.
    """
    fitted = {name: _fitted(record, called) for name, record in records.items()}
    below = {name: [each for names in steps.values() for each in names] for name, steps in fitted.items()}
    found = circles(below)
    for name, circle in found.items():
        steps = [step for step, names in fitted[name].items() if circle[1] in names]
        message = f"this prefab is fitted into itself: {' -> '.join(circle)}"
        findings.add(records[name], message, "vary", steps[0], "prefabs")
    if found:
        return
    nested = {name: [name] for name in below if below[name]}
    for _ in range(MOST_NESTED + 1):
        nested = {each: [*way, each] for name, way in nested.items() for each in below.get(name, ())}
    for way in list(nested.values())[:1]:  # one of them says enough
        message = f"prefabs are fitted into each other more than {MOST_NESTED} deep, down to {way[-1]}"
        findings.add(records[way[0]], message, "vary")


def _fitted(record: Record, called: Mapping[str, Iterable[str]]) -> dict[int, list[str]]:
    """Return step of `vary` -> the names of the prefabs that it fits into this one."""
    steps = record.fields.get("vary")
    return {
        number: [name for word in words_of(step.get("prefabs")) for name in called.get(word, ())]
        for number, step in enumerate(steps if isinstance(steps, list) else [])
        if isinstance(step, dict) and "fit" in step
    }


def circles(below: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return, for everything that leads back to itself, the shortest way on which it does, first and last included."""
    return {name: way for name in below if (way := _way_back(name, below))}


def _way_back(start: str, below: Mapping[str, Iterable[str]]) -> list[str] | None:
    came: dict[str, str] = {}
    waiting = [start]
    for name in waiting:  # it grows while it is walked through
        for each in below.get(name, ()):
            if each == start:
                way = [name]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return [*reversed(way), start]
            if each not in came:
                came[each] = name
                waiting.append(each)
    return None
