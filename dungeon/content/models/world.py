"""The world as an author writes it, and its chart: all maps that worlds may have, and all ways between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from dungeon.content.source.names import MAX_LISTED, NewName, reader_of
from dungeon.content.values.by_depth import WeightHere
from dungeon.content.values.fields import PLACE, Line, MapId, MapName, several
from dungeon.content.values.grammar import Constant
from dungeon.content.values.map_patterns import SPAN, DepthList, SeveralMaps, SomeMaps, Targets, read_depths
from dungeon.content.values.value_fields import IntValue, Probability, within
from dungeon.core.frozen import by_fields, nothing
from dungeon.core.parameters import Entry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.values.grammar import DepthWeight


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A map that worlds may have.

    Attributes:
        id: ``branch/depth``.
        branch: The branch, by default called like its type of map.
        depth: How deep it lies.
        branch_depth: How deep that is within its branch: 1 for the shallowest map of it.
        types: Type of map -> how often it is of it.
        one_way: Whether no way leads back from it.
    """

    id: str
    branch: str
    depth: int
    branch_depth: int
    types: Mapping[str, DepthWeight]
    one_way: bool = False

    __reduce__ = by_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """All maps that worlds may have, and all ways between them.

    Attributes:
        start: The id of the first map.
        spots: Map id -> the map.
        leads_to: Map id -> the ids of the maps to which its exits lead in every world that has both; nothing for those that
            lead nowhere.
        entered_from: Id of the shallowest map of a branch -> the ids of the maps of which one leads there.
        mouths: Map id -> the maps to which it is one of those that may lead.
    """

    start: str
    spots: Mapping[str, Spot]
    leads_to: Mapping[str, tuple[str, ...]]
    entered_from: Mapping[str, tuple[str, ...]]
    mouths: Mapping[str, tuple[str, ...]]

    __reduce__ = by_fields

    def may_lead_to(self, map_id: str) -> tuple[str, ...]:
        """Return the ids of all maps to which a map's exits lead in some world."""
        return tuple(dict.fromkeys([*self.leads_to.get(map_id, ()), *self.mouths.get(map_id, ())]))

    def reached(self) -> set[str]:
        """Return the ids of all maps to which ways lead from the start in some world."""
        found, waiting = {self.start}, [self.start]
        while waiting:
            new = [each for each in self.may_lead_to(waiting.pop()) if each not in found]
            found.update(new)
            waiting += new
        return found


MAX_RULES = 2000

BranchNames = Annotated[tuple[str, ...], *several(reader_of(PLACE), least=2)]


class BranchEntry(Entry):
    """A branch of the world: maps of one name, one at each of some depths. Mere depths say it all of most.

    Attributes:
        depths: At which depths it has a map: `1..10`, or several such.
        maps: Type of map -> how often a map of the branch is of it, as a weight word or a number, or by depth; by default all
            are of the type that has the branch's name.
        chance: How likely a world has it.
        entered_from: Maps of which one, drawn for each world, has an exit to the shallowest map of the branch.
    """

    short_form: ClassVar = {
        "type": ["integer", "string", "array"],
        "minimum": 0,
        "pattern": f"^{SPAN.pattern}$",
    }

    depths: DepthList
    maps: Annotated[dict[MapName, WeightHere], Field(max_length=MAX_LISTED)] = Field(default_factory=nothing)
    chance: Probability = 1.0
    entered_from: SeveralMaps = ()

    @model_validator(mode="wrap")
    @classmethod
    def _mere_depths(cls, raw: object, read: ModelWrapValidatorHandler[Self]) -> Self:
        return read(raw) if isinstance(raw, dict | BranchEntry) else read({"depths": read_depths(raw)})


class ChoiceEntry(Entry):
    """Branches of which a world has only some.

    Attributes:
        of: The branches of which only some are in a world.
        count: How many of them a world has, each as likely as any other.
    """

    of: BranchNames
    count: Annotated[IntValue, within(0, MAX_LISTED)] = Constant(1)


class WorldEntry(Entry):
    """Which maps there are at which depth, and where they lead.

    Attributes:
        name: What the player reads.
        start: The id of the first map: ``name/depth``.
        maps: Branch -> the depths at which it has maps. What is not listed here has them where `leads_to` names one.
        leads_to: Maps -> where their exits lead. What several rules say of a map adds up.
        one_way: Maps from which no way leads back to where one came from.
        choose: Branches of which each world has only some.
    """

    name: Line = "World"
    start: MapId
    maps: Annotated[dict[NewName, BranchEntry], Field(max_length=MAX_LISTED)] = Field(default_factory=nothing)
    leads_to: dict[SomeMaps, Targets] = Field(default_factory=nothing, max_length=MAX_RULES)
    one_way: SeveralMaps = ()
    choose: Annotated[tuple[ChoiceEntry, ...], Field(max_length=MAX_LISTED)] = ()
