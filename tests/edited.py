"""How much of a level stays the same after a small edit: for the tests and for `tests/fuzzing/edits.py`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import dungeon

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from dungeon import Level, Rect


@dataclass(slots=True, kw_only=True)
class Kept:
    """How much of some levels an edit has kept.

    Attributes:
        levels: How many there are; `same`: how many of them are the same to the byte.
        entered: How many have something in them that only the edited content has.
        placements: How many encounters the levels that are not the same had, but for those that have no turn any more.
        moved: How many of these lie elsewhere, or otherwise; `displaced`: how many of them because what only the edited content
            has lies where they lay.
        entrances: How many entrances these levels had; `stayed`: how many of them are where they were.
        exits: How many exits they had; `left`: how many of them are where they were.
        spawns: How many objects they had outside of what has moved or gone; `standing`: how many of them stand there still.
    """

    levels: int = 0
    same: int = 0
    entered: int = 0
    placements: int = 0
    moved: int = 0
    displaced: int = 0
    entrances: int = 0
    stayed: int = 0
    exits: int = 0
    left: int = 0
    spawns: int = 0
    standing: int = 0

    def take(self, before: Level, after: Level, known: dungeon.Content) -> None:
        """Compare a level with what it is when content has been edited; `known` is the content before."""
        self.levels += 1
        new = [_site(each, after) for each in _encounters(after) if each.encounter not in known.encounters]
        self.entered += bool(new)
        if dungeon.to_json(before) == dungeon.to_json(after):
            self.same += 1
            return
        was, now = (Counter(map(_lying, _encounters(level))) for level in (before, after))
        names = Counter(each.encounter for each in _encounters(after))
        for name, count in Counter(each.encounter for each in _encounters(before)).items():
            still = min(count, names[name])
            kept = sum(_common(was, now, lambda lying, name=name: lying[0] == name))
            moved = still - min(still, kept)
            taken = [
                each
                for each in _encounters(before)
                if each.encounter == name
                and not now[_lying(each)]
                and any(site.overlaps(_site(each, before)) for site in new)
            ]
            self.placements += still
            self.moved += moved
            self.displaced += min(moved, len(taken))
        self.entrances += 1
        self.stayed += before.entrance == after.entrance
        self.exits += len(before.exits)
        self.left += len(set(before.exits) & set(after.exits))
        whole = {index for index, each in enumerate(before.placements) if now[_lying(each)]}
        there = Counter((each.tag, each.y, each.x) for each in after.spawns)
        stood = Counter(
            (each.tag, each.y, each.x)
            for each in before.spawns
            if each.placement is None or each.placement in whole
        )
        self.spawns += stood.total()
        self.standing += (stood & there).total()


def _encounters(level: Level) -> list[dungeon.Placement]:
    return [each for each in level.placements if each.encounter]


def _site(placement: dungeon.Placement, level: Level) -> Rect:
    """Return what something covers, and the walls of its room."""
    return placement.bounds.joined(level.regions[placement.region - 1].bounds).grown()


def _lying(placement: dungeon.Placement) -> tuple[Hashable, ...]:
    return placement.encounter, placement.prefab, placement.bounds, placement.orientation


def _common(
    one: Counter[tuple[Hashable, ...]],
    other: Counter[tuple[Hashable, ...]],
    wanted: Callable[[tuple[Hashable, ...]], bool],
) -> Iterable[int]:
    return (count for lying, count in (one & other).items() if wanted(lying))


def levels_of(content: dungeon.Content, seeds: Iterable[int], maps: Iterable[str] = ()) -> Iterator[Level]:
    """Yield the levels of some worlds, world by world; only those of the maps that are named, if any is."""
    asked = {*maps}
    for seed in seeds:
        world = dungeon.World(content, seed)
        yield from (world.level(node.id) for node in world.maps if not asked or node.name in asked)


def compared(levels: Iterable[Level], content: dungeon.Content, edited: dungeon.Content) -> dict[str, Kept]:
    """Return what an edit keeps of some levels, by the name of the map.

    Args:
        levels: The levels before the edit.
        content: The content they were made from.
        edited: The same content, edited.
    """
    found: dict[str, Kept] = {}
    for seed, group in groupby(levels, lambda level: level.seed):
        world = dungeon.World(edited, seed)
        for level in group:
            found.setdefault(world.node(level.id).name, Kept()).take(level, world.level(level.id), content)
    return found
