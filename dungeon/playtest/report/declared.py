"""What the content of a run declares, as tables beside what is recorded: see `declare`."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from dungeon.core.vocabulary import DEEPEST
from dungeon.generation.encounters.draw import NO_ENCOUNTER
from dungeon.generation.odds.due import due_in_world
from dungeon.generation.odds.places import places_in
from dungeon.playtest.errors import PlaytestError
from dungeon.playtest.reading import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dungeon.content.library import Content
    from dungeon.playtest.run import Run

PAIRED = 300
"""Of so many worlds at most it is worked out what they were due."""

WORD, WHOLE, REAL, SEED = pa.string(), pa.int32(), pa.float64(), pa.int64()

DECLARED = {
    "paired": {"seed": SEED},
    "due": {"seed": SEED, "map": WORD, "encounter": WORD, "copies": WHOLE},
    "likely": {"encounter": WORD, "depth": WHOLE, "prefab": WORD, "chance": REAL},
    "forms": {"encounter": WORD, "depth": WHOLE, "variant": WORD, "chance": REAL},
    "meant": {"encounter": WORD, "category": WORD},
    "thing": {"kind": WORD, "base": WORD, "tag": WORD, "rating": WHOLE, "threat": REAL, "worth": REAL},
    "nowhere": {"encounter": WORD, "type": WORD, "depths": WORD, "rest": WHOLE},
}
"""Table -> its columns."""


def declare(run: Run, content: Content | None) -> None:
    """Add to a run what its content declares.

    - `due`: what levels would have where space is endless, drawn from their own streams. Their luck is that of the levels,
      and what differs is what space, rules and budgets have done.
    - `paired`: the worlds that `due` tells of: the first ones.
    - `likely`: how likely a copy of an encounter is tried with a prefab first, at a depth.
    - `forms`: how likely a copy of an encounter that has variants is tried in each of them first, at a depth.
    - `meant`: the encounters, each with its category.
    - `thing`: the objects, with the depth they are rated for, their threat and their worth.
    - `nowhere`: the types of map that encounters are meant for and can't be on, as their depths are others; on how many other
      types they can be.

    Args:
        run: The run.
        content: Its content; if it is not at hand, all these are empty.

    Raises:
        PlaytestError: It is the content of another run.
    """
    rows: dict[str, Iterable[tuple[Any, ...]]] = dict.fromkeys(DECLARED, ())
    if content is not None:
        ((recorded,),) = run.sql("SELECT content FROM run").fetchall()
        if fingerprint(content.layers) != recorded:
            raise PlaytestError(f"the run was recorded with other content than {' + '.join(content.layers)}")
        query = f"SELECT seed FROM worlds WHERE error IS NULL ORDER BY seed LIMIT {PAIRED}"
        paired = run.sql(query).fetchall()
        rows = {
            "paired": paired,
            "due": _due(run, content, [seed for (seed,) in paired]),
            "likely": _likely(run, content),
            "forms": _forms(run, content),
            "meant": ((name, each.category) for name, each in content.encounters.items()),
            "thing": _things(content),
            "nowhere": _nowhere(content),
        }
    for table, columns in DECLARED.items():
        values = list(zip(*rows[table], strict=True)) or [()] * len(columns)
        arrays = [pa.array(each, kind) for each, kind in zip(values, columns.values(), strict=True)]
        run.add(table, pa.table(arrays, list(columns)))


def _due(run: Run, content: Content, seeds: Iterable[int]) -> Iterator[tuple[Any, ...]]:
    """Yield what the levels of some worlds were due."""
    maps = {name for (name,) in run.sql("SELECT DISTINCT map FROM levels").fetchall()}
    for seed in seeds:
        places = places_in(content, seed)
        asked = [place for place in places if place.map_id in maps]
        for place, names in due_in_world(content, seed, places, asked):
            for name, copies in Counter(names).items():
                if name != NO_ENCOUNTER:
                    yield seed, place.map_id, name, copies


def _likely(run: Run, content: Content) -> Iterator[tuple[Any, ...]]:
    """Yield with which prefabs copies are tried first, at each depth that has been looked at."""
    depths = _depths(run)
    for name in content.encounters:
        for depth in depths:
            forms = content.forms_at(name, depth)
            whole = sum(weight for _, weight in forms)
            chances: defaultdict[str, float] = defaultdict(float)
            for form, weight in forms:
                prefabs = content.preferences[form.label]
                for prefab, likely in prefabs.items():
                    chances[prefab] += likely / sum(prefabs.values()) * weight / whole
            yield from ((name, depth, prefab, chance) for prefab, chance in chances.items())


def _forms(run: Run, content: Content) -> Iterator[tuple[Any, ...]]:
    """Yield in which variants copies are tried first, at each depth that has been looked at."""
    for depth in _depths(run):
        for name in content.encounters:
            forms = content.forms_at(name, depth)
            whole = sum(weight for _, weight in forms)
            yield from ((name, depth, form.variant, weight / whole) for form, weight in forms if form.variant)


def _depths(run: Run) -> list[int]:
    """Return the depths that have been looked at."""
    return [depth for (depth,) in run.sql("SELECT DISTINCT depth FROM levels ORDER BY depth").fetchall()]


def _things(content: Content) -> Iterator[tuple[Any, ...]]:
    for kind, known in content.catalog.things.items():
        for tag, each in known.items():
            yield kind, each.like, tag, each.depth, each.threat, each.worth


def _nowhere(content: Content) -> Iterator[tuple[Any, ...]]:
    """Yield for which types of map encounters are meant that they can't be on."""
    depths: defaultdict[str, set[int]] = defaultdict(set)
    for spot in content.chart.spots.values():
        for name in spot.types:
            depths[name].add(spot.depth)
    for encounter, entry in content.encounters.items():
        possible = {
            name: any(encounter in content.weights_on(name, depth) for depth in depths[name])
            for name in entry.maps
            if name in depths and entry.maps[name] != 0
        }
        first, last = entry.depth
        text = (
            f"{first} and more" if last >= DEEPEST else f"{first} to {last}" if first < last else str(first)
        )
        for name, can_be in possible.items():
            if not can_be:
                yield encounter, name, text, sum(possible.values())
