"""The kinds of objects that a content declares: which of them can be, so that whoever reads on can rely on them."""

from __future__ import annotations

from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pydantic import ValidationError

from dungeon.content.catalog.own_words import KindEntry
from dungeon.content.catalog.symbols import HeldEntry, SymbolEntry
from dungeon.content.loading.draft import DRAWING, ENTRY_KINDS, MODELS, SINGLE_FILES, catalog_file
from dungeon.content.models.locks import Opener
from dungeon.content.models.population import FollowerEntry, MapPopulationEntry, PopulationEntry
from dungeon.content.source.names import HAS_A_MEANING, RESERVED_FOR_OBJECTS, name_fault
from dungeon.core.frozen import Frozen
from dungeon.core.kinds import BUILT_IN, Kind, Kinds
from dungeon.core.vocabulary import OTHER_ENTITIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.source.files import Findings, Record

MAX_KINDS = 100
"""How many kinds, and words for them, a content may declare."""

WITH_OBJECTS = (SymbolEntry, PopulationEntry, MapPopulationEntry, FollowerEntry, HeldEntry, Opener)
"""What objects are asked for in."""

NO_KINDS = frozenset(key for model in WITH_OBJECTS for key in (*model.model_fields, *model.NOT_HERE)).union(
    MODELS, SINGLE_FILES.values(), [DRAWING], OTHER_ENTITIES
)
"""Words that mean something else where objects are asked for, in the names of entries or among entities.

No kind can have them, in whatever case.
"""


def kinds_of(records: Mapping[str, Record], findings: Findings, *, whole: bool) -> Kinds:
    """Return the kinds that entries of ``kinds.yaml`` declare.

    Each has a word and a catalog that tell it from all else. Any other is unclear, unless it has a built-in kind's word,
    which means that one.

    Args:
        records: Word -> the entry as written.
        findings: Takes what the entries can't say; what is no entry, or no name, is reported where all entries are checked.
        whole: Whether all of them could be read.
    """
    own: dict[str, Kind] = {}
    places = {PurePosixPath(place).stem.casefold(): place for place in (*SINGLE_FILES, *ENTRY_KINDS)}
    for word, record in islice(records.items(), MAX_KINDS):
        try:
            kind = KindEntry.model_validate(record.data).kind(word)
        except ValidationError:
            continue
        if name_fault(word, RESERVED_FOR_OBJECTS):
            continue
        file = catalog_file(kind)
        if word.casefold() in NO_KINDS:
            findings.add(record, HAS_A_MEANING, value=word, key=True)
        elif (other := places.setdefault(kind.called.casefold(), file)) is not file:
            path = ("called",) if "called" in record.fields else ()
            message = f"they can't be called so, for that is what {other} is called"
            findings.add(record, message, *path, value=kind.called, key=not path)
        else:
            own[word] = kind
    for record in islice(records.values(), MAX_KINDS, MAX_KINDS + 1):
        findings.add(record, f"a content can declare {MAX_KINDS} kinds", key=True)
    return Kinds(Frozen(own), frozenset(records.keys() - own.keys() - BUILT_IN.keys()), whole)
