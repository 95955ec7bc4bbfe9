"""Values in the grammar in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dungeon.content.values.grammar import Between, Constant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.content.values.grammar import Value

ALWAYS = 1 - 1e-12


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
        return shown(value.value)
    if isinstance(value, Between):
        return f"{value.low} to {value.high}"
    odds = sorted(value.odds().items(), key=lambda pair: -pair[1])
    if len(odds) == 1:
        return otherwise if odds[0][0] is None else shown(odds[0][0])
    return " or ".join(
        f"{otherwise if each is None else shown(each)} ({percent(likely)})" for each, likely in odds
    )


def shown(each: object) -> str:
    """Return an outcome as a sentence shows it."""
    return '" "' if each == " " else str(each)


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return ``a, b and c``."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
