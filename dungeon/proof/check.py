"""All rules about a level by itself, and how rules are run."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from types import FunctionType
from typing import TYPE_CHECKING, Any

from dungeon.proof import contents_rules, ground_rules, region_rules, walking_rules
from dungeon.proof.fields import Fields, field_value
from dungeon.proof.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

    from dungeon.level.model import Level
    from dungeon.proof.fields import Finding

MOST = 20
"""Number of violations of one rule that are listed; the rest is only counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One thing that is wrong with a level.

    Attributes:
        rule: The rule that is broken; the same word for the same rule in every version.
        message: What is wrong, in one sentence without a full stop.
        y: The row of the cell where it shows, and `x` its column; None where it is of no one cell.
    """

    rule: str
    message: str
    y: int | None = None
    x: int | None = None

    def __str__(self) -> str:
        place = "" if self.y is None else f" at {self.y}, {self.x}"
        return f"{self.rule}{place}: {self.message}"


def rules_in(*modules: ModuleType) -> tuple[Callable[[Any], Iterator[Finding]], ...]:
    """Return the rules of modules: all their public functions. The name of a rule is its function's, with hyphens."""
    return tuple(
        each
        for module in modules
        for name, each in vars(module).items()
        if type(each) is FunctionType and each.__module__ == module.__name__ and not name.startswith("_")
    )


FIELD_RULES: tuple[Callable[[Fields], Iterator[Finding]], ...] = (field_value,)
"""If these are broken the arrays can't be read."""

ARRAY_RULES: tuple[Callable[[Level], Iterator[Finding]], ...] = (
    ground_rules.array_shape,
    ground_rules.array_type,
    ground_rules.map_size,
)
"""If these are broken no other rule is run."""

UNREADABLE = {rule.__name__.replace("_", "-") for rule in (*FIELD_RULES, *ARRAY_RULES)}
"""The rules whose violations hide all others."""

RULES: tuple[Callable[[Survey], Iterator[Finding]], ...] = tuple(
    rule
    for rule in rules_in(ground_rules, walking_rules, region_rules, contents_rules)
    if rule not in ARRAY_RULES
)


def violations_of(level: Level) -> list[Violation]:
    """Return everything that is wrong with a level by itself."""
    fields = Fields(level)
    found = broken(FIELD_RULES, fields) or broken(ARRAY_RULES, level)
    return found or broken(RULES, Survey(fields))


def broken(rules: Sequence[Callable[[Any], Iterator[Finding]]], subject: object) -> list[Violation]:
    """Return the violations of rules by a subject, the first `MOST` of each rule and the number of the others."""
    found: list[Violation] = []
    for rule in rules:
        findings = rule(subject)
        listed = [*islice(findings, MOST)]
        if listed:
            name = rule.__name__.replace("_", "-")
            found += [Violation(rule=name, message=message, y=y, x=x) for message, y, x in listed]
            if more := sum(1 for _ in findings):
                found.append(Violation(rule=name, message=f"and {more} more"))
    return found
