"""The rules of the proof for `near` and `far_from` of encounters, in walking steps on the finished map, and for robots in sight of the entrance.

Generation measures these distances when it places an encounter. Later stages change the map in two ways: rooms without an
encounter lose corners, and dressing lays lakes, rivers and chasms. So the rule for distances measures on two masks (`_WalkedGround`):
"too far" is reported only if it holds on the widest ground, and "too near" only if it holds on the narrowest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.models.dressing import BodyEntry
from dungeon.core.vocabulary import ARRIVAL, EXITS
from dungeon.grid.rect import Cell, Rect
from dungeon.proof.flat import on_map, placement_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.models.encounters import EncounterEntry
    from dungeon.level.model import Level, Placement
    from dungeon.proof.fields import Finding
    from dungeon.proof.world_rules import LevelOrigin


def world_spacing(origin: LevelOrigin) -> Iterator[Finding]:
    """Every encounter keeps the walking distances that its entry declares with `near` and `far_from`."""
    entries = origin.content.encounters
    placements = [each for each in origin.level.placements if each.encounter in entries]
    if any(entries[each.encounter].far_from or entries[each.encounter].near for each in placements):
        ground = _WalkedGround(origin)
        for placement in placements:
            for text in _wrong_distances(placement, placements, entries, ground):
                yield f"{placement_name(placement)} {text}", placement.bounds.y, placement.bounds.x


def _wrong_distances(
    placement: Placement,
    placements: Sequence[Placement],
    entries: Mapping[str, EncounterEntry],
    ground: _WalkedGround,
) -> Iterator[str]:
    """Yield each `near` or `far_from` distance that a placed encounter does not keep, as the end of a sentence.

    Example: ``is less than 20 steps from stairs``.

    Args:
        placement: The placed encounter.
        placements: All placed encounters.
        entries: Their entries in the content.
        ground: The walkable cells of the level.
    """
    entry = entries[placement.encounter]
    for said, near in ((entry.far_from, False), (entry.near, True)):
        for word, steps in said.items():
            if word in (ARRIVAL, EXITS):
                there = ground.stairs(word)
            else:
                others = [each for each in placements if each is not placement]
                there = ground.covered_by(each for each in others if _is_named_by(each, entries, word))
            own = ground.covered_by([placement])
            if near and not there.any():
                if word not in (ARRIVAL, EXITS):
                    yield f"must be near {word}, but nothing of this name is on the level"
            elif near and not ground.leads(own, there, steps, ground.widest):
                yield f"is more than {steps} steps from {word}"
            elif not near and ground.leads(own, there & ~own, steps - 1, ground.narrowest):
                yield f"is less than {steps} steps from {word}"


def _is_named_by(placement: Placement, entries: Mapping[str, EncounterEntry], word: str) -> bool:
    """Tell whether `word`, as written under `near` or `far_from`, is the name, the category or a group of the placed encounter."""
    entry = entries[placement.encounter]
    groups = entry.group
    return word in (placement.encounter, entry.category, *groups.map, *groups.branch, *groups.world)


class _WalkedGround:
    """The cells that were walkable before lakes, rivers and chasms were laid: a lower and an upper bound. Doors count as open.

    Attributes:
        narrowest: (height, width) bool, the cells that were certainly walkable. They are passable now, and their terrain is not
            one of a lake, river or chasm, its banks or its crossings.
        widest: (height, width) bool, the cells that may have been walkable. They are passable now, or have such terrain, or are
            closed cells within the bounding box of a room.
    """

    def __init__(self, origin: LevelOrigin) -> None:
        self.level: Level = origin.level
        level, passable = origin.level, origin.level.terrain_set.passable
        walked: NDArray[np.bool_] = passable.take(level.terrain)
        bed = _beds(origin).take(level.terrain)
        self.narrowest = walked & ~bed
        self.widest = walked | bed
        closed = ~level.terrain_set.open.take(level.terrain)
        for region in level.regions:
            if region.kind == "room":
                area = on_map(level, region.bounds)
                self.widest[area] |= closed[area]

    def stairs(self, word: str) -> NDArray[np.bool_]:
        """Return (height, width) bool: the entrance and the stairs up of towers if `word` is `ARRIVAL`, else all exits."""
        level = self.level
        found = np.zeros(level.terrain.shape, np.bool_)
        ways = level.ways_back if word == ARRIVAL else level.exits
        cells = [*([level.entrance] if word == ARRIVAL else []), *((way.y, way.x) for way in ways)]
        for y, x in cells:
            found[on_map(level, Rect(y, x, 1, 1))] = True
        return found

    def covered_by(self, placements: Iterable[Placement]) -> NDArray[np.bool_]:
        """Return (height, width) bool: the cells that these placements cover.

        A placement covers its bounds; a scattered one covers the cells of its region within its bounds.
        """
        found = np.zeros(self.level.terrain.shape, np.bool_)
        for each in placements:
            area = on_map(self.level, each.bounds)
            found[area] |= (self.level.region[area] == each.region) if each.scattered else True
        return found

    @staticmethod
    def leads(start: NDArray[np.bool_], goal: NDArray[np.bool_], steps: int, ways: NDArray[np.bool_]) -> bool:
        """Tell whether at most `steps` steps lead from a cell of `start` to a cell of `goal` over the cells `ways`.

        All are (height, width) bool. Start and goal cells need not be in `ways`.
        """
        front = reached = start
        for _ in range(steps):
            if not front.any() or (reached & goal).any():
                break
            front = _beside(front) & ~reached
            reached = reached | front
            front = front & ways
        return bool((reached & goal).any())


def _beds(origin: LevelOrigin) -> NDArray[np.bool_]:
    """Return (256,) bool: the terrain codes of which the map's lakes, rivers and chasms may be made, banks and crossings included."""
    found = np.zeros(256, np.bool_)
    for each in origin.entry.dressing if origin.entry is not None else ():
        if isinstance(each, BodyEntry):
            names = [name for _, value, _ in each.terrain() for name in value.outcomes()]
            found[[origin.codes[name] for name in names if name in origin.codes]] = True
    for table in origin.content.themes.values():
        found[table[found]] = True
    return found


def _beside(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the cells that share an edge with a set cell; a set cell is included only if a neighbour is set."""
    found = np.zeros(cells.shape, np.bool_)
    found[1:] |= cells[:-1]
    found[:-1] |= cells[1:]
    found[:, 1:] |= cells[:, :-1]
    found[:, :-1] |= cells[:, 1:]
    return found


def world_sight(origin: LevelOrigin) -> Iterator[Finding]:
    """No robot of a map's population stands in sight of the entrance or of a tower's stairs up, unless its entry says `in_sight`."""
    level = origin.level
    population = origin.entry.population if origin.entry is not None else ()
    hiding = [f"population {number}" for number, each in enumerate(population, 1) if not each.in_sight]
    whole = Rect(0, 0, level.height, level.width)
    eyes = [Cell(*level.entrance), *(Cell(way.y, way.x) for way in level.ways_back)]
    eyes = [eye for eye in dict.fromkeys(eyes) if whole.contains(*eye)]
    for spawn in level.spawns if eyes else ():
        if spawn.like != "robot" or spawn.placement is not None or spawn.source not in hiding:
            continue
        cell = Cell(spawn.y, spawn.x)
        if whole.contains(*cell) and any(_sees(level, eye, cell) for eye in eyes):
            yield f"{spawn.tag} stands in sight of the entrance", *cell


def _sees(level: Level, one: Cell, other: Cell) -> bool:
    """Tell whether all cells on the straight line between the middles of two cells are transparent.

    Where the line passes exactly between two cells, both must be transparent. The two cells themselves don't count.
    """
    steps = max(abs(there - here) for here, there in zip(one, other, strict=True))
    return all(
        level.transparent[y, x]
        for step in range(1, steps)
        for y in _line_cells(one[0], other[0], step, steps)
        for x in _line_cells(one[1], other[1], step, steps)
    )


def _line_cells(here: int, there: int, step: int, steps: int) -> tuple[int, ...]:
    """Return the row (or column) of a line after `step` of its `steps`; two rows if it passes exactly between them.

    The line leads from row `here` to row `there`. (0, 2, 1, 4) -> (0, 1): half a row down is exactly between rows 0 and 1.
    """
    double = 2 * (there - here) * step + steps
    low, rest = divmod(double, 2 * steps)
    return (here + low,) if rest else (here + low - 1, here + low)
