"""Editions: which encounters a game has had since when, so that those that came later leave earlier ones where they are."""

from __future__ import annotations

import re
from typing import Annotated, Self

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    RootModel,
    WithJsonSchema,
    model_validator,
)

from dungeon.content.source.faults import Fault, MisreadError, misread
from dungeon.content.source.names import NEW_NAME, read_new_name, read_several

EDITION = re.compile("[1-9][0-9]{0,2}")
LAST_EDITION = 999
MOST_ENCOUNTERS = 10_000
"""So many encounters may come with one edition."""

NAMES = {
    "type": "array",
    "items": NEW_NAME,
    "maxItems": MOST_ENCOUNTERS,
    "uniqueItems": True,
}


def read_edition(raw: object) -> int:
    """Read the number of an edition; the keys of a mapping come as text.

    Raises:
        MisreadError: It is none.
    """
    if EDITION.fullmatch(str(raw)) is None:
        raise misread(f"the number of an edition, from 1 to {LAST_EDITION}, is needed here", raw)
    return int(str(raw))


def read_encounters(raw: object) -> tuple[str, ...]:
    """Read the names of encounters, which need not be there any more.

    Raises:
        MisreadError: They are none, or too many.
    """
    return read_several(read_new_name, raw, most=MOST_ENCOUNTERS)


Edition = Annotated[
    int,
    BeforeValidator(read_edition),
    WithJsonSchema({"type": "string", "pattern": f"^{EDITION.pattern}$"}),
]


Encounters = Annotated[
    tuple[str, ...], PlainValidator(read_encounters), WithJsonSchema({"anyOf": [NEW_NAME, NAMES]})
]


class EditionsEntry(RootModel[Annotated[dict[Edition, Encounters], Field(max_length=LAST_EDITION)]]):
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
