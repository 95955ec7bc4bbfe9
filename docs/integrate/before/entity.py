"""What stands on a floor: the player, monsters, and things to pick up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(eq=False)
class Entity:
    """Something on a floor; it lives as long as it has hit points, if it ever had any."""

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
        """Where it is."""
        return self.x, self.y

    def hit(self, damage: int) -> str:
        """Take damage, and return what is to be said of that."""
        self.hp -= damage
        if self.hp > 0:
            return f"The {self.name} takes {damage}."
        self.char, self.blocks = "%", False
        return f"The {self.name} falls."


def new_player() -> Entity:
    """Return the player, who is nowhere yet."""
    return Entity(0, 0, "@", (255, 255, 255), "player", blocks=True, hp=30, power=4)
