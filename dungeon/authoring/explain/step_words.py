"""The steps of `vary` in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.prefab.variation import Exactly, Fit, OneOf, Optional, Shuffle, Substitute
from dungeon.content.values.grammar import Constant, in_words, listed, percent, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.content.prefab.variation import StepEntry
    from dungeon.content.values.grammar import Value

STAYS = "what it was"


def _each(chars: Sequence[str]) -> str:
    return listed([shown(char) for char in chars], "or")


def step_in_words(step: StepEntry) -> str:
    """Return what a step does, as a sentence without a full stop."""
    match step:
        case Substitute(switch=str(switch)):
            cases = listed([f"{shown(char)} if it is {case}" for case, char in step.cases.items()])
            words = f"{_each(step.substitute)} becomes what the parameter {switch} decides: {cases}"
        case Substitute():
            how = "all alike become" if step.once else "each becomes"
            words = f"{_each(step.substitute)}: {how} {_result(step.with_)}"
        case Exactly():
            others = "stay" if step.otherwise is None else f"become {_result(step.otherwise)}"
            verb = "becomes" if step.exactly == Constant(1) else "become"
            words = (
                f"{_count(step.exactly)} of the cells with {_each(step.of)} {verb} "
                f"{_result(step.become)}; the others {others}"
            )
        case Shuffle():
            words = f"{listed([''.join(block) for block in step.shuffle])} change places at random"
        case OneOf():
            words = (
                f"one of {listed(step.one_of)} that are drawn becomes {_result(step.become)}; "
                f"the others become {_result(step.otherwise)}"
            )
        case Optional():
            words = (
                f"{_each(step.optional)}: with a chance of {_chance(step.chance, 0.5)} all become "
                f"{_result(step.become)}, else {_result(step.otherwise)}"
            )
        case Fit():
            words = (
                f"into each connected group of {step.fit} a prefab is fitted, with a chance of "
                f"{_chance(step.chance, 1.0)}; what is left becomes {_result(step.otherwise)}"
            )
        case _:
            raise TypeError(f"there are no words for {type(step).__name__}")
    return words


def _count(count: Value[int]) -> str:
    """Return how many cells become something."""
    return f"exactly {count.value}" if isinstance(count, Constant) else in_words(count, "none")


def _result(value: Value[str] | None) -> str:
    """Return what cells become."""
    return STAYS if value is None else in_words(value, STAYS)


def _chance(value: Value[float], otherwise: float) -> str:
    if isinstance(value, Constant):
        return percent(value.value)
    odds = [(otherwise if each is None else each, likely) for each, likely in value.odds().items()]
    return f"{percent(sum(share * likely for share, likely in odds))} on average"
