"""The commands that a report shows run as they are printed: for a run with a plugin, a mod and bots, in folders with spaces."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from content_files import write_content
from test_saving_screens import program

import dungeon
import dungeon.generation.built_in  # not first inside the block after which plugins are forgotten
from dungeon import extend
from dungeon.cli import main
from dungeon.playtest.report.report import Report, as_text, report_on
from game_demo.__main__ import main as demo

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN = """
from dungeon import GenerationError
from dungeon.extend import Parameters, Phase, Rect, Step, register_layout
from dungeon.playtest.bots.playing import bot_named

def pit(canvas, params, job):
    if job.streams.stream("layout").chance(0.3):
        raise GenerationError("the pit has fallen in")
    canvas.carve_room(Rect(2, 2, 16, 16))
    canvas.build_walls()
    yield Step(Phase.LAYOUT, "a pit", canvas)

register_layout("pit", Parameters, pit)

class Wary:
    def __init__(self, seed):
        if seed == 1:
            raise ValueError("too wary to play")
        self.choose = bot_named("hasty", seed).choose
"""

WORLD = {
    "world.yaml": "name: A Small World\nstart: cellars/1\nleads_to: {cellars/1: [cellars/2], cellars/2: [pit/3]}\n",
    "maps/pit.yaml": "pit: {name: Pit, layout: pit, size: 20x20, population: [{trap: snare, count: 9}]}\n",
    "objects/traps.yaml": "snare: {name: snare, glyph: ^, data: {damage: 40}}\n",
    "prefabs/halls.yaml": "hall:\n  map: |\n" + f"    {'.' * 70}\n" * 3,
    "encounters/halls.yaml": "hall: {category: danger, prefabs: hall, maps: {cellars: common}, placing: enclosed}\n",
    "maps/cellars.yaml": "cellars: {name: Cellars, layout: tunnels, size: 40x24, encounters: 3,"
    " population: [{trap: snare, count: 20}]}\n",
}
"""A map that can't always be made, traps that kill, and an encounter that fits nowhere."""

MOD = {
    "objects/items.yaml": "relic: {name: relic, glyph: '!', depth: 9}\n",
    "maps/cellars.yaml": "cellars: {add: {population: [{item: relic, count: 1}]}}\n",
}
"""An item far out of depth."""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    """Make a run in a folder of its own, go there, and return the report on the run."""
    folder = tmp_path_factory.mktemp("commands")
    write_content(folder / "the game", WORLD)
    for name, text in MOD.items():
        path = folder / "a mod" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "plug.py").write_text(PLUGIN, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, extend.forgotten_afterwards():
        patch.setattr(sys, "path", [*sys.path])
        patch.chdir(folder)
        options = (
            "--import plug --bots hasty,plug:Wary --game demo --games 2 --limit 150 --worlds 12 --out run"
        )
        assert main(["playtest", "the game", "a mod", *options.split()]) == 0
        yield report_on("run", dungeon.load_content("the game", "a mod"))
        del sys.modules["plug"]


def run(command: str) -> int:
    """Run a command in this process; a game that a bot plays is not shown."""
    program, *arguments = shlex.split(command)
    return main(arguments) if program == "dungeon" else demo([*arguments, "--headless"])


def test_every_kind_of_command_is_shown_and_runs(printed: Report, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.strip() for line in as_text(printed, 100)]
    commands = {line for line in lines if line.startswith(("dungeon ", "dungeon-demo "))}
    for sheet in printed.sheets:
        first = [spot for spots in sheet.shown[:2] for spot in spots[:1]]
        commands.update(chain.from_iterable(map(printed.commands, first)))
    (failures,) = (sheet.values("what", "command") for sheet in printed.sheets if sheet.name == "failures")
    commands.update(dict(failures).values())
    assert {finding.kind for finding in printed.findings} >= {"failed", "missed", "beyond"}
    assert {" ".join(shlex.split(command)[:2]) for command in commands} == {
        *("dungeon show", "dungeon playtest", "dungeon-demo --replay"),
    }
    for command in sorted(commands):
        code = run(command)
        told = capsys.readouterr()
        is_failing = "show pit/3 " in command and "the pit has fallen in" in told.err
        assert code == int(is_failing), (command, told.err)


def test_a_shell_runs_what_is_printed(printed: Report) -> None:
    (relic,) = (finding for finding in printed.findings if finding.thing == "relic")
    (command,) = printed.commands(relic.shown[0])
    places = [str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {"PATH": os.pathsep.join(places), "PYTHONPATH": str(Path(dungeon.__file__).parents[1])}
    done = subprocess.run(
        command,
        shell=True,
        env={**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert "\nmarked relic: 1\n  ! relic (item) at y " in done.stdout


def test_a_terminal_shows_the_game_where_it_ended(printed: Report) -> None:
    (sheet,) = (sheet for sheet in printed.sheets if sheet.name == "deaths")
    _, command = printed.commands(sheet.shown[0][0])
    with program(*shlex.split(command)[1:]) as game:
        game.see(b"space plays")
        game.type("q")
        assert game.process.wait() == 0
