"""Goals such as ``share(foundry, engine_house) = 5%`` (the target of one measure), and the bench that measures changed contents.

The first part of a goal is read as in conditions: see `dungeon.playtest.compare.conditions`.
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
"""Probability with which an interval misses the true value."""


class IntervalEstimate(NamedTuple):
    """A mean over worlds with its 95% interval.

    Attributes:
        value: The mean.
        low: Lower end of the interval.
        high: Upper end of the interval.
        worlds: Number of worlds with a value.
    """

    value: float
    low: float
    high: float
    worlds: int

    def margin_with(self, worlds: int) -> float:
        """Return the approximate half-width of the interval with this number of worlds."""
        return (self.high - self.low) / 2 * sqrt(self.worlds / worlds)


def estimate_of(values: NDArray[np.float64], *, is_share: bool) -> IntervalEstimate:
    """Return the mean and its interval from the value of each world.

    Shares get Wilson's interval, which is meaningful even if all worlds agree. It counts each world as one level, so with several
    levels in a world it is too wide rather than too narrow. Other numbers get the normal interval. Without any value, the mean is nan
    and the interval is infinite.

    Args:
        values: Shape (worlds,); nan for worlds without a value.
        is_share: Whether the values are between 0 and 1.
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
    """Return the mean change with its interval, from values of the same worlds: shape (worlds,), nan for worlds without a value."""
    return estimate_of(after - before, is_share=False)


NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)%?"

BOUND = re.compile(NUMBER)
TARGET = re.compile(rf"({NUMBER})(?:(?:±|\+-)({NUMBER}))?")
TOLERANCE = re.compile(rf"(?:±|\+-)({NUMBER})")

SLACK = 0.1
"""Accepted relative deviation from a target, unless the goal states one."""

SLACK_OF_SHARES = 0.02
"""Accepted deviation of shares, if larger: two percentage points."""

FROM, TO = 0.3, 0.7
"""For a goal with two ends, the search aims at this stretch of the range: its middle is safest."""

LOCKABLE = ["door", "box", "portal"]

METRICS = [*(each.name for each in fields(Metrics) if each.name != "exits"), "exit_nearest", "exit_farthest"]
"""The metrics that runs record, except numbers of regions by kind."""

ALSO = {"count": "copies"}
"""Synonym -> measure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """The target of one measure.

    Attributes:
        text: The goal as written.
        measure: The measure.
        scope: The part of the world.
        thing: The encounter, prefab...; empty for all together, or if the measure has no things.
        low: Smallest accepted value, or minus infinity.
        high: Largest accepted value, or infinity.
    """

    text: str
    measure: Measure
    scope: str
    thing: str
    low: float
    high: float

    @property
    def is_share(self) -> bool:
        """Whether values are shown in percent."""
        return self.measure.is_share

    @property
    def is_of_games(self) -> bool:
        """Whether the goal's measure is taken on games played by bots."""
        return self.measure.of_games

    def has(self, estimate: IntervalEstimate) -> bool:
        """Tell whether the mean is within the goal."""
        return self.low <= estimate.value <= self.high

    def holds(self, estimate: IntervalEstimate) -> bool:
        """Tell whether the whole interval is within the goal."""
        return self.low <= estimate.low and estimate.high <= self.high

    def fails(self, estimate: IntervalEstimate) -> bool:
        """Tell whether the whole interval is outside the goal."""
        return estimate.high < self.low or self.high < estimate.low

    def distance(self, estimate: IntervalEstimate) -> float:
        """Return the distance of the mean from the goal: 0 inside, infinity without worlds."""
        return max(self.low - estimate.value, estimate.value - self.high, 0.0) if estimate.worlds else inf

    def told(self, estimate: IntervalEstimate) -> str:
        """Return an estimate in words for the user: ``5.1% (3.9% to 6.6%)``."""
        value, low, high = (f"{each:.1%}" if self.is_share else f"{each:.3g}" for each in estimate[:3])
        return f"{value} ({low} to {high})"

    def told_change(self, estimate: IntervalEstimate) -> str:
        """Return a change in words for the user: ``+2.0 points (+1.2 to +2.8)``."""
        if self.is_share:
            value, low, high = (f"{100 * each:+.1f}" for each in estimate[:3])
            return f"{value} points ({low} to {high})"
        value, low, high = (f"{each:+.3g}" for each in estimate[:3])
        return f"{value} ({low} to {high})"

    def aims(self, margin: float, *, above: bool) -> tuple[float, float]:
        """Return the range that a search aims at: from the nearest value that safely reaches the goal to one well inside it.

        Args:
            margin: Half-width of the interval of a measured value.
            above: Whether the value is too large now, so the aim is near the upper end.
        """
        edge, inward = (self.high, -1) if above else (self.low, 1)
        # 1.2 half-widths inside, the whole interval is within the goal, with some reserve; 2.5 still keep the change small.
        safe, inside = 1.2 * margin, 2.5 * margin
        if self.low > -inf and self.high < inf:
            width = self.high - self.low
            safe, inside = min(safe, FROM * width), TO * width
        return edge + inward * safe, edge + inward * inside


class _Words:
    """The names in a content that a goal may use: see `dungeon.playtest.compare.conditions.KnownNames`."""

    def __init__(self, content: Content, bots: tuple[str, ...]) -> None:
        spots = content.chart.spots.values()
        names = [(spot.branch, f"depth{spot.depth}", spot.id, *spot.types) for spot in spots]
        self.scopes = list(dict.fromkeys(["everywhere", *(name for each in names for name in each)]))
        self.has_games = bool(bots)
        self._content = content
        self._bots = bots

    def things(self, measure: Measure) -> list[str]:
        """Return the names of the encounters, prefabs... for which a goal may ask `measure`."""
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

    It begins with a measure, a part of the world and a thing, as in `dungeon.playtest.compare.condition_in`. Then follows the target:
    ``= 5%``, ``= 5% ±1%`` (or ``+-``), ``between 40% and 60%``, ``< 10%`` or ``> 2.5``. Only shares may be in percent.

    Args:
        text: The goal.
        content: The content with the names that it may use.
        bots: The bots that play.

    Raises:
        ConditionError: The goal can't be understood.
        PlaytestError: It is about games, and there are no bots.
    """
    reader = ConditionReader(text)
    word = reader.take("a measure", [*MEASURES, *ALSO]).text
    measure = MEASURES[ALSO.get(word, word)]
    opened = reader.take("( or @", ("(", "@")).text == "("
    if measure.of_games and not bots:
        raise PlaytestError(f"{word} is measured on games: name the bots with --bots")
    scope, thing = part_and_thing(reader, _Words(content, bots), measure, "in the content")
    if opened:
        reader.take(")", (")",))
    low, high = _range_in(reader, measure)
    reader.end()
    return Goal(text=text, measure=measure, scope=scope, thing=thing, low=low, high=high)


def _range_in(reader: ConditionReader, measure: Measure) -> tuple[float, float]:
    """Read the target and return the smallest and the largest accepted value.

    A target such as ``= 5%`` without a tolerance accepts `SLACK` of the number, for shares at least `SLACK_OF_SHARES`, on each side.
    """
    relation = reader.take("a comparison", ("=", "between", "<", "<=", ">", ">="))
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
        token = reader.take("a tolerance such as ±1%")
        tolerance = TOLERANCE.fullmatch(token.text)
        if tolerance is None:
            raise reader.wrong(token, "a tolerance such as ±1%")
        slack = _number(reader, token._replace(text=tolerance[1]), measure)
    return number - slack, number + slack


def _number(reader: ConditionReader, token: Token, measure: Measure) -> float:
    """Return the value of a token: ``5%`` -> 0.05, ``2.5`` -> 2.5. Only shares may be in percent."""
    if not BOUND.fullmatch(token.text):
        raise reader.wrong(token, "a number such as 5% or 2.5")
    if token.text.endswith("%") and not measure.is_share:
        raise reader.wrong(token, f"a plain number: {measure.name} is not in percent")
    return float(token.text.rstrip("%")) / (100 if token.text.endswith("%") else 1)


class Texts:
    """The YAML files of a content folder as they are on disk.

    Args:
        folder: The content folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[str, str] = {}

    def __getitem__(self, place: str) -> str:
        """Return the text of a file with its line ends unchanged; `place` is the file's path relative to the content folder."""
        if place not in self._read:
            self._read[place] = (self.folder / place).read_bytes().decode("utf-8")
        return self._read[place]

    def changed(self, settings: Sequence[Setting]) -> dict[str, str]:
        """Return path relative to the folder -> new text, for each file that the settings change.

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
    """One measurement of the content with some numbers changed.

    Attributes:
        settings: The changed numbers; empty for the content as it is.
        run: The folder of the recorded run.
        estimate: The measured value.
    """

    settings: tuple[Setting, ...]
    run: Path
    estimate: IntervalEstimate


@dataclass(slots=True, kw_only=True)
class Bench:
    """Measures changed contents, always on the same worlds, so that differences come from the changes.

    Attributes:
        texts: The YAML files of the unchanged content.
        goal: The goal whose measure is taken.
        folder: A folder for the changed copy of the content and for runs; the content's own folder is not touched.
        maps: The ids of the maps to make in each world.
        probe: The function that makes a world, has bots play in it if needed, and records both.
        seed: The seed of the first world.
        jobs: Number of processes.
        told: A function that is called with each new trial, to show the progress.
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
        """Measure the content with some settings on at least `worlds` worlds, and return the trial. A finished trial is reused.

        Raises:
            ContentError: The changed content is wrong.
            PlaytestError: It can't be measured.
            UnsettableError: A value can't be changed in its place.
        """
        if settings not in self._known or self._known[settings].estimate.worlds < worlds:
            self._known[settings] = self._trial(settings, range(self.seed, self.seed + worlds))
            self.told(self._known[settings])
        return self._known[settings]

    def verified(self, settings: tuple[Setting, ...], worlds: int) -> Trial:
        """Return a trial of some settings on `worlds` fresh worlds: those after the first `worlds` ones."""
        first = self.seed + worlds
        return self._trial(settings, range(first, first + worlds), suffix="-fresh")

    def effect(self, one: Trial, other: Trial) -> IntervalEstimate:
        """Return the mean of `one` minus `other`, with its interval, over the worlds that both trials have."""
        goal = self.goal
        return effect_of(*Pair(other.run, one.run).numbers(goal.measure, goal.scope, goal.thing))

    def _trial(self, settings: tuple[Setting, ...], seeds: range, suffix: str = "") -> Trial:
        """Write the changed content, record the worlds of `seeds`, measure the goal, and return the trial.

        Args:
            settings: The changed numbers.
            seeds: The seeds.
            suffix: The end of the name of the run's folder.
        """
        self._write_content(settings)
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

    def _write_content(self, settings: tuple[Setting, ...]) -> None:
        """Write the files of some settings into the bench's copy of the content, and restore the files that the last trial changed."""
        content = self.folder / "content"
        if not content.exists():
            shutil.copytree(self.texts.folder, content)
        changed = self.texts.changed(settings)
        back = {place: self.texts[place] for place in self._laid}
        for place, text in (back | changed).items():
            (content / place).write_bytes(text.encode())
        self._laid = changed
