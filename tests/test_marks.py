"""YAML with places: every key and value knows where it stands, and nothing in a file surprises its author."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dungeon.content.source import reader
from dungeon.content.source.marks import BROKEN, JOINED, LINE_END, Mark, MarkedDict, MarkedList, locate
from dungeon.content.source.reader import MAX_BYTES, MAX_NESTING, MAX_NODES, MAX_PROBLEMS, read_yaml, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.content.source.reader import Parsed


@pytest.fixture(params=["CSafeLoader", "SafeLoader"], autouse=True)
def _with_and_without_libyaml(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(yaml, request.param):
        pytest.skip("PyYAML was built without libyaml")
    monkeypatch.setattr(reader, "LOADER", getattr(yaml, request.param))


def read(text: str | bytes) -> Parsed:
    return read_yaml(text.encode() if isinstance(text, str) else text, "x.yaml")


def whole(text: str) -> object:
    parsed = read(text)
    assert parsed.problems == []
    assert parsed.whole
    return parsed.root


def said(text: str | bytes) -> list[str]:
    """Return what is wrong with a file, without its name and the severity."""
    found = []
    for problem in read(text).problems:
        assert str(problem).startswith("x.yaml:")
        found.append(
            str(problem).removeprefix("x.yaml:").replace(" error: ", " ").strip().removeprefix("error: ")
        )
    return found


def fault(drawn: str) -> tuple[str, str]:
    """Return a text whose culprit is marked by « without the mark, and the culprit's line and column."""
    text = dedent(drawn)
    before = text[: text.index("«")]
    line = before.count("\n") + 1
    return text.replace("«", "", 1), f"{line}:{len(before) - before.rfind(chr(10))}"


def every_mark(data: object) -> Iterator[tuple[Mark, str]]:
    """Yield the place of every key and plain value in marked data, and what should stand there."""
    if isinstance(data, MarkedDict):
        assert list(data) == list(data.marks)
        for key, (key_mark, value_mark) in data.marks.items():
            yield key_mark, key
            if not isinstance(data[key], dict | list):
                yield value_mark, str(data[key])
            yield from every_mark(data[key])
    elif isinstance(data, MarkedList):
        assert len(data) == len(data.marks)
        for value, mark in zip(data, data.marks, strict=True):
            if not isinstance(value, dict | list):
                yield mark, str(value)
            yield from every_mark(value)


# -- places -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "hall: 3\nvault: word\n",
        "hall:\n  deep:\n    deeper: 3\n  beside: x\nvault: y\n",
        "list:\n- one\n- two\n-   three\n",
        "list:\n  - {a: 1, b: 2}\n  - [3, 4,\n     5]\n  - - 6\n    - 7\n",
        "{a: {b: [c, {d: e}]}, f: g}\n",
        "{a: 1,\n b: 2,\n   c: [3,\n      4]}",
        "# a comment\n\na: 1 # another\n\n\n   # and another\nb: 2\n",
        "? a\n: b\n? c\n: - d\n",
        "schön: grün\n水: [火, 木]\n😀: 😀😀\n",
        "--- # begins here\na: 1\n...\n",
        "%YAML 1.1\n---\na: 1\n",
        "a: {b: 1}\r\nc: 2\r\nd:\r\n  - e\r\n",
        "a: 1\rb: 2\r",
        "\ufeffa: 1\nb: 2\n",
        "-: 1\n+: 2\n.: 3\n^: 4\n~: 5\n?: 6\n=: 7\n<: 8\n$: 9\n",
    ],
)
def test_every_mark_points_at_what_is_there(text: str) -> None:
    lines = LINE_END.split(text.removeprefix("\ufeff"))
    found = list(every_mark(whole(text)))
    assert found
    for mark, what in found:
        assert lines[mark.line - 1][mark.column - 1 :].startswith(what)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a: 'in quotes'", 1, 4),
        ('a: "in quotes"', 1, 4),
        ("a:\n  - x", 2, 3),
        ("a:\n- x", 2, 1),
        ("a:\n  b: x", 2, 3),
        ("a: {b: x}", 1, 4),
        ("a: several\n  lines", 1, 4),
        ("a:\n  further down", 2, 3),
        ("a: >\n  folded\n  text\n", 1, 4),
        ("a: &anchor x", 1, 4),
    ],
)
def test_a_value_stands_where_it_begins(text: str, line: int, column: int) -> None:
    assert locate(whole(text), ["a"])[:2] == (line, column)


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("a: x\n  y\n", True),
        ("a: 'x\n  y'\n", True),
        ('a: "x\n  y"\n', True),
        ("a: >\n  x\n", True),
        ("a:\n  x\n", False),
        ("a: 'x'\n", False),
        ("a: |\n  x\n", False),
        ("a: 3\n\n\n", False),
    ],
)
def test_a_text_knows_whether_its_lines_were_joined(text: str, joined: bool) -> None:  # noqa: FBT001
    assert (locate(whole(text), ["a"]).indent == JOINED) is joined


def test_a_path_that_leads_too_far_ends_at_the_last_place_that_exists() -> None:
    root = whole("a:\n  b: [x, y]\n")
    assert locate(root, ["a", "b", 1]) == Mark(2, 10)
    assert locate(root, ["a", "b", 7]) == Mark(2, 6)
    assert locate(root, ["a", "b", "c", "d"]) == Mark(2, 6)
    assert locate(root, ["a", "zz", "b"]) == Mark(2, 3)
    assert locate(root, ["zz"]) == Mark(1, 1)
    assert locate(root, ["a", "b"], key=True) == Mark(2, 3)
    assert locate(None, ["a"]) == Mark(0, 0)
    assert locate("word", ["a"]) == Mark(1, 1)


@pytest.mark.parametrize(
    ("text", "indent"),
    [
        ("map: |\n  ##\n  ##\n", 2),
        ("map: |\n        ##\n        ##\n", 8),
        ("map: |2\n    ##\n  ####\n", 2),
        ("map: |\n\n\n   ##\n", 3),
        ("map: |-\n   ##\n", 3),
        ("map: |+ # with a comment\n   ##\n\n\n", 3),
        ("map: &anchor |\n  ##\n", 2),
        ("map: |\r\n   ##\r\n   ##\r\n", 3),
        ("map: |\n  水木\n", 2),
    ],
)
def test_a_text_knows_how_far_its_rows_are_indented(text: str, indent: int) -> None:
    root = whole(text)
    mark = locate(root, ["map"])
    assert mark == Mark(1, 6, indent)
    lines = LINE_END.split(text)
    assert isinstance(root, MarkedDict)
    for number, row in enumerate(root["map"].rstrip("\n").split("\n")):
        assert lines[mark.line + number][mark.indent :] == row


def test_an_alias_of_a_drawing_points_at_the_drawing_and_any_other_at_itself() -> None:
    root = whole("a: &rows |\n   ##\nb: &word x\nc: *rows\nd: *word\n")
    assert locate(root, ["c"]) == Mark(1, 4, 3)
    assert locate(root, ["d"]) == Mark(5, 4)


# -- what scalars mean --------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["3", "0", "-7", "+5", "999999999999999"])
def test_whole_numbers(word: str) -> None:
    assert whole(f"a: {word}") == {"a": int(word)}


@pytest.mark.parametrize(
    "word", ["1.5", "-0.25", ".5", "3.", "0.0", "1.5e3", "-.5E-3", "0.12345678901234567"]
)
def test_numbers(word: str) -> None:
    assert whole(f"a: {word}") == {"a": float(word)}


@pytest.mark.parametrize(
    "word",
    [
        "no", "yes", "on", "off", "No", "TRUE", "True", "NULL", "Null", "y", "n",
        "12:30:45", "12:30", "2001-12-14", "0x10", "0o7", "007", "01", "1_000", "1e5", "1.0e999",
        ".inf", "-.inf", ".nan", "inf", "nan", "1.2.3", "--1", "=",
        "1000000000000000", "9" * 5000, "0." + "1" * 401, "2..5", "30%", "100x60", "\u0663", "\uff11",
    ],
)  # fmt: skip
def test_words_stay_words(word: str) -> None:
    assert whole(f"a: {word}") == {"a": word}


def test_true_false_and_nothing() -> None:
    assert whole("{a: true, b: false, c: null, d: ~, e: , f}") == {
        "a": True, "b": False, "c": None, "d": None, "e": None, "f": None,
    }  # fmt: skip


def test_whatever_stands_in_quotes_is_text() -> None:
    root = whole("""{a: '3', b: "true", c: "", d: 'null', e: "1.5", f: '~'}""")
    assert root == {"a": "3", "b": "true", "c": "", "d": "null", "e": "1.5", "f": "~"}


def test_keys_are_text_as_written() -> None:
    root = whole("{1: a, 01: b, 1.50: c, true: d, ~: e, null: f, 'g': h, '': i}")
    assert root == {"1": "a", "01": "b", "1.50": "c", "true": "d", "~": "e", "null": "f", "g": "h", "": "i"}


@given(st.text(max_size=40))
def test_resolving_never_fails_and_numbers_are_small(text: str) -> None:
    value = resolve(text)
    assert value is None or isinstance(value, bool | int | float | str)
    assert isinstance(value, str | None) or abs(value) < 1e15


@pytest.mark.parametrize(
    ("text", "root"), [("", None), ("# nothing\n", None), ("---\n", None), ("3", 3), ("x", "x")]
)
def test_files_that_hold_no_mapping(text: str, root: object) -> None:
    assert whole(text) == root


# -- anchors ------------------------------------------------------------------------------------


def test_anchors_aliases_and_merges() -> None:
    root = whole("""
        base: &base {a: 1, b: 2}
        more: &more {b: 3, c: 4}
        one: {<<: *base, b: 5}
        two: {b: 5, <<: *base}
        both: {<<: [*base, *more], d: 6}
        list: &list [x, *base]
        again: *list
        key: &word hall
        *word : 7
    """)
    assert root == {
        "base": {"a": 1, "b": 2},
        "more": {"b": 3, "c": 4},
        "one": {"a": 1, "b": 5},
        "two": {"a": 1, "b": 5},
        "both": {"a": 1, "b": 2, "c": 4, "d": 6},
        "list": ["x", {"a": 1, "b": 2}],
        "again": ["x", {"a": 1, "b": 2}],
        "key": "hall",
        "hall": 7,
    }


def test_what_was_merged_stands_where_it_was_written() -> None:
    root = whole("base: &base\n  a: 1\n  b: 2\none:\n  <<: *base\n  b: 5\n")
    assert locate(root, ["one", "a"], key=True) == Mark(2, 3)
    assert locate(root, ["one", "b"]) == Mark(6, 6)
    assert list(root["one"]) == list(root["one"].marks)  # type: ignore[index]


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        ("a: «*b\n", "no anchor above has this name: *b"),
        ("a: &a {b: «*a}\n", "this alias is inside the value that it names: *a"),
        ("a: &a [1, [2, «*a]]\n", "this alias is inside the value that it names: *a"),
        ("a: {<<: «3}\n", "a mapping, or a list of mappings, is needed after <<"),
        ("a: &a {x: 1}\nb: {<<: *a, «<<: *a}\n",
         "this key stands twice in one mapping; to merge several mappings, write a list of them after a single <<: <<"),
    ],
)  # fmt: skip
def test_wrong_aliases(drawn: str, message: str) -> None:
    text, place = fault(drawn)
    assert said(text) == [f"{place}: {message}"]


def test_what_a_wrong_alias_stands_for_is_reported_once() -> None:
    assert read("a: {b: 1, c: *d}\n").root == {"a": {"b": 1, "c": BROKEN}}
    assert read("a: {<<: *b, c: *d}\nb: 1").root == {"a": BROKEN, "b": 1}  # it may have had any keys besides
    assert len(said("a: {<<: *b, c: *d}\n")) == 2
    assert repr(BROKEN) == "BROKEN"


# -- what is wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        ("a: 1\nb: 2\n«a: 3\n", "this key stands twice in one mapping, first in line 1: a"),
        ("{1: a, «1: b}", "this key stands twice in one mapping, first in line 1: 1"),
        ("a: 1\n«---\nb: 2\n", "a second YAML document begins here, but a file can hold only one"),
        ("? «[a, b]\n: c\n", "a key must be a single word or number"),
        ("? «{a: b}\n: c\n", "a key must be a single word or number"),
        ("a: «!!python/object:os.system x\n",
         "! begins a tag, which has no meaning here; text that begins with ! must stand in quotes: tag:yaml.org,2002:python/object:os.system"),
        ("«!x a: 1\n",
         "! begins a tag, which has no meaning here; text that begins with ! must stand in quotes: !x"),
        ("a: «! x\n",
         "! begins a tag, which has no meaning here; text that begins with ! must stand in quotes: !"),
        ("a: 1\n«%TAG ! x\n", "the directive %TAG has no meaning here"),
        # A number sign makes comments of what was meant.
        ("fg: «#ff0000\nbg: 1\n", "# begins a comment; a value that begins with # must stand in quotes"),
        ("legend:\n  «#: wall\n  C: crate\n", "# begins a comment; a key that begins with # must stand in quotes"),
        ("legend:\n  «#: wall\n", "# begins a comment; a key that begins with # must stand in quotes"),
        ("map: |\n   ##\n  «#.#\n   ##\n",
         "YAML takes this row for a comment, because it is not indented like the rows of the text above"),
        ("map: |\n   ##\n  «#   #\nlegend: 1\n",
         "YAML takes this row for a comment, because it is not indented like the rows of the text above"),
        ("hall:\n  map: |\n  «###\n  #.#\n",
         "YAML takes this row for a comment, because it is not indented like the rows of the text above"),
    ],
)  # fmt: skip
def test_one_fault(drawn: str, message: str) -> None:
    text, place = fault(drawn)
    assert said(text) == [f"{place}: {message}"]


@pytest.mark.parametrize(
    "text",
    [
        "map: |\n  ##\n# a comment\n",
        "map: |\n  ##\n\n#-#-#\n",
        "hall: # a comment\n  a: 1\n",
        "hall:   # nothing yet\n",
        "a: b#c\n",
        "rows: |\n  #: x\n  #:\n",
        "'#': wall\n",
    ],
)
def test_number_signs_that_are_right(text: str) -> None:
    whole(text)


SPACE_AFTER = "a space must follow this {}; if the whole is meant as text, put it in quotes"


@pytest.mark.parametrize(
    "drawn",
    [
        "a:\n  map«:|\n    ##\n    #.\n  tags: x\n",
        "a:\n  map«:|\n    ..\n\n    ..\n  legend: {}\n",
        "a:\n  map«:|\n    ###\n    #.#\n",  # the rows are comments
        "a:\n  map«:x\n",
        "a:\n  name«:The\n  size: 3\n",
        "a:\n  tags: x\n  map«:|\n    ..\n  b: 1\n",
        "a:\n  tags: x\n  map«:|\n    ##\n",
        "a:\n  map: x\n  tags«:[x]\n",
        "a:\n  map: x\n  tags«:[x]\n  b: 1\n",
        "a:\n  legend«:{C: {prop: crate}}\n  map: x\n",
        "a:\n  legend: {C«:{prop: crate}}\n  map: x\n",
        "a:\n  map: x\n  legend: {C: {prop«:crate}}\n",
        "{tags«:a, map: x}\n",
        "a: {b: 1}\nstore«:{map: x}\n",
        "a:\n  b: 1\n  name«:The Cellars\n  c: 1\n",
        "a:\n  - b: 1\n  - name«:x\n    c: 1\n",
        "a:\n  map«:\u00a0|\n    ..\n  b: 1\n",
        "vary:\n  «-{fit: S}\n",
        "vary:\n  «-{fit: S}\n  - {fit: T}\n",
        "vary:\n  - {fit: S}\n  «-{fit: T}\n",
    ],
)
def test_a_space_that_is_missing_is_noticed_where_it_is_missing(drawn: str) -> None:
    text, place = fault(drawn)
    message = SPACE_AFTER.format("dash" if "«-" in drawn else "colon")
    if "{C«:{" in drawn and reader.LOADER is yaml.SafeLoader:
        assert whole(text)  # the parser in Python reads this as it is meant
        return
    (problem,) = said(text)
    # Where YAML reads a text all the same, that is said, too.
    assert re.match(rf"{place}: (this is not YAML: {message}$|{message}: )", problem)


@pytest.mark.parametrize(
    "text",
    [
        "name: a:b\nsee: http://x.org\n",
        "12:30: noon\nlegend: {'a:b': , \"c:d\": 1}\n",
        "count:\n  -5\nmap: |\n  a:b\n  -{x}\n",
        "'-{x': 1\n",
        "at:\n  12:30\n",
    ],
)
def test_colons_and_dashes_that_are_right(text: str) -> None:
    whole(text)


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        ("name: a«: b\n", "no colon can stand here: is the indentation right, the line above whole, or a text with a colon without quotes?"),
        ("a: 1\n«b\nc: 2\n", "a colon is missing after this"),
        ("a:\n    b: 1\n  «c: 2\n", "no key can begin here: is the indentation right, and every bracket in its place?"),
        ("a: «[1, 2\nb: 3\n", "a comma is missing in this list, or it is never closed"),
        ("a: «{x: 1 y: 2}\n", "a comma is missing in this mapping, or it is never closed"),
        ("a: {fg: «#ff0000}\n", "# begins a comment; a value that begins with # must stand in quotes"),
        ("- a\n«b: 1\n", "this list goes on without a dash: is the indentation right?"),
        ("name: «'Guard's room\nb: 1\n", None),
        ('name: «"never\nb: 1\n', "this quote is never closed"),
        ('a: "«\\q"\n', "in double quotes a backslash is written twice"),
        ("a:\n«\tb: 1\n", "a tab cannot indent; spaces can"),
        ("a:\n  b: 1\n«\tc: 1\n", "a tab cannot indent; spaces can"),
        ("a: 1\n«\t\nb: 1\n", "a tab cannot indent; spaces can"),
        ("map: |\n«\t##\n\t##\n", "a tab cannot indent; spaces can"),
        ("map: |\n  ##\n«\t##\nb: 1\n", "a tab cannot indent; spaces can"),
        ("a:\n  map: |\n    ##\n «\ttags: x\n  b: 1\n", "a tab cannot indent; spaces can"),
        ("a:\n  map: |\n    ##\n  «\t  ##\n    ##\n", "a tab cannot indent; spaces can"),
        ("legend:\n  «*: wall\n", "* must stand in quotes here"),
        ("legend:\n  «&: wall\n", "& must stand in quotes here"),
        ("legend:\n  «%: wall\n", "% must stand in quotes here"),
        ("legend:\n  «@: wall\n", "@ must stand in quotes here"),
        ("legend:\n  «`: wall\n", "` must stand in quotes here"),
        ("legend: {«*: wall}\n", "* must stand in quotes here"),
        ("legend:\n  «>: wall\n", "nothing may follow > in its line; if > is meant as text, put it in quotes"),
        ("legend:\n  «|: wall\n", "nothing may follow | in its line; if | is meant as text, put it in quotes"),
        ("links: |\n      3\n  «1\nmap: x\n", "all rows of a text are indented like its first; if that begins with spaces of its own, begin the text with |2 in place of |"),
    ],
)  # fmt: skip
def test_what_is_not_yaml_is_explained(drawn: str, message: str | None) -> None:
    text, place = fault(drawn)
    (problem,) = said(text)
    if reader.LOADER is yaml.SafeLoader or message is None:
        # The parser in Python words and places some of its findings otherwise.
        assert "this is not YAML: " in problem
    else:
        assert problem == f"{place}: this is not YAML: {message}"


def test_what_was_whole_before_a_syntax_error_is_kept() -> None:
    parsed = read("a: {b: 1}\nc:\n  d: 2\ne: {f: [\n")
    assert parsed.root == {"a": {"b": 1}, "c": {"d": 2}}
    assert not parsed.whole
    assert len(parsed.problems) == 1


def test_all_faults_of_a_file_are_found_at_once() -> None:
    text = "a: 1\na: 2\nb: *x\nc: !t y\n? [z]\n: 1\nfg: #ffffff\n#: wall\n"
    assert [message.split(":")[0] for message in said(text)] == ["2", "3", "4", "5", "7", "8"]


# -- bytes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a: 1\nb: \xe9\n", "2:4: the file is not UTF-8 text"),
        ("a: 1\n".encode("utf-16"), "1:1: the file is UTF-16 text, but must be UTF-8"),
        ("a: 1\n".encode("utf-16-le"), "the file is UTF-16 text, but must be UTF-8"),
        ("a: 1\n".encode("utf-16-be"), "the file is UTF-16 text, but must be UTF-8"),
        (b"a: 1\nb: x\0y\n", r"2:5: YAML does not allow this character: '\x00'"),
        (b"a: \x1b[31m\n", r"1:4: YAML does not allow this character: '\x1b'"),
        (b"a:\r\n  b: \x7f\r\n", r"2:6: YAML does not allow this character: '\x7f'"),
        (b"\xff" * 100, "1:1: the file is not UTF-8 text"),
        (b"\xef", "1:1: the file is not UTF-8 text"),
        (b"\xef\xbb", "1:1: the file is not UTF-8 text"),
        (b"\xef\xbb\xbfa: \xff", "1:4: the file is not UTF-8 text"),
        (b" " * (MAX_BYTES + 1), f"the file is larger than {MAX_BYTES:,} bytes"),
    ],
)
def test_bytes_that_are_no_text(data: bytes, message: str) -> None:
    assert said(data) == [message]
    assert read(data).root is None


def test_a_byte_order_mark_and_dos_line_ends_make_no_difference() -> None:
    plain = whole("a: |\n  x\n  y\nb: [1, 2]\n")
    assert whole("\ufeffa: |\r\n  x\r\n  y\r\nb: [1, 2]\r\n") == plain


def test_escapes_in_quotes_may_be_any_character_that_there_is() -> None:
    assert whole(r'{a: "\0", b: "\e[0m", c: "\x41", d: "\u2028"}') == {
        "a": "\0", "b": "\x1b[0m", "c": "A", "d": "\u2028",
    }  # fmt: skip
    (message,) = said(r'a: "\ud800"')
    assert message.startswith("1:")


# -- bombs --------------------------------------------------------------------------------------


def laughs(depth: int) -> str:
    """Return a YAML file whose every line repeats the one above ten times."""
    lines = ["a0: &a0 [" + ", ".join("x" * 10) + "]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, depth)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        laughs(30),
        "a0: &a0 {k0: 1}\n" + "\n".join(f"a{i}: &a{i} {{<<: *a{i - 1}, k{i}: 1}}" for i in range(1, 3000)),
        "x: [" + "{}," * (MAX_NODES + 1) + "]",
        "\n".join(f"k{i}: 1" for i in range(MAX_NODES)),
    ],
    ids=["billion laughs", "merges of merges", "many values", "many keys"],
)
def test_sharing_and_size_are_bounded(text: str) -> None:
    parsed = read(text)
    assert f"more than {MAX_NODES} keys and values" in str(parsed.problems[-1])
    assert not parsed.whole


@pytest.mark.parametrize("bomb", ["[" * 100_000, "{a: " * 100_000, "- " * 100_000, "? " * 100_000])
def test_nesting_is_bounded(bomb: str) -> None:
    (message,) = said(bomb)
    assert re.fullmatch(rf"1:\d+: mappings and lists are nested more than {MAX_NESTING} deep here", message)


def test_the_deepest_nesting_that_is_allowed() -> None:
    whole("[" * MAX_NESTING + "]" * MAX_NESTING)


def test_a_file_full_of_faults_says_that_there_are_more() -> None:
    messages = said("a: 1\n" * (MAX_PROBLEMS + 100))
    assert len(messages) == MAX_PROBLEMS + 1
    assert messages[-1].endswith("there are more problems from here on, which are not listed")


def test_a_long_name_is_cut_short() -> None:
    (message,) = said("a: *" + "x" * 1_000_000)
    assert len(message) < 150


# -- anything at all ----------------------------------------------------------------------------

PIECES = [
    "a", "b: ", "- ", "\n", "  ", "\t", ":", "#", "#: ", "&x ", "*x", "<<: ", "!t ", "[", "]", "{", "}", ",", "'", '"',
    "|\n", ">\n", "---\n", "...\n", "%", "? ", "\\", "\r\n", "\u2028", "😀", "\ufeff", "3", "null", "@", "`", "\0",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=30))
def test_any_text_gives_data_and_places_within_it(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    parsed = read_yaml(data, "x.yaml")
    assert parsed.whole or parsed.problems
    lines = LINE_END.split(text)
    for problem in parsed.problems:
        assert str(problem).isprintable()
        assert 0 <= problem.source.line <= len(lines) + 1
    for mark, _ in every_mark(parsed.root):
        assert mark.line - 1 <= len(lines)  # an empty value at the end may stand below the last line
        assert mark.line > len(lines) or mark.column <= len(lines[mark.line - 1]) + 1


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    parsed = read_yaml(data, "x.yaml")
    assert parsed.whole or parsed.problems
