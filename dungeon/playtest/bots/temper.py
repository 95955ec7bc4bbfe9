"""What makes one bot play otherwise than another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Temper:
    """How a bot that explores decides. Shares are of hit points, from 0 to 1.

    Attributes:
        nerve: The share of the hit points it has that a fight may be expected to cost; it runs from others.
        mends_below: Below this share of the most it can have, it uses items that mend, if somebody fights it.
        rests_below: Below this share, it rests where nobody is in sight, until it has `rests_until`.
        detour: How many steps it goes for an item, or for what may hold one.
        thorough: Whether it sees all of a level before it goes down.
        searches: Whether it then searches along every wall behind which it knows of nothing. That takes long: no bot that comes
            along does, but one for which all that is hidden is to be found.
    """

    nerve: float
    mends_below: float
    rests_below: float
    rests_until: float
    detour: int
    thorough: bool
    searches: bool = False


TEMPERS: Final = {
    "cautious": Temper(
        nerve=0.5, mends_below=0.5, rests_below=0.7, rests_until=1.0, detour=40, thorough=True
    ),
    "greedy": Temper(
        nerve=1.0, mends_below=0.4, rests_below=0.4, rests_until=0.8, detour=9999, thorough=True
    ),
    "hasty": Temper(nerve=0.8, mends_below=0.3, rests_below=0.25, rests_until=0.5, detour=5, thorough=False),
}
"""By name, the tempers of the bots that explore."""
