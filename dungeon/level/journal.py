"""The record of every decision that made a level, with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dungeon.core.frozen import by_fields, short_repr

Verdict = Literal["chosen", "refused", "retried", "noted"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Decision:
    """One decision.

    Attributes:
        stage: The stage that took it: plan, layout, place...
        subject: What it is about, usually an encounter's name.
        verdict: What was decided.
        reason: Why, in words an author understands.
        counts: What was weighed: (rule or result, how many), in the order in which the rules apply; a word alone is
            a noun in the plural.
        kind: Of a refused encounter, the rule that refused it: `space` if no place on the map will do, or the rule about other encounters
            that forbids it anywhere: `group`, `conflict`, `requires`, `near`, `mix` or `budget`. Otherwise empty.
    """

    stage: str
    subject: str
    verdict: Verdict
    reason: str
    counts: tuple[tuple[str, int], ...] = ()
    kind: str = ""

    __reduce__ = by_fields
    __repr__ = short_repr

    def __str__(self) -> str:
        counts = f" ({self.counted})" if self.counts else ""
        return f"[{self.stage}] {self.subject}: {self.verdict}, {self.reason}{counts}"

    @property
    def counted(self) -> str:
        """The counts in words: ``1 spot``, ``4 too small, 1 with 2 doors``."""
        return ", ".join(
            f"{count} {rule.removesuffix('s') if count == 1 and rule.isalpha() else rule}"
            for rule, count in self.counts
        )


class Journal:
    """The decisions of one level, in the order in which they were taken."""

    __slots__ = ("decisions",)

    def __init__(self) -> None:
        self.decisions: list[Decision] = []

    def note(
        self,
        stage: str,
        subject: str,
        verdict: Verdict,
        reason: str,
        counts: tuple[tuple[str, int], ...] = (),
        kind: str = "",
    ) -> None:
        """Add a decision."""
        self.decisions.append(
            Decision(stage=stage, subject=subject, verdict=verdict, reason=reason, counts=counts, kind=kind)
        )
