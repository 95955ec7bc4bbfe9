"""The entry of ``world.yaml``, and the *chart* made from it: all maps that worlds may have, and to which maps their exits lead.

A *branch* is a name that several maps share, at most one at each depth; a map's id is ``branch/depth``. Each map is of a
*type*, the name of an entry that says what such maps are like. The *mouth* of a branch is its shallowest map.
`values.map_names` reads the texts that name maps, such as ``tombs/3..5``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from dungeon.content.models.factors import Difficulties, FactorsEntry
from dungeon.content.models.towers import TowerEntry, problems_of_floors
from dungeon.content.source.names import MAX_LISTED, NewName, reader_of
from dungeon.content.source.problems import ValueProblem
from dungeon.content.values.by_depth import WeightHere
from dungeon.content.values.fields import PLACE, Line, MapId, MapName, several
from dungeon.content.values.grammar import Constant, weight_at
from dungeon.content.values.map_names import (
    SPAN,
    DepthList,
    SeveralMaps,
    SomeMaps,
    Targets,
    maps_meant,
    read_depths,
    target_meant,
)
from dungeon.content.values.value_fields import IntValue, Probability, within
from dungeon.core.frozen import NOTHING, Frozen, by_fields, nothing
from dungeon.core.parameters import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dungeon.content.source.names import Names
    from dungeon.content.values.grammar import DepthWeight, Value
    from dungeon.content.values.map_names import MapPattern


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartMap:
    """A map that worlds may have.

    Attributes:
        id: The id of the map, ``branch/depth``: ``tombs/3``.
        branch: The name of the branch to which the map belongs.
        depth: The depth of the map.
        branch_depth: The number of the map within the branch: 1 for the shallowest map.
        types: Type of map -> how often the map is of this type.
        one_way: Whether no stairs lead back to the map from which the player came.
    """

    id: str
    branch: str
    depth: int
    branch_depth: int
    types: Mapping[str, DepthWeight]
    one_way: bool = False

    __reduce__ = by_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldChart:
    """All maps that worlds may have, and to which maps their exits lead.

    Attributes:
        starts: The ids of the maps on which a game may begin, the usual one first.
        spots: Map id -> the map.
        leads_to: Map id -> the ids of the maps to which its exits lead, in every world that has both; a map
            without such exits is missing.
        entered_from: Id of the shallowest map of a branch -> the ids of candidates. In each world one of these maps, drawn at
            random, has an exit to that map.
        mouths: Map id -> the ids of the shallowest maps of branches for which it is listed in `entered_from`.
        towers: Name of a tower -> (map id, key under `floors` that means it, its prefab) of each floor, from the first to the last.
    """

    starts: tuple[str, ...]
    spots: Mapping[str, ChartMap]
    leads_to: Mapping[str, tuple[str, ...]]
    entered_from: Mapping[str, tuple[str, ...]]
    mouths: Mapping[str, tuple[str, ...]]
    towers: Mapping[str, tuple[tuple[str, str, Value[str]], ...]] = NOTHING

    __reduce__ = by_fields

    def may_lead_to(self, map_id: str) -> tuple[str, ...]:
        """Return the ids of all maps to which the exits of the map `map_id` lead in at least one possible world."""
        return tuple(dict.fromkeys([*self.leads_to.get(map_id, ()), *self.mouths.get(map_id, ())]))

    def shallowest(self) -> dict[str, int]:
        """Return name of a branch or type of map -> the depth of its shallowest map; a branch wins over a type of that name."""
        found: dict[str, int] = {}
        for spot in sorted(self.spots.values(), key=lambda each: each.depth, reverse=True):
            found |= dict.fromkeys(spot.types, spot.depth)
        found |= {spot.branch: spot.depth for spot in self.spots.values() if spot.branch_depth == 1}
        return found

    def reached(self) -> set[str]:
        """Return the ids of all maps that can be reached from a map in `starts` by exits of any possible world."""
        found, waiting = {*self.starts}, [*self.starts]
        while waiting:
            new = [each for each in self.may_lead_to(waiting.pop()) if each not in found]
            found.update(new)
            waiting += new
        return found


MAX_RULES = 2000
"""Maximum number of rules under `leads_to`."""

BranchNames = Annotated[tuple[str, ...], *several(reader_of(PLACE), least=2)]


class BranchEntry(Entry):
    """A branch of the world: maps that share a name, at most one at each depth.

    Most branches are written as depths only.

    Attributes:
        depths: The depths at which the branch has a map: `1..10`, or a list of such ranges.
        maps: Type of map -> how often a map of the branch is of this type: a weight word, a number, or
            weights by depth. By default all are of the type that has the branch's name.
        chance: The probability that a world has the branch.
        entered_from: Maps of which one, drawn for each world, has an exit to the shallowest map of the
            branch.
    """

    short_form: ClassVar = {
        "type": ["integer", "string", "array"],
        "minimum": 0,
        "pattern": f"^{SPAN.pattern}$",
    }

    depths: DepthList
    maps: Annotated[dict[MapName, WeightHere], Field(max_length=MAX_LISTED)] = Field(default_factory=nothing)
    chance: Probability = 1.0
    entered_from: SeveralMaps = ()

    @model_validator(mode="wrap")
    @classmethod
    def _mere_depths(cls, raw: object, read: ModelWrapValidatorHandler[Self]) -> Self:
        return read(raw) if isinstance(raw, dict | BranchEntry) else read({"depths": read_depths(raw)})


class ChoiceEntry(Entry):
    """Branches that not every world has: each world has only some of them.

    Attributes:
        of: The branches to choose from.
        count: How many of these branches a world has; each branch is equally likely.
    """

    of: BranchNames
    count: Annotated[IntValue, within(0, MAX_LISTED)] = Constant(1)


class WorldEntry(FactorsEntry):
    """Which maps there are at which depths, where they lead, and how much they hold.

    Attributes:
        name: The name that the player reads.
        start: The id of the first map: ``name/depth``.
        starts: Other maps on which a game may begin, such as a tutorial: name -> id of the map. The game chooses one.
        maps: Branch -> the depths at which it has maps. A branch not listed here has maps at the depths named under
            `leads_to` and `start`.
        leads_to: Maps -> where their exits lead. If several rules match a map, it has the exits of all.
        one_way: Maps from which no stairs lead back to the map from which the player came.
        choose: Branches that not every world has: each world has only some of them.
        towers: Prefabs on several maps, at the same place, joined by stairs that match.
        difficulties: Difficulties, one of which may be chosen for a world: name -> factors that are multiplied with those
            of the world.
    """

    name: Line = "World"
    start: MapId
    starts: Annotated[dict[NewName, MapId], Field(max_length=MAX_LISTED)] = Field(default_factory=nothing)
    maps: Annotated[dict[NewName, BranchEntry], Field(max_length=MAX_LISTED)] = Field(default_factory=nothing)
    leads_to: dict[SomeMaps, Targets] = Field(default_factory=nothing, max_length=MAX_RULES)
    one_way: SeveralMaps = ()
    choose: Annotated[tuple[ChoiceEntry, ...], Field(max_length=MAX_LISTED)] = ()
    towers: Annotated[dict[NewName, TowerEntry], Field(max_length=MAX_LISTED)] = Field(
        default_factory=nothing
    )
    difficulties: Difficulties = Field(default_factory=nothing)


def branches_without_type(world: WorldEntry, names: Names, words: Mapping[str, float]) -> list[ValueProblem]:
    """Return a problem for each branch with a map that can be of no type.

    Either no type of map has a weight above 0 at the map's depth, or the branch lists no types and no type has its name.

    Args:
        world: The entry of ``world.yaml``.
        names: The names of all entries.
        words: Weight word, such as `rare` -> number.
    """
    problems = []
    for branch, said in world.maps.items():
        if not said.maps and (problem := names.problem("map", branch)):
            problems.append(replace(problem, path=("maps", branch), key=True))
        weights = list(said.maps.values())
        bare = [depth for depth in said.depths if not any(weight_at(each, depth, words) for each in weights)]
        if weights and bare:
            message = f"no type of map has a weight above 0 at depth {bare[0]}"
            problems.append(ValueProblem(message=message, path=("maps", branch, "maps"), key=True))
    return problems


def unknown_maps(named: Iterable[tuple[Path, str, bool]], chart: WorldChart) -> Iterator[ValueProblem]:
    """Yield a problem for each text that names no map of the world.

    Args:
        named: (path in the entry, text such as ``tombs/3..5``, whether it is a key).
        chart: The chart of the world.
    """
    for path, text, key in named:
        meant = maps_meant(text)
        if not any(meant.names(spot.branch, spot.depth) for spot in chart.spots.values()):
            message = "the world has no such map"
            yield ValueProblem(message=message, path=path, value=text, key=key, allowed=list(chart.spots))


MOST_MAPS, MOST_WAYS = 5000, 50_000
"""Maximum number of maps in a world, and of ways between them."""

Path = tuple[str | int, ...]


def chart_of(entry: WorldEntry) -> tuple[WorldChart, list[ValueProblem]]:
    """Return (chart of the maps that ``world.yaml`` describes, as far as it is valid; all problems with it)."""
    drawing = _ChartBuilder(entry)
    return drawing.chart(), drawing.problems


class _ChartBuilder:
    """A chart that is being made.

    Attributes:
        entry: The entry of ``world.yaml``.
        depths: Branch -> the depths at which it has maps.
        ids: Map id -> (branch, depth).
        missing: Paths in the entry that lead to a text which names maps that do not exist. These texts have been reported.
        problems: The problems found so far.
    """

    def __init__(self, entry: WorldEntry) -> None:
        self.entry = entry
        self.problems: list[ValueProblem] = []
        self.depths: dict[str, set[int]] = {}
        self.ids: dict[str, tuple[str, int]] = {}
        self.missing: set[Path] = set()
        for meant, path, text, key in self.named():
            self.declare(meant, path, text, key=key)
        for branch, said in entry.maps.items():
            self.list_maps(branch, said.depths, ("maps", branch))

    def named(self) -> Iterator[tuple[MapPattern, Path, str, bool]]:
        """Yield (parsed text, path in the entry, text, whether it is a key) for each text under `start`, `starts` and `leads_to`."""
        entry = self.entry
        yield maps_meant(entry.start), ("start",), entry.start, False
        for name, map_id in entry.starts.items():
            yield maps_meant(map_id), ("starts", name), map_id, False
        for rule, targets in entry.leads_to.items():
            yield maps_meant(rule), ("leads_to", rule), rule, True
            for number, target in enumerate(targets):
                yield target_meant(target), ("leads_to", rule, number), target, False

    def declare(self, meant: MapPattern, path: Path, text: str, *, key: bool) -> None:
        """Add the maps that a text names with depths, such as ``tombs/3..5``, to the chart.

        If `maps` lists the branch and it has no map at the first or last of these depths, a problem is added. A text without
        depths (``tombs/*``, ``tombs/+1``) adds nothing.

        Args:
            meant: The text, parsed.
            path: Where the text stands in the entry.
            text: The text.
            key: Whether the text is a key, rather than a value.
        """
        if meant.depths is None:
            return
        listed = self.entry.maps.get(meant.name)
        if listed is None:
            self.list_maps(meant.name, meant.depths, path)
            return
        missing = [depth for depth in (meant.depths[0], meant.depths[-1]) if depth not in listed.depths]
        if missing:
            self.missing.add(path)
            message = f"this branch has no map at depth {missing[0]}"
            allowed = [f"{meant.name}/{depth}" for depth in listed.depths]
            self.problems.append(
                ValueProblem(message=message, path=path, value=text, key=key, allowed=allowed)
            )
        self.list_maps(meant.name, [depth for depth in meant.depths if depth in listed.depths], path)

    def list_maps(self, branch: str, depths: Iterable[int], path: Path) -> None:
        """Add the maps of a branch at these depths to the chart; add a problem, once, if the world then has too many maps.

        Args:
            branch: The name of the branch.
            depths: The depths of the maps.
            path: Where they are written in the entry, for the problem.
        """
        for depth in depths:
            map_id = f"{branch}/{depth}"
            if len(self.ids) == MOST_MAPS and map_id not in self.ids:
                message = f"a world has {MOST_MAPS:,} maps at most"
                if all(problem.message != message for problem in self.problems):
                    self.problems.append(ValueProblem(message=message, path=path))
                return
            self.ids[map_id] = branch, depth
            self.depths.setdefault(branch, set()).add(depth)

    def chart(self) -> WorldChart:
        """Return the finished chart, after the last checks; the problems that these find are added to `problems`."""
        entry = self.entry
        one_way = {
            map_id
            for number, text in enumerate(entry.one_way)
            for map_id in self.matched(text, "one_way", number)
        }
        within = {
            f"{branch}/{depth}": number
            for branch, depths in self.depths.items()
            for number, depth in enumerate(sorted(depths), 1)
        }
        spots = {}
        for map_id, (branch, depth) in self.ids.items():
            own = entry.maps[branch].maps if branch in entry.maps else NOTHING
            spots[map_id] = ChartMap(
                id=map_id,
                branch=branch,
                depth=depth,
                branch_depth=within[map_id],
                types=own or Frozen({branch: 1.0}),
                one_way=map_id in one_way,
            )
        entered = self.entered()
        mouths: dict[str, tuple[str, ...]] = {}
        for first, ids in entered.items():
            mouths |= {map_id: (*mouths.get(map_id, ()), first) for map_id in ids}
        chart = WorldChart(
            starts=(entry.start, *entry.starts.values()),
            spots=Frozen(spots),
            leads_to=Frozen(self.ways()),
            entered_from=Frozen(entered),
            mouths=Frozen(mouths),
        )
        chart = replace(chart, towers=Frozen(self.towers(chart, one_way)))
        self.look_at_choices()
        self.look_for_unreached(chart)
        return chart

    def matched(self, text: str, *path: str | int, key: bool = False) -> list[str]:
        """Return the ids of the maps that a text such as ``tombs/*`` means; if there are none, add a problem.

        Args:
            text: The text.
            *path: Where the text stands in the entry.
            key: Whether the text is a key, rather than a value.
        """
        meant = maps_meant(text)
        depths = sorted(self.depths.get(meant.name, ()))
        if meant.depths is not None:
            depths = [depth for depth in depths if depth in meant.depths]
        if not depths and path not in self.missing:
            message = "the world has no such map; 'maps' says at which depths there are any"
            self.problems.append(
                ValueProblem(message=message, path=path, value=text, key=key, allowed=self.ids)
            )
        return [f"{meant.name}/{depth}" for depth in depths]

    def ways(self) -> dict[str, tuple[str, ...]]:
        """Return map id -> the ids of the maps to which its exits lead by the rules under `leads_to`; {} if there are too many exits."""
        found: dict[str, dict[str, None]] = {}
        count = 0
        for rule, targets in self.entry.leads_to.items():
            sources = self.matched(rule, "leads_to", rule, key=True)
            for number, target in enumerate(targets):
                at = ("leads_to", rule, number)
                ways = self.ways_of(sources, target, at)
                if (count := count + len(ways)) > MOST_WAYS:
                    message = f"a world has {MOST_WAYS:,} ways between its maps at most"
                    self.problems.append(ValueProblem(message=message, path=at, value=target))
                    return {}
                for source, reached in ways:
                    found.setdefault(source, {})[reached] = None
        return {source: tuple(reached) for source, reached in found.items()}

    def ways_of(self, sources: list[str], target: str, at: Path) -> list[tuple[str, str]]:
        """Return (map id with the exit, map id to which it leads) for each exit that one target of a `leads_to` rule makes.

        Args:
            sources: The ids of the maps that have the exits.
            target: The text that says where the exits lead, such as ``tombs/+1``.
            at: The path of that text in the entry.
        """
        meant = target_meant(target)
        there = self.depths.get(meant.name, set())
        ways = [
            (source, f"{meant.name}/{depth}")
            for source in sources
            for depth in meant.seen_from(self.ids[source][1])
            if depth in there
        ]
        if not ways and sources and meant.step is not None:
            message = "this exit leads nowhere: the world has no such map"
            self.problems.append(ValueProblem(message=message, path=at, value=target))
        if any(source == reached for source, reached in ways):
            self.problems.append(ValueProblem(message="a map can't lead to itself", path=at, value=target))
        return [(source, reached) for source, reached in ways if source != reached]

    def entered(self) -> dict[str, tuple[str, ...]]:
        """Return id of the shallowest map of a branch -> the ids of candidates, as in `WorldChart.entered_from`.

        In each world one of the candidates, drawn at random, has an exit to that map.
        """
        found = {}
        for branch, said in self.entry.maps.items():
            ids: list[str] = []
            for number, text in enumerate(said.entered_from):
                at = "maps", branch, "entered_from", number
                ids += self.matched(text, *at)
                if maps_meant(text).name == branch:
                    message = "a branch can't be entered from itself"
                    self.problems.append(ValueProblem(message=message, path=at, value=text))
            if ids:
                found[f"{branch}/{said.depths[0]}"] = tuple(dict.fromkeys(ids))
        return found

    def towers(
        self, chart: WorldChart, one_way: Iterable[str]
    ) -> dict[str, tuple[tuple[str, str, Value[str]], ...]]:
        """Return name of a tower -> its floors, as in `WorldChart.towers`; add problems with floors to which no stairs can lead.

        Args:
            chart: The chart of the maps.
            one_way: The ids of the maps from which no stairs lead back.
        """
        found = {}
        ways = {map_id: chart.may_lead_to(map_id) for map_id in chart.spots} if self.entry.towers else {}
        for name, tower in self.entry.towers.items():
            known = len(self.problems)
            floors = [
                (map_id, text, value)
                for text, value in tower.floors.items()
                for map_id in self.matched(text, "towers", name, "floors", text, key=True)
            ]
            if len(self.problems) == known:
                listed = [(map_id, text) for map_id, text, _ in floors]
                self.problems += problems_of_floors(name, listed, ways, one_way)
            found[name] = tuple(floors)
        return found

    def look_at_choices(self) -> None:
        """Add a problem for each wrong `chance` or `choose`, the keys that make branches optional.

        A branch can't be optional if the world begins there, if it has no maps, or if another `chance` or `choose` decides about
        it already. A choice can't take more branches than it lists.
        """
        entry, seen = self.entry, set[str]()
        firsts = {maps_meant(each).name for each in (entry.start, *entry.starts.values())}
        for branch, path in self.left_to_chance():
            message = ""
            if branch in firsts:
                message = "games begin here, so every world has this branch"
            elif branch not in self.depths:
                message = "the world has no map of this name"
            elif branch in seen:
                message = "another 'chance' or 'choose' decides already whether the world has this branch"
            seen.add(branch)
            if message:
                self.problems.append(ValueProblem(message=message, path=path, value=branch))
        for number, choice in enumerate(self.entry.choose):
            most = max(choice.count.outcomes())
            if most > len(choice.of):
                message = f"only {len(choice.of)} branches are listed to choose from"
                self.problems.append(
                    ValueProblem(message=message, path=("choose", number, "count"), value=most)
                )

    def left_to_chance(self) -> Iterator[tuple[str, Path]]:
        """Yield (branch, path in the entry) for each `chance` below 1, and for each branch listed under `choose`."""
        for branch, said in self.entry.maps.items():
            if said.chance < 1:
                yield branch, ("maps", branch, "chance")
        for number, choice in enumerate(self.entry.choose):
            for place, branch in enumerate(choice.of):
                yield branch, ("choose", number, "of", place)

    def look_for_unreached(self, chart: WorldChart) -> None:
        """Add problems for maps that can't be reached from the first map, unless there are other problems already.

        Each branch listed under `maps` gets at most one problem. For the maps of other branches, each rule under `leads_to`
        whose key names some of them gets at most one problem.
        """
        if self.problems:
            return  # what is wrong may have been meant to lead there
        lost = chart.spots.keys() - chart.reached()
        for branch, said in self.entry.maps.items():
            ids = [f"{branch}/{depth}" for depth in said.depths]
            self.say_unreached(lost, ids, branch, "maps", branch)
        for rule in self.entry.leads_to:
            meant = maps_meant(rule)
            if meant.depths is not None and meant.name not in self.entry.maps:
                ids = [f"{meant.name}/{depth}" for depth in meant.depths]
                self.say_unreached(lost, ids, rule, "leads_to", rule)

    def say_unreached(self, lost: set[str], ids: list[str], value: str, *path: str) -> None:
        """Add one problem that names the maps among `ids` that can't be reached, if there are any.

        Args:
            lost: The ids of all maps that can't be reached.
            ids: The ids of the maps to look at.
            value: The branch, or the rule, at which the problem is reported.
            *path: Where that stands in the entry, as a key.
        """
        missing = [map_id for map_id in ids if map_id in lost]
        if missing:
            message = "no exits lead from the start of the world to these maps"
            if len(missing) < len(ids):
                message = f"no exits lead from the start of the world to {', '.join(missing)}"
            self.problems.append(ValueProblem(message=message, path=path, value=value, key=True))
