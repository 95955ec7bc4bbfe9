"""Numbers of the content that may be changed to reach a goal, and how one is changed in the text of a YAML file.

All else in the file, comments and layout, stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil, floor, log
from typing import TYPE_CHECKING, NamedTuple

import yaml

from dungeon.content.source.reader import as_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


Path = tuple[str, ...]
"""The keys that lead to a value, from the root of a file; items of lists go by their number."""


class UnsettableError(Exception):
    """A value can't be changed in its place; the message says why."""


def scalar_at(text: str, path: Path) -> str | None:
    """Return the value that a path leads to, as it was written but for quotes; None if there is none.

    Raises:
        UnsettableError: What is there is no single value, or it is shared with another place by an alias.
    """
    nodes = _nodes(text, path)
    if len(nodes) <= len(path):
        return None
    node = nodes[-1]
    if not isinstance(node, yaml.ScalarNode):
        raise UnsettableError(f"{'.'.join(path)} is no single value")
    return str(node.value)


def keys_at(text: str, path: Path) -> list[str]:
    """Return the keys of the mapping that a path leads to; nothing if there is none."""
    nodes = _nodes(text, path)
    if len(nodes) <= len(path) or not isinstance(nodes[-1], yaml.MappingNode):
        return []
    return [key.value for key, _ in nodes[-1].value if isinstance(key, yaml.ScalarNode)]


def with_value(text: str, path: Path, value: str) -> str:
    """Return a text of which one value is another one.

    A value that is there is exchanged for the new one. One that is missing is added, with the mappings that it is
    missing in: to a mapping in braces behind the last value, to one with a key on each line as a line of its own.

    Args:
        text: What the file says.
        path: Where the value is to stand.
        value: What it is to be, which needs no quotes.

    Raises:
        UnsettableError: It can't stand there.
    """
    nodes = _nodes(text, path)
    node, missing = nodes[-1], path[len(nodes) - 1 :]
    if not missing:
        if not isinstance(node, yaml.ScalarNode):
            raise UnsettableError(f"{'.'.join(path)} is no single value")
        return text[: node.start_mark.index] + value + text[node.end_mark.index :]
    if not isinstance(node, yaml.MappingNode):
        raise UnsettableError(f"{'.'.join(path[: len(nodes) - 1])} has no keys to which one could be added")
    for key in reversed(missing[1:]):
        value = f"{{{key}: {value}}}"
    pair = f"{missing[0]}: {value}"
    if node.flow_style:
        at = _end(text, node)
        return text[:at] + (", " if node.value else "") + pair + text[at:]
    return _with_line(text, node, pair)


def _with_line(text: str, node: yaml.MappingNode, pair: str) -> str:
    """Return a text with another line at the end of a mapping that has a line for each key."""
    line_end = text.find("\n", _end(text, node))
    at = len(text) if line_end < 0 else line_end + 1
    ending = "\r\n" if text[:at].endswith("\r\n") else "\n"
    opening = "" if line_end >= 0 else ending
    return f"{text[:at]}{opening}{' ' * node.start_mark.column}{pair}{ending}{text[at:]}"


def _end(text: str, mapping: yaml.MappingNode) -> int:
    """Return where the last value of a mapping ends, or behind what opens the mapping if it has none."""
    # What an alias stands for lies elsewhere.
    own = [value for key, value in mapping.value if value.start_mark.index >= key.end_mark.index]
    if not mapping.value:
        return mapping.start_mark.index + 1
    if not own:
        raise UnsettableError("all there is in the mapping is shared with other places by aliases")
    return _end_of_value(text, own[-1])


def _end_of_value(text: str, node: yaml.Node) -> int:
    """Return where a value ends. Where it has lines of its own, the parser goes on to the next token."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style:
        return _end(text, node)
    if isinstance(node, yaml.SequenceNode) and not node.flow_style:
        return _end_of_value(text, node.value[-1])
    return len(text[: node.end_mark.index].rstrip())


def _nodes(text: str, path: Path) -> Sequence[yaml.Node]:
    """Return the root, and what is at each step of a path, as far as it goes.

    Raises:
        UnsettableError: On the way is something that is shared with another place.
    """
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if node is None:
        raise UnsettableError("the file holds nothing")
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
        # An alias stands for what is somewhere above; an anchor makes a value known elsewhere.
        if node.start_mark.index < after or text[node.start_mark.index] in "&!":
            raise UnsettableError(f"{step} is shared with other places by an alias, or has a tag")
        nodes.append(node)
    return nodes


ROUND = (100.0, 50.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1)
"""Multiples of these are round numbers, the roundest first."""

RANGE = re.compile(r"\s*(\d+)\s*\.\.\s*(\d*)\s*")

SHARE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")

FINE, WHOLE = 0.1, 1.0
"""How finely numbers are set: weights with one decimal, whole numbers as such."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A number that may be changed.

    Attributes:
        place: The file it stands in, from the content folder on.
        path: The keys that lead to it.
        now: What it is.
        least: The least that it may be; `most`, the most.
        template: How it is written: ``{0}`` stands for the number, ``{1}`` for it and `width`.
        width: How wide the range is that begins with it.
        grain: How finely it is set.
        stride: How many times as much, or as little, is tried next; it goes by one grain where that is no more.
        up: Whether the more of it, the more there should be of what is measured; None if that can't be told.
        words: The words for such numbers, if it is written as a word.
        side: Which end of a range it is: from, to, or empty for the whole.
        tier: Those of a lower tier are tried first: what touches less comes before what touches more.
    """

    place: str
    path: Path
    now: float
    least: float
    most: float
    template: str = "{0}"
    width: float = 0
    grain: float = WHOLE
    stride: float = 2
    up: bool | None = True
    words: tuple[tuple[str, float], ...] = ()
    side: str = ""
    tier: int = 0

    @property
    def name(self) -> str:
        """What authors call it: its keys, with dots between them."""
        return ".".join(self.path) + (f" ({self.side})" if self.side else "")

    def written(self, value: float) -> str:
        """Return how a value of it is written: as a word where the author has used one and it means just that."""
        for word, number in self.words:
            if number == value:
                return word
        return self.template.format(_plain(value), _plain(value + self.width))

    def position(self, value: float) -> float:
        """Return where a value lies on the scale on which steps are even: that of logarithms, but for what is next to 0."""
        return log(value + self.grain)

    def further(self, value: float, *, up: bool) -> float | None:
        """Return the next value to try in a direction; None at the end."""
        step = value * self.stride if up else value / self.stride
        other = round(step / self.grain) * self.grain
        if abs(other - value) < self.grain:
            other = value + (self.grain if up else -self.grain)
        other = min(max(round(other, 1), self.least), self.most)
        return other if (other > value if up else other < value) else None

    def roundest(self, near: float, far: float) -> float | None:
        """Return the roundest number between two, these included; of those that are as round, that next to the first.

        Words are the roundest, if it is written as one.
        """
        low, high = max(min(near, far), self.least), min(max(near, far), self.most)
        for row in ([number for _, number in self.words], *self._rows(low, high)):
            inside = [each for each in row if low <= each <= high]
            if inside:
                return min(inside, key=lambda each: abs(each - near))
        return None

    def between(self, one: float, other: float) -> tuple[float, float] | None:
        """Return the first and the last of the numbers that lie between two others; None if there are none."""
        low = floor(round(min(one, other) / self.grain, 6)) + 1
        high = ceil(round(max(one, other) / self.grain, 6)) - 1
        return (round(low * self.grain, 1), round(high * self.grain, 1)) if low <= high else None

    def _rows(self, low: float, high: float) -> Iterator[list[float]]:
        """Yield the round numbers at the two ends of a stretch, the roundest first."""
        for step in ROUND:
            if step >= self.grain:
                first, last = ceil(round(low / step, 6)), floor(round(high / step, 6))
                yield [round(each * step, 1) for each in (first, last) if first <= last]


class Setting(NamedTuple):
    """A knob, and what it is set to."""

    knob: Knob
    value: float

    @property
    def written(self) -> str:
        """How that is written."""
        return self.knob.written(self.value)


def knobs_in(place: str, path: Path, raw: str, words: Mapping[str, float]) -> list[Knob]:
    """Return what can be changed about a value as it is written: nothing if it is no number.

    Of a range of depths both ends can be moved, other ranges are moved as a whole.

    Args:
        place: The file it stands in.
        path: The keys that lead to it.
        raw: The value.
        words: The words for weights.
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
                least=grain if now else 0.0,
                most=max(1000.0, now) if is_fine else max(4 * now, now + 10),
                grain=grain,
                stride=4 if is_fine else 2,
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
                Knob(
                    place=place, path=path, now=low, least=0, most=most, template="{0}..{1}", width=width,
                    stride=1.25,
                )
            ]  # fmt: skip
    return []


def depth_knobs(place: str, path: Path, low: int, high: int | None, deepest: int = 99) -> list[Knob]:
    """Return the two ends of a range of depths; one that has no end can only begin elsewhere.

    Args:
        place: The file it stands in.
        path: The keys that lead to it.
        low: Where it begins.
        high: Where it ends; None for nowhere.
        deepest: How deep maps lie.
    """
    last = deepest if high is None else high
    template = "{0}.." if high is None else f"{{0}}..{high}"
    knobs = [
        Knob(
            place=place, path=path, now=low, least=0, most=max(last, low), template=template, stride=1,
            up=False, side="from", tier=1,
        )
    ]  # fmt: skip
    if high is not None:
        knobs.append(
            Knob(
                place=place, path=path, now=high, least=low, most=max(deepest, high), template=f"{low}..{{0}}",
                stride=1, side="to", tier=1,
            )
        )  # fmt: skip
    return knobs


def _plain(number: float) -> str:
    """Return a number as authors write it."""
    return f"{number:g}"
