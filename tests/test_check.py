"""`dungeon check`: every problem in order of place, a summary, and the exit code for the worst severity."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dungeon
from dungeon import Examination, Problem, Source
from dungeon.cli import main
from dungeon.core.errors import Severity

HERE = Path(__file__).parent
WORLD = HERE / "real_world"


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """Return a copy of the world whose closed parts stay closed, so that check has nothing to warn of."""
    data = tmp_path / "data"
    shutil.copytree(WORLD, data)
    maps = data / "maps" / "maps.yaml"
    maps.write_text(maps.read_text().replace("}}", ", pockets: seal}}"))
    return data


def test_checking_good_content_counts_its_entries(sealed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = sealed
    assert main(["check", str(data)]) == 0
    assert capsys.readouterr().out.endswith("no problems in 2 prefabs, 0 encounters, 2 maps, 5 objects\n")


def test_five_faults_in_three_files_are_all_reported_at_once(
    capsys: pytest.CaptureFixture[str], sealed: Path
) -> None:
    data = sealed
    robots = data / "objects" / "robots.yaml"
    robots.write_text(
        'grunt: {name: grunt, glyph: gg, fg: "#ff0040"}\nogler: {name: ogler, glyf: o, depth: deep}\n'
    )
    maps = data / "maps" / "maps.yaml"
    maps.write_text(
        maps.read_text().replace("static: {prefab: SmallDungeon_80x50, pockets: seal}", "statik: {}")
    )
    world = data / "world.yaml"
    world.write_text(world.read_text().replace("warren/1: [arches/2]", "warren/1: [arces/2]"))
    assert main(["check", str(data)]) == 1
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert lines[-1] == f"{data}: 5 errors in 9 files"
    assert len(lines) == 6
    assert [Path(line.partition(":")[0]).name for line in lines[:5]] == [
        *("maps.yaml", "robots.yaml", "robots.yaml", "robots.yaml", "world.yaml"),
    ]
    for expected in (
        "robots.yaml:1:29: error: robot 'grunt': one printable character is needed",
        "robots.yaml:2:38: error: robot 'ogler': ",
        "robots.yaml:2:22: error: robot 'ogler': this key is not known: glyf (did you mean glyph?)",
        "maps.yaml:7:12: error: map 'arches': no layout of this name is registered; it may come from a plugin that is not installed or not imported (--import NAME): statik (did you mean static?)",
        "world.yaml:4:14: error: world: there is no map or branch of this name: arces (did you mean arches?)",
    ):
        assert expected in out


def test_the_folder_may_be_named_as_for_other_commands(
    sealed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--data", str(sealed)]) == 0
    assert capsys.readouterr().out.startswith(f"{sealed}: no problems in 2 prefabs")
    assert main(["check", "here", "--data", "there"]) == 2
    assert (
        capsys.readouterr().err == "dungeon: two content folders are given, here and there: name only one\n"
    )


def test_a_missing_content_folder_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "nowhere"]) == 2
    assert capsys.readouterr() == ("", "dungeon: there is no folder 'nowhere'\n")


def found(*severities: Severity) -> Examination:
    """Return what an examination with a problem of each of these severities finds."""
    problems = tuple(
        Problem(
            source=Source(file="data/maps/a.yaml", line=line, column=7),
            entry="map 'a'",
            message="a doubt",
            value="x",
            allowed=("y", "z"),
            severity=severity,
        )
        for line, severity in enumerate(severities, 1)
    )
    content = None if "error" in severities else dungeon.load_content(WORLD)
    return Examination(problems=problems, content=content, files=9)


@pytest.mark.parametrize(
    ("severities", "code", "summary"),
    [
        ([], 0, "no problems in 2 prefabs, 0 encounters, 2 maps, 5 objects"),
        (["note"], 0, "1 note in 9 files"),
        (["note", "warning"], 3, "1 warning, 1 note in 9 files"),
        (["note", "error", "warning", "error"], 1, "2 errors, 1 warning, 1 note in 9 files"),
    ],
)
def test_the_exit_code_tells_how_bad_it_is(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    severities: list[Severity],
    code: int,
    summary: str,
) -> None:
    monkeypatch.setattr(dungeon, "examine_content", lambda _, **more: found(*severities))
    assert main(["check", "data"]) == code
    *lines, last = capsys.readouterr().out.splitlines()
    assert last == f"data: {summary}"
    assert [line.split(": ")[1] for line in lines] == severities


def test_colour_picks_out_places_and_severities(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dungeon, "examine_content", lambda _, **more: found("warning"))
    main(["check", "data", "--colour", "always"])
    assert capsys.readouterr().out.splitlines()[0] == (
        "\x1b[1mdata/maps/a.yaml:1:7:\x1b[0m \x1b[1;33mwarning\x1b[0m: map 'a': a doubt: x (allowed: y, z)"
    )
    main(["check", "data", "--colour", "auto"])
    assert "\x1b" not in capsys.readouterr().out


def test_an_editor_gets_one_json_object(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dungeon, "examine_content", lambda _, **more: found("error"))
    assert main(["check", "data", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "folder": "data",
        "mods": [],
        "problems": [
            {
                "severity": "error",
                "file": "data/maps/a.yaml",
                "line": 1,
                "column": 7,
                "entry": "map 'a'",
                "message": "a doubt",
                "value": "x",
                "allowed": ["y", "z"],
                "nearest": None,
            }
        ],
        "counts": {"errors": 1, "warnings": 0, "notes": 0, "files": 9},
    }


def test_json_is_all_that_a_process_prints(tmp_path: Path) -> None:
    (tmp_path / "world.yaml").write_text("start: [\n")
    command = [sys.executable, "-m", "dungeon", "check", str(tmp_path), "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (1, "")
    assert json.loads(result.stdout)["counts"] == {"errors": 1, "warnings": 0, "notes": 0, "files": 1}


def test_an_examination_has_the_content_or_the_errors_of_loading(sealed: Path, tmp_path: Path) -> None:
    good = dungeon.examine_content(sealed)
    assert good.problems == ()
    assert good.content is not None
    assert sorted(good.content.maps) == sorted(dungeon.load_content(sealed).maps)
    other = tmp_path / "other"
    other.mkdir()
    (other / "world.yaml").write_text("start: nowhere/1\nleads_to: 3\n")
    bad = dungeon.examine_content(other)
    assert bad.content is None
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(other)
    assert caught.value.problems == bad.problems
    assert len(bad.problems) == 2
