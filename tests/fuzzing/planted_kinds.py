"""The kinds of imbalance that can be planted: their victims, their edits, and the names that identify them.

A victim must be frequent enough in the worlds of the unchanged content that a few hundred worlds show the difference. The report and
the comparison know nothing of this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planted_base import Base
    from planted_edits import Folder

OFTEN, SELDOM = 0.4, 0.15
"""Shares of worlds: a frequent thing is in at least `OFTEN` of them, a rare one in at least `SELDOM`."""
SOME = 1.3
"""Average number in a world from which on there is usually more than one."""
MENDS = 5
"""Hit points that an item restores if it is worth carrying."""
TOO_LARGE = 45, 30
"""Columns and rows that no room of the demo has space for."""

Names = list[tuple[str, ...]]
"""Word lists; a line that has all words of one list names the imbalance."""


class Kind(NamedTuple):
    """A kind of imbalance.

    Attributes:
        victims: Returns the possible victims.
        plant: Plants it in a copy of the content, and returns the names that identify it.
    """

    victims: Callable[[Base], list[str]]
    plant: Callable[[Folder, str], Names]


# --- Robots, traps and items ------------------------------------------------------------------------------------


def fought(base: Base) -> list[str]:
    """Return the robots that bots often fight."""
    return sorted(tag for tag, count in base.fought.items() if count >= OFTEN)


def hard(base: Base) -> list[str]:
    """Return the often fought robots whose blows hurt."""
    return [tag for tag in fought(base) if int(base.folder.get("objects", tag, "data", "attack") or 0) >= 2]


def double_robot(folder: Folder, tag: str) -> Names:
    """Double a robot's hit points and attack."""
    for key in ("hp", "attack"):
        folder.put("objects", tag, "data", key, value=_times(folder.get("objects", tag, "data", key), 2))
    return _called(folder, tag)


def tame_robot(folder: Folder, tag: str) -> Names:
    """Make a robot harmless."""
    folder.put("objects", tag, "data", "attack", value="0")
    return _called(folder, tag)


def deep_robots(base: Base) -> list[str]:
    """Return robots rated for depth 3 or more whose class also has robots on the first maps."""
    get, least = base.folder.get, min(base.maps.values())
    early = {
        get("objects", tag, "class") for tag in base.tags("robot") if base.many("robot", tag, least) >= OFTEN
    }
    return [
        tag
        for tag in base.tags("robot")
        if int(get("objects", tag, "depth") or 0) >= 3 and get("objects", tag, "class") in early
    ]


def early_robot(folder: Folder, tag: str) -> Names:
    """Rate a deep robot for depth 1, where its class is asked for."""
    folder.put("objects", tag, "depth", value="1")
    return _called(folder, tag)


def deep_items(base: Base) -> list[str]:
    """Return items rated for depth 3 or more that are scattered, not placed by name only."""
    return [
        tag
        for tag in base.tags("item")
        if int(base.folder.get("objects", tag, "depth") or 0) >= 3
        and base.folder.get("objects", tag, "weight") != "never"
    ]


def early_item(folder: Folder, tag: str) -> Names:
    """Scatter a deep item over the first maps that have items."""
    folder.add("maps", "galleries", "population", value=f"{{item: {tag}, count: 2..4, depth: 1}}")
    return _called(folder, tag)


def hurting_traps(base: Base) -> list[str]:
    """Return hidden traps that hurt and are frequent."""
    get = base.folder.get
    return [
        tag
        for tag in base.tags("trap")
        if base.many("trap", tag) >= SOME
        and int(get("objects", tag, "data", "damage") or 0) > 0
        and get("objects", tag, "data", "hidden") != "false"
    ]


def deadly_trap(folder: Folder, tag: str) -> Names:
    """Multiply a trap's damage by five."""
    folder.put(
        "objects", tag, "data", "damage", value=_times(folder.get("objects", tag, "data", "damage"), 5)
    )
    return _called(folder, tag)


def menders(base: Base) -> list[str]:
    """Return frequent items that restore many hit points."""
    return [
        tag
        for tag in base.tags("item")
        if base.many("item", tag) >= SOME
        and int(base.folder.get("objects", tag, "data", "repair") or 0) >= MENDS
    ]


def weak_mending(folder: Folder, tag: str) -> Names:
    """Make a healing item restore a single hit point."""
    folder.put("objects", tag, "data", "repair", value="1")
    return _called(folder, tag)


# --- Encounters and prefabs --------------------------------------------------------------------------------------


def common(base: Base) -> list[str]:
    """Return the encounters that most worlds have."""
    return sorted(name for name, share in base.shares.items() if share >= OFTEN)


def halved(folder: Folder, name: str) -> Names:
    """Halve an encounter's weight."""
    return _weighed(folder, name, 0.5)


def not_quite_sure(base: Base) -> list[str]:
    """Return the encounters that many worlds have and many lack, so that weights decide."""
    return _shared(base, OFTEN, 0.8)


def rare(base: Base) -> list[str]:
    """Return the encounters that some worlds have and most lack."""
    return _shared(base, SELDOM, OFTEN)


def fivefold(folder: Folder, name: str) -> Names:
    """Multiply an encounter's weight by five."""
    return _weighed(folder, name, 5)


def never_deep_enough(folder: Folder, name: str) -> Names:
    """Restrict an encounter to depths that no world has."""
    folder.put("encounters", name, "depth", value="7..9")
    return [(name,)]


def several(base: Base) -> list[str]:
    """Return the encounters that worlds have more than once, without a limit for the world."""
    return sorted(
        name
        for name, copies in base.copies.items()
        if copies >= SOME and not base.folder.get("encounters", name, "limit", "world")
    )


def once_in_a_world(folder: Folder, name: str) -> Names:
    """Limit an encounter to one copy in a world."""
    return _bounded(folder, name, "limit", "world", "1")


def too_far(folder: Folder, name: str) -> Names:
    """Keep an encounter farther from the entrance than most maps reach."""
    return _bounded(folder, name, "far_from", "entrance", "110")


def in_plain_rooms(base: Base) -> list[str]:
    """Return the common encounters with prefabs, default placing and no lock."""
    free = ("placing", "lock", "access", "variants")
    return [
        name
        for name in common(base)
        if base.folder.get("encounters", name, "prefabs")
        and not any(base.folder.get("encounters", name, key) for key in free)
    ]


def needless_lock(folder: Folder, name: str) -> Names:
    """Lock an encounter that had no lock."""
    folder.put("encounters", name, "lock", value="paymaster")
    return [(name,), ("paymaster",)]


def usual_prefabs(base: Base) -> list[str]:
    """Return frequent text-drawn prefabs of encounters, without machines."""
    plain = {"map", "legend", "legends", "vary", "parameters", "tags"}
    drawn = set(base.folder.names("prefabs"))
    return sorted(
        name
        for name, count in base.prefabs.items()
        if count >= OFTEN and name in drawn and set(base.folder.get("prefabs", name)) <= plain
    )


def too_large(folder: Folder, prefab: str) -> Names:
    """Make a prefab larger than any room by repeating its middle."""
    columns, rows = TOO_LARGE
    drawing = folder.get("prefabs", prefab, "map").splitlines()
    width = max(map(len, drawing))
    drawing = [_stretched(row.ljust(width), columns) for row in drawing]
    drawn = "\\n".join(row.replace("\\", "\\\\").replace('"', '\\"') for row in _stretched(drawing, rows))
    folder.put("prefabs", prefab, "map", value=f'"{drawn}"')
    users = [
        name
        for name in folder.names("encounters")
        if folder.get("encounters", name, "prefabs") in (prefab, [prefab])
    ]
    return [(prefab,), *((name,) for name in users)]


# --- Maps and locks ----------------------------------------------------------------------------------------------


def populated(kind: str) -> Callable[[Base], list[str]]:
    """Return a function that finds the types of map whose population has objects of a kind."""

    def found(base: Base) -> list[str]:
        return [name for name in sorted(base.maps) if any(True for _ in _rows(base.folder, name, kind))]

    return found


def double_robots(folder: Folder, name: str) -> Names:
    """Double the robots in the population of a type of map, and its threat budget."""
    for at in _rows(folder, name, "robot"):
        row = folder.get("maps", name, "population", at)
        key = "density" if "density" in row else "count"
        folder.put("maps", name, "population", at, key, value=_times(row.get(key, "1"), 2))
    threat = folder.get("maps", name, "budget", "threat")
    if threat:
        folder.put("maps", name, "budget", "threat", value=_times(threat, 2))
    return [(name, "robot"), (name, "threat"), (name, "population")]


def no_items(folder: Folder, name: str) -> Names:
    """Remove the items from the population of a type of map."""
    for at in _rows(folder, name, "item"):
        folder.put("maps", name, "population", at, "count", value="0")
    return [(name, word) for word in ("item", "worth", "reward", "population")]


def trapped_ways(folder: Folder, name: str) -> Names:
    """Scatter traps over the corridors of a type of map."""
    folder.add("maps", name, "population", value="{trap: {class: footing}, density: 8, at: corridors}")
    footing = [tag for tag in folder.names("objects") if folder.get("objects", tag, "class") == "footing"]
    return [(name, "trap"), *(name for tag in footing for name in _called(folder, tag))]


def no_supply(folder: Folder, category: str) -> Names:
    """Remove healing items from the population of every map."""
    for name in folder.names("maps"):
        for at in _rows(folder, name, "item"):
            if folder.get("maps", name, "population", at, "item") == {"category": category}:
                folder.put("maps", name, "population", at, "count", value="0")
    tags = [tag for tag in folder.names("objects") if folder.get("objects", tag, "category") == category]
    return [(category,), *(name for tag in tags for name in _called(folder, tag))]


def unlocked(base: Base) -> list[str]:
    """Return the generated types of map that have no locks."""
    return [
        name
        for name in sorted(base.maps)
        if not base.folder.get("maps", name, "locks")
        and "static" not in (base.folder.get("maps", name, "layout") or {})
    ]


def barred_ways(folder: Folder, name: str) -> Names:
    """Lock the way out of a type of map."""
    folder.put("maps", name, "locks", value="{bulkhead: {count: 1, on: way}}")
    return [("bulkhead",), (name, "lock")]


def usual_locks(base: Base) -> list[str]:
    """Return the words of frequent locks for which the level provides keys."""
    known = base.folder.names("locks")
    return sorted(word for word, share in base.locked.items() if share >= SELDOM and word in known)


def far_key(folder: Folder, word: str) -> Names:
    """Put keys as far from their locks as the map allows."""
    folder.put("locks", word, "distance", value="95%..")
    users = [
        name for name in folder.names("encounters") if word in (folder.get("encounters", name, "lock") or ())
    ]
    return [(word,), *((name,) for name in users)]


KINDS = {
    "double_robot": Kind(fought, double_robot),
    "tame_robot": Kind(hard, tame_robot),
    "early_robot": Kind(deep_robots, early_robot),
    "early_item": Kind(deep_items, early_item),
    "deadly_trap": Kind(hurting_traps, deadly_trap),
    "weak_mending": Kind(menders, weak_mending),
    "halved": Kind(not_quite_sure, halved),
    "fivefold": Kind(rare, fivefold),
    "never_deep_enough": Kind(common, never_deep_enough),
    "once_in_a_world": Kind(several, once_in_a_world),
    "too_far": Kind(common, too_far),
    "needless_lock": Kind(in_plain_rooms, needless_lock),
    "too_large": Kind(usual_prefabs, too_large),
    "double_robots": Kind(populated("robot"), double_robots),
    "no_items": Kind(populated("item"), no_items),
    "trapped_ways": Kind(populated("trap"), trapped_ways),
    "no_supply": Kind(lambda _: ["supply"], no_supply),
    "barred_ways": Kind(unlocked, barred_ways),
    "far_key": Kind(usual_locks, far_key),
}
"""Name -> kind."""


def _called(folder: Folder, tag: str) -> Names:
    """Return the names of an object: its tag, or the name that players read."""
    return [(tag,), (folder.get("objects", tag, "name") or tag,)]


def _shared(base: Base, least: float, most: float) -> list[str]:
    """Return the encounters whose share of worlds is in a range and whose weights do not depend on depth."""
    return sorted(
        name
        for name, share in base.shares.items()
        if least <= share <= most
        and all(isinstance(weight, str) for weight in base.folder.get("encounters", name, "maps").values())
    )


def _weighed(folder: Folder, name: str, times: float) -> Names:
    """Multiply the weights of an encounter."""
    for each, weight in folder.get("encounters", name, "maps").items():
        worth = float(folder.get("weights", weight) if weight in folder.names("weights") else weight)
        folder.put("encounters", name, "maps", each, value=f"{worth * times:g}")
    return [(name,)]


def _bounded(folder: Folder, name: str, bounds: str, key: str, value: str) -> Names:
    """Set a bound of an encounter, such as its limit for the world."""
    if folder.get("encounters", name, bounds):
        folder.put("encounters", name, bounds, key, value=value)
    else:
        folder.put("encounters", name, bounds, value=f"{{{key}: {value}}}")
    return [(name,)]


def _rows(folder: Folder, name: str, kind: str) -> Iterator[int]:
    """Yield the indices of the rows of a map's population that ask for a kind."""
    rows = folder.get("maps", name, "population") or []
    yield from (at for at, row in enumerate(rows) if kind in row)


def _times(value: object, times: int) -> str:
    """Return a number, a range or numbers by depth, multiplied by `times`, as YAML."""
    if isinstance(value, dict):
        by_depth = {key: _times(each, times) for key, each in value.items()}
        return f"{{{', '.join(f'{key}: {each}' for key, each in by_depth.items())}}}"
    return "..".join(f"{float(end) * times:g}" for end in str(value).split(".."))


def _stretched(row: str | list[str], length: int) -> str | list[str]:
    """Return a row or list stretched to at least `length` by repeating its middle."""
    middle = len(row) // 2
    return row[:middle] + row[middle : middle + 1] * max(length - len(row) + 1, 1) + row[middle + 1 :]
