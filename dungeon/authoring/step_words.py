"""The steps under `vary` in words, for the explanation of a prefab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.prefab.variation import (
    CountEntry,
    ExactlyEntry,
    FitEntry,
    OneOfEntry,
    OptionalEntry,
    ShuffleEntry,
    SubstituteEntry,
)
from dungeon.content.values.grammar import Constant, in_words, listed, percent, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.content.prefab.variation import StepEntry
    from dungeon.content.values.grammar import Value

STAYS = "what it was"


def _each(chars: Sequence[str]) -> str:
    return listed([shown(char) for char in chars], "or")


def step_in_words(step: StepEntry) -> str:
    """Return a description of a step of `vary`, as a sentence without a full stop."""
    match step:
        case SubstituteEntry(switch=str(switch)):
            cases = listed([f"{shown(char)} if it is {case}" for case, char in step.cases.items()])
            words = f"{_each(step.substitute)} becomes what the parameter {switch} decides: {cases}"
        case SubstituteEntry():
            how = "all alike become" if step.once else "each becomes"
            words = f"{_each(step.substitute)}: {how} {_result(step.with_)}"
        case CountEntry():
            others = "stay" if step.otherwise is None else f"become {_result(step.otherwise)}"
            verb = "becomes" if step.count == Constant(1) else "become"
            words = (
                f"{_count(step)} of the cells with {_each(step.of)} {verb} "
                f"{_result(step.become)}; the others {others}"
            )
        case ShuffleEntry():
            words = f"{listed([''.join(block) for block in step.shuffle])} change places at random"
            if len(set(step.shuffle.values())) > 1:
                words += f", with the weights {listed([f'{weight:g}' for weight in step.shuffle.values()])}"
        case OneOfEntry():
            words = (
                f"one of {listed(step.one_of)} that are drawn becomes {_result(step.become)}; "
                f"the others become {_result(step.otherwise)}"
            )
        case OptionalEntry():
            words = (
                f"{_each(step.optional)}: with a chance of {_chance(step.chance, 0.5)} all become "
                f"{_result(step.become)}, else {_result(step.otherwise)}"
            )
        case FitEntry():
            words = (
                f"into each connected group of {step.fit} a prefab is fitted, with a chance of "
                f"{_chance(step.chance, 1.0)}; what is left becomes {_result(step.otherwise)}"
            )
        case _:
            raise TypeError(
                f"step_in_words can't describe a step of 'vary' of the class {type(step).__name__}: add a case for it"
            )
    return words


def _count(step: CountEntry) -> str:
    """Return in words how many cells a step of `vary` changes."""
    count = step.count
    if not isinstance(step, ExactlyEntry):
        return f"at most {count.value if isinstance(count, Constant) else in_words(count, 'none')}"
    return f"exactly {count.value}" if isinstance(count, Constant) else in_words(count, "none")


def _result(value: Value[str] | None) -> str:
    """Return in words what a step of `vary` may put into a cell."""
    return STAYS if value is None else in_words(value, STAYS)


def _chance(value: Value[float], otherwise: float) -> str:
    if isinstance(value, Constant):
        return percent(value.value)
    odds = [(otherwise if each is None else each, likely) for each, likely in value.odds().items()]
    return f"{percent(sum(share * likely for share, likely in odds))} on average"
