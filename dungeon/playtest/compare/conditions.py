"""Conditions on a comparison of two runs, as text: ``share(foundry, engine_house) > +5%`` is measure(part, thing) and a bound.

The part is a part of the world, such as a type of map; the thing is an encounter, prefab, bot...
"""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dungeon.core.errors import PlaytestError, meant_or_all, nearest_match
from dungeon.playtest.compare.comparison import MISSED
from dungeon.playtest.compare.measures import DEPTH, EVERYWHERE, MEASURES

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dungeon.playtest.compare.comparison import MeasuredChange, Pair
    from dungeon.playtest.compare.measures import Measure

COMPARISONS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}

WORD = r"[^\s><=(),@]+"
TOKEN = re.compile(rf"\s*(>=|<=|[><=(),@]|{WORD}(?: +{WORD})*(?=\s*[,)])|{WORD})")
"""A sign or a name. A name may have several words if a comma or closing bracket follows it."""

BOUND = re.compile(r"([+-]?)(\d+(?:\.\d*)?|\.\d+)(%?)")


class ConditionError(Exception):
    """A condition that can't be understood.

    Attributes:
        text: The condition.
        column: The column of the mistake, from 1.
    """

    def __init__(self, text: str, column: int, message: str) -> None:
        super().__init__(f"column {column} of {text!r}: {message}")
        self.text = text
        self.column = column


class Condition(NamedTuple):
    """A condition and its result.

    Attributes:
        text: The condition as written.
        change: The measure before and after.
        holds: Whether the condition is true.
    """

    text: str
    change: MeasuredChange
    holds: bool


class KnownNames(Protocol):
    """The names that a condition may use: parts of the world, and things such as encounters, prefabs or bots."""

    @property
    def scopes(self) -> Sequence[str]:
        """Names of the parts of a world."""

    @property
    def has_games(self) -> bool:
        """Whether there are games to measure."""

    def things(self, measure: Measure) -> list[str]:
        """Return the names of the encounters, prefabs, bots... for which a condition may ask `measure`."""


class Token(NamedTuple):
    """A token of a condition's text (a name, number or sign), and the column where it begins, from 1."""

    text: str
    column: int


class ConditionReader:
    """Reads a condition token by token."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = [Token(each[1], each.start(1) + 1) for each in TOKEN.finditer(text)]
        self._tokens.append(Token("", len(text.rstrip()) + 1))

    @property
    def next(self) -> str:
        """The next token's text; empty at the end."""
        return self._tokens[0].text

    def take(self, what: str, known: Collection[str] | None = None) -> Token:
        """Take and return the next token.

        Args:
            what: Description of the expected token, for the error message.
            known: The allowed texts; None allows any.

        Raises:
            ConditionError: The condition ends here, or the token is not allowed.
        """
        token = self._tokens[0]
        if not token.text or (known is not None and token.text not in known):
            raise self.wrong(token, what, known or ())
        if len(self._tokens) > 1:
            del self._tokens[0]
        return token

    def wrong(self, token: Token, what: str, known: Collection[str] = ()) -> ConditionError:
        """Return the error that a token is not what was expected; `what` describes the expected token, `known` are suggestions."""
        if not token.text:
            return ConditionError(self.text, token.column, f"{what} is missing")
        hint = meant_or_all(nearest_match(token.text, known), known)
        message = f"{token.text!r} is not {what}" + (f" ({hint})" if hint else "")
        return ConditionError(self.text, token.column, message)

    def end(self) -> None:
        """Raise a ConditionError if a token is left."""
        if self._tokens[0].text:
            raise self.wrong(self._tokens[0], "expected here")


def condition_in(text: str, pair: Pair) -> Condition:
    """Read a condition and evaluate it on a pair of runs.

    A condition is a measure with a part of the world and a thing, a comparison (``>``, ``>=``, ``<``, ``<=``) and a bound.
    These mean the same: ``levels(depth3)``, ``levels(3)``, ``levels@depth3``, ``levels@3``. Without a part, the whole world is
    meant: ``win(greedy)`` is ``win(everywhere, greedy)``.

    A bound with a sign is compared with the change, one without a sign with the second run's value. ``+5%`` means percentage
    points for shares; for other measures, percent of the first run's value. Without ``%``, the bound is an absolute number. A change
    must also be significant.

    Raises:
        ConditionError: The condition can't be understood.
        PlaytestError: No world has the value in both runs.
    """
    reader = ConditionReader(text)
    measure = MEASURES[reader.take("a measure", MEASURES).text]
    opened = reader.take("( or @", ("(", "@")).text == "("
    scope, thing = part_and_thing(reader, pair, measure)
    if opened:
        reader.take(")", (")",))
    compare = COMPARISONS[reader.take("a comparison", COMPARISONS).text]
    bound = reader.take("a bound such as +5%")
    reader.end()
    match = BOUND.fullmatch(bound.text)
    if match is None:
        raise reader.wrong(bound, "a bound such as +5%, 30% or 2.5")
    change = pair.ask(measure, scope, thing)
    sign, digits, percent = match.groups()
    number = float(f"{sign}{digits}") / (100 if percent else 1)
    if not sign:
        if percent and not measure.is_share:
            raise reader.wrong(bound, f"a plain number: {measure.name} is not in percent")
        return Condition(text, change, compare(change.after, number))
    holds = compare(_change_in(change, measure, relative=bool(percent)), number)
    return Condition(text, change, holds and change.chance <= MISSED)


def part_and_thing(
    reader: ConditionReader, words: KnownNames, measure: Measure, where: str = "found in either run"
) -> tuple[str, str]:
    """Read the part of the world and the thing (encounter, prefab, bot...) of a condition; return both names.

    Args:
        reader: The reader, after the opening bracket or ``@``.
        words: The known names.
        measure: The measure. If it can be taken over all things, the thing may be missing, and is then empty.
        where: The end of the error message about an unknown thing: ``'hall' is not found in either run``.

    Raises:
        ConditionError: A name is not known.
        PlaytestError: The measure is about games, and there are none.
    """
    if measure.of_games and not words.has_games:
        raise PlaytestError(
            f"{measure.name} is measured on games, and not both runs have games: record them with --bots"
        )
    things = words.things(measure) if measure.has_things else []
    depths = {each.removeprefix("depth"): each for each in words.scopes if DEPTH.fullmatch(each)}
    known = dict.fromkeys(words.scopes) | depths
    if reader.next in things and reader.next not in known:
        return EVERYWHERE, reader.take("a thing").text
    word = reader.take("a map, a branch, a type of map, a depth or everywhere", known).text
    scope = word if word in words.scopes else depths[word]
    if not measure.has_things or (measure.together and reader.next != ","):
        return scope, ""
    reader.take("a comma", (",",))
    return scope, reader.take(where, things).text


def _change_in(change: MeasuredChange, measure: Measure, *, relative: bool) -> float:
    """Return the change of a measure; with `relative`, as a fraction of the value before unless the measure is a share."""
    if not relative or measure.is_share:
        return change.difference
    if change.before:
        return change.difference / abs(change.before)
    return float("inf") if change.difference > 0 else -float("inf") if change.difference < 0 else 0.0
