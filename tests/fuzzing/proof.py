"""Thousands of levels, each proved: violations, whole-level retries, refusals, locks that are never opened, times.

Run from the checkout's root: `python tests/fuzzing/proof.py [LEVELS] [DATA] [RANDOM] [FIRST]`, by default 1,000 levels of `data/` and 500
levels of random games (see `drawn_at_random.py`), numbered from FIRST on; 0 leaves them out. Levels of `data/` are made in a shuffled
order; a sample is made a second time and must be equal byte for byte. A level of a random game may be refused, because a required thing
may have no place. It must never break a promise.
`python tests/fuzzing/proof.py --game NUMBER FOLDER` writes a game, for a look with `dungeon show MAP --data FOLDER --seed SEED`.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from functools import partial
from itertools import count, islice
from pathlib import Path
from time import perf_counter

import dungeon

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from drawn_at_random import DATA, DRAWN, write_game
from measured import Measured
from tally import Tally

SAMPLE = 50
SEEDS = 2
"""Number of worlds made of each random game."""
WARNED = "drawn as check warns that no level can be made of it"


def main() -> None:
    """Make the levels and print the counts; exit with 1 if anything was wrong or no level was made."""
    match sys.argv[1:]:
        case ["--game", number, folder]:
            write_game(int(number), Path(folder))
            return
        case words:
            defaults = ["1000", str(DATA), "500", "0"]
            levels, data, drawn, first = [*words, *defaults[len(words) :]]
    noted = Measured()
    if int(levels):
        of_content(int(levels), data, noted)
    if int(drawn):
        of_random_games(int(drawn), int(first), noted)
    noted.exit()


def of_content(wanted: int, folder: str | Path, noted: Measured) -> None:
    """Make and prove levels of one content; refusals and differences count as problems."""
    content = dungeon.load_content(folder)
    worlds = map(partial(dungeon.World, content), count())
    jobs = list(islice(((world.seed, node.id) for world in worlds for node in world.maps), wanted))
    random.Random(1).shuffle(jobs)
    tally = Tally()
    verdicts: Counter[str] = Counter()
    texts: dict[tuple[int, str], str] = {}
    start = perf_counter()
    for seed, map_id in jobs:
        world = dungeon.World(content, seed=seed)
        layout, where = _layout(world, map_id), f"{map_id} of seed {seed}"
        begin = perf_counter()
        try:
            level = world.level(map_id)
        except dungeon.GenerationError as error:
            tally.not_made(layout, error, where)
            continue
        except Exception as error:  # noqa: BLE001  # counted as a crash; other levels go on
            tally.crashed(layout, error, where)
            continue
        tally.made(layout, level, world, perf_counter() - begin, where)
        verdicts.update(each.verdict for each in level.journal if each.stage == "place")
        if len(texts) < SAMPLE:
            texts[seed, map_id] = dungeon.to_json(level)
    seconds = perf_counter() - start
    differing = [
        job
        for job in reversed(list(texts))
        if dungeon.to_json(dungeon.World(content, seed=job[0]).level(job[1])) != texts[job]
    ]
    seeds = len({seed for seed, _ in jobs})
    ids = {map_id for _, map_id in jobs}
    print(f"{len(jobs)} levels of {len(ids)} maps over {seeds} seeds in {seconds:.1f} s")
    tally.show()
    print(f"encounters placed: {verdicts['chosen']}, refused: {verdicts['refused']}")
    print(f"made again in another order: {len(texts)}, different: {len(differing)}")
    noted.add("levels", tally.count)
    if tally.wrong or tally.refused or differing or not tally.count:
        noted.fail(f"of {folder}, something is wrong, or nothing was made")


def of_random_games(wanted: int, first: int, noted: Measured) -> None:
    """Make and prove levels of random games; broken promises count as problems."""
    tally = Tally()
    number, tried = first, 0
    start = perf_counter()
    while tried < wanted:
        content, warned = _loaded(number)
        for world in [dungeon.World(content, seed=seed) for seed in range(SEEDS)]:
            for node in world.maps:
                tried += 1
                layout = _layout(world, node.id)
                where = f"game {number}, {node.id} of seed {world.seed}"
                begin = perf_counter()
                try:
                    level = world.level(node.id)
                except dungeon.GenerationError as error:
                    reason = WARNED if node.name == DRAWN and warned else ""
                    tally.not_made(layout, error, where, reason)
                    continue
                except Exception as error:  # noqa: BLE001  # likewise
                    tally.crashed(layout, error, where)
                    continue
                tally.made(layout, level, world, perf_counter() - begin, where)
        number += 1
    print(f"{tried} levels of {number - first} games drawn at random in {perf_counter() - start:.1f} s")
    tally.show()
    noted.add("levels", tally.count)
    if tally.wrong or not tally.count:
        noted.fail("of games drawn at random, something is wrong, or nothing was made")


def _layout(world: dungeon.World, map_id: str) -> str:
    """Return the layout of a map."""
    return world.content.maps[world.node(map_id).name].layout.name


def _loaded(number: int) -> tuple[dungeon.Content, bool]:
    """Return a random game, and whether `check` warns that its drawn map can't be crossed."""
    with tempfile.TemporaryDirectory() as folder:
        write_game(number, Path(folder))
        content = dungeon.load_content(folder)
        problems = dungeon.examine_content(folder).problems if DRAWN in content.maps else ()
        warned = any(f"map {DRAWN}" in each.message and "is drawn" in each.message for each in problems)
        return content, warned


if __name__ == "__main__":
    main()
