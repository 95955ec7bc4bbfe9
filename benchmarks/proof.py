"""Make many levels and prove each: counts of violations, whole-level retries and refusals.

Run from the checkout's root: `python benchmarks/proof.py [LEVELS] [DATA]` (by default 1,000 levels of `data/`).
Levels are made in a shuffled order; a sample is made a second time and must be the same to the byte.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

import dungeon

DATA = Path(__file__).parent.parent / "data"
SAMPLE = 50


def main() -> int:
    """Make the levels, print what was seen, and return 1 if anything was wrong."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    content = dungeon.load_content(sys.argv[2] if len(sys.argv) > 2 else DATA)
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
        try:
            level = dungeon.World(content, seed=seed).level(map_id)
        except dungeon.GenerationError as error:
            errors[str(error)] += 1
            continue
        violations.update(each.rule for each in dungeon.prove(level))
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
    return 1 if violations or errors or differing else 0


if __name__ == "__main__":
    sys.exit(main())
