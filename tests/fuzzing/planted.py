"""Whether report and comparison name a mistake: imbalances of random kinds are planted in copies of `data/`.

    python tests/fuzzing/planted.py --out planted [--kinds double_robot,halved] [--count 10] [--seed 0] [--worlds 300]

A planting edits a copy of the content (`planted_kinds.py`). Bots play the same worlds of both contents. Then `dungeon report` reads the
run after, and `dungeon compare` both runs. An imbalance counts as named if one of its names stands in the first ten lines of the report,
or in the first three of the comparison. `unseen` is a comparison without access to the contents, so it can't list edits. Lines that the
report on the unchanged content also has don't count.

A null is a comparison with nothing planted: worlds of the unchanged content are dealt out to two runs at random. Any line of it is a
false alarm.

By default, worlds are five levels of the demo in a row (`--through`): the dry way to depth 3, and the bottom. So bots reach every
recorded level, and worlds take little time. Runs are kept in the folder and continue where they stopped.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from changed_runs import change, change_facts, rows
from planted_base import base_of
from planted_edits import Folder
from planted_kinds import KINDS

import dungeon
from dungeon import playtest
from dungeon.playtest.recording.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planted_base import Base
    from planted_kinds import Names

DATA = Path(__file__).parents[2] / "data"
GAME = "game_demo.playing:start"
THROUGH = "goods_inwards/1,galleries/1,galleries/2,foundry/3,order_room/12"
OTHER = 1_000_000
"""Worlds of nulls are renumbered from here; no recorded world has such a seed."""
FRAME = "what ", "and ", "the contents differ"
"""Beginnings of lines of a comparison that list no change."""
REPORTED = 10
"""Number of lines of a report that are read."""
COMPARED = 3
"""Number of lines of a comparison that are read."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A planted imbalance.

    Attributes:
        kind: Its kind.
        victim: The robot, encounter, map... that was edited.
        names: The names that identify it.
        folder: The folder of its content and run.
    """

    kind: str
    victim: str
    names: Names
    folder: Path


def main() -> int:
    """Plant imbalances, record worlds, run report and comparison, and print a table."""
    options = read_options()
    out, worlds = Path(options.out), range(options.worlds)
    content = out / "base" / "content"
    if not content.exists():
        shutil.copytree(DATA, content)
        cut(content, [each for each in options.through.split(",") if each])
    recorded(out / "base", content, worlds, options)
    with playtest.open(out / "base" / "run") as run:
        base = base_of(Folder(content), run)
    known = report_lines(out / "base")
    print("A report on the content as it was says, first of all:")
    for line in known:
        print(f"  {line}")
    kinds = options.kinds.split(",") if options.kinds else drawn(base, options.count, options.seed)
    rows = []
    for number, kind in enumerate(kinds):
        turn = kinds[:number].count(kind)
        folder = out / f"{kind}_{options.seed}{f'_{turn}' if turn else ''}"
        plant = planted(kind, base, folder, options.seed, turn)
        recorded(plant.folder, plant.folder / "content", worlds, options)
        rows.append(judged(plant, out / "base", known))
        print("".join(f"{cell:20}" for cell in rows[-1]), flush=True)
    print()
    for row in [("kind", "victim", "report", "compare", "unseen"), *rows]:
        print("".join(f"{cell:20}" for cell in row).rstrip())
    if options.nulls:
        recorded(out / "base", content, range(2 * options.worlds), options)
        print(f"{alarmed(out / 'base' / 'run', out, options.nulls)} alarms in {options.nulls} nulls")
    return 0 if rows else 1


def read_options() -> argparse.Namespace:
    """Return the command-line options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, help="the folder in which all is kept")
    parser.add_argument(
        "--kinds", default="", help=f"kinds to plant: {', '.join(KINDS)} (default: drawn at random)"
    )
    parser.add_argument("--count", type=int, default=10, help="how many kinds to draw (default 10)")
    parser.add_argument("--seed", type=int, default=0, help="what kinds and victims are drawn by (default 0)")
    parser.add_argument(
        "--worlds", type=int, default=300, help="how many worlds of each content (default 300)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="how many processes make them (default 1)")
    parser.add_argument("--bots", default="hasty", help="who plays (default hasty)")
    parser.add_argument(
        "--through",
        default=THROUGH,
        help="maps of a way down; '' for the whole world (default: five of the demo)",
    )
    parser.add_argument(
        "--nulls", type=int, default=0, help="how many comparisons with nothing planted (default 0)"
    )
    return parser.parse_args()


def cut(content: Path, way: list[str]) -> None:
    """Reduce a content's world to one row of maps; leave it whole if `way` is empty. Keys stay on the maps of their locks."""
    if way:
        locks = content / "locks.yaml"
        locks.write_text(re.sub(r"\n +keys_on: .*", "", locks.read_text("utf-8")), "utf-8")
        leads = "".join(f"  {here}: [{there}]\n" for here, there in pairwise(way))
        (content / "world.yaml").write_text(f"start: {way[0]}\nleads_to:\n{leads}", "utf-8")


def drawn(base: Base, count: int, seed: int) -> list[str]:
    """Return random kinds, sorted. None comes twice before each has come once, nor more often than it has victims."""
    victims = {kind: len(each.victims(base)) for kind, each in KINDS.items()}
    turns = (
        Random(f"{seed} {turn}").sample(able, len(able))
        for turn in range(max(victims.values()))
        if (able := [kind for kind in KINDS if victims[kind] > turn])
    )
    return sorted(islice(chain.from_iterable(turns), count))


def planted(kind: str, base: Base, folder: Path, seed: int, turn: int = 0) -> Planted:
    """Plant an imbalance in a copy of a content, in a random victim with which the content still loads.

    An imbalance that was planted in the folder earlier is kept.

    Args:
        kind: Its kind.
        base: The content.
        folder: The folder of the copy.
        seed: What the victim is drawn by.
        turn: How many imbalances of this kind have been planted with this seed; each has a victim of its own.

    Raises:
        LookupError: There is no victim.
    """
    note = folder / "planted.json"
    if note.exists():
        victim, names = json.loads(note.read_text("utf-8"))
        return Planted(kind, victim, [tuple(words) for words in names], folder)
    victims = KINDS[kind].victims(base)
    Random(f"{seed} {kind}").shuffle(victims)
    for victim in victims:
        shutil.rmtree(folder / "content", ignore_errors=True)
        shutil.copytree(base.folder.path, folder / "content")
        names = KINDS[kind].plant(Folder(folder / "content"), victim)
        if dungeon.examine_content(folder / "content").content is None:
            continue
        turn -= 1
        if turn < 0:
            note.write_text(json.dumps([victim, names]), "utf-8")
            return Planted(kind, victim, names, folder)
    raise LookupError(f"nothing can be planted of the kind {kind!r}")


def recorded(folder: Path, content: Path, worlds: range, options: argparse.Namespace) -> None:
    """Record worlds of a content, with games of bots, in a folder's run."""
    games = playtest.Games(bots=tuple(options.bots.split(",")), game=GAME)
    playtest.record(content, worlds, out=folder / "run", jobs=options.jobs, probe=games)


def judged(plant: Planted, base: Path, known: list[str]) -> tuple[str, ...]:
    """Return a row of the table: the line in which each command names the imbalance."""
    blinded(plant.folder / "run", plant.folder / "blind")
    new = {
        "report": [
            line if wordy(line) not in map(wordy, known) else "" for line in report_lines(plant.folder)
        ],
        "compare": compare_lines(base / "run", plant.folder / "run"),
        "unseen": compare_lines(base / "run", plant.folder / "blind"),
    }
    for who, lines in new.items():
        (plant.folder / f"{who}.txt").write_text("\n".join(lines), "utf-8")
    return plant.kind, plant.victim, *(named(lines, plant.names) for lines in new.values())


def named(lines: Iterable[str], names: Names) -> str:
    """Return the number of the first line, from 1, with all words of one of the names; ``-`` for none."""
    for number, line in enumerate(lines, 1):
        if any(
            all(re.search(rf"(?<!\w){re.escape(word)}s?(?!\w)", line) for word in words) for words in names
        ):
            return str(number)
    return "-"


def wordy(line: str) -> str:
    """Return a line without its numbers, which differ from run to run."""
    return re.sub(r"\d+", "", line)


def report_lines(folder: Path) -> list[str]:
    """Return the first findings of the report on a folder's run, each on one line, without commands."""
    text = said("report", folder / "run", "--text", "--data", folder / "content")
    findings: list[str] = []
    for line in text.splitlines():
        if re.match(r"  \d+\. ", line):
            findings.append(line.strip())
        elif findings and line.startswith("     ") and not line.strip().startswith("dungeon "):
            findings[-1] += f" {line.strip()}"
        elif findings and not line.startswith("     "):
            break
    return [re.sub(r"^\d+\. ", "", finding) for finding in findings[:REPORTED]]


def compare_lines(before: Path, after: Path) -> list[str]:
    """Return the first changes that a comparison of two runs lists."""
    _, *lines = said("compare", before, after, "--most", str(COMPARED)).splitlines()
    return [line for line in lines if line.strip() and not line.startswith(FRAME)][:COMPARED]


def alarmed(base: Path, out: Path, count: int) -> int:
    """Deal a run's worlds out to two runs at random, `count` times; return how many comparisons list a change."""
    seeds = [seed for (seed,) in rows(base, "SELECT seed FROM worlds ORDER BY seed")]
    alarms = 0
    for null in range(count):
        Random(f"null {null}").shuffle(seeds)
        half = len(seeds) // 2
        sides = out / "null" / "a", out / "null" / "b"
        for side, dealt in zip(sides, (seeds[:half], seeds[half : 2 * half]), strict=True):
            copied(base, side, *dealing(dealt))
        lines = compare_lines(*sides)
        alarms += bool(lines)
        for line in lines:
            print(f"  null {null}: {line}", flush=True)
    return alarms


def dealing(seeds: list[int]) -> list[str]:
    """Return the SQL that keeps only these worlds in a run and renumbers them."""
    renamed = " ".join(f"WHEN {seed} THEN {OTHER + n}" for n, seed in enumerate(seeds))
    chosen = ", ".join(map(str, seeds))
    views = [table.view for table in TABLES]
    return [
        *(f"DELETE FROM {view} WHERE seed NOT IN ({chosen})" for view in views),
        *(f"UPDATE {view} SET seed = CASE seed {renamed} END" for view in views),
    ]


def blinded(run: Path, into: Path) -> None:
    """Copy a run; the copy does not say where its content lies, so a comparison can't read the edits."""
    copied(run, into)
    change_facts(into, arguments="")


def copied(run: Path, into: Path, *statements: str) -> None:
    """Copy a run, and change the copy by SQL if there are statements."""
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(run, into)
    if statements:
        change(into, *statements)


def said(command: str, *words: str | Path) -> str:
    """Return the output of a `dungeon` command.

    Raises:
        CalledProcessError: It failed.
    """
    call = [sys.executable, "-m", "dungeon", command, *map(str, words)]
    return subprocess.run(call, check=True, text=True, stdout=subprocess.PIPE).stdout


if __name__ == "__main__":
    sys.exit(main())
