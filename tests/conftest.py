"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUICK = {
    "afoot", "allies", "alterations", "annexes", "automaton", "body", "boxes", "budgets", "canvas",
    "carrying", "check", "compare_games", "counting", "crew", "declared", "derived", "differ",
    "digging", "drawing", "draws", "dumped_yaml", "esper", "extend", "fights", "frozen", "game_answers",
    "game_choices", "game_end", "game_looking", "game_parts", "game_plain", "game_robots",
    "game_shooting", "game_state", "game_warnings", "game_work", "glyphs", "house", "journeys",
    "language_faults", "legends", "lids", "likeness", "limits", "locks", "mines", "mouths", "moves",
    "order_room", "passing", "prefab", "proof", "robots", "sameness", "sample", "saving_damage",
    "secrets", "shapes", "show_rolls", "space", "stages", "streams", "tcod_ecs", "terminal", "tiles",
    "tileset", "values", "waiting", "world_caves",
}  # fmt: skip
"""Files of `pytest -m quick`, without `test_`: something of every package, in less than a minute on two cores."""


LONG = (
    "language", "data", "cluster", "watch", "world", "cli", "export", "game_screens", "odds", "content", "lint",
    "report_browser", "playtest", "edits", "sheet", "report", "rexpaint", "seeding", "tiled", "game", "data_rolls",
)  # fmt: skip
"""Files that take longest, in this order: they begin first, so that no process is left alone with one at the end."""


def _is_quick(file: Path) -> bool:
    return file.stem.removeprefix("test_") in QUICK


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import the other files for `-m quick`."""
    is_other = collection_path.suffix == ".py" and not _is_quick(collection_path)
    return True if config.option.markexpr == "quick" and is_other else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of these files, before those without the mark are left out, and put long files first."""
    for item in items:
        if _is_quick(item.path):
            item.add_marker("quick")
    turns = {name: turn for turn, name in enumerate(LONG)}
    items.sort(key=lambda item: turns.get(item.path.stem.removeprefix("test_"), len(LONG)))


def pytest_collection_finish() -> None:
    """Let the garbage collector not look again and again through thousands of tests, which all stay to the end."""
    gc.freeze()


# Time limits per example would only tell how busy the machine is.
settings.register_profile("unhurried", deadline=None, max_examples=40)
settings.load_profile("unhurried")


# What tests start would go on ignoring what was ignored where the tests were started: in the background, or by nohup.
for each in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(each) is signal.SIG_IGN:
        signal.signal(each, signal.default_int_handler if each is signal.SIGINT else signal.SIG_DFL)


# Nearly two hundred processes that tests start would compile the library each for itself, and each worker all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.fixture(scope="session", autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what tests and the programs they start remember out of the user's own folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test begin without saved games, and keep those of its own out of the user's folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "data" / uuid4().hex))


@pytest.fixture
def few_rolls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `check` look at few variants of each prefab, which takes most of its time, where more find no other fault."""
    monkeypatch.setattr("dungeon.authoring.lint.subject.ROLLS", 3)
    monkeypatch.setattr("dungeon.authoring.lint.trials.TRIES", 1)


@pytest.fixture
def demo_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands that read `data/` share its content, where it is not the point how they read it."""
    from demo import DATA, demo_content  # noqa: PLC0415  # after it is decided above whether bytecode is written

    import dungeon  # noqa: PLC0415

    read = dungeon.load_content

    def load_content(*folders: str | Path, cache: Path | None = None) -> dungeon.Content:
        return demo_content() if [*map(str, folders)] == [str(DATA)] else read(*folders, cache=cache)

    monkeypatch.setattr(dungeon, "load_content", load_content)
