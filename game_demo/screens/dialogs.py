"""Screens over another screen: questions and pages of text. Each goes back to the screen behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar, Final

import esper

from game_demo.display.drawing import (
    BRIGHT,
    DIM,
    FRAME_COLUMNS,
    FRAME_ROWS,
    GREEN,
    MESSAGE_COLOURS,
    NO_BREAK,
    PLAIN,
    RED,
    box,
    clean,
    cut,
    put,
    text_box,
)
from game_demo.display.messages import to_wrap
from game_demo.rules.fitting import CHARGE
from game_demo.rules.locks import keys_of_use
from game_demo.rules.naming import listed, name_of, pluralized, with_article
from game_demo.rules.paths import is_seen_trap
from game_demo.rules.pursuit import allies_left_by
from game_demo.saving.recording import SaveError
from game_demo.screens.keys import DIRECTIONS
from game_demo.screens.screen import Overlay
from game_demo.state.body import TURN
from game_demo.state.components import Charger

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tcod.console import Console

    from game_demo.saving.keeper import Keeper
    from game_demo.saving.morgue import Score
    from game_demo.screens.screen import Screen
    from game_demo.state.components import Colour, Stack
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction
    from game_demo.state.log import Log


# -- what is asked before harm ---------------------------------------------------------------------


def danger_question(game: Game, cell: Cell) -> str:
    """Return the question before a step onto a known trap, or before a charge that would be wasted; empty for none."""
    game.resume()
    thing = game.map.blockers.get(cell)
    if thing is not None:
        return _charge_waste_question(game, thing)
    if not is_seen_trap(game, cell):
        return ""
    return f"Step on {with_article(name_of(game.map.traps[cell]))}?"


def _charge_waste_question(game: Game, thing: int) -> str:
    """Return the question before a charge of which the battery has no room for more than a third; empty for none."""
    charger = esper.try_component(thing, Charger)
    room = (game.body.capacity - game.body.charge) // TURN
    if charger is None or not charger.left or not 0 < 3 * room < 2 * CHARGE:
        return ""
    name = name_of(thing)
    if charger.left == 1:
        return f"The {name} gives its last {CHARGE} charge, but you have room for only {room}. Use it up?"
    return f"The {name} gives {CHARGE} charge, but you have room for only {room}. Charge now?"


def waste_question(game: Game, stack: Stack) -> str:
    """Return the question before using up an item that gives more than twice what is needed; empty for none."""
    effect, health, body = stack.effect, game.health, game.body
    if effect.frame or (effect.faulty and not effect.untried):
        return ""
    needs = [
        (effect.repair, health.max_hp - health.hp, "repairs {} hit points, but you lack only {}"),
        (
            effect.charge,
            (body.capacity - body.charge) // TURN,
            "gives {} charge, but you have room for only {}",
        ),
    ]
    gains = [each for each in needs if each[0]]
    if all(need <= 0 for _, need, _ in gains) or any(2 * need >= amount for amount, need, _ in gains):
        return ""
    told = ", and it ".join(text.format(amount, need) for amount, need, text in gains)
    return f"The {stack.look.name} {told}. Use it up?"


def parting_question(game: Game, key: str) -> str:
    """Return the question before taking stairs by a key, ``<`` or ``>``; empty for none.

    It is about stairs that don't lead back, useful keys left behind on the way on, and allies left behind.
    """
    here = game.player_cell
    target = game.map.exits.get(here)
    if key == "<":
        is_up = here in game.map.ways_up and not game.world.node(game.map.level.id).one_way
        target = game.map_above(here) if is_up else None
    if target is None:
        return ""
    is_final, keys = game.world.node(target).one_way, keys_of_use(game)
    told = [f"You can't come back from {game.title(target)}."] * is_final
    if keys and key == ">":
        told.append(f"You would leave behind keys that work only on this level: {listed(keys)}.")
    if left := allies_left_by(game, target):
        names = listed(map(name_of, left))
        told.append(f"You would leave behind {names} on your side, which would then forget you.")
        told += ["Allies come along if they are near and can walk."] * (not is_final)
    return " ".join([*told, "Go there?"]) if told else ""


# -- dialogs ---------------------------------------------------------------------------------------

Line = tuple[str, "Colour"]

NO_KEYS: Final = ("n", "N", "escape", "q", "Q")
"""Keys that answer a question with no."""
QUESTION_WIDTH: Final = 72
"""The highest width of a question."""
ANSWER_WIDTH: Final = 64
"""The width of the answer field."""
MOST_LINES: Final = 28
"""How many lines of a page are shown at a time, at most: what it hides has to be sent to the terminal again."""
HISTORY_WIDTH: Final = 74
"""The width of text in lists."""


@dataclass
class TextPage(Overlay):
    """A page of text that scrolls if it is long.

    Attributes:
        title: The heading.
        lines: The lines with their colours.
        top: The number of the first line shown; None for the end of the page.
        keys: What keys do besides scrolling, as text.
    """

    title: str
    lines: Sequence[Line]
    top: int | None = 0
    keys: str = "Esc goes back"
    _room: int = field(default=1, init=False)

    scrolling: ClassVar[str] = "j and k scroll"
    """Which keys scroll, as the player reads it."""

    def draw(self, console: Console) -> None:
        """Draw the screen over the one behind it."""
        self.behind.draw(console)
        number, rows = len(self.lines), min(len(self.lines), MOST_LINES)
        longest = max(len(text) for text, _ in self.lines)
        scrolls = number > min(MOST_LINES, console.height - FRAME_ROWS)
        keys = self._describe_keys(number, number) if scrolls else self.keys
        width = max(longest, len(self.title) + 4, len(keys) + 2)
        y, x, self._room, width = box(console, self.title, rows, width, self.room(console))
        self._scroll(0)
        top = self.top or 0
        for row, (text, colour) in enumerate(self.lines[top : top + self._room]):
            put(console, y + row, x, cut(clean(text), width), colour)
        if number > self._room:
            keys = self._describe_keys(top + 1, top + self._room)
        keys = cut(keys, width - 2)
        put(console, y + self._room, x + width - len(keys) - 2, f" {keys} ", DIM)

    def _describe_keys(self, first: int, last: int) -> str:
        """Return which lines are shown, and what keys do."""
        return f"{first} to {last} of {len(self.lines)}, {self.scrolling}, {self.keys}"

    def press(self, key: str) -> Screen | None:
        """Scroll, or go back."""
        pages = {"pageup": -1, "pagedown": 1, " ": 1}
        if key in ("up", "k", "down", "j"):
            self._scroll(-1 if key in ("up", "k") else 1)
        elif key in pages and len(self.lines) > self._room:
            self._scroll(pages[key] * max(self._room - 1, 1))
        elif key in ("home", "end"):
            self.top = 0 if key == "home" else None
        else:
            return self.behind.resume()
        return self

    def _scroll(self, by: int) -> None:
        last = max(len(self.lines) - self._room, 0)
        self.top = min(max((last if self.top is None else self.top) + by, 0), last)


@dataclass
class Confirm(Overlay):
    """A yes-or-no question. `y` affirms; `n` and Escape go back; other keys do nothing, as the player may still be walking.

    Attributes:
        question: The question.
        act: Called if the player affirms; returns the next screen, or None to leave the game.
    """

    question: str
    act: Callable[[], Screen | None]

    def draw(self, console: Console) -> None:
        """Draw the screen over the one behind it."""
        self.behind.draw(console)
        _ask(console, self.behind, self.question, "y / n")

    def press(self, key: str) -> Screen | None:
        """Call `act` for `y`, go back for `n` and Escape, and else wait for an answer."""
        if key in ("y", "Y"):
            return self.act()
        return self.behind.resume() if key in NO_KEYS else self


@dataclass
class AskText(Overlay):
    """Asks for a line of text.

    Attributes:
        question: The heading.
        hint: What to write.
        act: Takes the text; returns the next screen. It may raise a ValueError, whose message is shown so that the text can be mended.
    """

    question: str
    hint: str
    act: Callable[[str], Screen]
    text: str = ""
    trouble: str = ""

    def draw(self, console: Console) -> None:
        """Draw the screen over the one behind it."""
        self.behind.draw(console)
        lines = [
            *((line, DIM) for line in wrap(clean(self.hint), ANSWER_WIDTH)),
            (f"{self.text[1 - ANSWER_WIDTH :]}_".ljust(ANSWER_WIDTH), BRIGHT),
            *((line, RED) for line in wrap(clean(self.trouble), ANSWER_WIDTH)),
            ("Enter answers, Esc goes back", DIM),
        ]
        text_box(console, self.question, lines, self.behind.room_for_question(console))

    def press(self, key: str) -> Screen | None:
        """Edit the text, answer, or go back."""
        match key:
            case "escape":
                return self.behind.resume()
            case "backspace":
                self.text = self.text[:-1]
            case "enter":
                try:
                    return self.act(self.text)
                except ValueError as error:
                    self.trouble = str(error)
            case _ if len(key) == 1:
                self.text += key
        return self


@dataclass
class AskDirection(Overlay):
    """Asks for a direction, in a box that hides nothing next to the player.

    Escape goes back; other keys do nothing.
    """

    question: str
    act: Callable[[Direction], None]

    def draw(self, console: Console) -> None:
        """Draw the screen over the one behind it."""
        self.behind.draw(console)
        _ask(console, self.behind, self.question, "a direction, or Esc")

    def press(self, key: str) -> Screen | None:
        """Take the direction, go back, or wait for an answer."""
        if key in DIRECTIONS:
            self.act(DIRECTIONS[key])
            return self.behind.resume()
        return self.behind.resume() if key == "escape" else self


def _ask(console: Console, behind: Screen, question: str, answers: str) -> None:
    """Draw a question and its possible answers over a screen."""
    room = behind.room_for_question(console)
    unbroken = answers.replace(" ", NO_BREAK)
    columns = room.shape[1] or console.width  # without room, the box gets a cleared console
    lines = wrap(f"{clean(question)}  {unbroken}", min(QUESTION_WIDTH, columns - FRAME_COLUMNS))
    text_box(console, "", [(line, BRIGHT) for line in lines], room)


def messages_page(behind: Screen, log: Log) -> TextPage:
    """Return the page of all messages, at its end."""
    lines = [
        (line, MESSAGE_COLOURS[each.kind])
        for each in log.messages
        for line in wrap(f"{each.turn:>5}  {to_wrap(each)}", HISTORY_WIDTH, subsequent_indent=" " * 7)
    ]
    if log.forgotten:
        lines.insert(0, (f"{pluralized(log.forgotten, 'message')} before these are no longer kept", DIM))
    return TextPage(behind, "Messages", lines or [("No messages yet.", DIM)], top=None)


def scores_page(behind: Screen, keeper: Keeper) -> TextPage:
    """Return the page of finished games, the best first."""
    title = "Games that have ended"
    try:
        scores = keeper.scores()
    except SaveError as error:
        return TextPage(behind, title, [(line, RED) for line in wrap(f"{error}.", HISTORY_WIDTH)])
    lines = [
        (line, GREEN if each.won else PLAIN)
        for number, each in enumerate(scores, start=1)
        for line in wrap(_score_line(number, each), HISTORY_WIDTH, subsequent_indent=" " * 17)
    ]
    return TextPage(behind, title, lines or [("No game has ended yet.", DIM)])


def _score_line(number: int, score: Score) -> str:
    """Return the line about a finished game."""
    where = f"{score.ending}, {score.place}, depth {score.depth}, turn {score.turn}"
    done = f"haul worth {score.worth or 'nothing'}, {pluralized(score.destroyed, 'robot')} destroyed"
    return f"{number:3}  {score.began[:10]}  {where}, {done}, seed {score.seed_text or score.seed}"
