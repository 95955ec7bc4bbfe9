"""What the player carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from game_demo.display.drawing import BOX_BG, BRIGHT, DIM, GOLD, PLAIN, box, clean, cut, put, readable
from game_demo.rules.actions import apply
from game_demo.rules.naming import effect_of
from game_demo.screens.body import Fit
from game_demo.screens.screen import Screen
from game_demo.state.things.clock import TURN

if TYPE_CHECKING:
    from tcod.console import Console

    from game_demo.state.components import ItemEffect
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
            (stack.look.name, f"x{stack.count}" if stack.count > 1 else "", compared(self.game, stack.effect))
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
            put(console, y + row, x + 2, look.glyph, readable(look.fg, BOX_BG))
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


def compared(game: Game, effect: ItemEffect) -> str:
    """Return what an item does, beside how the player is now; empty if that is nothing."""
    health, body = game.health, game.body
    parts = []
    if effect.repair:
        mended = min(health.hp + effect.repair, health.max_hp)
        parts.append(f"(hp {health.hp} -> {mended})" if mended > health.hp else "(you are whole)")
    if effect.charge:
        now, most = body.charge // TURN, body.capacity // TURN
        filled = min(now + effect.charge, most)
        parts.append(f"(charge {now} -> {filled})" if filled > now else "(your battery is full)")
    return " ".join([effect_of(effect), *parts]).strip()
