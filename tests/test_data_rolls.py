"""Every prefab in `data/`, rolled 24 times over all its orientations: does it keep what it says?

The rules and the method for shares are in `rolled.py`. Orientations that look like another one are never used by the
game, so they are not rolled.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from content_files import write_content
from demo import demo_content
from rolled import Judge, surprise

import dungeon
from dungeon.authoring.sample import Sampler
from dungeon.content.prefab.variation import ExactlyEntry
from dungeon.core.streams import Lot
from dungeon.extend import Constant, Stream
from dungeon.generation.populate.populator import Populator

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dungeon import Content
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.content.prefab.template import Template
    from dungeon.extend import Drawing

CONTENT = demo_content()
NAMES = sorted(CONTENT.prefabs)
ROLLS = 24
"""Rolls of each prefab of `data/`. They are shared by its orientations, at most eight: each gets three rolls or more."""


@pytest.mark.parametrize("name", NAMES)
def test_rolls_over_all_orientations_keep_what_is_declared(name: str) -> None:
    judge, broken = rolled(CONTENT, name, ROLLS)
    assert judge.broken + broken == []
    assert judge.doubts(len(NAMES)) == []


def rolled(content: Content, name: str, rolls: int = 1600) -> tuple[Judge, list[str]]:
    """Roll a prefab in all orientations, and return the judge of it with what is wrong with exact counts."""
    sampler, judge, broken = Sampler(content), Judge(content), []
    prefab = content.prefabs[name]
    counts = list(exact_counts(prefab))
    for number in range(rolls):
        orientation = prefab.orientations[number * len(prefab.orientations) // rolls]
        sample = sampler.sample(name, number=number, orientation=orientation)
        judge.look(sample)
        for char, allowed in counts:
            there = number_of(char, prefab, sample.drawing)
            if there not in allowed:
                broken.append(f"{name} {number}: {there} cells of {char!r}, not one of {sorted(allowed)}")
    return judge, broken


# -- exactly so many ----------------------------------------------------------------------------


def exact_counts(prefab: Prefab) -> Iterator[tuple[str, set[int]]]:
    """Yield characters of which a step makes an exact number, where a drawing shows how many there are."""
    template = prefab.template
    for number, step in enumerate(template.steps):
        if not isinstance(step, ExactlyEntry) or not isinstance(step.become, Constant):
            continue
        char = step.become.value
        others = [each for place, each in enumerate(template.steps) if place != number]
        made_elsewhere = any(char == result for each in others for result, _ in each.results())
        kept = step.otherwise is None or char not in set(step.otherwise.outcomes())
        touched = any(char in each.sources for each in template.steps)
        if kept and not made_elsewhere and not touched and is_plain_to_see(char, template):
            drawn = sum(loose.char == char for loose in template.loose)
            low, high = min(step.exactly.outcomes()), max(step.exactly.outcomes())
            yield char, {drawn + count for count in range(low, high + 1)}


def is_plain_to_see(char: str, template: Template) -> bool:
    """Tell whether a cell with this character looks different from cells with any other that may be there."""
    return looks(char, template)[0] is not None and all(
        looks(char, template) != looks(other, template) for other in may_be(template) - {char}
    )


def may_be(template: Template) -> set[str]:
    """Return all characters that loose cells may have in the end."""
    results = {char for step in template.steps for char, _ in step.results()}
    return results | {loose.char for loose in template.loose}


def looks(char: str, template: Template) -> tuple[int | None, str]:
    """Return the terrain that a character of the map stands for, if that is sure, and the object's character."""
    reading = template.read(char, above=False, parameters={})
    code = reading.certain if isinstance(reading.codes, Constant) else None
    return code, char if reading.symbols else ""


def number_of(char: str, prefab: Prefab, drawing: Drawing) -> int:
    """Return how many of the loose cells look like this character; of those above the map, by what stands on them."""
    code, stands = looks(char, prefab.template)
    here = {(each.y, each.x): each.char for each in drawing.references if each.part == 0}
    found = 0
    for loose in prefab.template.loose:
        cell = drawing.orientation.turn_cell(loose.y, loose.x, prefab.height, prefab.width)
        is_ground = not loose.above or not stands
        found += here.get(cell, "") == stands and (not is_ground or bool(drawing.terrain[cell] == code))
    return found


# -- is the judge awake? ------------------------------------------------------------------------

GALLERY = """\
    gallery:
      map: |
        AA.B.C.
        A..b.bb
        xxxxxxx
        #......
      legend:
        A: {prop: {crate: 1, barrel: 3}}
        B: {prop: crate, group: one, weight: 3}
        C: {prop: crate, group: one, weight: 1}
        b: {prop: {crate: 1, barrel: 1}, unique: true, chance: 40%}
        k: {prop: barrel}
      vary:
        - {exactly: 2, of: x, become: k, otherwise: "."}
    """


@pytest.fixture
def gallery(tmp_path: Path) -> Content:
    return dungeon.load_content(write_content(tmp_path, {"prefabs/more.yaml": GALLERY}))


def test_an_honest_prefab_is_believed_claim_by_claim(gallery: Content) -> None:
    judge, broken = rolled(gallery, "gallery")
    assert (judge.broken, broken, judge.doubts()) == ([], [], [])
    declared = {f"{claim.source} {claim.what}": likely for claim, likely in judge.declared.items()}
    assert declared == {
        "gallery:A is there": 1,
        "gallery:A is crate": 0.25,
        "gallery:A is barrel": 0.75,
        "gallery:B is there": 1,
        "gallery:B is crate": 1,
        "gallery:B is chosen from gallery:B gallery:C": 0.75,
        "gallery:C is there": 1,
        "gallery:C is crate": 1,
        "gallery:C is chosen from gallery:B gallery:C": 0.25,
        "gallery:b is there": 0.4,
        "gallery:b is crate": 0.5,
        "gallery:b is barrel": 0.5,
        "gallery:k is there": 1,
        "gallery:k is barrel": 1,
    }
    assert list(exact_counts(gallery.prefabs["gallery"])) == [("k", {2})]


def test_a_wrong_chance_is_noticed(gallery: Content, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stream, "chance", lambda self, share: self.random() < share * 1.1)
    judge, _ = rolled(gallery, "gallery")
    assert [doubt.split(":", 2)[1] for doubt in judge.doubts(len(NAMES))] == ["b is there"]


def test_wrong_weights_are_noticed(gallery: Content, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lot, "draw", lambda self, stream: stream.pick([each for each, _ in self._pairs]))
    judge, _ = rolled(gallery, "gallery")
    assert [doubt.split(": ")[0] for doubt in judge.doubts(len(NAMES))] == [
        "gallery:A is barrel",
        "gallery:A is crate",
        "gallery:B is chosen from gallery:B gallery:C",
        "gallery:C is chosen from gallery:B gallery:C",
    ]


def test_a_broken_group_and_a_broken_chain_are_noticed(
    gallery: Content, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampler = Sampler(gallery)
    monkeypatch.setattr(
        "dungeon.generation.populate.populator.chains", lambda references: [[each] for each in references]
    )
    judge = Judge(gallery)
    for number in range(20):
        judge.look(sampler.sample("gallery", number=number))
    assert "gallery:A is ['barrel', 'crate'] in one chain" in judge.broken[0]
    monkeypatch.undo()

    monkeypatch.setattr(Populator, "_left_out", lambda *_: set())
    judge = Judge(gallery)
    judge.look(sampler.sample("gallery"))
    assert judge.broken == ["gallery r0 0: group one: both gallery:B and gallery:C came true"]


def test_a_reference_in_a_wall_is_noticed(tmp_path: Path) -> None:
    prefab = 'nook: {map: "#.", references: "C", legend: {C: {prop: crate}}}\n'
    content = dungeon.load_content(write_content(tmp_path, {"prefabs/more.yaml": prefab}))
    judge, _ = rolled(content, "nook")
    assert judge.broken[0] == "nook r0 0: nook:C at (0, 0) stands in a wall"


def test_a_wrong_number_is_noticed(gallery: Content, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExactlyEntry, "apply", lambda step, sheet, stream: sheet.chars.__setitem__(0, "k"))
    _, broken = rolled(gallery, "gallery")
    assert broken[0] == "gallery 0: 1 cells of 'k', not one of [2]"


@pytest.mark.parametrize("likely", [0.02, 0.3, 0.5, 0.97])
def test_the_bound_holds_for_the_binomial_distribution(likely: float) -> None:
    # The exact tail never exceeds the bound: summed here for n = 60.
    of = 60
    weight = [math.comb(of, k) * likely**k * (1 - likely) ** (of - k) for k in range(of + 1)]
    for count in range(of + 1):
        least = math.exp(-surprise(count, of, likely))
        far = sum(weight[: count + 1]) if count / of < likely else sum(weight[count:])
        assert far <= least + 1e-12
