"""Rolls of single prefabs: reproducible, in the requested orientation, and filled as levels are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from content_files import write_content

import dungeon
from dungeon import terrain as t
from dungeon.authoring.sample import Sampler
from dungeon.authoring.uses import uses_of

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Content

PREFABS = """\
    alcove:
      map: |
        C.s
        ?~?
      legend:
        C: {prop: crate}
        s: {robot: {class: worker}}
      orientations: [r0, r90, m0]
      tags: [nooks]
    hall:
      map: |
        SSS
        SSS
        ...
      vary:
        - {fit: S, prefabs: nooks, otherwise: "#"}
    lonely:
      map: |
        ##
        sC
      legend:
        s: {robot: {class: worker}}
        C: {prop: {crate: 1, barrel: 1}}
      orientations: [r180, r270]
    wall:
      map: |
        #.
      references: |
        C
      legend:
        C: {prop: crate}
    dice:
      map: |
        bbbbbbbbbbbb
      legend:
        b: {prop: {crate: 1, barrel: 1}, chance: 50%, unique: true}
    """


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    return load(tmp_path_factory.mktemp("data"))


def load(folder: Path) -> Content:
    files = {
        "prefabs/more.yaml": PREFABS,
        "world.yaml": "start: cellars/3\nleads_to: {cellars/3: [cellars/2], cellars/2: [pit/7]}\n",
        "maps/pit.yaml": "pit: {name: Pit, layout: {static: {prefab: hall}}}\n",
        "encounters/more.yaml": """\
            nook: {category: fluff, prefabs: nooks, maps: {cellars: common, pit: 0}, depth: 1..8}
            deep: {category: fluff, prefabs: dice, maps: {cellars: common}, depth: 4..9}
            """,
        "objects/robots.yaml": """\
            sweeper: {name: sweeper, glyph: s, class: worker}
            loader: {name: loader, glyph: l, class: worker, depth: 3}
            """,
    }
    return dungeon.load_content(write_content(folder, files))


def test_a_sample_is_the_drawing_with_its_objects(content: Content) -> None:
    sample = dungeon.sample_prefab(content, "alcove", depth=1)
    assert dungeon.to_text(sample) == '=.s\n?"?\n'
    assert [(each.tag, each.y, each.x, each.cells) for each in sample.spawns] == [
        ("crate", 0, 0, ((0, 0),)),
        ("sweeper", 0, 2, ((0, 2),)),
    ]
    assert sample.terrain.tolist()[1] == [t.KEEP, content.terrain_set.code("grass"), t.KEEP]
    assert sample.journal == ()


@pytest.mark.parametrize(
    ("orientation", "picture"),
    [
        (None, '=.s\n?"?\n'),
        ("r90", '?=\n".\n?s\n'),
        ("m0", 's.=\n?"?\n'),
        (dungeon.Orientation.M0, 's.=\n?"?\n'),
    ],
)
def test_it_lies_as_asked(content: Content, orientation: str | None, picture: str) -> None:
    sample = dungeon.sample_prefab(content, "alcove", orientation=orientation, depth=1)
    assert dungeon.to_text(sample) == picture


def test_the_first_permitted_orientation_is_the_default_if_not_as_drawn(content: Content) -> None:
    sample = dungeon.sample_prefab(content, "lonely")
    assert (sample.orientation.label, dungeon.to_text(sample)[-3:]) == ("r180", "##\n")


def test_orientations_that_are_not_permitted_are_refused_with_those_that_are(content: Content) -> None:
    with pytest.raises(
        ValueError, match="the prefab 'lonely' can't have the orientation r90; it permits r180, r270"
    ):
        dungeon.sample_prefab(content, "lonely", orientation="r90")
    with pytest.raises(
        ValueError, match="the prefab 'alcove' can't have the orientation upside down; it permits r0, r90, m0"
    ):
        dungeon.sample_prefab(content, "alcove", orientation="upside down")


def test_an_unknown_prefab_is_answered_with_the_nearest(content: Content) -> None:
    with pytest.raises(KeyError, match=r"there is no prefab 'alcova' \(did you mean alcove\?\)"):
        dungeon.sample_prefab(content, "alcova")
    with pytest.raises(KeyError, match="there is no prefab 'xxxxxxxx'\""):
        dungeon.sample_prefab(content, "xxxxxxxx")


def test_a_sample_depends_on_its_arguments_and_on_nothing_else(content: Content) -> None:
    def rolled(source: Content, number: int, seed: int = 5) -> str:
        return dungeon.to_text(dungeon.sample_prefab(source, "dice", seed=seed, number=number))

    forth = [rolled(content, number) for number in range(8)]
    back = [rolled(content, number) for number in reversed(range(8))]
    assert forth == back[::-1]
    assert len(set(forth)) == 8
    assert rolled(content, 0, seed=6) != forth[0]
    sampler = Sampler(content)
    assert [dungeon.to_text(sampler.sample("dice", seed=5, number=each)) for each in range(8)] == forth


def test_one_number_is_one_variant_in_all_orientations(content: Content) -> None:
    for number in range(6):
        drawn, turned = (
            dungeon.sample_prefab(content, "hall", number=number, orientation=each).terrain
            for each in ("r0", "r90")
        )
        assert np.array_equal(np.rot90(drawn, -1), turned)


def test_the_default_depth_is_the_lowest_of_its_uses(content: Content) -> None:
    # The world has cellars at depths 2 and 3, and the pit, whose map is the hall with a nook in it, at 7.
    depths = {
        name: dungeon.sample_prefab(content, name).depth for name in ("alcove", "hall", "lonely", "dice")
    }
    assert depths == {"alcove": 2, "hall": 7, "lonely": 1, "dice": 1}
    assert dungeon.sample_prefab(content, "alcove", depth=3).spawns[1].tag == "loader"
    assert dungeon.sample_prefab(content, "alcove").spawns[1].tag == "sweeper"


def test_uses_of_a_prefab_are_found_with_their_maps(content: Content) -> None:
    found = [(each.kind, each.name, each.maps) for each in uses_of(content, "alcove")]
    assert found == [
        ("encounter", "nook", ((2, "cellars/2"), (3, "cellars/3"))),
        ("prefab", "hall", ((7, "pit/7"),)),
    ]
    assert [(each.kind, each.name, each.maps) for each in uses_of(content, "dice")] == [
        ("encounter", "deep", ())
    ]
    assert [str(each.source).rsplit("/", 1)[1] for each in uses_of(content, "hall")] == ["pit.yaml:1:1"]


def test_refused_objects_are_in_the_journal(content: Content) -> None:
    sample = dungeon.sample_prefab(content, "wall")
    assert sample.spawns == ()
    assert [str(each) for each in sample.journal] == [
        "[populate] wall:C (crate): refused, it would stand in wall"
    ]


def test_things_shift_within_the_drawing_only(tmp_path: Path) -> None:
    prefab = 'room: {map: "?C?", legend: {C: {prop: crate, shift: [9, 9]}}}\n'
    content = dungeon.load_content(write_content(tmp_path, {"prefabs/more.yaml": prefab}))
    sampler = Sampler(content)
    seen = {dungeon.to_text(sampler.sample("room", number=number)) for number in range(60)}
    assert seen == {"=.?\n", "?=?\n", "?.=\n"}


def test_the_console_shows_kept_cells_as_faint_question_marks(content: Content) -> None:
    console = dungeon.to_console(dungeon.sample_prefab(content, "alcove", depth=1))
    assert ["".join(map(chr, row)) for row in console.ch.tolist()] == ["=.s", '?"?']
    assert console.fg[1, 0].tolist() == [72, 72, 80]
    assert dungeon.to_image(dungeon.sample_prefab(content, "alcove")).shape == (16, 24, 4)
