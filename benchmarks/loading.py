"""Time to load a large content: generated, read from its files, and read from a cache.

Run from the checkout's root: `python benchmarks/loading.py [PREFABS] [ENCOUNTERS] [RUNS]`, by default 2000, 500 and 7. Every load
happens in a fresh process that has imported every name of `dungeon` before, as a running game has. A figure is the median over the
runs. The exit code is 1 if a goal is missed; with a single run, goals don't count.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from measured import Measured

import dungeon

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RUNS = 7
GOALS = {"without a cache": 1500, "from the cache": 300}
"""Maximum milliseconds of a load."""

PER_FILE = 100
"""Entries in each file of prefabs."""

DRAWN = 0.1
"""Share of the prefabs that are .xp files with four layers."""

DEPTHS = 12
KINDS = {"props": 90, "robots": 70, "items": 90, "traps": 30, "debris": 20}
WORDS = {"never": 0, "rare": 1, "uncommon": 4, "common": 10, "plentiful": 20}
MAPS = ("cellars", "halls", "foundry", "cisterns", "archive", "vaults")
CLASSES = ("goods", "tools", "waste", "heavy", "light", "old")
GLYPHS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DICE = random.Random(7)

LOAD = """
import sys
from time import perf_counter
import dungeon
for name in dungeon.__all__:
    getattr(dungeon, name)
folder, cache = sys.argv[1], sys.argv[2] or None
start = perf_counter()
content = dungeon.load_content(folder, cache=cache) if cache else dungeon.load_content(folder)
loaded = perf_counter() - start
level = dungeon.World(content, seed=1).level(content.world.start)
made = perf_counter() - start
assert level.placements, "nothing was placed"
for prefab in content.prefabs.values():
    assert prefab.drawing.width
print(loaded, made, perf_counter() - start)
"""


def main() -> None:
    """Generate content, load it in each way and print the table."""
    words = sys.argv[1:]
    prefabs, encounters, runs = (int(word) for word in [*words, *["2000", "500", str(RUNS)][len(words) :]])
    noted = Measured(checks_goals=runs > 1)
    with tempfile.TemporaryDirectory() as place:
        data, cache = Path(place, "data"), Path(place, "cache")
        write_content(data, prefabs, encounters)
        files = [path for path in data.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        print(f"{prefabs} prefabs, {encounters} encounters: {len(files)} files, {size / 1e6:.2f} MB")
        print(f"{'':34} {'load':>9} {'+ a level':>10} {'+ all prefabs':>14}")
        row("without a cache", [load(data) for _ in range(runs)], noted)
        row("writing the cache", list(first_loads(data, cache, runs)), noted)
        row("from the cache", [load(data, cache) for _ in range(runs)], noted)
        row("after a change, writing it again", list(changed_loads(data, cache, runs)), noted)
    noted.exit()


def row(what: str, runs: Sequence[Sequence[float]], noted: Measured) -> None:
    """Print one line of the table."""
    if not runs:
        return
    loaded, made, whole = (1000 * statistics.median(column) for column in zip(*runs, strict=True))
    print(f"{what:34} {loaded:6.0f} ms {made:7.0f} ms {whole:11.0f} ms")
    noted.add(f"milliseconds of a load {what}", loaded, GOALS.get(what))


def load(data: Path, cache: Path | None = None) -> list[float]:
    """Return the seconds until content was loaded, the first level made, and every prefab read, in a fresh process."""
    command = [sys.executable, "-c", LOAD, str(data), str(cache or "")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()]


def first_loads(data: Path, cache: Path, runs: int) -> Iterator[list[float]]:
    """Yield the times of loads whose cache does not exist yet."""
    for _ in range(runs):
        for path in cache.glob("*"):
            path.unlink()
        yield load(data, cache)


def changed_loads(data: Path, cache: Path, runs: int) -> Iterator[list[float]]:
    """Yield the times of loads after one file has changed."""
    for number in range(runs):
        with (data / "weights.yaml").open("a", encoding="utf-8") as file:
            file.write(f"# Balanced {number + 1} times.\n")
        yield load(data, cache)


# -- the content --------------------------------------------------------------------------------


def write_content(folder: Path, prefabs: int, encounters: int) -> None:
    """Write the content of a game: catalogs, shared legends, prefabs of 3x2 to 25x15 cells, encounters, maps."""
    for name in ("objects", "legends", "prefabs", "encounters", "maps"):
        (folder / name).mkdir(parents=True)
    write(folder, "weights.yaml", "\n".join(f"{word}: {number}" for word, number in WORDS.items()))
    write(folder, "palette.yaml", 'glyphs: {"~": moss}\ncolours: {"#ff0000": wall, "#505050": floor}')
    write(
        folder,
        "themes.yaml",
        "\n".join(f"{name}: {{floor: moss, 1: moss, 2: rubble_floor}}" for name in MAPS),
    )
    write(
        folder,
        "terrain.yaml",
        "moss: {like: floor, glyph: ',', fg: \"#40a040\"}\nrubble_floor: {like: floor}",
    )
    for name, count in KINDS.items():
        write(folder, f"objects/{name}.yaml", "\n".join(thing(name, number) for number in range(count)))
    write(folder, "legends/shared.yaml", "\n".join(legend(number) for number in range(12)))
    names = [f"room_{number:04}" for number in range(prefabs)]
    drawn = set(DICE.sample(names, round(prefabs * DRAWN)))
    for start in range(0, prefabs, PER_FILE):
        some = names[start : start + PER_FILE]
        write(
            folder, f"prefabs/rooms_{start:04}.yaml", "\n".join(prefab(name, name in drawn) for name in some)
        )
    for name in sorted(drawn):
        dungeon.write_xp(folder / f"prefabs/{name}.xp", layers())
    for start in range(0, encounters, PER_FILE):
        numbers = range(start, min(start + PER_FILE, encounters))
        write(
            folder, f"encounters/{start:04}.yaml", "\n".join(encounter(number, names) for number in numbers)
        )
    for name in MAPS:
        write(folder, f"maps/{name}.yaml", game_map(name))
    write(folder, "world.yaml", world())


def write(folder: Path, place: str, text: str) -> None:
    """Write one file."""
    (folder / place).write_text(text + "\n", encoding="utf-8")


def thing(catalog: str, number: int) -> str:
    """Return the YAML of an object."""
    lines = [
        f"{catalog}_{number:02}:",
        f"  name: number {number} of the {catalog}",
        f"  glyph: {GLYPHS[number % len(GLYPHS)]}",
        f'  fg: "#{DICE.randrange(1 << 24):06x}"',
        f"  class: {CLASSES[number % len(CLASSES)]}",
        f"  depth: {number % len(CLASSES) and DICE.randrange(DEPTHS)}",
        f"  weight: {DICE.choice(list(WORDS)[1:])}",
        f'  data: {{text: "It says {DICE.randrange(10**6)} on it.", worth: {DICE.randint(1, 90)}}}',
    ]
    # The first of each class fits every depth, so that a reference to the class always finds one.
    return "\n".join(lines)


def tags(kind: str, count: int = 1) -> list[str]:
    """Return this number of random tags of a kind."""
    return [f"{kind}_{number:02}" for number in DICE.sample(range(KINDS[kind]), count)]


def symbol() -> str:
    """Return the random meaning of a character in a legend."""
    (prop,), (bit,), (trap,), (item, other) = tags("props"), tags("debris"), tags("traps"), tags("items", 2)
    return DICE.choice(
        (
            f"{{prop: {prop}}}",
            f"{{prop: {{class: {DICE.choice(CLASSES)}}}, chance: {DICE.randint(20, 90)}%}}",
            f"{{item: [{item}, {other}], unique: true}}",
            f"{{item: {{{item}: 3, {other}: 1}}}}",
            f"{{robot: {{class: {DICE.choice(CLASSES)}}}, chance: 60%, shift: [1, 1]}}",
            f"{{debris: {bit}, chance: 40%, data: {{note: {DICE.randrange(99)}}}}}",
            f"{{trap: {trap}, chance: 50%}}",
        )
    )


def legend(number: int) -> str:
    """Return a shared legend."""
    own = DICE.sample(GLYPHS, 6)
    return "\n".join([f"shared_{number}:", *(f"  {char}: {symbol()}" for char in own)])


def drawing(chars: str) -> list[str]:
    """Return the rows of a room with an open front; `chars` stand in it at random."""
    width, height = DICE.randint(3, 25), DICE.randint(2, 15)
    rows = [["." for _ in range(width)] for _ in range(height)]
    for _ in range(width * height // 12):
        rows[DICE.randrange(height)][DICE.randrange(width)] = DICE.choice(".~123")
    for char in chars:
        rows[DICE.randrange(height - 1)][DICE.randrange(width)] = char
    return ["".join(row) for row in rows]


def prefab(name: str, is_drawn: bool) -> str:  # noqa: FBT001
    """Return the YAML of a prefab; with `is_drawn`, of one whose drawing is an .xp file."""
    own = DICE.sample(GLYPHS, DICE.randint(1, 6))
    explained = [f"    {char}: {symbol()}" for char in own]
    if is_drawn:
        explained = [f"    {char}: {symbol()}" for char in "ab"]
        return "\n".join([f"{name}:", "  tags: [drawn]", "  legend:", *explained])
    rows = [f"    {row}" for row in drawing("".join(own))]
    shared = f"  legends: [shared_{DICE.randrange(12)}, shared_{DICE.randrange(12)}]"
    shared = (
        shared if DICE.random() < 0.3 and len(set(shared[12:-1].split(", "))) == 2 else "  tags: [written]"
    )
    return "\n".join([f"{name}:", "  map: |", *rows, "  legend:", *explained, shared])


def layers() -> list[dungeon.XpLayer]:
    """Return a random drawing of four layers."""
    rows = drawing("")
    height, width = len(rows), len(rows[0])
    empty = " " * width
    machine = ["=" * min(width, 3) + " " * max(width - 3, 0), *[empty] * (height - 1)]
    marks = [*[empty] * (height - 1), "ab".ljust(width)]
    planes = ([row.replace("~", ".") for row in rows], [empty] * height, machine, marks)
    return [
        dungeon.XpLayer.from_rows(plane, transparent_spaces=number > 0) for number, plane in enumerate(planes)
    ]


def encounter(number: int, names: Sequence[str]) -> str:
    """Return the YAML of an encounter."""
    low = DICE.randrange(DEPTHS)
    wanted = ", ".join(DICE.sample(names, DICE.randint(1, min(6, len(names)))))
    where = ", ".join(f"{name}: {DICE.choice(list(WORDS))}" for name in DICE.sample(MAPS, DICE.randint(1, 4)))
    lines = [
        f"meeting_{number:03}:",
        f"  category: {DICE.choice(('fluff', 'risk', 'danger', 'reward'))}",
        f"  prefabs: [{wanted}]",
        f"  maps: {{{where}}}",
        f"  depth: {low}..{low + DICE.randint(1, 6)}",
    ]
    if DICE.random() < 0.3:
        lines.append(f"  limit: {{map: {DICE.randint(1, 3)}}}")
    if DICE.random() < 0.2:
        lines.append(f"  group: [quarrel_{DICE.randrange(20)}]")
    if DICE.random() < 0.3:
        lines.append("  placing: accessible")
    return "\n".join(lines)


def game_map(name: str) -> str:
    """Return the YAML of a map."""
    scattered = [
        f"    - {{{kind.rstrip('s')}: {tags(kind)[0]}, count: 2..5}}" for kind in ("props", "robots", "items")
    ]
    lines = [f"{name}:", f"  name: The {name}", "  size: 100x70", "  layout: tunnels", f"  theme: {name}"]
    return "\n".join([*lines, "  encounters: 8..12", "  population:", *scattered])


def world() -> str:
    """Return the YAML of a world: one map at each depth."""
    ids = [f"{MAPS[depth % len(MAPS)]}/{depth}" for depth in range(1, DEPTHS + 1)]
    leads = [f"  {here}: [{there}]" for here, there in pairwise(ids)]
    return "\n".join([f"start: {ids[0]}", "leads_to:", *leads])


if __name__ == "__main__":
    main()
