"""Whole levels of caves: encounters in the middle, in the wall and scattered, proved and undisturbed."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn import OBJECTS, load

import dungeon
from dungeon import Phase, Rect, Step
from dungeon import terrain as t
from dungeon.extend import CAVES, Parameters, forgotten_afterwards
from dungeon.grid.regions import bounds_of, components

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dungeon import Canvas, Content, LayoutJob
    from dungeon.extend import Stream

PITCH = 24
"""The caves of the test layout lie in squares of so many cells."""


class HollowsParams(Parameters):
    """Nothing to set."""


def hollows(canvas: Canvas, params: HollowsParams, job: LayoutJob) -> Iterator[Step]:
    """A cave in each square, and a tunnel from each to the next one, row by row there and back."""
    stream = job.streams.stream("layout", "hollows", job.attempt)
    squares = [
        Rect(y, x, PITCH, PITCH)
        for row, y in enumerate(range(0, canvas.height - PITCH + 1, PITCH))
        for x in list(range(0, canvas.width - PITCH + 1, PITCH))[:: 1 if row % 2 == 0 else -1]
    ]
    centers = []
    for square in squares:
        cells = _hollow(stream)
        ys, xs = np.nonzero(cells)
        region = canvas.add_region("cave", Rect(0, 0, 1, 1))
        for y, x in zip(ys.tolist(), xs.tolist(), strict=True):
            canvas.carve(Rect(square.y + y, square.x + x, 1, 1), t.CAVE, region)
        canvas.set_bounds(region, bounds_of(canvas.region == region))
        centers.append((square.y + int(ys[len(ys) // 2]), square.x + int(xs[len(xs) // 2])))
    for here, there in pairwise(centers):
        _tunnel(canvas, here, there)
    canvas.build_walls()
    yield Step(Phase.LAYOUT, f"{len(squares)} caves", canvas)


def _hollow(stream: Stream) -> np.ndarray:
    """Return the largest piece of a cellular automaton, well inside a square."""
    cells = np.zeros((PITCH, PITCH), np.bool_)
    for y in range(4, PITCH - 4):
        for x in range(4, PITCH - 4):
            cells[y, x] = stream.chance(0.62)
    for _ in range(3):
        padded = np.pad(cells, 1)
        near = sum(
            padded[1 + a : 1 + a + PITCH, 1 + b : 1 + b + PITCH] for a in (-1, 0, 1) for b in (-1, 0, 1)
        )
        cells = near >= 5
    labels, _ = components(cells)
    return labels == np.bincount(labels[labels > 0]).argmax()


def _tunnel(canvas: Canvas, here: tuple[int, int], there: tuple[int, int]) -> None:
    """Dig from one cell to another, along a row and then a column."""
    (y, x), (down, across) = here, there
    way = [(y, each) for each in range(min(x, across), max(x, across) + 1)]
    way += [(each, across) for each in range(min(y, down), max(y, down) + 1)]
    dug = [cell for cell in way if not canvas.open[cell]]
    tunnel = canvas.add_region("corridor", Rect(*dug[0], 1, 1))
    for cell in dug:
        canvas.carve(Rect(*cell, 1, 1), t.CORRIDOR, tunnel)
    canvas.set_bounds(tunnel, bounds_of(canvas.region == tunnel))


GAME = {
    **OBJECTS,
    "prefabs/caves.yaml": """
        post:
          map: |
            ##+##
            #...#
            +.g.+
            #...#
            ##+##
          legend: {g: {robot: {class: guard}}}
        niche:
          map: |
            ?###?
            ##1##
            #...#
            .....
          legend: {1: {item: scrap}}
          max_protrusion: 2
        plan:
          map: |
            ??#..##
            ?.....?
            ...C...
          legend: {C: {prop: crate}}
          max_protrusion: 3
        """,
    "encounters/caves.yaml": """
        outpost: {category: danger, prefabs: post, placing: {centered: {buffer: 1..2, drift: 3}}, maps: {deep: 2}}
        cache: {category: reward, prefabs: [niche, plan], placing: embedded, maps: {deep: 4}}
        lair:
          category: risk
          prefabs: niche
          placing: embedded
          maps: {deep: 2}
          spawns: false
          content: [{item: {class: aid}, count: 2}]
        spill:
          category: fluff
          placing: free
          maps: {deep: 2}
          content: [{debris: ash, count: 5..8}, {prop: {class: stone}, count: 3}]
        """,
    "maps/deep.yaml": """
        deep:
          name: The Deep
          size: 100x60
          layout: hollows
          encounters: 5
          population:
            - {robot: {class: worker}, count: 20}
            - {item: scrap, count: 30}
        """,
    "world.yaml": "start: deep/2\nleads_to: {deep/2: [deep/3]}\n",
}


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Content]:
    with forgotten_afterwards():
        dungeon.register_layout("hollows", HollowsParams, hollows, kinds=CAVES)
        yield load(tmp_path_factory.mktemp("caves"), GAME)


@pytest.fixture(scope="module")
def levels(content: Content) -> list[dungeon.Level]:
    """Return some levels."""
    return [dungeon.World(content, seed).level("deep/2") for seed in range(25)]


def test_levels_of_caves_are_filled_and_proved(levels: list[dungeon.Level]) -> None:
    modes = Counter(each.mode for level in levels for each in level.placements)
    assert modes.keys() == {"centered", "embedded", "free"}
    assert min(modes.values()) > 5
    for level in levels:
        assert dungeon.prove(level) == []
        assert len(level.placements) == 5
        caves = [level.regions[each.region - 1] for each in level.placements]
        assert len({cave.id for cave in caves}) == 5
        assert {cave.kind for cave in caves} == {"cave"}


def test_content_is_scattered_over_the_cave_and_population_keeps_off_where_an_encounter_says_so(
    levels: list[dungeon.Level],
) -> None:
    scattered = {True: 0, False: 0}
    for level in levels:
        for index, placement in enumerate(level.placements):
            own = [spawn for spawn in level.spawns if spawn.placement == index]
            others = [
                spawn
                for spawn in level.spawns
                if spawn.placement is None and level.region[spawn.y, spawn.x] == placement.region
            ]
            assert not any(placement.prefab and placement.bounds.contains(each.y, each.x) for each in others)
            if placement.encounter == "spill":
                tags = Counter(spawn.kind for spawn in own)
                assert 5 <= tags["debris"] <= 8
                assert tags["prop"] == 3
                assert all(level.region[each.y, each.x] == placement.region for each in own)
            if placement.encounter in ("lair", "spill"):
                assert others == []
            if placement.encounter == "lair":
                assert sum(spawn.tag != "scrap" for spawn in own) == 2
            scattered[placement.encounter in ("cache", "outpost")] += len(others)
    assert scattered[True] > 0
    assert scattered[False] == 0


def test_steps_and_order_make_no_difference(content: Content, levels: list[dungeon.Level]) -> None:
    world = dungeon.World(content, 3)
    *_, last = world.steps("deep/2")
    level = levels[3]
    assert np.array_equal(last.canvas.terrain, level.terrain)
    assert dungeon.to_json(world.level("deep/2")) == dungeon.to_json(level)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{category: risk, maps: {deep: 2}}", "an encounter that is placed enclosed needs 'prefabs'"),
        (
            "{category: risk, maps: {deep: 2}, placing: free, prefabs: post, content: [{item: scrap}]}",
            "an encounter that is placed free has no prefabs, only 'content'",
        ),
        (
            "{category: risk, maps: {deep: 2}, placing: free}",
            "an encounter that is placed free needs 'content'",
        ),
        (
            "{category: risk, maps: {deep: 2}, prefabs: post, placing: {enclosed: {doors: shut}}}",
            "this value is not allowed here",
        ),
        (
            "{category: risk, maps: {deep: 2}, prefabs: post, placing: {centered: {buffer: 1..40}}}",
            "this number must lie between 0 and 20",
        ),
    ],
)
def test_what_an_encounter_lacks_is_said(content: Content, entry: str, message: str, tmp_path: Path) -> None:
    files = {**GAME, "encounters/wrong.yaml": f"wrong: {entry}\n"}
    with pytest.raises(dungeon.ContentError) as caught:
        load(tmp_path, files)
    (problem,) = caught.value.problems
    assert problem.message.startswith(message)
    assert problem.source.file.endswith("encounters/wrong.yaml")
    assert problem.source.line == 1


def test_checks_know_what_fits_into_caves(content: Content, tmp_path: Path) -> None:
    files = {
        **GAME,
        "prefabs/wrong.yaml": """
            shut: {map: "...\\n###", tags: wrong}
            flat: {map: "...", tags: wrong}
            ragged: {map: "?..\\n..."}
            solid: {map: "###\\n#.#\\n###"}
            """,
        "encounters/wrong.yaml": """
            one: {category: risk, maps: {deep: 2}, prefabs: wrong, placing: embedded}
            two: {category: risk, maps: {deep: 2}, prefabs: [ragged, solid], placing: centered}
            three: {category: risk, maps: {deep: 2}, prefabs: post, placing: cubby}
            """,
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    warnings = [each for each in dungeon.examine_content(tmp_path).problems if each.severity == "warning"]
    expected = [
        "the layout hollows of map deep makes no rooms in which encounters could be placed; the placing mode 'cubby' needs them",
        "no cell of its south edge, which is its front, can be walked on",
        "it has one row, and its front stands in the cave, so that none is left to lie in the wall",
        "no cell of its edge can be walked on, so that it can't be entered",
    ]
    assert len(warnings) == len(expected)
    for message in expected:
        assert sum(each.message.endswith(message) for each in warnings) == 1
