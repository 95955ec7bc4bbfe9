"""Why something fits nowhere: every site counted under the first rule that it breaks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.generation.placing.edges import BROKEN_LOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dungeon.generation.placing.sites import Sites

Counts = tuple[tuple[str, int], ...]


class Refused(NamedTuple):
    """Why it fits nowhere.

    Attributes:
        reason: A sentence.
        counts: The sites, counted by the first rule that each one fails.
    """

    reason: str
    counts: Counts

    @property
    def kind(self) -> str:
        """What kind of reason that is."""
        return "space"

    def besides(self, dug: str, altered: str) -> Refused:
        """Return the same where other places have been made for it: so many, in words, that were dug, and were altered."""
        tried = f"nor would {dug} that could be dug" if dug else "nor is there space to dig one"
        tried += f", nor {altered} that could be altered" if altered else ""
        return self._replace(reason=f"{self.reason}, {tried}")

    def for_locks(self, broken: Mapping[str, str]) -> Refused:
        """Return the same where no prefab can ever be placed: prefab -> what is wrong with its locks; nothing changes without any."""
        if not broken:
            return self
        said = "; ".join(f"{name} has {objection}" for name, objection in broken.items())
        sites = sum(count for _, count in self.counts)
        counts = ((BROKEN_LOCKS[next(iter(broken.values()))], sites),) if sites else ()
        return Refused(f"{said}: {self.reason}", counts)

    def in_zones(self) -> Refused:
        """Return the same where only some zones of the map have been looked at."""
        return self._replace(reason=f"in its zones: {self.reason}")


def of_all(refusals: Mapping[str, Refused]) -> Refused:
    """Return why nothing of several fits anywhere, given why each does not: each by its name, or a single one without."""
    if len(refusals) == 1:
        return next(iter(refusals.values()))
    counts: Counter[str] = Counter()
    for each in refusals.values():
        counts.update(dict(each.counts))
    reason = "; ".join(f"{name}: {each.reason}" for name, each in refusals.items())
    return Refused(reason, tuple(counts.items()))


@dataclass(slots=True)
class Tally:
    """What each rule has left so far, of all that was tried.

    Attributes:
        left: Rule -> the masks of the spots that it has left, in the order of the rules.
        broken: Region -> the promise that the first placement tried there would have broken.
    """

    left: dict[str, list[int]] = field(default_factory=dict)
    broken: dict[int, str] = field(default_factory=dict)

    def through(self, rules: Iterator[tuple[str, int]], spots: int = 0) -> int:
        """Return the spots that the last of the rules leaves, or `spots` if there is none; stop after one that leaves none.

        Raises:
            TypeError: A placing mode yields something else than rules, or nothing.
        """
        if not hasattr(rules, "__next__"):
            raise TypeError(f"spots are found rule by rule: yield 'what is wrong', mask; not {rules!r}")
        for each in rules:
            match each:
                case rule, spots if isinstance(rule, str) and isinstance(spots, int):
                    pass  # class patterns would say the same in many times the time
                case _:
                    raise TypeError(f"a rule is 'what is wrong', mask; not {each!r}")
            self.left.setdefault(rule, []).append(spots)
            if not spots:
                break
        return spots

    def refusal(self, everything: Sites, eligible: Sites) -> Refused:
        """Return why none of the sites will do."""
        total = len(everything.sites)
        counts = everything.way_counts(n for n in everything.sites if n not in eligible.sites)
        rest = dict(eligible.sites)
        for rule, left in self.left.items():
            kept = {
                site.region.id
                for site in eligible.having_spots(reduce(or_, left), np.array([*rest], np.int64))
            }
            failed = [number for number in rest if number not in kept]
            for number in failed:
                del rest[number]
            if failed:
                counts.append((rule, len(failed)))
        counts += Counter(self.broken[number] for number in rest if number in self.broken).items()
        match total:
            case 0:
                reason = f"no {everything.noun} is free"
            case 1:
                reason = f"the only free {everything.noun} won't do"
            case _:
                reason = f"none of {total} free {everything.noun}s will do"
        return Refused(reason, tuple(counts))
