"""Ways to solve encounters, read from the objects in their copies: for the tests and for `docs/writer/ways.py`."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dungeon import Level, Lock, Placement, Spawn

OFTEN: Final = 0.2
"""A way counts for an encounter if so many of its copies have it."""
LURED: Final = {"guard", "hunt", "swarm"}
"""The behaviours of robots that go where they hear something."""
AVOIDING: Final = {"lure away", "slip past", "leave it"}
"""Ways around what an encounter is about."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A copy of an encounter: what stands in it, and the locks of its doors."""

    level: Level
    placement: Placement
    spawns: tuple[Spawn, ...]
    locks: tuple[Lock, ...]

    @property
    def fighters(self) -> list[Spawn]:
        """The robots that do damage."""
        return [
            each
            for each in self.spawns
            if each.kind == "robot" and (power(each) or "shoots" in each.keywords)
        ]

    @property
    def boxes(self) -> list[str]:
        """The words that its boxes are locked with."""
        return [str(each.keywords["lock"]) for each in self.spawns if "lock" in each.keywords]

    @property
    def words(self) -> set[str]:
        """The words of all that is locked in it."""
        return {*self.boxes, *(lock.word for lock in self.locks)}

    @property
    def openers(self) -> list[Spawn]:
        """What opens any of that, wherever on the level it is."""
        every = (each for one in self.level.spawns for each in (one, *one.loadout))
        return [each for each in every if each.keywords.get("opens") in self.words]

    @property
    def is_dug_into(self) -> bool:
        """Whether the ground around it may be dug."""
        box = self.placement.bounds
        rows = slice(max(box.y - 1, 1), box.y + box.height + 1)
        columns = slice(max(box.x - 1, 1), box.x + box.width + 1)
        around = self.level.terrain_set.diggable[self.level.terrain[rows, columns]]
        return bool(around.mean() > 0.1)

    def has(self, keyword: str, kind: str = "prop") -> bool:
        """Tell whether anything of a kind says a keyword."""
        return any(each.kind == kind and keyword in each.keywords for each in self.spawns)


def power(robot: Spawn) -> int:
    """Return the most damage of a robot's blows."""
    value = robot.keywords.get("attack", 0)
    return value if isinstance(value, int) else 0


WAYS: Final[dict[str, Callable[[Scene], bool]]] = {
    "fight": lambda scene: bool(scene.fighters),
    "lure away": lambda scene: any(each.keywords.get("behaviour") in LURED for each in scene.fighters),
    "slip past": lambda scene: bool(scene.fighters) and any(each.kind == "item" for each in scene.spawns),
    "trap them": lambda scene: bool(scene.fighters) and any(each.kind == "trap" for each in scene.spawns),
    "shut down": lambda scene: bool(scene.fighters) and scene.has("terminal"),
    "ask": lambda scene: not scene.fighters and scene.has("terminal"),
    "blow up": lambda scene: scene.has("explodes") and bool(scene.fighters or scene.words),
    "disarm": lambda scene: any(each.kind == "trap" for each in scene.spawns),
    "key": lambda scene: any(each.kind == "item" and "code" not in each.keywords for each in scene.openers),
    "code": lambda scene: any("code" in each.keywords for each in scene.openers),
    "lever": lambda scene: any(each.kind == "prop" for each in scene.openers),
    "force": lambda scene: bool(scene.boxes) or bool(scene.locks and not WAYS["lever"](scene)),
    "dig in": lambda scene: bool(scene.locks) and scene.is_dug_into,
    "leave it": lambda scene: scene.placement.category == "risk",
}
"""What can be done about an encounter, and whether it can about a copy."""


def scenes(level: Level) -> Iterator[Scene]:
    """Yield the encounters of a level."""
    for index, placement in enumerate(level.placements):
        if placement.encounter:
            box = placement.bounds
            locks = [
                lock
                for lock in level.locks
                if box.y - 1 <= lock.y <= box.y + box.height and box.x - 1 <= lock.x <= box.x + box.width
            ]
            spawns = tuple(each for each in level.spawns if each.placement == index)
            yield Scene(level, placement, spawns, tuple(locks))


@dataclass(frozen=True, slots=True)
class Solved:
    """How an encounter can be solved.

    Attributes:
        copies: How many copies of it were looked at.
        shares: Way -> in which share of them it is there, the commonest first.
    """

    copies: int
    shares: dict[str, float]

    @property
    def ways(self) -> set[str]:
        """Those that are there often enough."""
        return {way for way, share in self.shares.items() if share >= OFTEN}


def solved(levels: Iterable[Level]) -> dict[str, Solved]:
    """Return how each encounter can be solved that is on some levels, by its name, in order of their names."""
    copies: Counter[str] = Counter()
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for scene in (each for level in levels for each in scenes(level)):
        name = scene.placement.encounter
        copies[name] += 1
        found[name].update(way for way, can in WAYS.items() if can(scene))
    return {
        name: Solved(copies[name], {way: count / copies[name] for way, count in found[name].most_common()})
        for name in sorted(copies)
    }
