"""The world as its author writes it: its branches, which maps lead where, and which of them a world may lack."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from dungeon.content.source.entry import Entry
from dungeon.content.source.names import MAX_LISTED, NewName, reader_of
from dungeon.content.values.by_depth import WeightHere
from dungeon.content.values.fields import PLACE, Line, MapId, MapName, several
from dungeon.content.values.grammar import Constant
from dungeon.content.values.map_patterns import SPAN, DepthList, SeveralMaps, SomeMaps, Targets, read_depths
from dungeon.content.values.value_fields import IntValue, Probability, within
from dungeon.core.frozen import nothing

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
