"""Random games with the rarer words of the language: every level is proved, and each word is counted where it had an effect.

Run from the checkout's root: `python tests/fuzzing/words.py [LEVELS] [FIRST]`, by default 500 levels of games numbered from FIRST on (0).
The games are those of `drawn_words.py`; two worlds are made of each, the second one at a difficulty. A level may be refused because a
required thing has no place. It must never break a promise. Besides the proof, some words are checked here against the YAML alone.
`python tests/fuzzing/words.py --game NUMBER FOLDER` writes a game, for a look with `dungeon show MAP --data FOLDER --seed SEED`.
The exit code is 1 if a level broke a promise or crashed, if a word never had an effect, or if no level was made.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import dungeon

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from drawn_words import SIGNS, UPPER, write_worded_game
from measured import Measured
from tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from drawn_maps import Yaml

    from dungeon.level.model import Placement, Spawn

DIFFICULTIES = "", "hard", "calm"
STEPS = {"at_most": "at_most", "shuffle": "shuffle by weight", "exactly": "entrance that varies"}
"""Key of a step of `vary` -> the word that it tests."""
KEYED = {
    "fuses": "lock: N of M",
    "either": "lock: any of",
    "slots": "lock: several consumed",
    "chosen": "lock: one of",
    "far": "lock: keys on other maps",
}
"""Lock name -> the word that it tests."""
OTHERS = (
    *("cards: gap 0", "cards: sections of the deck", "cards: sea"),
    "variants",
    *(f"variants: {key}" for key in ("only", "legend", "steps", "sealed", "map", "asked for alone")),
    *("tower", "references on several layers", "layers of .xp by role", "only", "start: a choice"),
    *("around in a population", "band in a population", "rating in a population"),
    *("spawns of a world", "weights of a world", "difficulty"),
    *(
        f"sealed: {mode}"
        for mode in ("seeded", "layout", "static", "enclosed", "cubby", "accessible", "centered", "embedded")
    ),
)
"""Words that are not told by a character of `SIGNS` or a key of `STEPS`."""


def main() -> None:
    """Make the levels and print the counts; exit with 1 if anything was wrong."""
    match sys.argv[1:]:
        case ["--game", number, folder]:
            write_worded_game(int(number), Path(folder))
            return
        case arguments:
            wanted, first = (int(each) for each in [*arguments, *("500", "0")[len(arguments) :]])
    noted = Measured(checks_goals=wanted >= 1000)  # in a few levels, a rare word may have no effect
    tally, seen = Tally(), Counter[str]()
    number, tried, start = first, 0, perf_counter()
    while tried < wanted:
        with tempfile.TemporaryDirectory() as folder:
            files = write_worded_game(number, Path(folder))
            loaded = dungeon.load_content(folder)
        for seed, difficulty in ((0, ""), (1, DIFFICULTIES[number % 3])):
            world = dungeon.World(loaded, seed=seed, difficulty=difficulty or None)
            for node in world.maps:
                tried += 1
                _make(
                    world,
                    node.id,
                    f"game {number}, {node.id} of seed {seed} {difficulty}",
                    files,
                    tally,
                    seen,
                )
        number += 1
    print(f"\n{tried} levels of {number - first} games in {perf_counter() - start:.0f} s")
    tally.show()
    words = sorted({*(word for word, _ in SIGNS.values()), *STEPS.values(), *KEYED.values(), *OTHERS})
    for word in words:
        print(f"{seen[word]:8} {word}")
    noted.add("levels", tally.count)
    for word in words:
        noted.add(word, seen[word], least=1)
    if tally.wrong or not tally.count:
        noted.fail("something is wrong, or nothing was made")
    noted.exit()


def _make(
    world: dungeon.World, map_id: str, where: str, files: dict[str, Yaml], tally: Tally, seen: Counter[str]
) -> None:
    """Make, prove and count a level."""
    layout = _layout(world, map_id)
    begin = perf_counter()
    try:
        level = world.level(map_id)
    except dungeon.GenerationError as error:
        tally.not_made(layout, error, where)
        return
    except Exception as error:  # noqa: BLE001  # counted as a crash; other levels go on
        tally.crashed(layout, error, where)
        return
    tally.made(layout, level, world, perf_counter() - begin, where)
    for text in broken(level, files):
        tally.wrong["words"].append(f"{where}: {text}")
        tally.rows[layout].wrong += 1
    seen.update(in_effect(level, world, files, map_id))


def _layout(world: dungeon.World, map_id: str) -> str:
    """Return the layout of a map."""
    return world.content.maps[world.node(map_id).name].layout.name


def in_effect(level: dungeon.Level, world: dungeon.World, files: dict[str, Yaml], map_id: str) -> set[str]:
    """Return the words that had an effect on a level."""
    layout = _layout(world, map_id)
    prefabs = files["prefabs/all.yaml"]
    found = {*_of_spawns(level, world), *(KEYED[lock.word] for lock in level.locks if lock.word in KEYED)}
    found |= {"lock: N of M" for lock in level.locks if lock.count > 1 and lock.word == "fuses"}
    for marker in level.markers:
        known = {
            "half_bare": "no_spawn of kinds",
            "bare": "no_spawn",
            "throne": "marker",
            "seat": "marker",
            "rugged": "marker of an object",
        }
        found.add(known.get(marker.name, "data of a cell"))
    for placement in level.placements:
        entry = _entry(placement.prefab, prefabs)
        found |= {STEPS[key] for step in entry.get("vary", ()) for key in STEPS if key in step}
        found |= {"only" for _ in range(bool(entry.get("only")))}
        if is_sealed := _is_sealed(level, placement):
            found.add(f"sealed: {placement.mode}")
        if "/" in placement.prefab:
            found |= set(_of_variant(placement, level, files, is_sealed=is_sealed))
    if layout == "static" and any(region.sealed for region in level.regions):
        found.add("sealed: static")
    if layout == "connected" and not isinstance(
        files["maps/all.yaml"]["connected"]["layout"]["connected"]["start"], str
    ):
        found.add("start: a choice")
    if layout == "cards":
        cards = files["maps/all.yaml"]["cards"]["layout"]["cards"]
        words = {"cards: gap 0": cards["gap"] == 0, "cards: sea": "between" in cards}
        words["cards: sections of the deck"] = "deck" in str(cards["grow"])
        found |= {word for word, is_used in words.items() if is_used}
    told = files["world.yaml"]
    found |= {"tower" for _ in world.floors(map_id)}
    found |= {f"{key} of a world" for key in ("spawns", "weights") if key in told}
    return found | ({"difficulty"} if world.difficulty else set())


def _of_variant(
    placement: Placement, level: dungeon.Level, files: dict[str, Yaml], *, is_sealed: bool
) -> Iterator[str]:
    """Yield the words that a variant of a prefab shows where it is placed; keys of its own show only if their effect does."""
    base, _, name = placement.prefab.partition("/")
    variant = _entry(base, files["prefabs/all.yaml"])["variants"][name]
    yield "variants"
    for key, word in {"only": "only", "vary": "steps", "map": "map"}.items():
        if key in variant:
            yield f"variants: {word}"
    if is_sealed and variant.get("sealed"):
        yield "variants: sealed"
    if any(
        f"{placement.prefab}:{char}" == each.source
        for char in variant.get("legend", ())
        for each in level.spawns
    ):
        yield "variants: legend"
    if files["encounters/all.yaml"].get(placement.encounter, {}).get("prefabs") == placement.prefab:
        yield "variants: asked for alone"


def _of_spawns(level: dungeon.Level, world: dungeon.World) -> Iterator[str]:
    """Yield the words that show in the objects of a level."""
    sources = Counter((spawn.source, spawn.y, spawn.x) for spawn in level.spawns)
    for spawn in level.spawns:
        prefab, _, char = spawn.source.rpartition(":")
        if spawn.source.startswith("population "):
            yield from _of_scattered(spawn)
        elif prefab == "stacked":
            yield "layers of .xp by role"
        elif char in UPPER:
            yield "references on several layers"
        elif char in SIGNS:
            depth = world.content.catalog[spawn.kind, spawn.tag].depth
            is_shared = sources[spawn.source, spawn.y, spawn.x] > 1
            if _shows(SIGNS[char][0], spawn, is_deep=depth > level.depth, is_shared=is_shared):
                yield SIGNS[char][0]


def _shows(word: str, spawn: Spawn, *, is_deep: bool, is_shared: bool) -> bool:
    """Tell whether a word shows in a spawn of its character: one out of depth, or one that shares its cell with another."""
    if word.startswith(("list", "place for")):
        return is_shared
    if word.startswith("rating"):
        return is_deep
    if word in ("followers", "band"):
        return spawn.leads
    return word in ("around a cell", "at_most") or (word == "around an object" and spawn.tag != "crate")


def _of_scattered(spawn: Spawn) -> Iterator[str]:
    """Yield the words that show in an object of a population."""
    if spawn.tag in ("ember", "kiln"):
        yield "around in a population"
    if spawn.tag == "chief" and spawn.leads:
        yield "band in a population"
    if spawn.tag in ("titan", "lens"):
        yield "rating in a population"


def _entry(name: str, prefabs: Yaml) -> Yaml:
    """Return the entry of a prefab or of a variant of one, with the keys that it takes from others; empty for other names."""
    base, _, variant = name.partition("/")
    entry = prefabs.get(base, {})
    entry = {**prefabs.get(entry.get("like"), {}), **entry}
    if not variant:
        return entry
    own = entry["variants"][variant]
    return {**entry, **own, "only": {**entry.get("only", {}), **own.get("only", {})}}


def _is_sealed(level: dungeon.Level, placement: Placement) -> bool:
    """Tell whether a sealed region lies within the bounds of a placement."""
    return bool(level.unreachable[placement.bounds.slices].any())


def broken(level: dungeon.Level, files: dict[str, Yaml]) -> Iterator[str]:
    """Yield what the YAML says and a level does not keep: `no_spawn`, `only`, `at_most`."""
    bare = {(marker.y, marker.x) for marker in level.markers if marker.name == "bare"}
    of_kinds = {(marker.y, marker.x) for marker in level.markers if marker.name.startswith("half")}
    for spawn in level.spawns:
        keeps_off = bare | (of_kinds if spawn.like in ("prop", "robot") else set())
        if spawn.source.startswith("population ") and not keeps_off.isdisjoint(spawn.cells):
            yield f"{spawn.tag} is scattered on a cell with no_spawn at {spawn.y}, {spawn.x}"
    prefabs = files["prefabs/all.yaml"]
    for index, placement in enumerate(level.placements):
        entry = _entry(placement.prefab, prefabs)
        low, _, high = str(entry.get("only", {}).get("depth", "0..")).partition("..")
        if not int(low or 0) <= level.depth <= int(high or 99):
            yield f"{placement.prefab} is used at depth {level.depth}"
        for step in entry.get("vary", ()):
            of_step = [
                each
                for each in level.spawns
                if each.placement == index and each.source == f"{placement.prefab}:Õ"
            ]
            if len(of_step) > step.get("at_most", 99):
                yield f"{placement.prefab} has {len(of_step)} characters of {step}"


if __name__ == "__main__":
    main()
