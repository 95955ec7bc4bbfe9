"""Every example in the documentation runs as it is written."""

import functools
import re
from pathlib import Path

import esper
import pytest

import dungeon
from dungeon.cli import main
from dungeon.proof import key_rules, spacing_rules, tower_rules, world_rules
from dungeon.proof.check import ARRAY_RULES, FIELD_RULES, RULES, rules_in

ROOT = Path(__file__).parent.parent
README, FIRST_STEPS = ROOT / "README.md", ROOT / "docs" / "first-steps.md"
LOADED = functools.cache(dungeon.load_content)
"""Examples that load the same content share it."""

PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^```yaml\n# ((?:data|my_mod)/\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


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
    monkeypatch.setattr(dungeon, "load_content", LOADED)
    monkeypatch.setattr(
        "dungeon.generation.odds.expected.WIDTH", 0.2
    )  # nothing depends on how wide intervals are
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
    (script,) = [each.values[0] for each in blocks("python") if "factories" in each.values[0]]  # type: ignore[attr-defined]
    lines = [line for line in script.splitlines() if line.strip()]
    assert len(lines) <= 16


def test_the_readme_shows_the_two_commands_that_do_everything() -> None:
    commands = [line for line in README.read_text(encoding="utf-8").splitlines() if "-m venv" in line]
    assert len(commands) == 2
    assert commands[0].endswith("dungeon-demo")
    assert commands[1].endswith("pytest")


GUIDE = [page for page in PAGES if page.parent.name == "guide"]
TRIED = [README, FIRST_STEPS, *(page for page in GUIDE if FILE.search(page.read_text(encoding="utf-8")))]


def files_of(page: Path) -> dict[str, str]:
    """Return the files that a page shows; those of the guide are laid over the content of the first steps."""
    shown = dict(FILE.findall(page.read_text(encoding="utf-8")))
    return {**files_of(FIRST_STEPS), **shown} if page in GUIDE else shown


def write(page: Path, folder: Path) -> list[Path]:
    """Write the files that a page shows, and return the folders of its content and its mod."""
    for place, text in files_of(page).items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return sorted(folder.iterdir())


@pytest.mark.parametrize("page", TRIED, ids=lambda page: page.stem)
def test_content_examples_make_levels_that_have_what_they_show(page: Path, tmp_path: Path) -> None:
    folders = write(page, tmp_path)
    examined = dungeon.examine_content(*folders)
    assert [problem for problem in examined.problems if problem.severity != "note"] == []
    assert examined.content is not None
    placed: set[str] = set()
    for seed in range(20):
        world = dungeon.World(examined.content, seed)
        levels = [world.level(node.id) for node in world.maps]
        placed |= {placement.encounter for level in levels for placement in level.placements}
        if placed >= {*examined.content.encounters}:  # prefabs that maps ask for are placements, too
            return
    pytest.fail(f"in 20 worlds none of {examined.content.encounters.keys() - placed} is met")


def test_every_page_of_the_guide_shows_content_that_is_tried() -> None:
    assert {page.name for page in GUIDE} - {page.name for page in TRIED} == {"tools.md"}


def test_all_yaml_of_the_guide_is_tried() -> None:
    shown = [
        match[2]
        for page in {*GUIDE, *TRIED}
        for match in BLOCK.finditer(page.read_text(encoding="utf-8"))
        if match[1] == "yaml"
    ]
    assert [text for text in shown if not text.startswith(("# data/", "# my_mod/", "  "))] == []


def test_the_readme_draws_a_level_of_the_content_that_it_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (data,) = write(README, tmp_path)
    text = README.read_text(encoding="utf-8")
    (command,) = re.findall(r"^\*`dungeon (show [^`]+)`", text, re.MULTILINE)
    assert main([*command.split(), "--data", str(data)]) == 0
    drawn = [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.startswith((" ", "#"))]
    shown = next(match[2] for match in BLOCK.finditer(text) if match[1] == "text")
    assert shown.splitlines() == drawn, "README.md is to show:\n" + "\n".join(drawn)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The content of the page on maps."""
    return write(ROOT / "docs" / "guide" / "maps.md", tmp_path)[0]


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
        for rule in (
            *FIELD_RULES,
            *ARRAY_RULES,
            *RULES,
            *rules_in(world_rules, tower_rules, key_rules, spacing_rules),
        )
    }
    assert listed == said


READ = re.compile(r'(?:keywords|self)\.(?:number|integer|flag|text|one_of_texts|get|_one_of)\("(\w+)"')
OF_THE_LANGUAGE = {"lock", "prototype"}
"""Keywords that the prefab language has, whatever the game."""


def test_the_guide_tells_of_every_keyword_that_the_demo_reads() -> None:
    table = (
        (ROOT / "docs" / "guide" / "objects.md").read_text(encoding="utf-8").partition("## What the demo")[2]
    )
    listed = re.findall(r"^\| [a-z, ]+ \| `(\w+)` \|", table, re.MULTILINE)
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "game_demo").rglob("*.py"))
    assert sorted({*READ.findall(code), "state"} - OF_THE_LANGUAGE) == sorted(listed)


NAMED = re.compile(r"`([\w./]+)`")
HOMES = [
    "",
    "dungeon",
    "dungeon/generation",
    "dungeon/generation/encounters",
    "dungeon/authoring",
    "dungeon/content",
    "dungeon/proof",
    "dungeon/playtest/report",
    "tests",
]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/house.md"])
def test_pages_for_developers_name_files_and_names_that_exist(page: str) -> None:
    """A file is named with its path, or by its name below a folder of `HOMES`; any other name with `_`, `.` or a capital is in the code."""
    folders = ("dungeon", "game_demo", "tests", "benchmarks", "docs/writer")
    code = "\n".join(
        file.read_text(encoding="utf-8") for folder in folders for file in (ROOT / folder).rglob("*.py")
    )
    words = {*re.findall(r"\w+", code)}
    unknown = []
    for name in NAMED.findall((ROOT / page).read_text(encoding="utf-8")):
        if "NAME" in name:
            continue
        if "/" in name or name.endswith((".py", ".md", ".yaml", ".toml")):
            if not any((ROOT / home / name).exists() for home in HOMES):
                unknown.append(name)
        elif re.search(r"[_.A-Z]", name) and not {*name.strip(".").split(".")} <= words:
            unknown.append(name)
    assert unknown == []
