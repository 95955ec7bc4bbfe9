"""A prefab as its author wrote it: the planes (layers) of its drawing, and the legend or palette that defines each character. A record is an entry as written in a YAML file.

Loaded content does not keep this, as games don't need it. The files are read again on demand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING

from dungeon.content.drawing.meaning import (
    CONNECTOR,
    DEFAULT_GLYPHS,
    with_connectors,
)
from dungeon.content.drawing.planes import (
    DONT_CARE,
    text_planes,
    xp_planes,
)
from dungeon.content.loading.load import load_draft
from dungeon.content.models.entries import PrefabEntry
from dungeon.content.source.files import ProblemLog, Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dungeon.content.drawing.meaning import (
        CharacterMeanings,
    )
    from dungeon.content.drawing.planes import (
        DrawingPlane,
    )
    from dungeon.content.library import Content
    from dungeon.content.loading.build import BuildContext
    from dungeon.content.loading.draft import ContentDraft
    from dungeon.core.errors import Source


@dataclass(frozen=True, slots=True)
class MeaningSource:
    """The legend or palette that defines a character or a colour of a prefab's drawing.

    Attributes:
        where: Name of the legend or palette, in words.
        source: The place in the file; None for built-in characters.
        record: The entry of the legend or palette; None for built-in ones. `path`: keys to the character in it.
        changed: Places where mods change the definition.
    """

    where: str
    source: Source | None = None
    record: Record | None = field(default=None, repr=False, compare=False)
    path: tuple[str, ...] = ()
    changed: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthoredPrefab:
    """A prefab as written in the content files.

    Attributes:
        record: The prefab's entry, with the keys it inherits by `like`.
        planes: The planes of its drawing, in the order of `PLANE_NAMES`.
        meaning: The meanings of its characters and colours.
        legend: Character -> the legend that defines it.
        glyphs: Character -> the palette that defines it, or `BUILT_IN`.
        colours: ``#rrggbb`` in lower case -> the palette that lists it.
    """

    record: Record
    planes: tuple[DrawingPlane, ...]
    meaning: CharacterMeanings
    legend: Mapping[str, MeaningSource]
    glyphs: Mapping[str, MeaningSource]
    colours: Mapping[str, MeaningSource]


BUILT_IN = MeaningSource("built in")


def read_authored(content: Content, name: str) -> AuthoredPrefab:
    """Read a prefab of loaded content again from its files.

    Raises:
        ContentError: The files have changed since the content was loaded, and now have errors.
    """
    draft, log = content.derive("draft", _read_again, content.layers), ProblemLog()
    record, context = draft.records["prefab"][name], draft.context
    assert context is not None
    main = draft.singles.get("palette.yaml", Record("palette", "", "palette.yaml", {}, ()))
    entry = draft.all_of("prefab", PrefabEntry)[name]
    meaning = context.meaning(record, entry)
    if name in draft.drawings:
        planes = xp_planes(record, draft.drawings[name].layers(log), log, meaning.roles)
    else:
        planes = text_planes(record, (), log)
    palette_places = list(_palettes(context, main, record))
    shown, meaning = with_connectors(planes, meaning, context.variation(record, entry))
    return AuthoredPrefab(
        record=record,
        planes=tuple(shown),
        meaning=meaning,
        legend=MappingProxyType(_legend(content, context, record)),
        glyphs=MappingProxyType(_glyphs(palette_places)),
        colours=MappingProxyType(_colours(palette_places)),
    )


def _read_again(layers: tuple[str, ...]) -> ContentDraft:
    return load_draft(*layers)[1]


def _legend(content: Content, context: BuildContext, record: Record) -> dict[str, MeaningSource]:
    """Return character -> the legend that defines it: one of the prefab's shared legends, or its own legend."""
    found: dict[str, MeaningSource] = {}
    for name in context.legend_names(record):
        legend = context.legend_records[name]
        for char in legend.fields:
            if char != "extends":
                found[char] = _origin(f"legend {name}", content, legend, char)
    for char in record.fields.get("legend", {}):
        owner = record.owner("legend", str(char))
        where = "its own legend" if owner is record else f"the legend of {owner.name}"
        found[char] = _origin(where, content, owner, "legend", str(char))
    return found


def _origin(where: str, content: Content, record: Record, *path: str) -> MeaningSource:
    """Return where a character or colour is defined, and which mods change this.

    Args:
        where: The legend or palette, in words.
        content: The content.
        record: The entry that defines the character.
        path: The YAML keys in that entry that lead to the character.
    """
    within = ".".join(path) + "."
    changed = tuple(
        change.source
        for change in content.changes.get((record.kind, record.name), ())
        if any(key.startswith(within) for key in change.keys)
    )
    return MeaningSource(where, record.source(*path, key=True), record, path, changed)


def _palettes(
    context: BuildContext, main: Record, record: Record
) -> Iterator[tuple[str, Record, tuple[str, ...]]]:
    """Yield each palette of a prefab, in an order in which later ones override earlier ones.

    Args:
        context: The palettes of the content.
        main: The entry of ``palette.yaml``.
        record: The prefab's entry.

    Yields:
        (name in words, record, path of YAML keys in the record).
    """
    general, own = context.palette_names(record)
    for name in general:
        yield f"palette {name}", context.palette_records[name], ()
    yield PurePosixPath(main.file).name, main, ()
    for name in own:
        yield f"palette {name}", context.palette_records[name], ()
    if "palette" in record.fields:
        yield "its own palette", record, ("palette",)


def _glyphs(palettes: list[tuple[str, Record, tuple[str, ...]]]) -> dict[str, MeaningSource]:
    found = dict.fromkeys([*DEFAULT_GLYPHS, CONNECTOR, DONT_CARE], BUILT_IN)
    for where, record, path in palettes:
        for char in _listed(record, path, "glyphs"):
            found[char] = MeaningSource(where, record.source(*path, "glyphs", char, key=True))
    return found


def _colours(palettes: list[tuple[str, Record, tuple[str, ...]]]) -> dict[str, MeaningSource]:
    found = {}
    for where, record, path in palettes:
        for colour in _listed(record, path, "colours"):
            found[colour.lower()] = MeaningSource(where, record.source(*path, "colours", colour, key=True))
    return found


def _listed(record: Record, path: tuple[str, ...], key: str) -> list[str]:
    data = record.fields
    for step in (*path, key):
        data = data.get(step, {})
    return list(data)
