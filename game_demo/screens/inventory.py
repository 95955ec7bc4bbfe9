"""What the player carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from game_demo.display.drawing import BRIGHT, DIM, GOLD, PLAIN, box, clean, cut, put
from game_demo.rules.actions import apply
from game_demo.rules.naming import effect_of
from game_demo.screens.body import Fit
from game_demo.screens.screen import Screen

if TYPE_CHECKING:
    from tcod.console import Console

    from game_demo.state.game import Game


@dataclass
class Inventory(Screen):
    """What the player carries; a letter applies it, or asks where to fit it."""

    behind: Screen
    game: Game

    def draw(self, console: Console) -> None:
        """Draw it over what is behind."""
        self.behind.draw(console)
        inventory = self.game.player.inventory
        footer = "a letter applies the item, or fits it; Esc goes back" if inventory else "Esc goes back"
        rows = [
            (stack.look.name, f"x{stack.count}" if stack.count > 1 else "", effect_of(stack.effect))
            for stack in inventory
        ]
        names = max([len(clean(name)) for name, _, _ in rows], default=0)
        width = max([names + 12 + len(effect) for _, _, effect in rows] + [len(footer), 30])
        tall = len(rows) + 4 <= console.height - 2
        y, x, height, width = box(console, "Your pack", max(len(rows), 1) + 2 * tall, width)
        if not rows:
            put(console, y, x, "It is empty.", PLAIN)
        for row, (name, count, effect) in enumerate(rows[:height]):
            look = inventory[row].look
            put(console, y + row, x, f"{chr(ord('a') + row)}", GOLD)
            put(console, y + row, x + 2, look.glyph, look.fg)
            end = put(console, y + row, x + 4, cut(clean(name), width - 10), PLAIN)
            put(console, y + row, end + 1, count, DIM)
            put(console, y + row, x + names + 10, cut(effect, width - names - 10), BRIGHT)
        if tall:
            put(console, y + height - 1, x, cut(footer, width), DIM)

    def press(self, key: str) -> Screen | None:
        """Apply an item, or go back."""
        letters = [chr(ord("a") + row) for row in range(len(self.game.player.inventory))]
        if key in letters:
            number = letters.index(key)
            if self.game.player.inventory[number].effect.part is not None:
                return Fit(self.behind, self.game, number)
            apply(self.game, number)
        return self.behind.resume()
