"""The cost of imports: a name imports no more than it needs, and every function works as the first one called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from content_files import write_content
from drawn import canvas

import dungeon
from dungeon import Cell, Level

DATA = Path(__file__).parent.parent / "data"

WORKSHOPS = ("layouts.tunnels", "placing.sites", "seeding.seed", "stages.pipeline")
LATE = {
    "tcod",
    "yaml",
    "difflib",
    *(f"dungeon.generation.{room}" for room in WORKSHOPS),
    "dungeon.content.models.entries",
    "dungeon.playtest",
    "sqlite3",
    "duckdb",
}
"""What only some functions need, when they are called."""


def printed(code: str) -> list[str]:
    """Run code in a fresh process and return what it prints."""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_every_name_is_had_without_what_only_its_use_needs() -> None:
    (found,) = printed(
        "import sys, dungeon\n"
        "for name in dungeon.__all__: getattr(dungeon, name)\n"
        f"print(sorted({LATE | {'pydantic'}} & set(sys.modules)))"
    )
    assert found == "[]"


def test_levels_are_kept_and_told_without_anything_that_draws_or_makes_them(tmp_path: Path) -> None:
    made = canvas("#####\n#<.>#\n#####")
    level = Level(
        id="drawn/1", name="Drawn", depth=1, seed=0, terrain=made.terrain, region=made.region,
        terrain_set=made.terrain_set, entrance=Cell(1, 1), exits=(dungeon.Exit(y=1, x=3, leads_to="drawn/2"),),
        regions=tuple(made.regions), connections=(), doors=(), placements=(), spawns=(), lights=(), journal=(),
    )  # fmt: skip
    file = tmp_path / "level.json"
    file.write_text(dungeon.to_json(level), encoding="utf-8")
    *text, problems, found = printed(
        "import sys, dungeon\n"
        "from pathlib import Path\n"
        f"level = dungeon.from_json(Path({str(file)!r}).read_text('utf-8'))\n"
        "print(dungeon.to_text(level), end='')\n"
        "print(dungeon.prove(level))\n"
        f"print(sorted({LATE} & set(sys.modules)))"
    )
    assert (text, problems, found) == (["#####", "#<.>#", "#####"], "[]", "[]")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print(dungeon.load_content(DATA).layouts['furrings'] is not None)", "True"),
        ("print(len(dungeon.examine_content(SMALL).problems))", "6"),
        ("print('tunnels' in str(dungeon.content_schemas()['maps']))", "True"),
        ("print(*dungeon.export_prefab(SMALL, 'store', 'text'))", "prefabs/store.yaml"),
        ("print(dungeon.sample_prefab(dungeon.load_content(SMALL), 'store').name)", "store"),
        ("print(dungeon.World(dungeon.load_content(DATA)).level('order_room/12').id)", "order_room/12"),
    ],
)
def test_every_function_that_reads_works_when_it_is_the_first(
    code: str, expected: str, tmp_path: Path
) -> None:
    folders = f"DATA, SMALL = {str(DATA)!r}, {str(write_content(tmp_path))!r}"
    assert printed(f"import dungeon\n{folders}\n{code}") == [expected]


def test_recording_a_run_imports_no_other_extra(tmp_path: Path) -> None:
    content = write_content(tmp_path / "data")
    (found,) = printed(
        "import sys\n"
        "from dungeon import playtest\n"
        f"playtest.record({str(content)!r}, range(1), out={str(tmp_path / 'run')!r})\n"
        "print(sorted({'altair', 'distributed', 'gymnasium', 'game_demo'} & set(sys.modules)))"
    )
    assert found == "[]"


def test_nothing_that_makes_levels_is_left_to_import_after_reading() -> None:
    before, after = printed(
        "import sys, dungeon\n"
        f"content = dungeon.load_content({str(DATA)!r})\n"
        "rooms = lambda: sorted(each for each in sys.modules if each.startswith('dungeon'))\n"
        "print(rooms())\n"
        "dungeon.World(content, 7).level('galleries/1')\n"
        "print(rooms())"
    )
    new = set(after.strip("[]").split(", ")) - set(before.strip("[]").split(", "))
    assert new == {"'dungeon.world'"}
