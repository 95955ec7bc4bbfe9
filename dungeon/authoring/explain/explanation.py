"""What is told of a prefab: plain values, for a command to print or a page to show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.authoring.askers import Asker
    from dungeon.authoring.explain.authored import Origin
    from dungeon.content.library import Change
    from dungeon.core.errors import Source
    from dungeon.core.vocabulary import Stake
    from dungeon.terrain import Colour


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyword:
    """Something else that is said of a symbol, as written, and where."""

    name: str
    text: str
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An object that a symbol may become, and how likely that is in each cell."""

    tag: str
    name: str
    likely: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A kind of terrain that a cell may be, how it looks, and how likely that is."""

    name: str
    glyph: str
    fg: Colour
    likely: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """What a character stands for, in one case.

    Attributes:
        when: The case of a switch, such as ``fence is iron``; empty where it is no switch.
        case: How likely that is.
        terrain: What terrain the cell may be; none where it keeps its own.
        to: Where stairs lead, in words.
        kind: What sort of object it is, if any; `outcomes` are all that it may be, likeliest first.
        nothing: How likely there is no object.
        group: The other characters of its group, or of those that it may be in.
        keywords: All else that is said of it.
    """

    when: str = ""
    case: float = 1.0
    terrain: tuple[Ground, ...] = ()
    to: str | None = None
    kind: str | None = None
    outcomes: tuple[Outcome, ...] = ()
    nothing: float = 0.0
    group: tuple[str, ...] = ()
    keywords: tuple[Keyword, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Character:
    """A character that is drawn, or that a step may leave.

    Attributes:
        char: The character.
        plane: The plane it is on: map or references.
        colour: The listed colour, ``#rrggbb``, by which its cells are read, where that is what counts.
        cells: How many cells have it, as drawn.
        origin: What says what it means.
        meanings: What it means, case by case; none for what leaves the map as it is, and where only steps give it
            a meaning.
        varied: Whether a step changes it.
    """

    char: str
    plane: str
    colour: str | None
    cells: int
    origin: Origin
    meanings: tuple[Meant, ...]
    varied: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StepWords:
    """A step of `vary` in words, where it stands, and the prefabs that may be fitted in."""

    words: str
    source: Source
    prefabs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineWords:
    """A machine: how many cells it covers, and the character or key that names it, empty for a generic one."""

    cells: int
    named: str
    outcomes: tuple[Outcome, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """All that a prefab says.

    Attributes:
        changes: What mods say of its entry.
        bases: The prefab that it is like, the one that this is like, and so on: name, where it stands, what mods say of it.
        size: (height, width).
        planes: The planes that have anything on them, each with its rows.
        parameters: What is decided once: its name, and what it may be, in words.
        links: (kind, width, how many).
        orientations: The labels of those it permits; `looks` of them look different.
        brings: How much threat and worth it brings on average, if it brings any.
    """

    name: str
    source: Source
    changes: tuple[Change, ...]
    bases: tuple[tuple[str, Source, tuple[Change, ...]], ...]
    depth: int
    size: tuple[int, int]
    planes: tuple[tuple[str, tuple[str, ...]], ...]
    characters: tuple[Character, ...]
    parameters: tuple[tuple[str, str], ...]
    steps: tuple[StepWords, ...]
    links: tuple[tuple[str, int, int], ...]
    machines: tuple[MachineWords, ...]
    orientations: tuple[str, ...]
    looks: int
    brings: Mapping[Stake, float]
    askers: tuple[Asker, ...]
