"""Mods: folders that are laid over content, and what they say of the entries below them."""

from __future__ import annotations

import json
import pickle
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from content_files import marked, write_content
from demo import demo_content

import dungeon
from dungeon import XpLayer
from dungeon.authoring.explain import explain_prefab
from dungeon.cli import main
from dungeon.content.drawing.rexpaint import encode_xp
from dungeon.content.models.encounters import LimitEntry
from dungeon.content.source.yaml_writer import to_yaml
from game_demo.__main__ import main as demo
from game_demo.content import data_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dungeon import Content

MORE = "encounters/more.yaml"
ROOMS = "prefabs/rooms.yaml"

BASE = {
    "encounters/rooms.yaml": """\
        store:
          category: reward
          prefabs: [store, shelf]
          maps: {cellars: common, attic: rare}
          limit: {map: 2}
          depth: 1..5
        nook: {category: fluff, prefabs: shelf, maps: {cellars: rare}}
        """,
    "prefabs/shelves.yaml": 'shelf: {map: "B", legends: boxes, tags: [wood]}',
    "maps/attic.yaml": "attic: {name: The Attic, size: 60x40, layout: tunnels}",
    "world.yaml": "{start: cellars/1, leads_to: {cellars/1: [cellars/2], cellars/2: attic/3}}",
    "prefabs/hall.xp": [XpLayer.from_rows(["#..#", "...."])],
}
"""What differs from the small content of other tests."""


def base(folder: Path) -> Path:
    """Write content to lay mods over."""
    return write_content(folder / "game", BASE)


def mod(folder: Path, files: Mapping[str, str | bytes], name: str = "mod") -> Path:
    """Write a mod."""
    (folder / name).mkdir(parents=True)
    for place, what in files.items():
        path = folder / name / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(what if isinstance(what, bytes) else dedent(what).encode())
    return folder / name


def laid(folder: Path, *mods: Mapping[str, str | bytes]) -> Content:
    """Load the content with mods laid over it."""
    names = [mod(folder, files, f"mod{number or ''}") for number, files in enumerate(mods)]
    return dungeon.load_content(base(folder), *names)


def said(folder: Path, *mods: Mapping[str, str | bytes], whole: bool = False) -> list[str]:
    """Return what is wrong or doubtful with mods over the content, and not with the content alone.

    Without `whole` only as far as the first sign of what would have been right.
    """
    names = [mod(folder, files, f"mod{number or ''}") for number, files in enumerate(mods)]
    root = base(folder)
    known = {str(each) for each in dungeon.examine_content(root).problems}
    found = [str(each) for each in dungeon.examine_content(root, *names).problems]
    lines = [each.replace(f"{folder}/", "") for each in found if each not in known]
    return lines if whole else [line.split(" (allowed")[0] for line in lines]


def drawing(*rows: str) -> bytes:
    """Return an .xp file."""
    return encode_xp([XpLayer.from_rows(rows)])


# -- each verb ----------------------------------------------------------------------------------


def test_what_is_new_is_written_as_ever(tmp_path: Path) -> None:
    new = "{category: risk, prefabs: [store, pen], maps: {cellars: 3}}"
    content = laid(tmp_path, {MORE: f"pen: {new}", "prefabs/pen.yaml": 'pen: {map: "..."}'})
    assert list(content.encounters) == ["store", "nook", "pen"]
    assert [each.name for each in content.choices["pen"]] == ["store", "pen"]
    assert content.sources["encounter", "pen"].file == str(tmp_path / "mod" / MORE)


def test_a_key_is_changed_and_the_others_stay(tmp_path: Path) -> None:
    edit = "store: {change: {category: danger, maps: {attic: common, cellars: 2}, limit: {world: 9}}}"
    store = laid(tmp_path, {MORE: edit}).encounters["store"]
    assert (store.category, dict(store.maps)) == ("danger", {"cellars": 2, "attic": "common"})
    assert store.limit == LimitEntry.model_validate({"map": 2, "world": 9})
    assert store.depth == (1, 5)


def test_a_list_is_replaced_by_change_and_grows_by_add(tmp_path: Path) -> None:
    change = {MORE: "store: {change: {prefabs: [hall]}}"}
    add = {MORE: "store: {add: {prefabs: [hall, store]}}\nnook: {add: {prefabs: hall}}"}
    (tmp_path / "a").mkdir()
    assert laid(tmp_path / "a", change).encounters["store"].prefabs == ("hall",)
    content = laid(tmp_path, add)
    assert content.encounters["store"].prefabs == ("store", "shelf", "hall")  # no word twice
    assert content.encounters["nook"].prefabs == ("shelf", "hall")  # one word is a list of one


def test_keys_are_added_where_a_mapping_is(tmp_path: Path) -> None:
    files = {
        MORE: "nook: {add: {maps: {attic: rare}, limit: {map: 1}}}",
        "legends/more.yaml": "boxes: {add: {C: {prop: crate}}}",
        "themes.yaml": "garden: {add: {2: grass}}",
    }
    content = laid(tmp_path, files)
    assert dict(content.encounters["nook"].maps) == {"cellars": "rare", "attic": "rare"}
    assert content.encounters["nook"].limit.map == 1


def test_keys_and_items_are_removed(tmp_path: Path) -> None:
    edit = "store: {remove: [depth, {prefabs: shelf, maps: [attic], limit: map}]}"
    store = laid(tmp_path, {MORE: edit}).encounters["store"]
    assert (store.prefabs, dict(store.maps), store.limit.map) == (("store",), {"cellars": "common"}, None)
    assert store.depth[0] == 0


def test_what_is_removed_can_be_said_anew(tmp_path: Path) -> None:
    edit = "store: {add: {maps: {attic: 7}}, change: {limit: {world: 3}}, remove: [limit, maps]}"
    store = laid(tmp_path, {MORE: edit}).encounters["store"]
    assert (dict(store.maps), store.limit) == ({"attic": 7}, LimitEntry.model_validate({"world": 3}))


def test_mappings_in_lists_are_items(tmp_path: Path) -> None:
    edit = "cellars: {add: {population: {item: scrap, count: 7}}, remove: {population: {item: scrap, count: 1..3}}}"
    (population,) = laid(tmp_path, {"maps/more.yaml": edit}).maps["cellars"].population
    assert list(population.count.outcomes()) == [7]


def test_what_a_mod_removes_is_told_to_whoever_asks_for_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    less = {MORE: "\nnook: remove\n", "prefabs/less.yaml": "hall: remove\n"}
    content = laid(tmp_path, less)
    nook, hall = (str(tmp_path / "mod" / place) for place in (f"{MORE}:2:1", "prefabs/less.yaml:1:1"))
    assert {name: str(source) for name, source in content.removed.items()} == {
        ("encounter", "nook"): nook,
        ("prefab", "hall"): hall,
    }
    with pytest.raises(TypeError) as asked:
        dungeon.World(content).why("cellars/1", "nook")  # type: ignore[arg-type]
    assert str(asked.value) == f"there is no encounter 'nook' any more ({nook} removes it)"
    with pytest.raises(KeyError, match=r"less\.yaml:1:1 removes it"):
        explain_prefab(content, "hall")

    folders = ["--data", str(tmp_path / "game"), "--mod", str(tmp_path / "mod")]
    assert main(["why", "cellars/1", "nook", *folders]) == 2
    assert f"there is no encounter or prefab 'nook' any more ({nook} removes it)" in capsys.readouterr().err
    assert main(["explain", "hall", *folders]) == 2
    assert f"there is no prefab 'hall' ({hall} removes it)" in capsys.readouterr().err


def test_what_another_mod_brings_back_is_not_removed(tmp_path: Path) -> None:
    again = "nook: {category: fluff, prefabs: shelf, maps: {cellars: rare}}"
    content = laid(tmp_path, {MORE: "nook: remove"}, {MORE: again})
    assert "nook" in content.encounters
    assert not content.removed


def test_an_entry_is_replaced(tmp_path: Path) -> None:
    edit = "store: {replace: {category: fluff, prefabs: hall, maps: {attic: 1}}}"
    content = laid(tmp_path, {MORE: edit})
    assert (content.encounters["store"].category, content.encounters["store"].depth[0]) == ("fluff", 0)
    assert list(content.encounters) == ["store", "nook"]
    assert content.sources["encounter", "store"].file == str(tmp_path / "mod" / MORE)


def test_an_entry_is_removed(tmp_path: Path) -> None:
    content = laid(tmp_path, {MORE: "nook: remove", ROOMS: "hall: remove"})
    assert list(content.encounters) == ["store"]
    assert "hall" not in content.prefabs


def test_files_that_are_one_entry_are_edited_as_entries_are(tmp_path: Path) -> None:
    files = {
        "weights.yaml": "{add: {plenty: 30}, change: {rare: 2}}",
        "palette.yaml": "add: {glyphs: {'%': grass}}",
        "world.yaml": "add: {leads_to: {cellars/1: vault/4, vault/4: attic/3}}",
        "maps/vault.yaml": "vault: {name: The Vault, size: 60x40, layout: tunnels}",
        "terrain.yaml": "grass: {change: {fg: '#00ff00'}}\nmud: {like: floor}",
        "objects/items.yaml": "scrap: {change: {name: scrap tin}}\ntin: {name: tin, glyph: t}",
        "locks.yaml": "",
    }
    content = laid(tmp_path, files)
    assert dict(content.weights) == {"rare": 2, "common": 10, "plenty": 30}
    assert dict(content.world.leads_to) == {
        "cellars/1": ("cellars/2", "vault/4"),
        "cellars/2": ("attic/3",),
        "vault/4": ("attic/3",),
    }
    assert {"grass", "mud"} <= set(content.terrain_set.names)
    assert content.catalog["item", "scrap"].name == "scrap tin"


def test_a_file_that_is_one_entry_is_replaced_but_not_removed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    content = laid(tmp_path / "a", {"weights.yaml": "replace: {rare: 3, common: 5}"})
    assert dict(content.weights) == {"rare": 3, "common": 5}
    (found,) = said(tmp_path, {"world.yaml": "remove"})
    assert (
        found
        == f"mod/world.yaml:1:1: error: world: the content below has the file game/world.yaml already; {TAKEN} in here"
    )


def test_a_weight_may_be_called_as_a_verb_is(tmp_path: Path) -> None:
    folder = write_content(tmp_path / "game", {"weights.yaml": "{rare: 1, common: 10, add: 3}"})
    assert dungeon.load_content(folder).weights["add"] == 3


# -- drawings -----------------------------------------------------------------------------------


def rows(content: Content, name: str) -> list[str]:
    """Return a prefab's map."""
    return list(explain_prefab(content, name).planes[0][1])


def test_a_drawing_is_drawn_anew_and_its_properties_stay(tmp_path: Path) -> None:
    files = {
        "prefabs/shelf.xp": drawing("B.B"),
        "prefabs/hall.xp": drawing("....", "...."),
        ROOMS: "shelf: {replace: drawing}\nhall: {replace: drawing, add: {tags: wide}}",
    }
    content = laid(tmp_path, files)
    assert rows(content, "shelf") == ["B.B"]
    assert content.prefabs["shelf"].tags == ("wood",)
    assert (rows(content, "hall"), content.prefabs["hall"].tags) == (["....", "...."], ("wide",))
    assert content.changes["prefab", "hall"][0].keys == ("tags", "drawing")


def test_a_drawing_is_drawn_anew_as_a_text(tmp_path: Path) -> None:
    content = laid(tmp_path, {ROOMS: 'hall: {change: {map: ".#."}}\nshelf: {change: {map: "BB"}}'})
    assert (rows(content, "hall"), rows(content, "shelf")) == ([".#."], ["BB"])


def test_a_prefab_is_replaced_with_its_drawing(tmp_path: Path) -> None:
    files = {
        "prefabs/shelf.xp": drawing("..."),
        ROOMS: 'shelf: {replace: {tags: stone}}\nhall: {replace: {map: "#"}}',
    }
    content = laid(tmp_path, files)
    assert (rows(content, "shelf"), content.prefabs["shelf"].tags) == (["..."], ("stone",))
    assert rows(content, "hall") == ["#"]


def test_a_mod_may_have_drawings_of_its_own(tmp_path: Path) -> None:
    assert rows(laid(tmp_path, {"prefabs/pen.xp": drawing("###")}), "pen") == ["###"]


# -- slips --------------------------------------------------------------------------------------

TAKEN = "to edit it, write remove, change, add or replace"

SLIPS = {
    "a name that is taken": (
        "«nook: {category: fluff, prefabs: hall, maps: {attic: 1}}",
        (
            "encounter 'nook': this name is taken already, in game/encounters/rooms.yaml:7:1; "
            f"{TAKEN} below the name: nook"
        ),
    ),
    "a name with nothing after it": (
        "«nook:",
        (
            "encounter 'nook': this name is taken already, in game/encounters/rooms.yaml:7:1; "
            f"{TAKEN} below the name: nook"
        ),
    ),
    "a name that differs in case": (
        "«Nook: {category: fluff, prefabs: hall, maps: {attic: 1}}",
        (
            "encounter 'Nook': this name differs only in case from that of encounter 'nook' in "
            "game/encounters/rooms.yaml:7:1: Nook"
        ),
    ),
    "an edit of what differs in case": (
        "«Nook: {change: {category: risk}}",
        "encounter 'Nook': there is no encounter of this name in the content below: Nook (did you mean nook?)",
    ),
    "an edit of what is not there": (
        "«stroe: {change: {category: risk}}",
        "encounter 'stroe': there is no encounter of this name in the content below: stroe (did you mean store?)",
    ),
    "removing what is not there": (
        "«nok: remove",
        "encounter 'nok': there is no encounter of this name in the content below: nok (did you mean nook?)",
    ),
    "a key that is not known": (
        "nook: {change: {«categry: risk}}",
        "encounter 'nook': this key is not known: categry (did you mean category?)",
    ),
    "a value that is not possible": (
        "store: {change: {limit: {map: «many}}}",
        "encounter 'store': a whole number is needed here: many",
    ),
    "a name that nothing has": (
        "nook: {add: {prefabs: «hal}}",
        "encounter 'nook': there is no prefab or tag of this name: hal (did you mean hall?)",
    ),
    "a key to remove that is not there": (
        "store: {remove: [«dept]}",
        "encounter 'store': the edited mapping has no such key: dept (did you mean depth?)",
    ),
    "a key to remove from that is not there": (
        "store: {remove: {«prefab: shelf}}",
        "encounter 'store': the edited mapping has no such key: prefab (did you mean prefabs?)",
    ),
    "an item to remove that is not there": (
        "store: {remove: {prefabs: [«shel]}}",
        "encounter 'store': the edited list has no such item: shel (did you mean shelf?)",
    ),
    "a key that is needed": ("store: {remove: «category}", "encounter 'store': 'category' is missing"),
    "all items": (
        "store: {remove: {prefabs: «[shelf, store]}}",
        "encounter 'store': a list must not be empty here: nothing could be chosen from it",
    ),
    "what can't be removed": (
        "store: {remove: [«true]}",
        "encounter 'store': a key, a list of keys, or a mapping is needed here: true",
    ),
    "a verb that is none": (
        "nook: {change: {category: risk}, «ad: {maps: {attic: 1}}}",
        "encounter 'nook': this key is not one of the verbs of an edit: ad (did you mean add?)",
    ),
    "a verb without a mapping": (
        "nook: {change: «category}",
        "encounter 'nook': a mapping of keys to values is needed here: category",
    ),
    "a word added to a mapping": (
        "nook: {add: {maps: «attic}}",
        "encounter 'nook': a mapping of keys to values is needed here: attic",
    ),
    "something beside replace": (
        "nook: {replace: {category: fluff, prefabs: hall, maps: {attic: 1}}, «add: {limit: {map: 1}}}",
        "encounter 'nook': 'replace' gives the whole entry, so no other verb can stand beside it: add",
    ),
    "a replacement that is none": (
        "nook: {replace: «drawing}",
        "encounter 'nook': the keys of an entry are needed here, as a mapping: drawing",
    ),
    "an entry edited twice": (
        "nook: {change: {category: risk}}\n«nook: remove",
        "this key stands twice in one mapping, first in line 1: nook",
    ),
}


@pytest.mark.parametrize(("text", "message"), SLIPS.values(), ids=SLIPS)
def test_a_slip_is_told_where_it_stands(tmp_path: Path, text: str, message: str) -> None:
    text, (place,) = marked(text)
    found = [line for line in said(tmp_path, {MORE: text}) if "error" in line]
    assert found == [f"mod/{MORE}:{place}: error: {message}"]


def test_an_item_that_is_a_mapping_is_removed_by_all_of_it(tmp_path: Path) -> None:
    there = {"maps/more.yaml": "attic: {add: {population: [{robot: sweeper, count: 3}]}}"}
    part = {"maps/less.yaml": "attic: {remove: {population: {robot: sweeper}}}"}
    whole = {"maps/less.yaml": "attic: {remove: {population: {robot: sweeper, count: 3}}}"}
    why = (
        "the edited list has no such item; write an item that is not a single word exactly as it stands there"
    )
    (told,) = [line for line in said(tmp_path / "a", there, part) if "error" in line]
    assert told == f"mod1/maps/less.yaml:1:30: error: map 'attic': {why}: {{robot: sweeper}}"
    assert laid(tmp_path / "b", there, whole).maps["attic"].population == ()


def test_all_slips_of_all_layers_are_told_at_once(tmp_path: Path) -> None:
    first = {MORE: "stor: remove\nnook: {change: {categry: risk}}", "prefabs/hall.xp": drawing("#")}
    second = {"world.yaml": "{start: attic/3}", "map.yaml": "", MORE: "store: {remove: lock}"}
    found = [line.split(": ")[0] for line in said(tmp_path, first, second)]
    assert found == [
        f"mod/{MORE}:1:1",
        f"mod/{MORE}:2:17",
        "mod/prefabs/hall.xp",
        f"mod1/{MORE}:1:17",
        "mod1/map.yaml",
        "mod1/world.yaml:1:1",
    ]


def test_a_drawing_of_a_prefab_that_is_there_must_be_asked_for(tmp_path: Path) -> None:
    files = {
        "prefabs/hall.xp": drawing("#"),
        "prefabs/shelf.xp": drawing("#"),
        ROOMS: "shelf: {add: {tags: a}}",
    }
    assert [line for line in said(tmp_path, files) if "error" in line] == [
        (
            "mod/prefabs/hall.xp: error: a prefab of this name is there already, in game/prefabs/hall.xp; "
            "to replace its drawing, write hall: {replace: drawing} in a file of prefabs/"
        ),
        (
            "mod/prefabs/shelf.xp: error: a prefab of this name is there already, in game/prefabs/shelves.yaml:1:1; "
            "to replace its drawing, write shelf: {replace: drawing} in a file of prefabs/"
        ),
    ]


def test_a_drawing_that_is_asked_for_must_be_there(tmp_path: Path) -> None:
    assert said(tmp_path, {ROOMS: "hall: {replace: drawing}"}) == [
        f"mod/{ROOMS}:1:17: error: prefab 'hall': this folder has no file prefabs/hall.xp: drawing"
    ]


def test_who_needs_what_is_removed_is_told_who_removes_it(tmp_path: Path) -> None:
    found = said(tmp_path, {ROOMS: "shelf: remove", "maps/more.yaml": "attic: remove"})
    prefab = f"there is no prefab or tag of this name any more; mod/{ROOMS}:1:1 removes it: shelf"
    attic = "there is no type of map of this name any more; mod/maps/more.yaml:1:1 removes it: attic"
    assert found == [
        f"game/encounters/rooms.yaml:3:20: error: encounter 'store': {prefab}",
        f"game/encounters/rooms.yaml:4:27: error: encounter 'store': {attic}",
        f"game/encounters/rooms.yaml:7:34: error: encounter 'nook': {prefab}",
        f"game/world.yaml:1:66: error: world: {attic.replace('type of map', 'map or branch')}",
    ]


def test_who_keeps_away_from_what_is_removed_is_told_who_removes_it(tmp_path: Path) -> None:
    den = "den: {category: risk, prefabs: store, maps: {cellars: 1}, far_from: {nook: 5}}"
    assert said(tmp_path, {"encounters/den.yaml": den}, {MORE: "nook: remove"}) == [
        (
            "mod/encounters/den.yaml:1:70: error: encounter 'den': there is no encounter or group of this name "
            f"any more; mod1/{MORE}:1:1 removes it: nook"
        )
    ]


def test_what_a_character_stands_for_is_removed_to_be_another_kind_of_object(tmp_path: Path) -> None:
    crate = "change: {legend: {C: {item: scrap}}}"
    (tmp_path / "a").mkdir()
    merged = said(tmp_path / "a", {ROOMS: f"store: {{{crate}}}"})
    assert [each.partition(" error: ")[2] for each in merged] == [
        "prefab 'store': an entry can name only one object, and 'prop' names one already: item"
    ]
    content = laid(tmp_path, {ROOMS: f"store: {{remove: {{legend: C}}, {crate}}}"})
    found = {thing.kind for thing in dungeon.sample_prefab(content, "store", seed=1).spawns}
    assert found == {"item", "prop"}


def test_what_is_removed_may_be_added_anew_by_a_later_mod_but_not_changed(tmp_path: Path) -> None:
    gone, new = {MORE: "nook: remove"}, "{category: risk, prefabs: hall, maps: {attic: 1}}"
    (tmp_path / "a").mkdir()
    assert laid(tmp_path / "a", gone, {MORE: f"nook: {new}"}).encounters["nook"].category == "risk"
    assert said(tmp_path, gone, {MORE: "nook: {change: {category: risk}}"}) == [
        (
            f"mod1/{MORE}:1:1: error: encounter 'nook': there is no encounter of this name in the content below any more; "
            f"mod/{MORE}:1:1 removes it: nook"
        )
    ]


def test_a_mod_alone_is_told_that_it_needs_content(tmp_path: Path) -> None:
    folder = mod(
        tmp_path,
        {MORE: "nook: {change: {maps: {attic: 1}}}\npen: {category: fluff, prefabs: hall, maps: {attic: 1}}"},
    )
    (problem,) = dungeon.examine_content(folder).problems
    assert str(problem).endswith(
        "more.yaml:1:1: error: encounter 'nook': this entry edits content below it, but there is none; "
        "name the content first, and then the mod"
    )


def test_folders_that_are_not_there_or_named_twice_are_all_told(tmp_path: Path) -> None:
    root, other = base(tmp_path), mod(tmp_path, {})
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(root, tmp_path / "no", other, other / "..", root / ".", other)
    assert [str(each).replace(f"{tmp_path}/", "") for each in caught.value.problems] == [
        "game: error: this folder is named twice",
        "mod: error: this folder is named twice",
        "no: error: there is no such folder",
    ]


def test_of_a_file_that_could_not_be_read_no_entry_is_missed(tmp_path: Path) -> None:
    first, second = {MORE: "pen: {category: fluff, maps: {"}, {MORE: "pen: {change: {category: risk}}"}
    (found,) = said(tmp_path, first, second)
    assert found.startswith(f"mod/{MORE}:1:1: error: this is not YAML")


def test_what_is_wrong_below_is_told_there_whatever_a_mod_says_of_it(tmp_path: Path) -> None:
    files = {"encounters/more.yaml": "odd: [1]", "prefabs/odd.yaml": "pen: [1]\nhut: {map: 5, tags: [a]}"}
    root = write_content(tmp_path / "game", {**BASE, **files})
    edits = {MORE: "odd: {change: {category: risk}}", ROOMS: "pen: {replace: drawing}\nhut: {add: {tags: b}}"}
    over = mod(tmp_path, {**edits, "prefabs/pen.xp": drawing("#")})
    errors = {str(each) for each in dungeon.examine_content(root).problems if each.severity == "error"}
    found = {str(each) for each in dungeon.examine_content(root, over).problems if each.severity == "error"}
    assert found == errors
    assert len(errors) == 3


# -- two mods -----------------------------------------------------------------------------------


def test_of_two_mods_that_differ_the_later_counts_and_both_places_are_told(tmp_path: Path) -> None:
    first = {
        MORE: "store: {change: {category: risk, maps: {attic: 5}}, add: {prefabs: hall}}\nnook: {change: {depth: 1..2}}"
    }
    second = {MORE: "store: {change: {category: danger, depth: 1..2}}\nnook: remove"}
    assert [line for line in said(tmp_path, first, second) if "mod" in line] == [
        (
            f"mod1/{MORE}:1:18: note: encounter 'store': another mod changes this too, in mod/{MORE}:1:18; the change here wins, because its mod is applied later: category"
        ),
        (
            f"mod1/{MORE}:2:1: note: encounter 'nook': another mod changes this too, in mod/{MORE}:2:17; the change here wins, because its mod is applied later"
        ),
    ]
    content = dungeon.load_content(tmp_path / "game", tmp_path / "mod", tmp_path / "mod1")
    assert (content.encounters["store"].category, content.encounters["store"].maps["attic"]) == ("danger", 5)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("store: {change: {category: risk}}", "store: {change: {category: risk}}"),
        ("store: {change: {maps: {attic: 5}}}", "store: {change: {limit: {map: 3}}}"),
        ("store: {add: {prefabs: hall}}", "store: {add: {prefabs: hall}}"),
        ("store: {change: {prefabs: [shelf, store]}}", "store: {add: {prefabs: hall}}"),
        ("store: {add: {prefabs: hall}}", "store: {remove: {prefabs: shelf}, add: {prefabs: shelf}}"),
    ],
    ids=["the same", "another key", "the same item", "a list that grows", "other items"],
)
def test_mods_that_do_not_differ_get_along(tmp_path: Path, first: str, second: str) -> None:
    assert said(tmp_path, {MORE: first}, {MORE: second}) == []


@pytest.mark.parametrize(
    ("first", "second", "part"),
    [
        ("store: {add: {prefabs: hall}}", "store: {change: {prefabs: [store, shelf]}}", ": prefabs"),
        ("store: {remove: depth}", "store: {change: {depth: 3}}", ": depth"),
        ("store: {change: {limit: {map: 5}}}", "store: {remove: limit}", ": limit"),
        ("store: {add: {prefabs: hall}}", "store: {remove: {prefabs: [hall]}}", ": prefabs"),
        ("store: {remove: {prefabs: store}}", "store: {add: {prefabs: [hall, store]}}", ": prefabs"),
        (
            "store: {change: {limit: {map: 5}}}",
            "store: {replace: {category: risk, prefabs: [store, shelf], maps: {cellars: common}}}",
            "",
        ),
    ],
    ids=["a list", "what is removed", "what is within", "an item", "an item that was removed", "all of it"],
)
def test_what_a_later_mod_undoes_is_told(tmp_path: Path, first: str, second: str, part: str) -> None:
    (found,) = said(tmp_path, {MORE: first}, {MORE: second})
    assert f"note: encounter 'store': another mod changes this too, in mod/{MORE}:1:" in found
    assert found.endswith(f"the change here wins, because its mod is applied later{part}")


# -- where it all comes from --------------------------------------------------------------------

EDITS = {MORE: "store:\n  change: {maps: {cellars: 500}}\n  remove: depth\n  add: {prefabs: hall}"}


def test_content_tells_which_layers_had_a_say(tmp_path: Path) -> None:
    content = laid(
        tmp_path, EDITS, {MORE: "nook: {replace: {category: risk, prefabs: hall, maps: {attic: 1}}}"}
    )
    assert content.folder == str(tmp_path / "game")
    assert content.layers == tuple(str(tmp_path / name) for name in ("game", "mod", "mod1"))
    assert {name: tuple(map(str, each)) for (_, name), each in content.changes.items()} == {
        "store": (f"changed in {tmp_path}/mod/{MORE}:1:1: depth, maps.cellars, prefabs",),
        "nook": (f"in place of {tmp_path}/game/encounters/rooms.yaml:7:1",),
    }
    assert str(content.sources["encounter", "store"]) == f"{tmp_path}/game/encounters/rooms.yaml:1:1"
    again = pickle.loads(pickle.dumps(content))
    assert (again.layers, again.changes) == (content.layers, content.changes)


def test_why_tells_which_layers_had_a_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    maps = {"maps/more.yaml": "cellars: {change: {encounters: 1}}"}
    call = ["why", "cellars/1", "--data", str(base(tmp_path)), "--mod", str(mod(tmp_path, {**EDITS, **maps}))]
    assert main(call) == 0
    assert f"  changed in {tmp_path}/mod/maps/more.yaml:1:1: encounters\n" in capsys.readouterr().out
    call.insert(2, "store")
    assert main(call) == 0
    assert f"  changed in {tmp_path}/mod/{MORE}:1:1: depth, " in capsys.readouterr().out
    assert main([*call, "--json"]) == 0
    (case,) = json.loads(capsys.readouterr().out)["encounters"]
    assert case["changes"] == [
        {"source": f"{tmp_path}/mod/{MORE}:1:1", "keys": ["depth", "maps.cellars", "prefabs"]}
    ]


def test_explain_tells_the_layer_of_each_character(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        ROOMS: "store: {change: {legend: {C: {chance: 50%}}}, add: {legend: {'.': grass}}}",
        "legends/more.yaml": "boxes: {change: {B: {prop: crate}}}",
        "prefabs/other.yaml": "hall: {add: {tags: a}}",
    }
    root, over = base(tmp_path), mod(tmp_path, files)
    assert main(["explain", "store", "--data", str(root), "--mod", str(over)]) == 0
    lines = capsys.readouterr().out.replace(f"{tmp_path}/", "").splitlines()
    assert lines[0].startswith("store: prefab, 4x3, game/prefabs/rooms.yaml:1:1;")
    assert lines[1] == f"  changed in mod/{ROOMS}:1:1: legend.C.chance, legend.."
    told = "\n".join(lines)
    assert f"[its own legend, game/prefabs/rooms.yaml:7:5, changed in mod/{ROOMS}:1:1]" in told
    assert f"chance: 50%  [mod/{ROOMS}:1:31]" in told
    assert f"[its own legend, mod/{ROOMS}:1:62]" in told
    assert "[legend boxes, game/legends/boxes.yaml:2:3, changed in mod/legends/more.yaml:1:1]" in told


def test_a_problem_in_an_edited_drawing_is_told_in_the_right_file(tmp_path: Path) -> None:
    edit = "store:\n  change:\n    map: |\n      C..C\n      ..\n  add: {legend: {Q: {prop: crat}}}\n"
    assert [line.split(": error")[0] for line in said(tmp_path, {ROOMS: edit})] == [
        f"mod/{ROOMS}:5:9",
        f"mod/{ROOMS}:6:28",
    ]


# -- cache --------------------------------------------------------------------------------------


def told(content: Content) -> list[object]:
    """Return what can be compared of content."""
    levels = [dungeon.World(content, seed=3).level(name) for name in ("cellars/1", "cellars/2")]
    return [content.sources, content.changes, content.layers, content.encounters, content.world, levels]


def test_a_cache_gives_what_the_folders_give(tmp_path: Path) -> None:
    root, cache = base(tmp_path), tmp_path / "cache"
    replaced = "hall: {replace: drawing}\nshelf: {replace: {map: '..'}}"
    one = mod(tmp_path, {**EDITS, ROOMS: replaced, "prefabs/hall.xp": drawing("...")})
    two = mod(tmp_path, {MORE: "nook: remove", "world.yaml": "add: {leads_to: {cellars/1: attic/3}}"}, "two")
    fresh = told(dungeon.load_content(root, one, two))
    for _ in range(2):
        assert told(dungeon.load_content(root, one, two, cache=cache)) == fresh
    assert told(dungeon.load_content(root, cache=cache)) == told(dungeon.load_content(root))
    (two / MORE).write_text("nook: {change: {category: risk}}")
    assert dungeon.load_content(root, one, two, cache=cache).encounters["nook"].category == "risk"
    (one / MORE).rename(two / "encounters" / "moved.yaml")
    moved = dungeon.load_content(root, one, two, cache=cache)
    assert moved.changes["encounter", "store"][0].source.file == str(two / "encounters" / "moved.yaml")


# -- levels -------------------------------------------------------------------------------------

MAPS = ("galleries/1", "cisterns/2", "furrings/3", "leaf_house/4", "tally_house/3")
TEA = {
    "tea_break": {
        "category": "fluff",
        "prefabs": ["store_bins", "alcove"],
        "maps": {"galleries": "plentiful", "cisterns": "plentiful", "furrings": 30, "leaf_house": 30},
    }
}


def levels(content: Content, seed: int) -> list[str]:
    """Return a few levels of a world."""
    world = dungeon.World(content, seed=seed)
    return [dungeon.to_json(world.level(map_id)) for map_id in MAPS]


def test_an_empty_mod_changes_nothing(tmp_path: Path) -> None:
    files = {MORE: "# nothing\n", "weights.yaml": "", "README.md": "A mod."}
    over = dungeon.load_content(data_folder(), mod(tmp_path, files))
    assert levels(over, 1) == levels(demo_content(), 1)
    assert (over.sources, over.changes) == (demo_content().sources, {})


def test_a_mod_changes_what_the_same_edit_of_the_content_does(tmp_path: Path) -> None:
    folder = tmp_path / "copied"
    for path in data_folder().rglob("*.*"):
        place = folder / path.relative_to(data_folder())
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
    (folder / "encounters" / "added.yaml").write_text(to_yaml(TEA))
    weights = folder / "weights.yaml"
    weights.write_text(weights.read_text().replace("rare: 1", "rare: 2"))
    edited = dungeon.load_content(folder)
    files = {"encounters/zz.yaml": to_yaml(TEA), "weights.yaml": "change: {rare: 2}"}
    over = dungeon.load_content(data_folder(), mod(tmp_path, files))
    plain = demo_content()
    assert levels(over, 2) == levels(edited, 2) != levels(plain, 2)


def test_the_order_within_a_mod_does_not_matter(tmp_path: Path) -> None:
    entries = [
        "nook: {change: {maps: {attic: common}}}",
        "pen: {category: risk, prefabs: hall, maps: {cellars: 30}}",
        "coop: {category: risk, prefabs: shelf, maps: {cellars: 30}}",
    ]
    one = mod(tmp_path, {"encounters/a.yaml": "\n".join(entries)}, "one")
    other = mod(
        tmp_path,
        {f"encounters/{name}.yaml": entry for name, entry in zip("xyz", reversed(entries), strict=True)},
        "other",
    )
    root = base(tmp_path)
    worlds = [dungeon.World(dungeon.load_content(root, each), seed=5) for each in (one, other)]
    for node in worlds[0].maps:
        assert worlds[0].level(node.id) == worlds[1].level(node.id)


# -- the commands -------------------------------------------------------------------------------


def test_commands_take_mods(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, over = str(base(tmp_path)), str(mod(tmp_path, {ROOMS: "shelf: {change: {map: 'BB.'}}"}))
    with_mod = ["--data", root, "--mod", over]
    for call in (["check", root, over], ["check", root, "--mod", over], ["check", *with_mod]):
        main(call)
        assert capsys.readouterr().out.splitlines()[-1].startswith(f"{root} + {over}: ")
    assert main(["show", "shelf", *with_mod]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "00. "
    assert main(["export", "shelf", *with_mod, "--to", str(tmp_path / "shelf.yaml")]) == 0
    assert "BB." in (tmp_path / "shelf.yaml").read_text()
    capsys.readouterr()
    main(["check", *with_mod, "--json"])
    assert json.loads(capsys.readouterr().out)["mods"] == [over]


def test_the_demo_takes_mods(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    over = mod(tmp_path, {MORE: "nok: remove"})
    assert demo(["--data", str(base(tmp_path)), "--mod", str(over)]) == 2
    assert f"{over}/{MORE}:1:1: error: encounter 'nok': " in capsys.readouterr().err


def test_a_mod_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = base(tmp_path)
    assert main(["check", str(content), str(tmp_path / "mood")]) == 2
    assert f"there is no folder '{tmp_path / 'mood'}'" in capsys.readouterr().err
