"""Decide by the world seed where the towers of a world stand, before any of their levels is made.

A tower is a prefab on each of several maps, at one place. Its random streams are named after the tower, never after a map, so that each
level finds its floor alone, whichever level is made first. A place is tried on all maps of the tower: their features are laid around
the floor. So a level fails for its tower only if its layout can't be built around it.
"""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.values.grammar import roll
from dungeon.content.values.prefab_weights import share_odds
from dungeon.core.errors import GenerationError
from dungeon.core.frozen import Derived
from dungeon.core.streams import Streams
from dungeon.generation.atlas import maps_of
from dungeon.generation.encounters.shares import WorldMap, share_out
from dungeon.generation.openings.openings import openings
from dungeon.generation.seeding.candidates import fronts_of
from dungeon.generation.seeding.floors import TowerFloor, stacks
from dungeon.generation.seeding.ground import FeatureSpace
from dungeon.generation.seeding.places import FeaturePlace
from dungeon.generation.stages.brief import brief_of, finished
from dungeon.generation.stages.layout import map_size
from dungeon.generation.stages.seed import SEED_ATTEMPTS, seed
from dungeon.generation.world_keys import deal_keys
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.symmetry import Orientation
from dungeon.level.canvas import Canvas
from dungeon.level.model import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.library import Content
    from dungeon.content.models.towers import TowerEntry
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.values.grammar import Value
    from dungeon.generation.atlas import MapNode
    from dungeon.generation.encounters.shares import Shares
    from dungeon.generation.seeding.floors import Stack
    from dungeon.generation.stages.brief import Brief
    from dungeon.generation.world_keys import WorldKeys

MOST_STACKS = 12
"""Maximum number of stacks (choices of drawings for all floors) that are tried in each orientation."""

MOST_TRIALS = 60
"""Maximum number of places at which the features of all maps are laid around a tower, to see whether they fit."""

TRIES = 3
"""How often the features of a map are laid around a floor before the place counts as unfit."""

NO_MATCH = "the stairs down of its floor on {upper} nowhere match the stairs up of its floor on {lower}"
NO_ORIENTATION = "its prefabs permit no common orientation"
NO_SPACE = "its floor {prefab} has no space on {map_id}, which is {size}"
NO_PLACE = "none of the places that its keys allow is free on all its maps"


class Towers:
    """The towers of one world; their places are decided when a level is first asked for.

    Attributes:
        content: The content.
        seed: The world seed.
        nodes: Map id -> the map, for all maps of the world.
        shares: How many copies of each encounter with a world limit each map gets.
        keys: The keys of the world's locks that lie on other maps than their locks.
    """

    __slots__ = (
        "_above",
        "_absent",
        "_failures",
        "_floors",
        "_is_settled",
        "content",
        "keys",
        "nodes",
        "seed",
        "shares",
    )

    def __init__(
        self, content: Content, seed: int, nodes: Mapping[str, MapNode], shares: Shares, keys: WorldKeys
    ) -> None:
        self.content = content
        self.seed = seed
        self.nodes = nodes
        self.shares = shares
        self.keys = keys
        self._floors: dict[str, tuple[TowerFloor, ...]] = {}
        self._failures: dict[str, str] = {}
        self._above: dict[str, set[str]] = {}
        self._absent: dict[str, str] = {}
        self._is_settled = not content.world.towers

    @classmethod
    def of_world(cls, content: Content, seed: int) -> Towers:
        """Return the towers of the world of a seed. Their attributes have the world's maps, with the encounters and keys dealt to them."""
        nodes = {node.id: node for node in maps_of(content, seed)}
        places = [WorldMap(node.id, node.name, node.depth) for node in nodes.values()]
        shares = share_out(content, places, seed)
        return cls(content, seed, nodes, shares, deal_keys(content, [*nodes.values()], seed, shares))

    def on(self, map_id: str) -> tuple[TowerFloor, ...]:
        """Return the floors that lie on a map, in the order of their towers in ``world.yaml``.

        Raises:
            GenerationError: A tower with a floor on the map has no place in this world.
        """
        self._settle()
        for name, reason in self._failures.items():
            if any(map_id == each for each, _, _ in self.content.chart.towers[name]):
                message = f"there is no place for the tower {name}: {reason}"
                raise GenerationError(f"{map_id} of seed {self.seed}: {message}")
        return self._floors.get(map_id, ())

    def brief(self, map_id: str, *, watched: bool = False) -> Brief:
        """Return the input of the stages for a map, with the floors that lie on it.

        Raises:
            GenerationError: A tower with a floor on the map has no place in this world.
        """
        floors, known = self.on(map_id), self.content.chart.towers
        absent = {
            name: reason
            for name, reason in self._absent.items()
            if any(map_id == each for each, _, _ in known[name])
        }
        node = self.nodes[map_id]
        return brief_of(
            self.content,
            self.seed,
            node,
            self.shares,
            self.keys,
            floors=floors,
            absent=absent,
            watched=watched,
        )

    def absent(self) -> Mapping[str, str]:
        """Return name of a tower that this world does not have -> the reason."""
        self._settle()
        return self._absent

    def failures(self) -> Mapping[str, str]:
        """Return name of a tower that has no place in this world -> the reason."""
        self._settle()
        return self._failures

    def _settle(self) -> None:
        """Decide the places of all towers, once."""
        if self._is_settled:
            return
        floors: dict[str, tuple[TowerFloor, ...]] = {}
        searches: list[tuple[str, TowerEntry, list[tuple[str, Value[str]]], Streams]] = []
        for name, entry in self.content.world.towers.items():
            asked = [(map_id, value) for map_id, _, value in self.content.chart.towers[name]]
            streams = Streams(self.seed, "world").under("tower", name)
            reason = self._reason_against(entry, [map_id for map_id, _ in asked], streams)
            if reason:
                self._absent[name] = reason
                continue
            searches.append((name, entry, asked, streams))
            for (before, _), (map_id, _) in pairwise(asked):
                self._above.setdefault(map_id, set()).add(before)
        for name, entry, asked, streams in searches:
            found = _TowerSearch(self, name, entry, asked, floors, streams).find()
            if isinstance(found, str):
                self._failures[name] = found
            else:
                for floor in found:
                    floors[floor.map_id] = (*floors.get(floor.map_id, ()), floor)
        self._floors = floors
        self._is_settled = True

    def _reason_against(self, entry: TowerEntry, ids: Sequence[str], streams: Streams) -> str:
        """Return why this world does not have a tower; empty if it has it.

        Args:
            entry: The tower.
            ids: The ids of its maps.
            streams: The random streams of the tower.
        """
        for number, map_id in enumerate(ids):
            if map_id not in self.nodes:
                return f"this world has no {map_id}"
            if number and map_id not in self.nodes[ids[number - 1]].leads_to:
                return f"in this world {ids[number - 1]} does not lead to {map_id}"
        stream = streams.stream("chance")
        chance = roll(entry.chance, stream, 1.0)
        return "" if chance >= 1 or stream.chance(chance) else f"its chance is {chance:.0%}"

    def is_way_in(self, map_id: str) -> bool:
        """Tell whether the player comes to a map only by towers; games also begin on the maps of `starts`."""
        ways = {node.id for node in self.nodes.values() if map_id in node.leads_to}
        return map_id not in self.content.chart.starts and ways == self._above.get(map_id)

    def brief_with(self, map_id: str, floors: tuple[TowerFloor, ...]) -> Brief:
        """Return the input of the stages for a map with these floors, which need not be where they will be."""
        return brief_of(self.content, self.seed, self.nodes[map_id], self.shares, self.keys, floors=floors)


class _TowerSearch:
    """The search for the place of one tower.

    Args:
        towers: The towers of the world.
        name: The name of the tower.
        entry: The tower.
        asked: (map id, prefab) of each floor.
        floors: Map id -> the floors of earlier towers.
        streams: The random streams of the tower.
    """

    def __init__(
        self,
        towers: Towers,
        name: str,
        entry: TowerEntry,
        asked: Sequence[tuple[str, Value[str]]],
        floors: Mapping[str, tuple[TowerFloor, ...]],
        streams: Streams,
    ) -> None:
        self.towers = towers
        self.name = name
        self.entry = entry
        self.asked = asked
        self.floors = floors
        self.streams = streams
        self.terrain_set = towers.content.terrain_set
        self.reason = NO_ORIENTATION
        self.trials = MOST_TRIALS
        self.known = Derived()
        self.sizes = {map_id: map_size(towers.brief_with(map_id, ())) for map_id, _ in asked}
        heights, widths = zip(*self.sizes.values(), strict=True)
        self.common = min(heights), min(widths)

    def find(self) -> tuple[TowerFloor, ...] | str:
        """Return the floors at their places, or why there is no place."""
        feature = self.entry.feature
        for place in (FeaturePlace.rolled(feature, self.streams, "place"), FeaturePlace.allowed(feature)):
            for orientation in self._orientations():
                options = [self._drawings(number, orientation) for number in range(len(self.asked))]
                if all(options) and self.reason == NO_ORIENTATION:
                    self.reason = self._mismatch(options)
                for stack in islice(stacks(options, self.terrain_set), MOST_STACKS):
                    floors = self._placed(stack, place)
                    if floors is not None:
                        return floors
        return self.reason

    def _orientations(self) -> Iterator[Orientation]:
        """Yield the orientations that the tower and all its floors permit, in random order."""
        said = self.entry.orientations
        labels = [each.label for each in Orientation] if said is None else said
        for label in self.streams.race(dict.fromkeys(labels, 1.0), "orientation"):
            yield Orientation.named(label)

    def _drawings(self, number: int, orientation: Orientation) -> list[Drawing]:
        """Return the drawings from which a floor may be chosen, in random order, in an orientation; empty if none permits it.

        Args:
            number: The number of the floor, from 0.
            orientation: The orientation.
        """
        map_id, value = self.asked[number]
        called = self.towers.brief_with(map_id, ()).called
        prefabs = {prefab.name: prefab for word in value.outcomes() for prefab in called[word]}
        weights = share_odds(value.odds(), called, self.towers.content.variants)
        found = []
        for name in self.streams.race(weights, number, "prefab"):
            if orientation in prefabs[name].orientations:
                variants = prefabs[name].variants(self.streams, number, "variant", name)
                found += [variant.turned(orientation) for variant in variants]
        return found

    def _mismatch(self, options: Sequence[Sequence[Drawing]]) -> str:
        """Return the message that the stairs of two neighbouring floors never match; `options` are the drawings of each floor."""
        for number in range(2, len(options) + 1):
            if not any(stacks(options[:number], self.terrain_set)):
                upper, lower = (map_id for map_id, _ in self.asked[number - 2 : number])
                return NO_MATCH.format(upper=upper, lower=lower)
        return NO_ORIENTATION

    def _placed(self, stack: Stack, place: FeaturePlace) -> tuple[TowerFloor, ...] | None:
        """Return the floors of a stack at a random place that suits all their maps; None if there is none."""
        spaces = []
        for (map_id, _), each in zip(self.asked, stack, strict=True):
            entries = openings(each.drawing, self.terrain_set)
            if entries.objection is not None:
                self.reason = f"{each.drawing.name} has {entries.objection[0]}"
                return None
            space = FeatureSpace(*self.sizes[map_id])
            for floor in self.floors.get(map_id, ()):
                rect = Rect(*floor.cell, floor.drawing.height, floor.drawing.width)
                space.take_prefab(rect, fronts_of(openings(floor.drawing, self.terrain_set)))
            size = each.drawing.height, each.drawing.width
            free = space.board.to_array(space.space_for_prefab(*size, fronts_of(entries)))
            if not free.any():
                height, width = self.sizes[map_id]
                self.reason = NO_SPACE.format(
                    prefab=each.drawing.name, map_id=map_id, size=f"{width}x{height}"
                )
                return None
            spaces.append(free)
        first = stack[0].drawing
        left = place.mask((first.height, first.width), self.common)
        for free, each in zip(spaces, stack, strict=True):
            left &= _moved(free, each.offset, left.shape)
        if not left.any():
            self.reason = NO_PLACE
        stream = self.streams.stream("spot")
        for _ in range(min(self.trials, int(np.count_nonzero(left)))):
            cell = Cell(*divmod(stream.pick_set(left), left.shape[1]))
            floors = self._floors_at(stack, cell)
            if self._fit(floors):
                return floors
            left[cell] = False
        return None

    def _floors_at(self, stack: Stack, cell: Cell) -> tuple[TowerFloor, ...]:
        """Return the floors of a stack if the top left cell of the first floor is `cell`."""
        found = []
        for number, each in enumerate(stack):
            map_id = self.asked[number][0]
            y, x = cell.y + each.offset.y, cell.x + each.offset.x
            before = self.asked[number - 1][0] if number else ""
            after = self.asked[number + 1][0] if number + 1 < len(stack) else ""
            found.append(
                TowerFloor(
                    tower=self.name,
                    map_id=map_id,
                    number=number + 1,
                    count=len(stack),
                    feature=self.entry.feature,
                    drawing=each.drawing,
                    cell=Cell(y, x),
                    down=_ways(each.stairs.down, y, x, after) if after else (),
                    up=_ways(each.stairs.up, y, x, before) if before else (),
                    is_way_in=bool(before) and self.towers.is_way_in(map_id),
                )
            )
        return tuple(found)

    def _fit(self, floors: Sequence[TowerFloor]) -> bool:
        """Tell whether the features of all maps of the tower can be laid around these floors.

        A map whose features can't be laid without the tower either is not asked.
        """
        self.trials -= 1
        for floor in floors:
            others = self.floors.get(floor.map_id, ())
            error = self._error_of_features(floor.map_id, (*others, floor))
            if error and not self.known.once(floor.map_id, self._error_of_features, floor.map_id, others):
                self.reason = f"on {floor.map_id}, {error}"
                return False
        return True

    def _error_of_features(self, map_id: str, floors: tuple[TowerFloor, ...]) -> str:
        """Return why the features of a map can't be laid around these floors; empty if they can."""
        brief = self.towers.brief_with(map_id, floors)
        try:
            finished(seed(brief, Canvas(*self.sizes[map_id], self.terrain_set), SEED_ATTEMPTS - TRIES))
        except GenerationError as error:
            return str(error)
        return ""


def _ways(stairs: Sequence[Cell], dy: int, dx: int, leads_to: str) -> tuple[Exit, ...]:
    """Return the exits at stairs of a drawing whose top left cell is (dy, dx), to the same cells of the map `leads_to`."""
    cells = [Cell(y + dy, x + dx) for y, x in stairs]
    return tuple(Exit(y=cell.y, x=cell.x, leads_to=leads_to, arrives=cell) for cell in cells)


def _moved(mask: NDArray[np.bool_], by: Cell, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return an array of bool of a shape whose cell (y, x) is that of `mask` at (y + by.y, x + by.x); False outside of `mask`."""
    found = np.zeros(shape, np.bool_)
    top, left = max(-by.y, 0), max(-by.x, 0)
    bottom, right = min(shape[0], mask.shape[0] - by.y), min(shape[1], mask.shape[1] - by.x)
    if bottom > top and right > left:
        found[top:bottom, left:right] = mask[top + by.y : bottom + by.y, left + by.x : right + by.x]
    return found
