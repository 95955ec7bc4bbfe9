"""Imbalances planted in the demo's content, and that nothing else is edited; see tests/fuzzing/planted.py."""

import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from changed_runs import rows

import dungeon
from dungeon import playtest
from dungeon.playtest.reading import content_of

ROOT = Path(__file__).parent.parent
DATA = ROOT / "data"
sys.path.insert(0, str(ROOT / "tests" / "fuzzing"))

from planted import OTHER, blinded, copied, cut, dealing, drawn, named, planted  # noqa: E402
from planted_base import Base, base_of  # noqa: E402
from planted_edits import Folder  # noqa: E402
from planted_kinds import KINDS, Kind  # noqa: E402

DEMO = Folder(DATA)
CASES = {
    "double_robot": ("bailiff", {"objects bailiff data hp": "22", "objects bailiff data attack": "6"}),
    "tame_robot": ("mouser", {"objects mouser data attack": "0"}),
    "early_robot": ("coal_hound", {"objects coal_hound depth": "1"}),
    "early_item": (
        "kiln_plate",
        {"maps galleries population 0": {"item": "kiln_plate", "count": "2..4", "depth": "1"}},
    ),
    "deadly_trap": ("loose_plate", {"objects loose_plate data damage": "10"}),
    "weak_mending": ("solder", {"objects solder data repair": "1"}),
    "halved": (
        "checkpoint",
        {"encounters checkpoint maps cisterns": "2", "encounters checkpoint maps flues": "5"},
    ),
    "fivefold": (
        "kennel",
        {"encounters kennel maps galleries": "20", "encounters kennel maps foundry": "50"},
    ),
    "never_deep_enough": ("ambush", {"encounters ambush depth": "7..9"}),
    "once_in_a_world": ("guard_post", {"encounters guard_post limit": {"map": "2", "world": "1"}}),
    "too_far": ("checkpoint", {"encounters checkpoint far_from entrance": "110"}),
    "needless_lock": ("store_room", {"encounters store_room lock": "paymaster"}),
    "too_large": ("guard_box", {}),
    "double_robots": (
        "galleries",
        {
            "maps galleries budget threat by_depth": {"1": "28", "2": "60"},
            "maps galleries population 0 density by_depth": {"1": "0.5", "2": "0.7"},
            "maps galleries population 1 count": "0..2",
            "maps galleries population 3 count": "2",
        },
    ),
    "no_items": (
        "foundry",
        {f"maps foundry population {at} count": "0" for at in (7, 8, 9)},
    ),
    "trapped_ways": (
        "foundry",
        {"maps foundry population 0": {"trap": {"class": "footing"}, "density": "8", "at": "corridors"}},
    ),
    "no_supply": ("supply", {"maps foundry population 7 count": "0", "maps mere population 6 count": "0"}),
    "barred_ways": ("galleries", {"maps galleries locks": {"bulkhead": {"count": "1", "on": "way"}}}),
    "far_key": ("dials", {"locks dials distance": "95%.."}),
}
"""What is planted, by kind: the victim, and what stands where in the content then."""


@pytest.fixture
def content(tmp_path):
    return Path(shutil.copytree(DATA, tmp_path / "content"))


def base(folder, **what):
    """Return a content of whose worlds nothing is known but what is said here."""
    facts = {"maps", "shares", "copies", "prefabs", "objects", "fought", "locked"}
    return Base(folder=Folder(folder), **{fact: what.get(fact, {}) for fact in facts})


def edits(content):
    """Yield the part and the name of all entries that are not those of the demo; files that are the same are not read."""
    for file in DATA.rglob("*.yaml"):
        place = file.relative_to(DATA)
        was, now = file.read_bytes(), (content / place).read_bytes()
        if was != now:
            old, new = (yaml.load(each, yaml.CBaseLoader) for each in (was, now))
            yield from ((place.parts[0], name) for name in {*old, *new} if old.get(name) != new.get(name))


def test_every_kind_is_tried():
    assert set(CASES) == set(KINDS)
    assert len(KINDS) >= 10


@pytest.mark.parametrize("kind", CASES)
def test_planting_edits_only_its_values(kind, content):
    victim, there = CASES[kind]
    names = KINDS[kind].plant(Folder(content), victim)
    after = Folder(content)
    for place, value in there.items():
        keys = [int(key) if key.isdigit() else key for key in place.split()]
        assert after.get(*keys) == value
        assert DEMO.get(*keys) != value
    edited = {*edits(content)}
    if kind == "no_supply":  # it is about many maps
        assert {part for part, _ in edited} == {"maps"}
    else:  # the labelling rooms are the galleries with another layout
        assert len(edited - {("maps", "labelling")}) == 1
    assert any(victim in words for words in names)


def test_content_loads_with_every_planting(content):
    folder = Folder(content)
    for kind, (victim, _) in CASES.items():
        KINDS[kind].plant(folder, victim)
    loaded = dungeon.load_content(content)
    assert loaded.encounters["store_room"].lock is not None
    assert loaded.prefabs["guard_box"].width == 45


def test_a_prefab_is_too_large_for_every_room(content):
    KINDS["too_large"].plant(Folder(content), "guard_box")
    drawing = Folder(content).get("prefabs", "guard_box", "map").splitlines()
    assert len(drawing) == 30
    assert {len(row) for row in drawing} == {45}
    assert drawing[0] == f"Q.{41 * 'D'}.F"
    assert drawing[-1] == f".,{41 * '.'}.."


def test_an_edit_leaves_the_rest_of_the_file(content):
    folder = Folder(content)
    folder.put("encounters", "kettle_hoard", "limit", "map", value="2")
    folder.put("encounters", "kettle_hoard", "far_from", "entrance", value="9")
    folder.put("encounters", "kettle_hoard", "depth", value="2..")
    was, now = (
        (each / "encounters" / "reward.yaml").read_text("utf-8").splitlines() for each in (DATA, content)
    )
    assert [line for line in was if line not in now] == [
        "  far_from: {hidden_cache: 20, paymasters_room: 20} # nobody keeps two treasuries side by side"
    ]
    start = now.index("kettle_hoard:")
    assert now[start : start + 8] == [
        "kettle_hoard:",
        "  depth: 2..",
        "  category: reward",
        "  prefabs: kettle_hoard",
        *was[was.index("kettle_hoard:") + 3 :][:2],
        "  limit: {map: 2, world: 1}",
        "  far_from: {entrance: 9, hidden_cache: 20, paymasters_room: 20} # nobody keeps two treasuries side by side",
    ]
    assert len(now) == len(was) + 1


def test_missing_values_cannot_be_edited(content):
    folder = Folder(content)
    with pytest.raises(KeyError, match="encounters has no 'kettle'"):
        folder.put("encounters", "kettle", "depth", value="2")
    with pytest.raises(KeyError, match="nothing lies at"):
        folder.put("encounters", "kettle_hoard", "budget", "threat", value="2")
    with pytest.raises(KeyError, match="no such list"):
        folder.add("encounters", "kettle_hoard", "limit", value="2")


def test_the_victim_is_drawn_among_the_possible_ones(content, tmp_path, monkeypatch):
    # Whether content loads is asked for, not what a look at all of it finds.
    loads = lambda folder: SimpleNamespace(content=dungeon.load_content(folder))  # noqa: E731
    monkeypatch.setattr(dungeon, "examine_content", loads)
    known = base(content, shares={"kennel": 0.3, "guard_post": 0.9, "weir": 0.05})
    plant = planted("fivefold", known, tmp_path / "planted", seed=3)
    assert plant.victim == "kennel"
    assert Folder(plant.folder / "content").get("encounters", "kennel", "maps", "foundry") == "50"
    again = planted("fivefold", base(content), tmp_path / "planted", seed=4)
    assert (again.victim, again.names) == (plant.victim, plant.names)
    with pytest.raises(LookupError):
        planted("halved", base(content, shares={"guard_post": 0.1}), tmp_path / "nobody", seed=3)


def test_a_kind_drawn_twice_has_two_victims(content, tmp_path, monkeypatch):
    monkeypatch.setitem(KINDS, "fivefold", Kind(lambda _: ["kennel", "ambush"], KINDS["fivefold"].plant))
    known = base(content, maps={"galleries": 1})
    kinds = sorted(kind for kind in KINDS if KINDS[kind].victims(known))
    assert drawn(known, len(kinds), seed=1) == kinds
    more = drawn(known, 99, seed=1)
    assert {kind: more.count(kind) for kind in kinds} == {
        kind: len(KINDS[kind].victims(known)) for kind in kinds
    }
    assert more.count("fivefold") == 2
    loads = lambda folder: SimpleNamespace(content=True)  # noqa: E731
    monkeypatch.setattr(dungeon, "examine_content", loads)
    victims = {
        planted("fivefold", known, tmp_path / str(turn), seed=3, turn=turn).victim for turn in range(2)
    }
    assert victims == {"kennel", "ambush"}
    with pytest.raises(LookupError):
        planted("fivefold", known, tmp_path / "none", seed=3, turn=2)


def test_averages_of_a_run(content, tmp_path):
    cut(content, ["galleries/1", "order_room/12"])
    playtest.record(content, range(2), out=tmp_path, maps=["galleries"])
    with playtest.open(tmp_path) as run:
        told = base_of(Folder(content), run)
        rooms = run.sql("SELECT count(*) FROM placements WHERE encounter <> ''").fetchall()[0][0]
    assert told.maps == {"galleries": 1}
    assert sum(told.copies.values()) == rooms / 2
    assert told.many("robot", "mouser", 1) == told.many("robot", "mouser") > 0
    assert told.fought == {}


def test_a_blind_run_does_not_say_where_its_content_lies(content, tmp_path):
    playtest.record(content, range(1), out=tmp_path / "run", maps=["goods_inwards"])
    assert content_of(tmp_path / "run").folders == [str(content)]
    blinded(tmp_path / "run", tmp_path / "blind")
    assert content_of(tmp_path / "blind").folders == []
    assert content_of(tmp_path / "blind").content == content_of(tmp_path / "run").content
    assert rows(tmp_path / "blind", "SELECT seed FROM worlds") == [(0,)]


def test_dealing_renumbers_worlds(tmp_path):
    playtest.record(DATA, range(5), out=tmp_path / "run", maps=["goods_inwards"])
    copied(tmp_path / "run", tmp_path / "part", *dealing([4, 1]))
    expected = rows(tmp_path / "run", "SELECT count(*) FROM spawns WHERE seed IN (1, 4)")
    assert rows(tmp_path / "run", "SELECT count(*) FROM worlds") == [(5,)]
    part = tmp_path / "part"
    assert rows(part, "SELECT seed FROM worlds ORDER BY seed") == [(OTHER,), (OTHER + 1,)]
    assert rows(part, "SELECT count(*) FROM spawns") == expected
    assert rows(part, "SELECT count(DISTINCT seed) FROM levels") == [(2,)]


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        (["press_shop is rarer", "the press kills"], "2"),
        (["presses kill", "press_room"], "-"),
        (["foundry/3: robots are many"], "1"),
        (["foundry/3: traps are many", "robots on galleries"], "-"),
        ([], "-"),
    ],
)
def test_a_line_names_an_imbalance_by_all_words_of_a_name(lines, number):
    assert named(lines, [("press",), ("foundry", "robot")]) == number
