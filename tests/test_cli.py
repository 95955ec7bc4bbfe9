"""The command line: calls as a user makes them, their output and exit codes."""

import io
import itertools
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from content_files import write_content
from PIL import Image

import dungeon.cli
from dungeon.cli import main
from game_demo.__main__ import main as play

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


def test_an_unwritable_picture_is_reported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["show", "warren", "--data", str(WORLD), "--png", str(tmp_path / "no" / "x.png")]) == 2
    assert "cannot be written: No such file or directory" in capsys.readouterr().err


def test_a_drawing_is_printed_as_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(REAL / "wfc-populated.xp")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (len(lines), len(lines[0])) == (43, 80)
    assert lines[2].startswith("#    @     ######")


def test_full_blocks_are_shaded_without_colours(
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


def test_an_unknown_map_is_answered_with_the_nearest_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "waren/1", "--data", str(WORLD)]) == 2
    assert (
        capsys.readouterr().err
        == "dungeon: this world has no map or prefab 'waren/1' (did you mean warren/1?)\n"
    )


@pytest.mark.parametrize("command", ["show", "explain"])
@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("clockroom", "it is an encounter with the prefabs store; see: dungeon why MAP clockroom"),
        ("sweeper", "it is the tag of a robot"),
        ("prefabs/pool.yaml", "prefabs are called by their names, not by their files"),
    ],
)
def test_a_name_of_something_else_than_a_prefab_gets_a_hint(
    command: str, name: str, hint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"encounters/a.yaml": "clockroom: {category: fluff, prefabs: store, maps: {cellars: 1}}"}
    assert main([command, name, "--data", str(write_content(tmp_path, files))]) == 2
    assert capsys.readouterr().err.endswith(f"{name!r} ({hint})\n")


def test_the_help_of_every_command_ends_with_an_example() -> None:
    for command in dungeon.cli.COMMANDS:
        name = command.__name__.rpartition(".")[2]
        *_, last = " ".join(call(name, "--help").stdout.split()).partition("example: ")
        assert last.startswith(f"dungeon {name} ")


def test_one_command_is_one_module() -> None:
    named = {command.__name__.rpartition(".")[2] for command in dungeon.cli.COMMANDS}
    help_text = call("--help").stdout
    assert named <= {line.split()[0] for line in help_text.splitlines() if line.startswith("    ")}
    assert len(named) == len(dungeon.cli.COMMANDS) >= 4


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--help"], 0),
        (["show", "--help"], 0),
        (["watch", "--help"], 0),
        (["check", "--help"], 0),
        (["schema", "--help"], 0),
        ([], 2),
        (["shov"], 2),
        (["show", "x", "--frames", "many"], 2),
    ],
)
def test_help_and_wrong_calls_import_nothing_heavy(arguments: list[str], code: int) -> None:
    script = (
        "import sys, dungeon.cli\n"
        f"try:\n    dungeon.cli.main({arguments})\nexcept SystemExit as end:\n    print('code', end.code)\n"
        "print(*sorted(name for name in sys.modules if name.partition('.')[0] in\n"
        "    ('dungeon', 'tcod', 'numpy', 'esper', 'yaml', 'pydantic', 'PIL', 'rich', 'watchfiles')))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    *_, ended, imported = result.stdout.splitlines()
    assert ended == f"code {code}"
    others = {name for name in imported.split() if not name.startswith("dungeon.cli")}
    core = {f"dungeon.core.{name}" for name in ("errors", "lazy", "vocabulary")}
    assert others == {"dungeon", "dungeon.core", *core}


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = f"{sys.executable} -m dungeon show warren --data {WORLD} --journal | head -1"
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize(
    ("command", "encoding"),
    [
        ("show", "cp1252"),
        ("show", "utf-8:surrogateescape"),
        ("explain", "ascii"),
        ("explain", "utf-8:surrogateescape"),
    ],
)
def test_characters_missing_in_the_encoding_are_replaced(
    monkeypatch: pytest.MonkeyPatch, command: str, encoding: str
) -> None:
    name, _, errors = encoding.partition(":")
    out = io.TextIOWrapper(io.BytesIO(), encoding=name, errors=errors or "strict")
    monkeypatch.setattr(sys, "stdout", out)
    assert main([command, "boiler_room", "--data", str(DATA)]) == 0
    out.seek(0)
    assert ("?" * 3 in out.read()) == (encoding != "utf-8:surrogateescape")


def test_a_process_replaces_characters_missing_in_its_encoding() -> None:
    result = call("show", "boiler_room", "--data", DATA, PYTHONIOENCODING="ascii")
    assert (result.returncode, result.stderr) == (0, "")
    assert "?" * 3 in result.stdout


def in_shell(command: str, *, unbuffered: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command with a redirection; its output fails when it is printed, or at its end only."""
    return subprocess.run(
        ["bash", "-c", f"{sys.executable} -m dungeon {command}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )


@pytest.mark.parametrize(
    ("command", "redirection", "unbuffered"),
    [
        *itertools.product([f"show warren --data {WORLD} --journal"], ["> /dev/full", ">&-"], ["", "1"]),
        (f"check {WORLD}", "> /dev/full", ""),
        (f"explain SmallDungeon_80x50 --data {WORLD}", ">&-", "1"),
        (f"watch warren --data {WORLD}", "> /dev/full", ""),
        ("schema maps", ">&-", "1"),
    ],
)
def test_an_unwritable_output_is_reported(command: str, redirection: str, unbuffered: str) -> None:
    result = in_shell(f"{command} {redirection}", unbuffered=unbuffered)
    reason = "it is closed" if redirection == ">&-" else "No space left on device"
    assert (result.returncode, result.stderr) == (2, f"dungeon: the output cannot be written: {reason}\n")


@pytest.mark.parametrize("redirection", ["2> /dev/full", "2>&-"])
def test_messages_for_a_closed_stderr_do_not_go_to_stdout(redirection: str) -> None:
    result = in_shell(f"show waren --data {WORLD} {redirection}")
    assert (result.returncode, result.stdout) == (2, "")


@pytest.mark.parametrize(("name", "program"), [("dungeon", main), ("dungeon-demo", play)])
def test_the_version_is_that_of_the_package(
    name: str, program: Callable[[list[str]], int], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        program(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"{name} {version('tcod-dungeon')}\n"


def test_show_falls_back_to_the_demos_content(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["show", "boiler_room"]) == 0
    assert capsys.readouterr().err == "dungeon: no content here and no ./data: using the demo's content\n"
    assert main(["show", "SmallDungeon_80x50", "--data", str(WORLD)]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "call",
    [
        "check", "check --json", "odds", "why foundry/1", "explain boiler_room",
        "export boiler_room --to boiler_room.yaml", "playtest --worlds 1", "compare HEAD", "tune levels@1>0", "watch foundry/1",
        "check --mod .",
    ],
)  # fmt: skip
def test_other_commands_fail_without_content_and_write_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(call.split()) == 2
    assert capsys.readouterr() == (
        "",
        "dungeon: there is no content here and no ./data: name the content folder with --data DIR\n",
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "call",
    [
        ["check", "--data", "cell\x1b[31mar"],
        ["check", "cell\x1b[31mar"],
        ["show", "cell\x1b[31mar", "--data", str(WORLD)],
        ["show", "cell\x1b[31mar.xp"],
        ["cell\x1b[31mar"],
        ["check", "--cell\x1b[31mar"],
        ["check", ".", "--sample", "cell\x1b[31mar"],
        ["report", "cell\x1b[31mar"],
        ["check", ".", "--import", "cell\x1b[31mar"],
        ["playtest", str(WORLD), "--worlds", "1", "--bots", "cell\x1b[31mar"],
        ["playtest", str(WORLD), "--worlds", "1", "--maps", "cell\x1b[31mar"],
        ["compare", "cell\x1b[31mar", "--data", str(WORLD)],
        ["tune", "cell\x1b[31mar", str(WORLD)],
        ["why", "cell\x1b[31mar", "--data", str(WORLD)],
        ["export", "pen", "--to", "cell\x1b[31mar/pen", "--data", str(WORLD)],
    ],
    ids=" ".join,
)
def test_control_characters_of_arguments_are_escaped_in_messages(
    capsys: pytest.CaptureFixture[str], call: list[str]
) -> None:
    try:
        code = main(call)
    except SystemExit as end:
        code = end.code
    said = "".join(capsys.readouterr())
    assert code == 2
    assert "\\x1b[31mar" in said
    assert said.replace("\n", "").isprintable()
    assert said.count("\n") == 1


def torn(folder: Path) -> Path:
    """Return a content folder with a mistake in it."""
    write_content(folder, {"prefabs/rooms.yaml": "store: {map: 'Q', tags: rooms}"})
    return folder


MISTAKE = (
    "prefabs/rooms.yaml:1:14: error: prefab 'store': no legend or palette says what this character means"
)


@pytest.mark.parametrize("below", ["", "prefabs", "objects", "prefabs/deep/down"])
@pytest.mark.parametrize(
    "command", [["check"], ["show", "cellars"], ["why", "cellars"], ["explain", "store"]]
)
def test_the_content_that_one_stands_in_is_taken(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    below: str,
) -> None:
    folder = torn(tmp_path / "works")
    (folder / below).mkdir(parents=True, exist_ok=True)
    (folder / below / "data").mkdir()  # the content is nearer than what is in it
    monkeypatch.chdir(folder / below)
    assert main(command) == 1
    out, err = capsys.readouterr()
    assert f"dungeon: using the content in {folder}\n" in err
    assert (MISTAKE if not below else f"{folder}/{MISTAKE}") in (out + err).replace("error: ./", "")


def test_content_without_a_world_is_used_unless_there_is_a_data_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The maps and objects of a project need not be those of its dungeons."""
    (tmp_path / "maps").mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines() == ["world.yaml: error: this file is missing", ".: 1 error"]
    assert err == f"dungeon: using the content in {tmp_path}\n"
    torn(tmp_path / "data")
    assert main(["check"]) == 1
    out, err = capsys.readouterr()
    assert f"\ndata/{MISTAKE}" in f"\n{out}"
    assert err == ""


def test_a_part_of_content_stands_for_all_of_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = torn(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    (folder / "maps" / "more").mkdir()
    assert main(["check"]) == 1
    whole = capsys.readouterr().out
    for part in ("data/prefabs", "data/maps/more", "data/prefabs/rooms.yaml", "data/world.yaml"):
        said = f"dungeon: {part} is a part of the content in data: using all of it\n"
        assert main(["check", part]) == 1
        assert capsys.readouterr() == (whole, said)
        assert main(["show", "cellars", "--data", part]) == 1
        assert said in capsys.readouterr().err
    write_content(tmp_path / "data" / "mods" / "swamp")  # content of its own beside that of the game
    (tmp_path / "data" / "mods" / "swamp" / "world.yaml").unlink()
    assert main(["check", "data/mods/swamp"]) == 1
    assert "data/mods/swamp/world.yaml: error: this file is missing" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scale", "3"], "--scale needs --png FILE.png or --gif FILE.gif"),
        (["--png", "x.jpg"], "x.jpg must end in .png"),
        (["--png", "png"], "png must end in .png"),
        (["--png", ""], "the option --png needs a file name"),
        (["--png", ".png"], "the option --png needs a file name"),
    ],
)
def test_pictures_that_cannot_be_asked_for(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["show", "warren", "--data", str(WORLD), *arguments]) == 2
    assert capsys.readouterr() == ("", f"dungeon: {message}\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["show", "watch"])
def test_a_missing_drawing_is_a_wrong_call(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str
) -> None:
    file = tmp_path / "foo.xp"
    assert main([command, str(file)]) == 2
    assert capsys.readouterr() == ("", f"dungeon: there is no file {file}\n")


# -- export ---------------------------------------------------------------------------------------


def test_a_prefab_is_exported_as_a_drawing_that_looks_like_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawing = tmp_path / "pay_office.xp"
    assert main(["export", "pay_office", "--to", str(drawing), "--data", str(DATA)]) == 0
    assert capsys.readouterr().out.split() == [str(drawing), str(tmp_path / "pay_office.yaml")]
    assert main(["show", str(drawing)]) == 0
    assert capsys.readouterr().out.splitlines()[1:4] == [".........", ".1.....2.", "GGG#+#GGG"]


def test_a_drawing_is_exported_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "anything.yaml"
    assert main(["export", "pool", "--to", str(text), "--data", str(DATA)]) == 0
    assert capsys.readouterr().out == f"{text}\n"
    assert text.read_text(encoding="utf-8").startswith("pool:\n  map: |\n    ??1111")


def test_export_overwrites_only_with_force(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = tmp_path / "pool.yaml"
    entry.write_text("mine", encoding="utf-8")
    call = ["export", "pool", "--to", str(tmp_path / "pool.xp"), "--data", str(DATA)]
    assert main(call) == 2
    assert f"{entry} would be overwritten" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["pool.yaml"]
    assert main([*call, "--force"]) == 0
    assert entry.read_text(encoding="utf-8").startswith("pool:")


@pytest.mark.parametrize(
    ("prefab", "file", "message"),
    [
        ("pol", "pol.yaml", "there is no prefab 'pol' (did you mean pool?)"),
        ("pool", "lake.xp", "the file must have the name of the prefab: write to "),
        ("pool", "pool.png", "pool.png must end in .xp, in .yaml for text, or in .tmj for Tiled"),
        ("pool", "lake.tmj", "the file must have the name of the prefab: write to "),
        ("mere/9", "mere.tmj", "there is no map 'mere/9' (did you mean mere/4?)"),
        ("mere/4", "mere.xp", "mere.xp must end in .tmj"),
        ("nowhere.tmj", "pool.yaml", "nowhere.tmj cannot be read: No such file or directory"),
        ("pool.tmj", "pool.tmj", "pool.tmj must end in .yaml"),
        ("pool", "nowhere/pool.xp", "pool.xp cannot be written: No such file or directory"),
    ],
)
def test_impossible_exports_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], prefab: str, file: str, message: str
) -> None:
    assert main(["export", prefab, "--to", str(tmp_path / file), "--data", str(DATA)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("file", ["", ".xp"])
def test_export_needs_a_file_name(capsys: pytest.CaptureFixture[str], file: str) -> None:
    assert main(["export", "pool", "--to", file, "--data", str(DATA)]) == 2
    assert capsys.readouterr() == ("", "dungeon: the option --to needs a file name\n")


def test_content_that_is_wrong_is_not_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "world.yaml").write_text("start: nowhere/1\n", encoding="utf-8")
    assert main(["export", "pool", "--to", str(tmp_path / "pool.xp"), "--data", str(tmp_path)]) == 1
    assert "1 problem in the content" in capsys.readouterr().err
