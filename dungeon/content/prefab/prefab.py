"""Prefabs, their *variants* (prefabs with all random choices made), and the orientations in which they can be placed.

A prefab *faces* south as drawn. A drawing may *look* the same in two orientations and still *face* different sides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from dungeon.content.prefab.template import PrefabFootprint
from dungeon.core.frozen import Derived, by_fields
from dungeon.core.registry import Shape
from dungeon.core.streams import Stream, Streams
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.prefab.template import Template

MAX_PROTRUSION = 2
"""By default, how many cells a prefab may stand out into a cave."""

VARIANTS = 8
"""How many variants of a prefab are tried before it counts as fitting nowhere."""


Shapes = tuple[tuple[Shape, tuple[Orientation, ...]], ...]
"""(shape, orientations in which the prefab has that shape)."""


@dataclass(frozen=True, repr=False)
class Variant:
    """A prefab with all random choices in its drawing made.

    Attributes:
        prefab: The prefab.
        drawing: The resulting drawing, facing south.
    """

    prefab: Prefab
    drawing: Drawing
    _notes: Derived = field(default_factory=Derived, init=False, repr=False, compare=False)

    __reduce__ = by_fields

    def __repr__(self) -> str:
        return f"<Variant of {self.prefab!r}>"

    def turned(self, orientation: Orientation) -> Drawing:
        """Return the drawing turned to an orientation; a second call with the same orientation returns the same object."""
        return self._notes.once(orientation, self.drawing.turned, orientation)

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        """The drawing in each orientation that the prefab permits, without those that look and face like an earlier one."""
        return self.lying(frozenset(Orientation))

    def lying(self, orientations: frozenset[Orientation]) -> tuple[Drawing, ...]:
        """Return the drawing in each of these orientations that the prefab permits; of those that look and face alike only the first."""
        return self._notes.once(orientations, self._different, orientations)

    def _looks_same(self, orientation: Orientation) -> bool:
        """Tell whether the drawing in an orientation looks exactly like the one that faces south."""
        drawing = self.drawing
        if not drawing.ground.looks_same(orientation):
            return False
        figures = drawing.figures  # compared first: cheap, and most variants differ in them
        same = orientation.turn(figures).tobytes() == figures.tobytes()
        return same and drawing.looks_like(self.turned(orientation))

    def _different(self, permitted: frozenset[Orientation]) -> tuple[Drawing, ...]:
        """Return the drawing in each orientation in `permitted` that the prefab permits too, without repetitions.

        A drawing that looks like an earlier one and faces the same side is left out. One that looks the same but faces
        another side is kept, with `repeats` set.
        """
        orientations = [each for each in self.prefab.orientations if each in permitted]
        alike = {each for each in self.prefab.template.symmetries if self._looks_same(each)}
        if not alike:
            return tuple(map(self.turned, orientations))
        result: list[Drawing] = []
        for way in orientations:
            before = [each.orientation for each in result if way.before(each.orientation) in alike]
            if all(each.turns != way.turns for each in before):
                laid = self.turned(way)
                result.append(laid.repeated() if before else laid)
        return tuple(result)


@dataclass(frozen=True, repr=False)
class Prefab:
    """A drawing with its variants, and the orientations in which it may be placed.

    Attributes:
        name: The name of the prefab in the content.
        template: The template from which all variants of its drawing are made.
        orientations: The permitted orientations.
        tags: Other names under which encounters can ask for the prefab.
        max_protrusion: How many cells it may stand out into a cave when it is embedded in the cave's wall.
        prefabs: All prefabs by name; some may be fitted into this one.
    """

    name: str
    template: Template
    orientations: tuple[Orientation, ...]
    tags: tuple[str, ...] = ()
    max_protrusion: int = MAX_PROTRUSION
    prefabs: Mapping[str, Prefab] = field(default_factory=dict, compare=False, repr=False)
    _footprints: Derived = field(default_factory=Derived, init=False, compare=False, repr=False)

    __reduce__ = by_fields

    def __repr__(self) -> str:
        return f"<Prefab {self.name!r} of {self.width}x{self.height} cells>"

    @property
    def height(self) -> int:
        """The number of rows of the prefab as drawn, facing south."""
        return self.template.shape[0]

    @property
    def width(self) -> int:
        """The number of columns of the prefab as drawn, facing south."""
        return self.template.shape[1]

    def size(self, orientation: Orientation) -> tuple[int, int]:
        """Return the (height, width) of the prefab when it is turned to an orientation."""
        height, width = self.template.shape
        return (width, height) if orientation.turns % 2 else (height, width)

    def shapes(self, *, faces: bool = True) -> Shapes:
        """Return (shape, the orientations in which the prefab has that shape) for each shape; all variants have the same.

        A shape is (height, width, quarter turns of the front, maximum protrusion).

        Args:
            faces: Whether the side that the prefab faces matters; if not, the quarter turns are 0 in every shape.
        """
        return self._facing if faces else self._faceless

    @cached_property
    def _facing(self) -> Shapes:
        return self._shapes({each: each.turns for each in self.orientations})

    @cached_property
    def _faceless(self) -> Shapes:
        return self._shapes(dict.fromkeys(self.orientations, 0))

    def _shapes(self, fronts: Mapping[Orientation, int]) -> Shapes:
        found: dict[Shape, list[Orientation]] = {}
        for each, front in fronts.items():
            found.setdefault(Shape(*self.size(each), front, self.max_protrusion), []).append(each)
        return tuple((shape, tuple(orientations)) for shape, orientations in found.items())

    @property
    def sizes(self) -> set[tuple[int, int]]:
        """The different (height, width) that the prefab has in its permitted orientations."""
        return {self.size(each) for each in self.orientations}

    @property
    def varies(self) -> bool:
        """Whether the prefab has variants: its drawing is not always the same."""
        return self.template.varies

    def footprints(self, orientations: frozenset[Orientation]) -> tuple[PrefabFootprint, ...]:
        """Return the cells that the prefab may draw on, for each orientation in `orientations` that it permits.

        If the prefab never varies, of several orientations in which it looks the same only one is listed.
        """
        return self._footprints.once(orientations, self._footprints_in, orientations)

    def _footprints_in(self, orientations: frozenset[Orientation]) -> tuple[PrefabFootprint, ...]:
        if self.varies:
            size = self.template.shape
            return tuple(self._footprint(each, *size) for each in self.orientations if each in orientations)
        lying = [each for each in self._sample.lying(orientations) if not each.repeats]
        return tuple(
            PrefabFootprint(each.orientation, each.height, each.width, each.drawn_cells) for each in lying
        )

    def _footprint(self, orientation: Orientation, height: int, width: int) -> PrefabFootprint:
        drawn_cells = frozenset(
            orientation.turn_cell(y, x, height, width) for y, x in self.template.drawn_cells
        )
        return PrefabFootprint(orientation, *self.size(orientation), drawn_cells)

    @cached_property
    def _sample(self) -> Variant:
        return Variant(self, self.template.roll(Stream(0), self.prefabs))

    @property
    def drawing(self) -> Drawing:
        """The prefab's drawing facing south; if the prefab varies, that of one variant, always the same."""
        return self._sample.drawing

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        """The drawing under `drawing` in each permitted orientation, without those that look and face like an earlier one."""
        return self._sample.drawings

    def variant(self, stream: Stream) -> Variant:
        """Return a random variant of the prefab, rolled from the stream; if the prefab does not vary, its only one."""
        return Variant(self, self.template.roll(stream, self.prefabs)) if self.varies else self._sample

    def drawn(self, orientation: Orientation, stream: Stream) -> Drawing:
        """Roll a variant of the prefab and return its drawing in an orientation."""
        return self.variant(stream).turned(orientation)

    def variants(self, streams: Streams, *name: str | int) -> Iterator[Variant]:
        """Yield `VARIANTS` rolled variants of the prefab; if the prefab does not vary, only one.

        Args:
            streams: The random streams.
            *name: The name of the streams that are used; the number of the variant is added to it.
        """
        if not self.varies:
            yield self._sample
            return
        for number in range(VARIANTS):
            yield self.variant(streams.stream(*name, number))
