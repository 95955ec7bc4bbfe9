"""A prefab as text: the YAML file of an entry, with the drawing in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from dungeon.authoring.sketch import as_text, file_of, refusal, take_apart
from dungeon.authoring.tiled import draw_layers
from dungeon.content.drawing.rexpaint import encode_xp
from dungeon.content.loading.load import load_draft
from dungeon.content.models.entries import PrefabEntry

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from dungeon.authoring.sketch import Sketch
    from dungeon.content.library import Content


Form = Literal["text", "xp", "tmj"]


def export_prefab(
    folder: str | os.PathLike[str], name: str, to: Form, *, mods: Iterable[str | os.PathLike[str]] = ()
) -> dict[str, bytes]:
    """Write a prefab down in another form: see `dungeon.authoring.reading.export_prefab`."""
    if to not in get_args(Form):
        raise ValueError(f"a prefab is exported to text, xp or tmj, not to {to!r}")
    return Exporter(folder, *mods).export(name, to)


class Exporter:
    """Writes prefabs of content down in other forms, after reading its folders once.

    Raises:
        ContentError: The content is wrong.
    """

    def __init__(self, *folders: str | os.PathLike[str]) -> None:
        self.content, self.draft = load_draft(*folders)

    def export(self, name: str, to: Form) -> dict[str, bytes]:
        """Write a prefab down, as `export_prefab` does."""
        sketch = self.sketch(name)
        if to == "text":
            return {f"prefabs/{name}.yaml": as_text(sketch)}
        if to == "tmj":
            from dungeon.authoring.tiled import as_tiled  # noqa: PLC0415 - it draws, for which it needs tcod

            return as_tiled(sketch)
        drawing, entry = as_xp(sketch, self.content)
        return {f"prefabs/{name}.xp": drawing, f"prefabs/{name}.yaml": entry}

    def sketch(self, name: str) -> Sketch:
        """Take a prefab apart."""
        content, draft = self.content, self.draft
        if name not in content.prefabs or draft.context is None:
            raise content.no_prefab(name)
        entry = draft.entries["prefab"].get(name, PrefabEntry())
        assert isinstance(entry, PrefabEntry)
        record, packed = draft.records["prefab"][name], draft.drawings.get(name)
        drawn = packed.layers(draft.findings) if packed else None
        return take_apart(record, entry, drawn, draft.context, content.terrain_set, draft.findings)


def as_xp(sketch: Sketch, content: Content) -> tuple[bytes, bytes]:
    """Return the .xp file of a prefab, and the YAML file of what else there is to say.

    Raises:
        ContentError: It has more cells than an .xp file may have, or a character for which no tile is left.
    """
    layers, aliases = draw_layers(sketch, content)
    try:
        drawing = encode_xp(layers)
    except ValueError as error:
        raise refusal(sketch, f"no .xp drawing of four layers can hold this: it {error}") from error
    return drawing, file_of(sketch, {**sketch.fields, "aliases": aliases})
