"""Knobs: numbers of a content that may be changed, and how one is replaced in the text of a YAML file.

The rest of the file, with comments and layout, stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import ceil, floor, log
from typing import TYPE_CHECKING, NamedTuple

import yaml

from dungeon.content.source.reader import as_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


Path = tuple[str, ...]
"""The keys from the root of a file to a value; items of lists go by their index as text."""


class UnsettableError(Exception):
    """A value can't be changed where it is written in the file; the message gives the reason."""


def scalar_at(text: str, path: Path) -> str | None:
    """Return the text of the scalar at a path, without quotes; None if there is no value.

    Raises:
        UnsettableError: The value is a list or mapping, or shared by an alias.
    """
    nodes = _nodes(text, path)
    if len(nodes) <= len(path):
        return None
    node = nodes[-1]
    if not isinstance(node, yaml.ScalarNode):
        raise UnsettableError(f"{'.'.join(path)} is a list or mapping, not a single value")
    return str(node.value)


def keys_at(text: str, path: Path) -> list[str]:
    """Return the keys of the mapping at a path; empty if there is no mapping."""
    nodes = _nodes(text, path)
    if len(nodes) <= len(path) or not isinstance(nodes[-1], yaml.MappingNode):
        return []
    return [key.value for key, _ in nodes[-1].value if isinstance(key, yaml.ScalarNode)]


def with_value(text: str, path: Path, value: str) -> str:
    """Return the text of a file with one value replaced or added.

    A missing value is added together with its missing parent mappings. A mapping in braces gets it after its last value; a mapping in
    block style gets a new line.

    Args:
        text: The text of the file.
        path: The keys of the value.
        value: The new value, which needs no quotes.

    Raises:
        UnsettableError: The file can't have the value at this path.
    """
    nodes = _nodes(text, path)
    node, missing = nodes[-1], path[len(nodes) - 1 :]
    if not missing:
        if not isinstance(node, yaml.ScalarNode):
            raise UnsettableError(f"{'.'.join(path)} is a list or mapping, not a single value")
        return text[: node.start_mark.index] + value + text[node.end_mark.index :]
    if not isinstance(node, yaml.MappingNode):
        raise UnsettableError(f"{'.'.join(path[: len(nodes) - 1])} is no mapping, so no key can be added")
    for key in reversed(missing[1:]):
        value = f"{{{key}: {value}}}"
    pair = f"{missing[0]}: {value}"
    if node.flow_style:
        at = _end(text, node)
        return text[:at] + (", " if node.value else "") + pair + text[at:]
    return _with_line(text, node, pair)


def _with_line(text: str, node: yaml.MappingNode, pair: str) -> str:
    """Return the text with `pair` (``key: value``) as a new line at the end of a mapping in block style."""
    line_end = text.find("\n", _end(text, node))
    at = len(text) if line_end < 0 else line_end + 1
    ending = "\r\n" if text[:at].endswith("\r\n") else "\n"
    opening = "" if line_end >= 0 else ending
    return f"{text[:at]}{opening}{' ' * node.start_mark.column}{pair}{ending}{text[at:]}"


def _end(text: str, mapping: yaml.MappingNode) -> int:
    """Return the index after a mapping's last value; for an empty mapping, after its opening brace."""
    # The node behind an alias lies elsewhere in the file.
    own = [value for key, value in mapping.value if value.start_mark.index >= key.end_mark.index]
    if not mapping.value:
        return mapping.start_mark.index + 1
    if not own:
        raise UnsettableError("all values of the mapping are aliases")
    return _end_of_value(text, own[-1])


def _end_of_value(text: str, node: yaml.Node) -> int:
    """Return the index after a value. In block style, the parser's own end would be the start of the next token."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style:
        return _end(text, node)
    if isinstance(node, yaml.SequenceNode) and not node.flow_style:
        return _end_of_value(text, node.value[-1])
    return len(text[: node.end_mark.index].rstrip())


def _nodes(text: str, path: Path) -> Sequence[yaml.Node]:
    """Return the nodes along a path from the root, as far as they exist.

    Raises:
        UnsettableError: A node on the path is shared with another place.
    """
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if node is None:
        raise UnsettableError("the file is empty")
    nodes = [node]
    for step in path:
        after = node.start_mark.index
        if isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == step), None)
            if pair is None:
                break
            after, node = pair[0].end_mark.index, pair[1]
        elif isinstance(node, yaml.SequenceNode) and step.isdecimal() and int(step) < len(node.value):
            node = node.value[int(step)]
        else:
            break
        # An alias points to a node further up; a value with an anchor is used elsewhere, too.
        if node.start_mark.index < after or text[node.start_mark.index] in "&!":
            raise UnsettableError(f"{step} is an alias, or has an anchor or a tag")
        nodes.append(node)
    return nodes


ROUND = (100.0, 50.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1)
"""Multiples of these are round numbers, the roundest first."""

RANGE = re.compile(r"\s*(\d+)\s*\.\.\s*(\d*)\s*")

SHARE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")

FINE, WHOLE = 0.1, 1.0
"""Step size of numbers: weights have one decimal, whole numbers none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A number that may be changed.

    Attributes:
        place: The file, relative to the content folder.
        path: The keys of the number.
        now: The present value of the number.
        least: Smallest allowed value.
        most: Largest allowed value.
        template: The text of the value in the file: ``{0}`` stands for the value, ``{1}`` for the value plus `width`.
        width: For a range that is moved as a whole, its length.
        grain: Step size of allowed values.
        up: Whether a larger value raises the measured number (False: lowers it); None if unknown.
        words: Weight word -> value, if the author wrote the value as such a word; else empty.
        side: Which end of a range the knob changes: ``from``, ``to``, or empty for the whole range.
        tier: Knobs of a lower tier are tried first, because they affect less of the content.
    """

    place: str
    path: Path
    now: float
    least: float
    most: float
    template: str = "{0}"
    width: float = 0
    grain: float = WHOLE
    up: bool | None = True
    words: tuple[tuple[str, float], ...] = ()
    side: str = ""
    tier: int = 0

    @property
    def name(self) -> str:
        """The name of the knob: the YAML keys of its number, joined by dots: `limit.map`; for an end of a range, `count (from)`."""
        return ".".join(self.path) + (f" ({self.side})" if self.side else "")

    def written(self, value: float) -> str:
        """Return a value as text for the file; if the author wrote a weight word, the word that means exactly this value, if any."""
        for word, number in self.words:
            if number == value:
                return word
        return self.template.format(_plain(value), _plain(value + self.width))

    def position(self, value: float) -> float:
        """Return a value's position on the logarithmic scale on which the search steps."""
        return log(value + self.grain)

    def within(self, least: float, most: float) -> Knob:
        """Return the knob with its allowed values cut to those from `least` to `most`; its present value stays allowed."""
        low = ceil(round(least / self.grain, 6)) * self.grain
        high = floor(round(most / self.grain, 6)) * self.grain
        return replace(
            self,
            least=min(self.now, max(self.least, round(low, 1))),
            most=max(self.now, min(self.most, round(high, 1))),
        )

    def roundest(self, near: float, far: float) -> float | None:
        """Return the roundest value in a range (both ends included), such as 20 rather than 19; None if the range has no value.

        Of equally round values, the nearest to `near` is returned.

        For a knob written as a word, the words' values are the roundest.
        """
        low, high = max(min(near, far), self.least), min(max(near, far), self.most)
        for row in ([number for _, number in self.words], *self._rows(low, high)):
            inside = [each for each in row if low <= each <= high]
            if inside:
                return min(inside, key=lambda each: abs(each - near))
        return None

    def between(self, one: float, other: float) -> tuple[float, float] | None:
        """Return the first and the last value strictly between two others; None if there is none."""
        low = floor(round(min(one, other) / self.grain, 6)) + 1
        high = ceil(round(max(one, other) / self.grain, 6)) - 1
        return (round(low * self.grain, 1), round(high * self.grain, 1)) if low <= high else None

    def _rows(self, low: float, high: float) -> Iterator[list[float]]:
        """Yield for each step in `ROUND` the lowest and the highest of its multiples from `low` to `high`: (18, 64), step 10 -> [20, 60].

        The largest step comes first; steps below `grain` are left out. The list is empty if no multiple is in the range.
        """
        for step in ROUND:
            if step >= self.grain:
                first, last = ceil(round(low / step, 6)), floor(round(high / step, 6))
                yield [round(each * step, 1) for each in (first, last) if first <= last]


class Setting(NamedTuple):
    """A knob and its new value."""

    knob: Knob
    value: float

    @property
    def written(self) -> str:
        """The new value as it is written in the file."""
        return self.knob.written(self.value)


def knobs_in(place: str, path: Path, raw: str, words: Mapping[str, float]) -> list[Knob]:
    """Return the knobs of a written value; empty if it is no number, percentage or range.

    A range of depths gives one knob for each end; other ranges are moved as a whole.

    Args:
        place: The file, relative to the content folder.
        path: The keys of the value.
        raw: The value as written.
        words: Weight word -> value.
    """
    number = as_number(raw)
    if raw in words or (isinstance(number, int | float) and not isinstance(number, bool)):
        is_fine = raw in words or isinstance(number, float) or "maps" in path or path[-1] == "weight"
        now = float(words.get(raw, number if isinstance(number, int | float) else 0))
        grain = FINE if is_fine else WHOLE
        return [
            Knob(
                place=place,
                path=path,
                now=now,
                least=grain if now else 0.0,  # 0 would switch the entry off instead of tuning it
                most=max(1000.0, now) if is_fine else max(4 * now, now + 10),
                grain=grain,
                words=tuple(words.items()) if raw in words else (),
            )
        ]
    if match := SHARE.fullmatch(raw):
        return [Knob(place=place, path=path, now=float(match[1]), least=0, most=100, template="{0}%")]
    if match := RANGE.fullmatch(raw):
        low, high = float(match[1]), match[2]
        if path[-1] == "depth":
            return depth_knobs(place, path, int(low), int(high) if high else None)
        if high:
            width, most = float(high) - low, max(4 * low, low + 10)
            return [
                Knob(place=place, path=path, now=low, least=0, most=most, template="{0}..{1}", width=width)
            ]
    return []


def depth_knobs(place: str, path: Path, low: int, high: int | None, deepest: int = 99) -> list[Knob]:
    """Return the knobs for both ends of a range of depths; an open range has only the first.

    Args:
        place: The file, relative to the content folder.
        path: The keys of the range.
        low: Its first depth.
        high: Its last depth; None for an open range.
        deepest: The deepest depth that the knobs may reach.
    """
    last = deepest if high is None else high
    template = "{0}.." if high is None else f"{{0}}..{high}"
    knobs = [
        Knob(
            place=place, path=path, now=low, least=0, most=max(last, low), template=template,
            up=False, side="from", tier=1,
        )
    ]  # fmt: skip
    if high is not None:
        knobs.append(
            Knob(
                place=place, path=path, now=high, least=low, most=max(deepest, high), template=f"{low}..{{0}}",
                side="to", tier=1,
            )
        )  # fmt: skip
    return knobs


def _plain(number: float) -> str:
    """Return a number as text for YAML: without a decimal point if it is whole."""
    return f"{number:g}"
