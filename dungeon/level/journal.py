"""The record of every decision that made a level, with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dungeon.core.frozen import by_fields, short_repr

Verdict = Literal["chosen", "refused", "retried", "noted"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Decision:
    """One decision of a generation stage, with its reason.

    Attributes:
        stage: The stage that took it: plan, layout, place...
        subject: What the decision is about, usually the name of an encounter.
        verdict: The result: chosen, refused, retried or noted.
        reason: The reason, in words that an author understands.
        counts: Pairs (text, number). Either the text is a rule, and the number says how many candidate rooms or positions it
            refused, such as ("too small", 4), in the order in which the rules apply. Or the text is a noun in the plural, and
            the number says how many candidates remained, such as ("spots", 3).
        kind: For a refused encounter, the rule that refused it: `space` if no place on the map fits; or `group`, `conflict`,
            `requires`, `near`, `mix` or `budget` if other encounters forbid it everywhere. Otherwise empty.
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
        """The counts as text: ``1 spot``, or ``4 too small, 1 with 2 doors``; a single plural word loses its s after 1."""
        return ", ".join(
            f"{count} {rule.removesuffix('s') if count == 1 and rule.isalpha() else rule}"
            for rule, count in self.counts
        )


class Journal:
    """The growing list of a level's decisions while it is built.

    Attributes:
        decisions: The decisions, in the order in which they were taken.
    """

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
        """Append a decision; see `Decision` for the arguments."""
        self.decisions.append(
            Decision(stage=stage, subject=subject, verdict=verdict, reason=reason, counts=counts, kind=kind)
        )
