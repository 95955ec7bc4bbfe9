"""Random populations of maps and conditions of encounters: spawns, machines, mixes, budgets, companions.

Everything uses the names in a `Crowd` and can be loaded. Impossible conditions, such as an encounter both within one step of stairs and
twenty steps away from them, must be refused by the engine with a reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

Yaml = Any
"""What a YAML file holds."""

PLACES = ("anywhere", "rooms", "corridors", "doors", "walls", "middles")
CATEGORIES = ("fluff", "risk", "danger", "reward")
DEEPEST = 12


class Crowd(NamedTuple):
    """The objects that may be scattered.

    Attributes:
        robots: Robots as in a population: names, or ``{class: ...}``.
        traps: Traps, likewise.
        items: Items, likewise.
        debris: Debris, likewise.
        props: Props, likewise.
        machines: Names of machine prefabs.
    """

    robots: tuple[Yaml, ...]
    traps: tuple[Yaml, ...]
    items: tuple[Yaml, ...]
    debris: tuple[Yaml, ...]
    props: tuple[Yaml, ...]
    machines: tuple[str, ...]


def by_depth(luck: Random, low: float, high: float, *, whole: bool = False) -> Yaml:
    """Return a random number between `low` and `high`, either plain or by depth."""

    def number() -> float:
        drawn = luck.uniform(low, high)
        return round(drawn) if whole else round(drawn, 2)

    if luck.random() < 0.5:
        return number()
    depths = sorted(luck.sample(range(DEEPEST), luck.randint(1, 3)))
    told: dict[str, Yaml] = {"by_depth": {depth: number() for depth in depths}}
    return told | ({"stepped": True} if luck.random() < 0.3 else {})


def population(luck: Random, crowd: Crowd) -> list[Yaml]:
    """Return the population of a map."""
    entries = [_scattered(luck, crowd, of_map=True) for _ in range(luck.randint(0, 6))]
    return [each | ({"depth": f"{luck.randint(0, 5)}.."} if luck.random() < 0.2 else {}) for each in entries]


def content(luck: Random, crowd: Crowd) -> list[Yaml]:
    """Return the content of an encounter without prefabs, sometimes an ambush."""
    entries = [_scattered(luck, crowd, of_map=False) for _ in range(luck.randint(1, 3))]
    if luck.random() < 0.4:
        bait = {"item": luck.choice(crowd.items), "ambush": "alarm"}
        entries += [bait, {"robot": luck.choice(crowd.robots), "count": "1..3", "ambush": "alarm"}]
    return entries


def machines(luck: Random, crowd: Crowd) -> list[Yaml]:
    """Return the machines of a map."""
    return [
        {
            "prefabs": {name: luck.randint(1, 4) for name in luck.sample(crowd.machines, 2)},
            "count": f"{luck.randint(0, 3)}..{luck.randint(3, 6)}",
            "at": luck.choice(("wall", "middle", {"wall": 2, "middle": 1})),
        }
        for _ in range(luck.randint(0, 2))
    ]


def _scattered(luck: Random, crowd: Crowd, *, of_map: bool) -> Yaml:
    kinds = {
        "robot": crowd.robots,
        "trap": crowd.traps,
        "item": crowd.items,
        "debris": crowd.debris,
        "prop": crowd.props,
    }
    kind = luck.choice(("robot", "robot", *kinds))
    told: dict[str, Yaml] = {kind: luck.choice(kinds[kind])}
    if luck.random() < 0.4:
        told["density"] = by_depth(luck, 0, luck.choice((0.5, 4)))
    else:
        told["count"] = f"0..{luck.choice((2, 6, 30))}"
    if luck.random() < 0.4:
        told["at"] = {place: luck.randint(1, 4) for place in luck.sample(PLACES, luck.randint(1, 3))}
    if kind != "robot":
        return told | ({"drift": f"2..{luck.randint(2, 12)}"} if luck.random() < 0.4 else {})
    if luck.random() < 0.4:
        told["followers"] = [
            {"robot": luck.choice(crowd.robots), "count": f"0..{luck.randint(1, 5)}"}
            for _ in range(luck.randint(1, 2))
        ]
    if luck.random() < 0.4:
        told["patrol"] = f"2..{luck.randint(2, 9)}"
    if of_map and luck.random() < 0.3:
        told["in_sight"] = True
    return told


def allowance(luck: Random, most: int) -> dict[str, Yaml]:
    """Return a map's number of encounters by depth, their mix, and their budget."""
    told: dict[str, Yaml] = {"encounters": by_depth(luck, 0, most, whole=True)}
    number = told["encounters"]
    left = max(number["by_depth"].values()) if isinstance(number, dict) else number
    if luck.random() < 0.4:
        mix = told["mix"] = {}
        for category in luck.sample(CATEGORIES, luck.randint(1, 3)):
            least = luck.randint(0, min(2, left))
            left -= least
            mix[category] = luck.choice((f"{least}..", f"{least}..{least + luck.randint(0, 3)}"))
    if luck.random() < 0.3:
        scope = luck.choice(("threat", "worth"))
        told["budget"] = {scope: by_depth(luck, 0, luck.choice((3, 40)))}
    if luck.random() < 0.2:
        told["nothing"] = luck.randint(1, 5)
    return told


def company(luck: Random, encounters: Mapping[str, dict[str, Yaml]], crowd: Crowd) -> None:
    """Give some encounters conditions on number, distance, groups and each other, and some of them content."""
    names = list(encounters)
    for number, entry in enumerate(encounters.values()):
        for name in ("far_from", "near"):  # drawn together below, so that they don't contradict each other
            entry.pop(name, None)
        entry.update(_apart(luck, names) | _numbers(luck, entry) | _bonds(luck, names[:number]))
        if luck.random() < 0.3:
            entry["content"] = content(luck, crowd)
        if luck.random() < 0.3:
            entry["access"] = luck.choice((1, "1..2", 2, "3.."))
        if luck.random() < 0.3:
            entry["maps"] = {where: by_depth(luck, 0, 5) for where in entry["maps"]}
    if luck.random() < 0.2:  # seldom: most random encounters don't fit on some map
        encounters[luck.choice(names)]["guaranteed"] = True


def _apart(luck: Random, names: list[str]) -> dict[str, Yaml]:
    """Return `far_from` and `near` of an encounter."""
    words = luck.sample(("entrance", "exits", *CATEGORIES, *names), 3)
    told: dict[str, Yaml] = {}
    if luck.random() < 0.4:
        told["far_from"] = {word: luck.randint(1, 40) for word in words[:2]}
    if luck.random() < 0.3:
        told["near"] = {words[2]: luck.randint(1, 60)}
    return told


def _numbers(luck: Random, entry: dict[str, Yaml]) -> dict[str, Yaml]:
    """Return `limit` or `least` of an encounter."""
    scopes: dict[str, tuple[Yaml, ...]] = {"map": (1, 2), "branch": (1, "1..3"), "world": (1, "1..3")}
    scope = luck.choice(tuple(scopes))
    told: dict[str, Yaml] = {}
    if luck.random() < 0.3:
        told = {"limit": {scope: luck.choice(scopes[scope])}, "least": {}}
    elif luck.random() < 0.3 and "limit" not in entry:
        told = {"least": {luck.choice(("map", "world")): luck.randint(1, 2)}}
    return told


def _bonds(luck: Random, others: list[str]) -> dict[str, Yaml]:
    """Return the group of an encounter, and the others that it requires, conflicts with or falls back to."""
    told: dict[str, Yaml] = {}
    if luck.random() < 0.3:
        group = luck.choice(("goods", "heaps"))
        told["group"] = luck.choice((group, {"branch": group}, {"world": group}))
    if others and luck.random() < 0.3:
        told[luck.choice(("requires", "conflicts"))] = luck.choice(others)
    if others and luck.random() < 0.3:
        told["fallback"] = luck.choice(others)
    return told
