"""Why a map of cards can never be all that its author asks for: too few cells, or a deck that does not last or leads nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.generation.layouts.cards.faces import Grid, try_face
from dungeon.generation.layouts.cards.lattice import grid_size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dungeon.content.models.layouts import DeckEntry
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.values.grammar import Value
    from dungeon.core.registry import Size
    from dungeon.generation.layouts.cards.faces import Face
    from dungeon.generation.layouts.cards.params import CardsParams
    from dungeon.terrain import TerrainSet

    Drawn = Mapping[str, Mapping[str, Sequence[Drawing]]]
    """Name or tag -> prefab -> its drawings."""


def shortages(params: CardsParams, drawn: Drawn, size: Size, terrain_set: TerrainSet) -> Iterator[str]:
    """Yield what can never be: see `Layout.shortages`."""
    wanted = {name: _least(zone.count) for name, zone in params.zones.items()} or {"": _least(params.count)}
    rows, columns = grid_size(*size, params)
    said = params.zones or "count" in params.model_fields_set
    if said and sum(wanted.values()) > rows * columns:
        yield (
            f"it asks for {sum(wanted.values())} cells of {params.cell.width}x{params.cell.height} at least, "
            f"and there is space for {rows * columns}"
        )
    if params.rooms != 0 or params.passages != 0:
        return
    grid = Grid(params.cell.height, params.cell.width, params.gap)
    for name, count in wanted.items():
        zone = params.zones.get(name)
        deck = params.deck if zone is None or zone.deck is None else zone.deck
        reason = _reason(deck, count, _faces(deck, drawn, grid, terrain_set))
        if reason:
            yield f"{f'in zone {name} ' if name else ''}{reason}, so that there will be plain rooms"


def _least(value: Value[int]) -> int:
    return min(number or 0 for number in value.outcomes())


def _faces(
    deck: Mapping[str, DeckEntry], drawn: Drawn, grid: Grid, terrain_set: TerrainSet
) -> dict[str, dict[str, list[Face]]]:
    """Return word of a deck -> prefab -> what it can be as a card, for those that can."""
    found: dict[str, dict[str, list[Face]]] = {}
    for word in deck:
        for name, drawings in drawn.get(word, {}).items():
            faces = [face for each in drawings if (face := try_face(each, grid, terrain_set)) is not None]
            if faces:
                found.setdefault(word, {})[name] = faces
    return found


def _reason(
    deck: Mapping[str, DeckEntry], count: int, faces: Mapping[str, Mapping[str, Sequence[Face]]]
) -> str:
    """Return why a deck can't fill so many cells by itself; empty if it may."""
    if not faces:
        return "nothing of its deck can be a card"
    cards = [(deck[word].copies, each) for word, prefabs in faces.items() for each in prefabs.values()]
    if count > 2 and all(len(face.openings) < 2 for _, each in cards for face in each):
        return "no card of its deck has openings to two sides, to lead on from it"
    cells = 0
    for copies, each in cards:
        if copies is None:
            return ""
        cells += copies * max(face.rows * face.columns for face in each)
    return f"its deck has cards for {cells} cells, and {count} are asked for" if cells < count else ""
