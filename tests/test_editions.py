"""Editions: which encounters a game has had since when, and that those which came later move none that were there before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from drawn import write
from test_late import FILES, levels, lying

import dungeon
from dungeon.authoring.editions import with_edition
from dungeon.cli import main
from dungeon.content.models.editions import EditionsEntry
from dungeon.generation.stages.furnish import place as stage

if TYPE_CHECKING:
    from pathlib import Path

SOME = FILES["encounters/some.yaml"]
FIRST = "1: [crates, racks, pair]\n"
NEW = "new: {category: danger, prefabs: crates, maps: {hut: 4}, limit: {map: 1}}\n"
NEWER = "newer: {category: danger, prefabs: racks, maps: {hut: 4}, limit: {map: 2}}\n"


def game(folder: Path, editions: str | None, encounters: str = SOME, mod: str = "") -> dungeon.Content:
    """Load a game of the `late` tests with editions, and other encounters."""
    write(folder, FILES | {"encounters/some.yaml": encounters})
    if editions is not None:
        (folder / "editions.yaml").write_text(editions)
    mods = [write(folder.parent / "mod", {"encounters/mod.yaml": mod})] if mod else []
    return dungeon.load_content(folder, *mods)


def moved(before: dungeon.Content, after: dungeon.Content, *new: str) -> tuple[int, int]:
    """Return in how many of 60 levels something new comes, and in how many of these something else has moved for it."""
    pairs = [
        (one, other)
        for one, other in zip(levels(before, 60), levels(after, 60), strict=True)
        if not {*new}.isdisjoint(each.encounter for each in other.placements)
    ]
    return len(pairs), sum(not lying(other, *new) <= lying(one) for one, other in pairs)


def test_the_first_edition_is_not_late_those_after_it_are_and_what_is_in_none_comes_last(tmp_path):
    more = """
said: {category: fluff, prefabs: crates, maps: {hut: 1}, late: true}
soon: {category: fluff, prefabs: crates, maps: {hut: 1}, late: false}
by_racks: {category: fluff, prefabs: crates, maps: {hut: 1}, near: {racks: 5}}
by_new: {category: fluff, prefabs: crates, maps: {hut: 1}, near: {racks: 5, new: 5}}
by_any: {category: fluff, prefabs: crates, maps: {hut: 1}, near: {danger: 5, entrance: 20}}
"""
    mods = "of_a_mod: {category: fluff, prefabs: crates, maps: {hut: 1}}\n"
    editions = "1: [crates, racks, by_new, by_racks]\n7: [new, by_any]\n3: pair\n"
    content = game(tmp_path / "game", editions, SOME + NEW + NEWER + more, mods)
    assert dict(content.lateness) == {
        "crates": 0, "racks": 0, "pair": 2, "new": 4, "newer": 6, "said": 7, "soon": 0,
        "by_racks": 0, "by_new": 4, "by_any": 4, "of_a_mod": 8,
    }  # fmt: skip
    assert content.late == {name for name, late in content.lateness.items() if late}
    assert content.editions == {
        1: ("crates", "racks", "by_new", "by_racks"),
        7: ("new", "by_any"),
        3: ("pair",),
    }


def test_without_editions_only_what_mods_add_and_what_says_so_is_late(tmp_path):
    content = game(tmp_path / "game", None, SOME + NEW, NEWER)
    assert content.late == {"newer"}
    assert content.lateness["newer"] == 2
    assert not content.editions


@pytest.mark.parametrize("text", [NEW + SOME, SOME + NEW], ids=["first", "last"])
def test_an_encounter_that_is_added_moves_no_other_wherever_it_stands(tmp_path, text):
    count, some = moved(game(tmp_path / "a", FIRST), game(tmp_path / "b", FIRST, text), "new")
    assert count > 40
    assert some == 0
    _, some = moved(game(tmp_path / "c", None), game(tmp_path / "d", None, text), "new")
    assert some > 5  # else nothing would have been in the way


def test_one_of_the_next_edition_moves_neither_those_of_the_first_nor_of_the_last(tmp_path):
    second = FIRST + "2: [new]\n"
    before = game(tmp_path / "a", second, SOME + NEW)
    count, some = moved(before, game(tmp_path / "b", second, SOME + NEW + NEWER), "newer")
    assert count > 40
    assert some == 0
    both = game(tmp_path / "c", FIRST, SOME + NEW + NEWER)  # neither is in an edition
    _, some = moved(game(tmp_path / "d", FIRST, SOME + NEW), both, "newer")
    assert some > 0


def test_what_would_be_dug_for_others_keeps_nobody_from_an_annex(tmp_path):
    """Else it would be placed anew before all others, which would move."""
    files = FILES | {"maps/hut.yaml": "hut: {name: Hut, size: 36x22, layout: tunnels, encounters: 6}\n"}
    contents = []
    for name, text in (("before", SOME), ("after", SOME + NEW)):
        folder = write(tmp_path / name, files | {"encounters/some.yaml": text, "editions.yaml": FIRST})
        contents.append(dungeon.load_content(folder))
    count, some = moved(*contents, "new")
    assert count > 50
    assert some == 0
    dug = [
        each for level in levels(contents[0], 60) for each in level.journal if ", dug for it" in each.reason
    ]
    assert len(dug) > 20


def test_a_mod_moves_nothing_of_those_that_are_laid_below_it(tmp_path):
    folder = write(tmp_path / "game", FILES)
    one, other = (
        write(tmp_path / f"mod{number}", {f"encounters/mod{number}.yaml": text})
        for number, text in enumerate((NEW, NEWER))
    )
    before, after = dungeon.load_content(folder, one), dungeon.load_content(folder, one, other)
    count, some = moved(before, after, "newer")
    assert count > 40
    assert some == 0


def test_one_that_says_it_is_late_comes_before_those_of_the_next_edition(tmp_path):
    late = SOME.replace("pair: {", "pair: {late: true, ")
    count, some = moved(game(tmp_path / "a", FIRST, late), game(tmp_path / "b", FIRST, late + NEW), "new")
    assert count > 40
    assert some == 0


def test_many_editions_take_little_more_time_than_one(tmp_path, monkeypatch):
    text = "".join(NEWER.replace("newer", f"e{number}") for number in range(12))
    content = game(tmp_path, "".join(f"{number + 1}: [e{number}]\n" for number in range(12)), text)
    runs = []
    place = stage.place

    def counted(*arguments: object) -> object:
        runs.append(arguments)
        return place(*arguments)

    monkeypatch.setattr(stage, "place", counted)
    for seed in range(10):
        runs.clear()
        level = dungeon.World(content, seed).level("hut/1")
        assert len(level.placements) == 5
        assert len(runs) <= 13


def test_levels_are_the_same_to_the_byte_when_what_is_new_is_written_down_as_an_edition(tmp_path):
    one = levels(game(tmp_path / "a", FIRST, SOME + NEW), 30)
    other = levels(game(tmp_path / "b", FIRST + "2: [new]\n", SOME + NEW), 30)
    assert list(map(dungeon.to_json, one)) == list(map(dungeon.to_json, other))
    assert sum("new" in {each.encounter for each in level.placements} for level in one) > 20


def test_one_that_must_be_near_what_comes_later_waits_for_its_edition(tmp_path):
    follows = (
        "follows: {category: fluff, prefabs: crates, maps: {hut: 9}, near: {danger: 30}, limit: {map: 1}}\n"
    )
    guards = "{0}: {{category: danger, prefabs: crates, maps: {{hut: 9}}, limit: {{map: 1}}}}\n"
    text = follows + guards.format("early") + guards.format("late")
    found = levels(game(tmp_path, "1: [early, follows, crates]\n2: late\n", text), 60)
    there = [{each.encounter for each in level.placements} for level in found]
    with_late = [names for names in there if "early" not in names]
    assert all("follows" not in names for names in with_late)  # it has its place before the late one has
    assert sum({"follows", "early"} <= names for names in there) > 20
    for level in found:
        assert dungeon.prove(level) == []


def test_a_late_stand_in_comes_once_and_for_all(tmp_path):
    text = "hoard: {category: reward, prefabs: crates, maps: {hut: 9}, access: 99, fallback: crates}\n" + SOME
    found = levels(game(tmp_path, "1: [hoard, racks, pair]\n", text), 20)
    assert sum("crates" in {each.encounter for each in level.placements} for level in found) > 15


WRONG = [
    ("0: [crates]\n", "editions.yaml:1:1: error: editions: the number of an edition, from 1 to 999, is needed here: 0"),
    ("1.5: [crates]\n", "editions.yaml:1:1: error: editions: the number of an edition, from 1 to 999, is needed here: 1.5"),
    ("one: [crates]\n", "editions.yaml:1:1: error: editions: the number of an edition, from 1 to 999, is needed here: one"),
    ("1: [crates, crates]\n", "editions.yaml:1:13: error: editions: this is listed twice: crates"),
    (
        "1: [racks, crates]\n2: [pair,\n  crates]\n3: racks\n",
        "editions.yaml:3:3: error: editions: edition 1 has this already: crates",
    ),
    ("1: {crates: 2}\n", "editions.yaml:1:4: error: editions: a name, or a list of names, is needed here"),
    ("1: [.crates]\n", "editions.yaml:1:5: error: editions: a name is letters"),
    ("[crates]\n", "editions.yaml:1:1: error: editions: a mapping of keys"),
]  # fmt: skip


@pytest.mark.parametrize(("editions", "message"), WRONG, ids=[text.split("\n")[0] for text, _ in WRONG])
def test_what_is_no_edition_is_told_where_it_stands(tmp_path, editions, message):
    with pytest.raises(dungeon.ContentError) as caught:
        game(tmp_path, editions)
    told = [str(each) for each in caught.value.problems]
    assert any(line.removeprefix(f"{tmp_path}/").startswith(message) for line in told), told
    assert len(told) == 1 + editions.count("3: racks")


def test_a_mod_adds_to_editions_as_to_other_files_that_are_one_entry(tmp_path):
    folder = write(tmp_path / "game", FILES)
    (folder / "editions.yaml").write_text(FIRST)
    mod = write(tmp_path / "mod", {"encounters/mod.yaml": NEW + NEWER, "editions.yaml": "add: {2: [new]}\n"})
    content = dungeon.load_content(folder, mod)
    assert (content.lateness["new"], content.lateness["newer"]) == (2, 6)


# -- the command --------------------------------------------------------------------------------


def test_the_command_lists_editions_and_writes_down_what_is_new(tmp_path, capsys):
    folder = write(tmp_path / "game", FILES)

    def says(*arguments: str) -> list[str]:
        assert main(["editions", str(folder), *arguments]) == 0
        return capsys.readouterr().out.splitlines()

    file = folder / "editions.yaml"
    assert says() == ["no edition: all choose their places in the order in which chance lets them come"]
    assert says("--new") == [f"{file}: edition 1, 3 encounters: crates, pair, racks"]
    assert says() == ["edition 1: 3 encounters: crates, pair, racks"]
    assert says("--new") == ["all encounters are in an edition"]
    (folder / "encounters" / "more.yaml").write_text(NEW)
    file.write_text(file.read_text() + "# The second one is to come.")
    assert says()[1:] == ["in none, and so after all others: 1 encounter: new"]
    assert says("--new") == [f"{file}: edition 2, 1 encounter: new"]
    assert "# The second one is to come.\n2: [\n  new\n]\n" in file.read_text()
    content = dungeon.load_content(folder)
    assert content.editions == {1: ("crates", "pair", "racks"), 2: ("new",)}


def test_the_command_writes_only_where_it_can(tmp_path, capsys):
    folder = write(tmp_path / "game", FILES)
    file = folder / "editions.yaml"
    file.write_text("{1: [crates]}")
    assert main(["editions", str(folder), "--new"]) == 2
    assert "as it is; write there 2: [pair, racks]" in capsys.readouterr().err
    assert file.read_text() == "{1: [crates]}"
    file.write_text("999: [crates]\n")
    assert main(["editions", str(folder), "--new"]) == 2
    assert "there are 999 editions at most" in capsys.readouterr().err
    file.write_bytes(b"# one\r\n1: [crates]\r\n")
    assert main(["editions", str(folder), "--new"]) == 0
    assert capsys.readouterr().out == f"{file}: edition 2, 2 encounters: pair, racks\n"
    assert file.read_bytes() == b"# one\r\n1: [crates]\r\n2: [\r\n  pair, racks\r\n]\r\n"
    file.write_text(FIRST)
    mod = write(tmp_path / "mod", {"encounters/mod.yaml": NEW})
    assert main(["editions", str(folder), str(mod), "--new"]) == 2
    assert "what mods add comes after all of them" in capsys.readouterr().err
    assert main(["editions", str(folder), str(mod)]) == 0
    assert capsys.readouterr().out == "edition 1: 3 encounters: crates, racks, pair\n"
    file.unlink()
    file.mkdir()
    assert main(["editions", str(folder), "--new"]) == 1


def test_many_names_are_wrapped_and_read_again():
    names = [f"encounter_{number}" for number in range(3000)]
    text = with_edition("", 1, names)
    assert text is not None
    assert EditionsEntry.model_validate(yaml.safe_load(text)).root == {1: tuple(names)}
    assert max(map(len, text.splitlines())) <= 110
    assert with_edition(text, 2, ["true"]) is None  # a word that is read as no name
    assert with_edition(text, 1, ["again"]) is None
