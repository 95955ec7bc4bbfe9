"""Conditions on what has changed, as authors write them: ``share(foundry, engine_house) > +5%``."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dungeon.core.errors import PlaytestError, nearest_match
from dungeon.playtest.compare.comparison import RATE
from dungeon.playtest.compare.measures import DEPTH, EVERYWHERE, MEASURES

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dungeon.playtest.compare.comparison import MeasuredChange, Pair
    from dungeon.playtest.compare.measures import Measure

COMPARISONS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}

WORD = r"[^\s><=(),@]+"
TOKEN = re.compile(rf"\s*(>=|<=|[><=(),@]|{WORD}(?: +{WORD})*(?=\s*[,)])|{WORD})")
"""Names may have several words where a comma or bracket tells the end of them."""

BOUND = re.compile(r"([+-]?)(\d+(?:\.\d*)?|\.\d+)(%?)")


LISTED = 14
"""So many words that are known are listed; of more, only one that is like what was written is told."""


class ConditionError(Exception):
    """A condition says nothing.

    Attributes:
        text: The condition.
        column: Where that shows, from 1.
    """

    def __init__(self, text: str, column: int, message: str) -> None:
        super().__init__(f"column {column} of {text!r}: {message}")
        self.text = text
        self.column = column


class Condition(NamedTuple):
    """A condition on a number.

    Attributes:
        text: As it was written.
        change: The number before and after.
        holds: Whether it holds.
    """

    text: str
    change: MeasuredChange
    holds: bool


class KnownNames(Protocol):
    """What may be asked for."""

    @property
    def scopes(self) -> Sequence[str]:
        """What parts of a world are called."""

    @property
    def has_games(self) -> bool:
        """Whether games may be asked for."""

    def things(self, measure: Measure) -> list[str]:
        """Return what a measure can be asked of."""


class Token(NamedTuple):
    """A word, and the column from 1 in which it begins."""

    text: str
    column: int


class ConditionReader:
    """Reads a condition, word by word."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = [Token(each[1], each.start(1) + 1) for each in TOKEN.finditer(text)]
        self._tokens.append(Token("", len(text.rstrip()) + 1))

    @property
    def next(self) -> str:
        """The next word; empty at the end."""
        return self._tokens[0].text

    def take(self, what: str, known: Collection[str] | None = None) -> Token:
        """Return the next word, which must be one of those that are known."""
        token = self._tokens[0]
        if not token.text or (known is not None and token.text not in known):
            raise self.wrong(token, what, known or ())
        if len(self._tokens) > 1:
            del self._tokens[0]
        return token

    def wrong(self, token: Token, what: str, known: Collection[str] = ()) -> ConditionError:
        """Return the error that something else is needed than a word."""
        if not token.text:
            return ConditionError(self.text, token.column, f"{what} is missing")
        nearest = nearest_match(token.text, known)
        hint = f"did you mean {nearest}?" if nearest else ""
        if not nearest and 0 < len(known) <= LISTED:
            hint = f"there are {', '.join(known)}"
        message = f"{token.text!r} is not {what}" + (f" ({hint})" if hint else "")
        return ConditionError(self.text, token.column, message)

    def end(self) -> None:
        """Raise a ConditionError unless that was all."""
        if self._tokens[0].text:
            raise self.wrong(self._tokens[0], "expected here")


def condition_in(text: str, pair: Pair) -> Condition:
    """Read a condition and judge it.

    It is a measure, of which part of the world, and of what: ``copies(foundry/3, pool)``, ``levels(depth3)``, ``levels@depth3``
    or ``levels@3``, ``win(greedy)`` for ``win(everywhere, greedy)``; then ``>``, ``>=``, ``<`` or ``<=``; then a bound. A bound with a sign is for the change, else it
    is for the number that the second run has. Changes of shares are in percentage points, those of other numbers in percent
    of what the first run has, or without ``%`` as they are. A change must also be more than chance.

    Raises:
        ConditionError: It can't be understood.
        PlaytestError: The runs have nothing that could be compared.
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
            raise reader.wrong(bound, f"what {measure.name} is measured in: it is no share")
        return Condition(text, change, compare(change.after, number))
    holds = compare(_change_in(change, measure, relative=bool(percent)), number)
    return Condition(text, change, holds and change.chance <= RATE)


def part_and_thing(
    reader: ConditionReader, words: KnownNames, measure: Measure, where: str = "found in either run"
) -> tuple[str, str]:
    """Read of which part of the world, and of what; of all things together if a measure can do that and none is named.

    Args:
        reader: What to read.
        words: What is known.
        measure: What is asked for.
        where: What messages say of things that are known.

    Raises:
        ConditionError: It can't be understood.
        PlaytestError: There are no games.
    """
    if measure.of_games and not words.has_games:
        raise PlaytestError(
            f"{measure.name} is of games, and not both runs have some: record them with --bots"
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
    """Return by how much a number has changed, in parts of what it was if that is asked for and it is no share."""
    if not relative or measure.is_share:
        return change.difference
    if change.before:
        return change.difference / abs(change.before)
    return float("inf") if change.difference > 0 else -float("inf") if change.difference < 0 else 0.0
