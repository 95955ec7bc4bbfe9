"""Completion in a shell: half-typed calls, completed as the shell's script does it."""

import os
import shutil
import subprocess
import sys
from textwrap import dedent

import pytest
from content_files import SMALL, write_content

from dungeon.cli import main


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A folder with a small game in it."""
    folder = tmp_path_factory.mktemp("project")
    world = f"{dedent(SMALL['world.yaml'])}difficulties: {{hard: {{spawns: 2}}, harsh: {{spawns: 3}}}}\n"
    write_content(folder / "data", {"world.yaml": world})
    return folder


def asked(line, folder):
    """Return the words with which a line may go on."""
    answer = folder / "answer"
    environment = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    command = [sys.executable, "-c", "from dungeon.cli import main; main()"]
    subprocess.run(command, cwd=folder, env={**os.environ, **environment}, check=True, timeout=60)
    return answer.read_text().split("\n")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("dungeon sh", ["show"]),
        ("dungeon check --color a", ["auto", "always"]),
        ("dungeon why ", ["cellars/1", "cellars/2"]),
        ("dungeon why cellars/1 s", ["store"]),
        ("dungeon show cellars/1 --difficulty ha", ["hard", "harsh"]),
        ("dungeon explain --data nowhere st", [""]),
    ],
)
def test_commands_options_and_names_are_completed(project, line, words):
    assert asked(line, project) == words


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_code_for_a_shell_is_code_of_that_shell(capsys, shell):
    assert main(["completion", shell]) == 0
    code = capsys.readouterr().out
    assert "_ARGCOMPLETE" in code
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=code, text=True, check=True)


def test_without_argcomplete_the_message_says_how_to_install_it(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "argcomplete.shell_integration", None)
    assert main(["completion", "zsh"]) == 2
    assert (
        capsys.readouterr().err
        == "dungeon: the command completion needs the library argcomplete: pip install 'tcod-dungeon[cli]'\n"
    )
