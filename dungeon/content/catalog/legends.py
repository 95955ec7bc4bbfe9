"""Legends: what the characters of drawings stand for, those of one prefab or of several."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)

from dungeon.content.catalog.symbols import SymbolEntry
from dungeon.content.source.faults import (
    UNKNOWN_KEY,
    UNSAID,
    Fault,
    MisreadError,
    attempt,
    faults_of,
    misread,
)
from dungeon.content.values.fields import LegendNames
from dungeon.content.values.looks import GLYPH_SCHEMA, Glyph, read_glyph
from dungeon.core.errors import nearest_match
from dungeon.core.parameters import Entry

MAX_CHARACTERS = 500


def _space_is_empty(legend: dict[str, SymbolEntry]) -> dict[str, SymbolEntry]:
    if " " in legend and any(symbol.kind is not None for symbol, _ in legend[" "].leaves()):
        raise misread("a space is an empty cell; only terrain can be there", UNSAID, " ", key=True)
    return legend


Legend = Annotated[
    dict[Glyph, SymbolEntry], Field(max_length=MAX_CHARACTERS), AfterValidator(_space_is_empty)
]


class LegendEntry(Entry):
    """A legend that several prefabs share: character -> what it stands for.

    Attributes:
        extends: Other legends that it adds to and overrides.
    """

    model_config = ConfigDict(
        extra="allow", json_schema_extra={"propertyNames": {"anyOf": [GLYPH_SCHEMA, {"enum": ["extends"]}]}}
    )
    __pydantic_extra__: dict[str, SymbolEntry]

    extends: LegendNames = ()

    @model_validator(mode="wrap")
    @classmethod
    def _one_character_each(cls, raw: object, read: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(raw, dict):
            return read(raw)
        faults: list[Fault] = []
        for char in raw:
            if char != "extends" and nearest_match(str(char), ["extends"]):
                faults.append(
                    Fault(message=UNKNOWN_KEY, path=(char,), value=char, allowed=["extends"], key=True)
                )
            elif char != "extends":
                attempt(faults, read_glyph, char, char, key=True)
        if len(raw) > MAX_CHARACTERS:
            faults.append(Fault(message=f"at most {MAX_CHARACTERS} may be listed here"))
        wrong = {fault.path[0] for fault in faults if fault.path}
        try:
            legend = read({key: value for key, value in raw.items() if key not in wrong} if wrong else raw)
            _space_is_empty(legend.symbols)
        except ValidationError as error:
            raise MisreadError([*faults, *faults_of(error, cls)]) from None
        except MisreadError as error:
            raise MisreadError([*faults, *error.faults]) from None
        if faults:
            raise MisreadError(faults)
        return legend

    @property
    def symbols(self) -> dict[str, SymbolEntry]:
        """What its own characters stand for."""
        return self.__pydantic_extra__
