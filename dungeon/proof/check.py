"""Runs the rules of the proof, and lists those about a level by itself. A rule is a generator function that yields a finding (message, row, column) for each violation."""

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
"""Number of violations of one rule that are listed; a last one counts the rest (`and 7 more`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One violation of a rule by a level.

    Attributes:
        rule: The name of the broken rule, such as `walk-exit`; names do not change between versions.
        message: What is wrong, in one sentence without a full stop.
        y: The row of the cell at which the rule is broken; None if the violation belongs to no single cell.
        x: The column of that cell; None if `y` is None.
    """

    rule: str
    message: str
    y: int | None = None
    x: int | None = None

    def __str__(self) -> str:
        place = "" if self.y is None else f" at {self.y}, {self.x}"
        return f"{self.rule}{place}: {self.message}"


def rules_in(*modules: ModuleType) -> tuple[Callable[[Any], Iterator[Finding]], ...]:
    """Return the rules defined in these modules, which are their public functions. The function `walk_exit` is the rule `walk-exit`."""
    return tuple(
        each
        for module in modules
        for name, each in vars(module).items()
        if type(each) is FunctionType and each.__module__ == module.__name__ and not name.startswith("_")
    )


FIELD_RULES: tuple[Callable[[Fields], Iterator[Finding]], ...] = (field_value,)
"""Run first: if one is broken, the arrays can't be read, and no other rule is run."""

ARRAY_RULES: tuple[Callable[[Level], Iterator[Finding]], ...] = (
    ground_rules.array_shape,
    ground_rules.array_type,
    ground_rules.map_size,
)
"""Run next: if one is broken, no other rule is run."""

UNREADABLE = {rule.__name__.replace("_", "-") for rule in (*FIELD_RULES, *ARRAY_RULES)}
"""The names of the rules above: a violation of one of them is followed by no others."""

RULES: tuple[Callable[[Survey], Iterator[Finding]], ...] = tuple(
    rule
    for rule in rules_in(ground_rules, walking_rules, region_rules, contents_rules)
    if rule not in ARRAY_RULES
)


def violations_of(level: Level) -> list[Violation]:
    """Return the violations of all rules about a level by itself (not about its world); empty if the level keeps all rules."""
    fields = Fields(level)
    found = run_rules(FIELD_RULES, fields) or run_rules(ARRAY_RULES, level)
    return found or run_rules(RULES, Survey(fields))


def run_rules(rules: Sequence[Callable[[Any], Iterator[Finding]]], subject: object) -> list[Violation]:
    """Return the violations of these rules: the first `MOST` of each rule, then one violation that counts the others.

    Args:
        rules: The rules.
        subject: What each rule is called with, such as a `Survey` of the level.
    """
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
