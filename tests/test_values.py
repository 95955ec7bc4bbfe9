"""The grammar of values: every form, what it may give, and what is wrong with what is no value."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from dungeon.content.catalog.selector import Selector, selector_of
from dungeon.content.source.names import NameList, Names, read_word
from dungeon.content.source.problems import NO_VALUE, MisreadError, ValueProblem, problems_of
from dungeon.content.source.reader import read_yaml
from dungeon.content.values.fields import MAX_WEIGHT, read_share
from dungeon.content.values.value_fields import LARGEST, MAX_DEPTH, read_int, read_number, read_value
from dungeon.core.errors import written
from dungeon.extend import (
    Between,
    Choice,
    Constant,
    FreeValue,
    IntValue,
    NumberValue,
    Probability,
    ShareValue,
    Sometimes,
    Stream,
    Value,
    WordValue,
    one_of,
    roll,
    within,
)
from dungeon.generation.layouts.dice import table

if TYPE_CHECKING:
    from collections.abc import Callable

INT: TypeAdapter[Value[int]] = TypeAdapter(IntValue)
NUMBER: TypeAdapter[Value[float]] = TypeAdapter(NumberValue)
WORD: TypeAdapter[Value[str]] = TypeAdapter(WordValue)
FREE: TypeAdapter[Value[object]] = TypeAdapter(FreeValue)


def yaml(text: str) -> Any:
    parsed = read_yaml(text.encode(), "x.yaml")
    assert parsed.problems == []
    return parsed.root


def faults(read: Callable[[], object]) -> list[str]:
    """Return what is wrong, each as ``path: message: value``, with a * after a path whose key is meant."""
    with pytest.raises(ValidationError) as caught:
        read()
    found = []
    for fault in problems_of(caught.value, BaseModel):
        place = "/".join(map(str, fault.path)) + ("*" if fault.key else "")
        value = "" if fault.value is NO_VALUE else f": {written(fault.value)}"
        found.append(f"{place}: {fault.message}{value}")
    return found


# -- every form ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", Constant(3)),
        ("-3", Constant(-3)),
        ("0", Constant(0)),
        ('"3"', Constant(3)),
        ("2..5", Between(2, 5)),
        ("-5..-2", Between(-5, -2)),
        ("' 2 .. 5 '", Between(2, 5)),
        ("4..4", Between(4, 4)),
        ("[1, 2]", Choice(((Constant(1), 1.0), (Constant(2), 1.0)))),
        ("{1: 3, 2: 1}", Choice(((Constant(1), 3.0), (Constant(2), 1.0)))),
        ("{1: 0, 2..4: 0.5}", Choice(((Constant(1), 0.0), (Between(2, 4), 0.5)))),
        ("{value: 3, chance: 30%}", Sometimes(Constant(3), 0.3)),
        ("{chance: 1, value: 2..5}", Sometimes(Between(2, 5), 1.0)),
        (
            "{value: {1: 3, 2: 1}, chance: 50%}",
            Sometimes(Choice(((Constant(1), 3.0), (Constant(2), 1.0))), 0.5),
        ),
        (
            "[1, 2..5, [6], {value: 7, chance: 0.5}]",
            Choice(
                (
                    (Constant(1), 1.0),
                    (Between(2, 5), 1.0),
                    (Choice(((Constant(6), 1.0),)), 1.0),
                    (Sometimes(Constant(7), 0.5), 1.0),
                )
            ),
        ),
    ],
)
def test_whole_numbers(text: str, value: Value[int]) -> None:
    assert INT.validate_python(yaml(text)) == value
    assert INT.validate_python(value) is value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("30%", Constant(0.3)),
        ("0.5", Constant(0.5)),
        ("12.5%", Constant(0.125)),
        ("3", Constant(3)),
        ("2..5", Between(2, 5)),
        ("{0.5: 1, 30%: 2}", Choice(((Constant(0.5), 1.0), (Constant(0.3), 2.0)))),
    ],
)
def test_numbers(text: str, value: Value[float]) -> None:
    assert NUMBER.validate_python(yaml(text)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("crate", Constant("crate")),
        ("no", Constant("no")),
        ("12", Constant("12")),
        ("[a, b]", Choice(((Constant("a"), 1.0), (Constant("b"), 1.0)))),
        ("{a: 3, 12: 1}", Choice(((Constant("a"), 3.0), (Constant("12"), 1.0)))),
        ("{value: a, chance: 30%}", Sometimes(Constant("a"), 0.3)),
    ],
)
def test_words(text: str, value: Value[str]) -> None:
    assert WORD.validate_python(yaml(text)) == value


@pytest.mark.parametrize(
    ("text", "share"), [("30%", 0.3), ("0", 0.0), ("1", 1.0), ("0.25", 0.25), ("100%", 1.0)]
)
def test_shares(text: str, share: float) -> None:
    assert TypeAdapter(Probability).validate_python(yaml(text)) == share


NUMBERS: dict[str, float | None] = {
    "3": 3, "+3": 3, "-3": -3, "0": 0, "0.5": 0.5, ".5": 0.5, "5.": 5, "+.5": 0.5, "-0.5": -0.5,
    "0.5697091234567890123": 0.5697091234567890123, "0." + "3" * 400: 1 / 3, "0." + "3" * 401: None,
    "1e-3": 0.001, "1E3": 1000, "1.5e-3": 0.0015, ".5e+1": 5, "5e-324": 5e-324, "1e-400": 0, "2e0": 2,
    "1e400": None, "1.0e999": None, "1e": None, "e3": None, "1e1.5": None, "1e1000": None,
    "30%": 0.3, "+30%": 0.3, "12.5%": 0.125, ".5%": 0.005, "5.%": 0.05, "99.99999999999999%": 0.9999999999999999,
    "-5%": None, "1e1%": None, ".%": None, "3 0%": None, "30%%": None,
    "1_000": None, "0x10": None, "0o7": None, "0b1": None, "1:30": None, "007": None, "00.5": None,
    ".inf": None, "-.inf": None, ".nan": None, "inf": None, "nan": None, "1,5": None, "½": None, "٣": None,
    ".": None, "+": None, "-1-": None, "..": None, "1..": None, "--1": None, "+-1": None, "1/2": None,
}  # fmt: skip
"""What an author may write where a number is needed -> the number, or None where that is refused."""


@pytest.mark.parametrize("text", NUMBERS)
@pytest.mark.parametrize("quoted", [False, True])
def test_a_number_is_the_same_in_every_field_or_refused_in_all(text: str, *, quoted: bool) -> None:
    """As a value, a share, a weight and a key of weights; in quotes, as the keys of mappings always come, too."""
    raw = yaml(f'"{text}"' if quoted else text)
    number = NUMBERS[text]
    reads: list[tuple[Callable[[], object], float, float]] = [
        (lambda: next(NUMBER.validate_python(raw).outcomes()), -LARGEST, LARGEST),
        (lambda: TypeAdapter(Probability).validate_python(raw), 0, 1),
        (lambda: next(TypeAdapter(ShareValue).validate_python({text: 1}).outcomes()), 0, 1),
    ]
    if "%" not in text:
        reads.append((lambda: read_share(raw), 0, MAX_WEIGHT))
    for read, low, high in reads:
        if number is None or not low <= number <= high:
            with pytest.raises(ValueError, match=r"is needed here|a weight is"):
                read()
        else:
            assert read() == pytest.approx(number, rel=1e-15)


@pytest.mark.parametrize("text", NUMBERS)
def test_a_weight_of_a_choice_is_any_number_from_0_up(text: str) -> None:
    number = NUMBERS[text]
    if number is None or number < 0 or "%" in text:
        with pytest.raises(ValidationError):
            WORD.validate_python({"a": yaml(text), "b": 1})
    else:
        (_, weight), _ = WORD.validate_python({"a": yaml(text), "b": 1}).options
        assert weight == pytest.approx(number, rel=1e-15)


# -- what is no value ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("word", [": a whole number, or a range such as 2..5, is needed here: word"]),
        ("1.5", [": a whole number, or a range such as 2..5, is needed here: 1.5"]),
        ("true", [": a whole number, or a range such as 2..5, is needed here: true"]),
        ("~", [": a whole number, or a range such as 2..5, is needed here: null"]),
        ("''", [': a whole number, or a range such as 2..5, is needed here: ""']),
        ("2..", [": a whole number, or a range such as 2..5, is needed here: 2.."]),
        ("2...5", [": a whole number, or a range such as 2..5, is needed here: 2...5"]),
        ("2-5", [": a whole number, or a range such as 2..5, is needed here: 2-5"]),
        ("30%", [": a whole number, or a range such as 2..5, is needed here: 30%"]),
        ("12:30", [": a whole number, or a range such as 2..5, is needed here: 12:30"]),
        ("٣..٤", [": a whole number, or a range such as 2..5, is needed here: ٣..٤"]),
        (str(LARGEST + 1), [f": no number can be larger than {LARGEST:,} here: {LARGEST + 1}"]),
        ("1.." + "9" * 5000, [": a whole number, or a range such as 2..5, is needed here: 1.." + "9" * 54 + "..."]),
        ("5..2", [": the end of this range is below its start: 5..2"]),
        ("[]", [": a list must not be empty here: nothing could be chosen from it"]),
        ("{}", [": a mapping must not be empty here: nothing could be chosen from it"]),
        ("{1: 0, 2: 0}", [": at least one weight must be above zero: {1: 0, 2: 0}"]),
        ("{1: -1}", ["1: a weight, a number from 0 up, is needed here: -1"]),
        ("{1: often}", ["1: a weight, a number from 0 up, is needed here: often"]),
        ("{1: true}", ["1: a weight, a number from 0 up, is needed here: true"]),
        ("{1: }", ["1: a weight, a number from 0 up, is needed here: null"]),
        (
            "{value: 3}",
            [": a value that applies only sometimes is written {value: ..., chance: 30%}: {value: 3}"],
        ),
        (
            "{value: 3, chance: 1, x: 2}",
            [": a value that applies only sometimes is written {value: ..., chance: 30%}: {value: 3, chance: 1, x: 2}"],
        ),
        (
            "[1, x, [2, y], {3: 1, z: w}, {value: v, chance: 130%}]",
            [
                "1: a whole number, or a range such as 2..5, is needed here: x",
                "2/1: a whole number, or a range such as 2..5, is needed here: y",
                "3/z*: a whole number, or a range such as 2..5, is needed here: z",
                "3/z: a weight, a number from 0 up, is needed here: w",
                "4/value: a whole number, or a range such as 2..5, is needed here: v",
                "4/chance: a share from 0% to 100% is needed here: 130%",
            ],
        ),
        ("[" * 9 + "]" * 9, ["0/0/0/0/0/0/0/0: a list must not be empty here: nothing could be chosen from it"]),
        ("[" * 10 + "1" + "]" * 10, [f"0/0/0/0/0/0/0/0/0: values are nested more than {MAX_DEPTH} deep here"]),
    ],
)  # fmt: skip
def test_what_is_no_whole_number(text: str, expected: list[str]) -> None:
    assert faults(lambda: INT.validate_python(yaml(text))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.5", ": a name is needed here: 1.5"),
        ("~", ": a name is needed here: null"),
        ("''", ": a name is needed here, not empty quotes"),
        ("2..5", ": a range of numbers is not possible here: 2..5"),
        ("[a, ~]", "1: a name is needed here: null"),
        ("{a: b}", "a: a weight, a number from 0 up, is needed here: b"),
    ],
)
def test_what_is_no_word(text: str, expected: str) -> None:
    (line,) = faults(lambda: WORD.validate_python(yaml(text)))
    assert line.startswith(expected)


@pytest.mark.parametrize("text", ["0.5..1.5", "20%..40%", "2..", "..5", "1...3", "-1.5 .. 2"])
def test_what_looks_like_a_range_is_no_word(text: str) -> None:
    message = ": a range runs from one whole number to another, as in 2..5"
    assert faults(lambda: FREE.validate_python(text)) == [f"{message}: {text}"]


@pytest.mark.parametrize("text", ["a..b", "v1..2", "...", "1.5", "see p. 12"])
def test_words_may_have_dots(text: str) -> None:
    (outcome,) = FREE.validate_python(text).outcomes()
    assert str(outcome) == text


@pytest.mark.parametrize(
    "text", ["130%", "-1", "1.01", "often", "true", "~", "[30%]", "9" * 5000 + "%", "-5%"]
)
def test_what_is_no_share(text: str) -> None:
    (line,) = faults(lambda: TypeAdapter(Probability).validate_python(yaml(text)))
    assert line.startswith(": a share from 0% to 100% is needed here: ")


@pytest.mark.parametrize("raw", [float("nan"), float("inf"), 10**30, True, None, "x", [], "1e400", "0x10"])
def test_numbers_that_are_none(raw: object) -> None:
    for read in (read_int, read_number):
        with pytest.raises(MisreadError):
            read(raw)


def test_bounds_are_kept_by_every_outcome_and_the_culprit_is_named() -> None:
    adapter: TypeAdapter[Value[int]] = TypeAdapter(Annotated[IntValue, within(1, 9)])
    assert adapter.validate_python(yaml("{1: 1, 2..9: 1}")).outcomes()
    lines = faults(
        lambda: adapter.validate_python(yaml("[0, 1, 5..12, {3: 1, 10: 0}, {value: 11, chance: 1%}]"))
    )
    assert lines == [
        "0: this number must lie between 1 and 9: 0",
        "2: this number must lie between 1 and 9: 12",
        "3/10*: this number must lie between 1 and 9: 10",
        "4/value: this number must lie between 1 and 9: 11",
    ]
    (line,) = faults(lambda: adapter.validate_python(Choice(((Constant(3), 1.0), (Constant(0), 1.0)))))
    assert line == "1: this number must lie between 1 and 9: 0"


def test_words_are_kept_to_a_list_and_the_culprit_is_named() -> None:
    adapter: TypeAdapter[Value[str]] = TypeAdapter(Annotated[WordValue, one_of("door", "doorway")])
    assert list(adapter.validate_python(yaml("{door: 3, doorway: 1}")).outcomes()) == ["door", "doorway"]
    lines = faults(lambda: adapter.validate_python(yaml("{door: 3, dor: 1}")))
    assert lines == ["dor*: this value is not allowed here: dor"]


def test_defaults_of_parameters_are_written_in_the_grammar_too() -> None:
    class Parameters(BaseModel):
        model_config = ConfigDict(validate_default=True)
        gap: Annotated[IntValue, within(0, 60)] = Field(default={0: 3, "3..6": 2})  # type: ignore[arg-type]

    assert Parameters().gap == Choice(((Constant(0), 3.0), (Between(3, 6), 2.0)))
    assert Parameters(gap=Constant(3)).gap == Constant(3)


# -- what they give -----------------------------------------------------------------------------

VALUES = st.recursive(
    st.integers(-20, 20)
    | st.tuples(st.integers(-20, 20), st.integers(0, 9)).map(lambda pair: f"{pair[0]}..{sum(pair)}"),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(
            st.integers(0, 20).map(str) | st.just("30..40"), st.integers(1, 5), min_size=1, max_size=3
        )
        | st.fixed_dictionaries({"value": inner, "chance": st.sampled_from(["0%", "50%", 1])})
    ),
    max_leaves=6,
)


@given(VALUES, st.integers(0, 2**32))
def test_a_roll_gives_an_outcome_or_nothing(raw: object, seed: int) -> None:
    value = read_value(raw, read_int)
    outcomes = list(value.outcomes())
    for _ in range(5):
        rolled = value.roll(Stream(seed))
        assert rolled is None or min(outcomes) <= rolled <= max(outcomes)
        assert roll(value, Stream(seed), 99) == (99 if rolled is None else rolled)


def turned_round(raw: Any) -> Any:
    """Return a value with all of its options in the opposite order."""
    if isinstance(raw, list):
        return [turned_round(each) for each in reversed(raw)]
    if isinstance(raw, dict):
        return {key: turned_round(each) for key, each in reversed(raw.items())}
    return raw


@given(VALUES, st.integers(0, 2**32))
@example([1, [{"value": 2, "chance": "50%"}, 2, {"1": 1, "2": 2, "3": 3}], "1..3"], 1)
@example({"3": 1, "1": 1, "2": 1}, 5)
@example([[1, 2], [2, 1], [1, 2, 3]], 7)
def test_in_what_order_options_are_written_makes_no_difference(raw: object, seed: int) -> None:
    value, other = read_value(raw, read_int), read_value(turned_round(raw), read_int)
    stream, same = Stream(seed), Stream(seed)
    assert [value.roll(stream) for _ in range(20)] == [other.roll(same) for _ in range(20)]
    assert table(value, 99) == table(other, 99)


@pytest.mark.parametrize("words", [["door", "doorway", "open"], ["b", "a"], ["2", "10", "x"]])
def test_neither_does_that_of_words(words: list[str]) -> None:
    weights = {word: number for number, word in enumerate(words, 1)}
    value = read_value(weights, read_word)
    for order in permutations(words):
        other = read_value({word: weights[word] for word in order}, read_word)
        assert [value.roll(Stream(seed)) for seed in range(50)] == [
            other.roll(Stream(seed)) for seed in range(50)
        ]
        assert table(value, "") == table(other, "")


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("[1, 2]", {1: 0.5, 2: 0.5}),
        ("{1: 3, 2: 1}", {1: 0.75, 2: 0.25}),
        ("{1: 3, 2: 0}", {1: 1.0}),
        ("1..4", {1: 0.25, 2: 0.25, 3: 0.25, 4: 0.25}),
        ("{value: 1, chance: 30%}", {1: 0.3, None: 0.7}),
        ("[1, {value: [2, 3], chance: 50%}]", {1: 0.5, 2: 0.125, 3: 0.125, None: 0.25}),
        ("{value: 1, chance: 0%}", {None: 1.0}),
        ("{value: 1, chance: 100%}", {1: 1.0}),
    ],
)
def test_what_is_declared_is_what_is_rolled(text: str, shares: dict[int | None, float]) -> None:
    value = INT.validate_python(yaml(text))
    stream = Stream(7)
    counts = Counter(value.roll(stream) for _ in range(4000))
    assert set(counts) == set(shares)
    for outcome, share in shares.items():
        assert counts[outcome] / 4000 == pytest.approx(share, abs=0.03)


def test_a_constant_takes_nothing_from_the_stream() -> None:
    stream, other = Stream(1), Stream(1)
    Constant(3).roll(stream)
    assert stream.random() == other.random()


# -- anything at all ----------------------------------------------------------------------------

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8) | st.just("value"), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=150)
@given(ANYTHING)
def test_anything_is_a_value_or_refused_in_plain_words(raw: object) -> None:
    for adapter in (INT, NUMBER, WORD):
        found: list[ValueProblem] = []
        try:
            value = adapter.validate_python(raw)
        except ValidationError as error:
            found = problems_of(error, BaseModel)
        assert found or list(value.outcomes())


# -- which object -------------------------------------------------------------------------------

PROP: TypeAdapter[Selector] = TypeAdapter(Annotated[Selector, *selector_of("prop")])
NAMES = Names(
    {
        "prop": NameList(["crate", "barrel"]),
        "robot": NameList(["sweeper"]),
        "class of props": NameList(["box"]),
        "category of props": NameList(["wood", "iron"]),
    }
)


@pytest.mark.parametrize(
    ("text", "selector"),
    [
        ("crate", Selector(tags=Constant("crate"))),
        ("[crate, barrel]", Selector(tags=Choice(((Constant("crate"), 1.0), (Constant("barrel"), 1.0))))),
        ("{crate: 3}", Selector(tags=Choice(((Constant("crate"), 3.0),)))),
        ("{value: crate, chance: 10%}", Selector(tags=Sometimes(Constant("crate"), 0.1))),
        ("{class: box}", Selector(classes=Constant("box"))),
        (
            "{category: [wood, iron]}",
            Selector(categories=Choice(((Constant("wood"), 1.0), (Constant("iron"), 1.0)))),
        ),
        (
            "{class: [box], category: wood}",
            Selector(classes=Choice(((Constant("box"), 1.0),)), categories=Constant("wood")),
        ),
    ],
)
def test_objects_are_chosen_by_tag_class_or_category(text: str, selector: Selector) -> None:
    assert PROP.validate_python(yaml(text), context=NAMES) == selector
    assert PROP.validate_python(yaml(text)) == selector
    assert PROP.validate_python(selector) is selector


AMONG_TAGS = (
    "can't stand in a list or choice of tags; write {class: [a, b]}, with a 'chance' beside it if needed"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("crat", [": there is no prop of this name: crat"]),
        ("sweeper", [": there is no prop of this name, but a robot: sweeper"]),
        ("[crate, [barel, tub]]", ["1/0: there is no prop of this name: barel", "1/1: there is no prop of this name: tub"]),
        ("{barel: 3}", ["barel*: there is no prop of this name: barel"]),
        ("{value: tub, chance: 1}", ["value: there is no prop of this name: tub"]),
        ("{class: boxes, category: [wod, iron]}",
         ["class: there is no class of props of this name: boxes",
          "category/0: there is no category of props of this name: wod"]),
        ("{class: box, colour: red}", ["colour*: only class and category can ask for an object here: colour"]),
        ("{clas: box}", ["clas*: this key is not known: clas"]),
        ("{class: ~}", ["class: a name is needed here: null"]),
        ("[crate, {class: box}]", [f"1/class*: 'class' {AMONG_TAGS}: class"]),
        ("{value: {category: wood}, chance: 10%}", [f"value/category*: 'category' {AMONG_TAGS}: category"]),
    ],
)  # fmt: skip
def test_objects_that_there_are_not(text: str, expected: list[str]) -> None:
    assert faults(lambda: PROP.validate_python(yaml(text), context=NAMES)) == expected
