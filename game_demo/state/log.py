"""What the player is told, and what is noted for whoever measures or records a game."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final, Literal, NamedTuple

MessageKind = Literal["plain", "good", "bad", "find", "aside", "hint"]
"""How a message is meant; the screen gives each kind a colour."""

QUIET: Final = frozenset[MessageKind](("aside", "hint"))
"""The kinds of messages that tell of nothing that has happened."""
HINT: Final = "Tip: "
"""How a message begins that is about keys, and no part of the story."""

FactKind = Literal["dealt", "hurt", "destroyed", "gained", "opened", "sprung", "worn"]
"""What can happen: a blow of the player's or one that he takes, a robot's end, an item taken, a lock opened, a trap sprung;
or hit points lost for want of charge."""


class Fact(NamedTuple):
    """Something that has happened.

    Attributes:
        kind: What.
        placement: The index in `Level.placements` of the placement that it came from, if it came from one.
        tag: The name in the catalogs of the thing that it was about; empty for a door.
        amount: The damage, where it is about damage.
        number: The entity that it was about, None for none.
    """

    kind: FactKind
    placement: int | None = None
    tag: str = ""
    amount: int = 0
    number: int | None = None


Argument = int | str | tuple["Argument", ...]
"""What a command may be told: what can be written down and read again."""


class Command(NamedTuple):
    """Something that the player has done.

    Attributes:
        turn: The turn on which it was over.
        name: The name of the action, in `game_demo.rules.commands.COMMANDS`.
        arguments: What the action was told, besides the game.
    """

    turn: int
    name: str
    arguments: tuple[Argument, ...] = ()


class Blow(NamedTuple):
    """Something that has done the player harm.

    Attributes:
        turn: On which turn.
        cause: What it was, with its article.
        damage: How many hit points it took.
    """

    turn: int
    cause: str
    damage: int


MAX_MESSAGES: Final = 500


@dataclass(slots=True)
class Message:
    """Something that was said on a turn, `times` times in a row, the last time while the player did his `action`-th thing.

    `merged`: whether it is counted together with others like it, whatever of that kind was said between.
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
        """What is read of it, but for how often."""
        return f"{HINT if self.kind == 'hint' else ''}{self.text}"

    @property
    def count(self) -> str:
        """How often it was said, as text; empty for once."""
        return f"[{self.times} times]" if self.times > 1 else ""


@dataclass
class Log:
    """All messages that are still remembered, the oldest first."""

    messages: deque[Message] = field(default_factory=lambda: deque(maxlen=MAX_MESSAGES))
    turn: int = 0
    news: int = 0
    """How many messages there have been that were more than asides and hints, which tells whether something has happened meanwhile."""
    forgotten: int = 0
    """How many messages there were before the oldest that is remembered."""
    action: int = 0
    """How many things the player has done, of however many commands each: what was said before the last of them is old."""

    def begin_action(self) -> None:
        """Let all that was said so far be old."""
        self.action += 1

    def say(self, text: str, kind: MessageKind = "plain", *, merged: bool = False) -> None:
        """Add a message; one that repeats the last, of this turn or that before, is counted instead.

        Args:
            text: The message.
            kind: How it is meant.
            merged: Whether it is counted too where it repeats one a while ago, if all since then was such: as of what happens often.
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

    def mentions(self, text: str) -> bool:
        """Return whether a message that is still kept contains a text, so that long advice is printed once."""
        return any(text in message.text for message in self.messages)

    def _repeated(self, text: str, kind: MessageKind, *, merged: bool) -> int | None:
        """Return the place of the message that another repeats, from the end, the last being -1; None for none."""
        for place in range(-1, -len(self.messages) - 1, -1):
            message = self.messages[place]
            if (message.text, message.kind) == (text, kind) and (merged or message.turn >= self.turn - 1):
                return place
            if not (merged and message.merged):
                break
        return None

    def unsay(self, text: str) -> None:
        """Take the last message back if it is this one, of this turn or that before, as what follows says it too."""
        last = self.messages[-1] if self.messages else None
        if last is not None and last.text == text and last.turn >= self.turn - 1:
            last.times -= 1
            if not last.times:
                self.messages.pop()
