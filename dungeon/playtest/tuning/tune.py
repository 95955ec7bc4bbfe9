"""Tuning: the smallest change of numbers in a content (knobs) that brings a measure, such as deaths, to a goal."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from difflib import unified_diff
from math import inf
from pathlib import Path
from stat import S_IMODE
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import TYPE_CHECKING

import dungeon
from dungeon.core.errors import PlaytestError, file_errors
from dungeon.playtest.recording.probes import generation
from dungeon.playtest.run import Run
from dungeon.playtest.tuning.choosing import KnobChooser, maps_in, why_out_of_reach
from dungeon.playtest.tuning.goal import Bench, Texts, goal_in
from dungeon.playtest.tuning.search import Search

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dungeon.playtest.recording.probes import Games
    from dungeon.playtest.tuning.goal import Goal, IntervalEstimate, Trial
    from dungeon.playtest.tuning.knobs import Knob, Setting

WORLDS = 200
"""Number of worlds of the last trials, and of fresh worlds for the verification."""

FIRST = 8
"""The first trials make one world in this number..."""

FEWEST = 12
"""...but at least this number of worlds."""

MOST_KNOBS = 12
"""Maximum number of knobs tried."""

MOST_CHANGED = 2
"""Maximum number of numbers that a change sets."""

MOST_CAUSES = 3
"""Maximum number of reasons for refusals that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """The result of tuning.

    Attributes:
        goal: The goal.
        settings: The change; empty if the content already reaches the goal, or no change helps.
        before: The measured value without the change.
        after: The value with the change, in the same worlds.
        effect: The difference, in the same worlds.
        verified: The value with the change in as many fresh worlds.
        files: File -> its text before and after the change.
        tried: The names of the knobs tried.
        causes: If the goal was not reached: the reasons why the encounter is refused, each with refusals per level.
        second: The settings and the value of the second-best change, of another number; None if no other change helps.
    """

    goal: Goal
    settings: tuple[Setting, ...]
    before: IntervalEstimate
    after: IntervalEstimate
    effect: IntervalEstimate
    verified: IntervalEstimate
    files: Mapping[Path, tuple[str, str]]
    tried: tuple[str, ...]
    causes: tuple[tuple[str, float], ...]
    second: tuple[tuple[Setting, ...], IntervalEstimate] | None = None

    @property
    def is_reached(self) -> bool:
        """Whether the value after the change is within the goal."""
        return self.goal.has(self.after)

    @property
    def is_sure(self) -> bool:
        """Whether the whole interval of the value after the change is within the goal."""
        return self.goal.holds(self.after)

    @property
    def diff(self) -> str:
        """The change as a unified diff; empty if there is none."""
        return "".join(_diff(path, before, after) for path, (before, after) in self.files.items())

    def write(self) -> list[Path]:
        """Write the change into the content's files and return them. Each file is replaced in one step.

        Raises:
            PlaytestError: A file has changed since it was read, or can't be written.
        """
        with file_errors(PlaytestError, "written"):
            for path, (before, _) in self.files.items():
                if path.read_bytes() != before.encode():
                    raise PlaytestError(f"{path} has changed since it was read, so no file is written")
            for path, (_, after) in self.files.items():
                _replace(path.resolve(), after)
        return list(self.files)


def tune(
    content: str | os.PathLike[str],
    goal: str,
    *,
    worlds: int = WORLDS,
    seed: int = 0,
    jobs: int = 1,
    of: Sequence[str] = (),
    games: Games | None = None,
    told: Callable[[str], None] | None = None,
) -> Tuned:
    """Find the smallest change of a content that brings a measured number to its target. Nothing is written.

    Args:
        content: The content folder.
        goal: The goal: see `goal_in`.
        worlds: Number of worlds of the last trials, and of fresh worlds for the verification.
        seed: The seed of the first world.
        jobs: Number of processes.
        of: The numbers that may be changed (``engine_house.maps.foundry``), or files with such numbers; empty lets the
            library choose.
        games: The games that bots play, for goals about games.
        told: A function that is called with a line of text for each trial, to show the progress.

    Raises:
        ConditionError: The goal can't be understood.
        ContentError: The content is wrong.
        PlaytestError: There is nothing to measure or to change, or worlds can't be recorded.

    Example:
        >>> from dungeon.playtest import tune
        >>> tuned = tune("docs/integrate/data", "count(cellar, vault) = .5", worlds=2, of=["vault.limit.map"])
        >>> changed = {setting.knob.name: setting.written for setting in tuned.settings}
    """
    import tcod  # noqa: F401, PLC0415  # slow to import: processes forked for each trial inherit it from here

    loaded = dungeon.load_content(content)
    aim = goal_in(goal, loaded, games.bots if games else ())
    texts = Texts(Path(content))
    fewest = min(worlds, max(FEWEST, worlds // FIRST))

    def tell(trial: Trial) -> None:
        if told is not None:
            told(line_of(trial, aim))

    with TemporaryDirectory(prefix="dungeon-tune-") as folder:
        bench = Bench(
            texts=texts,
            goal=aim,
            folder=Path(folder),
            maps=_maps(aim, loaded),
            probe=games if games and aim.is_of_games else generation,
            seed=seed,
            jobs=jobs,
            told=tell,
        )
        base = _base_trial(bench, fewest, worlds)
        if aim.is_of_games and (why := why_out_of_reach(base, aim, loaded)):
            raise PlaytestError(f"{goal!r} is out of reach: {why}")
        if not base.estimate.worlds:
            raise PlaytestError(
                f"{goal!r} has no value in {worlds} worlds from seed {seed} on: nothing can be measured"
            )
        best, second = base, None
        knobs: list[Knob] = []
        if not aim.has(base.estimate):
            knobs = _knobs(KnobChooser(loaded, texts), aim, of, base)
            best, second = best_trials(bench, knobs, base, fewest, worlds)
        return _result(bench, base, best, second, knobs, worlds)


def line_of(trial: Trial, goal: Goal) -> str:
    """Return a trial's settings and value in words."""
    settings = ", ".join(f"{each.knob.name}: {each.written}" for each in trial.settings) or "as it is"
    return f"{settings}: {goal.told(trial.estimate)} in {trial.estimate.worlds} worlds"


def _maps(goal: Goal, content: dungeon.Content) -> list[str]:
    """Return the maps to make. For games, the start map is included, because every game begins there."""
    maps = maps_in(goal.scope, content, or_deeper=goal.measure.or_deeper)
    if goal.is_of_games and goal.scope != "everywhere":
        maps.append(content.world.start)
    return sorted(set(maps))


def _base_trial(bench: Bench, worlds: int, most: int) -> Trial:
    """Return the trial of the unchanged content: first on `worlds` worlds, on more until its interval tells if the goal is reached.

    Args:
        bench: Measures it.
        worlds: Number of worlds of the first try.
        most: Maximum number of worlds.
    """
    trial = bench.measure((), worlds)
    while worlds < most and not bench.goal.holds(trial.estimate) and not bench.goal.fails(trial.estimate):
        worlds = min(2 * worlds, most)
        trial = bench.measure((), worlds)
    return trial


def _knobs(chooser: KnobChooser, goal: Goal, of: Sequence[str], base: Trial) -> list[Knob]:
    """Return the knobs to try.

    Args:
        chooser: Finds knobs.
        goal: The goal.
        of: Names of knobs, or files with knobs, to which the choice is limited; empty for no limit.
        base: The trial of the unchanged content.

    Raises:
        PlaytestError: No knob is known that affects the goal.
    """
    files = [each for each in of if each.endswith((".yaml", ".yml"))]
    names = [each for each in of if each not in files]
    knobs = [knob for name in names for knob in chooser.named(name)]
    if files or not names:
        fit = chooser.for_goal(goal, base)
        knobs += [knob for knob in fit if not files or any(_is_in(knob.place, file) for file in files)]
    if not knobs:
        where = f" in {', '.join(files)}" if files else ""
        raise PlaytestError(f"no number{where} is known to affect {goal.text!r}: name one with --of")
    return knobs[:MOST_KNOBS]


def _is_in(place: str, file: str) -> bool:
    """Tell whether two paths name the same file: they are equal, or one is the end of the other, as in ``maps.yaml``."""
    return f"/{file}".endswith(f"/{place}") or f"/{place}".endswith(f"/{file}")


def best_trials(
    bench: Bench, knobs: Sequence[Knob], base: Trial, fewest: int, most: int
) -> tuple[Trial, Trial | None]:
    """Return the best trial found by changing one knob, or two if one is not enough; and the second best, of another knob.

    Args:
        bench: Measures the trials.
        knobs: The knobs.
        base: The trial of the unchanged content.
        fewest: Number of worlds of the first trials of a value.
        most: Number of worlds of the last trials of a value.

    Returns:
        (The trial that reaches the goal with the smallest change, or comes nearest; the next such trial, or None.)
    """
    best: list[Trial] = [base]
    for _ in range(MOST_CHANGED):
        start = best[0]
        changed = [each.knob for each in start.settings]
        found: list[Trial] = []
        for tier in sorted({knob.tier for knob in knobs}):
            searches = [
                Search(bench=bench, fewest=fewest, most=most, knob=knob, fixed=start.settings, start=start)
                for knob in knobs
                if knob.tier == tier and knob not in changed
            ]
            found += _in_tier(bench, searches, enough=2 - sum(_reaches(bench, each) for each in found))
        best = sorted([*found, *best], key=lambda each: bench.goal.distance(each.estimate))
        if best[0] is start or _reaches(bench, best[0]):
            break
    return best[0], next((each for each in best[1:] if each.settings), None)


def _reaches(bench: Bench, trial: Trial) -> bool:
    return bench.goal.has(trial.estimate)


def _in_tier(bench: Bench, searches: Sequence[Search], *, enough: int) -> list[Trial]:
    """Return the best trial of each search that reaches the goal, or comes nearer to it than its start by more than chance.

    The search that needs the smallest change comes first.

    Args:
        bench: Measures the trials.
        searches: The searches of the knobs of one tier.
        enough: After this number of trials within the goal, no other search is run.
    """
    if enough <= 0:
        return []
    turns = [search.probe() for search in searches]
    found: list[Trial] = []
    for number in sorted(range(len(searches)), key=turns.__getitem__):
        search = searches[number]
        if turns[number] < inf:
            if enough <= 0:
                continue
            enough -= _reaches(bench, search.run())
        if _reaches(bench, search.best) or search.has_effect:
            found.append(search.best)
    return found


def _result(
    bench: Bench, base: Trial, best: Trial, second: Trial | None, knobs: Sequence[Knob], worlds: int
) -> Tuned:
    """Return the result, with both values measured on all worlds and the change verified."""
    goal, texts = bench.goal, bench.texts
    base, best = (bench.measure(trial.settings, worlds) for trial in (base, best))
    return Tuned(
        goal=goal,
        settings=best.settings,
        before=base.estimate,
        after=best.estimate,
        effect=bench.effect(best, base),
        verified=bench.verified(best.settings, worlds).estimate,
        files={
            texts.folder / place: (texts[place], text) for place, text in texts.changed(best.settings).items()
        },
        tried=tuple(knob.name for knob in knobs),
        causes=() if goal.has(best.estimate) else _causes(best, goal),
        second=None if second is None else (second.settings, second.estimate),
    )


def _causes(trial: Trial, goal: Goal) -> tuple[tuple[str, float], ...]:
    """Return (reason, refusals per level) for the goal's encounter, the most frequent first."""
    query = """
        SELECT reason, count(*) * 1.0 / (SELECT count(*) FROM levels WHERE error IS NULL) FROM refusals
        WHERE subject = ? GROUP BY reason ORDER BY 2 DESC, 1 LIMIT ?
    """
    with Run(trial.run) as run:
        return tuple(run.sql(query, (goal.thing, MOST_CAUSES)).fetchall())


def _diff(path: Path, before: str, after: str) -> str:
    """Return the change of a file as a unified diff."""
    lines = unified_diff(_lines(before), _lines(after), str(path), str(path))
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their ends; only line feeds end a line, as in a diff."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _replace(path: Path, text: str) -> None:
    """Replace a file's text in one step."""
    with NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).chmod(S_IMODE(path.stat().st_mode))
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink()
            raise
