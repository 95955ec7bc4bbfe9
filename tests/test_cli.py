"""The command line, called as a user calls it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dungeon.cli import main

HERE = Path(__file__).parent
REAL = HERE / "real"
WORLD = HERE / "real_world"
DATA = HERE.parent / "data"


def call(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "dungeon", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, **environment},
    )


def test_a_level_is_printed_with_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "warren/1", "--data", str(WORLD)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3] == (" #....<.....######....#########.......####.....###################........####### ")
    assert lines[-1].startswith("warren/1: The Warren, depth 1, seed 0, 82x45; 0 encounters, 51 objects")


def test_a_map_may_be_called_by_its_name_alone(capsys: pytest.CaptureFixture[str]) -> None:
    main(["show", "warren", "--data", str(WORLD)])
    by_name = capsys.readouterr().out
    main(["show", "warren/1", "--data", str(WORLD)])
    assert by_name == capsys.readouterr().out


def test_the_same_bytes_whatever_the_hash_seed() -> None:
    first = call("show", "galleries", "--seed", 11, "--journal", "--data", DATA, PYTHONHASHSEED="1")
    second = call("show", "galleries", "--seed", 11, "--journal", "--data", DATA, PYTHONHASHSEED="2")
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert first.stdout.count("\n") > 40


def test_highlighting_lists_the_encounters_by_category(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["show", "galleries", "--data", str(DATA), "--highlight", "encounters", "--colour", "always"])
        == 0
    )
    out = capsys.readouterr().out
    assert "\x1b[38;2;" in out
    assert any(line.strip().startswith(("fluff", "risk", "danger", "reward")) for line in out.splitlines())


def test_a_picture_has_a_square_per_cell(tmp_path: Path) -> None:

    file = tmp_path / "warren.png"
    assert main(["show", "warren", "--data", str(WORLD), "--png", str(file), "--scale", "1"]) == 0
    with Image.open(file) as picture:
        assert picture.size == (82 * 8, 45 * 8)
        assert len(np.unique(np.asarray(picture).reshape(-1, 4), axis=0)) > 5


def test_a_picture_that_cannot_be_written_is_said_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["show", "warren", "--data", str(WORLD), "--png", str(tmp_path / "no" / "x.png")]) == 2
    assert "cannot be written: No such file or directory" in capsys.readouterr().err


def test_a_drawing_is_printed_as_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(REAL / "wfc-populated.xp")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (len(lines), len(lines[0])) == (43, 80)
    assert lines[2].startswith("#    @     ######")


def test_a_drawing_of_colours_alone_is_shaded_where_there_is_no_colour(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["show", str(REAL / "SmallDungeon_80x50.xp")]) == 0
    assert set(capsys.readouterr().out) == set(" ░▒▓█\n")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("empty.xp", b"", "empty"),
        ("text.xp", b"#####\n#...#\n", "is plain text"),
        ("cut.xp", (REAL / "wfc-populated.xp").read_bytes()[:400], ""),
    ],
)
def test_a_damaged_drawing_is_an_error_with_its_name(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    result = call("show", file)
    assert result.returncode == 1
    assert f"{name}: error: " in result.stderr
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_map_that_is_not_there_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "waren/1", "--data", str(WORLD)]) == 2
    assert capsys.readouterr().err == "dungeon: this world has no map 'waren/1' (did you mean warren/1?)\n"


def test_checking_good_content_says_how_much_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(WORLD)]) == 0
    assert capsys.readouterr().out.endswith("no problems in 2 prefabs, 0 encounters, 2 maps, 5 objects\n")


def test_five_faults_in_three_files_are_all_reported_at_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    shutil.copytree(WORLD, data)
    robots = data / "objects" / "robots.yaml"
    robots.write_text(
        'grunt: {name: grunt, glyph: gg, fg: "#ff0040"}\nogler: {name: ogler, glyf: o, depth: deep}\n'
    )
    maps = data / "maps" / "maps.yaml"
    maps.write_text(maps.read_text().replace("static: {prefab: SmallDungeon_80x50}", "statik: {}"))
    world = data / "world.yaml"
    world.write_text(world.read_text().replace("warren/1: [arches/2]", "warren/1: [arces/2]"))
    assert main(["check", str(data)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("5 problems in the content\n")
    for expected in (
        "robots.yaml:1:29: error: robot 'grunt': one printable character is needed",
        "robots.yaml:2:38: error: robot 'ogler': ",
        "robots.yaml:2:22: error: robot 'ogler': this key is not known: glyf (did you mean glyph?)",
        "maps.yaml:7:12: error: map 'arches': there is no layout of this name: statik (did you mean static?)",
        "world.yaml:4:14: error: world: there is no map of this name: arces (did you mean arches?)",
    ):
        assert expected in out


def test_content_that_is_not_there_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "nowhere"]) == 1
    assert capsys.readouterr().out == "1 problem in the content\n  nowhere: error: there is no such folder\n"


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys, dungeon.cli\n"
        "try:\n    dungeon.cli.main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'tcod', 'numpy', 'esper', 'yaml', 'pydantic'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "show" in result.stdout


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = f"{sys.executable} -m dungeon show warren --data {WORLD} --journal | head -1"
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")
