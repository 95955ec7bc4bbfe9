"""What `dungeon show MAP --metrics` prints: a level in numbers, or how these vary from seed to seed."""

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


class Column(NamedTuple):
    """A number that is compared from seed to seed: what it is called, and how it is got and written."""

    name: str
    of: Callable[[Metrics], float | None]
    form: str = "g"


def _key_steps(told: Metrics) -> list[int]:
    """Return how far each lock is from the nearest of what opens it."""
    return [lock.distance for lock in told.locks if lock.distance is not None]


COLUMNS = (
    Column("open", lambda each: each.open, ".1%"),
    Column("cells to walk", lambda each: each.walkable),
    Column("rooms", lambda each: each.rooms),
    Column("dead ends", lambda each: each.dead_ends),
    Column("rooms with one way in", lambda each: each.dead_end_rooms),
    Column("loops", lambda each: each.loops),
    Column("islands", lambda each: each.islands),
    Column("routes to the exits", lambda each: each.routes),
    Column("steps to the nearest exit", lambda each: min(each.exits, default=None)),
    Column("longest way", lambda each: each.longest),
    Column("choke points", lambda each: len(each.chokes)),
    Column("linearity", lambda each: each.linearity, ".0%"),
    Column("locks", lambda each: len(each.locks)),
    Column("rounds to open them", lambda each: each.rounds if each.locks else None),
    Column("steps to a key", lambda each: min(_key_steps(each), default=None)),
)


def metrics_lines(told: Metrics) -> Iterator[str]:
    """Yield the lines that tell all of it."""
    kinds = ", ".join(counted(count, kind) for kind, count in told.regions)
    yield f"  open          {told.open:.1%} of the map; {told.walkable} cells can be walked to"
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
    """Yield the lines that tell what a level's encounters bring, if its map has a budget for that."""
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
            yield f"  {stake:13} {brought:g} in encounters, of {amounts[stake]:g} that may be expected"


def _keys(told: Metrics) -> str:
    """Return how far off the keys lie."""
    steps = _key_steps(told)
    return f"; {min(steps)} to {max(steps)} steps to a key" if steps else ""


def _chokes(told: Metrics) -> str:
    """Return where the choke points are that cut off most."""
    chokes = sorted(told.chokes, key=lambda each: -each.parts[1])
    places = [(each.cells[len(each.cells) // 2], each.parts[1]) for each in chokes[:CHOKES_SHOWN]]
    where = "; ".join(f"y {cell.y}, x {cell.x} ({lost})" for cell, lost in places)
    return f": {where}{'; ...' if len(chokes) > CHOKES_SHOWN else ''}" if where else ""


def measure_many(world: World, node: MapNode, times: int) -> dict[int, Metrics]:
    """Return seed -> the metrics of a map, for so many seeds from the world's on; none of worlds that have no such map.

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
    """Yield the lines of a table: of each number the least, the median and the greatest."""
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


def _spread(column: Column, measured: Iterable[Metrics]) -> tuple[float | None, float | None, float | None]:
    """Return the least, the median and the greatest of a number; None where no level has it."""
    values = [value for each in measured if (value := column.of(each)) is not None]
    return (min(values), median(values), max(values)) if values else (None, None, None)


def as_json(node: MapNode, measured: dict[int, Metrics]) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    return {
        "map": node.id,
        "levels": [{"seed": seed, **_plain(each)} for seed, each in measured.items()],
        "spread": {
            column.name: dict(zip(("min", "median", "max"), _spread(column, measured.values()), strict=True))
            for column in COLUMNS
        },
    }


def _plain(told: Metrics) -> dict[str, Any]:
    """Return metrics as JSON has them."""
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
