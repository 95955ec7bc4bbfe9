"""The game of `docs/integrate`, on floors of its own and on levels: played without a window, saved, and compared."""

from __future__ import annotations

import json
import pickle
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from difflib import unified_diff
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import numpy as np
import pytest
import tcod.constants
import tcod.map
import tcod.path
from demo import demo_content
from tcod.console import Console
from writer.downloads import with_downloads

import dungeon
from dungeon.content.catalog.requests import GAME_KEYWORDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any

    from numpy.typing import NDArray

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "docs" / "integrate"
FILES = ("__init__", "__main__", "engine", "entity", "game_map", "procgen", "tile_types")
SEED, TURNS, STROLL = 3, 200, 25


@pytest.fixture(scope="module")
def games() -> Iterator[dict[str, ModuleType]]:
    """The modules of both games, by name."""
    names = [f"{game}.{file}" for game in ("before", "after") for file in FILES if file != "__main__"]
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLE))
        yield {name: import_module(name) for name in [*names, "after.saving"]}
    for name in [each for each in sys.modules if each.partition(".")[0] in ("before", "after")]:
        del sys.modules[name]


def step(engine: Any, to: tuple[int, int]) -> tuple[int, int]:
    """Return the next step on the way to a cell, through whoever can be struck and around whatever can't."""
    cost = engine.floor.tiles["walkable"].astype(np.int8)
    for entity in engine.floor.entities:
        if entity.blocks and entity.hp <= 0:
            cost[entity.xy] = 0
    finder = tcod.path.Pathfinder(tcod.path.SimpleGraph(cost=cost, cardinal=1, diagonal=0))
    finder.add_root(engine.player.xy)
    x, y = finder.path_to(to)[1].tolist()
    return x - engine.player.x, y - engine.player.y


def stroll(engine: Any, turn: int, ways: list[tuple[int, int]]) -> None:
    """Go about for a while, then to the stairs, and down if they lead on."""
    walk = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    if turn < STROLL or not ways:
        engine.move(*walk[turn // 3 % 4])
    elif engine.player.xy in ways:
        engine.descend()
    else:
        engine.move(*step(engine, ways[0]))


def seen_from(level: dungeon.Level, x: int, y: int) -> NDArray[np.bool_]:
    """Return what is in sight of a cell, reckoned without the game: [y, x], from the level alone."""
    transparent = level.transparent.copy()
    for spawn in level.spawns:
        if spawn.opaque:
            transparent[tuple(np.array(spawn.cells).T)] = False
    seen: NDArray[np.bool_] = tcod.map.compute_fov(
        transparent, (y, x), 8, algorithm=tcod.constants.FOV_SYMMETRIC_SHADOWCAST
    )
    return seen


def state(engine: Any) -> list[object]:
    """Return all that there is to a game."""
    floor = engine.floor
    arrays = [getattr(floor, name).tobytes() for name in ("tiles", "visible", "explored")]
    return [
        engine.seed,
        engine.map_id,
        engine.messages[-2:],
        floor.start,
        floor.exits,
        repr(floor.entities),
        *arrays,
    ]


def test_on_levels_it_is_played_and_saved_and_sees_what_is_in_sight_at_every_turn(
    games: dict[str, ModuleType],
) -> None:
    engine = games["after.engine"].Engine(SEED)
    world = dungeon.World(dungeon.load_content(EXAMPLE / "data"), SEED)
    engine.player.hp = 1000
    been: dict[str, int] = {}
    saves: list[str] = []
    turn = 0
    while turn < TURNS or len(been) < 3:
        if engine.map_id not in been:
            level = world.level(engine.map_id)
            explored = np.zeros_like(level.walkable)
            been[engine.map_id] = 0
        visible = seen_from(level, *engine.player.xy)
        explored |= visible
        np.testing.assert_array_equal(engine.floor.visible, visible.T)
        np.testing.assert_array_equal(engine.floor.explored, explored.T)
        if turn % 25 == 24:
            whole = pickle.dumps(engine)
            saves.append(differences := games["after.saving"].to_text(engine))
            by_pickle, by_seed = pickle.loads(whole), games["after.saving"].from_text(differences)
            assert state(by_pickle) == state(engine) == state(by_seed)
            assert len(differences) < len(whole) / 30
            engine = by_seed if turn % 50 == 49 else by_pickle
        been[engine.map_id] += 1
        stroll(engine, been[engine.map_id], list(engine.floor.exits))
        turn += 1
    assert list(been) == ["cellar/1", "cellar/2", "cellar/3"]
    assert engine.player.hp < 1000
    assert any(json.loads(save)["changed"] for save in saves)


def test_its_floors_are_the_levels(games: dict[str, ModuleType]) -> None:
    world = dungeon.World(dungeon.load_content(EXAMPLE / "data"), SEED)
    vaults = 0
    for node in world.maps:
        level, floor = world.level(node.id), games["after.procgen"].make_floor(SEED, node.id)
        assert dungeon.prove(level) == []
        assert [[entity.x, entity.y, entity.name] for entity in floor.entities] == [
            [spawn.x, spawn.y, spawn.name] for spawn in level.spawns
        ]
        monsters = [entity for entity in floor.entities if entity.hp]
        assert monsters
        assert all(entity.blocks and entity.power for entity in monsters)
        assert floor.tiles[floor.start]["walkable"]
        assert set(floor.exits.values()) == set(node.leads_to)
        vaults += len(level.placements)
    assert vaults > 0


def test_on_floors_of_its_own_it_is_played_too(games: dict[str, ModuleType]) -> None:
    engine = games["before.engine"].Engine(SEED)
    engine.player.hp = 1000
    console = Console(100, 60, order="F")
    for _ in range(3):
        for turn in range(STROLL):
            stroll(engine, turn, [engine.floor.stairs])
            assert engine.floor.explored[engine.floor.visible].all()
        while engine.player.xy != engine.floor.stairs:
            stroll(engine, STROLL, [engine.floor.stairs])
        engine.render(console)
        assert chr(console.ch[engine.player.xy]) == "@"
        engine.descend()
    assert engine.depth == 3
    assert "You have seen all" in engine.messages[-1]


def test_it_is_kept_in_a_file(games: dict[str, ModuleType], tmp_path: Path) -> None:
    engine = games["after.engine"].Engine(SEED)
    engine.save(tmp_path / "cellar.save")
    assert state(games["after.engine"].load(tmp_path / "cellar.save")) == state(engine)
    draught = next(each for each in engine.floor.entities if each.heals)
    engine.player.x, engine.player.y = draught.xy
    engine.move(0, 0)
    engine.take()
    text = games["after.saving"].to_text(engine)
    assert json.loads(text)["gone"] == [draught.number]
    assert state(games["after.saving"].from_text(text)) == state(engine)
    with pytest.raises(ValueError, match="this game is of version 9, not 1"):
        games["after.saving"].from_text(json.dumps({**json.loads(text), "version": 9}))


PAGE, FORMATS = ROOT / "docs" / "integrate.md", ROOT / "docs" / "formats.md"


def words_of(level: object) -> set[str]:
    """Return the keys of a level's JSON, and those of what it lists; free keywords aside."""
    assert isinstance(level, dict)
    listed = [
        each
        for value in level.values()
        if isinstance(value, list)
        for each in value
        if isinstance(each, dict)
    ]
    return set(level).union(*listed)


def test_the_page_tells_of_every_key_of_the_json_and_of_no_other(games: dict[str, ModuleType]) -> None:
    demo = dungeon.World(demo_content(), 7)
    own = games["after.procgen"].CONTENT
    levels = [demo.level("tally_house/3"), demo.level("mere/4"), dungeon.World(own, SEED).level("cellar/1")]
    levels[0] = replace(levels[0], markers=(dungeon.Marker(y=1, x=1, name="throne"),))
    written = [json.loads(dungeon.to_json(level)) for level in levels]
    page = FORMATS.read_text("utf-8")
    assert f'`"{written[0]["format"]}"`' in page
    table = page.partition("| Key | What it is |\n| --- | --- |\n")[2].partition("\n\n")[0]
    keys = [re.findall(r"`(\w+)`", row.split("|")[1]) for row in table.splitlines()]
    assert {key for row in keys for key in row} == set(written[0])
    told = set(re.findall(r"`(\w+)`", table))
    assert told - {"opens"} == set().union(*map(words_of, written))


def test_the_download_has_both_games_and_their_content(tmp_path: Path) -> None:
    page = with_downloads(PAGE.read_text("utf-8"), tmp_path)
    assert 'href="_downloads/integrate.zip"' in page
    ZipFile(tmp_path / "integrate.zip").extractall(tmp_path)
    play = "import before.engine, after.engine; print(before.engine.Engine(1).depth, after.engine.Engine(1).map_id)"
    done = subprocess.run(
        [sys.executable, "-c", play], cwd=tmp_path / "integrate", check=True, capture_output=True
    )
    assert done.stdout.split() == [b"1", b"cellar/1"]


def changes(file: str) -> tuple[int, int]:
    """Return how many lines have come to a file of the game, and how many have gone."""
    old, new = (
        (EXAMPLE / game / f"{file}.py").read_text("utf-8").splitlines() for game in ("before", "after")
    )
    lines = list(unified_diff(old, new, lineterm="", n=0))[2:]
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


def test_the_page_counts_the_lines_that_come_and_go() -> None:
    assert {path.stem for path in (EXAMPLE / "before").glob("*.py")} == set(FILES)
    assert {path.stem for path in (EXAMPLE / "after").glob("*.py")} == {*FILES, "saving"}
    gained, lost = (sum(each) for each in zip(*map(changes, FILES), strict=True))
    kept = changes("procgen")[0]
    old, shown, small = (
        (EXAMPLE / file).read_text("utf-8")
        for file in ("before/procgen.py", "after/procgen.py", "after/saving.py")
    )
    before, now, saving = (text.count("\n") for text in (old, shown, small))
    said = PAGE.read_text("utf-8")
    assert f"The change is **{gained} added lines** and {lost} removed ones: " in said
    assert (
        f"`procgen.py` goes from {before} lines to {now}, of which {kept} are new, and the other files\ngain {gained - kept}."
        in said
    )
    assert f"Not counted is `saving.py` of {saving} lines" in said
    assert f"with {gained} new lines" in (ROOT / "README.md").read_text("utf-8")
    assert f"```py\n{shown}```" in said
    mod = (EXAMPLE / "endless" / "world.yaml").read_text("utf-8")
    assert f"```yaml\n# docs/integrate/endless/world.yaml\n{mod}```" in said


def test_levels_may_have_locks_whose_keywords_no_entity_has(
    games: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = Path(shutil.copytree(EXAMPLE / "data", tmp_path / "data"))
    (data / "locks.yaml").write_text("iron: {name: iron door, opened_by: {item: iron_key}}", "utf-8")
    items, cellar = data / "objects" / "items.yaml", data / "maps" / "cellar.yaml"
    items.write_text(items.read_text("utf-8") + '\niron_key: {name: iron key, glyph: "-"}\n', "utf-8")
    cellar.write_text(cellar.read_text("utf-8") + "\n  locks: {iron: 1}\n", "utf-8")
    monkeypatch.setattr(games["after.procgen"], "CONTENT", dungeon.load_content(data))
    floor = games["after.procgen"].make_floor(SEED, "cellar/1")
    assert "iron key" in [entity.name for entity in floor.entities]


def test_the_page_lists_the_keywords_that_levels_add() -> None:
    table = PAGE.read_text("utf-8").partition("### Keywords that the level adds")[2].partition("\n\nThese")[0]
    listed = re.findall(r"`(\w+)`", "".join(row.split("|")[1] for row in table.splitlines() if "|" in row))
    assert {*GAME_KEYWORDS, "consumed", "toggle", "holds", "prototype", "faulty"} == {*listed}
