"""What a map has against an encounter, wherever that would lie: who is there, who is not, and what it may still have."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.level.journal import RefusalKind

TEXTS: Mapping[RefusalKind, str] = {
    "group": "its group {what!r} is taken by {other}",
    "conflict": "it conflicts with {what}, which is on the map",
    "requires": "it requires {what}, which is not on the map",
    "near": "it is to be near {what}, and none is on the map",
    "mix": "the map's mix has no more {what}",
    "budget": "the map's budget has too little {what} left",
}
"""Kind -> what there is to say."""


class Veto(NamedTuple):
    """What a map has against an encounter.

    Attributes:
        kind: What kind of thing it is.
        what: The group, encounter, category or stake that matters.
        other: Who has that group.
    """

    kind: RefusalKind
    what: str
    other: str = ""

    @property
    def reason(self) -> str:
        """What it is, in words."""
        return TEXTS[self.kind].format(what=self.what, other=self.other)

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """The places that each rule forbids: none, as no place has been looked at."""
        return ()
