"""The tables of `dungeon show MAP --metrics`: measurements of one level, or their minimum, median and maximum over seeds. A choke point is a cell whose loss would cut off a part of the map."""

from __future__ import annotations

from dataclasses import fields
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from dungeon.cli.printing import waiting
from dungeon.core.errors import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dungeon.content.library import Content
    from dungeon.generation.atlas import MapNode
    from dungeon.level.model import Level
    from dungeon.metrics import Metrics
    from dungeon.world import World

CHOKES_SHOWN = 6


class MetricsRow(NamedTuple):
    """A row of the table over seeds.

    Attributes:
        name: What is measured.
        of: The function that gets the number from a level's metrics; None where the level has none.
        form: The number's format.
    """

    name: str
    of: Callable[[Metrics], float | None]
    form: str = "g"


def _key_steps(told: Metrics) -> list[int]:
    """Return the number of steps from each lock to its nearest key; locks without a key in walking distance are left out."""
    return [lock.distance for lock in told.locks if lock.distance is not None]


COLUMNS = (
    MetricsRow("open", lambda each: each.open, ".1%"),
    MetricsRow("cells to walk", lambda each: each.walkable),
    MetricsRow("rooms", lambda each: each.rooms),
    MetricsRow("dead ends", lambda each: each.dead_ends),
    MetricsRow("rooms with one way in", lambda each: each.dead_end_rooms),
    MetricsRow("loops", lambda each: each.loops),
    MetricsRow("islands", lambda each: each.islands),
    MetricsRow("routes to the exits", lambda each: each.routes),
    MetricsRow("steps to the nearest exit", lambda each: min(each.exits, default=None)),
    MetricsRow("longest way", lambda each: each.longest),
    MetricsRow("choke points", lambda each: len(each.chokes)),
    MetricsRow("linearity", lambda each: each.linearity, ".0%"),
    MetricsRow("locks", lambda each: len(each.locks)),
    MetricsRow("rounds to open them", lambda each: each.rounds if each.locks else None),
    MetricsRow("steps to a key", lambda each: min(_key_steps(each), default=None)),
)


def metrics_lines(told: Metrics) -> Iterator[str]:
    """Yield the measurements of one level, line by line."""
    kinds = ", ".join(counted(count, kind) for kind, count in told.regions)
    yield f"  open          {told.open:.1%} of the map; {told.walkable} cells can be reached"
    yield f"  regions       {kinds or 'none'}"
    yield f"  dead ends     {told.dead_ends}; one way into {told.dead_end_rooms} of {counted(told.rooms, 'room')}"
    yield f"  loops         {told.loops}; {counted(told.islands, 'island')} to walk round"
    if told.routes is not None:
        yield f"  routes        {told.routes} to an exit, at least"
    if told.exits:
        yield f"  exits         {', '.join(map(str, told.exits))} steps from the entrance"
    bound = "" if told.longest == told.longest_bound else f" or more, at most {told.longest_bound}"
    yield f"  longest way   {told.longest} steps{bound}"
    yield f"  choke points  {len(told.chokes)} that cut off {told.choke_size} cells or more{_chokes(told)}"
    if told.linearity is not None:
        yield f"  linearity     {told.linearity:.0%}"
    if told.locks:
        rounds, areas = counted(told.rounds, "round"), counted(told.areas, "area")
        yield f"  locks         {len(told.locks)} between {areas}, opened in {rounds}{_keys(told)}"


def budget_lines(level: Level, node: MapNode, content: Content) -> Iterator[str]:
    """Yield a line for each budget (threat, worth) of the map: the amount that its placed encounters have, and the budget."""
    from dungeon.core.vocabulary import STAKES
    from dungeon.generation.encounters.draw import budget_of

    amounts = budget_of(content, node.name, node.depth)
    there = [
        content.catalog.things[each.kind].get(each.tag)
        for each in level.spawns
        if each.placement is not None and level.placements[each.placement].encounter
    ]
    for stake in STAKES:
        if stake in amounts:
            brought = sum(getattr(thing, stake) for thing in there if thing is not None)
            yield f"  {stake:13} {brought:g} in encounters; the budget for the expected amount is {amounts[stake]:g}"


def _keys(told: Metrics) -> str:
    """Return the least and most steps from a lock to its nearest key, in words; empty without such locks."""
    steps = _key_steps(told)
    return f"; {min(steps)} to {max(steps)} steps to a key" if steps else ""


def _chokes(told: Metrics) -> str:
    """Return the places of the choke points that cut off the most cells, in words; empty without choke points."""
    chokes = sorted(told.chokes, key=lambda each: -each.parts[1])
    places = [(each.cells[len(each.cells) // 2], each.parts[1]) for each in chokes[:CHOKES_SHOWN]]
    where = "; ".join(f"y {cell.y}, x {cell.x} ({lost})" for cell, lost in places)
    return f": {where}{'; ...' if len(chokes) > CHOKES_SHOWN else ''}" if where else ""


def measure_many(world: World, node: MapNode, times: int) -> dict[int, Metrics]:
    """Return seed -> the metrics of a map, for `times` seeds from the world's seed on. Worlds without the map are left out.

    Raises:
        GenerationError: One of the levels can't be made.
    """
    import dungeon

    measured = {}
    with waiting(f"making {node.id}") as wait:
        for number in range(times):
            wait.what = f"made {number} of {counted(times, 'level')}"
            each = dungeon.World(world.content, world.seed + number)
            if node.id in each:
                measured[each.seed] = dungeon.measure(each.level(node.id))
    return measured


def table(node: MapNode, measured: dict[int, Metrics]) -> Iterator[str]:
    """Yield a table of minimum, median and maximum of each measurement, line by line."""
    seeds = list(measured)
    shown = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
    yield f"{node.id}: {counted(len(seeds), 'level')}, {shown}"
    width = max(len(column.name) for column in COLUMNS)
    yield f"  {'':{width}} {'min':>8} {'median':>8} {'max':>8}"
    for column in COLUMNS:
        cells = [
            "-" if each is None else format(each, column.form) for each in _spread(column, measured.values())
        ]
        yield f"  {column.name:{width}} {' '.join(f'{cell:>8}' for cell in cells)}"


def _spread(
    column: MetricsRow, measured: Iterable[Metrics]
) -> tuple[float | None, float | None, float | None]:
    """Return the minimum, median and maximum of one measurement over several levels.

    None, three times, if no level has the measured thing.
    """
    values = [value for each in measured if (value := column.of(each)) is not None]
    return (min(values), median(values), max(values)) if values else (None, None, None)


def as_json(node: MapNode, measured: dict[int, Metrics]) -> dict[str, Any]:
    """Return the data that ``--metrics --json`` prints; `measured` is seed -> metrics."""
    return {
        "map": node.id,
        "levels": [{"seed": seed, **_plain(each)} for seed, each in measured.items()],
        "spread": {
            column.name: dict(zip(("min", "median", "max"), _spread(column, measured.values()), strict=True))
            for column in COLUMNS
        },
    }


def _plain(told: Metrics) -> dict[str, Any]:
    """Return metrics as JSON data."""
    plain = {each.name: getattr(told, each.name) for each in fields(told) if each.name != "keys"}
    return {
        **plain,
        "regions": dict(told.regions),
        "chokes": [each._asdict() for each in told.chokes],
        "locks": [
            {
                "y": lock.cell.y,
                "x": lock.cell.x,
                "word": lock.word,
                "round": lock.sphere,
                "distance": lock.distance,
            }
            for lock in told.locks
        ],
    }
