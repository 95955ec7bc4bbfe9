"""Where changes are tried: content in a folder of its own, worlds that are made of it, and the numbers measured on them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import dungeon
from dungeon.playtest.compare.comparison import Pair
from dungeon.playtest.recording.recorder import record
from dungeon.playtest.tuning.goal import Estimate, effect_of, estimate_of
from dungeon.playtest.tuning.knobs import with_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from dungeon.content.library import Content
    from dungeon.playtest.recording.recorder import Probe
    from dungeon.playtest.tuning.goal import Goal
    from dungeon.playtest.tuning.knobs import Setting


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
    estimate: Estimate


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

    def effect(self, one: Trial, other: Trial) -> Estimate:
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
