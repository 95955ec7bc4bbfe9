"""A cache gives what the files give, faster; whatever is wrong with it, it is as if there were none."""

from __future__ import annotations

import gc
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from content_files import SMALL, write_content
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dungeon
from dungeon import XpLayer, cache_folder
from dungeon.content.library import LazyMapping
from dungeon.content.loading import cache as caching
from dungeon.content.loading import draft, load
from dungeon.core.registry import PLACINGS
from dungeon.extend import Parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DATA = Path(__file__).parent.parent / "data"
HALL = {"prefabs/hall.xp": [XpLayer.from_rows(["#..#"])]}


class Counter:
    """Counts how many YAML files have been parsed, and how many prefabs have been built."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.parsed: list[str] = []
        self.built: list[str] = []
        parse, unpack = draft.parse_file, draft.parse_xp

        def parse_file(file: Any, *rest: Any) -> Any:
            self.parsed.append(file.place)
            return parse(file, *rest)

        def parse_xp(data: bytes, file: str) -> Any:
            self.built.append(Path(file).name)
            return unpack(data, file)

        patch.setattr(draft, "parse_file", parse_file)
        patch.setattr(draft, "parse_xp", parse_xp)

    def hit(self, folder: Path, cache: Path) -> bool:
        """Load, and tell whether that took no parsing."""
        self.parsed.clear()
        dungeon.load_content(folder, cache=cache)
        return not self.parsed


@pytest.fixture
def counter(monkeypatch: pytest.MonkeyPatch) -> Counter:
    return Counter(monkeypatch)


def game(folder: Path, files: Mapping[str, Any] | None = None) -> tuple[Path, Path]:
    """Write a small game, and return its folder and one for its cache."""
    return write_content(folder / "game", files), folder / "cache"


def only_file(cache: Path) -> Path:
    """Return the one file in a cache's folder."""
    (path,) = cache.iterdir()
    return path


def plain(value: Any) -> Any:
    """Return anything that content is made of as plain data, so that it can be compared."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if hasattr(value, "items"):
        return [(key, plain(each)) for key, each in value.items()]
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


# -- the same -----------------------------------------------------------------------------------


def test_content_from_a_cache_is_the_content_of_the_files(tmp_path: Path, counter: Counter) -> None:
    folder, cache = game(tmp_path, HALL)
    fresh = dungeon.load_content(folder)
    assert not counter.hit(folder, cache)
    counter.parsed.clear()
    content = dungeon.load_content(folder, cache=cache)
    assert counter.parsed == []
    for each in fields(fresh):
        if each.name not in ("prefabs", "choices", "called", "terrain_set"):
            assert plain(getattr(content, each.name)) == plain(getattr(fresh, each.name)), each.name
    assert content.terrain_set.kinds == fresh.terrain_set.kinds
    assert list(content.prefabs) == list(fresh.prefabs) == ["store", "hall"]
    assert [names(content, each) for each in content.choices] == [["store"]]
    assert list(content.called) == list(fresh.called)


def names(content: dungeon.Content, encounter: str) -> list[str]:
    """Return the names of the prefabs that an encounter may take."""
    return [each.name for each in content.choices[encounter]]


def test_the_games_content_from_a_cache_gives_the_same_levels_to_the_byte(
    tmp_path: Path, counter: Counter
) -> None:
    fresh = dungeon.load_content(DATA)
    assert not counter.hit(DATA, tmp_path)
    assert counter.hit(DATA, tmp_path)
    content = dungeon.load_content(DATA, cache=tmp_path)
    assert plain(content.sources) == plain(fresh.sources)
    for name, prefab in fresh.prefabs.items():
        assert plain(content.prefabs[name].drawing) == plain(prefab.drawing), name
    assert {each: names(content, each) for each in content.choices} == {
        each: names(fresh, each) for each in fresh.choices
    }
    one, other = dungeon.World(fresh, seed=0), dungeon.World(content, seed=0)
    for node in one.maps[::9]:
        assert dungeon.to_json(one.level(node.id)) == dungeon.to_json(other.level(node.id)), node.id


def test_values_come_back_as_they_were(tmp_path: Path, counter: Counter) -> None:
    data = """\
        scrap:
          name: scrap metal's «é» 💩
          glyph: "!"
          data: {none: ~, yes: true, big: 123456789012345, real: -0.1, tiny: .000000000000001, text: "1", e: ""}
        rest: {name: "a", glyph: 5, fg: [1, 2, 3], data: {list: [[], {}, [1.0]]}}
        """
    folder, cache = game(tmp_path, {"objects/items.yaml": data})
    dungeon.load_content(folder, cache=cache)
    assert counter.hit(folder, cache)
    items = dungeon.load_content(folder, cache=cache).catalog.things["item"]
    assert items["scrap"].name == "scrap metal's «é» 💩"
    assert repr(dict(items["scrap"].data)) == repr(
        {
            "none": None,
            "yes": True,
            "big": 123456789012345,
            "real": -0.1,
            "tiny": 1e-15,
            "text": "1",
            "e": "",
        }
    )
    assert repr(items["rest"].data) == "{'list': ((), {}, (1.0,))}"


def test_an_empty_file_is_remembered_too(tmp_path: Path, counter: Counter) -> None:
    folder, cache = game(tmp_path, {"palette.yaml": "", "objects/debris.yaml": "# none yet\n"})
    assert [counter.hit(folder, cache), counter.hit(folder, cache)] == [False, True]


# -- laziness -----------------------------------------------------------------------------------


def test_a_prefab_is_built_when_it_is_asked_for_and_kept(tmp_path: Path, counter: Counter) -> None:
    folder, cache = game(tmp_path, HALL | {"prefabs/den.xp": [XpLayer.from_rows(["."])]})
    dungeon.load_content(folder, cache=cache)
    counter.built.clear()
    content = dungeon.load_content(folder, cache=cache)
    assert sorted(content.prefabs) == ["den", "hall", "store"]
    assert "hall" in content.prefabs
    assert "lost" not in content.prefabs
    assert counter.built == []
    hall = content.prefabs["hall"]
    assert counter.built == ["hall.xp"]
    assert content.prefabs["hall"] is hall
    assert counter.built == ["hall.xp"]
    with pytest.raises(KeyError, match="lost"):
        content.prefabs["lost"]


def test_a_lazy_mapping_is_a_mapping() -> None:
    asked: list[str] = []

    def make(key: str) -> int:
        asked.append(key)
        return len(key)

    lazy = LazyMapping(["b", "aa"], make)
    assert (len(lazy), list(lazy), "aa" in lazy, asked) == (2, ["b", "aa"], True, [])
    assert repr(lazy) == "<Lazy mapping of 2 keys>"
    assert lazy == {"b": 1, "aa": 2}
    assert lazy != {"b": 1, "aa": 3}
    assert lazy.get("c") is None
    assert asked == ["b", "aa"]


# -- what makes another key ---------------------------------------------------------------------


def append(folder: Path) -> None:
    with (folder / "maps" / "cellars.yaml").open("a") as file:
        file.write("#")


def change_one_byte_of_a_drawing(folder: Path) -> None:
    path = folder / "prefabs" / "hall.xp"
    data = bytearray(path.read_bytes())
    data[4] ^= 1  # the time in its gzip header, which means nothing
    path.write_bytes(data)


def add(folder: Path) -> None:
    (folder / "legends" / "more.yaml").write_text("")


def add_a_drawing(folder: Path) -> None:
    (folder / "prefabs" / "nook.xp").write_bytes((folder / "prefabs" / "hall.xp").read_bytes())


def delete(folder: Path) -> None:
    (folder / "objects" / "debris.yaml").unlink()


def rename(folder: Path) -> None:
    (folder / "legends" / "boxes.yaml").rename(folder / "legends" / "crates.yaml")


def swap(folder: Path) -> None:
    # The same bytes in the same files' places, taken together.
    one, other = folder / "palette.yaml", folder / "weights.yaml"
    one.write_bytes(b"glyphs: {'~': grass}\n#"), other.write_bytes(b"\nrare: 1\ncommon: 10\n")


@pytest.mark.parametrize(
    "change", [append, change_one_byte_of_a_drawing, add, add_a_drawing, delete, rename, swap]
)
def test_after_any_change_the_files_count(
    tmp_path: Path, counter: Counter, change: Callable[[Path], None]
) -> None:
    start = {"palette.yaml": "glyphs: {'~': grass}\n", "weights.yaml": "#\nrare: 1\ncommon: 10\n"}
    folder, cache = game(tmp_path, HALL | start)
    assert [counter.hit(folder, cache), counter.hit(folder, cache)] == [False, True]
    change(folder)
    assert [counter.hit(folder, cache), counter.hit(folder, cache)] == [False, True]
    assert only_file(cache)  # the old one has been replaced


@pytest.mark.parametrize("place", ["README.md", "maps/notes.txt", ".git/config", "__pycache__/x.pyc"])
def test_files_that_content_is_not_read_from_count_for_nothing(
    tmp_path: Path, counter: Counter, place: str
) -> None:
    folder, cache = game(tmp_path)
    counter.hit(folder, cache)
    (folder / place).parent.mkdir(exist_ok=True)
    (folder / place).write_text("x")
    assert counter.hit(folder, cache)


def test_another_placing_mode_makes_another_key(
    tmp_path: Path, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = game(tmp_path)
    counter.hit(folder, cache)
    dungeon_registers(monkeypatch, "elsewhere")
    assert [counter.hit(folder, cache), counter.hit(folder, cache)] == [False, True]


def dungeon_registers(patch: pytest.MonkeyPatch, name: str) -> None:
    """Register a placing mode for the time of a test."""
    patch.setattr("dungeon.content.loading.cache.PLACINGS", {**PLACINGS, name: PLACINGS["enclosed"]})


def test_another_model_of_parameters_makes_another_key(
    tmp_path: Path, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = game(tmp_path)
    counter.hit(folder, cache)

    class Other(Parameters):
        pass

    changed = {name: type(each)(**{**vars_of(each), "params": Other}) for name, each in PLACINGS.items()}
    monkeypatch.setattr("dungeon.content.loading.cache.PLACINGS", changed)
    assert not counter.hit(folder, cache)


def vars_of(value: Any) -> dict[str, Any]:
    return {each.name: getattr(value, each.name) for each in fields(value)}


@pytest.mark.parametrize("what", ["FORMAT", "code"])
def test_another_version_of_the_library_makes_another_key(
    tmp_path: Path, counter: Counter, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    folder, cache = game(tmp_path)
    counter.hit(folder, cache)
    if what == "FORMAT":
        monkeypatch.setattr(caching, "FORMAT", "other")
    else:
        monkeypatch.setattr(caching, "_own_code", lambda: (b"other",))
    assert not counter.hit(folder, cache)


def test_without_its_own_source_the_library_remembers_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = game(tmp_path)
    monkeypatch.setattr(caching, "_own_code", lambda: ())
    assert dungeon.load_content(folder, cache=cache).prefabs
    assert not cache.exists()


def test_two_folders_of_content_have_a_cache_each(tmp_path: Path, counter: Counter) -> None:
    one, cache = game(tmp_path / "one")
    other = write_content(tmp_path / "other", {"weights.yaml": "rare: 2\ncommon: 20\n"})
    assert [counter.hit(one, cache), counter.hit(other, cache)] == [False, False]
    assert [counter.hit(one, cache), counter.hit(other, cache)] == [True, True]
    assert dungeon.load_content(other, cache=cache).weights["rare"] == 2


def test_a_folder_of_content_may_be_called_by_several_names(
    tmp_path: Path, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = game(tmp_path)
    counter.hit(folder, cache)
    monkeypatch.chdir(folder.parent)
    assert counter.hit(Path("game"), cache)
    content = dungeon.load_content("game", cache=str(cache))
    assert str(content.sources["map", "cellars"]) == "game/maps/cellars.yaml:1:1"
    assert content.folder == "game"


def test_the_bytes_that_were_asked_about_are_those_that_are_read(
    tmp_path: Path, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = game(tmp_path)
    ask = caching.Cache.of

    def change_meanwhile(*args: Any) -> Any:
        found = ask(*args)
        (folder / "weights.yaml").write_text("rare: 3\ncommon: 30\n")
        return found

    with monkeypatch.context() as patch:
        patch.setattr(load.Cache, "of", change_meanwhile)
        assert dungeon.load_content(folder, cache=cache).weights["rare"] == 1
    assert not counter.hit(folder, cache)
    assert dungeon.load_content(folder, cache=cache).weights["rare"] == 3


# -- content with mistakes ----------------------------------------------------------------------


def test_content_with_mistakes_is_not_remembered(tmp_path: Path) -> None:
    folder, cache = game(tmp_path, {"weights.yaml": "rare: -1\ncommon: 10\n"})
    listed = []
    for known in (None, cache, cache):
        with pytest.raises(dungeon.ContentError) as caught:
            dungeon.load_content(folder, cache=known)
        listed.append(caught.value.problems)
    assert len(listed[0]) == 1
    assert listed[0] == listed[1] == listed[2]
    assert not cache.exists()


def test_mistakes_that_come_later_are_reported_as_without_a_cache(tmp_path: Path) -> None:
    folder, cache = game(tmp_path)
    dungeon.load_content(folder, cache=cache)
    write_content(folder, {"legends/boxes.yaml": "boxes:\n  B: {prop: barel}\n", "sounds.yaml": "a: b\n"})
    with pytest.raises(dungeon.ContentError) as fresh:
        dungeon.load_content(folder)
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(folder, cache=cache)
    assert caught.value.problems == fresh.value.problems
    assert len(fresh.value.problems) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_file_that_cannot_be_read_is_reported_as_without_a_cache(tmp_path: Path) -> None:
    folder, cache = game(tmp_path)
    os.mkfifo(folder / "prefabs" / "pipe.xp")
    with pytest.raises(dungeon.ContentError, match="pipe or device"):
        dungeon.load_content(folder, cache=cache)
    assert not cache.exists()


def test_content_that_aliases_blow_up_is_not_remembered(tmp_path: Path, counter: Counter) -> None:
    aliases = ", ".join(["*long"] * 500)
    data = f"scrap: {{name: scrap, glyph: '!', data: {{long: &long {'x' * 100_000}, all: [{aliases}]}}}}\n"
    folder, cache = game(tmp_path, {"objects/items.yaml": data})
    assert [counter.hit(folder, cache), counter.hit(folder, cache)] == [False, False]
    assert not cache.exists()


# -- damage -------------------------------------------------------------------------------------


def signed(path: Path, body: bytes) -> bytes:
    """Return a forged cache: of the right key, with the right digest, but with another body."""
    magic_and_key = path.read_bytes().partition(b"\n")[0].rpartition(b" ")[0]
    return magic_and_key + b" " + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut off": lambda data: data[:-1],
    "cut in half": lambda data: data[: len(data) // 2],
    "the first line alone": lambda data: data.partition(b"\n")[0],
    "longer": lambda data: data + b" ",
    "one letter else": lambda data: data.replace(b"C..C", b"C.CC"),
    "another key": lambda data: data.replace(data.split(b" ")[3], b"0" * 64),
    "foreign text": lambda _: b"Hello!\n",
    "foreign JSON": lambda _: b'{"a": 1}',
    "a pickle": lambda _: (
        b"\x80\x04\x95\x1a\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94."
    ),
    "zeros": lambda data: bytes(len(data)),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_cache_is_as_if_there_were_none_and_is_made_anew(
    tmp_path: Path, counter: Counter, damage: Callable[[bytes], bytes]
) -> None:
    folder, cache = game(tmp_path)
    dungeon.load_content(folder, cache=cache)
    right = only_file(cache).read_bytes()
    only_file(cache).write_bytes(damage(right))
    assert only_file(cache).read_bytes() != right
    assert not counter.hit(folder, cache)
    assert only_file(cache).read_bytes() == right
    assert counter.hit(folder, cache)


FORGED: dict[str, str] = {
    "no JSON": "{",
    "not UTF-8": "\udcff",
    "a list": "[]",
    "a number": "1",
    "a file that is a word": '{"maps/cellars.yaml": "x"}',
    "entries without a place": '{"maps/cellars.yaml": [["cellars", {}]]}',
    "entries in a line that is no number": '{"maps/cellars.yaml": [["cellars", "1", 1, {}]]}',
    "a name that is no text": '{"maps/cellars.yaml": [[1, 1, 1, {}]]}',
    "a huge line": '{"maps/cellars.yaml": [["cellars", 1' + "0" * 50 + ", 1, {}]]}",
    "no world": '{"world.yaml": null}',
    "a map that is none": '{"maps/cellars.yaml": [["cellars", 1, 1, 5]]}',
    "a map of an unknown layout": '{"maps/cellars.yaml": [["cellars", 1, 1, {"name": "x", "layout": "lost"}]]}',
    "an encounter without its prefab": '{"prefabs/rooms.yaml": []}',
    "deep": '{"maps/cellars.yaml": [["cellars", 1, 1, ' + "[" * 100_000 + "]" * 100_000 + "]]}",
    "a prefab that is fitted into itself": (
        '{"prefabs/rooms.yaml": [["store", 1, 1, {"map": "CC", "vary": [{"fit": "C", "prefabs": "store"}]}]]}'
    ),
    "deep, but not too deep": '{"maps/cellars.yaml": [["cellars", 1, 1, ' + "[" * 150 + "]" * 150 + "]]}",
}


@pytest.mark.parametrize("body", FORGED.values(), ids=FORGED)
def test_a_forged_cache_that_is_not_right_is_as_if_there_were_none(
    tmp_path: Path, counter: Counter, body: str
) -> None:
    folder, cache = game(tmp_path)
    dungeon.load_content(folder, cache=cache)
    right = only_file(cache).read_bytes()
    only_file(cache).write_bytes(signed(only_file(cache), body.encode("utf-8", "surrogateescape")))
    content = dungeon.load_content(folder, cache=cache)
    assert content.maps["cellars"].name == "The Cellars"
    assert only_file(cache).read_bytes() == right


FORGED_PREFABS: dict[str, tuple[Any, str]] = {
    "an unknown symbol": ({"map": "C..C\n..?Z\n"}, "no legend or palette says what this character means"),
    "no text": ({"map": 5}, "text is needed here"),
    "no mapping": ([], "a mapping of keys to values is needed here"),
    "nothing": (None, "a mapping of keys to values is needed here"),
    "an unknown key": ({"map": "..", "colour": "red"}, "this key is not known: colour"),
    "an unknown name": ({"map": "..", "legends": "lost"}, "there is no legend of this name: lost"),
    "a broken text": ({"map": "..\x00\n\n.."}, "this row has"),
}


@pytest.mark.parametrize(("prefab", "message"), FORGED_PREFABS.values(), ids=FORGED_PREFABS)
def test_a_forged_prefab_is_a_content_error_when_it_is_asked_for(
    tmp_path: Path, prefab: object, message: str
) -> None:
    folder, cache = game(
        tmp_path, {"prefabs/rooms.yaml": SMALL["prefabs/rooms.yaml"].replace("rooms]", "a]")}
    )
    dungeon.load_content(folder, cache=cache)
    body = json.loads(only_file(cache).read_bytes().partition(b"\n")[2])
    ((name, line, column, _),) = body["prefabs/rooms.yaml"]
    body["prefabs/rooms.yaml"] = [[name, line, column, prefab]]
    only_file(cache).write_bytes(signed(only_file(cache), json.dumps(body).encode()))
    content = dungeon.load_content(folder, cache=cache)
    for _ in range(2):
        with pytest.raises(dungeon.ContentError) as caught:
            content.prefabs["store"]
        assert message in str(caught.value)
        assert f"{folder}/prefabs/rooms.yaml:1:1: error: prefab 'store'" in str(caught.value)
    with pytest.raises(dungeon.ContentError):
        content.choices["store"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, bytes]:
    """Return a game's folder, its cache's file, and what is in it."""
    folder, cache = game(tmp_path_factory.mktemp("made"))
    dungeon.load_content(folder, cache=cache)
    return folder, only_file(cache), only_file(cache).read_bytes()


@settings(max_examples=50)
@given(st.data())
def test_any_mutation_is_as_if_there_were_none(made: tuple[Path, Path, bytes], data: st.DataObject) -> None:
    folder, path, right = made
    changed = bytearray(right)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(changed)))
        changed[at : at + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=30))
    path.write_bytes(changed)
    content = dungeon.load_content(folder, cache=path.parent)
    assert path.read_bytes() == right
    assert content.prefabs["store"].drawing.width == 4


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("store"),
    lambda each: st.lists(each, max_size=4) | st.dictionaries(st.text(max_size=5), each, max_size=4),
    max_leaves=10,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(sorted(SMALL)), st.sampled_from(["map", "legend", "legends", "tags", "", "palette"]), JSON
)
def test_any_forgery_gives_content_or_a_content_error(
    made: tuple[Path, Path, bytes], place: str, key: str, value: object
) -> None:
    folder, path, right = made
    path.write_bytes(right)
    body = json.loads(right.partition(b"\n")[2])
    for entry in body[place]:
        if key and isinstance(entry[3], dict):
            entry[3][key] = value
        else:
            entry[3] = value
    path.write_bytes(signed(path, json.dumps(body).encode()))
    content = dungeon.load_content(folder, cache=path.parent)
    try:
        assert all(prefab.drawings for prefab in content.prefabs.values())
    except dungeon.ContentError as error:
        assert error.problems  # noqa: PT017  # either will do


# -- where it cannot be written -----------------------------------------------------------------


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    folder, cache = game(tmp_path)
    cache.write_text("a file, not a folder")
    assert dungeon.load_content(folder, cache=cache).prefabs["store"]
    assert cache.read_text() == "a file, not a folder"


def test_a_disk_that_is_full_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, cache = game(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert dungeon.load_content(folder, cache=cache).prefabs["store"]
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("kind", ["folder", "pipe", "link to itself"])
def test_something_else_in_its_place_is_no_error(tmp_path: Path, kind: str) -> None:
    folder, cache = game(tmp_path)
    dungeon.load_content(folder, cache=cache)
    path = only_file(cache)
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path)
    assert dungeon.load_content(folder, cache=cache).prefabs["store"]
    assert path.is_dir() == (kind == "folder")
    assert only_file(cache) == path


LOOP = """
import sys, dungeon
from pathlib import Path
folder, cache = map(Path, sys.argv[1:])
for _ in range(25):
    assert dungeon.load_content(folder, cache=cache).prefabs["store"].drawing.width == 4
    for path in cache.glob("*.json"):
        try:
            head, _, body = path.read_bytes().partition(b"\\n")
        except FileNotFoundError:
            continue  # the other program was faster
        assert head.startswith(b"tcod-dungeon") and body.endswith(b"}"), "half a file"
        path.unlink(missing_ok=True)
"""


def test_two_programs_can_share_a_cache(tmp_path: Path, counter: Counter) -> None:
    folder, cache = game(tmp_path)
    command = [sys.executable, "-c", LOOP, str(folder), str(cache)]
    programs = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [program.communicate(timeout=120)[1] for program in programs]
    assert said == ["", ""]
    assert [counter.hit(folder, cache), counter.hit(folder, cache)] == [False, True]
    assert only_file(cache).suffix == ".json"


# -- the garbage collector, and where caches lie ------------------------------------------------


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("weights", ["rare: 1\ncommon: 10\n", "rare: -1\n"])
def test_loading_leaves_the_garbage_collector_as_it_was(
    tmp_path: Path, *, enabled: bool, weights: str
) -> None:
    folder, cache = game(tmp_path, {"weights.yaml": weights})
    (gc.enable if enabled else gc.disable)()
    try:
        dungeon.load_content(folder, cache=cache)
    except dungeon.ContentError:
        assert "-1" in weights
    finally:
        was, _ = gc.isenabled(), gc.enable()
    assert was == enabled


@pytest.mark.skipif(sys.platform == "win32", reason="other systems' folders")
def test_caches_lie_in_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert cache_folder({"XDG_CACHE_HOME": "/tmp/own"}) == Path("/tmp/own/tcod-dungeon")
    assert cache_folder({"XDG_CACHE_HOME": "relative"}) == Path("/home/ann/.cache/tcod-dungeon")
    assert cache_folder({}) == Path("/home/ann/.cache/tcod-dungeon")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/tmp/mine")
    assert dungeon.cache_folder() == Path("/var/tmp/mine/tcod-dungeon")


def test_on_windows_caches_lie_in_local_application_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert cache_folder({"LOCALAPPDATA": str(tmp_path), "XDG_CACHE_HOME": "/x"}) == tmp_path / "tcod-dungeon"
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_folder({}) == tmp_path / "AppData" / "Local" / "tcod-dungeon"


def test_without_a_home_there_is_no_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert cache_folder({}) is None
