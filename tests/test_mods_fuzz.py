"""Whatever a mod says, it is laid over the content or refused with a list of what is wrong, each at its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml
from content_files import yaml_of
from damaged import DAMAGED, WHOLE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_fuzz import write

import dungeon
from dungeon.content.source.edits import VERBS
from dungeon.content.source.marks import LINE_END

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TEXTS = {
    place: yaml.safe_load(text)
    for place, text in WHOLE.items()
    if place.endswith(".yaml") and isinstance(yaml.safe_load(text), dict)
}
ONE_ENTRY = ("world.yaml", "weights.yaml", "palette.yaml")

words = st.sampled_from(["crate", "remove", "map", "depth", "legend", "store", "rare", 3, None, True])
anything = st.recursive(
    words, lambda of: st.lists(of, max_size=2) | st.dictionaries(words.map(str), of, max_size=2)
)


@st.composite
def said(draw: st.DrawFn, old: Any) -> Any:
    """Return what an edit may say of some data: a part of it, or anything."""
    if isinstance(old, dict) and old and draw(st.booleans()):
        keys = draw(st.lists(st.sampled_from(sorted(map(str, old))), min_size=1, max_size=3, unique=True))
        if draw(st.booleans()):
            return keys
        return {key: draw(said(old.get(key))) for key in keys}
    if isinstance(old, list) and old and draw(st.booleans()):
        return draw(st.lists(st.sampled_from(old), max_size=2))
    return draw(st.just(old) | anything)


@st.composite
def mods(draw: st.DrawFn) -> dict[str, bytes]:
    """Return the files of a mod, some of which may even be right."""
    files: dict[str, Any] = {}
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.sampled_from(sorted(TEXTS)))
        whole = TEXTS[place]
        name = "" if place in ONE_ENTRY else draw(st.sampled_from(sorted(map(str, whole))))
        verbs = draw(st.lists(st.sampled_from(VERBS), min_size=1, max_size=3, unique=True))
        edit = {verb: draw(said(whole.get(name) if name else whole)) for verb in verbs}
        if not name:
            files[place] = edit
        else:
            files.setdefault(place, {})[name] = draw(
                st.sampled_from([edit, "remove"]) if len(edit) < 2 else st.just(edit)
            )
    drawn = draw(st.lists(st.sampled_from([place for place in WHOLE if place.endswith(".xp")]), max_size=1))
    return {place: yaml_of(data).encode() for place, data in files.items()} | {
        each: WHOLE[each] for each in drawn
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole")
    write(path, WHOLE)
    return path


def lay(folder: Path, mod: Path, files: Mapping[str, bytes]) -> bool:
    """Lay a mod over the content, look at all that is said of it, and tell whether nothing is wrong."""
    write(mod, files)
    found = dungeon.examine_content(folder, mod)
    for problem in found.problems:
        assert str(problem).isprintable()
        place = problem.source.file
        if problem.source.line and place.endswith(".yaml"):
            root, whole = (mod, files) if place.startswith(f"{mod}/") else (folder, WHOLE)
            text = whole[place.removeprefix(f"{root}/")].decode("utf-8", "replace")
            assert problem.source.line <= len(LINE_END.findall(text)) + 1
        else:
            assert place.startswith((str(mod), str(folder)))
    return found.content is not None


@settings(max_examples=12, suppress_health_check=list(HealthCheck), deadline=None)
@given(files=mods())
def test_any_edits_are_laid_or_refused(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    mod = tmp_path_factory.mktemp("mod")
    if lay(folder, mod, files):
        fresh, cached = (
            dungeon.load_content(folder, mod, cache=cache)
            for cache in (None, tmp_path_factory.getbasetemp() / "cache")
        )
        again = dungeon.load_content(folder, mod, cache=tmp_path_factory.getbasetemp() / "cache")
        for each in (cached, again):
            assert (each.sources, each.changes) == (fresh.sources, fresh.changes)
            assert {**each.prefabs}.keys() == {**fresh.prefabs}.keys()


@settings(max_examples=6, suppress_health_check=list(HealthCheck), deadline=None)
@given(files=DAMAGED)
def test_any_files_are_laid_or_refused(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    lay(folder, tmp_path_factory.mktemp("mod"), files)
