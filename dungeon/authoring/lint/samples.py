"""Some variants of every prefab, rolled once: a prefab that others are fitted into takes theirs from those."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from dungeon.content.prefab.prefab import Prefab
from dungeon.core.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.content.prefab.prefab import Variant
    from dungeon.core.streams import Stream


@dataclass(frozen=True)
class Sampled(Prefab):
    """A prefab of which there are but a few variants.

    Attributes:
        variants_of_it: Those.
    """

    variants_of_it: tuple[Variant, ...] = ()

    @classmethod
    def of(cls, prefab: Prefab, prefabs: Mapping[str, Prefab], rolls: int) -> Sampled:
        """Roll a prefab.

        Args:
            prefab: The prefab.
            prefabs: What may be fitted into it.
            rolls: How many variants of it there are to be, if it varies.
        """
        said = {each.name: getattr(prefab, each.name) for each in fields(prefab) if each.init}
        among_others = Prefab(**{**said, "prefabs": prefabs})
        streams = Streams(0, "look over", prefab.name)
        variants = (
            among_others.variant(streams.stream(number)) for number in range(rolls if prefab.varies else 1)
        )
        return cls(**said, variants_of_it=tuple(variants))

    def variant(self, stream: Stream) -> Variant:
        """Return one of its variants."""
        return stream.pick(self.variants_of_it)


class Samples(Mapping[str, Sampled]):
    """Prefabs by name, each rolled when it is first asked for, after those that are fitted into it.

    Were each rolled with all that is fitted into it, and into that, a nest of twenty prefabs would be rolled twenty times.

    Args:
        prefabs: The prefabs; none of them is fitted into itself.
        rolls: How many variants there are to be of each that varies.
    """

    def __init__(self, prefabs: Mapping[str, Prefab], rolls: int) -> None:
        self._prefabs = prefabs
        self._rolls = rolls
        self._rolled: dict[str, Sampled] = {}

    def __getitem__(self, name: str) -> Sampled:
        """Return a prefab's variants."""
        if name not in self._rolled:
            self._rolled[name] = Sampled.of(self._prefabs[name], self, self._rolls)
        return self._rolled[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._prefabs)

    def __len__(self) -> int:
        return len(self._prefabs)
