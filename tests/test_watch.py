"""`dungeon watch`: files change, and the drawing changes with them."""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dungeon import Problem, Source
from dungeon.cli import main
from dungeon.cli.watch import Watched, footer, problem_lines

HERE = Path(__file__).parent
REAL = HERE / "real"

PATIENCE = 60
"""Seconds after which a test gives up waiting; none waits that long when all is well."""

HALL = """hall:
  map: |
    #####
    ##.##
    #...#
    #####
"""
NARROW = HALL.replace("#...#", "##..#")
SHORT = HALL.replace("#...#", "#..#")


class Watch:
    """A running `dungeon watch` whose output can be waited for."""

    def __init__(self, *arguments: str, on_terminal: bool) -> None:
        command = [sys.executable, "-m", "dungeon", "watch", *arguments]
        if on_terminal:
            self.reading, writing = pty.openpty()
        else:
            self.reading, writing = os.pipe()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=writing, stderr=writing)
        os.close(writing)
        self.pending = ""

    def until(self, pattern: str) -> str:
        """Return the output up to the first line that matches, and forget it."""
        deadline = time.monotonic() + PATIENCE
        while not (match := re.search(rf"^.*(?:{pattern}).*\n", self.pending, re.MULTILINE)):
            ready, _, _ = select.select([self.reading], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"no {pattern!r} in {self.pending!r}"
            data = os.read(self.reading, 65536)
            assert data, f"it ended: {self.pending!r}"
            self.pending += data.decode().replace("\r\n", "\n")
        seen, self.pending = self.pending[: match.end()], self.pending[match.end() :]
        return seen

    def redrawn(self) -> str:
        """Return the next screenful."""
        return self.until(r"Ctrl-C stops\.")

    def stop(self) -> int:
        """Press Ctrl-C and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """Return the folder of a world that is one drawing."""
    folder = tmp_path / "data"
    for name in ("maps", "prefabs"):
        (folder / name).mkdir(parents=True)
    (folder / "world.yaml").write_text("start: hall/1\n")
    (folder / "maps" / "hall.yaml").write_text(
        "hall: {name: The Hall, layout: {static: {prefab: hall, frame: 0}}}\n"
    )
    (folder / "prefabs" / "hall.yaml").write_text(HALL)
    return folder


def save(file: Path, text: str | bytes) -> None:
    """Write a file as careful editors do, so that it is never seen half-written."""
    hidden = file.with_name(f".{file.name}.new")
    hidden.write_bytes(text.encode() if isinstance(text, str) else text)
    hidden.replace(file)


@contextmanager
def watching(*arguments: str | Path, on_terminal: bool = False) -> Iterator[Watch]:
    """Run `dungeon watch`, without colour."""
    watch = Watch(*map(str, arguments), "--colour", "never", on_terminal=on_terminal)
    try:
        yield watch
    finally:
        watch.process.kill()
        watch.process.wait()
        os.close(watch.reading)


@pytest.mark.parametrize("on_terminal", [True, False], ids=["terminal", "pipe"])
def test_changes_mistakes_and_repairs_are_shown(
    content: Path,
    on_terminal: bool,  # noqa: FBT001
) -> None:
    drawing = content / "prefabs" / "hall.yaml"
    with watching("hall", "--data", content, on_terminal=on_terminal) as watch:
        first = watch.redrawn()
        assert "#####\n##.##\n#..<#\n#####\n" in first
        assert "hall/1: The Hall, depth 1, seed 0, 5x4" in first
        assert first.endswith(f"\nWatching {content}. Ctrl-C stops.\n")

        save(drawing, NARROW)
        second = watch.redrawn()
        assert "#####\n##.##\n##.<#\n#####\n" in second
        assert re.search(r"\n\d\d:\d\d:\d\d  prefabs/hall\.yaml changed\. Ctrl-C stops\.\n$", second)

        save(drawing, SHORT)
        broken = watch.redrawn()
        assert (
            "prefabs/hall.yaml:5:9: error: prefab 'hall': this row has 4 cells, but most rows have 5\n"
            in broken
        )
        assert "#####" not in broken

        save(drawing, HALL[:14])
        assert "hall.yaml:" in watch.redrawn()

        drawing.unlink()
        assert "there is no prefab or tag of this name: hall" in watch.redrawn()

        save(drawing, HALL)
        assert "##.##\n#..<#\n" in watch.redrawn()
        assert watch.stop() == 0


def test_rolls_of_a_prefab_are_watched_likewise(content: Path) -> None:
    drawing = content / "prefabs" / "nook.yaml"
    save(drawing, "nook: {map: '#+#'}\n")
    with watching("nook", "--times", "2", "--data", content, on_terminal=False) as watch:
        assert watch.redrawn().startswith(
            "0 r0  1 r0\n#+#   #+# \nnook: prefab, 3x1, depth 1, seed 0; 2 rolls\n"
        )
        save(drawing, "nook: {map: '#.'}\n")
        assert watch.redrawn().startswith("0 r0  1 r0\n#.    #.  \nnook: prefab, 2x1, depth 1")


def test_a_terminal_is_cleared_and_cuts_only_the_drawing(content: Path) -> None:
    with watching("hall", "--data", content, on_terminal=True) as watch:
        clear, cut, wrap = "\x1b[H\x1b[2J", "\x1b[?7l", "\x1b[?7h"
        # On a slow machine, a line tells before how long the content has been read.
        assert f"{clear}{cut}#####\n##.##\n#..<#\n#####\n{wrap}hall/1: " in watch.redrawn()
    with watching("hall", "--data", content, on_terminal=False) as watch:
        assert watch.redrawn().startswith("#####\n##.##\n#..<#\n#####\nhall/1: ")


def test_a_burst_of_saves_is_one_redraw(content: Path) -> None:
    with watching("hall", "--data", content) as watch:
        watch.redrawn()
        # While the process sleeps, changes pile up for it.
        watch.process.send_signal(signal.SIGSTOP)
        for number in range(20):
            (content / "prefabs" / f"more_{number:02}.yaml").write_text(
                HALL.replace("hall", f"more_{number}")
            )
        watch.process.send_signal(signal.SIGCONT)
        names = ", ".join(f"prefabs/more_{number:02}.yaml" for number in range(3))
        assert f"  {names} and 17 more changed. " in watch.redrawn()
        save(content / "world.yaml", "name: Renamed\nstart: hall/1\n")
        assert "  world.yaml changed. " in watch.redrawn()


def test_hidden_files_are_no_change(content: Path) -> None:
    with watching("hall", "--data", content) as watch:
        watch.redrawn()
        (content / "prefabs" / ".hall.yaml.swp").write_text("x")
        (content / "__pycache__").mkdir()
        save(content / "prefabs" / "hall.yaml", NARROW)
        assert "  prefabs/hall.yaml changed. " in watch.redrawn()


def test_the_whole_folder_may_be_deleted_and_made_again(content: Path) -> None:
    with watching("hall", "--data", content) as watch:
        watch.redrawn()
        content.rename(content.with_name("away"))
        watch.until(f"there is no folder '{re.escape(str(content))}'")
        (content.with_name("away") / "prefabs" / "hall.yaml").write_text(NARROW)
        content.with_name("away").rename(content)
        watch.until(re.escape("##.<#"))
        save(content / "prefabs" / "hall.yaml", HALL)
        watch.until(re.escape("#..<#"))


def test_the_default_folder_is_waited_for_too_not_replaced(
    content: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(content.parent)
    with watching("hall") as watch:
        assert watch.redrawn().endswith("\nWatching data. Ctrl-C stops.\n")
        content.rename("away")
        assert "there is no folder 'data'\n" in watch.until(r"  data is gone\. Ctrl-C stops\.")
        Path("away").rename(content)
        watch.until(re.escape("#..<#"))
        save(content / "prefabs" / "hall.yaml", NARROW)
        watch.until(re.escape("##.<#"))


def test_temporary_files_of_editors_are_not_named_where_content_changed(content: Path) -> None:
    watched = Watched(content)
    assert footer(watched, ["prefabs", "prefabs/sedxwYpJ2", "prefabs/hall.yaml", "x.yml", "y.xp"])[8:] == (
        "  prefabs/hall.yaml, x.yml, y.xp changed. Ctrl-C stops."
    )
    assert footer(watched, ["prefabs/sedxwYpJ2"])[8:] == "  prefabs/sedxwYpJ2 changed. Ctrl-C stops."


def test_mods_are_watched_with_the_content(content: Path) -> None:
    over = content.with_name("over")
    (over / "prefabs").mkdir(parents=True)
    save(over / "prefabs" / "more.yaml", "hall: {change: {orientations: r0}}")
    with watching("hall", "--data", content, "--mod", over) as watch:
        assert watch.redrawn().endswith(f"Watching {content} + {over}. Ctrl-C stops.\n")
        save(over / "prefabs" / "more.yaml", "hall: {chang: {}}")
        assert "this name is taken already" in watch.until(r"  over/prefabs/more\.yaml changed\. ")
    watched = Watched(content, mods=(over,))
    assert watched.name(str(content / "world.yaml")) == "world.yaml"
    over.rename(over.with_name("elsewhere"))
    assert footer(watched, ["world.yaml"])[8:] == f"  {over} is gone. Ctrl-C stops."


def test_a_deleted_map_is_waited_for(content: Path) -> None:
    world = content / "world.yaml"
    with watching("hall/1", "--data", content) as watch:
        watch.redrawn()
        save(world, "start: hall/2\n")
        assert "this world has no map or prefab 'hall/1' (did you mean hall/2?)\n" in watch.redrawn()
        save(world, "start: hall/1\n")
        assert "hall/1: The Hall" in watch.redrawn()


def test_a_drawing_is_watched_alone(tmp_path: Path) -> None:
    drawing = tmp_path / "drawing.xp"
    shutil.copy(REAL / "wfc-populated.xp", drawing)
    with watching(drawing) as watch:
        assert "#    @     ######" in watch.redrawn()
        (tmp_path / "notes.txt").write_text("x")
        save(drawing, (REAL / "SmallDungeon_80x50.xp").read_bytes())
        second = watch.redrawn()
        assert "█" in second
        assert "  drawing.xp changed. " in second
        save(drawing, b"")
        assert "drawing.xp: error: " in watch.redrawn()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hal", "--data", "{content}"], "this world has no map or prefab 'hal' (did you mean hall?)"),
        (["hall", "--data", "{content}/no"], "there is no folder "),
        (["nowhere/drawing.xp"], "there is no folder nowhere to watch"),
    ],
)
def test_a_wrong_call_is_answered_at_once(
    capsys: pytest.CaptureFixture[str], content: Path, arguments: list[str], message: str
) -> None:
    assert main(["watch", *(each.format(content=content) for each in arguments)]) == 2
    assert message in capsys.readouterr().err


def test_without_the_library_that_watches_it_is_named(
    capsys: pytest.CaptureFixture[str], content: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    assert main(["watch", "hall", "--data", str(content)]) == 2
    assert "pip install 'tcod-dungeon[watch]'" in capsys.readouterr().err


def test_a_terminal_shows_as_many_problems_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        Problem(source=Source(file="a.yaml", line=line, column=1), message="x" * 60) for line in range(1, 9)
    ]
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("LINES", "10")
    assert len(problem_lines(found, colour=False)) == 8
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    lines = problem_lines(found, colour=False)
    assert [line[:8] for line in lines] == ["a.yaml:1", "a.yaml:2", "a.yaml:3", "and 5 mo"]
    monkeypatch.setenv("COLUMNS", "10")
    monkeypatch.setenv("LINES", "4")
    assert [line[:8] for line in problem_lines(found, colour=False)] == ["a.yaml:1", "and 7 mo"]
