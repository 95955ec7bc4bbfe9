"""The steps under `vary`: what they do to a drawing, and what is known about it before."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from drawn import prefab as always
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from rolling import game, is_likely, rolls, said, shown

from dungeon.content.prefab.variation import CellTally, ExactlyEntry, FitEntry, StepEntry, Steps
from dungeon.extend import Stream

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dungeon.content.prefab.prefab import Prefab


def room(folder: Path, drawn: str, *steps: str, more: str = "") -> Prefab:
    """Return a prefab with that map (rows parted by /) and these steps; C is a crate, ~ water, 1 scrap."""
    return game(folder, written(drawn, *steps, more=more)).prefabs["room"]


def written(drawn: str, *steps: str, more: str = "") -> str:
    lines = ["room:", "  map: |2", *(f"    {row}" for row in drawn.split("/"))]
    lines += ['  legend: {C: {prop: crate}, 1: {item: scrap}, "~": water}', "  vary:"]
    lines += [f"    - {step}" for step in steps]
    return "\n".join([*lines, *more.splitlines()]) + "\n"


# -- what variants have in common ---------------------------------------------------------------


def test_variants_that_are_walked_alike_share_what_is_found_out_about_their_ground(tmp_path: Path) -> None:
    prefab = room(tmp_path, ".xx.", "{substitute: x, with: [., 1, C]}")
    drawings = [prefab.variant(Stream(seed)).drawing for seed in range(100)]
    by_crates: dict[bytes, set[int]] = {}
    for drawing in drawings:
        by_crates.setdefault(drawing.obstacles.tobytes(), set()).add(id(drawing.ground))
    assert [len(grounds) for grounds in by_crates.values()] == [1, 1, 1, 1]
    assert len({grounds.pop() for grounds in by_crates.values()}) == 4
    assert len(set(map(shown, drawings))) == 9


@pytest.mark.parametrize(
    "drawn", ["x.x", "xx/xx", ".x./xxx/.x#", "#x#/x.x/#x#", "xx1", "x1/x1", "C.x/...", "x.C/..x"]
)
def test_a_variant_lies_in_as_many_ways_as_if_it_were_always_the_same(tmp_path: Path, drawn: str) -> None:
    prefab = room(tmp_path, drawn, '{substitute: x, with: [".", "#", C, 1]}')
    seen = set()
    for seed in range(60):
        variant = prefab.variant(Stream(seed))
        ways = [(each.orientation, each.repeats) for each in variant.drawings]
        alone = always(variant.drawing)
        assert ways == [(each.orientation, each.repeats) for each in alone.drawings]
        seen.add(tuple(ways))
    assert len(seen) > 1 or drawn == "x.C/..x"


# -- each step ----------------------------------------------------------------------------------


def test_each_cell_is_substituted_for_itself(tmp_path: Path) -> None:
    seen = rolls(room(tmp_path, "xx", '{substitute: x, with: {".": 3, "~": 1}}'), 1600)
    assert set(seen) == {"..", ".~", "~.", "~~"}
    for picture, share in {"..": 9 / 16, ".~": 3 / 16, "~.": 3 / 16, "~~": 1 / 16}.items():
        assert is_likely(seen[picture], 1600, share)


def test_all_cells_are_substituted_alike(tmp_path: Path) -> None:
    seen = rolls(room(tmp_path, "x.x/.x.", '{substitute: x, with: ["#", "C"], once: true}'))
    assert set(seen) == {"#.#\n.#.", "C.C\n.C."}
    assert is_likely(seen["#.#\n.#."], 400, 0.5)


def test_several_characters_are_substituted_alike(tmp_path: Path) -> None:
    assert set(rolls(room(tmp_path, "xyC", '{substitute: xy, with: "~"}'), 20)) == {"~~C"}


def test_what_is_only_sometimes_put_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    prefab = room(tmp_path, "CCCC", '{substitute: C, with: {value: ".", chance: 25%}}')
    gone = sum(picture.count(".") * count for picture, count in rolls(prefab).items())
    assert is_likely(gone, 1600, 0.25)
    whole = room(tmp_path, "CC", '{substitute: C, with: {value: ".", chance: 25%}, once: true}')
    assert set(rolls(whole)) == {"CC", ".."}


def test_so_many_and_no_more(tmp_path: Path) -> None:
    seen = rolls(room(tmp_path, "cccc", '{exactly: 2, of: c, become: C, otherwise: "."}'), 1200)
    assert set(seen) == {"CC..", "C.C.", "C..C", ".CC.", ".C.C", "..CC"}
    assert all(is_likely(count, 1200, 1 / 6) for count in seen.values())


def test_how_many_may_vary_and_the_others_may_stay(tmp_path: Path) -> None:
    seen = rolls(room(tmp_path, "11C", "{exactly: 0..2, of: 1, become: C}"), 900)
    left = Counter(picture.count("1") for picture, count in seen.items() for _ in range(count))
    assert set(left) == {0, 1, 2}
    assert all(is_likely(count, 900, 1 / 3) for count in left.values())


def test_a_count_may_be_one_that_applies_only_sometimes(tmp_path: Path) -> None:
    prefab = room(tmp_path, "ccc", '{exactly: {value: 3, chance: 50%}, of: c, become: C, otherwise: "."}')
    assert set(rolls(prefab, 60)) == {"CCC", "..."}


def test_characters_change_places(tmp_path: Path) -> None:
    seen = rolls(room(tmp_path, "1~~/C.1", '{shuffle: "1~C"}'), 1200)
    assert set(seen) == {"1~~\nC.1", "1CC\n~.1", "~11\nC.~", "~CC\n1.~", "C~~\n1.C", "C11\n~.C"}
    assert all(is_likely(count, 1200, 1 / 6) for count in seen.values())


def test_blocks_change_places_as_a_whole(tmp_path: Path) -> None:
    seen = rolls(
        room(tmp_path, "ab/cd", "{shuffle: [ab, cd]}", '{substitute: ad, with: "."}', '{substitute: bc, with: "~"}')
    )  # fmt: skip
    assert set(seen) == {".~\n~.", "~.\n.~"}
    assert is_likely(seen[".~\n~."], 400, 0.5)


def test_one_of_the_numbered_doors_is_real(tmp_path: Path) -> None:
    seen = rolls(room(tmp_path, "#2#3#4#", '{one_of: "234", become: "+", otherwise: "#"}'), 900)
    assert set(seen) == {"#+#####", "###+###", "#####+#"}
    assert all(is_likely(count, 900, 1 / 3) for count in seen.values())


def test_of_numbers_that_are_left_one_is_real(tmp_path: Path) -> None:
    """Those that a step before has taken away are not drawn by lot."""
    prefab = room(tmp_path, "2.3", '{substitute: 2, with: "~"}', '{one_of: "23", become: C, otherwise: "#"}')
    assert set(rolls(prefab, 40)) == {"~.C"}


def test_walls_come_or_go_together(tmp_path: Path) -> None:
    prefab = room(tmp_path, "w.w", '{optional: w, chance: 25%, become: "#", otherwise: "~"}')
    seen = rolls(prefab, 800)
    assert set(seen) == {"#.#", "~.~"}
    assert is_likely(seen["#.#"], 800, 0.25)


def test_steps_happen_in_the_order_written(tmp_path: Path) -> None:
    one, two = '{substitute: x, with: "C"}', '{substitute: C, with: "~"}'
    assert set(rolls(room(tmp_path, "xC", one, two), 5)) == {"~~"}
    assert set(rolls(room(tmp_path, "xC", two, one), 5)) == {"C~"}


def test_references_above_the_map_change_as_its_cells_do(tmp_path: Path) -> None:
    above = "  references: |2\n    x x\n"
    prefab = room(tmp_path, "x~x", '{substitute: x, with: ["1", "C"], once: true}', more=above)
    drawings = [prefab.variant(Stream(seed)).drawing for seed in range(40)]
    assert {"".join(each.char for each in drawing.references) for drawing in drawings} == {"1111", "CCCC"}
    bare = room(tmp_path, "...", '{exactly: 1, of: x, become: C, otherwise: " "}', more=above)
    assert set(rolls(bare)) == {"C..", "..C"}


def test_what_varies_blocks_and_does_not_block_accordingly(tmp_path: Path) -> None:
    prefab = room(tmp_path, "xC", '{substitute: x, with: ["1", "C"]}')
    for seed in range(20):
        drawing = prefab.variant(Stream(seed)).drawing
        assert drawing.obstacles.tolist() == [[drawing.references[0].char == "C", True]]


# -- parameters ---------------------------------------------------------------------------------


def test_a_parameter_is_rolled_once_for_a_fence_and_its_gate(tmp_path: Path) -> None:
    prefabs = """
        room:
          map: |
            ffgff
            .....
          legend:
            "~": water
            g: {switch: fence, cases: {iron: {terrain: locked_door}, wood: doorway}}
          parameters: {fence: {iron: 1, wood: 3}}
          vary:
            - {substitute: f, switch: fence, cases: {iron: "#", wood: "~"}}
        """
    seen = rolls(game(tmp_path, prefabs).prefabs["room"], 800)
    assert set(seen) == {"##L##\n.....", "~~'~~\n....."}
    assert is_likely(seen["##L##\n....."], 800, 0.25)


def test_a_parameter_that_does_not_apply_leaves_characters_as_they_are(tmp_path: Path) -> None:
    fence = "  parameters: {fence: {value: iron, chance: 50%}}"
    prefab = room(tmp_path, "C.", '{substitute: C, switch: fence, cases: {iron: "~"}}', more=fence)
    assert set(rolls(prefab, 60)) == {"C.", "~."}


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("{substitute: C, switch: fense, cases: {iron: 1, wood: 1}}",
         "6:31: prefab 'room': this prefab has no parameter of this name: fense (did you mean fence?)"),
        ("{substitute: C, switch: fence, cases: {iron: 1}}",
         "6:38: prefab 'room': 'cases' has no case for this value of the parameter 'fence': wood"),
        ("{substitute: C, switch: fence, cases: {iron: 1, wood: 1, gold: 1}}",
         "6:64: prefab 'room': the parameter 'fence' never has this value: gold (allowed: iron, wood)"),
    ],
)  # fmt: skip
def test_switches_that_do_not_suit_their_parameter(tmp_path: Path, step: str, message: str) -> None:
    assert said(tmp_path, written("C", step, more="  parameters: {fence: {iron: 1, wood: 3}}")) == [message]


# -- thinking steps through ---------------------------------------------------------------------


def test_more_than_there_are_is_impossible(tmp_path: Path) -> None:
    assert said(tmp_path, written("cc", '{exactly: 1..3, of: c, become: C, otherwise: "."}')) == [
        "6:17: prefab 'room': only 2 cells have this character, fewer than asked for: 3"
    ]
    steps = '{substitute: x, with: [c, "."]}', '{exactly: 2, of: c, become: C, otherwise: "."}'
    assert said(tmp_path, written("cx", *steps)) == [
        "7:17: prefab 'room': only 1 to 2 cells have this character, fewer than asked for (`at_most` allows that): 2"
    ]


def test_characters_that_may_be_left_and_mean_nothing_are_reported_where_they_stand(tmp_path: Path) -> None:
    assert said(tmp_path, written("..1", "{exactly: 1, of: 1, become: k}")) == [
        (
            "6:35: prefab 'room': no legend or palette says what this character means, but this step may put it into the drawing:"
            " k (allowed: 1, C, ~)"
        )
    ]
    assert said(tmp_path, written("..c/c..", "{exactly: 1, of: c, become: C}")) == [
        (
            "3:7: prefab 'room': no legend or palette says what this character means, but it may remain after the steps:"
            " 'c' (did you mean C?)"
        )
    ]


def test_on_each_layer_any_of_the_cells_may_be_the_chosen_one(tmp_path: Path) -> None:
    """One crate in two cells, of which one lies above the map: there a door means nothing."""
    step = '{exactly: 1, of: c, become: C, otherwise: "+"}'
    assert said(tmp_path, written("c.", step, more="  references: |2\n     c")) == [
        (
            "6:49: prefab 'room': no legend or palette says what this reference means, but this step may put it into the drawing:"
            " + (allowed: 1, C, ~)"
        )
    ]


LETTERS = "abcd"
CHARACTERS = st.sampled_from([*LETTERS, "."])
VALUES = st.one_of(
    CHARACTERS,
    st.lists(CHARACTERS, min_size=1, max_size=3),
    st.dictionaries(CHARACTERS, st.integers(1, 3), min_size=1, max_size=2),
    st.fixed_dictionaries({"value": CHARACTERS, "chance": st.sampled_from(["0%", "50%", "100%"])}),
)
SOURCES = st.lists(st.sampled_from(LETTERS), min_size=1, max_size=3, unique=True).map("".join)
COUNTS = st.one_of(
    st.integers(0, 3),
    st.sampled_from(["0..1", "1..2", "2..3"]),
    st.fixed_dictionaries({"value": st.integers(1, 2), "chance": st.just("50%")}),
)
STEP = st.one_of(
    st.fixed_dictionaries({"substitute": SOURCES, "with": VALUES, "once": st.booleans()}),
    st.fixed_dictionaries(
        {"substitute": SOURCES, "switch": st.sampled_from(["sure", "unsure"]), "cases": st.fixed_dictionaries({"x": CHARACTERS, "y": CHARACTERS})}
    ),
    st.fixed_dictionaries({"exactly": COUNTS, "of": SOURCES, "become": VALUES}, optional={"otherwise": VALUES}),
    st.permutations(LETTERS).flatmap(
        lambda order: st.sampled_from([order[:2], order[:3], ["".join(order[:2]), "".join(order[2:])]])
    ).map(lambda blocks: {"shuffle": [*blocks]}),
    st.fixed_dictionaries({"one_of": SOURCES.filter(lambda chars: len(chars) > 1), "become": VALUES, "otherwise": VALUES}),
    st.fixed_dictionaries({"optional": SOURCES, "become": VALUES, "otherwise": VALUES}),
    st.fixed_dictionaries({"fit": st.sampled_from(LETTERS), "prefabs": st.just("any"), "otherwise": VALUES}),
)  # fmt: skip
STEPS: TypeAdapter[tuple[StepEntry, ...]] = TypeAdapter(Steps)


class Cells:
    """A drawing with nothing but its characters; what is fitted in covers every other cell."""

    def __init__(self, chars: list[str], parameters: Mapping[str, str | None]) -> None:
        self.chars = chars
        self.parameters = parameters

    def fit(self, step: FitEntry, stream: Stream) -> None:
        for index, char in enumerate(self.chars):
            if char == step.fit and stream.chance(0.5):
                self.chars[index] = ""


@settings(max_examples=300)
@example(
    ["a", "a"], [{"exactly": {"value": 2, "chance": "50%"}, "of": "a", "become": "c", "otherwise": "."}], 0
)
@example(["a", "b"], [{"fit": "b", "prefabs": "any"}, {"one_of": "ab", "become": "a", "otherwise": "a"}], 0)
@given(
    st.lists(CHARACTERS, min_size=1, max_size=7),
    st.lists(STEP, min_size=1, max_size=4),
    st.integers(0, 2**32),
)
def test_what_becomes_of_a_drawing_lies_within_what_was_thought(
    chars: list[str], raw: list[dict[str, Any]], first: int
) -> None:
    steps = STEPS.validate_python(raw)
    for seed in range(first, first + 6):
        check_within(chars, steps, Stream(seed))


def check_within(chars: list[str], steps: tuple[StepEntry, ...], stream: Stream) -> None:
    """Check, step by step, that there are as many cells of each character as the tally says."""
    cells = Cells([*chars], {"sure": stream.pick("xy"), "unsure": stream.pick(["x", "y", None])})
    tally = CellTally({char: (n, n) for char, n in Counter(chars).items()}, unsure={"unsure"})
    for step in steps:
        there = sum(char in step.sources for char in cells.chars)
        known = len(tally.problems), len(tally.unused)
        step.tally(tally)
        if len(tally.problems) > known[0]:
            assert isinstance(step, ExactlyEntry)
            return
        if isinstance(step, ExactlyEntry):
            assert there >= max(step.exactly.outcomes())
        for problem in tally.unused[known[1] :]:
            assert problem.value not in cells.chars
        step.apply(cells, stream)
        now = Counter(cells.chars)
        for char in {*now, *tally.counts} - {""}:
            low, high = tally.counts.get(char, (0, 0))
            assert low <= now[char] <= high, (char, now, tally.counts)


@given(st.lists(CHARACTERS, min_size=1, max_size=7), st.integers(0, 9), SOURCES, st.integers(0, 2**32))
def test_what_is_thought_impossible_is(chars: list[str], count: int, of: str, seed: int) -> None:
    (step,) = STEPS.validate_python([{"exactly": count, "of": of, "become": "C"}])
    tally = CellTally({char: (n, n) for char, n in Counter(chars).items()})
    step.tally(tally)
    cells = Cells([*chars], {})
    step.apply(cells, Stream(seed))
    assert (cells.chars.count("C") == count) == (not tally.problems)


@pytest.mark.parametrize(
    ("step", "counts"),
    [
        ({"substitute": "ab", "with": "c"}, {"c": (5, 5)}),
        ({"substitute": "a", "with": ["c", "."]}, {"b": (2, 2), "c": (0, 3), ".": (0, 3)}),
        ({"exactly": "1..2", "of": "a", "become": "c", "otherwise": "."}, {"b": (2, 2), "c": (1, 2), ".": (1, 2)}),
        ({"shuffle": "ab"}, {"a": (2, 3), "b": (2, 3)}),
        ({"fit": "a", "prefabs": "x"}, {"b": (2, 2), ".": (0, 3)}),
    ],
)  # fmt: skip
def test_a_tally_is_as_narrow_as_it_says(step: dict[str, object], counts: dict[str, tuple[int, int]]) -> None:
    tally = CellTally({"a": (3, 3), "b": (2, 2)})
    STEPS.validate_python([step])[0].tally(tally)
    assert tally.counts == counts
    assert not tally.unused


@pytest.mark.parametrize(
    ("drawn", "steps", "short"),
    [
        ("xxxx", ["{exactly: 1, of: x, become: a}", "{exactly: 3, of: x, become: b}"], None),
        ("xxxx", ["{exactly: 1, of: x, become: a}", "{exactly: 4, of: x, become: b}"], "only 3 cells"),
        ("xxxx", ["{exactly: 1..2, of: x, become: a}", "{exactly: 2, of: x, become: b}"], None),
        (
            "xxxx",
            ["{exactly: 1..2, of: x, become: a}", "{exactly: 3, of: x, become: b}"],
            "only 2 to 3 cells",
        ),
        ("xxxx", ["{exactly: 1, of: x, become: a, otherwise: y}", "{exactly: 3, of: y, become: b}"], None),
        ("xxxxxy", ["{exactly: 1, of: xy, become: a}", "{exactly: 4, of: x, become: b}"], None),
        ("xxxxxy", ["{exactly: 1, of: xy, become: a}", "{exactly: 5, of: xy, become: b}"], None),
        ("xxxx", ["{substitute: x, with: [a, b]}", "{exactly: 4, of: ab, become: c}"], None),
        ("xxxx", ["{substitute: x, with: [a, b]}", "{exactly: 1, of: a, become: c}"], "only 0 to 4 cells"),
        ("xxyy", ["{optional: x, become: a, otherwise: b}", "{exactly: 2, of: ab, become: c}"], None),
        ("xxy", ["{one_of: xy, become: a, otherwise: b}", "{exactly: 3, of: ab, become: c}"], None),
    ],
)
def test_steps_after_others_are_refused_just_where_cells_may_be_lacking(
    drawn: str, steps: list[str], short: str | None
) -> None:
    tally = CellTally({char: (n, n) for char, n in Counter(drawn).items()})
    for step in STEPS.validate_python([yaml.safe_load(step) for step in steps]):
        step.tally(tally)
    assert [short in problem.message for problem in tally.problems if short] == [True] * bool(short)
    assert len(tally.problems) == bool(short)


@settings(max_examples=200)
@given(
    st.integers(1, 8),
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["a", "b", "x"])), min_size=1, max_size=4),
)
def test_a_chain_of_exact_steps_is_refused_just_where_it_runs_out_of_cells(
    count: int, chain: list[tuple[int, str]]
) -> None:
    """The number of cells that are left is counted here, as one step after another takes some."""
    steps = STEPS.validate_python([{"exactly": n, "of": "x", "become": char} for n, char in chain])
    tally, left = CellTally({"x": (count, count)}), count
    for step, (wanted, char) in zip(steps, chain, strict=True):
        step.tally(tally)
        assert bool(tally.problems) == (wanted > left)
        if tally.problems:
            return
        left -= wanted if char != "x" else 0
