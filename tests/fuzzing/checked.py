"""Small random games: every content that `check` passes is made with several seeds, and every level is proved.

Run from the checkout's root: `python tests/fuzzing/checked.py [GAMES] [SEEDS] [FIRST]`, by default 100 games with 2 seeds each, from game
0 on. A level fails if it is refused, breaks a promise or crashes. Failures are printed in groups, with the games to look at.
`python tests/fuzzing/checked.py --game NUMBER FOLDER` writes a game, for a look with `dungeon show small/1 --data FOLDER --seed SEED`.
The exit code is 1 if a level of content without errors failed, if `check` crashed, or if no level was made.
"""

from __future__ import annotations

import re
import sys
import tempfile
import traceback
from collections import Counter, defaultdict
from pathlib import Path
from time import perf_counter

from drawn_small import ALL_LAYOUTS, write_small_game

import dungeon

SHOWN = 6
"""Number of places named for each group of failures."""


def main() -> int:
    """Check and make the games; return 1 if anything failed or no level was made."""
    match sys.argv[1:]:
        case ["--game", number, folder]:
            write_small_game(int(number), Path(folder))
            return 0
        case words:
            games, seeds, first = (int(each) for each in [*words, *("100", "2", "0")[len(words) :]])
    return Campaign().run(range(first, first + games), seeds)


class Campaign:
    """Counts games, levels and failures.

    Attributes:
        verdicts: Number of games that `check` finds to have errors, only warnings, or neither.
        errors: Error message without numbers -> games that have it.
        levels: Layout -> number of sound levels.
        failures: Failure without numbers -> places where it happened.
        failed: Layout -> number of failures.
    """

    def __init__(self) -> None:
        self.verdicts: Counter[str] = Counter()
        self.errors: defaultdict[str, list[str]] = defaultdict(list)
        self.levels: Counter[str] = Counter()
        self.failures: defaultdict[str, list[str]] = defaultdict(list)
        self.failed: Counter[str] = Counter()

    def run(self, numbers: range, seeds: int) -> int:
        """Check and make games and print the failures; return 1 if there were any or no level was made."""
        start = perf_counter()
        for number in numbers:
            with tempfile.TemporaryDirectory() as folder:
                write_small_game(number, Path(folder))
                try:
                    found = dungeon.examine_content(folder)
                except Exception as error:  # noqa: BLE001  # any exception is a failure
                    self._fail(number, "check crashed: " + _crash(error), f"game {number}")
                    continue
            severities = {problem.severity for problem in found.problems}
            verdict = next((each for each in ("error", "warning") if each in severities), "clean")
            self.verdicts[verdict] += 1
            if found.content is not None:
                for problem in found.problems:
                    if problem.severity == "error":
                        self.errors[_like(problem.message)].append(f"game {number}")
            if verdict != "error" and found.content is not None:
                self._make(number, found.content, seeds, verdict)
        self._show(len(numbers), perf_counter() - start)
        return int(bool(self.failures) or not self.levels)

    def _make(self, number: int, content: dungeon.Content, seeds: int, verdict: str) -> None:
        """Make and prove one level of each world; worlds take the first and the last map in turn."""
        for seed in range(seeds):
            world = dungeon.World(content, seed=seed)
            map_id = world.maps[seed % len(world.maps)].id
            where = f"game {number}, {map_id} of seed {seed} ({verdict})"
            try:
                level = world.level(map_id)
            except dungeon.GenerationError as error:
                self._fail(number, _like(str(error).split(": ", 1)[1]), where)
                continue
            except Exception as error:  # noqa: BLE001  # likewise
                self._fail(number, "crashed: " + _crash(error), where)
                continue
            found = dungeon.prove(level, world)
            if found:
                self._fail(number, "prove: " + "; ".join(sorted({each.rule for each in found})), where)
            else:
                self.levels[_layout(number)] += 1

    def _fail(self, number: int, reason: str, where: str) -> None:
        """Add a failure."""
        print(f"{where}: {reason}", flush=True)
        self.failures[reason].append(where)
        self.failed[_layout(number)] += 1

    def _show(self, games: int, seconds: float) -> None:
        """Print the counts and the groups of failures, the largest first."""
        made, failed = self.levels.total(), self.failed.total()
        said = ", ".join(f"{count} {verdict}" for verdict, count in self.verdicts.items())
        print(f"{games} games ({said}): {made} levels sound, {failed} failures, {seconds:.0f} s")
        for layout in ALL_LAYOUTS:
            print(f"  {layout:10} {self.levels[layout]:6} sound {self.failed[layout]:5} failures")
        for text, places in sorted(self.errors.items(), key=lambda each: -len(each[1])):
            print(f"error in {len(places)}: {text}\n    {'; '.join(places[:SHOWN])}")
        for text, places in sorted(self.failures.items(), key=lambda each: -len(each[1])):
            print(f"FAILED {len(places)}: {text}\n    {'; '.join(places[:SHOWN])}")


def _layout(number: int) -> str:
    """Return the layout of a game."""
    return ALL_LAYOUTS[number % len(ALL_LAYOUTS)]


def _crash(error: Exception) -> str:
    """Return an exception's text with the line that raised it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {_like(str(error))} ({Path(last.filename).name}:{last.lineno})"


def _like(reason: str) -> str:
    """Return a text with its numbers replaced by N."""
    return re.sub(r"\d+", "N", reason)


if __name__ == "__main__":
    sys.exit(main())
