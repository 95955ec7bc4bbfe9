"""The folder of a run: a manifest with the facts that all its worlds share, and its parts, each with the worlds of some seeds.

DIR/run.json                    the manifest
DIR/parts/0_99/spawns.parquet   a view of the worlds 0 to 99
DIR/draft/                      a part that is being written
DIR/writing                     locked by the process that records
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from pathlib import Path
from shlex import quote, split
from typing import TYPE_CHECKING, Final

from dungeon.core.errors import PlaytestError, file_errors, printable
from dungeon.playtest.recording.schema import VERSION

if TYPE_CHECKING:
    import os

MANIFEST = "run.json"
PARTS = "parts"

PART = re.compile(r"-?\d+_-?\d+")
"""The name of a part's folder: its first and last seed."""

OPTIONS: Final = {
    "arguments": ("--data", "--mod", "--import", "--difficulty"),
    "games": ("--bots", "--game", "--games", "--limit"),
}
"""Fact -> the command-line options that it may consist of; all take a value."""

DIFFERENCES = {
    "content": "with other content than this",
    "package": "with version {was} of the library, not {now}",
    "maps": "of {was}, not of {now}",
    "games": "with games ({was}) other than these ({now})",
    "probe": "with the probe {was}, not {now}",
    "difficulty": "at the difficulty {was}, not {now}",
}
"""Fact -> message if a run has a different one."""

EMPTY_MEANS = {"maps": "all maps", "games": "none", "difficulty": "none"}
"""Fact -> meaning of an empty value."""

ELSEWHERE = "record into another folder, or delete that one"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts that all worlds of a run share.

    Attributes:
        version: The version of the views.
        probe: The name of the probe.
        content: The fingerprint of the content.
        package: The version of the library.
        maps: The ids of the recorded maps, separated by spaces; empty for all.
        arguments: The command-line options that load the content and choose its difficulty.
        games: The command-line options that play the same games; empty for none.
    """

    version: int = VERSION
    probe: str
    content: str
    package: str
    maps: str
    arguments: str
    games: str = ""

    @property
    def difficulty(self) -> str:
        """The difficulty of the worlds; empty for none."""
        return dict(parsed_options("arguments", self.arguments)).get("--difficulty", "")


def is_run(folder: str | os.PathLike[str]) -> bool:
    """Tell whether a folder holds a recorded run."""
    return (Path(folder) / MANIFEST).is_file()


def read_facts(folder: str | os.PathLike[str]) -> Facts:
    """Return the facts in a run's manifest.

    Raises:
        PlaytestError: There is no run, or its manifest is damaged, of another version or can't be read.
    """
    file = Path(folder) / MANIFEST
    if not is_run(folder):
        old = " (run.sqlite is a run of version 0.1, which can't be read any more: record it again)"
        is_old = (Path(folder) / "run.sqlite").is_file()
        raise PlaytestError(f"there is no run in {folder}: {file} is missing{old if is_old else ''}")
    with file_errors(PlaytestError, "read", file):
        data = file.read_bytes()
    try:
        return _facts_in(data)
    except (ValueError, RecursionError) as error:
        raise PlaytestError(f"{file} cannot be read: {printable(str(error))}") from error


def _facts_in(data: bytes) -> Facts:
    """Return the facts in the bytes of a manifest; raise a ValueError if they are wrong."""
    try:
        told = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON") from error
    version = told.get("version") if isinstance(told, dict) else None
    if isinstance(version, int) and version != VERSION:
        by = " (a newer version of the library wrote it)" if version > VERSION else ""
        raise ValueError(f"it has tables of version {version}, not {VERSION}{by}")
    names = {each.name for each in fields(Facts)}
    if (
        version is None
        or {*told} != names
        or not all(isinstance(told[name], str) for name in names - {"version"})
    ):
        raise ValueError("it is damaged: it does not say what was recorded")
    for fact in OPTIONS:
        parsed_options(fact, told[fact])
    return Facts(**told)


def begin_manifest(folder: Path, facts: Facts) -> None:
    """Write the manifest of a run if it has none; else check that the run has the same facts.

    Raises:
        PlaytestError: The run has other facts, or its manifest can't be read.
        OSError: The manifest can't be written.
    """
    file = folder / MANIFEST
    if not file.exists():
        draft = file.with_suffix(".part")
        draft.write_text(json.dumps(asdict(facts), indent=2), encoding="utf-8")
        draft.replace(file)
    there = read_facts(folder)
    for name, sentence in DIFFERENCES.items():
        was, now = (getattr(each, name) for each in (there, facts))
        if was != now:
            was, now = ((value or EMPTY_MEANS.get(name, "")).strip() for value in (was, now))
            said = sentence.format(was=was, now=now)
            raise PlaytestError(f"{folder} was recorded {said}: {ELSEWHERE}")


def recorded_parts(folder: str | os.PathLike[str]) -> list[range]:
    """Return the seeds of each part of a run, in order.

    Raises:
        PlaytestError: Something in the folder of the parts is not a part, or two parts have the same seed.
    """
    path = Path(folder) / PARTS
    with file_errors(PlaytestError, "read", path):
        names = sorted(each.name for each in path.iterdir())
    parts = []
    for name in names:
        first, last = map(int, name.split("_")) if PART.fullmatch(name) else (1, 0)
        if first > last:
            raise PlaytestError(f"{name!r} in {path} is not a part of a run; {ELSEWHERE}")
        parts.append(range(first, last + 1))
    parts.sort(key=lambda part: part.start)
    for one, other in pairwise(parts):
        if other.start < one.stop:
            raise PlaytestError(f"two parts in {path} have the seed {other.start}; {ELSEWHERE}")
    return parts


def part_name(seeds: range) -> str:
    """Return the name of the folder of a part with these seeds."""
    return f"{seeds[0]}_{seeds[-1]}"


def parsed_options(fact: str, text: str) -> list[tuple[str, str]]:
    """Return the (option, value) pairs of a fact that holds command-line options. They are safe to print in a command.

    Args:
        fact: The name of the fact, such as ``arguments``.
        text: Its text, such as `` --mod extra``.

    Raises:
        ValueError: The text has other options than this fact may have, or is not written as this version writes it.
    """
    words = split(text)
    options = [*zip(words[::2], words[1::2], strict=False)]
    written = "".join(f" {option} {quote(value)}" for option, value in options)
    if written != text or not {option for option, _ in options} <= {*OPTIONS[fact]}:
        raise ValueError(f"it is damaged: {text!r} are not options of a run")
    return options
