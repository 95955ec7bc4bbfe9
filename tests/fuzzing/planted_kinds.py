"""The kinds of imbalance that can be planted: their victims, their edits, and the names that identify them.

A victim must matter: how often something comes is taken from worlds of the content as it was, so that a few hundred worlds
can tell the difference. Whoever looks for it is told nothing of this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planted_base import Base
    from planted_edits import Folder

OFTEN, SELDOM = 0.4, 0.15
"""The share of worlds that have what often comes, and what seldom does."""
SOME = 1.3
"""How many of something a world has, if it has more than one of it."""
MENDS = 5
"""How much an item mends that is worth carrying."""
TOO_LARGE = 45, 30
"""Columns and rows for which no room of the demo has space."""

Names = list[tuple[str, ...]]
"""What names the truth: a line that has all words of one of these."""


class Kind(NamedTuple):
    """A kind of imbalance.

    Attributes:
        victims: Whom it may befall.
        plant: Plants it in a copy of the content, and returns what names it.
    """

    victims: Callable[[Base], list[str]]
    plant: Callable[[Folder, str], Names]


# --- Robots, traps and items ------------------------------------------------------------------------------------


def fought(base: Base) -> list[str]:
    """Return the robots with which bots fight often."""
    return sorted(tag for tag, count in base.fought.items() if count >= OFTEN)


def hard(base: Base) -> list[str]:
    """Return those of them whose blows hurt."""
    return [tag for tag in fought(base) if int(base.folder.get("objects", tag, "data", "attack") or 0) >= 2]


def double_robot(folder: Folder, tag: str) -> Names:
    """Double what a robot takes, and what its blows do."""
    for key in ("hp", "attack"):
        folder.put("objects", tag, "data", key, value=_times(folder.get("objects", tag, "data", key), 2))
    return _called(folder, tag)


def tame_robot(folder: Folder, tag: str) -> Names:
    """Make a robot harmless: it never strikes."""
    folder.put("objects", tag, "data", "attack", value="0")
    return _called(folder, tag)


def deep_robots(base: Base) -> list[str]:
    """Return the robots from depth 3 of whose classes there are others on the first maps."""
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
    """Rate a robot from further down for depth 1, where its class is asked for."""
    folder.put("objects", tag, "depth", value="1")
    return _called(folder, tag)


def deep_items(base: Base) -> list[str]:
    """Return the items that are rated for depth 3 and more, and have no place of their own."""
    return [
        tag
        for tag in base.tags("item")
        if int(base.folder.get("objects", tag, "depth") or 0) >= 3
        and base.folder.get("objects", tag, "weight") != "never"
    ]


def early_item(folder: Folder, tag: str) -> Names:
    """Strew an item from further down over the first maps that have items."""
    folder.add("maps", "galleries", "population", value=f"{{item: {tag}, count: 2..4, depth: 1}}")
    return _called(folder, tag)


def hurting_traps(base: Base) -> list[str]:
    """Return the traps that hurt and are not seen before, of which there are some."""
    get = base.folder.get
    return [
        tag
        for tag in base.tags("trap")
        if base.many("trap", tag) >= SOME
        and int(get("objects", tag, "data", "damage") or 0) > 0
        and get("objects", tag, "data", "hidden") != "false"
    ]


def deadly_trap(folder: Folder, tag: str) -> Names:
    """Make a trap hurt five times as much."""
    folder.put(
        "objects", tag, "data", "damage", value=_times(folder.get("objects", tag, "data", "damage"), 5)
    )
    return _called(folder, tag)


def menders(base: Base) -> list[str]:
    """Return the items that mend much, of which there are some."""
    return [
        tag
        for tag in base.tags("item")
        if base.many("item", tag) >= SOME
        and int(base.folder.get("objects", tag, "data", "repair") or 0) >= MENDS
    ]


def weak_mending(folder: Folder, tag: str) -> Names:
    """Let an item that mends do next to nothing."""
    folder.put("objects", tag, "data", "repair", value="1")
    return _called(folder, tag)


# --- Encounters and prefabs --------------------------------------------------------------------------------------


def common(base: Base) -> list[str]:
    """Return the encounters that most worlds have."""
    return sorted(name for name, share in base.shares.items() if share >= OFTEN)


def halved(folder: Folder, name: str) -> Names:
    """Halve the weight of an encounter."""
    return _weighed(folder, name, 0.5)


def not_quite_sure(base: Base) -> list[str]:
    """Return the encounters that many worlds have, and many have not: their weights decide."""
    return _shared(base, OFTEN, 0.8)


def rare(base: Base) -> list[str]:
    """Return the encounters that some worlds have, and most have not."""
    return _shared(base, SELDOM, OFTEN)


def fivefold(folder: Folder, name: str) -> Names:
    """Make the weight of an encounter five times as large."""
    return _weighed(folder, name, 5)


def never_deep_enough(folder: Folder, name: str) -> Names:
    """Let an encounter come at depths that no world has."""
    folder.put("encounters", name, "depth", value="7..9")
    return [(name,)]


def several(base: Base) -> list[str]:
    """Return the encounters of which a world has more than one, by no limit of the world's."""
    return sorted(
        name
        for name, copies in base.copies.items()
        if copies >= SOME and not base.folder.get("encounters", name, "limit", "world")
    )


def once_in_a_world(folder: Folder, name: str) -> Names:
    """Let a world have an encounter once."""
    return _bounded(folder, name, "limit", "world", "1")


def too_far(folder: Folder, name: str) -> Names:
    """Keep an encounter farther from the entrance than most maps reach."""
    return _bounded(folder, name, "far_from", "entrance", "110")


def in_plain_rooms(base: Base) -> list[str]:
    """Return the encounters that take rooms as they come, and that nothing locks."""
    free = ("placing", "lock", "access", "variants")
    return [
        name
        for name in common(base)
        if base.folder.get("encounters", name, "prefabs")
        and not any(base.folder.get("encounters", name, key) for key in free)
    ]


def needless_lock(folder: Folder, name: str) -> Names:
    """Lock an encounter that nobody had locked."""
    folder.put("encounters", name, "lock", value="paymaster")
    return [(name,), ("paymaster",)]


def usual_prefabs(base: Base) -> list[str]:
    """Return the prefabs of encounters that are drawn as text, without machines, and that many worlds have."""
    plain = {"map", "legend", "legends", "vary", "parameters", "tags"}
    drawn = set(base.folder.names("prefabs"))
    return sorted(
        name
        for name, count in base.prefabs.items()
        if count >= OFTEN and name in drawn and set(base.folder.get("prefabs", name)) <= plain
    )


def too_large(folder: Folder, prefab: str) -> Names:
    """Draw a prefab larger than any room, by repeating its middle."""
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
    """Return what finds the types of map that ask for objects of a kind, beside what encounters bring."""

    def found(base: Base) -> list[str]:
        return [name for name in sorted(base.maps) if any(True for _ in _rows(base.folder, name, kind))]

    return found


def double_robots(folder: Folder, name: str) -> Names:
    """Double the robots that are strewn over a type of map, and the threat that it may hold."""
    for at in _rows(folder, name, "robot"):
        row = folder.get("maps", name, "population", at)
        key = "density" if "density" in row else "count"
        folder.put("maps", name, "population", at, key, value=_times(row.get(key, "1"), 2))
    threat = folder.get("maps", name, "budget", "threat")
    if threat:
        folder.put("maps", name, "budget", "threat", value=_times(threat, 2))
    return [(name, "robot"), (name, "threat"), (name, "population")]


def no_items(folder: Folder, name: str) -> Names:
    """Strew no items over a type of map."""
    for at in _rows(folder, name, "item"):
        folder.put("maps", name, "population", at, "count", value="0")
    return [(name, word) for word in ("item", "worth", "reward", "population")]


def trapped_ways(folder: Folder, name: str) -> Names:
    """Lay traps on all passages of a type of map."""
    folder.add("maps", name, "population", value="{trap: {class: footing}, density: 8, at: corridors}")
    footing = [tag for tag in folder.names("objects") if folder.get("objects", tag, "class") == "footing"]
    return [(name, "trap"), *(name for tag in footing for name in _called(folder, tag))]


def no_supply(folder: Folder, category: str) -> Names:
    """Strew nothing that mends over any map."""
    for name in folder.names("maps"):
        for at in _rows(folder, name, "item"):
            if folder.get("maps", name, "population", at, "item") == {"category": category}:
                folder.put("maps", name, "population", at, "count", value="0")
    tags = [tag for tag in folder.names("objects") if folder.get("objects", tag, "category") == category]
    return [(category,), *(name for tag in tags for name in _called(folder, tag))]


def unlocked(base: Base) -> list[str]:
    """Return the types of map that are made, and not drawn, and have no locks of their own."""
    return [
        name
        for name in sorted(base.maps)
        if not base.folder.get("maps", name, "locks")
        and "static" not in (base.folder.get("maps", name, "layout") or {})
    ]


def barred_ways(folder: Folder, name: str) -> Names:
    """Bar the way out of a type of map."""
    folder.put("maps", name, "locks", value="{bulkhead: {count: 1, on: way}}")
    return [("bulkhead",), (name, "lock")]


def usual_locks(base: Base) -> list[str]:
    """Return the words that something is locked with in many worlds, and whose keys a level deals out."""
    known = base.folder.names("locks")
    return sorted(word for word, share in base.locked.items() if share >= SELDOM and word in known)


def far_key(folder: Folder, word: str) -> Names:
    """Put keys as far from their locks as the map reaches."""
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
"""All kinds, by name."""


def _called(folder: Folder, tag: str) -> Names:
    """Return what names an object: its tag, or what the player reads."""
    return [(tag,), (folder.get("objects", tag, "name") or tag,)]


def _shared(base: Base, least: float, most: float) -> list[str]:
    """Return the encounters that such a share of worlds has, and whose weights are the same at all depths."""
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
    """Set one of the bounds that an encounter has, or is to have."""
    if folder.get("encounters", name, bounds):
        folder.put("encounters", name, bounds, key, value=value)
    else:
        folder.put("encounters", name, bounds, value=f"{{{key}: {value}}}")
    return [(name,)]


def _rows(folder: Folder, name: str, kind: str) -> Iterator[int]:
    """Yield the places of those rows of a map's population that ask for a kind."""
    rows = folder.get("maps", name, "population") or []
    yield from (at for at, row in enumerate(rows) if kind in row)


def _times(value: object, times: int) -> str:
    """Return a number, a range or numbers by depth, so many times as large, as YAML."""
    if isinstance(value, dict):
        by_depth = {key: _times(each, times) for key, each in value.items()}
        return f"{{{', '.join(f'{key}: {each}' for key, each in by_depth.items())}}}"
    return "..".join(f"{float(end) * times:g}" for end in str(value).split(".."))


def _stretched(row: str | list[str], length: int) -> str | list[str]:
    """Return a row, or a list, that is at least so long, by repeating its middle."""
    middle = len(row) // 2
    return row[:middle] + row[middle : middle + 1] * max(length - len(row) + 1, 1) + row[middle + 1 :]
