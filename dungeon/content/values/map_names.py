"""Texts that name maps of a world (``tombs/3..5``: those of the *branch* `tombs` at depths 3 to 5), and depths of a branch (`1..10`).

A *branch* is a name that several maps share, at most one at each depth; a map's id is ``branch/depth``: ``tombs/3``. A *target* is a
text that says to which maps the exits of a map lead.

Maps are written like this:

foundry/3        the map of that branch at depth 3
tombs/3..5       the maps of that branch at depths 3 to 5
tombs/*          all maps of that branch
tombs/+1         the map of that branch one deeper than the map that leads there
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, PlainValidator, ValidationInfo, WithJsonSchema

from dungeon.content.source.names import MAX_LISTED
from dungeon.content.source.problems import ValueProblem, attempt, misread, raise_any
from dungeon.content.source.reader import resolve
from dungeon.content.values.fields import DEEPEST, check_place, several

if TYPE_CHECKING:
    from collections.abc import Callable


DEPTH = r"(?:0|[1-9][0-9]{0,5})"
SEVERAL = re.compile(rf"([^/]+)/(?:(\*)|({DEPTH})(?:\.\.({DEPTH}))?)")
TARGET = re.compile(rf"([^/]+)/(?:([+-]{DEPTH})|({DEPTH})(?:\.\.({DEPTH}))?)")
SPAN = re.compile(rf"\s*({DEPTH})\s*(?:\.\.\s*({DEPTH})\s*)?")

MAPS_SPELLING = "maps are written name/depth, name/3..5, or name/* for all of that name"
TARGET_SPELLING = "where exits lead is written name/depth, name/3..5, or name/+1 for one depth deeper"


@dataclass(frozen=True, slots=True)
class MapPattern:
    """A parsed text that names maps of one branch, such as ``tombs/3..5``.

    Attributes:
        name: The name of the branch.
        depths: The depths of the maps; None for all depths of the branch, or if `step` is set.
        step: How many depths deeper the maps lie than the map whose exits lead there (``tombs/+1``); else None.
    """

    name: str
    depths: range | None = None
    step: int | None = None

    def seen_from(self, depth: int) -> range:
        """Return the depths of the maps to which exits with this target lead from a map at `depth`.

        From depth 3, ``tombs/+1`` -> range(4, 5), and ``tombs/5..6`` -> range(5, 7).
        """
        if self.step is not None:
            return range(depth + self.step, depth + self.step + 1)
        return self.depths or range(0)

    def names(self, branch: str, depth: int) -> bool:
        """Tell whether the text names the map of a branch at a depth. False for a text such as ``tombs/+1``, which has a `step`."""
        return branch == self.name and self.step is None and (self.depths is None or depth in self.depths)


def maps_meant(text: str) -> MapPattern:
    """Parse a text that names maps: ``tombs/3``, ``tombs/3..5`` or ``tombs/*``.

    Raises:
        MisreadError: `text` is not written like this.
    """
    match = SEVERAL.fullmatch(text)
    if match is None:
        raise misread(MAPS_SPELLING, text)
    name, _, low, high = match.groups()
    return MapPattern(name, None if low is None else _depths(low, high, text))


def target_meant(text: str) -> MapPattern:
    """Parse a text that says where exits lead: ``tombs/3``, ``tombs/3..5`` or ``tombs/+1`` (one depth deeper).

    Raises:
        MisreadError: `text` is not written like this.
    """
    match = TARGET.fullmatch(text)
    if match is None:
        raise misread(TARGET_SPELLING, text)
    name, step, low, high = match.groups()
    if step is not None:
        return MapPattern(name, step=int(step))
    return MapPattern(name, _depths(low, high, text))


def _depths(low: str, high: str | None, text: object) -> range:
    """Return the depths from `low` to `high`, or only `low` if `high` is None.

    Args:
        low: The first depth, as digits.
        high: The last depth, as digits.
        text: The whole text, for the message.

    Raises:
        MisreadError: A depth is above `DEEPEST`, or `high` is less than `low`.
    """
    first, last = int(low), int(high or low)
    if last > DEEPEST:
        raise misread(f"a map lies at a depth of {DEEPEST} at most", text)
    if last < first:
        raise misread("the end of this range is below its start", text)
    return range(first, last + 1)


def _reader(meant: Callable[[str], MapPattern], spelling: str) -> Callable[[object, ValidationInfo], str]:
    """Return a validator that checks a text which names maps, and returns it unchanged.

    Args:
        meant: Parses the text.
        spelling: The message for a value that is no text: how maps are written.
    """

    def read(raw: object, info: ValidationInfo) -> str:
        if not isinstance(raw, str):
            raise misread(spelling, raw)
        check_place(meant(raw).name, info)
        return raw

    return read


def read_depths(raw: object) -> tuple[int, ...]:
    """Read the depths at which a branch has a map: `3`, `1..10`, or a list of these.

    Returns:
        Each depth, in ascending order.

    Raises:
        MisreadError: `raw` is not written like this, or a depth is listed twice.
    """
    items = list(raw) if isinstance(raw, list | tuple) else [raw]
    if not items:
        raise misread("at least one depth is needed here")
    if len(items) > MAX_LISTED:
        raise misread(f"at most {MAX_LISTED} items may be listed here", raw)
    problems: list[ValueProblem] = []
    found: dict[int, None] = {}
    for number, each in enumerate(items):
        at = (number,) if isinstance(raw, list | tuple) else ()
        depths = attempt(problems, _read_span, each, *at)
        twice = [depth for depth in depths or () if depth in found]
        if twice:
            problems.append(ValueProblem(message=f"depth {twice[0]} is listed twice", path=at, value=each))
        found |= dict.fromkeys(depths or ())
    raise_any(problems)
    return tuple(sorted(found))


def _read_span(raw: object) -> range:
    """Read a depth, such as `3`, or a range of depths, such as `1..10`."""
    number = resolve(raw) if isinstance(raw, str) else raw
    if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
        return _depths(str(number), None, raw)
    match = SPAN.fullmatch(raw) if isinstance(raw, str) else None
    if match is None:
        raise misread("a depth, or a range of depths such as 1..10, is needed here", raw)
    return _depths(match[1], match[2], raw)


_MAPS_SCHEMA: dict[str, object] = {"type": "string", "pattern": f"^{SEVERAL.pattern}$"}
_TARGET_SCHEMA: dict[str, object] = {"type": "string", "pattern": f"^{TARGET.pattern}$"}
_read_maps = _reader(maps_meant, MAPS_SPELLING)
_read_target = _reader(target_meant, TARGET_SPELLING)

SomeMaps = Annotated[str, BeforeValidator(_read_maps), WithJsonSchema(_MAPS_SCHEMA)]
"""A text that names maps of one branch: see `maps_meant`."""
SeveralMaps = Annotated[tuple[str, ...], *several(_read_maps, item=_MAPS_SCHEMA)]
Targets = Annotated[tuple[str, ...], *several(_read_target, item=_TARGET_SCHEMA)]
"""Targets of exits, as texts: see `target_meant`."""

SPAN_SCHEMA: dict[str, object] = {
    "anyOf": [
        {"type": "integer", "minimum": 0, "maximum": DEEPEST},
        {"type": "string", "pattern": f"^{SPAN.pattern}$", "description": "depths, such as 1..10"},
    ]
}
DepthList = Annotated[
    tuple[int, ...],
    PlainValidator(read_depths),
    WithJsonSchema(
        {
            "anyOf": [
                *SPAN_SCHEMA["anyOf"],
                {"type": "array", "items": SPAN_SCHEMA, "minItems": 1, "maxItems": MAX_LISTED},
            ]
        }
    ),
]
"""The depths at which a branch has a map."""
