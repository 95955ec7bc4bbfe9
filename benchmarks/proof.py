"""Make many levels and prove each beside its world: counts of violations, whole-level retries and refusals.

Run from the checkout's root: `python benchmarks/proof.py [LEVELS] [DATA] [RANDOM]`, by default 1,000 levels of `data/` and 500
levels of games drawn at random (see `drawn_at_random.py`), 0 for none. Levels of `data/` are made in a shuffled order; a
sample is made a second time and must be the same to the byte. Of games drawn at random a level may be refused,
as a required thing may have no place; but one that breaks a promise is wrong, whatever was drawn.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter

from drawn_at_random import DRAWN, game

import dungeon

DATA = Path(__file__).parent.parent / "data"
SAMPLE = 50
BROKEN = "breaks a promise"
"""What a level that the proof refuses is said to do."""
SHOWN = 3
"""How many levels are named that break the same promise."""
SEEDS = 2
"""How many worlds are made of each game that is drawn at random."""


def main() -> int:
    """Make the levels, print what was seen, and return 1 if anything was wrong."""
    levels = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    drawn = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    wrong = of_content(levels, sys.argv[2] if len(sys.argv) > 2 else DATA) if levels else False
    if drawn:
        wrong |= of_random_games(drawn)
    return int(wrong)


def of_content(wanted: int, folder: str | Path) -> bool:
    """Make and prove levels of one content, and tell whether anything was wrong."""
    content = dungeon.load_content(folder)
    ids = [node.id for node in dungeon.World(content).maps]
    jobs = [(seed, map_id) for seed in range(-(-wanted // len(ids))) for map_id in ids][:wanted]
    random.Random(1).shuffle(jobs)
    violations: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    retries = 0
    texts: dict[tuple[int, str], str] = {}
    start = perf_counter()
    for seed, map_id in jobs:
        world = dungeon.World(content, seed=seed)
        try:
            level = world.level(map_id)
        except dungeon.GenerationError as error:
            errors[str(error)] += 1
            continue
        violations.update(each.rule for each in dungeon.prove(level, world))
        verdicts.update(each.verdict for each in level.journal if each.stage == "place")
        retries += level.retries
        if len(texts) < SAMPLE:
            texts[seed, map_id] = dungeon.to_json(level)
    seconds = perf_counter() - start
    differing = [
        job
        for job in reversed(list(texts))
        if dungeon.to_json(dungeon.World(content, seed=job[0]).level(job[1])) != texts[job]
    ]
    seeds = len({seed for seed, _ in jobs})
    print(f"{len(jobs)} levels of {len(ids)} maps over {seeds} seeds in {seconds:.1f} s")
    print(f"violations: {violations.total()} {dict(violations) or ''}")
    print(f"levels that could not be made: {errors.total()} {dict(errors) or ''}")
    print(f"whole-level retries: {retries}")
    print(f"encounters placed: {verdicts['chosen']}, refused: {verdicts['refused']}")
    print(f"made again in another order: {len(texts)}, of which differ: {len(differing)}")
    return bool(violations or errors or differing)


def of_random_games(wanted: int) -> bool:
    """Make and prove levels of games drawn at random, and tell whether one broke a promise."""
    made: Counter[str] = Counter()
    retries: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    broken: dict[str, list[str]] = {}
    number, tried = 0, 0
    start = perf_counter()
    while tried < wanted:
        content, warned = _loaded(number)
        for world in [dungeon.World(content, seed=seed) for seed in range(SEEDS)]:
            for node in world.maps:
                tried += 1
                try:
                    level = world.level(node.id)
                except dungeon.GenerationError as error:
                    if node.name == DRAWN and warned:
                        refused["drawn as check warns that no level can be made of it"] += 1
                    else:
                        _count(error, f"game {number}, {node.id} of seed {world.seed}", refused, broken)
                    continue
                made[node.name] += 1
                retries[node.name] += level.retries
                for violation in dungeon.prove(level, world):
                    broken.setdefault(violation.rule, []).append(f"game {number}, {node.id}: {violation}")
        number += 1
    print(f"{tried} levels of {number} games drawn at random in {perf_counter() - start:.1f} s: {dict(made)}")
    print(f"whole-level retries: {retries.total()} {dict(+retries) or ''}")
    print(f"refused: {refused.total()}")
    for text, count in refused.most_common():
        print(f"    {count} times {text}")
    print(f"broken promises: {sum(map(len, broken.values()))}")
    for rule, found in sorted(broken.items()):
        print(f"    {rule}: {len(found)}")
        for text in found[:SHOWN]:
            print(f"        {text}")
    return bool(broken)


def _loaded(number: int) -> tuple[dungeon.Content, bool]:
    """Return a game drawn at random, and whether its drawn map is one of which `check` warns that nobody gets through it."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in game(number).items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        problems = dungeon.examine_content(folder).problems
        warned = any(f"map {DRAWN}" in each.message and "is drawn" in each.message for each in problems)
        return dungeon.load_content(folder), warned


def _count(
    error: dungeon.GenerationError, where: str, refused: Counter[str], broken: dict[str, list[str]]
) -> None:
    """Count a level that was not made: as refused, or once for each promise that it breaks."""
    text = str(error).split(": ", 1)[1]
    if BROKEN not in text:
        refused[re.sub(r"\d+", "N", text)] += 1
        return
    for line in text.splitlines()[1:]:
        broken.setdefault(line.split()[0].rstrip(":"), []).append(f"{where}: {line.strip()}")


if __name__ == "__main__":
    sys.exit(main())
