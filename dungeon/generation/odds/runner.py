"""Who takes part in a race."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Someone who sends copies.

    Attributes:
        name: Who it is.
        weight: How many copies it sends per unit of time, on average; above 0.
        supply: How likely it may have a first copy, a second... : as many as it may ever have.
        given: Whether they are given to it, and so come before all that are not.
    """

    name: str
    weight: float
    supply: tuple[float, ...]
    given: bool = False


class Arrival(NamedTuple):
    """How often a copy arrives.

    Attributes:
        runner: Whose it is.
        copy: Which of its copies, from 0.
        before: How many copies those it runs with have sent before, its own included.
        rate: (n,), how likely it arrives at each of some times, per unit of time.
    """

    runner: str
    copy: int
    before: int
    rate: Floats


class Party(Protocol):
    """Runners who are independent of all others; two races are run, that of given copies before the other."""

    def sent(self, part: slice, *, given: bool) -> Floats:
        """Return how likely they have sent none, one... copies in all at some of the times of one race: (copies, n)."""

    def arrivals(self, part: slice, *, given: bool) -> Iterator[Arrival]:
        """Yield how often copies arrive at some of the times of one race."""
