"""The entry of ``accepted.yaml``: findings of ``dungeon report`` that are meant, each with a reason and a bound.

It changes no level. ``docs/report.md`` says what each kind of finding is about, and what its size is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, Field, PlainValidator, ValidationInfo, WithJsonSchema

from dungeon.content.models.locks import LockName
from dungeon.content.source.names import MAX_LISTED, Names, read_word
from dungeon.content.source.problems import MisreadError, ValueProblem
from dungeon.content.values.fields import EncounterName, Line, PrefabOrTag
from dungeon.content.values.map_names import SeveralMaps, SomeMaps, maps_meant
from dungeon.content.values.value_fields import PERCENT, number_in
from dungeon.core.frozen import nothing
from dungeon.core.parameters import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dungeon.content.models.world import Path


LARGEST = 1000
"""The largest number of times that may be accepted."""

SIZE_SCHEMA: dict[str, object] = {
    "anyOf": [
        {"type": "number", "minimum": 0, "maximum": LARGEST},
        {"type": "string", "pattern": f"^{PERCENT.pattern}$", "description": "a share, such as 60%"},
    ]
}


def read_size(raw: object) -> float:
    """Read the size of a finding: a share such as ``60%``, or a number of times such as ``2.5``."""
    needed = f"a share such as 60%, or a number of times from 0 to {LARGEST} such as 2.5, is needed here"
    return float(number_in(raw, 0, LARGEST, needed, share=True))


def read_object(raw: object, info: ValidationInfo) -> str:
    """Read the tag of an object of any kind. Every tag passes if the context of validation is no `Names`.

    Raises:
        MisreadError: There is no such object.
    """
    tag = read_word(raw)
    if isinstance(info.context, Names):
        problems = [info.context.problem(kind, tag) for kind in info.context.kinds.names]
        if all(problems):
            known = [name for kind in info.context.kinds.names for name in info.context.known.get(kind, ())]
            raise MisreadError(
                [ValueProblem(message="there is no object of this tag", value=tag, allowed=known)]
            )
    return tag


Size = Annotated[float, PlainValidator(read_size), WithJsonSchema(SIZE_SCHEMA)]
ObjectTag = Annotated[str, BeforeValidator(read_object)]


class AcceptedFindingEntry(Entry):
    """A finding that is meant.

    Attributes:
        most: The largest size of the finding that is accepted. `dungeon report` tells larger ones again.
        reason: Why it is meant.
    """

    most: Size
    reason: Line


class AcceptedThingEntry(AcceptedFindingEntry):
    """A finding about an encounter, an object, a prefab or a lock that is meant.

    Attributes:
        maps: The maps on which it is accepted; all if left out.
    """

    maps: SeveralMaps = ()


OfEncounters = Annotated[dict[EncounterName, AcceptedThingEntry], Field(max_length=MAX_LISTED)]
OfPrefabs = Annotated[dict[PrefabOrTag, AcceptedThingEntry], Field(max_length=MAX_LISTED)]
OfObjects = Annotated[dict[ObjectTag, AcceptedThingEntry], Field(max_length=MAX_LISTED)]
OfLocks = Annotated[dict[LockName, AcceptedThingEntry], Field(max_length=MAX_LISTED)]
OfMaps = Annotated[dict[SomeMaps, AcceptedFindingEntry], Field(max_length=MAX_LISTED)]


class AcceptedEntry(Entry):
    """Findings of `dungeon report` that are meant, by their kind.

    Attributes:
        missed: Encounters that a map has less often than with unlimited space; the size is the share that is missing.
        nowhere: Encounters that name a type of map where they can't be; the size is always 100%.
        heavy: Encounters with a far greater weight than all others on a map; the size is a number of times.
        unused: Prefabs that are placed less often than they are a first choice; the size is the share that is missing.
        beyond: Objects that are rated for depths below the map's; the size is the share of levels that have one.
        misrated: Robots with more threat than is usual for their depth rating; the size is a number of times.
        far: Locks with far keys; the size is the share of locks that have one.
        farther: Locks whose keys are farther away than is usual; the size is a number of times.
        harmful: Robots and traps that cost more hit points than their threat says; the size is a number of times.
        harmless: Robots that cost fewer hit points than their threat says; the size is the share that is missing.
        feeble: Items that restore fewer hit points than their worth says; the size is the share that is missing.
        deadlier: Encounters that cost more than their robots and traps do elsewhere; the size is a number of times.
        killer: Robots and traps that kill more often than their threat says; the size is a number of times.
        unmet: Encounters that few games meet; the size is the share that is not met.
        deep: Maps with many robots or items rated for greater depths; the size is their share.
        trapped: Maps full of traps; the size is a number of times.
        crowded: Maps with many robots outside encounters; the size is a number of times.
        easier: Maps with less threat than the map before; the size is the share that is missing.
        poorer: Maps with less worth than the map before; the size is the share that is missing.
        again: Maps with layouts that had to be started again; the size is the share of levels.
        alike: Maps with much the same encounters or robots in each world; the size is the share.
        killing: Maps on which many games end; the size is the share of games.
        scarce: Maps where games take few items; the size is the share that is missing.
        drained: Maps where games arrive with hardly any charge; the size is the share of games.
        stuck: Maps on which bots give up; the size is the share of games.
    """

    missed: OfEncounters = Field(default_factory=nothing)
    nowhere: OfEncounters = Field(default_factory=nothing)
    heavy: OfEncounters = Field(default_factory=nothing)
    unused: OfPrefabs = Field(default_factory=nothing)
    beyond: OfObjects = Field(default_factory=nothing)
    misrated: OfObjects = Field(default_factory=nothing)
    far: OfLocks = Field(default_factory=nothing)
    farther: OfLocks = Field(default_factory=nothing)
    harmful: OfObjects = Field(default_factory=nothing)
    harmless: OfObjects = Field(default_factory=nothing)
    feeble: OfObjects = Field(default_factory=nothing)
    deadlier: OfEncounters = Field(default_factory=nothing)
    killer: OfObjects = Field(default_factory=nothing)
    unmet: OfEncounters = Field(default_factory=nothing)
    deep: OfMaps = Field(default_factory=nothing)
    trapped: OfMaps = Field(default_factory=nothing)
    crowded: OfMaps = Field(default_factory=nothing)
    easier: OfMaps = Field(default_factory=nothing)
    poorer: OfMaps = Field(default_factory=nothing)
    again: OfMaps = Field(default_factory=nothing)
    alike: OfMaps = Field(default_factory=nothing)
    killing: OfMaps = Field(default_factory=nothing)
    scarce: OfMaps = Field(default_factory=nothing)
    drained: OfMaps = Field(default_factory=nothing)
    stuck: OfMaps = Field(default_factory=nothing)

    def acceptance(self, kind: str, thing: str, map_id: str) -> AcceptedFindingEntry | None:
        """Return what is accepted of a finding; None if nothing is.

        Args:
            kind: The kind of finding.
            thing: The encounter, object, prefab or lock that it is about; not used for kinds of findings about maps.
            map_id: The map that it is about; empty if it is about none.
        """
        branch, _, depth = map_id.partition("/")
        entries: Mapping[str, AcceptedFindingEntry] = getattr(self, kind, {})
        for name, entry in entries.items():
            texts = entry.maps if isinstance(entry, AcceptedThingEntry) else (name,)
            is_named = not isinstance(entry, AcceptedThingEntry) or name == thing
            is_there = not texts or any(
                depth and maps_meant(text).names(branch, int(depth)) for text in texts
            )
            if is_named and is_there:
                return entry
        return None

    def named_maps(self) -> Iterator[tuple[Path, str, bool]]:
        """Yield (path in the entry, text, whether it is a key) for each text that names maps."""
        for kind in type(self).model_fields:
            for name, entry in getattr(self, kind).items():
                if isinstance(entry, AcceptedThingEntry):
                    yield from (((kind, name, "maps", n), text, False) for n, text in enumerate(entry.maps))
                else:
                    yield (kind, name), name, True
