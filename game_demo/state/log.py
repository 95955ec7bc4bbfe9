"""The messages to the player, and the facts and commands noted for bots and recordings."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final, Literal, NamedTuple

MessageKind = Literal["plain", "good", "bad", "find", "aside", "hint"]
"""The kind of a message; the screen gives each kind a colour."""

QUIET: Final = frozenset[MessageKind](("aside", "hint"))
"""The kinds of messages that tell of no event."""
HINT: Final = "Tip: "
"""The beginning of a message that is a tip about keys."""

FactKind = Literal["dealt", "hurt", "destroyed", "gained", "used", "charged", "opened", "sprung", "worn"]
"""The kinds of facts: damage dealt or taken, a robot destroyed, an item gained or used, charge gained, a lock opened, a trap sprung, hit points lost without charge."""


class Fact(NamedTuple):
    """An event of the game, for bots to learn from.

    Attributes:
        kind: Its kind.
        placement: The index in `Level.placements` of the placement of the thing concerned, or None.
        tag: The tag of the thing in the catalog; empty for a door.
        amount: The damage or charge, if the fact is about one.
        number: The entity, or None.
    """

    kind: FactKind
    placement: int | None = None
    tag: str = ""
    amount: int = 0
    number: int | None = None


Argument = int | str | tuple["Argument", ...]
"""An argument of a command: only what JSON can hold."""


class Command(NamedTuple):
    """A command that was carried out.

    Attributes:
        turn: The turn on which it was over.
        name: Its name in `game_demo.rules.commands.COMMANDS`.
        arguments: Its arguments, without the game.
    """

    turn: int
    name: str
    arguments: tuple[Argument, ...] = ()


class Blow(NamedTuple):
    """Damage that the player has taken.

    Attributes:
        turn: The turn.
        cause: What did it, with its article.
        damage: How many hit points.
    """

    turn: int
    cause: str
    damage: int


MAX_MESSAGES: Final = 500


@dataclass(slots=True)
class Message:
    """A message, with the turn and the number of the player's action on which it was last said.

    `times` counts equal messages in a row. A `merged` message is also counted if only other merged ones came in between.
    """

    turn: int
    text: str
    kind: MessageKind
    times: int = 1
    action: int = 0
    merged: bool = False

    def __str__(self) -> str:
        return " ".join(filter(None, [self.told, self.count]))

    @property
    def told(self) -> str:
        """The text without the count, with ``Tip:`` before a hint."""
        return f"{HINT}{self.text}" if self.kind == "hint" else self.text

    @property
    def count(self) -> str:
        """How often the message was said, as text: ``[3 times]``; empty for once."""
        return f"[{self.times} times]" if self.times > 1 else ""


@dataclass
class Log:
    """The messages that are still kept, oldest first."""

    messages: deque[Message] = field(default_factory=lambda: deque(maxlen=MAX_MESSAGES))
    turn: int = 0
    news: int = 0
    """How many messages there were that tell of an event. It tells whether something has happened meanwhile."""
    forgotten: int = 0
    """How many messages were dropped because only the last `MAX_MESSAGES` are kept."""
    action: int = 0
    """How many actions the player has taken; messages of earlier actions are shown as old."""

    def begin_action(self) -> None:
        """Begin a new action: all messages so far are old."""
        self.action += 1

    def say(self, text: str, kind: MessageKind = "plain", *, merged: bool = False) -> None:
        """Add a message. If the last message is the same, and of this turn or the turn before, only its count grows.

        Args:
            text: The message.
            kind: Its kind.
            merged: Whether the count of an older equal message grows, too, if only merged messages came since.
        """
        self.news += kind not in QUIET
        if (alike := self._repeated(text, kind, merged=merged)) is not None:
            message = self.messages[alike]
            del self.messages[alike]
            message.times += 1
            message.turn, message.action = self.turn, self.action
        else:
            message = Message(self.turn, text, kind, action=self.action, merged=merged)
            self.forgotten += len(self.messages) == MAX_MESSAGES
        self.messages.append(message)

    def has_said(self, text: str) -> bool:
        """Return whether a message with exactly this text was said this turn."""
        now = takewhile(lambda message: message.turn == self.turn, reversed(self.messages))
        return any(message.text == text for message in now)

    def advice(self, text: str, brief: str = "", *, key: str = "") -> str:
        """Return advice in full the first time and in few words after that.

        Args:
            text: The advice in full.
            brief: The same in a few words; empty for nothing.
            key: The words by which a kept message shows that the advice was given; by default all of `text`.
        """
        is_known = any((key or text) in message.text for message in self.messages)
        return brief if is_known else text

    @property
    def said_now(self) -> int:
        """How many messages the player's last action has brought."""
        return sum(
            1 for _ in takewhile(lambda message: message.action == self.action, reversed(self.messages))
        )

    def _repeated(self, text: str, kind: MessageKind, *, merged: bool) -> int | None:
        """Return the index from the end of the message that a new one repeats, -1 for the last; None for none."""
        for place in range(-1, -len(self.messages) - 1, -1):
            message = self.messages[place]
            if (message.text, message.kind) == (text, kind) and (merged or message.turn >= self.turn - 1):
                return place
            if not (merged and message.merged):
                break
        return None

    def cut(self, start: str) -> None:
        """Cut the last message off at `start` if it is of this turn or the turn before: it is a hint that the player has followed."""
        last = self.messages[-1] if self.messages else None
        if last is not None and last.turn >= self.turn - 1:
            last.text = last.text.partition(start)[0]

    def unsay(self, text: str) -> None:
        """Take back the last message if it has this text and is of this turn or the turn before, because the next one says more."""
        last = self.messages[-1] if self.messages else None
        if last is not None and last.text == text and last.turn >= self.turn - 1:
            last.times -= 1
            if not last.times:
                self.messages.pop()
