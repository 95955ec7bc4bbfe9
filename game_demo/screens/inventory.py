"""The screen of the pack, the keys of the level and the haul."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import starmap
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from game_demo.display.drawing import (
    BOX_BG,
    BRIGHT,
    DIM,
    FRAME_ROWS,
    GOLD,
    PLAIN,
    box,
    clean,
    cut,
    put,
    readable,
)
from game_demo.rules.actions import apply, drop
from game_demo.rules.locks import keys_of_use
from game_demo.rules.naming import counted, describe_find, effect_of, pluralized
from game_demo.rules.pack import INVENTORY_SIZE, LETTERS
from game_demo.rules.watch import fighters_in_sight
from game_demo.screens.body import Fit
from game_demo.screens.dialogs import Confirm, waste_question
from game_demo.screens.keys import TAB_KEYS
from game_demo.screens.screen import Overlay
from game_demo.state.body import TURN

if TYPE_CHECKING:
    from collections.abc import Callable

    from tcod.console import Console

    from game_demo.screens.dialogs import Line
    from game_demo.screens.screen import Screen
    from game_demo.state.carried import Haul
    from game_demo.state.components import ItemEffect
    from game_demo.state.game import Game


AROUND: Final = 16
"""How many columns a line takes besides the name and what the thing does."""
BEST: Final = 5
"""How many kinds of the haul are listed, the most valuable."""


@dataclass
class PackScreen(Overlay):
    """The pack. A letter uses an item, asks where to fit it, or lays it down.

    Attributes:
        game: The game.
        drops: Whether a letter lays the item down.
        top: The number of the first row shown.
    """

    game: Game
    drops: bool = False
    top: int = 0
    _shown: int = field(default=1, init=False)

    def draw(self, console: Console) -> None:
        """Draw the screen over the one behind it."""
        self.behind.draw(console)
        inventory, room = self.game.player.inventory, self.room(console)
        names = max([len(clean(stack.look.name)) for stack in inventory], default=0)
        rows = [
            (stack if first else None, text)
            for stack in sorted(inventory, key=lambda stack: stack.letter)
            for first, text in _lines(compared(self.game, stack.effect), room.shape[1] - names - AROUND)
        ]
        below = self._below(room.shape[0] - FRAME_ROWS - max(len(rows), 1))
        width = max([names + 12 + len(text) for _, text in rows] + [len(text) for text, _ in below])
        title = "Drop what?" if self.drops else f"Your pack, {len(inventory)} of {INVENTORY_SIZE} kinds"
        y, x, height, width = box(console, title, max(len(rows), 1) + len(below), max(width, 30), room)
        if not rows:
            put(console, y, x, "It is empty.", PLAIN)
        self._shown = height - len(below)
        self.top = max(min(self.top, len(rows) - self._shown), 0)
        for row, (stack, effect) in enumerate(rows[self.top : self.top + self._shown], start=y):
            put(console, row, x + names + 10, cut(effect, width - names - 10), BRIGHT)
            if stack is None:
                continue
            put(console, row, x, stack.letter, GOLD)
            put(console, row, x + 2, stack.look.glyph, readable(stack.look.fg, BOX_BG))
            end = put(console, row, x + 4, cut(clean(stack.look.name), width - 10), PLAIN)
            put(console, row, end + 1, f"x{stack.count}" if stack.count > 1 else "", DIM)
        for row, (text, colour) in enumerate(below, start=height - len(below)):
            put(console, y + row, x, cut(text, width), colour)
        if len(rows) > self._shown:
            seen = f" {self.top + 1} to {self.top + self._shown} of {len(rows)}, arrows scroll "
            put(
                console, y + self._shown, x, seen.strip(), GOLD
            )  # on the line that parts the pack from what is below

    def _below(self, room: int) -> list[Line]:
        """Return the lines below the pack: the keys of the level, the haul, and what keys do.

        Args:
            room: The number of lines there is room for. If that is little, fewer lines tell of the haul.
        """
        haul, keys = self.game.player.haul, keys_of_use(self.game)
        lines: list[Line] = [("", PLAIN)]
        if keys:
            lines.append((f"Keys for this level: {clean(', '.join(starmap(counted, keys.items())))}", PLAIN))
        if haul.counts:
            lines.append((f"Haul: {haul}; it buys nothing and only ranks your game", PLAIN))
        if len(lines) > 1:
            lines.append(("", PLAIN))
        lines[-1:-1] = _best_of(haul, room - len(lines) - 1)
        told = "a letter uses or fits an item; Tab drops, Esc or i closes"
        if self.drops:
            told = "a letter drops one of these; Tab uses, Esc or i closes"
        return [*lines, (told if self.game.player.inventory else "Esc or i closes", DIM)]

    def press(self, key: str) -> Screen | None:
        """Use or drop an item, scroll, switch between both, or go back."""
        ways = {"up": -1, "down": 1, "pageup": -self._shown, "pagedown": self._shown}
        if key in ways:
            self.top += ways[key]  # drawing keeps it within bounds
            return self
        if key in TAB_KEYS:
            return replace(self, drops=not self.drops)
        letters = [stack.letter for stack in self.game.player.inventory]
        if key in letters:
            return self._choose(letters.index(key))
        # a letter without an item is a slip, after which the next key is not to be taken for a step
        return self if key in [*LETTERS] else self.behind.resume()

    def _choose(self, number: int) -> Screen:
        """Drop an item, ask where to fit it, or use it up, after a question if most of it would be wasted.

        The pack closes when an item was used up or fitted, so that a letter pressed for a step does not use up another one.
        """
        stack = self.game.player.inventory[number]
        if self.drops:
            self._do(drop, number)
            return self._after_drop()
        if stack.effect.part is not None:
            return Fit(self.behind, self.game, number, pack=self, after=self.behind.resume)
        if question := waste_question(self.game, stack):
            return Confirm(self, question, lambda: self._use(number))
        return self._use(number)

    def _use(self, number: int) -> Screen:
        """Use up an item, and return the next screen: the pack again if nothing came of it."""
        turn = self.game.log.turn
        self._do(apply, number)
        return self if self.game.log.turn == turn else self.behind.resume()

    def _do(self, act: Callable[[Game, int], None], number: int) -> None:
        self.game.log.begin_action()
        act(self.game, number)

    def _after_drop(self) -> Screen:
        """Return the screen after an item was dropped: the pack again, unless it is empty, an enemy is in sight or the game is over."""
        after = self.behind.resume()
        stays = after is self.behind and self.game.player.inventory and not fighters_in_sight(self.game)
        return self if stays else after


def _lines(text: str, width: int) -> list[tuple[bool, str]]:
    """Return a text wrapped to a width of at least 16, each line with whether it is the first."""
    return [(row == 0, line) for row, line in enumerate(wrap(clean(text), max(width, 16)) or [""])]


def _best_of(haul: Haul, room: int) -> list[Line]:
    """Return lines about the most valuable kinds of the haul, and how many more there are, in at most `room` lines."""
    best = haul.best()
    shown = min(len(best), BEST, room)
    if shown < len(best):
        shown = min(shown, room - 1)
    if shown < 1:
        return []
    lines: list[Line] = [(f"  {clean(describe_find(find, count))}", DIM) for find, count in best[:shown]]
    more = len(best) - shown
    return [*lines, (f"  +{pluralized(more, 'kind')} more", DIM)] if more else lines


def compared(game: Game, effect: ItemEffect) -> str:
    """Return what an item does, and what that would change now; empty if it does nothing."""
    health, body = game.health, game.body
    parts = []
    if effect.repair:
        mended = min(health.hp + effect.repair, health.max_hp)
        parts.append(f"(hp {health.hp} -> {mended})" if mended > health.hp else "(your hit points are full)")
    if effect.charge:
        now, most = body.charge // TURN, body.capacity // TURN
        filled = min(now + effect.charge, most)
        parts.append(f"(charge {now} -> {filled})" if filled > now else "(your battery is full)")
    return " ".join([effect_of(effect), *parts]).strip()
