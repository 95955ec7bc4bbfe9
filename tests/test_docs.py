"""Every example in the documentation runs as it is written."""

import re
from pathlib import Path

import esper
import pytest

import dungeon
from dungeon.level.proof.rules import ARRAY_RULES, FIELD_RULES, RULES, WORLD_RULES

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[object]:
    """Return every code block of a language, named by its page and line."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            if match[1] == language:
                line = text.count("\n", 0, match.start()) + 1
                found.append(pytest.param(match[2], id=f"{page.name}:{line}"))
    return found


@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples_run(
    code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    esper.switch_world("a fresh world for an example")
    try:
        exec(compile(code, "example", "exec"), {"__name__": "example"})
        assert capsys.readouterr().out.strip()
    finally:
        esper.switch_world("default")
        for name in esper.list_worlds():
            if name != "default":
                esper.delete_world(name)


def test_the_esper_example_is_a_script_of_fifteen_lines_or_so() -> None:
    (script,) = [each.values[0] for each in blocks("python") if "to_esper" in each.values[0]]  # type: ignore[attr-defined]
    lines = [line for line in script.splitlines() if line.strip()]
    assert len(lines) <= 16


def test_the_readme_shows_the_two_commands_that_do_everything() -> None:
    commands = [
        line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if "-m venv" in line
    ]
    assert len(commands) == 2
    assert commands[0].endswith("dungeon-demo")
    assert commands[1].endswith("pytest")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The content of the examples."""
    for name in ("objects", "prefabs", "encounters", "maps"):
        (tmp_path / name).mkdir()
    written = 0
    for parameter in blocks("yaml"):
        text: str = parameter.values[0]  # type: ignore[attr-defined]
        file = re.match(r"# data/(\S+)", text)
        if file:
            (tmp_path / file[1]).write_text(text, encoding="utf-8")
            written += 1
    assert written >= 5
    return tmp_path


def test_content_examples_are_valid(folder: Path) -> None:
    content = dungeon.load_content(folder)
    level = dungeon.World(content, seed=1).level(content.world.start)
    assert level.placements


OF_A_MAP = [each for each in blocks("yaml") if each.values[0].startswith("  ")]  # type: ignore[attr-defined]


@pytest.mark.parametrize("keys", OF_A_MAP)
def test_examples_of_what_a_map_may_say_make_levels(keys: str, folder: Path) -> None:
    (folder / "maps" / "cellars.yaml").write_text(f"cellars:\n  name: The Cellars\n{keys}", encoding="utf-8")
    world = dungeon.World(dungeon.load_content(folder), seed=1)
    assert all(dungeon.prove(world.level(each.id)) == [] for each in world.maps)


def test_there_is_an_example_of_every_layout_and_of_features() -> None:
    shown = "\n".join(each.values[0] for each in OF_A_MAP)  # type: ignore[attr-defined]
    assert all(word in shown for word in ("tunnels:", "caves:", "mines:", "features:", "variants:"))


def test_the_page_of_the_proof_lists_every_rule_with_what_it_promises() -> None:
    page = (ROOT / "docs" / "proof.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([a-z-]+)` \| (.+) \|$", page, re.MULTILINE))
    said = {
        rule.__name__.replace("_", "-"): " ".join((rule.__doc__ or "").split("\n\n")[0].split())
        for rule in (*FIELD_RULES, *ARRAY_RULES, *RULES, *WORLD_RULES)
    }
    assert listed == said
    assert "(docs/proof.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
