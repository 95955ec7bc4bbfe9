"""Editions: which encounters a game has had since when, so that those that came later leave earlier ones where they are."""

from __future__ import annotations

import re
from typing import Annotated, Self

from pydantic import BeforeValidator, ConfigDict, Field, RootModel, WithJsonSchema, model_validator

from dungeon.content.source.faults import Fault, MisreadError, misread
from dungeon.content.source.names import MAX_LISTED
from dungeon.content.values.fields import NewNames

EDITION = re.compile("[1-9][0-9]{0,2}")


def read_edition(raw: object) -> int:
    """Read the number of an edition; the keys of a mapping come as text.

    Raises:
        MisreadError: It is none.
    """
    if EDITION.fullmatch(str(raw)) is None:
        raise misread("the number of an edition, from 1 to 999, is needed here", raw)
    return int(str(raw))


Edition = Annotated[
    int,
    BeforeValidator(read_edition),
    WithJsonSchema({"type": "string", "pattern": f"^{EDITION.pattern}$"}),
]


class EditionsEntry(RootModel[Annotated[dict[Edition, NewNames], Field(max_length=MAX_LISTED)]]):
    """The encounters that came with each edition of the game, by its number: those of later editions choose their places later.

    Whatever is in none of them comes last. Names of encounters that are no more may stay.
    """

    model_config = ConfigDict(frozen=True)

    @model_validator(mode="after")
    def _each_name_once(self) -> Self:
        first: dict[str, int] = {}
        faults = []
        for edition, names in self.root.items():
            for number, name in enumerate(names):
                if first.setdefault(name, edition) != edition:
                    message = f"edition {first[name]} has this already"
                    faults.append(Fault(message=message, path=(str(edition), number), value=name))
        if faults:
            raise MisreadError(faults)
        return self
