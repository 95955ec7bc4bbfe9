"""The way from a goal to a change of the content: see `tune`."""

from __future__ import annotations

import os
import re
from contextlib import closing
from dataclasses import dataclass
from difflib import unified_diff
from math import inf
from pathlib import Path
from stat import S_IMODE
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import TYPE_CHECKING

import dungeon
from dungeon.core.errors import PlaytestError, file_errors
from dungeon.playtest.reading import read_only
from dungeon.playtest.recording.probes import generation
from dungeon.playtest.tuning.choosing import KnobChooser, maps_in
from dungeon.playtest.tuning.goal import Bench, Texts, goal_in
from dungeon.playtest.tuning.search import Search

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dungeon.playtest.recording.probes import Games
    from dungeon.playtest.tuning.goal import Goal, IntervalEstimate, Trial
    from dungeon.playtest.tuning.knobs import Knob, Setting

WORLDS = 200
"""How many worlds the last trials make, and how many fresh ones the result is verified on."""

FIRST = 8
"""The first trials make this part of them: one in so many."""

FEWEST = 12
"""But no fewer than so many worlds."""

MOST_KNOBS = 12
"""So many numbers are tried at most."""

MOST_CAUSES = 3
"""So many reasons are told why an encounter is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """What came of looking for a change that reaches a goal.

    Attributes:
        goal: The goal.
        settings: What to change; nothing if the goal is reached as it is, or nothing brings the number nearer.
        before: What the number is without that change; `after`, with it; both in the same worlds.
        effect: By how much it changes in these worlds.
        verified: What it is with the change in as many worlds again, which were not used to find it.
        files: The files that the change is in -> what they say before and after it.
        tried: The names of the numbers that were looked at.
        causes: Where the goal was not reached: why the encounter is refused, each with how often on a level.
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

    @property
    def is_reached(self) -> bool:
        """Whether the number is what it is to be, in the worlds in which the change was looked for."""
        return self.goal.has(self.after)

    @property
    def is_sure(self) -> bool:
        """Whether all of its interval is, too."""
        return self.goal.holds(self.after)

    @property
    def diff(self) -> str:
        """The change, as a unified diff; empty if there is none."""
        return "".join(_diff(path, before, after) for path, (before, after) in self.files.items())

    def write(self) -> list[Path]:
        """Make the change in the files of the content, and return these. Each is replaced in one step.

        Raises:
            PlaytestError: A file is no longer what it was, or can't be written.
        """
        with file_errors(PlaytestError, "written"):
            for path, (before, _) in self.files.items():
                if path.read_bytes() != before.encode():
                    raise PlaytestError(f"{path} has changed meanwhile: nothing is written")
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
    """Look for the smallest change of a content with which a number is what it is to be. Nothing is written.

    Args:
        content: The content folder.
        goal: The goal: see `goal_in`.
        worlds: How many worlds the last trials make, and how many fresh ones the result is verified on.
        seed: The first of them.
        jobs: How many processes make them.
        of: The numbers that may be changed, by their names, or the files that these are in; else those that the goal
            is likely to be reached with.
        games: The games that bots play, where the goal is about games.
        told: Called with a line for each trial.

    Raises:
        ConditionError: The goal can't be understood.
        ContentError: Something is wrong in the content.
        PlaytestError: There is nothing to measure or to change, or worlds can't be recorded.
    """
    import tcod  # noqa: F401, PLC0415  # slow to import: each trial has processes of its own, which have it from here

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
        base = _settled(bench, fewest, worlds)
        if not base.estimate.worlds:
            raise PlaytestError(
                f"there is nothing that {goal!r} is about in {worlds} worlds from seed {seed} on"
            )
        best = base
        knobs: list[Knob] = []
        if not aim.has(base.estimate):
            knobs = _knobs(KnobChooser(loaded, texts), aim, of, base)
            best = _best(bench, knobs, base, fewest, worlds)
        return _told(bench, base, best, knobs, worlds)


def line_of(trial: Trial, goal: Goal) -> str:
    """Return what was tried and what came of it, in words."""
    settings = ", ".join(f"{each.knob.name}: {each.written}" for each in trial.settings) or "as it is"
    return f"{settings}: {goal.told(trial.estimate)} in {trial.estimate.worlds} worlds"


def _maps(goal: Goal, content: dungeon.Content) -> list[str]:
    """Return the maps that are made: of games also that on which they all begin, so that none is missed."""
    maps = maps_in(goal.scope, content, or_deeper=goal.measure.or_deeper)
    if goal.is_of_games and goal.scope != "everywhere":
        maps.append(content.world.start)
    return sorted(set(maps))


def _settled(bench: Bench, worlds: int, most: int) -> Trial:
    """Return the content as it is, tried on as many worlds as it takes to tell whether the goal is reached."""
    trial = bench.measure((), worlds)
    while worlds < most and not bench.goal.holds(trial.estimate) and not bench.goal.fails(trial.estimate):
        worlds = min(2 * worlds, most)
        trial = bench.measure((), worlds)
    return trial


def _knobs(chooser: KnobChooser, goal: Goal, of: Sequence[str], base: Trial) -> list[Knob]:
    """Return the numbers that may be changed.

    Raises:
        PlaytestError: There is none.
    """
    files = [each for each in of if each.endswith((".yaml", ".yml"))]
    names = [each for each in of if each not in files]
    knobs = [knob for name in names for knob in chooser.named(name)]
    if files or not names:
        fit = chooser.for_goal(goal, base)
        knobs += [knob for knob in fit if not files or any(_is_in(knob.place, file) for file in files)]
    if not knobs:
        where = f" in {', '.join(files)}" if files else ""
        raise PlaytestError(f"nothing{where} is known to change {goal.text!r}: name a number with --of")
    return knobs[:MOST_KNOBS]


def _is_in(place: str, file: str) -> bool:
    """Tell whether a file is meant, by its path or the end of it."""
    return f"/{file}".endswith(f"/{place}") or f"/{place}".endswith(f"/{file}")


def _best(bench: Bench, knobs: Sequence[Knob], base: Trial, fewest: int, most: int) -> Trial:
    """Return the trial that reaches the goal, or comes nearest to it: with one number changed, else with several."""
    goal, best = bench.goal, base
    for _ in knobs:
        start = best
        changed = [each.knob for each in start.settings]
        for tier in sorted({knob.tier for knob in knobs}):
            searches = [
                Search(bench=bench, fewest=fewest, most=most, knob=knob, fixed=start.settings, start=start)
                for knob in knobs
                if knob.tier == tier and knob not in changed
            ]
            turns = [search.probe() for search in searches]
            for number in sorted(range(len(searches)), key=turns.__getitem__):
                if turns[number] < inf:
                    best = min(best, searches[number].run(), key=lambda each: goal.distance(each.estimate))
                    if goal.has(best.estimate):
                        return best
        if best is start:
            break
    return best


def _told(bench: Bench, base: Trial, best: Trial, knobs: Sequence[Knob], worlds: int) -> Tuned:
    """Return what was found, verified."""
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
    )


def _causes(trial: Trial, goal: Goal) -> tuple[tuple[str, float], ...]:
    """Return why an encounter was refused, the most frequent reason first, each with how often on a level."""
    query = """
        SELECT reason, count(*) * 1.0 / (SELECT count(*) FROM levels WHERE error IS NULL) FROM refusals
        WHERE subject = ? GROUP BY reason ORDER BY 2 DESC, 1 LIMIT ?
    """
    with closing(read_only(trial.run, known=True)) as database:
        return tuple(database.execute(query, (goal.thing, MOST_CAUSES)))


def _diff(path: Path, before: str, after: str) -> str:
    """Return a change of a file as a unified diff."""
    lines = unified_diff(_lines(before), _lines(after), str(path), str(path))
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their ends, which for a diff are line feeds and nothing else."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _replace(path: Path, text: str) -> None:
    """Replace a file by another one, in one step."""
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
