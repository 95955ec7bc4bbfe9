"""In how many ways each encounter of `data/` can be solved: told by what stands in its copies, in worlds made for it.

Run from the checkout's root: `python benchmarks/ways.py [worlds]`, by default 24. It prints the table of `docs/ways-of-the-demo.md`.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import dungeon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dungeon import Level, Lock, Placement, Spawn

CHECKOUT = Path(__file__).parent.parent
WORLDS: Final = 24
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


def main(worlds: int) -> None:
    """Make the worlds, and print the table."""
    content = dungeon.load_content(CHECKOUT / "data")
    copies: Counter[str] = Counter()
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for seed in range(worlds):
        world = dungeon.World(content, seed)
        for node in world.maps:
            for scene in scenes(world.level(node.id)):
                copies[scene.placement.encounter] += 1
                ways = [way for way, can in WAYS.items() if can(scene)]
                found[scene.placement.encounter].update(ways)
    rows = {
        name: [(way, count / copies[name]) for way, count in found[name].most_common()]
        for name in sorted(copies)
    }
    often = {name: [way for way, share in ways if share >= OFTEN] for name, ways in rows.items()}
    active = sum(len(set(ways) - AVOIDING) > 1 for ways in often.values())
    several, none = sum(len(ways) > 1 for ways in often.values()), sum(not ways for ways in often.values())
    print(
        f"Of {len(rows)} encounters, {several} ({several / len(rows):.0%}) can be solved in two ways or more,"
    )
    print(
        f"{active} of them if luring robots away, slipping past them and leaving things alone is not counted;"
    )
    print(f"{len(rows) - several - none} in one; {none} have nothing to be solved.\n")
    print("| encounter | category | copies | ways, and in how many of the copies |\n|---|---|--:|---|")
    for name, ways in rows.items():
        told = ", ".join(f"{way} {share:.0%}" for way, share in ways if share >= OFTEN)
        print(f"| {name} | {content.encounters[name].category} | {copies[name]} | {told or '-'} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else WORLDS)
