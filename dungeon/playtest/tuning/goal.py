"""Goals, as authors write them: ``share(foundry, engine_house) = 5%``.

Their first half is that of the conditions of `dungeon.playtest.compare.conditions`, and so are the measures.

Where changes are tried: content in a folder of its own, worlds that are made of it, and the numbers measured on them.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field, fields
from math import inf, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import dungeon
from dungeon.core.errors import PlaytestError
from dungeon.metrics import Metrics
from dungeon.playtest.compare.comparison import Pair
from dungeon.playtest.compare.conditions import ConditionReader, part_and_thing
from dungeon.playtest.compare.measures import MEASURES
from dungeon.playtest.recording.recorder import record
from dungeon.playtest.statistics import standard_error, wilson, z_of_interval
from dungeon.playtest.tuning.knobs import with_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from dungeon.content.library import Content
    from dungeon.playtest.compare.conditions import Token
    from dungeon.playtest.compare.measures import Measure
    from dungeon.playtest.recording.recorder import Probe
    from dungeon.playtest.tuning.knobs import Setting


WRONG = 0.05
"""How often an interval may miss."""


class IntervalEstimate(NamedTuple):
    """A number, with an interval of 95%.

    Attributes:
        value: What it was, on average over worlds.
        low: Where the interval for what it is begins; `high`, where it ends.
        worlds: How many worlds that is known from.
    """

    value: float
    low: float
    high: float
    worlds: int

    def margin_with(self, worlds: int) -> float:
        """Return about how wide half the interval would be if it were known from so many worlds."""
        return (self.high - self.low) / 2 * sqrt(self.worlds / worlds)


def estimate_of(values: NDArray[np.float64], *, is_share: bool) -> IntervalEstimate:
    """Return what a number is, given what it was in each world.

    The interval of a share is that of `wilson`, which means something where all worlds are alike, too. Worlds count as one level each: where they have more, it is
    too wide rather than too narrow. That of other numbers is the normal one.

    Args:
        values: Shape (worlds,); nan for worlds that don't have it.
        is_share: Whether they lie between 0 and 1.
    """
    there = values[~np.isnan(values)]
    count = len(there)
    if not count:
        return IntervalEstimate(np.nan, -inf, inf, 0)
    value = float(there.mean())
    if not is_share:
        margin = z_of_interval(WRONG) * standard_error(there)
        return IntervalEstimate(value, value - margin, value + margin, count)
    return IntervalEstimate(value, *wilson(value * count, count), count)


def effect_of(before: NDArray[np.float64], after: NDArray[np.float64]) -> IntervalEstimate:
    """Return by how much a number has changed in the same worlds: shape (worlds,), nan for those that don't have it."""
    return estimate_of(after - before, is_share=False)


NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)%?"

BOUND = re.compile(NUMBER)
TARGET = re.compile(rf"({NUMBER})(?:(?:±|\+-)({NUMBER}))?")
TOLERANCE = re.compile(rf"(?:±|\+-)({NUMBER})")

SLACK = 0.1
"""A number that is to be another one may be off by so much of it, unless the goal says by how much."""

SLACK_OF_SHARES = 0.02
"""Shares at least by that much: two percentage points."""

FROM, TO = 0.3, 0.7
"""The middle of a goal with two ends: no part of it is safer."""

LOCKABLE = ["door", "box", "portal"]

METRICS = [*(each.name for each in fields(Metrics) if each.name != "exits"), "exit_nearest", "exit_farthest"]
"""What runs record of `dungeon.Metrics`, but for the kinds of regions."""

ALSO = {"count": "copies"}
"""Other words for measures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What a number is to be.

    Attributes:
        text: As it was written.
        measure: Which number.
        scope: Of which part of the world.
        thing: Of what; empty if it is not about things, or about all of them.
        low: The least that it may be; `high`, the most. At least one of them is finite.
    """

    text: str
    measure: Measure
    scope: str
    thing: str
    low: float
    high: float

    @property
    def is_share(self) -> bool:
        """Whether it is told in percent."""
        return self.measure.is_share

    @property
    def is_of_games(self) -> bool:
        """Whether bots must have played."""
        return self.measure.of_games

    def has(self, estimate: IntervalEstimate) -> bool:
        """Tell whether a number is what it is to be."""
        return self.low <= estimate.value <= self.high

    def holds(self, estimate: IntervalEstimate) -> bool:
        """Tell whether it is so for sure: whether all of its interval is."""
        return self.low <= estimate.low and estimate.high <= self.high

    def fails(self, estimate: IntervalEstimate) -> bool:
        """Tell whether it is for sure not so: whether nothing of its interval is."""
        return estimate.high < self.low or self.high < estimate.low

    def distance(self, estimate: IntervalEstimate) -> float:
        """Return how far a number is from what it is to be."""
        return max(self.low - estimate.value, estimate.value - self.high, 0.0) if estimate.worlds else inf

    def told(self, estimate: IntervalEstimate) -> str:
        """Return a number with its interval, as it is measured: ``5.1% (3.9% to 6.6%)``."""
        value, low, high = (f"{each:.1%}" if self.is_share else f"{each:.3g}" for each in estimate[:3])
        return f"{value} ({low} to {high})"

    def told_change(self, estimate: IntervalEstimate) -> str:
        """Return a change with its interval, as it is measured: ``+2.0 points (+1.2 to +2.8)``."""
        if self.is_share:
            value, low, high = (f"{100 * each:+.1f}" for each in estimate[:3])
            return f"{value} points ({low} to {high})"
        value, low, high = (f"{each:+.3g}" for each in estimate[:3])
        return f"{value} ({low} to {high})"

    def aims(self, margin: float, *, above: bool) -> tuple[float, float]:
        """Return between which numbers to aim: from that which is nearest from one side and still safe, to one well inside.

        Args:
            margin: How far off the number may be.
            above: Whether it is too large now.
        """
        edge, inward = (self.high, -1) if above else (self.low, 1)
        safe, inside = 1.2 * margin, 2.5 * margin
        if self.low > -inf and self.high < inf:
            width = self.high - self.low
            safe, inside = min(safe, FROM * width), TO * width
        return edge + inward * safe, edge + inward * inside


class _Words:
    """What a goal may ask for: see `dungeon.playtest.compare.conditions.Words`."""

    def __init__(self, content: Content, bots: tuple[str, ...]) -> None:
        spots = content.chart.spots.values()
        names = [(spot.branch, f"depth{spot.depth}", spot.id, *spot.types) for spot in spots]
        self.scopes = list(dict.fromkeys(["everywhere", *(name for each in names for name in each)]))
        self.has_games = bool(bots)
        self._content = content
        self._bots = bots

    def things(self, measure: Measure) -> list[str]:
        """Return what a measure can be asked of."""
        content, kinds, things = self._content, self._content.kinds, self._content.catalog.things
        known: dict[str, list[str]] = {
            "category": sorted({each.category for each in content.encounters.values()}),
            "prefab": list(content.prefabs),
            "objects": [tag for each in things.values() for tag in each],
            "kind": list(things),
            "deaths_by": [tag for kind in kinds.like("robot", "trap") for tag in things[kind]],
            "harm": [tag for kind in kinds.like("robot") for tag in things[kind]],
            "metric": METRICS,
            "locked": LOCKABLE,
            "key_distance": LOCKABLE,
            "locked_with": list(content.locks),
            "word_distance": list(content.locks),
        }
        if measure.by_bot:
            return list(self._bots)
        return known.get(measure.name, list(content.encounters))


def goal_in(text: str, content: Content, bots: tuple[str, ...] = ()) -> Goal:
    """Read a goal.

    It is a measure, of which part of the world, and of what, as for `dungeon.playtest.compare.condition_in`. Then it says what
    that is to be: ``= 5%``, ``= 5% ±1%`` (or ``+-``), ``between 40% and 60%``, ``< 10%`` or ``> 2.5``. Only shares are in percent.

    Args:
        text: The goal.
        content: What it is about.
        bots: The bots that play.

    Raises:
        ConditionError: It can't be understood.
        PlaytestError: It is about games, and no bots play.
    """
    reader = ConditionReader(text)
    word = reader.take("a measure", [*MEASURES, *ALSO]).text
    measure = MEASURES[ALSO.get(word, word)]
    opened = reader.take("( or @", ("(", "@")).text == "("
    if measure.of_games and not bots:
        raise PlaytestError(f"{word} is of games: say which bots play them with --bots")
    scope, thing = part_and_thing(reader, _Words(content, bots), measure, "in the content")
    if opened:
        reader.take(")", (")",))
    low, high = _range_in(reader, measure)
    reader.end()
    return Goal(text=text, measure=measure, scope=scope, thing=thing, low=low, high=high)


def _range_in(reader: ConditionReader, measure: Measure) -> tuple[float, float]:
    """Read what a number is to be."""
    relation = reader.take("what it is to be", ("=", "between", "<", "<=", ">", ">="))
    if relation.text == "between":
        low = _number(reader, reader.take("a number such as 40%"), measure)
        reader.take("and", ("and",))
        token = reader.take("a number such as 60%")
        high = _number(reader, token, measure)
        if high <= low:
            raise reader.wrong(token, "more than the number before it")
        return low, high
    token = reader.take("a number such as 5%")
    if relation.text != "=":
        number = _number(reader, token, measure)
        return (-inf, number) if "<" in relation.text else (number, inf)
    match = TARGET.fullmatch(token.text)
    number = _number(reader, token._replace(text=match[1]) if match else token, measure)
    slack = SLACK * number
    if measure.is_share:
        slack = max(slack, SLACK_OF_SHARES)
    if match and match[2]:
        slack = _number(reader, token._replace(text=match[2]), measure)
    elif reader.next:
        token = reader.take("by how much it may be off, such as ±1%")
        tolerance = TOLERANCE.fullmatch(token.text)
        if tolerance is None:
            raise reader.wrong(token, "by how much it may be off, such as ±1%")
        slack = _number(reader, token._replace(text=tolerance[1]), measure)
    return number - slack, number + slack


def _number(reader: ConditionReader, token: Token, measure: Measure) -> float:
    """Return a number as it is measured."""
    if not BOUND.fullmatch(token.text):
        raise reader.wrong(token, "a number such as 5% or 2.5")
    if token.text.endswith("%") and not measure.is_share:
        raise reader.wrong(token, f"what {measure.name} is measured in: it is no share")
    return float(token.text.rstrip("%")) / (100 if token.text.endswith("%") else 1)


class Texts:
    """The files of a content folder as they are now.

    Args:
        folder: The content folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[str, str] = {}

    def __getitem__(self, place: str) -> str:
        """Return what a file says: `place` is its path from the folder on. Line ends stay what they are."""
        if place not in self._read:
            self._read[place] = (self.folder / place).read_bytes().decode("utf-8")
        return self._read[place]

    def changed(self, settings: Sequence[Setting]) -> dict[str, str]:
        """Return the files that settings change, by place, as they are then.

        Raises:
            UnsettableError: A value can't be changed in its place.
        """
        result: dict[str, str] = {}
        for setting in settings:
            knob = setting.knob
            text = result.get(knob.place, self[knob.place])
            result[knob.place] = with_value(text, knob.path, setting.written)
        return result


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of some settings.

    Attributes:
        settings: What was changed; nothing for the content as it is.
        run: The folder of what was recorded.
        estimate: What the number was.
    """

    settings: tuple[Setting, ...]
    run: Path
    estimate: IntervalEstimate


@dataclass(slots=True, kw_only=True)
class Bench:
    """Tries changes. All are tried on the same worlds, so that what differs is due to them.

    Attributes:
        texts: The files of the content.
        goal: What is measured.
        folder: A folder for all that is written; the content itself is left alone.
        maps: The maps that are made.
        probe: What worlds are asked.
        seed: The first world.
        jobs: How many processes make them.
        told: Called with each trial.
    """

    texts: Texts
    goal: Goal
    folder: Path
    maps: Sequence[str]
    probe: Probe
    seed: int
    jobs: int
    told: Callable[[Trial], None]
    _contents: dict[tuple[Setting, ...], tuple[Content, Path]] = field(default_factory=dict)
    _known: dict[tuple[Setting, ...], Trial] = field(default_factory=dict)
    _laid: Mapping[str, str] = field(default_factory=dict)

    def measure(self, settings: tuple[Setting, ...], worlds: int) -> Trial:
        """Return what the number is with some settings, known from so many worlds.

        Raises:
            ContentError: The content is wrong with them.
            PlaytestError: It can't be measured.
            UnsettableError: A value can't be changed in its place.
        """
        if settings not in self._known or self._known[settings].estimate.worlds < worlds:
            self._known[settings] = self._trial(settings, range(self.seed, self.seed + worlds))
            self.told(self._known[settings])
        return self._known[settings]

    def verified(self, settings: tuple[Setting, ...], worlds: int) -> Trial:
        """Return what the number is with some settings in as many worlds that follow on those of so many."""
        first = self.seed + worlds
        return self._trial(settings, range(first, first + worlds), suffix="-fresh")

    def effect(self, one: Trial, other: Trial) -> IntervalEstimate:
        """Return by how much the number of one trial is larger than that of another, in the worlds of both."""
        goal = self.goal
        return effect_of(*Pair(other.run, one.run).numbers(goal.measure, goal.scope, goal.thing))

    def _trial(self, settings: tuple[Setting, ...], seeds: range, suffix: str = "") -> Trial:
        self._lay(settings)
        if settings not in self._contents:
            run = self.folder / f"run-{len(self._contents)}"
            self._contents[settings] = dungeon.load_content(self.folder / "content"), run
        content, run = self._contents[settings]
        run = run.with_name(run.name + suffix)
        record(content, seeds, out=run, maps=self.maps, jobs=self.jobs, probe=self.probe)
        goal = self.goal
        values, _ = Pair(run, run).numbers(goal.measure, goal.scope, goal.thing)
        estimate = estimate_of(values, is_share=goal.is_share)
        return Trial(settings=settings, run=run, estimate=estimate)

    def _lay(self, settings: tuple[Setting, ...]) -> None:
        """Have the folder for content say what it says with some settings, and nothing of others."""
        content = self.folder / "content"
        if not content.exists():
            shutil.copytree(self.texts.folder, content)
        changed = self.texts.changed(settings)
        back = {place: self.texts[place] for place in self._laid}
        for place, text in (back | changed).items():
            (content / place).write_bytes(text.encode())
        self._laid = changed
