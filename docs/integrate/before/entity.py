"""The entities on a floor: the player, monsters and items."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(eq=False)
class Entity:
    """An object or creature on a floor. Creatures are alive while `hp` is above 0; objects have 0."""

    x: int
    y: int
    char: str
    colour: tuple[int, int, int]
    name: str
    blocks: bool = False
    hp: int = 0
    power: int = 0
    heals: int = 0

    @property
    def xy(self) -> tuple[int, int]:
        """The cell of the entity."""
        return self.x, self.y

    def hit(self, damage: int) -> str:
        """Take damage, and return a message about it."""
        self.hp -= damage
        if self.hp > 0:
            return f"The {self.name} takes {damage}."
        self.char, self.blocks = "%", False
        return f"The {self.name} falls."


def new_player() -> Entity:
    """Return a new player at (0, 0); `Engine.arrive` moves him to the floor's start."""
    return Entity(0, 0, "@", (255, 255, 255), "player", blocks=True, hp=30, power=4)
