"""Values in the grammar and steps of `vary` in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dungeon.content.prefab.variation import Exactly, Fit, OneOf, Optional, Shuffle, Substitute
from dungeon.content.values.grammar import Between, Constant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.content.prefab.variation import StepEntry
    from dungeon.content.values.grammar import Value

ALWAYS = 1 - 1e-12
STAYS = "what it was"


def percent(share: float) -> str:
    """Return a share in percent, with no more digits than tell something.

    >>> percent(0.3), percent(1 / 3), percent(0.0004)
    ('30%', '33.3%', '0.04%')
    """
    return f"{share * 100:.3g}%" if share < ALWAYS else "100%"


def in_words(value: Value[Any], otherwise: str = "nothing") -> str:
    """Return what a value may be, and how likely, likeliest first.

    Args:
        value: The value.
        otherwise: What holds where it does not apply.

    >>> in_words(Between(2, 4))
    '2 to 4'
    """
    if isinstance(value, Constant):
        return _shown(value.value)
    if isinstance(value, Between):
        return f"{value.low} to {value.high}"
    odds = sorted(value.odds().items(), key=lambda pair: -pair[1])
    if len(odds) == 1:
        return otherwise if odds[0][0] is None else _shown(odds[0][0])
    return " or ".join(
        f"{otherwise if each is None else _shown(each)} ({percent(likely)})" for each, likely in odds
    )


def _shown(each: object) -> str:
    return '" "' if each == " " else str(each)


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return ``a, b and c``."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _each(chars: Sequence[str]) -> str:
    return listed([_shown(char) for char in chars], "or")


def step_in_words(step: StepEntry) -> str:
    """Return what a step does, as a sentence without a full stop."""
    match step:
        case Substitute(switch=str(switch)):
            cases = listed([f"{_shown(char)} if it is {case}" for case, char in step.cases.items()])
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
